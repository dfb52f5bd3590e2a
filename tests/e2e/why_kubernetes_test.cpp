// Pods that wait for one reason each on the simulated API server, created by the real kubectl: what
// `tessera why` says of them, and that doing what it says starts them.
#include <algorithm>

#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

class WhyKubernetesE2e : public KubeChangeLab {
 protected:
  // on: a node; empty: any.
  // metadata, spec: more of them. beside: another container.
  std::string pod(const std::string& letter, const std::string& resource, int count,
                  const std::string& on = "", const std::string& metadata = "", const std::string& spec = "",
                  const std::string& beside = "") {
    const std::string name = "pod-" + letter;  // "n" alone is no text in YAML
    const std::string file = folder_.write(
        name + ".yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: training" + metadata +
            "}\nspec:\n" + spec +
            (on.empty() ? "" : "  nodeSelector: {kubernetes.io/hostname: " + on + "}\n") +
            "  containers:\n    - name: main\n      image: busybox\n      resources: {limits: {nvidia.com/" +
            resource + ": " + std::to_string(count) + "}}\n" + beside);
    kubectl({"create", "-f", file});
    return "training/" + name;
  }
  bool starts(const std::string& id) {
    return kubectl({"wait", "--for=condition=Ready", "pod/" + id.substr(id.find('/') + 1), "--namespace",
                    "training", "--timeout=60s"}) != "";
  }
  std::string running(const std::string& name, const std::string& resource, int count,
                      const std::string& on) {
    std::string id = pod(name, resource, count, on);
    EXPECT_TRUE(starts(id)) << name;
    return id;
  }
  // The pod that holds both GPUs of h1 from the start.
  std::string holder() {
    const std::string name = kubectl({"get", "pods", "-n", "training", "-o", "name"});
    const std::size_t at = name.find("sft");
    return at == std::string::npos ? "training/none"
                                   : "training/" + name.substr(at, name.find('\n', at) - at);
  }
  void end(const std::string& id) {
    kubectl({"delete", "pod", "-n", "training", id.substr(id.find('/') + 1), "--wait=false"});
  }
  std::string why(const std::string& id) {
    std::string said;
    for (int i = 0; i < 50; ++i) {  // the scheduler writes its message at its next look
      const Ran ran = run({"why", id, "-o", "json"});
      EXPECT_EQ(ran.code, 0) << ran.err;
      said = ran.out;
      if (json_at(said, "/reason") != "null") break;
    }
    for (const std::string& wrong : check_schema(schema_text("why"), said)) ADD_FAILURE() << wrong;
    EXPECT_EQ(json_at(said, "/waits"), "true") << said;
    return said;
  }
  static std::string about(const std::string& json, const std::string& node) {
    for (int i = 0; i < 20; ++i) {
      const std::string at = "/nodes/" + std::to_string(i);
      if (json_at(json, at + "/nodes").find('"' + node + '"') != std::string::npos)
        return text_at(json, at + "/text");
    }
    return {};
  }
  static bool not_known(const std::string& said, const std::string& part) {
    return json_at(said, "/not_known").find(part) != std::string::npos;
  }
  void expect_told(const std::string& said, const std::string& node, const std::string& text) {
    EXPECT_EQ(about(said, node).substr(0, text.size()), text) << said;
  }
};

TEST_F(WhyKubernetesE2e, APodForAFullNodeStartsOnceItIsGivenBack) {
  const std::string before = holder();
  const std::string id = pod("a", "gpu", 2, "h1");
  const std::string said = why(id);
  expect_told(said, "h1", "0 of 2 × nvidia.com/gpu are free, and it asks for 2");
  end(before);
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, PodsThatWantMoreThanIsLeftOnEachNode) {
  const std::string one = running("one", "gpu", 1, "h2"), three = running("three", "gpu", 3, "t1");
  struct Case {
    const char *name, *node, *told;
    int count;
    std::string holder;
  };
  for (const Case& c : {Case{"b", "h2", "1 of 2 × nvidia.com/gpu are free, and it asks for 2", 2, one},
                        Case{"c", "t1", "1 of 4 × nvidia.com/gpu are free, and it asks for 2", 2, three}}) {
    const std::string id = pod(c.name, "gpu", c.count, c.node);
    expect_told(why(id), c.node, c.told);
    end(c.holder);
    EXPECT_TRUE(starts(id)) << c.name;
    end(id);
  }
}

TEST_F(WhyKubernetesE2e, PodsForCordonedNodesStartOnceTheyAreOpened) {
  for (const char* node : {"h2", "t1"}) {
    kubectl({"cordon", node});
    const std::string id = pod(std::string("d-") + node, "gpu", 1, node);
    const std::string said = why(id);
    expect_told(said, node, "cordoned");
    const std::string command = command_of(said, "kubectl uncordon ");
    EXPECT_EQ(command, std::string("kubectl uncordon ") + node) << said;
    kubectl({"uncordon", node});
    EXPECT_TRUE(starts(id)) << node;
  }
}

TEST_F(WhyKubernetesE2e, PodsThatWantMoreThanANodeHas) {
  for (const auto& [name, node, count, told] : {std::tuple{"e", "h2", 3, "offers 2 of nvidia.com/gpu"},
                                                std::tuple{"f", "t1", 5, "offers 4 of nvidia.com/gpu"}}) {
    const std::string id = pod(name, "gpu", count, node);
    expect_told(why(id), node, told);
    end(id);
  }
}

TEST_F(WhyKubernetesE2e, APodForANodeThatIsNotThereIsNotSaidToFit) {
  const std::string said = why(pod("g", "gpu", 1, "nowhere"));
  EXPECT_EQ(text_at(said, "/topic"), "selector") << said;
}

TEST_F(WhyKubernetesE2e, APodForASliceStartsAfterTheLayoutIsMade) {
  const std::string id = pod("h", "mig-3g.40gb", 1), second = pod("i", "mig-3g.40gb", 1);
  const std::string said = why(id);
  expect_told(said, "h2", "offers 0 of nvidia.com/mig-3g.40gb, and has 2 × nvidia.com/gpu");
  const Ran made = apply({"-n", "h2", "--layout", "3g.40gb@0,3g.40gb@4"});
  EXPECT_EQ(made.code, 0) << made.err << made.out;
  EXPECT_TRUE(starts(id));
  EXPECT_TRUE(starts(second));
  // A larger one finds no room, and a smaller one would.
  const std::string larger = pod("j", "mig-7g.80gb", 1), third = pod("k", "mig-3g.40gb", 3);
  expect_told(why(larger), "h2", "offers 0 of nvidia.com/mig-7g.80gb");
  expect_told(why(third), "h2", "2 of 4 × nvidia.com/mig-3g.40gb are free, and it asks for 3");
  end(id);
  EXPECT_TRUE(starts(third));
}

TEST_F(WhyKubernetesE2e, PodsForSharesStartOnceTheNodeSharesItsGpus) {
  const std::string id = pod("l", "gpu", 1, "t1");
  EXPECT_TRUE(starts(id));
  end(id);
  const std::string shares = pod("m", "gpu", 5, "t1");
  expect_told(why(shares), "t1", "offers 4 of nvidia.com/gpu");
  end(shares);
  EXPECT_EQ(apply({"-n", "t1", "--strategy", "time-slicing", "--replicas", "2"}).code, 0);
  const std::string several = pod("n", "gpu", 6, "t1");
  EXPECT_TRUE(starts(several));
  const std::string more = pod("o", "gpu", 3, "t1");
  expect_told(why(more), "t1", "at least 2 of 8 × nvidia.com/gpu are free, and it asks for 3");
  end(several);
  EXPECT_TRUE(starts(more));
}

TEST_F(WhyKubernetesE2e, APodBehindAnotherStartsWhenThatOneIsGone) {
  const std::string before = holder();
  const std::string first = pod("p", "gpu", 2, "h1"), second = pod("q", "gpu", 1, "h1");
  expect_told(why(first), "h1", "0 of 2 × nvidia.com/gpu are free, and it asks for 2");
  expect_told(why(second), "h1", "0 of 2 × nvidia.com/gpu are free, and it asks for 1");
  end(before);
  EXPECT_TRUE(starts(first));
  expect_told(why(second), "h1", "0 of 2 × nvidia.com/gpu are free, and it asks for 1");
  end(first);
  EXPECT_TRUE(starts(second));
}

// What is asked for the pod alone: the claim is not there, and that is said beside the full node.
TEST_F(WhyKubernetesE2e, APodWhoseVolumeClaimIsNotThereIsToldSo) {
  const std::string id =
      pod("r", "gpu", 2, "h1", "", "  volumes: [{name: d, persistentVolumeClaim: {claimName: weights}}]\n");
  const std::string said = why(id);
  expect_told(said, "h1", "0 of 2 × nvidia.com/gpu are free, and it asks for 2");
  EXPECT_NE(said.find("PersistentVolumeClaim weights: not there"), std::string::npos) << said;
  EXPECT_NE(said.find("kubectl -n training get pvc weights"), std::string::npos) << said;
  EXPECT_NE(json_at(said, "/asked_at"), "null");
}

TEST_F(WhyKubernetesE2e, APodOfAQueueOfWhichNothingCanBeAskedIsNotSaidToBeAdmitted) {
  const std::string id = pod("s", "gpu", 2, "h1", ", labels: {kueue.x-k8s.io/queue-name: team-a}");
  const std::string said = why(id);
  const std::string unknown = json_at(said, "/not_known");
  EXPECT_NE(unknown.find("admission (API)"), std::string::npos) << said;
  EXPECT_EQ(said.find("\"admitted\""), std::string::npos) << said;
  end(holder());
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, WhereEveryNodeIsCordonedOneWithRoomIsToBeOpened) {
  kubectl({"cordon", "h1", "h2", "t1"});
  const std::string id = pod("u", "gpu", 2);
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/nodes/0/text").substr(0, 8), "cordoned") << said;
  const std::string command = command_of(said, "kubectl uncordon ");
  ASSERT_TRUE(command == "kubectl uncordon h2" || command == "kubectl uncordon t1") << said;
  kubectl({"uncordon", command.substr(command.size() - 2)});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodForASliceOfAGpuWithoutMigIsToldWhatTheNodeHas) {
  const std::string said = why(pod("v", "mig-1g.10gb", 1, "t1"));
  expect_told(said, "t1", "offers 0 of nvidia.com/mig-1g.10gb, and has 4 × nvidia.com/gpu");
}

TEST_F(WhyKubernetesE2e, TheContainersOfAPodAreCountedTogether) {
  const std::string one = running("one", "gpu", 1, "h2");
  const std::string id =
      pod("w", "gpu", 1, "h2", "", "",
          "    - name: side\n      image: busybox\n      resources: {limits: {nvidia.com/gpu: 1}}\n");
  expect_told(why(id), "h2", "1 of 2 × nvidia.com/gpu are free, and it asks for 2");
  end(one);
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodForAWholeGpuOfACutNodeStartsOnceItIsWholeAgain) {
  EXPECT_EQ(apply({"-n", "h2", "--layout", "3g.40gb@0,3g.40gb@4"}).code, 0);
  const std::string id = pod("x", "gpu", 1, "h2");
  expect_told(why(id), "h2", "offers 0 of nvidia.com/gpu, and has 4 × nvidia.com/mig-3g.40gb");
  EXPECT_EQ(apply({"-n", "h2", "--layout", "whole"}).code, 0);
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodForASliceThatNoProductHasWaitsForWhatNoNodeOffers) {
  const std::string id = pod("t", "mig-9g.96gb", 1);
  const std::string said = why(id);
  expect_told(said, "h2", "offers 0 of nvidia.com/mig-9g.96gb");
  end(id);
}

// What the pod itself says of nodes is asked for it alone, and held against each of them.
TEST_F(WhyKubernetesE2e, APodThatSelectsALabelStartsOnceANodeHasIt) {
  kubectl({"label", "node", "t1", "pool=b"});
  const std::string id =
      pod("y", "gpu", 1, "", "", "  nodeSelector: {pool: a, kubernetes.io/hostname: t1}\n");
  const std::string said = why(id);
  expect_told(said, "t1", "its node selector asks for pool=a, and the node has pool=b");
  expect_told(said, "h1", "its node selector asks for kubernetes.io/hostname=t1, and the node has ");
  EXPECT_FALSE(not_known(said, "its node selector")) << said;
  const std::string command = command_of(said, "kubectl label ");
  EXPECT_EQ(command, "kubectl label nodes t1 pool=a --overwrite") << said;
  do_as_printed(command);
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodWhoseAffinityNoNodeMeetsIsToldTheTermAndStartsOnceOneDoes) {
  kubectl({"label", "node", "h2", "gen=7"});
  const std::string id =
      pod("affine", "gpu", 1, "", "",
          "  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
          "[{matchExpressions: [{key: gen, operator: Gt, values: [\"7\"]}]}]}}}\n");
  const std::string said = why(id);
  expect_told(said, "h2", "its node affinity asks for gen > 7, and the node has gen=7");
  expect_told(said, "t1", "its node affinity asks for gen > 7, and the node has no label gen");
  EXPECT_NE(said.find("labels do not match its node selector or affinity"), std::string::npos) << said;
  kubectl({"label", "node", "h2", "gen=8", "--overwrite"});
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodThatDoesNotTolerateATaintStartsOnceItIsTakenOff) {
  kubectl({"taint", "node", "h2", "team=x:NoSchedule"});
  const std::string id = pod("tainted", "gpu", 1, "h2");
  const std::string said = why(id);
  expect_told(said, "h2", "the taint team=x:NoSchedule keeps it away, and it does not tolerate it");
  expect_told(said, "t1", "its node selector asks for kubernetes.io/hostname=h2");
  EXPECT_NE(said.find("node(s) had untolerated taint {team: x}"), std::string::npos) << said;
  const std::string command = command_of(said, "kubectl taint ");
  EXPECT_EQ(command, "kubectl taint nodes h2 team=x:NoSchedule-") << said;
  do_as_printed(command);
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodThatToleratesTheTaintStartsAtOnce) {
  kubectl({"taint", "node", "h2", "team=x:NoSchedule"});
  EXPECT_TRUE(starts(pod("tolerant", "gpu", 1, "h2", "",
                         "  tolerations: [{key: team, operator: Exists, effect: NoSchedule}]\n")));
}

// An admin's taint outlives a cordon and its end.
TEST_F(WhyKubernetesE2e, ATaintStaysWhereTheNodeIsCordonedAndOpenedAgain) {
  kubectl({"taint", "node", "h2", "team=x:NoSchedule"});
  kubectl({"cordon", "h2"});
  kubectl({"uncordon", "h2"});
  EXPECT_EQ(told("h2", ".spec.taints[*].key"), "team");
}

TEST_F(WhyKubernetesE2e, APodThatAsksForMoreCpusThanANodeHasIsToldHowManyItMayAskFor) {
  const std::string all = told("t1", ".status.allocatable.cpu");
  const auto asking = [&](const std::string& name, const std::string& cpus) {
    return pod(name, "gpu", 1, "t1", "", "",
               "    - {name: side, image: busybox, resources: {requests: {cpu: \"" + cpus + "\"}}}\n");
  };
  const std::string id = asking("greedy", std::to_string(std::stoi(all) + 1));
  const std::string said = why(id);
  expect_told(
      said, "t1",
      "it asks for " + std::to_string(std::stoi(all) + 1) + " CPUs, and the node has " + all + " for pods");
  EXPECT_NE(said.find("ask for at most " + all + " CPUs, if that is enough: t1"), std::string::npos) << said;
  EXPECT_TRUE(not_known(said, "the CPUs and memory that pods without a GPU have requested")) << said;
  end(id);
  const std::string half = asking("half", std::to_string(std::stoi(all) / 2 + 1));
  EXPECT_TRUE(starts(half));
  // What GPU pods have requested counts, too.
  const std::string second = asking("second", std::to_string(std::stoi(all) / 2 + 1));
  expect_told(why(second), "t1",
              "it asks for " + std::to_string(std::stoi(all) / 2 + 1) + " CPUs, and at most " +
                  std::to_string(std::stoi(all) - std::stoi(all) / 2 - 1) + " of " + all +
                  " are not requested by others");
  end(half);
  EXPECT_TRUE(starts(second));
}

// The pods that its rules are about are asked for it alone, by their labels.
TEST_F(WhyKubernetesE2e, APodThatIsToStandApartStartsOnceTheOtherIsGone) {
  const std::string first = pod("first", "gpu", 1, "h2", ", labels: {app: x}");
  EXPECT_TRUE(starts(first));
  const std::string id =
      pod("apart", "gpu", 1, "h2", "",
          "  affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
          "kubernetes.io/hostname, labelSelector: {matchLabels: {app: x}}}]}}\n");
  const std::string said = why(id);
  expect_told(said, "h2",
              "its anti-affinity keeps it off pods with app=x, and training/pod-first runs there");
  expect_told(said, "t1", "its node selector asks for kubernetes.io/hostname=h2");
  EXPECT_FALSE(not_known(said, "rules about other pods")) << said;
  EXPECT_NE(said.find("kubectl -n training get pods -l 'app=x'"), std::string::npos) << said;
  EXPECT_NE(said.find("1 node: a pod that it must not stand with is there"), std::string::npos) << said;
  end(first);
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodThatIsToStandBesideAnotherStartsOnceThatOneRuns) {
  const std::string id =
      pod("beside", "gpu", 1, "", "",
          "  affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
          "kubernetes.io/hostname, labelSelector: {matchExpressions: [{key: app, operator: In, values: "
          "[cache]}]}}]}}\n");
  const std::string said = why(id);
  expect_told(said, "h2", "its affinity asks for a pod with app in (cache), and none runs there");
  expect_told(said, "t1", "its affinity asks for a pod with app in (cache), and none runs there");
  EXPECT_TRUE(starts(pod("cache", "gpu", 1, "t1", ", labels: {app: cache}")));
  EXPECT_TRUE(starts(id));
  EXPECT_EQ(kubectl({"get", "pod", "pod-beside", "-n", "training", "-o", "jsonpath={.spec.nodeName}"}), "t1");
}

TEST_F(WhyKubernetesE2e, APodThatIsToBeSpreadStartsWhereTheFewestAre) {
  const std::string before = holder();
  for (const char* node : {"h2", "t1"})
    EXPECT_TRUE(starts(pod(std::string("on-") + node, "gpu", 1, node, ", labels: {app: x}")));
  const std::string id =
      pod("spread", "gpu", 1, "", ", labels: {app: x}",
          "  topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, "
          "whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: x}}}]\n");
  const std::string said = why(id);
  expect_told(said, "t1",
              "its topology spread allows a difference of 1: with it there would be 2 pods with app=x on "
              "kubernetes.io/hostname=t1, and elsewhere are 0");
  expect_told(said, "h1", "0 of 2 × nvidia.com/gpu are free, and it asks for 1");
  end(before);
  EXPECT_TRUE(starts(id));
  EXPECT_EQ(kubectl({"get", "pod", "pod-spread", "-n", "training", "-o", "jsonpath={.spec.nodeName}"}), "h1");
}

TEST_F(WhyKubernetesE2e, APodWhoseHostPortIsTakenIsToldByWhomAndStartsOnceItIsFree) {
  const std::string port =
      "    - {name: side, image: busybox, ports: [{containerPort: 9100, hostPort: 9100}]}\n";
  const std::string first = pod("first", "gpu", 1, "h2", "", "", port);
  EXPECT_TRUE(starts(first));
  const std::string id = pod("port", "gpu", 1, "h2", "", "", port);
  const std::string said = why(id);
  expect_told(said, "h2", "the host port 9100/TCP that it needs is taken by training/pod-first");
  EXPECT_FALSE(not_known(said, "host ports")) << said;
  EXPECT_NE(said.find("kubectl get pods -A --field-selector spec.nodeName=h2"), std::string::npos) << said;
  end(first);
  EXPECT_TRUE(starts(id));
}

TEST_F(WhyKubernetesE2e, APodForANodeThatRunsAsManyPodsAsItsKubeletTakesStartsOnceOneIsGone) {
  const std::string one = running("one", "gpu", 1, "h2");
  const std::string pods =
      kubectl({"get", "pods", "-A", "--field-selector", "spec.nodeName=h2", "-o", "name"});
  const std::string count = std::to_string(std::count(pods.begin(), pods.end(), '\n'));
  kubectl({"patch", "node", "h2", "--subresource=status", "--type=merge", "-p",
           R"({"status":{"allocatable":{"pods":")" + count + R"("}}})"});
  const std::string id = pod("many", "gpu", 1, "h2");
  const std::string said = why(id);
  expect_told(said, "h2", count + " pods run there, and the kubelet takes " + count);
  EXPECT_FALSE(not_known(said, "how many more pods")) << said;
  end(one);
  EXPECT_TRUE(starts(id));
}

// The pod of a low priority stands behind in the queue, and starts when those before it have ended. (The
// simulated scheduler goes by age, which says the same here.)
TEST_F(WhyKubernetesE2e, APodOfALowPriorityIsToldItsPlaceInTheQueue) {
  const std::string before = holder();
  const std::string first =
      pod("urgent", "gpu", 2, "h1", "", "  priorityClassName: high\n  priority: 1000\n");
  const std::string id = pod("patient", "gpu", 2, "h1", "", "  priorityClassName: low\n  priority: 10\n");
  const std::string said = why(id);
  EXPECT_NE(said.find("PriorityClass low: 10"), std::string::npos) << said;
  EXPECT_NE(said.find("place in the queue: 2 of 2 by priority, then by age"), std::string::npos) << said;
  EXPECT_NE(why(first).find("place in the queue: 1 of 2"), std::string::npos);
  end(before);
  EXPECT_TRUE(starts(first));
  EXPECT_EQ(why(id).find("place in the queue: 2"), std::string::npos) << "none is before it any more";
  end(first);
  EXPECT_TRUE(starts(id));
}

// Its pods are refused before anything waits: the event is that of the Job controller, which is not
// simulated.
TEST_F(WhyKubernetesE2e, AJobWhosePodsAQuotaRefusesIsFoundByTheDoctor) {
  sim::kube::ServeOptions options = kube_lab(folder_);
  options.world.speed = 1;  // an event is over after 20 minutes of the server's clock
  serve(std::move(options));
  const auto quota = [&](const std::string& path) {
    return kubectl({"get", "quota", "gpus", "-n", "training", "-o", "jsonpath={" + path + "}"});
  };
  kubectl({"create", "-f",
           folder_.write("quota.yaml",
                         "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: gpus, namespace: training}\n"
                         "spec: {hard: {requests.nvidia.com/gpu: '8'}}\n")});
  kubectl({"patch", "quota", "gpus", "-n", "training", "--subresource=status", "--type=merge", "-p",
           R"({"status":{"hard":{"requests.nvidia.com/gpu":"8"},"used":{"requests.nvidia.com/gpu":"6"}}})"});
  EXPECT_EQ(quota(".status.used.requests\\.nvidia\\.com/gpu"), "6");
  const std::string now = quota(".metadata.creationTimestamp");
  kubectl(
      {"create", "-f",
       folder_.write("event.yaml",
                     "apiVersion: v1\nkind: Event\nmetadata: {name: train.1, namespace: training}\n"
                     "involvedObject: {apiVersion: batch/v1, kind: Job, name: train, namespace: training}\n"
                     "type: Warning\nreason: FailedCreate\nfirstTimestamp: " +
                         now + "\nlastTimestamp: " + now +
                         "\nmessage: 'Error creating: pods \"train-x7k2p\" is forbidden: exceeded quota: "
                         "gpus, requested: requests.nvidia.com/gpu=4, used: requests.nvidia.com/gpu=6, "
                         "limited: requests.nvidia.com/gpu=8'\n")});
  const Ran doctor = run({"doctor", "-o", "json"});
  EXPECT_NE(doctor.out.find("Job training/train"), std::string::npos) << doctor.out << doctor.err;
  EXPECT_NE(doctor.out.find("quota gpus allows 8 nvidia.com/gpu, 6 are used, and a pod asks for 4"),
            std::string::npos)
      << doctor.out;
  std::string raise;
  for (int i = 0; i < 40 && raise.empty(); ++i)
    raise = command_of(doctor.out, "findings/" + std::to_string(i) + "/commands", "",
                       "kubectl -n training patch resourcequota gpus ");
  do_as_printed(raise);
  EXPECT_EQ(quota(".spec.hard.requests\\.nvidia\\.com/gpu"), "10") << raise;
}

TEST_F(WhyKubernetesE2e, APodBehindAGateOfAPersonStartsOnceTheGateIsTakenAway) {
  const std::string id = pod("gated", "gpu", 1, "h2", "", "  schedulingGates: [{name: example.com/data}]\n");
  const std::string said = why(id);
  EXPECT_EQ(text_at(said, "/topic"), "gate") << said;
  EXPECT_NE(said.find("scheduling gate example.com/data"), std::string::npos) << said;
  const std::string command = command_of(said, "kubectl -n training patch pod ");
  do_as_printed(command);
  EXPECT_TRUE(starts(id));
}

}  // namespace
}  // namespace tessera::test
