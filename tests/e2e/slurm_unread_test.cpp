// A real Slurm beside whose slurm.conf another admin has edited a file that no answer of scontrol tells: a
// run for one node must not make that true in passing.
#include "tests/e2e/slurm_change_lab.hpp"

namespace tessera::test {
namespace {

class SlurmUnreadFiles : public SlurmChange {
 protected:
  std::string beside(const std::string& name) const { return lab_->folder() + "/etc/" + name; }
  // So that slurmctld has read all files as they stand.
  void make_true() const {
    if (reconfigure_suffices()) {
      ASSERT_EQ(lab_->run({"scontrol", "reconfigure"}).status, 0);
    } else {
      ASSERT_EQ(lab_->run({lab_->folder() + "/restart", "slurmctld"}).status, 0);
    }
    ASSERT_TRUE(lab_->wait({"scontrol", "-o", "show", "node"}, [](const std::string& out) {
      return !out.empty() && out.find("UNKNOWN") == std::string::npos &&
             out.find("NOT_RESPONDING") == std::string::npos;
    })) << lab_->run({"scontrol", "-o", "show", "node"}).out;
    // It tells the time of its start without fractions.
    const char* later =
        "[ $(date +%s) -gt $(date +%s -d \"$(scontrol show config | sed -n 's/^BOOT_TIME *= //p')\") ] && "
        "echo yes";
    ASSERT_TRUE(lab_->wait({"bash", "-c", later}, [](const std::string& out) { return !out.empty(); }));
  }
  std::string why_stopped(Admin& admin) {
    return admin.outcome(admin.start(admin.plan("gpu02", shared(Strategy::shard, 2))));
  }
};

TEST_F(SlurmUnreadFiles, AnEditThatChangesNoCountStopsTheRunBeforeTheDrain) {
  Running neighbour = run_on("shard01", "shard:1");
  const std::string gres_conf = file_text(beside("gres.conf")), cgroup = file_text(beside("cgroup.conf"));
  struct Case {
    const char* file;
    std::string text, unseen, seen;  // told to one that looks later, and to one that saw the file before
  };
  const std::string shard = "gres.conf for node shard01 (job " + neighbour.id;
  const std::string later = " was changed";
  std::string cores = gres_conf;
  cores.insert(cores.find('\n', cores.find("NodeName=shard01")), " Cores=0-31");
  for (const Case& one : {Case{"gres.conf", cores, "gres.conf" + later, shard},
                          Case{"cgroup.conf", cgroup + "ConstrainRAMSpace=no\n", "cgroup.conf" + later,
                               "changed since slurmctld read it: cgroup.conf"},
                          Case{"topology.conf", "SwitchName=s1 Nodes=gpu01\n", "topology.conf" + later,
                               "topology.conf" + later}}) {
    make_true();
    Admin saw(*lab_, said(), folder() + "-saw");
    EXPECT_EQ(saw.cluster().name.text, "lab");
    std::ofstream(beside(one.file)) << one.text;
    Admin fresh(*lab_, said(), folder());
    std::string why = why_stopped(fresh);
    EXPECT_NE(why.find(one.unseen), std::string::npos) << one.file << "\n" << why;
    why = why_stopped(saw);
    EXPECT_NE(why.find(one.seen), std::string::npos) << one.file << "\n" << why;
    EXPECT_EQ(field(record("gpu02"), "State"), "IDLE");
    EXPECT_EQ(gres("gpu02"), "gpu:h100:8");
    std::ofstream(beside("gres.conf")) << gres_conf;
    std::ofstream(beside("cgroup.conf")) << cgroup;
    std::filesystem::remove(beside("topology.conf"));
  }
  expect_untouched(neighbour);
}

// "Configuration data as of" moves with it, and slurmctld has read nothing.
TEST_F(SlurmUnreadFiles, ADebugLevelThatIsSetIsNoReading) {
  make_true();
  const std::string gres_conf = file_text(beside("gres.conf"));
  std::ofstream(beside("gres.conf")) << gres_conf << "# theirs\n";
  ASSERT_EQ(lab_->run({"scontrol", "setdebug", "info"}).status, 0);
  Admin admin(*lab_, said(), folder());
  EXPECT_NE(why_stopped(admin).find("gres.conf was changed"), std::string::npos);
  std::ofstream(beside("gres.conf")) << gres_conf;
}

TEST_F(SlurmUnreadFiles, AnEditWhileTheRunWaitsIsSeenBeforeItWritesAndGoesOnOnceItIsRead) {
  make_true();
  Running neighbour = run_on("shard01", "shard:1"), job = run_on("gpu02", "gpu:h100:1");
  const std::string gres_conf = file_text(beside("gres.conf"));
  Admin admin(*lab_, said(), folder());
  std::string run = admin.start(admin.plan("gpu02", shared(Strategy::mps, 100)));
  ASSERT_TRUE(admin.wait_for(run, "\"kind\":\"waiting\"")) << admin.journal(run);
  std::string cores = gres_conf;
  cores.insert(cores.find('\n', cores.find("NodeName=shard01")), " Cores=0-31");
  std::ofstream(beside("gres.conf")) << cores;
  (void)lab_->run({"scancel", "-f", job.id});
  EXPECT_NE(admin.outcome(run).find("gres.conf for node shard01"), std::string::npos) << admin.journal(run);
  EXPECT_EQ(file_text(beside("gres.conf")), cores) << "not beside another's edit";
  expect_untouched(neighbour);
  std::ofstream(beside("gres.conf")) << gres_conf;
  make_true();
  Admin later(*lab_, said(), folder());
  later.read(run);
  later.resume(run);
  EXPECT_EQ(later.outcome(run), "wanted") << later.journal(run);
  EXPECT_EQ(later.outcome(later.undo(run)), "recorded");
  EXPECT_EQ(file_text(beside("gres.conf")), gres_conf);
  expect_untouched(neighbour);
}

}  // namespace
}  // namespace tessera::test
