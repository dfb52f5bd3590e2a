#include "backends/sim/kueue/quota.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/apiserver/value.hpp"
#include "engine/number.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::int64_t kMost = 1'000'000;  // of anything: more is a broken object

std::int64_t count_of(const Json& value, std::int64_t most = kMost) {
  if (value.kind == Json::Kind::integer) return std::clamp<std::int64_t>(value.integer, 0, most);
  return whole_number<std::int64_t>(value.text, most).value_or(0);
}

const std::vector<Json>& list_at(const Json& value, Path path) {
  static const std::vector<Json> kNone;
  const Json* found = at(value, path);
  return found ? found->items : kNone;
}

// nominalQuota, borrowingLimit; nullptr: not set.
const Json* limit_at(const Json& flavor, const std::string& resource, std::string_view limit) {
  for (const Json& one : list_at(flavor, {"resources"}))
    if (view_at(one, {"name"}) == resource) return one.find(limit);
  return nullptr;
}

// The resource group of a ClusterQueue that covers a resource; nullptr: none does.
const Json* group_of(const Json& cluster_queue, const std::string& resource) {
  for (const Json& group : list_at(cluster_queue, {"spec", "resourceGroups"}))
    for (const Json& covered : list_at(group, {"coveredResources"}))
      if (covered.text == resource) return &group;
  return nullptr;
}

std::int64_t at_key(const Usage& usage, const std::pair<std::string, std::string>& key) {
  const auto found = usage.find(key);
  return found == usage.end() ? 0 : found->second;
}

// One try to place a Workload: what others have, and what its own pod sets before this one take.
class Assigner {
 public:
  Assigner(const Json& queue, const Usage& used, const Cohort* cohort)
      : queue_(queue), used_(used), cohort_(cohort) {}

  // Empty: it fits.
  std::string place(const PodSetAsk& set, std::map<std::string, std::string>& flavors) {
    for (const auto& [resource, count] : set.all) {
      const Json* group = group_of(queue_, resource);
      std::string why = group ? place_one(*group, resource, count, flavors)
                              : fmt::format("resource {} unavailable in ClusterQueue", resource);
      if (!why.empty()) return why;
    }
    return {};
  }

 private:
  std::string place_one(const Json& group, const std::string& resource, std::int64_t count,
                        std::map<std::string, std::string>& flavors) {
    std::string why;
    for (const Json& flavor : list_at(group, {"flavors"})) {
      const std::pair key{text_at(flavor, {"name"}), resource};
      const std::string not_here = why_not(flavor, key, count);
      if (not_here.empty()) {
        own_[key] += count;
        flavors[resource] = key.first;
        return {};
      }
      why += (why.empty() ? "" : ", ") + not_here;
    }
    return why.empty() ? fmt::format("no flavor for {}", resource) : why;
  }
  std::string why_not(const Json& flavor, const std::pair<std::string, std::string>& key,
                      std::int64_t count) const {
    const Json *told = limit_at(flavor, key.second, "nominalQuota"),
               *limit = limit_at(flavor, key.second, "borrowingLimit");
    const std::int64_t own = at_key(own_, key), used = at_key(used_, key);
    std::int64_t quota = told ? count_of(*told) : 0, unused = quota - used;
    if (cohort_) {
      const std::int64_t all = at_key(cohort_->quota, key);
      const std::int64_t most = limit ? std::min(all, quota + count_of(*limit)) : all;
      unused = std::min(most - used, all - at_key(cohort_->used, key));
      quota = most;
    }
    if (own + count > quota)
      return fmt::format(
          "insufficient quota for {} in flavor {}, previously considered podsets requests ({}) + current "
          "podset request ({}) > maximum capacity ({})",
          key.second, key.first, own, count, quota);
    const std::int64_t free = std::max<std::int64_t>(0, unused);
    if (own + count > free)
      return fmt::format("insufficient unused quota for {} in flavor {}, {} more needed", key.second,
                         key.first, own + count - free);
    return {};
  }

  const Json& queue_;
  const Usage& used_;
  const Cohort* cohort_;
  Usage own_;
};

Fit try_to_fit(const Json& cluster_queue, const Usage& used, const std::vector<PodSetAsk>& asks,
               const Cohort* cohort) {
  Assigner assigner(cluster_queue, used, cohort);
  Fit result;
  for (const PodSetAsk& set : asks) {
    const std::string why = assigner.place(set, result.flavors.emplace_back());
    if (why.empty()) continue;
    result.why += fmt::format("{}couldn't assign flavors to pod set {}: {}", result.why.empty() ? "" : "; ",
                              set.name, why);
  }
  return result;
}

}  // namespace

std::vector<PodSetAsk> asks_of(const Json& workload) {
  std::vector<PodSetAsk> all;
  for (const Json& set : list_at(workload, {"spec", "podSets"})) {
    PodSetAsk ask{
        text_at(set, {"name"}), std::clamp<std::int64_t>(number_at(set, {"count"}, 1), 0, kMost), {}};
    for (const Json& container : list_at(set, {"template", "spec", "containers"})) {
      const Json* wants = at(container, {"resources", "requests"});
      if (!wants) wants = at(container, {"resources", "limits"});
      if (!wants) continue;
      for (const auto& [resource, value] : wants->fields)
        if (resource.find('/') != std::string::npos) ask.all[resource] += count_of(value);
    }
    for (auto& [resource, count] : ask.all) count = std::min(count, kMost) * ask.pods;
    all.push_back(std::move(ask));
  }
  return all;
}

Usage usage_of(const Json& workload) {
  Usage usage;
  for (const Json& set : list_at(workload, {"status", "admission", "podSetAssignments"}))
    if (const Json* flavors = at(set, {"flavors"}))
      for (const auto& [resource, flavor] : flavors->fields)
        if (const Json* count = at(set, {"resourceUsage", resource}))
          usage[{flavor.text, resource}] += count_of(*count, kMost * kMost);
  return usage;
}

void add(Usage& sum, const Usage& more) {
  for (const auto& [key, count] : more) sum[key] += count;
}
void subtract(Usage& sum, const Usage& less) {
  for (const auto& [key, count] : less) sum[key] -= count;
}

// v1beta1 calls it cohort.
std::string cohort_of(const Json& cluster_queue) {
  const std::string name = text_at(cluster_queue, {"spec", "cohortName"});
  return name.empty() ? text_at(cluster_queue, {"spec", "cohort"}) : name;
}

Usage quota_of(const Json& cluster_queue) {
  Usage quota;
  for (const Json& group : list_at(cluster_queue, {"spec", "resourceGroups"}))
    for (const Json& flavor : list_at(group, {"flavors"}))
      for (const Json& one : list_at(flavor, {"resources"}))
        if (const Json* told = one.find("nominalQuota"))
          quota[{text_at(flavor, {"name"}), text_at(one, {"name"})}] += count_of(*told);
  return quota;
}

Fit fit(const Json& cluster_queue, const Usage& used, const std::vector<PodSetAsk>& asks,
        const Cohort* cohort) {
  Fit result = try_to_fit(cluster_queue, used, asks, cohort);
  Cohort empty;
  if (cohort) empty.quota = cohort->quota;
  result.when_empty =
      result.why.empty() || try_to_fit(cluster_queue, {}, asks, cohort ? &empty : nullptr).why.empty();
  return result;
}

Json reservation_of(const Json& cluster_queue, const Usage& used) {
  Json flavors = Json::list();
  for (const auto& [place, nominal] : quota_of(cluster_queue)) {  // in the order of the flavors
    const auto& [flavor, resource] = place;
    const auto found = used.find(place);
    const std::int64_t total = found == used.end() ? 0 : found->second;
    if (flavors.items.empty() || view_at(flavors.items.back(), {"name"}) != flavor)
      flavors.items.push_back(object({{"name", text(flavor)}, {"resources", Json::list()}}));
    const std::int64_t borrowed = std::max<std::int64_t>(0, total - nominal);
    member(flavors.items.back(), "resources")
        ->items.push_back(object({{"name", text(resource)},
                                  {"total", text(std::to_string(total))},
                                  {"borrowed", text(std::to_string(borrowed))}}));
  }
  return flavors;
}

Json admission_of(const std::string& cluster_queue, const std::vector<PodSetAsk>& asks, const Fit& fit) {
  Json sets = Json::list();
  for (std::size_t i = 0; i < asks.size(); ++i) {
    Json flavors = Json::map(), usage = Json::map();
    for (const auto& [resource, flavor] : fit.flavors[i]) {
      put(flavors, resource, text(flavor));
      put(usage, resource, text(std::to_string(asks[i].all.at(resource))));
    }
    sets.items.push_back(object({{"name", text(asks[i].name)},
                                 {"flavors", std::move(flavors)},
                                 {"resourceUsage", std::move(usage)},
                                 {"count", number(asks[i].pods)}}));
  }
  return object({{"clusterQueue", text(cluster_queue)}, {"podSetAssignments", std::move(sets)}});
}

}  // namespace tessera::sim::kube
