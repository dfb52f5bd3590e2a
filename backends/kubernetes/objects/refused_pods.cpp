#include "backends/kubernetes/objects/refused_pods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "backends/kubernetes/objects/parse.hpp"
#include "engine/number.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

using namespace std::chrono_literals;

constexpr auto kOver = 20min;
// An older first event may not be the first: those before it are forgotten after an hour.
constexpr auto kBeganFor = 40min;
constexpr std::size_t kMostTold = 100;
constexpr std::string_view kExceeded = "exceeded quota: ";

// "gpus, requested: requests.nvidia.com/gpu=4, used: requests.nvidia.com/gpu=6, limited: …=8"
std::string_view refusal_in(std::string_view message) {
  const std::size_t at = message.find(kExceeded);
  return at == std::string_view::npos ? std::string_view() : message.substr(at + kExceeded.size());
}

// What stands behind ", used: ", up to the next of these.
std::string_view list_in(std::string_view refusal, std::string_view word) {
  const std::string begin = ", " + std::string(word) + ": ";
  const std::size_t at = refusal.find(begin);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = refusal.substr(at + begin.size());
  return rest.substr(0, rest.find(", "));
}

using Amounts = std::map<std::string, std::optional<std::int64_t>, std::less<>>;

// GPU resources of "requests.nvidia.com/gpu=4,requests.cpu=2".
Amounts gpu_amounts_in(std::string_view list) {
  constexpr std::string_view kRequests = "requests.";
  Amounts amounts;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) continue;
    std::string_view name = one.substr(0, equals);
    if (name.starts_with(kRequests)) name.remove_prefix(kRequests.size());
    if (sharing::parse_resource(name, Scheduler::kubernetes))
      amounts.emplace(name, parse_quantity(one.substr(equals + 1)));
  }
  return amounts;
}

// Numbers that the message does not have, or that cannot be read, are left to its own words.
std::string why_refused(std::string_view refusal) {
  const std::string_view quota = refusal.substr(0, refusal.find(", "));
  const Amounts asked = gpu_amounts_in(list_in(refusal, "requested"));
  const Amounts used = gpu_amounts_in(list_in(refusal, "used")),
                limits = gpu_amounts_in(list_in(refusal, "limited"));
  const auto& [resource, wants] = *asked.begin();
  const auto has = used.find(resource), limit = limits.find(resource);
  if (!wants || has == used.end() || !has->second || limit == limits.end() || !limit->second)
    return fmt::format("the API server refuses its pods: exceeded quota: {}", refusal);
  return fmt::format(
      "the API server refuses its pods: quota {} allows {} {}, {} are used, and a pod asks for {}", quota,
      *limit->second, resource, *has->second, *wants);
}

// "requests.nvidia.com/gpu=4,requests.cpu=2" by the quota's own names, as written.
std::map<std::string, std::string, std::less<>> written_in(std::string_view list) {
  std::map<std::string, std::string, std::less<>> all;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    list.remove_prefix(std::min(one.size() + 1, list.size()));
    const std::size_t equals = std::min(one.find('='), one.size());
    all.emplace(one.substr(0, equals), one.substr(std::min(equals + 1, one.size())));
  }
  return all;
}

// What lets one more of those pods in. Only while the limits are those of the message: an older one would
// lower what was raised meanwhile. Empty: not all of its numbers can be read.
std::string raise_command(const std::string& space, std::string_view refusal) {
  const std::string_view quota = refusal.substr(0, refusal.find(", "));
  const auto used = written_in(list_in(refusal, "used")), limits = written_in(list_in(refusal, "limited"));
  std::string patch;
  for (const auto& [name, wants] : written_in(list_in(refusal, "requested"))) {
    const auto has = used.find(name), limit = limits.find(name);
    if (has == used.end() || limit == limits.end() || !is_plain_word(name) || !is_plain_word(limit->second))
      return {};
    const auto asked = whole_number<std::int64_t>(wants), held = whole_number<std::int64_t>(has->second);
    if (!asked || !held) return {};
    std::string path = "/spec/hard/";
    for (const char c : name) path += c == '/' ? std::string("~1") : std::string(1, c);
    patch += fmt::format(
        R"({}{{"op":"test","path":"{}","value":"{}"}},{{"op":"replace","path":"{}","value":"{}"}})",
        patch.empty() ? "" : ",", path, limit->second, path, add_times(*held, *asked, 1));
  }
  if (patch.empty() || !is_plain_word(quota)) return {};
  return fmt::format("kubectl -n {} patch resourcequota {} --type=json -p {}", shell_word(space),
                     shell_word(quota), shell_word("[" + patch + "]"));
}

struct OfOwner {
  const EventObject* newest = nullptr;
  std::optional<TimePoint> first;
  void add(const EventObject& event) {
    if (!newest || event.last > newest->last) newest = &event;
    const std::optional<TimePoint> began = event.first ? event.first : event.last;
    if (began) first = std::min(first.value_or(*began), *began);
  }
};

Remark remark_on(const std::string& owner, const OfOwner& of, TimePoint now, Duration ahead) {
  const EventObject& event = *of.newest;
  const std::string_view refusal = refusal_in(event.message);
  Remark remark{
      Remark::Grade::warning, owner, false, clean(why_refused(refusal), 600),
      fmt::format("raise the quota, or wait until some of it ends: kubectl -n {} describe resourcequota",
                  shell_word(event.meta.name_space))};
  remark.kind = Remark::Kind::refused;
  remark.follows = "it waits without a pod: it is in no list of waiting workloads";
  remark.commands = {"kubectl -n " + shell_word(event.meta.name_space) + " describe resourcequota"};
  if (std::string raise = raise_command(event.meta.name_space, refusal); !raise.empty())
    remark.commands.push_back(std::move(raise));
  if (of.first && now - *of.first < kBeganFor) remark.since = *of.first - ahead;
  return remark;
}

}  // namespace

bool is_refused_for_gpus(const EventObject& event) {
  return event.reason == "FailedCreate" && !event.name.empty() &&
         !gpu_amounts_in(list_in(refusal_in(event.message), "requested")).empty();
}

std::vector<Remark> refused_remarks(
    const std::vector<EventObject>& events,
    const std::function<std::optional<TimePoint>(const std::string& kind, const std::string& id)>& newest_pod,
    TimePoint now, Duration ahead) {
  std::map<std::string, OfOwner> owners;
  for (const EventObject& event : events) {
    if (!is_refused_for_gpus(event) || (event.last && now - *event.last >= kOver)) continue;
    const std::string id = event.meta.name_space + "/" + event.name;
    const std::optional<TimePoint> pod = newest_pod(event.kind, id);
    if (pod && event.last && *pod > *event.last) continue;
    owners[event.kind + " " + id].add(event);
  }
  std::vector<Remark> remarks;
  for (const auto& [owner, of] : owners) {
    if (remarks.size() == kMostTold) break;
    remarks.push_back(remark_on(owner, of, now, ahead));
  }
  return remarks;
}

}  // namespace tessera::kubernetes
