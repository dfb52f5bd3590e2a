// Jobs of the past as a real slurmdbd 22.05 told them, and what is no answer of it.
#include "backends/slurm/accounting.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "backends/slurm/parse/parse_accounting.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/past_sums.hpp"
#include "engine/usage/report.hpp"
#include "tests/backends/slurm/fixtures.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::slurm {
namespace accounting_test {

TimePoint second(std::int64_t seconds) { return TimePoint(std::chrono::seconds(seconds)); }

// Recorded before the last columns were asked for: a job without them has empty ones.
std::string with_columns(const std::string& recorded, std::size_t more) {
  std::string text;
  for (const char c : recorded) {
    if (c == '\n') text += std::string(more, kAccountingComma);
    text += c;
  }
  return text;
}
std::string recorded_jobs() { return with_columns(recording("22.05", "accounting"), 4); }

const usage::PastJob* find(const AccountingAnswer& answer, std::string_view id) {
  for (const usage::PastJob& job : answer.jobs)
    if (job.id.text == id) return &job;
  return nullptr;
}

TEST(SlurmAccounting, JobsOfARealSlurmdbdAreReadWithTypesAndTimes) {
  const AccountingAnswer answer = parse_accounting(recorded_jobs());
  EXPECT_EQ(answer.jobs.size(), 24U);
  EXPECT_EQ(answer.unread, 0);
  const usage::PastJob* job = find(answer, "20");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->gpus, (std::map<std::string, std::int64_t>{{"1g.10gb", 1}})) << "the total is not added";
  EXPECT_EQ(job->group, "mig");
  EXPECT_EQ(job->nodes, "mig01");
  EXPECT_EQ(job->started, second(1795610246));
  EXPECT_EQ(job->ended, second(1795610250));
}

TEST(SlurmAccounting, AJobThatNeverStartedHasNoStartAndNoNodes) {
  const AccountingAnswer answer = parse_accounting(recorded_jobs());
  const usage::PastJob* cancelled = find(answer, "3");
  const usage::PastJob* waits = find(answer, "22");
  ASSERT_TRUE(cancelled && waits);
  EXPECT_EQ(cancelled->started, std::nullopt);
  EXPECT_NE(cancelled->ended, std::nullopt);
  EXPECT_EQ(waits->started, std::nullopt);
  EXPECT_EQ(waits->ended, std::nullopt);
  EXPECT_EQ(waits->nodes, "");
}

// What sacct 26.05.5 printed of jobs of three users; one was requeued.
TEST(SlurmAccounting, JobsOfARealSlurmdbd2605AreReadAlike) {
  for (const char* file : {"accounting", "accounting-steps"}) {
    const AccountingAnswer answer = parse_accounting(with_columns(recording("26.05", file), 2));
    EXPECT_EQ(answer.jobs.size(), 5U) << file;
    EXPECT_EQ(answer.unread, 0) << file;
    const usage::PastJob *typed = find(answer, "1"), *shares = find(answer, "3"), *again = find(answer, "4");
    ASSERT_TRUE(typed && shares && again) << file;
    EXPECT_EQ(typed->gpus, (std::map<std::string, std::int64_t>{{"h100", 1}}));
    EXPECT_EQ(typed->user, "mail");
    EXPECT_EQ(typed->nodes, "gpu01");
    EXPECT_EQ(*typed->ended - *typed->started, std::chrono::seconds(2));
    EXPECT_TRUE(shares->gpus.empty());
    EXPECT_EQ(again->state, "REQUEUED");
  }
  EXPECT_TRUE(keeps_gpu_use(recording("26.05", "accounting-tres")));
}

// From 26.05 on sacctmgr fills in what slurmdbd no longer sends from its own slurm.conf: this is what it
// prints where slurmdbd.conf has PrivateData=jobs.
TEST(SlurmAccounting, WhatSacctmgr2605SaysOfPrivateDataIsNotSlurmdbdsWord) {
  const AccountingRules rules = parse_accounting_rules(recording("26.05", "accounting-config"));
  EXPECT_TRUE(rules.told);
  EXPECT_FALSE(rules.jobs_are_private);
  EXPECT_FALSE(rules.by_slurmdbd);
  EXPECT_TRUE(parse_accounting_rules(recording("22.05", "accounting-config")).by_slurmdbd);
  for (const char* version : {"26.05.0", "26.11.0", "27.02.1", "unknown", ""})
    EXPECT_FALSE(parse_accounting_rules(std::string("SLURM_VERSION = ") + version + "\n").by_slurmdbd)
        << version;
  EXPECT_TRUE(parse_accounting_rules("SLURM_VERSION = 25.11.4\n").by_slurmdbd);
}

// AccountingStorageTRES of that site does not name gres/gpu:3g.40gb.
TEST(SlurmAccounting, ATypeThatTheSiteDoesNotCountIsUntypedAndNotGuessed) {
  const AccountingAnswer answer = parse_accounting(recorded_jobs());
  const usage::PastJob* job = find(answer, "23");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->gpus, (std::map<std::string, std::int64_t>{{"", 1}}));
}

TEST(SlurmAccounting, LinesThatAreNoJobAreCountedAndNotTaken) {
  const std::string sep(1, kAccountingComma);
  const auto line = [&](const std::string& id, const std::string& start, const std::string& tres) {
    std::string text = id;
    for (const std::string& one :
         {std::string("alice"), std::string("ml"), std::string("gpu"), std::string("RUNNING"),
          std::string("100"), start, std::string("Unknown"), tres, std::string("n1"), std::string(),
          std::string(), std::string(), std::string()})
      text += sep + one;
    return text + "\n";
  };
  EXPECT_EQ(parse_accounting(line("1", "200", "gres/gpu=1")).jobs.size(), 1U);
  for (const std::string& bad : {line("1;rm", "200", ""), line("1", "-5", ""),
                                 line("1", "99999999999999999999", ""), line("1", "200", "gres/gpu=-1"),
                                 line("1", "200", "gres/gpu=99999999999"), line("1", "200", "gres/gpu:x"),
                                 std::string("1\x1f"
                                             "2\n"),
                                 line("1",
                                      "200\x1f"
                                      "300",
                                      "")}) {
    const AccountingAnswer answer = parse_accounting(bad);
    EXPECT_TRUE(answer.jobs.empty()) << bad;
    EXPECT_EQ(answer.unread, 1) << bad;
  }
}

// What sacct 22.05 printed of a task of an array, a component of a heterogeneous job, and tasks that wait.
TEST(SlurmAccounting, ATaskOfAnArrayIsCalledAsSqueueCallsItAndKeepsItsNumber) {
  std::string text;
  for (const auto& [id, listed] :
       {std::pair("4", "2_1"), std::pair("12", "11+1"), std::pair("16", "16_[1,3-5]")}) {
    text += id;
    for (const char* one : {"mail", "bio", "main", "RUNNING", "100", "100", "Unknown", "gres/gpu=1", "gpu01",
                            "", "", listed, ""})
      text += kAccountingComma + std::string(one);
    text += "\n";
  }
  const AccountingAnswer answer = parse_accounting(text);
  ASSERT_EQ(answer.jobs.size(), 3U);
  EXPECT_EQ(answer.unread, 0);
  EXPECT_EQ(answer.jobs[0].id.text, "4");
  EXPECT_EQ(answer.jobs[0].listed_as, "2_1");
  EXPECT_EQ(answer.jobs[1].listed_as, "11+1");
  EXPECT_EQ(answer.jobs[2].listed_as, "16_[1,3-5]");
}

std::string line(const std::string& id, const std::string& end, const std::string& gathered) {
  const std::string sep(1, kAccountingComma);
  std::string text = id;
  for (const std::string& one :
       {std::string("alice"), std::string("ml"), std::string("gpu"), std::string("COMPLETED"),
        std::string("100"), std::string("100"), end, std::string("gres/gpu:h100=1,gres/gpu=1"),
        std::string("n1"), std::string(), gathered, std::string(), std::string()})
    text += sep + one;
  return text + "\n";
}

TEST(SlurmAccounting, WhatSlurmGatheredOfTheStepsIsTheirJobs) {
  const AccountingAnswer answer =
      parse_accounting(line("7", "900", "") +
                       line("7.batch", "900", "cpu=00:00:01,gres/gpumem=412.50M,gres/gpuutil=37,mem=1G") +
                       line("7.0", "900", "gres/gpumem=0,gres/gpuutil=0") + line("8", "900", "") +
                       line("8.0", "900", "gres/gpumem=1G,gres/gpuutil=0") +
                       line("8.1", "900", "gres/gpumem=2G,gres/gpuutil=0") + line("9", "900", "") +
                       line("9.batch", "900", "cpu=00:00:01,mem=1G") + line("10", "Unknown", "") +
                       line("10.0", "Unknown", "gres/gpumem=0,gres/gpuutil=0"));
  EXPECT_EQ(answer.unread, 0);
  ASSERT_EQ(answer.jobs.size(), 4U);
  ASSERT_TRUE(answer.jobs[0].gathered);
  EXPECT_TRUE(answer.jobs[0].gathered->used);
  EXPECT_EQ(answer.jobs[0].gathered->memory_peak, Mib{412});
  EXPECT_EQ(answer.jobs[0].gathered->most, 37);
  ASSERT_TRUE(answer.jobs[1].gathered);
  EXPECT_FALSE(answer.jobs[1].gathered->used);
  EXPECT_EQ(answer.jobs[1].gathered->memory_peak, std::nullopt)
      << "one after the other, or at once: not told";
  ASSERT_TRUE(answer.jobs[2].gathered);
  EXPECT_FALSE(answer.jobs[2].gathered->of_all_steps) << "gathered by no plugin is not zero";
  EXPECT_FALSE(answer.jobs[3].gathered) << "it still runs";
  const AccountingAnswer odd =
      parse_accounting(line("7", "900", "") + line("7.0", "900", "gres/gpumem=-1,gres/gpuutil=3") +
                       line("7.1", "900", "gres/gpumem=1G,gres/gpuutil=3"));
  ASSERT_TRUE(odd.jobs.at(0).gathered);
  EXPECT_EQ(odd.jobs[0].gathered->memory_peak, std::nullopt) << "that of one step is not that of both";
}

// It may be the one that used them.
TEST(SlurmAccounting, AStepWithoutFiguresLeavesTheJobUnknown) {
  const std::string idle = line("7.batch", "900", "gres/gpumem=0,gres/gpuutil=0");
  const auto of_all = [&](const std::string& step) {
    return parse_accounting(line("7", "900", "") + idle + step).jobs[0].gathered->of_all_steps;
  };
  EXPECT_TRUE(of_all(""));
  EXPECT_FALSE(of_all(line("7.0", "900", "")));
  EXPECT_TRUE(of_all(line("7.extern", "900", ""))) << "Slurm gathers nothing of that one";
}

TEST(SlurmAccounting, AStepOfNoJobAndFiguresThatAreNoneAreNotTaken) {
  EXPECT_EQ(parse_accounting(line("7.0", "900", "")).unread, 1);
  EXPECT_EQ(parse_accounting(line("7", "900", "") + line("8.0", "900", "gres/gpuutil=1")).unread, 1);
  for (const char* bad : {"gres/gpuutil=", "gres/gpuutil=-1", "gres/gpuutil=1.5", "gres/gpuutil=NONE",
                          "gres/gpuutil", "gres/gpuutil=99999999999999999999"})
    EXPECT_FALSE(
        parse_accounting(line("7", "900", "") + line("7.0", "900", bad)).jobs[0].gathered->of_all_steps)
        << bad;
  for (const char* bad : {"-1", "nan", "inf", "1X", "1MM", "1e300", "M", ""})
    EXPECT_EQ(parse_accounting(line("7", "900", "") +
                               line("7.0", "900", std::string("gres/gpuutil=1,gres/gpumem=") + bad))
                  .jobs[0]
                  .gathered->memory_peak,
              std::nullopt)
        << bad;
}

// Programs in a folder that stand in for Slurm's.
struct Stand {
  test::Scratch folder;
  SlurmClient site;

  explicit Stand(const std::string& sacct,
                 const std::string& config = "cat '" + test::source_dir() +
                                             "/tests/fixtures/slurm-22.05/accounting-config.txt'") {
    site.bin = folder.path();
    program("sacct", sacct);
    program("sacctmgr", config);
  }
  void program(const std::string& name, const std::string& text) {
    const std::string file = folder.path() + "/" + name;
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  Result<usage::PastJobs> read(unsigned uid = 0, int days = 1) {
    const TimePoint from = second(1795500000), to = second(1795500000 + days * 86'400);
    return read_accounting(site, {"alice", uid}, {ClusterName("hpc"), from, to, to});
  }
};

TEST(SlurmAccounting, EachDayIsACallAndAJobOfSeveralDaysIsOneJob) {
  Stand stand(
      "echo \"$*\" >> \"$(dirname \"$0\")/calls\"; test \"$SLURM_TIME_FORMAT\" = %s && cat \"$(dirname "
      "\"$0\")/jobs\"");
  std::ofstream(stand.folder.path() + "/jobs") << recorded_jobs();
  const auto past = stand.read(0, 3);
  ASSERT_TRUE(past) << to_line(past.error());
  EXPECT_EQ(past->jobs.size(), 21U) << "of three that never ran it is not recorded what they asked for";
  std::ifstream calls(stand.folder.path() + "/calls");
  std::string line;
  std::vector<std::string> all;
  while (std::getline(calls, line)) all.push_back(line);
  // Days of UTC, the newest first: their answers can be kept.
  ASSERT_EQ(all.size(), 4U);
  EXPECT_NE(all[0].find("-S uts1795737600 -E uts1795759200"), std::string::npos) << all[0];
  EXPECT_NE(all[1].find("-S uts1795651200 -E uts1795737600"), std::string::npos) << all[1];
  EXPECT_NE(all[3].find("-S uts1795478400 -E uts1795564800"), std::string::npos) << all[3];
  EXPECT_EQ(past->told.days, 4);
  EXPECT_EQ(past->told.kept_days, 0);
}

// A requeue resets the time of submission (sacct(1)): each run has its own, on whichever days it was.
TEST(SlurmAccounting, EachRunOfAJobThatWasRequeuedCounts) {
  Stand stand("cat \"$(dirname \"$0\")/jobs\"");
  const auto run = [](const char* submitted, const char* started, const char* ended) {
    std::string text = "7";
    for (const std::string& one :
         {std::string("alice"), std::string("ml"), std::string("gpu"), std::string("REQUEUED"),
          std::string(submitted), std::string(started), std::string(ended),
          std::string("gres/gpu:h100=1,gres/gpu=1"), std::string("n1"), std::string(), std::string(),
          std::string(), std::string()})
      text += kAccountingComma + one;
    return text + "\n";
  };
  std::ofstream(stand.folder.path() + "/jobs")
      << run("1795500100", "1795500200", "1795503800") << run("1795503800", "1795504000", "1795507600");
  const auto past = stand.read(0, 3);
  ASSERT_TRUE(past) << to_line(past.error());
  ASSERT_EQ(past->jobs.size(), 2U) << "told on each of the days, and counted once";
  EXPECT_EQ(past->jobs[0].started, second(1795500200));
  EXPECT_EQ(past->jobs[1].started, second(1795504000));
  const mig::Catalogue catalogue = *mig::Catalogue::built_in();
  usage::Ledger ledger(catalogue);
  usage::add(ledger, *past, catalogue);
  const auto sums = usage::sums(ledger, usage::By::workload);
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_NEAR(sums[0].gpu_hours, 2, 1e-9);
  EXPECT_NEAR(sums[0].waited, 300.0 / 3600, 1e-9) << "before each of them";
}

// On a site with GPUs and without, WAITED was that of jobs which want processors alone, and each had a row.
// AllocTRES and ReqTRES are what sacct 22.05.8 prints of jobs that wait (--gres=gpu:h100:2, --gpus=3,
// shard:4).
TEST(SlurmAccounting, JobsThatAskForNoGpuWaitForNone) {
  Stand stand("tr '|' '\037' < \"$(dirname \"$0\")/jobs\"");
  const auto job = [](const char* id, const std::string& state, const std::string& held,
                      const std::string& asked) {
    return std::string(id) + "|alice|ml|gpu|" + state + "|Unknown|" + held + "||||" + id + "|" + asked + "\n";
  };
  const std::string waits = "PENDING|1795500100|Unknown", plain = "billing=1,cpu=1,mem=100M,node=1";
  std::ofstream(stand.folder.path() + "/jobs")
      << job("1", "RUNNING|1795500100|1795503700", plain, plain) << job("2", waits, "", plain)
      << job("3", waits, "", "billing=1,cpu=1,gres/gpu:h100=2,gres/gpu=2,mem=100M,node=1")
      << job("4", waits, "", "billing=1,cpu=1,gres/gpu=3,mem=100M,node=1")
      << job("7", waits, "", "billing=1,cpu=1,gres/shard=4,mem=100M,node=1")
      << job("9", waits, "", "billing=1,cpu=1,gres/gpumem=0,gres/gpuutil=0,gres/gpu=0,node=1");
  const auto past = stand.read();
  ASSERT_TRUE(past) << to_line(past.error());
  std::string ids;
  for (const usage::PastJob& one : past->jobs) ids += one.id.text + " ";
  EXPECT_EQ(ids, "3 4 7 ");
  EXPECT_EQ(past->told.unread, 0);
}

// Steps are three times as many lines as jobs.
TEST(SlurmAccounting, StepsAreAskedForOnlyWhereSlurmdbdKeepsTheUseOfGpus) {
  for (const bool keeps : {false, true}) {
    Stand stand("echo \"$*\" >> \"$(dirname \"$0\")/calls\"",
                std::string("case \"$*\" in *tres*) printf 'gres|gpu\\n") + (keeps ? "gres|gpuutil\\n" : "") +
                    "';; *) printf '%s\\n' 'SlurmDBD configuration:' 'PrivateData = none';; esac");
    ASSERT_TRUE(stand.read());
    std::ifstream calls(stand.folder.path() + "/calls");
    std::string call;
    std::getline(calls, call);
    EXPECT_EQ(call.starts_with("-X -a -D -n"), !keeps) << call;
    EXPECT_EQ(call.starts_with("-a -D -n"), keeps) << call;
  }
}

TEST(SlurmAccounting, NoAnswerIsAnErrorThatSaysWhatToDoAndNeverAnEmptyList) {
  const auto reason = [](Stand& stand) {
    const auto past = stand.read();
    return past ? std::string("an answer") : past.error().reason;
  };
  Stand off("echo 'Slurm accounting storage is disabled' >&2; exit 1");
  EXPECT_EQ(reason(off), "Slurm keeps none here: AccountingStorageType is not accounting_storage/slurmdbd");
  Stand down("echo 'sacct: error: Problem talking to the database: Connection refused' >&2; exit 1");
  EXPECT_EQ(reason(down),
            "slurmdbd does not answer: sacct: error: Problem talking to the database: Connection refused");
  Stand quiet("echo 'sacct: error: Problem talking to the database: Connection refused' >&2; exit 0");
  EXPECT_TRUE(reason(quiet).starts_with("slurmdbd does not answer")) << "although it ends with 0";
  Stand other("echo 'sacct: error: Sending PersistInit msg: Protocol authentication error' >&2; exit 1");
  EXPECT_TRUE(reason(other).starts_with("slurmdbd cannot tell who asks: ")) << "it answered";
  Stand garbled("echo garbage");
  EXPECT_TRUE(reason(garbled).starts_with("none of the ")) << reason(garbled);
  Stand silent("exit 1");
  EXPECT_EQ(reason(silent), "the command failed without a message");
  Stand untold("exit 0", "echo nothing");
  EXPECT_EQ(reason(untold), "sacctmgr does not tell who may see which jobs");
}

// slurmdbd tells others then of their own jobs alone, and says nothing of it.
TEST(SlurmAccounting, WhereJobsArePrivateOnlyAnOperatorIsAnswered) {
  const std::string config =
      "case \"$*\" in *adminlevel*) echo LEVEL;; *) printf '%s\\n' "
      "'SlurmUserId = slurm(64030)' 'SlurmDBD configuration:' 'PrivateData = jobs,usage';; esac";
  const auto answered = [&](const std::string& level, unsigned uid) {
    std::string text = config;
    text.replace(text.find("LEVEL"), 5, level);
    Stand stand("exit 0", text);
    return static_cast<bool>(stand.read(uid));
  };
  EXPECT_FALSE(answered("None", 1000));
  EXPECT_FALSE(answered("", 1000));
  EXPECT_TRUE(answered("Operator", 1000));
  EXPECT_TRUE(answered("Administrator", 1000));
  EXPECT_TRUE(answered("None", 0));
  EXPECT_TRUE(answered("None", 64030)) << "SlurmUser";
}

// With PrivateData=jobs in slurmdbd.conf of 26.05 own jobs were taken for the jobs of all.
TEST(SlurmAccounting, WherePrivateDataIsNotToldOnlyJobsOfOthersShowThatAllAreTold) {
  const auto reason = [](const std::string& level, const std::string& user, unsigned uid = 1000) {
    Stand stand("tr '|' '\\037' < \"$(dirname \"$0\")/jobs\"",
                "case \"$*\" in *adminlevel*) echo '" + level + "';; *tres*) echo 'gres|gpu';; *) cat '" +
                    test::source_dir() + "/tests/fixtures/slurm-26.05/accounting-config.txt';; esac");
    std::ofstream(stand.folder.path() + "/jobs")
        << "7|" + user + "|ml|gpu|COMPLETED|1795500100|1795500200|1795503800|gres/gpu=1|n1||||\n";
    const auto past = stand.read(uid);
    return past ? std::to_string(past->jobs.size()) + " jobs" : past.error().reason;
  };
  EXPECT_EQ(reason("None|", "bob"), "1 jobs") << "of another user: it is told of all";
  EXPECT_NE(reason("None|", "alice").find("no job of another user is in the answer"), std::string::npos);
  EXPECT_NE(reason("None|ml", "bob").find("alice coordinates accounts"), std::string::npos);
  EXPECT_EQ(reason("", "bob"), "1 jobs") << "a user without an association";
  EXPECT_EQ(reason("Operator|", "alice"), "1 jobs");
  EXPECT_EQ(reason("None|", "alice", 0), "1 jobs") << "root";
}

}  // namespace accounting_test
}  // namespace tessera::slurm
