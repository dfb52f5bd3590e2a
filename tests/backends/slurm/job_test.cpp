#include <gtest/gtest.h>

#include <algorithm>

#include "backends/slurm/parse/job_gres.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

const Origin kOrigin{Source::slurm_jobs, TimePoint(std::chrono::seconds(1))};

Parsed<Workload> parse(std::string_view text) { return parse_jobs(text, kOrigin); }

const Workload* find(const Parsed<Workload>& parsed, std::string_view id) {
  auto found = std::find_if(parsed.values.begin(), parsed.values.end(),
                            [&](const Workload& w) { return w.id.text == id; });
  return found == parsed.values.end() ? nullptr : &*found;
}

std::string text_of(const std::vector<Request>& requests) {
  std::string text;
  for (const Request& request : requests)
    text += (text.empty() ? "" : ",") + request.resource + "=" + std::to_string(request.count);
  return text;
}

// "gpu01 gpu:h100 2: 1 2; …"; a share other than 1 stands behind its device: "0x25".
std::string text_of(const std::vector<Allocation>& allocations) {
  std::string text;
  for (const Allocation& one : allocations) {
    if (!text.empty()) text += "; ";
    text += one.node.text + " " + std::string(word(one.family)) + ":" + one.type + " " +
            std::to_string(one.count) + ":";
    for (const DeviceShare& device : one.devices)
      text +=
          " " + std::to_string(device.device) + (device.share == 1 ? "" : "x" + std::to_string(device.share));
  }
  return text;
}

// A running job with these words in the places where people write, and more fields at the end.
std::string job(const std::string& name, const std::string& more = "", const std::string& comment = "") {
  return "JobId=7 JobName=" + name +
         " UserId=alice(1000) GroupId=staff(50) MCS_label=N/A Account=(null) QOS=(null) JobState=RUNNING "
         "Reason=None Requeue=0 "
         "SubmitTime=2026-11-21T02:36:19 StartTime=2026-11-21T02:36:21 EndTime=Unknown Partition=main "
         "NumNodes=2-2 NumTasks=4 "
         "TRES=cpu=8,mem=64G,node=1 Socks/Node=* JOB_GRES=gpu:h100:2   Nodes=gpu01 CPU_IDs=0-7 Mem=65536 "
         "GRES=gpu:h100:2(IDX:0-1) "
         "MinCPUsNode=8 Features=(null) Network=(null) Command=/home/alice/run.sh WorkDir=/tmp" +
         (comment.empty() ? "" : " Comment=" + comment + " ") +
         " StdErr=/dev/null StdIn=/dev/null StdOut=/dev/null Power= " + more + "\n";
}

Workload one(const std::string& text) {
  auto parsed = parse(text);
  EXPECT_EQ(parsed.problem_count, 0u) << (parsed.problems.empty() ? "" : parsed.problems.front().what);
  EXPECT_EQ(parsed.values.size(), 1u);
  return parsed.values.empty() ? Workload{} : parsed.values.front();
}

class SlurmJobRecording : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Versions, SlurmJobRecording, testing::Values("22.05", "24.11"));

TEST_P(SlurmJobRecording, HowAJobEndedIsToldOfThoseThatWereListedBefore) {
  ParsedJobs parsed = parse_jobs(recording(GetParam(), "job"), {});
  ASSERT_EQ(parsed.ended.size(), 4u);
  for (const Workload& job : parsed.ended) {
    EXPECT_EQ(job.state, WorkloadState::ended);
    EXPECT_EQ(state_of_job(job.state_word), WorkloadState::ended) << job.state_word;
  }
  Workload before;
  before.id = parsed.ended.front().id;
  const std::size_t listed = parsed.values.size();
  add_endings(parsed.values, {before}, parsed.ended);
  ASSERT_EQ(parsed.values.size(), listed + 1) << "of a job that was never listed nobody waits to hear";
  EXPECT_EQ(parsed.values.back().id, before.id);
}

// A federation lists the revoked sibling of a job beside the one that runs: what runs must not leave the
// model.
TEST(SlurmJob, AJobThatIsListedAsEndedAndAsRunningRuns) {
  Workload runs;
  runs.id = WorkloadId("7"), runs.state = WorkloadState::running;
  Workload revoked = runs;
  revoked.state = WorkloadState::ended, revoked.state_word = "REVOKED";
  std::vector<Workload> listed{runs};
  add_endings(listed, {runs}, {revoked});
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0].state, WorkloadState::running);
}

TEST_P(SlurmJobRecording, RunningJobsHoldWhatSlurmSays) {
  bool old = std::string(GetParam()) == "22.05";
  auto parsed = parse(recording(GetParam(), "job"));
  EXPECT_EQ(parsed.problem_count, 0u);
  EXPECT_EQ(parsed.values.size(), 35u);  // 39 records, 4 of them ended
  struct Case {
    const char *id, *name, *user, *partition, *requests, *allocations;
  };
  for (const Case& c : {
           Case{"1", "one-gpu", "www-data", "main", "gpu:h100=1", "gpu01 gpu:h100 1: 0"},
           Case{"3", "third", "www-data", "main", "gpu=1", "gpu01 gpu:h100 1: 6"},
           Case{"4", "sparse", "nobody", "main", "gpu:h100=3", "gpu01 gpu:h100 3: 4 5 7"},
           Case{"5", "twonodes", "nobody", "whole", "gpu:h100=4",
                "gpu01 gpu:h100 2: 1 2; gpu02 gpu:h100 2: 0 1"},
           Case{"6", "gpus4", "nobody", "whole", "gpu:h100=1", "gpu01 gpu:h100 1: 3"},
           Case{"7", "gpn", "www-data", "main", "gpu=2", "gpu02 gpu:h100 2: 4 5"},
           Case{"8", "gpt", "www-data", "main", "gpu=2", "gpu02 gpu:h100 2: 2 3"},
           Case{"10", "mig1b", "nobody", "mig", "gpu:1g.10gb=2", "mig01 gpu:1g.10gb 2: 1 2"},
           Case{"12", "migboth", "nobody", "mig", "gpu:3g.40gb=1,gpu:1g.10gb=1",
                "mig01 gpu:3g.40gb 1: 8; mig01 gpu:1g.10gb 1: 3"},
           Case{"13", "mps25", "www-data", "shared", "mps=25", "mps01 mps: 25: 0x25"},
           Case{"14", "mps50", "nobody", "shared", "mps=50", "mps01 mps: 50: 0x50"},
           Case{"16", "shard1", "www-data", "shared", "shard=1", "shard01 shard: 1: 0"},
           Case{"17", "shard3", "nobody", "shared", "shard=3", "shard01 shard: 3: 0x3"},
           Case{"18", "shardgpu", "nobody", "shared", "gpu:h100=1", "shard01 gpu:h100 1: 1"},
           Case{"19_1", "arr", "www-data", "main", "", "cpu01 gpu: 0:"},
           Case{"20_3", "gpuarr", "www-data", "mig", "gpu:1g.10gb=1", "mig01 gpu:1g.10gb 1: 6"},
           Case{"26", "name with spaces|and pipes", "www-data", "main", "", "cpu01 gpu: 0:"},
       }) {
    const Workload* found = find(parsed, c.id);
    ASSERT_NE(found, nullptr) << c.id;
    EXPECT_EQ(found->name, c.name);
    EXPECT_EQ(found->user, c.user);
    EXPECT_EQ(found->group, c.partition);
    EXPECT_EQ(found->state, WorkloadState::running);
    EXPECT_EQ(found->state_word, "RUNNING");
    EXPECT_EQ(found->reason, "");
    EXPECT_EQ(text_of(found->requests), c.requests) << c.id;
    EXPECT_EQ(text_of(found->allocations), c.allocations) << c.id;
    EXPECT_EQ(found->restartable, true);
    EXPECT_EQ(found->origin, kOrigin);
  }
  const Workload& first = *find(parsed, "1");
  EXPECT_EQ(first.submitted, local(old ? "2026-11-21T02:36:19" : "2026-11-21T02:41:26"));
  EXPECT_EQ(first.started, local(old ? "2026-11-21T02:36:21" : "2026-11-21T02:41:26"));
  EXPECT_EQ(first.ends, local(old ? "2026-11-22T02:36:21" : "2026-11-22T02:41:26"));
  EXPECT_EQ(first.node_count, 1);
  EXPECT_EQ(first.account, "");
  EXPECT_EQ(first.comment, "");
  EXPECT_EQ(find(parsed, "6")->comment, "a comment with spaces = and = signs");
  EXPECT_EQ(find(parsed, "5")->node_count, 2);
  EXPECT_EQ(find(parsed, "32")->account, "nosuch");
}

TEST_P(SlurmJobRecording, PendingJobsSayWhatTheyAskForAndWhyTheyWait) {
  bool old = std::string(GetParam()) == "22.05";
  auto parsed = parse(recording(GetParam(), "job"));
  struct Case {
    const char *id, *reason, *requests;
  };
  const char* excl =
      old ? "ReqNodeNotAvail, UnavailableNodes:mps01" : "ReqNodeNotAvail, May be reserved for other job";
  for (const Case& c :
       {Case{"15", "Resources", "mps=75"}, Case{"19_[3-6%2]", "JobArrayTaskLimit", ""},
        Case{"20_4", "Resources", "gpu:1g.10gb=1"}, Case{"21", "Resources", "gpu:h100=16"},
        Case{"22", "Dependency", ""}, Case{"23", "JobHeldUser", "gpu=1"}, Case{"24", "BeginTime", "gpu=1"},
        Case{"25", "PartitionTimeLimit", "gpu:1g.10gb=1"}, Case{"27", excl, "gpu:h100=1"}}) {
    const Workload* found = find(parsed, c.id);
    ASSERT_NE(found, nullptr) << c.id;
    EXPECT_EQ(found->state, WorkloadState::pending);
    EXPECT_EQ(found->reason, c.reason);
    EXPECT_EQ(text_of(found->requests), c.requests) << c.id;
    EXPECT_TRUE(found->allocations.empty());
    EXPECT_EQ(found->started, std::nullopt);  // an estimate is no start
    EXPECT_EQ(found->ends, std::nullopt);
  }
}

// "cpu=4,mem=100M" as this reader has it.
std::string machine(const NodeNeeds& needs) {
  return (needs.cpus ? std::to_string(*needs.cpus) : "?") + " CPUs, " +
         (needs.memory ? std::to_string(needs.memory->value) : "?") + " MiB";
}

TEST(SlurmJobNeeds, WhatAWaitingJobAsksOfItsNodesIsReadInEachVersion) {
  for (const char* version : {"22.05", "24.11", "26.05"}) {
    SCOPED_TRACE(version);
    auto parsed = parse(recording(version, "job"));
    const auto needs = [&](const char* id) {
      const Workload& job = *find(parsed, id);
      EXPECT_TRUE(job.needs) << id;
      return job.needs ? *job.needs : NodeNeeds{};
    };
    EXPECT_EQ(needs("21").nodes, "gpu[01-02]");
    EXPECT_EQ(needs("28").features, "mig");
    EXPECT_EQ(machine(needs("21")), "2 CPUs, 200 MiB");
    EXPECT_EQ(needs("21").cpus_each, 1);
    EXPECT_EQ(needs("21").memory_each, Mib{100});
    using namespace std::chrono_literals;
    EXPECT_EQ(find(parsed, "1")->limit, Duration(24h));
    EXPECT_GT(find(parsed, "1")->priority, find(parsed, "3")->priority);
    EXPECT_EQ(needs("24").nodes + needs("24").excluded + needs("24").features, "");
    EXPECT_EQ(machine(needs("24")), "1 CPUs, 100 MiB");
    EXPECT_TRUE(needs("24").expected) << "it may not begin before";
    EXPECT_EQ(needs("25").expected, std::nullopt);
    EXPECT_TRUE(needs("27").alone) << "--exclusive";
    EXPECT_FALSE(needs("24").alone) << "26.05 writes OverSubscribe=NO of it";
    for (const Workload& one : parsed.values)
      EXPECT_EQ(one.needs.has_value(), one.state == WorkloadState::pending) << one.id.text;
  }
}

TEST(SlurmJobNeeds, HalfAListAndOddNumbersAreNoNeeds) {
  const auto waiting = [](const std::string& tres, const std::string& nodes) {
    return one(
        "JobId=7 JobName=j UserId=alice(1000) JobState=PENDING Reason=Resources StartTime=Unknown "
        "ReqNodeList=" +
        nodes + " NumNodes=1 TRES=" + tres + "\n");
  };
  EXPECT_EQ(waiting("cpu=1", std::string(5000, 'n')).needs, std::nullopt);
  EXPECT_EQ(machine(*waiting("cpu=16,mem=1.50G,node=1", "(null)").needs), "16 CPUs, 1536 MiB");
  EXPECT_EQ(machine(*waiting("mem=2T", "(null)").needs), "? CPUs, 2097152 MiB");
  EXPECT_EQ(machine(*waiting("cpu=-1,mem=nan", "(null)").needs), "? CPUs, ? MiB");
  EXPECT_EQ(machine(*waiting("cpu=1e300,mem=5X", "(null)").needs), "? CPUs, ? MiB");
  EXPECT_EQ(machine(*waiting("(null)", "(null)").needs), "? CPUs, ? MiB");
}

// An even part of all of it was asked of each node, though Slurm may put eight tasks on one and two on
// another.
TEST(SlurmJobNeeds, TheLeastOfANodeIsToldApartFromWhatIsAskedForInAll) {
  const auto told = [](const std::string& fields) {
    const Workload job =
        one("JobId=7 JobName=j UserId=alice(1000) JobState=PENDING Reason=Resources StartTime=Unknown " +
            fields + "\n");
    const NodeNeeds needs = job.needs ? *job.needs : NodeNeeds{};
    const auto text = [](std::int64_t value) { return value < 0 ? "?" : std::to_string(value); };
    return text(needs.cpus.value_or(-1)) + "/" + text(needs.cpus_each.value_or(-1)) + " CPUs, " +
           text(needs.memory.value_or(Mib{-1}).value) + "/" +
           text(needs.memory_each.value_or(Mib{-1}).value) + " MiB";
  };
  struct Case {
    const char *asks, *fields, *told;
  };
  for (const Case& c :
       {Case{"-N2 -n10 --mem-per-cpu=100",
             "NumNodes=2-2 ReqTRES=cpu=10,mem=1000M,node=2 MinCPUsNode=1 MinMemoryCPU=100M",
             "10/1 CPUs, 1000/100 MiB"},
        Case{"-N2 --ntasks-per-node=4 -c2 --mem=64G",
             "NumNodes=2-2 ReqTRES=cpu=16,mem=128G,node=2 MinCPUsNode=8 MinMemoryNode=64G",
             "16/8 CPUs, 131072/65536 MiB"},
        Case{"-N1 -n64 --mem-per-cpu=100",
             "NumNodes=1-1 ReqTRES=cpu=64,mem=6400M,node=1 MinCPUsNode=1 MinMemoryCPU=100M",
             "64/64 CPUs, 6400/6400 MiB"},
        Case{"-n64 --mem-per-cpu=100, on one node or on several",
             "NumNodes=1 ReqTRES=cpu=64,mem=6400M,node=1 MinCPUsNode=1 MinMemoryCPU=100M",
             "64/1 CPUs, 6400/100 MiB"},
        Case{"-N2 --gres=gpu:4 --cpus-per-gpu=8 --mem-per-gpu=1000",
             "NumNodes=2-2 ReqTRES=cpu=2,node=2 MinCPUsNode=1 MinMemoryNode=0 Features=(null) Command=/x "
             "CpusPerTres=gres/gpu:8 MemPerTres=gres/gpu:1000 TresPerNode=gres/gpu:4",
             "64/32 CPUs, 8000/4000 MiB"},
        Case{"the same as 22.05 writes it",
             "NumNodes=2-2 TRES=cpu=2,node=2 MinCPUsNode=1 MinMemoryNode=0 Features=(null) Command=/x "
             "CpusPerTres=gres:gpu:8 MemPerTres=gres:gpu:1000 TresPerNode=gres:gpu:4",
             "64/32 CPUs, 8000/4000 MiB"},
        Case{"--gpus=8 --cpus-per-gpu=8: Slurm chooses how many GPUs of which node",
             "NumNodes=1 ReqTRES=cpu=1,mem=100M,node=1 MinCPUsNode=1 MinMemoryCPU=100M Features=(null) "
             "Command=/x CpusPerTres=gres/gpu:8 TresPerJob=gres/gpu:8",
             "64/1 CPUs, 100/100 MiB"},
        Case{"the least of a node is not told", "NumNodes=1 ReqTRES=cpu=4,node=1", "4/0 CPUs, ?/? MiB"}})
    EXPECT_EQ(told(c.fields), c.told) << c.asks;
}

// --mem=0 asks for all memory of a node. It was taken for none, and such a job fitted beside others.
TEST(SlurmJobNeeds, NoMemoryAtAllIsNoAmountThatIsKnown) {
  const Workload all =
      one("JobId=7 JobName=j UserId=alice(1000) JobState=PENDING Reason=Resources StartTime=Unknown "
          "NumNodes=1 ReqTRES=cpu=16,mem=0,node=1\n");
  ASSERT_TRUE(all.needs);
  EXPECT_EQ(machine(*all.needs), "16 CPUs, ? MiB");
}

TEST(SlurmJobNeeds, WhetherItLetsOthersUseItsCpusIsRead) {
  for (const char* sharing : {"YES", "OK", "NO"})
    EXPECT_EQ(one(std::string("JobId=7 JobName=j UserId=alice(1000) JobState=PENDING Reason=Resources "
                              "StartTime=Unknown NumNodes=1 OverSubscribe=") +
                  sharing + "\n")
                  .needs->shares,
              std::string(sharing) == "YES")
        << sharing;
}

// Of a job that names none the field is not printed, and a command that says so is no field.
TEST(SlurmJobNeeds, TheReservationThatItNamesIsRead) {
  const auto waiting = [](const std::string& more) {
    return one("JobId=7 JobName=j UserId=alice(1000) JobState=PENDING Reason=Resources StartTime=Unknown "
               "NumNodes=1 " +
               more + "\n")
        .needs->reservation;
  };
  EXPECT_EQ(waiting("Features=(null) Reservation=maths,class Command=/bin/x WorkDir=/tmp"), "maths,class");
  EXPECT_EQ(waiting("Features=(null) Command=/bin/x Reservation=mine WorkDir=/tmp"), "");
  EXPECT_EQ(waiting("Features=(null) Reservation=(null) Command=/bin/x WorkDir=/tmp"), "");
}

TEST_P(SlurmJobRecording, EndedJobsAreLeftOut) {
  auto parsed = parse(recording(GetParam(), "job"));
  for (const char* id : {"2", "29", "30"}) EXPECT_EQ(find(parsed, id), nullptr) << id;
}

// A job on several nodes counts on each of them, also where its groups tell fewer than its NodeList=.
TEST(SlurmJob, IsOnEveryNodeOfItsListWhateverItsGroupsTell) {
  std::string text = job("wide");
  text.replace(text.find("NumNodes="), 0, "NodeList=gpu[01-03] BatchHost=gpu01 ");
  EXPECT_EQ(text_of(one(text).allocations), "gpu01 gpu:h100 2: 0 1; gpu02 gpu: 0:; gpu03 gpu: 0:");
  std::string groups = "  Nodes=gpu01 CPU_IDs=0-7 Mem=65536 GRES=gpu:h100:2(IDX:0-1) ";
  text.replace(text.find(groups), groups.size(), " ");  // a completing job may tell none
  text.replace(text.find("RUNNING"), 7, "COMPLETING");
  EXPECT_EQ(text_of(one(text).allocations), "gpu01 gpu: 0:; gpu02 gpu: 0:; gpu03 gpu: 0:");
  text.replace(text.find("gpu[01-03]"), 10, "gpu[01-03");
  auto broken = parse(text);
  EXPECT_TRUE(broken.incomplete) << "where it runs is not known";
}

// slurm-bridge: an external job runs nothing itself, and stands for pods of Kubernetes.
TEST(SlurmJob, AnExternalJobNamesThePodsThatItStandsFor) {
  const auto comment = [](const std::string& batch, const std::string& command, const std::string& rest) {
    const auto parsed = parse(
        "JobId=7 JobName=a UserId=slurm(1) JobState=RUNNING Requeue=0 BatchFlag=" + batch +
        " NodeList=n1 NumNodes=1 TresPerNode=gres/gpu:2 Command=" + command + " WorkDir=/tmp " + rest + "\n");
    EXPECT_EQ(parsed.values.size(), 1u);
    return parsed.values.empty() ? "" : parsed.values[0].comment;
  };
  const std::string pods = R"(AdminComment={"pods":["team/a","team/b"]})";
  EXPECT_EQ(comment("0", "(null)", pods), "stands for pods team/a, team/b");
  EXPECT_EQ(comment("0", "(null)", pods + " Comment=mine"), "stands for pods team/a, team/b; mine");
  EXPECT_EQ(comment("1", "(null)", pods), "") << "a script that Slurm runs";
  EXPECT_EQ(comment("0", "/bin/x " + pods, "Comment=mine"), "mine") << "a command may hold anything";
  EXPECT_EQ(comment("0", "(null)", "AdminComment=moved by ann Comment=mine"), "mine");
  EXPECT_EQ(comment("0", "(null)", "Comment=stands for pods team/a"), "comment: stands for pods team/a");
}

TEST(SlurmJob, StatesAreToldApart) {
  EXPECT_EQ(state_of_job("CONFIGURING"), WorkloadState::running);
  EXPECT_EQ(state_of_job("COMPLETING"), WorkloadState::completing);
  EXPECT_EQ(state_of_job("SUSPENDED"), WorkloadState::suspended);
  EXPECT_EQ(state_of_job("REQUEUE_HOLD"), WorkloadState::pending);
  for (const char* word :
       {"COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "DEADLINE"})
    EXPECT_EQ(state_of_job(word), WorkloadState::ended) << word;
  EXPECT_EQ(state_of_job("SOMETHING_NEW"), WorkloadState::unknown);
}

TEST(SlurmJob, TheEndOfOneThatIsSuspendedIsNotKnown) {
  std::string text = job("train");
  text.replace(text.find("EndTime=Unknown"), 15, "EndTime=2026-11-22T02:36:21");
  EXPECT_TRUE(one(text).ends);
  text.replace(text.find("JobState=RUNNING"), 16, "JobState=SUSPENDED");
  EXPECT_FALSE(one(text).ends) << "its clock stands still";
  EXPECT_TRUE(one(text).started);
}

TEST(SlurmJob, RequestsCountInAll) {
  auto asked = [](const std::string& more) { return text_of(one(job("x", more)).requests); };
  EXPECT_EQ(asked("TresPerNode=gres:gpu:h100:3"), "gpu:h100=6");
  EXPECT_EQ(asked("TresPerTask=gres/gpu=1"), "gpu=4");
  EXPECT_EQ(asked("TresPerJob=gres:gpu:5"), "gpu=5");
  EXPECT_EQ(asked("TresPerNode=gres:gpu:2 TresPerTask=gres:gpu:1"), "gpu=4");
  EXPECT_EQ(asked("TresPerSocket=gres:gpu:1"), "gpu=2");
  EXPECT_EQ(asked("TresPerTask=cpu=8"), "");
  EXPECT_EQ(asked("TresPerNode=gres:gpu"), "gpu=2");
}

// Eight GPUs in all may be on two nodes, though one node is the least that it takes.
TEST(SlurmJob, OnHowManyNodesAWaitingJobRunsIsNotToldWhereItsGpusAreThoseOfTheJob) {
  const auto nodes = [](const std::string& count, const std::string& more) {
    std::string text = job("x", more);
    text.replace(text.find("JobState=RUNNING"), 16, "JobState=PENDING");
    text.replace(text.find("NumNodes=2-2"), 12, "NumNodes=" + count);
    return one(text).node_count;
  };
  EXPECT_EQ(nodes("1", "TresPerJob=gres:gpu:8"), 0);
  EXPECT_EQ(nodes("1-4", "TresPerTask=gres/gpu=2"), 0);
  EXPECT_EQ(nodes("1-1", "TresPerJob=gres:gpu:8"), 1);
  EXPECT_EQ(nodes("1", "TresPerJob=gres:gpu:1"), 1);
  EXPECT_EQ(nodes("1", "TresPerNode=gres:gpu:h100:8"), 1);
  EXPECT_EQ(nodes("2-2", "TresPerJob=gres:gpu:8"), 2);
}

// It was a job that asks for no GPU.
TEST(SlurmJob, WhatItAsksForAndCannotBeReadIsTold) {
  const ParsedJobs parsed = parse_jobs(job("x", "TresPerNode=gres:gpu:h100:-5"), {});
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_TRUE(parsed.incomplete);
  EXPECT_NE(note_of(parsed).find("gres:gpu:h100:-5"), std::string::npos) << note_of(parsed);
  std::string whole = job("x");
  whole.replace(whole.find("TRES=cpu=8,mem=64G,node=1"), 25, "ReqTRES=cpu=8,mem=1.50G,node=1,gres/gpu=4");
  EXPECT_EQ(text_of(one(whole).requests), "gpu=4") << "memory has fractions, and is no matter here";
}

TEST(SlurmJob, AListThatIsNotWaitedForAnyMoreIsReadNoFurther) {
  const ParsedJobs parsed = parse_jobs(job("x"), {}, [] { return true; });
  EXPECT_TRUE(parsed.given_up);
  EXPECT_TRUE(parsed.values.empty());
}

TEST(SlurmJob, TrackableResourcesTellWhereNothingElseDoes) {
  std::string text = job("x");
  text.replace(text.find("TRES=cpu=8,mem=64G,node=1"), 25,
               "ReqTRES=cpu=8,node=1,gres/gpu=4,gres/gpu:h100=4 AllocTRES=(null)");
  EXPECT_EQ(text_of(one(text).requests), "gpu:h100=4");
}

TEST(SlurmJob, GroupsOfNodesUnfold) {
  std::string text = job("x");
  text.replace(text.find("Nodes=gpu01 "), 12,
               "Nodes=big[1-2],x CPU_IDs=0 Mem=1 GRES=gpu:h100:5(CNT:5)   Nodes=gpu01 ");
  EXPECT_EQ(text_of(one(text).allocations),
            "big1 gpu:h100 5:; big2 gpu:h100 5:; x gpu:h100 5:; gpu01 gpu:h100 2: 0 1");
}

TEST(SlurmJob, WithoutGpusItIsStillOnItsNodes) {
  std::string text = job("x");
  text.replace(text.find("Nodes=gpu01 "), 12, "Nodes=cpu[1-2] CPU_IDs=0 Mem=1 GRES=   Nodes=gpu01 ");
  EXPECT_EQ(text_of(one(text).allocations), "cpu1 gpu: 0:; cpu2 gpu: 0:; gpu01 gpu:h100 2: 0 1");
}

// A line break in a comment and what looks like a job after it: 150 bytes that would unfold to gigabytes.
std::string bomb(int id) {
  return "JobId=" + std::to_string(id) +
         " JobName=x UserId=a(1) JobState=RUNNING Nodes=a[1-100000] CPU_IDs=0 GRES=gpu:1(IDX:0-4095) \n";
}

TEST(SlurmJob, AFewBytesCannotFillTheMemory) {
  auto parsed = parse(job("good", "", "x\n" + bomb(999999)));
  ASSERT_EQ(parsed.values.size(), 2u);
  EXPECT_EQ(text_of(parsed.values[0].allocations), "gpu01 gpu:h100 2: 0 1");
  EXPECT_TRUE(parsed.values[1].allocations.empty());
  ASSERT_EQ(parsed.problem_count, 1u);
  EXPECT_NE(parsed.problems[0].what.find("job 999999"), std::string::npos);
  // Half of a job would be worse than none: what fits before the rest does not stay.
  std::string text = job("x");
  text.replace(text.find("Nodes=gpu01 "), 12,
               "Nodes=a[1-100000] CPU_IDs=0 GRES=gpu:8(IDX:0-7)  Nodes=gpu01 ");
  EXPECT_TRUE(parse(text).values.at(0).allocations.empty());
}

TEST(SlurmJob, ManySuchJobsHaveALimitTogether) {
  std::string text;
  for (int id = 1; id <= 40; ++id)
    text += "JobId=" + std::to_string(id) +
            " JobName=x UserId=a(1) JobState=RUNNING Nodes=a[1-230] CPU_IDs=0 GRES=gpu:1(IDX:0-4000)\n";
  auto parsed = parse(text);
  ASSERT_EQ(parsed.values.size(), 40u);
  std::size_t weight = 0;
  for (const Workload& each : parsed.values) weight += weight_of(each.allocations);
  EXPECT_GT(weight, kMostOfAnswer / 2);
  EXPECT_LE(weight, kMostOfAnswer);
  EXPECT_GT(parsed.problem_count, 30u);
}

TEST(SlurmJob, SharesOverSeveralDevicesAreNotGuessed) {
  std::string text = job("x");
  text.replace(text.find("GRES=gpu:h100:2(IDX:0-1)"), 24, "GRES=shard:6(IDX:0-1)");
  EXPECT_EQ(text_of(one(text).allocations), "gpu01 shard: 6: 0x0 1x0");
}

TEST(SlurmJob, PartsOfAHeterogeneousJobHaveTheirOwnIds) {
  std::string text = job("het HetJobIdSet=6-7");
  text.replace(0, 7, "JobId=7 HetJobId=6 HetJobOffset=1");
  Workload part = one(text);
  EXPECT_EQ(part.id.text, "6+1");
  EXPECT_EQ(part.name, "het");
}

TEST(SlurmJob, FieldsThatPeopleWriteCannotForgeOthers) {
  for (const std::string& lie : {std::string("x JobState=COMPLETED Nodes=gpu02 GRES=gpu:h100:8(IDX:0-7)"),
                                 std::string("x UserId=root(0) JobState=PENDING"),
                                 std::string("x TresPerNode=gres:gpu:99 Partition=secret"),
                                 std::string("a\nb"), std::string("x\nJobId=1 y")}) {
    for (const Workload& read : {one(job(lie)), one(job("plain", "", lie))}) {
      EXPECT_EQ(read.user, "alice") << lie;
      EXPECT_EQ(read.id.text, "7");
      EXPECT_EQ(read.group, "main");
      EXPECT_EQ(read.state, WorkloadState::running);
      EXPECT_EQ(text_of(read.allocations), "gpu01 gpu:h100 2: 0 1");
    }
    EXPECT_EQ(one(job(lie)).name.size(),
              lie.size() + static_cast<std::size_t>(std::count(lie.begin(), lie.end(), '\n')));
  }
  std::string account = job("x");
  account.replace(account.find("Account=(null)"), 14,
                  "Account=a   Nodes=gpu02 CPU_IDs=0 Mem=1 GRES=gpu:h100:8(IDX:0-7)");
  EXPECT_EQ(text_of(one(account).allocations), "gpu01 gpu:h100 2: 0 1");
}

TEST(SlurmJob, AJobToldTwiceKeepsItsFirstRecord) {
  auto parsed = parse(job("real") + job("forged"));
  ASSERT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(parsed.values[0].name, "real");
  EXPECT_EQ(parsed.problem_count, 1u);
  EXPECT_EQ(parsed.problems[0].line, 2);
}

TEST(SlurmJob, HostileTextIsMadeSafe) {
  Workload read = one(job("\x1b[31mred\x1b]0;title\x07\x9b", "", "caf\xe9 \xe2\x80\xae gnp"));
  for (const std::string& text : {read.name, read.comment})
    for (char c : text) EXPECT_FALSE(static_cast<unsigned char>(c) < 0x20) << text;
  EXPECT_EQ(read.comment.find("\xe2\x80\xae"), std::string::npos);
  std::string nul = job("a");
  nul.replace(nul.find("JobName=a"), 9, std::string("JobName=a\0b", 11));
  EXPECT_EQ(one(nul).name.find('\0'), std::string::npos);
  Workload huge = one(job(std::string(10 << 20, 'x'), "", std::string(10 << 20, ' ')));
  EXPECT_LE(huge.name.size(), 1024u);
  EXPECT_EQ(huge.user, "alice");
}

TEST(SlurmJob, UsersWithoutANameAreTheirNumber) {
  std::string text = job("x");
  text.replace(text.find("alice(1000)"), 11, "(null)(4711)");
  EXPECT_EQ(one(text).user, "4711");
}

TEST(SlurmJob, BadRecordsDoNotLoseTheOthers) {
  auto parsed =
      parse("slurm_load_jobs error: x\n" + job("good") + "JobId=8 JobName=cut UserId=alice(1000) GroupId=");
  EXPECT_EQ(parsed.values.size(), 1u);
  EXPECT_EQ(parsed.problem_count, 2u);
  EXPECT_EQ(parse("No jobs in the system\n").problem_count, 0u);
}

TEST(SlurmJob, EveryTruncationOfARecordingIsRead) {
  std::string text = recording("24.11", "job").substr(0, 6000);
  for (std::size_t size = 0; size < text.size(); size += 5)
    EXPECT_LE(parse(std::string_view(text).substr(0, size)).values.size(), 6u);
}

}  // namespace
}  // namespace tessera::slurm
