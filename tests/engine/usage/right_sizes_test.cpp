// What was needed, in the profiles that would have done: against what was worked out by hand.
#include "engine/usage/right_sizes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "engine/usage/exceptions.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace right_sizes_test {

// What one slice of GPU 0 of n1 is used.
struct Use {
  int device = 0;
  float percent = 0;
  std::int64_t memory = 1'000;
};

// Rounds, five minutes apart, of a node with two slices of 3g.40gb on GPU 0 and GPU 1 as a whole.
class Days {
 public:
  Days() {
    told(Source::slurm_nodes), told(Source::slurm_jobs);
    story_.tell(NodesListed{
        {node("n1", {gpu(0, Strategy::mig, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)}),
                     gpu(1, Strategy::whole, {whole(2)})})}});
    story_.tell(Loaded{});
  }
  void pass(int minutes, const std::vector<Workload>& work, const std::vector<Use>& used) {
    story_.tell(WorkloadsListed{work}, second_);
    for (int i = 0; i < minutes; i += 5, second_ += 300) {
      tessera::GpuFigures cut, rest;
      cut.gpu = GpuIndex{0}, rest.gpu = GpuIndex{1};
      for (const Use& one : used) {
        if (one.device == 2)
          rest.figures.use = Percent{one.percent}, rest.figures.memory_used = Mib{one.memory};
        else
          cut.slices.push_back({ProfileName("3g.40gb"),
                                std::nullopt,
                                one.device,
                                Percent{one.percent},
                                Mib{one.memory},
                                {},
                                {},
                                ""});
      }
      story_.tell(Measured{NodeName("n1"), Source::dcgm, at(second_), {cut, rest}}, second_);
      told(Source::slurm_nodes), told(Source::slurm_jobs);
      rounds_.push_back(story_.cluster());
    }
  }
  // Of this partition, by what `span` asks for.
  usage::DemandOverTime demand(bool right_sized, usage::Span span = {}, const std::string& group = "") const {
    std::vector<std::unique_ptr<record::Recording>> all;
    all.push_back(std::make_unique<Recorded>(rounds_));
    span.right_sizes = right_sized;
    const auto sums = usage::reckon(all, span, catalogue());
    const auto past = usage::past_demand(all, span.since, group, sums->right_sizes);
    EXPECT_TRUE(sums && past);
    EXPECT_EQ(sums->right_sizes != nullptr, right_sized);
    return past->demand;
  }
  std::map<std::string, int> peaks(bool right_sized, usage::Span span = {},
                                   const std::string& group = "") const {
    std::map<std::string, int> all;
    for (const usage::DemandPeak& one : demand(right_sized, span, group).peaks()) all[one.profile] = one.peak;
    return all;
  }

 private:
  class Recorded final : public record::Recording {
   public:
    explicit Recorded(const std::vector<Cluster>& rounds) : rounds_(rounds), name_(rounds.front().name) {}
    const ClusterName& cluster() const override { return name_; }
    std::optional<record::Covered> covered() override {
      return record::Covered{test::at(0), test::at(300 * (static_cast<int>(rounds_.size()) - 1))};
    }
    Result<Model> at(TimePoint) override { return Error{"not asked for", "", ""}; }
    Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                      const std::function<bool()>&) override {
      return Error{"not asked for", "", ""};
    }
    Status rounds(TimePoint from, TimePoint to,
                  const std::function<bool(const record::Round&)>& see) override {
      int second = 0;
      for (const Cluster& one : rounds_) {
        const TimePoint then = test::at(second);
        second += 300;
        if (then >= from && then <= to && !see({one, then, {}})) break;
      }
      return Done{};
    }

   private:
    const std::vector<Cluster>& rounds_;
    ClusterName name_;
  };
  void told(Source source) { story_.tell(SourceReport{source, {}, {}, "", false}, second_); }

  Story story_;
  int second_ = 0;
  std::vector<Cluster> rounds_;
};

using Peaks = std::map<std::string, int>;

Workload of_alice(std::vector<DeviceShare> devices) {
  return running("1", "alice", {holds("n1", std::move(devices))});
}

TEST(RightSizes, WhatASmallerProfileWouldHaveDoneForIsNeededInThat) {
  Days days;
  days.pass(120, {of_alice({{0, 1}}), running("2", "bob", {holds("n1", {{1, 1}})})}, {{0, 10}, {1, 90}});
  EXPECT_EQ(days.peaks(false), (Peaks{{"3g.40gb", 2}}));
  EXPECT_EQ(days.peaks(true), (Peaks{{"1g.10gb", 1}, {"3g.40gb", 1}}));
  EXPECT_EQ(days.demand(true).right_sized(), 1u);
  EXPECT_EQ(days.demand(false).right_sized(), std::nullopt);
}

TEST(RightSizes, AWholeGpuToo) {
  Days days;
  days.pass(120, {of_alice({{2, 1}})}, {{2, 30, 15'000}});
  EXPECT_EQ(days.peaks(true), (Peaks{{"3g.40gb", 1}})) << "three of seven compute slices, with air";
}

// One request has one size: it would not have run on the smaller of two.
TEST(RightSizes, OfAllThatAJobHeldTheLargestCounts) {
  Days days;
  days.pass(120, {of_alice({{0, 1}, {1, 1}})}, {{0, 5}, {1, 5, 15'000}});
  EXPECT_EQ(days.peaks(true), (Peaks{{"1g.20gb", 2}})) << "20096 MiB for one of them";
  Days busy;
  busy.pass(120, {of_alice({{0, 1}, {1, 1}})}, {{0, 5}, {1, 95}});
  EXPECT_EQ(busy.peaks(true), (Peaks{{"3g.40gb", 2}}));
  EXPECT_EQ(busy.demand(true).right_sized(), 0u);
}

TEST(RightSizes, WhatIsNotKnownOrWasIdleCountsAsItWasHeld) {
  const Peaks held{{"3g.40gb", 1}};
  Days untold, brief, idle, in_part;
  untold.pass(120, {of_alice({{0, 1}})}, {});
  EXPECT_EQ(untold.peaks(true), held);
  brief.pass(50, {of_alice({{0, 1}})}, {{0, 10}});
  EXPECT_EQ(brief.peaks(true), held) << "less than an hour";
  idle.pass(120, {of_alice({{0, 1}})}, {{0, 0}});
  EXPECT_EQ(idle.peaks(true), held);
  in_part.pass(120, {of_alice({{0, 1}, {1, 1}})}, {{0, 10}});
  EXPECT_EQ(in_part.peaks(true), (Peaks{{"3g.40gb", 2}})) << "of the other nothing was measured";
}

TEST(RightSizes, TheTimeThatItWaitedCountsAsTheSmallerProfileAndWhatNeverRanAsItAsked) {
  Days days;
  days.pass(30, {waiting("1", "alice", "gpu:3g.40gb"), waiting("3", "carol", "gpu:3g.40gb")}, {});
  days.pass(120, {of_alice({{0, 1}})}, {{0, 10}});
  EXPECT_EQ(days.peaks(true), (Peaks{{"1g.10gb", 1}, {"3g.40gb", 1}}));
  for (const usage::DemandPeak& one : days.demand(true).peaks()) EXPECT_EQ(one.waiting, 1) << one.profile;
}

TEST(RightSizes, WhatASiteExceptsCountsAsItWasHeld) {
  Days days;
  days.pass(120, {of_alice({{0, 1}}), running("2", "bob", {holds("n1", {{1, 1}})})}, {{0, 10}, {1, 10}});
  usage::Span span;
  span.except = *usage::exceptions_of("user=bob");
  EXPECT_EQ(days.peaks(true, span), (Peaks{{"1g.10gb", 1}, {"3g.40gb", 1}}));
  EXPECT_EQ(days.peaks(true), (Peaks{{"1g.10gb", 2}}));
}

TEST(RightSizes, TheAirThatIsAskedForDecides) {
  Days days;
  days.pass(120, {of_alice({{0, 1}})}, {{0, 20, 9'000}});
  usage::Span span;
  span.limits.spare = 0;
  EXPECT_EQ(days.peaks(true, span), (Peaks{{"1g.10gb", 1}}));
  EXPECT_EQ(days.peaks(true), (Peaks{{"1g.20gb", 1}})) << "9000 MiB and a fifth are more than 9984";
}

TEST(RightSizes, OfAPartitionOnlyItsOwnCount) {
  Days days;
  Workload other = running("2", "bob", {holds("n1", {{1, 1}})});
  other.group = "long";
  days.pass(120, {of_alice({{0, 1}}), other}, {{0, 10}, {1, 10}});
  EXPECT_EQ(days.peaks(true, {}, "long"), (Peaks{{"1g.10gb", 1}}));
  EXPECT_EQ(days.demand(true, {}, "long").right_sized(), 1u);
}

// Only sizes change, never how many there are, and never to larger ones.
TEST(RightSizes, NeverAddAnInstanceNorEnlargeAny) {
  const std::map<std::string, int> slices{{"1g.10gb", 1}, {"1g.20gb", 2}, {"2g.20gb", 2},
                                          {"3g.40gb", 4}, {"4g.40gb", 4}, {"whole", 8}};
  const auto sums = [&](const usage::DemandOverTime& demand) {
    std::pair<double, double> both{0, 0};
    for (const usage::DemandPeak& one : demand.peaks()) {
      both.first += one.mean * demand.hours();
      both.second += one.mean * demand.hours() * slices.at(one.profile);
    }
    return both;
  };
  std::mt19937 random(20);
  const auto pick = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
  int smaller = 0;
  for (int i = 0; i < 40; ++i) {
    Days days;
    for (int part = 0; part < 6; ++part) {
      std::vector<Workload> work;
      std::vector<Use> used;
      for (int device = 0; device < 3; ++device) {
        if (pick(3) > 0)
          work.push_back(running(std::to_string(pick(5)), "bob", {holds("n1", {{device, 1}})}));
        if (pick(4) > 0) used.push_back({device, static_cast<float>(pick(12) * 9), 500 + pick(30) * 1'000});
      }
      days.pass(5 + 5 * pick(24), work, used);
    }
    const auto held = sums(days.demand(false)), sized = sums(days.demand(true));
    EXPECT_NEAR(held.first, sized.first, 1e-6);
    EXPECT_LE(sized.second, held.second + 1e-6);
    smaller += sized.second < held.second - 1e-6;
  }
  EXPECT_GT(smaller, 5) << "there is something to compare";
}

}  // namespace right_sizes_test
}  // namespace tessera::test
