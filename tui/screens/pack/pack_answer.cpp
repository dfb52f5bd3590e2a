// The planner's answer to the demand of the pack screen, and what it would do: on the planner's thread.
#include "engine/pack/by_nodes.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/refused.hpp"
#include "engine/pack/unserved.hpp"
#include "engine/plan/planner.hpp"
#include "tui/packer.hpp"

namespace tessera::tui {
namespace {

pack::Problem problem_of(const PackQuestion& asked) {
  pack::Problem problem = asked.boards->problem;
  problem.products = asked.products;
  problem.demand = asked.queue ? pack::demand_in(problem, *asked.queue) : asked.demand;
  problem.evict = asked.evict;
  return problem;
}

// Of 100,000 jobs and the names of 10,000 nodes: no key waits for that.
PackAnswer what_waits(std::shared_ptr<const PackQuestion> question, const pack::Stop& stop) {
  const ClusterThen& then = *question->then;
  pack::QueueDemand queue =
      pack::demand_of_queue(then.cluster, question->partition, then.catalogue, nullptr, question->naming);
  std::vector<NodeName> nodes;
  for (const pack::Busy& one : question->boards->problem.busy) nodes.push_back(one.node);
  // The boards of the question may be those of other names.
  pack::Problem problem = pack::problem_of(then.cluster, nodes, *then.catalogue, then.can, question->until,
                                           queue.naming, nullptr, question->evict)
                              .problem;
  problem.evict = question->evict;
  pack::leave_out_unserved(queue, then.cluster, problem, question->until, stop);
  pack::sort_by_nodes(queue, then.cluster, nodes, stop);
  return {std::move(question), nullptr, pack::Answer(), {}, true, std::move(queue), {}};
}

PackPreview preview_of(const PackQuestion& asked, const pack::Problem& problem, const pack::Answer& answer,
                       const pack::Stop& stop) {
  PackPreview preview;
  const ClusterThen& then = *asked.then;
  plan::Intent intent = pack::intent_of(problem, answer, then.cluster.name);
  intent.options.way = pack::way_of(answer, asked.evict ? plan::Way::requeue : plan::Way::wait);
  Result<plan::Plan> plan =
      plan::make_plan(then.cluster, *then.catalogue, intent, then.can, then.rules, then.now);
  if (!plan) {
    preview.trouble = to_line(plan.error());
    return preview;
  }
  if (plan->changes_anything() && !(stop && stop()))
    preview.played = std::make_shared<const whatif::Comparison>(
        whatif::compare({&then.cluster, then.catalogue, then.now}, *plan));
  preview.plan = std::move(*plan);
  return preview;
}

Result<pack::Answer> without_refused(const PackQuestion& asked, pack::ClusterProblem& all, pack::Answer first,
                                     const pack::Stop& stop) {
  const ClusterThen& then = *asked.then;
  plan::ChangeOptions options;
  options.way = asked.evict ? plan::Way::requeue : plan::Way::wait;
  const pack::ReadFrom from{then.cluster, *then.catalogue, then.can,    then.rules,
                            options,      asked.until,     asked.naming};
  return pack::keep_to_plans(all, std::move(first), from, stop);
}

}  // namespace

std::shared_ptr<const PackAnswer> answer_of(std::shared_ptr<const PackQuestion> question,
                                            const pack::Stop& stop, const Tell& tell) {
  if (question->reads_queue) return std::make_shared<const PackAnswer>(what_waits(std::move(question), stop));
  pack::ClusterProblem all{problem_of(*question), {}};
  Result<pack::Answer> answer = pack::pack(all.problem, stop);
  if (answer) answer = without_refused(*question, all, std::move(*answer), stop);
  const auto problem = std::make_shared<const pack::Problem>(std::move(all.problem));
  PackAnswer told{question, problem, std::move(answer), {}, true, {}, std::move(all.left_out)};
  if (told.answer && !told.answer->boards.empty() && !(stop && stop())) {
    // The certificate first: on thousands of nodes what it would do takes longer than the plan itself.
    told.whole = false;
    if (tell) tell(PackTold{std::make_shared<const PackAnswer>(told)});
    told.preview = preview_of(*question, *told.problem, *told.answer, stop);
    told.whole = true;
  }
  return std::make_shared<const PackAnswer>(std::move(told));
}

}  // namespace tessera::tui
