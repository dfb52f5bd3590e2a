#include "engine/pack/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "engine/pack/bounds.hpp"
#include "engine/pack/choose.hpp"
#include "engine/pack/node_search.hpp"
#include "engine/pack/pools.hpp"
#include "engine/pack/sharing.hpp"
#include "engine/pack/whole.hpp"

namespace tessera::pack {
namespace {

// Programs up to so many columns tell nodes, and what is destroyed and created, apart; beyond them those
// costs follow a simple rule, and only GPUs (and nodes by their bound) are proved. Measured:
// docs/planning.md.
constexpr std::size_t kMostInFull = 1500;
constexpr std::size_t kMostWithNodes = 1500;
constexpr std::size_t kMostStatesInFull = 200;
constexpr int kMaxNodes = 2000;

std::vector<Cost> costs_of(const Problem& problem, bool evict, bool nodes, bool rest) {
  std::vector<Cost> costs{Cost::unmet};
  // All that runs on a node is sent away for one instance of it: that comes before how many are evicted.
  if (problem.mode == Mode::whole_node && nodes) {
    costs.push_back(Cost::running);
    costs.push_back(Cost::nodes);
  }
  if (evict) costs.push_back(Cost::evicted);
  costs.push_back(Cost::gpus);
  if (problem.mode == Mode::in_place && nodes) costs.push_back(Cost::nodes);
  if (rest) costs.insert(costs.end(), {Cost::destroyed, Cost::created});
  return costs;
}

// Whether every cost up to this one is as low as it can be.
bool proven(const Selection& selection, Cost cost) {
  for (const Pass& pass : selection.passes) {
    if (!pass.proven) return false;
    if (pass.cost == cost) return true;
  }
  return false;
}

// How a problem was solved: by which classes, and what came of it.
struct Solved {
  const Classes* classes = nullptr;  // the caller's, or the planner's own; `chosen` points into them
  Chosen chosen;
  Selection selection;
  bool of_all = false;  // by classes of all GPUs, nodes not told apart
};

// By Problem::boards.
std::vector<bool> taken_of(const Problem& problem, const Chosen& chosen) {
  std::vector<bool> taken(problem.boards.size(), false);
  for (const auto& [board, choice] : chosen) taken[board] = true;
  return taken;
}

// By row: instances that are to be made.
std::vector<int> needed_of(const Classes& classes) {
  std::vector<int> needed;
  for (const Row& row : classes.rows) needed.push_back(row.count - row.standing);
  return needed;
}

class Planner {
 public:
  Planner(const Problem& problem, bool evict, const Stop& stop)
      : problem_(problem),
        evict_(evict),
        stop_(stop),
        nodes_(nodes_of(problem)),
        all_(nodes_.boards.size(), true) {}

  // coarse: outlives what is returned, as the planner does.
  Result<Solved> run(const Classes& coarse) {
    const auto with_nodes = by_node_type(coarse, problem_, nodes_, kMostWithNodes);
    // Told apart in full there are as many columns at least.
    static_assert(kMostInFull <= kMostWithNodes);
    if (!with_nodes) return without_nodes(coarse);
    if (coarse.states.size() <= kMostStatesInFull) {
      Result<Classes> full = classify(problem_, evict_, true);
      if (!full) return full.error();
      if (auto model = by_node_type(*full, problem_, nodes_, kMostInFull))
        return solve(full_.emplace(std::move(*full)), *model, true);
    }
    return solve(coarse, *with_nodes, false);
  }

  const Nodes& nodes() const { return nodes_; }
  const Stop& stop() const { return stop_; }
  Model all_classes(const Classes& classes) const { return by_class(classes, nodes_, all_); }

 private:
  Solved solve(const Classes& classes, const Model& model, bool rest) const {
    Solved solved{&classes, {}, {}, false};
    const auto costs = costs_of(problem_, evict_, true, rest);
    solved.selection = select(model, classes, costs, kMaxNodes, stop_);
    finish(solved, model, all_);
    return solved;
  }

  void finish(Solved& solved, const Model& model, const std::vector<bool>& allowed) const {
    solved.chosen = choose(solved.selection, model, *solved.classes, nodes_, allowed);
    trim(solved.chosen, *solved.classes);
  }

  Solved without_nodes(const Classes& coarse) const {
    if (problem_.mode != Mode::whole_node) return on_nodes(coarse, all_);
    Solved found = on_nodes(coarse, search_nodes(problem_, coarse, nodes_, needed_of(coarse), stop_));
    // Where nodes on which nothing runs suffice, all of them together leave more choice; and where whole
    // instances leave more unmet than the relaxation does, more nodes may meet it.
    if (weight(found)[0] > 0 || weight(found)[1] == 0) better(coarse, quiet_nodes(coarse), found);
    if (weight(found)[0] > 0) better(coarse, all_, found);
    return found;
  }

  void better(const Classes& coarse, const std::vector<bool>& allowed, Solved& found) const {
    if (stop_ && stop_()) return;
    if (Solved other = on_nodes(coarse, allowed); weight(other) < weight(found)) found = std::move(other);
  }

  // What is compared of two plans: unmet, running, nodes, evicted, GPUs.
  std::array<std::int64_t, 5> weight(const Solved& solved) const {
    std::array<std::int64_t, 5> all{};
    for (std::int64_t left : solved.selection.unmet) all[0] += left;
    const std::vector<bool> taken = taken_of(problem_, solved.chosen);
    for (std::size_t node = 0; node < nodes_.boards.size(); ++node) {
      if (std::none_of(nodes_.boards[node].begin(), nodes_.boards[node].end(),
                       [&](std::size_t board) { return taken[board]; }))
        continue;
      all[1] += nodes_.running[node];
      ++all[2];
    }
    for (const auto& [board, choice] : solved.chosen) all[3] += choice->evicted;
    all[4] = static_cast<std::int64_t>(solved.chosen.size());
    return all;
  }

  Solved on_nodes(const Classes& coarse, const std::vector<bool>& allowed) const {
    const bool whole = problem_.mode == Mode::whole_node;
    const Model model = by_class(coarse, nodes_, allowed);
    Solved solved{&coarse, {}, {}, !whole};
    solved.selection = select(model, coarse, costs_of(problem_, evict_, false, false), kMaxNodes, stop_);
    finish(solved, model, allowed);
    return solved;
  }

  // Only the nodes with the fewest running instances that meet as much demand as all nodes do.
  std::vector<bool> quiet_nodes(const Classes& coarse) const {
    std::vector<int> steps = nodes_.running;
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    UnmetOn unmet(coarse, nodes_, stop_);
    auto up_to = [&](int running) {
      std::vector<bool> some;
      for (int one : nodes_.running) some.push_back(one <= running);
      return some;
    };
    const double least = unmet(all_) + 1e-6;
    auto enough = std::partition_point(steps.begin(), steps.end() - 1,
                                       [&](int running) { return unmet(up_to(running)) > least; });
    return up_to(*enough);
  }

  const Problem& problem_;
  bool evict_;
  const Stop& stop_;
  Nodes nodes_;
  std::vector<bool> all_;
  std::optional<Classes> full_;  // where they are told apart in full
};

// GPUs that have the profile, and that no plan may change.
std::int64_t passed_by(const Problem& problem, const Demand& wanted) {
  std::int64_t gpus = 0;
  for (const PassedBy& one : problem.passed_by)
    if ((!wanted.product || problem.products[*wanted.product] == one.product) &&
        one.product->find(wanted.profile.text))
      gpus += one.gpus;
  return gpus;
}

std::string reason_of(const Problem& problem, const Classes& classes, std::size_t demand, int left) {
  const Demand& wanted = problem.demand[demand];
  std::int64_t standing = 0, room = 0, gpus = 0;
  for (const State& state : classes.states) {
    const Universe& universe = classes.universes[state.product];
    for (std::size_t slot = 0; slot < universe.rows.size(); ++slot) {
      if (universe.rows[slot] != demand) continue;
      int most = worth_at(state.worth, slot);
      for (const Choice& choice : state.choices) most = std::max(most, worth_at(choice.worth, slot));
      standing += std::int64_t{state.count} * worth_at(state.worth, slot);
      room += std::int64_t{state.count} * most;
      gpus += state.count;
    }
  }
  if (is_whole(wanted.profile)) {
    // Of the GPUs, not of the demand: "3 of 29" would be taken for the number of GPUs that there are.
    const int met = wanted.count - left;
    if (wanted.product)
      return fmt::format(
          "GPUs of the product {} that are whole and free, or can be made so: {}, as the others are in use, "
          "left out, or serve the rest of the demand",
          problem.products[*wanted.product]->key.text, met);
    return fmt::format(
        "GPUs that are whole and free, or can be made so: {}, as the others are in use, left out, or serve "
        "the "
        "rest of the demand",
        met);
  }
  if (gpus == 0) {
    if (const std::int64_t passed = passed_by(problem, wanted); passed > 0)
      return fmt::format("no GPU that has the profile {} may be planned: {} are left out",
                         wanted.profile.text, passed);
    return fmt::format("none of these GPUs has the profile {}", wanted.profile.text);
  }
  // Idle instances that are known by their number serve, too.
  room += classes.rows[demand].standing - standing;
  const int met = std::max(0, wanted.count - left);
  const bool evicts = std::any_of(classes.states.begin(), classes.states.end(), [](const State& state) {
    return std::any_of(state.choices.begin(), state.choices.end(),
                       [](const Choice& choice) { return choice.evicted > 0; });
  });
  if (evicts && met < room)
    return fmt::format(
        "{} of {} can be met: more running work would have to be moved, and finds no other place", met,
        wanted.count);
  if (room < wanted.count)
    return fmt::format("running instances leave room for {} of {} on {} GPU{}", room, wanted.count, gpus,
                       gpus == 1 ? "" : "s");
  return fmt::format("the rest of the demand needs the same GPUs: {} of {} left over", left, wanted.count);
}

// Rows that instances of each profile of a product serve, and last those that its whole GPUs do.
using RowsServed = std::vector<std::vector<std::size_t>>;

RowsServed rows_served(const Problem& problem, const Classes& classes, std::size_t product) {
  const std::vector<mig::Profile>& profiles = problem.products[product]->profiles;
  RowsServed served(profiles.size() + 1);
  for (std::size_t row = 0; row < classes.rows.size(); ++row) {
    const Row& one = classes.rows[row];
    if (one.product && *one.product != product) continue;
    for (std::size_t i = 0; i < profiles.size(); ++i)
      if (profiles[i].name == one.profile) served[i].push_back(row);
    if (is_whole(one.profile)) served.back().push_back(row);
  }
  return served;
}

void tell_unmet(const Problem& problem, const Classes& classes, Answer& answer) {
  std::vector<std::int64_t> have;
  for (const Row& row : classes.rows) have.push_back(std::int64_t{row.standing} - row.count);
  std::vector<RowsServed> by_product;
  for (std::size_t i = 0; i < problem.products.size(); ++i)
    by_product.push_back(rows_served(problem, classes, i));
  for (const BoardPlan& plan : answer.boards) {
    const RowsServed& served = by_product[classes.states[classes.state_of[plan.board]].product];
    auto change = [&](const auto& list, int by) {
      for (const mig::Placed& placed : list)
        for (const std::size_t row : served[static_cast<std::size_t>(placed.profile)]) have[row] += by;
    };
    for (const std::size_t row : served.back())
      have[row] += plan.to_whole ? 1 : problem.boards[plan.board].whole || plan.evicts_whole ? -1 : 0;
    change(plan.create, 1);
    change(plan.destroy, -1);
    change(plan.evict, -1);
  }
  for (std::size_t row = 0; row < classes.rows.size(); ++row) {
    const int left = static_cast<int>(std::max<std::int64_t>(0, -have[row]));
    if (row >= problem.demand.size()) {
      answer.homeless += left;
      continue;
    }
    answer.unmet.push_back(left);
    answer.reason.push_back(left > 0 ? reason_of(problem, classes, row, left) : "");
  }
}

void tell_boards(const Problem& problem, const Solved& solved, const Nodes& nodes, Answer& answer) {
  // A choice belongs to one state, and GPUs of a state have the same plan: its order is searched once.
  std::unordered_map<const Choice*, std::size_t> first;
  for (const auto& [board, choice] : solved.chosen) {
    const auto [same, fresh] = first.try_emplace(choice, answer.boards.size());
    answer.boards.push_back(fresh ? plan_of(*solved.classes, board, *choice) : BoardPlan());
    if (!fresh) answer.boards.back() = answer.boards[same->second], answer.boards.back().board = board;
    answer.evicted += choice->evicted;
    answer.idle_destroyed += choice->destroyed;
    answer.created += choice->created;
  }
  answer.gpus_touched = static_cast<int>(answer.boards.size());
  const std::vector<bool> taken = taken_of(problem, solved.chosen);
  for (std::size_t node = 0; node < nodes.boards.size(); ++node) {
    const bool touched = std::any_of(nodes.boards[node].begin(), nodes.boards[node].end(),
                                     [&](std::size_t board) { return taken[board]; });
    if (!touched) continue;
    ++answer.nodes_touched;
    answer.running_on_touched_nodes += nodes.running[node];
  }
  tell_unmet(problem, *solved.classes, answer);
}

int most_on_a_node(const Classes& classes, const Nodes& nodes) {
  std::ptrdiff_t most = 1;
  for (const auto& boards : nodes.boards)
    most = std::max(most, std::count_if(boards.begin(), boards.end(), [&](std::size_t board) {
                      return !classes.states[classes.state_of[board]].choices.empty();
                    }));
  return static_cast<int>(most);
}

std::vector<int> to_make(const Problem& problem, const Classes& classes, const Answer& answer) {
  std::vector<int> left;
  for (std::size_t i = 0; i < problem.demand.size(); ++i)
    left.push_back(std::max(0, classes.rows[i].count - answer.unmet[i] - classes.rows[i].standing));
  return left;
}

void tell_relaxed(const Problem& problem, const Solved& solved, const Planner& planner, std::int64_t unmet,
                  Answer& answer) {
  // On drained nodes one that evicts more may change fewer: what is told of nodes holds for those, too.
  const auto evicted = problem.mode == Mode::in_place ? std::optional<std::int64_t>(answer.evicted)
                                                      : std::optional<std::int64_t>();
  const Pass* gpus = solved.of_all ? solved.selection.pass(Cost::gpus) : nullptr;
  const std::optional<Relaxed> root = gpus ? gpus->root
                                           : relaxed_gpus(planner.all_classes(*solved.classes),
                                                          *solved.classes, unmet, evicted, planner.stop());
  if (!root) return;
  answer.bounds.lp = root->value;
  for (std::size_t i = 0; i < problem.demand.size(); ++i)
    if (root->prices[i] > 1e-6) answer.binding.push_back(i);
}

// What the passes show holds for plans with as little unmet as this one, and of GPUs in place for those with
// as few evictions.
void tell_bounds(const Problem& problem, const Solved& solved, const Planner& planner, Answer& answer) {
  Bounds& bounds = answer.bounds;
  const Selection& selection = solved.selection;
  const bool in_place = problem.mode == Mode::in_place;
  const Fewest least = fewest(problem, to_make(problem, *solved.classes, answer));
  std::int64_t unmet = answer.homeless;
  for (int left : answer.unmet) unmet += left;
  bounds.slices = least.slices;
  bounds.empty_boards = least.empty_boards;
  tell_relaxed(problem, solved, planner, unmet, answer);
  bounds.gpus = std::max({least.slices, least.empty_boards, static_cast<int>(std::ceil(bounds.lp - 1e-6))});
  const Pass* gpus = selection.pass(Cost::gpus);
  if (in_place && gpus) bounds.gpus = std::max(bounds.gpus, static_cast<int>(gpus->bound));
  bounds.unmet_proven = unmet == 0 || proven(selection, Cost::unmet);
  bounds.gpus_proven = bounds.unmet_proven && answer.gpus_touched == bounds.gpus;
  const int most = most_on_a_node(*solved.classes, planner.nodes());
  bounds.nodes = (bounds.gpus + most - 1) / most;
  if (const Pass* nodes = selection.pass(Cost::nodes))
    bounds.nodes = std::max(bounds.nodes, static_cast<int>(nodes->bound));
  if (!in_place) {
    const LeastNodes by_potential = least_nodes(problem, *solved.classes, planner.nodes(),
                                                needed_of(*solved.classes), static_cast<int>(unmet));
    bounds.nodes = std::max(bounds.nodes, by_potential.nodes);
    bounds.running = by_potential.running;
  }
  const Pass* running = selection.pass(Cost::running);
  if (running) bounds.running = std::max(bounds.running, static_cast<int>(running->bound));
  const bool quiet = answer.running_on_touched_nodes <= bounds.running;
  bounds.running_proven = !in_place && bounds.unmet_proven && quiet;
  bounds.nodes_proven =
      bounds.unmet_proven && answer.nodes_touched == bounds.nodes && (in_place ? bounds.gpus_proven : quiet);
  bounds.rest_proven = answer.gpus_touched == 0 || proven(selection, Cost::created);
}

// What was found until then proves nothing.
std::optional<Error> given_up(const Stop& stop) {
  if (!stop || !stop()) return std::nullopt;
  return search_given_up();
}

Result<Answer> answer_of(const Problem& problem, const Classes& classes, bool evict, const Stop& stop) {
  Planner planner(problem, evict, stop);
  Result<Solved> solved = planner.run(classes);
  if (!solved) return solved.error();
  if (auto early = given_up(stop)) return *early;
  Answer answer;
  tell_boards(problem, *solved, planner.nodes(), answer);
  tell_bounds(problem, *solved, planner, answer);
  return answer;
}

// "1 GPU", "2 GPUs"
std::string counted(int count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::int64_t unmet_of(const Answer& answer) {
  std::int64_t all = answer.homeless;
  for (int left : answer.unmet) all += left;
  return all;
}

// By those GPUs alone whose change resets no other one; nullopt: all of them are such, or none is.
Result<std::optional<Answer>> without_resets(const Problem& problem, const Stop& stop) {
  const auto resets = [](const Board& board) { return board.resets_others; };
  if (std::none_of(problem.boards.begin(), problem.boards.end(), resets)) return std::optional<Answer>();
  Problem part = problem;
  std::vector<std::size_t> numbers;
  part.boards.clear();
  for (std::size_t i = 0; i < problem.boards.size(); ++i) {
    const Board& board = problem.boards[i];
    if (board.resets_others) {
      if (board.whole)
        part.spare.push_back(
            {board.node, ProfileName(std::string(kWhole)), problem.products[board.product], 1});
      continue;
    }
    part.boards.push_back(board);
    numbers.push_back(i);
  }
  if (numbers.empty()) return std::optional<Answer>();
  Result<Classes> classes = classify(part, false, false);
  if (!classes) return classes.error();
  Result<Answer> answer = answer_of(part, *classes, false, stop);
  if (!answer) return answer.error();
  for (BoardPlan& plan : answer->boards) plan.board = numbers[plan.board];
  return std::optional(std::move(*answer));
}

// The planner moves work to any node: what has no place on those that it may use is homeless, and of neither
// answer it is proven then that no other choice of what is moved leaves less unmet.
void keep_to_homes(const Problem& problem, Answer& moved, Answer& without) {
  const int more = kept_from_home(problem, moved);
  if (more == 0) return;
  moved.homeless += more;
  moved.bounds = {};
  Bounds& bounds = without.bounds;  // each rests on that
  bounds.unmet_proven = bounds.nodes_proven = bounds.running_proven = bounds.rest_proven = false;
  for (std::size_t i = 0; i < without.unmet.size(); ++i)
    if (moved.unmet[i] < without.unmet[i])
      without.reason[i] =
          "running work that would be moved for it has no room on those of these nodes that it may use";
}

}  // namespace

Error search_given_up() { return {"no plan was made", "the search was given up", "ask again"}; }

Result<Classes> classify(const Problem& problem) { return classify(problem, false, false); }

Result<Answer> pack(const Problem& problem, const Stop& stop) {
  if (has_pools(problem)) return pack_pools(problem, [&](const Problem& part) { return pack(part, stop); });
  Result<Classes> classes = classify(problem);
  if (!classes) return classes.error();
  return pack(problem, *classes, stop);
}

Result<Answer> pack(const Problem& problem, const Classes& classes, const Stop& stop) {
  if (has_pools(problem)) return pack(problem, stop);
  Result<std::optional<Answer>> gentle = without_resets(problem, stop);
  if (!gentle) return gentle.error();
  std::optional<Answer> before = std::move(*gentle);
  Result<Answer> answer =
      before && before->met() ? std::move(*before) : answer_of(problem, classes, false, stop);
  if (answer && before && !before->met() && unmet_of(*before) <= unmet_of(*answer)) {
    // What stands in the way is told by the look at all GPUs.
    for (std::size_t i = 0; i < before->reason.size() && i < answer->reason.size(); ++i)
      if (before->unmet[i] == answer->unmet[i]) before->reason[i] = answer->reason[i];
    answer = std::move(*before);
  }
  if (answer && problem.evict && !answer->met()) {
    Result<Classes> with = classify(problem, true, false);
    if (!with) return with.error();
    Result<Answer> moved = answer_of(problem, *with, true, stop);
    if (!moved) return moved;
    keep_to_homes(problem, *moved, *answer);
    if (unmet_of(*moved) < unmet_of(*answer)) answer = std::move(moved);
  }
  if (!answer) return answer;
  if (auto early = given_up(stop)) return *early;
  if (auto why = why_invalid(problem, *answer))
    return Error{"the plan is not used", "it fails its own check: " + *why,
                 "please report this with the input"};
  return answer;
}

std::string certificate(const Problem& problem, const Answer& answer) {
  const Bounds& bounds = answer.bounds;
  const bool nodes_first = problem.mode == Mode::whole_node;
  const std::string text = fmt::format("touches {} on {}", counted(answer.gpus_touched, "GPU"),
                                       counted(answer.nodes_touched, "node"));
  const int bound = nodes_first ? bounds.nodes : bounds.gpus;
  const std::string least = nodes_first ? counted(bound, "node") : std::to_string(bound);
  // Whether less could run on as few nodes is told by disturbed().
  const bool proven_here =
      nodes_first ? bounds.unmet_proven && answer.nodes_touched <= bounds.nodes : bounds.gpus_proven;
  if (proven_here) return fmt::format("{}; proven minimum {}", text, least);
  return fmt::format("{}; not proven minimal: no plan needs fewer than {}", text,
                     nodes_first ? least : counted(bound, "GPU"));
}

std::string bounds_text(const Answer& answer) {
  if (answer.boards.empty()) return "";
  const Bounds& bounds = answer.bounds;
  return fmt::format("GPUs needed at least: {} by slices, {} if all were empty, {:.1f} by linear programming",
                     bounds.slices, bounds.empty_boards, bounds.lp);
}

std::string headline(const Problem& problem, const Answer& answer) {
  if (!answer.boards.empty() || !answer.met()) return certificate(problem, answer);
  const bool asks = std::any_of(problem.demand.begin(), problem.demand.end(),
                                [](const Demand& one) { return one.count > 0; });
  return asks ? "Nothing to do: idle instances meet the demand."
              : "Nothing to do: the demand names no MIG slice and no whole GPU.";
}

std::string disturbed(const Problem& problem, const Answer& answer) {
  if (problem.mode != Mode::whole_node || answer.running_on_touched_nodes == 0) return "";
  const std::string text =
      fmt::format("jobs and pods on nodes that change: {}", answer.running_on_touched_nodes);
  if (answer.bounds.running_proven) return fmt::format("{}; no plan has fewer", text);
  return fmt::format("{}; not proven least: no plan has fewer than {}", text, answer.bounds.running);
}

bool Answer::met() const { return unmet_of(*this) == 0; }

std::string_view word(Mode mode) { return mode == Mode::in_place ? "in-place" : "whole-node"; }

}  // namespace tessera::pack
