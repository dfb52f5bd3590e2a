#include "engine/why/machine.hpp"

#include <algorithm>
#include <string>

namespace tessera::why {
namespace {

// An even part, in whole parts of the least: what one task takes is not divided.
std::int64_t enough_of(std::int64_t all, int nodes, std::int64_t least) {
  const std::int64_t part = std::max((all + nodes - 1) / nodes, least);
  return least > 0 ? (part + least - 1) / least * least : part;
}

// How the partitions of a job let it share CPUs and nodes with others.
struct Sharing {
  bool of_cpus = false;  // in one of them
  bool none = false;     // in none of them: each is exclusive
};
Sharing sharing_of(const Cluster& cluster, const Workload& workload) {
  Sharing sharing;
  // Mostly no partition says more than that, and thousands of jobs ask.
  if (std::all_of(cluster.partitions.begin(), cluster.partitions.end(),
                  [](const Partition& one) { return one.sharing.empty() || one.sharing == "NO"; }))
    return sharing;
  bool exclusive = false, other = false;
  const std::string wanted = "," + workload.group + ",";
  for (const Partition& one : cluster.partitions) {
    if (wanted.find("," + one.name + ",") == std::string::npos) continue;
    const bool forced = one.sharing.starts_with("FORCE") && one.sharing != "FORCE:1";
    const bool asked = one.sharing.starts_with("YES") && one.sharing != "YES:1" && workload.needs->shares;
    sharing.of_cpus = sharing.of_cpus || forced || asked;
    (one.sharing == "EXCLUSIVE" ? exclusive : other) = true;
  }
  sharing.none = exclusive && !other;
  return sharing;
}

}  // namespace

MachineNeeds machine_needs(const Cluster& cluster, const Workload& workload) {
  if (!workload.needs) return {};
  const NodeNeeds& needs = *workload.needs;
  const int nodes = std::max(1, workload.node_count);
  const Sharing sharing = sharing_of(cluster, workload);
  const std::int64_t cpus = sharing.of_cpus ? 0 : needs.cpus.value_or(0);
  const std::int64_t memory = needs.memory.value_or(Mib{0}).value;
  const bool alone = needs.alone || sharing.none;
  // Where the least is not told, one node has to have all of it.
  const std::int64_t cpus_each = needs.cpus_each ? *needs.cpus_each : nodes == 1 ? cpus : 0;
  MachineNeeds of;
  of.shares_cpus = sharing.of_cpus;
  of.least = {sharing.of_cpus ? 0 : cpus_each, nodes == 1 ? memory : 0, alone};
  if (needs.memory_each) of.least.memory = needs.memory_each->value;
  of.enough = {enough_of(cpus, nodes, of.least.cpus), enough_of(memory, nodes, of.least.memory), alone};
  return of;
}

Machine::Machine(const Node& node) : before_(static_cast<std::int64_t>(node.workloads.size())) {
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
  if (before_ == 0) return;
  cpus_.end_one_of(before_);
  memory_.end_one_of(before_);
  --before_;
}

void Machine::deal(const MachineNeed& need, int sign) {
  cpus_.taken += sign * need.cpus;
  memory_.taken += sign * need.memory;
  users_ += sign;
  if (need.alone) alone_ += sign;
}

}  // namespace tessera::why
