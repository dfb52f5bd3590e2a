// Two moments compared, and what happened between two rounds.
#include "engine/record/difference.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
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

// "Nothing changed" was told of it, since an identity leaves numbers out.
TEST(RecordDifference, ANumberThatNamesWhatAFindingIsAboutIsAChange) {
  const auto one = [](const char* text) { return std::vector{finding("n1", {}, text, text)}; };
  for (const auto& [before, after] :
       {std::pair{"port 1 is down", "port 2 is down"},
        {"mlx5_0 is down", "mlx5_1 is down"},
        {"its DRA driver keeps new pods off device 0", "its DRA driver keeps new pods off device 3"}})
    EXPECT_EQ(record::finding_differences(one(before), one(after)),
              (std::vector<record::Change>{{"n1", "finding", before, ""}, {"n1", "finding", "", after}}));
  for (const auto& [before, after] :
       {std::pair{"port 1 was down 3 times", "port 1 was down 4 times"},
        {"asks for 2 slices; 3 more wait like it", "asks for 2 slices; 5 more wait like it"},
        {"remapped rows: 3, 10 min ago", "remapped rows: 4, 12 min ago"}})
    EXPECT_EQ(record::finding_differences(one(before), one(after)), std::vector<record::Change>{}) << after;
}

// As many as before stand under one identity, and one of them is another.
TEST(RecordDifference, OfSeveralFindingsUnderOneIdentityEachIsCompared) {
  const auto all = [](std::vector<const char*> texts) {
    std::vector<insight::Finding> found;
    for (const char* text : texts) found.push_back(finding("n1", {}, text, text));
    return found;
  };
  EXPECT_EQ(record::finding_differences(all({"port 1 is down", "port 2 is down"}),
                                        all({"port 2 is down", "port 3 is down"})),
            (std::vector<record::Change>{{"n1", "finding", "port 1 is down", ""},
                                         {"n1", "finding", "", "port 3 is down"}}));
  EXPECT_EQ(record::finding_differences(all({"port 1 failed 5 times", "port 2 failed 7 times"}),
                                        all({"port 2 failed 9 times"})),
            (std::vector<record::Change>{{"n1", "finding", "port 1 failed 5 times", ""}}))
      << "port 2 has another count alone";
  EXPECT_EQ(record::finding_differences(all({"unit 1 is down", "unit 2 is down"}),
                                        all({"unit 2 is down", "unit 3 is down"})),
            (std::vector<record::Change>{{"n1", "finding", "unit 1 is down", ""},
                                         {"n1", "finding", "", "unit 3 is down"}}))
      << "numbers alone tell these apart";
}

TEST(RecordDifference, TheSameFindingThatIsMoreSevereIsAChange) {
  std::vector<insight::Finding> before{finding("n1", {}, "ECC errors: 3", "ECC errors: 3")};
  std::vector<insight::Finding> after{finding("n1", {}, "ECC errors: 9", "ECC errors: 9")};
  after[0].severity = Severity::danger;
  EXPECT_EQ(
      record::finding_differences(before, after),
      (std::vector<record::Change>{{"n1", "finding", "warning: ECC errors: 3", "danger: ECC errors: 9"}}));
}

// Its source did not answer at the other moment: whether it was there is not known.
TEST(RecordDifference, WhatASilentSourceDidNotTellNeitherCameNorWent) {
  std::vector<insight::Finding> found{finding("n1", {}, "Xid 79", "Xid 79")};
  found[0].source = Source::dcgm;
  const std::set<Source> silent{Source::dcgm}, other{Source::slurm_nodes};
  EXPECT_EQ(record::finding_differences({}, found, silent, {}),
            (std::vector<record::Change>{{"n1", "finding", "not known", "Xid 79"}}));
  EXPECT_EQ(record::finding_differences(found, {}, {}, silent),
            (std::vector<record::Change>{{"n1", "finding", "Xid 79", "not known"}}));
  EXPECT_EQ(record::finding_differences({}, found, {}, silent),
            (std::vector<record::Change>{{"n1", "finding", "", "Xid 79"}}))
      << "it answered before";
  EXPECT_EQ(record::finding_differences({}, found, other, {}),
            (std::vector<record::Change>{{"n1", "finding", "", "Xid 79"}}));
}

// That it did not answer is known of each moment, and why.
TEST(RecordDifference, ASourceThatFailsForAnotherReasonIsAChange) {
  const auto failing = [](const char* why) {
    insight::Finding one = finding(std::string(word(Source::slurm_nodes)), {}, "", why);
    one.is_node = false, one.source = Source::slurm_nodes, one.key = why;
    return std::vector{one};
  };
  const std::set<Source> silent{Source::slurm_nodes};
  EXPECT_EQ(record::finding_differences(failing("timed out"), failing("refused"), silent, silent),
            (std::vector<record::Change>{{"scontrol show node", "finding", "", "refused"},
                                         {"scontrol show node", "finding", "timed out", ""}}));
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
