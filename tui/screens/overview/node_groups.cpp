// Nodes in groups, where a cluster is too large to show each as tiles.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "engine/query/tables.hpp"
#include "tui/screens/overview/mosaic.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

std::string model_of(const Node& node) { return node.gpus.empty() ? node.model : node.gpus.front().model; }

// Partitions tell more where all nodes are of one model.
bool by_partition(const Cluster& cluster) {
  std::set<std::string> models, partitions;
  for (const Node& node : cluster.nodes.all()) {
    models.insert(model_of(node));
    partitions.insert(node.partitions.empty() ? std::string() : node.partitions.front());
    if (models.size() > 1) return false;
  }
  return partitions.size() > 1;
}

// Of the slices that are held as a whole, by what their GPUs do; those of which nothing is told are in
// neither.
void add_use(NodeGroup& group, const insight::Sight& sight, const Node& node) {
  for (const Gpu& gpu : node.gpus) {
    if (!gpu.telemetry.use) continue;
    const auto use = static_cast<double>(gpu.telemetry.use->value);
    if (use >= kIdle && use < kBusy) continue;
    const auto held = std::count_if(gpu.slices.begin(), gpu.slices.end(), [&](const Slice& slice) {
      return slice.holding == Holding::held &&
             insight::remainder(sight, slice) != insight::Availability::free;
    });
    (use >= kBusy ? group.busy : group.idle) += held;
  }
}

// What can be had of a node where that is not all that nobody holds: MPS of another GPU than the one in use.
void add_one_by_one(NodeGroup& group, const insight::Sight& sight, const Node& node) {
  const auto look = [&](const Slice& slice) {
    if (insight::remainder(sight, slice) != insight::Availability::free) return;
    ++(slice.holding == Holding::held ? group.in_part : group.free);
  };
  for (const Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), look);
  std::for_each(node.pool.begin(), node.pool.end(), look);
}

void add(NodeGroup& group, const Cluster& cluster, const Node& node) {
  const insight::Sight sight = insight::sight_of(cluster, node);
  const SliceCounts& counts = node.counts;
  ++group.nodes;
  if (node.health != Health::ok) ++group.troubled;
  group.gpus += static_cast<int>(node.gpus.size());
  group.slices += counts.all;
  // An old list of nodes or of work tells neither.
  const bool told = sight.access != insight::Access::unknown && sight.work_read;
  group.unknown += told ? std::max(0, counts.all - counts.held - counts.free - counts.out) : counts.all;
  if (!told) return;
  group.held += counts.held;
  if (sight.access != insight::Access::open) return;
  add_use(group, sight, node);
  if (!insight::can_be_had(sight)) return add_one_by_one(group, sight, node);
  // Those that are not handed out are taken off counts.free only where all claims on their kind are known.
  group.free += node.unheld.open == 0 ? node.unheld.free : counts.free;
  group.in_part += node.unheld.slices - node.unheld.free;
}

// Matches the name literally.
std::string escaped(const std::string& name) {
  std::string text;
  for (char c : name) {
    if (std::string_view(R"(.+*?()[]{}|^$\")").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text;
}

// The list's own columns: a node of several partitions has all of them in one cell, the first of which groups
// it, and one of several models has "+others" behind the first. A name that goes on ("H100" of "H100 NVL") is
// another group.
std::string filter_of(const std::string& name, bool partitions) {
  if (name.find('"') != std::string::npos) return {};
  if (name.empty()) return partitions ? "partitions=?" : "model=?";
  return partitions ? "partitions~\"^" + escaped(name) + "(,|$)\""
                    : "model~\"^" + escaped(name) + "(.[+]others)?$\"";
}

void add_groups(std::vector<NodeGroup>& groups, const Cluster& cluster) {
  const bool partitions = by_partition(cluster);
  std::map<std::string, std::size_t> places;
  for (const Node& node : cluster.nodes.all()) {
    std::string name =
        partitions ? (node.partitions.empty() ? std::string() : node.partitions.front()) : model_of(node);
    const auto [place, fresh] = places.try_emplace(name, groups.size());
    if (fresh) {
      NodeGroup& group = groups.emplace_back();
      group.cluster = cluster.name;
      group.filter = filter_of(name, partitions);
      group.name = name.empty() ? "n/a" : std::move(name);
    }
    add(groups[place->second], cluster, node);
  }
}

}  // namespace

std::vector<NodeGroup> node_groups(const Model& model, std::size_t most_tiles) {
  std::size_t nodes = 0;
  for (const Cluster& cluster : model.clusters) nodes += cluster.nodes.size();
  if (nodes <= most_tiles) return {};
  std::vector<NodeGroup> groups;
  for (const Cluster& cluster : model.clusters) add_groups(groups, cluster);
  std::stable_sort(groups.begin(), groups.end(), [](const NodeGroup& a, const NodeGroup& b) {
    return std::tuple(a.troubled > 0, a.troubled, a.nodes) > std::tuple(b.troubled > 0, b.troubled, b.nodes);
  });
  return groups;
}

namespace {

struct GroupColumns {
  int cluster, name, nodes, gpus, bar, bar_width, held, free, closed, trouble;
};
GroupColumns columns_of(int width, bool clusters) {
  const int name = clusters ? 14 : 1;
  const int bar = width >= 150 ? 40 : width >= 118 ? 20 : 8;
  const int rest = name + (width >= 118 ? 26 : 18);
  return {1,
          name,
          rest + 6,
          rest + 14,
          rest + 16,
          bar,
          rest + 23 + bar,
          rest + 30 + bar,
          rest + 39 + bar,
          rest + 41 + bar};
}

// A part of a bar: slices of one kind, and the sign that stands for them.
struct BarPart {
  std::int64_t slices = 0;
  std::string_view sign;
  Style style;
  std::string_view meaning;
};

// Each slice is in one part, in the order in which a bar shows them. Those that shine are of GPUs that work.
std::vector<BarPart> parts_of(const NodeGroup& group, bool ascii) {
  const Glyphs& signs = glyphs(ascii);
  const std::string_view held = ascii ? "#" : "▇";
  const std::int64_t closed = group.slices - group.held - group.free - group.unknown;
  return {{group.busy, held, Style(Role::held).with_bold(), "busy"},
          {group.held - group.in_part - group.busy - group.idle, held, Role::held, "held"},
          {group.idle, held, Role::dim, "idle"},
          {group.in_part, ascii ? "=" : "▄", Role::held, N_("held in part")},
          {group.free, signs.free, Role::free, "free"},
          {closed, signs.closed, Role::dim, "closed"},
          {group.unknown, signs.unknown, Role::unknown, N_("not reported")}};
}

// "▇▇▇▇▄··░"
void draw_bar(Canvas& canvas, int x, int y, int width, const NodeGroup& group, bool ascii) {
  const std::int64_t all = std::max<std::int64_t>(1, group.slices);
  std::int64_t sum = 0;
  int from = 0;
  for (const BarPart& part : parts_of(group, ascii)) {
    sum += part.slices;
    for (const int to = static_cast<int>((sum * width + all / 2) / all); from < to; ++from)
      canvas.put(x + from, y, part.sign, part.style);
  }
}

// The signs that are there, of all groups.
void draw_group_legend(Canvas& canvas, Rect area, int y, const UiState& state) {
  NodeGroup all;
  for (const NodeGroup& group : state.overview.groups) {
    all.slices += group.slices, all.held += group.held, all.free += group.free;
    all.unknown += group.unknown, all.in_part += group.in_part;
    all.busy += group.busy, all.idle += group.idle;
  }
  Pen pen(canvas, area.x + 1, y, area.right() - 1, state.ascii);
  for (const BarPart& part : parts_of(all, state.ascii)) {
    const std::string meaning = told(state, part.meaning);
    if (part.slices <= 0 || pen.left() < 2 + display_width(meaning)) continue;
    pen.put(part.sign, part.style).skip(1).put(meaning, Role::dim).skip(3);
  }
}

// "40%"; "≥40%" where it is not known of all slices, which is never rounded up; "?" of none.
std::string percent_text(const NodeGroup& group, std::int64_t part, bool ascii) {
  if (group.slices == 0) return "n/a";
  if (group.unknown >= group.slices) return "?";
  const double of = 100.0 * static_cast<double>(part) / static_cast<double>(group.slices);
  if (group.unknown == 0) return fmt::format("{:.0f}%", of);
  return fmt::format("{}{:.0f}%", ascii ? ">=" : "≥", std::floor(of));
}

void draw_group(Canvas& canvas, int x, int y, const GroupColumns& at, int width, const NodeGroup& group,
                const UiState& state, bool selected) {
  const Style plain = selected ? Style(Role::text).with_bold() : Style(Role::text);
  if (at.name > 1)
    put_cell(canvas, x + at.cluster, y, at.name - 2, group.cluster.text, Role::dim, state.ascii);
  put_cell(canvas, x + at.name, y, at.nodes - 6 - at.name, group.name, plain, state.ascii);
  put_right(canvas, x + at.nodes, y, std::to_string(group.nodes), plain);
  put_right(canvas, x + at.gpus, y, std::to_string(group.gpus), plain);
  draw_bar(canvas, x + at.bar, y, at.bar_width, group, state.ascii);
  const auto percent = [&](int right, std::int64_t part, Role role) {
    put_right(canvas, x + right, y, percent_text(group, part, state.ascii),
              Style(part > 0 ? role : Role::dim));
  };
  percent(at.held, group.held, Role::held);
  // Of a slice that is held in part the rest can be had: it is in both.
  percent(at.free, group.free + group.in_part, Role::free);
  percent(at.closed, group.slices - group.held - group.free - group.unknown, Role::text);
  if (group.troubled > 0)
    put_cell(canvas, x + at.trouble, y, width - at.trouble - 1,
             "! " + told(state, fmt::format("{} not ok", group.troubled)), Role::warning, state.ascii);
}

}  // namespace

GroupLines group_lines(const UiState& state, Rect area) {
  const int groups = static_cast<int>(state.overview.groups.size());
  if (area.height < 3) return {};
  const bool legend = area.height > 3;
  return {std::min(groups, area.height - (legend ? 2 : 1)), legend};
}

void draw_groups(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  const auto [lines, legend] = group_lines(state, area);
  if (lines < 1) return;
  const std::vector<NodeGroup>& groups = state.overview.groups;
  const GroupColumns at = columns_of(area.width, ui.model.clusters.size() > 1);
  Pen pen(canvas, area.x + 1, area.y, area.x + at.nodes - 6, state.ascii);
  pen.put(told(state, N_("MOSAIC")), Style(Role::heading).with_bold());
  pen.put(static_cast<std::size_t>(lines) < groups.size() ? fmt::format("  {} of {}", lines, groups.size())
                                                          : fmt::format("  {}", groups.size()),
          Role::dim);
  for (const auto& [right, word] :
       {std::pair(at.nodes, "NODES"), std::pair(at.gpus, "GPUS"), std::pair(at.held, "HELD"),
        std::pair(at.free, "FREE"), std::pair(at.closed, "CLOSED")})
    put_right(canvas, area.x + right, area.y, word, Role::heading);
  canvas.put(area.x + at.bar, area.y, "SLICES", Role::heading);
  if (legend) draw_group_legend(canvas, area, area.y + 1 + lines, state);
  for (int i = 0; i < lines; ++i) {
    const NodeGroup& group = groups[static_cast<std::size_t>(i)];
    const int y = area.y + 1 + i;
    const bool selected = mosaic_id(group) == state.top().cursor;
    draw_group(canvas, area.x, y, at, area.width, group, state, selected);
    if (!selected) continue;
    canvas.mark_selected(area.x + 1, y, area.width - 1);
    canvas.put(area.x, y, glyphs(state.ascii).pointer, Style(Role::accent).with_bold());
  }
}

}  // namespace tessera::tui
