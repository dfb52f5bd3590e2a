#include "engine/whatif/stage.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/insight/available.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/model/het_job.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/slurm_time.hpp"
#include "engine/why/may_use.hpp"

namespace tessera::whatif {
namespace {

// What part of a GPU an instance of that profile is, on a node that has such a product.
std::optional<double> part_of(const Node& node, const ProfileName& profile, const mig::Catalogue& catalogue) {
  for (const Gpu& gpu : node.gpus) {
    const mig::Product* product = mig::product_of(gpu, catalogue);
    const mig::Profile* found = product ? product->find(profile.view()) : nullptr;
    if (found && product->compute_slices > 0)
      return static_cast<double>(found->compute_slices) / product->compute_slices;
  }
  return std::nullopt;
}

std::optional<double> worth_of_slice(const Node& node, SliceKind kind, const ProfileName& profile,
                                     int capacity, const mig::Catalogue& catalogue) {
  if (capacity <= 0) return std::nullopt;
  const std::optional<double> part =
      kind == SliceKind::gpu_instance ? part_of(node, profile, catalogue) : std::optional(1.0);
  return part ? std::optional(*part / capacity) : std::nullopt;
}

// By the words of a plan, of a resource that the node does not have yet.
std::optional<double> worth_after(const plan::NodePlan& planned, const Node& node, const std::string& name,
                                  Scheduler scheduler, const mig::Catalogue& catalogue) {
  const auto parsed = sharing::parse_resource(name, scheduler);
  if (!parsed) return std::nullopt;
  for (const auto* slices : {&planned.created, &planned.kept})
    for (const plan::SlicePlan& slice : *slices) {
      const bool same = parsed->profile ? slice.profile == *parsed->profile : slice.profile.empty();
      if (same) return worth_of_slice(node, slice.kind, slice.profile, slice.capacity, catalogue);
    }
  return std::nullopt;
}

// Numbers of the names that answer what is asked, in the order in which they are taken.
void answer(Asked& asked, const Names& names, Scheduler scheduler) {
  asked.names.clear();
  for (const Request& one : asked.each) {
    std::vector<std::pair<std::string, std::size_t>> found;
    for (std::size_t i = 0; i < names.all().size(); ++i)
      if (plan::answers(one.resource, names.all()[i], scheduler)) found.emplace_back(names.all()[i], i);
    std::sort(found.begin(), found.end());
    asked.names.emplace_back();
    for (const auto& [name, number] : found) asked.names.back().push_back(number);
  }
}

// Every value is as long as there are names.
void level(Board& board) {
  const std::size_t count = board.names.all().size();
  for (Place& one : board.places) one.units.resize(count), one.all.resize(count), one.worth.resize(count);
  for (Running& run : board.running)
    for (Held& held : run.held) held.units.resize(count);
}

// Nodes that differ in nothing by which work may use them, unless it names nodes.
class Kinds {
 public:
  // Labels of Kubernetes decide nothing here, and some sites give each node one of its own.
  Kinds(const std::vector<Place>& places, Scheduler scheduler) {
    const std::vector<std::string> none;
    for (const Place& place : places) {
      const Node& node = *place.node;
      const auto& features = scheduler == Scheduler::slurm ? node.features : none;
      // Slurm 22.05 does not tell in which: then it may be in another one than all others.
      const bool in_some = insight::is_reserved(node) && node.reservation.empty();
      const auto [at, fresh] = known_.try_emplace(
          {node.partitions, features, node.taints, in_some ? "\n" + node.name.text : node.reservation},
          known_.size());
      if (fresh) first_.push_back(&node);
      kinds_.push_back(at->second);
    }
  }
  Places that_may(const std::vector<Place>& places, why::MayUse may) const {
    Places all(places.size());
    if (may.names_nodes()) {
      for (std::size_t i = 0; i < places.size(); ++i) all.set(i, may(*places[i].node));
      return all;
    }
    std::vector<bool> of_kind;
    for (const Node* node : first_) of_kind.push_back(may(*node));
    for (std::size_t i = 0; i < places.size(); ++i) all.set(i, of_kind[kinds_[i]]);
    return all;
  }

 private:
  using Key =
      std::tuple<std::vector<std::string>, std::vector<std::string>, std::vector<std::string>, std::string>;
  std::map<Key, std::size_t> known_;
  std::vector<const Node*> first_;  // of each kind
  std::vector<std::size_t> kinds_;  // by place
};

class Builder {
 public:
  explicit Builder(const Question& question)
      : question_(question), cluster_(*question.cluster), catalogue_(*question.catalogue) {}

  Stage build() {
    stage_.to_come = why::ToCome(cluster_, question_.now);
    board_.open = Places(cluster_.nodes.size());
    for (const Node& node : cluster_.nodes.all()) place(node);
    level(board_);
    line();
    stage_.start = std::move(board_);
    return std::move(stage_);
  }

 private:
  void set(Units& units, std::size_t name, std::int64_t more) {
    if (units.size() <= name) units.resize(name + 1);
    units[name] += more;
  }

  void place(const Node& node) {
    Place one;
    one.node = &node;
    one.machine = why::Machine(node);
    one.to_come = stage_.to_come.on(node);
    stage_.place_of.emplace(node.name, board_.places.size());
    // In a reservation it is open to the jobs that name it alone: which may use it is worked out for each.
    const std::optional<Node> let_in = why::as_let_in(node);
    const Node& seen = let_in ? *let_in : node;
    board_.open.set(board_.places.size(), insight::sight_of(cluster_, seen).access == insight::Access::open);
    const plan::Stock stock = why::stock_now(cluster_, seen, catalogue_);
    std::map<WorkloadId, Units> held;
    plan::each_named_slice(cluster_, node, catalogue_, [&](const Slice& slice, const std::string& name) {
      const std::size_t number = board_.names.of(name);
      if (one.worth.size() <= number) one.worth.resize(number + 1);
      if (!one.worth[number])
        one.worth[number] = worth_of_slice(node, slice.kind, slice.profile, slice.capacity, catalogue_);
      if (!slice.exact) return;
      for (const Holder& holder : slice.holders)
        set(held[holder.workload], number, slice.capacity == 1 ? 1 : holder.share);
    });
    for (const auto& [name, count] : stock.free.units) set(one.units, board_.names.of(name), count);
    for (const auto& [name, count] : stock.all.units) set(one.all, board_.names.of(name), count);
    for (const WorkloadId& id : node.workloads)
      if (const Workload* work = cluster_.workloads.find(id)) hold(*work, node, stock.all.units, held[id]);
    board_.places.push_back(std::move(one));
  }

  // units: what it holds slice by slice, where that is told; else what its allocation counts.
  void hold(const Workload& work, const Node& node, const plan::Counts& all, Units units) {
    if (std::all_of(units.begin(), units.end(), [](std::int64_t count) { return count == 0; }))
      for (const Allocation& one : work.allocations) {
        if (one.node != node.name || one.count <= 0) continue;
        const std::string want = one.family == Family::mps     ? "mps"
                                 : one.family == Family::shard ? "shard"
                                 : one.type.empty()            ? "gpu"
                                                               : "gpu:" + one.type;
        for (const auto& [name, count] : all)
          if (plan::answers(want, name, cluster_.scheduler)) {
            set(units, board_.names.of(name), std::min<std::int64_t>(one.count, count));
            break;
          }
      }
    auto [at, fresh] = stage_.running_of.try_emplace(work.id, board_.running.size());
    if (fresh) board_.running.push_back({work.id, end_of(work), {}, false});
    board_.running[at->second].held.push_back({board_.places.size(), std::move(units)});
  }

  // What is on its way out, or past its limit, is gone in a moment.
  std::optional<TimePoint> end_of(const Workload& work) const {
    const TimePoint moment = question_.now + std::chrono::minutes(1);
    if (work.state == WorkloadState::completing) return moment;
    if (!work.ends) return std::nullopt;
    return std::max(*work.ends, moment);
  }

  void line() {
    std::vector<const Workload*> waiting;
    for (const Workload& work : cluster_.workloads.all()) {
      if (work.state != WorkloadState::pending) continue;
      const bool selective = why::is_selective(work, cluster_.scheduler) || why::has_unread_features(work);
      const bool untold = selective || why::is_short_of_machine(work, cluster_.scheduler);
      // Components of a heterogeneous job start together, and a play starts each by itself.
      const bool component = cluster_.scheduler == Scheduler::slurm && het_job_of(work.id.text).has_value();
      // It starts when its reservation begins, which opens its nodes to it alone: that is not played.
      const bool begins_later = why::OwnReservations(cluster_, work).all_begin_after(question_.now);
      if (plan::waits_for_room(work, cluster_.scheduler) && !untold && !component && !begins_later &&
          !why::asked_of(work, cluster_.scheduler).each.empty())
        waiting.push_back(&work);
      else
        ++stage_.left_out;
    }
    const auto key = [](const Workload* one) {
      return std::tuple(-one->priority.value_or(0), one->submitted.value_or(TimePoint::max()),
                        one->id.view());
    };
    std::sort(waiting.begin(), waiting.end(),
              [&](const Workload* a, const Workload* b) { return key(a) < key(b); });
    kinds_.emplace(board_.places, cluster_.scheduler);
    for (const Workload* work : waiting) {
      const auto room = static_cast<int>(kMostWaiting - stage_.line.size());
      stage_.left_out += std::max(0, work->tasks - room);
      if (room > 0) stage_.line.insert(stage_.line.end(), std::min(work->tasks, room), {work, shape(*work)});
    }
  }

  // How long it may run: by its own limit, or else by those of its partitions; nullopt: without bound.
  std::optional<Duration> longest_run(const Workload& work) const {
    if (work.limit || cluster_.scheduler != Scheduler::slurm) return work.limit;
    std::optional<Duration> longest;
    const std::string wanted = "," + work.group + ",";
    for (const Partition& one : cluster_.partitions) {
      if (wanted.find("," + one.name + ",") == std::string::npos) continue;
      const std::optional<Duration> limit = slurm_time_limit(one.max_time);
      if (!limit) return std::nullopt;
      longest = std::max(longest.value_or(*limit), *limit);
    }
    return longest;
  }

  std::size_t shape(const Workload& work) {
    const why::Asked asked = why::asked_of(work, cluster_.scheduler);
    const bool slurm = cluster_.scheduler == Scheduler::slurm;
    std::string key = work.group + '\n' + std::to_string(asked.nodes) + '\n';
    if (work.needs)
      key += '\n' + work.needs->nodes + '\n' + work.needs->excluded + '\n' + work.needs->features + '\n' +
             work.needs->reservation;
    if (!slurm) key += '\n' + work.reason;  // names the taints that repel it
    for (const Request& one : asked.each) key += '\n' + one.resource + '*' + std::to_string(one.count);
    const std::optional<Duration> limit = longest_run(work);
    const why::MachineNeed machine = why::machine_needs(cluster_, work).enough;
    const auto [like, first] = likes_.try_emplace(key, stage_.rooms.size());
    const auto [room, unknown] = rooms_.try_emplace({like->second, machine}, stage_.rooms.size());
    if (unknown)
      stage_.rooms.push_back({number_of(asked.each), asked.nodes, slurm ? work.group : std::string(),
                              first ? kinds_->that_may(board_.places, why::MayUse(cluster_, work))
                                    : stage_.rooms[like->second].allowed,
                              machine, like->second, why::OwnReservations(cluster_, work)});
    const auto [at, fresh] = shapes_.try_emplace({room->second, limit}, stage_.shapes.size());
    if (fresh) stage_.shapes.push_back({room->second, limit});
    return at->second;
  }

  std::size_t number_of(const std::vector<Request>& each) {
    std::string key;
    for (const Request& one : each) key += one.resource + '*' + std::to_string(one.count) + '\n';
    const auto [at, fresh] = asked_.try_emplace(key, board_.asked.size());
    if (fresh) {
      board_.asked.push_back({each, {}});
      answer(board_.asked.back(), board_.names, cluster_.scheduler);
    }
    return at->second;
  }

  const Question& question_;
  const Cluster& cluster_;
  const mig::Catalogue& catalogue_;
  std::map<std::string, std::size_t> likes_, asked_;
  std::map<std::pair<std::size_t, why::MachineNeed>, std::size_t> rooms_;
  std::map<std::pair<std::size_t, std::optional<Duration>>, std::size_t> shapes_;
  std::optional<Kinds> kinds_;
  Board board_;
  Stage stage_;
};

}  // namespace

Stage stage_of(const Question& question) { return Builder(question).build(); }

void add_names(Board& board, const Stage& stage, const plan::Plan& plan, const Question& question) {
  const Scheduler scheduler = question.cluster->scheduler;
  const std::size_t known = board.names.all().size();
  for (const plan::NodePlan& planned : plan.nodes) {
    const auto at = stage.place_of.find(planned.node);
    if (at == stage.place_of.end()) continue;
    Place& place = board.places[at->second];
    for (const auto& [name, count] : planned.offered_after.by(scheduler)) {
      const std::size_t number = board.names.of(name);
      if (place.worth.size() <= number) place.worth.resize(number + 1);
      if (!place.worth[number])
        place.worth[number] = worth_after(planned, *place.node, name, scheduler, *question.catalogue);
    }
  }
  if (board.names.all().size() == known) return;
  level(board);
  for (Asked& one : board.asked) answer(one, board.names, scheduler);
}

void give_back(why::Machine& machine, const Held& held) {
  if (held.machine)
    machine.give_back(*held.machine);
  else
    machine.give_back_untold();
}

bool serves(const Units& units, const Asked& asked) {
  // One request after the other, out of what the earlier ones leave.
  if (asked.names.size() == 1) {
    std::int64_t there = 0;
    for (const std::size_t name : asked.names[0]) there += std::max<std::int64_t>(0, units[name]);
    return there >= asked.each[0].count;
  }
  Units left = units;
  for (std::size_t i = 0; i < asked.names.size(); ++i) {
    std::int64_t need = asked.each[i].count;
    for (const std::size_t name : asked.names[i]) {
      const std::int64_t taken = std::clamp<std::int64_t>(left[name], 0, need);
      left[name] -= taken, need -= taken;
    }
    if (need > 0) return false;
  }
  return true;
}

Units taken_by(const Units& units, const Asked& asked) {
  Units left = units, taken(units.size());
  for (std::size_t i = 0; i < asked.names.size(); ++i) {
    std::int64_t need = asked.each[i].count;
    for (const std::size_t name : asked.names[i]) {
      const std::int64_t some = std::clamp<std::int64_t>(left[name], 0, need);
      left[name] -= some, need -= some, taken[name] += some;
    }
  }
  return taken;
}

std::optional<double> worth_of(const std::vector<Place>& places, const std::vector<Held>& held) {
  double sum = 0;
  for (const Held& one : held)
    for (std::size_t i = 0; i < one.units.size(); ++i) {
      if (one.units[i] == 0) continue;
      const std::optional<double>& worth = places[one.place].worth[i];
      if (!worth) return std::nullopt;
      sum += *worth * static_cast<double>(one.units[i]);
    }
  return sum;
}

}  // namespace tessera::whatif
