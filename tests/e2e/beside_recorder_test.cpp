// A console and commands beside a recorder, on its machine: they read what it wrote, with its age, and
// slurmctld is asked by the recorder alone.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>
#include <vector>

#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

class BesideRecorder : public testing::Test {
 protected:
  BesideRecorder() {
    const std::string at = folder_.path();
    ::chmod(folder_
                .write("bin/scontrol", "#!/bin/sh\necho \"$*\" >>" + at +
                                           "/calls\ncase \"$*\" in\n"
                                           "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
                                           "  *config) echo 'SLURM_VERSION = 22.05.8';;\n"
                                           "  *node) /bin/cat " +
                                           at +
                                           "/node;;\n"
                                           "  *job) /bin/cat " +
                                           at +
                                           "/job;;\n"
                                           "  *partition) echo 'No partitions in the system';;\n"
                                           "  *reservation) echo 'No reservations in the system';;\nesac\n")
                .c_str(),
            0755);
    folder_.write("slurm.conf", "ClusterName=hpc\n");
    folder_.write("node", "NodeName=n1 Gres=gpu:2 GresUsed=gpu:1(IDX:0) CPUAlloc=8 State=MIXED\n");
    has_job("7");
  }
  void has_job(const std::string& id) {
    folder_.write("job",
                  "JobId=" + id + " JobName=work" + id +
                      " UserId=alice(1000) Account=a JobState=RUNNING Partition=gpu NodeList=n1 NumNodes=1 "
                      "TRES=cpu=8,gres/gpu=1   Nodes=n1 CPU_IDs=0-7 Mem=0 GRES=gpu:1(IDX:0)\n");
  }
  // What asks the cluster.
  std::vector<std::string> recorder(std::vector<std::string> more) const {
    std::vector<std::string> words{"record",
                                   "--every=1s",
                                   "--interval=1h",
                                   "--folder",
                                   recording(),
                                   "--slurm-conf",
                                   folder_.path() + "/slurm.conf"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string recording() const { return folder_.path() + "/recording"; }
  std::map<std::string, std::string> environment() const {
    return {{"PATH", folder_.path() + "/bin"}, {"HOME", folder_.path()}};
  }
  Ran run(const std::vector<std::string>& words) const {
    RunOptions options;
    options.environment = environment();
    return run_tessera(words, options);
  }
  PtyOptions in_terminal(std::vector<std::string> words) const {
    PtyOptions options;
    options.arguments = std::move(words);
    for (const auto& [name, value] : environment()) options.environment[name] = value;
    return options;
  }
  int calls() const {
    int count = 0;
    std::ifstream file(folder_.path() + "/calls");
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  Scratch folder_;
};

TEST_F(BesideRecorder, AConsoleAndCommandsReadWhatItWroteAndSlurmctldIsAskedNoMore) {
  ASSERT_EQ(run(recorder({"--rounds=1"})).code, 0);
  has_job("8");
  Pty recording_on(in_terminal(recorder({})));
  Pty console(in_terminal({"replay", recording(), "--at=now"}));
  ASSERT_TRUE(console.wait_loaded()) << console.screen();
  console.press(":workloads\r");
  ASSERT_TRUE(console.wait_for("work8")) << "what the recorder that runs has seen:\n" << console.screen();
  EXPECT_FALSE(console.has("work7"));
  const int asked = calls();
  EXPECT_GT(asked, 0);
  console.press("\x12");  // ask for fresh data
  EXPECT_TRUE(console.has("work8"));
  EXPECT_FALSE(console.has("PAST")) << console.screen();
  EXPECT_TRUE(console.has("[RO]"));
  EXPECT_TRUE(console.has(" old") || console.has("live")) << "how old it is:\n" << console.screen();
  const Ran jobs = run({"workloads", "--at=now", "-o", "json", "--recording", recording()});
  EXPECT_EQ(jobs.code, 0) << jobs.err;
  EXPECT_NE(jobs.out.find("work8"), std::string::npos) << jobs.out;
  const Ran nodes = run({"nodes", "--at=now", "--recording", recording()});
  EXPECT_EQ(nodes.code, 0) << nodes.err;
  EXPECT_NE(nodes.out.find("n1"), std::string::npos) << nodes.out;
  EXPECT_EQ(calls(), asked) << "the recorder asks once an hour";
  EXPECT_EQ(run({"workloads", "--slurm-conf", folder_.path() + "/slurm.conf"}).code, 0);
  EXPECT_GT(calls(), asked) << "without it the cluster is asked";
  recording_on.signal(SIGINT);
  EXPECT_TRUE(recording_on.wait_ended());
  console.send("q");
  EXPECT_TRUE(console.wait_ended());
}

}  // namespace
}  // namespace tessera::test
