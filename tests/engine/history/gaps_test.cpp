// When nothing was measured: what is missing is told, and slow sources leave no gaps.
#include "engine/history/gaps.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

using history::Figure;
using history::Gap;

std::vector<history::Sample> samples(const std::vector<int>& minutes) {
  std::vector<history::Sample> all;
  for (int minute : minutes) {
    history::Sample& one = all.emplace_back();
    one.at = at(60 * minute);
    one.memory = 10.0F;
  }
  return all;
}

TEST(Gaps, AreBetweenSamplesAndBehindTheLastOneAndNeverBeforeTheFirst) {
  const auto told = samples({10, 11, 12, 20, 21, 22});
  EXPECT_EQ(gaps_of(told, Figure::memory, at(60 * 30)),
            (std::vector<Gap>{{at(720), at(1200)}, {at(1320), at(1800)}}));
  EXPECT_TRUE(gaps_of(told, Figure::memory, at(60 * 12)).empty()) << "what is still to come is none";
  EXPECT_TRUE(gaps_of({}, Figure::memory, at(60)).empty());
}

TEST(Gaps, ASourceThatAsksSeldomLeavesNone) {
  EXPECT_TRUE(gaps_of(samples({0, 5, 10, 15, 20}), Figure::memory, at(60 * 30)).empty());
  EXPECT_EQ(gaps_of(samples({0, 5, 10, 15, 40}), Figure::memory, at(60 * 41)),
            (std::vector<Gap>{{at(900), at(2400)}}));
}

// Of a recorder with --every 30m, or a console with --interval 30m, an hour has two samples, or one.
TEST(Gaps, APaceThatWasAskedForLeavesNoneAndARoundThatIsMissingDoes) {
  const Duration pace = std::chrono::minutes(30);
  EXPECT_TRUE(gaps_of(samples({30}), Figure::memory, at(60 * 59), pace).empty());
  EXPECT_FALSE(gaps_of(samples({30}), Figure::memory, at(60 * 59)).empty()) << "without it that is long ago";
  EXPECT_EQ(gaps_of(samples({10}), Figure::memory, at(60 * 59), pace),
            (std::vector<Gap>{{at(600), at(3'540)}}));
}

TEST(Gaps, OneFigureMayBeMissingWhereAnotherIsMeasured) {
  auto told = samples({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  for (std::size_t i : {0U, 1U, 9U, 10U}) told[i].use = 5.0F;
  EXPECT_EQ(gaps_of(told, Figure::use, at(600)), (std::vector<Gap>{{at(60), at(540)}}));
  EXPECT_TRUE(gaps_of(told, Figure::any, at(600)).empty());
}

}  // namespace
}  // namespace tessera::test
