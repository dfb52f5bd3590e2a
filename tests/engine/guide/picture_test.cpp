// The flowchart's picture against its data: everything stands in it, and each line joins what the data joins.
#include "engine/guide/chart/picture.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/guide/glossary.hpp"
#include "tests/engine/guide/guide_build.hpp"

namespace tessera::guide {
namespace {

const Picture::Line* line_from(const Picture& picture, const std::string& id, bool yes) {
  for (const Picture::Line& line : picture.lines)
    if (line.from == id && line.yes == yes) return &line;
  return nullptr;
}

bool stands(const Picture& picture, const std::string& id) {
  return std::count_if(picture.boxes.begin(), picture.boxes.end(),
                       [&](const Picture::Box& box) { return box.id == id; }) == 1;
}

TEST(Picture, HasEveryQuestionAnswerAndLeafOfTheFlowchart) {
  const auto chart = test::flowchart();
  ASSERT_TRUE(chart->picture());
  const Picture& picture = *chart->picture();
  for (const Question& question : chart->questions()) {
    EXPECT_TRUE(stands(picture, question.id)) << question.id;
    for (bool yes : {true, false}) {
      const Picture::Line* line = line_from(picture, question.id, yes);
      ASSERT_NE(line, nullptr) << question.id;
      EXPECT_EQ(line->to, yes ? question.yes : question.no) << question.id;
    }
  }
  for (const Leaf& leaf : chart->leaves()) EXPECT_TRUE(stands(picture, leaf.id)) << leaf.id;
  EXPECT_EQ(picture.boxes.size(), chart->questions().size() + chart->leaves().size());
  EXPECT_EQ(picture.lines.size(), 2 * chart->questions().size());
}

TEST(Picture, HasRoomForTheTextsOfEachLanguageAtEightyColumns) {
  for (const char* language : {"", "ja"}) {
    Result<Flowchart> words = Flowchart::built_in(language);
    ASSERT_TRUE(words.ok()) << to_line(words.error());
    for (ChartStyle style : {ChartStyle::framed, ChartStyle::compact}) {
      const Chart chart = layout_chart(test::walk(), 78, style, &*words);
      EXPECT_EQ(chart.style, style) << language;
      for (const Question& question : words->questions())
        EXPECT_EQ(chart.box(question.id)->text, question.label + " " + question.short_text);
      for (const Leaf& leaf : words->leaves()) EXPECT_EQ(chart.box(leaf.id)->text, leaf.title);
    }
  }
}

// The tree of the shipped file with another picture.
std::string refusal(const std::string& from, const std::string& to) {
  std::string text(built_in_file("flowchart", "")->text);
  const std::size_t at = text.find(from, text.find("picture: |"));
  if (at == std::string::npos) return "not there: " + from;
  text.replace(at, from.size(), to);
  Result<Flowchart> read = Flowchart::parse(text, "own.yaml");
  return read ? "read" : read.error().reason;
}

TEST(Picture, IsRefusedWhereItSaysAnotherThingThanTheData) {
  EXPECT_EQ(refusal("[mps  ]", "[mps  ]"), "read");
  EXPECT_NE(refusal("[mps  ]", "[mpx  ]").find("there is no question or leaf \"mpx\""), std::string::npos);
  EXPECT_NE(refusal("[vgpu  ]", "[mps   ]").find("\"mps\" stands twice"), std::string::npos);
  EXPECT_NE(refusal("[vgpu  ]", "[vgpu ] ").find("has 7 columns, and its text needs 8"), std::string::npos);
  EXPECT_NE(
      refusal("[mps  ]  [time-slicing  ]", "[time-slicing  ][mps  ]").find("leads to \"time-slicing\" there"),
      std::string::npos);
  EXPECT_NE(refusal("y            n", "n            y").find("no of \"cooperative\" leads to \"mps\""),
            std::string::npos);
  EXPECT_NE(refusal("y            n", "             n").find("belongs to no line"), std::string::npos);
  EXPECT_NE(refusal("├─────────╯", "├──────── ╯").find("the line from licence does not go on"),
            std::string::npos);
  EXPECT_NE(refusal("[mps  ]", "[mps   ").find("without its end"), std::string::npos);
}

TEST(Picture, OfNothingOrOfTooMuchIsAnErrorAndNoCrash) {
  for (const std::string& text :
       {std::string(), std::string("y"), std::string("[a]\n\ny"), std::string("[a]\ny"),
        std::string("[a]\ny\n│"), std::string("[a\n"), std::string("]["), std::string(1000, '\n'),
        std::string(1000, 'y'), std::string("\xff\xfe[")})
    EXPECT_FALSE(parse_picture(text).ok()) << text.substr(0, 20);
}

TEST(Picture, AFlowchartWithoutOneIsAList) {
  std::string text(built_in_file("flowchart", "")->text);
  const std::size_t at = text.find("picture: |");
  text.erase(at, text.find("questions:", at) - at);
  Result<Flowchart> own = Flowchart::parse(text, "own.yaml");
  ASSERT_TRUE(own.ok()) << to_line(own.error());
  const Walk walk(std::make_shared<const Flowchart>(std::move(*own)), {});
  EXPECT_EQ(layout_chart(walk, 120).style, ChartStyle::list);
}

TEST(Picture, LinesThatMeetGoOnAsOneAndThoseThatCrossDoNot) {
  Result<Picture> met = parse_picture("[a]   [b]\n y     y\n │     │\n ├─────╯\n[c]");
  ASSERT_TRUE(met.ok()) << met.error().reason;
  ASSERT_EQ(met->lines.size(), 2u);
  EXPECT_EQ(met->lines[0].to, "c");
  EXPECT_EQ(met->lines[1].to, "c");
  Result<Picture> crossed = parse_picture("[a]   [b]\n y     y\n │     │\n╭┼─────╯\n││\n│╰───╮\n[c]  [d]");
  ASSERT_TRUE(crossed.ok()) << crossed.error().reason;
  EXPECT_EQ(crossed->lines[0].to, "d");
  EXPECT_EQ(crossed->lines[1].to, "c");
}

}  // namespace
}  // namespace tessera::guide
