// What `tessera fleet run` notes beside the journals of its runs, and `tessera fleet log`, which shows that.
#include <fmt/format.h>

#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/fleet/fleet_command.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {

FleetPlace FleetCommand::place() const { return {path_, state_beside(joins_.machine.journals)}; }

std::string FleetCommand::person() const { return name_or_uid(joins_.user ? joins_.user() : ""); }

void FleetCommand::note(const std::string& english) {
  if (options_.dry_run) return;
  if (!noted_by_) noted_by_ = person();
  const Status noted = note_in_log(place(), {utc_text(clusters_.wall()), *noted_by_, english});
  if (!noted && std::exchange(untold_log_, false)) complain(streams_, noted.error());
}

// A window that was missed, or what a person has to look at.
void FleetCommand::note_left(const LeftRun& left, const NotCarriedOn& why) {
  const std::string run = clean(left.head.run, 100);
  if (fleet::opens_again(why, left.run))
    note(fmt::format("the nodes of run {} are opened again: {}", run, why.why));
  else if (why.over || why.finding)
    note(fmt::format("run {} is left parked: {}", run, fleet::left_text(left.head, why)));
}

int FleetCommand::log() const {
  const auto lines = read_fleet_log(place());
  if (!lines) return refuse(streams_, lines.error(), kUnknown);
  if (options_.output == OutputFormat::json || options_.output == OutputFormat::yaml) {
    Json all = Json::list();
    for (const FleetLine& line : *lines) {
      Json one = Json::map();
      one.add("at", Json::of(line.at));
      one.add("who", Json::of(line.who));
      one.add("what", Json::of(line.what));
      all.items.push_back(std::move(one));
    }
    show_document(all);
    return kDone;
  }
  if (lines->empty()) {
    tell("nothing is noted for this file; tessera journal lists its runs");
    return kDone;
  }
  Grid grid;
  for (const auto& [key, title] : {std::pair("at", "AT"), std::pair("who", "WHO"), std::pair("what", "WHAT")})
    grid.heads.push_back({key, title});
  for (const FleetLine& line : *lines) grid.rows.push_back({line.at, line.who, told(streams_, line.what)});
  const std::string text = to_table(grid, options_.headers);
  streams_.out << (options_.ascii ? in_ascii(text) : text) << std::flush;
  return kDone;
}

}  // namespace tessera::cli
