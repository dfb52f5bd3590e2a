// What a run's screen shows: its steps as they go, its questions, its end.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "engine/plan/node_action.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/plan/words/wording.hpp"
#include "engine/query/value.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/plan/plan_parts.hpp"
#include "tui/screens/plan/plan_words.hpp"
#include "tui/screens/plan/run_lines.hpp"
#include "tui/screens/plan/run_words.hpp"
#include "tui/screens/plan/runs.hpp"

namespace tessera::tui {
namespace {

constexpr int kStepsBeside = 118;
constexpr std::size_t kLogInFoot = 4;
constexpr std::size_t kLogBeside = 60;
constexpr std::size_t kLogBelow = std::numeric_limits<std::size_t>::max();  // it is scrolled through
using Stage = StepProgress::Stage;

class RunPage {
 public:
  RunPage(const UiContext& ui, const UiState& state, const RunView& view, int width)
      : ui_(ui), state_(state), view_(view), run_(view.run), width_(width), shown_(shown_node(state, view)) {}

  Document head() {
    const plan::Plan& plan = run_.started.plan;
    const RunHead* head = head_of(state_, state_.top().subject);
    RunLook look = look_of(state_, state_.top().subject);
    std::string nodes =
        plan.nodes.size() == 1 ? plan.nodes[0].node.text : fmt::format("{} nodes", plan.nodes.size());
    if (ui_.model.clusters.size() > 1) nodes = plan.intent.cluster.text + ": " + nodes;
    DocLine line{{{nodes, Style(Role::text).with_bold(), 1},
                  {fmt::format("  {} {}", glyphs(state_.ascii).crumb, asked_text(state_, plan.intent)),
                   Style(Role::accent).with_bold()}},
                 {}};
    std::vector<Span> standing{
        {"  " + sign_of(look, state_.ascii) + " " + look.word, Style(look.role).with_bold()}};
    // Of several nodes the heading below says it, in full.
    if (plan.nodes.size() == 1)
      standing.push_back({"  " + tui::told(state_, progress_text(view_)), Role::text});
    if (!look.over && !view_.entries.empty())
      standing.push_back({"  " + clock_text(since(view_.entries.front().at)), Role::text});
    // Behind the name where there is room for all of it: how long it has taken was cut at 120 columns.
    if (1 + cells_of(line.spans) + cells_of(standing) > width_) lines_.push_back(std::exchange(line, {}));
    line.spans.insert(line.spans.end(), standing.begin(), standing.end());
    lines_.push_back(std::move(line));
    std::string who = fmt::format("begun by {}@{} {}", run_.started.who, run_.started.from,
                                  view_.entries.empty() ? "" : time_text(view_.entries.front().at));
    if (head && head->state == RunState::running && !head->here) who += "; driven elsewhere";
    lines_.push_back({{{tui::told(state_, who), Role::dim, 1}}, {}});
    if (!look.over) join(tui::told(state_, "usually") + " " + tui::told(state_, usual_text(plan)), Role::dim);
    if (view_.trouble) wrapped(to_line(*view_.trouble), Role::danger);
    if (const std::string text = plan::renamed_text(renamed()); !text.empty()) wrapped(text, Role::warning);
    strips(look.over);
    lines_.push_back({});
    if (head) changed(*head);
    return std::move(lines_);
  }

  Document nodes() {
    heading("NODES", plan::to_text(plan::summary(run_)));
    const plan::ChangeOptions& options = run_.started.plan.intent.options;
    int number = 0;
    for (const plan::NodePlan& planned : run_.started.plan.nodes) {
      if (number == 0 && options.canary > 0) aside_line("alone first");
      if (number == options.canary) aside_line(fmt::format("then {} at a time", options.batch));
      ++number;
      node_line(planned.node);
    }
    return std::move(lines_);
  }

  Document steps(const NodeName& node) {
    const plan::NodePlan& plan = run_.plans.at(node);
    std::string aside = run_.plans.size() > 1 ? node.text : std::string();
    if (view_.turned.contains(node))
      aside += (aside.empty() ? "" : ", ") + tui::told(state_, "on the way back");
    lines_.push_back(heading_line(tui::told(state_, "STEPS"), aside));
    if (plan.steps.empty()) aside_line("nothing to do on this node");
    const std::vector<plan::Step> shown = steps_as_run(view_, node);
    const int time_at = time_column(shown);
    for (std::size_t i = 0; i < shown.size(); ++i) step_line(node, shown[i], i, time_at);
    return std::move(lines_);
  }

  // The newest lines, oldest first: about one step, or about all of the node's where none is named.
  Document log(const NodeName& node, const std::string& step, std::size_t most) {
    std::vector<RunLine> found = run_lines(view_, node, state_.runs.all_lines);
    std::erase_if(found, [&](const RunLine& one) {
      return !step.empty() && one.step != step && (!one.step.empty() || current(node) != step);
    });
    if (found.size() > most) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(most));
    for (const RunLine& one : found) {
      std::string time = time_text(one.at);
      if (time.size() > 11) time = time.substr(11, 8);
      bool first = true;
      for (std::string& text : wrap(line_text(one, step.empty()), width_ - 12)) {
        DocLine line;
        if (first) line.spans.push_back({time, Role::dim, 1});
        line.spans.push_back({std::move(text), one.role, 11});
        lines_.push_back(std::move(line));
        first = false;
      }
    }
    return std::move(lines_);
  }

  // The id of the step that a node is at; empty: it is through.
  std::string current(const NodeName& node) const {
    const plan::Executor& executor = run_.nodes.at(node);
    const auto& steps = run_.plans.at(node).steps;
    return executor.finished() || executor.step() >= steps.size() ? std::string() : steps[executor.step()].id;
  }

 private:
  static int cells_of(const std::vector<Span>& spans) {
    int cells = 0;
    for (const Span& span : spans) cells += display_width(span.text);
    return cells;
  }
  std::vector<std::string> renamed() const {
    std::vector<std::string> all = run_.started.plan.renamed;
    for (const plan::Entry& entry : view_.entries)
      if (const auto* replanned = std::get_if<plan::Replanned>(&entry.what))
        all.insert(all.end(), replanned->plan.renamed.begin(), replanned->plan.renamed.end());
    return all;
  }
  // Before it can be armed: what others did to the journal of a shared folder.
  void changed(const RunHead& head) {
    if (head.changed.empty()) return;
    heading("CHANGED BY OTHERS SINCE YOU LEFT IT", "a diff of the journal");
    for (const std::string& line : head.changed)
      lines_.push_back({{{shorten(line, width_ - 4, state_.ascii),
                          line.starts_with('+') || line.starts_with('-') ? Role::warning : Role::dim, 3}},
                        {}});
    lines_.push_back({});
  }
  // The GPUs of the node in view as the cluster reports them now, and what they are to be.
  void strips(bool over) {
    constexpr std::size_t kMost = 3;
    auto planned = run_.plans.find(shown_);
    const Cluster* cluster = ui_.model.find(run_.started.plan.intent.cluster);
    const Node* node = cluster ? cluster->nodes.find(shown_) : nullptr;
    if (planned == run_.plans.end() || !node) return;
    const std::vector<StripChange> changes = live_strips(planned->second, *node, ui_.catalogue, state_.ascii);
    for (std::size_t i = 0; i < std::min(changes.size(), kMost); ++i) {
      const bool there = changes[i].before == changes[i].after;
      lines_.push_back({{{changes[i].gpus, Role::text, 3},
                         {"  " + tui::told(state_, "now"), Role::dim},
                         {"  " + changes[i].before, there  ? Role::good
                                                    : over ? Role::held
                                                           : Role::changing},
                         {"   " + tui::told(state_, "wanted"), Role::dim},
                         {"  " + changes[i].after, Role::created}},
                        {}});
    }
    if (changes.size() > kMost)
      lines_.push_back(
          {{{tui::told(state_, fmt::format("and {} more", changes.size() - kMost)), Role::dim, 3}}, {}});
  }
  // Behind what the last line says, or below it where it would be cut.
  void join(const std::string& text, Role role) {
    int used = 1;
    for (const Span& span : lines_.back().spans) used += display_width(span.text);
    if (used + 3 + display_width(text) < width_)
      lines_.back().spans.push_back({"   " + text, role});
    else
      wrapped(text, role);
  }
  void heading(std::string_view text, std::string_view aside) {
    lines_.push_back(heading_line(tui::told(state_, text), tui::told(state_, aside)));
  }
  Duration since(TimePoint at) const { return std::max(Duration{0}, ui_.wall - at); }
  void aside_line(std::string_view text) { lines_.push_back({{{told(state_, text), Role::dim, 3}}, {}}); }
  void wrapped(std::string_view text, Style style) {
    for (std::string& line : wrap(told(state_, text), width_ - 4))
      lines_.push_back({{{std::move(line), style, 3}}, {}});
  }
  // Among those of one step its title says nothing new.
  std::string line_text(const RunLine& one, bool titled) const {
    if (one.result.empty()) return tui::told(state_, one.text);
    const std::string result = tui::told(state_, one.result);
    return titled ? tui::told(state_, one.text) + tui::told(state_, "; ") + result : result;
  }

  void node_line(const NodeName& node) {
    NodeLook look = look_of(view_, node);
    const plan::Executor& executor = run_.nodes.at(node);
    std::size_t count = run_.plans.at(node).steps.size();
    std::string at = executor.finished() || executor.step() == 0
                         ? std::string()
                         : fmt::format("step {} of {}", std::min(executor.step() + 1, count), count);
    bool shown = node == shown_;
    lines_.push_back({{{sign_of(look.stage, look.role, state_.ascii), Style(look.role).with_bold(), 1},
                       {shorten(node.text, 15, state_.ascii),
                        shown ? Style(Role::accent).with_bold() : Style(Role::text), 3},
                       {look.word, look.role, 19},
                       {at, Role::text, 32},
                       {"  " + shorten(look.why, std::max(8, width_ - 48), state_.ascii), Role::dim, 45}},
                      "d\x1f" + node.text});
  }

  // Where the times of the steps stand: behind the longest title, as far as the width goes. A wide page keeps
  // room for what each step showed.
  int time_column(const std::vector<plan::Step>& steps) const {
    int longest = 0;
    for (const plan::Step& step : steps)
      longest = std::max(longest, display_width(tui::told(state_, step.title)));
    const int least = width_ >= 100 ? width_ * 45 / 100 + 1 : width_ - 19;
    const int most = width_ >= 100 ? width_ * 60 / 100 : width_ - 11;
    return std::clamp(longest + 8, least, std::max(least, most));
  }

  void step_line(const NodeName& node, const plan::Step& step, std::size_t index, int time_at) {
    auto found = view_.steps.find(step.id);
    StepProgress progress = found == view_.steps.end() ? StepProgress{} : found->second;
    const plan::Executor& executor = run_.nodes.at(node);
    bool here = !executor.finished() && executor.step() == index;
    const RunHead* head = head_of(state_, state_.top().subject);
    const bool still = view_.parked.contains(node) ||
                       (head && (head->state == RunState::parked || head->state == RunState::interrupted));
    // A step is done when the executor is past it, whatever else the lines say.
    if (executor.step() > index && progress.stage != Stage::done) progress.stage = Stage::done;
    Role role = progress.stage == Stage::failed ? Role::danger
                : here                          ? (still ? Role::warning : Role::changing)
                : progress.stage == Stage::done ? Role::good
                                                : Role::dim;
    NodeLook::Stage sign = progress.stage == Stage::failed ? NodeLook::Stage::failed
                           : here && still                 ? NodeLook::Stage::failed
                           : here                          ? NodeLook::Stage::current
                           : progress.stage == Stage::done ? NodeLook::Stage::done
                                                           : NodeLook::Stage::todo;
    std::string time;
    if (progress.stage == Stage::done && progress.already)
      time = "ok already";
    else if (progress.stage == Stage::done && progress.begun && progress.ended)
      time = seconds_text(*progress.ended - *progress.begun);
    else if (here && !still && progress.begun)
      time = clock_text(since(*progress.begun));
    Style text = here                            ? Style(Role::text).with_bold()
                 : progress.stage == Stage::done ? Style(Role::text)
                                                 : Style(Role::dim);
    std::string told = progress.stage == Stage::done ? seen_text(step.after) : progress.why;
    if (here && progress.attempts > 1 && told.find("attempt") == std::string::npos)
      told += (told.empty() ? "" : "; ") + fmt::format("attempt {}", progress.attempts);
    told = tui::told(state_, told);
    // What a step that is done saw may be cut; why one is not done is read to its end.
    const bool beside =
        width_ >= 100 && (progress.stage == Stage::done || time_at + 12 + display_width(told) <= width_);
    const std::vector<std::string> titles = wrap(tui::told(state_, step.title), time_at - 8);
    DocLine line{{{sign_of(sign, role, state_.ascii), Style(role).with_bold(), 1},
                  {fmt::format("{:>2}", index + 1), Role::dim, 3},
                  {titles.front(), text, 6},
                  {fmt::format("{:>10}", time), here ? Style(role) : Style(Role::dim), time_at - 1}},
                 "s\x1f" + step.id};
    if (beside && !told.empty())
      line.spans.push_back({"  " + told,
                            here || progress.stage == Stage::failed ? Style(role) : Style(Role::dim),
                            time_at + 10});
    lines_.push_back(std::move(line));
    for (std::size_t i = 1; i < titles.size(); ++i) lines_.push_back({{{titles[i], text, 6}}, {}});
    if (!beside && !told.empty() && progress.stage != Stage::done)
      for (std::string& part : wrap(told, width_ - 8)) lines_.push_back({{{std::move(part), role, 6}}, {}});
  }

  const UiContext& ui_;
  const UiState& state_;
  const RunView& view_;
  const plan::Run& run_;
  int width_;
  NodeName shown_;  // whose steps are shown
  Document lines_;
};

class Panel {
 public:
  Panel(const UiState& state, int width) : state_(state), width_(width) {}
  // Behind a sign: "DONE", "PARKED" and a question are told apart without colour, too.
  void title(std::string_view text, Role role) {
    const auto stage = role == Role::good ? NodeLook::Stage::done : NodeLook::Stage::failed;
    lines.push_back(
        {{{sign_of(stage, role, state_.ascii) + " " + told(state_, text), Style(role).with_bold(), 1}}, {}});
  }
  void say(std::string_view text, Style style = {}) {
    for (std::string& line : wrap(told(state_, text), width_ - 4))
      lines.push_back({{{std::move(line), style, 3}}, {}});
  }
  void key(Action action, std::string_view text) {
    bool first = true;
    for (std::string& line : wrap(told(state_, text), width_ - 10)) {
      lines.push_back(
          {{{first ? first_key(state_, action) : "", Role::key, 3}, {std::move(line), Role::text, 8}}, {}});
      first = false;
    }
  }
  Document lines;

 private:
  const UiState& state_;
  int width_;
};

void add_question(Panel& panel, const NodeName& node, const plan::Asked& asked) {
  panel.title("THE RUN ASKS", Role::warning);
  panel.say(asked.text);
  if (asked.what == plan::Ask::closed_by_other) {
    panel.key(Action::run_go_on,
              fmt::format("go on: the change is made while they keep {} closed; it stays closed "
                          "afterwards, and they open it",
                          node.text));
  } else {
    panel.key(Action::run_go_on, "go on: their mark is replaced; make sure that no other admin works on it");
  }
  panel.key(Action::run_stop_here,
            "stop here: the run parks, nothing more is touched, and it can be resumed");
}

// How a run ended, by what it was about.
struct EndTitles {
  const char *wanted, *undone, *back, *between;
};
constexpr EndTitles kLayoutTitles{"DONE: the new layout is in place, verified",
                                  "DONE: the earlier layout is in place again, verified",
                                  "WENT BACK: the earlier layout is in place again, verified",
                                  "ENDED IN BETWEEN: some nodes have the new layout, some the old one"};
constexpr EndTitles kNodeTitles{"DONE: the nodes are as requested, verified",
                                "DONE: the nodes are as they were before, verified",
                                "WENT BACK: the nodes are as they were before, verified",
                                "ENDED IN BETWEEN: some nodes are as requested, some as they were"};

void add_standing(Panel& panel, const UiState& state, const RunView& view, const std::string& run) {
  for (const auto& [node, asked] : view.questions)
    if (!view.parked.contains(node)) return add_question(panel, node, asked);
  const RunHead* head = head_of(state, run);
  if (auto refused = state.runs.refused.find(run); refused != state.runs.refused.end()) {
    panel.title("REFUSED", Role::danger);
    panel.say(refused->second.what + ": " + refused->second.reason);
    if (!refused->second.hint.empty()) panel.say(refused->second.hint, Role::dim);
    if (refused->second.what == plan::kUnnamedHarm)
      panel.key(Action::run_resume, "choose the same way and type the name again to accept what is named");
    return;
  }
  if (view.run.finished) {
    bool wanted = view.run.finished->outcome == plan::Outcome::wanted;
    bool undone = !view.run.started.undoes.empty() && view.run.finished->outcome == plan::Outcome::recorded;
    bool back = view.run.finished->outcome == plan::Outcome::recorded;
    const bool whole_nodes = plan::is_node_action(view.run.started.plan.intent);
    const EndTitles& titles = whole_nodes ? kNodeTitles : kLayoutTitles;
    panel.title(wanted   ? titles.wanted
                : undone ? titles.undone
                : back   ? titles.back
                         : titles.between,
                wanted || undone ? Role::good : Role::warning);
    panel.say(view.run.finished->text);
    bool one_node = view.run.nodes.size() == 1;
    for (auto entry = view.entries.rbegin(); one_node && entry != view.entries.rend(); ++entry) {
      const auto* end = std::get_if<plan::NodeFinished>(&entry->what);
      if (!end) continue;
      panel.say(end->text, Role::dim);
      break;
    }
    if (!plan::why_nothing_to_undo(view.run))
      panel.key(Action::run_undo, "undoes this run; a plan is shown first");
    return;
  }
  bool gone = head && head->state == RunState::interrupted;
  if (gone) {
    panel.title("INTERRUPTED: the tessera that drove it is gone", Role::danger);
    panel.say(head->why.empty() ? "Nothing is lost: each step is checked again before it is repeated."
                                : head->why);
  }
  for (const auto& [node, parked] : view.parked) {
    panel.title("PARKED on " + node.text, Role::warning);
    panel.say(parked.why);
    panel.say("now: " + parked.place, Role::dim);
    break;
  }
  if (gone || !view.parked.empty())
    panel.key(Action::run_resume, "resumes it: carry on, plan again, or go back to the earlier layout");
  if (!view.parked.empty() && !plan::open_questions(view.run).empty())
    panel.say("on the command line: " + plan::resume_command(view.run), Role::dim);
}

constexpr std::size_t kMostOfFact = 3;  // lines

// The step in full: what it runs, and what has to be seen after it.
void add_step_facts(Document& foot, const RunView& view, const NodeName& node, const std::string& id,
                    int width, const UiState& state) {
  auto fact = [&](std::string_view label, std::string_view text, Style style) {
    std::vector<std::string> lines = wrap(told(state, text), width - 14);
    keep_lines(lines, kMostOfFact);
    for (std::size_t i = 0; i < lines.size(); ++i)
      foot.push_back(
          {{{i == 0 ? told(state, label) : std::string(), Role::dim, 1}, {std::move(lines[i]), style, 12}},
           {}});
  };
  for (const plan::Step& step : steps_as_run(view, node)) {
    if (step.id != id) continue;
    fact("step", step.title, Style(Role::text).with_bold());
    if (!step.commands.empty()) fact("runs", "$ " + step.commands.front(), Role::accent);
    auto found = view.steps.find(id);
    bool done = found != view.steps.end() && found->second.stage == Stage::done;
    fact(done ? "read back" : "must show", seen_text(step.after), done ? Role::good : Role::text);
  }
}

// view: nullptr, or without a line so far.
Panes journal_untold(const UiState& state, const std::string& run, const RunView* view, int width) {
  Panes panes;
  const auto refused = state.runs.refused.find(run);
  const bool is_refused = refused != state.runs.refused.end();
  panes.main.push_back({{{told(state, is_refused ? "The journal cannot be shown." : "Reading the journal."),
                          Style(Role::text).with_bold(), 3}},
                        {}});
  const std::string why = is_refused              ? to_line(refused->second)
                          : view && view->trouble ? to_line(*view->trouble)
                                                  : std::string();
  for (std::string& line : wrap(told(state, why), width - 4))
    panes.main.push_back({{{std::move(line), Role::danger, 3}}, {}});
  return panes;
}

std::string journal_about(const UiState& state, const std::string& step) {
  const std::string key = first_key(state, Action::run_lines);
  return !state.runs.all_lines ? fmt::format("one line a step; {} shows all lines", key)
         : step.empty()        ? fmt::format("the whole run; {} shows one line a step", key)
                               : fmt::format("of step {}; {} shows one line a step", step, key);
}

// Below the steps, where there is no room beside them and the foot says how the run stands. The cursor walks
// on through it.
void add_journal_below(Panes& panes, const UiContext& ui, const UiState& state, const RunView& view,
                       const NodeName& node, int width) {
  panes.main.push_back({});
  const std::string whose = view.run.plans.size() > 1 ? node.text + ", " : std::string();
  panes.main.push_back(heading_line(told(state, "JOURNAL"), whose + told(state, journal_about(state, {}))));
  std::size_t at = 0;
  for (DocLine& line : RunPage(ui, state, view, width).log(node, {}, kLogBelow)) {
    line.id = fmt::format("j\x1f{}", at++);
    panes.main.push_back(std::move(line));
  }
}

// Beside the steps of the only node. step: that the cursor is on; empty: on none.
void add_journal_beside(Panes& panes, const UiContext& ui, const UiState& state, const RunView& view,
                        const NodeName& node, const std::string& step, int width) {
  // One line a step: all of them have room.
  const bool all = state.runs.all_lines;
  Document log =
      RunPage(ui, state, view, width - panes.split).log(node, all ? step : std::string(), kLogBeside);
  // The newest lines are those that count.
  int room = state.size.rows - 6 - (panes.foot.empty() ? 0 : static_cast<int>(panes.foot.size()) + 1);
  int over = static_cast<int>(log.size()) - std::max(3, room);
  if (over > 0) log.erase(log.begin(), log.begin() + over);
  const std::string about = journal_about(state, all ? step : std::string());
  panes.side.push_back(heading_line(told(state, "JOURNAL"), told(state, about)));
  for (DocLine& line : log) panes.side.push_back(std::move(line));
}

}  // namespace

NodeName shown_node(const UiState& state, const RunView& view) {
  auto chosen = state.runs.shown.find(view.run.started.run);
  if (chosen != state.runs.shown.end() && view.run.plans.contains(chosen->second)) return chosen->second;
  plan::Summary summary = plan::summary(view.run);
  for (const auto* list : {&summary.running, &summary.failed})
    if (!list->empty()) return list->front();
  if (view.run.started.plan.nodes.empty()) return {};
  return view.run.started.plan.nodes.front().node;
}

Panes run_panes(const UiContext& ui, const UiState& state, int width) {
  Panes panes;
  const std::string& run = state.top().subject;
  const RunView* view = view_of(state, run);
  if (!view || view->entries.empty()) return journal_untold(state, run, view, width);
  NodeName node = shown_node(state, *view);
  if (node.empty()) return panes;
  bool two = width >= kStepsBeside, many = view->run.plans.size() > 1;
  panes.split = two ? (many ? width * 45 / 100 : width * 56 / 100) : 0;
  int main_width = two ? panes.split - 1 : width;
  panes.main = RunPage(ui, state, *view, main_width).head();
  auto append = [&](Document more) {
    for (DocLine& line : more) panes.main.push_back(std::move(line));
  };
  if (many) append(RunPage(ui, state, *view, main_width).nodes());
  if (many && !two) panes.main.push_back({});
  int steps_width = many && two ? width - panes.split : main_width;
  Document steps = RunPage(ui, state, *view, steps_width).steps(node);
  if (many && two)
    panes.side = std::move(steps);
  else
    append(std::move(steps));

  std::string current = RunPage(ui, state, *view, width).current(node);
  if (!current.empty()) panes.start = "s\x1f" + current;
  panes.follows = true;
  std::string cursor = state.top().cursor;
  std::string step = cursor.starts_with("s\x1f") ? cursor.substr(2) : current;
  Panel panel(state, width);
  add_standing(panel, state, *view, run);
  panes.foot = std::move(panel.lines);
  panes.foot_first = !panes.foot.empty();
  if (two && !many)
    add_journal_beside(panes, ui, state, *view, node, step, width);
  else if (panes.foot_first)
    add_journal_below(panes, ui, state, *view, node, main_width);
  if (panes.foot_first) return panes;
  add_step_facts(panes.foot, *view, node, step, width, state);
  if (!two || many)
    for (DocLine& line : RunPage(ui, state, *view, width).log(node, step, kLogInFoot))
      panes.foot.push_back(std::move(line));
  return panes;
}

}  // namespace tessera::tui
