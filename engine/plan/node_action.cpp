#include "engine/plan/node_action.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::plan {
namespace {

constexpr std::size_t kLongestReason = 300;
constexpr const char* kNoReason = "no reason given";
constexpr std::array<std::string_view, 6> kClosedFlags{"DRAIN", "DRAINED", "DRAINING",
                                                       "FAIL",  "FAILING", "SCHEDULINGDISABLED"};
// Beside DOWN: it does not answer, or is switched off or on.
constexpr std::array<std::string_view, 9> kAwayFlags{"NOT_RESPONDING", "POWERED_DOWN", "POWERING_DOWN",
                                                     "POWER_DOWN",     "POWERING_UP",  "POWER_UP",
                                                     "REBOOT_ISSUED",  "ERROR",        "FUTURE"};
// Names of orders: no label of Kubernetes has such a prefix.
constexpr const char* kVerb = "tessera/node";
constexpr const char* kReason = "tessera/reason";
constexpr const char* kOfRuns = "tessera/of-runs";
constexpr const char* kOverOthers = "tessera/over-others";
constexpr const char* kBooted = "tessera/booted";
constexpr const char* kGpus = "tessera/gpus";
constexpr std::array<std::string_view, 3> kOfReboots{" : reboot issued", " : reboot requested",
                                                     " : reboot timed out"};

struct Row {
  NodeVerb verb;
  std::string_view order, slurm, kubernetes;
};
constexpr Row kRows[] = {
    {NodeVerb::close, "close", "drain", "cordon"},
    {NodeVerb::open, "open", "resume", "uncordon"},
    {NodeVerb::restart_plugin, "restart-plugin", "restart-plugin", "restart-plugin"},
    {NodeVerb::reboot, "reboot", "reboot", "reboot"},
    {NodeVerb::cancel_reboot, "cancel-reboot", "cancel-reboot", "cancel-reboot"},
    {NodeVerb::reset_gpu, "reset-gpu", "reset-gpu", "reset-gpu"},
};

std::string value(const Orders& orders, const char* key) {
  auto found = orders.find(key);
  return found == orders.end() ? "" : found->second;
}

template <std::size_t N>
bool has_any(const Node& node, const std::array<std::string_view, N>& flags) {
  return std::any_of(node.state.begin(), node.state.end(), [&](const std::string& flag) {
    return std::find(flags.begin(), flags.end(), flag) != flags.end();
  });
}

std::string or_none(const std::string& reason) { return reason.empty() ? kNoReason : reason; }

// At the start of the text or anywhere in it, in brackets, too.
bool holds_mark(std::string_view text) {
  for (std::size_t at = text.find("tessera "); at != std::string_view::npos;
       at = text.find("tessera ", at + 1))
    if (parse_mark(text.substr(at, text.find_first_of("()", at) - at))) return true;
  return false;
}

}  // namespace

Orders orders_of(const NodeAction& action) {
  Orders orders;
  for (const Row& row : kRows)
    if (row.verb == action.verb) orders[kVerb] = row.order;
  if (!action.reason.empty()) orders[kReason] = action.reason;
  std::string runs;
  for (const std::string& run : action.of_runs) runs += (runs.empty() ? "" : ",") + run;
  if (!runs.empty()) orders[kOfRuns] = runs;
  if (action.over_others) orders[kOverOthers] = "yes";
  if (action.booted) orders[kBooted] = utc_text(*action.booted);
  if (!action.gpus.empty()) orders[kGpus] = gpu_numbers(action.gpus);
  return orders;
}

std::optional<NodeAction> action_of(const Orders& orders) {
  const std::string verb = value(orders, kVerb);
  const auto* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& one) { return one.order == verb; });
  if (row == std::end(kRows)) return std::nullopt;
  NodeAction action;
  action.verb = row->verb;
  action.reason = value(orders, kReason);
  const std::string runs = value(orders, kOfRuns);
  for (std::size_t at = 0; at < runs.size();) {
    const std::size_t end = std::min(runs.find(',', at), runs.size());
    action.of_runs.insert(runs.substr(at, end - at));
    at = end + 1;
  }
  action.over_others = value(orders, kOverOthers) == "yes";
  action.booted = parse_utc(value(orders, kBooted));
  if (action.verb != NodeVerb::reset_gpu) return action;
  // Without GPUs it is nothing that is known: never all of them.
  auto gpus = parse_gpus(value(orders, kGpus));
  if (!gpus) return std::nullopt;
  action.gpus = std::move(*gpus);
  return action;
}

bool is_node_action(const Intent& intent) {
  const auto orders_one = [](const Orders& orders) { return orders.contains(kVerb); };
  return orders_one(intent.orders) || std::any_of(intent.node_orders.begin(), intent.node_orders.end(),
                                                  [&](const auto& node) { return orders_one(node.second); });
}

std::string_view called(NodeVerb verb, Scheduler scheduler) {
  for (const Row& row : kRows)
    if (row.verb == verb) return scheduler == Scheduler::slurm ? row.slurm : row.kubernetes;
  return "";
}

std::optional<NodeVerb> parse_node_verb(std::string_view text) {
  for (const Row& row : kRows)
    if ((text == row.slurm || text == row.kubernetes) && row.verb != NodeVerb::cancel_reboot) return row.verb;
  return std::nullopt;
}

std::string to_text(const NodeAction& action, Scheduler scheduler) {
  std::string text(called(action.verb, scheduler));
  if (!action.gpus.empty()) text += " " + gpu_numbers(action.gpus);
  return action.reason.empty() ? text : text + ": " + action.reason;
}

std::optional<std::string> why_no_reason(std::string_view reason) {
  if (reason.find_first_not_of(' ') == std::string_view::npos) return "a reason is missing";
  if (reason.size() > kLongestReason)
    return fmt::format("the reason is longer than {} bytes", kLongestReason);
  if (clean(reason, kLongestReason) != reason) return "the reason holds characters that no line of text has";
  if (holds_mark(reason)) return "part of the reason reads as the mark of a run: tessera RUN WHO@HOST";
  return std::nullopt;
}

std::string repeated_reason(std::string_view reason) {
  const auto kept = parse_closing(reason);
  std::string words = clean(kept ? kept->words : reason, kLongestReason);
  if (words.empty() || words == kNoReason) return "closed before, and no reason was given";
  if (const auto mark = parse_mark(words))
    return fmt::format("run {} of {} had closed it", mark->run, mark->who);
  return why_no_reason(words) ? "closed before, for a reason that cannot be repeated" : words;
}

bool closed_by_flags(const Node& node) { return has_any(node, kClosedFlags); }

std::string closed_reason(const Node& node) { return closed_by_flags(node) ? or_none(node.reason) : ""; }

std::string closed_reason(const NodeFacts& facts) { return facts.closed ? or_none(facts.closed_reason) : ""; }

std::string down_reason(const Node& node) {
  const auto is_down = [](const std::string& flag) { return flag == "DOWN"; };
  const bool down = std::any_of(node.state.begin(), node.state.end(), is_down);
  return down && !has_any(node, kAwayFlags) ? or_none(node.reason) : "";
}

std::string opening_command(const NodeName& node, Scheduler scheduler) {
  const std::string name = shell_word(node.text);
  return scheduler == Scheduler::slurm ? fmt::format("scontrol update NodeName={} State=RESUME", name)
                                       : fmt::format("kubectl uncordon {}", name);
}

std::string to_text(const Closing& closing) {
  return fmt::format("{} ({})", closing.words, to_text(closing.by));
}

std::string without_reboot(std::string_view reason) {
  const auto ends = [&](std::string_view said) { return reason.ends_with(said); };
  for (auto said = std::find_if(kOfReboots.begin(), kOfReboots.end(), ends); said != kOfReboots.end();
       said = std::find_if(kOfReboots.begin(), kOfReboots.end(), ends))
    reason.remove_suffix(said->size());
  return std::string(reason);
}

std::optional<Closing> parse_closing(std::string_view reason) {
  const std::string text = without_reboot(reason);
  const std::size_t open = text.rfind(" (");
  if (open == std::string::npos || !text.ends_with(')')) return std::nullopt;
  auto mark = parse_mark(text.substr(open + 2, text.size() - open - 3));
  if (!mark) return std::nullopt;
  return Closing{text.substr(0, open), std::move(*mark)};
}

Special keep_closed(std::string words) {
  return {std::string(node_acts::kKeepClosed), {{"words", std::move(words)}}};
}
Special reopen(std::string reason) {
  return {std::string(node_acts::kReopen), {{"reason", std::move(reason)}}};
}
bool is_node_act(const Special& act) {
  return act.verb == node_acts::kKeepClosed || act.verb == node_acts::kReopen;
}
std::string reason_now(const Special& act, const NodeFacts& facts) {
  std::string closed = closed_reason(facts);
  return closed.empty() && act.verb == node_acts::kReopen ? down_reason(facts.node) : closed;
}
Result<std::optional<std::string>> reason_after(const Special& act, const NodeName& node, const RunMark& mark,
                                                const std::string& now) {
  const auto refused = [&] {
    return Error{"cannot change " + node.text, "it is closed for another reason: " + now, "plan again"};
  };
  using Reason = std::optional<std::string>;
  if (act.verb == node_acts::kReopen) {
    if (!now.empty() && now != argument_of(act, "reason")) return refused();
    return now.empty() ? Reason() : Reason("");
  }
  const std::string wanted = to_text(Closing{clean(argument_of(act, "words"), kLongestReason), mark});
  if (!now.empty() && now != wanted) return refused();
  return now.empty() ? Reason(wanted) : Reason();
}
std::string name_of(const Action& action) {
  const auto* special = std::get_if<Special>(&action);
  return special ? special->verb : std::string(word(action));
}
std::string argument_of(const Special& act, std::string_view name) {
  auto found = act.arguments.find(std::string(name));
  return found == act.arguments.end() ? "" : found->second;
}

void tell_closed(NodeFacts& facts) {
  const std::string reason = closed_reason(facts);
  const auto kept = parse_closing(reason);
  facts.words[std::string(kClosedWord)] = reason;
  facts.words[std::string(kClosedForWord)] = kept ? kept->words : "";
  facts.words[std::string(kDownWord)] = down_reason(facts.node);
  facts.words[std::string(reboots::kWord)] = reboot_of(facts.node);
}

std::optional<NodeVerb> verb_of(const Intent& intent) {
  std::optional<NodeAction> action = action_of(intent.orders);
  for (auto one = intent.node_orders.begin(); !action && one != intent.node_orders.end(); ++one)
    action = action_of(one->second);
  return action ? std::optional(action->verb) : std::nullopt;
}

std::string done_text(const NodePlan& plan) {
  const auto does = [&](std::string_view verb) {
    return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
      const auto* act = std::get_if<Special>(&step.action);
      return act && act->verb == verb;
    });
  };
  if (does(restarts::kPlugin))
    return plan.node.text + ": a new pod of the device plugin is ready, and the node advertises GPUs";
  if (does(resets::kReadBack))
    return plan.node.text + ": its GPUs were reset, answer, and ask for no further reset";
  if (does(reboots::kAsk)) return plan.node.text + ": has booted again, and answers";
  if (does(reboots::kCancel)) return plan.node.text + ": the reboot is cancelled, and it is open to new jobs";
  if (plan.ordered_after.contains(std::string(reboots::kWord)))
    return plan.node.text + ": no reboot is noted";
  auto found = plan.ordered_after.find(std::string(kClosedWord));
  if (found == plan.ordered_after.end()) return "";
  if (found->second.empty()) return plan.node.text + ": open to new workloads, read back";
  return plan.node.text + ": closed to new workloads, read back";
}

}  // namespace tessera::plan
