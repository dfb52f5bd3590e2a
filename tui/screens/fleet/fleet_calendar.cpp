// The fleet screen beside its table: the calendar of the windows, and what it teaches where no file is named.
#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/fleet/moment_text.hpp"
#include "engine/fleet/never_holds.hpp"
#include "engine/fleet/passed_over.hpp"
#include "engine/fleet/phase_ends.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/sentence.hpp"

namespace tessera::tui {
namespace {

// 0: there is no room for it, or nothing to show.
struct CalendarColumns {
  int until = 0, closing = 0, pool = 0, window = 0, rule = 0;
  bool years = true;  // dates with their year
};

// Pools of one product are told apart by the ends of their names.
int pool_cells(const std::vector<fleet::Due>& all, int most) {
  int cells = 8;
  for (const fleet::Due& due : all) cells = std::max(cells, std::min(display_width(due.pool->name), most));
  return cells;
}

int rule_cells(const std::vector<fleet::Due>& all) {
  int cells = 8;
  for (const fleet::Due& due : all)
    cells = std::max(cells, display_width(fleet::to_text(fleet::rule_of(due))));
  return cells;
}

int window_cells(const std::vector<fleet::Due>& all) {
  int cells = 6;
  for (const fleet::Due& due : all) cells = std::max(cells, display_width(due.phase.words));
  return cells;
}

CalendarColumns calendar_columns(const std::vector<fleet::Due>& all, int width, bool early) {
  constexpr int kDate = 20, kDateAlone = 15, kMostPool = 20;  // "Mon 2026-11-23 20:00"
  const bool wide = width >= 110;
  CalendarColumns at;
  at.years = width >= (early ? 150 : 110);
  const int date = at.years ? kDate : kDateAlone, gap = wide ? 3 : early ? 1 : 2;
  at.until = 1 + date + gap;
  int x = at.until + date + gap;
  if (early) at.closing = x, x += date + gap;
  at.pool = x;
  x += pool_cells(all, wide || !early ? kMostPool : kMostPool / 2) + gap;
  // Windows that follow one another have all of their words, where what is to be there has room behind them.
  if (wide) {
    const int most = window_cells(all);
    at.window = x;
    x += std::clamp(width - x - gap - rule_cells(all), std::min(19, most), most) + gap;
  }
  at.rule = x;
  return at;
}

std::string date_text(const fleet::LocalTime& at, const CalendarColumns& columns) {
  std::string text = fleet::clock_text(at);
  constexpr std::size_t kYear = 4, kLong = 5;  // "Mon 2026-11-23 20:00"
  return columns.years ? text : text.erase(kYear, kLong);
}

DocLine heading(const CalendarColumns& at) {
  DocLine line{{{"FROM", Role::heading, 1}, {"UNTIL", Role::heading, at.until}}, {}};
  if (at.closing > 0) line.spans.push_back({"CLOSING FROM", Role::heading, at.closing});
  line.spans.push_back({"POOL", Role::heading, at.pool});
  if (at.window > 0) line.spans.push_back({"WINDOW", Role::heading, at.window});
  line.spans.push_back({"IS TO BE", Role::heading, at.rule});
  return line;
}

// Where fleet run leaves nodes of the pool as they are, what holds now is not what it does.
std::set<ClusterName> skipped_on(const FleetState& fleet, const fleet::Pool& pool) {
  std::set<ClusterName> all;
  if (!fleet.answer) return all;
  for (const fleet::Survey& survey : fleet.answer->surveys)
    for (const fleet::PoolNote& note : survey.notes)
      if (note.standing == fleet::Standing::drifts && note.pool->name == pool.name &&
          !fleet::is_of_closed(note))
        all.insert(survey.cluster->name);
  return all;
}

DocLine line_of(const fleet::Due& due, const CalendarColumns& at, bool holds, const UiState& state) {
  const bool ascii = state.ascii;
  DocLine line;
  const auto put = [&](const std::string& text, int x, int next, Style style) {
    line.spans.push_back({shorten(text, next - x - 1, ascii), style, x});
  };
  const bool skipped = holds && !skipped_on(*state.fleet, *due.pool).empty();
  put(holds ? told(state, skipped ? "now, skipped" : "now") : date_text(due.begin, at), 1, at.until,
      holds ? Style(skipped ? Role::warning : Role::accent).with_bold() : Style());
  put(due.no_end ? "-" : date_text(due.end, at), at.until, at.closing > 0 ? at.closing : at.pool,
      holds ? Style(Role::accent) : Style());
  if (at.closing > 0)
    put(due.closing ? date_text(due.closing_local, at) : "-", at.closing, at.pool,
        due.closing ? Role::warning : Role::dim);
  put(due.pool->name, at.pool, at.window > 0 ? at.window : at.rule, Role::text);
  if (at.window > 0) put(due.phase.window ? due.phase.words : "-", at.window, at.rule, Role::dim);
  line.spans.push_back({fleet::to_text(fleet::rule_of(due)), Role::text, at.rule});
  return line;
}

}  // namespace

Document fleet_calendar(const UiState& state, int width) {
  const FleetState& fleet = *state.fleet;
  Document page;
  const auto note = [&](const std::string& english, Role role = Role::dim) {
    for (const std::string& line : wrap(told(state, english), width - 3))
      page.push_back({{{line, role, 1}}, {}});
  };
  if (fleet.due.empty()) {
    note("No pool of the file has windows: what it says holds at all times.");
    return page;
  }
  note(fmt::format("What fleet run does in the next 7 days. Times are those of {}.",
                   fleet::zone_name(fleet.file->fleet)));
  const bool early =
      std::any_of(fleet.due.begin(), fleet.due.end(), [](const fleet::Due& due) { return due.closing; });
  if (early)
    note("CLOSING FROM: no node is closed for the window before; time limits of what runs there say when.");
  for (const fleet::NeverHolds& one : fleet::windows_that_never_hold(fleet.file->fleet))
    note(fmt::format("pool {}: {}", one.pool->name, told(state, fleet::to_text(one))), Role::warning);
  std::set<std::string> told_of;
  for (const fleet::Due& due : fleet.due)
    if (fleet::holds_now(fleet.due, due) && told_of.insert(due.pool->name).second)
      for (const ClusterName& cluster : skipped_on(fleet, *due.pool))
        note(fmt::format("pool {}: fleet run leaves nodes on {} as they are; the list of nodes ({}) says why",
                         due.pool->name, cluster.text, first_key(state, Action::fleet_calendar)),
             Role::warning);
  page.push_back({});
  const CalendarColumns at = calendar_columns(fleet.due, width, early);
  page.push_back(heading(at));
  for (const fleet::Due& due : fleet.due) {
    page.push_back(line_of(due, at, fleet::holds_now(fleet.due, due), state));
    page.back().id = fmt::format("{}\x1f{}", due.pool->name, due.phase.begin.time_since_epoch().count());
  }
  return page;
}

Document no_fleet_file(const UiState& state, int width) {
  FactPage page(state, width);
  page.blank();
  add_sentence(page, "No fleet file is named.", Style(Role::text).with_bold());
  add_sentence(page, "It says, by pools of nodes, what their GPUs are to be; this screen shows what differs.",
               Role::dim);
  page.blank();
  add_sentence(page, "tessera fleet init fleet.yaml", Role::input);
  add_sentence(page, "writes what stands now as a file; with it nothing differs", Role::dim);
  page.blank();
  add_sentence(page, ":fleet fleet.yaml", Role::input);
  add_sentence(page, "opens it here; `fleet: FILE` in config.yaml names it once for all", Role::dim);
  return page.take();
}

}  // namespace tessera::tui
