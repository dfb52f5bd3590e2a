#include "engine/slurm_time.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

TEST(SlurmTimeLimit, IsReadInAllItsForms) {
  using namespace std::chrono_literals;
  EXPECT_EQ(slurm_time_limit("30"), Duration(30min));
  EXPECT_EQ(slurm_time_limit("10:30"), Duration(10min + 30s));
  EXPECT_EQ(slurm_time_limit("01:00:00"), Duration(1h));
  EXPECT_EQ(slurm_time_limit("1-00:00:00"), Duration(24h));
  EXPECT_EQ(slurm_time_limit("2-12"), Duration(60h));
  EXPECT_EQ(slurm_time_limit("365-00:00:00"), Duration(24h * 365));
  for (const char* none :
       {"", "UNLIMITED", "INFINITE", "Partition_Limit", "INVALID", "0", "00:00:00", "-1", "1-", "1:2:3:4",
        "1-2:3:4:5", "99999999999999999999", "1:x", "10:00 ", "999999-00:00:00"})
    EXPECT_EQ(slurm_time_limit(none), std::nullopt) << none;
}

}  // namespace
}  // namespace tessera
