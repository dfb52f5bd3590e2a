// How the model changes, and what it says has changed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

Node plain(const std::string& name) { return node(name, {gpu(0, Strategy::whole, {whole(0)})}); }

std::vector<std::string> log_of(const Model& model) {
  std::vector<std::string> lines;
  for (const LogEntry& entry : model.log) lines.push_back(entry.subject + ": " + entry.text);
  return lines;
}

TEST(Reduce, TheSameListAgainChangesNothingButItsAge) {
  Story story;
  Node first = plain("n1");
  first.origin = {Source::slurm_nodes, at(0)};
  story.tell(NodesListed{{first}});
  std::uint64_t revision = story.model.revision;
  first.origin.at = at(10);
  EXPECT_FALSE(story.tell(NodesListed{{first}}, 10).any());
  EXPECT_EQ(story.model.revision, revision);
  EXPECT_EQ(story.node("n1").origin.at, at(10));
}

// A backend tells of its cluster each time that it has read the configuration.
TEST(Reduce, AClusterThatIsToldAgainAsItIsWakesNoConsole) {
  Story story;
  const ClusterSeen seen{Scheduler::slurm, false, "slurm 24.11.5", "ctl", "hpc-1"};
  story.tell(seen);
  const std::uint64_t revision = story.model.revision;
  EXPECT_FALSE(story.tell(seen, 10).any());
  EXPECT_EQ(story.model.revision, revision);
  ClusterSeen upgraded = seen;
  upgraded.version = "slurm 25.05.0";
  EXPECT_TRUE(story.tell(upgraded, 20).cluster);
  EXPECT_GT(story.model.revision, revision);
}

TEST(Reduce, ASourceThatAnswersAsBeforeAndOurPaceLeaveTheRowsAlone) {
  Story story;
  story.tell(NodesListed{{plain("n1")}});
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{20}, ""});
  const std::uint64_t rows = story.model.revision, status = story.model.status;
  EXPECT_FALSE(story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{35}, ""}, 10).any());
  EXPECT_FALSE(story.tell(PaceReport{6, Duration{10000}}, 10).any());
  EXPECT_EQ(story.model.revision, rows);
  EXPECT_EQ(story.model.status, status + 2);
  EXPECT_EQ(story.cluster().sources.at(Source::slurm_nodes).last_ok, at(10));
}

// On a quiet cluster FITS told for hours of a job that it ends before a reservation begins.
TEST(Reduce, WhileAReservationIsToComeEachRoundMovesTheRows) {
  Story story;
  story.tell(NodesListed{{plain("n1")}});
  Reservation service;
  service.name = "service", service.nodes = "n1", service.start = at(60);
  story.tell(ReservationsListed{{service}});
  const auto moves = [&](Source source, int seconds) {
    return story.tell(SourceReport{source, std::nullopt, Duration{20}, ""}, seconds).any();
  };
  EXPECT_TRUE(moves(Source::slurm_nodes, 0));
  EXPECT_TRUE(moves(Source::slurm_nodes, 30));
  EXPECT_TRUE(moves(Source::slurm_reservations, 30)) << "its first answer";
  EXPECT_FALSE(moves(Source::slurm_reservations, 40)) << "it is not what is counted";
  EXPECT_FALSE(moves(Source::slurm_nodes, 60)) << "it has begun";
}

TEST(Reduce, ASourceThatFailsOrNotesSomethingNewMovesTheRows) {
  Story story;
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{20}, ""});
  const Error gone{"cannot list the nodes", "connection refused", ""};
  EXPECT_TRUE(story.tell(SourceReport{Source::slurm_nodes, gone, Duration{20}, ""}, 10).any());
  EXPECT_TRUE(story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{20}, ""}, 20).any());
  EXPECT_TRUE(
      story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{20}, "one bad line"}, 30).any());
}

// SINCE was "?" for nearly all that backends remark, though the console had seen it for hours.
TEST(Reduce, WhatASourceRemarksAgainHasBeenSeenSinceItWasRemarkedFirst) {
  Story story;
  const auto tell = [&](std::vector<Remark> all, int seconds) {
    return story.tell(RemarksListed{Source::dcgm, std::move(all)}, seconds);
  };
  const auto told = [&](std::size_t index) { return story.cluster().remarks.at(Source::dcgm).at(index); };
  const Remark xid{Remark::Grade::warning, "n1", true, "GPU 0: Xid 79", ""},
      other{Remark::Grade::warning, "n2", true, "GPU 0: Xid 79", ""};
  Remark dated = other;
  dated.subject = "n3", dated.since = at(-50);
  tell({xid}, 0);
  EXPECT_FALSE(tell({xid}, 60).any()) << "nothing is new";
  tell({other, xid, dated}, 100);
  EXPECT_EQ(told(0).seen, at(100));
  EXPECT_EQ(told(1).seen, at(0));
  EXPECT_EQ(told(2).seen, std::nullopt) << "its source knows when it began";
  tell({}, 200), tell({xid}, 300);
  EXPECT_EQ(told(0).seen, at(300)) << "it was gone in between";
  Remark earlier = xid;
  earlier.seen = at(-900);
  tell({earlier}, 400);
  EXPECT_EQ(told(0).seen, at(-900)) << "its source has seen it for longer";
}

// A recording is gone to and fro: an earlier moment, after which the fault was gone for a while, is no proof.
TEST(Reduce, AMomentOfARecordingTellsByItselfSinceWhenARemarkHadBeenSeen) {
  Story story;
  story.tell(Recorded{at(0), at(1000), ""});
  const auto seen_at = [&](int seen, int moment) {
    Remark xid{Remark::Grade::warning, "n1", true, "GPU 0: Xid 79", ""};
    xid.seen = at(seen);
    story.tell(RemarksListed{Source::dcgm, {xid}}, moment);
    return story.cluster().remarks.at(Source::dcgm).at(0).seen;
  };
  EXPECT_EQ(seen_at(0, 60), at(0));
  EXPECT_EQ(seen_at(300, 400), at(300));
  EXPECT_EQ(seen_at(0, 60), at(0));
}

TEST(Reduce, AHeldSliceStaysHeldWhenItsNodeIsToldAgain) {
  Story story;
  story.tell(NodesListed{{plain("n1")}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})})}});
  EXPECT_FALSE(story.tell(NodesListed{{plain("n1")}}).any());
  EXPECT_EQ(story.slice("n1", 0, 0).holding, Holding::held);
  Node hotter = plain("n1");
  hotter.gpus[0].telemetry.temperature = Celsius{70};
  EXPECT_TRUE(story.tell(NodesListed{{hotter}}).any());
  EXPECT_EQ(story.slice("n1", 0, 0).holding, Holding::held);
}

TEST(Reduce, OnlyTheNodeThatChangedIsNamed) {
  Story story;
  story.tell(NodesListed{{plain("n1"), plain("n2")}});
  Node drained = plain("n2");
  drained.health = Health::drained;
  EXPECT_EQ(story.tell(NodesListed{{plain("n1"), drained}}).nodes, std::vector{NodeName("n2")});
}

// "1 nodes, 0 workloads read".
TEST(Reduce, WhatWasReadFirstIsCountedInWordsOfItsNumber) {
  Story story;
  story.tell(NodesListed{{plain("n1")}});
  story.tell(Loaded{});
  EXPECT_EQ(log_of(story.model).back(), "hpc: 1 node, 0 workloads read");
}

// Of a controller that was down from the start it told "0 nodes, 0 workloads read".
TEST(Reduce, NothingIsCountedAsReadOfASourceThatNeverAnswered) {
  Story story;
  story.tell(SourceReport{Source::slurm_nodes, Error{"slurmctld does not answer", "", ""}});
  story.tell(Loaded{});
  for (const std::string& line : log_of(story.model))
    EXPECT_EQ(line.find(" read"), std::string::npos) << line;
}

// What-if played each task: a recording with fewer than none ended the console.
TEST(Reduce, NoWorkloadStandsForFewerTasksThanOneOrMoreThanSlurmHas) {
  Story story;
  Workload job = waiting("7_[1-4]", "bob", "gpu:1");
  for (const auto& [told, taken] : {std::pair(-5, 1), std::pair(0, 1), std::pair(4, 4)}) {
    job.tasks = told;
    story.tell(WorkloadsListed{{job}});
    EXPECT_EQ(story.cluster().workloads.find(job.id)->tasks, taken);
  }
  job.tasks = 1'000'000'000;
  story.tell(WorkloadSeen{job});
  EXPECT_LT(story.cluster().workloads.find(job.id)->tasks, 5'000'000);
}

TEST(Reduce, ANodeMissingFromAFullListIsGone) {
  Story story;
  story.tell(NodesListed{{plain("n1"), plain("n2")}});
  story.tell(NodesListed{{plain("n2")}});
  EXPECT_EQ(story.cluster().nodes.find(NodeName("n1")), nullptr);
  ASSERT_NE(story.cluster().nodes.find(NodeName("n2")), nullptr);
  EXPECT_EQ(log_of(story.model), std::vector<std::string>{"n1: gone from the list"});
}

TEST(Reduce, LateAnswersOfAnOlderGenerationAreDropped) {
  Story story;
  story.tell(NodesListed{{plain("n1")}}, 0, 2);
  EXPECT_FALSE(story.tell(NodesListed{{}}, 1, 1).any());
  EXPECT_EQ(story.cluster().nodes.size(), 1u);
}

TEST(Reduce, AFailingSourceKeepsItsLastValuesAndSaysSinceWhen) {
  Story story;
  story.tell(NodesListed{{plain("n1")}});
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{20}}, 0);
  story.tell(SourceReport{Source::slurm_nodes, Error{"cannot read nodes", "refused", "ask"}, Duration{9000}},
             30);
  story.tell(SourceReport{Source::slurm_nodes, Error{"cannot read nodes", "refused", "ask"}, Duration{9000}},
             60);
  const SourceHealth& health = story.cluster().sources.at(Source::slurm_nodes);
  EXPECT_EQ(health.last_ok, at(0));
  EXPECT_EQ(health.failing_since, at(30));
  EXPECT_EQ(data_age(story.cluster(), at(75)), std::chrono::seconds(75));
  EXPECT_EQ(story.cluster().nodes.size(), 1u);
  EXPECT_EQ(story.model.log.size(), 1u) << "one failure is told once";
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{20}}, 90);
  EXPECT_EQ(story.model.log.back().text, "answers again");
}

// The events called it "none": the word for what is no source of the cluster.
TEST(Reduce, ARecordingThatFailsIsCalledTheRecordingInTheEvents) {
  Story story;
  story.tell(SourceReport{Source::none, Error{"cannot read the recording", "it is damaged", ""}, {}}, 30);
  EXPECT_EQ(story.model.log.back().subject, "recording");
  EXPECT_EQ(story.model.log.back().kind, Happened::source);
  story.tell(SourceReport{Source::none, std::nullopt, {}}, 60);
  EXPECT_EQ(story.model.log.back().subject, "recording");
  EXPECT_EQ(story.model.log.back().text, "can be read again");
}

TEST(Reduce, ADrainIsLoggedWithItsReasonOnceTheClusterIsKnown) {
  Story story;
  story.tell(NodesListed{{plain("n1")}});
  story.tell(Loaded{});
  Node drained = plain("n1");
  drained.health = Health::drained;
  drained.reason = "fan failure";
  story.tell(NodeSeen{drained});
  EXPECT_EQ(log_of(story.model).back(), "n1: ok → drained: fan failure");
  EXPECT_EQ(story.model.log.back().severity, Severity::warning);
}

TEST(Reduce, AFleetThatComesBackAtOnceIsOneLineNotFiveThousand) {
  Story story;
  story.tell(Loaded{});
  NodesListed fleet;
  for (int i = 0; i < 300; ++i) fleet.nodes.push_back(plain("n" + std::to_string(i)));
  story.tell(fleet);
  EXPECT_EQ(log_of(story.model).back(), "hpc: 300 nodes: appeared");
  EXPECT_EQ(story.model.log.size(), 2u);
  for (Node& node : fleet.nodes) node.health = Health::unknown;
  fleet.nodes[7].health = Health::down;
  story.tell(fleet);
  EXPECT_EQ(story.model.log.size(), 4u) << "the one that differs keeps its own line";
}

TEST(Reduce, TheLogIsBounded) {
  Story story;
  story.tell(NodesListed{{plain("n1")}});
  story.tell(Loaded{});
  Node up = plain("n1"), down = plain("n1");
  down.health = Health::down;
  for (int i = 0; i < 6000; ++i) story.tell(NodeSeen{i % 2 ? up : down}, i);
  EXPECT_EQ(story.model.log.size(), Model::kLogLimit);
}

TEST(Reduce, ASimulatedClockRunsAtItsOwnSpeed) {
  Story story;
  story.tell(ClockSet{at(1000), 60}, 5);
  EXPECT_EQ(cluster_now(story.cluster(), at(1002)), at(5 + 120));
  story.tell(ClockSet{at(1002), 0}, 125);
  EXPECT_EQ(cluster_now(story.cluster(), at(5000)), at(125));
}

TEST(Reduce, WhyTheWorkIsNotKnownIsToldInTheWordsOfItsSource) {
  Story story;
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
  EXPECT_EQ(work_untold(story.cluster()), "the list of jobs or pods has not been read yet");
  story.tell(SourceReport{Source::slurm_jobs, Error{"cannot list the jobs", "status 1", ""}, Duration{5}});
  EXPECT_EQ(work_untold(story.cluster()), "cannot list the jobs: status 1");
  story.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
  EXPECT_EQ(work_untold(story.cluster()), std::nullopt);
}

// Nodes of now beside jobs of an hour ago are a picture of an hour ago.
TEST(Reduce, TheAgeOfThePictureIsThatOfItsOldestPart) {
  Story story;
  story.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}}, 0);
  story.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}}, 3600);
  EXPECT_EQ(data_age(story.cluster(), at(3610)), Duration(std::chrono::seconds(3610)));
}

// Whatever the order of events, the holders are what a fresh start on the final lists would give.
RC_GTEST_PROP(ReduceProperty, HoldersDependOnTheFinalListsOnly, ()) {
  auto random_node = [](int n) {
    std::vector<Gpu> gpus;
    int boards = *rc::gen::inRange(0, 4);
    for (int i = 0; i < boards; ++i) gpus.push_back(gpu(i, Strategy::whole, {whole(i)}));
    return node("n" + std::to_string(n), gpus);
  };
  auto random_job = [](int id) {
    std::vector<Allocation> allocations;
    int parts = *rc::gen::inRange(0, 3);
    for (int i = 0; i < parts; ++i)
      allocations.push_back(
          holds("n" + std::to_string(*rc::gen::inRange(0, 3)), {{*rc::gen::inRange(0, 4), 1}}));
    return running(std::to_string(id), "u", allocations);
  };
  Story wandering;
  std::map<int, Node> nodes;
  std::map<int, Workload> jobs;
  int steps = *rc::gen::inRange(0, 30);
  for (int step = 0; step < steps; ++step) {
    int which = *rc::gen::inRange(0, 3), id = *rc::gen::inRange(0, 5);
    switch (*rc::gen::inRange(0, 4)) {
      case 0: wandering.tell(NodeSeen{nodes[which] = random_node(which)}); break;
      case 1:
        wandering.tell(NodeGone{NodeName("n" + std::to_string(which))});
        nodes.erase(which);
        break;
      case 2: wandering.tell(WorkloadSeen{jobs[id] = random_job(id)}); break;
      case 3:
        wandering.tell(WorkloadGone{WorkloadId(std::to_string(id))});
        jobs.erase(id);
        break;
    }
  }
  wandering.tell(Loaded{});
  Story fresh;
  NodesListed node_list;
  for (auto& [n, value] : nodes) node_list.nodes.push_back(value);
  WorkloadsListed job_list;
  for (auto& [n, value] : jobs) job_list.workloads.push_back(value);
  fresh.tell(std::move(node_list));
  fresh.tell(std::move(job_list));
  RC_ASSERT(fresh.cluster().nodes.size() == wandering.cluster().nodes.size());
  for (const Node& expected : fresh.cluster().nodes.all()) {
    const Node* actual = wandering.cluster().nodes.find(expected.name);
    RC_ASSERT(actual != nullptr);
    RC_ASSERT(actual->workloads == expected.workloads);
    RC_ASSERT(actual->gpus.size() == expected.gpus.size());
    for (std::size_t i = 0; i < expected.gpus.size(); ++i) RC_ASSERT(actual->gpus[i] == expected.gpus[i]);
  }
}

}  // namespace
}  // namespace tessera::test
