// Processes that nothing entitles to a GPU, by their number.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/processes.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::test {
namespace rogue_test {

// n1: GPU 0 is alice's, GPU 1 is free, GPU 2 cut and free; the driver's processes are told now and then.
struct Seen {
  Story story;
  usage::Ledger ledger{catalogue()};

  Seen() {
    Slice half = instance("3g.40gb", 0, 4, 2);
    half.instance_id = 7;
    story.tell(
        NodesListed{{node("n1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)}),
                                 gpu(2, Strategy::mig, {half})})}});
    story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 1}})})}});
    story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
    story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
    story.tell(Loaded{});
  }
  void processes(int gpu, std::vector<GpuProcess> list, int minute) {
    tessera::GpuFigures figures;
    figures.gpu = GpuIndex{gpu};
    figures.processes = std::move(list);
    story.tell(Measured{NodeName("n1"), Source::nvidia_smi, at(60 * minute), {figures}}, 60 * minute);
    ledger.see(story.cluster(), at(60 * minute));
  }
  std::vector<usage::Waste> rows() const {
    std::vector<usage::Waste> found;
    for (usage::Waste& one : usage::waste(ledger, catalogue()))
      if (one.kind == "rogue") found.push_back(std::move(one));
    return found;
  }
};

GpuProcess miner(std::int64_t pid = 4711) {
  return {pid, "miner", std::nullopt, Mib{30'000}, WorkloadId(std::string(kNoWorkload))};
}

TEST(RogueProcess, OneOfNoJobIsNamed) {
  Seen here;
  here.processes(1, {miner()}, 0);
  auto rows = here.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].node, "n1");
  EXPECT_EQ(rows[0].profile, "whole");
  EXPECT_EQ(rows[0].advice, "process 4711 (miner) belongs to no job: GPU 1, 30000 MiB");
  EXPECT_EQ(rows[0].hours, std::nullopt) << "seen once: for how long is not known";
  here.processes(1, {miner()}, 6);
  rows = here.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0].hours.value_or(0), 0.1, 1e-9);
  EXPECT_NEAR(rows[0].slice_hours.value_or(0), 0.8, 1e-9) << "eight memory slices of a whole H100";
}

TEST(RogueProcess, ManyOnOneGpuUseItOnce) {
  Seen here;
  for (int minute : {0, 6, 12}) here.processes(1, {miner(1), miner(2), miner(3)}, minute);
  here.processes(1, {miner(3)}, 18);
  const auto rows = here.rows();
  ASSERT_EQ(rows.size(), 3u);
  double sum = 0, hours = 0;
  for (const usage::Waste& one : rows) sum += one.slice_hours.value_or(-100), hours += one.hours.value_or(0);
  EXPECT_NEAR(hours, 0.2 + 0.2 + 0.3, 1e-9) << "of each process";
  EXPECT_NEAR(sum, 8 * 0.3, 1e-9) << "of the GPU: from the first to the last of them";
  EXPECT_EQ(rows[0].advice, "process 3 (miner) belongs to no job: GPU 1, 30000 MiB");
  EXPECT_EQ(
      rows[2].advice,
      "process 2 (miner) belongs to no job: GPU 1, 30000 MiB; with other processes there, the slice-hours "
      "are counted once");
}

TEST(RogueProcess, WhatAJobHoldsIsNotCountedForItToo) {
  Seen here;
  here.processes(0, {miner()}, 0);
  here.processes(0, {miner()}, 6);
  const auto rows = here.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_NEAR(rows[0].hours.value_or(0), 0.1, 1e-9);
  EXPECT_EQ(rows[0].slice_hours, 0) << "they are alice's";
  EXPECT_EQ(
      rows[0].advice,
      "process 4711 (miner) belongs to no job: GPU 0, 30000 MiB; while a job or pod held that slice, the "
      "slice-hours are not counted here");
}

// GPU 1 is free for the scheduler, and used: its hours are those of the process, and not unasked, too.
TEST(RogueProcess, WhatIsInUseIsNotUnaskedToo) {
  Seen here;
  for (int minute = 0; minute <= 60; minute += 6) here.processes(1, {miner()}, minute);
  double whole = 0, cut = 0;
  for (const usage::Spare& one : here.ledger.spare())
    (one.profile == "whole" ? whole : cut) += one.slice_hours;
  EXPECT_EQ(whole, 0);
  EXPECT_NEAR(cut, 4, 1e-9) << "3g.40gb of GPU 2, which nothing uses";
  here.processes(1, {}, 66);
  here.processes(1, {}, 72);
  for (const usage::Spare& one : here.ledger.spare())
    if (one.profile == "whole") {
      EXPECT_NEAR(one.slice_hours, 8 * 0.1, 1e-9);
      EXPECT_NEAR(one.since, 1.2, 1e-9) << "no waiting job asked for it all the time";
    }
}

TEST(RogueProcess, WhatWasToldOnceCountsOnceHoweverManyRoundsPass) {
  Seen here;
  here.processes(1, {miner()}, 0);
  for (int minute = 1; minute < 8; ++minute) here.ledger.see(here.story.cluster(), at(60 * minute));
  ASSERT_EQ(here.rows().size(), 1u);
  EXPECT_EQ(here.rows()[0].hours, std::nullopt);
  here.processes(1, {miner()}, 40);
  EXPECT_EQ(here.rows()[0].hours, std::nullopt) << "another may have had that number meanwhile";
}

TEST(RogueProcess, OneOfAJobThatHoldsAnotherGpuIsNamedWithItsOwner) {
  Seen here;
  GpuProcess stray = miner();
  stray.workload = WorkloadId("1");
  here.processes(1, {stray}, 0);
  const auto rows = here.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].user, "alice");
  EXPECT_EQ(rows[0].workload, "1");
  EXPECT_EQ(rows[0].advice,
            "process 4711 (miner) belongs to 1, which does not hold that GPU: GPU 1, 30000 MiB");
  EXPECT_TRUE(usage::letters(rows, at(0), at(60)).empty()) << "nothing of hers was held there";
}

TEST(RogueProcess, HoldersServicesAndWhatIsNotToldAreNone) {
  Seen here;
  GpuProcess hers = miner(1), untold = miner(2), server = miner(3), daemon = miner(4);
  hers.workload = WorkloadId("1");
  untold.workload = WorkloadId();
  server.name = "nvidia-cuda-mps-server";
  daemon.name = "/usr/bin/nvidia-persistenced";
  here.processes(0, {hers, untold, server, daemon}, 0);
  EXPECT_TRUE(here.rows().empty());
}

TEST(RogueProcess, OldListsAccuseNone) {
  Seen here;
  tessera::GpuFigures figures;
  figures.gpu = GpuIndex{1};
  figures.processes = std::vector<GpuProcess>{miner()};
  here.story.tell(Measured{NodeName("n1"), Source::nvidia_smi, at(0), {figures}});
  here.ledger.see(here.story.cluster(), at(11 * 60));
  EXPECT_TRUE(here.rows().empty());
}

// The rule by figures has the hours; the process gives it a name, and is no second row.
TEST(RogueProcess, AProcessNamesWhatFiguresHaveFound) {
  Seen here;
  for (int minute = 0; minute <= 30; ++minute) {
    tessera::GpuFigures cut;
    cut.gpu = GpuIndex{2};
    SliceFigures slice;
    slice.profile = ProfileName("3g.40gb");
    slice.instance_id = 7;
    slice.use = Percent{40};
    slice.memory_used = Mib{20'000};
    cut.slices = {slice};
    here.story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {cut}}, 60 * minute);
    GpuProcess inside = miner();
    inside.instance_id = 7;
    if (minute % 5 == 0)
      here.processes(2, {inside}, minute);
    else
      here.ledger.see(here.story.cluster(), at(60 * minute));
  }
  const auto rows = here.rows();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].advice,
            "used by no job or pod that is known, up to 40 % and 20000 MiB: process 4711 (miner) (GPU 2)");
}

// While alice has MPS of GPU 0 that of GPU 1 cannot be had, and a login by ssh may use it all the same.
TEST(RogueProcess, OnMpsThatWaitsForThatOfAnotherGpuItIsFoundByFigures) {
  Story story;
  usage::Ledger ledger{catalogue()};
  story.tell(NodesListed{{node("n1", {gpu(0, Strategy::mps, {shared(SliceKind::mps, 100, 0)}),
                                      gpu(1, Strategy::mps, {shared(SliceKind::mps, 100, 1)})})}});
  story.tell(WorkloadsListed{{running("1", "alice", {holds("n1", {{0, 50}}, Family::mps)})}});
  story.tell(SourceReport{Source::slurm_nodes, {}, {}, "", false});
  story.tell(SourceReport{Source::slurm_jobs, {}, {}, "", false});
  story.tell(Loaded{});
  for (int minute = 0; minute <= 30; ++minute) {
    tessera::GpuFigures figures;
    figures.gpu = GpuIndex{1};
    SliceFigures all_of_it;
    all_of_it.use = Percent{90};
    figures.slices = {all_of_it};
    story.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {figures}}, 60 * minute);
    ledger.see(story.cluster(), at(60 * minute));
  }
  const auto all = usage::waste(ledger, catalogue());
  EXPECT_EQ(
      std::count_if(all.begin(), all.end(), [](const usage::Waste& one) { return one.kind == "rogue"; }), 1);
}

}  // namespace rogue_test
}  // namespace tessera::test
