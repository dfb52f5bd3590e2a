// `tessera usage` and `waste --accounting` against a real slurmdbd: jobs that a real Slurm ran, in hours that
// are known because the times at which they ran are moved into the past in slurmdbd's tables.
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "backends/slurm/accounting.hpp"
#include "tests/e2e/slurm_accounts.hpp"
#include "tests/support/json_check.hpp"

namespace tessera::test {
namespace {

using std::chrono::days;
using std::chrono::hours;
using Seconds = std::chrono::sys_seconds;

// One H100 that was used, as jobstats packs it: 98.6 % and 79,455 of 81,920 MiB; and three of which one was
// not used.
constexpr const char* kUsed =
    "JS1:H4sIAAAAAAACA12Oyw6CMBBF/2XWSPqYtlN+hhBpSGOhRMpCSf/dImqCy8k9d87dYIq9W6DZoHchdJcbH/h+pZi60I5u"
    "jPcHNFwalGSVRCMqWBfX/yJCTdIwIfbkaCU/OmiU0YLVVMF1XouAl3iY1/b8eINiI0XWSlRWsHxAJ8PBSMmRNAmBXyb54J9d"
    "8nH6MJZqnXP+m8Es4ruxj8gvVEH7LvEAAAA=";
constexpr const char* kOneOfThreeIdle =
    "JS1:H4sIAAAAAAACA42QywqDMBBF/2XWUibvx8+IYCgBY0qNi1by72oilNAuupvHPXMvs8EcR7eA3eD+WJGcRYppmPrgQny+"
    "wJLu3PTtcAMEq4U2hnFhKHbAmj5XaF3c2DKUcMU1k1wXRDCpFRryIZKf/HtIPs4XUW9zvIlcNUivtF+Z1B8ZDg1BroWSvx3L"
    "HvPpVc8nHxxYRRGL/ngVyzs3uHBfNgEAAA==";

class AccountingE2e : public SlurmAccounts {
 protected:
  static void SetUpTestSuite() { make_lab("AccountingStorageEnforce=associations"); }
  void SetUp() override {
    SlurmAccounts::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    sql({"delete from lab_job_table;", "delete from lab_step_table;"});
  }

  void TearDown() override {
    go_on();
    SlurmAccounts::TearDown();
  }

  // Midnight of UTC that many days ago. Of a test that runs over midnight: of the day when it began.
  Seconds day(int ago) const { return std::chrono::floor<days>(now_) - days(ago); }

  void sql(const std::vector<std::string>& statements) { EXPECT_EQ(lab_->sql(statements), ""); }
  // As sql. slurmctld would tell slurmdbd once more of jobs that it still knows, with their own times: it
  // stands still from now on, and is asked for nothing. What it had to tell slurmdbd has taken before.
  void move(const std::vector<std::string>& statements) {
    if (!stands_still_) {
      EXPECT_TRUE(lab_->wait({"sdiag"}, [](const std::string& out) {
        return out.find("DBD Agent queue size: 0\n") != std::string::npos;
      }));
      lab_->signal("slurmctld", SIGSTOP);
    }
    stands_still_ = true;
    sql(statements);
  }
  void go_on() {
    if (lab_) lab_->signal("slurmctld", SIGCONT);
    stands_still_ = false;
  }
  std::string answer(std::vector<std::string> command) {
    const LabAnswer told = lab_->run(std::move(command));
    EXPECT_EQ(told.status, 0) << told.out;
    return told.out;
  }
  // What slurmdbd has stored of one of the job's runs: it hears of it later than squeue. A run that is over
  // has an end.
  void told_of(const std::string& id, const std::vector<std::string>& states) {
    LabAnswer told;
    EXPECT_TRUE(until([&] {
      told = lab_->run({"sacct", "-D", "-X", "-n", "-P", "-j", id, "-o", "State,End"});
      const auto is_open = [](const std::string& state) { return state == "RUNNING" || state == "PENDING"; };
      std::istringstream lines(told.out);
      for (std::string line; told.status == 0 && std::getline(lines, line);)
        for (const std::string& state : states)
          if (line.starts_with(state) && line.ends_with("|Unknown") == is_open(state)) return true;
      return false;
    })) << id
        << " is " << told.out;
  }
  // One that runs, and that slurmdbd knows: slurmctld tells it of new jobs every five seconds. Before that it
  // has no number of slurmdbd's for the job, and would tell of it once more with its own times, however long
  // ago that job has ended and was moved.
  std::string known(std::vector<std::string> arguments, unsigned user = kMail) {
    std::string id = running(std::move(arguments), user);
    told_of(id, {"RUNNING"});
    return id;
  }
  struct Wanted {
    std::vector<std::string> arguments;
    unsigned user = kMail;
    std::string summary{};

    bool waits() const { return std::find(arguments.begin(), arguments.end(), "-H") != arguments.end(); }
  };
  // Jobs that ran at the same time, or were cancelled while they waited (-H).
  std::vector<std::string> ended(const std::vector<Wanted>& all) {
    std::vector<std::string> ids, cancel{"scancel"};
    for (const Wanted& one : all) ids.push_back(submit(one.arguments, one.user));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (!all[i].waits()) EXPECT_TRUE(starts(ids[i])) << ids[i];
      told_of(ids[i], {all[i].waits() ? "PENDING" : "RUNNING"});
      // Not by sacctmgr, as jobstats does it: that of 22.05 writes all of it in lower case.
      if (!all[i].summary.empty())
        order({"scontrol", "update", "JobId=" + ids[i], "AdminComment=" + all[i].summary});
    }
    cancel.insert(cancel.end(), ids.begin(), ids.end());
    order(cancel);
    for (const std::string& id : ids) told_of(id, {"CANCELLED"});
    return ids;
  }
  std::string ended_one(std::vector<std::string> arguments) {
    return ended({{std::move(arguments)}}).front();
  }
  // end and start: none is 0, as slurmdbd has it.
  static std::string at(const std::string& id, Seconds submitted, std::optional<Seconds> started,
                        std::optional<Seconds> ended) {
    const auto number = [](std::optional<Seconds> time) {
      return time ? time->time_since_epoch().count() : 0;
    };
    return fmt::format(
        "update lab_job_table set time_submit={}, time_eligible={}, time_start={}, time_end={} where "
        "id_job={};",
        number(submitted), number(submitted), number(started), number(ended), id);
  }

  Ran tessera(const std::string& command, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {command, "--since", "5d", "--accounting"});
    RunOptions with = options();
    if (!first_in_path_.empty()) with.environment["PATH"] = first_in_path_ + ":" + with.environment["PATH"];
    return run_tessera(more, with);
  }
  using Row = std::map<std::string, std::string>;  // by column
  // The rows of a table by their first column.
  std::map<std::string, Row> rows(const std::string& by) {
    const Ran ran = tessera("usage", {"--by", by, "-o", "csv"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::map<std::string, Row> all;
    std::istringstream lines(ran.out);
    std::vector<std::string> heads;
    for (std::string line; std::getline(lines, line);) {
      std::vector<std::string> words;
      std::istringstream cells(line);
      for (std::string cell; std::getline(cells, cell, ',');) words.push_back(cell);
      if (heads.empty()) {
        heads = words;
        continue;
      }
      for (std::size_t i = 0; i < words.size() && i < heads.size(); ++i) all[words[0]][heads[i]] = words[i];
    }
    return all;
  }
  static double number(const std::string& cell) { return cell.empty() ? -1 : std::stod(cell); }
  // "gpu_hours slice_hours waiting_hours"
  static std::string held(std::map<std::string, Row> all, const std::string& name) {
    Row& row = all[name];
    return row["gpu_hours"] + " " + row["slice_hours"] + " " + row["waiting_hours"];
  }
  // Days that were asked about, and of these the ones from the cache.
  std::string days_told() {
    const Ran ran = tessera("usage", {"-o", "json"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    for (const std::string& wrong : check_schema(schema_text("usage"), ran.out)) ADD_FAILURE() << wrong;
    const std::string days = json_at(ran.out, "/days"), kept = json_at(ran.out, "/days_from_cache");
    // Besides sacct for each of the other days: sacctmgr, for who may see which jobs and what is kept of
    // GPUs.
    EXPECT_EQ(json_at(ran.out, "/cost/commands"), std::to_string(std::stoi(days) - std::stoi(kept) + 2));
    EXPECT_GT(std::stoi(json_at(ran.out, "/cost/bytes")), 500) << "sacctmgr show config alone is more";
    return days + " " + kept;
  }
  // The cache's files with what is in them.
  std::map<std::string, std::string> kept() const {
    std::map<std::string, std::string> all;
    const std::string folder = home_.path() + "/.cache/tessera/accounting";
    if (!std::filesystem::is_directory(folder)) return all;
    for (const auto& one : std::filesystem::directory_iterator(folder)) {
      std::ifstream file(one.path());
      all[one.path().filename()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return all;
  }
  // Until its process is gone: it removes the file with its number earlier.
  void stop(const std::string& daemon, int number) {
    std::string pid = lab_->run({"cat", lab_->folder() + "/run/" + daemon + ".pid"}).out;
    pid = pid.substr(0, pid.find('\n'));
    ASSERT_FALSE(pid.empty());
    lab_->signal(daemon, number);
    EXPECT_TRUE(until([&] {
      return lab_->run({"grep", "-qs", "^State:.[^ZX]", "/proc/" + pid + "/status"}).status != 0;
    }));
  }
  // The TRES of GPUs' figures, where this Slurm has not added them itself: these are of the time 1.
  inline static const std::vector<std::string> kKeepGpuUse{
      "insert ignore into tres_table (creation_time, deleted, type, name) values (1, 0, 'gres', 'gpumem'), "
      "(1, 0, 'gres', 'gpuutil');"};
  // As slurmdbd stores them: "1002=37,1001=8589934592".
  static std::string gathered(int percent, std::int64_t bytes) {
    const char* id = "(select id from tres_table where type='gres' and name='{}')";
    return fmt::format("concat('1=5000,', {}, '={},', {}, '={}')", fmt::format(fmt::runtime(id), "gpuutil"),
                       percent, fmt::format(fmt::runtime(id), "gpumem"), bytes);
  }
  // In place of the job's steps: one for all of its time, with such figures.
  static std::vector<std::string> one_step(const std::string& id, const std::string& figures) {
    return {
        "set session sql_mode='';",  // what is not named here has no default in some versions
        fmt::format("delete from lab_step_table where job_db_inx in (select job_db_inx from lab_job_table "
                    "where id_job={});",
                    id),
        fmt::format("insert into lab_step_table (job_db_inx, id_step, nodelist, nodes_alloc, state, "
                    "step_name, task_cnt, time_start, time_end, tres_usage_in_tot) select job_db_inx, 0, "
                    "'gpu01', 1, 3, 'train', 1, time_start, time_end, {} from lab_job_table where "
                    "id_job={};",
                    figures, id)};
  }
  // A program that comes before the real one.
  void first_in_path(const std::string& name, const std::string& script) {
    first_in_path_ = home_.path() + "/bin";
    ::chmod(home_.write("bin/" + name, "#!/bin/sh\n" + script).c_str(), 0755);
  }

  Seconds now_ = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  std::string first_in_path_;
  bool stands_still_ = false;  // slurmctld
};

TEST_F(AccountingE2e, WhatWasHeldAndWaitedForAddsUpToWhatIsReckonedByHand) {
  const std::string runs = known({"-w", "gpu01", "--gres=gpu:h100:1"}, kGames);
  const auto jobs = ended({{{"-w", "gpu01", "--gres=gpu:h100:2"}},
                           {{"-w", "mig01", "--gres=gpu:3g.40gb:1"}, kGames},
                           {{"-p", "whole", "-w", "gpu02", "--gres=gpu:4"}, 0},
                           {{"-w", "mix01", "--gres=gpu:1g.10gb:2"}, 0},
                           {{"-A", "bio", "-w", "gpu01", "--gres=gpu:h100:1"}},
                           {{"-H", "--gres=gpu:h100:1"}},
                           {{"-w", "shard01", "--gres=shard:4"}},
                           {{"-w", "gpu01"}},
                           {{"-H"}}});
  const auto &night = jobs[0], &slice = jobs[1], &any = jobs[2], &open = jobs[3], &other = jobs[4],
             &never = jobs[5], &shares = jobs[6], &plain = jobs[7], &waits = jobs[8];
  move({at(night, day(3) + hours(20), day(3) + hours(22), day(2) + hours(2)),   // 4 h × 2, over midnight
        at(slice, day(2) + hours(10), day(2) + hours(10), day(2) + hours(12)),  // 2 h × 3/7
        at(any, day(2) + hours(1), day(2) + hours(1), day(2) + hours(2)),       // 1 h × 4, which are whole
        at(open, day(2) + hours(1), day(2) + hours(1), day(2) + hours(3)),  // 2 h × 2, of a type not counted
        at(other, day(3) + hours(1), day(3) + hours(4), day(3) + hours(5)),   // 1 h
        at(never, day(2), std::nullopt, day(2) + hours(6)),                   // waited alone
        at(shares, day(2) + hours(1), day(2) + hours(1), day(2) + hours(9)),  // no GPU of its own
        at(plain, day(2), day(2) + hours(5), day(2) + hours(9)),              // of processors alone
        at(waits, day(2), std::nullopt, day(2) + hours(7)),                   // for processors alone
        at(runs, now_ - hours(3), now_ - hours(3), std::nullopt)});           // until now

  auto all = rows("workload");
  EXPECT_EQ(held(all, night), "8.00 64.00 2.00");
  EXPECT_EQ(held(all, slice), "0.86 8.00 0.00");
  EXPECT_EQ(held(all, any), "4.00 32.00 0.00");
  EXPECT_EQ(held(all, open), "4.00 0.00 0.00") << "how large they are is not told";
  EXPECT_EQ(held(all, other), "1.00 8.00 3.00");
  EXPECT_EQ(held(all, never), "0.00 0.00 6.00");
  EXPECT_EQ(all[shares]["gpu_hours"], "");
  EXPECT_FALSE(all.contains(plain)) << "it waited for no GPU, and held none";
  EXPECT_FALSE(all.contains(waits)) << "its ReqTRES names no GPU";
  EXPECT_NEAR(number(all[runs]["gpu_hours"]), 3, 0.05);
  EXPECT_EQ(all[night]["mean_use"], "") << "nothing was measured, which is not 0";

  all = rows("account");
  EXPECT_NEAR(number(all["physics"]["gpu_hours"]), 8, 0.05);
  EXPECT_NEAR(number(all["physics"]["waiting_hours"]), 2 + 6, 0.05);
  EXPECT_NEAR(number(all["root"]["gpu_hours"]), 4 + 4, 0.05);
  EXPECT_NEAR(number(all["bio"]["gpu_hours"]), 1 + 2 * 3 / 7.0 + 3, 0.05);
  all = rows("user");
  EXPECT_NEAR(number(all["mail"]["gpu_hours"]), 8 + 1, 0.05);
  EXPECT_NEAR(number(all["mail"]["slice_hours"]), 64 + 8, 0.4);
  EXPECT_NEAR(number(all["mail"]["waiting_hours"]), 2 + 3 + 6, 0.05);
  EXPECT_NEAR(number(rows("group")["whole"]["slice_hours"]), 32, 0.4);
  EXPECT_EQ(rows("profile")["untyped"]["gpu_hours"], "4.00");
  EXPECT_EQ(rows("profile")["3g.40gb"]["slice_hours"], "8.00");
  EXPECT_EQ(rows("node")["mig01"]["gpu_hours"], "0.86");
}

TEST_F(AccountingE2e, DaysThatAreOverAreAskedAboutOnceAndTheSumsStayTheSame) {
  const std::string night = ended_one({"-w", "gpu01", "--gres=gpu:h100:2"});
  move({at(night, day(3) + hours(22), day(3) + hours(22), day(2) + hours(2))});
  const std::string asked = days_told();
  EXPECT_TRUE(asked == "6 0" || asked == "5 0") << asked;
  // Today and yesterday may still change, and the first day is not asked about whole.
  EXPECT_EQ(kept().size(), static_cast<std::size_t>(asked[0] - '0' - 2));
  EXPECT_EQ(days_told(), fmt::format("{} {}", asked[0], kept().size()));
  const Ran noted = tessera("usage");
  EXPECT_NE(noted.out.find(" days from the cache; slurmdbd was asked by "), std::string::npos) << noted.out;
  EXPECT_EQ(held(rows("workload"), night), "8.00 64.00 0.00");
  // What is kept is what counts of these days, whatever slurmdbd would say now.
  move({"delete from lab_job_table;"});
  EXPECT_EQ(held(rows("workload"), night), "8.00 64.00 0.00");
  const Ran again = tessera("usage", {"--no-cache", "-o", "csv"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out.find("8.00"), std::string::npos) << again.out;
  EXPECT_EQ(rows("workload").count(night), 0U) << "the new answers took the place of the old ones";
}

// It ran on, as far as slurmdbd knew, when the days were asked about; then it hears that it had ended in the
// first.
TEST_F(AccountingE2e, AJobOfWhichSlurmdbdLearnsLateThatItHadEndedIsAskedAboutAgain) {
  const std::string late = known({"-w", "gpu01", "--gres=gpu:h100:1"});
  move({at(late, day(3) + hours(22), day(3) + hours(22), std::nullopt)});
  EXPECT_GT(number(rows("workload")[late]["gpu_hours"]), 49);
  EXPECT_GE(kept().size(), 3U);
  go_on();
  order({"scancel", late});
  told_of(late, {"CANCELLED"});
  move({at(late, day(3) + hours(22), day(3) + hours(22), day(3) + hours(23))});
  EXPECT_EQ(held(rows("workload"), late), "1.00 8.00 0.00");
  EXPECT_EQ(held(rows("workload"), late), "1.00 8.00 0.00") << "and by what is kept now";
}

// Slurm gives each run a time of submission of its own.
TEST_F(AccountingE2e, EachRunOfAJobThatWasRequeuedCounts) {
  const std::string id = running_there({"-w", "gpu01", "--gres=gpu:h100:2"});
  told_of(id, {"RUNNING"});
  order({"scontrol", "requeue", id});
  told_of(id, {"REQUEUED"});
  EXPECT_TRUE(until([&] {
    return lab_->run({"squeue", "-h", "-j", id, "-o", "%T %r"}).out == "PENDING BeginTime\n";
  }));
  order({"scontrol", "update", "JobId=" + id, "StartTime=now"});
  EXPECT_TRUE(until([&] {
    return lab_->run({"squeue", "-h", "-t", "all", "-j", id, "-o", "%T"}).out.find("PENDING") ==
           std::string::npos;
  }));
  // Slurm itself waits two minutes: a run that begins before slurmd has put the one before away may fail.
  lab_->run({"scancel", id});
  told_of(id, {"CANCELLED", "FAILED"});
  const auto run = [&](std::string statement, const char* which) {
    statement.pop_back();  // the ";"
    return statement + " order by time_submit " + which + " limit 1;";
  };
  move({run(at(id, day(3) + hours(20), day(3) + hours(22), day(2)), "asc"),   // 2 h × 2
        run(at(id, day(2), day(2) + hours(2), day(2) + hours(5)), "desc")});  // 3 h × 2
  EXPECT_EQ(held(rows("workload"), id), "10.00 80.00 4.00");
  EXPECT_EQ(held(rows("workload"), id), "10.00 80.00 4.00") << "and from what is kept";
}

// slurmdbd's own numbers of the tasks are those of no job that squeue lists, and the last task has the
// array's.
TEST_F(AccountingE2e, TasksOfAnArrayHaveRowsByTheNamesThatSqueueGivesThem) {
  const std::string array = submit({"-w", "gpu01", "-a", "1-2", "--gres=gpu:h100:1"});
  const std::string first = array + "_1", last = array + "_2";
  EXPECT_TRUE(until([&] {
    return lab_->run({"squeue", "-h", "-j", array, "-o", "%T"}).out == "RUNNING\nRUNNING\n";
  }));
  for (const std::string& task : {first, last}) told_of(task, {"RUNNING"});
  order({"scancel", array});
  for (const std::string& task : {first, last}) told_of(task, {"CANCELLED"});
  const auto task = [&](int number) {
    return fmt::format("0 or (id_array_job={} and id_array_task={})", array, number);
  };
  move({at(task(1), day(3) + hours(1), day(3) + hours(2), day(3) + hours(4)),    // 2 h
        at(task(2), day(3) + hours(1), day(3) + hours(4), day(3) + hours(9))});  // 5 h
  auto all = rows("workload");
  EXPECT_EQ(held(all, first), "2.00 16.00 1.00");
  EXPECT_EQ(held(all, last), "5.00 40.00 3.00");
  EXPECT_EQ(all.count(array), 0U);
}

TEST_F(AccountingE2e, ASlurmdbdThatEndsInTheMiddleIsAnErrorAndWhatIsKeptStaysWhole) {
  const std::string night = ended_one({"-w", "gpu01", "--gres=gpu:h100:2"});
  // Of the newest days there are answers; then it is gone.
  first_in_path("sacct", fmt::format("count={0}/count\n"
                                     "echo x >> $count\n"
                                     "[ $(wc -l < $count) -lt 4 ] || kill -KILL $(cat {1}/run/slurmdbd.pid)\n"
                                     "PATH=${{PATH#*:}} exec sacct \"$@\"\n",
                                     home_.path(), lab_->folder()));
  const Ran cut = tessera("usage");
  EXPECT_EQ(cut.code, 3) << cut.out;
  EXPECT_EQ(cut.out, "");
  EXPECT_NE(cut.err.find("slurmdbd does not answer"), std::string::npos) << cut.err;
  const auto before = kept();
  EXPECT_EQ(before.size(), 1U);
  const Ran down = tessera("waste");
  EXPECT_EQ(down.code, 3) << down.out;
  EXPECT_NE(down.err.find("slurmdbd does not answer"), std::string::npos) << down.err;
  EXPECT_EQ(kept(), before);

  first_in_path_.clear();
  ASSERT_TRUE(lab_->start("slurmdbd"));
  EXPECT_EQ(days_told().substr(1), " 1");
  told_of(night, {"CANCELLED"});
  const auto after = kept();
  EXPECT_EQ(after.at(before.begin()->first), before.begin()->second);
}

TEST_F(AccountingE2e, ASlurmdbdWithoutItsDatabaseIsToldApartFromOneThatIsGone) {
  stop("mariadbd", SIGKILL);
  const Ran down = tessera("usage");
  EXPECT_EQ(down.code, 3) << down.out;
  EXPECT_NE(down.err.find("slurmdbd cannot reach its database"), std::string::npos) << down.err;
  ASSERT_TRUE(lab_->start("mariadbd"));
  ended_one({"--gres=gpu:h100:1"});
}

TEST_F(AccountingE2e, SummariesOfJobstatsAreReadFromAdminComment) {
  const auto jobs = ended({{{"-w", "gpu01", "--gres=gpu:h100:1"}, kMail, kUsed},
                           {{"-p", "whole", "-N", "2", "--gres=gpu:h100:2"}, kMail, kOneOfThreeIdle},
                           {{"-w", "gpu02", "--gres=gpu:h100:1"}}});
  const auto &used = jobs[0], &part = jobs[1], &none = jobs[2];
  std::vector<std::string> moved;
  for (const std::string& id : {used, part, none})
    moved.push_back(at(id, day(2) + hours(1), day(2) + hours(1), day(2) + hours(11)));
  move(moved);
  auto all = rows("workload");
  EXPECT_EQ(all[used]["gpu_hours"], "10.00");
  EXPECT_EQ(all[used]["measured_gpu_hours"], "10.00");
  EXPECT_EQ(all[used]["mean_use"], "98.6");
  EXPECT_EQ(all[used]["memory_peak_mib"], "79455");
  EXPECT_EQ(all[part]["gpu_hours"], "40.00");
  EXPECT_EQ(all[part]["measured_gpu_hours"], "30.00") << "of the fourth GPU the summary does not tell";
  EXPECT_EQ(all[part]["idle_gpu_hours"], "10.00");
  EXPECT_EQ(all[none]["measured_gpu_hours"], "0.00");
  EXPECT_EQ(all[none]["mean_use"], "");
  const Ran waste = tessera("waste", {"-o", "csv"});
  EXPECT_EQ(waste.code, 0) << waste.err;
  EXPECT_NE(waste.out.find("idle,lab,80.00,10.00,mail," + part), std::string::npos) << waste.out;
  EXPECT_EQ(waste.out.find("," + none + ","), std::string::npos) << "no figures are no waste";
}

// slurmd needs a GPU for these figures: they are written where slurmdbd would store them. gres/gpuutil of 0
// is a figure, and a step that has none may have used the GPU.
TEST_F(AccountingE2e, WhatSlurmGatheredOfGpusIsReadAndAStepWithoutFiguresIsUnknown) {
  const auto jobs = ended({{{"-w", "gpu01", "--gres=gpu:h100:1"}},
                           {{"-w", "gpu01", "--gres=gpu:h100:2"}},
                           {{"-w", "gpu01", "--gres=gpu:h100:1"}}});
  const auto &used = jobs[0], &idle = jobs[1], &none = jobs[2];
  sql(kKeepGpuUse);
  std::vector<std::string> moved;
  for (const std::string& id : jobs)
    moved.push_back(at(id, day(2) + hours(1), day(2) + hours(1), day(2) + hours(11)));
  for (const auto& [id, figures] : {std::pair(used, gathered(37, 8LL << 30)), std::pair(idle, gathered(0, 0)),
                                    std::pair(none, std::string("'1=5000,2=1048576'"))})
    for (std::string& statement : one_step(id, figures)) moved.push_back(std::move(statement));
  move(moved);
  auto all = rows("workload");
  EXPECT_EQ(all[used]["gpu_hours"], "10.00");
  EXPECT_EQ(all[used]["measured_gpu_hours"], "0.00") << "37 % is the most of its samples, and no mean";
  EXPECT_EQ(all[used]["mean_use"], "");
  EXPECT_EQ(all[used]["memory_peak_mib"], "8192");
  EXPECT_EQ(all[used]["idle_gpu_hours"], "") << "in use at some time, and else it is not known";
  EXPECT_EQ(all[idle]["idle_gpu_hours"], "20.00");
  EXPECT_EQ(all[idle]["mean_use"], "");
  EXPECT_EQ(all[none]["gpu_hours"], "10.00");
  EXPECT_EQ(all[none]["idle_gpu_hours"], "") << "no figure is not 0";
  EXPECT_EQ(all[none]["memory_peak_mib"], "");
  const Ran waste = tessera("waste", {"-o", "csv"});
  EXPECT_EQ(waste.code, 0) << waste.err;
  EXPECT_NE(waste.out.find("idle,lab,160.00,10.00,mail," + idle), std::string::npos) << waste.out;
  EXPECT_EQ(waste.out.find("," + none + ","), std::string::npos) << waste.out;
  sql({"delete from tres_table where creation_time=1;"});
}

TEST_F(AccountingE2e, WithoutFiguresNothingIsSaidToBeWellUsed) {
  const std::vector<std::string> one{"-w", "gpu01", "--gres=gpu:h100:1"};
  const std::string old = ended({{one}, {one}}).back();
  move({at(old, day(2), day(2), day(2) + hours(9))});
  const Ran waste = tessera("waste");
  EXPECT_EQ(waste.code, 3) << waste.out;
  EXPECT_NE(waste.err.find("no job of that time has use figures"), std::string::npos) << waste.err;
}

// The tools are run as that user; whether the answer is one about all jobs is judged by who that is.
TEST_F(AccountingE2e, WherePrivateDataHidesOthersJobsOnlyAnOperatorIsToldOfThem) {
  const auto jobs = ended({{{"--gres=gpu:h100:1"}}, {{"--gres=gpu:h100:1"}, kGames}});
  const auto &own = jobs[0], &theirs = jobs[1];
  const std::string dbd = lab_->folder() + "/etc/slurmdbd.conf";
  std::ofstream(dbd, std::ios::app) << "PrivateData=jobs,usage,users\n";
  stop("slurmdbd", SIGTERM);
  ASSERT_TRUE(lab_->start("slurmdbd"));
  const std::string folder = lab_->folder() + "/mail";
  std::filesystem::create_directory(folder);
  for (const char* tool : {"sacct", "sacctmgr"}) {
    const std::string path = folder + "/" + tool;
    std::ofstream(path) << "#!/bin/sh\nexec setpriv --reuid=8 --regid=8 --clear-groups " << tool
                        << " \"$@\"\n";
    ::chmod(path.c_str(), 0755);
  }
  slurm::SlurmClient site;
  site.conf = lab_->conf();
  site.bin = folder;
  slurm::AccountingQuestion question;
  question.cluster = ClusterName("lab");
  question.from = now_ - hours(2), question.to = now_ + hours(1), question.now = question.to;
  const auto ids = [&](const slurm::AccountingAsker& who) {
    const auto past = slurm::read_accounting(site, who, question);
    if (!past) return to_line(past.error());
    std::string all;
    for (const usage::PastJob& job : past->jobs) all += job.id.text + " ";
    return all;
  };
  EXPECT_NE(ids({"mail", kMail}).find("PrivateData=jobs, and mail is no operator"), std::string::npos)
      << ids({"mail", kMail});
  order({"sacctmgr", "-i", "-Q", "modify", "user", "where", "name=mail", "set", "adminlevel=Operator"});
  const std::string all = ids({"mail", kMail});
  EXPECT_NE(all.find(own + " "), std::string::npos)
      << all << lab_->run({"sacct", "-a", "-X", "-P", "-o", "JobID,User,State,Submit,Start,End"}).out
      << lab_->run({"sacct", "-a", "-X", "-P", "-o", "JobID,User,State"}, kMail).out;
  EXPECT_NE(all.find(theirs + " "), std::string::npos) << all;
  order({"sacctmgr", "-i", "-Q", "modify", "user", "where", "name=mail", "set", "adminlevel=None"});
  move({at(theirs, day(2), day(2), day(2) + hours(1))});
  EXPECT_EQ(held(rows("workload"), theirs), "1.00 8.00 0.00") << "root sees all";
}

}  // namespace
}  // namespace tessera::test
