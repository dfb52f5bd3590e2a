// What one unit is worth of which it is told what it is called and not which it is.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::usage {

struct Worth {
  std::string profile;           // "1g.10gb", "whole", "untyped"
  double part = 1;               // of a GPU
  std::optional<double> slices;  // memory slices
};

inline constexpr const char* kUntyped = "untyped";

// Of a GRES type. Without one a unit counts as a GPU: "untyped".
std::string kind_of(const std::string& type);
Worth worth_of(const std::string& type, const mig::Catalogue& catalogue);
// Of what a job or pod holds there, by that node's GPUs where they are alike; nullopt: shares of which it is
// not known how many a GPU has. node: null where it is not listed.
std::optional<Worth> worth_of(const Node* node, const Allocation& held, const mig::Catalogue& catalogue);

// How many of them are known by their slices all the same: those of a node that is held as a whole.
int placed(const Node* node, const WorkloadId& workload, const Allocation& held);

}  // namespace tessera::usage
