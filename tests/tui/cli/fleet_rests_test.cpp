// A fleet file that is paused, or edited, while tessera fleet run is at work on it.
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FakeRuns;

class FleetRests : public test::FleetCommandLine {
 protected:
  FleetRests() {
    options.write = options.yes = true;
    some_unknown = false;
    path = file("pools: [{name: a, nodes: n2, layout: 7g.80gb}, {name: b, layout: as-is}]");
    starts = [this](FakeRuns& room) {
      const std::string node = asked.plan->nodes.front().node.text;
      room.write(node, plan::StepBegun{"close", 1, plan::CloseNode{}});
      room.on_park = [this, node](FakeRuns& here) { rest(here, node); };
      if (pauses) pause();
      keep(room, RunState::parked);
    };
    resumes = [this](FakeRuns& room) {
      const bool back = asked.what.back().starts_with("resume back");
      const auto outcome = back ? plan::Outcome::recorded : plan::Outcome::wanted;
      room.write("", plan::Resumed{"root", "login1"});
      for (const NodeName& node : heads.front().nodes)
        room.write(node.text, plan::NodeFinished{outcome, "done"});
      room.write("", plan::RunFinished{outcome, "done"});
      keep(room, RunState::finished);
    };
  }
  void pause() const { std::ofstream(path + ".paused") << "2027-01-15T08:01:00Z by bob"; }
  void unpause() const { std::filesystem::remove(path + ".paused"); }
  // As the room does at the edge of the step.
  void rest(FakeRuns& room, const std::string& node) {
    const std::string why = asked.what.back().substr(std::string("park: ").size());
    room.write("", plan::Requested{plan::Demand::pause, "root", why});
    room.write(node, plan::Parked{why, node + " stays closed by this run", plan::Until::someone});
    keep(room, RunState::parked);
  }
  void keep(FakeRuns& room, RunState state) {
    RunHead head;
    head.run = room.run(), head.who = "root", head.cluster = ClusterName("hpc"), head.state = state;
    head.words = asked.plan ? asked.plan->intent.words : heads.front().words;
    head.nodes = asked.plan ? asked.plan->intent.nodes : heads.front().nodes;
    head.started = test::at(later);
    heads = {head};
    room.heads = heads;
    journals = room.journals;
  }
  bool was_asked(const std::string& what) const {
    return std::find(asked.what.begin(), asked.what.end(), what) != asked.what.end();
  }
  bool said(const std::string& part) const { return err.str().find(part) != std::string::npos; }

  std::string path;
  bool pauses = true;
};

// It was looked at between two pools alone: a run of fifty nodes went through all of them.
TEST_F(FleetRests, APauseParksTheRunThatIsUnderWayAndTheNextCallAfterItCarriesItOn) {
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_TRUE(
      was_asked("park: its fleet file was paused while it was under way, since 2027-01-15T08:01:00Z by bob"))
      << err.str();
  EXPECT_EQ(begun(), 1);
  EXPECT_EQ(run({"run", path}), kFinding) << "it is paused still";
  EXPECT_TRUE(asked.what.empty());
  EXPECT_EQ(run({"check", path}), kFinding) << "n2 drifts";
  EXPECT_EQ(out.str().find("r1"), std::string::npos) << "no person is needed: " << out.str();
  unpause();
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_EQ(out.str().find("r1"), std::string::npos) << out.str();
  options.dry_run = true;
  run({"run", path});
  EXPECT_TRUE(said("r1 is due")) << err.str();
  options.dry_run = false;
  run({"run", path});
  EXPECT_TRUE(was_asked("resume on r1")) << err.str();
}

TEST_F(FleetRests, ARunThatGoesOnAfterAPauseRestsAgainWithTheNextPause) {
  EXPECT_EQ(run({"run", path}), kFinding);
  unpause();
  resumes = [this](FakeRuns& room) {
    room.write("", plan::Resumed{"root", "login1"});
    room.on_park = [this](FakeRuns& here) { rest(here, "n2"); };
    pause();
  };
  EXPECT_EQ(run({"run", path}), kFinding);
  ASSERT_EQ(asked.what.size(), 2u) << err.str();
  EXPECT_EQ(asked.what[0], "resume on r1");
  EXPECT_TRUE(asked.what[1].starts_with("park: its fleet file was paused")) << asked.what[1];
}

TEST_F(FleetRests, NodesThatWereOnlyClosedBeforeThePauseAreOpenedAgainOnceTheirWindowIsOver) {
  path = file(
      "pools: [{name: a, nodes: n2, layout: as-is, windows: [{when: 'Fri 07:00-09:00', layout: "
      "7g.80gb}]}, {name: b, layout: as-is}]");
  EXPECT_EQ(run({"run", path}), kFinding);
  ASSERT_EQ(begun(), 1) << err.str();
  unpause();
  later = 2 * 3600;
  EXPECT_EQ(run({"run", path}), kFinding) << "a window that was missed is a finding";
  EXPECT_TRUE(was_asked("resume back r1")) << err.str();
}

// Opening a node may take long: the mark grew old, and a runner on another host began beside this one.
TEST_F(FleetRests, NodesThatAreOpenedAgainKeepTheMarkOfTheRunnerNew) {
  path = file(
      "pools: [{name: a, nodes: n2, layout: as-is, windows: [{when: 'Fri 07:00-09:00', layout: "
      "7g.80gb}]}, {name: b, layout: as-is}]");
  EXPECT_EQ(run({"run", path}), kFinding);
  unpause();
  later = 2 * 3600;
  const std::string mark = path + ".lock";
  bool is_new = false;
  resumes = [&](FakeRuns& room) {
    room.write("", plan::Resumed{"root", "login1"});
    room.write("n2", plan::Asked{plan::Ask::closed_by_other, "n2 is closed by bob. Go on?"});
    const auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(mark, now - std::chrono::minutes(9));
    room.on_demand = [&, now](FakeRuns& here) {
      is_new = std::filesystem::last_write_time(mark) > now - std::chrono::minutes(1);
      here.write("n2", plan::NodeFinished{plan::Outcome::recorded, "done"});
      here.write("", plan::RunFinished{plan::Outcome::recorded, "done"});
      keep(here, RunState::finished);
    };
  };
  run({"run", path});
  EXPECT_TRUE(was_asked("resume back r1")) << err.str();
  EXPECT_TRUE(is_new) << err.str();
}

TEST_F(FleetRests, ANodeThatHasFailedWhileTheFileWasPausedIsAPersons) {
  starts = [this](FakeRuns& room) {
    room.write("n2", plan::StepBegun{"close", 1, plan::CloseNode{}});
    room.on_park = [this](FakeRuns& here) {
      here.write("", plan::Requested{plan::Demand::pause, "root", asked.what.back().substr(6)});
      here.write("n2", plan::StepFailed{"close", "no answer"});
      here.write("n2", plan::Parked{"no answer", "n2 is closed", plan::Until::someone});
      keep(here, RunState::parked);
    };
    pause();
    keep(room, RunState::parked);
  };
  EXPECT_EQ(run({"run", path}), kFinding);
  unpause();
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_TRUE(asked.what.empty()) << err.str();
  EXPECT_TRUE(said("tessera resume r1 carries it on")) << err.str();
}

TEST_F(FleetRests, ARunThatAnotherFilesPauseHasStoppedIsCarriedOnByThatFileAlone) {
  EXPECT_EQ(run({"run", path}), kFinding);
  unpause();
  const std::string other = folder + "/other.yaml";
  std::ofstream(other) << "pools: [{name: b, layout: as-is}]";
  run({"run", other});
  EXPECT_TRUE(asked.what.empty()) << err.str();
  EXPECT_TRUE(said("run r1 is left parked: it is of the fleet file " + path)) << err.str();
}

// ── the file is edited ────────────────────────────────────────────────────────────────────────────────

constexpr const char* kTwoOfNodes =
    "pools: [{name: a, nodes: n1, layout: 3g.40gb}, {name: b, nodes: n2, layout: empty}]";

// A call may last for hours: a pool that was set to as-is meanwhile was changed all the same.
TEST_F(FleetRests, AFileThatIsEditedDuringARunKeepsTheNextPoolFromBeingChangedByTheOldOne) {
  starts = {};
  path = file(kTwoOfNodes);
  on_started = [this] { file("pools: [{name: a, nodes: n1, layout: 3g.40gb}, {name: b, layout: as-is}]"); };
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_EQ(begun(), 1) << err.str();
  EXPECT_TRUE(said("the fleet file has changed since this call has read it; the next call goes by it"))
      << err.str();
  path = file(kTwoOfNodes);
  on_started = [this] { file(kTwoOfNodes); };  // written again, and says the same
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_EQ(begun(), 2);
  on_started = [this] { std::filesystem::remove(path); };
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_EQ(begun(), 1) << "what cannot be read says nothing: " << err.str();
}

TEST_F(FleetRests, AFileThatIsEditedWhileADueRunGoesOnLeavesTheOtherDueRunsToTheNextCall) {
  EXPECT_EQ(run({"run", path}), kFinding);
  unpause();
  RunHead second = heads.front();
  second.run = "r2";
  journals["r2"] = journals["r1"];
  heads.push_back(second);
  resumes = [&](FakeRuns& room) {
    room.write("", plan::Resumed{"root", "login1"});
    room.write("n2", plan::NodeFinished{plan::Outcome::wanted, "done"});
    room.write("", plan::RunFinished{plan::Outcome::wanted, "done"});
    file("pools: [{name: b, layout: as-is}]");
  };
  EXPECT_EQ(run({"run", path}), kFinding);
  EXPECT_EQ(asked.what, (std::vector<std::string>{"resume on r1", "park: nothing was under way any more"}))
      << err.str();
}

}  // namespace
}  // namespace tessera::cli
