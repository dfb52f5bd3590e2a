// The GPUs of a node whose API tells slices without them: inferred where everything fits, and nowhere else.
#include "engine/operators/boards.hpp"

#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"

namespace tessera::test::boards_story {
namespace {

using operators::Reading;
using operators::SitePart;

constexpr const char* kHalves =
    "version: v1\nmig-configs:\n  halves:\n    - devices: all\n      mig-enabled: true\n"
    "      mig-devices:\n        \"3g.40gb\": 2\n";

struct Bare {
  operators::OperatorSetup site;
  Node node = test::node("n1", {});

  Bare() {
    site.readings.told(SitePart::mig_config, Reading::Is::value, at(0));
    site.readings.told(SitePart::generated, Reading::Is::absent, at(0));
    site.mig_config = operators::mig_file(kHalves);
    node.model = "NVIDIA-H100-80GB-HBM3";
    node.features = {"nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.count=1",
                     "nvidia.com/mig.config=halves", "nvidia.com/mig.config.state=success"};
    for (int i = 0; i < 2; ++i) add("3g.40gb");
  }
  void add(const char* profile) {
    Slice slice;
    slice.kind = SliceKind::gpu_instance;
    slice.profile = ProfileName(profile);
    node.pool.push_back(slice);
  }
  bool given() {
    const bool given = operators::give_boards(node, site, catalogue());
    EXPECT_EQ(given, node.pool.empty());
    return given;
  }
};

TEST(Boards, AreThoseThatTheConfigurationInForceMakes) {
  Bare bare;
  ASSERT_TRUE(bare.given());
  ASSERT_EQ(bare.node.gpus.size(), 1u);
  EXPECT_EQ(bare.node.gpus[0].slices.size(), 2u);
  EXPECT_EQ(bare.node.gpus[0].origin.source, Source::inferred);
}

TEST(Boards, OfAnOrderThatIsNotCarriedOutAreNotKnown) {
  for (const char* state : {"pending", "failed", "rebooting"}) {
    Bare bare;
    bare.node.features.back() = std::string("nvidia.com/mig.config.state=") + state;
    EXPECT_FALSE(bare.given()) << state;
  }
}

// A file that could not be read may stand before the one that was.
TEST(Boards, AreNotInferredFromAFileThatMayNotBeTheOne) {
  for (SitePart part : {SitePart::mig_config, SitePart::generated}) {
    Bare bare;
    bare.site.readings = {};
    bare.site.readings.told(part, Reading::Is::value, at(0));
    EXPECT_FALSE(bare.given()) << word(part);
  }
}

TEST(Boards, HoldEverySliceThatTheNodeOffers) {
  Bare more;
  more.add("1g.10gb");
  EXPECT_FALSE(more.given()) << "a slice is left over";
  Bare less;
  less.node.pool.pop_back();
  EXPECT_FALSE(less.given());
}

}  // namespace
}  // namespace tessera::test::boards_story
