// What a tall overview shows below the mosaic.
#include "tui/screens/overview/overview_spare.hpp"

#include <gtest/gtest.h>

#include "tests/support/catalogue.hpp"
#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"
#include "tui/screens/overview/overview.hpp"

namespace tessera::test {
namespace {

TEST(OverviewSpare, ATallTerminalShowsWhoHoldsMostWhoWaitsLongestAndWhatHappened) {
  Session session(two_places(), {200, 60});
  EXPECT_TRUE(session.shows("WHO HOLDS MOST")) << session.screen();
  EXPECT_TRUE(session.shows("WAITING LONGEST")) << session.screen();
  EXPECT_TRUE(session.shows("LATEST EVENTS")) << session.screen();
  EXPECT_NE(session.line_with("frank").find("1.0 GPUs"), std::string::npos) << "a whole GPU";
  EXPECT_NE(session.line_with("88140").find("1 × gpu:3g.40gb"), std::string::npos);
}

TEST(OverviewSpare, ATallTerminalSetsWhatIsWantedAgainstWhatIsFree) {
  Session session(two_places(), {200, 60});
  ASSERT_TRUE(session.shows("COULD BE CUT")) << session.screen();
  EXPECT_FALSE(session.shows("FREE NOW")) << "the table says it already";
  const std::string row = session.line_with("none of 2 fits");
  EXPECT_NE(row.find("gpu:3g.40gb"), std::string::npos) << session.screen();
  EXPECT_NE(row.find("2 jobs"), std::string::npos) << session.screen();
}

// It stood there with the first three of its rows, and what else was free stood nowhere.
TEST(OverviewSpare, ATableThatDoesNotFitLeavesTheLineOfWhatIsFree) {
  Session low(two_places(), {120, 40});
  EXPECT_FALSE(low.shows("COULD BE CUT")) << low.screen();
  EXPECT_TRUE(low.shows("FREE NOW")) << low.screen();
}

TEST(OverviewSpare, TheMosaicOfMoreNodesThanItShowsBeginsWithThoseInTrouble) {
  Model model = two_places();
  std::vector<Node> many;
  for (int i = 0; i < 200; ++i)
    many.push_back(node("a" + std::to_string(1000 + i), {gpu(0, Strategy::whole, {whole(0)})}));
  many.back().health = Health::down;
  reduce(model, on("hpc", NodesListed{many}));
  const auto shown = tui::mosaic_nodes({model, catalogue(), at(0)}, false);
  EXPECT_EQ(shown.front().name, "a1199");
  EXPECT_EQ(shown[1].name, "a1000");
}

TEST(OverviewSpare, ASmallTerminalKeepsItsLinesForTheLists) {
  Session session(two_places(), {80, 24});
  EXPECT_FALSE(session.shows("WHO HOLDS MOST")) << session.screen();
}

TEST(OverviewSpare, TheLongestWaitStandsFirstAndOthersAreLeftOut) {
  Model model = two_places();
  Workload old = waiting("7", "zoe", "gpu:h100"), without = waiting("8", "zoe", "gpu:h100"),
           cpu = waiting("9", "zoe", "x");
  old.submitted = at(-90000);
  without.submitted.reset();
  cpu.requests.clear();
  reduce(model, on("hpc", WorkloadsListed{{waiting("6", "ann", "gpu:h100"), old, without, cpu}}));
  const auto longest = tui::waiting_longest(model, 10);
  ASSERT_EQ(longest.size(), 2U);
  EXPECT_EQ(longest[0].id.text, "7");
  EXPECT_EQ(tui::waiting_longest(model, 1).size(), 1U);
}

}  // namespace
}  // namespace tessera::test
