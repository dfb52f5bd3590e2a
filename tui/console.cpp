// Everything the console needs, joined in the order in which it has to be given back.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <cstring>

#include "engine/plan/run/actuator.hpp"
#include "engine/text.hpp"
#include "tui/app.hpp"

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

UiState first_state(const ConsoleOptions& options, const Keymap& keymap, const TerminalFacts& facts) {
  UiState state = options.state;
  state.theme = options.theme;
  state.themes = theme_names(options.theme_directories);
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
  return state;
}

}  // namespace

Result<int> run_console(const ConsoleOptions& options, const Keymap& keymap, const mig::Catalogue& catalogue,
                        std::span<const BackendPtr> backends, EventSink& sink, EventSource& source,
                        plan::Runs* runs) {
  auto theme = load_theme(options.theme, options.theme_directories);
  if (!theme) return theme.error();
  // Before curses, which would otherwise put handlers of its own in place.
  Signals signals;
  auto opened = open_terminal(options.terminal, *theme, signals);
  if (!opened) return opened.error();
  UiState state = first_state(options, keymap, opened->facts);
  if (state.mouse) opened->terminal->set_mouse(true);
  AppOptions app_options;
  app_options.theme_directories = options.theme_directories;
  app_options.idle_fd = idle_fd_from_environment();
  for (const BackendPtr& backend : backends)
    if (plan::Actuator* hand = backend->actuator()) state.abilities.emplace(backend->name(), hand->means());
  App app({*opened->terminal, source, backends, catalogue, keymap, signals, runs}, std::move(state),
          std::move(app_options));
  for (const BackendPtr& backend : backends) backend->start(sink);
  return app.run();
}

}  // namespace tessera::tui
