// Choices that outlive the console: how they are written, read back, and what a broken file costs.
#include "tui/remembered.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "tests/support/run_binary.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

using tui::Remembered;

TEST(Remembered, ChoicesOfOneConsoleAreThoseOfTheNext) {
  Session first(two_places());
  first.state.themes = {"dark", "light"};
  first.press("2:sort -held<enter>:columns node,held<enter>/n00<enter>:save mine<enter>");
  first.state.theme = "light";
  const std::string text = tui::remembered_text(tui::remembered_of(first.state));
  Result<Remembered> read = tui::parse_remembered(text, "console.yaml");
  ASSERT_TRUE(read) << text;

  Session next(two_places());
  next.state.themes = {"dark", "light"};
  tui::apply(*read, next.state);
  EXPECT_EQ(next.state.theme, "light");
  EXPECT_EQ(next.state.history.back(), "save mine");
  next.press("2");
  EXPECT_FALSE(next.shows("HEALTH")) << next.screen();
  EXPECT_TRUE(next.shows("HELD▼")) << next.screen();
  EXPECT_EQ(next.state.top().filter_text, "") << "a filter is not a habit";
  next.press(":view mine<enter>");
  EXPECT_EQ(next.state.top().filter_text, "n00");
  EXPECT_EQ(next.state.top().sorts.size(), 1u);
}

// After one look with --theme light every console was light.
TEST(Remembered, AThemeThatAFlagChoseIsOfThatSessionAlone) {
  Session session(two_places());
  session.state.theme = "light";
  const Remembered before{"dark", {}, {}, {}, {}};
  EXPECT_EQ(tui::remembered_of(session.state, before, "light").theme, "dark");
  session.state.theme = "mono";
  EXPECT_EQ(tui::remembered_of(session.state, before, "light").theme, "mono") << "chosen in the console";
}

TEST(Remembered, WhatThisVersionDoesNotKnowIsLeftOut) {
  Result<Remembered> read = tui::parse_remembered(
      "theme: pink\nnew: [1]\nsort: {nodes: colour, moons: -x}\ncolumns: {nodes: \"node,colour\"}\n", "f");
  ASSERT_TRUE(read);
  Session session(two_places());
  session.state.themes = {"dark"};
  tui::apply(*read, session.state);
  EXPECT_EQ(session.state.theme, "dark");
  session.press("2");
  EXPECT_TRUE(session.state.top().sorts.empty());
  EXPECT_EQ(session.state.top().columns->size(), 1u);
}

TEST(Remembered, ABrokenFileIsNamedWithItsPlace) {
  Result<Remembered> read = tui::parse_remembered("theme: dark\nviews: [1, 2]\n", "console.yaml");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().reason.find("console.yaml:2"), std::string::npos) << read.error().reason;
}

TEST(Remembered, AViewRunsNothingButWhatOpensAList) {
  Result<Remembered> read = tui::parse_remembered("views: {bad: [\"nodes\", \"quit\"]}\n", "f");
  ASSERT_TRUE(read);
  Session session(two_places());
  tui::apply(*read, session.state);
  session.press(":view bad<enter>");
  EXPECT_TRUE(session.effects.empty() || !session.effects.back().quit);
  session.line_with("the view bad is broken");
}

TEST(Remembered, WhatIsWrittenIsReadBackByTheNextConsole) {
  Scratch scratch;
  const std::string path = scratch.path() + "/console.yaml";
  EXPECT_EQ(tui::load_remembered(path).value(), Remembered{}) << "none yet is no failure";
  Remembered all;
  all.theme = "light";
  all.views["mine"] = {"slices user=\"al\\ice\"", "sort -use"};
  std::ofstream(path) << tui::remembered_text(all);
  EXPECT_EQ(tui::load_remembered(path).value(), all);
}

TEST(Remembered, AFifoInItsPlaceDoesNotHang) {
  Scratch scratch;
  const std::string path = scratch.path() + "/console.yaml";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(tui::load_remembered(path));
}

}  // namespace
}  // namespace tessera::test
