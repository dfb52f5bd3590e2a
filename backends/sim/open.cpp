// From options to worlds and backends.
#include <fmt/format.h>

#include "backends/sim/backend.hpp"
#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/saved/store.hpp"
#include "backends/sim/slurm_operator.hpp"
#include "backends/worker.hpp"

namespace tessera::sim {
namespace {

constexpr double kMostSpeed = 100'000;

using CataloguePtr = std::shared_ptr<const mig::Catalogue>;

Result<CataloguePtr> catalogue_of(const SimulatorOptions& options) {
  if (options.catalogue) return options.catalogue;
  Result<mig::Catalogue> built_in = mig::Catalogue::built_in();
  if (!built_in) return built_in.error();
  return CataloguePtr(std::make_shared<const mig::Catalogue>(std::move(*built_in)));
}

Result<std::vector<World>> fresh(const SimulatorOptions& options, const CataloguePtr& catalogue) {
  std::string name = options.scenario.empty() ? "demo" : options.scenario;
  Result<ScenarioPtr> scenario = find_scenario(name, catalogue);
  if (!scenario) return scenario.error();
  Result<std::vector<World>> worlds = make_worlds(*scenario, options.seed, options.wall());
  if (!worlds) return worlds.error();
  if (!runs_slurmds(**scenario)) return worlds;
  std::vector<Changes> told(worlds->size());
  for (World& world : *worlds) world.advance(world.now);  // what is so from the start
  follow_slurmds(*worlds, told);
  return worlds;
}

Result<SavedWorlds> from_file(const SimulatorOptions& options, const CataloguePtr& catalogue,
                              const StateFile& file) {
  Result<std::optional<SavedText>> text = read_state(options.state_file);
  if (!text) return text.error();
  if (*text) {
    Result<std::vector<World>> worlds = load_state((*text)->text, catalogue, options.state_file);
    if (!worlds) return worlds.error();
    if (!options.scenario.empty() && !worlds->empty() && worlds->front().scenario->name != options.scenario)
      return Error{"the state is of another scenario",
                   fmt::format("{} holds '{}', asked for '{}'", options.state_file,
                               worlds->front().scenario->name, options.scenario),
                   "leave the scenario out, or give another state file"};
    return SavedWorlds{options.state_file, (*text)->stamp, std::move(*worlds)};
  }
  Result<std::vector<World>> worlds = fresh(options, catalogue);
  if (!worlds) return worlds.error();
  Result<FileStamp> stamp = file.write(save_state(*worlds));
  if (!stamp) return stamp.error();
  return SavedWorlds{options.state_file, *stamp, std::move(*worlds)};
}

Result<SavedWorlds> from_file(const SimulatorOptions& options, const CataloguePtr& catalogue) {
  Result<StateFile> file = StateFile::open(options.state_file);
  if (!file) return file.error();
  return from_file(options, catalogue, *file);
}

}  // namespace

Result<std::vector<World>> open_worlds(const SimulatorOptions& options) {
  Result<CataloguePtr> catalogue = catalogue_of(options);
  if (!catalogue) return catalogue.error();
  if (options.state_file.empty()) return fresh(options, *catalogue);
  Result<SavedWorlds> saved = from_file(options, *catalogue);
  if (!saved) return saved.error();
  return std::move(saved->worlds);
}

Status act_on_saved(const SimulatorOptions& options, const std::function<Status(std::vector<World>&)>& act) {
  Result<CataloguePtr> catalogue = catalogue_of(options);
  if (!catalogue) return catalogue.error();
  Result<StateFile> file = StateFile::open(options.state_file);
  if (!file) return file.error();
  Result<SavedWorlds> saved = from_file(options, *catalogue, *file);
  if (!saved) return saved.error();
  if (Status ok = act(saved->worlds); !ok) return ok;
  std::vector<Changes> told(saved->worlds.size());
  follow_slurmds(saved->worlds, told);
  Result<FileStamp> stamp = file->write(save_state(saved->worlds));
  if (!stamp) return stamp.error();
  return Done{};
}

Result<std::vector<WorldStore>> open_stores(const SimulatorOptions& options) {
  Result<CataloguePtr> catalogue = catalogue_of(options);
  if (!catalogue) return catalogue.error();
  std::vector<WorldStore> stores;
  if (options.state_file.empty()) {
    Result<std::vector<World>> worlds = fresh(options, *catalogue);
    if (!worlds) return worlds.error();
    if (!worlds->empty() && runs_slurmds(*worlds->front().scenario)) {
      auto together = std::make_shared<SavedWorlds>();
      together->worlds = std::move(*worlds);
      together->owed.resize(together->worlds.size());
      for (std::size_t i = 0; i < together->worlds.size(); ++i) stores.emplace_back(together, i);
      return stores;
    }
    for (World& world : *worlds) stores.emplace_back(std::move(world));
    return stores;
  }
  Result<SavedWorlds> saved = from_file(options, *catalogue);
  if (!saved) return saved.error();
  for (std::size_t i = 0; i < saved->worlds.size(); ++i) stores.emplace_back(*saved, i);
  return stores;
}

Result<std::vector<BackendPtr>> open(const SimulatorOptions& options) {
  double speed = options.speed.value_or(options.state_file.empty() ? 1.0 : 0.0);
  if (!(speed >= 0 && speed <= kMostSpeed))
    return Error{"impossible simulator speed", fmt::format("{} is not between 0 and {}", speed, kMostSpeed),
                 ""};
  Result<std::vector<WorldStore>> stores = open_stores(options);
  if (!stores) return stores.error();
  std::vector<BackendPtr> backends;
  std::shared_ptr<Worker> worker;  // one for all whose worlds act on one another
  for (WorldStore& store : *stores) {
    if (!worker || !store.together()) worker = std::make_shared<Worker>();
    backends.push_back(make_backend(std::move(store), speed, options.wall, worker));
  }
  return backends;
}

}  // namespace tessera::sim
