// A console without a terminal: keys go in as a person would press them, the screen comes out as text.
//
// Everything happens at once and in order, so a test needs neither waiting nor sleeping; time moves only when
// pass() says so.
// Threads: a plain value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/reduce.hpp"
#include "tui/keymap.hpp"
#include "tui/update.hpp"
#include "tui/view.hpp"

namespace tessera::test {

class Session {
 public:
  explicit Session(Model model, tui::Size size = {120, 40});

  // "jj<enter>", "/alice<enter>", "<c-d>": characters one by one, names in angle brackets, "<lt>" for "<".
  Session& press(std::string_view keys);
  Session& act(tui::Action action);  // as the loop sends it, past the keymap
  Session& paste(std::string text);
  Session& resize(tui::Size size);
  Session& tell(Event event);
  Session& hear(tui::RunNews news);  // from the room that keeps runs
  Session& pack();                   // the planner answers the pack screen
  Session& advise();                 // the planner answers the advice screen
  Session& work_out();               // what is asked about large clusters
  Session& survey();                 // the clusters are held against the fleet file
  Session& pass(Duration time);      // moves the clock and ticks
  Session& mouse(tui::Mouse::Kind kind, int x, int y);

  tui::Canvas canvas() const;
  std::string screen() const { return canvas().text(); }
  // The lines that contain `text`; the whole screen is in the failure message when there is none.
  std::string line_with(std::string_view text) const;
  bool shows(std::string_view text) const { return screen().find(text) != std::string::npos; }

  tui::UiContext world() const { return {model, catalogue, wall}; }

  Model model;
  const mig::Catalogue& catalogue;
  tui::Keymap keymap;
  tui::UiState state;
  TimePoint wall;
  std::vector<tui::Effects> effects;  // of every message so far, those that asked for nothing left out

 private:
  void send(const tui::Message& message);
  void press_key(const tui::Key& key);
};

}  // namespace tessera::test
