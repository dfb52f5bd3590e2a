// Any bytes as a scenario: an error with a place, or a world that keeps its invariants.
#include "backends/sim/scenario/scenario.hpp"

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/sim/snapshot.hpp"
#include "backends/sim/world.hpp"

int fuzz_scenario(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using namespace tessera::sim;
  static const auto catalogue =
      std::make_shared<const mig::Catalogue>(std::move(*mig::Catalogue::built_in()));
  if (size > 16384) return 0;
  Result<ScenarioPtr> scenario =
      parse_scenario({reinterpret_cast<const char*>(data), size}, "fuzz.yaml", catalogue);
  if (!scenario) {
    if (scenario.error().reason.empty()) std::abort();
    return 0;
  }
  std::size_t boards = 0;
  for (const ClusterSpec& cluster : (*scenario)->clusters) {
    for (const NodeGroup& group : cluster.groups) boards += group.names.size() * (1 + group.boards.size());
    for (const JobPlan& plan : cluster.jobs) boards += static_cast<std::size_t>(plan.count);
    boards += 200 * cluster.streams.size();
  }
  if (boards > 600) return 0;  // large places are for the bench
  Result<std::vector<World>> worlds = make_worlds(*scenario, 1, TimePoint(Duration(1772442000000)));
  if (!worlds) return 0;
  for (World& world : *worlds) {
    world.advance(world.now + std::chrono::seconds(20));
    if (!audit(world).empty()) std::abort();
    snapshot(world, world.now, 1);
  }
  return 0;
}
