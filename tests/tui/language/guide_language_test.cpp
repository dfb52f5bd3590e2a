// The guide in another language says the same in the same places.
#include <gtest/gtest.h>

#include "engine/guide/chart/chart.hpp"
#include "engine/guide/texts.hpp"
#include "tests/tui/language/extract.hpp"

namespace tessera::guide {
namespace {

std::shared_ptr<const Texts> english() { return Texts::built_in().value(); }

std::string texts_of_chart(const Flowchart& chart) {
  std::string text;
  for (const Question& one : chart.questions()) text += one.ask + one.why;
  for (const Leaf& one : chart.leaves())
    text += one.meaning + one.summary + one.fits + one.memory + one.errors + one.latency + one.price;
  return text;
}

TEST(GuideLanguage, JapaneseIsHereAndOthersAreRefused) {
  auto japanese = english()->in_language("ja");
  ASSERT_TRUE(japanese) << to_line(japanese.error());
  EXPECT_EQ((*japanese)->chart->question("isolation")->label, "Q2");
  EXPECT_NE((*japanese)->chart->question("isolation")->ask, english()->chart->question("isolation")->ask);
  auto other = english()->in_language("xx");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().reason.find("glossary.xx.yaml"), std::string::npos) << to_line(other.error());
}

TEST(GuideLanguage, EveryTermThatJapaneseTextsMarkIsExplained) {
  const auto japanese = english()->in_language("ja").value();
  const auto terms = terms_in(texts_of_chart(*japanese->chart));
  EXPECT_GE(terms.size(), 15u);
  for (const std::string& term : terms) EXPECT_NE(japanese->glossary.find(term), nullptr) << term;
}

TEST(GuideLanguage, NoTextIsLeftInEnglish) {
  const auto japanese = english()->in_language("ja").value();
  for (const Question& one : japanese->chart->questions())
    EXPECT_NE(one.ask, english()->chart->question(one.id)->ask) << one.id;
  for (std::size_t i = 0; i < japanese->glossary.terms().size(); ++i)
    EXPECT_NE(japanese->glossary.terms()[i].text, english()->glossary.terms()[i].text);
  for (std::size_t i = 0; i < japanese->tables.advice.size(); ++i)
    EXPECT_NE(japanese->tables.advice[i].text, english()->tables.advice[i].text);
}

void expect_figures(const std::string& english, const std::string& japanese) {
  EXPECT_EQ(test::figures_of(japanese), test::figures_of(english)) << english << "\n" << japanese;
}

TEST(GuideLanguage, FiguresAreThoseOfTheEnglishTexts) {
  const auto ours = english();
  const auto japanese = ours->in_language("ja").value();
  for (std::size_t i = 0; i < ours->glossary.terms().size(); ++i)
    expect_figures(ours->glossary.terms()[i].text, japanese->glossary.terms()[i].text);
  for (std::size_t i = 0; i < ours->tables.advice.size(); ++i)
    expect_figures(ours->tables.advice[i].text, japanese->tables.advice[i].text);
  for (std::size_t i = 0; i < ours->tables.tables.size(); ++i) {
    const Table &here = ours->tables.tables[i], &there = japanese->tables.tables[i];
    for (std::size_t row = 0; row < here.rows.size(); ++row)
      for (std::size_t cell = 0; cell < here.rows[row].size(); ++cell)
        expect_figures(here.rows[row][cell], there.rows[row][cell]);
  }
  for (const Question& one : ours->chart->questions())
    expect_figures(one.ask + one.why,
                   japanese->chart->question(one.id)->ask + japanese->chart->question(one.id)->why);
  for (const Leaf& one : ours->chart->leaves()) {
    const Leaf& told = *japanese->chart->leaf(one.id);
    expect_figures(one.meaning + " " + one.fits + " " + one.memory + " " + one.price,
                   told.meaning + " " + told.fits + " " + told.memory + " " + told.price);
  }
}

TEST(GuideLanguage, TheChartStandsAsWideAsInEnglish) {
  const auto japanese = english()->in_language("ja").value();
  for (int width : {78, 100, 118}) {
    Walk walk(english()->chart, {});
    const Chart ours = layout_chart(walk, width), told = layout_chart(walk, width, {}, japanese->chart.get());
    EXPECT_EQ(told.style, ours.style) << width;
    EXPECT_LE(told.width, width);
    for (const auto& row : paint(told, false)) EXPECT_EQ(row.size(), static_cast<std::size_t>(told.width));
    for (const ChartBox& box : told.boxes)
      EXPECT_LE(text_width(box.text) + text_width(box.mark), box.width) << box.text;
  }
}

TEST(GuideLanguage, ASitesOwnChartIsShownAsTheSiteWroteIt) {
  const auto own = english()->with_flowchart(
      "title: t\nstart: a\nquestions:\n  - {id: a, label: Q1, short: s, ask: ours, why: w, yes: m, no: n}\n"
      "leaves:\n  - {id: m, strategy: mig, title: T, summary: s, meaning: m, fits: f, memory: m, errors: e, "
      "latency: l}\n  - {id: n, strategy: mps, title: T, summary: s, meaning: m, fits: f, memory: m, errors: "
      "e, latency: l}\n",
      "own.yaml");
  ASSERT_TRUE(own) << to_line(own.error());
  auto told = (*own)->in_language("ja");
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_EQ((*told)->chart->question("a")->ask, "ours");
}

TEST(GuideLanguage, WhatSaysAnotherThingIsNoTranslation) {
  const std::shared_ptr<const Texts> kept = english();
  const Texts& ours = *kept;
  Texts other = ours;
  other.tables.advice.pop_back();
  EXPECT_FALSE(same_structure(ours, other));
  other = ours;
  other.tables.tables.front().rows.pop_back();
  EXPECT_FALSE(same_structure(ours, other));
  other = ours;
  other.tables.tables.front().id = "another";
  EXPECT_FALSE(same_structure(ours, other));
  std::string text(built_in_file("flowchart", "ja")->text);
  text.replace(text.find("yes: isolation"), 14, "yes: licence  ");
  if (auto chart = Flowchart::parse(text, "x.yaml")) {
    other = ours;
    other.chart = std::make_shared<const Flowchart>(std::move(*chart));
    EXPECT_FALSE(same_structure(ours, other));
  }
  EXPECT_TRUE(same_structure(ours, ours));
}

}  // namespace
}  // namespace tessera::guide
