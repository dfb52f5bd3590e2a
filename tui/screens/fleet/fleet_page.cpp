// What the fleet screen shows: the file and how many nodes are as it says, a line for the GPUs of each node,
// what differs first, and below it all about the one under the cursor.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>

#include "engine/fleet/changed_by.hpp"
#include "engine/fleet/left.hpp"
#include "engine/fleet/left_run.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/fleet/telling.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/text.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/folded_foot.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/in_view.hpp"
#include "tui/screens/preview.hpp"

namespace tessera::tui {
namespace {

using fleet::Standing;

constexpr std::size_t kMostNotes = 4;
// Around the notes and what stands above them: title, keys and their rules, the foot with its own, and of the
// table a blank line, its heading and three rows.
constexpr int kOthersRows = 4 + 9 + 5;

Role role_of(Standing standing) {
  switch (standing) {
    case Standing::as_wanted: return Role::good;
    case Standing::left_alone: return Role::dim;
    case Standing::drifts: return Role::danger;
    case Standing::unknown: return Role::unknown;
    case Standing::impossible: return Role::danger;
  }
  return Role::unknown;
}

Role offered_role(const FleetRow& row, Role else_is) {
  return offers_otherwise(row) ? Role::danger : else_is;
}
std::string held_text(const FleetRow& row) {
  if (!row.boards.board) return "-";
  return row.survey->cluster->work_known ? std::to_string(row.boards.held) : "?";
}

// 0: there is no room for it, or nothing to tell.
struct Columns {
  int node = 1, cluster = 0, pool = 0, state = 0, gpus = 0, wanted = 0, made = 0, offered = 0, held = 0,
      by = 0;
  bool is_short = false;  // what is advertised, without its vendor
};
constexpr int kWide = 110;  // cells from which on a row tells its cluster, its pool and its last run

// Names have what they need, up to here; the three texts share the rest, and none has more than it needs.
Columns columns_of(const FleetCells& longest, bool clusters, int last_run, int width) {
  constexpr int kMostName = 20, kState = 10, kHeld = 4;
  const bool wide = width >= kWide;
  Columns at;
  at.is_short = width < 180;
  int x = 1 + std::min(longest.node, wide ? kMostName : 11) + 1;
  const auto place = [&](int& column, int cells) { column = x, x += cells + 1; };
  if (wide && clusters) place(at.cluster, std::min(longest.cluster, kMostName));
  if (wide) place(at.pool, std::min(longest.pool, kMostName));
  place(at.state, kState);
  place(at.gpus, std::min(longest.gpus, wide ? 7 : 5));
  int rest = width - 1 - x - (kHeld + 1) - (wide ? last_run + 1 : 0) - 3;
  const int offered = std::min(at.is_short ? longest.offered_short : longest.offered, std::max(10, rest / 3));
  rest -= offered;
  const int made = std::min(longest.made, std::max(rest / 2, rest - longest.wanted));
  place(at.wanted, std::min(longest.wanted, rest - made));
  place(at.made, made);
  place(at.offered, offered);
  place(at.held, kHeld);
  if (wide) at.by = x;
  return at;
}

class Page {
 public:
  Page(const UiContext& ui, const UiState& state, int width)
      : ui_(ui), state_(state), fleet_(*state.fleet), width_(width) {}

  Panes panes() {
    Panes panes;
    panes.foot_first = true;
    head(panes.main);
    if (!fleet_.file) return panes;
    if (fleet_.file->failure) {
      failure(panes.main, *fleet_.file->failure);
      return panes;
    }
    if (fleet_.calendar) {
      for (DocLine& line : fleet_calendar(state_, width_)) panes.main.push_back(std::move(line));
      return panes;
    }
    if (!fleet_.refused.empty()) note(panes.main, fleet_.refused, Role::warning);
    if (!fleet_.answer) {
      if (fleet_.refused.empty()) note(panes.main, "the clusters are being held against the file", Role::dim);
      return panes;
    }
    if (fleet_.answer->failure) {
      failure(panes.main, *fleet_.answer->failure);
      return panes;
    }
    sums(panes.main);
    Document rest = notes(panes.main);
    table(panes);
    if (!rest.empty()) panes.main.push_back({});
    for (DocLine& line : rest) panes.main.push_back(std::move(line));
    if (const FleetRow* row = fleet_row_here(state_)) foot(panes.foot, *row);
    return panes;
  }

 private:
  std::string told(std::string_view english) const { return tui::told(state_, english); }
  std::string key(Action action) const { return first_key(state_, action); }
  void note(Document& to, const std::string& english, Style style) const {
    for (const std::string& line : wrap(told(english), width_ - 3)) to.push_back({{{line, style, 1}}, {}});
  }
  void failure(Document& to, const Error& error) const {
    note(to, error.what, Style(Role::danger).with_bold());
    note(to, error.reason, Role::danger);
    if (!error.hint.empty()) note(to, error.hint, Role::text);
    to.push_back({});
    note(to, fmt::format("{} reads the file again", key(Action::fleet_read)), Role::dim);
  }

  void head(Document& to) const {
    DocLine line;
    line.spans.push_back({clean(fleet_.path, 300), Style(Role::text).with_bold(), 1});
    if (!fleet_.file) {
      line.spans.push_back({"  " + told("being read"), Role::changing});
      return to.push_back(std::move(line));
    }
    line.spans.push_back(
        {"  " + told(fmt::format("read at {}", time_text(fleet_.read_at).substr(11))), Role::dim});
    const std::size_t pools = fleet_.file->fleet.pools.size();
    if (!fleet_.file->failure)
      line.spans.push_back(
          {told(", ") + told(pools == 1 ? "1 pool" : fmt::format("{} pools", pools)), Role::dim});
    to.push_back(std::move(line));
    if (fleet_.changed)
      note(to, fmt::format("The file has changed since: {} reads it again.", key(Action::fleet_read)),
           Style(Role::warning).with_bold());
    if (!fleet_.paused.empty())
      note(to, fmt::format("PAUSED: fleet run begins nothing, since {}", fleet_.paused), Role::warning);
  }

  void sums(Document& to) const {
    for (const fleet::Survey& survey : fleet_.answer->surveys) {
      DocLine line;
      line.spans.push_back({survey.cluster->name.text, Style(Role::text).with_bold(), 1});
      const auto add = [&](Standing standing, const std::string& text) {
        line.spans.push_back({"  ", Role::text});  // without colours danger is reversed, and blanks with it
        line.spans.push_back({told(text), survey.count(standing) == 0
                                              ? Style(Role::dim)
                                              : Style(role_of(standing)).with_bold()});
      };
      const auto count = [&](Standing standing) { return survey.count(standing); };
      add(Standing::drifts, fmt::format("{} drift", count(Standing::drifts)));
      add(Standing::impossible, fmt::format("{} impossible", count(Standing::impossible)));
      add(Standing::unknown, fmt::format("{} unknown", count(Standing::unknown)));
      add(Standing::as_wanted, fmt::format("{} as wanted", count(Standing::as_wanted)));
      add(Standing::left_alone, fmt::format("{} left alone", count(Standing::left_alone)));
      to.push_back(std::move(line));
    }
  }

  // Returns what is too much for a small terminal: it stands behind the table, which has some rows in view.
  Document notes(Document& to) const {
    Document lines, rest;
    std::vector<std::pair<std::string, Role>> all;
    left(all);
    for (const std::string& one : fleet_.answer->unread) all.emplace_back(one, Role::warning);
    for (const fleet::PoolNote* one : fleet::notes_of(fleet_.answer->surveys))
      all.emplace_back(fmt::format("line {}: pool {}: {}", one->pool->line, one->pool->name, told(one->text)),
                       one->standing == Standing::impossible ? Role::danger : Role::warning);
    for (const fleet::Survey& survey : fleet_.answer->surveys)
      if (std::string text = fleet::unasked_text(survey); !text.empty())
        all.emplace_back(std::move(text), Role::dim);
    for (std::size_t i = 0; i < std::min(all.size(), kMostNotes); ++i)
      note(lines, all[i].first, all[i].second);
    if (all.size() > kMostNotes)
      note(lines, fmt::format("and {} more: tessera fleet check names all", all.size() - kMostNotes),
           Role::warning);
    const int room = state_.size.rows - kOthersRows - static_cast<int>(to.size());
    fold_foot(lines, static_cast<std::size_t>(std::max(2, room)), rest, width_, state_);
    for (DocLine& line : lines) to.push_back(std::move(line));
    return rest;
  }

  // What stands on a node does not tell that a run was killed there, or waits for a person: it may be as
  // wanted, and closed.
  void left(std::vector<std::pair<std::string, Role>>& to) const {
    std::vector<const Cluster*> clusters;
    for (const fleet::Survey& survey : fleet_.answer->surveys) clusters.push_back(survey.cluster);
    // One of this file, whichever runs came after it; any other that was killed where it was the last at a
    // node. While the file is paused none that waits goes on, and that is told by itself.
    const auto counts = [&](const RunHead& head) {
      if (head.state != RunState::parked)
        return fleet_.answer->newest.contains(&head) || fleet::may_be_of(head, fleet_.known_by());
      if (!fleet_.evidence) return false;
      const auto parked = fleet_.evidence->parked.find(head.run);
      return parked != fleet_.evidence->parked.end() && (parked->second.empty() || fleet_.paused.empty());
    };
    for (fleet::LeftBehind& one : fleet::left_runs(fleet_.answer->question->runs, clusters, counts)) {
      if (one.head.state == RunState::parked) one.why = fleet_.evidence->parked.at(one.head.run);
      to.emplace_back(fleet::left_sentence(one), Role::danger);
    }
  }

  void table(Panes& panes) const {
    Document& to = panes.main;
    const std::vector<FleetRow>& rows = fleet_.answer->rows;
    if (fleet_.answer->surveys.empty()) return;
    to.push_back({});
    if (rows.empty()) return note(to, "The file rules no node that is listed here.", Role::warning);
    const Columns at =
        columns_of(fleet_.answer->cells, ui_.model.clusters.size() > 1, last_run_cells(rows), width_);
    DocLine heads;
    const auto head = [&](const char* text, int x) {
      if (x > 0) heads.spans.push_back({text, Role::heading, x});
    };
    head("NODE", at.node), head("CLUSTER", at.cluster), head("POOL", at.pool), head("STATE", at.state);
    head("GPU", at.gpus), head("WANTED", at.wanted), head("MADE", at.made), head("ADVERTISED", at.offered);
    head("HELD", at.held), head("LAST RUN", at.by);
    to.push_back(std::move(heads));
    const std::size_t begin = to.size(), end = begin + std::min(rows.size(), kMostFleetRows);
    const InView seen = in_view(state_, end);
    panes.list = {begin, fleet_.answer->ids};
    to.resize(end);
    // GPUs that are as wanted stand apart from the others of their node.
    std::unordered_set<const fleet::NodeSurvey*> begun;
    for (std::size_t line = begin; line < std::min(seen.end, end); ++line) {
      const FleetRow& row = rows[line - begin];
      const bool first = begun.insert(row.node).second;
      if (line >= seen.first) to[line] = line_of(row, at, first);
    }
    if (rows.size() > kMostFleetRows)
      note(to, fmt::format("and {} more rows: tessera fleet diff lists all", rows.size() - kMostFleetRows),
           Role::dim);
  }
  // first: of its node. What is advertised is told of the node alone, and not by GPU.
  DocLine line_of(const FleetRow& row, const Columns& at, bool first) const {
    const Standing standing = row.standing();
    const bool differs = standing != Standing::as_wanted;
    DocLine line;
    line.id = id_of(row);
    const auto put = [&](std::string text, int x, int next, Style style) {
      if (x > 0) line.spans.push_back({shorten(text, next - x - 1, state_.ascii), style, x});
    };
    const int after_node = at.cluster ? at.cluster : at.pool ? at.pool : at.state;
    put(row.node->node->name.text, at.node, after_node,
        differs ? Style(Role::text).with_bold() : Style(Role::text));
    put(row.survey->cluster->name.text, at.cluster, at.pool, Role::dim);
    put(row.node->pool->name, at.pool, at.state, Role::dim);
    put(std::string(fleet::word(standing)), at.state, at.gpus, role_of(standing));
    put(row.boards.gpus.empty() ? "-" : fleet::gpus_text(row.boards.gpus), at.gpus, at.wanted, Role::text);
    auto [wanted, made] = texts_of(row);
    put(std::move(wanted), at.wanted, at.made, Role::text);
    put(std::move(made), at.made, at.offered, differs ? Style(role_of(standing)) : Style(Role::text));
    if (first) put(offered_cell(row, at.is_short), at.offered, at.held, offered_role(row, Role::dim));
    put(held_text(row), at.held, at.held + 6, row.boards.held > 0 ? Role::held : Role::dim);
    put(last_run_text(row), at.by, width_, changed_since(row) ? Role::danger : Role::dim);
    return line;
  }

  bool changed_since(const FleetRow& row) const {
    return fleet_.answer->last.of(*row.survey, *row.node) && left_on(row).since == fleet::Since::changed;
  }
  std::string last_run_text(const FleetRow& row) const {
    const RunHead* run = fleet_.answer->last.of(*row.survey, *row.node);
    if (!run) return state_.runs.listed && unread_journal() == nullptr ? "-" : "?";
    return fmt::format("{}{} ({})", changed_since(row) ? told("changed since") + ": " : "", run->run,
                       run->who);
  }
  // Where no run is known the layouts have its cells.
  int last_run_cells(const std::vector<FleetRow>& rows) const {
    constexpr int kHeading = 8, kMost = 22;
    int cells = kHeading;
    if (fleet_.answer->last.all().empty()) return cells;
    for (std::size_t i = 0; i < std::min(rows.size(), kMostFleetRows) && cells < kMost; ++i)
      if (fleet_.answer->last.of(*rows[i].survey, *rows[i].node))
        cells = std::max(cells, display_width(last_run_text(rows[i])));
    return std::min(cells, kMost);
  }

  // Of a run whose journal the screen has read (fleet_refresh.cpp).
  fleet::Left left_on(const FleetRow& row) const {
    if (!fleet_.evidence) return {};
    const auto found = fleet_.evidence->left.find(row.node);
    return found == fleet_.evidence->left.end() ? fleet::Left() : found->second;
  }

  void fact(Document& to, const std::string& label, const std::string& value, Style style = {}) const {
    add_wrapped_fact(to, told(label), value, width_, style);
  }

  void foot(Document& to, const FleetRow& row) const {
    const fleet::NodeSurvey& node = *row.node;
    DocLine title;
    title.spans.push_back({node.node->name.text, Style(Role::text).with_bold(), 1});
    title.spans.push_back({"  ", Role::text});
    title.spans.push_back({std::string(fleet::word(node.standing)), role_of(node.standing)});
    title.spans.push_back({"  ", Role::text});
    title.spans.push_back(
        {told(node.exception
                  ? fmt::format("an exception of pool {}, line {}", node.pool->name, node.rule()->line)
                  : fmt::format("pool {}, line {}", node.pool->name, node.rule()->line)),
         Role::dim});
    to.push_back(std::move(title));
    const std::string gpus = row.boards.gpus.empty() ? "" : "GPU " + fleet::gpus_text(row.boards.gpus) + ": ";
    const auto [wanted, made] = texts_of(row);
    fact(to, "wanted", gpus + wanted);
    fact(to, "made", gpus + made, row.standing() == Standing::drifts ? Role::danger : Role::text);
    fact(to, "advertised", fleet::offered_text(*node.node), offered_role(row, Role::text));
    if (offers_otherwise(row))
      fact(to, "", told("what is made there would be advertised as: " + *node.should_offer), Role::danger);
    fact(to, "held slices", held_text(row));
    fact(to, "last run", last_text(row), last_style(row));
    if (node.standing == Standing::drifts)
      for (const std::string& by : fleet::order_sentences(*row.survey->cluster, *node.node))
        fact(to, "ordered", told(by));
    if (const std::string text = recorded_text(row); !text.empty()) fact(to, "recorded", text);
    if (plan::closed_by_flags(*node.node) && !node.node->reason.empty())
      fact(to, "closed", told(fleet::closed_sentence(*node.node)), Role::warning);
    if (!node.why.empty()) fact(to, "why", told(node.why), role_of(node.standing));
    if (const std::string way = way_out(row); !way.empty()) fact(to, "way out", told(way));
  }

  // Empty: it was not told, or not yet.
  std::string recorded_text(const FleetRow& row) const {
    if (!fleet_.evidence) return "";
    const auto found = fleet_.evidence->recorded.find(row.node);
    return found == fleet_.evidence->recorded.end() ? "" : told(found->second);
  }

  // It may be the one of the run that changed a node last. nullptr: all were read.
  const RunHead* unread_journal() const {
    const std::vector<RunHead>& runs = fleet_.answer->question->runs;
    const auto found = std::find_if(runs.begin(), runs.end(),
                                    [](const RunHead& one) { return one.state == RunState::unreadable; });
    return found == runs.end() ? nullptr : &*found;
  }

  std::string last_text(const FleetRow& row) const {
    if (const RunHead* run = fleet_.answer->last.of(*row.survey, *row.node))
      return told(fleet::last_sentence(*run, left_on(row)));
    if (!state_.runs.listed) return told("the journals were not read");
    if (const RunHead* unread = unread_journal())
      return told("not every run is known: " + clean(unread->why, 200));
    return told("no run of tessera that is known here has changed it");
  }

  Style last_style(const FleetRow& row) const {
    const RunHead* run = fleet_.answer->last.of(*row.survey, *row.node);
    return run && left_on(row).since == fleet::Since::changed ? Role::danger : Role::text;
  }

  std::string way_out(const FleetRow& row) const {
    const fleet::Doors keys{key(Action::show_journal), key(Action::open), key(Action::fleet_pool),
                            key(Action::fleet_cluster), key(Action::fleet_read)};
    return fleet::way_out(*row.node, row.survey->cluster->scheduler,
                          fleet_.answer->last.of(*row.survey, *row.node), keys);
  }

  const UiContext& ui_;
  const UiState& state_;
  const FleetState& fleet_;
  int width_;
};

}  // namespace

std::string id_of(const FleetRow& row) {
  return fmt::format("{}\x1f{}\x1f{}", row.survey->cluster->name.text, row.node->node->name.text,
                     row.boards.gpus.empty() ? -1 : row.boards.gpus.front());
}

const FleetRow* fleet_row_here(const UiState& state) {
  if (!state.fleet || !state.fleet->answer || state.fleet->answer->rows.empty()) return nullptr;
  const std::vector<FleetRow>& rows = state.fleet->answer->rows;
  const std::span<const FleetRow> listed(rows.data(), std::min(rows.size(), kMostFleetRows));
  const FleetRow* here = item_here(listed, state.top(), [](const FleetRow& one) { return id_of(one); });
  return here ? here : &rows.front();
}

// A wider terminal never tells less of a row than a narrower one.
std::optional<Screen> page_beside_fleet(const UiState& state, const UiContext& ui) {
  if (list_beside_page(state.size.columns) <= kWide) return std::nullopt;
  const bool lists = state.fleet && state.fleet->file && !state.fleet->file->failure &&
                     !state.fleet->calendar && state.fleet->answer && !state.fleet->answer->failure;
  const FleetRow* row = lists ? fleet_row_here(state) : nullptr;
  const Cluster* cluster = row ? ui.model.find(row->survey->cluster->name) : nullptr;
  if (!cluster || !cluster->nodes.find(row->node->node->name)) return std::nullopt;
  Screen page;
  page.kind = ScreenKind::node;
  page.cluster = cluster->name;
  page.subject = row->node->node->name.text;
  return page;
}

Panes fleet_panes(const UiContext& ui, const UiState& state, int width) {
  if (!state.fleet || state.fleet->path.empty()) return {no_fleet_file(state, width)};
  return Page(ui, state, width).panes();
}

}  // namespace tessera::tui
