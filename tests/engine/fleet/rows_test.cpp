// The rows of a survey: GPUs that are alike as one, what is said of them, and who changed a node last.
#include "engine/fleet/rows.hpp"

#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

NodeSurvey surveyed(const Node& node, Standing whole, std::vector<Standing> boards) {
  NodeSurvey one;
  one.node = &node;
  one.standing = whole;
  for (std::size_t i = 0; i < boards.size(); ++i)
    one.boards.push_back({GpuIndex{static_cast<int>(i)}, boards[i], {}, plan::BoardState{}, 1, ""});
  return one;
}

TEST(FleetRows, GpusThatAreAlikeAreOneRow) {
  const Node node = test::node("n1", {});
  const NodeSurvey one =
      surveyed(node, Standing::drifts, {Standing::drifts, Standing::as_wanted, Standing::drifts});
  const std::vector<BoardRow> rows = rows_of(one);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(gpus_text(rows[0].gpus), "0,2");
  EXPECT_EQ(rows[0].held, 2);
  EXPECT_EQ(standing_of(one, rows[0]), Standing::drifts);
  EXPECT_EQ(standing_of(one, rows[1]), Standing::as_wanted);
}

// A row is told by its first GPU: of both it was said that a change pends, or of neither.
TEST(FleetRows, AGpuWhoseMigModePendsIsARowOfItsOwn) {
  Gpu pends = test::uncut(1, 1);
  pends.mig_mode = MigMode::enable_pending;
  const Node node = test::node("n1", {test::uncut(0, 0), pends});
  const NodeSurvey one = surveyed(node, Standing::drifts, {Standing::drifts, Standing::drifts});
  const std::vector<BoardRow> rows = rows_of(one);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_FALSE(mode_pends(one, *rows[0].board));
  EXPECT_TRUE(mode_pends(one, *rows[1].board));
}

// As diff had it: every GPU as-wanted on a node that drifts.
TEST(FleetRows, WhereSwitchesDifferEveryLineOfTheNodeSaysSo) {
  const Node node = test::node("n1", {});
  const NodeSurvey one = surveyed(node, Standing::drifts, {Standing::as_wanted, Standing::as_wanted});
  ASSERT_EQ(rows_of(one).size(), 1u);
  EXPECT_EQ(standing_of(one, rows_of(one)[0]), Standing::drifts);
}

TEST(FleetRows, InstancesOfANodeAreCountedByProfile) {
  EXPECT_EQ(instances_text(test::node("n1", {test::uncut(0, 0)})), "none");
  const Node node = test::node(
      "n1", {test::cut(0, {test::instance("1g.10gb", 0, 1, 0)}),
             test::cut(1, {test::instance("1g.10gb", 0, 1, 1), test::instance("3g.40gb", 4, 4, 2)})});
  EXPECT_EQ(instances_text(node), "2 × 1g.10gb, 1 × 3g.40gb");
}

TEST(FleetRows, TheRunThatWasStartedLastCountsWhateverTheirOrder) {
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  Survey survey;
  survey.cluster = &cluster;
  const Node node = test::node("n1", {});
  const NodeSurvey one = surveyed(node, Standing::drifts, {});
  std::vector<RunHead> runs(3);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    runs[i].run = "run" + std::to_string(i);
    runs[i].cluster = ClusterName(i == 2 ? "other" : "hpc");
    runs[i].nodes = {NodeName("n1")};
    runs[i].started = test::at(40 * static_cast<int>(i));
  }
  runs[0].started = test::at(60);
  const LastRuns last(runs);
  ASSERT_TRUE(last.of(survey, one));
  EXPECT_EQ(last.of(survey, one)->run, "run0") << "and none of a cluster of another name";
  ASSERT_EQ(last.all().size(), 2u) << "one of each node of each cluster";
  EXPECT_EQ(last.all().at({ClusterName("hpc"), NodeName("n1")})->run, "run0");
}

}  // namespace
}  // namespace tessera::fleet
