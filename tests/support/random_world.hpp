// Clusters of a few nodes in any state, with any holders, whose sources may fail: for properties that must
// hold in all of them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/support/build.hpp"

namespace tessera::test {

// The same seed gives the same world.
class RandomWorld {
 public:
  explicit RandomWorld(unsigned seed) : random_(seed) {
    std::vector<Node> nodes;
    for (int i = 0, count = 1 + pick(5); i < count; ++i) nodes.push_back(a_node("n" + std::to_string(i)));
    story_.tell(ClusterSeen{pick(2) ? Scheduler::slurm : Scheduler::kubernetes, false, "", ""});
    std::vector<Workload> work;
    for (int i = 0, count = pick(12); i < count; ++i) work.push_back(a_job(i, nodes));
    story_.tell(PartitionsListed{{{"closed", "DOWN", false, false, "", ""}}});
    story_.tell(NodesListed{std::move(nodes)});
    story_.tell(WorkloadsListed{std::move(work)});
    story_.tell(Loaded{});
    report(Source::slurm_nodes);
    report(Source::slurm_jobs);
  }
  const Cluster& cluster() const { return story_.cluster(); }
  const Model& model() const { return story_.model; }

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }

  Slice a_slice(int device) {
    constexpr SliceKind kinds[] = {SliceKind::mps, SliceKind::shard, SliceKind::time_slice};
    Slice slice = whole(device);
    if (const int kind = pick(5); kind < 3) slice = shared(kinds[kind], pick(2) ? 4 : 100, device);
    return as_told(std::move(slice));
  }
  // What the scheduler says of it by itself: in use, or not handed out.
  Slice as_told(Slice slice) {
    if (pick(4) == 0) slice.told_held = pick(2) == 1;
    slice.told_out = pick(6) == 0;
    return slice;
  }
  Gpu a_gpu(int i) {
    constexpr Strategy strategies[] = {Strategy::mps, Strategy::shard, Strategy::time_slicing};
    if (pick(4) > 0) {
      Slice slice = a_slice(i);
      const Strategy strategy = slice.kind == SliceKind::whole_gpu ? Strategy::whole
                                : slice.kind == SliceKind::mps     ? strategies[0]
                                : slice.kind == SliceKind::shard   ? strategies[1]
                                                                   : strategies[2];
      return gpu(i, strategy, {std::move(slice)});
    }
    std::vector<Slice> slices;
    if (pick(3)) slices.push_back(as_told(instance("1g.10gb", 0, 1, i)));
    if (pick(3)) slices.push_back(as_told(instance("3g.40gb", 4, 4, 4 + i)));
    return gpu(i, Strategy::mig, std::move(slices));
  }
  Node a_node(const std::string& name) {
    std::vector<Gpu> gpus;
    for (int i = 0, count = pick(4); i < count; ++i) gpus.push_back(a_gpu(i));
    Node one = node(name, std::move(gpus));
    for (int i = 0, count = pick(3); i < count; ++i) {
      one.pool.push_back(as_told(instance("1g.10gb", 0, 1, 10 + i)));
      one.pool.back().placement.reset();  // as Slurm tells of them
    }
    constexpr Health healths[] = {Health::ok,       Health::ok,      Health::ok,
                                  Health::ok,       Health::drained, Health::down,
                                  Health::draining, Health::invalid, Health::unknown};
    one.health = healths[pick(9)];
    if (pick(8) == 0) one.state.push_back("MAINT");
    if (pick(8) == 0) one.partitions = {"closed"};
    return one;
  }
  Workload a_job(int id, const std::vector<Node>& nodes) {
    const std::string name = nodes[static_cast<std::size_t>(pick(static_cast<int>(nodes.size())))].name.text;
    constexpr Family families[] = {Family::gpu, Family::mps, Family::shard};
    const Family family = families[pick(3)];
    Allocation held =
        pick(3) ? holds(name, {{pick(6), pick(4)}}, family) : holds_some(name, "", 1 + pick(3), family);
    return running(std::to_string(id), "alice", {held});
  }
  void report(Source source) {
    const int how = pick(6);
    if (how > 0) story_.tell(SourceReport{source, std::nullopt, Duration{5}});
    if (how == 1)
      story_.tell(SourceReport{source, Error{"does not answer", "connection refused", ""}, Duration{5}});
  }

  std::mt19937 random_;
  Story story_;
};

}  // namespace tessera::test
