// Work that Kueue has not admitted, among the pods: rows of their own, since it has no pods.
#include "backends/kubernetes/store_state.hpp"

namespace tessera::kubernetes {

// A pod of the same name is told as what it is.
void ClusterStore::State::tell_kueue() {
  for (const std::string& id : kueue.take_touched()) {
    const KueueWorkload* one = kueue.find(id);
    if (pods.contains(id)) continue;
    if (one) {
      kueue_told.insert(id);
      post(WorkloadSeen{workload_of(*one, origin(Source::kubernetes_pods))});
    } else if (kueue_told.erase(id) > 0 && pods_complete) {
      post(WorkloadGone{WorkloadId(id)});
    }
  }
}

std::vector<Workload> ClusterStore::State::kueue_work() {
  std::vector<Workload> all;
  kueue_told.clear();
  for (const auto& [id, one] : kueue.all()) {
    if (pods.contains(id)) continue;
    kueue_told.insert(id);
    all.push_back(workload_of(one, origin(Source::kubernetes_pods)));
  }
  return all;
}

bool ClusterStore::is_of_kueue(const std::string& id) const {
  return state_->kueue.find(id) != nullptr && !state_->pods.contains(id);
}

}  // namespace tessera::kubernetes
