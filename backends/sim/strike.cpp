#include "backends/sim/strike.hpp"

#include <algorithm>

namespace tessera::sim {
namespace {

// A shape of one node that fits there; jobs that wait come first.
void land_job(Hand& hand) {
  const ClusterSpec& spec = hand.world.spec();
  auto fits = [&](std::uint32_t shape, std::vector<Claim>& claims) {
    claims.clear();
    return spec.shapes[shape].nodes == 1 && hand.step.fit(hand.index, spec.shapes[shape], claims);
  };
  std::vector<Claim> claims;
  for (JobId id :
       std::vector<JobId>(hand.step.derived().pending.begin(), hand.step.derived().pending.end())) {
    Job& job = hand.world.jobs.at(id);
    if (job.hold.empty() && fits(job.shape, claims)) return hand.step.start(job, std::move(claims));
  }
  auto land = [&](JobPlan plan) {
    for (int shape : plan.shapes) {
      if (!fits(static_cast<std::uint32_t>(shape), claims)) continue;
      plan.shapes = {shape};
      plan.hold.clear();
      JobId id = hand.step.submit(plan, -1);
      hand.step.start(hand.world.jobs.at(id), std::move(claims));
      return true;
    }
    return false;
  };
  for (const Stream& stream : spec.streams)
    if (land(stream.plan)) return;
  for (const JobPlan& plan : spec.jobs)
    if (land(plan)) return;
}

void strike_world(Hand& hand, TrapKind kind) {
  NodeState& node = hand.world.nodes[hand.index];
  switch (kind) {
    case TrapKind::job_lands: return land_job(hand);
    case TrapKind::drained_by:
      if (node.condition == Condition::up || node.condition == Condition::drained)
        hand.step.close(hand.index, Condition::drained, "fan failure", "ops", std::nullopt);
      return;
    case TrapKind::opened_by:
      if (node.condition == Condition::drained) hand.step.resume(hand.index);
      return;
    case TrapKind::reboots:
      return hand.step.reboot_node(hand.index, "unexpected reboot", "slurm", hand.world.now + kBoot, false);
    case TrapKind::mark_taken:
      node.mark = plan::RunMark{"r-other", "eve", "login2", hand.world.now};
      return hand.step.touched(hand.index);
    default: return;
  }
}

}  // namespace

Strike strike_before(Hand& hand, const plan::Order& order) {
  Strike strike;
  std::vector<TrapKind> now;
  for (ArmedTrap& armed : hand.world.traps) {
    if (counts_looks(armed.trap.kind) || !concerns(armed.trap, hand.name, plan::word(order.action))) continue;
    if (due(armed)) now.push_back(armed.trap.kind);
    if (armed.trap.times || armed.seen + 1 < armed.trap.nth) ++armed.seen;
  }
  std::erase_if(hand.world.traps, spent);
  for (TrapKind kind : now) {
    strike.half |= kind == TrapKind::create_stops;
    strike.in_use |= kind == TrapKind::in_use;
    strike.pends |= kind == TrapKind::mode_pends;
    strike.in_vain |= kind == TrapKind::reset_in_vain;
    strike.nothing |= kind == TrapKind::no_device;
    strike.lost |= kind == TrapKind::answer_lost;
    strike.dies_before |= kind == TrapKind::dies_before;
    strike.dies_after |= kind == TrapKind::dies_after;
    strike_world(hand, kind);
  }
  return strike;
}

void leave_pending(Hand& hand, const std::vector<Board>& before) {
  NodeState& node = hand.world.nodes[hand.index];
  for (std::size_t gpu = 0; gpu < node.boards.size() && gpu < before.size(); ++gpu) {
    if (node.boards[gpu].cut() == before[gpu].cut()) continue;
    bool on = node.boards[gpu].cut();
    node.boards[gpu] = before[gpu];
    node.boards[gpu].mode = on ? MigMode::enable_pending : MigMode::disable_pending;
  }
  hand.step.recount(hand.index);
}

void leave_unsound(Hand& hand) {
  auto& reset = hand.world.nodes[hand.index].reset;
  if (!reset) return;
  reset->in_vain = true;
  hand.step.touched(hand.index);
}

}  // namespace tessera::sim
