#include "backends/kubernetes/objects/kueue.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/read.hpp"
#include "engine/model/kueue.hpp"
#include "engine/number.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostSets = 32;           // Kueue takes no more than 8, or 10 in v1beta2
constexpr std::int64_t kMostPods = 1'000'000;   // of all sets; more is a broken object
constexpr std::int64_t kMostUnits = 1'000'000;  // of one pod
constexpr std::size_t kMostWhy = 600;

// Of these Kueue only gates the pods, which are there from the start.
constexpr std::array<std::string_view, 5> kWithPods = {"Pod", "Deployment", "ReplicaSet", "StatefulSet",
                                                       "LeaderWorkerSet"};

void read_set(JsonValue& value, KueueWorkload& workload) {
  KueueWorkload::PodSet set;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "name") set.name = words(field, 63);
    if (key == "count") set.count = std::clamp<std::int64_t>(field.integer().value_or(1), 0, kMostPods);
    if (key != "template") return;
    PodObject pod;
    set.by_claims = read_template(field, pod);
    set.requests = std::move(pod.requests);
    set.largest = std::move(pod.largest);
  });
  if (set.count > 0 && (set.by_claims || !set.requests.empty()) && workload.sets.size() < kMostSets)
    workload.sets.push_back(std::move(set));
}

// What Kueue has counted of each pod set, all of its pods together, by the set's name.
using Counted = std::map<std::string, std::map<std::string, std::int64_t>>;

// Of devices: a resource that is no part of a pod's machine, and a plain number. Amounts of memory, which
// deviceClassMappings may count too, are no devices.
void read_counted(JsonValue& value, Counted& counted) {
  value.items([&](JsonValue& item) {
    std::string name;
    std::map<std::string, std::int64_t> resources;
    item.fields([&](std::string_view key, JsonValue& field) {
      if (key == "name") name = words(field, 63);
      if (key != "resources") return;
      field.fields([&](std::string_view resource, JsonValue& amount) {
        const bool plain = resource == "cpu" || resource == "memory" || resource == "pods" ||
                           resource == "ephemeral-storage" || resource.starts_with("hugepages-");
        const auto text = amount.text();
        const auto number = text ? whole_number<std::int64_t>(*text) : amount.integer();
        if (!plain && number && *number > 0 && resources.size() < kMostSets)
          resources[clean(resource, 320)] = *number;
      });
    });
    if (counted.size() < kMostSets) counted[name] = std::move(resources);
  });
}

void take_counted(const Counted& counted, KueueWorkload& workload) {
  for (KueueWorkload::PodSet& set : workload.sets) {
    const auto found = counted.find(set.name);
    if (!set.by_claims || found == counted.end()) continue;
    for (const auto& [resource, all] : found->second)
      // Rounded up: a set of pods that were not alike would be another set.
      if (set.requests.find(resource) == set.requests.end())
        set.requests[resource] = all / set.count + (all % set.count > 0 ? 1 : 0);
  }
}

// v1beta2 names the priority's class in a reference (spec.priorityClassRef).
void read_spec(JsonValue& value, KueueWorkload& workload) {
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "queueName") workload.queue = words(field, 253);
    if (key == "priorityClassName") workload.priority_class = words(field, 128);
    if (key == "priorityClassRef")
      field.fields([&](std::string_view inner, JsonValue& name) {
        if (inner == "name") workload.priority_class = words(name, 128);
      });
    if (key == "priority") workload.priority = field.integer();
    if (key == "active") workload.active = field.boolean().value_or(true);
    if (key == "podSets") field.items([&](JsonValue& set) { read_set(set, workload); });
  });
}

const Condition* named(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const Condition& one) { return one.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

void read_checks(JsonValue& value, std::vector<KueueCheck>& checks) {
  value.items([&](JsonValue& item) {
    KueueCheck check;
    item.fields([&](std::string_view key, JsonValue& field) {
      take_field(check, key, field.text().value_or(std::string_view()));
    });
    if (checks.size() < kMostKueueChecks) checks.push_back(std::move(check));
  });
}

void take_conditions(const std::vector<Condition>& conditions, KueueWorkload& workload) {
  const auto holds = [&](std::string_view type) {
    const Condition* one = named(conditions, type);
    return one != nullptr && one->status == "True";
  };
  workload.has_quota = holds("QuotaReserved");
  workload.admitted = holds("Admitted");
  workload.finished = holds("Finished");
  workload.why = why_not_admitted(conditions);
}

// "Kueue: not admitted, queue team-a: couldn't assign flavors to pod set main: …"
std::string reason_of(const KueueWorkload& workload) {
  std::string text = "Kueue: ";
  text += !workload.active ? "deactivated" : workload.has_quota ? "quota reserved" : "not admitted";
  if (!workload.queue.empty()) text += ", queue " + workload.queue;
  if (!workload.why.empty()) text += ": " + workload.why;
  return text;
}

Request request_of(const std::string& resource, std::int64_t count, std::int64_t largest) {
  return {resource, count, largest == count ? 0 : largest};
}

bool alike(const KueueWorkload::PodSet& a, const KueueWorkload::PodSet& b) {
  return a.requests == b.requests && a.largest == b.largest;
}

void set_requests(Workload& work, const std::vector<KueueWorkload::PodSet>& sets) {
  const bool all_alike =
      std::all_of(sets.begin(), sets.end(), [&](const auto& one) { return alike(one, sets.front()); });
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> sums;  // by resource: of all, of one container
  std::int64_t pods = 0;
  for (const KueueWorkload::PodSet& set : sets) {
    pods += set.count;
    for (const auto& [resource, told] : set.requests) {
      const std::int64_t count = std::min(told, kMostUnits);
      auto& [sum, largest] = sums[resource.str()];
      sum = all_alike ? count : sum + count * set.count;
      const auto most = set.largest.find(resource);
      largest = std::max(largest, most == set.largest.end() ? count : std::min(most->second, kMostUnits));
    }
  }
  for (const auto& [resource, one] : sums)
    work.requests.push_back(request_of(resource, one.first, one.second));
  work.tasks = all_alike ? static_cast<int>(std::min(pods, kMostPods)) : 1;
}

}  // namespace

void take_field(KueueCheck& check, std::string_view key, std::string_view text) {
  if (key == "name") check.name = clean(text, 316);
  if (key == "state") check.state = clean(text, 32);
  if (key == "message") check.message = clean(text, kMostWhy);
}

std::string checks_in_the_way(const std::vector<KueueCheck>& checks) {
  std::string text;
  for (const KueueCheck& one : checks) {
    if (one.state == "Ready" || one.name.empty()) continue;
    text += (text.empty() ? "" : "; ") + ("admission check " + one.name) + " (" +
            (one.state.empty() ? "state not reported" : one.state) + ")";
    if (!one.message.empty()) text += ": " + one.message;
  }
  return clean(text, kMostWhy);
}

std::string why_not_admitted(const std::vector<Condition>& conditions) {
  // Why it was sent back says more than that it has no quota; once that is reserved, the rest is missing.
  for (const std::string_view type : {"Evicted", "QuotaReserved", "Admitted"}) {
    const Condition* one = named(conditions, type);
    const bool past = one != nullptr && type != "Evicted" && one->status == "True";
    if (one == nullptr || past || (type == "Evicted" && one->status != "True")) continue;
    std::string why = clean(one->message.empty() ? one->reason : one->message, kMostWhy);
    if (!why.empty()) return why;
  }
  return {};
}

void read_object(JsonValue& value, KueueWorkload& workload) {
  bool told = false;
  Counted counted;
  std::vector<KueueCheck> checks;
  value.fields([&](std::string_view key, JsonValue& field) {
    if (key == "metadata") read_meta(field, workload.meta);
    if (key == "spec") told = true, read_spec(field, workload);
    if (key == "status")
      field.fields([&](std::string_view inner, JsonValue& list) {
        if (inner == "resourceRequests") read_counted(list, counted);
        if (inner == "admissionChecks") read_checks(list, checks);
        if (inner != "conditions") return;
        std::vector<Condition> conditions;
        read_conditions(list, conditions);
        take_conditions(conditions, workload);
      });
  });
  take_counted(counted, workload);
  if (std::string waits = checks_in_the_way(checks); workload.has_quota && !waits.empty())
    workload.why = std::move(waits);
  if (!told) workload.meta.unread = "spec";
}

bool waits_without_pods(const KueueWorkload& workload) {
  const bool with_pods =
      std::find(kWithPods.begin(), kWithPods.end(), workload.meta.owner_kind) != kWithPods.end();
  return !with_pods && !workload.admitted && !workload.finished && !workload.sets.empty() &&
         !workload.meta.deleted;
}

Workload workload_of(const KueueWorkload& workload, Origin origin) {
  Workload work;
  work.id = WorkloadId(workload.id());
  work.kind = WorkloadKind::pod;
  work.name = workload.meta.name;
  if (!workload.meta.owner_kind.empty())
    work.user = workload.meta.owner_kind + "/" + workload.meta.owner_name;
  work.group = workload.meta.name_space;
  work.state = WorkloadState::pending;
  work.state_word = kSuspended;
  work.reason = reason_of(workload);
  set_requests(work, workload.sets);
  work.node_count = 1;
  work.submitted = workload.meta.created;
  work.priority = workload.priority;
  work.restartable = !workload.meta.owner_kind.empty();
  work.comment = "a Workload of Kueue, without pods until it is admitted";
  if (std::any_of(workload.sets.begin(), workload.sets.end(),
                  [](const auto& set) { return set.by_claims && set.requests.empty(); }))
    work.comment += "; it asks for devices by resource claim templates, how many is not reported";
  if (!workload.priority_class.empty()) work.comment += "; priority " + workload.priority_class;
  work.origin = origin;
  return work;
}

void KueueQueue::keep(KueueWorkload workload, const std::string& /*api*/) {
  std::string id = workload.id();
  if (!waits_without_pods(workload)) return drop(id);
  touched_.insert(id);
  all_.insert_or_assign(std::move(id), std::move(workload));
}

void KueueQueue::drop(const std::string& id) {
  if (all_.erase(id) > 0) touched_.insert(id);
}

std::vector<std::string> KueueQueue::ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, one] : all_) ids.push_back(id);
  return ids;
}

const KueueWorkload* KueueQueue::find(const std::string& id) const {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : &found->second;
}

std::set<std::string> KueueQueue::take_touched() { return std::exchange(touched_, {}); }

}  // namespace tessera::kubernetes
