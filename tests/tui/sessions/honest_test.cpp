// Screens that misled: each story is named for what they showed.
#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/layout_places.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/rows.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::test {
namespace {

using tui::ScreenKind;
using Kind = tui::Mouse::Kind;

std::string row_of_screen(const Session& session, int row) {
  std::string text = session.screen();
  for (; row > 0; --row) text.erase(0, text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

constexpr tui::Size kScreenSizes[] = {{80, 24}, {120, 40}, {200, 60}};

// "13 h 35 minwe wait", "close, park, act latere when empty"
TEST(Honest, ColumnsOfAPlanNeverTouch) {
  for (tui::Size size : kScreenSizes) {
    Session session = changing(size);
    session.tell(on("hpc", WorkloadSeen{named(running("88120", "alice", {holds("n0031", {{7}, {8}})}),
                                              "embed-3", -13 * 3600 - 35 * 60)}));
    open(session, plan_of(session, {"n0031"}, 1));
    session.press("e");
    const std::string screen = session.screen();
    EXPECT_EQ(screen.find("minwe"), std::string::npos) << screen;
    EXPECT_EQ(screen.find("latere"), std::string::npos) << screen;
    EXPECT_EQ(screen.find("minrequeues"), std::string::npos) << screen;
  }
}

TEST(Honest, AListOfPlacesIsBrokenBehindACommaAndNotInsideAName) {
  const std::vector<std::string> lines = tui::wrap("1g.10gb@0,1g.10gb@1,1g.10gb@2,3g.40gb@4", 24);
  EXPECT_EQ(lines, (std::vector<std::string>{"1g.10gb@0,1g.10gb@1,", "1g.10gb@2,3g.40gb@4"}));
}

TEST(Honest, AClosedNodeIsTheFirstThingThatAPlanSays) {
  for (tui::Size size : kScreenSizes) {
    Session session = changing(size);
    Node drained = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName("n0041"));
    drained.health = Health::drained, drained.state = {"IDLE", "DRAIN"};
    drained.reason = "Xid 79";
    drained.reason_by = "ops";
    session.tell(on("hpc", NodeSeen{drained}));
    open(session, plan_of(session, {"n0041"}, 0));
    const std::string screen = session.screen();
    EXPECT_LT(screen.find("n0041: drained by another: Xid 79 [ops]"), screen.find("disturbs no workload"))
        << screen;
  }
}

// It listed "open n0041 again" with the resume to copy below that, and the run leaves the node closed.
TEST(Honest, APlanForANodeThatAnotherHasClosedNeitherShowsNorCopiesWhatOpensIt) {
  for (tui::Size size : kScreenSizes) {
    Session session = changing({size.columns, 60});
    Node drained = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName("n0041"));
    drained.health = Health::drained, drained.state = {"IDLE", "DRAIN"};
    drained.reason = "Xid 79", drained.reason_by = "ops";
    session.tell(on("hpc", NodeSeen{drained}));
    open(session, plan_of(session, {"n0041"}, 0));
    session.line_with("leave n0041 closed");
    session.line_with("ask: n0041 is closed already");
    EXPECT_FALSE(session.shows("open n0041 again")) << session.screen();
    session.press("Y");
    const std::string copied = session.effects.back().copy.value_or("");
    EXPECT_NE(copied.find("nvidia-smi mig"), std::string::npos) << copied;
    EXPECT_EQ(copied.find("RESUME"), std::string::npos) << copied;
    EXPECT_EQ(copied.find("DRAIN"), std::string::npos) << copied;
  }
}

TEST(Honest, ALongReasonIsShownToItsEndAndKeptInTheEvents) {
  for (tui::Size size : kScreenSizes) {
    Session session(small_place(), size);
    const std::string why =
        "cannot plan a100-01: its GPUs are reset, and that would make the MIG mode true that "
        "waits on GPU 7 (include GPU 7, or take that back first with nvidia-smi -i 7 -mig 0)";
    tui::say(session.state, session.world(), Severity::danger, why);
    std::string flat;
    for (char c : session.screen()) flat += c == '\n' ? ' ' : c;
    EXPECT_NE(flat.find("-mig 0)"), std::string::npos) << session.screen();
    session.press("6");
    session.line_with("cannot plan a100-01");
  }
}

// "/bal" in the list of presets chose the best layout, then all GPUs of the node.
TEST(Honest, LettersTypedIntoTheListOfPresetsEditNothing) {
  Session session(layout_place());
  session.press(":node twin1<enter>Lp/bal");
  ASSERT_EQ(session.state.top().kind, ScreenKind::layout);
  const tui::LayoutState& edit = *session.state.top().layout;
  EXPECT_FALSE(edit.touched);
  EXPECT_FALSE(edit.all);
  EXPECT_EQ(edit.list, tui::LayoutList::presets);
  session.press("a");
  session.line_with("the list of presets is open");
}

// It opened the node, and the way out that it named was on another screen.
TEST(Honest, AFindingAboutARunOpensThatRun) {
  for (const char* keys : {"<tab>", "7"}) {
    Session session(small_place());
    RunHead head;
    head.run = "20261121-1403-n1";
    head.cluster = session.model.clusters.front().name;
    head.state = RunState::parked;
    head.nodes = {session.model.clusters.front().nodes.all().front().name};
    session.hear(tui::RunNews{RunsListed{{head}}});
    session.pass(Duration(60000));
    session.press(keys);
    for (int i = 0; i < 20 && session.line_with("▌").find(head.run) == std::string::npos; ++i)
      session.press("j");
    session.line_with("▌").find(head.run);
    if (std::string(keys) == "7") {
      session.press("P");
      EXPECT_TRUE(session.shows("Enter opens the run, where it is resumed or undone")) << session.screen();
    }
    session.press("<enter>");
    EXPECT_EQ(session.state.top().kind, tui::ScreenKind::run) << session.screen();
  }
}

// On the findings' own screen Enter led to GPU 0, and the key of the layout was refused.
TEST(Honest, OnTheFindingsAFindingAboutAGpuOpensThatGpuAndItsLayout) {
  Model model = two_places();
  Gpu empty = gpu(5, Strategy::mig, {});
  empty.mig_mode = MigMode::enabled;
  reduce(model, on("train-a", NodeSeen{node("gpu-009", {gpu(0, Strategy::whole, {whole(0)}), empty})}));
  Session session(std::move(model));
  session.press("7");
  for (int i = 0; i < 20 && session.line_with("▌").find("GPU 5") == std::string::npos; ++i)
    session.press("j");
  session.press("L");
  session.line_with("GPU 5 of gpu-009");
  session.press("<esc><enter>");
  EXPECT_NE(session.state.top().cursor.find("\x1f"
                                            "5"),
            std::string::npos)
      << session.state.top().cursor;
}

TEST(Honest, ARunOfAClusterThatIsNotHereIsNoFinding) {
  Session session(small_place());
  RunHead head;
  head.run = "20261121-1403-giga";
  head.cluster = ClusterName("giga");
  head.state = RunState::parked;
  head.nodes = {NodeName("g1")};
  session.hear(tui::RunNews{RunsListed{{head}}});
  session.pass(Duration(60000));
  EXPECT_FALSE(session.shows("20261121-1403-giga")) << session.screen();
}

TEST(Honest, AClickOnATileOfANodePutsTheCursorThereAndTwoOpenItsWork) {
  for (tui::Size size : kScreenSizes) {
    Session session(two_places(), size);
    session.press(":node n0007<enter>");
    // carol's 2g.20gb stands at 2 and 3 of the first GPU: find her name on the screen.
    int x = -1, y = -1;
    for (int row = 0; row < size.rows && y < 0; ++row) {
      const std::string line = row_of_screen(session, row);
      if (const std::size_t at = line.find("carol"); at != std::string::npos) {
        y = row;
        x = tui::display_width(line.substr(0, at));
      }
    }
    ASSERT_GE(y, 0) << session.screen();
    session.mouse(Kind::press, x, y);
    EXPECT_NE(session.state.top().cursor.find("@2+2"), std::string::npos) << session.state.top().cursor;
    session.mouse(Kind::double_press, x, y);
    EXPECT_EQ(session.state.top().kind, ScreenKind::workload);
    EXPECT_EQ(session.state.top().subject, "88122");
  }
}

TEST(Honest, ADoubleClickOnTheMosaicOpensThatNodeAndOnNothingOpensNothing) {
  Session session(two_places(), {120, 40});
  int y = -1;
  for (int row = 20; row < 40 && y < 0; ++row)
    if (row_of_screen(session, row).starts_with(" n0012")) y = row;
  for (int row = 0; row < 40 && y < 0; ++row)
    if (row_of_screen(session, row).starts_with(" n0012") &&
        row_of_screen(session, row).find("░") != std::string::npos)
      y = row;
  ASSERT_GE(y, 0) << session.screen();
  session.mouse(Kind::double_press, 3, y);
  EXPECT_EQ(session.state.top().kind, ScreenKind::node);
  EXPECT_EQ(session.state.top().subject, "n0012");
  session.press("<esc>");
  session.mouse(Kind::double_press, 110, 30);
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << "there is nothing under the mouse";
}

TEST(Honest, SortingStepsOverColumnsInViewOnly) {
  Session session(two_places(), {80, 24});
  session.press("3");
  for (int i = 0; i < 20; ++i) {
    session.press(">");
    const std::string heading = row_of_screen(session, 2);
    EXPECT_TRUE(heading.find("▲") != std::string::npos || heading.find("▼") != std::string::npos) << heading;
  }
}

TEST(Honest, AFilterThatNothingPassesLeavesTheCursorWhereItWas) {
  Session session(small_place(), {100, 14});
  session.press("4Gkk");
  const std::string row = session.state.top().cursor;
  session.press("/n0007 zzz<enter>");
  ASSERT_TRUE(session.state.top().derived.rows.empty());
  session.press("<esc>");
  EXPECT_EQ(session.state.top().cursor, row);
}

// The cursor stuck to the row found for each half-typed text: 36 of 66 rows were above the screen.
TEST(Honest, AFilterLeavesTheCursorOnTheRowItWasOnOrOnTheFirst) {
  Session session(two_places(), {80, 24});
  session.press("4");
  while (session.line_with("▌").find(" held") == std::string::npos) session.press("j");
  const std::string held = session.state.top().cursor;
  session.press("/state=free");
  const tui::Screen& list = session.state.top();
  ASSERT_GT(list.derived.rows.size(), 2u) << session.screen();
  EXPECT_EQ(list.cursor, tui::id_at(session.model, ScreenKind::slices, list.derived.rows.front()));
  session.press("<esc>/state=held<enter>");
  EXPECT_EQ(session.state.top().cursor, held);
}

TEST(Honest, ThePathDoesNotGrowWhileOneGoesToAndFro) {
  Session session(two_places());
  session.press(":node n0007<enter><enter>");
  const std::size_t depth = session.state.stack.size();
  ASSERT_EQ(session.state.top().kind, ScreenKind::workload);
  for (int i = 0; i < 6; ++i) session.press("<enter>");
  EXPECT_LE(session.state.stack.size(), depth);
}

TEST(Honest, ATableThatIsScrolledSidewaysStillTellsTheGpu) {
  Session session(two_places(), {80, 24});
  session.press("3llll");
  const std::string heading = row_of_screen(session, 2);
  EXPECT_NE(heading.find("NODE"), std::string::npos) << heading;
  EXPECT_NE(heading.find("GPU "), std::string::npos) << heading;
}

TEST(Honest, AFindingAboutAGpuOpensThatGpuAndItsLayout) {
  Model model = two_places();
  Gpu empty = gpu(5, Strategy::mig, {});
  empty.mig_mode = MigMode::enabled;
  Node with = node("gpu-009", {gpu(0, Strategy::whole, {whole(0)}), empty});
  reduce(model, on("train-a", NodeSeen{with}));
  Session session(std::move(model));
  session.press("<tab>");
  while (session.line_with("▌").find("GPU 5") == std::string::npos) session.press("j");
  session.press("L");
  session.line_with("GPU 5 of gpu-009");
  session.press("<esc><enter>");
  EXPECT_NE(session.state.top().cursor.find("\x1f"
                                            "5"),
            std::string::npos)
      << session.state.top().cursor;
}

// Nothing showed what v and v would mark.
TEST(Honest, RowsOfARangeThatHasBegunAreShown) {
  for (bool ascii : {false, true}) {
    Session session(two_places(), {80, 24});
    session.state.ascii = ascii;
    session.press("4jvjj");
    const auto column = [&] {
      std::string signs;
      for (int row = 3; row < 8; ++row) {
        const std::string line = row_of_screen(session, row);
        signs += line.starts_with("◦") || line.starts_with("o") ? "o" : line.starts_with(" ") ? " " : ">";
      }
      return signs;
    };
    EXPECT_EQ(column(), " oo> ") << session.screen();
    session.press("kkk");
    EXPECT_EQ(column(), ">o   ") << session.screen();
    session.press("<esc>");
    EXPECT_EQ(column(), ">    ") << session.screen();
  }
}

TEST(Honest, OneRowIsNotOneRows) {
  Session session(small_place());
  session.press("5/88123<enter>");
  EXPECT_FALSE(session.shows("1 rows"));
}

TEST(Honest, AOneCellSliceIsNoRange) {
  Session session(small_place());
  session.press(":job 88120<enter>");
  EXPECT_FALSE(session.shows("slices 0-0"));
  session.line_with("slice 0");
}

TEST(Honest, ColumnsChosenByHandAndTheWideKeySaySo) {
  Session session(small_place());
  session.press("4C<space><esc>").press("<c-w>");
  session.line_with("the columns were chosen by hand");
}

// A narrow title dropped how old the figures are before it dropped the clock.
TEST(Honest, ANarrowTitleKeepsTheAgeOfItsFigures) {
  Session session = changing({60, 20});
  open(session, plan_of(session, {"n0031", "n0041", "n0042"}, 0));
  const std::string title = row_of_screen(session, 0);
  EXPECT_NE(title.find("old"), std::string::npos) << title;
}

TEST(Honest, AClickUnderAnOpenQuestionIsNotTaken) {
  Session session = changing();
  open(session, plan_of(session, {"n0041"}, 0));
  session.press("A");
  ASSERT_TRUE(session.state.arming || session.state.input.kind != tui::InputKind::none) << session.screen();
  session.press("n0041<enter>");
  ASSERT_TRUE(session.state.arming && session.state.arming->armed) << session.screen();
  const std::string before = session.state.top().cursor;
  for (int y = 2; y < 20; ++y) session.mouse(Kind::press, 10, y);
  EXPECT_EQ(session.state.top().cursor, before);
  for (int y = 2; y < 20; ++y) session.mouse(Kind::double_press, 10, y);
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan);
  EXPECT_TRUE(session.state.arming && session.state.arming->armed);
}

TEST(Honest, NoKeyActsWhileRunsAreParkedOnTheWayOut) {
  Session session = changing();
  session.state.leaving = tui::Leaving::parking;
  const auto kind = session.state.top().kind;
  for (tui::Action action :
       {tui::Action::show_nodes, tui::Action::help, tui::Action::show_layout, tui::Action::open})
    session.act(action);
  EXPECT_EQ(session.state.top().kind, kind);
  EXPECT_EQ(session.state.stack.size(), 1u);
}

}  // namespace
}  // namespace tessera::test
