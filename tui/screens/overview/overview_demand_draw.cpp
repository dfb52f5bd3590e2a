// The table of the demand, and the words of what fits.
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/insight/totals.hpp"
#include "tui/screens/cell_words.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr int kNarrowest = 80;
constexpr int kWholeFrom = 118;   // columns from which it says all that the lines of free and waiting say
constexpr int kShortBelow = 110;  // columns: names are short, and by how many it is wanted stands elsewhere
constexpr int kOthers = 16;       // lines that the blocks above it use at most, and one between
constexpr int kBlocksFrom = 150;  // columns of a screen that has these blocks
constexpr int kFewest = 4;        // lines: less than three rows tell nothing

// Columns, from the left edge of the area; numbers end where the next column's gap begins.
struct Columns {
  int cluster, what, free, could, wanted, by, fits;  // by: 0 where it has no room
};
Columns columns_of(int width) {
  if (width >= 150) return {1, 18, 56, 70, 80, 83, 104};
  if (width >= kShortBelow) return {1, 14, 46, 60, 69, 71, 84};
  return {1, 14, 34, 48, 56, 0, 58};
}

Role fits_role(const why::Demand& demand) {
  if (!demand.free) return Role::unknown;
  if (demand.for_room == 0) return Role::dim;
  const int of = demand.for_room - demand.unsure;
  if (of == 0) return Role::unknown;
  if (demand.fit_cut < of) return Role::warning;
  return demand.fit_now == of ? Role::good : Role::accent;
}

void draw_number(Canvas& canvas, int right, int y, std::int64_t number, Role role) {
  put_right(canvas, right, y, std::to_string(number), Style(number > 0 ? role : Role::dim));
}

bool is_note(const DemandRow& row) { return row.cluster.text.empty(); }

// As the scheduler calls it, or the unit where that name gives none.
std::string resource_label(const UiContext& ui, const UiState& state, const DemandRow& row) {
  const std::vector<insight::Totals>& totals = state.overview.totals;
  for (std::size_t i = 0; i < std::min(totals.size(), ui.model.clusters.size()); ++i) {
    const Cluster& cluster = ui.model.clusters[i];
    if (cluster.name != row.cluster) continue;
    std::string unit = insight::unit_asked_for(totals[i], row.demand.resource, cluster.scheduler);
    if (!unit.empty()) return unit;
  }
  return row.demand.resource;
}

void draw_row(Canvas& canvas, Rect area, int y, const UiContext& ui, const UiState& state,
              const DemandRow& row) {
  const Columns at = columns_of(area.width);
  const why::Demand& demand = row.demand;
  if (is_note(row))
    return put_cell(canvas, area.x + at.cluster, y, area.width - at.cluster - 1, told(state, demand.resource),
                    Role::warning, state.ascii);
  const auto cell = [&](int x, int next, std::string_view text, Style style) {
    put_cell(canvas, area.x + x, y, next - x - 1, text, style, state.ascii);
  };
  cell(at.cluster, at.what, row.cluster.text, Role::dim);
  std::string label = resource_label(ui, state, row);
  if (area.width < kShortBelow) label = short_cell("asks", std::move(label));
  cell(at.what, at.free - 5, label, demand.wanted > 0 ? Role::text : Role::dim);
  // Nodes that do not answer tell neither what is free nor what could be cut.
  for (const int right : {at.free, at.could})
    if (!demand.free) put_right(canvas, area.x + right, y, glyphs(state.ascii).unknown, Role::unknown);
  if (demand.free) {
    draw_number(canvas, area.x + at.free, y, *demand.free, Role::free);
    draw_number(canvas, area.x + at.could, y, demand.could, Role::text);
  }
  draw_number(canvas, area.x + at.wanted, y, demand.wanted, Role::warning);
  if (demand.workloads > 0 && at.by > 0) {
    const Cluster* cluster = ui.model.find(row.cluster);
    const bool slurm = cluster && cluster->scheduler == Scheduler::slurm;
    const char* noun =
        slurm ? (demand.workloads == 1 ? "job" : "jobs") : (demand.workloads == 1 ? "pod" : "pods");
    cell(at.by, at.fits, told(state, fmt::format("{} {}", demand.workloads, noun)), Role::dim);
  }
  cell(at.fits, area.width, fits_text(demand, state, area.width < kShortBelow), fits_role(demand));
}

bool all_tell(const UiState& state) {
  const auto& totals = state.overview.totals;
  return std::all_of(totals.begin(), totals.end(), [](const auto& one) { return one.free.has_value(); });
}

// Of those of which it is known.
std::string known_fits_text(const why::Demand& demand, int of, const UiState& state, bool in_short) {
  if (demand.fit_now == of) return told(state, state.past ? N_("fits then") : N_("fits now"));
  if (demand.fit_cut == of && demand.fit_now == 0) return told(state, N_("fits after a re-cut"));
  if (demand.fit_cut == 0)
    return of == 1 ? told(state, N_("does not fit")) : told(state, fmt::format("none of {} fits", of));
  std::string text;
  if (demand.fit_now > 0 && in_short)
    text = told(state, fmt::format("{} of {} fit", demand.fit_now, of));
  else if (demand.fit_now > 0)
    text = told(state, state.past ? fmt::format("{} of {} fit then", demand.fit_now, of)
                                  : fmt::format("{} of {} fit now", demand.fit_now, of));
  if (demand.fit_cut <= demand.fit_now) return text;
  if (in_short)
    return text.empty() ? told(state, fmt::format("{} of {} after a cut", demand.fit_cut, of))
                        : text + ", " + told(state, fmt::format("{} cut", demand.fit_cut));
  return (text.empty() ? text : text + ", ") +
         told(state, fmt::format("{} of {} fit after a re-cut", demand.fit_cut, of));
}

}  // namespace

std::string fits_text(const why::Demand& demand, const UiState& state, bool in_short) {
  if (demand.workloads == 0) return {};
  if (!demand.free) return std::string(glyphs(state.ascii).unknown);
  if (demand.for_room == 0)
    return told(state, in_short ? N_("not for room alone") : N_("waits for something else than room"));
  const int of = demand.for_room - demand.unsure;
  if (of == 0) return told(state, N_("not known"));
  if (in_short && demand.unsure > 0)
    return told(state, demand.fit_cut > demand.fit_now
                           ? fmt::format("{} cut, {} not known", demand.fit_cut, demand.unsure)
                           : fmt::format("{} fit, {} not known", demand.fit_cut, demand.unsure));
  std::string text = known_fits_text(demand, of, state, in_short);
  if (demand.unsure > 0) text += ", " + told(state, fmt::format("{} not known", demand.unsure));
  return text;
}

int demand_lines(const UiState& state, Rect spare) {
  if (spare.width < kNarrowest) return 0;
  if (state.overview.demand_awaited) return spare.height > 0 ? 1 : 0;
  const int lines = 1 + static_cast<int>(state.overview.demand.size());
  if (lines == 1) return 0;
  const bool blocks = spare.width >= kBlocksFrom && spare.height >= kOthers + kFewest;
  const int room = spare.height - (blocks ? kOthers : 0);
  return room >= std::min(kFewest, lines) ? std::min(lines, room) : 0;
}

bool says_all_demand(const UiState& state, Rect spare) {
  const int rows = static_cast<int>(state.overview.demand.size());
  return spare.width >= kWholeFrom && rows > 0 && all_tell(state) && demand_lines(state, spare) == 1 + rows;
}

void draw_demand(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  if (area.height < 1) return;
  const Columns at = columns_of(area.width);
  const auto heading = [&](int x, std::string_view text) {
    canvas.put(area.x + x, area.y, text, Role::heading);
  };
  canvas.put(area.x + at.cluster, area.y, told(state, N_("DEMAND")), Style(Role::heading).with_bold());
  if (state.overview.demand_awaited)
    return put_cell(
        canvas, area.x + at.what, area.y, area.width - at.what - 1,
        told(state, N_("is being counted: with so many GPUs, jobs and pods that takes some time")),
        Role::unknown, state.ascii);
  heading(at.what, "RESOURCE");
  put_right(canvas, area.x + at.free, area.y, "FREE", Role::heading);
  put_right(canvas, area.x + at.could, area.y, "COULD BE CUT", Role::heading);
  put_right(canvas, area.x + at.wanted, area.y, "WANTED", Role::heading);
  heading(at.fits, "FITS");
  const int rows = static_cast<int>(state.overview.demand.size());
  const int shown = rows + 1 <= area.height ? rows : area.height - 2;
  for (int i = 0; i < shown; ++i)
    draw_row(canvas, area, area.y + 1 + i, ui, state, state.overview.demand[static_cast<std::size_t>(i)]);
  if (shown < rows)
    canvas.put(area.x + at.what, area.y + 1 + shown, told(state, fmt::format("and {} more", rows - shown)),
               Role::dim);
}

}  // namespace tessera::tui
