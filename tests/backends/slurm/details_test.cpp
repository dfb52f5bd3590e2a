// Asking about one job: commands that answer as a real Slurm did, that refuse, that break off, and how often
// they are asked.
#include "backends/slurm/details.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <future>

#include "tests/backends/slurm/fixtures.hpp"
#include "tests/support/patience.hpp"

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;

class SlurmDetailsOfOneJob : public testing::Test {
 protected:
  SlurmDetailsOfOneJob() {
    char name[] = "/tmp/tessera-details-XXXXXX";
    folder_ = mkdtemp(name);
    site_.bin = folder_;
    script("scontrol", "echo scontrol >> " + folder_ + "/calls\ncase \"$*\" in *assoc_mgr*) cat " + folder_ +
                           "/limits;; *) cat " + folder_ + "/job;; esac");
    script("sprio", "echo sprio >> " + folder_ + "/calls\ncat " + folder_ + "/priority");
    write("limits", recording("22.05", "limits"));
    write("priority", recording("22.05", "priority"));
    write("job",
          "JobId=2 JobName=a2 UserId=www-data(33) GroupId=www-data(33) MCS_label=N/A Priority=5142 Nice=0 "
          "Account=physics QOS=normal JobState=PENDING Reason=QOSMaxGRESPerUser TimeLimit=02:00:00 "
          "SubmitTime=2026-11-25T02:57:22 Partition=whole NumNodes=1\n");
    look_.job.id = WorkloadId("2");
    look_.job.user = "www-data", look_.job.account = "physics", look_.job.group = "whole";
    look_.facts.accounting = "accounting_storage/slurmdbd";
    look_.facts.enforced = "associations,limits,qos";
    look_.facts.priority = "priority/multifactor";
  }
  ~SlurmDetailsOfOneJob() override {
    worker_.stop();
    const std::string gone = "rm -rf " + folder_;
    EXPECT_EQ(std::system(gone.c_str()), 0);
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  void script(const std::string& name, const std::string& text) {
    write(name, "#!/bin/sh\n" + text + "\n");
    chmod((folder_ + "/" + name).c_str(), 0755);
  }
  Details ask() {
    auto answer = std::make_shared<std::promise<Details>>();
    auto told = answer->get_future();
    worker_.post([this, answer] {
      reader_.look(look_, [answer](Details details) { answer->set_value(std::move(details)); });
    });
    if (told.wait_for(test::kPatience) == std::future_status::ready) return told.get();
    ADD_FAILURE() << "no answer";
    return {};
  }
  std::string calls() const {
    std::ifstream file(folder_ + "/calls");
    std::string all, one;
    while (file >> one) all += (all.empty() ? "" : " ") + one;
    return all;
  }

  std::string folder_;
  JobLook look_;
  SlurmClient site_;
  Worker worker_;
  Processes processes_{worker_};
  Pacer pacer_{Duration(0), Pacer::Instant::clock::now()};
  Calls calls_{processes_, pacer_};
  DetailsReader reader_{worker_, calls_, site_, [this] { return now_; }};
  TimePoint now_{1'800'000'000s};
};

// As Slurm 22.05 tells it.
TEST_F(SlurmDetailsOfOneJob, AJobThatWaitsForLicencesIsToldHowManyAreFree) {
  look_.job.reason = "Licenses";
  look_.facts.enforced = "none";
  write(
      "job",
      "JobId=2 JobName=wrap UserId=root(0) Account=(null) QOS=(null) JobState=PENDING Reason=Licenses "
      "TimeLimit=UNLIMITED Partition=main NumNodes=1 Features=(null) Licenses=matlab:2,ansys Network=(null) "
      "Command=(null) Licenses=mine:7\n");
  script("scontrol", "echo scontrol >> " + folder_ +
                         "/calls\ncase \"$*\" in *licenses*) echo 'LicenseName=ansys Total=10 Used=0 Free=10 "
                         "Reserved=0 Remote=no'; echo 'LicenseName=matlab Total=3 Used=2 Free=1 Reserved=0 "
                         "Remote=no';; *) cat " +
                         folder_ + "/job;; esac");
  const Details told = ask();
  ASSERT_EQ(told.licences.size(), 2u);
  EXPECT_EQ(told.licences[0], (Licence{"matlab", 2, 3, 1, false}));
  EXPECT_EQ(told.licences[1], (Licence{"ansys", 1, 10, 10, false}));
  EXPECT_EQ(calls(), "scontrol scontrol sprio");
  ASSERT_EQ(told.asked.size(), 3u);
  EXPECT_EQ(told.asked[1].command, "scontrol -o show licenses");
}

TEST_F(SlurmDetailsOfOneJob, LicencesThatCannotBeReadAreNotSaidToBeFree) {
  look_.job.reason = "Licenses";
  write("job",
        "JobId=2 JobName=wrap UserId=root(0) QOS=(null) JobState=PENDING Reason=Licenses Partition=main "
        "NumNodes=1 Licenses=matlab:2|ansys:x|other:1 Network=(null)\n");
  script("scontrol", "case \"$*\" in *licenses*) echo 'LicenseName=matlab Total=many Free=1';; *) cat " +
                         folder_ + "/job;; esac");
  const Details told = ask();
  ASSERT_EQ(told.licences.size(), 2u) << "what cannot be read is left out";
  EXPECT_EQ(told.licences[0], (Licence{"matlab", 2, std::nullopt, std::nullopt, true}));
  EXPECT_EQ(told.licences[1].name, "other");
}

TEST_F(SlurmDetailsOfOneJob, ThreeCallsTellItsLimitsAndItsPlaceAndAreNotMadeAgainAtOnce) {
  const Details told = ask();
  ASSERT_EQ(told.asked.size(), 3u);
  for (const Inquiry& one : told.asked) EXPECT_FALSE(one.failure) << to_line(*one.failure);
  EXPECT_EQ(told.asked[1].command, "scontrol show assoc_mgr flags=users,assoc,qos users=www-data qos=normal");
  EXPECT_EQ(told.job->qos, "normal");
  EXPECT_FALSE(told.limits.empty());
  ASSERT_EQ(told.priorities.size(), 1u);
  EXPECT_EQ(told.priorities.front().place, 2);
  EXPECT_EQ(calls(), "scontrol scontrol sprio");
  EXPECT_EQ(told.at, now_);
}

TEST_F(SlurmDetailsOfOneJob, AnAnswerFromMemoryHasTheTimeAtWhichItWasAsked) {
  const TimePoint asked = now_;
  ask();
  now_ += 5s;
  EXPECT_EQ(ask().at, asked);
  EXPECT_EQ(calls(), "scontrol scontrol sprio") << "asked once";
}

TEST_F(SlurmDetailsOfOneJob, WhereNothingIsEnforcedNothingIsAsked) {
  look_.facts.enforced = "none", look_.facts.priority = "priority/basic";
  const Details told = ask();
  EXPECT_EQ(told.limits_enforced, false);
  EXPECT_TRUE(told.asked.empty());
  EXPECT_EQ(calls(), "");
}

TEST_F(SlurmDetailsOfOneJob, AJobThatDependsOnAnotherIsAskedForItsDependencyWithoutLimits) {
  look_.facts.enforced = "none", look_.facts.priority = "priority/basic";
  look_.job.reason = "Dependency";
  write("job",
        "JobId=2 JobName=a2 UserId=www-data(33) Priority=1 Account=(null) QOS=(null) JobState=PENDING "
        "Reason=Dependency Dependency=afterok:1(unfulfilled) TimeLimit=02:00:00 NumNodes=1\n");
  const Details told = ask();
  ASSERT_EQ(told.related.size(), 1u);
  EXPECT_EQ(told.related.front().name, "afterok:1");
  EXPECT_EQ(told.related.front().source, Teller::job);
  EXPECT_EQ(calls(), "scontrol") << "neither limits nor priorities";
}

TEST_F(SlurmDetailsOfOneJob, ARefusalAnAnswerThatBreaksOffAndAnEmptyOneAreFailures) {
  script("scontrol",
         "case \"$*\" in *assoc_mgr*) echo 'error: Access/permission denied' >&2; exit 1;; *) cat " +
             folder_ + "/job;; esac");
  Details told = ask();
  ASSERT_GE(told.asked.size(), 2u);
  ASSERT_TRUE(told.asked[1].failure);
  EXPECT_NE(to_line(*told.asked[1].failure).find("permission denied"), std::string::npos);
  EXPECT_TRUE(told.limits.empty());
  EXPECT_EQ(told.priorities.size(), 1u) << "the next question is asked all the same";
}

// "not known" was all that was said of the limits where slurmctld keeps them to operators.
TEST_F(SlurmDetailsOfOneJob, WhereSlurmctldRefusesTheLimitsOfItsQosAreAskedOfSlurmdbd) {
  script("scontrol",
         "case \"$*\" in *assoc_mgr*) echo 'error: Access/permission denied' >&2; exit 1;; *) cat " +
             folder_ + "/job;; esac");
  script("sacctmgr",
         "echo sacctmgr >> " + folder_ +
             "/calls\necho "
             "'normal|DenyOnLimit,OverPartQOS|||gres/gpu=64,mem=2T|||gres/gpu=4|||1-00:00:00|gres/"
             "gpu=8|2|||'");
  const Details told = ask();
  ASSERT_EQ(told.asked.size(), 4u);
  EXPECT_TRUE(told.asked[1].failure) << "what is in use is not known";
  EXPECT_FALSE(told.asked[2].failure) << to_line(*told.asked[2].failure);
  EXPECT_TRUE(
      told.asked[2].command.starts_with("sacctmgr -n -P show qos where name=normal format=Name,Flags"));
  EXPECT_EQ(told.over_partition, true);
  ASSERT_EQ(told.limits.size(), 5u) << "memory has units there";
  EXPECT_EQ(told.limits[0].name, "GrpTRES");
  EXPECT_EQ(told.limits[0].limit, 64);
  EXPECT_EQ(told.limits[1].name, "MaxTRESPJ");
  EXPECT_EQ(told.limits[2].name, "MaxWallPJ");
  EXPECT_EQ(told.limits[2].limit, 24 * 60) << "minutes";
  EXPECT_EQ(told.limits[3].name, "MaxTRESPU");
  EXPECT_EQ(told.limits[3].whose, "www-data");
  EXPECT_EQ(told.limits[4].name, "MaxJobsPU");
  for (const Limit& one : told.limits) EXPECT_FALSE(one.used) << one.name;
  EXPECT_EQ(calls(), "sacctmgr sprio") << "one call more, and none where slurmctld tells all";
}

// A limit of a QOS that is neither the job's nor its partition's would have been blamed for its waiting.
TEST_F(SlurmDetailsOfOneJob, OfTheRowsOfSacctmgrThoseOfOtherQosAreLeftOut) {
  script("scontrol",
         "case \"$*\" in *assoc_mgr*) echo 'error: Access/permission denied' >&2; exit 1;; *) cat " +
             folder_ + "/job;; esac");
  script("sacctmgr",
         "echo 'other|||||||gres/gpu=1||||||||'\necho 'normal|||||||gres/gpu=4||||||||'\n"
         "echo 'normal2|OverPartQOS||||||gres/gpu=2||||||||'");
  const Details told = ask();
  ASSERT_EQ(told.asked.size(), 4u);
  EXPECT_FALSE(told.asked[2].failure) << to_line(*told.asked[2].failure);
  ASSERT_EQ(told.limits.size(), 1u);
  EXPECT_EQ(told.limits[0].owner, "normal");
  EXPECT_EQ(told.limits[0].name, "MaxTRESPJ");
  EXPECT_EQ(told.limits[0].limit, 4);
  EXPECT_EQ(told.over_partition, false);
}

TEST_F(SlurmDetailsOfOneJob, HalfAnAnswerIsNoAnswer) {
  const std::string whole = recording("22.05", "limits");
  write("limits", whole.substr(0, whole.size() / 3));
  write("priority", "");
  const Details told = ask();
  ASSERT_EQ(told.asked.size(), 3u);
  EXPECT_TRUE(told.asked[1].failure);
  EXPECT_TRUE(told.asked[2].failure) << "a job that sprio does not show has no known priority";
  EXPECT_TRUE(told.limits.empty());
}

TEST_F(SlurmDetailsOfOneJob, AfterARoundThatFoundNobodyNothingIsAsked) {
  look_.controller_fails = true;
  const Details told = ask();
  ASSERT_FALSE(told.asked.empty());
  EXPECT_TRUE(told.asked.front().failure);
  EXPECT_EQ(calls(), "");
}

TEST_F(SlurmDetailsOfOneJob, NamesThatCouldBeOptionsOrListsReachNoCommand) {
  look_.job.user = "alice,bob";
  const Details told = ask();
  ASSERT_GE(told.asked.size(), 2u);
  EXPECT_TRUE(told.asked[1].failure);
  EXPECT_EQ(calls(), "scontrol sprio") << "the job itself and its priority alone";
}

}  // namespace
}  // namespace tessera::slurm
