#include "engine/plan/effect/queue.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>

#include "engine/insight/available.hpp"
#include "engine/insight/mps_in_use.hpp"
#include "engine/model/kueue.hpp"
#include "engine/model/waits_longer.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/effect/slice_names.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"
#include "engine/why/may_use.hpp"

namespace tessera::plan {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// A word of Slurm's last look that stands for nodes that are merely full, too: "ReqNodeNotAvail,
// UnavailableNodes:n[1-2]", "ReqNodeNotAvail, May be reserved for other job". A job that maintenance is in
// the way of waits for its end.
bool is_about_nodes(std::string_view reason) {
  return reason.starts_with("ReqNodeNotAvail") && !contains_folded(reason, "maintenance");
}

// What kube-scheduler, Volcano (the third) and KAI say where room is all that is missing.
constexpr std::string_view kNoRoom[] = {
    "Insufficient",
    "cannot allocate all claims",
    "resource fit failed",
    "no nodes with enough resources were found",
    "Not enough resources for the workload",
    "Resources were found for",  // some of its group, and not for all
};

// Slurm's reasons are one word; what is not known here may be a hold or a limit.
bool is_about_room(std::string_view reason, Scheduler scheduler) {
  if (reason.empty() || reason == "None") return true;
  if (scheduler == Scheduler::kubernetes)
    return std::any_of(std::begin(kNoRoom), std::end(kNoRoom),
                       [&](std::string_view words) { return has(reason, words); });
  return reason == "Resources" || reason == "Priority" || reason == "BadConstraints" ||
         is_about_nodes(reason) || reason.starts_with("Nodes required for job") ||
         reason.starts_with("Nodes_required_for_job");
}

// shape.sharing.rename: what is handed out in shares has a name of its own.
std::string kubernetes_name(const Slice& slice, const sharing::NodeShape& shape) {
  if (slice.kind == SliceKind::vgpu) return sharing::kubernetes_vgpu(slice.profile.text);
  const bool in_parts = slice.kind == SliceKind::mps || slice.kind == SliceKind::shard;
  if (shape.by_pool && in_parts) return std::string(sharing::ack::kMemory);
  const bool shared = shape.sharing.rename && slice.capacity > 1;
  const bool by_profile = !slice.profile.empty() && shape.strategy != sharing::MigStrategy::single;
  return by_profile ? sharing::kubernetes_instance(slice.profile, shared) : sharing::kubernetes_gpu(shared);
}

// The name under which the scheduler hands out a slice; empty: it has none that work can ask for.
std::string name_of(const Slice& slice, const sharing::NodeShape& shape, std::size_t board,
                    Scheduler scheduler) {
  if (scheduler == Scheduler::kubernetes) return kubernetes_name(slice, shape);
  if (!slice.profile.empty() && slice.kind != SliceKind::vgpu) return sharing::slurm_instance(slice.profile);
  switch (slice.kind) {
    case SliceKind::whole_gpu:
      return sharing::slurm_gpu(board < shape.boards.size() ? shape.boards[board].slurm_type : "");
    case SliceKind::mps: return "mps";
    case SliceKind::shard:
    case SliceKind::time_slice: return "shard";
    default: return "";
  }
}

}  // namespace

namespace {

bool alike(const Slice& a, const Slice& b) {
  return a.kind == b.kind && a.profile == b.profile && a.capacity == b.capacity;
}

template <class See>
void each_named(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue, bool once,
                const See& see) {
  sharing::NodeShape shape = sharing::of_node(node, cluster.scheduler, catalogue);
  shape.sharing.rename = sharing::renames_shares(node).value_or(false);
  const bool claimed = cluster.scheduler == Scheduler::kubernetes && sharing::by_claims(node);
  auto look = [&](const Slice& slice, std::size_t board) {
    // Which of AMD's devices a claim means, its expressions say, which are not judged here.
    if (claimed && board < node.gpus.size() && sharing::amd::is_amd(node.gpus[board])) return;
    const std::string name =
        claimed ? sharing::claimed_as(slice.profile) : name_of(slice, shape, board, cluster.scheduler);
    if (!name.empty()) see(slice, board, name);
  };
  auto look_at = [&](const std::vector<Slice>& slices, std::size_t board) {
    for (std::size_t i = 0; i < slices.size(); ++i)
      if (!once || i == 0 || !alike(slices[i - 1], slices[i])) look(slices[i], board);
  };
  for (std::size_t i = 0; i < node.gpus.size(); ++i) look_at(node.gpus[i].slices, i);
  look_at(node.pool, node.gpus.size());
}

}  // namespace

void each_named_slice(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue,
                      const std::function<void(const Slice&, const std::string&)>& see) {
  each_named(cluster, node, catalogue, false,
             [&](const Slice& slice, std::size_t, const std::string& name) { see(slice, name); });
}

void each_slice_name(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue,
                     const std::function<void(const Slice&, std::size_t, const std::string&)>& see) {
  each_named(cluster, node, catalogue, true, see);
}

namespace {

void raise(std::int64_t& most, std::int64_t one) { most = std::max(most, one); }

bool hands_out_one_mps(const Cluster& cluster, const std::vector<const Gpu*>& in_use) {
  return cluster.scheduler == Scheduler::slurm && in_use.size() < 2;
}

}  // namespace

Stock stock_of(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue) {
  const insight::Sight sight = insight::sight_of(cluster, node);
  Stock stock{{node.name, {}, {}}, {node.name, {}, {}}};
  const std::vector<const Gpu*> mps = insight::gpus_whose_mps_is_in_use(cluster, node);
  const bool one_at_a_time = hands_out_one_mps(cluster, mps);
  const auto is_of_other = [&](const Slice& slice) {
    return !mps.empty() && std::none_of(mps.front()->slices.begin(), mps.front()->slices.end(),
                                        [&](const Slice& one) { return &one == &slice; });
  };
  each_named_slice(cluster, node, catalogue, [&](const Slice& slice, const std::string& name) {
    const std::int64_t free = insight::available(sight, slice).value_or(0);
    if (one_at_a_time && slice.kind == SliceKind::mps) {
      raise(stock.all.units[name], slice.capacity);
      if (free > 0 && !is_of_other(slice)) raise(stock.free.units[name], free);
      return;
    }
    stock.all.units[name] += slice.capacity;
    if (free > 0) stock.free.units[name] += free;
  });
  return stock;
}

namespace {

// The first of its requests by which one container asks for several shares.
Start several_of(const std::vector<Request>& wants, const Shares& shares) {
  for (const Request& want : wants) {
    const std::int64_t most = want.largest > 0 ? want.largest : want.count;
    if (most > 1 && shares.names.contains(want.resource)) return {nullptr, most, want.resource};
  }
  return {};
}

using Machines = std::map<NodeName, why::Machine>;

// Hands room out to one workload after the other. Room only shrinks: who asks for the same as one that found
// none finds none either, and need not look again at nodes that had too little.
class Desk {
 public:
  enum class Guess : std::uint8_t { serves, does_not };
  // left: of nodes from which others have taken before. nullptr: only GPUs and slices decide. to_come: what
  // starts may not run into one of these; nullptr: there are none, or they do not matter.
  Desk(std::vector<Room> rooms, const Cluster& cluster, Guess guess, const Machines* left,
       const why::ToCome* to_come)
      : guess_(guess),
        rooms_(std::move(rooms)),
        cluster_(cluster),
        to_come_(to_come),
        scheduler_(cluster.scheduler) {
    std::erase_if(rooms_, [](const Room& room) {
      return std::none_of(room.units.begin(), room.units.end(),
                          [](const auto& one) { return one.second > 0; });
    });
    for (const Room& room : rooms_) {
      nodes_.push_back(cluster.nodes.find(room.node));
      machines_.push_back(machine_of(room, nodes_.back(), left));
    }
  }

  // How many shares it asks for at once in the room that served it last; by name.
  Start several() const { return several_; }

  // Of the nodes from which has been taken.
  Machines machines() const {
    Machines all;
    for (std::size_t i = 0; i < rooms_.size(); ++i)
      if (machines_[i].is_taken()) all.emplace(rooms_[i].node, machines_[i]);
    return all;
  }

  // keep: what it takes is gone for those behind it. Where it is not known whether it may use a node, it is
  // served there by guess alone (several().sure).
  bool serve(const Workload& workload, bool keep = true) {
    const Ask ask{&workload, wants_of(workload), nodes_of(workload), why::machine_needs(cluster_, workload)};
    if (ask.wants.empty() || rooms_.empty()) return false;
    Search& search = searches_[key_of(workload)];
    const bool guesses = guess_ == Guess::serves;
    if ((guesses ? search.guessed : search.sure).unserved.covers(ask.machine(!guesses))) return false;
    std::vector<std::size_t> found = find(search, search.sure, ask, true);
    const bool sure = ask.is_enough(found);
    if (!sure && guesses) found = find(search, search.guessed, ask, false);
    if (!ask.is_enough(found)) {
      search.may_use.reset();  // of thousands that name nodes each
      return false;
    }
    several_ = several_of(ask.wants, rooms_[found.front()].shares);
    several_.workload = &workload;
    several_.sure = sure;
    if (keep)
      for (std::size_t i : found) take(i, ask, true);
    return true;
  }

 private:
  struct Ask {
    const Workload* workload;
    std::vector<Request> wants;
    int nodes;
    why::MachineNeeds needs;
    // Of each node. sure: with so much it starts; else with less it does not.
    const why::MachineNeed& machine(bool sure) const { return sure ? needs.enough : needs.least; }
    bool is_enough(const std::vector<std::size_t>& found) const {
      return static_cast<int>(found.size()) == nodes;
    }
  };
  // Rooms for those who ask for the same GPUs, whatever they ask for beside them.
  struct Line {
    std::vector<std::size_t> able;  // of those before `next`: may be used, and had the GPUs at the first look
    std::vector<bool> gone;         // of each of these: others have taken the GPUs since
    std::size_t next = 0;           // the first that has not been looked at
    std::map<why::MachineNeed, std::size_t> from;  // of `able`: those before it do not serve that need
    why::Unserved unserved;
  };
  struct Search {
    std::optional<why::MayUse> may_use;
    Line sure, guessed;
  };

  static why::Machine machine_of(const Room& room, const Node* node, const Machines* left) {
    if (node == nullptr || left == nullptr) return {};
    const auto taken = left->find(room.node);
    why::Machine machine = taken == left->end() ? why::Machine(*node) : taken->second;
    for (int i = 0; i < room.ended; ++i) machine.give_back_untold();
    return machine;
  }

  // The first rooms that serve it, at most so many. sure: of those that it may use for certain.
  std::vector<std::size_t> find(Search& search, Line& line, const Ask& ask, bool sure) {
    std::vector<std::size_t> found;
    const why::MachineNeed& need = ask.machine(sure);
    if (line.unserved.covers(need)) return found;
    look_again(line, ask, need, found);
    for (; line.next < rooms_.size() && !ask.is_enough(found); ++line.next) {
      if (!search.may_use) search.may_use.emplace(cluster_, *ask.workload, to_come_);
      const std::size_t at = line.next;
      if (!admits(at, *search.may_use, sure) || !take(at, ask, false)) continue;
      line.able.push_back(at), line.gone.push_back(false);
      if (machines_[at].has(need)) found.push_back(at);
    }
    if (!ask.is_enough(found)) line.unserved.add(need);
    return found;
  }

  // A room without the CPUs for one may have them for another: who asks for the same does not look again at
  // those at the front that had too little. One without the GPUs has them for none of the line.
  void look_again(Line& line, const Ask& ask, const why::MachineNeed& need, std::vector<std::size_t>& found) {
    std::size_t& from = line.from[need];
    for (std::size_t seen = from; seen < line.able.size() && !ask.is_enough(found); ++seen) {
      const std::size_t at = line.able[seen];
      const bool has_machine = !line.gone[seen] && machines_[at].has(need);
      if (has_machine) line.gone[seen] = !take(at, ask, false);
      if (has_machine && !line.gone[seen])
        found.push_back(at);
      else if (found.empty())
        from = seen + 1;
    }
  }

  std::vector<Request> wants_of(const Workload& workload) const {
    std::vector<Request> wants;
    for (const Request& request : workload.requests)
      if (request.count > 0 && sharing::parse_resource(request.resource, scheduler_))
        wants.push_back(request);
    return wants;
  }
  int nodes_of(const Workload& workload) const {
    return scheduler_ == Scheduler::slurm ? std::max(1, workload.node_count) : 1;
  }
  // What decides which nodes it may use, and which GPUs it takes there.
  std::string key_of(const Workload& workload) const {
    std::string key = why::reach_of(workload, scheduler_);
    if (to_come_) key += '\n' + std::to_string(to_come_->reach_of(workload));
    for (const Request& one : workload.requests)
      key += '\n' + one.resource + '*' + std::to_string(one.count) + '*' + std::to_string(one.largest);
    return key;
  }

  bool admits(std::size_t at, why::MayUse& may_use, bool sure) const {
    const Node* node = nodes_[at];
    return node != nullptr && may_use(*node) && (!sure || may_use.is_sure(*node));
  }

  // Its GPUs and slices; keep: with what it takes beside them.
  bool take(std::size_t at, const Ask& ask, bool keep) {
    if (rooms_[at].shares.refuse_several && several_of(ask.wants, rooms_[at].shares).shares > 1) return false;
    Counts left = rooms_[at].units;
    for (const Request& want : ask.wants) {
      std::int64_t need = (want.count + ask.nodes - 1) / ask.nodes, there = 0;
      for (const auto& [name, count] : left)
        if (matches(want.resource, name)) there += count;
      if (there < need) return false;
      // By name the small instances come before the whole GPUs: those are left to work that names them.
      for (auto& [name, count] : left) {
        if (count <= 0 || !matches(want.resource, name)) continue;
        const std::int64_t taken = std::min(count, need);
        count -= taken, need -= taken;
      }
    }
    if (!keep) return true;
    rooms_[at].units = std::move(left);
    machines_[at].take(ask.needs.enough);
    return true;
  }
  bool matches(const std::string& requested, const std::string& offered) {
    auto [place, fresh] = matches_.try_emplace(std::pair(requested, offered));
    if (fresh) place->second = answers(requested, offered, scheduler_);
    return place->second;
  }

  Guess guess_;
  std::vector<Room> rooms_;
  std::vector<const Node*> nodes_;      // of each room; nullptr: no longer listed
  std::vector<why::Machine> machines_;  // of each room
  const Cluster& cluster_;
  const why::ToCome* to_come_;
  Scheduler scheduler_;
  Start several_;
  std::map<std::string, Search> searches_;
  std::map<std::pair<std::string, std::string>, bool> matches_;
};

}  // namespace

bool waits_for_room(const Workload& workload, Scheduler scheduler) {
  // Kueue's own words tell of its quotas, which are no room on nodes.
  return workload.state == WorkloadState::pending && !waits_for_kueue(workload) &&
         is_about_room(workload.reason, scheduler);
}

namespace {

// Each task of an array takes room. false: there is not enough for all of them.
bool serve_all(Desk& desk, const Workload& workload) {
  for (int task = 0; task < workload.tasks; ++task)
    if (!desk.serve(workload)) return false;
  return true;
}

}  // namespace

std::shared_ptr<const why::ToCome> reservations_to_come(const Cluster& cluster) {
  auto all = std::make_shared<const why::ToCome>(cluster, last_told(cluster));
  return all->all().empty() ? nullptr : all;
}

Queue queue_of(const Cluster& cluster, const mig::Catalogue& catalogue) {
  Queue queue;
  queue.scheduler = cluster.scheduler;
  std::vector<const Workload*> waiting;
  for (const Workload& workload : cluster.workloads.all())
    if (waits_for_room(workload, cluster.scheduler) && !workload.requests.empty())
      waiting.push_back(&workload);
  if (waiting.empty()) return queue;
  std::sort(waiting.begin(), waiting.end(), waits_longer);
  queue.to_come = reservations_to_come(cluster);
  std::vector<Room> all, free;
  for (const Node& node : cluster.nodes.all()) {
    // What is free there may be had by the jobs that name its reservation.
    const std::optional<Node> let_in = why::as_let_in(node);
    Stock stock = stock_of(cluster, let_in ? *let_in : node, catalogue);
    all.push_back(std::move(stock.all)), free.push_back(std::move(stock.free));
  }
  // What may run now, or may not, is neither served nor in the way of others.
  Desk now(std::move(free), cluster, Desk::Guess::does_not, &queue.machines, queue.to_come.get());
  Desk ever(std::move(all), cluster, Desk::Guess::does_not, nullptr, nullptr);
  for (const Workload* workload : waiting) {
    if (serve_all(now, *workload)) continue;
    // What slices exist for is kept waiting by a constraint that no slice mends.
    if (workload->reason == "BadConstraints" && ever.serve(*workload, false)) continue;
    queue.waiting.push_back(workload);
  }
  queue.machines = now.machines();
  return queue;
}

namespace {

std::vector<Start> play(const Cluster& cluster, const Queue& queue, std::vector<Room> gained,
                        Desk::Guess guess) {
  Desk desk(std::move(gained), cluster, guess, &queue.machines, queue.to_come.get());
  std::vector<Start> all;
  for (const Workload* workload : queue.waiting)
    if (desk.serve(*workload)) {
      all.push_back(desk.several());
      for (int task = 1; task < workload->tasks && desk.serve(*workload); ++task) continue;
    }
  return all;
}

}  // namespace

Fitting fitting(const Cluster& cluster, const Queue& queue, const std::vector<Room>& gained) {
  const std::vector<Start> guessed = play(cluster, queue, gained, Desk::Guess::serves);
  const bool sure = std::all_of(guessed.begin(), guessed.end(), [](const Start& one) { return one.sure; });
  if (sure) return {static_cast<int>(guessed.size()), 0};
  // What is served only if such work takes no room, or only by guess, may fit and may not.
  std::set<const Workload*> certain, possible;
  for (const Start& one : guessed) (one.sure ? certain : possible).insert(one.workload);
  for (const Start& one : play(cluster, queue, gained, Desk::Guess::does_not)) possible.insert(one.workload);
  for (const Workload* one : certain) possible.erase(one);
  return {static_cast<int>(certain.size()), static_cast<int>(possible.size())};
}

std::vector<Start> starts(const Cluster& cluster, const Queue& queue, std::vector<Room> gained) {
  return play(cluster, queue, std::move(gained), Desk::Guess::does_not);
}

std::vector<const Workload*> starting(const Cluster& cluster, const Queue& queue, std::vector<Room> gained) {
  std::vector<const Workload*> all;
  for (const Start& one : starts(cluster, queue, std::move(gained))) all.push_back(one.workload);
  return all;
}

std::vector<Start> refused(const Queue& queue, const Shares& shares) {
  std::vector<Start> all;
  if (!shares.refuse_several || shares.names.empty()) return all;
  for (const Workload* workload : queue.waiting) {
    Start one = several_of(workload->requests, shares);
    one.workload = workload;
    if (one.shares > 1) all.push_back(std::move(one));
  }
  return all;
}

Counts at_once(const Cluster& cluster, const NodeName& name, Counts offered) {
  const auto mps = offered.find("mps");
  if (mps == offered.end()) return offered;
  const Node* node = cluster.nodes.find(name);
  if (!hands_out_one_mps(
          cluster, node ? insight::gpus_whose_mps_is_in_use(cluster, *node) : std::vector<const Gpu*>{}))
    return offered;
  std::int64_t of_one = 0;
  if (node != nullptr)
    for (const Gpu& gpu : node->gpus)
      for (const Slice& slice : gpu.slices)
        if (slice.kind == SliceKind::mps) raise(of_one, slice.capacity);
  mps->second = std::min<std::int64_t>(mps->second, of_one > 0 ? of_one : sharing::kMpsPercent);
  return offered;
}

Room gained(const Cluster& cluster, const Node& node, const Counts& before, const Counts& after,
            Shares shares) {
  Room room{node.name, {}, std::move(shares)};
  const std::optional<Node> let_in = why::as_let_in(node);
  if (insight::sight_of(cluster, let_in ? *let_in : node).access != insight::Access::open) return room;
  room.units = at_once(cluster, node.name, after);
  for (const auto& [name, count] : at_once(cluster, node.name, before)) room.units[name] -= count;
  return room;
}

}  // namespace tessera::plan
