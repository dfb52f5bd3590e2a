#include "backends/sim/actuator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/slots.hpp"
#include "backends/sim/slurm_operator.hpp"
#include "backends/sim/step.hpp"
#include "backends/sim/strike.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

Error refusal(std::string_view doing, const Hand& hand, std::string reason, std::string hint = "") {
  return {fmt::format("cannot {} {}", doing, hand.name), std::move(reason), std::move(hint)};
}

// The line in which the driver says what it could not do.
std::string driver_words(const Outcome& outcome) {
  for (const std::string& line : outcome.lines)
    if (line.starts_with("Unable")) return line;
  return outcome.lines.empty() ? "the driver refused" : outcome.lines.back();
}

// One action, done for real. `node` answers.
class SimulatedAction {
 public:
  SimulatedAction(Hand& hand, const plan::Order& order) : hand_(hand), order_(order) {}

  Status operator()(const plan::SetMark& act) {
    std::optional<plan::RunMark>& mark = node().mark;
    if (mark && mark->run != order_.mark.run && !act.break_lock)
      return refusal("mark", hand_, "marked by " + plan::to_text(*mark), "break its lock, or wait for it");
    mark = order_.mark;
    hand_.step.touched(hand_.index);
    return Done{};
  }
  Status operator()(const plan::ClearMark&) {
    if (node().mark && node().mark->run == order_.mark.run) node().mark.reset();
    hand_.step.touched(hand_.index);
    return Done{};
  }
  Status operator()(const plan::CloseNode& act) {
    if (node().condition == Condition::drained || node().condition == Condition::invalid || node().closing)
      return Done{};
    close_for(fmt::format("{}: {}", plan::to_text(order_.mark), clean(act.words, 400)));
    return Done{};
  }
  // Who closed it is asked again here: it may have changed since the run looked.
  Status operator()(const plan::OpenNode&) {
    if (node().closing) {
      if (ours(node().closing->reason)) node().closing.reset();
    } else if (node().condition == Condition::drained && ours(node().reason)) {
      hand_.step.resume(hand_.index);
    }
    hand_.step.touched(hand_.index);
    return Done{};
  }
  Status operator()(const plan::Evict& act) {
    if (act.way == plan::Way::wait) return Done{};
    for (JobId id : jobs_on(node())) {
      Job& job = hand_.world.jobs.at(id);
      if (workload_id(hand_.world, job) != act.workload) continue;
      if (job.state == JobState::completing) return Done{};
      if (const Job* pod = slurmd_of(hand_.world, hand_.index); pod && pod->id == id) return end_slurmd();
      if (act.way == plan::Way::cancel) {
        hand_.step.finish(job);
      } else if (!job.restartable) {
        return refusal("requeue work on", hand_, act.workload.text + " does not restart",
                       "it can only be ended or waited for");
      } else {
        hand_.step.requeue(job);
      }
      return Done{};
    }
    return Done{};
  }
  Status operator()(const plan::DestroyInstances& act) {
    return with_board("destroy instances on", act.gpu, [&](Board& board, const mig::Product& product) {
      for (const plan::InstanceAt& one : act.instances) {
        const Instance* there = find(board, product, one);
        if (!there) continue;
        std::vector<int> id{there->id};
        Outcome outcome;
        if (!there->compute.empty()) outcome = destroy_compute(board, product, act.gpu.value, id);
        if (outcome.ok()) outcome = destroy_instances(board, product, act.gpu.value, id);
        if (!outcome.ok()) return outcome;
      }
      return Outcome{};
    });
  }
  Status operator()(const plan::CreateInstances& act) {
    return with_board("create instances on", act.gpu, [&](Board& board, const mig::Product& product) {
      std::vector<Wanted> wanted;
      for (const plan::InstanceAt& one : act.instances) {
        if (act.chosen && find(board, product, one)) continue;
        wanted.push_back({product.index_of(one.profile.text).value_or(-1), std::nullopt});
        if (act.chosen) wanted.back().start = one.at.start;
      }
      return create_instances(board, product, act.gpu.value, wanted);
    });
  }
  Status operator()(const plan::SetMode& act) {
    for (GpuIndex gpu : act.gpus) {
      Status done = with_board("switch MIG on", gpu, [&](Board& board, const mig::Product& product) {
        return set_mode(board, product, gpu.value, act.mig);
      });
      if (!done) return done;
    }
    return Done{};
  }
  // A reset takes linked GPUs along: all of them, or none.
  Status operator()(const plan::ResetGpus& act) {
    for (GpuIndex gpu : act.gpus) {
      Board* board = board_of(gpu);
      if (!board) return no_board("reset", gpu);
      if (board->in_use()) return refusal("reset GPUs on", hand_, driver_words(reset(*board, gpu.value)));
    }
    for (GpuIndex gpu : act.gpus) reset(*board_of(gpu), gpu.value);
    node().reset = ResetMade{order_.mark.run, plan::gpu_numbers(act.gpus)};
    hand_.step.touched(hand_.index);
    hand_.step.recount(hand_.index);
    return Done{};
  }
  Status operator()(const plan::Configure& act) {
    if (std::string why = why_not_shared(act); !why.empty()) return refusal("share GPUs on", hand_, why);
    for (GpuIndex gpu : act.gpus) {
      Board* board = board_of(gpu);
      if (!board) return no_board("share", gpu);
      bool mig = act.strategy == Strategy::mig;
      int replicas = act.strategy == Strategy::whole ? 1 : act.replicas;
      if (mig != board->cut())
        return refusal("share GPUs on", hand_,
                       fmt::format("GPU {}: MIG is {}", gpu.value, board->cut() ? "on" : "off"));
      if (board->strategy == act.strategy && board->replicas == replicas) continue;
      if (board->in_use())
        return refusal("share GPUs on", hand_, fmt::format("GPU {}: In use by another client", gpu.value));
      board->strategy = act.strategy;
      board->replicas = replicas;
      hand_.step.recount(hand_.index);
    }
    return Done{};
  }
  Status operator()(const plan::LookOnly&) { return Done{}; }
  Status operator()(const plan::Special& act) {
    if (plan::is_node_act(act)) return close_or_open(act);
    if (plan::is_restart(act)) return restart_plugin();
    if (plan::is_reboot(act)) return reboot_or_not(act);
    if (plan::is_reset_look(act)) return read_reset_back(plan::argument_of(act, "gpus"));
    if (act.verb == plan::verbs::kStopSlurmd) return stop_slurmd(act);
    const std::optional<plan::Switches> set = plan::simulated_switches(act.arguments);
    if (act.verb == plan::verbs::kLabelNode && set) return switch_shares(*set);
    return refusal("change", hand_, fmt::format("'{}' is not known to the simulator", clean(act.verb, 64)));
  }

 private:
  Status close_or_open(const plan::Special& act) {
    const auto left = plan::reason_after(act, order_.node, order_.mark, reason_now(act));
    if (!left) return left.error();
    if (!*left) return Done{};
    if (!(*left)->empty())
      close_for(**left);
    else if (node().closing)
      node().closing.reset();
    else if (node().condition == Condition::drained)
      hand_.step.resume(hand_.index);
    hand_.step.touched(hand_.index);
    return Done{};
  }
  // As the run sees it; empty: it is open.
  std::string reason_now(const plan::Special& act) {
    return plan::reason_now(act, observe(hand_.world, order_.node, hand_.world.now));
  }
  void close_for(std::string reason) {
    if (node().condition == Condition::up) {
      hand_.step.close(hand_.index, Condition::drained, std::move(reason), order_.mark.who, std::nullopt);
    } else {  // it is away: it will come back closed
      node().closing = Closing{std::move(reason), order_.mark.who, hand_.world.now};
      hand_.step.touched(hand_.index);
    }
  }
  NodeState& node() { return hand_.world.nodes[hand_.index]; }

  // As Slurm does it: once no job is there, and at once where none is.
  Status reboot_or_not(const plan::Special& act) {
    if (hand_.world.spec().scheduler != Scheduler::slurm)
      return refusal("reboot", hand_, "no scheduler of Kubernetes reboots nodes");
    const Result<bool> done =
        plan::is_done(act, observe(hand_.world, order_.node, hand_.world.now), order_.mark.run);
    if (!done) return done.error();
    if (*done) return Done{};
    if (act.verb == plan::reboots::kCancel) {
      hand_.step.resume(hand_.index);
      return Done{};
    }
    const bool open = plan::argument_of(act, "found").empty();
    if (open)
      close_for(plan::to_text(plan::Closing{clean(plan::argument_of(act, "words"), 400), order_.mark}));
    node().reboots = true;
    node().reopens = open;
    hand_.step.reboot_when_empty(hand_.index);
    hand_.step.touched(hand_.index);
    return Done{};
  }

  Status read_reset_back(const std::string& gpus) {
    std::optional<ResetMade>& made = node().reset;
    if (!made || made->run != order_.mark.run || made->gpus != gpus)
      return refusal("give the GPUs back of", hand_, "they were not reset by this run");
    if (made->in_vain) {
      made.reset();
      hand_.step.touched(hand_.index);
      return refusal("give the GPUs back of", hand_,
                     plan::why_unsound(plan::parse_gpus(gpus).value_or(std::vector{GpuIndex{0}}).front(),
                                       {.reset_required = true}),
                     "the node stays drained: carry on to reset it once more, or go back");
    }
    made->sound = true;
    hand_.step.touched(hand_.index);
    return Done{};
  }

  Status stop_slurmd(const plan::Special& act) {
    const Job* pod = slurmd_of(hand_.world, hand_.index);
    if (!node().mark || node().mark->run != order_.mark.run)
      return refusal("change", hand_, "the run's mark is not on it any more");
    if (!pod || workload_id(hand_.world, *pod).text != plan::argument_of(act, "pod"))
      return refusal("change", hand_, "it runs no slurmd");
    return end_slurmd();
  }
  // Its pod goes once Slurm has drained its node and no job is there, whatever a plan says.
  Status end_slurmd() {
    if (std::string why = why_slurm_uses(hand_.world, hand_.index); !why.empty())
      return refusal("change", hand_, why);
    Changes made;
    sim::stop_slurmd(hand_.world, hand_.index, made);
    for (std::uint32_t one : made.nodes) hand_.step.touched(one);
    for (JobId one : made.jobs) hand_.step.changed(one);
    return Done{};
  }

  // What holds GPUs keeps them; that nothing is offered for some seconds is not played.
  Status restart_plugin() {
    if (!has_plugin(hand_.world.group(node())))
      return refusal("restart the device plugin of", hand_, "no device plugin runs there");
    if (!node().mark || node().mark->run != order_.mark.run)
      return refusal("restart the device plugin of", hand_, "the run's mark is not on it any more");
    node().plugin_by = order_.mark.run;
    hand_.step.touched(hand_.index);
    return Done{};
  }

  // What runs keeps its shares, by whichever name it has asked for them.
  Status switch_shares(const plan::Switches& set) {
    if (!has_plugin(hand_.world.group(node())))
      return refusal("label", hand_, "no device plugin there follows these labels");
    node().switches = {set.rename, set.refuse_several};
    hand_.step.recount(hand_.index);
    return Done{};
  }

  bool ours(const std::string& reason) const {
    auto as = plan::parse_mark(reason);
    return as && as->run == order_.mark.run;
  }
  Board* board_of(GpuIndex gpu) {
    bool there = gpu.value >= 0 && static_cast<std::size_t>(gpu.value) < node().boards.size();
    return there ? &node().boards[static_cast<std::size_t>(gpu.value)] : nullptr;
  }
  Error no_board(std::string_view doing, GpuIndex gpu) {
    return refusal(fmt::format("{} GPUs on", doing), hand_, fmt::format("there is no GPU {}", gpu.value));
  }
  static const Instance* find(const Board& board, const mig::Product& product, const plan::InstanceAt& one) {
    for (const Instance& there : board.instances)
      if (there.start == one.at.start &&
          product.profiles[static_cast<std::size_t>(there.profile)].name == one.profile)
        return &there;
    return nullptr;
  }
  // What was done of it before it was refused stays, and is counted.
  template <class Act>
  Status with_board(std::string_view doing, GpuIndex gpu, Act act) {
    Board* board = board_of(gpu);
    if (!board) return refusal(doing, hand_, fmt::format("there is no GPU {}", gpu.value));
    const mig::Product* product = hand_.world.group(node()).mig;
    if (!product) return refusal(doing, hand_, fmt::format("GPU {}: Not Supported", gpu.value));
    Board before = *board;
    Outcome outcome = act(*board, *product);
    if (*board != before) hand_.step.recount(hand_.index);
    if (outcome.ok()) return Done{};
    return refusal(doing, hand_, driver_words(outcome));
  }
  std::string why_not_shared(const plan::Configure& act) const {
    bool slurm = hand_.world.spec().scheduler == Scheduler::slurm;
    if (act.replicas < 1 || act.replicas > 1000) return "1 to 1000 clients can share a GPU";
    switch (act.strategy) {
      case Strategy::whole:
      case Strategy::mig:
      case Strategy::mps: return "";
      case Strategy::shard: return slurm ? "" : "shards are Slurm's";
      case Strategy::time_slicing: return slurm ? "Slurm hands time-slices out as shards" : "";
      default: return fmt::format("{} cannot be set up here", word(act.strategy));
    }
  }

  Hand& hand_;
  const plan::Order& order_;
};

// What reaches for the node itself, not only for the scheduler's books.
bool needs_answer(const plan::Action& action) {
  const auto* special = std::get_if<plan::Special>(&action);
  return std::holds_alternative<plan::DestroyInstances>(action) ||
         std::holds_alternative<plan::CreateInstances>(action) ||
         std::holds_alternative<plan::SetMode>(action) || std::holds_alternative<plan::ResetGpus>(action) ||
         std::holds_alternative<plan::Configure>(action) || (special && !plan::is_node_act(*special));
}

Status act(Hand& hand, const plan::Order& order) {
  const NodeState& node = hand.world.nodes[hand.index];
  bool away = node.condition == Condition::down || node.condition == Condition::unknown;
  if (is_vanished(hand.world, hand.index))
    return refusal("change", hand, "the cluster does not list this node");
  if (needs_answer(order.action) && (away || is_silent(hand.world, hand.index)))
    return refusal("change", hand, "the node does not answer: no route to host", "try again when it is back");
  return std::visit(SimulatedAction(hand, order), order.action);
}

}  // namespace

Performed perform(World& world, const plan::Order& order, Changes& changes) {
  if (!world.derived) derive(world);
  std::optional<std::uint32_t> index = find_node(world, order.node.text);
  if (!index)
    return {Error{"cannot change " + clean(order.node.text, 253), "the cluster does not list this node", ""}};
  if (const Error* failure = world.failing()) return {*failure};
  Changes made;
  WorldStep step(world, made);
  Hand hand{step, world, *index, order.node.text};
  Strike strike = strike_before(hand, order);
  Performed performed{Done{}, strike.dies_before || strike.dies_after};
  if (strike.dies_before) {
    performed.status = Error{"stopped", "a fault that was asked for ends this process", ""};
  } else if (strike.in_use) {
    performed.status = refusal("change", hand, "In use by another client");
  } else if (strike.half) {
    plan::Order part = order;
    auto& list = std::get<plan::CreateInstances>(part.action).instances;
    list.resize(list.size() / 2);
    performed.status = act(hand, part);
    if (performed.status)
      performed.status =
          refusal("create instances on", hand, "Failed to create GPU instances: Insufficient Resources");
  } else if (!strike.nothing) {
    std::vector<Board> before = world.nodes[*index].boards;
    performed.status = act(hand, order);
    if (strike.pends) leave_pending(hand, before);
    if (strike.in_vain && performed.status) leave_unsound(hand);
  }
  if (strike.lost) performed.status = refusal("change", hand, "the connection was lost");
  made.tidy();
  changes.add(made);
  return performed;
}

TimePoint over_at(const World& world, const plan::Order& order) {
  std::optional<std::uint32_t> index = find_node(world, order.node.text);
  if (!index) return world.now;
  const NodeState& node = world.nodes[*index];
  const auto* act = std::get_if<plan::Special>(&order.action);
  if (act && plan::is_reboot(*act) && node.reboots && node.until) return std::max(world.now, *node.until);
  if (const auto* evict = std::get_if<plan::Evict>(&order.action))
    for (JobId id : jobs_on(node))
      if (const Job& job = world.jobs.at(id);
          job.state == JobState::completing && workload_id(world, job) == evict->workload)
        return std::max(world.now, job.ends);
  return world.now;
}

}  // namespace tessera::sim
