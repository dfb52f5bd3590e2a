// Keys as a person presses them, and what the screen says then.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

using tui::ScreenKind;

// The first line of the table's selected row, found by the pointer.
std::string selected(const Session& session) { return session.line_with("▌"); }

TEST(Walk, FromTheWorstFindingToWhoHoldsTheSliceAndBack) {
  Session session(two_places());
  session.press("<tab>");
  EXPECT_NE(selected(session).find("n0031"), std::string::npos);
  session.press("j<enter>");
  EXPECT_TRUE(session.shows("drained: NVLink errors, ticket 4711 [root] 3 h 00 min ago"));
  session.press("<esc>2/n0007<enter><enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
  session.press("l<enter>");
  EXPECT_TRUE(session.shows("job 88121  notebook"));
  session.press("<esc>");
  EXPECT_EQ(session.state.top().subject, "n0007");
  session.press("<esc>");
  EXPECT_EQ(session.state.top().filter_text, "n0007") << "the list is as it was left";
  session.press("<esc><esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview);
  session.press("<esc>");
  session.line_with("this is the first screen; q leaves tessera");
}

// "copied n0007", though the cursor was on one of its GPUs.
TEST(Walk, YOnANodesPageCopiesTheGpuUnderTheCursorAndSaysSo) {
  Session session(two_places());
  session.press("2/n0007<enter><enter>jy");
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
  ASSERT_FALSE(session.effects.empty());
  EXPECT_EQ(session.effects.back().copy, "n0007 GPU 1");
  session.line_with("copied n0007 GPU 1");
}

TEST(Walk, FreeSlicesByOneWord) {
  Session session(two_places());
  session.press(":free<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::slices);
  EXPECT_EQ(session.state.top().filter_text, "state=free");
  EXPECT_FALSE(session.state.top().derived.rows.empty()) << session.screen();
}

TEST(Walk, FromACauseToTheNodeAndToTheListOfNodes) {
  Session session(two_places());
  session.press("7j");
  EXPECT_NE(selected(session).find("NVLink errors"), std::string::npos) << session.screen();
  session.press("y");
  EXPECT_EQ(session.effects.back().copy,
            "scontrol show node n0012\nscontrol update NodeName=n0012 State=RESUME");
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
  EXPECT_EQ(session.state.top().subject, "n0012");
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::doctor);
  EXPECT_NE(selected(session).find("NVLink errors"), std::string::npos) << "the cursor stays on its cause";
  Node second = drained_node();
  second.name = NodeName("n0013");
  session.tell(on("hpc", NodeSeen{second}));
  EXPECT_NE(selected(session).find("2 nodes"), std::string::npos) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes);
  EXPECT_EQ(session.state.top().derived.rows.size(), 2u) << session.screen();
}

TEST(Walk, EnterOnAClusterShowsItsNodesAndOnlyThose) {
  Session session(two_places());
  session.press("j<enter>");
  EXPECT_TRUE(session.shows("nodes of train-a"));
  EXPECT_TRUE(session.shows("gpu-001"));
  EXPECT_FALSE(session.shows("n0007"));
}

// A Kubernetes node whose GPUs are told, but not where the slices stand on them; and what is remarked of
// it.
TEST(Walk, SlicesWithoutPlacesAreDrawnBySizeAndRemarksStandAmongTheFacts) {
  Session session(two_places());
  Node node = test::node("gpu-002", {gpu(0, Strategy::mig,
                                         {instance("1g.10gb", 0, 1, 0), instance("2g.20gb", 0, 2, 1),
                                          instance("3g.40gb", 0, 4, 2), instance("1g.10gb", 0, 1, 3)})});
  for (Slice& slice : node.gpus[0].slices) slice.placement.reset();
  session.tell({ClusterName("train-a"), 0, at(0), NodeSeen{node}});
  session.tell({ClusterName("train-a"), 0, at(0),
                RemarksListed{Source::kubernetes_nodes,
                              {{Remark::Grade::info, "gpu-002", true, "02:43 UTC Rebooted: new boot id",
                                "reported by kubelet"}}}});
  EXPECT_NE(session.line_with("MOSAIC").find("~ starts of slices not reported"), std::string::npos);
  EXPECT_NE(session.screen().find("gpu-002      ~③───②─○○"), std::string::npos) << session.screen();
  session.press("3/gpu-002<enter>");
  EXPECT_TRUE(session.shows("③───②─○○~")) << session.screen();
  session.press("<esc>2/gpu-002<enter>i");
  EXPECT_TRUE(session.shows("02:43 UTC Rebooted: new boot id (reported by kubelet)")) << session.screen();
}

TEST(Walk, SiblingsFollowTheListInItsOrder) {
  Session session(small_place());
  session.press("2:sort -node<enter>g<enter>");
  EXPECT_EQ(session.state.top().subject, "n0040");
  session.press("]");
  EXPECT_EQ(session.state.top().subject, "n0031");
  session.press("]]");
  EXPECT_EQ(session.state.top().subject, "n0007");
  session.press("]");
  EXPECT_EQ(session.state.top().subject, "n0007");
  session.line_with("the list that you came from ends here");
  session.press("[<esc>");
  EXPECT_NE(selected(session).find("n0012"), std::string::npos) << "the list's cursor went along";
}

TEST(Walk, SiblingsOfAFindingAreTheOtherFindings) {
  Session session(small_place());
  session.press("<tab><enter>");
  EXPECT_EQ(session.state.top().subject, "n0031");
  session.press("]");
  EXPECT_EQ(session.state.top().subject, "n0012");
}

TEST(Walk, TheNodePageMovesFromTileToTileAndFromBoardToBoard) {
  Session session(small_place());
  session.press(":node n0007<enter>lll<enter>");
  EXPECT_EQ(session.state.top().subject, "88123") << "the last tile of GPU 0";
  session.press("<esc>jh<enter>");
  EXPECT_EQ(session.state.top().subject, "88125")
      << "below is the tile nearest to its middle; this is left of it";
  session.press("<esc>jj<enter>");
  EXPECT_EQ(session.state.top().subject, "88128") << "MPS: each holder can be opened";
  session.press("<esc>l<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::facts) << "the rest is not held: Enter asks about it";
}

TEST(Walk, APoolWrapsAndMovesByItsRows) {
  Session session(small_place(), {80, 24});
  session.press(":node n0040<enter>");
  session.press("l<enter>");
  EXPECT_EQ(session.state.top().subject, "88130");
  session.press("<esc>j");
  EXPECT_NE(session.state.top().cursor.find("#6"), std::string::npos) << "five tiles a row: below #1 is #6";
}

TEST(Walk, AWorkloadLeadsToItsSliceOnTheMap) {
  Session session(small_place());
  session.press(":job 88122<enter><enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
  EXPECT_NE(session.state.top().cursor.find("@2+2"), std::string::npos);
}

TEST(Walk, AJobWithTwoKindsOfSlicesOnOneNodeListsEachOnce) {
  Model model = small_place();
  Workload job = running("88131", "kim", {holds("n0007", {{1}}), holds("n0007", {{2}})});
  job.allocations[0].type = "1g.10gb";
  job.allocations[1].type = "2g.20gb";
  // The same on a node where which slices these are is not reported.
  job.allocations.push_back(holds_some("n0012", "1g.10gb", 1));
  job.allocations.push_back(holds_some("n0012", "2g.20gb", 1));
  reduce(model, on("hpc", WorkloadSeen{job}));
  Session session(std::move(model));
  session.press(":job 88131<enter>");
  const std::string lines = session.line_with("2g.20gb  slices 2-3");
  EXPECT_EQ(lines.find('\n'), std::string::npos) << lines;
  session.press("jjjjjj");
  EXPECT_NE(selected(session).find("n0012"), std::string::npos) << "the cursor comes past every line";
}

TEST(Walk, ANarrowTerminalStillTellsWhatWaitsAndWhatNeedsAttention) {
  for (int columns : {60, 70, 78}) {
    Session session(two_places(), {columns, 24});
    EXPECT_NE(session.line_with("WAITING").find('!'), std::string::npos) << columns;
    session.line_with("!!2");
  }
}

TEST(Walk, EveryScreenLeavesToWhereItCameFrom) {
  Session session(small_place());
  for (const char* screen : {"2", "3", "4", "5", "6", "w", ":about<enter>"}) {
    session.press(screen).press("?");
    EXPECT_EQ(session.state.top().kind, ScreenKind::help) << screen;
    session.press("<esc><esc><esc>");
    EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << screen;
  }
}

TEST(Walk, ANodeThatGoesAwayWhileItIsLookedAtSaysSo) {
  Session session(small_place());
  session.press(":node n0012<enter>");
  session.tell(on("hpc", NodeGone{NodeName("n0012")}, 1));
  session.line_with("node n0012 is gone.");
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview);
}

TEST(Walk, TheCursorFollowsItsRowWhenOthersComeAndGo) {
  Session session(small_place());
  session.press("2:sort node<enter>Gk");
  EXPECT_NE(selected(session).find("n0031"), std::string::npos);
  session.tell(on("hpc", NodeSeen{node("n0001", {gpu(0, Strategy::whole, {whole(0)})})}, 1));
  EXPECT_NE(selected(session).find("n0031"), std::string::npos);
  session.tell(on("hpc", NodeGone{NodeName("n0031")}, 2));
  EXPECT_NE(selected(session).find("n0040"), std::string::npos) << "gone: the place stays";
}

// "There are no nodes here" stood above "They are still being read".
TEST(Walk, AListThatIsStillBeingReadIsNotCalledEmpty) {
  Model model;
  reduce(model, on("hpc", ClusterSeen{}));
  Session session(std::move(model));
  session.press("<esc>2");
  EXPECT_TRUE(session.shows("They are still being read.")) << session.screen();
  EXPECT_TRUE(session.shows("Which nodes there are is not known.")) << session.screen();
  EXPECT_FALSE(session.shows("There are no nodes here.")) << session.screen();
}

// The list took the place of the page, and Esc led to the overview.
TEST(Walk, TheWaitingListOpenedFromANodesPageLeadsBackToIt) {
  Session session(small_place());
  session.press("2:node n0007<enter>w");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workloads);
  EXPECT_EQ(session.state.top().filter_text, "state=pending");
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workload);
  const std::size_t depth = session.state.stack.size();
  session.press("w");
  EXPECT_LT(session.state.stack.size(), depth) << "the list is below already: no second one";
  session.press("<esc>2:node n0007<enter>w<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
  EXPECT_EQ(session.state.top().subject, "n0007");
}

TEST(Walk, LoadingCanBeLeft) {
  Model model;
  reduce(model, on("hpc", ClusterSeen{}));
  reduce(model, on("hpc", NodesListed{{mixed_node()}}));
  Session session(std::move(model));
  session.line_with("Reading for the first time.");
  session.press("<esc>");
  EXPECT_FALSE(session.shows("Reading for the first time."));
  session.press("2");
  EXPECT_TRUE(session.shows("n0007"));
}

TEST(Walk, TheMouseSelectsAndOpens) {
  Session session(small_place());
  session.press("2");
  session.mouse(tui::Mouse::Kind::press, 5, 4);
  EXPECT_NE(selected(session).find("n0012"), std::string::npos);
  session.mouse(tui::Mouse::Kind::press, 5, 2);
  EXPECT_NE(selected(session).find("n0012"), std::string::npos);
  session.mouse(tui::Mouse::Kind::double_press, 5, 3);
  EXPECT_EQ(session.state.top().subject, "n0007");
}

TEST(Walk, TheMouseSortsByAHeadingAndTurnsTheOrder) {
  Session session(small_place());
  session.press("2");
  const std::string heading = session.line_with("HEALTH");
  const int x = tui::display_width(heading.substr(0, heading.find("HEALTH")));
  session.mouse(tui::Mouse::Kind::press, x, 2);
  EXPECT_TRUE(session.line_with("HEALTH").find("HEALTH▲") != std::string::npos) << session.screen();
  session.mouse(tui::Mouse::Kind::double_press, x, 2);
  EXPECT_TRUE(session.line_with("HEALTH").find("HEALTH▼") != std::string::npos) << session.screen();
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes) << "a heading opens nothing";
}

TEST(Walk, TheMouseTakesTheKeysOfTheFooter) {
  Session session(small_place());
  session.press("2");
  const std::string footer = session.line_with("q quit");
  auto click = [&](std::string_view text) {
    const std::size_t at = footer.find(text);
    ASSERT_NE(at, std::string::npos) << footer;
    session.mouse(tui::Mouse::Kind::press, tui::display_width(footer.substr(0, at)), 39);
  };
  click("help");
  EXPECT_EQ(session.state.top().kind, ScreenKind::help);
  session.press("<esc>");
  click("/ filter");
  EXPECT_EQ(session.state.input.kind, tui::InputKind::filter);
  click("? help");
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes) << "what is typed is left by keys";
  session.press("<esc>");
  session.mouse(tui::Mouse::Kind::press, 0, 39);
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes) << "no key is there";
}

TEST(Walk, TheMouseGoesBackAlongTheTitle) {
  Session session(small_place());
  session.press("2/n0007<enter><enter>");
  const std::string title = session.line_with("tessera › nodes › n0007");
  auto x_of = [&](std::string_view text) { return tui::display_width(title.substr(0, title.find(text))); };
  session.mouse(tui::Mouse::Kind::press, x_of("› nodes"), 0);
  EXPECT_EQ(session.state.top().kind, ScreenKind::node) << "what stands between names nothing";
  session.mouse(tui::Mouse::Kind::press, x_of("n0007"), 0);
  EXPECT_EQ(session.state.top().kind, ScreenKind::node) << "it is there already";
  session.mouse(tui::Mouse::Kind::press, x_of("nodes"), 0);
  EXPECT_EQ(session.state.top().kind, ScreenKind::nodes);
  session.press("<enter>");
  session.mouse(tui::Mouse::Kind::press, 1, 0);
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview);
}

TEST(Walk, AKeyWithoutAMeaningIsNamed) {
  Session session(small_place());
  session.press("2Z");
  EXPECT_TRUE(session.shows("no action on Z here; ? shows the keys")) << session.screen();
  session.press("j");
  EXPECT_FALSE(session.shows("no action on Z here"));
  session.press("/Z");
  EXPECT_FALSE(session.shows("no action on")) << "typed into the filter";
}

}  // namespace
}  // namespace tessera::test
