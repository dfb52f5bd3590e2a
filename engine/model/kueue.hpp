// Work that Kueue has not admitted: its job is suspended and has no pods yet. One row for each Workload of
// Kueue stands for the pods to come. Threads: pure functions.
#pragma once

#include <string_view>

#include "engine/model/values.hpp"

namespace tessera {

// Its state in the API's words: kueue.sigs.k8s.io suspends a job (spec.suspend) until it is admitted. No pod
// has such a phase.
inline constexpr std::string_view kSuspended = "Suspended";

inline constexpr std::string_view kKueueKind = "workload";  // in lists, beside "job" and "pod"

inline bool waits_for_kueue(const Workload& workload) {
  return workload.kind == WorkloadKind::pod && workload.state == WorkloadState::pending &&
         workload.state_word == kSuspended;
}

// "job", "pod"; "workload" of what Kueue has not admitted.
inline std::string_view kind_word(const Workload& workload) {
  return waits_for_kueue(workload) ? kKueueKind : word(workload.kind);
}

}  // namespace tessera
