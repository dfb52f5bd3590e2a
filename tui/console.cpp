// Everything the console needs, joined in the order in which it has to be given back.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "engine/plan/run/actuator.hpp"
#include "engine/text.hpp"
#include "tui/app.hpp"
#include "tui/remembered.hpp"

namespace tessera::tui {
namespace {

std::optional<int> idle_fd_from_environment() {
  const char* text = std::getenv("TESSERA_IDLE_FD");
  int fd = -1;
  if (!text || std::from_chars(text, text + std::strlen(text), fd).ec != std::errc{} || fd < 3)
    return std::nullopt;
  return fd;
}

std::string depth_text(Depth depth) {
  switch (depth) {
    case Depth::indexed: return "256 colours";
    case Depth::sixteen: return "16 colours";
    case Depth::eight: return "8 colours";
    case Depth::none: break;
  }
  return "no colours";
}

// The theme of a flag or of a configuration file counts more than the one that was left. What was left;
// nullopt: there is no file, or none that could be read.
std::optional<Remembered> remember(UiState& state, const ConsoleOptions& options) {
  if (options.remembered.empty()) return std::nullopt;
  Result<Remembered> last = load_remembered(options.remembered);
  if (!last) {
    state.message = {Severity::warning, to_line(last.error()), {}, true};
    return std::nullopt;
  }
  Remembered taken = *last;
  if (options.theme_chosen) taken.theme.clear();
  apply(taken, state);
  return std::move(*last);
}

void complete(UiState& state, const Keymap& keymap, const TerminalFacts& facts) {
  state.ascii = facts.ascii;
  state.keys.clear();
  for (const ActionInfo& row : actions()) state.keys.push_back(keymap.all_shown(row.action));
  state.about.emplace_back(
      "terminal", facts.type + ", " + depth_text(facts.depth) + (facts.ascii ? ", ASCII" : ", UTF-8"));
  if (facts.guessed) {
    state.message = {Severity::warning,
                     fmt::format("TERM={}: this terminal is not known, drawing as for {}",
                                 clean(facts.called, 60), facts.type),
                     {},
                     true};
  }
}

}  // namespace

Clocks system_clocks() {
  return {[] { return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now()); },
          [] {
            return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch());
          }};
}

Result<int> run_console(const ConsoleOptions& options, const Keymap& keymap, const mig::Catalogue& catalogue,
                        std::span<const BackendPtr> backends, EventSink& sink, EventSource& source,
                        plan::Runs* runs, record::Archive* archive) {
  auto theme = load_theme(options.theme, options.theme_directories);
  if (!theme) return theme.error();
  UiState state = options.state;
  state.theme = options.theme;
  state.themes = theme_names(options.theme_directories);
  const std::optional<Remembered> before = remember(state, options);
  if (state.theme != options.theme)
    if (auto last = load_theme(state.theme, options.theme_directories)) theme = std::move(last);
  // Before curses, which would otherwise put handlers of its own in place.
  Signals signals;
  auto opened = open_terminal(options.terminal, *theme, signals);
  if (!opened) return opened.error();
  complete(state, keymap, opened->facts);
  if (state.mouse) opened->terminal->set_mouse(true);
  AppOptions app_options;
  app_options.theme_directories = options.theme_directories;
  app_options.acknowledge = options.acknowledge;
  app_options.fleet = options.fleet;
  app_options.fleet_sources = options.fleet_sources;
  app_options.idle_fd = idle_fd_from_environment();
  for (const BackendPtr& backend : backends)
    if (plan::Actuator* hand = backend->actuator()) state.abilities.emplace(backend->name(), hand->means());
  App app({*opened->terminal, source, backends, catalogue, keymap, signals, runs, archive}, std::move(state),
          std::move(app_options));
  for (const BackendPtr& backend : backends) backend->start(sink);
  const int code = app.run();
  // What could not be read is not written over.
  // A folder that cannot be written costs the choices and nothing else: doctor --self tells of it.
  if (before && options.remember)
    (void)options.remember(remembered_text(options.theme_chosen
                                               ? remembered_of(app.state(), *before, options.theme)
                                               : remembered_of(app.state())));
  return code;
}

}  // namespace tessera::tui
