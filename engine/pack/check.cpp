// why_invalid: replays an answer by the rules of placement alone.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "engine/pack/pack.hpp"
#include "engine/pack/whole.hpp"

namespace tessera::pack {
namespace {

std::string at(const Board& board) { return fmt::format("{} GPU {}: ", board.node.text, board.gpu.value); }

bool take_out(mig::Layout& layout, const mig::Placed& placed) {
  auto found = std::find(layout.begin(), layout.end(), placed);
  if (found == layout.end()) return false;
  layout.erase(found);
  return true;
}

// The GPU's instances step by step: first what goes, then each creation in its order.
std::optional<std::string> replay(const mig::Product& product, const Board& board, const BoardPlan& plan,
                                  mig::Layout& stands) {
  mig::Layout movable, idle;
  for (const Instance& instance : board.instances) {
    stands.push_back(instance.placed);
    if (!instance.held) idle.push_back(instance.placed);
    if (instance.held && !instance.stays) movable.push_back(instance.placed);
  }
  for (const mig::Placed& placed : plan.destroy)
    if (!take_out(idle, placed) || !take_out(stands, placed)) return "destroys what is not idle there";
  for (const mig::Placed& placed : plan.evict)
    if (!take_out(movable, placed) || !take_out(stands, placed))
      return "evicts what is not running there, or may not be moved";
  if (plan.evicts_whole != board.whole_held) return "what runs on the whole GPU is neither kept nor evicted";
  std::sort(stands.begin(), stands.end());
  mig::Layout kept = plan.keep;
  std::sort(kept.begin(), kept.end());
  if (kept != stands) return "what is kept is not what is left";
  if (plan.to_whole)
    return board.may_be_whole && stands.empty() && plan.create.empty() && plan.evict.empty()
               ? std::nullopt
               : std::optional<std::string>("made whole although it may not be, or is not empty");
  if (plan.create.empty()) return "changes without a creation";
  for (const mig::Placed& placed : plan.create) {
    if (!mig::fits(product, stands, placed)) return "an instance is created where there is no room";
    stands.insert(std::upper_bound(stands.begin(), stands.end(), placed), placed);
  }
  if (!mig::is_legal(product, stands)) return "the layout is not legal";
  return std::nullopt;
}

// What the idle instances of all GPUs are worth to a demand.
class Supply {
 public:
  explicit Supply(const Problem& problem) : problem_(problem) {
    for (const mig::Product* product : problem.products)
      by_profile_.emplace_back(product->profiles.size(), std::int64_t{0});
  }
  void add(std::size_t product, int profile, int count) {
    by_profile_[product].at(static_cast<std::size_t>(profile)) += count;
  }
  void add_whole(std::size_t product, int count) { whole_[product] += count; }

  std::int64_t of(const ProfileName& profile, std::optional<std::size_t> product) const {
    std::int64_t all = 0;
    for (const Spare& spare : problem_.spare)
      if (spare.profile == profile && (!product || problem_.products[*product] == spare.product))
        all += spare.count;
    if (is_whole(profile))
      for (const auto& [of, count] : whole_) all += !product || *product == of ? count : 0;
    for (std::size_t one = 0; one < by_profile_.size(); ++one) {
      if (product && *product != one) continue;
      for (std::size_t i = 0; i < by_profile_[one].size(); ++i)
        if (problem_.products[one]->profiles[i].name == profile) all += by_profile_[one][i];
    }
    return all;
  }

 private:
  const Problem& problem_;
  std::vector<std::vector<std::int64_t>> by_profile_;  // by product, then by its profiles
  std::map<std::size_t, std::int64_t> whole_;          // by product
};

}  // namespace

std::optional<std::string> why_invalid(const Problem& problem, const Answer& answer) {
  Supply supply(problem);
  for (const Board& board : problem.boards)
    if (board.whole) supply.add_whole(board.product, 1);
  for (const Board& board : problem.boards)
    for (const Instance& instance : board.instances)
      if (!instance.held) supply.add(board.product, instance.placed.profile, 1);
  std::set<NodeName> nodes;
  std::set<std::size_t> seen;
  std::map<std::pair<std::size_t, int>, int> evicted_of;
  std::map<std::size_t, int> evicted_whole;  // by product
  int evicted = 0, destroyed = 0, created = 0;
  for (const BoardPlan& plan : answer.boards) {
    if (plan.board >= problem.boards.size() || !seen.insert(plan.board).second)
      return "a GPU is unknown or named twice";
    const Board& board = problem.boards[plan.board];
    mig::Layout stands;
    if (auto why = replay(*problem.products[board.product], board, plan, stands)) return at(board) + *why;
    supply.add_whole(board.product, plan.to_whole ? 1 : board.whole ? -1 : 0);
    for (const mig::Placed& placed : plan.destroy) supply.add(board.product, placed.profile, -1);
    for (const mig::Placed& placed : plan.create) supply.add(board.product, placed.profile, 1);
    for (const mig::Placed& placed : plan.evict) ++evicted_of[{board.product, placed.profile}];
    nodes.insert(board.node);
    if (plan.evicts_whole) ++evicted, ++evicted_whole[board.product];
    evicted += static_cast<int>(plan.evict.size());
    destroyed += static_cast<int>(plan.destroy.size());
    created += static_cast<int>(plan.create.size());
  }
  if (evicted > 0 && !problem.evict) return "running instances are evicted";
  if (evicted != answer.evicted || destroyed != answer.idle_destroyed || created != answer.created ||
      answer.gpus_touched != static_cast<int>(answer.boards.size()) ||
      answer.nodes_touched != static_cast<int>(nodes.size()))
    return "its figures are not those of its GPUs";
  if (answer.unmet.size() != problem.demand.size()) return "a demand is missing";
  for (std::size_t i = 0; i < problem.demand.size(); ++i) {
    const Demand& demand = problem.demand[i];
    std::int64_t needed = demand.count;
    for (const auto& [key, count] : evicted_of) {
      const mig::Profile& profile =
          problem.products[key.first]->profiles[static_cast<std::size_t>(key.second)];
      if (profile.name == demand.profile && (!demand.product || *demand.product == key.first))
        needed += count;
    }
    if (is_whole(demand.profile))
      for (const auto& [product, count] : evicted_whole)
        if (!demand.product || *demand.product == product) needed += count;
    const std::int64_t left = std::max<std::int64_t>(0, needed - supply.of(demand.profile, demand.product));
    if (left != answer.unmet[i])
      return fmt::format("{}: {} are unmet, not {}", demand.profile.text, left, answer.unmet[i]);
  }
  return std::nullopt;
}

}  // namespace tessera::pack
