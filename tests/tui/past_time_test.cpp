// Times of the past as people type them, also on days on which the clocks are set.
#include "tui/past_time.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "engine/time.hpp"
#include "tests/support/zone.hpp"

namespace tessera::tui {
namespace {

class PastTime : public testing::Test {
 protected:
  void in(const char* zone) { zone_.emplace(zone); }
  static std::string at(std::string_view text, std::string_view now) {
    auto time = parse_past(text, *parse_utc(now));
    return time ? utc_text(*time) : time.error().reason;
  }

 private:
  std::optional<test::InZone> zone_{"UTC"};
};

constexpr std::string_view kNow = "2026-11-25T00:30:00Z";

TEST_F(PastTime, ATimeOfDayIsTheLastOne) {
  EXPECT_EQ(at("00:12", kNow), "2026-11-25T00:12:00Z");
  EXPECT_EQ(at("03:12", kNow), "2026-11-24T03:12:00Z");
  EXPECT_EQ(at("yesterday 03:12", kNow), "2026-11-24T03:12:00Z");
  EXPECT_EQ(at("yesterday 00:12", kNow), "2026-11-24T00:12:00Z");
  EXPECT_EQ(at("-2h", kNow), "2026-11-24T22:30:00Z");
}

TEST_F(PastTime, ADateIsTakenAsItStands) {
  EXPECT_EQ(at("2026-11-24T03:12", kNow), "2026-11-24T03:12:00Z");
  EXPECT_EQ(at("2026-11-24 03:12:30", kNow), "2026-11-24T03:12:30Z");
  EXPECT_EQ(at("2026-03-01 00:00", kNow), "2026-03-01T00:00:00Z");
  EXPECT_EQ(at("yesterday 12:00", "2026-03-01T13:00:00Z"), "2026-02-28T12:00:00Z");
  EXPECT_EQ(at("2026-11-25T00:31", kNow), "it is still to come");
  EXPECT_EQ(at("2026-02-30T00:00", kNow), "that day has no such time");
}

TEST_F(PastTime, WhatIsNoTimeIsRefused) {
  for (const char* text : {"", "3:12", "25:00", "03:60", "noon", "2026-11-24", "2026-11-24T", "-", "-x",
                           "03:12x", "2026-13-01T00:00", "\x1b[2J"})
    EXPECT_FALSE(parse_past(text, *parse_utc(kNow))) << text;
}

// It was told of its time of day, which was right.
TEST_F(PastTime, OfADateThatIsNoneTheDateIsNamed) {
  EXPECT_EQ(at("2026-13-01T00:00Z", kNow), "not a date like 2026-11-24");
  EXPECT_EQ(at("2026-1-01 00:00", kNow), "not a date like 2026-11-24");
  EXPECT_EQ(at("2026-11-24T25:00", kNow), "not a time of day like 03:12");
}

TEST_F(PastTime, AnHourThatIsThereTwiceIsTheFirst) {
  in("Europe/Berlin");
  EXPECT_EQ(at("2026-10-25T02:30", kNow), "2026-10-25T00:30:00Z") << "summer time";
  EXPECT_EQ(at("2026-10-25T03:30", kNow), "2026-10-25T02:30:00Z");
  EXPECT_EQ(at("2026-10-25T01:30Z", kNow), "2026-10-25T01:30:00Z") << "the second one, by its UTC";
}

TEST_F(PastTime, AnHourThatTheClocksLeftOutIsRefused) {
  in("Europe/Berlin");
  EXPECT_EQ(at("2026-03-29T02:30", kNow), "the clocks were set forward over that time");
  EXPECT_EQ(at("2026-03-29T03:30", kNow), "2026-03-29T01:30:00Z");
  EXPECT_EQ(at("yesterday 12:00", "2026-03-29T08:00:00Z"), "2026-03-28T11:00:00Z") << "25 hours lie between";
  EXPECT_EQ(at("02:30", "2026-03-29T08:00:00Z"), "the clocks were set forward over that time");
  EXPECT_EQ(at("yesterday 02:30", "2026-03-30T08:00:00Z"), "the clocks were set forward over that time");
}

// At half past midnight the last half past two is that of the day before, whatever the clocks leave out
// later.
TEST_F(PastTime, AnHourThatTheClocksWillLeaveOutIsThatOfTheDayBefore) {
  in("Europe/Berlin");
  EXPECT_EQ(at("02:30", "2026-03-28T23:30:00Z"), "2026-03-28T01:30:00Z");
  EXPECT_EQ(at("02:30", "2026-03-30T00:00:00Z"), "the clocks were set forward over that time")
      << "of yesterday";
}

TEST_F(PastTime, ATimeOfDayIsTheLastOneWhileAnHourComesTwice) {
  in("Europe/Berlin");
  const std::string_view first = "2026-10-25T00:10:00Z", second = "2026-10-25T01:10:00Z";  // 02:10 by both
  EXPECT_EQ(at("02:30", first), "2026-10-24T00:30:00Z") << "that of this night is still to come";
  EXPECT_EQ(at("02:30", second), "2026-10-25T00:30:00Z");
  EXPECT_EQ(at("-1h", second), std::string(first)) << "a time span does not know clocks";
  EXPECT_EQ(at("yesterday 03:30", second), "2026-10-24T01:30:00Z");
}

}  // namespace
}  // namespace tessera::tui
