// The details of a row: every group of facts about a row with its source and age.
#include <fmt/core.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "engine/insight/costs.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/query/cells.hpp"
#include "engine/query/cells_time.hpp"
#include "engine/query/tables.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/pages/charts.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

// Under the headings that the tables have.
template <class Row>
void add_columns(FactPage& page, const Row& row, const UiContext& ui) {
  query::Context context{ui.wall, &ui.catalogue, ui.history};
  for (const query::Column<Row>& column : query::columns<Row>()) {
    std::string text = query::to_text(column.value(row, context), column.format);
    if (text.empty()) text = "-";
    if (column.key == "trend" && page.ascii()) text = query::trend_in_ascii(text);
    page.data(column.title, text, cell_role(column.key, text));
  }
}

void add_workload(FactPage& page, const query::WorkloadRow& row, const UiContext& ui) {
  page.group(row.workload->id.text, origin_text(*row.cluster, row.workload->origin, ui.wall));
  add_columns(page, row, ui);
}

// What each side says of the machine, and which pod joins them.
void add_sides(FactPage& page, const query::NodeRow& row, const UiContext& ui) {
  const auto sides = slinky::other_sides(ui.model, *row.cluster, *row.node);
  for (const slinky::Side& side : sides) {
    const Node& node = *side.node;
    page.group(fmt::format("{} {}", side.cluster->name.text, node.name.text),
               origin_text(*side.cluster, node.origin, ui.wall));
    page.data("state", query::join(node.state, "+"), role_of(node.health));
    if (!node.reason.empty())
      page.data("reason", node.reason_by.empty() ? node.reason : node.reason + " [" + node.reason_by + "]");
    page.data("pod", side.pod->id.text);
    page.data(page.told("pod says"), side.pod->comment);
  }
  if (!sides.empty() || !row.node->host_pod) return;
  page.group("Comment", word(row.cluster->scheduler));
  page.data("pod", row.node->host_pod->workload().text);
  page.data("", page.told("not joined with a node of a Kubernetes cluster of this console"), Role::unknown);
}

void add_node(FactPage& page, const query::NodeRow& row, const UiContext& ui) {
  page.group(row.node->name.text, origin_text(*row.cluster, row.node->origin, ui.wall));
  add_columns(page, row, ui);
  const Node& node = *row.node;
  if (node.order)
    page.fact("layout",
              node.order->config + (node.order->state.empty() ? ", not begun" : ", " + node.order->state));
  for (const Component& part : node.components) {
    Style style = part.state == Part::ready ? Style(Role::text) : Style(Role::warning);
    std::string text(word(part.state));
    if (!part.detail.empty()) text += ": " + part.detail;
    page.data(part.name, text, style);
  }
}

// What has happened to the node, and what a source finds wrong with it.
void add_remarks(FactPage& page, const query::NodeRow& row) {
  for (const auto& [source, remarks] : row.cluster->remarks) {
    bool first = true;
    for (const Remark& one : remarks) {
      if (!one.is_node || one.subject != row.node->name.text) continue;
      if (std::exchange(first, false)) page.heading("remarks", word(source));
      Style style = one.grade == Remark::Grade::info      ? Style(Role::text)
                    : one.grade == Remark::Grade::warning ? Style(Role::warning)
                                                          : Style(Role::danger);
      std::string text = page.told(one.text);
      if (!one.hint.empty()) text += " (" + page.told(one.hint) + ")";
      page.data("", text, style);
    }
  }
}

void add_product(FactPage& page, const Gpu& gpu, const UiContext& ui) {
  if (!gpu.product) {
    page.heading("PRODUCT", "catalogue");
    page.fact("product", "no single product of that name is known", Role::unknown);
    return;
  }
  const mig::Product* product = ui.catalogue.by_key(gpu.product->text);
  if (!product) return;
  page.heading("PRODUCT", fmt::format("catalogue, {}:{}", product->file, product->line));
  page.data("product", product->key.text);
  const bool published = product->placements_known && !product->placements_inferred;
  page.fact("placements",
            !product->placements_known     ? "not known"
            : product->placements_inferred ? "inferred, not seen on a GPU"
                                           : "as published",
            published ? Style(Role::text) : Style(Role::warning));
  if (!product->placements_source.empty()) page.fact("according to", product->placements_source, Role::dim);
}

void add_gpu(FactPage& page, const query::GpuRow& row, const UiContext& ui) {
  const Gpu& gpu = *row.gpu;
  page.group(fmt::format("{} GPU {}", row.node->name.text, gpu.index.value),
             origin_text(*row.cluster, gpu.origin, ui.wall));
  add_columns(page, row, ui);
  page.heading("READINGS", origin_text(*row.cluster, gpu.telemetry.origin, ui.wall));
  page.fact("reported", gpu.telemetry.use ? "use, and what is listed above" : "no use figures");
  add_history(page, ui, row, nullptr);
  add_product(page, gpu, ui);
}

void add_slice(FactPage& page, const query::SliceRow& row, const UiContext& ui) {
  Origin origin = row.gpu ? row.gpu->origin : row.node->origin;
  page.group(fmt::format("{} {}", row.node->name.text, insight::slice_label(*row.slice)),
             origin_text(*row.cluster, origin, ui.wall));
  add_columns(page, row, ui);
  if (row.slice->measured.source != Source::none)
    page.fact("measured", origin_text(*row.cluster, row.slice->measured, ui.wall));
  if (row.gpu && row.slice->kind != SliceKind::whole_gpu)
    add_history(page, ui, {row.cluster, row.node, row.gpu}, row.slice);
  for (const ComputeInstance& compute : row.slice->compute)
    page.data("compute", fmt::format("{} (id {})", compute.profile.text, compute.id));
  if (!row.slice->exact)
    page.fact("holders",
              "the scheduler reports which slices a job or pod holds, not which of them each user holds",
              Role::unknown);
  for (const Holder& holder : row.slice->holders) {
    const Workload* workload = row.cluster->workloads.find(holder.workload);
    if (workload)
      add_workload(page, {row.cluster, workload}, ui);
    else
      page.fact("holder", holder.workload.text + ", not in the list", Role::unknown);
  }
}

// cells: of the longest name, so that what is said of each begins in one column.
void add_daemon(FactPage& page, const Daemon& daemon, std::size_t cells) {
  std::string text = daemon.up ? "up" : "does not answer";
  if (!daemon.host.empty()) text += " on " + daemon.host;
  if (!daemon.detail.empty()) text += ": " + daemon.detail;
  std::string name = daemon.name;
  name.resize(std::max(name.size(), cells), ' ');
  page.fact(name, text, daemon.up ? Style(Role::good) : Style(Role::danger));
}

// Of a recording the load is not known, since it was another's.
void add_costs(FactPage& page, const Cluster& cluster) {
  if (cluster.sources.empty()) return;
  page.heading("WHAT ASKING COSTS", "over five minutes at most");
  for (const auto& [source, health] : cluster.sources)
    if (source != Source::none)  // a recording's own
      page.data(word(source), page.told(insight::cost_text(cluster, health.cost)),
                health.cost ? Style(Role::text) : Style(Role::dim));
  if (const double rest = insight::calls_of_others(cluster); rest > 0)
    page.fact("other calls", insight::calls_text(cluster, rest));
}

void add_sources(FactPage& page, const Cluster& cluster, const UiContext& ui) {
  page.group(cluster.name.text, word(cluster.scheduler));
  page.data("version", cluster.version.empty() ? "n/a" : cluster.version);
  page.data(page.told("read from"), cluster.endpoint.empty() ? "n/a" : cluster.endpoint);
  page.fact("polling load", fmt::format("{:.1f} calls a minute", cluster.pace.calls_per_minute));
  for (const auto& [source, health] : cluster.sources) {
    const std::string latency = fmt::format(", in {} ms", health.latency.count());
    page.data(word(source), answered_text(page, cluster, health, ui.wall, latency),
              health.failure ? Style(Role::danger) : Style(Role::text));
  }
  std::size_t cells = 0;
  for (const Daemon& daemon : cluster.daemons) cells = std::max(cells, daemon.name.size());
  for (const Daemon& daemon : cluster.daemons) add_daemon(page, daemon, cells);
  add_costs(page, cluster);
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
  return ago_text(at, cluster_now(cluster, wall));
}

std::string ago_text(TimePoint at, TimePoint now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - at).count();
  return seconds >= 0 ? query::duration_text(seconds) + " ago" : "in " + query::duration_text(-seconds);
}

std::string origin_text(const Cluster& cluster, const Origin& origin, TimePoint wall) {
  if (origin.source == Source::none) return "source unknown";
  return std::string(word(origin.source)) + ", " + ago_text(cluster, origin.at, wall);
}

std::string answered_text(const FactPage& page, const Cluster& cluster, const SourceHealth& health,
                          TimePoint wall, const std::string& latency) {
  std::string text = health.last_ok
                         ? page.told("answered " + ago_text(cluster, *health.last_ok, wall) + latency)
                         : page.told("never answered");
  if (!health.failure) return text;
  return page.told("fails: " + to_line(*health.failure)) + "; " + text;
}

void FactPage::heading(std::string_view text, std::string_view aside) { group(told(text), aside); }

void FactPage::group(std::string name, std::string_view aside) {
  if (!lines_.empty()) blank();
  lines_.push_back(heading_line(std::move(name), told(aside)));
}

void FactPage::fact(std::string_view label, std::string_view value, Style style) {
  data(told(label), told(value), style);
}

void FactPage::data(std::string_view label, std::string_view value, Style style) {
  add_wrapped_fact(lines_, std::string(label), value, width_, style);
}

namespace {

// What the details are of; those of a slice are also of its GPU and its node.
struct Subject {
  const Cluster* cluster = nullptr;  // null: it is gone, as are those that are not null below
  const Workload* workload = nullptr;
  const Node* node = nullptr;
  const Gpu* gpu = nullptr;
  const Slice* slice = nullptr;
  bool of_cluster = false;
};

Subject subject_on(const Screen& screen, const Model& model) {
  Subject is;
  is.cluster = model.find(screen.cluster);
  if (!is.cluster) return is;
  const std::vector<std::string> parts = parts_of_id(screen.subject);
  is.of_cluster = parts.size() < 2;
  if (is.of_cluster) return is;
  if (screen.about == ScreenKind::workload) {
    is.workload = is.cluster->workloads.find(WorkloadId(parts[1]));
    return is;
  }
  is.node = is.cluster->nodes.find(NodeName(parts[1]));
  if (!is.node) return is;
  is.gpu = parts.size() > 2 ? find_gpu(*is.node, parts[2]) : nullptr;
  is.slice = parts.size() > 3 ? find_slice(*is.cluster, *is.node, is.gpu, screen.subject) : nullptr;
  return is;
}

bool below_node(const Subject& of) { return of.slice || of.gpu; }

void add_below_node(FactPage& page, const Subject& of, const UiContext& ui) {
  if (of.slice) add_slice(page, {of.cluster, of.node, of.gpu, of.slice}, ui);
  if (of.gpu) add_gpu(page, {of.cluster, of.node, of.gpu}, ui);
}

void add_whole_node(FactPage& page, const Subject& of, const UiContext& ui) {
  add_node(page, {of.cluster, of.node}, ui);
  add_sides(page, {of.cluster, of.node}, ui);
  add_remarks(page, {of.cluster, of.node});
}

}  // namespace

Document facts_document(const UiContext& ui, const UiState& state, int width) {
  const Subject of = subject_on(state.top(), ui.model);
  const bool alone = side_column(width) == width || !of.node;
  FactPage page(state, alone ? width : side_column(width));
  if (of.of_cluster) add_sources(page, *of.cluster, ui);
  if (of.workload) add_workload(page, {of.cluster, of.workload}, ui);
  if (!of.node) return page.take();
  add_below_node(page, of, ui);
  if (alone || !below_node(of)) add_whole_node(page, of, ui);
  if (alone) add_sources(page, *of.cluster, ui);
  return page.take();
}

Document facts_side_document(const UiContext& ui, const UiState& state, int width) {
  const Subject of = subject_on(state.top(), ui.model);
  if (side_column(width) == width || !of.node) return {};
  FactPage page(state, width - side_column(width));
  if (below_node(of)) add_whole_node(page, of, ui);
  add_sources(page, *of.cluster, ui);
  return page.take();
}

}  // namespace tessera::tui
