// Nodes of which something is not known now: which product their GPUs are, or which GPUs they have. Neither
// falls to another pool, nor out of the list.
#include "engine/fleet/taking.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/begun.hpp"
#include "engine/fleet/carried_on.hpp"
#include "engine/fleet/offers.hpp"
#include "engine/fleet/reader.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/fleet/telling.hpp"
#include "engine/fleet/written.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::fleet {
namespace {

constexpr const char* kByProduct =
    "pools:\n- {name: hopper, product: H100-80GB-SXM5, layout: 7x1g.10gb}\n- {name: rest, layout: none}\n";

Fleet fleet_of(const std::string& text) {
  auto read = read_fleet(text, "fleet.yaml", test::catalogue());
  EXPECT_TRUE(read) << to_line(read.error());
  return read ? *read : Fleet();
}

class FleetTaking : public testing::Test {
 protected:
  FleetTaking() { story.tell(ClusterSeen{Scheduler::slurm, false, "", ""}); }

  Survey look(const std::string& text, std::vector<Node> nodes, const std::vector<NodeName>& only = {}) {
    story.tell(NodesListed{std::move(nodes)});
    story.tell(WorkloadsListed{});
    story.tell(Loaded{});
    fleet = fleet_of(text);
    auto found = survey(fleet, story.cluster(), place(), only);
    EXPECT_TRUE(found);
    return *found;
  }
  Place place() const { return {&test::catalogue(), &means, &rules}; }

  test::Story story;
  plan::Means means = plan::simulator_capabilities();
  plan::SiteRules rules;
  Fleet fleet;
};

// As Slurm lists it: the driver has not answered, and the type means several products, or none.
Node untold(const std::string& name, const std::string& type) {
  Gpu gpu = test::uncut(0, 0);
  gpu.product.reset();
  gpu.model = type;
  return test::node(name, {gpu});
}

std::string standings(const Survey& survey) {
  std::string text;
  for (const NodeSurvey& node : survey.nodes)
    text += (text.empty() ? "" : "; ") + node.node->name.text + " " + (node.pool ? node.pool->name : "-") +
            " " + std::string(word(node.standing));
  return text;
}

// The node fell to the next pool, and fleet run made that one's layout there.
TEST_F(FleetTaking, ANodeWhoseProductIsNotKnownDoesNotFallToTheNextPool) {
  const Survey found = look(kByProduct, {untold("n1", "h100"), untold("n2", "a100"), untold("n3", "big"),
                                         untold("n4", "mi300x"), untold("n5", "")});
  EXPECT_EQ(standings(found),
            "n1 hopper unknown; n2 rest as-wanted; n3 hopper unknown; n4 rest unknown; n5 hopper unknown");
  EXPECT_EQ(found.nodes[0].why, kPoolUntold);
  EXPECT_EQ(found.nodes[0].also.at(0)->name, "rest");
  EXPECT_FALSE(intent_of(found, "", {}));
  EXPECT_EQ(made_text(found.nodes[0]), "?");
}

// A driver and a label say names: what the catalogue does not know is none of its products.
TEST_F(FleetTaking, ANameThatTheCatalogueDoesNotKnowIsNoProductOfIts) {
  Node driver = untold("n1", "NVIDIA Voodoo2");
  driver.gpus[0].origin.source = Source::nvidia_smi;
  EXPECT_EQ(standings(look(kByProduct, {driver})), "n1 rest as-wanted");
}

TEST_F(FleetTaking, OneGpuOfAnotherProductDecidesWhateverTheOthersAre) {
  Node mixed = untold("n1", "h100");
  mixed.gpus.push_back(test::uncut(1, 1, "A100-80GB"));
  EXPECT_EQ(standings(look(kByProduct, {mixed})), "n1 rest as-wanted");
}

TEST_F(FleetTaking, WhereEachPoolThatMayTakeItLeavesItAloneNothingIsUnknown) {
  const std::vector<Node> nodes{untold("n1", "h100")};
  constexpr const char* kHopper = "{name: hopper, product: H100-80GB-SXM5, layout: as-is}";
  const auto file = [&](const char* below) { return "pools: [" + std::string(kHopper) + below + "]"; };
  EXPECT_EQ(standings(look(file(""), nodes)), "n1 hopper left-alone");
  EXPECT_EQ(standings(look(file(", {name: b, layout: none, except: {n1: as-is}}"), nodes)),
            "n1 hopper left-alone");
  EXPECT_EQ(standings(look(file(", {name: b, layout: none}"), nodes)), "n1 hopper unknown");
}

// Its instances may be those that the demand asks for: nothing is cut elsewhere.
TEST_F(FleetTaking, ADemandOfAPoolThatMayTakeItIsNotSpreadOverTheOthers) {
  const std::string file =
      "pools:\n- {name: hopper, product: H100-80GB-SXM5, layout: none}\n- {name: rest, demand: {3g.40gb: "
      "2}}\n";
  const std::vector<Node> nodes{untold("n1", "h100"), test::node("n2", {test::uncut(0, 0, "A100-80GB")})};
  const Survey found = look(file, nodes);
  EXPECT_EQ(standings(found), "n1 hopper unknown; n2 rest unknown");
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].standing, Standing::unknown);
  EXPECT_EQ(standings(look(file, nodes, {NodeName("n2")})), "n2 rest unknown");
}

// Once its driver did not answer, a run that waits was one "of which the file was changed".
TEST_F(FleetTaking, ARunWhoseNodeHasNoKnownProductNowIsNotSaidToBeUnwanted) {
  const Survey found = look(kByProduct, {test::node("n1", {test::uncut(0, 0)})});
  plan::RunStarted started;
  started.run = "r1";
  auto intent = intent_of(found, words_of("/etc/fleet.yaml"), {});
  ASSERT_TRUE(intent);
  auto plan = plan::make_plan(story.cluster(), test::catalogue(), *intent, means, rules, test::at(0));
  ASSERT_TRUE(plan) << to_line(plan.error());
  EXPECT_EQ(still_wanted(*plan, fleet, story.cluster(), place(), true), Still::same);
  story.tell(NodeSeen{untold("n1", "h100")});
  for (const char* below : {"{name: rest, layout: none}", "{name: rest, layout: as-is}",
                            "{name: rest, evict: requeue, demand: {1g.10gb: 1}}"})
    for (const char* rule : {"layout: 7x1g.10gb", "layout: as-is"}) {
      const Fleet other =
          fleet_of("pools: [{name: a, product: H100-80GB-SXM5, " + std::string(rule) + "}, " + below + "]");
      const bool left = std::string(rule) == "layout: as-is" && std::string(below).find("as-is") < 100;
      EXPECT_EQ(still_wanted(*plan, other, story.cluster(), place(), true),
                left ? Still::other : Still::untold)
          << rule << below;
    }
}

// n1 has failed, and its driver with it: the pool that stops was no longer its own.
TEST_F(FleetTaking, ANodeThatHasFailedStopsItsPoolAlsoWhereItsProductIsNotKnownAnyMore) {
  constexpr const char* kStops = R"(pools:
- {name: one, product: H100-80GB-PCIe, layout: none}
- name: two
  product: H100-80GB-SXM5
  layout: 7x1g.10gb
  budget: {lead: '04:00'}
  windows: [{when: 'Fri 12:00-20:00', layout: none}]
- {name: rest, layout: none}
)";
  const std::string words = words_of(OfWindow{"/etc/fleet.yaml", test::at(4 * 3600)});
  look(kStops, {untold("n1", "h100"), test::node("n2", {test::uncut(0, 0)})});
  plan::Journal journal;
  plan::RunStarted started;
  started.run = "r0";
  started.plan.intent.cluster = story.cluster().name, started.plan.intent.words = words;
  started.plan.intent.nodes = {NodeName("n1")};
  started.plan.nodes.resize(1);
  started.plan.nodes[0].node = NodeName("n1");
  journal.entries.push_back({1, test::at(0), {}, started});
  journal.entries.push_back(
      {2, test::at(0), NodeName("n1"), plan::Parked{"step 3 failed", "n1 is closed", plan::Until::someone}});
  const auto run = plan::replay(journal);
  ASSERT_TRUE(run) << to_line(run.error());
  FailedNodes failed;
  failed.note(*run);
  EXPECT_NE(why_others_wait(fleet, test::catalogue(), failed, story.cluster(), words, {NodeName("n2")}, ""),
            std::nullopt);
}

// The strategy single, and GPUs that are cut in more than one way: none is counted.
struct Broken : test::operator_story::Kubernetes {
  Broken() {
    site.strategy = "single";
    site.plugin_configs["default"] = "version: v1\n";
    bare = test::node("n1", {});
    bare.health = Health::invalid;
    bare.model = "NVIDIA-H100-80GB-HBM3";
    bare.features = {"nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3-MIG-INVALID", "nvidia.com/gpu.count=0",
                     "nvidia.com/mig.config=all-balanced", "nvidia.com/mig.config.state=success"};
    means = can();
    tell(NodesListed{{bare}});
    tell(WorkloadsListed{});
    tell(Loaded{});
  }
  Survey look(const std::string& text) {
    fleet = fleet_of(text);
    return survey(fleet, cluster(), place()).value();
  }
  Place place() const { return {&test::catalogue(), &means, &rules}; }
  Node bare;
  plan::Means means;
  plan::SiteRules rules;
  Fleet fleet;
};

// It was in no list, and check ended with 0.
TEST(FleetUntoldGpus, ANodeThatReportsNoGpuStaysInTheListAndIsMendedWhereAPlanCanBeMade) {
  Broken k;
  const Survey found = k.look("pools: [{name: a, layout: 7x1g.10gb}]");
  ASSERT_EQ(standings(found), "n1 a drifts") << found.nodes.size();
  EXPECT_EQ(made_text(found.nodes[0]), "?");
  EXPECT_FALSE(found.nodes[0].refused);
  const auto intent = intent_of(found, "", {});
  ASSERT_TRUE(intent);
  const auto plan = k.make(*intent);
  ASSERT_TRUE(plan) << to_line(plan.error());
  using test::operator_story::argument;
  using test::operator_story::step_with;
  EXPECT_EQ(argument(step_with(plan->nodes[0].steps, "order-mig"), "config"), "all-1g.10gb");
  const Survey mixed = k.look("pools: [{name: a, preset: all-balanced}]");
  EXPECT_EQ(standings(mixed), "n1 a unknown");
  EXPECT_TRUE(mixed.nodes[0].why.starts_with("no GPU of it is reported, and no plan changes it: "))
      << mixed.nodes[0].why;
  EXPECT_EQ(standings(k.look("pools: [{name: a, gpus: {0: none}}]")), "n1 a unknown");
}

TEST(FleetUntoldGpus, APresetOfOneLayoutForAllGpusIsMadeThere) {
  Broken k;
  EXPECT_EQ(standings(k.look("pools: [{name: a, preset: all-1g.10gb}]")), "n1 a drifts");
  EXPECT_EQ(standings(k.look("pools: [{name: a, preset: all-disabled}]")), "n1 a drifts");
}

TEST(FleetUntoldGpus, ANodeThatMayStandAsWantedIsUnknownAndADemandCutsNothingForIt) {
  Broken k;
  k.bare.health = Health::ok;
  k.bare.features[0] = "nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3";
  Node whole = test::node("n2", {test::uncut(0, 0)});
  k.tell(NodesListed{{k.bare, whole, test::node("cpu", {})}});
  EXPECT_EQ(standings(k.look("pools: [{name: a, layout: none}]")), "n1 a unknown; n2 a as-wanted");
  const Survey demand = k.look("pools: [{name: a, demand: {7g.80gb: 1}}]");
  EXPECT_EQ(standings(demand), "n1 a unknown; n2 a unknown");
  EXPECT_EQ(demand.notes.at(0).standing, Standing::unknown);
}

TEST(FleetUntoldGpus, InitLeavesANodeThatReportsNoGpuOutByName) {
  Broken k;
  k.tell(NodesListed{{k.bare, test::node("n2", {test::uncut(0, 0)})}});
  const Standstill all[] = {{&k.cluster(), k.place()}};
  const auto written = write_fleet(all);
  ASSERT_TRUE(written) << to_line(written.error());
  EXPECT_EQ(written->left_out, 1u);
  EXPECT_NE(written->text.find("n1: no GPU of it is reported"), std::string::npos) << written->text;
}

// Its Gres was held against its Gres, and said to be as made.
TEST(FleetOffersWord, WhatSlurmAloneTellsIsNotHeldAgainstItselfAndIsSaidToBeItsWord) {
  Node node = test::node("n1", {test::uncut(0, 0)});
  node.allocatable = plan::Counts{{"gpu:b200", 1}};
  node.gpus[0].origin.source = Source::slurm_nodes;
  EXPECT_EQ(offers_otherwise(node, Scheduler::slurm, test::catalogue(), {}), std::nullopt);
  Node other = node;
  other.name = NodeName("n2");
  Survey survey;
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  survey.cluster = &cluster;
  Pool pool;
  const auto ruled = [&](const Node& one, Standing standing) {
    NodeSurvey all;
    all.node = &one, all.pool = &pool, all.standing = standing;
    return all;
  };
  survey.nodes = {ruled(node, Standing::as_wanted)};
  EXPECT_EQ(unasked_text(survey),
            "hpc: what is made on n1 is known from Slurm only: its driver was not asked");
  survey.nodes.push_back(ruled(other, Standing::drifts));
  EXPECT_EQ(unasked_text(survey),
            "hpc: what is made on 2 nodes is known from Slurm only: their drivers were not asked (n[1-2])");
  node.gpus[0].origin.source = other.gpus[0].origin.source = Source::nvidia_smi;
  EXPECT_EQ(offers_otherwise(node, Scheduler::slurm, test::catalogue(), {}), "");
  EXPECT_EQ(unasked_text(survey), "");
}

// The calendar and the list had the same layout in two orders.
TEST(FleetRuleText, ALayoutReadsInTheOrderOfTheList) {
  const Fleet fleet = fleet_of("pools: [{name: a, layout: '3g.40gb,2g.20gb,1g.10gb,1g.10gb'}]");
  EXPECT_EQ(to_text(fleet.pools[0].rule), "2 × 1g.10gb + 2g.20gb + 3g.40gb");
}

}  // namespace
}  // namespace tessera::fleet
