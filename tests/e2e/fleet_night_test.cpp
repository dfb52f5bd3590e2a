// What tessera fleet run closes for a window, and opens again, by the real binary on a simulated cluster.
#include <signal.h>

#include "tests/e2e/change_lab.hpp"
#include "tests/e2e/kube_change_lab.hpp"
#include "tests/e2e/slurm_cut_lab.hpp"

namespace tessera::test {
namespace {

// The lab's clock stands at Monday, 9:00. On n2 a notebook runs for days.
class FleetNight : public ChangeLab {
 protected:
  Ran due(Words more = {"--write", "--yes"}) {
    more.insert(more.begin(), {"fleet", "run", path_});
    return run(more);
  }
  void windows(const std::string& when) {
    path_ =
        folder_.write("fleet.yaml",
                      "pools:\n- name: n2\n  nodes: n2\n  preset: all-1g.10gb\n  budget: {lead: '12:00'}\n"
                      "  windows: [{when: '" +
                          when + "', layout: 7g.80gb}]\n- {name: others, layout: as-is}\n");
  }
  std::string state_of_newest() { return text_at(journal(), "/0/state"); }
  std::string path_;
};

TEST_F(FleetNight, ANodeThatWasClosedEarlyIsOpenedAgainWhenItsWindowIsOver) {
  windows("Mon-Fri 20:00-22:00");
  const std::string before = health("n2");
  Ran closed = due();
  EXPECT_EQ(closed.code, 0) << "it waits as planned: " << closed.out << closed.err;
  EXPECT_EQ(health("n2"), "draining") << closed.out << closed.err;
  EXPECT_EQ(state_of_newest(), "parked");
  sim({"advance", "12h"});
  due();
  EXPECT_EQ(health("n2"), "draining") << "within its window it waits";
  sim({"advance", "2h"});
  Ran looked = due({"--dry-run"});
  EXPECT_TRUE(has(looked.err, "are opened again: the window of pool n2 for which it was begun is over"))
      << looked.err;
  EXPECT_EQ(health("n2"), "draining");
  Ran opened = due();
  EXPECT_EQ(opened.code, 1) << "the window was missed: " << opened.err;
  EXPECT_EQ(health("n2"), before) << opened.out << opened.err;
  EXPECT_EQ(state_of_newest(), "finished");
  const std::string told = must({"journal", newest_run()}).out;
  EXPECT_TRUE(has(told, "going back: what it was begun for is over")) << told;
  Ran again = due();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(health("n2"), before);
  expect_sound();
}

TEST_F(FleetNight, WhatAnotherAdminHasClosedMeanwhileStaysClosed) {
  windows("Mon-Fri 20:00-22:00");
  due();
  ASSERT_EQ(health("n2"), "draining");
  sim({"drain", "n2", "fan"});
  sim({"advance", "14h"});
  Ran opened = due();
  EXPECT_EQ(health("n2"), "draining") << opened.out << opened.err;
  EXPECT_TRUE(has(opened.out, "left closed, since that is not ours: ")) << opened.out << opened.err;
  expect_sound();
}

TEST_F(FleetNight, ANodeIsOpenedAgainWhereItsWindowWasTakenOutOfTheFile) {
  windows("Mon-Fri 20:00-22:00");
  const std::string before = health("n2");
  due();
  ASSERT_EQ(health("n2"), "draining");
  windows("Sat,Sun");
  Ran opened = due();
  EXPECT_EQ(opened.code, 0) << opened.err;
  EXPECT_EQ(health("n2"), before) << opened.out << opened.err;
}

TEST_F(FleetNight, ARunThatWasKilledIsFinishedByTheNextCallAndCanBeUndone) {
  path_ = folder_.write("fleet.yaml",
                        "pools:\n- {name: n3, nodes: n3, layout: none, windows: [{when: daily, layout: "
                        "7g.80gb}]}\n- {name: others, layout: as-is}\n");
  sim({"fault", "dies-before node=n3 verb=create-instances"});
  Ran killed = due();
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_EQ(state_of_newest(), "interrupted");
  Ran on = due();
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  EXPECT_EQ(json_size(json_at(journal(), "")), 1u) << "one run";
  must({"undo", newest_run(), "--write", "--yes"});
  EXPECT_EQ(board("n3", 0), "whole");
  EXPECT_EQ(health("n3"), "ok");
  expect_sound();
}

TEST_F(FleetNight, ARunOfAPersonThatWasKilledIsLeftToThem) {
  path_ = folder_.write("fleet.yaml", "pools:\n- {name: n3, nodes: n3, layout: 7g.80gb}\n");
  sim({"fault", "dies-before node=n3 verb=create-instances"});
  Ran killed = run({"fleet", "apply", path_, "--write", "--yes"});
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  Ran next = due();
  EXPECT_EQ(next.code, 1) << next.out << next.err;
  EXPECT_EQ(state_of_newest(), "interrupted");
}

// n3 fails; n1 and n2 have nothing to do with it.
TEST_F(FleetNight, APoolThatGoesOnChangesItsOtherNodesWhenOneFails) {
  path_ = folder_.write("fleet.yaml",
                        "pools:\n- {name: held, nodes: n2, layout: as-is}\n- {name: all, layout: 7g.80gb, "
                        "on_failure: go-on, budget: {max_nodes_at_once: 1}}\n");
  sim({"fault", "create-stops node=n1 times=always"});
  Ran made = due();
  EXPECT_EQ(made.code, 1) << made.out << made.err;
  EXPECT_TRUE(has(made.out + made.err, "n1")) << made.err;
  EXPECT_NE(board("n3", 0), "7g.80gb@0") << "n1 is parked, and the budget is one node";
  path_ = folder_.write("fleet.yaml",
                        "pools:\n- {name: held, nodes: n2, layout: as-is}\n- {name: all, layout: 7g.80gb, "
                        "on_failure: go-on, budget: {max_nodes_at_once: 2}}\n");
  Ran more = due();
  EXPECT_EQ(more.code, 1) << "n1 is still parked: " << more.err;
  EXPECT_TRUE(has(more.err, "n1")) << more.err;
  EXPECT_EQ(board("n3", 0), "7g.80gb@0") << more.out << more.err;
  expect_sound();
}

class KubeFleetKilled : public KubeChangeLab {};

TEST_F(KubeFleetKilled, ARunOnTheGpuOperatorIsFinishedByTheNextCallAndCanBeUndone) {
  const std::string path = folder_.write("fleet.yaml",
                                         "pools:\n- {name: cut, nodes: h2, preset: all-disabled, windows: "
                                         "[{when: daily, preset: all-1g.10gb}]}\n");
  RunOptions options;
  options.signal_on_err = [](const std::string& err) {
    return has(err, "follow the MIG manager") ? SIGKILL : 0;
  };
  Ran killed = run({"fleet", "run", path, "--write", "--yes"}, options);
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  Ran on = run({"fleet", "run", path, "--write", "--yes"});
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  EXPECT_EQ(told("h2", ".status.allocatable.nvidia\\.com/mig-1g\\.10gb"), "14");
  expect_given_back("h2");
  const std::string newest = json_at(run({"journal", "-o", "json"}).out, "/0/run");
  Ran undone = run({"undo", newest.substr(1, newest.size() - 2), "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_NE(told("h2", ".status.allocatable.nvidia\\.com/mig-1g\\.10gb"), "14");
  expect_given_back("h2");
}

class SlurmFleetKilled : public SlurmCut {};

TEST_F(SlurmFleetKilled, ARunOnARealSlurmIsFinishedByTheNextCallAndCanBeUndone) {
  slurmconf::SlurmSettings site = with_runner();
  RunOptions options = command_line();
  const std::string path =
      scratch_.write("fleet.yaml",
                     "pools:\n- name: cut\n  nodes: gpu01\n  gpus: {0-7: none}\n  windows: "
                     "[{when: daily, gpus: {0: 7x1g.12gb, 1-7: none}}]\n");
  const std::string before = gres("gpu01");
  Ran killed = tessera(site, {"fleet", "run", path, "-n", "gpu01"}, killed_at(options, "step gpu01/4"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  Ran on = tessera(site, {"fleet", "run", path, "-n", "gpu01"}, options);
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  Ran undone = tessera(site, {"undo", newest_run(options)}, options);
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  EXPECT_EQ(gres("gpu01"), before) << record("gpu01");
}

}  // namespace
}  // namespace tessera::test
