// Opening, leaving and walking from one to the next.
#include <algorithm>

#include "tui/screens/body.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/overview/overview_body.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

// The next row of `list` whose subject is another than `subject`; -1: there is none that way.
int next_subject(const Screen& list, const UiContext& ui, const std::string& subject, int step) {
  int count = static_cast<int>(list.derived.rows.size());
  for (int row = cursor_row(ui.model, list) + step; row >= 0 && row < count; row += step) {
    const RowRef& ref = list.derived.rows[static_cast<std::size_t>(row)];
    const std::string found = row_of(list.kind).table->subject(ui.model, ref);
    if (!found.empty() && found != subject) return row;
  }
  return -1;
}

int next_finding(const UiState& state, const std::string& cursor, int step) {
  const std::vector<std::string>& ids = state.overview.finding_ids;
  int at = static_cast<int>(std::find(ids.begin(), ids.end(), cursor) - ids.begin());
  if (at == static_cast<int>(ids.size())) return -1;
  for (int i = at + step; i >= 0 && i < static_cast<int>(ids.size()); i += step)
    if (state.overview.findings[static_cast<std::size_t>(i)].is_node) return i;
  return -1;
}

// The place in the list below, a row or a finding, whose subject comes before or after this page's; -1: none.
int sibling_at(const UiState& state, const UiContext& ui, int step) {
  if (state.stack.size() < 2) return -1;
  const Screen& screen = state.top();
  const Screen& list = state.stack[state.stack.size() - 2];
  if (screen.kind == ScreenKind::node && list.kind == ScreenKind::overview)
    return next_finding(state, list.cursor, step);
  const TableKind* table = row_of(list.kind).table;
  return table && table->opens == screen.kind ? next_subject(list, ui, screen.subject, step) : -1;
}

}  // namespace

void push(UiState& state, Screen screen) {
  if (auto sorts = state.last_sorts.find(screen.kind); sorts != state.last_sorts.end())
    screen.sorts = sorts->second;
  if (auto columns = state.last_columns.find(screen.kind); columns != state.last_columns.end())
    screen.columns = columns->second;
  // Going to a page that is open below goes back to it, so that the path does not grow for ever.
  if (row_of(screen.kind).crumb == Crumb::subject) {
    auto same = std::find_if(state.stack.begin(), state.stack.end(), [&](const Screen& one) {
      return one.kind == screen.kind && one.cluster == screen.cluster && one.subject == screen.subject;
    });
    state.stack.erase(same, state.stack.end());
  }
  screen.opened_with = screen.filter_text;
  constexpr std::size_t kDeepest = 32;
  if (state.stack.size() >= kDeepest) state.stack.erase(state.stack.begin() + 1);
  state.stack.push_back(std::move(screen));
}

void go_to(UiState& state, ScreenKind kind, const std::string& filter) {
  state.loading_left = true;
  // The same list with another filter is no other view.
  if (state.stack.size() > 1 || kind != state.top().kind) state.last_view = state.stack;
  state.stack.resize(1);
  if (kind == ScreenKind::overview) return;
  Screen screen;
  screen.kind = kind;
  set_filter(screen, filter);
  push(state, std::move(screen));
}

void open_node(UiState& state, const ClusterName& cluster, const std::string& node, std::string cursor) {
  Screen screen;
  screen.kind = ScreenKind::node;
  screen.cluster = cluster;
  screen.subject = node;
  screen.cursor = std::move(cursor);
  push(state, std::move(screen));
}

void open_workload(UiState& state, const ClusterName& cluster, const std::string& id) {
  Screen screen;
  screen.kind = ScreenKind::workload;
  screen.cluster = cluster;
  screen.subject = id;
  push(state, std::move(screen));
}

std::optional<WorkloadId> holder_of(const Cluster& cluster, const Node& node, const std::string& stop) {
  std::size_t share = stop.find(kShareMark);
  if (share != std::string::npos) return WorkloadId(stop.substr(share + 1));
  auto held = [&](const Gpu* gpu, const Slice& slice) {
    return !slice.holders.empty() && query::row_id(query::SliceRow{&cluster, &node, gpu, &slice}) == stop;
  };
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      if (slice.capacity <= 1 && held(&gpu, slice)) return slice.holders.front().workload;
  for (const Slice& slice : node.pool)
    if (held(nullptr, slice)) return slice.holders.front().workload;
  return std::nullopt;
}

void show_facts(UiState& state, const UiContext& ui) {
  const ScreenRow& row = row_of(state);
  std::optional<Screen> facts = row.facts ? row.facts(state, ui) : std::nullopt;
  if (!facts) return;
  facts->kind = ScreenKind::facts;
  push(state, std::move(*facts));
}

bool go_back(UiState& state) {
  if (state.stack.size() < 2) return false;
  state.stack.pop_back();
  return true;
}

bool has_sibling(const UiState& state, const UiContext& ui, int step) {
  return sibling_at(state, ui, step) >= 0;
}

void step_sibling(UiState& state, const UiContext& ui, int step) {
  int next = sibling_at(state, ui, step);
  if (next < 0) return;
  state.stack.pop_back();
  Screen& list = state.top();
  if (is_table(list.kind)) {
    put_cursor(list, ui, next);
    open_row(state, ui);
    return;
  }
  list.cursor = state.overview.finding_ids[static_cast<std::size_t>(next)];
  open_on_overview(state, ui);
}

std::string copy_text(const UiState& state, const UiContext& ui) {
  const ScreenRow& row = row_of(state);
  return row.copy ? row.copy(state, ui) : std::string();
}

}  // namespace tessera::tui
