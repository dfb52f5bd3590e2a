// The integer program of a packing problem, and its costs made small one after the other.
//
// A column counts GPUs of a group that take a choice; a group is a class, or a class on nodes of one type.
// Nodes are of one type when their GPUs are of the same classes: any of them will do, so that a column can
// count those as well. Threads: pure functions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/pack/classes.hpp"
#include "engine/pack/solver.hpp"

namespace tessera::pack {

struct NodeType {
  std::vector<std::size_t> nodes;  // indices into Nodes::boards
  int running = 0;                 // jobs and pods on each
};

struct Group {
  std::size_t class_number = 0;
  int count = 0;  // GPUs; of each node, where there is a type
  int type = -1;  // an index into node types; -1: nodes are not distinguished
};

// GPUs by node, in the order in which nodes are first named.
struct Nodes {
  std::vector<std::vector<std::size_t>> boards;  // by node: indices into Problem::boards
  std::vector<int> running;                      // by node: jobs and pods, as Problem::busy counts them
};
Nodes nodes_of(const Problem& problem);

enum class Cost : std::uint8_t { unmet, evicted, running, nodes, gpus, destroyed, created };

struct Pass {
  Cost cost = Cost::unmet;
  std::int64_t value = 0, bound = 0;
  bool proven = false;
  Relaxed root;  // the relaxation, with all costs before it at most what they came to
};

struct Selection {
  std::vector<std::vector<std::int64_t>> used;  // by group and choice: GPUs
  std::vector<std::int64_t> nodes;              // by node type
  std::vector<std::int64_t> unmet;              // by Classes::rows
  std::vector<Pass> passes;

  const Pass* pass(Cost cost) const;
};

struct Model {
  std::vector<Group> groups;
  std::vector<NodeType> types;
};
Model by_class(const Classes& classes, const Nodes& nodes, const std::vector<bool>& allowed);
// nullopt: its program would have more columns than `most`.
std::optional<Model> by_node_type(const Classes& classes, const Problem& problem, const Nodes& nodes,
                                  std::size_t most);

// `max_nodes` of the solver's tree for each cost. Precondition: every demand may be left unmet, so that there
// is a solution.
Selection select(const Model& model, const Classes& classes, std::span<const Cost> costs, int max_nodes,
                 const Stop& stop = {});

// What the relaxation leaves unmet where only some of the nodes may change; asked of many such sets, each of
// which takes little more than what differs from the one before.
class UnmetOn {
 public:
  // All of them outlive this.
  UnmetOn(const Classes& classes, const Nodes& nodes, const Stop& stop);
  double operator()(const std::vector<bool>& some);
  // By Classes::rows: what one more of each would leave unmet on the nodes asked about last. A lower bound
  // for every other set of nodes follows from it (node_search.cpp).
  std::vector<double> prices() const;

 private:
  void count(std::size_t node, int by);

  const Classes& classes_;
  const Nodes& nodes_;
  std::vector<bool> asked_;   // by node: what the limits stand for
  std::vector<int> counts_;   // by class: GPUs on these
  std::vector<int> rows_;     // by class; -1: it has no choices
  std::vector<int> columns_;  // by class: the first of its choices
  std::unique_ptr<Relaxation> relaxation_;
};
// GPUs that change at least, by the relaxation, with no more unmet and evicted than that; evicted: nullopt:
// however many.
std::optional<Relaxed> relaxed_gpus(const Model& by_class, const Classes& classes, std::int64_t unmet,
                                    std::optional<std::int64_t> evicted, const Stop& stop = {});

}  // namespace tessera::pack
