// A recorder through nights in which clocks are set: days are those of UTC, and no round is lost or there
// twice.
#include "engine/record/player.hpp"
#include "engine/time.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/backends/record/replay_lab.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/zone.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

class SummerTime : public ReplayLab {
 protected:
  static int seconds(std::string_view utc) {
    return static_cast<int>((*parse_utc(utc) - at(0)) / std::chrono::seconds(1));
  }
  // A round each half an hour, from noon to noon of UTC, `days` later.
  void record_from(std::string_view noon, int days) {
    recorder_ = record::Recorder(record::Wanted{std::chrono::minutes(30)});
    for (int half = 0; half <= 48 * days; ++half) write(seconds(noon) + 1'800 * half);
    tape_.reset();
  }
  std::vector<TimePoint> rounds_in(const std::string& path) {
    std::vector<TimePoint> all;
    auto opened = record::open_recordings(path);
    EXPECT_TRUE(opened) << path;
    if (opened)
      EXPECT_TRUE(opened->front()->rounds({}, TimePoint::max(), [&](const record::Round& round) {
        all.push_back(round.at);
        return true;
      }));
    return all;
  }
  void expect_a_day_of_utc(const std::string& date) {
    const std::vector<TimePoint> rounds = rounds_in(folder_ + "/hpc/" + date + ".jsonl.zst");
    ASSERT_EQ(rounds.size(), 48U) << date;
    for (std::size_t i = 0; i < rounds.size(); ++i)
      EXPECT_EQ(rounds[i], *parse_utc(date + "T00:00:00Z") + std::chrono::minutes(30 * i)) << date;
  }
};

// 25 hours by the clocks of the place.
TEST_F(SummerTime, TheNightInWhichClocksAreSetBackIsRecordedOnceAndInOrder) {
  const InZone berlin("Europe/Berlin");
  record_from("2027-10-30T12:00:00Z", 2);
  expect_a_day_of_utc("2027-10-31");
  EXPECT_EQ(rounds_in(folder_).size(), 97U);
  auto days = record::open_recordings(folder_)->front()->days();
  ASSERT_TRUE(days);
  ASSERT_EQ(days->size(), 3U);
  for (const record::DayFile& day : *days) EXPECT_EQ(day.gaps, 0) << "an hour that comes twice is no gap";
  // Half past two, by both.
  auto recording = std::move(record::open_recordings(folder_)->front());
  for (const char* moment : {"2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z"}) {
    auto then = recording->at(*parse_utc(moment));
    ASSERT_TRUE(then);
    EXPECT_EQ(cluster_now(then->clusters.front(), {}), *parse_utc(moment));
  }
}

// 23 hours.
TEST_F(SummerTime, TheNightInWhichClocksAreSetOnHasNoGap) {
  const InZone berlin("Europe/Berlin");
  record_from("2027-03-27T12:00:00Z", 2);
  expect_a_day_of_utc("2027-03-28");
  auto days = record::open_recordings(folder_)->front()->days();
  ASSERT_TRUE(days);
  for (const record::DayFile& day : *days) EXPECT_EQ(day.gaps, 0);
}

// An hour that was recorded twice, since the clock ran ahead and was set right.
class ClockSetBack : public ReplayLab {
 protected:
  void SetUp() override {
    ReplayLab::SetUp();
    for (int second = 0; second <= 6'000; second += 600) write(second);
    story_.tell(WorkloadGone{WorkloadId("2")}, 3'000);
    for (int second = 3'000; second <= 9'000; second += 600) write(second);
    tape_.reset();
  }
  std::vector<std::unique_ptr<record::Recording>> open() {
    auto all = record::open_recordings(folder_);
    EXPECT_TRUE(all);
    return std::move(*all);
  }
};

TEST_F(ClockSetBack, EachTimeIsTheOneThatWasRecordedLastAndCountsOnce) {
  std::vector<int> rounds;
  std::vector<int> set_back;
  ASSERT_TRUE(open().front()->rounds({}, TimePoint::max(), [&](const record::Round& round) {
    rounds.push_back(static_cast<int>((round.at - at(0)) / std::chrono::seconds(1)));
    if (round.before == record::Stop::set_back) set_back.push_back(rounds.back());
    EXPECT_EQ(round.cluster.workloads.size(), rounds.back() < 3'000 ? 2U : 1U) << rounds.back();
    return true;
  }));
  std::vector<int> once;
  for (int second = 0; second <= 9'000; second += 600) once.push_back(second);
  EXPECT_EQ(rounds, once);
  EXPECT_EQ(set_back, std::vector{3'000});
  const auto recordings = open();
  const auto sums = usage::reckon(recordings, {}, catalogue());
  ASSERT_TRUE(sums);
  EXPECT_NEAR(sums->hours, (2'400 + 6'000) / 3600.0, 1e-9)
      << "how long it was until the clock was set is not known";
  EXPECT_EQ(sums->gaps.set_back, 1);
  EXPECT_EQ(sums->gaps.count, 1);
  EXPECT_EQ(sums->gaps.stop, record::Stop::set_back);
}

TEST_F(ClockSetBack, AMomentIsTheSameToThoseWhoJumpAndThoseWhoReadOn) {
  auto recording = std::move(open().front());
  for (const int second : {2'400, 2'900, 3'000, 4'000, 6'000, 9'000}) {
    const auto then = recording->at(at(second));
    ASSERT_TRUE(then) << second;
    EXPECT_EQ(then->clusters.front().workloads.size(), second < 3'000 ? 2U : 1U) << second;
    EXPECT_EQ(cluster_now(then->clusters.front(), {}), at(second - second % 600)) << second;
    for (const LogEntry& entry : then->work_log) EXPECT_LE(entry.at, at(second)) << "it is still to come";
  }
  const auto days = recording->days();
  ASSERT_TRUE(days);
  EXPECT_EQ(days->front().set_back, 1);
  EXPECT_EQ(days->front().gaps, 1);
  EXPECT_EQ(days->front().count, 16);
  EXPECT_FALSE(days->front().failure) << "nothing of it is damaged";
}

TEST_F(ClockSetBack, ASteppingReplaySaysSo) {
  play_from(2'400);
  after([&] { player().step(1); });
  EXPECT_EQ(shown(), 3'000);
  EXPECT_EQ(found(), "the recorder's clock was set back right before this round");
  after([&] { player().step(-1); });
  EXPECT_EQ(shown(), 2'400);
}

// It ran ahead over midnight, so that the next day's file was begun, and was set right before it was
// midnight.
class ClockAheadOverMidnight : public ReplayLab {
 protected:
  static constexpr int kMidnight = 57'600;
  // Rounds ten minutes apart. Job 2 is gone when the clock was set right.
  void record(int last) {
    for (int second = kMidnight - 3'600; second <= kMidnight + 600; second += 600) write(second);
    story_.tell(WorkloadGone{WorkloadId("2")}, kMidnight - 1'200);
    for (int second = kMidnight - 1'200; second <= last; second += 600) write(second);
    tape_.reset();
  }
  std::unique_ptr<record::Recording> open() {
    auto all = record::open_recordings(folder_);
    EXPECT_TRUE(all);
    return std::move(all->front());
  }
  struct Told {
    std::vector<int> rounds, set_back, with_job_2;  // seconds behind midnight
  };
  Told told() {
    Told all;
    EXPECT_TRUE(open()->rounds({}, TimePoint::max(), [&](const record::Round& round) {
      all.rounds.push_back(static_cast<int>((round.at - at(kMidnight)) / std::chrono::seconds(1)));
      if (round.before == record::Stop::set_back) all.set_back.push_back(all.rounds.back());
      if (round.cluster.workloads.size() == 2) all.with_job_2.push_back(all.rounds.back());
      return true;
    }));
    return all;
  }
};

TEST_F(ClockAheadOverMidnight, EachTimeCountsOnceAndThatItWasSetBackIsToldOnce) {
  record(kMidnight + 1'200);
  const Told all = told();
  EXPECT_EQ(all.rounds, (std::vector{-3600, -3000, -2400, -1800, -1200, -600, 0, 600, 1200}));
  EXPECT_EQ(all.set_back, std::vector{-1200}) << "over midnight the later rounds follow on each other";
  EXPECT_EQ(all.with_job_2, (std::vector{-3600, -3000, -2400, -1800}))
      << "nothing of the time that was ahead";
  std::vector<std::unique_ptr<record::Recording>> recordings;
  recordings.push_back(open());
  const auto sums = usage::reckon(recordings, {}, catalogue());
  ASSERT_TRUE(sums);
  EXPECT_NEAR(sums->hours, (1'800 + 2'400) / 3600.0, 1e-9);
  EXPECT_EQ(sums->gaps.set_back, 1);
  const auto then = open()->at(at(kMidnight + 300));
  ASSERT_TRUE(then);
  EXPECT_EQ(then->clusters.front().workloads.size(), 1U);
  const auto days = open()->days();
  ASSERT_TRUE(days);
  ASSERT_EQ(days->size(), 2U);
  EXPECT_EQ((*days)[0].set_back, 1);
  EXPECT_EQ((*days)[1].set_back, 0);
  EXPECT_EQ((*days)[1].count, 3);
}

// A round that lies between two of the later ones was written before both.
TEST_F(ClockAheadOverMidnight, WhatItHadOfTheNewDayIsNotMixedWithWhatCameThere) {
  for (int second = kMidnight - 1'200; second <= kMidnight + 900; second += 300) write(second);
  for (int second = kMidnight - 550; second <= kMidnight + 1'550; second += 300) write(second);
  tape_.reset();
  EXPECT_EQ(told().rounds, (std::vector{-1200, -900, -600, -550, -250, 50, 350, 650, 950, 1250, 1550}));
  EXPECT_EQ(told().set_back, std::vector{-550});
}

// Only the recorder that saw it wrote it down. One that was started in between mixed the rounds of both, and
// told a break at midnight.
TEST_F(ClockAheadOverMidnight, ARecorderThatIsStartedBeforeItIsAsLateAgainKnowsIt) {
  for (const bool saw_it : {true, false}) {
    TearDown(), SetUp();
    recorder_ = record::Recorder(record::Wanted{});
    for (int second = kMidnight - 1'200; second <= kMidnight + 900; second += 300) write(second);
    if (saw_it)
      for (int second = kMidnight - 1'000; second <= kMidnight - 700; second += 300) write(second);
    tape_.reset();
    recorder_ = record::Recorder(record::Wanted{});
    recorder_.go_on_behind(open()->covered()->to, {});
    for (int second = kMidnight - 550; second <= kMidnight + 1'550; second += 300) write(second);
    tape_.reset();
    const Told all = told();
    const std::vector behind{-550, -250, 50, 350, 650, 950, 1250, 1550};
    EXPECT_EQ(std::vector(all.rounds.end() - 8, all.rounds.end()), behind) << saw_it;
    EXPECT_EQ(all.rounds.size(), 11U) << saw_it;
    EXPECT_EQ(all.set_back, std::vector{saw_it ? -1'000 : -550}) << saw_it;
  }
}

// What was recorded of the time to come stands, since nothing else is, and follows on nothing.
TEST_F(ClockAheadOverMidnight, ARecorderThatEndsBeforeMidnightLeavesWhatWasAheadBehindABreak) {
  record(kMidnight - 600);
  const Told all = told();
  EXPECT_EQ(all.rounds, (std::vector{-3600, -3000, -2400, -1800, -1200, -600, 0, 600}));
  EXPECT_EQ(all.set_back, (std::vector{-1200, 0}));
}

}  // namespace
}  // namespace tessera::test
