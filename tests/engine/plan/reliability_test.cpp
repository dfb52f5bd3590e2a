// Every kill point of a run × every fault at every action: what may and what may not come of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "engine/plan/effect/observed.hpp"
#include "engine/plan/planner.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/drive.hpp"

namespace tessera::test {
namespace {

using plan::Intent;
using plan::Means;
using plan::Outcome;

struct Case {
  std::string name;
  Node node;
  std::vector<Workload> workloads;
  Intent intent;
  Means can = plan::simulator_capabilities();
};

// A held 1g stays while the free 3g beside it is cut smaller.
Case around_a_held_slice() {
  Node start = node(
      "n1",
      {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1), instance("3g.40gb", 4, 4, 2)}),
       uncut(1, 9)});
  return {"around a held slice",
          start,
          {running("7", "alice", {holds("n1", {{0, 1}})})},
          wants("3x1g.10gb,2g.20gb@4")};
}
// A whole GPU in use is requeued and cut.
Case whole_to_mig() {
  Workload job = running("8", "bob", {holds("n1", {{0, 1}})});
  job.restartable = true;
  Intent intent = wants("3g.40gb,2g.20gb,1g.10gb,1g.10gb");
  intent.options.way = plan::Way::requeue;
  return {"whole to MIG", node("n1", {uncut(0, 0), uncut(1, 1)}), {job}, intent};
}
// A cut GPU, on which carol works, becomes MPS once she has left.
Case mig_to_mps() {
  Node start =
      node("n1", {cut(0, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)}), uncut(1, 9)});
  Intent intent = wants("none");
  intent.boards[0].wish.strategy = Strategy::mps;
  intent.boards[0].wish.replicas = 4;
  return {"MIG to MPS", start, {running("9", "carol", {holds("n1", {{1, 1}})})}, intent};
}
// The driver chooses the places, and a GPU is cleared as a whole.
Case cleared_whole() {
  Node start = node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0), instance("1g.10gb", 0, 1, 1)}),
                           cut(1, {instance("7g.80gb", 0, 8, 2)})});
  Case one{"cleared as a whole",
           start,
           {running("10", "dave", {holds("n1", {{2, 1}})})},
           wants("3g.40gb,2g.20gb,2x1g.10gb")};
  one.can = plan::gpu_operator_capabilities();
  one.can.dialect = plan::Dialect::direct;
  return one;
}

// The layout of GPU 0 and its way of sharing, as one text.
std::string board_text(const Node& node) {
  const Gpu& board = node.gpus.at(0);
  return fmt::format("{} × {}: {}", word(board.strategy), plan::replicas_of(board),
                     plan::to_text(plan::instances_of(board)));
}
std::string wanted_text(const std::vector<plan::BoardState>& states) {
  return fmt::format("{} × {}: {}", word(states.at(0).strategy), states.at(0).replicas,
                     plan::to_text(states.at(0).instances));
}

class Reliability : public ::testing::Test {
 protected:
  plan::Plan plan_for(const Case& one) {
    Adversary world(catalogue(), one.node, one.workloads);
    auto made = plan::make_plan(world.cluster(), catalogue(), one.intent, one.can, {}, at(0));
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    return made.value();
  }

  Ending check(const Case& one, const plan::Plan& plan, Fault fault, int moment, Kill kill, Policy policy) {
    ++cases_;
    Adversary world(catalogue(), one.node, one.workloads);
    world.arm(fault, moment);
    Ending ending = drive(world, catalogue(), plan, kill, policy);
    std::string where = fmt::format("{}, {} at {}, killed after line {}{}, {}", one.name, word(fault), moment,
                                    kill.after_line, kill.after_perform ? " and its action" : "",
                                    policy == Policy::carry_on ? "carry on" : "go back");
    bool fine = ending.problem.empty() && world.harm.empty() && ending.ended;
    for (const WorkloadId& id : world.evicted) fine = fine && named(plan, id);
    std::string expected;
    if (fine) {
      const plan::NodePlan& node = plan.nodes.at(0);
      expected = wanted_text(ending.outcome == Outcome::wanted ? node.after : node.before);
      fine = board_text(world.node) == expected || same_profiles_suffice(one, world.node, node, ending);
      // A reboot has taken the layout before the run had touched it: then nothing is said to be read back.
      const bool only_given_back = ending.text.find("this run has changed nothing") != std::string::npos;
      if (only_given_back) fine = !world.changed_by_run;
    }
    if (fine && world.was_drained_by_other) fine = world.observe("r1").value().closed;
    ++outcomes_[ending.outcome == Outcome::wanted ? "wanted" : "recorded"];
    if (ending.stops > 0) ++stopped_;
    if (!fine) {
      std::size_t tail = ending.journal.size() - std::min<std::size_t>(ending.journal.size(), 3000);
      fail(where + "\nproblem: " + ending.problem +
           "\nharm: " + (world.harm.empty() ? std::string("none") : world.harm.front()) + "\nstands: " +
           board_text(world.node) + "\nexpected: " + expected + "\n" + ending.journal.substr(tail));
    }
    return ending;
  }

  static void fail(const std::string& story) { FAIL() << story; }

  // Where the driver chooses, going back may land on other starts than before.
  static bool same_profiles_suffice(const Case& one, const Node& node, const plan::NodePlan& plan,
                                    const Ending& ending) {
    if (one.can.chooses_placement) return false;
    const auto& wanted = ending.outcome == Outcome::wanted ? plan.after : plan.before;
    return plan::same_layout(plan::instances_of(node.gpus.at(0)), wanted.at(0).instances, false);
  }
  static bool named(const plan::Plan& plan, const WorkloadId& id) {
    for (const plan::Disturbed& one : plan.nodes.at(0).blast_radius)
      if (one.id == id) return true;
    return false;
  }

  // A run without a kill reports how many lines there are, and behind which of them an action follows.
  std::vector<Kill> kills(const Ending& usual) {
    std::vector<Kill> all;
    int line = 0;
    for (std::size_t at = 0; at < usual.journal.size(); at = usual.journal.find('\n', at) + 1) {
      all.push_back({++line, false, line % 3 == 0});
      std::string_view text = std::string_view(usual.journal).substr(at, usual.journal.find('\n', at) - at);
      if (text.find("\"kind\":\"step-begun\"") != std::string_view::npos) all.push_back({line, true, false});
    }
    return all;
  }

  void enumerate(const Case& one) {
    plan::Plan plan = plan_for(one);
    Adversary calm(catalogue(), one.node, one.workloads);
    Ending usual = drive(calm, catalogue(), plan, {}, Policy::carry_on);
    ASSERT_EQ(usual.problem, "") << usual.journal;
    ASSERT_EQ(usual.outcome, Outcome::wanted);
    // Sanitizers make a case ten times as dear: then one run in three is taken, and of its kills one in ten,
    // others for each fault.
    const bool all = std::getenv("TESSERA_EVERY_CASE") != nullptr;
    const int runs = all ? 1 : 3, every = all ? 1 : 10;
    int run = 0, number = 0;
    for (int f = 0; f < static_cast<int>(Fault::count); ++f) {
      int moments = f == 0 ? 1 : calm.performs;
      for (int moment = 0; moment < moments; ++moment)
        for (Policy policy : {Policy::carry_on, Policy::go_back}) {
          if (++run % runs != 0) continue;
          Ending alone = check(one, plan, static_cast<Fault>(f), moment, {}, policy);
          if (HasFatalFailure()) return;
          for (const Kill& kill : kills(alone)) {
            if (++number % every != 0) continue;
            check(one, plan, static_cast<Fault>(f), moment, kill, policy);
            if (HasFatalFailure()) return;
          }
        }
    }
    fmt::print("{}: {} cases, {} stopped on the way; ended as wanted {}, as recorded {}\n", one.name, cases_,
               stopped_, outcomes_["wanted"], outcomes_["recorded"]);
  }

  int cases_ = 0, stopped_ = 0;
  std::map<std::string, int> outcomes_;
};

TEST_F(Reliability, AroundAHeldSlice) { enumerate(around_a_held_slice()); }
TEST_F(Reliability, WholeToMig) { enumerate(whole_to_mig()); }
TEST_F(Reliability, MigToMps) { enumerate(mig_to_mps()); }
TEST_F(Reliability, ClearedAsAWhole) { enumerate(cleared_whole()); }

}  // namespace
}  // namespace tessera::test
