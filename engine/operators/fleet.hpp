// What a write that many nodes share (a ConfigMap, the ClusterPolicy) means for the nodes that a run does not
// change. Asked when a plan is made, and again of a fresh reading right before the write.
// Threads: pure functions of values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/operators/operator_setup.hpp"

namespace tessera::operators {

// What a MIG configuration file for the whole site would mean for every node but `except`.
FleetAnswer ask_fleet(const OperatorSetup& site, std::string_view except, const MigDocument& after,
                      const mig::Catalogue* catalogue);

// The first few of a list, and how many more there are: "a; b; and 3 more".
std::string few(const std::vector<std::string>& all);

// One component of the ClusterPolicy and the ConfigMap that it reads.
struct SharedWrite {
  bool mig = true;     // the MIG manager's; false: the device plugin's
  std::string except;  // the node that the run changes
  std::string map;     // the ConfigMap that the component is to read
  std::string found;   // ... that it read when the plan was made; empty: none of the site's own
  // The map's content after the write. mig: its config.yaml. Else: the keys.
  std::optional<MigDocument> document;
  std::vector<std::string> keys;
};

// Why the write may not be made now: a part that could not be read again, another's choice of ConfigMap, or
// nodes that would change or fail. nullopt: what the plan was made on still holds.
std::optional<std::string> why_not_shared(const OperatorSetup& now, const SharedWrite& write,
                                          const mig::Catalogue* catalogue);

}  // namespace tessera::operators
