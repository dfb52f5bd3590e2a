// Days that are too old go, and none for the word of a clock that was set.
#include "backends/record/age_out.hpp"

#include <gtest/gtest.h>

#include "backends/record/tape.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

constexpr Duration kDay{86'400'000};

TimePoint noon(int day) { return *parse_utc("2026-06-01T12:00:00Z") + day * kDay; }
std::string name(int day) { return day_of(noon(day)) + std::string(kFileEnd); }
std::vector<std::string> names(int from, int to) {
  std::vector<std::string> all;
  for (int day = from; day < to; ++day) all.push_back(name(day));
  return all;
}
std::vector<std::string> and_names(std::vector<std::string> all, int from, int to) {
  for (std::string& one : names(from, to)) all.push_back(std::move(one));
  return all;
}

TEST(AgedOut, DaysThatEndedLongerAgoAreTooOld) {
  const Aged aged = aged_out(names(0, 40), noon(40), 30 * kDay, {});
  EXPECT_EQ(aged.remove, names(0, 10));
  EXPECT_FALSE(aged.doubt);
}

TEST(AgedOut, AClockThatIsSetAYearAheadGivesUpNothing) {
  const Aged aged = aged_out(names(0, 40), noon(400), 30 * kDay, {});
  EXPECT_TRUE(aged.remove.empty());
  ASSERT_TRUE(aged.doubt);
  EXPECT_EQ(*aged.doubt, std::pair(day_of(noon(39)), day_of(noon(400))));
}

TEST(AgedOut, OnceThreeDaysAreRecordedBehindItAPauseIsOne) {
  EXPECT_TRUE(aged_out(and_names(names(0, 40), 400, 401), noon(401), 30 * kDay, {}).doubt);
  const Aged aged = aged_out(and_names(names(0, 40), 400, 402), noon(402), 30 * kDay, {});
  EXPECT_EQ(aged.remove, names(0, 40));
  EXPECT_FALSE(aged.doubt);
}

// It was set ahead once before: that day's file is still there.
TEST(AgedOut, ASecondStepAheadBesideTheFileOfTheFirstGivesUpNothingEither) {
  const Aged aged = aged_out(and_names(names(0, 40), 400, 401), noon(401), 30 * kDay, {});
  EXPECT_TRUE(aged.remove.empty());
  EXPECT_TRUE(aged.doubt);
}

TEST(AgedOut, ADayToComeIsNeitherOldNorTheOneBefore) {
  const Aged aged = aged_out(and_names(names(0, 40), 400, 401), noon(40), 30 * kDay, {});
  EXPECT_EQ(aged.remove, names(0, 10));
  EXPECT_FALSE(aged.doubt);
}

TEST(AgedOut, AWeekWithoutARecorderIsAPause) {
  const Aged aged = aged_out(names(0, 40), noon(46), 30 * kDay, {});
  EXPECT_EQ(aged.remove, names(0, 16));
}

TEST(AgedOut, AClockSixDaysAheadDoesNotEmptyAFolderThatKeepsThree) {
  EXPECT_TRUE(aged_out(names(0, 3), noon(9), 3 * kDay, {}).doubt);
}

TEST(AgedOut, WhatWouldOnlyBeThinnedIsNotTouchedEither) {
  EXPECT_TRUE(aged_out(names(0, 40), noon(60), 365 * kDay, 7 * kDay).doubt);
  EXPECT_FALSE(aged_out(names(0, 40), noon(60), 365 * kDay, {}).doubt) << "nothing would be lost";
}

TEST(AgedOut, AFileThatIsNoDayIsNeverTooOld) {
  std::vector<std::string> all = names(0, 40);
  all.insert(all.begin(), "0-kept-by-hand.jsonl.zst");
  EXPECT_EQ(aged_out(all, noon(40), 30 * kDay, {}).remove, names(0, 10));
}

}  // namespace
}  // namespace tessera::record
