// What a run sees of a simulated node.
#include <algorithm>

#include "backends/sim/actuator.hpp"
#include "backends/sim/slots.hpp"
#include "backends/sim/slurm_operator.hpp"
#include "backends/sim/snapshot.hpp"
#include "backends/sim/step.hpp"
#include "engine/model/reduce.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/plan/steps/slurmd_steps.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/sharing/by_kubelet.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

void tell_work(plan::NodeFacts& facts, const World& world, std::uint32_t index) {
  Workloads all;
  for (JobId id : jobs_on(world.nodes[index])) {
    Workload one = workload_value(world, world.jobs.at(id));
    std::stable_sort(one.allocations.begin(), one.allocations.end(),
                     [](const Allocation& a, const Allocation& b) { return a.node < b.node; });
    facts.node.workloads.push_back(one.id);
    facts.workloads.push_back(one);
    all.upsert(std::move(one));
  }
  link_holders(facts.node, all);
}

void tell_closing(plan::NodeFacts& facts, const NodeState& node) {
  std::string reason = node.reason, by = node.by;
  facts.closed = node.condition == Condition::drained || node.condition == Condition::invalid || node.reboots;
  if (node.closing) {
    facts.closed = true;
    reason = node.closing->reason, by = node.closing->by;
  }
  if (!facts.closed) return;
  facts.closed_reason = clean(reason, 1024);
  facts.closed_by = clean(by, 64);
  facts.closed_as = plan::parse_mark(facts.closed_reason);
}

void tell_plugin(plan::NodeFacts& facts, const NodeState& node) {
  const bool again = facts.mark && facts.mark->run == node.plugin_by;
  facts.words[std::string(plan::restarts::kPluginAgain)] =
      again ? "" : "the device plugin's pod is the one from before";
  facts.words[std::string(plan::restarts::kPluginOffers)] = plan::offers_by_plugin(facts);
}

void tell_reset(plan::NodeFacts& facts, const NodeState& node) {
  if (!node.reset || !facts.mark || facts.mark->run != node.reset->run) return;
  facts.words[std::string(plan::resets::kDone)] = clean(node.reset->gpus, 400);
  if (node.reset->sound) facts.words[std::string(plan::resets::kSound)] = clean(node.reset->gpus, 400);
}

// A state file may hold any bytes.
plan::RunMark cleaned(const plan::RunMark& mark) {
  return {clean(mark.run, 120), clean(mark.who, 120), clean(mark.from, 253), mark.since};
}

}  // namespace

plan::NodeFacts observe(const World& world, const NodeName& name, TimePoint at) {
  plan::NodeFacts facts;
  facts.at = at;
  facts.node.name = name;
  std::optional<std::uint32_t> index = find_node(world, name.text);
  if (!index) {
    facts.known = facts.answering = false;
    return facts;
  }
  const NodeState& node = world.nodes[*index];
  facts.answering = node.condition != Condition::down && node.condition != Condition::unknown;
  facts.node = node_value(world, *index, at);
  tell_work(facts, world, *index);
  tell_closing(facts, node);
  if (const std::optional<plan::Switches> told = plan::simulated_switches(facts.node))
    facts.words = plan::simulated_orders(*told);
  plan::tell_closed(facts);
  if (node.mark) facts.mark = cleaned(*node.mark);
  facts.advertised =
      sharing::by_kubelet(facts.node)
          ? *facts.node.allocatable
          : plan::offered(facts.node, *world.scenario->catalogue, {}, nullptr).by(world.spec().scheduler);
  tell_reset(facts, node);
  if (has_plugin(world.group(node))) tell_plugin(facts, node);
  if (slurmd_of(world, *index)) {
    facts.words[std::string(plan::words::kSlurmWork)] = why_slurm_uses(world, *index);
    facts.words[std::string(plan::words::kSlurmBack)] =
        plan::is_closed_by_another(facts) ? "" : why_slurmd_is_not_back(world, *index);
  }
  return facts;
}

Hidden strike_look(World& world, const std::string& node, Changes& changes) {
  std::optional<std::uint32_t> index = find_node(world, node);
  Hidden hidden;
  for (ArmedTrap& armed : world.traps) {
    if (!counts_looks(armed.trap.kind) || !concerns(armed.trap, node, "")) continue;
    if (due(armed)) {
      hidden.unreadable |= armed.trap.kind == TrapKind::unreadable;
      hidden.vanished |= armed.trap.kind == TrapKind::vanishes;
      hidden.silent |= armed.trap.kind == TrapKind::stays_silent;
    }
    if (armed.trap.times || armed.seen + 1 < armed.trap.nth) ++armed.seen;
    if (index) changes.nodes.push_back(*index);
  }
  std::erase_if(world.traps, spent);
  return hidden;
}

Result<plan::NodeFacts> look(World& world, const NodeName& name, Changes& changes) {
  if (!world.derived) derive(world);
  if (const Error* failure = world.failing()) return *failure;
  plan::NodeFacts facts = observe(world, name, world.now);
  Hidden hidden = strike_look(world, name.text, changes);
  if (hidden.unreadable) return Error{"cannot read the cluster", "connection refused", ""};
  if (hidden.vanished) facts.known = false;
  if (hidden.vanished || hidden.silent) facts.answering = false;
  return facts;
}

std::vector<plan::MarkedNode> marks_of(const World& world) {
  std::vector<plan::MarkedNode> marks;
  for (std::uint32_t i = 0; i < world.nodes.size(); ++i)
    if (world.nodes[i].mark)
      marks.push_back({NodeName(clean(world.node_name(i), 253)), cleaned(*world.nodes[i].mark)});
  return marks;
}

}  // namespace tessera::sim
