// Opening, leaving and walking from one to the next.
#include <algorithm>

#include "tui/screens/boards.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/overview.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

// The row under the cursor of a table; nullopt on an empty one.
std::optional<RowRef> ref_under(const Screen& screen, const Model& model) {
  int row = cursor_row(model, screen);
  if (row < 0) return std::nullopt;
  return screen.derived.rows[static_cast<std::size_t>(row)];
}

void open_row(UiState& state, const World& world) {
  const Screen& screen = state.top();
  std::optional<RowRef> ref = ref_under(screen, world.model);
  if (!ref) return;
  if (screen.kind == ScreenKind::workloads) {
    if (auto row = workload_at(world.model, *ref))
      open_workload(state, row->cluster->name, row->workload->id.text);
    return;
  }
  auto row = node_at(world.model, *ref);
  if (!row) return;
  std::string cursor;
  if (screen.kind == ScreenKind::slices) cursor = id_at(world.model, screen.kind, *ref);
  if (screen.kind == ScreenKind::gpus)
    if (auto gpu = gpu_at(world.model, *ref))
      cursor = gpu->gpu->slices.empty()
                   ? query::row_id(*gpu)
                   : query::row_id(query::SliceRow{gpu->cluster, gpu->node, gpu->gpu, &gpu->gpu->slices[0]});
  open_node(state, row->cluster->name, row->node->name.text, cursor);
}

// The first tile of the board that the finding is about; empty: it is about the node.
std::string cursor_on(const World& world, const insight::Finding& finding) {
  const Cluster* cluster = finding.gpu ? world.model.find(finding.cluster) : nullptr;
  const Node* node = cluster ? cluster->nodes.find(NodeName(finding.subject)) : nullptr;
  if (!node) return {};
  for (const Gpu& gpu : node->gpus)
    if (gpu.index == *finding.gpu)
      return gpu.slices.empty() ? query::row_id(query::GpuRow{cluster, node, &gpu})
                                : query::row_id(query::SliceRow{cluster, node, &gpu, &gpu.slices[0]});
  return {};
}

void open_overview(UiState& state, const World& world) {
  const std::string cursor = state.top().cursor;
  if (const insight::Finding* finding = finding_at(state, cursor)) {
    if (finding->is_node) {
      open_node(state, finding->cluster, finding->subject, cursor_on(world, *finding));
    } else {
      Screen facts;
      facts.kind = ScreenKind::facts;
      facts.cluster = finding->cluster;
      facts.subject = finding->cluster.text;
      push(state, std::move(facts));
    }
    return;
  }
  std::size_t index = cluster_under(state, cursor).value_or(0);
  if (index >= world.model.clusters.size()) return;
  Screen nodes;
  nodes.kind = ScreenKind::nodes;
  nodes.cluster = world.model.clusters[index].name;
  push(state, std::move(nodes));
}

void open_stop(UiState& state, const World& world, const std::string& id) {
  std::vector<std::string> parts = parts_of_id(id);
  if (parts.size() < 2) return;
  ClusterName name(parts[0]);
  const Cluster* cluster = world.model.find(name);
  if (!cluster) return;
  if (parts.size() == 2 && cluster->workloads.find(WorkloadId(parts[1])))
    open_workload(state, name, parts[1]);
  else
    open_node(state, name, parts[1], parts.size() > 2 ? id : std::string());
}

const Node* node_of(const Screen& screen, const Model& model) {
  const Cluster* cluster = model.find(screen.cluster);
  return cluster ? cluster->nodes.find(NodeName(screen.subject)) : nullptr;
}

// The next row of `list` whose subject is another than `subject`; -1: there is none that way.
int next_subject(const Screen& list, const World& world, const std::string& subject, int step) {
  int count = static_cast<int>(list.derived.rows.size());
  for (int row = cursor_row(world.model, list) + step; row >= 0 && row < count; row += step) {
    const RowRef& ref = list.derived.rows[static_cast<std::size_t>(row)];
    if (list.kind == ScreenKind::workloads) {
      auto found = workload_at(world.model, ref);
      if (found && found->workload->id.text != subject) return row;
    } else if (auto found = node_at(world.model, ref); found && found->node->name.text != subject) {
      return row;
    }
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
int sibling_at(const UiState& state, const World& world, int step) {
  if (state.stack.size() < 2) return -1;
  const Screen& screen = state.top();
  const Screen& list = state.stack[state.stack.size() - 2];
  bool node = screen.kind == ScreenKind::node, workload = screen.kind == ScreenKind::workload;
  if (node && list.kind == ScreenKind::overview) return next_finding(state, list.cursor, step);
  bool fits = is_table(list.kind) && (list.kind == ScreenKind::workloads ? workload : node);
  return fits ? next_subject(list, world, screen.subject, step) : -1;
}

}  // namespace

void push(UiState& state, Screen screen) {
  if (auto sorts = state.last_sorts.find(screen.kind); sorts != state.last_sorts.end())
    screen.sorts = sorts->second;
  if (auto columns = state.last_columns.find(screen.kind); columns != state.last_columns.end())
    screen.columns = columns->second;
  // Going to a page that is open below goes back to it, so that the path does not grow for ever.
  if (screen.kind == ScreenKind::node || screen.kind == ScreenKind::workload) {
    auto same = std::find_if(state.stack.begin(), state.stack.end(), [&](const Screen& one) {
      return one.kind == screen.kind && one.cluster == screen.cluster && one.subject == screen.subject;
    });
    state.stack.erase(same, state.stack.end());
  }
  constexpr std::size_t kDeepest = 32;
  if (state.stack.size() >= kDeepest) state.stack.erase(state.stack.begin() + 1);
  state.stack.push_back(std::move(screen));
}

void go_to(UiState& state, ScreenKind kind, const std::string& filter) {
  state.loading_left = true;
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

void open_under_cursor(UiState& state, const World& world) {
  const Screen& screen = state.top();
  if (is_table(screen.kind)) return open_row(state, world);
  if (screen.kind == ScreenKind::overview) return open_overview(state, world);
  if (screen.kind == ScreenKind::workload) return open_stop(state, world, std::string(screen.cursor));
  if (screen.kind == ScreenKind::plan) return open_on_plan(state);
  if (screen.kind == ScreenKind::guide) return open_in_guide(state, world);
  if (screen.kind != ScreenKind::node) return;
  const Cluster* cluster = world.model.find(screen.cluster);
  const Node* node = node_of(screen, world.model);
  if (!node) return;
  if (auto holder = holder_of(*cluster, *node, screen.cursor))
    open_workload(state, ClusterName(screen.cluster), holder->text);
  else
    show_facts(state, world);
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

void show_facts(UiState& state, const World& world) {
  const Screen& screen = state.top();
  Screen facts;
  facts.kind = ScreenKind::facts;
  facts.cluster = screen.cluster;
  facts.about = screen.kind;
  if (is_table(screen.kind)) {
    std::optional<RowRef> ref = ref_under(screen, world.model);
    if (!ref || ref->cluster >= world.model.clusters.size()) return;
    facts.cluster = world.model.clusters[ref->cluster].name;
    facts.subject = id_at(world.model, screen.kind, *ref);
  } else if (screen.kind == ScreenKind::overview) {
    const insight::Finding* finding = finding_at(state, screen.cursor);
    std::size_t index = cluster_under(state, screen.cursor).value_or(0);
    if (!finding && index >= world.model.clusters.size()) return;
    facts.cluster = finding ? finding->cluster : world.model.clusters[index].name;
    facts.subject = facts.cluster.text;
    if (finding && finding->is_node) facts.subject += "\x1f" + finding->subject;
  } else if (screen.kind == ScreenKind::workload) {
    facts.about = ScreenKind::workloads;
    facts.subject = screen.cluster.text + "\x1f" + screen.subject;
  } else {
    facts.subject = screen.cursor.empty() ? screen.cluster.text + "\x1f" + screen.subject : screen.cursor;
  }
  push(state, std::move(facts));
}

bool go_back(UiState& state) {
  if (state.stack.size() < 2) return false;
  state.stack.pop_back();
  return true;
}

bool has_sibling(const UiState& state, const World& world, int step) {
  return sibling_at(state, world, step) >= 0;
}

void step_sibling(UiState& state, const World& world, int step) {
  int next = sibling_at(state, world, step);
  if (next < 0) return;
  state.stack.pop_back();
  Screen& list = state.top();
  if (is_table(list.kind)) {
    put_cursor(list, world, next);
    return open_row(state, world);
  }
  list.cursor = state.overview.finding_ids[static_cast<std::size_t>(next)];
  const insight::Finding& finding = state.overview.findings[static_cast<std::size_t>(next)];
  open_node(state, finding.cluster, finding.subject, cursor_on(world, finding));
}

std::string copy_text(const UiState& state, const World& world) {
  const Screen& screen = state.top();
  if (screen.kind == ScreenKind::plan) return plan_copy(state, world);
  if (screen.kind == ScreenKind::messages) return messages_text(state);
  if (screen.kind == ScreenKind::run || screen.kind == ScreenKind::journal) return run_copy(state, world);
  if (screen.kind == ScreenKind::guide) return copy_in_guide(state);
  if (!is_table(screen.kind)) {
    if (screen.kind == ScreenKind::node || screen.kind == ScreenKind::workload) return screen.subject;
    if (screen.kind == ScreenKind::overview) {
      const insight::Finding* finding = finding_at(state, screen.cursor);
      if (finding) return finding->subject;
      std::size_t index = cluster_under(state, screen.cursor).value_or(0);
      return index < world.model.clusters.size() ? world.model.clusters[index].name.text : std::string();
    }
    return {};
  }
  if (screen.marks.empty()) {
    std::optional<RowRef> ref = ref_under(screen, world.model);
    return ref ? name_at(world.model, screen.kind, *ref) : std::string();
  }
  std::string text;
  for (const RowRef& ref : screen.derived.rows)
    if (screen.marks.contains(id_at(world.model, screen.kind, ref)))
      text += (text.empty() ? "" : "\n") + name_at(world.model, screen.kind, ref);
  return text;
}

}  // namespace tessera::tui
