#include "engine/plan/steps/site_patch.hpp"

#include <fmt/format.h>

#include <set>

#include "engine/operators/labels.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/slurmconf/diff.hpp"

namespace tessera::plan {
namespace {

std::string patch_of(const Special& act) {
  std::string map = argument_of(act, "map"), name = argument_of(act, "name");
  if (act.verb == verbs::kWriteMigConfig)
    return fmt::format("# ConfigMap {}, key {}\n{}", map, operators::kMigKey, argument_of(act, "diff"));
  if (act.verb == verbs::kWritePluginConfig) {
    std::string text = fmt::format("# ConfigMap {}, key {}\n", map, name);
    return text + slurmconf::unified_diff({"/dev/null", ""}, {map + "/" + name, argument_of(act, "text")});
  }
  if (act.verb == verbs::kPatchPolicy)
    return fmt::format("# ClusterPolicy {}, as a merge patch\n# {}\n", argument_of(act, "policy"),
                       argument_of(act, "patch"));
  return "";
}

std::string patch_of(const Action& action) {
  if (const auto* look = std::get_if<LookOnly>(&action)) return look->to_apply;
  const auto* act = std::get_if<Special>(&action);
  return act ? patch_of(*act) : "";
}

}  // namespace

std::string site_patch(const Plan& plan) {
  std::string all;
  std::set<std::string> told;
  for (const NodePlan& node : plan.nodes)
    for (const Step& step : node.steps)
      if (std::string patch = patch_of(step.action); !patch.empty() && told.insert(patch).second)
        all += patch;
  return all;
}

}  // namespace tessera::plan
