// When a node's layout was changed last and who was at it, by rounds of a recording.
#include "engine/fleet/changed_by.hpp"

#include <gtest/gtest.h>

#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

struct Rounds {
  LayoutWatch watch{NodeName("n1")};

  Rounds& see(int seconds, std::vector<Gpu> gpus, const std::string& reason = "", Health health = Health::ok,
              const std::string& ordered_by = "") {
    test::Story story;
    Node node = test::node("n1", std::move(gpus));
    node.health = health;
    node.reason = reason, node.reason_by = reason.empty() ? "" : "root";
    if (!ordered_by.empty()) node.order = LayoutOrder{"all-1g.10gb", "success", {}, ordered_by, test::at(30)};
    node.state =
        reason.empty() ? std::vector<std::string>{"IDLE"} : std::vector<std::string>{"IDLE", "DRAIN"};
    story.tell(NodesListed{{std::move(node), test::node("n2", {})}});
    watch.see(story.cluster(), test::at(seconds));
    return *this;
  }
};
const std::vector<Gpu> kWhole{test::uncut(0, 0)}, kCut{test::cut(0, {test::instance("1g.10gb", 6, 1, 0)})};

TEST(FleetChangedBy, TheRunWhoseMarkTheNodeBoreIsNamedWithTheRoundsAroundIt) {
  Rounds rounds;
  rounds.see(0, kWhole)
      .see(60, kWhole, "tessera 20261121-1403-n1 bob@login1: night")
      .see(120, kCut)
      .see(180, kCut);
  ASSERT_TRUE(rounds.watch.last());
  const LayoutChange& change = *rounds.watch.last();
  EXPECT_EQ(change.from, test::at(60));
  EXPECT_EQ(change.to, test::at(120));
  EXPECT_EQ(change.run, "20261121-1403-n1");
  EXPECT_EQ(change.who, "bob");
  EXPECT_NE(change.after.find("1g.10gb"), std::string::npos) << change.after;
  EXPECT_NE(change.before, change.after);
}

TEST(FleetChangedBy, GpusThatAreAlikeAreToldTogetherAndStartsWhereTheyAloneDiffer) {
  Rounds rounds;
  rounds.see(0, {test::uncut(0, 0), test::uncut(1, 1)})
      .see(60, {test::cut(0, {test::instance("1g.10gb", 6, 1, 0)}),
                test::cut(1, {test::instance("1g.10gb", 6, 1, 1)})});
  ASSERT_TRUE(rounds.watch.last());
  EXPECT_EQ(rounds.watch.last()->before, "GPU 0-1: whole GPU");
  EXPECT_EQ(rounds.watch.last()->after, "GPU 0-1: 1g.10gb");
  rounds.see(120, {test::cut(0, {test::instance("1g.10gb", 5, 1, 0)}),
                   test::cut(1, {test::instance("1g.10gb", 6, 1, 1)})});
  EXPECT_NE(rounds.watch.last()->before.find("1g.10gb@6"), std::string::npos) << rounds.watch.last()->before;
  EXPECT_NE(rounds.watch.last()->after.find("1g.10gb@5"), std::string::npos) << rounds.watch.last()->after;
}

TEST(FleetChangedBy, ADrainByHandNamesWhoDrainedAndNothingIsMadeUpWithoutOne) {
  Rounds drained;
  drained.see(0, kWhole).see(60, kCut, "ECC \x1b[2J errors");
  ASSERT_TRUE(drained.watch.last());
  EXPECT_EQ(drained.watch.last()->run, "");
  EXPECT_EQ(drained.watch.last()->closed_by, "root");
  EXPECT_EQ(drained.watch.last()->closed_for.find('\x1b'), std::string::npos);
  Rounds open;
  open.see(0, kWhole, "an old drain").see(60, kWhole).see(120, kCut);
  ASSERT_TRUE(open.watch.last());
  EXPECT_EQ(open.watch.last()->closed_by, "") << "that drain was over before";
}

// A recording of Kubernetes said of every change by hand that who did it is not recorded.
TEST(FleetChangedBy, WhoWroteTheLabelThatOrdersTheLayoutIsToldWhereTheNodeWasOpen) {
  const std::string writer = "kubectl-label, 2027-01-15T08:00:30Z";
  Rounds rounds;
  rounds.see(0, kWhole).see(60, kCut, "", Health::ok, "kubectl-label");
  ASSERT_TRUE(rounds.watch.last());
  EXPECT_EQ(rounds.watch.last()->ordered_by, writer);
  EXPECT_TRUE(
      rounds.watch.sentence().ends_with("; the label nvidia.com/mig.config was written last by " + writer))
      << rounds.watch.sentence();
  Rounds of_a_run;
  of_a_run.see(0, kWhole, "tessera 20261121-1403-n1 bob@login1: night")
      .see(60, kCut, "", Health::ok, "kubectl-label");
  EXPECT_NE(of_a_run.watch.sentence().find("run 20261121-1403-n1 of bob had marked it"), std::string::npos);
  Rounds of_an_earlier_version;
  of_an_earlier_version.see(0, kWhole).see(60, kCut);
  EXPECT_TRUE(of_an_earlier_version.watch.sentence().ends_with("who did that is not recorded"));
}

// GPUs that a device plugin's label had shared were told to be the work of whoever had once written
// mig.config.
TEST(FleetChangedBy, TheLabelThatOrdersWhatChangedIsTheOneThatIsTold) {
  const auto told = [](const std::vector<Gpu>& before, const std::vector<Gpu>& after) {
    LayoutWatch watch{NodeName("n1")};
    for (const auto& [second, gpus] : {std::pair(0, before), std::pair(60, after)}) {
      Node node = test::node("n1", gpus);
      node.order = LayoutOrder{"all-1g.10gb", "success", {}, "argocd", test::at(10)};
      node.writes = {{"nvidia.com/device-plugin.config", "kubectl-label", test::at(30)},
                     {"nvidia.com/vgpu.config", "flux", test::at(40)}};
      test::Story story;
      story.tell(NodesListed{{std::move(node), test::node("n2", {})}});
      watch.see(story.cluster(), test::at(second));
    }
    const std::string sentence = watch.sentence();
    return sentence.substr(sentence.rfind("; ") + 2);
  };
  const auto with = [](Strategy strategy) {
    std::vector<Gpu> gpus = kWhole;
    gpus[0].strategy = strategy;
    return gpus;
  };
  const std::string by_plugin =
      "the label nvidia.com/device-plugin.config was written last by kubectl-label, 2027-01-15T08:00:30Z";
  EXPECT_EQ(told(kWhole, with(Strategy::time_slicing)), by_plugin);
  EXPECT_EQ(told(with(Strategy::mps), kWhole), by_plugin);
  EXPECT_EQ(told(kCut, with(Strategy::mps)), by_plugin) << "it was written after mig.config";
  EXPECT_EQ(told(kWhole, with(Strategy::vgpu)),
            "the label nvidia.com/vgpu.config was written last by flux, 2027-01-15T08:00:40Z");
  EXPECT_EQ(told(kWhole, kCut),
            "the label nvidia.com/mig.config was written last by argocd, 2027-01-15T08:00:10Z");
  EXPECT_EQ(told(kWhole, with(Strategy::shard)), "who did that is not recorded") << "no label orders that";
}

Cluster cluster_of(Scheduler scheduler, bool simulated = false) {
  Cluster cluster;
  cluster.scheduler = scheduler, cluster.simulated = simulated;
  return cluster;
}

Node ordered_node(const std::string& name, const std::string& by, std::optional<TimePoint> at) {
  Node node = test::node(name, kWhole);
  node.order = LayoutOrder{"all-disabled", "success", {}, by, at};
  return node;
}

TEST(FleetChangedBy, TheWriterOfTheLabelIsToldOnKubernetesAndUnknownIsSaidThere) {
  const Cluster prod = cluster_of(Scheduler::kubernetes);
  using Lines = std::vector<std::string>;
  EXPECT_EQ(order_sentences(prod, ordered_node("n1", "argocd", test::at(0))),
            (Lines{"the label nvidia.com/mig.config was written last by argocd, 2027-01-15T08:00:00Z"}));
  EXPECT_EQ(order_sentences(prod, ordered_node("n1", "argocd", {})),
            (Lines{"the label nvidia.com/mig.config was written last by argocd"}));
  for (const Node& untold : {test::node("n1", kWhole), ordered_node("n1", "", test::at(0))}) {
    ASSERT_EQ(order_sentences(prod, untold).size(), 1u);
    EXPECT_NE(order_sentences(prod, untold)[0].find("last is not known: "), std::string::npos);
  }
  EXPECT_EQ(order_sentences(cluster_of(Scheduler::slurm), test::node("n1", kWhole)), Lines{});
  EXPECT_EQ(order_sentences(cluster_of(Scheduler::kubernetes, true), test::node("n1", kWhole)), Lines{})
      << "a simulated world has no clients";
  Node shared = ordered_node("n1", "argocd", {});
  shared.writes = {{"nvidia.com/device-plugin.config", "kubectl-label", test::at(60)}};
  EXPECT_EQ(order_sentences(prod, shared).at(1),
            "the label nvidia.com/device-plugin.config was written last by kubectl-label, "
            "2027-01-15T08:01:00Z");
}

// Of a node whose shares had been changed by hand nothing was told.
TEST(FleetChangedBy, TheLabelThatOrdersWhatDriftsIsTheOneWhoseWriterIsTold) {
  const auto told = [](Strategy wanted, Strategy made) {
    Node node = ordered_node("n1", "argocd", {});
    node.writes = {{"nvidia.com/device-plugin.config", "kubectl-label", {}},
                   {"nvidia.com/gpu.workload.config", "flux", {}}};
    Survey survey;
    NodeSurvey& one = survey.nodes.emplace_back();
    one.node = &node, one.standing = Standing::drifts;
    BoardSurvey& board = one.boards.emplace_back();
    board.standing = Standing::drifts, board.wanted.strategy = wanted;
    board.made.emplace().mig = made == Strategy::mig;
    board.made->strategy = made;
    std::string all;
    for (const std::string& line : order_sentences(survey)) all += line + "\n";
    return all;
  };
  EXPECT_EQ(told(Strategy::mps, Strategy::whole),
            "n1: the label nvidia.com/device-plugin.config was written last by kubectl-label\n");
  EXPECT_EQ(told(Strategy::whole, Strategy::vgpu),
            "n1: the label nvidia.com/gpu.workload.config was written last by flux\n");
  EXPECT_EQ(told(Strategy::time_slicing, Strategy::mig),
            "n1: the label nvidia.com/device-plugin.config was written last by kubectl-label\n"
            "n1: the label nvidia.com/mig.config was written last by argocd\n");
}

// Twenty nodes that one script has labelled are one line.
TEST(FleetChangedBy, NodesThatOneClientHasLabelledAreToldTogetherAndOthersNotAtAll) {
  const std::vector<Node> nodes{ordered_node("n1", "kubectl-label", test::at(60)),
                                ordered_node("n2", "kubectl-label", test::at(0)),
                                ordered_node("n3", "argocd", test::at(0)), test::node("n4", kWhole),
                                ordered_node("n5", "argocd", test::at(0))};
  Survey survey;
  for (const Node& node : nodes) {
    NodeSurvey& one = survey.nodes.emplace_back();
    one.node = &node, one.standing = Standing::drifts;
    BoardSurvey& board = one.boards.emplace_back();
    board.standing = Standing::drifts;
    board.wanted.strategy = node.name.text == "n5" ? Strategy::mps : Strategy::mig;
  }
  EXPECT_EQ(order_sentences(survey),
            (std::vector<std::string>{
                "n3: the label nvidia.com/mig.config was written last by argocd, 2027-01-15T08:00:00Z",
                "n[1-2]: the label nvidia.com/mig.config was written last by kubectl-label, "
                "2027-01-15T08:00:00Z – 2027-01-15T08:01:00Z"}))
      << "n5 is to be shared: other labels order that";
  for (NodeSurvey& one : survey.nodes) one.boards[0].standing = Standing::as_wanted;
  EXPECT_TRUE(order_sentences(survey).empty());
}

TEST(FleetChangedBy, RoundsThatDoNotTellTheGpusChangeNothing) {
  Rounds rounds;
  EXPECT_FALSE(rounds.watch.since());
  rounds.see(0, kCut).see(60, {}).see(120, kWhole, "", Health::down).see(180, kCut);
  EXPECT_FALSE(rounds.watch.last()) << "unknown is no other layout";
  EXPECT_EQ(rounds.watch.since(), test::at(0));
  rounds.see(240, kWhole);
  ASSERT_TRUE(rounds.watch.last());
  EXPECT_EQ(rounds.watch.last()->from, test::at(180));
  rounds.see(300, kCut).see(360, kWhole);
  EXPECT_EQ(rounds.watch.last()->to, test::at(360)) << "the last one counts";
}

}  // namespace
}  // namespace tessera::fleet
