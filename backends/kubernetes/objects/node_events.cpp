#include "backends/kubernetes/objects/node_events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kEventsKept = 5000;  // of all nodes of the cluster
constexpr std::size_t kEventsShown = 100;
constexpr int kEventsOfNode = 3;

bool is_worth_telling(const EventObject& event) {
  return event.type == "Warning" || event.reason == "NodeNotReady" || event.reason == "Rebooted";
}

std::string time_of_day(TimePoint at) {
  auto minutes = std::chrono::floor<std::chrono::minutes>(at - std::chrono::floor<std::chrono::days>(at));
  return fmt::format("{:02}:{:02} UTC ", minutes.count() / 60, minutes.count() % 60);
}

std::string event_text(const EventObject& event) {
  std::string text;
  if (event.last) text = time_of_day(*event.last);
  text += event.reason.empty() ? "event" : event.reason;
  if (!event.message.empty()) text += ": " + event.message;
  if (event.count > 1) text += fmt::format(" ({} times)", event.count);
  return clean(text, 600);
}

// One that came several times and does not tell when first began at the last time at the latest.
void tell_since(Remark& remark, const EventObject& event, Duration ahead) {
  if (event.first)
    remark.since = *event.first - ahead;
  else if (event.last)
    (event.count > 1 ? remark.seen : remark.since) = *event.last - ahead;
}

}  // namespace

void NodeEvents::keep(EventObject event, const std::string& /*api*/) {
  std::string id = event.id();
  if (event.kind != "Node" || event.name.empty() || !is_worth_telling(event)) {
    all_.erase(id);
    return;
  }
  if (all_.size() >= kEventsKept && !all_.contains(id)) return;
  all_[std::move(id)] = std::move(event);
}

std::vector<std::string> NodeEvents::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, event] : all_) ids.push_back(id);
  return ids;
}

std::vector<Remark> NodeEvents::remarks(const std::function<bool(const std::string&)>& is_ours,
                                        Duration ahead) const {
  std::vector<const EventObject*> newest;
  for (const auto& [id, event] : all_)
    if (is_ours(event.name)) newest.push_back(&event);
  std::stable_sort(newest.begin(), newest.end(),
                   [](const EventObject* a, const EventObject* b) { return a->last > b->last; });
  std::map<std::string, int> of_node;
  std::vector<Remark> remarks;
  for (const EventObject* event : newest) {
    if (remarks.size() == kEventsShown) break;
    if (++of_node[event->name] > kEventsOfNode) continue;
    remarks.push_back({Remark::Grade::info, event->name, true, event_text(*event),
                       event->from.empty() ? "" : "reported by " + event->from});
    tell_since(remarks.back(), *event, ahead);
  }
  return remarks;
}

}  // namespace tessera::kubernetes
