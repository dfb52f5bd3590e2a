// Jobs of an accounting as sums, against figures that were worked out by hand.
#include "engine/usage/past_sums.hpp"

#include <gtest/gtest.h>

#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

struct Kept {
  usage::PastJobs past;
  Kept() {
    past.cluster = ClusterName("hpc");
    past.from = at(0), past.to = at(24 * 3600);
  }
  void job(const std::string& id, const std::string& user, std::optional<int> submitted,
           std::optional<int> started, std::optional<int> ended, std::map<std::string, std::int64_t> gpus) {
    const auto hour = [](std::optional<int> of) { return of ? std::optional(at(*of * 3600)) : std::nullopt; };
    usage::PastJob one;
    one.id = WorkloadId(id), one.user = user, one.account = "ml", one.group = "gpu", one.nodes = "n1";
    one.submitted = hour(submitted), one.started = hour(started), one.ended = hour(ended);
    one.gpus = std::move(gpus);
    past.jobs.push_back(std::move(one));
  }
  usage::Sum sum(const std::string& name, usage::By by = usage::By::user) const {
    usage::Ledger ledger(catalogue(), Duration{900'000});
    usage::add(ledger, past, catalogue());
    for (const usage::Sum& one : usage::sums(ledger, by))
      if (one.name == name) return one;
    return {};
  }
};

TEST(PastSums, OnlyTheHoursWithinTheStretchCount) {
  Kept kept;
  kept.job("1", "alice", -10, -5, 2, {{"h100", 2}});
  kept.job("2", "alice", 20, 22, std::nullopt, {{"h100", 1}});
  EXPECT_NEAR(kept.sum("alice").gpu_hours, 2 * 2 + 2, 1e-9) << "the second runs until the end";
  EXPECT_NEAR(kept.sum("alice").waited, 2, 1e-9) << "the first waited before it";
  EXPECT_EQ(kept.sum("alice").measured, 0);
  EXPECT_EQ(kept.sum("alice").mean_use, std::nullopt) << "unknown is not 0 %";
}

TEST(PastSums, ASliceIsItsPartOfAGpu) {
  Kept kept;
  kept.job("1", "bob", 0, 0, 7, {{"3g.40gb", 2}});
  EXPECT_NEAR(kept.sum("bob").gpu_hours, 7 * 2 * 3.0 / 7, 1e-9);
  EXPECT_NEAR(kept.sum("bob").slice_hours, 7 * 2 * 4, 1e-9);
  EXPECT_NEAR(kept.sum("3g.40gb", usage::By::profile).gpu_hours, 6, 1e-9);
}

TEST(PastSums, GpusWithoutATypeAreCalledUntyped) {
  Kept kept;
  kept.job("1", "bob", 0, 0, 2, {{"", 1}});
  EXPECT_NEAR(kept.sum("untyped", usage::By::profile).gpu_hours, 2, 1e-9);
}

TEST(PastSums, WhatWasCancelledBeforeItStartedHasWaitedUntilThen) {
  Kept kept;
  kept.job("1", "carol", 3, std::nullopt, 5, {});
  kept.job("2", "carol", 20, std::nullopt, std::nullopt, {});
  EXPECT_NEAR(kept.sum("carol").waited, 2 + 4, 1e-9);
  EXPECT_EQ(kept.sum("carol").gpu_hours, 0);
}

TEST(PastSums, TheDemandIsWhatWasHeldAtTheSameTime) {
  Kept kept;
  kept.job("1", "alice", 0, 1, 4, {{"3g.40gb", 2}});
  kept.job("2", "bob", 0, 4, 6, {{"3g.40gb", 2}});  // begins as the first ends: never four
  kept.job("3", "bob", 0, 5, 7, {{"3g.40gb", 1}, {"", 4}});
  kept.job("4", "carol", 0, std::nullopt, std::nullopt, {{"3g.40gb", 9}});
  usage::DemandOverTime demand;
  usage::add(demand, kept.past, {});
  const auto peaks = demand.peaks();
  ASSERT_EQ(peaks.size(), 1U);
  EXPECT_EQ(peaks[0].profile, "3g.40gb");
  EXPECT_EQ(peaks[0].peak, 3);
  EXPECT_EQ(peaks[0].at, at(5 * 3600));
  EXPECT_NEAR(peaks[0].mean, (3 * 2 + 2 * 2 + 1 * 2) / 24.0, 1e-9);
  EXPECT_EQ(demand.unplaced(), 4);
  EXPECT_NEAR(demand.hours(), 24, 1e-9);
  EXPECT_EQ(demand.by_hour().size(), 24U) << "hours in which nothing was held are zero, and known";
}

TEST(PastSums, TheDemandOfAPartitionIsOfItsJobsAlone) {
  Kept kept;
  kept.job("1", "alice", 0, 1, 4, {{"3g.40gb", 2}});
  usage::DemandOverTime demand;
  usage::add(demand, kept.past, "other");
  EXPECT_TRUE(demand.peaks().empty());
}

}  // namespace
}  // namespace tessera::test
