#include "tui/screens/plan/runs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "engine/plan/permit.hpp"
#include "engine/plan/run/onward.hpp"
#include "engine/plan/run/undo.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/run_fold.hpp"
#include "tui/screens/plan/run_words.hpp"

namespace tessera::tui {
namespace {

// --- news

std::string first_node(const RunHead& head) {
  if (head.nodes.empty()) return "?";
  return head.nodes.size() == 1 ? head.nodes.front().text : fmt::format("{} nodes", head.nodes.size());
}

// At start: what was left in the middle is not to be overlooked.
void announce(UiState& state, const UiContext& ui) {
  for (RunState wanted : {RunState::interrupted, RunState::parked})
    for (const RunHead& head : state.runs.heads)
      if (head.state == wanted && !head.here)
        return say(state, ui, Severity::warning,
                   fmt::format("run {} {} on {}: {} opens the journal", head.run,
                               wanted == RunState::parked ? "is parked" : "was interrupted", first_node(head),
                               first_key(state, Action::show_journal)));
}

void take(UiState& state, const UiContext& ui, const RunsListed& listed, Effects&) {
  bool first = !state.runs.listed;
  state.runs.heads = listed.runs;
  state.runs.listed = true;
  state.overview.valid = false;  // its list names them
  if (first && state.message.text.empty()) announce(state, ui);
}

// The run that was asked for has written its first line: its screen takes the plan's place.
void follow_start(UiState& state, const RunView& view, const std::string& run, Effects& effects) {
  if (state.runs.starting.empty() || view.entries.empty()) return;
  if (view.run.started.plan.id != state.runs.starting) return;
  state.runs.starting.clear();
  for (std::size_t i = 1; i < state.stack.size(); ++i)
    if (state.stack[i].kind == ScreenKind::plan) {
      state.stack.resize(i);
      break;
    }
  state.plan.reset();
  state.message = {};  // that it is starting
  disarm(state);
  open_run(state, run, effects);
}

void undo(UiState& state, const UiContext& ui, const std::string& run);

// What calls back whoever has turned to another window; empty: the run goes on by itself.
std::string called_for(const RunView& view) {
  if (view.run.finished) return view.run.finished->outcome == plan::Outcome::wanted ? "done" : "has ended";
  for (const auto& [node, asked] : view.questions)
    if (!view.parked.contains(node)) return "asks a question on " + node.text;
  return view.parked.empty() ? "" : "is parked on " + view.parked.begin()->first.text;
}

RunView& view_to_change(std::shared_ptr<RunView>& held, bool from_start) {
  if (!held || from_start)
    held = std::make_shared<RunView>();
  else if (held.use_count() > 1)
    held = std::make_shared<RunView>(*held);
  return *held;
}

void take(UiState& state, const UiContext& ui, const RunTold& told, Effects& effects) {
  RunView& view = view_to_change(state.runs.opened[told.run], told.from_start);
  const std::string before = called_for(view);
  const RunHead* head = head_of(state, told.run);
  add_lines(view, told.lines, head && !head->file.empty() ? head->file : told.run);
  if (state.runs.last_resume && state.runs.last_resume->run == told.run && !told.from_start) {
    state.runs.last_resume.reset();
    state.runs.ordered_resume = false;
  }
  if (std::string now = called_for(view); !told.from_start && !now.empty() && now != before)
    effects.ring = fmt::format("tessera: {} {}", nodes_text(view.run.started.plan), tui::told(state, now));
  state.runs.refused.erase(told.run);
  follow_start(state, view, told.run, effects);
  if (state.runs.then == OnceRead::undo && state.runs.wait_run == told.run && !view.entries.empty()) {
    state.runs.then = OnceRead::nothing;
    undo(state, ui, told.run);
  }
}

void take(UiState& state, const UiContext& ui, const RunRefused& refused, Effects& effects) {
  if (refused.run.empty() || !head_of(state, refused.run)) state.runs.starting.clear();
  if (state.runs.wait_run == refused.run) state.runs.then = OnceRead::nothing;
  state.runs.ordered_resume = false;
  state.runs.refused[refused.run] = refused.error;
  if (refused.error.reason == plan::kWrittenSince) effects.orders.push_back(ReadRun{refused.run});
  say(state, ui, Severity::danger, to_line(refused.error));
}

void take(UiState& state, const UiContext&, const RunsAtRest&, Effects& effects) {
  effects.quit = state.leaving == Leaving::parking;
}

// --- undo

void undo(UiState& state, const UiContext& ui, const std::string& run) {
  const RunView* view = view_of(state, run);
  if (!view || view->entries.empty()) return;
  Result<plan::Plan> back = way_back(state, ui, run);
  if (!back) return say(state, ui, Severity::danger, to_line(back.error()));
  open_plan(state, ui, std::move(*back), run);
}

// --- reasons

std::string why_not_driven(const UiState& state, const RunHead* head) {
  if (!head) return "there is no run under the cursor";
  if (!state.writable) return "read-only: start tessera with --write to steer runs";
  if (head->state == RunState::running && !head->here) return "this run is driven elsewhere, by " + head->who;
  if (head->state != RunState::running) return "this run is not under way";
  return "";
}

std::string why_not_resumed(const UiState& state, const RunHead* head) {
  if (!head) return "there is no run under the cursor";
  if (!state.writable) return "read-only: start tessera with --write to resume a run";
  if (auto why = plan::why_not_resumed(*head)) return why->reason;
  if (!head->changed.empty() && state.top().kind != ScreenKind::run)
    return "others have changed its journal since you left it: open it and look at what they changed first";
  return state.abilities.contains(head->cluster) ? "" : head->cluster.text + " cannot be changed from here";
}

// Its journal tells of its end a moment before the list of runs does.
bool has_ended(const UiState& state, const std::string& run) {
  const RunView* view = view_of(state, run);
  return view && view->run.finished;
}

std::string why_not_undone(const UiState& state, const RunHead* head) {
  if (!head) return "there is no run under the cursor";
  const RunView* view = view_of(state, head->run);
  if (auto nothing = view ? plan::why_nothing_to_undo(view->run) : std::nullopt; nothing)
    return nothing->reason;
  auto why = plan::why_not_undone(*head);
  if (!why || has_ended(state, head->run)) return "";
  // A second run would meet this one's mark, and leave the node closed as it found it.
  if (head->state == RunState::parked || head->state == RunState::interrupted)
    return fmt::format("this run has not ended: {} resumes it, and there {} goes back",
                       first_key(state, Action::run_resume), first_key(state, Action::resume_back));
  return why->reason;
}

const plan::Asked* question_of(const UiState& state, NodeName* node = nullptr) {
  const RunView* view = view_of(state, run_here(state));
  if (!view || view->questions.empty()) return nullptr;
  if (node) *node = view->questions.begin()->first;
  return &view->questions.begin()->second;
}

// Resumed or gone back, it is armed like a new one; the nodes are the journal's, or the list's.
plan::Plan armed_plan(const UiState& state, const std::string& run) {
  if (const RunView* view = view_of(state, run); view && !view->entries.empty())
    return view->run.started.plan;
  plan::Plan plan;
  if (const RunHead* head = head_of(state, run))
    for (const NodeName& node : head->nodes) plan.nodes.emplace_back().node = node;
  return plan;
}

}  // namespace

Effects take_news(UiState& state, const UiContext& ui, const RunNews& news) {
  Effects effects;
  std::visit([&](const auto& what) { take(state, ui, what, effects); }, news.what);
  return effects;
}

void open_run(UiState& state, const std::string& run, Effects& effects) {
  Screen screen;
  screen.kind = ScreenKind::run;
  screen.subject = run;
  push(state, std::move(screen));
  if (!view_of(state, run)) effects.orders.push_back(ReadRun{run});
}

void open_journal(UiState& state, Effects& effects) {
  go_to(state, ScreenKind::journal);
  effects.orders.push_back(ListRuns{});
}

Effects open_on_journal(UiState& state, const UiContext& ui) {
  Effects effects;
  std::string run = run_here(state);
  const RunHead* head = head_of(state, run);
  if (!head) return effects;
  if (head->state == RunState::marked)
    say(state, ui, Severity::info,
        fmt::format("only its mark is known here: {} drives it from {}", head->who, head->from));
  else
    open_run(state, run, effects);
  return effects;
}

std::string why_no_open_on_journal(const UiState& state, const UiContext&) {
  return run_here(state).empty() ? "there is no run to open" : "";
}

void rested_on_run(UiState& state) {
  const Screen& screen = state.top();
  if (screen.cursor.starts_with("d\x1f"))
    state.runs.shown[screen.subject] = NodeName(screen.cursor.substr(2));
}

std::optional<TimePoint> run_next_change(const UiState& state, const UiContext& ui) {
  constexpr Duration kSecond{1000};
  if (look_of(state, state.top().subject).over) return std::nullopt;
  return ui.wall - (ui.wall.time_since_epoch() % kSecond) + kSecond;
}

Effects act_on_run(UiState& state, const UiContext& ui, Action action) {
  Effects effects;
  std::string run = run_here(state);
  NodeName node;
  const plan::Asked* question = question_of(state, &node);
  switch (action) {
    case Action::run_pause:
      effects.orders.push_back(DemandOfRun{run, {}, plan::Demand::pause});
      say(state, ui, Severity::info, "it parks after the step that is under way");
      break;
    case Action::run_go_back: open_arming(state, ArmTurnBack{run}, armed_plan(state, run)); break;
    case Action::run_resume: state.resuming = run; break;
    case Action::run_undo:
      if (view_of(state, run)) {
        undo(state, ui, run);
      } else {
        state.runs.then = OnceRead::undo;
        state.runs.wait_run = run;
        effects.orders.push_back(ReadRun{run});
      }
      break;
    case Action::run_lines: state.runs.all_lines = !state.runs.all_lines; break;
    case Action::run_go_on:
    case Action::run_stop_here:
      if (question)
        effects.orders.push_back(AnswerRun{run, node, question->what, action == Action::run_go_on});
      break;
    default: break;
  }
  return effects;
}

Result<plan::Plan> way_back(const UiState& state, const UiContext& ui, const std::string& run,
                            const plan::ChangeOptions* options) {
  const RunView* view = view_of(state, run);
  if (!view || view->entries.empty())
    return Error{"cannot plan the way back", "run " + run + " is not read yet", ""};
  const ClusterName& name = view->run.started.plan.intent.cluster;
  const Cluster* cluster = ui.model.find(name);
  if (!cluster) return Error{"cannot plan the way back", name.text + " is not open here", ""};
  if (auto why = plan::why_not_here("cannot plan the way back", name, view->run.started.plan.cluster_id,
                                    cluster->id, false))
    return *why;
  return plan::plan_undo(view->run, *cluster, ui.catalogue, capabilities_of(state, *cluster), state.rules,
                         cluster_now(*cluster, ui.wall), options);
}

Effects act_on_resume(UiState& state, const UiContext&, Action action) {
  std::string run = state.resuming.value_or("");
  state.resuming.reset();
  plan::Onward onward = plan::Onward::carry_on;
  if (action == Action::resume_replan) onward = plan::Onward::replan;
  if (action == Action::resume_back) onward = plan::Onward::back;
  if (action == Action::resume_leave || run.empty()) return {};
  // A refusal named the work that this would disturb: typed again, it is accepted.
  const auto& last = state.runs.last_resume;
  auto refused = state.runs.refused.find(run);
  bool named = last && last->run == run && last->onward == onward && refused != state.runs.refused.end() &&
               refused->second.what == plan::kUnnamedHarm;
  open_arming(state, ArmResume{run, onward, named}, armed_plan(state, run));
  return {};
}

std::string why_not_on_run(Action action, const UiState& state, const UiContext&) {
  ScreenKind kind = state.top().kind;
  if (kind != ScreenKind::run && kind != ScreenKind::journal)
    return "this works on a run, or on its line in the journal";
  const RunHead* head = head_of(state, run_here(state));
  switch (action) {
    case Action::run_pause:
    case Action::run_go_back: return why_not_driven(state, head);
    case Action::run_resume: return why_not_resumed(state, head);
    case Action::run_undo: return why_not_undone(state, head);
    case Action::run_lines:
      return kind == ScreenKind::run ? "" : "this works on a run's page: Enter opens it";
    case Action::run_go_on:
    case Action::run_stop_here:
      if (!question_of(state)) return "the run asks nothing";
      return why_not_driven(state, head);
    default: return "";
  }
}

std::string run_copy(const UiState& state, const UiContext&) { return run_here(state); }

Effects leave(UiState& state, const UiContext& ui) {
  // Also what was ordered and not reported of yet.
  if (under_way(state) || !state.runs.starting.empty() || state.runs.ordered_resume) {
    state.leaving = Leaving::asked;
    return {};
  }
  if (state.runs.drove) return park_and_leave(state, ui, "tessera was left");
  Effects effects;
  effects.quit = true;
  return effects;
}

Effects park_and_leave(UiState& state, const UiContext&, const std::string& why) {
  Effects effects;
  if (state.leaving == Leaving::parking) return effects;
  if (!state.runs.drove) {
    effects.quit = true;
    return effects;
  }
  state.leaving = Leaving::parking;
  disarm(state);
  state.input = {};
  effects.orders.push_back(ParkRuns{why});
  return effects;
}

const RunHead* head_of(const UiState& state, const std::string& run) {
  for (const RunHead& head : state.runs.heads)
    if (head.run == run) return &head;
  return nullptr;
}

const RunView* view_of(const UiState& state, const std::string& run) {
  auto found = state.runs.opened.find(run);
  return found == state.runs.opened.end() ? nullptr : found->second.get();
}

std::string run_here(const UiState& state) {
  const Screen& screen = state.top();
  if (screen.kind == ScreenKind::run) return screen.subject;
  if (screen.kind != ScreenKind::journal || state.runs.heads.empty()) return "";
  // A line about marks that cannot be read has no run: a cursor that was not moved yet is not on it.
  const bool moved = !screen.cursor.empty() && head_of(state, screen.cursor);
  return moved ? screen.cursor : state.runs.heads.front().run;
}

const RunHead* under_way(const UiState& state) {
  for (const RunHead& head : state.runs.heads)
    if (head.here && head.state == RunState::running && !has_ended(state, head.run)) return &head;
  return nullptr;
}

std::string under_way_text(const UiState& state) {
  const RunHead* head = under_way(state);
  if (!head) return "";
  const RunView* view = view_of(state, head->run);
  if (!view || view->entries.empty()) return fmt::format("run {}: under way", head->run);
  if (view->run.plans.size() != 1)
    return fmt::format("run {}: {}", head->run, plan::to_text(plan::summary(view->run)));
  const plan::Executor& executor = view->run.nodes.begin()->second;
  std::size_t count = executor.plan().steps.size();
  return fmt::format("run {}: step {} of {}", head->run, std::min(executor.step() + 1, count), count);
}

}  // namespace tessera::tui
