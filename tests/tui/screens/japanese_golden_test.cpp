// The same screens in Japanese, as they were looked at and found right.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/golden.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/last_hour.hpp"
#include "tests/tui/screens/layout_places.hpp"

namespace tessera::test {
namespace {

constexpr tui::Size kJapaneseSizes[] = {{80, 24}, {120, 40}, {200, 60}};

void in_japanese(Session& session) {
  const Status set = tui::set_language(session.state, tui::Language::ja);
  ASSERT_TRUE(set) << to_line(set.error());
}

struct JapaneseShot {
  const char* name;
  const char* keys;  // from the overview
};

class JapaneseGolden : public testing::TestWithParam<JapaneseShot> {};

TEST_P(JapaneseGolden, AtThreeSizes) {
  for (tui::Size size : kJapaneseSizes) {
    Session session(small_place(), size);
    in_japanese(session);
    session.press(GetParam().keys);
    const std::string name = GetParam().name;
    expect_golden("ja-" + name + "-" + std::to_string(size.columns),
                  name == "overview" ? after_an_hour(session) : session.canvas());
  }
}

INSTANTIATE_TEST_SUITE_P(Screens, JapaneseGolden,
                         testing::Values(JapaneseShot{"overview", "<tab>"}, JapaneseShot{"help", "4?"},
                                         JapaneseShot{"no-match", "5/zzz<enter>"},
                                         JapaneseShot{"doctor", "7j"},
                                         JapaneseShot{"why", ":job 88140<enter>"},
                                         JapaneseShot{"guide-q2", ":guide n0007<enter>"},
                                         JapaneseShot{"guide-mig", ":guide n0007<enter>y"},
                                         JapaneseShot{"guide-mps", ":guide n0007<enter>ny"},
                                         JapaneseShot{"guide-compare", ":guide n0007<enter>c"},
                                         JapaneseShot{"guide-scheduler", ":guide n0007<enter>s"},
                                         JapaneseShot{"guide-terms", ":guide n0007<enter>t"}),
                         [](const auto& shot) {
                           std::string name = shot.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(JapanesePlanGolden, WithWhatHasToBeKnownBefore) {
  for (tui::Size size : kJapaneseSizes) {
    Session session = changing(size);
    in_japanese(session);
    plan::ChangeOptions options;
    options.way = plan::Way::requeue;
    open(session, plan_of(session, {"n0031"}, {}, "4g.40gb,3g.40gb", options));
    expect_golden("ja-plan-two-" + std::to_string(size.columns), session.canvas());
    session.press("G");
    expect_golden("ja-plan-step-" + std::to_string(size.columns), session.canvas());
  }
}

TEST(JapaneseEditorGolden, OfOneBoard) {
  for (tui::Size size : kJapaneseSizes) {
    Session session(layout_place(), size);
    in_japanese(session);
    session.press(":node lab1<enter>L");
    expect_golden("ja-layout-" + std::to_string(size.columns), session.canvas());
    session.press("l+jjllll-");
    expect_golden("ja-layout-edited-" + std::to_string(size.columns), session.canvas());
  }
}

TEST(JapaneseSession, AKeyChangesTheLanguageAndBack) {
  Session session(small_place(), {120, 60});
  session.press(":guide n0007<enter>");
  ASSERT_TRUE(session.shows("Must one user's crash")) << session.screen();
  session.press("<c-e>");
  EXPECT_TRUE(session.shows("影響を一切受けない")) << session.screen();
  EXPECT_FALSE(session.shows("Must one user's crash"));
  session.press("y");  // the walk goes on where it was
  EXPECT_TRUE(session.shows("受け入れるべきこと")) << session.screen();
  session.press("<c-e>");
  EXPECT_TRUE(session.shows("TO ACCEPT")) << session.screen();
}

// Their steps were Japanese, and all around them English.
TEST(JapaneseSession, ARunAndTheListOfRunsAreJapaneseAsAWhole) {
  Session session = changing({120, 40});
  in_japanese(session);
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(1);
  session.hear({RunsListed{{diary.head(RunState::parked)}}});
  session.hear({diary.told()});
  session.press("J");
  EXPECT_TRUE(session.shows("n0031")) << session.screen();
  for (const char* english : {"progress", "resumes it", "concerns"})
    EXPECT_FALSE(session.shows(english)) << english << "\n" << session.screen();
  session.press("<enter>");
  ASSERT_EQ(session.state.top().kind, tui::ScreenKind::run);
  for (const char* english : {"STEPS", "begun by", "JOURNAL", "; done"})
    EXPECT_FALSE(session.shows(english)) << english << "\n" << session.screen();
}

bool has_japanese(std::string_view text) { return text.find("\xe3\x81") != std::string_view::npos; }

// Every text of the guide's pages ends where its line does; only what is to be typed may be cut (y copies
// it).
TEST(JapaneseSession, PagesOfTheGuideLoseNoCharacterAtTheEdge) {
  for (const char* keys : {"w", "c", "s", "t", "y", "ny", "nn"}) {
    Session session(small_place(), {80, 400});
    in_japanese(session);
    session.press(std::string(":guide n0007<enter>") + keys);
    std::istringstream lines(session.screen());
    for (std::string line; std::getline(lines, line);)
      EXPECT_FALSE(has_japanese(line) && line.ends_with("…")) << keys << "\n" << line;
  }
}

// What mirrors commands, and what is written down, is English whatever is shown.
TEST(JapaneseSession, StatesHeadingsAndThePlanItselfStayEnglish) {
  Session session(small_place(), {150, 40});
  in_japanese(session);
  session.press("2");
  for (const char* word : {"STATE", "MIXED", "nodes"}) EXPECT_TRUE(session.shows(word)) << word;
  Session planned = changing({120, 40});
  in_japanese(planned);
  open(planned, plan_of(planned, {"n0031"}, {}));
  for (const plan::Notice& notice : planned.state.plan->plan.notices)
    EXPECT_EQ(notice.text.find("\xe3"), std::string::npos) << notice.text;
  for (const plan::Step& step : planned.state.plan->plan.nodes.front().steps)
    EXPECT_EQ(step.title.find("\xe3"), std::string::npos) << step.title;
}

}  // namespace
}  // namespace tessera::test
