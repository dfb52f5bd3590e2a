#include "engine/pack/choose.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

#include "engine/plan/effect/creation.hpp"

namespace tessera::pack {
namespace {

// GPUs that are still to be chosen: by class, then by choice.
using Needs = std::vector<std::vector<std::int64_t>>;

std::int64_t sum(const std::vector<std::int64_t>& counts) {
  std::int64_t all = 0;
  for (std::int64_t count : counts) all += count;
  return all;
}

// The cheapest of the state's choices that is worth what the class's is.
const Choice* own(const State& state, const Choice& wanted) {
  const Choice* best = nullptr;
  for (const Choice& choice : state.choices) {
    if (!covers(choice.worth, wanted.worth) || choice.evicted > wanted.evicted) continue;
    if (!best || std::tuple(choice.evicted, choice.destroyed, choice.created) <
                     std::tuple(best->evicted, best->destroyed, best->created))
      best = &choice;
  }
  return best;
}

class Chooser {
 public:
  Chooser(const Classes& classes, const Nodes& nodes) : classes_(classes), nodes_(nodes) {}

  // Takes from the node what is needed, GPUs in their order. taken: told the class of each.
  template <class Taken>
  void take(std::size_t node, Needs& needs, Taken taken) {
    for (std::size_t board : nodes_.boards[node]) {
      const State& state = classes_.states[classes_.state_of[board]];
      auto& wanted = needs[state.class_number];
      auto at = std::find_if(wanted.begin(), wanted.end(), [](std::int64_t count) { return count > 0; });
      if (at == wanted.end() || chosen.contains(board)) continue;
      --*at;
      taken(state.class_number);
      const auto& choices = classes_.classes[state.class_number].choices;
      chosen[board] = own(state, choices[static_cast<std::size_t>(at - wanted.begin())]);
    }
  }
  std::int64_t usable(std::size_t node, const std::vector<std::int64_t>& left) {
    kinds_.clear();
    for (std::size_t board : nodes_.boards[node]) {
      const std::size_t kind = classes_.states[classes_.state_of[board]].class_number;
      if (left[kind] > 0) kinds_.push_back(kind);
    }
    std::sort(kinds_.begin(), kinds_.end());
    std::int64_t all = 0;
    for (auto from = kinds_.begin(); from != kinds_.end();) {
      const auto to = std::upper_bound(from, kinds_.end(), *from);
      all += std::min<std::int64_t>(to - from, left[*from]);
      from = to;
    }
    return all;
  }

  Chosen chosen;

 private:
  const Classes& classes_;
  const Nodes& nodes_;
  std::vector<std::size_t> kinds_;  // of one node after the other
};

// Nodes of a type are alike: the first of them.
void choose_by_type(const Selection& selection, const Model& model, const Classes& classes,
                    Chooser& chooser) {
  for (std::size_t type = 0; type < model.types.size(); ++type) {
    Needs needs(classes.classes.size());
    for (std::size_t i = 0; i < model.groups.size(); ++i)
      if (model.groups[i].type == static_cast<int>(type))
        needs[model.groups[i].class_number] = selection.used[i];
    for (std::int64_t i = 0; i < selection.nodes[type]; ++i)
      chooser.take(model.types[type].nodes[static_cast<std::size_t>(i)], needs, [](std::size_t) {});
  }
}

void choose_by_node(Needs needs, const Nodes& nodes, const std::vector<bool>& allowed, Chooser& chooser) {
  std::vector<std::int64_t> left;
  for (const auto& wanted : needs) left.push_back(sum(wanted));
  using Entry = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // usable, -running, -node
  std::priority_queue<Entry> queue;
  auto push = [&](std::size_t node) {
    if (std::int64_t usable = chooser.usable(node, left); usable > 0)
      queue.push({usable, -nodes.running[node], -static_cast<std::int64_t>(node)});
  };
  for (std::size_t node = 0; node < nodes.boards.size(); ++node)
    if (allowed[node]) push(node);
  while (!queue.empty()) {
    auto [usable, running, minus] = queue.top();
    queue.pop();
    const auto node = static_cast<std::size_t>(-minus);
    if (chooser.usable(node, left) < usable) {
      push(node);
      continue;
    }
    chooser.take(node, needs, [&](std::size_t kind) { --left[kind]; });
  }
}

bool affordable(const Universe& universe, const std::vector<std::int64_t>& spare, Worth now, Worth then) {
  for (std::size_t slot = 0; slot < universe.rows.size(); ++slot) {
    int less = worth_at(now, slot) - worth_at(then, slot);
    if (less > 0 && spare[universe.rows[slot]] < less) return false;
  }
  return true;
}

}  // namespace

Chosen choose(const Selection& selection, const Model& model, const Classes& classes, const Nodes& nodes,
              const std::vector<bool>& allowed) {
  Chooser chooser(classes, nodes);
  if (!model.types.empty()) {
    choose_by_type(selection, model, classes, chooser);
  } else {
    Needs needs(classes.classes.size());
    for (std::size_t i = 0; i < model.groups.size(); ++i)
      needs[model.groups[i].class_number] = selection.used[i];
    choose_by_node(std::move(needs), nodes, allowed, chooser);
  }
  return std::move(chooser.chosen);
}

void trim(Chosen& chosen, const Classes& classes) {
  std::vector<std::int64_t> spare;
  for (const Row& row : classes.rows) spare.push_back(row.standing - row.count);
  auto change = [&](const Universe& universe, Worth from, Worth to) {
    for (std::size_t slot = 0; slot < universe.rows.size(); ++slot)
      spare[universe.rows[slot]] += worth_at(to, slot) - worth_at(from, slot);
  };
  for (const auto& [board, choice] : chosen) {
    const State& state = classes.states[classes.state_of[board]];
    change(classes.universes[state.product], state.worth, choice->worth);
  }
  for (auto at = chosen.begin(); at != chosen.end();) {
    const State& state = classes.states[classes.state_of[at->first]];
    const Universe& universe = classes.universes[state.product];
    const Choice* now = at->second;
    if (affordable(universe, spare, now->worth, state.worth)) {
      change(universe, now->worth, state.worth);
      at = chosen.erase(at);
      continue;
    }
    for (const Choice& choice : state.choices) {
      if (std::tuple(choice.evicted, choice.destroyed, choice.created) >=
              std::tuple(at->second->evicted, at->second->destroyed, at->second->created) ||
          !affordable(universe, spare, now->worth, choice.worth))
        continue;
      at->second = &choice;
    }
    change(universe, now->worth, at->second->worth);
    ++at;
  }
}

BoardPlan plan_of(const Classes& classes, std::size_t board, const Choice& choice) {
  const State& state = classes.states[classes.state_of[board]];
  const Universe& universe = classes.universes[state.product];
  auto told = [&](std::uint64_t layout) {
    BoardPlan plan;
    plan.board = board;
    plan.keep = layout_of(universe, layout & (state.held | state.idle));
    plan.destroy = layout_of(universe, state.idle & ~layout);
    plan.evict = layout_of(universe, state.held & ~layout);
    plan.evicts_whole = (state.held & ~layout & universe.whole) != 0;
    return plan;
  };
  if ((choice.layout & universe.whole) != 0) {
    BoardPlan plan = told(choice.layout);
    plan.to_whole = true;
    return plan;
  }
  const auto alike = [&](std::uint64_t layout) {
    const std::uint64_t created = layout & ~state.held & ~state.idle;
    return (state.stays & ~layout) == 0 && std::popcount(state.held & ~layout) == choice.evicted &&
           std::popcount(created) == choice.created &&
           std::popcount(state.idle & ~layout & ~universe.whole) == choice.destroyed &&
           (created & ~universe.wanted) == 0;
  };
  const Worth wanted = choice.worth + worth_running(universe, state.held);
  for (std::size_t i = 0; i < universe.layouts.size(); ++i) {
    const std::uint64_t layout = universe.layouts[i];
    if (universe.worths[i] != wanted || !alike(layout)) continue;  // the first rules nearly all of them out
    BoardPlan plan = told(layout);
    const mig::Layout created = layout_of(universe, layout & ~state.held & ~state.idle);
    auto order = plan::driver_order(*universe.product, plan.keep, created);
    if (!order) continue;
    mig::Layout made(order->begin(), order->end());
    std::sort(made.begin(), made.end());
    if (made != created) continue;
    plan.create = std::move(*order);
    return plan;
  }
  BoardPlan plan = told(choice.layout);
  plan.create =
      plan::largest_first(*universe.product, layout_of(universe, choice.layout & ~state.held & ~state.idle));
  return plan;
}

}  // namespace tessera::pack
