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

TEST(GuideSmall, TheQuestionIsSeenOnTheSmallestTerminal) {
  Session session(small_place(), {60, 15});
  session.press(":guide n0007<enter>");
  EXPECT_TRUE(session.shows("Q2 Isolation required?")) << session.screen();
  EXPECT_TRUE(session.shows("Must one user's crash")) << session.screen();
}

}  // namespace
}  // namespace tessera::test
