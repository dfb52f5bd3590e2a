// `tessera guide` as a command: what has to be asked of a cluster, and the exit code.
#include <algorithm>
#include <sstream>

#include "tui/cli/change/planning.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/guide/guide.hpp"
#include "tui/cli/world.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kWalking = "cannot walk the guide";

// Asks what is here once. Returns the exit code when there is nothing to look at, which has been said then.
std::optional<int> look(World& world, const Options& options) {
  if (auto code = world.open()) return code;
  if (auto code = world.start(options.cluster)) return code;
  if (!world.wait_until_loaded()) return kUnknown;
  bool told = !world.model().clusters.empty();
  for (const Cluster& cluster : world.model().clusters)
    told = world.tell_troubles(cluster, [](Source) { return true; }) && told;
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
    std::ostringstream nobody;
    const Streams quiet{streams.out, nobody};
    World world(options, catalogue, joins, quiet);
    look(world, options);
    streams.out << print_tables(texts, world.model().clusters, joins.wall(), options);
    return kDone;
  }
  World world(options, catalogue, joins, streams);
  if (!options.nodes.empty())
    if (auto code = look(world, options)) return *code;
  auto sheet = ask_guide(options, world.model(), catalogue, texts, joins.wall(),
                         [&](const Cluster& cluster) { return capabilities_of(world, cluster); });
  if (!sheet) return refuse(sheet.error());
  streams.out << print_guide(*sheet, options);
  const bool open = std::any_of(sheet->groups.begin(), sheet->groups.end(),
                                [](const GuideAnswer& one) { return !one.result.strategy.has_value(); });
  return open ? kFinding : kDone;
}

}  // namespace tessera::cli
