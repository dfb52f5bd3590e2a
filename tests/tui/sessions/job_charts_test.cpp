// The last hour of what a job holds, on its page: since it began, and whose use it is.
#include <gtest/gtest.h>

#include "engine/history/history.hpp"
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

}  // namespace
}  // namespace tessera::test
