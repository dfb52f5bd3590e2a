// The actuator against a scontrol and a way to the node that are the test's own: what is asked, what a
// refusal becomes, and what is never done to a node that somebody else has drained or marked.
#include "backends/slurm/actuator.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "backends/slurm/conf_files.hpp"
#include "backends/slurm/host_files.hpp"
#include "engine/plan/slurm_words.hpp"
#include "engine/slurmconf/settings.hpp"
#include "tests/backends/slurm/fixtures.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;
namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

const plan::RunMark kOurMark{"20261122-0300-n1", "root", "ctl", {}};
constexpr const char* kOurs = "Reason=tessera 20261122-0300-n1 root@ctl: cut [root@2026-11-22T03:00:00]";

class SlurmActuatorTest : public testing::Test {
 protected:
  SlurmActuatorTest() {
    program("scontrol",
            "echo \"scontrol $*\" >> $D/log\n"
            "case \"$*\" in\n"
            "  *config) cat $D/config;;\n"
            "  *'show node'*) cat $D/node; exit $(cat $D/node-code 2> /dev/null || echo 0);;\n"
            "  *job) cat $D/jobs;;\n"
            "  *reservation) case $1 in create) ;; *) cat $D/reservations; exit;; esac;;\n"
            "esac\n"
            "case $1 in update|create|delete|reconfigure|requeue|reboot)\n"
            "  if [ -e $D/refuse ]; then cat $D/refuse >&2; exit 1; fi;; esac\n");
    program("scancel", "echo \"scancel $*\" >> $D/log\n");
    // The way to the node: as a command with {node}.
    program("on", "echo \"on $*\" >> $D/log\nif [ -e $D/far ]; then . $D/far; fi\nshift\nexec \"$@\"\n");
    put("config", "SLURM_VERSION = 22.05.8\nSlurmUser = slurm(64030)\nAuthType = auth/munge\n");
    put("jobs", "No jobs in the system\n");
    put("reservations", "No reservations in the system\n");
    put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n1 Gres=gpu:2\n");
    put("gres.conf", "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
    node("State=IDLE");
  }
  ~SlurmActuatorTest() override { worker_.stop(); }

  void put(const std::string& name, const std::string& text) { scratch_.write(name, text); }
  void program(const std::string& name, const std::string& text) {
    ::chmod(scratch_.write(name, "#!/bin/sh\nD=" + scratch_.path() + "\n" + text).c_str(), 0755);
  }
  void node(const std::string& rest) {
    put("node", "NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 " + rest + "\n");
  }
  void reserved() {
    put("reservations",
        "ReservationName=tessera+20261122-0300-n1+root+ctl Nodes=n1 Users=root State=ACTIVE\n");
  }
  std::string log() const {
    std::ifstream stream(scratch_.path() + "/log");
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  bool asked(const std::string& words) const { return log().find(words) != std::string::npos; }

  // Settings as a site says them, before the first call.
  void say(slurmconf::SiteSettings said) {
    auto site = slurmconf::site_of(said);
    ASSERT_TRUE(site) << to_line(site.error());
    options_.said = *site;
  }
  SlurmActuator& actuator() {
    if (actuator_) return *actuator_;
    options_.bin = site_.bin = scratch_.path();
    options_.clock = [] { return TimePoint{}; };
    actuator_ = std::make_unique<SlurmActuator>(worker_, processes_, options_, site_, [] {});
    std::promise<void> known;
    worker_.post([&] {
      const std::string conf = scratch_.path() + "/slurm.conf";
      actuator_->know("22.05.8", conf, read_conf_files(conf));
      known.set_value();
    });
    known.get_future().wait();
    return *actuator_;
  }
  template <class T>
  static Result<T> answer(const std::function<void(std::function<void(Result<T>)>)>& ask) {
    auto promise = std::make_shared<std::promise<Result<T>>>();
    auto future = promise->get_future();
    ask([promise](Result<T> told) { promise->set_value(std::move(told)); });
    if (future.wait_for(30s) != std::future_status::ready) return Error{"no answer", "", ""};
    return future.get();
  }
  plan::NodeFacts look() {
    auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
    EXPECT_TRUE(told) << (told ? "" : to_line(told.error()));
    return told ? *told : plan::NodeFacts{};
  }
  Status perform(plan::Action action, Duration deadline = Duration{0}) {
    plan::Order order{NodeName("n1"), std::move(action), kOurMark, "n1/1", deadline};
    return answer<Done>([&](auto told) { actuator().perform(order, told); });
  }
  Status special(std::string_view what, std::map<std::string, std::string> arguments = {}) {
    return perform(plan::Special{std::string(what), std::move(arguments)});
  }
  static std::string word(const plan::NodeFacts& facts, std::string_view name) {
    auto found = facts.words.find(std::string(name));
    return found == facts.words.end() ? "not told" : found->second;
  }

  test::Scratch scratch_;
  Options options_;
  Site site_;
  Worker worker_;
  Processes processes_{worker_};
  std::unique_ptr<SlurmActuator> actuator_;
};

// ── drains and marks ──────────────────────────────────────────────────────────────────────────────────────

TEST_F(SlurmActuatorTest, ADrainCarriesOurMarkAndARefusedOneSaysWhoMay) {
  ASSERT_TRUE(perform(plan::CloseNode{"new\nlayout"}));
  EXPECT_TRUE(asked("scontrol update NodeName=n1 State=DRAIN Reason=tessera 20261122-0300-n1 root@ctl: new"))
      << log();
  put("refuse", "slurm_update error: Invalid user id\n");
  Status refused = perform(plan::CloseNode{"x"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "cannot drain n1");
  EXPECT_EQ(refused.error().reason, "slurm_update error: Invalid user id");
  EXPECT_NE(refused.error().hint.find("SlurmUser"), std::string::npos);
  put("refuse", "");  // a failure without a word
  refused = perform(plan::CloseNode{"x"});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("status 1"), std::string::npos) << to_line(refused.error());
}

TEST_F(SlurmActuatorTest, WhatSomebodyElseHasDrainedIsNeitherOverwrittenNorOpened) {
  node("State=IDLE+DRAIN Reason=fan broken [ops@2026-11-22T02:00:00]");
  plan::NodeFacts facts = look();
  EXPECT_TRUE(facts.closed);
  EXPECT_EQ(facts.closed_reason, "fan broken");
  EXPECT_EQ(facts.closed_by, "ops");
  EXPECT_FALSE(facts.closed_as);
  EXPECT_FALSE(facts.mark);
  ASSERT_TRUE(perform(plan::CloseNode{"x"}));
  ASSERT_TRUE(perform(plan::OpenNode{}));
  EXPECT_FALSE(asked("update")) << log();
  // Our mark beside it is a reservation.
  ASSERT_TRUE(perform(plan::SetMark{}));
  EXPECT_TRUE(asked("create reservation ReservationName=tessera+20261122-0300-n1+root+ctl Nodes=n1"))
      << log();
  EXPECT_FALSE(asked("update")) << log();
}

TEST_F(SlurmActuatorTest, OursIsOpenedAndOurReservationGoes) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  reserved();
  plan::NodeFacts facts = look();
  ASSERT_TRUE(facts.closed_as && facts.mark);
  EXPECT_EQ(plan::to_text(*facts.mark), plan::to_text(kOurMark));
  ASSERT_TRUE(perform(plan::OpenNode{}));
  EXPECT_TRUE(asked("update NodeName=n1 State=RESUME")) << log();
  ASSERT_TRUE(perform(plan::ClearMark{}));
  EXPECT_TRUE(asked("delete ReservationName=tessera+20261122-0300-n1+root+ctl")) << log();
  // INVALID_REG: Slurm says why not.
  put("refuse", "slurm_update error: Invalid node state specified\n");
  Status refused = perform(plan::OpenNode{});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("INVALID_REG"), std::string::npos);
}

TEST_F(SlurmActuatorTest, AnotherRunsMarkIsALockAlsoWhereTheRunHasOurName) {
  for (const char* reason : {"Reason=tessera 20261122-0200-n1 bob@b: his [bob@2026-11-22T02:00:00]",
                             "Reason=tessera 20261122-0300-n1 bob@b: his [bob@2026-11-22T03:00:00]"}) {
    node(std::string("State=IDLE+DRAIN ") + reason);
    Status refused = perform(plan::SetMark{});
    ASSERT_FALSE(refused) << reason;
    EXPECT_NE(refused.error().reason.find("bob@b"), std::string::npos);
    EXPECT_FALSE(asked("create")) << log();
  }
  plan::SetMark over;
  over.break_lock = true;
  ASSERT_TRUE(perform(over));
  EXPECT_TRUE(asked("create reservation ReservationName=tessera+20261122-0300-n1+root+ctl")) << log();
}

TEST_F(SlurmActuatorTest, EveryMarkOnTheClusterIsListedOnce) {
  put("node",
      std::string("NodeName=n1 State=IDLE+DRAIN ") + kOurs +
          "\nNodeName=n2 State=IDLE+DRAIN Reason=fan broken [ops@2026-11-22T02:00:00]\n"
          "NodeName=n3 State=IDLE Reason=tessera 20261122-0100-n3 al@c: over [al@2026-11-22T01:00:00]\n");
  put("reservations",
      "ReservationName=tessera+20261122-0300-n1+root+ctl Nodes=n[1,4]\nReservationName=maint Nodes=n2\n");
  auto marks = answer<std::vector<plan::MarkedNode>>([&](auto told) { actuator().marks(told); });
  ASSERT_TRUE(marks);
  std::string text;
  for (const plan::MarkedNode& one : *marks) text += one.node.text + ' ' + one.mark.run + '\n';
  EXPECT_EQ(text, "n1 20261122-0300-n1\nn4 20261122-0300-n1\n");
}

// ── what is told, wholly, by half or not ──────────────────────────────────────────────────────────────────

TEST_F(SlurmActuatorTest, HalfAnAnswerIsNotTakenForANodeThatIsWell) {
  put("node", "NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 Sta");
  plan::NodeFacts facts = look();
  EXPECT_EQ(facts.node.health, Health::unknown);
  put("node", "");
  EXPECT_FALSE(look().known);
  put("node", "Node n1 not found\n");
  put("node-code", "1");
  EXPECT_FALSE(look().known);
  put("node", "slurm_load_node error: Unable to contact slurm controller (connect failure)\n");
  auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
  ASSERT_FALSE(told);
  EXPECT_EQ(told.error().what, "slurmctld does not answer");
}

TEST_F(SlurmActuatorTest, ANodeThatIsDownOrInvalidIsSaidSo) {
  node(
      "State=IDLE+DRAIN+INVALID_REG Reason=gres/gpu count reported lower than configured (0 < 2) "
      "[slurm@2026-11-22T02:00:00]");
  EXPECT_NE(word(look(), key::kRegistered).find("INVALID_REG (gres/gpu count"), std::string::npos);
  node("State=DOWN+NOT_RESPONDING");
  EXPECT_FALSE(look().answering);
  node("State=MIXED CPUAlloc=8");
  put("jobs",
      "JobId=7 JobName=t UserId=al(1) JobState=RUNNING NodeList=n1 NumNodes=1\n   Nodes=n1 CPU_IDs=0-7 Mem=1 "
      "GRES=\n");
  EXPECT_TRUE(asked("show node"));
  look();
  EXPECT_TRUE(asked("show job")) << log();
}

// ── the way to the node ───────────────────────────────────────────────────────────────────────────────────

TEST_F(SlurmActuatorTest, ACommandThatFailsThereIsToldInItsOwnWords) {
  slurmconf::SiteSettings said;
  said.runner = scratch_.path() + "/on {node}";
  said.stop_clients = scratch_.path() + "/stop; touch " + scratch_.path() + "/second";
  program("stop", "echo first; echo held by dcgm >&2; exit 3\n");
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  Status failed = special(verb::kStopClients);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "held by dcgm");
  EXPECT_NE(::access((scratch_.path() + "/second").c_str(), F_OK), 0) << "nothing follows a failure";
  EXPECT_EQ(word(look(), key::kClients), "not told");
}

TEST_F(SlurmActuatorTest, TheDriversRefusalAndAWayThatEndsAreTwoThings) {
  slurmconf::SiteSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  put("far",
      "case \"$*\" in *'-mig 1'*) echo 'Unable to enable MIG Mode: In use by another client'; exit 19;; "
      "esac\n");
  Status refused = perform(plan::SetMode{{GpuIndex{0}}, true});
  ASSERT_FALSE(refused);
  EXPECT_NE((refused.error().reason).find("In use by another client"), std::string::npos)
      << to_line(refused.error());
  put("far", "kill -9 $$\n");
  refused = perform(plan::SetMode{{GpuIndex{0}}, true});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("may still run"), std::string::npos) << to_line(refused.error());
  EXPECT_NE(word(look(), key::kReachable), "");
}

TEST_F(SlurmActuatorTest, BeforeARunItIsSeenWhetherCommandsThereRunInsideAJob) {
  slurmconf::SiteSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("far", "case \"$*\" in *cgroup*) echo 0::/slurm/uid_0/job_77/step_extern; exit 0;; esac\n");
  EXPECT_NE(word(look(), key::kReachable).find("inside the cgroup of job 77"), std::string::npos);
  EXPECT_FALSE(asked("nvidia-smi")) << log();
  put("far", "case \"$*\" in *cgroup*) echo 0::/user.slice; exit 0;; esac\n");
  look();
  EXPECT_TRUE(asked("nvidia-smi")) << log();
}

// A way that leads nowhere is not tried with every round.
TEST_F(SlurmActuatorTest, ANodeWhoseDriverCannotBeAskedIsLeftAloneForAWhile) {
  slurmconf::SiteSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("far", "echo no route >&2; exit 255\n");
  Node one;
  one.name = NodeName("n1");
  one.gpus.resize(2);
  one.health = Health::ok;
  auto learn = [&] {
    return answer<bool>([&](auto told) {
      worker_.post([&, told] { actuator_->learn_boards({one}, [told](bool any) { told(any); }); });
    });
  };
  actuator();
  ASSERT_TRUE(learn());
  EXPECT_TRUE(asked("on n1 ")) << log();
  const std::string before = log();
  auto again = learn();
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
  EXPECT_EQ(log(), before);
}

TEST_F(SlurmActuatorTest, ARestartIsRememberedForItsRunOnlyAndOnlyIfItWorked) {
  slurmconf::SiteSettings said;
  said.restart_controller = scratch_.path() + "/restart-all";
  said.restart_node = scratch_.path() + "/restart {node}";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  program("restart", "echo \"restart $*\" >> $D/log\necho unit failed >&2\nexit 5\n");
  Status failed = special(verb::kRestartNode);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().reason, "unit failed");
  EXPECT_EQ(word(look(), key::kNodeRestarted), "not told");
  program("restart", "echo \"restart $*\" >> $D/log\n");
  ASSERT_TRUE(special(verb::kRestartNode));
  EXPECT_TRUE(asked("restart n1")) << log();
  EXPECT_EQ(word(look(), key::kNodeRestarted), "yes");
  node("State=IDLE+DRAIN Reason=tessera 20261122-0400-n1 bob@b: his [bob@2026-11-22T04:00:00]");
  EXPECT_EQ(word(look(), key::kNodeRestarted), "not told");
  EXPECT_FALSE(special(verb::kRestartController)) << "there is no such program";
  EXPECT_FALSE(special("no-such-verb"));
}

TEST_F(SlurmActuatorTest, WorkIsSentAwayOnlyAsTheOrderSays) {
  ASSERT_TRUE(perform(plan::Evict{WorkloadId("7"), plan::Way::requeue}));
  EXPECT_TRUE(asked("scontrol requeue 7"));
  EXPECT_FALSE(asked("scancel"));
  ASSERT_TRUE(perform(plan::Evict{WorkloadId("8"), plan::Way::cancel}));
  EXPECT_TRUE(asked("scancel 8"));
  ASSERT_TRUE(perform(plan::Evict{WorkloadId("9"), plan::Way::wait}));
  EXPECT_FALSE(asked("9"));
}

// By srun a node that this run has drained is opened to be looked at, under its reservation and never else.
TEST_F(SlurmActuatorTest, ANodeIsOpenedToLookOnlyUnderOurReservationAndIfTheDrainIsOurs) {
  slurmconf::SiteSettings said;
  said.runner = "srun";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  EXPECT_FALSE(special(verb::kOpenToLook)) << "nobody keeps others off";
  reserved();
  EXPECT_NE(word(look(), key::kBoards).find("drained"), std::string::npos);
  node("State=IDLE+DRAIN Reason=fan broken [ops@2026-11-22T02:00:00]");
  Status refused = special(verb::kOpenToLook);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("fan broken"), std::string::npos);
  EXPECT_FALSE(asked("update")) << log();
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  ASSERT_TRUE(special(verb::kOpenToLook));
  EXPECT_TRUE(asked("update NodeName=n1 State=RESUME")) << log();
}

// ── files ─────────────────────────────────────────────────────────────────────────────────────────────────

TEST_F(SlurmActuatorTest, FilesThatCannotBeReadAreNeverWritten) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  actuator();
  ::unlink((scratch_.path() + "/slurm.conf").c_str());
  EXPECT_EQ(word(look(), key::kWritable), "Slurm's files cannot be read here");
  Status failed = special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}});
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().hint.find("--slurm-conf"), std::string::npos);
}

TEST_F(SlurmActuatorTest, SharesAreWrittenIntoBothFiles) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2,mps:200");
  Status failed = special(verb::kWriteConfig, {{"gres", "gpu:3"}});
  ASSERT_FALSE(failed) << "the node has two";
}

// ── two that write the same files ─────────────────────────────────────────────────────────────────────────

constexpr const char* kTheirs = "tessera 20261122-0200-n2 bob@b";

TEST_F(SlurmActuatorTest, FilesThatAnotherRunIsWritingAreWaitedForAndItsRunIsNamed) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const std::string lock = lock_of(scratch_.path() + "/slurm.conf");
  ASSERT_EQ(::symlink(kTheirs, lock.c_str()), 0);
  const plan::Special write{std::string(verb::kWriteConfig), {{"gres", "gpu:2,mps:200"}}};
  Status refused = perform(write, 1s);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find(kTheirs), std::string::npos) << to_line(refused.error());
  EXPECT_NE(refused.error().hint.find("rm " + lock), std::string::npos) << to_line(refused.error());
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2");
  EXPECT_EQ(lock_conf_files(scratch_.path() + "/slurm.conf", plan::to_text(kOurMark)).value(), kTheirs);

  // It lets go while we wait; what it has written meanwhile stays.
  auto promise = std::make_shared<std::promise<Status>>();
  auto written = promise->get_future();
  actuator().perform({NodeName("n1"), write, kOurMark, "n1/1", 60s},
                     [promise](Status told) { promise->set_value(std::move(told)); });
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\n# theirs\nNodeName=n1 Gres=gpu:2\n");
  unlock_conf_files(scratch_.path() + "/slurm.conf", kTheirs);
  ASSERT_EQ(written.wait_for(30s), std::future_status::ready);
  Status told = written.get();
  ASSERT_TRUE(told) << to_line(told.error());
  EXPECT_EQ(word(look(), key::kConfig), "gpu:2,mps:200");
  auto files = read_conf_files(scratch_.path() + "/slurm.conf");
  ASSERT_TRUE(files);
  EXPECT_NE(files->front().text.find("# theirs"), std::string::npos);
  struct stat about {};
  EXPECT_NE(::lstat(lock.c_str(), &about), 0) << "nothing is left behind";
}

TEST_F(SlurmActuatorTest, ALockThatThisRunLeftBehindIsItsOwn) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const std::string lock = lock_of(scratch_.path() + "/slurm.conf");
  ASSERT_EQ(::symlink("tessera 20261122-0300-n1 ann@login", lock.c_str()), 0);  // drove it before
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  struct stat about {};
  EXPECT_NE(::lstat(lock.c_str(), &about), 0);
}

// A run that has written waits for nobody else's node that a run holds: both would wait for ever. What stands
// in the files for a node that works is another matter.
TEST_F(SlurmActuatorTest, AnEditOfAnotherRunsEmptyNodeIsNoReasonToWait) {
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n[1-2] Gres=gpu:2\n");
  actuator();
  auto elsewhere = [&](const std::string& other) {
    put("node",
        "NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 State=IDLE\nNodeName=n2 Gres=gpu:4 " + other + "\n");
    return word(look(), key::kElsewhere);
  };
  const std::string theirs = std::string("Reason=") + kTheirs + ": his [bob@2026-11-22T02:00:00]";
  EXPECT_EQ(elsewhere("CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN " + theirs), "");
  EXPECT_EQ(elsewhere("CPUAlloc=8 CPUTot=64 State=MIXED+DRAIN " + theirs),
            "n2 runs with gpu:4, and the files say gpu:2 (changed by run 20261122-0200-n2 of bob)");
  for (const std::string& other :
       {"CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN+COMPLETING " + theirs, "CPUTot=64 State=IDLE+DRAIN " + theirs,
        // 24.11: the reason outlives the drain
        "CPUAlloc=0 CPUTot=64 State=IDLE " + theirs,
        std::string("CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN Reason=fan broken")})
    EXPECT_NE(elsewhere(other).find("n2 runs with gpu:4"), std::string::npos) << other;
}

class SlurmHostFiles : public SlurmActuatorTest {
 protected:
  RunnerOptions by_command() const {
    RunnerOptions wanted;
    wanted.reach = slurmconf::Reach::custom;
    wanted.custom = {scratch_.path() + "/on", "{node}"};
    return wanted;
  }
  Result<HostFiles::Found> read() {
    return answer<HostFiles::Found>(
        [&](auto told) { worker_.post([this, told] { files_.read(conf_, told); }); });
  }
  Status write(const std::vector<slurmconf::File>& before, const std::vector<slurmconf::File>& after) {
    return answer<Done>(
        [&](auto told) { worker_.post([=, this] { files_.write(before, after, "R1", told); }); });
  }
  std::string text(const std::string& name) const {
    std::ifstream stream(scratch_.path() + "/" + name);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  static int count(const std::string& all, const std::string& part) {
    int times = 0;
    for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1)) ++times;
    return times;
  }

  NodeRunner runner_{processes_, by_command()};
  HostFiles files_{runner_, NodeName("cfg")};
  const std::string conf_ = scratch_.path() + "/slurm.conf";
};

TEST_F(SlurmHostFiles, AreReadOnceAndThenOnlyAskedForTheirTimes) {
  put("slurm.conf", "ClusterName=hpc\nInclude more.conf\n");
  auto found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  ASSERT_EQ(found->files.size(), 2u) << "more.conf and cgroup.conf are not there";
  EXPECT_EQ(found->files[1].text, "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
  EXPECT_EQ(found->cannot_write, "");
  int cats = count(log(), "cfg cat ");
  ASSERT_TRUE(read());
  EXPECT_EQ(count(log(), "cfg cat "), cats);
  put("more.conf", "NodeName=n1\n");
  found = read();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->files.size(), 3u);
}

TEST_F(SlurmHostFiles, AreWrittenInOneStepWithABackupAndTheirMode) {
  ::chmod(conf_.c_str(), 0640);
  const std::string real = scratch_.path() + "/git/gres.conf";
  put("git/gres.conf", "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\n");
  ::unlink((scratch_.path() + "/gres.conf").c_str());
  ASSERT_EQ(::symlink(real.c_str(), (scratch_.path() + "/gres.conf").c_str()), 0);
  auto found = read();
  ASSERT_TRUE(found) << to_line(found.error());
  std::vector<slurmconf::File> after = found->files;
  const std::string old = after[0].text;
  after[0].text = "ClusterName=hpc\n# $(id) 'quoted' \"and\" more\n";
  after[1].text += "NodeName=n1 Name=mps Count=200\n";
  after.push_back({scratch_.path() + "/new.conf", "# new\n"});
  Status written = write(found->files, after);
  ASSERT_TRUE(written) << to_line(written.error());
  EXPECT_EQ(text("slurm.conf"), after[0].text);
  EXPECT_EQ(text("slurm.conf.before-R1"), old);
  EXPECT_EQ(text("git/gres.conf"), after[1].text);
  EXPECT_EQ(text("new.conf"), "# new\n");
  struct stat about {};
  ASSERT_EQ(::stat(conf_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0640u);
  ASSERT_EQ(::lstat((scratch_.path() + "/gres.conf").c_str(), &about), 0);
  EXPECT_TRUE(S_ISLNK(about.st_mode)) << "the link stays, what it leads to is changed";
  EXPECT_NE(::access((conf_ + ".tessera-new").c_str(), F_OK), 0);
  // A second write of the run keeps what the run has found.
  std::vector<slurmconf::File> again = after;
  again[0].text += "# twice\n";
  ASSERT_TRUE(write(after, again));
  EXPECT_EQ(text("slurm.conf.before-R1"), old);
  EXPECT_EQ(text("slurm.conf"), again[0].text);
}

TEST_F(SlurmHostFiles, WhatSomebodyEditsMeanwhileIsNotTouched) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after[0].text = "ClusterName=other\n";
  put("slurm.conf", "ClusterName=theirs\n");
  Status refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("somebody has edited it"), std::string::npos);
  EXPECT_EQ(text("slurm.conf"), "ClusterName=theirs\n");
  // Between the first look and the last one, too.
  put("slurm.conf", found->files[0].text);
  put("far", "case \"$2\" in sync) echo '# late' >> " + conf_ + ";; esac\n");
  refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_EQ(text("slurm.conf"), found->files[0].text + "# late\n");
}

TEST_F(SlurmHostFiles, AreLockedByTheSameLinkAsByWhomeverIsThere) {
  const std::string mark = plan::to_text(kOurMark);
  auto lock = [&](const std::string& whose) {
    return answer<std::string>(
        [&](auto told) { worker_.post([this, told, whose] { files_.lock(conf_, whose, told); }); });
  };
  auto unlock = [&](const std::string& whose) {
    return answer<Done>([&](auto told) {
      worker_.post([this, told, whose] { files_.unlock(conf_, whose, [told] { told(Done{}); }); });
    });
  };
  EXPECT_EQ(lock(mark).value(), "");
  EXPECT_EQ(lock(mark).value(), "") << "the same run, taken up";
  EXPECT_EQ(lock(kTheirs).value(), mark);
  EXPECT_EQ(lock_conf_files(conf_, kTheirs).value(), mark);
  ASSERT_TRUE(unlock(kTheirs));
  EXPECT_EQ(lock(kTheirs).value(), mark) << "only its own is given back";
  ASSERT_TRUE(unlock(mark));
  EXPECT_EQ(lock_conf_files(conf_, kTheirs).value(), "");
  EXPECT_EQ(lock(mark).value(), kTheirs);
  put("far", "echo 'no route' >&2; exit 255\n");
  auto away = lock(mark);
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().reason, "no route");
}

TEST_F(SlurmHostFiles, AHostThatIsAwayAndHalfATransferAreErrors) {
  auto found = read();
  ASSERT_TRUE(found);
  std::vector<slurmconf::File> after = found->files;
  after[0].text = "ClusterName=other\n" + std::string(100000, '#') + "\n";
  put("far", "case \"$2\" in tee) head -c 100 > \"$4\"; head -c 100 \"$4\"; exit 0;; esac\n");
  Status refused = write(found->files, after);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("not all of it"), std::string::npos) << to_line(refused.error());
  EXPECT_EQ(text("slurm.conf"), found->files[0].text);
  put("far", "echo 'no route' >&2; exit 255\n");
  EXPECT_FALSE(write(found->files, after));
  HostFiles fresh(runner_, NodeName("cfg"));
  auto away =
      answer<HostFiles::Found>([&](auto told) { worker_.post([&, told] { fresh.read(conf_, told); }); });
  ASSERT_FALSE(away);
  EXPECT_EQ(away.error().what, "cannot read Slurm's files on cfg");
  EXPECT_EQ(away.error().reason, "no route");
}

TEST_F(SlurmHostFiles, WhatCannotBeWrittenThereIsSaidBeforeAnythingIsDone) {
  put("far", "case \"$*\" in *find*) echo " + conf_ + "; exit 0;; esac\n");
  auto found = read();
  ASSERT_TRUE(found);
  EXPECT_NE(found->cannot_write.find("cannot be written"), std::string::npos);
}

}  // namespace
}  // namespace tessera::slurm
