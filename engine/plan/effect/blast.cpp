#include "engine/plan/effect/blast.hpp"

#include <algorithm>
#include <map>

#include "engine/hours.hpp"
#include "engine/insight/worth.hpp"
#include "engine/plan/effect/observed.hpp"

namespace tessera::plan {
namespace {

Unit unit_of(const BoardChange& change, const Capabilities& can) {
  Unit unit = Unit::slice;
  if (change.dragged) return std::max(unit, Unit::gpu);
  if (change.instances_change()) unit = std::max(unit, can.instances);
  if (change.sharing_changes) unit = std::max({unit, can.sharing, Unit::gpu});
  if (!change.mode_changes) return unit;
  unit = std::max({unit, can.mode, Unit::gpu});
  bool reset = change.product && mode_needs_reset(*change.product);
  return reset ? std::max(unit, can.reset) : unit;
}

Scope::Board board_scope(const BoardChange& change, Unit unit) {
  Scope::Board board{change.gpu, {}};
  if (unit == Unit::slice)
    for (const InstanceAt& one : change.destroyed) board.slices.push_back(one.at);
  return board;
}

bool in_scope(const Scope& scope, GpuIndex gpu, const Slice& slice) {
  if (scope.boards.empty()) return true;
  for (const Scope::Board& board : scope.boards) {
    if (board.gpu != gpu) continue;
    if (board.slices.empty() || !slice.placement) return true;
    for (const Placement& one : board.slices)
      if (one == *slice.placement) return true;
  }
  return false;
}

bool goes(const std::vector<BoardChange>& changes, GpuIndex gpu, const Slice& slice) {
  for (const BoardChange& change : changes) {
    if (change.gpu != gpu) continue;
    if (change.mode_changes || change.sharing_changes) return true;
    for (const InstanceAt& one : change.destroyed)
      if (slice.placement == one.at) return true;
  }
  return false;
}

// Everything that the workload holds, here and elsewhere.
void add_extent(Disturbed& one, const Cluster& cluster, const Workload& workload,
                const mig::Catalogue& catalogue, TimePoint now) {
  std::vector<std::string> nodes;
  for (const Allocation& allocation : workload.allocations) {
    // Shares of a GPU are one slice of it, however many they are; of how many GPUs may not be told.
    const bool shares = allocation.family == Family::mps || allocation.family == Family::shard;
    const int untold = shares ? 1 : allocation.count;
    one.gpus += allocation.devices.empty() ? untold : static_cast<int>(allocation.devices.size());
    nodes.push_back(allocation.node.text);
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  one.nodes = std::max(workload.node_count, static_cast<int>(nodes.size()));
  if (!workload.started) return;
  one.running = std::max(Duration{0}, now - *workload.started);
  if (const std::optional<double> worth = insight::gpus_worth(cluster, workload, catalogue))
    one.gpu_hours = *worth * hours_of(*one.running);
}

Disturbed describe(const Cluster& cluster, const Workload& workload, const mig::Catalogue& catalogue,
                   TimePoint now) {
  Disturbed one;
  one.kind = workload.kind;
  one.id = workload.id;
  one.name = workload.name;
  one.user = workload.user;
  one.restartable = workload.restartable;
  one.unasked = workload.unasked;
  one.stays = workload.stays;
  add_extent(one, cluster, workload, catalogue, now);
  return one;
}

class Radius {
 public:
  Radius(const Cluster& cluster, const Node& node, const std::vector<BoardChange>& changes,
         const Scope& scope, const mig::Catalogue& catalogue, TimePoint now)
      : cluster_(cluster), node_(node), changes_(changes), scope_(scope), catalogue_(catalogue), now_(now) {}

  std::vector<Disturbed> run() {
    for (const Gpu& gpu : node_.gpus)
      for (const Slice& slice : gpu.slices)
        if (in_scope(scope_, gpu.index, slice)) look(gpu.index, slice);
    for (const Slice& slice : node_.pool) look_at_pool(slice);
    for (const WorkloadId& id : node_.workloads)
      if (scope_.boards.empty() || reaches_unasked(id)) add(id, Hit::in_the_way, "");
    std::vector<Disturbed> all;
    for (auto& [id, one] : known_) all.push_back(std::move(one));
    // Where the part is not known, as if it were all of each GPU: unknown is not nothing.
    auto loss = [](const Disturbed& one) {
      const double hours = one.running ? hours_of(*one.running) : 0;
      return one.gpu_hours.value_or(one.gpus * hours);
    };
    std::stable_sort(all.begin(), all.end(),
                     [&](const Disturbed& a, const Disturbed& b) { return loss(a) > loss(b); });
    for (Disturbed& one : unknown_) all.push_back(std::move(one));
    return all;
  }

 private:
  // It may be at any GPU of the node.
  bool reaches_unasked(const WorkloadId& id) const {
    const Workload* workload = cluster_.workloads.find(id);
    return workload && !workload->unasked.empty();
  }
  // On which GPU it stands is not reported: it may be one of those that change.
  void look_at_pool(const Slice& slice) {
    if (in_use(slice)) add_holders(slice, "a " + slice_kind_text(slice), Hit::in_the_way);
  }
  void look(GpuIndex gpu, const Slice& slice) {
    if (!in_use(slice)) return;
    add_holders(slice, slice_text(gpu, slice), goes(changes_, gpu, slice) ? Hit::holds : Hit::in_the_way);
  }
  void add_holders(const Slice& slice, std::string text, Hit hit) {
    for (const Holder& holder : slice.holders) add(holder.workload, hit, text);
    if (!slice.holders.empty()) return;
    Disturbed one;
    one.hit = Hit::unknown;
    one.slices = {std::move(text)};
    one.gpus = 1;
    one.nodes = 1;
    unknown_.push_back(std::move(one));
  }
  void add(const WorkloadId& id, Hit hit, const std::string& slice) {
    auto [it, fresh] = known_.try_emplace(id.text);
    if (fresh) {
      const Workload* workload = cluster_.workloads.find(id);
      if (workload && !present(*workload)) {
        known_.erase(it);
        return;
      }
      it->second = workload ? describe(cluster_, *workload, catalogue_, now_) : Disturbed{};
      it->second.id = id;
      const bool no_request = workload && workload->requests.empty() && !slice.empty();
      it->second.hit = no_request || !it->second.unasked.empty() ? Hit::unasked : hit;
    } else if (it->second.hit == Hit::in_the_way) {
      it->second.hit = hit;
    }
    if (!slice.empty()) it->second.slices.push_back(slice);
  }

  const Cluster& cluster_;
  const Node& node_;
  const std::vector<BoardChange>& changes_;
  const Scope& scope_;
  const mig::Catalogue& catalogue_;
  TimePoint now_;
  std::map<std::string, Disturbed> known_;
  std::vector<Disturbed> unknown_;
};

}  // namespace

std::optional<Scope> scope_of(const Node& node, const std::vector<BoardChange>& changes,
                              const Capabilities& can) {
  Scope scope;
  Unit widest = Unit::slice;
  for (const BoardChange& change : changes) {
    if (!change.changes()) continue;
    Unit unit = unit_of(change, can);
    widest = std::max(widest, unit);
    Scope::Board board = board_scope(change, unit);
    if (unit > Unit::slice || !board.slices.empty()) scope.boards.push_back(std::move(board));
  }
  if (widest < Unit::node) return scope.boards.empty() ? std::nullopt : std::optional(scope);
  scope.boards.clear();
  if (can.empties_all_work) return scope;
  for (const Gpu& gpu : node.gpus) scope.boards.push_back({gpu.index, {}});
  return scope;
}

Needs needs_of(const std::vector<BoardChange>& changes, const Capabilities& can,
               const std::optional<Scope>& scope) {
  Needs needs;
  bool any = false;
  for (const BoardChange& change : changes) {
    any = any || change.changes();
    if (!change.mode_changes) continue;
    needs.mode_change = true;
    needs.reset = needs.reset || (change.product && mode_needs_reset(*change.product));
  }
  needs.drain = any && (scope.has_value() || can.needs_closing);
  return needs;
}

std::vector<Disturbed> blast_radius(const Cluster& cluster, const Node& node,
                                    const std::vector<BoardChange>& changes, const Scope& scope,
                                    const mig::Catalogue& catalogue, TimePoint now) {
  return Radius(cluster, node, changes, scope, catalogue, now).run();
}

}  // namespace tessera::plan
