// What fleet run cannot do by the file, among the findings and on the overview: it was known to doctor and to
// those who asked about the file.
#include "tui/screens/fleet/fleet_findings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "engine/fleet/passed_over.hpp"
#include "engine/time.hpp"
#include "tests/tui/screens/fleet_places.hpp"
#include "tui/packer.hpp"

namespace tessera::test {
namespace {

using tui::FleetOrder;
using tui::ScreenKind;

constexpr const char* kSkipped =
    "pools:\n- {name: a, nodes: n0031, layout: none, evict: requeue, budget: {max_disturbed: 1}}\n"
    "- {name: b, layout: as-is}\n";
constexpr const char* kSkips = "fleet run skips it: its change would evict more jobs or pods";

// A console whose settings name the file, as the loop reads it.
Session named(const std::string& text, tui::Size size = {120, 40}) {
  Session session = changing(size);
  session.state.fleet = tui::fleet_named("fleet.yaml");
  session.press("7");
  hear(session, told_of(text));
  return session;
}

Session skipped(tui::Size size = {120, 40}) {
  Session session = named(kSkipped, size);
  session.survey();
  return session;
}

// The cursor on the finding with that in its line.
void go_to(Session& session, const std::string& text) {
  session.press("g");
  for (int i = 0; i < 60; ++i) {
    const std::string& cursor = session.state.top().cursor;  // empty: on the first of the findings
    for (const insight::Cause& cause : session.state.overview.causes)
      if ((cursor.empty() || cursor.ends_with(cause.id)) && cause.text.find(text) != std::string::npos)
        return;
    session.press("j");
  }
  FAIL() << "no finding with " << text << " in\n" << session.screen();
}

const FleetOrder* ordered(const Session& session) {
  return session.effects.empty() || !session.effects.back().fleet ? nullptr : &*session.effects.back().fleet;
}

TEST(FleetFindings, TheFileOfTheSettingsIsReadWithoutAKey) {
  Session session = changing();
  session.pass(Duration(0));
  EXPECT_EQ(ordered(session), nullptr) << "none is named";
  session.state.fleet = tui::fleet_named("fleet.yaml");
  session.pass(Duration(0));
  ASSERT_NE(ordered(session), nullptr);
  EXPECT_EQ(ordered(session)->what, FleetOrder::What::read);
  EXPECT_EQ(ordered(session)->path, "fleet.yaml");
}

TEST(FleetFindings, APoolThatFleetRunSkipsStandsAmongTheFindingsAndOnTheOverview) {
  Session session = skipped();
  EXPECT_TRUE(session.shows(kSkips)) << session.screen();
  go_to(session, kSkips);
  EXPECT_TRUE(session.shows("nodes of the pool stay as they are")) << session.screen();
  EXPECT_TRUE(session.shows("tessera fleet check fleet.yaml")) << session.screen();
  session.press("1");
  EXPECT_TRUE(session.shows("pool a")) << session.screen();
}

TEST(FleetFindings, EnterOpensTheFleetScreenAndYCopiesTheCommand) {
  Session session = skipped();
  go_to(session, kSkips);
  session.press("y");
  ASSERT_TRUE(session.effects.back().copy);
  EXPECT_EQ(*session.effects.back().copy, "tessera fleet check fleet.yaml");
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet);
  EXPECT_TRUE(session.shows("pool a")) << session.screen();
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::doctor) << "and back";
}

TEST(FleetFindings, OneIsAcknowledgedAsAnyOther) {
  Session session = skipped();
  go_to(session, kSkips);
  session.press("a");
  ASSERT_TRUE(session.effects.back().acknowledge);
  EXPECT_TRUE(session.shows("noted")) << session.screen();
}

TEST(FleetFindings, AnErrorOfTheFileIsOneOfNoCluster) {
  for (const tui::Size size : {tui::Size{80, 24}, tui::Size{200, 60}}) {
    Session session = named("pools: [{name: a}]\n", size);
    go_to(session, "fleet run begins nothing: fleet.yaml:1:");
    EXPECT_TRUE(session.shows("fleet run changes no node until the file")) << session.screen();
    session.press("<enter>");
    EXPECT_EQ(session.state.top().kind, ScreenKind::fleet);
    session.press("1");
    go_to(session, "fleet run begins nothing");
    session.press("i");
    EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << "there is no cluster to tell of";
    session.press("<enter>");
    EXPECT_EQ(session.state.top().kind, ScreenKind::fleet);
  }
}

TEST(FleetFindings, AFileThatHasChangedIsReadAgainAndWhatItSaidBeforeIsGone) {
  Session session = skipped();
  session.pass(Duration(10'000));
  ASSERT_NE(ordered(session), nullptr);
  EXPECT_EQ(ordered(session)->what, FleetOrder::What::look);
  hear(session, {"fleet.yaml", "2", "", nullptr, {}});
  EXPECT_FALSE(session.shows(kSkips)) << session.screen();
  session.pass(Duration(0));
  ASSERT_NE(ordered(session), nullptr);
  EXPECT_EQ(ordered(session)->what, FleetOrder::What::read);
  hear(session, told_of("pools: [{name: a, layout: as-is}]\n", "2"));
  session.survey();
  EXPECT_FALSE(session.shows(kSkips)) << session.screen();
}

// Read without a key, it would be taken for the file that the plan was made by.
TEST(FleetFindings, UnderAPlanOfTheFileItIsNotReadAgain) {
  Session session = fleet_session();
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan);
  session.press("1");
  hear(session, {"fleet.yaml", "2", "", nullptr, {}});
  EXPECT_EQ(tui::fleet_file_to_read(session.state), std::nullopt);
  EXPECT_TRUE(session.state.fleet->changed);
  session.state.fleet = std::make_shared<const tui::FleetState>([&] {
    tui::FleetState of_settings = *session.state.fleet;
    of_settings.of_settings = of_settings.path;
    return of_settings;
  }());
  session.state.overview.valid = false;
  session.pass(Duration(0));
  EXPECT_TRUE(session.shows("the fleet file has changed since it was read")) << session.screen();
}

// The screen of the file alone showed it: whoever wondered why no window came found nothing on the overview.
TEST(FleetFindings, ThatFleetRunIsPausedStandsAmongThemWithWhatLiftsIt) {
  Session session = named("pools: [{name: a, layout: as-is}]\n");
  EXPECT_FALSE(session.shows("is paused for this file")) << session.screen();
  const auto look = [&](const std::string& paused) {
    tui::FleetTold told;
    told.path = "fleet.yaml", told.stamp = "1", told.paused = paused;
    hear(session, told);
    session.pass(Duration(0));
  };
  look("2027-01-15T07:00:00Z by bob");
  go_to(session, "fleet run is paused for this file since 2027-01-15T07:00:00Z by bob");
  EXPECT_TRUE(session.shows("fleet run begins nothing and its runs rest")) << session.screen();
  EXPECT_TRUE(session.shows("tessera fleet unpause fleet.yaml")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::fleet);
  session.press("<esc>");
  look("?");
  go_to(session, "fleet run is paused for this file; since when and by whom cannot be read");
  look("");
  EXPECT_FALSE(session.shows("is paused for this file")) << "it is lifted\n" << session.screen();
}

TEST(FleetFindings, APauseCountsWhateverTheFileSaysAndHasTheAgeOfItsMark) {
  const auto paused = tui::pause_finding("my fleet.yaml", "2027-01-15T07:00:00Z by bob");
  ASSERT_TRUE(paused);
  ASSERT_TRUE(paused->since);
  EXPECT_EQ(utc_text(*paused->since), "2027-01-15T07:00:00Z");
  EXPECT_EQ(paused->commands, std::vector<std::string>{"tessera fleet unpause 'my fleet.yaml'"});
  EXPECT_FALSE(tui::pause_finding("fleet.yaml", "?")->since) << "unknown is no time";
  EXPECT_FALSE(tui::pause_finding("fleet.yaml", ""));
  Session session = named("pools: [{name: a}]\n");
  tui::FleetTold told;
  told.path = "fleet.yaml", told.stamp = "1", told.paused = "2027-01-15T07:00:00Z by bob";
  hear(session, told);
  EXPECT_EQ(tui::fleet_findings(session.state).size(), 2u) << "its error is the other one";
}

// Its text names who is in the way, and these change every few minutes.
TEST(FleetFindings, OneIsKnownByItsPoolWhoeverIsInTheWay) {
  Session session = skipped();
  const auto& causes = session.state.overview.causes;
  const auto found = std::find_if(causes.begin(), causes.end(), [](const insight::Cause& cause) {
    return cause.text.find(kSkips) != std::string::npos;
  });
  ASSERT_NE(found, causes.end());
  EXPECT_TRUE(found->id.ends_with("pool a\x1fskipped")) << found->id;
}

// Both were one finding: whoever noted one of them saw neither.
TEST(FleetFindings, WhatAnotherKeepsClosedIsAnotherFindingThanTheBudgetOfItsPool) {
  fleet::Pool pool;
  pool.name = "a";
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  tui::FleetAnswer answer;
  fleet::Survey& survey = answer.surveys.emplace_back();
  survey.cluster = &cluster;
  survey.notes = {{&pool, fleet::Standing::drifts, fleet::closed_text({{NodeName("n2"), "ops: RMA 4711"}})},
                  {&pool, fleet::Standing::drifts, kSkips}};
  const auto found = tui::findings_of("fleet.yaml", tui::FleetFile{}, &answer);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_NE(insight::cause_id(found[0]), insight::cause_id(found[1]));
}

TEST(FleetFindings, UntilTheFileIsHeldAgainstTheClustersNothingIsSaidToBeFine) {
  Session session = named(kSkipped);
  EXPECT_EQ(tui::fleet_file_untold(session.state), "fleet.yaml");
  session.survey();
  EXPECT_EQ(tui::fleet_file_untold(session.state), "");
  hear(session, told_of("pools: [{name: a}]\n", "2"));
  EXPECT_EQ(tui::fleet_file_untold(session.state), "") << "its error is a finding";
}

TEST(FleetFindings, AnotherFileThatIsOpenIsNotTheOneThatFleetRunGoesBy) {
  Session session = skipped();
  session.press(":fleet other.yaml<enter>");
  tui::FleetTold other = told_of("pools: [{name: a}]\n", "2");
  other.path = "other.yaml";
  hear(session, other);
  session.press("7");
  EXPECT_TRUE(tui::fleet_findings(session.state).empty()) << session.screen();
  EXPECT_FALSE(session.shows("fleet run")) << session.screen();
  EXPECT_EQ(tui::fleet_file_untold(session.state), "fleet.yaml");
  session.press(":fleet fleet.yaml<enter>");
  hear(session, told_of(kSkipped));
  session.press("7");
  session.survey();
  EXPECT_TRUE(session.shows(kSkips)) << session.screen();
}

// Its rights, or a time zone that was not installed: the text is the same.
TEST(FleetFindings, AnErrorThatIsMendedWithoutAnEditGoesByItself) {
  Session session = changing();
  session.state.fleet = tui::fleet_named("fleet.yaml");
  session.press("7");
  tui::FleetTold wrong = told_of("pools: [{name: a, layout: as-is}]\n");
  tui::FleetFile file = *wrong.file;
  file.failure = Error{"cannot read the fleet file", "there is no time zone Europe/Berlin", ""};
  wrong.file = std::make_shared<const tui::FleetFile>(file);
  hear(session, wrong);
  EXPECT_TRUE(session.shows("there is no time zone")) << session.screen();
  session.pass(Duration(10'000));
  ASSERT_NE(ordered(session), nullptr);
  EXPECT_EQ(ordered(session)->what, FleetOrder::What::read);
  hear(session, told_of("pools: [{name: a, layout: as-is}]\n"));
  EXPECT_FALSE(session.shows("there is no time zone")) << session.screen();
}

TEST(FleetFindings, ABusyClusterDoesNotLookAtTheFileWithEachPicture) {
  Session session = skipped();
  session.pass(Duration(10'000));
  ASSERT_NE(ordered(session), nullptr);
  session.effects.clear();
  for (int i = 0; i < 40; ++i) session.pass(Duration(100));
  EXPECT_EQ(ordered(session), nullptr);
  session.pass(Duration(1'000));
  EXPECT_NE(ordered(session), nullptr);
}

TEST(FleetFindings, TheClustersAreHeldAgainstTheFileOnceInTenSecondsAtMost) {
  Session session = skipped();
  const auto asked = session.state.fleet->question;
  session.tell(on("hpc", NodeSeen{node("n0031", {sevenths(0, 7)})}));
  EXPECT_EQ(session.state.fleet->question, asked);
  session.pass(Duration(10'000));
  EXPECT_NE(session.state.fleet->question, asked);
  session.survey();
  const auto again = session.state.fleet->question;
  session.pass(Duration(60'000));
  EXPECT_EQ(session.state.fleet->question, again) << "nothing has changed since";
}

TEST(FleetFindings, OnlyAScreenThatHasThemAsksThePlannersThread) {
  Session session = named(kSkipped);
  tui::Packer packer;
  session.press("2");
  packer.follow(session.state);
  EXPECT_FALSE(packer.busy());
  session.press("7");
  packer.follow(session.state);
  EXPECT_TRUE(packer.busy());
}

TEST(FleetFindings, ThePastHasNone) {
  Session session = skipped();
  session.state.past = true;
  EXPECT_TRUE(tui::fleet_findings(session.state).empty());
  EXPECT_EQ(tui::fleet_file_to_read(session.state), std::nullopt);
}

// It said "now" of a layout that the list of the same moment said fleet run does not make.
TEST(FleetFindings, WhatFleetRunSkipsIsNotTheCalendarsNow) {
  const auto calendar_of = [](int disturbed) {
    Session session =
        fleet_session({80, 24},
                      "time_zone: UTC\npools:\n- name: a\n  nodes: n0031\n  layout: none\n  evict: requeue\n"
                      "  budget: {max_disturbed: " +
                          std::to_string(disturbed) +
                          "}\n"
                          "  windows: [{when: 'Mon-Sun 00:00-12:00', layout: none}, {when: 'Mon-Sun "
                          "12:00-24:00', layout: as-is}]\n"
                          "- {name: b, layout: as-is}\n");
    session.press("c");
    return session;
  };
  const Session skipped = calendar_of(1), done = calendar_of(9);
  EXPECT_NE(skipped.line_with("now").find("now, skipped"), std::string::npos) << skipped.screen();
  EXPECT_TRUE(skipped.shows("pool a: fleet run leaves nodes on hpc as they are")) << skipped.screen();
  EXPECT_FALSE(done.shows("skipped") || done.shows("leaves nodes")) << done.screen();
  EXPECT_NE(done.line_with("▌now ").find(" a "), std::string::npos) << done.screen();
}

// Phases go by the cluster's clock, the mark went by this machine's.
TEST(FleetCalendar, TheLineThatHoldsNowIsMarkedByTheClockOfItsCluster) {
  Session session = changing({120, 40});
  session.tell(on("hpc", ClockSet{session.wall - std::chrono::hours(10), 1}));
  open_fleet(session);
  session.press("c");
  const tui::Canvas canvas = session.canvas();
  int marked = 0, y = 0;
  std::istringstream lines(canvas.text());
  for (std::string line; std::getline(lines, line); ++y)
    if (line.starts_with("▌now ")) {
      ++marked;
      EXPECT_TRUE(canvas.at(1, y).style.bold) << session.screen();
      EXPECT_EQ(canvas.at(1, y).style.role, tui::Role::accent) << session.screen();
    }
  EXPECT_EQ(marked, 1) << session.screen();
}

}  // namespace
}  // namespace tessera::test
