// What surrounds every screen: title line, banner of failing sources, the rule that reports where in the list
// you are or carries a message, and the footer.
// Threads: pure drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// The smallest terminal on which the screens make sense.
inline constexpr Size kSmallest{60, 15};

struct Frame {
  Rect banner;
  Rect body;
  int message_y = 0;
  int footer_y = 0;
};
Frame frame_of(const UiState& state, const UiContext& ui, Size size);

void draw_title(Canvas& canvas, const UiState& state, const UiContext& ui);
// What its right end says.
std::string title_text(const UiState& state, const UiContext& ui);
void draw_banner(Canvas& canvas, Rect area, const UiState& state, const UiContext& ui);
// `where` stands at the right end of the rule: "rows 1-19 of 132".
void draw_message(Canvas& canvas, int y, const UiState& state, const std::string& where);
// A failure or warning that is longer than the line: it stays in a box until Esc closes it.
bool message_is_boxed(const UiState& state);
void draw_footer(Canvas& canvas, int y, const UiState& state, const UiContext& ui);

// What the footer shows, from left to right, and in which cells.
struct FooterKey {
  Action action;
  std::string key;
  int x = 0, end = 0;
  bool usable = true;
};
std::vector<FooterKey> footer_keys(const UiState& state, const UiContext& ui, int width);
// The screen, counted from the bottom of the stack, that the title line names in that cell; nullopt: none.
std::optional<std::size_t> crumb_at(const UiState& state, const UiContext& ui, int x);

// The keys of an action as the keymap in use has them: "j, Down" and "j".
std::string keys_of(const UiState& state, Action action);
std::string first_key(const UiState& state, Action action);

// How fresh the data on this screen is: "live", "≤10 s old", "3 min old", "loading nodes 45%".
struct Freshness {
  std::string text;
  Role role = Role::dim;
};
Freshness freshness(const UiState& state, const UiContext& ui);

// The clusters that a screen is about.
std::vector<const Cluster*> clusters_of(const Screen& screen, const Model& model);

}  // namespace tessera::tui
