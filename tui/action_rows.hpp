// The actions, one row each: all that a new action needs is a row here, and what it does.
//
// A row: name in Action | id, as keymap files and `:` spell it | title in the footer | help | default keys |
// scope | group | what it does (a function of screens/acts.cpp, or of the screen that it is for) | why it
// cannot be used here and now (of screens/disabled.cpp, or of that screen). The first key is the one that is
// shown. In the order of the help screen and of docs/keys.md.
//
// Threads: text for the preprocessor; tui/action.hpp makes the enum of it.
#pragma once

// clang-format off
#define TESSERA_ACTIONS(ROW) \
  ROW(cursor_up, "cursor-up", "up", "One row up.", "k Up", global, move, move, always) \
  ROW(cursor_down, "cursor-down", "down", "One row down.", "j Down", global, move, move, always) \
  ROW(cursor_left, "cursor-left", "left", "One column, GPU or slice to the left.", "h Left", global, move, move, always) \
  ROW(cursor_right, "cursor-right", "right", "One column, GPU or slice to the right.", "l Right", global, move, move, always) \
  ROW(go_first, "go-first", "first", "To the first row.", "g Home", global, move, move, always) \
  ROW(go_last, "go-last", "last", "To the last row.", "G End", global, move, move, always) \
  ROW(half_page_up, "half-page-up", "half page up", "Half a screen up.", "Ctrl-u", global, move, move, always) \
  ROW(half_page_down, "half-page-down", "half page down", "Half a screen down.", "Ctrl-d", global, move, move, always) \
  ROW(page_up, "page-up", "page up", "One screen up.", "PgUp Ctrl-b", global, move, move, always) \
  ROW(page_down, "page-down", "page down", "One screen down.", "PgDn Ctrl-f", global, move, move, always) \
  ROW(next_panel, "next-panel", "next panel", "To the next panel of the screen.", "Tab", global, move, move, one_part) \
  ROW(previous_panel, "previous-panel", "previous panel", "To the previous panel of the screen.", "Shift-Tab", global, move, move, one_part) \
  ROW(open, "open", "open", "Open what the cursor is on.", "Enter", global, move, open_here, nothing_to_open) \
  ROW(facts, "facts", "details", "Show the source and the age of each value.", "i", global, move, details, nothing_behind) \
  ROW(last_view, "last-view", "last view", "Back to the screens that were left with a number or a command, and there again.", "-", global, move, show_last, no_last) \
  ROW(back, "back", "back", "Close what is open: a typed filter, a list of choices, then the screen.", "Esc", global, move, back, first_screen) \
  ROW(next_sibling, "next-sibling", "next", "The next node, GPU or workload of the list that you came from.", "]", global, move, walk_list, no_sibling) \
  ROW(previous_sibling, "previous-sibling", "previous", "The node, GPU or workload before, in the list that you came from.", "[", global, move, walk_list, no_sibling) \
  ROW(filter, "filter", "filter", "Show only the rows that match, in the language of --filter.", "/ F4", global, find, type_filter, no_filter) \
  ROW(clear_filter, "clear-filter", "show all", "Clear the filter and show every row.", "0", global, find, show_all, unfiltered) \
  ROW(find_next, "find-next", "find next", "To the next row with the words searched for last.", "n", global, find, find, not_searched) \
  ROW(find_previous, "find-previous", "find previous", "To the row before with the words searched for last.", "N", global, find, find, not_searched) \
  ROW(only_mine, "only-mine", "only mine", "Show only what belongs to your own user, or everything again.", "u", table, find, turn_only_mine, no_user) \
  ROW(sort_next_column, "sort-next-column", "sort", "Sort by the next column.", ">", table, find, sort_along, no_table) \
  ROW(sort_previous_column, "sort-previous-column", "sort back", "Sort by the column before.", "<", table, find, sort_along, no_table) \
  ROW(sort_reverse, "sort-reverse", "reverse", "Reverse the sort order.", "I", table, find, reverse_sort, not_sorted) \
  ROW(sort_choose, "sort-choose", "sort by", "Choose the column to sort by from a list.", "F6", table, find, choose_from_list, no_table) \
  ROW(choose_columns, "choose-columns", "columns", "Choose which columns are shown.", "C F2", table, find, choose_from_list, no_table) \
  ROW(toggle_wide, "toggle-wide", "wide", "Show all columns over the whole width, or only the usual ones.", "Ctrl-w", table, find, turn_wide, no_table) \
  ROW(follow, "follow", "follow", "Keep the newest entry in view.", "f", log, find, follow_newest, no_events) \
  ROW(mark, "mark", "mark", "Mark the row, or clear its mark, and go one down.", "Space", table, mark, mark_row, no_rows) \
  ROW(mark_range, "mark-range", "range", "Begin a range at this row; again: mark every row from there to the cursor.", "v", table, mark, mark_range, no_rows) \
  ROW(mark_all, "mark-all", "mark all", "Mark every row that is shown.", "*", table, mark, mark_rows, no_rows) \
  ROW(mark_some, "mark-some", "mark some", "Type how many rows to mark from the cursor on.", "", table, mark, ask_how_many, no_rows) \
  ROW(clear_marks, "clear-marks", "unmark", "Clear all marks.", "U Ctrl-\\", table, mark, unmark, not_marked) \
  ROW(copy, "copy", "copy", "Copy the name under the cursor, or all marked names, to the clipboard (OSC 52).", "y", global, mark, copy_here, nothing_to_copy) \
  ROW(show_overview, "overview", "overview", "Clusters, totals, and what needs attention.", "1", global, screens, show_screen, always) \
  ROW(show_nodes, "nodes", "nodes", "All nodes with GPUs.", "2", global, screens, show_screen, always) \
  ROW(show_gpus, "gpus", "GPUs", "All GPUs.", "3", global, screens, show_screen, always) \
  ROW(show_slices, "slices", "slices", "All slices and their holders.", "4", global, screens, show_screen, always) \
  ROW(show_workloads, "workloads", "workloads", "Jobs and pods, running and waiting.", "5", global, screens, show_screen, always) \
  ROW(show_events, "events", "events", "What has happened since tessera was started.", "6", global, screens, show_screen, always) \
  ROW(events_here, "events-here", "its events", "What has happened on the node here, or to the job or pod.", "E", global, screens, show_events_here, why_no_events_here) \
  ROW(show_waiting, "waiting", "waiting", "All waiting workloads; on one of them, why it waits and what would help.", "w", global, screens, show_waiting, always) \
  ROW(show_free, "free", "free", "The slices that work could get now.", "", global, screens, show_free, always) \
  ROW(show_doctor, "doctor", "findings", "What is wrong in all clusters, by its cause, and what to do about it.", "7", global, screens, show_screen, always) \
  ROW(acknowledge, "acknowledge", "acknowledge", "Acknowledge this finding for 8 hours: it moves down and is dimmed until then, or until it concerns more; again: withdraw that.", "a", findings, mark, acknowledge_here, why_no_acknowledge) \
  ROW(finding_plan, "finding-plan", "plan", "Plan the way out of this finding, where tessera has one: open the nodes, reset a GPU or edit a layout; of a waiting job or pod, show what would help.", "P", findings, mark, plan_way_out, why_no_way_out) \
  ROW(show_users, "users", "users", "Who holds and waits for how much, in all clusters.", "8", global, screens, show_screen, always) \
  ROW(users_by, "users-by", "by account", "Sum up by account, which on Kubernetes is a namespace, or by user again.", "b", users, find, sum_up_users, why_no_accounts) \
  ROW(show_usage, "usage", "usage", "Who held how much of the GPUs over the last days, and how much of it was used.", "", global, screens, show_screen, always) \
  ROW(show_waste, "waste", "waste", "What was held or stood free for nothing over the last days, with what would do instead.", "", global, screens, show_screen, always) \
  ROW(usage_by, "usage-by", "sum up by", "Sum up by user, account, partition or namespace, profile, node, and by job or pod.", "b", usage, find, sum_up_by, why_no_sums) \
  ROW(usage_days, "usage-days", "days", "Look at the last day, the last 7 days or the last 30.", "d", usage, find, choose_days, why_no_days) \
  ROW(usage_source, "usage-source", "other source", "Read the past from elsewhere: the recording, what Prometheus kept, or Slurm's accounting, which is asked on request alone.", "o", usage, find, choose_source, why_no_source) \
  ROW(usage_letter, "usage-letter", "copy text", "Copy a text to the owner: all that this user wasted, with what would do instead.", "Y", usage, mark, copy_letter, why_no_letter) \
  ROW(show_pack, "pack", "pack", "Find the fewest GPUs to change for a demand of MIG slices, with what is proven.", "", global, screens, show_pack, why_no_cluster) \
  ROW(show_advise, "advise", "re-cut", "Which nodes to re-cut for what waits: a few answers, each with who starts sooner and what it costs.", "R", global, screens, show_advise, why_no_cluster) \
  ROW(show_fleet, "fleet", "fleet", "What differs from the fleet file, which says what the GPUs are to be, and the calendar of its windows.", "", global, screens, show_fleet, always) \
  ROW(show_journal, "journal", "journal", "All runs: what was changed, what stopped, and the way back.", "J", global, screens, show_runs, always) \
  ROW(show_about, "about", "about", "Version, files in use, terminal, and where the data comes from.", "", global, screens, show_page, always) \
  ROW(help, "help", "help", "The keys of this screen.", "? F1", global, screens, show_page, is_help) \
  ROW(show_layout, "layout", "layout", "Edit the layout of the GPU or node under the cursor, or of all marked ones; nothing changes on the cluster.", "L", global, screens, edit_here, no_layout) \
  ROW(close_nodes, "close-nodes", "close node", "Plan to close the node here, or all marked ones, to new jobs or pods (drain, cordon); the reason is typed first.", "K", global, screens, act_on_nodes, why_not_on_nodes) \
  ROW(open_nodes, "open-nodes", "open node", "Plan to open the node here, or all marked ones, again (resume, uncordon); what was not closed from here asks for one word more.", "O", global, screens, act_on_nodes, why_not_on_nodes) \
  ROW(reboot_nodes, "reboot-nodes", "reboot node", "Plan to have Slurm reboot the node here, or all marked ones, once their jobs have ended; the reason is typed first.", "", global, screens, act_on_nodes, why_not_on_nodes) \
  ROW(reset_gpus, "reset-gpus", "reset GPU", "Plan to reset the GPU here, or all marked ones of a node, once no job has it (Slurm); where no GPU is chosen its number is typed.", "", global, screens, act_on_nodes, why_not_on_nodes) \
  ROW(restart_plugins, "restart-plugins", "restart plugin", "Plan to restart the pod of the device plugin on the node here, or on all marked ones (Kubernetes).", "", global, screens, act_on_nodes, why_not_on_nodes) \
  ROW(time_back, "time-back", "round back", "In a recording: to the round before.", "{", global, console, move_in_time, not_past) \
  ROW(time_on, "time-on", "round", "In a recording: to the next round.", "}", global, console, move_in_time, not_past) \
  ROW(event_back, "event-back", "event back", "In a recording: back to the last time when a job or pod ended, a layout changed or something was found wrong; on the page of a node, there.", "(", global, console, move_in_time, not_past) \
  ROW(event_on, "event-on", "event", "In a recording: on to the next time when a job or pod ended, a layout changed or something was found wrong; on the page of a node, there.", ")", global, console, move_in_time, not_past) \
  ROW(time_play, "time-play", "play", "In a recording: let time pass, a minute in a second, or stop it.", ";", global, console, move_in_time, not_past) \
  ROW(time_at, "time-at", "go to time", "Type a time of the recording to go to: 03:12, yesterday 03:12, -2h. The live clusters go on meanwhile.", "@", global, console, ask_for_time, no_past_here) \
  ROW(time_live, "live", "live", "From the past back to the live clusters.", "|", global, console, go_live, not_from_live) \
  ROW(menu, "menu", "actions", "Everything that can be done here, each with its key or the reason why not now.", ". F9", global, console, show_menu, always) \
  ROW(palette, "palette", "command", "Search commands, nodes, jobs, users, presets and themes by some of their letters; Enter takes the best.", ":", global, console, type_command, always) \
  ROW(refresh, "refresh", "refresh", "Ask the clusters for fresh data now.", "Ctrl-r F5", global, console, ask_again, always) \
  ROW(redraw, "redraw", "redraw", "Paint the whole screen again, after something else wrote on it.", "Ctrl-l", global, console, paint_again, always) \
  ROW(next_theme, "next-theme", "theme", "The next colour theme.", "T", global, console, turn_theme, one_theme) \
  ROW(next_language, "next-language", "language", "Explanations in the other language: English or Japanese.", "Ctrl-e", global, console, turn_language, always) \
  ROW(toggle_mouse, "toggle-mouse", "mouse", "Use the mouse, or leave it to the terminal.", "M", global, console, turn_mouse, always) \
  ROW(suspend, "suspend", "suspend", "Stop tessera and return to the shell; fg continues.", "Ctrl-z", global, console, stop_for_now, drives_run) \
  ROW(quit, "quit", "quit", "Leave tessera.", "q F10 Ctrl-c", global, console, quit, always) \
  ROW(plan_arm, "arm", "arm", "Type the node's name, or the number of nodes, to arm this plan.", "A", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_again, "plan-again", "plan again", "Plan again from the current layout.", "p", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_requeue, "plan-requeue", "requeue", "Requeue the jobs or pods that are in the way, or wait for them.", "r", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_cancel, "plan-cancel", "end jobs", "Cancel the jobs or evict the pods that are in the way, or wait for them.", "c", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_when_empty, "plan-when-empty", "when empty", "Close the node and apply the plan once it is empty; or wait for that now.", "e", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_on_failure, "plan-on-failure", "on failure", "When a step fails: park, or go back by itself.", "f", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_canary, "plan-canary", "canaries", "How many nodes are changed alone first.", "#", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_batch, "plan-batch", "batch", "How many nodes are changed at a time after that.", "t", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_hours, "plan-hours", "hours", "Play the next 6, 12, 24, 48 or 72 hours with this plan and without it.", "H", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_scheduler, "plan-scheduler", "other names", "Name the resources as the other scheduler does.", "s", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_copy_all, "plan-copy-all", "copy all", "Copy the commands of every step to the clipboard.", "Y", plan, change, act_on_plan, why_not_on_plan) \
  ROW(plan_messages, "plan-messages", "messages", "Messages for the owners of the jobs or pods that are disturbed.", "m", plan, change, act_on_plan, why_not_on_plan) \
  ROW(run_pause, "run-pause", "pause", "Stop after the current step, in a safe state.", "p", run, change, act_on_run, why_not_on_run) \
  ROW(run_go_back, "run-go-back", "abort, go back", "Abort, and go back to the layout that was found; asks for the name first.", "a", run, change, act_on_run, why_not_on_run) \
  ROW(run_resume, "run-resume", "resume", "Resume a run that stopped: carry on, plan again, or go back.", "r", run, change, act_on_run, why_not_on_run) \
  ROW(run_undo, "run-undo", "undo", "Plan the way back to the layout that the run found.", "z", run, change, act_on_run, why_not_on_run) \
  ROW(run_go_on, "run-go-on", "go on", "Answer the run's question: go on.", "o", run, change, act_on_run, why_not_on_run) \
  ROW(run_stop_here, "run-stop-here", "stop here", "Answer the run's question: stop here.", "s", run, change, act_on_run, why_not_on_run) \
  ROW(run_lines, "run-lines", "all lines", "Show every line of the journal, or one line a step again.", "v", run, change, act_on_run, why_not_on_run) \
  ROW(resume_carry_on, "resume-carry-on", "carry on", "Continue from the step where the run stopped.", "c", resume, change, act_on_resume, not_resuming) \
  ROW(resume_replan, "resume-replan", "plan again", "Plan again from the current layout to the wanted one.", "n", resume, change, act_on_resume, not_resuming) \
  ROW(resume_back, "resume-back", "go back", "Go back to the layout that the run found.", "b", resume, change, act_on_resume, not_resuming) \
  ROW(resume_leave, "resume-leave", "leave", "Leave the run as it is.", "Esc Ctrl-c", resume, change, act_on_resume, not_resuming) \
  ROW(arm_confirm, "arm-confirm", "start", "Start what was armed by typing.", "!", arm, change, start_armed, not_armed) \
  ROW(arm_cancel, "arm-cancel", "cancel", "Cancel: nothing is changed.", "Esc Ctrl-c", arm, change, cancel_arming, not_armed) \
  ROW(leave_park, "leave-park", "park and leave", "Park the run in a safe state, then leave tessera.", "p", leave, change, park, not_leaving) \
  ROW(leave_stay, "leave-stay", "stay", "Stay here.", "Esc", leave, change, stay, not_leaving) \
  ROW(layout_add, "layout-add", "add", "Add the profile under the cursor at the slice under the cursor, or take the preset; Enter does the same. Of a shared GPU: one client more.", "+", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_remove, "layout-remove", "remove", "Remove the instance at the slice under the cursor. Of a shared GPU: one client less.", "- Backspace", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_slide_left, "layout-slide-left", "move left", "Move the instance under the cursor to the next start on the left.", ",", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_slide_right, "layout-slide-right", "move right", "Move the instance under the cursor to the next start on the right.", ".", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_undo, "layout-undo", "undo", "Undo the last edit.", "z", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_redo, "layout-redo", "redo", "Redo the edit that was undone.", "Z", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_clear, "layout-clear", "clear", "MIG on, no slices.", "c", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_reset, "layout-reset", "as it is", "Back to the current layout; all edits are dropped.", "=", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_presets, "layout-presets", "presets", "The layouts that have names, and the other ways of sharing.", "p", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_best, "layout-best", "best", "The layout with which most waiting workloads would start.", "b", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_replicas, "layout-replicas", "how many", "Type how many clients share one GPU, by MPS, time-slicing or shards.", "#", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_rename, "layout-rename", "shared names", "Name shares nvidia.com/gpu.shared, or no longer so (renameByDefault); again: as the node has it.", "S", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_refuse, "layout-refuse", "one share each", "Refuse pods that ask for several shares, or take them (failRequestsGreaterThanOne); again: as the node has it.", "F", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_hours, "layout-hours", "hours", "Play the next 6, 12, 24, 48 or 72 hours with the edited layout and without it; its plan takes them over.", "H", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_all, "layout-all", "all or one", "Edit every GPU of this product here, or only the one in view; Tab shows the next one.", "a", layout, layout, edit_layout, why_no_edit) \
  ROW(layout_plan, "layout-plan", "plan", "Plan the edited layout: steps, and how to arm it.", "P", layout, layout, edit_layout, why_no_edit) \
  ROW(pack_more, "pack-more", "more", "Ask for one more free instance of the profile under the cursor.", "+", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_less, "pack-less", "less", "Ask for one less of the profile under the cursor.", "- Backspace", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_count, "pack-count", "how many", "Type how many instances of the profile under the cursor are to be free; 0 asks for none.", "#", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_queue, "pack-queue", "from the queue", "Take the demand from the jobs and pods that wait for room.", "f", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_clear, "pack-clear", "clear", "Ask for nothing.", "c", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_product, "pack-product", "product", "Ask for this profile on the next product that has it, then on any.", "p", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_evict, "pack-evict", "requeue", "Move jobs or pods where nothing else serves (the plan requeues them), or leave them alone.", "r", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_cluster, "pack-cluster", "next cluster", "Plan on the next cluster.", "s", pack, pack, edit_pack, why_no_pack_edit) \
  ROW(pack_only, "pack-only", "only nodes", "Type the nodes, or the partition, that may be changed; all ends that.", "o", pack, pack, narrow_pack, why_no_pack_edit) \
  ROW(advise_again, "advise-again", "again", "Work it out again, from what stands and waits now.", "r", advise, advise, edit_advise, why_no_advise_edit) \
  ROW(advise_hours, "advise-hours", "hours", "Look 6, 12, 24, 48 or 72 hours ahead.", "t", advise, advise, edit_advise, why_no_advise_edit) \
  ROW(advise_days, "advise-days", "history", "Count what was needed over the last day, 7 days or 30 days, too; then only what waits now.", "d", advise, advise, edit_advise, why_no_advise_edit) \
  ROW(advise_only, "advise-only", "only nodes", "Type the nodes, or the partition, that may be changed; all ends that.", "o", advise, advise, edit_advise, why_no_advise_edit) \
  ROW(advise_cluster, "advise-cluster", "next cluster", "Advise on the next cluster.", "s", advise, advise, edit_advise, why_no_advise_edit) \
  ROW(fleet_pool, "fleet-pool", "plan pool", "Plan every node of this pool that drifts.", "P", fleet, fleet, act_on_fleet, why_not_on_fleet) \
  ROW(fleet_cluster, "fleet-cluster", "plan all", "Plan every node of this cluster that drifts.", "a", fleet, fleet, act_on_fleet, why_not_on_fleet) \
  ROW(fleet_read, "fleet-read", "read again", "Read the fleet file again.", "r", fleet, fleet, act_on_fleet, why_not_on_fleet) \
  ROW(fleet_calendar, "fleet-calendar", "calendar", "Show what the windows of the file bring in the next 7 days, or the nodes again.", "c", fleet, fleet, act_on_fleet, why_not_on_fleet) \
  ROW(fleet_pause, "fleet-pause", "pause", "Keep fleet run from beginning anything for this file; where it is paused, type the word that ends that.", "p", fleet, fleet, act_on_fleet, why_not_on_fleet) \
  ROW(fleet_unpause, "fleet-unpause", "unpause", "Let fleet run do again what the windows of this file ask for.", "", fleet, fleet, act_on_fleet, why_not_on_fleet) \
  ROW(guide_open, "guide", "guide", "Open the guide: how to share what the cursor is on, or what is marked.", "D", global, guide, decide_here, why_no_guide) \
  ROW(guide_yes, "guide-yes", "yes", "Answer the question with yes.", "y", question, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_no, "guide-no", "no", "Answer the question with no.", "n", question, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_undo, "guide-undo", "undo", "Undo the last answer, also one that was known.", "u", guide, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_why, "guide-why", "why", "Why the question matters.", "w", guide, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_compare, "guide-compare", "compare", "MIG, vGPU, MPS and time-slicing side by side.", "c", guide, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_schedulers, "guide-schedulers", "scheduler", "The second guide: Kubernetes or Slurm, with what is known of this site.", "s", guide, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_terms, "guide-terms", "terms", "The terms of this step, explained.", "t", guide, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_layouts, "guide-layouts", "layouts", "The MIG layouts of this product beside one another.", "v", guide, guide, act_on_guide, why_no_guide_action) \
  ROW(guide_plan, "guide-plan", "plan", "Plan the layout under the cursor.", "P", guide, guide, act_on_guide, why_no_guide_action) \
  ROW(choice_toggle, "choice-toggle", "choose", "Take the entry under the cursor, or leave it out.", "Space", choice, choice, choose_entry, no_choices) \
  ROW(input_accept, "input-accept", "accept", "Accept what is typed.", "Enter", input, typing, accept_line, not_typing) \
  ROW(input_cancel, "input-cancel", "cancel", "Cancel, and leave everything as it was.", "Esc Ctrl-c", input, typing, cancel_line, not_typing) \
  ROW(input_complete, "input-complete", "complete", "Complete the word, then the next candidate.", "Tab", input, typing, edit_line, not_typing) \
  ROW(input_complete_back, "input-complete-back", "previous candidate", "The candidate before.", "Shift-Tab", input, typing, edit_line, not_typing) \
  ROW(input_left, "input-left", "left", "One character to the left.", "Left Ctrl-b", input, typing, edit_line, not_typing) \
  ROW(input_right, "input-right", "right", "One character to the right.", "Right Ctrl-f", input, typing, edit_line, not_typing) \
  ROW(input_start, "input-start", "start", "To the start of the line.", "Home Ctrl-a", input, typing, edit_line, not_typing) \
  ROW(input_end, "input-end", "end", "To the end of the line.", "End Ctrl-e", input, typing, edit_line, not_typing) \
  ROW(input_delete_back, "input-delete-back", "erase", "Erase the character before the cursor.", "Backspace", input, typing, edit_line, not_typing) \
  ROW(input_delete, "input-delete", "delete", "Erase the character under the cursor.", "Delete", input, typing, edit_line, not_typing) \
  ROW(input_delete_word, "input-delete-word", "erase word", "Erase the word before the cursor.", "Ctrl-w", input, typing, edit_line, not_typing) \
  ROW(input_delete_line, "input-delete-line", "erase line", "Erase everything before the cursor.", "Ctrl-u", input, typing, edit_line, not_typing) \
  ROW(input_older, "input-older", "older", "The line typed before this one.", "Up Ctrl-p", input, typing, edit_line, not_typing) \
  ROW(input_newer, "input-newer", "newer", "The line typed after this one.", "Down Ctrl-n", input, typing, edit_line, not_typing)
// clang-format on
