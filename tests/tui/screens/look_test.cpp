// What a person misses on a small screen: texts that are cut while cells are free, and what moves for
// nothing.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "tests/support/session.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/fleet_places.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/rows.hpp"
#include "tui/widgets/panes.hpp"

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

// The list cut "h100-01,h100-02" to "h100-01,h10" and "1×4g.20gb" to "1×4g.2" without a mark, and left the
// title of the page that it covers above it.
TEST(Choices, AListOfColumnsMarksWhatItCutsAndTakesThePlaceOfThePageBeside) {
  Session narrow(two_places(), {80, 24});
  narrow.press("5");
  const std::string name = narrow.line_with("88123");
  narrow.press("C");
  for (const char* job : {"88121", "88122", "88123"})
    EXPECT_NE(narrow.line_with(job).find("…│"), std::string::npos) << narrow.screen();
  Session wide(two_places(), {200, 60});
  wide.press("2/n0007<enter>");
  const std::string beside = wide.line_with("n0007 ");
  EXPECT_NE(beside.find("─ n0007 ─"), std::string::npos) << beside;
  const tui::Canvas page = wide.canvas();
  wide.press("C");
  EXPECT_FALSE(wide.shows("─ n0007 ─")) << wide.screen();
  const tui::Canvas list = wide.canvas();
  int wall = 60;  // between the table and its page: what is right of it is covered
  while (wall < 199 && page.at(wall, 40).glyph != "│") ++wall;
  for (int y = 3; y < 57; ++y) EXPECT_EQ(list.at(wall, y).glyph, "│") << wall << "," << y;
}

// "? help  q quit" stood beside the name that arms a plan, and both keys would have been typed into it;
// beside the question of whoever leaves they did nothing.
TEST(Footer, WhereTextIsTypedOrAQuestionWaitsHelpAndQuitAreNotOffered) {
  Session session = changing();
  const auto offered = [&] { return session.shows("? help") || session.shows("q quit"); };
  EXPECT_TRUE(offered()) << session.screen();
  session.press("2/");
  EXPECT_FALSE(offered()) << session.screen();
  session.press("<esc>:");
  EXPECT_FALSE(offered()) << session.screen();
  session.press("<esc>");
  open(session, plan_of(session, {"n0041"}, 0));
  EXPECT_TRUE(offered()) << session.screen();
  session.press("A");
  EXPECT_FALSE(offered()) << session.screen();
  session.press("n0041<enter>");
  ASSERT_TRUE(session.shows("ARMED")) << session.screen();
  EXPECT_FALSE(offered()) << session.screen();
}

// They did nothing but give a notice, and took the room of keys that do something.
TEST(Footer, WhatAScreenDoesNotTakeAsItStandsIsLeftOut) {
  Session fleet = fleet_session({120, 40});
  EXPECT_TRUE(fleet.shows("P plan pool")) << fleet.screen();
  fleet.press("c");
  EXPECT_FALSE(fleet.shows("Enter open") || fleet.shows("P plan pool") || fleet.shows("a plan all"))
      << fleet.screen();
  EXPECT_TRUE(fleet.shows("r read again  c calendar")) << fleet.screen();
  fleet.press("P");
  EXPECT_NE(fleet.state.message.text.find("the calendar is shown"), std::string::npos) << "as before";

  Session plan = changing({120, 40});
  open(plan, plan_of(plan, {"n0041"}, 0));
  EXPECT_TRUE(plan.shows("A arm")) << plan.screen();
  plan.state.writable = false;
  EXPECT_FALSE(plan.shows("A arm")) << plan.screen();
  EXPECT_TRUE(plan.shows("start tessera with --write to arm this plan")) << plan.screen();

  Session usage = changing({120, 40});
  usage.press(":usage<enter>");
  EXPECT_FALSE(usage.shows("b sum up by") || usage.shows("d days")) << usage.screen();
}

// "see what to do below" stood below it.
TEST(Footer, WhereNoPlanLeadsOutOfAFindingPlanIsLeftOutAndTheNoticePointsUp) {
  Session closed(two_places(), {120, 40});
  closed.press("7");
  EXPECT_TRUE(closed.shows("P plan")) << closed.screen();
  Session failing = with_failing_source({120, 40});
  failing.press("7j");  // the source that fails
  EXPECT_FALSE(failing.shows("P plan")) << failing.screen();
  failing.press("P");
  EXPECT_NE(failing.state.message.text.find("see what to do above"), std::string::npos)
      << failing.state.message.text << failing.screen();
}

TEST(Footer, WhoeverLeavesDuringARunIsOfferedTheTwoAnswersAlone) {
  Session session = changing();
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(2);
  session.state.runs.drove = true;
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.press("q");
  EXPECT_TRUE(session.shows("p park and leave  Esc stay")) << session.screen();
  EXPECT_FALSE(session.shows("q quit")) << session.screen();
  session.press("<esc>");
  EXPECT_TRUE(session.shows("q quit")) << session.screen();
}

// What is said of a run under way stayed English between Japanese lines.
TEST(JapanesePages, ARunUnderWayIsSaidInJapanese) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(2);
  session.state.runs.drove = true;
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.hear({diary.told()});
  ASSERT_TRUE(tui::set_language(session.state, tui::Language::ja));
  session.press("2");
  EXPECT_TRUE(session.shows("：ステップ3/")) << session.screen();
  session.press("J");
  EXPECT_TRUE(session.shows("Enterで表示")) << session.screen();
}

// At 80 columns what free slices had been used for stood there, and how many can be had was cut off.
TEST(FreeSlices, HowManyCanBeHadIsSeenBeforeWhatTheyWereUsedFor) {
  Session session(two_places(), {80, 24});
  session.press(":free<enter>");
  for (const char* key : {"trend", "memory_used", "tensor", "memory_bus", "available"}) {  // they differ
    const auto column = tui::column_index(tui::ScreenKind::slices, key);
    ASSERT_TRUE(column) << key;
    session.state.top().derived.widths.at(static_cast<std::size_t>(*column)) = 9;
  }
  EXPECT_TRUE(session.shows("AVAIL")) << session.screen();
  EXPECT_FALSE(session.shows("10 MIN")) << session.screen();
}

// "fits 1g.6gb" stood at the right edge of a terminal of 200 columns, 100 cells right of its GPU.
TEST(NodePage, WhatStillFitsStandsAboveTheEndOfItsGpu) {
  Slice one = instance("1g.6gb", 0, 1, 0);
  Gpu a30 = gpu(0, Strategy::mig, {one});
  a30.model = "NVIDIA A30", a30.product = ProductKey("A30-24GB"), a30.memory = Mib{24'576};
  a30.mig_mode = MigMode::enabled;
  Story story;
  story.tell(NodesListed{{node("a1", {a30})}});
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
    story.tell(SourceReport{source, {}, {}, "", false});
  story.tell(Loaded{});
  Session session(story.model, {200, 60});
  session.press(":node a1<enter>");
  const std::string note = session.line_with("GPU 0 ");
  const std::size_t at = note.find("fits ");
  ASSERT_NE(at, std::string::npos) << session.screen();
  EXPECT_LT(tui::display_width(note), 105) << session.screen();
}

// "tr…" stood between the product and how it is changed.
TEST(LayoutHead, WhatIsTriedIsNotCutToTwoLetters) {
  Session session = changing();
  session.press("2Lpj");
  const std::string head = session.line_with("H100-80GB-SXM5 ");
  EXPECT_EQ(head.find("tr…"), std::string::npos) << head;
  EXPECT_NE(head.find("changes: "), std::string::npos) << head;
  session.resize({120, 40});
  EXPECT_TRUE(session.shows("tried: ")) << session.screen();
}

// At 80 columns what a step must show ended in a comma.
TEST(Panes, AFootThatIsCutSaysThatItGoesOn) {
  for (const int lines : {2, 3}) {
    tui::Panes panes;
    panes.main.push_back({{{"list", tui::Role::text, 1}}, {}});
    for (int i = 0; i < lines; ++i)
      panes.foot.push_back({{{"line " + std::to_string(i), tui::Role::text, 1}}, {}});
    tui::Canvas canvas({20, 10});
    tui::draw_panes(canvas, {0, 0, 20, 10}, panes, 0, "", false);
    EXPECT_NE(canvas.text().find("line 1"), std::string::npos);
    EXPECT_EQ(canvas.text().find("…") != std::string::npos, lines == 3) << canvas.text();
  }
}

// "-" stood for it, as for what does not apply.
TEST(Findings, WhatBeganAtATimeThatIsNotKnownHasAQuestionMark) {
  Session session(two_places(), {120, 40});
  session.press("7");
  EXPECT_NE(session.line_with("INVALID: ").find(" n0031 ? "), std::string::npos) << session.screen();
}

// "started n/a" of a job that waits, and "WAITING FOR THE SAME" over jobs that wait for other reasons.
TEST(WaitingPage, WhatHasNotStartedIsNotCalledUntold) {
  Session session(two_places(), {120, 40});
  session.press(":job 88140<enter>");
  EXPECT_NE(session.line_with("started ").find("not yet"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("ALSO WAITING, ASKING FOR THE SAME")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
