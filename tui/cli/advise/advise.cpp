#include "tui/cli/advise/advise.hpp"

#include "engine/advise/advise.hpp"
#include "tui/cli/advise/advise_text.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/pack/nodes_to_pack.hpp"
#include "tui/cli/record/demand.hpp"
#include "tui/cli/record/looked.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {

int run_advise(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams) {
  if (Status ok = check_output(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (options.accounting && options.sim)
    return refuse(streams,
                  Error{"cannot advise", "a simulated cluster has no accounting", "leave out --accounting"},
                  kUsage);
  const bool named = !options.recording.empty() || options.accounting || options.source_typed;
  const bool looks_back = named || !options.source.empty() || has_prometheus(options, joins);
  if (options.right_sized && !looks_back)
    return refuse(streams,
                  Error{"cannot advise", "--right-sized is about the past, and no source of it is named",
                        "add --recording FOLDER, --accounting or --source, or leave out --right-sized"},
                  kUsage);
  OpenClusters clusters(options, catalogue, joins, streams);
  if (auto failed = clusters.open()) return *failed;
  if (auto failed = look_afresh(clusters, options, streams, options.cluster)) return *failed;
  Or<ChosenNodes> chosen = nodes_to_pack(options, clusters, catalogue, "cannot advise");
  if (auto* refusal = std::get_if<Refusal>(&chosen)) return refuse(streams, *refusal);
  const auto& [cluster, nodes] = std::get<ChosenNodes>(chosen);
  tell_of_empty_namespace(options, *cluster, streams);
  advise::Question question{
      cluster, &catalogue,        capabilities_of(clusters, *cluster),    options.rules,
      nodes,   options.partition, cluster_now(*cluster, clusters.wall()), std::chrono::hours(options.hours)};
  std::optional<LookedDemand> past;
  if (looks_back) {
    Options one = options;
    one.cluster = cluster->name.text;
    auto looked = look_at_demand(one, catalogue, joins, options.since, options.partition);
    // What waits can be advised on without a history that nobody asked for; that there is none is said.
    if (!looked && named) return refuse(streams, looked.error(), kUnknown);
    if (!looked)
      complain(streams, looked.error());
    else
      past = std::move(*looked);
    if (past) question.past = &past->demand;
  }
  const advise::Advice advice = advise::advise(question);
  if (options.output == OutputFormat::table) {
    const std::string text = advise_page(question, advice, past ? &*past : nullptr, options);
    streams.out << (options.ascii ? in_ascii(text) : text);
  } else {
    streams.out << document(advise_json(question, advice, past ? &*past : nullptr, options),
                            options.output == OutputFormat::json ? Markup::json : Markup::yaml);
  }
  streams.out << std::flush;
  const bool waits = advice.queue.workloads > 0 || !advice.queue.no_node.empty();
  return advice.answers.empty() && waits ? kFinding : kDone;
}

}  // namespace tessera::cli
