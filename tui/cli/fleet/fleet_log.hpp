// What became of a fleet file beside the runs, which have journals of their own: pools that fleet run
// skipped, windows that it missed, pauses. One line each in FILE.log; where that cannot be made or written,
// in a file of the user's own. Threads: one at a time in a process; several processes may write to one log.
#pragma once

#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"

namespace tessera::cli {

struct FleetPlace {
  std::string path;   // of the fleet file
  std::string state;  // the folder of what this user's tessera keeps; empty: there is none
};

// Where something is kept for a fleet file beside whose path it cannot lie, by the path that links lead to;
// its folder is made. Empty: there is no such place.
std::string kept_for(const FleetPlace& place, const std::string& suffix);

// The folder in which a user's journals lie; empty: of none.
std::string state_beside(const std::string& journals);

struct FleetLine {
  std::string at;  // "2026-11-30T08:00:00Z"
  std::string who, what;
};
// A timer finds the same again every few minutes: what was noted within the last day is not noted again.
Status note_in_log(const FleetPlace& place, const FleetLine& line);
// The same for what a person does, each time. removed: since when and by whom it was paused; empty: it is
// paused now. who: empty: named by the uid.
Status note_pause(const FleetPlace& place, TimePoint wall, const std::string& who,
                  const std::string& removed);
// Oldest first, from both places; what others have written there is made safe. Errors: one of them is there
// and cannot be read.
Result<std::vector<FleetLine>> read_fleet_log(const FleetPlace& place);

// The uid where the system knows no name.
std::string name_or_uid(const std::string& who);

}  // namespace tessera::cli
