#include "engine/pack/sharing.hpp"

#include <algorithm>

#include "engine/pack/whole.hpp"

namespace tessera::pack {
namespace {

using OpenTo = const std::set<NodeName>*;

// What is moved, by its kind and by the nodes that it may use; nullptr: any.
using Moved = std::map<Served, std::map<OpenTo, int>>;

Served kind_among(const Problem& problem, const ProfileName& profile, std::size_t product) {
  for (const Demand& one : problem.demand)
    if (is_of(kind_of(one), profile, product)) return kind_of(one);
  return {profile, product};
}

Homes homes_of(const Board& board, const mig::Placed& placed) {
  for (const Instance& one : board.instances)
    if (one.held && one.placed == placed) return one.homes;
  return {};
}

Moved moved_by(const Problem& problem, const Answer& answer, bool& held_to_nodes) {
  Moved moved;
  const auto add = [&](const Board& board, const ProfileName& profile, const Homes& homes) {
    held_to_nodes = held_to_nodes || homes.nodes;
    ++moved[kind_among(problem, profile, board.product)][homes.nodes.get()];
  };
  for (const BoardPlan& plan : answer.boards) {
    const Board& board = problem.boards[plan.board];
    for (const mig::Placed& one : plan.evict) add(board, name_of(problem, board, one), homes_of(board, one));
    if (plan.evicts_whole) add(board, ProfileName(std::string(kWhole)), board.homes);
  }
  return moved;
}

}  // namespace

Served kind_of(const Demand& demand) { return {demand.profile, demand.product}; }

bool is_of(const Served& kind, const ProfileName& profile, std::size_t product) {
  return kind.first == profile && (!kind.second || *kind.second == product);
}
bool is_of(const Served& kind, const Spare& spare, const Problem& problem) {
  return kind.first == spare.profile && (!kind.second || problem.products[*kind.second] == spare.product);
}
const ProfileName& name_of(const Problem& problem, const Board& board, const mig::Placed& placed) {
  return problem.products[board.product]->profiles[static_cast<std::size_t>(placed.profile)].name;
}

std::vector<ProfileName> idle_on(const Problem& problem, const Board& board, const BoardPlan* plan) {
  std::vector<ProfileName> idle;
  const ProfileName whole{std::string(kWhole)};
  if (plan ? plan->to_whole : board.whole) idle.push_back(whole);
  for (const Instance& one : board.instances) {
    const bool goes =
        plan && std::find(plan->destroy.begin(), plan->destroy.end(), one.placed) != plan->destroy.end();
    if (!one.held && !goes) idle.push_back(name_of(problem, board, one.placed));
  }
  if (plan)
    for (const mig::Placed& made : plan->create) idle.push_back(name_of(problem, board, made));
  return idle;
}

std::map<NodeName, int> supply_of(const Problem& problem, const std::vector<const BoardPlan*>& plans,
                                  const Served& kind) {
  std::map<NodeName, int> supply;
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (const ProfileName& idle : idle_on(problem, problem.boards[i], plans[i]))
      if (is_of(kind, idle, problem.boards[i].product)) ++supply[problem.boards[i].node];
  for (const Spare& spare : problem.spare)
    if (is_of(kind, spare, problem)) supply[spare.node] += spare.count;
  return supply;
}

std::vector<const BoardPlan*> by_board(const Problem& problem, const Answer& answer) {
  std::vector<const BoardPlan*> plans(problem.boards.size(), nullptr);
  for (const BoardPlan& plan : answer.boards) plans[plan.board] = &plan;
  return plans;
}

const std::set<NodeName>* nodes_for(const Problem& problem, const Demand& demand) {
  return demand.pool ? &problem.pools[*demand.pool] : nullptr;
}

Sharing::Sharing(const std::map<NodeName, int>& supply, const std::vector<const std::set<NodeName>*>& asking)
    : given_(asking.size()) {
  std::map<std::vector<bool>, int> alike;  // nodes that serve the same
  for (const auto& [node, count] : supply) {
    std::vector<bool> serves;
    for (const std::set<NodeName>* nodes : asking) serves.push_back(!nodes || nodes->contains(node));
    alike[serves] += count;
  }
  for (const auto& [serves, count] : alike) {
    serves_.push_back(serves);
    left_.push_back(count);
  }
  for (std::vector<int>& one : given_) one.assign(left_.size(), 0);
}

int Sharing::give(std::size_t who, int count) {
  int got = 0;
  while (got < count) {
    const int more = once(who, count - got);
    if (more == 0) break;
    got += more;
  }
  return got;
}

// Along the shortest way: what is taken from another one is given to it elsewhere.
int Sharing::once(std::size_t who, int most) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> asked_by(left_.size(), kNone), taken_at(given_.size(), kNone), queue{who};
  std::vector<bool> seen(given_.size(), false);
  seen[who] = true;
  for (std::size_t next = 0; next < queue.size(); ++next) {
    const std::size_t one = queue[next];
    for (std::size_t at = 0; at < left_.size(); ++at) {
      if (!serves_[at][one] || asked_by[at] != kNone) continue;
      asked_by[at] = one;
      if (left_[at] > 0) return along(at, most, asked_by, taken_at);
      for (std::size_t other = 0; other < given_.size(); ++other)
        if (!seen[other] && given_[other][at] > 0)
          seen[other] = true, taken_at[other] = at, queue.push_back(other);
    }
  }
  return 0;
}

int Sharing::along(std::size_t end, int most, const std::vector<std::size_t>& asked_by,
                   const std::vector<std::size_t>& taken_at) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  int count = std::min(most, left_[end]);
  for (std::size_t at = end; taken_at[asked_by[at]] != kNone; at = taken_at[asked_by[at]])
    count = std::min(count, given_[asked_by[at]][taken_at[asked_by[at]]]);
  left_[end] -= count;
  for (std::size_t at = end;; at = taken_at[asked_by[at]]) {
    given_[asked_by[at]][at] += count;
    if (taken_at[asked_by[at]] == kNone) return count;
    given_[asked_by[at]][taken_at[asked_by[at]]] -= count;
  }
}

int kept_from_home(const Problem& problem, const Answer& answer) {
  bool held_to_nodes = false;
  const Moved moved = moved_by(problem, answer, held_to_nodes);
  if (!held_to_nodes) return 0;
  const auto plans = by_board(problem, answer);
  int without = 0;
  for (const auto& [kind, by_nodes] : moved) {
    std::vector<OpenTo> asking;
    std::vector<int> counts;
    int told = 0;  // of what is moved, among what is unmet
    for (std::size_t i = 0; i < problem.demand.size(); ++i) {
      const Demand& one = problem.demand[i];
      if (kind_of(one) != kind) continue;
      asking.push_back(nodes_for(problem, one));
      counts.push_back(std::max(0, one.count - answer.unmet[i]));
      told += std::max(0, answer.unmet[i] - one.count);
    }
    for (const auto& [nodes, count] : by_nodes) asking.push_back(nodes), counts.push_back(count);
    Sharing sharing(supply_of(problem, plans, kind), asking);
    int left = 0;
    for (std::size_t i = 0; i < asking.size(); ++i) left += counts[i] - sharing.give(i, counts[i]);
    without += std::max(0, left - told);
  }
  return std::max(0, without - answer.homeless);
}

}  // namespace tessera::pack
