// Why an action cannot be used here and now, in words for the message line: the functions that the rows of
// tui/action_rows.hpp name, and the table of them.
#include <array>

#include "tui/screens/advise/advise.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/pages/doctor.hpp"
#include "tui/screens/plan/node_actions.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/plan_words.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/time_travel.hpp"
#include "tui/screens/usage.hpp"
#include "tui/screens/users.hpp"

namespace tessera::tui {
namespace reasons {
namespace {

std::string nothing_to_open(Action, const UiState& state, const UiContext& ui) {
  if (state.choice.kind != ChoiceKind::none) return "";
  const ScreenRow& row = row_of(state);
  if (!row.open) return "there is nothing to open here";
  return row.why_no_open ? row.why_no_open(state, ui) : "";
}

std::string nothing_behind(Action, const UiState& state, const UiContext& ui) {
  const ScreenRow& row = row_of(state);
  if (!row.facts) return "there is no figure here whose source could be shown";
  return row.why_no_facts ? row.why_no_facts(state, ui) : "";
}

std::string always(Action, const UiState&, const UiContext&) { return ""; }

std::string no_table(Action, const UiState& state, const UiContext&) {
  return is_table(state.top().kind) ? "" : "this works in tables: nodes, GPUs, slices, workloads";
}

std::string one_part(Action, const UiState& state, const UiContext& ui) {
  const ScreenRow& row = row_of(state);
  return row.no_parts ? row.no_parts(state, ui) : std::string(row.parts);
}

std::string first_screen(Action, const UiState& state, const UiContext& ui) {
  if (state.choice.kind != ChoiceKind::none || !state.top().filter_text.empty()) return "";
  if (state.stack.size() > 1) return "";
  const bool loads = !state.loading_left && !ui.model.clusters.empty() && !ui.model.clusters.front().loaded;
  return loads ? "" : "this is the first screen; q leaves tessera";
}

std::string no_last(Action, const UiState& state, const UiContext&) {
  return state.last_view.empty() ? "no other screen has been left yet" : "";
}

std::string no_sibling(Action action, const UiState& state, const UiContext& ui) {
  if (row_of(state).crumb != Crumb::subject)
    return "this walks along a list from the page of one node or workload";
  const int step = action == Action::next_sibling ? 1 : -1;
  return has_sibling(state, ui, step) ? "" : "the list that you came from ends here";
}

std::string no_filter(Action, const UiState& state, const UiContext&) {
  const ScreenRow& row = row_of(state);
  return row.table || row.filtered ? "" : "filters work in tables and in the events";
}

std::string unfiltered(Action, const UiState& state, const UiContext&) {
  return state.top().filter_text.empty() ? "no filter is set" : "";
}

std::string not_searched(Action action, const UiState& state, const UiContext& ui) {
  if (std::string reason = no_table(action, state, ui); !reason.empty()) return reason;
  return state.top().searched.empty() ? "search for something first, with /" : "";
}

std::string no_user(Action action, const UiState& state, const UiContext& ui) {
  if (std::string reason = no_table(action, state, ui); !reason.empty()) return reason;
  return state.me.empty() ? "your user name is not known" : "";
}

std::string not_sorted(Action action, const UiState& state, const UiContext& ui) {
  if (std::string reason = no_table(action, state, ui); !reason.empty()) return reason;
  return state.top().sorts.empty() ? "the rows are not sorted by a column yet" : "";
}

std::string no_events(Action, const UiState& state, const UiContext&) {
  return row_of(state).newest_first ? "" : "this works in the events";
}

std::string why_no_events_here(Action, const UiState& state, const UiContext& ui) {
  return subject_here(state, ui) ? "" : "no node, job or pod is chosen here";
}

std::string no_rows(Action action, const UiState& state, const UiContext& ui) {
  if (std::string reason = no_table(action, state, ui); !reason.empty()) return reason;
  return state.top().derived.rows.empty() ? "there is no row to mark" : "";
}

std::string not_marked(Action, const UiState& state, const UiContext&) {
  return state.top().marks.empty() ? "nothing is marked" : "";
}

std::string nothing_to_copy(Action, const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  // The footer asks with every frame, and the text of many marks is long, as are messages to many.
  if (is_table(screen.kind) && !screen.marks.empty()) return "";
  if (screen.kind == ScreenKind::messages && state.plan && tells_owners(state.plan->plan)) return "";
  return copy_text(state, ui).empty() ? std::string(row_of(state).nothing_to_copy) : "";
}

std::string no_layout(Action, const UiState& state, const UiContext& ui) { return why_no_layout(state, ui); }

std::string is_help(Action, const UiState& state, const UiContext&) {
  return state.top().kind == ScreenKind::help ? "this is the help" : "";
}

std::string drives_run(Action, const UiState& state, const UiContext&) {
  return under_way(state) ? "a run is driven here, and it would stand still; leave that to another terminal"
                          : "";
}

std::string one_theme(Action, const UiState& state, const UiContext&) {
  return state.themes.size() < 2 ? "there is no other theme" : "";
}

std::string no_choices(Action, const UiState& state, const UiContext&) {
  return state.choice.kind == ChoiceKind::none ? "there is no list of choices" : "";
}

std::string not_resuming(Action, const UiState& state, const UiContext&) {
  return state.resuming ? "" : "no run is being resumed";
}

std::string not_armed(Action, const UiState& state, const UiContext&) {
  return state.arming && state.arming->armed ? "" : "nothing is armed";
}

std::string not_leaving(Action, const UiState& state, const UiContext&) {
  return state.leaving == Leaving::asked ? "" : "no confirmation is pending";
}

std::string not_typing(Action, const UiState& state, const UiContext&) {
  return wants_text(state) ? "" : "nothing is being typed";
}

using Why = std::string (*)(Action, const UiState&, const UiContext&);
#define TESSERA_WHY(name, id, title, help, keys, scope, group, act, why) why,
constexpr std::array<Why, static_cast<std::size_t>(Action::count_)> kWhys{TESSERA_ACTIONS(TESSERA_WHY)};
#undef TESSERA_WHY

}  // namespace
}  // namespace reasons

std::string why_disabled(Action action, const UiState& state, const UiContext& ui) {
  if (std::string reason = refused_in_past(action, state); !reason.empty()) return reason;
  return reasons::kWhys[static_cast<std::size_t>(action)](action, state, ui);
}

}  // namespace tessera::tui
