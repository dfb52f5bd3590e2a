// What waits, and why: `w`, the page's answer, Enter on what helps, y on its command.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

TEST(WhyScreen, WOnAWaitingRowOpensItsPage) {
  Session session(small_place(), {120, 40});
  session.press("w");
  EXPECT_TRUE(session.shows("waiting")) << session.screen();
  session.press("w");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workload) << session.screen();
  EXPECT_TRUE(session.shows("WHY IT WAITS")) << session.screen();
  EXPECT_TRUE(session.shows("it waits for resources: what it asks for is not free")) << session.screen();
}

TEST(WhyScreen, WOnRunningWorkListsWhatWaits) {
  Session session(small_place(), {120, 40});
  session.press("5/88123<enter>w");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::workloads) << session.screen();
  EXPECT_TRUE(session.shows("88140")) << session.screen();
}

TEST(WhyScreen, HeldWorkIsReleasedByACommandThatYCopies) {
  Model model = small_place();
  for (Cluster& cluster : model.clusters)
    if (Workload* work = cluster.workloads.change(WorkloadId("88140"))) work->reason = "JobHeldUser";
  Session session(std::move(model), {120, 40});
  session.press(":job 88140<enter>");
  EXPECT_TRUE(session.shows("its owner holds it (certain")) << session.screen();
  EXPECT_TRUE(session.shows("scontrol release 88140")) << session.screen();
  session.press("y");
  ASSERT_FALSE(session.effects.empty());
  EXPECT_EQ(session.effects.back().copy, "scontrol release 88140");
  session.press("<enter>");
  EXPECT_TRUE(session.shows("press y to copy the command")) << session.screen();
}

TEST(WhyScreen, EnterOnARecutOpensItsPlan) {
  Story story;
  Gpu cut = gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 4, 1, 1)});
  cut.mig_mode = MigMode::enabled;
  story.tell(NodesListed{{node("n1", {cut})}});
  story.tell(WorkloadsListed{{waiting("7", "alice", "gpu:3g.40gb")}});
  story.tell(Loaded{});
  Session session(std::move(story.model), {120, 40});
  session.press(":job 7<enter>");
  ASSERT_TRUE(session.shows("that disturbs no job or pod")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::plan) << session.screen();
  EXPECT_TRUE(session.shows("3g.40gb")) << session.screen();
}

// The names of ten thousand nodes were folded for each picture.
TEST(WhyScreen, NamesOfNodesAreFoldedOnceAndAgainWhereOneIsAdded) {
  Story story;
  const auto uncut = [] { return gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0)}); };
  story.tell(NodesListed{{node("alpha", {uncut()}), node("beta", {uncut()})}});
  story.tell(WorkloadsListed{{waiting("7", "alice", "gpu:7g.80gb")}});
  story.tell(Loaded{});
  Session session(std::move(story.model), {120, 60});
  session.press(":job 7<enter>");
  ASSERT_FALSE(session.state.top().why.groups.empty()) << session.screen();
  EXPECT_TRUE(session.shows(session.state.top().why.groups.front())) << session.screen();
  session.tell(on("hpc", NodeSeen{node("gamma", {uncut()})}));
  const std::string screen = session.screen();
  EXPECT_NE(screen.find("gamma"), std::string::npos) << screen;
  session.state.top().why = {};
  EXPECT_EQ(session.screen(), screen) << "what is kept is what would be worked out";
}

}  // namespace
}  // namespace tessera::test
