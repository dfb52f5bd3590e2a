// Clusters of a few nodes in any state, with any holders, whose sources may fail: for properties that must
// hold in all of them. Of Slurm or of Kubernetes, and told as those tell them: taints and pods there,
// features and jobs here.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "engine/model/kueue.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

// The same seed gives the same world.
class RandomWorld {
 public:
  explicit RandomWorld(unsigned seed) : random_(seed), more_(~seed) {
    std::vector<Node> nodes;
    for (int i = 0, count = 1 + pick(5); i < count; ++i) nodes.push_back(a_node("n" + std::to_string(i)));
    scheduler_ = pick(2) ? Scheduler::slurm : Scheduler::kubernetes;
    story_.tell(ClusterSeen{scheduler_, false, "", ""});
    std::vector<Workload> work;
    for (int i = 0, count = pick(12); i < count; ++i) work.push_back(a_job(i, nodes));
    for (Node& one : nodes) tell_more(one);
    for (Workload& one : work) tell_more(one);
    for (int i = 0, count = more(4); i < count; ++i) work.push_back(a_waiting_one(i));
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
  int pick(int below) { return below_of(random_, below); }
  // What is told beside the slices and who holds them.
  int more(int below) { return below_of(more_, below); }
  static int below_of(std::mt19937& random, int below) {
    return std::uniform_int_distribution<int>(0, below - 1)(random);
  }
  template <class... Text>
  std::string any_of(Text... text) {
    const std::string all[] = {text...};
    return all[more(static_cast<int>(sizeof...(text)))];
  }
  std::vector<std::string> some_of(const std::vector<std::string>& all) {
    std::vector<std::string> some;
    for (const std::string& one : all)
      if (more(3) == 0) some.push_back(one);
    return some;
  }

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
  void tell_more(Node& node) {
    node.driver = any_of("", "550.90.07", "580.159.04");
    if (node.partitions.empty() && more(2)) node.partitions = some_of({"main", "long", "gpu-a"});
    if (more(4) == 0) node.reservation = any_of("maint", "course");
    if (node.health != Health::ok && more(3)) {
      node.reason = any_of("Xid 79, ticket 4711", "Not responding", "kernel");
      node.reason_by = any_of("", "root", "slurm");
    }
    for (const char* name : {"slurmd", "device plugin"})
      if (more(5) == 0) node.components.push_back({name, Part(more(5)), any_of("", "exit code 1")});
    for (Gpu& gpu : node.gpus) tell_more(gpu);
    if (scheduler_ == Scheduler::slurm) {
      node.features = some_of({"h100", "nvl", "ib"});
      return;
    }
    node.features = some_of({"zone=a", "team=vision", "nvidia.com/gpu.present=true"});
    node.taints = some_of({"nvidia.com/gpu:NoSchedule", "team=x:NoExecute"});
    if (more(3) == 0) return;  // a kubelet that reports nothing
    node.allocatable.emplace();
    for (const char* name : {"nvidia.com/gpu", "aliyun.com/gpu-mem", "nvidia.com/mig-1g.10gb"})
      if (more(2)) (*node.allocatable)[name] = 1 + more(8);
  }
  void tell_more(Gpu& gpu) {
    if (more(3)) gpu.uuid = "GPU-0a1b2c3d-" + std::to_string(gpu.index.value);
    if (more(5) > 0) return;
    gpu.model = any_of("NVIDIA A100-SXM4-40GB", "");
    gpu.product.reset();
  }
  void tell_more(Workload& work) {
    work.user = any_of("alice", "bob", "");
    work.name = any_of("train", "eval-7b", "");
    if (more(5) == 0) work.unasked = "privileged";
    if (scheduler_ == Scheduler::slurm) {
      work.account = any_of("", "vision", "nlp");
      work.group = any_of("main", "closed");
      return;
    }
    work.kind = WorkloadKind::pod;
    work.group = any_of("team-a", "team-b");
    work.id = WorkloadId(work.group + "/" + work.name + work.id.text);
  }
  // A job or a pod; of Kueue the row for pods to come.
  Workload a_waiting_one(int id) {
    const bool slurm = scheduler_ == Scheduler::slurm;
    Workload work = waiting("9" + std::to_string(id), "alice", slurm ? "gpu:h100" : "nvidia.com/gpu");
    tell_more(work);
    if (slurm) {
      work.reason = any_of("Resources", "Priority", "");
    } else if (more(2)) {
      work.state_word = std::string(kSuspended);
      work.reason = any_of("Kueue: not admitted, queue team-a", "Kueue: deactivated");
    } else {
      work.reason = any_of("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", "SchedulingGated", "");
    }
    return work;
  }
  void report(Source source) {
    const int how = pick(6);
    if (how > 0) story_.tell(SourceReport{source, std::nullopt, Duration{5}});
    if (how == 1)
      story_.tell(SourceReport{source, Error{"does not answer", "connection refused", ""}, Duration{5}});
  }

  std::mt19937 random_, more_;
  Scheduler scheduler_ = Scheduler::slurm;
  Story story_;
};

}  // namespace tessera::test
