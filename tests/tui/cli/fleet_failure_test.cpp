// What tessera fleet run does about the rest of a pool when a node of it fails.
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FakeRuns;

class FleetFailure : public test::FleetCommandLine {
 protected:
  FleetFailure() {
    options.write = options.yes = true;
    starts = [this](FakeRuns& room) { begin(room); };
  }

  // Every node but those that fail is done.
  void begin(FakeRuns& room) {
    bool failed = false;
    std::vector<NodeName> nodes = asked.plan->intent.nodes;
    plans.push_back(nodes);
    for (const NodeName& node : nodes) {
      if (failed && asked.plan->intent.options.batch == 1) break;
      if (fails.contains(node.text)) {
        failed = true;
        room.write(node.text, plan::StepFailed{"restart-daemon", "no answer"});
        room.write(node.text, plan::Parked{"no answer", node.text + " is closed", {}});
      } else {
        room.write(node.text, plan::NodeFinished{plan::Outcome::wanted, node.text + ": as wanted"});
      }
    }
    if (!failed) return room.write("", plan::RunFinished{plan::Outcome::wanted, "done"});
    RunHead head;
    head.run = "r" + std::to_string(plans.size()), head.cluster = ClusterName("hpc"), head.nodes = nodes;
    head.state = RunState::parked, head.words = asked.plan->intent.words;
    head.progress = "1 failed (" + *fails.begin() + ")", head.unarmed = "it waits for a person";
    room.heads.push_back(head);
    heads.push_back(head);
  }
  bool said(const std::string& part) const { return (out.str() + err.str()).find(part) != std::string::npos; }
  std::string pool(const std::string& rest) {
    return file("pools: [{name: a, nodes: 'n[1-3]', layout: 3g.40gb" + rest + "}]");
  }
  static std::vector<NodeName> nodes(std::initializer_list<const char*> names) {
    return {names.begin(), names.end()};
  }

  std::set<std::string> fails;
  std::vector<std::vector<NodeName>> plans;
};

TEST_F(FleetFailure, OtherNodesOfAPoolThatGoesOnAreBegunAfterAFailure) {
  fails = {"n2"};
  EXPECT_EQ(run({"run", pool(", on_failure: go-on, budget: {max_nodes_at_once: 2}")}), kFinding);
  ASSERT_EQ(plans.size(), 2u) << err.str();
  EXPECT_EQ(plans[0], nodes({"n2", "n3"}));
  EXPECT_EQ(plans[1], nodes({"n1"})) << "n2 stays parked and counts, n3 is done and does not";
  EXPECT_EQ(asked.plan->intent.options.canary, 0) << "all of a run are begun together";
  EXPECT_TRUE(said("the nodes of run r1 are left out: it has not ended: 1 failed (n2)")) << err.str();
}

TEST_F(FleetFailure, APoolStopsAtAFailureUnlessTheFileSaysOtherwise) {
  fails = {"n2"};
  for (const char* said : {"", ", on_failure: stop"}) {
    plans.clear(), heads.clear();
    options.change.batch = 1;
    EXPECT_EQ(run({"run", pool(said)}), kFinding);
    ASSERT_EQ(plans.size(), 1u) << said << err.str();
    EXPECT_EQ(plans[0], nodes({"n2", "n3", "n1"})) << "one run, which begins no other node";
  }
}

TEST_F(FleetFailure, APoolThatGoesOnStopsAtAsManyFailuresAsItsBudgetHasNodes) {
  fails = {"n2"};
  const std::string path = pool(", on_failure: go-on, budget: {max_nodes_at_once: 1}");
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_EQ(plans.size(), 1u) << err.str();
  const char* why =
      "pool a is skipped: runs that have not ended may have 1 of its nodes under way (of n2), and "
      "max_nodes_at_once is 1";
  EXPECT_TRUE(said(why)) << err.str();
  EXPECT_EQ(run({"run", path}), kFinding) << "the next call, too";
  EXPECT_EQ(plans.size(), 1u) << err.str();
  EXPECT_TRUE(said(why)) << err.str();
}

// Of nodes that wait for room in the budget only the run itself told why it does not begin them.
TEST_F(FleetFailure, NodesThatAreLeftOutForMaxNodesAtOnceAreToldByCheckDiffAndExplain) {
  fails = {"n2"};
  const std::string full = pool(", on_failure: go-on, budget: {max_nodes_at_once: 1}");
  EXPECT_EQ(run({"run", full}), kFinding);
  const char* why =
      "fleet run begins no other node of it: runs that have not ended may have 1 of its nodes under way (of "
      "n2), and max_nodes_at_once is 1";
  EXPECT_EQ(run({"check", full}), kFinding);
  EXPECT_TRUE(said(why)) << out.str() << err.str();
  EXPECT_EQ(run({"diff", full}), kFinding);
  EXPECT_TRUE(said(why)) << out.str() << err.str();
  EXPECT_EQ(run({"explain", "n1", full}), kDone);
  EXPECT_TRUE(said(why)) << out.str() << err.str();
  EXPECT_EQ(run({"check", pool(", on_failure: go-on, budget: {max_nodes_at_once: 2}")}), kFinding);
  EXPECT_FALSE(said("begins no other node")) << out.str();
}

// With a lead, nodes come due one after the other, and each call closed as many again.
TEST_F(FleetFailure, TheNodesOfAllRunsOfAPoolThatStopsCountForItsBudget) {
  RunHead waits;
  waits.run = "r0", waits.cluster = ClusterName("hpc"), waits.nodes = nodes({"n2"});
  waits.state = RunState::parked, waits.words = "by hand", waits.progress = "1 waits (n2)";
  heads = {waits};
  EXPECT_EQ(run({"run", pool(", budget: {max_nodes_at_once: 1}")}), kFinding) << "it is a person's run";
  EXPECT_TRUE(plans.empty()) << err.str();
  EXPECT_TRUE(
      said("pool a is skipped: runs that have not ended may have 1 of its nodes under way (of n2), and "
           "max_nodes_at_once is 1"))
      << err.str();
  (void)run({"run", pool(", budget: {max_nodes_at_once: 2}")});
  ASSERT_EQ(plans.size(), 1u) << err.str();
  EXPECT_EQ(plans[0], nodes({"n3", "n1"}));
  EXPECT_EQ(asked.plan->intent.options.batch, 1) << "n2 counts";
  plans.clear(), heads = {waits};
  (void)run({"run", pool("")});
  EXPECT_EQ(plans.size(), 1u) << "without a bound the rest is begun";
}

// One job of long kept nodes shut out all night that nothing held.
TEST_F(FleetFailure, NodesThatAreDoneInARunThatWaitsNeedNoRoomOfTheBudget) {
  starts = [this](FakeRuns& room) {
    plans.push_back(asked.plan->intent.nodes);
    for (const NodeName& node : plans.back())
      if (node.text == "n1")
        room.write("n1", plan::Parked{"n1 is in use", "n1 is closed", plan::Until::empty});
      else
        room.write(node.text, plan::NodeFinished{plan::Outcome::wanted, node.text + ": as wanted"});
    RunHead head;
    head.run = "r1", head.cluster = ClusterName("hpc"), head.nodes = plans.back();
    head.state = RunState::parked, head.words = asked.plan->intent.words, head.started = test::at(0);
    if (plans.size() > 1) return room.write("", plan::RunFinished{plan::Outcome::wanted, "done"});
    heads = {head};
    room.heads = heads;
    journals = room.journals;
  };
  const auto two_of = [this](const char* which) {
    return file(std::string("pools: [{name: a, nodes: '") + which +
                "', layout: 3g.40gb, budget: {max_nodes_at_once: 2}}]");
  };
  EXPECT_EQ(run({"run", two_of("n[1-2]")}), kDone) << err.str();
  ASSERT_EQ(plans.size(), 1u) << err.str();
  begun_before = 1;
  EXPECT_EQ(run({"run", two_of("n[1-3]")}), kDone) << err.str();
  ASSERT_EQ(plans.size(), 2u) << "n1 alone counts: " << err.str();
  EXPECT_EQ(plans[1], nodes({"n3"}));
  EXPECT_EQ(asked.plan->intent.options.batch, 1);
}

TEST_F(FleetFailure, ANodeThatIsDoneInAParkedRunIsChangedAgainByItsPoolThatGoesOn) {
  fails = {"n2"};
  starts = [this](FakeRuns& room) {
    begin(room);
    journals["r1"] = room.journals["r1"];
  };
  EXPECT_EQ(run({"run", pool(", on_failure: go-on, budget: {max_nodes_at_once: 2}")}), kFinding);
  plans.clear(), fails.clear();
  EXPECT_EQ(run({"run", pool(", on_failure: go-on, budget: {max_nodes_at_once: 3}")}), kFinding)
      << "n2 is still parked";
  ASSERT_EQ(plans.size(), 1u) << err.str();
  EXPECT_EQ(plans[0], nodes({"n3", "n1"}));
  plans.clear();
  EXPECT_EQ(run({"run", pool("")}), kFinding);
  ASSERT_EQ(plans.size(), 1u) << err.str();
  EXPECT_EQ(plans[0], nodes({"n1"})) << "a pool that stops leaves all nodes of that run alone";
}

TEST_F(FleetFailure, ADryRunAnExplanationAndTheCalendarSayWhatAFailureMeans) {
  options.dry_run = true;
  const std::string rest =
      ", on_failure: go-on, budget: {max_nodes_at_once: 2}, windows: [{when: Sat, layout: none}]";
  EXPECT_EQ(run({"run", pool(rest)}), kDone) << err.str();
  EXPECT_TRUE(said("pool a: where a node fails, its other nodes go on")) << err.str();
  EXPECT_EQ(run({"run", pool("")}), kDone) << err.str();
  EXPECT_TRUE(said("pool a: where a node fails, its run begins no other node")) << err.str();
  EXPECT_TRUE(plans.empty());
  EXPECT_EQ(run({"explain", "n2", pool(rest)}), kDone) << err.str();
  EXPECT_TRUE(said("  where a node of the pool fails: go-on")) << out.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"calendar", pool(rest)}), kDone) << err.str();
  auto document = parse_json(out.str(), "calendar");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->find("phases")->items.at(0).find("on_failure")->text, "go-on");
}

// The node was made as wanted before the power went, and is closed: no drift tells of it.
TEST_F(FleetFailure, ARunThatWasKilledIsNamedWhateverStandsOnItsNodesByNow) {
  const std::string path = file("pools: [{name: a, nodes: n2, layout: none}]");
  stands = [] {
    Node n2 = test::node("n2", {test::uncut(0, 0)});
    n2.state = {"IDLE", "DRAIN"};
    n2.reason = "tessera r1 root@login1";
    return std::make_unique<test::StandingBackend>(std::vector<Node>{n2}, std::vector<Workload>{});
  };
  RunHead killed;
  killed.run = "r1", killed.who = "root", killed.cluster = ClusterName("hpc"), killed.nodes = nodes({"n2"});
  killed.words = "as fleet.yaml says";
  const auto calls = [&](const char* verb, bool dry, int code, const std::string& text) {
    options.dry_run = dry;
    EXPECT_EQ(run({verb, path}), code) << verb << dry << out.str() << err.str();
    EXPECT_EQ(said("run r1 of root"), !text.empty()) << verb << dry << out.str() << err.str();
    EXPECT_TRUE(said(text)) << verb << dry << out.str() << err.str();
  };
  const auto call_all = [&](int code, const std::string& text) {
    calls("run", false, code, text), calls("run", true, code, text);
    calls("check", false, code, text), calls("diff", false, code, text);
  };
  killed.state = RunState::interrupted, heads = {killed};
  call_all(
      kFinding,
      "n2: closed by run r1 of root, interrupted; tessera resume r1 carries it on, tessera resume r1 --back "
      "opens its nodes");
  killed.state = RunState::parked, killed.started = test::at(0), heads = {killed};  // after the file
  call_all(kFinding, "n2: closed by run r1 of root, parked; tessera resume r1 carries it on");
  options.dry_run = true, options.output = OutputFormat::json;
  EXPECT_EQ(run({"run", path}), kFinding);
  auto document = parse_json(out.str(), "run");
  ASSERT_TRUE(document) << out.str();
  EXPECT_EQ(to_line(*document->find("runs")), R"([{"run":"r1","what":"left","why":null}])");
  options.dry_run = false;
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  EXPECT_NE(out.str().find("left_runs"), std::string::npos) << out.str();
  options.output = OutputFormat::table;
  killed.words = "as other.yaml says", heads = {killed};
  call_all(kDone, "");
  // It was named as one of this file.
  killed.words = "as /srv/b/fleet.yaml says", heads = {killed};
  call_all(kDone, "");
  killed.words = "as /srv/b/fleet.yaml says from 2027-01-15T07:00:00Z", heads = {killed};
  call_all(kDone, "");
  std::filesystem::create_directory_symlink(folder, folder + "/link");
  for (const std::string& way : {folder, folder + "/link"}) {
    killed.words = "as " + way + "/fleet.yaml says", heads = {killed};
    call_all(kFinding, "n2: closed by run r1 of root, parked");
  }
  killed.words = "as fleet.yaml says", killed.state = RunState::finished, heads = {killed};
  call_all(kDone, "");
}

TEST_F(FleetFailure, ABudgetOfDisturbedJobsIsAboutThePoolAndNotAboutEachOfItsRuns) {
  EXPECT_EQ(run({"run", pool(", evict: requeue, on_failure: go-on, budget: {max_nodes_at_once: 1, "
                             "max_disturbed: 0}")}),
            kFinding);
  EXPECT_TRUE(said("more jobs or pods (1) than max_disturbed allows (0)")) << err.str();
  EXPECT_TRUE(plans.empty());
}

}  // namespace
}  // namespace tessera::cli
