#include "engine/plan/files/plan_file.hpp"

#include <fmt/format.h>

#include <map>

#include "engine/plan/files/fields.hpp"
#include "engine/plan/words/as_run.hpp"

namespace tessera::plan {
namespace {

// One entry of a flat list.
template <class T>
struct Of {
  static constexpr bool kPassesOver = plan::kPassesOver<T>;
  NodeName node;
  T value;
};
template <class V, class T>
void fields(V& v, Of<T>& x) {
  v("node", x.node);
  fields(v, x.value);
}
template <class V, class T>
void fields(V& v, const Of<T>& x) {
  v("node", x.node);
  fields(v, x.value);
}

// What of a node is not in a flat list.
struct NodeHead {
  static constexpr bool kPassesOver = true;
  NodeName name;
  std::vector<std::string> relied_on;
  std::vector<BoardState> before, after;
  Orders ordered_before, ordered_after;
  std::optional<Switches> switches_before, switches_after;
  bool only_given_back = false;
  std::optional<Scope> scope;
  Needs needs;
  Offered offered_before, offered_after;
  int compute_before = 0, compute_after = 0;
  bool left_closed = false;  // told, not read: the notices say it
};
template <class V, Same<NodeHead> T>
void fields(V& v, T& x) {
  v("name", x.name), v("needs", x.needs), v("compute_before", x.compute_before);
  v("compute_after", x.compute_after), v("before", x.before), v("after", x.after), v("scope", x.scope);
  v("offered_before", x.offered_before), v("offered_after", x.offered_after), v("relied_on", x.relied_on);
  Texts<std::remove_reference_t<decltype((x.ordered_before))>> found{x.ordered_before}, left{x.ordered_after};
  v.added("ordered_before", found), v.added("ordered_after", left);
  v.added("only_given_back", x.only_given_back);
  v.added("switches_before", x.switches_before), v.added("switches_after", x.switches_after);
  v.added("left_closed", x.left_closed);
}

struct Resources {
  static constexpr bool kPassesOver = true;
  Counts before, after;
};
template <class V, Same<Resources> T>
void fields(V& v, T& x) {
  v("before", x.before), v("after", x.after);
}

struct Paper {
  static constexpr bool kPassesOver = true;
  int version = kPlanVersion;
  std::string id;
  TimePoint made{};
  std::string fingerprint;
  Scheduler scheduler = Scheduler::slurm;
  Intent intent;
  std::vector<Of<Step>> steps;
  std::vector<Of<SlicePlan>> kept, destroyed, created;
  std::vector<Of<Disturbed>> blast_radius;
  Resources resources;
  std::vector<Notice> violations, notices;
  Needs needs;
  std::vector<PendingEffect> never_again, will_run;
  int never_again_count = 0, will_run_count = 0;
  std::string no_steps;
  Capabilities capabilities;
  Offered offered_before, offered_after;
  std::vector<NodeHead> nodes;
  std::string cluster_id, undoes;
  Basis made_from;
};
template <class V, Same<Paper> T>
void fields(V& v, T& x) {
  v("tessera_plan", x.version), v("id", x.id), v("made", x.made), v("fingerprint", x.fingerprint);
  v("scheduler", x.scheduler), v("intent", x.intent), v("steps", x.steps), v("kept", x.kept);
  v("destroyed", x.destroyed), v("created", x.created), v("blast_radius", x.blast_radius);
  v("resources", x.resources), v("violations", x.violations), v("notices", x.notices), v("needs", x.needs);
  v("never_again", x.never_again), v("will_run", x.will_run), v("never_again_count", x.never_again_count);
  v("will_run_count", x.will_run_count), v("no_steps", x.no_steps);
  v("capabilities", x.capabilities), v("offered_before", x.offered_before);
  v("offered_after", x.offered_after), v("nodes", x.nodes);
  v.added("cluster_id", x.cluster_id), v.added("made_from", x.made_from), v.added("undoes", x.undoes);
}

template <class T>
void spread(std::vector<Of<T>>& flat, const NodeName& node, const std::vector<T>& values) {
  for (const T& value : values) flat.push_back({node, value});
}

Paper paper_of(const Plan& plan) {
  Paper paper;
  paper.cluster_id = plan.cluster_id, paper.made_from = basis_of(plan), paper.undoes = plan.undoes;
  paper.id = plan.id, paper.made = plan.made, paper.fingerprint = plan.fingerprint;
  paper.scheduler = plan.scheduler, paper.intent = plan.intent;
  paper.resources = {plan.offered_before.by(plan.scheduler), plan.offered_after.by(plan.scheduler)};
  paper.violations = plan.violations, paper.notices = plan.notices;
  paper.never_again = plan.never_again, paper.will_run = plan.will_run, paper.no_steps = plan.no_steps;
  paper.never_again_count = plan.never_again_count, paper.will_run_count = plan.will_run_count;
  paper.capabilities = plan.capabilities;
  paper.offered_before = plan.offered_before, paper.offered_after = plan.offered_after;
  for (const NodePlan& node : plan.nodes) {
    spread(paper.steps, node.node, node.steps);
    spread(paper.kept, node.node, node.kept);
    spread(paper.destroyed, node.node, node.destroyed);
    spread(paper.created, node.node, node.created);
    spread(paper.blast_radius, node.node, node.blast_radius);
    paper.needs.drain |= node.needs.drain, paper.needs.mode_change |= node.needs.mode_change;
    paper.needs.reset |= node.needs.reset;
    paper.nodes.push_back({node.node, node.relied_on, node.before, node.after, node.ordered_before,
                           node.ordered_after, node.switches_before, node.switches_after,
                           node.only_given_back, node.scope, node.needs, node.offered_before,
                           node.offered_after, node.compute_before, node.compute_after,
                           stays_closed(plan, node.node)});
  }
  return paper;
}

// Gathers flat lists again.
class Gather {
 public:
  explicit Gather(Plan& plan) {
    for (NodePlan& node : plan.nodes) nodes_[node.node.text] = &node;
  }
  template <class T>
  bool into(std::vector<Of<T>>& flat, std::vector<T> NodePlan::*list, Trouble& trouble) {
    for (Of<T>& one : flat) {
      auto it = nodes_.find(one.node.text);
      if (it == nodes_.end())
        return trouble.fail(fmt::format("node '{}' is not among its nodes", one.node.text));
      (it->second->*list).push_back(std::move(one.value));
    }
    return true;
  }

 private:
  std::map<std::string, NodePlan*> nodes_;
};

bool plan_of(Paper& paper, Plan& plan, Trouble& trouble) {
  plan.cluster_id = std::move(paper.cluster_id), plan.made_from = std::move(paper.made_from);
  plan.undoes = std::move(paper.undoes);
  plan.id = std::move(paper.id), plan.made = paper.made, plan.fingerprint = std::move(paper.fingerprint);
  plan.scheduler = paper.scheduler, plan.intent = std::move(paper.intent);
  plan.violations = std::move(paper.violations), plan.notices = std::move(paper.notices);
  plan.never_again = std::move(paper.never_again), plan.will_run = std::move(paper.will_run);
  plan.never_again_count = paper.never_again_count, plan.will_run_count = paper.will_run_count;
  plan.no_steps = std::move(paper.no_steps), plan.capabilities = std::move(paper.capabilities);
  plan.offered_before = std::move(paper.offered_before);
  plan.offered_after = std::move(paper.offered_after);
  for (NodeHead& head : paper.nodes) {
    NodePlan node;
    node.node = head.name, node.relied_on = std::move(head.relied_on);
    node.before = std::move(head.before), node.after = std::move(head.after), node.scope = head.scope;
    node.ordered_before = std::move(head.ordered_before);
    node.switches_before = head.switches_before, node.switches_after = head.switches_after;
    node.ordered_after = std::move(head.ordered_after);
    node.only_given_back = head.only_given_back;
    node.needs = head.needs, node.offered_before = head.offered_before;
    node.offered_after = head.offered_after;
    node.compute_before = head.compute_before, node.compute_after = head.compute_after;
    plan.nodes.push_back(std::move(node));
  }
  Gather gather(plan);
  return gather.into(paper.steps, &NodePlan::steps, trouble) &&
         gather.into(paper.kept, &NodePlan::kept, trouble) &&
         gather.into(paper.destroyed, &NodePlan::destroyed, trouble) &&
         gather.into(paper.created, &NodePlan::created, trouble) &&
         gather.into(paper.blast_radius, &NodePlan::blast_radius, trouble);
}

}  // namespace

Json plan_json(const Plan& plan) { return json_of(paper_of(plan)); }

std::string to_document(const Plan& plan) { return tessera::to_document(plan_json(plan)); }

Result<Plan> plan_from(const Json& json, std::string_view file) {
  auto error = [&](std::string why) {
    return Error{"cannot read the plan", fmt::format("{}: {}", file, why),
                 "create a new plan with tessera plan"};
  };
  const Json* version = json.find("tessera_plan");
  if (!version || version->kind != Json::Kind::integer) return error("it is not a plan of tessera");
  if (version->integer < 1 || version->integer > kPlanVersion)
    return error(
        fmt::format("it is of version {}, this tessera reads up to {}", version->integer, kPlanVersion));
  Paper paper;
  Trouble trouble;
  Plan plan;
  if (!from_json(json, paper, trouble) || !plan_of(paper, plan, trouble)) return error(trouble.why);
  return plan;
}

Result<Plan> parse_plan(std::string_view text, std::string_view file) {
  Result<Json> json = parse_json(text, file);
  if (!json) return Error{"cannot read the plan", json.error().reason, json.error().hint};
  return plan_from(*json, file);
}

}  // namespace tessera::plan
