// The orders as they are typed.
#include "backends/nvidia/commands.hpp"

#include <gtest/gtest.h>

#include "engine/mig/catalogue.hpp"

namespace tessera::nvidia {
namespace {

TEST(NvidiaCommands, SayExactlyWhatIsMeant) {
  auto catalogue = mig::Catalogue::built_in();
  ASSERT_TRUE(catalogue);
  const mig::Product* product = catalogue->by_key("H100-80GB-SXM5");
  std::vector<plan::InstanceAt> wanted{{ProfileName("3g.40gb"), {4, 4}, std::nullopt},
                                       {ProfileName("1g.10gb"), {0, 1}, std::nullopt}};
  EXPECT_EQ(create(GpuIndex{2}, wanted, product, false),
            (Argv{"nvidia-smi", "mig", "-i", "2", "-cgi", "9,19", "-C"}));
  EXPECT_EQ(create(GpuIndex{2}, wanted, product, true),
            (Argv{"nvidia-smi", "mig", "-i", "2", "-cgi", "9:4,19:0", "-C"}));
  EXPECT_EQ(create(GpuIndex{2}, wanted, nullptr, false)[5], "3g.40gb,1g.10gb");
  std::vector<int> ids{7, 8};
  EXPECT_EQ(destroy_compute(GpuIndex{0}, ids), (Argv{"nvidia-smi", "mig", "-i", "0", "-gi", "7,8", "-dci"}));
  EXPECT_EQ(destroy_instances(GpuIndex{0}, ids),
            (Argv{"nvidia-smi", "mig", "-i", "0", "-gi", "7,8", "-dgi"}));
  std::vector<GpuIndex> gpus{GpuIndex{0}, GpuIndex{3}};
  EXPECT_EQ(set_mode(gpus, true), (Argv{"nvidia-smi", "-i", "0,3", "-mig", "1"}));
  EXPECT_EQ(reset(gpus), (Argv{"nvidia-smi", "-i", "0,3", "--gpu-reset"}));
  // Without a list the verbs would mean everything there is: nothing comes out.
  for (const Argv& argv : {reset({}), set_mode({}, false), destroy_instances(GpuIndex{0}, {}),
                           destroy_compute(GpuIndex{0}, {}), create(GpuIndex{0}, {}, product, false)})
    EXPECT_TRUE(argv.empty());
}

}  // namespace
}  // namespace tessera::nvidia
