#include "engine/sharing/resources.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/engine/sharing/sharing_build.hpp"
#include "tests/support/build.hpp"

namespace tessera::sharing {
namespace {

using test::cut_board;
using test::shape;
using test::shared_by;
using test::whole_board;
using Counts = std::map<std::string, std::int64_t>;

constexpr auto kKubernetes = Scheduler::kubernetes;
constexpr auto kSlurm = Scheduler::slurm;

TEST(Resources, TwoBoardsOfFourInstancesAdvertiseEight) {
  const std::vector<std::string> four(4, "1g.20gb");
  const NodeShape node = shape({cut_board("H100-80GB-SXM5", four), cut_board("H100-80GB-SXM5", four)});
  EXPECT_EQ(node.strategy, MigStrategy::single);
  EXPECT_EQ(advertise(node, kKubernetes).counts, (Counts{{"nvidia.com/gpu", 8}}));
  EXPECT_EQ(advertise(node, kSlurm).counts, (Counts{{"gpu:1g.20gb", 8}}));
}

TEST(Resources, TimeSlicesMultiplyInstances) {
  const NodeShape a30 =
      shared_by(shape({cut_board("A30-24GB", {"2g.12gb", "2g.12gb"})}), Strategy::time_slicing, 48);
  EXPECT_EQ(advertise(a30, kKubernetes).counts, (Counts{{"nvidia.com/gpu", 96}}));
}

TEST(Resources, MpsClientsMultiplyBoards) {
  const NodeShape two =
      shared_by(shape({whole_board("H100-80GB-SXM5"), whole_board("H100-80GB-SXM5")}), Strategy::mps, 48);
  EXPECT_EQ(advertise(two, kKubernetes).counts, (Counts{{"nvidia.com/gpu", 96}}));
}

TEST(Resources, MixedNamesEveryProfileAndLeavesWholeBoardsWhole) {
  NodeShape node = shape({cut_board("H100-80GB-SXM5", {"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"}),
                          whole_board("H100-80GB-SXM5")});
  EXPECT_EQ(node.strategy, MigStrategy::mixed);
  const Counts counts{{"nvidia.com/gpu", 1},
                      {"nvidia.com/mig-1g.10gb", 2},
                      {"nvidia.com/mig-2g.20gb", 1},
                      {"nvidia.com/mig-3g.40gb", 1}};
  EXPECT_EQ(advertise(node, kKubernetes).counts, counts);

  node = shared_by(node, Strategy::time_slicing, 4);
  node.sharing.only = {"nvidia.com/mig-1g.10gb"};
  Counts some = counts;
  some["nvidia.com/mig-1g.10gb"] = 8;
  EXPECT_EQ(advertise(node, kKubernetes).counts, some);
}

TEST(Resources, RenamedOnesLeaveTheOldNameAtZero) {
  NodeShape node = shared_by(shape({whole_board("T4"), whole_board("T4")}), Strategy::time_slicing, 4);
  node.sharing.rename = true;
  EXPECT_EQ(advertise(node, kKubernetes).counts,
            (Counts{{"nvidia.com/gpu", 0}, {"nvidia.com/gpu.shared", 8}}));
}

TEST(Resources, SingleWithBoardsThatDifferAdvertisesNothingAndSaysWhy) {
  NodeShape node =
      shape({cut_board("H100-80GB-SXM5", {"3g.40gb", "3g.40gb"}), cut_board("H100-80GB-SXM5", {"2g.20gb"})});
  node.strategy = MigStrategy::single;
  const Advertised odd = advertise(node, kKubernetes);
  EXPECT_EQ(odd.counts, (Counts{{"nvidia.com/gpu", 0}}));
  ASSERT_EQ(odd.notes.size(), 1u);
  EXPECT_NE(odd.notes[0].find("MIG-INVALID"), std::string::npos);
}

TEST(Resources, MpsOnInstancesAdvertisesNothing) {
  const NodeShape node =
      shared_by(shape({cut_board("H100-80GB-SXM5", {"3g.40gb", "3g.40gb"})}), Strategy::mps, 4);
  EXPECT_EQ(advertise(node, kKubernetes).counts, (Counts{{"nvidia.com/gpu", 0}}));
  EXPECT_FALSE(advertise(node, kKubernetes).notes.empty());
}

TEST(Resources, SlurmCountsPercentAndShards) {
  const NodeShape node =
      shape({whole_board("H100-80GB-SXM5", "h100"), whole_board("H100-80GB-SXM5", "h100")});
  EXPECT_EQ(advertise(node, kSlurm).counts, (Counts{{"gpu:h100", 2}}));
  EXPECT_EQ(advertise(shared_by(node, Strategy::mps, 1), kSlurm).counts,
            (Counts{{"gpu:h100", 2}, {"mps", 200}}));
  EXPECT_EQ(advertise(shared_by(node, Strategy::shard, 8), kSlurm).counts,
            (Counts{{"gpu:h100", 2}, {"shard", 16}}));
}

TEST(Resources, SlurmTypesKeepThePlusAndTheSitesPrefix) {
  NodeShape node = shape({cut_board("A100-40GB", {"1g.5gb+me", "3g.20gb"})});
  node.slurm_instance_prefix = "a100_";
  EXPECT_EQ(advertise(node, kSlurm).counts, (Counts{{"gpu:a100_1g.5gb+me", 1}, {"gpu:a100_3g.20gb", 1}}));
}

TEST(Resources, NamesAreReadInEverySpelling) {
  const auto kubernetes = [](const char* text) { return parse_resource(text, kKubernetes); };
  EXPECT_EQ(kubernetes("nvidia.com/mig-1g.24gb.me.all")->profile, ProfileName("1g.24gb+me.all"));
  EXPECT_EQ(kubernetes("nvidia.com/mig-1g.24gb-me")->profile, ProfileName("1g.24gb-me"));
  EXPECT_TRUE(kubernetes("nvidia.com/mig-1g.5gb.shared")->shared);
  EXPECT_EQ(kubernetes("nvidia.com/mig-1g.5gb.shared")->profile, ProfileName("1g.5gb"));
  EXPECT_TRUE(kubernetes("nvidia.com/gpu.shared")->shared);
  EXPECT_EQ(kubernetes("mig.das.com/1g.5gb")->kind, ResourceKind::instance);
  EXPECT_EQ(kubernetes("aliyun.com/gpu-mem")->kind, ResourceKind::gpu_memory);
  EXPECT_EQ(kubernetes("nvidia.com/gpumem")->kind, ResourceKind::gpu_memory);
  for (const char* with_a_gpu :
       {"nvidia.com/gpucores", "nvidia.com/gpumem-percentage", "aliyun.com/gpu-count"})
    EXPECT_EQ(kubernetes(with_a_gpu)->kind, ResourceKind::other_gpu) << with_a_gpu;
  for (const char* spelled : {"nvidia.com/mig-1g.10gb.me", "nvidia.com/mig-1g.24gb.gfx"})
    EXPECT_EQ(kubernetes(spelled)->kind, ResourceKind::instance) << spelled;
  EXPECT_EQ(kubernetes("nvidia.com/mig-1g.24gb.gfx")->profile, ProfileName("1g.24gb+gfx"));
  EXPECT_EQ(kubernetes("nvidia.com/NVIDIA_A10-12Q")->kind, ResourceKind::vgpu);
  EXPECT_FALSE(kubernetes("cpu"));
  // KubeVirt's whole GPUs, and the network cards that NVIDIA's network operator offers.
  for (const char* board : {"nvidia.com/GA102GL_A10", "nvidia.com/GH100_H200_SXM_141GB", "nvidia.com/pgpu"})
    EXPECT_EQ(kubernetes(board)->kind, ResourceKind::other_gpu) << board;
  for (const char* card : {"nvidia.com/hostdev", "nvidia.com/rdma_shared_device_a", "nvidia.com/mlnxnics",
                           "nvidia.com/GATEWAY", "nvidia.com/GA1"})
    EXPECT_FALSE(kubernetes(card)) << card;
  EXPECT_FALSE(kubernetes("nvidia.com/"));
  EXPECT_FALSE(kubernetes("nvidia.com/mig-banana"));

  const auto slurm = [](const char* text) { return parse_resource(text, kSlurm); };
  EXPECT_EQ(slurm("gres/gpu:h100")->type, "h100");
  EXPECT_EQ(slurm("gpu:h100"), slurm("gres:gpu:h100"));
  EXPECT_EQ(slurm("gpu:a100_3g.20gb")->profile, ProfileName("3g.20gb"));
  EXPECT_EQ(slurm("mps")->kind, ResourceKind::mps);
  EXPECT_EQ(slurm("shard")->kind, ResourceKind::shard);
  EXPECT_FALSE(slurm("craynetwork"));
  EXPECT_FALSE(parse_resource(std::string(300, 'x'), kSlurm));
}

TEST(Resources, EveryNameThatIsMadeIsReadBack) {
  for (const mig::Product& product : test::catalogue().products()) {
    for (const mig::Profile& profile : product.profiles) {
      for (bool shared : {false, true}) {
        const auto back = parse_resource(kubernetes_instance(profile.name, shared), kKubernetes);
        ASSERT_TRUE(back) << product.key.text << " " << profile.name.text;
        EXPECT_EQ(back->profile, profile.name);
        EXPECT_EQ(back->shared, shared);
      }
      const auto back = parse_resource(slurm_instance(profile.name, "h100_"), kSlurm);
      ASSERT_TRUE(back) << profile.name.text;
      EXPECT_EQ(back->profile, profile.name);
    }
  }
}

RC_GTEST_PROP(Resources, AnyTextIsReadOrRefusedWithoutHarm, (const std::string& text)) {
  for (Scheduler scheduler : {kKubernetes, kSlurm}) {
    if (auto name = parse_resource("nvidia.com/" + text, scheduler)) RC_ASSERT(name->type.size() <= 256u);
    parse_resource(text, scheduler);
  }
}

TEST(Shape, IsReadFromANode) {
  Node node = test::node(
      "n1",
      {test::gpu(0, Strategy::mig, {test::instance("1g.10gb", 0, 1, 0), test::instance("3g.40gb", 4, 4, 1)}),
       test::gpu(1, Strategy::whole, {test::whole(2)})});
  node.gpus[0].mig_mode = MigMode::enabled;
  const NodeShape kubernetes = of_node(node, kKubernetes, test::catalogue());
  EXPECT_EQ(kubernetes.strategy, MigStrategy::mixed);
  EXPECT_EQ(advertise(kubernetes, kKubernetes).counts["nvidia.com/mig-3g.40gb"], 1);
  EXPECT_EQ(advertise(of_node(node, kSlurm, test::catalogue()), kSlurm).counts,
            (Counts{{"gpu:1g.10gb", 1}, {"gpu:3g.40gb", 1}, {"gpu:h100", 1}}));
}

TEST(Shape, ALabelOverridesWhatTheCutSuggests) {
  Node node = test::node("n1", {test::gpu(0, Strategy::mig, {test::instance("3g.40gb", 0, 4, 0)})});
  node.features = {"nvidia.com/mig.strategy=mixed"};
  EXPECT_EQ(of_node(node, kKubernetes, test::catalogue()).strategy, MigStrategy::mixed);
}

TEST(Shape, ASlurmPoolIsOneBoard) {
  Node node = test::node("n1", {});
  node.pool = {test::instance("1g.10gb", 0, 1, 0), test::instance("1g.10gb", 1, 1, 1)};
  EXPECT_EQ(advertise(of_node(node, kSlurm, test::catalogue()), kSlurm).counts, (Counts{{"gpu:1g.10gb", 2}}));
}

TEST(Shape, TimeSlicesAreFoundOnBoards) {
  Node node =
      test::node("n1", {test::gpu(0, Strategy::time_slicing, {test::shared(SliceKind::time_slice, 4, 0)})});
  node.gpus[0].replicas = 4;
  const NodeShape found = of_node(node, kKubernetes, test::catalogue());
  EXPECT_EQ(found.sharing.method, Strategy::time_slicing);
  EXPECT_EQ(advertise(found, kKubernetes).counts, (Counts{{"nvidia.com/gpu", 4}}));
}

}  // namespace
}  // namespace tessera::sharing
