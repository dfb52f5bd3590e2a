// What must not happen: a change that is started twice, unarmed or too late, and keys that mean something
// where they must mean nothing.
#include <gtest/gtest.h>

#include "tests/tui/screens/change_places.hpp"
#include "tui/screens/plan/runs.hpp"
#include "tui/update.hpp"

namespace tessera::test::guards_story {
namespace {

template <class Order>
int count_of(const Session& session) {
  int count = 0;
  for (const tui::Effects& effects : session.effects)
    for (const tui::RunOrder& order : effects.orders) count += std::holds_alternative<Order>(order);
  return count;
}
Session with_plan() {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0031"}, 0));
  return session;
}
Diary listed(Session& session, RunState state, bool here) {
  Diary diary(plan_of(session, {"n0031"}, 0));
  session.hear({RunsListed{{diary.head(state, here)}}});
  session.hear({diary.told()});
  return diary;
}

// The cluster was closed, or its journals got lost, while the name was being typed.
TEST(Guards, APlanThatCannotBeStartedAnyMoreIsNotArmedByTyping) {
  Session session = with_plan();
  session.press("An0031");
  session.state.abilities.clear();
  session.press("<enter>");
  session.line_with("hpc cannot be changed from here");
  EXPECT_FALSE(session.state.arming);
}

TEST(Guards, AnArmedPlanThatCannotBeStartedAnyMoreIsNotStarted) {
  Session session = with_plan();
  session.press("An0031<enter>");
  ASSERT_TRUE(session.state.arming && session.state.arming->armed);
  session.state.runs.available = false;
  session.press("!");
  session.line_with("not started: this console has no folder for the journals of runs");
  EXPECT_EQ(count_of<tui::StartRun>(session), 0);
}

TEST(Guards, APlanThatBreaksARuleIsNotArmed) {
  Session session = with_plan();
  session.state.plan->plan.violations = {{Severity::danger, "one-layout", {}, "all GPUs must be alike"}};
  session.press("A");
  session.line_with("it breaks a rule: one-layout: all GPUs must be alike");
  EXPECT_FALSE(session.state.arming);
}

TEST(Guards, NothingIsStartedWhileARunIsBeingStarted) {
  Session session = with_plan();
  session.press("An0031<enter>!A");
  session.line_with("a run is being started");
  session.press("n0031<enter>!");
  EXPECT_EQ(count_of<tui::StartRun>(session), 1);
}

TEST(Guards, WhatArmsIsTypedAndNotCompleted) {
  Session session = with_plan();
  session.press("An<tab>");
  EXPECT_EQ(session.state.input.text, "n");
  EXPECT_EQ(session.state.input.kind, tui::InputKind::arm);
}

TEST(Guards, TheSecondKeyMeansNothingBeforeTheNameWasTyped) {
  Session session = with_plan();
  session.press("A");
  session.state.input = {};  // however the prompt went
  session.act(tui::Action::arm_confirm);
  session.line_with("nothing is armed");
  EXPECT_EQ(count_of<tui::StartRun>(session), 0);
}

TEST(Guards, AClickMovesNothingWhileSomethingIsTyped) {
  Session session = changing({120, 40});
  session.press("2/n00");
  const std::string cursor = session.state.top().cursor;
  for (int y = 0; y < 40; ++y)
    for (tui::Mouse::Kind kind : {tui::Mouse::Kind::press, tui::Mouse::Kind::double_press})
      session.mouse(kind, 3, y);
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::nodes);
  EXPECT_EQ(session.state.top().cursor, cursor);
  EXPECT_EQ(session.state.input.text, "n00");
}

// The name is typed and the start is a key of its own: no click stands for either.
TEST(Guards, NoClickArmsOrStartsAChange) {
  Session session = with_plan();
  const auto click_everywhere = [&] {
    for (int y = 0; y < 40; ++y)
      for (int x = 1; x < 120; x += 7)
        for (tui::Mouse::Kind kind : {tui::Mouse::Kind::press, tui::Mouse::Kind::double_press,
                                      tui::Mouse::Kind::wheel_up, tui::Mouse::Kind::wheel_down})
          session.mouse(kind, x, y);
  };
  session.press("An0031");
  click_everywhere();
  EXPECT_EQ(session.state.input.kind, tui::InputKind::arm);
  EXPECT_EQ(session.state.input.text, "n0031");
  session.press("<enter>");
  ASSERT_TRUE(session.state.arming && session.state.arming->armed);
  click_everywhere();
  EXPECT_TRUE(session.state.arming && session.state.arming->armed);
  EXPECT_EQ(count_of<tui::StartRun>(session), 0);
}

// The second click of one that had closed a palette over it answered the run.
TEST(Guards, NoClickAnswersARunsQuestion) {
  Session session = changing({80, 24});
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(1);
  diary.add("n0031", plan::Asked{plan::Ask::closed_by_other, "n0031 is closed already by root. Go on?"}, 5);
  session.state.runs.drove = true;
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.hear({diary.told()});
  session.press("J<enter>");
  for (const int x : {3, 16})
    for (const auto kind : {tui::Mouse::Kind::press, tui::Mouse::Kind::double_press})
      session.mouse(kind, x, 23);
  session.line_with("what a run asks is answered with the keys alone");
  EXPECT_EQ(count_of<tui::AnswerRun>(session), 0);
}

TEST(Guards, NoKeyHasAMeaningWhileTesseraParksItsRuns) {
  Session session = changing();
  session.state.runs.drove = true;
  session.press("q");
  ASSERT_EQ(session.state.leaving, tui::Leaving::parking);
  EXPECT_TRUE(tui::scopes(session.state).empty());
}

// It would stand still in the middle of a step.
TEST(Guards, ARunThatIsDrivenHereIsNotSuspended) {
  Session session = changing({120, 40});
  session.state.runs.drove = true;
  listed(session, RunState::running, true);
  session.act(tui::Action::suspend);
  session.line_with("a run is driven here, and it would stand still");
  for (const tui::Effects& effects : session.effects) EXPECT_FALSE(effects.suspend);
}

TEST(Guards, ARunThatIsDrivenElsewhereIsSteeredThere) {
  Session session = changing({120, 40});
  listed(session, RunState::running, false);
  session.press("J<enter>p");
  session.line_with("this run is driven elsewhere, by");
  EXPECT_EQ(count_of<tui::DemandOfRun>(session), 0);
}

}  // namespace
}  // namespace tessera::test::guards_story
