#include "engine/plan/files/boot_layout.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "engine/operators/mig_parted.hpp"

namespace tessera::plan {
namespace {

// GPUs that are to be alike share a row.
class BoardRows {
 public:
  void add(const BoardState& state) {
    std::map<std::string, int> counts;
    if (state.mig)
      for (const InstanceAt& one : state.instances) ++counts[one.profile.text];
    rows_[{state.mig, counts}].push_back(state.gpu.value);
  }
  std::string document(const Node& node) const {
    operators::MigConfig config{kLayoutName, {}};
    for (const auto& [state, gpus] : rows_)
      config.rows.push_back({{}, false, gpus, state.first, state.second});
    return fmt::format("# {}: written by tessera\n{}", node.name.text, operators::document_of({config}));
  }

 private:
  std::map<std::pair<bool, std::map<std::string, int>>, std::vector<int>> rows_;  // mode, profiles → GPUs
};

}  // namespace

std::string boot_layout(const Node& node, const std::vector<BoardChange>& changes) {
  BoardRows rows;
  for (const Gpu& gpu : node.gpus) {
    BoardState state = state_of(gpu);
    for (const BoardChange& change : changes)
      if (change.gpu == gpu.index) state = change.after;
    rows.add(state);
  }
  return rows.document(node);
}

std::string recut_layout(const Node& node, const std::vector<BoardChange>& changes) {
  BoardRows rows;
  for (const BoardChange& change : changes)
    if (change.mode_changes || change.instances_change()) rows.add(change.after);
  return rows.document(node);
}

}  // namespace tessera::plan
