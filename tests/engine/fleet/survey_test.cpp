// Clusters held against fleet files: which pool rules a node, what differs, and that a file written from what
// stands finds nothing.
#include "engine/fleet/survey.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/demand.hpp"
#include "engine/fleet/other_rules.hpp"
#include "engine/fleet/passed_over.hpp"
#include "engine/fleet/reader.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/fleet/written.hpp"
#include "engine/time.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/operator_story.hpp"
#include "tests/support/random_world.hpp"

namespace tessera::fleet {
namespace {

struct Site {
  test::Story story;
  plan::Means means = plan::simulator_capabilities();
  plan::SiteRules rules;
  Fleet fleet;

  explicit Site(std::vector<Node> nodes, std::vector<Workload> work = {}) {
    story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
    story.tell(NodesListed{std::move(nodes)});
    story.tell(WorkloadsListed{std::move(work)});
    story.tell(Loaded{});
  }
  Place place() const { return {&test::catalogue(), &means, &rules}; }
  Survey look(const std::string& text, const std::vector<NodeName>& only = {}) {
    auto read = read_fleet(text, "fleet.yaml", test::catalogue());
    EXPECT_TRUE(read) << to_line(read.error());
    if (read) fleet = std::move(*read);
    auto found = survey(fleet, story.cluster(), place(), only);
    EXPECT_TRUE(found);
    return *found;
  }
};

// "n1 training drifts 0 1; n2 - left-alone": the GPUs are those that differ.
std::string told(const Survey& survey) {
  std::string text;
  for (const NodeSurvey& node : survey.nodes) {
    text += (text.empty() ? "" : "; ") + node.node->name.text + " " + (node.pool ? node.pool->name : "-") +
            " " + std::string(word(node.standing));
    for (const BoardSurvey& board : node.boards)
      if (board.standing != Standing::as_wanted) text += " " + std::to_string(board.gpu.value);
  }
  return text;
}

Node cut_node(const std::string& name, std::vector<Slice> slices) {
  return test::node(name, {test::cut(0, std::move(slices)), test::uncut(1, 9)});
}

// Layout first, then files: by srun the run's mark is the reservation, and the reason stays empty.
TEST(FleetSurvey, WhatIsAdvertisedIsNotHeldAgainstANodeThatARunHasReserved) {
  Node node = cut_node("n1", {test::instance("3g.40gb", 0, 4, 1)});
  node.allocatable = plan::Counts{{"gpu:h100", 2}};
  const auto offers = [](const Node& one, std::vector<Reservation> reserved = {}) {
    Site site({one});
    site.story.tell(ReservationsListed{std::move(reserved)});
    return site.look("pools: [{name: a, layout: 7x1g.10gb}]").nodes[0].should_offer;
  };
  const auto reserved = [](const std::string& name, const std::string& nodes) {
    Reservation one;
    one.name = name, one.nodes = nodes;
    return one;
  };
  const std::string mark = "tessera+20270115-0701-n1+eve+login1";
  EXPECT_EQ(offers(node), "3g.40gb 1, gpu 1");
  EXPECT_EQ(offers(node, {reserved(mark, "n1")}), std::nullopt);
  EXPECT_NE(offers(node, {reserved(mark, "n2"), reserved("maintenance", "n1")}), std::nullopt);
  node.reservation = mark;
  EXPECT_EQ(offers(node), std::nullopt);
  node.reservation = "maintenance";
  EXPECT_NE(offers(node), std::nullopt);
}

TEST(FleetSurvey, TheFirstPoolWhoseConditionsHoldRulesANode) {
  std::vector<Node> nodes{cut_node("n1", {}), cut_node("n2", {}), cut_node("n3", {}), cut_node("n4", {})};
  nodes[0].partitions = {"gpu", "train"};
  nodes[1].features = {"nvl"};
  nodes[2].features = {"nvl"};
  Site site(nodes);
  const Survey found = site.look(R"(pools:
- {name: training, partition: train, layout: as-is}
- {name: nvl, feature: nvl, layout: none, except: {n3: as-is}}
- {name: rest, nodes: "n[1-3]", layout: empty}
)");
  EXPECT_EQ(told(found), "n1 training left-alone; n2 nvl drifts 0; n3 nvl left-alone; n4 - left-alone");
  EXPECT_EQ(found.nodes[1].also.at(0)->name, "rest");
  EXPECT_EQ(found.nodes[2].rule()->line, 3);
}

// "no GPU that has the profile 3g.40gb may be planned: 2 are left out", with no word of why or of what to do.
TEST(FleetSurvey, ADemandOfNodesWhoseSlurmdRunsInPodsIsSentToALayoutOfTheirKubernetesNodes) {
  std::vector<Node> nodes{cut_node("n1", {}), cut_node("n2", {})};
  for (Node& one : nodes) one.host_pod = HostPod{"slurm", "worker-" + one.name.text};
  Site site(nodes);
  const Survey found = site.look("pools:\n- {name: all, demand: {3g.40gb: 2}}\n");
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0].standing, Standing::impossible);
  EXPECT_EQ(
      found.notes[0].text,
      "the slurmd of each of its nodes runs in a pod, and no demand is spread over such nodes: give their "
      "Kubernetes nodes a layout instead");
}

// Whoever came here from Slurm's side was told that two GPUs are left out, and was in a circle.
TEST(FleetSurvey, ADemandOfKubernetesNodesThatRunSlurmdIsSentToALayout) {
  Site site({});
  site.story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  site.means = plan::gpu_operator_capabilities();
  Workload pod = test::running("slurm/worker-0", "slurm", {test::holds("n1", {{0, 1}})});
  pod.kind = WorkloadKind::pod, pod.comment = "runs slurmd of gpu01: IDLE+DRAIN (maintenance)";
  site.story.tell(NodesListed{{test::node("n1", {test::uncut(0, 0)})}});
  site.story.tell(WorkloadsListed{{pod}});
  site.story.tell(Loaded{});
  const Survey found = site.look("pools:\n- {name: all, demand: {3g.40gb: 2}}\n");
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_EQ(found.notes[0].standing, Standing::impossible);
  EXPECT_EQ(found.notes[0].text,
            "each of its nodes runs a pod with slurmd, and no demand is spread over such nodes: give them a "
            "layout instead");
}

TEST(FleetSurvey, ANodeWhoseSlurmdRunsInAPodIsKubernetesToChangeAndStandsInNoPoolThatIsWritten) {
  std::vector<Node> nodes{cut_node("n1", {}), cut_node("n2", {})};
  nodes[0].host_pod = HostPod{"slurm", "worker-0"};
  Site site(nodes);
  const Survey found = site.look("pools:\n- {name: all, layout: none}\n");
  EXPECT_EQ(told(found), "n1 all impossible 0; n2 all drifts 0");
  EXPECT_EQ(found.nodes[0].why,
            "its slurmd runs in a pod: give its Kubernetes node the layout, and this node layout: as-is");
  const Standstill all[] = {{&site.story.cluster(), site.place()}};
  const auto written = write_fleet(all);
  ASSERT_TRUE(written) << to_line(written.error());
  EXPECT_EQ(written->left_out, 1u);
  EXPECT_NE(written->text.find("n1: its slurmd runs in a pod"), std::string::npos) << written->text;
}

// A reset for its change would make the pending MIG mode of GPU 1 true.
Node refused_node(const std::string& name) {
  Gpu other = test::uncut(1, 1, "A100-40GB");
  other.mig_mode = MigMode::enable_pending;
  return test::node(name, {test::uncut(0, 0, "A100-40GB"), other});
}

TEST(FleetSurvey, ANodeWhoseChangeIsRefusedKeepsNoOtherFromBeingChanged) {
  Node sound = test::node("n2", {test::uncut(0, 0, "A100-40GB"), test::uncut(1, 1, "A100-40GB")});
  Site site({refused_node("n1"), sound});
  const Survey found = site.look("pools: [{name: a, gpus: {0: '3g.20gb,3g.20gb'}}]");
  EXPECT_EQ(told(found), "n1 a drifts 0; n2 a drifts 0");
  ASSERT_TRUE(found.nodes[0].refused);
  EXPECT_TRUE(found.nodes[0].refused->starts_with("the GPU reset would also ")) << *found.nodes[0].refused;
  EXPECT_EQ(found.nodes[0].why, "no plan changes it: " + *found.nodes[0].refused);
  EXPECT_FALSE(found.nodes[1].refused);
  EXPECT_EQ(found.nodes[1].why, "");
  const auto intent = intent_of(found, "as fleet.yaml says", {});
  ASSERT_TRUE(intent);
  EXPECT_EQ(intent->nodes, std::vector<NodeName>{NodeName("n2")});
  const auto rest = intent_of(found, "", {}, nullptr, {NodeName("n2")});
  ASSERT_TRUE(rest) << "its plan says why it is refused";
  EXPECT_EQ(rest->nodes, std::vector<NodeName>{NodeName("n1")});
  EXPECT_FALSE(intent_of(found, "", {}, nullptr, {NodeName("n1"), NodeName("n2")}));
}

// While a run had the others, the note was about a node that no run begins.
TEST(FleetSurvey, APoolIsNotSaidToBeSkippedForANodeWhoseChangeIsRefused) {
  Node sound = test::node("n2", {test::uncut(0, 0, "A100-40GB"), test::uncut(1, 1, "A100-40GB")});
  Site site({refused_node("n1"), sound});
  Survey found = site.look(
      "pools: [{name: a, gpus: {0: '3g.20gb,3g.20gb'}, budget: {not_after: '07:30'}, windows: [{when: "
      "daily 07:00-09:00, layout: empty}]}]");
  const std::size_t before = found.notes.size();
  const Zone utc;
  const RunsBy by{site.fleet, utc, *parse_utc("2027-01-15T08:00:00Z")};
  RunHead run;
  run.cluster = found.cluster->name, run.state = RunState::parked, run.nodes = {NodeName("n2")};
  note_passed_over(found, site.place(), by, {run});
  EXPECT_EQ(found.notes.size(), before);
  note_passed_over(found, site.place(), by, {});
  ASSERT_EQ(found.notes.size(), before + 1);
  EXPECT_TRUE(found.notes.back().text.starts_with("fleet run skips it: by not_after")) << found.notes[0].text;
}

// It parked at once, and no node of its pool was changed any more.
TEST(FleetSurvey, ANodeThatAnotherKeepsClosedIsNamedAsPassedOver) {
  std::vector<Node> nodes{cut_node("n1", {}), cut_node("n2", {}), cut_node("n3", {})};
  nodes[1].state = {"IDLE", "DRAIN"}, nodes[1].health = Health::drained;
  nodes[1].reason = "RMA 4711", nodes[1].reason_by = "ops";
  nodes[2].state = nodes[1].state, nodes[2].reason = "tessera r1 root@login1";
  Site site(nodes);
  Survey found = site.look("pools: [{name: a, layout: none}]");
  ASSERT_EQ(found.count(Standing::drifts), 3u) << told(found);
  const Pool& pool = site.fleet.pools[0];
  const auto closed = closed_by_others(found, pool, {NodeName("n3")});
  EXPECT_EQ(closed, (std::map<NodeName, std::string>{{NodeName("n2"), "ops: RMA 4711"}}))
      << "n3 is of a run that has not ended";
  const Zone utc;
  RunHead run;
  run.cluster = found.cluster->name, run.state = RunState::parked, run.nodes = {NodeName("n3")};
  note_passed_over(found, site.place(), {site.fleet, utc, test::at(0)}, {run});
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].standing, Standing::drifts);
  EXPECT_EQ(found.notes[0].text,
            "fleet run changes no node that another keeps closed, until it is opened: n2 (ops: RMA 4711)");
}

// A node was closed for hours that it could not make, and no word foretold it.
TEST(FleetSurvey, ANodeThatIsNotEmptyBeforeItsPhaseEndsIsNamed) {
  const auto note_of = [](TimePoint ends, const char* rest) {
    Workload work = test::running("1", "alice", {test::holds("n1", {{0}})});
    work.ends = ends;
    Site site({cut_node("n1", {test::instance("1g.10gb", 0, 1, 0)}), cut_node("n2", {})}, {work});
    Survey found = site.look(std::string("pools: [{name: a, layout: as-is, windows: [{when: daily "
                                         "07:00-10:00, layout: none}]") +
                             rest + "}]");
    const Zone utc;
    const Fleet file = site.fleet;
    site.fleet = fleet_at(file, utc, test::at(0));
    found = *survey(site.fleet, site.story.cluster(), site.place());
    note_passed_over(found, site.place(), {file, utc, test::at(0)}, {});
    return found.notes.empty() ? std::string() : found.notes.back().text;
  };
  EXPECT_EQ(note_of(test::at(4 * 3600), ""),
            "by the time limits of their workloads these nodes are not empty before its phase ends at Fri "
            "2027-01-15 10:00 UTC: n1 (Fri 2027-01-15 12:00)");
  EXPECT_EQ(note_of(test::at(3600), ""), "");
  EXPECT_EQ(
      note_of(test::at(4 * 3600), ", evict: requeue, budget: {max_disturbed: 0}"),
      "fleet run skips it: its change would evict more jobs or pods (1) than max_disturbed allows (0): 1 "
      "(alice) until Fri 2027-01-15 12:00. By their time limits it does not fit before its phase ends at "
      "Fri 2027-01-15 10:00 UTC: raise max_disturbed to 1");
}

// All of it was told in the night alone, when it was to be made.
TEST(FleetSurvey, ARuleThatDoesNotHoldNowIsHeldAgainstTheGpusThatItIsFor) {
  const auto notes_at = [](const std::string& pool, TimePoint at) {
    std::vector<Node> nodes{cut_node("n1", {test::instance("1g.10gb", 0, 1, 0)}), cut_node("n2", {})};
    Site site(nodes);
    auto file = read_fleet("pools: [" + pool + "]", "fleet.yaml", test::catalogue());
    EXPECT_TRUE(file) << to_line(file.error());
    const Fleet now = fleet_at(*file, Zone(), at);
    Survey found = *survey(now, site.story.cluster(), site.place());
    note_other_rules(found, *file, site.place());
    std::string text;
    for (const PoolNote& note : found.notes) {
      text += note.text + "\n";
      EXPECT_EQ(note.standing, Standing::impossible) << note.text;
    }
    return text;
  };
  const TimePoint now = test::at(0);  // a Friday
  for (const char* rule : {"layout: 9g.90gb", "preset: all-balancd", "layout: 8x1g.10gb", "layout: 1g.5gb"}) {
    const std::string text =
        notes_at(std::string("{name: a, layout: as-is, windows: [{when: Sat, ") + rule + "}]}", now);
    EXPECT_TRUE(text.starts_with("its window Sat (line 1) is impossible on n[1-2]: "))
        << rule << ": " << text;
  }
  const std::string own = notes_at("{name: a, layout: 9g.90gb, windows: [{when: Fri, layout: as-is}]}", now);
  EXPECT_TRUE(own.starts_with("its own rule (line 1) is impossible on n[1-2]: ")) << own;
  EXPECT_EQ(notes_at("{name: a, layout: as-is, except: {n2: as-is}, windows: [{when: Sat, layout: "
                     "7x1g.10gb}, {when: Sun, preset: all-balanced}]}",
                     now),
            "");
}

TEST(FleetSurvey, TheIntentIsAboutEveryNodeThatDriftsAndNoOther) {
  Site site({cut_node("n1", {test::instance("1g.10gb", 0, 1, 0)}), cut_node("n2", {})});
  const Survey found = site.look("pools: [{name: a, gpus: {0: 1g.10gb, 1: none}}]");
  EXPECT_EQ(told(found), "n1 a as-wanted; n2 a drifts 0");
  auto intent = intent_of(found, "as fleet.yaml says", {});
  ASSERT_TRUE(intent);
  EXPECT_EQ(intent->nodes, std::vector<NodeName>{NodeName("n2")});
  auto plan = plan::make_plan(site.story.cluster(), test::catalogue(), *intent, site.means, {}, test::at(0));
  ASSERT_TRUE(plan) << to_line(plan.error());
  EXPECT_EQ(test::names(plan->nodes[0].created), "1g.10gb@4");
}

TEST(FleetSurvey, WhatIsNotKnownIsNeverAsWanted) {
  Node down = cut_node("n1", {});
  down.health = Health::down;
  Node pooled = cut_node("n2", {});
  pooled.pool.push_back(test::instance("1g.10gb", 0, 1, 3));
  Node unread = cut_node("n3", {});
  unread.gpus[0].strategy = Strategy::unknown;
  Site site({down, pooled, unread});
  const Survey found =
      site.look("pools: [{name: a, gpus: {0: empty, 1: none}}, {name: b, nodes: n9, layout: none}]");
  EXPECT_EQ(told(found), "n1 a unknown; n2 a unknown; n3 a unknown 0");
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].text, "hpc lists no such node: n9");
  EXPECT_FALSE(intent_of(found, "", {}));
}

// "except: {n70: as-is}" for n07: n07 was changed, and check said nothing of n70.
TEST(FleetSurvey, AnExceptionForANodeThatIsNotListedIsTold) {
  Site site({cut_node("n1", {})});
  const Survey found = site.look("pools: [{name: a, layout: empty, except: {n1: none, n70: as-is}}]");
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].text, "hpc lists no such node, which an exception names: n70");
  EXPECT_EQ(found.notes[0].standing, Standing::unknown);
  const Survey named = site.look("pools: [{name: a, nodes: 'n1,n70', layout: empty, except: {n70: as-is}}]");
  EXPECT_EQ(named.notes.size(), 1u) << "its pool names it, too: once";
}

TEST(FleetSurvey, WhatAGpuCannotBecomeIsToldAndNotPlanned) {
  Site site({cut_node("n1", {})});
  EXPECT_EQ(told(site.look("pools: [{name: a, layout: 7g.141gb}]")), "n1 a impossible 0 1");
  EXPECT_EQ(told(site.look("pools: [{name: a, preset: all-misspelt}]")), "n1 a impossible 0 1");
  EXPECT_EQ(told(site.look("pools: [{name: a, gpus: {0: empty, 7: none}}]")), "n1 a impossible 7");
}

TEST(FleetSurvey, ADemandIsSpreadAroundWhatRuns) {
  Site site({cut_node("n1", {test::instance("1g.10gb", 0, 1, 0)}), cut_node("n2", {})},
            {test::running("1", "alice", {test::holds("n1", {{0}})})});
  EXPECT_EQ(told(site.look("pools: [{name: a, demand: {1g.10gb: 1}}]")), "n1 a as-wanted; n2 a as-wanted");
  const Survey found = site.look("pools: [{name: a, demand: {1g.10gb: 1, 3g.40gb: 1}}]");
  EXPECT_EQ(told(found), "n1 a drifts 0; n2 a as-wanted");
  EXPECT_EQ(plan::to_text(found.nodes[0].boards.at(0).wanted), "1g.10gb@0 + 3g.40gb@4");
  const Survey much = site.look("pools: [{name: a, demand: {7g.80gb: 9}}]");
  ASSERT_EQ(much.notes.size(), 1u);
  EXPECT_EQ(much.notes[0].standing, Standing::impossible);
  EXPECT_NE(much.notes[0].text.find("its GPUs have no room for 6 of 9 7g.80gb"), std::string::npos)
      << much.notes[0].text;
  EXPECT_EQ(much.notes[0].text.find("evict"), std::string::npos) << much.notes[0].text;
  const Survey evicts = site.look("pools: [{name: a, evict: requeue, demand: {7g.80gb: 9}}]");
  ASSERT_EQ(evicts.notes.size(), 1u);
  EXPECT_NE(evicts.notes[0].text.find("evict moves nothing for a demand: tessera pack --way does"),
            std::string::npos)
      << evicts.notes[0].text;
}

// The reason of the first node was told of all.
TEST(FleetSurvey, NodesThatADemandCannotUseAreToldByTheirReasons) {
  constexpr const char* kManagedPool = "cloud.google.com/gke-nodepool=a100s";
  constexpr const char* kUpgrading = "nvidia.com/gpu-driver-upgrade-state=upgrade-failed";
  test::operator_story::Kubernetes site;
  std::vector<Node> nodes;
  for (const char* label : {kManagedPool, "", kUpgrading, kManagedPool}) {
    const std::string name = "n" + std::to_string(nodes.size() + 1);
    nodes.push_back(test::node(name, {test::uncut(0, 0), test::uncut(1, 1)}));
    if (*label) nodes.back().features = {label};
    site.site.node_config[name] = operators::mig_file(test::operator_story::kStaticFile);
    site.site.labels[name] = site.site.labels["n1"];
  }
  site.tell(NodesListed{nodes});
  site.tell(WorkloadsListed{{}});
  site.tell(Loaded{});
  const plan::Means means = site.can();
  const auto fleet = read_fleet("pools: [{name: a, demand: {7g.80gb: 20}}]", "fleet.yaml", test::catalogue());
  ASSERT_TRUE(fleet) << to_line(fleet.error());
  const plan::SiteRules rules;
  const auto found = survey(*fleet, site.cluster(), {&test::catalogue(), &means, &rules});
  ASSERT_TRUE(found) << to_line(found.error());
  ASSERT_EQ(found->notes.size(), 1u);
  const std::string& text = found->notes[0].text;
  EXPECT_NE(text.find("; no plan changes n[1,4]: GKE"), std::string::npos) << text;
  EXPECT_NE(text.find("; no plan changes n3: the driver upgrade of n3 has failed"), std::string::npos)
      << text;
}

TEST(FleetSurvey, ADemandForWholeGpusCountsThoseThatStandAndMakesTheRest) {
  Site site({cut_node("n1", {}), cut_node("n2", {test::instance("1g.10gb", 0, 1, 0)})},
            {test::running("1", "alice", {test::holds("n2", {{0}, {9}})})});
  EXPECT_EQ(told(site.look("pools: [{name: a, demand: {whole: 2}}]")), "n1 a as-wanted; n2 a as-wanted")
      << "alice's counts";
  const Survey found = site.look("pools: [{name: a, demand: {whole: 3}}]");
  EXPECT_EQ(told(found), "n1 a drifts 0; n2 a as-wanted");
  EXPECT_EQ(plan::to_text(found.nodes[0].boards.at(0).wanted), "whole GPU");
  const Survey much = site.look("pools: [{name: a, demand: {whole: 4}}]");
  ASSERT_EQ(much.notes.size(), 1u);
  EXPECT_NE(much.notes[0].text.find("1 of 4 whole"), std::string::npos) << much.notes[0].text;
}

TEST(FleetSurvey, AWholeGpuOfAmdMeetsNoDemand) {
  Node amd = test::node("n2", {test::gpu(0, Strategy::whole, {test::whole(0)})});
  amd.gpus[0].model = "AMD Instinct MI300X", amd.gpus[0].product.reset();
  Site site({cut_node("n1", {}), amd});
  EXPECT_EQ(site.look("pools: [{name: a, demand: {whole: 1}}]").notes.size(), 0u) << "n1 has one";
  const Survey found = site.look("pools: [{name: a, demand: {whole: 2}}]");
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].standing, Standing::unknown) << "n2 may have what is asked for when it is planned";
}

TEST(FleetSurvey, ADemandAsksNoMoreOfOneNodeThanAmongAllOfItsPool) {
  Site site({cut_node("n1", {}), cut_node("n2", {test::instance("3g.40gb", 4, 1, 0)})});
  const std::string met = "pools: [{name: a, demand: {3g.40gb: 1}}]";
  EXPECT_EQ(told(site.look(met, {NodeName("n1")})), "n1 a as-wanted") << "n2 has it";
  const std::string open = "pools: [{name: a, demand: {3g.40gb: 9}}]";
  const Survey one = site.look(open, {NodeName("n1")});
  ASSERT_EQ(one.notes.size(), 1u) << "what the pool lacks is told for its nodes, too";
  const std::string alone = told(one);  // before another look: a survey points into the file
  EXPECT_EQ(alone, told(site.look(open)).substr(0, alone.size()));
}

TEST(FleetSurvey, NoNodeOfAPoolWhoseDemandCannotBeMetIsAsWanted) {
  Node held = cut_node("n1", {test::instance("1g.10gb", 0, 1, 0)});
  held.gpus.pop_back();
  Site site({held}, {test::running("1", "ann", {test::holds("n1", {{0}})})});
  const Survey unmet = site.look("pools: [{name: a, demand: {7g.80gb: 1}}]");
  EXPECT_EQ(told(unmet), "n1 a impossible");
  EXPECT_EQ(unmet.nodes.at(0).why, kDemandUnmet);
  EXPECT_TRUE(is_of_its_pool(unmet.nodes.at(0)));
  EXPECT_EQ(unmet.notes.at(0).standing, Standing::impossible);
  const Survey partly = site.look("pools: [{name: a, demand: {1g.10gb: 8}}]");
  EXPECT_EQ(told(partly), "n1 a drifts 0") << "what can be made is still made";
  EXPECT_EQ(partly.notes.at(0).standing, Standing::impossible);
}

TEST(FleetSurvey, ADemandWhoseEveryNodeIsAnExceptionCannotBeMet) {
  Site site({cut_node("n1", {})});
  const Survey found = site.look("pools: [{name: a, demand: {3g.40gb: 1}, except: {n1: as-is}}]");
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(found.notes[0].standing, Standing::impossible);
  EXPECT_EQ(site.look("pools: [{name: a, demand: {3g.40gb: 0}, except: {n1: as-is}}]").notes.size(), 0u);
}

TEST(FleetSurvey, InstancesOfANodeThatIsDownAreNotCutElsewhere) {
  Node down = cut_node("n2", {test::instance("3g.40gb", 4, 1, 0)});
  down.health = Health::down;
  Site site({cut_node("n1", {}), down});
  const Survey met = site.look("pools: [{name: a, demand: {3g.40gb: 1}}]");
  EXPECT_EQ(told(met), "n1 a as-wanted; n2 a unknown");
  EXPECT_TRUE(met.notes.empty());
  const Survey open = site.look("pools: [{name: a, demand: {3g.40gb: 2}}]");
  EXPECT_EQ(told(open), "n1 a unknown; n2 a unknown") << "n2 may have more by now";
  ASSERT_EQ(open.notes.size(), 1u);
  EXPECT_EQ(open.notes[0].standing, Standing::unknown);
  EXPECT_EQ(told(site.look("pools: [{name: a, demand: {3g.40gb: 2}, except: {n2: as-is}}]")),
            "n1 a drifts 0; n2 a left-alone");
}

TEST(FleetSurvey, ADemandThatNodesThatCouldNotBeReadMayMeetChangesNothing) {
  Site site({cut_node("n1", {})});
  const Survey unlisted = site.look("pools: [{name: a, nodes: \"n[1-2]\", demand: {3g.40gb: 1}}]");
  EXPECT_EQ(told(unlisted), "n1 a unknown");
  EXPECT_EQ(unlisted.notes.at(0).standing, Standing::unknown);
  site.story.tell(
      SourceReport{Source::simulator, std::nullopt, Duration(1), "a node could not be read", true});
  const Survey unread = site.look("pools: [{name: a, demand: {3g.40gb: 1}}]");
  EXPECT_EQ(told(unread), "n1 a unknown");
  EXPECT_EQ(unread.notes.at(0).text,
            "whether it has its instances is not known: not every node could be read");
}

TEST(FleetSurvey, SwitchesThatSlurmDoesNotHaveAreImpossible) {
  Site site({cut_node("n1", {})});
  EXPECT_EQ(told(site.look("pools: [{name: a, strategy: time-slicing, replicas: 2, rename_shared: true}]")),
            "n1 a impossible 0 1");
}

// Whatever stands there and whatever changes it: what init writes is read, and nothing differs from it.
TEST(FleetProperty, CheckOfWhatInitWroteFindsNothing) {
  std::size_t ruled = 0, left = 0;
  for (const plan::Means& means :
       {plan::Means(plan::simulator_capabilities()),
        plan::Means(plan::simulator_capabilities(Scheduler::kubernetes)),
        plan::Means(plan::slurm_capabilities()), plan::Means(plan::gpu_operator_capabilities())})
    for (unsigned seed = 0; seed < 400; ++seed) {
      const test::RandomWorld world(seed);
      const plan::SiteRules rules;
      const Standstill all[] = {{&world.cluster(), {&test::catalogue(), &means, &rules}}};
      auto written = write_fleet(all);
      if (!written) continue;
      auto fleet = read_fleet(written->text, "fleet.yaml", test::catalogue());
      ASSERT_TRUE(fleet) << to_line(fleet.error()) << "\n" << written->text;
      auto found = survey(*fleet, world.cluster(), all[0].place);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->count(Standing::as_wanted), written->nodes) << written->text;
      EXPECT_EQ(found->count(Standing::as_wanted) + found->count(Standing::left_alone), found->nodes.size())
          << told(*found) << "\n"
          << written->text;
      EXPECT_EQ(found->count(Standing::left_alone), written->left_out) << written->text;
      EXPECT_TRUE(found->notes.empty());
      ruled += written->nodes, left += written->left_out;
    }
  EXPECT_GT(ruled, 200u);
  EXPECT_GT(left, 100u);
}

}  // namespace
}  // namespace tessera::fleet
