#include "tests/support/pack_world.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace tessera::test {
namespace {

int below(std::mt19937& random, std::size_t count) { return static_cast<int>(random() % count); }
bool chance(std::mt19937& random, double probability) { return (random() % 10000) < probability * 10000; }

pack::Board random_board(const PackKind& kind, const pack::Problem& problem, std::mt19937& random) {
  pack::Board board;
  board.product = static_cast<std::size_t>(below(random, problem.products.size()));
  if (chance(random, kind.empty)) {
    if (kind.whole_held > 0) board.whole_held = chance(random, kind.whole_held);
    return board;
  }
  const mig::Product& product = *problem.products[board.product];
  const std::vector<int> profiles = mig::base_profiles(product, kind.doubles);
  mig::Layout layout;
  for (int tries = 1 + below(random, 8); tries > 0; --tries) {
    const int profile = profiles[static_cast<std::size_t>(below(random, profiles.size()))];
    const std::vector<int>& starts = product.profiles[static_cast<std::size_t>(profile)].starts;
    const mig::Placed placed{profile, starts[static_cast<std::size_t>(below(random, starts.size()))]};
    if (!mig::fits(product, layout, placed)) continue;
    layout.insert(std::upper_bound(layout.begin(), layout.end(), placed), placed);
    board.instances.push_back({placed, chance(random, kind.held)});
  }
  return board;
}

void add_demand(const PackKind& kind, pack::Problem& problem, std::mt19937& random) {
  for (std::size_t i = 1 + random() % kind.profiles; i > 0; --i) {
    const std::size_t product = static_cast<std::size_t>(below(random, problem.products.size()));
    const std::vector<int> profiles = mig::base_profiles(*problem.products[product], kind.doubles);
    const int profile = profiles[static_cast<std::size_t>(below(random, profiles.size()))];
    const mig::Profile& asked = problem.products[product]->profiles[static_cast<std::size_t>(profile)];
    const bool known = std::any_of(problem.demand.begin(), problem.demand.end(),
                                   [&](const pack::Demand& other) { return other.profile == asked.name; });
    if (known) continue;
    const double most = kind.amount * static_cast<double>(problem.boards.size()) * 3 / asked.memory_slices;
    problem.demand.push_back({asked.name, {}, 1 + below(random, static_cast<std::size_t>(most) + 1)});
  }
}

// --- everything that could be done, with nothing of the planner's own

struct Change {
  std::map<std::string, int> gained;  // idle instances, by profile; evicted ones taken off
  int evicted = 0, destroyed = 0, created = 0;
  bool touched = false;
  bool forbidden = false;  // it moves what may not be moved
};

std::vector<Change> changes_of(const pack::Problem& problem, const pack::Board& board) {
  const mig::Product& product = *problem.products[board.product];
  std::set<int> used;
  for (const pack::Instance& instance : board.instances) used.insert(instance.placed.profile);
  for (const pack::Demand& demand : problem.demand)
    if (auto profile = product.index_of(demand.profile.text)) used.insert(*profile);
  for (int profile : mig::base_profiles(product, true)) used.insert(profile);
  std::vector<int> profiles(used.begin(), used.end());
  std::vector<Change> changes;
  std::set<std::pair<std::map<std::string, int>, std::array<int, 3>>> seen;
  for (const mig::Layout& layout : mig::enumerate(product, mig::Which::all, profiles)) {
    Change change;
    auto count = [&](const mig::Placed& placed, int by) {
      change.gained[product.profiles[static_cast<std::size_t>(placed.profile)].name.text] += by;
    };
    mig::Layout fresh = layout;
    for (const pack::Instance& instance : board.instances) {
      auto at = std::find(fresh.begin(), fresh.end(), instance.placed);
      const bool stays = at != fresh.end();
      if (stays) fresh.erase(at);
      if (!stays && instance.held) ++change.evicted, count(instance.placed, -1);
      if (!stays && instance.held && instance.stays) change.forbidden = true;
      if (!stays && !instance.held) ++change.destroyed;
      if (stays && !instance.held) count(instance.placed, 1);
    }
    for (const mig::Placed& placed : fresh) count(placed, 1);
    change.created = static_cast<int>(fresh.size());
    change.touched = change.created + change.destroyed + change.evicted > 0;
    if (board.whole_held && change.touched) ++change.evicted, change.gained["whole"] = -1;
    // Without an instance that is made, an uncut one stays uncut.
    if (board.whole && !change.touched) change.gained["whole"] = 1;
    if (change.forbidden || (change.evicted > 0 && !problem.evict)) continue;
    if (!seen.insert({change.gained, {change.evicted, change.destroyed, change.created}}).second) continue;
    changes.push_back(std::move(change));
  }
  const bool empty = std::none_of(board.instances.begin(), board.instances.end(),
                                  [](const pack::Instance& instance) { return instance.held; });
  if (board.may_be_whole && empty)
    changes.push_back({{{"whole", 1}}, 0, static_cast<int>(board.instances.size()), 0, true});
  return changes;
}

class Everything {
 public:
  Everything(const pack::Problem& problem, const JobsByNode& jobs) : problem_(problem), jobs_(jobs) {
    for (const pack::Board& board : problem.boards) {
      changes_.push_back(changes_of(problem, board));
      for (const pack::Instance& instance : board.instances) running_[board.node] += instance.held ? 1 : 0;
      running_[board.node] += board.whole_held ? 1 : 0;
    }
    for (const pack::Busy& busy : problem.busy) running_[busy.node] = busy.running;
    for (const pack::Demand& demand : problem.demand) left_[demand.profile.text] = demand.count;
    for (const pack::Spare& spare : problem.spare) left_[spare.profile.text] -= spare.count;
  }
  PackCosts run() {
    step(0);
    return *best_;
  }
  // Of the changes that leave least unmet.
  std::int64_t fewest_sent_away() {
    step(0);
    return fewest_->second;
  }

 private:
  void step(std::size_t board) {
    if (board == changes_.size()) return weigh();
    for (const Change& change : changes_[board]) {
      chosen_.push_back(&change);
      step(board + 1);
      chosen_.pop_back();
    }
  }
  void weigh() {
    std::map<std::string, int> left = left_;
    PackCosts costs{};
    std::int64_t evicted = 0, gpus = 0, destroyed = 0, created = 0, running = 0;
    std::set<NodeName> nodes;
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      for (const auto& [profile, count] : chosen_[i]->gained) left[profile] -= count;
      evicted += chosen_[i]->evicted;
      destroyed += chosen_[i]->destroyed;
      created += chosen_[i]->created;
      gpus += chosen_[i]->touched ? 1 : 0;
      if (chosen_[i]->touched) nodes.insert(problem_.boards[i].node);
    }
    for (const auto& [profile, count] : left) costs[0] += std::max(0, count);
    for (const NodeName& node : nodes) running += running_[node];
    const auto count = static_cast<std::int64_t>(nodes.size());
    std::set<std::string> sent_away;
    if (evicted > 0)
      for (const NodeName& node : nodes)
        if (const auto at = jobs_.find(node); at != jobs_.end())
          sent_away.insert(at->second.begin(), at->second.end());
    const std::pair away(costs[0], static_cast<std::int64_t>(sent_away.size()));
    if (!fewest_ || away < *fewest_) fewest_ = away;
    // Nothing is moved unless it has to be; then all that runs on the nodes is sent away for it.
    if (problem_.mode == pack::Mode::in_place)
      costs = {costs[0], evicted, gpus, count, destroyed, created};
    else
      costs = {costs[0], evicted > 0, running, count, evicted, gpus, destroyed, created};
    if (!best_ || costs < *best_) best_ = costs;
  }

  const pack::Problem& problem_;
  const JobsByNode& jobs_;
  std::optional<std::pair<std::int64_t, std::int64_t>> fewest_;  // unmet, jobs that are sent away
  std::vector<std::vector<Change>> changes_;
  std::map<NodeName, int> running_;
  std::map<std::string, int> left_;
  std::vector<const Change*> chosen_;
  std::optional<PackCosts> best_;
};

}  // namespace

pack::Problem random_problem(const PackKind& kind, std::mt19937& random) {
  pack::Problem problem;
  problem.products = kind.products;
  for (int i = 0; i < kind.boards; ++i) {
    pack::Board board = random_board(kind, problem, random);
    board.node = NodeName("n" + std::to_string(i / kind.boards_a_node));
    board.gpu = GpuIndex{i % kind.boards_a_node};
    problem.boards.push_back(std::move(board));
  }
  add_demand(kind, problem, random);
  return problem;
}

PackCosts costs_of(const pack::Problem& problem, const pack::Answer& answer) {
  std::int64_t unmet = answer.homeless;
  for (int left : answer.unmet) unmet += left;
  if (problem.mode == pack::Mode::in_place)
    return {unmet,         answer.evicted, answer.gpus_touched, answer.nodes_touched, answer.idle_destroyed,
            answer.created};
  return {unmet,          answer.evicted > 0,  answer.running_on_touched_nodes, answer.nodes_touched,
          answer.evicted, answer.gpus_touched, answer.idle_destroyed,           answer.created};
}

PackCosts best_costs(const pack::Problem& problem) {
  const JobsByNode none;
  return Everything(problem, none).run();
}

std::int64_t fewest_sent_away(const pack::Problem& problem, const JobsByNode& jobs) {
  return Everything(problem, jobs).fewest_sent_away();
}

}  // namespace tessera::test
