#include "tui/cli/as_asked.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/sharing/platform.hpp"

namespace tessera::cli {

std::vector<std::string> as_asked(const Options& options, const Cluster* cluster) {
  std::vector<std::string> flags;
  const auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) flags.insert(flags.end(), {"--" + std::string(flag), value});
  };
  if (options.sim) flags.push_back(options.sim->empty() ? "--sim" : "--sim=" + *options.sim);
  if (options.sim_seed) add("sim-seed", std::to_string(*options.sim_seed));
  add("sim-state", options.sim_state);
  add("kubeconfig", options.kubeconfig);
  add("context", fmt::format("{}", fmt::join(options.contexts, ",")));
  add("slurm-conf", options.slurm_conf);
  if (cluster != nullptr) add("cluster", cluster->name.text);
  if (options.platform) add("platform", std::string(sharing::word(*options.platform)));
  return flags;
}

}  // namespace tessera::cli
