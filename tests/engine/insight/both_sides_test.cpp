// A machine that is a Slurm node and a Kubernetes node: when the two are joined, and what is told where they
// differ.
#include "engine/insight/both_sides.hpp"

#include <gtest/gtest.h>

#include "engine/history/sums.hpp"
#include "engine/insight/available.hpp"
#include "engine/insight/users.hpp"
#include "engine/model/elsewhere.hpp"
#include "engine/model/slinky.hpp"
#include "engine/query/tables.hpp"
#include "engine/usage/demand.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/report.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/random_machines.hpp"

namespace tessera::test {
namespace {

using slinky::Join;

// gpu-0 of Slurm runs in pod slurm/w-0 on machine m1 of Kubernetes, two GPUs each.
struct Slinky {
  Model model;
  Node slurm_node = node("gpu-0", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  Node machine = node("m1", {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})});
  Workload pod = running("slurm/w-0", "NodeSet/w", {holds("m1", {{0, 1}, {1, 1}})});

  Slinky() {
    slurm_node.state = {"MIXED"};
    slurm_node.host_pod = HostPod{"slurm", "w-0"};
    machine.state = {"READY"};
    pod.kind = WorkloadKind::pod;
    pod.requests = {{"nvidia.com/gpu", 2}};
    pod.comment = slinky::pod_comment("gpu-0", {"MIXED"}, "");
  }
  template <class What>
  void tell(const char* cluster, What what) {
    reduce(model, Event{ClusterName(cluster), 0, at(0), std::move(what)});
  }
  void open(const char* name, Scheduler scheduler) {
    ClusterSeen seen;
    seen.scheduler = scheduler;
    tell(name, seen);
  }
  void slurm(const char* name = "hpc") {
    open(name, Scheduler::slurm);
    tell(name, NodesListed{{slurm_node, node("cpu-1", {})}});
    tell(name, WorkloadsListed{});
    tell(name, Loaded{});
  }
  void kubernetes(const char* name = "prod") {
    open(name, Scheduler::kubernetes);
    tell(name, NodesListed{{machine, node("m2", {gpu(0, Strategy::whole, {whole(0)})})}});
    tell(name, WorkloadsListed{{pod}});
    tell(name, Loaded{});
  }
  void both() {
    slurm();
    kubernetes();
  }
  const Cluster& cluster(const char* name) const { return *model.find(ClusterName(name)); }
  Join join() const {
    return slinky::kubernetes_side(model, *cluster("hpc").nodes.find(NodeName("gpu-0"))).join;
  }
  std::vector<std::string> findings() const {
    std::vector<std::string> texts;
    for (const insight::Finding& one : insight::sides_attention(model, cluster("hpc")))
      texts.push_back(one.text);
    return texts;
  }
  std::string cell(const query::NodeRow& row, std::string_view key) const {
    for (const auto& column : query::columns<query::NodeRow>())
      if (column.key == key) return query::to_text(column.value(row, {}), column.format);
    return "no such column";
  }
};
using Texts = std::vector<std::string>;

TEST(BothSides, AMachineIsOneRowWithTheWordsOfBothSchedulers) {
  Slinky s;
  s.slurm_node.health = Health::drained;
  s.slurm_node.state = {"IDLE", "DRAIN"};
  s.slurm_node.reason = "slurm-operator: (BadCPU: CPU 17)";
  s.both();
  const auto rows = query::node_rows(s.model);
  ASSERT_EQ(rows.size(), 3u) << "cpu-1, m1 which is gpu-0, m2";
  const auto& row = rows[1];
  EXPECT_EQ(row.node->name.text, "m1");
  EXPECT_EQ(s.cell(row, "state"), "READY; slurm IDLE+DRAIN (gpu-0)");
  EXPECT_EQ(s.cell(row, "reason"), "slurm-operator: (BadCPU: CPU 17) [hpc]");
  EXPECT_EQ(s.cell(rows[2], "state"), "IDLE");
  const auto words = slinky::other_words(*row.node);
  ASSERT_EQ(words.size(), 1u);
  EXPECT_EQ(words[0].cluster, "hpc");
  EXPECT_EQ(words[0].node, "gpu-0");
  EXPECT_EQ(words[0].state, (std::vector<std::string>{"IDLE", "DRAIN"}));
  EXPECT_EQ(words[0].scheduler, Scheduler::slurm);
  EXPECT_EQ(words[0].part, Part::paused);
}

TEST(BothSides, ATableOfOneClusterHasAllOfItsNodesWithTheOtherWordBeside) {
  Slinky s;
  s.both();
  const auto rows = query::node_rows(s.model, ClusterName("hpc"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].node->name.text, "gpu-0");
  EXPECT_EQ(s.cell(rows[0], "state"), "MIXED; kubernetes READY (m1)");
}

// Whichever side moves, and whoever is told of first.
TEST(BothSides, EachSideHearsOfTheOther) {
  Slinky s;
  s.kubernetes();
  s.slurm();
  const auto states = [&] {
    std::string all;
    for (const char* cluster : {"hpc", "prod"})
      for (const query::NodeRow& row : query::node_rows(s.model, ClusterName(cluster)))
        if (row.node->name.text == "gpu-0" || row.node->name.text == "m1")
          all += s.cell(row, "state") + " | ";
    return all;
  };
  EXPECT_EQ(states(), "MIXED; kubernetes READY (m1) | READY; slurm MIXED (gpu-0) | ");
  s.slurm_node.state = {"IDLE"};
  s.tell("hpc", NodesListed{{s.slurm_node}});
  EXPECT_EQ(states(), "IDLE; kubernetes READY (m1) | READY; slurm IDLE (gpu-0) | ");
  s.machine.state = {"READY", "SCHEDULINGDISABLED"};
  s.tell("prod", NodeSeen{s.machine});
  EXPECT_EQ(
      states(),
      "IDLE; kubernetes READY+SCHEDULINGDISABLED (m1) | READY+SCHEDULINGDISABLED; slurm IDLE (gpu-0) | ");
  const std::uint64_t revision = s.model.revision;
  s.tell("prod", NodeSeen{s.machine});
  s.tell("hpc", NodesListed{{s.slurm_node}});
  EXPECT_EQ(s.model.revision, revision) << "what is told again unchanged costs nothing";
  s.tell("prod", WorkloadGone{s.pod.id});
  EXPECT_EQ(states(), "IDLE | READY+SCHEDULINGDISABLED | ");
  s.tell("prod", WorkloadSeen{s.pod});
  s.slurm_node.host_pod.reset();
  s.tell("hpc", NodesListed{{s.slurm_node}});
  EXPECT_EQ(states(), "IDLE | READY+SCHEDULINGDISABLED | ") << "its comment was taken off";
}

TEST(BothSides, GpusAreCountedOnce) {
  Slinky s;
  s.both();
  EXPECT_EQ(insight::totals(s.model, s.cluster("hpc")).gpus, 0);
  EXPECT_TRUE(insight::totals(s.model, s.cluster("hpc")).gpus_by_strategy.empty());
  EXPECT_EQ(insight::totals(s.model, s.cluster("hpc")).nodes, 2);
  EXPECT_EQ(insight::totals(s.model, s.cluster("prod")).gpus, 3);
  EXPECT_EQ(s.findings(), (Texts{"1 of its nodes runs in a pod on prod, where its GPUs are counted"}));
}

// The finding that machines are counted once did not say who says so.
TEST(BothSides, WhatIsToldOfSharedMachinesHasItsSource) {
  Slinky s;
  s.slurm_node.origin.source = Source::slurm_nodes;
  s.both();
  const auto all = insight::sides_attention(s.model, s.cluster("hpc"));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].source, Source::slurm_nodes) << "the Comment of the node";
}

// slurm-bridge: gpu-0 of Slurm has no slurmd in a pod, and is machine m1.
struct Bridged : Slinky {
  Bridged() {
    slurm_node.host_pod.reset();
    slurm_node.state = {"IDLE", "EXTERNAL"};
    machine.taints = {"slinky.slurm.net/managed-node=slurm-bridge-scheduler:NoExecute"};
    machine.features = {"slinky.slurm.net/slurm-nodename=gpu-0"};
  }
  int gpus(const char* name) const { return insight::totals(model, cluster(name)).gpus; }
};

TEST(BothSides, GpusOfANodeThatSlurmBridgeHasAreCountedOnce) {
  Bridged s;
  s.both();
  EXPECT_EQ(s.gpus("hpc"), 0);
  EXPECT_EQ(s.gpus("prod"), 3);
  EXPECT_EQ(s.findings(),
            (Texts{"1 of its nodes is one of prod that slurm-bridge has, where its GPUs are counted"}));
}

TEST(BothSides, ANodeThatSlurmBridgeHasIsKnownByItsOwnNameWithoutTheLabel) {
  Bridged s;
  s.machine.features.clear();
  s.machine.name = NodeName("gpu-0");
  s.both();
  EXPECT_EQ(s.gpus("hpc"), 0);
}

TEST(BothSides, NodesThatSlurmBridgeDoesNotHaveAreCountedWithEachCluster) {
  Bridged untainted;
  untainted.machine.taints = {"team=x:NoExecute", "slinky.slurm.net/managed-nodes:NoExecute"};
  untainted.both();
  EXPECT_EQ(untainted.gpus("hpc"), 2) << "a name alone joins nothing";
  Bridged other;
  other.machine.features = {"slinky.slurm.net/slurm-nodename=gpu-7"};
  other.both();
  EXPECT_EQ(other.gpus("hpc"), 2);
  Bridged bare;
  bare.machine.gpus.clear();
  bare.both();
  EXPECT_EQ(bare.gpus("hpc"), 2) << "Kubernetes counts none there";
  Bridged copied;
  copied.both();
  copied.slurm("hpc-copy");
  EXPECT_EQ(copied.gpus("hpc"), 2) << "two Slurm clusters have that name";
}

// slurmd's pod has both GPUs of m1 for Slurm to hand out, and m2's is free on Kubernetes.
TEST(BothSides, SlicesThatKubernetesLendsSlurmAreCountedWithSlurm) {
  Slinky s;
  s.both();
  s.tell("hpc", WorkloadsListed{{running("12", "alice", {holds("gpu-0", {{0, 1}})})}});
  const insight::Totals slurm = insight::totals(s.model, s.cluster("hpc")),
                        kubernetes = insight::totals(s.model, s.cluster("prod"));
  EXPECT_EQ(slurm.slices, 2);
  EXPECT_EQ(slurm.held, 1);
  EXPECT_EQ(slurm.free, 1);
  EXPECT_EQ(kubernetes.slices, 1);
  EXPECT_EQ(kubernetes.held, 0) << "what the pod holds is a loan";
  EXPECT_EQ(kubernetes.free, 1);
  const auto charted = history::sums_of(s.model, s.cluster("prod"), at(0));
  ASSERT_TRUE(charted);
  EXPECT_EQ(charted->held, 0) << "its chart stood at 67 % beside a table that said 0 %";
}

TEST(BothSides, WhatBothMayHandOutIsCountedWithKubernetesAlone) {
  Slinky s;
  s.pod.requests = {{"nvidia.com/gpu", 1}};
  s.pod.allocations = {holds("m1", {{0, 1}})};
  s.both();
  EXPECT_EQ(insight::totals(s.model, s.cluster("hpc")).slices, 0);
  EXPECT_EQ(insight::totals(s.model, s.cluster("prod")).slices, 3);
}

// What the nodes' tables have as free, which tiles, sums and JSON have from the same slices.
struct Free {
  std::string slurm, kubernetes;
  friend bool operator==(const Free&, const Free&) = default;
  friend void PrintTo(const Free& free, std::ostream* out) { *out << free.slurm << " " << free.kubernetes; }
};
Free free_of(const Slinky& s) {
  Free free;
  for (const query::NodeRow& row : query::node_rows(s.model, ClusterName("hpc")))
    if (row.node->name.text == "gpu-0") free.slurm = s.cell(row, "free");
  for (const query::NodeRow& row : query::node_rows(s.model, ClusterName("prod")))
    if (row.node->name.text == "m1") free.kubernetes = s.cell(row, "free");
  return free;
}

// A pod that tolerates slurm-bridge's taint is none of Slurm's.
TEST(BothSides, WhatAPodHoldsIsNotFreeInSlurm) {
  Bridged s;
  s.pod = pod_named("other", {holds_some("m1", "", 1)});
  s.both();
  EXPECT_EQ(free_of(s), (Free{"1", "1"}));
  s.pod.allocations = {holds_some("m1", "", 2)};
  s.tell("prod", WorkloadSeen{s.pod});
  EXPECT_EQ(free_of(s), (Free{"0", "0"}));
  EXPECT_EQ(insight::totals(s.model, s.cluster("hpc")).free, 0);
  s.tell("prod", WorkloadGone{s.pod.id});
  EXPECT_EQ(free_of(s), (Free{"2", "2"})) << "it is free again on both sides";
  s.tell("prod", WorkloadSeen{s.pod});
  ASSERT_EQ(free_of(s), (Free{"0", "0"}));
  s.machine.taints.clear();
  s.tell("prod", NodeSeen{s.machine});
  EXPECT_EQ(free_of(s), (Free{"2", "0"})) << "slurm-bridge has it no more";
}

TEST(BothSides, WhatAJobHoldsIsNotFreeInKubernetes) {
  Bridged s;
  s.pod = pod_named("other", {});
  s.both();
  s.tell("hpc", WorkloadsListed{{running("12", "alice", {holds("gpu-0", {{0, 1}})})}});
  EXPECT_EQ(free_of(s), (Free{"1", "1"}));
  s.machine.taints.clear();
  s.tell("prod", NodeSeen{s.machine});
  EXPECT_EQ(free_of(s), (Free{"1", "2"})) << "slurm-bridge has it no more: Slurm's GPUs are others";
}

TEST(BothSides, AJobAndThePodsThatItStandsForHoldOnce) {
  Bridged s;
  s.pod = pod_named("a", {holds_some("m1", "", 1)}, 12);
  s.both();
  s.tell("hpc", WorkloadsListed{{job_for(12, {"a"}, {holds_some("gpu-0", "", 1)})}});
  EXPECT_EQ(free_of(s), (Free{"1", "1"}));
  s.pod.allocations.clear();  // it is not bound yet
  s.tell("prod", WorkloadSeen{s.pod});
  EXPECT_EQ(free_of(s), (Free{"1", "1"})) << "Slurm has given it a GPU";
}

TEST(BothSides, AHiddenJobThatSlurmTellsOfTakesAGpuOfKubernetes) {
  Bridged s;
  s.slurm_node.gpus[1].slices[0].told_held = true;
  s.pod = pod_named("other", {});
  s.both();
  EXPECT_EQ(free_of(s), (Free{"1", "1"}));
}

TEST(BothSides, AListThatIsToldAgainUnchangedMovesNothing) {
  Bridged s;
  s.pod = pod_named("other", {holds_some("m1", "", 1)});
  s.both();
  const std::uint64_t revision = s.model.revision;
  s.tell("hpc", NodesListed{{s.slurm_node, node("cpu-1", {})}});
  s.tell("prod", NodeSeen{s.machine});
  s.tell("prod", WorkloadSeen{s.pod});
  EXPECT_EQ(s.model.revision, revision);
  EXPECT_EQ(free_of(s), (Free{"1", "1"}));
  EXPECT_TRUE(s.cluster("hpc").nodes.find(NodeName("gpu-0"))->out_of_use.empty())
      << "what another holds is no fault of the node's";
}

TEST(BothSides, SumsOverBothClustersHaveEveryGpuOnceAndOfferNoneThatEitherHolds) {
  int held_somewhere = 0, free_somewhere = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    const RandomMachines world(seed);
    int gpus = 0, slices = 0, free = 0, held = 0;
    for (const Cluster& cluster : world.model.clusters) {
      const insight::Totals totals = insight::totals(world.model, cluster);
      gpus += totals.gpus, slices += totals.slices, held += totals.held, free += totals.free.value_or(0);
    }
    EXPECT_EQ(gpus, world.gpus) << seed;
    EXPECT_EQ(slices, world.gpus) << seed;
    EXPECT_EQ(free, world.free) << seed;
    EXPECT_LE(held + free, slices) << seed;
    held_somewhere += held, free_somewhere += free;
    for (const slinky::Machine& machine : slinky::machines(world.model)) {
      const auto free_of = [&](const Cluster& cluster, const Node& node) {
        return insight::available_slices(insight::sight_of(cluster, node), node);
      };
      const auto slurm = free_of(*machine.slurm, *machine.slurm_node);
      const auto kubernetes = free_of(*machine.kubernetes.cluster, *machine.kubernetes.node);
      if (machine.kubernetes.pod) {
        EXPECT_EQ(kubernetes, 0) << seed << ": slurmd's pod has them";
      } else {
        EXPECT_EQ(slurm, kubernetes) << seed << ": free in both or in neither";
      }
    }
  }
  EXPECT_GT(held_somewhere, 500);
  EXPECT_GT(free_somewhere, 500);
}

TEST(BothSides, APodWhoseGpusSlurmHandsOutIsNoUserBesideSlurms) {
  Slinky s;
  s.kubernetes();
  const auto users = [&] {
    std::string all;
    for (const insight::UserSum& one : insight::users_of(s.model, catalogue())) all += one.user + " ";
    return all;
  };
  EXPECT_EQ(users(), "NodeSet/w ");
  s.slurm();
  s.tell("hpc", WorkloadsListed{{running("12", "alice", {holds("gpu-0", {{0, 1}})})}});
  EXPECT_EQ(users(), "alice ");
}

// slurmd's pod was a user with GPU-hours day and night, and idle waste, beside the jobs on its GPUs.
TEST(BothSides, APodWhoseGpusSlurmHandsOutIsNoUsageBesideSlurms) {
  const auto hours = [](const Slinky& s) {
    usage::Ledger ledger(catalogue(), {});
    for (int minute = 0; minute <= 60; ++minute)
      for (const Cluster& cluster : s.model.clusters) ledger.see(cluster, at(60 * minute));
    double sum = 0;
    for (const usage::Sum& one : usage::sums(ledger, usage::By::user)) sum += one.gpu_hours;
    return sum;
  };
  Slinky alone;
  alone.kubernetes();
  EXPECT_NEAR(hours(alone), 2, 1e-9) << "what the pod's jobs do is not told";
  Slinky s;
  s.both();
  s.tell("hpc", WorkloadsListed{{running("12", "alice", {holds("gpu-0", {{0, 1}})})}});
  EXPECT_NEAR(hours(s), 1, 1e-9);
}

// Its GPUs would have been told as held beside the jobs on them, of which the demand is.
TEST(BothSides, APodWhoseGpusSlurmHandsOutIsNoDemandWithoutAPlace) {
  const auto unplaced = [](const Slinky& s) {
    usage::DemandOverTime demand;
    demand.see(s.cluster("prod"), at(0), std::chrono::minutes(10));
    demand.see(s.cluster("prod"), at(60), std::chrono::minutes(10));
    return demand.unplaced();
  };
  Slinky alone, s;
  alone.pod.allocations = s.pod.allocations = {holds_some("m1", "", 2)};
  alone.kubernetes();
  EXPECT_EQ(unplaced(alone), 2);
  s.both();
  EXPECT_EQ(unplaced(s), 0);
}

TEST(BothSides, WithoutTheOtherClusterNothingIsJoinedAndThatIsTold) {
  Slinky s;
  s.slurm();
  EXPECT_EQ(s.join(), Join::absent);
  EXPECT_EQ(insight::totals(s.model, s.cluster("hpc")).gpus, 2);
  EXPECT_EQ(query::node_rows(s.model).size(), 2u);
  EXPECT_EQ(s.findings(),
            (Texts{"1 of its nodes runs in a pod of a Kubernetes cluster that is not in this console"}));
}

TEST(BothSides, APodThatIsNotReadYetIsNotGone) {
  Slinky s;
  s.slurm();
  s.open("prod", Scheduler::kubernetes);
  EXPECT_EQ(s.join(), Join::unread);
  EXPECT_TRUE(s.findings().empty());
  s.tell("prod", NodesListed{{s.machine}});
  s.tell("prod", WorkloadsListed{});
  s.tell("prod", Loaded{});
  EXPECT_EQ(s.join(), Join::gone);
  ASSERT_EQ(s.findings().size(), 1u);
  EXPECT_NE(s.findings()[0].find("slurm/w-0"), std::string::npos);
}

TEST(BothSides, APodOfThatNameThatRunsAnotherNodeIsNotJoined) {
  Slinky s;
  s.pod.comment = slinky::pod_comment("gpu-7", {}, "");
  s.both();
  EXPECT_EQ(s.join(), Join::another);
  EXPECT_EQ(query::node_rows(s.model).size(), 4u);
  s.pod.comment = "priority high";
  s.tell("prod", WorkloadsListed{{s.pod}});
  EXPECT_EQ(s.join(), Join::another) << "it runs no slurmd at all";
}

// Namespaces and NodeSets are often called alike in production and in staging.
TEST(BothSides, WhereTwoAnswerToOneNameNoneIsJoined) {
  Slinky pods;
  pods.both();
  pods.kubernetes("staging");
  EXPECT_EQ(pods.join(), Join::twice);
  EXPECT_EQ(query::node_rows(pods.model).size(), 6u);
  pods.tell("staging", WorkloadGone{pods.pod.id});
  EXPECT_EQ(pods.join(), Join::joined);
  EXPECT_EQ(query::node_rows(pods.model).size(), 5u) << "one answers again";
  EXPECT_EQ(pods.cell(query::node_rows(pods.model, ClusterName("prod"))[0], "state"),
            "READY; slurm MIXED (gpu-0)");
  Slinky nodes;
  nodes.both();
  nodes.slurm("hpc2");
  EXPECT_EQ(nodes.join(), Join::twice);
  EXPECT_EQ(insight::totals(nodes.model, nodes.cluster("hpc")).gpus, 2);
}

TEST(BothSides, WhatTheTwoCannotBothMeanIsTold) {
  Slinky s;
  s.pod.requests = {{"nvidia.com/gpu", 1}};
  s.both();
  ASSERT_EQ(s.findings().size(), 2u);
  EXPECT_EQ(s.findings()[0],
            "Slurm hands out 2 GPUs or slices there, and its pod slurm/w-0 has asked Kubernetes for 1 GPU or "
            "slice");
  s.pod.requests.clear();
  s.tell("prod", WorkloadsListed{{s.pod}});
  EXPECT_EQ(s.findings()[0],
            "Slurm hands out 2 GPUs or slices there, and its pod slurm/w-0 has asked Kubernetes for none");
  s.pod.requests = {{"nvidia.com/gpu", 2}};
  s.tell("prod", WorkloadsListed{{s.pod}});
  s.slurm_node.gpus.clear();
  s.tell("hpc", NodesListed{{s.slurm_node}});
  EXPECT_EQ(s.findings()[0],
            "Slurm has no GPU there (Gres=(null)), and its pod slurm/w-0 holds 2 GPUs or slices");
}

TEST(BothSides, ACordonThatSlurmDoesNotFollowIsTold) {
  Slinky s;
  s.machine.health = Health::draining;
  s.both();
  ASSERT_EQ(s.findings().size(), 2u);
  EXPECT_EQ(s.findings()[0], "m1 is cordoned in prod, and Slurm still starts jobs there");
}

}  // namespace
}  // namespace tessera::test
