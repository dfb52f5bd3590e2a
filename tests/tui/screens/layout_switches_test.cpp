// The device plugin's switches and a layout for each GPU, as the editor keeps them.
#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"
#include "tests/support/build.hpp"
#include "tui/screens/layout/layout_state.hpp"

namespace tessera::tui {
namespace {

LayoutState edit_of_two() {
  LayoutState edit;
  edit.boards = {{NodeName("n1"), GpuIndex{0}, ProductKey("H100-80GB-SXM5")},
                 {NodeName("n1"), GpuIndex{1}, ProductKey("H100-80GB-SXM5")}};
  return edit;
}

TEST(LayoutSwitches, AreForSharesAndGoBackToHowTheNodeHasThem) {
  LayoutState edit = edit_of_two();
  EXPECT_NE(flip_switch(edit, &Want::rename_shared, false), "") << "nothing is shared";
  edit.want.strategy = Strategy::time_slicing;
  edit.want.replicas = 4;
  EXPECT_EQ(flip_switch(edit, &Want::rename_shared, false), "");
  EXPECT_EQ(edit.want.rename_shared, true);
  EXPECT_TRUE(edit.touched) << "the name alone is an edit";
  EXPECT_EQ(flip_switch(edit, &Want::refuse_several, true), "");
  EXPECT_EQ(edit.want.refuse_several, false);
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::uncut(0, 0), test::uncut(1, 1)})}});
  auto intent = intent_of(edit, story.cluster(), &test::h100());
  ASSERT_TRUE(intent.ok());
  EXPECT_EQ(intent->switches.rename_shared, true);
  EXPECT_EQ(intent->switches.refuse_several, false);
  EXPECT_EQ(flip_switch(edit, &Want::rename_shared, false), "");
  EXPECT_EQ(edit.want.rename_shared, std::nullopt);
  EXPECT_EQ(undo_edit(edit), "");
  EXPECT_EQ(edit.want.rename_shared, true);
}

TEST(LayoutForEach, EveryGpuKeepsItsOwnAndAllAreWishedForTogether) {
  LayoutState edit = edit_of_two();
  Want large, small;
  large.strategy = small.strategy = Strategy::mig;
  large.layout = {{*test::h100().index_of("7g.80gb"), 0}};
  for (int i = 0; i < 7; ++i) small.layout.push_back({*test::h100().index_of("1g.10gb"), i});
  take(edit, large);
  edit.each = {large, small};
  EXPECT_EQ(edit.targets().size(), 2u);
  look_at_board(edit, 1);
  EXPECT_EQ(edit.want.layout, small.layout);
  Want halves;
  halves.strategy = Strategy::mig;
  halves.layout = {{*test::h100().index_of("3g.40gb"), 0}, {*test::h100().index_of("3g.40gb"), 4}};
  take(edit, halves);
  test::Story story;
  story.tell(NodesListed{{test::node("n1", {test::uncut(0, 0), test::uncut(1, 1)})}});
  auto intent = intent_of(edit, story.cluster(), &test::h100());
  ASSERT_TRUE(intent.ok());
  ASSERT_EQ(intent->boards.size(), 2u);
  EXPECT_EQ(plan::to_text(intent->boards[0].wish), "7g.80gb");
  EXPECT_EQ(plan::to_text(intent->boards[1].wish), "2 × 3g.40gb");
  EXPECT_EQ(intent->boards[1].node, NodeName("n1"));
  start_over(edit, large);
  EXPECT_TRUE(edit.each.empty());
}

}  // namespace
}  // namespace tessera::tui
