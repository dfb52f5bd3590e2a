// The page of one GPU, and the ways to it and from it.
#include "tui/screens/pages/gpu.hpp"

#include <gtest/gtest.h>

#include "engine/history/history.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/change_places.hpp"

namespace tessera::test {
namespace {

using tui::ScreenKind;

TEST(GpuPage, OpensFromTheTableOnTheGpuUnderTheCursor) {
  Session session(small_place());
  session.press("3/n0007<enter>jj<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::gpu);
  EXPECT_EQ(session.state.top().subject, "n0007 GPU 2") << session.screen();
  session.line_with("n0007 GPU 2");
  session.press("]");
  EXPECT_EQ(session.state.top().subject, "n0007 GPU 3") << "the next of the list";
}

TEST(GpuPage, NamesEachSliceItsHolderAndItsPlace) {
  Session session(small_place());
  session.press(":gpu n0007 0<enter>");
  const std::string line = session.line_with("88122");
  EXPECT_NE(line.find("2g.20gb"), std::string::npos) << line;
  EXPECT_NE(line.find("2+2"), std::string::npos) << line;
  EXPECT_NE(line.find("45%"), std::string::npos) << line;
  EXPECT_NE(line.find("carol"), std::string::npos) << line;
  session.press("jj<enter>");
  EXPECT_EQ(session.state.top().subject, "88122") << "Enter opens the holder under the cursor";
}

TEST(GpuPage, SaysWhatIsNotTold) {
  Session session(small_place(), {120, 60});
  session.press(":gpu n0007 1<enter>");
  EXPECT_NE(session.line_with("UUID").find("not reported"), std::string::npos) << session.screen();
  session.line_with("advertised");
  EXPECT_TRUE(session.shows("Slurm counts by type and node")) << session.screen();
  EXPECT_TRUE(session.shows("no way to the node is set (slurm-runner)")) << session.screen();
}

TEST(GpuPage, DrawsTheLastHourOfWhatWasMeasured) {
  Session session(small_place(), {120, 60});
  session.press(":gpu n0007 2<enter>");
  EXPECT_TRUE(session.shows("not measured since this console was opened")) << session.screen();
  history::History history;
  history.watch(ClusterName("hpc"), NodeName("n0007"), true);
  for (int i = 0; i <= 30; ++i) {
    GpuFigures figures;
    figures.gpu = GpuIndex{2};
    figures.figures.use = Percent{i < 15 ? 80.0F : 0.0F};
    if (i < 20) figures.figures.tensor = Percent{i < 15 ? 33.0F : 0.0F};
    figures.figures.temperature = Celsius{51}, figures.figures.power = Watts{210};
    reduce(session.model, Event{ClusterName("hpc"), 0, at(10 * i + 10),
                                Measured{NodeName("n0007"), Source::dcgm, at(10 * i + 10), {figures}}});
    history.take(session.model.clusters.at(0), NodeName("n0007"));
  }
  tui::UiContext world = session.world();
  world.history = &history;
  world.wall = at(310);
  std::string page;
  for (const tui::DocLine& line : tui::gpu_document(world, session.state, 120)) {
    for (const auto& span : line.spans) page += span.text;
    page += '\n';
  }
  EXPECT_NE(page.find("since 08:00, every 10 s, by"), std::string::npos) << page;
  EXPECT_NE(page.find("peak 80%"), std::string::npos) << page;
  EXPECT_NE(page.find("not used for"), std::string::npos) << page;
  EXPECT_NE(page.find("peak 33%"), std::string::npos) << "the tensor pipes are drawn, too\n" << page;
  EXPECT_NE(page.find("100°C"), std::string::npos) << "the scale of the temperature was in percent\n" << page;
  const std::string charts =
      page.substr(page.find("LAST HOUR"), page.find("READINGS") - page.find("LAST HOUR"));
  EXPECT_EQ(charts.find("memory bus"), std::string::npos) << "what nobody told is not drawn\n" << charts;
}

// The page of a GPU that is cut had a chart of the GPU alone.
TEST(GpuPage, DrawsALineForEachOfItsSlices) {
  Session session(small_place(), {120, 60});
  session.press(":gpu n0007 0<enter>");
  history::History history;
  history.watch(ClusterName("hpc"), NodeName("n0007"), true);
  Node node = *session.model.clusters.at(0).nodes.find(NodeName("n0007"));
  for (int i = 0; i <= 30; ++i) {
    node.gpus[0].telemetry.origin.at = at(10 * i + 10);
    for (std::size_t s = 0; s < node.gpus[0].slices.size(); ++s)
      node.gpus[0].slices[s].use = Percent{static_cast<float>(10 * s + 3)};
    reduce(session.model, Event{ClusterName("hpc"), 0, at(10 * i + 10), NodeSeen{node}});
    history.take(session.model.clusters.at(0), NodeName("n0007"));
  }
  tui::UiContext world = session.world();
  world.history = &history;
  world.wall = at(310);
  for (const int width : {80, 120, 200}) {
    std::string page;
    const auto add = [&](const tui::Document& lines) {
      for (const tui::DocLine& line : lines) {
        for (const auto& span : line.spans) page += span.text + " ";
        page += '\n';
      }
    };
    add(tui::gpu_document(world, session.state, width));
    add(tui::gpu_side_document(world, session.state, width));
    const std::string charts = page.substr(page.find("LAST HOUR"));
    EXPECT_NE(charts.find("of each slice"), std::string::npos) << page;
    std::size_t at = 0;
    for (const auto& [name, use] :
         {std::pair("1g.10gb 0+1", "peak 3%"), std::pair("1g.10gb 1+1", "peak 13%"),
          std::pair("2g.20gb 2+2", "peak 23%"), std::pair("3g.40gb 4+4", "peak 33%")}) {
      at = charts.find(name, at);
      ASSERT_NE(at, std::string::npos) << name << "\n" << page;
      const std::string line = charts.substr(at, charts.find('\n', at) - at);
      EXPECT_NE(line.find(use), std::string::npos) << line;
    }
    EXPECT_LT(page.find("SLICES"), page.find("LAST HOUR")) << "who holds them comes first";
  }
}

TEST(GpuPage, ListsWhoWaitsForWhatItCouldBe) {
  Session session(small_place(), {120, 60});
  session.press(":gpu n0007 0<enter>");
  session.line_with("88140");
  session.line_with("88141");
  session.press("jjjjjjj<enter>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::workload) << session.screen();
}

TEST(GpuPage, SharesAreListedByTheirHolders) {
  Session session(small_place());
  session.press(":gpu n0007 3<enter>j<enter>");
  EXPECT_EQ(session.state.top().subject, "88128") << session.screen();
}

TEST(GpuPage, IsWhatIsEditedAndDecidedAbout) {
  Session session = changing({120, 40});
  session.press(":gpu n0031 1<enter>L");
  ASSERT_EQ(session.state.top().kind, ScreenKind::layout) << session.screen();
  EXPECT_TRUE(session.shows("GPU 1 of n0031")) << session.screen();
}

TEST(GpuPage, MistakesAreNamed) {
  Session session(small_place());
  session.press(":gpu n0007 9<enter>");
  session.line_with("n0007 has no GPU 9");
  session.press(":gpu n0099 1<enter>");
  session.line_with("no node is called n0099");
  session.press(":gpu n0007<enter>");
  session.line_with("gpu takes a node and the number of a GPU");
}

TEST(GpuPage, OutlivesItsGpu) {
  Session session(small_place());
  session.press(":gpu n0012 0<enter>");
  session.tell(on("hpc", NodeGone{NodeName("n0012")}, 1));
  session.line_with("n0012 GPU 0 is gone");
  session.press("jk<enter>iy<esc>");
  EXPECT_EQ(session.state.top().kind, ScreenKind::overview);
}

TEST(GpuPage, TheMouseChoosesATileOfItsMap) {
  Session session(small_place());
  session.press(":gpu n0007 0<enter>");
  session.mouse(tui::Mouse::Kind::press, 100, 3);
  EXPECT_NE(session.line_with("▌").find("3g.40gb"), std::string::npos) << session.screen();
}

// `i` listed "held_by" and "memory_used", which no table says.
TEST(Details, AColumnIsCalledAsInItsTable) {
  for (const char* keys : {":gpu n0007 0<enter>i", ":node n0007<enter>i", ":job 88123<enter>i"}) {
    Session session(small_place(), {120, 200});
    session.press(keys);
    const std::string screen = session.screen();
    EXPECT_EQ(screen.find('_'), std::string::npos) << screen;
    EXPECT_NE(screen.find("   10 MIN  "), std::string::npos) << screen;
  }
  Session session(small_place(), {120, 200});
  session.press(":gpu n0007 0<enter>i");
  EXPECT_NE(session.line_with("   MEM USED ").find("GiB"), std::string::npos) << session.screen();
}

}  // namespace
}  // namespace tessera::test
