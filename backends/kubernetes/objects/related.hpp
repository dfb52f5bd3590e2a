// The objects that have a say in whether one pod starts, or tell about it: what of them to ask for, and what
// they say. From JSON to values. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/json.hpp"
#include "engine/model/details.hpp"

namespace tessera::kubernetes {

// What a pod names of others.
struct PodLinks {
  std::string uid;
  std::vector<std::string> owners;  // their uids
  std::vector<std::string> gates, volume_claims, claims;
  std::string queue;      // of Kueue: the label kueue.x-k8s.io/queue-name
  std::string volcano;    // a PodGroup of Volcano
  std::string kai;        // a PodGroup of KAI
  bool by_kueue = false;  // a queue or a gate of Kueue's
};
// At most kMostLinks of each.
inline constexpr std::size_t kMostLinks = 8;
PodLinks links_of(const Json& pod);

std::vector<Related> gates_of(const PodLinks& links);
// The newest, at most kMostEvents; those of other objects of the same name are left out.
inline constexpr std::size_t kMostEvents = 4;
std::vector<Related> related_events(const std::vector<Json>& events, const std::string& uid);
Related related_volume(const std::string& name, const Json& claim);
Related related_claim(const std::string& name, const Json& claim);
// A Workload of Kueue: its queue, and why it is not admitted.
Related related_workload(const Json& workload);
// Of Kueue's Workloads of the namespace that of the pod or of its owner; nullptr: none is.
const Json* workload_behind(const std::vector<Json>& workloads, const PodLinks& links);
// Volcano's and KAI's.
Related related_group(const std::string& name, const Json& group);
// What the pod names and the API server does not have.
Related related_missing(Teller source, std::string kind, const std::string& name);

}  // namespace tessera::kubernetes
