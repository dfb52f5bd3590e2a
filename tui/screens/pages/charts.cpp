#include "tui/screens/pages/charts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/query/cells_time.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/pages/chart_parts.hpp"
#include "tui/screens/pages/gpu.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostCharted = 8;  // nodes

// Where an exporter tells them: how the use above comes about.
void add_pipes(FactPage& page, const history::Line& line, TimePoint now) {
  for (const auto& [name, figure] : {std::pair(N_("tensor"), history::Figure::tensor),
                                     std::pair(N_("memory bus"), history::Figure::memory_bus)})
    if (history::summary_of(line.samples, figure).last)
      add_chart(page, name, chart_of(line, figure, now), "%", kOtherLines, Role::text);
}

}  // namespace

void add_history(FactPage& page, const UiContext& ui, const query::GpuRow& row, const Slice* slice) {
  const history::Line line = line_of(ui, row, slice);
  const TimePoint now = cluster_now(*row.cluster, ui.wall);
  std::vector<history::Line> lines{line};
  if (!slice && line.samples.empty()) lines = lines_of_slices(ui, row);
  if (line.samples.empty() && (slice || lines.empty())) {
    page.heading("LAST HOUR");
    page.fact("use",
              row.cluster->recorded ? N_("nothing is recorded of this hour")
                                    : "not measured since this console was opened",
              Role::dim);
    return;
  }
  page.heading("LAST HOUR", axis_text(page, lines));
  add_gaps(page, {{"", line}}, now);
  const query::Context context{ui.wall, &ui.catalogue, ui.history};
  if (slice)
    add_idle(page, query::idle(query::SliceRow{row.cluster, row.node, row.gpu, slice}, context));
  else
    add_idle(page, query::idle(row, context));
  add_chart(page, "use", chart_of(line, history::Figure::use, now), "%", kUseLines, Role::held);
  add_chart(page, "memory", chart_of(line, history::Figure::memory, now), "%", kOtherLines, Role::text);
  add_pipes(page, line, now);
  if (slice) return;
  add_slices(page, ui, row, now);
  const bool detailed = history::summary_of(line.samples, history::Figure::power).last.has_value();
  if (!detailed) return;
  Chart heat = chart_of(line, history::Figure::temperature, now);
  heat.top_text = fmt::format("{:.0f}°C", heat.top);
  add_chart(page, N_("temperature"), std::move(heat), " °C", kOtherLines, Role::text);
  Chart power = chart_of(line, history::Figure::power, now);
  power.top = std::max(1.0F, *history::summary_of(power.samples, power.figure).peak);
  power.top_text = fmt::format("{:.0f}W", power.top);
  add_chart(page, N_("power"), std::move(power), " W", kOtherLines, Role::text);
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
