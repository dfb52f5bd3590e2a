// How far apart two rounds may lie, and why others are missing between them.
#include "engine/record/step.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::record {
namespace {

using std::chrono::minutes;
using test::at;

TEST(LongestStep, IsTenMinutesAndMoreWhereTheRecorderWasAskedForMore) {
  EXPECT_EQ(longest_step(Duration{0}), minutes(10)) << "an older file does not tell";
  EXPECT_EQ(longest_step(minutes(1)), minutes(10));
  EXPECT_EQ(longest_step(minutes(30)), minutes(45));
}

// Of 4,800 nodes that are asked four a second each has a figure every twenty minutes.
TEST(LongestStep, OfFiguresFollowsWhatARoundOverAllNodesTakes) {
  EXPECT_EQ(longest_step(PaceReport{}), minutes(10));
  EXPECT_EQ(longest_step(PaceReport{0, minutes(1), minutes(5)}), minutes(10));
  EXPECT_EQ(longest_step(PaceReport{0, minutes(1), minutes(20)}), minutes(30));
  EXPECT_EQ(longest_step(PaceReport{0, minutes(30), minutes(5)}), minutes(45)) << "--interval 30m";
}

TEST(FarApart, IsToldInWholeMinutesAndOnlyWhereItIsMoreThanAnyReaderBridges) {
  EXPECT_EQ(far_apart(PaceReport{}), Duration{0});
  EXPECT_EQ(far_apart(PaceReport{0, minutes(1), std::chrono::seconds(400)}), Duration{0});
  EXPECT_EQ(far_apart(PaceReport{0, minutes(1), std::chrono::seconds(1'270)}), minutes(22));
  EXPECT_EQ(far_apart(PaceReport{0, minutes(30), minutes(5)}), minutes(30));
}

TEST(StopBetween, TellsAnEndFromAKillAndARecorderThatRanOn) {
  const Written first{at(0), false}, ended{at(0), true}, second{at(900), false};
  EXPECT_EQ(stop_between(ended, second), Stop::ended);
  EXPECT_EQ(stop_between(first, second), Stop::cut);
  EXPECT_EQ(stop_between(first, first), Stop::silent);
  EXPECT_EQ(stop_between(first, std::nullopt), Stop::cut);
  EXPECT_EQ(stop_between(Written{}, second), Stop::unknown);
}

}  // namespace
}  // namespace tessera::record
