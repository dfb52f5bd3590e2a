// Jobs that wait for one reason each on a real Slurm: what `tessera why` says of them, and that doing what it
// says starts them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>

#include "tests/support/json_check.hpp"
#include "tests/support/run_binary.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {
namespace {

class WhySlurmE2e : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (SlurmLab::possible()) lab_ = std::make_unique<SlurmLab>("Licenses=matlab:1");
  }
  static void TearDownTestSuite() { lab_.reset(); }
  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    ASSERT_EQ(lab_->trouble(), "");
  }
  void TearDown() override {
    if (!lab_) return;
    lab_->run({"scancel", "--user=root"});
    EXPECT_TRUE(lab_->wait({"squeue", "-h"}, [](const std::string& out) { return out.empty(); }));
  }

  std::string submit(std::vector<std::string> arguments) { return lab_->submit(std::move(arguments)); }
  std::string running(std::vector<std::string> arguments) {
    std::string id = submit(std::move(arguments));
    EXPECT_TRUE(starts(id));
    return id;
  }
  void order(std::vector<std::string> command) {
    const LabAnswer answer = lab_->run(std::move(command));
    EXPECT_EQ(answer.status, 0) << answer.out;
  }
  // One whose script has begun on its node: until then a requeue may meet the launch on its way there, and
  // slurmd's late answer to that one changes the job once more.
  std::string running_there(std::vector<std::string> arguments) {
    const std::string begun = home_.path() + "/begun";
    arguments.insert(arguments.end(), {"--requeue", "-o", begun});
    std::string id = running(std::move(arguments));
    for (int i = 0; i < 1200 && !std::filesystem::exists(begun); ++i) lab_->pause();
    EXPECT_TRUE(std::filesystem::exists(begun));
    return id;
  }
  bool starts(const std::string& id) {
    return lab_->wait({"squeue", "-h", "-j", id, "-o", "%T"},
                      [](const std::string& out) { return out == "RUNNING\n"; });
  }
  // Slurm's reason is written at its next look.
  void waits_for(const std::string& id, const std::string& reason) {
    std::string last;
    for (int i = 0; i < 1200; ++i, lab_->pause()) {
      last = lab_->run({"squeue", "-h", "-j", id, "-o", "%r"}).out;
      if (last.starts_with(reason)) return;
    }
    FAIL() << "the reason is " << last;
  }

  // Of a job that names its node Slurm 22.05 says one or the other, by which of its two schedulers looked
  // last.
  void waits_for_room(const std::string& id) { waits_for(id, "Re"); }

  std::string why(const std::string& id) {
    RunOptions options;
    options.environment = {
        {"PATH", std::getenv("PATH")}, {"HOME", home_.path()}, {"SLURM_CONF", lab_->conf()}};
    const Ran ran = run_tessera({"why", id, "-o", "json", "--timeout", "60s"}, options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    for (const std::string& wrong : check_schema(schema_text("why"), ran.out)) ADD_FAILURE() << wrong;
    return ran.out;
  }
  // What stands in `list` of the entry that `is_it` accepts; empty: there is none.
  static std::string find(const std::string& json, const std::string& list, const std::string& what,
                          const std::function<bool(const std::string& at)>& is_it) {
    for (int i = 0; i < 40; ++i) {
      const std::string at = "/" + list + "/" + std::to_string(i);
      if (json_at(json, at) == "missing") break;
      if (is_it(at)) return text_at(json, at + "/" + what);
    }
    return {};
  }
  static std::string about(const std::string& json, const std::string& node) {
    return find(json, "nodes", "text", [&](const std::string& at) {
      return json_at(json, at + "/nodes").find('"' + node + '"') != std::string::npos;
    });
  }
  static std::string command_of(const std::string& json, const std::string& begin) {
    return find(json, "help", "command",
                [&](const std::string& at) { return text_at(json, at + "/command").starts_with(begin); });
  }
  // Runs the command that begins so, and sees the job start.
  void do_as_it_says(const std::string& id, const std::string& json, const std::string& begin) {
    const std::string command = command_of(json, begin);
    ASSERT_FALSE(command.empty()) << json;
    order({"sh", "-c", command});
    EXPECT_TRUE(starts(id)) << command << '\n' << lab_->run({"scontrol", "show", "job", id}).out;
  }

  static std::unique_ptr<SlurmLab> lab_;
  Scratch home_;
};
std::unique_ptr<SlurmLab> WhySlurmE2e::lab_;

TEST_F(WhySlurmE2e, AJobThatItsOwnerHolds) {
  const std::string id = submit({"-H", "--gres=gpu:h100:1"});
  waits_for(id, "JobHeldUser");
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "held");
  do_as_it_says(id, said, "scontrol release ");
}

TEST_F(WhySlurmE2e, AJobThatAnAdministratorHolds) {
  const std::string id = submit({"-H", "--gres=gpu:h100:1"});
  order({"scontrol", "hold", id});
  waits_for(id, "JobHeldAdmin");
  do_as_it_says(id, why(id), "scontrol release ");
}

TEST_F(WhySlurmE2e, AJobWhoseTimeHasNotCome) {
  const std::string id = submit({"--begin=now+2hours", "--gres=gpu:h100:1"});
  waits_for(id, "BeginTime");
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "time");
  EXPECT_TRUE(text_at(said, "/help/0/text").starts_with("it may start from ")) << said;
  do_as_it_says(id, said, "scontrol update JobId=");
}

TEST_F(WhySlurmE2e, AJobThatDependsOnAnother) {
  const std::string first = running({"-w", "gpu01", "--gres=gpu:h100:1"});
  const std::string id = submit({"-d", "afterok:" + first, "--gres=gpu:h100:1"});
  waits_for(id, "Dependency");
  do_as_it_says(id, why(id), "scontrol update JobId=");
}

TEST_F(WhySlurmE2e, AJobWhoseDependencyCanNeverBeMet) {
  const std::string first = running({"-w", "gpu01", "--gres=gpu:h100:1"});
  const std::string id = submit({"-d", "afterok:" + first, "--gres=gpu:h100:1"});
  order({"scancel", first});
  waits_for(id, "DependencyNeverSatisfied");
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "dependency");
  do_as_it_says(id, said, "scontrol update JobId=");
}

TEST_F(WhySlurmE2e, AJobWhoseNodeIsDrained) {
  order({"scontrol", "update", "NodeName=shard01", "State=DRAIN", "Reason=fan"});
  const std::string id = submit({"-w", "shard01", "--gres=shard:2"});
  waits_for(id, "ReqNodeNotAvail");
  const std::string said = why(id);
  EXPECT_EQ(about(said, "shard01"), "drained: fan");
  do_as_it_says(id, said, "scontrol update NodeName=shard01 State=RESUME");
}

TEST_F(WhySlurmE2e, AJobWhosePartitionIsDown) {
  for (const char* state : {"DOWN", "INACTIVE"}) {
    SCOPED_TRACE(state);
    const std::string id = submit({"-p", "shared", "--gres=mps:10", "-H"});
    order({"scontrol", "update", "PartitionName=shared", std::string("State=") + state});
    lab_->run({"scontrol", "release", id});  // done, and of an inactive partition an error, too
    waits_for(id, "Partition");
    const std::string said = why(id);
    EXPECT_EQ(text_at(said, "/topic"), "partition");
    do_as_it_says(id, said, "scontrol update PartitionName=shared State=UP");
    order({"scontrol", "update", "PartitionName=shared", "State=UP"});
  }
}

TEST_F(WhySlurmE2e, AJobWhoseTimeLimitIsLongerThanThePartitionAllows) {
  const std::string id = submit({"-p", "whole", "-t", "2-00:00:00", "--gres=gpu:h100:1"});
  waits_for(id, "PartitionTimeLimit");
  do_as_it_says(id, why(id), "scontrol update JobId=");
}

TEST_F(WhySlurmE2e, AJobLongerThanThePartitionAllowsStartsOnceMaxTimeIsRaisedAsPrinted) {
  const std::string id = submit({"-p", "whole", "-t", "2-00:00:00", "--gres=gpu:h100:1"});
  waits_for(id, "PartitionTimeLimit");
  const std::string said = why(id), begin = "scontrol update PartitionName=whole ";
  EXPECT_EQ(command_of(said, begin), begin + "MaxTime=2880");
  do_as_it_says(id, said, begin);
  order({"scontrol", "update", "PartitionName=whole", "MaxTime=1-00:00:00"});
}

TEST_F(WhySlurmE2e, AJobThatNamesAFullNodeIsNotSentToAnEmptyOne) {
  const std::string holder = running({"-w", "gpu01", "--gres=gpu:h100:8"});
  const std::string id = submit({"-w", "gpu01", "--gres=gpu:h100:2"});
  waits_for(id, "Resources");
  const std::string said = why(id);
  EXPECT_TRUE(about(said, "gpu01").starts_with("0 of 8 × gpu:h100 are free, and it asks for 2")) << said;
  EXPECT_EQ(about(said, "gpu02"), "it asks for other nodes: gpu01");
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobThatComesAfterAnotherOne) {
  const std::string holder = running({"-p", "whole", "-N", "2", "--gres=gpu:h100:8"});
  const std::string first = submit({"-p", "whole", "-N", "2", "--gres=gpu:h100:8"});
  waits_for(first, "Resources");
  const std::string id = submit({"-p", "whole", "--gres=gpu:h100:8"});
  waits_for(id, "Priority");
  EXPECT_EQ(text_at(why(id), "/topic"), "priority");
  order({"scancel", holder, first});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobForWhichGpusAreFreeAndCpusAreNot) {
  const std::string holder = running({"-w", "gpu02", "-n", "64"});
  const std::string id = submit({"-w", "gpu02", "--gres=gpu:h100:1"});
  waits_for(id, "Resources");
  EXPECT_EQ(about(why(id), "gpu02"), "0 of 64 CPUs are free, and it asks for 1");
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobForWhichGpusAreFreeAndMemoryIsNot) {
  const std::string holder = running({"-w", "mix01", "--mem=999000"});
  const std::string id = submit({"-w", "mix01", "--mem=5000", "--gres=gpu:1g.10gb:1"});
  waits_for(id, "Resources");
  EXPECT_EQ(about(why(id), "mix01"), "1000 of 1000000 MiB of memory are free, and it asks for 5000");
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobThatWantsANodeToItself) {
  const std::string holder = running({"-w", "gpu02", "-n", "2"});
  const std::string id = submit({"-w", "gpu02", "--exclusive", "--gres=gpu:h100:1"});
  waits_for(id, "Resources");
  const std::string said = why(id);
  EXPECT_TRUE(about(said, "gpu02").starts_with("it wants a node to itself, and 2 CPUs are held here"))
      << said;
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobThatWantsAFeatureIsOfferedOnlyNodesThatHaveIt) {
  const std::string holder = running({"-w", "mig01", "--gres=gpu:3g.40gb:2"});
  const std::string id = submit({"-C", "h100&mig", "--gres=gpu:3g.40gb:1"});
  waits_for(id, "Resources");
  const std::string said = why(id);
  EXPECT_EQ(about(said, "gpu01"), "its features are not h100&mig");
  EXPECT_TRUE(about(said, "mig01").starts_with("0 of 2 × gpu:3g.40gb are free, and it asks for 1")) << said;
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobThatExcludesTheOnlyNodeWithRoom) {
  const std::string holder = running({"-w", "gpu01", "--gres=gpu:h100:8"});
  const std::string id = submit({"-p", "whole", "-x", "gpu02", "--gres=gpu:h100:1"});
  waits_for(id, "Resources");
  EXPECT_EQ(about(why(id), "gpu02"), "it excludes nodes: gpu02");
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

// A job's shares come from one GPU, so that each GPU has a holder of its own.
TEST_F(WhySlurmE2e, AJobThatWantsMoreSharesThanAreLeft) {
  struct Shared {
    std::string node, kind;
    int gpus, of_each, some;
  };
  for (const Shared& one : {Shared{"shard01", "shard", 4, 4, 4}, {"mig01", "gpu:1g.10gb", 1, 7, 1}}) {
    SCOPED_TRACE(one.node);
    const auto asks = [&](int count) { return "--gres=" + one.kind + ":" + std::to_string(count); };
    std::vector<std::string> cancel{"scancel"};
    for (int i = 0; i < one.gpus; ++i) cancel.push_back(running({"-w", one.node, asks(one.of_each)}));
    const std::string id = submit({"-w", one.node, asks(one.some)});
    waits_for_room(id);
    const std::string said = why(id);
    EXPECT_TRUE(about(said, one.node)
                    .starts_with("0 of " + std::to_string(one.gpus * one.of_each) + " × " + one.kind +
                                 " are free, and it asks for " + std::to_string(one.some)))
        << said;
    order(cancel);
    EXPECT_TRUE(starts(id));
    order({"scancel", id});
  }
}

TEST_F(WhySlurmE2e, AJobWhoseLicenceIsInUse) {
  const std::string holder = running({"-w", "gpu01", "-L", "matlab:1", "--gres=gpu:h100:1"});
  const std::string id = submit({"-w", "gpu01", "-L", "matlab:1", "--gres=gpu:h100:1"});
  waits_for(id, "Licenses");
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "licence");
  EXPECT_FALSE(command_of(said, "scontrol show licenses").empty());
  EXPECT_NE(said.find("0 of 1 licences matlab are free, and it asks for 1"), std::string::npos) << said;
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, TheTasksOfAnArrayThatMayNotRunTogether) {
  const std::string array = submit({"--array=0-1%1", "-w", "gpu01", "--gres=gpu:h100:1"});
  ASSERT_TRUE(starts(array + "_0"));
  waits_for(array + "_1", "JobArrayTaskLimit");
  EXPECT_EQ(text_at(why(array + "_1"), "/topic"), "limit");
}

TEST_F(WhySlurmE2e, AJobWhoseNodeIsReservedForOthers) {
  order({"scontrol", "create", "reservation", "ReservationName=quiet", "Users=nobody", "StartTime=now",
         "Duration=60", "Nodes=gpu02"});
  const std::string id = submit({"-w", "gpu02", "--gres=gpu:h100:1"});
  waits_for(id, "ReqNodeNotAvail");
  const std::string said = why(id);
  EXPECT_NE(about(said, "gpu02"), "") << said;
  order({"scontrol", "delete", "ReservationName=quiet"});
  EXPECT_TRUE(starts(id));
}

// Slurm starts nothing there that its time limit would let run into it.
TEST_F(WhySlurmE2e, AJobThatWouldStillRunWhenAReservationBegins) {
  order({"scontrol", "create", "reservation", "ReservationName=tomorrow", "Users=root",
         "StartTime=now+60minutes", "Duration=60", "Nodes=gpu02"});
  const std::string id = submit({"-w", "gpu02", "-t", "120", "--gres=gpu:h100:1"});
  waits_for(id, "ReqNodeNotAvail");
  const std::string said = why(id);
  EXPECT_TRUE(about(said, "gpu02").starts_with("the reservation tomorrow begins there at ")) << said;
  do_as_it_says(id, said, "scontrol update JobId=");
  order({"scancel", id});
  EXPECT_TRUE(lab_->wait({"squeue", "-h"}, [](const std::string& out) { return out.empty(); }));
  order({"scontrol", "delete", "ReservationName=tomorrow"});
}

TEST_F(WhySlurmE2e, AJobThatWantsMoreNodesThanItsPartitionAllows) {
  order({"scontrol", "update", "PartitionName=whole", "MaxNodes=1"});
  const std::string id = submit({"-p", "whole", "-N", "2", "--gres=gpu:h100:1"});
  waits_for(id, "PartitionNodeLimit");
  EXPECT_EQ(text_at(why(id), "/topic"), "partition");
  order({"scontrol", "update", "PartitionName=whole", "MaxNodes=UNLIMITED"});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobWhoseReservationHasNotBegun) {
  order({"scontrol", "create", "reservation", "ReservationName=later", "Users=root", "StartTime=now+2hours",
         "Duration=60", "Nodes=gpu02"});
  const std::string id = submit({"--reservation=later", "--gres=gpu:h100:1"});
  waits_for(id, "Reservation");
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "reservation");
  EXPECT_FALSE(command_of(said, "scontrol show reservation").empty()) << said;
  order({"scontrol", "update", "ReservationName=later", "StartTime=now"});
  EXPECT_TRUE(starts(id));
  order({"scancel", id});
  EXPECT_TRUE(lab_->wait({"squeue", "-h"}, [](const std::string& out) { return out.empty(); }));
  order({"scontrol", "delete", "ReservationName=later"});
}

TEST_F(WhySlurmE2e, AJobOfWhichOnlyOneMayRunAtATime) {
  const std::string first = running({"-J", "nightly", "-w", "gpu01", "--gres=gpu:h100:1"});
  const std::string id = submit({"-J", "nightly", "-d", "singleton", "--gres=gpu:h100:1"});
  waits_for(id, "Dependency");
  EXPECT_EQ(text_at(why(id), "/topic"), "dependency");
  order({"scancel", first});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobThatMayStartSomeTimeAfterAnother) {
  const std::string first = running({"-w", "gpu01", "--gres=gpu:h100:1"});
  const std::string id = submit({"-d", "after:" + first + "+600", "--gres=gpu:h100:1"});
  waits_for(id, "Dependency");
  do_as_it_says(id, why(id), "scontrol update JobId=");
}

TEST_F(WhySlurmE2e, AJobThatWasRequeuedAndHeld) {
  const std::string id = running_there({"-w", "gpu01", "--gres=gpu:h100:1"});
  order({"scontrol", "requeuehold", id});
  EXPECT_TRUE(lab_->wait({"squeue", "-h", "-j", id, "-o", "%T"},
                         [](const std::string& out) { return out == "PENDING\n"; }));
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "held") << said;
  order({"sh", "-c", command_of(said, "scontrol release ")});
  // Slurm lets a job that was requeued wait two minutes more.
  waits_for(id, "BeginTime");
  do_as_it_says(id, why(id), "scontrol update JobId=");
}

TEST_F(WhySlurmE2e, AJobThatWasRequeuedWaitsAWhile) {
  const std::string id = running_there({"-w", "gpu01", "--gres=gpu:h100:1"});
  order({"scontrol", "requeue", id});
  waits_for(id, "BeginTime");
  // Its first run sets the time again when it has ended.
  EXPECT_TRUE(lab_->wait({"sinfo", "-h", "-n", "gpu01", "-o", "%T"}, [](const std::string& out) {
    return !out.empty() && out.find("completing") == std::string::npos;
  }));
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "time");
  do_as_it_says(id, said, "scontrol update JobId=");
}

TEST_F(WhySlurmE2e, AJobWhosePriorityAnAdministratorHasTakenAway) {
  const std::string id = submit({"-H", "--gres=gpu:h100:1"});
  order({"scontrol", "update", "JobId=" + id, "Priority=0"});
  waits_for(id, "JobHeld");
  do_as_it_says(id, why(id), "scontrol release ");
}

TEST_F(WhySlurmE2e, AJobWhoseNodeIsDown) {
  order({"scontrol", "update", "NodeName=mps01", "State=DOWN", "Reason=psu"});
  const std::string id = submit({"-w", "mps01", "--gres=mps:10"});
  waits_for(id, "ReqNodeNotAvail");
  const std::string said = why(id);
  EXPECT_EQ(about(said, "mps01"), "down: psu") << said;
  order({"scontrol", "update", "NodeName=mps01", "State=RESUME"});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhySlurmE2e, AJobWhoseNodeIsDrainingWhileOthersFinish) {
  const std::string holder = running({"-w", "mix01", "--gres=gpu:1g.10gb:1"});
  order({"scontrol", "update", "NodeName=mix01", "State=DRAIN", "Reason=bios"});
  const std::string id = submit({"-w", "mix01", "--gres=gpu:1g.10gb:1"});
  waits_for(id, "ReqNodeNotAvail");
  const std::string said = why(id);
  EXPECT_EQ(about(said, "mix01"), "draining: bios");
  do_as_it_says(id, said, "scontrol update NodeName=mix01 State=RESUME");
}

TEST_F(WhySlurmE2e, AJobForTwoNodesOfWhichOneIsFull) {
  const std::string holder = running({"-w", "gpu01", "--gres=gpu:h100:4"});
  const std::string id = submit({"-p", "whole", "-N", "2", "--gres=gpu:h100:8"});
  waits_for(id, "Resources");
  const std::string said = why(id);
  EXPECT_TRUE(about(said, "gpu01").starts_with("4 of 8 × gpu:h100 are free, and it asks for 8")) << said;
  EXPECT_EQ(find(said, "nodes", "fits",
                 [&](const std::string& at) {
                   return json_at(said, at + "/nodes").find("\"gpu02\"") != std::string::npos;
                 }),
            "true")
      << said;
  order({"scancel", holder});
  EXPECT_TRUE(starts(id));
}

// Four shares are free on the node, and no two of them on one GPU.
TEST_F(WhySlurmE2e, AJobThatWantsMoreOfOneGpuThanIsLeftOnAny) {
  std::vector<std::string> cancel{"scancel"};
  for (int i = 0; i < 4; ++i) cancel.push_back(running({"-w", "shard01", "--gres=shard:3"}));
  const std::string id = submit({"-w", "shard01", "--gres=shard:2"});
  waits_for_room(id);
  const std::string said = why(id);
  EXPECT_NE(about(said, "shard01"), "") << said;
  order(cancel);
  EXPECT_TRUE(starts(id));
}

}  // namespace
}  // namespace tessera::test
