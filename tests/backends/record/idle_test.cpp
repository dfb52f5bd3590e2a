// Since when a GPU or slice shows no use is known of a moment that lies hours behind its beginning.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/record/reader.hpp"
#include "engine/record/player.hpp"
#include "engine/record/recorder.hpp"
#include "tests/backends/record/replay_lab.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

// A day of n2, whose GPU is in use at 30 min alone; a round in five minutes, key frames at 2 h and 4 h.
class IdleForHours : public ReplayLab {
 protected:
  void measure(int seconds, float use) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{use};
    story_.tell(Measured{NodeName("n2"), Source::dcgm, at(seconds), {figures}}, seconds);
  }
  void five_hours() {
    for (int minute = 0; minute <= 300; minute += 5) {
      measure(60 * minute, minute == 30 ? 50 : 0);
      write(60 * minute);
    }
  }
  static constexpr int kInUse = 30 * 60, kIdleFrom = 35 * 60;

  std::optional<TimePoint> shown_idle(const history::History& history) const {
    const Gpu& board = cluster().nodes.find(NodeName("n2"))->gpus.front();
    return history.idle_since(ClusterName("hpc"), NodeName("n2"), history::key_of(board));
  }
};

// The list knew the moments that were looked at alone: it said n/a, and of the page of the GPU one hour.
TEST_F(IdleForHours, AMomentKnowsItWithoutReadingTheHoursBefore) {
  five_hours();
  tape_.reset();
  for (const int minute : {110, 120, 125, 290, 300}) {
    play_from(60 * minute);
    history::History history;
    history.take(cluster(), NodeName("n2"));
    EXPECT_EQ(shown_idle(history), at(60 * minute)) << "one sample";
    auto told = player_->keeps_figures()->take_idle();
    ASSERT_TRUE(told) << minute;
    history.take_told(ClusterName("hpc"), *told);
    EXPECT_EQ(shown_idle(history), at(kIdleFrom)) << minute;
    EXPECT_TRUE(history.is_told_idle(ClusterName("hpc"), NodeName("n2"),
                                     history::key_of(cluster().nodes.find(NodeName("n2"))->gpus.front())));
    EXPECT_FALSE(player_->keeps_figures()->take_idle()) << "it is told once for each moment";
    // Whichever comes first: the two arrive by themselves.
    history::History other;
    other.take_told(ClusterName("hpc"), std::move(*told));
    other.take(cluster(), NodeName("n2"));
    EXPECT_EQ(shown_idle(other), at(kIdleFrom)) << minute;
    player_.reset(), model_ = {};
  }
}

TEST_F(IdleForHours, WhatWasInUseThenIsNotIdleAndTheMomentBeforeHasItsOwnBeginning) {
  five_hours();
  tape_.reset();
  play_from(kInUse);
  history::History history;
  history.take_told(ClusterName("hpc"), *player_->keeps_figures()->take_idle());
  history.take(cluster(), NodeName("n2"));
  EXPECT_FALSE(shown_idle(history));
  after([&] { player().jump(at(kInUse - 300)); });
  history.forget(ClusterName("hpc"));
  history.take(cluster(), NodeName("n2"));
  EXPECT_EQ(shown_idle(history), at(kInUse - 300))
      << "what was told of the later moment says nothing of this";
  history.take_told(ClusterName("hpc"), *player_->keeps_figures()->take_idle());
  EXPECT_EQ(shown_idle(history), at(0)) << "the recorder began then";
}

// Two moments a few minutes apart are one stretch for whoever looks at them; what the recorder saw in between
// counts more.
TEST_F(IdleForHours, UseBetweenTwoMomentsThatWereLookedAtIsNotPassedOver) {
  five_hours();
  tape_.reset();
  play_from(kInUse - 300);
  history::History history;
  history.take(cluster(), NodeName("n2"));
  after([&] { player().jump(at(kInUse + 300)); });
  history.take(cluster(), NodeName("n2"));
  history.take_told(ClusterName("hpc"), *player_->keeps_figures()->take_idle());
  EXPECT_EQ(shown_idle(history), at(kIdleFrom));
}

// A service that is started again knew nothing of the time before, and each slice was idle since then.
TEST_F(IdleForHours, ARecorderThatIsStartedAgainGoesOnFromTheOneBefore) {
  five_hours();
  tape_.reset();
  auto all = record::open_recordings(folder_);
  ASSERT_TRUE(all);
  const auto newest = all->front()->covered()->to;
  ASSERT_TRUE(all->front()->at(newest));
  const auto idle = all->front()->idle();
  ASSERT_TRUE(idle);
  const auto since_behind = [&](int minutes) {
    recorder_ = record::Recorder(record::Wanted{});
    recorder_.go_on_behind(newest, *idle);
    measure(60 * (300 + minutes), 0);
    write(60 * (300 + minutes));
    tape_.reset();
    play_from(60 * (300 + minutes));
    history::History history;
    history.take_told(ClusterName("hpc"), *player_->keeps_figures()->take_idle());
    history.take(cluster(), NodeName("n2"));
    player_.reset();
    return shown_idle(history);
  };
  EXPECT_EQ(since_behind(4), at(kIdleFrom));
  EXPECT_EQ(since_behind(25), at(60 * 325)) << "nothing is known of 25 minutes";
}

TEST_F(IdleForHours, ARecordingOfAnEarlierVersionTellsNothing) {
  const std::string key = recorder_.take(story_.cluster(), at(0), true);
  record::Reader reader;
  std::vector<Event> events;
  for (std::size_t from = 0; from < key.size(); from = key.find('\n', from) + 1) {
    const std::string line = key.substr(from, key.find('\n', from) - from);
    if (line.find("\"kind\":\"idle\"") == std::string::npos) ASSERT_TRUE(reader.take(line, events)) << line;
  }
  EXPECT_FALSE(reader.idle());
}

// Round after round, line by line, as the recorder writes them and the reader follows them.
struct KeptIdle {
  Story story;
  record::Recorder recorder{record::Wanted{}};
  record::Reader reader;
  std::string lines;  // of the last round

  KeptIdle() {
    cut({instance("3g.40gb", 0, 4, 7), instance("3g.40gb", 4, 4, 8)});
    story.tell(WorkloadsListed{}), story.tell(Loaded{});
    reader.be_quiet();
  }
  void cut(std::vector<Slice> slices, int seconds = 0) {
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, std::move(slices))})}}, seconds);
  }
  // Of the instances that device 7 and 8 have; nullopt: that one is not measured.
  void measure(int seconds, std::optional<float> seven, std::optional<float> eight) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    for (const auto& [device, use] : {std::pair(7, seven), std::pair(8, eight)}) {
      SliceFigures slice;
      slice.profile = ProfileName("3g.40gb"), slice.device = device;
      if (use) slice.use = Percent{*use};
      figures.slices.push_back(slice);
    }
    story.tell(Measured{NodeName("n1"), Source::dcgm, at(seconds), {figures}}, seconds);
  }
  void round(int seconds, bool key = false) {
    lines = recorder.take(story.cluster(), at(seconds), key);
    read(lines, reader);
  }
  static void read(const std::string& lines, record::Reader& reader) {
    std::vector<Event> events;
    for (std::size_t from = 0; from < lines.size();) {
      const std::size_t end = lines.find('\n', from);
      EXPECT_TRUE(reader.take(std::string_view(lines).substr(from, end - from), events));
      from = end + 1;
    }
  }
  int since(int device) const { return since(device, reader); }
  // Seconds; -1: it is in use, or not measured.
  static int since(int device, const record::Reader& reader) {
    const auto idle = reader.idle();
    for (const history::ToldIdle& told : idle.value())
      for (const auto& [key, when] : told.since)
        if (key.device == device) return static_cast<int>((when - at(0)) / std::chrono::seconds(1));
    return -1;
  }
};

TEST(RecordedIdle, IsToldInEachKeyFrameInSecondsByNodeAndLine) {
  KeptIdle kept;
  for (int second = 0; second <= 600; second += 60) {
    kept.measure(second, 0, 40);
    kept.round(second, second % 600 == 0);
  }
  EXPECT_NE(kept.lines.find(R"("kind":"idle","idle_s":{"n1":{"0.0":600}})"), std::string::npos) << kept.lines;
  EXPECT_EQ(kept.since(7), 0);
  EXPECT_EQ(kept.since(8), -1);
  kept.measure(660, 40, 0);
  kept.round(660);
  EXPECT_EQ(kept.lines.find("\"kind\":\"idle\""), std::string::npos) << "in between letters of use tell it";
  EXPECT_EQ(kept.since(7), -1);
  EXPECT_EQ(kept.since(8), 660);
}

TEST(RecordedIdle, BeginsBehindAGapToTheRecorderAndToWhoReadsOn) {
  KeptIdle kept;
  for (const int second : {0, 60, 120}) kept.measure(second, 0, 0), kept.round(second, second == 0);
  kept.round(180), kept.round(1'000);  // its source is silent
  kept.measure(1'020, 0, 0), kept.round(1'020);
  EXPECT_EQ(kept.since(7), 1'020) << "who reads on";
  kept.round(1'080, true);
  EXPECT_EQ(kept.since(7), 1'020) << "the recorder";
}

// What the recorder before told lies ahead of the clock: between there and here nothing was seen.
TEST(RecordedIdle, BehindAClockThatWasSetBackItBeginsThen) {
  KeptIdle before;
  for (int second = 0; second <= 600; second += 60) {
    before.measure(second, 0, 0);
    before.round(second, second % 600 == 0);
  }
  ASSERT_EQ(before.since(7), 0);
  KeptIdle kept;
  kept.recorder.go_on_behind(at(600), before.reader.idle().value());
  for (const int second : {300, 360}) kept.measure(second, 0, 0), kept.round(second, true);
  EXPECT_EQ(kept.since(7), 300);
}

TEST(RecordedIdle, ASliceThatStaysGoesOnAndOneThatIsMadeBeginsThen) {
  KeptIdle kept;
  for (const int second : {0, 60}) kept.measure(second, 0, 0), kept.round(second, second == 0);
  kept.cut({instance("3g.40gb", 4, 4, 8)}, 100);  // the first of the two is gone
  kept.measure(120, std::nullopt, 0), kept.round(120);
  EXPECT_EQ(kept.since(8), 0) << "it is the first line now";
  EXPECT_EQ(kept.since(7), -1);
  kept.cut({instance("3g.40gb", 0, 4, 7), instance("3g.40gb", 4, 4, 8)}, 150);
  kept.measure(180, 0, 0), kept.round(180);
  EXPECT_EQ(kept.since(8), 0);
  EXPECT_EQ(kept.since(7), 180);
  kept.round(240, true);
  EXPECT_EQ(kept.since(8), 0) << "and the recorder says the same";
  EXPECT_EQ(kept.since(7), 180);
}

TEST(RecordedIdle, WhatIsMeasuredNoMoreIsNotIdle) {
  KeptIdle kept;
  for (const int second : {0, 60}) kept.measure(second, 0, 0), kept.round(second, second == 0);
  kept.measure(120, std::nullopt, 0), kept.round(120);
  EXPECT_EQ(kept.since(7), -1);
  EXPECT_EQ(kept.since(8), 0);
  kept.story.tell(Measured{NodeName("n1"), Source::dcgm, at(180), {}}, 180);
  kept.round(180);
  EXPECT_EQ(kept.since(8), -1);
  kept.round(240, true);
  EXPECT_EQ(kept.since(8), -1) << kept.lines;
}

// An exporter that is started again has told nothing for a round or two.
TEST(RecordedIdle, GoesOnWhereANodeIsMeasuredAgainWithinTenMinutes) {
  KeptIdle kept;
  const auto falls_silent = [&](int second) {
    kept.story.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {}}, second);
    kept.round(second), kept.round(second + 60);
    EXPECT_EQ(kept.since(7), -1) << "it is not measured";
  };
  for (const int second : {0, 60}) kept.measure(second, 0, 0), kept.round(second, second == 0);
  falls_silent(120);
  kept.measure(300, 0, 40), kept.round(300);
  EXPECT_EQ(kept.since(7), 0) << "who reads on";
  EXPECT_EQ(kept.since(8), -1);
  kept.measure(360, 0, 40), kept.round(360, true);
  EXPECT_EQ(kept.since(7), 0) << "the recorder";
  falls_silent(420);
  kept.measure(1'020, 0, 0), kept.round(1'020);
  EXPECT_EQ(kept.since(7), 1'020) << "more than ten minutes are not known";
  kept.measure(1'080, 0, 0), kept.round(1'080, true);
  EXPECT_EQ(kept.since(7), 1'020);
}

// The recorder went on, and who read on began behind the key frame: until the next one they told two times.
TEST(RecordedIdle, GoesOnOverAKeyFrameInWhichItsNodeIsNotMeasured) {
  KeptIdle kept;
  for (const int second : {0, 60}) kept.measure(second, 0, 0), kept.round(second, second == 0);
  kept.story.tell(Measured{NodeName("n1"), Source::dcgm, at(120), {}}, 120);
  kept.round(120), kept.round(180, true);
  EXPECT_EQ(kept.since(7), -1) << "it is not measured";
  EXPECT_NE(kept.lines.find(R"("away_s":{"n1":120},"away_idle_s":{"n1":{"0.0":180,"0.1":180}})"),
            std::string::npos)
      << kept.lines;
  kept.measure(240, 0, 40), kept.round(240);
  EXPECT_EQ(kept.since(7), 0) << "who reads on";
  EXPECT_EQ(kept.since(8), -1);
  kept.measure(300, 0, 40), kept.round(300, true);
  EXPECT_EQ(kept.since(7), 0) << "the recorder";
}

TEST(RecordedIdle, ANodeThatStaysAwayForMoreThanTenMinutesIsNotToldAnyMore) {
  KeptIdle kept;
  for (const int second : {0, 60}) kept.measure(second, 0, 0), kept.round(second, second == 0);
  kept.story.tell(Measured{NodeName("n1"), Source::dcgm, at(120), {}}, 120);
  kept.round(120), kept.round(720, true);
  EXPECT_EQ(kept.lines.find("away"), std::string::npos) << kept.lines;
  kept.measure(730, 0, 0), kept.round(780);
  EXPECT_EQ(kept.since(7), 780);
  kept.measure(840, 0, 0), kept.round(840, true);
  EXPECT_EQ(kept.since(7), 780);
}

// Whatever is measured late, falls silent, is measured by another source or no more, or is cut otherwise:
// what a key frame would say of each moment is what those know who read on from an earlier one.
TEST(RecordedIdle, IsTheSameToTheRecorderAndToWhoReadsOnWhateverHappens) {
  rc::check([] {
    KeptIdle kept;
    int second = 0;
    const auto use = [](int choice) {
      return choice == 0 ? std::nullopt : std::optional(choice == 1 ? 40.0F : 0.0F);
    };
    const int rounds = *rc::gen::inRange(2, 40);
    for (int i = 0; i < rounds; ++i) {
      const auto up_to = [](int most) { return *rc::gen::inRange(0, most); };
      second += up_to(12) == 0 ? 700 : 60;
      const int late = up_to(3) == 0 ? up_to(60) : 0;
      const int happens = up_to(10);
      if (happens == 0)
        kept.story.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {}}, second);
      else if (happens == 1)
        kept.cut({instance("3g.40gb", 4, 4, 8)}, second);
      else if (happens == 2)
        kept.cut({instance("3g.40gb", 0, 4, 7), instance("3g.40gb", 4, 4, 8)}, second);
      else if (happens > 3)
        kept.measure(second - late, use(up_to(4)), use(up_to(4)));
      kept.round(second, i == 0 || up_to(5) == 0);
      record::Recorder now = kept.recorder;
      record::Reader begins;
      begins.be_quiet();
      KeptIdle::read(now.take(kept.story.cluster(), at(second), true), begins);
      for (const int device : {7, 8}) RC_ASSERT(KeptIdle::since(device, begins) == kept.since(device));
      const std::vector<Slice>&on = kept.reader.node("n1")->gpus[0].slices,
            &then = begins.node("n1")->gpus[0].slices;
      RC_ASSERT(on.size() == then.size());
      for (std::size_t k = 0; k < on.size(); ++k) RC_ASSERT(on[k].use == then[k].use);
    }
  });
}

// The line of the other source said "measured now" of it for as long as that source told of another node.
TEST(RecordedIdle, ANodeThatTwoSourcesMeasuredIsSilentUnderBoth) {
  KeptIdle kept;
  const auto whole_gpu = [](int index) { return gpu(index, Strategy::whole, {test::whole(index)}); };
  kept.story.tell(
      NodesListed{{node("n1", {whole_gpu(0), whole_gpu(1)}), node("n2", {whole_gpu(0), whole_gpu(1)})}});
  const auto told = [&](const char* name, int second) {
    for (const auto& [index, source] : {std::pair(0, Source::dcgm), std::pair(1, Source::nvidia_smi)}) {
      GpuFigures figures;
      figures.gpu = GpuIndex{index};
      figures.figures.use = Percent{second % 120 == 0 ? 10.0F : 20.0F};
      kept.story.tell(Measured{NodeName(name), source, at(second), {figures}}, second);
    }
  };
  for (int second = 0; second <= 1200; second += 60) {
    told("n2", second);
    if (second <= 120) told("n1", second);
    kept.round(second, second == 0);
  }
  for (const Gpu& one : kept.reader.node("n1")->gpus)
    EXPECT_EQ(one.telemetry.origin.at, at(120)) << one.index.value;
  for (const Gpu& one : kept.reader.node("n2")->gpus)
    EXPECT_EQ(one.telemetry.origin.at, at(1200)) << one.index.value;
}

TEST(RecordedIdle, DoesNotGoOnForASliceThatStaysAwayWhereItsNodeComesBack) {
  KeptIdle kept;
  for (const int second : {0, 60}) kept.measure(second, 0, 0), kept.round(second, second == 0);
  kept.story.tell(Measured{NodeName("n1"), Source::dcgm, at(120), {}}, 120);
  kept.round(120);
  kept.measure(180, 0, std::nullopt), kept.round(180);
  EXPECT_EQ(kept.since(7), 0);
  EXPECT_EQ(kept.since(8), -1) << "it is not measured: " << kept.lines;
  kept.measure(240, 0, 0), kept.round(240);
  EXPECT_EQ(kept.since(8), 240) << "who reads on";
  kept.measure(300, 0, 0), kept.round(300, true);
  EXPECT_EQ(kept.since(8), 240) << "the recorder";
}

TEST(RecordedIdle, HostileOnesAreDropped) {
  KeptIdle kept;
  kept.measure(0, 0, 0), kept.round(0, true);
  std::vector<Event> events;
  for (const char* idle :
       {R"({"n1":{"0.7":5,"9":5,"0.-1":5,"x":5,"0.0":-5,"0.1":"long"},"n9":{"0":5}})", R"([])", R"("long")",
        R"({"n1":[1,2]})", R"({"n1":{"0.0":99999999999999999999}})"}) {
    EXPECT_TRUE(kept.reader.take(
        R"({"at":"2026-11-24T03:00:00Z","kind":"idle","idle_s":)" + std::string(idle) + "}", events))
        << idle;
    EXPECT_EQ(kept.since(7), -1) << idle;
  }
  EXPECT_TRUE(kept.reader.take(
      R"({"at":"2026-11-24T03:00:00Z","kind":"idle","idle_s":{"n1":{"0.0":9999999999}}})", events));
  EXPECT_EQ(kept.since(7), -1) << "before 1970 is not known";
}

}  // namespace
}  // namespace tessera::test
