// What is asked for one job alone: limits with both numbers, its place in the queue, and who ends when.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/why/why.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::why {
namespace {

using test::Story;

Workload job(const std::string& id, const std::string& user, std::int64_t gpus, const std::string& reason) {
  Workload one = test::waiting(id, user, "gpu:h100");
  one.requests.front().count = gpus;
  one.group = "gpu", one.account = "physics", one.reason = reason;
  one.origin.source = Source::slurm_jobs;
  return one;
}

Workload running(const std::string& id, const std::string& user, int gpus, int ends) {
  Workload one = test::running(id, user, {});
  one.allocations = {{NodeName("n1"), Family::gpu, "h100", gpus, {}}};
  one.group = "gpu", one.account = "physics";
  one.ends = test::at(ends);
  return one;
}

Limit per_user(double limit, double used) {
  Limit one;
  one.qos = true, one.owner = "normal", one.name = "MaxTRESPU", one.resource = "gres/gpu";
  one.counted = Limit::Of::user, one.whose = "alice", one.limit = limit, one.used = used;
  return one;
}

Details told(std::vector<Limit> limits) {
  Details details;
  details.of = WorkloadId("7"), details.at = test::at(0);
  details.asked = {{Teller::limits, "scontrol show assoc_mgr", std::nullopt, ""}};
  details.limits = std::move(limits), details.limits_enforced = true;
  return details;
}

Answer answer_for(const Story& story, const Details& details) {
  Site site;
  site.details = &details;
  site.catalogue = &test::catalogue();
  site.wall = test::at(0);
  return explain(story.cluster(), *story.cluster().workloads.find(WorkloadId("7")), site);
}

const Statement* saying(const Answer& answer, std::string_view part) {
  for (const Statement& one : answer.more)
    if (one.text.find(part) != std::string::npos) return &one;
  return nullptr;
}
bool unknown(const Answer& answer, std::string_view part) {
  return std::any_of(answer.untold.begin(), answer.untold.end(),
                     [&](const std::string& one) { return one.find(part) != std::string::npos; });
}
const Remedy* first(const Answer& answer, Help help) {
  for (const Remedy& one : answer.help)
    if (one.help == help) return &one;
  return nullptr;
}

TEST(WhyLimits, TheLimitThatIsReachedIsToldWithBothNumbers) {
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "QOSMaxGRESPerUser"), running("1", "alice", 6, 3600),
                              running("2", "bob", 2, 60)}});
  const Answer answer = answer_for(story, told({per_user(8, 6)}));
  const Statement* limit = saying(answer, "MaxTRESPU");
  ASSERT_NE(limit, nullptr);
  EXPECT_EQ(limit->text, "QOS normal: MaxTRESPU gres/gpu=8, alice holds 6 and it asks for 3");
  EXPECT_EQ(limit->certainty, Certainty::certain);
  EXPECT_EQ(said_by(*limit), "scontrol show assoc_mgr");
  const Remedy* waits = first(answer, Help::by_itself);
  ASSERT_NE(waits, nullptr);
  EXPECT_NE(waits->text.find("by the time limit of job 1 of alice"), std::string::npos) << waits->text;
  const Remedy* raise = first(answer, Help::admin);
  ASSERT_NE(raise, nullptr);
  EXPECT_EQ(raise->command, "sacctmgr modify qos where name=normal set MaxTRESPerUser=gres/gpu=9");
  EXPECT_FALSE(unknown(answer, "limits of its QOS"));
}

TEST(WhyLimits, ALimitThatIsNotReachedIsNotBlamed) {
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 2, "Resources"), running("1", "alice", 6, 3600)}});
  const Answer answer = answer_for(story, told({per_user(8, 6)}));
  EXPECT_EQ(saying(answer, "MaxTRESPU"), nullptr);
  EXPECT_NE(saying(answer, "no limit of its QOS"), nullptr);
  EXPECT_EQ(first(answer, Help::admin), nullptr);
}

// billing and licences are not known of a job, nor is a request without a type: none of them is "no limit".
TEST(WhyLimits, LimitsThatCannotBeJudgedAreNamedAndNotTakenForNone) {
  Limit billing = per_user(100, 90), typed = per_user(8, 8), untold = per_user(8, 0);
  billing.resource = "billing", typed.resource = "gres/gpu:h100", untold.used.reset();
  Workload open = job("7", "alice", 1, "Resources");
  open.requests.front().resource = "gpu";
  Story story;
  story.tell(WorkloadsListed{{open}});
  const Answer answer = answer_for(story, told({billing, typed, untold}));
  EXPECT_EQ(saying(answer, "no limit of its QOS"), nullptr);
  const Statement* open_limits = saying(answer, "no limit that can be judged");
  ASSERT_NE(open_limits, nullptr);
  EXPECT_EQ(open_limits->certainty, Certainty::unknown);
  EXPECT_EQ(open_limits->text,
            "no limit that can be judged keeps it from starting; these cannot be: MaxTRESPU billing of QOS "
            "normal, MaxTRESPU gres/gpu:h100 of QOS normal, MaxTRESPU gres/gpu of QOS normal");
  EXPECT_EQ(first(answer, Help::admin), nullptr) << "nothing is raised on suspicion";
}

TEST(WhyLimits, MoreThanALimitAllowsIsTooMuchWhateverIsInUse) {
  Limit untold = per_user(2, 0);
  untold.used.reset();
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "Resources")}});
  EXPECT_NE(saying(answer_for(story, told({untold})), "MaxTRESPU gres/gpu=2"), nullptr);
}

TEST(WhyLimits, WhetherItsOwnMinutesCountBeforehandIsNotKnown) {
  Limit minutes = per_user(100, 50);
  minutes.name = "GrpTRESMins", minutes.counted = Limit::Of::all, minutes.whose.clear();
  Details details = told({minutes});
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 1, "Resources")}});
  EXPECT_NE(saying(answer_for(story, details), "no limit that can be judged"), nullptr);
  details.job = JobFacts{"short", Duration(std::chrono::hours(2))};
  EXPECT_NE(saying(answer_for(story, details), "no limit that can be judged"), nullptr)
      << "50 + 120 minutes: only with AccountingStorageEnforce=safe";
  details.job = JobFacts{"short", Duration(std::chrono::minutes(30))};
  EXPECT_NE(saying(answer_for(story, details), "no limit of its QOS"), nullptr);
}

TEST(WhyLimits, ALimitIsRaisedOnItsOwnClusterAndPartitionAlone) {
  Limit own = per_user(1, 1);
  own.qos = false, own.owner = "physics", own.user = "alice", own.name = "GrpTRES";
  own.counted = Limit::Of::all, own.whose.clear();
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "Resources")}});
  const auto command = [&](const Limit& limit) {
    const Answer answer = answer_for(story, told({limit}));
    const Remedy* raise = first(answer, Help::admin);
    return raise ? raise->command : "no remedy";
  };
  EXPECT_EQ(command(own), "") << "on which clusters it would count is not known";
  own.cluster = "hpc";
  EXPECT_EQ(command(own),
            "sacctmgr modify user where name=alice account=physics cluster=hpc set GrpTRES=gres/gpu=4");
  own.partition = "gpu";
  EXPECT_EQ(command(own),
            "sacctmgr modify user where name=alice account=physics cluster=hpc partition=gpu "
            "set GrpTRES=gres/gpu=4");
  own.user.clear(), own.partition.clear();
  EXPECT_EQ(command(own), "sacctmgr modify account where name=physics cluster=hpc set GrpTRES=gres/gpu=4");
}

TEST(WhyLimits, AQosOverrulesTheSameLimitOfAnAssociation) {
  Limit association = per_user(1, 1);
  association.qos = false, association.owner = "physics", association.user = "alice";
  association.name = "GrpTRES", association.counted = Limit::Of::all, association.whose.clear();
  Limit qos = association;
  qos.qos = true, qos.owner = "normal", qos.user.clear(), qos.limit = 100;
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "Resources")}});
  EXPECT_EQ(saying(answer_for(story, told({association, qos})), "GrpTRES"), nullptr);
  const Answer alone = answer_for(story, told({association}));
  ASSERT_NE(saying(alone, "GrpTRES"), nullptr);
  EXPECT_EQ(saying(alone, "GrpTRES")->text,
            "association of alice in account physics: GrpTRES gres/gpu=1, 1 in use and it asks for 3");
}

// What a QOS says of running jobs, of each user or of each account, is all that Slurm asks; other words of it
// are not.
TEST(WhyLimits, AQosThatLimitsRunningJobsOverrulesTheAssociationsMaxJobs) {
  Limit association;
  association.owner = "physics", association.user = "alice", association.name = "MaxJobs";
  association.counted = Limit::Of::user, association.whose = "alice";
  association.limit = 1, association.used = 1;
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 1, "Resources")}});
  EXPECT_NE(saying(answer_for(story, told({association})), "MaxJobs=1, alice holds 1"), nullptr);
  for (const char* name : {"MaxJobsPU", "MaxJobsPA", "GrpJobs"}) {
    Limit qos = association;
    qos.qos = true, qos.owner = "normal", qos.user.clear(), qos.name = name, qos.limit = 9;
    EXPECT_EQ(saying(answer_for(story, told({association, qos})), "MaxJobs=1") == nullptr,
              std::string_view(name) != "GrpJobs")
        << name;
  }
}

// The partition's QOS counts, unless the job's has a flag that is not told.
TEST(WhyLimits, OfTwoQosThatSetOneLimitTheReachedOneIsBlamedOnlyWhereSlurmNamesALimit) {
  Limit own = per_user(1, 1), partitions = per_user(8, 1);
  partitions.owner = "capped";
  const auto answer = [&](const std::string& reason) {
    Story story;
    story.tell(WorkloadsListed{{job("7", "alice", 1, reason)}});
    return answer_for(story, told({own, partitions}));
  };
  EXPECT_EQ(saying(answer("Resources"), "MaxTRESPU gres/gpu=1"), nullptr);
  EXPECT_NE(saying(answer("Resources"), "these cannot be: MaxTRESPU gres/gpu of QOS normal"), nullptr);
  EXPECT_NE(saying(answer("QOSMaxGRESPerUser"), "MaxTRESPU gres/gpu=1"), nullptr);
  partitions.limit = 1;
  EXPECT_NE(saying(answer("Resources"), "MaxTRESPU gres/gpu=1"), nullptr) << "whichever counts is reached";
}

// Where slurmdbd tells the flag, the other limit is neither blamed nor named as one that cannot be judged.
TEST(WhyLimits, OfTwoQosThatSetOneLimitTheFlagSaysWhichCounts) {
  Limit own = per_user(1, 1), partitions = per_user(8, 1);
  partitions.owner = "capped";
  const auto blames = [&](bool over_partition, const std::string& reason) {
    Story story;
    story.tell(WorkloadsListed{{job("7", "alice", 1, reason)}});
    Details details = told({own, partitions});
    details.job = JobFacts{"normal", std::nullopt};
    details.over_partition = over_partition;
    const Answer answer = answer_for(story, details);
    EXPECT_EQ(saying(answer, "these cannot be"), nullptr) << reason;
    return saying(answer, "MaxTRESPU gres/gpu=1") != nullptr;
  };
  EXPECT_TRUE(blames(true, "Resources")) << "the job's own counts, and is reached";
  EXPECT_FALSE(blames(false, "Resources"));
  EXPECT_FALSE(blames(false, "QOSMaxGRESPerUser")) << "that of the partition counts";
}

// What is in use is not told there: a limit that it passes by itself is reached, and by how much to raise it
// is not known.
TEST(WhyLimits, ALimitThatSlurmdbdTellsIsBlamedForWhatTheJobAsksAloneAndHasNoNumberToRaiseItTo) {
  Limit limit = per_user(2, 0);
  limit.used.reset(), limit.teller = Teller::qos;
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "QOSMaxGRESPerUser")}});
  const Answer answer = answer_for(story, told({limit}));
  const Statement* said = saying(answer, "MaxTRESPU gres/gpu=2");
  ASSERT_NE(said, nullptr);
  EXPECT_EQ(said_by(*said), "sacctmgr show qos");
  const Remedy* raise = first(answer, Help::admin);
  ASSERT_NE(raise, nullptr);
  EXPECT_EQ(raise->command, "");
}

// What slurmctld did not tell was taken for nothing in use: the command named a number that might not do.
TEST(WhyLimits, ALimitWhoseUseSlurmctldDoesNotTellHasNoNumberToRaiseItToEither) {
  Limit untold = per_user(2, 0);
  untold.used.reset();
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "QOSMaxGRESPerUser")}});
  const auto command = [&](const Limit& limit) {
    const Answer answer = answer_for(story, told({limit}));
    const Remedy* raise = first(answer, Help::admin);
    return raise ? raise->command : "no remedy";
  };
  EXPECT_EQ(command(untold), "");
  untold.name = "MaxTRESPJ", untold.counted = Limit::Of::job, untold.whose.clear();
  EXPECT_EQ(command(untold), "sacctmgr modify qos where name=normal set MaxTRESPerJob=gres/gpu=3")
      << "each job is held against it by itself";
}

TEST(WhyLimits, AJobThatAsksForLessThanItsQosIsForIsTold) {
  Limit least = per_user(4, 0);
  least.name = "MinTRESPJ", least.counted = Limit::Of::job, least.whose.clear(), least.used.reset();
  const auto answer = [&](std::int64_t gpus) {
    Story story;
    Workload one = job("7", "alice", gpus, "QOSMinGRES");
    if (gpus == 0) one.requests.clear();
    story.tell(WorkloadsListed{{one}});
    return answer_for(story, told({least}));
  };
  EXPECT_EQ(saying(answer(4), "MinTRESPJ"), nullptr);
  ASSERT_NE(saying(answer(3), "MinTRESPJ"), nullptr);
  EXPECT_EQ(saying(answer(3), "MinTRESPJ")->text, "QOS normal: MinTRESPJ gres/gpu=4, it asks for 3");
  const Answer too_few = answer(3), none = answer(0);
  const Remedy* lower = first(too_few, Help::admin);
  ASSERT_NE(lower, nullptr);
  EXPECT_EQ(lower->text, "lower MinTRESPJ of QOS normal, if that is wanted");
  EXPECT_EQ(lower->command, "sacctmgr modify qos where name=normal set MinTRESPerJob=gres/gpu=3");
  ASSERT_NE(first(none, Help::admin), nullptr) << "no GPU at all is too few, too";
  EXPECT_EQ(first(none, Help::admin)->command,
            "sacctmgr modify qos where name=normal set MinTRESPerJob=gres/gpu=-1");
}

TEST(WhyLimits, AnAnswerThatFailedIsNotKnownAndNeverNoLimit) {
  Details failed = told({});
  failed.asked.front().failure = Error{"Slurm does not let us see this", "Access/permission denied", ""};
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "QOSMaxGRESPerUser")}});
  Answer answer = answer_for(story, failed);
  EXPECT_EQ(saying(answer, "no limit"), nullptr);
  EXPECT_EQ(saying(answer, "none of the limits"), nullptr);
  EXPECT_TRUE(unknown(answer, "Access/permission denied"));
  // Hidden in part: the same.
  failed.asked.front().failure.reset();
  failed.asked.front().note = "not in the answer: the association of alice in physics";
  answer = answer_for(story, failed);
  EXPECT_EQ(saying(answer, "none of the limits"), nullptr);
  EXPECT_TRUE(unknown(answer, "the association of alice"));
}

TEST(WhyLimits, WhereWhatRunsDoesNotAddUpNoTimeIsForetold) {
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 3, "QOSMaxGRESPerUser"), running("1", "alice", 4, 3600)}});
  EXPECT_EQ(first(answer_for(story, told({per_user(8, 6)})), Help::by_itself), nullptr)
      << "2 GPUs of alice are somewhere else";
  Workload endless = running("3", "alice", 2, 10);
  endless.ends.reset();
  story.tell(
      WorkloadsListed{{job("7", "alice", 7, "QOSMaxGRESPerUser"), running("1", "alice", 4, 3600), endless}});
  EXPECT_EQ(first(answer_for(story, told({per_user(8, 6)})), Help::by_itself), nullptr)
      << "one of them may run for ever";
}

TEST(WhyLimits, ATypeThatIsLeftOpenIsNotHeldAgainstALimitOfOneType) {
  Workload open = job("7", "alice", 3, "Resources");
  open.requests.front().resource = "gpu";
  Limit typed = per_user(1, 1);
  typed.resource = "gres/gpu:h100";
  Story story;
  story.tell(WorkloadsListed{{open}});
  const Answer answer = answer_for(story, told({typed}));
  EXPECT_EQ(saying(answer, "MaxTRESPU gres/gpu:h100=1"), nullptr);
  EXPECT_NE(saying(answer, "these cannot be: MaxTRESPU gres/gpu:h100 of QOS normal"), nullptr);
}

TEST(WhyLimits, AnEndlessPastIsComparedAndMinutesComeFromTheJobsOwnLimit) {
  Limit wall;
  wall.qos = true, wall.owner = "short", wall.name = "MaxWallPJ", wall.counted = Limit::Of::job,
  wall.limit = 60;
  Limit minutes = per_user(100, 100);
  minutes.name = "GrpTRESMins", minutes.counted = Limit::Of::all, minutes.whose.clear();
  Details details = told({wall, minutes});
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 1, "QOSMaxWallDurationPerJobLimit")}});
  EXPECT_EQ(saying(answer_for(story, details), "MaxWallPJ"), nullptr) << "its own time limit is not known";
  EXPECT_NE(saying(answer_for(story, details), "GrpTRESMins gres/gpu=100 minutes, 100 in use"), nullptr);
  details.job = JobFacts{"short", Duration(std::chrono::hours(2))};
  ASSERT_NE(saying(answer_for(story, details), "MaxWallPJ"), nullptr);
  EXPECT_EQ(saying(answer_for(story, details), "MaxWallPJ")->text,
            "QOS short: MaxWallPJ=60 minutes, it asks for 120");
}

TEST(WhyQueue, ItsPlaceAndThePartsOfItsPriorityAreTold) {
  Details details = told({});
  details.priorities = {{"gpu", 500, {{"job size", 42}, {"QOS", 300}, {"fair share", 158}}, 2, 3}};
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 1, "Priority")}});
  const Answer answer = answer_for(story, details);
  EXPECT_NE(saying(answer, "place 2 of 3 by priority among those that wait for the partition gpu"), nullptr);
  EXPECT_NE(saying(answer, "its priority is 500: QOS 300, fair share 158, job size 42"), nullptr);
  EXPECT_FALSE(unknown(answer, "its place in the queue"));
  EXPECT_TRUE(unknown(answer_for(story, told({})), "its place in the queue"));
}

TEST(WhyDetails, WhereLimitsAreNotEnforcedTheyAreNoUnknown) {
  Details details;
  details.of = WorkloadId("7"), details.limits_enforced = false;
  Story story;
  story.tell(WorkloadsListed{{job("7", "alice", 1, "Resources")}});
  EXPECT_FALSE(unknown(answer_for(story, details), "limits of its QOS"));
  details.limits_enforced.reset();
  EXPECT_TRUE(unknown(answer_for(story, details), "limits of its QOS"));
}

TEST(WhyDetails, WhatAPodNamesIsToldWithThatInTheWayFirst) {
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  Workload pod = test::waiting("team/p", "alice", "nvidia.com/gpu");
  pod.kind = WorkloadKind::pod, pod.reason = "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.";
  story.tell(WorkloadsListed{{pod}});
  Details details;
  details.of = pod.id, details.at = test::at(0);
  details.related = {{Teller::events, "event", "", "FailedScheduling", pod.reason, true, 9, std::nullopt},
                     {Teller::claims, "ResourceClaim", "c", "allocated", "", false, 1, std::nullopt},
                     {Teller::volumes, "PersistentVolumeClaim", "data", "Pending", "storage class fast", true,
                      1, std::nullopt}};
  details.asked = {{Teller::admission, "", Error{"the API server refuses", "HTTP 403", ""}, ""}};
  Site site;
  site.catalogue = &test::catalogue(), site.wall = test::at(0), site.details = &details;
  const Answer answer = explain(story.cluster(), pod, site);
  const auto at = [&](std::string_view part) {
    for (std::size_t i = 0; i < answer.more.size(); ++i)
      if (answer.more[i].text.find(part) != std::string::npos) return static_cast<int>(i);
    return -1;
  };
  EXPECT_GE(at("PersistentVolumeClaim data: Pending: storage class fast"), 0);
  EXPECT_LT(at("PersistentVolumeClaim data"), at("ResourceClaim c: allocated"));
  EXPECT_EQ(at("FailedScheduling"), -1) << "the scheduler's own message stands there already";
  EXPECT_TRUE(unknown(answer, "admission (API): the API server refuses"));
}

}  // namespace
}  // namespace tessera::why
