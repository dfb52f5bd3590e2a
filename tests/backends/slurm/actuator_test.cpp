// The actuator against a scontrol and a way to the node that are the test's own: what is asked, what a
// refusal becomes, and what is never done to a node that another user has drained or marked.
#include <fmt/format.h>

#include "backends/slurm/change/boot_unit.hpp"
#include "engine/time.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;
namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

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

TEST_F(SlurmActuatorTest, WhatAnotherUserHasDrainedIsNeitherOverwrittenNorOpened) {
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

TEST_F(SlurmActuatorTest, AnotherRunsReservationIsNotGivenBack) {
  node("State=IDLE");
  put("reservations", "ReservationName=tessera+20261122-0200-n2+bob+b Nodes=n1 Users=root State=ACTIVE\n");
  ASSERT_TRUE(perform(plan::ClearMark{}));
  EXPECT_FALSE(asked("delete")) << log();
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

// One run changes many nodes: its reservation of one says nothing of the next.
TEST_F(SlurmActuatorTest, AReservationOfAnotherNodeIsNotTheMarkOfThisOne) {
  put("reservations",
      "ReservationName=tessera+20261122-0300-n1+root+ctl Nodes=n[2-3] Users=root State=ACTIVE\n");
  EXPECT_FALSE(look().mark);
  put("reservations",
      "ReservationName=tessera+20261122-0300-n1+root+ctl Nodes=n[1-2] Users=root State=ACTIVE\n");
  EXPECT_TRUE(look().mark);
}

TEST_F(SlurmActuatorTest, WhatCannotBeComparedWithTheFilesIsSaid) {
  actuator();
  EXPECT_EQ(word(look(), key::kElsewhere), "");
  put("config",
      "SLURM_VERSION = 22.05.8\nHASH_VAL = Different Ours=0x1 Slurmctld=0x2\nSlurmUser = slurm(64030)\n");
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n1 Gres=gpu:2\nNodeName=a[1-\n");
  EXPECT_NE(word(look(), key::kElsewhere), "") << "no word";
}

TEST_F(SlurmActuatorTest, AReservationThatCannotBeReadIsNotLeftOut) {
  put("reservations",
      "ReservationName=maint Nodes=n9 State=ACTIVE\nReservationName= Nodes=n1 State=ACTIVE\n");
  auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
  EXPECT_FALSE(told);
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
  auto why_blind = [&] {
    auto told = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
    return told ? std::string("it can see") : to_line(told.error());
  };
  put("node", "NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 Sta");
  EXPECT_NE(why_blind().find("cut off"), std::string::npos) << why_blind();
  put("node", "NodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64\n");
  EXPECT_NE(why_blind().find("n1: no State="), std::string::npos) << why_blind();
  put("node", "");
  EXPECT_NE(why_blind().find("printed nothing"), std::string::npos) << why_blind();
  put("node", "<html>\nNodeName=n2 State=IDLE\n");
  EXPECT_NE(why_blind().find("<html>"), std::string::npos) << "n1 may have been in what is lost";
  put("node", "NodeName=n2 State=IDLE\n");
  EXPECT_FALSE(look().known);
  put("node", "slurm_load_node error: Unable to contact slurm controller (connect failure)\n");
  put("node-code", "1");
  EXPECT_NE(why_blind().find("slurmctld does not answer"), std::string::npos) << why_blind();
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
  slurmconf::SlurmSettings said;
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
  slurmconf::SlurmSettings said;
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

// What is to be made comes by its standard input, and its own words go to the admin.
TEST_F(SlurmActuatorTest, MigPartedIsToldTheLayoutAndItsWordsAreKept) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  said.mig_tool = "nvidia-mig-parted";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  put("far", "case \"$*\" in *mig-parted*apply*) cat > $D/told; exit 0;; esac\n");
  EXPECT_TRUE(special(verb::kApplyParted, {{"config", "tessera"}, {"text", "version: v1\n"}}));
  EXPECT_TRUE(asked("on n1 nvidia-mig-parted apply -f - -c tessera\n")) << log();
  std::ifstream told(scratch_.path() + "/told");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(told), {}), "version: v1\n");
  put("far",
      "case \"$*\" in *mig-parted*) echo 'time=\"t\" level=fatal msg=\"Error applying MIG configuration with "
      "hooks: x: In use by another client\"' >&2; exit 1;; esac\n");
  Status refused = special(verb::kApplyParted, {{"config", "tessera"}, {"text", "version: v1\n"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason,
            "Error applying MIG configuration with hooks: x: In use by another client");
  EXPECT_NE(refused.error().hint.find("monitoring"), std::string::npos);
  EXPECT_EQ(actuator().means().clears, plan::Unit::gpu);
  EXPECT_FALSE(actuator().means().chooses_placement);
}

// A node whose slurmd is away after a reboot, and whose driver answers.
TEST_F(SlurmActuatorTest, ANodeThatIsDownByItselfIsThereAndRegisteredOnceItsSlurmdHasStarted) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("far", one_board() + "esac\n");
  node("State=DOWN+NOT_RESPONDING Reason=Not responding [slurm@2026-11-22T03:00:00]");
  plan::NodeFacts facts = look();
  EXPECT_TRUE(facts.answering) << "the node is";
  EXPECT_EQ(word(facts, key::kRegistered), "NOT_RESPONDING+DOWN (Not responding)");
  node("State=DOWN Reason=bad memory [bob@2026-11-22T03:00:00]");
  EXPECT_FALSE(look().answering);
  put("far", "exit 1\n");
  node("State=DOWN Reason=Node unexpectedly rebooted [slurm@2026-11-22T03:00:00]");
  auto unseen = answer<plan::NodeFacts>([&](auto told) { actuator().observe(NodeName("n1"), told); });
  EXPECT_FALSE(unseen && unseen->answering);
  // Drained by the run, it stays DOWN where ReturnToService is 0 or 1: what counts is a later start of
  // slurmd.
  put("far", one_board() + "esac\n");
  for (const auto& [state, started, registered] :
       {std::tuple{"DOWN+DRAIN", "2026-11-22T02:59:00", false},
        {"DOWN+DRAIN", "2026-11-22T03:01:00", true},
        {"DOWN+DRAIN", "None", false},
        {"DOWN", "2026-11-22T03:01:00", false},
        {"DOWN+DRAIN+NOT_RESPONDING", "2026-11-22T03:01:00", false}}) {
    node(std::string("State=") + state + " SlurmdStartTime=" + started + " " + kOurs);
    EXPECT_EQ(word(look(), key::kRegistered) == "yes", registered) << state << " " << started;
  }
  // The reader asks such a node, too, and its driver's word is what can be planned with.
  Node one;
  one.name = NodeName("n1");
  one.gpus.resize(1);
  one.pool.resize(7);
  one.health = Health::down;
  auto learn = [&] {
    return answer<bool>([&](auto told) {
      worker_.post([&, told] { actuator_->learn_boards({one}, {}, [told](bool any) { told(any); }); });
    });
  };
  one.state = {"POWERED_DOWN"};
  EXPECT_FALSE(learn().value());
  one.state = {"DOWN", "NOT_RESPONDING"};
  EXPECT_TRUE(learn().value());
  std::vector<Node> nodes{one};
  actuator().lay_known_boards(nodes);
  EXPECT_TRUE(nodes[0].pool.empty());
  ASSERT_EQ(nodes[0].gpus.size(), 1u);
  EXPECT_EQ(nodes[0].gpus[0].uuid, "GPU-1");
  nodes = {one};
  nodes[0].cpus_held = 1;
  actuator().lay_known_boards(nodes);
  EXPECT_EQ(nodes[0].pool.size(), 7u) << "a job is there, by Slurm's numbers";
}

// In the words of systemd 219 to 257.
TEST(SlurmBootUnit, IsJudgedByWhatSystemctlSays) {
  using State = BootUnit::State;
  auto judged = [](int code, const char* out, const char* err = "") {
    return boot_unit_of({code, out, err, Duration(0)});
  };
  for (const char* fine : {"enabled\n", "static\n", "generated\n", "alias\n"})
    EXPECT_EQ(judged(0, fine).state, State::enabled) << fine;
  EXPECT_EQ(judged(1, "disabled\n").state, State::disabled);
  EXPECT_EQ(judged(0, "enabled-runtime\n").state, State::disabled) << "gone with the boot";
  EXPECT_EQ(judged(1, "masked\n").state, State::unusable);
  EXPECT_EQ(judged(4, "not-found\n").words, "not-found");
  EXPECT_EQ(judged(1, "", "Failed to get unit file state for x.service: No such file or directory\n").words,
            "not-found");
  EXPECT_EQ(judged(127, "", "timeout: failed to run command 'systemctl': No such file or directory\n").state,
            State::absent);
  EXPECT_EQ(judged(1, "", "a warning\nFailed to connect\n").words, "Failed to connect");
  EXPECT_EQ(judged(1, "").state, State::unusable);
}

TEST_F(SlurmActuatorTest, TheBootUnitIsEnabledByARunAndNamedByDoctor) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  said.boot_file = "/etc/mig.yaml";
  said.boot_unit = "mig.service";
  say(said);
  const std::string smi = one_board();
  auto systemd = [&](const std::string& answer) {
    put("far", smi + "*'systemctl is-enabled mig.service') " + answer +
                   "*'systemctl enable mig.service') touch $D/wanted; exit 0;;\n"
                   "*'systemctl disable mig.service') rm $D/wanted; exit 0;; esac\n");
  };
  systemd("[ -e $D/wanted ] && echo enabled && exit 0; echo disabled; exit 1;;\n");
  EXPECT_EQ(word(look(), key::kBootUnit), "disabled");
  EXPECT_EQ(word(look(), key::kBootUnitUsable), "");
  Node one;
  one.name = NodeName("n1");
  auto remarks = actuator().board_remarks({one});
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].text.find("mig.service is disabled"), std::string::npos) << remarks[0].text;
  EXPECT_NE(remarks[0].hint.find("systemctl enable mig.service"), std::string::npos) << remarks[0].hint;
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  EXPECT_TRUE(special(verb::kBootUnit, {{"unit", "mig.service"}, {"state", "enabled"}}));
  EXPECT_EQ(word(look(), key::kBootUnit), "enabled");
  EXPECT_TRUE(actuator().board_remarks({one}).empty());
  EXPECT_TRUE(special(verb::kBootUnit, {{"unit", "mig.service"}, {"state", "disabled"}}));
  EXPECT_EQ(word(look(), key::kBootUnit), "disabled");
  // Nothing is drained for a unit that cannot be enabled.
  systemd("echo masked; exit 1;;\n");
  EXPECT_EQ(word(look(), key::kBootUnitUsable), "slurm-boot-unit: mig.service on n1 is masked");
  // A node without systemd is cut all the same, and named.
  systemd("echo 'systemctl: not found' >&2; exit 127;;\n");
  EXPECT_EQ(word(look(), key::kBootUnit), "enabled");
  EXPECT_EQ(word(look(), key::kBootUnitUsable), "");
  remarks = actuator().board_remarks({one});
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].text.find("there is no systemctl"), std::string::npos) << remarks[0].text;
}

// Before anything is done, and in doctor, too.
TEST_F(SlurmActuatorTest, ANodeWithoutMigPartedIsSaidSoUntilItIsThere) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  said.mig_tool = "nvidia-mig-parted";
  say(said);
  const std::string smi = one_board();
  put("far", smi + "*mig-parted*) echo 'nvidia-mig-parted: not found' >&2; exit 127;; esac\n");
  std::string why = word(look(), key::kReachable);
  EXPECT_NE(why.find("nvidia-mig-parted does not work on n1"), std::string::npos) << why;
  Node one;
  one.name = NodeName("n1");
  auto remarks = actuator().board_remarks({one});
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].subject, "n1");
  EXPECT_NE(remarks[0].text.find("not found"), std::string::npos) << remarks[0].text;
  put("far", smi + "*mig-parted*) echo 'version: v1'; exit 0;; esac\n");
  EXPECT_EQ(word(look(), key::kReachable), "");
  const std::string before = log();
  EXPECT_EQ(word(look(), key::kReachable), "");
  EXPECT_EQ(log().substr(before.size()).find("mig-parted"), std::string::npos) << "once is enough";
  EXPECT_TRUE(actuator().board_remarks({}).empty());
  // Where no look was possible, that is said; of nodes with GPUs, in one line.
  std::vector<Node> others;
  for (const char* name : {"n2", "n3", "n4", "n9"}) {
    Node& other = others.emplace_back();
    other.name = NodeName(name);
    if (other.name.text != "n9") other.gpus.emplace_back();
  }
  remarks = actuator().board_remarks(others);
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[1].grade, Remark::Grade::info);
  EXPECT_EQ(remarks[1].text, "whether nvidia-mig-parted works is not known of 3 nodes: n[2-4]");
}

TEST_F(SlurmActuatorTest, BeforeARunItIsSeenWhetherCommandsThereRunInsideAJob) {
  slurmconf::SlurmSettings said;
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
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("far", "echo no route >&2; exit 255\n");
  Node one;
  one.name = NodeName("n1");
  one.gpus.resize(2);
  one.health = Health::ok;
  auto learn = [&] {
    return answer<bool>([&](auto told) {
      worker_.post([&, told] { actuator_->learn_boards({one}, {}, [told](bool any) { told(any); }); });
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

// Slurm that believes its files offers instances which the boot has destroyed: what was lost, and when.
TEST_F(SlurmActuatorTest, ALayoutThatABootDestroyedIsToldWithTheBootAndBothLayouts) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("far", one_board() + "esac\n");
  Node one;
  one.name = NodeName("n1");
  one.booted = parse_utc("2026-11-22T02:10:00Z");
  Slice seventh;
  seventh.kind = SliceKind::gpu_instance, seventh.profile = ProfileName("1g.10gb");
  one.pool.assign(7, seventh);
  put("node", "NodeName=n1 Gres=gpu:1g.10gb:7 CPUAlloc=0 State=IDLE\n");
  actuator();
  ASSERT_TRUE(answer<bool>([&](auto told) {
                worker_.post(
                    [&, told] { actuator_->learn_boards({one}, {}, [told](bool any) { told(any); }); });
              }).value());
  const auto only = [&] {
    auto remarks = actuator().board_remarks({one});
    return remarks.size() == 1 ? remarks[0].text : std::to_string(remarks.size()) + " remarks";
  };
  EXPECT_EQ(
      only(),
      "its driver has 1 whole GPU, and Slurm offers 7 × 1g.10gb: a boot destroys all instances, and the "
      "last one was at 2026-11-22T02:10:00Z");
  one.booted.reset();
  EXPECT_EQ(only(), "its driver has 1 whole GPU, and Slurm offers 7 × 1g.10gb");
}

// Who asks once asks few, the silent ones first, and says whom it did not.
TEST_F(SlurmActuatorTest, DoctorAsksSoManyNodesAndNamesTheOthers) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  said.mig_tool = "nvidia-mig-parted";
  say(said);
  put("far", one_board() + "*mig-parted*) echo 'version: v1'; exit 0;; esac\n");
  std::vector<Node> nodes;
  std::string listed;
  for (int i = 1; i <= 6; ++i) {
    Node& one = nodes.emplace_back();
    one.name = NodeName("n" + std::to_string(i));
    one.gpus.resize(1);
    if (i == 6) one.gpus[0].product = ProductKey("H100-80GB");  // reported by Slurm
    one.health = i == 5 ? Health::down : Health::ok;
    if (i == 5) one.state = {"DOWN", "NOT_RESPONDING"};
    listed += fmt::format("NodeName=n{} Gres=gpu:1 CPUAlloc=0 State={}\n", i,
                          i == 5 ? "DOWN+NOT_RESPONDING" : "IDLE");
  }
  put("node", listed);
  auto learn = [&] {
    return answer<bool>([&](auto told) {
      worker_.post([&, told] { actuator_->learn_boards(nodes, {3, true}, [told](bool any) { told(any); }); });
    });
  };
  actuator();
  ASSERT_TRUE(learn().value());
  for (const char* node : {"on n5 ", "on n1 ", "on n2 "}) EXPECT_TRUE(asked(node)) << node << log();
  for (const char* node : {"on n3 ", "on n4 ", "on n6 "}) EXPECT_FALSE(asked(node)) << node << log();
  std::string remarks;
  for (const Remark& one : actuator().board_remarks(nodes)) remarks += one.text + "\n";
  EXPECT_NE(remarks.find("the GPUs of 2 nodes: n[3-4]"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("whether nvidia-mig-parted works is not known of 3 nodes: n[3-4,6]"),
            std::string::npos)
      << remarks;
  ASSERT_TRUE(learn().value());
  EXPECT_TRUE(asked("on n6 timeout -k 2 30 nvidia-mig-parted export")) << log();
  // All are known.
  const std::string before = log();
  EXPECT_FALSE(learn().value());
  EXPECT_EQ(log(), before);
}

// "As wanted" was Slurm's word wherever a type names one product: GPUs that were cut by hand went unseen.
TEST_F(SlurmActuatorTest, AFleetAsksSoManyNodesWhoseGpusSlurmTellsAndTheNextOnesFiveMinutesLater) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("far", one_board() + "esac\n");
  std::vector<Node> nodes;
  std::string listed;
  for (int i = 1; i <= 6; ++i) {
    Node& one = nodes.emplace_back();
    one.name = NodeName("n" + std::to_string(i));
    one.health = Health::ok;
    one.gpus.resize(1);
    one.gpus[0].product = ProductKey("H100-80GB");
    if (i == 1) one.workloads = {WorkloadId("7")}, one.cpus_held = 8, one.state = {"MIXED"};
    listed += fmt::format("NodeName=n{} Gres=gpu:1 CPUAlloc={} State={}\n", i, i == 1 ? 8 : 0,
                          i == 1 ? "MIXED" : "IDLE");
  }
  put("node", listed);
  now_ = std::chrono::minutes(5);
  actuator();
  const auto any = answer<bool>([&](auto told) {
    worker_.post([&, told] {
      actuator_->learn_boards(nodes, {std::nullopt, true, 2}, [told](bool asked) { told(asked); });
    });
  });
  ASSERT_TRUE(any.value());
  for (const char* node : {"on n4 ", "on n5 "}) EXPECT_TRUE(asked(node)) << node << log();
  for (const char* node : {"on n1 ", "on n2 ", "on n3 ", "on n6 "})
    EXPECT_FALSE(asked(node)) << node << log();
  actuator_->lay_known_boards(nodes);
  EXPECT_EQ(nodes[3].gpus[0].origin.source, Source::nvidia_smi);
}

TEST_F(SlurmActuatorTest, ARestartIsRememberedForItsRunOnlyAndOnlyIfItWorked) {
  slurmconf::SlurmSettings said;
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
  EXPECT_TRUE(asked("scontrol -- requeue 7"));
  EXPECT_FALSE(asked("scancel"));
  ASSERT_TRUE(perform(plan::Evict{WorkloadId("8"), plan::Way::cancel}));
  EXPECT_TRUE(asked("scancel -- 8"));
  ASSERT_TRUE(perform(plan::Evict{WorkloadId("9"), plan::Way::wait}));
  EXPECT_FALSE(asked("9"));
}

// By srun a node that this run has drained is opened to be looked at, under its reservation and never else.
TEST_F(SlurmActuatorTest, ANodeIsOpenedToLookOnlyUnderOurReservationAndIfTheDrainIsOurs) {
  slurmconf::SlurmSettings said;
  said.runner = "srun";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  EXPECT_FALSE(special(verb::kOpenToLook)) << "nothing keeps others off";
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

}  // namespace
}  // namespace tessera::slurm
