// The scheduler: first fit in order of submission, with backfill, and the reasons in its own words.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/step.hpp"

namespace tessera::sim {
namespace {

struct Open {
  Claim claim;
  int free = 0;
};

Claim claim_on(std::uint32_t node, std::size_t gpu, const Slot& slot, int share) {
  return {node, static_cast<std::uint16_t>(gpu), slot.instance, static_cast<std::uint16_t>(share)};
}

int asked_at_once(const Shape& shape) { return shape.at_once > 0 ? shape.at_once : shape.count; }

// Shared slots are dealt out one share at a time, always from the emptiest, as the device plugin does.
void deal(std::vector<Open>& open, int need, std::vector<Claim>& claims) {
  std::vector<int> taken(open.size());
  for (; need > 0; --need) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < open.size(); ++i)
      if (open[i].free - taken[i] > open[best].free - taken[best]) best = i;
    ++taken[best];
  }
  for (std::size_t i = 0; i < open.size(); ++i)
    if (taken[i] > 0) {
      open[i].claim.share = static_cast<std::uint16_t>(taken[i]);
      claims.push_back(open[i].claim);
    }
}

// Slurm hands out the MPS of a node from one GPU at a time (gres.conf: one_sharing, its default for MPS).
bool has_mps_in_use(const Board& board) {
  return board.strategy == Strategy::mps && !board.cut() && !board.holds.empty();
}

}  // namespace

bool WorldStep::fit(std::uint32_t index, const Shape& shape, std::vector<Claim>& claims, bool bound) const {
  const NodeState& node = world_.nodes[index];
  if (node.condition != Condition::up || world_.derived->free[index] < shape.count) return false;
  const NodeGroup& group = world_.group(node);
  std::size_t before = claims.size();
  int need = shape.count, shared = 0;
  std::vector<Open> open;
  const bool refused = !bound && node.switches.refuses_several && asked_at_once(shape) > 1;
  const bool one_at_a_time =
      shape.family == Family::mps && std::any_of(node.boards.begin(), node.boards.end(), has_mps_in_use);
  for (std::size_t gpu = 0; gpu < node.boards.size() && need > 0; ++gpu) {
    if (one_at_a_time && !has_mps_in_use(node.boards[gpu])) continue;
    each_slot(group, node, node.boards[gpu], [&](const Slot& slot) {
      int free = slot.capacity - slot.used;
      if (free <= 0 || !answers(slot, shape) || (refused && slot.capacity > 1)) return false;
      if (one_board(shape)) {
        if (free >= need) {
          claims.push_back(claim_on(index, gpu, slot, need));
          need = 0;
        }
      } else if (slot.capacity == 1) {
        claims.push_back(claim_on(index, gpu, slot, 1));
        --need;
      } else {
        open.push_back({claim_on(index, gpu, slot, 0), free});
        shared += free;
      }
      return need == 0;
    });
  }
  if (need > shared) {
    claims.resize(before);
    return false;
  }
  if (need > 0) deal(open, need, claims);
  return true;
}

namespace {

// Why a shape could not be placed.
enum class Lack : std::uint8_t { none, room, closed, never };

// One look at everything that waits. Within it nothing becomes free, so that what did not fit once need not
// be tried again: a shape keeps the node from which it searches on, and whether it failed.
class Pass {
 public:
  explicit Pass(WorldStep& step) : step_(step), world_(step.world()), spec_(world_.spec()) {
    shapes_.resize(spec_.shapes.size());
    head_waits_.resize(std::max<std::size_t>(1, spec_.partitions.size()));
    guarded_.resize(head_waits_.size());
  }

  void run() {
    std::vector<JobId> waiting(step_.derived().pending.begin(), step_.derived().pending.end());
    for (JobId id : waiting) look(world_.jobs.at(id));
  }

 private:
  struct Search {
    bool failed = false;
    std::uint32_t from = 0;
    std::string why;
    Lack lack = Lack::none;
  };

  bool slurm() const { return spec_.scheduler == Scheduler::slurm; }

  void look(Job& job) {
    if (!job.hold.empty() && world_.now < job.eligible) return wait(job, job.hold);
    const Shape& shape = wanted_by(world_, job);
    std::string barred = slurm() ? why_barred(job, shape) : "";
    if (!barred.empty()) return wait(job, barred);
    Search own;  // what no other asks for is searched for once
    Search& search = job.errand.one ? own : shapes_[job.shape];
    if (!search.failed) {
      std::vector<Claim> claims;
      if (place(shape, search, claims)) return step_.start(job, std::move(claims));
      search.failed = true;
      explain(shape, search);
    }
    wait(job, slurm() ? slurm_reason(job, shape, search) : search.why);
  }

  void wait(Job& job, const std::string& reason) {
    if (job.reason == reason) return;
    job.reason = reason;
    step_.changed(job.id);
  }

  int held_by_account(const std::string& account) const {
    int held = 0;
    for (std::size_t user = 0; user < spec_.users.size(); ++user)
      if (spec_.users[user].account == account) held += world_.derived->held[user];
    return held;
  }

  // By the limits that details_of() tells of.
  std::string why_limited(const Job& job, const Shape& shape) const {
    if (shape.family != Family::gpu) return "";
    const int asks = shape.count * shape.nodes;
    if (spec_.gpus_per_user > 0 && world_.derived->held[job.user] + asks > spec_.gpus_per_user)
      return "QOSMaxGRESPerUser";
    const std::string& account = spec_.users[job.user].account;
    if (spec_.gpus_per_account > 0 && !account.empty() &&
        held_by_account(account) + asks > spec_.gpus_per_account)
      return "AssocGrpGRES";
    return "";
  }

  // Limits that have nothing to do with what is free.
  std::string why_barred(const Job& job, const Shape& shape) const {
    auto partition = static_cast<std::size_t>(shape.partition);
    const std::string& state = spec_.partitions[partition].state;
    if (state == "DOWN") return "PartitionDown";
    if (state != "UP") return "PartitionInactive";
    Duration most = spec_.max_times[partition];
    if (most.count() > 0 && job.limit > most) return "PartitionTimeLimit";
    if (std::string limit = why_limited(job, shape); !limit.empty()) return limit;
    // Backfill may not starve whoever heads the queue: after two hours only short work slips past.
    if (guarded_[partition] && job.limit > Duration(3'600'000)) return "Priority";
    return "";
  }

  std::string slurm_reason(const Job& job, const Shape& shape, const Search& search) {
    if (search.lack != Lack::room) return search.why;
    auto partition = static_cast<std::size_t>(shape.partition);
    if (head_waits_[partition]) return "Priority";
    head_waits_[partition] = true;
    guarded_[partition] = world_.now - job.submitted > Duration(2 * 3'600'000);
    return "Resources";
  }

  bool in_partition(const NodeGroup& group, const Shape& shape) const {
    if (shape.partition < 0) return true;
    return std::find(group.partitions.begin(), group.partitions.end(), shape.partition) !=
           group.partitions.end();
  }

  // Calls visit(node) for each node that the shape may use, from `from` on, until it returns true.
  template <class Visit>
  void each_node(const Shape& shape, std::uint32_t from, Visit visit) const {
    if (!shape.only.empty()) {
      for (std::uint32_t node : shape.only)
        if (node >= from && in_partition(world_.group(world_.nodes[node]), shape) && visit(node)) return;
      return;
    }
    for (std::size_t g = 0; g < spec_.groups.size(); ++g) {
      if (!in_partition(spec_.groups[g], shape)) continue;
      std::uint32_t first = world_.derived->first_of_group[g];
      auto end = first + static_cast<std::uint32_t>(spec_.groups[g].names.size());
      for (std::uint32_t node = std::max(first, from); node < end; ++node)
        if (visit(node)) return;
    }
  }

  bool place(const Shape& shape, Search& search, std::vector<Claim>& claims) const {
    int found = 0;
    each_node(shape, search.from, [&](std::uint32_t node) {
      if (step_.fit(node, shape, claims)) {
        if (found++ == 0) search.from = node;
      }
      return found == shape.nodes;
    });
    return found == shape.nodes;
  }

  void explain(const Shape& shape, Search& search) const {
    if (!slurm()) {
      search.why = kubernetes_reason(shape);
      search.lack = Lack::room;
      return;
    }
    int able = 0, open = 0;
    std::string closed;
    each_node(shape, 0, [&](std::uint32_t index) {
      const NodeState& node = world_.nodes[index];
      if (capacity_for(world_.group(node), node, shape) < shape.count) return false;
      ++able;
      if (node.condition == Condition::up) ++open;
      if (node.condition != Condition::up && closed.size() < 200)
        closed += (closed.empty() ? "" : ",") + world_.node_name(index);
      return false;
    });
    search.lack = able < shape.nodes ? Lack::never : open < shape.nodes ? Lack::closed : Lack::room;
    if (search.lack == Lack::never) search.why = "BadConstraints";
    if (search.lack == Lack::closed)
      search.why = shape.only.empty() ? "Nodes required for job are DOWN, DRAINED or reserved for jobs in "
                                        "higher priority partitions"
                                      : "ReqNodeNotAvail, UnavailableNodes:" + closed;
  }

  // The scheduler binds the pod, and the kubelet does not admit it: in the words of both.
  std::optional<std::string> not_admitted(const Shape& shape) const {
    const int asked = asked_at_once(shape);
    std::vector<Claim> claims;
    bool binds = false;
    if (asked > 1)
      each_node(shape, 0, [&](std::uint32_t node) { return binds = step_.fit(node, shape, claims, true); });
    if (!binds) return std::nullopt;
    return fmt::format(
        "{}: Allocate failed due to rpc error: code = Unknown desc = request for '{}: {}' too large: maximum "
        "request size for shared resources is 1; found {}, which is unexpected",
        kNotAdmitted, shape.text, asked, asked);
  }

  std::string kubernetes_reason(const Shape& shape) const {
    if (auto refused = not_admitted(shape)) return *refused;
    std::size_t cordoned = 0, unreachable = 0, elsewhere = 0, full = 0;
    for (std::uint32_t i = 0; i < world_.nodes.size(); ++i) {
      Condition condition = world_.nodes[i].condition;
      if (!shape.only.empty() && !std::binary_search(shape.only.begin(), shape.only.end(), i)) {
        ++elsewhere;
      } else if (condition == Condition::up || condition == Condition::invalid) {
        ++full;
      } else {
        ++(condition == Condition::drained ? cordoned : unreachable);
      }
    }
    std::vector<std::string> parts;
    auto part = [&](std::size_t count, std::string_view what) {
      if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
    };
    part(full, "Insufficient " + shape.text);
    part(cordoned, "node(s) were unschedulable");
    part(unreachable, "node(s) had untolerated taint {node.kubernetes.io/unreachable: }");
    part(elsewhere, "node(s) didn't match Pod's node affinity/selector");
    std::sort(parts.begin(), parts.end());
    if (parts.empty()) return "no nodes available to schedule pods";
    return fmt::format("0/{} nodes are available: {}.", world_.nodes.size(), fmt::join(parts, ", "));
  }

  WorldStep& step_;
  World& world_;
  const ClusterSpec& spec_;
  std::vector<Search> shapes_;
  std::vector<char> head_waits_;  // of each partition: someone waits for room already
  std::vector<char> guarded_;
};

}  // namespace

void WorldStep::pass() { Pass(*this).run(); }

}  // namespace tessera::sim
