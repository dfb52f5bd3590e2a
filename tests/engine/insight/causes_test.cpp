// Findings by their cause: what is alike is one line, with all whom it concerns.
#include "engine/insight/causes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/operators/claimed_devices.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {
namespace {

Node drained(const std::string& name, const std::string& reason, int since) {
  Node one = node(name, {gpu(0, Strategy::whole, {whole(0)})});
  one.health = Health::drained;
  one.reason = reason;
  one.reason_by = "root";
  one.reason_at = at(since);
  one.origin = {Source::slurm_nodes, at(0)};
  return one;
}

std::vector<insight::Cause> causes(const Story& story) {
  static const Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  return insight::causes_of(insight::attention(story.cluster(), *catalogue, at(0)));
}

TEST(Causes, NodesDrainedForOneReasonAreOneLine) {
  Story story;
  story.tell(NodesListed{{drained("n1", "fan failure", -7200), drained("n2", "fan failure", -60),
                          drained("n3", "NVLink errors", -60)}});
  const std::vector<insight::Cause> all = causes(story);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].text, "drained, no workload on it: fan failure");
  EXPECT_EQ(all[0].whose, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_TRUE(all[0].nodes);
  EXPECT_EQ(all[0].since, at(-7200)) << "the earliest";
  EXPECT_EQ(all[0].sources, std::vector<Source>{Source::slurm_nodes});
  EXPECT_EQ(all[0].commands, (std::vector<std::string>{"scontrol show node 'n[1-2]'",
                                                       "scontrol update NodeName='n[1-2]' State=RESUME"}));
  EXPECT_FALSE(all[0].follows.empty());
  EXPECT_EQ(all[1].whose, std::vector<std::string>{"n3"});
}

// The line for twenty nodes told how to open the first of them.
TEST(Causes, TheHintForSeveralNodesNamesNoSingleOne) {
  Story story;
  story.tell(NodesListed{{drained("n1", "fan failure", -60)}});
  EXPECT_EQ(causes(story).at(0).hint, "when repaired: scontrol update NodeName=n1 State=RESUME");
  story.tell(NodesListed{{drained("n1", "fan failure", -60), drained("n10", "fan failure", -60)}});
  EXPECT_EQ(causes(story).at(0).hint, "when repaired: scontrol update NodeName=NODE State=RESUME");
}

// A name inside another one, or inside a word, is not the node.
TEST(Causes, OnlyTheWholeNameOfANodeIsTakenOutOfItsHint) {
  const auto finding = [](const std::string& name) {
    insight::Finding one{Severity::warning, ClusterName("hpc"), name, true, std::nullopt, "alike", ""};
    one.cause = "alike", one.hint = "look at n1, n10, an1, n1.cluster and " + name + ".";
    return one;
  };
  const std::vector<insight::Finding> both{finding("n1"), finding("n2")};
  EXPECT_EQ(insight::causes_of(both).at(0).hint, "look at NODE, n10, an1, n1.cluster and NODE.");
}

// A GPU each, and several on one node: the node is named once.
TEST(Causes, BoardsOfOneNodeNameItOnce) {
  Gpu bare = gpu(0, Strategy::mig, {}), other = gpu(1, Strategy::mig, {});
  Story story;
  story.tell(NodesListed{{node("n1", {bare, other}), node("n2", {bare})}});
  const std::vector<insight::Cause> all = causes(story);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].text, "MIG on, no slices");
  EXPECT_EQ(all[0].whose, (std::vector<std::string>{"n1", "n2"}));
}

TEST(Causes, SourcesThatFailAlikeAreTwoLinesWithTheirOwnAge) {
  Story story;
  story.tell(NodesListed{});
  const Error down{"scontrol failed", "no route", "is slurmctld up?"};
  story.tell(SourceReport{Source::slurm_nodes, down, Duration(0), "", false});
  story.tell(SourceReport{Source::slurm_jobs, down, Duration(0), "", false});
  std::vector<insight::Cause> all = causes(story);
  std::erase_if(all, [](const insight::Cause& one) { return one.severity != Severity::danger; });
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[0].sources, all[1].sources);
  EXPECT_TRUE(all[0].since);
  EXPECT_FALSE(all[0].nodes);
  EXPECT_EQ(all[0].hint, "is slurmctld up?");
}

// What the cursor holds on to.
TEST(Causes, KeepTheirIdsWhileCountsMove) {
  Story story;
  story.tell(NodesListed{{drained("n1", "fan failure", -7200)}});
  const std::string id = causes(story).front().id;
  story.tell(NodesListed{{drained("n1", "fan failure", -7200), drained("n2", "fan failure", -1)}});
  EXPECT_EQ(causes(story).front().id, id);
}

TEST(Causes, HaveIdsOfTheirOwnAndOnlyUsefulCommands) {
  std::vector<Node> nodes;
  for (int i = 0; i < 300; ++i) nodes.push_back(drained("n" + std::to_string(i), "fan failure", -i));
  nodes.push_back(drained("m1", "other", 0));
  Story story;
  story.tell(NodesListed{std::move(nodes)});
  std::set<std::string> ids;
  for (const insight::Cause& one : causes(story)) {
    EXPECT_TRUE(ids.insert(one.id).second);
    EXPECT_LE(one.commands.size(), 6u) << "a line a hundred nodes, of each kind";
  }
  EXPECT_EQ(causes(story).front().whose.size(), 300u) << "all of them are concerned";
}

insight::Finding of_cause(const std::string& node, const std::string& cause) {
  insight::Finding one{Severity::warning, ClusterName("hpc"), node, true, std::nullopt, cause, ""};
  one.cause = cause;
  return one;
}

// Xid 48 was one line with an Xid 79 that was acknowledged, and was not seen.
TEST(Causes, AnXidAndAProfileAreNoCounts) {
  const auto same = [](const std::string& a, const std::string& b) {
    return insight::cause_id(of_cause("n1", a)) == insight::cause_id(of_cause("n2", b));
  };
  for (const auto& [a, b] :
       {std::pair("drained: Xid 79 on GPU 3", "drained: Xid 48 on GPU 3"),
        std::pair("NVRM: Xid (PCI:0000:3b:00): 79, pid=1", "NVRM: Xid (PCI:0000:3b:00): 48, pid=1"),
        std::pair("XID=63", "XID=64"),
        std::pair("1 of 2 nvidia.com/mig-1g.10gb are out of use",
                  "1 of 2 nvidia.com/mig-3g.40gb are out of use"),
        std::pair("the layout all-1g.10gb", "the layout all-1g.20gb"), std::pair("7x1g.10gb+me", "7x1g.10gb"),
        std::pair("1c.3g.40gb", "2c.3g.40gb")})
    EXPECT_FALSE(same(a, b)) << a << " and " << b;
  for (const auto& [a, b] : {std::pair("drained: Xid 79 on GPU 3", "drained: Xid 79 on GPU 12"),
                             std::pair("1 of 2 nvidia.com/mig-1g.10gb are out of use",
                                       "4 of 7 nvidia.com/mig-1g.10gb are out of use"),
                             std::pair("pending for 6 min, 2g and 40gb", "pending for 7 min, 1g and 10gb"),
                             std::pair("3 jobs left", "12 jobs left")})
    EXPECT_TRUE(same(a, b)) << a << " and " << b;
}

// What follows for the first of them stood there as if it were so of all.
TEST(Causes, WhatFollowsForTheFirstAloneIsSaidToBeOfTheFirst) {
  std::vector<insight::Finding> both{of_cause("n1", "alike"), of_cause("n2", "alike")};
  both[0].follows = both[1].follows = "no job holds this GPU";
  EXPECT_EQ(insight::causes_of(both).at(0).follows, "no job holds this GPU");
  both[1].follows = "job 5 of alice holds this GPU and may fail";
  EXPECT_EQ(insight::causes_of(both).at(0).follows, "of the first of them: no job holds this GPU");
}

Node bare_under_mig(const char* name) {
  Node one = node(name, {gpu(0, Strategy::mig, {})});
  one.gpus[0].mig_mode = MigMode::enabled;
  return one;
}

// The layout that was offered there is always refused; and a line of all nodes would lose its way out.
TEST(Causes, WhereNoPlanCutsAGpuTheReasonStandsInPlaceOfALayoutOnALineOfItsOwn) {
  Node dynamic = bare_under_mig("n1"), managed = bare_under_mig("n2");
  dynamic.gpus[0].origin.source = Source::kubernetes_claims;
  operators::say_way(dynamic, operators::DraWay::on_demand);
  managed.features = {"kubernetes.azure.com/agentpool=gpu"};
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{dynamic, managed, bare_under_mig("n3")}});
  std::map<std::string, insight::Cause> by_node;
  for (const insight::Cause& one : causes(story))
    if (one.text == "MIG on, no slices" && one.whose.size() == 1) by_node[one.whose[0]] = one;
  ASSERT_EQ(by_node.size(), 3u);
  EXPECT_EQ(by_node["n3"].way_out, insight::WayOut::layout);
  EXPECT_EQ(by_node["n3"].commands.back(), "tessera plan --node n3 --gpu 0 --layout LAYOUT");
  for (const auto& [name, why] : {std::pair("n1", "cuts them itself as claims ask for it (dynamic MIG)"),
                                  std::pair("n2", "AKS fixes the MIG profile when it makes a node pool")}) {
    const insight::Cause& never = by_node[name];
    EXPECT_EQ(never.way_out, insight::WayOut::none) << name;
    EXPECT_NE(never.hint.find(why), std::string::npos) << never.hint;
    EXPECT_EQ(never.commands, std::vector<std::string>{std::string("kubectl describe node ") + name});
  }
}

// What its source would have planned is refused there, too.
TEST(Causes, ALayoutThatASourceOffersIsNotOfferedWhereNoPlanCutsTheGpus) {
  Node dynamic = node("n1", {gpu(0, Strategy::whole, {whole(0)})});
  dynamic.gpus[0].origin.source = Source::kubernetes_claims;
  operators::say_way(dynamic, operators::DraWay::on_demand);
  Remark one{Remark::Grade::danger, "n1", true, "the MIG manager could not make the layout x", "look"};
  one.commands = {"kubectl get pods -A", "tessera plan --node n1 --layout LAYOUT"};
  Story story;
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
  story.tell(NodesListed{{dynamic}});
  story.tell(RemarksListed{Source::kubernetes_nodes, {one}});
  const insight::Cause found = causes(story).at(0);
  EXPECT_EQ(found.way_out, insight::WayOut::none);
  EXPECT_NE(found.hint.find("dynamic MIG"), std::string::npos) << found.hint;
  EXPECT_EQ(found.commands, (std::vector<std::string>{"kubectl describe node n1", "kubectl get pods -A"}));
}

}  // namespace
}  // namespace tessera::test
