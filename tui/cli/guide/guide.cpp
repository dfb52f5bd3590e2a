#include "tui/cli/guide/guide.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/guide/together.hpp"
#include "engine/model/reduce.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/text.hpp"
#include "tui/cli/as_asked.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/layouts.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kGuiding = "cannot walk the guide";

struct Subject {
  std::vector<guide::Group> groups;
  const Cluster* cluster = nullptr;
};

struct Place {
  sharing::Platform platform = sharing::Platform::slurm;
  std::string from;
};

Place place_of(const Options& options, const Cluster* cluster) {
  if (cluster == nullptr && options.platform) return {*options.platform, "set for this site"};
  if (cluster == nullptr) return {sharing::Platform::slurm, "assumed; --platform names another"};
  const sharing::Recognised found = sharing::platform_of(*cluster, options.platform);
  return {found.platform, found.evidence.empty() ? "its scheduler" : found.evidence};
}

Result<Subject> boards_asked_about(const Options& options, const Model& model,
                                   const mig::Catalogue& catalogue, TimePoint wall) {
  auto chosen = choose_nodes(options, model, catalogue, wall, kGuiding);
  if (auto* refusal = std::get_if<Refusal>(&chosen)) return std::move(refusal->error);
  const auto& [home, nodes] = std::get<ChosenNodes>(chosen);
  std::vector<guide::Mark> marks;
  for (const NodeName& name : nodes) {
    for (GpuIndex gpu : options.gpus) marks.push_back({name, gpu});
    if (options.gpus.empty()) marks.push_back({name, std::nullopt});
  }
  Subject subject{guide::split(*home, marks, catalogue), home};
  if (!subject.groups.empty()) return subject;
  for (const NodeName& name : nodes)
    if (const Node* node = home->nodes.find(name); node && sharing::amd::is_amd(*node))
      return Error{kGuiding, "these GPUs are AMD's: " + std::string(sharing::amd::kNotPlanned),
                   "AMD's config manager changes them, or amd-smi on the node"};
  return Error{kGuiding, options.gpus.empty() ? "no GPUs are known here" : "there is no such GPU here",
               "tessera gpus lists them"};
}

Result<Subject> subject_of(const Options& options, const Model& model, const mig::Catalogue& catalogue,
                           TimePoint wall) {
  if (!options.product.empty() && !options.nodes.empty()) {
    return Error{kGuiding, "--node and --product exclude each other", "give one of them"};
  }
  if (!options.gpus.empty() && options.nodes.empty()) {
    return Error{kGuiding, "--gpu needs the node that it is in", "add --node NAME"};
  }
  if (!options.nodes.empty()) return boards_asked_about(options, model, catalogue, wall);
  if (options.product.empty()) return Subject{{guide::Group{"any GPU", {}}}, nullptr};
  const mig::Product* product = catalogue.by_any(options.product);
  if (product == nullptr) return unknown_product(options.product, catalogue);
  return Subject{{guide::Group{product->key.text, guide::scope_of(*product)}}, nullptr};
}

// For each layout the whole `tessera plan …`, several where GPUs differ.
std::vector<std::vector<std::string>> commands_of(const guide::GuideResult& result, guide::Scope scope,
                                                  sharing::Platform platform, const Options& options) {
  std::vector<std::vector<std::string>> all;
  if (!result.together.empty()) scope = guide::together(scope, result.together);
  for (const guide::Proposal& one : result.layouts) {
    std::vector<std::string>& lines = all.emplace_back();
    if (result.ways.onward != guide::Onward::plan || !one.refused.empty()) continue;
    for (const auto& flags : guide::plan_flags(one, scope, sharing::scheduler_of(platform))) {
      std::vector<std::string> words = as_asked(options, scope.cluster);
      words.insert(words.end(), flags.begin(), flags.end());
      lines.push_back("tessera plan " + guide::typed(words));
    }
  }
  return all;
}

Result<GuideAnswer> answer_for(const guide::Group& group, const Place& place, const Options& options,
                               const mig::Catalogue& catalogue, const guide::Texts& texts, TimePoint now) {
  guide::Walk walk(texts.chart, guide::prefill(group.scope, catalogue, options.site),
                   guide::Confidence::likely);
  for (const auto& [question, yes] : options.answers) {
    if (walk.answer(question, yes)) continue;
    std::string known;
    for (const guide::Question& one : texts.chart->questions())
      known += (known.empty() ? "" : ", ") + one.label + " (" + one.id + ")";
    return Error{kGuiding, "the flowchart has no question \"" + clean(question, 60) + "\"",
                 "it has " + known};
  }
  guide::GuideContext context;
  context.platform = place.platform;
  context.licence = options.site.licence;
  context.facts = texts.platforms;
  context.handouts = &texts.handouts;
  GuideAnswer answer;
  answer.name = group.name;
  if (group.scope.product != nullptr) answer.product = group.scope.product->key.text;
  answer.platform = place.platform, answer.platform_from = place.from;
  answer.result = guide::conclude(walk, group.scope, context, now);
  answer.commands = commands_of(answer.result, group.scope, place.platform, options);
  if (const guide::Leaf* leaf = walk.leaf()) {
    answer.title = leaf->title, answer.summary = guide::plain(leaf->summary);
    answer.meaning = guide::plain(leaf->meaning);
  }
  return answer;
}

bool about_these(const guide::HabitFinding& finding, const std::vector<guide::Group>& groups) {
  return std::any_of(groups.begin(), groups.end(), [&](const guide::Group& group) {
    return std::any_of(group.scope.nodes.begin(), group.scope.nodes.end(), [&](const Node* node) {
      return std::count(node->workloads.begin(), node->workloads.end(), finding.workload) > 0;
    });
  });
}

}  // namespace

Result<GuideSheet> ask_guide(const Options& options, const Model& model, const mig::Catalogue& catalogue,
                             const guide::Texts& texts, TimePoint wall, const CapabilitiesOf& can_of) {
  auto subject = subject_of(options, model, catalogue, wall);
  if (!subject) return subject.error();
  // As plans are made, so that both say the same.
  for (guide::Group& group : subject->groups) {
    group.scope.rules = options.rules;
    if (subject->cluster != nullptr) group.scope.can = can_of(*subject->cluster);
  }
  const Place place = place_of(options, subject->cluster);
  const TimePoint now = subject->cluster != nullptr ? cluster_now(*subject->cluster, wall) : wall;
  GuideSheet sheet;
  for (const guide::Group& group : subject->groups) {
    auto answer = answer_for(group, place, options, catalogue, texts, now);
    if (!answer) return answer.error();
    sheet.groups.push_back(std::move(*answer));
  }
  if (subject->cluster == nullptr) return sheet;
  for (guide::HabitFinding& finding : guide::seen_here(*subject->cluster, catalogue, place.platform)) {
    const Workload* work = subject->cluster->workloads.find(finding.workload);
    const bool waits = work != nullptr && work->state == WorkloadState::pending;
    if (waits || finding.workload.text.empty() || about_these(finding, subject->groups))
      sheet.findings.push_back(std::move(finding));
  }
  return sheet;
}

}  // namespace tessera::cli
