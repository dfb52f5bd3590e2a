#include "tui/screens/pages/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/hostlist.hpp"
#include "engine/query/tables.hpp"
#include "engine/text.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kFewNodesToSearch = 100;
constexpr std::size_t kGroups = 8;  // of nodes that are listed
constexpr int kIndent = 6;
constexpr std::string_view kStop = "\x1ehelp ";

Style style_of(why::Certainty certainty) {
  return certainty == why::Certainty::unknown ? Style(Role::unknown) : Style(Role::text);
}

std::string in_brackets(const FactPage& page, const std::string& text) {
  return page.told(" (") + text + page.told(")");
}

std::string aside_of(const FactPage& page, const why::Statement& one) {
  std::string text = page.told(why::word(one.certainty));
  if (const std::string_view by = why::said_by(one); !by.empty()) text += page.told(", ") + std::string(by);
  return in_brackets(page, text);
}

std::string names_of(const std::vector<NodeName>& nodes) {
  std::vector<std::string> names;
  for (const NodeName& node : nodes) names.push_back(node.text);
  return clean(fold_hosts(names), 60);
}

std::shared_ptr<const why::Answer> work_out(const UiContext& ui, const UiState& state, const Screen& screen) {
  const Cluster* cluster = ui.model.find(screen.cluster);
  const Workload* workload = cluster ? cluster->workloads.find(WorkloadId(screen.subject)) : nullptr;
  if (!workload || workload->state != WorkloadState::pending) return nullptr;
  const auto able = state.abilities.find(cluster->name);
  // What was asked now says nothing of a recording.
  const WorkDetails* told = state.past ? nullptr : state.looked_into.get();
  const bool about_it = told && told->cluster == cluster->name && told->details.of == workload->id;
  const why::Site site{&ui.catalogue, able == state.abilities.end() ? nullptr : &able->second, state.rules,
                       cluster_now(*cluster, ui.wall), about_it ? &told->details : nullptr};
  return std::make_shared<const why::Answer>(why::explain(*cluster, *workload, site));
}

void add_statement(FactPage& page, const why::Statement& one, Style style, int column) {
  for (std::string& line : page.wrapped(page.told(one.text) + aside_of(page, one), column))
    page.add({{{std::move(line), style, column}}, {}});
}

void add_help(FactPage& page, const std::vector<why::Remedy>& help) {
  page.heading("WHAT WOULD HELP");
  for (std::size_t i = 0; i < help.size(); ++i) {
    const why::Remedy& one = help[i];
    std::string stop = std::string(kStop) + std::to_string(i);
    std::string number = fmt::format("{}.", i + 1);
    for (std::string& line : page.wrapped(
             page.told(one.text) + in_brackets(page, page.told(why::word(one.certainty))), kIndent)) {
      page.add({{{std::exchange(number, {}), Role::dim, 3}, {std::move(line), Style(Role::text), kIndent}},
                std::exchange(stop, {})});
    }
    if (one.command.empty()) continue;
    for (std::string& line : page.wrapped(one.command, kIndent))
      page.add({{{std::move(line), Role::accent, kIndent}}, {}});
  }
  if (help.empty()) page.add({{{page.told("nothing that tessera knows of"), Role::dim, 3}}, {}});
}

// Of those that are listed.
std::vector<std::string> fold_groups(const why::Answer& answer) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < std::min(answer.nodes.size(), kGroups); ++i)
    all.push_back(names_of(answer.nodes[i].nodes));
  return all;
}

void add_nodes(FactPage& page, const why::Answer& answer, std::vector<std::string> folded) {
  if (!answer.nodes.empty()) page.heading("NODES");
  std::size_t shown = 0, left = 0;
  for (const why::Candidates& group : answer.nodes) {
    if (shown++ >= kGroups) {
      left += group.nodes.size();
      continue;
    }
    std::string& names = folded[shown - 1];
    if (names.size() >= kLabelWidth) page.add({{{std::exchange(names, {}), Role::dim, 3}}, {}});
    page.data(names, page.told(group.what.text) + aside_of(page, group.what),
              group.fits ? Style(Role::good) : style_of(group.what.certainty));
  }
  if (left > 0) page.data("", page.told(fmt::format("and {} more", left)), Role::dim);
  std::string untold;
  for (const std::string& one : answer.untold)
    untold += (untold.empty() ? "" : page.told("; ")) + page.told(one);
  page.data(page.told("not known"), untold, Role::dim);
}

void add_asked(FactPage& page, const why::Answer& answer, const Cluster& cluster, TimePoint wall) {
  if (answer.asked.empty()) return;
  page.heading("ASKED FOR IT ALONE");
  std::string when = answer.asked_at ? page.told(ago_text(cluster, *answer.asked_at, wall)) : "";
  for (const Inquiry& one : answer.asked) {
    std::string text = one.command.empty() ? std::string(word(one.source)) : one.command;
    if (one.failure) text += " (" + page.told(to_line(*one.failure)) + ")";
    if (!one.note.empty()) text += " (" + page.told(one.note) + ")";
    page.data(std::exchange(when, {}), text, one.failure ? Style(Role::warning) : Style(Role::dim));
  }
}

// From the page of one thing the list is an aside, and Esc leads back to that page; where the page was opened
// from that list, it is there already.
void show_above_page(UiState& state) {
  const auto list = std::find_if(state.stack.begin(), state.stack.end(), [](const Screen& one) {
    return one.kind == ScreenKind::workloads && one.opened_with == kAllWaiting;
  });
  if (list != state.stack.end()) {
    state.stack.erase(list + 1, state.stack.end());
    return;
  }
  Screen above;
  above.kind = ScreenKind::workloads;
  set_filter(above, std::string(kAllWaiting));
  push(state, std::move(above));
}

}  // namespace

void take_details(UiState& state, const DetailsTold& told) {
  state.looked_into = std::make_shared<const WorkDetails>(told.what);
  for (Screen& screen : state.stack)
    if (screen.why.subject == told.what.details.of.text) screen.why = {};  // worked out again
}

std::shared_ptr<const why::Answer> why_of(const UiContext& ui, const UiState& state, const Screen& screen) {
  if (screen.why.revision == ui.model.revision + 1 && screen.why.subject == screen.subject)
    return screen.why.answer;
  // Beside a list it would be worked out for every frame.
  const Cluster* cluster = ui.model.find(screen.cluster);
  if (cluster && cluster->nodes.size() > kFewNodesToSearch) return nullptr;
  return work_out(ui, state, screen);
}

void refresh_why(UiState& state, Screen& screen, const UiContext& ui) {
  if (screen.why.revision == ui.model.revision + 1 && screen.why.subject == screen.subject) return;
  screen.why = {ui.model.revision + 1, screen.subject, work_out(ui, state, screen), {}};
  if (screen.why.answer) screen.why.groups = fold_groups(*screen.why.answer);
}

void add_why(FactPage& page, const why::Answer& answer) {
  page.heading("WHY IT WAITS");
  add_statement(page, answer.sentence, style_of(answer.sentence.certainty).with_bold(), 3);
  for (const why::Statement& one : answer.more) add_statement(page, one, style_of(one.certainty), kIndent);
  add_help(page, answer.help);
}

void add_candidates(FactPage& page, const why::Answer& answer, const Screen& screen, const Cluster& cluster,
                    TimePoint wall) {
  const bool kept = screen.why.answer.get() == &answer;
  add_nodes(page, answer, kept ? screen.why.groups : fold_groups(answer));
  add_asked(page, answer, cluster, wall);
}

const why::Remedy* remedy_under(const why::Answer& answer, const std::string& stop) {
  if (!stop.starts_with(kStop)) return nullptr;
  const std::size_t at = static_cast<std::size_t>(std::atoi(stop.c_str() + kStop.size()));
  return at < answer.help.size() ? &answer.help[at] : nullptr;
}

Effects show_waiting(UiState& state, const UiContext& ui, Action) {
  const Screen& screen = state.top();
  if (screen.kind == ScreenKind::workloads) {
    const int row = cursor_row(ui.model, screen);
    if (row >= 0) {
      const RowRef ref = screen.derived.rows[static_cast<std::size_t>(row)];
      const Cluster* cluster =
          ref.cluster < ui.model.clusters.size() ? &ui.model.clusters[ref.cluster] : nullptr;
      const Workload* work =
          cluster && ref.item < cluster->workloads.size() ? &cluster->workloads.all()[ref.item] : nullptr;
      if (work && work->state == WorkloadState::pending) {
        open_workload(state, cluster->name, work->id.text);
        return {};
      }
    }
  }
  if (row_of(state).crumb == Crumb::subject)
    show_above_page(state);
  else
    go_to(state, ScreenKind::workloads, std::string(kAllWaiting));
  return {};
}

}  // namespace tessera::tui
