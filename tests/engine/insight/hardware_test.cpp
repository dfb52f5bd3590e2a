// Xids, ECC errors and remapped rows in people's and programs' own words, and findings about one GPU.
#include "engine/insight/hardware.hpp"

#include <gtest/gtest.h>

#include "engine/insight/attention.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::insight {
namespace {

TEST(Hardware, AnXidIsFoundHoweverItIsWritten) {
  EXPECT_EQ(xid_in("Xid 79"), 79);
  EXPECT_EQ(xid_in("GPU 3: XID=94, see ticket 12"), 94);
  EXPECT_EQ(xid_in("NVRM: Xid (PCI:0000:3b:00): 48, pid=1234, name=python"), 48);
  EXPECT_EQ(xid_in("gpu-0 (gpu.nvidia.com/xid=79:NoSchedule)"), 79);
  EXPECT_EQ(xid_in("xid: 119"), 119);
  EXPECT_EQ(xid_in("GpuXid 63"), 63);
  for (const char* none : {"", "xid", "Xid ", "oxide 79", "taxid 5", "xid 99999", "Xid (PCI:0000:3b:00)"})
    EXPECT_EQ(xid_in(none), std::nullopt) << none;
}

TEST(Hardware, EachKnownXidSaysWhatToDoAndOthersWhereToLook) {
  EXPECT_EQ(hardware_advice("Xid 79"),
            "Xid 79: the GPU has fallen off the bus: power-cycle the node, and look at power, seating and "
            "temperature where that comes back");
  EXPECT_NE(hardware_advice("XID 95 on GPU 2").find("close the node and reset the GPU"), std::string::npos);
  EXPECT_NE(hardware_advice("Xid 7").find("NVIDIA's Xid catalog"), std::string::npos);
}

TEST(Hardware, EccAndRemappedRowsAreKnownWithoutAnXid) {
  EXPECT_NE(hardware_advice("row remap pending on GPU 4").find("reset the GPU once it is empty"),
            std::string::npos);
  EXPECT_NE(hardware_advice("Row remapping failure").find("replace it"), std::string::npos);
  EXPECT_NE(hardware_advice("uncorrectable ECC errors").find("nvidia-smi -q -d ECC"), std::string::npos);
  EXPECT_EQ(hardware_advice("fan failure, ticket 123"), "");
  EXPECT_EQ(hardware_advice("spec recce"), "");
}

TEST(Hardware, AResetIsTheWayOutOfWhatTheGpuHasAndNotOfWhatAProgramDid) {
  for (const char* yes :
       {"Xid 63", "Xid 95 on GPU 2", "XID 119", "row remap pending on GPU 4", "uncorrectable ECC errors"})
    EXPECT_TRUE(reset_helps(yes)) << yes;
  for (const char* no : {"", "fans are loud", "Xid 13", "Xid 31", "Xid 64", "Xid 79", "Xid 43",
                         "row remapping failure", "GPU has fallen off the bus"})
    EXPECT_FALSE(reset_helps(no)) << no;
}

TEST(Hardware, TheGpuOfATextIsFoundWhereItNamesExactlyOne) {
  for (const char* three :
       {"GPU 3: Xid 63", "Xid 63 on gpu3", "row remap pending, GPU #3", "GPU 3 and again GPU 3", "GPU=3"})
    EXPECT_EQ(gpu_in(three), 3) << three;
  for (const char* none :
       {"", "Xid 63", "GPU 3 and GPU 4", "GPU 2,5", "GPU 2-5", "GPU 2 and 5", "GPU: 3 ECC errors",
        "gpu:h100:8", "GPU 0000:3b:00.0", "GPU h100", "ggpu 3", "GPU 1234", "GPU", "GPU ", "GPU 3rd"})
    EXPECT_FALSE(gpu_in(none)) << none;
}

// Two GPUs, of which alice holds the second, and what the source of their figures remarks on that node.
test::Story with_remark(Remark remark, Health health = Health::ok, bool held = true) {
  Gpu second = test::gpu(3, Strategy::whole, {test::whole(3)});
  second.uuid = "GPU-77";
  Node there = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)}), second});
  there.health = health;
  test::Story story;
  story.tell(NodesListed{{there}});
  story.tell(WorkloadsListed{{test::running("5", "alice", {test::holds("n1", {{held ? 3 : 0, 1}})})}});
  story.tell(Loaded{});
  story.tell(RemarksListed{Source::dcgm, {std::move(remark)}});
  return story;
}
Finding remarked(const test::Story& story) {
  for (const Finding& one : attention(story.cluster(), test::catalogue(), test::at(0)))
    if (one.source == Source::dcgm) return one;
  ADD_FAILURE() << "the remark is no finding";
  return {};
}

// Enter went to the node, and L to a layout of all of its GPUs.
TEST(RemarkedFaults, ARemarkOnOneGpuIsAFindingAboutThatGpu) {
  Remark told{Remark::Grade::danger, "n1", true, "a row failed", ""};
  told.gpu = GpuIndex{3};
  EXPECT_EQ(remarked(with_remark(told)).gpu, GpuIndex{3});
  told.gpu = GpuIndex{7};
  EXPECT_EQ(remarked(with_remark(told)).gpu, std::nullopt) << "the node has no such GPU";
  const auto named = [](const std::string& text) {
    return remarked(with_remark({Remark::Grade::danger, "n1", true, text, ""})).gpu;
  };
  EXPECT_EQ(named("condition GpuMemWatch reports a fault: GPU_UUID:GPU-77"), GpuIndex{3});
  EXPECT_EQ(named("condition GpuThermalWatch reports a fault: GPU:3 is throttled"), GpuIndex{3});
  for (const char* none : {"no GPU is offered", "GPU 0 and GPU 3 are hot", "GPU 7: Xid 79"})
    EXPECT_EQ(named(none), std::nullopt) << none;
}

// "Node gpu3 status is now: NodeReady" is about the node.
TEST(RemarkedFaults, ANodesNameIsNoNumberOfAGpu) {
  test::Story story;
  story.tell(NodesListed{{test::node("gpu3", {test::gpu(3, Strategy::whole, {test::whole(3)})})}});
  const auto named = [&](const std::string& text) {
    story.tell(RemarksListed{Source::dcgm, {{Remark::Grade::info, "gpu3", true, text, ""}}});
    return remarked(story).gpu;
  };
  EXPECT_EQ(named("Node gpu3 status is now: NodeReady"), std::nullopt);
  EXPECT_EQ(named("Xid 63 on GPU 3"), GpuIndex{3});
}

// FOLLOWS was empty.
TEST(RemarkedFaults, WhatFollowsFromAFaultIsWhoIsOnThatGpuAndWhetherMoreIsPlacedThere) {
  Remark fault{Remark::Grade::danger, "n1", true, "GPU 3: remapping a row of its memory failed", ""};
  fault.gpu = GpuIndex{3};
  EXPECT_EQ(remarked(with_remark(fault)).follows,
            "job 5 of alice holds this GPU and may fail; new work can still be placed on it");
  EXPECT_EQ(remarked(with_remark(fault, Health::drained, false)).follows,
            "no job holds this GPU; its node takes no new work");
  fault.gpu = GpuIndex{7};
  EXPECT_EQ(remarked(with_remark(fault)).follows,
            "what runs on this GPU may fail; whether new work is placed on it is not known");
}

TEST(RemarkedFaults, TheCommandsOfARemarkAreThoseOfItsFinding) {
  Remark told{Remark::Grade::danger, "n1", true, "a row failed", ""};
  told.commands = {"ssh n1 dmesg -T"};
  EXPECT_EQ(remarked(with_remark(told)).commands,
            (std::vector<std::string>{"scontrol show node n1", "ssh n1 dmesg -T"}));
  told.subject = "Job ml/train", told.is_node = false;
  EXPECT_EQ(remarked(with_remark(told)).commands, std::vector<std::string>{"ssh n1 dmesg -T"});
}

}  // namespace
}  // namespace tessera::insight
