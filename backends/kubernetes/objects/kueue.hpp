// Work that Kueue has queued and not admitted: a suspended Job, RayJob or the like has no pods yet, and only
// its Workload (kueue.x-k8s.io v1beta1, v1beta2) says what it will ask for and why it waits.
//
// Work whose pods exist before it is admitted (plain pods and their groups, Deployments, StatefulSets,
// LeaderWorkerSets: kueue.sigs.k8s.io, "Run Plain Pods") waits behind a scheduling gate of these pods, which
// are listed themselves. Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/model/values.hpp"

namespace tessera {
class JsonValue;
}

namespace tessera::kubernetes {

struct KueueWorkload {
  // Pods that are made alike. Of the template only what it asks for of GPUs.
  struct PodSet {
    std::string name;
    std::int64_t count = 1;
    Counts requests, largest;  // of one pod
    // It asks by claims that are made from ResourceClaimTemplates. What for, Kueue tells once it has looked
    // at it (status.resourceRequests), by the names that its deviceClassMappings give: whether these are GPUs
    // is not told.
    bool by_claims = false;
  };
  Meta meta;
  std::string queue;  // spec.queueName: a LocalQueue of its namespace
  std::string priority_class;
  std::optional<std::int64_t> priority;
  bool active = true;        // false: deactivated, by a person or after too many tries
  std::vector<PodSet> sets;  // those that ask for GPUs, or by claims
  bool has_quota = false;    // condition QuotaReserved
  bool admitted = false;     // its job is no longer suspended
  bool finished = false;
  // The message of the condition that is in the way, or, with quota, the checks that are; may be empty.
  std::string why;

  std::string id() const { return meta.name_space + "/" + meta.name; }
};

void read_object(JsonValue& value, KueueWorkload& workload);

// A check that a ClusterQueue's work has to pass once its quota is reserved (status.admissionChecks: a node
// that is to be provisioned, another cluster that is to take it, a budget).
struct KueueCheck {
  std::string name, state, message;  // state: "Pending" "Ready" "Retry" "Rejected"; all cleaned
};
inline constexpr std::size_t kMostKueueChecks = 8;  // as Kueue has it (MaxItems of status.admissionChecks)
// Takes a field of one of them, from a stream or a tree; other fields are left out.
void take_field(KueueCheck& check, std::string_view key, std::string_view text);
// "admission check prov (Pending): …" of each that is not ready; empty: all are, or none is told.
std::string checks_in_the_way(const std::vector<KueueCheck>& checks);

// Why Kueue has not admitted a Workload, in the words of the one of its conditions that is in the way: why it
// was sent back, that its quota is not reserved, or else what keeps it from being admitted (a check that is
// pending). Empty: none says it.
std::string why_not_admitted(const std::vector<Condition>& conditions);

// It asks for GPUs or by claims, is not admitted, and has no pods of its own in the list of pods.
bool waits_without_pods(const KueueWorkload& workload);

// As one row that waits: what one of its pods asks for, as often as there are pods (tasks); where its pods
// are not alike, all of them together.
Workload workload_of(const KueueWorkload& workload, Origin origin);

// Those that wait, as they come.
class KueueQueue {
 public:
  void keep(KueueWorkload workload, const std::string& api = "");
  void drop(const std::string& id);
  std::vector<std::string> ids() const;
  const KueueWorkload* find(const std::string& id) const;
  const std::map<std::string, KueueWorkload>& all() const { return all_; }
  // Ids of those that came, changed or went since this was last asked.
  std::set<std::string> take_touched();

 private:
  std::map<std::string, KueueWorkload> all_;  // by "namespace/name"
  std::set<std::string> touched_;
};

}  // namespace tessera::kubernetes
