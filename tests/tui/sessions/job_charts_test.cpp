// The last hour of what a job holds, on its page: since it began, and whose use it is.
#include <gtest/gtest.h>

#include "engine/history/history.hpp"
#include "engine/insight/processes.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/control.hpp"

namespace tessera::test {
namespace {

// The page of that job of small_place(), whose GPU was used 90 % until ten minutes ago and 20 % since.
std::string page_of(const char* id, int gpu, int device, int columns = 120) {
  Session session(small_place(), {columns, 60});
  tui::open_workload(session.state, ClusterName("hpc"), id);
  Node node = *session.model.clusters.at(0).nodes.find(NodeName("n0007"));
  for (Gpu& board : node.gpus) {
    board.telemetry = {};
    for (Slice& slice : board.slices) slice.measured = {}, slice.use.reset();
  }
  history::History history;
  Story story;
  story.tell(NodesListed{{node}});
  const TimePoint now = cluster_now(session.model.clusters.at(0), session.wall);
  for (int minute = 60; minute >= 0; --minute) {
    GpuFigures figures;
    figures.gpu = GpuIndex{gpu};
    SliceFigures told;
    for (const Slice& slice : node.gpus.at(static_cast<std::size_t>(gpu)).slices)
      if (slice.device == device) told.profile = slice.profile, told.instance_id = slice.instance_id;
    told.device = device;
    told.use = Percent{minute > 10 ? 90.0F : 20.0F};
    figures.slices = {told};
    const TimePoint at = now - std::chrono::minutes(minute);
    reduce(story.model,
           {ClusterName("hpc"), 0, at, Measured{NodeName("n0007"), Source::dcgm, at, {figures}}});
    history.take(story.cluster(), NodeName("n0007"));
  }
  tui::UiContext ui = session.world();
  ui.history = &history;
  tui::Canvas canvas(session.state.size);
  tui::draw(ui, session.state, canvas);
  return canvas.text();
}

TEST(JobCharts, TheUseOfASharedGpuIsNotPassedOffAsThatOfOneJob) {
  for (int columns : {80, 120, 200}) {
    const std::string page = page_of("88127", 3, 9, columns);
    EXPECT_NE(page.find("of the GPU, shared by 2"), std::string::npos) << page;
    EXPECT_NE(page.find("peak 90%"), std::string::npos) << page;
  }
}

TEST(JobCharts, WhatWasUsedBeforeTheJobBeganIsNotDrawnOnItsPage) {
  const std::string page = page_of("88128", 3, 9);  // it began half a minute ago
  EXPECT_EQ(page.find("peak 90%"), std::string::npos) << page;
  EXPECT_NE(page.find("now 20%"), std::string::npos) << page;
}

TEST(JobCharts, AJobThatIsAloneIsToldWithoutSharers) {
  const std::string page = page_of("88122", 0, 2);
  EXPECT_EQ(page.find("shared by"), std::string::npos) << page;
  EXPECT_NE(page.find("now 20%"), std::string::npos) << page;
}

// Two pods or jobs on one GPU: what all use is not said to be what one uses, and what a source tells of each
// is.
TEST(JobCharts, WhatSeveralUseIsToldAsTheirsAndItsOwnMemoryByItsProcesses) {
  Session session(small_place(), {200, 60});
  tui::open_workload(session.state, ClusterName("hpc"), "88127");
  GpuFigures figures;
  figures.gpu = GpuIndex{3};
  SliceFigures all;
  all.device = 9, all.use = Percent{80};
  figures.slices = {all};
  const auto tell = [&](std::optional<std::vector<GpuProcess>> processes) {
    figures.processes = std::move(processes);
    session.tell(
        {ClusterName("hpc"), 0, at(30), Measured{NodeName("n0007"), Source::nvidia_smi, at(30), {figures}}});
    return session.line_with("GPU 3 ");
  };
  const std::string unknown = tell(std::nullopt);
  EXPECT_NE(unknown.find("use 80% by all 2"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("its own part is not known"), std::string::npos) << unknown;
  const std::string told =
      tell(std::vector<GpuProcess>{{100, "python3", {}, Mib{4096}, WorkloadId("88127")},
                                   {101, "python3", {}, Mib{1024}, WorkloadId("88127")},
                                   {102, "python3", {}, Mib{9000}, WorkloadId("88128")}});
  EXPECT_NE(told.find("own memory 5 GiB"), std::string::npos) << told;
  const std::string part =
      tell(std::vector<GpuProcess>{{100, "python3", {}, std::nullopt, WorkloadId("88127")}});
  EXPECT_NE(part.find("its own part is not known"), std::string::npos) << part;
  const std::string whose = tell(std::vector<GpuProcess>{{100, "python3", {}, Mib{4096}, WorkloadId("88127")},
                                                         {103, "python3", {}, Mib{1024}, {}}});
  EXPECT_NE(whose.find("its own part is not known"), std::string::npos) << "one may be its own: " << whose;
  tell(std::vector<GpuProcess>{{100, "python3", {}, Mib{4096}, WorkloadId("88127")}});
  session.tell({ClusterName("hpc"), 0, at(40),
                RemarksListed{Source::nvidia_smi,
                              {insight::untold_processes(NodeName("n0007"),
                                                         Error{"cannot ask n0007", "timed out", ""})}}});
  const std::string old = session.line_with("GPU 3 ");
  EXPECT_NE(old.find("its own part is not known"), std::string::npos) << "what is old is not now: " << old;
}

// What an exporter tells under each name stands on both pages with its source and age; else it is unknown.
TEST(JobCharts, WhatEachOfSeveralUsesByItselfIsToldWithItsSourceAndAge) {
  Session session(small_place(), {200, 60});
  tui::open_workload(session.state, ClusterName("hpc"), "88127");
  GpuFigures figures;
  figures.gpu = GpuIndex{3};
  figures.figures.use = Percent{80};
  const auto tell = [&](std::vector<OwnUse> own) {
    figures.own = std::move(own);
    session.tell(
        {ClusterName("hpc"), 0, at(30), Measured{NodeName("n0007"), Source::dcgm, at(30), {figures}}});
    return session.line_with("GPU 3 ");
  };
  const std::string told = tell(
      {{WorkloadId("88127"), {}, Percent{70}, Mib{20'480}}, {WorkloadId("88128"), {}, Percent{9}, Mib{512}}});
  EXPECT_NE(told.find("own use 70%, own memory 20 GiB  (DCGM exporter, "), std::string::npos) << told;
  const std::string memory = tell({{WorkloadId("88127"), {}, {}, Mib{20'480}}});
  EXPECT_NE(memory.find("own memory 20 GiB"), std::string::npos) << memory;
  EXPECT_EQ(memory.find("own use"), std::string::npos) << "n/a is not 0: " << memory;
  const std::string other = tell({{WorkloadId("88128"), {}, Percent{9}, Mib{512}}});
  EXPECT_NE(other.find("its own part is not known"), std::string::npos) << other;
}

// A job on an instance of one GPU and on all of another, measured each minute but for ten, and its page.
class TwoSlices {
 public:
  explicit TwoSlices(int columns, bool ascii = false) : columns_(columns), ascii_(ascii) {
    Slice part = instance("3g.40gb", 0, 4, 0);
    part.instance_id = 1;
    Gpu cut = gpu(0, Strategy::mig, {part}), all = gpu(1, Strategy::whole, {whole(1)});
    cut.memory = all.memory = Mib{81'559};
    story_.tell(NodesListed{{node("n1", {cut, all})}});
    story_.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}, {1, 1}})})}});
    for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
      story_.tell(SourceReport{source, {}, {}, "", false});
    story_.tell(Loaded{});
    history_.watch(ClusterName("hpc"), NodeName("n1"), true);
  }
  void measure(int minute) {
    GpuFigures cut, all;
    cut.gpu = GpuIndex{0}, all.gpu = GpuIndex{1};
    SliceFigures of_part;
    of_part.profile = ProfileName("3g.40gb"), of_part.instance_id = 1;
    of_part.use = Percent{40}, of_part.memory_used = Mib{10'240};
    cut.slices = {of_part};
    cut.figures.temperature = Celsius{51}, cut.figures.power = Watts{210};
    all.figures.use = Percent{90}, all.figures.memory_used = Mib{61'440};
    all.figures.temperature = Celsius{66}, all.figures.power = Watts{640};
    story_.tell(Measured{NodeName("n1"), Source::dcgm, at(60 * minute), {cut, all}}, 60 * minute);
    history_.take(story_.cluster(), NodeName("n1"));
  }
  std::string page(int minute) {
    Session session(story_.model, {columns_, 60});
    session.state.ascii = ascii_;
    tui::open_workload(session.state, ClusterName("hpc"), "7");
    tui::UiContext ui = session.world();
    ui.history = &history_;
    ui.wall = at(60 * minute);
    tui::Canvas canvas(session.state.size);
    tui::draw(ui, session.state, canvas);
    const std::string text = canvas.text();
    return text.substr(std::min(text.size(), text.find("LAST HOUR")));
  }

 private:
  int columns_;
  bool ascii_;
  Story story_;
  history::History history_;
};

// What steadily is 10 GiB and 210 W is said to be that, now and on the mean: not a step below it.
TEST(JobCharts, DrawsUseMemoryHeatAndPowerWithOneLineASlice) {
  for (int columns : {80, 120, 200}) {
    TwoSlices job(columns);
    for (int minute = 10; minute <= 50; ++minute) job.measure(minute);
    const std::string page = job.page(50);
    for (const char* words :
         {"every 1 min, by DCGM exporter", "n1 GPU 0 3g.40gb", "n1 GPU 1 whole",
          "now 40%, mean 40%, peak 40%", "now 90%, mean 90%, peak 90%",
          "now 10.0 GiB, mean 10.0 GiB, peak 10.0 GiB", "now 60.0 GiB, mean 60.0 GiB",
          "temperature  of the whole GPU", "now 51 °C", "now 66 °C", "power  of the whole GPU",
          "now 210 W, mean 210 W, peak 210 W", "now 640 W", "08:10"})
      EXPECT_NE(page.find(words), std::string::npos) << columns << " " << words << "\n" << page;
    EXPECT_EQ(page.find("not measured"), std::string::npos) << page;
  }
}

TEST(JobCharts, AGapIsToldInWordsAndWhatIsOldIsNotSaidToBeNow) {
  TwoSlices job(120, true);
  for (int minute = 10; minute <= 50; ++minute)
    if (minute < 20 || minute > 30) job.measure(minute);
  EXPECT_NE(job.page(50).find("not measured    08:19-08:31"), std::string::npos) << job.page(50);
  const std::string later = job.page(58);
  EXPECT_NE(later.find("08:19-08:31, 08:50-08:58"), std::string::npos) << later;
  EXPECT_NE(later.find("at 08:50 40%"), std::string::npos) << later;
  EXPECT_EQ(later.find("now 40%"), std::string::npos) << later;
  for (const char byte : later.substr(0, later.find("temperature")))
    EXPECT_LT(static_cast<unsigned char>(byte), 0x80) << "the terminal has ASCII alone\n" << later;
}

}  // namespace
}  // namespace tessera::test
