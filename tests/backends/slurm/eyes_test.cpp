// What a look says when it cannot tell: a list that is not whole, files that cannot be read, GPUs that were
// seen before a reboot or under another run.
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

TEST_F(SlurmActuatorTest, WithoutTheWholeListOfNodesWhatAReconfigureChangesIsNotKnown) {
  put("node", "what is this\nNodeName=n1 Gres=gpu:2 CPUAlloc=0 CPUTot=64 State=IDLE\n");
  const std::string elsewhere = word(look(), key::kElsewhere);
  EXPECT_NE(elsewhere.find("what Slurm runs with could not be read whole"), std::string::npos) << elsewhere;
}

TEST_F(SlurmActuatorTest, FilesWhoseMeaningIsNotKnownStopARun) {
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n1 Gres=gpu:2\nInclude gone.conf\n");
  const std::string elsewhere = word(look(), key::kElsewhere);
  EXPECT_NE(elsewhere.find("gone.conf"), std::string::npos) << elsewhere;
}

// A busy node is not asked again within a minute, unless it was rebooted: what was cut is gone then.
TEST_F(SlurmActuatorTest, BoardsSeenBeforeARebootAreAskedForAgain) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  put("far", one_board() + "esac\n");
  put("jobs",
      "JobId=7 JobName=t UserId=al(1) JobState=RUNNING Reason=None NodeList=n1 BatchHost=n1 NumNodes=1 "
      "Nodes=n1 CPU_IDs=0-7 Mem=1 GRES=gpu:1(IDX:0)\n");
  auto times_asked = [&] {
    const std::string all = log();
    int times = 0;
    for (std::size_t at = all.find("-q -x"); at != std::string::npos; at = all.find("-q -x", at + 1)) ++times;
    return times;
  };
  auto look_at_boot = [&](const std::string& booted) {
    put("node", "NodeName=n1 Gres=gpu:2 CPUAlloc=8 CPUTot=64 State=MIXED BootTime=" + booted + " Weight=1\n");
    return look();
  };
  look_at_boot("2026-11-22T01:00:00");
  const int first = times_asked();
  ASSERT_EQ(first, 1) << log();
  look_at_boot("2026-11-22T01:00:00");
  EXPECT_EQ(times_asked(), first) << "work is not disturbed by looking again";
  look_at_boot("2026-11-22T05:00:00");
  EXPECT_EQ(times_asked(), first + 1);
}

// srun reaches no drained node: what this run has read under its own mark is all that is known there.
TEST_F(SlurmActuatorTest, BoardsThatAnotherRunHasSeenAreNotKnownToThisOne) {
  slurmconf::SlurmSettings said;
  said.runner = "srun";
  say(said);
  program("srun",
          "echo \"srun $*\" >> $D/log\n"
          "while :; do case \"$1\" in -w) shift 2;; -*) shift;; *) break;; esac; done\n"
          "(. $D/far); s=$?\n"
          "[ $s = 0 ] || echo \"srun: error: n1: task 0: Exited with exit code $s\" >&2\nexit $s\n");
  put("far", one_board() + "esac\nexit 1\n");
  reserved();
  plan::NodeFacts seen = look();
  ASSERT_EQ(seen.node.gpus.size(), 1u) << word(seen, key::kDriver);
  auto boards = [&](const std::string& reservation) {
    put("reservations", "ReservationName=" + reservation + " Nodes=n1 Users=root State=ACTIVE\n");
    node(std::string("State=IDLE+DRAIN ") + kOurs);
    return word(look(), key::kBoards);
  };
  EXPECT_EQ(boards("tessera+20261122-0300-n1+root+ctl").find("not known"), std::string::npos);
  EXPECT_NE(boards("tessera+20261122-0200-n2+bob+b").find("its GPUs are not known"), std::string::npos);
}

// What another process of this run has begun may still run there: a second change would meet it.
TEST_F(SlurmActuatorTest, AChangeThatAnEarlierProcessBeganIsLookedForFirst) {
  slurmconf::SlurmSettings said;
  said.runner = scratch_.path() + "/on {node}";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  put("far", "case \"$*\" in *pgrep*) echo '77 nvidia-smi -i 0 -mig 1'; exit 0;; esac\n");
  plan::Order order{NodeName("n1"), plan::SetMode{{GpuIndex{0}}, true}, kOurMark, "n1/1", Duration{0}, true};
  auto perform_it = [&] { return answer<Done>([&](auto told) { actuator().perform(order, told); }); };
  Status refused = perform_it();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("still runs there: process 77"), std::string::npos)
      << to_line(refused.error());
  EXPECT_FALSE(asked("nvidia-smi -i 0 -mig")) << log();
  put("far", "case \"$*\" in *pgrep*) exit 1;; *'-mig 1'*) exit 0;; esac\n");
  EXPECT_TRUE(perform_it());
  EXPECT_TRUE(asked("nvidia-smi -i 0 -mig 1")) << log();
}

// A run takes back what it has written itself, and no other's files.
TEST_F(SlurmActuatorTest, FilesOfAnotherRunAreNotTakenBackWithOurs) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  put("config", "SLURM_VERSION = 24.11.5\nHASH_VAL = Match\n");
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  auto text = [&] {
    std::ifstream stream(scratch_.path() + "/slurm.conf");
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string written = text();
  put("refuse", "slurm_reconfigure error: Unspecified error\n");
  plan::RunMark other = kOurMark;
  other.run = "20261122-0500-n1";
  plan::Order order{NodeName("n1"), plan::Special{std::string(verb::kReconfigure), {}}, other, "n1/1", {}};
  Status refused = answer<Done>([&](auto told) { actuator().perform(order, told); });
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("the new files are in place"), std::string::npos)
      << to_line(refused.error());
  EXPECT_EQ(text(), written);
}

}  // namespace
}  // namespace tessera::slurm
