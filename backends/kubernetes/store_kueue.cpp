// Work that Kueue has not admitted, among the pods: rows of their own, since it has no pods.
#include "backends/kubernetes/store_state.hpp"

namespace tessera::kubernetes {

// While Workloads cannot be read the rows stand as they were last seen, and say so: what was admitted
// meanwhile would wait here for ever.
Workload ClusterStore::State::kueue_row(const KueueWorkload& one) const {
  Workload row = workload_of(one, origin(Source::kubernetes_pods));
  by_our_clock(row);
  if (!kueue_unread_since) return row;
  row.reason += "; this is old: its Workload cannot be read now";
  row.origin.at = *kueue_unread_since;
  return row;
}

// A pod of the same name is told as what it is.
void ClusterStore::State::tell_kueue() {
  for (const std::string& id : kueue.take_touched()) {
    const KueueWorkload* one = kueue.find(id);
    if (pods.contains(id)) continue;
    if (one) {
      kueue_told.insert(id);
      post(WorkloadSeen{kueue_row(*one)});
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
    all.push_back(kueue_row(one));
  }
  return all;
}

void ClusterStore::set_kueue_read(bool now) {
  if (now != state_->kueue_unread_since.has_value()) return;
  state_->kueue_unread_since = now ? std::nullopt : std::optional(state_->clock());
  for (const std::string& id : state_->kueue_told)
    if (const KueueWorkload* one = state_->kueue.find(id); one && !state_->pods.contains(id))
      state_->post(WorkloadSeen{state_->kueue_row(*one)});
}

bool ClusterStore::is_of_kueue(const std::string& id) const {
  return state_->kueue.find(id) != nullptr && !state_->pods.contains(id);
}

}  // namespace tessera::kubernetes
