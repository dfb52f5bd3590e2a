// States of runs and nodes in one word, one shape and one role, the same on every screen.
// Threads: pure functions.
#pragma once

#include <string>

#include "tui/state.hpp"

namespace tessera::tui {

struct RunLook {
  std::string word;  // "under way", "PARKED", "done"
  Role role = Role::text;
  bool over = false;  // nothing moves in it now
};
RunLook look_of(const RunHead& head);
// "▸", "✓", "!", and "!!" where the overview has it, too.
std::string sign_of(const RunLook& look, bool ascii);
// By the list of runs, and by the journal where the list does not have it.
RunLook look_of(const UiState& state, const std::string& run);

struct NodeLook {
  enum class Stage : std::uint8_t { todo, current, done, failed };
  Stage stage = Stage::todo;
  std::string word;
  std::string why;
  Role role = Role::dim;
};
NodeLook look_of(const RunView& view, const NodeName& node);
// role: of what failed, how bad it is.
std::string sign_of(NodeLook::Stage stage, Role role, bool ascii);

// "step 4 of 8", "3 done, 1 under way, 4 untouched"
std::string progress_text(const RunView& view);
std::string clock_text(Duration passed);    // "00:41", "1:02:03"
std::string seconds_text(Duration passed);  // "0.3 s", "2 min 10 s"

// The node whose steps are shown.
NodeName shown_node(const UiState& state, const RunView& view);

}  // namespace tessera::tui
