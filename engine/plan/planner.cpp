#include "engine/plan/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/mig/product_of.hpp"
#include "engine/plan/disturbs.hpp"
#include "engine/plan/each_node.hpp"
#include "engine/plan/effect/blast.hpp"
#include "engine/plan/effect/moved.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/effect/renamed.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/identify.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/plan_node_action.hpp"
#include "engine/plan/refusal.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/shares.hpp"

namespace tessera::plan {
namespace {

Error cannot(const NodeName& node, std::string why, std::string hint) {
  return {"cannot plan " + (node.empty() ? std::string("the change") : node.text), std::move(why),
          std::move(hint)};
}

Status check_boards(const Node& node, const Intent& intent, const StepBuilder& builder) {
  if (boards_untold(node) && builder.takes_untold(node, intent)) return Done{};
  // Whole GPUs beside them have no number of their driver's then, only one of the scheduler's.
  if (!node.pool.empty())
    return cannot(node.name, "the scheduler reports its slices, but not on which GPUs they are",
                  "a look at the node itself is needed: nvidia-smi mig -lgi");
  if (node.gpus.empty()) return cannot(node.name, "it has no GPU", "tessera nodes lists those that have");
  for (const BoardWish& board : intent.boards) {
    if (!board.gpu) continue;
    bool there = std::any_of(node.gpus.begin(), node.gpus.end(),
                             [&](const Gpu& gpu) { return gpu.index == *board.gpu; });
    if (!there)
      return cannot(node.name, fmt::format("it has no GPU {}", board.gpu->value),
                    fmt::format("GPUs are counted from 0; it has {}", node.gpus.size()));
  }
  return Done{};
}

bool is_pending(MigMode mode) { return mode == MigMode::enable_pending || mode == MigMode::disable_pending; }

bool needs_reset(const BoardChange& change, const Means& can) {
  return change.mode_changes && change.product && can.reset >= Unit::node &&
         mode_needs_reset(*change.product);
}

Result<std::vector<BoardChange>> changes_of(Scheduler scheduler, const Node& node,
                                            const mig::Catalogue& catalogue, const Intent& intent,
                                            const Means& can) {
  std::vector<BoardChange> changes;
  for (const Gpu& gpu : node.gpus) {
    const Wish* wish = wish_for(intent, gpu.index);
    if (!wish) continue;
    Result<BoardChange> change =
        diff_board(gpu, mig::product_of(gpu, catalogue), as_handed_out(scheduler, node, gpu, *wish), can);
    if (!change) {
      Error error = change.error();
      error.what += " of " + node.name.text;
      return error;
    }
    changes.push_back(std::move(*change));
  }
  bool reset = std::any_of(changes.begin(), changes.end(),
                           [&](const BoardChange& change) { return needs_reset(change, can); });
  if (!reset) return changes;
  for (const Gpu& gpu : node.gpus) {
    auto own = std::find_if(changes.begin(), changes.end(),
                            [&](const BoardChange& change) { return change.gpu == gpu.index; });
    if (own != changes.end() && own->changes()) {
      sweep(*own, gpu, can);
    } else if (is_pending(mode_of(gpu))) {
      return cannot(
          node.name,
          fmt::format("the GPU reset would also make the pending MIG mode change of GPU {} take effect",
                      gpu.index.value),
          fmt::format("include GPU {0}, or cancel its change first: nvidia-smi -i {0} -mig {1}",
                      gpu.index.value, mode_of(gpu) == MigMode::enable_pending ? 0 : 1));
    } else if (!instances_of(gpu).empty()) {
      BoardChange dragged = drag_board(gpu, mig::product_of(gpu, catalogue), can);
      if (own != changes.end())
        *own = std::move(dragged);
      else
        changes.push_back(std::move(dragged));
    }
  }
  std::sort(changes.begin(), changes.end(),
            [](const BoardChange& a, const BoardChange& b) { return a.gpu < b.gpu; });
  return changes;
}

SlicePlan slice_plan(GpuIndex gpu, const Slice& slice) {
  SlicePlan plan;
  plan.gpu = gpu;
  plan.kind = slice.kind;
  plan.profile = slice.profile;
  plan.at = slice.placement;
  plan.capacity = slice.capacity;
  plan.held = in_use(slice);
  for (const Holder& holder : slice.holders) plan.holders.push_back(holder.workload);
  return plan;
}

SliceKind kind_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::mps: return SliceKind::mps;
    case Strategy::time_slicing: return SliceKind::time_slice;
    case Strategy::shard: return SliceKind::shard;
    case Strategy::vgpu: return SliceKind::vgpu;
    default: return SliceKind::whole_gpu;
  }
}

// A GPU that is not cut is one slice: it goes when the way of sharing changes, and its successor comes.
void add_board_slices(NodePlan& plan, const BoardChange& change, const Gpu& gpu) {
  bool goes = change.mode_changes || change.sharing_changes;
  if (!change.before.mig)
    for (const Slice& slice : gpu.slices)
      (goes ? plan.destroyed : plan.kept).push_back(slice_plan(change.gpu, slice));
  if (change.after.mig || !goes) return;
  SlicePlan made;
  made.gpu = change.gpu;
  made.kind = kind_of(change.after.strategy);
  made.profile = change.after.vgpu;
  made.capacity = change.after.replicas;
  made.order = 1;
  plan.created.push_back(std::move(made));
}

void add_slices(NodePlan& plan, const BoardChange& change, const Gpu& gpu) {
  add_board_slices(plan, change, gpu);
  auto find = [&](const InstanceAt& one) {
    const Slice* slice = find_instance(gpu, one);
    if (slice) return slice_plan(change.gpu, *slice);
    SlicePlan made;
    made.gpu = change.gpu;
    made.profile = one.profile;
    if (one.placed()) made.at = one.at;
    return made;
  };
  auto again = [](const std::vector<InstanceAt>& list, const InstanceAt& one) {
    return std::any_of(list.begin(), list.end(), [&](const InstanceAt& other) { return other.same(one); });
  };
  for (const InstanceAt& one : change.kept) plan.kept.push_back(find(one));
  for (const InstanceAt& one : change.destroyed) {
    plan.destroyed.push_back(find(one));
    plan.destroyed.back().recreated = again(change.created, one);
  }
  int order = 0;
  for (const InstanceAt& one : change.created) {
    SlicePlan made;
    made.gpu = change.gpu;
    made.profile = one.profile;
    made.at = one.at;
    made.order = ++order;
    made.recreated = again(change.destroyed, one);
    plan.created.push_back(std::move(made));
  }
}

int compute_of(const BoardState& board, const mig::Product* product) {
  if (!product) return 0;
  if (!board.mig) return product->compute_slices;
  int sum = 0;
  for (const InstanceAt& one : board.instances)
    if (const mig::Profile* profile = product->find(one.profile.text)) sum += profile->compute_slices;
  return sum;
}

// Shares that the device plugin hands out afterwards, and how; nullopt: none, or no plugin's.
std::optional<Switches> switches_after(const Node& node, const std::vector<BoardChange>& changes,
                                       const Means& can, const SiteRules& rules) {
  const bool plays = can.dialect == Dialect::direct && simulated_switches(node);
  if ((!can.gpu_operator && !plays) || sharing::ack::decides(node)) return std::nullopt;
  for (const Gpu& gpu : node.gpus) {
    BoardState state = state_of(gpu);
    for (const BoardChange& change : changes)
      if (change.gpu == gpu.index) state = change.after;
    const bool mig = state.strategy == Strategy::mig && state.replicas > 1;
    if (mig || state.strategy == Strategy::mps || state.strategy == Strategy::time_slicing)
      return switches_of(mig ? Strategy::time_slicing : state.strategy, rules.rename_shared.value_or(false),
                         rules.refuse_several);
  }
  return std::nullopt;
}

// A name that cannot be chosen there.
Status check_switches(const Node& node, Scheduler scheduler, const Intent& intent, const Means& can) {
  if (!intent.switches.any()) return Done{};
  if (scheduler == Scheduler::slurm)
    return cannot(node.name, "Slurm's shares keep their name, and a job may ask for several",
                  "leave --rename-shared and --fail-requests-greater-than-one out: Kubernetes' device plugin "
                  "has them");
  if (can.dialect == Dialect::direct && !simulated_switches(node))
    return cannot(node.name, "the NVIDIA device plugin, which has these switches, does not hand out its GPUs",
                  "leave --rename-shared and --fail-requests-greater-than-one out");
  return Done{};
}

// That nothing is offered is ordered of the operator, for a node as a whole.
Status check_offer(const Node& node, const Intent& intent, const Means& can) {
  if (!offers_nothing(intent.orders)) return Done{};
  constexpr const char* kHint = "choose a layout that is offered; tessera layouts lists them";
  if (can.dialect != Dialect::gpu_operator)
    return cannot(node.name,
                  fmt::format("the {} has no device plugin that could be taken from a node", can.backend),
                  kHint);
  if (sharing::ack::decides(node))
    return cannot(node.name, "ACK's own plugin hands out its GPUs, whatever the GPU operator runs", kHint);
  return Done{};
}

// Instances are named by the plugin as it runs, whatever else is told of it.
Status check_strategy(const Node& node, const std::vector<BoardChange>& changes, const Means& can,
                      const SiteRules& told) {
  const bool cut = std::any_of(changes.begin(), changes.end(), [](const BoardChange& one) {
    return one.after.mig && !one.after.instances.empty();
  });
  const auto is = cut ? other_strategy(told, can, node) : std::nullopt;
  if (!is) return Done{};
  return cannot(
      node.name,
      fmt::format("its device plugin names MIG slices by the strategy {}, and no plan changes that: "
                  "what {} would offer never appears",
                  sharing::word(*is), sharing::word(*told.strategy)),
      "leave --plugin-strategy out, or plugin_strategy in the fleet file");
}

struct NodeResult {
  NodePlan plan;
  std::vector<BoardChange> changes;
  std::vector<Notice> notices;
  std::string missing;  // why there are no steps
  Shares shares;        // that the node hands out afterwards
};

Result<std::vector<BoardChange>> possible_changes(Scheduler scheduler, const Node& node,
                                                  const mig::Catalogue& catalogue, const Intent& intent,
                                                  const Means& can) {
  if (auto refused = sharing::amd::why_not_planned(node, scheduler)) return *refused;
  if (Status ok = check_boards(node, intent, builder_for(can.dialect)); !ok) return ok.error();
  if (Status ok = check_switches(node, scheduler, intent, can); !ok) return ok.error();
  if (Status ok = check_offer(node, intent, can); !ok) return ok.error();
  return changes_of(scheduler, node, catalogue, intent, can);
}

Error untold_error(const Cluster& cluster, const std::string& untold) {
  return {"cannot plan on " + cluster.name.text, "who runs on its nodes is not fully known: " + untold,
          "fix that first: a plan would not name everyone whom it disturbs"};
}

Result<NodeResult> plan_node(const Cluster& cluster, const mig::Catalogue& catalogue, const Node& node,
                             const Intent& intent, const Means& can, const SiteRules& rules, TimePoint now) {
  const StepBuilder& builder = builder_for(can.dialect);
  Result<std::vector<BoardChange>> found = possible_changes(cluster.scheduler, node, catalogue, intent, can);
  if (!found) return found.error();
  NodeResult result;
  NodePlan& plan = result.plan;
  plan.node = node.name;
  std::vector<GpuIndex> boards;
  for (const BoardChange& change : *found) {
    const Gpu* gpu = find_gpu(node, change.gpu);
    add_slices(plan, change, *gpu);
    boards.push_back(change.gpu);
    plan.before.push_back(change.before);
    plan.after.push_back(change.after);
    plan.compute_before += compute_of(change.before, change.product);
    plan.compute_after += compute_of(change.after, change.product);
  }
  std::vector<BoardChange>& changes = result.changes = std::move(*found);
  plan.scope = scope_of(node, changes, can);
  plan.needs = needs_of(changes, can, plan.scope);
  plan.offered_before = offered(node, catalogue, rules, nullptr);
  plan.offered_after = offered(node, catalogue, rules, &changes);
  settle(plan.offered_before, plan.offered_after);
  if (cluster.scheduler == Scheduler::kubernetes && !rules.offers_nothing)
    result.shares = shares_after(node, catalogue, rules, changes);
  plan.switches_before = switches_now(can, node);
  plan.switches_after = switches_after(node, changes, can, rules);
  std::vector<BoardChange> changing;
  for (const BoardChange& change : changes)
    if (change.changes()) changing.push_back(change);
  // Of a GPU that changes, notices_for says it with the rest.
  for (const BoardChange& change : changes)
    if (!change.changes()) add_remarks(result.notices, node.name, change);
  const bool none_changes = changing.empty();
  // The real Slurm's steps say so themselves; a simulated node's cut its GPUs and do not ask.
  if (!none_changes && can.dialect == Dialect::direct && node.host_pod)
    return cannot(node.name,
                  fmt::format("its slurmd runs in pod {} (Slinky): Kubernetes hands out its GPUs",
                              node.host_pod->workload().text),
                  "plan on the Kubernetes node that has the pod: tessera nodes shows both names");
  if (none_changes) {  // what may be left to do needs the node to itself
    plan.scope = everything_on(node, can);
    plan.needs.drain = true;
  }
  if (plan.scope) plan.blast_radius = blast_radius(cluster, node, changes, *plan.scope, catalogue, now);
  const NodeChange change{node,
                          cluster.scheduler,
                          intent,
                          can,
                          std::move(changing),
                          plan.scope,
                          plan.needs,
                          plan.blast_radius,
                          plan.offered_before,
                          plan.offered_after,
                          &catalogue,
                          rules.rename_shared.value_or(false),
                          rules.refuse_several};
  plan.ordered_before = plan.ordered_after = builder.orders(node, can);
  Result<Work> work = builder.work(change);
  if (!work) return work.error();
  const bool nothing = none_changes && work->is_none();
  if (nothing) {
    plan.scope.reset(), plan.needs = {}, plan.blast_radius.clear();
    plan.offered_after = plan.offered_before;
    plan.switches_after = plan.switches_before;
  }
  plan.relied_on = relied_on(cluster, node, boards, plan.scope);
  if (nothing) return result;
  result.missing = std::move(work->missing);
  if (result.missing.empty()) plan.ordered_after = std::move(work->ordered);
  plan.steps = std::move(work->steps);
  std::vector<Notice> closed = closed_notices(cluster, node, now);
  result.notices.insert(result.notices.end(), closed.begin(), closed.end());
  std::vector<Notice> more = notices_for(change, rules);
  result.notices.insert(result.notices.end(), more.begin(), more.end());
  result.notices.insert(result.notices.end(), work->notices.begin(), work->notices.end());
  std::vector<Notice> renamed = renamed_notices(cluster, plan);
  result.notices.insert(result.notices.end(), renamed.begin(), renamed.end());
  return result;
}

// Quotas name one resource each: what is offered under another name is not counted by them, or not allowed.
void about_quotas(const Cluster& cluster, Plan& plan) {
  constexpr std::size_t kTold = 20;
  const Counts &before = plan.offered_before.by(plan.scheduler),
               &after = plan.offered_after.by(plan.scheduler);
  auto count = [](const Counts& counts, const std::string& resource) {
    auto found = counts.find(resource);
    return found == counts.end() ? 0 : found->second;
  };
  std::size_t all = 0;
  for (const Quota& quota : cluster.quotas) {
    const std::int64_t was = count(before, quota.resource), is = count(after, quota.resource);
    if (was == is || ++all > kTold) continue;
    const std::string used = quota.used ? fmt::format(", {} of them asked for", *quota.used) : "";
    plan.notices.push_back(
        {Severity::info,
         "quota-units",
         {},
         fmt::format("quota {} of namespace {} allows {} {}{}; these nodes offer {} of it, and {} "
                     "after the change",
                     quota.name, quota.group, quota.limit, quota.resource, used, was, is)});
  }
  if (all > kTold)
    plan.notices.push_back(
        {Severity::info, "quota-units", {}, fmt::format("and {} more quotas", all - kTold)});
}

Status check_intent(const Cluster& cluster, const Intent& intent) {
  if (intent.nodes.empty()) return cannot({}, "it names no node", "name one with --node");
  if (intent.boards.empty())
    return cannot({}, "no layout was requested", "give --layout, --preset or --strategy");
  std::set<NodeName> seen;
  const EachNode each(intent);
  for (const NodeName& name : intent.nodes) {
    if (!cluster.nodes.find(name))
      return cannot(name, fmt::format("{} lists no such node", cluster.name.text),
                    "tessera nodes lists them");
    if (!seen.insert(name).second) return cannot(name, "it is named twice", "name each node once");
    if (!each.wishes_for(name))
      return cannot(name, "nothing is requested for it", "request a layout for each node");
  }
  for (const BoardWish& one : intent.boards)
    if (one.node && !seen.contains(*one.node))
      return cannot(*one.node, "it is requested, and is not among the nodes", "name it among them");
  return Done{};
}

}  // namespace

Wish as_handed_out(Scheduler scheduler, const Node& node, const Gpu& gpu, Wish wish) {
  auto fixed = sharing::fixed_shares(scheduler, node, gpu, wish.strategy);
  // A way back on Slurm says how many there were.
  const bool told = wish.replicas > 1 && scheduler == Scheduler::slurm;
  if (fixed && !told) wish.replicas = *fixed;
  return wish;
}

Outlook look_out(const Cluster& cluster, const mig::Catalogue& catalogue, const SiteRules& rules) {
  Outlook outlook;
  outlook.platform = sharing::platform_of(cluster, rules.platform).platform;
  for (const Workload& workload : cluster.workloads.all())
    if (workload.state == WorkloadState::pending && !workload.requests.empty())
      outlook.pending.push_back(&workload);
  outlook.queue.scheduler = cluster.scheduler;
  if (outlook.pending.empty()) return outlook;
  outlook.queue = queue_of(cluster, catalogue);
  for (const Node& node : cluster.nodes.all()) {
    Offered here = offered(node, catalogue, rules, nullptr);
    for (const auto& [resource, count] : here.by(cluster.scheduler)) outlook.offered[resource] += count;
  }
  return outlook;
}

Result<Plan> make_plan(const Cluster& cluster, const mig::Catalogue& catalogue, const Intent& intent,
                       const Means& capabilities, const SiteRules& told, TimePoint now,
                       const Outlook* outlook) {
  if (is_node_action(intent)) return plan_node_action(cluster, intent, capabilities, now, &catalogue);
  const SiteRules rules = with_site(told, capabilities);
  if (Status ok = check_intent(cluster, intent); !ok) return ok.error();
  if (auto untold = work_untold(cluster)) return untold_error(cluster, *untold);
  Plan plan;
  plan.intent = intent;
  plan.scheduler = cluster.scheduler;
  plan.cluster_id = cluster.id;
  plan.capabilities = capabilities, plan.setup = capabilities;
  plan.made = now;
  std::vector<std::vector<BoardChange>> changes;
  std::vector<Shares> shares;
  const EachNode each(intent);
  for (const NodeName& name : intent.nodes) {
    const Node& node = *cluster.nodes.find(name);
    const Intent own = each.intent_of(name);
    Result<NodeResult> one = plan_node(cluster, catalogue, node, own, capabilities,
                                       with_site(told, capabilities, &node, &own), now);
    if (!one) return one.error();
    if (Status ok = check_strategy(node, one->changes, capabilities, told); !ok) return ok.error();
    if (plan.no_steps.empty()) plan.no_steps = one->missing;
    add(plan.offered_before, one->plan.offered_before);
    add(plan.offered_after, one->plan.offered_after);
    plan.nodes.push_back(std::move(one->plan));
    shares.push_back(std::move(one->shares));
    changes.push_back(std::move(one->changes));
    plan.notices.insert(plan.notices.end(), one->notices.begin(), one->notices.end());
  }
  settle(plan.offered_before, plan.offered_after);
  Outlook own;
  if (!outlook) outlook = &(own = look_out(cluster, catalogue, rules));
  about_quotas(cluster, plan);
  plan.violations = violations_of(cluster, catalogue, plan, changes, rules, outlook->platform);
  pending_effects(plan, cluster, *outlook, shares);
  identify(plan);
  return plan;
}

namespace {

// The node is named by whoever says that no plan changes it: "cannot plan n1" says so again.
std::string refusal_line(const Error& error, const NodeName& node) {
  const bool names_node = error.what == cannot(node, "", "").what && !error.reason.empty();
  return to_line(names_node ? Error{error.reason, "", error.hint} : error);
}

}  // namespace

std::string why_not_changed(const Cluster& cluster, const mig::Catalogue& catalogue, const Intent& intent,
                            const Means& can, const SiteRules& told) {
  if (Status ok = check_intent(cluster, intent); !ok) return refusal_line(ok.error(), intent.nodes.front());
  const Node& node = *cluster.nodes.find(intent.nodes.front());
  const Intent own = intent_of(intent, node.name);
  const SiteRules rules = with_site(told, can, &node, &own);
  const auto found = possible_changes(cluster.scheduler, node, catalogue, own, can);
  if (!found) return refusal_line(found.error(), intent.nodes.front());
  if (Status ok = check_strategy(node, *found, can, told); !ok)
    return refusal_line(ok.error(), intent.nodes.front());
  std::vector<BoardChange> changing;
  std::copy_if(found->begin(), found->end(), std::back_inserter(changing),
               [](const BoardChange& one) { return one.changes(); });
  if (changing.empty()) {  // whether anything is left to do is not told without the plan
    const auto plan = plan_node(cluster, catalogue, node, own, can, rules, TimePoint());
    return plan ? plan->missing : refusal_line(plan.error(), intent.nodes.front());
  }
  const std::optional<Scope> scope = scope_of(node, *found, can);
  const NodeChange change{node,
                          cluster.scheduler,
                          own,
                          can,
                          std::move(changing),
                          scope,
                          needs_of(*found, can, scope),
                          {},
                          {},
                          {},
                          &catalogue,
                          rules.rename_shared.value_or(false),
                          rules.refuse_several};
  const Result<std::string> missing = builder_for(can.dialect).missing(change);
  return missing ? *missing : refusal_line(missing.error(), intent.nodes.front());
}

Result<std::vector<NodeDisturbs>> disturbed_by(const Cluster& cluster, const mig::Catalogue& catalogue,
                                               const Intent& intent, const Means& can, const SiteRules& told,
                                               TimePoint now) {
  if (Status ok = check_intent(cluster, intent); !ok) return ok.error();
  if (auto untold = work_untold(cluster)) return untold_error(cluster, *untold);
  std::vector<NodeDisturbs> all;
  const EachNode each(intent);
  for (const NodeName& name : intent.nodes) {
    const Node& node = *cluster.nodes.find(name);
    const Intent own = each.intent_of(name);
    const auto changes = possible_changes(cluster.scheduler, node, catalogue, own, can);
    if (!changes) return changes.error();
    if (Status ok = check_strategy(node, *changes, can, told); !ok) return ok.error();
    all.push_back({name, {}});
    if (std::none_of(changes->begin(), changes->end(),
                     [](const BoardChange& one) { return one.changes(); })) {
      // Whether anything is left to do is not told without the plan.
      auto plan = plan_node(cluster, catalogue, node, own, can, with_site(told, can, &node, &own), now);
      if (!plan) return plan.error();
      all.back().whom = std::move(plan->plan.blast_radius);
    } else if (const auto scope = scope_of(node, *changes, can)) {
      all.back().whom = blast_radius(cluster, node, *changes, *scope, catalogue, now);
    }
  }
  return all;
}

Scope everything_on(const Node& node, const Means& can) {
  Scope scope;
  if (!can.empties_all_work)
    for (const Gpu& gpu : node.gpus) scope.boards.push_back({gpu.index, {}});
  return scope;
}

Plan plan_release(const Node& node, const NodePlan& planned, Intent intent, Scheduler scheduler,
                  const Means& can, TimePoint now) {
  Plan plan;
  plan.intent = std::move(intent);
  plan.scheduler = scheduler;
  plan.capabilities = can, plan.setup = can;
  plan.made = now;
  const StepBuilder& builder = builder_for(can.dialect);
  NodePlan only;
  only.node = node.name;
  only.only_given_back = true;
  for (const BoardState& board : planned.before)
    if (const Gpu* gpu = find_gpu(node, board.gpu)) only.before.push_back(state_of(*gpu));
  only.after = only.before;
  only.ordered_before = only.ordered_after = builder.orders(node, can);
  only.steps = builder.release(node.name, scheduler);
  name_steps(node.name, can.dialect, only.steps, 0);
  plan.nodes.push_back(std::move(only));
  identify(plan);
  return plan;
}

ChangeOptions way_back(ChangeOptions options) {
  options.way = Way::wait;
  options.when_empty = options.break_lock = false;
  options.at.reset();
  return options;
}

Intent undo_intent(const Plan& plan, const NodePlan& node, std::string words) {
  Intent intent;
  intent.cluster = plan.intent.cluster;
  intent.nodes = {node.node};
  intent.words = std::move(words);
  intent.options = way_back(plan.intent.options);
  intent.orders = node.ordered_before;
  if (node.switches_before) {
    intent.switches = {node.switches_before->rename, node.switches_before->refuse_several};
  }
  for (const BoardState& board : node.before) {
    Wish wish;
    wish.strategy = board.strategy;
    wish.replicas = board.replicas;
    wish.vgpu = board.vgpu;
    if (board.strategy == Strategy::mig)
      for (const InstanceAt& one : board.instances)
        wish.instances.push_back({one.profile, one.placed() ? std::optional(one.at.start) : std::nullopt});
    intent.boards.push_back({board.gpu, std::move(wish)});
  }
  return intent;
}

}  // namespace tessera::plan
