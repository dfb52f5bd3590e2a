// A file that says what each node and GPU is to be.
#include "engine/plan/files/intent_file.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

constexpr const char* kFile = R"(nodes:
  gpu01: 7x1g.12gb
  gpu[02-03]: {layout: 3g.47gb, replicas: 2}
  gpu05: {strategy: mps, replicas: 8}
  gpu06:
    0: 3g.47gb@4,2g.24gb@2
    1-2: none
  gpu07: {strategy: vgpu, vgpu: A10-4Q}
)";

std::string line_of(const BoardWish& one) {
  return one.node->text + (one.gpu ? "/" + std::to_string(one.gpu->value) : "") + ": " + to_text(one.wish);
}

TEST(IntentFile, EachNodeAndGpuIsWishedForAsItLikes) {
  auto read = read_intent_file(kFile, "wish.yaml");
  ASSERT_TRUE(read) << to_line(read.error());
  std::vector<std::string> nodes, boards;
  for (const NodeName& node : read->nodes) nodes.push_back(node.text);
  for (const BoardWish& one : read->boards) boards.push_back(line_of(one));
  EXPECT_EQ(nodes, (std::vector<std::string>{"gpu01", "gpu02", "gpu03", "gpu05", "gpu06", "gpu07"}));
  EXPECT_EQ(boards, (std::vector<std::string>{"gpu01: 7 × 1g.12gb", "gpu02: 3g.47gb, 2 time-slices each",
                                              "gpu03: 3g.47gb, 2 time-slices each", "gpu05: MPS, 8 clients",
                                              "gpu06/0: 3g.47gb@4 + 2g.24gb@2", "gpu06/1: whole GPU",
                                              "gpu06/2: whole GPU", "gpu07: vGPU A10-4Q"}));
}

TEST(IntentFile, TheSwitchesOfSharesAreTheNodes) {
  auto read = read_intent_file(
      "nodes:\n"
      "  n1: {strategy: time-slicing, replicas: 4, rename_shared: true}\n"
      "  n2: {refuse_several: false, 0: none, 1: 3g.40gb}\n"
      "  n3: none\n",
      "wish.yaml");
  ASSERT_TRUE(read) << to_line(read.error());
  EXPECT_EQ(read->boards.size(), 4u);
  ASSERT_EQ(read->switches.size(), 2u);
  EXPECT_EQ(read->switches["n1"], (WishedSwitches{true, std::nullopt}));
  EXPECT_EQ(read->switches["n2"], (WishedSwitches{std::nullopt, false}));
}

TEST(IntentFile, WhatCannotBeReadIsNamedWithItsPlace) {
  struct Case {
    const char *text, *words;
  };
  for (const Case& one : {
           Case{"", "it needs nodes"},
           Case{"nodes: {}\n", "it needs nodes"},
           Case{"nodes:\n  n1: none\nnode: x\n", "wish.yaml:3: 'node' is not known here"},
           Case{"nodes:\n  n1: 9q.1gb\n", "wish.yaml:2: '9q.1gb': not the name of a MIG profile"},
           Case{"nodes:\n  n1: none\n  n[1-2]: none\n", "node n1 is named twice"},
           Case{"nodes:\n  n[1-: none\n", "wish.yaml:2: n[1-: a bracket does not close"},
           Case{"nodes:\n  n1:\n    0-1: none\n    1: none\n", "wish.yaml:4: GPU 1 is named twice"},
           Case{"nodes:\n  n1:\n    all: none\n", "'all' is neither a GPU"},
           Case{"nodes:\n  n1:\n", "a layout is missing"},
           Case{"nodes:\n  n1: {layout: none, strategy: mps}\n", "give either layout or strategy"},
           Case{"nodes:\n  n1: {replicas: 2}\n", "give either layout or strategy"},
           Case{"nodes:\n  n1: {layout: none, way: cancel}\n", "'way' is not layout"},
           Case{"nodes:\n  n1: {layout: [none]}\n", "layout needs one value"},
           Case{"nodes:\n  n1: {strategy: mig}\n", "strategy is mps"},
           Case{"nodes:\n  n1: {strategy: shard}\n", "replicas is missing"},
           Case{"nodes:\n  n1: {strategy: mps, replicas: 1}\n", "replicas is a number, 2 or more"},
           Case{"nodes:\n  n1: {layout: none, replicas: 4}\n", "replicas does not apply to whole GPU"},
           Case{"nodes:\n  n1: {strategy: vgpu}\n", "belong together"},
           Case{"nodes:\n  n1: {strategy: mps, rename_shared: maybe}\n", "rename_shared is true or false"},
           Case{"nodes:\n  n1: {rename_shared: true}\n", "a layout is missing"},
           Case{"nodes:\n  n1: {0: {layout: none, rename_shared: true}}\n", "'rename_shared' is not layout"},
           Case{"nodes:\n  n1: {strategy: mps, vgpu: A10-4Q}\n", "belong together"},
       }) {
    auto read = read_intent_file(one.text, "wish.yaml");
    ASSERT_FALSE(read) << one.text;
    EXPECT_NE(to_line(read.error()).find(one.words), std::string::npos) << one.text << to_line(read.error());
  }
}

}  // namespace
}  // namespace tessera::plan
