#include "tui/screens/screens.hpp"

#include <array>

#include "tui/screens/advise/advise.hpp"
#include "tui/screens/beside.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/events.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/overview/overview_body.hpp"
#include "tui/screens/pack/pack.hpp"
#include "tui/screens/pages/doctor.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/pages/node_body.hpp"
#include "tui/screens/pages/why.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/plan_texts.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/usage.hpp"
#include "tui/screens/users.hpp"

namespace tessera::tui {
namespace {

using enum Action;

template <class... Of>
constexpr std::array<Action, sizeof...(Of)> list(Of... of) {
  return {of...};
}

constexpr auto kOverviewFooter = list(open, next_panel, show_nodes, show_gpus, show_slices, show_workloads,
                                      show_waiting, show_doctor, show_advise, palette, facts);
constexpr auto kTableFooter = list(open, filter, show_waiting, show_doctor, back, facts, sort_next_column,
                                   only_mine, choose_columns, mark, copy, palette);
// Of what can be cut.
constexpr auto kCutFooter = list(open, filter, show_layout, guide_open, show_waiting, show_doctor, back,
                                 facts, sort_next_column, only_mine, choose_columns, mark, copy, palette);
constexpr auto kNodeFooter = list(open, back, show_layout, guide_open, show_waiting, events_here, facts,
                                  previous_sibling, next_sibling, copy, palette);
constexpr auto kWorkloadFooter = list(open, facts, back, previous_sibling, next_sibling, copy, palette);
constexpr auto kLayoutFooter = list(layout_add, layout_remove, layout_presets, layout_best, layout_undo,
                                    layout_plan, layout_all, back, palette);
constexpr auto kFactsFooter = list(back, copy, palette);
constexpr auto kLogFooter = list(open, filter, follow, back, show_doctor, copy, palette);
constexpr auto kHelpFooter = list(back, show_about, palette);
constexpr auto kAboutFooter = list(back, palette);
constexpr auto kPlanFooter =
    list(plan_arm, back, copy, plan_copy_all, plan_again, plan_messages, plan_requeue, plan_cancel,
         plan_when_empty, plan_on_failure, plan_scheduler);
constexpr auto kMessagesFooter = list(copy, back, palette);
// What the run waits for first: a narrow screen leaves out what stands last.
constexpr auto kRunFooter =
    list(run_go_on, run_stop_here, run_resume, run_pause, run_go_back, back, run_undo, copy, palette);
constexpr auto kJournalFooter = list(open, back, run_undo, run_resume, copy, palette);
constexpr auto kGuideFooter =
    list(guide_yes, guide_no, open, guide_plan, copy, guide_undo, next_panel, guide_why, guide_compare,
         guide_schedulers, guide_terms, guide_layouts, back);

constexpr auto kGpuFooter = list(open, back, show_layout, guide_open, show_waiting, events_here, facts,
                                 previous_sibling, next_sibling, copy, palette);
constexpr auto kDoctorFooter = list(open, finding_plan, acknowledge, back, copy, palette);
constexpr auto kUsageFooter = list(open, usage_by, usage_days, usage_source, back, copy, refresh, palette);
constexpr auto kWasteFooter =
    list(open, usage_letter, usage_days, usage_source, back, copy, refresh, palette);
constexpr auto kUsersFooter = list(open, users_by, back, copy, show_waiting, show_doctor, palette);

constexpr auto kPackFooter =
    list(pack_more, pack_less, pack_count, open, pack_queue, back, pack_clear, pack_product, pack_evict,
         pack_only, show_advise, pack_cluster, copy, palette);
constexpr auto kAdviseFooter = list(open, next_panel, back, copy, advise_again, advise_hours, advise_days,
                                    advise_only, advise_cluster, show_pack, palette);
constexpr auto kFleetFooter =
    list(open, fleet_pool, fleet_cluster, fleet_read, fleet_calendar, back, fleet_pause, copy, palette);
constexpr auto kCutHints = list(show_layout, guide_open);
constexpr auto kWaitHints = list(show_waiting);

constexpr std::array kTableScopes{Scope::table};
constexpr std::array kNodeScopes{Scope::node};
constexpr std::array kLayoutScopes{Scope::layout};
constexpr std::array kPackScopes{Scope::pack};
constexpr std::array kFleetScopes{Scope::fleet};
constexpr std::array kAdviseScopes{Scope::advise};
constexpr std::array kLogScopes{Scope::log};
constexpr std::array kFindingsScopes{Scope::findings};
constexpr std::array kUsersScopes{Scope::users};
constexpr std::array kUsageScopes{Scope::usage};
constexpr std::array kPlanScopes{Scope::plan};
constexpr std::array kArmAsks{Scope::arm};
constexpr std::array kRunScopes{Scope::run};
constexpr std::array kResumeAsks{Scope::resume};
constexpr std::array kGuideScopes{Scope::guide};
constexpr std::array kQuestionAsks{Scope::question};

constexpr std::string_view kOnePart = "this screen has one panel";

std::string one_list(const UiState& state, const UiContext& ui) {
  return panes_of(ui, state, state.size.columns).side.empty() ? std::string(kOnePart) : "";
}

constexpr ScreenRow table_row(ScreenKind kind, std::string_view word, Action way, const TableKind& table,
                              std::span<const Action> footer, std::span<const Action> hints) {
  ScreenRow row;
  row.kind = kind;
  row.word = word;
  row.way = way;
  row.scopes = kTableScopes;
  row.footer = footer;
  row.hints = hints;
  row.body = &kTableBody;
  row.table = &table;
  row.parts = kOnePart;
  row.open = open_row;
  row.why_no_open = why_no_row;
  row.facts = facts_of_row;
  row.why_no_facts = why_no_row_facts;
  row.copy = copy_rows;
  row.refresh = refresh_table;
  row.cells = table_cells;
  row.next_change = table_next_change;
  return row;
}

constexpr std::array<ScreenRow, static_cast<std::size_t>(ScreenKind::count_)> kScreens{{
    {.kind = ScreenKind::overview,
     .word = "overview",
     .way = show_overview,
     .footer = kOverviewFooter,
     .body = &kOverviewBody,
     .page_beside = page_beside_overview,
     .lines_beside = lines_beside_overview,
     .has_lines_beside = has_lines_beside_overview,
     .shows_failures = true,
     .open = open_on_overview,
     .why_no_open = why_no_open_on_overview,
     .facts = facts_on_overview,
     .why_no_facts = why_no_facts_on_overview,
     .copy = copy_on_overview,
     .open_at = open_on_mosaic,
     .refresh = refresh_overview,
     .cells = overview_cells,
     .next_change = overview_next_change},
    table_row(ScreenKind::nodes, "nodes", show_nodes, kNodeTable, kCutFooter, kCutHints),
    table_row(ScreenKind::gpus, "gpus", show_gpus, kGpuTable, kCutFooter, kCutHints),
    table_row(ScreenKind::slices, "slices", show_slices, kSliceTable, kCutFooter, kCutHints),
    table_row(ScreenKind::workloads, "workloads", show_workloads, kWorkloadTable, kTableFooter, kWaitHints),
    {.kind = ScreenKind::node,
     .word = "node",
     .crumb = Crumb::subject,
     .scopes = kNodeScopes,
     .footer = kNodeFooter,
     .hints = kCutHints,
     .body = &kNodeBody,
     .open = open_tile,
     .why_no_open = why_no_tile,
     .facts = facts_of_tile,
     .copy = copy_on_node,
     .cells = node_cells},
    {.kind = ScreenKind::workload,
     .word = "workload",
     .crumb = Crumb::subject,
     .footer = kWorkloadFooter,
     .body = &kPageBody,
     .page = workload_document,
     .parts = kOnePart,
     .open = open_on_workload,
     .why_no_open = why_no_tile,
     .facts = facts_of_workload,
     .copy = copy_on_workload,
     .refresh = refresh_why,
     .side = workload_side_document},
    {.kind = ScreenKind::layout,
     .word = "layout",
     .crumb = Crumb::word_and_subject,
     .scopes = kLayoutScopes,
     .footer = kLayoutFooter,
     .body = &kLayoutBody,
     .no_parts = one_board,
     .open = open_in_layout,
     .why_no_open = why_no_open_in_layout,
     .back = back_in_layout,
     .refresh = refresh_layout},
    {.kind = ScreenKind::facts,
     .word = "details",
     .footer = kFactsFooter,
     .body = &kPageBody,
     .page = facts_document,
     .shows_sources = true,
     .parts = kOnePart,
     .side = facts_side_document},
    {.kind = ScreenKind::log,
     .word = "events",
     .crumb = Crumb::word_and_subject,
     .way = show_events,
     .scopes = kLogScopes,
     .footer = kLogFooter,
     .body = &kPageBody,
     .page = events_document,
     .when_empty = why_no_events,
     .page_beside = page_beside_events,
     .lines_beside = lines_beside_events,
     .has_lines_beside = has_lines_beside_events,
     .filtered = true,
     .newest_first = true,
     .stands_alone = true,
     .parts = kOnePart,
     .open = open_on_events,
     .why_no_open = why_no_open_on_events,
     .copy = copy_on_events,
     .refresh = refresh_events},
    {.kind = ScreenKind::help,
     .word = "help",
     .way = help,
     .footer = kHelpFooter,
     .body = &kPageBody,
     .page = help_document,
     .stands_alone = true,
     .parts = kOnePart},
    {.kind = ScreenKind::about,
     .word = "about",
     .way = show_about,
     .footer = kAboutFooter,
     .body = &kPageBody,
     .page = about_document,
     .stands_alone = true,
     .shows_sources = true,
     .parts = kOnePart},
    {.kind = ScreenKind::plan,
     .word = "plan",
     .crumb = Crumb::word_and_subject,
     .scopes = kPlanScopes,
     .asks = kArmAsks,
     .footer = kPlanFooter,
     .body = &kPanesBody,
     .panes = plan_panes,
     .rested = rested_on_plan,
     .stands_alone = true,
     .no_parts = one_list,
     .open = open_on_plan,
     .why_no_open = why_no_open_on_plan,
     .copy = plan_copy,
     .refresh = refresh_plan},
    {.kind = ScreenKind::messages,
     .word = "messages",
     .footer = kMessagesFooter,
     .body = &kPageBody,
     .page = messages_document,
     .parts = kOnePart,
     .copy = messages_text,
     .refresh = refresh_letters},
    {.kind = ScreenKind::run,
     .word = "run",
     .crumb = Crumb::word_and_subject,
     .scopes = kRunScopes,
     .asks = kResumeAsks,
     .footer = kRunFooter,
     .body = &kPanesBody,
     .panes = run_panes,
     .rested = rested_on_run,
     .stands_alone = true,
     .shows_runs = true,
     .no_parts = one_list,
     .copy = run_copy,
     .next_change = run_next_change},
    {.kind = ScreenKind::journal,
     .word = "journal",
     .way = show_journal,
     .scopes = kRunScopes,
     .asks = kResumeAsks,
     .footer = kJournalFooter,
     .body = &kPanesBody,
     .panes = journal_panes,
     .page_beside = page_beside_journal,
     .lines_beside = lines_beside_journal,
     .has_lines_beside = has_lines_beside_journal,
     .stands_alone = true,
     .no_parts = one_list,
     .open = open_on_journal,
     .why_no_open = why_no_open_on_journal,
     .copy = run_copy},
    {.kind = ScreenKind::guide,
     .word = "guide",
     .crumb = Crumb::word_and_subject,
     .scopes = kGuideScopes,
     .asks = kQuestionAsks,
     .footer = kGuideFooter,
     .body = &kGuideBody,
     .page = guide_document,
     .footer_fits = true,  // a key is an answer at a question and something else at a leaf
     .no_parts = one_guide_group,
     .open = open_in_guide,
     .why_no_open = why_no_open_in_guide,
     .back = back_in_guide,
     .copy = copy_in_guide,
     .nothing_to_copy = "there is nothing to copy yet",
     .refresh = refresh_guide},
    {.kind = ScreenKind::doctor,
     .word = "findings",
     .way = show_doctor,
     .scopes = kFindingsScopes,
     .footer = kDoctorFooter,
     .body = &kPanesBody,
     .panes = doctor_panes,
     .page_beside = page_beside_finding,
     .lines_beside = lines_beside_finding,
     .has_lines_beside = has_lines_beside_finding,
     .shows_failures = true,
     .no_parts = one_list,
     .open = open_on_doctor,
     .why_no_open = why_no_open_on_doctor,
     .copy = copy_on_doctor,
     .refresh = refresh_overview,
     .next_change = overview_next_change},
    {.kind = ScreenKind::users,
     .word = "users",
     .way = show_users,
     .scopes = kUsersScopes,
     .footer = kUsersFooter,
     .body = &kPanesBody,
     .panes = users_panes,
     .lines_beside = lines_beside_user,
     .has_lines_beside = has_lines_beside_user,
     .no_parts = one_list,
     .open = open_on_users,
     .why_no_open = why_no_open_on_users,
     .copy = copy_on_users,
     .refresh = refresh_users,
     .next_change = users_next_change},
    {.kind = ScreenKind::gpu,
     .word = "GPU",
     .crumb = Crumb::subject,
     .footer = kGpuFooter,
     .hints = kCutHints,
     .body = &kGpuBody,
     .page = gpu_document,
     .parts = kOnePart,
     .open = open_on_gpu,
     .facts = facts_on_gpu,
     .copy = copy_on_gpu,
     .side = gpu_side_document},
    {.kind = ScreenKind::usage,
     .word = "usage",
     .way = show_usage,
     .scopes = kUsageScopes,
     .footer = kUsageFooter,
     .body = &kPanesBody,
     .panes = usage_panes,
     .page_beside = page_beside_usage,
     .lines_beside = lines_beside_usage,
     .has_lines_beside = has_lines_beside_usage,
     .stands_alone = true,
     .over_time = true,
     .no_parts = one_list,
     .open = open_on_usage,
     .why_no_open = why_no_open_on_usage,
     .copy = copy_on_usage,
     .refresh = refresh_users,
     .next_change = users_next_change},
    {.kind = ScreenKind::waste,
     .word = "waste",
     .way = show_waste,
     .scopes = kUsageScopes,
     .footer = kWasteFooter,
     .body = &kPanesBody,
     .panes = waste_panes,
     .page_beside = page_beside_waste,
     .lines_beside = lines_beside_waste,
     .has_lines_beside = has_lines_beside_waste,
     .stands_alone = true,
     .over_time = true,
     .no_parts = one_list,
     .open = open_on_waste,
     .why_no_open = why_no_open_on_waste,
     .copy = copy_on_waste,
     .refresh = refresh_waste,
     .next_change = overview_next_change},
    {.kind = ScreenKind::pack,
     .word = "pack",
     .way = show_pack,
     .scopes = kPackScopes,
     .footer = kPackFooter,
     .hints = kWaitHints,
     .body = &kPanesBody,
     .panes = pack_panes,
     .no_parts = one_list,
     .open = open_on_pack,
     .why_no_open = why_no_open_on_pack,
     .back = back_in_pack,
     .copy = copy_on_pack,
     .nothing_to_copy = "there is no command to copy: no demand can be planned, or a recording is shown",
     .refresh = refresh_pack,
     .next_change = pack_next_change},
    {.kind = ScreenKind::fleet,
     .word = "fleet",
     .way = show_fleet,
     .scopes = kFleetScopes,
     .footer = kFleetFooter,
     .body = &kPanesBody,
     .panes = fleet_panes,
     .page_beside = page_beside_fleet,
     .stands_alone = true,
     .no_parts = one_list,
     .open = open_on_fleet,
     .why_no_open = why_no_open_on_fleet,
     .copy = copy_on_fleet,
     .refresh = refresh_fleet,
     .next_change = fleet_next_change},
    {.kind = ScreenKind::advise,
     .word = "advise",
     .way = show_advise,
     .scopes = kAdviseScopes,
     .footer = kAdviseFooter,
     .hints = kWaitHints,
     .body = &kPanesBody,
     .panes = advise_panes,
     .over_time = true,
     .no_parts = one_list,
     .open = open_on_advise,
     .why_no_open = why_no_open_on_advise,
     .back = back_in_advise,
     .copy = copy_on_advise,
     .nothing_to_copy = "no answer: there is no command to copy",
     .refresh = refresh_advise,
     .next_change = advise_next_change},
}};

constexpr bool in_kind_order() {
  for (std::size_t i = 0; i < kScreens.size(); ++i)
    if (kScreens[i].kind != static_cast<ScreenKind>(i)) return false;
  return true;
}
static_assert(in_kind_order(), "row_of() finds a screen by its position");

}  // namespace

std::span<const ScreenRow> screen_rows() { return kScreens; }

const ScreenRow& row_of(ScreenKind kind) { return kScreens[static_cast<std::size_t>(kind)]; }

const ScreenRow& row_of(const UiState& state) { return row_of(state.top().kind); }

bool is_table(ScreenKind kind) { return row_of(kind).table != nullptr; }

std::string_view word(ScreenKind kind) { return row_of(kind).word; }

Document document_of(const UiContext& ui, const UiState& state, int width) {
  const ScreenRow& row = row_of(state);
  return row.page ? row.page(ui, state, width) : Document();
}

Panes panes_of(const UiContext& ui, const UiState& state, int width) {
  const ScreenRow& row = row_of(state);
  return row.panes ? row.panes(ui, state, width) : Panes();
}

}  // namespace tessera::tui
