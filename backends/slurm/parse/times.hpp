// Slurm's times: local time without a zone ("2026-11-21T02:36:31"), read in the C library's time zone.
//
// scontrol prints in the zone of its environment, which is ours, so both agree; in the hour that a change to
// winter time repeats, Slurm's text itself is ambiguous.
// Threads: one Clock for one thread.
#pragma once

#include <optional>
#include <string_view>
#include <unordered_map>

#include "engine/model/units.hpp"

namespace tessera::slurm {

class LocalTimes {
 public:
  // nullopt for "Unknown", "None", "N/A" and whatever is no such time.
  std::optional<TimePoint> read(std::string_view text);

 private:
  // Offset from UTC of a whole local day in seconds; nullopt: it changes during that day.
  std::optional<long> offset_of(std::chrono::sys_days day);
  std::unordered_map<int, std::optional<long>> days_;
};

}  // namespace tessera::slurm
