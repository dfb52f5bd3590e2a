#include "tui/screens/pages/charts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/history/history.hpp"
#include "engine/query/cells_time.hpp"
#include "engine/query/value.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/widgets/chart.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kSpan = kCharted;
constexpr std::size_t kMostCharted = 8;  // nodes
constexpr int kWidest = 120, kUseLines = 5, kOtherLines = 2;
constexpr std::size_t kMostSlices = 16;  // of one workload
constexpr std::int64_t kIdleLong = 900;  // seconds from which on no use is worth a colour

std::string clock_text(TimePoint at) { return time_text(at).substr(11, 5); }

// "since 01:12, every 10 s, by the DCGM exporter"
std::string axis_text(const FactPage& page, const history::Line& line, TimePoint from) {
  const history::Summary summary = history::summary_of(line.samples, history::Figure::use, from);
  const std::string since = clock_text(line.samples.empty() ? from : line.samples.front().at);
  const std::string by(word(line.source));
  if (!summary.every) return page.told(fmt::format("since {}, by {}", since, by));
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(*summary.every).count();
  return page.told(fmt::format("since {}, every {}, by {}", since, query::duration_text(seconds), by));
}

Chart chart_of(const history::Line& line, history::Figure figure, TimePoint now) {
  Chart chart;
  chart.figure = figure;
  chart.samples = line.samples;
  chart.to = now;
  chart.from = line.samples.empty() ? now - kSpan : std::min(line.samples.front().at, now - kSpan / 60);
  chart.from_text = clock_text(chart.from);
  chart.to_text = clock_text(chart.to);
  return chart;
}

void add_chart(FactPage& page, std::string_view name, Chart chart, std::string_view unit, int lines,
               Role role) {
  const history::Summary summary = history::summary_of(chart.samples, chart.figure);
  if (!summary.last) return page.fact(name, "n/a", Role::dim);
  page.data(page.told(name), page.told(chart_words(chart, unit)));
  const int width = std::min(page.width() - 4, kWidest);
  for (std::string& text : chart_lines(chart, width, lines, page.ascii()))
    page.add({{{std::move(text), role, 3}}, {}});
}

// Where an exporter tells them: how the use above comes about.
void add_pipes(FactPage& page, const history::Line& line, TimePoint now) {
  for (const auto& [name, figure] : {std::pair(N_("tensor"), history::Figure::tensor),
                                     std::pair(N_("memory bus"), history::Figure::memory_bus)})
    if (history::summary_of(line.samples, figure).last)
      add_chart(page, name, chart_of(line, figure, now), "%", kOtherLines, Role::text);
}

void add_idle(FactPage& page, const query::Value& idle) {
  const auto* seconds = std::get_if<std::int64_t>(&idle);
  if (!seconds) return;
  page.fact("not used for", query::duration_text(*seconds),
            *seconds >= kIdleLong ? Style(Role::warning) : Style(Role::text));
}

history::Line line_of(const UiContext& ui, const query::GpuRow& row, const Slice* slice) {
  if (!ui.history) return {};
  const history::Key key = slice ? history::key_of(*row.gpu, *slice) : history::key_of(*row.gpu);
  return ui.history->line(row.cluster->name, row.node->name, key, cluster_now(*row.cluster, ui.wall) - kSpan);
}

}  // namespace

void add_history(FactPage& page, const UiContext& ui, const query::GpuRow& row, const Slice* slice) {
  const history::Line line = line_of(ui, row, slice);
  const TimePoint now = cluster_now(*row.cluster, ui.wall);
  if (line.samples.empty()) {
    page.heading("LAST HOUR");
    page.fact("use",
              row.cluster->recorded ? N_("nothing is recorded of this hour")
                                    : "not measured since this console was opened",
              Role::dim);
    return;
  }
  page.heading("LAST HOUR", axis_text(page, line, now - kSpan));
  const query::Context context{ui.wall, &ui.catalogue, ui.history};
  if (slice)
    add_idle(page, query::idle(query::SliceRow{row.cluster, row.node, row.gpu, slice}, context));
  else
    add_idle(page, query::idle(row, context));
  add_chart(page, "use", chart_of(line, history::Figure::use, now), "%", kUseLines, Role::held);
  add_chart(page, "memory", chart_of(line, history::Figure::memory, now), "%", kOtherLines, Role::text);
  add_pipes(page, line, now);
  if (slice) return;
  const bool detailed = history::summary_of(line.samples, history::Figure::power).last.has_value();
  if (!detailed) return;
  add_chart(page, N_("temperature"), chart_of(line, history::Figure::temperature, now), " °C", kOtherLines,
            Role::text);
  Chart power = chart_of(line, history::Figure::power, now);
  power.top = std::max(1.0F, *history::summary_of(power.samples, power.figure).peak);
  power.top_text = fmt::format("{:.0f}W", power.top);
  add_chart(page, N_("power"), std::move(power), " W", kOtherLines, Role::text);
}

namespace {

// Of one slice that it holds, since it began: what was used before was used by others.
history::Line line_of(const UiContext& ui, const query::WorkloadRow& row, const query::SliceRow& held) {
  history::Line line = line_of(ui, {row.cluster, held.node, held.gpu}, held.slice);
  if (const auto& began = row.workload->started)
    std::erase_if(line.samples, [&](const history::Sample& sample) { return sample.at <= *began; });
  return line;
}

// Whose use it is, where it is not that of one alone; else empty.
std::string sharers(const FactPage& page, const Slice& slice) {
  if (slice.holders.size() < 2) return "";
  const std::size_t all = slice.holders.size();
  return "  " + page.told(slice.kind == SliceKind::gpu_instance
                              ? fmt::format("of the GPU instance, shared by {}", all)
                              : fmt::format("of the GPU, shared by {}", all));
}

}  // namespace

void add_history(FactPage& page, const UiContext& ui, const query::WorkloadRow& row) {
  const std::vector<query::SliceRow> held = query::slices_held(row);
  const TimePoint now = cluster_now(*row.cluster, ui.wall);
  bool any = false;
  for (std::size_t i = 0; i < std::min(held.size(), kMostSlices); ++i) {
    if (!held[i].gpu) continue;
    const history::Line line = line_of(ui, row, held[i]);
    if (!history::summary_of(line.samples, history::Figure::use).last) continue;
    if (!any) {
      page.heading("USE, LAST HOUR", axis_text(page, line, now - kSpan));
      add_idle(page, query::idle(row, {ui.wall, &ui.catalogue, ui.history}));
    }
    any = true;
    const Chart chart = chart_of(line, history::Figure::use, now);
    const std::string name = fmt::format("{} GPU {} {}", held[i].node->name.text, held[i].gpu->index.value,
                                         insight::slice_label(*held[i].slice));
    page.add({{{name, Role::text, 3}, {sharers(page, *held[i].slice), Role::warning}}, {}});
    const int cells = std::clamp(page.width() - 50, 10, 60);
    page.add({{{history::spark(line.samples, chart.figure, chart.from, chart.to, cells, 100, page.ascii()),
                Role::held, 3},
               {"  " + page.told(chart_words(chart, "%")), Role::text, 3 + cells}},
              {}});
  }
  if (held.size() > kMostSlices)
    page.add({{{page.told(fmt::format("and {} more", held.size() - kMostSlices)), Role::dim, 3}}, {}});
}

std::vector<NodeName> charted_nodes(const Model& model, const Screen& screen) {
  std::vector<NodeName> nodes;
  const Cluster* cluster = model.find(screen.cluster);
  if (!cluster) return nodes;
  if (screen.kind == ScreenKind::gpu) {
    if (const GpuPlace at = gpu_on(screen, model); at.gpu) nodes.push_back(at.node->name);
    return nodes;
  }
  const bool facts = screen.kind == ScreenKind::facts;
  const std::vector<std::string> parts = facts ? parts_of_id(screen.subject) : std::vector<std::string>();
  if (facts && screen.about != ScreenKind::workload) {
    // A GPU or a slice: those of a node alone draw no chart.
    if (parts.size() > 2 && cluster->nodes.find(NodeName(parts[1]))) nodes.emplace_back(parts[1]);
    return nodes;
  }
  if (!facts && screen.kind != ScreenKind::workload) return nodes;
  const std::string id = !facts ? screen.subject : parts.size() > 1 ? parts[1] : "";
  const Workload* workload = cluster->workloads.find(WorkloadId(id));
  if (!workload) return nodes;
  for (const Allocation& allocation : workload->allocations) {
    if (nodes.size() == kMostCharted) break;
    if (nodes.empty() || nodes.back() != allocation.node) nodes.push_back(allocation.node);
  }
  return nodes;
}

}  // namespace tessera::tui
