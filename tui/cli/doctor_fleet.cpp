#include "tui/cli/doctor_fleet.hpp"

#include <memory>
#include <string>
#include <utility>
#include <variant>

#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/fleet/fleet_files.hpp"
#include "tui/cli/look_back.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"

namespace tessera::cli {

std::vector<insight::Finding> fleet_findings(OpenClusters& clusters, const Options& options,
                                             const mig::Catalogue& catalogue) {
  const std::string& path = options.fleet_file;
  if (path.empty() || looks_back(options, clusters.wall())) return {};
  const tui::FleetTold told =
      answer_fleet({tui::FleetOrder::What::read, path, "", ""}, catalogue, clusters.wall());
  std::vector<insight::Finding> found;
  if (auto paused = tui::pause_finding(path, told.paused)) found.push_back(std::move(*paused));
  const auto add = [&](std::vector<insight::Finding> more) {
    for (insight::Finding& one : more) found.push_back(std::move(one));
    return std::move(found);
  };
  if (told.file->failure) return add(tui::findings_of(path, *told.file, nullptr));
  auto asked = std::make_shared<tui::FleetQuestion>();
  if (clusters.runs())
    if (auto runs = list_runs(clusters, options); auto* heads = std::get_if<std::vector<RunHead>>(&runs))
      asked->runs = std::move(*heads);
  asked->file = told.file;
  asked->path = whole_path_of(path);
  asked->catalogue = &catalogue;
  asked->clusters = clusters.model().clusters;  // after the list of runs, which lets events in
  for (const Cluster& cluster : asked->clusters)
    asked->means[cluster.name] = capabilities_of(clusters, cluster);
  asked->rules = options.rules;
  asked->wall = clusters.wall();
  return add(tui::findings_of(path, *told.file, tui::answer_of(std::move(asked)).get()));
}

}  // namespace tessera::cli
