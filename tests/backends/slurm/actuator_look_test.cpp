// What a run sees of a busy cluster, how often it asks for it, and what it leaves alone when it cannot tell.
#include <fmt/format.h>

#include "engine/plan/condition.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;

// ── who is there, and what stands ─────────────────────────────────────────────────────────────────────────

constexpr const char* kOnTwo =
    "JobId=7 JobName=train UserId=al(1) GroupId=al(1) MCS_label=N/A Priority=1 Nice=0 Account=(null) "
    "QOS=(null) JobState=RUNNING Reason=None Dependency=(null) Requeue=1 Restarts=0 Partition=main "
    "AllocNode:Sid=ctl:1 ReqNodeList=(null) ExcNodeList=(null) NodeList=";

// A job may be named by its first node only, by all in one list, or by a group for each.
TEST_F(SlurmActuatorTest, TheSecondNodeOfAJobIsNotTakenForAnEmptyOne) {
  node("State=MIXED CPUAlloc=8");
  for (const char* rest :
       {"m1,n1 BatchHost=m1 NumNodes=2   Nodes=m1 CPU_IDs=0-7 Mem=1 GRES=   Nodes=n1 CPU_IDs=0-7 Mem=1 GRES=",
        "m1,n[1-2] BatchHost=m1 NumNodes=3   Nodes=m1,n[1-2] CPU_IDs=0-7 Mem=1 GRES=gpu:2(IDX:0-1)",
        "m1,n1 BatchHost=m1 NumNodes=2"}) {
    put("jobs", std::string(kOnTwo) + rest + "\n");
    plan::NodeFacts facts = look();
    ASSERT_EQ(facts.workloads.size(), 1u) << rest;
    auto busy = plan::unmet(plan::ScopeEmpty{}, facts, kOurMark.run);
    ASSERT_TRUE(busy) << rest;
    EXPECT_NE(busy->find("7 (al) is there"), std::string::npos) << *busy;
    EXPECT_TRUE(plan::unmet(plan::WorkloadAway{WorkloadId("7")}, facts, kOurMark.run));
  }
}

TEST_F(SlurmActuatorTest, WithoutTheWholeListOfJobsABusyNodeIsNotJudged) {
  node("State=MIXED CPUAlloc=8");
  const std::string whole =
      std::string(kOnTwo) + "n1 BatchHost=n1 NumNodes=1 Nodes=n1 CPU_IDs=0-7 Mem=1 GRES=\n";
  std::string broken = whole;
  broken.replace(broken.find("JobState=RUNNING "), 17, "");
  struct Case {
    std::string jobs;
    const char* words;
  };
  for (const Case& one :
       {Case{"", "printed nothing"}, Case{"<html>\n", "not a job"}, Case{whole.substr(0, 90), "cut off"},
        Case{broken, "cut short"}, Case{whole + "JobId=8 JobName=x UserId=b(2) JobSt\n", "not every job"},
        Case{"No jobs in the system\n", "8 of its CPUs allocated, and no job is listed"}}) {
    put("jobs", one.jobs);
    auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
    ASSERT_FALSE(told) << one.jobs;
    EXPECT_NE(to_line(told.error()).find(one.words), std::string::npos) << to_line(told.error());
  }
  put("jobs", whole);
  EXPECT_EQ(look().workloads.size(), 1u);
}

// GPUs that were seen a moment ago are not what stands when the driver does not answer.
TEST_F(SlurmActuatorTest, BoardsOfAnEarlierLookDoNotPassForThoseThatCannotBeAsked) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  const plan::InstancesGone gone{GpuIndex{0}, {}};
  put("far", "echo no route >&2; exit 255\n");
  plan::NodeFacts blind = look();
  auto why = plan::unmet(gone, blind, kOurMark.run);
  ASSERT_TRUE(why) << "Slurm lists GPUs without their instances";
  put("far", one_board() + "esac\n");
  plan::NodeFacts seen = look();
  ASSERT_EQ(seen.node.gpus.size(), 1u);
  EXPECT_FALSE(plan::unmet(gone, seen, kOurMark.run));
  put("far", "echo no route >&2; exit 255\n");
  auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
  ASSERT_FALSE(told);
  EXPECT_NE(to_line(told.error()).find("no route"), std::string::npos) << to_line(told.error());
}

// ── asked gently ──────────────────────────────────────────────────────────────────────────────────────────

TEST_F(SlurmActuatorTest, ManyNodesShareOneReading) {
  program("scontrol",
          "echo \"scontrol $*\" >> $D/log\n"
          "case \"$*\" in *config) cat $D/config;; *node) cat $D/node;; *job) cat $D/jobs;;\n"
          "  *reservation) cat $D/reservations;; *partition) cat $D/partitions;; esac\n");
  std::string nodes;
  for (int i = 1; i <= 32; ++i) nodes += fmt::format("NodeName=n{} Gres=gpu:2 CPUAlloc=0 State=IDLE\n", i);
  put("node", nodes);
  std::vector<std::future<Result<plan::NodeFacts>>> looks;
  for (int i = 1; i <= 32; ++i) {
    auto promise = std::make_shared<std::promise<Result<plan::NodeFacts>>>();
    looks.push_back(promise->get_future());
    actuator().observe(NodeName("n" + std::to_string(i)),
                       [promise](Result<plan::NodeFacts> told) { promise->set_value(std::move(told)); });
  }
  for (auto& one : looks) {
    ASSERT_EQ(one.wait_for(30s), std::future_status::ready);
    EXPECT_TRUE(one.get());
  }
  std::string all = log();
  EXPECT_LE(std::count(all.begin(), all.end(), '\n'), 8) << "two readings of four calls at most:\n" << all;
}

TEST_F(SlurmActuatorTest, CallsWaitForEachOtherAndChangesGoBeforeLooks) {
  program("call",
          "mkdir $D/in-flight || echo two at once >> $D/log\necho $1 >> $D/log\nrmdir $D/in-flight\n");
  std::promise<void> last;
  auto call = [&](
                  const char* name, Calls::Kind kind, std::function<void()> then = [] {}) {
    Command command;
    command.argv = {scratch_.path() + "/call", name};
    calls_.run(
        std::move(command), [then](const Result<Outcome>&) { then(); }, kind);
  };
  worker_.post([&] {
    call("look-1", Calls::Kind::look);
    call("look-2", Calls::Kind::look);
    call("look-3", Calls::Kind::look, [&] { last.set_value(); });
    call("change", Calls::Kind::change);
  });
  ASSERT_EQ(last.get_future().wait_for(30s), std::future_status::ready);
  EXPECT_EQ(log(), "look-1\nchange\nlook-2\nlook-3\n");
  EXPECT_GT(pacer_.calls_per_minute(Pacer::Instant::clock::now()), 3.0) << "every one is counted";
}

// ── one look for a step ───────────────────────────────────────────────────────────────────────────────────

class SlurmStep : public SlurmActuatorTest {
 protected:
  SlurmStep() {
    slurmconf::SlurmSettings said;
    said.runner = scratch_.path() + "/on {node}";
    say(said);
    node(std::string("State=IDLE+DRAIN ") + kOurs);
    put("far", one_board() + "*'-mig 1'*) exit 0;; esac\n");
  }
  // What was asked of Slurm while the order was carried out.
  std::size_t asked_by(plan::Action action) {
    const std::string before = log();
    Status done = perform(std::move(action));
    EXPECT_TRUE(done) << to_line(done.error());
    const std::string since = log().substr(before.size());
    std::size_t count = 0;
    for (std::size_t at = since.find("scontrol"); at != std::string::npos;
         at = since.find("scontrol", at + 1))
      ++count;
    return count;
  }
  const plan::SetMode mig_on_{{GpuIndex{0}}, true};
};

// A step had two: the run's own, and one more by whoever carried it out.
TEST_F(SlurmStep, WhatIsDoneToANodeGoesByTheLookThatTheRunHasJudged) {
  look();
  EXPECT_EQ(asked_by(mig_on_), 0u) << log();
  EXPECT_GT(asked_by(mig_on_), 0u) << "a look is good for one act\n" << log();
}

TEST_F(SlurmStep, ALookThatIsTooOldIsNotActedOn) {
  for (Duration later : {Duration(2001), Duration(-1)}) {
    look();
    now_ = now_.load() + later;  // it was late, or the clock was set
    EXPECT_GT(asked_by(mig_on_), 0u) << later.count();
  }
}

TEST_F(SlurmStep, ALookAtANodeThatIsNotOursIsNotActedOn) {
  node(std::string("State=IDLE+DRAIN Reason=") + kTheirs + ": cut [bob@2026-11-22T02:00:00]");
  look();
  EXPECT_GT(asked_by(mig_on_), 0u);
}

// The scheduler's words may change at any time: another user may have been quicker.
TEST_F(SlurmStep, MarksAreSetAndTakenOffOnAFreshLookOnly) {
  look();
  node(std::string("State=IDLE+DRAIN Reason=") + kTheirs + ": cut [bob@2026-11-22T02:00:00]");
  Status refused = perform(plan::SetMark{});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("bob"), std::string::npos) << to_line(refused.error());
  look();
  EXPECT_TRUE(perform(plan::OpenNode{}));
  EXPECT_FALSE(asked("State=RESUME")) << log();
}

// One reading serves all nodes of a run, and so does its failure: none of them goes on with an older one.
TEST_F(SlurmStep, AClusterThatCannotBeReadIsUnknownForEveryNode) {
  look();
  put("node-code", "1\n");
  std::vector<std::future<Result<plan::NodeFacts>>> looks;
  for (const char* name : {"n1", "n2", "n3"}) {
    auto promise = std::make_shared<std::promise<Result<plan::NodeFacts>>>();
    looks.push_back(promise->get_future());
    actuator().observe(NodeName(name),
                       [promise](Result<plan::NodeFacts> told) { promise->set_value(std::move(told)); });
  }
  for (auto& one : looks) {
    ASSERT_EQ(one.wait_for(30s), std::future_status::ready);
    auto told = one.get();
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().what, "cannot list the nodes");
  }
  EXPECT_FALSE(perform(mig_on_)) << "the look before that is not acted on either";
  EXPECT_FALSE(asked("-mig 1")) << log();
}

// ── names that could be options ───────────────────────────────────────────────────────────────────────────

TEST_F(SlurmActuatorTest, NamesThatCouldBeOptionsOrListsReachNoCommand) {
  for (const char* name : {"--help", "-Mx", "n[1-9]", "n1,n2", ""}) {
    plan::Order order{NodeName(name), plan::CloseNode{"x"}, kOurMark, "x/1", Duration{0}};
    Status refused = answer<Done>([&](auto told) { actuator().perform(order, told); });
    EXPECT_FALSE(refused) << name;
  }
  for (const char* job : {"--me", "-u", "7 8", "7,8", "", "all"})
    EXPECT_FALSE(perform(plan::Evict{WorkloadId(job), plan::Way::cancel})) << job;
  EXPECT_EQ(log(), "");
}

// ── time ──────────────────────────────────────────────────────────────────────────────────────────────────

// The command stands at a FIFO that nobody opens. Slurm and the node are left alone after the deadline.
TEST_F(SlurmActuatorTest, AnOrderIsGivenUpAtItsDeadlineAndNotBegunTwice) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  ASSERT_EQ(::mkfifo((scratch_.path() + "/gate").c_str(), 0600), 0);
  const std::string hangs = "*'-mig 1'*) read x < $D/gate; exit 0;;";
  put("far", "case \"$*\" in " + hangs + " esac\n");
  const auto begun = std::chrono::steady_clock::now();
  Status late = perform(plan::SetMode{{GpuIndex{0}}, true}, 1500ms);
  ASSERT_FALSE(late);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 20s);
  EXPECT_NE(late.error().hint.find("may still run"), std::string::npos) << to_line(late.error());
  // It still runs there: a second one does not join it.
  const std::string before = log();
  put("far", "case \"$*\" in *pgrep*) echo '77 nvidia-smi -i 0 -mig 1'; exit 0;; esac\n");
  Status refused = perform(plan::SetMode{{GpuIndex{0}}, true});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("still runs there: process 77"), std::string::npos)
      << to_line(refused.error());
  put("far", "case \"$*\" in *pgrep*) echo 'pgrep: not found' >&2; exit 127;; esac\n");
  refused = perform(plan::SetMode{{GpuIndex{0}}, true});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("is not known"), std::string::npos) << to_line(refused.error());
  EXPECT_EQ(log().substr(before.size()).find("on n1 nvidia-smi -i 0 -mig"), std::string::npos) << log();
  put("far", "case \"$*\" in *pgrep*) exit 1;; *'-mig 1'*) exit 0;; esac\n");
  EXPECT_TRUE(perform(plan::SetMode{{GpuIndex{0}}, true}));
  EXPECT_NE(log().substr(before.size()).find("on n1 nvidia-smi -i 0 -mig 1"), std::string::npos) << log();
}

}  // namespace
}  // namespace tessera::slurm
