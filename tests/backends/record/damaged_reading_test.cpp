// A day that is damaged in its middle, as each reader of recordings sees it: what is sound on both sides
// counts, what lies between is a gap that is told, and nothing of it is idle, free or a moment that stood.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/record/recording.hpp"
#include "backends/record/sound.hpp"
#include "backends/record/tape.hpp"
#include "engine/record/recorder.hpp"
#include "engine/record/stood.hpp"
#include "engine/record/until.hpp"
#include "engine/time.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/backends/record/replay_lab.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::record {
namespace damaged_reading_test {

namespace fs = std::filesystem;
using test::at;

constexpr int kTen = 600;     // seconds between two rounds
constexpr int kOfFrame = 12;  // rounds: a key frame begins every two hours
constexpr int kDay = 86'400;

class DamagedReading : public testing::Test {
 protected:
  void SetUp() override { test::tell_one_gpu_held(story_); }
  // Frames of two hours, in which alice holds a GPU and does not use it.
  void record(int frames, int from = 0, const std::string& cluster = "hpc") {
    auto tape = open_tape(folder_.path(), ClusterName(cluster), {});
    ASSERT_TRUE(tape.ok());
    Recorder recorder{Wanted{Duration{1000 * kTen}, "0.2.0", "", nullptr, at(from)}};
    for (int i = 0; i < frames * kOfFrame; ++i) {
      const int second = from + i * kTen;
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{0};
      story_.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {figures}}, second);
      const bool key = (*tape)->wants_key(at(second));
      Cluster then = story_.cluster();
      then.name = ClusterName(cluster);
      ASSERT_TRUE((*tape)->write(recorder.take(then, at(second), key), at(second), key));
    }
  }
  std::string path(int day = 0) const {
    return folder_.path() + "/hpc/" + day_of(at(day * kDay)) + std::string(kFileEnd);
  }
  std::string bytes() const { return test::bytes_of_day(path()); }
  void put(const std::string& bytes, int day = 0) const { test::put_day(path(day), bytes); }
  void damage(std::size_t frame, double part) const { test::damage_day(path(), frame, part); }
  std::unique_ptr<Recording> open() const {
    auto all = open_recordings(folder_.path());
    EXPECT_TRUE(all) << (all ? "" : to_line(all.error()));
    return all ? std::move(all->front()) : nullptr;
  }
  struct Seen {
    int round = 0;
    Stop before{};
    friend bool operator==(const Seen&, const Seen&) = default;
  };
  std::vector<Seen> seen(int from = 0) const {
    std::vector<Seen> all;
    const Status read = open()->rounds(at(from), TimePoint::max(), [&](const Round& round) {
      all.push_back({static_cast<int>((round.at - at(0)) / std::chrono::seconds(kTen)), round.before});
      return true;
    });
    EXPECT_TRUE(read) << to_line(read.error());
    return all;
  }
  usage::Reckoning reckoned(usage::Span span = {}, std::optional<TimePoint> end = {}) const {
    std::vector<std::unique_ptr<Recording>> all;
    all.push_back(end ? until(open(), *end) : open());
    auto sums = usage::reckon(all, span, test::catalogue());
    EXPECT_TRUE(sums) << to_line(sums.error());
    return sums ? std::move(*sums) : usage::Reckoning{};
  }

  test::Scratch folder_;
  test::Story story_;
};

TEST_F(DamagedReading, AFrameIsAGapAndWhatWasHeldOnBothSidesCounts) {
  record(4);
  damage(1, 0);
  const std::vector<Seen> rounds = seen();
  ASSERT_EQ(rounds.size(), 3U * kOfFrame);
  EXPECT_EQ(rounds[kOfFrame - 1].round, kOfFrame - 1);
  EXPECT_EQ(rounds[kOfFrame], (Seen{2 * kOfFrame, Stop::damaged}));
  EXPECT_FALSE(breaks_off(rounds[kOfFrame + 1].before)) << "it is told once";
  const usage::Reckoning sums = reckoned();
  // As many steps between two sound rounds, each of ten minutes; of the damage not even one.
  const double hours = (kOfFrame - 1 + 2 * kOfFrame - 1) / 6.0;
  EXPECT_NEAR(sums.hours, hours, 1e-9);
  EXPECT_NEAR(sums.demand.at(ClusterName("hpc")).hours(), hours, 1e-9);
  const usage::Sum& alice = sums.sums.at(usage::By::user).front();
  EXPECT_NEAR(alice.gpu_hours, hours, 1e-9);
  EXPECT_NEAR(alice.measured, hours, 1e-9);
  EXPECT_NEAR(alice.idle, hours, 1e-9) << "two stretches, and nothing between them";
  EXPECT_EQ(sums.gaps.count, 1);
  EXPECT_EQ(sums.gaps.damaged, 1);
  EXPECT_EQ(sums.gaps.stop, Stop::damaged);
  EXPECT_EQ(sums.gaps.from, at((kOfFrame - 1) * kTen));
  EXPECT_EQ(sums.gaps.to, at(2 * kOfFrame * kTen));
}

// The rounds before the block that is not sound are whole.
TEST_F(DamagedReading, ABlockCostsNoMoreThanWhatFollowsItInItsFrame) {
  record(3);
  damage(1, 0.92);
  const std::vector<Seen> rounds = seen();
  const auto behind =
      std::find_if(rounds.begin(), rounds.end(), [](const Seen& one) { return one.before == Stop::damaged; });
  ASSERT_NE(behind, rounds.end());
  EXPECT_EQ(behind->round, 2 * kOfFrame);
  const int last = std::prev(behind)->round;
  EXPECT_GE(last, kOfFrame) << "some of its rounds can be read";
  EXPECT_LT(last, 2 * kOfFrame - 1);
  for (int i = 0; i <= last; ++i) EXPECT_EQ(rounds[static_cast<std::size_t>(i)].round, i);
  auto recording = open();
  ASSERT_TRUE(recording->at(at(last * kTen)));
  EXPECT_FALSE(recording->damaged_behind()) << "it was asked for that round itself";
  auto later = recording->at(at((last + 3) * kTen));
  ASSERT_TRUE(later);
  EXPECT_EQ(cluster_now(later->clusters.front(), {}), at(last * kTen));
  EXPECT_TRUE(recording->damaged_behind());
}

// A checksum tells that something in a frame is wrong and not what it is: another figure would pass for true.
TEST_F(DamagedReading, AFrameOfWhichNobodyKnowsWhatIsWrongIsNotRead) {
  record(3);
  std::string all = bytes();
  all[frames_in(all)->at(1).end - 1] ^= 1;
  put(all);
  EXPECT_EQ(seen().size(), 2U * kOfFrame);
  EXPECT_EQ(reckoned().gaps.damaged, 1);
}

TEST_F(DamagedReading, AStretchThatBeginsWithinDamageTellsIt) {
  record(4);
  damage(1, 0);
  usage::Span span;
  span.since = std::chrono::seconds((2 * kOfFrame + 5) * kTen);
  const usage::Reckoning sums = reckoned(span);
  EXPECT_EQ(sums.from, at(2 * kOfFrame * kTen));
  EXPECT_EQ(sums.gaps.damaged, 1);
  EXPECT_EQ(sums.gaps.to, sums.from);
  span.since = std::chrono::hours(2);
  EXPECT_EQ(reckoned(span).gaps.damaged, 0) << "it is about other hours";
}

TEST_F(DamagedReading, TheEndOfARecordingThatIsDamagedIsNotWhereTheRecorderEnded) {
  record(3);
  damage(2, 0);
  auto recording = open();
  EXPECT_EQ(recording->covered()->to, at((2 * kOfFrame - 1) * kTen));
  EXPECT_EQ(recording->stopped(), Stop::damaged);
  const usage::Reckoning sums = reckoned();
  EXPECT_EQ(sums.gaps.count, 0);
  EXPECT_EQ(sums.gaps.damaged, 1);
  EXPECT_EQ(reckoned({}, at(kOfFrame * kTen)).gaps.damaged, 0) << "until then all is sound";
  const auto then = stood_at(*recording, at((2 * kOfFrame + 3) * kTen));
  ASSERT_FALSE(then);
  EXPECT_NE(then.error().reason.find("damaged"), std::string::npos) << then.error().reason;
}

TEST_F(DamagedReading, TheBeginningIsTheFirstRoundThatCanBeRead) {
  record(3);
  damage(0, 0);
  auto recording = open();
  EXPECT_EQ(recording->cluster().text, "hpc");
  ASSERT_TRUE(recording->covered());
  EXPECT_EQ(recording->covered()->from, at(kOfFrame * kTen));
  EXPECT_TRUE(recording->at(recording->covered()->from));
  EXPECT_FALSE(recording->at(at(kTen)));
  EXPECT_EQ(reckoned().gaps.damaged, 1) << "there was more";
}

TEST_F(DamagedReading, AMomentWithinItDidNotStandAndTheOnesBesideItDid) {
  record(3);
  damage(1, 0);
  auto recording = open();
  EXPECT_TRUE(stood_at(*recording, at((kOfFrame - 1) * kTen)));
  EXPECT_TRUE(stood_at(*recording, at((kOfFrame - 1) * kTen + 30))) << "until the next round was due";
  for (int round = kOfFrame; round < 2 * kOfFrame; ++round) {
    const auto then = stood_at(*recording, at(round * kTen + 1));
    ASSERT_FALSE(then) << round;
    EXPECT_NE(then.error().reason.find("what was recorded there is damaged"), std::string::npos)
        << then.error().reason;
  }
  EXPECT_TRUE(stood_at(*recording, at(2 * kOfFrame * kTen)));
}

TEST_F(DamagedReading, AChartIsBlankThereAndHasWhatLiesOnBothSides) {
  record(3);
  damage(1, 0);
  const auto kept = open()->figures({NodeName("n1")}, at(0), at(kDay), [] { return true; });
  ASSERT_TRUE(kept);
  std::vector<int> rounds;
  for (const Measured& one : kept->front().rounds)
    rounds.push_back(static_cast<int>((one.at - at(0)) / std::chrono::seconds(kTen)));
  ASSERT_EQ(rounds.size(), 2U * kOfFrame);
  EXPECT_EQ(rounds[kOfFrame - 1], kOfFrame - 1);
  EXPECT_EQ(rounds[kOfFrame], 2 * kOfFrame);
}

TEST_F(DamagedReading, AListOfFilesCountsWhatIsSoundAndNamesWhatIsNot) {
  record(4);
  damage(1, 0);
  auto days = open()->days();
  ASSERT_TRUE(days);
  ASSERT_EQ(days->size(), 1U);
  const DayFile& day = days->front();
  ASSERT_TRUE(day.failure);
  EXPECT_EQ(day.count, 3 * kOfFrame);
  EXPECT_EQ(day.rounds->to, at((4 * kOfFrame - 1) * kTen));
  EXPECT_EQ(day.gaps, 1);
  EXPECT_EQ(day.missing, Duration{(kOfFrame + 1) * kTen * 1000});
}

TEST_F(DamagedReading, ADayThatIsNoRecordingIsAGapBetweenTheOthers) {
  record(2);
  record(2, kDay);
  record(2, 2 * kDay);
  put(std::string(3000, '\x5a'), 1);
  EXPECT_EQ(seen().size(), 4U * kOfFrame);
  const usage::Reckoning sums = reckoned();
  EXPECT_EQ(sums.gaps.count, 1);
  EXPECT_EQ(sums.gaps.stop, Stop::damaged);
  EXPECT_NEAR(sums.hours, 2 * (2 * kOfFrame - 1) / 6.0, 1e-9);
  const auto days = open()->days();
  ASSERT_EQ(days->size(), 3U);
  EXPECT_TRUE((*days)[1].failure);
  EXPECT_EQ((*days)[2].gaps, 1);
  const auto then = stood_at(*open(), at(kDay + 3'600));
  ASSERT_FALSE(then);
  EXPECT_NE(then.error().reason.find("damaged"), std::string::npos) << then.error().reason;
}

// Of one of two clusters nothing can be read: that is told, and sums of the other do not pass for all.
TEST_F(DamagedReading, AClusterOfWhichNothingCanBeReadIsAnErrorBesideOthers) {
  record(1);
  record(1, 0, "lab");
  put(std::string(3000, '\x5a'));
  auto all = open_recordings(folder_.path());
  ASSERT_TRUE(all) << to_line(all.error());
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ((*all)[0]->cluster().text, "hpc");
  EXPECT_FALSE((*all)[0]->covered());
  EXPECT_FALSE((*all)[0]->at(at(kTen)));
  ASSERT_EQ((*all)[0]->days()->size(), 1U);
  EXPECT_TRUE((*all)[0]->days()->front().failure);
  EXPECT_TRUE((*all)[1]->covered());
  const auto sums = usage::reckon(*all, {}, test::catalogue());
  ASSERT_FALSE(sums);
  EXPECT_NE(sums.error().reason.find(path()), std::string::npos) << to_line(sums.error());
}

// It named a file and no way out, or other times of a recording that has none.
TEST_F(DamagedReading, WhereNothingCanBeReadTheErrorHasAWayOut) {
  record(1);
  record(1, 0, "lab");
  put(std::string(3000, '\x5a'));
  const auto of_moment = (*open_recordings(folder_.path()))[0]->at(at(kTen));
  ASSERT_FALSE(of_moment);
  EXPECT_NE(of_moment.error().reason.find(path()), std::string::npos) << to_line(of_moment.error());
  EXPECT_NE(of_moment.error().hint.find("backup"), std::string::npos) << to_line(of_moment.error());
  const auto sums = usage::reckon(*open_recordings(folder_.path()), {}, test::catalogue());
  EXPECT_NE(sums.error().hint.find("backup"), std::string::npos) << to_line(sums.error());
  for (const std::string& alone : {path(), folder_.path() + "/hpc", folder_.path() + "/no-such-file"}) {
    const auto none = open_recordings(alone);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().hint.find("tessera record"), std::string::npos) << to_line(none.error());
  }
  put(test::bytes_of_day(folder_.path() + "/lab/" + fs::path(path()).filename().string()).substr(0, 60));
  const auto cut_off = open_recordings(path());
  ASSERT_FALSE(cut_off);
  EXPECT_NE(cut_off.error().hint.find("has written a round"), std::string::npos) << to_line(cut_off.error());
}

// A mark has no checksum: the lines behind it tell when they were written.
TEST_F(DamagedReading, AMarkThatTellsAnotherTimeHidesNoRound) {
  record(4);
  const std::string sound = bytes();
  const std::vector<Seen> all = seen();
  for (std::size_t frame = 0; frame < 4; ++frame)
    for (std::size_t digit = 0; digit < 10; ++digit) {
      std::string bytes = sound;
      char& one = bytes[frames_in(sound)->at(frame).begin + 8 + 18 + 2 + digit];
      one = one == '9' ? '0' : '9';
      put(bytes);
      EXPECT_EQ(seen(), all) << frame << " " << digit;
      auto then = open()->at(at(17 * kTen));
      ASSERT_TRUE(then);
      EXPECT_EQ(cluster_now(then->clusters.front(), {}), at(17 * kTen)) << frame << " " << digit;
    }
}

// No byte that is wrong makes another moment, another sum or a shorter recording pass for the true one.
TEST_F(DamagedReading, OneByteAnywhereChangesNoRoundThatIsTold) {
  record(3);
  const std::string sound = bytes();
  const std::vector<Seen> all = seen();
  const std::size_t last = frames_in(sound)->back().begin;
  for (std::size_t byte = 0; byte < sound.size(); byte += 89) {
    std::string bytes = sound;
    bytes[byte] = static_cast<char>(bytes[byte] ^ 0x10);
    put(bytes);
    const std::vector<Seen> some = seen();
    for (const Seen& one : some)
      EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Seen& it) { return it.round == one.round; }))
          << byte;
    EXPECT_GE(some.size(), 2U * kOfFrame) << byte;
    const usage::Reckoning sums = reckoned();
    // A last block that is said to be longer than what is there is what a kill leaves, too.
    if (some.size() < all.size() && byte < last) {
      EXPECT_EQ(sums.gaps.damaged, 1) << byte;
    }
    EXPECT_EQ(sums.gaps.set_back, 0) << byte;
  }
}

}  // namespace damaged_reading_test
}  // namespace tessera::record
