#include "engine/fleet/offers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/hostlist.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

using sharing::MigStrategy;

// Shares keep their number whatever they are called.
std::map<std::string, std::int64_t> by_device(const plan::Counts& counts) {
  std::map<std::string, std::int64_t> all;
  for (const auto& [resource, count] : counts)
    if (count > 0 && sharing::hands_out_gpus(resource)) all[sharing::without_shared(resource).first] += count;
  return all;
}

bool has_dra_driver(const Node& node) {
  return std::any_of(node.components.begin(), node.components.end(),
                     [](const Component& one) { return one.name == "DRA driver"; });
}

// The operator has not come to its end.
bool is_changing(const Node& node) {
  return node.order && (node.order->state == "pending" || node.order->state == "rebooting");
}

bool comparable(const Node& node) {
  if (!node.allocatable || node.gpus.empty()) return false;
  if (node.health == Health::down || node.health == Health::unknown) return false;
  if (sharing::ack::decides(node) || has_dra_driver(node) || is_changing(node)) return false;
  return std::all_of(node.gpus.begin(), node.gpus.end(), is_made_told);
}

// What slurmctld hands out by profile, "gpu" where it is whole: a site calls its types as it likes. nullopt:
// it shares them, and Slurm reports shares by node only.
std::optional<std::map<std::string, std::int64_t>> by_profile(const plan::Counts& counts) {
  std::map<std::string, std::int64_t> all;
  for (const auto& [resource, count] : counts) {
    if (count <= 0) continue;
    const auto name = sharing::parse_resource(resource, Scheduler::slurm);
    if (!name || (name->kind != sharing::ResourceKind::gpu && name->kind != sharing::ResourceKind::instance))
      return std::nullopt;
    all[name->profile ? name->profile->text : "gpu"] += count;
  }
  return all;
}

std::vector<MigStrategy> strategies(const Node& node, const plan::SiteRules& rules) {
  if (rules.strategy) return {*rules.strategy};
  if (const auto told = sharing::told_strategy(node)) return {*told};
  return {MigStrategy::none, MigStrategy::single, MigStrategy::mixed};
}

std::string to_text(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [resource, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", clean(resource, 100), count);
  return text.empty() ? "nothing" : text;
}

// A run that has the node changes it, and then the files.
std::optional<std::string> slurm_otherwise(const Node& node, const mig::Catalogue& catalogue,
                                           const plan::SiteRules& rules) {
  if (is_slurms_word(node)) return std::nullopt;  // its Gres against its Gres
  if (plan::boards_untold(node) || node.host_pod || plan::parse_mark(node.reason)) return std::nullopt;
  const std::vector<plan::BoardChange> none;
  const plan::Counts counts = plan::offered(node, catalogue, rules, &none).slurm;
  const auto now = by_profile(*node.allocatable), made = by_profile(counts);
  if (!now || !made) return std::nullopt;
  return *now == *made ? std::string() : to_text(*made);
}

}  // namespace

bool is_made_told(const Gpu& gpu) {
  const bool shared = gpu.strategy == Strategy::mps || gpu.strategy == Strategy::time_slicing;
  return gpu.strategy != Strategy::unknown && (!shared || gpu.replicas);
}

bool is_slurms_word(const Node& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [](const Gpu& gpu) { return gpu.origin.source == Source::slurm_nodes; });
}

std::string unasked_text(const std::string& cluster, const std::vector<std::string>& nodes) {
  if (nodes.empty()) return "";
  const std::string names = clean(fold_for_reading(nodes), 300);
  return nodes.size() == 1
             ? fmt::format("{}: what is made on {} is known from Slurm only: its driver was not asked",
                           cluster, names)
             : fmt::format(
                   "{}: what is made on {} nodes is known from Slurm only: their drivers were not asked ({})",
                   cluster, nodes.size(), names);
}

std::vector<std::string> unasked(const Cluster& cluster, const std::vector<NodeName>& nodes) {
  std::vector<std::string> names;
  for (const NodeName& name : nodes)
    if (const Node* node = cluster.nodes.find(name); node && is_slurms_word(*node))
      names.push_back(name.text);
  return names;
}

std::string unasked_text(const Cluster& cluster, const std::vector<NodeName>& nodes) {
  return unasked_text(cluster.name.text, unasked(cluster, nodes));
}

std::string unasked_text(const Survey& survey) {
  std::vector<std::string> nodes;
  for (const NodeSurvey& one : survey.nodes)
    if (one.pool && one.standing != Standing::left_alone && one.standing != Standing::unknown &&
        is_slurms_word(*one.node))
      nodes.push_back(one.node->name.text);
  return unasked_text(survey.cluster->name.text, nodes);
}

std::string offers_way_out(const NodeSurvey& node, Scheduler scheduler) {
  if (!node.should_offer || node.should_offer->empty()) return "";
  if (scheduler == Scheduler::slurm)
    return "tessera doctor names the cause; where slurm.conf and gres.conf are right, scontrol reconfigure "
           "has "
           "them read again";
  return fmt::format("tessera doctor names the cause; tessera node restart-plugin {} has it counted again",
                     node.node->name.text);
}

std::string offered_short(const Node& node) {
  if (!node.allocatable) return "n/a";
  std::string text;
  for (const auto& [resource, count] : *node.allocatable) {
    std::string_view name = resource;
    for (std::string_view prefix : {"nvidia.com/", "gpu:"})
      if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    if (name.starts_with("mig-")) name.remove_prefix(4);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", clean(name, 100), count);
  }
  return text.empty() ? "nothing" : text;
}

std::optional<std::string> offers_otherwise(const Node& node, Scheduler scheduler,
                                            const mig::Catalogue& catalogue, const plan::SiteRules& rules) {
  if (!comparable(node)) return std::nullopt;
  if (scheduler == Scheduler::slurm) return slurm_otherwise(node, catalogue, rules);
  const auto now = by_device(*node.allocatable);
  const std::vector<plan::BoardChange> none;
  std::string wanted;
  const std::vector<MigStrategy> possible = strategies(node, rules);
  for (const MigStrategy strategy : possible) {
    plan::SiteRules site = rules;
    site.strategy = strategy;
    const auto made = by_device(plan::offered(node, catalogue, site, &none).kubernetes);
    // A strategy that is only guessed, and by which these GPUs would offer nothing, explains nothing.
    if (made.empty() && possible.size() > 1) continue;
    if (made == now) return "";
    if (wanted.empty() || strategy == MigStrategy::mixed) wanted = to_text(made);
  }
  return wanted;
}

}  // namespace tessera::fleet
