// One plan for nodes and GPUs that are each to be something else, from a file.
#include "tests/e2e/change_lab.hpp"

namespace tessera::test {
namespace {

class IntentFromFile : public ChangeLab {};

TEST_F(IntentFromFile, NodesAndGpusGetEachTheirOwnLayoutInOneRunAndComeBackTogether) {
  const std::string file = folder_.write("wish.yaml",
                                         "nodes:\n"
                                         "  n1:\n"
                                         "    0: none\n"
                                         "    1: 7x1g.10gb\n"
                                         "  n3: 3g.40gb@4,2g.20gb@0\n");
  Ran ran = apply({"--intent", file});
  ASSERT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_EQ(json_size(json_at(journal(), "")), 1u) << "one run";
  EXPECT_EQ(board("n1", 0), "whole");
  EXPECT_EQ(board("n1", 1), "1g.10gb@0 1g.10gb@1 1g.10gb@2 1g.10gb@3 1g.10gb@4 1g.10gb@5 1g.10gb@6");
  EXPECT_EQ(board("n3", 0), "2g.20gb@0 3g.40gb@4");
  must({"undo", newest_run(), "--write", "--yes"});
  EXPECT_EQ(board("n1", 0), kBalanced);
  EXPECT_EQ(board("n1", 1), "whole");
  EXPECT_EQ(board("n3", 0), "whole");
  expect_sound();
}

TEST_F(IntentFromFile, ItsPlanIsAFileAsAnyOther) {
  const std::string file = folder_.write("wish.yaml", "nodes: {n1: {strategy: mps}, n3: 7g.80gb}\n");
  const std::string plan = keep_plan({"--intent", file});
  Ran applied = apply({plan});
  EXPECT_EQ(applied.code, 0) << applied.out << applied.err;
  EXPECT_EQ(board("n3", 0), "7g.80gb@0");
}

TEST_F(IntentFromFile, FlagsThatSayTheSameAndUnknownNodesAreRefused) {
  const std::string file = folder_.write("wish.yaml", "nodes: {n3: 7g.80gb}\n");
  Ran both = run({"plan", "--intent", file, "-n", "n1"});
  EXPECT_EQ(both.code, 2) << both.out;
  EXPECT_TRUE(has(both.err, "leave out --node")) << both.err;
  Ran missing = run({"plan", "--intent", folder_.path() + "/nowhere.yaml"});
  EXPECT_EQ(missing.code, 2) << missing.out;
  EXPECT_TRUE(has(missing.err, "there is no file")) << missing.err;
  Ran unknown = run({"plan", "--intent", folder_.write("other.yaml", "nodes: {n9: none}\n")});
  EXPECT_EQ(unknown.code, 2) << unknown.out;
  EXPECT_TRUE(has(unknown.err, "there is no node \"n9\"")) << unknown.err;
  Ran shares =
      run({"plan", "--intent", folder_.write("mps.yaml", "nodes: {n3: {strategy: mps, replicas: 4}}\n")});
  EXPECT_EQ(shares.code, 2) << shares.out;
  EXPECT_TRUE(has(shares.err, "leave replicas out of the intent file")) << shares.err;
}

}  // namespace
}  // namespace tessera::test
