// GPUs of which the scheduler tells how many a job holds, and not which: they are held all the same.
#include <gtest/gtest.h>

#include <random>

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
  held.devices = {{0, 1}, {1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}};
  EXPECT_NEAR(gpu_hours(after_an_hour(node("n1", {}), held)), 1, 1e-9) << "nothing was held";
}

// Nothing was held: no GPU has that number, and which one it is was left open, as where only counts are told.
TEST(Unplaced, ANumberThatNoGpuHasIsHeldAllTheSame) {
  EXPECT_NEAR(gpu_hours(after_an_hour(whole_gpus(), holds("n1", {{0, 1}, {7, 1}}))), 2, 1e-9);
}

// Nodes of uncut GPUs, of cut ones, and of slices whose GPU is not told; jobs that hold slices that no other
// job holds, told by their numbers, by a count, or by numbers that no slice has.
class HeldWorld {
 public:
  explicit HeldWorld(unsigned seed) : random_(seed) {
    std::vector<Node> nodes;
    for (int i = 0, count = 1 + pick(3); i < count; ++i) nodes.push_back(a_node("n" + std::to_string(i)));
    story.tell(NodesListed{std::move(nodes)});
    for (Kind& kind : kinds_) add_jobs(kind);
    story.tell(WorkloadsListed{std::move(jobs_)});
    story.tell(Loaded{});
  }
  Story story;
  double gpus = 0;  // that are held

 private:
  struct Kind {
    std::string node, profile;  // empty: whole GPUs
    double part = 1;
    std::vector<int> devices;
  };
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  Node a_node(const std::string& name) {
    Node one = node(name, {});
    Kind whole_gpus{name, "", 1, {}}, small{name, "1g.10gb", 1.0 / 7, {}},
        large{name, "3g.40gb", 3.0 / 7, {}};
    const int how = pick(3);
    int device = 0;
    for (int i = 0, count = 1 + pick(4); i < count; ++i) {
      if (how == 0) {
        whole_gpus.devices.push_back(device);
        one.gpus.push_back(gpu(i, Strategy::whole, {whole(device++)}));
        continue;
      }
      std::vector<Slice> slices{instance("1g.10gb", 0, 1, device), instance("1g.10gb", 1, 1, device + 1),
                                instance("3g.40gb", 4, 4, device + 2)};
      small.devices.insert(small.devices.end(), {device, device + 1});
      large.devices.push_back(device + 2);
      device += 3;
      if (how == 1) {
        one.gpus.push_back(gpu(i, Strategy::mig, std::move(slices)));
        continue;
      }
      for (Slice& slice : slices) slice.placement.reset(), one.pool.push_back(std::move(slice));
    }
    for (Kind* kind : {&whole_gpus, &small, &large})
      if (!kind->devices.empty()) kinds_.push_back(std::move(*kind));
    return one;
  }
  void add_jobs(Kind& kind) {
    while (!kind.devices.empty() && pick(4) > 0) {
      const int count = 1 + pick(static_cast<int>(kind.devices.size())), told = pick(4);
      Allocation held = holds_some(kind.node, kind.profile, count);
      for (int i = 0; i < count; ++i) {
        if (told > 1) held.devices.push_back({kind.devices.back() + (told == 3 ? 1000 : 0), 1});
        kind.devices.pop_back();
      }
      jobs_.push_back(running(std::to_string(jobs_.size() + 1), "alice", {std::move(held)}));
      if (pick(4) == 0) jobs_.back().state = WorkloadState::suspended;
      gpus += count * kind.part;
    }
  }

  std::mt19937 random_;
  std::vector<Kind> kinds_;
  std::vector<Workload> jobs_;
};

TEST(UnplacedProperty, GpuHoursAreThoseOfWhatIsHeldHoweverItIsTold) {
  int held = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    HeldWorld world(seed);
    usage::Ledger ledger(catalogue());
    for (int minute = 0; minute <= 60; minute += 5) ledger.see(world.story.cluster(), at(60 * minute));
    double hours = 0;
    for (const usage::Hold& hold : ledger.holds()) hours += hold.gpu_hours();
    EXPECT_NEAR(hours, world.gpus, 1e-6) << "seed " << seed;
    held += world.gpus > 0 ? 1 : 0;
  }
  EXPECT_GT(held, 250);
}

}  // namespace
}  // namespace tessera::test
