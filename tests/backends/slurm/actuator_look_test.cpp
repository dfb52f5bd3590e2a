// What a run sees of a busy cluster, how often it asks for it, and what it leaves alone when it cannot tell.
#include <fmt/format.h>

#include "backends/slurm/change/change_commands.hpp"
#include "engine/plan/condition.hpp"
#include "engine/text.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"
#include "tests/support/patience.hpp"

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
    ASSERT_EQ(one.wait_for(test::kPatience), std::future_status::ready);
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
  ASSERT_EQ(last.get_future().wait_for(test::kPatience), std::future_status::ready);
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
    ASSERT_EQ(one.wait_for(test::kPatience), std::future_status::ready);
    auto told = one.get();
    ASSERT_FALSE(told);
    EXPECT_EQ(told.error().what, "cannot list the nodes");
  }
  EXPECT_FALSE(perform(mig_on_)) << "the look before that is not acted on either";
  EXPECT_FALSE(asked("-mig 1")) << log();
}

// ── what a run that only waits asks for ───────────────────────────────────────────────────────────────────

class SlurmWait : public SlurmActuatorTest {
 protected:
  static constexpr const char* kJob = "n1 BatchHost=n1 NumNodes=1 Nodes=n1 CPU_IDs=0-7 Mem=1 GRES=\n";
  void is_busy() {
    node(std::string("State=MIXED+DRAIN CPUAlloc=8 ") + kOurs);
    put("jobs", std::string(kOnTwo) + kJob);
  }
  void is_empty() {
    node(std::string("State=IDLE+DRAIN ") + kOurs);
    put("jobs", "No jobs in the system\n");
  }
  plan::NodeFacts look_for(const std::set<std::string>& words) {
    auto told =
        answer<plan::NodeFacts>([&](auto told) { actuator().observe_for(NodeName("n1"), words, told); });
    EXPECT_TRUE(told) << (told ? "" : to_line(told.error()));
    return told ? *told : plan::NodeFacts{};
  }
  // Of what was asked since the last call.
  std::vector<std::string> asked_since() {
    std::vector<std::string> all;
    for (std::string_view line : lines_in(std::string_view(seen_ = log()).substr(known_)))
      all.push_back(std::string(line.substr(line.rfind(' ') + 1)));
    known_ = seen_.size();
    return all;
  }
  using Asked = std::vector<std::string>;
  const std::set<std::string> of_effect_{std::string(plan::slurm::key::kElsewhere)};

 private:
  std::string seen_;
  std::size_t known_ = 0;
};

TEST_F(SlurmWait, WhileItWaitsForAJobItAsksForNodesAndJobsOnly) {
  is_busy();
  EXPECT_TRUE(look_for(of_effect_).left_out.empty());
  EXPECT_EQ(asked_since(), (Asked{"config", "node", "job", "reservation", "partition"}));
  for (int i = 0; i < 3; ++i) {
    plan::NodeFacts facts = look_for({});
    EXPECT_TRUE(plan::unmet(plan::ScopeEmpty{}, facts, kOurMark.run));
    EXPECT_EQ(asked_since(), (Asked{"node", "job"}));
    EXPECT_TRUE(facts.left_out.contains(std::string(plan::slurm::key::kElsewhere)));
    const plan::WordIs fine{std::string(plan::slurm::key::kElsewhere), ""};
    EXPECT_TRUE(plan::unmet(fine, facts, kOurMark.run)) << "what was left out is not taken for fine";
  }
  is_empty();
  EXPECT_FALSE(plan::unmet(plan::ScopeEmpty{}, look_for({}), kOurMark.run));
  EXPECT_EQ(asked_since(), (Asked{"node"}));
}

// A reconfigure changes what partitions say: without them each would pass for an edit of another admin's.
TEST_F(SlurmWait, WhatAReconfigureChangesIsReadEachTime) {
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n1 Gres=gpu:2\nPartitionName=main Nodes=n1\n");
  put("partitions", "PartitionName=main Nodes=n1 State=UP\n");
  is_empty();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(word(look_for(of_effect_), plan::slurm::key::kElsewhere), "") << i;
    EXPECT_EQ(asked_since(), i == 0 ? (Asked{"config", "node", "reservation", "partition"})
                                    : (Asked{"config", "node", "partition"}));
  }
}

// Slurm flags its node within seconds.
TEST_F(SlurmWait, ReservationsAreReadAgainWhereANodeIsReserved) {
  is_empty();
  look_for({});
  asked_since();
  node(std::string("State=IDLE+DRAIN+MAINTENANCE+RESERVED ") + kOurs);
  for (int i = 0; i < 2; ++i) {
    look_for({});
    EXPECT_EQ(asked_since(), (Asked{"node", "reservation"}));
  }
  reserved();
  look_for({});
  is_empty();  // a run's mark is known: its node may lose the flags while a daemon restarts
  asked_since();
  look_for({});
  EXPECT_EQ(asked_since(), (Asked{"node", "reservation"}));
}

// The flag comes seconds after the reservation, which nothing else shows.
TEST_F(SlurmWait, AReservationThatTheRunHasMadeIsSeenByTheNextLook) {
  node(std::string("State=IDLE+DRAIN Reason=fan [bob@2026-11-22T02:00:00]"));
  EXPECT_FALSE(look_for({}).mark);
  program("scontrol",
          "echo \"scontrol $*\" >> $D/log\n"
          "case \"$*\" in *config) cat $D/config;; *'show node') cat $D/node;; *job) cat $D/jobs;;\n"
          "  *create*) echo 'ReservationName=tessera+20261122-0300-n1+root+ctl Nodes=n1 Users=root "
          "State=ACTIVE' > $D/reservations;;\n"
          "  *reservation) cat $D/reservations;; esac\n");
  Status marked = perform(plan::SetMark{});
  ASSERT_TRUE(marked) << to_line(marked.error());
  EXPECT_FALSE(plan::unmet(plan::MarkIsOurs{}, look_for({}), kOurMark.run)) << log();
}

TEST_F(SlurmWait, WhatChangesANodeReadsTheReservationsInAnyCase) {
  is_empty();
  look_for({});
  asked_since();
  put("reservations", "ReservationName=tessera+20261122-0200-n2+bob+b Nodes=n1 Users=root State=ACTIVE\n");
  EXPECT_FALSE(perform(plan::SetMark{})) << "another's mark is not overruled: " << log();
}

TEST_F(SlurmWait, AJobThatComesBackIsSeenByTheNextLook) {
  is_empty();
  EXPECT_FALSE(plan::unmet(plan::ScopeEmpty{}, look_for({}), kOurMark.run));
  is_busy();
  auto busy = plan::unmet(plan::ScopeEmpty{}, look_for({}), kOurMark.run);
  ASSERT_TRUE(busy);
  EXPECT_NE(busy->find("7 (al) is there"), std::string::npos) << *busy;
  put("jobs", "No jobs in the system\n");
  auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe_for(NodeName("n1"), {}, told); });
  EXPECT_FALSE(told) << "busy, and no job that explains it: not empty";
}

TEST_F(SlurmWait, AReservationOfAnotherRunIsSeenByTheNextLook) {
  is_busy();
  EXPECT_FALSE(plan::unmet(plan::MarkIsOurs{}, look_for({}), kOurMark.run));
  put("reservations", "ReservationName=tessera+20261122-0200-n2+bob+b Nodes=n1 Users=root State=ACTIVE\n");
  node(std::string("State=MIXED+DRAIN+MAINTENANCE+RESERVED CPUAlloc=8 ") + kOurs);
  EXPECT_TRUE(plan::unmet(plan::MarkIsOurs{}, look_for({}), kOurMark.run));
  node("State=MIXED CPUAlloc=8");
  put("reservations", "No reservations in the system\n");
  EXPECT_TRUE(plan::unmet(plan::NodeClosed{}, look_for({}), kOurMark.run)) << "somebody has opened it";
}

// Another's edit between two looks that left the configuration out.
TEST_F(SlurmWait, AConfigurationThatChangesMeanwhileIsSeenByTheLookBeforeTheAct) {
  is_busy();
  EXPECT_EQ(word(look_for(of_effect_), plan::slurm::key::kElsewhere), "");
  look_for({});
  put("config",
      "SLURM_VERSION = 22.05.8\nHASH_VAL = Different Ours=0x1 Slurmctld=0x2\nSlurmUser = slurm(64030)\n");
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nReturnToService=2\nNodeName=n1 Gres=gpu:2\n");
  EXPECT_TRUE(look_for({}).left_out.contains(std::string(plan::slurm::key::kElsewhere)));
  EXPECT_NE(word(look_for(of_effect_), plan::slurm::key::kElsewhere), "");
}

// One node is still being cut when the other is done: the look of the one waits for the other's.
TEST_F(SlurmStep, ALookWaitsForNodesThatAreStillBeingChanged) {
  interval_ = 10s;  // of which some are waited
  ASSERT_EQ(::mkfifo((scratch_.path() + "/gate").c_str(), 0600), 0);
  put("far", one_board() + "*'-mig 1'*) read x < $D/gate; exit 0;; esac\n");
  look();  // n1's, for the act
  const std::string before = log();
  auto performed = std::make_shared<std::promise<Status>>();
  auto seen = std::make_shared<std::promise<Result<plan::NodeFacts>>>();
  auto other = std::make_shared<std::promise<Result<plan::NodeFacts>>>();
  // As the room does it: what was done is looked at as soon as it is reported.
  actuator().perform({NodeName("n1"), mig_on_, kOurMark, "n1/1", Duration{0}}, [&, performed](Status done) {
    performed->set_value(std::move(done));
    actuator().observe(NodeName("n1"), [seen](Result<plan::NodeFacts> told) { seen->set_value(told); });
  });
  actuator().observe(NodeName("n9"), [other](Result<plan::NodeFacts> told) { other->set_value(told); });
  std::ofstream(scratch_.path() + "/gate") << "go\n";
  ASSERT_EQ(performed->get_future().wait_for(test::kPatience), std::future_status::ready);
  ASSERT_EQ(seen->get_future().wait_for(test::kPatience), std::future_status::ready);
  ASSERT_EQ(other->get_future().wait_for(test::kPatience), std::future_status::ready);
  const std::string since = log().substr(before.size());
  std::size_t readings = 0;
  for (std::size_t at = since.find("show node"); at != std::string::npos;
       at = since.find("show node", at + 1))
    ++readings;
  EXPECT_EQ(readings, 1u) << since;
}

// ── nodes that wait for the same change ───────────────────────────────────────────────────────────────────

class SlurmJointChange : public SlurmActuatorTest {
 protected:
  // All of them at once, behind a call that is under way; what each was told.
  std::vector<int> drain_all(const std::vector<std::string>& nodes) {
    auto told = std::make_shared<std::vector<int>>();
    std::promise<void> all;
    worker_.post([&] {
      Command first;
      first.argv = {scratch_.path() + "/scontrol", "first"};
      calls_.run(std::move(first), [](const Result<Outcome>&) {});
      for (const std::string& name : nodes)
        calls_.change_node(
            name,
            [this](const std::string& names) {
              Command command;
              command.argv = {scratch_.path() + "/scontrol", "update", "NodeName=" + names, "State=DRAIN"};
              return command;
            },
            [&, told](const Result<Outcome>& ran) {
              told->push_back(ran && ran->succeeded() ? 0 : 1);
              if (told->size() == nodes.size()) all.set_value();
            });
    });
    EXPECT_EQ(all.get_future().wait_for(test::kPatience), std::future_status::ready);
    return *told;
  }
};

TEST_F(SlurmJointChange, NodesThatWaitForTheSameChangeShareOneCall) {
  EXPECT_EQ(drain_all({"n1", "n2", "n3"}), (std::vector<int>{0, 0, 0}));
  EXPECT_EQ(log(), "scontrol first\nscontrol update NodeName=n1,n2,n3 State=DRAIN\n");
}

TEST_F(SlurmJointChange, WhereTheSharedCallFailsEachIsToldWhatIsWrongWithIt) {
  program("scontrol", "echo \"scontrol $*\" >> $D/log\ncase \"$*\" in *n2*) echo no >&2; exit 1;; esac\n");
  EXPECT_EQ(drain_all({"n1", "n2", "n3"}), (std::vector<int>{0, 1, 0}));
  EXPECT_TRUE(
      asked("update NodeName=n1 State=DRAIN\nscontrol update NodeName=n2 State=DRAIN\n"
            "scontrol update NodeName=n3 State=DRAIN\n"))
      << log();
}

TEST_F(SlurmJointChange, AReconfigureServesAllThatAskedBeforeItBegan) {
  std::promise<void> all;
  int told = 0;
  worker_.post([&] {
    for (int i = 0; i < 4; ++i)
      calls_.change_all(reconfigure(SlurmClient{"", scratch_.path()}), [&](const Result<Outcome>&) {
        if (++told == 4) all.set_value();
      });
  });
  ASSERT_EQ(all.get_future().wait_for(test::kPatience), std::future_status::ready);
  EXPECT_EQ(log(), "scontrol reconfigure\nscontrol reconfigure\n") << "the first one had begun already";
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

// The command stands at a FIFO without a writer. Slurm and the node are left alone after the deadline.
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
  EXPECT_LT(std::chrono::steady_clock::now() - begun, test::kPatience) << "nobody writes to the gate yet";
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
