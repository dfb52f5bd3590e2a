#include "tui/screens/pack/board_lines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "engine/insight/available.hpp"
#include "engine/pack/whole.hpp"
#include "engine/query/tables.hpp"

namespace tessera::tui {
namespace {

Slice free_instance(const mig::Product& product, const mig::Placed& placed) {
  const mig::Profile& profile = product.profiles[static_cast<std::size_t>(placed.profile)];
  Slice slice;
  slice.kind = SliceKind::gpu_instance;
  slice.profile = profile.name;
  slice.placement = Placement{placed.start, profile.memory_slices};
  slice.holding = Holding::free;
  return slice;
}

// What stays as it is, and what is made, free. Of a GPU whose places are not told, nothing is held.
Gpu afterwards(const Gpu& now, const pack::BoardPlan& plan, const mig::Product& product, bool placed) {
  Gpu after = now;
  if (plan.to_whole) {
    Slice whole;
    whole.kind = SliceKind::whole_gpu;
    whole.holding = Holding::free;
    after.strategy = Strategy::whole;
    after.mig_mode = MigMode::disabled;
    after.slices = {std::move(whole)};
    return after;
  }
  after.strategy = Strategy::mig;
  std::erase_if(after.slices, [&](const Slice& slice) {
    return std::none_of(plan.keep.begin(), plan.keep.end(), [&](const mig::Placed& kept) {
      return slice.kind == SliceKind::gpu_instance && slice.placement && slice.placement->start == kept.start;
    });
  });
  if (!placed)
    for (const mig::Placed& kept : plan.keep) after.slices.push_back(free_instance(product, kept));
  for (const mig::Placed& made : plan.create) after.slices.push_back(free_instance(product, made));
  return after;
}

std::string counted(const std::vector<mig::Placed>& list, const mig::Product& product) {
  std::map<std::string, int> by_name;
  for (const mig::Placed& one : list)
    ++by_name[product.profiles[static_cast<std::size_t>(one.profile)].name.text];
  std::string text;
  for (const auto& [name, count] : by_name)
    text += fmt::format("{}{}×{}", text.empty() ? "" : ", ", count, name);
  return text;
}

}  // namespace

DocLine board_heads() {
  DocLine heads;
  heads.spans.push_back({"GPU", Role::heading, 1});
  heads.spans.push_back({"NOW", Role::heading, 20});
  heads.spans.push_back({"AFTERWARDS", Role::heading, 33});
  return heads;
}

DocLine board_line(const UiContext& ui, const UiState& state, const ClusterName& name,
                   const pack::Problem& problem, const pack::BoardPlan& plan, bool old) {
  const pack::Board& board = problem.boards[plan.board];
  DocLine line;
  const Style style = old ? Style(Role::dim) : Style(Role::text);
  line.spans.push_back(
      {fmt::format("{} {}", shorten(board.node.text, 14, state.ascii), board.gpu.value), style, 1});
  const Cluster* cluster = ui.model.find(name);
  const Node* node = cluster ? cluster->nodes.find(board.node) : nullptr;
  if (!node) return line;
  const auto gpu = std::find_if(node->gpus.begin(), node->gpus.end(),
                                [&](const Gpu& one) { return one.index == board.gpu; });
  if (gpu == node->gpus.end()) return line;
  const mig::Product& product = *problem.products[board.product];
  const insight::Sight sight = insight::sight_of(*cluster, *node);
  line.spans.push_back({query::strip(*gpu, &ui.catalogue, state.ascii, sight), style, 20});
  line.spans.push_back({state.ascii ? "->" : "→", Role::dim, 30});
  line.spans.push_back(
      {query::strip(afterwards(*gpu, plan, product, board.placed), &ui.catalogue, state.ascii, sight), style,
       33});
  const std::string makes = plan.to_whole ? std::string(pack::kWhole) : counted(plan.create, product);
  if (!makes.empty()) line.spans.push_back({"+ " + makes, old ? Role::dim : Role::good, 44});
  return line;
}

}  // namespace tessera::tui
