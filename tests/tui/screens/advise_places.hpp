// A place where a re-cut has a price: two free GPUs serve some of what waits at once, more comes with those
// on which jobs run until their time limits.
#pragma once

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {

inline Model advise_place() {
  Model model;
  reduce(model, on("hpc", ClusterSeen{Scheduler::slurm, false, "slurm 24.05.1", "", "hpc-1"}));
  const auto uncut = [](int index) {
    Gpu board = gpu(index, Strategy::whole, {whole(index)});
    board.mig_mode = MigMode::disabled;
    return board;
  };
  std::vector<Node> nodes{node("n1", {uncut(0), uncut(1)}), node("n2", {uncut(0)}), node("n3", {uncut(0)})};
  for (Node& one : nodes) one.partitions = {"main"};
  nodes.back().partitions = {"main", "short"};
  reduce(model, on("hpc", NodesListed{std::move(nodes)}));
  std::vector<Workload> work;
  const auto runs = [&](const char* id, const char* node, int device, int hours) {
    Workload job = running(id, "carol", {holds(node, {{device, 1}})});
    job.requests = {{"gpu:h100", 1}};
    if (hours > 0) job.ends = at(hours * 3600);
    work.push_back(job);
  };
  runs("1", "n1", 0, 2), runs("2", "n1", 1, 3);
  for (int i = 0; i < 6; ++i) {
    Workload job = waiting(std::to_string(100 + i), i % 2 ? "judy" : "bob", "gpu:3g.40gb");
    job.node_count = 1, job.group = "main";
    job.submitted = at(-600 + i), job.limit = std::chrono::hours(48);
    work.push_back(job);
  }
  reduce(model, on("hpc", WorkloadsListed{std::move(work)}));
  reduce(model, on("hpc", SourceReport{Source::slurm_nodes, std::nullopt, Duration(40)}));
  reduce(model, on("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(55)}));
  reduce(model, on("hpc", PaceReport{6, Duration(10000)}));
  reduce(model, on("hpc", Loaded{}));
  return model;
}

inline Session advising(tui::Size size = {80, 24}) {
  Session session(advise_place(), size);
  session.state.writable = true;
  session.state.no_past = "no recording is opened";
  plan::Means can = plan::simulator_capabilities();
  can.instances = can.mode = can.sharing = plan::Unit::node;
  session.state.abilities[ClusterName("hpc")] = can;
  return session;
}

inline Session advised(tui::Size size = {80, 24}) {
  Session session = advising(size);
  session.press(":advise<enter>").advise();
  return session;
}

}  // namespace tessera::test
