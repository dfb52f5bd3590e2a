// From options to worlds and backends.
#include <fmt/format.h>

#include "backends/sim/backend.hpp"
#include "backends/sim/state_file.hpp"
#include "backends/sim/state_text.hpp"

namespace tessera::sim {
namespace {

constexpr double kMostSpeed = 100'000;

using CataloguePtr = std::shared_ptr<const mig::Catalogue>;

Result<CataloguePtr> catalogue_of(const Options& options) {
  if (options.catalogue) return options.catalogue;
  Result<mig::Catalogue> built_in = mig::Catalogue::built_in();
  if (!built_in) return built_in.error();
  return CataloguePtr(std::make_shared<const mig::Catalogue>(std::move(*built_in)));
}

Result<std::vector<World>> fresh(const Options& options, const CataloguePtr& catalogue) {
  std::string name = options.scenario.empty() ? "demo" : options.scenario;
  Result<ScenarioPtr> scenario = find_scenario(name, catalogue);
  if (!scenario) return scenario.error();
  return make_worlds(*scenario, options.seed, options.wall());
}

Result<std::vector<World>> from_file(const Options& options, const CataloguePtr& catalogue) {
  Result<StateFile> file = StateFile::open(options.state_file);
  if (!file) return file.error();
  Result<std::optional<std::string>> text = file->read();
  if (!text) return text.error();
  if (*text) {
    Result<std::vector<World>> worlds = load_state(**text, catalogue, options.state_file);
    if (worlds && !options.scenario.empty() && !worlds->empty() &&
        worlds->front().scenario->name != options.scenario)
      return Error{"the state is of another scenario",
                   fmt::format("{} holds '{}', asked for '{}'", options.state_file,
                               worlds->front().scenario->name, options.scenario),
                   "leave the scenario out, or give another state file"};
    return worlds;
  }
  Result<std::vector<World>> worlds = fresh(options, catalogue);
  if (!worlds) return worlds;
  if (Status saved = file->write(save_state(*worlds)); !saved) return saved.error();
  return worlds;
}

}  // namespace

Result<std::vector<World>> open_worlds(const Options& options) {
  Result<CataloguePtr> catalogue = catalogue_of(options);
  if (!catalogue) return catalogue.error();
  return options.state_file.empty() ? fresh(options, *catalogue) : from_file(options, *catalogue);
}

Result<std::vector<BackendPtr>> open(const Options& options) {
  double speed = options.speed.value_or(options.state_file.empty() ? 1.0 : 0.0);
  if (!(speed >= 0 && speed <= kMostSpeed))
    return Error{"impossible simulator speed", fmt::format("{} is not between 0 and {}", speed, kMostSpeed),
                 ""};
  if (!options.state_file.empty() && speed != 0)
    return Error{"a saved world stands still", "a speed was given together with a state file",
                 "leave one of the two out"};
  Result<std::vector<World>> worlds = open_worlds(options);
  if (!worlds) return worlds.error();
  std::vector<BackendPtr> backends;
  for (World& world : *worlds) backends.push_back(make_backend(std::move(world), speed, options.wall));
  return backends;
}

}  // namespace tessera::sim
