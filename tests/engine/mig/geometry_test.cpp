#include "engine/mig/geometry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/engine/mig/brute_force.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::mig {
namespace {

const Product& product(std::string_view key) { return *test::catalogue().by_key(key); }
const Product& h100() { return product("H100-80GB-SXM5"); }
const Product& a30() { return product("A30-24GB"); }
const Product& rtx6000() { return product("RTX-PRO-6000-Blackwell-96GB"); }

Layout layout(const Product& board, std::string_view text) {
  const Result<Wish> wish = parse_wish(board, text);
  EXPECT_TRUE(wish.ok()) << to_line(wish.error());
  EXPECT_TRUE(wish->open.empty()) << text;
  return wish->fixed;
}

struct Sizes {
  std::size_t all, maximal, multisets, undominated;
  friend bool operator==(const Sizes&, const Sizes&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Sizes& s) {
    return out << s.all << ", " << s.maximal << ", " << s.multisets << ", " << s.undominated;
  }
};

Sizes sizes(const Product& board, const std::vector<int>& profiles) {
  const std::vector<Layout> all = enumerate(board, Which::all, profiles);
  std::set<brute::Counts> multisets;
  for (const Layout& one : all) multisets.insert(brute::counts(one));
  return {all.size(), enumerate(board, Which::maximal, profiles).size(), multisets.size(),
          enumerate(board, Which::undominated, profiles).size()};
}

TEST(KnownTruths, EveryEightUnitBoardHasTheSameGeometry) {
  int boards = 0;
  for (const Product& board : test::catalogue().products()) {
    if (board.units != 8) continue;
    ++boards;
    EXPECT_EQ(sizes(board, base_profiles(board, false)), (Sizes{298, 19, 38, 12})) << board.key.text;
    EXPECT_EQ(sizes(board, base_profiles(board, true)), (Sizes{723, 78, 78, 28})) << board.key.text;
    EXPECT_EQ(enumerate(board, Which::all).size(), 723u) << "the default has the double-memory 1g";
  }
  EXPECT_EQ(boards, 15);
}

TEST(KnownTruths, A30) { EXPECT_EQ(sizes(a30(), base_profiles(a30(), true)), (Sizes{26, 5, 10, 4})); }

TEST(KnownTruths, EveryProductWithKnownPlacementsHasLayouts) {
  for (const Product& board : test::catalogue().products()) {
    const std::size_t count = enumerate(board, Which::all).size();
    EXPECT_EQ(count > 0, board.placements_known) << board.key.text;
    EXPECT_EQ(is_legal(board, {}), board.placements_known) << board.key.text;
  }
}

TEST(KnownTruths, TheFourteenMaximalSetsOfTheEightUnitBoards) {
  std::set<std::vector<int>> found;  // compute slices, descending
  for (const Layout& one : enumerate(h100(), Which::maximal, base_profiles(h100(), false))) {
    std::vector<int> widths;
    for (const Placed placed : one) {
      widths.push_back(h100().profiles[static_cast<std::size_t>(placed.profile)].compute_slices);
    }
    std::sort(widths.rbegin(), widths.rend());
    found.insert(widths);
  }
  const std::set<std::vector<int>> published = {{7},
                                                {4, 3},
                                                {3, 3},
                                                {4, 2, 1},
                                                {4, 1, 1, 1},
                                                {3, 2, 2},
                                                {3, 2, 1, 1},
                                                {3, 2, 1},
                                                {3, 1, 1, 1, 1},
                                                {3, 1, 1, 1},
                                                {2, 2, 2, 1},
                                                {2, 2, 1, 1, 1},
                                                {2, 1, 1, 1, 1, 1},
                                                {1, 1, 1, 1, 1, 1, 1}};
  EXPECT_EQ(found, published);
}

TEST(KnownTruths, WhatNvidiaSmiWasSeenToCreateIsLegal) {
  for (const char* text :
       {"1g.10gb@0,1g.10gb@1,2g.20gb@2,3g.40gb@4",
        "1g.10gb@6,1g.10gb@4,1g.10gb@5,1g.10gb@0,1g.10gb@1,"
        "1g.10gb@2,1g.10gb@3",
        "4g.40gb@0,3g.40gb@4", "3g.40gb@0,3g.40gb@4", "7g.80gb@0", "2g.20gb@4,1g.10gb@6,1g.10gb@0",
        "1g.20gb@0,1g.20gb@2,1g.20gb@4,1g.20gb@6", "2g.20gb@0,2g.20gb@2,2g.20gb@4,1g.20gb@6",
        "1g.10gb+me@0,1g.10gb@1,2g.20gb@2,3g.40gb@4"}) {
    EXPECT_EQ(why_illegal(h100(), layout(h100(), text)), std::nullopt) << text;
  }
}

TEST(Legality, SaysWhyInWords) {
  const auto why = [](const Product& board, std::string_view text) {
    return why_illegal(board, layout(board, text)).value_or("legal");
  };
  EXPECT_EQ(why(h100(), "3g.40gb@2"), "3g.40gb cannot start at 2, only at 0, 4");
  EXPECT_EQ(why(h100(), "3g.40gb@4,2g.20gb@4"), "3g.40gb@4: memory slices 4-5 are taken");
  EXPECT_EQ(why(h100(), "3g.40gb@0,1g.10gb@3"), "1g.10gb@3: memory slice 3 is taken");
  EXPECT_EQ(why(h100(), "3g.40gb@0,2g.20gb@4,1g.20gb@6,1g.10gb@6"), "1g.20gb@6: memory slice 6 is taken");
  EXPECT_EQ(why(h100(), "4g.40gb@0,2g.20gb@4,1g.20gb@6"), "legal");
  EXPECT_EQ(why(h100(), "1g.10gb+me@0,1g.10gb+me@1"),
            "1g.10gb+me@1: at most 1 × 1g.10gb+me may exist on one GPU");
  EXPECT_EQ(why(a30(), "1g.6gb+me@0,2g.12gb+me@2"), "2g.12gb+me@2: no JPEG engine is left");
  EXPECT_EQ(why(product("H200-141GB"), "4g.71gb@0,2g.35gb@4,1g.35gb@6"), "legal");
  EXPECT_EQ(why(product("L40S"), ""), "L40S cannot be cut: it has no MIG");
  EXPECT_EQ(why(product("RTX-PRO-5000-Blackwell-48GB"), ""),
            "where instances may start on RTX-PRO-5000-Blackwell-48GB is not published");
  EXPECT_EQ(why_illegal(h100(), {{99, 0}}), "H100-80GB-SXM5 has no such profile");
  EXPECT_EQ(why_illegal(h100(), {{-1, 0}}), "H100-80GB-SXM5 has no such profile");
  EXPECT_FALSE(is_legal(h100(), {{99, 0}}));
  EXPECT_FALSE(is_legal(h100(), {{0, -1}}));
}

TEST(Legality, ComputeCanRunOutBeforeMemory) {
  // Seven compute slices over eight memory slices: with six taken, a 2g finds memory but no compute.
  const Layout held = layout(h100(), "3g.40gb@4,1g.10gb@0,1g.10gb@1,1g.20gb@2");
  EXPECT_EQ(is_legal(h100(), held), true);
  EXPECT_EQ(why_illegal(h100(), layout(h100(), "3g.40gb@0,3g.40gb@4")), std::nullopt);
  const Layout narrow = layout(h100(), "4g.40gb@0,1g.20gb@4,1g.10gb@6");
  EXPECT_EQ(room(h100(), narrow).free_compute_slices, 1);
  EXPECT_EQ(why_illegal(h100(), layout(h100(), "1g.20gb@0,1g.20gb@2,3g.40gb@4,3g.40gb@0")),
            "3g.40gb@0: memory slices 0-1 are taken");
}

TEST(MediaEngines, AnAllEngineInstanceLeavesOnlyThoseWithout) {
  const Layout held = layout(rtx6000(), "1g.24gb+me.all@0");
  ASSERT_TRUE(is_legal(rtx6000(), held));
  std::set<std::string> beside;
  for (std::size_t i = 0; i < rtx6000().profiles.size(); ++i) {
    for (const int start : rtx6000().profiles[i].starts) {
      if (fits(rtx6000(), held, {static_cast<int>(i), start})) beside.insert(rtx6000().profiles[i].name.text);
    }
  }
  EXPECT_EQ(beside, (std::set<std::string>{"1g.24gb-me", "2g.48gb-me"}));
  EXPECT_EQ(why_illegal(rtx6000(), layout(rtx6000(), "1g.24gb+me.all@0,1g.24gb@3")),
            "1g.24gb@3: no decoder is left");
}

TEST(MediaEngines, OneOwnerOfTheOpticalFlowEngine) {
  for (const Product& board : test::catalogue().products()) {
    if (!board.placements_known) continue;
    EXPECT_EQ(board.budget.ofa, 1) << board.key.text;
    for (const Layout& one : enumerate(board, Which::all, brute::every_profile(board))) {
      int owners = 0;
      for (const Placed placed : one) {
        owners += board.profiles[static_cast<std::size_t>(placed.profile)].engines.ofa.value_or(0);
      }
      ASSERT_LE(owners, 1) << board.key.text << " " << to_text(board, one);
    }
  }
}

TEST(MediaEngines, NeverForbidWhatPlaceComputeAndMaximumAllow) {
  // Without +me and its like the budget must not bite: those layouts are all known to work.
  for (const Product& board : test::catalogue().products()) {
    if (!board.placements_known) continue;
    Product unlimited = board;
    unlimited.budget = {};
    EXPECT_EQ(enumerate(board, Which::all), enumerate(unlimited, Which::all)) << board.key.text;
  }
}

TEST(BruteForce, AgreesOnBoardsThatExist) {
  const auto agrees = [](const Product& board, const std::vector<int>& profiles) {
    const brute::Truth truth = brute::truth(board, profiles);
    const std::vector<Layout> all = enumerate(board, Which::all, profiles);
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end())) << board.key.text;
    EXPECT_EQ(std::set<Layout>(all.begin(), all.end()), truth.all) << board.key.text;
    EXPECT_EQ(all.size(), truth.all.size());
    const std::vector<Layout> maximal = enumerate(board, Which::maximal, profiles);
    EXPECT_EQ(std::set<Layout>(maximal.begin(), maximal.end()), truth.maximal) << board.key.text;
    EXPECT_EQ(enumerate(board, Which::undominated, profiles).size(), truth.undominated.size());
  };
  agrees(h100(), base_profiles(h100(), false));
  agrees(a30(), brute::every_profile(a30()));
  agrees(rtx6000(), {0, 1, 3, 4, 5});
}

RC_GTEST_PROP(BruteForce, AgreesOnAnyBoard, ()) {
  const Product board = *brute::board();
  const std::vector<int> profiles = brute::every_profile(board);
  const brute::Truth truth = brute::truth(board, profiles);
  const std::vector<Layout> all = enumerate(board, Which::all, profiles);
  const std::vector<Layout> maximal = enumerate(board, Which::maximal, profiles);
  const std::vector<Layout> best = enumerate(board, Which::undominated, profiles);
  RC_ASSERT(std::vector<Layout>(truth.all.begin(), truth.all.end()) == all);
  RC_ASSERT(std::vector<Layout>(truth.maximal.begin(), truth.maximal.end()) == maximal);
  std::set<brute::Counts> found;
  for (const Layout& one : best) found.insert(brute::counts(one));
  RC_ASSERT(found == truth.undominated);
  RC_ASSERT(best.size() == truth.undominated.size());
}

RC_GTEST_PROP(BruteForce, FitsIsLegalityOfOneMore, ()) {
  const Product board = *brute::board();
  const std::vector<Layout> all = enumerate(board, Which::all, brute::every_profile(board));
  const Layout held = *rc::gen::elementOf(all);
  const Placed wanted{
      *rc::gen::resize(100, rc::gen::inRange(-1, static_cast<int>(board.profiles.size()) + 1)),
      *rc::gen::resize(100, rc::gen::inRange(-1, board.units + 1))};
  Layout more = held;
  more.push_back(wanted);
  const bool known = wanted.profile >= 0 && wanted.profile < static_cast<int>(board.profiles.size());
  const bool legal = known && brute::legal(board, more);
  RC_ASSERT(fits(board, held, wanted) == legal);
  RC_ASSERT(is_legal(board, more) == legal);
  RC_ASSERT(why_illegal(board, more).has_value() == !legal);
}

TEST(BaseProfiles, LeaveOutAttributesAndDoubleMemory) {
  const auto names = [](const Product& board, bool with_double) {
    std::string text;
    for (const int i : base_profiles(board, with_double)) {
      text += board.profiles[static_cast<std::size_t>(i)].name.text + " ";
    }
    return text;
  };
  EXPECT_EQ(names(h100(), false), "1g.10gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb ");
  EXPECT_EQ(names(h100(), true), "1g.10gb 1g.20gb 2g.20gb 3g.40gb 4g.40gb 7g.80gb ");
  EXPECT_EQ(names(a30(), true), "1g.6gb 2g.12gb 4g.24gb ");
  EXPECT_EQ(names(rtx6000(), true), "1g.24gb 2g.48gb 4g.96gb ");
}

}  // namespace
}  // namespace tessera::mig
