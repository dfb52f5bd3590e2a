// Who changed a node beside the journals, as tessera fleet explain says it.
#include "tests/support/few_rounds.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

class FleetChanged : public test::FleetCommandLine {
 protected:
  FleetChanged() : path(file("pools: [{name: all, layout: none}]")) {
    options.recording = "F";
    recorded = {n1({test::uncut(0, 0)}), n1({test::uncut(0, 0)}), n1({test::cut(0, {})})};
    recordings = [this] {
      std::vector<std::unique_ptr<record::Recording>> all;
      all.push_back(std::make_unique<test::FewRounds>(recorded, end));
      return Result<std::vector<std::unique_ptr<record::Recording>>>(std::move(all));
    };
  }
  static Node n1(std::vector<Gpu> gpus, const std::string& reason = "") {
    Node node = test::node("n1", std::move(gpus));
    if (reason.empty()) return node;
    node.state = {"IDLE", "DRAIN"}, node.reason = reason, node.reason_by = "bob",
    node.reason_at = test::at(-60);
    return node;
  }
  bool says(const std::string& part) {
    EXPECT_EQ(run({"explain", "n1", path}), kDone) << err.str();
    return out.str().find(part) != std::string::npos;
  }

  std::string path;
  std::vector<Node> recorded;
  Status end = Done{};
};

TEST_F(FleetChanged, TheRunThatHadMarkedTheNodeIsNamedWithTheRoundsAroundIt) {
  recorded[1] = n1({test::uncut(0, 0)}, "tessera 20270115-0701-n1 eve@login1: night");
  EXPECT_TRUE(says("its layout changed between 2027-01-15T07:01:00Z and 2027-01-15T07:02:00Z, as recorded: "))
      << out.str();
  EXPECT_TRUE(says("; run 20270115-0701-n1 of eve had marked it")) << out.str();
}

TEST_F(FleetChanged, WhoClosedItNowAndThenIsTold) {
  stands = [] {
    return std::make_unique<test::StandingBackend>(std::vector<Node>{n1({test::uncut(0, 0)}, "bad ECC")},
                                                   std::vector<Workload>{});
  };
  recorded[2] = n1({test::cut(0, {})}, "by hand");
  EXPECT_TRUE(says("closed by bob, since 2027-01-15T07:59:00Z: bad ECC")) << out.str();
  EXPECT_TRUE(says("; bob had closed it: by hand")) << out.str();
}

TEST_F(FleetChanged, WhatIsNotRecordedOrCannotBeReadIsSaidToBeUnknown) {
  EXPECT_TRUE(says("; who did that is not recorded")) << out.str();
  recorded.pop_back();
  EXPECT_TRUE(says("its layout has not changed since 2027-01-15T07:00:00Z, as recorded")) << out.str();
  recorded = {test::node("n9", {})};
  EXPECT_TRUE(says("its GPUs are not in the recording of the last 7 days")) << out.str();
  end = Error{"cannot read the recording", "it is broken", ""};
  EXPECT_TRUE(says("what a recording kept of it is not known: cannot read the recording: it is broken"))
      << out.str();
  options.recording.clear();
  EXPECT_FALSE(says("recorded")) << out.str();
}

// What drifted before an incident, and who had closed a node then: the file of now on the clusters of then.
TEST_F(FleetChanged, AMomentOfARecordingIsHeldAgainstTheFile) {
  options.at = "2027-01-15T07:01:00Z";
  clock = test::at(-3'540);  // the recording's: 07:01
  RunHead later;
  later.run = "20270115-0755-n1", later.cluster = ClusterName("hpc"), later.nodes = {NodeName("n1")};
  heads = {later};
  EXPECT_EQ(run({"check", path}), kFinding) << err.str();
  EXPECT_NE(out.str().find("n1"), std::string::npos) << out.str();
  EXPECT_NE(err.str().find("the file is the one that is there now"), std::string::npos) << err.str();
  EXPECT_NE(out.str().find("those of a time that is over are not looked for"), std::string::npos)
      << out.str();
  EXPECT_EQ(out.str().find("20270115-0755-n1"), std::string::npos) << "a run of now is none of then";
  EXPECT_EQ(out.str().find("tessera fleet plan"), std::string::npos) << "a plan of now is none of then";
  EXPECT_TRUE(says("its layout has not changed since 2027-01-15T07:00:00Z, as recorded")) << out.str();
  options.at.clear(), clock.reset();
  EXPECT_TRUE(says("its layout changed between 2027-01-15T07:01:00Z and 2027-01-15T07:02:00Z")) << out.str();
  options.at = "03:12";
  for (const char* verb : {"init", "calendar", "run", "pause"}) {
    EXPECT_EQ(run({verb, path}), kUsage) << verb;
    EXPECT_NE(err.str().find("has no --at"), std::string::npos) << err.str();
  }
}

// What a person or a script has ordered behind tessera's back stands in no journal.
TEST_F(FleetChanged, CheckDiffExplainAndJsonNameWhoWroteTheLabelOfWhatDrifts) {
  options.recording.clear();
  stands = [] {
    Node ordered = n1({test::cut(0, {})});
    ordered.order = LayoutOrder{"all-1g.10gb", "success", {}, "kubectl-label", test::at(-60)};
    auto backend =
        std::make_unique<test::StandingBackend>(std::vector<Node>{ordered}, std::vector<Workload>{});
    backend->scheduler = Scheduler::kubernetes;
    return backend;
  };
  const std::string said =
      "the label nvidia.com/mig.config was written last by kubectl-label, 2027-01-15T07:59:00Z";
  EXPECT_TRUE(says(said)) << out.str();
  for (const char* verb : {"check", "diff"}) {
    EXPECT_EQ(run({verb, path}), kFinding);
    EXPECT_NE(out.str().find("n1: " + said), std::string::npos) << out.str();
  }
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  EXPECT_NE(out.str().find(R"("ordered_by": "kubectl-label")"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find(R"("ordered_at": "2027-01-15T07:59:00Z")"), std::string::npos) << out.str();
}

}  // namespace
}  // namespace tessera::cli
