// Resetting GPUs of a real Slurm's nodes: nvidia-smi is a stand-in, everything else is real.
#include "tests/e2e/slurm_cut_lab.hpp"

namespace tessera::test {
namespace slurm_reset_test {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

class SlurmReset : public SlurmCut {
 protected:
  static std::string asked() { return file_text(lab_->folder() + "/log/on-nodes"); }
  static std::string state(const std::string& node) { return field(record(node), "State"); }
};

TEST_F(SlurmReset, AFreeGpuIsResetWhileJobsOnTheOthersRunAndTheNodeTakesJobsAgain) {
  Running user = run_on("gpu01", "gpu:h100:2");
  slurmconf::SlurmSettings site = with_runner();
  Ran reset = tessera(site, {"node", "reset-gpu", "gpu01", "7"}, command_line());
  ASSERT_EQ(reset.code, 0) << reset.out << reset.err;
  EXPECT_TRUE(has(asked(), "gpu01 nvidia-smi -i 7 --gpu-reset\n")) << asked();
  EXPECT_TRUE(has(reset.out + reset.err, "its GPUs were reset, answer, and ask for no further reset"))
      << reset.out;
  EXPECT_FALSE(has(state("gpu01"), "DRAIN")) << record("gpu01");
  expect_untouched(user);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8");
  Running later = run_on("gpu01", "gpu:h100:1");
  (void)lab_->run({"scancel", later.id});
  (void)lab_->run({"scancel", user.id});
}

// The site's commands are written for an empty node: work on another GPU is waited for, too.
TEST_F(SlurmReset, ClientsOfTheSiteAreStoppedOnAnEmptyNodeAlone) {
  Running user = run_on("gpu01", "gpu:h100:1");
  slurmconf::SlurmSettings site = with_runner();
  const std::string clients = lab_->folder() + "/reset-clients";
  script("client", "echo $1 >> " + clients + "\n");
  site.stop_clients = lab_->folder() + "/client stopped";
  site.start_clients = lab_->folder() + "/client started";
  RunOptions options = command_line();
  Ran killed =
      tessera(site, {"node", "reset-gpu", "gpu01", "7"}, killed_at(options, "wait until 1 job has left"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_EQ(file_text(clients), "");
  (void)lab_->run({"scancel", user.id});
  Ran resumed = tessera(site, {"resume", newest_run(options)}, options);
  EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
  EXPECT_EQ(file_text(clients), "stopped\nstarted\n");
  EXPECT_FALSE(has(state("gpu01"), "DRAIN")) << record("gpu01");
}

TEST_F(SlurmReset, AHeldGpuIsWaitedForOverAKillAndResetOnceItsJobHasEnded) {
  Running user = run_on("gpu01", "gpu:h100:8");
  slurmconf::SlurmSettings site = with_runner();
  RunOptions options = command_line();
  Ran killed =
      tessera(site, {"node", "reset-gpu", "gpu01", "0"}, killed_at(options, "wait until 1 job has left"));
  ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
  EXPECT_TRUE(has(record("gpu01"), "Reason=tessera ")) << record("gpu01");
  EXPECT_FALSE(has(asked(), "gpu01 nvidia-smi -i 0 --gpu-reset")) << "a job has it";
  expect_untouched(user);
  (void)lab_->run({"scancel", user.id});
  Ran resumed = tessera(site, {"resume", newest_run(options)}, options);
  EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
  EXPECT_TRUE(has(asked(), "gpu01 nvidia-smi -i 0 --gpu-reset")) << asked();
  EXPECT_FALSE(has(state("gpu01"), "DRAIN")) << record("gpu01");
}

TEST_F(SlurmReset, KilledAnywhereItIsCarriedOnOrGoneBackFromAndTheNodeIsGivenBack) {
  slurmconf::SlurmSettings site = with_runner();
  RunOptions options = command_line();
  for (const bool back : {false, true})
    for (const char* at : {"gpu01/3:", "gpu01/5:", "gpu01/6:"}) {
      SCOPED_TRACE(std::string(at) + (back ? " back" : " on"));
      Ran killed = tessera(site, {"node", "reset-gpu", "gpu01", "0,1"}, killed_at(options, at));
      ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
      std::vector<std::string> words{"resume", newest_run(options)};
      if (back) words.emplace_back("--back");
      Ran resumed = tessera(site, words, options);
      if (!back) EXPECT_EQ(resumed.code, 0) << resumed.out << resumed.err;
      EXPECT_FALSE(has(state("gpu01"), "DRAIN")) << record("gpu01") << resumed.out << resumed.err;
    }
}

TEST_F(SlurmReset, ADriverThatRefusesKeepsTheNodeDrainedWithItsWordsAndADrainOfAnothersStays) {
  slurmconf::SlurmSettings site = with_runner();
  RunOptions options = command_line();
  const LabAnswer armed = lab_->run({simulator(), "nvidia-smi", "--state", gpus("gpu01"), "--fault",
                                     "in-use verb=--gpu-reset times=always"});
  ASSERT_EQ(armed.status, 0) << armed.out;
  Ran parked = tessera(site, {"node", "reset-gpu", "gpu01", "0"}, options);
  EXPECT_NE(parked.code, 0);
  EXPECT_TRUE(has(parked.out + parked.err, "In use by another client")) << parked.out << parked.err;
  EXPECT_TRUE(has(state("gpu01"), "DRAIN")) << record("gpu01");
  new_gpus("gpu01");
  Ran back = tessera(site, {"resume", newest_run(options), "--back"}, options);
  EXPECT_FALSE(has(state("gpu01"), "DRAIN")) << record("gpu01") << back.out << back.err;

  (void)lab_->run({"scontrol", "update", "NodeName=gpu01", "State=DRAIN", "Reason=Xid 63"});
  Ran asks = tessera(site, {"node", "reset-gpu", "gpu01", "0"}, options);
  EXPECT_TRUE(has(asks.out + asks.err, "closed already by root: Xid 63")) << asks.out << asks.err;
  Ran reset = tessera(site, {"resume", newest_run(options), "--go-on"}, options);
  EXPECT_EQ(reset.code, 0) << reset.out << reset.err;
  EXPECT_TRUE(has(state("gpu01"), "DRAIN")) << "another has drained it";
  EXPECT_TRUE(has(record("gpu01"), "Reason=Xid 63")) << record("gpu01");
  EXPECT_FALSE(has(lab_->run({"scontrol", "-o", "show", "reservation"}).out, "tessera+"));
  resume("gpu01");
}

class SlurmResetBySrun : public SlurmCutBySrun {};

TEST_F(SlurmResetBySrun, IsMadeInsideAReservationAndTheNodeIsNeverDrained) {
  const slurmconf::SlurmSettings site = by_srun();
  Ran reset = tessera(site, {"node", "reset-gpu", "gpu01", "3"}, command_line());
  EXPECT_EQ(reset.code, 0) << reset.out << reset.err;
  EXPECT_TRUE(has(reset.out + reset.err, "its GPUs were reset, answer, and ask for no further reset"))
      << reset.out;
  EXPECT_FALSE(has(reset.err, "drain gpu01")) << reset.err;
  EXPECT_FALSE(has(field(record("gpu01"), "State"), "DRAIN")) << record("gpu01");
  EXPECT_FALSE(has(lab_->run({"scontrol", "-o", "show", "reservation"}).out, "tessera+"));
  (void)lab_->run({"scontrol", "update", "NodeName=gpu01", "State=DRAIN", "Reason=fans"});
  Ran drained = tessera(site, {"node", "reset-gpu", "gpu01", "3"}, command_line());
  EXPECT_NE(drained.code, 0);
  EXPECT_TRUE(has(drained.err, "srun reaches no drained node: fans")) << drained.err;
  resume("gpu01");
}

}  // namespace slurm_reset_test
}  // namespace tessera::test
