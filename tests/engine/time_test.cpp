// Times as text: what is written is read back, and what is no time in UTC is none.
#include "engine/time.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tessera::test {
namespace {

using namespace std::chrono_literals;

TEST(UtcText, SaysTheSecondAndWhereAskedTheMillisecond) {
  EXPECT_EQ(utc_text(TimePoint(86401s)), "1970-01-02T00:00:01Z");
  EXPECT_EQ(utc_text(TimePoint(86401s + 999ms)), "1970-01-02T00:00:01Z");
  EXPECT_EQ(utc_text_ms(TimePoint(86401s + 7ms)), "1970-01-02T00:00:01.007Z");
}

TEST(UtcText, AnyNumberOfDecimalsIsReadAndThoseAfterTheThirdAreDropped) {
  EXPECT_EQ(parse_utc("1970-01-01T00:00:01Z"), TimePoint(1s));
  EXPECT_EQ(parse_utc("1970-01-01T00:00:01.5Z"), TimePoint(1500ms));
  EXPECT_EQ(parse_utc("1970-01-01T00:00:01.250999999Z"), TimePoint(1250ms));
  EXPECT_EQ(parse_utc("2024-02-29T23:59:60Z"), parse_utc("2024-03-01T00:00:00Z"));  // a leap second
}

TEST(UtcText, WhatIsNoTimeInUtcIsNone) {
  for (const char* text :
       {"", "yesterday", "2026-11-21", "2026-11-21T02:43:30", "2026-11-21T02:43:30+09:00",
        "2026-11-21T02:43:30.Z", "2026-11-21T02:43:30.5", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
        "2026-11-21T24:00:00Z", "2026-11-21T02:60:30Z", "2026-11-21T02:43:61Z", "0001-01-01T00:00:00Z",
        "-026-11-21T02:43:30Z", "2026-11-21T02:43:30Zx", "2026-11-21 02:43:30Z", "+026-11-21T02:43:30Z",
        "2026-1-21T02:43:30Z"})
    EXPECT_FALSE(parse_utc(text)) << text;
}

RC_GTEST_PROP(UtcText, WhatIsWrittenIsReadBack, ()) {
  const TimePoint time{Duration(*rc::gen::inRange<std::int64_t>(0, 253'402'300'799'999))};  // the year 9999
  RC_ASSERT(parse_utc(utc_text_ms(time)) == time);
  RC_ASSERT(parse_utc(utc_text(time)) == std::chrono::floor<std::chrono::seconds>(time));
}

RC_GTEST_PROP(UtcText, AnyTextIsReadWithoutHarm, (const std::string& text)) { (void)parse_utc(text); }

}  // namespace
}  // namespace tessera::test
