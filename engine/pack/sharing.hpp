// Idle instances after an answer, shared out to those who may use their nodes: demand, and work that is
// moved. Private to this room. Threads: pure functions, and a value with one owner.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/pack/problem.hpp"

namespace tessera::pack {

// Instances that serve the same: of a profile, or whole GPUs; without a product of any.
using Served = std::pair<ProfileName, std::optional<std::size_t>>;
Served kind_of(const Demand& demand);
// Whether an instance of that profile, or a whole GPU, is of the kind.
bool is_of(const Served& kind, const ProfileName& profile, std::size_t product);
bool is_of(const Served& kind, const Spare& spare, const Problem& problem);
const ProfileName& name_of(const Problem& problem, const Board& board, const mig::Placed& placed);

// What is idle on a GPU, by its profile; with a plan: afterwards.
std::vector<ProfileName> idle_on(const Problem& problem, const Board& board, const BoardPlan* plan);

std::vector<const BoardPlan*> by_board(const Problem& problem, const Answer& answer);
// Idle instances of the kind afterwards, by node. plans: as by_board() has them.
std::map<NodeName, int> supply_of(const Problem& problem, const std::vector<const BoardPlan*>& plans,
                                  const Served& kind);

// The nodes that serve the demand; nullptr: any of them.
const std::set<NodeName>* nodes_for(const Problem& problem, const Demand& demand);

// Instances of one kind shared out to who may use them: as many as can be, those that ask first keeping what
// they have.
class Sharing {
 public:
  // by node: how many. asking: by who asks the nodes whose instances serve; nullptr: all.
  Sharing(const std::map<NodeName, int>& supply, const std::vector<const std::set<NodeName>*>& asking);

  // How many it gets of so many.
  int give(std::size_t who, int count);

 private:
  int once(std::size_t who, int most);
  int along(std::size_t end, int most, const std::vector<std::size_t>& asked_by,
            const std::vector<std::size_t>& taken_at);

  std::vector<std::vector<bool>> serves_;  // by nodes that are alike, then by who asks
  std::vector<int> left_;                  // by nodes that are alike
  std::vector<std::vector<int>> given_;    // by who asks, then by nodes that are alike
};

// How many instances that are moved find no place, beside what is met, on nodes that their work may use
// (Instance::homes), and are not told as unmet or homeless yet.
int kept_from_home(const Problem& problem, const Answer& answer);

}  // namespace tessera::pack
