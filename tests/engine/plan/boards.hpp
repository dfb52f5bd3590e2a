// Values for tests of plans: GPUs, and what is wished for them.
#pragma once

#include "engine/plan/planner.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {

inline const mig::Product& h100() { return *catalogue().by_key("H100-80GB-SXM5"); }

inline Gpu cut(int index, std::vector<Slice> slices, const char* product = "H100-80GB-SXM5") {
  Gpu board = gpu(index, Strategy::mig, std::move(slices));
  board.mig_mode = MigMode::enabled;
  board.product = ProductKey(product);
  return board;
}
inline Gpu uncut(int index, int device, const char* product = "H100-80GB-SXM5") {
  Gpu board = gpu(index, Strategy::whole, {whole(device)});
  board.mig_mode = MigMode::disabled;
  board.product = ProductKey(product);
  return board;
}

inline plan::Intent wants(const std::string& layout, std::optional<int> board = 0) {
  plan::Intent intent;
  intent.cluster = ClusterName("hpc");
  intent.nodes = {NodeName("n1")};
  intent.words = layout;
  std::optional<GpuIndex> gpu;
  if (board) gpu = GpuIndex{*board};
  intent.boards = {{gpu, plan::parse_layout_wish(layout).value()}};
  return intent;
}
inline plan::Intent shares(Strategy strategy, int replicas) {
  plan::Intent intent = wants("none");
  intent.boards[0].wish.strategy = strategy;
  intent.boards[0].wish.replicas = replicas;
  return intent;
}

// The last word of a list of slices: "1g.10gb@0 2g.20gb@4".
inline std::string names(const std::vector<plan::SlicePlan>& slices) {
  std::string text;
  for (const plan::SlicePlan& one : slices) {
    if (!text.empty()) text += ' ';
    text += one.profile.empty() ? std::string(word(one.kind)) : one.profile.text;
    if (one.at) text += "@" + std::to_string(one.at->start);
  }
  return text;
}

}  // namespace tessera::test
