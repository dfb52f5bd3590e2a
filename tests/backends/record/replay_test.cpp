// A recording as a backend: moments, rounds and what happened, told by the events of a live cluster.
#include "backends/record/replay.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/files.hpp"
#include "backends/mailbox.hpp"
#include "backends/record/archive.hpp"
#include "backends/record/follow.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/thin.hpp"
#include "engine/history/history.hpp"
#include "engine/record/recorder.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

class Replay : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tessera-replay-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
    story_.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "slurm.conf", "hpc-1"});
    cut("3g.40gb");
    story_.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{7, 1}})}), running("2", "bob", {})}});
    story_.tell(Loaded{});
  }
  void TearDown() override {
    player_.reset();
    tape_.reset();
    fs::remove_all(folder_);
  }
  void cut(const std::string& profile) {
    story_.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {instance(profile, 0, 4, 7)})}),
                             node("n2", {gpu(0, Strategy::whole, {whole(0)})})}});
  }
  void write(int seconds) {
    if (!tape_) {
      auto opened = record::open_tape(folder_, ClusterName("hpc"), {});
      ASSERT_TRUE(opened);
      tape_ = std::move(*opened);
    }
    const bool key = tape_->wants_key(at(seconds));
    ASSERT_TRUE(tape_->write(recorder_.take(story_.cluster(), at(seconds), key), at(seconds), key));
  }
  // 0 and 60: all as it was; 120: job 2 ended; 180: nothing; 240: another layout on n1; 300: nothing.
  void a_while() {
    write(0), write(60);
    story_.tell(WorkloadGone{WorkloadId("2")}, 90);
    write(120), write(180);
    cut("4g.40gb");
    write(240), write(300);
    tape_.reset();
  }
  void play_from(int seconds) {
    auto archive = record::open_archive(folder_, [] { return at(9999); });
    auto opened = archive->open({ClusterName("hpc")}, at(seconds));
    ASSERT_TRUE(opened) << to_line(opened.error());
    player_ = std::move(opened->front());
    player_->start(mailbox_);
    wait();
  }
  // Beside the recorder, by a clock that stands.
  void follow_at(int wall) {
    auto recordings = record::open_recordings(folder_);
    ASSERT_TRUE(recordings);
    player_ =
        std::make_unique<record::FollowBackend>(std::move(recordings->front()), [wall] { return at(wall); });
    player_->start(mailbox_);
    wait();
  }
  record::Player& player() { return *player_->player(); }
  // Until the moment that was asked for has been told.
  void wait() {
    for (bool told = false; !told;) {
      pollfd fd{mailbox_.wake_fd(), POLLIN, 0};
      ASSERT_EQ(poll(&fd, 1, 10'000), 1) << "nothing came";
      for (Event& event : mailbox_.take()) {
        told |= std::holds_alternative<Loaded>(event.what);
        reduce(model_, std::move(event));
      }
    }
  }
  void after(const std::function<void()>& act) {
    act();
    wait();
  }
  const Cluster& cluster() const { return model_.clusters.front(); }
  int shown() const {
    return static_cast<int>((cluster_now(cluster(), at(99'999)) - at(0)) / std::chrono::seconds(1));
  }
  std::string found() const { return cluster().recorded ? cluster().recorded->found : "no recording"; }

  std::string folder_;
  Story story_;
  record::Recorder recorder_{record::Wanted{}};
  std::unique_ptr<record::Tape> tape_;
  Mailbox mailbox_;
  Model model_;
  BackendPtr player_;
};

TEST_F(Replay, TheEventsOfAMomentAreThoseBeforeItWithTheirTimes) {
  a_while();
  const auto told = [&] {
    std::string all;
    for (const LogEntry& entry : model_.work_log)
      all += std::to_string((entry.at - at(0)) / std::chrono::seconds(1)) + " " + entry.subject + ": " +
             entry.text + "\n";
    return all;
  };
  play_from(130);
  EXPECT_EQ(told(), "120 job 2: of bob ended after 1 h 02 min\n");
  after([&] { player().jump(at(300)); });
  EXPECT_EQ(told(),
            "120 job 2: of bob ended after 1 h 02 min\n"
            "240 n1: GPU 0: 1 × 4g.40gb made, 1 × 3g.40gb destroyed\n");
  after([&] { player().jump(at(60)); });
  EXPECT_EQ(told(), "") << "it has not happened yet, and going back is no event";
  after([&] { player().step(1); });
  EXPECT_EQ(told(), "120 job 2: of bob ended after 1 h 02 min\n");
}

// A key frame begins every two hours and tells everything again: what happened before it is told all the
// same.
TEST_F(Replay, TheEventsOfAMomentReachBackBeyondTheKeyFrameBeforeIt) {
  for (int minute = 0; minute <= 125; minute += 5) {
    if (minute == 100) story_.tell(WorkloadGone{WorkloadId("2")}, minute * 60);
    if (minute == 120) story_.tell(WorkloadGone{WorkloadId("1")}, minute * 60);
    write(minute * 60);
  }
  tape_.reset();
  const auto subjects = [&] {
    std::vector<std::string> all;
    for (const LogEntry& entry : model_.work_log) all.push_back(entry.subject);
    return all;
  };
  const std::vector<std::string> both{"job 2", "job 1"};
  play_from(125 * 60);
  EXPECT_EQ(subjects(), both);
  // What lies before the key frame is read once, and told of each moment behind it.
  after([&] { player().jump(at(120 * 60)); });
  EXPECT_EQ(subjects(), both);
  after([&] { player().jump(at(110 * 60)); });
  EXPECT_EQ(subjects(), std::vector<std::string>{"job 2"});
  after([&] { player().jump(at(125 * 60)); });
  EXPECT_EQ(subjects(), both);
}

// A day is a file: right after midnight (of UTC) nothing had happened.
TEST_F(Replay, TheEventsOfAMomentReachBackBeyondMidnight) {
  constexpr int kMidnight = 57'600;
  for (int minute = -30; minute <= 10; minute += 5) {
    if (minute == -10) story_.tell(WorkloadGone{WorkloadId("2")}, kMidnight + minute * 60);
    if (minute == 0) story_.tell(WorkloadGone{WorkloadId("1")}, kMidnight);
    write(kMidnight + minute * 60);
  }
  tape_.reset();
  ASSERT_EQ(std::distance(fs::directory_iterator(folder_ + "/hpc"), fs::directory_iterator()), 3)
      << "two days, and the lock";
  const auto subjects = [&] {
    std::vector<std::string> all;
    for (const LogEntry& entry : model_.work_log) all.push_back(entry.subject);
    return all;
  };
  const std::vector<std::string> both{"job 2", "job 1"};
  play_from(kMidnight + 600);
  EXPECT_EQ(subjects(), both);
  after([&] { player().jump(at(kMidnight - 300)); });
  EXPECT_EQ(subjects(), std::vector<std::string>{"job 2"});
  after([&] { player().jump(at(kMidnight)); });
  EXPECT_EQ(subjects(), both);
}

TEST_F(Replay, ChartsOfAMomentAreThoseOfTheHourBeforeItWithTheirGaps) {
  std::vector<int> measured;
  for (int minute = 0; minute < 150; ++minute) {
    if (minute >= 70 && minute < 80) continue;  // no recorder ran
    const int second = 60 * minute;
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{static_cast<float>(minute % 5 * 20)};
    if (minute % 3 > 0) story_.tell(Measured{NodeName("n2"), Source::dcgm, at(second), {figures}}, second);
    if (minute % 3 > 0 && minute >= 60 && minute <= 120) measured.push_back(second);
    if (minute == 100) story_.tell(WorkloadGone{WorkloadId("1")}, second);
    for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
      story_.tell(SourceReport{source, {}, {}, "", false}, second);
    write(second);
  }
  tape_.reset();
  play_from(7'200);
  history::KeepsFigures* keeps = player_->keeps_figures();
  ASSERT_NE(keeps, nullptr);
  after([&] {
    keeps->look_back(NodeName("n1"), at(3'600));
    keeps->look_back(NodeName("n2"), at(3'600));
    keeps->look_back(NodeName("unheard-of"), at(3'600));
  });
  std::map<std::string, std::vector<Measured>> kept;
  for (int turns = 0; kept.size() < 3 && turns < 100; ++turns) {
    for (history::KeptFigures& one : keeps->take_kept()) kept[one.node.text] = std::move(one.rounds);
    if (kept.size() < 3) wait();
  }
  EXPECT_TRUE(kept["n1"].empty());
  EXPECT_TRUE(kept["unheard-of"].empty());
  std::vector<int> seconds;
  for (const Measured& one : kept["n2"]) {
    seconds.push_back(static_cast<int>((one.at - at(0)) / std::chrono::seconds(1)));
    EXPECT_EQ(one.gpus.at(0).figures.use, Percent{static_cast<float>(seconds.back() / 60 % 5 * 20)});
  }
  EXPECT_EQ(seconds, measured) << "what was not measured in a round is no sample, and a gap is none";
  after([&] { keeps->look_back_at_sums(at(3'600)); });
  const std::vector<history::Sums> sums = keeps->take_sums();
  ASSERT_FALSE(sums.empty());
  EXPECT_EQ(sums.back().at, at(7'200));
  EXPECT_EQ(sums.back().held, 0.0F);
  EXPECT_EQ(sums.front().at, at(3'600));
  EXPECT_EQ(sums.front().held, 50.0F) << "one of two";
  for (const history::Sums& one : sums) EXPECT_FALSE(one.at > at(4'140) && one.at < at(4'800));
}

// A console draws its first picture before its backends are started.
TEST_F(Replay, WhoLooksBackBeforeAMomentIsShownIsToldNothing) {
  a_while();
  auto recordings = record::open_recordings(folder_);
  ASSERT_TRUE(recordings);
  player_ = std::make_unique<record::ReplayBackend>(std::move(recordings->front()), at(300), 0,
                                                    [] { return at(9'999); });
  player_->keeps_figures()->look_back(NodeName("n1"), at(0));
  player_->keeps_figures()->look_back_at_sums(at(0));
  player_->start(mailbox_);
  wait();
  EXPECT_EQ(shown(), 300);
  EXPECT_TRUE(player_->keeps_figures()->take_kept().empty());
  EXPECT_TRUE(player_->keeps_figures()->take_sums().empty());
}

TEST_F(Replay, AMomentOfAThinnerDaySaysHowFarApartItsFiguresAre) {
  for (int minute = 0; minute < 30; ++minute) write(60 * minute);
  tape_.reset();
  std::string path;
  for (const auto& entry : fs::directory_iterator(folder_ + "/hpc"))
    if (entry.path().string().ends_with(".zst")) path = entry.path().string();
  auto file = read_whole_file("", path, record::kLargestFile);
  ASSERT_TRUE(file && *file);
  const auto thin = record::thinner((*file)->text, {Duration{600'000}, "9.9", {}});
  ASSERT_TRUE(thin && *thin);
  play_from(300);
  EXPECT_EQ(found(), "");
  // It is replaced under the eyes of whoever looks at it.
  ASSERT_TRUE(replace_file("", path, **thin));
  after([&] { player().jump(at(660)); });
  EXPECT_EQ(shown(), 660);
  EXPECT_EQ(found(), "use is kept every 10 min here");
}

TEST_F(Replay, AMomentIsTheRoundBeforeItAndWhatIsCoveredIsTold) {
  a_while();
  play_from(130);
  EXPECT_EQ(shown(), 120);
  EXPECT_EQ(found(), "");
  EXPECT_EQ(cluster().recorded->from, at(0));
  EXPECT_EQ(cluster().recorded->to, at(300));
  EXPECT_EQ(cluster().workloads.size(), 1u);
}

TEST_F(Replay, ATimeThatIsNotRecordedIsNotPassedOffAsOne) {
  a_while();
  play_from(-500);
  EXPECT_EQ(shown(), 0);
  EXPECT_EQ(found(), "nothing is recorded before this");
  after([&] { player().jump(at(5000)); });
  EXPECT_EQ(shown(), 300);
  EXPECT_EQ(found(), "this is the newest round");
}

TEST_F(Replay, AGapIsSaid) {
  write(0);
  write(4000);
  tape_.reset();
  play_from(3000);
  EXPECT_EQ(shown(), 0);
  EXPECT_EQ(found(), "nothing is recorded from here to the time that was asked for");
}

TEST_F(Replay, FiguresOfALaterTimeAreNotShownEarlier) {
  write(0);
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  figures.figures.use = Percent{50};
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(60), {figures}}, 60);
  write(60);
  tape_.reset();
  play_from(60);
  const auto use = [&] { return cluster().nodes.find(NodeName("n2"))->gpus.front().telemetry.use; };
  EXPECT_EQ(use(), Percent{50});
  after([&] { player().step(-1); });
  EXPECT_FALSE(use());
}

TEST_F(Replay, StepsGoByRounds) {
  a_while();
  play_from(130);
  after([&] { player().step(1); });
  EXPECT_EQ(shown(), 180);
  after([&] { player().step(-1); });
  after([&] { player().step(-1); });
  EXPECT_EQ(shown(), 60);
  after([&] { player().step(-1); });
  after([&] { player().step(-1); });
  EXPECT_EQ(shown(), 0);
  EXPECT_EQ(found(), "this is the first round");
}

TEST_F(Replay, AStepCrossesAGapOfDaysBothWays) {
  write(0);
  write(86'400 * 3);
  tape_.reset();
  play_from(0);
  after([&] { player().step(1); });
  EXPECT_EQ(shown(), 86'400 * 3);
  after([&] { player().step(-1); });
  EXPECT_EQ(shown(), 0);
}

TEST_F(Replay, EventsAreFoundBothWays) {
  a_while();
  play_from(0);
  after([&] { player().seek(1, {}); });
  EXPECT_EQ(shown(), 120);
  EXPECT_EQ(found(), "job 2 ended");
  after([&] { player().seek(1, {}); });
  EXPECT_EQ(shown(), 240);
  EXPECT_EQ(found(), "new layout on n1 GPU 0");
  after([&] { player().seek(1, {}); });
  EXPECT_EQ(shown(), 240) << "stays";
  EXPECT_EQ(found(), "nothing happened from here to the newest round");
  after([&] { player().seek(-1, {}); });
  EXPECT_EQ(shown(), 120);
  after([&] { player().seek(-1, {}); });
  EXPECT_EQ(found(), "nothing happened from the first round to here");
}

TEST_F(Replay, OnANodeOnlyItsOwnEventsCount) {
  a_while();
  play_from(0);
  after([&] { player().seek(1, NodeName("n1")); });
  EXPECT_EQ(shown(), 240) << "job 2 was not on it";
  after([&] { player().seek(-1, NodeName("n2")); });
  EXPECT_EQ(found(), "nothing happened from the first round to here");
}

// The piece of the recording that is looked through backwards ends within hours of silence.
TEST_F(Replay, AnEventBehindALongGapIsFoundBackwards) {
  write(0);
  story_.tell(WorkloadGone{WorkloadId("2")}, 90);
  write(5 * 3600);
  write(5 * 3600 + 60);
  tape_.reset();
  play_from(5 * 3600 + 60);
  after([&] { player().seek(-1, {}); });
  EXPECT_EQ(shown(), 5 * 3600);
  EXPECT_EQ(found(), "job 2 ended");
}

TEST_F(Replay, WhatARecorderWritesMeanwhileIsSeen) {
  write(0);
  play_from(0);
  write(60);
  after([&] { player().step(1); });
  EXPECT_EQ(shown(), 60);
  write(86'400 * 2);  // another file
  after([&] { player().step(1); });
  EXPECT_EQ(cluster().recorded->to, at(86'400 * 2));
}

// A console beside the recorder asks the cluster nothing.
TEST_F(Replay, WhoFollowsSeesEachNewRoundWithItsAge) {
  story_.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false}, 0);
  write(0);
  follow_at(70);
  EXPECT_EQ(cluster().workloads.size(), 2u);
  EXPECT_FALSE(cluster().sources.contains(Source::none));
  EXPECT_FALSE(cluster().clock) << "its clock is that of the wall, so that ages are those of now";
  EXPECT_FALSE(cluster().recorded) << "it is not the past";
  EXPECT_EQ(cluster().sources.at(Source::slurm_nodes).last_ok, at(0));
  story_.tell(WorkloadGone{WorkloadId("2")}, 30);
  write(60);
  after([&] { player_->refresh(); });
  EXPECT_EQ(cluster().workloads.size(), 1u);
  EXPECT_EQ(cluster().pace.interval, Duration(60'000));
  EXPECT_EQ(player_->actuator(), nullptr);
}

TEST_F(Replay, WhoFollowsForgetsFiguresThatAreMeasuredNoMore) {
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  figures.figures.use = Percent{50};
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(0), {figures}}, 0);
  write(0);
  follow_at(70);
  const auto use = [&] { return cluster().nodes.find(NodeName("n2"))->gpus.front().telemetry.use; };
  EXPECT_EQ(use(), Percent{50});
  story_.tell(Measured{NodeName("n2"), Source::dcgm, at(60), {}}, 60);
  write(60);
  after([&] { player_->refresh(); });
  EXPECT_FALSE(use());
}

// A console draws its first picture before its backends are started.
TEST_F(Replay, WhoFollowsIsToldOfTheHourBeforeTheNewestRound) {
  for (int minute = 0; minute < 100; ++minute) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{static_cast<float>(minute % 5 * 20)};
    story_.tell(Measured{NodeName("n2"), Source::dcgm, at(60 * minute), {figures}}, 60 * minute);
    for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
      story_.tell(SourceReport{source, {}, {}, "", false}, 60 * minute);
    write(60 * minute);
  }
  auto recordings = record::open_recordings(folder_);
  ASSERT_TRUE(recordings);
  player_ = std::make_unique<record::FollowBackend>(std::move(recordings->front()), [] { return at(6'000); });
  history::KeepsFigures* keeps = player_->keeps_figures();
  ASSERT_NE(keeps, nullptr);
  keeps->look_back_at_sums(at(2'400));
  keeps->look_back(NodeName("n2"), at(2'400));
  player_->start(mailbox_);
  std::vector<history::KeptFigures> kept;
  std::vector<history::Sums> sums;
  const auto until_told = [&] {
    for (int turns = 0; (kept.empty() || sums.empty()) && turns < 100; ++turns) {
      wait();
      for (auto& one : keeps->take_kept()) kept.push_back(std::move(one));
      for (auto& one : keeps->take_sums()) sums.push_back(one);
    }
  };
  until_told();
  ASSERT_EQ(kept.size(), 1U);
  ASSERT_EQ(kept[0].rounds.size(), 60U);
  EXPECT_EQ(kept[0].rounds.front().at, at(2'400));
  EXPECT_EQ(kept[0].rounds.back().at, at(5'940));
  ASSERT_FALSE(sums.empty());
  EXPECT_EQ(sums.front().at, at(2'400));
  EXPECT_EQ(sums.back().at, at(5'940));
  // What the recorder writes meanwhile is in the next answer.
  kept.clear(), sums.clear();
  write(6'000);
  after([&] { player_->refresh(); });
  keeps->look_back_at_sums(at(5'900));
  keeps->look_back(NodeName("n2"), at(5'900));
  until_told();
  EXPECT_EQ(kept[0].rounds.back().at, at(5'940)) << "the round after it measured nothing new";
  EXPECT_EQ(sums.back().at, at(6'000));
}

// The clock of a simulated cluster is its own: an hour before now is one before its newest round.
TEST_F(Replay, WhoFollowsASimulatedClusterIsToldOfTheHourBeforeItsOwnTime) {
  story_.tell(ClusterSeen{Scheduler::slurm, true, "simulated", "", "hpc-1"});
  for (int minute = 0; minute < 100; ++minute) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{50};
    story_.tell(Measured{NodeName("n2"), Source::simulator, at(60 * minute), {figures}}, 60 * minute);
    write(60 * minute);
  }
  auto recordings = record::open_recordings(folder_);
  ASSERT_TRUE(recordings);
  player_ =
      std::make_unique<record::FollowBackend>(std::move(recordings->front()), [] { return at(900'000); });
  player_->keeps_figures()->look_back(NodeName("n2"), at(900'000 - 3'600));
  player_->start(mailbox_);
  std::vector<history::KeptFigures> kept;
  for (int turns = 0; kept.empty() && turns < 100; ++turns) {
    wait();
    kept = player_->keeps_figures()->take_kept();
  }
  ASSERT_EQ(kept.size(), 1U);
  ASSERT_EQ(kept[0].rounds.size(), 61U);
  EXPECT_EQ(kept[0].rounds.front().at, at(2'340));
}

// What no recorder saw is no idleness: `idle since` begins behind it, as charts have a gap there.
TEST_F(Replay, WhatIsIdleBeforeAndBehindAGapOfTheRecordingIsIdleSinceBehindIt) {
  for (int minute = 0; minute < 60; ++minute) {
    if (minute >= 20 && minute < 40) continue;
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{0};
    story_.tell(Measured{NodeName("n2"), Source::dcgm, at(60 * minute), {figures}}, 60 * minute);
    write(60 * minute);
  }
  tape_.reset();
  const auto idle_at = [&](int seconds) {
    play_from(seconds);
    history::KeepsFigures* keeps = player_->keeps_figures();
    after([&] { keeps->look_back(NodeName("n2"), at(seconds - 3'600)); });
    const std::vector<history::KeptFigures> kept = keeps->take_kept();
    EXPECT_EQ(kept.size(), 1U);
    history::History history;
    for (const history::KeptFigures& one : kept) history.take_instead(cluster(), one.node, one.rounds);
    const Gpu& board = cluster().nodes.find(NodeName("n2"))->gpus.front();
    return history.idle_since(ClusterName("hpc"), NodeName("n2"), history::key_of(board));
  };
  EXPECT_EQ(idle_at(60 * 19), at(0));
  EXPECT_EQ(idle_at(60 * 59), at(60 * 40));
}

TEST_F(Replay, ARecorderThatIsSilentIsNotTakenForNowUntilItWritesAgain) {
  write(0);
  follow_at(700);
  const auto silence = [&]() -> const SourceHealth& { return cluster().sources.at(Source::none); };
  const auto wait_for_silence = [&](bool wanted) {
    while (!cluster().sources.contains(Source::none) || silence().failure.has_value() != wanted) {
      pollfd fd{mailbox_.wake_fd(), POLLIN, 0};
      ASSERT_EQ(poll(&fd, 1, 10'000), 1) << "nothing is told of it";
      for (Event& event : mailbox_.take()) reduce(model_, std::move(event));
    }
  };
  wait_for_silence(true);
  EXPECT_EQ(silence().failure->what, "the recorder is silent");
  write(690);
  player_->refresh();
  wait_for_silence(false);
}

TEST_F(Replay, AClusterThatIsNotRecordedFailsByItself) {
  a_while();
  auto archive = record::open_archive(folder_, [] { return at(9999); });
  auto opened = archive->open({ClusterName("hpc"), ClusterName("other")}, at(0));
  ASSERT_TRUE(opened);
  player_ = std::move((*opened)[1]);
  player_->start(mailbox_);
  wait();
  ASSERT_TRUE(cluster().sources.at(Source::none).failure);
  EXPECT_NE(cluster().sources.at(Source::none).failure->reason.find("nothing is recorded of other"),
            std::string::npos);
  EXPECT_FALSE(archive->open({ClusterName("other")}, at(0))) << "alone it is an error";
  EXPECT_FALSE(
      record::open_archive(folder_ + "/no", [] { return at(0); })->open({ClusterName("hpc")}, at(0)));
}

// The key frame that was being written when the recorder was killed covers nothing; the frame before does.
TEST_F(Replay, ATornKeyFrameLeavesTheMomentsBeforeIt) {
  write(0);
  write(3 * 3600);  // a key frame
  tape_.reset();
  fs::path file;
  for (const auto& entry : fs::directory_iterator(folder_ + "/hpc"))
    if (entry.path().string().ends_with(".zst")) file = entry.path();
  fs::resize_file(file, fs::file_size(file) - 200);
  auto recordings = record::open_recordings(folder_);
  ASSERT_TRUE(recordings);
  auto model = recordings->front()->at(at(4 * 3600));
  ASSERT_TRUE(model) << to_line(model.error());
  EXPECT_EQ(cluster_now(model->clusters.front(), at(0)), at(0));
}

}  // namespace
}  // namespace tessera::test
