#include "engine/fleet/no_room.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/hostlist.hpp"

namespace tessera::fleet {

OpenRun open_run(const plan::Run& run) {
  const plan::ChangeOptions& armed = run.started.plan.intent.options;
  OpenRun open;
  for (NodeName& node : plan::summary(run).done) open.done.insert(std::move(node));
  open.under_way = static_cast<std::size_t>(std::max({armed.batch, armed.canary, 1}));
  return open;
}

Taken taken_by_runs(const Survey& survey, const Pool& pool, const std::vector<RunHead>& runs,
                    const std::set<NodeName>& busy, const OpenRuns& open) {
  std::set<NodeName> left;
  for (const NodeSurvey& node : survey.nodes)
    if (node.pool == &pool && busy.contains(node.node->name)) left.insert(node.node->name);
  Taken taken;
  for (const RunHead& head : runs) {
    if (head.cluster != survey.cluster->name || head.state == RunState::finished) continue;
    const auto known = open.find(head.run);
    std::size_t mine = 0;
    for (const NodeName& node : head.nodes) {
      if (known != open.end() && known->second.done.contains(node)) continue;
      if (left.erase(node) > 0) taken.names.push_back(node.text), ++mine;
    }
    taken.nodes += known == open.end() ? mine : std::min(mine, known->second.under_way);
  }
  return taken;
}

std::vector<PoolNote> no_room(const Survey& survey, const std::vector<RunHead>& runs, const OpenRuns& open) {
  std::set<NodeName> busy;
  for (const RunHead& head : runs)
    if (head.cluster == survey.cluster->name && head.state != RunState::finished)
      busy.insert(head.nodes.begin(), head.nodes.end());
  std::vector<const Pool*> pools;
  for (const NodeSurvey& node : survey.nodes)
    if (node.standing == Standing::drifts && !node.refused && node.pool->budget.nodes_at_once &&
        !busy.contains(node.node->name) && std::find(pools.begin(), pools.end(), node.pool) == pools.end())
      pools.push_back(node.pool);
  std::vector<PoolNote> notes;
  for (const Pool* pool : pools) {
    const Taken taken = taken_by_runs(survey, *pool, runs, busy, open);
    if (taken.nodes < static_cast<std::size_t>(*pool->budget.nodes_at_once)) continue;
    notes.push_back(
        {pool, Standing::drifts,
         fmt::format("fleet run begins no other node of it: runs that have not ended may have {} of its "
                     "nodes under way (of {}), and max_nodes_at_once is {}. It goes on once one of them is "
                     "done; tessera journal shows the runs",
                     taken.nodes, fold_for_reading(taken.names), *pool->budget.nodes_at_once)});
  }
  return notes;
}

}  // namespace tessera::fleet
