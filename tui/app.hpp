// The loop of the console: keys and events in, update and draw, effects out.
//
// Sleeps in poll() until a key, an event, a signal or the next tick; drains everything that waits, then
// draws once, and only if something changed. A key is painted at once; a storm of events at most 30 times a
// second.
// Threads: runs on the caller's thread, which owns the model from now on.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/insight/acknowledged.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/plan/run/runs.hpp"
#include "engine/port.hpp"
#include "tui/fleet_state.hpp"
#include "tui/keymap.hpp"
#include "tui/state.hpp"
#include "tui/terminal/signals.hpp"
#include "tui/terminal/terminal.hpp"
#include "tui/terminal/theme.hpp"

namespace tessera::record {
class Archive;
}

namespace tessera::tui {

struct Clocks {
  std::function<TimePoint()> wall;
  std::function<Duration()> steady;  // never jumps; any origin
};
Clocks system_clocks();

// What the loop works with. Everything is used by reference and must outlive it.
struct AppParts {
  Terminal& terminal;
  EventSource& events;
  std::span<const BackendPtr> backends;
  const mig::Catalogue& catalogue;
  const Keymap& keymap;
  Signals& signals;
  plan::Runs* runs = nullptr;          // drives changes; nullptr: nothing can be changed
  record::Archive* archive = nullptr;  // what is known of the past of these clusters; nullptr: nothing
};

struct AppOptions {
  std::vector<std::filesystem::path> theme_directories;
  // Keeps it for the next console; empty: it counts in this one alone.
  std::function<Status(const insight::Acknowledgement&)> acknowledge;
  // Reads a fleet file, looks whether it is another one by now, or pauses it, on a thread of its own; empty:
  // there are none.
  std::function<FleetTold(const FleetOrder&)> fleet;
  FleetSources fleet_sources;
  // A line "clusters-loading bytes-read resizes bytes-written" is written here whenever the loop has nothing
  // left to do; tests wait for it instead of sleeping.
  std::optional<int> idle_fd;
};

class App {
 public:
  App(AppParts parts, UiState state, AppOptions options, Clocks clocks = system_clocks());
  ~App();
  App(const App&) = delete;
  App& operator=(const App&) = delete;

  // Until the user quits (0), the terminal goes away (0) or a signal ends it (128 + its number). Runs that
  // are driven here are parked before.
  int run();
  // One turn: waits at most `limit` for something to happen. False when it is time to leave.
  bool turn(std::optional<Duration> limit);

  const Model& model() const;
  const UiState& state() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Everything together: opens the terminal, starts the backends with the sink, runs until the end, gives the
// terminal back. The environment variable TESSERA_IDLE_FD sets AppOptions::idle_fd.
struct ConsoleOptions {
  std::string theme = "dark";
  bool theme_chosen = false;  // by a flag or a configuration file
  std::vector<std::filesystem::path> theme_directories;
  TerminalOptions terminal;
  std::string remembered;  // the file of choices that outlive the console; empty: none
  std::function<Status(const std::string&)> remember;                  // puts that text in its place
  std::function<Status(const insight::Acknowledgement&)> acknowledge;  // as AppOptions has it
  std::function<FleetTold(const FleetOrder&)> fleet;                   // as AppOptions has it
  FleetSources fleet_sources;
  UiState state;  // themes, ascii and size are filled in here
};
Result<int> run_console(const ConsoleOptions& options, const Keymap& keymap, const mig::Catalogue& catalogue,
                        std::span<const BackendPtr> backends, EventSink& sink, EventSource& source,
                        plan::Runs* runs = nullptr, record::Archive* archive = nullptr);

}  // namespace tessera::tui
