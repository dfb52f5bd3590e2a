#include "tui/screens/rows.hpp"

#include <algorithm>
#include <cstdlib>

#include "tui/screens/changed.hpp"
#include "tui/screens/column_ranks.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace {

const Cluster* cluster_at(const Model& model, const RowRef& ref) {
  return ref.cluster < model.clusters.size() ? &model.clusters[ref.cluster] : nullptr;
}

}  // namespace

std::span<const ColumnInfo> column_infos(ScreenKind kind) {
  const TableKind* table = row_of(kind).table;
  return table ? table->columns() : std::span<const ColumnInfo>();
}

std::optional<int> column_index(ScreenKind kind, std::string_view key) {
  std::span<const ColumnInfo> columns = column_infos(kind);
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].key == key) return static_cast<int>(i);
  return std::nullopt;
}

std::optional<query::NodeRow> node_at(const Model& model, const RowRef& ref) {
  const Cluster* cluster = cluster_at(model, ref);
  if (!cluster || ref.item >= cluster->nodes.size()) return std::nullopt;
  return query::NodeRow{cluster, &cluster->nodes.all()[ref.item]};
}

std::optional<query::GpuRow> gpu_at(const Model& model, const RowRef& ref) {
  auto row = node_at(model, ref);
  if (!row || ref.gpu >= row->node->gpus.size()) return std::nullopt;
  return query::GpuRow{row->cluster, row->node, &row->node->gpus[ref.gpu]};
}

std::optional<query::SliceRow> slice_at(const Model& model, const RowRef& ref) {
  auto row = node_at(model, ref);
  if (!row) return std::nullopt;
  if (ref.gpu == RowRef::kPool) {
    if (ref.slice >= row->node->pool.size()) return std::nullopt;
    return query::SliceRow{row->cluster, row->node, nullptr, &row->node->pool[ref.slice]};
  }
  if (ref.gpu >= row->node->gpus.size()) return std::nullopt;
  const Gpu& gpu = row->node->gpus[ref.gpu];
  if (ref.slice >= gpu.slices.size()) return std::nullopt;
  return query::SliceRow{row->cluster, row->node, &gpu, &gpu.slices[ref.slice]};
}

std::optional<query::WorkloadRow> workload_at(const Model& model, const RowRef& ref) {
  const Cluster* cluster = cluster_at(model, ref);
  if (!cluster || ref.item >= cluster->workloads.size()) return std::nullopt;
  return query::WorkloadRow{cluster, &cluster->workloads.all()[ref.item]};
}

std::string id_at(const Model& model, ScreenKind kind, const RowRef& ref) {
  const TableKind* table = row_of(kind).table;
  return table ? table->id(model, ref) : std::string();
}

std::string name_at(const Model& model, ScreenKind kind, const RowRef& ref) {
  const TableKind* table = row_of(kind).table;
  return table ? table->name(model, ref) : std::string();
}

query::Context context_of(const UiContext& ui) { return {ui.wall, &ui.catalogue, ui.history}; }

std::string cell_text(const UiContext& ui, ScreenKind kind, const RowRef& ref, int column, bool ascii) {
  const TableKind* table = row_of(kind).table;
  return table ? table->cell(ui, ref, column, ascii) : std::string();
}

std::string text_in_cell(const UiContext& ui, const UiState& state, const Screen& screen, const RowRef& ref,
                         int column) {
  const ColumnInfo& info = column_infos(screen.kind)[static_cast<std::size_t>(column)];
  if (info.key == "reason" && tells_reasons_plainly(state, screen))
    if (const auto row = workload_at(ui.model, ref))
      if (std::string words = plain_reason(state, *row); !words.empty()) return words;
  return cell_text(ui, screen.kind, ref, column, state.ascii);
}

std::string ScreenRows::text(int row, int column) const {
  return text_in_cell(ui_, state_, screen_, ref(row), column);
}

Style ScreenRows::style(int row, int column, const std::string& text) const {
  const ColumnInfo& info = columns()[static_cast<std::size_t>(column)];
  if (!state_.cells.changed.empty() &&
      has_changed(state_, ui_, id_at(ui_.model, screen_.kind, ref(row)), column))
    return Style(Role::changed).with_bold();
  if (info.key == "largest") {
    auto node = node_at(ui_.model, ref(row));
    // What fits on a closed node cannot be had.
    if (node && insight::sight_of(*node->cluster, *node->node).access != insight::Access::open)
      return Role::dim;
  }
  return cell_role(info.key, text);
}

bool ScreenRows::marked(int row) const {
  return !screen_.marks.empty() && screen_.marks.contains(id_at(ui_.model, screen_.kind, ref(row)));
}

bool ScreenRows::paint(Canvas& canvas, int x, int y, int width, int row, int column) const {
  const std::string_view key = columns()[static_cast<std::size_t>(column)].key;
  if (key != "strip" && key != "boards") return false;
  draw_strip(canvas, x, y, width, text(row, column), state_.ascii);
  return true;
}

std::vector<int> pinned_by(const query::Filter& filter) {
  std::vector<int> columns;
  if (filter.any.size() != 1) return columns;
  for (const query::Term& term : filter.any.front())
    if (term.op == query::Op::equals && !term.negated && term.column >= 0) columns.push_back(term.column);
  return columns;
}

namespace {

// How use went is shown early; of work that waits there is none.
void add_early(TableLook& look, const Screen& screen, const ColumnOf& column_of) {
  const bool waits =
      screen.kind == ScreenKind::workloads && screen.filter_text.find("pending") != std::string::npos;
  if (waits) return;
  for (std::string_view key : {"cluster", "trend", "idle"})
    if (auto column = column_of(key); column && *column != look.skip) look.early.push_back(*column);
  // Why nodes are closed, and what is free on them, runs on over cells that say nothing; the page of a node
  // has all of it.
  if (auto trend = column_of("trend"); trend && screen.kind == ScreenKind::nodes)
    look.unasked.push_back(*trend);
  for (std::string_view key : row_of(screen.kind).table->yielding(screen))
    if (auto column = column_of(key)) look.yielding.push_back(*column);
}

}  // namespace

// Slurm nodes that run in pods name these.
bool has_nodes_of_two(const Model& model) {
  const auto is_slurms = [](const Cluster& one) { return one.scheduler == Scheduler::slurm; };
  if (std::all_of(model.clusters.begin(), model.clusters.end(), is_slurms)) return false;
  return std::any_of(model.clusters.begin(), model.clusters.end(), [&](const Cluster& one) {
    const auto nodes = one.nodes.all();
    return is_slurms(one) && std::any_of(nodes.begin(), nodes.end(),
                                         [](const Node& node) { return node.host_pod.has_value(); });
  });
}

void rank_columns(TableLook& look, const Screen& screen, bool nodes_of_two, const ColumnOf& column_of) {
  for (std::string_view key : row_of(screen.kind).table->demoted(screen))
    if (auto column = column_of(key)) look.demoted.push_back(*column);
  add_early(look, screen, column_of);
  // Two clusters may have nodes of one name.
  for (std::string_view key : {"cluster", "node", "gpu", "start", "id"})
    if (auto column = column_of(key); column && *column != look.skip) look.names.push_back(*column);
  // "IDLE+DRAIN+NOT_RESPO…": what a state ends with is what is wrong.
  const auto state = column_of("state");
  if (state) look.whole.push_back(*state);
  if (state && nodes_of_two) look.kept.push_back(*state);
}

TableLook look_of(const UiContext& ui, const UiState& state, const Screen& screen, int cursor) {
  TableLook look;
  look.chosen = screen.columns;
  look.sorts = screen.sorts;
  for (int width : screen.derived.widths) look.wanted.push_back(std::abs(width));
  const auto reason = column_index(screen.kind, "reason");
  const auto at = static_cast<std::size_t>(reason.value_or(0));
  if (reason && at < look.wanted.size() && tells_reasons_plainly(state, screen))
    look.wanted[at] = std::max(look.wanted[at], screen.derived.plain_reason);
  look.wide = state.wide;
  // With one cluster, or on a table of one, the cluster's name says nothing.
  bool one = ui.model.clusters.size() < 2 || !screen.cluster.empty();
  if (one) look.skip = column_index(screen.kind, "cluster").value_or(-1);
  const bool nodes_of_two = screen.kind == ScreenKind::nodes && has_nodes_of_two(ui.model);
  rank_columns(look, screen, nodes_of_two,
               [&](std::string_view key) { return column_index(screen.kind, key); });
  // Only where every row was looked at is it known that none says anything there, or all say the same; of
  // names every one was.
  const auto name = column_index(screen.kind, "name");
  for (std::size_t i = 0; i < screen.derived.widths.size() && !screen.derived.rows.empty(); ++i) {
    const auto column = static_cast<int>(i);
    const bool known = screen.derived.rows.size() <= kSampledRows || column == name;
    const bool sorted = !screen.sorts.empty() && screen.sorts.front().column == column;
    if (screen.derived.widths[i] <= 0 && known && !sorted) look.empty.push_back(column);
  }
  // A column that the filter makes the same on every row says what the title says already.
  const std::vector<int> pinned = pinned_by(screen.filter);
  look.empty.insert(look.empty.end(), pinned.begin(), pinned.end());
  if (is_waiting_list(screen))  // what waits holds nothing, and uses none of it
    for (std::string_view key : {"holds", "trend", "idle", "ends_in", "restarts"})
      if (auto column = column_index(screen.kind, key)) look.empty.push_back(*column);
  // What is free is used by nothing: at 80 columns that took the room of how many can be had.
  if (screen.kind == ScreenKind::slices && screen.filter_text == kAllFree)
    for (std::string_view key : {"trend", "idle", "memory_used", "tensor", "memory_bus"})
      if (auto column = column_index(screen.kind, key)) look.empty.push_back(*column);
  look.left = screen.left;
  look.top = screen.top;
  look.cursor = cursor;
  look.ascii = state.ascii;
  return look;
}

}  // namespace tessera::tui
