#include "engine/advise/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/refused.hpp"
#include "engine/pack/whole.hpp"

namespace tessera::advise {
namespace {

constexpr int kSteps[] = {1, 2, 4, 8, 32, 128, 512};  // nodes at most, of a plan of more

class Search {
 public:
  explicit Search(const Question& question) : question_(question) {
    const pack::Problem& all = all_within(std::nullopt).problem;
    found_.left_out = all_within(std::nullopt).left_out;
    for (const pack::Board& board : all.boards)
      for (const pack::Instance& one : board.instances)
        if (!one.held) ++idle_[board.node][{profile_of(all, board, one.placed), product_of(all, board)}];
    for (const pack::Board& board : all.boards)
      if (board.whole) ++idle_[board.node][{std::string(pack::kWhole), product_of(all, board)}];
    for (const pack::Spare& spare : all.spare)
      idle_[spare.node][{spare.profile.text, spare.product}] += spare.count;
    whole_node_ = all.mode == pack::Mode::whole_node;
  }

  Candidates run(const std::vector<Wanted>& wanted) {
    for (const Wanted& one : wanted) {
      const std::vector<NodeName> free = undisturbed(one.nodes);
      grow(free, one, std::nullopt);
      if (free != one.nodes) grow(one.nodes, one, std::nullopt);
      const auto hours = std::chrono::duration_cast<std::chrono::hours>(question_.ahead);
      for (const auto within : {hours / 4, hours})
        if (within.count() > 0) grow(one.nodes, one, within);
    }
    // Answers meet them one by one: a reason is told once for all of them.
    for (const pack::RefusedKind& kind : pack::by_reason(refused_)) note(kind.why);
    pack::name_left_out(found_.left_out, refused_, gpus_refused_);
    for (const auto& [word, asked] : unmet_)
      if (served_[word] < asked.first) note(word + ": " + asked.second + "; " + counted_once());
    return std::move(found_);
  }

 private:
  // What is not met even then is told of that time: now, less is free.
  std::string counted_once() const {
    return fmt::format("counted once what ends within {} h has ended",
                       std::chrono::duration_cast<std::chrono::hours>(question_.ahead).count());
  }

  const Cluster& cluster() const { return *question_.cluster; }

  std::optional<TimePoint> until(std::optional<Duration> within) const {
    return within ? std::optional(question_.now + *within) : std::nullopt;
  }
  // Of all nodes: read once, though there are dozens of plans.
  const pack::ClusterProblem& all_within(std::optional<Duration> within) {
    const auto [at, fresh] = all_.try_emplace(within);
    if (fresh)
      at->second = pack::problem_of(cluster(), question_.nodes, *question_.catalogue, question_.can,
                                    until(within), std::nullopt, &refused_);
    return at->second;
  }

  pack::ReadFrom read_from(std::optional<Duration> within) const {
    return {cluster(), *question_.catalogue, question_.can, question_.rules, {}, until(within), std::nullopt};
  }
  // Nodes of which no plan is made are in no other candidate, either.
  void leave_refused_out(Candidate& one, const std::map<NodeName, std::string>& refused) {
    refused_.insert(refused.begin(), refused.end());
    for (auto& [within, all] : all_) pack::leave_out(all.problem, refused, read_from(within));
    gpus_refused_.merge(pack::leave_out(one.problem, refused, read_from(one.ends_within)));
  }

  bool gives_up() {
    const Progress now{Progress::Stage::planning, solved_, 0};
    found_.given_up = found_.given_up || (question_.keep_on && !question_.keep_on(now));
    return found_.given_up;
  }

  static const std::string& profile_of(const pack::Problem& problem, const pack::Board& board,
                                       const mig::Placed& placed) {
    return problem.products[board.product]->profiles[static_cast<std::size_t>(placed.profile)].name.text;
  }

  static const mig::Product* product_of(const pack::Problem& problem, const pack::Board& board) {
    return problem.products[board.product];
  }

  // The plan with the fewest changes of these nodes, and what the best of its nodes give alone.
  void grow(const std::vector<NodeName>& nodes, const Wanted& wanted, std::optional<Duration> within) {
    // What the freest of them does not meet is met by none.
    const std::optional<Candidate> full = solve(nodes, wanted, within, within == question_.ahead);
    if (!full) return;
    const std::vector<NodeName> best = by_worth(*full);
    for (const int most : kSteps)
      if (static_cast<std::size_t>(most) < best.size())
        keep(solve({best.begin(), best.begin() + most}, wanted, within, false));
    keep(solve(best, wanted, within, false));
  }

  // Nodes that a plan changes without waiting for anyone: where a node is closed for it, those without work.
  std::vector<NodeName> undisturbed(const std::vector<NodeName>& nodes) const {
    if (!whole_node_) return nodes;
    std::vector<NodeName> free;
    for (const NodeName& name : nodes) {
      const Node& node = *cluster().nodes.find(name);
      const bool held = std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) {
        return std::any_of(gpu.slices.begin(), gpu.slices.end(),
                           [](const Slice& slice) { return slice.holding != Holding::free; });
      });
      if (!held && node.workloads.empty()) free.push_back(name);
    }
    return free;
  }

  // The demand on these nodes alone: what is free on the others serves first.
  Kinds left_on(const std::vector<NodeName>& nodes, const Wanted& wanted) const {
    const std::set<NodeName> mine(nodes.begin(), nodes.end());
    Kinds left = wanted.kinds;
    const auto serve = [&](const NodeName& node, bool only_whole) {
      const auto idle = idle_.find(node);
      if (mine.contains(node) || idle == idle_.end()) return;
      for (const auto& [kind, count] : idle->second)
        for (auto& [asked, missing] : left)
          if (asked.first == kind.first && (!asked.second || asked.second == kind.second) &&
              (!only_whole || kind.first == pack::kWhole))
            missing -= count;
    };
    for (const NodeName& node : wanted.nodes) serve(node, false);
    for (const NodeName& node : wanted.only_whole) serve(node, true);
    std::erase_if(left, [](const auto& one) { return one.second <= 0; });
    return left;
  }

  // The part of the demand that can be met there, and its plan; nullopt: nothing is to be changed for it.
  std::optional<Candidate> solve(const std::vector<NodeName>& nodes, const Wanted& wanted,
                                 std::optional<Duration> within, bool tell) {
    const Kinds left = left_on(nodes, wanted);
    if (left.empty() || gives_up()) return std::nullopt;
    Candidate one{{}, nodes, within, pack::part_of(all_within(within).problem, nodes), {}};
    for (const auto& [kind, count] : left) {
      pack::Demand& demand = one.demand.emplace_back(pack::Demand{ProfileName(kind.first), {}, count});
      if (kind.second) demand.product = pack::number_in(one.problem.products, kind.second);
    }
    const pack::Stop stop = question_.keep_on ? pack::Stop([this] { return gives_up(); }) : pack::Stop();
    std::optional<pack::Answer> first = packed_what_fits(one, stop, tell);
    if (!first) return std::nullopt;
    const pack::Again again = [&](const auto& refused) -> Result<std::optional<pack::Answer>> {
      leave_refused_out(one, refused);
      return packed_what_fits(one, stop, false);
    };
    auto kept = pack::without_refused(one.problem, std::move(*first), read_from(within), again, stop);
    if (!kept && !found_.given_up) note(kept.error().reason);
    if (!kept || !*kept) return std::nullopt;
    one.packed = std::move(**kept);
    return one;
  }

  // The answer to the part of the demand that can be met; nullopt: none of it, or nothing is to be changed.
  std::optional<pack::Answer> packed_what_fits(Candidate& one, const pack::Stop& stop, bool tell) {
    while (!one.demand.empty()) {
      one.problem.demand = one.demand;
      auto packed = pack::pack(one.problem, stop);
      ++solved_;
      if (found_.given_up) return std::nullopt;
      if (!packed) {
        note(packed.error().reason);
        return std::nullopt;
      }
      if (std::exchange(tell, false)) note_unmet(one, *packed);
      if (packed->met()) return packed->boards.empty() ? std::nullopt : std::optional(std::move(*packed));
      for (std::size_t i = 0; i < one.demand.size(); ++i) one.demand[i].count -= packed->unmet[i];
      std::erase_if(one.demand, [](const pack::Demand& each) { return each.count <= 0; });
    }
    return std::nullopt;
  }

  // As many that are met without the rest of what waits need no reason.
  void note_unmet(const Candidate& one, const pack::Answer& packed) {
    for (std::size_t i = 0; i < one.demand.size(); ++i) {
      const std::string word = pack::word_of(one.demand[i], one.problem.products);
      const int count = one.demand[i].count;
      if (packed.unmet[i] > 0)
        unmet_.emplace(word, std::pair(count, packed.reason[i]));
      else
        served_[word] = std::max(served_[word], count);
    }
  }

  // The nodes that it changes, those first that give most: compute slices that are made, for each running
  // one.
  static std::vector<NodeName> by_worth(const Candidate& one) {
    std::map<NodeName, std::pair<int, int>> worth;  // made, running
    std::set<NodeName> touched;
    for (const pack::BoardPlan& plan : one.packed.boards) {
      const pack::Board& board = one.problem.boards[plan.board];
      touched.insert(board.node);
      if (plan.to_whole) worth[board.node].first += product_of(one.problem, board)->compute_slices;
      for (const mig::Placed& made : plan.create)
        worth[board.node].first +=
            product_of(one.problem, board)->profiles[static_cast<std::size_t>(made.profile)].compute_slices;
    }
    for (const pack::Busy& busy : one.problem.busy) worth[busy.node].second = busy.running;
    std::vector<NodeName> nodes(touched.begin(), touched.end());
    std::stable_sort(nodes.begin(), nodes.end(), [&](const NodeName& a, const NodeName& b) {
      const auto [made_a, running_a] = worth[a];
      const auto [made_b, running_b] = worth[b];
      return made_a * (1 + running_b) > made_b * (1 + running_a);
    });
    return nodes;
  }

  void keep(std::optional<Candidate> one) {
    if (!one) return;
    std::sort(one->nodes.begin(), one->nodes.end());
    // The same layouts are the same plan, whatever they were made for.
    if (seen_.insert(pack::intent_text(one->problem, one->packed)).second)
      found_.list.push_back(std::move(*one));
  }

  void note(const std::string& reason) {
    if (std::find(found_.reasons.begin(), found_.reasons.end(), reason) == found_.reasons.end())
      found_.reasons.push_back(reason);
  }

  const Question& question_;
  std::map<NodeName, Kinds> idle_;
  std::map<NodeName, std::string> refused_;
  std::map<NodeName, int> gpus_refused_;
  std::map<std::optional<Duration>, pack::ClusterProblem> all_;
  bool whole_node_ = false;
  int solved_ = 0;
  std::set<std::string> seen_;
  std::map<std::string, int> served_;                         // by word: the most that are met
  std::map<std::string, std::pair<int, std::string>> unmet_;  // of so many that are asked for, and why
  Candidates found_;
};

}  // namespace

Candidates candidates(const Question& question, const std::vector<Wanted>& wanted) {
  return Search(question).run(wanted);
}

}  // namespace tessera::advise
