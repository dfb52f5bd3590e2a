// The fleet screen: the clusters held against the fleet file (docs/fleet.md), what differs first, and the way
// to a plan of it; beside it the calendar of its windows.
//
// Files are read by who runs the loop (AppOptions::fleet), and the clusters are held against the file on the
// planner's thread (tui/packer.hpp). Threads: the UI thread; what draws only reads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/fleet/telling.hpp"
#include "tui/fleet_state.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

// Keys (fleet_keys.cpp).
Effects show_fleet(UiState& state, const UiContext& ui, Action action);
Effects act_on_fleet(UiState& state, const UiContext& ui, Action action);
std::string why_not_on_fleet(Action action, const UiState& state, const UiContext& ui);
// Enter: the plan of this node.
Effects open_on_fleet(UiState& state, const UiContext& ui);
std::string why_no_open_on_fleet(const UiState& state, const UiContext& ui);
std::string copy_on_fleet(const UiState& state, const UiContext& ui);
// ":fleet FILE".
Effects open_fleet_file(UiState& state, const std::string& path);

// What is asked, and what was told (fleet_refresh.cpp).
void refresh_fleet(UiState& state, Screen& screen, const UiContext& ui);
std::optional<TimePoint> fleet_next_change(const UiState& state, const UiContext& ui);
void take_file(UiState& state, const UiContext& ui, const FleetTold& told);
void take_fleet(UiState& state, const FleetSeen& seen);
// Whether the file that is shown is another one by now; asked as time goes by.
Effects look_at_fleet(UiState& state, const UiContext& ui);

// The page (fleet_page.cpp).
Panes fleet_panes(const UiContext& ui, const UiState& state, int width);
// On a wide terminal: the node under the cursor; nullopt: the screen shows no nodes.
std::optional<Screen> page_beside_fleet(const UiState& state, const UiContext& ui);
// What stands beside its table (fleet_calendar.cpp).
Document fleet_calendar(const UiState& state, int width);
Document no_fleet_file(const UiState& state, int width);
inline constexpr std::size_t kMostFleetRows = 1000;  // that are listed: the command lists all
// The row under the cursor; the first where it is on none; nullptr: there is none.
const FleetRow* fleet_row_here(const UiState& state);
std::string id_of(const FleetRow& row);
// What is wanted and made there; of a node none of whose GPUs is told apart, what it is to be as a whole.
fleet::BoardTexts texts_of(const FleetRow& row);
// What it offers, marked where it should offer something else.
bool offers_otherwise(const FleetRow& row);
std::string offered_cell(const FleetRow& row, bool is_short);

// The run of that id by its journal; nullopt: it cannot be read. It may take long.
using JournalOf = std::function<std::optional<plan::Run>(const RunHead& head)>;
// The clusters held against the file (fleet_answer.cpp), on whichever thread. journal: asked only where it
// decides whether max_nodes_at_once keeps nodes back; without one that is not told.
std::shared_ptr<const FleetAnswer> answer_of(std::shared_ptr<const FleetQuestion> question,
                                             const JournalOf& journal = {});

}  // namespace tessera::tui
