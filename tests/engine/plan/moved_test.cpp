// What moves between a plan and its application.
#include "engine/plan/effect/moved.hpp"

#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

// Slurm empties the whole node: a job without GPUs that came since is in the way as any other.
TEST(Moved, NewWorkWithoutGpusOnANodeThatIsClearedAsAWholeIsSeen) {
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0), uncut(1, 1)})}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), plan::slurm_capabilities(),
                              {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  ASSERT_TRUE(made->nodes[0].scope);
  ASSERT_TRUE(made->nodes[0].scope->boards.empty());
  EXPECT_TRUE(what_moved(*made, story.cluster()).empty());
  story.tell(WorkloadsListed{{running("12", "eve", {holds("n1", {})})}});
  std::vector<plan::Moved> moved = what_moved(*made, story.cluster());
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].text, "now: the node held by 12");
  EXPECT_FALSE(may_apply(moved));
}

}  // namespace
}  // namespace tessera::test
