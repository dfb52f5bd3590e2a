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

// A time limit as Slurm writes it: "30", "10:00", "01:00:00", "1-00", "2-12:30", "2-12:30:00"; minutes where
// nothing tells otherwise. nullopt for "UNLIMITED", "Partition_Limit", "INVALID" and whatever is none.
std::optional<Duration> read_limit(std::string_view text);

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
