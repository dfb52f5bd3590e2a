// Two moments compared, and what happened between two rounds.
#include "engine/record/difference.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/record/happened.hpp"
#include "tests/support/build.hpp"

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
