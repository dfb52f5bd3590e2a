// The details of a row: every group of facts about a row with its source and age.
#include <fmt/core.h>

#include <ctime>
#include <utility>

#include "engine/query/tables.hpp"
#include "tui/screens/boards.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

template <class Row>
void add_columns(Document& document, const Row& row, const World& world, int width) {
  query::Context context{world.wall, &world.catalogue};
  for (const query::Column<Row>& column : query::columns<Row>()) {
    std::string text = query::to_text(column.value(row, context), column.format);
    if (text.empty()) text = "-";
    add_wrapped_fact(document, std::string(column.key), text, width, cell_role(column.key, text));
  }
}

void group(Document& document, const std::string& title, const std::string& source) {
  if (!document.empty()) document.push_back({});
  document.push_back(heading_line(title, source));
}

void add_workload(Document& document, const query::WorkloadRow& row, const World& world, int width) {
  group(document, row.workload->id.text, origin_text(*row.cluster, row.workload->origin, world.wall));
  add_columns(document, row, world, width);
}

void add_node(Document& document, const query::NodeRow& row, const World& world, int width) {
  group(document, row.node->name.text, origin_text(*row.cluster, row.node->origin, world.wall));
  add_columns(document, row, world, width);
  const Node& node = *row.node;
  if (node.order)
    document.push_back(fact_line(
        "layout",
        node.order->config + (node.order->state.empty() ? ", not begun" : ", ") + node.order->state));
  for (const Component& part : node.components) {
    Style style = part.state == Part::ready ? Style(Role::text) : Style(Role::warning);
    std::string text(word(part.state));
    if (!part.detail.empty()) text += ": " + part.detail;
    add_wrapped_fact(document, part.name, text, width, style);
  }
}

// What has happened to it, and what somebody finds wrong with it.
void add_remarks(Document& document, const query::NodeRow& row, int width) {
  for (const auto& [source, remarks] : row.cluster->remarks) {
    bool first = true;
    for (const Remark& one : remarks) {
      if (!one.is_node || one.subject != row.node->name.text) continue;
      if (std::exchange(first, false)) group(document, "remarked", std::string(word(source)));
      Style style = one.grade == Remark::Grade::info      ? Style(Role::text)
                    : one.grade == Remark::Grade::warning ? Style(Role::warning)
                                                          : Style(Role::danger);
      std::string text = one.hint.empty() ? one.text : one.text + " (" + one.hint + ")";
      add_wrapped_fact(document, "", text, width, style);
    }
  }
}

void add_gpu(Document& document, const query::GpuRow& row, const World& world, int width) {
  const Gpu& gpu = *row.gpu;
  group(document, fmt::format("{} GPU {}", row.node->name.text, gpu.index.value),
        origin_text(*row.cluster, gpu.origin, world.wall));
  add_columns(document, row, world, width);
  group(document, "its readings", origin_text(*row.cluster, gpu.telemetry.origin, world.wall));
  document.push_back(
      fact_line("told", gpu.telemetry.use ? "use, and what is listed above" : "no use figures"));
  if (!gpu.product) {
    group(document, "its product", "catalogue");
    document.push_back(fact_line("product", "no single product of that name is known", Role::unknown));
    return;
  }
  const mig::Product* product = world.catalogue.by_key(gpu.product->text);
  if (!product) return;
  group(document, "its product", fmt::format("catalogue, {}:{}", product->file, product->line));
  document.push_back(fact_line("product", product->key.text));
  document.push_back(fact_line(
      "placements",
      !product->placements_known     ? "not known"
      : product->placements_inferred ? "inferred, not seen on a GPU"
                                     : "as published",
      product->placements_known && !product->placements_inferred ? Style(Role::text) : Style(Role::warning)));
  if (!product->placements_source.empty())
    add_wrapped_fact(document, "according to", product->placements_source, width, Role::dim);
}

void add_slice(Document& document, const query::SliceRow& row, const World& world, int width) {
  Origin origin = row.gpu ? row.gpu->origin : row.node->origin;
  group(document, fmt::format("{} {}", row.node->name.text, insight::slice_label(*row.slice)),
        origin_text(*row.cluster, origin, world.wall));
  add_columns(document, row, world, width);
  if (row.slice->measured.source != Source::none)
    document.push_back(fact_line("measured", origin_text(*row.cluster, row.slice->measured, world.wall)));
  for (const ComputeInstance& compute : row.slice->compute)
    document.push_back(fact_line("compute", fmt::format("{} (id {})", compute.profile.text, compute.id)));
  if (!row.slice->exact)
    add_wrapped_fact(document, "holders",
                     "the scheduler reports which slices a job holds, not which of them each user holds",
                     width, Role::unknown);
  for (const Holder& holder : row.slice->holders) {
    const Workload* workload = row.cluster->workloads.find(holder.workload);
    if (workload)
      add_workload(document, {row.cluster, workload}, world, width);
    else
      document.push_back(fact_line("holder", holder.workload.text + ", not in the list", Role::unknown));
  }
}

void add_sources(Document& document, const Cluster& cluster, const World& world, int width) {
  group(document, cluster.name.text, std::string(word(cluster.scheduler)));
  document.push_back(fact_line("version", cluster.version.empty() ? "n/a" : cluster.version));
  document.push_back(fact_line("read from", cluster.endpoint.empty() ? "n/a" : cluster.endpoint));
  document.push_back(
      fact_line("our load", fmt::format("{:.1f} calls a minute", cluster.pace.calls_per_minute)));
  for (const auto& [source, health] : cluster.sources) {
    std::string text = health.last_ok ? "answered " + ago_text(cluster, *health.last_ok, world.wall) +
                                            fmt::format(", in {} ms", health.latency.count())
                                      : std::string("never answered");
    if (health.failure) text = "fails: " + to_line(*health.failure) + "; " + text;
    add_wrapped_fact(document, std::string(word(source)), text, width,
                     health.failure ? Style(Role::danger) : Style(Role::text));
  }
  for (const Daemon& daemon : cluster.daemons) {
    std::string text = daemon.up ? "up" : "does not answer";
    if (!daemon.host.empty()) text += " on " + daemon.host;
    if (!daemon.detail.empty()) text += ": " + daemon.detail;
    add_wrapped_fact(document, daemon.name, text, width, daemon.up ? Style(Role::good) : Style(Role::danger));
  }
}

const Gpu* find_gpu(const Node& node, const std::string& index) {
  for (const Gpu& gpu : node.gpus)
    if (std::to_string(gpu.index.value) == index) return &gpu;
  return nullptr;
}

// The slice that the id names, found by comparing ids: placements and positions are spelled in one place.
const Slice* find_slice(const Cluster& cluster, const Node& node, const Gpu* gpu, std::string_view id) {
  id = id.substr(0, id.find('\x1e'));
  for (const Slice& slice : gpu ? gpu->slices : node.pool)
    if (query::row_id(query::SliceRow{&cluster, &node, gpu, &slice}) == id) return &slice;
  return nullptr;
}

}  // namespace

std::string time_text(TimePoint at) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at.time_since_epoch()).count();
  return query::to_text(query::Value(static_cast<std::int64_t>(seconds)), query::Format::time);
}

std::string ago_text(const Cluster& cluster, TimePoint at, TimePoint wall) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(cluster_now(cluster, wall) - at).count();
  return seconds >= 0 ? query::duration_text(seconds) + " ago" : "in " + query::duration_text(-seconds);
}

std::string origin_text(const Cluster& cluster, const Origin& origin, TimePoint wall) {
  if (origin.source == Source::none) return "source unknown";
  return std::string(word(origin.source)) + ", " + ago_text(cluster, origin.at, wall);
}

Document facts_document(const World& world, const UiState& state, int width) {
  Document document;
  const Screen& screen = state.top();
  const Cluster* cluster = world.model.find(screen.cluster);
  if (!cluster) return document;
  std::vector<std::string> parts = parts_of_id(screen.subject);
  if (parts.size() < 2) {
    add_sources(document, *cluster, world, width);
    return document;
  }
  if (screen.about == ScreenKind::workload) {
    if (const Workload* workload = cluster->workloads.find(WorkloadId(parts[1])))
      add_workload(document, {cluster, workload}, world, width);
    return document;
  }
  const Node* node = cluster->nodes.find(NodeName(parts[1]));
  if (!node) return document;
  const Gpu* gpu = parts.size() > 2 ? find_gpu(*node, parts[2]) : nullptr;
  const Slice* slice = parts.size() > 3 ? find_slice(*cluster, *node, gpu, screen.subject) : nullptr;
  if (slice) add_slice(document, {cluster, node, gpu, slice}, world, width);
  if (gpu) add_gpu(document, {cluster, node, gpu}, world, width);
  add_node(document, {cluster, node}, world, width);
  add_remarks(document, {cluster, node}, width);
  add_sources(document, *cluster, world, width);
  return document;
}

}  // namespace tessera::tui
