// Restarting a node's device plugin: planned, refused where there is none, driven with a death after every
// line and against every fault; and there is nothing to undo.
#include "engine/plan/node_restart.hpp"

#include <gtest/gtest.h>

#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/run/undo.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/drive.hpp"
#include "tests/engine/plan/expect_allowed.hpp"

namespace tessera::test {
namespace node_restart_test {

using namespace plan;

Intent restart_of(const std::string& name) {
  NodeAction action;
  action.verb = NodeVerb::restart_plugin;
  Intent intent;
  intent.cluster = ClusterName("hpc");
  intent.nodes = {NodeName(name)};
  intent.words = to_text(action, Scheduler::kubernetes);
  intent.orders = orders_of(action);
  return intent;
}

Node with_plugin(Part state, std::string detail = "") {
  Node one = node("n1", {uncut(0, 0)});
  one.components = {{"MIG manager", Part::ready, ""}, {"device plugin", state, std::move(detail)}};
  return one;
}

Cluster cluster_of(Node node, Scheduler scheduler = Scheduler::kubernetes) {
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  cluster.scheduler = scheduler;
  cluster.nodes.upsert(std::move(node));
  return cluster;
}

Result<Plan> planned(const Cluster& cluster, const Means& can = gpu_operator_capabilities()) {
  return make_plan(cluster, catalogue(), restart_of("n1"), can, {}, at(0));
}

std::string refusal(const Result<Plan>& plan) { return plan ? "planned" : to_line(plan.error()); }

TEST(NodeRestart, MarksRestartsReadsBackAndUnmarks) {
  const auto made = planned(cluster_of(with_plugin(Part::not_ready, "CrashLoopBackOff")));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const NodePlan& node = made->nodes.at(0);
  ASSERT_EQ(node.steps.size(), 4u);
  EXPECT_TRUE(std::holds_alternative<SetMark>(node.steps[0].action));
  EXPECT_EQ(node.steps[1].title, "restart the device plugin's pod on n1");
  EXPECT_EQ(node.steps[1].after, Conditions{WordIs({std::string(restarts::kPluginAgain), ""})});
  EXPECT_EQ(node.steps[2].after, Conditions{WordIs({std::string(restarts::kPluginOffers), ""})});
  EXPECT_TRUE(std::holds_alternative<ClearMark>(node.steps[3].action));
  EXPECT_TRUE(node.blast_radius.empty());
  ASSERT_FALSE(made->notices.empty());
  EXPECT_NE(made->notices[0].text.find("pods there keep their GPUs"), std::string::npos);
  expect_allowed(*made);
}

TEST(NodeRestart, IsRefusedWhereNoNewPodWouldStart) {
  const auto why = [](Node node, Scheduler scheduler = Scheduler::kubernetes) {
    return refusal(planned(cluster_of(std::move(node), scheduler)));
  };
  EXPECT_NE(why(with_plugin(Part::ready), Scheduler::slurm).find("Slurm has no device plugin"),
            std::string::npos);
  EXPECT_NE(why(node("n1", {uncut(0, 0)})).find("no device plugin that tessera knows"), std::string::npos);
  EXPECT_NE(
      why(with_plugin(Part::paused, "gpu.deploy.device-plugin=paused-for-mig-change")).find("is paused"),
      std::string::npos);
  EXPECT_NE(why(with_plugin(Part::missing, "DaemonSet x has no pod here")).find("has no pod: DaemonSet x"),
            std::string::npos);
  Node silent = with_plugin(Part::ready);
  silent.health = Health::unknown;
  EXPECT_NE(why(silent).find("does not answer"), std::string::npos);
}

TEST(NodeRestart, APlanFileKeepsTheWish) {
  const Cluster cluster = cluster_of(with_plugin(Part::ready));
  const auto made = planned(cluster);
  ASSERT_TRUE(made.ok());
  auto read = parse_plan(to_document(*made), "p.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->intent, made->intent);
  EXPECT_FALSE(why_not_as_made(
      *read, *make_plan(cluster, catalogue(), read->intent, gpu_operator_capabilities(), {}, at(0))));
}

TEST(NodeRestart, AJournalThatRestartsUnmarkedUnseenOrUnaskedIsNotCarriedOn) {
  const Plan made = planned(cluster_of(with_plugin(Part::ready))).value();
  const auto refused = [&](auto edit, const Intent& intent) {
    NodePlan node = made.nodes[0];
    edit(node.steps[1]);
    return why_not_allowed(node, intent, made.means()).has_value();
  };
  const auto as_it_is = [](Step&) {};
  EXPECT_FALSE(refused(as_it_is, made.intent));
  EXPECT_TRUE(refused([](Step& step) { step.before = {Answering{}}; }, made.intent));
  EXPECT_TRUE(refused([](Step& step) { step.after = {Answering{}}; }, made.intent));
  EXPECT_TRUE(refused([](Step& step) { step.action = restart_plugin("kube-system"); }, made.intent));
  EXPECT_TRUE(refused([](Step& step) { step.action = keep_closed("firmware"); }, made.intent));
  EXPECT_TRUE(refused(as_it_is, wants("7g.80gb")));
}

TEST(NodeRestart, HasNothingToUndo) {
  const Cluster cluster = cluster_of(with_plugin(Part::ready));
  RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = planned(cluster).value();
  plan::Run run = run_of(started);
  run.begun[NodeName("n1")].insert(std::string(restarts::kPlugin));
  auto back = plan_undo(run, cluster, catalogue(), gpu_operator_capabilities(), {}, at(1));
  EXPECT_NE(refusal(back).find("leaves nothing to undo"), std::string::npos);
  // A run that goes back half-way takes its mark off, and does nothing else.
  auto halfway = plan_onward(run, NodeName("n1"), cluster, catalogue(), {}, true, at(1), nullptr, nullptr);
  ASSERT_TRUE(halfway.ok()) << to_line(halfway.error());
  ASSERT_EQ(halfway->nodes.at(0).steps.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<ClearMark>(halfway->nodes[0].steps[0].action));
  expect_allowed(*halfway);
}

Adversary kubernetes_world() {
  Adversary world(catalogue(), node("n1", {uncut(0, 0)}), {});
  world.scheduler = Scheduler::kubernetes;
  return world;
}
Plan plan_on(const Adversary& world) { return planned(world.cluster(), simulator_capabilities()).value(); }

// Dead after each line, before and after the act that it announces, and taken up again.
TEST(NodeRestartKilled, EndsWithOneRestartAndWithoutAMarkWhereverTheProcessDies) {
  for (const bool after_perform : {false, true})
    for (int line = 0; line <= 16; ++line) {
      SCOPED_TRACE(line);
      Adversary world = kubernetes_world();
      Kill kill;
      kill.after_line = line == 0 ? -1 : line;
      kill.after_perform = after_perform;
      const Ending ending = drive(world, catalogue(), plan_on(world), kill, Policy::carry_on);
      EXPECT_TRUE(ending.ended) << ending.problem << "\n" << ending.journal;
      EXPECT_EQ(ending.outcome, Outcome::wanted);
      EXPECT_EQ(world.plugin_restarts, 1) << ending.journal;
      EXPECT_FALSE(world.mark()) << ending.journal;
      EXPECT_NE(ending.text.find("a new pod of the device plugin is ready"), std::string::npos)
          << ending.text;
    }
}

TEST(NodeRestartKilled, NoFaultEndsInSuccessWithoutARestartOrLeavesTheMarkBehind) {
  for (int fault = 0; fault < static_cast<int>(Fault::count); ++fault)
    for (const Policy policy : {Policy::carry_on, Policy::go_back})
      for (int moment = 0; moment < 5; ++moment) {
        SCOPED_TRACE(std::string(word(static_cast<Fault>(fault))) +
                     (policy == Policy::go_back ? " back " : " on ") + std::to_string(moment));
        Adversary world = kubernetes_world();
        const Plan plan = plan_on(world);
        world.arm(static_cast<Fault>(fault), moment);
        const Ending ending = drive(world, catalogue(), plan, {}, policy);
        EXPECT_TRUE(world.harm.empty()) << world.harm.front();
        EXPECT_LE(world.plugin_restarts, 2) << ending.journal;
        if (!ending.ended) continue;
        if (ending.outcome == Outcome::wanted) EXPECT_GE(world.plugin_restarts, 1) << ending.journal;
        EXPECT_FALSE(world.mark() && world.mark()->run == "r1") << ending.journal;
      }
}

}  // namespace node_restart_test
}  // namespace tessera::test
