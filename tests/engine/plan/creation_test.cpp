#include "engine/plan/effect/creation.hpp"

#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

int profile(const char* name) { return *h100().index_of(name); }

// What comes of creating a list in that order; nullopt: it stops with Insufficient Resources.
std::optional<mig::Layout> driver_creates(const std::vector<int>& profiles) {
  mig::Layout made;
  for (int one : profiles) {
    auto start = plan::driver_start(h100(), made, one);
    if (!start) return std::nullopt;
    made.push_back({one, *start});
    std::sort(made.begin(), made.end());
  }
  return made;
}

TEST(Creation, TheDriversTrapIsKnownAndAvoided) {
  int one = profile("1g.10gb"), two = profile("2g.20gb"), three = profile("3g.40gb");
  std::vector<int> trap{one, one, two, three};
  EXPECT_FALSE(driver_creates(trap));
  std::vector<int> works{three, one, two, one};
  auto layout = driver_creates(works);
  ASSERT_TRUE(layout);
  EXPECT_TRUE(mig::is_legal(h100(), *layout));
  auto order = plan::driver_order(h100(), {}, *layout);
  ASSERT_TRUE(order);
  std::vector<int> profiles;
  for (const mig::Placed& placed : *order) profiles.push_back(placed.profile);
  EXPECT_TRUE(driver_creates(profiles));
}

// Without the double-memory 1g: six 1g.10gb beside one 1g.20gb the driver finds in no order.
TEST(Creation, EveryBaseLayoutHasAnOrderOnAnEmptyBoard) {
  std::vector<int> base = mig::base_profiles(h100(), false);
  for (const mig::Layout& layout : mig::enumerate(h100(), mig::Which::undominated, base)) {
    auto order = plan::driver_order(h100(), {}, layout);
    ASSERT_TRUE(order) << mig::to_text(h100(), layout);
    EXPECT_EQ(order->size(), layout.size());
  }
}

}  // namespace
}  // namespace tessera::test
