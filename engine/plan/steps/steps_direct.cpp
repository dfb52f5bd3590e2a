// Steps for a backend that tessera drives itself, verb by verb.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/plan/steps/slurmd_steps.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/operator_words.hpp"

namespace tessera::plan {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Conditions switched_shares(const Switches& switches) {
  Conditions told;
  for (const auto& [label, value] : simulated_orders(switches)) told.push_back(WordIs{label, value, false});
  return told;
}

class DirectBuilder {
 public:
  explicit DirectBuilder(const NodeChange& change) : change_(change) {}

  std::vector<Step> run() {
    mark();
    if (change_.needs.drain) close();
    stop_slurmd();
    evict();
    if (change_.scope || change_.intent.options.at) await_empty();
    for (const BoardChange& board : change_.boards)
      if (!board.destroyed.empty() && !board.dragged) destroy(board);
    stop_sharing();
    switch_modes();
    for (const BoardChange& board : change_.boards)
      if (!board.created.empty()) create(board);
    share();
    switch_shares();
    verify();
    for (Step& step : release_steps(change_.node.name, Dialect::direct, change_.scheduler, proof())) {
      const bool opens = std::holds_alternative<OpenNode>(step.action);
      if (change_.needs.drain || !opens) steps_.push_back(std::move(step));
      if (opens && starts_again(slurmd_)) steps_.push_back(await_slurmd_step());
    }
    name_steps(change_.node.name, Dialect::direct, steps_, change_.blast_radius.size());
    return std::move(steps_);
  }

 private:
  Step& add(Action action, const mig::Product* product = nullptr) {
    Step step;
    step.commands = commands_for(action, change_.node.name, Dialect::direct, change_.scheduler, product);
    step.action = std::move(action);
    step.look_every = milliseconds(500);
    return steps_.emplace_back(std::move(step));
  }
  // What every act on the node itself relies on: no other took it from us, and it takes no new work.
  Conditions guarded() const {
    Conditions conditions{Answering{}, MarkIsOurs{}};
    if (change_.needs.drain) conditions.push_back(NodeClosed{});
    return conditions;
  }

  void mark() {
    Step& step = add(SetMark{change_.intent.options.break_lock});
    step.before = {Answering{}};
    if (!change_.intent.options.break_lock) step.before.push_back(NoForeignMark{});
    step.after = {MarkIsOurs{}};
    step.deadline = seconds(30);
    step.retry = kFewRetry;
    step.undo = "remove tessera's mark";
  }
  void close() {
    Step& step = add(CloseNode{change_.intent.words.empty() ? "GPU layout change" : change_.intent.words});
    step.before = {Answering{}, MarkIsOurs{}};
    step.after = {NodeClosed{}};
    step.deadline = seconds(30);
    step.retry = kFewRetry;
    step.undo = "open the node, if the closing is still ours";
  }
  // Slurm's jobs are waited for, whatever may be done about pods.
  void stop_slurmd() {
    if (slurmd_.empty()) return;
    steps_.push_back(await_slurm_step(change_.intent.options, guarded()));
    for (Step& step : stop_slurmd_steps(slurmd_, guarded())) {
      step.commands =
          commands_for(step.action, change_.node.name, Dialect::gpu_operator, Scheduler::kubernetes, nullptr);
      steps_.push_back(std::move(step));
    }
  }
  void evict() {
    Way way = change_.intent.options.way;
    for (const Disturbed* away : sent_away(change_)) {
      const Disturbed& one = *away;
      if (slurmd_.contains(one.id.text)) continue;
      Step& step = add(Evict{one.id, way});
      step.before = guarded();
      step.after = {WorkloadAway{one.id}};
      step.deadline = minutes(5);
      step.retry = kFewRetry;
      step.disturbs = true;
      if (way == Way::requeue) step.undo = "it restarts by itself when there is room";
    }
  }
  void await_empty() {
    const ChangeOptions& options = change_.intent.options;
    Step& step = add(LookOnly{});
    step.before = guarded();
    if (change_.scope) step.after = {ScopeEmpty{*change_.scope}};
    step.deadline = options.wait.value_or(Duration{0});
    step.look_every = seconds(5);
    step.not_before = options.at;
  }
  void destroy(const BoardChange& board) {
    Step& step = add(DestroyInstances{board.gpu, board.destroyed}, board.product);
    step.before = guarded();
    step.before.push_back(ScopeEmpty{*change_.scope});
    if (!board.kept.empty()) step.before.push_back(InstancesStand{board.gpu, board.kept});
    step.after = {InstancesGone{board.gpu, board.destroyed}};
    if (!board.kept.empty()) step.after.push_back(InstancesStand{board.gpu, board.kept});
    step.deadline = seconds(60);
    step.retry = kBusyRetry;
    step.undo = fmt::format("create {} again", to_text(board.destroyed));
  }
  template <class Which>
  std::vector<GpuIndex> boards_where(Which which) const {
    std::vector<GpuIndex> gpus;
    for (const BoardChange& board : change_.boards)
      if (which(board)) gpus.push_back(board.gpu);
    return gpus;
  }
  // A GPU that is shared in some way is made whole before MIG comes on.
  void stop_sharing() {
    std::vector<GpuIndex> gpus = boards_where([](const BoardChange& board) {
      return board.mode_changes && board.after.mig && board.before.strategy != Strategy::whole &&
             board.before.strategy != Strategy::mig;
    });
    if (!gpus.empty()) configure(gpus, Strategy::whole, 1, {});
  }
  void switch_modes() {
    for (bool on : {false, true}) {
      std::vector<GpuIndex> gpus = switched(change_, on);
      if (gpus.empty()) continue;
      bool later = change_.needs.reset;
      Step& step = add(SetMode{gpus, on});
      step.before = guarded();
      step.before.push_back(ScopeEmpty{*change_.scope});
      for (GpuIndex gpu : gpus) step.after.push_back(ModeIs{{gpu}, on, later});
      step.deadline = seconds(60);
      step.retry = kBusyRetry;
      step.undo = fmt::format("MIG {} again", on ? "off" : "on");
    }
    if (change_.needs.reset) settle_modes();
  }
  void settle_modes() {
    std::vector<GpuIndex> all;
    for (const Gpu& gpu : change_.node.gpus) all.push_back(gpu.index);
    Step& step = add(ResetGpus{all});
    step.before = guarded();
    step.before.push_back(ScopeEmpty{*change_.scope});
    expect_settled(step, change_);
  }
  void create(const BoardChange& board) {
    Step& step = add(creation_of(board), board.product);
    step.before = guarded();
    expect_created(step, board);
    step.deadline = seconds(60);
  }
  void configure(const std::vector<GpuIndex>& gpus, Strategy strategy, int replicas,
                 const ProfileName& vgpu) {
    Step& step = add(Configure{gpus, strategy, replicas, vgpu});
    step.before = guarded();
    if (change_.scope) step.before.push_back(ScopeEmpty{*change_.scope});
    for (GpuIndex gpu : gpus) step.after.push_back(SharingIs{{gpu}, strategy, replicas, vgpu});
    step.deadline = seconds(60);
    step.retry = kFewRetry;
    step.undo = "share them as before";
  }
  // One step for each way of sharing that is wanted.
  void share() {
    std::vector<const BoardChange*> left;
    for (const BoardChange& board : change_.boards) {
      bool replicated = board.after.replicas > 1 || board.before.replicas > 1;
      bool other = board.after.strategy != Strategy::mig && board.sharing_changes;
      if (!board.dragged && (other || (board.after.strategy == Strategy::mig && replicated)))
        left.push_back(&board);
    }
    while (!left.empty()) {
      const BoardState& wanted = left.front()->after;
      std::vector<GpuIndex> gpus;
      std::erase_if(left, [&](const BoardChange* board) {
        const BoardState& other = board->after;
        if (other.strategy != wanted.strategy || other.replicas != wanted.replicas ||
            other.vgpu != wanted.vgpu)
          return false;
        gpus.push_back(board->gpu);
        return true;
      });
      configure(gpus, wanted.strategy, wanted.replicas, wanted.vgpu);
    }
  }
  void switch_shares() {
    if (!switches_) return;
    Step& step = add(Special{std::string(verbs::kLabelNode), simulated_orders(*switches_)});
    step.before = guarded();
    if (change_.scope) step.before.push_back(ScopeEmpty{*change_.scope});
    step.after = switched_shares(*switches_);
    step.deadline = seconds(30);
    step.retry = kFewRetry;
    step.undo = "label the node as before";
  }
  // The GPUs as they shall be.
  Conditions proof() const {
    Conditions proof;
    if (switches_) proof = switched_shares(*switches_);
    for (const BoardChange& board : change_.boards) {
      const BoardState& wanted = board.after;
      if (wanted.mig)
        proof.push_back(LayoutIs{board.gpu, wanted.instances, board.chosen});
      else
        proof.push_back(SharingIs{{board.gpu}, wanted.strategy, std::max(1, wanted.replicas), wanted.vgpu});
    }
    return proof;
  }
  void verify() {
    Step& step = add(LookOnly{});
    step.after = proof();
    step.before = step.after;
    step.before.insert(step.before.begin(), Answering{});
    step.after.push_back(Advertises{change_.after.by(change_.scheduler)});
    step.deadline = minutes(2);
  }
  const NodeChange& change_;
  const SlurmdPods slurmd_ = slurmd_pods_on(change_);
  const std::optional<Switches> switches_ = simulated_switches_to_set(change_);
  std::vector<Step> steps_;
};

}  // namespace

Orders DirectSteps::orders(const Node& node, const Means& /*can*/) const {
  const std::optional<Switches> now = simulated_switches(node);
  return now ? simulated_orders(*now) : Orders{};
}

Result<std::string> DirectSteps::missing(const NodeChange& change) const {
  const bool elsewhere = change.node.host_pod && !change.boards.empty();
  return elsewhere ? planned_on_its_machine(*change.node.host_pod) : std::string();
}

Result<Work> DirectSteps::work(const NodeChange& change) const {
  Work work;
  const std::optional<Switches> wanted = simulated_switches_to_set(change);
  work.missing = *missing(change);
  if (!work.missing.empty()) return work;
  if (!change.boards.empty()) work.notices = slurmd_notices(change);
  if (!change.boards.empty() || wanted) work.steps = DirectBuilder(change).run();
  work.ordered = wanted ? simulated_orders(*wanted) : orders(change.node, change.can);
  return work;
}

// GPUs that stand as wanted say nothing of the switches.
Status DirectSteps::tidy_up(std::vector<Step>& steps, const NodeChange& change,
                            const Unfinished& /*left*/) const {
  const bool set = std::any_of(steps.begin(), steps.end(),
                               [](const Step& step) { return std::holds_alternative<Special>(step.action); });
  if (!set && simulated_switches_to_set(change)) steps = DirectBuilder(change).run();
  return Done{};
}

std::vector<Step> DirectSteps::release(const NodeName& node, Scheduler scheduler) const {
  return release_steps(node, Dialect::direct, scheduler, {});
}

}  // namespace tessera::plan
