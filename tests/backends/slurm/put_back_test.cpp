// Files that a run has written: taken back when Slurm refuses them, told from another's edit, given up in
// time.
#include <fmt/format.h>

#include "backends/slurm/parse/running.hpp"
#include "tests/backends/slurm/actuator_fixture.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;
namespace key = plan::slurm::key;
namespace verb = plan::slurm::verb;

// Slurm's answer by 24.11 while it keeps the record of a job that held what the new files take away.
TEST_F(SlurmActuatorTest, FilesThatSlurmRefusesToReadAreTakenBackBeforeAnybodyElseMakesThemTrue) {
  put("config", "SLURM_VERSION = 24.11.5\nHASH_VAL = Match\nMinJobAge = 300 sec\n");
  put("slurm.conf", "ClusterName=hpc\nGresTypes=gpu,mps\nNodeName=n1 Gres=gpu:2,mps:200\n");
  put("gres.conf", "NodeName=n1 Name=gpu File=/dev/nvidia[0-1]\nNodeName=n1 Name=mps Count=200\n");
  put("node",
      std::string("NodeName=n1 Gres=gpu:2,mps:200 CPUAlloc=0 CPUTot=64 State=IDLE+DRAIN ") + kOurs + "\n");
  put("jobs",
      "JobId=144 JobName=t UserId=al(1) JobState=COMPLETED EndTime=2026-11-22T03:01:00 NodeList=n1 "
      "NumNodes=1 "
      "TresPerNode=gres/mps:25\n");
  auto text = [&](const char* name) {
    std::ifstream stream(scratch_.path() + "/" + name);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  const std::string conf = text("slurm.conf"), gres = text("gres.conf");
  const std::string known = word(look(), key::kForgotten);
  EXPECT_NE(known.find("job 144 held mps here and ended at 2026-11-22T03:01:00"), std::string::npos) << known;
  EXPECT_NE(known.find("MinJobAge (300 sec)"), std::string::npos) << known;
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2"}}));
  EXPECT_NE(text("slurm.conf"), conf);
  put("refuse", "slurm_reconfigure error: Unspecified error\n");
  Status refused = special(verb::kReconfigure);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("job 144 held mps"), std::string::npos) << to_line(refused.error());
  EXPECT_NE(refused.error().hint.find("files are back as they were"), std::string::npos);
  EXPECT_EQ(text("slurm.conf"), conf);
  EXPECT_EQ(text("gres.conf"), gres);
  // An edit made since is not taken back with ours.
  ::unlink((scratch_.path() + "/refuse").c_str());
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2"}}));
  put("slurm.conf", text("slurm.conf") + "# theirs\n");
  put("refuse", "slurm_reconfigure error: Unspecified error\n");
  refused = special(verb::kReconfigure);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().hint.find("the new files are still in place"), std::string::npos)
      << to_line(refused.error());
  EXPECT_NE(text("slurm.conf").find("# theirs"), std::string::npos);
}

// Parked after it has written, and taken up days later by a process that never saw what slurmctld has read:
// the backup tells the run's own edit from another's.
TEST_F(SlurmActuatorTest, ARunsBackupTellsItsOwnEditFromAnothers) {
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  const std::string conf = scratch_.path() + "/slurm.conf";
  auto hash = [&] { return slurmconf::hash_of(slurmconf::text_as_read(*read_conf_files(conf))); };
  const std::uint32_t read = hash();
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  auto elsewhere = [&] {
    put("config", fmt::format("SLURM_VERSION = 22.05.8\nHASH_VAL = Different Ours=0x{:x} Slurmctld=0x{:x}\n",
                              hash(), read));
    return word(look(), key::kElsewhere);
  };
  EXPECT_EQ(elsewhere(), "");
  auto files = read_conf_files(conf);
  put("slurm.conf", files->front().text + "LaunchParameters=test_exec\n");
  EXPECT_EQ(elsewhere(),
            "slurm.conf was edited after slurmctld read it: LaunchParameters nothing -> test_exec");
  ::unlink(backup_of(conf, kOurMark.run).c_str());
  EXPECT_NE(elsewhere(), "") << "without it that is not known";
}

TEST_F(SlurmActuatorTest, WhatWasReadBeforeTheFilesWereWrittenAgainDoesNotCount) {
  slurmconf::SlurmSettings said;
  said.restart_controller = "true";
  say(said);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  ASSERT_TRUE(special(verb::kReconfigure));
  ASSERT_TRUE(special(verb::kRestartController));
  EXPECT_EQ(word(look(), key::kReconfigured), "yes");
  EXPECT_EQ(word(look(), key::kControllerRestarted), "yes");
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,mps:200"}}));
  EXPECT_EQ(word(look(), key::kReconfigured), "not told");
  EXPECT_EQ(word(look(), key::kControllerRestarted), "not told");
}

// The files stay locked until what was begun has ended; nothing is written after that.
TEST_F(SlurmActuatorTest, WritingEndsAtTheDeadlineOfTheOrder) {
  slurmconf::SlurmSettings far;
  far.files = "host:cfg";
  far.runner = scratch_.path() + "/on {node}";
  say(far);
  node(std::string("State=IDLE+DRAIN ") + kOurs);
  actuator();
  const std::string before = log();
  ASSERT_EQ(::mkfifo((scratch_.path() + "/go").c_str(), 0600), 0);
  put("far", "case \"$2\" in tee) read x < $D/go;; esac\n");
  std::ifstream conf(scratch_.path() + "/slurm.conf");
  const std::string old{std::istreambuf_iterator<char>(conf), {}};
  Status late = perform(plan::Special{std::string(verb::kWriteConfig), {{"gres", "gpu:2,mps:200"}}}, 3s);
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().reason.find("not done within 3 s"), std::string::npos) << to_line(late.error());
  { std::ofstream(scratch_.path() + "/go") << "go\n"; }
  put("far", "");
  // Another order waits for the lock, and with it for the end of the first one.
  ASSERT_TRUE(special(verb::kWriteConfig, {{"gres", "gpu:2,shard:8"}}));
  EXPECT_EQ(log().find("cfg mv -f -T -- " + scratch_.path() + "/slurm.conf.tessera-new"),
            log().rfind("cfg mv -f -T -- " + scratch_.path() + "/slurm.conf.tessera-new"))
      << "only the second one was put in place\n" + log();
}

}  // namespace
}  // namespace tessera::slurm
