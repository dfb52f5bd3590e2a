// The two placement maps of the layout editor, what is listed above what is wanted, and what is in the way.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/observed.hpp"
#include "tui/screens/layout/layout.hpp"

namespace tessera::tui {
namespace {

bool is_shared(Strategy strategy) {
  return strategy != Strategy::mig && strategy != Strategy::whole && strategy != Strategy::unknown;
}

// A tile of the GPU in view, as the plan names it.
const plan::SlicePlan* find(const std::vector<plan::SlicePlan>& slices, GpuIndex gpu, const Tile* tile) {
  for (const plan::SlicePlan& one : slices) {
    if (one.gpu != gpu) continue;
    if (!one.at || !tile) return &one;
    if (one.at->start == static_cast<int>(tile->from) &&
        one.at->start + one.at->size == static_cast<int>(tile->to))
      return &one;
  }
  return nullptr;
}

void sign(Tile& tile, std::string_view mark, Role role) {
  tile.label = std::string(mark) + " " + tile.label;
  tile.words = role;
}

bool is_slice(const Tile& tile) { return !tile.id.empty(); }

// What stands, each slice with what becomes of it.
Board now_board(const UiContext& ui, const LayoutView& view, const LayoutState& edit) {
  Board found;
  std::vector<Board> boards = boards_of(ui, *view.cluster, *view.node);
  for (std::size_t i = 0; i < view.node->gpus.size() && i < boards.size(); ++i)
    if (&view.node->gpus[i] == view.gpu) found = std::move(boards[i]);
  const plan::NodePlan* plan = plan_in_view(edit);
  if (!plan) return found;
  for (Tile& tile : found.tiles) {
    if (!is_slice(tile)) continue;
    const Tile* place = found.ruled ? &tile : nullptr;
    if (find(plan->destroyed, view.gpu->index, place))
      sign(tile, "-", Role::destroyed);
    else if (find(plan->kept, view.gpu->index, place))
      sign(tile, "=", Role::kept);
  }
  return found;
}

Tile* standing(Board& now, int from, int to, std::string_view profile) {
  for (Tile& tile : now.tiles) {
    bool here = static_cast<int>(tile.from) == from && static_cast<int>(tile.to) == to && is_slice(tile);
    if (here && tile.label.ends_with(profile)) return &tile;
  }
  return nullptr;
}

std::string_view ordinal(int number) {
  if (number % 100 / 10 == 1) return "th";
  return number % 10 == 1 ? "st" : number % 10 == 2 ? "nd" : number % 10 == 3 ? "rd" : "th";
}

std::string made_text(const plan::NodePlan* plan, const LayoutView& view, const Tile& tile) {
  if (!plan) return "new";
  const plan::SlicePlan* made = find(plan->created, view.gpu->index, &tile);
  if (!made) return "new";
  return made->recreated ? "created again" : fmt::format("{}{}", made->order, ordinal(made->order));
}

Board cut_board(const LayoutView& view, const LayoutState& edit, Board& now) {
  Board want;
  want.units = view.product->units;
  want.ruled = true;
  const plan::NodePlan* plan = plan_in_view(edit);
  for (const mig::Placed& one : edit.shown().layout) {
    const mig::Profile& profile = view.product->profiles[static_cast<std::size_t>(one.profile)];
    Tile tile;
    tile.from = one.start;
    tile.to = one.start + profile.memory_slices;
    Tile* old =
        now.ruled ? standing(now, one.start, one.start + profile.memory_slices, profile.name.text) : nullptr;
    bool stays = old && old->words != Role::destroyed;
    if (stays) {
      tile = *old;
      if (edit.differs() && !tile.words) sign(tile, "=", Role::kept);
    } else {
      tile.kind = TileKind::created;
      tile.label = profile.name.text;
      tile.lines = {made_text(plan, view, tile)};
      sign(tile, "+", Role::created);
    }
    tile.id = fmt::format("want {}", one.start);
    want.tiles.push_back(std::move(tile));
  }
  add_gaps(want, mig::room(*view.product, edit.shown().layout).stranded, true);
  return want;
}

Board want_board(const LayoutView& view, const UiState& state, const LayoutState& edit, Board& now) {
  if (!edit.differs()) return now;
  if (edit.shown().strategy == Strategy::mig && view.cut) return cut_board(view, edit, now);
  const plan::NodePlan* plan = plan_in_view(edit);
  bool stays = plan && !find(plan->created, view.gpu->index, nullptr) && !now.ruled;
  if (stays) return now;
  Board want;
  want.units = 1;
  Tile tile;
  tile.kind = TileKind::created;
  tile.label = "+ " + text_of(edit.shown(), view.product);
  if (is_shared(edit.shown().strategy) && view.product && view.product->memory_gb &&
      edit.shown().replicas > 1)
    tile.lines = {told(state, fmt::format("about {:.1f} GB each, if shared evenly",
                                          *view.product->memory_gb * 1.0 / edit.shown().replicas))};
  tile.to = 1;
  want.tiles.push_back(std::move(tile));
  return want;
}

void draw_board_row(Canvas& canvas, const LayoutPage& page, int y, const Board& board,
                    const std::string& selected, bool ascii) {
  TileRow row{board.tiles, board.units, page.text_lines, selected, ascii};
  draw_tiles(canvas, page.map.x, y, page.map.width, row);
}

// Who holds an instance that stands and is still wanted; empty: no holder.
std::string holder_of(const UiContext& ui, const LayoutView& view, mig::Placed one) {
  const mig::Profile& profile = view.product->profiles[static_cast<std::size_t>(one.profile)];
  const Slice* slice = plan::find_instance(*view.gpu, {profile.name, {one.start, profile.memory_slices}, {}});
  if (!slice || !plan::in_use(*slice)) return {};
  std::string who = holder_text(ui, *view.cluster, *slice).who;
  if (!who.empty()) return who;
  return view.cluster->scheduler == Scheduler::slurm ? "a running job" : "a running pod";
}

}  // namespace

void draw_layout_maps(Canvas& canvas, const LayoutPage& page, const UiContext& ui, const LayoutState& edit,
                      const LayoutView& view, const UiState& state) {
  const bool ascii = state.ascii;
  Board now = now_board(ui, view, edit);
  Board want = want_board(view, state, edit, now);
  if (page.ruler_y >= 0) draw_ruler(canvas, page.map.x, page.ruler_y, page.map.width, view.product->units);
  canvas.put(1, page.now_y, "now", Role::heading);
  canvas.put(1, page.want_y, "want", Style(Role::heading).with_bold());
  draw_board_row(canvas, page, page.now_y, now, {}, ascii);
  std::string selected;
  if (view.cut)
    for (const Tile& tile : want.tiles)
      if (is_slice(tile) && edit.unit >= tile.from && edit.unit < tile.to && want.ruled) selected = tile.id;
  draw_board_row(canvas, page, page.want_y, want, selected, ascii);
  if (!view.cut || page.pointer_y < 0) return;
  int cell = std::max(1, (page.map.width - 1) / view.product->units);
  canvas.put(page.map.x + edit.unit * cell + cell / 2, page.pointer_y, glyphs(ascii).ascending,
             Style(Role::accent).with_bold());
}

std::string why_no_room(const UiContext& ui, const LayoutView& view, const LayoutState& edit, int profile,
                        std::optional<int>& at) {
  const mig::Layout none;
  const mig::Layout& layout = edit.want.strategy == Strategy::mig ? edit.want.layout : none;
  at = mig::open_start_near(*view.product, layout, profile, edit.unit);
  if (at) return {};
  auto obstacle = mig::obstacle(*view.product, layout, profile, edit.unit);
  if (!obstacle) return "it does not fit";
  for (std::size_t index : obstacle->in_way) {
    const mig::Placed& one = layout[index];
    bool stands = std::find(view.now.begin(), view.now.end(), one) != view.now.end();
    std::string who = stands ? holder_of(ui, view, one) : std::string();
    if (who.empty()) continue;
    int size = view.product->profiles[static_cast<std::size_t>(one.profile)].memory_slices;
    if (size == 1) return fmt::format("{} holds slice {}", who, one.start);
    return fmt::format("{} holds slices {}-{}", who, one.start, one.start + size - 1);
  }
  return mig::to_text(*view.product, profile, *obstacle);
}

}  // namespace tessera::tui
