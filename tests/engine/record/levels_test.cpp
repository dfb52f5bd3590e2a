// Figures as letters: what is read is near what was measured, and no use stays no use.
#include "engine/record/levels.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>

namespace tessera::record {
namespace {

TEST(Levels, AnyUseIsReadBackWithinHalfAStep) {
  for (std::int64_t use = 0; use <= 100; ++use) {
    const auto read = kUseScale.value_of(kUseScale.letter_of(use));
    ASSERT_TRUE(read) << use;
    EXPECT_EQ(*read, kUseScale.kept(use));
    EXPECT_LE(std::abs(*read - use), kUseScale.step / 2) << use;
  }
}

TEST(Levels, NoUseIsToldFromSome) {
  EXPECT_EQ(kUseScale.kept(0), 0);
  EXPECT_EQ(kUseScale.kept(1), 1);
  EXPECT_EQ(kUseScale.kept(2), 1) << "never rounded down to nothing";
  EXPECT_EQ(kUseScale.kept(3), 5);
}

TEST(Levels, HeatAndPowerOfAnyGpuHaveALevel) {
  for (std::int64_t heat = 0; heat <= 120; ++heat)
    EXPECT_LE(std::abs(kTemperatureScale.kept(heat) - heat), 2) << heat;
  for (std::int64_t power = 0; power <= 2'000; ++power)
    EXPECT_LE(std::abs(kPowerScale.kept(power) - power), 13) << power;
}

TEST(Levels, AFigureBeyondTheLastLevelKeepsThatOne) {
  EXPECT_EQ(kPowerScale.kept(1'000'000), kPowerScale.kept(99'999));
  EXPECT_GT(kPowerScale.kept(1'000'000), 2'000);
}

// Quotes and backslashes would be two characters in JSON, and '.' and '-' say something else.
TEST(Levels, EachLetterIsOneCharacterAndStandsForOneLevel) {
  EXPECT_EQ(std::set<char>(kLevels.begin(), kLevels.end()).size(), kLevels.size());
  for (char letter : kLevels) {
    EXPECT_TRUE(letter > ' ' && letter < 0x7f);
    EXPECT_EQ(std::string("\"\\.-,|").find(letter), std::string::npos) << letter;
  }
}

TEST(Levels, WhatIsNoLevelIsNotAFigure) {
  for (char letter : {' ', '"', '\n', '\x1b', '\x7f', kUnmoved, kNotAvailable, kNextNode})
    EXPECT_FALSE(kUseScale.value_of(letter));
}

}  // namespace
}  // namespace tessera::record
