// One reading of recordings serves sums and demand alike.
#include "engine/usage/reckoning.hpp"

#include <gtest/gtest.h>

#include "engine/hours.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::usage {
namespace {

// Half an hour in which so many waited for a slice.
class HalfAnHour final : public record::Recording {
 public:
  HalfAnHour(std::string cluster, int waiting) : name_(std::move(cluster)), waiting_(waiting) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{test::at(0), test::at(1800)}; }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>& see) override {
    Cluster cluster;
    cluster.name = name_;
    for (int i = 0; i < waiting_; ++i)
      cluster.workloads.upsert(test::waiting(std::to_string(i), "alice", "gpu:3g.40gb"));
    for (int second = 0; second <= 1800; second += 600)
      if (!see({cluster, test::at(second), {}})) break;
    return Done{};
  }

 private:
  ClusterName name_;
  int waiting_;
};

TEST(Reckoning, TellsTheDemandOfEachClusterByItself) {
  std::vector<std::unique_ptr<record::Recording>> recordings;
  recordings.push_back(std::make_unique<HalfAnHour>("hpc", 3));
  recordings.push_back(std::make_unique<HalfAnHour>("lab", 5));
  const auto read = reckon(recordings, {}, test::catalogue());
  ASSERT_TRUE(read);
  ASSERT_EQ(read->demand.size(), 2u);
  EXPECT_NEAR(read->hours, 0.5, 1e-9) << "half an hour of two clusters is half an hour";
  const DemandOverTime& hpc = read->demand.at(ClusterName("hpc"));
  EXPECT_NEAR(hpc.hours(), 0.5, 1e-9) << "another cluster's hours are not its own";
  ASSERT_EQ(hpc.peaks().size(), 1u);
  EXPECT_EQ(hpc.peaks().front().peak, 3);
  EXPECT_EQ(read->demand.at(ClusterName("lab")).peaks().front().peak, 5);
}

// Five minutes apart, and what lay between two of them cannot be read.
class Damaged final : public record::Recording {
 public:
  explicit Damaged(record::Stop before) : before_(before) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override { return record::Covered{test::at(0), test::at(1200)}; }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  Status rounds(TimePoint, TimePoint, const std::function<bool(const record::Round&)>& see) override {
    test::Story story;
    story.tell(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}});
    story.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0, 1}})})}});
    const std::set<std::string> none;
    for (int second = 0; second <= 1200; second += 300)
      if (!see({story.cluster(), test::at(second), none, Duration{0}, Duration{300'000},
                second == 600 ? before_ : record::Stop::unknown}))
        break;
    return Done{};
  }

 private:
  ClusterName name_{"hpc"};
  record::Stop before_;
};

TEST(Reckoning, NothingOfADamagedStretchCountsHoweverShortItIs) {
  const auto of = [](record::Stop before) {
    std::vector<std::unique_ptr<record::Recording>> recordings;
    recordings.push_back(std::make_unique<Damaged>(before));
    auto read = reckon(recordings, {}, test::catalogue());
    EXPECT_TRUE(read);
    return std::move(*read);
  };
  const Reckoning sound = of(record::Stop::unknown);
  EXPECT_NEAR(sound.sums.at(By::user).front().gpu_hours, 20 / 60.0, 1e-9);
  EXPECT_EQ(sound.gaps.count, 0);
  for (const record::Stop before : {record::Stop::damaged, record::Stop::set_back}) {
    const Reckoning read = of(before);
    EXPECT_NEAR(read.sums.at(By::user).front().gpu_hours, 15 / 60.0, 1e-9);
    EXPECT_NEAR(read.demand.at(ClusterName("hpc")).hours(), 15 / 60.0, 1e-9);
    EXPECT_EQ(read.gaps.count, 1);
    EXPECT_EQ(read.gaps.stop, before);
    EXPECT_EQ(read.gaps.damaged, before == record::Stop::damaged ? 1 : 0);
    EXPECT_EQ(read.gaps.set_back, before == record::Stop::set_back ? 1 : 0);
  }
}

// A job holds an idle GPU; after an hour the scheduler falls silent, and the exporter and the recorder go on.
class Outage final : public record::Recording {
 public:
  explicit Outage(int silent, bool simulated = false) : silent_(silent), simulated_(simulated) {}
  const ClusterName& cluster() const override { return name_; }
  std::optional<record::Covered> covered() override {
    return record::Covered{test::at(0), test::at(kHours * 3600)};
  }
  Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return Error{"not asked for", "", ""};
  }
  std::vector<TimePoint> cuts(TimePoint, TimePoint) override { return cut_; }
  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const record::Round&)>& see) override {
    const std::set<std::string> none;
    for (int second = 0; second <= kHours * 3600; second += 300) {
      const TimePoint at = test::at(second);
      if (at < from || at > to) continue;
      const Cluster cluster = cluster_at(second);
      if (!see({cluster, at, none, Duration{0}, Duration{300'000}})) break;
    }
    return Done{};
  }
  void cut(int second) { cut_.push_back(test::at(second)); }

  static constexpr int kHours = 10;

 private:
  Cluster cluster_at(int second) const {
    test::Story story;
    Gpu gpu = test::gpu(0, Strategy::whole, {test::whole(0)});
    gpu.telemetry.use = Percent{0};
    gpu.telemetry.memory_used = Mib{500};
    gpu.telemetry.origin = {Source::dcgm, test::at(second)};
    story.tell(NodesListed{{test::node("n1", {gpu})}});
    story.tell(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0, 1}})})}});
    Cluster cluster = story.cluster();
    cluster.simulated = simulated_;
    SourceHealth& jobs = cluster.sources[Source::slurm_jobs];
    const bool silent = second >= 3600 && second < 3600 + silent_;
    jobs.last_ok = test::at(silent ? 3600 : second);
    if (silent) jobs.failure = Error{"squeue failed", "the controller does not answer", ""};
    return cluster;
  }

  ClusterName name_{"hpc"};
  int silent_;
  bool simulated_;
  std::vector<TimePoint> cut_;
};

Reckoning of(Outage recording) {
  std::vector<std::unique_ptr<record::Recording>> recordings;
  recordings.push_back(std::make_unique<Outage>(std::move(recording)));
  auto read = reckon(recordings, {}, test::catalogue());
  EXPECT_TRUE(read);
  return std::move(*read);
}

TEST(Reckoning, WhatASilentSchedulerToldLastIsNeitherHeldNorIdle) {
  const Reckoning read = of(Outage(5 * 3600));
  const Sum& alice = read.sums.at(By::user).front();
  // A round speaks for the time before it: the first of the outage is the last that its scheduler told of,
  // and two more are within what a failure may last.
  const double known = 10.0 - 5.0 + 10.0 / 60;
  EXPECT_NEAR(alice.gpu_hours, known, 0.1);
  EXPECT_NEAR(alice.idle, known, 0.1);
  EXPECT_NEAR(hours_of(read.gaps.untold), 10.0 - known, 0.1);
  EXPECT_NEAR(read.hours, known, 0.1);
  EXPECT_NEAR(read.demand.at(ClusterName("hpc")).hours(), known, 0.1);
  EXPECT_EQ(read.gaps.count, 0) << "rounds were written";
}

TEST(Reckoning, AFailureThatIsOverSoonChangesNothing) {
  const Reckoning read = of(Outage(600));
  EXPECT_NEAR(read.sums.at(By::user).front().idle, 10.0, 1e-6);
  EXPECT_EQ(read.gaps.untold, Duration{0});
}

TEST(Reckoning, AnOutageComesToTheSameInPieces) {
  Outage cut(5 * 3600);
  cut.cut(2 * 3600), cut.cut(7 * 3600);
  const Reckoning whole = of(Outage(5 * 3600)), pieces = of(cut);
  EXPECT_NEAR(pieces.sums.at(By::user).front().idle, whole.sums.at(By::user).front().idle, 1e-9);
  EXPECT_NEAR(pieces.sums.at(By::user).front().gpu_hours, whole.sums.at(By::user).front().gpu_hours, 1e-9);
  EXPECT_EQ(pieces.gaps.untold, whole.gaps.untold);
}

TEST(Reckoning, ARecordingToWhichNothingIsAddedAnyMoreIsOld) {
  const Reckoning read = of(Outage(0));
  const TimePoint last = test::at(Outage::kHours * 3600);
  EXPECT_TRUE(ended(read.gaps, last + std::chrono::minutes(5)).empty());
  const auto old = ended(read.gaps, last + std::chrono::hours(48));
  ASSERT_EQ(old.size(), 1u);
  EXPECT_EQ(old.front(), (std::pair{ClusterName("hpc"), Duration(std::chrono::hours(48))}));
  EXPECT_TRUE(ended(of(Outage(0, true)).gaps, last + std::chrono::hours(48)).empty())
      << "a simulated cluster has a clock of its own";
}

}  // namespace
}  // namespace tessera::usage
