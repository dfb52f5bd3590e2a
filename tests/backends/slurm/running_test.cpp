// Which text slurmctld has read, and what a reconfigure would make true beside it: in recorded words of
// scontrol.
#include "backends/slurm/parse/running.hpp"

#include <gtest/gtest.h>

#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace running_test {

const char* const kRead =
    "ClusterName=lab\nGresTypes=gpu\nMinJobAge=300\nNodeName=gpu0[1-2] Gres=gpu:8 CPUs=64\n"
    "PartitionName=main Nodes=ALL\n";

slurmconf::Files files(const std::string& text) { return {{"/e/slurm.conf", text}}; }
std::uint32_t hash(const std::string& text) { return slurmconf::hash_of(text); }

Held held(const std::string& text) {
  Held all;
  all.files.files = files(text);
  all.running = running_of(
      "NodeName=gpu01 CPUTot=64 Gres=gpu:8 OS=Linux 6.1 #1 SMP State=MIXED Weight=1 Reason=bad State=DOWN x\n"
      "NodeName=gpu02 CPUTot=64 Gres=gpu:8 State=IDLE Weight=1\n",
      "PartitionName=main Nodes=gpu[01-02] State=UP\n", "MinJobAge = 300 sec\nGresTypes = gpu\n");
  all.hash = {ReadHash::Says::differs, hash(text), hash(kRead)};
  return all;
}
std::string told(const Held& all, const std::vector<Workload>* jobs = nullptr) {
  auto found = unapplied(all);
  EXPECT_TRUE(found) << (found ? "" : to_line(found.error()));
  return found ? to_text(*found, jobs) : "";
}

TEST(SlurmRunning, RecordsOfBothVersionsAreReadAndHoldNoWordsOfPeople) {
  for (const char* version : {"22.05", "24.11"}) {
    auto now =
        running_of(recording(version, "node"), recording(version, "partition"), recording(version, "config"));
    ASSERT_TRUE(now.nodes.contains("gpu01")) << version;
    EXPECT_EQ(now.nodes["gpu01"]["cputot"], "64");
    EXPECT_EQ(now.nodes["gpu01"]["realmemory"], "1000000");
    EXPECT_EQ(now.partitions["whole"]["nodes"], "gpu[01-02]");
    EXPECT_EQ(now.settings["minjobage"], "300 sec");
  }
  EXPECT_EQ(held(kRead).running.nodes["gpu01"]["state"], "MIXED");
}

TEST(SlurmRunning, HashValIsReadInAllItsForms) {
  EXPECT_EQ(read_hash("HASH_VAL                = Match\n").says, ReadHash::Says::match);
  ReadHash other = read_hash("HASH_VAL                = Different Ours=0x3bafbe4f Slurmctld=0x52c44a44\n");
  EXPECT_EQ(other.says, ReadHash::Says::differs);
  EXPECT_EQ(other.scontrols, 0x3bafbe4fu);
  EXPECT_EQ(other.slurmctlds, 0x52c44a44u);
  for (const char* none :
       {"", "HASH_VAL = Not Set\n", "HASH_VAL = Different\n", "HASH_VAL = Different Ours=0xzz\n"})
    EXPECT_EQ(read_hash(none).says, ReadHash::Says::untold) << none;
}

TEST(SlurmRunning, ATextThatSlurmctldHasReadChangesNothing) {
  Held all = held(kRead);
  all.hash = {ReadHash::Says::match, 0, 0};
  EXPECT_EQ(told(all), "");
  EXPECT_TRUE(is_in_step(all));
}

TEST(SlurmRunning, AnEditThatShowsNowhereIsRefusedAllTheSame) {
  Held all = held(std::string(kRead) + "LaunchParameters=test_exec\n");
  EXPECT_FALSE(is_in_step(all));
  EXPECT_EQ(
      told(all),
      "slurm.conf was edited after slurmctld read it: what was edited shows nowhere in scontrol show node, "
      "partition or config");
}

TEST(SlurmRunning, WithTheTextThatWasReadTheVeryLineIsNamed) {
  Held all = held(std::string(kRead) + "LaunchParameters=test_exec\n");
  all.known = {{files("something else\n"), {}}, {files(kRead), {}}};
  EXPECT_EQ(told(all),
            "slurm.conf was edited after slurmctld read it: LaunchParameters nothing -> test_exec");
}

TEST(SlurmRunning, ARunsOwnEditOfItsNodeIsNoneOfAnothers) {
  const std::string ours =
      "ClusterName=lab\nGresTypes=gpu,mps\nMinJobAge=300\nNodeName=gpu02 Gres=gpu:8 CPUs=64\n"
      "NodeName=gpu01 Gres=gpu:8,mps:800 CPUs=64\nPartitionName=main Nodes=ALL\n";
  Held all = held(ours);
  all.known = {{files(kRead), {}}};
  EXPECT_EQ(told(all), "");
  EXPECT_FALSE(is_in_step(all));
  all.known.clear();
  EXPECT_NE(told(all), "") << "without the text that was read it is not known whose edit it is";
  // Another's edit beside ours, and one of our own node.
  std::string both = ours;
  both.replace(both.find("MinJobAge=300"), 13, "MinJobAge=2");
  both.replace(both.find("mps:800 CPUs=64"), 15, "mps:800 CPUs=32");
  all = held(both);
  all.known = {{files(kRead), {}}};
  EXPECT_EQ(told(all),
            "slurm.conf was edited after slurmctld read it: node gpu01 CPUs 64 -> 32; MinJobAge 300 -> 2");
}

TEST(SlurmRunning, GresTypesThatLoseOneAreNoRunsEdit) {
  Held all = held(
      "ClusterName=lab\nGresTypes=mps\nMinJobAge=300\nNodeName=gpu0[1-2] Gres=gpu:8 CPUs=64\n"
      "PartitionName=main Nodes=ALL\n");
  all.known = {{files(kRead), {}}};
  EXPECT_EQ(told(all), "slurm.conf was edited after slurmctld read it: GresTypes gpu -> mps");
}

TEST(SlurmRunning, TheJobsThatWouldBeHitAreNamed) {
  Held all = held("ClusterName=lab\nGresTypes=gpu\nMinJobAge=300\nNodeName=gpu0[1-2] Gres=gpu:8 CPUs=32\n");
  Workload job;
  job.id = WorkloadId("144");
  job.group = "main";
  job.allocations.emplace_back().node = NodeName("gpu02");
  Workload waits = job;
  waits.id = WorkloadId("145");
  waits.allocations.clear();
  const std::vector<Workload> jobs{job, waits};
  EXPECT_EQ(
      told(all, &jobs),
      "slurm.conf was edited after slurmctld read it: node gpu01 CPUs 64 -> 32; node gpu02 CPUs 64 -> 32 "
      "(job 144 runs there); partition main goes (job 144 runs in it)");
}

TEST(SlurmRunning, WithoutAHashOnlyFilesOlderThanTheControllersStartPass) {
  Held all = held(kRead);
  all.hash = {};
  EXPECT_NE(told(all).find("NO_CONF_HASH"), std::string::npos);
  all.booted = TimePoint(std::chrono::seconds(100));
  all.files.changed = TimePoint(std::chrono::seconds(101));
  EXPECT_NE(told(all), "");
  all.files.changed = TimePoint(std::chrono::milliseconds(100'900));
  EXPECT_EQ(told(all), "") << "BOOT_TIME has no fractions";
  EXPECT_TRUE(is_in_step(all));
}

// The config host's files are to be made true, and scontrol reads a copy here.
TEST(SlurmRunning, OnAConfigHostTheLocalCopyTellsWhatSlurmctldHasRead) {
  Held all = held(std::string(kRead) + "LaunchParameters=test_exec\n");
  all.local = files(kRead);
  all.hash = {ReadHash::Says::match, 0, 0};
  EXPECT_EQ(told(all),
            "slurm.conf was edited after slurmctld read it: LaunchParameters nothing -> test_exec");
  all = held(kRead);
  all.local = files("ClusterName=old\n");
  all.hash = {ReadHash::Says::differs, hash("ClusterName=old\n"), hash(kRead)};
  EXPECT_EQ(told(all), "");
  all.hash.scontrols = 1;
  EXPECT_NE(told(all), "") << "counted otherwise than here";
}

TEST(SlurmRunning, NodesOfSlinkyAreKnownByWhatItsOperatorWrites) {
  EXPECT_EQ(
      nodes_in_pods(
          "NodeName=gpu01 State=IDLE Comment={\"namespace\":\"slurm\",\"podName\":\"w-0\"}\n"
          "NodeName=gpu02 State=IDLE Comment=a podName\nNodeName=gpu03 State=IDLE\n"
          "NodeName=gpu04 State=IDLE+DRAIN Reason=slurm-operator: node cordoned [root@2026-11-22T03:00:00]\n"
          "NodeName=gpu05 State=IDLE+DRAIN Reason=not by slurm-operator: x\n"),
      (std::vector<std::string>{"gpu01", "gpu04"}));
}

// In the forms of 24.11: slurmctld keeps what held mps or shards for MinJobAge after its end.
TEST(SlurmRunning, AnEndedJobThatHeldASharedGpuIsRemembered) {
  const std::string jobs =
      "JobId=7 JobName=a TresPerNode=gres/mps:9 UserId=al(1) JobState=COMPLETED EndTime=2026-11-22T03:01:00 "
      "NodeList=n1 TresPerNode=gres/gpu:1\n"
      "JobId=8 JobName=b UserId=al(1) JobState=RUNNING EndTime=2026-11-22T04:00:00 NodeList=n1 "
      "TresPerNode=gres/mps:25\n"
      "JobId=9 JobName=c UserId=al(1) JobState=TIMEOUT EndTime=2026-11-22T03:02:00 NodeList=n[1-2] "
      "TresPerNode=gres/mps:25\n";
  const std::string told = remembered(jobs, "MinJobAge = 120 sec\n", "n1", "gpu:2,mps:200");
  EXPECT_EQ(
      told,
      "job 9 held mps here and ended at 2026-11-22T03:02:00: slurmctld keeps the record for MinJobAge (120 "
      "sec), and refuses until then a reconfigure that takes this away");
  EXPECT_EQ(remembered(jobs, "", "n3", "gpu:2,mps:200"), "");
  EXPECT_EQ(remembered(jobs, "", "n1", "gpu:2,shard:8"), "") << "what the node has not is not taken away";
}

}  // namespace running_test
}  // namespace tessera::slurm
