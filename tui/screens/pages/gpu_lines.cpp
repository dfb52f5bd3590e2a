// Sections that the pages of a GPU and of a node share: who waits for such a GPU, and what happened there.
#include <fmt/core.h>

#include <algorithm>

#include "engine/model/counts_text.hpp"
#include "engine/query/tables.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/events.hpp"
#include "tui/screens/pages/gpu_notes.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostRuns = 6;
constexpr std::size_t kFewNodes = 100;  // of a cluster whose lists are looked through for each picture

// Where the cells of what waits begin: as far apart as its names need, but never so far that what is asked
// for loses more than half of the page.
constexpr int kWantedId = 3;
struct WantedColumns {
  int user = 0, asks = 0;
};

WantedColumns wanted_columns(const std::vector<const Workload*>& listed, int width) {
  int id = 18, user = 8;
  for (const Workload* work : listed) {
    id = std::max(id, display_width(work->id.text));
    user = std::max(user, display_width(work->user));
  }
  user = std::min(user, std::max(10, width / 6));
  id = std::min(id, std::max(18, width / 2 - kWantedId - user - 4));
  return {kWantedId + id + 2, kWantedId + id + user + 4};
}

// Of a moment of a recording the events of the hour before it are read, behind the moment itself.
std::string_view why_no_changes(const UiContext& ui, const UiState& state) {
  if (reads_events(ui.model)) return N_("Older events of this moment are being read.");
  return state.past ? N_("none is recorded in the hour before this moment")
                    : N_("none since tessera was started");
}

}  // namespace

void add_wanted(FactPage& page, const UiContext& ui, const UiState& state, const GpuPlace& at,
                std::string_view aside) {
  const Wanted wanted = wanted_of(ui, state, at);
  page.heading("WANTED", aside);
  std::vector<const Workload*> listed;
  for (const WorkloadId& id : wanted.first)
    if (const Workload* work = at.cluster->workloads.find(id)) listed.push_back(work);
  const WantedColumns columns = wanted_columns(listed, page.width());
  for (const Workload* work : listed)
    page.add({{{shorten(work->id.text, columns.user - kWantedId - 2, state.ascii), Role::text, kWantedId},
               {shorten(work->user, columns.asks - columns.user - 2, state.ascii), Role::text, columns.user},
               {requests_text(work->requests), Role::dim, columns.asks}},
              query::row_id(query::WorkloadRow{at.cluster, work})});
  if (wanted.count > wanted.first.size())
    page.fact("", fmt::format("and {} more", wanted.count - wanted.first.size()), Role::dim);
  if (wanted.count == 0) page.fact("", at.cluster->work_known ? "nothing" : "unknown", Role::dim);
}

// Runs that named the node, and what was seen to happen to it.
void add_changes(FactPage& page, const UiContext& ui, const UiState& state, const GpuPlace& at) {
  page.heading("LAST CHANGES", "runs of tessera and events of the node");
  std::size_t runs = 0, events = 0;
  for (const RunHead& head : state.runs.heads) {
    const bool here = head.cluster == at.cluster->name &&
                      std::find(head.nodes.begin(), head.nodes.end(), at.node->name) != head.nodes.end();
    if (!here || ++runs > kMostRuns) continue;
    page.data(time_text(head.last), fmt::format("{}  {}  {}", head.run, head.words, head.progress));
  }
  for (const LogEntry& entry : happened_to(ui, state, at)) {
    ++events;
    const std::string subject = entry.work.empty() ? "" : entry.subject + " ";
    page.data(time_text(entry.at), subject + page.told(entry.text), role_of(entry.severity));
  }
  if (runs + events == 0) page.fact("", why_no_changes(ui, state), Role::dim);
}

void draw_node_notes(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state,
                     const GpuPlace& at) {
  constexpr int kFewest = 5;  // lines: a heading and something below it
  if (area.height < kFewest || (at.cluster->nodes.size() > kFewNodes && !is_noted(ui, state, at))) return;
  const int side = side_column(area.width);
  FactPage left(state, side), right(state, area.width - side);
  add_changes(left, ui, state, at);
  if (!at.node->kinds.several_models)
    add_wanted(side < area.width ? right : left, ui, state, at,
               N_("waiting workloads that ask for what a GPU here is or could be"));
  draw_columns(canvas, area, {left.take(), right.take(), side}, {}, state.ascii);
}

}  // namespace tessera::tui
