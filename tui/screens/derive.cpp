// Filter and sort of the table screens, kept as positions so that nothing dangles when the model moves on.
#include <algorithm>
#include <cstdlib>

#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kSample = 96;  // rows looked at to learn how wide the columns would like to be

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

// Positions from pointers: the rows point into the model's own vectors.
std::uint32_t cluster_of(const Model& model, const Cluster* cluster) {
  return static_cast<std::uint32_t>(cluster - model.clusters.data());
}
std::uint32_t item_of(const Cluster* cluster, const Node* node) {
  return static_cast<std::uint32_t>(node - cluster->nodes.all().data());
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
          static_cast<std::uint32_t>(row.workload - row.cluster->workloads.all().data())};
}

template <class Row>
DerivedRows derive_rows(std::vector<Row> rows, const World& world, const UiState& state,
                        const Screen& screen) {
  DerivedRows derived;
  derived.total = rows.size();
  if (screen.only_mine) std::erase_if(rows, [&](const Row& row) { return !mine(row, state.me); });
  query::filter_and_sort(rows, screen.filter, screen.sorts, context_of(world));
  derived.rows.reserve(rows.size());
  for (const Row& row : rows) derived.rows.push_back(ref_of(world.model, row));
  return derived;
}

std::vector<int> wanted_widths(const World& world, ScreenKind kind, const std::vector<RowRef>& rows,
                               bool ascii) {
  std::vector<int> widths(column_infos(kind).size(), 0);
  std::size_t step = std::max<std::size_t>(1, rows.size() / kSample);
  for (std::size_t row = 0; row < rows.size(); row += step)
    for (std::size_t column = 0; column < widths.size(); ++column) {
      int width = display_width(cell_text(world, kind, rows[row], static_cast<int>(column), ascii));
      widths[column] = std::max(widths[column], width);
    }
  return widths;
}

template <class Row>
int find_passing(const World& world, const Screen& screen, const query::Filter& filter, int from, int step,
                 std::optional<Row> (*at)(const Model&, const RowRef&)) {
  int count = static_cast<int>(screen.derived.rows.size());
  for (int tried = 1; tried <= count; ++tried) {
    int row = ((from + step * tried) % count + count) % count;
    auto found = at(world.model, screen.derived.rows[static_cast<std::size_t>(row)]);
    if (found && query::passes(filter, *found, context_of(world))) return row;
  }
  return -1;
}

}  // namespace

std::string derive_key(const UiState& state, const Screen& screen) {
  std::string key(word(screen.kind));
  key += '\n' + screen.cluster.text + '\n' + screen.filter_text + '\n';
  for (const query::Sort& sort : screen.sorts)
    key += std::to_string(sort.column) + (sort.descending ? "-" : "+");
  if (screen.only_mine) key += '\n' + state.me;
  return key;
}

DerivedRows derive(const World& world, const UiState& state, const Screen& screen) {
  DerivedRows derived;
  const Model& model = world.model;
  switch (screen.kind) {
    case ScreenKind::nodes:
      derived = derive_rows(query::node_rows(model, screen.cluster), world, state, screen);
      break;
    case ScreenKind::gpus:
      derived = derive_rows(query::gpu_rows(model, screen.cluster), world, state, screen);
      break;
    case ScreenKind::slices:
      derived = derive_rows(query::slice_rows(model, screen.cluster), world, state, screen);
      break;
    case ScreenKind::workloads:
      derived = derive_rows(query::workload_rows(model, screen.cluster), world, state, screen);
      break;
    default: return derived;
  }
  derived.valid = true;
  derived.revision = model.revision;
  derived.at = world.wall;
  derived.key = derive_key(state, screen);
  derived.widths = wanted_widths(world, screen.kind, derived.rows, state.ascii);
  return derived;
}

int cursor_row(const Model& model, const Screen& screen) {
  const std::vector<RowRef>& rows = screen.derived.rows;
  int count = static_cast<int>(rows.size());
  if (count == 0) return -1;
  int near = std::clamp(screen.cursor_at, 0, count - 1);
  if (screen.cursor.empty()) return near;
  auto is_it = [&](int row) {
    return row >= 0 && row < count &&
           id_at(model, screen.kind, rows[static_cast<std::size_t>(row)]) == screen.cursor;
  };
  // Rows mostly move a little: look around the last place first.
  for (int away = 0; away < count; ++away) {
    if (is_it(near - away)) return near - away;
    if (is_it(near + away)) return near + away;
  }
  return near;
}

int find_row(const World& world, const Screen& screen, const query::Filter& filter, int from, int step) {
  if (screen.derived.rows.empty()) return -1;
  switch (screen.kind) {
    case ScreenKind::nodes: return find_passing<query::NodeRow>(world, screen, filter, from, step, node_at);
    case ScreenKind::gpus: return find_passing<query::GpuRow>(world, screen, filter, from, step, gpu_at);
    case ScreenKind::slices:
      return find_passing<query::SliceRow>(world, screen, filter, from, step, slice_at);
    case ScreenKind::workloads:
      return find_passing<query::WorkloadRow>(world, screen, filter, from, step, workload_at);
    default: return -1;
  }
}

Result<query::Filter> parse_screen_filter(ScreenKind kind, std::string_view text) {
  switch (kind) {
    case ScreenKind::nodes: return query::parse_filter<query::NodeRow>(text);
    case ScreenKind::gpus: return query::parse_filter<query::GpuRow>(text);
    case ScreenKind::slices: return query::parse_filter<query::SliceRow>(text);
    case ScreenKind::workloads: return query::parse_filter<query::WorkloadRow>(text);
    default: return query::Filter{};
  }
}

Result<query::Sort> parse_screen_sort(ScreenKind kind, std::string_view text) {
  switch (kind) {
    case ScreenKind::nodes: return query::parse_sort<query::NodeRow>(text);
    case ScreenKind::gpus: return query::parse_sort<query::GpuRow>(text);
    case ScreenKind::slices: return query::parse_sort<query::SliceRow>(text);
    case ScreenKind::workloads: return query::parse_sort<query::WorkloadRow>(text);
    default: return Error{"nothing to sort here", "this screen is not a table", "open :nodes first"};
  }
}

}  // namespace tessera::tui
