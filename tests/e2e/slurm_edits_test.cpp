// A real Slurm whose files another admin has edited and not yet made true: a run for one node must not make
// that true in passing. Each of these edits, once in effect, ends a job on a node that the run is not about.
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/parse/running.hpp"
#include "tests/e2e/slurm_change_lab.hpp"

namespace tessera::test {
namespace {

class SlurmEdits : public SlurmChange {
 protected:
  // Puts slurm.conf back however the test ends.
  class Edit {
   public:
    Edit(const std::string& from, const std::string& to) : before_(file_text(lab_->conf())) {
      std::string text = before_;
      std::size_t at = text.find(from);
      EXPECT_NE(at, std::string::npos) << from << text;
      if (at != std::string::npos) std::ofstream(lab_->conf()) << text.replace(at, from.size(), to);
    }
    ~Edit() { std::ofstream(lab_->conf()) << before_; }
    Edit(const Edit&) = delete;
    Edit& operator=(const Edit&) = delete;

   private:
    const std::string before_;
  };
};

TEST_F(SlurmEdits, AnUnappliedEditOfAnythingStopsTheRunBeforeTheDrainAndNamesItsVictims) {
  const std::string id = lab_->submit({"-p", "shared", "-w", "shard01", "--gres=shard:1", "-t", "60"});
  Running neighbour{id, ""};
  ASSERT_TRUE(lab_->wait({"squeue", "-h", "-t", "R", "-o", "%i"},
                         [](const std::string& out) { return !out.empty(); }));
  neighbour.started = field(lab_->run({"scontrol", "-o", "show", "job", id}).out, "StartTime");
  const std::string run_there = " (job " + id + " runs there)";
  struct Case {
    const char *from, *to;
    std::string told;
  };
  for (const Case& one : {
           Case{"PartitionName=shared Nodes=mps01,shard01 MaxTime=04:00:00 OverSubscribe=YES\n", "",
                "partition shared goes (job " + id + " runs in it)"},
           Case{"Gres=gpu:h100:4,shard:16",
                "Sockets=1 CoresPerSocket=1 RealMemory=50 Gres=gpu:h100:4,shard:16",
                "node shard01 RealMemory 1000000 -> 50" + run_there},
           Case{"Gres=gpu:h100:4,shard:16", "State=DOWN Gres=gpu:h100:4,shard:16", "-> DOWN" + run_there},
           Case{"SelectTypeParameters=CR_Core_Memory", "SelectTypeParameters=CR_Core",
                "SelectTypeParameters CR_CORE_MEMORY -> CR_Core"},
           Case{"NodeName=cpu01", "#NodeName=cpu01",
                "cpu01 runs with nothing, and the files say no such node"},
           Case{"KillWait=1", "KillWait=1\n# a comment", "shows nowhere"},
       }) {
    Edit edit(one.from, one.to);
    Admin admin(*lab_, said(), folder());
    std::string run = admin.start(admin.plan("gpu02", shared(Strategy::shard, 2)));
    std::string why = admin.outcome(run);
    EXPECT_NE(why.find(one.told), std::string::npos) << one.told << "\n" << why;
    EXPECT_EQ(field(record("gpu02"), "State"), "IDLE");
    EXPECT_EQ(gres("gpu02"), "gpu:h100:8");
    expect_untouched(neighbour);
  }
}

TEST_F(SlurmEdits, AnEditMadeWhileTheRunWaitsIsSeenBeforeItsFilesAreWritten) {
  Running neighbour = run_on("shard01", "shard:1"), job = run_on("gpu02", "gpu:h100:1");
  const std::string before = file_text(lab_->conf());
  Admin admin(*lab_, said(), folder());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::mps, 100)));
  ASSERT_TRUE(admin.wait_for(run, "\"kind\":\"waiting\"")) << admin.journal(run);
  const std::string told = "node shard01 RealMemory 1000000 -> 50";
  {
    Edit edit("Gres=gpu:h100:4,shard:16", "RealMemory=50 Gres=gpu:h100:4,shard:16");
    (void)lab_->run({"scancel", "-f", job.id});
    EXPECT_NE(admin.outcome(run).find(told), std::string::npos) << admin.journal(run);
    EXPECT_EQ(file_text(lab_->conf()).find("mps:800"), std::string::npos) << "not beside another's edit";
    expect_untouched(neighbour);
    // Still so days later, for another process.
    Admin later(*lab_, said(), folder());
    later.read(run);
    later.resume(run);
    EXPECT_NE(later.outcome(run).find(told), std::string::npos) << later.journal(run);
  }
  EXPECT_EQ(file_text(lab_->conf()), before);
  Admin last(*lab_, said(), folder());
  last.read(run);
  last.resume(run);
  EXPECT_EQ(last.outcome(run), "wanted") << last.journal(run);
  EXPECT_EQ(last.outcome(last.undo(run)), "recorded");
  expect_untouched(neighbour);
}

// scontrol update PartitionName and create partition leave no trace in the files.
TEST_F(SlurmEdits, APartitionThatOnlySlurmctldKnowsIsNotLost) {
  ASSERT_EQ(lab_->run({"scontrol", "create", "PartitionName=night", "Nodes=shard01"}).status, 0);
  Admin admin(*lab_, said(), folder());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::shard, 2)));
  std::string why = admin.outcome(run);
  EXPECT_NE(why.find("partition night goes"), std::string::npos) << why;
  EXPECT_EQ(field(record("gpu02"), "State"), "IDLE");
  EXPECT_EQ(lab_->run({"scontrol", "delete", "PartitionName=night"}).status, 0);
}

TEST_F(SlurmEdits, TheHashOfATextIsTheOneThatScontrolPrints) {
  const std::string more = lab_->folder() + "/etc/more.conf";
  std::ofstream(more) << "MaxArraySize=500 \\\n\n";
  Edit edit("MailProg", "Include more.conf\n# r\xc3\xa9glages\nMailProg");
  auto read = slurm::read_hash(lab_->run({"scontrol", "show", "config"}).out);
  auto files = slurm::read_conf_files(lab_->conf());
  ASSERT_TRUE(files);
  EXPECT_EQ(read.says, slurm::ReadHash::Says::differs);
  EXPECT_EQ(slurmconf::hash_of(slurmconf::text_as_read(*files)), read.scontrols);
  EXPECT_NE(read.scontrols, read.slurmctlds);
  std::filesystem::remove(more);
}

// From 23.11 on slurmctld refuses to read files that take mps from an ended job which it still keeps; see
// tests/slurm_suite.sh for such a Slurm.
class SlurmForgotten : public SlurmChange {
 protected:
  static void SetUpTestSuite() {
    if (SlurmLab::possible()) lab_ = new SlurmLab("MinJobAge=20");
  }
};

TEST_F(SlurmForgotten, ARunThatTakesMpsAwayWaitsUntilSlurmctldHasForgottenTheJobsThatHeldSome) {
  const std::string version = lab_->run({"scontrol", "--version"}).out;
  if (version.find(" 22.") != std::string::npos) GTEST_SKIP() << "it is not refused by " << version;
  Admin admin(*lab_, said(), folder());
  std::string run = admin.start(admin.plan("gpu01", shared(Strategy::mps, 100)));
  ASSERT_EQ(admin.outcome(run), "wanted") << admin.journal(run);
  Running job = run_on("gpu01", "mps:25");
  (void)lab_->run({"scancel", job.id});
  std::string back = admin.undo(run);
  EXPECT_EQ(admin.outcome(back), "recorded") << admin.journal(back);
  EXPECT_TRUE(admin.says(back, "job " + job.id + " held mps here")) << admin.journal(back);
  EXPECT_EQ(gres("gpu01"), "gpu:h100:8") << record("gpu01");
}

}  // namespace
}  // namespace tessera::test
