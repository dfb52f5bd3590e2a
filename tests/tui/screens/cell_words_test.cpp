#include "tui/screens/cell_words.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace tessera::tui
