#include "engine/why/machine.hpp"

#include <algorithm>

namespace tessera::why {

namespace {

// An even part, in whole parts of the least: what one task takes is not divided.
std::int64_t enough_of(std::int64_t all, int nodes, std::int64_t least) {
  const std::int64_t part = std::max((all + nodes - 1) / nodes, least);
  return least > 0 ? (part + least - 1) / least * least : part;
}

}  // namespace

MachineNeeds machine_needs(const Workload& workload) {
  if (!workload.needs) return {};
  const NodeNeeds& needs = *workload.needs;
  const int nodes = std::max(1, workload.node_count);
  const std::int64_t cpus = needs.cpus.value_or(0), memory = needs.memory.value_or(Mib{0}).value;
  MachineNeeds of{{}, {0, 0, needs.alone}};
  // Where the least is not told, one node has to have all of it.
  of.least.cpus = needs.cpus_each ? *needs.cpus_each : nodes == 1 ? cpus : 0;
  of.least.memory = needs.memory_each ? needs.memory_each->value : nodes == 1 ? memory : 0;
  of.enough = {enough_of(cpus, nodes, of.least.cpus), enough_of(memory, nodes, of.least.memory), needs.alone};
  return of;
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
