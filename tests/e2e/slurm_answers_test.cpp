// The real binary before a scontrol that answers nonsense with status 0: no command takes it for a cluster.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

class SlurmNonsense : public testing::Test {
 protected:
  SlurmNonsense() {
    ::chmod(folder_
                .write("bin/scontrol",
                       "#!/bin/sh\ncase \"$*\" in\n"
                       "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
                       "  *config) echo 'SLURM_VERSION = 22.05.8';;\n"
                       "  *node) /bin/cat " +
                           folder_.path() +
                           "/node;;\n"
                           "  *job) /bin/cat " +
                           folder_.path() +
                           "/job;;\n"
                           "  *partition) echo 'No partitions in the system';;\n"
                           "  *reservation) echo 'No reservations in the system';;\nesac\n")
                .c_str(),
            0755);
    folder_.write("slurm.conf", "ClusterName=hpc\n");
    folder_.write("node", "NodeName=n1 Gres=gpu:2 GresUsed=gpu:1(IDX:0) CPUAlloc=8 State=MIXED\n");
    folder_.write("job", "No jobs in the system\n");
  }
  Ran run(std::vector<std::string> words) {
    words.insert(words.end(), {"--slurm-conf", folder_.path() + "/slurm.conf"});
    RunOptions options;
    options.environment = {{"PATH", folder_.path() + "/bin"}, {"HOME", folder_.path()}};
    return run_tessera(words, options);
  }
  static bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  }
  Scratch folder_;
};

TEST_F(SlurmNonsense, NodesThatAreNoListAreNoEmptyCluster) {
  folder_.write("node", "<html>502 Bad Gateway</html>\n");
  for (const char* command : {"nodes", "gpus", "slices"}) {
    Ran ran = run({command});
    EXPECT_EQ(ran.code, 3) << command;
    EXPECT_EQ(ran.out, "") << command;
    EXPECT_TRUE(says(ran.err, "502 Bad Gateway")) << ran.err;
  }
  EXPECT_TRUE(says(run({"doctor"}).out, "502 Bad Gateway"));
  EXPECT_EQ(run({"plan", "-n", "n1", "--strategy", "mps"}).code, 3);
}

TEST_F(SlurmNonsense, JobsThatAreNoListLeaveTheHolderUnknownAndNothingIsPlanned) {
  folder_.write("job", "");
  Ran ran = run({"workloads"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(says(ran.err, "printed nothing")) << ran.err;
  ran = run({"slices", "-o", "json"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(says(ran.out, "\"holders\": null")) << ran.out;
  ran = run({"plan", "-n", "n1", "--strategy", "mps"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(says(ran.err, "cannot list the jobs")) << ran.err;
  // CPUs are allocated, and a list that is read well does not say to whom.
  folder_.write("job", "No jobs in the system\n");
  ran = run({"nodes"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(says(ran.err, "CPUs are allocated on n1, and no job is listed there")) << ran.err;
  ran = run({"plan", "-n", "n1", "--strategy", "mps"});
  EXPECT_EQ(ran.code, 3);
  EXPECT_TRUE(says(ran.err, "cannot plan on hpc: who runs on its nodes is not fully known")) << ran.err;
}

}  // namespace
}  // namespace tessera::test
