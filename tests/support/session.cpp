#include "tests/support/session.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "tests/support/build.hpp"
#include "tui/packer.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/large.hpp"

namespace tessera::test {
namespace {

std::string key_name(std::string_view name) {
  if (name.starts_with("c-")) return "Ctrl-" + std::string(name.substr(2));
  struct Spelling {
    std::string_view mine, theirs;
  };
  constexpr Spelling kNames[] = {
      {"enter", "Enter"},  {"esc", "Esc"}, {"tab", "Tab"},   {"btab", "Shift-Tab"}, {"space", "Space"},
      {"bs", "Backspace"}, {"up", "Up"},   {"down", "Down"}, {"left", "Left"},      {"right", "Right"},
      {"home", "Home"},    {"end", "End"}, {"pgup", "PgUp"}, {"pgdn", "PgDn"},      {"del", "Delete"},
      {"lt", "<"},         {"f2", "F2"},   {"f6", "F6"}};
  for (const Spelling& spelling : kNames)
    if (spelling.mine == name) return std::string(spelling.theirs);
  return std::string(name);
}

// Read once: parsing it for every session would be most of the tests' time.
const mig::Catalogue& built_in() {
  static const mig::Catalogue catalogue = mig::Catalogue::built_in().value();
  return catalogue;
}

bool asks_for_something(const tui::Effects& effects) {
  return effects.quit || effects.suspend || effects.refresh || effects.repaint || effects.copy ||
         effects.theme || effects.mouse || effects.ring || effects.time || effects.acknowledge ||
         effects.fleet || !effects.orders.empty();
}

}  // namespace

Session::Session(Model first, tui::Size size) : model(std::move(first)), catalogue(built_in()), wall(at(0)) {
  // Times on the screen are local: tests live in one place.
  setenv("TZ", "UTC", 1);
  tzset();
  state.me = "alice";
  state.themes = {"dark", "light", "mono"};
  send(tui::Resize{size});
  send(tui::ModelChanged{});
}

void Session::send(const tui::Message& message) {
  tui::Effects wanted = tui::update(state, world(), message);
  if (asks_for_something(wanted)) effects.push_back(std::move(wanted));
}

void Session::press_key(const tui::Key& key) {
  std::vector<tui::Scope> scopes = tui::scopes(state);
  if (auto action = keymap.lookup(scopes, key)) return send(tui::ActionMessage{*action});
  if (!tui::wants_text(state)) return send(tui::UnknownKey{tui::to_text(key)});
  if (key.control || key.named != tui::Named::none) return;
  tui::TextInput text;
  text.character = tui::to_text(key) == "Space" ? " " : tui::to_text(key);
  send(text);
}

Session& Session::press(std::string_view keys) {
  while (!keys.empty()) {
    std::string name;
    std::size_t end = keys.front() == '<' ? keys.find('>') : std::string_view::npos;
    if (end != std::string_view::npos && end > 1) {
      name = key_name(keys.substr(1, end - 1));
      keys.remove_prefix(end + 1);
    } else {
      std::size_t size = 1;
      while (size < keys.size() && (static_cast<unsigned char>(keys[size]) & 0xC0) == 0x80) ++size;
      name = keys.front() == ' ' ? "Space" : std::string(keys.substr(0, size));
      keys.remove_prefix(size);
    }
    std::optional<tui::Key> key = tui::parse_key(name);
    EXPECT_TRUE(key) << "no key is called " << name;
    if (key) press_key(*key);
  }
  return *this;
}

Session& Session::act(tui::Action action) {
  send(tui::ActionMessage{action});
  return *this;
}

Session& Session::paste(std::string text) {
  send(tui::Paste{std::move(text)});
  return *this;
}

Session& Session::resize(tui::Size size) {
  send(tui::Resize{size});
  return *this;
}

Session& Session::tell(Event event) {
  reduce(model, std::move(event));
  send(tui::ModelChanged{});
  return *this;
}

Session& Session::hear(tui::RunNews news) {
  send(std::move(news));
  return *this;
}

Session& Session::pack() {
  EXPECT_TRUE(state.pack && state.pack->question) << "nothing is asked of the planner";
  if (state.pack && state.pack->question) send(tui::PackTold{tui::answer_of(state.pack->question)});
  return *this;
}

Session& Session::advise() {
  EXPECT_TRUE(state.advise && state.advise->question) << "no advice is asked for";
  if (state.advise && state.advise->question) send(tui::AdviseTold{tui::answer_of(state.advise->question)});
  return *this;
}

Session& Session::work_out() {
  const tui::LargeState asked = state.large;
  const auto of_plan = state.plan ? state.plan->asked_hours : nullptr;
  const bool any = (asked.demand && asked.demand->working()) || (asked.why && asked.why->working()) ||
                   (asked.hours && asked.hours->working()) || (of_plan && of_plan->working());
  EXPECT_TRUE(any) << "nothing is asked about a large cluster";
  const auto answer = [&](const auto& one) {
    if (one && one->working()) send(tui::LargeTold{tui::answer_of(one->question), {}});
  };
  answer(asked.demand), answer(asked.why), answer(asked.hours), answer(of_plan);
  return *this;
}

Session& Session::survey() {
  EXPECT_TRUE(state.fleet && state.fleet->question) << "no cluster is held against a file";
  if (state.fleet && state.fleet->question) send(tui::FleetSeen{tui::answer_of(state.fleet->question)});
  return *this;
}

Session& Session::pass(Duration time) {
  wall += time;
  send(tui::Tick{});
  return *this;
}

Session& Session::mouse(tui::Mouse::Kind kind, int x, int y) {
  send(tui::Mouse{kind, x, y});
  return *this;
}

tui::Canvas Session::canvas() const {
  tui::Canvas canvas(state.size);
  tui::draw(world(), state, canvas);
  return canvas;
}

std::string Session::line_with(std::string_view text) const {
  std::string all = screen(), found;
  for (std::size_t at = 0; at < all.size();) {
    std::size_t end = std::min(all.find('\n', at), all.size());
    std::string line = all.substr(at, end - at);
    if (line.find(text) != std::string::npos) found += (found.empty() ? "" : "\n") + line;
    at = end + 1;
  }
  EXPECT_FALSE(found.empty()) << "no line has \"" << text << "\" in\n" << all;
  return found;
}

}  // namespace tessera::test
