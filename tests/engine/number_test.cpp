// Whole numbers, as hostile text may write them.
#include "engine/number.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace tessera {
namespace {

TEST(Number, IsDigitsAlone) {
  EXPECT_EQ(whole_number("0"), 0);
  EXPECT_EQ(whole_number("007"), 7);
  for (const char* none : {"", "-1", "-0", "+1", " 1", "1 ", "1.0", "0x1", "a", "\xd9\xa1"})
    EXPECT_FALSE(whole_number(none)) << none;
}

TEST(Number, IsNoMoreThanItsTypeOrItsLimitHolds) {
  EXPECT_EQ(whole_number<std::uint16_t>("65535"), 65535);
  EXPECT_FALSE(whole_number<std::uint16_t>("65536"));
  EXPECT_EQ(whole_number("64", 64), 64);
  EXPECT_FALSE(whole_number("65", 64));
  EXPECT_FALSE(whole_number<std::uint64_t>("18446744073709551616"));
}

TEST(Number, IsTakenOffTheFrontOrNothingIs) {
  std::string_view text = "12-3";
  EXPECT_EQ(take_number(text), 12);
  EXPECT_EQ(text, "-3");
  EXPECT_FALSE(take_number(text));
  EXPECT_EQ(text, "-3");
  std::string_view most = "100x";
  EXPECT_FALSE(take_number(most, 99));
  EXPECT_EQ(most, "100x");
}

TEST(Number, OfMoreThanThereAreIsTheLargest) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(add_times(1, 2, 3), 7);
  EXPECT_EQ(add_times(most - 6, 2, 3), most);
  EXPECT_EQ(add_times(most - 5, 2, 3), most);
  EXPECT_EQ(add_times(0, most / 2 + 1, 2), most);
  EXPECT_EQ(add_times(5, most, 0), 5);
}

}  // namespace
}  // namespace tessera
