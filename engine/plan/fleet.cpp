#include "engine/plan/fleet.hpp"

#include <algorithm>

#include "engine/operators/operator_setup.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/steps/operator_orders.hpp"

namespace tessera::plan {

namespace {

// Several shapes of one node count as one node for a platform's rules. answers: an operator or a device
// plugin is there, which tells the managed platform's two kinds of "none" apart.
void add_shapes(std::vector<sharing::NodeShape>& all, const Node& node,
                std::vector<sharing::NodeShape> shapes, const SiteRules& rules, bool answers) {
  sharing::NodeShape together;
  for (const sharing::NodeShape& shape : shapes)
    together.boards.insert(together.boards.end(), shape.boards.begin(), shape.boards.end());
  together.strategy = rules.strategy
                          ? *rules.strategy
                          : sharing::told_strategy(node).value_or(sharing::natural_strategy(together));
  for (sharing::NodeShape& shape : shapes) {
    shape.strategy = together.strategy;
    shape.type = sharing::worker_type(together, answers);
    all.push_back(std::move(shape));
  }
}

// By what the node hands out, or by who looks after it.
bool operator_answers(const Node& node, const Setup& setup) {
  if (offers_nothing(standing_orders(node, setup.gpu_operator.get()))) return false;
  if (sharing::plugin_answers(node)) return true;
  return setup.gpu_operator && !setup.gpu_operator->policy.empty();
}

bool answers_after(const FleetChange& one, const Setup& setup) {
  if (offers_nothing(one.ordered_after)) return false;
  return offers_nothing(one.ordered_before) || operator_answers(*one.node, setup);
}

}  // namespace

Fleet fleet_of(const Cluster& cluster, const mig::Catalogue& catalogue, std::span<const FleetChange> changes,
               const Setup& setup, const SiteRules& rules, sharing::Platform platform) {
  Fleet fleet;
  bool by_pool = false;
  for (const FleetChange& one : changes) {
    const Node& node = *one.node;
    std::vector<sharing::NodeShape> was = shapes_now(node, cluster.scheduler, catalogue);
    std::vector<sharing::NodeShape> is = shapes_after(node, cluster.scheduler, catalogue, one.changes);
    // One shape of each for one of the other: what is shared in another way is a shape of its own.
    if (was.empty() || is.empty()) continue;
    was.resize(is.size(), was.back());
    add_shapes(fleet.before, node, std::move(was), rules, operator_answers(node, setup));
    const bool answers_then = answers_after(one, setup);
    add_shapes(fleet.after, node, std::move(is), rules, answers_then);
    by_pool = by_pool || fleet.after.back().by_pool;
    fleet.none_stays_with_operator = fleet.none_stays_with_operator || answers_then;
  }
  // Only these rules look beyond the nodes that change; ACK's pools are ACK's, whatever the site calls
  // itself.
  if (platform != sharing::Platform::fpt && !by_pool) return fleet;
  for (const Node& node : cluster.nodes.all()) {
    const bool changed = std::any_of(changes.begin(), changes.end(),
                                     [&](const FleetChange& one) { return one.node->name == node.name; });
    if (changed || node.gpus.empty()) continue;
    std::vector<sharing::NodeShape> shapes = shapes_now(node, cluster.scheduler, catalogue);
    add_shapes(fleet.before, node, shapes, rules, operator_answers(node, setup));
    add_shapes(fleet.after, node, std::move(shapes), rules, operator_answers(node, setup));
  }
  return fleet;
}

}  // namespace tessera::plan
