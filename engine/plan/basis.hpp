// What a plan is made from besides its nodes: settings, files, and facts of the fleet, each with its digest,
// so that a plan that is applied later is held against what is so then, and a refusal says what has changed.
//
// Threads: plain values, pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"
#include "engine/plan/capabilities.hpp"

namespace tessera::plan {

struct BasisPart {
  enum class Kind : std::uint8_t { setting, file, object, fact };
  Kind kind = Kind::fact;
  std::string name;    // "slurm-boot-file", "/etc/slurm/slurm.conf", "ClusterPolicy gpu-policy"
  std::string digest;  // of its value
  friend bool operator==(const BasisPart&, const BasisPart&) = default;
};
using Basis = std::vector<BasisPart>;

// What nodes outside the plan have to do with it: nothing, unless it writes what they read, too (a ConfigMap,
// the ClusterPolicy); then each of them is a part by its name. together: one part for all of them, as files
// of older versions have it.
enum class Outside : std::uint8_t { none, each, together };

// Empty where the backend reads nothing that steps are written from. nodes: those of the plan; what is known
// of each of them is a part of its own. States that change by themselves are left out: a run reads them
// again.
Basis basis_of(const Setup& setup, const std::vector<NodeName>& nodes, Outside outside);
bool told_together(const Basis& basis);  // it has a part for all nodes outside the plan

// "/etc/slurm/slurm.conf was edited", "setting slurm-boot-file differs", one for each part that is new, gone
// or of another digest. Empty: all is as it was.
std::vector<std::string> what_changed(const Basis& then, const Basis& now);

std::string_view word(BasisPart::Kind kind);  // "setting" "file" "object" "fact"

}  // namespace tessera::plan
