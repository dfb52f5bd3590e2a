// The files of tessera fleet: the fleet file itself, what lies beside it, and the time zones that it names.
// Threads: one at a time.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "engine/error.hpp"
#include "engine/fleet/fleet.hpp"
#include "engine/fleet/zone.hpp"
#include "engine/mig/catalogue.hpp"
#include "tui/fleet_state.hpp"

namespace tessera::cli {

struct ReadFleet {
  fleet::Fleet fleet;
  fleet::Zone zone;   // of its windows, where it has any
  std::string stamp;  // another one where the file says something else
};
// Errors: it is not there or cannot be read, what it says, its time zone.
Result<ReadFleet> read_fleet_file(const std::string& path, const mig::Catalogue& catalogue);

// Absolute, links followed; as given where that cannot be told. Not to be read by people: it is not clean.
std::string resolved(const std::string& path);
// The same, clean: by that the runs of a file are known.
std::string whole_path_of(const std::string& path);

// As it stands. Errors: it is not there or cannot be read.
Result<std::string> fleet_text(const std::string& path);
// Puts a text in the place of the file as a whole, and reads it back. before: what was read; a file that is
// another one by now is left alone. A link stays one.
Status replace_fleet_file(const std::string& path, const std::string& before, const std::string& text);

// From the system's database. Errors: there is no such zone, or its file cannot be read.
Result<fleet::Zone> zone_of(const std::string& name);

// A mark beside the file, so that whoever reads the file sees it (fleet_pause.cpp).
struct Pause {
  // Since when tessera fleet run is paused for it and by whom. Empty: it is not. That it cannot be found out
  // counts as paused: "?".
  std::string since;
  bool own = false;  // this user's
};
Pause pause_of(const std::string& path);
std::string paused_since(const std::string& path);
// who: the person; empty: named by the uid.
Status pause_fleet(const std::string& path, TimePoint wall, const std::string& who);
// Removes the pause that was seen, as Pause::since has it. Errors: it is another one by now, which stays.
Status unpause_fleet(const std::string& path, const std::string& seen);

// What the console asks of these files. state: as FleetLock has it.
tui::FleetTold answer_fleet(const tui::FleetOrder& order, const mig::Catalogue& catalogue, TimePoint wall,
                            const std::string& state = "");

// One runner of a file at a time on this host, whoever runs it: held for as long as this lives. It locks
// FILE.lock, which no editor replaces; where that cannot be made, a file of the user's own in the folder
// `state`, named by the path; and FILE itself, since another user's runner may not be able to make the first.
// Both lie beside the file that a link leads to. state: empty: there is none. A runner on another host, whose
// locks may not be seen here, is seen by its mark in FILE.lock for as long as that is renewed.
class FleetLock {
 public:
  // settle: waits a moment, so that a runner that begins on another host at the same time has written its
  // mark; empty: that is not looked for.
  FleetLock(const std::string& path, const std::string& state, const std::function<void()>& settle = {});
  FleetLock(const FleetLock&) = delete;
  FleetLock& operator=(const FleetLock&) = delete;
  ~FleetLock();
  std::optional<Error> why_not() const;  // nullopt: it is held
  // For other hosts: it is still at work. Where another one has put its mark there, it is not held any more.
  void renew() const;

 private:
  void write_mark() const;

  std::string mark_;  // of this runner
  int beside_ = -1, file_ = -1;
  mutable int problem_ = 0;      // errno
  mutable bool marked_ = false;  // its mark was written
  mutable std::string other_;    // host and process of another runner
};

}  // namespace tessera::cli
