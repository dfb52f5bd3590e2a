// What a person misses on a small screen: texts that are cut while cells are free, and what moves for
// nothing.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::test {
namespace {

int line_of(const Session& session, std::string_view text) {
  const tui::Canvas canvas = session.canvas();
  std::istringstream lines(canvas.text());
  std::string line;
  for (int y = 0; std::getline(lines, line); ++y)
    if (line.find(text) != std::string::npos) return y;
  return -1;
}

Session with_failing_source(tui::Size size) {
  Session session(small_place(), size);
  session.wall += Duration(180000);
  const Error down{"scontrol show node failed", "Unable to contact slurm controller (connect failure)",
                   "is slurmctld running? see systemctl status slurmctld"};
  session.tell(on("hpc", SourceReport{Source::slurm_nodes, down, Duration(0)}, 60));
  session.press("2");
  return session;
}

// "gres/gpu count repo…" stood beside fifteen blank lines, and the other half was one screen away.
TEST(CutCell, WhyANodeIsClosedIsReadToItsEndInTheListOfNodes) {
  Session session(two_places(), {80, 24});
  session.press("2jj");
  EXPECT_TRUE(session.shows("REASON  gres/gpu count reported lower than configured (4 < 7)"))
      << session.screen();
  session.press("kk");
  EXPECT_TRUE(session.shows("1×1g.10gb, 1×2g.20gb, 1 MPS share")) << "it has no REASON: FREE runs on\n"
                                                                  << session.screen();
  EXPECT_FALSE(session.shows("MPS shares")) << session.screen();
  EXPECT_FALSE(session.shows("─ FREE  ")) << session.screen();
  session.press("G");
  EXPECT_FALSE(session.shows("─ FREE  ")) << "2 whole: nothing is cut\n" << session.screen();
}

TEST(CutCell, AMessageAndAFilterComeBeforeIt) {
  Session session(two_places(), {80, 24});
  session.press("2/health=drained<enter>");
  EXPECT_NE(session.line_with("1 row").find("filter health=drained"), std::string::npos) << session.screen();
  session.press("y");
  EXPECT_FALSE(session.shows("REASON  NVLink")) << session.screen();
}

TEST(CutCell, AListWithItsPageBesideLeavesItToThePage) {
  Session session(two_places(), {200, 60});
  session.press("2j");
  EXPECT_FALSE(session.shows("REASON  NVLink")) << session.screen();
  EXPECT_TRUE(session.shows("drained: NVLink errors, ticket 4711 [root]")) << session.screen();
}

// "scontrol show node fails for 2 min: scontrol show node failed: Unable…" was all that 80 columns had of it.
TEST(Banner, ASourceThatFailsIsReadToTheEndOfItsReasonAndOfTheWayOut) {
  const Session session = with_failing_source({80, 24});
  EXPECT_TRUE(session.shows("hpc: scontrol show node has failed for 2 min: Unable to contact"))
      << session.screen();
  EXPECT_TRUE(session.shows("(connect failure)")) << session.screen();
  EXPECT_TRUE(session.shows("shown is the state of 3 min ago;")) << session.screen();
  EXPECT_TRUE(session.shows("see systemctl status\n    slurmctld")) << session.screen();
}

TEST(Banner, OnTheSmallestScreenItLeavesRoomForTheList) {
  const Session session = with_failing_source({60, 15});
  EXPECT_TRUE(session.shows("n0040")) << session.screen();
  EXPECT_TRUE(session.shows("shown is the state of 3 min ago")) << session.screen();
}

// The blocks and the table below the mosaic would jump by a line with each finding that the cursor passes.
TEST(OverviewHint, NothingMovesWhenTheCursorGoesFromFindingToFinding) {
  for (const tui::Size size : {tui::Size{80, 24}, {120, 40}, {120, 30}, {100, 40}, {200, 60}}) {
    Session session(two_places(), size);
    const int mosaic = line_of(session, "MOSAIC"), free = line_of(session, "1g.10gb  ");
    session.press("<tab>");
    EXPECT_TRUE(session.shows("to do  ")) << session.screen();
    EXPECT_EQ(line_of(session, "MOSAIC"), mosaic);
    EXPECT_EQ(line_of(session, "1g.10gb  "), free) << session.screen();
    session.press("j");
    EXPECT_EQ(line_of(session, "1g.10gb  "), free) << session.screen();
  }
}

// It was cut in the middle of a sentence, above three blank lines.
TEST(OverviewHint, WhatToDoIsReadToItsEndAtEightyColumns) {
  Session session(two_places(), {80, 24});
  session.press("<tab>");
  EXPECT_TRUE(session.shows("to do  the node has fewer GPUs or slices than gres.conf")) << session.screen();
  EXPECT_TRUE(session.shows("or change gres.conf")) << session.screen();
}

// Beside the finding it was cut at three fifths of the line, however short the findings were.
TEST(OverviewHint, WhatToDoIsReadToItsEndOnAWideTerminalToo) {
  Session session(two_places(), {200, 60});
  session.press("<tab>");
  EXPECT_TRUE(session.shows("to do  the node has fewer GPUs or slices than gres.conf")) << session.screen();
  EXPECT_TRUE(session.shows("or change gres.conf")) << session.screen();
  session.press("j");
  EXPECT_TRUE(session.shows("when repaired: scontrol update NodeName=n0012 State=RESUME"))
      << session.screen();
  EXPECT_FALSE(session.shows("to do  ")) << "once is enough: " << session.screen();
}

// "Space choose  Enter open" stood below a list of columns, where Enter sorts and nothing is opened.
TEST(Choices, TheFooterSaysWhatTheKeysDoInAListOfColumns) {
  Session session(two_places(), {80, 24});
  session.press("5<f6>");
  EXPECT_TRUE(session.shows("Enter sort  Space try  Esc back")) << session.screen();
  session.press("<enter>C");
  EXPECT_TRUE(session.shows("Space show or hide  Enter done  Esc back")) << session.screen();
}

// The rule of the menu lay right under that of the title.
TEST(Menu, OneThatFillsTheScreenHasNoSecondRule) {
  Session session(two_places(), {80, 24});
  session.press("2.");
  EXPECT_EQ(session.screen().find("─\n─"), std::string::npos) << session.screen();
}

// A GPU of which nobody tells how it is shared was said to hold 0 of 0.
TEST(UnknownGpu, HowManySlicesItHasIsNotKnown) {
  Session session(small_place(), {120, 40});
  session.press("3");
  const std::string row = session.line_with("n0031");
  EXPECT_EQ(row.find(" 0    0 "), std::string::npos) << row;
  EXPECT_NE(row.find("?    ?"), std::string::npos) << row;
}

// "asks for no GPU" stood above the slice that it holds.
TEST(WorkloadPage, WhatHoldsAGpuIsNotSaidToAskForNone) {
  Session session(small_place(), {80, 24});
  session.press(":job 88123<enter>");
  EXPECT_FALSE(session.shows("no GPU")) << session.screen();
  EXPECT_TRUE(session.shows("asks for        not reported")) << session.screen();
}

// The chart's hint stood over the box of a leaf.
TEST(GuideChart, WhatSaysThatThereIsMoreStandsInTheRule) {
  Session session(two_places(), {80, 24});
  session.press(":guide n0007<enter>");
  EXPECT_NE(session.line_with("more below").find("───"), std::string::npos) << session.screen();
  session.press("w");
  EXPECT_NE(session.line_with("more below").find("───"), std::string::npos) << session.screen();
}

// "scheduler  v1.29.4" stood beside "slurm 22.05.8": a version without the name of what has it.
TEST(AboutPage, TheVersionOfAnApiServerIsSaidToBeKubernetes) {
  Session session(two_places(), {80, 24});
  session.press(":about<enter>");
  EXPECT_TRUE(session.shows("slurm 22.05.8")) << session.screen();
  EXPECT_TRUE(session.shows("kubernetes v1.29.4")) << session.screen();
}

// "use n/a" and "256 colours" stayed English between Japanese words.
TEST(JapanesePages, UnknownUseAndColoursAreSaidInJapanese) {
  Session session(small_place(), {120, 40});
  ASSERT_TRUE(tui::set_language(session.state, tui::Language::ja));
  session.state.about.emplace_back("terminal", "xterm-256color, 256 colours, UTF-8");
  session.press(":node n0031<enter>");
  EXPECT_TRUE(session.shows("使用率 n/a")) << session.screen();
  session.press("?");
  EXPECT_NE(session.line_with("????").find("不明"), std::string::npos) << session.screen();
  session.press("<esc>:about<enter>");
  EXPECT_TRUE(session.shows("xterm-256color、256色、UTF-8")) << session.screen();
}

// The list of columns was left half in English, and half of a few words: "itsノード", "whoがitを使用中".
TEST(JapanesePages, EachColumnOfAListIsSaidInJapanese) {
  Session session(small_place(), {80, 24});
  ASSERT_TRUE(tui::set_language(session.state, tui::Language::ja));
  for (const tui::ScreenKind kind :
       {tui::ScreenKind::nodes, tui::ScreenKind::gpus, tui::ScreenKind::slices, tui::ScreenKind::workloads})
    for (const tui::ColumnInfo& column : tui::column_infos(kind)) {
      const std::string told = tui::told(session.state, column.help);
      EXPECT_NE(told, column.help);
      EXPECT_FALSE(told.starts_with("its") || told.starts_with("who") || told.ends_with("or")) << told;
    }
  session.press("4C");
  EXPECT_TRUE(session.shows("[x] NODE         ノード")) << session.screen();
}

// On a wide terminal what a column holds was cut at 38 cells beside an empty list.
TEST(Columns, WhatAColumnHoldsIsReadToItsEndOnAWideTerminal) {
  Session session(small_place(), {200, 60});
  session.press("4C");
  EXPECT_TRUE(session.shows("its GPU; ? where the scheduler does not report it")) << session.screen();
  EXPECT_TRUE(session.shows("how long its holder has not used it (below 1 %)")) << session.screen();
}

// A legend that does not fit named closed slices that were not there, and left out the sign that filled the
// picture.
TEST(Mosaic, AShortLegendNamesTheSignsThatAreSeen) {
  Session session(small_place(), {80, 24});
  EXPECT_NE(session.line_with("MOSAIC").find("closed"), std::string::npos) << session.screen();
  session.tell(on("hpc", NodeGone{NodeName("n0012")}, 1));
  const std::string legend = session.line_with("MOSAIC");
  EXPECT_EQ(legend.find("closed"), std::string::npos) << legend;
  EXPECT_NE(legend.find("cannot be used"), std::string::npos) << legend;
}

}  // namespace
}  // namespace tessera::test
