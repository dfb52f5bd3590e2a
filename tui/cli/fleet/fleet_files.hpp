// What tessera fleet reads and locks beside the fleet file itself.
// Threads: one at a time.
#pragma once

#include <optional>
#include <string>

#include "engine/error.hpp"
#include "engine/fleet/zone.hpp"

namespace tessera::cli {

// From the system's database. Errors: there is no such zone, or its file cannot be read.
Result<fleet::Zone> zone_of(const std::string& name);

// One runner of a file at a time, whoever runs it: held for as long as this lives. It locks FILE.lock, which
// no editor replaces, and FILE itself, since another user's runner may not be able to make or open the first.
class FleetLock {
 public:
  explicit FleetLock(const std::string& path);
  FleetLock(const FleetLock&) = delete;
  FleetLock& operator=(const FleetLock&) = delete;
  ~FleetLock();
  std::optional<Error> why_not() const;  // nullopt: it is held

 private:
  int beside_ = -1, file_ = -1;
  int problem_ = 0;  // errno
};

}  // namespace tessera::cli
