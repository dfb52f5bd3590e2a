// GPU instances that are shared themselves (time-slicing or MPS on a MIG slice): a share of one is that part
// of the instance, and of what is not known no sum is made up.
#include <gtest/gtest.h>

#include "engine/insight/worth.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

Slice shared_instance(int capacity) {
  Slice slice = instance("3g.40gb", 0, 4, 0);
  slice.capacity = capacity;
  return slice;
}

// What alice and bob hold for an hour of a 3g.40gb that four may share, one share each; used 50 % meanwhile.
std::vector<usage::Sum> after_an_hour(Gpu board, int share) {
  Story story;
  story.tell(NodesListed{{node("n1", {std::move(board)})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, share}})}),
                              running("2", "bob", {holds("n1", {{0, share}})})}});
  story.tell(Loaded{});
  usage::Ledger ledger(catalogue());
  for (int minute = 0; minute <= 60; ++minute) ledger.see(story.cluster(), at(60 * minute));
  return usage::sums(ledger, usage::By::user);
}

TEST(SharedInstance, AShareOfOneIsThatPartOfTheInstance) {
  const Gpu board = gpu(0, Strategy::mig, {shared_instance(4)});
  EXPECT_NEAR(*insight::part_of(&board, board.slices[0], 1, catalogue()), 3.0 / 7 / 4, 1e-9);
  EXPECT_NEAR(*insight::part_of(&board, board.slices[0], 2, catalogue()), 3.0 / 7 / 2, 1e-9);
  const auto sums = after_an_hour(board, 1);
  ASSERT_EQ(sums.size(), 2U);
  EXPECT_NEAR(sums[0].gpu_hours, 3.0 / 7 / 4, 1e-9) << "and not a whole GPU each";
  EXPECT_NEAR(sums[0].slice_hours, 1, 1e-9);
  EXPECT_EQ(sums[0].unvalued, 0);
}

TEST(SharedInstance, AWorkloadIsWorthItsSharesOfIt) {
  Story story;
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mig, {shared_instance(4)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 2}})})}});
  EXPECT_NEAR(
      *insight::gpus_worth(story.cluster(), *story.cluster().workloads.find(WorkloadId("1")), catalogue()),
      3.0 / 14, 1e-9);
}

// Neither where the product is not known, nor where the share is not told.
TEST(SharedInstance, OfWhatItIsNotKnownWhichPartItIsNoGpuHourIsCounted) {
  Gpu unknown = gpu(0, Strategy::mig, {shared_instance(4)});
  unknown.product.reset();
  for (const auto& sums :
       {after_an_hour(unknown, 1), after_an_hour(gpu(0, Strategy::mig, {shared_instance(4)}), 0)}) {
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_EQ(sums[0].gpu_hours, 0);
    EXPECT_EQ(usage::known_gpu_hours(sums[0]), std::nullopt);
    EXPECT_NEAR(usage::unvalued(sums), 2, 1e-9);
  }
}

}  // namespace
}  // namespace tessera::test
