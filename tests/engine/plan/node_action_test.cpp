// Closing a node for good and opening it again: planned, driven with a death after every line, undone; and
// what another user has closed stays closed.
#include "engine/plan/node_action.hpp"

#include <gtest/gtest.h>

#include "engine/plan/effect/moved.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/plan_node_action.hpp"
#include "engine/plan/run/undo.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/drive.hpp"
#include "tests/engine/plan/expect_allowed.hpp"

namespace tessera::test {
namespace {

using namespace plan;

Intent intent_for(NodeAction action, std::vector<std::string> nodes = {"n1"}) {
  Intent intent;
  intent.cluster = ClusterName("hpc");
  for (const std::string& name : nodes) intent.nodes.emplace_back(name);
  intent.words = to_text(action, Scheduler::slurm);
  intent.orders = orders_of(action);
  return intent;
}
NodeAction closing(std::string reason) {
  NodeAction action;
  action.reason = std::move(reason);
  return action;
}
NodeAction opening(std::set<std::string> of_runs, bool over_others = false) {
  NodeAction action;
  action.verb = NodeVerb::open;
  action.of_runs = std::move(of_runs);
  action.over_others = over_others;
  return action;
}

Node drained(const std::string& name, std::string reason, std::string by = "") {
  Node one = node(name, {uncut(0, 0)});
  one.state = {"IDLE", "DRAIN"};
  one.health = Health::drained;
  one.reason = std::move(reason);
  one.reason_by = std::move(by);
  return one;
}

class NodeActions : public testing::Test {
 protected:
  Result<Plan> planned(const Intent& intent, const Capabilities& can = simulator_capabilities()) const {
    return make_plan(story.cluster(), catalogue(), intent, can, {}, at(0));
  }
  void tell(std::vector<Node> nodes) { story.tell(NodesListed{std::move(nodes)}); }
  static std::string refusal(const Result<Plan>& plan) { return plan ? "planned" : to_line(plan.error()); }
  Story story;
};

TEST_F(NodeActions, AnOpenNodeIsClosedByOneStepThatReadsTheReasonBack) {
  tell({node("n1", {uncut(0, 0)})});
  auto made = planned(intent_for(closing("fans are loud")), slurm_capabilities());
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  ASSERT_EQ(made->nodes.at(0).steps.size(), 1u);
  const Step& step = made->nodes[0].steps[0];
  EXPECT_EQ(step.title, "drain n1 until it is resumed");
  EXPECT_EQ(step.commands.at(0),
            "scontrol update NodeName=n1 State=DRAIN Reason=\"fans are loud (tessera RUN WHO@HOST)\"");
  EXPECT_EQ(step.after, Conditions{WordIs({std::string(kClosedForWord), "fans are loud"})});
  EXPECT_TRUE(made->nodes[0].blast_radius.empty());
  expect_allowed(*made);
}

TEST_F(NodeActions, WithoutAReasonNothingIsClosed) {
  tell({node("n1", {uncut(0, 0)})});
  EXPECT_NE(refusal(planned(intent_for(closing("")))).find("a reason is missing"), std::string::npos);
  EXPECT_NE(refusal(planned(intent_for(closing("bad\x1b[31m")))).find("characters"), std::string::npos);
  EXPECT_NE(refusal(planned(intent_for(closing(std::string(400, 'x'))))).find("longer"), std::string::npos);
}

TEST_F(NodeActions, WhatAnotherUserHasClosedIsOpenedOnlyKnowingly) {
  tell({drained("n1", "bad ECC", "alice")});
  const std::string why = refusal(planned(intent_for(opening({"r1"}))));
  EXPECT_NE(why.find("closed by alice: bad ECC"), std::string::npos) << why;
  EXPECT_NE(why.find("over-others"), std::string::npos) << why;
  auto knowingly = planned(intent_for(opening({}, true)));
  ASSERT_TRUE(knowingly.ok()) << to_line(knowingly.error());
  ASSERT_EQ(knowingly->notices.size(), 1u);
  EXPECT_EQ(knowingly->notices[0].severity, Severity::danger);
  EXPECT_NE(knowingly->notices[0].text.find("alice: bad ECC"), std::string::npos);
  expect_allowed(*knowingly);
}

TEST_F(NodeActions, WhatSlurmOperatorHasDrainedIsNotOpenedEvenKnowingly) {
  tell({drained("n1", "slurm-operator: Node (m1) was cordoned", "slurm")});
  const std::string why = refusal(planned(intent_for(opening({}, true)), slurm_capabilities()));
  EXPECT_NE(why.find("slurm-operator has drained it, and opens it again by itself"), std::string::npos)
      << why;
  tell({drained("n1", "not by slurm-operator: fan", "ops")});
  EXPECT_EQ(refusal(planned(intent_for(opening({}, true)), slurm_capabilities())), "planned");
}

TEST_F(NodeActions, WhatARunFromHereHasClosedIsOpenedAtOnce) {
  tell({drained("n1", "fans are loud (tessera r1 root@login1)", "root")});
  auto made = planned(intent_for(opening({"r1"})));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  EXPECT_TRUE(made->notices.empty());
  EXPECT_FALSE(planned(intent_for(opening({"r2"}))).ok());
}

TEST_F(NodeActions, ANodeThatARunIsChangingIsNeitherClosedNorOpenedUnasked) {
  tell({drained("n1", "tessera r7 bob@login2: 7x1g.10gb", "bob")});
  EXPECT_NE(refusal(planned(intent_for(closing("firmware")))).find("run r7 of bob"), std::string::npos);
  EXPECT_NE(refusal(planned(intent_for(opening({"r7"})))).find("run r7 of bob"), std::string::npos);
}

TEST_F(NodeActions, ANodeThatIsDownIsNotOpened) {
  Node down = node("n1", {uncut(0, 0)});
  down.state = {"DOWN", "NOT_RESPONDING"};
  down.health = Health::down;
  down.reason = "Node unexpectedly rebooted";
  tell({down});
  EXPECT_NE(refusal(planned(intent_for(opening({}, true)))).find("unexpectedly rebooted"), std::string::npos);
}

TEST_F(NodeActions, WhatIsSoAlreadyHasNoSteps) {
  tell({drained("n1", "bad ECC", "alice"), node("n2", {uncut(0, 0)})});
  auto closed = planned(intent_for(closing("firmware")));
  ASSERT_TRUE(closed.ok());
  EXPECT_FALSE(closed->changes_anything());
  EXPECT_EQ(closed->notices.at(0).text, "closed already by alice: bad ECC");
  auto open = planned(intent_for(opening({}), {"n2"}));
  ASSERT_TRUE(open.ok());
  EXPECT_FALSE(open->changes_anything());
}

TEST_F(NodeActions, APlanIsRefusedOnceTheNodeIsClosedForAnotherReason) {
  tell({drained("n1", "fans are loud (tessera r1 root@login1)")});
  auto made = planned(intent_for(opening({"r1"})));
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(what_moved(*made, story.cluster()).empty());
  tell({drained("n1", "bad ECC", "alice")});
  EXPECT_FALSE(may_apply(what_moved(*made, story.cluster())));
}

TEST_F(NodeActions, APlanFileKeepsTheWish) {
  tell({node("n1", {uncut(0, 0)})});
  auto made = planned(intent_for(closing("fans, \"loud\" ones")));
  ASSERT_TRUE(made.ok());
  auto read = parse_plan(to_document(*made), "p.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->intent, made->intent);
  auto again = planned(read->intent);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(why_not_as_made(*read, *again));
}

TEST_F(NodeActions, AJournalThatOpensWhatItWasNotToldToIsNotCarriedOn) {
  tell({node("n1", {uncut(0, 0)})});
  Plan made = planned(intent_for(closing("firmware"))).value();
  Step& step = made.nodes[0].steps[0];
  step.action = reopen("bad ECC");
  step.before.push_back(WordIs{std::string(kClosedWord), "bad ECC", false});
  step.after = {WordIs{std::string(kClosedWord), ""}};
  EXPECT_TRUE(why_not_allowed(made.nodes[0], made.intent, made.means()));
  // In a plan for a layout, too.
  made.intent = wants("7g.80gb");
  EXPECT_TRUE(why_not_allowed(made.nodes[0], made.intent, made.means()));
}

// touched: where a step has begun.
plan::Run ended(const Plan& plan, const std::vector<std::string>& touched) {
  RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
  plan::Run run = run_of(started);
  for (const std::string& name : touched) run.begun[NodeName(name)].insert("reopen");
  return run;
}

TEST_F(NodeActions, AnUndoOpensWhatTheRunHasClosedAndNothingElse) {
  tell({node("n1", {uncut(0, 0)}), drained("n2", "bad ECC", "alice")});
  const plan::Run run = ended(planned(intent_for(closing("firmware"), {"n1", "n2"})).value(), {"n1"});
  tell({drained("n1", "firmware (tessera r1 root@login1)", "root"), drained("n2", "bad ECC", "alice")});
  auto back = plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_EQ(back->nodes.size(), 1u);
  EXPECT_EQ(back->nodes[0].node, NodeName("n1"));
  EXPECT_EQ(back->undoes, "r1");
  expect_allowed(*back);
  // Closed by another since: that is not the run's to open.
  tell({drained("n1", "do not touch", "alice")});
  EXPECT_FALSE(plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1)).ok());
}

TEST_F(NodeActions, AnUndoClosesEachNodeForTheReasonThatItHad) {
  tell({drained("n1", "bad ECC", "alice"), drained("n2", "firmware (tessera r0 root@login1)", "root")});
  const plan::Run run = ended(planned(intent_for(opening({}, true), {"n1", "n2"})).value(), {"n1", "n2"});
  tell({node("n1", {uncut(0, 0)}), node("n2", {uncut(0, 0)})});
  auto back = plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_EQ(back->nodes.size(), 2u);
  EXPECT_EQ(back->nodes[0].steps.at(0).action, Action(keep_closed("bad ECC")));
  EXPECT_EQ(back->nodes[1].steps.at(0).action, Action(keep_closed("firmware")));
  expect_allowed(*back);
}

TEST_F(NodeActions, AnUndoLeavesNodesAloneThatTheRunNeverTouched) {
  tell({drained("n1", "a (tessera r0 root@login1)", "root"),
        drained("n2", "a (tessera r0 root@login1)", "root")});
  const plan::Run run = ended(planned(intent_for(opening({"r0"}), {"n1", "n2"})).value(), {"n1"});
  tell({node("n1", {uncut(0, 0)}), node("n2", {uncut(0, 0)})});  // an admin has opened n2 by hand
  auto back = plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_EQ(back->nodes.size(), 1u);
  EXPECT_EQ(back->nodes[0].node, NodeName("n1"));
  EXPECT_FALSE(plan_undo(ended(run.started.plan, {}), story.cluster(), catalogue(), simulator_capabilities(),
                         {}, at(1))
                   .ok());
}

TEST_F(NodeActions, AnUndoLeadsTheOtherNodesBackWhereOneCannotBe) {
  tell({node("n1", {uncut(0, 0)}), node("n2", {uncut(0, 0)}), node("n3", {uncut(0, 0)})});
  const plan::Run run =
      ended(planned(intent_for(closing("firmware"), {"n1", "n2", "n3"})).value(), {"n1", "n2", "n3"});
  tell({drained("n1", "firmware (tessera r1 root@login1)", "root"), drained("n2", "do not touch", "alice")});
  auto back = plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_EQ(back->nodes.size(), 1u);
  EXPECT_EQ(back->nodes[0].node, NodeName("n1"));
  ASSERT_EQ(back->notices.size(), 2u) << "not one about n1, which is as the run left it";
  EXPECT_EQ(back->notices[0].node, NodeName("n2"));
  EXPECT_NE(back->notices[0].text.find("do not touch"), std::string::npos) << back->notices[0].text;
  EXPECT_EQ(back->notices[1].node, NodeName("n3"));
  expect_allowed(*back);
}

TEST_F(NodeActions, AnUndoThatTurnsRoundBeginsNoFurtherNode) {
  tell({node("n1", {uncut(0, 0)}), node("n2", {uncut(0, 0)})});
  const plan::Run run = ended(planned(intent_for(closing("firmware"), {"n1", "n2"})).value(), {"n1", "n2"});
  const std::string reason = "firmware (tessera r1 root@login1)";
  tell({drained("n1", reason, "root"), drained("n2", reason, "root")});
  RunStarted started;
  started.run = "r2", started.who = "root", started.from = "login1", started.undoes = "r1";
  started.plan = plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1)).value();
  plan::Run undo = run_of(started);
  EXPECT_EQ(nodes_to_begin(undo).size(), 1u);
  // An admin goes back to what the undo found on n1.
  auto back =
      plan_onward(undo, NodeName("n1"), story.cluster(), catalogue(), {}, true, at(2), nullptr, nullptr);
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_TRUE(note(undo, {0, at(2), NodeName("n1"), Replanned{std::move(*back), true, "root"}}).ok());
  NodeFinished end;
  end.outcome = Outcome::recorded;
  ASSERT_TRUE(note(undo, {0, at(2), NodeName("n1"), end}).ok());
  EXPECT_EQ(stage_of(undo, NodeName("n1")), NodeStage::failed);
  EXPECT_TRUE(nodes_to_begin(undo).empty());
  EXPECT_EQ(summary(undo).back, std::vector<NodeName>{NodeName("n1")});
}

TEST_F(NodeActions, AnUndoSaysWhereAnotherHasClosedTheNodeSince) {
  tell({drained("n1", "a (tessera r0 root@login1)", "root")});
  const plan::Run run = ended(planned(intent_for(opening({"r0"}))).value(), {"n1"});
  tell({drained("n1", "bad ECC", "alice")});
  auto back = plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  EXPECT_FALSE(back->changes_anything());
  EXPECT_TRUE(std::any_of(back->notices.begin(), back->notices.end(), [](const Notice& one) {
    return one.text.find("another user has closed n1 since: bad ECC") != std::string::npos;
  }));
}

TEST_F(NodeActions, AnUndoRepeatsALongReasonOfAnotherAndNoneThatWasNeverGiven) {
  const std::string reason(2000, 'x');
  tell({drained("n1", reason, "alice"), drained("n2", "", ""),
        drained("n3", "tessera r7 bob@login2: 7x1g", "bob")});
  Intent wish = intent_for(opening({}, true), {"n1", "n2", "n3"});
  wish.options.break_lock = true;
  const plan::Run run = ended(planned(wish).value(), {"n1", "n2", "n3"});
  tell({node("n1", {uncut(0, 0)}), node("n2", {uncut(0, 0)}), node("n3", {uncut(0, 0)})});
  auto back = plan_undo(run, story.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_EQ(back->nodes.size(), 3u);
  EXPECT_TRUE(back->notices.empty()) << back->notices.front().text;
  const auto words = [&](std::size_t at) {
    return argument_of(std::get<Special>(back->nodes.at(at).steps.at(0).action), "words");
  };
  EXPECT_TRUE(words(0).starts_with("xxx") && words(0).size() <= 300) << words(0);
  EXPECT_EQ(words(1), "closed before, and no reason was given");
  EXPECT_EQ(words(2), "run r7 of bob had closed it");
  expect_allowed(*back);
}

TEST_F(NodeActions, ANodeThatWasClosedWithoutAReasonIsOpenedByAStep) {
  tell({drained("n1", "", "")});
  auto made = planned(intent_for(opening({}, true)));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const Step& step = made->nodes.at(0).steps.at(0);
  NodeFacts facts;
  facts.node = *story.cluster().nodes.find(NodeName("n1"));
  facts.closed = true;
  tell_closed(facts);
  EXPECT_FALSE(first_unmet(step.before, facts, "r1"));
  EXPECT_TRUE(first_unmet(step.after, facts, "r1")) << "still closed: nothing has been done";
  const Special act = std::get<Special>(step.action);
  auto left = reason_after(act, NodeName("n1"), {}, reason_now(act, facts));
  ASSERT_TRUE(left.ok()) << to_line(left.error());
  EXPECT_EQ(*left, std::optional<std::string>(""));
  EXPECT_FALSE(
      reason_after(keep_closed("firmware"), NodeName("n1"), {}, reason_now(keep_closed("x"), facts)));
  expect_allowed(*made);
}

TEST_F(NodeActions, ANodeThatIsToBeSwitchedOffIsNotTakenForClosed) {
  Node leaving = node("n1", {uncut(0, 0)});
  leaving.state = {"ALLOCATED", "POWER_DOWN"};
  leaving.health = Health::draining;
  tell({leaving});
  auto closes = planned(intent_for(closing("firmware")));
  ASSERT_TRUE(closes.ok()) << to_line(closes.error());
  EXPECT_EQ(closes->nodes.at(0).steps.size(), 1u);
  EXPECT_NE(refusal(planned(intent_for(opening({}, true)))).find("ALLOCATED+POWER_DOWN"), std::string::npos);
}

TEST_F(NodeActions, ANodeOfUnknownStateIsNotSaidToBeOpen) {
  Node untold = node("n1", {uncut(0, 0)});
  untold.health = Health::unknown;
  tell({untold});
  EXPECT_NE(refusal(planned(intent_for(opening({})))).find("its state is not known"), std::string::npos);
}

TEST_F(NodeActions, AReasonThatReadsAsTheMarkOfARunIsRefused) {
  for (const char* reason :
       {"tessera upgrade root@login1", "after tessera r1 root@login1: fans", "fans (tessera r1 root@login1)"})
    EXPECT_NE(why_no_reason(reason).value_or("none").find("mark of a run"), std::string::npos) << reason;
  EXPECT_FALSE(why_no_reason("tessera is being upgraded, ask root@login1"));
}

TEST_F(NodeActions, ANodeThatSlurmHasSetDownAndThatMayAnswerIsResumedKnowingly) {
  for (const bool drains : {false, true}) {
    Node down = node("n1", {uncut(0, 0)});
    down.state = {"DOWN"};
    if (drains) down.state.push_back("DRAIN");
    down.health = Health::down;
    down.reason = "Node unexpectedly rebooted";
    down.reason_by = "slurm";
    tell({down});
    EXPECT_NE(refusal(planned(intent_for(opening({})))).find("over-others"), std::string::npos);
    auto made = planned(intent_for(opening({}, true)), slurm_capabilities());
    ASSERT_TRUE(made.ok()) << to_line(made.error());
    ASSERT_EQ(made->notices.size(), 1u);
    EXPECT_EQ(made->notices[0].severity, Severity::danger);
    EXPECT_NE(made->notices[0].text.find("unexpectedly rebooted"), std::string::npos);
    expect_allowed(*made);
    const Step& step = made->nodes.at(0).steps.at(0);
    NodeFacts facts;
    facts.node = down;
    facts.closed = drains, facts.closed_reason = drains ? down.reason : "";
    facts.answering = false;  // what is DOWN does not count as answering
    tell_closed(facts);
    EXPECT_FALSE(first_unmet(step.before, facts, "r1"));
    EXPECT_TRUE(first_unmet(step.after, facts, "r1"));
    const Special act = std::get<Special>(step.action);
    auto left = reason_after(act, NodeName("n1"), {}, reason_now(act, facts));
    ASSERT_TRUE(left.ok()) << to_line(left.error());
    EXPECT_EQ(*left, std::optional<std::string>(""));
    facts.node.state = {"DOWN", "NOT_RESPONDING"};
    tell_closed(facts);
    EXPECT_TRUE(first_unmet(step.before, facts, "r1")) << "it does not answer any more";
  }
}

TEST(Closing, IsFoundAgainBehindTheAdminsWords) {
  const Closing closing{"fans (2 of 6) are loud", RunMark{"r1", "root", "login1", {}}};
  EXPECT_EQ(to_text(closing), "fans (2 of 6) are loud (tessera r1 root@login1)");
  EXPECT_EQ(parse_closing(to_text(closing)), closing);
  EXPECT_FALSE(parse_closing("fans are loud"));
  EXPECT_FALSE(parse_closing("fans are loud (tessera r1)"));
  EXPECT_FALSE(parse_mark(to_text(closing)));  // no run is changing the node
}

// Dead after each line, before and after the act that it announces, and taken up again.
TEST(NodeActionsKilled, EndClosedOrOpenWhereverTheProcessDies) {
  for (const bool closes : {true, false})
    for (const bool after_perform : {false, true})
      for (int line = 0; line <= 6; ++line) {
        Adversary world(catalogue(), node("n1", {uncut(0, 0)}), {});
        if (!closes) world.close_by_hand("firmware (tessera r0 root@login1)", "root");
        const Intent intent = intent_for(closes ? closing("fans are loud") : opening({"r0"}));
        auto plan = make_plan(world.cluster(), catalogue(), intent, simulator_capabilities(), {}, at(0));
        ASSERT_TRUE(plan.ok()) << to_line(plan.error());
        Kill kill;
        kill.after_line = line == 0 ? -1 : line;
        kill.after_perform = after_perform;
        const Ending ending = drive(world, catalogue(), *plan, kill, Policy::carry_on);
        EXPECT_TRUE(ending.ended) << ending.problem << "\n" << ending.journal;
        EXPECT_EQ(ending.outcome, Outcome::wanted);
        EXPECT_EQ(world.closed_reason(), closes ? "fans are loud (tessera r1 root@login1)" : "");
        EXPECT_EQ(ending.text,
                  closes ? "n1: closed to new workloads, read back" : "n1: open to new workloads, read back");
      }
}

// Whatever strikes, and whether the admin carries on or goes back: what another closes stays closed, and the
// way back ends where the node was found.
TEST(NodeActionsKilled, FaultsNeverOpenWhatAnotherClosedAndTheWayBackEndsWhereItBegan) {
  for (int fault = 0; fault < static_cast<int>(Fault::count); ++fault)
    for (const bool closes : {true, false})
      for (const Policy policy : {Policy::carry_on, Policy::go_back})
        for (int moment = 0; moment < 3; ++moment) {
          SCOPED_TRACE(std::string(word(static_cast<Fault>(fault))) + (closes ? " closes" : " opens") +
                       (policy == Policy::go_back ? " back " : " on ") + std::to_string(moment));
          Adversary world(catalogue(), node("n1", {uncut(0, 0)}), {});
          if (!closes) world.close_by_hand("firmware (tessera r0 root@login1)", "root");
          const Intent intent = intent_for(closes ? closing("fans are loud") : opening({"r0"}));
          auto plan = make_plan(world.cluster(), catalogue(), intent, simulator_capabilities(), {}, at(0));
          ASSERT_TRUE(plan.ok()) << to_line(plan.error());
          world.arm(static_cast<Fault>(fault), moment);
          const Ending ending = drive(world, catalogue(), *plan, {}, policy);
          EXPECT_TRUE(world.harm.empty()) << world.harm.front();
          const std::string now = world.closed_reason();
          if (now == "fan failure") continue;  // another's, and it stays
          if (ending.ended && ending.outcome == Outcome::wanted)
            EXPECT_EQ(now, closes ? "fans are loud (tessera r1 root@login1)" : "") << ending.journal;
          if (ending.ended && ending.outcome == Outcome::recorded)
            EXPECT_EQ(now.substr(0, 8), closes ? "" : "firmware") << ending.journal;
        }
}

TEST(NodeActionsKilled, WhatAnotherClosesInBetweenStopsTheRun) {
  for (int moment = 0; moment < 2; ++moment) {
    Adversary world(catalogue(), node("n1", {uncut(0, 0)}), {});
    auto plan = make_plan(world.cluster(), catalogue(), intent_for(closing("fans are loud")),
                          simulator_capabilities(), {}, at(0));
    ASSERT_TRUE(plan.ok());
    world.arm(Fault::drained_by_other, moment);
    drive(world, catalogue(), *plan, {}, Policy::carry_on);
    EXPECT_TRUE(world.harm.empty());
    EXPECT_TRUE(world.closed_reason() == "fan failure" || !world.struck) << world.closed_reason();
  }
}

}  // namespace
}  // namespace tessera::test
