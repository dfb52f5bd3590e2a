// The layout editor: what stands on a GPU, what is wanted of it, and what that change would do.
//
// Nothing here changes a cluster: an edit ends in a plan, which has its own screen. Works read-only, too.
// Threads: the UI thread; what draws only reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/screens/pages/boards.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

// Opens the editor for nodes of a cluster, all GPUs of one product, or one GPU of one node. `start` is
// what is wanted at first; nullopt: what stands. Where it cannot be opened a message says why.
void open_layout(UiState& state, const UiContext& ui, const ClusterName& cluster, std::vector<NodeName> nodes,
                 std::optional<GpuIndex> gpu, std::optional<plan::Wish> start = std::nullopt);
// What is wanted of each GPU by itself, in the editor that is open.
void take_for_each(UiState& state, const UiContext& ui, const std::vector<plan::BoardWish>& wishes);
// For what the cursor is on, or what is marked.
void open_layout_here(UiState& state, const UiContext& ui);
// The names of the presets for that, or for the GPU in the editor; empty: there is nothing to edit.
std::vector<std::string> presets_here(const UiState& state, const UiContext& ui);
// Opens the editor where it is not open, and takes the preset of that name.
std::optional<Error> take_named_preset(UiState& state, const UiContext& ui, const std::string& name);
// Why there is nothing to edit there; empty: there is.
std::string why_no_layout(const UiState& state, const UiContext& ui);

// What the editor on top is about, looked up again in the model for every key and frame.
struct LayoutView {
  const Cluster* cluster = nullptr;
  const Node* node = nullptr;  // of the GPU in view
  const Gpu* gpu = nullptr;
  const mig::Product* product = nullptr;  // nullptr: not in the catalogue
  bool cut = false;                       // its placements are known: there are slices to walk along
  mig::Layout now;                        // what stands, where that is told
};
// nullopt: the GPU has left the cluster.
std::optional<LayoutView> layout_view(const UiContext& ui, const Screen& screen);
// What the cluster's backend can change; for one that cannot, what its scheduler's way would be.
plan::Means capabilities_of(const UiState& state, const Cluster& cluster);

// Keys (layout_keys.cpp).
std::string why_no_edit(Action action, const UiState& state, const UiContext& ui);
Effects edit_layout(UiState& state, const UiContext& ui, Action action);
void move_in_layout(UiState& state, const UiContext& ui, Rect body, Action action);
Effects open_in_layout(UiState& state, const UiContext& ui);
std::string why_no_open_in_layout(const UiState& state, const UiContext& ui);
// Why Tab shows no other GPU.
std::string one_board(const UiState& state, const UiContext& ui);
// True: Esc was used up, the editor stays open.
bool back_in_layout(UiState& state, const UiContext& ui);
bool click_layout(UiState& state, const UiContext& ui, Rect body, int x, int y);
// ":replicas 8".
std::optional<Error> type_replicas(UiState& state, const UiContext& ui, const std::string& text);

// Named layouts and ways of sharing (layout_presets.cpp).
// Shares of the GPU in view that are not for anyone to choose (engine/sharing/shares.hpp).
std::optional<int> fixed_shares(const LayoutView& view, Strategy strategy);
// A managed platform with tables of its own takes no other names. told_by_site: as for plans.
std::vector<PresetChoice> preset_choices(const LayoutView& view, const plan::Means& can,
                                         std::optional<sharing::Platform> told_by_site = std::nullopt);
// The layout with which most of the waiting work starts. Errors say why there is none.
struct BestLayout {
  Want want;
  std::string why;  // "88140 and 88141 would start"
};
// platform: as the site says; nullopt: as the cluster looks.
Result<BestLayout> best_layout(const UiContext& ui, const LayoutView& view, const LayoutState& edit,
                               std::optional<sharing::Platform> told_by_site);

// The plan for what is wanted (layout_preview.cpp).
void refresh_layout(UiState& state, Screen& screen, const UiContext& ui);
// room: of its part of the screen. Rows that it has not are lines to scroll to; where they are few, fewer are
// listed who are disturbed.
Document preview_document(const UiState& state, const LayoutView& view, Size room);
// The part of the plan about the GPU in view; nullptr: there is no plan.
const plan::NodePlan* plan_in_view(const LayoutState& edit);

// The screen (layout_draw.cpp, layout_map.cpp).
struct LayoutPage {
  int head_y = 0;
  int ruler_y = -1;  // -1: there is no room for it, or no slices
  int now_y = 0, want_y = 0;
  int text_lines = 1;
  int pointer_y = -1;
  Rect map;   // x and width of both rows of tiles
  Rect list;  // heading included
  Rect preview;
};
LayoutPage layout_page(const LayoutState& edit, const LayoutView& view, Rect body);
// First row of the list in view.
int list_top(const LayoutState& edit, int rows, int count);
int list_count(const LayoutState& edit, const LayoutView& view);
// Returns what the rule below says about the place in the preview.
std::string draw_layout(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state);
void draw_layout_maps(Canvas& canvas, const LayoutPage& page, const UiContext& ui, const LayoutState& edit,
                      const LayoutView& view, const UiState& state);
// Why one more of a profile cannot go anywhere, with the holder's name where one is in the way; empty: it
// can. `at` is set to the start that it would get.
std::string why_no_room(const UiContext& ui, const LayoutView& view, const LayoutState& edit, int profile,
                        std::optional<int>& at);

}  // namespace tessera::tui
