#include "engine/pack/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/number.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::pack {
namespace {

constexpr int kMostWanted = 100'000'000;

// What is free, or will be.
class Free {
 public:
  Free(const Cluster& cluster, std::optional<TimePoint> until) : cluster_(cluster), until_(until) {}

  bool operator()(const Slice& slice) const {
    if (slice.holding == Holding::free) return true;
    // Where it is open which of several is held, all that may hold it are its holders.
    if (!until_ || slice.holders.empty()) return false;
    if (!slice.exact && (!cluster_.work_known || slice.told_held)) return false;
    return std::all_of(slice.holders.begin(), slice.holders.end(), [&](const Holder& holder) {
      const Workload* work = cluster_.workloads.find(holder.workload);
      return work && work->ends && *work->ends <= *until_;
    });
  }

 private:
  const Cluster& cluster_;
  std::optional<TimePoint> until_;
};

bool free_as_a_whole(const Gpu& gpu, const Free& is_free) {
  return gpu.strategy == Strategy::whole && gpu.slices.size() == 1 &&
         gpu.slices[0].kind == SliceKind::whole_gpu && gpu.slices[0].capacity == 1 &&
         is_free(gpu.slices[0]) && gpu.slices[0].usable == true;
}

// Whether it hands out what is idle there by itself: a driver of claims cuts instead.
bool takes_work(const Node& node) {
  return node.health == Health::ok &&
         (!sharing::by_claims(node) || operators::way_of(node) == operators::DraWay::at_start);
}

// Empty: it may be planned.
std::string why_left_out(const Node& node, const Gpu& gpu, const mig::Product* product,
                         const plan::Capabilities& can, const Free& is_free) {
  if (node.health != Health::ok) return "on a node that takes no workloads";
  if (sharing::amd::is_amd(gpu)) return "of AMD, whose partition modes are shown, not planned";
  if (!product || !product->mig_capable || !product->placements_known) return "without known MIG placements";
  if (!takes_work(node)) return "of a DRA driver that cuts them itself, or may";
  if (gpu.strategy == Strategy::whole)
    return free_as_a_whole(gpu, is_free) ? "" : "held as a whole, or not known to be free";
  if (gpu.strategy != Strategy::mig) return "shared in another way than by MIG";
  if (gpu.mig_mode && *gpu.mig_mode != MigMode::enabled) return "with a MIG mode that is pending";
  if (!mig::observed_layout(*product, gpu)) return "with instances whose placement is not known";
  for (const Slice& slice : gpu.slices) {
    if (slice.capacity != 1) return "with instances that are shared";
    if (slice.holding != Holding::held && slice.usable != true) return "with instances that are out of use";
    if (can.clears == plan::Unit::gpu && can.instances == plan::Unit::gpu && !is_free(slice))
      return "in use, where a change clears the whole GPU";
  }
  return "";
}

std::size_t number_of(Problem& problem, const mig::Product* product) {
  auto at = std::find(problem.products.begin(), problem.products.end(), product);
  if (at == problem.products.end()) at = problem.products.insert(at, product);
  return static_cast<std::size_t>(at - problem.products.begin());
}

Board board_of(const Node& node, const Gpu& gpu, const mig::Product& product, std::size_t number,
               const Free& is_free) {
  Board board{node.name, gpu.index, number, {}};
  if (gpu.strategy == Strategy::whole) return board;
  for (const Slice& slice : gpu.slices)
    board.instances.push_back(
        {{*product.index_of(slice.profile.view()), slice.placement->start}, !is_free(slice)});
  return board;
}

// What is idle on the node, and no board tells: on GPUs that are left out, in the pool, and what is known by
// its number alone.
class Spares {
 public:
  Spares(const Node& node, const mig::Catalogue& catalogue, const Free& is_free)
      : node_(node), catalogue_(catalogue), is_free_(is_free) {
    for (const OpenKind& open : node.open_kinds)
      if (open.kind == SliceKind::gpu_instance && open.capacity == 1) add(open.profile, open.units);
    for (const Slice& slice : node.pool) count(slice);
  }
  void add_left_out(const Gpu& gpu) {
    for (const Slice& slice : gpu.slices) count(slice);
  }
  // Of these every instance is told by itself; those that are free by the end of their work were open before.
  void add_planned(const Gpu& gpu) {
    for (const Slice& slice : gpu.slices)
      if (slice.holding == Holding::unknown && is_free_(slice)) add(slice.profile, -1);
  }
  void into(std::vector<Spare>& all) const {
    for (const auto& [profile, count] : counts_)
      if (count > 0) all.push_back({node_.name, profile, product_of(profile), count});
  }

 private:
  void count(const Slice& slice) {
    if (slice.kind == SliceKind::gpu_instance && slice.capacity == 1 && slice.usable == true &&
        slice.holding == Holding::free)
      add(slice.profile, 1);
  }
  void add(const ProfileName& profile, int count) {
    counts_[mig::canonical_profile(profile.text).value_or(profile)] += count;
  }
  const mig::Product* product_of(const ProfileName& profile) const {
    const mig::Product* only = nullptr;
    for (const Gpu& gpu : node_.gpus) {
      const mig::Product* one = gpu.product ? catalogue_.by_key(gpu.product->text) : nullptr;
      if (!one) return nullptr;
      if (!one->find(profile.text)) continue;
      if (only && only != one) return nullptr;
      only = one;
    }
    return only;
  }

  const Node& node_;
  const mig::Catalogue& catalogue_;
  const Free& is_free_;
  std::map<ProfileName, int> counts_;
};

// Slices that are held, or may be: by their number where it is not known which. Whoever shares one counts.
int running_on(const Node& node, const plan::Capabilities& can, const Free& is_free) {
  int running = node.counts.all - node.counts.free - node.counts.out;
  const auto look = [&](const Slice& slice) {
    if (slice.holding == Holding::free) return;
    if (is_free(slice))
      --running;
    else if (slice.capacity > 1 && slice.holders.size() > 1)
      running += static_cast<int>(slice.holders.size()) - 1;
  };
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices) look(slice);
  for (const Slice& slice : node.pool) look(slice);
  // Work without a GPU is waited for, too.
  const bool other = can.empties_all_work && node.cpus_held.value_or(0) > 0;
  return std::max(running, other ? 1 : 0);
}

}  // namespace

ClusterProblem problem_of(const Cluster& cluster, std::span<const NodeName> nodes,
                          const mig::Catalogue& catalogue, const plan::Capabilities& can,
                          std::optional<TimePoint> until) {
  ClusterProblem found;
  const Free is_free(cluster, until);
  found.problem.mode =
      can.instances == plan::Unit::node || can.needs_closing ? Mode::whole_node : Mode::in_place;
  const std::set<NodeName> wanted(nodes.begin(), nodes.end());
  for (const Node& node : cluster.nodes.all()) {
    if (!wanted.contains(node.name)) continue;
    Spares spares(node, catalogue, is_free);
    for (const Gpu& gpu : node.gpus) {
      const mig::Product* product = gpu.product ? catalogue.by_key(gpu.product->text) : nullptr;
      if (std::string why = why_left_out(node, gpu, product, can, is_free); !why.empty()) {
        ++found.left_out[why];
        spares.add_left_out(gpu);
        continue;
      }
      spares.add_planned(gpu);
      found.problem.boards.push_back(
          board_of(node, gpu, *product, number_of(found.problem, product), is_free));
    }
    if (takes_work(node)) spares.into(found.problem.spare);
    found.problem.busy.push_back({node.name, running_on(node, can, is_free)});
    if (!node.pool.empty() && sharing::amd::is_amd(node))
      found.left_out["of AMD, whose partition modes are shown, not planned"] += 1;
    else if (!node.pool.empty())
      found.left_out["with instances whose placement is not known"] += 1;
  }
  return found;
}

Problem part_of(const Problem& all, std::span<const NodeName> nodes) {
  const std::set<NodeName> wanted(nodes.begin(), nodes.end());
  Problem part;
  part.mode = all.mode, part.evict = all.evict;
  for (const Board& board : all.boards) {
    if (!wanted.contains(board.node)) continue;
    part.boards.push_back(board);
    part.boards.back().product = number_of(part, all.products[board.product]);
  }
  for (const Spare& one : all.spare)
    if (wanted.contains(one.node)) part.spare.push_back(one);
  for (const Busy& one : all.busy)
    if (wanted.contains(one.node)) part.busy.push_back(one);
  return part;
}

Result<std::vector<Demand>> read_demand(std::span<const std::string> words, const Problem& problem,
                                        const mig::Catalogue& catalogue) {
  std::vector<Demand> demand;
  for (const std::string& word : words) {
    auto cannot = [&](const std::string& why) {
      return Error{"cannot read the demand", "\"" + clean(word, 100) + "\": " + why, "write 3g.40gb=10"};
    };
    const std::size_t equals = word.rfind('='), colon = word.rfind(':', equals);
    if (equals == std::string::npos) return cannot("not PROFILE=COUNT");
    const auto count = whole_number<int>(std::string_view(word).substr(equals + 1), kMostWanted);
    if (!count) return cannot("the count is not a whole number");
    const std::size_t begin = colon == std::string::npos ? 0 : colon + 1;
    auto profile = mig::canonical_profile(word.substr(begin, equals - begin));
    if (!profile) return cannot("not the name of a MIG profile");
    Demand wanted{*profile, std::nullopt, *count};
    if (colon != std::string::npos) {
      const mig::Product* product = catalogue.by_any(word.substr(0, colon));
      auto at = std::find(problem.products.begin(), problem.products.end(), product);
      if (!product || at == problem.products.end()) return cannot("none of these GPUs is of that product");
      wanted.product = static_cast<std::size_t>(at - problem.products.begin());
    }
    for (const Demand& other : demand)
      if (other.profile == wanted.profile &&
          (!other.product || !wanted.product || other.product == wanted.product))
        return cannot("that profile is listed twice");
    demand.push_back(std::move(wanted));
  }
  return demand;
}

mig::Layout layout_after(const BoardPlan& plan) {
  mig::Layout layout = plan.keep;
  layout.insert(layout.end(), plan.create.begin(), plan.create.end());
  std::sort(layout.begin(), layout.end());
  return layout;
}

plan::Intent intent_of(const Problem& problem, const Answer& answer, const ClusterName& cluster) {
  plan::Intent intent;
  intent.cluster = cluster;
  std::set<NodeName> seen;
  for (const BoardPlan& plan : answer.boards) {
    const Board& board = problem.boards[plan.board];
    if (seen.insert(board.node).second) intent.nodes.push_back(board.node);
    intent.boards.push_back(
        {board.gpu, plan::wish_of(*problem.products[board.product], layout_after(plan)), board.node});
  }
  return intent;
}

std::string intent_text(const Problem& problem, const Answer& answer) {
  std::map<NodeName, std::string> nodes;
  for (const BoardPlan& plan : answer.boards) {
    const Board& board = problem.boards[plan.board];
    const mig::Layout layout = layout_after(plan);
    nodes[board.node] +=
        fmt::format("    {}: {}\n", board.gpu.value, mig::to_text(*problem.products[board.product], layout));
  }
  if (nodes.empty()) return "";
  std::string text = "nodes:\n";
  for (const auto& [node, gpus] : nodes) text += fmt::format("  {}:\n{}", node.text, gpus);
  return text;
}

}  // namespace tessera::pack
