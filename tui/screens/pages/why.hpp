// Why the work of a page waits, and what would help: its part of a workload's page.
// Threads: the UI thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/why/why.hpp"
#include "tui/screens/documents.hpp"

namespace tessera::tui {

// What is known of it; worked out once for a revision of the model, of a large cluster by the planner's
// thread. nullptr: it does not wait.
std::shared_ptr<const why::Answer> why_of(const UiContext& ui, const UiState& state, const Screen& screen);
void refresh_why(UiState& state, Screen& screen, const UiContext& ui);
// Keeps it for that page beside a list. Of a huge cluster only what the scheduler reports, without the nodes.
void note_why_beside(UiState& state, const UiContext& ui, const Screen& page);

// WHY IT WAITS and WHAT WOULD HELP. The cursor rests on what helps.
void add_why(FactPage& page, const UiState& state, const why::Answer& answer);
// NODES, with what keeps it from each, and what was ASKED FOR IT ALONE. screen: which may keep their names.
void add_candidates(FactPage& page, const why::Answer& answer, const Screen& screen, const Cluster& cluster,
                    TimePoint wall);
// MORE NODES: those that NODES, which is to leave room for the rest of the page, did not list. It goes last:
// behind the last stop of the cursor the page itself moves, so that each of them can be reached.
void add_more_candidates(FactPage& page, const why::Answer& answer, const Screen& screen);

// Keeps what was asked for one job or pod alone: the pages about it are worked out again with it.
void take_details(UiState& state, const DetailsTold& told);

// What helps under the cursor; nullptr: it rests elsewhere.
const why::Remedy* remedy_under(const why::Answer& answer, const std::string& stop);

// `:job NAME`, `:why NAME`: its page. waits: one whose pods the API server refuses, which has no page, is
// shown among the findings. Errors: there is none of that name, or several.
std::optional<Error> open_work_named(UiState& state, const UiContext& ui, const std::string& name,
                                     bool waits);

// `w`: on waiting work its page, elsewhere the list of all that waits.
Effects show_waiting(UiState& state, const UiContext& ui, Action action);

}  // namespace tessera::tui
