// The backend against a scontrol of the test's: what it makes of answers that a healthy lab does not give.
#include "backends/slurm/backend.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "backends/slurm/find_slurm.hpp"
#include "engine/insight/attention.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/slurmconf/settings.hpp"
#include "tests/backends/slurm/fixtures.hpp"
#include "tests/e2e/slurm_watch.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/run_binary.hpp"

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
    for (const char* file : {"/scontrol", "/up", "/sacctmgr", "/config", "/on", "/asked"})
      ::unlink((folder_ + file).c_str());
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
  slurm::SlurmOptions options() const {
    slurm::SlurmOptions options;
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

// What a run reads of the cluster is shown, too, instead of being asked for once more.
TEST_F(SlurmBackendTest, ThePictureSharesTheReadingsOfRuns) {
  scontrol(kDown);
  std::ofstream(folder_ + "/up") << "";
  std::ofstream(folder_ + "/config") << "SLURM_VERSION = 22.05.8\n";
  SlurmWatch watch(options());  // a round a minute
  auto state = [](const Cluster& cluster) {
    const Node* node = cluster.nodes.find(NodeName("n1"));
    return node ? node->state : std::vector<std::string>{};
  };
  ASSERT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  ASSERT_EQ(state(watch.cluster()), std::vector<std::string>{"IDLE"});
  std::ofstream(folder_ + "/scontrol")
      << "#!/bin/sh\ncase \"$*\" in\n"
         "  *config) cat " +
             folder_ +
             "/config;;\n"
             "  *node) echo 'NodeName=n1 State=IDLE+DRAIN Reason=x';;\n"
             "  *partition) echo 'PartitionName=main State=UP';;\n"
             "  *reservation) echo 'No reservations in the system';;\nesac\n";
  watch.backend().actuator()->observe(NodeName("n1"), [](Result<plan::NodeFacts>) {});
  EXPECT_TRUE(watch.until([&](const Cluster& cluster) { return state(cluster).size() == 2; }));
}

// Without -n tessera fleet never asked a driver whose Gres type names one product.
TEST_F(SlurmBackendTest, TheFirstPictureForAFleetIsThatOfIdleDriversWhoseGpusSlurmTells) {
  scontrol(kDown);
  std::ofstream(folder_ + "/up") << "";
  std::ofstream(folder_ + "/scontrol")
      << "#!/bin/sh\ncase \"$*\" in\n"
         "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
         "  *config) echo 'SLURM_VERSION = 22.05.8';;\n"
         "  *node) echo 'NodeName=n1 State=IDLE CPUAlloc=0 CPUTot=8 Gres=gpu:b200:1 GresUsed=gpu:b200:0';;\n"
         "  *job) echo 'No jobs in the system';;\n"
         "  *partition) echo 'PartitionName=main State=UP';;\n"
         "  *reservation) echo 'No reservations in the system';;\nesac\n";
  std::ofstream(folder_ + "/on") << "#!/bin/sh\necho \"$*\" >> " + folder_ + "/asked\nexit 1\n";
  ::chmod((folder_ + "/on").c_str(), 0755);
  const auto asked = [&](const char* runner, std::optional<std::size_t> most) {
    ::unlink((folder_ + "/asked").c_str());
    slurmconf::SlurmSettings said;
    said.runner = runner;
    slurm::SlurmOptions wanted = options();
    wanted.said = slurmconf::slurm_setup_of(said).value();
    wanted.catalogue = &catalogue();
    wanted.needs_boards.emplace();
    wanted.most_told = most;
    SlurmWatch watch(std::move(wanted));
    EXPECT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
    return std::ifstream(folder_ + "/asked").good();
  };
  const std::string on = folder_ + "/on {node}";
  EXPECT_TRUE(asked(on.c_str(), 64));
  EXPECT_FALSE(asked(on.c_str(), std::nullopt)) << "a plan asks those whose GPUs Slurm does not tell";
  EXPECT_FALSE(asked("srun", 64)) << "each look would be a job";
}

TEST_F(SlurmBackendTest, HarmlessNoiseDoesNotHideThatTheControllerIsDown) {
  scontrol(std::string("echo 'scontrol: warning: an option is deprecated' >&2\n") + kDown);
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(failing));
  EXPECT_EQ(failure(watch.cluster()).what, "slurmctld is down");
  ASSERT_EQ(watch.cluster().daemons.size(), 1u);
  EXPECT_FALSE(watch.cluster().daemons[0].up);
}

// A wrapper that prints nothing, or something else, was quoted as saying that slurmctld is DOWN.
TEST_F(SlurmBackendTest, AnAnswerToAPingThatNamesNoControllerIsNoWordThatItIsDown) {
  const std::pair<const char*, const char*> answers[] = {
      {"exit 0", "scontrol ended with status 0 and printed nothing"},
      {"echo hello; echo again; exit 0", "scontrol's answer names no controller: \"hello\""}};
  for (const auto& [answer, reason] : answers) {
    scontrol(answer);
    SlurmWatch watch(options());
    ASSERT_TRUE(watch.until(failing));
    EXPECT_EQ(failure(watch.cluster()).what, "cannot ping the controllers");
    EXPECT_EQ(failure(watch.cluster()).reason, reason);
  }
}

// It was kept in memory up to 256 MiB, and read, whatever a cluster can have.
TEST_F(SlurmBackendTest, AnAnswerThatDoesNotEndIsAFailureWithItsBound) {
  scontrol(kDown);
  std::ofstream(folder_ + "/up") << "";
  std::ofstream(folder_ + "/scontrol") << "#!/bin/sh\ncase \"$*\" in\n"
                                          "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
                                          "  *node) exec yes NodeName=n1 State=IDLE;;\nesac\n";
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(failing));
  EXPECT_EQ(failure(watch.cluster()).reason, "it printed more than 64 MiB");
}

TEST_F(SlurmBackendTest, DownMeansNothingWhereWeCannotAuthenticate) {
  scontrol(std::string("echo 'scontrol: error: Munge encode failed: no socket' >&2\n") + kDown);
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(failing));
  EXPECT_EQ(failure(watch.cluster()).what, "munged is not running or refuses us");
  ASSERT_EQ(watch.cluster().daemons.size(), 1u);
  EXPECT_EQ(watch.cluster().daemons[0].name, "munged");
  EXPECT_FALSE(watch.cluster().daemons[0].up);
}

// A backup controller, slurmdbd that does not answer, and a file with a fault: all of it is for the admin.
TEST_F(SlurmBackendTest, TellsTheHealthOfTheWholeClusterAndWhatIsWrongInItsFiles) {
  Scratch files;
  const std::string conf =
      files.write("slurm.conf", "ClusterName=hpc\nGresTypes=gpu\nNodeName=n1 Gres=gpu:2,shard:4\n");
  std::ofstream(folder_ + "/config") << slurm::recording("24.11", "config")
                                     << "AccountingStorageType = accounting_storage/slurmdbd\n"
                                     << "AuthAltTypes = auth/jwt\n";
  std::ofstream(folder_ + "/scontrol") << R"(#!/bin/sh
case "$*" in
  ping) echo 'Slurmctld(primary) at head1 is DOWN'; echo 'Slurmctld(backup) at head2 is UP'; exit 1;;
  *config) cat )" + folder_ + R"(/config;;
  *node) echo 'NodeName=n1 Gres=gpu:2,shard:4 State=IDLE'; echo 'NodeName=n2 State=DOWN+NOT_RESPONDING';;
  *job) echo 'No jobs in the system';;
esac
)";
  std::ofstream(folder_ + "/sacctmgr") << "#!/bin/sh\necho sacctmgr: error: no idea >&2; exit 1\n";
  for (const char* file : {"/scontrol", "/sacctmgr"}) ::chmod((folder_ + file).c_str(), 0755);
  slurm::SlurmOptions wanted = options();
  wanted.conf = conf;
  SlurmWatch watch(wanted);
  auto findings = [&] {
    std::string text;
    for (const insight::Finding& one :
         insight::attention(watch.cluster(), *mig::Catalogue::built_in(), wall_clock()))
      text += std::string(one.severity == Severity::danger    ? "!"
                          : one.severity == Severity::warning ? "?"
                                                              : "i") +
              " " + one.subject + ": " + one.text + " -> " + one.hint + "\n";
    return text;
  };
  ASSERT_TRUE(watch.until([](const Cluster& cluster) {
    return cluster.remarks.contains(Source::slurm_config) && cluster.daemons.size() == 3;
  }));
  EXPECT_TRUE(watch.until([&](const Cluster&) {
    return findings().find("slurmdbd: on localhost: not known: sacctmgr: no idea") != std::string::npos;
  })) << findings();
  std::string all = findings();
  for (const std::string& line :
       {std::string("! slurmctld: the primary does not answer on head1: the backup on head2 controls -> "
                    "systemctl status slurmctld on head1\n"),
        "! " + conf + ":3: GresTypes does not list shard -> ", std::string("! n2: slurmd does not answer"),
        std::string("i slurmrestd: not asked")})
    EXPECT_NE(all.find(line), std::string::npos) << line << "\n" << all;
  EXPECT_EQ(all.find("munged"), std::string::npos) << "it is up: " << all;
  // Mended: gone with the next look, and only then is the file read again.
  files.write("slurm.conf", "ClusterName=hpc\nGresTypes=gpu,shard\nNodeName=n1 Gres=gpu:2,shard:4\n");
  watch.backend().refresh();
  EXPECT_TRUE(watch.until([&](const Cluster&) { return findings().find("GresTypes") == std::string::npos; }))
      << findings();
}

constexpr const char* kJob =
    "JobId=7 JobName=t UserId=al(1) Account=x QOS=y JobState=RUNNING Reason=None NodeList=n1 NumNodes=1 "
    "Nodes=n1 CPU_IDs=0-7 Mem=1 GRES=";

// scontrol answers these texts, each with status 0.
class SlurmAnswers : public SlurmBackendTest {
 protected:
  void answers(const std::string& node, const std::string& job) {
    files_.write("node", node);
    files_.write("job", job);
    std::ofstream(folder_ + "/scontrol") << "#!/bin/sh\nD=" << files_.path() << R"(
case "$*" in
  ping) echo 'Slurmctld(primary) at ctl is UP';;
  *config) echo 'SLURM_VERSION = 22.05.8';;
  *node) cat $D/node;;
  *job) cat $D/job;;
  *partition) echo 'No partitions in the system';;
  *reservation) echo 'No reservations in the system';;
esac
)";
    ::chmod((folder_ + "/scontrol").c_str(), 0755);
  }
  static bool has_been_read(const Cluster& cluster) { return cluster.loaded; }
  Scratch files_;
};

TEST_F(SlurmAnswers, WhatIsNoListIsAFailureAndNeverAnEmptyCluster) {
  const std::string html = "<html><body>502 Bad Gateway</body></html>\n";
  struct Case {
    std::string text;
    const char* words;
  };
  for (const Case& one :
       {Case{"", "printed nothing"}, Case{"\n", "printed nothing"}, Case{html, "502 Bad Gateway"},
        Case{"\x01\x02 garbage\n", "not a"}, Case{"JobId=7 JobName=t UserId=al(1) JobSt", "cut off"},
        Case{"NodeName=n1 Gres=gpu:8 CPUAll", "cut off"}}) {
    answers(one.text, one.text);
    SlurmWatch watch(options());
    ASSERT_TRUE(watch.until(has_been_read)) << one.text;
    for (Source source : {Source::slurm_nodes, Source::slurm_jobs}) {
      const SourceHealth* known = health(watch.cluster(), source);
      ASSERT_TRUE(known && known->failure) << one.text;
      EXPECT_NE(known->failure->reason.find(one.words), std::string::npos) << to_line(*known->failure);
      EXPECT_FALSE(known->last_ok);
    }
    EXPECT_TRUE(watch.cluster().nodes.all().empty());
    EXPECT_TRUE(work_untold(watch.cluster()));
  }
}

TEST_F(SlurmAnswers, SlurmsOwnWordsForNothingAreAnEmptyList) {
  answers("No nodes in the system\n", "No jobs in the system\n");
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(has_been_read));
  for (Source source : {Source::slurm_nodes, Source::slurm_jobs})
    EXPECT_FALSE(fails(watch.cluster(), source)) << word(source);
  EXPECT_EQ(work_untold(watch.cluster()), std::nullopt);
}

TEST_F(SlurmAnswers, OneBadRecordLeavesTheOthersAndSaysThatTheListIsNotWhole) {
  std::string bad = kJob;
  bad.replace(bad.find("JobState=RUNNING "), 17, "").replace(bad.find("7"), 1, "8");
  answers("NodeName=n1 CPUAlloc=8 State=MIXED\n", std::string(kJob) + "\n" + bad + "\n");
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(has_been_read));
  EXPECT_EQ(watch.cluster().workloads.size(), 1u);
  const SourceHealth* jobs = health(watch.cluster(), Source::slurm_jobs);
  ASSERT_TRUE(jobs);
  EXPECT_TRUE(jobs->incomplete);
  EXPECT_NE(jobs->note.find("job 8 is cut short"), std::string::npos) << jobs->note;
  EXPECT_TRUE(work_untold(watch.cluster()));
}

TEST_F(SlurmAnswers, CpusThatAreAllocatedWithoutAJobAreNoticed) {
  answers("NodeName=n1 CPUAlloc=8 State=MIXED\nNodeName=n2 CPUAlloc=8 State=MIXED\n",
          std::string(kJob) + "\n");
  SlurmWatch watch(options());
  ASSERT_TRUE(watch.until(has_been_read));
  auto untold = work_untold(watch.cluster());
  ASSERT_TRUE(untold);
  EXPECT_NE(untold->find("CPUs are allocated on n2, and no job is listed there"), std::string::npos)
      << *untold;
  // One that has ended since the nodes were listed explains it.
  std::string ended = kJob;
  ended.replace(ended.find("RUNNING"), 7, "COMPLETED")
      .replace(ended.find("NodeList=n1"), 11, "NodeList=n[2-3]");
  ended.replace(ended.find("7"), 1, "9");
  answers("NodeName=n1 CPUAlloc=8 State=MIXED\nNodeName=n2 CPUAlloc=8 State=MIXED\n",
          std::string(kJob) + "\n" + ended + "\n");
  SlurmWatch again(options());
  ASSERT_TRUE(again.until(has_been_read));
  EXPECT_EQ(work_untold(again.cluster()), std::nullopt);
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

// With a minute between rounds. The first look is asked for while a round waits for its list of jobs: its
// nodes are older than the asking, so another round follows.
TEST_F(SlurmBackendTest, AfterARunThePictureIsLookedAtAtOnceAlsoWhileARoundIsUnderWay) {
  Scratch files;
  const std::string gate = files.path() + "/gate";
  files.write("state", "IDLE");
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  std::ofstream(folder_ + "/scontrol")
      << "#!/bin/sh\nD=" << files.path() << "\ncase \"$*\" in\n"
      << "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
      << "  *node) echo \"NodeName=n1 State=$(cat $D/state)\";;\n"
      << "  *job) if [ -p $D/gate ]; then read go < $D/gate; fi; echo 'No jobs in the system';;\nesac\n";
  ::chmod((folder_ + "/scontrol").c_str(), 0755);
  SlurmWatch watch(options());
  auto shows = [](const std::string& flag) {
    return [flag](const Cluster& cluster) {
      const Node* node = cluster.nodes.find(NodeName("n1"));
      return node && std::find(node->state.begin(), node->state.end(), flag) != node->state.end();
    };
  };
  ASSERT_TRUE(watch.until(shows("IDLE")));
  files.write("state", "DOWN");
  watch.backend().actuator()->look_again();
  std::ofstream opened(gate);  // waits for its reader
  ::unlink(gate.c_str());
  opened << "go\n" << std::flush;
  EXPECT_TRUE(watch.until(shows("DOWN")));
  EXPECT_TRUE(watch.until([](const Cluster& cluster) { return cluster.loaded; }));
  files.write("state", "MAINT");
  watch.backend().actuator()->look_again();
  EXPECT_TRUE(watch.until(shows("MAINT")));
}

// --timeout 3s ended after 6 s: the first question had 3 s of its own.
TEST_F(SlurmBackendTest, FindingOutWhatIsHereTakesNoLongerThanItMay) {
  if (slurm::find_slurm_conf()) GTEST_SKIP() << "there is a slurm.conf here";
  Scratch files;
  const std::string gate = files.path() + "/gate";
  ASSERT_EQ(::mkfifo(gate.c_str(), 0600), 0);
  std::ofstream(folder_ + "/scontrol") << "#!/bin/sh\nread x < " << gate << "\n";
  ::chmod((folder_ + "/scontrol").c_str(), 0755);
  std::string path = std::getenv("PATH");
  ::setenv("PATH", (folder_ + ":" + path).c_str(), 1);
  const auto begun = std::chrono::steady_clock::now();
  slurm::find_slurm(Duration(200));
  const auto took = std::chrono::steady_clock::now() - begun;
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_LT(took, 2500ms);
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
