// Jobs that wait for a limit of their QOS or association on a real Slurm with slurmdbd: `tessera why` tells
// both numbers, and the command that it prints lets the job start.
#include <functional>

#include "tests/e2e/slurm_accounts.hpp"
#include "tests/support/json_check.hpp"

namespace tessera::test {
namespace {

constexpr const char* kQos = "qos where name=q";
constexpr const char* kUser = "user where name=mail account=physics cluster=lab";
constexpr const char* kAccount = "account where name=science cluster=lab";

class WhyLimitsE2e : public SlurmAccounts {
 protected:
  static void SetUpTestSuite() {
    make_lab("AccountingStorageEnforce=associations,limits,qos\nLicenses=matlab:4");
  }

  // A job for ten minutes on so many GPUs.
  static std::vector<std::string> gpus(int count, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"-t", "10", "--gres=gpu:h100:" + std::to_string(count)});
    return more;
  }
  static std::vector<std::string> of_qos(int count, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"-q", "q"});
    return gpus(count, std::move(more));
  }

  std::string why(const std::string& id) {
    const Ran ran = run_tessera({"why", id, "-o", "json", "--timeout", "60s"}, options());
    EXPECT_EQ(ran.code, 0) << ran.err;
    for (const std::string& wrong : check_schema(schema_text("why"), ran.out)) ADD_FAILURE() << wrong;
    return ran.out;
  }
  // All texts of `what` in the list, a line each.
  static std::string all(const std::string& json, const std::string& list, const std::string& what) {
    std::string texts;
    for (int i = 0; i < 60; ++i) {
      const std::string at = "/" + list + "/" + std::to_string(i);
      if (json_at(json, at) == "missing") break;
      texts += text_at(json, at + "/" + what) + "\n";
    }
    return texts;
  }
  static bool tells(const std::string& json, const std::string& sentence) {
    return ("\n" + all(json, "more", "text")).find("\n" + sentence + "\n") != std::string::npos;
  }
  // The one command that changes a limit.
  static std::string remedy(const std::string& json) {
    std::string found;
    const std::string commands = all(json, "help", "command");
    for (std::size_t at = 0; at < commands.size();) {
      const std::size_t end = commands.find('\n', at);
      const std::string one = commands.substr(at, end - at);
      if (one.starts_with("sacctmgr modify ")) found += (found.empty() ? "" : "; ") + one;
      at = end + 1;
    }
    return found;
  }

  // The partition whole has the QOS p, and a job's QOS q overrules it.
  void over_partition() {
    order({"sh", "-c", "sacctmgr -i -Q modify qos where name=q set Flags=OverPartQOS"});
    undo_with({"sh", "-c", "sacctmgr -i -Q modify qos where name=q set Flags-=OverPartQOS"});
    order({"scontrol", "update", "PartitionName=whole", "QOS=p"});
    undo_with({"scontrol", "update", "PartitionName=whole", "QOS="});
  }

  // It waits for that reason, both numbers are told, and what is printed lets it start.
  void held_by(const std::string& id, const std::string& reason, const std::string& sentence,
               const std::string& command) {
    waits_for(id, reason);
    const std::string said = why(id);
    EXPECT_EQ(text_at(said, "/topic"), "limit") << said;
    EXPECT_TRUE(tells(said, sentence)) << all(said, "more", "text");
    EXPECT_EQ(remedy(said), command);
    // It asks whether that is meant, as it would an admin.
    order({"sh", "-c", "yes | " + remedy(said)});
    EXPECT_TRUE(starts(id)) << lab_->run({"squeue", "-h", "-o", "%i %T %r"}).out
                            << lab_->run({"scontrol", "show", "assoc_mgr", "flags=qos", "qos=q"}).out;
  }
};

TEST_F(WhyLimitsE2e, AUserWhoseQosAllowsOneJobAtATime) {
  limit(kQos, "MaxJobsPerUser=1");
  running(of_qos(1));
  held_by(submit(of_qos(1)), "QOSMaxJobsPerUserLimit", "QOS q: MaxJobsPU=1, mail holds 1",
          "sacctmgr modify qos where name=q set MaxJobsPerUser=2");
}

TEST_F(WhyLimitsE2e, AnAccountWhoseQosAllowsOneJobAtATime) {
  limit(kQos, "MaxJobsPerAccount=1");
  running(of_qos(1));
  held_by(submit(of_qos(1)), "MaxJobsPerAccount", "QOS q: MaxJobsPA=1, physics holds 1",
          "sacctmgr modify qos where name=q set MaxJobsPerAccount=2");
}

TEST_F(WhyLimitsE2e, AQosThatRunsOneJobAtATimeForAll) {
  limit(kQos, "GrpJobs=1");
  running(of_qos(1), kGames);
  held_by(submit(of_qos(1)), "QOSGrpJobsLimit", "QOS q: GrpJobs=1, 1 in use",
          "sacctmgr modify qos where name=q set GrpJobs=2");
}

TEST_F(WhyLimitsE2e, AQosWhoseGpusOthersHold) {
  limit(kQos, "GrpTRES=gres/gpu=2");
  running(of_qos(2), kGames);
  held_by(submit(of_qos(1)), "QOSGrpGRES", "QOS q: GrpTRES gres/gpu=2, 2 in use and it asks for 1",
          "sacctmgr modify qos where name=q set GrpTRES=gres/gpu=3");
}

TEST_F(WhyLimitsE2e, HoweverAJobAsksForItsGpusAllOfThemCount) {
  limit(kQos, "GrpTRES=gres/gpu=3");
  const std::vector<std::vector<std::string>> forms = {
      {"-N", "2", "--gres=gpu:h100:2"},      {"--gpus=4"},
      {"-N", "2", "--gpus-per-node=h100:2"}, {"-n", "4", "--gpus-per-task=1"},
      {"--gres=gpu:h100:2,gpu:1g.10gb:2"},   {"--array=1-2", "--gres=gpu:4"},
  };
  for (std::vector<std::string> form : forms) {
    SCOPED_TRACE(form.back());
    form.insert(form.end(), {"-q", "q", "-t", "10"});
    const std::string id = submit(form);
    waits_for(id, "QOSGrpGRES");
    EXPECT_TRUE(tells(why(id), "QOS q: GrpTRES gres/gpu=3, 0 in use and it asks for 4"));
  }
}

TEST_F(WhyLimitsE2e, AQosWhoseGpusOfOneTypeAreHeld) {
  limit(kQos, "GrpTRES=gres/gpu:h100=2");
  running(of_qos(1), kGames);
  held_by(submit(of_qos(2)), "QOSGrpGRES", "QOS q: GrpTRES gres/gpu:h100=2, 1 in use and it asks for 2",
          "sacctmgr modify qos where name=q set GrpTRES=gres/gpu:h100=3");
}

TEST_F(WhyLimitsE2e, AUserWhoHoldsAllTheGpusThatTheQosAllows) {
  limit(kQos, "MaxTRESPerUser=gres/gpu=2");
  running(of_qos(1));
  held_by(submit(of_qos(2)), "QOSMaxGRESPerUser",
          "QOS q: MaxTRESPU gres/gpu=2, mail holds 1 and it asks for 2",
          "sacctmgr modify qos where name=q set MaxTRESPerUser=gres/gpu=3");
}

TEST_F(WhyLimitsE2e, AnAccountThatHoldsAllTheGpusThatTheQosAllows) {
  limit(kQos, "MaxTRESPerAccount=gres/gpu=2");
  running(of_qos(2));
  held_by(submit(of_qos(1)), "MaxGRESPerAccount",
          "QOS q: MaxTRESPA gres/gpu=2, physics holds 2 and it asks for 1",
          "sacctmgr modify qos where name=q set MaxTRESPerAccount=gres/gpu=3");
}

TEST_F(WhyLimitsE2e, AJobThatAsksForMoreGpusThanOneMayHave) {
  limit(kQos, "MaxTRESPerJob=gres/gpu=2");
  held_by(submit(of_qos(3)), "QOSMaxGRESPerJob", "QOS q: MaxTRESPJ gres/gpu=2, it asks for 3",
          "sacctmgr modify qos where name=q set MaxTRESPerJob=gres/gpu=3");
}

TEST_F(WhyLimitsE2e, AJobThatAsksForMoreGpusOfOneNodeThanItMay) {
  limit(kQos, "MaxTRESPerNode=gres/gpu=2");
  held_by(submit(of_qos(3)), "QOSMaxGRESPerNode", "QOS q: MaxTRESPN gres/gpu=2, it asks for 3",
          "sacctmgr modify qos where name=q set MaxTRESPerNode=gres/gpu=3");
}

TEST_F(WhyLimitsE2e, AJobThatAsksForFewerGpusThanItsQosIsFor) {
  limit(kQos, "MinTRESPerJob=gres/gpu=2");
  held_by(submit(of_qos(1)), "QOSMinGRES", "QOS q: MinTRESPJ gres/gpu=2, it asks for 1",
          "sacctmgr modify qos where name=q set MinTRESPerJob=gres/gpu=1");
}

TEST_F(WhyLimitsE2e, AJobThatAsksForMoreTimeThanItsQosAllows) {
  limit(kQos, "MaxWall=5");
  held_by(submit(of_qos(1)), "QOSMaxWallDurationPerJobLimit", "QOS q: MaxWallPJ=5 minutes, it asks for 10",
          "sacctmgr modify qos where name=q set MaxWall=10");
}

TEST_F(WhyLimitsE2e, AQosWhoseCpusAreInUse) {
  limit(kQos, "GrpTRES=cpu=2");
  running(of_qos(1, {"-n", "2"}), kGames);
  held_by(submit(of_qos(1, {"-n", "2"})), "QOSGrpCpuLimit",
          "QOS q: GrpTRES cpu=2, 2 in use and it asks for 2",
          "sacctmgr modify qos where name=q set GrpTRES=cpu=4");
}

TEST_F(WhyLimitsE2e, AQosWhoseMemoryIsInUse) {
  limit(kQos, "GrpTRES=mem=500");
  running(of_qos(1, {"--mem=400"}), kGames);
  held_by(submit(of_qos(1, {"--mem=200"})), "QOSGrpMemLimit",
          "QOS q: GrpTRES mem=500 MiB, 400 in use and it asks for 200",
          "sacctmgr modify qos where name=q set GrpTRES=mem=600");
}

// Ten minutes on two GPUs are counted as twenty when the job starts; the seconds since then are taken off.
TEST_F(WhyLimitsE2e, AQosWhoseMinutesStillToRunAreTaken) {
  limit(kQos, "GrpTRESRunMins=gres/gpu=25");
  running(of_qos(2), kGames);
  const std::string id = submit(of_qos(1));
  waits_for(id, "QOSGrpGRESRunMinutes");
  const std::string said = why(id);
  EXPECT_NE(all(said, "more", "text").find("QOS q: GrpTRESRunMins gres/gpu=25 minutes, "), std::string::npos)
      << said;
  EXPECT_NE(all(said, "more", "text").find(" in use and it asks for 10\n"), std::string::npos) << said;
  EXPECT_TRUE(remedy(said).starts_with("sacctmgr modify qos where name=q set GrpTRESRunMins=gres/gpu="));
  order({"sh", "-c", "yes | " + remedy(said)});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyLimitsE2e, AJobWhoseGpusTimesMinutesAreTooMany) {
  limit(kQos, "MaxTRESMinsPerJob=gres/gpu=15");
  held_by(submit(of_qos(2)), "QOSMaxGRESMinutesPerJob",
          "QOS q: MaxTRESMinsPJ gres/gpu=15 minutes, it asks for 20",
          "sacctmgr modify qos where name=q set MaxTRESMinsPerJob=gres/gpu=20");
}

// The limit stands two accounts above the job, and another account holds what it counts.
TEST_F(WhyLimitsE2e, AnAccountAboveWhoseGpusAnotherAccountHolds) {
  limit(kAccount, "GrpTRES=gres/gpu=2");
  running(gpus(2), kGames);
  held_by(submit(gpus(1)), "AssocGrpGRES",
          "association of account science: GrpTRES gres/gpu=2, 2 in use and it asks for 1",
          "sacctmgr modify account where name=science cluster=lab set GrpTRES=gres/gpu=3");
}

TEST_F(WhyLimitsE2e, AnAccountThatRunsOneJobAtATime) {
  limit(kAccount, "GrpJobs=1");
  running(gpus(1), kGames);
  held_by(submit(gpus(1)), "AssocGrpJobsLimit", "association of account science: GrpJobs=1, 1 in use",
          "sacctmgr modify account where name=science cluster=lab set GrpJobs=2");
}

TEST_F(WhyLimitsE2e, AUserWhoseAssociationAllowsOneJobAtATime) {
  limit(kUser, "MaxJobs=1");
  running(gpus(1));
  held_by(submit(gpus(1)), "AssocMaxJobsLimit",
          "association of mail in account physics: MaxJobs=1, mail holds 1",
          "sacctmgr modify user where name=mail account=physics cluster=lab set MaxJobs=2");
}

// What is set for an account is each user's who has nothing else; the user's is raised, and no other's with
// it.
TEST_F(WhyLimitsE2e, AUserWhoHasTheLimitOfAnAccount) {
  limit("account where name=physics cluster=lab", "MaxJobs=1");
  limit(kUser, "MaxJobs=-1");
  running(gpus(1));
  held_by(submit(gpus(1)), "AssocMaxJobsLimit",
          "association of mail in account physics: MaxJobs=1, mail holds 1",
          "sacctmgr modify user where name=mail account=physics cluster=lab set MaxJobs=2");
}

TEST_F(WhyLimitsE2e, AUserWhoseAssociationAllowsFewerGpus) {
  limit(kUser, "MaxTRESPerJob=gres/gpu=2");
  held_by(submit(gpus(3)), "AssocMaxGRESPerJob",
          "association of mail in account physics: MaxTRESPJ gres/gpu=2, it asks for 3",
          "sacctmgr modify user where name=mail account=physics cluster=lab set MaxTRESPerJob=gres/gpu=3");
}

TEST_F(WhyLimitsE2e, AUserWhoseAssociationAllowsLessTime) {
  limit(kUser, "MaxWall=5");
  held_by(submit(gpus(1)), "AssocMaxWallDurationPerJobLimit",
          "association of mail in account physics: MaxWallPJ=5 minutes, it asks for 10",
          "sacctmgr modify user where name=mail account=physics cluster=lab set MaxWall=10");
}

TEST_F(WhyLimitsE2e, AUserWhoseSharesAreHeld) {
  limit(kUser, "GrpTRES=gres/shard=4");
  running({"-t", "10", "--gres=shard:4"});
  held_by(submit({"-t", "10", "--gres=shard:1"}), "AssocGrpGRES",
          "association of mail in account physics: GrpTRES gres/shard=4, 4 in use and it asks for 1",
          "sacctmgr modify user where name=mail account=physics cluster=lab set GrpTRES=gres/shard=5");
}

TEST_F(WhyLimitsE2e, ThePartitionsQosCountsForAJobThatNamesNone) {
  limit(kQos, "MaxTRESPerUser=gres/gpu=1");
  order({"scontrol", "update", "PartitionName=whole", "QOS=q"});
  undo_with({"scontrol", "update", "PartitionName=whole", "QOS="});
  running(gpus(1, {"-p", "whole"}));
  held_by(submit(gpus(1, {"-p", "whole"})), "QOSMaxGRESPerUser",
          "QOS q: MaxTRESPU gres/gpu=1, mail holds 1 and it asks for 1",
          "sacctmgr modify qos where name=q set MaxTRESPerUser=gres/gpu=2");
}

// The partition's QOS overrules the job's unless a flag says so, which slurmdbd tells: here it does not, and
// the job waits for room alone.
TEST_F(WhyLimitsE2e, OfTheJobsQosAndThePartitionsTheOneThatIsReachedIsNotBlamed) {
  limit(kQos, "MaxTRESPerUser=gres/gpu=1");
  limit("qos where name=p", "MaxTRESPerUser=gres/gpu=8");
  order({"scontrol", "update", "PartitionName=whole", "QOS=p"});
  undo_with({"scontrol", "update", "PartitionName=whole", "QOS="});
  const std::string holder = running(gpus(8, {"-w", "gpu01"}), kGames);
  const std::string id = submit(of_qos(2, {"-p", "whole", "-w", "gpu01"}));
  waits_for(id, "Resources");
  const std::string said = why(id);
  EXPECT_TRUE(tells(said, "no limit of its QOS and association keeps it from starting"))
      << all(said, "more", "text");
  EXPECT_EQ(remedy(said), "");
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

// With the flag the job's own QOS overrules the partition's.
TEST_F(WhyLimitsE2e, WithOverPartQosTheLimitOfTheJobsOwnQosIsBlamedAndRaised) {
  limit(kQos, "MaxTRESPerUser=gres/gpu=1");
  limit("qos where name=p", "MaxTRESPerUser=gres/gpu=8");
  over_partition();
  running(of_qos(1, {"-p", "whole"}));
  held_by(submit(of_qos(1, {"-p", "whole"})), "QOSMaxGRESPerUser",
          "QOS q: MaxTRESPU gres/gpu=1, mail holds 1 and it asks for 1",
          "sacctmgr modify qos where name=q set MaxTRESPerUser=gres/gpu=2");
}

TEST_F(WhyLimitsE2e, WithOverPartQosTheLimitOfThePartitionsQosIsNotBlamed) {
  limit(kQos, "MaxTRESPerUser=gres/gpu=8");
  limit("qos where name=p", "MaxTRESPerUser=gres/gpu=1");
  over_partition();
  const std::string holder = running(gpus(8, {"-w", "gpu01"}), kGames);
  const std::string id = submit(of_qos(2, {"-p", "whole", "-w", "gpu01"}));
  waits_for(id, "Resources");
  const std::string said = why(id);
  EXPECT_TRUE(tells(said, "no limit of its QOS and association keeps it from starting"))
      << all(said, "more", "text");
  EXPECT_EQ(remedy(said), "");
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

// Slurm leaves out what an association says of jobs where the QOS says anything of them, be it per user or
// account.
TEST_F(WhyLimitsE2e, WhatAQosSaysOfJobsCountsAndNotWhatTheAssociationSays) {
  limit(kUser, "MaxJobs=1");
  for (const char* setting : {"MaxJobsPerUser=2", "MaxJobsPerAccount=2"}) {
    SCOPED_TRACE(setting);
    limit(kQos, setting);
    const std::string first = running(of_qos(1)), second = running(of_qos(1));
    const std::string id = submit(of_qos(1));
    const bool user = std::string(setting).starts_with("MaxJobsPerUser");
    waits_for(id, user ? "QOSMaxJobsPerUserLimit" : "MaxJobsPerAccount");
    const std::string said = why(id);
    EXPECT_TRUE(
        tells(said, user ? "QOS q: MaxJobsPU=2, mail holds 2" : "QOS q: MaxJobsPA=2, physics holds 2"));
    EXPECT_EQ(all(said, "more", "text").find("association"), std::string::npos) << all(said, "more", "text");
    order({"scancel", first});
    EXPECT_TRUE(starts(id));
    order({"scancel", second, id});
    EXPECT_TRUE(lab_->wait({"squeue", "-h"}, [](const std::string& out) { return out.empty(); }));
    order({"sh", "-c", "sacctmgr -i -Q modify qos where name=q set MaxJobsPerUser=-1"});
  }
}

// Nothing is queued that tessera could explain: sbatch says so itself.
TEST_F(WhyLimitsE2e, AJobThatMayNotBeSubmittedIsRefusedBySlurmItself) {
  limit(kQos, "MaxSubmitJobsPerUser=1");
  running(of_qos(1));
  EXPECT_NE(submit(of_qos(1)).find("QOSMaxSubmitJobPerUserLimit"), std::string::npos);
}

// Slurm counts what a job without a time limit will use as endless.
TEST_F(WhyLimitsE2e, AJobWithoutATimeLimitFillsEveryLimitOnMinutes) {
  running({"-q", "q", "--gres=gpu:h100:1", "-t", "UNLIMITED"}, kGames);
  limit(kQos, "GrpTRESRunMins=gres/gpu=1000000");
  const std::string id = submit(of_qos(1));
  waits_for(id, "QOSGrpGRESRunMinutes");
  EXPECT_NE(all(why(id), "more", "text").find("QOS q: GrpTRESRunMins gres/gpu=1000000 minutes"),
            std::string::npos);
}

TEST_F(WhyLimitsE2e, AJobThatNoLimitKeepsIsNotBlamedOnOne) {
  limit(kQos, "GrpTRES=gres/gpu=12");
  const std::string holder = running(of_qos(8, {"-w", "gpu01"}));
  const std::string id = submit(of_qos(2, {"-w", "gpu01"}));
  waits_for(id, "Resources");
  const std::string said = why(id);
  EXPECT_TRUE(tells(said, "no limit of its QOS and association keeps it from starting")) << said;
  EXPECT_EQ(remedy(said), "");
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

}  // namespace
}  // namespace tessera::test
