// What of a plan's steps is shown: what the run does on the node as it stands.
#include "engine/plan/words/as_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/run/leaves_closed.hpp"
#include "engine/plan/steps/steps.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace {

using namespace plan;

Plan plan_on(const Node& node, const std::string& layout = "7x1g.10gb") {
  Story story;
  story.tell(NodesListed{{node}});
  auto made = make_plan(story.cluster(), catalogue(), wants(layout), simulator_capabilities(), {}, at(0));
  EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
  return made.ok() ? *made : Plan{};
}

// Of which an instance goes, so that a plan empties it.
Node open_node() { return test::node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})}); }
Node closed_by(const std::string& who, const std::string& reason) {
  Node node = open_node();
  node.health = Health::drained, node.state = {"IDLE", "DRAIN"};
  node.reason = reason, node.reason_by = who;
  return node;
}

template <class Kind>
const Step* step_of(const std::vector<Step>& steps) {
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [](const Step& one) { return std::holds_alternative<Kind>(one.action); });
  return found == steps.end() ? nullptr : &*found;
}

// The plan listed "open n1 again" with State=RESUME to copy, and the run leaves the node closed.
TEST(AsRun, ANodeThatAnotherHasClosedHasNothingToCopyThatOpensIt) {
  const Plan plan = plan_on(closed_by("ops", "Xid 79"));
  ASSERT_TRUE(stays_closed(plan, NodeName("n1")));
  const std::vector<Step> shown = steps_as_run(plan, plan.nodes[0]);
  ASSERT_EQ(shown.size(), plan.nodes[0].steps.size());
  const Step *opens = step_of<OpenNode>(shown), *closes = step_of<CloseNode>(shown);
  ASSERT_TRUE(opens && closes);
  EXPECT_EQ(opens->title, "leave n1 closed: another has closed it");
  EXPECT_TRUE(opens->commands.empty());
  EXPECT_EQ(closes->title, "ask: n1 is closed already by another");
  EXPECT_TRUE(closes->commands.empty());
  // What is kept is what tessera makes again.
  EXPECT_FALSE(step_of<OpenNode>(plan.nodes[0].steps)->commands.empty());
}

TEST(AsRun, NoDialectShowsACommandThatOpensANodeOfAnother) {
  Plan plan = plan_on(closed_by("ops", "Xid 79"));
  for (auto [dialect, scheduler] :
       {std::pair(Dialect::direct, Scheduler::slurm), std::pair(Dialect::slurm, Scheduler::slurm),
        std::pair(Dialect::gpu_operator, Scheduler::kubernetes)}) {
    plan.nodes[0].steps = builder_for(dialect).release(NodeName("n1"), scheduler);
    const std::string opening = opening_command(NodeName("n1"), scheduler);
    bool would = false;
    for (const Step& step : plan.nodes[0].steps)
      would = would || std::count(step.commands.begin(), step.commands.end(), opening) > 0;
    EXPECT_TRUE(would) << opening;
    for (const Step& step : steps_as_run(plan, plan.nodes[0]))
      EXPECT_EQ(std::count(step.commands.begin(), step.commands.end(), opening), 0) << step.title;
  }
}

// What resume lists as still to do goes by the journal, too.
TEST(AsRun, WhetherARunLeavesANodeClosedIsWhatItsJournalFoundLast) {
  const Plan open = plan_on(open_node()), closed = plan_on(closed_by("ops", "Xid 79"));
  const NodeName n1("n1");
  const auto entry = [](const char* node, RunEvent what) {
    Entry one;
    one.node = NodeName(node), one.what = std::move(what);
    return one;
  };
  EXPECT_FALSE(run_leaves_closed(open, {}, n1));
  EXPECT_TRUE(run_leaves_closed(closed, {}, n1));
  EXPECT_TRUE(run_leaves_closed(open, {entry("n1", Asked{Ask::closed_by_other, "n1 is closed"})}, n1))
      << "an admin who is asked copies nothing that opens it";
  std::vector<Entry> journal{entry("n1", Answered{Ask::closed_by_other, true, "root"})};
  EXPECT_TRUE(run_leaves_closed(open, journal, n1)) << "another closed it after the plan was made";
  const std::vector<Entry> stopped{entry("n1", Answered{Ask::closed_by_other, false, "root"})};
  for (const Plan* plan : {&open, &closed})
    EXPECT_TRUE(run_leaves_closed(*plan, stopped, n1)) << "whoever stopped there opened nothing";
  EXPECT_FALSE(run_leaves_closed(open, journal, NodeName("n2"))) << "that was said of another node";
  StepBegun closing;
  closing.action = CloseNode{};
  journal.push_back(entry("n1", closing));
  EXPECT_FALSE(run_leaves_closed(closed, journal, n1)) << "it was opened meanwhile, and the run closed it";
}

TEST(AsRun, ANodeThatIsOpenIsOpenedAsThePlanSays) {
  const Plan plan = plan_on(open_node());
  EXPECT_FALSE(stays_closed(plan, NodeName("n1")));
  const std::vector<Step> shown = steps_as_run(plan, plan.nodes[0]);
  ASSERT_TRUE(step_of<OpenNode>(shown));
  EXPECT_EQ(step_of<OpenNode>(shown)->commands, step_of<OpenNode>(plan.nodes[0].steps)->commands);
}

// A run opens what it has closed itself: pasted in the middle of another run, the command would let jobs in
// there.
TEST(AsRun, ANodeThatAnotherRunHasClosedHasNothingToCopyThatOpensItEither) {
  const Plan plan = plan_on(closed_by("bob", to_text(RunMark{"r9", "bob", "login2"})));
  ASSERT_TRUE(stays_closed(plan, NodeName("n1")));
  EXPECT_TRUE(step_of<OpenNode>(steps_as_run(plan, plan.nodes[0]))->commands.empty());
  const auto told = std::find_if(plan.notices.begin(), plan.notices.end(), is_left_closed);
  EXPECT_NE(told->text.find("drained by run r9"), std::string::npos) << told->text;
}

// slurmctld drains a node that registers as invalid, and an admin one that has died: neither is "drained"
// alone.
TEST(AsRun, ANodeThatIsDrainedBesideBeingInvalidOrDownStaysClosed) {
  const auto left = [](Health health, std::vector<std::string> flags) {
    Node node = closed_by("ops", "Xid 79");
    node.health = health, node.state = std::move(flags);
    Story story;
    story.tell(NodesListed{{node}});
    const std::vector<Notice> notices =
        closed_notices(story.cluster(), *story.cluster().nodes.find(NodeName("n1")), at(0));
    return std::any_of(notices.begin(), notices.end(), is_left_closed);
  };
  EXPECT_TRUE(left(Health::invalid, {"IDLE", "DRAIN", "INVALID_REG"}));
  EXPECT_TRUE(left(Health::down, {"DOWN", "DRAIN"}));
  EXPECT_TRUE(left(Health::drained, {"IDLE", "DRAIN"}));
  EXPECT_FALSE(left(Health::down, {"DOWN", "NOT_RESPONDING"}));
  EXPECT_FALSE(left(Health::draining, {"MIXED", "POWER_DOWN"})) << "switched off later, and not closed";
}

TEST(AsRun, OfANodeInAReservationThePlanNamesIt) {
  Node node = open_node();
  node.state = {"IDLE", "RESERVED"}, node.reservation = "course";
  Story story;
  story.tell(NodesListed{{node}});
  const std::vector<Notice> notices = closed_notices(story.cluster(), story.node("n1"), at(0));
  ASSERT_FALSE(notices.empty());
  EXPECT_EQ(notices.front().text, "closed to new workloads: in the reservation course");
  EXPECT_FALSE(is_left_closed(notices.front())) << "the run drains it and opens it again";
}

TEST(AsRun, APlansFileSaysThatItsNodeStaysClosedAndIsReadAsItWasMade) {
  const Plan closed = plan_on(closed_by("ops", "Xid 79"));
  EXPECT_NE(to_document(closed).find("\"left_closed\": true"), std::string::npos);
  EXPECT_NE(to_document(plan_on(open_node())).find("\"left_closed\": false"), std::string::npos);
  const Result<Plan> read = parse_plan(to_document(closed), "plan.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->nodes[0].steps, closed.nodes[0].steps);
  EXPECT_EQ(steps_as_run(*read, read->nodes[0]), steps_as_run(closed, closed.nodes[0]));
}

std::string wait_of(const Scope& scope, std::vector<Disturbed> disturbed = {},
                    std::vector<SlicePlan> destroyed = {}) {
  NodePlan node;
  node.node = NodeName("n1");
  node.blast_radius = std::move(disturbed);
  node.destroyed = std::move(destroyed);
  Step step;
  step.action = LookOnly{};
  step.after = {ScopeEmpty{scope}};
  node.steps = {step};
  name_steps(node.node, Dialect::slurm, node.steps, node.blast_radius.size());
  Plan plan;
  return steps_as_run(plan, node)[0].title;
}

// "wait until no workload is running", where jobs on the other GPUs go on.
TEST(AsRun, AWaitForSomeGpusOrSlicesSaysWhich) {
  EXPECT_EQ(wait_of(Scope{}), "wait until no workload is running");
  EXPECT_EQ(wait_of(Scope{{{GpuIndex{0}, {}}, {GpuIndex{1}, {}}, {GpuIndex{5}, {}}}}),
            "wait until no workload holds GPU 0-1,5");
  SlicePlan goes;
  goes.gpu = GpuIndex{3}, goes.profile = ProfileName("3g.40gb"), goes.at = Placement{4, 4};
  EXPECT_EQ(wait_of(Scope{{{GpuIndex{3}, {Placement{4, 4}}}}}, {}, {goes}),
            "wait until no workload holds GPU 3: 3g.40gb@4");
  EXPECT_EQ(wait_of(Scope{{{GpuIndex{2}, {}}}}, {Disturbed{}}), "wait until 1 job has left");
  const std::vector<Placement> three{{0, 1}, {1, 1}, {2, 1}};
  EXPECT_EQ(wait_of(Scope{{{GpuIndex{0}, three}, {GpuIndex{1}, three}, {GpuIndex{2}, {}}}}),
            "wait until no workload holds GPU 0-1 (3 slices), GPU 2");
  EXPECT_EQ(wait_of(Scope{}, {Disturbed{}}), "wait until 1 job has left");
}

}  // namespace
}  // namespace tessera::test
