// A reset by itself, on a backend that tessera drives verb by verb; and what every reset must lead to.
#include "engine/plan/node_reset.hpp"
#include "engine/plan/steps/reset_steps.hpp"

namespace tessera::plan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class Steps {
 public:
  explicit Steps(const NodeChange& change) : change_(change) {}

  Step& add(Action action, Duration deadline) {
    return steps_.emplace_back(
        step_for(std::move(action), change_.node.name, Dialect::direct, change_.scheduler, deadline));
  }
  Step& guarded(Action action, Duration deadline, bool empty) {
    Step& step = add(std::move(action), deadline);
    step.before = {Answering{}, MarkIsOurs{}, NodeClosed{}};
    if (empty && change_.scope) step.before.push_back(ScopeEmpty{*change_.scope});
    return step;
  }
  std::vector<Step> take() {
    for (Step& step : release_steps(change_.node.name, Dialect::direct, change_.scheduler, {}))
      steps_.push_back(std::move(step));
    name_steps(change_.node.name, Dialect::direct, steps_, change_.blast_radius.size());
    return std::move(steps_);
  }

 private:
  const NodeChange& change_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> direct_reset_steps(const NodeChange& change, const std::vector<GpuIndex>& gpus) {
  Steps steps(change);
  const bool break_lock = change.intent.options.break_lock;
  Step& mark = steps.add(SetMark{break_lock}, seconds(30));
  mark.before = {Answering{}};
  if (!break_lock) mark.before.push_back(NoForeignMark{});
  mark.after = {MarkIsOurs{}};
  mark.undo = "remove tessera's mark";
  Step& close = steps.add(CloseNode{change.intent.words}, seconds(30));
  close.before = {Answering{}, MarkIsOurs{}};
  close.after = {NodeClosed{}};
  close.undo = "open the node, if the closing is still ours";
  Step& wait = steps.guarded(LookOnly{}, change.intent.options.wait.value_or(Duration{0}), false);
  wait.after = {ScopeEmpty{*change.scope}};
  wait.look_every = seconds(5);
  expect_reset(steps.guarded(ResetGpus{gpus}, minutes(3), true), gpus);
  expect_sound(steps.guarded(read_reset_back(gpus), minutes(1), false), gpus);
  return steps.take();
}

void expect_reset(Step& step, const std::vector<GpuIndex>& gpus) {
  for (GpuIndex gpu : gpus) step.before.push_back(ModeIs{{gpu}, false, false});
  step.after = {WordIs{std::string(resets::kDone), gpu_numbers(gpus)}};
  step.retry = kBusyRetry;
}

// Not repeated by itself: of one that is not sound the reset is forgotten, so that carrying on begins there.
void expect_sound(Step& step, const std::vector<GpuIndex>& gpus) {
  step.before.push_back(WordIs{std::string(resets::kDone), gpu_numbers(gpus)});
  step.retry = Retry{};
  step.after = {WordIs{std::string(resets::kSound), gpu_numbers(gpus)}};
}

}  // namespace tessera::plan
