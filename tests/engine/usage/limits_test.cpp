// What a site sets about waste: from when on something counts, and what does not count at all.
#include "engine/usage/limits.hpp"

#include <gtest/gtest.h>

#include "engine/usage/exceptions.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/limits_of_held.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::usage {
namespace {

using namespace test;

// Two hours, a round a minute, in which alice holds a whole GPU of n1 at that use and memory.
std::vector<Waste> two_hours(const Limits& limits, float use, std::int64_t memory) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
  Ledger ledger(catalogue(), limits);
  for (int minute = 0; minute <= 120; ++minute) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{use};
    figures.figures.memory_used = Mib{memory};
    story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {figures}}, 60 * minute);
    ledger.see(story.cluster(), at(60 * minute));
  }
  return waste(ledger, catalogue());
}

std::string kinds(const std::vector<Waste>& all) {
  std::string text;
  for (const Waste& one : all) text += (text.empty() ? "" : " ") + one.kind;
  return text;
}

TEST(WasteLimits, BelowWhichUseASliceIsIdleIsTheSites) {
  EXPECT_EQ(kinds(two_hours({}, 3, 0)), "too-big") << "three percent is some use";
  EXPECT_EQ(kinds(two_hours({.idle_below = 5}, 3, 0)), "idle");
  EXPECT_EQ(kinds(two_hours({.idle_after = std::chrono::hours(3), .idle_below = 5}, 3, 0)), "too-big")
      << "and for how long";
}

TEST(WasteLimits, FromHowMuchMemoryAnIdleSliceIsParkedIsTheSites) {
  EXPECT_EQ(kinds(two_hours({}, 0, 60'000)), "parked");
  EXPECT_EQ(kinds(two_hours({.parked_from = 90}, 0, 60'000)), "idle");
}

TEST(WasteLimits, WhatASmallerProfileMustHaveToSpareIsTheSites) {
  // 45 % stays below 50 %: of seven compute slices 3.5, and 4.2 with a fifth to spare. A profile of four
  // slices has that without any.
  EXPECT_EQ(kinds(two_hours({}, 45, 30'000)), "");
  EXPECT_EQ(kinds(two_hours({.spare = 10}, 45, 30'000)), "too-big");
}

TEST(WasteLimits, ThePercentileIsTheSites) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
  const auto told = [&](const Limits& limits) {
    Ledger ledger(catalogue(), limits);
    for (int minute = 0; minute <= 100; ++minute) {
      GpuFigures figures;
      figures.gpu = GpuIndex{0};
      figures.figures.use = Percent{minute > 90 ? 95.0F : 10.0F};  // a tenth of the time it works hard
      figures.figures.memory_used = Mib{1'000};
      story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {figures}}, 60 * minute);
      ledger.see(story.cluster(), at(60 * minute));
    }
    return kinds(waste(ledger, catalogue()));
  };
  EXPECT_EQ(told({}), "");
  EXPECT_EQ(told({.percentile = 90}), "too-big");
}

TEST(WasteLimits, AreToldInOneLine) {
  EXPECT_EQ(
      limits_text({}, true),
      "counted as idle below 1 % for 15 min, as parked from 30 % of memory, as too big with 20 % to spare "
      "above percentile 95 of use, as unasked after 7 d 00 h, as rogue after 15 min from 10 % of "
      "memory");
  EXPECT_EQ(limits_text({.idle_below = 2.5, .spare = 0}, false),
            "counted as idle below 2.5 % for 15 min, as too big with 0 % to spare");
  EXPECT_EQ(limits_of_held({.percentile = 92}),
            "counted as idle below 1 % for 15 min, as parked from 30 % of memory, as too big with 20 % to "
            "spare above percentile 92 of use")
      << "of what is free and waits such a source tells nothing";
}

Waste row(std::string kind, std::string user, std::string group, double hours) {
  Waste one;
  one.cluster = ClusterName("hpc"), one.kind = std::move(kind), one.user = std::move(user);
  one.group = std::move(group), one.slice_hours = hours;
  return one;
}

TEST(WasteExceptions, TakeOutWhatPassesTheFilterAndKeepTheOrder) {
  std::vector<Waste> all{row("idle", "alice", "batch", 9), row("idle", "ci", "batch", 8),
                         row("parked", "bob", "interactive", 7), row("stranded", "", "", 6)};
  const auto except = exceptions_of("user=ci | partition=interactive kind=parked");
  ASSERT_TRUE(except) << except.error().reason;
  const std::vector<Waste> left_out = leave_out(all, **except);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].user, "alice");
  EXPECT_EQ(all[1].kind, "stranded");
  ASSERT_EQ(left_out.size(), 2u);
  EXPECT_EQ(left_out[0].user, "ci");
  EXPECT_EQ(left_out[1].user, "bob");
}

TEST(WasteExceptions, AFilterThatLeavesOutNothingOrEverythingByMistakeIsRefused) {
  for (const char* text : {"", "   ", "user=ci or user=bob", "users=ci", "user=ci |"})
    EXPECT_FALSE(exceptions_of(text)) << text;
  EXPECT_NE(exceptions_of("user=ci or user=bob").error().hint.find("|"), std::string::npos);
  EXPECT_NE(exceptions_of("users=ci").error().hint.find("partition"), std::string::npos)
      << "the hint lists the columns";
}

TEST(WasteExceptions, AreToldWithTheReckoningAndNotCountedAsWasted) {
  Ledger ledger(catalogue());
  Hold hold;
  hold.cluster = ClusterName("hpc"), hold.user = "ci", hold.account = "infra", hold.group = "batch";
  hold.workload = WorkloadId("1"), hold.hours = hold.measured = hold.idle = 5, hold.part = 1, hold.slices = 8;
  ledger.add(hold);
  Span span;
  span.except = *exceptions_of("account=infra");
  const Reckoning with = sum_up(ledger, span, catalogue());
  EXPECT_TRUE(with.waste.empty());
  ASSERT_EQ(with.left_out.size(), 1u);
  EXPECT_NEAR(*with.left_out[0].slice_hours, 40, 1e-9);
  const Reckoning without = sum_up(ledger, {}, catalogue());
  ASSERT_EQ(without.waste.size(), 1u);
  EXPECT_EQ(without.waste[0].account, "infra");
  EXPECT_EQ(without.waste[0].group, "batch");
}

}  // namespace
}  // namespace tessera::usage
