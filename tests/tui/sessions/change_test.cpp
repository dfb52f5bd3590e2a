// Planning, arming, running, undoing: keys as a person presses them, and what the console then asks for.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "tests/tui/screens/change_places.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/plan/runs.hpp"

namespace tessera::test {
namespace {

using tui::ScreenKind;

// The last order that the console gave, if it is of that kind; the test fails when it is not.
template <class Order>
const Order& ordered(const Session& session) {
  static const Order none{};
  for (auto effects = session.effects.rbegin(); effects != session.effects.rend(); ++effects)
    if (!effects->orders.empty()) {
      const auto* order = std::get_if<Order>(&effects->orders.back());
      EXPECT_TRUE(order) << "another order was the last one";
      return order ? *order : none;
    }
  ADD_FAILURE() << "nothing was ordered";
  return none;
}
bool ordered_nothing(const Session& session) {
  for (const tui::Effects& effects : session.effects)
    for (const tui::RunOrder& order : effects.orders)
      if (!std::holds_alternative<tui::ListRuns>(order) && !std::holds_alternative<tui::ReadRun>(order))
        return false;
  return true;
}

// A run that this console drives, with its screen open.
Diary driven(Session& session, int steps = 2) {
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(steps);
  session.state.runs.drove = true;
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.hear({diary.told()});
  session.press("J<enter>");
  return diary;
}

TEST(Arming, TypingTheNameAndTheSecondKeyStartsTheRun) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("An0031<enter>");
  session.line_with("ARMED: press ! to change n0031");
  EXPECT_TRUE(ordered_nothing(session)) << "typing arms, and does nothing else";
  session.press("!");
  EXPECT_EQ(ordered<tui::StartRun>(session).plan.id, session.state.plan->plan.id);
}

// Not a number of nodes, although it looks like one.
TEST(Arming, ANodeWhoseNameIsANumberIsCalledByItsName) {
  Session session = changing();
  plan::Plan plan = plan_of(session, {"n0031"}, 0);
  plan.nodes.front().node = NodeName("42");
  tui::open_arming(session.state, tui::ArmStart{}, plan);
  EXPECT_EQ(tui::arming_prompt(*session.state.arming), "Type 42 to arm");
  session.state.arming->armed = true;
  EXPECT_EQ(tui::armed_text(session.state), "ARMED: press ! to change 42; Esc cancels");
}

TEST(Arming, EnterDoesNotStartWhatWasArmedAndNeitherDoesTheTrigger) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("An0031<enter><enter>A<space>yx");
  EXPECT_TRUE(ordered_nothing(session));
  EXPECT_TRUE(session.state.arming && session.state.arming->armed) << "it still waits for the second key";
}

TEST(Arming, TheSecondKeyAloneDoesNothing) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("!").act(tui::Action::arm_confirm);
  EXPECT_TRUE(ordered_nothing(session));
  session.line_with("nothing is armed");
}

TEST(Arming, AWrongNameSaysSoAndStaysOpen) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("AN0031<enter>");
  session.line_with("that is not n0031; type it exactly");
  session.press("!");
  EXPECT_EQ(session.state.input.text, "N0031!") << "still text";
  session.press("<c-u>n0031<enter>!");
  EXPECT_EQ(ordered<tui::StartRun>(session).plan.nodes.size(), 1u);
}

TEST(Arming, SeveralNodesAreArmedByTheirNumber) {
  Session session = changing();
  open(session, plan_of(session, {"n0041", "n0042", "n0043"}, 0));
  session.press("An0041<enter>");
  session.line_with("that is not 3; type it exactly");
  session.press("<c-u>3<enter>");
  session.line_with("ARMED: press ! to change 3 nodes");
}

TEST(Arming, EscapeLeavesAtEveryPoint) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("An0031<esc>");
  EXPECT_FALSE(session.state.arming);
  session.press("An0031<enter><esc>!");
  EXPECT_FALSE(session.state.arming);
  EXPECT_TRUE(ordered_nothing(session));
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan) << "the plan is still there";
}

TEST(Arming, APasteIsTextAndNeverTheSecondKey) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("A").paste("n0031");
  session.press("<enter>").paste("!");
  EXPECT_TRUE(ordered_nothing(session));
  EXPECT_TRUE(session.state.arming->armed);
}

TEST(Arming, IsRefusedWithAReason) {
  struct Case {
    const char* reason;
    void (*spoil)(Session&);
  };
  const Case cases[] = {
      {"read-only: start tessera with --write", [](Session& s) { s.state.writable = false; }},
      {"hpc cannot be changed from here", [](Session& s) { s.state.abilities.clear(); }},
      {"no folder for the journals of runs", [](Session& s) { s.state.runs.available = false; }}};
  for (const Case& one : cases) {
    Session session = changing({120, 40});
    open(session, plan_of(session, {"n0031"}, 0));
    one.spoil(session);
    session.press("A");
    EXPECT_FALSE(session.state.arming) << one.reason;
    session.line_with(one.reason);
  }
}

TEST(Arming, AWorldThatMovesDisarmsAndHasToBePlannedAgain) {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("An0031<enter>");
  session.tell(
      on("hpc", WorkloadSeen{named(running("88150", "carol", {holds("n0031", {{2}})}), "late", -2)}, -1));
  EXPECT_FALSE(session.state.arming);
  session.line_with("88150");
  session.press("!A");
  EXPECT_TRUE(ordered_nothing(session));
  session.line_with("plan again first");
  session.press("pAn0031<enter>!");
  EXPECT_EQ(ordered<tui::StartRun>(session).plan.nodes[0].blast_radius.size(), 1u) << "carol is named now";
}

TEST(Arming, WorkThatLeftDoesNotDisarm) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 1));
  session.press("An0031<enter>");
  session.tell(on("hpc", WorkloadGone{WorkloadId("88131")}, -1));
  session.press("!");
  EXPECT_EQ(ordered<tui::StartRun>(session).plan.nodes.size(), 1u);
}

TEST(Planning, OptionsPlanAgainAtOnce) {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0031"}, {}));
  EXPECT_FALSE(session.shows("requeues"));
  session.press("r");
  session.line_with("requeues");
  session.press("c");
  session.line_with("WILL END");
  session.press("c");
  EXPECT_FALSE(session.shows("WILL END")) << "the same key again: wait";
  session.press("f");
  session.line_with("go back");
  session.press("e");
  EXPECT_TRUE(session.state.plan->plan.intent.options.when_empty);
  session.press("t#");
  session.line_with("the plan is about one node");
}

TEST(Planning, ANodeOfSeveralShowsItsOwnSteps) {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0041", "n0031"}, {}));
  while (!session.state.top().cursor.starts_with("d\x1f") || session.state.plan->node == 0) {
    std::string before = session.state.top().cursor;
    session.press("j");
    ASSERT_NE(session.state.top().cursor, before) << session.screen();
  }
  session.line_with("STEPS  n0031");
}

TEST(Planning, CommandsAreCopiedByStepAndAllAtOnce) {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0031"}, 0));
  const std::vector<plan::Step>& steps = session.state.plan->plan.nodes[0].steps;
  session.press("<tab>y");
  session.line_with("nothing to copy here");
  std::size_t at = 0;
  for (; steps.at(at).commands.empty(); ++at) session.press("j");
  session.press("y");
  EXPECT_EQ(session.effects.back().copy, steps[at].commands[0]);
  session.press("Y");
  EXPECT_GT(session.effects.back().copy->size(), 100u);
}

TEST(Planning, OwnersAreToldInOneTextEach) {
  Session session = changing({120, 40});
  open(session, plan_of(session, {"n0031"}, {}));
  session.press("m");
  session.line_with("TO alice");
  session.line_with("TO bob");
  session.press("y");
  EXPECT_NE(session.effects.back().copy->find("To: bob"), std::string::npos);
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::plan);
}

TEST(Running, TheRunTakesThePlaceOfItsPlan) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("An0031<enter>!");
  Diary diary(ordered<tui::StartRun>(session).plan);
  session.hear({diary.told()});
  EXPECT_EQ(session.state.top().kind, ScreenKind::run);
  EXPECT_EQ(session.state.top().subject, diary.run);
  EXPECT_EQ(session.screen().find("starting"), std::string::npos) << "it has started";
  session.press("<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << "the plan is used up";
}

TEST(Running, LinesThatComeOneByOneShowWhatAllOfThemShow) {
  Session one_by_one = changing({120, 40}), at_once = changing({120, 40});
  Diary diary = driven(at_once, 3);
  driven(one_by_one, 0);
  std::string rest = diary.lines.substr(diary.lines.find('\n') + 1);
  while (!rest.empty()) {
    std::string line = rest.substr(0, rest.find('\n') + 1);
    rest.erase(0, line.size());
    one_by_one.hear({RunTold{diary.run, line, false}});
  }
  EXPECT_EQ(one_by_one.screen(), at_once.screen());
}

TEST(Running, ALineThatCannotBeReadIsSaid) {
  Session session = changing({120, 40});
  Diary diary = driven(session);
  session.hear({RunTold{diary.run, "{\"seq\":99}\n", false}});
  session.line_with("cannot read the journal");
}

TEST(Running, EveryScreenTellsThatARunIsUnderWay) {
  Session session = changing();
  Diary diary = driven(session);
  session.press("2");
  session.line_with("run " + diary.run + ": step 3 of " + std::to_string(diary.count()));
}

TEST(Running, PauseAndAbort) {
  Session session = changing();
  Diary diary = driven(session);
  session.press("p");
  EXPECT_EQ(ordered<tui::DemandOfRun>(session).what, plan::Demand::pause);
  session.press("a");
  EXPECT_EQ(ordered<tui::DemandOfRun>(session).what, plan::Demand::pause) << "one key does not turn it back";
  session.press("n0031<enter>!");
  EXPECT_EQ(ordered<tui::DemandOfRun>(session).what, plan::Demand::turn_back);
}

TEST(Running, AQuestionIsAnswered) {
  Session session = changing({120, 40});
  Diary diary = driven(session);
  session.press("o");
  session.line_with("the run asks nothing");
  diary.lines.clear();
  diary.add(
      "n0031",
      plan::Asked{plan::Ask::marked_by_other, "run r7 of bob has marked it. Break that lock and go on?"}, 9);
  session.hear({RunTold{diary.run, diary.lines, false}});
  session.line_with("THE RUN ASKS");
  session.press("o");
  EXPECT_TRUE(ordered<tui::AnswerRun>(session).go_on);
  EXPECT_EQ(ordered<tui::AnswerRun>(session).node, NodeName("n0031"));
}

TEST(Running, ARunThatParkedAtAQuestionShowsTheCommandThatAnswersIt) {
  Session session = changing({120, 40});
  Diary diary = driven(session);
  diary.lines.clear();
  diary.add(
      "n0031",
      plan::Asked{plan::Ask::marked_by_other, "run r7 of bob has marked it. Break that lock and go on?"}, 9);
  diary.add("n0031", plan::Parked{"no answer: run r7 of bob has marked it", "n0031 is open", {}}, 10);
  session.hear({RunTold{diary.run, diary.lines, false}});
  session.line_with("tessera resume " + diary.run + " --break-lock --write");
}

TEST(Leaving, AsksWhileARunIsUnderWayAndParksIt) {
  Session session = changing();
  driven(session);
  session.press("q");
  session.line_with("a run is under way: p park and leave, Esc stay");
  session.press("q<esc>");
  EXPECT_EQ(session.state.leaving, tui::Leaving::no);
  session.press("qp");
  EXPECT_EQ(ordered<tui::ParkRuns>(session).why, "tessera was left");
  session.line_with("parking");
  EXPECT_FALSE(session.effects.back().quit);
  session.press("q<esc><c-c>");
  EXPECT_EQ(session.state.leaving, tui::Leaving::parking) << "nothing hurries it";
  session.hear({RunsAtRest{}});
  EXPECT_TRUE(session.effects.back().quit);
}

TEST(Leaving, ARunThatHasJustEndedIsNotAskedAbout) {
  Session session = changing();
  Diary diary = driven(session);
  diary.lines.clear();
  diary.add({}, plan::RunFinished{plan::Outcome::wanted, "1 of 1 node done"}, 9);
  session.hear({RunTold{diary.run, diary.lines, false}});
  session.press("q");
  EXPECT_EQ(session.state.leaving, tui::Leaving::parking) << "the list still calls it running";
}

TEST(Leaving, WhatWasOrderedAMomentAgoIsAskedAbout) {
  Session session = changing();
  open(session, plan_of(session, {"n0031"}, 0));
  session.press("An0031<enter>!q");
  EXPECT_EQ(session.state.leaving, tui::Leaving::asked);
}

TEST(Planning, ByCommand) {
  Session session = changing();
  session.press(":plan n0041,n0042 7x1g.10gb<enter>");
  session.line_with("already as requested");
  session.press("<esc>:plan n0041 4g.40gb,3g.40gb<enter>");
  EXPECT_EQ(session.state.plan->plan.nodes[0].created.size(), 4u);
  session.press("<esc>:plan nowhere whole<enter>");
  session.line_with("nowhere");
  session.press(":plan n0041 5q<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << session.screen();
}

// The name that the editor and the guide show was called "not the name of a MIG profile".
TEST(Planning, ByCommandWithTheNameOfAPreset) {
  Session session = changing();
  session.press(":plan n0041 all-balanced<enter>");
  ASSERT_TRUE(session.state.plan) << session.screen();
  // Of the sevenths two stay on each GPU; one 2g and one 3g are made.
  EXPECT_EQ(session.state.plan->plan.nodes[0].created.size(), 4u) << session.screen();
  EXPECT_TRUE(session.shows("all-balanced")) << session.screen();
  session.press("<esc>:plan n0041 all-6g.60gb<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview) << session.screen();
}

// Beside the steps every pod of a namespace was "pod serving/…"; below, its name stood twice.
TEST(Planning, PodsAreToldApartByTheirNames) {
  Session session = changing({120, 40});
  plan::Plan plan = plan_of(session, {"n0031"}, {});
  ASSERT_FALSE(plan.nodes[0].blast_radius.empty());
  plan::Disturbed& one = plan.nodes[0].blast_radius[0];
  one.id = WorkloadId("serving/asr-tbbqq"), one.name = "asr-tbbqq";
  open(session, std::move(plan));
  EXPECT_TRUE(session.shows("  asr-tbbqq  ")) << session.screen();
  EXPECT_FALSE(session.shows("serving/asr-tbbqq asr-tbbqq")) << session.screen();
}

TEST(Leaving, WithoutARunLeavesAtOnce) {
  Session session = changing();
  session.press("q");
  EXPECT_TRUE(session.effects.back().quit);
}

TEST(Leaving, AfterARunWaitsUntilNothingIsDriven) {
  Session session = changing();
  session.state.runs.drove = true;
  session.press("q");
  EXPECT_EQ(ordered<tui::ParkRuns>(session).why, "tessera was left");
  session.hear({RunsAtRest{}});
  EXPECT_TRUE(session.effects.back().quit);
}

// --- journal

TEST(Journal, UndoReadsTheRunAndOpensAPlanForTheWayBack) {
  Session session = changing();
  Diary diary(plan_of(session, {"n0031"}, 0));
  session.hear({RunsListed{{diary.head(RunState::finished, false)}}});
  session.press("Jz");
  EXPECT_EQ(ordered<tui::ReadRun>(session).run, diary.run);
  EXPECT_EQ(session.state.top().kind, ScreenKind::journal);
  session.hear({diary.told()});
  ASSERT_EQ(session.state.top().kind, ScreenKind::plan);
  EXPECT_EQ(session.state.plan->undoes, diary.run);
  session.line_with("already as requested");
}

// The screen says DONE by the run's journal; the list of runs is told a moment later.
TEST(Journal, ARunIsUndoneAsSoonAsItsJournalHasEnded) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0031"}, 0));
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.hear({diary.told()});
  session.press("J<enter>z");
  session.line_with("it is under way, driven by");
  diary.through(diary.count());
  diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "wanted layout, read back"}, 60);
  diary.add("", plan::RunFinished{plan::Outcome::wanted, "1 done"}, 61);
  session.hear({diary.told()});
  session.press("z");
  ASSERT_TRUE(session.state.plan) << session.screen();
  EXPECT_EQ(session.state.plan->undoes, diary.run);
  // "undo RUN  undoes RUN": said twice, and cut for it on 80 columns.
  EXPECT_FALSE(session.shows("undoes " + diary.run)) << session.screen();
}

TEST(Journal, ARunOfAnotherClusterOfThatNameIsNotUndone) {
  Session session = changing({120, 40});
  plan::Plan elsewhere = plan_of(session, {"n0031"}, 0);
  elsewhere.cluster_id = "hpc-9";
  Diary diary(elsewhere);
  diary.through(diary.count());
  diary.add("n0031", plan::NodeFinished{plan::Outcome::wanted, "wanted layout, read back"}, 60);
  diary.add("", plan::RunFinished{plan::Outcome::wanted, "1 done"}, 61);
  session.hear({RunsListed{{diary.head(RunState::finished, false)}}});
  session.hear({diary.told()});
  session.press("Jz");
  EXPECT_FALSE(session.state.plan);
  session.line_with("another cluster that is called hpc");
}

// Each goes back to its own layout, also after an option was changed and all was planned again.
TEST(Journal, UndoTakesNodesBackThatWereFoundUnlike) {
  Session session = changing({120, 40});
  auto cut = [&](const char* name, std::vector<Slice> slices) {
    Gpu board = gpu(0, Strategy::mig, std::move(slices));
    board.mig_mode = MigMode::enabled;
    reduce(session.model, on("hpc", NodeSeen{node(name, {board, sevenths(1, 7)})}));
  };
  cut("n0042", {instance("4g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)});
  Diary diary(plan_of(session, {"n0041", "n0042"}, 0, "2g.20gb,2g.20gb,3g.40gb"));
  for (const char* name : {"n0041", "n0042"})
    cut(name, {instance("2g.20gb", 0, 2, 0), instance("2g.20gb", 2, 2, 1), instance("3g.40gb", 4, 4, 2)});
  session.hear({RunsListed{{diary.head(RunState::finished, false)}}});
  session.hear({diary.told()});
  session.press("Jz");
  auto layouts = [&] {
    std::string text;
    for (const plan::NodePlan& one : session.state.plan->plan.nodes)
      text += fmt::format("{} {}; ", one.node.text, one.after.at(0).instances.size());
    return text;
  };
  ASSERT_TRUE(session.state.plan) << session.screen();
  EXPECT_EQ(layouts(), "n0041 7; n0042 2; ");
  session.act(tui::Action::plan_when_empty);
  EXPECT_TRUE(session.state.plan->plan.intent.options.when_empty);
  EXPECT_EQ(layouts(), "n0041 7; n0042 2; ");
}

// Where marks cannot be read yet a line says so, which is about no run: the pointer stood on the first line,
// and Enter was taken for that one and did nothing.
TEST(Journal, EnterOpensTheRunUnderThePointerAlsoBesideMarksThatCannotBeRead) {
  Session session = changing();
  Diary diary(plan_of(session, {"n0031"}, 0));
  RunHead marks;
  marks.state = RunState::unreadable, marks.why = "the marks of hpc cannot be read";
  session.hear({RunsListed{{diary.head(RunState::interrupted, false), marks}}});
  session.press("J");
  EXPECT_TRUE(session.shows("resumes it")) << session.screen();
  session.press("<enter>");
  EXPECT_EQ(session.state.top().kind, tui::ScreenKind::run) << session.screen();
  EXPECT_EQ(session.state.top().subject, diary.run);
}

TEST(Journal, AParkedRunIsTakenUpAgainByTyping) {
  Session session = changing();
  Diary diary(plan_of(session, {"n0031"}, 0));
  session.hear({RunsListed{{diary.head(RunState::parked, false)}}});
  session.press("Jr");
  session.line_with("c carry on, n plan again, b go back");
  session.press("b");
  EXPECT_TRUE(ordered_nothing(session));
  session.press("n0031<enter>!");
  EXPECT_EQ(ordered<tui::ResumeRun>(session).run, diary.run);
  EXPECT_EQ(ordered<tui::ResumeRun>(session).onward, plan::Onward::back);
  EXPECT_FALSE(ordered<tui::ResumeRun>(session).accept_harm);
}

// In a folder that colleagues share: it is armed by who has seen what they did to it.
TEST(Journal, WhatOthersHaveChangedIsSeenBeforeTheRunIsTakenUp) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(1).add("n0031", plan::Parked{"paused by an admin", "n0031 is open"}, 9);
  RunHead head = diary.head(RunState::parked, false);
  head.unarmed = "others have written to it since you left it";
  head.changed = {"--- as you left it", "+++ as it is now", "-  \"before\": [\"scope-empty\"]",
                  "+  \"before\": []"};
  session.hear({RunsListed{{head}}});
  session.press("Jr");
  session.line_with("open it and look at what they changed first");
  EXPECT_FALSE(session.state.resuming);
  session.press("<enter>");
  session.hear({diary.told()});
  session.line_with("CHANGED BY OTHERS SINCE YOU LEFT IT");
  session.line_with("+  \"before\": []");
  session.press("rcn0031<enter>!");
  EXPECT_EQ(ordered<tui::ResumeRun>(session).seen, diary.chain.last());
  // A user was quicker: it is read again, to be looked at again.
  session.hear({RunRefused{diary.run, {"cannot resume the run", std::string(plan::kWrittenSince), ""}}});
  EXPECT_EQ(ordered<tui::ReadRun>(session).run, diary.run);
}

TEST(Journal, AStepThatTheFileCallsOtherwiseIsShownAsWhatItDoes) {
  Session session = changing({120, 40});
  plan::Plan plan = plan_of(session, {"n0031"}, 0);
  plan.nodes[0].steps[3].title = "nothing to worry about";
  Diary diary(plan);
  session.hear({RunsListed{{diary.head(RunState::parked, false)}}});
  session.press("J<enter>");
  session.hear({diary.told()});
  session.line_with("the journal calls 1 step otherwise than what it does");
  EXPECT_EQ(session.screen().find("nothing to worry about"), std::string::npos);
}

TEST(Journal, HarmThatWasNamedIsAcceptedByTypingAgainAndOnlyThat) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0031"}, 0));
  session.hear({RunsListed{{diary.head(RunState::parked, false)}}});
  session.hear({diary.told()});
  session.press("J<enter>rnn0031<enter>!");
  Error harm{std::string(plan::kUnnamedHarm), "88150 (carol) on GPU 0 1g.10gb@2", "accept that, or wait"};
  session.hear({RunRefused{diary.run, harm}});
  session.line_with("88150 (carol)");
  session.press("rbn0031<enter>!");
  EXPECT_FALSE(ordered<tui::ResumeRun>(session).accept_harm) << "another way was chosen";
  session.hear({RunRefused{diary.run, {"cannot resume the run", "the cluster cannot be read", ""}}});
  session.press("rbn0031<enter>!");
  EXPECT_FALSE(ordered<tui::ResumeRun>(session).accept_harm) << "that refusal named no one";
  session.hear({RunRefused{diary.run, harm}});
  session.press("rbn0031<enter>!");
  EXPECT_TRUE(ordered<tui::ResumeRun>(session).accept_harm);
}

// A second run would find the node marked and closed by the first one, and leave it closed.
TEST(Journal, ARunThatHasNotEndedIsTakenBackByTakingItUpAndNotByASecondRun) {
  for (RunState stopped : {RunState::parked, RunState::interrupted}) {
    Session session = changing({120, 40});
    Diary diary(plan_of(session, {"n0031"}, 0));
    session.hear({RunsListed{{diary.head(stopped, false)}}});
    session.hear({diary.told()});
    session.press("Jz");
    session.line_with("this run has not ended: r resumes it, and there b goes back");
    EXPECT_EQ(session.state.top().kind, ScreenKind::journal);
    EXPECT_FALSE(session.state.plan);
    session.press("rb");
    session.line_with("Type n0031 to arm");
  }
}

TEST(Journal, WhatCannotBeDoneSaysWhy) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0031"}, 0));
  RunHead elsewhere = diary.head(RunState::marked, false);
  elsewhere.who = "bob", elsewhere.from = "login2";
  session.hear({RunsListed{{elsewhere}}});
  session.press("Jz");
  session.line_with("its journal is not here but with bob on login2");
  session.press("<enter>");
  session.line_with("only its mark is known here: bob drives it from login2");
  session.press("p");
  session.line_with("this run is not under way");
  session.press("1");
  session.act(tui::Action::run_undo);
  session.line_with("this works on a run, or on its line in the journal");
}

TEST(Journal, ARunThatStoppedNeedsAttention) {
  Session session = changing({120, 40});
  Diary diary(plan_of(session, {"n0031"}, 0));
  session.hear({RunsListed{{diary.head(RunState::interrupted, false)}}});
  session.line_with("run " + diary.run + " was interrupted");
}

// They stood behind the keys of every run, and a narrow footer leaves out what stands last.
TEST(Running, TheAnswersToARunsQuestionStandFirstInTheFooter) {
  Session session = changing({80, 24});
  Diary diary(plan_of(session, {"n0031"}, 0));
  diary.through(1);
  diary.add("n0031", plan::Asked{plan::Ask::closed_by_other, "n0031 is closed already by root. Go on?"}, 5);
  session.state.runs.drove = true;
  session.hear({RunsListed{{diary.head(RunState::running)}}});
  session.hear({diary.told()});
  session.press("J<enter>");
  EXPECT_NE(session.screen().find("\n o go on  s stop here  "), std::string::npos) << session.screen();
}

}  // namespace
}  // namespace tessera::test
