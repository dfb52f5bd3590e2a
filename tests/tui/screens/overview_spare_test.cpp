// What a tall overview shows below the mosaic.
#include "tui/screens/overview_spare.hpp"

#include <gtest/gtest.h>

#include "tests/support/session.hpp"
#include "tests/tui/screens/places.hpp"

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
