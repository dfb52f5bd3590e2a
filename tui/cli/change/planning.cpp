#include "tui/cli/change/planning.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/json.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/steps/site_patch.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

// Which jobs are disturbed depends on both: a plan without either would promise what is not known.
bool is_needed(Source source) {
  switch (source) {
    case Source::simulator:
    case Source::slurm_nodes:
    case Source::slurm_jobs:
    case Source::kubernetes_nodes:
    case Source::kubernetes_pods: return true;
    default: return false;
  }
}

std::string how_to_apply(const Options& options) {
  const tui::WordsPtr& words = options.reader;
  const char* or_else = options.command == "fleet"
                            ? "or give the same file to tessera fleet apply. Nothing has been changed yet."
                            : "or give the same flags to tessera apply. Nothing has been changed yet.";
  return tui::told(words, "To make the change: keep the plan with -o json > plan.json, then") +
         "\n  tessera apply plan.json --write\n" + tui::told(words, or_else) + "\n";
}

bool names_missing_gpu(const Cluster& cluster, const plan::Intent& intent) {
  return std::any_of(intent.nodes.begin(), intent.nodes.end(), [&](const NodeName& name) {
    const Node* node = cluster.nodes.find(name);
    return node && std::any_of(intent.boards.begin(), intent.boards.end(), [&](const plan::BoardWish& one) {
             return one.gpu && (!one.node || *one.node == name) && lacks_gpu(*node, *one.gpu);
           });
  });
}

}  // namespace

Status check_output(const Options& options) {
  if (options.output == OutputFormat::table || options.output == OutputFormat::json ||
      options.output == OutputFormat::yaml)
    return Done{};
  return Error{"cannot print that", options.command + " has no such form", "table, json or yaml"};
}

std::optional<int> look_afresh(OpenClusters& clusters, const Options& options, const Streams& streams,
                               const std::string& cluster) {
  if (auto failed = clusters.start(cluster)) return failed;
  if (!clusters.wait_until_loaded()) return 128 + clusters.ended_by().value_or(0);
  bool told = false;
  for (const Cluster& each : clusters.model().clusters) told |= clusters.tell_troubles(each, is_needed);
  if (told) return std::nullopt;
  if (clusters.model().clusters.empty())
    complain(streams, {"no answer", fmt::format("within {} s", options.timeout.count() / 1000),
                       "try again with a longer --timeout"});
  return kUnknown;
}

plan::Means capabilities_of(const OpenClusters& clusters, const Cluster& cluster) {
  Backend* backend = clusters.backend(cluster.name);
  plan::Actuator* actuator = backend ? backend->actuator() : nullptr;
  if (actuator) return actuator->means();
  return plan::presumed_capabilities(cluster);
}

Or<plan::Plan> make_wished(const OpenClusters& clusters, const Options& options,
                           const mig::Catalogue& catalogue) {
  Or<Wished> wished = read_wish(options, clusters.model(), catalogue, clusters.wall());
  if (auto* refusal = std::get_if<Refusal>(&wished))
    return with_unread_nodes(std::move(*refusal), clusters.model());
  const auto& [cluster, intent, notes] = std::get<Wished>(wished);
  auto plan = plan::make_plan(*cluster, catalogue, intent, capabilities_of(clusters, *cluster), options.rules,
                              cluster_now(*cluster, clusters.wall()));
  if (!plan && names_missing_gpu(*cluster, intent))
    return with_unread_nodes(Refusal{plan.error(), kUsage}, clusters.model());
  if (!plan) return Refusal{plan.error(), work_untold(*cluster) ? kUnknown : kFinding};
  for (const std::string& note : notes) plan->notices.push_back({Severity::info, "preset", {}, note});
  return std::move(*plan);
}

std::variant<plan::Plan, int> look_and_plan(OpenClusters& clusters, const Options& options,
                                            const mig::Catalogue& catalogue, const Streams& streams) {
  if (Status ok = check_output(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (Status ok = check_wish(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = look_afresh(clusters, options, streams, options.cluster)) return *failed;
  Or<plan::Plan> made = make_wished(clusters, options, catalogue);
  if (auto* refusal = std::get_if<Refusal>(&made)) return refuse(streams, refusal->error, refusal->code);
  return std::get<plan::Plan>(std::move(made));
}

void print_plan(const plan::Plan& plan, const Options& options, const Streams& streams) {
  if (options.messages) {
    streams.out << messages_document(plan, options.output);
  } else if (options.patch) {
    std::string patch = plan::site_patch(plan);
    if (patch.empty())
      streams.err << tui::told(options.reader, "The plan writes nothing but to its nodes.") << "\n"
                  << std::flush;
    streams.out << patch;
  } else if (options.output != OutputFormat::table) {
    streams.out << plan_document(plan, options.output);
  } else {
    std::string text = preview(plan, kInFull, options.reader);
    if (!plan.changes_anything() && plan.no_steps.empty())
      text += "\n" +
              tui::told(options.reader,
                        plan::only_starts_differ(plan)
                            ? "Nothing to do: the slices are there, and no plan can choose their starts here."
                            : "Nothing to do: already in that state.") +
              "\n";
    else if (plan.no_steps.empty())
      text += "\n" + how_to_apply(options);
    streams.out << (options.ascii ? in_ascii(text) : text);
  }
  streams.out << std::flush;
}

int code_of(const plan::Plan& plan) {
  return plan.violations.empty() && plan.no_steps.empty() ? kDone : kFinding;
}

std::string plan_document(const plan::Plan& plan, OutputFormat output) {
  return output == OutputFormat::yaml ? document(plan::plan_json(plan), Markup::yaml)
                                      : plan::to_document(plan);
}

std::string messages_document(const plan::Plan& plan, OutputFormat output) {
  if (output == OutputFormat::table) return messages_text(plan);
  Json list = Json::list();
  for (const plan::Message& message : plan::messages(plan)) {
    Json one = Json::map();
    one.add("user", Json::of(message.user));
    one.add("text", Json::of(message.text));
    list.items.push_back(std::move(one));
  }
  return document(list, output == OutputFormat::yaml ? Markup::yaml : Markup::json);
}

int run_plan(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams) {
  OpenClusters clusters(options, catalogue, joins, streams);
  const auto made = look_and_plan(clusters, options, catalogue, streams);
  if (const int* code = std::get_if<int>(&made)) return *code;
  const plan::Plan& plan = std::get<plan::Plan>(made);
  print_plan(plan, options, streams);
  return code_of(plan);
}

}  // namespace tessera::cli
