// A node for the layout editor with a GPU of each kind, and two that are alike beside it.
#pragma once

#include "tests/tui/screens/places.hpp"

namespace tessera::test {

inline Gpu board(int index, const char* product, Strategy strategy, std::vector<Slice> slices) {
  Gpu made = gpu(index, strategy, std::move(slices));
  made.model = product;
  made.product = ProductKey(product);
  made.mig_mode = strategy == Strategy::mig ? MigMode::enabled : MigMode::disabled;
  return made;
}

// 0 H100 with alice on 1g@0 and erin on 1g@4; 1 A100 cut into nothing; 2 A30 half used by bob; 3 Blackwell
// with twelve slices, whole and free; 4 H100 shared by MPS among carol and dave; 5 unknown.
inline Node one_of_each() {
  Gpu strange = gpu(5, Strategy::whole, {whole(9)});
  strange.model = "ACME 9000";
  strange.product.reset();
  Node n =
      node("lab1",
           {board(0, "H100-80GB-SXM5", Strategy::mig,
                  {instance("1g.10gb", 0, 1, 0), instance("2g.20gb", 2, 2, 1), instance("1g.10gb", 4, 1, 2)}),
            board(1, "A100-40GB", Strategy::mig, {}),
            board(2, "A30-24GB", Strategy::mig, {instance("2g.12gb", 0, 2, 3), instance("1g.6gb", 2, 1, 4)}),
            board(3, "RTX-PRO-6000-Blackwell-96GB", Strategy::whole, {whole(5)}),
            board(4, "H100-80GB-SXM5", Strategy::mps, {shared(SliceKind::mps, 4, 6)}), strange});
  n.origin = Origin{Source::simulator, at(-4)};
  return n;
}

inline Node twins() {
  return node("twin1", {board(0, "H100-80GB-SXM5", Strategy::mig,
                              {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)}),
                        board(1, "H100-80GB-SXM5", Strategy::mig, {instance("1g.10gb", 6, 1, 2)})});
}

inline Model layout_place() {
  Model model;
  reduce(model, on("sim", ClusterSeen{Scheduler::slurm, true, "slurm 22.05.8", "demo"}));
  reduce(model, on("sim", NodesListed{{one_of_each(), twins(), pool_node()}}));
  std::vector<Workload> work{
      named(running("700", "alice", {holds("lab1", {{0}})}), "embed-3", -7800),
      named(running("701", "erin", {holds("lab1", {{2}})}), "tune", -435600),
      named(running("702", "bob", {holds("lab1", {{3}})}), "notebook", -1200),
      named(running("703", "carol", {holds("lab1", {{6, 1}}, Family::mps)}), "serve", -90),
      named(running("704", "dave", {holds("lab1", {{6, 1}}, Family::mps)}), "eval", -90),
      named(running("705", "frank", {holds("twin1", {{2}})}), "sweep", -600),
      waiting("710", "judy", "gpu:3g.40gb"),
      waiting("711", "kim", "gpu:1g.10gb")};
  work[0].restartable = true;
  work[1].restartable = false;
  reduce(model, on("sim", WorkloadsListed{work}));
  reduce(model, on("sim", SourceReport{Source::simulator, std::nullopt, Duration(1)}));
  reduce(model, on("sim", Loaded{}));
  return model;
}

}  // namespace tessera::test
