// `tessera guide` as a command: what has to be asked of a cluster, and the exit code.
#include <algorithm>
#include <sstream>
#include <variant>

#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/guide/guide.hpp"
#include "tui/cli/open_clusters.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kWalking = "cannot walk the guide";

// Asks what is here once. Returns the exit code when there is nothing to look at, which has been said then.
std::optional<int> look(OpenClusters& clusters, const Options& options) {
  if (auto code = clusters.open()) return code;
  if (auto code = clusters.start(options.cluster)) return code;
  if (!clusters.wait_until_loaded()) return kUnknown;
  bool told = !clusters.model().clusters.empty();
  for (const Cluster& cluster : clusters.model().clusters)
    told = clusters.tell_troubles(cluster, [](Source) { return true; }) && told;
  if (told) return std::nullopt;
  return kUnknown;
}

}  // namespace

int run_guide(const Options& options, const mig::Catalogue& catalogue, const guide::Texts& texts,
              const Joins& joins, const Streams& streams) {
  auto refuse = [&](const Error& error) {
    complain(streams, error);
    return kUsage;
  };
  if (options.output == OutputFormat::csv) {
    return refuse({kWalking, "its answer is no table of rows", "-o table, json or yaml"});
  }
  if ((options.compare || options.terms) && !options.scheduler) {
    streams.out << print_tables(texts, {}, joins.wall(), options);
    return kDone;
  }
  if (options.scheduler) {
    // It looks at a cluster where there is one, and does quietly without where there is none.
    std::ostringstream unread;
    const Streams quiet{streams.out, unread};
    OpenClusters clusters(options, catalogue, joins, quiet);
    look(clusters, options);
    streams.out << print_tables(texts, clusters.model().clusters, joins.wall(), options);
    return kDone;
  }
  OpenClusters clusters(options, catalogue, joins, streams);
  if (!options.nodes.empty())
    if (auto code = look(clusters, options)) return *code;
  if (!options.nodes.empty()) {  // with the exit codes of all commands that name nodes
    const auto chosen = choose_nodes(options, clusters.model(), catalogue, joins.wall(), kWalking);
    if (const auto* refusal = std::get_if<Refusal>(&chosen)) return cli::refuse(streams, *refusal);
  }
  auto sheet = ask_guide(options, clusters.model(), catalogue, texts, joins.wall(),
                         [&](const Cluster& cluster) { return capabilities_of(clusters, cluster); });
  if (!sheet) return refuse(sheet.error());
  streams.out << print_guide(*sheet, options);
  const bool open = std::any_of(sheet->groups.begin(), sheet->groups.end(),
                                [](const GuideAnswer& one) { return !one.result.strategy.has_value(); });
  return open ? kFinding : kDone;
}

}  // namespace tessera::cli
