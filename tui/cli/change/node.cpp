#include "tui/cli/change/node.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/begin.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

using plan::NodeAction;
using plan::NodeVerb;

constexpr std::string_view kOverOthers = "over-others";

Error wrong(std::string reason, std::string hint) {
  return {"cannot use these arguments", std::move(reason), std::move(hint)};
}

// reset-gpu NODES GPU[,GPU...]
Result<NodeAction> read_reset(NodeAction action, const std::vector<std::string>& words) {
  const std::string node = clean(words[1], 200);
  if (words.size() < 3)
    return wrong("the GPU is missing",
                 fmt::format("tessera node reset-gpu {} 0, or 0,2-3: which it resets", node));
  if (words.size() > 3)
    return wrong(fmt::format("{} takes no \"{}\"", "reset-gpu", clean(words[3], 60)),
                 "several GPUs are 0,2-3");
  auto gpus = plan::parse_gpus(words[2]);
  if (!gpus)
    return wrong(fmt::format("\"{}\" is no list of GPUs", clean(words[2], 60)),
                 "their numbers, each once: 0,2-3");
  action.gpus = std::move(*gpus);
  return action;
}

// What the words say, before anything is asked of a cluster: VERB NODES REASON..., or VERB NODES over-others.
Result<NodeAction> read_action(const Options& options) {
  if (Status ok = check_output(options); !ok) return ok.error();
  const std::vector<std::string>& words = options.words;
  if (words.empty()) return wrong("the verb is missing", "tessera node drain NODE REASON");
  const std::string verb = clean(words.front(), 60);
  const std::optional<NodeVerb> known = plan::parse_node_verb(words.front());
  if (!known)
    return wrong("\"" + verb + "\" is not one of the verbs",
                 "drain, resume, cordon, uncordon, reboot, reset-gpu or restart-plugin");
  if (words.size() < 2) return wrong("the node is missing", "tessera nodes lists them");
  NodeAction action;
  action.verb = *known;
  if (*known == NodeVerb::close || *known == NodeVerb::reboot) {
    for (std::size_t i = 2; i < words.size(); ++i) action.reason += (i > 2 ? " " : "") + words[i];
    if (auto why = plan::why_no_reason(action.reason))
      return wrong(*why, fmt::format("tessera node {} {} REASON: it tells others why the node is closed",
                                     verb, clean(words[1], 200)));
    return action;
  }
  if (*known == NodeVerb::reset_gpu) return read_reset(std::move(action), words);
  const bool opens = *known == NodeVerb::open;
  action.over_others = opens && words.size() == 3 && words[2] == kOverOthers;
  if (words.size() > 2 && !action.over_others)
    return wrong(fmt::format("{} takes no \"{}\"", verb, clean(words[2], 60)),
                 opens ? fmt::format("only {} can stand behind the nodes", kOverOthers)
                       : "names with commas or a filter are several nodes");
  return action;
}

// Each scheduler has its own word, and drain means more to kubectl than to Slurm.
std::optional<Error> wrong_word(const Options& options, NodeVerb verb, Scheduler scheduler) {
  const std::string_view word = plan::called(verb, scheduler);
  if (options.words.front() == word) return std::nullopt;
  return wrong(fmt::format("{} is called {} by {}", options.words.front(), word,
                           scheduler == Scheduler::slurm ? "Slurm" : "Kubernetes"),
               fmt::format("tessera node {} {}", word, clean(options.words[1], 200)));
}

// What was closed from here: runs whose journals are here.
Or<std::set<std::string>> own_runs(OpenClusters& clusters, const Options& options) {
  auto listed = list_runs(clusters, options);
  if (auto* refusal = std::get_if<Refusal>(&listed)) return std::move(*refusal);
  std::set<std::string> own;
  for (const RunHead& head : std::get<std::vector<RunHead>>(listed))
    if (head.state != RunState::marked) own.insert(head.run);
  return own;
}

// Only those that have closed one of these nodes: the plan's file carries them.
void keep_relevant(NodeAction& action, const std::set<std::string>& own, const ChosenNodes& here) {
  for (const NodeName& name : here.nodes) {
    const Node* node = here.cluster->nodes.find(name);
    const auto kept = node ? plan::parse_closing(node->reason) : std::nullopt;
    if (kept && own.contains(kept->by.run)) action.of_runs.insert(kept->by.run);
  }
}

// reset-gpu: a GPU that is named and is not there.
bool lacks_one(const ChosenNodes& here, const std::vector<GpuIndex>& gpus) {
  return std::any_of(here.nodes.begin(), here.nodes.end(), [&](const NodeName& name) {
    const Node* node = here.cluster->nodes.find(name);
    return node && std::any_of(gpus.begin(), gpus.end(), [&](GpuIndex gpu) { return lacks_gpu(*node, gpu); });
  });
}

}  // namespace

int run_node(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams) {
  Result<NodeAction> action = read_action(options);
  if (!action) return refuse(streams, action.error(), kUsage);
  Options own = options;
  own.nodes = options.words[1];
  own.words.clear();
  OpenClusters clusters(own, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = look_afresh(clusters, own, streams, own.cluster)) return *failed;
  Or<ChosenNodes> chosen = choose_nodes(own, clusters.model(), catalogue, clusters.wall(), "cannot plan");
  if (auto* refusal = std::get_if<Refusal>(&chosen)) return refuse(streams, *refusal);
  const ChosenNodes& here = std::get<ChosenNodes>(chosen);
  if (auto why = wrong_word(options, action->verb, here.cluster->scheduler))
    return refuse(streams, *why, kUsage);
  if (action->verb == NodeVerb::open) {
    auto runs = own_runs(clusters, own);
    if (auto* refusal = std::get_if<Refusal>(&runs)) return refuse(streams, *refusal);
    keep_relevant(*action, std::get<std::set<std::string>>(runs), here);
  }
  plan::Intent intent;
  intent.cluster = here.cluster->name;
  intent.nodes = here.nodes;
  intent.options = own.change;
  intent.words = plan::to_text(*action, here.cluster->scheduler);
  intent.orders = plan::orders_of(*action);
  auto plan = plan::make_plan(*here.cluster, catalogue, intent, capabilities_of(clusters, *here.cluster),
                              own.rules, cluster_now(*here.cluster, clusters.wall()));
  if (!plan && lacks_one(here, action->gpus))
    return refuse(streams, with_unread_nodes(Refusal{plan.error(), kUsage}, clusters.model()));
  if (!plan) return refuse(streams, plan.error(), kFinding);
  return begin(clusters, own, catalogue, streams, {std::move(*plan), false, false});
}

}  // namespace tessera::cli
