// The simulated kube-scheduler's filters: what pods and nodes say themselves, in its words, and what changes
// when a node's labels or taints do.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "backends/sim/apiserver/value.hpp"
#include "backends/sim/gpu_operator/cluster.hpp"
#include "backends/sim/gpu_operator/filters.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim::kube {
namespace {

Json json_told(const std::string& words) {
  Result<Json> read = parse_json(words, "test");
  EXPECT_TRUE(read.ok()) << words;
  return read ? *read : Json();
}
Json filtered_pod(const std::string& spec) {
  return json_told(
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"ns"},"spec":{)" + spec +
      (spec.empty() ? "" : ",") +
      R"("containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":1},"requests":{"cpu":"2"}}}]}})");
}
Json filtered_node(const std::string& labels, const std::string& taints = "") {
  return json_told(R"({"metadata":{"name":"g1","labels":{)" + labels + R"(}},"spec":{"taints":[)" + taints +
                   R"(]},"status":{"allocatable":{"cpu":"4","memory":"8Gi"}}})");
}

TEST(KubeFilters, SayInTheSchedulersWordsWhyANodeIsNone) {
  const Json node =
      filtered_node(R"("pool":"b","gen":"8")", R"({"key":"team","value":"x","effect":"NoSchedule"})");
  const std::string tolerant = R"("tolerations":[{"key":"team","operator":"Exists"}])";
  const auto affine = [&](const std::string& demand) {
    return tolerant +
           R"(,"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
           R"({"matchExpressions":[)" +
           demand + "]}]}}}";
  };
  const std::string not_chosen = "node(s) didn't match Pod's node affinity/selector";
  EXPECT_EQ(why_filtered(filtered_pod(""), node, {}), "node(s) had untolerated taint {team: x}");
  EXPECT_EQ(why_filtered(filtered_pod(tolerant), node, {}), "");
  EXPECT_EQ(why_filtered(filtered_pod(tolerant + R"(,"nodeSelector":{"pool":"a"})"), node, {}), not_chosen);
  EXPECT_EQ(why_filtered(filtered_pod(tolerant + R"(,"nodeName":"g2")"), node, {}),
            "node(s) didn't match the requested node name");
  EXPECT_EQ(why_filtered(filtered_pod(affine(R"({"key":"gen","operator":"Gt","values":["7"]})")), node, {}),
            "");
  EXPECT_EQ(why_filtered(filtered_pod(affine(R"({"key":"gen","operator":"Lt","values":["8"]})")), node, {}),
            not_chosen);
  EXPECT_EQ(
      why_filtered(filtered_pod(affine(R"({"key":"zone","operator":"NotIn","values":["z"]})")), node, {}),
      "");
  EXPECT_EQ(why_filtered(filtered_pod(affine(R"({"key":"pool","operator":"DoesNotExist"})")), node, {}),
            not_chosen);
  EXPECT_EQ(why_filtered(filtered_pod(tolerant), node, {{}, {2001, 0}}), "Insufficient cpu");
}

std::string rule_about(const std::string& which, const std::string& key) {
  return R"("affinity":{")" + which +
         R"(":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":")" + key +
         R"(","labelSelector":{"matchLabels":{"app":"x"}}}]}})";
}
ObjectPtr pod_there(const std::string& name, const std::string& node, const std::string& app,
                    const std::string& spec = "") {
  return std::make_shared<const Json>(
      json_told(R"({"metadata":{"namespace":"ns","name":")" + name + R"(","labels":{"app":")" + app +
                R"("}},"spec":{"nodeName":")" + node + "\"" + (spec.empty() ? "" : ",") + spec + "}}"));
}
// g1 and g2 in zone a, g3 in zone b.
Around three_nodes(const std::vector<ObjectPtr>& pods) {
  Around around;
  for (const auto& [name, zone] : {std::pair{"g1", "a"}, {"g2", "a"}, {"g3", "b"}})
    around.nodes.emplace(name, std::make_shared<const Json>(json_told(
                                   R"({"metadata":{"name":")" + std::string(name) +
                                   R"(","labels":{"host":")" + name + R"(","zone":")" + zone + R"("}}})")));
  for (const ObjectPtr& pod : pods) {
    around.there[text_at(*pod, {"spec", "nodeName"})].pods.push_back(pod);
    if (at(*pod, {"spec", "affinity", "podAntiAffinity"})) around.wary.push_back(pod);
  }
  return around;
}
// Of g1, g2 and g3: "-" where it may stand there.
std::vector<std::string> apart(const Json& pod, const Around& around) {
  std::vector<std::string> all;
  for (const auto& [name, node] : around.nodes) {
    const std::string why = why_kept_apart(pod, *node, around);
    all.push_back(why.empty() ? "-" : why.substr(std::string("node(s) didn't ").size()));
  }
  return all;
}
using Words = std::vector<std::string>;

TEST(KubeFilters, PodsAreKeptBesideAndApartInTheSchedulersWords) {
  const Around around = three_nodes({pod_there("a", "g1", "x"), pod_there("b", "g1", "y")});
  const std::string not_apart = "match pod anti-affinity rules", not_beside = "match pod affinity rules";
  const auto by = [&](const std::string& which, const std::string& key) {
    return apart(filtered_pod(rule_about(which, key)), around);
  };
  EXPECT_EQ(by("podAntiAffinity", "host"), (Words{not_apart, "-", "-"}));
  EXPECT_EQ(by("podAntiAffinity", "zone"), (Words{not_apart, not_apart, "-"}));
  EXPECT_EQ(by("podAffinity", "host"), (Words{"-", not_beside, not_beside}));
  EXPECT_EQ(by("podAffinity", "zone"), (Words{"-", "-", not_beside}));
  EXPECT_EQ(by("podAffinity", "rack"), (Words{not_beside, not_beside, not_beside}));
  const Around wary = three_nodes({pod_there("a", "g3", "z", rule_about("podAntiAffinity", "zone"))});
  EXPECT_EQ(apart(*pod_there("p", "", "x"), wary),
            (Words{"-", "-", "satisfy existing pods anti-affinity rules"}));
  EXPECT_EQ(apart(*pod_there("p", "", "y"), wary), (Words{"-", "-", "-"}));
  // The first of a group that is to stand together may stand anywhere.
  EXPECT_EQ(apart(*pod_there("p", "", "x", rule_about("podAffinity", "zone")), three_nodes({})),
            (Words{"-", "-", "-"}));
}

TEST(KubeFilters, PodsAreSpreadInTheSchedulersWords) {
  const auto spread = [](const std::string& key) {
    return *pod_there(
        "p", "", "x",
        R"("topologySpreadConstraints":[{"maxSkew":1,"whenUnsatisfiable":"DoNotSchedule","topologyKey":")" +
            key + R"(","labelSelector":{"matchLabels":{"app":"x"}}}])");
  };
  const Around around = three_nodes({pod_there("a", "g1", "x"), pod_there("b", "g2", "x")});
  const std::string uneven = "match pod topology spread constraints";
  EXPECT_EQ(apart(spread("host"), around), (Words{uneven, uneven, "-"}));
  EXPECT_EQ(apart(spread("zone"), around), (Words{uneven, uneven, "-"}));
  EXPECT_EQ(apart(spread("rack"), around)[0], uneven + " (missing required label)");
}

TEST(KubeFilters, AHostPortIsTakenOnceAndAKubeletTakesSoManyPods) {
  const std::string wants = R"("containers":[{"ports":[{"hostPort":9100}]}])";
  const Json node = json_told(R"({"metadata":{"name":"g1"},"status":{"allocatable":{"pods":"2"}}})");
  const Json pod = *pod_there("p", "", "x", wants);
  EXPECT_EQ(why_filtered(pod, node, {{pod_there("a", "g1", "y")}, {}}), "");
  EXPECT_EQ(why_filtered(pod, node, {{pod_there("a", "g1", "y", wants)}, {}}),
            "node(s) didn't have free ports for the requested pod ports");
  EXPECT_EQ(why_filtered(pod, node, {{pod_there("a", "g1", "y"), pod_there("b", "g1", "y")}, {}}),
            "Too many pods");
}

// Two nodes with two GPUs each.
struct FilteredPlace {
  Cluster cluster{
      sim::WorldStore(world_from("clusters: [{name: c, scheduler: kubernetes, users: [u], nodes: "
                                 "[{names: 'g[1-2]', product: H100-80GB-SXM5, gpus: 2}], jobs: []}]")),
      1, [] { return kMonday; }};
  const Key key{"pods", "ns", "p"};

  void make(const std::string& spec) { EXPECT_TRUE(cluster.create_pod(key, filtered_pod(spec)).ok()); }
  void put_on(const std::string& node, Path path, Json value) {
    cluster.objects().edit({"nodes", "", node}, [&](Json& one) { put_at(one, path, std::move(value)); });
  }
  // A pod beside the one that is looked at. gpus 0: it asks for none.
  Key beside(const std::string& name, int gpus, int cpus, const std::string& node, bool bound = false) {
    const Key other{"pods", "ns", name};
    const std::string on = bound ? R"("nodeName":")" + node + R"(")"
                                 : R"("nodeSelector":{"kubernetes.io/hostname":")" + node + R"("})";
    const std::string limits = gpus > 0 ? R"("nvidia.com/gpu":)" + std::to_string(gpus) : "";
    EXPECT_TRUE(
        cluster
            .create_pod(
                other, json_told(R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns",)"
                                 R"("name":")" +
                                 name + R"("},"spec":{)" + on + R"(,"containers":[{"resources":{"limits":{)" +
                                 limits + R"(},"requests":{"cpu":")" + std::to_string(cpus) + R"("}}}]}})"))
            .ok());
    return other;
  }
  int all_cpus() {
    return std::stoi(text_at(*cluster.objects().find({"nodes", "", "g1"}), {"status", "allocatable", "cpu"}));
  }
  void end(const Key& pod) {
    EXPECT_TRUE(cluster.delete_pod(pod, Duration(0)).ok());
    pass();
  }
  void pass() { EXPECT_TRUE(cluster.pass(std::chrono::seconds(1)).ok()); }
  Json taint() { return list_of({json_told(R"({"key":"team","value":"x","effect":"NoSchedule"})")}); }
  std::string where() { return text_at(*cluster.objects().find(key), {"spec", "nodeName"}); }
  std::string message() {
    const Json* all = at(*cluster.objects().find(key), {"status", "conditions"});
    return all && !all->items.empty() ? text_at(all->items.front(), {"message"}) : "";
  }
};

TEST(KubeFilters, APodThatNoNodeTakesStartsWhenALabelOrATaintChanges) {
  FilteredPlace place;
  place.put_on("g1", {"spec", "taints"}, place.taint());
  place.make(R"("nodeSelector":{"kubernetes.io/hostname":"g1"})");
  EXPECT_EQ(place.message(),
            "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 "
            "node(s) had untolerated taint {team: x}.");
  place.put_on("g1", {"spec", "taints"}, Json::list());
  EXPECT_EQ(place.where(), "g1");
}

TEST(KubeFilters, APodThatWaitsForRoomIsHeldAgainstNewTaintsToo) {
  FilteredPlace place;
  for (const char* name : {"a", "b"})
    EXPECT_TRUE(
        place.cluster
            .create_pod(
                {"pods", "ns", name},
                json_told(R"({"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns","name":")" +
                          std::string(name) +
                          R"("},"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":2}}}]}})"))
            .ok());
  place.make("");
  EXPECT_EQ(place.message(), "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
  place.put_on("g1", {"spec", "taints"}, place.taint());
  EXPECT_EQ(place.message(),
            "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated "
            "taint {team: x}.");
  place.put_on("g2", {"spec", "taints"}, place.taint());
  EXPECT_EQ(place.message(), "0/2 nodes are available: 2 node(s) had untolerated taint {team: x}.");
  place.put_on("g2", {"spec", "taints"}, Json::list());
  EXPECT_EQ(place.message(),
            "0/2 nodes are available: 1 Insufficient nvidia.com/gpu, 1 node(s) had untolerated "
            "taint {team: x}.");
  EXPECT_EQ(place.where(), "");
}

TEST(KubeFilters, APodThatWaitsForCpusStartsWhenAnotherGivesThemBack) {
  FilteredPlace place;
  const Key first = place.beside("a", 1, place.all_cpus(), "g1");
  place.beside("b", 1, place.all_cpus(), "g2");
  place.make("");
  EXPECT_EQ(place.message(), "0/2 nodes are available: 2 Insufficient cpu.");
  place.pass();
  EXPECT_EQ(place.where(), "");
  place.end(first);
  EXPECT_EQ(place.where(), "g1");
}

TEST(KubeFilters, APodThatWaitsForAGpuIsHeldAgainstTheCpusThatOthersTakeMeanwhile) {
  FilteredPlace place;
  const Key first = place.beside("a", 2, 1, "g1");
  place.beside("b", 2, 1, "g2");
  place.make("");
  EXPECT_EQ(place.message(), "0/2 nodes are available: 2 Insufficient nvidia.com/gpu.");
  const Key greedy = place.beside("c", 0, place.all_cpus() - 1, "g1", true);
  place.pass();
  place.end(first);
  EXPECT_EQ(place.where(), "") << "its GPUs are free, and their CPUs are not";
  EXPECT_NE(place.message().find("1 Insufficient cpu"), std::string::npos) << place.message();
  place.end(greedy);
  EXPECT_EQ(place.where(), "g1");
}

TEST(KubeFilters, APodThatIsKeptApartStartsWhenTheOtherIsGone) {
  FilteredPlace place;
  std::vector<Key> others;
  for (const char* node : {"g1", "g2"}) {
    others.push_back(place.beside(std::string("on-") + node, 1, 1, node));
    place.cluster.objects().edit(others.back(), [](Json& pod) {
      put_at(pod, {"metadata", "labels", "app"}, text("x"));
    });
  }
  place.make(rule_about("podAntiAffinity", "kubernetes.io/hostname"));
  EXPECT_EQ(place.message(), "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
  place.end(others[1]);
  EXPECT_EQ(place.where(), "g2");
}

TEST(KubeFilters, APodThatNamesItsNodeWaitsForThatOneAfterALabelToo) {
  FilteredPlace place;
  const Key first = place.beside("a", 2, 1, "g2");
  place.make(R"("nodeName":"g2")");
  EXPECT_EQ(place.where(), "");
  place.put_on("g1", {"metadata", "labels", "pool"}, text("a"));
  EXPECT_EQ(place.where(), "") << "g1 is not the one that it names";
  place.end(first);
  EXPECT_EQ(place.where(), "g2");
}

TEST(KubeFilters, APodThatIsMadeAgainBehindAGateStaysBehindIt) {
  FilteredPlace place;
  place.make(R"("nodeSelector":{"pool":"a"})");
  place.end(place.key);
  place.make(R"("schedulingGates":[{"name":"example.com/data"}])");
  place.put_on("g1", {"metadata", "labels", "pool"}, text("a"));
  EXPECT_EQ(place.where(), "");
  EXPECT_EQ(place.message(), "Scheduling is blocked due to non-empty scheduling gates");
}

TEST(KubeFilters, APodThatIsBeingDeletedIsNotStartedByALabel) {
  FilteredPlace place;
  place.make(R"("nodeSelector":{"pool":"a"})");
  EXPECT_TRUE(place.cluster.delete_pod(place.key, std::chrono::seconds(30)).ok());
  place.put_on("g1", {"metadata", "labels", "pool"}, text("a"));
  ASSERT_NE(place.cluster.objects().find(place.key), nullptr);
  EXPECT_EQ(place.where(), "");
}

}  // namespace
}  // namespace tessera::sim::kube
