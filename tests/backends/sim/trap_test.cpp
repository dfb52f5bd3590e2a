// Faults on demand: their words, when they strike, and what each of them does.
#include "backends/sim/trap.hpp"

#include "tests/backends/sim/hands.hpp"

namespace tessera::sim {
namespace {

using std::chrono::minutes;

constexpr std::string_view kTrapPlace = R"(
clusters:
  - name: c
    users: [ann]
    partitions: [p]
    nodes: [{names: "n[1-2]", product: H100-80GB-SXM5, gpus: 2, layouts: [empty, whole]}]
    jobs: [{name: waits, want: "gpu:h100:1", hold: JobHeldUser}]
    arrivals: [{every: 9d, want: "gpu:h100:1", name: lands, runs: 1h}]
)";

plan::CreateInstances four() {
  plan::CreateInstances all{GpuIndex{0}, {}, {}, true};
  for (int i = 0; i < 4; ++i) all.instances.push_back(instance("1g.10gb", i, 1));
  return all;
}

TEST(Trap, ReadsBackAsItWasWritten) {
  for (const TrapHelp& kind : trap_help()) {
    Result<Trap> bare = parse_trap(kind.word);
    ASSERT_TRUE(bare.ok()) << kind.word;
    EXPECT_EQ(to_text(*bare), kind.word);
    EXPECT_FALSE(kind.what.empty());
    Result<Trap> full = parse_trap(std::string(kind.word) + "  node=n1 nth=3 times=always");
    ASSERT_TRUE(full.ok()) << kind.word;
    EXPECT_EQ(to_text(*full), std::string(kind.word) + " node=n1 nth=3 times=always");
    EXPECT_EQ(*parse_trap(to_text(*full)), *full);
  }
  EXPECT_EQ(to_text(*parse_trap("answer-lost verb=set-mode times=4")), "answer-lost verb=set-mode times=4");
}

TEST(Trap, SaysWhatItDoesNotUnderstand) {
  auto why = [](std::string_view text) { return parse_trap(text).error().reason; };
  EXPECT_EQ(why(""), "it is empty");
  EXPECT_EQ(why("explode"), "'explode' is no kind of fault");
  EXPECT_EQ(why("in-use n1"), "'n1': KEY=VALUE is expected");
  EXPECT_EQ(why("in-use node="), "'node=' has no value");
  EXPECT_EQ(why("in-use nth=0"), "nth: a number from 1 to 1000000 is expected");
  EXPECT_EQ(why("in-use times=often"), "times: a number or 'always' is expected");
  EXPECT_EQ(why("in-use node=a node=b"), "'node' is there twice");
  EXPECT_EQ(why("in-use verb=dance"), "'dance' is no verb of a plan");
  EXPECT_EQ(why("in-use verb=set-mark"),
            "in-use is about destroy-instances set-mode reset-gpus configure reconfigure");
  EXPECT_EQ(why("wedges verb=set-mode"), "wedges is about reconfigure");
  EXPECT_EQ(why("silent verb=set-mark"), "silent counts looks: it has no verb");
  EXPECT_NE(parse_trap("explode").error().hint.find("create-stops"), std::string::npos);
}

class Traps : public ::testing::Test {
 protected:
  Hands hands = hands_from(kTrapPlace);
};

TEST_F(Traps, StrikeTheNthMatchingActionAndAreGoneThen) {
  hands.arm("answer-lost node=n1 verb=set-mark nth=2 times=2");
  EXPECT_EQ(hands.act("n2", plan::SetMark{}), "") << "another node";
  EXPECT_EQ(hands.act("n1", plan::ClearMark{}), "") << "another verb";
  EXPECT_EQ(hands.act("n1", plan::SetMark{}), "");
  EXPECT_NE(hands.act("n1", plan::SetMark{}), "");
  EXPECT_NE(hands.act("n1", plan::SetMark{}), "");
  EXPECT_EQ(hands.act("n1", plan::SetMark{}), "");
  EXPECT_TRUE(hands.world.traps.empty());
}

TEST_F(Traps, StopACreationHalfWay) {
  hands.arm("create-stops");
  EXPECT_NE(hands.act("n1", four()).find("Insufficient Resources"), std::string::npos);
  EXPECT_EQ(hands.layout("n1", 0), "1g.10gb@0, 1g.10gb@1");
  EXPECT_EQ(hands.act("n1", four()), "") << "once";
  EXPECT_EQ(hands.layout("n1", 0), "1g.10gb@0, 1g.10gb@1, 1g.10gb@2, 1g.10gb@3");
}

TEST_F(Traps, ComeBackForeverWhereTheyAreAskedTo) {
  hands.arm("in-use node=n1 times=always");
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(hands.act("n1", plan::SetMode{{GpuIndex{1}}, true}), "In use by another client");
  EXPECT_EQ(hands.act("n2", plan::SetMode{{GpuIndex{1}}, true}), "");
  EXPECT_EQ(hands.world.traps[0].seen, 0) << "what never ends is not counted on";
}

TEST_F(Traps, LeaveAModePendingUntilAReset) {
  hands.arm("mode-pends");
  EXPECT_EQ(hands.act("n1", plan::SetMode{{GpuIndex{1}}, true}), "");
  EXPECT_EQ(hands.see("n1").node.gpus[1].mig_mode, MigMode::enable_pending);
  EXPECT_EQ(hands.act("n1", plan::ResetGpus{{GpuIndex{1}}}), "");
  EXPECT_EQ(hands.see("n1").node.gpus[1].mig_mode, MigMode::enabled);
}

TEST_F(Traps, ClaimASuccessWithoutADevice) {
  hands.arm("no-device verb=create-instances");
  EXPECT_EQ(hands.act("n1", four()), "");
  EXPECT_EQ(hands.layout("n1", 0), "nothing");
}

TEST_F(Traps, LoseTheAnswerOfWhatWasDone) {
  hands.arm("answer-lost verb=create-instances");
  EXPECT_EQ(hands.act("n1", four()), "the connection was lost");
  EXPECT_EQ(hands.see("n1").node.gpus[0].slices.size(), 4u);
}

TEST_F(Traps, LandAJobAsTheNodeCloses) {
  hands.arm("job-lands");
  EXPECT_EQ(hands.act("n1", plan::CloseNode{"x"}), "");
  EXPECT_TRUE(hands.see("n1").closed);
  ASSERT_EQ(hands.see("n1").workloads.size(), 1u);
  EXPECT_EQ(hands.see("n1").workloads[0].name, "lands");
}

TEST_F(Traps, LetOthersDrainOpenAndMark) {
  hands.act("n1", plan::CloseNode{"x"});
  hands.arm("opened-by-other verb=set-mark");
  hands.act("n1", plan::SetMark{});
  EXPECT_FALSE(hands.see("n1").closed);
  hands.arm("drained-by-other verb=clear-mark");
  hands.act("n1", plan::ClearMark{});
  EXPECT_TRUE(hands.see("n1").closed);
  EXPECT_EQ(hands.see("n1").closed_as, std::nullopt);
  hands.arm("mark-taken verb=set-mark");
  EXPECT_NE(hands.act("n1", plan::SetMark{}), "");
  EXPECT_EQ(hands.see("n1").mark->run, "r-other");
}

TEST_F(Traps, RebootANodeWhoseInstancesAreGoneThen) {
  hands.act("n1", plan::CloseNode{"x"});
  hands.act("n1", four());
  hands.arm("reboots verb=set-mark");
  EXPECT_EQ(hands.act("n1", plan::SetMark{}), "") << "the mark is in the scheduler's books, not on the node";
  EXPECT_FALSE(hands.see("n1").answering);
  hands.pass(minutes(5));
  plan::NodeFacts facts = hands.see("n1");
  EXPECT_TRUE(facts.answering && facts.closed);
  EXPECT_EQ(facts.node.gpus[0].mig_mode, MigMode::disabled);
}

TEST_F(Traps, MakeAnOpenNodeInvalidWhenItsDevicesAreMissingAfterAReboot) {
  hands.act("n1", four());
  hands.arm("reboots verb=set-mark");
  hands.act("n1", plan::SetMark{});
  hands.pass(minutes(5));
  EXPECT_EQ(hands.see("n1").node.health, Health::invalid);
  EXPECT_TRUE(hands.see("n1").closed);
  hands.act("n1", plan::SetMode{{GpuIndex{0}}, true});
  hands.act("n1", four());
  EXPECT_FALSE(hands.see("n1").closed) << "registered anew with all its devices";
}

TEST_F(Traps, HideTheNodeForAFewLooks) {
  hands.arm("vanishes node=n1 times=2");
  EXPECT_NE(hands.act("n1", plan::SetMark{}), "");
  EXPECT_EQ(model_of(hands.world).clusters[0].nodes.size(), 1u) << "the console does not see it either";
  EXPECT_FALSE(hands.look_at("n1")->known);
  EXPECT_TRUE(hands.look_at("n2")->known);
  EXPECT_FALSE(hands.look_at("n1")->known);
  EXPECT_TRUE(hands.look_at("n1")->known);
  EXPECT_EQ(hands.act("n1", plan::SetMark{}), "");
}

TEST_F(Traps, SilenceTheNodeForGood) {
  hands.arm("silent node=n1 times=always");
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(hands.look_at("n1")->answering);
  EXPECT_NE(hands.act("n1", four()).find("no route to host"), std::string::npos);
  EXPECT_EQ(hands.act("n1", plan::CloseNode{"x"}), "") << "the scheduler does";
  EXPECT_EQ(model_of(hands.world).clusters[0].nodes.find(NodeName("n1"))->health, Health::down);
}

TEST_F(Traps, KeepTheClusterFromBeingRead) {
  hands.arm("unreadable nth=2 times=2");
  EXPECT_TRUE(hands.look_at("n1").ok());
  EXPECT_FALSE(hands.look_at("n2").ok());
  EXPECT_FALSE(hands.look_at("n1").ok());
  EXPECT_TRUE(hands.look_at("n1").ok());
}

TEST_F(Traps, TellWhoActsToDieBeforeOrAfter) {
  hands.arm("dies-before verb=set-mark");
  EXPECT_TRUE(hands.try_to("n1", plan::SetMark{}).dies);
  EXPECT_EQ(hands.see("n1").mark, std::nullopt);
  hands.arm("dies-after verb=set-mark");
  EXPECT_TRUE(hands.try_to("n1", plan::SetMark{}).dies);
  EXPECT_NE(hands.see("n1").mark, std::nullopt);
  EXPECT_FALSE(hands.try_to("n1", plan::SetMark{}).dies);
}

}  // namespace
}  // namespace tessera::sim
