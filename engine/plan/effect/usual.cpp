#include "engine/plan/effect/usual.hpp"

#include <algorithm>

#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/plan/words/slurm_words.hpp"

namespace tessera::plan {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Measured with Slurm 22.05 to 24.11 on one machine: scontrol answers in 20 to 80 ms, a reconfigure settles
// within 1 s, slurmctld is back 2 s after a restart, a node's state is read again 3 to 6 s later.
constexpr Duration kOneCall = milliseconds(500), kReconfigure = seconds(2), kRestart = seconds(6);
// nvidia-smi makes or removes one instance in well under a second; a reset of a GPU takes some seconds.
constexpr Duration kOneInstance = milliseconds(700), kReset = seconds(15), kMode = seconds(5);
// The MIG manager stops and starts the GPU's daemons around its work; the device plugin starts again.
constexpr Duration kManager = seconds(90), kPlugin = seconds(15);
constexpr Duration kLook = seconds(2);
// A server with eight GPUs spends minutes in its firmware (docs/simulator.md plays four).
constexpr Duration kBoot = std::chrono::minutes(4);

struct Usual {
  std::optional<Duration> operator()(const DestroyInstances& act) const { return each(act.instances.size()); }
  std::optional<Duration> operator()(const CreateInstances& act) const { return each(act.instances.size()); }
  std::optional<Duration> operator()(const SetMode& act) const {
    return kMode * static_cast<int>(act.gpus.size());
  }
  std::optional<Duration> operator()(const ResetGpus&) const { return kReset; }
  std::optional<Duration> operator()(const Configure&) const { return kPlugin; }
  std::optional<Duration> operator()(const Evict&) const {
    return seconds(30);
  }  // Kubernetes' grace, KillWait
  std::optional<Duration> operator()(const Special& act) const {
    if (act.verb == verbs::kOrderMig || act.verb == verbs::kOrderVgpu ||
        act.verb == slurm::verb::kApplyParted)
      return kManager;
    if (is_restart(act)) return kPlugin;
    if (act.verb == slurm::verb::kReconfigure) return kReconfigure;
    if (act.verb == slurm::verb::kRestartController || act.verb == slurm::verb::kRestartNode) return kRestart;
    return kOneCall;
  }
  std::optional<Duration> operator()(const LookOnly& act) const {
    return act.to_apply.empty() ? std::optional<Duration>(kLook) : std::nullopt;
  }
  template <class Other>
  std::optional<Duration> operator()(const Other&) const {
    return kOneCall;
  }
  static Duration each(std::size_t count) { return kOneInstance * static_cast<int>(count); }
};

bool waits(const Step& step) {
  if (!std::holds_alternative<LookOnly>(step.action)) return false;
  return std::any_of(step.after.begin(), step.after.end(), [](const Condition& one) {
    const auto* word = std::get_if<WordIs>(&one);
    return std::holds_alternative<ScopeEmpty>(one) || std::holds_alternative<WorkloadAway>(one) ||
           (word && word->key == words::kGpuPods);
  });
}

}  // namespace

std::optional<Duration> usual(const Step& step) {
  if (waits(step)) return std::nullopt;
  if (waits_for_boot(step)) return kBoot;
  return std::visit(Usual{}, step.action);
}

Duration usual_on_gpus(const Action& action) {
  const bool on_gpus = std::holds_alternative<DestroyInstances>(action) ||
                       std::holds_alternative<CreateInstances>(action) ||
                       std::holds_alternative<SetMode>(action) || std::holds_alternative<ResetGpus>(action) ||
                       std::holds_alternative<Configure>(action);
  return on_gpus ? std::visit(Usual{}, action).value_or(Duration{0}) : Duration{0};
}

Duration usual(const NodePlan& node) {
  Duration sum{0};
  for (const Step& step : node.steps) sum += usual(step).value_or(Duration{0});
  return sum;
}

Duration usual(const Plan& plan) {
  const auto longest = [&](std::size_t from, std::size_t to) {
    Duration most{0};
    for (std::size_t i = from; i < std::min(to, plan.nodes.size()); ++i)
      most = std::max(most, usual(plan.nodes[i]));
    return most;
  };
  const auto alone = static_cast<std::size_t>(std::max(0, plan.intent.options.canary));
  const auto batch = static_cast<std::size_t>(std::max(1, plan.intent.options.batch));
  Duration sum = alone > 0 ? longest(0, alone) : Duration{0};
  for (std::size_t at = alone; at < plan.nodes.size(); at += batch) sum += longest(at, at + batch);
  return sum;
}

bool waits_for_work(const Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const NodePlan& node) {
    return !node.blast_radius.empty() &&
           std::any_of(node.steps.begin(), node.steps.end(),
                       [](const Step& step) { return waits(step) || waits_for_boot(step); });
  });
}

}  // namespace tessera::plan
