// What the prompt offers while a command is typed, and the menu of everything that can be done here.
//
// One list for both: searched letter by letter, the best first; Enter takes the line under the pointer.
// Threads: the UI thread.
#pragma once

#include <optional>
#include <string>

#include "tui/update.hpp"

namespace tessera::tui {

// Works the offers out again where the text has changed; of the menu with every message, since what can be
// used changes with the world. After every message.
void refresh_offers(UiState& state, const UiContext& ui);
// The offer that Enter takes; nullopt: the text is run as it is typed.
std::optional<Offer> offer_to_take(const UiState& state);
// The offer that does what the text does as it is typed: "nodes" for "no".
std::optional<std::size_t> offer_as_typed(const UiState& state);
void open_menu(UiState& state, const UiContext& ui);
// Enter in the menu: carries the action out, or says why not and stays.
Effects take_from_menu(UiState& state, const UiContext& ui);
// One line up or down in the list.
void walk_offers(UiState& state, int step);

}  // namespace tessera::tui
