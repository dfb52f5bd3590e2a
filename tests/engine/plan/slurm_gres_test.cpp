// GRES as Slurm writes it, in one form.
#include <gtest/gtest.h>

#include "engine/plan/steps/slurm_config.hpp"

namespace tessera::test {
namespace {

TEST(SlurmGres, IsReadInEveryWayInWhichItIsWritten) {
  using plan::slurm::plain_gres;
  EXPECT_EQ(plain_gres("gpu:h100:8(S:0-1)"), "gpu:h100:8");
  EXPECT_EQ(plain_gres("gpu:h100:2,mps:h100:200"), "gpu:h100:2,mps:200");
  EXPECT_EQ(plain_gres("mps:200,gpu:2"), "gpu:2,mps:200");
  EXPECT_EQ(plain_gres("gpu:1g.10gb:4,gpu:3g.40gb:2,gpu:1g.10gb:3"), "gpu:1g.10gb:7,gpu:3g.40gb:2");
  EXPECT_EQ(plain_gres("gpu:h100"), "gpu:h100:1");
  EXPECT_EQ(plain_gres("craynetwork:4"), "");
  EXPECT_EQ(plain_gres(""), "");
  EXPECT_EQ(plain_gres("gpu:0"), "");
  EXPECT_EQ(plain_gres(":,,((("), "");
}

}  // namespace
}  // namespace tessera::test
