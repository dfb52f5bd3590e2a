// The fleet screen beside its table: the calendar of the windows, and what it teaches where no file is named.
#include <fmt/core.h>

#include "tui/screens/documents.hpp"
#include "tui/screens/fleet/fleet.hpp"

namespace tessera::tui {
namespace {

struct Columns {
  int until = 24, pool = 48, window = 0, rule = 60;
};
Columns columns_of(int width) {
  if (width < 110) return {};
  return {24, 48, 66, 96};
}

DocLine heading(const Columns& at) {
  DocLine line{
      {{"FROM", Role::heading, 1}, {"UNTIL", Role::heading, at.until}, {"POOL", Role::heading, at.pool}}, {}};
  if (at.window > 0) line.spans.push_back({"WINDOW", Role::heading, at.window});
  line.spans.push_back({"IS TO BE", Role::heading, at.rule});
  return line;
}

DocLine line_of(const fleet::Due& due, const Columns& at, bool now, bool ascii) {
  DocLine line;
  const auto put = [&](const std::string& text, int x, int next, Style style) {
    line.spans.push_back({shorten(text, next - x - 1, ascii), style, x});
  };
  put(fleet::clock_text(due.begin), 1, at.until, now ? Style(Role::accent).with_bold() : Style());
  put(fleet::clock_text(due.end), at.until, at.pool, now ? Style(Role::accent) : Style());
  put(due.pool->name, at.pool, at.window > 0 ? at.window : at.rule, Role::text);
  if (at.window > 0) put(due.phase.window ? due.phase.words : "-", at.window, at.rule, Role::dim);
  line.spans.push_back({fleet::to_text(fleet::rule_of(due)), Role::text, at.rule});
  return line;
}

}  // namespace

Document fleet_calendar(const UiContext& ui, const UiState& state, int width) {
  const FleetState& fleet = *state.fleet;
  Document page;
  const auto note = [&](const std::string& english) {
    for (const std::string& line : wrap(told(state, english), width - 3))
      page.push_back({{{line, Role::dim, 1}}, {}});
  };
  if (fleet.due.empty()) {
    note("No pool of the file has windows: what it says holds at all times.");
    return page;
  }
  const std::string& zone = fleet.file->fleet.time_zone;
  note(fmt::format("What fleet run does in the next 7 days. Times are those of {}.",
                   zone.empty() ? "UTC" : zone));
  page.push_back({});
  const Columns at = columns_of(width);
  page.push_back(heading(at));
  for (const fleet::Due& due : fleet.due) {
    const bool now = due.phase.begin <= ui.wall && ui.wall < due.phase.end;
    page.push_back(line_of(due, at, now, state.ascii));
    page.back().id = fmt::format("{}\x1f{}", due.pool->name, due.phase.begin.time_since_epoch().count());
  }
  return page;
}

Document no_fleet_file(const UiState& state, int width) {
  FactPage page(state, width);
  page.fact("", "No fleet file is named.", Style(Role::text).with_bold());
  page.fact("", "It says, by pools of nodes, what their GPUs are to be; this screen shows what differs.",
            Role::dim);
  page.blank();
  page.fact("", "tessera fleet init fleet.yaml", Role::input);
  page.fact("", "writes what stands now as a file; with it nothing differs", Role::dim);
  page.fact("", ":fleet fleet.yaml", Role::input);
  page.fact("", "opens it here; `fleet: FILE` in config.yaml names it once for all", Role::dim);
  return page.take();
}

}  // namespace tessera::tui
