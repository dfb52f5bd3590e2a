// Nodes for a plan that drains them: quiet ones, and few. For problems whose program is too large to tell
// nodes apart.
//
// A node's potential is what its GPUs could give of the demand, in memory slices. Nodes are taken in the
// order of what runs there for each slice of it, until the relaxation meets the demand; then each is tried
// without, and those that are busy against a quieter one. Potentials bound every plan from below, too.
// Bounded by a number of programs and not by time. Threads: pure functions.
#pragma once

#include <span>
#include <vector>

#include "engine/pack/model.hpp"

namespace tessera::pack {

// The nodes to plan on: they meet as much by the relaxation as all of them do. `needed`: by Classes::rows,
// what is to be made.
std::vector<bool> search_nodes(const Problem& problem, const Classes& classes, const Nodes& nodes,
                               std::span<const int> needed, const Stop& stop);

// What follows by duality from the prices of the relaxation on some nodes for every other set of them: a
// bound that answers for most sets in the relaxation's place.
class Cut {
 public:
  // prices: of Classes::rows, each from 0 to 1, whichever they are. needed: as above.
  Cut(const Classes& classes, const Nodes& nodes, std::span<const double> prices,
      std::span<const int> needed);
  double unmet_at_least(const std::vector<bool>& some) const;
  // What a node takes off that.
  double gives(std::size_t node) const { return gives_[node]; }
  // So many of these, in their order, have to be taken at least where no more is to be left unmet.
  std::size_t fewest_of(std::span<const std::size_t> order, double unmet) const;

 private:
  std::vector<double> gives_;  // by node
  double needed_ = 0;
};

struct LeastNodes {
  int nodes = 0;
  int running = 0;  // on all of them together
};
// No plan that makes as much, but for `unmet` instances, needs less.
LeastNodes least_nodes(const Problem& problem, const Classes& classes, const Nodes& nodes,
                       std::span<const int> needed, int unmet);

}  // namespace tessera::pack
