// No sentence is left in English on a Japanese screen, and none on a page of the command line: a text that
// explains and is not marked shows here.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <unordered_map>

#include "tests/support/reckoned.hpp"
#include "tests/tui/screens/fleet_places.hpp"
#include "tests/tui/screens/layout_places.hpp"
#include "tui/cli/change/plan_text.hpp"

namespace tessera::test {
namespace {

// What stays English by design: what people type and what programs print, on lines of their own or in a
// sentence.
std::string without_what_stays(const std::string& line) {
  static const std::regex kTyped(
      R"(\$ |(^|│) *(tessera|import|nvidia-smi|kubectl|scontrol|sbatch|srun|max by) )"),
      kPrinted(
          "not cut|is made|reported lower than configured|on failure|fan failure|-lgipp of an|^ *of "
          "+[0-9]|gres/gpu count reported lower "
          "than "
          "configured|"
          "gres/gpu count reported lower|scontrol update|(scontrol|kubectl) [a-z]+ [a-z]+|tessera config "
          "[a-z-]+|"
          // The text to an owner, as the command writes it.
          "These GPU slices were held and not used, or larger than needed:|[0-9]+ [a-z0-9.]+ on [a-z0-9]+ of "
          "[a-z]+:");
  return std::regex_search(line, kTyped) ? "" : std::regex_replace(line, kPrinted, "");
}

// Three words in small letters in a row, or a word that only sentences have: no name, state or command is so.
bool has_english(const std::string& line) {
  static const std::regex kSentence(R"((?:^|[^A-Za-z0-9:=/._-])[a-z]{2,}(?:'s)?(?: [a-z]{2,}){2,})"),
      kGrammar(
          R"((?:^| |[^\x01-\x7f])(the|is|are|by|and|of|on|not|for|then|more|with|has|have|to|at)(?: |$|[^\x01-\x7f]))"),
      // A label that landed in the middle of a sentence: its text was taken for another one.
      kMixed(R"([^\x01-\x7f][a-z]{3,}:[^\x01-\x7f])");
  const std::string rest = without_what_stays(line);
  return std::regex_search(rest, kSentence) || std::regex_search(rest, kGrammar) ||
         std::regex_search(rest, kMixed);
}

// What each of the three has at least.
bool has_small_letters(const std::string& line) {
  const auto small = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto pair = [&](char a, char b) { return small(a) && small(b); };
  return std::adjacent_find(line.begin(), line.end(), pair) != line.end();
}

std::vector<std::string> english_in(const std::string& screen) {
  // Screens differ by a few lines: each line is looked at once.
  static std::unordered_map<std::string, bool> known;
  std::vector<std::string> found;
  std::istringstream lines(screen);
  for (std::string line; std::getline(lines, line);) {
    if (!has_small_letters(line)) continue;
    auto [at, fresh] = known.try_emplace(line, false);
    if (fresh) at->second = has_english(line);
    if (at->second) found.push_back(line);
  }
  return found;
}

// Without the line of the keys, whose words are those of the keymap.
std::string without_keys(const Session& session) {
  std::string text = session.screen();
  const std::size_t last = text.rfind('\n', text.find_last_not_of('\n'));
  return text.substr(0, last);
}

void expect_japanese(const Session& session, const std::string& where) {
  for (const std::string& one : english_in(without_keys(session))) ADD_FAILURE() << where << ": " << one;
}

Session reading(Model model) {
  Session session(std::move(model), {160, 400});
  EXPECT_TRUE(tui::set_language(session.state, tui::Language::ja));
  return session;
}

// One console for each: the catalogue is read with it.
std::vector<Session> readings(std::vector<Model> models) {
  std::vector<Session> all;
  for (Model& model : models) all.push_back(reading(std::move(model)));
  return all;
}

TEST(JapaneseScreens, HoldNoEnglishSentence) {
  const char* kScreens[] = {"1",
                            "2",
                            "3",
                            "4",
                            "5",
                            "6",
                            "7",
                            "7i",
                            "7<enter>",
                            "w",
                            "J",
                            "2i",
                            "3i",
                            "4i",
                            "5i",
                            "5<enter>",
                            "w<enter>",
                            "2<enter>",
                            "3<enter>",
                            "4<enter>",
                            ":about<enter>",
                            "2?",
                            "1?",
                            "2<enter>L",
                            "2<enter>Lp",
                            "2<enter>D",
                            "2<enter>Dy",
                            "2<enter>Dny",
                            "2<enter>Dnn",
                            "2<enter>Dc",
                            "2<enter>Ds",
                            "2<enter>Dt",
                            "2<enter>Dv",
                            "2/zzz<enter>",
                            "5/zzz<enter>"};
  for (const Session& started : readings({small_place(), two_places(), layout_place(), change_place()}))
    for (const char* keys : kScreens) {
      Session session = started;
      session.press(keys);
      expect_japanese(session, keys);
    }
}

TEST(JapaneseScreens, OfUsageAndWasteHoldNoEnglishSentence) {
  for (const char* keys : {":usage<enter>", ":waste<enter>"}) {
    Session session = reading(two_places());
    session.press(keys);
    expect_japanese(session, "nothing recorded");
    session.state.usage.part = 0.3;
    expect_japanese(session, "reading");
    session.state.usage.part.reset();
    session.state.usage.read = reckoned();
    for (int i = 0; i < 8; ++i) {
      expect_japanese(session, std::string(keys) + std::to_string(i));
      session.press("j");
    }
    session.press("b");
    expect_japanese(session, "summed up by another thing");
  }
}

TEST(JapaneseScreens, OfTheFleetHoldNoEnglishSentence) {
  Session session = changing({160, 400});
  ASSERT_TRUE(tui::set_language(session.state, tui::Language::ja));
  session.press(":fleet<enter>");
  expect_japanese(session, "no file");
  session.press(":fleet fleet.yaml<enter>");
  expect_japanese(session, "being read");
  open_fleet(session);
  hear(session, {"fleet.yaml", "2", "2026-11-21T14:03:00Z", nullptr, {}});
  for (int i = 0; i < 5; ++i) {
    expect_japanese(session, "row " + std::to_string(i));
    session.press("<enter>j");
  }
  session.press("c");
  expect_japanese(session, "calendar");
}

TEST(JapaneseScreens, OfPlansHoldNoEnglishSentence) {
  for (plan::Way way : {plan::Way::wait, plan::Way::requeue, plan::Way::cancel})
    for (const char* layout : {"4g.40gb,3g.40gb", "7x1g.10gb", "whole"}) {
      Session session = changing({160, 400});
      ASSERT_TRUE(tui::set_language(session.state, tui::Language::ja));
      plan::ChangeOptions options;
      options.way = way;
      open(session, plan_of(session, {"n0031"}, {}, layout, options));
      expect_japanese(session, layout);
      session.press("A");
      expect_japanese(session, std::string(layout) + " armed");
    }
}

TEST(JapaneseScreens, OfEveryNodeInTheEditorHoldNoEnglishSentence) {
  for (const Session& started : readings({small_place(), layout_place(), change_place()}))
    for (const Cluster& cluster : started.model.clusters)
      for (const Node& node : cluster.nodes.all()) {
        Session session = started;
        session.press(":node " + node.name.text + "<enter>L");
        expect_japanese(session, node.name.text);
        session.press("-");
        expect_japanese(session, node.name.text + " less");
        session.press("p");
        for (int i = 0; i < 20; ++i) {
          session.press("j");
          expect_japanese(session, node.name.text + " presets");
        }
      }
}

// What a command prints, at any width: lines are as long as they are.
void expect_japanese(const std::string& page, const std::string& where) {
  for (const std::string& one : english_in(page)) ADD_FAILURE() << where << ": " << one;
}

TEST(JapaneseCommandLine, PlansHoldNoEnglishSentence) {
  const tui::WordsPtr japanese = tui::Words::of(tui::Language::ja).value();
  const Session session = changing();
  for (plan::Way way : {plan::Way::wait, plan::Way::requeue, plan::Way::cancel})
    for (const char* layout : {"4g.40gb,3g.40gb", "7x1g.10gb", "whole"}) {
      plan::ChangeOptions options;
      options.way = way, options.when_empty = way == plan::Way::requeue;
      const plan::Plan one = plan_of(session, {"n0031"}, {}, layout, options);
      expect_japanese(cli::preview(one, cli::kInFull, japanese), layout);
      const plan::Plan many = plan_of(session, {"n0031", "n0041", "n0042", "n0043"}, {}, layout, options);
      expect_japanese(cli::preview(many, cli::kInFull, japanese), std::string(layout) + " on four nodes");
    }
}

TEST(JapaneseScreens, TheCheckFindsASentence) {
  EXPECT_EQ(english_in("  状態  the node is gone").size(), 1u);
  EXPECT_EQ(english_in("  状態  alice bob").size(), 0u);
  EXPECT_EQ(english_in("  $ scontrol update the node now").size(), 0u);
}

}  // namespace
}  // namespace tessera::test
