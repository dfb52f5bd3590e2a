// Times by the clocks of a place: an hour that comes twice is told apart, and no other time says more than it
// must.
#include "engine/query/local_time.hpp"

#include <gtest/gtest.h>

#include <string>

#include "engine/time.hpp"
#include "tests/support/zone.hpp"

namespace tessera::test {
namespace {

std::string text(std::string_view utc) { return query::local_text(*parse_utc(utc)); }
std::string clock(std::string_view utc) { return query::clock_text(*parse_utc(utc)); }

TEST(LocalTime, AnHourThatComesTwiceNamesItsZone) {
  const InZone berlin("Europe/Berlin");
  EXPECT_EQ(text("2026-10-24T23:59:59Z"), "2026-10-25 01:59:59");
  EXPECT_EQ(text("2026-10-25T00:00:00Z"), "2026-10-25 02:00:00 CEST");
  EXPECT_EQ(clock("2026-10-25T00:59:59Z"), "02:59 CEST");
  EXPECT_EQ(clock("2026-10-25T01:00:00Z"), "02:00 CET");
  EXPECT_EQ(text("2026-10-25T01:59:59Z"), "2026-10-25 02:59:59 CET");
  EXPECT_EQ(text("2026-10-25T02:00:00Z"), "2026-10-25 03:00:00");
}

TEST(LocalTime, WhereClocksAreSetOnNoneNeedsIt) {
  const InZone berlin("Europe/Berlin");
  EXPECT_EQ(text("2026-03-29T00:59:59Z"), "2026-03-29 01:59:59");
  EXPECT_EQ(text("2026-03-29T01:00:00Z"), "2026-03-29 03:00:00");
  EXPECT_EQ(clock("2026-07-01T10:00:00Z"), "12:00");
}

TEST(LocalTime, ClocksThatAreSetByHalfAnHourOrNeverAreFollowedToo) {
  {
    const InZone lord_howe("Australia/Lord_Howe");  // 02:00 becomes 01:30 on the first Sunday of April
    EXPECT_EQ(clock("2026-04-04T14:20:00Z"), "01:20");
    EXPECT_EQ(clock("2026-04-04T14:45:00Z"), "01:45 +11");
    EXPECT_EQ(clock("2026-04-04T15:15:00Z"), "01:45 +1030");
    EXPECT_EQ(clock("2026-04-04T15:30:00Z"), "02:00");
  }
  const InZone utc("UTC");
  EXPECT_EQ(text("2026-10-25T00:30:00Z"), "2026-10-25 00:30:00");
}

}  // namespace
}  // namespace tessera::test
