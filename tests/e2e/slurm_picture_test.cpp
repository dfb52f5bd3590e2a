// A real Slurm with jobs of every kind: what the model holds against what Slurm's other commands say.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <future>
#include <map>
#include <sstream>

#include "backends/slurm/commands.hpp"
#include "backends/slurm/daemons.hpp"
#include "tests/e2e/slurm_watch.hpp"
#include "tests/support/run_binary.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {
namespace {

constexpr unsigned kAlice = 33, kBob = 65534;  // www-data and UID 65534: they exist everywhere

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
  return parts;
}

// Rows of `columns` fields that squeue or sinfo print with "|" between them.
std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : split(text, '\n')) rows.push_back(split(line, '|'));
  return rows;
}

class SlurmPicture : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!SlurmLab::possible()) return;
    lab_ = std::make_unique<SlurmLab>();
    if (lab_->trouble().empty()) populate();
  }
  static void TearDownTestSuite() { lab_.reset(); }
  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    ASSERT_EQ(lab_->trouble(), "");
  }

  static void populate() {
    auto job = [](unsigned uid, std::vector<std::string> arguments) {
      lab_->submit(std::move(arguments), uid);
    };
    job(kAlice, {"-J", "one-gpu", "-w", "gpu01", "--gres=gpu:h100:1", "-t", "1-00:00:00"});
    job(kBob, {"-J", "sparse", "-w", "gpu01", "--gres=gpu:h100:3", "-n", "3", "-t", "2:00:00"});
    job(kBob, {"-J", "twonodes", "-N", "2", "--gres=gpu:h100:2", "-p", "whole", "-t", "60"});
    job(kBob, {"-J", "gpus", "--gpus=h100:1", "-p", "whole", "--comment", "spaces = and = signs"});
    job(kAlice, {"-J", "per-node", "--gpus-per-node=1", "-N1", "-w", "gpu02", "-t", "30"});
    job(kAlice, {"-J", "per-task", "--gpus-per-task=1", "-n", "2", "-w", "gpu02", "-t", "30"});
    job(kAlice, {"-J", "mig", "-w", "mig01", "--gres=gpu:1g.10gb:2", "-t", "30"});
    job(kBob, {"-J", "mig-both", "-w", "mig01", "--gres=gpu:3g.40gb:1,gpu:1g.10gb:1", "-t", "30"});
    job(kAlice, {"-J", "mixed-whole", "-w", "mix01", "--gres=gpu:h100:1", "-t", "30"});
    job(kBob, {"-J", "hidden", "-p", "secret", "--gres=gpu:1g.10gb:1", "-t", "30"});
    job(kAlice, {"-J", "mps25", "-p", "shared", "--gres=mps:25", "-t", "30"});
    job(kBob, {"-J", "mps50", "-p", "shared", "--gres=mps:50", "-t", "30"});
    job(kAlice, {"-J", "shard1", "-p", "shared", "--gres=shard:1", "-t", "30"});
    job(kBob, {"-J", "shard3", "-p", "shared", "--gres=shard:3", "-t", "30"});
    job(kBob, {"-J", "shard-whole", "-p", "shared", "-w", "shard01", "--gres=gpu:h100:1", "-t", "30"});
    job(kAlice, {"-J", "array", "-a", "1-6%2", "-w", "cpu01", "-n", "1", "-t", "10"});
    job(kAlice, {"-J", "wants-all", "-w", "gpu01,gpu02", "-N", "2", "--gres=gpu:h100:8", "-t", "10"});
    job(kAlice, {"-J", "waits-for-it", "-d", "afterok:1", "-t", "10"});
    job(kAlice, {"-J", "held", "-H", "--gres=gpu:1", "-t", "10"});
    job(kAlice, {"-J", "later", "-b", "now+1hour", "--gres=gpu:1", "-t", "10"});
    job(kAlice, {"-J", "too-long", "-p", "shared", "--gres=shard:1", "-t", "1-00:00:00"});
    job(kAlice, {"-J", "blanks | and pipes", "-w", "cpu01", "-t", "10"});
    job(kAlice, {"-J", "red \x1b[31m UserId=root(0)\nJobId=1 x", "-w", "cpu01", "-t", "10", "--comment",
                 "a\nJobId=2 b"});
    lab_->run({"scontrol", "create", "reservation", "ReservationName=maint", "starttime=now+2hours",
               "duration=60", "users=root", "flags=maint,ignore_jobs", "nodes=gpu02"});
    lab_->run(
        {"scontrol", "update", "NodeName=cpu01", "State=DRAIN", "Reason=fan failure, ticket #1 [ops] = x"});
    // Everything that can run does once the last submitted of them runs and the backfill scheduler has
    // spoken.
    lab_->wait({"squeue", "-h", "-t", "R", "-o", "%j"}, [](const std::string& out) {
      for (const char* name :
           {"one-gpu", "sparse", "twonodes", "gpus", "per-node", "per-task", "mig", "mig-both", "mixed-whole",
            "mps25", "mps50", "shard1", "shard3", "shard-whole", "array"})
        if (out.find(std::string(name) + "\n") == std::string::npos) return false;
      return true;
    });
    // Until the scheduler has looked at it, a reason is a guess of who took the job.
    lab_->wait({"squeue", "-h", "-n", "too-long", "-o", "%r"},
               [](const std::string& out) { return out.starts_with("PartitionTimeLimit"); });
  }

  static slurm::SlurmOptions options() {
    slurm::SlurmOptions options;
    options.conf = lab_->conf();
    options.interval = Duration(300);
    return options;
  }
  static bool loaded(const Cluster& cluster) {
    return cluster.loaded && !cluster.partitions.empty() && !cluster.reservations.empty();
  }

  // A job that slurmctld has not looked at yet has no reason.
  static bool reasoned(const Cluster& cluster) {
    return loaded(cluster) && std::all_of(cluster.workloads.all().begin(), cluster.workloads.all().end(),
                                          [](const Workload& job) {
                                            return job.state != WorkloadState::pending || !job.reason.empty();
                                          });
  }

  static std::unique_ptr<SlurmLab> lab_;
};
std::unique_ptr<SlurmLab> SlurmPicture::lab_;

TEST_F(SlurmPicture, JobsAreAsSqueueShowsThem) {
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(reasoned));
  // Names with line breaks would break the table; their jobs are looked at below.
  auto rows = table(lab_->run({"squeue", "-a", "-h", "-o", "%i|%u|%P|%T|%D|%S|%e|%V|%a"}).out);
  ASSERT_GE(rows.size(), 22u);
  EXPECT_EQ(watch.cluster().workloads.size(), rows.size());
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 9u);
    const Workload* job = watch.cluster().workloads.find(WorkloadId(row[0]));
    ASSERT_NE(job, nullptr) << row[0];
    EXPECT_EQ(job->user, row[1]);
    EXPECT_EQ(job->group, row[2]);
    EXPECT_EQ(job->state_word, row[3]);
    EXPECT_EQ(std::to_string(job->node_count), row[4]) << row[0];
    auto shown = [](std::optional<TimePoint> time) -> std::string {
      if (!time) return "N/A";
      std::time_t seconds =
          std::chrono::duration_cast<std::chrono::seconds>(time->time_since_epoch()).count();
      char text[32];
      std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", std::localtime(&seconds));
      return text;
    };
    EXPECT_EQ(shown(job->submitted), row[7]);
    if (job->state == WorkloadState::pending) {
      EXPECT_EQ(job->started, std::nullopt);
      EXPECT_FALSE(job->reason.empty()) << row[0];
    } else {
      EXPECT_EQ(shown(job->started), row[5]);
      EXPECT_EQ(shown(job->ends), row[6]);
      EXPECT_EQ(job->reason, "");
    }
  }
}

TEST_F(SlurmPicture, ReasonsAndRequestsAreInSlurmsWords) {
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(loaded));
  std::map<std::string, const Workload*> by_name;
  for (const Workload& job : watch.cluster().workloads.all()) by_name[job.name] = &job;
  auto asks = [&](const char* name) -> std::string {
    if (!by_name.count(name)) return "no such job";
    std::string text;
    for (const Request& request : by_name[name]->requests)
      text += request.resource + "=" + std::to_string(request.count) + " ";
    return text;
  };
  EXPECT_EQ(asks("twonodes"), "gpu:h100=4 ");
  EXPECT_EQ(asks("gpus"), "gpu:h100=1 ");
  EXPECT_EQ(asks("per-node"), "gpu=1 ");
  EXPECT_EQ(asks("per-task"), "gpu=2 ");
  EXPECT_EQ(asks("mig-both"), "gpu:3g.40gb=1 gpu:1g.10gb=1 ");
  EXPECT_EQ(asks("mps25"), "mps=25 ");
  EXPECT_EQ(asks("shard3"), "shard=3 ");
  EXPECT_EQ(asks("wants-all"), "gpu:h100=16 ");
  EXPECT_EQ(asks("hidden"), "gpu:1g.10gb=1 ");
  auto waits = [&](const char* name) { return by_name.count(name) ? by_name[name]->reason : "no such job"; };
  EXPECT_EQ(waits("waits-for-it"), "Dependency");
  EXPECT_EQ(waits("held"), "JobHeldUser");
  EXPECT_EQ(waits("later"), "BeginTime");
  EXPECT_EQ(waits("too-long"), "PartitionTimeLimit");
  ASSERT_TRUE(by_name.count("gpus"));
  EXPECT_EQ(by_name["gpus"]->comment, "spaces = and = signs");
  EXPECT_TRUE(by_name.count("blanks | and pipes"));
}

TEST_F(SlurmPicture, HostileNamesNeitherForgeNorLoseAnything) {
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(loaded));
  int hostile = 0;
  for (const Workload& job : watch.cluster().workloads.all()) {
    for (char c : job.name + job.comment) EXPECT_GE(static_cast<unsigned char>(c), 0x20);
    if (!job.name.starts_with("red ")) continue;
    ++hostile;
    EXPECT_EQ(job.user, "www-data");
    EXPECT_EQ(job.group, "main");
  }
  EXPECT_EQ(hostile, 1);
  EXPECT_EQ(watch.cluster().workloads.find(WorkloadId("1"))->name, "one-gpu");
}

TEST_F(SlurmPicture, NodesAreAsSinfoShowsThem) {
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(loaded));
  auto rows = table(lab_->run({"sinfo", "-a", "-h", "-N", "-o", "%N|%c|%m|%f|%E|%T"}).out);
  std::map<std::string, std::vector<std::string>> nodes;
  for (const auto& row : rows) nodes[row.at(0)] = row;
  ASSERT_EQ(nodes.size(), 7u);
  EXPECT_EQ(watch.cluster().nodes.size(), 7u);
  for (const auto& [name, row] : nodes) {
    const Node* node = watch.cluster().nodes.find(NodeName(name));
    ASSERT_NE(node, nullptr) << name;
    EXPECT_EQ(std::to_string(node->cpus.value_or(-1)), row[1]);
    EXPECT_EQ(std::to_string(node->memory.value_or(Mib{-1}).value), row[2]);
    std::string features;
    for (const std::string& feature : node->features) features += (features.empty() ? "" : ",") + feature;
    EXPECT_EQ(features, row[3]);
    EXPECT_EQ(node->reason, row[4] == "none" ? "" : row[4]);
    bool closed = row[5].find("drain") != std::string::npos;
    EXPECT_EQ(node->health == Health::draining || node->health == Health::drained, closed) << row[5];
  }
  EXPECT_EQ(watch.cluster().nodes.find(NodeName("cpu01"))->reason_by, "root");
  const Node& mixed = *watch.cluster().nodes.find(NodeName("mix01"));
  EXPECT_EQ(mixed.partitions, (std::vector<std::string>{"main", "secret"}));
}

// Which devices are held, in Slurm's own words: sinfo's GresUsed for whole GPUs and MIG, shares by the jobs.
TEST_F(SlurmPicture, SlicesAreHeldByTheJobsThatHoldThem) {
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(loaded));
  auto held = [&](const char* name) {
    std::string text;
    const Node* node = watch.cluster().nodes.find(NodeName(name));
    auto add = [&](const Slice& slice) {
      if (slice.holding == Holding::unknown) text += "? ";
      for (const Holder& holder : slice.holders) {
        const Workload* job = watch.cluster().workloads.find(holder.workload);
        text += std::to_string(slice.device.value_or(-1)) + ":" + (job ? job->name : "nobody");
        if (slice.capacity > 1) text += "x" + std::to_string(holder.share);
        text += " ";
      }
    };
    for (const Gpu& gpu : node->gpus)
      for (const Slice& slice : gpu.slices) add(slice);
    for (const Slice& slice : node->pool) add(slice);
    return text;
  };
  EXPECT_EQ(held("mig01"), "0:mig 1:mig 2:mig-both 7:mig-both ");
  EXPECT_EQ(held("mix01"), "0:mixed-whole 2:hidden ");
  EXPECT_EQ(held("mps01"), "0:mps25x25 0:mps50x50 ");
  EXPECT_EQ(held("shard01"), "0:shard1x1 0:shard3x3 1:shard-wholex4 ");
  EXPECT_EQ(held("cpu01"), "");
  for (const auto& row : table(lab_->run({"sinfo", "-a", "-h", "-N", "-O", "NodeList:|,GresUsed:|"}).out)) {
    const Node* node = watch.cluster().nodes.find(NodeName(row.at(0)));
    if (!node || (row[0] != "gpu01" && row[0] != "gpu02" && row[0] != "mig01" && row[0] != "mix01")) continue;
    int count = 0;
    auto add = [&](const Slice& slice) { count += slice.holding == Holding::held; };
    for (const Gpu& gpu : node->gpus)
      for (const Slice& slice : gpu.slices) add(slice);
    for (const Slice& slice : node->pool) add(slice);
    int told = 0;
    for (std::size_t at = row[1].find("gpu:"); at != std::string::npos; at = row[1].find("gpu:", at + 1)) {
      std::size_t end = row[1].find('(', at);
      if (end != std::string::npos) told += std::stoi(row[1].substr(row[1].rfind(':', end - 1) + 1));
    }
    EXPECT_EQ(count, told) << row[0] << " " << row[1];
  }
}

TEST_F(SlurmPicture, TheClusterPartitionsAndReservationsAreKnown) {
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(loaded));
  const Cluster& cluster = watch.cluster();
  EXPECT_EQ(cluster.name.text, "lab");
  std::string version = lab_->run({"scontrol", "--version"}).out;
  EXPECT_EQ(cluster.version + "\n", "slurm " + version.substr(version.rfind(' ') + 1));
  EXPECT_EQ(cluster.endpoint, lab_->conf());
  ASSERT_EQ(cluster.daemons.size(), 2u);
  EXPECT_TRUE(cluster.daemons[0].up);
  EXPECT_EQ(cluster.daemons[1].name, "munged");
  EXPECT_TRUE(cluster.daemons[1].up);
  auto rows = table(lab_->run({"sinfo", "-a", "-h", "-o", "%R|%l"}).out);
  std::map<std::string, std::string> limits;
  for (const auto& row : rows) limits[row.at(0)] = row.at(1);
  ASSERT_EQ(cluster.partitions.size(), limits.size());
  for (const Partition& partition : cluster.partitions) {
    EXPECT_TRUE(limits.count(partition.name)) << partition.name;
    EXPECT_EQ(partition.hidden, partition.name == "secret");
    EXPECT_EQ(partition.is_default, partition.name == "main");
    EXPECT_EQ(partition.state, "UP");
  }
  ASSERT_EQ(cluster.reservations.size(), 1u);
  EXPECT_EQ(cluster.reservations[0].name, "maint");
  EXPECT_EQ(cluster.reservations[0].nodes, "gpu02");
  EXPECT_GT(cluster.reservations[0].end, cluster.reservations[0].start);
}

// What is wrong in the files of a real Slurm, with place and way out, as an admin asks for it.
TEST_F(SlurmPicture, DoctorTellsWhatIsWrongInTheFilesAndWithTheDaemons) {
  RunOptions as_admin;
  as_admin.environment = {{"PATH", ::getenv("PATH")}, {"SLURM_CONF", lab_->conf()}};
  auto doctor = [&] { return run_tessera({"doctor"}, as_admin); };
  Ran ran = doctor();
  EXPECT_EQ(ran.code, 1) << ran.out << ran.err;
  auto line_of = [&](const std::string& words) {
    std::ifstream stream(lab_->conf());
    int number = 0;
    for (std::string line; std::getline(stream, line);)
      if (++number; line.find(words) != std::string::npos) return lab_->conf() + ":" + std::to_string(number);
    return std::string("no such line");
  };
  // The lab's jobs are walled off by nothing.
  EXPECT_NE(ran.out.find(line_of("NodeName=mig01")), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("without task/cgroup in TaskPlugin"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("in gres.conf"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("slurmctld"), std::string::npos) << ran.out;

  std::ofstream(lab_->folder() + "/etc/gres.conf", std::ios::app)
      << "NodeName=gpu01 Name=gpu Type=h100 File=" << lab_->folder() << "/dev/nvidia0\n";
  SlurmWatch watch(options());
  EXPECT_TRUE(watch.until([&](const Cluster& cluster) {
    auto found = cluster.remarks.find(Source::slurm_config);
    return found != cluster.remarks.end() && !found->second.empty() &&
           found->second.front().text.find("nvidia0 is listed twice") != std::string::npos;
  }));
}

// sacctmgr's own words about a slurmdbd that is not there.
TEST_F(SlurmPicture, ASlurmdbdThatDoesNotAnswerIsDown) {
  Scratch scratch;
  slurm::SlurmClient site;
  site.conf = scratch.write(
      "slurm.conf",
      "ClusterName=x\nSlurmctldHost=localhost\nAccountingStorageType=accounting_storage/slurmdbd\n"
      "AccountingStorageHost=127.0.0.1\nAccountingStoragePort=1\n");
  Worker worker;
  Processes processes(worker);
  std::promise<Result<Outcome>> promise;
  worker.post([&] {
    processes.run(slurm::ask_accounting(site),
                  [&](Result<Outcome> ran) { promise.set_value(std::move(ran)); });
  });
  Result<Outcome> ran = promise.get_future().get();
  worker.stop();
  slurm::Daemons daemons;
  slurm::ClusterFacts facts;
  facts.accounting = "accounting_storage/slurmdbd";
  facts.accounting_host = "127.0.0.1";
  daemons.configured(facts);
  daemons.accounting(ran);
  ASSERT_EQ(daemons.all().size(), 1u) << (ran ? ran->err : to_line(ran.error()));
  EXPECT_FALSE(daemons.all()[0].up);
}

TEST_F(SlurmPicture, AChangeShowsByItselfAndOnDemand) {
  slurm::SlurmOptions patient = options();
  patient.interval = Duration(3600 * 1000);
  SlurmWatch watch(options()), asked(patient);
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(asked.until(loaded));
  std::string id = lab_->submit({"-J", "fresh", "-w", "gpu02", "--gres=gpu:h100:1", "-t", "10"});
  auto runs = [&](const Cluster& cluster) {
    const Workload* job = cluster.workloads.find(WorkloadId(id));
    return job && job->state == WorkloadState::running && job->allocations.size() == 1;
  };
  EXPECT_TRUE(watch.until(runs)) << id;
  asked.backend().refresh();
  EXPECT_TRUE(asked.until(runs));
  lab_->run({"scancel", id});
  EXPECT_TRUE(watch.until([&](const Cluster& cluster) { return !cluster.workloads.find(WorkloadId(id)); }));
  EXPECT_GT(watch.cluster().pace.calls_per_minute, 0);
}

}  // namespace
}  // namespace tessera::test
