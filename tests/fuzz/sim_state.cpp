// Any bytes as a saved state: an error, or worlds that keep their invariants and save to what was loaded.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/snapshot.hpp"

int fuzz_sim_state(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  using namespace tessera::sim;
  static const auto catalogue =
      std::make_shared<const mig::Catalogue>(std::move(*mig::Catalogue::built_in()));
  if (size > 32768) return 0;
  Result<std::vector<World>> worlds = load_state({reinterpret_cast<const char*>(data), size}, catalogue);
  if (!worlds) {
    if (worlds.error().reason.empty()) std::abort();
    return 0;
  }
  Result<std::vector<World>> again = load_state(save_state(*worlds), catalogue);
  if (!again || !(*again == *worlds)) std::abort();
  for (World& world : *worlds) {
    world.advance(world.now + std::chrono::seconds(20));
    if (!audit(world).empty()) std::abort();
    snapshot(world, world.now, 1);
  }
  return 0;
}
