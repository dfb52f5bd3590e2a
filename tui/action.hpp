// Everything a key can do, in one table: keymap, footer, help screen, palette and docs/keys.md come from it.
//
// No single action changes a cluster: a plan is armed by typing a name, and only then arm_confirm starts it.
// What leads to a change must not sit on Ctrl-d, Ctrl-k, x or Enter. Threads: constant data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::tui {

enum class Action : std::uint8_t {
  // Moving, on every screen.
  cursor_up,
  cursor_down,
  cursor_left,
  cursor_right,
  go_first,
  go_last,
  half_page_up,
  half_page_down,
  page_up,
  page_down,
  next_panel,
  previous_panel,
  open,
  facts,
  back,
  next_sibling,
  previous_sibling,
  // Finding and arranging.
  filter,
  clear_filter,
  find_next,
  find_previous,
  only_mine,
  sort_next_column,
  sort_previous_column,
  sort_reverse,
  sort_choose,
  choose_columns,
  toggle_wide,
  follow,
  // Marking and copying.
  mark,
  mark_all,
  clear_marks,
  copy,
  // Screens.
  show_overview,
  show_nodes,
  show_gpus,
  show_slices,
  show_workloads,
  show_events,
  show_waiting,
  show_journal,
  show_about,
  help,
  show_layout,
  // The console itself.
  palette,
  refresh,
  redraw,
  next_theme,
  next_language,
  toggle_mouse,
  suspend,
  quit,
  // On the plan.
  plan_arm,
  plan_again,
  plan_requeue,
  plan_cancel,
  plan_when_empty,
  plan_on_failure,
  plan_canary,
  plan_batch,
  plan_scheduler,
  plan_copy_all,
  plan_messages,
  // On a run and in the journal.
  run_pause,
  run_go_back,
  run_resume,
  run_undo,
  run_go_on,
  run_stop_here,
  // Choosing how to take a run up again.
  resume_carry_on,
  resume_anew,
  resume_back,
  resume_leave,
  // A name was typed: the second key.
  arm_confirm,
  arm_cancel,
  // Leaving while a run is under way.
  leave_park,
  leave_stay,
  // In the layout editor, beside the movements.
  layout_add,
  layout_remove,
  layout_slide_left,
  layout_slide_right,
  layout_undo,
  layout_redo,
  layout_clear,
  layout_reset,
  layout_presets,
  layout_best,
  layout_replicas,
  layout_rename,
  layout_refuse,
  layout_all,
  layout_plan,
  // The guide, and in it.
  guide_open,
  guide_yes,
  guide_no,
  guide_undo,
  guide_why,
  guide_compare,
  guide_schedulers,
  guide_terms,
  guide_layouts,
  guide_plan,
  // In a list of choices (columns, sorting).
  choice_toggle,
  // While typing.
  input_accept,
  input_cancel,
  input_complete,
  input_complete_back,
  input_left,
  input_right,
  input_start,
  input_end,
  input_delete_back,
  input_delete,
  input_delete_word,
  input_delete_line,
  input_older,
  input_newer,
  count_
};

// Where a key counts. A screen asks the topmost scope first and global last; while text is typed only
// `input` is asked, and what it does not know is text.
enum class Scope : std::uint8_t {
  global,
  table,
  node,
  layout,
  log,
  plan,
  run,
  resume,
  arm,
  leave,
  guide,
  question,
  choice,
  input,
  count_
};

// Headings of the help screen.
enum class Group : std::uint8_t {
  move,
  find,
  mark,
  screens,
  layout,
  console,
  change,
  guide,
  choice,
  typing,
  count_
};

struct ActionInfo {
  Action action;
  std::string_view id;     // "cursor-down": the spelling of keymap files and the palette
  std::string_view title;  // one or two words for the footer
  std::string_view help;   // one sentence for the help screen
  std::string_view keys;   // defaults, separated by blanks; the first is the one that is shown
  Scope scope;
  Group group;
};

std::span<const ActionInfo> actions();  // in the order of the enum
const ActionInfo& info(Action action);
std::optional<Action> action_of(std::string_view id);

std::string_view word(Scope scope);   // "table"
std::string_view title(Scope scope);  // "In tables"
std::optional<Scope> scope_of(std::string_view word);
std::string_view title(Group group);

// docs/keys.md and themes/keys-default.yaml, made from the table; a test keeps the files equal to these.
std::string keys_markdown();
std::string keys_yaml();

}  // namespace tessera::tui
