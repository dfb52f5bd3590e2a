// A recording as a backend: moments, rounds and what happened, told by the events of a live cluster.
#include "backends/record/replay.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/files.hpp"
#include "backends/mailbox.hpp"
#include "backends/record/archive.hpp"
#include "backends/record/recording.hpp"
#include "backends/record/replays.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/thin.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/history/history.hpp"
#include "engine/insight/available.hpp"
#include "engine/query/local_time.hpp"
#include "engine/record/leader.hpp"
#include "engine/record/recorder.hpp"
#include "engine/time.hpp"
#include "tests/backends/record/replay_lab.hpp"
#include "tests/support/zone.hpp"

namespace tessera::test {
namespace {

namespace fs = std::filesystem;

using Replay = ReplayLab;

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
  story_.tell(WorkloadsListed{
      {running("1", "alice", {holds("n1", {{7, 1}})}), running("2", "bob", {holds("n2", {{0, 1}})})}});
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
  const LogEntry behind = model_.work_log.front();
  after([&] { player().jump(at(110 * 60)); });
  EXPECT_EQ(subjects(), std::vector<std::string>{"job 2"});
  // Nothing happened to the node itself, and the entry tells what its GPUs are called all the same.
  const LogEntry& here = model_.work_log.front();
  EXPECT_FALSE(here.pool.empty());
  EXPECT_EQ(behind.pool, here.pool);
  EXPECT_EQ(behind.text, here.text);
  EXPECT_EQ(behind.nodes, here.nodes);
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

// What a damaged frame told is not known; the moment before it is shown, and said to be that.
TEST_F(Replay, AMomentInADamagedFrameIsTheLastSoundOneAndIsSaidToBe) {
  for (const int second : {0, 60, 7'200, 7'260, 14'400, 14'460, 21'600, 21'660}) write(second);
  tape_.reset();
  std::string path;
  for (const auto& entry : fs::directory_iterator(folder_ + "/hpc"))
    if (entry.path().string().ends_with(record::kFileEnd)) path = entry.path().string();
  auto file = read_whole_file("", path, record::kLargestFile);
  ASSERT_TRUE(file && *file);
  std::string bytes = (*file)->text;
  const auto frames = record::frames_in(bytes);
  for (const std::size_t frame : {1U, 3U}) bytes.replace((*frames)[frame].data + 8, 24, 24, '\xff');
  ASSERT_TRUE(replace_file("", path, bytes, 0640));
  const std::string damaged =
      "this is the last round that can be read before the time that was asked for: what follows it is "
      "damaged";
  play_from(7'230);
  EXPECT_EQ(shown(), 60);
  EXPECT_EQ(found(), damaged);
  after([&] { player().jump(at(60)); });
  EXPECT_EQ(found(), "") << "that is what was asked for";
  after([&] { player().step(1); });
  EXPECT_EQ(shown(), 14'400);
  EXPECT_EQ(found(), "what was recorded right before this round is damaged");
  after([&] { player().step(1); });
  EXPECT_EQ(shown(), 14'460);
  EXPECT_NE(found().find("this is the newest round: what was recorded there is damaged"), std::string::npos)
      << found();
  after([&] { player().jump(at(21'630)); });
  EXPECT_EQ(shown(), 14'460);
  EXPECT_NE(found().find("damaged"), std::string::npos) << found();
  after([&] { player().jump(at(14'300)); });
  EXPECT_EQ(shown(), 60);
  EXPECT_EQ(found(), damaged);
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

// What had happened there was passed over without a word.
TEST_F(Replay, WhoLooksForAnEventIsToldOfTheDamageThatLiesInBetween) {
  write(0), write(60);
  for (int second = 7'200; second < 14'400; second += 600) write(second);
  write(14'400);
  story_.tell(WorkloadGone{WorkloadId("2")}, 14'460);
  write(14'460);
  for (const int second : {21'600, 21'660}) write(second);
  tape_.reset();
  damage_day(folder_ + "/hpc/" + record::day_of(at(0)) + std::string(record::kFileEnd), 1, 0);
  play_from(0);
  after([&] { player().seek(1, {}); });
  EXPECT_EQ(shown(), 14'460);
  EXPECT_EQ(found(), "job 2 ended; what was recorded in between is damaged");
  after([&] { player().seek(1, {}); });
  EXPECT_EQ(found(), "nothing happened from here to the newest round") << "behind it all is sound";
  after([&] { player().jump(at(21'660)); });
  after([&] { player().seek(-1, {}); });
  EXPECT_EQ(shown(), 14'460);
  EXPECT_EQ(found(), "job 2 ended") << "the damage is before it";
  after([&] { player().seek(-1, {}); });
  EXPECT_EQ(found(),
            "nothing happened from the first round to here; what was recorded in between is damaged");
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
  EXPECT_EQ(idle_since(60 * 19, 60 * 19 - 3'600), at(0));
  EXPECT_EQ(idle_since(60 * 59, -60), at(60 * 40));
}

// A recorder of --every 30m sees a GPU unused for hours.
TEST_F(Replay, WhatIsIdleInRoundsThatAreFarApartIsIdleSinceTheFirstOfThem) {
  recorder_ = record::Recorder(record::Wanted{std::chrono::minutes(30)});
  for (int round = 0; round < 6; ++round) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{0};
    story_.tell(Measured{NodeName("n2"), Source::dcgm, at(1'800 * round), {figures}}, 1'800 * round);
    write(1'800 * round);
  }
  tape_.reset();
  EXPECT_EQ(idle_since(1'800 * 5, 0), at(0));
}

// The nodes of the moment before stood there as those of now, and playing went on from that moment again and
// again.
TEST_F(Replay, OfAMomentThatCannotBeReadNothingOfAnotherOneStays) {
  a_while();
  play_from(120);
  ASSERT_EQ(cluster().nodes.all().size(), 2u);
  std::string day;
  for (const auto& one : fs::recursive_directory_iterator(folder_))
    if (one.is_regular_file() && one.path().extension() == ".zst") day = one.path().string();
  ASSERT_NE(day, "");
  fs::rename(day, day + ".away"), fs::create_directory(day);
  after([&] { player().jump(at(240)); });
  ASSERT_TRUE(cluster().sources.at(Source::none).failure);
  EXPECT_TRUE(cluster().nodes.empty());
  EXPECT_FALSE(insight::nodes_are_current(cluster()));
  EXPECT_EQ(cluster_now(cluster(), at(99'999)), at(240));
  EXPECT_EQ(cluster().scheduler, Scheduler::slurm);
  fs::remove(day), fs::rename(day + ".away", day);
  after([&] { player().jump(at(240)); });
  EXPECT_FALSE(cluster().sources.at(Source::none).failure);
  EXPECT_EQ(cluster().nodes.all().size(), 2u);
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

// hpc is recorded from 0 to 300, other from 4000 to 4300.
class ReplayOfTwo : public ReplayLab {
 protected:
  void SetUp() override {
    ReplayLab::SetUp();
    a_while();
    auto opened = record::open_tape(folder_, ClusterName("other"), {});
    ASSERT_TRUE(opened);
    Model other;
    const auto tell = [&](decltype(Event::what) what) {
      reduce(other, Event{ClusterName("other"), 0, at(0), std::move(what)});
    };
    tell(ClusterSeen{Scheduler::kubernetes, false, "v1.33", "", "other-1"});
    tell(NodesListed{{node("k1", {gpu(0, Strategy::whole, {whole(0)})})}});
    tell(WorkloadsListed{{}});
    tell(Loaded{});
    record::Recorder recorder{record::Wanted{}};
    for (int second = 4000; second <= 4300; second += 60) {
      const bool key = (*opened)->wants_key(at(second));
      ASSERT_TRUE((*opened)->write(recorder.take(other.clusters.front(), at(second), key), at(second), key));
    }
  }
  void TearDown() override {
    players_.clear();
    ReplayLab::TearDown();
  }
  Status open(std::optional<int> second, bool shows_gaps = true) {
    auto recordings = record::open_recordings(folder_);
    if (!recordings) return recordings.error();
    const auto then = second ? std::optional(at(*second)) : std::nullopt;
    auto opened = record::replays(std::move(*recordings), {then, shows_gaps, 0}, [] { return at(9999); });
    if (!opened) return opened.error();
    players_ = std::move(*opened);
    for (const BackendPtr& one : players_) {
      one->start(mailbox_);
      wait();
    }
    return Done{};
  }
  void jump(int second) {
    for (const BackendPtr& one : players_) after([&] { one->player()->jump(at(second)); });
  }
  // "hpc 300: 2 nodes; other 300: unknown"
  std::string told() const {
    std::string all;
    for (const char* name : {"hpc", "other"}) {
      const Cluster& one = *model_.find(ClusterName(name));
      all += (all.empty() ? "" : "; ") + one.name.text + " " +
             std::to_string((cluster_now(one, at(99'999)) - at(0)) / std::chrono::seconds(1)) + ": " +
             (insight::nodes_are_current(one) ? std::to_string(one.nodes.all().size()) + " nodes"
              : one.nodes.empty()             ? "unknown"
                                              : "unknown, with nodes of another time");
    }
    return all;
  }
  std::vector<BackendPtr> players_;
};

// It was told in UTC beside the local times of the console.
TEST_F(ReplayOfTwo, WhyNothingIsKnownIsToldByTheClocksHere) {
  const InZone there("EST5EDT,M3.2.0,M11.1.0");
  ASSERT_TRUE(open(std::nullopt));
  const auto& failure = model_.find(ClusterName("hpc"))->sources.at(Source::none).failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "the newest round is of 2027-01-15 03:05:00");
}

TEST_F(ReplayOfTwo, AllClustersShowOneMomentAndOneWithoutARoundThereIsUnknown) {
  ASSERT_TRUE(open(std::nullopt));
  EXPECT_EQ(told(), "hpc 4300: unknown; other 4300: 1 nodes") << "the newest round of them all";
  const auto& failure = model_.find(ClusterName("hpc"))->sources.at(Source::none).failure;
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->reason, "the newest round is of " + query::local_text(at(300)));
  jump(120);
  EXPECT_EQ(told(), "hpc 120: 2 nodes; other 120: unknown");
  EXPECT_FALSE(model_.find(ClusterName("hpc"))->sources.at(Source::none).failure);
  jump(2000);
  EXPECT_EQ(told(), "hpc 2000: unknown; other 2000: unknown") << "between the two";
  jump(4150);
  EXPECT_EQ(told(), "hpc 4150: unknown; other 4120: 1 nodes");
  jump(-500);
  EXPECT_EQ(told(), "hpc 0: 2 nodes; other 0: unknown") << "nothing at all is recorded before";
  jump(9000);
  EXPECT_EQ(told(), "hpc 4300: unknown; other 4300: 1 nodes");
}

TEST_F(ReplayOfTwo, AMomentThatOneOfThemHasIsNoError) {
  ASSERT_TRUE(open(60)) << "the other begins later";
  EXPECT_EQ(told(), "hpc 60: 2 nodes; other 60: unknown");
  EXPECT_FALSE(open(60, false)) << "a command says so";
  EXPECT_FALSE(open(-60)) << "none of them has it";
}

// The cluster that leads is one that has more that way, or there would be no way out of where one of them
// ends.
TEST_F(ReplayOfTwo, StepsGoOnInTheRecordingThatHasMoreThatWay) {
  const std::vector<ClusterName> both{ClusterName("hpc"), ClusterName("other")};
  const auto leader = [&](int way) { return record::leader(model_, both, way, at(99'999)).text; };
  const auto step = [&](int way) {
    const std::size_t lead = leader(way) == players_[0]->name().text ? 0 : 1;
    after([&] { players_[lead]->player()->step(way); });
    const TimePoint moment = cluster_now(*model_.find(players_[lead]->name()), at(99'999));
    after([&] { players_[1 - lead]->player()->jump(moment); });
  };
  ASSERT_TRUE(open(300));
  EXPECT_EQ(leader(-1), "hpc");
  EXPECT_EQ(leader(1), "other") << "hpc has ended";
  step(1);
  EXPECT_EQ(told(), "hpc 4000: unknown; other 4000: 1 nodes");
  EXPECT_EQ(leader(1), "other");
  EXPECT_EQ(leader(-1), "hpc");
  step(-1);
  EXPECT_EQ(told(), "hpc 300: 2 nodes; other 300: unknown");
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
