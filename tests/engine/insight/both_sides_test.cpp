// A machine that is a Slurm node and a Kubernetes node: when the two are joined, and what is told where they
// differ.
#include "engine/insight/both_sides.hpp"

#include <gtest/gtest.h>

#include "engine/insight/users.hpp"
#include "engine/model/slinky.hpp"
#include "engine/query/tables.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

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
