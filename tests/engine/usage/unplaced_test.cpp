// GPUs of which the scheduler tells how many a job holds, and not which: they are held all the same.
#include <gtest/gtest.h>

#include "engine/usage/demand.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

// What alice's job holds of n1 for an hour, by user.
std::vector<usage::Sum> after_an_hour(Node n1, Allocation held, usage::By by = usage::By::user) {
  Story story;
  story.tell(NodesListed{{std::move(n1)}});
  story.tell(WorkloadsListed{{running("1", "alice", {std::move(held)})}});
  story.tell(Loaded{});
  usage::Ledger ledger(catalogue());
  for (int minute = 0; minute <= 60; ++minute) ledger.see(story.cluster(), at(60 * minute));
  return usage::sums(ledger, by);
}

double gpu_hours(const std::vector<usage::Sum>& sums) {
  EXPECT_EQ(sums.size(), 1u);
  return sums.empty() ? -1 : sums.front().gpu_hours;
}

Node whole_gpus() {
  return node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)}),
                     gpu(2, Strategy::whole, {whole(2)})});
}

TEST(Unplaced, GpusThatAreToldByNumberAreHeldByTheirUserAndLowerTheCoverage) {
  const auto sums = after_an_hour(whole_gpus(), holds_some("n1", "", 2));
  EXPECT_NEAR(gpu_hours(sums), 2, 1e-9);
  EXPECT_EQ(sums.front().name, "alice");
  EXPECT_NEAR(sums.front().slice_hours, 16, 1e-9);
  EXPECT_EQ(usage::coverage(sums), 0) << "nothing measures them";
  const auto profiles = after_an_hour(whole_gpus(), holds_some("n1", "", 2), usage::By::profile);
  EXPECT_EQ(profiles.front().name, "whole");
}

TEST(Unplaced, WhoHoldsAllOfANodeHoldsItOnce) {
  const auto sums = after_an_hour(whole_gpus(), holds_some("n1", "", 3));
  EXPECT_NEAR(gpu_hours(sums), 3, 1e-9);
  const Node clients = node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 4, 0)})});
  EXPECT_NEAR(gpu_hours(after_an_hour(clients, holds_some("n1", "", 4, Family::mps))), 1, 1e-9);
}

TEST(Unplaced, AnInstanceIsItsPartOfAGpu) {
  const Node pool = node("n1", {});
  const auto sums = after_an_hour(pool, holds_some("n1", "3g.40gb", 2), usage::By::profile);
  EXPECT_NEAR(gpu_hours(sums), 6.0 / 7, 1e-9);
  EXPECT_EQ(sums.front().name, "3g.40gb");
}

// Slurm's MIG types where nothing asks the node: numbers of devices are told, and no GPU.
TEST(Unplaced, SlicesWhoseGpuIsNotToldAreHeldByWhoHasTheirNumbers) {
  Node pooled = node("n1", {});
  for (int device = 0; device < 7; ++device) {
    Slice slice = instance("1g.10gb", 0, 1, 0);
    slice.placement.reset(), slice.instance_id.reset(), slice.device = device;
    pooled.pool.push_back(std::move(slice));
  }
  Allocation held = holds("n1", {{0, 1}, {1, 1}, {2, 1}});
  held.type = "1g.10gb";
  const auto sums = after_an_hour(pooled, held, usage::By::profile);
  EXPECT_NEAR(gpu_hours(sums), 3.0 / 7, 1e-9);
  EXPECT_EQ(sums.front().name, "1g.10gb");
  Story story;
  story.tell(NodesListed{{pooled}});
  story.tell(WorkloadsListed{{running("1", "alice", {held})}});
  story.tell(Loaded{});
  usage::DemandOverTime demand;
  demand.see(story.cluster(), at(0), std::chrono::minutes(10));
  demand.see(story.cluster(), at(60), std::chrono::minutes(10));
  ASSERT_EQ(demand.peaks().size(), 1u);
  EXPECT_EQ(demand.peaks().front().held, 3);
}

TEST(Unplaced, SharesAreTheirPartOfTheGpusOfTheirNode) {
  const Node clients = node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 4, 0)})});
  EXPECT_NEAR(gpu_hours(after_an_hour(clients, holds_some("n1", "", 2, Family::mps))), 0.5, 1e-9);
  const Node sliced = node("n1", {gpu(0, Strategy::time_slicing, {shared(SliceKind::time_slice, 4, 0)})});
  EXPECT_NEAR(gpu_hours(after_an_hour(sliced, holds_some("n1", "", 1))), 0.25, 1e-9);
  // Of how many a GPU has is not known.
  EXPECT_TRUE(after_an_hour(node("n1", {}), holds_some("n1", "", 2, Family::shard)).empty());
}

TEST(Unplaced, WithoutATypeOnANodeOfSeveralKindsEachCountsAsAGpu) {
  const Node mixed = node(
      "n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::mig, {instance("3g.40gb", 0, 4, 1)})});
  const auto sums = after_an_hour(mixed, holds_some("n1", "", 1), usage::By::profile);
  EXPECT_NEAR(gpu_hours(sums), 1, 1e-9);
  EXPECT_EQ(sums.front().name, "untyped");
}

TEST(Unplaced, ANodeThatIsNotListedHoldsWhatItsTypeSays) {
  Allocation held = holds_some("n9", "1g.10gb", 7);
  EXPECT_NEAR(gpu_hours(after_an_hour(node("n1", {}), held)), 1, 1e-9);
}

}  // namespace
}  // namespace tessera::test
