// Resetting GPUs of a node: planned with what it waits for, refused with the reason, driven with a death
// after every line and against every fault, and given back where it stops.
#include "engine/plan/node_reset.hpp"

#include <gtest/gtest.h>

#include "engine/model/reduce.hpp"
#include "engine/plan/effect/usual.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/plan/words/as_run.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/drive.hpp"
#include "tests/engine/plan/expect_allowed.hpp"
#include "tests/engine/plan/one_node.hpp"

namespace tessera::test {
namespace node_reset_test {

using namespace plan;

Intent reset_of(const char* gpus) {
  NodeAction action;
  action.verb = NodeVerb::reset_gpu;
  action.gpus = parse_gpus(gpus).value();
  Intent intent;
  intent.cluster = ClusterName("hpc");
  intent.nodes = {NodeName("n1")};
  intent.words = to_text(action, Scheduler::slurm);
  intent.orders = orders_of(action);
  return intent;
}

Node two_gpus() {
  Node one = node("n1", {uncut(0, 0), uncut(1, 1)});
  one.state = {"IDLE"};
  return one;
}

Means slurm_by(slurmconf::Reach reach, std::vector<std::string> stop = {},
               std::vector<std::string> start = {}) {
  auto site = std::make_shared<slurmconf::SlurmSetup>();
  site->reach = reach;
  site->stop_clients = std::move(stop), site->start_clients = std::move(start);
  return Means(slurm_capabilities(), Setup{std::move(site), nullptr});
}
Means by_ssh() { return slurm_by(slurmconf::Reach::ssh); }

class NodeReset : public test::OneNode {
 protected:
  Result<Plan> planned(const Means& can = by_ssh(), const char* gpus = "0") const {
    return make_plan(cluster, catalogue(), reset_of(gpus), can, {}, at(60));
  }
  std::string refusal(const Means& can = by_ssh(), const char* gpus = "0") const {
    const auto plan = planned(can, gpus);
    return plan ? "planned" : to_line(plan.error());
  }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::vector<std::string> titles(const Plan& plan) {
  std::vector<std::string> all;
  for (const Step& step : plan.nodes.at(0).steps) all.push_back(step.title);
  return all;
}
const Step& resetting(const Plan& plan) {
  for (const Step& step : plan.nodes.at(0).steps)
    if (std::holds_alternative<ResetGpus>(step.action)) return step;
  return plan.nodes.at(0).steps.front();
}

TEST_F(NodeReset, ANodeIsDrainedEmptiedOfWhoHasTheGpuResetReadBackAndOpened) {
  tell(two_gpus(),
       {running("144", "ann", {holds("n1", {{0, 1}})}), running("145", "bob", {holds("n1", {{1, 1}})})});
  const auto made = planned();
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  EXPECT_EQ(titles(*made), (std::vector<std::string>{"preflight: rights, controller, files, node", "drain n1",
                                                     "mark n1", "wait until 1 job has left", "reset GPU 0",
                                                     "verify that GPU 0 answers and needs no further reset",
                                                     "open n1 again, if the drain is still ours",
                                                     "verify that tessera's mark is removed"}));
  const NodePlan& node = made->nodes.at(0);
  EXPECT_EQ(node.steps[1].commands.at(0),
            "scontrol update NodeName=n1 State=DRAIN Reason=\"tessera RUN WHO@HOST: reset-gpu 0\"");
  EXPECT_EQ(resetting(*made).commands.at(0), "ssh n1 nvidia-smi -i 0 --gpu-reset");
  ASSERT_EQ(node.blast_radius.size(), 1u) << "who has the other GPU goes on";
  EXPECT_EQ(node.blast_radius[0].id, WorkloadId("144"));
  EXPECT_TRUE(waits_for_work(*made));
  EXPECT_TRUE(node.needs.reset);
  EXPECT_GE(usual(*made), std::chrono::seconds(10));
  expect_allowed(*made);
}

TEST_F(NodeReset, TheDriverActsOnlyOnGpusThatNobodyHasAndThatAreNotInMigMode) {
  tell(two_gpus());
  const auto made = planned(by_ssh(), "0-1");
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const Conditions& before = resetting(*made).before;
  const auto relies_on = [&](const Condition& one) {
    return std::count(before.begin(), before.end(), one) == 1;
  };
  EXPECT_TRUE(relies_on(ScopeEmpty{Scope{{{GpuIndex{0}, {}}, {GpuIndex{1}, {}}}}}));
  EXPECT_TRUE(relies_on(MarkIsOurs{}));
  EXPECT_TRUE(relies_on(NodeClosed{}));
  EXPECT_TRUE(relies_on(ModeIs{{GpuIndex{0}}, false, false}));
  EXPECT_TRUE(relies_on(ModeIs{{GpuIndex{1}}, false, false}));
  EXPECT_EQ(resetting(*made).commands.at(0), "ssh n1 nvidia-smi -i 0,1 --gpu-reset");
}

TEST_F(NodeReset, BySrunTheWholeNodeIsEmptiedInAReservationAndNeverDrained) {
  tell(two_gpus(), {running("145", "bob", {holds("n1", {{1, 1}})})});
  const auto made = planned(slurm_by(slurmconf::Reach::srun));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const NodePlan& node = made->nodes.at(0);
  for (const Step& step : node.steps) {
    EXPECT_FALSE(std::holds_alternative<CloseNode>(step.action));
    EXPECT_FALSE(std::holds_alternative<OpenNode>(step.action));
  }
  EXPECT_EQ(node.blast_radius.size(), 1u) << "a step of srun's needs room there";
  EXPECT_TRUE(node.scope && node.scope->boards.empty());
  expect_allowed(*made);
  Node drained = two_gpus();
  drained.health = Health::drained, drained.state = {"IDLE", "DRAIN"}, drained.reason = "bad ECC";
  tell(drained);
  EXPECT_TRUE(has(refusal(slurm_by(slurmconf::Reach::srun)), "srun reaches no drained node: bad ECC"));
  EXPECT_TRUE(planned().ok()) << "by ssh it is reset, and stays closed";
}

// Pasted in the middle of that other run, the command would let jobs in there.
TEST_F(NodeReset, ANodeThatAnotherHasClosedHasNothingToCopyThatOpensIt) {
  for (const std::string& reason : {std::string("bad ECC"), to_text(RunMark{"r9", "bob", "login2"})}) {
    Node closed = two_gpus();
    closed.health = Health::drained, closed.state = {"IDLE", "DRAIN"}, closed.reason = reason;
    tell(closed);
    const auto made = planned();
    ASSERT_TRUE(made.ok()) << to_line(made.error());
    std::size_t opening = 0;
    for (const Step& step : steps_as_run(*made, made->nodes.at(0))) {
      if (!std::holds_alternative<OpenNode>(step.action)) continue;
      ++opening;
      EXPECT_TRUE(step.commands.empty()) << reason;
    }
    EXPECT_EQ(opening, 1u);
  }
}

TEST_F(NodeReset, WhatTheSiteRunsOnItsGpusIsStoppedFirstAndStartedAgain) {
  tell(two_gpus());
  const Means can = slurm_by(slurmconf::Reach::ssh, {"systemctl stop dcgm"}, {"systemctl start dcgm"});
  const auto made = planned(can);
  ASSERT_TRUE(made.ok());
  const std::vector<std::string> all = titles(*made);
  const auto at_title = [&](std::string_view title) {
    return std::find(all.begin(), all.end(), title) - all.begin();
  };
  EXPECT_LT(at_title("stop the site's own clients of the GPUs"), at_title("reset GPU 0"));
  EXPECT_LT(at_title("reset GPU 0"), at_title("start the site's own clients of the GPUs"));
  EXPECT_LT(at_title("start the site's own clients of the GPUs"),
            at_title("open n1 again, if the drain is still ours"));
  expect_allowed(*made);
  for (const Notice& one : made->notices) EXPECT_NE(one.rule, "gpu-clients");
}

TEST_F(NodeReset, IsRefusedWithTheReasonAndTheWayOut) {
  tell(two_gpus());
  EXPECT_TRUE(has(refusal(by_ssh(), "7"), "there is no GPU 7")) << refusal(by_ssh(), "7");
  EXPECT_TRUE(has(refusal(slurm_by(slurmconf::Reach::none)), "no way there is set"));
  EXPECT_TRUE(has(refusal(Means(slurm_capabilities())), "no way there is set"));
  Node mig = node("n1", {cut(0, {instance("3g.40gb", 0, 4, 0)}), uncut(1, 1)});
  mig.state = {"IDLE"};
  tell(mig);
  EXPECT_TRUE(has(refusal(), "GPU 0 is in MIG mode, and its instances do not survive a reset")) << refusal();
  EXPECT_TRUE(planned(by_ssh(), "1").ok()) << "the other one is not";
  Node pending = two_gpus();
  pending.gpus[0].mig_mode = MigMode::enable_pending;
  tell(pending);
  EXPECT_TRUE(has(refusal(), "which a reset would make true")) << refusal();
  EXPECT_TRUE(has(refusal(), "nvidia-smi -i 0 -mig 0")) << refusal();
  Node down = two_gpus();
  down.health = Health::down;
  tell(down);
  EXPECT_TRUE(has(refusal(), "slurmd does not answer there")) << refusal();
  Node untold = two_gpus();
  untold.gpus.clear();
  tell(untold);
  EXPECT_TRUE(has(refusal(), "which GPUs it has is not reported")) << refusal();
  Node pod = two_gpus();
  pod.host_pod = HostPod{};
  tell(pod);
  EXPECT_TRUE(has(refusal(), "Kubernetes hands out its GPUs")) << refusal();
  tell(two_gpus());
  cluster.sources[Source::slurm_jobs].failure = Error{"cannot read jobs", "timed out", ""};
  EXPECT_FALSE(planned().ok()) << "unknown is not nobody";
}

TEST_F(NodeReset, KubernetesIsRefusedWithTheCommandsOnEveryBackend) {
  tell(two_gpus());
  cluster.scheduler = Scheduler::kubernetes;
  for (const Means& can :
       {Means(gpu_operator_capabilities()), Means(simulator_capabilities(Scheduler::kubernetes))}) {
    EXPECT_TRUE(has(refusal(can), "Kubernetes gives no way to run nvidia-smi on a node")) << refusal(can);
    EXPECT_TRUE(has(refusal(can), "nvidia-smi --gpu-reset -i 0")) << refusal(can);
  }
}

TEST_F(NodeReset, GpusOlderThanAmpereOrOfAnUnknownModelAreResetTogether) {
  Node old = two_gpus();
  for (Gpu& gpu : old.gpus) gpu.product.reset(), gpu.model = "Tesla V100-SXM2-32GB";
  tell(old);
  EXPECT_TRUE(has(refusal(), "are reset together")) << refusal();
  EXPECT_TRUE(has(refusal(), "tessera node reset-gpu n1 0,1")) << refusal();
  EXPECT_TRUE(planned(by_ssh(), "0,1").ok());
  for (const char* alone : {"h100", "NVIDIA H100 80GB HBM3", "NVIDIA L40S", "Tesla T4"}) {
    for (Gpu& gpu : old.gpus) gpu.model = alone;
    tell(old);
    EXPECT_TRUE(planned().ok()) << alone;
  }
}

TEST_F(NodeReset, WhatNvidiaSmiDoesNotResetIsRefusedAndWhatNVSwitchNeedsIsSaid) {
  Node other = two_gpus();
  for (Gpu& gpu : other.gpus) gpu.product.reset(), gpu.model = "mi300x";
  tell(other);
  EXPECT_TRUE(has(refusal(by_ssh(), "0,1"), "GPU 0 is not NVIDIA's")) << refusal(by_ssh(), "0,1");
  const auto says = [&](const char* rule) {
    const auto made = planned();
    EXPECT_TRUE(made.ok());
    return std::any_of(made->notices.begin(), made->notices.end(),
                       [&](const Notice& one) { return one.rule == rule; });
  };
  tell(two_gpus());
  EXPECT_FALSE(says("nvlink"));
  EXPECT_TRUE(says("gpu-clients"));
  Node ampere = two_gpus();
  for (Gpu& gpu : ampere.gpus) gpu.product = ProductKey("A100-80GB-SXM4");
  tell(ampere);
  EXPECT_TRUE(says("nvlink"));
  for (Gpu& gpu : ampere.gpus) gpu.strategy = Strategy::mps;
  tell(ampere);
  EXPECT_TRUE(says("mps-daemon"));
}

TEST(NodeResetWish, IsKeptInOrdersAndNeverReadAsAllGpusOrAsNone) {
  EXPECT_EQ(action_of(reset_of("2,0").orders)->gpus, (std::vector{GpuIndex{0}, GpuIndex{2}}));
  EXPECT_EQ(reset_of("0,2-3").words, "reset-gpu 0,2,3");
  for (const char* wrong : {"", ",", "a", "-1", "0,0", "1024", "0-", "3-1", "0-99", "0;1", "0 1"}) {
    EXPECT_FALSE(parse_gpus(wrong)) << wrong;
    Orders orders = reset_of("0").orders;
    orders["tessera/gpus"] = wrong;
    EXPECT_FALSE(action_of(orders)) << wrong;
  }
  Orders without = reset_of("0").orders;
  without.erase("tessera/gpus");
  EXPECT_FALSE(action_of(without));
}

TEST_F(NodeReset, APlanFileIsReadBackAndMadeAgainAsItWas) {
  tell(two_gpus());
  const auto made = planned();
  ASSERT_TRUE(made.ok());
  auto read = parse_plan(to_document(*made), "p.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->intent, made->intent);
  EXPECT_FALSE(why_not_as_made(*read, *planned()));
}

TEST_F(NodeReset, AJournalThatResetsUnaskedUnseenOrWhileSomeoneHasTheGpuIsNotCarriedOn) {
  tell(two_gpus());
  const Plan made = planned().value();
  const auto refused = [&](auto edit, std::size_t at = 4) {
    NodePlan node = made.nodes[0];
    edit(node.steps.at(at));
    return why_not_allowed(node, intent_of(made.intent, node.node), made.means()).has_value();
  };
  EXPECT_FALSE(refused([](Step&) {}));
  EXPECT_TRUE(refused([](Step& step) { step.action = ResetGpus{{GpuIndex{1}}}; }));
  EXPECT_TRUE(refused([](Step& step) { step.action = ResetGpus{{GpuIndex{0}, GpuIndex{1}}}; }));
  EXPECT_TRUE(refused([](Step& step) {
    std::erase_if(step.before, [](const Condition& one) { return std::holds_alternative<ScopeEmpty>(one); });
  }));
  EXPECT_TRUE(refused([](Step& step) { std::erase(step.before, Condition(MarkIsOurs{})); }));
  EXPECT_TRUE(refused([](Step& step) { step.after.clear(); }));
  EXPECT_TRUE(refused([](Step& step) { step.action = SetMode{{GpuIndex{0}}, true}; }));
  EXPECT_TRUE(refused([](Step& step) { step.action = Evict{WorkloadId("1"), Way::cancel}; }));
  EXPECT_TRUE(refused([](Step& step) { step.action = keep_closed("firmware"); }, 1));
  EXPECT_TRUE(refused([](Step& step) { step.after.clear(); }, 5)) << "nothing reads it back";
  EXPECT_TRUE(refused([](Step& step) { step.action = read_reset_back({GpuIndex{1}}); }, 5));
  Plan layout = made;
  layout.intent = wants("7g.80gb");
  EXPECT_TRUE(why_not_allowed(layout.nodes[0], intent_of(layout.intent, NodeName("n1")), layout.means()));
}

plan::Run begun(const Plan& plan, const std::set<std::string>& acts) {
  RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
  plan::Run run = run_of(started);
  run.begun[NodeName("n1")] = acts;
  return run;
}

TEST_F(NodeReset, GoingBackStartsWhatWasStoppedAndGivesTheNodeBack) {
  tell(two_gpus());
  const Means can = slurm_by(slurmconf::Reach::ssh, {"systemctl stop dcgm"}, {"systemctl start dcgm"});
  const Plan made = planned(can).value();
  const auto back = [&](const std::set<std::string>& acts) {
    auto plan =
        plan_onward(begun(made, acts), NodeName("n1"), cluster, catalogue(), {}, true, at(1), &can, nullptr);
    EXPECT_TRUE(plan.ok()) << (plan ? "" : to_line(plan.error()));
    expect_allowed(*plan);
    return titles(*plan);
  };
  const std::vector<std::string> given_back{"open n1 again, if the drain is still ours",
                                            "verify that tessera's mark is removed"};
  EXPECT_EQ(back({"close-node"}), given_back);
  std::vector<std::string> with_clients = given_back;
  with_clients.insert(with_clients.begin(), "start the site's own clients of the GPUs");
  EXPECT_EQ(back({"close-node", std::string(plan::slurm::verb::kStopClients)}), with_clients);
}

TEST_F(NodeReset, AFinishedRunHasNothingToUndoAndAStoppedOneIsGivenBack) {
  tell(two_gpus());
  plan::Run run = begun(planned().value(), {"reset-gpus"});
  const auto undo = plan_undo(run, cluster, catalogue(), by_ssh(), {}, at(1));
  EXPECT_TRUE(has(undo ? "planned" : to_line(undo.error()), "leaves nothing to undo"));
  EXPECT_TRUE(has(to_line(*why_nothing_to_undo(run)), "tessera resume r1 --back"));
  run.finished = RunFinished{};
  EXPECT_FALSE(has(to_line(*why_nothing_to_undo(run)), "--back"));
}

TEST(AfterReset, WhatTheDriverStillAsksForIsSaidAndWhatItDoesNotTellIsNoFault) {
  const GpuIndex gpu{3};
  EXPECT_EQ(why_unsound(gpu, {}), "");
  EXPECT_EQ(why_unsound(gpu, {false, false, false, "None"}), "");
  EXPECT_TRUE(has(why_unsound(gpu, {.remap_pending = true}),
                  "GPU 3 was reset, and remapping a row of its memory is still"));
  EXPECT_TRUE(has(why_unsound(gpu, {.remap_failed = true}), "remapping a row of its memory has failed"));
  EXPECT_TRUE(has(why_unsound(gpu, {.reset_required = true}), "still asks for a reset"));
  EXPECT_TRUE(has(why_unsound(gpu, {.recovery = "Reboot"}), "its driver asks for this: Reboot"));
}

Adversary slurm_world(std::vector<Workload> jobs = {}) {
  return Adversary(catalogue(), two_gpus(), std::move(jobs));
}
std::vector<Workload> a_job() { return {running("144", "ann", {holds("n1", {{0, 1}})})}; }
Plan plan_on(const Adversary& world) {
  auto made = make_plan(world.cluster(), catalogue(), reset_of("0"), simulator_capabilities(), {}, at(0));
  EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
  return *made;
}

// Dead after each line, before and after the act that it announces, and taken up again.
TEST(NodeResetKilled, EndsWithTheGpuResetAndTheNodeAsItWasFoundWhereverTheProcessDies) {
  for (const bool closed : {false, true})
    for (const bool busy : {false, true})
      for (const bool after_perform : {false, true})
        for (int line = 0; line <= 26; ++line) {
          SCOPED_TRACE(std::to_string(line) + (closed ? " closed" : " open") + (busy ? " busy" : " idle"));
          Adversary world = slurm_world(busy ? a_job() : std::vector<Workload>());
          if (closed) world.close_by_hand("bad ECC", "alice");
          Kill kill;
          kill.after_line = line == 0 ? -1 : line;
          kill.after_perform = after_perform;
          const Ending ending = drive(world, catalogue(), plan_on(world), kill, Policy::carry_on);
          EXPECT_TRUE(ending.ended) << ending.problem << "\n" << ending.journal;
          EXPECT_EQ(ending.outcome, Outcome::wanted);
          EXPECT_EQ(world.resets, 1) << ending.journal;
          EXPECT_EQ(world.closed_reason(), closed ? "bad ECC" : "") << ending.journal;
          EXPECT_FALSE(world.mark());
          EXPECT_TRUE(has(ending.text, "n1: its GPUs were reset, answer, and ask for no further reset"))
              << ending.text;
        }
}

TEST(NodeResetKilled, NoFaultResetsWhatIsHeldOpensWhatAnotherClosedOrEndsInSuccessWithoutAReset) {
  for (int fault = 0; fault < static_cast<int>(Fault::count); ++fault)
    for (const bool closed : {false, true})
      for (const Policy policy : {Policy::carry_on, Policy::go_back})
        for (int moment = 0; moment < 8; ++moment) {
          SCOPED_TRACE(std::string(word(static_cast<Fault>(fault))) + (closed ? " closed" : " open") +
                       (policy == Policy::go_back ? " back " : " on ") + std::to_string(moment));
          Adversary world = slurm_world(a_job());
          if (closed) world.close_by_hand("bad ECC", "alice");
          const Plan plan = plan_on(world);
          world.arm(static_cast<Fault>(fault), moment);
          const Ending ending = drive(world, catalogue(), plan, {}, policy);
          EXPECT_TRUE(world.harm.empty()) << world.harm.front();
          EXPECT_TRUE(world.evicted.empty()) << "no job is ended";
          if (ending.ended && ending.outcome == Outcome::wanted) EXPECT_GE(world.resets, 1) << ending.journal;
        }
}

TEST(NodeResetInVain, AGpuThatStillAsksForOneKeepsTheNodeClosedUntilItIsResetOnceMoreOrGivenBack) {
  for (const Policy policy : {Policy::carry_on, Policy::go_back}) {
    Adversary world = slurm_world();
    world.resets_in_vain = 1;
    const Ending ending = drive(world, catalogue(), plan_on(world), {}, policy);
    EXPECT_TRUE(ending.ended) << ending.problem << ending.journal;
    EXPECT_TRUE(has(ending.journal, "is still pending")) << ending.journal;
    EXPECT_EQ(ending.outcome, policy == Policy::carry_on ? Outcome::wanted : Outcome::recorded)
        << ending.journal;
    EXPECT_EQ(world.closed_reason(), "");
    EXPECT_FALSE(world.mark());
  }
}

}  // namespace node_reset_test
}  // namespace tessera::test
