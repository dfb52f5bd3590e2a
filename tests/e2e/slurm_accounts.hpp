// A real Slurm with slurmdbd, and accounts in it: the account science with physics and bio below it; the user
// mail is of both (physics unless told), the user games of bio. All of them may use the QOS q and p, and
// root q.
//
// Blocking; for the test's own thread.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {

inline constexpr unsigned kMail = 8, kGames = 5;

class SlurmAccounts : public testing::Test {
 protected:
  static constexpr const char* kNeeds =
      "needs root and Debian's slurmctld, slurmd, slurm-client, munge, slurmdbd and mariadb-server-core";

  static void make_lab(const std::string& extra) {
    if (!SlurmLab::possible_accounting()) return;
    lab_ = std::make_unique<SlurmLab>(extra, SlurmLab::Kind::accounting);
    if (lab_->trouble().empty()) add_accounts();
  }
  static void TearDownTestSuite() { lab_.reset(); }
  void SetUp() override {
    if (!SlurmLab::possible_accounting()) GTEST_SKIP() << kNeeds;
    if (lab_->without_mariadb()) GTEST_SKIP() << lab_->trouble();
    ASSERT_EQ(lab_->trouble(), "");
    ASSERT_EQ(accounts_trouble_, "");
  }
  void TearDown() override {
    if (!lab_ || !lab_->trouble().empty() || !accounts_trouble_.empty()) return;
    if (HasFailure()) ADD_FAILURE() << "what Slurm says then:\n" << diagnosis();
    for (const unsigned user : {0U, kMail, kGames}) lab_->run({"scancel", "--user=" + std::to_string(user)});
    EXPECT_TRUE(lab_->wait({"squeue", "-h"}, [](const std::string& out) { return out.empty(); }))
        << diagnosis();
    // Where limits change while a job runs, Slurm may count it for ever.
    for (const std::vector<std::string>& one : undo_) order(one);
  }

  void order(std::vector<std::string> command) {
    const LabAnswer answer = lab_->run(std::move(command));
    EXPECT_EQ(answer.status, 0) << answer.out;
  }
  // "qos where name=q" has "MaxJobsPerUser=1" until the test is over; it had none.
  void limit(const std::string& of, const std::string& setting) {
    order({"sh", "-c", "sacctmgr -i -Q modify " + of + " set " + setting});
    undo_with({"sh", "-c",
               "sacctmgr -i -Q modify " + of + " set " + setting.substr(0, setting.rfind('=')) + "=-1"});
  }
  void undo_with(std::vector<std::string> command) { undo_.insert(undo_.begin(), std::move(command)); }
  // Asks again until it is so.
  template <typename Is>
  bool until(const Is& is) const {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    for (; std::chrono::steady_clock::now() < end; lab_->pause())
      if (is()) return true;
    return false;
  }
  std::string submit(std::vector<std::string> arguments, unsigned user = kMail) {
    return lab_->submit(std::move(arguments), user);
  }
  std::string running(std::vector<std::string> arguments, unsigned user = kMail) {
    std::string id = submit(std::move(arguments), user);
    EXPECT_TRUE(starts(id)) << id;
    return id;
  }
  // One of root's whose script has begun on its node: until then a requeue may meet the launch on its way
  // there, and slurmd's late answer to that one changes the job once more.
  std::string running_there(std::vector<std::string> arguments) {
    const std::string begun = home_.path() + "/begun";
    arguments.insert(arguments.end(), {"--requeue", "-o", begun});
    std::string id = running(std::move(arguments), 0);
    EXPECT_TRUE(until([&] { return std::filesystem::exists(begun); })) << id;
    return id;
  }
  // What sbatch complained of is no job, and is not waited for.
  bool starts(const std::string& id) {
    if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos) return false;
    return until([&] { return lab_->run({"squeue", "-h", "-j", id, "-o", "%T"}).out == "RUNNING\n"; });
  }
  // Slurm's reason is written at its next look.
  void waits_for(const std::string& id, const std::string& reason) {
    std::string last;
    EXPECT_TRUE(until([&] {
      last = lab_->run({"squeue", "-h", "-j", id, "-o", "%r"}).out;
      return last == reason + "\n";
    })) << id
        << ": the reason is " << last;
  }
  // slurmctld may stand still, and slurmdbd be gone: none of it is waited for long.
  static std::string diagnosis() {
    std::string all;
    for (const char* command :
         {"timeout 9 squeue -a -o '%i %u %T %r %S'", "timeout 9 sdiag | grep 'DBD Agent'",
          "timeout 9 sacct -a -D -X -P -o JobID,User,State,Submit,Start,End", "tail -n 12 log/slurmdbd.log",
          "tail -n 12 log/slurmctld.log", "tail -n 4 log/mariadbd.log", "tail -n 4 log/start.err"}) {
      const std::string there = "cd " + lab_->folder() + " && " + command;
      all += "$ " + std::string(command) + "\n" + lab_->run({"sh", "-c", there}).out;
    }
    return all;
  }

  RunOptions options() const {
    RunOptions options;
    options.environment = {
        {"PATH", std::getenv("PATH")}, {"HOME", home_.path()}, {"SLURM_CONF", lab_->conf()}};
    return options;
  }

  static std::unique_ptr<SlurmLab> lab_;
  Scratch home_;

 private:
  static void add_accounts() {
    // slurmctld 24.11 is not told what an account hands down to those that are there already.
    const char* all =
        "set -e; s='sacctmgr -i -Q add'; $s qos q,p; $s account science; "
        "sacctmgr -i -Q modify account where name=science set qos+=q,p; "
        "$s account physics,bio parent=science; "
        "$s user mail account=physics; $s user mail,games account=bio; "
        "sacctmgr -i -Q modify user where name=root set qos+=q";
    const LabAnswer added = lab_->run({"sh", "-c", all});
    if (added.status != 0) accounts_trouble_ = added.out.empty() ? "no accounts" : added.out;
  }

  static std::string accounts_trouble_;
  std::vector<std::vector<std::string>> undo_;
};
inline std::unique_ptr<SlurmLab> SlurmAccounts::lab_;
inline std::string SlurmAccounts::accounts_trouble_;

}  // namespace tessera::test
