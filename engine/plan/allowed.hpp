// What a step of a journal may do: held against what its own plan says and against what is set up here,
// before a run is taken up and before each act.
//
// A journal is a file, and in a folder that colleagues share others write to it. So an act's arguments are
// compared with the site's own settings (the boot file is the one that is set here, the ConfigMap is the
// operator's or tessera's), it must be within the plan that the journal shows, it must ask first whether work
// is there, and what is seen after it must be what it is for. docs/reliability.md says what that leaves open.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Why the step must not be done; nullopt: it may. node: the plan that the step belongs to; options: of the
// run's intent; can: of the backend, as read now. The sentence names the step.
std::optional<std::string> why_not_allowed(const Step& step, const NodePlan& node,
                                           const ChangeOptions& options, const Means& can);
// The first of a node's steps that must not be done; whether its end is what the intent wishes for, what the
// operator's labels would order, and what a step reads back. intent: about this node (intent_of, intent_now).
std::optional<std::string> why_not_allowed(const NodePlan& node, const Intent& intent, const Means& can);

}  // namespace tessera::plan
