// Fleet files and packed plans by the real binary: on a simulated cluster, on the simulated API server
// through the real kubectl, and on a real Slurm. Drift is made, found, named and mended, over a kill in
// between.
#include <signal.h>

#include "tests/e2e/change_lab.hpp"
#include "tests/e2e/kube_change_lab.hpp"
#include "tests/e2e/slurm_cut_lab.hpp"

namespace tessera::test {
namespace {

class FleetE2e : public ChangeLab {
 protected:
  using ChangeLab::ChangeLab;
  FleetE2e() = default;
  Ran fleet(Words words) {
    words.insert(words.begin(), "fleet");
    return run(words);
  }
  std::string file(const std::string& text) { return folder_.write("fleet.yaml", text); }
};

constexpr const char* kFleet = R"(pools:
- {name: held, nodes: n2, layout: as-is}
- {name: all, layout: "3g.40gb,3g.40gb"}
)";

TEST_F(FleetE2e, InitThenCheckFindsNothingUntilSomethingIsChanged) {
  const std::string path = folder_.path() + "/site.yaml";
  Ran made = fleet({"init", path});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  Ran same = fleet({"check", path});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  Ran other = apply({"-n", "n3", "--layout", "7g.80gb"});
  ASSERT_EQ(other.code, 0) << other.err;
  Ran drift = fleet({"check", path});
  EXPECT_EQ(drift.code, 1) << drift.out;
  EXPECT_TRUE(has(drift.out, "7g.80gb → whole GPU")) << drift.out;
  Ran diff = fleet({"diff", path, "-o", "json"});
  EXPECT_TRUE(has(diff.out, newest_run())) << "the run that made it is named: " << diff.out;
  Ran mended = fleet({"apply", path, "--write", "--yes"});
  EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
  EXPECT_EQ(board("n3", 0), "whole");
  EXPECT_EQ(fleet({"check", path}).code, 0);
}

TEST_F(FleetE2e, OneRunChangesEveryNodeThatDriftsOverAKillAndComesBack) {
  const std::string path = file(kFleet);
  EXPECT_EQ(fleet({"check", path}).code, 1);
  sim({"fault", "dies-before node=n3 verb=create-instances"});
  Ran killed = fleet({"apply", path, "--write", "--yes"});
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_EQ(fleet({"check", path}).code, 1) << "n3 has MIG on, and no instance yet";
  Ran on = run({"resume", newest_run(), "--write", "--yes"});
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  Ran checked = fleet({"check", path});
  EXPECT_EQ(checked.code, 0) << checked.out;
  EXPECT_EQ(board("n3", 0), "3g.40gb@0 3g.40gb@4");
  EXPECT_EQ(board("n1", 1), "3g.40gb@0 3g.40gb@4");
  EXPECT_EQ(json_size(json_at(journal(), "")), 1u) << "one run";
  must({"undo", newest_run(), "--write", "--yes"});
  EXPECT_EQ(board("n1", 0), kBalanced);
  EXPECT_EQ(board("n3", 0), "whole");
  expect_sound();
}

// The lab's clock stands at Monday, 9:00.
TEST_F(FleetE2e, TheNightsLayoutIsMadeAtNightAndTheDaysByDay) {
  const std::string path = file(
      "pools:\n- name: n3\n  nodes: n3\n  layout: none\n  windows: [{when: 'Mon-Fri 20:00-07:00', layout: "
      "7g.80gb}]\n");
  EXPECT_EQ(fleet({"check", path}).code, 0);
  sim({"advance", "12h"});
  EXPECT_EQ(fleet({"check", path}).code, 1);
  EXPECT_EQ(fleet({"apply", path, "--write", "--yes"}).code, 0);
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  EXPECT_EQ(fleet({"check", path}).code, 0);
  sim({"advance", "12h"});
  EXPECT_EQ(fleet({"check", path}).code, 1);
  EXPECT_EQ(fleet({"apply", path, "--write", "--yes"}).code, 0);
  EXPECT_EQ(board("n3", 0), "whole");
}

TEST_F(FleetE2e, ANightIsBegunBeforeItOpensAndStandsOverAKill) {
  const std::string path = file(
      "pools:\n- name: n3\n  nodes: n3\n  layout: none\n  budget: {lead: '02:00'}\n  windows: [{when: "
      "'Mon-Fri 20:00-07:00', layout: 7g.80gb}]\n- {name: others, layout: as-is}\n");
  const auto due = [&] { return fleet({"run", path, "--write", "--yes"}); };
  sim({"advance", "9h30m"});
  Ran soon = due();
  EXPECT_EQ(soon.code, 0) << soon.err;
  EXPECT_TRUE(has(soon.err, "n3 is closed at ")) << soon.err;
  EXPECT_EQ(board("n3", 0), "whole") << "the steps need less than 90 minutes";
  sim({"advance", "89m"});
  sim({"advance", "52s"});
  sim({"fault", "dies-before node=n3 verb=create-instances"});
  Ran killed = due();
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_TRUE(has(killed.err, "n3 is closed at Mon 2026-03-02 19:59:50 for")) << killed.err;
  must({"resume", newest_run(), "--write", "--yes"});
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  Ran again = due();
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  EXPECT_EQ(json_size(json_at(journal(), "")), 1u) << "one run";
  sim({"advance", "12h"});
  EXPECT_EQ(due().code, 0);
  EXPECT_EQ(board("n3", 0), "whole") << "by day as before";
  expect_sound();
}

// bob's job runs for days and would not start again: nothing ends it, and the run waited in the process.
TEST_F(FleetE2e, ARunThatEvictsParksForWhatItMayNotEndAndTheOtherPoolsGoOn) {
  const std::string path = file(
      "pools:\n- {name: p, nodes: n2, layout: none, evict: requeue}\n"
      "- {name: q, nodes: n3, layout: 7g.80gb}\n");
  for (int call = 0; call < 2; ++call) {
    Ran due = fleet({"run", path, "--write", "--yes"});
    EXPECT_EQ(due.code, 0) << due.out << due.err;
    EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  }
  EXPECT_EQ(json_size(json_at(journal(), "")), 2u) << "the second call leaves n2's run parked";
  EXPECT_EQ(board("n2", 0).substr(0, 10), "1g.10gb@0 ") << "bob's job holds one of them";
  expect_sound();
}

TEST_F(FleetE2e, APackedPlanOfSeveralNodesIsOneRun) {
  Ran packed = run({"pack", "7g.80gb=3", "--apply", "--write", "--yes"});
  EXPECT_EQ(packed.code, 0) << packed.out << packed.err;
  EXPECT_EQ(json_size(json_at(journal(), "")), 1u);
  EXPECT_EQ(board("n1", 1), "7g.80gb@0");
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
  EXPECT_EQ(board("n2", 0).substr(0, 10), "1g.10gb@0 ") << "alice and bob are left alone";
  Ran more = run({"pack", "7g.80gb=9", "--apply", "--write", "--yes"});
  EXPECT_EQ(more.code, 1) << "what cannot be met is named";
  EXPECT_TRUE(has(more.err, "unmet: 6 of 9 7g.80gb")) << more.err;
  expect_sound();
}

// Two 3g.40gb have room on m1's GPU 0 alone, and only where alice's job moves: all others stay, two on that
// node and two on the other. Instances are idle to which it may go.
constexpr const char* kToMove = R"(start: 2026-03-02T09:00:00Z
clusters:
  - name: lab
    scheduler: slurm
    users: [alice, bob, carol, dave, erin]
    partitions: [{name: gpu}]
    nodes:
      - {names: m1, product: H100-80GB-SXM5, gpus: 2, layouts: [all-1g.10gb, all-1g.10gb], partitions: [gpu]}
      - {names: m2, product: H100-80GB-SXM5, gpus: 1, layout: all-1g.10gb, partitions: [gpu]}
    jobs:
      - {name: moves, user: alice, want: "gpu:1g.10gb:1", on: m1/gpu0@4, ran: 2h, runs: 9d}
      - {name: b, user: bob, want: "gpu:1g.10gb:1", on: m1/gpu1@0, ran: 1d, runs: 9d, restartable: false}
      - {name: c, user: carol, want: "gpu:1g.10gb:1", on: m1/gpu1@5, ran: 1d, runs: 9d, restartable: false}
      - {name: d, user: dave, want: "gpu:1g.10gb:1", on: m2/gpu0@0, ran: 1d, runs: 9d, restartable: false}
      - {name: e, user: erin, want: "gpu:1g.10gb:1", on: m2/gpu0@5, ran: 1d, runs: 9d, restartable: false}
)";

class PackedMove : public FleetE2e {
 protected:
  PackedMove() : FleetE2e(kToMove), before_(others()) {}
  Ran pack() {
    return run({"pack", "3g.40gb=2", "-n", "m[1-2]", "--evict", "requeue", "--apply", "--write", "--yes"});
  }
  std::string of(const std::string& user) {
    return must({"workloads", "-o", "json", "--filter", "user=" + user}).out;
  }
  // Who is not moved: that they run, and since when; and the GPUs on which they do.
  std::string others() {
    std::string all;
    for (const char* user : {"bob", "carol", "dave", "erin"}) {
      const std::string jobs = of(user);
      for (const char* what : {"/0/id", "/0/state", "/0/started_at"}) all += json_at(jobs, what) + " ";
    }
    return all + board("m1", 1) + "; " + board("m2", 0);
  }
  // On an instance that was idle, or in the queue with Slurm's reason.
  void expect_moved() {
    EXPECT_EQ(board("m1", 0), "3g.40gb@0 3g.40gb@4");
    EXPECT_EQ(health("m1"), "ok");
    sim({"advance", "10m"});
    const std::string told = must({"workloads", "-o", "csv", "--columns=id,state,nodes,reason",
                                   "--no-headers", "--filter", "user=alice"})
                                 .out;
    EXPECT_TRUE(has(told, "running") || has(told, "pending")) << told;
    if (has(told, "pending")) EXPECT_NE(told.substr(told.rfind(',') + 1), "\n") << "no reason: " << told;
    EXPECT_EQ(others(), before_);
    expect_sound();
  }
  std::string before_;
};

TEST_F(PackedMove, TheOneJobInTheWayIsRequeuedTheLayoutIsMadeAndNoOtherJobIsTouched) {
  ASSERT_EQ(json_at(of("alice"), "/0/state"), "\"running\"");
  const std::string since = json_at(of("alice"), "/0/started_at");
  Ran waits = run({"pack", "3g.40gb=2", "-n", "m[1-2]", "--plan"});
  EXPECT_EQ(waits.code, 1) << "it is not moved unless that is asked for\n" << waits.out << waits.err;
  Ran packed = pack();
  EXPECT_EQ(packed.code, 0) << packed.out << packed.err;
  EXPECT_NE(json_at(of("alice"), "/0/started_at"), since) << "it was requeued";
  expect_moved();
}

// It is killed behind the requeue, before the first instance is made.
TEST_F(PackedMove, KilledOnceTheJobIsRequeuedTheRunIsResumedAndNoOtherJobIsTouched) {
  sim({"fault", "dies-before node=m1 verb=create-instances"});
  Ran killed = pack();
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_EQ(others(), before_);
  Ran on = run({"resume", newest_run(), "--write", "--yes"});
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  expect_moved();
}

class KubeFleet : public KubeChangeLab {};

TEST_F(KubeFleet, DriftOnTheGpuOperatorIsFoundAndMended) {
  const std::string path =
      folder_.write("fleet.yaml", "pools:\n- {name: cut, nodes: h2, preset: all-1g.10gb}\n");
  Ran found = run({"fleet", "check", path});
  EXPECT_EQ(found.code, 1) << found.out << found.err;
  Ran made = run({"fleet", "apply", path, "--write", "--yes"});
  ASSERT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_EQ(told("h2", ".status.allocatable.nvidia\\.com/mig-1g\\.10gb"), "14");
  expect_given_back("h2");
  Ran same = run({"fleet", "check", path});
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  kubectl({"label", "node", "h2", "--overwrite", "nvidia.com/mig.config=all-disabled"});
  Ran drift = run({"fleet", "check", path});
  for (int tries = 0; drift.code == 0 && tries < 20; ++tries) drift = run({"fleet", "check", path});
  EXPECT_NE(drift.code, 0) << drift.out;
}

// The window that holds moves, as on Slurm below.
TEST_F(KubeFleet, FleetRunMakesTheNightsLayoutOnTheGpuOperatorAndTheDaysAgain) {
  const auto due = [&](const std::string& when) {
    const std::string path = folder_.write("fleet.yaml",
                                           "holidays: [1999-01-01]\npools:\n- name: cut\n  nodes: h2\n  "
                                           "preset: all-disabled\n  windows: [{when: " +
                                               when + ", preset: all-1g.10gb}]\n");
    return run({"fleet", "run", path, "--write", "--yes"});
  };
  Ran night = due("daily");
  EXPECT_EQ(night.code, 0) << night.out << night.err;
  EXPECT_EQ(told("h2", ".status.allocatable.nvidia\\.com/mig-1g\\.10gb"), "14");
  Ran day = due("holidays");
  EXPECT_EQ(day.code, 0) << day.out << day.err;
  EXPECT_NE(told("h2", ".status.allocatable.nvidia\\.com/mig-1g\\.10gb"), "14");
  expect_given_back("h2");
}

class SlurmFleet : public SlurmCut {};

TEST_F(SlurmFleet, DriftOnARealSlurmIsFoundAndMended) {
  const std::string path = scratch_.write(
      "fleet.yaml", "pools:\n- name: cut\n  nodes: gpu01\n  gpus: {0: 7x1g.12gb, 1-7: none}\n");
  slurmconf::SlurmSettings site = with_runner();
  RunOptions options = command_line();
  const auto fleet = [&](const char* verb) {
    return tessera(site, {"fleet", verb, path, "-n", "gpu01"}, options);
  };
  Ran found = fleet("check");
  EXPECT_EQ(found.code, 1) << found.out << found.err;
  Ran made = fleet("apply");
  EXPECT_EQ(made.code, 0) << made.out << made.err;
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  Ran same = fleet("check");
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  Ran other = tessera(site, {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "none"}, options);
  EXPECT_EQ(other.code, 0) << other.out << other.err;
  EXPECT_EQ(fleet("check").code, 1);
  EXPECT_EQ(fleet("apply").code, 0);
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
}

// Slurm's clock cannot be moved: the window that holds today moves instead.
TEST_F(SlurmFleet, FleetRunMakesTheNightsLayoutOnARealSlurmAndTheDaysAgain) {
  slurmconf::SlurmSettings site = with_runner();
  RunOptions options = command_line();
  const auto due = [&](const std::string& when) {
    const std::string path = scratch_.write("fleet.yaml",
                                            "holidays: [1999-01-01]\npools:\n- name: cut\n  nodes: gpu01\n  "
                                            "gpus: {0-7: none}\n  windows: [{when: " +
                                                when + ", gpus: {0: 7x1g.12gb, 1-7: none}}]\n");
    return tessera(site, {"fleet", "run", path, "-n", "gpu01"}, options);
  };
  Ran night = due("daily");
  EXPECT_EQ(night.code, 0) << night.out << night.err;
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  Ran same = due("daily");
  EXPECT_EQ(same.code, 0) << same.out << same.err;
  Ran day = due("holidays");
  EXPECT_EQ(day.code, 0) << day.out << day.err;
  EXPECT_NE(gres("gpu01"), kSevens) << record("gpu01");
}

}  // namespace
}  // namespace tessera::test
