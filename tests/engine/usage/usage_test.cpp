// Sums over time against figures that were worked out by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace usage_test {

constexpr Duration kHour{3'600'000};

// Node n1: GPU 0 whole, held by alice; GPU 1 cut into 3g.40gb (bob's) and 3g.40gb (unheld). A round a
// minute.
struct Watched {
  Story story;
  mig::Catalogue catalogue = *mig::Catalogue::built_in();
  usage::Ledger ledger;
  int minute = 0;

  explicit Watched(const usage::Limits& limits = {.unasked_after = kHour}) : ledger(catalogue, limits) {
    story.tell(NodesListed{
        {node("n1", {gpu(0, Strategy::whole, {whole(0)}),
                     gpu(1, Strategy::mig, {instance("3g.40gb", 0, 4, 1), instance("3g.40gb", 4, 4, 2)})})}});
    story.tell(WorkloadsListed{
        {running("1", "alice", {holds("n1", {{0, 1}})}), running("2", "bob", {holds("n1", {{1, 1}})})}});
    story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
    story.tell(Loaded{});
    ledger.see(story.cluster(), at(0));
  }
  // alice's use and memory, and bob's use, for so many minutes.
  void pass(int minutes, std::optional<float> alice, std::int64_t memory, std::optional<float> bob) {
    for (int i = 0; i < minutes; ++i) {
      ++minute;
      tessera::GpuFigures whole_gpu, cut;
      whole_gpu.gpu = GpuIndex{0};
      if (alice) whole_gpu.figures.use = Percent{*alice};
      whole_gpu.figures.memory_used = Mib{memory};
      cut.gpu = GpuIndex{1};
      SliceFigures slice;
      slice.profile = ProfileName("3g.40gb");
      slice.device = 1;
      if (bob) slice.use = Percent{*bob};
      slice.memory_used = Mib{4'000};
      cut.slices = {slice};
      story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {whole_gpu, cut}}, 60 * minute);
      ledger.see(story.cluster(), at(60 * minute));
    }
  }
  usage::Sum sum(const std::string& user) const {
    for (const usage::Sum& one : usage::sums(ledger, usage::By::user))
      if (one.name == user) return one;
    return {};
  }
  double wasted(const std::string& kind, const std::string& user) const {
    double hours = 0;
    for (const usage::Waste& one : usage::waste(ledger, catalogue))
      if (one.kind == kind && one.user == user) hours += one.slice_hours.value_or(0);
    return hours;
  }
};

TEST(Usage, ASuspendedJobHoldsWhatItHeld) {
  Watched here;
  Workload job = running("1", "alice", {holds("n1", {{0, 1}})});
  job.state = WorkloadState::suspended;
  here.story.tell(WorkloadSeen{job});
  here.pass(60, 0, 60'000, 50);
  EXPECT_NEAR(here.sum("alice").gpu_hours, 1, 1e-9);
  EXPECT_NEAR(here.wasted("parked", "alice"), 8, 1e-9);
}

TEST(Usage, HoursAreThoseThatWereHeld) {
  Watched here;
  here.pass(60, 80, 60'000, 50);
  here.pass(60, 40, 70'000, 50);
  EXPECT_NEAR(here.sum("alice").gpu_hours, 2, 1e-9);
  EXPECT_NEAR(here.sum("alice").slice_hours, 16, 1e-9) << "eight memory slices for two hours";
  EXPECT_NEAR(here.sum("alice").mean_use.value_or(-1), 60, 0.01);
  EXPECT_EQ(here.sum("alice").p95_use, 85) << "in steps of five: it stayed below 85 %";
  EXPECT_EQ(here.sum("alice").memory_peak, Mib{70'000});
  EXPECT_NEAR(here.sum("bob").gpu_hours, 2 * 3.0 / 7, 1e-9) << "three of seven compute slices";
  EXPECT_NEAR(here.sum("bob").slice_hours, 8, 1e-9) << "four of eight memory slices";
}

TEST(Usage, WhatIsNotMeasuredIsNotIdleAndLowersTheCoverage) {
  Watched here;
  here.pass(60, std::nullopt, 60'000, 50);
  here.pass(60, 40, 60'000, 50);
  EXPECT_NEAR(here.sum("alice").measured, 1, 1e-9);
  EXPECT_NEAR(here.sum("alice").idle, 0, 1e-9);
  const auto sums = usage::sums(here.ledger, usage::By::user);
  EXPECT_NEAR(usage::coverage(sums).value_or(0), 100 * (1 + 6.0 / 7) / (2 + 6.0 / 7), 0.01);
}

TEST(Usage, AGapIsNotCountedAsHeld) {
  Watched here;
  here.pass(10, 80, 60'000, 50);
  here.minute += 600;  // the recorder was off for ten hours
  here.pass(1, 80, 60'000, 50);
  EXPECT_NEAR(here.sum("alice").gpu_hours, 10.0 / 60 + 10.0 / 60, 1e-9) << "ten minutes of it at most";
}

TEST(Waste, AnIdleStretchCountsWholeOnceItIsLongEnough) {
  Watched here;
  here.pass(14, 0, 1'000, 50);
  EXPECT_EQ(here.wasted("idle", "alice"), 0) << "fourteen minutes are not fifteen";
  here.pass(1, 0, 1'000, 50);
  EXPECT_NEAR(here.wasted("idle", "alice"), 8 * 15.0 / 60, 1e-9);
  here.pass(5, 30, 1'000, 50);
  here.pass(5, 0, 1'000, 50);
  EXPECT_NEAR(here.wasted("idle", "alice"), 8 * 15.0 / 60, 1e-9)
      << "each stretch is counted from its own start";
}

// Exporters of 4,800 nodes, four a second: rounds are a minute apart, and alice's GPU and the slice that no
// job holds are measured in one of twenty.
void pass_slowly(Watched& here, int minutes, float use) {
  for (int i = 0; i < minutes; ++i) {
    const int second = 60 * ++here.minute;
    if (here.minute % 20 == 1) {
      std::vector<tessera::GpuFigures> figures(2);
      figures[0].gpu = GpuIndex{0}, figures[0].figures.use = Percent{use};
      figures[1].gpu = GpuIndex{1};
      SliceFigures slice;
      slice.profile = ProfileName("3g.40gb"), slice.device = 2, slice.use = Percent{use};
      figures[1].slices = {slice};
      here.story.tell(Measured{NodeName("n1"), Source::dcgm, at(second), figures}, second);
    }
    here.ledger.see(here.story.cluster(), at(second));
  }
}
void be_asked_every_twenty_minutes(Watched& here) {
  here.story.tell(PaceReport{0, Duration{0}, std::chrono::minutes(20)});
}

// No stretch without use reached fifteen minutes, and waste found nothing.
TEST(Waste, WhatIsIdleIsFoundWhereARoundOverAllNodesTakesTwentyMinutes) {
  Watched here;
  pass_slowly(here, 60, 0);
  EXPECT_EQ(here.wasted("idle", "alice"), 0) << "nothing tells how far apart figures are";
  Watched slow;
  be_asked_every_twenty_minutes(slow);
  pass_slowly(slow, 60, 0);
  EXPECT_NEAR(slow.sum("alice").measured, 1, 1e-9);
  EXPECT_NEAR(slow.wasted("idle", "alice"), 8, 1e-9);
}

TEST(Waste, OneFigureAloneIsNoStretchWithoutUseHoweverLongItSpeaks) {
  Watched here;
  be_asked_every_twenty_minutes(here);
  pass_slowly(here, 20, 0);
  pass_slowly(here, 20, 80);
  EXPECT_NEAR(here.sum("alice").measured, 40.0 / 60, 1e-9);
  EXPECT_EQ(here.wasted("idle", "alice"), 0) << "twenty minutes rest on one look";
  Watched silent;
  be_asked_every_twenty_minutes(silent);
  pass_slowly(silent, 1, 0);
  for (int i = 0; i < 39; ++i) silent.ledger.see(silent.story.cluster(), at(60 * ++silent.minute));
  EXPECT_NEAR(silent.sum("alice").measured, 31.0 / 60, 1e-9) << "to the end of what it speaks for";
  EXPECT_EQ(silent.wasted("idle", "alice"), 0);
}

TEST(Waste, AFigureOfTheJobBeforeSaysNothingOfTheOneThatFollows) {
  Watched here;
  be_asked_every_twenty_minutes(here);
  pass_slowly(here, 15, 0);
  here.story.tell(WorkloadGone{WorkloadId("1")}, 60 * here.minute + 1);
  Workload next = running("4", "dan", {holds("n1", {{0, 1}})});
  next.started = at(60 * here.minute + 1);
  here.story.tell(WorkloadSeen{next}, 60 * here.minute + 1);
  pass_slowly(here, 10, 80);
  EXPECT_NEAR(here.sum("dan").gpu_hours, 10.0 / 60, 1e-9);
  EXPECT_NEAR(here.sum("dan").measured, 5.0 / 60, 1e-9) << "since it was measured for the first time";
}

// For ten minutes it was taken for that of the job that had just begun.
TEST(Waste, AFigureThatIsMinutesOldSaysNothingOfAJobThatHasJustBegun) {
  Watched here;
  here.pass(5, 0, 60'000, 50);
  here.story.tell(WorkloadGone{WorkloadId("1")}, 60 * here.minute + 1);
  Workload next = running("4", "dan", {holds("n1", {{0, 1}})});
  next.started = at(60 * here.minute + 1);
  here.story.tell(WorkloadSeen{next}, 60 * here.minute + 1);
  for (int i = 0; i < 5; ++i) here.ledger.see(here.story.cluster(), at(60 * ++here.minute));
  EXPECT_NEAR(here.sum("dan").gpu_hours, 5.0 / 60, 1e-9);
  EXPECT_EQ(here.sum("dan").measured, 0);
  EXPECT_EQ(here.sum("dan").memory_peak, std::nullopt) << "those 60,000 MiB were alice's";
  here.pass(5, 80, 1'000, 50);
  EXPECT_NEAR(here.sum("dan").measured, 5.0 / 60, 1e-9);
  EXPECT_EQ(here.sum("dan").memory_peak, Mib{1'000});
}

// The scheduler tells whole seconds by its own clock, and an exporter what it gathered half a minute ago.
TEST(Waste, AFigureOfTheMomentInWhichAJobBeganMayBeThatOfTheJobBefore) {
  Watched here;
  Workload next = running("1", "alice", {holds("n1", {{0, 1}})});
  next.started = at(60);
  here.story.tell(WorkloadSeen{next}, 1);
  here.pass(1, 0, 60'000, 50);
  EXPECT_EQ(here.sum("alice").memory_peak, std::nullopt);
  here.pass(1, 80, 1'000, 50);
  EXPECT_EQ(here.sum("alice").memory_peak, Mib{1'000});
}

// Where it is not told when it began, ten minutes are as long as before.
TEST(Waste, OfAJobWhoseStartIsNotToldAFigureSpeaksForTenMinutes) {
  Watched here;
  Workload untold = running("1", "alice", {holds("n1", {{0, 1}})});
  untold.started.reset();
  here.story.tell(WorkloadSeen{untold}, 1);
  here.pass(1, 80, 1'000, 50);
  for (int i = 0; i < 20; ++i) here.ledger.see(here.story.cluster(), at(60 * ++here.minute));
  EXPECT_NEAR(here.sum("alice").measured, 11.0 / 60, 1e-9);
}

TEST(Waste, MemoryThatIsKeptWithoutUseIsParked) {
  Watched here;
  here.pass(30, 0, 60'000, 50);
  EXPECT_NEAR(here.wasted("parked", "alice"), 4, 1e-9);
  EXPECT_EQ(here.wasted("idle", "alice"), 0) << "counted once";
}

TEST(Waste, AnIdleStretchDoesNotGoOnOverAGapOfTheRecording) {
  Watched here;
  here.pass(10, 0, 1'000, 50);
  here.minute += 600;  // the recorder was off for ten hours
  here.pass(10, 0, 1'000, 50);
  EXPECT_EQ(here.wasted("idle", "alice"), 0) << "ten minutes before the gap, nine behind it";
  here.pass(6, 0, 1'000, 50);
  EXPECT_NEAR(here.wasted("idle", "alice"), 8 * 15.0 / 60, 1e-9) << "those behind the gap alone";
}

TEST(Waste, AStretchThatWasLongEnoughBeginsAgainBehindAGap) {
  Watched here;
  here.pass(20, 0, 1'000, 50);
  here.minute += 600;
  here.pass(10, 0, 1'000, 50);
  EXPECT_NEAR(here.wasted("idle", "alice"), 8 * 20.0 / 60, 1e-9) << "nothing of the ten minutes at most";
}

TEST(Waste, WhatIsParkedDoesNotGoOnOverAGapOfTheRecording) {
  Watched here;
  here.pass(10, 0, 60'000, 50);
  here.minute += 600;
  here.pass(10, 0, 60'000, 50);
  EXPECT_EQ(here.wasted("parked", "alice"), 0);
  here.pass(6, 0, 60'000, 50);
  EXPECT_NEAR(here.wasted("parked", "alice"), 8 * 15.0 / 60, 1e-9);
}

TEST(Waste, AnIdleStretchEndsWhereUseIsNotKnown) {
  Watched here;
  here.pass(10, 0, 1'000, 50);
  here.pass(2, std::nullopt, 1'000, 50);
  here.pass(10, 0, 1'000, 50);
  EXPECT_EQ(here.wasted("idle", "alice"), 0);
}

TEST(Usage, AGapCountsInNoPercentileOfUse) {
  Watched here;
  here.pass(60, 20, 60'000, 50);
  here.minute += 600;
  here.pass(1, 95, 60'000, 50);  // ten minutes of it would be a seventh of the time
  EXPECT_EQ(here.sum("alice").p95_use, 25);
  EXPECT_NEAR(here.sum("alice").measured, 1, 1e-9);
}

TEST(Waste, ASliceThatASmallerOneWouldServeIsTooBig) {
  Watched here;
  here.pass(120, 80, 70'000, 10);
  const auto all = usage::waste(here.ledger, here.catalogue);
  const auto found =
      std::find_if(all.begin(), all.end(), [](const usage::Waste& one) { return one.kind == "too-big"; });
  ASSERT_NE(found, all.end());
  EXPECT_EQ(found->user, "bob");
  EXPECT_EQ(found->advice, "1g.10gb would do: use stayed below 15 %, memory below 4000 MiB");
  EXPECT_NEAR(found->slice_hours.value_or(0), 2 * 3, 1e-9) << "three of four memory slices for two hours";
  EXPECT_EQ(here.wasted("too-big", "alice"), 0);
}

TEST(Waste, SlicesThatNoJobAskedForAreNamed) {
  Watched here;
  here.pass(60, 80, 60'000, 50);
  EXPECT_NEAR(here.wasted("unasked", ""), 4, 1e-9);
  here.story.tell(WorkloadSeen{waiting("3", "carol", "gpu:3g.40gb")}, 4000);
  here.pass(1, 80, 60'000, 50);
  EXPECT_EQ(here.wasted("unasked", ""), 0);
}

// What is n/a of a cluster's waste.
std::string missing(const Watched& here) {
  std::string all;
  for (const usage::NotKnown& one : usage::not_known(here.ledger))
    all += one.cluster.text + ": " + one.kind + ": " + one.missing + "\n";
  return all;
}

TEST(Waste, WhatIsFreeForLessThanTheThresholdIsNotUnasked) {
  Watched here;
  here.story.tell(WorkloadSeen{running("4", "dan", {holds("n1", {{2, 1}})})}, 1);
  here.pass(30, 80, 60'000, 50);  // 3g.40gb is held by dan, too
  here.story.tell(WorkloadGone{WorkloadId("4")}, 1800);
  here.pass(50, 80, 60'000, 50);
  EXPECT_EQ(here.wasted("unasked", ""), 0) << "free for less than an hour";
  here.pass(20, 80, 60'000, 50);
  EXPECT_NEAR(here.wasted("unasked", ""), 4 * 69.0 / 60, 1e-9)
      << "since the round in which it was free again";
  EXPECT_EQ(missing(here).find("unasked"), std::string::npos);
}

TEST(Waste, WhatWasAskedForADayAgoIsUnaskedOnceThatIsLongAgo) {
  Watched here;
  here.story.tell(WorkloadSeen{waiting("3", "carol", "gpu:3g.40gb")}, 1);
  here.pass(60, 80, 60'000, 50);
  here.story.tell(WorkloadGone{WorkloadId("3")}, 3600);
  here.pass(30, 80, 60'000, 50);
  EXPECT_EQ(here.wasted("unasked", ""), 0);
  here.pass(60, 80, 60'000, 50);
  EXPECT_NEAR(here.wasted("unasked", ""), 4 * 89.0 / 60, 1e-9);
}

TEST(Waste, ARoundInWhichWorkIsNotToldNeitherEndsNorLengthensWhatIsUnasked) {
  Watched here;
  here.pass(60, 80, 60'000, 50);
  here.story.tell(SourceReport{Source::slurm_jobs, Error{"squeue", "no answer", ""}, {}, "", false}, 3601);
  here.pass(10, 80, 60'000, 50);
  here.story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false}, 4201);
  here.pass(2, 80, 60'000, 50);
  EXPECT_NEAR(here.wasted("unasked", ""), 4 * 61.0 / 60, 1e-9)
      << "the first minute of these two may have been used";
}

TEST(Waste, ARecordingThatIsShorterThanTheThresholdTellsNothingOfWhatIsUnasked) {
  Watched here(usage::Limits{});
  here.pass(60, 80, 60'000, 50);
  EXPECT_NE(missing(here).find("hpc: unasked: 1.0 h of 7.0 days are recorded and looked at\n"),
            std::string::npos);
  for (const usage::Waste& one : usage::waste(here.ledger, here.catalogue)) EXPECT_NE(one.kind, "unasked");
  here.minute += 10'000;  // the recorder was off for days
  here.pass(1, 80, 60'000, 50);
  EXPECT_NE(missing(here).find("unasked"), std::string::npos) << "what is in a gap is not recorded";
}

TEST(Waste, OfWhatWasFreeInBothRoundsOnlySoMuchCountsAsWasFreeInEither) {
  Watched here;
  here.pass(61, 80, 60'000, 50);
  const double before = here.wasted("unasked", "");
  here.story.tell(WorkloadGone{WorkloadId("2")}, 60 * here.minute + 1);  // the first half is free from now on
  here.pass(1, 80, 60'000, 0);
  EXPECT_NEAR(here.wasted("unasked", ""), before + 4.0 / 60, 1e-9) << "the other half may have been held";
  here.pass(1, 80, 60'000, 0);
  EXPECT_NEAR(here.wasted("unasked", ""), before + 12.0 / 60, 1e-9);
}

// n1's second half of GPU 1, which no job holds, used so much for so many minutes.
void use_what_is_free(Watched& here, int minutes, float use, std::int64_t memory) {
  for (int i = 0; i < minutes; ++i) {
    ++here.minute;
    tessera::GpuFigures cut;
    cut.gpu = GpuIndex{1};
    SliceFigures slice;
    slice.profile = ProfileName("3g.40gb");
    slice.device = 2;
    slice.use = Percent{use};
    slice.memory_used = Mib{memory};
    cut.slices = {slice};
    cut.figures.memory_used = Mib{memory};
    here.story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * here.minute), {cut}}, 60 * here.minute);
    here.ledger.see(here.story.cluster(), at(60 * here.minute));
  }
}

TEST(Waste, AProcessOnASliceThatNoJobHoldsIsRogue) {
  Watched here;
  use_what_is_free(here, 15, 40, 2'000);
  EXPECT_EQ(here.wasted("rogue", ""), 0) << "it began in the first of these rounds: fourteen minutes";
  use_what_is_free(here, 15, 60, 30'000);
  EXPECT_NEAR(here.wasted("rogue", ""), 4 * 29.0 / 60, 1e-9);
  for (const usage::Waste& one : usage::waste(here.ledger, here.catalogue))
    if (one.kind == "rogue") {
      EXPECT_EQ(one.node, "n1");
      EXPECT_EQ(one.profile, "3g.40gb");
      EXPECT_EQ(one.advice,
                "used by no job or pod that is known, up to 60 % and 30000 MiB: nvidia-smi there lists its "
                "processes (GPU 1)");
    }
  EXPECT_EQ(missing(here).find("rogue"), std::string::npos);
}

TEST(Waste, MemoryThatIsKeptOnASliceThatNoJobHoldsIsRogueAndADriversShareIsNot) {
  Watched here;
  use_what_is_free(here, 30, 0, 700);
  EXPECT_EQ(here.wasted("rogue", ""), 0);
  use_what_is_free(here, 30, 0, 9'000);
  EXPECT_GT(here.wasted("rogue", ""), 0);
}

TEST(Waste, WhatIsLeftOfAJobThatEndedIsNoRogue) {
  Watched here;
  use_what_is_free(here, 10, 40, 2'000);
  here.story.tell(WorkloadSeen{running("4", "dan", {holds("n1", {{2, 1}})})}, 60 * here.minute + 1);
  use_what_is_free(here, 10, 40, 2'000);
  here.story.tell(WorkloadGone{WorkloadId("4")}, 60 * here.minute + 1);
  use_what_is_free(here, 10, 40, 2'000);
  EXPECT_EQ(here.wasted("rogue", ""), 0);
}

TEST(Waste, WhereWorkIsNotToldNothingIsRogue) {
  Watched here;
  here.story.tell(SourceReport{Source::slurm_jobs, {}, {}, "3 jobs are hidden", true}, 1);
  use_what_is_free(here, 60, 40, 30'000);
  EXPECT_EQ(here.wasted("rogue", ""), 0);
}

TEST(Waste, WhereNoSourceMeasuresWhatIsFreeRogueIsNotKnown) {
  Watched here;
  here.pass(60, 80, 60'000, 50);
  EXPECT_EQ(missing(here), "hpc: rogue: no source measures GPUs that are free\n");
}

// A figure that is older may be that of the job that held it before.
TEST(Waste, WhereFiguresAreTwentyMinutesApartRogueIsNotKnown) {
  Watched here;
  be_asked_every_twenty_minutes(here);
  pass_slowly(here, 60, 80);
  EXPECT_EQ(here.wasted("rogue", ""), 0);
  EXPECT_EQ(missing(here), "hpc: rogue: GPUs that are free are measured more than ten minutes apart\n");
}

// Rows stood there beside "rogue is n/a": many figures in a row may be there all the same, of a node on
// screen.
TEST(Waste, WhereRogueIsNotKnownNoRowOfItIsListed) {
  Watched here;
  be_asked_every_twenty_minutes(here);
  use_what_is_free(here, 60, 80, 30'000);
  EXPECT_EQ(here.wasted("rogue", ""), 0);
  EXPECT_NE(missing(here).find("rogue: GPUs that are free are measured"), std::string::npos);
}

// It makes no row of rogue, and was counted as free and unasked instead.
TEST(Waste, WhatIsInUseIsNotUnaskedWhereFiguresAreTwentyMinutesApart) {
  Watched here;
  be_asked_every_twenty_minutes(here);
  use_what_is_free(here, 60, 80, 30'000);
  EXPECT_EQ(here.wasted("unasked", ""), 0);
  Watched rare;
  be_asked_every_twenty_minutes(rare);
  for (int i = 0; i < 4; ++i) {
    use_what_is_free(rare, 1, 80, 30'000);
    for (int k = 0; k < 19; ++k) rare.ledger.see(rare.story.cluster(), at(60 * ++rare.minute));
  }
  EXPECT_EQ(rare.wasted("unasked", ""), 0) << "a figure speaks until the next one";
  Watched unused;
  be_asked_every_twenty_minutes(unused);
  use_what_is_free(unused, 60, 0, 0);
  EXPECT_NEAR(unused.wasted("unasked", ""), 4, 1e-9);
}

// Hours after which one kind of slice that nobody held in a cluster is unasked, while that waits.
std::optional<double> unasked(Scheduler scheduler, const Slice& slice, Strategy strategy,
                              const std::string& waits_for,
                              std::optional<std::map<std::string, std::int64_t>> allocatable = {}) {
  Story story;
  story.tell(ClusterSeen{scheduler, false, "1", "", ""});
  Node one = node("n1", {gpu(0, strategy, {slice})});
  one.allocatable = std::move(allocatable);
  story.tell(NodesListed{{one}});
  story.tell(WorkloadsListed{{waiting("3", "carol", waits_for)}});
  const bool slurm = scheduler == Scheduler::slurm;
  story.tell(SourceReport{slurm ? Source::slurm_nodes : Source::kubernetes_nodes, {}, {}, "", false});
  story.tell(SourceReport{slurm ? Source::slurm_jobs : Source::kubernetes_pods, {}, {}, "", false});
  story.tell(Loaded{});
  const mig::Catalogue catalogue = *mig::Catalogue::built_in();
  usage::Ledger ledger{catalogue, {.unasked_after = kHour}};
  for (int minute = 0; minute <= 60; ++minute) ledger.see(story.cluster(), at(60 * minute));
  for (const usage::Waste& one_kind : usage::waste(ledger, catalogue))
    if (one_kind.kind == "unasked") return one_kind.slice_hours;
  return std::nullopt;
}

TEST(Waste, SharesThatAreAskedForByTheNameOfAGpuAreNotUnasked) {
  const Slice share = shared(SliceKind::time_slice, 4, 0), clients = shared(SliceKind::mps, 4, 0);
  const auto of = [](const Slice& slice, Strategy strategy, const std::string& waits_for) {
    return unasked(Scheduler::kubernetes, slice, strategy, waits_for);
  };
  EXPECT_EQ(of(share, Strategy::time_slicing, "nvidia.com/gpu.shared"), std::nullopt);
  EXPECT_EQ(of(share, Strategy::time_slicing, "nvidia.com/gpu"), std::nullopt);
  EXPECT_EQ(of(clients, Strategy::mps, "nvidia.com/gpu"), std::nullopt);
  EXPECT_TRUE(of(share, Strategy::time_slicing, "nvidia.com/mig-1g.10gb")) << "asks for something else";
}

TEST(Waste, InstancesThatAnyGpuRequestGetsAreNotUnasked) {
  const Slice cut = instance("1g.10gb", 0, 1, 0);
  EXPECT_EQ(unasked(Scheduler::slurm, cut, Strategy::mig, "gpu"), std::nullopt) << "Slurm takes any";
  EXPECT_TRUE(unasked(Scheduler::slurm, cut, Strategy::mig, "gpu:h100"));
  EXPECT_TRUE(unasked(Scheduler::slurm, cut, Strategy::mig, "gpu:3g.40gb"));
  EXPECT_EQ(unasked(Scheduler::kubernetes, cut, Strategy::mig, "nvidia.com/gpu", {{{"nvidia.com/gpu", 1}}}),
            std::nullopt)
      << "strategy single";
  EXPECT_TRUE(unasked(Scheduler::kubernetes, cut, Strategy::mig, "nvidia.com/gpu",
                      {{{"nvidia.com/gpu", 1}, {"nvidia.com/mig-1g.10gb", 1}}}));
}

TEST(Waste, SlicesOfASecondClusterAreUnaskedToo) {
  Watched here;
  here.pass(60, 80, 60'000, 50);
  Cluster second = here.story.cluster();
  second.name = ClusterName("hpc2");
  for (int minute = 0; minute <= 60; ++minute) here.ledger.see(second, at(60 * minute));
  EXPECT_NEAR(here.wasted("unasked", ""), 8, 1e-9) << "four slice-hours in each";
}

TEST(Waste, WhatIsStrandedNamesTheNodesOnWhichMostOfItIs) {
  const mig::Catalogue catalogue = *mig::Catalogue::built_in();
  const auto told = [&](int nodes) {
    Gpu cut = gpu(0, Strategy::mig, {});
    for (int i = 0; i < 7; ++i) cut.slices.push_back(instance("1g.10gb", i, 1, i));
    NodesListed list;
    for (int n = 1; n <= nodes; ++n)
      list.nodes.push_back(
          node("n" + std::to_string(n), n == 3 ? std::vector<Gpu>{cut, cut} : std::vector<Gpu>{cut}));
    Story story;
    story.tell(std::move(list));
    story.tell(Loaded{});
    usage::Ledger ledger(catalogue);
    for (int minute = 0; minute <= 60; ++minute) ledger.see(story.cluster(), at(60 * minute));
    for (const usage::Waste& one : usage::waste(ledger, catalogue))
      if (one.kind == "stranded") return one.node + "|" + one.advice;
    return std::string();
  };
  EXPECT_TRUE(told(1).starts_with("n1|no further instance fits there")) << told(1);
  EXPECT_TRUE(told(5).starts_with("|most on n3 (2.0), n1 (1.0), n2 (1.0): no further")) << told(5);
}

TEST(Waste, WhatIsStrandedIsToldOfEachCluster) {
  const mig::Catalogue catalogue = *mig::Catalogue::built_in();
  usage::Ledger ledger(catalogue);
  Gpu cut = gpu(0, Strategy::mig, {});
  for (int i = 0; i < 7; ++i) cut.slices.push_back(instance("1g.10gb", i, 1, i));  // one memory slice is left
  Story story;
  story.tell(NodesListed{{node("n1", {cut})}});
  story.tell(WorkloadsListed{});
  story.tell(Loaded{});
  Cluster second = story.cluster();
  second.name = ClusterName("hpc2");
  for (int minute = 0; minute <= 60; ++minute) {
    ledger.see(story.cluster(), at(60 * minute));
    ledger.see(second, at(60 * minute));
  }
  std::map<std::string, double> stranded;
  for (const usage::Waste& one : usage::waste(ledger, catalogue))
    if (one.kind == "stranded") stranded[one.cluster.text] += one.slice_hours.value_or(0);
  ASSERT_EQ(stranded.size(), 2U);
  EXPECT_NEAR(stranded[story.cluster().name.text], 1, 1e-9);
  EXPECT_NEAR(stranded["hpc2"], 1, 1e-9);
}

// A node that was drained for its fans counted as stranded what no layout could have given to anyone.
TEST(Waste, NothingIsStrandedOnANodeThatTakesNoWork) {
  const mig::Catalogue catalogue = *mig::Catalogue::built_in();
  Gpu cut = gpu(0, Strategy::mig, {});
  for (int i = 0; i < 7; ++i) cut.slices.push_back(instance("1g.10gb", i, 1, i));
  Node one = node("n1", {cut});
  Story story;
  story.tell(NodesListed{{one}});
  story.tell(Loaded{});
  usage::Ledger ledger(catalogue);
  for (int minute = 0; minute <= 60; ++minute) {
    if (minute == 30) one.health = Health::drained, story.tell(NodeSeen{one});
    ledger.see(story.cluster(), at(60 * minute));
  }
  const auto stranded = ledger.stranded();
  EXPECT_NEAR(stranded.at(ClusterName("hpc")).at(NodeName("n1")), 0.5, 0.02) << "until it was drained";
}

TEST(Waste, EachOwnerGetsOneText) {
  Watched here;
  here.pass(60, 0, 60'000, 0);
  const auto letters = usage::letters(usage::waste(here.ledger, here.catalogue), at(0), at(3600));
  ASSERT_EQ(letters.size(), 2U);
  EXPECT_EQ(letters[0].user, "alice");
  EXPECT_NE(letters[0].text.find("1 whole on n1 of hpc: 8.0 slice-hours parked"), std::string::npos)
      << letters[0].text;
  EXPECT_TRUE(letters[0].text.ends_with("  (2027-01-15T08:00:00Z/2027-01-15T09:00:00Z)\n"))
      << letters[0].text;
}

}  // namespace usage_test
}  // namespace tessera::test
