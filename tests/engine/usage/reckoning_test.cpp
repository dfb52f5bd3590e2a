// One reading of recordings serves sums and demand alike.
#include "engine/usage/reckoning.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tessera::usage
