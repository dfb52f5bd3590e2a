// What is done to a fleet, on whom, by whose hand, and over a kill of tessera in the middle: docs/fleet.md
// has the table of which test does what.
#include <signal.h>

#include "tests/e2e/kube_change_lab.hpp"
#include "tests/e2e/slurm_cut_lab.hpp"

namespace tessera::test {
namespace {

// The run that a kill left, from the first picture of the next console on. typed: what arms it.
bool carry_on(Pty& pty, const std::string& typed) {
  return pty.wait_for("was interrupted") && pty.press("J") && pty.wait_for("! INTERRUPTED") &&
         pty.press("\r") && pty.wait_for("INTERRUPTED: the tessera that drove it is gone") &&
         pty.press("rc") && pty.press(typed + "\r") && pty.wait_for("ARMED") && pty.press("!");
}

// h1 and h2 with two H100 each, nobody on them.
class FleetCells : public KubeChangeLab {
 protected:
  void SetUp() override {
    KubeChangeLab::SetUp();
    if (!server_) return;
    sim::kube::ServeOptions options = kube_lab(folder_);
    options.world.scenario = folder_.write("cells.yaml", R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: "h[1-2]", product: H100-80GB-SXM5, gpus: 2, driver: 570.124.06}
)");
    serve(std::move(options));
  }
  // day: what stands where no window holds; the night is now where `night` is not empty.
  std::string file(const std::string& day, const std::string& night = "") {
    return folder_.write(
        "fleet.yaml", "pools:\n- name: both\n  nodes: \"h[1-2]\"\n  preset: " + day +
                          (night.empty() ? "\n" : "\n  windows: [{when: daily, preset: " + night + "}]\n"));
  }
  Ran onward() { return run({"resume", newest_run(), "--write", "--yes", "-o", "json"}); }
  void expect_offered(const std::string& resource, const std::string& count) {
    for (const char* node : {"h1", "h2"}) {
      EXPECT_EQ(offers(node, resource), count) << node;
      expect_given_back(node);
    }
  }
  // Another's order, behind tessera's back.
  void drift() {
    kubectl({"label", "node", "h2", "--overwrite", "nvidia.com/mig.config=all-disabled"});
    for (int asked = 0; asked < 200 && offers("h2", "gpu") != "2"; ++asked) continue;  // the manager is at it
    EXPECT_EQ(offers("h2", "gpu"), "2");
  }
  static bool run_by_keys(Pty& pty, const std::string& typed) {
    return pty.wait_for("disturbs no workload") && pty.press("A" + typed + "\r") && pty.wait_for("ARMED") &&
           pty.press("!");
  }
  static bool done(Pty& pty, const char* layout = "the new layout is in place") {
    return pty.wait_for(std::string("DONE: ") + layout);
  }
};

TEST_F(FleetCells, APackedPlanOfSeveralNodesIsCarriedOnOverAKillAndUndone) {
  Ran killed = run({"pack", "7g.80gb=4", "--apply", "--write", "--yes"}, killed_at("step h2/1"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  Ran on = onward();
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  expect_offered("mig-7g\\.80gb", "2");
  Ran undone = run({"undo", newest_run(), "--write", "--yes"});
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  expect_offered("gpu", "2");
}

TEST_F(FleetCells, ADriftIsFoundAndMendedOverAKillAndSoWasTheFleetApplied) {
  const std::string path = file("all-1g.10gb");
  Ran killed = run({"fleet", "apply", path, "--write", "--yes"}, killed_at("step h1/1"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_EQ(onward().code, 0);
  expect_offered("mig-1g\\.10gb", "14");
  EXPECT_EQ(run({"fleet", "check", path}).code, 0);
  drift();
  Ran found = run({"fleet", "check", path});
  for (int tries = 0; tries < 40 && offers("h2", "gpu") != "2"; ++tries)
    found = run({"fleet", "check", path});
  found = run({"fleet", "check", path});
  EXPECT_EQ(found.code, 1) << found.out << found.err;
  const std::string writer = "the label nvidia.com/mig.config was written last by kubectl-label, ";
  EXPECT_NE(found.out.find("h2: " + writer), std::string::npos) << found.out;
  EXPECT_EQ(found.out.find("h1: "), std::string::npos) << "h1 is as tessera left it\n" << found.out;
  for (const KubeWords& verb : {KubeWords{"diff"}, KubeWords{"explain", "h2"}}) {
    KubeWords words{"fleet"};
    words.insert(words.end(), verb.begin(), verb.end());
    words.push_back(path);
    Ran told = run(words);
    EXPECT_NE(told.out.find(writer), std::string::npos) << told.out << told.err;
  }
  killed = run({"fleet", "apply", path, "--write", "--yes"}, killed_at("ask the MIG manager"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  Ran on = onward();
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  expect_offered("mig-1g\\.10gb", "14");
  EXPECT_EQ(run({"fleet", "check", path}).code, 0);
}

TEST_F(FleetCells, FromDriftToDayAndNightByKeysOverAKill) {
  const std::string path = file("all-1g.10gb");
  PtyOptions options = console();
  {
    Pty pty(options);
    ASSERT_TRUE(pty.wait_loaded() && pty.press(":fleet " + path + "\r")) << pty.screen();
    ASSERT_TRUE(pty.wait_for("2 drift") && pty.press("a") && run_by_keys(pty, "2") && done(pty))
        << pty.screen();
    ASSERT_TRUE(pty.press(":fleet\r") && pty.wait_for("2 as wanted")) << pty.screen();
    drift();
    ASSERT_TRUE(pty.wait_for("1 drift") && pty.press("\r") && run_by_keys(pty, "h2") && done(pty))
        << pty.screen();
    ASSERT_TRUE(pty.press(":fleet\r") && pty.wait_for("2 as wanted")) << pty.screen();
    expect_offered("mig-1g\\.10gb", "14");
    file("all-1g.10gb", "all-disabled");  // the night is now
    ASSERT_TRUE(pty.press("r") && pty.wait_for("2 drift") && pty.press("a") && run_by_keys(pty, "2"))
        << pty.screen();
    ASSERT_TRUE(pty.wait_for("h1/")) << pty.screen();
    pty.signal(SIGKILL);
    ASSERT_TRUE(pty.wait_ended());
  }
  Ran on = onward();
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  expect_offered("gpu", "2");
  file("all-1g.10gb");  // by day again
  Pty pty(options);
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press(":fleet " + path + "\r") && pty.wait_for("2 drift") && pty.press("a"))
      << pty.screen();
  ASSERT_TRUE(run_by_keys(pty, "2") && done(pty)) << pty.screen();
  expect_offered("mig-1g\\.10gb", "14");
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
}

TEST_F(FleetCells, ADriftIsFoundAndMendedByKeysOverAKill) {
  const std::string path = file("all-1g.10gb");
  ASSERT_EQ(run({"fleet", "apply", path, "--write", "--yes"}).code, 0);
  {
    Pty pty(console());
    ASSERT_TRUE(pty.wait_loaded() && pty.press(":fleet " + path + "\r") && pty.wait_for("2 as wanted"))
        << pty.screen();
    drift();
    ASSERT_TRUE(pty.wait_for("1 drift") && pty.press("\r") && run_by_keys(pty, "h2")) << pty.screen();
    ASSERT_TRUE(pty.wait_for("h2/")) << pty.screen();
    pty.signal(SIGKILL);
    ASSERT_TRUE(pty.wait_ended());
  }
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && carry_on(pty, "h2") && done(pty)) << pty.screen();
  expect_offered("mig-1g\\.10gb", "14");
  ASSERT_TRUE(pty.press(":fleet " + path + "\r") && pty.wait_for("2 as wanted")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
}

// Once with the canary through and the other node at work, then with the manager of the first at work.
TEST_F(FleetCells, APackedPlanOfSeveralNodesIsCarriedOnAndUndoneByKeysOverKills) {
  const auto begin_killed = [&](const char* reached) {
    Pty pty(console());
    ASSERT_TRUE(pty.wait_loaded() && pty.press(":pack 7g.80gb=4\r")) << pty.screen();
    ASSERT_TRUE(pty.wait_for("touches 4 GPUs on 2 nodes") && pty.press("\r")) << pty.screen();
    ASSERT_TRUE(run_by_keys(pty, "2") && pty.wait_for("h1/") && pty.wait_for(reached)) << pty.screen();
    pty.signal(SIGKILL);
    ASSERT_TRUE(pty.wait_ended());
  };
  for (const char* reached : {"1 of 2 nodes done", "h1/"}) {
    begin_killed(reached);
    Pty pty(console());
    ASSERT_TRUE(pty.wait_loaded() && carry_on(pty, "2") && done(pty)) << pty.screen();
    expect_offered("mig-7g\\.80gb", "2");
    ASSERT_TRUE(pty.press("z") && pty.wait_for("undoes")) << pty.screen();
    ASSERT_TRUE(run_by_keys(pty, "2") && done(pty, "the earlier layout is in place again")) << pty.screen();
    expect_offered("gpu", "2");
    pty.send("q");
    ASSERT_TRUE(pty.wait_ended());
  }
}

// Only v1's GPU can be cut into a 7g.94gb, and a pod of its own controller holds it; h1 has a whole GPU to
// which it may go, beside a pod that would not start again.
class PackedPodMove : public FleetCells {
 protected:
  void SetUp() override {
    FleetCells::SetUp();
    if (!server_) return;
    sim::kube::ServeOptions options = kube_lab(folder_);
    options.world.scenario = folder_.write("move.yaml", R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: v1, product: H100-NVL-94GB, gpus: 1, driver: 570.124.06}
      - {names: h1, product: H100-80GB-SXM5, gpus: 2, driver: 570.124.06}
    jobs:
      - {name: mover, namespace: training, want: "nvidia.com/gpu:1", on: v1, runs: 9d, ran: 1h,
         does: training}
      - {name: keeper, namespace: serving, want: "nvidia.com/gpu:1", on: h1/gpu0, runs: 9d, ran: 1h,
         does: training, restartable: false}
)");
    serve(std::move(options));
    mover_ = pods("training"), keeper_ = pods("serving");
  }
  Ran pack(RunOptions options = {}) {
    return run({"pack", "7g.94gb=1", "--evict", "requeue", "--apply", "--write", "--yes"},
               std::move(options));
  }
  // With their uids: one that has been replaced is another.
  std::string pods(const std::string& space) {
    return kubectl({"get", "pods", "-n", space, "-o",
                    "jsonpath={range .items[*]}{.metadata.name}/{.metadata.uid} {.spec.nodeName} "
                    "{.status.phase};{end}"});
  }
  void expect_moved() {
    EXPECT_EQ(offers("v1", "mig-7g\\.94gb"), "1");
    EXPECT_EQ(offers("h1", "gpu"), "2") << "its GPUs are left alone";
    expect_given_back("v1");
    EXPECT_EQ(pods("serving"), keeper_);
    const std::string now = pods("training");
    EXPECT_NE(now.find("mover-"), std::string::npos) << "its controller has made another one: " << now;
    EXPECT_EQ(now.find(mover_.substr(0, mover_.find(' '))), std::string::npos) << "it was evicted: " << now;
    EXPECT_EQ(now.find(" v1 "), std::string::npos) << now;
    EXPECT_TRUE(now.find("Running") != std::string::npos || now.find("Pending") != std::string::npos) << now;
  }
  std::string mover_, keeper_;
};

TEST_F(PackedPodMove, ThePodInTheWayIsEvictedTheLayoutIsMadeAndTheOtherPodIsNotTouched) {
  ASSERT_NE(mover_.find(" v1 Running"), std::string::npos) << mover_;
  Ran waits = run({"pack", "7g.94gb=1", "--plan"});
  EXPECT_EQ(waits.code, 1) << "it is not moved unless that is asked for\n" << waits.out << waits.err;
  Ran packed = pack();
  EXPECT_EQ(packed.code, 0) << packed.out << packed.err;
  expect_moved();
}

TEST_F(PackedPodMove, KilledAtTheEvictionTheRunIsResumedAndTheOtherPodIsNotTouched) {
  Ran killed = pack(killed_at("evict training/mover"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_EQ(pods("serving"), keeper_);
  Ran on = onward();
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  expect_moved();
}

class SlurmCells : public SlurmCut {
 protected:
  PtyOptions console() const {
    const slurmconf::SlurmSettings site = with_runner();
    PtyOptions options;
    options.columns = 140, options.rows = 44;
    options.arguments = {"--write",
                         "--slurm-conf",
                         lab_->conf(),
                         "--slurm-runner",
                         site.runner,
                         "--slurm-devices",
                         site.devices,
                         "--slurm-restart-controller",
                         site.restart_controller,
                         "--slurm-restart-node",
                         site.restart_node};
    options.environment = command_line().environment;
    return options;
  }
  // GPU 0 is cut, or all are whole; the other is the night's, which is now where `night` says so.
  std::string file(bool cut, bool night = false) {
    const std::string sevens = "{0: 7x1g.12gb, 1-7: none}", whole = "{0-7: none}";
    return scratch_.write(
        "fleet.yaml",
        "pools:\n- name: cut\n  nodes: gpu01\n  gpus: " + (cut ? sevens : whole) + "\n" +
            (night ? "  windows: [{when: daily, gpus: " + (cut ? whole : sevens) + "}]\n" : "") +
            "- {name: others, layout: as-is}\n");
  }
  // As a colleague would, in another tessera.
  void undo_by_hand() {
    Ran other =
        tessera(with_runner(), {"apply", "-n", "gpu01", "--gpu", "0", "--layout", "none"}, command_line());
    EXPECT_EQ(other.code, 0) << other.out << other.err;
  }
  static bool run_by_keys(Pty& pty) {
    return pty.wait_for("1 drift") && pty.press("\r") && pty.wait_for("disturbs no") &&
           pty.press("Agpu01\r") && pty.wait_for("ARMED") && pty.press("!");
  }
  static bool carry_on(Pty& pty) { return test::carry_on(pty, "gpu01"); }
  static bool done(Pty& pty) { return pty.wait_for("DONE: the new layout is in place"); }
};

TEST_F(SlurmCells, FromDriftToDayAndNightByKeysOverAKill) {
  const std::string path = file(true);
  {
    Pty pty(console());
    ASSERT_TRUE(pty.wait_loaded() && pty.press(":fleet " + path + "\r")) << pty.screen();
    ASSERT_TRUE(run_by_keys(pty) && done(pty)) << pty.screen();
    EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
    ASSERT_TRUE(pty.press(":fleet\r") && pty.wait_for("1 as wanted")) << pty.screen();
    file(true, true);  // the night is now
    ASSERT_TRUE(pty.press("r") && run_by_keys(pty) && pty.wait_for("gpu01/")) << pty.screen();
    pty.signal(SIGKILL);
    ASSERT_TRUE(pty.wait_ended());
  }
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && carry_on(pty) && done(pty)) << pty.screen();
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
  file(true);  // by day again
  ASSERT_TRUE(pty.press(":fleet " + path + "\r") && run_by_keys(pty) && done(pty)) << pty.screen();
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
}

// Another changes the node behind the console's back.
TEST_F(SlurmCells, ADriftIsFoundAndMendedByKeysOverAKill) {
  const std::string path = file(true);
  {
    Pty pty(console());
    ASSERT_TRUE(pty.wait_loaded() && pty.press(":fleet " + path + "\r")) << pty.screen();
    ASSERT_TRUE(run_by_keys(pty) && done(pty)) << pty.screen();
    ASSERT_TRUE(pty.press(":fleet\r") && pty.wait_for("1 as wanted")) << pty.screen();
    undo_by_hand();
    ASSERT_TRUE(run_by_keys(pty) && pty.wait_for("gpu01/")) << pty.screen();
    pty.signal(SIGKILL);
    ASSERT_TRUE(pty.wait_ended());
  }
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && carry_on(pty) && done(pty)) << pty.screen();
  EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
  ASSERT_TRUE(pty.press(":fleet " + path + "\r") && pty.wait_for("1 as wanted")) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
}

TEST_F(SlurmCells, ADriftIsFoundAndMendedOverAKillAndSoWasTheFleetApplied) {
  const std::string path = file(true);
  const slurmconf::SlurmSettings site = with_runner();
  const RunOptions options = command_line();
  const auto fleet = [&](const char* verb, const RunOptions& how) {
    return tessera(site, {"fleet", verb, path, "-n", "gpu01"}, how);
  };
  for (const char* killed_before : {"step gpu01/4", "step gpu01/2"}) {
    EXPECT_EQ(fleet("check", options).code, 1);
    Ran killed = fleet("apply", SlurmCut::killed_at(options, killed_before));
    ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
    Ran on = tessera(site, {"resume", newest_run(options)}, options);
    EXPECT_EQ(on.code, 0) << on.out << on.err;
    EXPECT_EQ(gres("gpu01"), kSevens) << record("gpu01");
    EXPECT_EQ(fleet("check", options).code, 0);
    undo_by_hand();
  }
}

TEST_F(SlurmCells, APackedPlanOfSeveralNodesIsCarriedOnAndUndoneByKeysOverAKill) {
  const auto arm = [](Pty& pty) { return pty.press("2\r") && pty.wait_for("ARMED") && pty.press("!"); };
  {
    Pty pty(console());
    ASSERT_TRUE(pty.wait_loaded() && pty.press(":pack 7g.94gb=9\r") && pty.press(":on gpu01,gpu02\r"))
        << pty.screen();
    ASSERT_TRUE(pty.wait_for("touches 9 GPUs on 2 nodes") && pty.press("\r")) << pty.screen();
    ASSERT_TRUE(pty.wait_for("disturbs no") && pty.press("A") && arm(pty)) << pty.screen();
    ASSERT_TRUE(pty.wait_for("1 of 2 nodes done")) << pty.screen();  // the canary is through, the other not
    pty.signal(SIGKILL);
    ASSERT_TRUE(pty.wait_ended());
  }
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && pty.wait_for("was interrupted")) << pty.screen();
  ASSERT_TRUE(pty.press("J\r") && pty.wait_for("INTERRUPTED: the tessera that drove it is gone"))
      << pty.screen();
  ASSERT_TRUE(pty.press("rc") && arm(pty) && done(pty)) << pty.screen();
  EXPECT_NE(gres("gpu01").find("7g.94gb"), std::string::npos) << record("gpu01");
  EXPECT_NE(gres("gpu02").find("7g.94gb"), std::string::npos) << record("gpu02");
  ASSERT_TRUE(pty.press("z") && pty.wait_for("undoes") && pty.press("A") && arm(pty)) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the earlier layout is in place again")) << pty.screen();
  for (const char* node : {"gpu01", "gpu02"}) EXPECT_EQ(gres(node), "gpu:h100:8") << record(node);
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
}

TEST_F(SlurmCells, APackedPlanOfSeveralNodesIsCarriedOnOverAKillAndUndone) {
  const slurmconf::SlurmSettings site = with_runner();
  const RunOptions options = command_line();
  Ran killed = tessera(site, {"pack", "7g.94gb=9", "-n", "gpu01,gpu02", "--apply"},
                       SlurmCut::killed_at(options, "step gpu02/1"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  Ran on = tessera(site, {"resume", newest_run(options)}, options);
  EXPECT_EQ(on.code, 0) << on.out << on.err;
  EXPECT_NE(gres("gpu01").find("7g.94gb"), std::string::npos) << record("gpu01");
  EXPECT_NE(gres("gpu02").find("7g.94gb"), std::string::npos) << record("gpu02");
  Ran undone = tessera(site, {"undo", newest_run(options)}, options);
  EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
  for (const char* node : {"gpu01", "gpu02"}) EXPECT_EQ(gres(node), "gpu:h100:8") << record(node);
}

}  // namespace
}  // namespace tessera::test
