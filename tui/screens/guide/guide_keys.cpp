// The guide's keys: answers, pages, and the ways on to the editor and the plan.
#include <fmt/core.h>

#include <charconv>

#include "engine/guide/hand_over.hpp"
#include "engine/plan/planner.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/plan/plan.hpp"

namespace tessera::tui {
namespace {

const guide::Proposal* chosen(const GuideState& guide) {
  const GuideGroup* group = guide.group();
  const bool there = group && guide.chosen < group->result.layouts.size();
  return there ? &group->result.layouts[guide.chosen] : nullptr;
}

Scheduler scheduler_of(const GuideState& guide) { return sharing::scheduler_of(guide.platform); }

// Why the chosen proposal cannot be edited or planned; empty: it can.
std::string why_no_wish(const Screen& screen) {
  const GuideState& guide = screen.guide;
  // The one chosen is not in view there, and the table has no cursor.
  if (guide.panel != GuidePanel::walk)
    return "this table is for reading; Esc leads back to the layouts to take";
  const guide::Proposal* proposal = chosen(guide);
  if (!proposal)
    return guide_asks(screen) ? "answer the questions first: y or n" : "there is no layout to take";
  if (guide.asked.empty()) return "this GPU is in no cluster here; y copies the layout";
  auto wishes = guide::wishes_of(*proposal, scheduler_of(guide), {});
  return wishes ? "" : wishes.error().reason + "; " + wishes.error().hint;
}

void start_anew(Screen& screen) {
  screen.guide.worked_out = false;
  screen.guide.chosen = 0;
  screen.cursor.clear();
  screen.cursor_at = 0;
  screen.top = 0;
}

void show_panel(Screen& screen, GuidePanel panel) {
  screen.guide.panel = screen.guide.panel == panel ? GuidePanel::walk : panel;
  screen.cursor.clear();
  screen.cursor_at = 0;
  screen.top = 0;
}

void go_on_with(UiState& state, const UiContext& ui, bool to_plan) {
  const Screen& screen = state.top();
  const GuideGroup& group = *screen.guide.group();
  const guide::Proposal& proposal = *chosen(screen.guide);
  const bool more = !group.result.together.empty();  // the rules want others changed with them
  const std::vector<GpuIndex> gpus = more ? std::vector<GpuIndex>{} : group.gpus;
  auto wishes = guide::wishes_of(proposal, scheduler_of(screen.guide), gpus);
  if (!wishes) return say(state, ui, Severity::info, to_line(wishes.error()));
  plan::Intent intent;
  intent.cluster = screen.cluster;
  intent.nodes = more ? group.result.together : group.nodes;
  intent.boards = std::move(*wishes);
  intent.words = proposal.preset.value_or(
      guide::is_for_each(proposal) ? proposal.title : plan::to_text(intent.boards.front().wish));
  intent.decision = guide::decision_of(group.result);
  const Cluster* cluster = ui.model.find(screen.cluster);
  if (!cluster) return;
  if (!to_plan) {
    std::optional<GpuIndex> gpu;
    if (gpus.size() == 1) gpu = gpus.front();
    const bool each = guide::is_for_each(proposal);
    open_layout(state, ui, cluster->name, intent.nodes, gpu,
                each ? std::nullopt : std::optional(intent.boards.front().wish));
    if (each) take_for_each(state, ui, intent.boards);
    if (state.top().layout) state.top().layout->decision = intent.decision;
    return;
  }
  if (const auto why_not = open_plan_for(state, ui, intent))
    say(state, ui, Severity::danger, to_line(*why_not));
}

}  // namespace

bool guide_asks(const Screen& screen) {
  const GuideGroup* group = screen.guide.group();
  return screen.kind == ScreenKind::guide && screen.guide.panel == GuidePanel::walk && group &&
         group->walk.current() != nullptr;
}

std::optional<std::size_t> guide_stop(const Screen& screen, std::string_view kind) {
  if (!screen.cursor.starts_with(kind)) return std::nullopt;
  std::size_t number = 0;
  const char* end = screen.cursor.data() + screen.cursor.size();
  auto [read, problem] = std::from_chars(screen.cursor.data() + kind.size(), end, number);
  return problem == std::errc() && read == end ? std::optional(number) : std::nullopt;
}

std::string why_no_guide_action(Action action, const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  if (screen.kind != ScreenKind::guide) return "this works in the guide; D opens it";
  const GuideGroup* group = screen.guide.group();
  if (!group) return "there is nothing here to decide about";
  switch (action) {
    case Action::guide_yes:
    case Action::guide_no: return guide_asks(screen) ? "" : "no question waits; u goes back to the last one";
    case Action::guide_why: return guide_asks(screen) ? "" : "no question waits";
    case Action::guide_undo: return group->walk.path().empty() ? "this is the first question" : "";
    case Action::guide_layouts: {
      const mig::Product* product = ui.catalogue.by_key(group->product.text);
      return product && product->mig_capable && product->placements_known
                 ? ""
                 : "no MIG layouts are known for this GPU";
    }
    case Action::guide_plan: return why_no_wish(screen);
    default: return "";
  }
}

namespace {

void use_guide(UiState& state, const UiContext& ui, Action action) {
  Screen& screen = state.top();
  GuideState& guide = screen.guide;
  switch (action) {
    case Action::guide_yes:
    case Action::guide_no: guide.group()->walk.answer(action == Action::guide_yes); return start_anew(screen);
    case Action::guide_undo:
      guide.group()->walk.undo();
      guide.panel = GuidePanel::walk;
      return start_anew(screen);
    case Action::guide_why:
      guide.why = !guide_shows_why(state);
      screen.top = 0;
      return;
    case Action::guide_compare: return show_panel(screen, GuidePanel::compare);
    case Action::guide_schedulers: return show_panel(screen, GuidePanel::schedulers);
    case Action::guide_terms: return show_panel(screen, GuidePanel::terms);
    case Action::guide_layouts: return show_panel(screen, GuidePanel::layouts);
    case Action::guide_plan: return go_on_with(state, ui, true);
    default: return;
  }
}

}  // namespace

Effects act_on_guide(UiState& state, const UiContext& ui, Action action) {
  use_guide(state, ui, action);
  return {};
}

void next_guide_group(UiState& state, int step) {
  Screen& screen = state.top();
  const std::size_t count = screen.guide.groups.size();
  if (count < 2) return;
  screen.guide.at = (screen.guide.at + (step > 0 ? 1 : count - 1)) % count;
  start_anew(screen);
}

bool back_in_guide(UiState& state, const UiContext&) {
  Screen& screen = state.top();
  if (screen.guide.panel == GuidePanel::walk) return false;
  show_panel(screen, GuidePanel::walk);
  return true;
}

std::string why_no_open_in_guide(const UiState& state, const UiContext&) {
  const Screen& screen = state.top();
  if (guide_stop(screen, kGuideAdvice) || screen.cursor.starts_with(kGuideNote)) return "y copies this text";
  return why_no_wish(screen);
}

Effects open_in_guide(UiState& state, const UiContext& ui) {
  go_on_with(state, ui, false);
  return {};
}

std::string one_guide_group(const UiState& state, const UiContext&) {
  return state.top().guide.groups.size() > 1 ? "" : "all GPUs here are of one product";
}

std::string copy_in_guide(const UiState& state, const UiContext&) {
  const Screen& screen = state.top();
  if (auto at = guide_stop(screen, kGuideAdvice)) {
    const auto all = guide_advice(screen.guide);
    return *at < all.size() ? all[*at].text : std::string();
  }
  if (screen.cursor.starts_with(kGuideNote)) return screen.cursor.substr(kGuideNote.size());
  const guide::Proposal* proposal = chosen(screen.guide);
  if (!proposal || !guide_stop(screen, kGuideLayout)) return {};
  return proposal->layout.empty() ? proposal->title : proposal->layout;
}

}  // namespace tessera::tui
