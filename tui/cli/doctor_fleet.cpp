#include "tui/cli/doctor_fleet.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "engine/fleet/passed_over.hpp"
#include "engine/fleet/telling.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/fleet/fleet_files.hpp"
#include "tui/cli/look_back.hpp"

namespace tessera::cli {
namespace {

// Of the fleet file that the settings name: what fleet run cannot do by it. Only the run itself told it, and
// whoever asked about the file.
class FleetFindings {
 public:
  FleetFindings(OpenClusters& clusters, const Options& options, const mig::Catalogue& catalogue)
      : clusters_(clusters),
        options_(options),
        catalogue_(catalogue),
        path_(clean(options.fleet_file, 300)) {}

  std::vector<insight::Finding> all() && {
    if (options_.fleet_file.empty() || looks_back(options_, clusters_.wall())) return {};
    const auto read = read_fleet_file(options_.fleet_file, catalogue_);
    if (!read) {
      add({}, path_, fmt::format("fleet run begins nothing: {}", read.error().reason), read.error().hint);
      return std::move(found_);
    }
    if (clusters_.runs())  // before the surveys: it lets events in
      if (auto told = list_runs(clusters_, options_); auto* runs = std::get_if<std::vector<RunHead>>(&told))
        runs_ = std::move(*runs);
    if (const fleet::Pool* pool = fleet::pool_of_no_cluster(read->fleet, clusters_.model().clusters.size())) {
      add({}, path_,
          fmt::format("fleet run begins nothing: line {}: pool {} names no cluster, and there are several",
                      pool->line, pool->name),
          "give it cluster: NAME");
      return std::move(found_);
    }
    for (const Cluster& cluster : clusters_.model().clusters)
      if (cluster.loaded) skipped(cluster, *read);
    return std::move(found_);
  }

 private:
  void add(const ClusterName& cluster, std::string subject, std::string text, std::string hint) {
    insight::Finding& one = found_.emplace_back();
    one.cluster = cluster, one.subject = std::move(subject);
    one.text = std::move(text), one.hint = std::move(hint);
  }

  void skipped(const Cluster& cluster, const ReadFleet& file) {
    const TimePoint now = cluster_now(cluster, clusters_.wall());
    const fleet::Fleet wanted = fleet::fleet_at(file.fleet, file.zone, now);
    const plan::Means means = capabilities_of(clusters_, cluster);
    const fleet::Place place{&catalogue_, &means, &options_.rules};
    auto survey = fleet::survey(wanted, cluster, place, {});
    if (!survey) return add(cluster.name, path_, survey.error().reason, survey.error().hint);
    const std::size_t others = survey->notes.size();
    fleet::note_passed_over(*survey, place, {file.fleet, file.zone, now}, runs_);
    for (std::size_t i = others; i < survey->notes.size(); ++i)
      add(cluster.name, "pool " + survey->notes[i].pool->name, survey->notes[i].text,
          fmt::format("tessera fleet check {} lists its nodes; line {} of the file has the pool",
                      shell_word(options_.fleet_file), survey->notes[i].pool->line));
  }

  OpenClusters& clusters_;
  const Options& options_;
  const mig::Catalogue& catalogue_;
  std::string path_;
  std::vector<RunHead> runs_;
  std::vector<insight::Finding> found_;
};

}  // namespace

std::vector<insight::Finding> fleet_findings(OpenClusters& clusters, const Options& options,
                                             const mig::Catalogue& catalogue) {
  return FleetFindings(clusters, options, catalogue).all();
}

}  // namespace tessera::cli
