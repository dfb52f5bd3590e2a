#include <gtest/gtest.h>

#include "backends/slurm/parse/parse_cluster.hpp"
#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

class SlurmClusterRecording : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Versions, SlurmClusterRecording, testing::Values("22.05", "24.11"));

TEST_P(SlurmClusterRecording, Partitions) {
  auto parsed = parse_partitions(recording(GetParam(), "partition"));
  EXPECT_EQ(parsed.problem_count, 0u);
  ASSERT_EQ(parsed.values.size(), 4u);
  EXPECT_EQ(parsed.values[0], (Partition{"main", "UP", false, true, "cpu01,gpu[01-02],mig01,mps01,shard01",
                                         "UNLIMITED", "NO"}));
  EXPECT_EQ(parsed.values[1], (Partition{"whole", "UP", false, false, "gpu[01-02]", "1-00:00:00", "NO"}));
  EXPECT_EQ(parsed.values[3].sharing, "YES:4");
}

TEST_P(SlurmClusterRecording, Reservations) {
  bool old = std::string(GetParam()) == "22.05";
  auto parsed = parse_reservations(recording(GetParam(), "reservation"));
  EXPECT_EQ(parsed.problem_count, 0u);
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(parsed.values[0], (Reservation{"maint1", "INACTIVE", "gpu02", "MAINT,IGNORE_JOBS,SPEC_NODES",
                                           "root", local(old ? "2026-11-21T04:36:31" : "2026-11-21T04:41:43"),
                                           local(old ? "2026-11-21T05:36:31" : "2026-11-21T05:41:43")}));
}

TEST_P(SlurmClusterRecording, PingAndConfiguration) {
  EXPECT_EQ(parse_ping(recording(GetParam(), "ping")),
            (std::vector<Daemon>{{"slurmctld", "vm", true, "primary"}}));
  ClusterFacts facts = parse_config(recording(GetParam(), "config"));
  EXPECT_EQ(facts.name, "lab");
  EXPECT_EQ(facts.version, std::string(GetParam()) == "22.05" ? "22.05.8" : "24.11.5");
  EXPECT_EQ(facts.conf, "/srv/lab/etc/slurm.conf");
  EXPECT_EQ(facts.private_data, "none");
  EXPECT_EQ(facts.auth, "auth/munge");
  EXPECT_EQ(facts.other_auth, "");
  EXPECT_EQ(facts.select, "CR_CORE_MEMORY");
  EXPECT_EQ(facts.accounting, std::string(GetParam()) == "22.05" ? "accounting_storage/none" : "");
  EXPECT_EQ(facts.accounting_host, "localhost");
}

TEST(SlurmCluster, HiddenPartitions) {
  auto parsed =
      parse_partitions("PartitionName=secret Default=NO Hidden=YES MaxTime=1:00 Nodes=(null) State=DOWN\n");
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_TRUE(parsed.values[0].hidden);
  EXPECT_EQ(parsed.values[0].nodes, "");
  EXPECT_EQ(parsed.values[0].state, "DOWN");
}

TEST(SlurmCluster, NothingThereIsNoProblem) {
  EXPECT_EQ(parse_reservations("No reservations in the system\n").problem_count, 0u);
  EXPECT_EQ(parse_partitions("").problem_count, 0u);
  EXPECT_EQ(parse_partitions("garbage\nPartitionName=\n").problem_count, 2u);
}

TEST(SlurmCluster, PingTellsControllersApart) {
  auto daemons = parse_ping(
      "Slurmctld(primary) at head1 is DOWN\nSlurmctld(backup1) at head2 is UP\n"
      "*****************************************\n** RESTORE SLURMCTLD DAEMON TO SERVICE **\nSlurmctld( at "
      "is\n");
  ASSERT_EQ(daemons.size(), 2u);
  EXPECT_FALSE(daemons[0].up);
  EXPECT_EQ(daemons[1], (Daemon{"slurmctld", "head2", true, "backup1"}));
}

TEST(SlurmCluster, ConfigurationFilesAreReadAsSlurmDoes) {
  std::string text =
      "# ClusterName=no\n clustername = hpc  # "
      "ours\nAuthInfo=ttl=60,socket=/run/m.socket\r\nClusterNameX=no\n";
  EXPECT_EQ(config_value(text, "ClusterName"), "hpc");
  EXPECT_EQ(config_value(text, "AuthInfo"), "ttl=60,socket=/run/m.socket");
  EXPECT_EQ(config_value(text, "Missing"), "");
}

}  // namespace
}  // namespace tessera::slurm
