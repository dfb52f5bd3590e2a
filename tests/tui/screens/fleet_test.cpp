// The fleet screen: what differs from the fleet file, the way to a plan of it, and what is said where the
// file or a cluster cannot be read.
#include <gtest/gtest.h>
#include <poll.h>

#include <sstream>

#include "tests/support/golden.hpp"
#include "tests/tui/screens/fleet_places.hpp"
#include "tui/packer.hpp"

namespace tessera::test {
namespace {

using tui::FleetOrder;
using tui::ScreenKind;

TEST(FleetScreen, NamesTheFileAndCountsWhatDiffers) {
  Session session = fleet_session();
  EXPECT_TRUE(session.shows("fleet.yaml  read at")) << session.screen();
  EXPECT_TRUE(session.shows("2 drift  1 impossible  0 unknown  2 as wanted  1 left alone"))
      << session.screen();
}

TEST(FleetScreen, WhatDriftsStandsFirstAndWhatIsAsWantedLast) {
  const std::string screen = fleet_session({120, 40}).screen();
  const std::size_t drifts = screen.find("n0041"), odd = screen.find("n0044"), fine = screen.find("n0031");
  EXPECT_LT(drifts, odd) << screen;
  EXPECT_LT(odd, fine) << screen;
  EXPECT_EQ(screen.find("n0043"), std::string::npos) << "it is left alone";
}

// The sum of a node stood beside each of its GPUs, as if each had as much.
TEST(FleetScreen, WhatANodeAdvertisesIsToldOnceAndNotBesideEachOfItsGpus) {
  Session changed = changing({120, 40});
  Node mixed = node("n0041", {sevenths(0, 0), gpu(1, Strategy::whole, {whole(7)})});
  mixed.allocatable = {{"gpu:1g.10gb", 7}, {"gpu:h100", 1}};
  changed.tell(on("hpc", NodeSeen{mixed}));
  changed.press(":fleet fleet.yaml<enter>");
  hear(changed,
       told_of("pools: [{name: a, nodes: n0041, gpus: {0: none, 1: none}}, {name: c, nodes: n0042, layout: "
               "none}, {name: b, layout: as-is}]\n"));
  changed.survey();
  const std::size_t between = changed.screen().find("n0042");
  EXPECT_TRUE(changed.screen().find("n0041") < between && between < changed.screen().rfind("as-wanted"))
      << "the GPUs of n0041 stand apart\n"
      << changed.screen();
  std::vector<std::string> lines;
  std::istringstream all(changed.screen());
  for (std::string line; std::getline(all, line);)
    if (line.find("n0041") != std::string::npos && line.find("whole GPU") != std::string::npos)
      lines.push_back(line);
  ASSERT_EQ(lines.size(), 2u) << changed.screen();
  EXPECT_NE(lines[0].find("1g.10gb 7"), std::string::npos) << changed.screen();
  EXPECT_EQ(lines[1].find("1g.10gb 7"), std::string::npos) << changed.screen();
}

TEST(FleetScreen, AWindowThatNeverHoldsIsToldAboveTheTableAndTheCalendar) {
  Session session = fleet_session(
      {80, 24},
      "pools:\n- name: a\n  nodes: n0041\n  layout: as-is\n  windows:\n  - {when: daily, layout: none}\n"
      "  - {when: 'Mon-Fri 20:00-07:00', layout: none}\n- {name: b, layout: as-is}\n");
  EXPECT_TRUE(session.shows("its window Mon-Fri 20:00-07:00 (line 7) never holds")) << session.screen();
  session.press("c");
  EXPECT_TRUE(session.shows("its window Mon-Fri 20:00-07:00 (line 7) never holds")) << session.screen();
}

TEST(FleetScreen, WhatFleetRunSkipsForItsBudgetIsToldAboveTheTable) {
  Session session = fleet_session({120, 40},
                                  "pools:\n- {name: a, nodes: n0031, layout: none, evict: requeue, budget: "
                                  "{max_disturbed: 1}}\n- {name: b, layout: as-is}\n");
  EXPECT_TRUE(session.shows("pool a: fleet run skips it: its change would evict more jobs or pods (2) than"))
      << session.screen();
  EXPECT_TRUE(session.shows("without a known end: ")) << session.screen();
}

// On 24 rows what is said of the pools left no room for the table, and the cursor stood out of view.
TEST(FleetScreen, LongNotesLeaveRowsOfTheTableInViewAndAreReadAtItsEnd) {
  Session session = fleet_session(
      {80, 24},
      "pools:\n- {name: a, nodes: n0031, layout: none, evict: requeue, budget: {max_disturbed: 1}}\n"
      "- {name: none of these, nodes: n0032, feature: no-such-feature, layout: none}\n"
      "- {name: nor of these, nodes: n0033, feature: no-such-feature, layout: none}\n"
      "- {name: b, layout: 7x1g.10gb}\n");
  EXPECT_TRUE(session.shows("▌n0031")) << session.screen();
  EXPECT_TRUE(session.shows("more lines stand at the end of the list")) << session.screen();
  EXPECT_FALSE(session.shows("Raise max_disturbed to 2")) << session.screen();
  session.press("Gjjj");
  EXPECT_TRUE(session.shows("Raise max_disturbed to 2")) << session.screen();
}

// The rows went by their nodes: seven GPUs that are as wanted pushed other nodes that are not off the screen.
TEST(FleetScreen, GpusThatAreAsWantedStandBehindEveryNodeThatIsNot) {
  Session session = fleet_session({80, 24}, R"(time_zone: UTC
pools:
- {name: one, nodes: n0041, gpus: {0: none, 1: 7x1g.10gb}}
- {name: two, nodes: n0042, layout: none}
)");
  const std::string screen = session.screen();
  EXPECT_LT(screen.find("n0042"), screen.find("as-wanted")) << screen;
  EXPECT_NE(screen.find("as-wanted"), std::string::npos) << screen;
}

// It was the one list of nodes without a page beside it.
TEST(FleetScreen, OnAWideTerminalTheNodeOfTheRowStandsBesideTheTable) {
  Session session = fleet_session({200, 60});
  EXPECT_TRUE(session.shows("GPU 0   MIG")) << session.screen();
  EXPECT_TRUE(session.shows("way out")) << "what to do stays below the table\n" << session.screen();
  EXPECT_TRUE(session.shows("─ n0041 ─")) << "the rule names it\n" << session.screen();
  session.press("jj");
  EXPECT_FALSE(session.shows("─ n0041 ─")) << session.screen();
  session.press("c");
  EXPECT_FALSE(session.shows("GPU 0   MIG")) << "the calendar is about no node\n" << session.screen();
  EXPECT_FALSE(fleet_session({159, 60}).shows("GPU 0   MIG"));
}

// From 160 to 183 columns the page took the room of POOL and LAST RUN, which a terminal of 159 shows.
TEST(FleetScreen, AWiderTerminalTellsNoLessOfARow) {
  for (int columns : {120, 159, 160, 170, 183, 184, 200, 299, 300}) {
    const Session session = fleet_session({columns, 60});
    EXPECT_TRUE(session.shows("POOL") && session.shows("LAST RUN")) << columns << "\n" << session.screen();
  }
}

TEST(FleetScreen, OpeningAsksForTheFileOnceAndRForItAgain) {
  Session session = changing();
  session.press(":fleet fleet.yaml<enter>");
  ASSERT_EQ(session.effects.size(), 1u);
  ASSERT_TRUE(session.effects.back().fleet);
  EXPECT_EQ(session.effects.back().fleet->path, "fleet.yaml");
  EXPECT_EQ(session.effects.back().fleet->what, FleetOrder::What::read);
  hear(session, told_of(kFleetText));
  session.press("r");
  ASSERT_EQ(session.effects.size(), 2u);
  EXPECT_EQ(session.effects.back().fleet->what, FleetOrder::What::read);
}

TEST(FleetScreen, TheFileOfTheSettingsNeedsNoName) {
  Session session = changing();
  session.state.fleet = tui::fleet_named("/etc/tessera/fleet.yaml");
  session.press(":fleet<enter>");
  ASSERT_TRUE(!session.effects.empty() && session.effects.back().fleet);
  EXPECT_EQ(session.effects.back().fleet->path, "/etc/tessera/fleet.yaml");
}

TEST(FleetScreen, WithoutAFileItTeachesHowToMakeOne) {
  Session session = changing();
  session.press(":fleet<enter>");
  EXPECT_TRUE(session.effects.empty()) << "no file is named, so none is read";
  EXPECT_TRUE(session.shows("tessera fleet init fleet.yaml")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.message.text, "no fleet file is named: :fleet FILE");
}

TEST(FleetScreen, AnErrorInTheFileIsShownWithItsLineAndNoTableBesideIt) {
  Session session = fleet_session({120, 40});
  hear(session, told_of("pools:\n- {name: a, laoyut: none}\n", "2"));
  EXPECT_TRUE(session.shows("fleet.yaml:2:")) << session.screen();
  EXPECT_FALSE(session.shows("drift")) << "what an older file said is not what this one says";
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet);
}

TEST(FleetScreen, AFileThatWasEditedSinceIsToldAndNotPlanned) {
  Session session = fleet_session();
  session.pass(Duration(10000));
  ASSERT_TRUE(session.effects.back().fleet);
  EXPECT_EQ(session.effects.back().fleet->what, FleetOrder::What::look);
  tui::FleetTold looked{"fleet.yaml", "1", "", nullptr, {}};
  hear(session, looked);
  EXPECT_FALSE(session.shows("The file has changed")) << session.screen();
  looked.stamp = "2";
  hear(session, looked);
  EXPECT_TRUE(session.shows("The file has changed since: r reads it again.")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet) << "a plan was made of a file of before";
  hear(session, told_of(kFleetText, "2"));
  session.survey();
  EXPECT_FALSE(session.shows("The file has changed")) << session.screen();
}

// Between two looks at the file someone may have edited it.
TEST(FleetScreen, APlanOfAFileThatIsAnotherOneByNowSaysSo) {
  Session session = fleet_session();
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan);
  ASSERT_TRUE(session.effects.back().fleet);
  EXPECT_EQ(session.effects.back().fleet->what, FleetOrder::What::look);
  session.press("A");
  EXPECT_FALSE(session.state.arming) << "the look has not answered: it may be on a disk that is silent";
  EXPECT_NE(session.state.message.text.find("not heard yet"), std::string::npos)
      << session.state.message.text;
  session.state.message = {};
  hear(session, {"fleet.yaml", "1", "", nullptr, {}});
  EXPECT_EQ(session.state.message.text, "");
  hear(session, {"fleet.yaml", "2", "", nullptr, {}});
  EXPECT_NE(session.state.message.text.find("this plan is of the file before"), std::string::npos);
  session.press("A");
  EXPECT_FALSE(session.state.arming) << "it is planned again first";
  EXPECT_NE(session.state.message.text.find("the fleet file has changed"), std::string::npos)
      << session.state.message.text;
}

// Between the answer and the key a window may open or end, on a cluster where nothing else happens.
TEST(FleetScreen, AnAnswerOfBeforeAWindowOpenedIsNotPlanned) {
  Session session = fleet_session({120, 40}, R"(time_zone: UTC
pools:
- name: all
  layout: 7x1g.10gb
  windows:
  - {when: "Mon-Sun 00:00-12:00", layout: none}
  - {when: "Mon-Sun 12:00-24:00", layout: 7x1g.10gb}
)");
  ASSERT_FALSE(session.shows(" 0 drift")) << session.screen();
  session.wall += std::chrono::hours(12);  // no tick comes in between
  session.press("a");
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet) << session.screen();
  session.survey();
  EXPECT_TRUE(session.shows("0 drift")) << session.screen();
}

TEST(FleetScreen, AFileThatCannotBeReadCanBePaused) {
  Session session = fleet_session();
  hear(session, told_of("pools: [{", "2"));
  session.press("p");
  ASSERT_TRUE(session.effects.back().fleet);
  EXPECT_EQ(session.effects.back().fleet->what, FleetOrder::What::pause);
}

TEST(FleetScreen, WhatIsToldOfAnotherFileIsDropped) {
  Session session = fleet_session();
  tui::FleetTold other = told_of("pools: [{name: all, layout: as-is}]", "9");
  other.path = "other.yaml";
  hear(session, other);
  EXPECT_TRUE(session.shows("2 drift")) << session.screen();
}

TEST(FleetScreen, EnterPlansTheNodeUnderTheCursor) {
  Session session = fleet_session();
  session.press("gj<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  const plan::Plan& plan = session.state.plan->plan;
  ASSERT_EQ(plan.nodes.size(), 1u);
  EXPECT_EQ(plan.nodes[0].node.text, "n0042");
  EXPECT_EQ(plan.intent.words, "as fleet.yaml says") << "fleet run knows its runs by these words";
}

TEST(FleetScreen, OneKeyPlansWhatDriftsOfAPoolAndOneOfTheCluster) {
  const std::string text = std::string("pools:\n- {name: a, nodes: n0041, layout: none}\n") +
                           "- {name: b, nodes: \"n[0042-0043]\", layout: none}\n- {name: c, layout: as-is}\n";
  Session session = fleet_session({80, 24}, text);
  session.press("gjP");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  EXPECT_EQ(session.state.plan->plan.nodes.size(), 2u);
  session.press("<esc>a");
  EXPECT_EQ(session.state.plan->plan.nodes.size(), 3u);
}

TEST(FleetScreen, WhatDoesNotDriftHasNoPlanAndAReason) {
  Session session = fleet_session();
  session.press("G<enter>");
  EXPECT_EQ(session.state.message.text, "nothing to do: this node is as the file says");
  session.press("P");
  EXPECT_EQ(session.state.message.text, "no node of pool notebooks drifts");
  session.press("gjj<enter>");
  EXPECT_NE(session.state.message.text.find("it has no GPU 5"), std::string::npos)
      << session.state.message.text;
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet);
}

// What the file says of a cluster's platform holds for its plans, also when they are made again.
TEST(FleetScreen, ThePlanGoesByTheRulesOfTheFile) {
  Session session = fleet_session(
      {80, 24}, std::string("clusters: {hpc: {platform: slurm, plugin_strategy: mixed}}\n") +
                    "pools: [{name: a, nodes: n0041, layout: none}, {name: b, layout: as-is}]\n");
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan) << session.screen();
  ASSERT_TRUE(session.state.plan->rules);
  EXPECT_EQ(session.state.plan->rules->platform, sharing::Platform::slurm);
  EXPECT_FALSE(session.state.rules.platform) << "and for no other plan";
}

// Runs bear the path of the file itself, whichever link leads to it.
TEST(FleetScreen, RunsOfAFileThatIsReachedByALinkAreKnownAndBegunByItsOwnPath) {
  Session session = changing({120, 40});
  const Diary diary(plan_of(session, {"n0045"}, 0), "20261121-1403-n0045");
  RunHead killed = diary.head(RunState::interrupted, false), newer = diary.head(RunState::finished, false);
  killed.words = "as /srv/site.yaml says", newer.run = "20261121-1500-n0045", newer.started = at(900);
  session.hear({RunsListed{{newer, killed}}});
  session.press(":fleet fleet.yaml<enter>");
  tui::FleetTold told = told_of(kFleetText);
  tui::FleetFile file = *told.file;
  file.whole = "/srv/site.yaml";
  told.file = std::make_shared<const tui::FleetFile>(file);
  hear(session, told);
  session.survey();
  EXPECT_TRUE(session.shows("run 20261121-1403-n0045 of alice on n0045 was interrupted")) << session.screen();
  session.press("<enter>");
  ASSERT_TRUE(session.state.plan);
  EXPECT_EQ(session.state.plan->plan.intent.words, "as /srv/site.yaml says");
}

TEST(FleetScreen, WhoHasClosedANodeAndWhyIsToldBesideWhatDiffers) {
  Session session = changing({120, 40});
  Node closed = test::node("n0041", {gpu(0, Strategy::whole, {test::whole(0)})});
  closed.gpus[0].product = ProductKey("H100-80GB-SXM5");
  closed.state = {"IDLE", "DRAIN"}, closed.health = Health::drained;
  closed.reason = "fan", closed.reason_by = "bob", closed.reason_at = at(0);
  session.tell(on("hpc", NodeSeen{closed}));
  open_fleet(session, "pools: [{name: a, nodes: n0041, layout: empty}]");
  EXPECT_TRUE(session.shows("closed by bob, since 2027-01-15T08:00:00Z: fan")) << session.screen();
}

TEST(FleetScreen, APoolWhoseDemandCannotBeMetIsNotAsWanted) {
  const Session session = fleet_session({120, 40}, "pools: [{name: all, demand: {7g.80gb: 900}}]");
  EXPECT_TRUE(session.shows("its GPUs have no room for")) << session.screen();
  EXPECT_TRUE(session.shows("0 as wanted")) << session.screen();
}

// For each picture the ids of a thousand rows were put together, and two hundred rows into words.
TEST(FleetScreen, IdsOfTheRowsAreMadeWithTheAnswerAndTheCursorGoesToTheLast) {
  Session session = fleet_session({120, 40});
  const auto answer = session.state.fleet->answer;
  ASSERT_TRUE(answer && answer->ids);
  ASSERT_EQ(answer->ids->size(), answer->rows.size());
  for (std::size_t i = 0; i < answer->rows.size(); ++i)
    EXPECT_EQ((*answer->ids)[i], tui::id_of(answer->rows[i]));
  session.press("G");
  EXPECT_EQ(session.state.top().cursor, answer->ids->back()) << session.screen();
}

TEST(FleetScreen, WhatIsAdvertisedHasAColumnAtEveryWidth) {
  for (int columns : {80, 120, 200}) {
    Session session = changing({columns, 40});
    Node node = test::node("n0042", {gpu(0, Strategy::whole, {test::whole(0)})});
    node.gpus[0].product = ProductKey("H100-80GB-SXM5");
    node.allocatable = std::map<std::string, std::int64_t>{{"gpu:1g.10gb", 7}};
    session.tell(on("hpc", NodesListed{{node}}));
    open_fleet(session, "pools: [{name: a, nodes: n0042, layout: none}]");
    EXPECT_NE(session.line_with("WANTED").find("ADVERTISED"), std::string::npos) << session.screen();
    EXPECT_NE(session.line_with("n0042 ").find("! "), std::string::npos) << session.screen();
    EXPECT_NE(session.line_with("n0042 ").find("1g.10gb 7"), std::string::npos) << session.screen();
    EXPECT_TRUE(session.shows("scontrol reconfigure")) << session.screen();
  }
}

TEST(FleetScreen, FollowsTheClusterAndAsksAgain) {
  Session session = fleet_session();
  EXPECT_FALSE(session.state.fleet->working());
  Node whole =
      node("n0041", {gpu(0, Strategy::whole, {test::whole(0)}), gpu(1, Strategy::whole, {test::whole(1)})});
  session.tell(on("hpc", NodeSeen{whole}));
  EXPECT_TRUE(session.state.fleet->working());
  EXPECT_TRUE(session.shows("2 drift")) << "until then what was known stays";
  session.survey();
  EXPECT_TRUE(session.shows("1 drift")) << session.screen();
}

// An old list of nodes says nothing of what stands there now.
TEST(FleetScreen, AClusterThatDoesNotAnswerIsNotWithoutDrift) {
  Session session = fleet_session();
  session.wall += Duration(180000);
  const Error down{"scontrol failed", "connection refused", ""};
  session.tell(on("hpc", SourceReport{Source::slurm_nodes, down, Duration(0)}, 60));
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet) << "planned on an old list";
  session.survey();
  EXPECT_TRUE(session.shows("the list of nodes is old")) << session.screen();
  EXPECT_FALSE(session.shows("as wanted")) << session.screen();
}

TEST(FleetScreen, ADemandThatIsMetShowsWhatStandsOnEachNode) {
  Session session = fleet_session({120, 40}, "pools: [{name: all, demand: {1g.10gb: 70}}]");
  EXPECT_NE(session.line_with("n0045 ").find("14 × 1g.10gb"), std::string::npos);
  EXPECT_TRUE(session.shows("0 drift")) << session.screen();
}

TEST(FleetScreen, WhereInstancesStandIsToldOnlyWhereThatAloneDiffers) {
  const Session session = fleet_session(
      {120, 40}, "pools: [{name: a, nodes: n0041, layout: 3g.40gb@4}, {name: b, layout: as-is}]");
  EXPECT_NE(session.line_with("▌n0041").find("3g.40gb 7 × 1g.10gb"), std::string::npos) << session.screen();
}

TEST(FleetScreen, APoolWithoutClusterAmongSeveralIsAnErrorWithItsLine) {
  Session session(two_places(), {120, 40});
  session.press(":fleet fleet.yaml<enter>");
  hear(session, told_of("pools:\n- {name: a, layout: none}\n"));
  session.survey();
  EXPECT_TRUE(session.shows("line 2: pool a names no cluster, and there are several")) << session.screen();
}

TEST(FleetScreen, APoolOfAClusterThatIsNotHereIsTold) {
  Session session = fleet_session(
      {120, 40},
      "pools: [{name: a, cluster: elsewhere, layout: none}, {name: b, cluster: hpc, layout: none}]");
  EXPECT_TRUE(session.shows("pool a: cluster elsewhere is not among those that are found here"))
      << session.screen();
}

TEST(FleetScreen, ThePastIsNotHeldAgainstAFileOfNow) {
  Session session = changing();
  session.state.past = true;
  session.press(":fleet fleet.yaml<enter>");
  hear(session, told_of(kFleetText));
  EXPECT_FALSE(session.state.fleet->question);
  EXPECT_TRUE(session.shows("the past is shown")) << session.screen();
}

TEST(FleetScreen, TheCalendarHasTheNextSevenDays) {
  Session session = fleet_session({120, 40});
  session.press("c");
  EXPECT_TRUE(session.shows("Mon-Fri 20:00-07:00")) << session.screen();
  EXPECT_TRUE(session.shows("Times are those of UTC.")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet);
  session.press("c");
  EXPECT_TRUE(session.shows("2 drift")) << session.screen();
}

// "Fri 01-22 07:00  Fri 01-22 08:00": where the seven days end, as if the layout did.
TEST(FleetScreen, WhatHoldsHasBegunBeforeAndTheLastPhaseEndsWhenItDoes) {
  Session session = fleet_session({120, 40});
  session.press("c");
  EXPECT_NE(session.line_with("now ").find("Fri 2027-01-15 20:00"), std::string::npos) << session.screen();
  EXPECT_NE(session.line_with(" Fri 2027-01-22 07:00 ").find("Fri 2027-01-22 20:00"), std::string::npos)
      << session.screen();
}

// "Mon-Fri 20:00-07:00,…" stood beside seventy blanks.
TEST(FleetScreen, WindowsThatFollowOneAnotherAreAllNamed) {
  constexpr const char* kWeekend = R"(pools:
- name: notebooks
  layout: 7x1g.10gb
  windows:
  - {when: "Mon-Fri 20:00-07:00", layout: none}
  - {when: "Sat,Sun", layout: none}
)";
  for (int columns : {120, 200}) {
    Session session = fleet_session({columns, 40}, kWeekend);
    session.press("c");
    EXPECT_TRUE(session.shows("Mon-Fri 20:00-07:00, Sat,Sun")) << session.screen();
  }
}

// Wanted "2 × 1g.10gb + 2g.20gb + 3g.40gb" beside made "2g.20gb + 2 × 1g.10gb + 3g.40gb": one layout, in two
// orders, both cut beside a column of runs that had none.
TEST(FleetScreen, ALayoutThatIsAsWantedReadsAsTheWantedOne) {
  Session session = changing({159, 40});
  Node node = test::node("n0042", {gpu(0, Strategy::mig,
                                       {instance("2g.20gb", 0, 2, 0), instance("1g.10gb", 2, 1, 1),
                                        instance("1g.10gb", 3, 1, 2), instance("3g.40gb", 4, 4, 3)})});
  session.tell(on("hpc", NodesListed{{node}}));
  open_fleet(session, "pools: [{name: a, nodes: n0042, layout: '2x1g.10gb,2g.20gb,3g.40gb'}]");
  const std::string layout = "2 × 1g.10gb + 2g.20gb + 3g.40gb";
  EXPECT_TRUE(session.shows(layout + " " + layout + " ")) << session.screen();
}

// "h100-80gb-sx…" was the name of three pools, on the table and in the calendar.
TEST(FleetScreen, PoolsOfOneProductAreToldApart) {
  constexpr const char* kLong = R"(pools:
- {name: h100-80gb-sxm5-1, nodes: "n[0041-0042]", layout: none}
- name: h100-80gb-sxm5-2
  nodes: "n[0043-0044]"
  layout: 7x1g.10gb
  windows: [{when: "Mon-Fri 20:00-07:00", layout: none}]
)";
  for (int columns : {120, 200}) {
    Session session = fleet_session({columns, 40}, kLong);
    EXPECT_TRUE(session.shows("h100-80gb-sxm5-1 ")) << session.screen();
    EXPECT_FALSE(session.shows("h100-80gb-sx…")) << session.screen();
  }
  Session narrow = fleet_session({80, 24}, kLong);
  narrow.press("c");
  EXPECT_TRUE(narrow.shows("h100-80gb-sxm5-2 ")) << narrow.screen();
  EXPECT_TRUE(narrow.shows("7 × 1g.10gb")) << narrow.screen();
}

TEST(FleetScreen, TheCalendarHasRoomForAWindowOfFewLetters) {
  Session session = fleet_session({120, 40}, R"(pools:
- {name: a, nodes: n0041, layout: none, windows: [{when: "Sat,Sun", layout: 7x1g.10gb}]}
)");
  session.press("c");
  EXPECT_TRUE(session.shows("Sat,Sun   7 × 1g.10gb")) << session.screen();
}

TEST(FleetScreen, TheCalendarSaysFromWhenNodesAreClosedForAWindow) {
  constexpr const char* kLead = R"(pools:
- name: notebooks
  layout: 7x1g.10gb
  budget: {lead: '04:00'}
  windows: [{when: "Mon-Fri 20:00-07:00", layout: none}]
)";
  for (const auto& [columns, closing] : {std::pair(80, "Fri 01-15 16:00"), std::pair(120, "Fri 01-15 16:00"),
                                         std::pair(200, "Fri 2027-01-15 16:00")}) {
    Session session = fleet_session({columns, 40}, kLead);
    session.press("c");
    EXPECT_TRUE(session.shows("CLOSING FROM: no node is closed for the window before")) << session.screen();
    EXPECT_NE(session.line_with("UNTIL").find("CLOSING FROM"), std::string::npos) << session.screen();
    EXPECT_TRUE(session.shows(closing)) << columns << "\n" << session.screen();
    EXPECT_TRUE(session.shows("whole GPU")) << session.screen();
  }
  Session without = fleet_session({120, 40});
  without.press("c");
  EXPECT_FALSE(without.shows("CLOSING FROM")) << "no pool of that file has a lead";
}

// What the scheduler hands out is not what is made there: the screen said both in the same colour.
TEST(FleetScreen, WhatIsAdvertisedOtherwiseThanMadeIsRedWithAWayOut) {
  Session session = changing({200, 60});
  Node node = test::node("n0042", {gpu(0, Strategy::whole, {test::whole(0)})});
  node.gpus[0].product = ProductKey("H100-80GB-SXM5");
  node.allocatable = std::map<std::string, std::int64_t>{{"nvidia.com/gpu", 3}};
  session.tell(on("hpc", ClusterSeen{Scheduler::kubernetes, false, "v1.31.2", "test", "hpc-1"}));
  session.tell(on("hpc", NodesListed{{node}}));
  open_fleet(session, "pools: [{name: a, nodes: n0042, layout: none}]");
  EXPECT_TRUE(session.shows("what is made there would be advertised as: nvidia.com/gpu 1"))
      << session.screen();
  EXPECT_TRUE(session.shows("tessera node restart-plugin n0042 has it counted again")) << session.screen();
  node.allocatable = std::map<std::string, std::int64_t>{{"nvidia.com/gpu", 1}};
  session.tell(on("hpc", NodeSeen{node}));
  session.survey();
  EXPECT_FALSE(session.shows("restart-plugin")) << session.screen();
}

TEST(FleetScreen, WithoutWindowsTheCalendarSaysSo) {
  Session session = fleet_session({80, 24}, "pools: [{name: a, layout: as-is}]");
  session.press("c");
  EXPECT_TRUE(session.shows("No pool of the file has windows")) << session.screen();
}

TEST(FleetScreen, PPausesAndOnlyAWordEndsThat) {
  Session session = fleet_session();
  session.press("p");
  ASSERT_TRUE(session.effects.back().fleet);
  EXPECT_EQ(session.effects.back().fleet->what, FleetOrder::What::pause);
  EXPECT_EQ(session.effects.back().fleet->who, "alice");
  hear(session, {"fleet.yaml", "1", "2026-11-21T14:03:00Z by alice", nullptr, {}});
  EXPECT_TRUE(session.shows("PAUSED")) << session.screen();
  EXPECT_TRUE(session.shows("2026-11-21T14:03:00Z by alice")) << session.screen();
  const std::size_t asked = session.effects.size();
  session.press("p");
  EXPECT_EQ(session.effects.size(), asked) << "a key that slips lets nothing begin";
  session.press("<enter>");
  ASSERT_EQ(session.effects.size(), asked + 1);
  EXPECT_EQ(session.effects.back().fleet->what, FleetOrder::What::unpause);
  EXPECT_EQ(session.effects.back().fleet->seen, "2026-11-21T14:03:00Z by alice") << "and no other pause";
}

TEST(FleetScreen, CopiesTheCommandThatExplainsTheNode) {
  Session session = fleet_session();
  session.press("y");
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_EQ(*session.effects.back().copy, "tessera fleet explain n0041 fleet.yaml");
}

TEST(Packer, HoldsTheClustersAgainstTheFleetFileBesideTheLoop) {
  Session session = changing();
  session.press(":fleet fleet.yaml<enter>");
  hear(session, told_of(kFleetText));
  tui::Packer packer;
  packer.follow(session.state);
  pollfd waiting{packer.wake_fd(), POLLIN, 0};
  ASSERT_EQ(poll(&waiting, 1, 60'000), 1) << "no answer came";
  const auto told = packer.take();
  ASSERT_TRUE(told);
  tui::update(session.state, session.world(), *told);
  EXPECT_TRUE(session.shows("2 drift")) << session.screen();
}

TEST(FleetGolden, AtThreeSizes) {
  for (tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}})
    expect_golden("fleet-" + std::to_string(size.columns), fleet_session(size).canvas());
}

TEST(FleetGolden, ItsCalendarItsEmptyStateAndJapanese) {
  Session session = fleet_session();
  session.press("c");
  expect_golden("fleet-calendar-80", session.canvas());
  Session empty = changing();
  empty.press(":fleet<enter>");
  expect_golden("fleet-empty-80", empty.canvas());
  Session japanese = fleet_session();
  ASSERT_TRUE(set_language(japanese.state, tui::Language::ja));
  expect_golden("fleet-ja-80", japanese.canvas());
  japanese.state.ascii = true;
  ASSERT_TRUE(set_language(japanese.state, tui::Language::en));
  expect_golden("fleet-ascii-80", japanese.canvas());
}

}  // namespace
}  // namespace tessera::test
