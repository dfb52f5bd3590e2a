// A pod's rules about the pods beside it: what is read of them, each held against nodes, what is not known,
// and what is asked for it.
#include "backends/kubernetes/objects/pods_beside.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/pod_against_node.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace pods_beside_test {

using By = why::AgainstNode::By;
using Told = std::vector<std::string>;

constexpr std::string_view kHost = "kubernetes.io/hostname", kZone = "topology.kubernetes.io/zone";

PodRules rules_in(const std::string& spec) {
  auto read = parse_json(
      R"({"metadata":{"name":"p","namespace":"team","labels":{"app":"x","hash":"7"}},"spec":{)" + spec + "}}",
      "test");
  EXPECT_TRUE(read) << spec << to_line(read.error());
  return read ? pod_rules_of(*read) : PodRules();
}
// which: podAffinity or podAntiAffinity.
std::string about_pods(const std::string& which, std::string_view key, const std::string& selector,
                       const std::string& more = "") {
  return R"("affinity":{")" + which +
         R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":")" + std::string(key) +
         R"(","labelSelector":)" + selector + more + "}]}}";
}
std::string spread_by(std::string_view key, const std::string& more = "") {
  return R"("topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","topologyKey":")" +
         std::string(key) + R"(","labelSelector":{"matchLabels":{"app":"x"}})" + more + "}]";
}
const std::string kOfX = R"({"matchLabels":{"app":"x"}})";

NodeObject node_in(const std::string& name, const std::string& zone) {
  auto read = Parser().object<NodeObject>(
      R"({"metadata":{"name":")" + name + R"(","labels":{"kubernetes.io/hostname":")" + name + "\"" +
      (zone.empty() ? "" : R"(,"topology.kubernetes.io/zone":")" + zone + "\"") +
      R"(}},"spec":{},"status":{"allocatable":{"pods":"2"}}})");
  EXPECT_TRUE(read);
  return read ? *read : NodeObject();
}

// g1 and g2 in zone a, g3 in zone b.
struct ThreeNodes {
  std::vector<NodeObject> nodes{node_in("g1", "a"), node_in("g2", "a"), node_in("g3", "b")};
  std::vector<NodeObject> without_gpus;
  bool sure = true;  // whether the pod's node selector lets it onto g3 is known

  // Of each node what is told of the pod's one rule: "" nothing, "? …" what is not certain.
  Told told(const std::string& spec, const std::vector<PodThere>& pods, std::size_t missing = 0) {
    const PodRules rules = rules_in(spec);
    EXPECT_EQ(rules.unjudged, rules.spread_keys.size() > 1) << spec;
    PodsBeside beside;
    beside.of_rules = {{pods, missing}};
    std::vector<ListedNode> seen;
    for (const NodeObject& node : nodes) seen.push_back({&node, true, sure || node.meta.name != "g3", true});
    for (const NodeObject& node : without_gpus) seen.push_back({&node, true, true, false});
    Told all(nodes.size());
    for (const why::AgainstNode& one : against_rules(rules, beside, seen))
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (one.node.text == nodes[i].meta.name) all[i] = (one.certain ? "" : "? ") + one.text;
    return all;
  }
};

TEST(PodsBeside, AnAntiAffinityNamesThePodThatStandsInItsWay) {
  ThreeNodes three;
  const std::vector<PodThere> pods{{"team/a", "g1", false, {}}};
  EXPECT_EQ(three.told(about_pods("podAntiAffinity", kHost, kOfX), pods),
            (Told{"its anti-affinity keeps it off pods with app=x, and team/a runs there", "", ""}));
  const std::string zone =
      "its anti-affinity keeps it off pods with app=x, and team/a runs on a node with "
      "topology.kubernetes.io/zone=a";
  EXPECT_EQ(three.told(about_pods("podAntiAffinity", kZone, kOfX), pods), (Told{zone, zone, ""}));
  // Nodes that are not parted by the label keep nothing off.
  three.nodes[0] = node_in("g1", "");
  EXPECT_EQ(three.told(about_pods("podAntiAffinity", kZone, kOfX), pods), (Told{"", "", ""}));
}

TEST(PodsBeside, AnAffinityAsksForAPodInTheSameDomain) {
  ThreeNodes three;
  const std::vector<PodThere> pods{{"team/a", "g1", false, {}}};
  const std::string none = "its affinity asks for a pod with app=y, and none runs there";
  const std::string of_y = R"({"matchExpressions":[{"key":"app","operator":"In","values":["y"]}]})";
  EXPECT_EQ(three.told(about_pods("podAffinity", kHost, R"({"matchLabels":{"app":"y"}})"), pods),
            (Told{"", none, none}));
  EXPECT_EQ(three.told(about_pods("podAffinity", kZone, of_y), pods),
            (Told{"", "",
                  "its affinity asks for a pod with app in (y), and none runs on a node with "
                  "topology.kubernetes.io/zone=b"}));
  // The first of a group that is to stand together may stand anywhere; where there is one it may not.
  EXPECT_EQ(three.told(about_pods("podAffinity", kHost, kOfX), {}), (Told{"", "", ""}));
  EXPECT_EQ(three.told(about_pods("podAffinity", kHost, of_y), {})[0],
            "its affinity asks for a pod with app in (y), and none runs there");
  three.nodes[2] = node_in("g3", "");
  EXPECT_EQ(three.told(about_pods("podAffinity", kZone, kOfX), {})[2],
            "its rules about other pods go by topology.kubernetes.io/zone, and the node has no such label");
}

TEST(PodsBeside, ATopologySpreadIsCountedAsTheSchedulerCountsIt) {
  ThreeNodes three;
  const std::vector<PodThere> pods{
      {"team/a", "g1", false, {}}, {"team/b", "g2", false, {}}, {"team/c", "g3", true, {}}};
  const auto uneven = [](const std::string& pair, int with) {
    return "its topology spread allows a difference of 1: with it there would be " + std::to_string(with) +
           " pods with app=x on " + pair + ", and elsewhere are 0";
  };
  EXPECT_EQ(three.told(spread_by(kHost), pods),
            (Told{uneven("kubernetes.io/hostname=g1", 2), uneven("kubernetes.io/hostname=g2", 2), ""}))
      << "one that ends counts no more";
  const std::string a = uneven("topology.kubernetes.io/zone=a", 3);
  EXPECT_EQ(three.told(spread_by(kZone), pods), (Told{a, a, ""}));
  EXPECT_EQ(three.told(spread_by(kZone), {{"team/a", "g1", false, {}}, {"team/c", "g3", false, {}}}),
            (Told{"", "", ""}));
}

// kube-scheduler takes the fewest of all nodes that the pod's selector lets it onto, the control plane, too.
TEST(PodsBeside, ATopologySpreadCountsNodesWithoutGpus) {
  ThreeNodes three;
  const std::vector<PodThere> one_each{
      {"team/a", "g1", false, {}}, {"team/b", "g2", false, {}}, {"team/c", "g3", false, {}}};
  EXPECT_EQ(three.told(spread_by(kHost), one_each), (Told{"", "", ""}));
  three.without_gpus = {node_in("cpu-1", "c")};
  const auto uneven = [](const std::string& pair, int with) {
    return "its topology spread allows a difference of 1: with it there would be " + std::to_string(with) +
           " pods with app=x on " + pair + ", and elsewhere are 0";
  };
  EXPECT_EQ(three.told(spread_by(kHost), one_each),
            (Told{uneven("kubernetes.io/hostname=g1", 2), uneven("kubernetes.io/hostname=g2", 2),
                  uneven("kubernetes.io/hostname=g3", 2)}));
  const std::string a = uneven("topology.kubernetes.io/zone=a", 3);
  EXPECT_EQ(three.told(spread_by(kZone), one_each), (Told{a, a, uneven("topology.kubernetes.io/zone=b", 2)}));
  // Where one runs there nothing is uneven but the zone with two.
  std::vector<PodThere> four = one_each;
  four.push_back({"team/d", "cpu-1", false, {}});
  EXPECT_EQ(three.told(spread_by(kHost), four), (Told{"", "", ""}));
  EXPECT_EQ(three.told(about_pods("podAntiAffinity", kZone, kOfX), {{"team/d", "cpu-1", false, {}}}),
            (Told{"", "", ""}))
      << "in which zone it runs is known";
}

TEST(PodsBeside, WhereASelectorIsInDoubtASpreadIsNotKnown) {
  ThreeNodes three;
  three.sure = false;
  const std::string not_known = "? not known: which pods with app=x run there";
  const Told all = three.told(spread_by(kHost), {{"team/a", "g1", false, {}}});
  EXPECT_EQ(all[0],
            "? its topology spread allows a difference of 1: with it there would be 2 pods with app=x on "
            "kubernetes.io/hostname=g1, and elsewhere are 0");
  EXPECT_EQ(all[1], not_known);
  EXPECT_EQ(three.told(about_pods("podAntiAffinity", kHost, kOfX), {}), (Told{"", "", ""}))
      << "of the others a selector is no matter";
}

// A node counts in a spread only with the labels of all spreads, of those that are not judged, too.
TEST(PodsBeside, ANodeWithoutTheLabelOfASpreadThatIsNotJudgedCountsInNone) {
  ThreeNodes three;
  three.nodes[2] = node_in("g3", "");
  std::string two = spread_by(kHost);
  two.pop_back();
  two += R"(,{"maxSkew":1,"minDomains":2,"whenUnsatisfiable":"DoNotSchedule","topologyKey":")" +
         std::string(kZone) + R"(","labelSelector":{"matchLabels":{"app":"x"}}}])";
  EXPECT_EQ(three.told(two, {{"team/a", "g1", false, {}}, {"team/b", "g2", false, {}}}), (Told{"", "", ""}));
}

// A pod on a node that is not listed may stand in the same zone; a list that is cut off tells of some alone.
TEST(PodsBeside, WhatRunsElsewhereOrWasNotReadLeavesItNotKnown) {
  ThreeNodes three;
  const std::vector<PodThere> stray{{"team/a", "cpu-1", false, {}}};
  const std::string not_known = "? not known: which pods with app=x run there";
  EXPECT_EQ(three.told(about_pods("podAntiAffinity", kHost, kOfX), stray), (Told{"", "", ""}));
  EXPECT_EQ(three.told(about_pods("podAntiAffinity", kZone, kOfX), stray),
            (Told{not_known, not_known, not_known}));
  EXPECT_EQ(three.told(about_pods("podAffinity", kZone, kOfX), stray)[0], not_known);
  EXPECT_EQ(three.told(spread_by(kZone), stray)[0], not_known);
  EXPECT_EQ(
      three.told(about_pods("podAntiAffinity", kHost, kOfX), {{"team/a", "g1", false, {}}}, 1),
      (Told{"its anti-affinity keeps it off pods with app=x, and team/a runs there", not_known, not_known}));
  EXPECT_EQ(three.told(about_pods("podAffinity", kHost, kOfX), {}, 1)[0], not_known);
}

TEST(PodsBeside, EveryFormOfASelectorIsAskedForAsKubectlTakesIt) {
  const PodRules rules = rules_in(about_pods(
      "podAntiAffinity", kHost,
      R"({"matchLabels":{"b":"","a":"1"},"matchExpressions":[{"key":"c","operator":"NotIn","values":["2","3"]},)"
      R"({"key":"d","operator":"Exists"},{"key":"e","operator":"DoesNotExist"}]})",
      R"(,"namespaces":["other"])"));
  ASSERT_EQ(rules.rules.size(), 1u);
  EXPECT_EQ(rules.rules[0].selector, "a=1,b=,c notin (2,3),d,!e");
  EXPECT_EQ(rules.rules[0].spaces, std::vector<std::string>{"other"});
  EXPECT_FALSE(rules.rules[0].matches_itself);
  const PodRules keyed = rules_in(spread_by(kHost, R"(,"matchLabelKeys":["hash","none"])"));
  ASSERT_EQ(keyed.rules.size(), 1u);
  EXPECT_EQ(keyed.rules[0].selector, "app=x,hash in (7)");
  EXPECT_TRUE(keyed.rules[0].matches_itself);
}

// Not known before, though the selector as the API server keeps it has those keys.
TEST(PodsBeside, KeysThatTheServerHasWrittenIntoTheSelectorAreJudged) {
  const auto with = [](const std::string& demand) {
    return R"({"matchLabels":{"app":"y"},"matchExpressions":[{"key":"hash",)" + demand + "}]}";
  };
  const std::string in = with(R"("operator":"In","values":["7"])");
  const std::string not_in = with(R"("operator":"NotIn","values":["7"])");
  const std::string match = R"(,"matchLabelKeys":["hash","none"])";
  const std::string mismatch = R"(,"mismatchLabelKeys":["hash"])";
  const auto selector = [](const PodRules& rules) {
    return rules.unjudged || rules.rules.size() != 1 ? "not judged" : rules.rules[0].selector;
  };
  EXPECT_EQ(selector(rules_in(about_pods("podAffinity", kHost, in, match))), "app=y,hash in (7)");
  EXPECT_EQ(selector(rules_in(about_pods("podAntiAffinity", kHost, not_in, mismatch))),
            "app=y,hash notin (7)");
  EXPECT_EQ(selector(rules_in(about_pods("podAffinity", kHost, in, mismatch))), "not judged");
  EXPECT_EQ(
      selector(rules_in(about_pods("podAffinity", kHost, with(R"("operator":"In","values":["8"])"), match))),
      "not judged");
}

TEST(PodsBeside, OfSeveralTermsOfAnAffinityWhatNoPodMeetsIsCertain) {
  const auto terms = [](const std::string& one, const std::string& other) {
    const auto term = [](const std::string& app) {
      return R"({"topologyKey":"a","labelSelector":{"matchLabels":{"app":")" + app + R"("}}})";
    };
    return rules_in(R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)" +
                    term(one) + "," + term(other) + "]}}");
  };
  const PodRules others = terms("y", "z"), first = terms("x", "x");
  EXPECT_TRUE(others.unjudged) << "whether one pod meets both is not known";
  EXPECT_EQ(others.rules.size(), 2u);
  EXPECT_EQ(terms("x", "y").rules.size(), 2u) << "it does not meet both itself";
  EXPECT_TRUE(first.unjudged);
  EXPECT_TRUE(first.rules.empty()) << "it may be the first of its kind";
}

TEST(PodsBeside, ARuleOfAnotherFormIsNotJudged) {
  for (const std::string& spec :
       {about_pods("podAffinity", kHost, kOfX, R"(,"namespaceSelector":{})"),
        about_pods("podAntiAffinity", kHost, kOfX, R"(,"mismatchLabelKeys":["hash"])"),
        about_pods("podAntiAffinity", kHost, "null"), about_pods("podAntiAffinity", "", kOfX),
        about_pods("podAntiAffinity", kHost, R"({"matchLabels":{"app":"x,y"}})"),
        about_pods("podAntiAffinity", kHost, R"({"matchLabels":{"app' -A #":"x"}})"),
        about_pods("podAntiAffinity", kHost,
                   R"({"matchExpressions":[{"key":"a","operator":"Near","values":["b"]}]})"),
        about_pods("podAntiAffinity", kHost, kOfX, R"(,"namespaces":["a","b","c"])"),
        spread_by(kHost, R"(,"minDomains":3)"), spread_by(kHost, R"(,"nodeTaintsPolicy":"Honor")"),
        spread_by(kHost, R"(,"nodeAffinityPolicy":"Ignore")"),
        std::string(
            R"("topologySpreadConstraints":[{"topologyKey":"a","whenUnsatisfiable":"DoNotSchedule"}])"),
        std::string(R"("topologySpreadConstraints":{"a":1})")}) {
    const PodRules rules = rules_in(spec);
    EXPECT_TRUE(rules.unjudged) << spec;
    EXPECT_TRUE(rules.rules.empty()) << spec;
  }
  const std::string two = R"({"topologyKey":"a","labelSelector":{}})";
  const std::string terms =
      R"("affinity":{"podAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)";
  EXPECT_TRUE(rules_in(terms + two + "," + two + "]}}").unjudged);
  EXPECT_FALSE(rules_in(terms + two + "]}}").unjudged);
  // What only is preferred keeps it off no node.
  EXPECT_FALSE(
      rules_in(R"("topologySpreadConstraints":[{"topologyKey":"a","whenUnsatisfiable":"ScheduleAnyway"}])")
          .unjudged);
}

TEST(PodsBeside, ThePodsOfANodeHoldItsHostPortsAndItsPlaces) {
  const NodeObject node = node_in("g1", "a");
  const PodRules rules = rules_in(R"("containers":[{"ports":[{"hostPort":9100},{"containerPort":80}]}],)"
                                  R"("initContainers":[{"ports":[{"hostPort":7}]}])");
  ASSERT_EQ(rules.ports.size(), 1u) << "what runs before, and ends, takes none";
  const auto told = [&](std::vector<HostPort> taken, std::size_t pods = 1) {
    PodsBeside beside;
    beside.on_nodes["g1"].pods.assign(pods, {"kube-system/exporter", "g1", false, taken});
    const auto all = against_pods_on(rules, beside, node);
    return all.empty() ? std::string() : all.front().text;
  };
  const std::string taken = "the host port 9100/TCP that it needs is taken by kube-system/exporter";
  EXPECT_EQ(told({{"TCP", "0.0.0.0", 9100}}), taken);
  EXPECT_EQ(told({{"TCP", "10.0.0.1", 9100}}), taken);
  EXPECT_EQ(told({{"UDP", "0.0.0.0", 9100}, {"TCP", "0.0.0.0", 9101}}), "");
  EXPECT_EQ(told({}, 2), "2 pods run there, and the kubelet takes 2");
  EXPECT_TRUE(against_pods_on(rules, {}, node).empty()) << "its pods were not asked for";
}

TEST(PodsBeside, APodThatHasEndedOrHasNoNodeIsNotThere) {
  const auto there = [](const std::string& spec, const std::string& status) {
    auto read = parse_json(
        R"({"metadata":{"namespace":"team","name":"a"},"spec":{)" + spec + R"(},"status":{)" + status + "}}",
        "test");
    return read ? pod_there_of(*read) : std::nullopt;
  };
  EXPECT_TRUE(there(R"("nodeName":"g1")", R"("phase":"Running")"));
  EXPECT_FALSE(there("", R"("phase":"Pending")"));
  EXPECT_FALSE(there(R"("nodeName":"g1")", R"("phase":"Succeeded")"));
}

// What is asked for such a pod, and for no other.
TEST(PodsBeside, ThePodsThatARuleIsAboutAreAskedForByTheirLabels) {
  LabApi api;
  const Labels gpus{{"nvidia.com/gpu", "2"}};
  api.nodes["g1"] =
      node_json("g1", {{"nvidia.com/gpu.product", "H100"}, {"kubernetes.io/hostname", "g1"}}, gpus);
  const auto waiting = [&](const std::string& name, const std::string& spec) {
    return R"({"metadata":{"name":")" + name +
           R"(","namespace":"team","uid":"u","labels":{"app":"x"}},"spec":{)" + spec +
           R"("priority":5,"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}]},)" +
           R"("status":{"phase":"Pending"}})";
  };
  const std::string apart = waiting("apart", about_pods("podAntiAffinity", kHost, kOfX) + ",");
  const std::string plain = waiting("plain", "");
  api.pods = {{"apart", apart}, {"plain", plain}};
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path == "/api/v1/namespaces/team/pods/apart") return LabApi::Answer{200, apart, {}};
    if (path == "/api/v1/namespaces/team/pods/plain") return LabApi::Answer{200, plain, {}};
    if (path == "/api/v1/namespaces/team/pods" && query.find("labelSelector=app%3Dx") != std::string::npos)
      return LabApi::Answer{
          200,
          list_json({R"({"metadata":{"namespace":"team","name":"a"},"spec":{"nodeName":"g1"},"status":{}})"},
                    "1"),
          {}};
    if (path == "/api/v1/namespaces/team/events") return LabApi::Answer{200, list_json({}, "1"), {}};
    return std::nullopt;
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(
      [](const Cluster& c) { return c.workloads.all().size() == 2 && c.nodes.all().size() == 1; }));
  const Details details = watch.details_of(WorkloadId("team/apart"));
  ASSERT_EQ(details.asked.size(), 3u);
  EXPECT_EQ(details.asked[2].command, "kubectl -n team get pods -l 'app=x'")
      << "last, as such a list may be long";
  for (const Inquiry& one : details.asked) EXPECT_FALSE(one.failure) << one.command;
  const auto against = why::against_nodes(&details);
  ASSERT_EQ(against.count(NodeName("g1")), 1u);
  EXPECT_EQ(against.at(NodeName("g1")).front().text,
            "its anti-affinity keeps it off pods with app=x, and team/a runs there");
  // Which of the two comes first is told, too.
  EXPECT_TRUE(std::any_of(details.related.begin(), details.related.end(), [](const Related& one) {
    return one.kind == "place in the queue" &&
           one.text == "1 of 2 by priority, then by age, among the pods for GPUs that wait here";
  }));
  EXPECT_EQ(api.count("labelSelector"), 1u);
}

}  // namespace pods_beside_test
}  // namespace tessera::kubernetes
