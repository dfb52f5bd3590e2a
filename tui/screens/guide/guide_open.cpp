// What the guide is opened on, and its answers kept in step with the model.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "engine/model/reduce.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/text.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/node_names.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

constexpr Duration kGuideEvery{2000};     // between two looks at a model that moves
constexpr std::size_t kMostProducts = 8;  // named where a word is the beginning of several

// What was pointed at: GPUs of one cluster.
struct Pointed {
  ClusterName cluster;
  std::vector<guide::Mark> marks;
  bool mixed = false;                                            // of several clusters
  std::set<std::pair<NodeName, std::optional<GpuIndex>>> known;  // marks so far: there may be thousands
};

void point(Pointed& pointed, const ClusterName& cluster, const NodeName& node, std::optional<GpuIndex> gpu) {
  if (pointed.marks.empty()) pointed.cluster = cluster;
  pointed.mixed = pointed.mixed || pointed.cluster != cluster;
  if (pointed.known.emplace(node, gpu).second) pointed.marks.push_back({node, gpu});
}

void point_at_row(Pointed& pointed, const Model& model, ScreenKind kind, const RowRef& ref) {
  auto row = node_at(model, ref);
  if (!row) return;
  std::optional<GpuIndex> gpu;
  if (kind != ScreenKind::nodes)
    if (auto board = gpu_at(model, ref)) gpu = board->gpu->index;
  point(pointed, row->cluster->name, row->node->name, gpu);
}

// A workload is asked about by the GPUs that it holds.
void point_at_work(Pointed& pointed, const Cluster& cluster, const Workload& work) {
  for (const Allocation& one : work.allocations) {
    const bool told = !one.devices.empty() && cluster.nodes.find(one.node) != nullptr;
    if (!told) {
      point(pointed, cluster.name, one.node, std::nullopt);
      continue;
    }
    for (const Gpu& gpu : cluster.nodes.find(one.node)->gpus)
      for (const Slice& slice : gpu.slices)
        for (const Holder& holder : slice.holders)
          if (holder.workload == work.id) point(pointed, cluster.name, one.node, gpu.index);
  }
}

// On a node's page the cursor is on a tile, whose id names the GPU.
void point_at_tile(Pointed& pointed, const Screen& screen, const Model& model) {
  const Cluster* cluster = model.find(screen.cluster);
  const Node* node = cluster ? cluster->nodes.find(NodeName(screen.subject)) : nullptr;
  if (!node) return;
  const std::vector<std::string> parts = parts_of_id(screen.cursor);
  for (const Gpu& gpu : node->gpus)
    if (parts.size() > 2 && parts[2] == std::to_string(gpu.index.value))
      return point(pointed, cluster->name, node->name, gpu.index);
  point(pointed, cluster->name, node->name, std::nullopt);
}

Pointed pointed_at(const UiState& state, const UiContext& ui) {
  Pointed pointed;
  const Screen& screen = state.top();
  if (screen.kind == ScreenKind::node) {
    point_at_tile(pointed, screen, ui.model);
  } else if (screen.kind == ScreenKind::gpu) {
    const GpuPlace at = gpu_on(screen, ui.model);
    if (at.gpu) point(pointed, at.cluster->name, at.node->name, at.gpu->index);
  } else if (screen.kind == ScreenKind::workload) {
    const Cluster* cluster = ui.model.find(screen.cluster);
    const Workload* work = cluster ? cluster->workloads.find(WorkloadId(screen.subject)) : nullptr;
    if (work) point_at_work(pointed, *cluster, *work);
  } else if (screen.kind == ScreenKind::layout && screen.layout) {
    for (const BoardAt& one : screen.layout->targets()) point(pointed, screen.cluster, one.node, one.gpu);
  } else if (screen.kind == ScreenKind::overview) {
    const insight::Finding* finding = finding_at(state, screen.cursor);
    if (const auto node = node_under(state, screen.cursor))
      point(pointed, node->first, node->second, finding ? finding->gpu : std::nullopt);
  } else if (is_table(screen.kind)) {
    const auto point_at = [&](const RowRef& ref) {
      if (screen.kind != ScreenKind::workloads)
        point_at_row(pointed, ui.model, screen.kind, ref);
      else if (auto row = workload_at(ui.model, ref))
        point_at_work(pointed, *row->cluster, *row->workload);
    };
    // The footer asks with each picture: only marks are looked for among all rows.
    if (screen.marks.empty()) {
      if (const int at = cursor_row(ui.model, screen); at >= 0)
        point_at(screen.derived.rows[static_cast<std::size_t>(at)]);
      return pointed;
    }
    for (const RowRef& ref : screen.derived.rows)
      if (screen.marks.contains(id_at(ui.model, screen.kind, ref))) point_at(ref);
  }
  return pointed;
}

bool all_of_amd(const Cluster& cluster, const Pointed& pointed) {
  return std::all_of(pointed.marks.begin(), pointed.marks.end(), [&](const guide::Mark& mark) {
    const Node* node = cluster.nodes.find(mark.node);
    return node && sharing::amd::is_amd(*node);
  });
}

std::string subject_text(const Pointed& pointed) {
  const guide::Mark& first = pointed.marks.front();
  const bool one_node = std::all_of(pointed.marks.begin(), pointed.marks.end(),
                                    [&](const guide::Mark& mark) { return mark.node == first.node; });
  if (pointed.marks.size() > 1)
    return one_node ? first.node.text : fmt::format("{} marked", pointed.marks.size());
  return first.gpu ? fmt::format("{} GPU {}", first.node.text, first.gpu->value) : first.node.text;
}

void open(UiState& state, const UiContext& ui, Screen screen) {
  if (!state.guide_texts) {
    auto texts = guide::Texts::built_in();
    if (!texts) return say(state, ui, Severity::danger, to_line(texts.error()));
    state.guide_texts = *texts;
  }
  screen.kind = ScreenKind::guide;
  screen.guide.texts = state.guide_texts;
  push(state, std::move(screen));
}

// "H100-80GB-SXM5 (virtual machines): 12 GPUs on 3 nodes" without what is counted.
std::string key_of(const std::string& name) { return name.substr(0, name.find(": ")); }

std::vector<guide::Group> groups_of(const UiState& state, const Screen& screen, const UiContext& ui) {
  const GuideState& guide = screen.guide;
  if (guide.asked.empty()) {
    const mig::Product* product = ui.catalogue.by_key(guide.product.text);
    if (!product) return {};
    std::vector<guide::Group> one{
        guide::Group{product->key.text + " (any; no cluster needed)", guide::scope_of(*product)}};
    one.front().scope.rules = state.rules;
    return one;
  }
  const Cluster* cluster = ui.model.find(screen.cluster);
  if (!cluster) return {};
  std::vector<guide::Group> groups = guide::split(*cluster, guide.asked, ui.catalogue);
  // As the plan will be made, so that both say the same.
  for (guide::Group& one : groups) {
    one.scope.can = capabilities_of(state, *cluster);
    one.scope.rules = state.rules;
  }
  return groups;
}

void settle_platform(GuideState& guide, const UiState& state, const Cluster* cluster) {
  if (!cluster && !state.platform) return;
  sharing::Recognised found = cluster ? sharing::platform_of(*cluster, state.platform)
                                      : sharing::Recognised{*state.platform, "set for this site"};
  guide.platform = found.platform, guide.platform_from = std::move(found.evidence);
}

// Which GPUs of the nodes a group is about; nothing: all of them.
std::vector<GpuIndex> gpus_of(const guide::Scope& scope) {
  std::vector<GpuIndex> gpus;
  std::size_t all = 0;
  for (const Node* node : scope.nodes) all += node->gpus.size();
  if (scope.boards.size() == all) return gpus;
  for (const Gpu* gpu : scope.boards)
    if (std::count(gpus.begin(), gpus.end(), gpu->index) == 0) gpus.push_back(gpu->index);
  return gpus;
}

GuideGroup group_of(const guide::Group& one, const UiState& state, GuideState& guide, guide::Prefill known,
                    TimePoint now) {
  const std::string key = key_of(one.name);
  auto old = std::find_if(guide.groups.begin(), guide.groups.end(),
                          [&](const GuideGroup& group) { return group.key == key; });
  guide::Walk walk(guide.texts->chart, known);
  if (old != guide.groups.end()) {
    walk = old->walk;
    walk.refresh(std::move(known));
  }
  guide::GuideContext context;
  context.platform = guide.platform;
  context.licence = state.site.licence;
  context.facts = guide.texts->platforms;
  context.handouts = &guide.texts->handouts;
  GuideGroup group{key, one.name, {}, gpus_of(one.scope), {}, std::move(walk), {}};
  group.result = guide::conclude(group.walk, one.scope, context, now);
  for (const Node* node : one.scope.nodes) group.nodes.push_back(node->name);
  if (one.scope.product) group.product = one.scope.product->key;
  return group;
}

// "A100" is how the names of several products begin: each of them is named, as Tab offers them.
Error names_no_subject(const mig::Catalogue& catalogue, const std::string& name) {
  std::set<std::string> begun;
  for (const mig::Product& product : catalogue.products())
    if (lower(product.key.text).starts_with(lower(name))) begun.insert(product.key.text);
  if (begun.empty())
    return Error{"no node and no product is called " + clean(name, 60), "", "Tab offers them"};
  return Error{"cannot determine which product is meant", "\"" + clean(name, 60) + "\"",
               "one of: " + some_of(begun, kMostProducts)};
}

}  // namespace

void refresh_guide(UiState& state, Screen& screen, const UiContext& ui) {
  GuideState& guide = screen.guide;
  if (&screen != &state.top() || !guide.texts) return;
  if (auto at = guide_stop(screen, kGuideLayout)) guide.chosen = *at;
  const bool moved = guide.revision != ui.model.revision && ui.wall - guide.worked_at >= kGuideEvery;
  if (guide.worked_out && !moved) return;
  const Cluster* cluster = screen.cluster.empty() ? nullptr : ui.model.find(screen.cluster);
  const TimePoint now = cluster ? cluster_now(*cluster, ui.wall) : ui.wall;
  // A GPU that is in no cluster yet would join the cluster that is here.
  settle_platform(guide, state, cluster || ui.model.clusters.empty() ? cluster : &ui.model.clusters.front());
  std::vector<GuideGroup> groups;
  for (const guide::Group& one : groups_of(state, screen, ui)) {
    guide::Prefill known = guide::prefill(one.scope, ui.catalogue, state.site);
    groups.push_back(group_of(one, state, guide, std::move(known), now));
  }
  guide.groups = std::move(groups);
  guide.at = guide.at < guide.groups.size() ? guide.at : 0;
  guide.worked_out = true, guide.revision = ui.model.revision, guide.worked_at = ui.wall;
}

std::string why_no_guide(Action, const UiState& state, const UiContext& ui) {
  if (state.top().kind == ScreenKind::guide) return "this is the guide";
  const Pointed pointed = pointed_at(state, ui);
  if (pointed.marks.empty())
    return "put the cursor on a node or GPU first, or name a product: :guide H100-80GB-SXM5";
  if (const Cluster* cluster = ui.model.find(pointed.cluster); cluster && all_of_amd(*cluster, pointed))
    return std::string(sharing::amd::kNotPlanned);
  return pointed.mixed ? "these are of several clusters; the guide looks at one at a time" : "";
}

void open_guide_here(UiState& state, const UiContext& ui) {
  Pointed pointed = pointed_at(state, ui);
  if (pointed.marks.empty()) return;
  Screen screen;
  screen.cluster = pointed.cluster;
  screen.subject = subject_text(pointed);
  screen.guide.asked = std::move(pointed.marks);
  open(state, ui, std::move(screen));
}

std::optional<Error> open_guide_named(UiState& state, const UiContext& ui, const std::string& name) {
  Screen screen;
  Result<NamedNodes> named = named_nodes(ui.model, name);
  if (named && named->nodes.size() > 1) return Error{"guide takes one node, or a product", "", "guide n0007"};
  if (named && named->rest.empty()) {
    screen.cluster = named->cluster->name;
    screen.subject = named->nodes.front().text;
    screen.guide.asked = {{named->nodes.front(), std::nullopt}};
    open(state, ui, std::move(screen));
    return std::nullopt;
  }
  const auto has_it = [&](const Cluster& cluster) { return cluster.nodes.find(NodeName(name)) != nullptr; };
  if (!named && std::any_of(ui.model.clusters.begin(), ui.model.clusters.end(), has_it)) return named.error();
  const mig::Product* product = ui.catalogue.by_any(name);
  if (!product) return names_no_subject(ui.catalogue, name);
  screen.subject = product->key.text;
  screen.guide.product = product->key;
  open(state, ui, std::move(screen));
  return std::nullopt;
}

}  // namespace tessera::tui
