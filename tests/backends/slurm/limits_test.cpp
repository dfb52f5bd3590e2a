// Limits as a real slurmctld 22.05 with slurmdbd printed them, priorities as sprio did, and what is no such
// answer.
#include <gtest/gtest.h>

#include <algorithm>

#include "backends/slurm/details.hpp"
#include "backends/slurm/parse/job_facts.hpp"
#include "backends/slurm/parse/parse_limits.hpp"
#include "engine/text.hpp"
#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

const LimitsOf kJob{"www-data", "physics", "whole", {"normal"}};

const Limit* find(const LimitsRead& read, std::string_view name, std::string_view resource = "") {
  for (const Limit& one : read.limits)
    if (one.name == name && one.resource == resource) return &one;
  return nullptr;
}

TEST(SlurmLimits, BothNumbersAreReadForTheJobsOwnUserAlone) {
  auto read = parse_limits(recording("22.05", "limits"), kJob);
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_TRUE(read->missing.empty()) << read->missing.front();
  const Limit* gpus = find(*read, "MaxTRESPU", "gres/gpu");
  ASSERT_NE(gpus, nullptr);
  EXPECT_EQ(gpus->limit, 8);
  EXPECT_EQ(gpus->used, 6);
  EXPECT_TRUE(gpus->qos);
  EXPECT_EQ(gpus->owner, "normal");
  EXPECT_EQ(gpus->whose, "www-data");
  EXPECT_EQ(std::count_if(read->limits.begin(), read->limits.end(),
                          [](const Limit& one) { return one.name == "MaxTRESPU"; }),
            1)
      << "other users of the QOS have lines of their own";
  EXPECT_EQ(find(*read, "MaxTRESPU", "cpu"), nullptr) << "N(1) is no limit";
}

TEST(SlurmLimits, WhatAJobMustAskForAtLeastIsReadToo) {
  std::string text = recording("22.05", "limits");
  const std::size_t qos = text.find("QOS=normal("), least = text.find("MinTRESPJ=\n", qos);
  ASSERT_NE(least, std::string::npos);
  text.insert(least + std::string_view("MinTRESPJ=").size(), "gres/gpu=2,node=1");
  auto read = parse_limits(text, kJob);
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_NE(find(*read, "MinTRESPJ", "gres/gpu"), nullptr);
  EXPECT_EQ(find(*read, "MinTRESPJ", "gres/gpu")->limit, 2);
  EXPECT_EQ(find(*read, "MinTRESPJ", "gres/gpu")->counted, Limit::Of::job);
  EXPECT_EQ(find(*read, "MinTRESPJ", "node")->limit, 1);
}

TEST(SlurmLimits, AQosAnAccountAndAPartitionsQosAreToldApart) {
  auto read = parse_limits(recording("22.05", "limits"), {"www-data", "chem", "whole", {"small", "capped"}});
  ASSERT_TRUE(read) << to_line(read.error());
  const Limit* account = find(*read, "GrpTRES", "gres/gpu");
  ASSERT_NE(account, nullptr);
  EXPECT_FALSE(account->qos);
  EXPECT_EQ(account->owner, "chem");
  EXPECT_EQ(account->limit, 2);
  EXPECT_EQ(account->cluster, "lab") << "a slurmdbd may have others";
  const Limit* capped = find(*read, "GrpTRES", "gres/gpu:h100");
  ASSERT_NE(capped, nullptr);
  EXPECT_EQ(capped->owner, "capped");
  EXPECT_EQ(capped->limit, 3);
  EXPECT_EQ(capped->used, 2);
  EXPECT_EQ(find(*read, "GrpTRESMins", "gres/gpu")->limit, 100);
  EXPECT_EQ(find(*read, "GrpWall")->limit, 10000);
}

TEST(SlurmLimits, WhatPrivateDataHidesIsMissingAndNotNoLimit) {
  auto read = parse_limits(recording("22.05", "limits-private"), kJob);
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_EQ(read->missing.size(), 3u);
  EXPECT_EQ(read->missing[0], "the user www-data");
  EXPECT_EQ(read->missing[1], "the association of www-data in physics");
  EXPECT_EQ(read->missing[2], "the account physics");
  EXPECT_EQ(find(*read, "MaxTRESPU", "gres/gpu"), nullptr) << "whose number it is cannot be told";
}

TEST(SlurmLimits, WhatIsNoSuchAnswerIsAnErrorAndNotAnEmptyList) {
  const std::string whole = recording("22.05", "limits");
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string("slurm_load_assoc_mgr_info error\n"),
        whole.substr(0, whole.size() / 2), whole.substr(0, whole.find("QOS Records")),
        std::string("<html>502</html>\n")})
    EXPECT_FALSE(parse_limits(text, kJob)) << text.substr(0, 60);
  // Nothing is kept in slurmctld: then nothing of the job's is there.
  auto none = parse_limits(
      "Current Association Manager state\n\nNo users currently cached in Slurm.\n\n\nNo associations "
      "currently "
      "cached in Slurm.\n\n\nNo QOS currently cached in Slurm.\n\n",
      kJob);
  ASSERT_TRUE(none);
  EXPECT_EQ(none->missing.size(), 4u);
}

TEST(SlurmLimits, HostileNamesStayWithinBoundsAndReachNoTerminal) {
  std::string text =
      "Current Association Manager state\n\nUser Records\n\nUserName=www-data(33) X=\n\n"
      "Association Records\n\n";
  for (int i = 0; i < 300; ++i)  // accounts that are each other's parents
    text += "ClusterName=c Account=a" + std::to_string(i) +
            " UserName= Partition= Priority=0 ID=1\n    "
            "ParentAccount=a" +
            std::to_string((i + 1) % 300) + "(1) Lft=1\n    GrpJobs=1(1)\n";
  text +=
      "ClusterName=c Account=a0 UserName=www-data(33) Partition= Priority=0\n    MaxTRESPJ=\x1b[31mgpu=1\n";
  text += "\nQOS Records\n\nQOS=normal(1)\n    GrpTRES=";
  for (int i = 0; i < 5000; ++i) text += "gres/x" + std::to_string(i) + "=1(1),";
  text += "\n";
  auto read = parse_limits(text, {"www-data", "a0", "p", {"normal"}});
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_LE(read->limits.size(), 1000u);
  for (const Limit& one : read->limits) EXPECT_EQ(clean(one.resource), one.resource);
}

TEST(SlurmPriority, SprioIsReadColumnByColumnAndThePlaceCountedByPriority) {
  const std::string text = recording("22.05", "priority");
  auto read = parse_priorities(text, "2");
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_EQ(read->size(), 1u);
  EXPECT_EQ(read->front().partition, "whole");
  EXPECT_EQ(read->front().total, 5142);
  EXPECT_EQ(
      read->front().parts,
      (std::vector<PriorityPart>{{"fair share", 2000}, {"job size", 42}, {"partition", 100}, {"QOS", 3000}}));
  EXPECT_EQ(read->front().place, 2) << "5184 comes before it";
  EXPECT_EQ(read->front().among, 5);
  // Of three with the same priority the lower number comes first; 12 comes after 8, as numbers do.
  EXPECT_EQ(parse_priorities(text, "6")->front().place, 3);
  EXPECT_EQ(parse_priorities(text, "8")->front().place, 4);
  EXPECT_EQ(parse_priorities(text, "12")->front().place, 5);
  EXPECT_TRUE(parse_priorities(text, "99")->empty());
  EXPECT_TRUE(parse_priorities("", "2")->empty());
  EXPECT_FALSE(parse_priorities("You are not running a supported priority plugin\n(priority/basic).\n", "2"));
  EXPECT_FALSE(parse_priorities("2|whole|5142\n", "2"));
  EXPECT_FALSE(parse_priorities("2|whole|many|0|0|0|0|0|0|0|0|\n", "2"));
}

TEST(SlurmDetails, TheJobsThatItDependsOnAreReadOneByOne) {
  const auto read = [](const std::string& told) {
    std::string all;
    for (const Related& one : parse_dependencies(
             "JobId=7 JobName=x UserId=alice(1000) Priority=1 Account=a QOS=n JobState=PENDING "
             "Reason=Dependency Dependency=" +
             told +
             " Requeue=1 TimeLimit=02:00:00 Partition=gpu Comment=a Dependency=afterok:9(unfulfilled)\n"))
      all += one.kind + ' ' + one.name + ' ' + one.state + (one.text.empty() ? ";" : " " + one.text + ";");
    return all;
  };
  EXPECT_EQ(read("afterok:12(unfulfilled)"), "Dependency afterok:12 unfulfilled;");
  EXPECT_EQ(read("afterok:12_3(unfulfilled),after:13+5(failed)"),
            "Dependency afterok:12_3 unfulfilled;Dependency after:13+5 failed;");
  EXPECT_EQ(read("afterany:1(unfulfilled)?singleton(unfulfilled)"),
            "Dependency afterany:1 unfulfilled any;Dependency singleton unfulfilled any;");
  EXPECT_EQ(read("(null)"), "");
  EXPECT_EQ(read("afterok:12"), "") << "cut off: what cannot be read is left out";
  EXPECT_EQ(read("(x)"), "");
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "afterok:" + std::to_string(i) + "(unfulfilled),";
  const std::string first = read(many);
  EXPECT_EQ(std::count(first.begin(), first.end(), ';'), static_cast<int>(kMostDependencies));
  EXPECT_TRUE(parse_dependencies("").empty());
}

TEST(SlurmDetails, TheJobsOwnQosAndLimitAreReadWhateverItIsCalled) {
  const auto facts = parse_job_facts(
      "JobId=7 JobName=x QOS=evil JobState=PENDING TimeLimit=1 UserId=alice(1000) GroupId=a(1) MCS_label=N/A "
      "Priority=1 Nice=0 Account=physics QOS=normal JobState=PENDING Reason=Priority Dependency=(null) "
      "Requeue=1 "
      "TimeLimit=02:00:00 TimeMin=N/A SubmitTime=2026-11-21T02:36:19 Partition=gpu Comment=a QOS=worse\n");
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->qos, "normal");
  EXPECT_EQ(facts->limit, Duration(std::chrono::hours(2)));
  EXPECT_FALSE(parse_job_facts("slurm_load_jobs error: Invalid job id specified\n"));
  EXPECT_FALSE(parse_job_facts(""));
}

TEST(SlurmDetails, WhetherLimitsAreEnforcedComesFromTheConfiguration) {
  ClusterFacts facts;
  EXPECT_EQ(enforces_limits(facts), std::nullopt);
  facts.accounting = "accounting_storage/none";
  EXPECT_EQ(enforces_limits(facts), false);
  facts.accounting = "accounting_storage/slurmdbd", facts.enforced = "none";
  EXPECT_EQ(enforces_limits(facts), false);
  facts.enforced = "associations,limits,qos";
  EXPECT_EQ(enforces_limits(facts), true);
  EXPECT_EQ(parse_config(recording("22.05", "config")).enforced, "none");
}

TEST(SlurmDetails, ThePartitionsOwnQosCountsToo) {
  const std::string partitions =
      "PartitionName=main AllowGroups=ALL QoS=N/A DefaultTime=NONE\n"
      "PartitionName=whole AllowGroups=ALL QoS=big DefaultTime=NONE\n";
  EXPECT_EQ(qos_of_partition(partitions, "whole"), "big");
  EXPECT_EQ(qos_of_partition(partitions, "main"), "");
  EXPECT_EQ(qos_of_partition(partitions, "who"), "");
}

}  // namespace
}  // namespace tessera::slurm
