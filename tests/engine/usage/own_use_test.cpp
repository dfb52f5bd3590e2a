// Several on one GPU, of which a source tells what each uses by itself: that counts for each of them, and
// what all use together for none. And of how many hours the use is told.
#include <gtest/gtest.h>

#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

// alice and bob share a GPU that is 80 % used, a round a minute.
struct Shared {
  Story story;
  usage::Ledger ledger{catalogue()};
  int minute = 0;

  Shared() {
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::shard, {shared(SliceKind::shard, 4, 0)})})}});
    std::vector<Workload> work{running("1", "alice", {holds("n1", {{0, 1}}, Family::shard)}),
                               running("2", "bob", {holds("n1", {{0, 1}}, Family::shard)})};
    for (Workload& one : work) one.started = at(-3600);
    story.tell(WorkloadsListed{std::move(work)});
    story.tell(Loaded{});
    ledger.see(story.cluster(), at(0));
  }
  void pass(int minutes, std::vector<OwnUse> own, bool measured = true) {
    for (int i = 0; i < minutes; ++i) {
      ++minute;
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{80};
      figures.own = own;
      if (measured)
        story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {figures}}, 60 * minute);
      ledger.see(story.cluster(), at(60 * minute));
    }
  }
  usage::Sum sum(const std::string& user) const {
    for (const usage::Sum& one : usage::sums(ledger, usage::By::user))
      if (one.name == user) return one;
    return {};
  }
};

OwnUse uses(const char* job, std::optional<float> use, std::int64_t memory) {
  return {WorkloadId(job), {}, use ? std::optional(Percent{*use}) : std::nullopt, Mib{memory}};
}

TEST(OwnUseOverTime, CountsForEachOfThoseThatShare) {
  Shared here;
  here.pass(60, {uses("1", 70, 30'000), uses("2", 0, 9'000)});
  EXPECT_NEAR(here.sum("alice").mean_use.value_or(-1), 70, 0.01);
  EXPECT_NEAR(here.sum("alice").measured, here.sum("alice").gpu_hours, 1e-9);
  EXPECT_EQ(here.sum("alice").memory_peak, Mib{30'000});
  EXPECT_EQ(here.sum("alice").idle, 0);
  EXPECT_NEAR(here.sum("bob").mean_use.value_or(-1), 0, 0.01) << "the GPU's 80 % are alice's";
  EXPECT_NEAR(here.sum("bob").idle, here.sum("bob").gpu_hours, 1e-9);
}

TEST(OwnUseOverTime, OfWhomNothingIsToldIsNotMeasured) {
  Shared here;
  here.pass(60, {uses("1", 70, 30'000)});
  EXPECT_NEAR(here.sum("bob").gpu_hours, 0.25, 1e-9);
  EXPECT_EQ(here.sum("bob").measured, 0);
  EXPECT_EQ(here.sum("bob").mean_use, std::nullopt);
}

// "no use of what was held was measured" stood there while the GPU's use was, as that of all who share it.
TEST(OwnUseOverTime, WhereTheUseOfAllTogetherIsKnownThatAndHowManyShareItIsSaid) {
  const auto missing = [](const Shared& here) {
    for (const usage::NotKnown& one : usage::not_known(here.ledger))
      if (one.kind == "idle") return one.missing;
    return std::string();
  };
  const std::string together =
      "GPUs were measured as shared by up to 2 jobs or pods: what each used by itself is not told";
  Shared all, none, some;
  all.pass(60, {});
  EXPECT_EQ(missing(all), together);
  none.pass(60, {}, false);
  EXPECT_EQ(missing(none), "no use of what was held was measured");
  some.story.tell(NodeSeen{node("n2", {gpu(0, Strategy::whole, {whole(0)})})});
  some.story.tell(WorkloadSeen{running("3", "carol", {holds("n2", {{0, 1}})})});
  some.pass(60, {});
  EXPECT_EQ(missing(some), together + ", and of the rest no use was measured");
}

// Where alice's own use was told, bob was left out without a word.
TEST(OwnUseOverTime, WhoIsLeftOutWhereOthersAreMeasuredIsSaid) {
  Shared here;
  here.pass(60, {uses("1", 70, 30'000)});
  std::string lines;
  for (const usage::NotKnown& one : usage::not_known(here.ledger)) {
    if (one.kind != "unasked" && one.kind != "rogue") {
      EXPECT_TRUE(one.partly) << one.kind;
    }
    if (one.partly) lines += usage::not_known_line(one, one.missing);
  }
  EXPECT_EQ(
      lines,
      "idle, parked and too-big are known of a part only in " + here.story.cluster().name.text +
          ": GPUs were measured as shared by up to 2 jobs or pods: what each used by itself is not told");
  Shared both;
  both.pass(60, {uses("1", 70, 30'000), uses("2", 10, 9'000)});
  for (const usage::NotKnown& one : usage::not_known(both.ledger)) EXPECT_FALSE(one.partly);
}

TEST(OwnUseOverTime, MemoryAloneIsAPeakAndNoUse) {
  Shared here;
  here.pass(60, {uses("1", std::nullopt, 30'000)});
  EXPECT_EQ(here.sum("alice").memory_peak, Mib{30'000});
  EXPECT_EQ(here.sum("alice").measured, 0);
}

TEST(OwnUseOverTime, WhatIsOlderThanARoundSaysNothingOfIt) {
  Shared here;
  here.pass(10, {uses("1", 70, 30'000)});
  here.pass(50, {}, false);
  EXPECT_NEAR(here.sum("alice").measured * 4, 20.0 / 60, 1e-9) << "ten minutes more at most";
}

// A round a minute, and a figure in one of four: jobs on one GPU, each after the other.
struct InTurn {
  Story story;
  usage::Ledger ledger{catalogue()};
  int minute = 0;

  InTurn() {
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
    story.tell(WorkloadsListed{});
    story.tell(Loaded{});
    ledger.see(story.cluster(), at(0));
  }
  void run(const std::string& id, int minutes, bool measured = true, int before = 0) {
    Workload job = running(id, "alice", {holds("n1", {{0, 1}})});
    job.started = at(60 * (minute - before) + 1);
    story.tell(WorkloadSeen{job}, 60 * minute + 1);
    for (int i = 0; i < minutes; ++i) {
      const int second = 60 * ++minute;
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{80};
      if (measured && i % 4 == 2)
        story.tell(Measured{NodeName("n1"), Source::dcgm, at(second), {figures}}, second);
      ledger.see(story.cluster(), at(second));
    }
    story.tell(WorkloadGone{WorkloadId(id)}, 60 * minute + 1);
  }
  double known() const { return usage::use_told(ledger, nullptr).at(story.cluster().name).percent; }
};

// waste --more-than ended with 3 for good, and advised to measure more.
TEST(UseTold, OfJobsOfAFewMinutesTheTimeBeforeTheirFirstFigureIsNotMissing) {
  InTurn here;
  for (int job = 1; job <= 10; ++job) here.run(std::to_string(job), 4);
  EXPECT_NEAR(usage::coverage(usage::sums(here.ledger, usage::By::user)).value_or(-1), 50, 0.01)
      << "of 40 minutes that were held 20 are measured, and that is told as it is";
  EXPECT_NEAR(here.known(), 100, 0.01) << "none of them could have been idle for fifteen minutes";
}

TEST(UseTold, OfABriefJobThatIsNeverMeasuredAndOfALongOneAllOfTheTimeCounts) {
  InTurn here;
  for (int job = 1; job <= 10; ++job) here.run(std::to_string(job), 4);
  here.run("11", 8, false);
  EXPECT_NEAR(here.known(), 100 * 20.0 / 28, 0.01) << "its figures may be missing for a reason";
  InTurn looked_at_late;
  looked_at_late.run("1", 12, true, 600);
  EXPECT_NEAR(looked_at_late.known(), 100 * 10.0 / 12, 0.01)
      << "it began ten hours before: its first is missing";
  InTurn long_one;
  long_one.run("1", 20);
  EXPECT_NEAR(long_one.known(), 90, 0.01) << "two of twenty minutes may be part of a stretch without use";
}

}  // namespace
}  // namespace tessera::test
