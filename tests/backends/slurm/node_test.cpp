#include <gtest/gtest.h>

#include <algorithm>

#include "backends/slurm/explain.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

using Words = std::vector<std::string>;
const Origin kNodeOrigin{Source::slurm_nodes, TimePoint(std::chrono::seconds(1))};

Parsed<Node> nodes_in(std::string_view text, const mig::Catalogue* catalogue = nullptr) {
  return parse_nodes(text, kNodeOrigin, catalogue);
}

Node one_node(const std::string& fields) {
  auto parsed = nodes_in("NodeName=n1 State=IDLE " + fields);
  EXPECT_EQ(parsed.problem_count, 0u) << (parsed.problems.empty() ? "" : parsed.problems.front().what);
  EXPECT_EQ(parsed.values.size(), 1u);
  return parsed.values.empty() ? Node{} : parsed.values.front();
}

const Node& named(const Parsed<Node>& parsed, std::string_view name) {
  auto found = std::find_if(parsed.values.begin(), parsed.values.end(),
                            [&](const Node& n) { return n.name.text == name; });
  EXPECT_NE(found, parsed.values.end()) << name;
  return *found;
}

// "0:free 1:held ?:…": what Slurm itself says of each slice.
std::string told(const std::vector<Slice>& slices) {
  std::string text;
  for (const Slice& slice : slices) {
    text += text.empty() ? "" : " ";
    text += slice.device ? std::to_string(*slice.device) : "?";
    text += !slice.told_held ? "?" : *slice.told_held ? "+" : "-";
  }
  return text;
}
std::string told(const std::vector<Gpu>& gpus) {
  std::vector<Slice> slices;
  for (const Gpu& gpu : gpus) slices.insert(slices.end(), gpu.slices.begin(), gpu.slices.end());
  return told(slices);
}

// The line about a node in a file of tests/fixtures/nvidia-580.
std::string node_line(const std::string& file) {
  std::ifstream stream(test::source_dir() + "/tests/fixtures/nvidia-580/" + file);
  const std::string all{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t begin = all.find("\nNodeName=") + 1;
  return all.substr(begin, all.find('\n', begin) + 1 - begin);
}

TEST(SlurmNodeOfARealGpu, FoundByNvmlWithoutATypeItIsWholeAndFree) {
  const auto parsed = nodes_in(node_line("h200-slurmd.txt"));
  EXPECT_EQ(parsed.problem_count, 0u);
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(told(parsed.values[0].gpus), "0-");
  EXPECT_TRUE(parsed.values[0].pool.empty());
}

TEST(SlurmNodeOfARealGpu, SharedByShardsItSaysThatSomeAreHeld) {
  const auto parsed = nodes_in(node_line("h200-shared.txt"));
  EXPECT_EQ(parsed.problem_count, 0u);
  ASSERT_EQ(parsed.values.size(), 1u);
  ASSERT_EQ(parsed.values[0].gpus.size(), 1u);
  ASSERT_EQ(parsed.values[0].gpus[0].slices.size(), 1u);
  EXPECT_EQ(parsed.values[0].gpus[0].slices[0].kind, SliceKind::shard);
  EXPECT_EQ(told(parsed.values[0].gpus), "0+");
}

class SlurmNodeRecording : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Versions, SlurmNodeRecording, testing::Values("22.05", "24.11"));

TEST_P(SlurmNodeRecording, EveryNodeIsReadFieldByField) {
  auto parsed = nodes_in(recording(GetParam(), "node"));
  EXPECT_EQ(parsed.problem_count, 0u);
  ASSERT_EQ(parsed.values.size(), 6u);
  bool old = std::string(GetParam()) == "22.05";

  const Node& gpu01 = named(parsed, "gpu01");
  EXPECT_EQ(gpu01.state, old ? Words{"MIXED"} : (Words{"MIXED", "PLANNED"}));
  EXPECT_EQ(gpu01.health, Health::ok);
  EXPECT_EQ(gpu01.reason, "");
  EXPECT_EQ(gpu01.cpus, 64);
  EXPECT_EQ(gpu01.cpus_held, old ? 15 : 14);
  EXPECT_EQ(gpu01.memory, Mib{1000000});
  EXPECT_EQ(gpu01.partitions, (Words{"main", "whole"}));
  EXPECT_EQ(gpu01.features, (Words{"h100", "nvl"}));
  EXPECT_EQ(gpu01.agent, old ? "22.05.8" : "24.11.5");
  EXPECT_EQ(gpu01.booted, local("2026-11-21T02:14:15"));
  EXPECT_EQ(gpu01.origin, kNodeOrigin);
  ASSERT_EQ(gpu01.gpus.size(), 8u);
  EXPECT_TRUE(gpu01.pool.empty());
  EXPECT_EQ(gpu01.model, "h100");
  for (int i = 0; i < 8; ++i) {
    const Gpu& gpu = gpu01.gpus[static_cast<std::size_t>(i)];
    EXPECT_EQ(gpu.index.value, i);
    EXPECT_EQ(gpu.model, "h100");
    EXPECT_EQ(gpu.strategy, Strategy::whole);
    ASSERT_EQ(gpu.slices.size(), 1u);
    EXPECT_EQ(gpu.slices[0].kind, SliceKind::whole_gpu);
    EXPECT_EQ(gpu.slices[0].device, i);
    EXPECT_EQ(gpu.slices[0].holding, Holding::unknown);
  }
  EXPECT_EQ(told(gpu01.gpus), "0+ 1+ 2+ 3+ 4+ 5+ 6+ 7+");
  EXPECT_EQ(told(named(parsed, "gpu02").gpus), "0+ 1+ 2+ 3+ 4+ 5+ 6- 7-");

  const Node& mig01 = named(parsed, "mig01");
  EXPECT_TRUE(mig01.gpus.empty());
  ASSERT_EQ(mig01.pool.size(), 9u);
  EXPECT_EQ(mig01.pool[6].profile.text, "1g.10gb");
  EXPECT_EQ(mig01.pool[7].profile.text, "3g.40gb");
  EXPECT_EQ(mig01.pool[8].kind, SliceKind::gpu_instance);
  EXPECT_EQ(told(mig01.pool), "0+ 1+ 2+ 3+ 4+ 5+ 6+ 7+ 8+");

  const Node& mps01 = named(parsed, "mps01");
  ASSERT_EQ(mps01.gpus.size(), 2u);
  EXPECT_EQ(mps01.gpus[1].strategy, Strategy::mps);
  EXPECT_EQ(mps01.gpus[1].replicas, 100);
  ASSERT_EQ(mps01.gpus[1].slices.size(), 1u);
  EXPECT_EQ(mps01.gpus[1].slices[0].kind, SliceKind::mps);
  EXPECT_EQ(mps01.gpus[1].slices[0].capacity, 100);
  EXPECT_EQ(told(mps01.gpus), "0+ 1-");

  const Node& shard01 = named(parsed, "shard01");
  ASSERT_EQ(shard01.gpus.size(), 4u);
  EXPECT_EQ(shard01.gpus[0].strategy, Strategy::shard);
  EXPECT_EQ(shard01.gpus[0].slices[0].capacity, 4);
  EXPECT_EQ(told(shard01.gpus), "0+ 1+ 2- 3-");  // 1 is held whole, 0 by shards

  const Node& cpu01 = named(parsed, "cpu01");
  EXPECT_TRUE(cpu01.gpus.empty());
  EXPECT_EQ(cpu01.state, (Words{"MIXED", "DRAIN"}));
  EXPECT_EQ(cpu01.health, Health::draining);
  EXPECT_EQ(cpu01.reason, "fan failure, ticket #123 [ops]");
  EXPECT_EQ(cpu01.reason_by, "root");
  EXPECT_EQ(cpu01.reason_at, local(old ? "2026-11-21T02:36:31" : "2026-11-21T02:41:43"));
}

TEST(SlurmNodeComment, ThePodOfASlinkyNodeIsReadAndOtherCommentsAreHarmless) {
  const Node slinky =
      one_node(R"(Reason=slurm-operator: cordoned [root@2026-11-22T03:00:00] Comment={"namespace":"slurm",)"
               R"("podName":"gpu-0","node":"dgx-01"} Extra=x)");
  ASSERT_TRUE(slinky.host_pod);
  EXPECT_EQ(*slinky.host_pod, (HostPod{"slurm", "gpu-0"}));
  EXPECT_FALSE(one_node("Comment=rack 7 = b, \"podName\"").host_pod);
  EXPECT_FALSE(one_node("Comment={\"namespace\":\"s\",\"podName\":\"p\"").host_pod) << "cut short";
  EXPECT_FALSE(one_node("Comment={\"namespace\":\"s\",\"podName\":\"p State=DOWN\"}").host_pod);
}

TEST(SlurmNodeMemory, WhatIsAllocatedIsReadAndWhatIsNotTellableIsNotKnown) {
  EXPECT_EQ(one_node("RealMemory=1000 AllocMem=300").memory_held, Mib{300});
  EXPECT_EQ(one_node("RealMemory=1000 AllocMem=-3").memory_held, std::nullopt);
  EXPECT_EQ(one_node("RealMemory=1000").memory_held, std::nullopt);
}

// Two jobs with --mem=600 found room for one of them on 1000 MiB that Slurm does not hand out.
TEST(SlurmNodeMemory, WhereSlurmHandsOutNoMemoryHowMuchIsHeldIsNotKnown) {
  const auto held = [](const std::string& fields, std::string_view select) {
    std::vector<Node> nodes{one_node("RealMemory=1000 " + fields)};
    forget_untracked_memory(nodes, select);
    return nodes.front().memory_held;
  };
  EXPECT_EQ(held("CPUAlloc=0 AllocMem=0", "CR_CORE"), std::nullopt);
  EXPECT_EQ(held("CPUAlloc=0 AllocMem=0", "CR_CORE_MEMORY"), Mib{0});
  EXPECT_EQ(held("CPUAlloc=8 AllocMem=300", "CR_CPU_MEMORY,CR_ONE_TASK_PER_CORE"), Mib{300});
  EXPECT_EQ(held("CPUAlloc=8 AllocMem=0", ""), std::nullopt) << "the settings were not read yet";
  EXPECT_EQ(held("CPUAlloc=0 AllocMem=0", ""), Mib{0}) << "nothing runs there";
}

// 64 CPUs were told of a node of which jobs are given 60.
TEST(SlurmNode, CoresAndMemoryThatAreKeptForTheSystemAreNotForJobs) {
  const Node kept = one_node(
      "CPUAlloc=0 CPUEfctv=60 CPUTot=64 RealMemory=1000 AllocMem=0 CoreSpecCount=2 CPUSpecList=60-63 "
      "MemSpecLimit=100");
  EXPECT_EQ(kept.cpus, 60);
  EXPECT_EQ(kept.memory, Mib{900});
  const Node odd = one_node("CPUEfctv=0 CPUTot=64 RealMemory=1000 MemSpecLimit=2000");
  EXPECT_EQ(odd.cpus, 64);
  EXPECT_EQ(odd.memory, Mib{1000});
}

TEST(SlurmNode, FlagsAreNamedWhicheverWayTheyAreWritten) {
  EXPECT_EQ(split_state("IDLE"), (Words{"IDLE"}));
  EXPECT_EQ(split_state("IDLE+DRAIN+INVALID_REG"), (Words{"IDLE", "DRAIN", "INVALID_REG"}));
  EXPECT_EQ(split_state("DOWN*+DRAIN"), (Words{"DOWN", "NOT_RESPONDING", "DRAIN"}));
  EXPECT_EQ(split_state("DOWN+DRAIN+NOT_RESPONDING"), (Words{"DOWN", "DRAIN", "NOT_RESPONDING"}));
  EXPECT_EQ(split_state("IDLE~"), (Words{"IDLE", "POWERED_DOWN"}));
  EXPECT_EQ(split_state("MIXED#*"), (Words{"MIXED", "NOT_RESPONDING", "POWERING_UP"}));
  EXPECT_EQ(split_state(""), Words{});
}

TEST(SlurmNode, HealthFollowsTheWorstFlag) {
  struct Case {
    const char* state;
    Health health;
  };
  for (const Case& c : {Case{"IDLE", Health::ok},
                        Case{"MIXED+PLANNED", Health::ok},
                        Case{"IDLE+MAINTENANCE+RESERVED", Health::ok},
                        Case{"ALLOCATED+DRAIN", Health::draining},
                        Case{"IDLE+COMPLETING+DRAIN", Health::draining},
                        Case{"IDLE+DRAIN", Health::drained},
                        Case{"IDLE+FAIL", Health::drained},
                        Case{"DOWN", Health::down},
                        Case{"DOWN+DRAIN+REBOOT_ISSUED", Health::down},
                        Case{"IDLE*", Health::down},
                        Case{"IDLE+CLOUD+POWERED_DOWN", Health::down},
                        Case{"IDLE+POWERING_DOWN", Health::down},
                        Case{"MIXED+POWER_DOWN", Health::draining},
                        Case{"ALLOCATED!", Health::draining},
                        Case{"IDLE+POWER_DOWN", Health::down},
                        Case{"IDLE+POWERING_UP", Health::unknown},
                        Case{"MIXED#*", Health::unknown},
                        Case{"DOWN+POWERING_UP", Health::down},
                        Case{"ALLOCATED+DRAIN+POWERING_UP", Health::draining},
                        Case{"ERROR+POWER_DOWN", Health::down},
                        Case{"IDLE+DRAIN+INVALID_REG", Health::invalid},
                        Case{"UNKNOWN", Health::unknown},
                        Case{"UNKNOWN+DRAIN", Health::drained},
                        Case{"FUTURE", Health::unknown},
                        Case{"MIXED+REBOOT_REQUESTED", Health::ok}})
    EXPECT_EQ(health_of(split_state(c.state)), c.health) << c.state;
}

// Written from the documented formats, not recorded.
TEST(SlurmNode, TheKeysOfLaterVersionsAreNoPartOfAReason) {
  auto parsed = nodes_in(
      "NodeName=a State=IDLE+DRAIN Reason=fan [ops@2026-11-21T02:36:31] Topology=default:s0 Parameters=x=1\n"
      "NodeName=b State=DOWN Reason=disk [ops@2026-11-21T02:36:31] Comment=c d TLSCertLastRenewal=Never\n");
  ASSERT_EQ(parsed.values.size(), 2u);
  EXPECT_EQ(parsed.values[0].reason, "fan");
  EXPECT_EQ(parsed.values[0].reason_by, "ops");
  EXPECT_EQ(parsed.values[1].reason, "disk");
}

// From 25.11 on an invalid node is not drained as well.
TEST(SlurmNode, AnInvalidNodeThatIsNotDrainedIsInvalidAndNotClosedByAnybody) {
  auto parsed = nodes_in("NodeName=a State=IDLE+INVALID_REG Reason=gres/gpu count too low [slurm@Unknown]\n");
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(parsed.values[0].health, Health::invalid);
  EXPECT_EQ(parsed.values[0].reason, "gres/gpu count too low");
  EXPECT_FALSE(is_closed(parsed.values[0]));
}

TEST(SlurmNode, AReasonThatOutlivedItsDrainIsNotShown) {
  auto parsed = nodes_in(
      "NodeName=a State=IDLE Reason=pulled [root@2026-11-21T02:36:31]\n"
      "NodeName=b State=IDLE+DRAIN Reason=x [y] [ops@2026-11-21T02:36:31] Comment=see wiki "
      "ReservationName=maint1\n"
      "NodeName=c State=MIXED+REBOOT_REQUESTED Reason=reboot requested [root@Unknown]\n"
      "NodeName=d State=DOWN Reason=Not responding\n");
  ASSERT_EQ(parsed.values.size(), 4u);
  EXPECT_EQ(parsed.values[0].reason, "");
  EXPECT_EQ(parsed.values[1].reason, "x [y]");
  EXPECT_EQ(parsed.values[1].reason_by, "ops");
  EXPECT_EQ(parsed.values[1].reservation, "maint1");
  EXPECT_EQ(parsed.values[2].reason, "reboot requested");
  EXPECT_EQ(parsed.values[2].reason_at, std::nullopt);
  EXPECT_EQ(parsed.values[3].reason, "Not responding");
  EXPECT_EQ(parsed.values[3].reason_by, "");
}

TEST(SlurmNode, WhatTheControllerHandsOutIsKeptInItsOwnWords) {
  using Counts = std::map<std::string, std::int64_t>;
  EXPECT_EQ(
      one_node("Gres=gpu:h100:2(S:0),gpu:1g.10gb:7,gpu:1g.10gb:7,shard:h100:16,craynetwork:4").allocatable,
      (Counts{{"gpu:1g.10gb", 14}, {"gpu:h100", 2}, {"shard:h100", 16}}));
  EXPECT_EQ(one_node("Gres=gpu:4").allocatable, (Counts{{"gpu", 4}}));
  EXPECT_EQ(one_node("Gres=(null)").allocatable, Counts{}) << "told, and nothing";
  EXPECT_EQ(one_node("").allocatable, std::nullopt) << "not told";
  EXPECT_EQ(nodes_in("NodeName=n1 State=IDLE Gres=gpu:h100:2,:4").values.at(0).allocatable, std::nullopt)
      << "not understood";
}

TEST(SlurmNode, DevicesAreCountedOverAllTypes) {
  Node mixed = one_node("Gres=gpu:h100:2,gpu:1g.10gb:3 GresUsed=gpu:h100:1(IDX:0),gpu:1g.10gb:2(IDX:2,4)");
  ASSERT_EQ(mixed.gpus.size(), 2u);
  ASSERT_EQ(mixed.pool.size(), 3u);
  EXPECT_EQ(told(mixed.gpus), "0+ 1-");
  EXPECT_EQ(told(mixed.pool), "2+ 3- 4+");
}

TEST(SlurmNode, WhatIsInUseGivesAnotherOrderAway) {
  Node mixed = one_node("Gres=gpu:h100:2,gpu:1g.10gb:3 GresUsed=gpu:h100:1(IDX:4),gpu:1g.10gb:1(IDX:1)");
  EXPECT_EQ(told(mixed.gpus), "3- 4+");
  EXPECT_EQ(mixed.gpus[0].index.value, 3);
  EXPECT_EQ(told(mixed.pool), "0- 1+ 2-");
}

TEST(SlurmNode, IndicesThatCannotBeAreNotBelieved) {
  auto parsed = nodes_in("NodeName=n State=IDLE Gres=gpu:h100:2 GresUsed=gpu:h100:1(IDX:7)");
  EXPECT_EQ(parsed.problem_count, 1u);
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(told(parsed.values[0].gpus), "?? ??");
}

TEST(SlurmNode, CountsWithoutIndicesSayOnlyAllOrNone) {
  EXPECT_EQ(told(one_node("Gres=gpu:h100:3 GresUsed=gpu:h100:2").gpus), "0? 1? 2?");
  EXPECT_EQ(told(one_node("Gres=gpu:h100:3 GresUsed=gpu:h100:3").gpus), "0+ 1+ 2+");
  EXPECT_EQ(told(one_node("Gres=gpu:h100:3 GresUsed=gpu:h100:0").gpus), "0- 1- 2-");
  EXPECT_EQ(told(one_node("Gres=gpu:h100:3").gpus), "0? 1? 2?");
  EXPECT_EQ(told(one_node("Gres=gpu:2(S:0) GresUsed=gpu:(null):1(IDX:1)").gpus), "0- 1+");
}

TEST(SlurmNode, SharesSpreadOverTheGpusOfTheirType) {
  Node uneven = one_node("Gres=gpu:h100:3,shard:8");
  ASSERT_EQ(uneven.gpus.size(), 3u);
  EXPECT_EQ(uneven.gpus[0].slices[0].capacity, 2);
  EXPECT_EQ(uneven.gpus[1].slices[0].capacity, 3);
  EXPECT_EQ(uneven.gpus[2].slices[0].capacity, 3);
  Node told_by_slurm =
      one_node("Gres=gpu:h100:2,mps:h100:150 GresUsed=gpu:h100:0(IDX:N/A),mps:h100:20(0/50,20/100)");
  EXPECT_EQ(told_by_slurm.gpus[0].slices[0].capacity, 50);
  EXPECT_EQ(told_by_slurm.gpus[1].slices[0].capacity, 100);
  EXPECT_EQ(told(told_by_slurm.gpus), "0- 1+");
  Node partly = one_node("Gres=gpu:a100:1,gpu:h100:1,shard:h100:4");
  EXPECT_EQ(partly.gpus[0].strategy, Strategy::whole);
  EXPECT_EQ(partly.gpus[1].strategy, Strategy::shard);
  Node both = one_node("Gres=gpu:h100:1,mps:100,shard:4");
  EXPECT_EQ(both.gpus[0].slices.size(), 2u);
  EXPECT_TRUE(one_node("Gres=shard:4").gpus.empty());
}

TEST(SlurmNode, TheCatalogueNamesProductsWhereItKnowsExactlyOne) {
  auto catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue) << to_line(catalogue.error());
  auto parsed = nodes_in(
      "NodeName=a State=IDLE ActiveFeatures=x Gres=gpu:a30:2\n"
      "NodeName=b State=IDLE ActiveFeatures=h100 Gres=gpu:1g.10gb:7\n"
      "NodeName=c State=IDLE Gres=gpu:nothing_known:1\n",
      &*catalogue);
  ASSERT_EQ(parsed.values.size(), 3u);
  ASSERT_EQ(parsed.values[0].gpus.size(), 2u);
  ASSERT_TRUE(parsed.values[0].gpus[0].product);
  EXPECT_NE(catalogue->by_key(parsed.values[0].gpus[0].product->text), nullptr);
  EXPECT_EQ(parsed.values[1].model, "h100");
  EXPECT_EQ(parsed.values[2].gpus[0].product, std::nullopt);
}

TEST(SlurmNode, OneBadRecordDoesNotLoseTheOthers) {
  auto parsed = nodes_in(
      "slurm_load_node error: something\nNodeName=a State=IDLE Gres=gpu:h100:1\nNodeName= State=IDLE\n"
      "NodeName=b Gres=gpu:h100:999999 State=IDLE\nNodeName=c Gres=gpu:x:(((,, State=IDLE\nNodeName=d");
  ASSERT_EQ(parsed.values.size(), 4u);
  EXPECT_EQ(parsed.problem_count, 5u);
  EXPECT_EQ(parsed.problems[0].line, 1);
  EXPECT_EQ(parsed.problems[1].line, 3);
  EXPECT_TRUE(named(parsed, "b").gpus.empty());
  EXPECT_EQ(named(parsed, "d").health, Health::unknown);
  EXPECT_EQ(nodes_in("No nodes in the system\n").problem_count, 0u);
  EXPECT_EQ(nodes_in("").values.size(), 0u);
}

// An entry that cannot be read may stand before those that can.
TEST(SlurmNode, BesideACountThatCannotBeReadDevicesAreNotNumbered) {
  const auto parsed = nodes_in("NodeName=a State=IDLE Gres=gpu:h100:2,gpu:a100:-5\n");
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_TRUE(parsed.incomplete);
  EXPECT_EQ(told(parsed.values[0].gpus), "?? ??");
}

// A list of 100 MB was read to its end, long after the command that asked for it had given up.
TEST(SlurmNode, AListThatIsNotWaitedForAnyMoreIsReadNoFurther) {
  int asked = 0;
  const auto parsed = parse_nodes("NodeName=a State=IDLE\nNodeName=b State=IDLE\nNodeName=c State=IDLE\n",
                                  kNodeOrigin, nullptr, [&] { return ++asked > 1; });
  EXPECT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(asked, 2);
  EXPECT_TRUE(distrust("cannot list the nodes", "NodeName=a State=IDLE\n", parsed))
      << "what was read until then is no list";
}

TEST(SlurmNode, HostileTextIsMadeSafe) {
  using namespace std::string_literals;
  std::string nul = "NodeName=a\0b State=DOWN Reason=\x1b]0;x\x07 caf\xe9 \xff"s;
  auto parsed = nodes_in(nul + " [ro\x1bot@2026-11-21T02:36:31]\n");
  ASSERT_EQ(parsed.values.size(), 1u);
  for (const std::string& text :
       {parsed.values[0].name.text, parsed.values[0].reason, parsed.values[0].reason_by})
    for (char c : text) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20 || c == 0x7f) << text;
  auto huge = nodes_in("NodeName=a State=DOWN Reason=" + std::string(10 << 20, 'x'));
  ASSERT_EQ(huge.values.size(), 1u);
  EXPECT_LE(huge.values[0].reason.size(), 4096u);
}

TEST(SlurmNode, EveryTruncationOfARecordingIsRead) {
  std::string text = recording("24.11", "node");
  for (std::size_t size = 0; size < text.size(); size += 7) {
    auto parsed = nodes_in(std::string_view(text).substr(0, size));
    EXPECT_LE(parsed.values.size(), 6u);
  }
}

}  // namespace
}  // namespace tessera::slurm
