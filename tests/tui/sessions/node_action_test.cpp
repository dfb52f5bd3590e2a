// Closing a node and opening it again by keys: a command opens the plan, a typed name arms it.
#include "engine/plan/node_action.hpp"

#include <gtest/gtest.h>

#include "tests/tui/screens/change_places.hpp"

namespace tessera::test {
namespace {

void type_command(Session& session, const std::string& text) { session.press(":" + text + "<enter>"); }

// The plan that the console has ordered to be started; nullopt: none.
std::optional<plan::Plan> started(const Session& session) {
  for (const tui::Effects& effects : session.effects)
    for (const tui::RunOrder& order : effects.orders)
      if (const auto* start = std::get_if<tui::StartRun>(&order)) return start->plan;
  return std::nullopt;
}

Node closed_by(const Session& session, const std::string& name, std::string reason, std::string by) {
  Node closed = *session.model.find(ClusterName("hpc"))->nodes.find(NodeName(name));
  closed.health = Health::drained;
  closed.state = {"IDLE", "DRAIN"};
  closed.reason = std::move(reason);
  closed.reason_by = std::move(by);
  return closed;
}

TEST(NodeActionByKeys, DrainingOpensAPlanThatIsArmedByTheNodesName) {
  Session session = changing({80, 24});
  type_command(session, "drain n0031 fans are loud");
  EXPECT_TRUE(session.shows("drain: fans are loud")) << session.screen();
  EXPECT_TRUE(session.shows("close n0031 to new workloads until it is opened again")) << session.screen();
  EXPECT_TRUE(session.shows("disturbs no workload")) << session.screen();
  session.press("An0031<enter>");
  session.press("!");
  const std::optional<plan::Plan> plan = started(session);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->nodes.at(0).steps.at(0).action, plan::Action(plan::keep_closed("fans are loud")));
}

TEST(NodeActionByKeys, APlanForANodeOffersNothingAboutRunningWork) {
  Session session = changing({120, 40});
  type_command(session, "drain n0031 firmware");
  EXPECT_TRUE(session.shows("on failure")) << session.screen();
  EXPECT_FALSE(session.shows("running work")) << session.screen();
  EXPECT_FALSE(session.shows("RESOURCES")) << session.screen();
  for (const char* key : {"r", "c", "e"}) {
    session.press(key);
    EXPECT_TRUE(session.shows("closing or opening a node ends no job or pod")) << key << session.screen();
  }
}

TEST(NodeActionByKeys, WithoutAReasonOrForAnotherSchedulerNothingOpens) {
  Session session = changing({80, 24});
  type_command(session, "drain n0031");
  EXPECT_TRUE(session.shows("a reason is missing")) << session.screen();
  type_command(session, "cordon n0031 firmware");
  EXPECT_TRUE(session.shows("cordon is called drain on hpc")) << session.screen();
  type_command(session, "drain n9999 firmware");
  EXPECT_TRUE(session.shows("no node is called n9999")) << session.screen();
  EXPECT_FALSE(started(session));
}

TEST(NodeActionByKeys, AnothersClosingIsShownAndOpenedOnlyKnowingly) {
  Session session = changing({80, 24});
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0031", "bad ECC", "alice")}));
  type_command(session, "resume n0031");
  EXPECT_TRUE(session.shows("alice: bad ECC")) << session.screen();
  EXPECT_FALSE(session.shows("STEPS"));
  session.press("<esc>");
  type_command(session, "resume n0031 over-others");
  EXPECT_TRUE(session.shows("STEPS")) << session.screen();
  EXPECT_TRUE(session.shows("this plan opens it all the same")) << session.screen();
}

TEST(NodeActionByKeys, APlanIsDisarmedWhenAnotherClosesTheNode) {
  Session session = changing({80, 24});
  type_command(session, "drain n0031 firmware");
  session.press("An0031<enter>");
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0031", "bad ECC", "alice")}));
  session.press("!");
  EXPECT_FALSE(started(session));
  EXPECT_TRUE(session.shows("bad ECC")) << session.screen();
}

TEST(NodeActionByKeys, AKeyWritesTheCommandAndTheReasonIsTypedBehindIt) {
  Session session = changing({80, 24});
  session.press("2K");
  EXPECT_EQ(session.state.input.text, "drain n0031 ");
  session.press("fans are loud<enter>");
  EXPECT_TRUE(session.shows("drain: fans are loud")) << session.screen();
  session.press("<esc>jv*K");  // all rows are marked
  EXPECT_EQ(session.state.input.text, "drain n[0031,0041-0045] ");
}

TEST(NodeActionByKeys, TheKeyThatOpensShowsWhoseClosingItIs) {
  Session session = changing({80, 24});
  session.press("2O");
  EXPECT_TRUE(session.shows("it takes new workloads already")) << session.screen();
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0031", "bad ECC", "alice")}));
  session.press("O");
  EXPECT_TRUE(session.shows("alice: bad ECC")) << session.screen();
  EXPECT_EQ(session.state.input.text, "resume n0031 over-others");
  session.press("<enter>");
  EXPECT_TRUE(session.shows("STEPS")) << session.screen();
}

TEST(NodeActionByKeys, AFindingLeadsToThePlanThatOpensItsNodes) {
  Session session = changing({80, 24});
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0041", "firmware (tessera r1 root@login1)", "root")}));
  session.tell(on("hpc", NodeSeen{closed_by(session, "n0042", "firmware (tessera r1 root@login1)", "root")}));
  RunHead head;
  head.run = "r1";
  head.state = RunState::finished;
  session.state.runs.heads = {head};  // it was closed from here
  session.press("7P");
  EXPECT_TRUE(session.shows("STEPS")) << session.screen();
  ASSERT_TRUE(session.state.plan);
  EXPECT_EQ(session.state.plan->plan.nodes.size(), 2u);
}

}  // namespace
}  // namespace tessera::test
