#include "engine/mig/edit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/engine/mig/brute_force.hpp"

namespace tessera::mig {
namespace {

const Product& board_of(const char* key) {
  static const Catalogue built_in = *Catalogue::built_in();
  return *built_in.by_key(key);
}
const Product& edit_h100() { return board_of("H100-80GB-SXM5"); }
Layout edit_layout(std::string_view text) { return *parse_layout(edit_h100(), text); }

std::string why(std::string_view profile, std::string_view standing, int unit = 0) {
  const int index = *edit_h100().index_of(profile);
  const auto found = obstacle(edit_h100(), edit_layout(standing), index, unit);
  return found ? to_text(edit_h100(), index, *found) : "it fits";
}

TEST(Edit, OneMoreGoesWhereTheCursorStands) {
  const int two = *edit_h100().index_of("2g.20gb"), three = *edit_h100().index_of("3g.40gb");
  EXPECT_EQ(open_start_near(edit_h100(), {}, two, 5), 4) << "slices 4-5 cover 5";
  EXPECT_EQ(open_start_near(edit_h100(), {}, three, 3), 0);
  EXPECT_EQ(open_start_near(edit_h100(), {}, three, 7), 4);
  EXPECT_EQ(open_start_near(edit_h100(), edit_layout("3g.40gb@0"), three, 0), 4)
      << "the nearest that is open";
  EXPECT_FALSE(open_start_near(edit_h100(), edit_layout("7g.80gb@0"), two, 0));
}

TEST(Edit, WhatIsInTheWayIsSaid) {
  EXPECT_EQ(why("3g.40gb", ""), "it fits");
  EXPECT_EQ(why("7g.80gb", "1g.10gb@0"), "needs an empty GPU");
  EXPECT_EQ(why("2g.20gb", "1g.10gb@0,1g.10gb@2,1g.10gb@4", 4), "needs slices 4-5 free");
  EXPECT_EQ(why("1g.10gb", "7x1g.10gb"), "at most 7 on one GPU");
  EXPECT_EQ(why("1g.10gb", "4g.40gb@0,3g.40gb@4"), "compute slices used up");
  EXPECT_EQ(why("1g.10gb+me", "1g.10gb+me@0"), "at most 1 with media engines");
}

TEST(Edit, TheObstacleWithTheFewestInItsWayIsNamed) {
  const Layout standing = edit_layout("1g.10gb@0,1g.10gb@1,1g.10gb@2,1g.10gb@5");
  const auto found = obstacle(edit_h100(), standing, *edit_h100().index_of("3g.40gb"), 0);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->needs, (Placement{4, 4}));
  EXPECT_EQ(found->in_way, std::vector<std::size_t>{3});
}

TEST(Edit, SlidingPassesNeighbours) {
  const Layout standing = edit_layout("1g.10gb@0,2g.20gb@2");
  EXPECT_EQ(slide(edit_h100(), standing, 0, 1), edit_layout("1g.10gb@1,2g.20gb@2"));
  EXPECT_EQ(slide(edit_h100(), edit_layout("1g.10gb@1,2g.20gb@2"), 0, 1), edit_layout("2g.20gb@2,1g.10gb@4"));
  EXPECT_FALSE(slide(edit_h100(), standing, 0, -1)) << "it stands at the left end";
}

TEST(Edit, StrandedMemoryIsNamed) {
  EXPECT_EQ(stranded_text(edit_h100(), edit_layout("7x1g.10gb")), "slice 7 is stranded");
  EXPECT_EQ(stranded_text(edit_h100(), {}), "");
}

Layout any_layout(const Product& board) {
  const brute::Truth truth = brute::truth(board, brute::every_profile(board));
  return *rc::gen::elementOf(std::vector<Layout>(truth.all.begin(), truth.all.end()));
}

std::vector<int> starts_by_brute_force(const Product& board, const Layout& standing, int profile) {
  std::vector<int> starts;
  for (const int start : board.profiles[static_cast<std::size_t>(profile)].starts) {
    Layout more = standing;
    more.push_back({profile, start});
    if (brute::legal(board, more)) starts.push_back(start);
  }
  std::sort(starts.begin(), starts.end());
  return starts;
}

RC_GTEST_PROP(Edit, OpenStartsAreThoseThatLeaveALegalBoard, ()) {
  const Product board = *brute::board();
  const Layout standing = any_layout(board);
  for (const int profile : brute::every_profile(board))
    RC_ASSERT(open_starts(board, standing, profile) == starts_by_brute_force(board, standing, profile));
}

RC_GTEST_PROP(Edit, AnObstacleIsToldExactlyWhenNothingFits, ()) {
  const Product board = *brute::board();
  const Layout standing = any_layout(board);
  const int unit = *rc::gen::inRange(0, board.units);
  for (const int profile : brute::every_profile(board)) {
    const auto found = obstacle(board, standing, profile, unit);
    RC_ASSERT(found.has_value() == starts_by_brute_force(board, standing, profile).empty());
    if (!found) continue;
    RC_ASSERT(!to_text(board, profile, *found).empty());
    if (found->lack != Lack::memory) continue;
    // Without what is named, that place is free of memory; with it, it is not.
    Layout rest;
    for (std::size_t i = 0; i < standing.size(); ++i) {
      const bool named = std::find(found->in_way.begin(), found->in_way.end(), i) != found->in_way.end();
      RC_ASSERT(named == brute::overlap(board, standing[i], {profile, found->needs.start}));
      if (!named) rest.push_back(standing[i]);
    }
    RC_ASSERT(rest.size() < standing.size());
  }
}

RC_GTEST_PROP(Edit, SlidingLeavesALegalBoardAndTakesTheNextPlace, ()) {
  const Product board = *brute::board();
  const Layout standing = any_layout(board);
  RC_PRE(!standing.empty());
  const auto index = *rc::gen::inRange<std::size_t>(0, standing.size());
  const int direction = *rc::gen::element(-1, 1);
  const Placed moving = standing[index];
  Layout others = standing;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
  std::vector<int> that_way;
  for (const int start : starts_by_brute_force(board, others, moving.profile))
    if ((start - moving.start) * direction > 0) that_way.push_back(start);
  const auto moved = slide(board, standing, index, direction);
  RC_ASSERT(moved.has_value() == !that_way.empty());
  if (!moved) return;
  others.push_back({moving.profile, direction > 0 ? that_way.front() : that_way.back()});
  std::sort(others.begin(), others.end());
  RC_ASSERT(*moved == others);
}

}  // namespace
}  // namespace tessera::mig
