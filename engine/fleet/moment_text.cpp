#include "engine/fleet/moment_text.hpp"

#include <fmt/format.h>

#include <chrono>

#include "engine/fleet/rows.hpp"

namespace tessera::fleet {

std::string moment_text(const Zone& zone, TimePoint at) {
  std::string text = clock_text(zone.local(at));
  // Zones are whole minutes from UTC.
  const auto seconds =
      std::chrono::floor<std::chrono::seconds>(at) - std::chrono::floor<std::chrono::minutes>(at);
  if (seconds.count() > 0) text += fmt::format(":{:02}", seconds.count());
  return text;
}

std::string moment_text(const Fleet& fleet, const Zone& zone, TimePoint at) {
  return moment_text(zone, at) + " " + zone_name(fleet);
}

std::string zone_name(const Fleet& fleet) { return fleet.time_zone.empty() ? "UTC" : fleet.time_zone; }

}  // namespace tessera::fleet
