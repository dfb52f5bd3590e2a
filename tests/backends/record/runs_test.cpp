// Runs in a recording: what is told of them when it is looked at, and what a recorder goes on behind.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/record/player.hpp"
#include "tests/backends/record/replay_lab.hpp"

namespace tessera::test {
namespace {

constexpr const char* kStarted =
    R"({"seq":1,"at":"2027-01-15T08:01:30.000Z","node":"","event":{"kind":"run-started","version":2,"run":"r1","who":"alice","plan":{"nodes":[{"node":"n1","steps":[]}]}}})";
constexpr const char* kStep =
    R"({"seq":2,"at":"2027-01-15T08:02:30.000Z","node":"n1","event":{"kind":"step-done","step":"n1/1"}})";
constexpr const char* kParked =
    R"({"seq":3,"at":"2027-01-15T08:03:30.000Z","node":"n1","event":{"kind":"parked","why":"2 jobs\u001b are on it"}})";

class RecordedRuns : public ReplayLab {
 protected:
  void write_run(int seconds, const std::vector<const char*>& lines) {
    if (!tape_) {
      auto opened = record::open_tape(folder_, ClusterName("hpc"), {});
      ASSERT_TRUE(opened);
      tape_ = std::move(*opened);
    }
    const bool key = tape_->wants_key(at(seconds));
    std::string text = recorder_.take(story_.cluster(), at(seconds), key);
    if (key) text += recorder_.runs_line(at(seconds), lines_);
    for (const char* line : lines) text += recorder_.run_line(at(seconds), "r1", line), ++lines_["r1"];
    ASSERT_TRUE(tape_->write(text, at(seconds), key));
  }
  // A round a minute: it begins, a step, it parks.
  void a_run() {
    write_run(0, {}), write_run(60, {}), write_run(120, {kStarted}), write_run(180, {kStep});
    write_run(240, {kParked}), write_run(300, {});
    tape_.reset();
  }
  record::RunLines lines_;
};

TEST_F(RecordedRuns, TheNextEventIsWhereARunBeginsOrStopsAndNotEachOfItsSteps) {
  a_run();
  play_from(0);
  after([&] { player().seek(1, NodeName()); });
  EXPECT_EQ(shown(), 120);
  EXPECT_EQ(found(), "run r1 started by alice");
  after([&] { player().seek(1, NodeName("n2")); });
  EXPECT_EQ(shown(), 120) << found();
  after([&] { player().seek(1, NodeName("n1")); });
  EXPECT_EQ(shown(), 240);
  EXPECT_EQ(found(), "run r1 parked: 2 jobs· are on it") << "no control character comes from a journal";
  after([&] { player().seek(-1, NodeName()); });
  EXPECT_EQ(shown(), 120) << found();
}

TEST_F(RecordedRuns, TheyStandAmongTheEventsOfAMoment) {
  a_run();
  const auto entries = [&](int seconds) {
    play_from(seconds);
    std::vector<std::string> all;
    for (const LogEntry& entry : model_.log)
      if (entry.kind == Happened::run) all.push_back(entry.subject + ": " + entry.text);
    return all;
  };
  EXPECT_TRUE(entries(60).empty());
  EXPECT_EQ(entries(300),
            (std::vector<std::string>{"run r1: started by alice", "run r1: parked: 2 jobs· are on it"}));
}

// Else they would be written again by the recorder that is started next.
TEST_F(RecordedRuns, HowManyLinesAreThereIsKnownInEachFrame) {
  a_run();
  write_run(7'300, {});  // a key frame
  tape_.reset();
  auto opened = record::open_recordings(folder_);
  ASSERT_TRUE(opened);
  record::Recording& recording = *opened->front();
  for (const auto& [seconds, lines] : {std::pair(60, 0), std::pair(180, 2), std::pair(7'300, 3)}) {
    ASSERT_TRUE(recording.at(at(seconds)));
    ASSERT_TRUE(recording.run_lines());
    EXPECT_EQ(*recording.run_lines(), lines == 0 ? record::RunLines() : record::RunLines({{"r1", lines}}));
  }
}

TEST_F(RecordedRuns, AnEarlierRecorderToldNoneAndAHostileLineSaysNothing) {
  write(0);
  auto text = recorder_.take(story_.cluster(), at(60), false);
  for (const char* line :
       {"", "[]", "{\"event\":7}", "{\"event\":{\"kind\":\"of a later version\"}}", "\xff"})
    text += recorder_.run_line(at(60), "r1", line);
  ASSERT_TRUE(tape_->write(text, at(60), false));
  tape_.reset();
  auto opened = record::open_recordings(folder_);
  ASSERT_TRUE(opened);
  const auto model = opened->front()->at(at(60));
  ASSERT_TRUE(model);
  EXPECT_EQ(opened->front()->run_lines(), std::nullopt);
  for (const LogEntry& entry : model->log) EXPECT_NE(entry.kind, Happened::run) << entry.text;
}

}  // namespace
}  // namespace tessera::test
