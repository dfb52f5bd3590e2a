// What does not agree on a node: the layout that is ordered, the labels that tell what is cut, the counts
// that are offered, what pods hold; each with the way out.
//
// A label that says "success" proves nothing until devices and counts agree. The wedge (state "pending" for
// long, deploy labels left at "paused-for-mig-change") is that of gpu-operator issue 2833.
// Threads: pure functions; time is passed in.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "backends/kubernetes/objects/sharing_of.hpp"
#include "engine/model/event.hpp"

namespace tessera::kubernetes {

struct StackPod;

struct NodeEvidence {
  const NodeObject* node = nullptr;
  const NodeSharing* sharing = nullptr;
  const std::vector<Component>* components = nullptr;
  Counts held;                             // asked for by the pods that are bound to it
  std::optional<TimePoint> pending_since;  // its order has been in state pending or rebooting since
  std::optional<TimePoint> differs_since;  // labels and counts have differed since
  std::optional<TimePoint> unmade_since;   // its layout has been told to be made, and not offered, since
  // Each was so when it was first looked at, and nothing tells since when: then it is that time at least.
  bool pending_before = false, differs_before = false, unmade_before = false;
  std::string unmade;  // what is offered, and what is not
  TimePoint now{};
  Duration server_ahead{0};          // the API server's clock before ours: conditions are timed by it
  bool claimed = false;              // a DRA driver hands out its devices
  std::vector<std::string> tainted;  // those of its devices that a taint keeps new work off, with the taint
  std::map<std::string, TimePoint> tainted_since;  // of those that it is told of, by the server's clock
  const StackPod* plugin = nullptr;                // the pod of its device plugin; nullptr: not known
};

std::vector<Remark> remarks_on(const NodeEvidence& evidence);

// Whether what the labels tell and what is offered differ; that is so for a moment in every change.
bool labels_and_counts_differ(const NodeObject& node, const NodeSharing& sharing);

}  // namespace tessera::kubernetes
