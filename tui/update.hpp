// update: one message in, a changed UiState and what the loop must do out. The only place where it changes.
//
// Never blocks, reads no clock, touches no terminal: time comes with the message.
// Threads: the UI thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/reduce.hpp"
#include "engine/record/archive.hpp"
#include "tui/action.hpp"
#include "tui/fleet_state.hpp"
#include "tui/state.hpp"

namespace tessera::tui {

struct AdviseNews;
struct PackAnswer;

// What every view and update may read beside the state.
struct UiContext {
  const Model& model;
  const mig::Catalogue& catalogue;
  TimePoint wall{};
  const history::History* history = nullptr;  // what was measured; null: only now is known
};

struct ActionMessage {
  Action action{};
};
// One printable character (UTF-8) for the input line; ignored where nothing is typed.
struct TextInput {
  std::string character;
};
// A key that means nothing here, as the help spells it.
struct UnknownKey {
  std::string key;
};
// A bracketed paste: text for the input line, never keys. Ignored where nothing is typed.
struct Paste {
  std::string text;
};
struct Resize {
  Size size;
};
struct ModelChanged {};
// Time went by. The loop sends one when `next_tick` says so, and at least once a minute.
struct Tick {};
struct Mouse {
  enum class Kind : std::uint8_t { press, double_press, wheel_up, wheel_down };
  Kind kind = Kind::press;
  int x = 0;
  int y = 0;
};
// Something the loop has to say: a theme that cannot be read, a copy that was sent.
struct Notice {
  Severity severity = Severity::info;
  std::string text;
};
// What the room that keeps runs has told.
struct RunNews {
  std::variant<RunsListed, RunTold, RunRefused, RunsAtRest> what;
};
// What was asked for the work of a page alone has been answered.
struct DetailsTold {
  WorkDetails what;
};
// A recording is being read through, or was. Neither sums nor failure: it gets on.
struct UsageTold {
  record::Archive::AddingUp what;
};
// The planner has answered the pack screen.
struct PackTold {
  std::shared_ptr<const PackAnswer> what;
};
// How the question of the advice screen gets on, or its answer.
struct AdviseTold {
  std::shared_ptr<const AdviseNews> what;
};
// The planner's thread has worked out something of a large cluster.
struct LargeTold {
  LargeAnswer what;
  Duration took{0};  // to work it out
};
// The clusters were held against the fleet file.
struct FleetSeen {
  std::shared_ptr<const FleetAnswer> what;
  std::shared_ptr<const FleetEvidence> evidence;
  bool all = true;  // else more evidence follows
};
// From now on the model is another one: that of a recording, or the live one again.
struct OtherWorld {
  bool past = false;
};
// A signal or a terminal that went away ends the console; what is driven here is parked first.
struct Ending {
  std::string why;
};
using Message = std::variant<ActionMessage, TextInput, UnknownKey, Paste, Resize, ModelChanged, Tick, Mouse,
                             Notice, RunNews, DetailsTold, UsageTold, PackTold, AdviseTold, LargeTold,
                             FleetTold, FleetSeen, OtherWorld, Ending>;

// Moving about in a recording, or from the live clusters into one and back.
struct TimeMove {
  int rounds = 0;               // forward, or back where negative
  std::optional<TimePoint> to;  // instead
  std::optional<double> speed;  // instead: of playing; 0 stops
  int events = 0;               // instead: to the next thing that happened, or back where negative
  NodeName node;                // events: there; empty: anywhere
  bool live = false;            // instead: back to the live clusters
};

struct Effects {
  bool quit = false;
  bool suspend = false;
  bool refresh = false;              // ask every backend for a fresh look
  bool repaint = false;              // clear the terminal and draw everything again
  std::optional<std::string> copy;   // to the clipboard by OSC 52
  std::optional<std::string> theme;  // load it; on failure send a Notice and keep the old one
  std::optional<bool> mouse;         // switch mouse reporting
  std::optional<std::string> ring;   // a run has ended or waits for an answer: bell and title of the terminal
  std::optional<TimeMove> time;      // for record::Archive and record::Player
  std::optional<insight::Acknowledgement> acknowledge;  // keep it in the user's state folder
  std::optional<FleetOrder> fleet;                      // for AppOptions::fleet
  std::vector<RunOrder> orders;                         // for plan::Runs, in this order
};

// True while typed characters are text, not keys: the loop sends TextInput and Paste then.
bool wants_text(const UiState& state);
// Where keys are looked up, topmost first.
std::vector<Scope> scopes(const UiState& state);
// The same as if nothing were typed.
std::vector<Scope> screen_scopes(const UiState& state);
// Why an action cannot be used here and now, as a sentence; empty: it can.
std::string why_disabled(Action action, const UiState& state, const UiContext& ui);

Effects update(UiState& state, const UiContext& ui, const Message& message);

// When something on the screen changes by itself next (a mark or message fades, an age or the clock moves
// on); nullopt: not before the next message.
std::optional<TimePoint> next_tick(const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
