#include "engine/plan/run/one_first.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace tessera::plan {
namespace {

// Read again by whoever takes the run up, of another version, too.
constexpr std::string_view kOneFirst = "one-first";

bool waits_for_its_work(const Run& run, const NodeName& node) {
  const auto& stopped = run.nodes.at(node).stopped();
  return stopped && stopped->until == Until::empty;
}

}  // namespace

void change_one_first(Plan& plan) {
  if (plan.nodes.size() < 2) return;
  plan.notices.push_back({Severity::info, std::string(kOneFirst), NodeName(),
                          "its nodes are closed together; the first one that is empty is changed alone, and "
                          "the others once it is done"});
}

bool changes_one_first(const Plan& plan) {
  return std::any_of(plan.notices.begin(), plan.notices.end(),
                     [](const Notice& one) { return one.rule == kOneFirst; });
}

std::vector<NodeName> held_back(const Run& run) {
  const Summary now = summary(run);
  if (!changes_one_first(run.started.plan) || !now.done.empty()) return {};
  std::vector<NodeName> held;
  for (const NodeName& node : now.waiting)
    if (waits_for_its_work(run, node)) held.push_back(node);
  // What has failed, or was under way when its tessera went, is the first one.
  const bool another = !now.running.empty() ||
                       std::any_of(now.failed.begin(), now.failed.end(),
                                   [&](const NodeName& node) { return !run.nodes.at(node).finished(); });
  if (!another && !held.empty()) held.erase(held.begin());
  return held;
}

Parked held_back_for(const Run& run, const NodeName& node) {
  const auto& stopped = run.nodes.at(node).stopped();
  return {fmt::format("waits until the first node of the run that is empty is done; go on with: tessera "
                      "resume {}",
                      run.started.run),
          stopped ? stopped->place : "", Until::empty};
}

std::vector<NodeName> let_on(const Run& run, const std::vector<NodeName>& held) {
  const Summary now = summary(run);
  if (held.empty() || run.paused || run.finished || !now.failed.empty()) return {};
  return now.done.empty() ? std::vector<NodeName>{held.front()} : held;
}

}  // namespace tessera::plan
