#include "engine/why/machine.hpp"

#include <algorithm>

namespace tessera::why {

MachineNeed machine_need(const Workload& workload) {
  if (!workload.needs) return {};
  const NodeNeeds& needs = *workload.needs;
  const int nodes = std::max(1, workload.node_count);
  const auto part = [&](std::int64_t all) { return (all + nodes - 1) / nodes; };
  return {part(needs.cpus.value_or(0)), part(needs.memory.value_or(Mib{0}).value), needs.alone};
}

Machine::Machine(const Node& node) {
  if (node.cpus) cpus_.all = *node.cpus;
  if (node.cpus_held) cpus_.held = *node.cpus_held;
  if (node.memory) memory_.all = node.memory->value;
  if (node.memory_held) memory_.held = node.memory_held->value;
}

Lack Machine::lacks(const MachineNeed& need) const {
  const bool in_use = users_ > 0 || cpus_.held.value_or(0) > 0;
  if (alone_ > 0 || (need.alone && in_use)) return Lack::node_to_itself;
  if (cpus_.is_short_of(need.cpus)) return Lack::cpus;
  return memory_.is_short_of(need.memory) ? Lack::memory : Lack::nothing;
}

void Machine::give_back_untold() {
  cpus_.held = 0;
  memory_.held = 0;
}

void Machine::deal(const MachineNeed& need, int sign) {
  cpus_.taken += sign * need.cpus;
  memory_.taken += sign * need.memory;
  users_ += sign;
  if (need.alone) alone_ += sign;
}

}  // namespace tessera::why
