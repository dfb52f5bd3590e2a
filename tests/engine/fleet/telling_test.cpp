// What people read of a survey: GPUs by what counts of them, and names in the file that mean nothing here.
#include "engine/fleet/telling.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/reader.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

struct Told {
  test::Story story;
  plan::Means means = plan::simulator_capabilities();
  plan::SiteRules rules;
  Fleet fleet;
  Survey found;

  Told(Gpu gpu, const std::string& text) {
    story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
    story.tell(NodesListed{{test::node("n1", {std::move(gpu)})}});
    story.tell(WorkloadsListed{});
    story.tell(Loaded{});
    fleet = read_fleet(text, "fleet.yaml", test::catalogue()).value();
    found = survey(fleet, story.cluster(), {&test::catalogue(), &means, &rules}).value();
  }
  const NodeSurvey& node() const { return found.nodes.at(0); }
  std::string text() const {
    const auto [wanted, made] = board_texts(node(), node().boards.at(0));
    return made + " -> " + wanted;
  }
};

Gpu two_instances() {
  return test::cut(0, {test::instance("3g.40gb", 4, 4, 0), test::instance("1g.10gb", 0, 1, 1)});
}

// At 80 columns the starts left no cell for what is wanted.
TEST(FleetTelling, WhereInstancesStandIsToldOnlyWhereThatAloneDiffers) {
  EXPECT_EQ(Told(two_instances(), "pools: [{name: a, layout: 7x1g.10gb}]").text(),
            "1g.10gb + 3g.40gb -> 7 × 1g.10gb");
  EXPECT_EQ(Told(two_instances(), "pools: [{name: a, layout: '3g.40gb,1g.10gb'}]").text(),
            "1g.10gb + 3g.40gb -> 1g.10gb + 3g.40gb");
  EXPECT_EQ(Told(two_instances(), "pools: [{name: a, layout: '3g.40gb@0,1g.10gb@4'}]").text(),
            "1g.10gb@0 + 3g.40gb@4 -> 3g.40gb@0 + 1g.10gb@4");
}

// Of one pool, GPUs with instances were to be "1g.10gb + 3g.40gb", and whole ones "3g.40gb@4 + 1g.10gb@0".
TEST(FleetTelling, WhatIsWantedReadsTheSameOfAWholeGpuAndOfOneThatIsCut) {
  const std::string file = "pools: [{name: a, layout: '3g.40gb@4,2g.20gb@2,1g.10gb@0'}]";
  EXPECT_EQ(Told(test::uncut(0, 0), file).text(), "whole GPU -> 1g.10gb + 2g.20gb + 3g.40gb");
  EXPECT_EQ(Told(two_instances(), file).text(), "1g.10gb + 3g.40gb -> 1g.10gb + 2g.20gb + 3g.40gb");
  EXPECT_EQ(Told(test::uncut(0, 0), "pools: [{name: a, preset: all-misspelt}]").text(),
            "whole GPU -> all-misspelt");
}

// diff said that a whole GPU was wanted, and so did JSON.
TEST(FleetTelling, APresetThatTheProductDoesNotHaveIsNoWholeGpu) {
  const Told told(two_instances(), "pools: [{name: a, preset: all-misspelt}]");
  EXPECT_EQ(told.node().standing, Standing::impossible);
  EXPECT_EQ(told.text(), "1g.10gb + 3g.40gb -> all-misspelt");
}

// "GPU 0: whole GPU -> whole GPU" was all that check said of such a node.
TEST(FleetTelling, AMigModeThatIsPendingIsWhatDiffers) {
  Gpu gpu = test::uncut(0, 0, "A100-40GB");
  gpu.mig_mode = MigMode::enable_pending;
  const Told told(gpu, "pools: [{name: a, layout: none}]");
  EXPECT_EQ(told.node().standing, Standing::drifts);
  EXPECT_EQ(told.text(), "whole GPU, MIG mode change pending -> whole GPU");
}

// "1g.10gb@0 + 3g.40gb@4 → 3g.40gb + 1g.10gb" read as if starts or order differed; they do not.
TEST(FleetTelling, AMigModeThatPendsOverInstancesIsToldAsThatAndNotAsTheirStarts) {
  Gpu gpu = two_instances();
  gpu.mig_mode = MigMode::disable_pending;
  const Told told(gpu, "pools: [{name: a, layout: '3g.40gb,1g.10gb'}]");
  EXPECT_EQ(told.node().standing, Standing::drifts);
  EXPECT_EQ(told.text(), "1g.10gb + 3g.40gb, MIG mode change pending -> 1g.10gb + 3g.40gb");
  const std::string exact = exact_texts(told.node(), told.node().boards.at(0)).made;
  EXPECT_NE(exact.find("@4"), std::string::npos) << "explain has them all: " << exact;
  EXPECT_TRUE(exact.ends_with(", MIG mode change pending")) << exact;
  const std::string starts = Told(gpu, "pools: [{name: a, layout: '3g.40gb@0,1g.10gb@4'}]").text();
  EXPECT_NE(starts.find("3g.40gb@4"), std::string::npos) << "where the file names them: " << starts;
  EXPECT_NE(starts.find(", MIG mode change pending -> "), std::string::npos) << starts;
}

TEST(FleetTelling, AMigModeThatPendsIsToldWhereMoreDiffersToo) {
  Gpu gpu = two_instances();
  gpu.mig_mode = MigMode::disable_pending;
  EXPECT_EQ(Told(gpu, "pools: [{name: a, layout: 7x1g.10gb}]").text(),
            "1g.10gb + 3g.40gb, MIG mode change pending -> 7 × 1g.10gb");
}

// The rules of a cluster that was misspelt counted for nothing, and check said that all was well.
TEST(FleetTelling, AClusterThatIsNotHereIsToldWhereverTheFileNamesIt) {
  const auto told = [](const std::string& text) {
    const Fleet fleet = read_fleet(text, "fleet.yaml", test::catalogue()).value();
    return not_found(fleet, [](const ClusterName& name) { return name.text == "hpc"; });
  };
  using Lines = std::vector<std::string>;
  EXPECT_EQ(told("clusters: {hpc: {platform: slurm}}\npools: [{name: a, cluster: hpc, layout: none}]"),
            Lines{});
  EXPECT_EQ(told("clusters: {hcp: {platform: slurm}}\npools: [{name: a, layout: none}]"),
            (Lines{"clusters: hcp is not among those that are found here, and no pool names it: its rules "
                   "count for nothing"}));
  EXPECT_EQ(told("clusters: {prod: {platform: slurm}}\npools: [{name: a, cluster: prod, layout: none}]"),
            (Lines{"pool a: cluster prod is not among those that are found here"}))
      << "once";
}

TEST(FleetTelling, APoolWithoutAClusterIsToldOnlyWhereThereAreSeveral) {
  const Fleet fleet =
      read_fleet(
          "pools: [{name: a, cluster: hpc, layout: none}, {name: b, layout: none}, {name: c, layout: none}]",
          "fleet.yaml", test::catalogue())
          .value();
  EXPECT_EQ(pool_of_no_cluster(fleet, 0), nullptr);
  EXPECT_EQ(pool_of_no_cluster(fleet, 1), nullptr);
  ASSERT_NE(pool_of_no_cluster(fleet, 2), nullptr);
  EXPECT_EQ(pool_of_no_cluster(fleet, 2)->name, "b");
  EXPECT_EQ(pool_of_no_cluster(Fleet{}, 2), nullptr);
}

// A window that never holds was told once for each cluster that the file was held against.
TEST(FleetTelling, WhatIsWrongWithTheFileAloneIsToldOnce) {
  Pool pool;
  pool.line = 4;
  const PoolNote window{&pool, Standing::as_wanted, "its window daily never holds"};
  const PoolNote nodes{&pool, Standing::unknown, "it rules no node"};
  const std::vector<Survey> surveys{{nullptr, {}, {nodes, window}}, {nullptr, {}, {nodes, window}}};
  std::vector<std::string> told;
  for (const PoolNote* note : notes_of(surveys)) told.push_back(note->text);
  EXPECT_EQ(told, (std::vector<std::string>{nodes.text, window.text, nodes.text}))
      << "of nodes it is told for each cluster";
}

}  // namespace
}  // namespace tessera::fleet
