// A run as it is watched: the GPUs as they change, the time it takes, and who is called when it ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/tui/screens/change_places.hpp"
#include "tui/screens/plan/run_words.hpp"
#include "tui/screens/plan/runs.hpp"

namespace tessera::test {
namespace {

// What was written since, as a run that is driven here tells it.
RunTold written_since(const Diary& diary, std::size_t from) {
  return {diary.run, diary.lines.substr(from), false};
}

int count(const std::string& text, std::string_view what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

Session watching(const Diary& diary) {
  Session session = changing({120, 40});
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.hear({diary.told()});
  session.press("J<enter>");
  return session;
}

// Each picture of the journal copied the run that its page beside the list shows, with its plan and all
// lines.
TEST(RunWatched, APageBesideTheJournalSharesItsRunAndStillHasItAsItStood) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(2);
  Session session = watching(diary);
  const tui::UiState page = session.state;
  const tui::RunView* held = tui::view_of(page, diary.run);
  EXPECT_EQ(held, tui::view_of(session.state, diary.run)) << "looking at a run copies nothing";
  const std::size_t lines = held->entries.size(), before = diary.lines.size();
  diary.through(3);
  session.hear({written_since(diary, before)});
  EXPECT_GT(tui::view_of(session.state, diary.run)->entries.size(), lines);
  EXPECT_EQ(held->entries.size(), lines);
}

TEST(RunWatched, ShowsTheGpusAsTheyAreBesideWhatIsWanted) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(2);
  Session session = watching(diary);
  const std::string line = session.line_with("wanted");
  EXPECT_NE(line.find("GPU 0"), std::string::npos) << line;
  EXPECT_NE(line.find("○○○○○○○"), std::string::npos) << line;
  EXPECT_NE(line.find("④───③───"), std::string::npos) << line;
  session.line_with("usually about");
  // Once the cluster reports the new layout, both are the same.
  Gpu cut = gpu(0, Strategy::mig, {instance("4g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)});
  cut.mig_mode = MigMode::enabled;
  session.tell(on("hpc", NodeSeen{node("n0031", {cut, sevenths(1, 7)})}));
  const std::string after = session.line_with("wanted");
  EXPECT_EQ(after.find("○○○○○○○"), std::string::npos) << after;
}

// The strips of the fourth GPU and of those behind it were left out, and nothing said so.
TEST(RunWatched, MoreKindsOfGpusThanHaveRoomAreCounted) {
  const auto five_gpus = [](int least) {
    std::vector<Gpu> gpus;
    for (int i = 0; i < 5; ++i) {
      gpus.push_back(sevenths(i, 7 * i));
      gpus.back().slices.resize(static_cast<std::size_t>(std::max(least, i + 1)));
    }
    return node("n0031", std::move(gpus));
  };
  Session place = changing();
  place.tell(on("hpc", NodeSeen{five_gpus(7)}));
  Diary diary(plan_of(place, {"n0031"}, std::nullopt));
  diary.through(1);
  Session session = watching(diary);
  session.tell(on("hpc", NodeSeen{five_gpus(1)}));
  EXPECT_TRUE(session.shows("and 2 more")) << session.screen();
}

// "$ scontrol update NodeName=n0031 State=DRAIN Reason="tessera RU…" at 80 columns.
TEST(RunWatched, WhatAStepRunsIsShownToItsEndOnANarrowTerminal) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(2);
  Session session = watching(diary);
  session.resize({80, 40});
  const auto is_long = [](const plan::Step& step) {
    return !step.commands.empty() && step.commands.front().size() > 66;
  };
  std::size_t at = 0;
  while (at < 6 && !is_long(diary.step(at))) ++at;
  ASSERT_LT(at, 6u);
  const std::string& command = diary.step(at).commands.front();
  for (int i = 0; i < 20; ++i) session.press("k");
  for (int i = 0; i < 20 && session.screen().find("$ " + command.substr(0, 20)) == std::string::npos; ++i)
    session.press("j");
  const std::string end = command.substr(command.rfind(' ') + 1);
  EXPECT_NE(session.screen().find(end, session.screen().find("$ ")), std::string::npos) << command << "\n"
                                                                                        << session.screen();
}

// "!" stood before what the overview has behind "!!", and "done" and "PARKED" were told apart by colour
// alone.
TEST(RunWatched, HowARunStandsHasTheSignThatTheOverviewHas) {
  const auto sign = [](RunState state, const char* outcome = "") {
    RunHead head;
    head.state = state;
    head.outcome = outcome;
    return tui::sign_of(tui::look_of(head), false);
  };
  EXPECT_EQ(sign(RunState::interrupted), "!!");
  EXPECT_EQ(sign(RunState::unreadable), "!!");
  EXPECT_EQ(sign(RunState::parked), "!");
  EXPECT_EQ(sign(RunState::finished, "wanted"), "✓");
  EXPECT_EQ(sign(RunState::finished, "partial"), "!");
  EXPECT_EQ(sign(RunState::running), "▸");
}

// "step 4 of 7  00…": at 120 columns the journal stands beside it.
TEST(RunWatched, HowLongItHasTakenIsNeverCut) {
  Session place = changing();
  plan::Plan plan = plan_of(place, {"n0031"}, 0);
  plan.intent.words = "a preset with a rather long name, MIG on";
  Diary diary(std::move(plan));
  diary.through(2);
  Session session = watching(diary);
  const std::string line = session.line_with("under way  step 3 of");
  EXPECT_NE(line.find("00:"), std::string::npos) << line;
}

// How the run stands took the foot, and the journal was nowhere on a narrow terminal: v changed nothing
// there.
TEST(RunWatched, OnANarrowTerminalTheJournalOfARunThatEndedStandsBelowItsSteps) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(diary.count());
  diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "wanted layout, read back"}, 60);
  diary.add("", plan::RunFinished{plan::Outcome::wanted, "1 done"}, 61);
  Session session = watching(diary);
  session.resize({80, 40});
  session.line_with("DONE:");
  session.line_with("JOURNAL  one line a step; v shows all lines");
  const std::string short_one = session.screen();
  session.press("v").line_with("JOURNAL  the whole run; v shows one line a step");
  session.resize({80, 24});
  session.press("G").line_with("wanted layout, read back");
  EXPECT_NE(session.screen(), short_one);
}

// It had the last sixty lines and was called the whole run; of several nodes it did not say whose it is.
TEST(RunWatched, BelowTheStepsTheJournalHasItsFirstLineAndNamesTheNodeOfSeveral) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0041", "n0042"}, 0));
  const plan::Step& step = diary.step(0);
  diary.add("n0041", plan::StepBegun{step.id, 1, step.action}, 1);
  for (int i = 1; i <= 100; ++i)
    diary.add("n0041", plan::Waiting{step.id, fmt::format("look {} of 100", i)}, i);
  for (const char* node : {"n0041", "n0042"})
    diary.add(node, plan::NodeFinished{plan::Outcome::recorded, "given up"}, 200);
  diary.add("", plan::RunFinished{plan::Outcome::recorded, "2 failed"}, 201);
  Session session = watching(diary);
  session.resize({100, 300});
  session.press("v").line_with("JOURNAL  n0041, the whole run; v shows one line a step");
  session.line_with("look 1 of 100");
  session.line_with("look 100 of 100");
}

// Three lines a step pushed all but the last steps off the page.
TEST(RunWatched, TheJournalHasOneLineAStepAndAllLinesOneKeyAway) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(2);
  const plan::Step& third = diary.step(2);
  diary.add("n0031", plan::StepBegun{third.id, 1, third.action}, 10);
  diary.add("n0031", plan::ActionReturned{third.id, "In use by another client"}, 11);
  diary.add("n0031", plan::Waiting{third.id, "In use by another client; attempt 2 of 5 in 2 s"}, 11);
  Session session = watching(diary);
  session.resize({200, 60});
  EXPECT_EQ(count(session.screen(), "step n0031/1"), 1) << session.screen();
  EXPECT_NE(session.line_with("step n0031/1").find("done in 1.0 s"), std::string::npos) << session.screen();
  EXPECT_NE(session.line_with("step n0031/3").find("waits"), std::string::npos) << session.screen();
  const std::size_t before = diary.lines.size();
  diary.add("n0031", plan::StepBegun{third.id, 2, third.action}, 13);
  diary.add("n0031", plan::ActionReturned{third.id, ""}, 14);
  diary.add("n0031", plan::StepDone{third.id, false}, 15);
  session.hear({written_since(diary, before)});
  EXPECT_EQ(count(session.screen(), "step n0031/3"), 1) << session.screen();
  const std::string told = session.screen();
  EXPECT_NE(told.find("attempt 2"), std::string::npos) << told;
  EXPECT_NE(told.find("done in 5.0 s"), std::string::npos) << told;
  session.press("ggjjv");
  EXPECT_GT(count(session.screen(), "step n0031/"), 1) << session.screen();
  session.line_with("In use by another client");
  session.press("v");
  EXPECT_EQ(count(session.screen(), "step n0031/3"), 1) << session.screen();
}

TEST(RunWatched, AStepThatWasParkedOnDoesNotCountTheTimeThatTheRunStoodStill) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(1);
  const plan::Step& step = diary.step(1);
  diary.add("n0031", plan::StepBegun{step.id, 1, step.action}, 10);
  diary.add("n0031", plan::Parked{"paused by an admin", "n0031 is open", {}}, 12);
  diary.add("", plan::Resumed{"bob", "login2"}, 90000);
  diary.add("n0031", plan::StepBegun{step.id, 1, step.action}, 90001);
  diary.add("n0031", plan::StepDone{step.id, false}, 90003);
  Session session = watching(diary);
  session.resize({200, 60});
  session.line_with("done in 2.0 s");
}

// By the plan another had closed it; by the journal the run has closed it since, and opens it.
TEST(RunWatched, WhoHasClosedTheNodeIsWhatTheJournalTells) {
  Session place = changing();
  Node drained = *place.model.find(ClusterName("hpc"))->nodes.find(NodeName("n0041"));
  drained.health = Health::drained, drained.state = {"IDLE", "DRAIN"};
  drained.reason = "Xid 79", drained.reason_by = "ops";
  place.tell(on("hpc", NodeSeen{drained}));
  Diary diary(plan_of(place, {"n0041"}, 0));
  Session session = watching(diary);
  session.resize({120, 60});
  session.line_with("leave n0041 closed");
  const auto& steps = diary.nodes[0].steps;
  const auto closes = std::find_if(steps.begin(), steps.end(), [](const plan::Step& one) {
    return std::holds_alternative<plan::CloseNode>(one.action);
  });
  ASSERT_NE(closes, steps.end());
  const std::size_t before = diary.lines.size();
  diary.add("n0041", plan::StepBegun{closes->id, 1, closes->action}, 3);
  session.hear({written_since(diary, before)});
  session.line_with("open n0041 again");
}

TEST(RunWatched, NamesItsClusterWhereThereAreSeveral) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  Session session = watching(diary);
  EXPECT_EQ(session.line_with("under way").find("hpc: n0031"), std::string::npos);
  session.tell(on("train-a", ClusterSeen{Scheduler::kubernetes, false, "v1.31.4", "admin"}));
  EXPECT_NE(session.line_with("under way").find("hpc: n0031"), std::string::npos) << session.screen();
}

TEST(RunWatched, ATitleOfAStepIsNeverCutAndGoesOnBelow) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(2);
  for (const tui::Size size : {tui::Size{80, 40}, tui::Size{120, 40}, tui::Size{200, 60}}) {
    Session session = watching(diary);
    session.resize(size);
    const std::string screen = session.screen();
    const std::size_t at = screen.find("GPU 0: destroy");
    ASSERT_NE(at, std::string::npos) << screen;
    EXPECT_NE(screen.find("1g.10gb@6", at), std::string::npos) << size.columns << ":\n" << screen;
  }
}

TEST(RunWatched, RingsWhenItEndsAndNamesTheWindow) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(1);
  Session session = watching(diary);
  const std::size_t asked = session.effects.size(), before = diary.lines.size();
  diary.through(diary.count());
  diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "done"}, 60);
  diary.add("", plan::RunFinished{plan::Outcome::wanted, "1 of 1 node done"}, 61);
  session.hear({written_since(diary, before)});
  ASSERT_GT(session.effects.size(), asked) << session.screen();
  EXPECT_EQ(session.effects.back().ring, "tessera: n0031 done");
}

TEST(RunWatched, DoesNotRingForAJournalThatIsReadAgain) {
  Session place = changing();
  Diary diary(plan_of(place, {"n0031"}, 0));
  diary.through(diary.count());
  diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "done"}, 60);
  diary.add("", plan::RunFinished{plan::Outcome::wanted, "1 of 1 node done"}, 61);
  Session session = watching(diary);
  for (const tui::Effects& one : session.effects) EXPECT_FALSE(one.ring);
}

}  // namespace
}  // namespace tessera::test
