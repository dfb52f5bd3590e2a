#include "tui/screens/cell_words.hpp"

#include <gtest/gtest.h>

#include "tui/screens/roles.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::tui {
namespace {

TEST(CellWords, LoseWhatEveryRowBeginsWith) {
  EXPECT_EQ(short_cell("model", "NVIDIA H100 80GB HBM3"), "H100 80GB HBM3");
  EXPECT_EQ(short_cell("model", "NVIDIA "), "NVIDIA ") << "a name is left";
  EXPECT_EQ(short_cell("asks", "gpu:1g.10gb:1"), "1g.10gb");
  EXPECT_EQ(short_cell("asks", "gpu:h100:8,nvidia.com/mig-1g.10gb:1"), "h100:8,mig-1g.10gb");
  EXPECT_EQ(short_cell("asks", "gpu:1"), "gpu");
  EXPECT_EQ(short_cell("asks", "nvidia.com/gpu:4"), "gpu:4");
  EXPECT_EQ(short_cell("asks", ""), "");
  EXPECT_EQ(short_cell("reason", "NVIDIA gpu:1"), "NVIDIA gpu:1") << "other columns keep their words";
}

// At 80 columns every pod's reason was "0/6 nodes are avail…".
TEST(CellWords, TellWhyAPodWaitsWithoutWhatEveryReasonBeginsWith) {
  EXPECT_EQ(short_cell("reason",
                       "0/6 nodes are available: 2 Insufficient nvidia.com/mig-1g.10gb, 4 Insufficient "
                       "nvidia.com/gpu."),
            "2 Insufficient mig-1g.10gb, 4 Insufficient gpu.");
  for (const char* whole : {"0/6 nodes are available: ", "some/6 nodes are available: none", "Resources",
                            "/6 nodes are available: none", ""})
    EXPECT_EQ(short_cell("reason", whole), whole);
}

// At 120 columns every Workload's was "Kueue: not admitted, queue team-…".
TEST(CellWords, TellWhyKueueDoesNotAdmitAWorkload) {
  EXPECT_EQ(
      short_cell("reason",
                 "Kueue: not admitted, queue team-ml: couldn't assign flavors to pod set main: insufficient "
                 "unused quota for nvidia.com/gpu in flavor h100, 2 more needed"),
      "Kueue team-ml: insufficient unused quota for gpu in flavor h100, 2 more needed");
  EXPECT_EQ(short_cell("reason", "Kueue: not admitted, queue lost: LocalQueue lost doesn't exist"),
            "Kueue lost: LocalQueue lost doesn't exist");
  for (const char* whole : {"Kueue: not admitted", "Kueue: not admitted, queue team-ml",
                            "Kueue: not admitted, queue a: ", "Kueue: deactivated, queue team-ml: by hand",
                            "Kueue: not admitted: no queue"})
    EXPECT_EQ(short_cell("reason", whole), whole);
  EXPECT_EQ(short_cell("reason", "Kueue: not admitted, queue a: couldn't assign flavors to pod set main: "),
            "Kueue a: couldn't assign flavors to pod set main: ");
}

// A drained node on which jobs still run: what they hold was drawn as if it were closed and free.
TEST(Strips, WhatIsHeldBehindAClosedSliceIsDrawnAsHeld) {
  const auto roles = [](std::string_view strip, bool ascii) {
    Canvas canvas(Size{8, 1});
    draw_strip(canvas, 0, 0, 8, strip, ascii);
    std::vector<Role> all;
    for (int x = 0; x < 8; ++x) all.push_back(canvas.at(x, 0).style.role);
    return all;
  };
  constexpr Role kHeld = Role::held, kDim = Role::dim;
  const std::vector<Role> wanted{kDim, kHeld, kDim, kHeld, kHeld, kHeld, kDim, kDim};
  EXPECT_EQ(roles("▒1▒3━━▒2", false), wanted);
  EXPECT_EQ(roles(";1;3==;2", true), wanted);
}

}  // namespace
}  // namespace tessera::tui
