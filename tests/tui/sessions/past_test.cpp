// While the past is shown nothing is armed, and what was planned there is never applied.
#include <gtest/gtest.h>

#include "engine/time.hpp"
#include "tests/support/zone.hpp"
#include "tests/tui/screens/change_places.hpp"

namespace tessera::test::past_story {
namespace {

int orders(const Session& session) {
  int count = 0;
  for (const tui::Effects& effects : session.effects) count += static_cast<int>(effects.orders.size());
  return count;
}
void show(Session& session, bool past) {
  // Another model has another revision.
  ++session.model.revision;
  (void)update(session.state, session.world(), tui::OtherWorld{past});
}
Session with_plan() {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0031"}, 0));
  return session;
}

TEST(ThePast, NothingIsArmedThere) {
  Session session = with_plan();
  show(session, true);
  session.press("A");
  session.line_with("the past is shown, and nothing can be changed there");
  EXPECT_FALSE(session.state.arming);
  EXPECT_TRUE(session.shows("[RO]")) << "whatever --write says";
  show(session, false);
  session.press("A");
  EXPECT_TRUE(session.state.arming) << "the plan was made of the live cluster";
}

// "it has never answered" stood below the reason, as of a source of the cluster.
TEST(ThePast, ARecordingThatDoesNotTellOfTheMomentIsNamedWithItsAge) {
  Session session = changing({120, 40});
  session.tell(on("hpc", Recorded{at(-86'400), at(-7200), ""}));
  session.tell(on("hpc", SourceReport{Source::none, Error{"nothing is recorded of this moment", "", ""}}));
  EXPECT_TRUE(session.shows("the newest round of the recording of hpc is 2 h 0")) << session.screen();
  EXPECT_FALSE(session.shows("never answered")) << session.screen();
}

// "There are no nodes here. The scheduler reports none", of a moment before the recording began.
TEST(ThePast, WhereNothingIsRecordedOfTheMomentNoListIsSaidToBeEmpty) {
  Model model;
  reduce(model, on("hpc", ClusterSeen{Scheduler::slurm, false, "slurm 22.05.8", "/etc/slurm/slurm.conf"}));
  reduce(model, on("hpc", NodesListed{{}}));
  reduce(model, on("hpc", WorkloadsListed{{}}));
  reduce(model, on("hpc", SourceReport{Source::none, Error{"nothing is recorded of this moment", "", ""}}));
  Session session(std::move(model), {80, 24});
  show(session, true);
  for (const char* screen : {"2", "3", "4", "5"}) {
    session.press(screen);
    EXPECT_TRUE(session.shows("there are is not known.")) << session.screen();
    EXPECT_FALSE(session.shows("There are no ")) << session.screen();
    EXPECT_FALSE(session.shows("ask again now")) << session.screen();
  }
}

TEST(ThePast, NoKeyIsOfferedThatDoesNothingThere) {
  Session session = with_plan();
  EXPECT_TRUE(session.shows("A arm")) << session.screen();
  show(session, true);
  EXPECT_FALSE(session.shows("A arm")) << session.screen();
  show(session, false);
  EXPECT_TRUE(session.shows("A arm")) << session.screen();
}

TEST(ThePast, WhatIsArmedIsDisarmedOnTheWayThere) {
  Session session = with_plan();
  session.press("An0031<enter>");
  ASSERT_TRUE(session.state.arming && session.state.arming->armed);
  show(session, true);
  EXPECT_FALSE(session.state.arming);
  session.press("!");
  show(session, false);
  session.press("!");
  EXPECT_EQ(orders(session), 0);
}

TEST(ThePast, APlanThatWasMadeThereIsNotAppliedOnTheLiveCluster) {
  Session session = changing({120, 40});
  show(session, true);
  session.state.writable = false;
  open(session, plan_of(session, {"n0031"}, 0));
  EXPECT_FALSE(session.shows("start tessera with --write")) << "it would not help";
  session.state.writable = true;
  show(session, false);
  session.press("A");
  session.line_with("this plan was made of a recording");
  EXPECT_FALSE(session.state.arming);
  session.press("p");
  session.press("A");
  EXPECT_TRUE(session.state.arming) << "it was planned again, from the live cluster";
}

TEST(ThePast, ARunIsNeitherResumedNorTurnedBackFromThere) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0031"}, 0));
  session.hear({RunsListed{{diary.head(RunState::parked, false)}}});
  session.hear({diary.told()});
  session.press("J");
  show(session, true);
  for (const char* key : {"r", "a"}) {
    session.press(key);
    session.line_with("the past is shown");
    EXPECT_FALSE(session.state.arming || session.state.resuming);
  }
}

TEST(ThePast, TheTimeIsAskedForWhereARecorderIsKnown) {
  Session session = changing();
  session.state.no_past = "no folder of a recorder is named";
  session.press("@");
  session.line_with("no folder of a recorder is named");
  session.state.no_past.clear();
  session.press("@-2h<enter>");
  ASSERT_FALSE(session.effects.empty());
  ASSERT_TRUE(session.effects.back().time);
  EXPECT_EQ(session.effects.back().time->to, session.wall - std::chrono::hours(2));
}

TEST(ThePast, NowIsTheNewestRoundAsItIsForTheCommands) {
  Session session = changing();
  session.press(":at now<enter>");
  ASSERT_TRUE(!session.effects.empty() && session.effects.back().time);
  EXPECT_EQ(session.effects.back().time->to, session.wall) << "of what is recorded of the live clusters";
  session.tell(on("hpc", Recorded{at(-86'400), at(-7200), ""}));
  show(session, true);
  session.press(":at now<enter>");
  EXPECT_EQ(session.effects.back().time->to, session.wall) << "a recorder may have written on meanwhile";
}

// "at needs a name; Tab offers them" stood there, and Tab offered nothing.
TEST(ThePast, TabOffersTimesAndSpeeds) {
  Session session = changing();
  session.press(":at<enter>");
  session.line_with("at needs a value; Tab offers what there is");
  session.press("@");
  EXPECT_TRUE(session.shows("at yesterday 03:12")) << session.screen();
  session.press("y<tab><enter>");
  ASSERT_TRUE(!session.effects.empty() && session.effects.back().time) << session.screen();
  session.press(":speed ");
  EXPECT_TRUE(session.shows("speed 600")) << session.screen();
}

TEST(ThePast, KeysThatMoveAboutInItSayWhyTheyDoNothing) {
  Session session = changing();
  for (const char* key : {"{", "}", ";"}) {
    session.press(key);
    session.line_with("this moves about in a recording; @ goes to a time of it");
  }
  session.press("|");
  session.line_with("the live clusters are shown already");
}

TEST(ThePast, ASpeedIsANumber) {
  Session session = changing();
  session.press(":speed 60<enter>");
  session.line_with("no recording is shown");
  show(session, true);
  for (const char* wrong : {"x", "-1", "nan", "1e9", "60s"}) {
    session.press(std::string(":speed ") + wrong + "<enter>");
    session.line_with("cannot play at");
    session.press("<esc>");
  }
  session.press(":speed 600<enter>");
  EXPECT_EQ(session.state.playing, 600);
  session.press(";");
  EXPECT_EQ(session.effects.back().time->speed, 0);
}

std::string bar_of(const Session& session) {
  const std::string screen = session.screen();
  const std::size_t begin = screen.find('\n') + 1;
  return screen.substr(begin, screen.find('\n', begin) - begin);
}
// Twelve hours are recorded, and the ninth of them is shown.
void show_ninth_hour(Session& session, const std::string& found) {
  Cluster& cluster = session.model.clusters.front();
  const TimePoint from = session.wall - std::chrono::hours(12);
  cluster.clock = Clock{from + std::chrono::hours(9), session.wall, 0};
  cluster.recorded = Recorded{from, session.wall, found};
  show(session, true);
}

TEST(TheTimeBar, ShowsWhereInTheRecordingThisMomentLies) {
  Session session = changing();
  EXPECT_EQ(bar_of(session).find("stopped"), std::string::npos) << "there is none on the live clusters";
  show_ninth_hour(session, "");
  const std::string bar = bar_of(session);
  EXPECT_NE(bar.find("stopped"), std::string::npos) << bar;
  const std::size_t here = bar.find("\u25cf"), first = bar.find("\u2501"), last = bar.rfind("\u2501");
  ASSERT_NE(here, std::string::npos) << bar;
  const double part = static_cast<double>(here - first) / static_cast<double>(last - first);
  EXPECT_NEAR(part, 0.75, 0.05) << bar;
}

// "PAST 2026-11-29 19:46:07" stood there, which was now.
TEST(TheTimeBar, BeforeAMomentIsToldTheTitleHasNoTimeOfIt) {
  Session session = changing({120, 40});
  session.model.clusters.front().clock.reset();
  show(session, true);
  const std::string title = session.line_with(" PAST ");
  EXPECT_FALSE(title.empty()) << session.screen();
  EXPECT_EQ(title.find(':'), std::string::npos) << title;
}

TEST(TheTimeBar, SaysWhatHappenedAndHowFastTimePasses) {
  Session session = changing({120, 40});
  show_ninth_hour(session, "job 88120 ended");
  session.press(";");
  const std::string bar = bar_of(session);
  EXPECT_NE(bar.find("playing 60x"), std::string::npos) << bar;
  EXPECT_NE(bar.find("job 88120 ended"), std::string::npos) << bar;
}

// The moment is shown before what happened in the hour before it is read.
TEST(TheTimeBar, SaysThatTheEventsOfTheMomentAreBeingReadAndTheirListIsNotSaidToBeEmpty) {
  Session session = changing({120, 40});
  show_ninth_hour(session, "");
  session.model.log.clear(), session.model.work_log.clear();
  Cluster& cluster = session.model.clusters.front();
  cluster.loaded = true;
  session.press(":events<enter>");
  EXPECT_TRUE(session.shows("Nothing has happened yet.")) << session.screen();
  cluster.progress = Progress{"events", 0, {}};
  session.press("j");
  EXPECT_NE(bar_of(session).find("reading its events"), std::string::npos) << session.screen();
  EXPECT_TRUE(session.shows("Older events of this moment are being read.")) << session.screen();
  EXPECT_FALSE(session.shows("Nothing has happened yet.")) << session.screen();
}

// "none since tessera was started" stood there, of a moment of the past.
TEST(TheTimeBar, APageOfAGpuTellsOfWhichTimeItHasNoChanges) {
  Session session = changing({120, 60});
  session.model.log.clear(), session.model.work_log.clear();
  session.press(":gpu n0031 0<enter>");
  EXPECT_TRUE(session.shows("none since tessera was started")) << session.screen();
  show_ninth_hour(session, "");
  session.press("j");
  EXPECT_TRUE(session.shows("none is recorded in the hour before this moment")) << session.screen();
  session.model.clusters.front().loaded = true;
  session.model.clusters.front().progress = Progress{"events", 0, {}};
  session.press("j");
  EXPECT_TRUE(session.shows("Older events of this moment are being read.")) << session.screen();
}

TEST(TheTimeBar, StaysWithinTheScreenWhateverHappened) {
  Session session = changing({80, 24});
  session.state.ascii = true;
  show_ninth_hour(session, std::string(200, 'x'));
  const std::string bar = bar_of(session);
  EXPECT_LE(bar.size(), 80u);
  EXPECT_NE(bar.find('O'), std::string::npos) << "the track keeps its room: " << bar;
}

// It ended in "…─" behind 32 cells, beside the same day twice, which the title tells, too.
TEST(TheTimeBar, WhatHappenedIsReadToItsEndBeforeTheDayStandsThere) {
  Session session = changing({80, 24});
  show_ninth_hour(session, "job 88120 of alice ended on n0031: 3");
  const std::string bar = bar_of(session);
  EXPECT_NE(bar.find(" job 88120 of alice ended on n0031: 3 "), std::string::npos) << bar;
  EXPECT_EQ(bar.find("01-15"), std::string::npos) << "the title has the day: " << bar;
  show_ninth_hour(session, "job 88120 of alice ended on n0031, and many others of hers did so, too");
  EXPECT_NE(bar_of(session).find("\u2026 "), std::string::npos) << "not at the rule: " << bar_of(session);
}

TEST(TheTimeBar, OfALongRecordingItIsTheDay) {
  Session session = changing({120, 40});
  Cluster& cluster = session.model.clusters.front();
  cluster.clock = Clock{session.wall, session.wall, 0};
  cluster.recorded = Recorded{session.wall - std::chrono::hours(24 * 20), session.wall, ""};
  show(session, true);
  const std::string bar = bar_of(session);
  const std::size_t midnight = bar.find("00:00");
  ASSERT_NE(midnight, std::string::npos) << bar;
  EXPECT_NE(bar.find("00:00", midnight + 1), std::string::npos) << bar;
}

// 00:00 to 00:00 on the day on which clocks are set back, with the hour that comes twice.
TEST(TheTimeBar, ADayOf25HoursIsWholeAndItsTwoHoursAreToldApart) {
  Session session = changing({120, 40});
  const InZone berlin("Europe/Berlin");
  Cluster& cluster = session.model.clusters.front();
  const TimePoint second = *parse_utc("2026-10-25T01:30:00Z");
  cluster.recorded = Recorded{second - std::chrono::hours(24 * 20), second + std::chrono::hours(72), ""};
  for (const auto& [at, title] :
       {std::pair(second, "PAST 2026-10-25 02:30:00 CET"),
        std::pair(second - std::chrono::hours(1), "PAST 2026-10-25 02:30:00 CEST")}) {
    cluster.clock = Clock{at, session.wall, 0};
    show(session, true);
    session.line_with(title);
    const std::string bar = bar_of(session);
    EXPECT_NE(bar.find("10-25 00:00"), std::string::npos) << bar;
    EXPECT_NE(bar.find("10-26 00:00"), std::string::npos) << bar;
  }
}

TEST(TheTimeBar, TheFooterHasItsKeys) {
  Session session = changing({120, 40});
  show_ninth_hour(session, "");
  session.line_with("{ } round  ( ) event  ; play  | live");
}

}  // namespace
}  // namespace tessera::test::past_story
