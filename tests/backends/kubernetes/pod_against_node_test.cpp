// One pod's words held against one node: every operator, what cannot be read, and what is not known.
#include "backends/kubernetes/objects/pod_against_node.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "backends/kubernetes/objects/parse.hpp"
#include "tests/backends/kubernetes/one_pod.hpp"

namespace tessera::kubernetes {
namespace {

using why::AgainstNode;
using By = AgainstNode::By;

PodTerms terms_of(const std::string& spec) {
  auto read = parse_json(R"({"metadata":{"name":"p"},"spec":{)" + spec + "}}", "test");
  EXPECT_TRUE(read) << to_line(read.error());
  return read ? pod_terms_of(*read) : PodTerms();
}

NodeObject node_with(const std::string& labels, const std::string& spec = "",
                     const std::string& allocatable = R"("cpu":"96","memory":"64Gi")") {
  auto read =
      Parser().object<NodeObject>(R"({"metadata":{"name":"n1","labels":{)" + labels + R"(}},"spec":{)" +
                                  spec + R"(},"status":{"allocatable":{)" + allocatable + "}}}");
  EXPECT_TRUE(read);
  return read ? *read : NodeObject();
}

std::vector<AgainstNode> held(const std::string& spec, const NodeObject& node) {
  return against_node(terms_of(spec), {}, node, {});
}

// "" : nothing; else the text of the only finding, with "?" where it is not certain.
std::string told(const std::string& spec, const NodeObject& node) {
  const auto all = held(spec, node);
  if (all.empty()) return "";
  EXPECT_EQ(all.size(), 1u) << spec;
  return (all.front().certain ? "" : "? ") + all.front().text;
}

std::string affinity(const std::string& terms) {
  return R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)" +
         terms + "]}}}";
}
std::string expression(const std::string& key, const std::string& is, const std::string& values = "") {
  return R"({"matchExpressions":[{"key":")" + key + R"(","operator":")" + is + R"(","values":[)" + values +
         "]}]}";
}

TEST(PodAgainstNode, EveryOperatorOfARequiredAffinityIsJudged) {
  const NodeObject node = node_with(R"("pool":"b","gen":"8","odd":"x")");
  struct Case {
    const char *key, *is, *values, *told;
  };
  for (const Case& c :
       {Case{"pool", "In", R"("a","b")", ""},
        Case{"pool", "In", R"("a")", "its node affinity asks for pool=a, and the node has pool=b"},
        Case{"zone", "In", R"("a","c")",
             "its node affinity asks for zone in (a,c), and the node has no label zone"},
        Case{"pool", "NotIn", R"("a")", ""}, Case{"zone", "NotIn", R"("a")", ""},
        Case{"pool", "NotIn", R"("b")", "its node affinity asks for pool!=b, and the node has pool=b"},
        Case{"pool", "Exists", "", ""},
        Case{"zone", "Exists", "", "its node affinity asks for zone, and the node has no label zone"},
        Case{"zone", "DoesNotExist", "", ""},
        Case{"pool", "DoesNotExist", "", "its node affinity asks for !pool, and the node has pool=b"},
        Case{"gen", "Gt", R"("7")", ""}, Case{"gen", "Lt", R"("9")", ""},
        Case{"gen", "Gt", R"("8")", "its node affinity asks for gen > 8, and the node has gen=8"},
        Case{"gen", "Lt", R"("8")", "its node affinity asks for gen < 8, and the node has gen=8"},
        Case{"odd", "Gt", R"("1")", "its node affinity asks for odd > 1, and the node has odd=x"},
        Case{"zone", "Gt", R"("1")", "its node affinity asks for zone > 1, and the node has no label zone"}})
    EXPECT_EQ(told(affinity(expression(c.key, c.is, c.values)), node), c.told) << c.key << " " << c.is;
}

TEST(PodAgainstNode, OneTermIsEnoughAndAllDemandsOfATermAre) {
  const NodeObject node = node_with(R"("pool":"b","gen":"8")");
  const std::string a = expression("pool", "In", R"("a")"), b = expression("pool", "In", R"("b")");
  EXPECT_EQ(told(affinity(a + "," + b), node), "");
  EXPECT_EQ(told(affinity(a + "," + a), node), "none of the 2 terms of its node affinity holds");
  EXPECT_EQ(told(affinity(R"({"matchExpressions":[{"key":"pool","operator":"In","values":["b"]},)"
                          R"({"key":"gen","operator":"Gt","values":["8"]}]})"),
                 node),
            "its node affinity asks for gen > 8, and the node has gen=8");
  // "A null or empty node selector term matches no objects."
  EXPECT_EQ(told(affinity("{}"), node), "its node affinity has no terms, and so matches no node");
  EXPECT_EQ(told(affinity(""), node), "its node affinity has no terms, and so matches no node");
  EXPECT_EQ(
      told(R"("affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[{}]}})", node),
      "");
}

TEST(PodAgainstNode, ANodeIsNamedByItsNameToo) {
  const NodeObject node = node_with("");
  const auto by_name = [](const std::string& name) {
    return affinity(R"({"matchFields":[{"key":"metadata.name","operator":"In","values":[")" + name +
                    R"("]}]})");
  };
  EXPECT_EQ(told(by_name("n1"), node), "");
  EXPECT_EQ(told(by_name("n2"), node),
            "its node affinity asks for metadata.name=n2, and the node has metadata.name=n1");
  EXPECT_EQ(told(R"("nodeName":"n2")", node), "it names another node");
  EXPECT_EQ(told(R"("nodeName":"n1")", node), "");
}

TEST(PodAgainstNode, TheSelectorNamesTheLabelThatAPersonCouldSet) {
  const NodeObject node = node_with(R"("pool":"b","kubernetes.io/hostname":"n1","kubernetes.io/os":"linux")");
  const auto subject = [&](const std::string& selector) {
    const auto all = held(R"("nodeSelector":{)" + selector + "}", node);
    return all.size() == 1 ? all.front().subject : "?";
  };
  EXPECT_EQ(subject(R"("pool":"a")"), "pool=a");
  EXPECT_EQ(subject(R"("team":"x","pool":"b")"), "team=x");
  EXPECT_EQ(subject(R"("team":"x","pool":"a")"), "") << "two labels differ: neither is the way out";
  EXPECT_EQ(subject(R"("nvidia.com/gpu.product":"H200")"), "") << "a program sets it";
  EXPECT_EQ(subject(R"("kubernetes.io/hostname":"n2")"), "");
  for (const char* owned :
       {"karpenter.sh/nodepool", "karpenter.k8s.aws/instance-family", "cloud.google.com/compute-class",
        "topology.gke.io/zone", "topology.ebs.csi.aws.com/zone", "oci.oraclecloud.com/fault-domain",
        "doks.digitalocean.com/node-pool", "topology.kubernetes.io/region"})
    EXPECT_EQ(subject(std::string("\"") + owned + R"(":"x")"), "") << owned;
  EXPECT_EQ(subject(R"("notgoogle.com/pool":"x")"), "notgoogle.com/pool=x") << "a site's own domain";
  EXPECT_EQ(subject(R"("example.org/pool":"x")"), "example.org/pool=x");
  EXPECT_EQ(told(R"("nodeSelector":{"kubernetes.io/hostname":"n1","kubernetes.io/os":"linux"})", node), "");
  EXPECT_EQ(told(R"("nodeSelector":{"pool":"a"})", node),
            "its node selector asks for pool=a, and the node has pool=b");
}

// Of the hundreds of labels that feature discovery sets most are not kept: that one is missing says nothing.
TEST(PodAgainstNode, ALabelThatIsNotKeptIsInDoubtAndNeverMissing) {
  const NodeObject node = node_with(R"("pool":"b","feature.node.kubernetes.io/x":"y")");
  const std::string text =
      "its node selector asks for feature.node.kubernetes.io/x=y, a label that tessera does not keep";
  EXPECT_EQ(told(R"("nodeSelector":{"feature.node.kubernetes.io/x":"y"})", node), "? " + text);
  EXPECT_EQ(told(R"("nodeSelector":{"feature.node.kubernetes.io/x":"y","pool":"a"})", node),
            "its node selector asks for pool=a, and the node has pool=b");
  const std::string doubt = expression("feature.node.kubernetes.io/x", "DoesNotExist");
  EXPECT_EQ(told(affinity(doubt), node).substr(0, 2), "? ");
  EXPECT_EQ(told(affinity(expression("pool", "In", R"("a")") + "," + doubt), node).substr(0, 2), "? ");
  EXPECT_EQ(told(affinity(doubt + "," + expression("pool", "Exists")), node), "");
}

TEST(PodAgainstNode, TaintsAreHeldAgainstTolerationsAsTheSchedulerDoes) {
  const NodeObject node =
      node_with("", R"("taints":[{"key":"team","value":"x","effect":"NoSchedule"},)"
                    R"({"key":"soft","effect":"PreferNoSchedule"},)"
                    R"({"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}])");
  const std::string kept = "the taint team=x:NoSchedule keeps it away, and it does not tolerate it";
  EXPECT_EQ(told("", node), kept);
  EXPECT_EQ(held("", node).front().subject, "team=x:NoSchedule");
  for (const auto& [toleration, told_of_it] :
       {std::pair{R"({"operator":"Exists"})", ""},
        {R"({"key":"team","operator":"Exists"})", ""},
        {R"({"key":"team","value":"x"})", ""},
        {R"({"key":"team","operator":"Equal","value":"x","effect":"NoSchedule"})", ""},
        {R"({"key":"team","value":"y"})", kept.c_str()},
        {R"({"key":"team","operator":"Exists","effect":"NoExecute"})", kept.c_str()},
        {R"({"value":"x"})", kept.c_str()},
        {R"({"key":"other","operator":"Exists"})", kept.c_str()}})
    EXPECT_EQ(told(R"("tolerations":[)" + std::string(toleration) + "]", node), told_of_it) << toleration;
  const PodTerms newer = terms_of(R"("tolerations":[{"key":"team","operator":"Gt","value":"5"}])");
  EXPECT_TRUE(newer.tolerations_unread);
  EXPECT_TRUE(against_node(newer, {}, node, {}).empty())
      << "what is not known keeps it from nothing for certain";
}

TEST(PodAgainstNode, CpusAndMemoryAreHeldAgainstWhatTheNodeHasForPods) {
  const NodeObject node = node_with("");
  constexpr std::int64_t kGib = 1024LL * 1024 * 1024;
  const auto against = [&](Compute asks, Compute taken) {
    const auto all = against_node({}, asks, node, taken);
    return all.empty() ? std::string() : all.front().text + " / " + all.front().subject;
  };
  EXPECT_EQ(against({96000, 64 * kGib}, {}), "");
  EXPECT_EQ(against({96500, 0}, {}), "it asks for 96.5 CPUs, and the node has 96 for pods / 96");
  EXPECT_EQ(against({64000, 0}, {48500, 0}),
            "it asks for 64 CPUs, and at most 47.5 of 96 are not requested by others / 47.5");
  EXPECT_EQ(against({0, 65 * kGib}, {}),
            "it asks for 66560 MiB of memory, and the node has 65536 MiB for pods / 65536");
  EXPECT_EQ(
      against({0, kGib + 1}, {0, 63 * kGib}),
      "it asks for 1025 MiB of memory, and at most 1024 of 65536 MiB are not requested by others / 1024");
  EXPECT_EQ(against({1, 1}, {INT64_MAX, INT64_MAX}).substr(0, 20), "it asks for 0.001 CP");
  const NodeObject silent = node_with("", "", "");
  EXPECT_TRUE(against_node({}, {1'000'000, 1}, silent, {}).empty()) << "what the node has is not told";
}

// k8s.io/component-helpers, resource.PodRequests.
TEST(PodAgainstNode, APodsRequestsAreCountedAsTheSchedulerCountsThem) {
  const auto asks = [](const std::string& spec) { return pod(spec, R"("phase":"Pending")").compute; };
  const auto container = [](const std::string& cpu, const std::string& more = "") {
    return R"({"resources":{"requests":{"cpu":)" + cpu + R"(,"memory":"1Mi"}})" + more + "}";
  };
  constexpr std::int64_t kMib = 1024 * 1024;
  EXPECT_EQ(asks(R"("containers":[)" + container(R"("1500m")") + "," + container("2") + "]"),
            (Compute{3500, 2 * kMib, false}));
  EXPECT_EQ(
      asks(R"("initContainers":[)" + container(R"("8")") + R"(],"containers":[)" + container(R"("1")") + "]"),
      (Compute{8000, kMib, false}));
  EXPECT_EQ(asks(R"("initContainers":[)" + container(R"("1")", R"(,"restartPolicy":"Always")") + "," +
                 container(R"("3")") + R"(],"containers":[)" + container(R"("2")") + "]"),
            (Compute{4000, 2 * kMib, false}));
  EXPECT_EQ(asks(R"("overhead":{"cpu":"250m","memory":"1Mi"},"containers":[)" + container(R"("1")") + "]"),
            (Compute{1250, 2 * kMib, false}));
  EXPECT_EQ(asks(R"("resources":{"requests":{"cpu":"5"}},"containers":[)" + container(R"("1")") + "]"),
            (Compute{5000, kMib, false}));
  EXPECT_EQ(asks(R"("containers":[{"resources":{"limits":{"cpu":"0.1"}}}])"), (Compute{100, 0, false}));
  EXPECT_EQ(asks(R"("containers":[{"resources":{"requests":{"cpu":"many"}}}])"), (Compute{0, 0, true}));
  EXPECT_EQ(asks(R"("containers":[{"resources":{"requests":{"cpu":"-1"}}}])"), (Compute{0, 0, true}));
  const Compute wild = asks(R"("containers":[)" + container("9e15") + "," + container("9e15") + "]");
  EXPECT_TRUE(wild.unread || wild.millis > 0) << "no sum runs over";
}

TEST(PodAgainstNode, WhatCannotBeReadIsNamedAndNothingIsConcludedFromIt) {
  const NodeObject node = node_with(R"("pool":"b")");
  for (
      const char* spec :
      {R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[]}})",
       R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":{}}}})",
       R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[7]}}})"}) {
    EXPECT_TRUE(terms_of(spec).affinity_unread) << spec;
    EXPECT_EQ(told(spec, node), "") << spec;
  }
  for (const auto& [is, values] : {std::pair{"Near", R"("a")"},
                                   {"In", ""},
                                   {"Exists", R"("a")"},
                                   {"Gt", R"("x")"},
                                   {"Gt", R"("1","2")"},
                                   {"In", "7"}})
    EXPECT_TRUE(terms_of(affinity(expression("pool", is, values))).affinity_unread) << is << values;
  EXPECT_TRUE(
      terms_of(affinity(R"({"matchFields":[{"key":"spec.x","operator":"Exists"}]})")).affinity_unread);
  EXPECT_TRUE(terms_of(R"("nodeSelector":["pool"])").selector_unread);
  EXPECT_TRUE(terms_of(R"("nodeSelector":{"pool":7})").selector_unread);
  EXPECT_TRUE(terms_of(R"("tolerations":{"key":"x"})").tolerations_unread);
  std::vector<std::string> phrases;
  for (const Related& one :
       beside_nodes(terms_of(R"("nodeSelector":7,"tolerations":7,"topologySpreadConstraints":[{}],)"
                             R"("containers":[{"ports":[{"hostPort":80}]}])"),
                    {0, 0, true}))
    phrases.push_back(why::unjudged_in(one));
  EXPECT_EQ(phrases,
            (std::vector<std::string>{
                "its node selector, which cannot be read",
                "its tolerations, which are of a kind that is not known here",
                "its CPUs and memory, which cannot be read",
                "the CPUs and memory that pods without a GPU have requested on the nodes",
                "its rules about other pods: affinity, anti-affinity, topology spread",
                "whether its host ports are taken on the nodes", "how many more pods the nodes may run"}));
}

// A pod of a training over several nodes waited for its RDMA device below green nodes.
TEST(PodAgainstNode, WhatElseItAsksForIsNamedAsNotJudged) {
  const auto others = [](const std::string& spec) {
    for (const Related& one : beside_nodes(terms_of(spec), {})) {
      const std::string phrase = why::unjudged_in(one);
      if (phrase.starts_with("whether the nodes have what else")) return phrase.substr(phrase.find(": ") + 2);
    }
    return std::string();
  };
  EXPECT_EQ(
      others(R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":1,"cpu":"2","memory":"1Gi"}}}])"), "");
  EXPECT_EQ(
      others(R"("containers":[{"resources":{"limits":{"nvidia.com/mig-1g.10gb":1,"nvidia.com/hostdev":1},)"
             R"("requests":{"rdma/hca_shared_devices_a":"1","hugepages-2Mi":"0"}}}],)"
             R"("initContainers":[{"resources":{"requests":{"ephemeral-storage":"1Gi"}}}])"),
      "ephemeral-storage, nvidia.com/hostdev, rdma/hca_shared_devices_a");
  EXPECT_EQ(others(R"("containers":[{"resources":{"limits":{"a/a":1,"b/b":1,"c/c":1,"d/d":1,"e/e":1}}}])"),
            "a/a, b/b, c/c, d/d and 1 more");
  EXPECT_EQ(others(R"("containers":[{"resources":{"limits":["a/a"]}},7])"), "");
}

TEST(PodAgainstNode, HostPortsOfSidecarsCountAndThoseOfWhatRunsBeforeDoNot) {
  const std::string ports = R"("ports":[{"hostPort":80}])";
  const auto taken = [](const std::string& spec) { return terms_of(spec).rules.ports.size(); };
  EXPECT_EQ(taken(R"("containers":[{)" + ports + "}]"), 1u);
  EXPECT_EQ(taken(R"("containers":[],"initContainers":[{"restartPolicy":"Always",)" + ports + "}]"), 1u);
  EXPECT_EQ(taken(R"("containers":[],"initContainers":[{)" + ports + "}]"), 0u);
  EXPECT_EQ(taken(R"("containers":[{"ports":[{"containerPort":80}]}])"), 0u);
  // Where the pods of all nodes that it might use were asked for, nothing of that is left to name.
  EXPECT_TRUE(beside_nodes(terms_of(R"("containers":[{)" + ports + "}]"), {}, true).empty());
}

TEST(PodAgainstNode, ItsPriorityClassIsTold) {
  const auto all =
      beside_nodes(terms_of(R"("priorityClassName":"high","priority":1000,"preemptionPolicy":"Never")"), {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all.back().kind + " " + all.back().name + " " + all.back().state + " " + all.back().text,
            "PriorityClass high 1000 it removes no other pods");
  EXPECT_EQ(beside_nodes(terms_of(""), {}).size(), 1u) << "what is not known of nodes alone";
}

TEST(PodAgainstNode, HostileTextIsCleanAndBounded) {
  std::string values;
  for (int i = 0; i < 5000; ++i) values += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\"";
  const PodTerms many = terms_of(affinity(expression("pool", "In", values)));
  EXPECT_TRUE(many.affinity_unread);
  const auto all = held(R"("nodeSelector":{"a\u001b[31m":"b\u0007"})", node_with(""));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all.front().text.find_first_of("\x1b\x07"), std::string::npos);
}

}  // namespace
}  // namespace tessera::kubernetes
