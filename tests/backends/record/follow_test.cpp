// A console beside a recorder: it shows the newest round with its age, and asks the cluster nothing.
#include "backends/record/follow.hpp"

#include "engine/record/stood.hpp"
#include "tests/backends/record/replay_lab.hpp"

namespace tessera::test {
namespace {

class Follow : public ReplayLab {};

// A console beside the recorder asks the cluster nothing.
TEST_F(Follow, SeesEachNewRoundWithItsAge) {
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

// A list waited for it until its --timeout.
TEST_F(Follow, ARecordingWithoutAWholeRoundIsAFailureAtOnce) {
  namespace fs = std::filesystem;
  write(0);
  tape_.reset();
  fs::copy(folder_ + "/hpc", folder_ + "/cut");  // named before the other one
  for (const auto& entry : fs::directory_iterator(folder_ + "/cut"))
    if (entry.path().string().ends_with(record::kFileEnd)) fs::resize_file(entry.path(), 100);
  follow_at(70);
  ASSERT_TRUE(cluster().loaded);
  ASSERT_TRUE(cluster().sources.contains(Source::none));
  ASSERT_TRUE(cluster().sources.at(Source::none).failure);
  EXPECT_NE(to_line(*cluster().sources.at(Source::none).failure).find("no round yet"), std::string::npos);
  // Nor is it read as one in which nothing was held.
  auto opened = record::open_recordings(folder_);
  ASSERT_TRUE(opened);
  EXPECT_FALSE(record::can_be_read(*opened->front()));
  const auto days = opened->front()->days();
  ASSERT_TRUE(days && days->size() == 1);
  EXPECT_TRUE(days->front().failure) << "its list says why nothing of it is shown";
}

// Else what is hours old would not count as stale after a night without a recorder.
TEST_F(Follow, ThePaceIsThatOfTheRecorderAndNotTheTimeSinceTheOneBefore) {
  write(0);
  follow_at(70);
  write(8 * 3'600);
  after([&] { player_->refresh(); });
  EXPECT_EQ(cluster().pace.interval, Duration(60'000));
}

// A replayed day of thousands of nodes knew no better than ten minutes.
TEST_F(Follow, HowFarApartFiguresAreIsKeptInTheRecordingAndToldWithItsPace) {
  write(0);
  follow_at(70);
  EXPECT_EQ(cluster().pace.figures, Duration(0)) << "as in a recording of an older version";
  story_.tell(PaceReport{6, Duration(10'000), std::chrono::seconds(1'270)}, 30);
  write(60);
  after([&] { player_->refresh(); });
  EXPECT_EQ(cluster().pace.figures, std::chrono::minutes(22));
  EXPECT_EQ(cluster().pace.interval, Duration(60'000));
  story_.tell(PaceReport{6, Duration(10'000), std::chrono::seconds(120)}, 90);
  write(120);
  after([&] { player_->refresh(); });
  EXPECT_EQ(cluster().pace.figures, Duration(0)) << "a Prometheus tells all of them now";
}

TEST_F(Follow, ForgetsFiguresThatAreMeasuredNoMore) {
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
TEST_F(Follow, IsToldOfTheHourBeforeTheNewestRound) {
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
TEST_F(Follow, ASimulatedClusterIsToldOfTheHourBeforeItsOwnTime) {
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

TEST_F(Follow, ARecorderThatIsSilentIsNotTakenForNowUntilItWritesAgain) {
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

}  // namespace
}  // namespace tessera::test
