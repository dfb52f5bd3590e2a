// The overview: how it is walked through, and what Enter, `i` and `y` do on a cluster or a finding.
#include "tui/screens/overview/overview_body.hpp"

#include <algorithm>

#include "tui/screens/body.hpp"
#include "tui/screens/changed.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/pages/doctor.hpp"
#include "tui/screens/users.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kManyThings = 20000;  // from which summing on every event would be felt
constexpr Duration kManyEvery{1000};
constexpr Duration kSumsAtMost{60000};  // old

LineStops overview_stops(const UiState& state, int width) {
  LineStops stops;
  std::vector<OverviewLine> lines = overview_lines(state, width);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].id.empty()) {
      stops.ids.emplace_back(lines[i].id);
      stops.lines.push_back(static_cast<int>(i));
    }
  return stops;
}

std::string draw_overview_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  draw_overview(canvas, body, ui, state);
  return {};
}

void move_overview(UiState& state, const UiContext&, Rect body, Action action) {
  Screen& screen = state.top();
  LineStops stops = overview_stops(state, state.size.columns);
  if (stops.ids.empty()) return;
  int at = stop_at(stops, screen), count = static_cast<int>(stops.ids.size());
  int clusters = static_cast<int>(state.overview.cluster_ids.size());
  if (action == Action::next_panel || action == Action::previous_panel)
    at = at < clusters && clusters < count ? clusters : 0;
  else
    at = moved(at, distance(action, overview_scroll_height(body.height)), count);
  rest_on(screen, stops, at);
}

void settle_overview(UiState& state, const UiContext&, Rect body) {
  Screen& screen = state.top();
  LineStops stops = overview_stops(state, body.width);
  if (stops.ids.empty()) return;
  int at = stop_at(stops, screen);
  rest_on(screen, stops, at);
  int line = stops.lines[static_cast<std::size_t>(at)];
  int first = at == 0 ? 0 : line;  // the heading belongs to the first row
  int total = static_cast<int>(overview_lines(state, body.width).size());
  keep_in_view(screen, first, line + 1, overview_scroll_height(body.height), total);
}

bool click_overview(UiState& state, const UiContext&, Rect body, int, int y) {
  if (y - body.y >= overview_scroll_height(body.height)) return false;
  Screen& screen = state.top();
  return rest_on_line(screen, overview_stops(state, body.width), screen.top + y - body.y);
}

// The sums walk the whole cluster, so a huge one is not walked for every event.
bool sums_stale(const OverviewData& data, const UiContext& ui) {
  if (!data.valid || ui.wall - data.at >= kSumsAtMost) return true;
  if (data.revision == ui.model.revision) return false;
  std::size_t things = 0;
  for (const Cluster& cluster : ui.model.clusters)
    things += cluster.nodes.size() * 8 + cluster.workloads.size();
  return things < kManyThings || ui.wall - data.at >= kManyEvery;
}

// The first tile of the GPU that the finding is about; empty: it is about the node.
std::string cursor_on(const UiContext& ui, const insight::Finding& finding) {
  const Cluster* cluster = finding.gpu ? ui.model.find(finding.cluster) : nullptr;
  const Node* node = cluster ? cluster->nodes.find(NodeName(finding.subject)) : nullptr;
  if (!node) return {};
  for (const Gpu& gpu : node->gpus)
    if (gpu.index == *finding.gpu)
      return gpu.slices.empty() ? query::row_id(query::GpuRow{cluster, node, &gpu})
                                : query::row_id(query::SliceRow{cluster, node, &gpu, &gpu.slices[0]});
  return {};
}

}  // namespace

const Body kOverviewBody{draw_overview_body, move_overview, settle_overview, click_overview};

void refresh_overview(UiState& state, Screen& screen, const UiContext& ui) {
  refresh_users(state, screen, ui);
  if (!sums_stale(state.overview, ui)) return;
  state.overview =
      work_out_overview(ui, state.ascii, state.runs.heads, first_key(state, Action::show_journal));
  sink_acknowledged(state, ui.wall);
}

std::optional<TimePoint> overview_next_change(const UiState& state, const UiContext& ui) {
  if (state.overview.revision == ui.model.revision) return std::nullopt;
  return state.overview.at + kManyEvery;
}

Effects open_on_overview(UiState& state, const UiContext& ui) {
  const std::string cursor = state.top().cursor;
  if (const insight::Finding* finding = finding_at(state, cursor)) {
    if (finding->is_node) {
      open_node(state, finding->cluster, finding->subject, cursor_on(ui, *finding));
    } else {
      Screen facts;
      facts.kind = ScreenKind::facts;
      facts.cluster = finding->cluster;
      facts.subject = finding->cluster.text;
      push(state, std::move(facts));
    }
    return {};
  }
  std::size_t index = cluster_under(state, cursor).value_or(0);
  if (index >= ui.model.clusters.size()) return {};
  Screen nodes;
  nodes.kind = ScreenKind::nodes;
  nodes.cluster = ui.model.clusters[index].name;
  push(state, std::move(nodes));
  return {};
}

std::string why_no_open_on_overview(const UiState&, const UiContext& ui) {
  return ui.model.clusters.empty() ? "there is no cluster to open" : "";
}

bool open_on_mosaic(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  auto place = mosaic_node_at(ui, state, body, x, y);
  if (place) open_node(state, place->first, place->second.text);
  return place.has_value();
}

std::optional<Screen> facts_on_overview(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const insight::Finding* finding = finding_at(state, screen.cursor);
  std::size_t index = cluster_under(state, screen.cursor).value_or(0);
  if (!finding && index >= ui.model.clusters.size()) return std::nullopt;
  Screen facts;
  facts.cluster = finding ? finding->cluster : ui.model.clusters[index].name;
  facts.subject = facts.cluster.text;
  if (finding && finding->is_node) facts.subject += "\x1f" + finding->subject;
  return facts;
}

std::string why_no_facts_on_overview(const UiState&, const UiContext& ui) {
  return ui.model.clusters.empty() ? "there is no cluster to ask about" : "";
}

std::string copy_on_overview(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const insight::Finding* finding = finding_at(state, screen.cursor);
  if (finding) return finding->subject;
  std::size_t index = cluster_under(state, screen.cursor).value_or(0);
  return index < ui.model.clusters.size() ? ui.model.clusters[index].name.text : std::string();
}

CellTexts overview_cells(const UiState& state, const UiContext& ui) {
  CellTexts now;
  std::size_t count =
      std::min({state.overview.totals.size(), state.overview.cluster_ids.size(), ui.model.clusters.size()});
  for (std::size_t i = 0; i < count; ++i) {
    if (!ui.model.clusters[i].loaded) continue;  // what is only being read does not change
    const insight::Totals& totals = state.overview.totals[i];
    auto add = [&](OverviewCell cell, int number) {
      now.emplace(std::pair(state.overview.cluster_ids[i], static_cast<int>(cell)), std::to_string(number));
    };
    add(OverviewCell::nodes, totals.nodes);
    add(OverviewCell::gpus, totals.gpus);
    if (totals.free) add(OverviewCell::free, *totals.free);
    add(OverviewCell::pending, totals.pending);
  }
  return now;
}

}  // namespace tessera::tui
