// The simulator as a backend: one for each cluster of a scenario, moved along by the wall clock.
//
// The first picture is posted at once; then, once a second, what has changed since. Telemetry of a node is
// told again every five seconds or so, a few nodes at a time. At speed 0 the world stands still and nothing
// more is posted unless refresh() asks, a user acts, or another process changed the state file. An action
// in a world that stands still takes the time that it needs to be over, and no other time passes.
// Threads: as engine/port.hpp says; the world lives on the backend's own thread, and the sink outlives the
// backend.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/saved/store.hpp"
#include "engine/port.hpp"

namespace tessera {
class Worker;
}

namespace tessera::sim {

struct SimulatorOptions {
  std::string scenario;  // a built-in name or a path; empty: "demo", or what the state file holds
  std::uint64_t seed = 1;
  std::optional<double> speed;  // virtual seconds in a second; default 1, and 0 with a state file
  std::string state_file;  // empty: none; created from the scenario when it does not exist; others share it
  std::function<TimePoint()> wall;                  // the wall clock; called on the backends' threads
  std::shared_ptr<const mig::Catalogue> catalogue;  // null: the built-in one
};

// The worlds that the options name: from the state file when there is one, else fresh from the scenario.
Result<std::vector<World>> open_worlds(const SimulatorOptions& options);
// Lets `act` have the worlds of the state file, and saves them when it succeeds; all under the file's lock.
Status act_on_saved(const SimulatorOptions& options, const std::function<Status(std::vector<World>&)>& act);
// Where each of those worlds lives; with a state file they share it.
Result<std::vector<WorldStore>> open_stores(const SimulatorOptions& options);
// One backend for each cluster. Errors: unknown scenario, broken file, state locked for too long, speed out
// of range.
Result<std::vector<BackendPtr>> open(const SimulatorOptions& options);

// worker: of several backends where their worlds act on one another; the first one that goes stops it, so
// they go together. nullptr: one of its own.
BackendPtr make_backend(WorldStore store, double speed, std::function<TimePoint()> wall,
                        std::shared_ptr<Worker> worker = nullptr);
inline BackendPtr make_backend(World world, double speed, std::function<TimePoint()> wall) {
  return make_backend(WorldStore(std::move(world)), speed, std::move(wall));
}

}  // namespace tessera::sim
