#include "engine/plan/allowed_action.hpp"

#include <fmt/format.h>

#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

using Why = std::optional<std::string>;

// What a node as a whole is wished for comes to no other act than these.
bool is_of(const NodeAction& wished, const Step& step) {
  const auto* act = std::get_if<Special>(&step.action);
  switch (wished.verb) {
    case NodeVerb::close:
      return act && act->verb == node_acts::kKeepClosed && argument_of(*act, "words") == wished.reason;
    case NodeVerb::open: return act && act->verb == node_acts::kReopen;
    case NodeVerb::restart_plugin:
      return act ? act->verb == restarts::kPlugin
                 : std::holds_alternative<SetMark>(step.action) ||
                       std::holds_alternative<ClearMark>(step.action) ||
                       std::holds_alternative<LookOnly>(step.action);
    case NodeVerb::reboot:
      return act ? act->verb == reboots::kAsk && argument_of(*act, "words") == wished.reason &&
                       wished.booted && argument_of(*act, "then") == utc_text(later_boot(*wished.booted))
                 : std::holds_alternative<LookOnly>(step.action);
    case NodeVerb::reset_gpu: return is_of_reset(wished, step);
    case NodeVerb::cancel_reboot: {
      const auto kept = act ? parse_closing(argument_of(*act, "reason")) : std::nullopt;
      return kept && act->verb == reboots::kCancel && wished.of_runs.contains(kept->by.run);
    }
  }
  return false;
}

}  // namespace

Why why_other_action(const NodePlan& node, const Intent& intent) {
  const std::optional<NodeAction> wished = action_of(intent.orders);
  for (const Step& step : node.steps) {
    const auto* act = std::get_if<Special>(&step.action);
    const bool own = act && (is_node_act(*act) || is_restart(*act) || is_reboot(*act) || is_reset_look(*act));
    if (!own && !wished) continue;
    if (!wished || !is_of(*wished, step))
      return fmt::format("step {} ({}) is not what was wished for", clean(step.id, 100),
                         clean(step.title, 200));
  }
  return {};
}

}  // namespace tessera::plan
