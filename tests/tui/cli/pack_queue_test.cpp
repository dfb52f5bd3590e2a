// tessera pack --for-queue: what waits is the demand, and what of it is not planned for is told.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/json.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/asked_of_cluster.hpp"
#include "tests/tui/cli/fake_runs.hpp"

namespace tessera::cli::pack_story {
namespace {

// Two nodes were drained and 37 free slices destroyed for jobs that waited on. This one does not tell on how
// many nodes it may run, and n1 has room for three.
TEST(PackCommand, WhatIsMadeForTheQueueAndHelpsNoneOfItIsSaidAndNotMade) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb")};
  asked.work[0].group = "short";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("waiting: within 24 h: 1 starts sooner"), std::string::npos)
      << asked.out.str();
  asked.work[0].requests = {{"gpu:3g.40gb", 4}};
  asked.out.str("");
  EXPECT_EQ(asked.run(), kFinding) << asked.err.str();
  EXPECT_NE(asked.out.str().find("waiting: within 24 h: 0 start sooner"), std::string::npos)
      << asked.out.str();
  EXPECT_NE(asked.out.str().find("tessera advise names changes with which some start"), std::string::npos);
  asked.output = OutputFormat::json;
  asked.out.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  EXPECT_NE(asked.out.str().find("\"sooner\": 0"), std::string::npos) << asked.out.str();
  asked.apply_it = true;
  asked.err.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_NE(asked.err.str().find("none of it starts sooner"), std::string::npos) << asked.err.str();
  EXPECT_NE(asked.err.str().find("write 3g.40gb=4 in place of --for-queue"), std::string::npos)
      << asked.err.str();
}

// The words that it named ask for slices on any node, and so for another plan.
TEST(PackCommand, WhatHelpsNoneOfAQueueOnSomeNodesAloneNamesNoWordsForAll) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb")};
  asked.work[0].group = "short", asked.work[0].requests = {{"gpu:3g.40gb", 4}};
  asked.work[0].needs = NodeNeeds{};
  asked.work[0].needs->excluded = "n2";
  asked.apply_it = true;
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_NE(asked.err.str().find("none of it starts sooner"), std::string::npos) << asked.err.str();
  EXPECT_NE(asked.err.str().find("tessera advise names changes that help"), std::string::npos)
      << asked.err.str();
  EXPECT_EQ(asked.err.str().find("in place of --for-queue"), std::string::npos) << asked.err.str();
}

// A part of a job that has several is not played: whether it starts is not known, and not "no".
TEST(PackCommand, WhatIsNotPlayedIsNotTakenForWhatDoesNotStart) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("30+0", "bob", "gpu:3g.40gb")};
  asked.work[0].group = "short";
  asked.apply_it = true;
  EXPECT_EQ(asked.run(), kFinding) << "read-only";
  EXPECT_EQ(asked.err.str().find("none of it starts sooner"), std::string::npos) << asked.err.str();
  EXPECT_NE(asked.err.str().find("whether they start is not known: 1 jobs or pods"), std::string::npos)
      << asked.err.str();
}

// Which nodes job 7 may use is Slurm's to work out. The plan for it was told as one that serves all, and
// --apply drained a node for it.
TEST(PackCommand, WhatRestsOnAGuessIsAFindingAndMadeOnlyWhereSomethingElseStartsSooner) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb"), test::waiting("8", "bob", "gpu:3g.40gb")};
  for (Workload& one : asked.work) one.group = "short", one.needs = NodeNeeds{};
  asked.work[0].needs->features = "[rack1|rack2]";
  const Workload played = asked.work[1];
  asked.work.pop_back();
  EXPECT_EQ(asked.run(), kFinding) << asked.err.str();
  EXPECT_NE(asked.out.str().find("a guess for 1 of the jobs or pods"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("To make the change"), std::string::npos) << asked.out.str();
  asked.plan_it = true;
  EXPECT_EQ(asked.run(), kFinding) << asked.err.str();
  asked.plan_it = false, asked.apply_it = true, asked.err.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_NE(asked.err.str().find("none of it is known to start sooner within 24 h"), std::string::npos)
      << asked.err.str();
  EXPECT_EQ(asked.err.str().find("read-only"), std::string::npos) << "it was not begun";
  asked.work.push_back(played), asked.err.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_EQ(asked.err.str().find("known to start sooner"), std::string::npos) << asked.err.str();
  EXPECT_NE(asked.err.str().find("tessera is read-only by default"), std::string::npos) << asked.err.str();
}

TEST(PackCommand, TheQueueIsTheDemand) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb"), test::waiting("8", "bob", "gpu")};
  asked.work.push_back(test::waiting("9", "bob", "gpu:3g.40gb"));
  asked.work.back().reason = "Dependency";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("3g.40gb@"), std::string::npos) << asked.out.str();
  EXPECT_NE(
      asked.out.str().find("the queue: 1 jobs or pods ask for these slices or whole GPUs, 1 for shares, "
                           "GPUs whose type tells no product, or GPUs of AMD, "
                           "1 wait for something else than room"),
      std::string::npos)
      << asked.out.str();
  asked.output = OutputFormat::json;
  asked.out.str("");
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  auto document = parse_json(asked.out.str(), "pack");
  ASSERT_TRUE(document);
  EXPECT_EQ(
      to_line(*document->find("queue")),
      R"({"workloads":1,"other_requests":1,"other_reasons":1,"demand":{"3g.40gb":1},"of_any_product":0,"no_node":[]})");
}

// A GPU was cut for a job of a partition to which its node does not belong.
TEST(PackCommand, WhatNoNodeCouldGiveAtOnceIsNotPlannedForAndCountedWithTheReason) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb"), test::waiting("8", "bob", "gpu:3g.40gb")};
  asked.work[0].group = "short,long", asked.work[1].group = "long";
  EXPECT_EQ(asked.run(), kFinding) << "not all that waits has room";
  EXPECT_NE(asked.out.str().find("touches 1 GPU on 1 node"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("not counted: 1 jobs or pods; no node of partition long could give 1 × "
                                 "gpu:3g.40gb now, even with its GPUs changed\n"),
            std::string::npos)
      << asked.out.str();
  asked.plan_it = true, asked.err.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_NE(asked.err.str().find("not counted: 1 jobs or pods"), std::string::npos) << asked.err.str();
  asked.plan_it = false, asked.output = OutputFormat::json, asked.out.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  auto document = parse_json(asked.out.str(), "pack");
  ASSERT_TRUE(document);
  EXPECT_EQ(to_line(*document->find("queue")->find("no_node")),
            R"([{"workloads":1,"partition":"long","nodes":1,"request":"1 × gpu:3g.40gb"}])");
}

TEST(PackCommand, OnlyThePartitionThatIsNamedIsAskedAndPlanned) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.partition = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb"), test::waiting("8", "bob", "gpu:2g.20gb")};
  asked.work[0].group = "short,long";
  asked.work[1].group = "long";
  EXPECT_EQ(asked.run(), kUsage) << "no node is in it";
  EXPECT_NE(asked.err.str().find("no node is in partition \"short\""), std::string::npos) << asked.err.str();
  asked.nodes_in = "short";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("3g.40gb@"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("the queue: 1 jobs"), std::string::npos) << asked.out.str();
}

// It was told that "idle instances meet the demand", which says that something may start.
TEST(PackCommand, AQueueThatNamesNoGpuIsNotMet) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.work = {test::waiting("8", "bob", "gpu")};
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_EQ(asked.out.str().find("idle instances meet the demand"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("Nothing to do: the demand names no MIG slice and no whole GPU."),
            std::string::npos)
      << asked.out.str();
}

TEST(PackCommand, ANamespaceWithoutPodsIsTold) {
  AskedOfCluster asked;
  asked.scheduler = Scheduler::kubernetes;
  asked.for_queue = true;
  asked.partition = "nosuch";
  asked.work = {test::waiting("ml/7", "bob", "nvidia.com/mig-3g.40gb")};
  asked.work[0].group = "ml";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.err.str().find("--partition nosuch: no pod in that namespace holds or asks for GPUs"),
            std::string::npos)
      << asked.err.str();
  EXPECT_NE(asked.out.str().find("the demand names no MIG slice"), std::string::npos) << asked.out.str();
  asked.partition = "ml";
  asked.err.str("");
  (void)asked.run();
  EXPECT_EQ(asked.err.str().find("no pod in that namespace"), std::string::npos) << asked.err.str();
}

// One uncut GPU is free, and one is cut and in use.
TEST(PackCommand, AJobThatWaitsForAWholeGpuKeepsTheUncutOneFromBeingCut) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.work = {test::waiting("7", "bob", "gpu:4g.40gb"), test::waiting("8", "bob", "gpu:h100")};
  EXPECT_EQ(asked.run(), kFinding) << asked.out.str();
  EXPECT_NE(asked.out.str().find("the queue: 2 jobs or pods ask for these slices or whole GPUs, 0 for"),
            std::string::npos)
      << asked.out.str();
  EXPECT_NE(asked.out.str().find("unmet: 1 of 1"), std::string::npos) << asked.out.str();
  asked.work.pop_back();
  EXPECT_EQ(asked.run(), kDone) << "the same without that job: the uncut one is cut";
}

}  // namespace
}  // namespace tessera::cli::pack_story
