// The guide's screens: every question, every leaf and every page beside them, as they were found right.
#include <gtest/gtest.h>

#include "tests/support/golden.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

struct GuideShot {
  const char* name;
  const char* keys;
};

class GuideGolden : public testing::TestWithParam<GuideShot> {};

TEST_P(GuideGolden, AtThreeSizes) {
  for (tui::Size size : {tui::Size{80, 24}, {120, 40}, {200, 60}}) {
    Session session(small_place(), size);
    session.press(GetParam().keys);
    expect_golden(std::string("guide-") + GetParam().name + "-" + std::to_string(size.columns),
                  session.canvas());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Guide, GuideGolden,
    testing::Values(GuideShot{"q1", ":guide n0007<enter>u"}, GuideShot{"q2", ":guide n0007<enter>"},
                    GuideShot{"q2-why", ":guide n0007<enter>w"}, GuideShot{"q3", ":guide A10<enter>"},
                    GuideShot{"q4", ":guide A10<enter>y"}, GuideShot{"q5", ":guide A10<enter>n"},
                    GuideShot{"mig", ":guide n0007<enter>y"}, GuideShot{"vgpu", ":guide A10<enter>yy"},
                    GuideShot{"mps", ":guide n0007<enter>ny"}, GuideShot{"slicing", ":guide n0007<enter>nn"},
                    GuideShot{"compare", ":guide n0007<enter>c"},
                    GuideShot{"scheduler", ":guide n0007<enter>s"},
                    GuideShot{"terms", ":guide n0007<enter>t"}, GuideShot{"layouts", ":guide n0007<enter>v"},
                    GuideShot{"advice", ":guide n0007<enter>yG"}, GuideShot{"groups", "2*D<tab>"}),
    [](const auto& shot) {
      std::string name = shot.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

// "more below" named no key that shows it.
TEST(GuideChart, WhereItGoesOnTheKeysThatLeadThereAreNamed) {
  Session session(small_place(), {80, 24});
  session.press(":guide n0007<enter>");
  EXPECT_TRUE(session.shows(" y, n: more below")) << session.screen();
  session.press("n");
  EXPECT_TRUE(session.shows(" u: more above")) << session.screen();
}

// The ends of what is to be typed, and of the comments that explain it, were cut at the edge.
TEST(GuideHandOuts, NothingToTypeIsCutOnTheSmallScreen) {
  Session session(small_place(), {80, 24});
  session.press(":guide n0007<enter>yG");
  EXPECT_TRUE(session.shows("# names")) << session.screen();
  EXPECT_TRUE(session.shows("ConstrainDevices=yes")) << session.screen();
  EXPECT_FALSE(session.shows("…")) << session.screen();
}

TEST(GuideAscii, QuestionAndLeafKeepTheirShapes) {
  for (tui::Size size : {tui::Size{80, 24}, {120, 40}}) {
    Session session(small_place(), size);
    session.state.ascii = true;
    session.press(":guide n0007<enter>");
    expect_golden("guide-q2-ascii-" + std::to_string(size.columns), session.canvas());
    session.press("y");
    expect_golden("guide-mig-ascii-" + std::to_string(size.columns), session.canvas());
  }
}

// The row that serves most is ranked first: Enter edits each GPU's own layout, Tab shows the next one's.
TEST(GuideEach, ALayoutForEachGpuOpensInTheEditor) {
  Session session(small_place(), {120, 40});
  session.press(":guide n0007<enter>y");
  ASSERT_TRUE(session.shows("a layout for each GPU")) << session.screen();
  session.press("<enter>");
  EXPECT_TRUE(session.shows("GPUs, each by itself, in view n0007 GPU 0")) << session.screen();
  session.press("<tab>");
  EXPECT_TRUE(session.shows("in view n0007 GPU 1")) << session.screen();
  EXPECT_FALSE(session.shows("!! CANNOT")) << session.screen();
  EXPECT_TRUE(session.shows("KEEPS")) << session.screen();
  session.press("a");
  EXPECT_FALSE(session.shows("each by itself")) << session.screen();
}

// On 200 x 60 a question used 20 of 56 rows, and what an answer leads to was a key away.
TEST(GuideAhead, BesideTheChartAQuestionSaysWhatEachAnswerLeadsTo) {
  Session session(small_place(), {200, 60});
  session.press(":guide n0007<enter>");
  for (const char* text :
       {"WHAT EACH ANSWER LEADS TO", "MIG  hardware isolation, predictable performance",
        "Each instance has its own memory", "Q5  Do the processes work together",
        "interactive sessions of 9 users: notebook", "Time-slicing  simple and flexible division"})
    EXPECT_TRUE(session.shows(text)) << text << "\n" << session.screen();
  const std::string screen = session.screen(), wall = "│";
  int used = 0;
  for (std::size_t at = 0, end = 0; (end = screen.find('\n', at)) != std::string::npos; at = end + 1) {
    const std::string line = screen.substr(at, end - at);
    const std::size_t page = line.rfind(wall);
    used += page != std::string::npos && line.find_first_not_of(' ', page + wall.size()) != std::string::npos;
  }
  EXPECT_GT(used, 25) << screen;
  session.press("u");
  EXPECT_TRUE(session.shows("Q3  Does the work run in virtual machines?")) << session.screen();
}

TEST(GuideAhead, ChartAndPageStandBesideOneAnotherFromTheWidthOnAtWhichListsHaveAPage) {
  for (const auto& [columns, beside] : std::vector<std::pair<int, bool>>{{160, true}, {159, false}}) {
    Session session(small_place(), {columns, 40});
    session.press(":guide n0007<enter>");
    EXPECT_EQ(session.shows("│ Q2  Must one user's crash"), beside) << session.screen();
    EXPECT_EQ(session.shows("WHAT EACH ANSWER LEADS TO"), beside) << session.screen();
    EXPECT_TRUE(session.shows("Q5 Cooperative?")) << session.screen();
  }
}

TEST(GuideSmall, TheQuestionIsSeenOnTheSmallestTerminal) {
  Session session(small_place(), {60, 15});
  session.press(":guide n0007<enter>");
  EXPECT_TRUE(session.shows("Q2 Isolation required?")) << session.screen();
  EXPECT_TRUE(session.shows("Must one user's crash")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
