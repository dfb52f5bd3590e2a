#include "engine/guide/proposals/offers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/labels.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/operators/plugin_config.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

// The GPU as the plan of a proposal leaves it.
plan::BoardChange change_of(const Gpu& gpu, const Proposal& proposal, const BoardProposal& board,
                            const Scope& scope) {
  plan::BoardChange change;
  change.gpu = gpu.index;
  change.product = scope.product;
  change.before = change.after = plan::state_of(gpu);
  change.after.instances.clear();
  change.after.strategy = proposal.strategy;
  change.after.mig = proposal.strategy == Strategy::mig;
  change.after.replicas = proposal.strategy == Strategy::vgpu ? 1 : proposal.replicas.value_or(1);
  change.after.vgpu = proposal.vgpu;
  if (!board.layout || scope.product == nullptr) return change;
  for (const mig::Placed& placed : *board.layout) {
    const mig::Profile& profile = scope.product->profiles.at(static_cast<std::size_t>(placed.profile));
    change.after.instances.push_back({profile.name, {placed.start, profile.memory_slices}, std::nullopt});
  }
  return change;
}

// How a proposal's GPUs or instances are handed out in shares; nullopt: they are not.
std::optional<Strategy> shares_by(const Proposal& proposal) {
  const bool turns = proposal.strategy == Strategy::mig && proposal.replicas.value_or(1) > 1;
  if (turns) return Strategy::time_slicing;  // of each instance
  const bool shared = proposal.strategy == Strategy::mps || proposal.strategy == Strategy::time_slicing;
  return shared ? std::optional(proposal.strategy) : std::nullopt;
}

// GKE's own device plugin takes neither a strategy nor names from anyone: pods ask for nvidia.com/gpu always.
plan::SiteRules rules_on(const Scope& scope, const Node* node, sharing::Platform platform) {
  plan::SiteRules rules = rules_for(scope, node);
  if (platform != sharing::Platform::gke) return rules;
  rules.rename_shared = false;
  rules.strategy = sharing::MigStrategy::single;
  return rules;
}

// GPUs that are in no cluster, or not reported: as many as the proposal is about.
sharing::NodeShape any_boards(const Proposal& proposal, const Scope& scope, sharing::Platform platform) {
  sharing::NodeShape shape;
  shape.by_pool = by_ack(scope, platform);
  for (const BoardProposal& board : proposal.boards) {
    sharing::BoardShape& one = shape.boards.emplace_back();
    one.product = scope.product;
    one.mig = proposal.strategy == Strategy::mig;
    if (board.layout && scope.product) one.instances = sharing::instances_of(*scope.product, *board.layout);
  }
  const std::optional<Strategy> method = shares_by(proposal);
  if (method) shape.sharing.method = *method;
  shape.sharing.replicas = method ? proposal.replicas.value_or(1) : 1;
  const Node* node = scope.nodes.empty() ? nullptr : scope.nodes.front();
  const plan::SiteRules rules = rules_on(scope, node, platform);
  shape.sharing.rename = rules.rename_shared.value_or(false);
  const auto told = platform == sharing::Platform::gke ? rules.strategy : strategy_of(scope);
  shape.strategy = told.value_or(sharing::natural_strategy(shape));
  return shape;
}

void tell_any(Proposal& proposal, const Scope& scope, sharing::Platform platform) {
  const Scheduler scheduler = sharing::scheduler_of(platform);
  if (proposal.strategy == Strategy::vgpu) {
    const auto boards = static_cast<std::int64_t>(proposal.boards.size());
    if (scheduler == Scheduler::kubernetes && !proposal.vgpu.empty())
      proposal.advertised[sharing::kubernetes_vgpu(proposal.vgpu.text)] =
          boards * proposal.replicas.value_or(1);
    return;
  }
  sharing::Advertised offer = sharing::advertise(any_boards(proposal, scope, platform), scheduler);
  proposal.advertised = std::move(offer.counts);
  for (std::string& note : offer.notes) proposal.notes.push_back(std::move(note));
}

void tell_switches(Proposal& proposal, const Scope& scope, const plan::SiteRules& rules) {
  const std::optional<Strategy> method = shares_by(proposal);
  const bool slurm = scope.cluster != nullptr && scope.cluster->scheduler == Scheduler::slurm;
  if (!method || slurm) return;
  proposal.switches = plan::switches_of(*method, rules.rename_shared.value_or(false), rules.refuse_several);
}

// The default before the others, as the site's own before those that a plan has added.
std::string unshared_config(const Scope& scope) {
  const operators::OperatorSetup* site = scope.can ? scope.can->gpu_operator.get() : nullptr;
  if (!site) return "";
  std::string found;
  for (const auto& [key, text] : site->plugin_configs) {
    const auto config = operators::parse_plugin_config(text, key);
    if (!config || config->sharing.method != Strategy::whole) continue;
    if (key == site->plugin_default) return key;
    if (found.empty() || found.starts_with(operators::kOurs)) found = key;
  }
  return found;
}

bool in_shares(const Scope& scope) {
  return std::any_of(scope.nodes.begin(), scope.nodes.end(), [](const Node* node) {
    return std::any_of(node->gpus.begin(), node->gpus.end(),
                       [](const Gpu& gpu) { return gpu.replicas.value_or(1) > 1; });
  });
}

}  // namespace

plan::SiteRules rules_for(const Scope& scope, const Node* node) {
  if (scope.can) return plan::with_site(scope.rules, *scope.can, node);
  if (scope.cluster != nullptr)
    return plan::with_site(scope.rules, plan::presumed_capabilities(*scope.cluster), node);
  return scope.rules;
}

std::optional<sharing::MigStrategy> strategy_of(const Scope& scope) {
  const Node* node = scope.nodes.empty() ? nullptr : scope.nodes.front();
  const plan::SiteRules rules = rules_for(scope, node);
  if (rules.strategy || node == nullptr) return rules.strategy;
  return sharing::told_strategy(*node);
}

bool by_ack(const Scope& scope, sharing::Platform platform) {
  if (scope.nodes.empty()) return platform == sharing::Platform::ack;
  return std::all_of(scope.nodes.begin(), scope.nodes.end(),
                     [](const Node* node) { return sharing::ack::decides(*node); });
}

std::string only_some_by_ack(const Scope& scope) {
  constexpr std::size_t kNamed = 5;
  std::string named;
  std::size_t count = 0;
  for (const Node* node : scope.nodes)
    if (sharing::ack::decides(*node) && ++count <= kNamed)
      named += (named.empty() ? "" : ", ") + clean(node->name.text, 253);
  if (count == 0 || count == scope.nodes.size()) return "";
  if (count > kNamed) named += fmt::format(" and {} more", count - kNamed);
  return fmt::format(
      "ACK's own plugin hands out the GPUs of {} and no others of these nodes: plan them on their own",
      named);
}

std::vector<plan::BoardChange> changes_of(const Proposal& proposal, const Node& node, const Scope& scope) {
  std::vector<plan::BoardChange> changes;
  for (const BoardProposal& board : proposal.boards) {
    const Gpu* gpu = board.node == node.name && board.gpu ? plan::find_gpu(node, *board.gpu) : nullptr;
    if (gpu) changes.push_back(change_of(*gpu, proposal, board, scope));
  }
  return changes;
}

bool can_be_made(const Proposal& proposal, const Scope& scope) {
  if (scope.cluster == nullptr || scope.product == nullptr) return true;
  const plan::Means can = scope.can ? *scope.can : plan::presumed_capabilities(*scope.cluster);
  if (can.chooses_placement || !plan::why_not_offered(can, proposal.strategy).empty()) return true;
  for (const BoardProposal& board : proposal.boards) {
    const Node* node = scope.cluster->nodes.find(board.node);
    const Gpu* gpu = node && board.gpu ? plan::find_gpu(*node, *board.gpu) : nullptr;
    auto wish = plan::parse_layout_wish(board.wish);
    if (gpu && wish && !plan::diff_board(*gpu, scope.product, *wish, can)) return false;
  }
  return true;
}

void tell_offer(Proposal& proposal, const Scope& scope, sharing::Platform platform) {
  proposal.advertised.clear();
  tell_switches(proposal, scope,
                rules_on(scope, scope.nodes.empty() ? nullptr : scope.nodes.front(), platform));
  proposal.mig_strategy = strategy_of(scope);
  proposal.ends_sharing = !shares_by(proposal) && in_shares(scope);
  if (proposal.ends_sharing) proposal.unshared_config = unshared_config(scope);
  if (scope.cluster == nullptr || scope.catalogue == nullptr || scope.boards.empty())
    return tell_any(proposal, scope, platform);
  for (const Node* node : scope.nodes) {
    const plan::BoardsOffer offer =
        plan::offered_by_boards(*node, *scope.catalogue, scope.cluster->scheduler,
                                rules_on(scope, node, platform), changes_of(proposal, *node, scope));
    for (const auto& [resource, count] : offer.counts) proposal.advertised[resource] += count;
    for (const std::string& note : offer.notes)
      if (std::find(proposal.notes.begin(), proposal.notes.end(), note) == proposal.notes.end())
        proposal.notes.push_back(note);
  }
}

}  // namespace tessera::guide
