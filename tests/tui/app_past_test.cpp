// The loop between the live clusters and their recording: one is shown, both go on.
#include <gtest/gtest.h>

#include "engine/query/local_time.hpp"
#include "engine/record/archive.hpp"
#include "engine/record/player.hpp"
#include "engine/time.hpp"
#include "tests/support/reckoned.hpp"
#include "tests/tui/app_fixture.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::tui {
namespace {

struct PlayerLog {
  std::vector<std::string> calls;
  std::vector<std::string> looked_back;    // nodes, or "sums", and from when on
  std::vector<history::KeptFigures> kept;  // what it answers next
  std::vector<history::Sums> sums;
};

class FakePlayer final : public Backend, public record::Player, public history::KeepsFigures {
 public:
  FakePlayer(ClusterName name, PlayerLog& log) : name_(std::move(name)), log_(log) {}
  ClusterName name() const override { return name_; }
  void start(EventSink&) override { say("start"); }
  void set_pace(Pace) override {}
  void refresh() override {}
  record::Player* player() override { return this; }
  void jump(TimePoint) override { say("jump"); }
  void step(int rounds) override { say("step " + std::to_string(rounds)); }
  void seek(int direction, const NodeName& node) override {
    say("seek " + std::to_string(direction) + " " + node.text);
  }
  void play(double speed) override { say("play " + std::to_string(static_cast<int>(speed))); }
  history::KeepsFigures* keeps_figures() override { return this; }
  void look_back(const NodeName& node, TimePoint since) override { asked(node.text, since); }
  void look_back_at_sums(TimePoint since) override { asked("sums", since); }
  std::vector<history::KeptFigures> take_kept() override { return std::exchange(log_.kept, {}); }
  std::vector<history::Sums> take_sums() override { return std::exchange(log_.sums, {}); }

 private:
  void asked(const std::string& what, TimePoint since) {
    log_.looked_back.push_back(what + " " + utc_text(since).substr(11, 5));
  }
  void say(const std::string& what) {
    log_.calls.push_back(name_.text == "hpc" ? what : name_.text + ": " + what);
  }

  ClusterName name_;
  PlayerLog& log_;
};

class NoSink final : public EventSink {
 public:
  void post(Event) override {}
};

class FakeArchive final : public record::Archive {
 public:
  Result<std::vector<BackendPtr>> open(const std::vector<ClusterName>& clusters, TimePoint) override {
    ++opened;
    asked = clusters;
    if (failure) return *failure;
    std::vector<BackendPtr> backends;
    for (const ClusterName& name : clusters) backends.push_back(std::make_unique<FakePlayer>(name, log));
    if (also) backends.push_back(std::make_unique<FakePlayer>(*also, log));
    return backends;
  }
  EventSink& sink() override { return sink_; }
  EventSource& events() override { return queue; }
  std::vector<usage::PastSource> sources() const override { return known; }
  void add_up(const std::vector<ClusterName>& clusters, Duration since, std::optional<TimePoint> until,
              const mig::Catalogue&, usage::PastSource source) override {
    if (source == usage::PastSource::prometheus) read.emplace_back("Prometheus");
    if (source == usage::PastSource::accounting) read.emplace_back("accounting");
    read.push_back(std::to_string(clusters.size()) + " clusters, " +
                   std::to_string(since / std::chrono::hours(24)) + " days" +
                   (until ? " until " + utc_text(*until) : ""));
  }
  void give_up() override { read.push_back("given up"); }
  std::optional<AddingUp> added_up() override { return std::exchange(adding, std::nullopt); }

  std::vector<std::string> read;   // what was asked for
  std::optional<AddingUp> adding;  // what is told next
  std::vector<usage::PastSource> known{usage::PastSource::recording};
  int opened = 0;
  std::vector<ClusterName> asked;
  std::optional<Error> failure;
  std::optional<ClusterName> also;
  PlayerLog log;
  test::EventQueue queue;

 private:
  NoSink sink_;
};

class AppPastTest : public AppTest {
 protected:
  AppPastTest() {
    backends_.push_back(std::make_unique<Watched>(other_log));
    archive = &recorded;
    app();
    events.post(seen("now-1"));
    events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, Loaded{}});
    turn();
    press("2");
  }
  // The recorder's world at the time that was asked for.
  void arrive(const char* node = "then-1", const char* cluster = "hpc", int minutes = 120) {
    const TimePoint then = TimePoint{} + wall - std::chrono::minutes(minutes);
    const auto tell = [&](decltype(Event::what) what) {
      recorded.queue.post(Event{ClusterName(cluster), 0, then, std::move(what)});
    };
    tell(ClockSet{TimePoint{} + wall, 0});
    tell(Recorded{then, then, ""});
    Node told;
    told.name = NodeName(node);
    told.gpus = boards;
    tell(NodesListed{{told}});
    tell(Loaded{});
    turn();
  }
  // Use of then-1 in each minute from so many minutes ago on, and one after a gap.
  static history::KeptFigures measured(TimePoint until, int minutes, float use) {
    history::KeptFigures kept{NodeName("then-1"), {}};
    for (int minute = minutes; minute >= 0; --minute) {
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{use};
      kept.rounds.push_back(
          {NodeName("then-1"), Source::dcgm, until - std::chrono::minutes(minute), {figures}});
    }
    return kept;
  }
  // The recordings of two clusters are looked at.
  void look_back_at_two() {
    recorded.also = ClusterName("other");
    press(":at -2h\r");
    arrive();
    recorded.log.calls.clear();
  }
  // Somewhere on a page that is longer than the screen.
  bool shows_below(std::string_view text) {
    press("g");
    for (int lines = 0; lines < 100 && !shows(text); ++lines) press("j");
    return shows(text);
  }
  bool shows(std::string_view text) const { return terminal.shown.find(text) != std::string::npos; }
  std::vector<Gpu> boards;  // of nodes in the past
  FakeArchive recorded;
  Watched::Log other_log;
};

// The recording knows the hour before each moment, whichever moments were visited.
TEST_F(AppPastTest, AChartOfAMomentIsFilledFromTheRecordingEachTimeTheMomentIsAnother) {
  Gpu board;
  board.index = GpuIndex{0};
  board.memory = Mib{81559};
  board.slices.emplace_back().kind = SliceKind::whole_gpu;
  boards = {board};
  const TimePoint then = TimePoint{} + wall - std::chrono::hours(2);
  const auto from = [](TimePoint moment) { return utc_text(moment - std::chrono::hours(1)).substr(11, 5); };
  press(":at -2h\r");
  arrive();
  recorded.log.looked_back.clear();
  press(":gpu then-1 0\r");
  press("i");
  ASSERT_FALSE(recorded.log.looked_back.empty()) << terminal.shown;
  EXPECT_EQ(recorded.log.looked_back.front(), "then-1 " + from(then));
  EXPECT_TRUE(shows_below("nothing is recorded of this hour")) << terminal.shown;
  recorded.log.kept = {measured(then, 30, 73)};
  recorded.queue.post(Event{ClusterName("hpc"), 0, then, Loaded{}});
  turn();
  pass(Duration{1000});
  turn();
  EXPECT_TRUE(shows_below("now 73%, mean 73%, peak 73%")) << terminal.shown;
  recorded.log.looked_back.clear();
  press("k");
  pass(Duration{1000});
  turn();
  EXPECT_TRUE(recorded.log.looked_back.empty()) << "once a moment";
  // On: what was seen on the way is replaced by all that there is.
  arrive("then-1", "hpc", 60);
  pass(Duration{1000});
  turn();
  EXPECT_EQ(recorded.log.looked_back,
            std::vector<std::string>{"then-1 " + from(then + std::chrono::hours(1))});
  recorded.log.kept = {measured(then + std::chrono::hours(1), 50, 20)};
  recorded.queue.post(Event{ClusterName("hpc"), 0, then + std::chrono::hours(1), Loaded{}});
  turn();
  pass(Duration{1000});
  turn();
  EXPECT_TRUE(shows_below("now 20%, mean 20%, peak 20%")) << terminal.shown;
  EXPECT_TRUE(log.looked_back.empty()) << "the live clusters are asked for nothing of it";
}

TEST_F(AppPastTest, TheSumsOfTheOverviewAreThoseOfTheHourBeforeTheMoment) {
  press("1");
  const TimePoint then = TimePoint{} + wall - std::chrono::hours(2);
  press(":at -2h\r");
  arrive();
  const std::string from = utc_text(then - std::chrono::hours(1)).substr(11, 5);
  ASSERT_FALSE(recorded.log.looked_back.empty());
  EXPECT_EQ(recorded.log.looked_back.back(), "sums " + from);
  for (int minute = 40; minute >= 0; --minute)
    recorded.log.sums.push_back({then - std::chrono::minutes(minute), 62.0F, 40.0F});
  recorded.queue.post(Event{ClusterName("hpc"), 0, then, Loaded{}});
  turn();
  pass(Duration{1000});
  turn();
  EXPECT_TRUE(shows("62% (62-62)")) << terminal.shown;
  EXPECT_TRUE(shows("40% (40-40)")) << terminal.shown;
  EXPECT_TRUE(shows("every 1 min")) << terminal.shown;
}

TEST_F(AppPastTest, ARecordingIsReadThroughWhileAScreenShowsWhatItComesTo) {
  using Read = std::vector<std::string>;
  const auto tell = [&](record::Archive::AddingUp now) {
    recorded.adding = std::move(now);
    recorded.queue.post(Event{ClusterName(), 0, TimePoint{} + wall, PaceReport{}});
    turn();
  };
  EXPECT_EQ(recorded.read, Read{}) << "nothing is read that is not looked at";
  press(":waste\r");
  EXPECT_EQ(recorded.read, (Read{"1 clusters, 7 days"}));
  tell({0.4, nullptr, std::nullopt});
  EXPECT_TRUE(shows("reading the recording: 40 %")) << terminal.shown;
  press("d");
  EXPECT_EQ(recorded.read.back(), "1 clusters, 30 days");
  press("2");
  EXPECT_EQ(recorded.read.back(), "given up") << "before its end";
  press(":usage\r");
  EXPECT_EQ(recorded.read.back(), "1 clusters, 30 days");
  tell({1, test::reckoned(), std::nullopt});
  EXPECT_TRUE(shows("alice")) << terminal.shown;
  const std::size_t asked = recorded.read.size();
  press("2");
  press(":waste\r");
  EXPECT_TRUE(shows("parked"));
  EXPECT_EQ(recorded.read.size(), asked) << "both screens show one reading";
  press("\x12");
  EXPECT_EQ(recorded.read.size(), asked + 1) << "a refresh reads it again";
  EXPECT_TRUE(shows("parked")) << "what was read stays meanwhile";
}

TEST_F(AppPastTest, UseOfThePastEndsWithItsMoment) {
  press(":at -2h\r");
  arrive();
  press(":usage\r");
  ASSERT_FALSE(recorded.read.empty());
  EXPECT_NE(recorded.read.back().find(" until 20"), std::string::npos) << recorded.read.back();
  const std::string then = recorded.read.back();
  press(":live\r");
  EXPECT_EQ(recorded.read.back(), "1 clusters, 7 days") << "and that of now does not";
  EXPECT_NE(recorded.read.back(), then);
}

class AppElsewhereTest : public AppTest {
 protected:
  void begin(std::vector<usage::PastSource> known) {
    recorded.known = std::move(known);
    archive = &recorded;
    app();
    events.post(seen("now-1"));
    events.post(Event{ClusterName("hpc"), 1, TimePoint{} + wall, Loaded{}});
    turn();
  }
  bool shows(std::string_view text) const { return terminal.shown.find(text) != std::string::npos; }
  FakeArchive recorded;
};

// Prometheus is read where nothing is recorded; slurmdbd is asked by its key alone.
TEST_F(AppElsewhereTest, WithoutARecordingWhatElseKnowsThePastIsRead) {
  begin({usage::PastSource::prometheus, usage::PastSource::accounting});
  press(":usage\r");
  EXPECT_EQ(recorded.read, (std::vector<std::string>{"Prometheus", "1 clusters, 7 days"}));
  EXPECT_TRUE(shows("asking Prometheus: 0 %")) << terminal.shown;
  recorded.read.clear();
  press("o");
  EXPECT_EQ(recorded.read, (std::vector<std::string>{"accounting", "1 clusters, 7 days"}));
  EXPECT_TRUE(shows("asking slurmdbd, a day at a time")) << terminal.shown;
  press(":nodes\r");
  EXPECT_EQ(recorded.read.back(), "given up");
  recorded.read.clear();
  press(":usage\r");
  EXPECT_EQ(recorded.read, (std::vector<std::string>{"Prometheus", "1 clusters, 7 days"}))
      << "by its key alone";
  press(":nodes\r");
  press(":at -2h\r");
  EXPECT_EQ(recorded.opened, 0) << "there is nothing to go back into";
}

TEST_F(AppElsewhereTest, WhereTheAccountingAloneKnowsThePastItIsAskedOnRequest) {
  begin({usage::PastSource::accounting});
  press(":usage\r");
  EXPECT_TRUE(recorded.read.empty());
  EXPECT_TRUE(shows("ask slurmdbd, which knows the jobs of the days before")) << terminal.shown;
  press("o");
  EXPECT_EQ(recorded.read, (std::vector<std::string>{"accounting", "1 clusters, 7 days"}));
  usage::Reckoning told = *test::reckoned();
  told.accounting.emplace();
  recorded.adding = record::Archive::AddingUp{1, std::make_shared<const usage::Reckoning>(told), {}};
  recorded.queue.post(Event{ClusterName(), 0, TimePoint{} + wall, PaceReport{}});
  turn();
  EXPECT_TRUE(shows("from Slurm's accounting")) << terminal.shown;
  press(":nodes\r");
  press("\x12:usage\r");  // read again whatever is on screen
  EXPECT_EQ(recorded.read.size(), 2u) << "of slurmdbd nothing was asked by that";
  EXPECT_TRUE(shows("from Slurm's accounting")) << terminal.shown;
  press("d");
  EXPECT_EQ(recorded.read.back(), "1 clusters, 30 days");
  press("\x12");
  EXPECT_EQ(recorded.read.size(), 6u) << "here it is asked for";
}

// Leaving the screen ends what runs; the keys that ask it work as before.
TEST_F(AppElsewhereTest, AnAccountingThatWasGivenUpIsAskedAgainByEachKeyThatAsks) {
  begin({usage::PastSource::accounting});
  press(":usage\r");
  press("o");
  press(":nodes\r");
  EXPECT_EQ(recorded.read.back(), "given up");
  recorded.read.clear();
  press(":usage\r");
  EXPECT_TRUE(recorded.read.empty()) << "not by coming back";
  for (const std::string key : {"d", "\x12", "o"}) {
    press(key);
    ASSERT_EQ(recorded.read.size(), 2u) << key;
    EXPECT_EQ(recorded.read.front(), "accounting") << key;
    press(":nodes\r");
    press(":usage\r");
    recorded.read.clear();
  }
}

TEST_F(AppElsewhereTest, AnAccountingThatWasLeftBeforeItWasAskedIsNotTakenForAsked) {
  begin({usage::PastSource::prometheus, usage::PastSource::accounting});
  press(":usage\r");
  recorded.read.clear();
  press("o:nodes\r\x12");
  press(":usage\r");
  EXPECT_EQ(recorded.read.back(), "1 clusters, 7 days");
  EXPECT_EQ(recorded.read[recorded.read.size() - 2], "Prometheus");
}

// What was asked in the past, where nothing of it is read, is no question to slurmdbd afterwards.
TEST_F(AppPastTest, SumsOfNowDoNotStandInThePast) {
  press(":usage\r");
  recorded.adding = record::Archive::AddingUp{1, test::reckoned(), std::nullopt};
  recorded.queue.post(Event{ClusterName(), 0, TimePoint{} + wall, PaceReport{}});
  turn();
  ASSERT_TRUE(shows("alice")) << terminal.shown;
  press(":at -2h\r");
  EXPECT_FALSE(shows("alice")) << terminal.shown;
  EXPECT_TRUE(shows("no moment of the recording is shown yet")) << terminal.shown;
  arrive();
  EXPECT_NE(recorded.read.back().find(" until 20"), std::string::npos) << recorded.read.back();
}

TEST_F(AppElsewhereTest, AdviceCountsWhatPrometheusKept) {
  begin({usage::PastSource::prometheus});
  press(":advise\r");
  EXPECT_EQ(recorded.read, (std::vector<std::string>{"Prometheus", "1 clusters, 7 days"}));
  EXPECT_TRUE(shows("asking Prometheus: 0 %")) << terminal.shown;
}

TEST_F(AppElsewhereTest, AdviceAsksNoAccountingByItself) {
  begin({usage::PastSource::accounting});
  press(":advise\r");
  press("d");
  EXPECT_TRUE(recorded.read.empty());
  EXPECT_TRUE(shows("is asked on the screen of use: :usage")) << terminal.shown;
  press(":usage\r");
  press("o");
  recorded.read.clear();
  press(":advise\r");
  EXPECT_TRUE(recorded.read.empty()) << "one reading for both";
  press("d");
  EXPECT_EQ(recorded.read, (std::vector<std::string>{"accounting", "1 clusters, 30 days"}));
}

// Until when it counts is not known before.
TEST_F(AppPastTest, NothingOfThePastIsAddedUpBeforeItsMomentStands) {
  press(":usage\r");
  recorded.read.clear();
  press(":at -2h\r");
  EXPECT_EQ(recorded.read, std::vector<std::string>{"given up"}) << "that of now";
  arrive();
  EXPECT_EQ(recorded.read.size(), 2u);
  EXPECT_NE(recorded.read.back().find(" until 20"), std::string::npos) << recorded.read.back();
}

TEST_F(AppPastTest, TheScreenThatWasOpenShowsTheOtherTime) {
  ASSERT_TRUE(shows("now-1"));
  press(":at -2h\r");
  arrive();
  EXPECT_TRUE(shows("then-1")) << terminal.shown;
  EXPECT_FALSE(shows("now-1"));
  EXPECT_TRUE(shows(" PAST "));
  EXPECT_EQ(screen(), ScreenKind::nodes);
}

TEST_F(AppPastTest, LiveReturnsAtOnceToWhatWasLearnedMeanwhile) {
  press(":at -2h\r");
  arrive();
  events.post(seen("now-2"));
  turn();
  EXPECT_FALSE(shows("now-2")) << "the past is shown";
  press(":live\r");
  EXPECT_TRUE(shows("now-1"));
  EXPECT_TRUE(shows("now-2"));
  EXPECT_FALSE(shows("then-1"));
  EXPECT_FALSE(shows(" PAST "));
  EXPECT_EQ(recorded.log.calls.back(), "play 0") << "nothing plays where nobody looks";
}

TEST_F(AppPastTest, ItIsOpenedOnceAndThenJumpedIn) {
  press(":at -2h\r");
  press("|");
  press(":at -3h\r");
  EXPECT_EQ(recorded.opened, 1);
  EXPECT_EQ(recorded.log.calls, (std::vector<std::string>{"start", "play 0", "jump"}));
}

TEST_F(AppPastTest, TheLiveClustersAreAskedSeldomWhileThePastIsShown) {
  press(":at -2h\r");
  ASSERT_FALSE(log.paces.empty());
  EXPECT_EQ(log.paces.back(), Pace::idle);
  press("j");
  EXPECT_EQ(log.paces.back(), Pace::idle) << "keys are about the past";
  const int before = log.refreshed;
  press("|");
  EXPECT_EQ(log.paces.back(), Pace::focused);
  EXPECT_EQ(log.refreshed, before + 1);
}

TEST_F(AppPastTest, WhereNothingIsRecordedTheLiveClustersStay) {
  recorded.failure = Error{"cannot go back", "nothing is recorded of hpc", ""};
  press(":at -2h\r");
  EXPECT_TRUE(shows("nothing is recorded of hpc")) << terminal.shown;
  EXPECT_TRUE(shows("now-1"));
  EXPECT_FALSE(app().state().past);
}

TEST_F(AppPastTest, KeysMoveThePlayers) {
  press(":at -2h\r");
  recorded.log.calls.clear();
  press("{");
  press("}");
  press("(");
  press(")");
  press(";");
  EXPECT_EQ(recorded.log.calls,
            (std::vector<std::string>{"step -1", "step 1", "seek -1 ", "seek 1 ", "play 60"}));
}

// Rounds of two clusters are seconds apart: they must not drift.
TEST_F(AppPastTest, OneClusterLeadsAndTheOthersGoToItsMoment) {
  look_back_at_two();
  press(")");
  EXPECT_EQ(recorded.log.calls, (std::vector<std::string>{"seek 1 "})) << "the first alone";
  arrive();
  EXPECT_EQ(recorded.log.calls, (std::vector<std::string>{"seek 1 ", "other: jump"}));
  arrive();
  EXPECT_EQ(recorded.log.calls.size(), 2u) << "once";
}

// Their rounds are seconds apart, or one has none there: the title has one time, and the bar covers both.
TEST_F(AppPastTest, ThePastOfTwoClustersHasOneTimeAndABarOverBoth) {
  look_back_at_two();
  arrive("then-2", "other", 60);
  const auto ago = [&](int minutes) { return TimePoint{} + wall - std::chrono::minutes(minutes); };
  EXPECT_TRUE(shows("PAST " + time_text(ago(60)))) << terminal.shown;
  EXPECT_FALSE(shows("PAST " + time_text(ago(120)))) << terminal.shown;
  EXPECT_TRUE(shows(query::local_text(ago(120)).substr(5, 11))) << terminal.shown;
  EXPECT_TRUE(shows(query::local_text(ago(60)).substr(5, 11))) << terminal.shown;
}

// The first cluster is not recorded: whoever is leads, or nothing would move.
TEST_F(AppPastTest, AClusterThatIsRecordedLeads) {
  recorded.also = ClusterName("other");
  press(":at -2h\r");
  recorded.queue.post(
      Event{ClusterName("hpc"), 0, TimePoint{} + wall,
            SourceReport{Source::none, Error{"cannot go back", "nothing", ""}, {}, "", false}});
  arrive("then-1", "other");
  recorded.log.calls.clear();
  press("{");
  EXPECT_EQ(recorded.log.calls, (std::vector<std::string>{"other: step -1"}));
  arrive("then-1", "other", 121);
  EXPECT_EQ(recorded.log.calls.back(), "jump") << "the one without a recording says so itself";
}

TEST_F(AppPastTest, ATimeThatIsNamedEndsASearchThatStillGoesOn) {
  look_back_at_two();
  press(")");
  press(":at -3h\r");
  const std::vector<std::string> calls{"seek 1 ", "jump", "other: jump"};
  EXPECT_EQ(recorded.log.calls, calls);
  arrive("then-1", "hpc", 90);
  arrive("then-1", "hpc", 180);
  EXPECT_EQ(recorded.log.calls, calls) << "all are on their way to one time";
  press(")");
  press(":live\r");
  recorded.log.calls.clear();
  arrive("then-1", "hpc", 60);
  EXPECT_TRUE(recorded.log.calls.empty());
}

TEST_F(AppPastTest, TheOthersFollowTwoStepsInARowToTheSecond) {
  look_back_at_two();
  press("{");
  press("{");
  arrive("then-1", "hpc", 121);
  arrive("then-1", "hpc", 122);
  EXPECT_EQ(recorded.log.calls,
            (std::vector<std::string>{"step -1", "step -1", "other: jump", "other: jump"}));
}

// Prometheus measures beside Slurm: a backend of its own, of the same cluster.
TEST_F(AppPastTest, AClusterWithSeveralBackendsIsOpenedOnce) {
  press(":at -2h\r");
  EXPECT_EQ(recorded.asked, (std::vector{ClusterName("hpc")}));
}

// A console of another time must not hear of figures that are not its own.
TEST_F(AppPastTest, EventsOfTheRecordingDoNotReachTheLiveClusters) {
  press(":at -2h\r");
  arrive();
  press("|");
  arrive("then-2");
  EXPECT_TRUE(shows("now-1"));
  EXPECT_FALSE(shows("then-2"));
}

}  // namespace
}  // namespace tessera::tui
