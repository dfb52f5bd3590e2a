#include "engine/fleet/demand.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/slinky.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/refused.hpp"
#include "engine/pack/whole.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/sharing/amd.hpp"

namespace tessera::fleet {
namespace {

using Counts = std::map<std::string, int>;  // instances, by profile; and whole GPUs

// None of AMD's: no demand means their whole GPUs.
Counts instances_on(const Node& node) {
  Counts counts;
  if (sharing::amd::is_amd(node)) return counts;
  const auto count = [&](const Slice& slice) {
    if (slice.kind == SliceKind::gpu_instance) ++counts[slice.profile.text];
    if (slice.kind == SliceKind::whole_gpu && slice.capacity == 1) ++counts[std::string(pack::kWhole)];
  };
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices) count(slice);
  for (const Slice& slice : node.pool) count(slice);
  return counts;
}

// Of these, those that a plan may destroy: they are the planner's business.
Counts idle_on(const pack::Problem& problem) {
  Counts counts;
  for (const pack::Board& board : problem.boards) {
    if (board.whole) ++counts[std::string(pack::kWhole)];
    for (const pack::Instance& one : board.instances)
      if (!one.held)
        ++counts[problem.products[board.product]
                     ->profiles[static_cast<std::size_t>(one.placed.profile)]
                     .name.text];
  }
  return counts;
}

void ask_for(pack::Problem& problem, const Rule& rule, Counts there) {
  const Counts idle = idle_on(problem);
  for (const auto& [profile, count] : rule.demand) {
    auto loose = idle.find(profile);
    const int fixed = there[profile] - (loose == idle.end() ? 0 : loose->second);
    if (count > fixed) problem.demand.push_back({ProfileName(profile), std::nullopt, count - fixed});
  }
}

using ByName = std::map<NodeName, NodeSurvey*>;

void add_board(const pack::Problem& problem, const pack::BoardPlan& plan, const ByName& nodes) {
  const pack::Board& board = problem.boards[plan.board];
  const auto at = nodes.find(board.node);
  const Gpu* gpu = at == nodes.end() ? nullptr : plan::find_gpu(*at->second->node, board.gpu);
  if (!gpu) return;
  BoardSurvey one;
  one.gpu = board.gpu;
  one.standing = Standing::drifts;
  one.wanted = plan.to_whole ? plan::Wish()
                             : plan::wish_of(*problem.products[board.product], pack::layout_after(plan));
  one.made = plan::state_of(*gpu);
  for (const pack::Instance& instance : board.instances) one.held += instance.held;
  at->second->boards.push_back(std::move(one));
}

struct Packed {
  pack::Problem problem;
  pack::Answer answer;
  std::map<NodeName, std::string> refused;  // nodes that no plan changes, by the reason
};

// What the pool lacks, without those nodes: what stands on one that no plan changes counts as there.
pack::Problem lacking(const Rule& rule, const pack::ReadFrom& from, const std::vector<NodeName>& nodes,
                      const Counts& there, const std::map<NodeName, std::string>& refused) {
  pack::Problem problem =
      pack::problem_of(from.cluster, nodes, from.catalogue, from.can, std::nullopt, std::nullopt, &refused)
          .problem;
  problem.spare.clear();  // they stand, which is what a pool asks for: counted with what is held
  ask_for(problem, rule, there);
  return problem;
}

// first: the answer to what the pool lacks. nullopt: without nodes that no plan changes it lacks nothing.
// Where no node could be changed, those of the first answer drift, each with the reason why no plan changes
// it.
Result<std::optional<Packed>> packed_without_refused(const Rule& rule, const pack::ReadFrom& from,
                                                     const std::vector<NodeName>& nodes, const Counts& there,
                                                     const Packed& first) {
  Packed packed = first;
  const pack::Again again = [&](const auto& refused) -> Result<std::optional<pack::Answer>> {
    packed.refused.insert(refused.begin(), refused.end());
    packed.problem = lacking(rule, from, nodes, there, packed.refused);
    if (packed.problem.demand.empty()) return std::optional<pack::Answer>();
    Result<pack::Answer> next = pack::pack(packed.problem);
    if (!next) return next.error();
    return std::optional(std::move(*next));
  };
  auto kept = pack::without_refused(packed.problem, first.answer, from, again);
  if (!kept) return kept.error();
  if (packed.problem.demand.empty()) return std::optional<Packed>();
  if (!*kept) return std::optional(first);
  packed.answer = std::move(**kept);
  return std::optional(std::move(packed));
}

std::string refused_text(const std::map<NodeName, std::string>& refused) {
  std::string text;
  for (const pack::RefusedKind& kind : pack::by_reason(refused)) {
    const bool names_first =
        kind.nodes.size() > 1 && kind.why.find(kind.nodes.front().text) != std::string::npos;
    text += "; " + (names_first
                        ? fmt::format("no plan changes {}; of the first: {}", pack::names_of(kind), kind.why)
                        : fmt::format("no plan changes {}: {}", pack::names_of(kind), kind.why));
  }
  return text;
}

// By a pod: then Slurm hands out the GPUs of that Kubernetes node.
bool runs_slurmd(const Cluster& cluster, const Node& node) {
  return cluster.scheduler == Scheduler::kubernetes &&
         std::any_of(node.workloads.begin(), node.workloads.end(), [&](const WorkloadId& id) {
           const Workload* pod = cluster.workloads.find(id);
           return pod && slinky::slurm_node_of(*pod);
         });
}

}  // namespace

bool is_of_its_pool(const NodeSurvey& node) { return node.why == kDemandUnmet || node.why == kDemandUntold; }

std::optional<PoolNote> spread(const Pool& pool, const Cluster& cluster, const Place& place,
                               const plan::SiteRules& rules, const std::vector<NodeSurvey*>& nodes,
                               const std::vector<const NodeSurvey*>& unknown, bool untold) {
  std::vector<NodeName> names;
  ByName by_name;
  Counts there;
  const auto add = [&](const Node& node) {
    for (const auto& [profile, count] : instances_on(node)) there[profile] += count;
  };
  for (NodeSurvey* one : nodes) {
    names.push_back(one->node->name);
    by_name[one->node->name] = one;
    add(*one->node);
  }
  for (const NodeSurvey* one : unknown) add(*one->node);
  const auto short_of = [&](const auto& wanted) {
    const auto found = there.find(wanted.first);
    return wanted.second > (found == there.end() ? 0 : found->second);
  };
  if (std::none_of(pool.rule.demand.begin(), pool.rule.demand.end(), short_of)) return std::nullopt;
  if (!unknown.empty())
    return PoolNote{&pool, Standing::unknown,
                    fmt::format("whether it has its instances is not known: of {} nodes it is not known what "
                                "stands there; take a node that stays away out of the pool, or give it an "
                                "exception",
                                unknown.size())};
  if (untold)
    return PoolNote{&pool, Standing::unknown,
                    "whether it has its instances is not known: not every node could be read"};
  if (names.empty()) return std::nullopt;
  if (std::all_of(nodes.begin(), nodes.end(), [](const NodeSurvey* one) { return !!one->node->host_pod; }))
    return PoolNote{
        &pool, Standing::impossible,
        "the slurmd of each of its nodes runs in a pod, and no demand is spread over such nodes: give "
        "their Kubernetes nodes a layout instead"};
  const pack::ReadFrom from{cluster, *place.catalogue, *place.means, rules, {}, {}, {}};
  Packed first{lacking(pool.rule, from, names, there, {}), {}, {}};
  if (first.problem.demand.empty()) return std::nullopt;
  const bool all_of_slurmd = std::all_of(
      nodes.begin(), nodes.end(), [&](const NodeSurvey* one) { return runs_slurmd(cluster, *one->node); });
  if (all_of_slurmd && first.problem.boards.empty())
    return PoolNote{&pool, Standing::impossible,
                    "each of its nodes runs a pod with slurmd, and no demand is spread over such nodes: give "
                    "them a layout instead"};
  Result<pack::Answer> to_all = pack::pack(first.problem);
  if (!to_all) return PoolNote{&pool, Standing::impossible, to_line(to_all.error())};
  first.answer = std::move(*to_all);
  auto packed = packed_without_refused(pool.rule, from, names, there, first);
  if (!packed) return PoolNote{&pool, Standing::unknown, to_line(packed.error())};
  if (!*packed) return std::nullopt;
  const auto& [problem, answer, refused] = **packed;
  for (const pack::BoardPlan& plan : answer.boards) add_board(problem, plan, by_name);
  std::string unmet;
  for (std::size_t i = 0; i < problem.demand.size(); ++i)
    if (answer.unmet[i] > 0)
      unmet += fmt::format("{}{} of {} {} ({})", unmet.empty() ? "" : ", ", answer.unmet[i],
                           pool.rule.demand.at(problem.demand[i].profile.text),
                           problem.demand[i].profile.text, answer.reason[i]);
  if (unmet.empty()) return std::nullopt;
  unmet += refused_text(refused);
  // Whom an eviction for a count would hit is not said by the file: a person asks for that.
  if (pool.evict != plan::Way::wait) unmet += "; evict moves nothing for a demand: tessera pack --way does";
  return PoolNote{&pool, Standing::impossible, "its GPUs have no room for " + unmet};
}

}  // namespace tessera::fleet
