// Columns of nodes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "engine/insight/free_kinds.hpp"
#include "engine/insight/sharing_words.hpp"
#include "engine/model/both_sides.hpp"
#include "engine/model/health_words.hpp"
#include "engine/query/cells.hpp"
#include "engine/query/cells_time.hpp"
#include "engine/query/signs.hpp"

namespace tessera::query {
namespace {

// AMD's modes of GPUs that are handed out in parts; "unknown" where none is told.
std::string partition_modes(const Node& node) {
  std::set<std::string_view> modes;
  for (const Gpu& gpu : node.gpus)
    if (gpu.strategy == Strategy::unknown && !gpu.partition_mode.empty()) modes.insert(gpu.partition_mode);
  return modes.empty() ? std::string(word(Strategy::unknown)) : fmt::format("{}", fmt::join(modes, "+"));
}

std::string node_sharing(const Node& node) {
  const unsigned used = node.kinds.strategies;
  std::string text;
  for (unsigned strategy = 0; used >> strategy != 0; ++strategy) {
    if ((used >> strategy & 1u) == 0) continue;
    if (!text.empty()) text += "+";
    const bool partitioned = static_cast<Strategy>(strategy) == Strategy::unknown;
    text +=
        partitioned ? partition_modes(node) : insight::sharing_word(node, static_cast<Strategy>(strategy));
  }
  return text;
}

std::string node_model(const Node& node) {
  const std::string& model = node.gpus.empty() ? node.model : node.gpus.front().model;
  return node.kinds.several_models ? model + " +others" : model;
}

Value use_of(const Node& node) {
  const std::optional<double> use = mean_use(node);
  return use ? Value(*use) : Value(NotTold{});
}

Value node_gpus(const NodeRow& row) {
  if (row.node->gpus.empty() && !row.node->pool.empty()) return Unknown{};
  return count(static_cast<std::int64_t>(row.node->gpus.size()));
}

// A slice that is not reported could be held: then the sum is not known either. Nor is it before the first
// list of work is complete.
Value held_slices(const NodeRow& row) {
  const SliceCounts& counts = row.node->counts;
  if (!row.cluster->loaded && row.cluster->progress) return Unknown{};
  if (!counts.known()) return Unknown{};
  return count(counts.held);
}

Value available_now(const NodeRow& row) {
  const std::optional<int> free =
      insight::available_slices(insight::sight_of(*row.cluster, *row.node), *row.node);
  return free ? count(*free) : Value(Unknown{});
}

// Without the list of work an empty one proves nothing; nor does one that could not be read whole.
Value work(const NodeRow& row) {
  if (work_untold(*row.cluster)) return Unknown{};
  if (!insight::work_is_current(*row.cluster) && row.node->workloads.empty()) return Unknown{};
  return count(static_cast<std::int64_t>(row.node->workloads.size()));
}

Value node_shares(const NodeRow& row) {
  const SliceCounts& counts = row.node->counts;
  if (counts.shares == 0) return words("");
  if (!counts.shares_held || (!row.cluster->loaded && row.cluster->progress)) return Unknown{};
  return words(fmt::format("{}/{}", *counts.shares_held, counts.shares));
}

// "READY; slurm IDLE+DRAIN (gpu-0)": the words of both schedulers (Slinky).
std::string states_of(const Node& node) {
  std::string text = join(node.state, "+");
  for (const slinky::OtherWords& other : slinky::other_words(node))
    text += fmt::format("; {} {} ({})", word(other.scheduler), join(other.state, "+"), other.node);
  return text;
}

std::string reason_of(const Node& node) {
  if (node.health != Health::ok && !node.reason.empty())
    return node.reason_by.empty() ? node.reason : node.reason + " [" + node.reason_by + "]";
  if (node.health == Health::ok)
    for (const slinky::OtherWords& other : slinky::other_words(node))
      if (other.part != Part::ready && !other.reason.empty())
        return other.reason + " [" + other.cluster + "]";
  return node.health == Health::ok ? insight::reserved_words(node) : std::string();
}

// Of a GPU of which nothing is held: whether something of it can be had.
std::string_view empty_sign(const Gpu& gpu, const insight::Sight& sight) {
  if (gpu.slices.empty()) {
    if (gpu.strategy != Strategy::mig || sight.access == insight::Access::unknown) return "?";
    return sight.access == insight::Access::closed ? "░" : kNotCut;
  }
  bool unknown = false;
  for (const Slice& slice : gpu.slices) {
    const insight::Availability state = insight::availability(sight, slice);
    if (state == insight::Availability::free) return "·";
    unknown = unknown || state == insight::Availability::unknown;
  }
  return unknown ? "?" : "░";
}

// How much of a GPU is held: "▄", "█"; "·" nothing, "_" nothing and there is no slice,
// "░" nothing and it cannot be had, "?" not known.
std::string_view board_sign(const Gpu& gpu, const insight::Sight& sight) {
  constexpr std::string_view kEighths[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  double all = 0, held = 0;
  for (const Slice& slice : gpu.slices) {
    const double part = slice.placement ? slice.placement->size : 1;
    all += part;
    if (slice.holding == Holding::unknown) return "?";
    if (slice.holding != Holding::held) continue;
    // Of a slice that is handed out in shares, the part that its holders have; all of it where that is not
    // told.
    const int rest = insight::unheld(slice, sight.work_read).value_or(0);
    held += slice.capacity > 0 ? part * (slice.capacity - rest) / slice.capacity : part;
  }
  if (held == 0) return empty_sign(gpu, sight);
  // Memory that is in no instance is not held either.
  return kEighths[static_cast<std::size_t>(std::clamp(std::ceil(8 * held / all), 1.0, 8.0)) - 1];
}

std::string boards(const NodeRow& row) {
  const insight::Sight sight = insight::sight_of(*row.cluster, *row.node);
  std::string text;
  for (const Gpu& gpu : row.node->gpus) text += board_sign(gpu, sight);
  return text;
}

constexpr Column<NodeRow> kNodes[] = {
    {"cluster", "CLUSTER", Format::text, Align::left, Show::roomy, 6, "the cluster it belongs to",
     [](const NodeRow& row, const Context&) { return words(row.cluster->name.text); }},
    {"node", "NODE", Format::text, Align::left, Show::always, 8, "its name",
     [](const NodeRow& row, const Context&) { return words(row.node->name.text); }},
    {"health", "HEALTH", Format::text, Align::left, Show::always, 8,
     "ok, draining, drained, cordoned, down, invalid",
     [](const NodeRow& row, const Context&) {
       return words(std::string(health_word(row.node->health, row.cluster->scheduler)));
     }},
    {"state", "STATE", Format::text, Align::left, Show::roomy, 10, "the scheduler's own words",
     [](const NodeRow& row, const Context&) { return words(states_of(*row.node)); }},
    {"gpus", "GPUS", Format::count, Align::right, Show::always, 4, "GPUs; ? where only slices are reported",
     [](const NodeRow& row, const Context&) { return node_gpus(row); }},
    {"boards", "BY GPU", Format::text, Align::left, Show::always, 8, "how much of each GPU is held",
     [](const NodeRow& row, const Context&) { return words(boards(row)); }},
    {"model", "MODEL", Format::text, Align::left, Show::always, 10, "the GPU model",
     [](const NodeRow& row, const Context&) { return told(node_model(*row.node)); }},
    {"sharing", "SHARING", Format::text, Align::left, Show::always, 7, "how its GPUs are shared",
     [](const NodeRow& row, const Context&) { return told(node_sharing(*row.node)); }},
    {"shares", "SHARES", Format::text, Align::right, Show::roomy, 6,
     "shares in use, of GPUs that are handed out in shares",
     [](const NodeRow& row, const Context&) { return node_shares(row); }},
    {"slices", "SLICES", Format::count, Align::right, Show::always, 6, "slices that can be held",
     [](const NodeRow& row, const Context&) { return count(row.node->counts.all); }},
    {"held", "HELD", Format::count, Align::right, Show::always, 4, "slices in use",
     [](const NodeRow& row, const Context&) { return held_slices(row); }},
    {"free_kinds", "FREE", Format::text, Align::left, Show::always, 10,
     "what can be had now, by kind: slices by profile, shares by unit",
     [](const NodeRow& row, const Context&) {
       const std::optional<std::string> free = insight::free_text(*row.cluster, *row.node);
       return free ? words(*free) : Value(Unknown{});
     }},
    {"free", "FREE SLICES", Format::count, Align::right, Show::wide, 11,
     "slices of any kind that can be had now, whole or a share of them",
     [](const NodeRow& row, const Context&) { return available_now(row); }},
    {"use", "USE", Format::percent, Align::right, Show::roomy, 4, "mean compute use of its GPUs",
     [](const NodeRow& row, const Context&) { return use_of(*row.node); }},
    {"trend", "10 MIN", Format::text, Align::right, Show::roomy, 6,
     "use of its GPUs in the last 10 minutes, a bar a minute",
     [](const NodeRow& row, const Context& context) { return trend(row, context); }},
    {"idle", "IDLE", Format::duration, Align::right, Show::roomy, 9,
     "how long nothing that is held there has been used (below 1 %)",
     [](const NodeRow& row, const Context& context) { return idle(row, context); }},
    {"work", "WORK", Format::count, Align::right, Show::roomy, 4, "workloads that run there",
     [](const NodeRow& row, const Context&) { return work(row); }},
    {"cpus", "CPUS", Format::count, Align::right, Show::wide, 4, "processors",
     [](const NodeRow& row, const Context&) {
       return row.node->cpus ? count(*row.node->cpus) : Value(NotTold{});
     }},
    {"partitions", "PARTITIONS", Format::text, Align::left, Show::wide, 8, "Slurm partitions",
     [](const NodeRow& row, const Context&) { return told(join(row.node->partitions, ",")); }},
    {"out", "OUT", Format::count, Align::right, Show::wide, 4,
     "slices of an open node that are not held and cannot be had",
     [](const NodeRow& row, const Context&) {
       // All slices of a closed node that are not held are out of reach: its own count would read as none.
       const insight::Access access = insight::sight_of(*row.cluster, *row.node).access;
       if (access == insight::Access::unknown) return Value(Unknown{});
       return access == insight::Access::open ? count(row.node->counts.out) : Value(NotTold{});
     }},
    {"taints", "TAINTS", Format::text, Align::left, Show::wide, 8, "Kubernetes taints that keep pods off",
     [](const NodeRow& row, const Context&) { return told(join(row.node->taints, ",")); }},
    {"features", "FEATURES", Format::text, Align::left, Show::wide, 8, "features or labels",
     [](const NodeRow& row, const Context&) { return told(join(row.node->features, ",")); }},
    {"driver", "DRIVER", Format::text, Align::left, Show::wide, 9, "GPU driver",
     [](const NodeRow& row, const Context&) { return told(row.node->driver); }},
    {"reservation", "RESERVATION", Format::text, Align::left, Show::wide, 8, "reservation it is in",
     [](const NodeRow& row, const Context&) { return told(row.node->reservation); }},
    {"reason", "REASON", Format::text, Align::left, Show::always, 12, "why it is closed, and who closed it",
     [](const NodeRow& row, const Context&) { return words(reason_of(*row.node)); }},
};

}  // namespace

template <>
std::span<const Column<NodeRow>> columns<NodeRow>() {
  return kNodes;
}

}  // namespace tessera::query
