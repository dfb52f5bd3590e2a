// What stands right of lists that are no tables, on a wide terminal (preview.hpp): the page of what the
// cursor is on, or lines about it. Each is with the screen that it is for. Threads: pure functions, drawn
// with each frame: they read what is one entry, never a whole cluster.
#pragma once

#include <optional>

#include "tui/screens/screens.hpp"

namespace tessera::tui {

// The node, job, pod or cluster of a finding; of several nodes how each stands (pages/doctor.cpp).
std::optional<Screen> page_beside_finding(const UiState& state, const UiContext& ui);
Document lines_beside_finding(const UiContext& ui, const UiState& state, int width);
std::optional<Screen> page_of_cause(const insight::Cause& cause, const UiContext& ui);
Document nodes_of_cause(const insight::Cause& cause, const UiContext& ui, const UiState& state, int width);
// The cluster, finding or node under the cursor of the overview; there it stands below (overview_body.cpp).
std::optional<Screen> page_beside_overview(const UiState& state, const UiContext& ui);
Document lines_beside_overview(const UiContext& ui, const UiState& state, int width);
// The jobs and pods of that user (users.cpp).
Document lines_beside_user(const UiContext& ui, const UiState& state, int width);
// The node, job or pod of a sum where it is still listed; else what the user holds now and wasted then.
std::optional<Screen> page_beside_usage(const UiState& state, const UiContext& ui);
Document lines_beside_usage(const UiContext& ui, const UiState& state, int width);
// The job, pod or node of what was wasted; else the text to its owner, or what is asked for now.
std::optional<Screen> page_beside_waste(const UiState& state, const UiContext& ui);
Document lines_beside_waste(const UiContext& ui, const UiState& state, int width);
// A run whose journal was read; of another its nodes as they are now (plan/journal_page.cpp).
std::optional<Screen> page_beside_journal(const UiState& state, const UiContext& ui);
Document lines_beside_journal(const UiContext& ui, const UiState& state, int width);

// Whether each of these has lines now (ScreenRow::has_lines_beside).
bool has_lines_beside_finding(const UiState& state, const UiContext& ui);
bool has_lines_beside_overview(const UiState& state, const UiContext& ui);
bool has_lines_beside_user(const UiState& state, const UiContext& ui);
bool has_lines_beside_usage(const UiState& state, const UiContext& ui);
bool has_lines_beside_waste(const UiState& state, const UiContext& ui);
bool has_lines_beside_journal(const UiState& state, const UiContext& ui);

// A table of the jobs and pods of a user: how each fares, since when, what it holds or asks for (users.cpp).
Document work_of_user(const UiContext& ui, const UiState& state, const insight::UserSum& sum, int width);
// A table of nodes: how each stands, what its GPUs hold, why it is closed; at most so many lines.
void add_nodes(Document& lines, const UiState& state, const Cluster& cluster,
               const std::vector<std::string>& nodes, int width, std::size_t most);

}  // namespace tessera::tui
