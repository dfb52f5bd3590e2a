#include "engine/guide/together.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/guide/proposals/offers.hpp"
#include "engine/guide/questions.hpp"
#include "engine/hostlist.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/plan/fleet.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/operator_orders.hpp"
#include "engine/sharing/rules.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

bool alike(const Gpu& gpu, const Scope& scope) {
  if (scope.product == nullptr || !gpu.product) return gpu.model == scope.model;
  return *gpu.product == scope.product->key;
}

std::string pool_of(const Node& node) { return node.partitions.empty() ? "" : node.partitions.front(); }

// Node sets that a rule may want changed as one, the smallest first.
std::vector<std::vector<NodeName>> wider(const Scope& scope) {
  std::vector<NodeName> own, pools, all;
  for (const Node* node : scope.nodes) own.push_back(node->name);
  for (const Node& node : scope.cluster->nodes.all()) {
    if (std::none_of(node.gpus.begin(), node.gpus.end(), [&](const Gpu& gpu) { return alike(gpu, scope); }))
      continue;
    all.push_back(node.name);
    const bool in_pool = std::any_of(scope.nodes.begin(), scope.nodes.end(), [&](const Node* asked) {
      return !pool_of(node).empty() && pool_of(node) == pool_of(*asked);
    });
    if (in_pool) pools.push_back(node.name);
  }
  return {std::move(own), std::move(pools), std::move(all)};
}

void tell_refusals(std::vector<Proposal>& layouts, const Scope& scope, sharing::Platform platform) {
  for (Proposal& one : layouts) one.refused = refusal_of(one, scope, platform);
}

bool is_refused(const Proposal& one) { return !one.refused.empty(); }

// Why one of these layouts cannot be had alone: rows that are refused for all nodes, too, say nothing of
// that.
std::string why_not_alone(const std::vector<Proposal>& alone, const std::vector<Proposal>& allowed) {
  for (const Proposal& one : allowed)
    for (const Proposal& other : alone)
      if (other.title == one.title) return other.refused;
  return alone.front().refused;
}

std::string told_names(const std::vector<NodeName>& nodes) {
  std::vector<std::string> names;
  for (const NodeName& name : nodes) names.push_back(name.text);
  return fold_for_reading(names);
}

bool can_cut(const Gpu& gpu, const Scope& scope) {
  const mig::Product* product = mig::product_of(gpu, *scope.catalogue);
  return product != nullptr && product->mig_capable;
}

// Each GPU of the cluster could be cut: then one plan may change all nodes, each kind of GPU in its own way.
bool all_can_be_cut(const Scope& scope) {
  const auto nodes = scope.cluster->nodes.all();
  return std::all_of(nodes.begin(), nodes.end(), [&](const Node& node) {
    return std::all_of(node.gpus.begin(), node.gpus.end(),
                       [&](const Gpu& gpu) { return can_cut(gpu, scope); });
  });
}

// No plan is allowed, also not for all GPUs of this kind: what else there is.
void tell_where_else(GuideResult& result, const Scope& scope, const Flowchart& chart) {
  const auto by_rule = std::find_if(result.layouts.begin(), result.layouts.end(), [](const Proposal& one) {
    return one.refused.starts_with("fpt-b");  // the one that other nodes decide
  });
  if (result.strategy != Strategy::mig || by_rule == result.layouts.end()) return;
  result.ways.texts.push_back(fmt::format("No plan for these GPUs alone is allowed ({}).", by_rule->refused));
  if (all_can_be_cut(scope)) {
    result.ways.texts.emplace_back(
        "A plan with a layout for each kind of GPU may change all nodes: tessera plan --intent FILE. "
        "Or answer Q2 with no: Q5 leads on to MPS or time-slicing.");
  } else {
    result.ways.texts.emplace_back(
        "Other nodes have GPUs that cannot be cut. Answer Q2 with no: Q5 leads on to MPS or time-slicing.");
    result.ways.onward = Onward::elsewhere;
    result.layouts.clear();
  }
  keep_to_questions(result.ways.texts, chart);
}

}  // namespace

std::string refusal_of(const Proposal& proposal, const Scope& scope, sharing::Platform platform) {
  if (scope.cluster == nullptr || scope.catalogue == nullptr) return "";
  const plan::Means can = scope.can ? *scope.can : plan::presumed_capabilities(*scope.cluster);
  std::vector<plan::FleetChange> changes;
  for (const Node* node : scope.nodes) {
    const auto other =
        proposal.strategy == Strategy::mig ? plan::other_strategy(scope.rules, can, *node) : std::nullopt;
    if (other)
      return fmt::format("the device plugin of {} names MIG slices by the strategy {}, not {}",
                         clean(node->name.text, 253), sharing::word(*other),
                         sharing::word(*scope.rules.strategy));
    const plan::Orders standing = plan::standing_orders(*node, can.gpu_operator.get());
    changes.push_back({node, changes_of(proposal, *node, scope), standing, standing});
  }
  const plan::Fleet fleet =
      plan::fleet_of(*scope.cluster, *scope.catalogue, changes, can, rules_for(scope, nullptr), platform);
  const sharing::Judged judged = sharing::broken_by_change(platform, fleet.before, fleet.after);
  if (judged.broken.empty()) return "";
  return fmt::format("{}: {}", judged.broken.front().rule, judged.broken.front().message);
}

Scope together(const Scope& scope, const std::vector<NodeName>& nodes) {
  Scope all = scope;
  all.nodes.clear();
  all.boards.clear();
  for (const NodeName& name : nodes) {
    const Node* node = scope.cluster->nodes.find(name);
    if (node == nullptr) continue;
    all.nodes.push_back(node);
    for (const Gpu& gpu : node->gpus)
      if (alike(gpu, scope)) all.boards.push_back(&gpu);
  }
  return all;
}

void keep_allowed(GuideResult& result, const Scope& scope, sharing::Platform platform,
                  const Flowchart& chart) {
  if (scope.cluster == nullptr || scope.boards.empty() || result.layouts.empty()) return;
  tell_refusals(result.layouts, scope, platform);
  const auto allowed = static_cast<std::size_t>(std::count_if(
      result.layouts.begin(), result.layouts.end(), [](const auto& one) { return !is_refused(one); }));
  if (allowed > 0) {
    std::erase_if(result.layouts, is_refused);
    return;
  }
  const Strategy leaf = result.strategy.value_or(Strategy::unknown);
  for (std::vector<NodeName>& nodes : wider(scope)) {
    const Scope all = together(scope, nodes);
    if (all.boards.size() <= scope.boards.size()) continue;
    std::vector<Proposal> layouts = propose(all, leaf, platform);
    tell_refusals(layouts, all, platform);
    std::erase_if(layouts, is_refused);
    if (layouts.empty()) continue;
    result.ways.texts.push_back(fmt::format(
        "A plan for these GPUs alone breaks a rule ({}). The layouts below are for all GPUs of {}, "
        "which change together.",
        why_not_alone(result.layouts, layouts), told_names(nodes)));
    result.layouts = std::move(layouts);
    result.together = std::move(nodes);
    return;
  }
  for (Proposal& one : result.layouts)
    one.notes.insert(one.notes.begin(), fmt::format("a plan of it is refused: {}", one.refused));
  tell_where_else(result, scope, chart);
}

}  // namespace tessera::guide
