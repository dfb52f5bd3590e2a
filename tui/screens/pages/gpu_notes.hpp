// What pages take from long lists: that of a GPU the waiting jobs and pods that ask for such a GPU, and what
// happened on its node; that of a job or pod those that wait for the same. Looked up once for a revision of
// the model, and not for each picture.
// Threads: the UI thread; pure functions but for the refreshing one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tui/screens/documents.hpp"
#include "tui/screens/pages/gpu.hpp"

namespace tessera::tui {

// Waiting workloads that ask for something that a GPU is or could be cut into.
struct Wanted {
  std::vector<WorkloadId> first;  // of them, the longest wait first, at most kMost
  std::size_t count = 0;
  static constexpr std::size_t kMost = 6;
};

// Waiting workloads that ask for one of the same resources.
struct WaitingAlike {
  std::vector<WorkloadId> first;  // of them, the longest wait first, at most kMost and one
  std::size_t count = 0;
  static constexpr std::size_t kMost = 8;
};

struct GpuNotes {
  std::uint64_t revision = 0, told = 0;         // of the model: what wanted and waiting, and happened are of
  std::map<std::string, Wanted> wanted;         // by cluster and kind of GPU: many GPUs are alike
  std::map<std::string, WaitingAlike> waiting;  // by cluster and what is asked for
  std::string node;                             // of which `happened` tells
  std::vector<LogEntry> happened;               // newest first, at most kMostEvents
  static constexpr std::size_t kMostEvents = 6;
};

// From the notes where they are of now, else looked up.
Wanted wanted_of(const UiContext& ui, const UiState& state, const GpuPlace& at);
std::vector<LogEntry> happened_to(const UiContext& ui, const UiState& state, const GpuPlace& at);
// Those that wait for the same as this one, without it, at most WaitingAlike::kMost of them.
WaitingAlike waiting_with(const UiContext& ui, const UiState& state, const Cluster& cluster,
                          const Workload& workload);
// Notes what the page of that GPU shows.
void note_gpu(UiState& state, const UiContext& ui, const GpuPlace& at);
bool is_noted(const UiContext& ui, const UiState& state, const GpuPlace& at);
// For which the page of a node that has GPUs tells what is wanted: one that is shared, where there is one,
// since shares are wanted of it alone.
const Gpu& noted_gpu(const Node& node);
// The same for the page of a GPU, a node or waiting work on top, and for one beside the list on top. After
// every message.
void note_page_shown(UiState& state, const UiContext& ui);

// WANTED and LAST CHANGES, as sections of a page. aside: of whom the waiting ones ask what.
void add_wanted(FactPage& page, const UiContext& ui, const UiState& state, const GpuPlace& at,
                std::string_view aside);
void add_changes(FactPage& page, const UiContext& ui, const UiState& state, const GpuPlace& at);

// Where a node's page has lines to spare below its GPUs: both sections, side by side where it is wide enough.
void draw_node_notes(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state,
                     const GpuPlace& at);

}  // namespace tessera::tui
