// A recorder through nights in which clocks are set: days are those of UTC, and no round is lost or there
// twice.
#include "engine/time.hpp"
#include "tests/backends/record/replay_lab.hpp"
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

}  // namespace
}  // namespace tessera::test
