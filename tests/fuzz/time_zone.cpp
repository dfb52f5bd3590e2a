// Any bytes as a file of a time zone: an error, or clocks that differ from UTC by less than two days and go
// round.
#include <cstdint>
#include <cstdlib>

#include "engine/fleet/zone.hpp"
#include "engine/text.hpp"

int fuzz_time_zone(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  if (size > 65536) return 0;
  auto zone = fleet::read_zone({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!zone) {
    if (zone.error().reason.empty() || zone.error().hint.empty()) std::abort();
    return 0;
  }
  for (int days = -40'000; days < 60'000; days += 997) {
    const TimePoint at{std::chrono::hours(24 * days)};
    if (zone->offset_at(at) > std::chrono::hours(48) || zone->offset_at(at) < std::chrono::hours(-48))
      std::abort();
    (void)zone->moment(zone->local(at));
  }
  return 0;
}
