// How values read and how they sort.
#include "engine/query/value.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tessera::query {
namespace {

TEST(Value, UnknownAndUntellableAreNeverZero) {
  EXPECT_EQ(to_text(Unknown{}, Format::count), "?");
  EXPECT_EQ(to_text(NotTold{}, Format::percent), "n/a");
  EXPECT_EQ(to_text(std::int64_t{0}, Format::count), "0");
}

TEST(Value, DurationsReadLikeAClockNotLikeASum) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(59), "59 s");
  EXPECT_EQ(duration_text(60), "1 min");
  EXPECT_EQ(duration_text(3600 + 5 * 60), "1 h 05 min");
  EXPECT_EQ(duration_text(3 * 86400 + 4 * 3600), "3 d 04 h");
  EXPECT_EQ(duration_text(-5), "0 s") << "a clock that runs behind shows no negative ages";
}

TEST(Value, MemoryReadsInTheUnitThatFits) {
  EXPECT_EQ(memory_text(512), "512 MiB");
  EXPECT_EQ(memory_text(9984), "9.8 GiB");
  EXPECT_EQ(memory_text(81920), "80 GiB");
}

TEST(Value, NamesSortAsPeopleCount) {
  std::vector<Value> values{std::string("gpu10"),
                            Unknown{},
                            std::string("gpu2"),
                            std::string("GPU1"),
                            std::int64_t{7},
                            NotTold{},
                            3.5};
  std::stable_sort(values.begin(), values.end(), sorts_before);
  std::string order;
  for (const Value& value : values) order += to_text(value, Format::count) + " ";
  EXPECT_EQ(order, "3.5 7 GPU1 gpu2 gpu10 n/a ? ");
}

TEST(Value, SortingIsAStrictOrderForOddNames) {
  std::vector<std::string> names{"", "0", "00", "1", "01", "a0", "a00", "a", "A", "n1-2", "n01-2", "n1-10"};
  for (const std::string& a : names)
    for (const std::string& b : names) {
      EXPECT_FALSE(sorts_before(a, b) && sorts_before(b, a)) << a << " " << b;
      for (const std::string& c : names)
        if (sorts_before(a, b) && sorts_before(b, c)) {
          EXPECT_TRUE(sorts_before(a, c)) << a << " " << b << " " << c;
        }
    }
}

}  // namespace
}  // namespace tessera::query
