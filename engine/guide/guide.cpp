#include "engine/guide/guide.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/guide/proposals/offers.hpp"
#include "engine/guide/together.hpp"
#include "engine/model/health_words.hpp"
#include "engine/text.hpp"

namespace tessera::guide {

namespace {

ResultStep result_step(const Flowchart& chart, const WalkStep& step, TimePoint now) {
  const Question* question = chart.question(step.question);
  ResultStep result{question->label, plain(question->ask), step.yes, "admin", describe(step.known, now)};
  if (!step.by_admin) {
    const auto& facts = step.known.facts;
    const bool told = !facts.empty() && facts.front().origin.source != Source::none;
    result.source = told ? std::string(tessera::word(facts.front().origin.source)) : "site";
  }
  return result;
}

std::vector<NeededAnswer> needed(const Walk& walk, TimePoint now) {
  std::vector<NeededAnswer> all;
  const auto add = [&](const Question& question) {
    all.push_back({question.label, plain(question.ask), describe(walk.known(question.id), now)});
  };
  if (walk.current() == nullptr) return all;
  add(*walk.current());
  for (const Question* question : walk.open()) {
    if (question != walk.current()) add(*question);
  }
  return all;
}

// What is to be known of the nodes whatever is chosen: those that take no work as they are, as their trouble
// is looked at before anything is shared there, and those that another tool looks after.
void add_nodes(std::vector<sharing::Limit>& limits, const Scope& scope) {
  const auto first_fact = std::find_if(limits.begin(), limits.end(), [](const sharing::Limit& one) {
    return one.kind == sharing::LimitKind::fact;
  });
  std::vector<sharing::Limit> closed;
  for (const Node* node : scope.nodes) {
    if (node->health == Health::ok || node->health == Health::unknown) continue;
    const std::string name = clean(node->name.text, 253);
    const std::string_view health =
        scope.cluster ? health_word(node->health, scope.cluster->scheduler) : word(node->health);
    std::string text = fmt::format("{} is {} and takes no workloads", name, health);
    std::string why = clean(node->reason, 200);
    if (!why.empty() && !node->reason_by.empty()) why += fmt::format(" ({})", clean(node->reason_by, 64));
    if (!why.empty()) text = fmt::format("{} is {} and takes no workloads: {}", name, health, why);
    closed.push_back({"node-closed", sharing::LimitKind::caution, std::move(text), std::nullopt});
  }
  if (std::string text = only_some_by_ack(scope); !text.empty())
    closed.push_back({"ack-some", sharing::LimitKind::caution, std::move(text), std::nullopt});
  limits.insert(first_fact, closed.begin(), closed.end());
}

AdviceAbout about(const Scope& scope) {
  std::size_t there = 0;
  for (const Node* node : scope.nodes) there += node->gpus.size();
  return {scope.product != nullptr ? std::string_view(scope.product->key.text) : std::string_view(),
          !scope.boards.empty() && scope.boards.size() < there};
}

}  // namespace

sharing::LimitContext limit_context(const Scope& scope, const GuideContext& context) {
  sharing::LimitContext limits;
  limits.product = scope.product;
  limits.platform = context.platform;
  limits.cuda = context.cuda;
  limits.licence = context.licence;
  limits.facts = context.facts;
  for (const Node* node : scope.nodes) {
    if (limits.driver.empty()) limits.driver = node->driver;
    // The oldest driver of a mixed set is the one that limits it.
    if (sharing::compare_versions(node->driver, limits.driver).value_or(0) < 0) limits.driver = node->driver;
    limits.boards_a_node = std::max(limits.boards_a_node, static_cast<int>(node->gpus.size()));
  }
  for (const Gpu* gpu : scope.boards) {
    const bool on = gpu->mig_mode && *gpu->mig_mode != MigMode::disabled;
    limits.mig_in_use = limits.mig_in_use || on || gpu->strategy == Strategy::mig;
  }
  return limits;
}

GuideResult conclude(const Walk& walk, const Scope& scope, const GuideContext& context, TimePoint now) {
  GuideResult result;
  for (const WalkStep& step : walk.path()) result.path.push_back(result_step(walk.chart(), step, now));
  result.needed = needed(walk, now);
  const Leaf* leaf = walk.leaf();
  if (leaf == nullptr) {
    add_nodes(result.limits, scope);
    return result;
  }
  result.strategy = leaf->strategy;
  for (const std::string& text : tradeoffs(*leaf)) result.tradeoffs.push_back(plain(text));
  sharing::LimitContext limits = limit_context(scope, context);
  for (const WalkStep& step : walk.path()) {
    if (step.question != "licence" || !step.yes || limits.licence) continue;
    const bool seen = !step.by_admin && step.known.confidence == Confidence::certain;
    if (seen) limits.licence = true;
    limits.licence_promised = !seen;
  }
  result.limits = sharing::limits(leaf->strategy, limits);
  add_nodes(result.limits, scope);
  result.layouts = propose(scope, leaf->strategy, context.platform);
  result.ways = ways_on(leaf->strategy, context.platform, scope, walk.chart(), result.limits, result.layouts);
  if (result.ways.onward == Onward::elsewhere) {
    result.layouts.clear();  // what cannot be had here is not offered
    return result;
  }
  if (result.ways.onward == Onward::plan) keep_allowed(result, scope, context.platform, walk.chart());
  if (context.handouts != nullptr && result.ways.onward != Onward::elsewhere)
    result.advice = advice(*context.handouts, leaf->strategy, context.platform,
                           result.layouts.empty() ? nullptr : &result.layouts.front(), about(scope));
  return result;
}

Table layout_comparison(const mig::Product& product) {
  Table table;
  table.id = "layouts";
  table.title = "Layouts of " + product.key.text;
  table.columns = {"layout",        "instances",        "compute slices",
                   "memory slices", "stranded compute", "stranded memory"};
  if (!product.placements_known) return table;
  for (const mig::Layout& layout : mig::enumerate(product, mig::Which::undominated)) {
    int compute = 0, memory = 0;
    std::vector<int> profiles;
    for (const mig::Placed& placed : layout) {
      profiles.push_back(placed.profile);
      const mig::Profile& profile = product.profiles.at(static_cast<std::size_t>(placed.profile));
      compute += profile.compute_slices;
      memory += profile.memory_slices;
    }
    const mig::Room room = mig::room(product, layout);
    table.rows.push_back({title_of(product, std::move(profiles)), std::to_string(layout.size()),
                          std::to_string(compute), std::to_string(memory),
                          std::to_string(room.stranded_compute_slices),
                          std::to_string(room.stranded_memory_slices)});
  }
  return table;
}

}  // namespace tessera::guide
