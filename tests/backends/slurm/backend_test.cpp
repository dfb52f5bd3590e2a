// The backend against a scontrol of the test's: what it makes of answers that a healthy lab does not give.
#include "backends/slurm/backend.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "backends/slurm/site.hpp"
#include "tests/e2e/slurm_watch.hpp"

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

class SlurmBackendTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/tsr-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    for (const char* file : {"/scontrol", "/up"}) ::unlink((folder_ + file).c_str());
    ::rmdir(folder_.c_str());
  }
  // Down, with `down` as its answer to a ping, until there is a file "up".
  void scontrol(const std::string& down) {
    std::ofstream(folder_ + "/scontrol") << "#!/bin/sh\nif [ ! -e " + folder_ + "/up ]; then\n" + down + R"(
exit 1
fi
case "$*" in
  ping) echo 'Slurmctld(primary) at ctl is UP';;
  *node) echo 'NodeName=n1 State=IDLE';;
  *job) echo 'No jobs in the system';;
  *partition) echo 'PartitionName=main State=UP';;
  *reservation) echo 'No reservations in the system';;
esac
)";
    ::chmod((folder_ + "/scontrol").c_str(), 0755);
  }
  slurm::Options options() const {
    slurm::Options options;
    options.conf = "/dev/null";
    options.bin = folder_;
    options.interval = Duration(60s);
    return options;
  }
  static bool failing(const Cluster& cluster) { return fails(cluster, Source::slurm_nodes); }
  static Error failure(const Cluster& cluster) {
    return health(cluster, Source::slurm_nodes)->failure.value_or(Error{});
  }
  std::string folder_;
};

constexpr const char* kDown = "echo 'Slurmctld(primary) at ctl is DOWN'";

TEST_F(SlurmBackendTest, HarmlessNoiseDoesNotHideThatTheControllerIsDown) {
  scontrol(std::string("echo 'scontrol: warning: an option is deprecated' >&2\n") + kDown);
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(failing));
  EXPECT_EQ(failure(watch.cluster()).what, "slurmctld is down");
  ASSERT_EQ(watch.cluster().daemons.size(), 1u);
  EXPECT_FALSE(watch.cluster().daemons[0].up);
}

TEST_F(SlurmBackendTest, DownMeansNothingWhereWeCannotAuthenticate) {
  scontrol(std::string("echo 'scontrol: error: Munge encode failed: no socket' >&2\n") + kDown);
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(failing));
  EXPECT_EQ(failure(watch.cluster()).what, "munged is not running or refuses us");
  EXPECT_TRUE(watch.cluster().daemons.empty());
}

TEST_F(SlurmBackendTest, PartitionsAreThereWithTheFirstGoodRoundAfterAnOutage) {
  scontrol(kDown);
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return failing(cluster) && cluster.loaded; }));
  std::ofstream(folder_ + "/up") << "";
  watch.backend().refresh();
  EXPECT_TRUE(watch.until([](const Cluster& cluster) { return cluster.partitions.size() == 1; }));
  EXPECT_EQ(watch.cluster().nodes.size(), 1u);
}

TEST_F(SlurmBackendTest, AScontrolThatKnowsItsClusterIsEnough) {
  if (slurm::find_slurm_conf()) GTEST_SKIP() << "there is a slurm.conf here";
  std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder_ + ":" + path).c_str(), 1);
  scontrol("echo 'scontrol: fatal: Could not establish a configuration source' >&2");
  EXPECT_FALSE(slurm::find_slurm());
  std::ofstream(folder_ + "/up") << "";
  auto found = slurm::find_slurm();
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(found) << to_line(found.error());
  EXPECT_EQ(found->file, "");
}

}  // namespace
}  // namespace tessera::test
