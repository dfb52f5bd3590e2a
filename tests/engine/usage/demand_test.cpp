// What was needed at the same time, against figures that were worked out by hand.
#include "engine/usage/demand.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "engine/pack/past_demand.hpp"
#include "engine/usage/ledger.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

// Node n1: GPU 0 whole; GPU 1 cut into two 3g.40gb. A round is seen where a test says so.
struct Past {
  Story story;
  usage::DemandOverTime demand;

  explicit Past(std::string group = {}) : demand(std::move(group)) {
    story.tell(NodesListed{
        {node("n1", {gpu(0, Strategy::whole, {whole(0)}),
                     gpu(1, Strategy::mig, {instance("3g.40gb", 0, 4, 1), instance("3g.40gb", 4, 4, 2)})})}});
    story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
    story.tell(Loaded{});
  }
  void round(int minute, std::vector<Workload> work) {
    story.tell(WorkloadsListed{std::move(work)}, 60 * minute);
    demand.see(story.cluster(), at(60 * minute));
  }
  usage::DemandPeak peak(const std::string& profile) const {
    for (const usage::DemandPeak& one : demand.peaks())
      if (one.profile == profile) return one;
    return {};
  }
};

TEST(Demand, APeakIsOfOneMomentAndNoSumOfPeaks) {
  Past past;
  past.round(0, {running("1", "alice", {holds("n1", {{1, 1}})})});
  past.round(5, {running("1", "alice", {holds("n1", {{1, 1}})}), running("2", "bob", {holds("n1", {{2, 1}})}),
                 waiting("3", "carol", "gpu:3g.40gb")});
  past.round(10, {waiting("4", "carol", "gpu:3g.40gb"), waiting("5", "dan", "gpu:3g.40gb")});
  EXPECT_EQ(past.peak("3g.40gb").peak, 3) << "two held and one waited for; never two held and two waited for";
  EXPECT_EQ(past.peak("3g.40gb").held, 2);
  EXPECT_EQ(past.peak("3g.40gb").waiting, 1);
  EXPECT_EQ(past.peak("3g.40gb").at, at(300));
  EXPECT_NEAR(past.peak("3g.40gb").mean, (3 * 5 + 2 * 5) / 10.0, 1e-9);
}

// Nothing that could be planned meets it, and NVIDIA's GPUs would be planned for it.
TEST(Demand, WhatIsHeldOfAmdsGpusIsNoDemandForProfiles) {
  Past past;
  Node amd = node("n2", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::unknown, {whole(1)})});
  for (Gpu& one : amd.gpus) one.model = "AMD Instinct MI300X", one.product.reset();
  amd.gpus[1].partition_mode = "CPX/NPS1";
  amd.gpus[1].slices[0].kind = SliceKind::gpu_instance;
  amd.gpus[1].slices[0].profile = ProfileName("CPX/NPS1");
  past.story.tell(NodeSeen{amd});
  past.round(0, {running("1", "alice", {holds("n2", {{0, 1}, {1, 1}})}),
                 running("2", "bob", {holds("n1", {{0, 1}})})});
  past.round(5, {});
  EXPECT_EQ(past.peak("whole").peak, 1) << "bob's";
  EXPECT_EQ(past.peak("CPX/NPS1").peak, 0);
}

TEST(Demand, AnHourWithoutARoundIsLeftOutAndAnHourWithoutDemandIsZero) {
  Past past;
  const std::vector<Workload> alice = {running("1", "alice", {holds("n1", {{1, 1}})})};
  past.round(0, alice);
  past.round(10, {});
  past.round(70, {});         // a gap of an hour: ten minutes of it count
  past.round(3 * 60, alice);  // nothing is known of the hour between
  const auto hours = past.demand.by_hour();
  ASSERT_EQ(hours.size(), 3U);
  EXPECT_EQ(hours[0].hour, at(0)) << "15 January 2027, 08:00";
  EXPECT_EQ(hours[0].peak, 1);
  EXPECT_EQ(hours[1].hour, at(3600));
  EXPECT_EQ(hours[1].peak, 0);
  EXPECT_EQ(hours[2].hour, at(3 * 3600));
  EXPECT_NEAR(past.demand.hours(), 0.5, 1e-9);
}

TEST(Demand, WhatWaitsForAnythingElseThanRoomIsNone) {
  Past past;
  Workload held = waiting("3", "carol", "gpu:3g.40gb");
  held.reason = "JobHeldUser";
  past.round(0, {held});
  EXPECT_EQ(past.peak("3g.40gb").peak, 0);
}

// A recording may say anything: the product of these is 0 in 64 bits.
TEST(Demand, OfMoreThanCanBeCountedIsTheMostThatCanBe) {
  Past past;
  Workload many = waiting("3", "carol", "gpu:3g.40gb");
  many.requests[0].count = std::int64_t{1} << 62, many.tasks = 4;
  past.round(0, {many});
  EXPECT_EQ(past.peak("3g.40gb").waiting, 100'000'000);
}

// Of a recording each slice is gone through once, for holds and for demand.
TEST(Demand, WhatALedgerCountedIsWhatGoingThroughTheSlicesFinds) {
  std::mt19937 random(7);
  const auto pick = [&](int below) { return std::uniform_int_distribution<int>(0, below - 1)(random); };
  Story story;
  usage::DemandOverTime own, told;
  usage::Ledger ledger(catalogue());
  story.tell(NodesListed{
      {node("n1", {gpu(0, Strategy::whole, {whole(0)}),
                   gpu(1, Strategy::mig, {instance("3g.40gb", 0, 4, 1), instance("3g.40gb", 4, 4, 2)})}),
       node("n2", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)}),
                   gpu(1, Strategy::mig, {instance("1g.10gb", 0, 1, 1), instance("1g.10gb", 1, 1, 2)})})}});
  int most = 0;
  for (int minute = 0; minute < 300; ++minute) {
    if (pick(9) == 0) story.tell(WorkloadGone{WorkloadId(std::to_string(pick(12)))}, 60 * minute);
    Workload one = pick(6) == 0 ? waiting(std::to_string(pick(12)), "eve", "gpu:3g.40gb")
                                : running(std::to_string(pick(12)), "bob",
                                          {holds(pick(2) == 0 ? "n1" : "n2", {{pick(3), 1}})});
    if (pick(8) == 0) one.state = WorkloadState::completing;
    story.tell(WorkloadSeen{std::move(one)}, 60 * minute);
    if (pick(40) == 0)
      story.tell(NodeSeen{node("n1", {gpu(0, Strategy::mig, {instance("7g.80gb", 0, 8, 0)})})}, 60 * minute);
    ledger.see(story.cluster(), at(60 * minute));
    own.see(story.cluster(), at(60 * minute));
    told.see(story.cluster(), at(60 * minute), ledger.held());
    for (const auto& [profile, number] : ledger.held()) most = std::max(most, number);
  }
  EXPECT_GT(most, 1) << "there is something to compare";
  const auto hours = own.by_hour(), same = told.by_hour();
  ASSERT_EQ(hours.size(), same.size());
  for (std::size_t i = 0; i < hours.size(); ++i) {
    EXPECT_EQ(hours[i].profile, same[i].profile);
    EXPECT_EQ(hours[i].held, same[i].held) << hours[i].profile;
    EXPECT_EQ(hours[i].waiting, same[i].waiting) << hours[i].profile;
    EXPECT_EQ(hours[i].at, same[i].at) << hours[i].profile;
    EXPECT_EQ(hours[i].sum, same[i].sum) << hours[i].profile;
  }
  EXPECT_EQ(own.unplaced(), told.unplaced());
}

TEST(Demand, OnlyTheGroupThatIsAskedForCounts) {
  Past past("ml");
  Workload other = waiting("3", "carol", "gpu:3g.40gb"), own = waiting("4", "dan", "gpu:3g.40gb");
  other.group = "chem", own.group = "long,ml";
  past.round(0, {other, own});
  EXPECT_EQ(past.peak("3g.40gb").waiting, 1);
}

TEST(Demand, WhatIsHeldWithoutItBeingKnownWhichIsNoProfileAndIsSaid) {
  Past past;
  Workload hidden = running("1", "alice", {holds("n1", {})});
  hidden.allocations.front().count = 2;
  past.round(0, {hidden});
  EXPECT_EQ(past.demand.unplaced(), 2);
  EXPECT_TRUE(past.demand.peaks().empty());
}

// The planner counts what is free afterwards: what is held now serves its part of the peak.
TEST(Demand, ThePlannerIsAskedForThePeakLessWhatIsHeldNow) {
  Past past;
  past.round(0, {running("1", "alice", {holds("n1", {{1, 1}})}), waiting("2", "bob", "gpu:3g.40gb"),
                 waiting("3", "bob", "gpu:3g.40gb"), waiting("4", "eve", "gpu:h100")});
  past.round(10, {running("2", "bob", {holds("n1", {{1, 1}})})});
  const pack::PastDemand found =
      pack::demand_of_past(past.demand, past.story.cluster(), {}, test::catalogue());
  ASSERT_EQ(found.demand.size(), 2U);
  EXPECT_EQ(found.demand[0].profile, ProfileName("3g.40gb"));
  EXPECT_EQ(found.demand[0].count, 2) << "three at most, one of them is held now";
  EXPECT_EQ(found.demand[1].profile, ProfileName("whole"));
  EXPECT_EQ(found.demand[1].count, 1);
}

// Their sum was planned for as if it had been needed together.
TEST(Demand, PeaksOfDifferentHoursAreToldWithTheBusiestHour) {
  Past past;
  const auto day = running("1", "alice", {holds("n1", {{1, 1}})});
  past.round(0, {day, waiting("2", "bob", "gpu:3g.40gb")});
  past.round(10, {day});
  past.round(70, {waiting("4", "eve", "gpu:h100"), day});
  const pack::PastDemand found =
      pack::demand_of_past(past.demand, past.story.cluster(), {}, test::catalogue());
  ASSERT_EQ(found.needs.size(), 2U);
  ASSERT_TRUE(found.busiest) << "two slices in one hour, a whole GPU and one slice in the other";
  EXPECT_EQ(found.busiest->hour, at(3600));
  EXPECT_EQ(pack::needs_text(*found.busiest), "1 × 3g.40gb, 1 × whole");
  past.round(80, {waiting("4", "eve", "gpu:h100"), day, waiting("2", "bob", "gpu:3g.40gb")});
  EXPECT_FALSE(
      pack::demand_of_past(past.demand, past.story.cluster(), {}, test::catalogue()).busiest.has_value())
      << "one hour needed all of it";
}

TEST(Demand, WholeGpusOfSeveralProductsAreToldAndNotPlannedFor) {
  Past past;
  Gpu other = gpu(0, Strategy::whole, {whole(0)});
  other.product = ProductKey("A100-80GB");
  past.story.tell(NodeSeen{node("n2", {other})});
  past.round(0, {waiting("4", "eve", "gpu:h100")});
  const pack::PastDemand found =
      pack::demand_of_past(past.demand, past.story.cluster(), {}, test::catalogue());
  EXPECT_TRUE(found.demand.empty()) << "of which product is not told";
  EXPECT_EQ(found.whole, 1);
}

}  // namespace
}  // namespace tessera::test
