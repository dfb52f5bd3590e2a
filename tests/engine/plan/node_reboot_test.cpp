// Having Slurm reboot a node: planned, refused where Slurm would open what another has closed, driven with a
// death after every line and against every fault, and gone back from while it has not begun.
#include "engine/plan/node_reboot.hpp"

#include <gtest/gtest.h>

#include "engine/model/reduce.hpp"
#include "engine/plan/effect/usual.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "engine/time.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/drive.hpp"
#include "tests/engine/plan/expect_allowed.hpp"
#include "tests/engine/plan/one_node.hpp"

namespace tessera::test {
namespace {

using namespace plan;

Intent reboot_for(const std::string& reason) {
  NodeAction action;
  action.verb = NodeVerb::reboot;
  action.reason = reason;
  Intent intent;
  intent.cluster = ClusterName("hpc");
  intent.nodes = {NodeName("n1")};
  intent.words = to_text(action, Scheduler::slurm);
  intent.orders = orders_of(action);
  return intent;
}

Node up_since(TimePoint booted) {
  Node one = node("n1", {uncut(0, 0)});
  one.state = {"IDLE"};
  one.booted = booted;
  return one;
}
Node closed_for(std::string reason, std::vector<std::string> state = {"IDLE", "DRAIN"}) {
  Node one = up_since(at(0));
  one.state = std::move(state);
  one.health = Health::drained;
  one.reason = std::move(reason);
  one.reason_by = "alice";
  return one;
}

Means slurm_with(std::optional<std::string> program) {
  auto site = std::make_shared<slurmconf::SlurmSetup>();
  site->reboot_program = std::move(program);
  return Means(slurm_capabilities(), Setup{std::move(site), nullptr});
}
Means slurm_means() { return slurm_with("/sbin/reboot"); }

class NodeReboot : public test::OneNode {
 protected:
  Result<Plan> planned(const Means& can = slurm_means(), const Intent& intent = reboot_for("XID 79")) const {
    return make_plan(cluster, catalogue(), intent, can, {}, at(60));
  }
  std::string refusal(const Means& can = slurm_means()) const {
    const auto plan = planned(can);
    return plan ? "planned" : to_line(plan.error());
  }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST_F(NodeReboot, AnOpenNodeIsRebootedOnceItsJobsHaveLeftAndReadBack) {
  tell(up_since(at(0)), {running("144", "ann", {holds("n1", {{0, 1}})})});
  const auto made = planned();
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const NodePlan& node = made->nodes.at(0);
  ASSERT_EQ(node.steps.size(), 3u);
  EXPECT_EQ(node.steps[0].commands.at(0),
            "scontrol reboot ASAP nextstate=RESUME reason=\"XID 79 (tessera RUN WHO@HOST)\" n1");
  EXPECT_EQ(node.steps[0].title, "have Slurm reboot n1 once no job runs there");
  EXPECT_EQ(node.steps[1].title, "wait until 1 job has ended and n1 has booted");
  EXPECT_EQ(node.steps[1].deadline, Duration(0)) << "a job may run for days";
  EXPECT_EQ(node.steps[2].title, "verify that n1 answers, and takes jobs again");
  ASSERT_EQ(node.blast_radius.size(), 1u);
  EXPECT_EQ(node.blast_radius[0].id, WorkloadId("144"));
  EXPECT_TRUE(waits_for_work(*made));
  EXPECT_GE(usual(*made), std::chrono::minutes(1));
  expect_allowed(*made);
}

TEST_F(NodeReboot, AClosedNodeIsRebootedPlainlyWhileItIsEmptyAndStaysClosed) {
  tell(closed_for("bad ECC"));
  const auto made = planned();
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const NodePlan& node = made->nodes.at(0);
  EXPECT_EQ(node.steps.at(0).commands.at(0), "scontrol reboot n1");
  EXPECT_TRUE(std::count(node.steps[0].before.begin(), node.steps[0].before.end(), Condition(ScopeEmpty{})));
  EXPECT_EQ(node.steps.at(2).title, "verify that n1 answers, and is closed as before");
  EXPECT_TRUE(std::any_of(made->notices.begin(), made->notices.end(), [](const Notice& one) {
    return one.text == "it stays closed afterwards, by alice: bad ECC";
  }));
  expect_allowed(*made);
}

TEST_F(NodeReboot, AClosedNodeWithJobsIsNotRebootedSinceSlurmWouldOpenIt) {
  tell(closed_for("bad ECC", {"MIXED", "DRAIN"}), {running("144", "ann", {holds("n1", {{0, 1}})})});
  EXPECT_TRUE(has(refusal(), "a job runs there: 144. Slurm would open it after the boot")) << refusal();
}

TEST_F(NodeReboot, IsRefusedWithTheReasonWhereSlurmCouldNotDoIt) {
  tell(up_since(at(0)));
  EXPECT_TRUE(has(refusal(slurm_with("")), "Slurm has no RebootProgram")) << refusal(slurm_with(""));
  for (const Means& untold : {slurm_with(std::nullopt), Means(slurm_capabilities())})
    EXPECT_TRUE(has(refusal(untold), "whether Slurm has a RebootProgram is not known")) << refusal(untold);
  Node down = up_since(at(0));
  down.health = Health::down;
  down.state = {"DOWN", "NOT_RESPONDING"};
  tell(down);
  EXPECT_TRUE(has(refusal(), "slurmd does not answer there")) << refusal();
  Node untold = up_since(at(0));
  untold.booted.reset();
  tell(untold);
  EXPECT_TRUE(has(refusal(), "when it has booted is not reported")) << refusal();
  for (const char* flag : {"REBOOT_REQUESTED", "REBOOT_ISSUED"}) {
    tell(closed_for("kernel (tessera r7 bob@login2)", {"MIXED", "DRAIN", flag}));
    EXPECT_TRUE(has(refusal(), "already: kernel")) << refusal();
  }
  cluster.scheduler = Scheduler::kubernetes;
  EXPECT_TRUE(has(refusal(gpu_operator_capabilities()), "no scheduler of Kubernetes reboots nodes"));
}

TEST_F(NodeReboot, APlanFileNotesTheBootAndDoesNothingOnceTheNodeHasBootedSince) {
  tell(up_since(at(0)));
  const auto made = planned();
  ASSERT_TRUE(made.ok());
  auto read = parse_plan(to_document(*made), "p.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->intent, made->intent);
  EXPECT_FALSE(why_not_as_made(*read, *planned(slurm_means(), read->intent)));
  // slurmd works the time of the boot out again and again, and not to the second.
  tell(up_since(at(2)));
  EXPECT_TRUE(planned(slurm_means(), read->intent)->changes_anything());
  tell(up_since(at(30)));
  const auto later = planned(slurm_means(), read->intent);
  ASSERT_TRUE(later.ok());
  EXPECT_FALSE(later->changes_anything());
  EXPECT_TRUE(has(later->notices.at(0).text, "it has booted since that was asked for"));
}

TEST_F(NodeReboot, ANodeThatIsToRebootIsNeitherClosedNorOpenedMeanwhile) {
  tell(closed_for("kernel (tessera r1 root@login1)", {"MIXED", "DRAIN", "REBOOT_REQUESTED"}));
  for (const NodeVerb verb : {NodeVerb::close, NodeVerb::open}) {
    NodeAction action;
    action.verb = verb;
    action.reason = verb == NodeVerb::close ? "firmware" : "";
    action.over_others = verb == NodeVerb::open;
    Intent intent = reboot_for("x");
    intent.orders = orders_of(action);
    const auto plan = planned(slurm_means(), intent);
    EXPECT_TRUE(has(plan ? "planned" : to_line(plan.error()), "a reboot of it is noted"));
  }
}

TEST_F(NodeReboot, AJournalThatRebootsUnaskedUnseenOrWhileJobsAreThereIsNotCarriedOn) {
  const auto refused = [](const Plan& made, auto edit) {
    NodePlan node = made.nodes[0];
    edit(node.steps[0]);
    return why_not_allowed(node, intent_of(made.intent, node.node), made.means()).has_value();
  };
  tell(up_since(at(0)));
  Plan made = planned().value();
  EXPECT_FALSE(refused(made, [](Step&) {}));
  EXPECT_TRUE(refused(made, [](Step& step) { step.before = {Answering{}}; }));
  EXPECT_TRUE(refused(made, [](Step& step) { step.after = {Answering{}}; }));
  EXPECT_TRUE(refused(made, [](Step& step) { step.action = keep_closed("firmware"); }));
  EXPECT_TRUE(refused(made, [](Step& step) { step.action = cancel_reboot("bad ECC"); }));
  EXPECT_TRUE(refused(made, [](Step& step) { step.action = ask_reboot("other words", "", at(5)); }));
  made.intent = wants("7g.80gb");
  EXPECT_TRUE(refused(made, [](Step&) {}));
  tell(closed_for("bad ECC"));
  EXPECT_TRUE(
      refused(planned().value(), [](Step& step) { std::erase(step.before, Condition(ScopeEmpty{})); }));
}

plan::Run begun(const Plan& plan) {
  RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
  plan::Run run = run_of(started);
  run.begun[NodeName("n1")].insert(std::string(reboots::kAsk));
  return run;
}

TEST_F(NodeReboot, GoingBackCancelsWhatHasNotBegunAndNeverAnothersDrain) {
  tell(up_since(at(0)));
  const plan::Run run = begun(planned().value());
  const auto back = [&] {
    return plan_onward(run, NodeName("n1"), cluster, catalogue(), {}, true, at(1), nullptr, nullptr);
  };
  tell(closed_for("XID 79 (tessera r1 root@login1)", {"MIXED", "DRAIN", "REBOOT_REQUESTED"}));
  auto cancels = back();
  ASSERT_TRUE(cancels.ok()) << to_line(cancels.error());
  ASSERT_EQ(cancels->nodes.at(0).steps.size(), 1u);
  EXPECT_EQ(cancels->nodes[0].steps[0].commands.at(0), "scontrol cancel_reboot n1");
  expect_allowed(*cancels);
  // Drained by another meanwhile: Slurm would open it.
  tell(closed_for("bad ECC", {"MIXED", "DRAIN", "REBOOT_REQUESTED"}));
  EXPECT_TRUE(has(to_line(back().error()), "the reason does not name this run")) << to_line(back().error());
  tell(closed_for("XID 79 (tessera r1 root@login1) : reboot issued", {"DOWN", "DRAIN", "REBOOT_ISSUED"}));
  EXPECT_TRUE(has(to_line(back().error()), "it has begun to reboot"));
  tell(up_since(at(0)));
  ASSERT_TRUE(back().ok());
  EXPECT_FALSE(back()->changes_anything());
}

TEST_F(NodeReboot, AFinishedRunHasNothingToUndo) {
  tell(up_since(at(0)));
  const plan::Run run = begun(planned().value());
  EXPECT_TRUE(why_nothing_to_undo(run));
  const auto undo = plan_undo(run, cluster, catalogue(), slurm_means(), {}, at(1));
  EXPECT_TRUE(has(undo ? "planned" : to_line(undo.error()), "leaves nothing to undo"));
}

TEST(Closing, IsFoundAgainInFrontOfWhatSlurmWritesBehindItAboutAReboot) {
  const auto kept = parse_closing("XID 79 (tessera r1 root@login1) : reboot issued");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->words, "XID 79");
  EXPECT_EQ(without_reboot("bad ECC : reboot issued : reboot issued"), "bad ECC");
  EXPECT_EQ(without_reboot(" : reboot issued by hand"), " : reboot issued by hand");
}

Adversary slurm_world(std::vector<Workload> jobs = {}) {
  return Adversary(catalogue(), up_since(at(-3600)), std::move(jobs));
}
std::vector<Workload> a_job() { return {running("144", "ann", {holds("n1", {{0, 1}})})}; }
Plan plan_on(const Adversary& world) {
  auto made =
      make_plan(world.cluster(), catalogue(), reboot_for("XID 79"), simulator_capabilities(), {}, at(0));
  EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
  return *made;
}

// Dead after each line, before and after the act that it announces, and taken up again.
TEST(NodeRebootKilled, EndsWithOneRebootAndTheNodeAsItWasFoundWhereverTheProcessDies) {
  for (const bool closed : {false, true})
    for (const bool busy : {false, true})
      for (const bool after_perform : {false, true})
        for (int line = 0; line <= 14; ++line) {
          if (closed && busy) continue;  // refused
          SCOPED_TRACE(std::to_string(line) + (closed ? " closed" : busy ? " busy" : " idle"));
          Adversary world = slurm_world(busy ? a_job() : std::vector<Workload>());
          if (closed) world.close_by_hand("bad ECC", "alice");
          Kill kill;
          kill.after_line = line == 0 ? -1 : line;
          kill.after_perform = after_perform;
          const Ending ending = drive(world, catalogue(), plan_on(world), kill, Policy::carry_on);
          EXPECT_TRUE(ending.ended) << ending.problem << "\n" << ending.journal;
          EXPECT_EQ(ending.outcome, Outcome::wanted);
          EXPECT_EQ(world.ordered_reboots, 1) << ending.journal;
          EXPECT_EQ(world.closed_reason(), closed ? "bad ECC : reboot issued" : "") << ending.journal;
          EXPECT_TRUE(has(ending.text, "n1: has booted again, and answers")) << ending.text;
        }
}

TEST(NodeRebootKilled, NoFaultOpensWhatAnotherClosedOrEndsInSuccessWithoutABoot) {
  for (int fault = 0; fault < static_cast<int>(Fault::count); ++fault)
    for (const bool closed : {false, true})
      for (const Policy policy : {Policy::carry_on, Policy::go_back})
        for (int moment = 0; moment < 5; ++moment) {
          SCOPED_TRACE(std::string(word(static_cast<Fault>(fault))) + (closed ? " closed" : " open") +
                       (policy == Policy::go_back ? " back " : " on ") + std::to_string(moment));
          Adversary world = slurm_world(closed ? std::vector<Workload>() : a_job());
          if (closed) world.close_by_hand("bad ECC", "alice");
          const Plan plan = plan_on(world);
          world.arm(static_cast<Fault>(fault), moment);
          const Ending ending = drive(world, catalogue(), plan, {}, policy);
          EXPECT_TRUE(world.harm.empty()) << world.harm.front();
          // By a clock that was set back it has not booted later: an admin who plans again sends it there
          // again.
          if (static_cast<Fault>(fault) != Fault::clock_goes_back)
            EXPECT_LE(world.ordered_reboots, 1) << ending.journal;
          if (ending.ended && ending.outcome == Outcome::wanted)
            EXPECT_GT(*world.node.booted, at(0)) << ending.journal;
        }
}

}  // namespace
}  // namespace tessera::test
