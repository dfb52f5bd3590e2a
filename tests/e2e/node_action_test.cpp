// Closing nodes and opening them again with the real binary: on the built-in simulation, on a simulated API
// server with the real kubectl beside, and on a real Slurm.
#include "engine/plan/node_action.hpp"

#include "tests/e2e/change_lab.hpp"
#include "tests/e2e/kube_change_lab.hpp"
#include "tests/e2e/slurm_change_lab.hpp"

namespace tessera::test {
namespace {

class NodeAction : public ChangeLab {
 protected:
  Ran node(Words words) {
    words.insert(words.begin(), "node");
    words.insert(words.end(), {"--write", "--yes", "-o", "json"});
    return run(words);
  }
  std::string reason(const std::string& name) {
    return text_at(must({"nodes", "-o", "json", "--filter", "node=" + name}).out, "/0/reason");
  }
};

TEST_F(NodeAction, ANodeIsDrainedForAReasonResumedAndBothAreUndone) {
  Ran drained = node({"drain", "n2", "fans", "are", "loud"});
  ASSERT_EQ(drained.code, 0) << drained.out << drained.err;
  EXPECT_EQ(check_schema(schema_text("result"), drained.out), Words{});
  EXPECT_EQ(health("n2"), "draining") << "what runs there goes on";
  const std::string run = text_at(drained.out, "/run");
  EXPECT_TRUE(reason("n2").starts_with("fans are loud (tessera " + run + " ")) << reason("n2");
  EXPECT_TRUE(has(must({"journal", run}).out, "closed to new workloads, read back"));

  Ran resumed = node({"resume", "n2"});
  ASSERT_EQ(resumed.code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(health("n2"), "ok");

  Ran closed_again = this->run({"undo", text_at(resumed.out, "/run"), "--write", "--yes", "-o", "json"});
  ASSERT_EQ(closed_again.code, 0) << closed_again.out << closed_again.err;
  EXPECT_EQ(text_at(closed_again.out, "/outcome"), "recorded");
  EXPECT_TRUE(reason("n2").starts_with("fans are loud (tessera ")) << reason("n2");
  Ran refused = this->run({"undo", run, "--write", "--yes"});
  EXPECT_EQ(refused.code, 1) << "another run has closed it since";
  Ran opened = this->run({"undo", text_at(closed_again.out, "/run"), "--write", "--yes", "-o", "json"});
  EXPECT_EQ(opened.code, 0) << opened.err;
  EXPECT_EQ(health("n2"), "ok");
  expect_sound();
}

TEST_F(NodeAction, WhatAnotherUserHasDrainedIsShownAndOpenedOnlyKnowingly) {
  sim({"drain", "n1", "bad ECC"});
  Ran refused = node({"resume", "n1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.err, "bad ECC")) << refused.err;
  EXPECT_TRUE(has(refused.err, "over-others")) << refused.err;
  EXPECT_EQ(health("n1"), "drained");
  Ran knowingly = node({"resume", "n1", "over-others"});
  EXPECT_EQ(knowingly.code, 0) << knowingly.err;
  EXPECT_EQ(health("n1"), "ok");
}

TEST_F(NodeAction, ANodeThatIsClosedAlreadyIsLeftAndItsReasonIsPrinted) {
  sim({"drain", "n1", "bad ECC"});
  Ran again = node({"drain", "n1", "firmware"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_TRUE(has(again.err, "n1: closed already by ")) << again.err;
  EXPECT_TRUE(has(again.err, "bad ECC")) << again.err;
  EXPECT_EQ(journal(), "[]\n");
  Ran both = node({"drain", "n[1-2]", "firmware"});
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_TRUE(has(both.err, "n1: closed already by ")) << both.err;
  EXPECT_FALSE(has(both.err, "n2: closed already")) << both.err;
}

TEST_F(NodeAction, APlanFromAFileIsRefusedOnceTheNodeWasClosedByAnother) {
  Ran planned = must({"node", "drain", "n1", "firmware", "--dry-run", "-o", "json"});
  EXPECT_EQ(check_schema(schema_text("plan"), planned.out), Words{});
  const std::string file = folder_.write("plan.json", planned.out);
  sim({"drain", "n1", "bad ECC"});
  Ran late = run({"apply", file, "--write", "--yes"});
  EXPECT_EQ(late.code, 1);
  EXPECT_TRUE(has(late.err, "closed: bad ECC")) << late.err;
  sim({"open", "n1"});
  EXPECT_EQ(run({"apply", file, "--write", "--yes"}).code, 0);
  EXPECT_EQ(health("n1"), "drained");
}

TEST_F(NodeAction, NothingIsClosedReadOnlyUnnamedOrWithoutAReason) {
  EXPECT_EQ(run({"node", "drain", "n1", "firmware", "--yes"}).code, 1);
  for (const Words& wrong : {Words{"node"}, Words{"node", "drain"}, Words{"node", "drain", "n1"},
                             Words{"node", "shut", "n1", "x"}, Words{"node", "resume", "n1", "now"},
                             Words{"node", "cordon", "n1", "x"}, Words{"node", "drain", "n9", "x"}}) {
    Words words = wrong;
    words.insert(words.end(), {"--write", "--yes"});
    Ran ran = run(words);
    EXPECT_EQ(ran.code, 2) << ran.err;
    EXPECT_NE(ran.err, "");
  }
  EXPECT_EQ(health("n1"), "ok");
  EXPECT_EQ(journal(), "[]\n");
}

TEST_F(NodeAction, SlurmHasNoDevicePluginToRestart) {
  Ran refused = node({"restart-plugin", "n1"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.err, "Slurm has no device plugin")) << refused.err;
  EXPECT_EQ(node({"restart-plugin", "n1", "now"}).code, 2);
}

TEST_F(NodeAction, SlurmRebootsAnEmptyNodeAndItTakesJobsAgain) {
  Ran rebooted = node({"reboot", "n3", "XID", "79"});
  ASSERT_EQ(rebooted.code, 0) << rebooted.out << rebooted.err;
  EXPECT_EQ(health("n3"), "ok");
  EXPECT_TRUE(has(must({"journal", text_at(rebooted.out, "/run")}).out, "has booted again, and answers"));
  Ran back = run({"undo", text_at(rebooted.out, "/run"), "--write", "--yes"});
  EXPECT_EQ(back.code, 1);
  EXPECT_TRUE(has(back.err, "leaves nothing to undo")) << back.err;
  expect_sound();
}

TEST_F(NodeAction, AGpuThatNobodyHasIsResetReadBackAndTheNodeOpenedAgain) {
  Ran planned = must({"node", "reset-gpu", "n1", "1", "--dry-run", "-o", "json"});
  EXPECT_EQ(check_schema(schema_text("plan"), planned.out), Words{});
  Ran reset = node({"reset-gpu", "n1", "1"});
  ASSERT_EQ(reset.code, 0) << reset.out << reset.err;
  EXPECT_EQ(health("n1"), "ok");
  EXPECT_EQ(reason("n1"), "null");
  const std::string run = text_at(reset.out, "/run");
  EXPECT_TRUE(has(must({"journal", run}).out, "its GPUs were reset, answer, and ask for no further reset"));
  Ran back = this->run({"undo", run, "--write", "--yes"});
  EXPECT_EQ(back.code, 1);
  EXPECT_TRUE(has(back.err, "a GPU that was reset leaves nothing to undo")) << back.err;
  EXPECT_EQ(node({"reset-gpu", "n1"}).code, 2) << "the GPU is missing";
  EXPECT_EQ(node({"reset-gpu", "n1", "1", "now"}).code, 2);
  EXPECT_EQ(node({"reset-gpu", "n1", "1,1"}).code, 2);
  EXPECT_EQ(node({"reset-gpu", "n1", "7"}).code, 2) << "it has no such GPU";
  Ran cut = node({"reset-gpu", "n1", "0"});
  EXPECT_EQ(cut.code, 1);
  EXPECT_TRUE(has(cut.err, "GPU 0 is in MIG mode")) << cut.err;
  expect_sound();
}

TEST_F(NodeAction, AResetThatFailsOrIsInVainKeepsTheNodeClosedUntilItIsCarriedOnOrGoneBackFrom) {
  for (const bool carry_on : {true, false}) {
    sim({"fault", "reset-in-vain node=n3"});
    Ran parked = node({"reset-gpu", "n3", "0"});
    EXPECT_NE(parked.code, 0);
    EXPECT_TRUE(has(parked.out + parked.err, "still asks for a reset")) << parked.out << parked.err;
    EXPECT_EQ(health("n3"), "drained");
    Words words{"resume", newest_run(), "--write", "--yes", "-o", "json"};
    if (!carry_on) words.push_back("--back");
    Ran on = run(words);
    EXPECT_EQ(text_at(on.out, "/outcome"), carry_on ? "wanted" : "recorded") << on.out << on.err;
    EXPECT_EQ(health("n3"), "ok");
  }
  expect_sound();
}

TEST_F(NodeAction, AClosedNodeStaysClosedOverTheRebootAndOneWithJobsIsRefused) {
  sim({"drain", "n3", "bad ECC"});
  EXPECT_EQ(node({"reboot", "n3", "XID", "79"}).code, 0);
  EXPECT_EQ(health("n3"), "drained");
  EXPECT_TRUE(reason("n3").starts_with("bad ECC")) << reason("n3");
  sim({"drain", "n2", "fans"});
  Ran refused = node({"reboot", "n2", "XID", "79"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(has(refused.err, "Slurm would open it after the boot")) << refused.err;
  EXPECT_EQ(node({"reboot", "n1"}).code, 2) << "a reason is missing";
}

TEST_F(NodeAction, ARebootThatWaitsForJobsIsGoneBackFromAfterTheProcessWasKilled) {
  RunOptions impatient = options_;
  impatient.deadline =
      std::chrono::seconds(5);  // SIGKILL: a job of 4 days is there, and the world stands still
  Ran killed = run_tessera({"node", "reboot", "n2", "XID", "79", "--write", "--yes", state()}, impatient);
  EXPECT_NE(killed.code, 0) << killed.out;
  EXPECT_TRUE(has(killed.err + killed.out, "n2 reboots once its jobs have ended"))
      << killed.err << killed.out;
  EXPECT_EQ(health("n2"), "draining");
  Ran close = node({"drain", "n2", "fans"});
  EXPECT_TRUE(has(close.err, "a reboot of it is noted")) << close.err;
  Ran back = run({"resume", newest_run(), "--back", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(text_at(back.out, "/outcome"), "recorded") << back.out << back.err;
  EXPECT_EQ(health("n2"), "ok");
  EXPECT_EQ(reason("n2"), "null");
  expect_sound();
}

class NodeActionKube : public KubeChangeLab {
 protected:
  Ran node(KubeWords words) {
    words.insert(words.begin(), "node");
    words.insert(words.end(), {"--write", "--yes", "-o", "json"});
    return run(words);
  }
};

TEST_F(NodeActionKube, ANodeIsCordonedAsKubectlSeesItAndUncordoned) {
  Ran cordoned = node({"cordon", "h2", "firmware", "update"});
  ASSERT_EQ(cordoned.code, 0) << cordoned.out << cordoned.err;
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "true");
  EXPECT_TRUE(told("h2", ".metadata.annotations.tessera/closed").starts_with("firmware update (tessera "));
  EXPECT_EQ(told("h2", ".metadata.annotations.tessera/run"), "") << "no run is changing it";
  Ran opened = node({"uncordon", "h2"});
  ASSERT_EQ(opened.code, 0) << opened.out << opened.err;
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "");
  EXPECT_EQ(told("h2", ".metadata.annotations.tessera/closed"), "");
}

TEST_F(NodeActionKube, WhatKubectlHasCordonedIsOpenedOnlyKnowingly) {
  kubectl({"cordon", "h2"});
  Ran refused = node({"uncordon", "h2"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("another user: cordoned"), std::string::npos) << refused.err;
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "true");
  Ran knowingly = node({"uncordon", "h2", "over-others"});
  EXPECT_EQ(knowingly.code, 0) << knowingly.err;
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "");
  EXPECT_EQ(node({"drain", "h2", "x"}).code, 2) << "kubectl drain would evict: another word";
}

TEST_F(NodeActionKube, TheDevicePluginsPodIsRestartedWhilePodsKeepTheirGpus) {
  const auto pods = [&](const std::string& node) {
    return kubectl({"get", "pods", "--all-namespaces", "--selector", "app=nvidia-device-plugin-daemonset",
                    "--field-selector", "spec.nodeName=" + node, "-o", "jsonpath={.items[*].metadata.uid}"});
  };
  const std::string here = pods("h1"), elsewhere = pods("h2");
  ASSERT_NE(here, "");
  Ran restarted = node({"restart-plugin", "h1"});
  ASSERT_EQ(restarted.code, 0) << restarted.out << restarted.err;
  const std::string now = pods("h1");
  EXPECT_NE(now, here);
  EXPECT_EQ(now.find(' '), std::string::npos) << "one pod: " << now;
  EXPECT_EQ(pods("h2"), elsewhere);
  EXPECT_EQ(offers("h1", "gpu"), "2");
  EXPECT_EQ(kubectl({"get", "pods", "--namespace", "training", "-o", "jsonpath={.items[*].status.phase}"}),
            "Running");
  expect_given_back("h1");
  Ran back = run({"undo", run_of(restarted), "--write", "--yes"});
  EXPECT_EQ(back.code, 1);
  EXPECT_NE(back.err.find("leaves nothing to undo"), std::string::npos) << back.err;
}

TEST_F(NodeActionKube, ARunThatIsKilledWhileThePluginFailsGoesBackByTakingItsMarkOff) {
  kubectl({"label", "node", "h2", "nvidia.com/device-plugin.config=missing"});
  kubectl({"patch", "clusterpolicy", "cluster-policy", "--type=merge", "-p",
           R"({"spec":{"devicePlugin":{"config":{"name":"nowhere"}}}})"});
  RunOptions options;
  options.environment = environment();
  options.deadline = std::chrono::seconds(
      10);  // SIGKILL: the new pod's configuration does not exist, so it never gets ready
  Ran killed = run_tessera({"node", "restart-plugin", "h2", "--write", "--yes", "--kubeconfig", kubeconfig()},
                           options);
  EXPECT_NE(killed.code, 0) << killed.out;
  EXPECT_NE(killed.err.find("is not ready: CrashLoopBackOff"), std::string::npos) << killed.err;
  EXPECT_NE(told("h2", ".metadata.annotations.tessera/run"), "");
  const std::string run = json_at(this->run({"journal", "-o", "json"}).out, "/0/run");
  Ran back = this->run({"resume", run.substr(1, run.size() - 2), "--back", "--write", "--yes", "-o", "json"});
  EXPECT_EQ(json_at(back.out, "/outcome"), "\"recorded\"") << back.out << back.err;
  expect_given_back("h2");
}

TEST_F(NodeActionKube, NoSchedulerOfKubernetesRebootsNodes) {
  Ran refused = node({"reboot", "h1", "XID", "79"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.err.find("no scheduler of Kubernetes reboots nodes"), std::string::npos) << refused.err;
}

plan::Plan node_plan(Admin& admin, plan::NodeAction action, std::vector<NodeName> nodes) {
  const Cluster& now = admin.cluster();
  plan::Intent intent;
  intent.cluster = now.name;
  intent.nodes = std::move(nodes);
  intent.words = plan::to_text(action, Scheduler::slurm);
  intent.orders = plan::orders_of(action);
  auto made =
      plan::make_plan(now, catalogue(), intent, admin.backend().actuator()->means(), {}, wall_clock());
  EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
  return made ? *made : plan::Plan();
}

class SlurmNodeAction : public SlurmChange {};

TEST_F(SlurmNodeAction, NodesAreDrainedWhileJobsRunAndOpenedByTheUndo) {
  Running job = run_on("gpu01", "gpu:h100:1");
  Admin admin(*lab_, said(), folder());
  plan::NodeAction closing;
  closing.reason = "fans [2 of 6], \"loud\"";
  std::string run = admin.start(node_plan(admin, closing, {NodeName("gpu01"), NodeName("gpu02")}));
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  for (const char* node : {"gpu01", "gpu02"}) {
    EXPECT_NE(field(record(node), "State").find("DRAIN"), std::string::npos) << record(node);
    EXPECT_NE(record(node).find("Reason=fans [2 of 6], \"loud\" (tessera " + run + " root@lab)"),
              std::string::npos)
        << record(node);
  }
  expect_untouched(job);
  std::string back = admin.undo(run);
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  for (const char* node : {"gpu01", "gpu02"})
    EXPECT_EQ(field(record(node), "State").find("DRAIN"), std::string::npos) << record(node);
  expect_untouched(job);
}

TEST_F(SlurmNodeAction, WhatAnotherHasDrainedMeanwhileStaysDrained) {
  Admin admin(*lab_, said(), folder());
  plan::NodeAction closing;
  closing.reason = "firmware";
  plan::Plan plan = node_plan(admin, closing, {NodeName("gpu02")});
  drain("gpu02", "bad ECC");
  std::string run = admin.start(plan);
  EXPECT_NE(admin.outcome(run).find("bad ECC"), std::string::npos) << admin.journal(run);
  EXPECT_NE(record("gpu02").find("Reason=bad ECC"), std::string::npos) << record("gpu02");
  resume("gpu02");
}

// As after a reboot that Slurm did not expect: slurmd answers, and the node stays DOWN until it is resumed.
// On a node that no other test resumes: a slurmd that registers after that sets its node IDLE again.
TEST_F(SlurmNodeAction, ANodeThatIsDownAndAnswersIsResumedKnowingly) {
  for (const bool drains : {false, true}) {
    SCOPED_TRACE(drains ? "DOWN+DRAIN" : "DOWN");
    if (drains) drain("shard01", "bad ECC");
    ASSERT_EQ(lab_->run({"scontrol", "update", "NodeName=shard01", "State=DOWN",
                         "Reason=Node unexpectedly rebooted"})
                  .status,
              0);
    Admin admin(*lab_, said(), folder());
    plan::NodeAction opening;
    opening.verb = plan::NodeVerb::open;
    opening.over_others = true;
    const plan::Plan plan = node_plan(admin, opening, {NodeName("shard01")});
    ASSERT_FALSE(plan.notices.empty());
    EXPECT_NE(plan.notices.front().text.find("unexpectedly rebooted"), std::string::npos);
    std::string run = admin.start(plan);
    EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
    const std::string state = field(record("shard01"), "State");
    EXPECT_EQ(state.find("DOWN"), std::string::npos) << state;
    EXPECT_EQ(state.find("DRAIN"), std::string::npos) << state;
    EXPECT_EQ(state.find("*"), std::string::npos) << state;
    if (state.find("DOWN") != std::string::npos) resume("shard01");
  }
}

// With a RebootProgram that ends slurmd and starts it again as after a boot (-b), once `go` is there.
class SlurmReboot : public testing::Test {
 protected:
  static constexpr const char* kScript = R"(#!/bin/bash
# Run by slurmd: whoever is above this shell and has -N is the node.
up=$PPID
while [ "$up" -gt 1 ]; do
  node=$(tr '\0' '\n' < /proc/$up/cmdline | grep -A1 -x -- -N | tail -n 1)
  [ -n "$node" ] && break
  up=$(awk '/^PPid/ { print $2 }' /proc/$up/status)
done
[ -n "$node" ] || exit 1
echo "$node" >> "$(dirname "$0")/rebooted"
setsid bash -c "kill $up; while kill -0 $up 2>/dev/null; do sleep .05; done; slurmd -b -N $node" > /dev/null 2>&1 < /dev/null &
)";

  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    script_ = scratch_.write("reboot.sh", kScript);
    ::chmod(script_.c_str(), 0755);
    lab_ = std::make_unique<SlurmLab>("RebootProgram=" + script_ + "\nResumeTimeout=60");
    ASSERT_EQ(lab_->trouble(), "");
  }
  slurmconf::SlurmSettings said() const { return settings_of(*lab_); }
  // The job that keeps gpu01 busy.
  std::string keep_busy() {
    const std::string job = lab_->submit({"-w", "gpu01", "--gres=gpu:h100:1", "-t", "60"});
    EXPECT_TRUE(lab_->wait({"squeue", "-h", "-o", "%T", "-j", job},
                           [](const std::string& out) { return out.starts_with("RUNNING"); }));
    return job;
  }
  plan::Plan reboot(Admin& admin, const std::string& node) const {
    plan::NodeAction action;
    action.verb = plan::NodeVerb::reboot;
    action.reason = "XID 79, \"fallen off\"";
    return node_plan(admin, action, {NodeName(node)});
  }
  std::string record(const std::string& node) const {
    return lab_->run({"scontrol", "-d", "-o", "show", "node", node}).out;
  }
  std::string rebooted() const { return file_text(scratch_.path() + "/rebooted"); }
  std::string runs() const { return scratch_.path() + "/runs"; }

  Scratch scratch_;
  std::string script_;
  std::unique_ptr<SlurmLab> lab_;
};

TEST_F(SlurmReboot, AnEmptyNodeIsRebootedAtOnceAndAClosedOneStaysClosed) {
  Admin admin(*lab_, said(), runs());
  const std::string run = admin.start(reboot(admin, "gpu02"));
  EXPECT_EQ(admin.outcome(run), "wanted") << admin.journal(run) << record("gpu02");
  EXPECT_EQ(rebooted(), "gpu02\n");
  EXPECT_NE(record("gpu02").find("State=IDLE "), std::string::npos) << record("gpu02");

  ASSERT_EQ(lab_->run({"scontrol", "update", "NodeName=gpu01", "State=DRAIN", "Reason=bad ECC"}).status, 0);
  const std::string closed = admin.start(reboot(admin, "gpu01"));
  EXPECT_EQ(admin.outcome(closed), "wanted") << admin.journal(closed) << record("gpu01");
  EXPECT_EQ(rebooted(), "gpu02\ngpu01\n");
  EXPECT_NE(record("gpu01").find("State=IDLE+DRAIN "), std::string::npos) << record("gpu01");
  EXPECT_NE(record("gpu01").find("Reason=bad ECC"), std::string::npos) << record("gpu01");
}

TEST_F(SlurmReboot, ABusyNodeWaitsForItsJobsAndGoingBackCancelsTheReboot) {
  const std::string job = keep_busy();
  ASSERT_FALSE(HasFailure());
  Admin admin(*lab_, said(), runs());
  const std::string run = admin.start(reboot(admin, "gpu01"));
  EXPECT_TRUE(admin.wait_for(run, "reboots once its jobs have ended")) << admin.journal(run);
  EXPECT_NE(record("gpu01").find("REBOOT_REQUESTED"), std::string::npos) << record("gpu01");
  EXPECT_NE(record("gpu01").find("(tessera " + run + " root@lab)"), std::string::npos) << record("gpu01");
  admin.room().demand(run, NodeName("gpu01"), plan::Demand::turn_back, "");
  EXPECT_EQ(admin.outcome(run), "recorded") << admin.journal(run);
  EXPECT_EQ(record("gpu01").find("REBOOT_REQUESTED"), std::string::npos) << record("gpu01");
  EXPECT_EQ(record("gpu01").find("DRAIN"), std::string::npos) << record("gpu01");

  // Asked for again, and let go through by the end of the job.
  const std::string again = admin.start(reboot(admin, "gpu01"));
  EXPECT_TRUE(admin.wait_for(again, "reboots once its jobs have ended")) << admin.journal(again);
  EXPECT_EQ(rebooted(), "");
  ASSERT_EQ(lab_->run({"scancel", job}).status, 0);
  EXPECT_EQ(admin.outcome(again), "wanted") << admin.journal(again) << record("gpu01");
  EXPECT_EQ(rebooted(), "gpu01\n");
}

TEST_F(SlurmReboot, WhatAnotherHasDrainedMeanwhileIsNotOpenedByGoingBack) {
  const std::string job = keep_busy();
  ASSERT_FALSE(HasFailure());
  Admin admin(*lab_, said(), runs());
  const std::string run = admin.start(reboot(admin, "gpu01"));
  EXPECT_TRUE(admin.wait_for(run, "reboots once its jobs have ended")) << admin.journal(run);
  ASSERT_EQ(lab_->run({"scontrol", "update", "NodeName=gpu01", "State=DRAIN", "Reason=bad ECC"}).status, 0);
  EXPECT_NE(admin.outcome(run).find("closed for another reason now"), std::string::npos)
      << admin.journal(run);
  EXPECT_NE(record("gpu01").find("Reason=bad ECC"), std::string::npos) << record("gpu01");
}

TEST(SlurmRebootProgram, WithoutOneNothingIsPlanned) {
  if (!SlurmLab::possible())
    GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
  SlurmLab lab;
  ASSERT_EQ(lab.trouble(), "");
  Scratch scratch;
  Admin admin(lab, {}, scratch.path() + "/runs");
  plan::NodeAction action;
  action.verb = plan::NodeVerb::reboot;
  action.reason = "XID 79";
  plan::Intent intent;
  intent.cluster = admin.cluster().name;
  intent.nodes = {NodeName("gpu01")};
  intent.orders = plan::orders_of(action);
  const auto made = plan::make_plan(admin.cluster(), catalogue(), intent, admin.backend().actuator()->means(),
                                    {}, wall_clock());
  EXPECT_NE((made ? "planned" : to_line(made.error())).find("Slurm has no RebootProgram"), std::string::npos)
      << (made ? "planned" : to_line(made.error()));
}

}  // namespace
}  // namespace tessera::test
