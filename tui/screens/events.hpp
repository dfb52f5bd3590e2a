// The screen of the events: what has happened to nodes, slices, jobs, pods, sources and runs, newest first,
// many of a kind folded into one line; of all clusters, or on one node or to one job or pod. Threads: the UI
// thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "tui/update.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

// What an event is about, and what Enter does on its line.
struct EventPlace {
  ClusterName cluster;
  std::string node, work;  // those that are listed; empty: none is
  std::string text;        // what y copies
  bool folded = false;
  bool named = false;  // it names a node, job or pod, which may be gone
};

// Worked out by refresh_events when one of the things in `key` is otherwise.
struct EventsShown {
  std::string key;
  std::string view;  // whose events, by which filter: what is kept in place while others come in
  Document lines;
  std::map<std::string, EventPlace> places;  // by the line's id
};

// For the screen on top; one below is made again when it is on top once more.
void refresh_events(UiState& state, Screen& screen, const UiContext& ui);
Document events_document(const UiContext& ui, const UiState& state, int width);
std::string_view why_no_events(const Screen& screen);
// Whether the events of a recorded moment are still being read, which is shown without them meanwhile.
bool reads_events(const Model& model);

// Opens or closes a line of several; of another, the page of its job, pod or node.
Effects open_on_events(UiState& state, const UiContext& ui);
std::string why_no_open_on_events(const UiState& state, const UiContext& ui);
std::optional<Screen> page_beside_events(const UiState& state, const UiContext& ui);
Document lines_beside_events(const UiContext& ui, const UiState& state, int width);
bool has_lines_beside_events(const UiState& state, const UiContext& ui);
std::string copy_on_events(const UiState& state, const UiContext& ui);

// The events of the node, job or pod that the cursor is on, or whose page this is; nullopt: there is none.
std::optional<Screen> events_of_here(const UiState& state, const UiContext& ui);

// The newest lines of all clusters, folded, for a small place.
struct EventLine {
  const LogEntry* entry = nullptr;
  std::string subject, text;
};
std::vector<EventLine> latest_events(const UiContext& ui, const UiState& state, std::size_t most);

}  // namespace tessera::tui
