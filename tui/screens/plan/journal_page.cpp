// What the journal screen shows: every run that can be seen, and what can be done about it.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "tui/screens/beside.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/in_view.hpp"
#include "tui/screens/plan/run_words.hpp"
#include "tui/screens/plan/runs.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kNodesBeside = 55;  // a terminal has few more lines
// Lines of a journal and nodes of its plan: the page beside the list is made with each frame.
constexpr std::size_t kMostBeside = 2000;

struct Columns {
  int state, started, who, nodes, words, run;  // run 0: no room
};
std::string who_of(const RunHead& head) { return head.from.empty() ? head.who : head.who + "@" + head.from; }

std::string nodes_of(const RunHead& head) {
  if (head.nodes.empty()) return "?";
  if (head.nodes.size() == 1) return head.nodes.front().text;
  return fmt::format("{} nodes", head.nodes.size());
}

// A run is known by its name: where there is room for it, it stands there in full, and what is left of the
// width is for the words.
Columns columns_for(const std::vector<RunHead>& heads, int width) {
  if (width < 118) return {3, 16, 29, 43, 57, 0};
  int who = 3, nodes = 5, run = 3;
  for (const RunHead& head : heads) {
    who = std::max(who, display_width(who_of(head)));
    nodes = std::max(nodes, display_width(nodes_of(head)));
    run = std::max(run, display_width(head.run));
  }
  constexpr int kWho = 38, kMostWho = 22, kMostNodes = 16, kMostRun = 40;
  Columns at{3, 17, kWho, kWho + std::min(who, kMostWho) + 2, 0, width - std::min(run, kMostRun) - 1};
  at.words = at.nodes + std::min(nodes, kMostNodes) + 2;
  return at;
}

DocLine line_of(const RunHead& head, const Columns& at, const UiState& state, int width) {
  RunLook look = look_of(head);
  auto cell = [&](const std::string& text, int cells) { return shorten(text, cells, state.ascii); };
  std::string started = head.started == TimePoint{} ? "?" : time_text(head.started);
  if (at.run == 0 && started.size() >= 16) started = started.substr(5, 11);
  const std::string who = at.run > 0 ? who_of(head) : head.who;
  int words = (at.run > 0 ? at.run : width) - at.words - 2;
  DocLine line{{{sign_of(look, state.ascii), Style(look.role).with_bold(), 1},
                {look.word, Style(look.role).with_bold(), at.state},
                {started, Role::dim, at.started},
                {cell(who, at.nodes - at.who - 1), Role::text, at.who},
                {cell(nodes_of(head), at.words - at.nodes - 1), Style(Role::text).with_bold(), at.nodes},
                {cell(head.words, words), Role::text, at.words}},
               head.run};
  if (at.run > 0) line.spans.push_back({head.run, Role::dim, at.run});
  return line;
}

// What stands below the list about one run. Names and paths stay as they are.
class RunFoot {
 public:
  RunFoot(const UiState& state, int width) : state_(state), width_(width) {}
  void data(std::string_view label, std::string_view text, Style style = {}) {
    if (text.empty()) return;
    std::string name = label.empty() ? std::string() : told(state_, label);
    for (std::string& line : wrap(text, width_ - 14))
      lines.push_back({{{std::exchange(name, {}), Role::dim, 1}, {std::move(line), style, 12}}, {}});
  }
  void fact(std::string_view label, std::string_view text, Style style = {}) {
    data(label, told(state_, text), style);
  }
  Document lines;

 private:
  const UiState& state_;
  int width_;
};

// What can be done with it now.
void add_way_on(RunFoot& foot, const RunHead& head, const UiState& state) {
  std::string open = first_key(state, Action::open), undo = first_key(state, Action::run_undo),
              resume = first_key(state, Action::run_resume);
  switch (head.state) {
    case RunState::running:
      foot.fact("",
                head.here ? fmt::format("{} shows it", open)
                          : fmt::format("{} shows it; it is driven elsewhere", open),
                Role::accent);
      break;
    case RunState::parked:
    case RunState::interrupted:
      foot.fact("", resume + " resumes it: carry on, plan again, or go back", Role::accent);
      break;
    case RunState::finished:
      foot.fact("", fmt::format("{} shows it; {} undoes it (a plan is shown first)", open, undo),
                Role::accent);
      break;
    case RunState::marked:
      foot.fact("", "only its mark on the cluster is known; its journal is where it was begun", Role::accent);
      break;
    case RunState::unreadable: break;
  }
}

// Why it stands still. A run that has ended has a result in place of a reason, often what its progress says.
void add_why(RunFoot& foot, const RunHead& head) {
  if (head.state == RunState::finished) {
    if (head.why != head.progress)
      foot.fact("result", head.why, head.outcome == "wanted" ? Role::text : Role::warning);
    return;
  }
  bool bad = head.state == RunState::interrupted || head.state == RunState::unreadable;
  foot.fact("why", head.why, bad ? Role::danger : Role::warning);
}

Document foot_of(const RunHead& head, const UiState& state, int width) {
  RunFoot foot(state, width);
  std::string names;
  for (std::size_t i = 0; i < head.nodes.size() && i < 12; ++i)
    names += (i > 0 ? " " : "") + head.nodes[i].text;
  if (head.nodes.size() > 12) names += fmt::format(" and {} more", head.nodes.size() - 12);
  std::string run = head.run;
  if (!head.undoes.empty()) run = told(state, fmt::format("{}, undoes {}", head.run, head.undoes));
  foot.data("run", run, Style(Role::text).with_bold());
  foot.data("concerns", (head.cluster.empty() ? "" : head.cluster.text + ": ") + names);
  foot.fact("progress", head.progress);
  add_why(foot, head);
  foot.fact("stands now", head.place);
  foot.data("journal", head.file, Role::dim);
  add_way_on(foot, head, state);
  return std::move(foot.lines);
}

Panes nothing_yet(const UiState& state, int width) {
  Panes panes;
  auto say = [&](std::string_view text, Style style) {
    for (std::string& line : wrap(told(state, text), width - 6))
      panes.main.push_back({{{std::move(line), style, 3}}, {}});
  };
  panes.main.push_back({});
  say(state.runs.listed || !state.runs.available ? "No run yet." : "Reading the list of runs.",
      Style(Role::text).with_bold());
  panes.main.push_back({});
  say("A change goes from a layout to a plan, and from an armed plan to a run. Each run is written down here "
      "line by "
      "line, before anything is touched: what it found, what it did, what it read back.",
      Role::text);
  say("So every run has a way back, and one that was cut off can be resumed, here or by a colleague.",
      Role::text);
  panes.main.push_back({});
  if (!state.runs.available)
    say("This console has no folder for journals, so nothing can be changed from it.", Role::warning);
  else if (!state.writable)
    say("Read-only: plans can be looked at. Started with --write, tessera can arm them.", Role::read_only);
  return panes;
}

}  // namespace

Panes journal_panes(const UiContext&, const UiState& state, int width) {
  if (state.runs.heads.empty()) return nothing_yet(state, width);
  Panes panes;
  const Columns at = columns_for(state.runs.heads, width);
  DocLine heading{{{"STATE", Role::heading, at.state},
                   {"STARTED", Role::heading, at.started},
                   {"WHO", Role::heading, at.who},
                   {"NODES", Role::heading, at.nodes},
                   {"WHAT", Role::heading, at.words}},
                  {}};
  if (at.run > 0) heading.spans.push_back({"RUN", Role::heading, at.run});
  panes.main.push_back(std::move(heading));
  const InView seen = in_view(state, panes.main.size() + state.runs.heads.size());
  for (const RunHead& head : state.runs.heads)
    panes.main.push_back(seen.contains(panes.main.size()) ? line_of(head, at, state, width)
                                                          : DocLine{{}, head.run});
  if (const RunHead* head = head_of(state, run_here(state))) panes.foot = foot_of(*head, state, width);
  panes.foot_first = true;
  return panes;
}

std::optional<Screen> page_beside_journal(const UiState& state, const UiContext&) {
  const std::string run = run_here(state);
  const RunView* view = view_of(state, run);
  if (!view || view->entries.size() + view->run.plans.size() > kMostBeside) return std::nullopt;
  Screen page;
  page.kind = ScreenKind::run;
  page.subject = run;
  return page;
}

bool has_lines_beside_journal(const UiState& state, const UiContext& ui) {
  const RunHead* head = head_of(state, run_here(state));
  return head && ui.model.find(head->cluster);
}

Document lines_beside_journal(const UiContext& ui, const UiState& state, int width) {
  const RunHead* head = head_of(state, run_here(state));
  const Cluster* cluster = head ? ui.model.find(head->cluster) : nullptr;
  if (!cluster) return {};
  std::vector<std::string> nodes;
  for (const NodeName& node : head->nodes) nodes.push_back(node.text);
  Document lines;
  add_nodes(lines, state, *cluster, nodes, width, kNodesBeside);
  lines.push_back({});
  lines.push_back({{{told(state, fmt::format("The nodes as they are now; {} reads the run's journal.",
                                             first_key(state, Action::open))),
                     Role::dim, 1}},
                   {}});
  return lines;
}

}  // namespace tessera::tui
