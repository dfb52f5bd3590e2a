// The footer and the spelling of keys.
#include "tui/screens/frame.hpp"

namespace tessera::tui {

std::vector<Action> footer_actions(ScreenKind kind) {
  using enum Action;
  switch (kind) {
    case ScreenKind::overview:
      return {open,           next_panel,   show_nodes, show_gpus, show_slices,
              show_workloads, show_waiting, palette,    facts};
    case ScreenKind::nodes:
    case ScreenKind::gpus:
    case ScreenKind::slices:
    case ScreenKind::workloads:
      return {open, filter, back, facts, sort_next_column, only_mine, choose_columns, mark, copy, palette};
    case ScreenKind::node:
      return {open, facts, back, show_layout, previous_sibling, next_sibling, copy, show_waiting, palette};
    case ScreenKind::layout:
      return {layout_add,  layout_remove, layout_presets, layout_best, layout_undo,
              layout_plan, layout_all,    back,           palette};
    case ScreenKind::workload: return {open, facts, back, previous_sibling, next_sibling, copy, palette};
    case ScreenKind::log: return {filter, follow, back, palette};
    case ScreenKind::facts: return {back, copy, palette};
    case ScreenKind::help: return {back, show_about, palette};
    case ScreenKind::about: return {back, palette};
    case ScreenKind::plan:
      return {plan_arm,      back,         copy,        plan_copy_all,   plan_again,
              plan_messages, plan_requeue, plan_cancel, plan_when_empty, plan_on_failure,
              plan_scheduler};
    case ScreenKind::messages: return {copy, back, palette};
    case ScreenKind::run:
      return {run_pause, run_go_back, back, run_resume, run_undo, run_go_on, run_stop_here, copy, palette};
    case ScreenKind::journal: return {open, back, run_undo, run_resume, copy, palette};
    case ScreenKind::guide:
      return {guide_yes,   guide_no,      open,      guide_plan,    copy,
              guide_undo,  next_panel,    guide_why, guide_compare, guide_schedulers,
              guide_terms, guide_layouts, back};
  }
  return {};
}

std::string keys_of(const UiState& state, Action action) {
  std::size_t index = static_cast<std::size_t>(action);
  if (index < state.keys.size()) return state.keys[index];
  std::string shown;
  for (char c : info(action).keys) shown += c == ' ' ? ", " : std::string(1, c);
  return shown;
}

std::string first_key(const UiState& state, Action action) {
  std::string keys = keys_of(state, action);
  // A key that is itself a comma stands alone before the separator.
  std::size_t end = keys.find(", ");
  return end == std::string::npos ? keys : keys.substr(0, end);
}

namespace {

// While something waits for one of a few keys there are no others.
std::vector<Action> actions_now(const UiState& state) {
  using enum Action;
  if (state.input.kind == InputKind::arm) return {input_accept, input_cancel};
  if (state.leaving == Leaving::parking) return {};
  if (state.leaving == Leaving::asked) return {leave_park, leave_stay};
  if (state.arming) return {arm_confirm, arm_cancel};
  if (state.resuming) return {resume_carry_on, resume_anew, resume_back, resume_leave};
  return footer_actions(state.top().kind);
}

}  // namespace

std::vector<FooterKey> footer_keys(const UiState& state, const World& world, int width) {
  auto cells = [](Action action, const std::string& key) {
    return display_width(key) + 1 + display_width(info(action).title);
  };
  std::vector<FooterKey> right;
  int end = width - 1;
  for (Action action : {Action::quit, Action::help}) {
    std::string key = first_key(state, action);
    const int x = end - cells(action, key);
    right.push_back({action, std::move(key), x, end});
    end = x - 2;
  }
  std::vector<FooterKey> shown;
  int x = 1;
  for (Action action : actions_now(state)) {
    std::string key = first_key(state, action);
    if (key.empty()) continue;
    // The two ways of one thing are shown as one.
    if (action == Action::sort_next_column) key = first_key(state, Action::sort_previous_column) + " " + key;
    const int needs = cells(action, key);
    if (x + needs > end) continue;
    const bool usable = why_disabled(action, state, world).empty();
    // What a run takes depends on how it stands: only that is offered.
    if (!usable && info(action).scope == Scope::run) continue;
    // In the guide a key is an answer at a question and something else at a leaf: only one is shown.
    if (!usable && state.top().kind == ScreenKind::guide) continue;
    shown.push_back({action, std::move(key), x, x + needs, usable});
    x += needs + 2;
  }
  shown.insert(shown.end(), right.rbegin(), right.rend());
  return shown;
}

void draw_footer(Canvas& canvas, int y, const UiState& state, const World& world) {
  for (const FooterKey& one : footer_keys(state, world, canvas.size().columns)) {
    const int next = one.x + canvas.put(one.x, y, one.key, one.usable ? Role::key : Role::dim, one.end) + 1;
    canvas.put(next, y, info(one.action).title, Role::dim, one.end);
  }
}

}  // namespace tessera::tui
