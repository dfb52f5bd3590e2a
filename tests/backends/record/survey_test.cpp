// What is told of the files of a recording: how each ends, and what is missing in them and between them.
#include "backends/record/survey.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/record/recorder.hpp"
#include "engine/record/stood.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::record {
namespace survey_test {

namespace fs = std::filesystem;
using test::at;

constexpr int kDay = 86'400, kMidnight = 57'600;  // the first one, in seconds of at()

class Surveyed : public testing::Test {
 protected:
  // A recorder that begins with its first round.
  void start(int seconds, Duration every = Duration{60'000}) {
    tape_.reset();
    auto opened = open_tape(folder_.path(), ClusterName("hpc"), {});
    ASSERT_TRUE(opened) << to_line(opened.error());
    tape_ = std::move(*opened);
    recorder_.emplace(Wanted{every, "0.2.0", "", nullptr, at(seconds)});
    write(seconds);
  }
  void write(int seconds) {
    const bool key = tape_->wants_key(at(seconds));
    ASSERT_TRUE(tape_->write(recorder_->take(story_.cluster(), at(seconds), key), at(seconds), key));
  }
  void end() {
    ASSERT_TRUE(tape_->write(recorder_->end_line(), recorder_->at(), false));
    tape_.reset();
  }
  // As a kill leaves it: nothing of what ends a file is written.
  void kill() {
    const std::string file = files().back(), copy = file + ".killed";
    fs::copy_file(file, copy);
    tape_.reset();
    fs::rename(copy, file);
  }
  void SetUp() override {
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "", "hpc-1"});
    story_.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
    story_.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0, 1}})})}});
    story_.tell(Loaded{});
  }
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path() + "/hpc"))
      if (entry.path().string().ends_with(kFileEnd)) all.push_back(entry.path().string());
    std::sort(all.begin(), all.end());
    return all;
  }
  std::vector<DayFile> days() const { return survey(files()); }
  std::unique_ptr<Recording> open() const {
    auto all = open_recordings(folder_.path());
    EXPECT_TRUE(all);
    return all ? std::move(all->front()) : nullptr;
  }

  test::Scratch folder_;
  test::Story story_;
  std::optional<Recorder> recorder_;
  std::unique_ptr<Tape> tape_;
};

TEST_F(Surveyed, ARecorderThatWasEndedIsToldFromOneThatWasKilled) {
  start(0);
  write(60);
  end();
  ASSERT_EQ(days().size(), 1U);
  EXPECT_EQ(days().front().stop, Stop::ended);
  EXPECT_FALSE(days().front().torn);
  EXPECT_EQ(open()->stopped(), Stop::ended);
  start(120);
  kill();
  EXPECT_EQ(days().front().stop, Stop::cut);
  EXPECT_TRUE(days().front().torn);
  EXPECT_EQ(days().front().count, 3);
  EXPECT_EQ(open()->stopped(), Stop::cut);
}

// "ended" was told of the recorder before it.
TEST_F(Surveyed, ARecorderThatWasKilledInItsFirstRoundBehindOneThatWasEndedIsToldAsCutOff) {
  start(0);
  end();
  const std::uintmax_t ended = fs::file_size(files().front());
  start(120);
  kill();
  const std::uintmax_t whole = fs::file_size(files().front());
  for (const std::uintmax_t size : {whole - 10, ended + kMarkBytes, ended + 20}) {
    fs::resize_file(files().front(), size);
    EXPECT_EQ(days().front().count, 1) << size;
    EXPECT_EQ(days().front().stop, Stop::cut) << size;
    EXPECT_EQ(open()->stopped(), Stop::cut) << size;
  }
}

// By the clock here, whatever the recorder's was.
TEST_F(Surveyed, WhenAFileWasWrittenToLastIsTold) {
  start(0);
  end();
  struct stat about {};
  ASSERT_EQ(::stat(files().front().c_str(), &about), 0);
  EXPECT_EQ(days().front().written, TimePoint(std::chrono::seconds(about.st_mtim.tv_sec)));
}

// What tore is mended when the next recorder opens the file: that one was cut off stays known all the same.
TEST_F(Surveyed, AKillIsStillToldOnceTheNextRecorderHasMendedTheFile) {
  start(0);
  kill();
  start(7'000);
  end();
  const std::vector<DayFile> all = days();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_FALSE(all.front().torn);
  EXPECT_EQ(all.front().gaps, 1);
  EXPECT_EQ(all.front().missing, Duration{7'000'000});
  const auto then = stood_at(*open(), at(3'600));
  ASSERT_FALSE(then);
  EXPECT_NE(then.error().reason.find("the recorder was cut off there"), std::string::npos)
      << then.error().reason;
}

TEST_F(Surveyed, ADayThatEndsEarlyIsToldAndOneThatGoesOnIsNot) {
  start(kMidnight - 120);
  write(kMidnight - 60);
  write(kMidnight);
  kill();
  start(kMidnight + 2 * kDay);
  end();
  const std::vector<DayFile> all = days();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_FALSE(all[0].stop) << "the next day goes on";
  EXPECT_EQ(all[1].stop, Stop::cut);
  EXPECT_EQ(all[2].stop, Stop::ended);
  EXPECT_EQ(all[2].gaps, 1) << "from the day before";
  EXPECT_EQ(all[1].gaps, 0);
}

TEST_F(Surveyed, ARecorderThatRanOnWithoutAWordIsNoKill) {
  start(0);
  write(60);
  write(4'000);
  end();
  const auto then = stood_at(*open(), at(2'000));
  ASSERT_FALSE(then);
  EXPECT_NE(then.error().reason.find("the recorder ran and wrote nothing"), std::string::npos);
}

TEST_F(Surveyed, RoundsAreAsFarApartAsTheRecorderWasAsked) {
  start(0, std::chrono::minutes(30));
  for (int i = 1; i < 5; ++i) write(i * 1'800);
  write(5 * 1'800 + 3'600);
  end();
  const DayFile day = days().front();
  EXPECT_EQ(day.every, Duration{1'800'000});
  EXPECT_EQ(day.gaps, 1);
  auto recording = open();
  EXPECT_TRUE(stood_at(*recording, at(3'000)));
  EXPECT_FALSE(stood_at(*recording, at(4 * 1'800 + 2'701)));
  std::vector<std::unique_ptr<Recording>> all;
  all.push_back(std::move(recording));
  const auto sums = usage::reckon(all, {}, test::catalogue());
  ASSERT_TRUE(sums);
  // Two hours between rounds, and of the hour and a half in which one is missing as much as a round may stand
  // for.
  EXPECT_NEAR(sums->hours, 2 + 0.75, 1e-9);
  EXPECT_EQ(sums->gaps.count, 1);
  EXPECT_EQ(sums->gaps.all, Duration{5'400'000});
  EXPECT_EQ(sums->gaps.from, at(4 * 1'800));
  EXPECT_EQ(sums->gaps.stop, Stop::silent);
  EXPECT_NEAR(sums->demand.at(ClusterName("hpc")).hours(), 2 + 0.75, 1e-9);
}

TEST_F(Surveyed, AFileThatIsDamagedIsToldAndTheOthersAreAllTheSame) {
  start(0);
  end();
  start(kDay);
  end();
  std::ofstream(files().front(), std::ios::binary) << std::string(300, 'x');
  const std::vector<DayFile> all = days();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].failure);
  EXPECT_FALSE(all[1].failure);
  EXPECT_EQ(all[1].count, 1);
}

TEST_F(Surveyed, AClockThatIsSetFarAheadRemovesNoDayAndIsToldOnce) {
  start(0);
  for (int day : {1, 2}) write(day * kDay);
  EXPECT_FALSE(tape_->trouble());
  write(300 * kDay);
  const auto told = tape_->trouble();
  ASSERT_TRUE(told);
  EXPECT_NE(told->reason.find("a clock that was set ahead"), std::string::npos) << told->reason;
  EXPECT_FALSE(tape_->trouble());
  write(3 * kDay);  // the clock is right again
  end();
  EXPECT_EQ(days().size(), 5U);
}

// A file of a version that wrote neither when its recorder began nor that it ended.
TEST_F(Surveyed, OfAnOlderVersionWhyItStoppedIsNotKnown) {
  start(0);
  recorder_.emplace(Wanted{});
  write(8'000);
  tape_.reset();
  EXPECT_EQ(days().front().stop, Stop::unknown);
}

}  // namespace survey_test
}  // namespace tessera::record
