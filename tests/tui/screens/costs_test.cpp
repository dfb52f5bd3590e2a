// What asking costs on the page that says where facts are from, and the pipes on the pages of GPUs and jobs.
#include <gtest/gtest.h>

#include "engine/history/history.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

namespace tessera::test {
namespace {

Model with_costs() {
  Model model = two_places();
  SourceReport nodes{Source::slurm_nodes, std::nullopt, Duration(40)};
  nodes.cost = SourceCost{25, 5 * 3 * 512 * 1024, std::chrono::minutes(5)};
  reduce(model, on("hpc", nodes));
  return model;
}

TEST(CostsOnScreen, EachSourceHasItsLineAndWhatIsNotMeasuredSaysSo) {
  Session session(with_costs(), {120, 60});
  session.press(":node n0007<enter>i").press("G");
  ASSERT_TRUE(session.shows("WHAT ASKING COSTS")) << session.screen();
  EXPECT_TRUE(session.shows("5.0 commands a minute, 1.5 MiB a minute")) << session.screen();
  EXPECT_NE(session.line_with("not measured").find("scontrol show job"), std::string::npos)
      << session.screen();
  EXPECT_NE(session.line_with("other calls").find("1.0 commands a minute"), std::string::npos)
      << "of six a minute five are the nodes'" << session.screen();
}

TEST(CostsOnScreen, WhereNothingIsMeasuredNothingPassesForRuns) {
  Session session(two_places(), {120, 60});
  session.press(":node n0007<enter>i").press("G");
  ASSERT_TRUE(session.shows("WHAT ASKING COSTS")) << session.screen();
  EXPECT_FALSE(session.shows("other calls")) << session.screen();
  EXPECT_FALSE(session.shows(" 0.0 commands")) << session.screen();
}

Model with_pipes() {
  Model model = two_places();
  GpuFigures figures;
  figures.gpu = GpuIndex{2};
  figures.figures.use = Percent{100};
  figures.figures.tensor = Percent{37};
  figures.figures.memory_busy = Percent{58};
  reduce(model, on("hpc", Measured{NodeName("n0007"), Source::dcgm, at(-2), {figures}}, -2));
  return model;
}

TEST(PipesOnScreen, StandOnThePagesOfTheGpuAndOfItsJobAndAreNotAvailableElsewhere) {
  Session session(with_pipes(), {120, 60});
  session.press(":gpu n0007 2<enter>");
  EXPECT_NE(session.line_with("tensor").find("37%"), std::string::npos) << session.screen();
  EXPECT_NE(session.line_with("memory bus").find("58%"), std::string::npos) << session.screen();
  session.press("<esc>:gpu n0007 3<enter>");
  EXPECT_NE(session.line_with("memory bus").find("n/a"), std::string::npos) << session.screen();
  session.press("<esc>:job 88126<enter>");
  EXPECT_TRUE(session.shows("tensor 37%  memory bus 58%")) << session.screen();
  session.resize({80, 60});
  EXPECT_TRUE(session.shows("use")) << session.screen();
  EXPECT_FALSE(session.shows("tensor")) << "where there is no room, no half of it";
  session.resize({120, 60});
  session.press("<esc>:job 88120<enter>");
  EXPECT_FALSE(session.shows("tensor")) << "where nobody tells, a job's line is as short as before";
}

TEST(PipesOnScreen, TheirColumnsAreThereOnceTheyAreAskedFor) {
  Session narrow(with_pipes(), {200, 60});
  narrow.press("3");
  EXPECT_FALSE(narrow.shows("MEM BUS")) << narrow.screen();
  EXPECT_FALSE(narrow.shows("TENSOR")) << narrow.screen();
}

}  // namespace
}  // namespace tessera::test
