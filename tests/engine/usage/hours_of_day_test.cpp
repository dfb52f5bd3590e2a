// Peaks by the hour of the day: by hand, over several days.
#include "engine/usage/hours_of_day.hpp"

#include <gtest/gtest.h>

#include "engine/time.hpp"

namespace tessera::usage {
namespace {

DemandHour hour(const std::string& cluster, const std::string& profile, const std::string& at, int peak) {
  DemandHour one;
  one.cluster = ClusterName(cluster), one.profile = profile, one.hour = *parse_utc(at), one.peak = peak;
  return one;
}

TEST(HoursOfDay, EachHasTheMostOfAnyDayAndTheMeanOfTheirPeaks) {
  const auto rows = hours_of_day(
      {hour("hpc", "1g.10gb", "2026-11-20T09:00:00Z", 4), hour("hpc", "1g.10gb", "2026-11-20T23:00:00Z", 1),
       hour("hpc", "1g.10gb", "2026-11-21T09:00:00Z", 10), hour("hpc", "1g.10gb", "2026-11-22T09:00:00Z", 0),
       hour("hpc", "whole", "2026-11-22T09:00:00Z", 2), hour("lab", "whole", "2026-11-22T09:00:00Z", 3)});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].profile, "1g.10gb");
  ASSERT_TRUE(rows[0].hours[9]);
  EXPECT_EQ(rows[0].hours[9]->peak, 10);
  EXPECT_EQ(rows[0].hours[9]->days, 3);
  EXPECT_NEAR(rows[0].hours[9]->mean, 14.0 / 3, 1e-9) << "a day without need is one of them";
  EXPECT_EQ(rows[0].hours[23]->peak, 1);
  EXPECT_FALSE(rows[0].hours[10]) << "what is not recorded is not 0";
  EXPECT_EQ(rows[1].hours[9]->peak, 2);
  EXPECT_EQ(rows[2].cluster, ClusterName("lab"));
}

}  // namespace
}  // namespace tessera::usage
