// A busy Slurm or Kubernetes of any size: nodes of H100 in a few layouts, jobs or pods with and without a
// time limit on them, and a queue as people write it (partitions, features, nodes left out, several nodes).
// The same numbers give the same site. Threads: a value.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/reduce.hpp"

namespace tessera::test {

struct SiteSize {
  int nodes = 0, gpus = 8, waiting = 0;
  unsigned seed = 7;
  Scheduler scheduler = Scheduler::slurm;
  bool simulated = false;
};

class BusySite {
 public:
  explicit BusySite(const SiteSize& size) : size_(size), random_(size.seed) {
    for (int i = 0; i < size.nodes; ++i) add_node(i);
    for (int i = 0; i < size.waiting; ++i) add_waiting(i);
    tell(ClusterSeen{size.scheduler, size.simulated, "", "", "hpc-1"});
    tell(NodesListed{std::move(nodes_)});
    tell(WorkloadsListed{std::move(work_)});
    if (is_slurm())
      tell(PartitionsListed{{{"main", "UP", false, false, "", "3-00:00:00"},
                             {"short", "UP", false, false, "", "4:00:00"},
                             {"long", "UP", false, false, "", "UNLIMITED"}}});
    for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
      tell(SourceReport{source, std::nullopt, Duration(5)});
    tell(Loaded{});
  }
  const Cluster& cluster() const { return model.clusters.front(); }
  static TimePoint now(int seconds = 0) { return TimePoint(std::chrono::seconds(1'800'000'000 + seconds)); }

  Model model;

 private:
  struct Cut {
    const char* profile;
    int start, size;
  };
  // Layouts that stand at a real site: few, each on many GPUs.
  static const std::vector<Cut>& cut(int number) {
    static const std::vector<std::vector<Cut>> all{
        {},
        {{"3g.40gb", 4, 4}, {"2g.20gb", 2, 2}, {"1g.10gb", 0, 1}},
        {{"4g.40gb", 0, 4}, {"3g.40gb", 4, 4}},
        {{"1g.10gb", 0, 1}, {"1g.10gb", 1, 1}, {"1g.10gb", 2, 1}, {"1g.10gb", 3, 1}, {"3g.40gb", 4, 4}}};
    return all[static_cast<std::size_t>(number)];
  }

  bool is_slurm() const { return size_.scheduler == Scheduler::slurm; }
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  void tell(auto what) { reduce(model, Event{ClusterName("hpc"), 0, now(), std::move(what)}); }
  std::string resource(const std::string& profile) const {
    if (is_slurm()) return profile.empty() ? "gpu:h100" : "gpu:" + profile;
    return profile.empty() ? "nvidia.com/gpu" : "nvidia.com/mig-" + profile;
  }

  void add_node(int number) {
    Node node;
    node.name = NodeName(fmt::format("gpu{:05}", number));
    node.health = number % 50 == 7 ? Health::drained : Health::ok;
    if (is_slurm()) node.partitions = {"main", number % 3 == 0 ? "long" : "short"};
    if (!is_slurm() && number % 5 == 0) node.taints = {"team=vision:NoSchedule"};
    node.features = {"h100", number % 2 ? "nvl" : "pcie"};
    node.origin = {is_slurm() ? Source::slurm_nodes : Source::kubernetes_nodes, now()};
    const int busy = pick(10) < 2 ? 0 : 9;  // of ten nodes two stand idle
    for (int board = 0, device = 0; board < size_.gpus; ++board) {
      Gpu gpu;
      gpu.index = GpuIndex{board};
      gpu.model = "NVIDIA H100 80GB HBM3";
      gpu.product = ProductKey("H100-80GB-SXM5");
      gpu.memory = Mib{81559};
      const std::vector<Cut>& layout = cut(board < size_.gpus / 2 ? 0 : pick(4));
      gpu.strategy = layout.empty() ? Strategy::whole : Strategy::mig;
      gpu.mig_mode = layout.empty() ? MigMode::disabled : MigMode::enabled;
      for (const Cut& one : layout) add_slice(node, gpu, device++, busy, &one);
      if (layout.empty()) add_slice(node, gpu, device++, busy, nullptr);
      node.gpus.push_back(std::move(gpu));
    }
    nodes_.push_back(std::move(node));
  }

  void add_slice(const Node& node, Gpu& gpu, int device, int busy, const Cut* one) {
    Slice slice;
    slice.device = device;
    slice.usable = true;
    if (one) {
      slice.kind = SliceKind::gpu_instance;
      slice.profile = ProfileName(one->profile);
      slice.placement = Placement{one->start, one->size};
    }
    gpu.slices.push_back(std::move(slice));
    if (pick(10) >= busy) return;
    Allocation held;
    held.node = node.name;
    held.count = 1;
    held.devices = {{device, 1}};
    // Some jobs hold slices of several nodes.
    if (is_slurm() && pick(12) == 0 && !work_.empty() && work_.back().allocations.back().node != node.name) {
      work_.back().allocations.push_back(std::move(held));
      ++work_.back().node_count;
      return;
    }
    Workload work = job();
    work.state = pick(40) == 0 ? WorkloadState::completing : WorkloadState::running;
    work.started = now(-pick(50000));
    work.requests = {{resource(one ? one->profile : ""), 1}};
    if (pick(10) > 0) work.ends = now(pick(48 * 3600) - 600);
    work.restartable = pick(2) == 0;
    work.allocations.push_back(std::move(held));
    work_.push_back(std::move(work));
  }

  Workload job() {
    Workload work;
    const std::size_t number = work_.size();
    work.id = WorkloadId(is_slurm() ? std::to_string(1'000'000 + number) : fmt::format("ml/pod-{}", number));
    work.user = fmt::format("user{:03}", number % 400);
    work.node_count = 1;
    work.origin = {is_slurm() ? Source::slurm_jobs : Source::kubernetes_pods, now()};
    return work;
  }

  void add_waiting(int number) {
    static const char* const kAsked[] = {"1g.10gb", "2g.20gb", "3g.40gb", "4g.40gb",
                                         "7g.80gb", "1g.20gb", ""};
    Workload work = job();
    work.state = WorkloadState::pending;
    work.submitted = now(-pick(100000));
    if (pick(8) > 0) work.limit = std::chrono::hours(1 + pick(24));
    if (pick(6) == 0) work.priority = pick(4);
    work.requests = {{resource(kAsked[pick(7)]), 1 + pick(2)}};
    if (pick(15) == 0) work.requests.push_back({resource("1g.10gb"), 1});
    if (is_slurm())
      ask_slurm(work, number);
    else
      work.reason = pick(4) == 0 ? "0/9 nodes are available: 3 Insufficient nvidia.com/gpu, 2 node(s) had "
                                   "untolerated taint {team: vision}"
                                 : "0/9 nodes are available: 9 Insufficient nvidia.com/gpu";
    work_.push_back(std::move(work));
  }
  void ask_slurm(Workload& work, int number) {
    work.reason = number % 3 == 0 ? "Resources" : number % 11 == 0 ? "ReqNodeNotAvail" : "Priority";
    work.group = pick(3) == 0 ? "long" : pick(2) == 0 ? "short" : pick(5) == 0 ? "short,long" : "main";
    if (pick(20) == 0) work.requests.front().resource = "gpu";
    if (pick(10) == 0) work.node_count = 2 + pick(2), work.requests.front().count *= work.node_count;
    NodeNeeds needs;
    if (pick(4) == 0) needs.features = pick(2) ? "nvl" : "h100&pcie";
    if (pick(20) == 0) needs.excluded = fmt::format("gpu[{:05}-{:05}]", pick(5), 5 + pick(40));
    if (pick(40) == 0) needs.nodes = fmt::format("gpu{:05}", pick(size_.nodes));
    if (!needs.features.empty() || !needs.excluded.empty() || !needs.nodes.empty()) work.needs = needs;
  }

  SiteSize size_;
  std::mt19937 random_;
  std::vector<Node> nodes_;
  std::vector<Workload> work_;
};

}  // namespace tessera::test
