// What a run can do to a simulated cluster, verb by verb, and what it is refused.
#include "backends/sim/actuator.hpp"

#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/step.hpp"
#include "engine/model/telemetry.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "tests/backends/sim/hands.hpp"

namespace tessera::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::string_view kPlace = R"(
clusters:
  - name: c
    users: [ann, ben]
    partitions: [p]
    nodes:
      - {names: n1, product: H100-80GB-SXM5, gpus: 3, layouts: ["3g.40gb@0,3g.40gb@4", whole, "mps:4"]}
      - {names: a1, product: A100-40GB, gpus: 2, layout: whole}
    jobs:
      - {name: held, user: ann, want: "gpu:3g.40gb:1", on: n1/gpu0@4, runs: 9h, ran: 1h}
      - {name: stays, user: ben, want: "mps:1", on: n1/gpu2, runs: 9h, ran: 1h, restartable: false}
)";

plan::DestroyInstances destroy(int gpu, std::vector<plan::InstanceAt> list) { return {GpuIndex{gpu}, list}; }
plan::CreateInstances create(int gpu, std::vector<plan::InstanceAt> list, bool chosen = true) {
  return {GpuIndex{gpu}, list, {}, chosen};
}
plan::Configure share(int gpu, Strategy strategy, int replicas) {
  return {{GpuIndex{gpu}}, strategy, replicas, {}};
}

void reboot(Hands& hands, const char* node) {
  Changes changes;
  WorldStep(hands.world, changes)
      .reboot_node(*find_node(hands.world, node), "reboot", "ops", hands.world.now + minutes(3), true);
}

TEST(Actuator, SeesANodeAsTheModelHasIt) {
  Hands hands = hands_from(kPlace);
  plan::NodeFacts facts = hands.see("n1");
  Model model = model_of(hands.world);
  Node shown = *model.clusters.front().nodes.find(NodeName("n1"));
  ASSERT_EQ(facts.node.gpus.size(), shown.gpus.size());
  const auto figures = take_figures(facts.node), as_shown = take_figures(shown);
  ASSERT_EQ(figures.size(), as_shown.size());
  for (std::size_t i = 0; i < figures.size(); ++i) EXPECT_EQ(figures[i].gpus, as_shown[i].gpus);
  for (std::size_t i = 0; i < shown.gpus.size(); ++i) EXPECT_EQ(facts.node.gpus[i], shown.gpus[i]);
  EXPECT_TRUE(facts.known && facts.answering && !facts.closed && !facts.mark);
  EXPECT_EQ(facts.workloads.size(), 2u);
  EXPECT_EQ(facts.advertised, plan::offered(shown, *test::shared_catalogue(), {}, nullptr).slurm);
  EXPECT_EQ(facts.advertised.at("gpu:3g.40gb"), 2);
  EXPECT_FALSE(hands.see("nowhere").known);
}

plan::Special ask_reboot(const Hands& hands, const char* node) {
  const plan::NodeFacts facts = hands.see(node);
  return plan::ask_reboot("XID 79", plan::closed_reason(facts), plan::later_boot(*facts.node.booted));
}

TEST(Actuator, RebootsANodeOnceItsJobsHaveEndedAsSlurmDoesAndSavesThatItIsTo) {
  Hands hands = hands_from(kPlace);
  const plan::Special ask = ask_reboot(hands, "n1");
  EXPECT_EQ(hands.act("n1", ask), "");
  plan::NodeFacts facts = hands.see("n1");
  EXPECT_EQ(plan::reboot_of(facts.node), "requested");
  EXPECT_EQ(facts.closed_reason, "XID 79 (tessera r1 root@login1)");
  EXPECT_EQ(facts.workloads.size(), 2u) << "no job is ended for it";
  Result<std::vector<World>> loaded = load_state(save_state({hands.world}), test::shared_catalogue());
  ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
  EXPECT_TRUE(loaded->front() == hands.world);

  EXPECT_EQ(hands.act("n1", plan::cancel_reboot(facts.closed_reason)), "");
  EXPECT_EQ(plan::reboot_of(hands.see("n1").node), "");
  EXPECT_FALSE(hands.see("n1").closed);

  EXPECT_EQ(hands.act("n1", ask), "");
  hands.pass(std::chrono::hours(8) + seconds(30));  // the last job has left
  facts = hands.see("n1");
  EXPECT_EQ(plan::reboot_of(facts.node), "issued");
  EXPECT_FALSE(facts.answering);
  EXPECT_NE(hands.act("n1", plan::cancel_reboot(facts.closed_reason)), "") << "it has begun";
  hands.pass(minutes(5));
  facts = hands.see("n1");
  EXPECT_EQ(plan::reboot_of(facts.node), "");
  EXPECT_TRUE(facts.answering);
  EXPECT_FALSE(facts.closed) << facts.closed_reason;
  EXPECT_EQ(hands.act("n1", ask), "") << "done already";
  EXPECT_EQ(plan::reboot_of(hands.see("n1").node), "");
}

TEST(Actuator, AClosedNodeIsRebootedOnlyWhileItIsEmptyAndComesBackClosed) {
  Hands hands = hands_from(kPlace);
  for (const char* node : {"n1", "a1"}) {
    EXPECT_EQ(hands.act(node, plan::keep_closed("fans")), "");
    const plan::Special ask = ask_reboot(hands, node);
    const bool busy = node == std::string("n1");
    EXPECT_EQ(hands.act(node, ask).find("Slurm would open it after the boot") != std::string::npos, busy);
    hands.pass(minutes(5));
    EXPECT_TRUE(hands.see(node).closed);
    EXPECT_TRUE(hands.see(node).answering);
    EXPECT_EQ(hands.see(node).node.booted > hands.world.start, !busy);
  }
}

TEST(Actuator, ResetsGpusThatNobodyHasAndTellsTheRunWhetherTheyAreSound) {
  Hands hands = hands_from(kPlace);
  const plan::ResetGpus one{{GpuIndex{1}}};
  const auto word = [&](std::string_view key) {
    const plan::NodeFacts facts = hands.see("n1");
    const auto found = facts.words.find(std::string(key));
    return found == facts.words.end() ? "not told" : found->second;
  };
  EXPECT_EQ(hands.act("n1", plan::SetMark{}), "");
  EXPECT_NE(hands.act("n1", plan::read_reset_back(one.gpus)), "") << "nothing was reset";
  EXPECT_EQ(hands.act("n1", one), "");
  EXPECT_EQ(word(plan::resets::kDone), "1");
  EXPECT_EQ(word(plan::resets::kSound), "not told");
  EXPECT_EQ(hands.act("n1", plan::read_reset_back(one.gpus)), "");
  EXPECT_EQ(word(plan::resets::kSound), "1");
  Result<std::vector<World>> loaded = load_state(save_state({hands.world}), test::shared_catalogue());
  ASSERT_TRUE(loaded.ok()) << to_line(loaded.error());
  EXPECT_TRUE(loaded->front() == hands.world);
  EXPECT_NE(hands.act("n1", plan::ResetGpus{{GpuIndex{0}, GpuIndex{1}}}).find("In use by another client"),
            std::string::npos);

  hands.world.traps.push_back({parse_trap("reset-in-vain").value(), 0});
  EXPECT_EQ(hands.act("n1", one), "");
  EXPECT_NE(hands.act("n1", plan::read_reset_back(one.gpus)).find("still asks for a reset"),
            std::string::npos);
  EXPECT_EQ(word(plan::resets::kDone), "not told") << "whoever carries on resets it once more";
  EXPECT_EQ(hands.act("n1", one), "");
  EXPECT_EQ(hands.act("n1", plan::read_reset_back(one.gpus)), "");
}

TEST(Actuator, MarksForOneRunAndNotForTwo) {
  Hands hands = hands_from(kPlace);
  EXPECT_EQ(hands.act("n1", plan::SetMark{}), "");
  EXPECT_EQ(hands.see("n1").mark, mark_of("r1"));
  hands.run = "r2";
  EXPECT_NE(hands.act("n1", plan::SetMark{}).find("marked by tessera r1"), std::string::npos);
  EXPECT_EQ(hands.act("n1", plan::ClearMark{}), "") << "nothing of ours stands";
  EXPECT_EQ(hands.see("n1").mark->run, "r1");
  EXPECT_EQ(hands.act("n1", plan::SetMark{true}), "");
  ASSERT_EQ(marks_of(hands.world).size(), 1u);
  EXPECT_EQ(marks_of(hands.world)[0].mark.run, "r2");
  EXPECT_EQ(hands.act("n1", plan::ClearMark{}), "");
  EXPECT_TRUE(marks_of(hands.world).empty());
}

TEST(Actuator, ClosesWithItsMarkAndOpensOnlyWhatItClosed) {
  Hands hands = hands_from(kPlace);
  EXPECT_EQ(hands.act("n1", plan::CloseNode{"all-balanced"}), "");
  plan::NodeFacts facts = hands.see("n1");
  EXPECT_TRUE(facts.closed);
  EXPECT_EQ(facts.closed_reason, "tessera r1 root@login1: all-balanced");
  EXPECT_EQ(facts.closed_as->run, "r1");
  EXPECT_EQ(facts.node.health, Health::draining);
  hands.run = "r2";
  EXPECT_EQ(hands.act("n1", plan::OpenNode{}), "");
  EXPECT_TRUE(hands.see("n1").closed) << "another run's closing";
  hands.run = "r1";
  EXPECT_EQ(hands.act("n1", plan::OpenNode{}), "");
  EXPECT_FALSE(hands.see("n1").closed);
}

TEST(Actuator, StaysClosedThroughAReboot) {
  Hands hands = hands_from(kPlace);
  hands.act("n1", plan::CloseNode{"x"});
  reboot(hands, "n1");
  EXPECT_FALSE(hands.see("n1").answering);
  EXPECT_TRUE(hands.see("n1").closed);
  EXPECT_NE(hands.act("n1", create(1, {instance("1g.10gb", 0, 1)})).find("no route to host"),
            std::string::npos);
  hands.pass(minutes(5));
  EXPECT_TRUE(hands.see("n1").answering);
  EXPECT_EQ(hands.see("n1").closed_as->run, "r1");
  EXPECT_EQ(hands.see("n1").workloads.size(), 0u) << "it requeued one and lost the other";
  EXPECT_EQ(hands.act("n1", plan::OpenNode{}), "");
  EXPECT_FALSE(hands.see("n1").closed);
}

TEST(Actuator, DoesNotDestroyWhatIsHeldAndLeavesTheRest) {
  Hands hands = hands_from(kPlace);
  EXPECT_EQ(
      hands.act("n1", destroy(0, {instance("3g.40gb", 0, 4), instance("3g.40gb", 4, 4)})),
      "Unable to destroy compute instance ID  0 from GPU  0 GPU instance ID  2: In use by another client");
  EXPECT_EQ(hands.layout("n1", 0), "3g.40gb@4") << "the first of the list is gone";
  EXPECT_EQ(hands.act("n1", destroy(0, {instance("3g.40gb", 0, 4)})), "") << "what is gone is gone";
}

TEST(Actuator, CreatesWhereItIsTold) {
  Hands hands = hands_from(kPlace);
  hands.act("n1", destroy(0, {instance("3g.40gb", 0, 4)}));
  EXPECT_EQ(hands.act("n1", create(0, {instance("2g.20gb", 0, 2), instance("1g.10gb", 2, 1)})), "");
  EXPECT_EQ(hands.layout("n1", 0), "2g.20gb@0, 1g.10gb@2, 3g.40gb@4");
  EXPECT_EQ(hands.act("n1", create(0, {instance("2g.20gb", 0, 2)})), "") << "stands already";
  EXPECT_NE(hands.act("n1", create(0, {instance("2g.20gb", 2, 2)})).find("Insufficient Resources"),
            std::string::npos);
  EXPECT_EQ(hands.see("n1").advertised.at("gpu:1g.10gb"), 1);
  EXPECT_EQ(hands.see("n1").node.gpus[0].slices[2].holders.size(), 1u) << "its holder is where it was";
}

TEST(Actuator, LetsTheDriverChooseWherePlacesAreNotChosen) {
  Hands hands = hands_from(kPlace);
  hands.act("n1", plan::SetMode{{GpuIndex{1}}, true});
  EXPECT_EQ(hands.act("n1", create(1, {instance("1g.10gb", 0, 1), instance("2g.20gb", 0, 2)}, false)), "");
  EXPECT_EQ(hands.layout("n1", 1), "2g.20gb@4, 1g.10gb@6");
}

TEST(Actuator, TellsTheHoldersAgainWhoseDevicesAreRenumbered) {
  Hands hands = hands_from(kPlace);
  hands.act("n1", destroy(0, {instance("3g.40gb", 0, 4)}));
  EXPECT_EQ(hands.changes.nodes.size(), 1u);
  EXPECT_EQ(hands.changes.jobs.size(), 2u);
}

TEST(Actuator, SwitchesHopperAtOnceAndAmpereAfterAReset) {
  Hands hands = hands_from(kPlace);
  EXPECT_EQ(hands.act("n1", plan::SetMode{{GpuIndex{1}}, true}), "");
  EXPECT_EQ(hands.see("n1").node.gpus[1].mig_mode, MigMode::enabled);
  EXPECT_EQ(hands.act("a1", plan::SetMode{{GpuIndex{0}, GpuIndex{1}}, true}), "");
  EXPECT_EQ(hands.see("a1").node.gpus[1].mig_mode, MigMode::enable_pending);
  EXPECT_EQ(hands.act("a1", plan::ResetGpus{{GpuIndex{0}, GpuIndex{1}}}), "");
  EXPECT_EQ(hands.see("a1").node.gpus[1].mig_mode, MigMode::enabled);
  EXPECT_NE(hands.act("n1", plan::ResetGpus{{GpuIndex{1}, GpuIndex{0}}}).find("In use by another client"),
            std::string::npos);
  EXPECT_NE(hands.act("n1", plan::SetMode{{GpuIndex{0}}, false}).find("In use by another client"),
            std::string::npos);
}

TEST(Actuator, SharesWhatIsNotInUse) {
  Hands hands = hands_from(kPlace);
  EXPECT_EQ(hands.act("n1", share(1, Strategy::shard, 4)), "");
  EXPECT_EQ(hands.see("n1").node.gpus[1].slices[0].kind, SliceKind::shard);
  EXPECT_EQ(hands.see("n1").advertised.at("shard"), 4);
  EXPECT_EQ(hands.act("n1", share(1, Strategy::whole, 1)), "");
  EXPECT_EQ(hands.act("n1", share(2, Strategy::whole, 1)), "GPU 2: In use by another client");
  EXPECT_EQ(hands.act("n1", share(0, Strategy::mps, 4)), "GPU 0: MIG is on");
  EXPECT_EQ(hands.act("n1", share(1, Strategy::time_slicing, 4)), "Slurm hands time-slices out as shards");
  EXPECT_NE(hands.act("n1", share(1, Strategy::vgpu, 1)), "");
  EXPECT_NE(hands.act("n1", share(7, Strategy::whole, 1)), "");
}

TEST(Actuator, RequeuesOnlyWhatRestartsAndEndsWhatItIsToldTo) {
  Hands hands = hands_from(kPlace);
  WorkloadId held("80001"), stays("80002");
  ASSERT_EQ(hands.see("n1").workloads.size(), 2u);
  hands.act("n1", plan::CloseNode{"x"});
  EXPECT_EQ(hands.act("n1", plan::Evict{stays, plan::Way::requeue}), "80002 does not restart");
  EXPECT_EQ(hands.act("n1", plan::Evict{held, plan::Way::requeue}), "");
  EXPECT_EQ(hands.world.jobs.at(80001).state, JobState::pending);
  EXPECT_EQ(hands.see("n1").workloads.size(), 1u);
  EXPECT_EQ(hands.act("n1", plan::Evict{stays, plan::Way::cancel}), "");
  EXPECT_EQ(hands.see("n1").workloads[0].state, WorkloadState::completing);
  plan::Order order{NodeName("n1"), plan::Evict{stays, plan::Way::cancel}, mark_of("r1"), "s", Duration(0)};
  EXPECT_LE(over_at(hands.world, order), hands.world.now + seconds(12));
  hands.world.advance(over_at(hands.world, order));
  EXPECT_TRUE(hands.see("n1").workloads.empty());
  EXPECT_EQ(hands.act("n1", plan::Evict{stays, plan::Way::cancel}), "") << "away already";
}

TEST(Actuator, LetsWaitingWorkOntoNewSlicesOnceTheNodeIsOpen) {
  Hands hands = hands_from(std::string(kPlace) + "      - {name: small, want: 'gpu:1g.10gb:1', runs: 1h}\n");
  hands.act("n1", plan::CloseNode{"x"});
  hands.act("n1", plan::SetMode{{GpuIndex{1}}, true});
  hands.act("n1", create(1, {instance("1g.10gb", 0, 1)}));
  hands.pass(seconds(20));
  EXPECT_EQ(hands.world.jobs.at(80003).state, JobState::pending);
  hands.act("n1", plan::OpenNode{});
  hands.pass(seconds(20));
  EXPECT_EQ(hands.world.jobs.at(80003).state, JobState::running);
}

TEST(Actuator, DoesNotKnowOtherBackendsVerbsNorOtherNodes) {
  Hands hands = hands_from(kPlace);
  EXPECT_NE(hands.act("n1", plan::Special{"label-node", {}}).find("'label-node'"), std::string::npos);
  EXPECT_EQ(hands.act("gone", plan::SetMark{}), "the cluster does not list this node");
}

TEST(Actuator, OffersWhatItsSchedulerHasAWordFor) {
  using plan::simulator_capabilities;
  using plan::why_not_offered;
  EXPECT_NE(why_not_offered(simulator_capabilities(Scheduler::slurm), Strategy::time_slicing), "");
  EXPECT_EQ(why_not_offered(simulator_capabilities(Scheduler::slurm), Strategy::shard), "");
  EXPECT_EQ(why_not_offered(simulator_capabilities(Scheduler::kubernetes), Strategy::time_slicing), "");
  EXPECT_NE(why_not_offered(simulator_capabilities(Scheduler::kubernetes), Strategy::shard), "");
}

TEST(Actuator, MakesADrainThatExpiresNoReasonToCallANewLayoutInvalid) {
  Hands hands = hands_from(kPlace);
  hands.act("n1", destroy(0, {instance("3g.40gb", 0, 4)}));
  hands.pass(minutes(1));
  reboot(hands, "n1");
  hands.pass(minutes(5));
  EXPECT_EQ(hands.see("n1").node.health, Health::ok);
}

}  // namespace
}  // namespace tessera::sim
