// Each way from one state of a node's run to the next (the drawing in docs/apply.md), with its figures.
#include "engine/plan/run/executor.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using namespace plan;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// A step that says its word: done when the node's facts hold it.
Step says(const std::string& id, Conditions before = {}) {
  Step step;
  step.id = id;
  step.action = Special{"say", {{"word", id}}};
  step.before = std::move(before);
  step.after = {WordIs{id, "said"}};
  step.deadline = seconds(10);
  step.look_every = seconds(1);
  return step;
}
Step waits(const std::string& id, Conditions after) {
  Step step = says(id);
  step.action = LookOnly{};
  step.after = std::move(after);
  step.deadline = Duration{0};
  step.look_every = seconds(5);
  return step;
}
// A job on GPU 0, or none.
const ScopeEmpty kNobody{{{{GpuIndex{0}, {}}}}};

std::string text(const Next& next) {
  struct {
    std::string operator()(const Perform& act) const { return "act " + act.step; }
    std::string operator()(const Observe& look) const {
      return fmt::format("look after {}{}{}", look.after.count(), look.waiting_for.empty() ? "" : ": ",
                         look.waiting_for);
    }
    std::string operator()(const Question& question) const {
      return "ask " + std::string(word(question.what));
    }
    std::string operator()(const TurnBack& back) const { return "turn back: " + back.why; }
    std::string operator()(const Stopped& stopped) const { return "stopped: " + stopped.why; }
    std::string operator()(const Finished& finished) const {
      return "finished: " + std::string(word(finished.outcome));
    }
  } words;
  return std::visit(words, next);
}

class RunOfOneNode : public ::testing::Test {
 protected:
  RunOfOneNode() {
    facts.node = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
    facts.node.gpus[0].slices[0].holding = Holding::free;
  }
  void begin(std::vector<Step> steps, ChangeOptions options = {}, bool back = false) {
    NodePlan plan;
    plan.node = NodeName("n1");
    plan.steps = std::move(steps);
    executor.emplace(std::move(plan), options, "r1", back);
  }
  // One step orders something, the next one follows it until it is there or has failed; the order is out.
  void begin_an_order() {
    Step order = says("order"),
         follow = says("follow", {WordIs{"failure", "", false}, WordIs{"order", "said"}});
    follow.action = LookOnly{};
    begin({order, follow});
    facts.words["failure"] = "";
    say("order");
  }
  std::string turn(const Result<NodeFacts>* fresh) {
    Turn turn = executor->next(fresh, now);
    for (const RunEvent& event : turn.journal) {
      journal.push_back(to_sentence(event));
      events.push_back(event);
    }
    return text(turn.next);
  }
  std::string look() {
    facts.at = now;
    Result<NodeFacts> fresh = facts;
    return turn(&fresh);
  }
  std::string look_after(Duration pause) {
    now += pause;
    return look();
  }
  std::string returns(const Status& status) {
    events.push_back(executor->performed(status));
    return turn(nullptr);
  }
  std::string returns() { return returns(Done{}); }
  std::string fails(const std::string& why) { return returns(Error{"cannot say", why, ""}); }
  void note(RunEvent event) {
    executor->note(event);
    events.push_back(std::move(event));
  }
  void say(const std::string& id) { facts.words[id] = "said"; }
  void close_by(const std::string& who, const std::string& reason) {
    facts.closed = true, facts.closed_by = who, facts.closed_reason = reason;
    facts.closed_as = parse_mark(reason);
  }

  std::optional<Executor> executor;
  NodeFacts facts;
  TimePoint now = at(0);
  std::vector<std::string> journal;
  std::vector<RunEvent> events;
};

TEST_F(RunOfOneNode, AStepIsAnnouncedThenDoneThenReadBack) {
  begin({says("a"), says("b")});
  EXPECT_FALSE(executor->touched());
  EXPECT_EQ(turn(nullptr), "look after 0") << "nothing is done without a fresh look";
  EXPECT_EQ(look(), "act a");
  EXPECT_EQ(journal, std::vector<std::string>{"step a: say"});
  EXPECT_TRUE(executor->touched());
  EXPECT_EQ(returns(), "look after 0") << "what it claims is not what counts";
  EXPECT_EQ(look(), "look after 1000: a is not set, not said");
  say("a");
  EXPECT_EQ(look_after(seconds(1)), "act b");
  returns();
  say("b");
  EXPECT_EQ(look(), "finished: wanted");
  EXPECT_EQ(turn(nullptr), "finished: wanted") << "and never again";
}

TEST_F(RunOfOneNode, WhatIsSoAlreadyIsLeftOut) {
  begin({says("a"), says("b")});
  say("a");
  EXPECT_EQ(look(), "act b");
  EXPECT_EQ(journal.front(), "step a: already done");
}

// A run may stay parked for days: the admin must not have to wonder where an exporter has gone.
TEST_F(RunOfOneNode, WhereItParksItSaysWhatIsStoppedThere) {
  begin({says("a"), says("b")});
  facts.words["gpu-clients"] = "stopped";
  look();
  returns();
  note(Requested{Demand::cancel, "root", ""});
  say("a");
  EXPECT_EQ(look(), "stopped: cancelled by an admin");
  EXPECT_NE(executor->stopped()->place.find("GPU clients are stopped"), std::string::npos)
      << executor->stopped()->place;
}

TEST_F(RunOfOneNode, ASuccessThatIsNotSeenIsTriedAgainThenGivenUp) {
  Step step = says("a");
  step.retry = {1, seconds(2), seconds(30)};
  begin({step});
  look();
  returns();
  EXPECT_EQ(look_after(seconds(9)), "look after 1000: a is not set, not said");
  EXPECT_EQ(look_after(seconds(1)), "look after 2000: after 10 s a is not set, not said");
  EXPECT_EQ(look_after(seconds(2)), "act a");
  EXPECT_EQ(journal.back(), "step a: say, attempt 2");
  returns();
  look();
  EXPECT_EQ(look_after(seconds(10)), "stopped: after 10 s a is not set, not said");
  EXPECT_EQ(journal.back(), "parked: after 10 s a is not set, not said; n1 is open");
}

TEST_F(RunOfOneNode, ErrorsArePausedUponLongerEachTimeUpToALimit) {
  Step step = says("a");
  step.retry = {5, seconds(2), seconds(20)};
  begin({step});
  look();
  for (int pause : {2, 4, 8, 16, 20}) {
    EXPECT_EQ(fails("in use"), "look after 0");
    EXPECT_EQ(look(), fmt::format("look after {}: cannot say: in use", pause * 1000));
    // Looking earlier does not shorten the pause.
    EXPECT_EQ(look_after(seconds(1)), fmt::format("look after {}", (pause - 1) * 1000));
    EXPECT_EQ(look_after(seconds(pause - 1)), "act a");
  }
  fails("in use");
  EXPECT_EQ(look(), "stopped: cannot say: in use");
}

TEST_F(RunOfOneNode, AnErrorWhoseEffectIsThereIsASuccess) {
  begin({says("a")});
  look();
  fails("connection lost");
  say("a");
  EXPECT_EQ(look(), "finished: wanted");
}

TEST_F(RunOfOneNode, APreconditionThatStoppedToHoldLeadsBackToItsStep) {
  Step second = says("b", {WordIs{"a", "said"}});
  second.retry = {1, seconds(2), seconds(2)};
  begin({says("a"), second});
  say("a");
  EXPECT_EQ(look(), "act b");
  fails("a was unsaid");
  look();
  facts.words.clear();
  EXPECT_EQ(look_after(seconds(2)), "act a");
  EXPECT_NE(std::find(journal.begin(), journal.end(), "back from step b to a: a is not set, not said"),
            journal.end());
}

TEST_F(RunOfOneNode, GoingBackAgainAndAgainIsGivenUp) {
  begin({says("a"), says("b", {WordIs{"a", "said"}})});
  constexpr int kMostRewinds = 8;
  for (int i = 0; i < kMostRewinds; ++i) {
    executor->note(StepDone{"a", false});
    ASSERT_EQ(look(), "act a") << i;
  }
  executor->note(StepDone{"a", false});
  EXPECT_EQ(look(), "stopped: again and again: a is not set, not said");
  note(Resumed{"root", "login1"});
  executor->note(StepDone{"a", false});
  EXPECT_EQ(look(), "act a") << "whoever takes it up starts to count again";
}

TEST_F(RunOfOneNode, WhatMayComeByItselfIsWaitedForTenMinutes) {
  begin({says("a", {WordIs{"daemon", "up"}})});
  EXPECT_EQ(look(), "look after 1000: daemon is not set, not up");
  std::size_t lines = journal.size();
  for (int i = 0; i < 9; ++i) EXPECT_EQ(look_after(minutes(1)), "look after 1000: daemon is not set, not up");
  EXPECT_EQ(journal.size(), lines) << "one reason is written once";
  EXPECT_EQ(look_after(minutes(1)), "stopped: daemon is not set, not up");
}

TEST_F(RunOfOneNode, WhatNeverComesByItselfIsNotWaitedFor) {
  begin({says("a", {MarkIsOurs{}})});
  EXPECT_EQ(look(), "stopped: tessera's mark is not on the node");
}

TEST_F(RunOfOneNode, ANodeThatAnotherUserClosedIsAskedAbout) {
  Step close = says("close");
  close.action = CloseNode{"words"};
  close.after = {NodeClosed{}};
  begin({close, says("a")});
  close_by("ops", "fan failure");
  EXPECT_EQ(look(), "ask closed-by-other");
  EXPECT_EQ(executor->asked(), Ask::closed_by_other);
  EXPECT_EQ(turn(nullptr), "ask closed-by-other") << "it waits for an answer";
  Executor before = *executor;

  note(Answered{Ask::closed_by_other, true, "root"});
  EXPECT_EQ(look(), "act a");
  returns();
  say("a");
  EXPECT_EQ(look(), "finished: wanted");
  EXPECT_NE(journal.back().find("left closed, since that is not ours: fan failure"), std::string::npos);

  executor = before;
  note(Answered{Ask::closed_by_other, false, "root"});
  EXPECT_EQ(turn(nullptr), "stopped: cancelled by an admin");
}

// Where the drain's reason is the mark, another's drain takes both; setting a mark beside it would go on
// under it.
TEST_F(RunOfOneNode, ANodeThatAnotherUserClosesMeanwhileIsAskedAboutBeforeItIsMarkedAgain) {
  Step close = says("close"), mark = says("mark");
  close.action = CloseNode{"words"};
  close.after = {NodeClosed{}};
  mark.action = SetMark{};
  mark.after = {MarkIsOurs{}};
  begin({close, mark, says("a", {MarkIsOurs{}, NodeClosed{}})});
  close_by("root", "tessera r1 root@ctl: words");
  facts.mark = facts.closed_as;
  EXPECT_EQ(look(), "act a");
  returns(Error{"cannot say", "busy", ""});
  close_by("ops", "fan failure");
  facts.mark.reset();
  EXPECT_EQ(look_after(seconds(1)), "stopped: cannot say: busy") << "no attempt is left";
  note(Resumed{"root", "ctl"});
  EXPECT_EQ(look(), "ask closed-by-other");
  note(Answered{Ask::closed_by_other, false, "root"});
  EXPECT_EQ(turn(nullptr), "stopped: cancelled by an admin");
}

// Two runs that begin in one minute on two machines have the same name.
TEST_F(RunOfOneNode, AMarkOfOurNameByAnotherIsForeignAndByWhoeverDroveTheRunItIsOurs) {
  Step mark = says("mark", {NoForeignMark{}});
  mark.action = SetMark{};
  mark.after = {MarkIsOurs{}};
  Step open = says("open");
  open.action = OpenNode{};
  open.after = {NotClosedByUs{}};
  begin({mark, open});
  executor->driven_by("CORP\\root", "ctl");
  facts.mark = RunMark{"r1", "eve", "login2", at(-60)};
  EXPECT_EQ(look(), "ask marked-by-other");
  begin({mark, open});
  executor->driven_by("CORP\\root", "ctl");
  facts.mark = RunMark{"r1", "CORP_root", "ctl", at(-60)};
  close_by("eve", "tessera r1 eve@login2: hers");
  EXPECT_EQ(look(), "finished: wanted") << "what she has closed is not opened";
  begin({mark, says("a")});
  executor->driven_by("CORP\\root", "ctl");
  executor->driven_by("eve", "login2");  // took it up
  facts.mark = RunMark{"r1", "eve", "login2", at(-60)};
  EXPECT_EQ(look(), "act a");
}

TEST_F(RunOfOneNode, AForeignMarkIsBrokenOnlyWhenThatIsAnswered) {
  Step mark = says("mark", {NoForeignMark{}});
  mark.action = SetMark{};
  mark.after = {MarkIsOurs{}};
  begin({mark});
  facts.mark = RunMark{"r9", "eve", "login2", at(-60)};
  EXPECT_EQ(look(), "ask marked-by-other");
  note(Answered{Ask::marked_by_other, true, "root"});
  Result<NodeFacts> fresh = facts;
  Turn next = executor->next(&fresh, now);
  ASSERT_TRUE(std::holds_alternative<Perform>(next.next));
  EXPECT_TRUE(std::get<SetMark>(std::get<Perform>(next.next).action).break_lock);
}

TEST_F(RunOfOneNode, RequestsActBetweenTwoSteps) {
  begin({says("a"), says("b")});
  look();
  note(Requested{Demand::cancel, "root", ""});
  EXPECT_EQ(returns(), "look after 0") << "what was begun is seen through";
  EXPECT_EQ(look(), "look after 1000: a is not set, not said");
  say("a");
  EXPECT_EQ(look_after(seconds(1)), "stopped: cancelled by an admin");
  note(Resumed{"root", "login2"});
  EXPECT_EQ(look(), "act b") << "resumed, it is not cancelled any more";

  begin({waits("w", {WordIs{"w", "said"}})});
  look();
  note(Requested{Demand::pause, "root", "the terminal went away"});
  EXPECT_EQ(turn(nullptr), "stopped: the terminal went away") << "waiting is an edge all the time";
}

TEST_F(RunOfOneNode, TurningBackAsksForAPlanAndParkingEndsThat) {
  begin({says("a")});
  note(Requested{Demand::turn_back, "root", ""});
  EXPECT_EQ(turn(nullptr), "turn back: an admin asked for it");
  note(Parked{"no way back", "n1 is open"});
  EXPECT_EQ(turn(nullptr), "stopped: no way back");
}

TEST_F(RunOfOneNode, AFailureTurnsBackWhereThatIsWantedAndOnlyOnce) {
  ChangeOptions options;
  options.on_failure = OnFailure::undo;
  begin({says("a")}, options);
  look();
  fails("broken");
  EXPECT_EQ(look(), "turn back: cannot say: broken");
  begin({says("a")}, options, true);
  look();
  fails("broken");
  EXPECT_EQ(look(), "stopped: cannot say: broken") << "the way back does not turn back";
  note(Resumed{"root", "login1"});
  say("a");
  EXPECT_EQ(look(), "finished: recorded");
}

TEST_F(RunOfOneNode, KilledBetweenItsFailureAndThePlanBackItGoesBack) {
  ChangeOptions options;
  options.on_failure = OnFailure::undo;
  begin({says("a")}, options);
  look();
  fails("broken");
  look();
  Executor again(executor->plan(), options, "r1", false);
  for (const RunEvent& event : events) again.note(event);
  again.note(Resumed{"root", "login2"});
  Result<NodeFacts> fresh = facts;
  EXPECT_EQ(text(again.next(&fresh, now).next), "turn back: cannot say: broken");
  // Parked since, whoever resumes it was told, and carries it on.
  again.note(Parked{"cannot plan the way back", "n1 is open"});
  again.note(Resumed{"root", "login2"});
  EXPECT_EQ(text(again.next(&fresh, now).next), "act a");
}

TEST_F(RunOfOneNode, KilledBetweenADemandToTurnBackAndThePlanItGoesBack) {
  begin({says("a")});
  look();
  note(Requested{Demand::turn_back, "root", ""});
  note(Resumed{"root", "login2"});
  EXPECT_EQ(look(), "turn back: an admin asked for it");
}

TEST_F(RunOfOneNode, ANodeOfWhichNothingWasChangedIsNotSaidToBeReadBack) {
  NodePlan plan;
  plan.node = NodeName("n1");
  plan.only_given_back = true;
  executor.emplace(plan, ChangeOptions{}, "r1", true);
  Turn turn = executor->next(nullptr, now);
  ASSERT_TRUE(std::holds_alternative<Finished>(turn.next));
  EXPECT_EQ(std::get<Finished>(turn.next).text,
            "n1: given back as it stands, this run has changed nothing of its layout");
}

TEST_F(RunOfOneNode, AClockThatIsSetPassesNoDeadline) {
  begin({says("a")});
  look();
  returns();
  look();
  EXPECT_EQ(look_after(-hours(5)), "look after 1000: a is not set, not said");
  EXPECT_EQ(journal.back(), "the clock went back by 18000 s");
  Step slow = says("b");
  slow.deadline = minutes(5);
  begin({slow});
  look();
  returns();
  look();
  // A leap counts as what was asked for and a minute more, no longer.
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(look_after(hours(50)), "look after 1000: b is not set, not said") << i;
  EXPECT_EQ(look_after(hours(50)), "stopped: after 300 s b is not set, not said");
}

TEST_F(RunOfOneNode, AClusterThatCannotBeReadIsAskedLessAndLess) {
  begin({says("a")});
  Result<NodeFacts> blind = Error{"cannot read the cluster", "connection refused", ""};
  for (int pause : {2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30, 30})
    EXPECT_EQ(turn(&blind),
              fmt::format("look after {}: the cluster cannot be read: connection refused", pause * 1000));
  EXPECT_EQ(turn(&blind), "stopped: the cluster cannot be read: cannot read the cluster: connection refused");
  note(Resumed{"root", "login1"});
  EXPECT_EQ(look(), "act a");
}

TEST_F(RunOfOneNode, AsksToBeResumedInsteadOfWaitingForAnEmptyNode) {
  ChangeOptions options;
  options.when_empty = true;
  begin({waits("w", {kNobody}), says("a")}, options);
  facts.node.gpus[0].slices[0].told_held = true;
  std::string stopped = look();
  EXPECT_TRUE(stopped.starts_with("stopped: waits until n1 is empty (")) << stopped;
  EXPECT_TRUE(stopped.ends_with("); go on with: tessera resume r1")) << stopped;
  EXPECT_EQ(executor->stopped()->until, Until::empty);
  note(Resumed{"timer", "login1"});
  EXPECT_TRUE(look().starts_with("stopped: waits until")) << "it looks again, and parks again";
  note(Resumed{"timer", "login1"});
  facts.node.gpus[0].slices[0].told_held = false;
  EXPECT_EQ(look(), "act a");

  // Without that wish it waits here, however long that takes.
  begin({waits("w", {kNobody}), says("a")});
  facts.node.gpus[0].slices[0].told_held = true;
  look();
  for (int day = 0; day < 7; ++day) EXPECT_TRUE(look_after(hours(24)).starts_with("look after 5000"));
}

TEST_F(RunOfOneNode, AsksToBeResumedInsteadOfWaitingForATime) {
  Step step = waits("w", {kNobody});
  step.not_before = at(3600);
  begin({step, says("a")});
  EXPECT_EQ(look(), "stopped: waits until 2027-01-15T09:00:00.000Z; go on with: tessera resume r1");
  EXPECT_EQ(executor->stopped()->until, Until::time);
  now = at(3599);
  note(Resumed{"timer", "login1"});
  EXPECT_TRUE(look().starts_with("stopped: waits until")) << "a timer that is early finds it parked";
  now = at(3600);
  note(Resumed{"timer", "login1"});
  EXPECT_EQ(look(), "act a");
}

// A simulated cluster, or one whose clock is another than ours: the time was given in the cluster's.
TEST_F(RunOfOneNode, TheTimeThatIsWaitedForIsTheClusters) {
  Step step = waits("w", {kNobody});
  step.not_before = at(3600);
  begin({step, says("a")});
  now = at(7200), facts.at = at(60);
  Result<NodeFacts> behind = facts;
  EXPECT_TRUE(turn(&behind).starts_with("stopped: waits until"));
  note(Resumed{"timer", "login1"});
  now = at(120), facts.at = at(3600);
  Result<NodeFacts> there = facts;
  EXPECT_EQ(turn(&there), "act a");
}

TEST_F(RunOfOneNode, TheEventsAloneTellWhereItStands) {
  Step first = says("a");
  first.retry = {3, seconds(2), seconds(30)};
  begin({first, says("b", {WordIs{"a", "said"}})});
  look();
  fails("in use");
  look();
  look_after(seconds(2));
  returns();
  say("a");
  look();
  Executor again(executor->plan(), {}, "r1", false);
  for (const RunEvent& event : events) again.note(event);
  EXPECT_EQ(again.step(), executor->step());
  EXPECT_EQ(again.touched(), executor->touched());
  again.note(Resumed{"root", "login2"});
  Result<NodeFacts> fresh = facts;
  EXPECT_EQ(text(again.next(&fresh, now).next), "act b") << "what was under way is begun again";
}

// A label says that the order failed, and goes on saying so: only the order itself takes it away.
TEST_F(RunOfOneNode, AFailureThatWasToldIsOrderedAgainWhenItIsTakenUp) {
  begin_an_order();
  EXPECT_EQ(look(), "look after 1000: follow is not set, not said");
  facts.words["order"] = "said, which failed";
  facts.words["failure"] = "no such profile";
  EXPECT_EQ(look(), "stopped: no such profile");
  note(Resumed{"root", "login2"});
  EXPECT_EQ(look(), "act order") << "whoever resumes was told of it";
  returns();
  EXPECT_EQ(look(), "look after 1000: order is said, which failed, not said");
  say("order");
  EXPECT_EQ(look_after(seconds(1)), "stopped: no such profile") << "a second one stops it";
  facts.words["failure"] = "";
  note(Resumed{"root", "login2"});
  EXPECT_EQ(look(), "look after 1000: follow is not set, not said");
}

TEST_F(RunOfOneNode, AFailureThatTheAdminWasNotShownStopsItFirst) {
  begin_an_order();
  look();
  note(Resumed{"root", "login2"});  // it was killed, not failed
  facts.words["order"] = "said, which failed";
  facts.words["failure"] = "no such profile";
  EXPECT_EQ(look(), "stopped: no such profile");
}

// ── what a look has to tell ───────────────────────────────────────────────────────────────────────────────

using Words = std::set<std::string>;

Words words(const Turn& turn) {
  const auto* look = std::get_if<Observe>(&turn.next);
  return look ? look->words : Words{"not a look"};
}

TEST_F(RunOfOneNode, ALookIsAskedForTheWordsThatItsStepReadsAndForThoseOfTheNextAct) {
  Step settled = waits("settled", {WordIs{"settled", "said"}});
  begin({waits("empty", {kNobody}), says("cut"), settled, says("write", {WordIs{"elsewhere", ""}}),
         says("open")});
  EXPECT_EQ(words(executor->next(nullptr, now)), Words{"cut"}) << "an act may follow from it";
  facts.node.gpus[0].slices[0].holding = Holding::held;
  Result<NodeFacts> fresh = facts;
  EXPECT_EQ(words(executor->next(&fresh, now)), Words{}) << "what it waits for may take hours";
  facts.node.gpus[0].slices[0].holding = Holding::free;
  now += seconds(5);
  EXPECT_EQ(look(), "act cut");
  executor->performed(Done{});
  EXPECT_EQ(words(executor->next(nullptr, now)), (Words{"cut", "settled", "write", "elsewhere"}));
}

// Whether it could begin again is asked when it has to: a look costs the cluster a call for each word.
TEST_F(RunOfOneNode, AnActThatWasBegunReadsItsEffectAlone) {
  Step act = says("reconfigure", {WordIs{"elsewhere", ""}});
  act.retry.times = 1;
  begin({act});
  facts.words["elsewhere"] = "";
  turn(nullptr);
  EXPECT_EQ(look(), "act reconfigure");
  executor->performed(Error{"it", "was refused", ""});
  EXPECT_EQ(words(executor->next(nullptr, now)), Words{"reconfigure"});
  facts.left_out = {"elsewhere"};
  Result<NodeFacts> fresh = facts;
  EXPECT_EQ(words(executor->next(&fresh, now)), (Words{"elsewhere", "reconfigure"}))
      << "it has failed: its precondition counts again before the next attempt";
}

TEST_F(RunOfOneNode, ALookThatLeftOutWhatTheNextStepReadsIsTakenAgainBeforeTheAct) {
  begin({waits("empty", {kNobody}), says("write", {WordIs{"elsewhere", ""}})});
  facts.node.gpus[0].slices[0].holding = Holding::held;
  turn(nullptr);
  look();
  facts.node.gpus[0].slices[0].holding = Holding::free;
  facts.left_out = {"elsewhere"};
  now += seconds(5);
  EXPECT_EQ(look(), "look after 0") << "it was asked for who is there only";
  facts.left_out.clear();
  facts.words["elsewhere"] = "n2 was edited";
  EXPECT_NE(look().find("n2 was edited"), std::string::npos) << "and not what a look before that said";
  facts.words["elsewhere"] = "";
  EXPECT_EQ(look_after(seconds(5)), "act write");
}

// An actuator that leaves out what it was asked for: its step stands, and nothing is done.
TEST_F(RunOfOneNode, AWordThatIsLeftOutIsNeverJudgedEvenWhereItStands) {
  begin({says("write", {WordIs{"elsewhere", ""}})});
  turn(nullptr);
  facts.words["elsewhere"] = "";
  facts.left_out = {"elsewhere"};
  EXPECT_NE(look().find("elsewhere was not read"), std::string::npos);
  facts.left_out.clear();
  EXPECT_EQ(look_after(minutes(1)), "act write");
}

}  // namespace
}  // namespace tessera::test
