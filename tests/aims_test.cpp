// Benches hold their figures to aims: which figure an aim is about, whether it is held, and how the program
// ends. No time is measured here.
#include "bench/aims.hpp"

#include <gtest/gtest.h>

namespace tessera::bench {
namespace {

TEST(BenchAims, AnAimIsAboutEachRunOfItsBenchAndOfNoOther) {
  const Aim all{"draw_frame", "", 1}, one{"PackAllIn/1000", "", 10};
  EXPECT_TRUE(is_of(all, "draw_frame"));
  EXPECT_TRUE(is_of(all, "draw_frame/gpus"));
  EXPECT_FALSE(is_of(all, "draw_frames/gpus"));
  EXPECT_TRUE(is_of(one, "PackAllIn/1000"));
  EXPECT_FALSE(is_of(one, "PackAllIn/10000"));
}

TEST(BenchAims, AFigureAtItsAimIsHeldAndOneBeyondItEndsTheProgramWithOne) {
  Aims aims(10);
  const Aim most{"a_jump", "", 200}, least{"changes", "", 10'000, "changes", true};
  EXPECT_EQ(
      aims.see(most, "a_jump/iterations:20", 200),
      "held    a_jump/iterations:20: 200 ms, the aim is at most 200 ms (100 %); 20 times this machine's "
      "measure (10.0 ms)");
  aims.see(least, "changes", 10'000);
  EXPECT_EQ(aims.code(), 0);
  EXPECT_EQ(aims.see(least, "changes", 9'999).substr(0, 6), "MISSED");
  EXPECT_EQ(aims.code(), 1);
  aims.see(most, "a_jump", 1);
  EXPECT_EQ(aims.code(), 1) << "another one that is held does not mend it";
}

TEST(BenchAims, AnAimThatIsKnownToBeMissedIsSaidAsMissedAndFailsNoRun) {
  Aims aims(10);
  const Aim drained{"PackAllIn/1000/1", "", 10, "ms", false, 20};
  EXPECT_EQ(aims.see(drained, "PackAllIn/1000/1", 15).substr(0, 14), "MISSED (known)");
  EXPECT_EQ(aims.see(drained, "PackAllIn/1000/1", 9).substr(0, 4), "held");
  EXPECT_EQ(aims.code(), 0);
  EXPECT_EQ(aims.see(drained, "PackAllIn/1000/1", 25).substr(0, 8), "MISSED  ");
  EXPECT_EQ(aims.code(), 1) << "it has become worse";
}

TEST(BenchAims, WhatIsNotATimeIsNotComparedWithTheMachine) {
  Aims aims(10);
  EXPECT_EQ(aims.see({"a_day", "file_MB", 10, "MB"}, "a_day", 8.7).find("machine"), std::string::npos);
}

TEST(BenchAims, AnAimThatNothingMeasuresIsMissed) {
  Aims aims(10);
  EXPECT_NE(aims.see_none({"a_day", "file_MB", 10, "MB"}).find("not measured"), std::string::npos);
  EXPECT_EQ(aims.code(), 1);
}

}  // namespace
}  // namespace tessera::bench
