// Two moments compared, and what happened between two rounds.
#include "engine/record/difference.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/record/happened.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

// A node of which Slurm tells MIG types and no GPU.
Story with_pool(const std::string& profile, int count) {
  Story story;
  Node one = node("n1", {});
  for (int i = 0; i < count; ++i) {
    Slice& slice = one.pool.emplace_back();
    slice.kind = SliceKind::gpu_instance, slice.profile = ProfileName(profile);
  }
  story.tell(ClusterSeen{Scheduler::slurm, false, "", "", "hpc-1"});
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{}});
  return story;
}

record::Moment moment_of(Story& story, std::vector<record::RunNews> runs = {}) {
  static const std::set<std::string> none;
  return record::moment_of({story.cluster(), at(0), none, {}, {}, {}, std::move(runs)}, NodeName());
}

TEST(RecordDifference, SlicesWithoutAGpuThatAreCutOtherwiseAreAnotherLayout) {
  Story before = with_pool("1g.10gb", 7), after = with_pool("3g.40gb", 2);
  EXPECT_EQ(record::differences(before.cluster(), after.cluster()),
            (std::vector<record::Change>{{"n1", "layout", "7 × 1g.10gb", "2 × 3g.40gb"}}));
  EXPECT_TRUE(record::differences(before.cluster(), before.cluster()).empty());
}

insight::Finding finding(const std::string& subject, std::optional<int> gpu, const std::string& cause,
                         const std::string& text) {
  insight::Finding one;
  one.cluster = ClusterName("hpc"), one.subject = subject, one.is_node = true;
  if (gpu) one.gpu = GpuIndex{*gpu};
  one.cause = cause, one.text = text;
  return one;
}

TEST(RecordDifference, AFindingThatAppearedAndOneThatWentAwayAreChanges) {
  const std::vector<insight::Finding> before{
      finding("n1", 2, "MIG on, no slices", "GPU 2: MIG on, no slices"),
      finding("n2", {}, "rebooting", "is rebooting: kernel")};
  const std::vector<insight::Finding> after{finding("n1", 3, "MIG on, no slices", "GPU 3: MIG on, no slices"),
                                            finding("n2", {}, "rebooting", "is rebooting: kernel")};
  EXPECT_EQ(record::finding_differences(before, after),
            (std::vector<record::Change>{{"n1 GPU 2", "finding", "MIG on, no slices", ""},
                                         {"n1 GPU 3", "finding", "", "MIG on, no slices"}}));
}

TEST(RecordDifference, TheSameFindingWithAnotherCountOrAgeIsNoChange) {
  const std::vector<insight::Finding> before{
      finding("n1", {}, "draining: recut", "draining, 3 jobs left: recut, 2 min ago"),
      finding("n2", {}, "5 of 8 slices are held", "5 of 8 slices are held")};
  const std::vector<insight::Finding> after{
      finding("n1", {}, "draining: recut", "draining, 1 job left: recut, 1 h 02 min ago"),
      finding("n2", {}, "7 of 8 slices are held", "7 of 8 slices are held")};
  EXPECT_EQ(record::finding_differences(before, after), std::vector<record::Change>{});
}

// Its age is in its text, and "59 min" becomes "1 h 00 min".
TEST(RecordDifference, ASourceThatStillFailsIsNoChange) {
  Story story = with_pool("1g.10gb", 7);
  story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false, {}}, 0);
  story.tell(SourceReport{Source::slurm_nodes, Error{"no answer", "timed out", ""}, {}, "", false, {}}, 60);
  const auto found_at = [&](int seconds) {
    return insight::attention(story.cluster(), catalogue(), at(seconds));
  };
  ASSERT_EQ(found_at(600).size(), 1u);
  EXPECT_NE(found_at(600).front().text, found_at(7200).front().text);
  EXPECT_EQ(record::finding_differences(found_at(600), found_at(7200)), std::vector<record::Change>{});
  EXPECT_EQ(record::finding_differences({}, found_at(600)).size(), 1u);
}

// They share an identity, since a number alone tells them apart.
TEST(RecordDifference, OfTwoFindingsThatDifferByANumberTheOneThatWentAwayIsNamed) {
  const std::vector<insight::Finding> before{finding("n1", {}, "port 1 is down", "port 1 is down"),
                                             finding("n1", {}, "port 2 is down", "port 2 is down")};
  const std::vector<insight::Finding> after{finding("n1", {}, "port 2 is down", "port 2 is down")};
  EXPECT_EQ(record::finding_differences(before, after),
            (std::vector<record::Change>{{"n1", "finding", "port 1 is down", ""}}));
}

TEST(RecordDifference, AFindingOfAWholeClusterStandsUnderItsName) {
  insight::Finding one = finding("", {}, "", "two settings contradict each other");
  one.is_node = false;
  EXPECT_EQ(record::finding_differences({}, std::vector<insight::Finding>{one}),
            (std::vector<record::Change>{{"hpc", "finding", "", "two settings contradict each other"}}));
}

TEST(RecordHappened, SlicesWithoutAGpuThatAreCutOtherwiseAreANewLayout) {
  Story before = with_pool("1g.10gb", 7), after = with_pool("3g.40gb", 2), fewer = with_pool("1g.10gb", 6);
  const std::vector<std::string> cut{"new layout on n1"};
  EXPECT_EQ(record::happened(moment_of(before), moment_of(after)), cut);
  EXPECT_EQ(record::happened(moment_of(before), moment_of(fewer)), cut);
  EXPECT_TRUE(record::happened(moment_of(before), moment_of(before)).empty());
}

TEST(RecordHappened, ARunIsAnEventOfTheRoundThatTellsIt) {
  Story story = with_pool("1g.10gb", 7);
  const record::Moment told = moment_of(story, {{"r1", "parked: 2 jobs are on it", {NodeName("n1")}}});
  EXPECT_EQ(record::happened(moment_of(story), told),
            std::vector<std::string>{"run r1 parked: 2 jobs are on it"});
  EXPECT_TRUE(record::happened(told, moment_of(story)).empty());
}

}  // namespace
}  // namespace tessera::test
