#include "engine/pack/pools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "engine/pack/model.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/sharing.hpp"
#include "engine/pack/whole.hpp"

namespace tessera::pack {
namespace {

// Some nodes of a problem. Products keep their numbers.
struct Part {
  Problem problem;
  std::vector<std::size_t> numbers;  // by board: its number in the whole
};

Part on_nodes(const Part& all, const std::set<NodeName>& nodes) {
  Part part;
  part.problem.mode = all.problem.mode, part.problem.evict = all.problem.evict;
  part.problem.products = all.problem.products;
  for (std::size_t i = 0; i < all.problem.boards.size(); ++i)
    if (nodes.contains(all.problem.boards[i].node)) {
      part.problem.boards.push_back(all.problem.boards[i]);
      part.numbers.push_back(all.numbers[i]);
    }
  const auto take = [&](const auto& from, auto& to) {
    for (const auto& one : from)
      if (nodes.contains(one.node)) to.push_back(one);
  };
  take(all.problem.spare, part.problem.spare);
  take(all.problem.busy, part.problem.busy);
  take(all.problem.passed_by, part.problem.passed_by);
  return part;
}

int evicted_of(const Problem& problem, const Answer& answer, const Served& kind) {
  int count = 0;
  for (const BoardPlan& plan : answer.boards) {
    const Board& board = problem.boards[plan.board];
    for (const mig::Placed& one : plan.evict)
      count += is_of(kind, name_of(problem, board, one), board.product) ? 1 : 0;
    if (plan.evicts_whole && is_of(kind, ProfileName(std::string(kWhole)), board.product)) ++count;
  }
  return count;
}

// The problem once these demands are met by that answer: GPUs that it changes are changed no more, and what
// serves them serves no other one.
class Afterwards {
 public:
  Afterwards(const Part& before, const Part& asked, const Answer& answer)
      : part_(before), gone_(before.numbers.size(), false) {
    for (std::size_t i = 0; i < asked.problem.demand.size(); ++i)
      left_[kind_of(asked.problem.demand[i])] += asked.problem.demand[i].count - answer.unmet[i];
    for (const BoardPlan& plan : answer.boards) {
      const Board& board = asked.problem.boards[plan.board];
      for (const mig::Placed& one : plan.evict) move(name_of(asked.problem, board, one), board.product);
      if (plan.evicts_whole) move(ProfileName(std::string(kWhole)), board.product);
    }
    for (const Board& board : asked.problem.boards) nodes_.insert(board.node);
    for (const Spare& spare : asked.problem.spare) nodes_.insert(spare.node);
    const auto plans = by_board(asked.problem, answer);
    for (std::size_t i = 0; i < asked.problem.boards.size(); ++i)
      if (plans[i]) change(asked.problem, asked.problem.boards[i], plans[i], asked.numbers[i]);
    for (Spare& spare : part_.problem.spare)
      for (auto& [kind, left] : left_)
        if (nodes_.contains(spare.node) && is_of(kind, spare, part_.problem)) {
          const int taken = std::min(left, spare.count);
          left -= taken, spare.count -= taken;
        }
    std::erase_if(part_.problem.spare, [](const Spare& spare) { return spare.count <= 0; });
    keep_what_serves();
    erase_gone();
    part_.problem.spare.insert(part_.problem.spare.end(), over_.begin(), over_.end());
  }
  Part take() { return std::move(part_); }

 private:
  // What is moved needs a place, too.
  void move(const ProfileName& profile, std::size_t product) {
    for (auto& [kind, left] : left_)
      if (is_of(kind, profile, product)) return void(++left);
    ++left_[{profile, product}];
  }
  bool serves(const ProfileName& profile, std::size_t product) {
    for (auto& [kind, left] : left_)
      if (left > 0 && is_of(kind, profile, product)) return --left, true;
    return false;
  }
  void change(const Problem& problem, const Board& board, const BoardPlan* plan, std::size_t number) {
    for (const ProfileName& idle : idle_on(problem, board, plan)) set_apart(board, idle);
    // Parts keep the order of the whole.
    const auto at = std::lower_bound(part_.numbers.begin(), part_.numbers.end(), number);
    gone_[static_cast<std::size_t>(at - part_.numbers.begin())] = true;
  }
  // An idle instance of a GPU that is changed no more. Products have one number in all parts.
  void set_apart(const Board& board, const ProfileName& idle) {
    if (!serves(idle, board.product))
      over_.push_back({board.node, idle, part_.problem.products[board.product], 1});
  }
  void erase_gone() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < gone_.size(); ++i) {
      if (gone_[i]) continue;
      if (kept != i) part_.problem.boards[kept] = std::move(part_.problem.boards[i]);
      part_.numbers[kept++] = part_.numbers[i];
    }
    part_.problem.boards.resize(kept), part_.numbers.resize(kept);
  }
  void keep_what_serves() {
    for (std::size_t i = part_.problem.boards.size(); i-- > 0;) {
      Board& board = part_.problem.boards[i];
      if (gone_[i] || !nodes_.contains(board.node)) continue;
      if (board.whole && serves(ProfileName(std::string(kWhole)), board.product)) {
        gone_[i] = true;
        continue;
      }
      for (Instance& one : board.instances)
        if (!one.held && serves(name_of(part_.problem, board, one.placed), board.product)) {
          one.held = one.stays = true;
          // Of one of which it is not told where its instances stand, only all could be changed.
          if (!board.placed) {
            for (const Instance& other : board.instances)
              if (!other.held) set_apart(board, name_of(part_.problem, board, other.placed));
            gone_[i] = true;
            break;
          }
        }
    }
  }

  Part part_;
  std::vector<bool> gone_;      // by board of the part
  std::map<Served, int> left_;  // that instances still have to be set apart for
  std::set<NodeName> nodes_;    // whose instances may be
  std::vector<Spare> over_;     // idle on GPUs that are changed no more
};

// Whether what is told as met is there on the nodes that may serve it: an instance serves one.
std::optional<std::string> why_not_there(const Problem& problem, const Answer& answer) {
  const auto plans = by_board(problem, answer);
  std::map<Served, std::vector<std::size_t>> demands;
  for (std::size_t i = 0; i < problem.demand.size(); ++i) demands[kind_of(problem.demand[i])].push_back(i);
  for (const auto& [kind, numbers] : demands) {
    std::vector<const std::set<NodeName>*> asking;
    for (const std::size_t i : numbers) asking.push_back(nodes_for(problem, problem.demand[i]));
    Sharing sharing(supply_of(problem, plans, kind), asking);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const int met = problem.demand[numbers[i]].count - answer.unmet[numbers[i]];
      if (sharing.give(i, met) < met) return kind.first.text + ": more is told as met than is there";
    }
  }
  return std::nullopt;
}

// A demand without a pool beside such with one: a pool of all nodes is the same.
Problem with_a_pool_for_each(Problem problem) {
  std::set<NodeName> all;
  const auto take = [&](const auto& from) {
    for (const auto& one : from) all.insert(one.node);
  };
  take(problem.boards), take(problem.spare), take(problem.busy), take(problem.passed_by);
  for (Demand& one : problem.demand)
    if (!one.pool) one.pool = problem.pools.size();
  problem.pools.push_back(std::move(all));
  return problem;
}

// Precondition: each demand has a pool.
class Pools {
 public:
  Pools(const Problem& problem, const Solve& solve) : problem_(problem), solve_(solve) {
    all_.problem = problem;
    for (std::size_t i = 0; i < problem.boards.size(); ++i) all_.numbers.push_back(i);
    answer_.unmet.assign(problem.demand.size(), 0);
    answer_.reason.resize(problem.demand.size());
    Bounds& bounds = answer_.bounds;
    bounds.nodes_proven = bounds.running_proven = bounds.unmet_proven = bounds.rest_proven = true;
  }

  Result<Answer> run() {
    for (const std::vector<std::size_t>& pools : connected()) {
      const Status done = answer_to(pools);
      if (!done) return done.error();
    }
    count();
    // Parts that were asked one after the other may have counted one place for work of several.
    if (const int more = kept_from_home(problem_, answer_); more > 0)
      answer_.homeless += more, answer_.bounds = {};
    if (const auto why = why_wrong())
      return Error{"the plan is not used", "it fails its own check: " + *why,
                   "please report this with the input"};
    return std::move(answer_);
  }

 private:
  // The parts were checked one by one: the whole by the rules of placement, and by what serves which pool.
  std::optional<std::string> why_wrong() const {
    // Field by field: the sets of nodes of a large queue are gigabytes.
    Problem unasked;
    unasked.mode = problem_.mode, unasked.evict = problem_.evict;
    unasked.products = problem_.products, unasked.boards = problem_.boards;
    unasked.spare = problem_.spare, unasked.busy = problem_.busy, unasked.passed_by = problem_.passed_by;
    Answer alone = answer_;
    alone.unmet.clear();
    if (auto why = why_invalid(unasked, alone)) return why;
    return why_not_there(problem_, answer_);
  }

  // Pools that share nodes, by their numbers.
  std::vector<std::vector<std::size_t>> connected() const {
    std::vector<std::size_t> group(problem_.pools.size());
    std::map<NodeName, std::size_t> first;
    for (std::size_t pool = 0; pool < group.size(); ++pool) {
      group[pool] = pool;
      for (const NodeName& node : problem_.pools[pool]) {
        const auto [at, fresh] = first.try_emplace(node, pool);
        if (fresh || group[at->second] == group[pool]) continue;
        const std::size_t from = group[pool], to = group[at->second];
        std::replace(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(pool) + 1, from, to);
      }
    }
    std::map<std::size_t, std::vector<std::size_t>> groups;
    for (std::size_t pool = 0; pool < group.size(); ++pool) groups[group[pool]].push_back(pool);
    std::vector<std::vector<std::size_t>> all;
    for (auto& [number, pools] : groups) all.push_back(std::move(pools));
    return all;
  }

  std::vector<std::size_t> demands_of(const std::vector<std::size_t>& pools) const {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < problem_.demand.size(); ++i)
      if (problem_.demand[i].pool &&
          std::find(pools.begin(), pools.end(), *problem_.demand[i].pool) != pools.end())
        all.push_back(i);
    return all;
  }

  // Their demand, summed by its kind. which: by demand of these: its number in the part.
  Part asked(const Part& from, const std::vector<std::size_t>& pools, const std::vector<std::size_t>& demands,
             std::vector<std::size_t>& which) const {
    std::set<NodeName> nodes;
    for (const std::size_t pool : pools)
      nodes.insert(problem_.pools[pool].begin(), problem_.pools[pool].end());
    Part part = on_nodes(from, nodes);
    for (const std::size_t demand : demands) {
      Demand one = problem_.demand[demand];
      one.pool.reset();
      auto& sums = part.problem.demand;
      const auto same = std::find_if(sums.begin(), sums.end(),
                                     [&](const Demand& other) { return kind_of(other) == kind_of(one); });
      which.push_back(static_cast<std::size_t>(same - sums.begin()));
      if (same == sums.end())
        sums.push_back(std::move(one));
      else
        same->count =
            static_cast<int>(std::min<std::int64_t>(std::int64_t{same->count} + one.count, kMostWanted));
    }
    return part;
  }

  Status answer_to(const std::vector<std::size_t>& pools) {
    const std::vector<std::size_t> demands = demands_of(pools);
    if (demands.empty()) return Done{};
    std::vector<std::size_t> which;
    const Part part = asked(all_, pools, demands, which);
    const Result<Answer> together = solve_(part.problem);
    if (!together) return together.error();
    add_bounds(*together, demands, which);
    unbounded_ = unbounded_ || may_be_better_elsewhere(part, *together);
    if (pools.size() == 1 || share_out(part, *together, demands, which)) {
      if (pools.size() == 1)
        for (std::size_t i = 0; i < demands.size(); ++i)
          tell(demands[i], together->unmet[which[i]], together->reason[which[i]]);
      add(part, *together);
      return Done{};
    }
    return one_by_one(part, *together, pools);
  }

  // What is moved may find a place on nodes of none of these pools, which no part was asked for. A plan that
  // moves nothing comes first in any case.
  bool may_be_better_elsewhere(const Part& part, const Answer& answer) const {
    const bool all = part.problem.boards.size() == problem_.boards.size() &&
                     part.problem.spare.size() == problem_.spare.size();
    if (!problem_.evict || all) return false;
    return answer.evicted > 0 || !answer.met();
  }

  // Whether its instances can be shared out so that no more is unmet than by all of it together.
  bool share_out(const Part& part, const Answer& together, const std::vector<std::size_t>& demands,
                 const std::vector<std::size_t>& which) {
    std::vector<int> unmet(demands.size(), 0);
    int homeless = 0;
    const auto plans = by_board(part.problem, together);
    for (std::size_t number = 0; number < part.problem.demand.size(); ++number) {
      const Served kind = kind_of(part.problem.demand[number]);
      // What is moved comes first: it finds a place on any of the nodes.
      std::vector<const std::set<NodeName>*> asking{nullptr};
      std::vector<std::size_t> who;
      for (std::size_t i = 0; i < demands.size(); ++i)
        if (which[i] == number)
          who.push_back(i), asking.push_back(nodes_for(problem_, problem_.demand[demands[i]]));
      Sharing sharing(supply_of(part.problem, plans, kind), asking);
      const int moved = evicted_of(part.problem, together, kind);
      const int without_place = moved - sharing.give(0, moved);
      homeless += without_place;
      std::int64_t left = without_place;
      for (std::size_t i = 0; i < who.size(); ++i) {
        const int count = problem_.demand[demands[who[i]]].count;
        unmet[who[i]] = count - sharing.give(i + 1, count);
        left += unmet[who[i]];
      }
      if (left > together.unmet[number]) return false;
    }
    for (std::size_t i = 0; i < demands.size(); ++i) tell(demands[i], unmet[i], together.reason[which[i]]);
    answer_.homeless += homeless;  // among what is unmet where no pools are told apart
    return true;
  }

  Status one_by_one(const Part& part, const Answer& together, std::vector<std::size_t> pools) {
    std::stable_sort(pools.begin(), pools.end(), [&](std::size_t a, std::size_t b) {
      return problem_.pools[a].size() < problem_.pools[b].size();
    });
    Part rest = part;
    std::map<Served, int> unmet;
    int evicted = 0, homeless = 0;
    bool resets = false;
    for (const std::size_t pool : pools) {
      const std::vector<std::size_t> demands = demands_of({pool});
      if (demands.empty()) continue;
      std::vector<std::size_t> which;
      const Part one = asked(rest, {pool}, demands, which);
      const Result<Answer> answer = solve_(one.problem);
      if (!answer) return answer.error();
      for (std::size_t i = 0; i < demands.size(); ++i)
        tell(demands[i], answer->unmet[which[i]], answer->reason[which[i]]);
      for (std::size_t i = 0; i < one.problem.demand.size(); ++i)
        unmet[kind_of(one.problem.demand[i])] += answer->unmet[i];
      evicted += answer->evicted, homeless += answer->homeless;
      for (const BoardPlan& plan : answer->boards)
        resets = resets || one.problem.boards[plan.board].resets_others;
      add(one, *answer);
      rest = Afterwards(rest, one, *answer).take();
    }
    answer_.bounds.rest_proven = false;
    one_by_one_ = true;
    // A plan that leaves other demand unmet, moves other work, or changes GPUs that reset others, which come
    // last, may change less than what was proven of all together.
    unbounded_ = unbounded_ || resets || evicted != together.evicted || homeless != together.homeless;
    for (std::size_t i = 0; i < part.problem.demand.size(); ++i)
      unbounded_ = unbounded_ || unmet[kind_of(part.problem.demand[i])] != together.unmet[i];
    return Done{};
  }

  bool has_gpus(const std::set<NodeName>& nodes) const {
    const auto any_of = [&](const auto& all) {
      return std::any_of(all.begin(), all.end(), [&](const auto& one) { return nodes.contains(one.node); });
    };
    return any_of(problem_.boards) || any_of(problem_.spare) || any_of(problem_.passed_by);
  }

  void tell(std::size_t demand, int unmet, const std::string& reason) {
    answer_.unmet[demand] = unmet;
    std::string& why = answer_.reason[demand];
    why = unmet == 0 ? "" : reason;
    if (unmet == 0) return;
    const std::set<NodeName>& nodes = problem_.pools[*problem_.demand[demand].pool];
    if (nodes.empty())
      why = "none of these nodes may be used for it";
    else if (!has_gpus(nodes))
      why = "no GPU of the nodes that it may use is known or can be planned now";
    else if (why.empty())
      why = "nodes that it may use serve other work that waits";
  }

  void add(const Part& part, const Answer& more) {
    for (BoardPlan plan : more.boards) {
      plan.board = part.numbers[plan.board];
      answer_.boards.push_back(std::move(plan));
    }
    answer_.homeless += more.homeless, answer_.evicted += more.evicted;
    answer_.idle_destroyed += more.idle_destroyed, answer_.created += more.created;
  }

  // Of plans for pools that share no node no cost of one makes up for that of another.
  void add_bounds(const Answer& more, const std::vector<std::size_t>& demands,
                  const std::vector<std::size_t>& which) {
    Bounds& all = answer_.bounds;
    const Bounds& one = more.bounds;
    all.slices += one.slices, all.empty_boards += one.empty_boards, all.lp += one.lp;
    all.gpus += one.gpus, all.nodes += one.nodes, all.running += one.running;
    all.unmet_proven = all.unmet_proven && one.unmet_proven;
    all.rest_proven = all.rest_proven && one.rest_proven;
    for (std::size_t i = 0; i < demands.size(); ++i)
      if (std::find(more.binding.begin(), more.binding.end(), which[i]) != more.binding.end())
        answer_.binding.push_back(demands[i]);
  }

  void count() {
    std::sort(answer_.boards.begin(), answer_.boards.end(),
              [](const BoardPlan& a, const BoardPlan& b) { return a.board < b.board; });
    std::sort(answer_.binding.begin(), answer_.binding.end());
    answer_.gpus_touched = static_cast<int>(answer_.boards.size());
    std::set<NodeName> changing;
    for (const BoardPlan& plan : answer_.boards) changing.insert(problem_.boards[plan.board].node);
    answer_.nodes_touched = static_cast<int>(changing.size());
    const Nodes nodes = nodes_of(problem_);
    for (std::size_t i = 0; i < nodes.boards.size(); ++i)
      if (changing.contains(problem_.boards[nodes.boards[i].front()].node))
        answer_.running_on_touched_nodes += nodes.running[i];
    Bounds& bounds = answer_.bounds;
    if (unbounded_) bounds = {};
    const bool in_place = problem_.mode == Mode::in_place;
    const bool quiet = answer_.running_on_touched_nodes <= bounds.running;
    // Where more runs, or more GPUs change, than was proven of all together, fewer nodes may do.
    if (one_by_one_ && (in_place ? answer_.gpus_touched > bounds.gpus : !quiet)) bounds.nodes = 0;
    bounds.gpus_proven = bounds.unmet_proven && answer_.gpus_touched == bounds.gpus;
    bounds.running_proven = !in_place && bounds.unmet_proven && quiet;
    bounds.nodes_proven = bounds.unmet_proven && answer_.nodes_touched == bounds.nodes &&
                          (in_place ? bounds.gpus_proven : quiet);
  }

  const Problem& problem_;
  const Solve& solve_;
  Part all_;
  Answer answer_;
  bool one_by_one_ = false;
  bool unbounded_ = false;  // what was proven is not of plans that leave as much unmet
};

}  // namespace

bool has_pools(const Problem& problem) {
  return std::any_of(problem.demand.begin(), problem.demand.end(),
                     [](const Demand& one) { return one.pool.has_value(); });
}

std::string unchecked_text(const Answer& answer) {
  if (answer.evicted == 0) return "";
  return fmt::format(
      "not checked: whether running work that is moved ({}) may use the nodes that have room for it",
      answer.evicted);
}

Result<Answer> pack_pools(const Problem& problem, const Solve& solve) {
  const bool each = std::all_of(problem.demand.begin(), problem.demand.end(),
                                [](const Demand& one) { return one.pool.has_value(); });
  if (each) return Pools(problem, solve).run();
  const Problem with_all = with_a_pool_for_each(problem);
  return Pools(with_all, solve).run();
}

}  // namespace tessera::pack
