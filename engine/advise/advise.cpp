#include "engine/advise/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "engine/advise/candidates.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/hostlist.hpp"
#include "engine/hours.hpp"
#include "engine/pack/by_nodes.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/unserved.hpp"
#include "engine/pack/whole.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/shell.hpp"
#include "engine/why/may_use.hpp"

namespace tessera::advise {
namespace {

// By how much waits are shorter in sum. What does not start in time counts as starting at its end.
double hours_sooner(const whatif::Comparison& forecast) {
  const TimePoint end = forecast.from + forecast.ahead;
  double sum = 0;
  for (const auto* moved : {&forecast.sooner, &forecast.later})
    for (const whatif::Moved& one : *moved)
      sum += hours_of(one.left.value_or(end) - one.changed.value_or(end));
  return sum;
}

std::vector<NodeCost> costs_of(const plan::Plan& plan, const Cluster& cluster, TimePoint now) {
  std::vector<NodeCost> costs;
  for (const plan::NodePlan& node : plan.nodes) {
    if (node.steps.empty()) continue;
    NodeCost cost{node.node, node.needs.drain, now, node.blast_radius};
    for (const plan::Disturbed& one : node.blast_radius) {
      const Workload* work = one.id.empty() ? nullptr : cluster.workloads.find(one.id);
      if (!work || !work->ends)
        cost.until.reset();
      else if (cost.until)
        cost.until = std::max(*cost.until, *work->ends);
    }
    costs.push_back(std::move(cost));
  }
  return costs;
}

int disturbed_by(const std::vector<NodeCost>& costs) {
  std::set<WorkloadId> named;
  int unnamed = 0;
  for (const NodeCost& cost : costs)
    for (const plan::Disturbed& one : cost.whom) {
      if (one.id.empty())
        ++unnamed;
      else
        named.insert(one.id);
    }
  return static_cast<int>(named.size()) + unnamed;
}

// Empty: shares, which no layout of this planner changes.
std::string name_of(SliceKind kind, const ProfileName& profile) {
  if (kind == SliceKind::whole_gpu) return "whole";
  return kind == SliceKind::gpu_instance ? profile.text : "";
}

std::vector<Offer> offers_of(const std::map<std::string, int>& has, const plan::Plan& plan) {
  std::map<std::string, Offer> all;
  for (const auto& [name, count] : has) all[name] = {name, count, count};
  const auto more = [&](const std::vector<plan::SlicePlan>& slices, int by) {
    for (const plan::SlicePlan& slice : slices)
      if (const std::string name = name_of(slice.kind, slice.profile); !name.empty())
        all[name].profile = name, all[name].after += by;
  };
  for (const plan::NodePlan& node : plan.nodes) more(node.destroyed, -1), more(node.created, 1);
  std::vector<Offer> changed;
  for (const auto& [name, offer] : all)
    if (offer.before != offer.after) changed.push_back(offer);
  return changed;
}

struct Score {
  long gain[3];  // to be large
  long cost[4];  // to be small
};

Score score_of(const Answer& one) {
  return {{static_cast<long>(one.forecast.sooner.size()), std::lround(one.hours_sooner * 10),
           std::lround(10 * (one.fitted.value_or(0) - one.lost.value_or(0)))},
          {static_cast<long>(one.costs.size()), one.disturbed, static_cast<long>(one.forecast.later.size()),
           one.forecast.never_again}};
}

bool is_as_good(const Score& a, const Score& b) {
  return std::equal(std::begin(a.gain), std::end(a.gain), std::begin(b.gain), std::greater_equal<>()) &&
         std::equal(std::begin(a.cost), std::end(a.cost), std::begin(b.cost), std::less_equal<>());
}

// Of two that are equal in all the first stays.
void drop_dominated(std::vector<Answer>& answers) {
  std::vector<Answer> kept;
  std::vector<Score> scores;
  for (const Answer& one : answers) scores.push_back(score_of(one));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    bool worse = false;
    for (std::size_t j = 0; j < answers.size() && !worse; ++j)
      worse = i != j && is_as_good(scores[j], scores[i]) && (j < i || !is_as_good(scores[i], scores[j]));
    if (!worse) kept.push_back(std::move(answers[i]));
  }
  answers = std::move(kept);
}

// Those go that give least more than the one before them; the first and the last stay.
void drop_beyond(std::vector<Answer>& answers, std::size_t most) {
  while (answers.size() > most) {
    std::size_t least = 1;
    const auto worth = [&](std::size_t at) {
      return answers[at].hours_sooner + answers[at].fitted.value_or(0) - answers[at].lost.value_or(0);
    };
    const auto more = [&](std::size_t at) { return std::abs(worth(at) - worth(at - 1)); };
    for (std::size_t i = 2; i + 1 < answers.size(); ++i)
      if (more(i) < more(least)) least = i;
    answers.erase(answers.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

// So many plans are played: each takes seconds on 10,000 nodes.
std::size_t most_played(const Cluster& cluster) {
  return std::max<std::size_t>(4, 40'000 / std::max<std::size_t>(1, cluster.nodes.all().size()));
}

// Evenly out of all, the last among them.
void thin_out(std::vector<Candidate>& list, std::size_t most) {
  if (list.size() <= most) return;
  std::vector<Candidate> kept;
  for (std::size_t i = 0; i < most; ++i) kept.push_back(std::move(list[(i + 1) * list.size() / most - 1]));
  list = std::move(kept);
}

class Advisor {
 public:
  explicit Advisor(const Question& question)
      : question_(question),
        cluster_(*question.cluster),
        player_({question.cluster, question.catalogue, question.now, question.ahead}),
        has_(profiles_of(cluster_)) {}

  Advice run() {
    if (gives_up({})) return given_up();
    asked_ = asked_of(nullptr);
    advice_.queue = sum_of(asked_);
    advice_.left = player_.unfold();
    known();
    if (question_.past) {
      history_.emplace(*question_.past, cluster_, *question_.catalogue);
      advice_.past = history_->profiles();
    }
    outlook_ = plan::look_out(cluster_, *question_.catalogue, question_.rules);
    Candidates tried = candidates(question_, wanted());
    advice_.left_out = std::move(tried.left_out);
    advice_.unasked = fleet::unasked_text(cluster_, question_.nodes);
    advice_.reasons = std::move(tried.reasons);
    thin_out(tried.list, most_played(cluster_));
    Progress now{Progress::Stage::playing, 0, static_cast<int>(tried.list.size())};
    for (Candidate& one : tried.list) {
      if (gives_up(now)) return given_up();
      judge(std::move(one)), ++now.done;
    }
    if (tried.given_up || gives_up(now)) return given_up();
    finish();
    return std::move(advice_);
  }

 private:
  bool gives_up(const Progress& now) const { return question_.keep_on && !question_.keep_on(now); }
  static Advice given_up() {
    Advice nothing;
    nothing.given_up = true;
    return nothing;
  }

  void known() {
    for (const Workload& work : cluster_.workloads.all()) {
      if (work.state == WorkloadState::running && !work.allocations.empty())
        ++advice_.known.running, advice_.known.running_with_limit += work.ends.has_value();
      if (work.state == WorkloadState::pending && plan::waits_for_room(work, cluster_.scheduler))
        ++advice_.known.waiting, advice_.known.waiting_with_limit += work.limit.has_value();
    }
  }

  // What waits, by the names for which it asks: no node serves both.
  std::vector<pack::QueueDemand> asked_of(const std::set<WorkloadId>* only) {
    const auto by = [&](std::optional<pack::Naming> naming) {
      auto queue = pack::demand_of_queue(cluster_, question_.partition, question_.catalogue, only, naming);
      if (!queue.waiting.empty())
        pack::leave_out_unserved(queue, cluster_, boards(), question_.now + question_.ahead);
      return queue;
    };
    std::vector<pack::QueueDemand> all{by(std::nullopt)};
    if (all.front().other_naming > 0) all.push_back(by(pack::Naming::claims));
    return all;
  }

  // The nodes as they are once all has ended that a plan waits for at most.
  const pack::Problem& boards() {
    if (!boards_)
      boards_ = pack::problem_of(cluster_, question_.nodes, *question_.catalogue, question_.can,
                                 question_.now + question_.ahead)
                    .problem;
    return *boards_;
  }

  // For whom advice is looked for, by whatever names.
  static pack::QueueDemand sum_of(const std::vector<pack::QueueDemand>& asked) {
    pack::QueueDemand sum = asked.front();
    sum.other_naming = 0;
    for (std::size_t i = 1; i < asked.size(); ++i) {
      sum.workloads += asked[i].workloads;
      sum.ids.insert(sum.ids.end(), asked[i].ids.begin(), asked[i].ids.end());
      sum.no_node.insert(sum.no_node.end(), asked[i].no_node.begin(), asked[i].no_node.end());
      for (const pack::Demand& one : asked[i].demand) {
        // Claims ask for slices of any product.
        const auto same = std::find_if(sum.demand.begin(), sum.demand.end(), [&](const pack::Demand& other) {
          return other.profile == one.profile && other.product == one.product;
        });
        if (same == sum.demand.end())
          sum.demand.push_back(one);
        else
          same->count += one.count;
      }
    }
    return sum;
  }

  Wanted wanted_of(const pack::QueueDemand& queue) {
    Wanted wanted;
    bool slices = false;
    for (const pack::Demand& one : queue.demand) {
      slices = slices || !pack::is_whole(one.profile);
      wanted.kinds[{one.profile.text, one.product ? queue.products[*one.product] : nullptr}] = one.count;
    }
    std::vector<why::MayUse> asking;
    for (const WorkloadId& id : queue.ids) asking.emplace_back(cluster_, *cluster_.workloads.find(id));
    for (const NodeName& name : question_.nodes) {
      const Node* node = cluster_.nodes.find(name);
      const bool serves = node && std::any_of(asking.begin(), asking.end(),
                                              [&](why::MayUse& may_use) { return may_use(*node); });
      if (!serves) continue;
      const pack::Naming naming = pack::naming_of(cluster_, *node);
      if (naming == queue.naming) {
        wanted.nodes.push_back(name);
        continue;
      }
      named_otherwise_ = named_otherwise_ || slices;
      if (naming == pack::Naming::gpus && queue.naming == pack::Naming::profiles)
        wanted.only_whole.push_back(name);
    }
    return wanted;
  }

  // What was needed beside what is held now, so often or at most.
  void add_past(std::vector<Wanted>& all) const {
    if (!history_) return;
    usage::DemandOverTime today(question_.partition);
    today.see(cluster_, TimePoint{});
    std::map<std::string, int> held;
    for (const usage::DemandPeak& one : today.peaks()) held[one.profile] = one.held;
    const bool whole = pack::whole_is_one_kind(cluster_, *question_.catalogue);
    for (int PastProfile::*of : {&PastProfile::peak, &PastProfile::p95}) {
      Wanted wanted{{}, question_.nodes};
      for (const PastProfile& one : advice_.past)
        if ((whole || one.profile != pack::kWhole) && one.*of > held[one.profile])
          wanted.kinds[{one.profile, nullptr}] = one.*of - held[one.profile];
      if (!wanted.kinds.empty()) add(all, std::move(wanted));
    }
  }

  // Beside all of it the slices and the whole GPUs alone: a job that asks for more whole GPUs than there are
  // would take from the slices what serves it in no plan.
  static void add(std::vector<Wanted>& all, Wanted wanted) {
    Wanted slices = wanted, whole = wanted;
    std::erase_if(slices.kinds, [](const auto& one) { return one.first.first == pack::kWhole; });
    std::erase_if(whole.kinds, [](const auto& one) { return one.first.first != pack::kWhole; });
    all.push_back(std::move(wanted));
    if (slices.kinds.empty() || whole.kinds.empty()) return;
    all.push_back(std::move(slices));
    all.push_back(std::move(whole));
  }

  // Of what may use other nodes than the rest, each for itself: planned for at once, nodes of one would be
  // cut for the other. Each costs dozens of plans.
  void add_groups(std::vector<Wanted>& all, const pack::QueueDemand& queue) {
    constexpr std::size_t kMost = 4;
    pack::QueueDemand sorted = queue;
    pack::sort_by_nodes(sorted, cluster_, question_.nodes);
    advice_.queue.guessed += sorted.guessed;
    if (sorted.groups.size() < 2) return;
    for (std::size_t i = 0; i < std::min(kMost, sorted.groups.size()); ++i) {
      pack::QueueDemand group = queue;
      group.waiting = sorted.groups[i].waiting;
      pack::sum_up(group);
      all.push_back(wanted_of(group));
    }
  }

  // All that waits, the part that does not start by itself, and what the past needed.
  std::vector<Wanted> wanted() {
    std::vector<Wanted> all;
    for (const pack::QueueDemand& one : asked_)
      if (!one.demand.empty()) add(all, wanted_of(one)), add_groups(all, one);
    const std::set<WorkloadId> stuck(advice_.left.waiting.begin(), advice_.left.waiting.end());
    for (const pack::QueueDemand& rest : asked_of(&stuck))
      for (const pack::QueueDemand& one : asked_)
        if (one.naming == rest.naming && !rest.demand.empty() && rest.workloads < one.workloads)
          add(all, wanted_of(rest));
    add_past(all);
    return all;
  }

  void judge(Candidate one) {
    ++advice_.tried;
    plan::Intent intent = pack::intent_of(one.problem, one.packed, cluster_.name);
    intent.words = "packed for a demand";  // as `tessera pack` calls it: it is that plan
    auto plan = plan::make_plan(cluster_, *question_.catalogue, intent, question_.can, question_.rules,
                                question_.now, &outlook_);
    if (!plan) return note(plan.error().reason);
    if (!plan->violations.empty()) return note(plan->violations.front().text);
    if (!plan->no_steps.empty()) return note(plan->no_steps);
    Answer answer;
    answer.forecast = whatif::compare(player_, *plan, advice_.left);
    answer.hours_sooner = hours_sooner(answer.forecast);
    answer.offers = offers_of(has_, *plan);
    weigh(answer);
    const bool serves = answer.hours_sooner > 0 && !answer.forecast.sooner.empty();
    const bool would_have = answer.fitted && answer.lost && *answer.fitted - *answer.lost > 0.05;
    if (!serves && !(would_have && answer.hours_sooner >= 0)) {
      if (!answer.forecast.changed.changed) note(whatif::headline(answer.forecast));
      return;
    }
    answer.costs = costs_of(*plan, cluster_, question_.now);
    answer.disturbed = disturbed_by(answer.costs);
    answer.demand = std::move(one.demand), answer.nodes = std::move(one.nodes);
    answer.ends_within = one.ends_within;
    answer.problem = std::move(one.problem), answer.packed = std::move(one.packed);
    answer.plan = std::move(*plan);
    advice_.answers.push_back(std::move(answer));
  }

  // Against the past.
  void weigh(Answer& answer) const {
    if (!history_) return;
    for (const Offer& offer : answer.offers) {
      const auto before = history_->fitted(offer.profile, offer.before),
                 after = history_->fitted(offer.profile, offer.after);
      std::optional<double>& sum = offer.after > offer.before ? answer.fitted : answer.lost;
      if (!before || !after)
        sum.reset();
      else if (sum)
        *sum += std::abs(*after - *before);
    }
  }

  void finish() {
    std::vector<Answer>& all = advice_.answers;
    drop_dominated(all);
    std::stable_sort(all.begin(), all.end(), [](const Answer& a, const Answer& b) {
      return std::pair(a.disturbed, a.costs.size()) < std::pair(b.disturbed, b.costs.size());
    });
    drop_beyond(all, kMostAnswers);
    advice_.dropped = advice_.tried - static_cast<int>(all.size());
    if (!all.empty()) return;
    if (advice_.reasons.empty() && notes_.empty()) note_the_rest();
    if (named_otherwise_)
      note(
          "nodes that hand out slices by other names than those that are asked for (claims of a DRA driver, "
          "or nvidia.com/gpu under the strategy single) are left out");
    advice_.reasons.insert(advice_.reasons.end(), notes_.begin(), notes_.end());
  }

  void note_the_rest() {
    if (advice_.queue.workloads == 0 && advice_.queue.no_node.empty() && question_.past)
      note(
          "no job or pod waits for a MIG slice or a whole GPU, and what was needed in the past has room or "
          "gains nothing");
    else if (advice_.queue.workloads == 0 && !advice_.queue.no_node.empty())
      note("no node could give at once what waits asks for");
    else if (advice_.queue.workloads == 0)
      note("no job or pod waits for a MIG slice or a whole GPU");
    else if (advice_.tried == 0)
      note("free slices and whole GPUs would serve what waits: something else keeps it waiting");
    else if (const std::size_t untold = not_played(); untold > 0)
      note(fmt::format(
          "of {} jobs or pods that wait it is not known whether they start sooner on other layouts", untold));
    else
      note("what waits starts no sooner on other layouts");
  }

  // Those of which it is not known which nodes they may use, or whether CPUs and memory are free there.
  std::size_t not_played() const {
    whatif::Comparison alone;
    alone.left = advice_.left;
    return whatif::not_played(alone, advice_.queue.ids);
  }

  // Why a plan is no answer: told where there is none at all.
  void note(const std::string& reason) {
    if (std::find(notes_.begin(), notes_.end(), reason) == notes_.end()) notes_.push_back(reason);
  }

  const Question& question_;
  const Cluster& cluster_;
  whatif::Player player_;
  std::map<std::string, int> has_;
  std::optional<History> history_;
  plan::Outlook outlook_;
  std::vector<std::string> notes_;
  std::vector<pack::QueueDemand> asked_;
  std::optional<pack::Problem> boards_;
  bool named_otherwise_ = false;  // there are nodes whose slices serve nothing of it, by their names
  Advice advice_;
};

}  // namespace

Advice advise(const Question& question) { return Advisor(question).run(); }

std::vector<std::string> words_of(const Answer& answer) {
  std::vector<std::string> words;
  for (const pack::Demand& one : answer.demand)
    words.push_back(fmt::format("{}={}", pack::word_of(one, answer.problem.products), one.count));
  return words;
}

std::string pack_command(const Answer& answer) {
  std::string text = "tessera pack";
  for (const std::string& word : words_of(answer)) text += " " + word;
  std::vector<std::string> names;
  for (const NodeName& node : answer.nodes) names.push_back(node.text);
  text += " --node " + shell_word(fold_hosts(names));
  if (answer.ends_within)
    text += fmt::format(" --ends-within {}h",
                        std::chrono::duration_cast<std::chrono::hours>(*answer.ends_within).count());
  return text;
}

}  // namespace tessera::advise
