#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/engine/mig/brute_force.hpp"

namespace tessera::mig {
namespace {

const Product& room_h100() {
  static const Catalogue built_in = *Catalogue::built_in();
  return *built_in.by_key("H100-80GB-SXM5");
}

Layout room_layout(std::string_view text) { return *parse_layout(room_h100(), text); }
std::vector<int> profiles(std::string_view text) { return parse_wish(room_h100(), text)->open; }

std::string placed(std::string_view wanted, std::string_view held = "") {
  const auto found = place(room_h100(), profiles(wanted), room_layout(held));
  return found ? to_text(room_h100(), *found) : "none";
}

TEST(Room, AnEmptyBoardIsAllFree) {
  const Room empty = room(room_h100(), {});
  EXPECT_EQ(empty.free, (std::vector<Placement>{{0, 8}}));
  EXPECT_TRUE(empty.stranded.empty());
  EXPECT_EQ(room_h100().profiles[static_cast<std::size_t>(empty.largest.value())].name.text, "7g.80gb");
  EXPECT_EQ(empty.free_compute_slices, 7);
  EXPECT_EQ(empty.stranded_compute_slices, 0);
  EXPECT_EQ(empty.fragmentation, 0);
}

TEST(Room, TwoThreesStrandAComputeSlice) {
  const Room full = room(room_h100(), room_layout("3g.40gb@0,3g.40gb@4"));
  EXPECT_TRUE(full.free.empty());
  EXPECT_EQ(full.largest, std::nullopt);
  EXPECT_EQ(full.free_compute_slices, 1);
  EXPECT_EQ(full.stranded_compute_slices, 1);
  EXPECT_EQ(full.fragmentation, 0) << "nothing is free, so nothing is in pieces";
}

TEST(Room, AThreeOnTheLeftCostsAComputeSlice) {
  EXPECT_EQ(room(room_h100(), room_layout("3g.40gb@4")).stranded_compute_slices, 0);
  EXPECT_EQ(room(room_h100(), room_layout("3g.40gb@0")).stranded_compute_slices, 1);
}

TEST(Room, SevenOnesStrandTheLastMemorySlice) {
  const Room full = room(room_h100(), room_layout("7x1g.10gb"));
  EXPECT_EQ(full.free, (std::vector<Placement>{{7, 1}}));
  EXPECT_EQ(full.stranded, full.free);
  EXPECT_EQ(full.stranded_memory_slices, 1);
  EXPECT_EQ(full.fragmentation, 0) << "no compute is left that the slice could go with";
}

TEST(Room, HolesAreFragmentation) {
  const Room holes = room(room_h100(), room_layout("1g.10gb@0,1g.10gb@2,1g.10gb@4,1g.10gb@6"));
  EXPECT_EQ(holes.free, (std::vector<Placement>{{1, 1}, {3, 1}, {5, 1}, {7, 1}}));
  EXPECT_EQ(holes.stranded, (std::vector<Placement>{{7, 1}}));
  EXPECT_EQ(room_h100().profiles[static_cast<std::size_t>(holes.largest.value())].name.text, "1g.10gb");
  EXPECT_DOUBLE_EQ(holes.fragmentation, 0.75) << "a 3g would go in, a 1g does";
}

TEST(Room, AnIllegalLayoutHasNone) {
  const Room none = room(room_h100(), {{0, 0}, {0, 0}});
  EXPECT_TRUE(none.free.empty());
  EXPECT_EQ(none.free_memory_slices, 0);
}

RC_GTEST_PROP(Room, AgreesWithAllCompletions, ()) {
  const Product board = *brute::board();
  const brute::Truth truth = brute::truth(board, brute::every_profile(board));
  const std::vector<Layout> all(truth.all.begin(), truth.all.end());
  const Layout held = *rc::gen::elementOf(all);
  const auto compute = [&](const Layout& layout) {
    int sum = 0;
    for (const Placed p : layout) sum += board.profiles[static_cast<std::size_t>(p.profile)].compute_slices;
    return sum;
  };
  const auto cover = [&](const Layout& layout, std::vector<bool>& units) {
    for (const Placed p : layout) {
      for (int i = 0; i < board.profiles[static_cast<std::size_t>(p.profile)].memory_slices; ++i) {
        units[static_cast<std::size_t>(p.start + i)] = true;
      }
    }
  };
  std::vector<bool> taken(static_cast<std::size_t>(board.units)), reachable(taken);
  cover(held, taken);
  int best = 0;
  std::pair<int, int> largest{0, 0};
  for (const Layout& more : all) {
    if (!std::includes(more.begin(), more.end(), held.begin(), held.end())) continue;
    cover(more, reachable);
    best = std::max(best, compute(more));
    if (more.size() != held.size() + 1) continue;
    for (const Placed p : more) {
      if (std::find(held.begin(), held.end(), p) != held.end()) continue;
      const Profile& profile = board.profiles[static_cast<std::size_t>(p.profile)];
      largest = std::max(largest, {profile.compute_slices, profile.memory_slices});
    }
  }
  const Room left = room(board, held);
  std::vector<bool> free(taken.size()), stranded(taken.size());
  for (const Placement part : left.free) {
    for (int i = 0; i < part.size; ++i) free[static_cast<std::size_t>(part.start + i)] = true;
  }
  for (const Placement part : left.stranded) {
    for (int i = 0; i < part.size; ++i) stranded[static_cast<std::size_t>(part.start + i)] = true;
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    RC_ASSERT(free[i] == !taken[i]);
    RC_ASSERT(stranded[i] == (!taken[i] && !reachable[i]));
  }
  RC_ASSERT(left.free_compute_slices == board.compute_slices - compute(held));
  RC_ASSERT(left.stranded_compute_slices == board.compute_slices - best);
  RC_ASSERT(left.largest.has_value() == (largest.first > 0));
  if (left.largest) {
    const Profile& profile = board.profiles[static_cast<std::size_t>(*left.largest)];
    RC_ASSERT(std::pair(profile.compute_slices, profile.memory_slices) == largest);
  }
  RC_ASSERT(left.fragmentation >= 0 && left.fragmentation <= 1);
}

TEST(Place, ChoosesWhatStrandsLeast) {
  EXPECT_EQ(placed("3g.40gb"), "3g.40gb@4") << "at 0 it would cost a compute slice";
  EXPECT_EQ(placed("3g.40gb,2g.20gb,2x1g.10gb"), "1g.10gb@0,1g.10gb@1,2g.20gb@2,3g.40gb@4");
  EXPECT_EQ(placed("3x2g.20gb,1g.20gb"), "2g.20gb@0,2g.20gb@2,2g.20gb@4,1g.20gb@6");
  EXPECT_EQ(placed(""), "");
}

TEST(Place, KeepsWhatIsHeld) {
  EXPECT_EQ(placed("2g.20gb,1g.10gb", "3g.40gb@0"), "3g.40gb@0,2g.20gb@4,1g.10gb@6");
  EXPECT_EQ(placed("3g.40gb", "1g.10gb@6,1g.10gb@3"), "none");
  EXPECT_EQ(why_no_place(room_h100(), profiles("3g.40gb"), room_layout("1g.10gb@6,1g.10gb@3")),
            "what exists on the GPU leaves no starts for all of them");
}

TEST(Place, SaysWhatIsMissing) {
  const auto why = [](std::string_view text) {
    return why_no_place(room_h100(), profiles(text)).value_or("it fits");
  };
  EXPECT_EQ(why("4g.40gb,4g.40gb"), "at most 1 × 4g.40gb may exist on one GPU");
  EXPECT_EQ(why("4g.40gb,3g.40gb,1g.10gb"), "8 compute slices are needed and the GPU has 7");
  EXPECT_EQ(why("3g.40gb,3g.40gb,1g.10gb"), "9 memory slices are needed and the GPU has 8");
  EXPECT_EQ(why("2g.20gb,4g.40gb,1g.20gb"), "it fits");
  EXPECT_EQ(why("9x1g.10gb"), "at most 7 × 1g.10gb may exist on one GPU");
  EXPECT_EQ(why_no_place(room_h100(), std::vector<int>{77}), "H100-80GB-SXM5 has no such profile");
  EXPECT_FALSE(place(room_h100(), std::vector<int>{77}));
  EXPECT_FALSE(place(room_h100(), std::vector<int>(1000, 0)));
  EXPECT_TRUE(why_no_place(room_h100(), std::vector<int>(1000, 0)));
}

RC_GTEST_PROP(Place, FindsAPlaceWhenThereIsOne, ()) {
  const Product board = *brute::board();
  const brute::Truth truth = brute::truth(board, brute::every_profile(board));
  const std::vector<Layout> all(truth.all.begin(), truth.all.end());
  const Layout held = *rc::gen::elementOf(all);
  const auto wanted =
      *rc::gen::resize(6, rc::gen::container<std::vector<int>>(rc::gen::resize(
                              100, rc::gen::inRange(0, static_cast<int>(board.profiles.size())))));
  brute::Counts total = brute::counts(held);
  for (const int profile : wanted) ++total[profile];
  const bool possible = std::any_of(all.begin(), all.end(), [&](const Layout& one) {
    return brute::counts(one) == total && std::includes(one.begin(), one.end(), held.begin(), held.end());
  });
  const auto found = place(board, wanted, held);
  RC_ASSERT(found.has_value() == possible);
  RC_ASSERT(why_no_place(board, wanted, held).has_value() == !possible);
  if (found) {
    RC_ASSERT(brute::legal(board, *found));
    RC_ASSERT(std::is_sorted(found->begin(), found->end()));
    RC_ASSERT(brute::counts(*found) == total);
    RC_ASSERT(std::includes(found->begin(), found->end(), held.begin(), held.end()));
  }
}

}  // namespace
}  // namespace tessera::mig
