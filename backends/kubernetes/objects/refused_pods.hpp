// Work whose pods the API server refuses for a ResourceQuota of GPUs: it has no pod that waits, and no list
// has it. Its controller says so by events alone (reason FailedCreate).
//
// Controllers try again after 17 min at the latest, and the API keeps events for an hour: one that was not
// seen again for 20 min is over, and so is one of an owner that has got a pod since. Threads: pure functions;
// time is passed in.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/model/event.hpp"

namespace tessera::kubernetes {

// It is about a quota of GPUs, and to be kept.
bool is_refused_for_gpus(const EventObject& event);

// One for each owner, by its newest event.
// newest_pod: when the newest pod of the owner, by its kind and "namespace/name", was created; nullopt: it
// has none. now: by the API server's clock; ahead: that clock before ours.
std::vector<Remark> refused_remarks(
    const std::vector<EventObject>& events,
    const std::function<std::optional<TimePoint>(const std::string& kind, const std::string& id)>& newest_pod,
    TimePoint now, Duration ahead);

}  // namespace tessera::kubernetes
