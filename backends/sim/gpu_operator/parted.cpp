#include "backends/sim/gpu_operator/parted.hpp"

namespace tessera::sim::kube {
namespace {

using Apply = PartedRun (*)(const PartedNode&, const Targets&, const Sabotage&);

PartedRun work(Apply apply, WorldStep& step, std::uint32_t index, const Targets& targets,
               const Sabotage& sabotage) {
  NodeState& node = step.world().nodes[index];
  const NodeGroup& group = step.world().group(node);
  const std::vector<Board> before = node.boards;
  const std::size_t count = node.boards.size();
  PartedRun run = apply(
      {node.boards, operators::NodeBoards(count, group.mig), std::vector<std::string>(count, group.model)},
      targets, sabotage);
  if (node.boards != before) step.recount(index);
  return run;
}

}  // namespace

Result<Targets> evaluate(const std::string& yaml, const std::string& name, const GpuNode& node) {
  return select_config(yaml, "config.yaml", name, operators::NodeBoards(node.boards.size(), node.product));
}

PartedRun apply_modes(WorldStep& step, std::uint32_t node, const Targets& targets, const Sabotage& sabotage) {
  return work(sim::apply_modes, step, node, targets, sabotage);
}

PartedRun apply_all(WorldStep& step, std::uint32_t node, const Targets& targets, const Sabotage& sabotage) {
  return work(sim::apply_all, step, node, targets, sabotage);
}

}  // namespace tessera::sim::kube
