// How much of a large site the samples in memory hold, counted in bytes: a hundredth of it in a hundredth of
// the memory.
#include <gtest/gtest.h>

#include "engine/history/history.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using history::History;

constexpr int kNodes = 100, kGpus = 8;  // of 10,000 nodes, 80,000 GPUs
constexpr std::size_t kHundredth = history::kMostBytes / 100;
constexpr std::size_t kOfANode = 270;  // bytes of the heap beside its samples (bench/history.cpp)

class Ring : public testing::Test {
 protected:
  Ring() : history_(kHundredth) {}
  void site(const std::vector<Gpu>& gpus) {
    std::vector<Node> nodes;
    for (int n = 0; n < kNodes; ++n) nodes.push_back(node(name(n).text, gpus));
    story_.tell(NodesListed{std::move(nodes)});
  }
  static NodeName name(int n) { return NodeName("n" + std::to_string(n)); }
  // What an exporter tells of each node, so far apart for so long, from where it was told last.
  void measure(std::chrono::seconds every, std::chrono::seconds whole) {
    Cluster& cluster = story_.model.clusters.front();
    for (auto passed = std::chrono::seconds(0); passed <= whole; passed += every) {
      const Origin origin{Source::dcgm, now_ + passed};
      cluster.nodes.change_each([&](Node& one) {
        for (Gpu& gpu : one.gpus) {
          gpu.telemetry.use = Percent{50};
          gpu.telemetry.memory_used = Mib{40'000};
          gpu.telemetry.origin = origin;
          for (Slice& slice : gpu.slices) slice.use = Percent{50}, slice.measured = origin;
        }
      });
      for (const Node& one : cluster.nodes.all()) history_.take(cluster, one.name);
    }
    now_ += whole + every;
  }
  // From the oldest sample to the newest.
  Duration held(int n) const {
    const Gpu& board = story_.node(name(n).text).gpus.front();
    const history::Line line = history_.line(ClusterName("hpc"), name(n), history::key_of(board));
    return line.samples.empty() ? Duration{0} : line.samples.back().at - line.samples.front().at;
  }

  TimePoint now_ = at(0);
  Story story_;
  History history_;
};

// Rings grew on behind the hour until their samples alone had all of the memory.
TEST_F(Ring, AnHourOf80000GpusEachTenSecondsIsBelow64MegabytesWithWhatStandsBesideTheSamples) {
  std::vector<Gpu> gpus;
  for (int g = 0; g < kGpus; ++g) gpus.push_back(gpu(g, Strategy::whole, {whole(g)}));
  site(gpus);
  measure(std::chrono::seconds(10), std::chrono::seconds(4'000));
  EXPECT_LE(history_.bytes() + kNodes * kOfANode, kHundredth);
  for (int n = 0; n < kNodes; ++n) EXPECT_EQ(held(n), std::chrono::seconds(3'590)) << n << ": 360 samples";
  history_.watch(ClusterName("hpc"), name(0), true);
  measure(std::chrono::seconds(10), std::chrono::seconds(4'000));
  EXPECT_GE(held(0), std::chrono::hours(1));
  EXPECT_EQ(held(1), std::chrono::seconds(3'590)) << "what is on screen leaves the others no more";
}

// A row of a cut GPU is eight times as wide: in an hour what is on screen is told each 20 s, the rest each
// two minutes.
TEST_F(Ring, AnHourOf560000SlicesIsThereAtTheirPaceAndOfWhatIsOnScreenAtIts) {
  std::vector<Slice> cut;
  for (int i = 0; i < 7; ++i) cut.push_back(instance("1g.10gb", i, 1, i));
  std::vector<Gpu> gpus;
  for (int g = 0; g < kGpus; ++g) gpus.push_back(gpu(g, Strategy::mig, cut));
  site(gpus);
  measure(std::chrono::minutes(2), std::chrono::hours(1));
  EXPECT_LE(history_.bytes(), kHundredth);
  EXPECT_EQ(held(kNodes - 1), std::chrono::hours(1));
  history_.watch(ClusterName("hpc"), name(0), true);
  measure(std::chrono::seconds(20), std::chrono::seconds(4'000));
  EXPECT_LE(history_.bytes(), kHundredth);
  EXPECT_GE(held(0), std::chrono::hours(1)) << "all 100 were told each 20 s, and this one is on screen";
  EXPECT_LT(held(1), std::chrono::hours(1));
}

TEST_F(Ring, WhatLeavesTheScreenIsAsShortAsTheOthersAgain) {
  std::vector<Gpu> gpus;
  for (int g = 0; g < kGpus; ++g) gpus.push_back(gpu(g, Strategy::mig, {instance("1g.10gb", 0, 1, 7)}));
  site(gpus);
  history_.watch(ClusterName("hpc"), name(0), true);
  measure(std::chrono::seconds(10), std::chrono::seconds(3'600));
  EXPECT_EQ(held(0), std::chrono::hours(1));
  history_.watch(ClusterName("hpc"), name(0), false);
  EXPECT_EQ(history_.depth(true), history_.depth(false)) << "nothing is on screen";
  measure(std::chrono::seconds(10), std::chrono::seconds(3'600));
  EXPECT_LE(history_.bytes(), kHundredth);
}

// Whether idle time has begun is one bit of a line, and those of a node that is cut this far fill two words:
// each third slice is in use at first, and of that one alone the beginning was seen.
TEST_F(Ring, OfEachOfSixtyFourLinesItIsKnownWhetherItWasInUseBeforeItWasIdle) {
  std::vector<Slice> cut;
  for (int i = 0; i < 7; ++i) cut.push_back(instance("1g.10gb", i, 1, i));
  std::vector<Gpu> gpus;
  for (int g = 0; g < kGpus; ++g) gpus.push_back(gpu(g, Strategy::mig, cut));
  site(gpus);
  Cluster& cluster = story_.model.clusters.front();
  const auto round = [&](int second, float of_each_third) {
    cluster.nodes.change_each([&](Node& one) {
      int line = 0;
      for (Gpu& board : one.gpus)
        for (Slice& slice : board.slices) {
          slice.use = Percent{line++ % 3 == 0 ? of_each_third : 0};
          slice.measured = {Source::dcgm, at(second)};
        }
    });
    history_.take(cluster, name(0));
  };
  round(0, 50);
  for (int second = 10; second <= 30; second += 10) round(second, 0);
  int line = 0;
  for (const Gpu& board : story_.node(name(0).text).gpus)
    for (const Slice& slice : board.slices) {
      const history::Key key = history::key_of(board, slice);
      const bool was_in_use = line++ % 3 == 0;
      EXPECT_EQ(history_.idle_since(cluster.name, name(0), key), at(was_in_use ? 10 : 0)) << line;
      EXPECT_EQ(history_.may_be_idle_longer(cluster.name, name(0), key), !was_in_use) << line;
    }
  EXPECT_EQ(line, 7 * kGpus);
}

}  // namespace
}  // namespace tessera::test
