// Small places for the screens to show: everything that can be odd, once.
#pragma once

#include "tests/support/build.hpp"

namespace tessera::test {

inline Slice with_use(Slice slice, float percent) {
  slice.use = Percent{percent};
  return slice;
}

inline Gpu measured(Gpu board, float use, int used_gib, float celsius, float watts) {
  board.telemetry.use = Percent{use};
  board.telemetry.memory_used = Mib{used_gib * 1024};
  board.telemetry.temperature = Celsius{celsius};
  board.telemetry.power = Watts{watts};
  board.telemetry.origin = {Source::nvidia_smi, at(-4)};
  board.origin = Origin{Source::slurm_nodes, at(-4)};
  return board;
}

inline Workload named(Workload workload, const std::string& name, int started) {
  workload.name = name;
  workload.started = at(started);
  workload.submitted = at(started - 300);
  workload.group = "gpu";
  workload.account = "physics";
  workload.state_word = "RUNNING";
  workload.origin = Origin{Source::slurm_jobs, at(-4)};
  return workload;
}

// Four GPUs, each shared in another way: MIG full, MIG with room and stranded slices, whole, MPS.
inline Node mixed_node() {
  Node n = node(
      "n0007",
      {measured(gpu(0, Strategy::mig,
                    {with_use(instance("1g.10gb", 0, 1, 0), 88), with_use(instance("1g.10gb", 1, 1, 1), 0),
                     with_use(instance("2g.20gb", 2, 2, 2), 45), with_use(instance("3g.40gb", 4, 4, 3), 97)}),
                78, 61, 64, 412),
       measured(gpu(1, Strategy::mig,
                    {instance("1g.10gb", 0, 1, 4), instance("2g.20gb", 2, 2, 5), instance("1g.10gb", 4, 1, 6),
                     instance("1g.10gb", 6, 1, 7)}),
                31, 12, 51, 188),
       measured(gpu(2, Strategy::whole, {whole(8)}), 100, 79, 71, 690),
       measured(gpu(3, Strategy::mps, {shared(SliceKind::mps, 4, 9)}), 22, 9, 44, 120)});
  n.state = {"MIXED"};
  n.driver = "550.90.07";
  n.agent = "22.05.8";
  n.cpus = 128;
  n.partitions = {"gpu"};
  n.origin = Origin{Source::slurm_nodes, at(-4)};
  return n;
}

inline Node drained_node() {
  Node n = node("n0012", {measured(gpu(0, Strategy::whole, {whole(0)}), 0, 0, 31, 60)});
  n.state = {"IDLE", "DRAIN"};
  n.health = Health::drained;
  n.reason = "NVLink errors, ticket 4711";
  n.reason_by = "root";
  n.reason_at = at(-3 * 3600);
  n.origin = Origin{Source::slurm_nodes, at(-4)};
  return n;
}

inline Node invalid_node() {
  Node n = node("n0031", {gpu(0, Strategy::unknown, {})});
  n.state = {"IDLE", "INVALID_REG"};
  n.health = Health::invalid;
  n.reason = "gres/gpu count reported lower than configured (4 < 7)";
  n.gpus[0].product.reset();
  n.gpus[0].memory.reset();
  n.origin = Origin{Source::slurm_nodes, at(-4)};
  return n;
}

// Slurm counts these slices by type and does not tell on which GPU they are.
inline Node pool_node() {
  Node n = node("n0040", {});
  n.state = {"MIXED"};
  n.model = "a100";
  for (int i = 0; i < 7; ++i) {
    Slice slice = instance("1g.10gb", 0, 1, i);
    slice.placement.reset();
    n.pool.push_back(slice);
  }
  n.origin = Origin{Source::slurm_nodes, at(-4)};
  return n;
}

inline std::vector<Workload> small_work() {
  std::vector<Workload> work{
      named(running("88120", "alice", {holds("n0007", {{0}})}), "embed-3", -7800),
      named(running("88121", "bob", {holds("n0007", {{1}})}), "notebook", -435600),
      named(running("88122", "carol", {holds("n0007", {{2}})}), "train-9", -1200),
      named(running("88123", "team-ml", {holds("n0007", {{3}})}), "llama-sft", -273600),
      named(running("88124", "dave", {holds("n0007", {{4}})}), "eval", -90),
      named(running("88125", "erin", {holds("n0007", {{6}})}), "tune", -5400),
      named(running("88126", "frank", {holds("n0007", {{8}})}), "pretrain-2", -40800),
      named(running("88127", "grace", {holds("n0007", {{9, 1}}, Family::mps)}), "serve", -60000),
      named(running("88128", "heidi", {holds("n0007", {{9, 2}}, Family::mps)}), "serve-b", -30),
      named(running("88130", "ivan", {holds("n0040", {{0}, {1}})}), "sweep", -600),
      waiting("88140", "alice", "gpu:3g.40gb"),
      waiting("88141", "judy", "gpu:3g.40gb"),
      waiting("88142", "alice", "gpu:h100")};
  work[9].allocations[0].type = "1g.10gb";
  return work;
}

inline Event on(const char* cluster, decltype(Event::what) what, int seconds = -4) {
  return Event{ClusterName(cluster), 0, at(seconds), std::move(what)};
}

// One Slurm cluster with every kind of node.
inline Model small_place() {
  Model model;
  reduce(model, on("hpc", ClusterSeen{Scheduler::slurm, false, "slurm 22.05.8", "/etc/slurm/slurm.conf"}));
  reduce(model, on("hpc", NodesListed{{mixed_node(), drained_node(), invalid_node(), pool_node()}}));
  reduce(model, on("hpc", WorkloadsListed{small_work()}));
  reduce(model, on("hpc", SourceReport{Source::slurm_nodes, std::nullopt, Duration(40)}));
  reduce(model, on("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(55)}));
  reduce(model, on("hpc", PaceReport{6, Duration(10000)}));
  reduce(model, on("hpc", Loaded{}));
  return model;
}

// The same and a calm Kubernetes cluster beside it.
inline Model two_places() {
  Model model = small_place();
  reduce(model, on("train-a", ClusterSeen{Scheduler::kubernetes, true, "v1.29.4", "demo"}));
  Node calm = node("gpu-001", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  reduce(model, on("train-a", NodesListed{{calm}}));
  reduce(model, on("train-a", WorkloadsListed{{}}));
  reduce(model, on("train-a", SourceReport{Source::simulator, std::nullopt, Duration(1)}));
  reduce(model, on("train-a", Loaded{}));
  return model;
}

// Two places, the first with more nodes than are counted between two pictures.
inline Model large_places() {
  Model model = two_places();
  std::vector<Node> many = model.clusters.front().nodes.copies();
  for (int i = 0; i < 2600; ++i) many.push_back(node("a" + std::to_string(10000 + i), {}));
  reduce(model, on("hpc", NodesListed{many}));
  return model;
}

}  // namespace tessera::test
