#include "engine/sharing/rules.hpp"

#include <gtest/gtest.h>

#include "tests/engine/sharing/sharing_build.hpp"
#include "tests/support/build.hpp"

namespace tessera::sharing {
namespace {

using test::cut_board;
using test::shape;
using test::shared_by;
using test::whole_board;

const std::string kH100 = "H100-80GB-SXM5";
const std::vector<std::string> kBalanced{"1g.10gb", "1g.10gb", "2g.20gb", "3g.40gb"};
const std::vector<std::string> kHalves{"3g.40gb", "3g.40gb"};

NodeShape with_operator(NodeShape node) {
  node.strategy = MigStrategy::none_with_operator;
  return node;
}

PodShape pod(std::int64_t count, bool host_ipc, int processes = 1) {
  PodShape made{"notebook", host_ipc, {}};
  made.containers.push_back({"main", {{"nvidia.com/gpu", count}, {"cpu", 4}}, processes});
  return made;
}

bool has(const Violations& found, const std::string& rule) {
  for (const Violation& one : found) {
    if (one.rule == rule) return !one.message.empty();
  }
  return false;
}

TEST(FptA, OneLayoutForAllCards) {
  EXPECT_TRUE(fpt_one_layout(shape({cut_board(kH100, kBalanced), cut_board(kH100, kBalanced)})).empty());
  const Violations found = fpt_one_layout(shape({cut_board(kH100, kBalanced), cut_board(kH100, kHalves)}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "fpt-a");
  EXPECT_NE(found[0].message.find("GPU 1 2 × 3g.40gb"), std::string::npos) << found[0].message;
  EXPECT_FALSE(fpt_one_layout(shape({cut_board(kH100, kHalves), whole_board(kH100)})).empty());
}

TEST(FptA, TheOrderOfInstancesDoesNotMatter) {
  const std::vector<std::string> turned(kBalanced.rbegin(), kBalanced.rend());
  EXPECT_TRUE(fpt_one_layout(shape({cut_board(kH100, kBalanced), cut_board(kH100, turned)})).empty());
}

TEST(FptB, OneStrategyForAllGroups) {
  NodeShape one = shape({cut_board(kH100, kHalves)}), two = one;
  one.group = "group-1";
  two.group = "group-2";
  EXPECT_TRUE(fpt_one_strategy(std::vector{one, two}).empty());
  two = shape({cut_board(kH100, kBalanced)});
  two.group = "group-2";
  const Violations found = fpt_one_strategy(std::vector{one, two});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].message.find("group-2 is \"mixed\""), std::string::npos) << found[0].message;
  EXPECT_TRUE(fpt_one_strategy({}).empty());
}

TEST(FptC, MpsTakesTwoToFortyEightClients) {
  const NodeShape node = with_operator(shape({whole_board(kH100)}));
  EXPECT_TRUE(fpt_mps(shared_by(node, Strategy::mps, 2)).empty());
  EXPECT_TRUE(fpt_mps(shared_by(node, Strategy::mps, 48)).empty());
  EXPECT_TRUE(has(fpt_mps(shared_by(node, Strategy::mps, 1)), "fpt-c"));
  EXPECT_TRUE(has(fpt_mps(shared_by(node, Strategy::mps, 49)), "fpt-c"));
  EXPECT_TRUE(fpt_mps(shared_by(node, Strategy::time_slicing, 99)).empty()) << "another rule's business";
}

TEST(FptC, MpsDoesNotGoWithMig) {
  EXPECT_TRUE(has(fpt_mps(shared_by(shape({cut_board(kH100, kHalves)}), Strategy::mps, 4)), "fpt-c"));
}

TEST(FptC, MpsPodsAskForOneRunOneAndShareIpc) {
  const NodeShape node = shared_by(with_operator(shape({whole_board(kH100)})), Strategy::mps, 4);
  EXPECT_TRUE(fpt_mps_pod(node, pod(1, true)).empty());
  EXPECT_EQ(fpt_mps_pod(node, pod(2, true)).size(), 1u);
  EXPECT_EQ(fpt_mps_pod(node, pod(1, true, 2)).size(), 1u);
  EXPECT_EQ(fpt_mps_pod(node, pod(1, false)).size(), 1u);
  EXPECT_TRUE(fpt_mps_pod(node, pod(0, false)).empty()) << "it uses no GPU";
}

TEST(FptD, TimeSlicingGoesWithSingleAndNoneWithOperator) {
  const NodeShape single = shape({cut_board(kH100, kHalves)});
  EXPECT_TRUE(fpt_time_slicing(shared_by(single, Strategy::time_slicing, 48)).empty());
  const NodeShape whole = with_operator(shape({whole_board(kH100)}));
  EXPECT_TRUE(fpt_time_slicing(shared_by(whole, Strategy::time_slicing, 2)).empty());
  const NodeShape mixed = shape({cut_board(kH100, kBalanced)});
  EXPECT_TRUE(has(fpt_time_slicing(shared_by(mixed, Strategy::time_slicing, 4)), "fpt-d"));
  EXPECT_TRUE(
      has(fpt_time_slicing(shared_by(shape({whole_board(kH100)}), Strategy::time_slicing, 4)), "fpt-d"))
      << "plain none has nothing installed that could slice";
  EXPECT_TRUE(has(fpt_time_slicing(shared_by(single, Strategy::time_slicing, 49)), "fpt-d"));
}

TEST(FptD, AskingForMoreGivesNothingMore) {
  const NodeShape node = shared_by(with_operator(shape({whole_board(kH100)})), Strategy::time_slicing, 4);
  EXPECT_TRUE(fpt_time_slicing_pod(node, pod(1, false)).empty());
  EXPECT_TRUE(has(fpt_time_slicing_pod(node, pod(2, false)), "fpt-d"));
  EXPECT_TRUE(has(fpt_time_slicing_pod(node, pod(1, false, 3)), "fpt-d"));
}

TEST(FptE, ABoardServesOneContainer) {
  const NodeShape node = with_operator(shape({whole_board(kH100), whole_board(kH100)}));
  EXPECT_TRUE(fpt_whole_gpu(node).empty());
  EXPECT_TRUE(has(fpt_whole_gpu(with_operator(shape({cut_board(kH100, kHalves)}))), "fpt-e"));
  PodShape three{"three", false, {}};
  three.containers.resize(3, {"main", {{"nvidia.com/gpu", 1}}, 1});
  EXPECT_TRUE(has(fpt_whole_gpu_pod(node, three), "fpt-e"));
  three.containers.pop_back();
  EXPECT_TRUE(fpt_whole_gpu_pod(node, three).empty());
}

TEST(FptAll, APlatformIsCheckedAsAWhole) {
  const std::vector<NodeShape> good{shape({cut_board(kH100, kHalves), cut_board(kH100, kHalves)})};
  EXPECT_TRUE(check(Platform::fpt, good).empty());
  const std::vector<NodeShape> bad{
      shared_by(shape({cut_board(kH100, kBalanced), cut_board(kH100, kHalves)}), Strategy::time_slicing, 60),
      shape({cut_board(kH100, kHalves)})};
  const Violations found = check(Platform::fpt, bad);
  EXPECT_TRUE(has(found, "fpt-a") && has(found, "fpt-b") && has(found, "fpt-d"));
  EXPECT_FALSE(has(check(Platform::gpu_operator, bad), "fpt-a")) << "another platform's rule";
}

TEST(Plugin, KnowsItsOwnLimits) {
  const NodeShape v100 = shape({whole_board("V100-32GB")});
  EXPECT_TRUE(plugin_rules(shared_by(v100, Strategy::mps, 16)).empty());
  EXPECT_TRUE(has(plugin_rules(shared_by(v100, Strategy::mps, 17)), "plugin-mps-clients"));
  EXPECT_TRUE(plugin_rules(shared_by(shape({whole_board(kH100)}), Strategy::mps, 48)).empty());
  EXPECT_TRUE(
      has(plugin_rules(shared_by(shape({cut_board(kH100, kHalves)}), Strategy::mps, 4)), "plugin-mps-mig"));
  EXPECT_TRUE(has(plugin_rules(shared_by(v100, Strategy::time_slicing, 1)), "plugin-replicas"));
  NodeShape odd = shape({cut_board(kH100, kBalanced)});
  EXPECT_TRUE(plugin_rules(odd).empty());
  odd.strategy = MigStrategy::single;
  EXPECT_TRUE(has(plugin_rules(odd), "plugin-single"));
}

TEST(Plugin, RefusesMoreThanOneShareWhereItIsTold) {
  NodeShape node = shared_by(shape({whole_board(kH100)}), Strategy::mps, 4);
  EXPECT_TRUE(has(check_pod(Platform::gpu_operator, node, pod(2, true)), "plugin-request"));
  node.sharing.refuse_more = false;
  EXPECT_TRUE(check_pod(Platform::gpu_operator, node, pod(2, true)).empty());
  node = shared_by(shape({whole_board(kH100)}), Strategy::time_slicing, 4);
  EXPECT_TRUE(check_pod(Platform::gpu_operator, node, pod(2, true)).empty()) << "off by default";
  node.sharing.refuse_more = true;
  EXPECT_TRUE(has(check_pod(Platform::gpu_operator, node, pod(2, true)), "plugin-request"));
}

TEST(Ack, ChecksVersionsAndTheWholePool) {
  NodeShape one = shared_by(shape({whole_board(kH100)}), Strategy::mps, 4), two = one;
  one.group = two.group = "pool";
  one.by_pool = two.by_pool = true;
  two.name = "worker-2";
  EXPECT_TRUE(ack_rules(std::vector{one, two}, {"1.28.3", "1.9.13", true, false}).empty());
  EXPECT_TRUE(ack_rules(std::vector{one, two}, {}).empty()) << "what is not known is not held against it";
  const Violations old = ack_rules(std::vector{one, two}, {"1.18", "1.9.2", false, true});
  for (const char* rule : {"ack-pro", "ack-version", "ack-component", "ack-label-default"}) {
    EXPECT_TRUE(has(old, rule)) << rule;
  }
  two.sharing.method = Strategy::whole;
  EXPECT_TRUE(has(ack_rules(std::vector{one, two}, {}), "ack-pool"));
}

TEST(Gke, CutsAPoolInOneSize) {
  NodeShape one = shape({cut_board(kH100, kHalves)}), two = shape({cut_board(kH100, {"7g.80gb"})});
  one.group = two.group = "pool";
  EXPECT_TRUE(has(check(Platform::gke, std::vector{one, two}), "gke-uniform"));
  EXPECT_TRUE(check(Platform::gke, std::vector{one}).empty());
  EXPECT_TRUE(has(check(Platform::gke, std::vector{shape({cut_board(kH100, kBalanced)})}), "gke-uniform"));
  EXPECT_TRUE(has(check(Platform::aks, std::vector{one, two}), "aks-pool"));
}

TEST(Gke, HasClientsAndMediaRules) {
  const NodeShape node = shape({whole_board(kH100)});
  EXPECT_TRUE(
      has(check(Platform::gke, std::vector{shared_by(node, Strategy::time_slicing, 49)}), "gke-clients"));
  EXPECT_TRUE(has(check(Platform::gke, std::vector{shape({cut_board(kH100, {"1g.10gb+me"})})}), "gke-me"));
  EXPECT_FALSE(has(
      check(Platform::gke, std::vector{shape({cut_board("RTX-PRO-6000-Blackwell-96GB", {"1g.24gb+me"})})}),
      "gke-me"));
}

TEST(Slurm, SharesWholeBoardsOnly) {
  const NodeShape cut = shape({cut_board(kH100, kHalves)});
  EXPECT_TRUE(check(Platform::slurm, std::vector{cut}).empty());
  EXPECT_TRUE(
      has(check(Platform::slurm, std::vector{shared_by(cut, Strategy::shard, 4)}), "slurm-share-whole"));
  EXPECT_TRUE(has(check(Platform::hyperpod_slurm, std::vector{cut}), "hyperpod-slurm-no-mig"));
}

TEST(Platform, IsRecognisedByLabels) {
  Cluster cluster;
  EXPECT_EQ(recognise(cluster).platform, Platform::slurm);
  cluster.scheduler = Scheduler::kubernetes;
  Node node = test::node("n1", {});
  EXPECT_EQ(recognise(cluster).platform, Platform::gpu_operator);
  node.features = {"cloud.google.com/gke-accelerator=nvidia-h100-80gb"};
  cluster.nodes.upsert(node);
  EXPECT_EQ(recognise(cluster).platform, Platform::gke);
  EXPECT_NE(recognise(cluster).evidence.find("n1"), std::string::npos);
  node.features = {"eks.amazonaws.com/nodegroup=a", "sagemaker.amazonaws.com/node-health-status=Schedulable"};
  cluster.nodes.upsert(node);
  EXPECT_EQ(recognise(cluster).platform, Platform::hyperpod_eks) << "the more special one wins";
}

TEST(Platform, WhatTheSiteSaysHoldsForClustersOfThatScheduler) {
  Cluster cluster;
  EXPECT_EQ(platform_of(cluster, Platform::hyperpod_slurm).platform, Platform::hyperpod_slurm);
  EXPECT_EQ(platform_of(cluster, Platform::gke).platform, Platform::slurm);
  EXPECT_EQ(platform_of(cluster, std::nullopt).platform, Platform::slurm);
  cluster.scheduler = Scheduler::kubernetes;
  EXPECT_EQ(platform_of(cluster, Platform::gke).platform, Platform::gke);
  EXPECT_EQ(platform_of(cluster, Platform::gke).evidence, "set for this site");
  EXPECT_EQ(platform_of(cluster, Platform::slurm).platform, Platform::gpu_operator);
}

TEST(Platform, WordsAreReadBack) {
  for (int i = 0; i < kPlatforms; ++i) {
    const auto platform = static_cast<Platform>(i);
    EXPECT_EQ(parse_platform(word(platform)), platform);
    EXPECT_FALSE(title(platform).empty());
  }
  EXPECT_FALSE(parse_platform("cloud"));
}

TEST(PlatformFacts, CoverEveryPlatform) {
  const auto facts = built_in_platforms();
  ASSERT_TRUE(facts.ok()) << to_line(facts.error());
  EXPECT_EQ(facts->size(), static_cast<std::size_t>(kPlatforms));
}

TEST(PlatformFacts, AreRefusedWithTheirLine) {
  const auto reason = [](const std::string& text) {
    auto read = parse_platforms(text, "site.yaml");
    return read.ok() ? std::string("accepted") : read.error().reason;
  };
  EXPECT_EQ(reason("platforms:\n  - {platform: moon, remarks: [{id: a, text: b}]}\n").find("site.yaml:2:"),
            0u);
  EXPECT_EQ(reason("platforms:\n  - platform: gke\n    remarks:\n      - {id: a, text: b, about: [fire]}\n")
                .find("site.yaml:4:"),
            0u);
  EXPECT_EQ(
      reason(
          "platforms:\n  - platform: gke\n    remarks:\n      - {id: a, text: b}\n      - {id: a, text: c}\n")
          .find("site.yaml:2:"),
      0u);
}

}  // namespace
}  // namespace tessera::sharing
