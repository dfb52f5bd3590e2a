#include "tui/screens/fleet/fleet_findings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/fleet/passed_over.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"

namespace tessera::tui {
namespace {

insight::Finding finding(ClusterName cluster, std::string subject, std::string text, std::string hint) {
  insight::Finding one;
  one.cluster = std::move(cluster), one.subject = std::move(subject);
  one.text = std::move(text), one.hint = std::move(hint);
  one.source = Source::inferred;
  return one;
}

insight::Finding begins_nothing(const std::string& path, const Error& why) {
  insight::Finding one =
      finding({}, clean(path, 300), fmt::format("fleet run begins nothing: {}", why.reason), why.hint);
  one.follows = "fleet run changes no node until the file is corrected";
  return one;
}

insight::Finding skipped(const std::string& path, const fleet::Survey& survey, const fleet::PoolNote& note) {
  insight::Finding one =
      finding(survey.cluster->name, "pool " + note.pool->name, note.text,
              fmt::format("tessera fleet check {} lists its nodes; line {} of the file has the pool",
                          shell_word(path), note.pool->line));
  one.follows = "nodes of the pool stay as they are";
  // One pool may have both: noting one of them leaves the other.
  one.key = fleet::is_of_closed(note) ? "closed" : "skipped";
  return one;
}

// What the mark beside the file says where nothing can be read in it.
bool is_untold(const std::string& paused) { return paused == "?"; }

bool is_of_settings(const UiState& state) {
  return state.fleet && !state.fleet->path.empty() && state.fleet->path == state.fleet->of_settings;
}

bool is_held_by_plan(const UiState& state) { return state.plan && state.plan->rules; }

}  // namespace

std::vector<insight::Finding> findings_of(const std::string& path, const FleetFile& file,
                                          const FleetAnswer* answer) {
  std::vector<insight::Finding> found;
  if (file.failure)
    found.push_back(begins_nothing(path, *file.failure));
  else if (answer && answer->failure)
    found.push_back(begins_nothing(path, *answer->failure));
  if (answer)
    for (const fleet::Survey& survey : answer->surveys)
      for (const fleet::PoolNote& note : survey.notes)
        if (note.standing == fleet::Standing::drifts) found.push_back(skipped(path, survey, note));
  for (insight::Finding& one : found) one.commands = {"tessera fleet check " + shell_word(path)};
  return found;
}

std::optional<insight::Finding> pause_finding(const std::string& path, const std::string& paused) {
  if (paused.empty()) return std::nullopt;
  insight::Finding one =
      finding({}, clean(path, 300),
              is_untold(paused) ? "fleet run is paused for this file; since when and by whom cannot be read"
                                : fmt::format("fleet run is paused for this file since {}", paused),
              fmt::format("ask why first; tessera fleet unpause {} lifts the pause", shell_word(path)));
  one.follows =
      "fleet run begins nothing and its runs rest until the pause is lifted: windows open and close without "
      "it";
  one.source = Source::none;  // a mark that a person left: read, not inferred
  one.since = parse_utc(paused.substr(0, paused.find(' ')));
  one.commands = {"tessera fleet unpause " + shell_word(path)};
  return one;
}

std::vector<insight::Finding> fleet_findings(const UiState& state) {
  if (state.past || !is_of_settings(state) || !state.fleet->file) return {};
  std::vector<insight::Finding> found;
  if (!state.fleet->changed)
    found = findings_of(state.fleet->path, *state.fleet->file, state.fleet->answer.get());
  else if (is_held_by_plan(state))
    found.push_back(finding({}, clean(state.fleet->path, 300), "the fleet file has changed since it was read",
                            "open :fleet to read it again: the plan that is open is of the file before"));
  // A mark lies beside the file, whatever the file says.
  if (auto paused = pause_finding(state.fleet->path, state.fleet->paused))
    found.push_back(std::move(*paused));
  return found;
}

bool is_of_fleet_file(const UiState& state, const insight::Cause& cause) {
  const std::vector<insight::Finding> all = fleet_findings(state);
  return std::any_of(all.begin(), all.end(),
                     [&](const insight::Finding& one) { return insight::cause_id(one) == cause.id; });
}

bool finds_in_fleet(const UiState& state) {
  const ScreenKind kind = state.top().kind;
  return (kind == ScreenKind::doctor || kind == ScreenKind::overview) && !state.past && is_of_settings(state);
}

std::string fleet_file_untold(const UiState& state) {
  if (state.past || !state.fleet || state.fleet->of_settings.empty()) return "";
  const bool is_told = is_of_settings(state) && state.fleet->file && !state.fleet->changed &&
                       (state.fleet->file->failure || state.fleet->answer);
  return is_told ? "" : clean(state.fleet->of_settings, 300);
}

std::optional<FleetOrder> fleet_file_to_read(const UiState& state) {
  if (!finds_in_fleet(state) || (state.fleet->file && !state.fleet->changed)) return std::nullopt;
  if (state.fleet->file && is_held_by_plan(state)) return std::nullopt;
  return FleetOrder{FleetOrder::What::read, state.fleet->path, "", ""};
}

Effects open_fleet_finding(UiState& state) {
  Screen screen;
  screen.kind = ScreenKind::fleet;
  push(state, std::move(screen));
  Effects effects;
  effects.fleet = FleetOrder{FleetOrder::What::look, state.fleet->path, "", ""};
  return effects;
}

}  // namespace tessera::tui
