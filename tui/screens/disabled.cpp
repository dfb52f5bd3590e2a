// Why an action cannot be used here and now, in words for the message line.
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/overview.hpp"
#include "tui/screens/panes_of.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

std::string nothing_to_open(const UiState& state, const World& world) {
  const Screen& screen = state.top();
  if (is_table(screen.kind)) return screen.derived.rows.empty() ? "there is no row to open" : "";
  if (screen.kind == ScreenKind::overview)
    return world.model.clusters.empty() ? "there is no cluster to open" : "";
  if (screen.kind == ScreenKind::node || screen.kind == ScreenKind::workload)
    return screen.cursor.empty() ? "there is nothing to open" : "";
  if (screen.kind == ScreenKind::plan)
    return screen.cursor.starts_with("w\x1f") ? ""
                                              : "only work can be opened here; a step's commands are below";
  if (screen.kind == ScreenKind::journal) return run_here(state).empty() ? "there is no run to open" : "";
  if (screen.kind == ScreenKind::layout) return why_no_edit(Action::open, state, world);
  if (screen.kind == ScreenKind::guide) return why_no_open_in_guide(state);
  return "there is nothing to open here";
}

std::string nothing_behind(const UiState& state, const World& world) {
  const Screen& screen = state.top();
  if (is_table(screen.kind)) return screen.derived.rows.empty() ? "there is no row to ask about" : "";
  if (screen.kind == ScreenKind::overview)
    return world.model.clusters.empty() ? "there is no cluster to ask about" : "";
  if (screen.kind == ScreenKind::node || screen.kind == ScreenKind::workload) return "";
  return "there is no figure to ask about here";
}

std::string no_table(const UiState& state) {
  return is_table(state.top().kind) ? "" : "this works in tables: nodes, GPUs, slices, workloads";
}

std::string no_rows(const UiState& state) {
  if (std::string reason = no_table(state); !reason.empty()) return reason;
  return state.top().derived.rows.empty() ? "there is no row to mark" : "";
}

std::string why_not_change(Action action, const UiState& state, const World& world) {
  switch (info(action).scope) {
    case Scope::plan: return why_not_on_plan(action, state, world);
    case Scope::run: return why_not_on_run(action, state, world);
    case Scope::resume: return state.resuming ? "" : "no run is being taken up";
    case Scope::arm: return state.arming && state.arming->armed ? "" : "nothing is armed";
    case Scope::leave: return state.leaving == Leaving::asked ? "" : "no confirmation is pending";
    default: return "";
  }
}

bool can_go_back(const UiState& state, const World& world) {
  if (state.choice.kind != ChoiceKind::none || !state.top().filter_text.empty()) return true;
  if (state.stack.size() > 1) return true;
  return !state.loading_left && !world.model.clusters.empty() && !world.model.clusters.front().loaded;
}

}  // namespace

std::string why_disabled(Action action, const UiState& state, const World& world) {
  const Screen& screen = state.top();
  bool table = is_table(screen.kind);
  if (info(action).group == Group::change) return why_not_change(action, state, world);
  if (is_layout_action(action)) return why_no_edit(action, state, world);
  if (is_guide_action(action)) return why_no_guide_action(action, state, world);
  switch (action) {
    case Action::show_layout: return why_no_layout(state, world);
    case Action::open: return state.choice.kind != ChoiceKind::none ? "" : nothing_to_open(state, world);
    case Action::facts: return nothing_behind(state, world);
    case Action::back: return can_go_back(state, world) ? "" : "this is the first screen; q leaves tessera";
    case Action::next_sibling:
    case Action::previous_sibling: {
      if (screen.kind != ScreenKind::node && screen.kind != ScreenKind::workload)
        return "this walks along a list from the page of one node or workload";
      int step = action == Action::next_sibling ? 1 : -1;
      return has_sibling(state, world, step) ? ""
                                             : "there is no other that way in the list that you came from";
    }
    case Action::next_panel:
    case Action::previous_panel:
      if (screen.kind == ScreenKind::guide)
        return screen.guide.groups.size() > 1 ? "" : "all GPUs here are of one product";
      if (screen.kind == ScreenKind::layout) return why_no_edit(action, state, world);
      return screen.kind == ScreenKind::overview || screen.kind == ScreenKind::node ||
                     (is_paned(screen.kind) && !panes_of(world, state, state.size.columns).side.empty())
                 ? ""
                 : "this screen has one part";
    case Action::filter:
      return table || screen.kind == ScreenKind::log ? "" : "filters work in tables and in the events";
    case Action::clear_filter: return screen.filter_text.empty() ? "no filter is set" : "";
    case Action::find_next:
    case Action::find_previous:
      if (std::string reason = no_table(state); !reason.empty()) return reason;
      return screen.searched.empty() ? "search for something first, with /" : "";
    case Action::only_mine:
      if (std::string reason = no_table(state); !reason.empty()) return reason;
      return state.me.empty() ? "your user name is not known" : "";
    case Action::sort_reverse:
      if (std::string reason = no_table(state); !reason.empty()) return reason;
      return screen.sorts.empty() ? "the rows are not sorted by a column yet" : "";
    case Action::sort_next_column:
    case Action::sort_previous_column:
    case Action::sort_choose:
    case Action::choose_columns:
    case Action::toggle_wide: return no_table(state);
    case Action::follow: return screen.kind == ScreenKind::log ? "" : "this works in the events";
    case Action::mark:
    case Action::mark_all: return no_rows(state);
    case Action::clear_marks: return screen.marks.empty() ? "nothing is marked" : "";
    case Action::copy:
      // The footer asks with every frame, and the text of many marks is long.
      if (table && !screen.marks.empty()) return "";
      if (screen.kind == ScreenKind::guide)
        return copy_in_guide(state).empty() ? "there is nothing to copy yet" : "";
      return copy_text(state, world).empty() ? "nothing to copy here" : "";
    case Action::suspend:
      return under_way(state)
                 ? "a run is driven here, and it would stand still; leave that to another terminal"
                 : "";
    case Action::next_theme: return state.themes.size() < 2 ? "there is no other theme" : "";
    case Action::choice_toggle:
      return state.choice.kind == ChoiceKind::none ? "there is no list of choices" : "";
    case Action::help: return screen.kind == ScreenKind::help ? "this is the help" : "";
    default: return "";
  }
}

}  // namespace tessera::tui
