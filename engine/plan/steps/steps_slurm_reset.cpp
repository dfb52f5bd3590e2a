// A reset by itself on a Slurm node: held and emptied as for a re-cut, and nothing written.

#include "engine/plan/node_reset.hpp"
#include "engine/plan/steps/reset_steps.hpp"
#include "engine/plan/steps/slurm_builder.hpp"

namespace tessera::plan {

std::vector<Step> SlurmBuilder::reset(const std::vector<GpuIndex>& gpus) {
  Conditions ready{word_is(slurm::key::kController, ""), word_is(slurm::key::kAdmin, ""),
                   word_is(slurm::key::kReachable, "")};
  if (in_reservation_) ready.push_back(word_is(slurm::key::kOpen, ""));
  Step& preflight = look(std::move(ready), std::chrono::seconds(1));
  preflight.before = {Answering{}};
  if (!change_.intent.options.break_lock) preflight.before.push_back(NoForeignMark{});
  if (!in_reservation_) close();
  mark();
  await_empty();
  stop_clients();
  Step& act = add(ResetGpus{gpus});
  run_there(act);
  act.before = for_cutting();
  expect_reset(act, gpus);
  act.deadline = std::chrono::minutes(3);
  act.look_every = std::chrono::seconds(2);
  Step& sound = add(read_reset_back(gpus));
  run_there(sound);
  sound.before = guarded();
  expect_sound(sound, gpus);
  if (has_clients()) start_clients();
  return given_back();
}

std::vector<Step> SlurmBuilder::after_reset(const std::set<std::string>& begun) {
  if (begun.contains(std::string(slurm::verb::kStopClients))) start_clients();
  // Whatever leads to the node today, the run may have drained it: where it did not, opening it does nothing.
  for (Step& step : release({})) steps_.push_back(std::move(step));
  name_steps(change_.node.name, Dialect::slurm, steps_, change_.blast_radius.size());
  return std::exchange(steps_, {});
}

// By a reservation the node was never drained.
std::vector<Step> SlurmBuilder::given_back() {
  for (Step& step : release({}))
    if (!in_reservation_ || !std::holds_alternative<OpenNode>(step.action)) steps_.push_back(std::move(step));
  name_steps(change_.node.name, Dialect::slurm, steps_, change_.blast_radius.size());
  return std::exchange(steps_, {});
}

std::vector<Step> slurm_reset_steps(const NodeChange& change, const std::vector<GpuIndex>& gpus) {
  return SlurmBuilder(change, true).reset(gpus);
}

std::vector<Step> slurm_steps_after_reset(const NodeChange& change, const std::set<std::string>& begun) {
  return SlurmBuilder(change, true).after_reset(begun);
}

}  // namespace tessera::plan
