#include <algorithm>
#include <utility>

#include "engine/insight/available.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/slurm_time.hpp"
#include "engine/why/may_use.hpp"
#include "tests/engine/whatif/plain_play.hpp"

namespace tessera::test::plain {
namespace {

// What part of a GPU an instance of that profile is, on a node that has such a product.
std::optional<double> part_of(const Node& node, const ProfileName& profile, const mig::Catalogue& catalogue) {
  for (const Gpu& gpu : node.gpus) {
    const mig::Product* product = gpu.product ? catalogue.by_key(gpu.product->text) : nullptr;
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

class Builder {
 public:
  Builder(const Question& question, const plan::Plan* plan)
      : question_(question), cluster_(*question.cluster), catalogue_(*question.catalogue), plan_(plan) {}

  Stage build() {
    for (const Node& node : cluster_.nodes.all()) place(node);
    if (plan_) names_of_plan();
    for (Place& one : stage_.places) {
      one.units.resize(stage_.names.all().size());
      one.all.resize(stage_.names.all().size());
      one.worth.resize(stage_.names.all().size());
    }
    for (Running& run : stage_.running)
      for (Held& held : run.held) held.units.resize(stage_.names.all().size());
    line();
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
    one.open = insight::sight_of(cluster_, node).access == insight::Access::open;
    const plan::Stock stock = why::stock_now(cluster_, node, catalogue_);
    std::map<WorkloadId, Units> held;
    plan::each_named_slice(cluster_, node, catalogue_, [&](const Slice& slice, const std::string& name) {
      const std::size_t number = stage_.names.of(name);
      if (one.worth.size() <= number) one.worth.resize(number + 1);
      if (!one.worth[number])
        one.worth[number] = worth_of_slice(node, slice.kind, slice.profile, slice.capacity, catalogue_);
      if (!slice.exact) return;
      for (const Holder& holder : slice.holders)
        set(held[holder.workload], number, slice.capacity == 1 ? 1 : holder.share);
    });
    for (const auto& [name, count] : stock.free.units) set(one.units, stage_.names.of(name), count);
    for (const auto& [name, count] : stock.all.units) set(one.all, stage_.names.of(name), count);
    for (const WorkloadId& id : node.workloads)
      if (const Workload* work = cluster_.workloads.find(id)) hold(*work, node, stock.all.units, held[id]);
    stage_.places.push_back(std::move(one));
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
            set(units, stage_.names.of(name), std::min<std::int64_t>(one.count, count));
            break;
          }
      }
    auto [at, fresh] = runs_.try_emplace(work.id, stage_.running.size());
    if (fresh) stage_.running.push_back({work.id, end_of(work), {}, false});
    stage_.running[at->second].held.push_back({stage_.places.size(), std::move(units)});
  }

  // What is on its way out, or past its limit, is gone in a moment.
  std::optional<TimePoint> end_of(const Workload& work) const {
    const TimePoint moment = question_.now + std::chrono::minutes(1);
    if (work.state == WorkloadState::completing) return moment;
    if (!work.ends) return std::nullopt;
    return std::max(*work.ends, moment);
  }

  void names_of_plan() {
    for (const plan::NodePlan& planned : plan_->nodes) {
      const auto at = std::find_if(stage_.places.begin(), stage_.places.end(),
                                   [&](const Place& one) { return one.node->name == planned.node; });
      if (at == stage_.places.end()) continue;
      for (const auto& [name, count] : planned.offered_after.by(cluster_.scheduler)) {
        const std::size_t number = stage_.names.of(name);
        if (at->worth.size() <= number) at->worth.resize(number + 1);
        if (!at->worth[number])
          at->worth[number] = worth_after(planned, *at->node, name, cluster_.scheduler, catalogue_);
      }
    }
  }

  void line() {
    std::vector<const Workload*> waiting;
    for (const Workload& work : cluster_.workloads.all()) {
      if (work.state != WorkloadState::pending) continue;
      // Which nodes a pod's selector, CPUs or memory leave it is not in the lists that are read.
      const bool untold = cluster_.scheduler == Scheduler::kubernetes &&
                          (work.reason.find("didn't match") != std::string::npos ||
                           work.reason.find("Insufficient cpu") != std::string::npos ||
                           work.reason.find("Insufficient memory") != std::string::npos);
      if (why::has_unread_features(work)) {
        ++stage_.left_out;
        continue;
      }
      if (plan::waits_for_room(work, cluster_.scheduler) && !untold &&
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
    if (waiting.size() > whatif::kMostWaiting) {
      stage_.left_out += static_cast<int>(waiting.size() - whatif::kMostWaiting);
      waiting.resize(whatif::kMostWaiting);
    }
    for (const Workload* work : waiting) stage_.line.push_back({work, shape(*work), false});
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
    const std::size_t room = rooms_.try_emplace(key, rooms_.size()).first->second;
    const auto [at, fresh] = shapes_.try_emplace({room, limit}, stage_.shapes.size());
    if (!fresh) return at->second;
    Shape shape{asked, {}, limit, slurm ? work.group : std::string(), {}, room};
    for (const Request& one : asked.each) {
      std::vector<std::pair<std::string, std::size_t>> found;
      for (std::size_t i = 0; i < stage_.names.all().size(); ++i)
        if (plan::answers(one.resource, stage_.names.all()[i], cluster_.scheduler))
          found.emplace_back(stage_.names.all()[i], i);
      std::sort(found.begin(), found.end());
      shape.names.emplace_back();
      for (const auto& [name, number] : found) shape.names.back().push_back(number);
    }
    for (const Place& one : stage_.places) shape.allowed.push_back(why::MayUse(cluster_, work)(*one.node));
    stage_.shapes.push_back(std::move(shape));
    return at->second;
  }

  const Question& question_;
  const Cluster& cluster_;
  const mig::Catalogue& catalogue_;
  const plan::Plan* plan_;
  std::map<WorkloadId, std::size_t> runs_;
  std::map<std::string, std::size_t> rooms_;
  std::map<std::pair<std::size_t, std::optional<Duration>>, std::size_t> shapes_;
  Stage stage_;
};

}  // namespace

Stage stage_of(const Question& question, const plan::Plan* plan) { return Builder(question, plan).build(); }

bool serves(const Units& units, const Shape& shape) {
  // One request after the other, out of what the earlier ones leave.
  if (shape.names.size() == 1) {
    std::int64_t there = 0;
    for (const std::size_t name : shape.names[0]) there += std::max<std::int64_t>(0, units[name]);
    return there >= shape.asked.each[0].count;
  }
  Units left = units;
  for (std::size_t i = 0; i < shape.names.size(); ++i) {
    std::int64_t need = shape.asked.each[i].count;
    for (const std::size_t name : shape.names[i]) {
      const std::int64_t taken = std::clamp<std::int64_t>(left[name], 0, need);
      left[name] -= taken, need -= taken;
    }
    if (need > 0) return false;
  }
  return true;
}

Units taken_by(const Units& units, const Shape& shape) {
  Units left = units, taken(units.size());
  for (std::size_t i = 0; i < shape.names.size(); ++i) {
    std::int64_t need = shape.asked.each[i].count;
    for (const std::size_t name : shape.names[i]) {
      const std::int64_t some = std::clamp<std::int64_t>(left[name], 0, need);
      left[name] -= some, need -= some, taken[name] += some;
    }
  }
  return taken;
}

std::optional<double> worth_of(const Stage& stage, const std::vector<Held>& held) {
  double sum = 0;
  for (const Held& one : held)
    for (std::size_t i = 0; i < one.units.size(); ++i) {
      if (one.units[i] == 0) continue;
      const std::optional<double>& worth = stage.places[one.place].worth[i];
      if (!worth) return std::nullopt;
      sum += *worth * static_cast<double>(one.units[i]);
    }
  return sum;
}

}  // namespace tessera::test::plain
