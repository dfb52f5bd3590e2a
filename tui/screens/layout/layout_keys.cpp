// The keys and the mouse of the layout editor.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "engine/plan/steps/operator_goal.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/layout/layout_preview.hpp"
#include "tui/screens/plan/next_hours.hpp"
#include "tui/screens/plan/plan.hpp"

namespace tessera::tui {
namespace {

LayoutState& edit_of(UiState& state) { return *state.top().layout; }

int& row_of(LayoutState& edit) { return edit.list == LayoutList::profiles ? edit.profile : edit.preset; }

void open_presets(UiState& state, const LayoutView& view) {
  LayoutState& edit = edit_of(state);
  if (edit.list == LayoutList::presets) {
    edit.list = LayoutList::profiles;
    return;
  }
  edit.presets = preset_choices(view, capabilities_of(state, *view.cluster), state.platform);
  edit.list = LayoutList::presets;
  edit.preset = std::clamp(edit.preset, 0, static_cast<int>(edit.presets.size()) - 1);
}

std::string take_preset(LayoutState& edit) {
  const PresetChoice& choice = edit.presets[static_cast<std::size_t>(edit.preset)];
  if (!choice.why_not.empty()) return choice.name + ": " + choice.why_not;
  take(edit, choice.want);
  edit.list = LayoutList::profiles;
  return {};
}

std::string why_fixed(const LayoutView& view, Strategy strategy) {
  if (!fixed_shares(view, strategy)) return "";
  return view.cluster->scheduler == Scheduler::slurm
             ? "Slurm hands MPS out in percent of a GPU: jobs ask for mps:25, there is no number to choose"
             : "ACK hands MPS out in GiB of memory: there is no number to choose";
}

std::string more_shares(LayoutState& edit, const LayoutView& view, int by) {
  std::string why = why_fixed(view, edit.want.strategy);
  return why.empty() ? change_replicas(edit, by) : why;
}

// Enter and +: what the list under the cursor offers; + makes more shares of a GPU that is shared.
std::string add(LayoutState& edit, const LayoutView& view, bool plus) {
  if (edit.list == LayoutList::presets) return take_preset(edit);
  bool cut_now = edit.want.strategy == Strategy::mig || edit.want.strategy == Strategy::whole;
  if (plus && !cut_now) return more_shares(edit, view, 1);
  return add_instance(edit, view.product, edit.profile);
}

std::string remove(LayoutState& edit, const LayoutView& view) {
  bool cut_now = edit.want.strategy == Strategy::mig || edit.want.strategy == Strategy::whole;
  return cut_now ? remove_instance(edit, view.product) : more_shares(edit, view, -1);
}

std::string take_best(UiState& state, const UiContext& ui, const LayoutView& view) {
  LayoutState& edit = edit_of(state);
  Result<BestLayout> best = best_layout(ui, view, edit, state.platform);
  if (!best) return to_line(best.error());
  take(edit, std::move(best->want));
  say(state, ui, Severity::good, best->why);
  return {};
}

// What is wanted goes along to a GPU of the same product; another product starts from what stands there.
void look_at(LayoutState& edit, const UiContext& ui, const Screen& screen, std::size_t next) {
  bool same = edit.boards[next].product == edit.board().product;
  look_at_board(edit, next);
  edit.scrolled = 0;
  edit.list = LayoutList::profiles;
  if (same) return;
  if (auto view = layout_view(ui, screen)) start_over(edit, want_of(*view->gpu, view->product));
}

void next_board(UiState& state, const UiContext& ui, int step) {
  LayoutState& edit = edit_of(state);
  auto count = static_cast<int>(edit.boards.size());
  int next = (static_cast<int>(edit.viewed) + step + count) % count;
  look_at(edit, ui, state.top(), static_cast<std::size_t>(next));
}

// How the node has a switch now: by the plan, which has looked, or by its configuration where nothing is
// edited yet.
std::string flip(const UiState& state, LayoutState& edit, const LayoutView& view,
                 std::optional<bool> Want::*which) {
  if (view.cluster->scheduler != Scheduler::kubernetes)
    return "this is a switch of the Kubernetes device plugin";
  const plan::NodePlan* node = plan_in_view(edit);
  if (!node && edit.preview.error) return to_line(*edit.preview.error);
  const std::optional<plan::Switches> now =
      !node                   ? plan::switches_now(capabilities_of(state, *view.cluster), *view.node)
      : node->switches_before ? node->switches_before
                              : node->switches_after;
  if (!node && !now) return "choose how to share it first";
  const bool rename = which == &Want::rename_shared;
  return flip_switch(edit, which, now && (rename ? now->rename : now->refuse_several));
}

void ask_for_replicas(UiState& state) {
  open_prompt(state, InputKind::command);
  state.input.text = "replicas ";
  state.input.cursor = state.input.text.size();
}

// Where the preview was scrolled, or much stands above them: what was asked for is shown.
void scroll_to_hours(LayoutState& edit, const UiState& state, const LayoutView& view, Rect body) {
  const Rect area = page_in_view(state, view, body).preview;
  const Document lines = preview_document(state, view, {area.width, area.height});
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](const DocLine& line) { return line.id == kNextHours; });
  if (first == lines.end()) return;
  const auto at = static_cast<int>(first - lines.begin());
  if (at >= edit.scrolled && at + 1 < edit.scrolled + area.height) return;
  edit.scrolled = std::clamp(at, 0, std::max(0, static_cast<int>(lines.size()) - area.height));
}

void play_other_hours(UiState& state, const UiContext& ui, const LayoutView& view) {
  LayoutState& edit = edit_of(state);
  edit.hours = next_hours(edit.hours);
  refresh_layout(state, state.top(), ui);
  scroll_to_hours(edit, state, view, body_of(state, ui));
  say(state, ui, Severity::info, fmt::format("the next {} h are played", edit.hours));
}

// A reset would change it.
bool mode_is_pending(const Gpu& gpu) {
  return gpu.mig_mode == MigMode::enable_pending || gpu.mig_mode == MigMode::disable_pending;
}

std::string why_no_hours(const LayoutState& edit) { return edit.differs() ? "" : "nothing is edited yet"; }

std::string leave_for_plan(UiState& state, const UiContext& ui) {
  LayoutState& edit = edit_of(state);
  if (edit.list == LayoutList::presets) {
    if (std::string why = take_preset(edit); !why.empty()) return why;
    refresh_layout(state, state.top(), ui);
  }
  if (edit.preview.error) return to_line(*edit.preview.error);
  if (!edit.preview.plan || !edit.preview.plan->changes_anything())
    return "same layout as now: nothing to plan";
  plan::Plan plan = *edit.preview.plan;  // the editor stays below, to come back to
  std::erase_if(plan.notices, [](const plan::Notice& one) { return one.rule == kNextHours; });
  open_plan(state, ui, std::move(plan), {});
  return {};
}

// One step of the list of profiles or presets, by lines.
int lines_of(Action action, int page) {
  constexpr int kFar = 1 << 20;
  switch (action) {
    case Action::cursor_up: return -1;
    case Action::cursor_down: return 1;
    case Action::go_first: return -kFar;
    case Action::go_last: return kFar;
    case Action::half_page_up: return -std::max(1, page / 2);
    case Action::half_page_down: return std::max(1, page / 2);
    case Action::page_up: return -page;
    case Action::page_down: return page;
    default: return 0;
  }
}

}  // namespace

std::string why_no_edit(Action action, const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  if (screen.kind != ScreenKind::layout || !screen.layout)
    return "this works in the layout editor: L on a node or GPU opens it";
  std::optional<LayoutView> view = layout_view(ui, screen);
  if (!view) return "this GPU is not in the list any more";
  const LayoutState& edit = *screen.layout;
  // A name typed into the list of presets must not edit GPUs letter by letter.
  const bool of_list = action == Action::open || action == Action::layout_add ||
                       action == Action::layout_presets || action == Action::layout_plan;
  if (edit.list == LayoutList::presets && info(action).scope == Scope::layout && !of_list)
    return "the list of presets is open: Enter takes the one under the cursor, Esc closes the list";
  switch (action) {
    case Action::layout_undo: return edit.past.empty() ? "nothing to undo" : "";
    case Action::layout_redo: return edit.next.empty() ? "there is nothing to do again" : "";
    case Action::layout_reset: return edit.touched ? "" : "nothing is edited yet";
    case Action::layout_all:
    case Action::next_panel:
    case Action::previous_panel: return edit.boards.size() < 2 ? "there is one GPU here" : "";
    case Action::layout_plan:
      if (edit.differs()) return "";
      return mode_is_pending(*view->gpu) ? "nothing is edited yet: a change of its MIG mode is pending, and "
                                           "a layout says what it is to be"
                                         : "nothing is edited yet";
    case Action::layout_hours: return why_no_hours(edit);
    default: return "";
  }
}

Effects edit_layout(UiState& state, const UiContext& ui, Action action) {
  std::optional<LayoutView> view = layout_view(ui, state.top());
  if (!view) return {};
  LayoutState& edit = edit_of(state);
  edit.leaving = false;
  std::string why;
  switch (action) {
    case Action::open: why = add(edit, *view, false); break;
    case Action::layout_add: why = add(edit, *view, true); break;
    case Action::layout_remove: why = remove(edit, *view); break;
    case Action::layout_slide_left: why = slide_instance(edit, view->product, -1); break;
    case Action::layout_slide_right: why = slide_instance(edit, view->product, 1); break;
    case Action::layout_undo: why = undo_edit(edit); break;
    case Action::layout_redo: why = redo_edit(edit); break;
    case Action::layout_clear: why = clear_board(edit, view->product); break;
    case Action::layout_reset: start_over(edit, want_of(*view->gpu, view->product)); break;
    case Action::layout_presets: open_presets(state, *view); break;
    case Action::layout_best: why = take_best(state, ui, *view); break;
    case Action::layout_replicas: ask_for_replicas(state); break;
    case Action::layout_hours: play_other_hours(state, ui, *view); break;
    case Action::layout_rename: why = flip(state, edit, *view, &Want::rename_shared); break;
    case Action::layout_refuse: why = flip(state, edit, *view, &Want::refuse_several); break;
    case Action::layout_all:
      edit.all = !edit.each.empty() || !edit.all;
      edit.each.clear();
      break;
    case Action::layout_plan: why = leave_for_plan(state, ui); break;
    default: break;
  }
  // A plan that cannot be made is worth reading again: 6 keeps it.
  const Severity severity = action == Action::layout_plan ? Severity::warning : Severity::info;
  if (!why.empty()) say(state, ui, severity, std::move(why));
  return {};
}

void move_in_layout(UiState& state, const UiContext& ui, Rect body, Action action) {
  std::optional<LayoutView> view = layout_view(ui, state.top());
  if (!view) return;
  LayoutState& edit = edit_of(state);
  edit.leaving = false;
  LayoutPage page = page_in_view(state, *view, body);
  int last = view->cut ? view->product->units - 1 : 0;
  switch (action) {
    case Action::cursor_left: edit.unit = std::max(0, edit.unit - 1); return;
    case Action::cursor_right: edit.unit = std::min(last, edit.unit + 1); return;
    case Action::next_panel: return next_board(state, ui, 1);
    case Action::previous_panel: return next_board(state, ui, -1);
    case Action::page_up:
    case Action::page_down:
    case Action::half_page_up:
    case Action::half_page_down: {
      int lines =
          static_cast<int>(preview_document(state, *view, {page.preview.width, page.preview.height}).size());
      edit.scrolled = std::clamp(edit.scrolled + lines_of(action, page.preview.height), 0,
                                 std::max(0, lines - page.preview.height));
      return;
    }
    default: break;
  }
  int& row = row_of(edit);
  row = std::clamp(row + lines_of(action, page.list.height - 1), 0, std::max(0, list_count(edit, *view) - 1));
}

bool back_in_layout(UiState& state, const UiContext& ui) {
  LayoutState& edit = edit_of(state);
  if (edit.list == LayoutList::presets) {
    edit.list = LayoutList::profiles;
    return true;
  }
  if (!edit.touched || edit.leaving) return false;
  edit.leaving = true;
  std::size_t edits = edit.past.size();
  say(state, ui, Severity::warning,
      fmt::format("Esc again leaves, and the edit{} {} lost", edits == 1 ? "" : "s",
                  edits == 1 ? "is" : "are"));
  return true;
}

bool click_layout(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  std::optional<LayoutView> view = layout_view(ui, state.top());
  if (!view) return false;
  LayoutState& edit = edit_of(state);
  edit.leaving = false;
  LayoutPage page = page_in_view(state, *view, body);
  int first = page.ruler_y >= 0 ? page.ruler_y : page.now_y;
  bool on_map = y >= first && y <= page.want_y + page.text_lines && x >= page.map.x && x < page.map.right();
  if (view->cut && on_map) {
    int cell = std::max(1, (page.map.width - 1) / view->product->units);
    edit.unit = std::clamp((x - page.map.x) / cell, 0, view->product->units - 1);
    return true;
  }
  const Rect& list = page.list;
  if (y <= list.y || y >= list.bottom() || x < list.x || x >= list.right()) return false;
  int count = list_count(edit, *view);
  int row = list_top(edit, list.height - 1, count) + y - list.y - 1;
  if (row < 0 || row >= count) return false;
  row_of(edit) = row;
  return true;
}

std::optional<Error> type_replicas(UiState& state, const UiContext& ui, const std::string& text) {
  Screen& screen = state.top();
  if (screen.kind != ScreenKind::layout || !screen.layout)
    return Error{"replicas are set in the layout editor", "", "L on a node or GPU opens it"};
  int number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return Error{"replicas are a number", "", "for example :replicas 8"};
  std::optional<LayoutView> view = layout_view(ui, screen);
  std::string why = view ? why_fixed(*view, screen.layout->want.strategy) : "";
  if (why.empty()) why = set_replicas(*screen.layout, number);
  if (!why.empty()) return Error{std::move(why), "", ""};
  return std::nullopt;
}

Effects open_in_layout(UiState& state, const UiContext& ui) { return edit_layout(state, ui, Action::open); }

std::string why_no_open_in_layout(const UiState& state, const UiContext& ui) {
  return why_no_edit(Action::open, state, ui);
}

std::string one_board(const UiState& state, const UiContext& ui) {
  return why_no_edit(Action::next_panel, state, ui);
}

const Body kLayoutBody{draw_layout, move_in_layout, nullptr, click_layout};

}  // namespace tessera::tui
