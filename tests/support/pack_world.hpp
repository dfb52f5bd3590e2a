// Random packing problems, and the best answer by trying everything: for tests and benches of the planner.
// Threads: pure functions of the seed.
#pragma once

#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include "engine/pack/problem.hpp"

namespace tessera::test {

// What a problem is drawn from.
struct PackKind {
  std::vector<const mig::Product*> products;
  int boards = 3;
  int boards_a_node = 2;
  double empty = 0.2;        // GPUs without instances
  double held = 0.5;         // of the instances
  std::size_t profiles = 3;  // asked for, at most
  double amount = 1;         // instances asked for, by GPU
  bool doubles = true;       // with profiles of double memory
  double whole_held = 0;     // of the GPUs without instances: in use as a whole, by what may be moved
};

pack::Problem random_problem(const PackKind& kind, std::mt19937& random);

// What is to be small, the first first. In place: unmet, evicted, GPUs, nodes, destroyed, created. Whole
// node: unmet, whether anything is evicted at all, what runs on nodes that change, nodes, evicted, GPUs,
// destroyed, created.
using PackCosts = std::array<std::int64_t, 8>;
PackCosts costs_of(const pack::Problem& problem, const pack::Answer& answer);
// The lowest costs that any change of any GPUs reaches. Tries every layout of every GPU: for a handful of
// them.
PackCosts best_costs(const pack::Problem& problem);

// The fewest jobs that are sent away for a change that leaves least unmet, where all that run on a node are
// sent away as soon as anything is moved: counted by their names, whatever the problem says of them. Tries
// everything, too.
using JobsByNode = std::map<NodeName, std::set<std::string>>;
std::int64_t fewest_sent_away(const pack::Problem& problem, const JobsByNode& jobs);

}  // namespace tessera::test
