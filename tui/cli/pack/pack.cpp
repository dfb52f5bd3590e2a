#include "tui/cli/pack/pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "engine/fleet/offers.hpp"
#include "engine/pack/by_nodes.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/pack/pools.hpp"
#include "engine/pack/read.hpp"
#include "engine/pack/refused.hpp"
#include "engine/pack/sizing.hpp"
#include "engine/pack/unserved.hpp"
#include "engine/text.hpp"
#include "engine/whatif/whatif.hpp"
#include "engine/why/may_use.hpp"
#include "tui/cli/change/begin.hpp"
#include "tui/cli/change/moment.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/pack/nodes_to_pack.hpp"
#include "tui/cli/pack/pack_text.hpp"
#include "tui/cli/pack/sizes_text.hpp"
#include "tui/cli/record/demand.hpp"
#include "tui/cli/settings.hpp"
#include "tui/plan_phrases.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;

// Seconds since it was last asked.
class StopWatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> passed = now - since_;
    since_ = now;
    return passed.count();
  }

 private:
  std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
};

Result<pack::FileProblem> read_boards(const Options& options, const mig::Catalogue& catalogue,
                                      const Streams& streams) {
  if (options.boards_file == "-") {
    auto text = read_all(streams.in_fd, kMostBytes);
    if (!text) return text.error();
    return pack::read_boards(*text, "standard input", catalogue);
  }
  auto files = read_files({options.boards_file}, kMostBytes);
  if (!files) return files.error();
  if (files->empty())
    return Error{"cannot read the GPUs and the demand", "there is no file " + clean(options.boards_file, 300),
                 "docs/planning.md has an example"};
  return pack::read_boards(files->front().text, clean(options.boards_file, 300), catalogue);
}

// What the answer is to be found for, and where it came from.
struct Asked {
  pack::Problem problem;
  std::optional<PackedCluster> cluster;
  std::map<std::string, int> refused;  // of those left out, the GPUs of nodes that no plan changes
  pack::Services services;             // with --boards; the demand has the instances that serve them in it
  std::optional<pack::Sizes> sizes;
  std::optional<TimePoint> until;  // when work may end that the plan waits for; nullopt: none is
};

// Until when work may end that the plan waits for; nullopt: none is. now: by the cluster's clock.
Result<std::optional<TimePoint>> until_of(const Options& options, TimePoint now) {
  constexpr Duration kLongest = std::chrono::hours(24 * 3650);
  const std::string& text = options.ends_within;
  if (text.empty()) return std::optional<TimePoint>();
  const auto span = parse_duration(text);
  if (span && *span >= std::chrono::seconds(1) && *span <= kLongest) return std::optional(now + *span);
  const auto at = parse_moment(text, now);
  if (!at && parse_moment(text + "Z", now))
    return Error{"cannot plan", "--ends-within: the clocks are set forward over " + clean(text, 100),
                 "give a time before or after that hour, or one in UTC: 2026-11-21T22:00Z"};
  if (!at)
    return Error{"cannot plan", "--ends-within: \"" + clean(text, 100) + "\"",
                 "a time from 1s to 3650d, like 12h, or a moment like 2026-11-23T08:00 or 08:00"};
  if (*at <= now)
    return Error{"cannot plan", "--ends-within: " + clean(text, 100) + " is over",
                 "give a time that is still to come"};
  return at;
}

// By any day, before a cluster's clock is known.
Status check_until(const Options& options) {
  const auto until = until_of(options, TimePoint{std::chrono::seconds(979'560'000)});
  return until ? Status(Done{}) : Status(until.error());
}

Status check_words(const Options& options) {
  constexpr const char* what = "cannot plan";
  const bool by_file = !options.boards_file.empty();
  if (by_file && (!options.words.empty() || !options.nodes.empty()))
    return Error{what, "--boards names the GPUs and the demand", "leave out --node and PROFILE=COUNT"};
  if (by_file && !options.at.empty())
    return Error{what, "--boards asks no cluster, and nothing acts at a time", "leave out --at"};
  if (by_file && options.for_history)
    return Error{what, "--boards asks no cluster", "leave out --for-history"};
  if (by_file && (options.for_queue || options.plan_it || options.apply_it || !options.partition.empty() ||
                  !options.ends_within.empty()))
    return Error{what, "--boards asks no cluster",
                 "leave out --for-queue, --partition, --ends-within, --plan and --apply"};
  if (!options.ends_within.empty() && options.change.way != plan::Way::wait)
    return Error{what,
                 "a plan treats all jobs and pods in its way alike: --ends-within waits for their end, --way "
                 "ends them",
                 "leave out --ends-within or --way"};
  if (options.for_queue && !options.words.empty())
    return Error{what, "the demand is said in two ways", "leave out --for-queue or PROFILE=COUNT"};
  if (options.for_history && (options.for_queue || !options.words.empty()))
    return Error{what, "the demand is said in two ways",
                 "leave out --for-history, or --for-queue and PROFILE=COUNT"};
  if (options.accounting && (!options.for_history || options.sim))
    return Error{what, "--accounting is where --for-history looks, on a real Slurm",
                 options.sim ? "leave out --accounting" : "add --for-history 30d, or leave out --accounting"};
  if (options.for_history && !options.nodes.empty())
    return Error{what, "--for-history tells the demand of all nodes, or of a partition",
                 "leave out --node; --partition narrows both"};
  if (options.right_sized && !options.for_history)
    return Error{what, "--right-sized is about what was needed in the past",
                 "add --for-history 30d, or leave out --right-sized"};
  if (options.plan_it && options.apply_it)
    return Error{what, "--plan and --apply exclude each other", "look first, with --plan"};
  if (!by_file && !options.for_queue && !options.for_history && options.words.empty())
    return Error{
        what, "no demand is named",
        "tessera pack 3g.40gb=10, --for-queue, --for-history 30d, or --boards FILE (docs/planning.md)"};
  return check_until(options);
}

// The peaks of the cluster's past, and where they were read.
struct LookedPast {
  pack::PastDemand demand;
  std::string source;
  std::vector<std::string> words;
  Json right_sized;
  usage::Gaps gaps;
  TimePoint until{};
};
Result<LookedPast> past_of(const Options& options, const Joins& joins, const Cluster& cluster,
                           const mig::Catalogue& catalogue) {
  Options one = options;
  one.cluster = cluster.name.text;
  auto looked = look_at_demand(one, catalogue, joins, *options.for_history, options.partition);
  if (!looked) return looked.error();
  pack::PastDemand past = pack::demand_of_past(looked->demand, cluster, options.partition, catalogue);
  past.from = looked->from, past.to = looked->to;
  LookedPast told{
      std::move(past),           source_word(*looked), history_words(*looked, *options.for_history),
      right_sized_json(*looked), looked->gaps,         looked->now};
  if (std::string untold = untold_words(*looked); !untold.empty()) told.words.push_back(std::move(untold));
  told.words.push_back(sizes_words(*looked));
  return told;
}

// Who tells what is made on the GPUs of these nodes.
void tell_sources(PackedCluster& about, const Cluster& cluster, const std::vector<NodeName>& nodes) {
  for (const NodeName& name : nodes) {
    const Node* node = cluster.nodes.find(name);
    if (!node || node->gpus.empty()) continue;
    const bool unasked = fleet::is_slurms_word(*node);
    const Source source = unasked ? Source::slurm_nodes : node->gpus.front().origin.source;
    ++about.told_by[source == Source::none ? "unknown" : std::string(word(source))];
    if (unasked) about.unasked.push_back(name.text);
  }
}

Or<Asked> ask_cluster(const Options& options, const OpenClusters& clusters, const mig::Catalogue& catalogue,
                      const Joins& joins) {
  Or<ChosenNodes> chosen = nodes_to_pack(options, clusters, catalogue, "cannot plan");
  if (auto* refusal = std::get_if<Refusal>(&chosen)) return std::move(*refusal);
  const auto& [cluster, nodes] = std::get<ChosenNodes>(chosen);
  if (cluster->scheduler == Scheduler::kubernetes && !options.partition.empty() && !options.words.empty())
    return Refusal{{"cannot plan", "--partition is a namespace on Kubernetes, which narrows no nodes",
                    "name the nodes with --node; --partition narrows --for-queue and --for-history"},
                   kUsage};
  const auto until = until_of(options, cluster_now(*cluster, clusters.wall()));
  if (!until) return Refusal{until.error(), kUsage};
  std::optional<pack::QueueDemand> queue;
  std::optional<pack::Naming> asked;
  if (options.for_queue) {
    queue = pack::demand_of_queue(*cluster, options.partition, &catalogue, nullptr,
                                  pack::naming_on(*cluster, nodes));
    asked = queue->naming;
  }
  pack::ClusterProblem found =
      pack::problem_of(*cluster, nodes, catalogue, capabilities_of(clusters, *cluster), *until, asked,
                       nullptr, options.change.way != plan::Way::wait);
  PackedCluster about{cluster->name.text, std::move(found.left_out), std::move(queue), std::nullopt, {}, {}};
  tell_sources(about, *cluster, nodes);
  found.problem.evict = options.change.way != plan::Way::wait;
  if (options.for_queue) {
    pack::leave_out_unserved(*about.queue, *cluster, found.problem, *until);
    pack::sort_by_nodes(*about.queue, *cluster, nodes);
    found.problem.demand = pack::demand_in(found.problem, *about.queue);
  } else if (options.for_history) {
    auto past = past_of(options, joins, *cluster, catalogue);
    if (!past) return Refusal{past.error(), kUnknown};
    found.problem.demand = past->demand.demand;
    about.past = std::move(past->demand);
    about.past_source = std::move(past->source), about.past_words = std::move(past->words);
    about.past_right_sized = std::move(past->right_sized), about.past_gaps = past->gaps,
    about.past_until = past->until;
  } else {
    auto demand = pack::read_demand(options.words, found.problem, catalogue);
    if (!demand) return Refusal{demand.error(), kUsage};
    found.problem.demand = std::move(*demand);
  }
  return Asked{std::move(found.problem), std::move(about), {}, {}, std::nullopt, *until};
}

// The answer without the nodes of which no plan is made: asked names them among those left out.
Result<pack::Answer> without_refused(Asked& asked, pack::Answer first, const Options& options,
                                     const mig::Catalogue& catalogue, OpenClusters& clusters) {
  const Cluster& cluster = *clusters.model().find(ClusterName(asked.cluster->name));
  const plan::Means can = capabilities_of(clusters, cluster);
  std::optional<pack::Naming> naming;
  if (asked.cluster->queue) naming = asked.cluster->queue->naming;
  const pack::ReadFrom from{cluster, catalogue, can, options.rules, options.change, asked.until, naming};
  pack::ClusterProblem all{std::move(asked.problem), {}};
  auto answer = pack::keep_to_plans(all, std::move(first), from);
  asked.problem = std::move(all.problem), asked.refused = std::move(all.left_out);
  asked.cluster->left_out.insert(asked.refused.begin(), asked.refused.end());
  return answer;
}

// Precondition: a GPU changes.
Result<plan::Plan> plan_of(const Asked& asked, const pack::Answer& packed, const Options& options,
                           const mig::Catalogue& catalogue, OpenClusters& clusters) {
  const Cluster& cluster = *clusters.model().find(ClusterName(asked.cluster->name));
  plan::Intent intent = pack::intent_of(asked.problem, packed, cluster.name);
  intent.words = options.for_queue     ? "packed for the queue"
                 : options.for_history ? "packed for the history"
                                       : "packed for a demand";
  intent.options = options.change;
  intent.options.way = pack::way_of(packed, options.change.way);
  const TimePoint now = cluster_now(cluster, clusters.wall());
  if (Status ok = set_time(intent.options, options, now); !ok) return ok.error();
  return plan::make_plan(cluster, catalogue, intent, capabilities_of(clusters, cluster), options.rules, now);
}

// Who would start when, with that plan and without it.
whatif::Comparison forecast_of(const plan::Plan& plan, const mig::Catalogue& catalogue,
                               OpenClusters& clusters) {
  const Cluster* cluster = clusters.model().find(plan.intent.cluster);
  return whatif::compare({cluster, &catalogue, cluster_now(*cluster, clusters.wall())}, plan);
}

// Whom the change of the answer disturbs, or why no plan is made of it.
PackEffect effect_of(const Asked& asked, const pack::Answer& packed, const Options& options,
                     const mig::Catalogue& catalogue, OpenClusters& clusters) {
  if (packed.boards.empty()) return {};
  const auto plan = plan_of(asked, packed, options, catalogue, clusters);
  if (!plan) return {"", to_line(plan.error()), std::nullopt};
  if (!plan->no_steps.empty()) return {"", plan->no_steps, std::nullopt};
  if (!plan->violations.empty()) return {"", plan->violations.front().text, std::nullopt};
  return {tui::disturbs_text(*plan), "", forecast_of(*plan, catalogue, clusters)};
}

// The demand by the words of this command.
std::string words_of(const pack::Problem& problem) {
  std::vector<std::pair<std::string, std::int64_t>> words;
  for (const pack::Demand& one : problem.demand) {
    const std::string word = pack::word_of(one, problem.products);
    const auto same =
        std::find_if(words.begin(), words.end(), [&](const auto& other) { return other.first == word; });
    if (same == words.end())
      words.emplace_back(word, one.count);
    else
      same->second += one.count;
  }
  std::string text;
  for (const auto& [word, count] : words)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", word, count);
  return text;
}

// Words name no nodes: where not all nodes serve the demand, they would ask for another plan.
std::string what_instead(const pack::Problem& problem) {
  if (pack::has_pools(problem)) return "tessera advise names changes that help";
  return "tessera advise names changes that help; to make this one all the same, write " + words_of(problem) +
         " in place of --for-queue";
}

// Whether the demand is met, nothing of what waits was left out of it for lack of a node, and none of it
// rests on a guess.
bool serves_all(const Asked& asked, const pack::Answer& packed) {
  const pack::QueueDemand* queue = asked.cluster && asked.cluster->queue ? &*asked.cluster->queue : nullptr;
  const bool open = queue && (!queue->no_node.empty() || queue->beyond > 0 || queue->guessed > 0);
  return packed.met() && !open;
}

// Whether no start speaks for the change: what is played starts no sooner, and the rest is not played since
// which nodes it may use is a guess.
bool helps_none_for_certain(const whatif::Comparison& forecast, const pack::QueueDemand& queue,
                            const Cluster& cluster) {
  const auto is_guessed = [&](const WorkloadId& id) {
    const Workload* work = cluster.workloads.find(id);
    return work && (why::is_selective(*work, cluster.scheduler) || why::has_unread_features(*work) ||
                    why::is_short_of_machine(*work, cluster.scheduler));
  };
  std::vector<WorkloadId> others = queue.ids;
  std::erase_if(others, is_guessed);
  return whatif::helps_none(forecast, others);
}

// Why nothing is made for a queue that it helps in no way that is known.
Error why_not_made(const Asked& asked, bool all_played) {
  const int hours = whatif::kUsualHours;
  return {"nothing was changed",
          all_played
              ? fmt::format("the change is for what waits, and none of it starts sooner within {} h", hours)
              : fmt::format("the change is for what waits, and none of it is known to start sooner "
                            "within {} h",
                            hours),
          what_instead(asked.problem)};
}

// The plan of the answer: looked at, or armed and run. What is unmet was told before.
int change(const Asked& asked, const pack::Answer& packed, const Options& options,
           const mig::Catalogue& catalogue, OpenClusters& clusters, const Streams& streams) {
  streams.err << proof_text(asked.problem, packed, options);
  if (const std::string bounds = pack::bounds_text(packed); !bounds.empty())
    streams.err << tui::told(options.reader, bounds) << "\n";
  streams.err << unmet_text(asked.problem, packed, options);
  if (const std::string unchecked = pack::unchecked_text(packed); !unchecked.empty())
    streams.err << tui::told(options.reader, unchecked) << "\n";
  for (const auto& [why, count] : asked.refused)
    streams.err << tui::told(options.reader, pack::left_out_text(count, why)) << "\n";
  streams.err << unasked_text(*asked.cluster, options);
  if (asked.cluster->queue)
    for (const std::string& line : pack::unserved_text(*asked.cluster->queue))
      streams.err << tui::told(options.reader, line) << "\n";
  if (packed.boards.empty()) {
    report_no_run("nothing", "nothing to do: no GPU is to be changed for that demand", options, streams);
    return serves_all(asked, packed) ? kDone : kFinding;
  }
  plan::ChangeOptions timed = options.change;
  const Cluster& cluster = *clusters.model().find(ClusterName(asked.cluster->name));
  if (Status ok = set_time(timed, options, cluster_now(cluster, clusters.wall())); !ok)
    return refuse(streams, ok.error(), kUsage);
  auto plan = plan_of(asked, packed, options, catalogue, clusters);
  if (!plan) return refuse(streams, plan.error(), kFinding);
  if (options.for_queue && plan->no_steps.empty() && plan->violations.empty()) {
    const whatif::Comparison forecast = forecast_of(*plan, catalogue, clusters);
    const pack::QueueDemand& queue = *asked.cluster->queue;
    streams.err << forecast_text(forecast, &queue, options);
    if (options.apply_it && helps_none_for_certain(forecast, queue, cluster))
      return refuse(streams, why_not_made(asked, whatif::not_played(forecast, queue.ids) == 0), kFinding);
  }
  if (options.apply_it) {
    const int code = begin(clusters, options, catalogue, streams, {std::move(*plan), false, false});
    return code == kDone && !serves_all(asked, packed) ? kFinding : code;
  }
  print_plan(*plan, options, streams);
  return serves_all(asked, packed) ? code_of(*plan) : kFinding;
}

int answer(Asked asked, const Options& options, const mig::Catalogue& catalogue, OpenClusters* clusters,
           const Streams& streams, PackTimes times) {
  StopWatch watch;
  auto classes = pack::classify(asked.problem);
  if (!classes) return refuse(streams, classes.error(), kUsage);
  times.classify = watch.lap();
  auto packed = pack::pack(asked.problem, *classes);
  if (!packed) return refuse(streams, packed.error(), kUsage);
  if (clusters) packed = without_refused(asked, std::move(*packed), options, catalogue, *clusters);
  if (!packed) return refuse(streams, packed.error(), kFinding);
  times.solve += watch.lap();
  const PackedCluster* cluster = asked.cluster ? &*asked.cluster : nullptr;
  if (clusters && (options.plan_it || options.apply_it))
    return change(asked, *packed, options, catalogue, *clusters, streams);
  const PackEffect effect =
      clusters ? effect_of(asked, *packed, options, catalogue, *clusters) : PackEffect();
  if (options.output == OutputFormat::json || options.output == OutputFormat::yaml) {
    Json all = pack_json(asked.problem, *packed, times, cluster, effect);
    if (asked.sizes) add_sizes(all, asked.services, *asked.sizes);
    streams.out << document(all, options.output == OutputFormat::json ? Markup::json : Markup::yaml);
  } else {
    streams.out << pack_page(asked.problem, *packed, options, cluster, effect);
    if (asked.sizes) streams.out << sizes_text(asked.services, *asked.sizes, options);
  }
  return serves_all(asked, *packed) && effect.refused.empty() ? kDone : kFinding;
}

}  // namespace

int run_pack(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams) {
  if (Status ok = check_output(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (Status ok = check_words(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (Status ok = check_time(options, joins.wall()); !ok) return refuse(streams, ok.error(), kUsage);
  PackTimes times;
  StopWatch watch;
  if (!options.boards_file.empty()) {
    auto file = read_boards(options, catalogue, streams);
    if (!file) return refuse(streams, file.error(), kUsage);
    times.read = watch.lap();
    Asked asked{std::move(file->problem),  std::nullopt, {},
                std::move(file->services), std::nullopt, std::nullopt};
    if (!asked.services.empty()) {
      auto sizes = pack::choose_sizes(asked.problem, asked.services);
      if (!sizes) return refuse(streams, sizes.error(), kFinding);
      asked.problem = pack::with_sizes(std::move(asked.problem), asked.services, *sizes);
      asked.sizes = std::move(*sizes);
      times.solve = watch.lap();
    }
    return answer(std::move(asked), options, catalogue, nullptr, streams, times);
  }
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = look_afresh(clusters, options, streams, options.cluster)) return *failed;
  times.read = watch.lap();
  Or<Asked> asked = ask_cluster(options, clusters, catalogue, joins);
  if (auto* refusal = std::get_if<Refusal>(&asked)) return refuse(streams, *refusal);
  const ClusterName name(std::get<Asked>(asked).cluster->name);
  tell_of_empty_namespace(options, *clusters.model().find(name), streams);
  return answer(std::move(std::get<Asked>(asked)), options, catalogue, &clusters, streams, times);
}

}  // namespace tessera::cli
