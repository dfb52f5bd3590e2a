// Jobs of an accounting as sums, against figures that were worked out by hand.
#include "engine/usage/past_sums.hpp"

#include <gtest/gtest.h>

#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

using usage::GpuFigures;

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
  std::vector<usage::Waste> waste() const {
    usage::Ledger ledger(catalogue());
    usage::add(ledger, past, catalogue());
    return usage::waste(ledger, catalogue());
  }
  usage::Sum sum(const std::string& name, usage::By by = usage::By::user) const {
    usage::Ledger ledger(catalogue());
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

TEST(PastSums, ATaskOfAnArrayHasARowByTheNameThatListsOfJobsGiveIt) {
  Kept kept;
  kept.job("4", "alice", 0, 1, 3, {{"h100", 1}});
  kept.job("2", "alice", 0, 2, 7, {{"h100", 1}});
  kept.past.jobs[0].listed_as = "2_1", kept.past.jobs[1].listed_as = "2_4";
  EXPECT_NEAR(kept.sum("2_1", usage::By::workload).gpu_hours, 2, 1e-9);
  EXPECT_NEAR(kept.sum("2_4", usage::By::workload).gpu_hours, 5, 1e-9);
  EXPECT_NEAR(kept.sum("2_4", usage::By::workload).waited, 2, 1e-9);
  EXPECT_EQ(kept.sum("2", usage::By::workload).gpu_hours, 0) << "the number of one task, not of the array";
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

GpuFigures figures(const char* node, int gpu, std::optional<float> use, int peak, int memory) {
  GpuFigures one;
  one.node = NodeName(node), one.gpu = GpuIndex{gpu};
  if (use) one.use = Percent{*use};
  one.memory_peak = Mib{peak}, one.memory = Mib{memory};
  return one;
}

TEST(PastSums, FiguresOfAJobCountForTheHoursOfTheirGpus) {
  Kept kept;
  kept.job("1", "alice", 0, 1, 5, {{"h100", 3}});
  kept.past.jobs[0].figures = {figures("n1", 0, 80, 40'000, 81'559), figures("n2", 0, 20, 60'000, 81'559)};
  const usage::Sum sum = kept.sum("alice");
  EXPECT_NEAR(sum.gpu_hours, 12, 1e-9);
  EXPECT_NEAR(sum.measured, 8, 1e-9) << "of the third GPU nothing is known";
  EXPECT_NEAR(*sum.mean_use, 50, 1e-6);
  EXPECT_EQ(sum.p95_use, std::nullopt) << "means tell no percentile";
  EXPECT_EQ(sum.memory_peak, Mib{60'000});
  EXPECT_NEAR(sum.idle, 0, 1e-9);
  EXPECT_NEAR(*usage::coverage({sum}), 100.0 * 8 / 12, 1e-9);
  EXPECT_NEAR(kept.sum("n2", usage::By::node).gpu_hours, 4, 1e-9);
}

TEST(PastSums, MemoryWithoutUseIsNotMeasured) {
  Kept kept;
  kept.job("1", "bob", 0, 0, 4, {{"1g.10gb", 1}});
  kept.past.jobs[0].figures = {figures("mig01", 1, std::nullopt, 119, 9'728)};
  const usage::Sum sum = kept.sum("bob");
  EXPECT_EQ(sum.measured, 0);
  EXPECT_EQ(sum.mean_use, std::nullopt);
  EXPECT_EQ(sum.memory_peak, Mib{119});
  EXPECT_TRUE(kept.waste().empty()) << "unknown is not idle";
}

TEST(PastSums, FiguresOfWhichIsNotKnownWhoseTheyAreAreLeftOut) {
  Kept kept;
  kept.job("1", "alice", 0, 0, 4, {{"h100", 1}, {"a100", 1}});
  kept.job("2", "alice", 0, 0, 4, {{"h100", 1}});
  kept.past.jobs[0].figures = {figures("n1", 0, 0, 1, 81'559), figures("n1", 1, 0, 1, 81'559)};
  kept.past.jobs[1].figures = kept.past.jobs[0].figures;
  EXPECT_EQ(kept.sum("alice").measured, 0);
  EXPECT_NEAR(kept.sum("alice").gpu_hours, 12, 1e-9);
  EXPECT_TRUE(kept.waste().empty());
}

// The second type, called whole like the first, once took its place.
TEST(PastSums, AJobWithWholeGpusOfTwoTypesHoldsBoth) {
  Kept kept;
  kept.job("1", "alice", 0, 0, 4, {{"h100", 1}, {"a100", 2}});
  EXPECT_NEAR(kept.sum("alice").gpu_hours, 4 + 8, 1e-9);
  EXPECT_NEAR(kept.sum("alice").slice_hours, 4 * 8 + 8 * 8, 1e-9);
}

TEST(PastSums, AGpuThatWasNeverUsedIsIdleAndOneThatWasUsedALittleIsNot) {
  Kept kept;
  kept.job("1", "alice", 0, 0, 4, {{"h100", 2}});
  kept.past.jobs[0].figures = {figures("n1", 0, 0.4F, 1'000, 81'559), figures("n1", 1, 1, 70'000, 81'559)};
  kept.job("2", "bob", 0, 0, 4, {{"h100", 1}});
  kept.past.jobs[1].figures = {figures("n1", 2, 0, 1'000, 81'559)};
  kept.past.jobs[1].started = at(4 * 3600 - 840), kept.past.jobs[1].ended = at(4 * 3600);  // 14 min
  const auto waste = kept.waste();
  ASSERT_EQ(waste.size(), 1U);
  EXPECT_EQ(waste[0].kind, "idle");
  EXPECT_EQ(waste[0].user, "alice");
  EXPECT_NEAR(*waste[0].slice_hours, 4 * 8, 1e-9);
  EXPECT_NEAR(kept.sum("alice").idle, 4, 1e-9);
}

TEST(PastSums, AGpuThatASmallerProfileWouldHaveBeenIsTooBigByItsMean) {
  Kept kept;
  kept.job("1", "carol", 0, 0, 10, {{"h100", 1}});
  kept.past.jobs[0].figures = {figures("n1", 0, 20, 15'000, 81'559)};
  const auto waste = kept.waste();
  ASSERT_EQ(waste.size(), 1U);
  EXPECT_EQ(waste[0].kind, "too-big");
  // 20 % and 15,000 MiB with 20 % to spare: 1.68 of seven compute slices, 1.77 of eight memory slices.
  EXPECT_EQ(waste[0].advice, "2g.20gb would do: mean use was 20 %, memory at most 15000 MiB");
  EXPECT_NEAR(*waste[0].slice_hours, 10 * (8 - 2), 1e-9);
}

// Two jobs of four hours: one that Slurm saw in use, and one of this type that it did not.
Kept gathered(const char* type, bool other_used = true) {
  Kept kept;
  kept.job("1", "alice", 0, 0, 4, {{type, 1}});
  kept.job("2", "bob", 0, 0, 4, {{"h100", 1}});
  kept.past.jobs[0].gathered = usage::Gathered{false, true, Mib{500}};
  kept.past.jobs[1].gathered = usage::Gathered{other_used, true, Mib{700}};
  return kept;
}

TEST(PastSums, AWholeGpuThatSlurmNeverSawInUseIsIdleThoughNoMeanIsKnown) {
  const Kept kept = gathered("h100");
  const auto waste = kept.waste();
  ASSERT_EQ(waste.size(), 1U);
  EXPECT_EQ(waste[0].kind, "idle");
  EXPECT_EQ(waste[0].user, "alice");
  EXPECT_NEAR(*waste[0].slice_hours, 4 * 8, 1e-9);
  const usage::Sum sum = kept.sum("alice");
  EXPECT_NEAR(sum.idle, 4, 1e-9);
  EXPECT_EQ(sum.measured, 0);
  EXPECT_EQ(sum.mean_use, std::nullopt);
  EXPECT_EQ(sum.memory_peak, Mib{500});
  EXPECT_EQ(usage::figures_by(kept.past), std::vector<std::string>{"slurm"});
}

// What no sample exceeded is no mean, and enough to tell that less would have done.
TEST(PastSums, WhereOnlyMaximaAreKnownTooBigIsToldByThemAndSaysSo) {
  const auto waste_of = [](const char* type, std::int64_t most, Mib peak, std::int64_t gpus = 1) {
    Kept kept;
    kept.job("1", "carol", 0, 0, 10, {{type, gpus}});
    kept.past.jobs[0].gathered = usage::Gathered{most > 0, true, peak, most};
    kept.job("2", "bob", 0, 0, 4, {{"h100", 1}});
    kept.past.jobs[1].gathered = usage::Gathered{true, true, Mib{700}, 400};
    EXPECT_EQ(kept.sum("carol").measured, 0);
    EXPECT_EQ(kept.sum("carol").mean_use, std::nullopt);
    return kept.waste();
  };
  const auto waste = waste_of("a30", 20, Mib{4'000});
  ASSERT_EQ(waste.size(), 1U);
  EXPECT_EQ(waste[0].kind, "too-big");
  EXPECT_EQ(waste[0].advice, "1g.6gb would do: use was 20 % at most, memory 4000 MiB (no mean is known)");
  EXPECT_NEAR(*waste[0].slice_hours, 10 * (4 - 1), 1e-9);
  EXPECT_TRUE(waste_of("a30", 90, Mib{4'000}).empty());
  EXPECT_TRUE(waste_of("a30", 20, Mib{20'000}).empty());
  EXPECT_TRUE(waste_of("a30", 20, Mib{4'000}, 2).empty()) << "which of the two it was is not told";
  EXPECT_TRUE(waste_of("a100", 20, Mib{4'000}).empty()) << "40 GB or 80: not known";
}

// NVML has no use of processes on slices: Slurm keeps 0 there.
TEST(PastSums, UnderMigAndForUnknownTypesSlurmsZeroIsUnknown) {
  for (const char* type : {"1g.10gb", "h100_1g.10gb", "", "slice-of-some-kind"}) {
    const Kept kept = gathered(type);
    EXPECT_TRUE(kept.waste().empty()) << type;
    EXPECT_NEAR(kept.sum("alice").idle, 0, 1e-9) << type;
    EXPECT_EQ(kept.sum("alice").memory_peak, std::nullopt) << type;
  }
}

TEST(PastSums, WhatWasNotGatheredOfEachStepIsUnknown) {
  Kept kept = gathered("h100");
  kept.past.jobs[0].gathered->of_all_steps = false;
  EXPECT_TRUE(kept.waste().empty());
  EXPECT_EQ(kept.sum("alice").memory_peak, std::nullopt);
}

TEST(PastSums, ZerosOfASlurmThatNeverSawUseAreUnknown) {
  const Kept kept = gathered("h100", false);
  EXPECT_TRUE(kept.waste().empty());
  EXPECT_TRUE(usage::figures_by(kept.past).empty());
}

TEST(PastSums, ASummaryOfJobstatsGoesBeforeWhatSlurmGathered) {
  Kept kept = gathered("h100");
  kept.past.jobs[0].figures = {figures("n1", 0, 70, 60'000, 81'559)};
  EXPECT_TRUE(kept.waste().empty());
  EXPECT_NEAR(*kept.sum("alice").mean_use, 70, 1e-6);
  EXPECT_EQ(usage::figures_by(kept.past), (std::vector<std::string>{"jobstats", "slurm"}));
}

TEST(PastSums, NoAdviceIsGivenForAGpuOfWhichTheProductIsNotKnown) {
  Kept kept;
  kept.job("1", "carol", 0, 0, 10, {{"", 1}});
  kept.job("2", "carol", 0, 0, 10, {{"h100", 1}});
  kept.past.jobs[0].figures = {figures("n1", 0, 20, 15'000, 81'559)};
  kept.past.jobs[1].figures = {figures("n1", 1, 20, 15'000, 40'000)};  // no H100 has that
  EXPECT_TRUE(kept.waste().empty());
  EXPECT_NEAR(kept.sum("carol").measured, 20, 1e-9);
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

TEST(PastSums, TheDemandCountsTheProfileThatWouldHaveDoneWhereItIsAskedFor) {
  Kept kept;
  kept.job("1", "carol", 0, 0, 10, {{"h100", 1}});
  kept.job("2", "dan", 0, 0, 10, {{"h100", 1}});
  kept.past.jobs[0].figures = {figures("n1", 0, 20, 15'000, 81'559)};
  kept.past.jobs[0].listed_as = "7_1";
  usage::Ledger ledger(catalogue());
  usage::add(ledger, kept.past, catalogue());
  usage::DemandOverTime demand(
      {}, std::make_shared<const usage::RightSizes>(ledger, catalogue(), std::vector<usage::Waste>()));
  usage::add(demand, kept.past, {});
  const auto peaks = demand.peaks();
  ASSERT_EQ(peaks.size(), 2U);
  EXPECT_EQ(peaks[0].profile, "2g.20gb") << "carol's";
  EXPECT_EQ(peaks[1].profile, "whole") << "of dan's nothing is known";
  EXPECT_EQ(demand.right_sized(), 1u);
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
