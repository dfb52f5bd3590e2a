#include "backends/slurm/parse/times.hpp"

#include <gtest/gtest.h>

#include "tests/backends/slurm/fixtures.hpp"

namespace tessera::slurm {
namespace {

// Sets the process's time zone for one test.
class Zone {
 public:
  explicit Zone(const char* name) {
    if (const char* before = std::getenv("TZ")) before_ = before;
    ::setenv("TZ", name, 1);
    ::tzset();
  }
  ~Zone() {
    before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }

 private:
  std::optional<std::string> before_;
};

TEST(SlurmTimes, ReadsLocalTime) {
  Zone zone("CET-1");
  LocalTimes times;
  // date -u -d '2026-11-21T02:36:31 +0100' +%s
  EXPECT_EQ(times.read("2026-11-21T02:36:31"), TimePoint(std::chrono::seconds(1795224991)));
}

TEST(SlurmTimes, FollowsChangesToAndFromSummerTime) {
  Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
  LocalTimes times;
  for (const char* text :
       {"2026-03-29T01:59:59", "2026-03-29T03:00:00", "2026-03-29T12:00:00", "2026-03-28T23:59:59",
        "2026-07-01T00:00:00", "2026-10-25T01:00:00", "2026-10-25T04:00:00", "2026-10-26T00:00:00"})
    EXPECT_EQ(times.read(text), local(text)) << text;
  EXPECT_EQ(*times.read("2026-03-29T03:00:00") - *times.read("2026-03-29T01:59:59"), std::chrono::seconds(1));
}

TEST(SlurmTimes, WhatIsNoTimeIsUnknown) {
  LocalTimes times;
  for (const char* text : {"", "Unknown", "None", "N/A", "2026-13-01T00:00:00", "2026-02-30T00:00:00",
                           "2026-01-01T24:00:00", "2026-01-01 00:00:00", "2026-01-01T00:00:0x", "02:36:31",
                           "1969-01-01T00:00:00", "2026-01-01T00:61:00"})
    EXPECT_EQ(times.read(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tessera::slurm
