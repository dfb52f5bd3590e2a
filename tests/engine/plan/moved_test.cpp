// What moves between a plan and its application.
#include "engine/plan/effect/moved.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

// A plan file of an earlier version calls every closed node "drained": it was refused although nothing had
// moved.
TEST(Moved, AClosedNodeInTheWordsOfAnEarlierVersionHasNotMoved) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Node closed = node("n1", {uncut(0, 0)});
  closed.health = Health::drained;
  story.tell(NodesListed{{closed}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), plan::slurm_capabilities(),
                              {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  std::vector<std::string>& told = made->nodes[0].relied_on;
  const auto line = std::find(told.begin(), told.end(), "takes no new workload: cordoned");
  ASSERT_NE(line, told.end());
  *line = "takes no new workload: drained";
  EXPECT_TRUE(what_moved(*made, story.cluster()).empty());
  *line = "takes new workloads";
  EXPECT_EQ(what_moved(*made, story.cluster()).size(), 2u);
}

bool has(const std::vector<std::string>& lines, const std::string& word) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(word) != std::string::npos; });
}

// A scheduler that does not tell where its slices are: any of them may be the one that is cleared.
TEST(Moved, AHeldSliceWithoutAPlaceIsReliedOnWhicheverPlacesAreCleared) {
  Story story;
  Slice held = instance("1g.10gb", 0, 1, 0);
  held.placement.reset();
  held.holding = Holding::held;
  story.tell(NodesListed{{node("n1", {cut(0, {held})})}});
  Node seen = story.node("n1");
  seen.gpus[0].slices[0].holding = Holding::held;
  const plan::Scope upper{{{GpuIndex{0}, {Placement{4, 4}}}}};
  EXPECT_TRUE(has(relied_on(story.cluster(), seen, {GpuIndex{0}}, upper), "held by an unknown client"));
}

TEST(Moved, APodThatStaysWithItsNodeIsNotReliedOnWhereItHoldsNothing) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})})}});
  Workload agent = running("monitoring/agent", "DaemonSet/agent", {holds_some("n1", "", 0)});
  agent.kind = WorkloadKind::pod;
  agent.unasked = "privileged";
  story.tell(WorkloadsListed{{agent}});
  const plan::Scope first{{{GpuIndex{0}, {}}}};
  const auto lines = [&] { return relied_on(story.cluster(), story.node("n1"), {GpuIndex{0}}, first); };
  EXPECT_TRUE(has(lines(), "used unasked by monitoring/agent"));
  agent.stays = true;
  story.tell(WorkloadSeen{agent});
  EXPECT_FALSE(has(lines(), "monitoring/agent"));
}

// Which slice a job holds is reported: another one than the plan showed is not the one that was agreed to.
TEST(Moved, AJobThatHoldsAnotherSliceThanThePlanShowedStopsIt) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)})})}});
  story.tell(WorkloadsListed{{running("12", "eve", {holds("n1", {{0, 1}})})}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), plan::slurm_capabilities(),
                              {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  ASSERT_TRUE(what_moved(*made, story.cluster()).empty());
  story.tell(WorkloadsListed{{running("12", "eve", {holds("n1", {{1, 1}})})}});
  EXPECT_FALSE(may_apply(what_moved(*made, story.cluster())));
}

}  // namespace
}  // namespace tessera::test
