#include "tui/action.hpp"

#include <array>

namespace tessera::tui {
namespace {

constexpr auto kCount = static_cast<std::size_t>(Action::count_);

// clang-format off
constexpr std::array<ActionInfo, kCount> kActions{{
    {Action::cursor_up, "cursor-up", "up", "One row up.", "k Up", Scope::global, Group::move},
    {Action::cursor_down, "cursor-down", "down", "One row down.", "j Down", Scope::global, Group::move},
    {Action::cursor_left, "cursor-left", "left", "One column, GPU or slice to the left.", "h Left",
     Scope::global, Group::move},
    {Action::cursor_right, "cursor-right", "right", "One column, GPU or slice to the right.", "l Right",
     Scope::global, Group::move},
    {Action::go_first, "go-first", "first", "To the first row.", "g Home", Scope::global, Group::move},
    {Action::go_last, "go-last", "last", "To the last row.", "G End", Scope::global, Group::move},
    {Action::half_page_up, "half-page-up", "half page up", "Half a screen up.", "Ctrl-u", Scope::global,
     Group::move},
    {Action::half_page_down, "half-page-down", "half page down", "Half a screen down.", "Ctrl-d",
     Scope::global, Group::move},
    {Action::page_up, "page-up", "page up", "One screen up.", "PgUp Ctrl-b", Scope::global, Group::move},
    {Action::page_down, "page-down", "page down", "One screen down.", "PgDn Ctrl-f", Scope::global,
     Group::move},
    {Action::next_panel, "next-panel", "next panel", "To the next part of the screen.", "Tab",
     Scope::global, Group::move},
    {Action::previous_panel, "previous-panel", "previous panel", "To the part of the screen before.",
     "Shift-Tab", Scope::global, Group::move},
    {Action::open, "open", "open", "Open what the cursor is on.", "Enter", Scope::global, Group::move},
    {Action::facts, "facts", "details", "Show the source and the age of each value.", "i", Scope::global, Group::move},
    {Action::back, "back", "back", "Close what is open: a filter, a list of choices, then the screen.",
     "Esc", Scope::global, Group::move},
    {Action::next_sibling, "next-sibling", "next", "The next node, GPU or workload of the list that you came from.",
     "]", Scope::global, Group::move},
    {Action::previous_sibling, "previous-sibling", "previous",
     "The node, GPU or workload before, in the list that you came from.", "[", Scope::global, Group::move},

    {Action::filter, "filter", "filter", "Show only the rows that match, in the language of --filter.",
     "/ F4", Scope::global, Group::find},
    {Action::clear_filter, "clear-filter", "show all", "Take away the filter and show every row.", "0",
     Scope::global, Group::find},
    {Action::find_next, "find-next", "find next", "To the next row with the words searched for last.", "n",
     Scope::global, Group::find},
    {Action::find_previous, "find-previous", "find previous",
     "To the row before with the words searched for last.", "N", Scope::global, Group::find},
    {Action::only_mine, "only-mine", "only mine", "Show only what belongs to your own user, or everything again.",
     "u", Scope::table, Group::find},
    {Action::sort_next_column, "sort-next-column", "sort", "Sort by the next column.", ">",
     Scope::table, Group::find},
    {Action::sort_previous_column, "sort-previous-column", "sort back", "Sort by the column before.",
     "<", Scope::table, Group::find},
    {Action::sort_reverse, "sort-reverse", "reverse", "Reverse the sort order.", "I",
     Scope::table, Group::find},
    {Action::sort_choose, "sort-choose", "sort by", "Choose the column to sort by from a list.", "F6",
     Scope::table, Group::find},
    {Action::choose_columns, "choose-columns", "columns", "Choose which columns are shown.", "C F2",
     Scope::table, Group::find},
    {Action::toggle_wide, "toggle-wide", "wide", "Show all columns, or only the usual ones.", "Ctrl-w",
     Scope::table, Group::find},
    {Action::follow, "follow", "follow", "Keep the newest entry in view.", "f", Scope::log, Group::find},

    {Action::mark, "mark", "mark", "Mark the row, or take its mark away, and go one down.", "Space",
     Scope::table, Group::mark},
    {Action::mark_all, "mark-all", "mark all", "Mark every row that is shown.", "*", Scope::table,
     Group::mark},
    {Action::clear_marks, "clear-marks", "unmark", "Take away all marks.", "U Ctrl-\\", Scope::table,
     Group::mark},
    {Action::copy, "copy", "copy", "Copy the name under the cursor, or all marked names, to the clipboard (OSC 52).",
     "y", Scope::global, Group::mark},

    {Action::show_overview, "overview", "overview", "Clusters, totals, and what needs attention.", "1",
     Scope::global, Group::screens},
    {Action::show_nodes, "nodes", "nodes", "All nodes with GPUs.", "2", Scope::global, Group::screens},
    {Action::show_gpus, "gpus", "GPUs", "All GPUs.", "3", Scope::global, Group::screens},
    {Action::show_slices, "slices", "slices", "All slices and who holds them.", "4", Scope::global,
     Group::screens},
    {Action::show_workloads, "workloads", "workloads", "Jobs and pods, running and waiting.", "5",
     Scope::global, Group::screens},
    {Action::show_events, "events", "events", "What has happened since tessera was started.", "6",
     Scope::global, Group::screens},
    {Action::show_waiting, "waiting", "waiting", "The workloads that wait, and why.", "w",
     Scope::global, Group::screens},
    {Action::show_journal, "journal", "journal", "All runs: what was changed, what stopped, and the way back.", "J",
     Scope::global, Group::screens},
    {Action::show_about, "about", "about", "Version, files in use, terminal, and where the data comes from.", "",
     Scope::global, Group::screens},
    {Action::help, "help", "help", "The keys of this screen.", "? F1", Scope::global, Group::screens},

    {Action::show_layout, "layout", "layout",
     "Edit how the GPU or node under the cursor is cut, or all marked ones; nothing changes on the cluster.",
     "L", Scope::global, Group::screens},

    {Action::palette, "palette", "command", "Type the name of a screen or command; Tab completes it.", ":",
     Scope::global, Group::console},
    {Action::refresh, "refresh", "refresh", "Ask the clusters for fresh data now.", "Ctrl-r F5",
     Scope::global, Group::console},
    {Action::redraw, "redraw", "redraw", "Paint the whole screen again, after something else wrote on it.",
     "Ctrl-l", Scope::global, Group::console},
    {Action::next_theme, "next-theme", "theme", "The next colour theme.", "T", Scope::global,
     Group::console},
    {Action::next_language, "next-language", "language",
     "Explanations in the other language: English or Japanese.", "Ctrl-e", Scope::global, Group::console},
    {Action::toggle_mouse, "toggle-mouse", "mouse", "Use the mouse, or leave it to the terminal.", "M",
     Scope::global, Group::console},
    {Action::suspend, "suspend", "suspend", "Stop tessera and return to the shell; fg continues.", "Ctrl-z",
     Scope::global, Group::console},
    {Action::quit, "quit", "quit", "Leave tessera.", "q F10 Ctrl-c", Scope::global, Group::console},

    {Action::plan_arm, "arm", "arm", "Type the node's name, or the number of nodes, to arm this plan.", "A",
     Scope::plan, Group::change},
    {Action::plan_again, "plan-again", "plan again", "Plan again from the current layout.", "p", Scope::plan,
     Group::change},
    {Action::plan_requeue, "plan-requeue", "requeue", "Requeue work that is in the way, or wait for it.", "r",
     Scope::plan, Group::change},
    {Action::plan_cancel, "plan-cancel", "end work", "End work that is in the way, or wait for it.", "c",
     Scope::plan, Group::change},
    {Action::plan_when_empty, "plan-when-empty", "when empty",
     "Close the node and apply the plan once it is empty; or wait for that now.", "e", Scope::plan, Group::change},
    {Action::plan_on_failure, "plan-on-failure", "on failure", "When a step fails: park, or go back by itself.",
     "f", Scope::plan, Group::change},
    {Action::plan_canary, "plan-canary", "canaries", "How many nodes are done alone first.", "a", Scope::plan,
     Group::change},
    {Action::plan_batch, "plan-batch", "batch", "How many nodes are done at a time after that.", "b",
     Scope::plan, Group::change},
    {Action::plan_scheduler, "plan-scheduler", "other names",
     "Name the resources as the other scheduler does.", "s", Scope::plan, Group::change},
    {Action::plan_copy_all, "plan-copy-all", "copy all", "Copy the commands of every step to the clipboard.",
     "Y", Scope::plan, Group::change},
    {Action::plan_messages, "plan-messages", "messages", "Messages for the owners of work that is disturbed.",
     "m", Scope::plan, Group::change},

    {Action::run_pause, "run-pause", "pause", "Stop after the step that is under way, in a safe place.", "p",
     Scope::run, Group::change},
    {Action::run_go_back, "run-go-back", "abort, go back",
     "Abort, and go back to the layout that was found; asks for the name first.", "a", Scope::run,
     Group::change},
    {Action::run_resume, "run-resume", "resume", "Resume a run that stopped: carry on, plan again, or go back.", "r",
     Scope::run, Group::change},
    {Action::run_undo, "run-undo", "undo", "Plan the way back to the layout that the run found.", "z",
     Scope::run, Group::change},
    {Action::run_go_on, "run-go-on", "go on", "Answer the run's question: go on.", "o", Scope::run,
     Group::change},
    {Action::run_stop_here, "run-stop-here", "stop here", "Answer the run's question: stop here.", "s",
     Scope::run, Group::change},

    {Action::resume_carry_on, "resume-carry-on", "carry on", "Carry on from the step where the run stopped.",
     "c", Scope::resume, Group::change},
    {Action::resume_anew, "resume-anew", "plan again", "Plan again from the current layout to the wanted one.",
     "n", Scope::resume, Group::change},
    {Action::resume_back, "resume-back", "go back", "Go back to the layout that the run found.", "b",
     Scope::resume, Group::change},
    {Action::resume_leave, "resume-leave", "leave", "Leave the run as it is.", "Esc Ctrl-c", Scope::resume,
     Group::change},

    {Action::arm_confirm, "arm-confirm", "start", "Start what was armed by typing.", "!", Scope::arm,
     Group::change},
    {Action::arm_cancel, "arm-cancel", "cancel", "Cancel: nothing is changed.", "Esc Ctrl-c", Scope::arm,
     Group::change},

    {Action::leave_park, "leave-park", "park and leave", "Park the run in a safe place, then leave tessera.",
     "p", Scope::leave, Group::change},
    {Action::leave_stay, "leave-stay", "stay", "Stay here.", "Esc", Scope::leave, Group::change},
    {Action::layout_add, "layout-add", "add",
     "Add the profile under the cursor at the slice under the cursor, or take the preset; Enter does the same. "
     "Of a shared GPU: one client more.",
     "+", Scope::layout, Group::layout},
    {Action::layout_remove, "layout-remove", "remove",
     "Take away what is cut at the slice under the cursor. Of a shared GPU: one client less.", "- Backspace",
     Scope::layout, Group::layout},
    {Action::layout_slide_left, "layout-slide-left", "move left",
     "Move the instance under the cursor to the next place on the left.", ",", Scope::layout, Group::layout},
    {Action::layout_slide_right, "layout-slide-right", "move right",
     "Move the instance under the cursor to the next place on the right.", ".", Scope::layout, Group::layout},
    {Action::layout_undo, "layout-undo", "undo", "Take back the last edit.", "z", Scope::layout, Group::layout},
    {Action::layout_redo, "layout-redo", "redo", "Do again what was taken back.", "Z", Scope::layout,
     Group::layout},
    {Action::layout_clear, "layout-clear", "clear", "MIG on, no slices.", "c", Scope::layout,
     Group::layout},
    {Action::layout_reset, "layout-reset", "as it is", "Back to the current layout; all edits are dropped.", "=",
     Scope::layout, Group::layout},
    {Action::layout_presets, "layout-presets", "presets",
     "The layouts that have names, and the other ways of sharing.", "p", Scope::layout, Group::layout},
    {Action::layout_best, "layout-best", "best", "The layout with which most of the waiting work would start.",
     "b", Scope::layout, Group::layout},
    {Action::layout_replicas, "layout-replicas", "how many",
     "Type how many clients share one GPU, by MPS, time-slicing or shards.", "#", Scope::layout, Group::layout},
    {Action::layout_rename, "layout-rename", "shared names",
     "Name shares nvidia.com/gpu.shared, or no longer so (renameByDefault); again: as the node has it.", "S",
     Scope::layout, Group::layout},
    {Action::layout_refuse, "layout-refuse", "one share each",
     "Refuse pods that ask for several shares, or take them (failRequestsGreaterThanOne); again: as the node has "
     "it.",
     "F", Scope::layout, Group::layout},
    {Action::layout_all, "layout-all", "all or one",
     "Edit every GPU of this product here, or only the one in view; Tab shows the next one.", "a",
     Scope::layout, Group::layout},
    {Action::layout_plan, "layout-plan", "plan", "Look at the plan for what is wanted: steps, and how to arm it.",
     "P", Scope::layout, Group::layout},

    {Action::guide_open, "guide", "decide", "Decide how to share what the cursor is on, or what is marked: the guide.",
     "D", Scope::global, Group::guide},
    {Action::guide_yes, "guide-yes", "yes", "Answer the question with yes.", "y", Scope::question, Group::guide},
    {Action::guide_no, "guide-no", "no", "Answer the question with no.", "n", Scope::question, Group::guide},
    {Action::guide_undo, "guide-undo", "go back", "Take the last answer back, also one that was known.", "u",
     Scope::guide, Group::guide},
    {Action::guide_why, "guide-why", "why", "Why the question matters.", "w", Scope::guide, Group::guide},
    {Action::guide_compare, "guide-compare", "compare", "MIG, vGPU, MPS and time-slicing side by side.", "c",
     Scope::guide, Group::guide},
    {Action::guide_schedulers, "guide-schedulers", "scheduler",
     "The second guide: Kubernetes or Slurm, with what is known of this site.", "s", Scope::guide, Group::guide},
    {Action::guide_terms, "guide-terms", "terms", "The terms of this step, explained.", "t", Scope::guide,
     Group::guide},
    {Action::guide_layouts, "guide-layouts", "layouts", "The MIG layouts of this product beside one another.", "v",
     Scope::guide, Group::guide},
    {Action::guide_plan, "guide-plan", "plan", "Straight to the plan for the layout under the cursor.", "P",
     Scope::guide, Group::guide},

    {Action::choice_toggle, "choice-toggle", "choose", "Take the entry under the cursor, or leave it out.",
     "Space", Scope::choice, Group::choice},

    {Action::input_accept, "input-accept", "accept", "Accept what is typed.", "Enter", Scope::input, Group::typing},
    {Action::input_cancel, "input-cancel", "cancel", "Leave everything as it was before.", "Esc Ctrl-c",
     Scope::input, Group::typing},
    {Action::input_complete, "input-complete", "complete", "Complete the word, then the next candidate.",
     "Tab", Scope::input, Group::typing},
    {Action::input_complete_back, "input-complete-back", "previous candidate", "The candidate before.",
     "Shift-Tab", Scope::input, Group::typing},
    {Action::input_left, "input-left", "left", "One character to the left.", "Left Ctrl-b", Scope::input,
     Group::typing},
    {Action::input_right, "input-right", "right", "One character to the right.", "Right Ctrl-f",
     Scope::input, Group::typing},
    {Action::input_start, "input-start", "start", "To the start of the line.", "Home Ctrl-a", Scope::input,
     Group::typing},
    {Action::input_end, "input-end", "end", "To the end of the line.", "End Ctrl-e", Scope::input,
     Group::typing},
    {Action::input_delete_back, "input-delete-back", "erase", "Erase the character before the cursor.",
     "Backspace", Scope::input, Group::typing},
    {Action::input_delete, "input-delete", "delete", "Erase the character under the cursor.", "Delete",
     Scope::input, Group::typing},
    {Action::input_delete_word, "input-delete-word", "erase word", "Erase the word before the cursor.",
     "Ctrl-w", Scope::input, Group::typing},
    {Action::input_delete_line, "input-delete-line", "erase line", "Erase everything before the cursor.",
     "Ctrl-u", Scope::input, Group::typing},
    {Action::input_older, "input-older", "older", "The line typed before this one.", "Up Ctrl-p",
     Scope::input, Group::typing},
    {Action::input_newer, "input-newer", "newer", "The line typed after this one.", "Down Ctrl-n",
     Scope::input, Group::typing},
}};
// clang-format on

constexpr bool in_enum_order() {
  for (std::size_t i = 0; i < kCount; ++i)
    if (kActions[i].action != static_cast<Action>(i)) return false;
  return true;
}
static_assert(in_enum_order(), "info() finds an action by its position");

struct ScopeName {
  std::string_view word;
  std::string_view title;
};
constexpr std::array<ScopeName, static_cast<std::size_t>(Scope::count_)> kScopes{{
    {"global", "Everywhere"},
    {"table", "In tables"},
    {"node", "On a node's page"},
    {"layout", "In the layout editor"},
    {"log", "In the events"},
    {"plan", "On a plan"},
    {"run", "On a run, in the journal"},
    {"resume", "Taking up a run"},
    {"arm", "Once armed"},
    {"leave", "Leaving"},
    {"guide", "In the guide"},
    {"question", "At the guide's question"},
    {"choice", "In a list of choices"},
    {"input", "While typing"},
}};

constexpr std::array<std::string_view, static_cast<std::size_t>(Group::count_)> kGroups{
    "Moving",  "Finding and arranging", "Marking and copying", "Screens",          "Editing a layout",
    "Console", "Changing a layout",     "The guide",           "Lists of choices", "While typing",
};

// "k Up" → "`k` `Up`"; a bar inside a Markdown table needs a backslash.
std::string keys_for_markdown(std::string_view keys) {
  if (keys.empty()) return "`:` and its name";
  std::string out = "`";
  for (const char c : keys) {
    if (c == ' ')
      out += "` `";
    else if (c == '|')
      out += "\\|";
    else
      out += c;
  }
  return out + "`";
}

// "k Up" → `["k", "Up"]`, always quoted: `?`, `:`, `*` and digits mean something to YAML.
std::string keys_for_yaml(std::string_view keys) {
  std::string out = "[";
  while (!keys.empty()) {
    const std::string_view key = keys.substr(0, keys.find(' '));
    keys.remove_prefix(key.size() == keys.size() ? key.size() : key.size() + 1);
    if (out.size() > 1) out += ", ";
    out += '"';
    for (const char c : key) {
      if (c == '\\' || c == '"') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "]";
}

}  // namespace

std::span<const ActionInfo> actions() { return kActions; }

const ActionInfo& info(Action action) { return kActions[static_cast<std::size_t>(action)]; }

std::optional<Action> action_of(std::string_view id) {
  for (const ActionInfo& row : kActions)
    if (row.id == id) return row.action;
  return std::nullopt;
}

std::string_view word(Scope scope) { return kScopes[static_cast<std::size_t>(scope)].word; }

std::string_view title(Scope scope) { return kScopes[static_cast<std::size_t>(scope)].title; }

std::optional<Scope> scope_of(std::string_view text) {
  for (std::size_t i = 0; i < kScopes.size(); ++i)
    if (kScopes[i].word == text) return static_cast<Scope>(i);
  return std::nullopt;
}

std::string_view title(Group group) { return kGroups[static_cast<std::size_t>(group)]; }

std::string keys_markdown() {
  std::string out =
      "# Keys\n\n"
      "Made from the action table in `tui/action.cpp`; the console shows the same under `?`.\n"
      "A keymap file changes any of them: see `themes/keys-default.yaml`.\n";
  for (std::size_t group = 0; group < kGroups.size(); ++group) {
    out += "\n## ";
    out += kGroups[group];
    out += "\n\n| Keys | What it does | Where | Name |\n|---|---|---|---|\n";
    for (const ActionInfo& row : kActions) {
      if (row.group != static_cast<Group>(group)) continue;
      out += "| " + keys_for_markdown(row.keys) + " | ";
      out += row.help;
      out += " | ";
      out += title(row.scope);
      out += " | `";
      out += row.id;
      out += "` |\n";
    }
  }
  return out;
}

std::string keys_yaml() {
  std::string out =
      "# The keys of tessera, by the place where they count. A keymap of your own names only what it\n"
      "# changes: an action named there loses its keys here, and [] leaves it without a key.\n";
  for (std::size_t scope = 0; scope < kScopes.size(); ++scope) {
    std::string rows;
    for (const ActionInfo& row : kActions) {
      if (row.scope != static_cast<Scope>(scope)) continue;
      rows += "  ";
      rows += row.id;
      rows += ": " + keys_for_yaml(row.keys) + "\n";
    }
    if (rows.empty()) continue;
    out += '\n';
    out += kScopes[scope].word;
    out += ":\n" + rows;
  }
  return out;
}

}  // namespace tessera::tui
