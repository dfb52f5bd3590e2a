#include "engine/plan/permit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/node_action.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

constexpr const char* kRefused = "the plan is refused";
constexpr const char* kPlanAgain = "create a new plan";
constexpr std::size_t kMostTold = 5;

std::optional<Error> why_changed(const Plan& plan, const Means& can) {
  if (plan.capabilities != static_cast<const Capabilities&>(can))
    return Error{kRefused, "the plan was made for another backend, or by another version of tessera",
                 kPlanAgain};
  if (plan.setup == static_cast<const Setup&>(can)) return std::nullopt;  // the same reading
  const Basis then = basis_of(plan);
  const Basis now =
      basis_of(can, plan.intent.nodes, told_together(then) ? Outside::together : outside_of(plan));
  if (then.empty() && !now.empty())
    return Error{kRefused, "it does not say what it was made from: an older tessera wrote it", kPlanAgain};
  const std::vector<std::string> changed = what_changed(then, now);
  if (changed.empty()) return std::nullopt;
  std::string text;
  for (std::size_t i = 0; i < changed.size() && i < kMostTold; ++i) text += (i > 0 ? "; " : "") + changed[i];
  if (changed.size() > kMostTold) text += fmt::format(" and {} more", changed.size() - kMostTold);
  return Error{kRefused, "since it was made: " + text, kPlanAgain};
}

const WorkloadId* evicted(const Step& step) {
  const auto* evict = std::get_if<Evict>(&step.action);
  return evict ? &evict->workload : nullptr;
}

// Without the evictions of work that the other plan does not send away: it has left since.
std::vector<Step> steps_still_needed(const NodePlan& read, const NodePlan& now) {
  auto still = [&](const Step& step) {
    const WorkloadId* id = evicted(step);
    return !id || std::any_of(now.steps.begin(), now.steps.end(), [&](const Step& other) {
      const WorkloadId* there = evicted(other);
      return there && *there == *id;
    });
  };
  std::vector<Step> steps;
  std::copy_if(read.steps.begin(), read.steps.end(), std::back_inserter(steps), still);
  return steps;
}

bool only_asks(const Step& step) {
  const auto* special = std::get_if<Special>(&step.action);
  return std::holds_alternative<LookOnly>(step.action) || (special && special->verb == verbs::kReviewAccess);
}

// left: of some whose work was in the way; then what is waited for, and asked to be allowed, is less.
bool is_same(Step read, const Step& now, bool left) {
  read.id = now.id;  // counts the steps, of which some may have gone
  if (left && only_asks(read) && only_asks(now))
    read.title = now.title, read.commands = now.commands, read.action = now.action;
  return read == now;
}

// What of an action is otherwise than what is made now.
std::string other_action(const Action& read, const Action& now) {
  const auto *one = std::get_if<Special>(&read), *other = std::get_if<Special>(&now);
  const std::string name = name_of(read);
  if (name != name_of(now)) return fmt::format("its action is {}, and would be {}", name, name_of(now));
  if (!one || !other) return fmt::format("what {} is about differs", name);
  for (const auto& arguments : {one->arguments, other->arguments})
    for (const auto& [key, value] : arguments) {
      auto left = one->arguments.find(key), right = other->arguments.find(key);
      if (left == one->arguments.end()) return fmt::format("{} of its action is missing", clean(key, 60));
      if (right == other->arguments.end())
        return fmt::format("{} of its action would not be there", clean(key, 60));
      if (left->second != right->second)
        return fmt::format("{} of its action is \"{}\", and would be \"{}\"", clean(key, 60),
                           clean(left->second, 120), clean(right->second, 120));
    }
  return fmt::format("what {} is about differs", name);
}

// The first of a step's parts that is otherwise.
std::string what_differs(const Step& read, const Step& now) {
  if (read.title != now.title) return fmt::format("tessera makes \"{}\"", now.title);
  if (read.action != now.action) return other_action(read.action, now.action);
  if (read.commands != now.commands) {
    std::size_t at = 0;
    while (at < read.commands.size() && at < now.commands.size() && read.commands[at] == now.commands[at])
      ++at;
    if (at >= now.commands.size())
      return fmt::format("its command \"{}\" is one too many", clean(read.commands[at], 120));
    return fmt::format("its commands lack \"{}\"", clean(now.commands[at], 120));
  }
  if (read.before != now.before) return "what has to hold before it differs";
  if (read.after != now.after) return "what has to hold after it differs";
  if (read.not_before != now.not_before) return "the time at which it may begin differs";
  if (read.deadline != now.deadline || read.look_every != now.look_every || read.retry != now.retry)
    return "how long it is waited for, or how often it is tried, differs";
  if (read.undo != now.undo) return "how it is undone differs";
  return "whether it disturbs work differs";
}

std::optional<Error> why_other_steps(const NodePlan& read, const NodePlan& now) {
  const char* hint =
      "the file was edited, or made by another version of tessera or with other settings: create a new plan";
  const std::vector<Step> steps = steps_still_needed(read, now);
  const bool left = now.blast_radius.size() < read.blast_radius.size();
  for (std::size_t i = 0; i < steps.size() && i < now.steps.size(); ++i)
    if (!is_same(steps[i], now.steps[i], left))
      return Error{kRefused,
                   fmt::format("step {} ({}) is not the step that tessera makes of this change: {}",
                               steps[i].id, steps[i].title, what_differs(steps[i], now.steps[i])),
                   hint};
  if (steps.size() != now.steps.size())
    return Error{kRefused,
                 fmt::format("it has {} steps on {} where tessera makes {}", steps.size(), read.node.text,
                             now.steps.size()),
                 hint};
  return std::nullopt;
}

}  // namespace

std::optional<Error> why_not_begun(const Plan& plan, const std::string& cluster_id, const Means& can) {
  if (!plan.no_steps.empty()) return Error{kRefused, plan.no_steps, "it can only be reviewed"};
  if (!plan.changes_anything()) return Error{kRefused, "it changes nothing", ""};
  if (plan.cluster_id != cluster_id)
    return why_not_here(kRefused, plan.intent.cluster, plan.cluster_id, cluster_id, false);
  if (auto changed = why_changed(plan, can)) return changed;
  if (!plan.violations.empty())
    return Error{kRefused, plan.violations.front().rule + ": " + plan.violations.front().text,
                 "choose another layout; tessera plan shows every rule that breaks"};
  return std::nullopt;
}

std::optional<Error> why_not_as_made(const Plan& read, const Plan& now) {
  if (read.nodes.size() != now.nodes.size())
    return Error{kRefused, "it is about other nodes than its own intent names", kPlanAgain};
  for (std::size_t i = 0; i < read.nodes.size(); ++i) {
    const NodePlan &one = read.nodes[i], &other = now.nodes[i];
    if (one.node != other.node)
      return Error{kRefused, fmt::format("its intent does not name {}", one.node.text), kPlanAgain};
    for (const Disturbed& hit : other.blast_radius)
      if (std::none_of(one.blast_radius.begin(), one.blast_radius.end(), [&](const Disturbed& named) {
            return named.id == hit.id && named.slices == hit.slices;
          }))
        return Error{kRefused,
                     fmt::format("it disturbs {} on {}, which the file does not name",
                                 hit.id.empty() ? "an unknown client" : hit.id.text, one.node.text),
                     kPlanAgain};
    if (auto why = why_other_steps(one, other)) return why;
  }
  return std::nullopt;
}

std::optional<Error> why_not_here(std::string_view what, const ClusterName& name, const std::string& begun_on,
                                  const std::string& here, bool confirmed) {
  const bool told = !begun_on.empty() && !here.empty();
  if (told && begun_on == here) return std::nullopt;
  if (told)
    return Error{std::string(what),
                 fmt::format("it belongs to another cluster that is called {}, too", name.text),
                 "open that cluster"};
  if (confirmed) return std::nullopt;
  return Error{
      std::string(what),
      begun_on.empty() ? fmt::format("it does not say which cluster called {} it belongs to", name.text)
                       : fmt::format("the cluster {} here does not report its identity", name.text),
      fmt::format("check that it is the same cluster, then confirm by its name: --cluster {}", name.text)};
}

}  // namespace tessera::plan
