// The four tables, as functions over their row types.
#include "tui/screens/table_kind.hpp"

#include <algorithm>

#include "engine/query/cells_time.hpp"
#include "tui/screens/cell_words.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

template <class Row>
std::vector<ColumnInfo> infos() {
  std::vector<ColumnInfo> out;
  for (const query::Column<Row>& column : query::columns<Row>())
    out.push_back(
        {column.key, column.title, column.format, column.align, column.show, column.min_width, column.help});
  return out;
}

template <class Row>
std::span<const ColumnInfo> columns_of() {
  static const std::vector<ColumnInfo> all = infos<Row>();
  return all;
}

template <class Row>
std::optional<Row> row_at(const Model& model, const RowRef& ref) {
  if constexpr (std::is_same_v<Row, query::NodeRow>)
    return node_at(model, ref);
  else if constexpr (std::is_same_v<Row, query::GpuRow>)
    return gpu_at(model, ref);
  else if constexpr (std::is_same_v<Row, query::SliceRow>)
    return slice_at(model, ref);
  else
    return workload_at(model, ref);
}

template <class Row>
std::string id_of(const Model& model, const RowRef& ref) {
  auto row = row_at<Row>(model, ref);
  return row ? query::row_id(*row) : std::string();
}

template <class Row>
std::string own_name(const Row& row) {
  if constexpr (std::is_same_v<Row, query::WorkloadRow>)
    return row.workload->id.text;
  else if constexpr (std::is_same_v<Row, query::GpuRow>)
    return row.gpu->uuid.empty() ? row.node->name.text + ":" + std::to_string(row.gpu->index.value)
                                 : row.gpu->uuid;
  else
    return row.node->name.text;
}

template <class Row>
std::string name_of(const Model& model, const RowRef& ref) {
  auto row = row_at<Row>(model, ref);
  return row ? own_name(*row) : std::string();
}

template <class Row>
std::string subject_of(const Model& model, const RowRef& ref) {
  auto row = row_at<Row>(model, ref);
  if (!row) return {};
  if constexpr (std::is_same_v<Row, query::WorkloadRow>)
    return row->workload->id.text;
  else if constexpr (std::is_same_v<Row, query::GpuRow>)
    return gpu_subject(row->node->name, row->gpu->index);
  else
    return row->node->name.text;
}

// On a node's page: the slice itself, or the first of the GPU.
template <class Row>
std::string tile_of(const Model& model, const RowRef& ref) {
  if constexpr (std::is_same_v<Row, query::SliceRow>) {
    return id_of<Row>(model, ref);
  } else if constexpr (std::is_same_v<Row, query::GpuRow>) {
    auto row = gpu_at(model, ref);
    if (!row) return {};
    if (row->gpu->slices.empty()) return query::row_id(*row);
    return query::row_id(query::SliceRow{row->cluster, row->node, row->gpu, &row->gpu->slices[0]});
  }
  return {};
}

// Minutes before the first that was measured want no cells: the newest one stands at the right end.
std::string measured_part(std::string bars) {
  bars.erase(0, std::min(bars.find_first_not_of(' '), bars.size()));
  return bars;
}

template <class Row>
std::string cell_of(const UiContext& ui, const RowRef& ref, int column, bool ascii) {
  auto row = row_at<Row>(ui.model, ref);
  if (!row) return {};
  const query::Column<Row>& info = query::columns<Row>()[static_cast<std::size_t>(column)];
  if constexpr (std::is_same_v<Row, query::GpuRow>)
    if (info.key == "strip")
      return query::strip(*row->gpu, &ui.catalogue, ascii, insight::sight_of(*row->cluster, *row->node));
  std::string text = query::to_text(info.value(*row, context_of(ui)), info.format);
  if (info.key == "trend") return measured_part(ascii ? query::trend_in_ascii(text) : text);
  return short_cell(info.key, std::move(text));
}

bool mine(const Cluster& cluster, const Slice& slice, const std::string& me) {
  return std::any_of(slice.holders.begin(), slice.holders.end(), [&](const Holder& holder) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    return workload && workload->user == me;
  });
}
bool mine(const query::WorkloadRow& row, const std::string& me) { return row.workload->user == me; }
bool mine(const query::SliceRow& row, const std::string& me) { return mine(*row.cluster, *row.slice, me); }
bool mine(const query::GpuRow& row, const std::string& me) {
  return std::any_of(row.gpu->slices.begin(), row.gpu->slices.end(),
                     [&](const Slice& slice) { return mine(*row.cluster, slice, me); });
}
bool mine(const query::NodeRow& row, const std::string& me) {
  return std::any_of(row.node->workloads.begin(), row.node->workloads.end(), [&](const WorkloadId& id) {
    const Workload* workload = row.cluster->workloads.find(id);
    return workload && workload->user == me;
  });
}

// Positions from pointers: the rows point into the model's own lists.
std::uint32_t cluster_of(const Model& model, const Cluster* cluster) {
  return static_cast<std::uint32_t>(cluster - model.clusters.data());
}
std::uint32_t item_of(const Cluster* cluster, const Node* node) {
  return static_cast<std::uint32_t>(*cluster->nodes.place_of(node->name));
}
RowRef ref_of(const Model& model, const query::NodeRow& row) {
  return {cluster_of(model, row.cluster), item_of(row.cluster, row.node)};
}
RowRef ref_of(const Model& model, const query::GpuRow& row) {
  return {cluster_of(model, row.cluster), item_of(row.cluster, row.node),
          static_cast<std::uint32_t>(row.gpu - row.node->gpus.data())};
}
RowRef ref_of(const Model& model, const query::SliceRow& row) {
  RowRef ref{cluster_of(model, row.cluster), item_of(row.cluster, row.node), RowRef::kPool};
  const std::vector<Slice>& all = row.gpu ? row.gpu->slices : row.node->pool;
  if (row.gpu) ref.gpu = static_cast<std::uint32_t>(row.gpu - row.node->gpus.data());
  ref.slice = static_cast<std::uint32_t>(row.slice - all.data());
  return ref;
}
RowRef ref_of(const Model& model, const query::WorkloadRow& row) {
  return {cluster_of(model, row.cluster),
          static_cast<std::uint32_t>(*row.cluster->workloads.place_of(row.workload->id))};
}

template <class Row>
DerivedRows derive_rows(std::vector<Row> rows, const UiContext& ui, const UiState& state,
                        const Screen& screen) {
  DerivedRows derived;
  derived.total = rows.size();
  if (screen.only_mine) std::erase_if(rows, [&](const Row& row) { return !mine(row, state.me); });
  query::filter_and_sort(rows, screen.filter, screen.sorts, context_of(ui));
  derived.rows.reserve(rows.size());
  for (const Row& row : rows) derived.rows.push_back(ref_of(ui.model, row));
  return derived;
}

template <class Row>
std::vector<Row> all_rows(const Model& model, const ClusterName& cluster) {
  if constexpr (std::is_same_v<Row, query::NodeRow>)
    return query::node_rows(model, cluster);
  else if constexpr (std::is_same_v<Row, query::GpuRow>)
    return query::gpu_rows(model, cluster);
  else if constexpr (std::is_same_v<Row, query::SliceRow>)
    return query::slice_rows(model, cluster);
  else
    return query::workload_rows(model, cluster);
}

template <class Row>
DerivedRows derive_all_of(const UiContext& ui, const UiState& state, const Screen& screen) {
  return derive_rows(all_rows<Row>(ui.model, screen.cluster), ui, state, screen);
}

template <class Row>
int find_passing(const UiContext& ui, const Screen& screen, const query::Filter& filter, int from, int step) {
  int count = static_cast<int>(screen.derived.rows.size());
  for (int tried = 1; tried <= count; ++tried) {
    int row = ((from + step * tried) % count + count) % count;
    auto found = row_at<Row>(ui.model, screen.derived.rows[static_cast<std::size_t>(row)]);
    if (found && query::passes(filter, *found, context_of(ui))) return row;
  }
  return -1;
}

std::vector<std::string_view> demoted_nodes(const Screen&) { return {"model", "slices", "sharing"}; }
std::vector<std::string_view> demoted_gpus(const Screen&) { return {"model"}; }
std::vector<std::string_view> demoted_slices(const Screen&) { return {}; }
std::vector<std::string_view> demoted_workloads(const Screen& screen) {
  if (screen.filter_text.find("pending") != std::string::npos) return {"nodes", "state", "name"};
  return {"reason"};
}

std::vector<std::string_view> yielding_nodes(const Screen&) { return {"sharing", "gpus"}; }
std::vector<std::string_view> yielding_gpus(const Screen&) { return {"of", "held"}; }
std::vector<std::string_view> yielding_slices(const Screen&) { return {"since", "start"}; }
std::vector<std::string_view> yielding_workloads(const Screen&) { return {"name", "asks", "since"}; }

template <class Row>
constexpr TableKind table_of(ScreenKind opens, std::vector<std::string_view> (*demoted)(const Screen&),
                             std::vector<std::string_view> (*yielding)(const Screen&),
                             std::string_view things) {
  TableKind kind{};
  kind.columns = columns_of<Row>;
  kind.id = id_of<Row>;
  kind.name = name_of<Row>;
  kind.subject = subject_of<Row>;
  kind.cell = cell_of<Row>;
  kind.opens = opens;
  kind.tile = tile_of<Row>;
  kind.derive = derive_all_of<Row>;
  kind.find = find_passing<Row>;
  kind.filter = query::parse_filter<Row>;
  kind.sort = query::parse_sort<Row>;
  kind.demoted = demoted;
  kind.yielding = yielding;
  kind.things = things;
  kind.none = "The scheduler reports none. Its configuration decides what it offers.";
  return kind;
}

constexpr TableKind with_first_rows(TableKind kind) {
  kind.grows_while_loading = true;
  return kind;
}

constexpr TableKind of_work(TableKind kind) {
  kind.none = "No job or pod runs on a GPU or waits for one.";
  return kind;
}

}  // namespace

constexpr TableKind kNodeTable =
    with_first_rows(table_of<query::NodeRow>(ScreenKind::node, demoted_nodes, yielding_nodes, "nodes"));
constexpr TableKind kGpuTable = table_of<query::GpuRow>(ScreenKind::gpu, demoted_gpus, yielding_gpus, "GPUs");
constexpr TableKind kSliceTable =
    table_of<query::SliceRow>(ScreenKind::node, demoted_slices, yielding_slices, "slices");
constexpr TableKind kWorkloadTable = of_work(
    table_of<query::WorkloadRow>(ScreenKind::workload, demoted_workloads, yielding_workloads, "workloads"));

}  // namespace tessera::tui
