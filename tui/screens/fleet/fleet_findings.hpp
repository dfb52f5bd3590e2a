// What tessera fleet run cannot do by a fleet file, as findings: doctor, the list of findings and the
// overview have the same.
//
// The console asks about the file of the settings, in the background as the fleet screen does, and not while
// :fleet has another one open. Threads: the UI thread; findings_of is a pure function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/insight/causes.hpp"
#include "tui/screens/screens.hpp"

namespace tessera::tui {

// path: as a person would type it. answer: of that file; nullptr: no cluster is held against it.
std::vector<insight::Finding> findings_of(const std::string& path, const FleetFile& file,
                                          const FleetAnswer* answer);
// That it is paused; nullopt: it is not. paused: as FleetTold has it.
std::optional<insight::Finding> pause_finding(const std::string& path, const std::string& paused);

// Of the file of the settings, as far as they are known. What an older file said is not what this one says:
// where it has changed since it was read they are empty, or say so where a plan keeps it from being read
// again.
std::vector<insight::Finding> fleet_findings(const UiState& state);
bool is_of_fleet_file(const UiState& state, const insight::Cause& cause);

// Whether the screen has such findings and a file is named.
bool finds_in_fleet(const UiState& state);
// The file of the settings where nothing is known of it yet, for a screen without a finding; empty: it is, or
// they name none.
std::string fleet_file_untold(const UiState& state);
// Asks how the clusters stand against the file, where that may be another answer by now (fleet_refresh.cpp).
void refresh_fleet_findings(UiState& state, const UiContext& ui);
// The file is read without a key on these screens, again where it has changed; nullopt: nothing is to be
// read. Not under a plan that was made by it: that stays refused until a person has read the file again.
std::optional<FleetOrder> fleet_file_to_read(const UiState& state);
// Enter on one of them: the fleet screen.
Effects open_fleet_finding(UiState& state);

}  // namespace tessera::tui
