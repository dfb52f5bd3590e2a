// The sources of figures that a site names in its settings, read once: Prometheus behind a service or a URL,
// exporters by a command.
// Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "backends/figures/places.hpp"
#include "backends/figures/site_command.hpp"

namespace tessera::figures {

struct FigureSources {
  std::optional<ServicePlace> service;    // of Kubernetes clusters
  std::string url;                        // of a Slurm cluster; empty: none
  std::optional<SiteCommand> prometheus;  // asks for it
  std::optional<SiteCommand> exporter;    // asks a Slurm node's exporter
};

// by_setting: "prometheus", "prometheus-command", "slurm-exporter" as written; those that are not set are
// absent. Errors name the setting at the front of `reason`.
Result<FigureSources> read_figure_sources(const std::map<std::string, std::string>& by_setting);

}  // namespace tessera::figures
