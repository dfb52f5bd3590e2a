// Why a job waits for MPS of Slurm: it is handed out from one GPU of a node at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/why/why.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::why {
namespace mps_test {

using test::holds;
using test::node;
using test::Story;

Gpu mps(int index) { return test::gpu(index, Strategy::mps, {test::shared(SliceKind::mps, 100, index)}); }

// n1 with so many GPUs under MPS.
Story with_mps(int gpus) {
  std::vector<Gpu> all;
  for (int index = 0; index < gpus; ++index) all.push_back(mps(index));
  Story story;
  story.tell(NodesListed{{node("n1", std::move(all))}});
  return story;
}

Workload asks_for(int percent) {
  Workload one = test::waiting("7", "alice", "mps");
  one.reason = "Resources", one.origin.source = Source::slurm_jobs;
  one.requests.front().count = percent;
  return one;
}

Candidates on_n1(const Story& story, const Workload& work) {
  Site site;
  site.catalogue = &test::catalogue();
  const Answer answer = explain(story.cluster(), work, site);
  for (const Candidates& one : answer.nodes)
    if (one.nodes.front() == NodeName("n1")) return one;
  ADD_FAILURE() << "n1 is not looked at";
  return {};
}

// Slurm 22.05 on a real cluster: mps:50 waits while the other GPU's MPS is partly held.
TEST(WhyMps, WhileThatOfOneGpuIsInUseTheOtherGpusHaveNone) {
  Story story = with_mps(2);
  const Workload fits = asks_for(20), waits = asks_for(50);
  story.tell(WorkloadsListed{{test::running("1", "bob", {holds("n1", {{0, 75}}, Family::mps)}), waits}});
  const Candidates on = on_n1(story, waits);
  EXPECT_FALSE(on.fits);
  EXPECT_EQ(on.what.certainty, Certainty::likely) << "gres.conf may say all_sharing";
  EXPECT_NE(on.what.text.find("has 25 × mps left"), std::string::npos) << on.what.text;
  EXPECT_TRUE(on_n1(story, fits).fits);
  story.tell(WorkloadsListed{{waits}});
  EXPECT_TRUE(on_n1(story, waits).fits);
}

// With one_sharing slurmctld would not have given out MPS of two GPUs.
TEST(WhyMps, WhereThatOfTwoGpusIsInUseAllOfThemHandItOut) {
  Story story = with_mps(3);
  const Workload waits = asks_for(50);
  story.tell(WorkloadsListed{{test::running("1", "bob", {holds("n1", {{0, 75}}, Family::mps)}),
                              test::running("2", "eve", {holds("n1", {{1, 75}}, Family::mps)}), waits}});
  EXPECT_TRUE(on_n1(story, waits).fits);
}

// A real slurmctld 22.05 starts mps:50 on GPU 1 of two while a job has GPU 0 as a whole.
TEST(WhyMps, AGpuThatAJobHasAsAWholeLeavesThatOfTheOthers) {
  Story story = with_mps(2);
  const Workload waits = asks_for(50);
  const Workload whole = test::running("1", "bob", {holds("n1", {{0, 1}})});
  story.tell(WorkloadsListed{{whole, waits}});
  EXPECT_TRUE(on_n1(story, waits).fits);
  // With a job that has MPS of the other, that of one GPU is in use, and not of two.
  story.tell(
      WorkloadsListed{{whole, test::running("2", "eve", {holds("n1", {{1, 75}}, Family::mps)}), waits}});
  const Candidates on = on_n1(story, waits);
  EXPECT_FALSE(on.fits);
  EXPECT_NE(on.what.text.find("has 25 × mps left"), std::string::npos) << on.what.text;
}

// "100 of 200 × mps are free" beside a job that cannot start: the sum is not what a job can have.
TEST(WhyMps, WhatIsLeftOfTheOnlyOneInUseIsSaidAlsoWhereItIsNone) {
  Story story = with_mps(2);
  const Workload waits = asks_for(10);
  story.tell(WorkloadsListed{{test::running("1", "bob", {holds("n1", {{0, 100}}, Family::mps)}), waits}});
  const Candidates on = on_n1(story, waits);
  EXPECT_NE(on.what.text.find("has 0 × mps left"), std::string::npos) << on.what.text;
}

TEST(WhyMps, SharesWhoseHolderIsNotKnownAreNotCountedAsNoneLeft) {
  Story story = with_mps(2);
  const Workload waits = asks_for(50);
  story.tell(
      WorkloadsListed{{test::running("1", "bob", {test::holds_some("n1", "", 75, Family::mps)}), waits}});
  const Candidates on = on_n1(story, waits);
  EXPECT_FALSE(on.fits);
  EXPECT_EQ(on.what.certainty, Certainty::unknown) << on.what.text;
  EXPECT_EQ(on.what.text.find("has 0"), std::string::npos) << on.what.text;
}

}  // namespace mps_test
}  // namespace tessera::why
