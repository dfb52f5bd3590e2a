#include "engine/fleet/other_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

// Nodes whose GPUs are alike become the same.
using Kind = std::vector<std::tuple<int, std::string, Strategy>>;

Kind kind_of(const Node& node) {
  Kind kind;
  for (const Gpu& gpu : node.gpus)
    kind.emplace_back(gpu.index.value, gpu.product ? gpu.product->text : gpu.model, gpu.strategy);
  return kind;
}

// What stands there is of another moment than the rule.
Node emptied(Node node) {
  node.health = Health::ok, node.state.clear(), node.reason.clear();
  node.host_pod = {};
  for (Gpu& gpu : node.gpus) gpu.slices.clear();
  return node;
}

struct OtherRule {
  const Rule* rule = nullptr;
  const Window* window = nullptr;  // nullptr: the pool's own
};

std::string text_of(const OtherRule& other, const std::string& nodes, const std::string& why) {
  if (!other.window)
    return fmt::format("its own rule (line {}) is impossible on {}: {}", other.rule->line, nodes, why);
  return fmt::format("its window {} (line {}) is impossible on {}: {}", other.window->words,
                     other.window->line, nodes, why);
}

std::vector<OtherRule> other_rules(const Pool& in_file, const Pool& now) {
  std::vector<OtherRule> all;
  const auto add = [&](const Rule& rule, const Window* window) {
    if (rule.kind == Rule::Kind::as_is || rule.kind == Rule::Kind::demand || same_rule(rule, now.rule))
      return;
    if (std::none_of(all.begin(), all.end(), [&](const auto& one) { return same_rule(*one.rule, rule); }))
      all.push_back({&rule, window});
  };
  for (const Window& window : in_file.windows) add(window.rule, &window);
  add(in_file.rule, nullptr);
  return all;
}

class OtherRules {
 public:
  OtherRules(Survey& survey, const Fleet& file, const Place& place)
      : survey_(survey),
        file_(file),
        place_(place),
        rules_(rules_of(file, survey.cluster->name, *place.rules)) {
    // By all nodes, and not by the few that stand for them.
    rules_.platform = sharing::platform_of(*survey.cluster, rules_.platform).platform;
    place_.rules = &rules_;
  }

  void note() {
    for (const Pool& in_file : file_.pools) {
      const Pool* now = pool_now(in_file);
      if (!now || in_file.windows.empty()) continue;
      kinds_.clear();
      for (const NodeSurvey& node : survey_.nodes)
        if (node.pool == now && !node.exception && !node.node->gpus.empty())
          kinds_[kind_of(*node.node)].push_back(node.node);
      for (const OtherRule& other : other_rules(in_file, *now)) note(*now, other);
    }
  }

 private:
  const Pool* pool_now(const Pool& in_file) const {
    for (const NodeSurvey& node : survey_.nodes)
      if (node.pool && node.pool->name == in_file.name) return node.pool;
    return nullptr;
  }

  void note(const Pool& pool, const OtherRule& other) {
    std::vector<std::string> nodes;
    std::string why;
    for (const auto& [kind, alike] : kinds_) {
      const std::string one = why_impossible(*other.rule, *alike.front());
      if (one.empty()) continue;
      if (why.empty()) why = one;
      for (const Node* node : alike) nodes.push_back(node->name.text);
    }
    if (why.empty()) return;
    survey_.notes.push_back(
        {&pool, Standing::impossible, text_of(other, clean(fold_for_reading(nodes), 300), why)});
  }

  // Held against it as if the rule held now, in a file of its own.
  std::string why_impossible(const Rule& rule, const Node& node) const {
    Fleet alone;
    alone.clusters = file_.clusters;
    Pool& pool = alone.pools.emplace_back();
    pool.name = "a";
    pool.rule = rule;
    Cluster cluster;
    cluster.name = survey_.cluster->name;
    cluster.scheduler = survey_.cluster->scheduler, cluster.simulated = survey_.cluster->simulated;
    cluster.loaded = true;
    cluster.nodes.upsert(emptied(node));
    const auto found = survey(alone, cluster, place_);
    if (!found || found->nodes.empty() || found->nodes.front().standing != Standing::impossible) return "";
    return found->nodes.front().why;
  }

  Survey& survey_;
  const Fleet& file_;
  Place place_;
  plan::SiteRules rules_;
  std::map<Kind, std::vector<const Node*>> kinds_;
};

}  // namespace

void note_other_rules(Survey& survey, const Fleet& file, const Place& place) {
  if (file.has_windows()) OtherRules(survey, file, place).note();
}

}  // namespace tessera::fleet
