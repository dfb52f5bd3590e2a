// GPUs as the node's own tools list them, joined to what Slurm counts of them.
#include "backends/slurm/change/boards.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::slurm {
namespace {

using namespace test;

Slice counted(std::optional<bool> held) {
  Slice slice = instance("1g.10gb", 0, 1, 0);
  slice.placement.reset();
  slice.told_held = held;
  return slice;
}

// What lay_boards says of both instances of a node on which Slurm counts two.
std::vector<std::optional<bool>> of_both(std::optional<bool> one, std::optional<bool> other,
                                         std::optional<int> cpus_held = 8) {
  Node node = test::node("n1", {});
  node.pool = {counted(one), counted(other)};
  node.cpus_held = cpus_held;
  lay_boards(node, {gpu(0, Strategy::mig, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1)})});
  return {node.gpus.at(0).slices.at(0).told_held, node.gpus.at(0).slices.at(1).told_held};
}

using Both = std::vector<std::optional<bool>>;

TEST(SlurmBoards, InstancesAreHeldOrFreeWhereAllOfTheirKindAre) {
  EXPECT_EQ(of_both(true, true), (Both{true, true}));
  EXPECT_EQ(of_both(false, false), (Both{false, false}));
  EXPECT_EQ(of_both(true, false), (Both{std::nullopt, std::nullopt}))
      << "one of them is, and which is not told";
}

TEST(SlurmBoards, WhatSlurmDoesNotCountIsNotFree) {
  EXPECT_EQ(of_both(std::nullopt, false), (Both{std::nullopt, std::nullopt}));
  EXPECT_EQ(of_both(std::nullopt, std::nullopt), (Both{std::nullopt, std::nullopt}));
}

TEST(SlurmBoards, WhereNoJobHoldsACpuNoInstanceIsHeld) {
  EXPECT_EQ(of_both(std::nullopt, false, 0), (Both{false, false}));
  EXPECT_EQ(of_both(std::nullopt, false, std::nullopt), (Both{std::nullopt, std::nullopt}))
      << "not told how many CPUs are held";
  EXPECT_EQ(of_both(true, false, 0), (Both{std::nullopt, std::nullopt}));
}

// Its own tools know who has it open, whatever Slurm counts.
TEST(SlurmBoards, WhatTheNodeSaysIsHeldStaysHeld) {
  Node node = test::node("n1", {});
  node.pool = {counted(false), counted(false)};
  node.cpus_held = 0;
  Slice open = instance("1g.10gb", 0, 1, 0);
  open.told_held = true;
  lay_boards(node, {gpu(0, Strategy::mig, {open})});
  EXPECT_EQ(node.gpus.at(0).slices.at(0).told_held, true);
}

// The driver names a process on a GPU that no job holds: it is in use all the same.
TEST(SlurmBoards, AWholeGpuThatIsOpenIsHeldWhateverSlurmCounts) {
  for (const bool as_many : {true, false}) {
    Node node = test::node("n1", {gpu(0, Strategy::whole, {whole(0)})});
    if (!as_many) node.gpus.clear();
    for (Gpu& told : node.gpus) told.slices[0].told_held = false;
    node.cpus_held = 0;
    Gpu seen = gpu(0, Strategy::whole, {whole(0)});
    seen.slices[0].told_held = true;
    lay_boards(node, {seen});
    ASSERT_EQ(node.gpus.at(0).slices.size(), 1U);
    EXPECT_EQ(node.gpus[0].slices[0].told_held, true) << as_many;
  }
}

}  // namespace
}  // namespace tessera::slurm
