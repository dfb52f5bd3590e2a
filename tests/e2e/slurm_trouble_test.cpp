// A real Slurm that goes wrong: the console must stay alive, say what is wrong, and keep what it knew.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "tests/e2e/slurm_watch.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

class SlurmTrouble : public testing::Test {
 protected:
  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
  }
  static slurm::SlurmOptions options(const SlurmLab& lab) {
    slurm::SlurmOptions options;
    options.conf = lab.conf();
    options.interval = Duration(300);
    options.deadline = Duration(4000);
    return options;
  }
  static bool good(const Cluster& cluster) {
    return cluster.loaded && cluster.nodes.size() == 7 && !fails(cluster, Source::slurm_nodes) &&
           !fails(cluster, Source::slurm_jobs);
  }
  static bool failing(const Cluster& cluster) {
    return fails(cluster, Source::slurm_nodes) && fails(cluster, Source::slurm_jobs);
  }
  static Error failure(const Cluster& cluster) {
    return health(cluster, Source::slurm_nodes)->failure.value_or(Error{});
  }
};

TEST_F(SlurmTrouble, AKilledControllerShowsWithinSecondsAndItsReturnToo) {
  SlurmLab lab;
  ASSERT_EQ(lab.trouble(), "");
  SlurmWatch watch(options(lab));
  ASSERT_TRUE(watch.until(good));
  auto before = health(watch.cluster(), Source::slurm_nodes)->last_ok;
  lab.signal("slurmctld", SIGKILL);
  ASSERT_TRUE(watch.until(failing, 60s));  // clients of their own take 9 s
  EXPECT_EQ(failure(watch.cluster()).what, "slurmctld is down");
  EXPECT_NE(failure(watch.cluster()).reason.find("is DOWN"), std::string::npos);
  EXPECT_EQ(watch.cluster().nodes.size(), 7u);
  EXPECT_GE(health(watch.cluster(), Source::slurm_nodes)->last_ok, before);
  ASSERT_EQ(watch.cluster().daemons.size(), 2u);
  EXPECT_FALSE(watch.cluster().daemons[0].up);
  EXPECT_EQ(watch.cluster().daemons[1].name, "munged");
  ASSERT_TRUE(lab.start("slurmctld"));
  watch.backend().refresh();
  EXPECT_TRUE(watch.until(good));
}

TEST_F(SlurmTrouble, AHungControllerAndHungOrDeadMungeAreToldApart) {
  SlurmLab lab;
  ASSERT_EQ(lab.trouble(), "");
  SlurmWatch watch(options(lab));
  ASSERT_TRUE(watch.until(good));

  lab.signal("slurmctld", SIGSTOP);
  ASSERT_TRUE(watch.until(failing, 30s));
  EXPECT_EQ(failure(watch.cluster()).what, "slurmctld does not answer");
  EXPECT_EQ(watch.cluster().nodes.size(), 7u);
  lab.signal("slurmctld", SIGCONT);
  ASSERT_TRUE(watch.until(good));

  lab.signal("munged", SIGSTOP);
  ASSERT_TRUE(watch.until(failing, 30s));
  EXPECT_EQ(failure(watch.cluster()).what, "munged does not answer");
  lab.signal("munged", SIGCONT);
  ASSERT_TRUE(watch.until(good));

  lab.signal("munged", SIGKILL);
  ASSERT_TRUE(watch.until(failing, 30s));
  EXPECT_EQ(failure(watch.cluster()).what, "munged is not running");
  EXPECT_EQ(failure(watch.cluster()).hint, "systemctl start munge");
  ASSERT_TRUE(lab.start("munged"));
  EXPECT_TRUE(watch.until(good));
}

// An ordinary user on a site that hides other people's jobs: what is in use must not look free.
TEST_F(SlurmTrouble, HiddenJobsStillHoldTheirGpus) {
  SlurmLab lab("PrivateData=jobs");
  ASSERT_EQ(lab.trouble(), "");
  lab.submit({"-J", "secret", "-w", "gpu01", "--gres=gpu:h100:3", "-t", "10"});
  ASSERT_TRUE(lab.wait({"squeue", "-h", "-t", "R", "-o", "%j"},
                       [](const std::string& out) { return out == "secret\n"; }));
  // The backend runs as root here; its scontrol does not.
  std::string folder = lab.folder() + "/bin";
  ::mkdir(folder.c_str(), 0755);
  std::ofstream(folder + "/scontrol")
      << "#!/bin/sh\nexec setpriv --reuid=33 --regid=33 --clear-groups scontrol \"$@\"\n";
  ::chmod((folder + "/scontrol").c_str(), 0755);
  slurm::SlurmOptions hidden = options(lab);
  hidden.bin = folder;
  SlurmWatch watch(hidden);
  ASSERT_TRUE(watch.until(good));
  EXPECT_TRUE(watch.cluster().workloads.empty());
  int held = 0, free = 0;
  for (const Gpu& gpu : watch.cluster().nodes.find(NodeName("gpu01"))->gpus) {
    held += gpu.slices.at(0).holding == Holding::held;
    free += gpu.slices.at(0).holding == Holding::free;
  }
  EXPECT_EQ(held, 3);
  EXPECT_EQ(free, 5);
}

class SlurmAbsent : public testing::Test {
 protected:
  static Error first_failure(slurm::SlurmOptions options) {
    SlurmWatch watch(std::move(options));
    auto started = std::chrono::steady_clock::now();
    EXPECT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
    EXPECT_LT(std::chrono::steady_clock::now() - started, 60s);
    const SourceHealth* nodes = health(watch.cluster(), Source::slurm_nodes);
    return nodes && nodes->failure ? *nodes->failure : Error{};
  }
};

TEST_F(SlurmAbsent, MissingCommandsAreAnError) {
  slurm::SlurmOptions options;
  options.conf = "/dev/null";
  options.bin = "/nowhere";
  Error error = first_failure(options);
  EXPECT_EQ(error.what, "cannot run /nowhere/scontrol");
  EXPECT_FALSE(error.hint.empty());
}

TEST_F(SlurmAbsent, AMissingConfigurationIsNamedAtOnce) {
  slurm::SlurmOptions options;
  options.conf = "/nowhere/slurm.conf";
  options.cluster = "mine";
  Error error = first_failure(options);
  EXPECT_EQ(error.what, "cannot read Slurm's configuration");
  EXPECT_EQ(error.reason, "/nowhere/slurm.conf: No such file or directory");
}

TEST_F(SlurmAbsent, ACommandThatIsNotSlurmsIsNoHarm) {
  char folder[] = "/tmp/tsr-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  std::string program = std::string(folder) + "/scontrol";
  std::ofstream(program) << "#!/bin/sh\ncase $1 in ping) echo 'Slurmctld(primary) at x is UP';; *) head -c "
                            "100000 /dev/urandom;; esac\n";
  ::chmod(program.c_str(), 0755);
  slurm::SlurmOptions options;
  options.conf = "/dev/null";
  options.bin = folder;
  SlurmWatch watch(options);
  EXPECT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  EXPECT_TRUE(fails(watch.cluster(), Source::slurm_nodes)) << "noise is no list";
  ::unlink(program.c_str());
  ::rmdir(folder);
}

}  // namespace
}  // namespace tessera::test
