// Whose the processes on a GPU are, and whether work with a share of MPS goes through MPS.
#include "engine/insight/processes.hpp"

#include <gtest/gtest.h>

#include "engine/insight/attention.hpp"
#include "engine/model/processes.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace {

using insight::Standing;

GpuProcess process(std::int64_t pid, const char* name, const char* work,
                   std::optional<int> instance = std::nullopt) {
  return {pid, name, instance, Mib{100}, WorkloadId(work)};
}

// n1: GPU 0 whole, alice's job 1; GPU 1 cut, bob's job 2 in instance 7; job 3 holds nothing there.
struct Place {
  Story story;
  Place() {
    Slice first = instance("3g.40gb", 0, 4, 1), second = instance("3g.40gb", 4, 4, 2);
    first.instance_id = 7, second.instance_id = 8;
    story.tell(NodesListed{
        {node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::mig, {first, second})})}});
    story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})}),
                                running("2", "bob", {holds("n1", {{1, 1}})}), running("3", "eve", {})}});
    story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
  }
  Standing standing(int gpu, const GpuProcess& one) const {
    const Node& node = story.node("n1");
    return insight::standing_of(story.cluster(), node, node.gpus[static_cast<std::size_t>(gpu)], one);
  }
};

TEST(ProcessStanding, AProcessIsItsHoldersTheDriversOrNoWorks) {
  const Place place;
  EXPECT_EQ(place.standing(0, process(10, "python3", "1")), Standing::work);
  EXPECT_EQ(place.standing(0, process(11, "python3", "2")), Standing::elsewhere) << "bob holds half of GPU 1";
  EXPECT_EQ(place.standing(0, process(12, "python3", "3")), Standing::elsewhere) << "eve holds none";
  EXPECT_EQ(place.standing(0, process(13, "miner", "-")), Standing::no_work);
  EXPECT_EQ(place.standing(0, process(14, "nvidia-cuda-mps-server", "-")), Standing::service);
  EXPECT_EQ(place.standing(0, process(15, "python3", "")), Standing::unknown);
  EXPECT_EQ(place.standing(0, process(16, "python3", "99")), Standing::unknown) << "a job that is not listed";
}

// A monitor that has a GPU open was to be called rogue.
TEST(ProcessStanding, WhatOnlyHasTheGpuOpenTakesNothingFromAnybody) {
  const Place place;
  const GpuProcess monitor = process(17, "/opt/monitor", std::string(kOnlyOpens).c_str());
  EXPECT_EQ(place.standing(0, monitor), Standing::service);
  EXPECT_FALSE(is_of_work(monitor));
  EXPECT_TRUE(is_of_none(monitor));
}

TEST(ProcessStanding, OnACutGpuTheInstanceCounts) {
  const Place place;
  EXPECT_EQ(place.standing(1, process(10, "python3", "2", 7)), Standing::work);
  EXPECT_EQ(place.standing(1, process(10, "python3", "2", 8)), Standing::elsewhere);
  EXPECT_EQ(place.standing(1, process(10, "python3", "2")), Standing::work) << "the instance is not told";
}

TEST(ProcessStanding, WhereItIsNotToldWhichGpusAJobHoldsItIsNotAccused) {
  Place place;
  place.story.tell(WorkloadSeen{running("3", "eve", {holds_some("n1", "h100", 1)})});
  EXPECT_EQ(place.standing(0, process(12, "python3", "3")), Standing::unknown);
  Workload ends = running("2", "bob", {holds("n1", {{1, 1}})});
  ends.state = WorkloadState::completing;
  place.story.tell(WorkloadSeen{ends});
  EXPECT_EQ(place.standing(0, process(11, "python3", "2")), Standing::unknown);
}

TEST(ProcessStanding, WhereSlurmAndTheDriverCountOtherwiseNoneIsElsewhere) {
  Place place;
  place.story.tell(RemarksListed{Source::nvidia_smi,
                                 {{Remark::Grade::warning, "n1", true,
                                   "Slurm's GPU 0 is /dev/nvidia1, which its driver counts as GPU 1", ""}}});
  EXPECT_EQ(place.standing(0, process(12, "python3", "3")), Standing::unknown);
  EXPECT_EQ(place.standing(0, process(13, "miner", "-")), Standing::no_work) << "of no job, wherever it runs";
}

TEST(ProcessStanding, WhyProcessesAreNotToldIsReadFromTheRemarks) {
  Place place;
  EXPECT_EQ(insight::why_untold(place.story.cluster(), NodeName("n1")), std::nullopt);
  place.story.tell(RemarksListed{
      Source::nvidia_smi,
      {insight::untold_processes(NodeName("n1"), Error{"cannot ask n1", "timed\x1b[2J out", "look there"}),
       insight::untold_owners(NodeName("n2"), "no scontrol"),
       insight::untold_openers(NodeName("n3"), Error{"", "no find", ""})}});
  const auto why = insight::why_untold(place.story.cluster(), NodeName("n1"));
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("timed"), std::string::npos);
  EXPECT_EQ(why->find('\x1b'), std::string::npos);
  EXPECT_EQ(insight::why_untold(place.story.cluster(), NodeName("n2")), std::nullopt);
  EXPECT_EQ(insight::why_no_owners(place.story.cluster(), NodeName("n2")), "no scontrol");
  EXPECT_EQ(insight::why_no_openers(place.story.cluster(), NodeName("n2")), std::nullopt);
  EXPECT_EQ(insight::why_no_openers(place.story.cluster(), NodeName("n3")), "no find");
  EXPECT_EQ(insight::why_hidden(place.story.cluster(), NodeName("n1")), std::nullopt);
}

// A recording of another version has its own words, and its kind tells what it is about.
TEST(ProcessStanding, ARemarkInOtherWordsIsToldOnceAndNotBehindOurs) {
  Place place;
  Remark hidden = insight::hidden_processes(NodeName("n1"), {GpuIndex{3}});
  EXPECT_EQ(hidden.text, "memory is in use where the driver lists no process: GPU 3");
  Remark crossed{Remark::Grade::warning,         "n1", true,
                 insight::crossed_text(0, 1, 1), "",   Remark::Kind::crossed};
  const auto told = [&] {
    place.story.tell(RemarksListed{Source::nvidia_smi, {hidden, crossed}});
    return insight::why_hidden(place.story.cluster(), NodeName("n1")).value_or("") + "; " +
           insight::why_crossed(place.story.cluster(), NodeName("n1")).value_or("");
  };
  EXPECT_EQ(told(),
            "memory is in use where the driver lists no process: GPU 3; Slurm's GPU 0 is /dev/nvidia1, which "
            "its driver counts as GPU 1");
  hidden.text = "GPU 3 has memory in use, and no process";
  crossed.text = "GPUs 0 and 1 are counted the other way round";
  EXPECT_EQ(told(), "GPU 3 has memory in use, and no process; GPUs 0 and 1 are counted the other way round");
}

// n1: a GPU shared by MPS, of which job 5 holds half since an hour ago.
struct Shared {
  Story story;
  Shared() {
    story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)})})}});
    story.tell(WorkloadsListed{{running("5", "alice", {holds("n1", {{0, 50}}, Family::mps)})}});
    story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
  }
  void opened_by(std::vector<GpuProcess> list, int seconds = 0) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.processes = std::move(list);
    story.tell(Measured{NodeName("n1"), Source::nvidia_smi, at(seconds), {figures}}, std::max(0, seconds));
  }
  std::string found() const {
    const auto past = insight::past_mps(story.cluster(), story.node("n1"), story.node("n1").gpus[0]);
    return past ? insight::to_text(*past) : "";
  }
};

TEST(PastMps, AJobWithAShareWhoseProcessHasTheGpuOpenItselfIsAFinding) {
  Shared place;
  place.opened_by({process(585, "python3", "5"), process(586, "python3", "5")});
  EXPECT_EQ(place.found(),
            "process 585 (python3) and 1 more of job 5, which holds a share of MPS here, does not go through "
            "MPS: no nvidia-cuda-mps-server has the GPU open");
  const auto all = insight::attention(place.story.cluster(), catalogue(), at(0));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].source, Source::nvidia_smi) << "who says so";
  EXPECT_EQ(all[0].severity, Severity::warning);
  EXPECT_NE(all[0].hint.find("mps-prolog"), std::string::npos);
}

TEST(PastMps, ClientsOfTheServerAreWhatTheyShouldBe) {
  Shared place;
  place.opened_by({process(620, "nvidia-cuda-mps-server", "-"), process(585, "python3", "5")});
  EXPECT_EQ(place.found(), "");
  place.opened_by(
      {process(584, "a.out", "5"), process(620, "nvidia-cuda-mps-server", ""), process(585, "python3", "5")},
      1);
  EXPECT_EQ(place.found(),
            "process 584 (a.out) of job 5, which holds a share of MPS here, is no client of "
            "the MPS server");
}

TEST(PastMps, WhoseProcessItIsNotToldIsOnlyLikely) {
  Shared place;
  place.opened_by({process(585, "python3", "")});
  EXPECT_EQ(place.found().find("process 585 (python3), likely of a job that holds a share of MPS here"), 0u)
      << place.found();
}

// The server starts with its first client: an idle GPU says nothing about the daemon.
TEST(PastMps, WithoutAProcessOfTheJobNothingIsSaid) {
  Shared place;
  place.opened_by({});
  EXPECT_EQ(place.found(), "");
  place.opened_by({process(700, "miner", "-"), process(701, "python3", "9")}, 1);
  EXPECT_EQ(place.found(), "") << "strangers are another matter";
}

TEST(PastMps, WhatWasSeenBeforeTheJobBeganIsNotItsOwn) {
  Shared place;
  place.opened_by({process(585, "python3", "")}, -7200);
  EXPECT_EQ(place.found(), "");
}

// Slurm hands such a GPU out whole, too: then all of its shares are held, and no MPS is asked for.
TEST(PastMps, AJobThatHoldsTheGpuWholeNeedsNoMps) {
  Shared place;
  place.story.tell(WorkloadSeen{running("5", "alice", {holds("n1", {{0, 1}}, Family::gpu)})});
  place.opened_by({process(585, "python3", "5")}, 1);
  EXPECT_FALSE(place.story.node("n1").gpus[0].slices[0].holders.empty());
  EXPECT_EQ(place.found(), "");
}

TEST(PastMps, GpusThatAreHandedOutWholeHaveNoMps) {
  Place place;
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  figures.processes = std::vector<GpuProcess>{process(10, "python3", "1")};
  place.story.tell(Measured{NodeName("n1"), Source::nvidia_smi, at(0), {figures}});
  EXPECT_FALSE(
      insight::past_mps(place.story.cluster(), place.story.node("n1"), place.story.node("n1").gpus[0]));
}

}  // namespace
}  // namespace tessera::test
