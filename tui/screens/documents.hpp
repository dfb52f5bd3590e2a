// The screens that are pages of lines: one workload, the facts behind a figure, help, about, the events.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

Document workload_document(const World& world, const UiState& state, int width);
Document facts_document(const World& world, const UiState& state, int width);
Document help_document(const World& world, const UiState& state, int width);
Document about_document(const World& world, const UiState& state, int width);
Document log_document(const World& world, const UiState& state, int width);
std::string_view why_no_events(const Screen& screen);

// What Enter and `i` do on a workload's page.
Effects open_on_workload(UiState& state, const World& world);
std::optional<Screen> facts_of_workload(const UiState& state, const World& world);

// A time as the cluster's people read it: "2026-11-21 14:03:22".
std::string time_text(TimePoint at);
// How long ago, by the cluster's own clock: "3 min ago", "in 2 h 10 min".
std::string ago_text(const Cluster& cluster, TimePoint at, TimePoint wall);
// "scontrol show node, 12 s ago": who said so, and how long ago.
std::string origin_text(const Cluster& cluster, const Origin& origin, TimePoint wall);

}  // namespace tessera::tui
