// The overview: how it is walked through, and what Enter, `i` and `y` do on a cluster or a finding.
#include "tui/screens/overview/overview_body.hpp"

#include <algorithm>

#include "tui/screens/beside.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/changed.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/pages/doctor.hpp"
#include "tui/screens/users.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kManyThings = 20000;  // from which summing on every event would be felt
constexpr Duration kManyEvery{1000};
constexpr Duration kSumsAtMost{60000};  // old

LineStops overview_stops(const UiState& state, Rect body) {
  LineStops stops;
  std::vector<OverviewLine> lines = overview_lines(state, body.width);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].id.empty()) {
      stops.ids.emplace_back(lines[i].id);
      stops.lines.push_back(static_cast<int>(i));
    }
  // The mosaic is there only where all lines are: nothing scrolls.
  for (std::string& id : mosaic_ids(state, mosaic_area(state, body))) {
    stops.ids.push_back(std::move(id));
    stops.lines.push_back(static_cast<int>(lines.size()) - 1);
  }
  return stops;
}

// Clusters, findings, mosaic: where each begins among the stops. The first letter of an id tells its kind,
// and nodes and groups of nodes never stand together.
std::vector<int> panels_of(const LineStops& stops) {
  std::vector<int> begins;
  for (std::size_t i = 0; i < stops.ids.size(); ++i)
    if (i == 0 || stops.ids[i].front() != stops.ids[i - 1].front()) begins.push_back(static_cast<int>(i));
  return begins;
}

std::string draw_overview_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  draw_overview(canvas, body, ui, state);
  return {};
}

void move_overview(UiState& state, const UiContext&, Rect body, Action action) {
  Screen& screen = state.top();
  LineStops stops = overview_stops(state, body);
  if (stops.ids.empty()) return;
  int at = stop_at(stops, screen), count = static_cast<int>(stops.ids.size());
  if (action == Action::next_panel || action == Action::previous_panel) {
    const std::vector<int> begins = panels_of(stops);
    const auto after = std::upper_bound(begins.begin(), begins.end(), at);
    const std::size_t panel = static_cast<std::size_t>(after - begins.begin()) - 1;
    const std::size_t step = action == Action::next_panel ? 1 : begins.size() - 1;
    at = begins[(panel + step) % begins.size()];
  } else {
    at = moved(at, distance(action, overview_scroll_height(body.height)), count);
  }
  rest_on(screen, stops, at);
}

void settle_overview(UiState& state, const UiContext&, Rect body) {
  Screen& screen = state.top();
  LineStops stops = overview_stops(state, body);
  if (stops.ids.empty()) return;
  int at = stop_at(stops, screen);
  rest_on(screen, stops, at);
  int line = stops.lines[static_cast<std::size_t>(at)];
  int first = at == 0 ? 0 : line;  // the heading belongs to the first row
  int total = static_cast<int>(overview_lines(state, body.width).size());
  keep_in_view(screen, first, line + 1, overview_scroll_height(body.height), total);
}

bool click_overview(UiState& state, const UiContext&, Rect body, int x, int y) {
  if (y - body.y >= overview_scroll_height(body.height)) return false;
  Screen& screen = state.top();
  if (const auto id = mosaic_id_at(state, mosaic_area(state, body), x, y)) {
    const LineStops stops = overview_stops(state, body);
    const auto at = std::find(stops.ids.begin(), stops.ids.end(), *id);
    rest_on(screen, stops, static_cast<int>(at - stops.ids.begin()));
    return true;
  }
  return rest_on_line(screen, overview_stops(state, body), screen.top + y - body.y);
}

const insight::Cause* cause_of(const UiState& state, const std::string& cursor) {
  const auto& causes = state.overview.causes;
  const auto found = std::find_if(causes.begin(), causes.end(),
                                  [&](const insight::Cause& cause) { return "f\x1f" + cause.id == cursor; });
  return found == causes.end() ? nullptr : &*found;
}

std::string join_lines(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "\n") + line;
  return text;
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
}  // namespace

const Body kOverviewBody{draw_overview_body, move_overview, settle_overview, click_overview};

void refresh_overview(UiState& state, Screen& screen, const UiContext& ui) {
  refresh_users(state, screen, ui);
  refresh_fleet_findings(state, ui);
  refresh_demand(state, ui);
  if (!sums_stale(state.overview, ui)) return;
  state.overview =
      work_out_overview(ui, state.ascii, state.runs.heads, first_key(state, Action::show_journal),
                        state.platform, fleet_findings(state));
  show_demand(state.overview, state, ui);
  sink_acknowledged(state, ui.wall);
}

std::optional<TimePoint> overview_next_change(const UiState& state, const UiContext& ui) {
  // Either may be behind the other: a list of runs has the sums worked out again, not the users.
  std::optional<TimePoint> next = users_next_change(state, ui);
  if (const auto demand = demand_next_change(state, ui); demand && (!next || *demand < *next)) next = demand;
  if (state.overview.revision == ui.model.revision) return next;
  const TimePoint sums = state.overview.at + kManyEvery;
  return next ? std::min(*next, sums) : sums;
}

Effects open_on_overview(UiState& state, const UiContext& ui) {
  const std::string cursor = state.top().cursor;
  if (const insight::Finding* finding = finding_at(state, cursor)) {
    const insight::Cause* cause = cause_of(state, cursor);
    if (cause && (!finding->is_node || run_of(state, *cause))) return open_cause(state, ui, *cause);
    open_node(state, finding->cluster, finding->subject,
              cursor_on(ui, finding->cluster, finding->subject, finding->gpu));
    return {};
  }
  if (const auto node = node_under(state, cursor)) {
    open_node(state, node->first, node->second.text);
    return {};
  }
  Screen nodes;
  nodes.kind = ScreenKind::nodes;
  if (const NodeGroup* group = group_under(state, cursor)) {
    nodes.cluster = group->cluster;
    set_filter(nodes, group->filter);
  } else {
    std::size_t index = cluster_under(state, cursor).value_or(0);
    if (index >= ui.model.clusters.size()) return {};
    nodes.cluster = ui.model.clusters[index].name;
  }
  push(state, std::move(nodes));
  return {};
}

std::string why_no_open_on_overview(const UiState&, const UiContext& ui) {
  return ui.model.clusters.empty() ? "there is no cluster to open" : "";
}

std::optional<Screen> page_beside_overview(const UiState& state, const UiContext& ui) {
  const std::string& cursor = state.top().cursor;
  if (const insight::Cause* cause = cause_of(state, cursor)) return page_of_cause(*cause, ui);
  if (group_under(state, cursor)) return std::nullopt;
  Screen page;
  if (const auto node = node_under(state, cursor)) {
    page.kind = ScreenKind::node, page.cluster = node->first, page.subject = node->second.text;
    return page;
  }
  const std::size_t index = cluster_under(state, cursor).value_or(0);
  if (index >= ui.model.clusters.size()) return std::nullopt;
  page.kind = ScreenKind::facts, page.cluster = ui.model.clusters[index].name;
  page.subject = page.cluster.text;
  return page;
}

bool has_lines_beside_overview(const UiState& state, const UiContext& ui) {
  const insight::Cause* cause = cause_of(state, state.top().cursor);
  return cause && ui.model.find(cause->cluster);
}

Document lines_beside_overview(const UiContext& ui, const UiState& state, int width) {
  const insight::Cause* cause = cause_of(state, state.top().cursor);
  return cause ? nodes_of_cause(*cause, ui, state, width) : Document();
}

bool open_on_mosaic(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  const auto id = mosaic_id_at(state, mosaic_area(state, body), x, y);
  if (!id) return false;
  state.top().cursor = *id;
  open_on_overview(state, ui);
  return true;
}

std::optional<Screen> facts_on_overview(const UiState& state, const UiContext& ui) {
  const std::string& cursor = state.top().cursor;
  const insight::Finding* finding = finding_at(state, cursor);
  const NodeGroup* group = group_under(state, cursor);
  const auto node = node_under(state, cursor);
  std::size_t index = cluster_under(state, cursor).value_or(0);
  if (!finding && !group && !node && index >= ui.model.clusters.size()) return std::nullopt;
  Screen facts;
  facts.cluster = node      ? node->first
                  : finding ? finding->cluster
                  : group   ? group->cluster
                            : ui.model.clusters[index].name;
  if (!ui.model.find(facts.cluster)) return std::nullopt;  // a finding of a file is of none
  facts.subject = facts.cluster.text;
  if (node) facts.subject += "\x1f" + node->second.text;
  return facts;
}

std::string why_no_facts_on_overview(const UiState&, const UiContext& ui) {
  return ui.model.clusters.empty() ? "there is no cluster to ask about" : "";
}

std::string copy_on_overview(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  if (const auto node = node_under(state, screen.cursor)) return node->second.text;
  if (const NodeGroup* group = group_under(state, screen.cursor)) return group->name;
  if (const insight::Cause* cause = cause_of(state, screen.cursor)) return join_lines(cause->whose);
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
