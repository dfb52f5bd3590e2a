#include "engine/fleet/offers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "engine/plan/effect/resources.hpp"
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

bool is_known(const Gpu& gpu) {
  const bool shared = gpu.strategy == Strategy::mps || gpu.strategy == Strategy::time_slicing;
  return gpu.strategy != Strategy::unknown && (!shared || gpu.replicas);
}

bool has_dra_driver(const Node& node) {
  return std::any_of(node.components.begin(), node.components.end(),
                     [](const Component& one) { return one.name == "DRA driver"; });
}

// The operator has not come to its end.
bool is_changing(const Node& node) {
  return node.order && (node.order->state == "pending" || node.order->state == "rebooting");
}

bool comparable(const Node& node, Scheduler scheduler) {
  if (scheduler != Scheduler::kubernetes || !node.allocatable || node.gpus.empty()) return false;
  if (node.health == Health::down || node.health == Health::unknown) return false;
  if (sharing::ack::decides(node) || has_dra_driver(node) || is_changing(node)) return false;
  return std::all_of(node.gpus.begin(), node.gpus.end(), is_known);
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

}  // namespace

std::optional<std::string> offers_otherwise(const Node& node, Scheduler scheduler,
                                            const mig::Catalogue& catalogue, const plan::SiteRules& rules) {
  if (!comparable(node, scheduler)) return std::nullopt;
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
