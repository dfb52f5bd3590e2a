#include "backends/slurm/change/reboot.hpp"

#include <algorithm>
#include <memory>

#include "backends/slurm/change/change_commands.hpp"
#include "backends/slurm/explain.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using Ended = std::function<void(Status)>;

struct Asked {
  Hands& hands;
  plan::Order order;
  plan::Special act;
  Ended done;
  Node seen;  // as the look found it
};

Result<Node> node_of(const Asked& asked, const Result<Outcome>& ran, Duration deadline) {
  const std::string what = "cannot read " + asked.order.node.text + " again";
  if (!ran) return ran.error();
  if (auto error = explain_change(what, *ran, deadline)) return *error;
  Parsed<Node> nodes = parse_nodes(ran->out, {Source::slurm_nodes, asked.hands.eyes.clock()}, nullptr);
  if (auto error = distrust(what, ran->out, nodes)) return *error;
  for (Node& node : nodes.values)
    if (node.name == asked.order.node) return std::move(node);
  return Error{what, "Slurm does not list this node", ""};
}

// What a job that came or went changes of a node is no matter here, unless it has to be empty.
std::optional<Error> why_other(const Asked& asked, const Node& now) {
  const Node& seen = asked.seen;
  const bool whole = !plan::argument_of(asked.act, "found").empty();
  if (plan::closed_reason(now) == plan::closed_reason(seen) && now.reason_by == seen.reason_by &&
      plan::reboot_of(now) == plan::reboot_of(seen) && (!whole || now.state == seen.state))
    return std::nullopt;
  const std::string reason = plan::closed_reason(now);
  return Error{"cannot reboot " + now.name.text,
               reason.empty() ? "another admin has changed it just now: it is open"
                              : "another admin has changed it just now: it is closed, " + reason,
               "plan again"};
}

void ask(const std::shared_ptr<Asked>& asked) {
  Command command = reboot_or_not(asked->hands.commands, asked->act, asked->order);
  const Duration deadline = command.deadline;
  asked->hands.calls.run(
      std::move(command),
      [asked, deadline](Result<Outcome> ran) {
        if (!ran) return asked->done(ran.error());
        auto error = explain_change("cannot reboot " + asked->order.node.text, *ran, deadline);
        asked->done(error ? Status(std::move(*error)) : Status(Done{}));
      },
      Calls::Kind::change);
}

// A look takes several calls, and others may wait before the next one: this reading is the call before.
void read_again(const std::shared_ptr<Asked>& asked) {
  Command command = scontrol(asked->hands.commands, {"-d", "-o", "show", "node", asked->order.node.text});
  const Duration deadline = command.deadline;
  asked->hands.calls.run(
      std::move(command),
      [asked, deadline](const Result<Outcome>& ran) {
        const Result<Node> now = node_of(*asked, ran, deadline);
        if (!now) return asked->done(now.error());
        if (auto why = why_other(*asked, *now)) return asked->done(std::move(*why));
        ask(asked);
      },
      Calls::Kind::change);
}

}  // namespace

void reboot(Hands& hands, const plan::Order& order, const plan::Special& act, Ended done) {
  auto asked = std::make_shared<Asked>(Asked{hands, order, act, std::move(done), {}});
  look_at(hands.eyes, {order.node, false, false, false}, [asked](Result<Seen> seen) {
    if (!seen) return asked->done(seen.error());
    if (!seen->facts.known)
      return asked->done(
          Error{"cannot change " + asked->order.node.text, "Slurm does not list this node", ""});
    const Result<bool> is_done = plan::is_done(asked->act, seen->facts, asked->order.mark.run);
    if (!is_done || *is_done) return asked->done(is_done ? Status(Done{}) : Status(is_done.error()));
    asked->seen = std::move(seen->facts.node);
    read_again(asked);
  });
}

}  // namespace tessera::slurm
