// What becomes of the work that waits: the stated model, on clusters of a node or two.
#include "engine/whatif/whatif.hpp"

#include <gtest/gtest.h>

#include <set>

#include "engine/plan/planner.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::whatif {
namespace {

using namespace std::chrono_literals;
using test::at;

class WhatIf : public testing::Test {
 protected:
  // A job on that whole GPU of n1, which ends in so many hours; 0: it has no time limit.
  void runs(const std::string& id, int device, int hours) {
    Workload job = test::running(id, "alice", {test::holds("n1", {{device, 1}})});
    job.requests = {{"gpu:h100", 1}};
    if (hours > 0) job.ends = at(hours * 3600);
    jobs_.push_back(job);
  }
  // Later ones wait less.
  Workload& waits(const std::string& id, const std::string& resource, int count, int hours) {
    Workload job = test::waiting(id, "bob", resource);
    job.requests = {{resource, count}};
    job.node_count = 1;
    job.submitted = at(-600 + static_cast<int>(jobs_.size()));
    job.group = hours > 0 ? "p" + std::to_string(hours) : "any";
    if (hours > 0) limits_.insert(hours);
    return jobs_.emplace_back(job);
  }
  void whole_gpus(int count) {
    std::vector<Gpu> gpus;
    for (int i = 0; i < count; ++i) {
      gpus.push_back(test::gpu(i, Strategy::whole, {test::whole(i)}));
      gpus.back().mig_mode = MigMode::disabled;
    }
    nodes_.push_back(test::node("n1", std::move(gpus)));
  }
  const Cluster& cluster() {
    story_.tell(ClusterSeen{scheduler, false, "", ""});
    story_.tell(NodesListed{nodes_});
    story_.tell(WorkloadsListed{jobs_});
    PartitionsListed partitions;
    for (const int hours : limits_)
      partitions.partitions.push_back(
          {"p" + std::to_string(hours), "UP", false, false, "n1", std::to_string(hours) + ":00:00"});
    story_.tell(std::move(partitions));
    story_.tell(ReservationsListed{reservations_});
    story_.tell(Loaded{});
    story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
    return story_.cluster();
  }
  Question question(Duration ahead = 24h) { return {&cluster(), &test::catalogue(), at(0), ahead}; }
  // "2@0h 3@4h"
  static std::string told(const Future& future) {
    std::string text;
    for (const Start& one : future.starts)
      text += (text.empty() ? "" : " ") + one.id.text + "@" +
              std::to_string(std::chrono::duration_cast<std::chrono::minutes>(one.at - at(0)).count()) + "m";
    return text;
  }

  Scheduler scheduler = Scheduler::slurm;
  std::vector<Node> nodes_;
  std::vector<Workload> jobs_;
  std::vector<Reservation> reservations_;
  std::set<int> limits_;  // of partitions, in hours
  test::Story story_;
};

TEST_F(WhatIf, EachTaskOfAnArrayTakesItsOwnRoom) {
  whole_gpus(2);
  waits("7_[1-5]", "gpu:h100", 1, 1).tasks = 5;
  const Future future = unfold(question(90min));
  EXPECT_EQ(told(future), "7_[1-5]@0m 7_[1-5]@0m 7_[1-5]@60m 7_[1-5]@60m");
  EXPECT_EQ(future.waiting, std::vector{WorkloadId("7_[1-5]")}) << "once, however many of its tasks are left";
}

TEST_F(WhatIf, WorkStartsAsWhatRunsReachesItsTimeLimit) {
  whole_gpus(2);
  runs("1", 0, 2), runs("2", 1, 5);
  waits("3", "gpu:h100", 1, 1), waits("4", "gpu:h100", 2, 1);
  EXPECT_EQ(told(unfold(question())), "3@120m 4@300m");
}

TEST_F(WhatIf, WhatHasNoTimeLimitGivesNothingBack) {
  whole_gpus(1);
  runs("1", 0, 0);
  waits("3", "gpu:h100", 1, 1);
  const Future future = unfold(question());
  EXPECT_EQ(told(future), "");
  EXPECT_EQ(future.waiting, std::vector<WorkloadId>{WorkloadId("3")});
  EXPECT_EQ(future.endless, 1);
}

TEST_F(WhatIf, BackfillLetsPastWhatEndsBeforeTheFirstInLineStarts) {
  whole_gpus(2);
  runs("1", 0, 4);
  waits("2", "gpu:h100", 2, 1);  // starts in four hours
  waits("3", "gpu:h100", 1, 5);  // would delay it
  waits("4", "gpu:h100", 1, 3);  // does not
  EXPECT_EQ(told(unfold(question())), "4@0m 2@240m 3@300m");
}

TEST_F(WhatIf, AJobsOwnTimeLimitCountsBeforeThatOfItsPartition) {
  whole_gpus(2);
  runs("1", 0, 4);
  waits("2", "gpu:h100", 2, 5).limit = 1h;
  waits("3", "gpu:h100", 1, 5);             // may run for five hours: it would delay the first
  waits("4", "gpu:h100", 1, 5).limit = 3h;  // needs the same room and is gone by then
  EXPECT_EQ(told(unfold(question())), "4@0m 2@240m 3@300m");
}

TEST_F(WhatIf, ThoseOfHigherPriorityComeFirst) {
  whole_gpus(1);
  runs("1", 0, 1);
  waits("2", "gpu:h100", 1, 1).priority = 5;
  waits("3", "gpu:h100", 1, 1).priority = 7;
  waits("4", "gpu:h100", 1, 1).priority = 7;
  EXPECT_EQ(told(unfold(question())), "3@60m 4@120m 2@180m");
}

TEST_F(WhatIf, APodEndsAtItsOwnDeadline) {
  scheduler = Scheduler::kubernetes;
  whole_gpus(1);
  waits("team/2", "nvidia.com/gpu", 1, 0).limit = 2h;
  waits("team/3", "nvidia.com/gpu", 1, 0);
  for (Workload& one : jobs_)
    one.kind = WorkloadKind::pod, one.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  EXPECT_EQ(told(unfold(question())), "team/2@0m team/3@120m");
}

TEST_F(WhatIf, KubernetesHasNoReservationsForThoseBefore) {
  scheduler = Scheduler::kubernetes;
  whole_gpus(2);
  runs("team/1", 0, 4);
  waits("team/2", "nvidia.com/gpu", 2, 0), waits("team/3", "nvidia.com/gpu", 1, 0);
  for (Workload& one : jobs_) {
    one.kind = WorkloadKind::pod;
    if (one.state == WorkloadState::pending)
      one.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  }
  EXPECT_EQ(told(unfold(question())), "team/3@0m");
}

TEST_F(WhatIf, WhatWaitsForSomethingElseThanRoomIsLeftOut) {
  whole_gpus(1);
  waits("2", "gpu:h100", 1, 1).reason = "JobHeldUser";
  waits("3", "gpu:h100", 1, 1);
  const Future future = unfold(question());
  EXPECT_EQ(told(future), "3@0m");
  EXPECT_EQ(future.left_out, 1);
}

// Slurm starts them together or not at all.
TEST_F(WhatIf, AComponentOfAHeterogeneousJobIsNotStartedAlone) {
  whole_gpus(1);
  waits("13+0", "gpu:h100", 1, 1);
  waits("14", "gpu:h100", 1, 1);
  const Future future = unfold(question());
  EXPECT_EQ(told(future), "14@0m");
  EXPECT_EQ(future.left_out, 1);
}

TEST_F(WhatIf, OtherNodesThanThoseThatItNamesDoNotServeIt) {
  whole_gpus(1);
  waits("2", "gpu:h100", 1, 1).needs = NodeNeeds{.nodes = "n7"};
  EXPECT_EQ(told(unfold(question())), "");
}

// What-if started jobs that would still run when a reservation begins, which Slurm does not.
TEST_F(WhatIf, AJobEndsBeforeAReservationBeginsOrStartsAfterItsEnd) {
  whole_gpus(3);
  Reservation service;
  service.name = "service", service.nodes = "n1", service.state = "INACTIVE";
  service.start = at(4 * 3600), service.end = at(6 * 3600);
  reservations_ = {service};
  runs("1", 0, 2);
  waits("2", "gpu:h100", 1, 5);
  waits("3", "gpu:h100", 1, 3), waits("4", "gpu:h100", 1, 2);
  waits("5", "gpu:h100", 1, 3);  // two hours later it is too late for it
  waits("6", "gpu:h100", 1, 2);  // ends as the reservation begins
  waits("7", "gpu:h100", 1, 0);  // without a limit
  waits("8", "gpu:h100", 1, 1).needs.emplace().reservation = "service";
  const Future future = unfold(question());
  EXPECT_EQ(told(future), "3@0m 4@0m 6@120m 2@360m 5@360m 7@360m");
  EXPECT_EQ(future.left_out, 1) << "the one that waits for its own reservation";
  EXPECT_TRUE(future.waiting.empty());
}

// What a reservation keeps waiting takes no turn of those behind it.
TEST_F(WhatIf, AJobThatAReservationKeepsWaitingHoldsNoOtherUp) {
  whole_gpus(2);
  Reservation service;
  service.name = "service", service.nodes = "n1", service.state = "INACTIVE", service.start = at(4 * 3600);
  reservations_ = {service};
  runs("1", 0, 1);
  waits("2", "gpu:h100", 2, 5);             // has its GPUs in an hour, and would run into it
  waits("3", "gpu:h100", 1, 5).limit = 3h;  // would delay it by two hours
  EXPECT_EQ(told(unfold(question())), "3@0m") << "the reservation has no end";
}

// The longer one found too few CPUs, and nothing was kept free for the shorter one that asks for the same.
TEST_F(WhatIf, AShortJobBehindALikeOneThatAReservationKeepsWaitingIsNotDelayed) {
  whole_gpus(2);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 56;
  Reservation service;
  service.name = "service", service.nodes = "n1", service.state = "INACTIVE", service.start = at(6 * 3600);
  reservations_ = {service};
  runs("1", 0, 2);
  waits("2", "gpu:h100", 1, 10).needs.emplace().cpus = 60;  // would run into it
  Workload& short_one = waits("3", "gpu:h100", 1, 10);      // starts in two hours
  short_one.needs.emplace().cpus = 60, short_one.limit = 1h;
  Workload& behind = waits("4", "gpu:h100", 1, 10);  // would delay it
  behind.needs.emplace().cpus = 8, behind.limit = 3h;
  EXPECT_EQ(told(unfold(question())), "3@120m 4@180m") << "the reservation has no end";
}

// A free node that a reservation keeps from the first in line counted as its room: those behind it took the
// CPUs of the node for which it waits.
TEST_F(WhatIf, ANodeThatAReservationKeepsFromTheFirstInLineIsNoRoomForIt) {
  whole_gpus(2);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 56;
  Gpu spare = test::gpu(0, Strategy::whole, {test::whole(0)});
  spare.mig_mode = MigMode::disabled;
  nodes_.push_back(test::node("n2", {spare}));
  Reservation service;
  service.name = "service", service.nodes = "n2", service.state = "INACTIVE", service.start = at(4 * 3600);
  reservations_ = {service};
  runs("1", 0, 2);
  waits("2", "gpu:h100", 1, 5).needs.emplace().cpus = 60;  // starts on n1 in two hours
  waits("3", "gpu:h100", 1, 5).needs.emplace().cpus = 8;   // would delay it
  EXPECT_EQ(told(unfold(question())), "2@120m 3@420m");
}

// What-if started jobs for whose CPUs there is no room.
TEST_F(WhatIf, AJobWhoseCpusAreNotFreeDoesNotStart) {
  whole_gpus(2);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 60;
  waits("2", "gpu:h100", 1, 1).needs.emplace().cpus = 8;
  waits("3", "gpu:h100", 1, 1).needs.emplace().cpus = 4;
  const Future future = unfold(question());
  EXPECT_EQ(told(future), "3@0m");
  EXPECT_EQ(future.waiting, std::vector{WorkloadId("2")});
}

// It was played as if all CPUs of the nodes were free.
TEST_F(WhatIf, APodWhoseMessageNamesCpusIsNotLookedAt) {
  scheduler = Scheduler::kubernetes;
  whole_gpus(2);
  waits("ml/a", "nvidia.com/gpu", 1, 0).reason = "0/1 nodes are available: 1 Insufficient cpu.";
  waits("ml/b", "nvidia.com/gpu", 1, 0).reason = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu.";
  const Future future = unfold(question());
  EXPECT_EQ(told(future), "ml/b@0m");
  EXPECT_EQ(future.left_out, 1);
}

TEST_F(WhatIf, CpusAndMemoryAreTakenByWhatStartsAndGivenBackAtItsEnd) {
  whole_gpus(4);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 0;
  nodes_.front().memory = Mib{100}, nodes_.front().memory_held = Mib{0};
  waits("2", "gpu:h100", 1, 1).needs.emplace().cpus = 40;
  waits("3", "gpu:h100", 1, 1).needs.emplace().cpus = 40;
  waits("4", "gpu:h100", 1, 1).needs.emplace().memory = Mib{70};
  waits("5", "gpu:h100", 1, 1).needs.emplace().memory = Mib{70};
  EXPECT_EQ(told(unfold(question())), "2@0m 4@0m 3@60m 5@60m");
}

TEST_F(WhatIf, WhatRunningWorkHoldsBesideItsGpusMayBeFreeOnceItEnds) {
  whole_gpus(2);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 64;
  runs("1", 0, 2);
  waits("2", "gpu:h100", 1, 1).needs.emplace().cpus = 8;
  waits("3", "gpu:h100", 1, 1).needs.emplace().cpus = 65;
  EXPECT_EQ(told(unfold(question())), "2@120m") << "no node has 65";
}

// The first of eight jobs freed all 64 CPUs, and a job that wants all of them started beside seven.
TEST_F(WhatIf, TheEndOfOneOfSeveralJobsGivesBackAnEvenPartOfWhatTheyHold) {
  whole_gpus(8);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 64;
  for (int i = 1; i <= 8; ++i) runs(std::to_string(i), i - 1, i);
  waits("9", "gpu:h100", 1, 20).needs.emplace().cpus = 64;
  waits("10", "gpu:h100", 1, 1).needs.emplace().cpus = 8;
  EXPECT_EQ(told(unfold(question())), "10@60m 9@480m");
}

TEST_F(WhatIf, AJobThatWantsItsNodeAloneStartsOnceTheLastJobThereHasEnded) {
  whole_gpus(2);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 3;
  runs("1", 0, 2), runs("2", 1, 5);
  waits("3", "gpu:h100", 1, 1).needs.emplace().alone = true;
  EXPECT_EQ(told(unfold(question())), "3@300m");
}

// Backfill kept GPUs free alone: a longer job took the CPUs that the first in line was to have.
TEST_F(WhatIf, BackfillDoesNotDelayAJobThatWaitsForCpus) {
  whole_gpus(4);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 48;
  runs("1", 0, 4);
  waits("2", "gpu:h100", 1, 5).needs.emplace().cpus = 56;  // starts in four hours
  waits("3", "gpu:h100", 1, 5).needs.emplace().cpus = 16;  // would delay it
  Workload& short_one = waits("4", "gpu:h100", 1, 5);      // does not
  short_one.needs.emplace().cpus = 16, short_one.limit = 3h;
  EXPECT_EQ(told(unfold(question())), "4@0m 2@240m 3@540m");
}

// It took the one place of its partition and nothing was kept free for it, nor for the next.
TEST_F(WhatIf, AJobWithMoreCpusThanANodeHasDoesNotTakeTheTurnOfTheNext) {
  whole_gpus(2);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 0;
  runs("1", 0, 4);
  waits("2", "gpu:h100", 1, 5).needs.emplace().cpus = 65;
  waits("3", "gpu:h100", 2, 5).needs.emplace().cpus = 65;
  waits("4", "gpu:h100", 2, 5).needs.emplace().cpus = 8;  // starts in four hours
  waits("5", "gpu:h100", 1, 5);                           // would delay it
  waits("6", "gpu:h100", 1, 5).limit = 3h;                // does not
  EXPECT_EQ(told(unfold(question())), "6@0m 4@240m 5@540m");
}

// A larger node without such GPUs counted as one that could serve it: it took the turn of the next.
TEST_F(WhatIf, AJobWithMoreCpusThanTheNodesWithItsGpusHaveDoesNotTakeTheTurnOfTheNext) {
  whole_gpus(2);
  nodes_.front().cpus = 64, nodes_.front().cpus_held = 0;
  nodes_.push_back(test::node("n2", {}));
  nodes_.back().cpus = 128, nodes_.back().cpus_held = 0;
  runs("1", 0, 4);
  waits("2", "gpu:h100", 1, 5).needs.emplace().cpus = 100;
  waits("3", "gpu:h100", 2, 5).needs.emplace().cpus = 8;  // starts in four hours
  waits("4", "gpu:h100", 1, 5);                           // would delay it
  waits("5", "gpu:h100", 1, 5).limit = 3h;                // does not
  EXPECT_EQ(told(unfold(question())), "5@0m 3@240m 4@540m");
}

TEST_F(WhatIf, NothingStartsBehindTheEndOfTheTimeThatIsLookedAt) {
  whole_gpus(1);
  runs("1", 0, 5);
  waits("2", "gpu:h100", 1, 1);
  EXPECT_EQ(told(unfold(question(4h))), "");
  EXPECT_EQ(told(unfold(question(5h))), "2@300m");
}

TEST_F(WhatIf, GpuHoursAreThoseOfWhatRunsAndStartsUntilTheEnd) {
  whole_gpus(2);
  runs("1", 0, 4);
  waits("2", "gpu:h100", 1, 10);
  EXPECT_NEAR(unfold(question()).gpu_hours, 4 + 10, 0.01);
  EXPECT_NEAR(unfold(question(6h)).gpu_hours, 4 + 6, 0.01);
}

class WhatIfPlanned : public WhatIf {
 protected:
  plan::Plan planned(const std::string& layout, int gpu, plan::Way way = plan::Way::wait) {
    plan::Intent intent;
    intent.cluster = ClusterName("hpc"), intent.nodes = {NodeName("n1")};
    intent.boards = {{GpuIndex{gpu}, *plan::parse_layout_wish(layout)}};
    intent.words = layout, intent.options.way = way;
    auto made = plan::make_plan(cluster(), test::catalogue(), intent,
                                plan::Means{plan::simulator_capabilities()}, {}, at(0));
    EXPECT_TRUE(made) << (made ? "" : to_line(made.error()));
    return made ? *made : plan::Plan{};
  }
};

TEST_F(WhatIfPlanned, ACutOfAFreeGpuStartsThoseWhoWaitForItsSlices) {
  whole_gpus(2);
  runs("1", 1, 0);
  for (const char* id : {"2", "3", "4"}) waits(id, "gpu:3g.40gb", 1, 1);
  const plan::Plan plan = planned("3g.40gb@0,3g.40gb@4", 0);
  const Comparison answer = compare(question(), plan);
  EXPECT_EQ(told(answer.left), "");
  EXPECT_EQ(told(answer.changed), "2@5m 3@5m 4@65m");
  EXPECT_EQ(answer.sooner.size(), 3u);
  EXPECT_TRUE(answer.later.empty());
  ASSERT_TRUE(answer.gpu_hours);
  EXPECT_NEAR(*answer.gpu_hours, 3 * 3.0 / 7, 0.01);
  EXPECT_EQ(headline(answer), "within 24 h: 3 start sooner, 0 later or not; 1.3 GPU-hours gained");
}

TEST_F(WhatIfPlanned, WhoWaitsForTheWholeGpuLosesIt) {
  whole_gpus(1);
  waits("2", "gpu:h100", 1, 2);
  const Comparison answer = compare(question(), planned("3g.40gb@0,3g.40gb@4", 0));
  EXPECT_EQ(told(answer.left), "2@0m");
  EXPECT_EQ(told(answer.changed), "");
  ASSERT_EQ(answer.later.size(), 1u);
  EXPECT_EQ(answer.later[0].changed, std::nullopt);
  EXPECT_NEAR(*answer.gpu_hours, -2, 0.01);
}

TEST_F(WhatIfPlanned, APlanThatWaitsActsOnceItsGpuIsGivenBack) {
  whole_gpus(1);
  runs("1", 0, 3);
  waits("2", "gpu:3g.40gb", 1, 1);
  const Comparison answer = compare(question(), planned("3g.40gb@0,3g.40gb@4", 0));
  EXPECT_EQ(told(answer.changed), "2@185m");
  EXPECT_EQ(answer.changed.changed, at(3 * 3600 + 300));
}

TEST_F(WhatIfPlanned, APlanThatWaitsForWorkWithoutAnEndDoesNotAct) {
  whole_gpus(1);
  runs("1", 0, 0);
  waits("2", "gpu:3g.40gb", 1, 1);
  const Comparison answer = compare(question(), planned("3g.40gb@0,3g.40gb@4", 0));
  EXPECT_EQ(told(answer.changed), "");
  EXPECT_EQ(headline(answer),
            "the plan is not done within 24 h: work that it waits for ends later, or it is not known when");
}

// It said "without a known end" of jobs whose ends are known, and lie beyond the hours that are looked at.
TEST_F(WhatIfPlanned, APlanThatWaitsForWorkThatEndsLaterIsNotDoneByThen) {
  whole_gpus(1);
  runs("1", 0, 30);
  waits("2", "gpu:3g.40gb", 1, 1);
  const Comparison answer = compare(question(), planned("3g.40gb@0,3g.40gb@4", 0));
  EXPECT_EQ(answer.changed.changed, std::nullopt);
  EXPECT_EQ(headline(answer),
            "the plan is not done within 24 h: work that it waits for ends later, or it is not known when");
}

TEST_F(WhatIfPlanned, WhatAPlanEndsIsLost) {
  whole_gpus(1);
  runs("1", 0, 3);  // for an hour already
  waits("2", "gpu:3g.40gb", 1, 1);
  const Comparison answer = compare(question(), planned("3g.40gb@0,3g.40gb@4", 0, plan::Way::cancel));
  EXPECT_EQ(told(answer.changed), "2@5m");
  ASSERT_TRUE(answer.thrown_away);
  EXPECT_NEAR(*answer.thrown_away, 1, 0.01);
  EXPECT_NEAR(*answer.gpu_hours, 3.0 / 7 - 3, 0.01);
}

TEST_F(WhatIfPlanned, ANodeThatIsClosedMeanwhileStartsNoWork) {
  whole_gpus(2);
  runs("1", 0, 3);
  waits("2", "gpu:h100", 1, 1);
  const plan::Plan plan = planned("3g.40gb@0,3g.40gb@4", 0);
  const Comparison answer = compare(question(), plan);
  EXPECT_EQ(told(answer.left), "2@0m");
  EXPECT_EQ(told(answer.changed), plan.nodes[0].needs.drain ? "2@185m" : "2@0m");
}

TEST_F(WhatIf, ThousandsOfEventsAreLookedAtInSteps) {
  whole_gpus(8);
  for (int i = 0; i < 2000; ++i) waits(std::to_string(i), "gpu:h100", 1, 1);
  const Future future = unfold(question(Duration(std::chrono::hours(240))));
  EXPECT_EQ(future.starts.size() + future.waiting.size(), 2000u);
  EXPECT_GT(future.starts.size(), 1800u);
}

}  // namespace
}  // namespace tessera::whatif
