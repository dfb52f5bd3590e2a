// Days of a recording are read by several threads: the answer is that of one, whatever is damaged, missing or
// goes on over midnight, and giving up ends all of them.
#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "backends/record/in_order.hpp"
#include "engine/record/until.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/backends/record/replay_lab.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

using usage::By;

// at(0) is eight o'clock.
constexpr int kToMidnight = 57'600, kOneDay = 86'400, kPace = 14'400;

// As a whole, whatever could be cut.
class InOnePiece final : public record::Recording {
 public:
  explicit InOnePiece(std::unique_ptr<record::Recording> all) : all_(std::move(all)) {}
  const ClusterName& cluster() const override { return all_->cluster(); }
  std::optional<record::Covered> covered() override { return all_->covered(); }
  Result<Model> at(TimePoint time) override { return all_->at(time); }
  record::Stop stopped() override { return all_->stopped(); }
  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const record::Round&)>& see) override {
    return all_->rounds(from, to, see);
  }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>& nodes, TimePoint from,
                                                    TimePoint to,
                                                    const std::function<bool()>& goes_on) override {
    return all_->figures(nodes, from, to, goes_on);
  }

 private:
  std::unique_ptr<record::Recording> all_;
};

class ReadByThreads : public ReplayLab {
 protected:
  void SetUp() override {
    ReplayLab::SetUp();
    recorder_ = record::Recorder(record::Wanted{Duration{1000 * kPace}});
  }
  // A round each four hours of [from, to]: alice keeps a slice and does not use it, bob is there now and
  // then.
  void record(int from, int to) {
    for (int second = from; second <= to; second += kPace) {
      const int turn = second / kPace;
      if (turn % 7 == 0) story_.tell(WorkloadSeen{running("2", "bob", {holds("n2", {{0, 1}})})}, second);
      if (turn % 7 == 5) story_.tell(WorkloadGone{WorkloadId("2")}, second);
      GpuFigures whole_gpu;
      whole_gpu.gpu = GpuIndex{0};
      whole_gpu.figures.use = Percent{turn % 5 == 0 ? 70.F : 0.F};
      story_.tell(Measured{NodeName("n2"), Source::dcgm, at(second), {whole_gpu}}, second);
      GpuFigures cut_gpu;
      cut_gpu.gpu = GpuIndex{0};
      SliceFigures slice;
      slice.profile = ProfileName("3g.40gb");
      slice.use = Percent{0};
      cut_gpu.slices = {slice};
      story_.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {cut_gpu}}, second);
      write(second);
    }
  }
  std::string path_of_day(int second) const {
    return folder_ + "/hpc/" + record::day_of(at(second)) + std::string(record::kFileEnd);
  }
  using All = std::vector<std::unique_ptr<record::Recording>>;
  All open(std::size_t threads, std::optional<TimePoint> end = {}) const {
    auto all = record::open_recordings_with(folder_, threads);
    EXPECT_TRUE(all);
    if (!all) return {};
    for (auto& one : *all)
      if (end) one = record::until(std::move(one), *end);
    return std::move(*all);
  }
  static usage::Reckoning reckoned(const All& all, Duration since = Duration{1000LL * 90 * kOneDay}) {
    usage::Span span;
    span.since = since;
    auto sums = usage::reckon(all, span, catalogue());
    EXPECT_TRUE(sums) << (sums ? "" : to_line(sums.error()));
    return sums ? std::move(*sums) : usage::Reckoning{};
  }
  All whole(std::optional<TimePoint> end = {}) const {
    All all = open(1, end);
    for (auto& one : all) one = std::make_unique<InOnePiece>(std::move(one));
    return all;
  }
  // near: 0: the same bits.
  static void expect_same(const usage::Reckoning& one, const usage::Reckoning& other, double near) {
    EXPECT_EQ(one.from, other.from);
    EXPECT_EQ(one.to, other.to);
    EXPECT_NEAR(one.hours, other.hours, near);
    EXPECT_EQ(one.gaps.count, other.gaps.count);
    EXPECT_EQ(one.gaps.all, other.gaps.all);
    EXPECT_EQ(one.gaps.from, other.gaps.from);
    EXPECT_EQ(one.gaps.stop, other.gaps.stop);
    EXPECT_EQ(one.gaps.damaged, other.gaps.damaged);
    EXPECT_EQ(one.gaps.set_back, other.gaps.set_back);
    for (const By by : {By::user, By::node, By::workload, By::profile}) {
      const auto& some = one.sums.at(by);
      const auto& same = other.sums.at(by);
      ASSERT_EQ(some.size(), same.size());
      for (std::size_t i = 0; i < some.size(); ++i) {
        SCOPED_TRACE(some[i].name);
        EXPECT_EQ(some[i].name, same[i].name);
        EXPECT_NEAR(some[i].gpu_hours, same[i].gpu_hours, near);
        EXPECT_NEAR(some[i].measured, same[i].measured, near);
        EXPECT_NEAR(some[i].idle, same[i].idle, near);
        EXPECT_NEAR(some[i].mean_use.value_or(-1), same[i].mean_use.value_or(-1), near);
      }
    }
    ASSERT_EQ(one.waste.size(), other.waste.size());
    for (std::size_t i = 0; i < one.waste.size(); ++i) {
      EXPECT_EQ(one.waste[i].kind + one.waste[i].user, other.waste[i].kind + other.waste[i].user);
      EXPECT_NEAR(one.waste[i].slice_hours.value_or(-1), other.waste[i].slice_hours.value_or(-1), near);
    }
    ASSERT_EQ(one.demand.size(), other.demand.size());
    for (const auto& [cluster, demand] : one.demand) {
      EXPECT_EQ(demand.rounds(), other.demand.at(cluster).rounds());
      EXPECT_NEAR(demand.hours(), other.demand.at(cluster).hours(), near);
      EXPECT_EQ(demand.by_hour().size(), other.demand.at(cluster).by_hour().size());
    }
  }
  void expect_one_answer(std::optional<TimePoint> end = {}) const {
    const usage::Reckoning by_one = reckoned(open(1, end));
    for (const std::size_t threads : {2U, 4U}) {
      SCOPED_TRACE(threads);
      expect_same(by_one, reckoned(open(threads, end)), 0);
    }
    expect_same(by_one, reckoned(whole(end)), 1e-9);
  }
};

TEST_F(ReadByThreads, OneAndFourThreadsAnswerTheSame) {
  record(0, 4 * kOneDay);
  tape_.reset();
  const All all = open(4);
  const auto covered = all.front()->covered();
  EXPECT_EQ(all.front()->cuts(covered->from, covered->to).size(), 4U) << "a cut at each midnight";
  const usage::Reckoning sums = reckoned(all);
  EXPECT_NEAR(sums.hours, 4 * 24, 1e-9);
  const auto& users = sums.sums.at(By::user);
  const auto alice =
      std::find_if(users.begin(), users.end(), [](const usage::Sum& one) { return one.name == "alice"; });
  ASSERT_NE(alice, users.end());
  EXPECT_GT(alice->gpu_hours, 0);
  EXPECT_NEAR(alice->idle, alice->gpu_hours, 1e-9) << "she used nothing, over all midnights";
  expect_one_answer();
  expect_one_answer(at(2 * kOneDay + 700));
}

TEST_F(ReadByThreads, ASpanThatBeginsWithinADayIsCutBehindIt) {
  record(0, 3 * kOneDay);
  tape_.reset();
  for (const int hours : {5, 16, 30}) {
    SCOPED_TRACE(hours);
    const Duration since{3'600'000LL * hours};
    const usage::Reckoning by_four = reckoned(open(4), since);
    expect_same(reckoned(open(1), since), by_four, 0);
    expect_same(reckoned(whole(), since), by_four, 1e-9);
    EXPECT_NEAR(by_four.hours, hours - hours % 4, 1e-9);
  }
}

TEST_F(ReadByThreads, AGapOverMidnightIsOne) {
  record(0, kToMidnight - kPace);
  record(kToMidnight + 3 * kPace, 2 * kOneDay);
  tape_.reset();
  EXPECT_EQ(reckoned(open(4)).gaps.count, 1);
  expect_one_answer();
}

// The day that is cut at its end, the one that is damaged in its first frame, and one that is no recording.
TEST_F(ReadByThreads, WhatIsDamagedAtACutIsToldOnce) {
  record(0, 5 * kOneDay);
  tape_.reset();
  damage_day(path_of_day(kOneDay), 5, 0.3);
  damage_day(path_of_day(2 * kOneDay), 0, 0);
  put_day(path_of_day(4 * kOneDay), std::string(3000, '\x5a'));
  EXPECT_GT(reckoned(open(4)).gaps.damaged, 1);
  expect_one_answer();
}

TEST_F(ReadByThreads, AClockThatWasSetBackAtMidnightIsToldOnce) {
  record(0, kToMidnight - kPace);
  record(kToMidnight - 2 * kPace, 2 * kOneDay);
  tape_.reset();
  EXPECT_EQ(reckoned(open(4)).gaps.set_back, 1);
  expect_one_answer();
}

TEST_F(ReadByThreads, WhatWasNeededIsTheSameToo) {
  record(0, 3 * kOneDay);
  tape_.reset();
  const Duration all{1000LL * 90 * kOneDay};
  const auto one = usage::past_demand(open(1), all, ""), four = usage::past_demand(open(4), all, "");
  ASSERT_TRUE(one && four);
  ASSERT_EQ(one->demand.peaks().size(), four->demand.peaks().size());
  for (std::size_t i = 0; i < one->demand.peaks().size(); ++i) {
    EXPECT_EQ(one->demand.peaks()[i].peak, four->demand.peaks()[i].peak);
    EXPECT_EQ(one->demand.peaks()[i].mean, four->demand.peaks()[i].mean);
  }
  EXPECT_EQ(one->gaps.count, four->gaps.count);
}

TEST_F(ReadByThreads, GivingUpEndsEachOfThem) {
  record(0, 6 * kOneDay);
  tape_.reset();
  std::atomic<int> asked{0};
  const auto sums = usage::reckon(open(4), {Duration{1000LL * 90 * kOneDay}}, catalogue(), [&](double part) {
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
    return ++asked < 10;
  });
  ASSERT_TRUE(sums);
  EXPECT_LE(asked, 10 + 4) << "each of four asks once more at most";
  EXPECT_LT(sums->hours, 6 * 24);
}

TEST(InOrder, EachIsTakenBehindTheOneBeforeAndNoneIsBegunFarAhead) {
  std::atomic<int> begun{0};
  int taken = 0;
  std::set<std::size_t> threads;
  record::in_order(
      50, 3,
      [&](std::size_t, std::size_t thread) {
        EXPECT_LT(thread, 3U);
        ++begun;
      },
      [&](std::size_t i) {
        EXPECT_EQ(static_cast<int>(i), taken++);
        EXPECT_LE(begun, taken + 6);
      });
  EXPECT_EQ(taken, 50);
  EXPECT_EQ(begun, 50);
}

TEST(InOrder, WhatIsThrownComesToWhoAsked) {
  int taken = 0;
  const auto all = [&] {
    record::in_order(
        20, 2,
        [](std::size_t i, std::size_t) {
          if (i == 5) throw std::runtime_error("no memory");
        },
        [&](std::size_t) { ++taken; });
  };
  EXPECT_THROW(all(), std::runtime_error);
  EXPECT_LE(taken, 5);
}

}  // namespace
}  // namespace tessera::test
