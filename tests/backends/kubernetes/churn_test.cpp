// Bursts of watch events: what is kept of them afterwards is what a fresh list would give, and no more.
#include <gtest/gtest.h>

#include "backends/kubernetes/store.hpp"
#include "engine/time.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

// A store with the model that its events make.
struct Kept {
  Model model;
  ClusterStore store{&test::catalogue(),
                     [this](ClusterStore::What what) {
                       reduce(model, {ClusterName("c"), 1, TimePoint{}, std::move(what)});
                     },
                     [this] { return now; }};
  TimePoint now{};

  void list(const std::map<std::string, std::string>& nodes, const std::map<std::string, std::string>& pods) {
    for (auto* what : {&nodes, &pods}) {
      ClusterStore::Handler handler = what == &nodes ? store.nodes() : store.pods();
      std::vector<std::string> items;
      for (const auto& [name, text] : *what) items.push_back(text);
      handler.begin();
      EXPECT_TRUE(handler.page(list_json(items, "1"), true));
      handler.listed();
    }
  }
  const Cluster& cluster() const { return *model.find(ClusterName("c")); }
};

// Two GPUs, of which `offered` are handed out; feature discovery wrote its labels at `labelled`.
std::string labelled_node(const std::string& offered, const std::string& labelled) {
  std::string text = node_json("n1", kOne, {{"nvidia.com/gpu", offered}});
  const std::string before = "\"labels\"";
  return text.insert(text.find(before),
                     R"("managedFields":[{"manager":"nfd-master","time":")" + labelled +
                         R"(","fieldsV1":{"f:metadata":{"f:labels":{"f:nvidia.com/gpu.count":{}}}}}],)");
}

std::string said_of_nodes(const Cluster& cluster) {
  std::string all;
  for (const auto& [source, remarks] : cluster.remarks)
    for (const Remark& one : remarks) all += one.text + "\n";
  return all;
}

// The remark that has these words.
Remark remark_of(const Cluster& cluster, const std::string& words) {
  for (const auto& [source, remarks] : cluster.remarks)
    for (const Remark& one : remarks)
      if (one.text.find(words) != std::string::npos) return one;
  ADD_FAILURE() << words << " is not among\n" << said_of_nodes(cluster);
  return {};
}

// Counts that changed before we came are told at once; a change that we watch may bring labels and counts one
// after the other.
TEST(KubernetesFirstLook, TellsWhatIsOldAtOnceAndWhatChangesLaterOnceItStays) {
  Kept kept;
  kept.now = *parse_utc("2026-11-22T12:00:00Z");
  // The server's clock is an hour behind ours.
  kept.list({{"n1", labelled_node("1", "2026-11-22T10:50:00Z")}}, {});
  EXPECT_EQ(said_of_nodes(kept.cluster()), "") << "when that was by our clock is not known yet";
  kept.store.set_server_time(kept.now - std::chrono::hours(1));
  kept.store.set_site(std::make_shared<operators::OperatorSetup>());
  const std::string differs = "nvidia.com/gpu is 2 by the labels, 1 by the device plugin";
  EXPECT_NE(said_of_nodes(kept.cluster()).find(differs), std::string::npos) << said_of_nodes(kept.cluster());

  ClusterStore::Handler nodes = kept.store.nodes();
  auto tell = [&](const std::string& offered) {
    ASSERT_TRUE(nodes.line(event_json("MODIFIED", labelled_node(offered, "2026-11-22T10:50:00Z"))));
    kept.store.look_again();
  };
  tell("2");
  EXPECT_EQ(said_of_nodes(kept.cluster()), "");
  tell("1");
  EXPECT_EQ(said_of_nodes(kept.cluster()), "") << "feature discovery may be about to follow";
  kept.now += std::chrono::minutes(3);
  kept.store.look_again();
  EXPECT_NE(said_of_nodes(kept.cluster()).find(differs), std::string::npos) << said_of_nodes(kept.cluster());
}

// `tessera record --interval 30m` had figures for five minutes of each half hour.
TEST(KubernetesFigures, StandUntilTheNextOnesCanBeThereHoweverFarApartTheyAre) {
  const auto stand_after = [](Duration every, Duration passed) {
    Kept kept;
    kept.now = *parse_utc("2026-11-22T12:00:00Z");
    kept.list({{"n1", labelled_node("2", "2026-11-22T10:50:00Z")}}, {});
    DcgmReadings readings;
    readings.parts.resize(2);
    readings.parts[0].use = Percent{40};
    readings.parts[1].gpu = 1;
    readings.at = kept.now;
    kept.store.set_readings("n1", readings);
    kept.now += passed;
    kept.store.look_again(readings_last(every));
    const Node* node = kept.cluster().nodes.find(NodeName("n1"));
    return node && !node->gpus.empty() && node->gpus[0].telemetry.use.has_value();
  };
  using std::chrono::minutes;
  EXPECT_TRUE(stand_after(minutes(30), minutes(44)));
  EXPECT_FALSE(stand_after(minutes(30), minutes(46)));
  EXPECT_TRUE(stand_after(minutes(21), minutes(30))) << "5,000 nodes, four a second";
  EXPECT_TRUE(stand_after(minutes(2), minutes(4)));
  EXPECT_FALSE(stand_after(minutes(2), minutes(6)));
}

// A condition's time was shown as the server wrote it: "down for 1 h" of a node that had just gone.
TEST(KubernetesFirstLook, TimesOfConditionsAreByTheServersClock) {
  Kept kept;
  kept.now = *parse_utc("2026-11-22T12:00:00Z");
  kept.list({{"n1", node_json("n1", kOne, {{"nvidia.com/gpu", "1"}}, "", "False")}}, {});
  const auto down_since = [&] { return kept.cluster().nodes.find(NodeName("n1"))->reason_at; };
  EXPECT_EQ(down_since(), parse_utc("2026-11-20T00:00:00Z"));
  kept.store.set_server_time(kept.now - std::chrono::hours(1));
  EXPECT_EQ(down_since(), parse_utc("2026-11-20T01:00:00Z"));
  // An answer tells its time to the second: less than that says nothing.
  kept.store.set_server_time(kept.now - std::chrono::milliseconds(900));
  EXPECT_EQ(down_since(), parse_utc("2026-11-20T00:00:00Z"));
}

// Beside nodes' conditions pods and Workloads of Kueue had the server's raw times: "runs for 1 h" of a pod
// that had just started.
TEST(KubernetesFirstLook, TimesOfPodsAreByTheServersClock) {
  Kept kept;
  kept.now = *parse_utc("2026-11-22T12:00:00Z");
  std::string pod = gpu_pod("p", "n1");
  for (const auto& [before, text] :
       {std::pair(R"("phase":)", R"("startTime":"2026-11-22T10:59:30Z",)"),
        std::pair(R"("name":"p")", R"("creationTimestamp":"2026-11-22T10:59:00Z",)")})
    pod.insert(pod.find(before), text);
  const std::string spec = R"("spec":{)";
  pod.insert(pod.find(spec) + spec.size(), R"("activeDeadlineSeconds":3600,)");
  kept.list({{"n1", labelled_node("2", "2026-11-22T10:50:00Z")}}, {{"p", pod}});
  const auto its = [&]() -> const Workload& { return *kept.cluster().workloads.find(WorkloadId("team/p")); };
  EXPECT_EQ(its().started, parse_utc("2026-11-22T10:59:30Z"));
  kept.store.set_server_time(kept.now - std::chrono::hours(1));
  EXPECT_EQ(its().submitted, parse_utc("2026-11-22T11:59:00Z"));
  EXPECT_EQ(its().started, parse_utc("2026-11-22T11:59:30Z"));
  EXPECT_EQ(its().ends, parse_utc("2026-11-22T12:59:30Z"));
  // Answers tell their second: the times stay where they are.
  kept.store.set_server_time(kept.now - std::chrono::milliseconds(3'599'100));
  EXPECT_TRUE(kept.store.pods().line(event_json("MODIFIED", pod)));
  EXPECT_EQ(its().started, parse_utc("2026-11-22T11:59:30Z"));
}

// A clock two seconds ahead stood at the grain: each answer posted every pod and node again.
TEST(KubernetesFirstLook, AClockAtTheGrainOfWhatIsToldOfItPostsNothingAgain) {
  int posted = 0;
  TimePoint now = *parse_utc("2026-11-22T12:00:00Z");
  ClusterStore store(
      &test::catalogue(), [&](ClusterStore::What) { ++posted; }, [&] { return now; });
  for (const bool of_nodes : {true, false}) {
    ClusterStore::Handler handler = of_nodes ? store.nodes() : store.pods();
    handler.begin();
    EXPECT_TRUE(handler.page(list_json({of_nodes ? gpu_node("n1") : gpu_pod("p", "n1")}, "1"), true));
    handler.listed();
  }
  const auto answer = [&](int ahead) { store.set_server_time(now + std::chrono::milliseconds(ahead)); };
  answer(1'900);
  answer(2'100);
  posted = 0;
  for (int i = 0; i < 3; ++i) answer(1'900), answer(2'100);
  EXPECT_EQ(posted, 0);
  answer(-1'000);
  EXPECT_GT(posted, 0) << "it was set";
}

// An edit of the sharing that the device plugin has not taken was told after four minutes of watching, so
// that tessera doctor, which looks once, never told it.
TEST(KubernetesFirstLook, TellsThatAnOldEditOfTheSharingIsNotTaken) {
  auto site = std::make_shared<operators::OperatorSetup>();
  site->plugin_default = "ts-4";
  site->plugin_configs["ts-4"] =
      "version: v1\nsharing:\n  timeSlicing:\n    resources:\n      - name: nvidia.com/gpu\n        "
      "replicas: 4\n";
  site->readings.told(operators::SitePart::plugin_config, operators::Reading::Is::value, {});
  std::optional<TimePoint> seen;
  const auto told = [&](const char* edited, Duration watched) {
    site->plugin_configs_written = edited ? parse_utc(edited) : std::nullopt;
    Kept kept;
    kept.now = *parse_utc("2026-11-22T12:00:00Z");
    kept.list({{"n1", labelled_node("2", "2026-11-22T10:50:00Z")}}, {});
    kept.store.set_server_time(kept.now - std::chrono::hours(1));
    kept.store.set_site(site);
    kept.now += watched;
    kept.store.look_again();
    const std::string said = said_of_nodes(kept.cluster());
    const std::size_t at = said.find("ts-4 sets 8, for ");
    seen = at == std::string::npos ? std::nullopt : remark_of(kept.cluster(), "ts-4 sets 8, for ").seen;
    return at == std::string::npos ? "" : said.substr(at, said.find('\n', at) - at);
  };
  EXPECT_EQ(told("2026-11-22T10:35:00Z", Duration(0)), "ts-4 sets 8, for 25 min at least");
  EXPECT_EQ(seen, parse_utc("2026-11-22T11:35:00Z")) << "by our clock";
  EXPECT_EQ(told("2026-11-22T10:58:00Z", Duration(0)), "") << "the plugin may be about to take it";
  EXPECT_EQ(told(nullptr, Duration(0)), "") << "when it was edited is not told";
  EXPECT_EQ(told(nullptr, std::chrono::minutes(5)), "ts-4 sets 8, for 5 min at least");
  EXPECT_EQ(seen, parse_utc("2026-11-22T12:00:00Z")) << "the first look";
}

// A server that does not tell who wrote a node's labels, and when: SINCE was when tessera looked first.
TEST(KubernetesFirstLook, OfWhatStandsThereWithoutATimeItIsToldThatItIsSinceThenAtLeast) {
  const TimePoint first = *parse_utc("2026-11-22T12:00:00Z");
  const std::string differs = "nvidia.com/gpu is 2 by the labels, 1 by the device plugin";
  Labels ordered = kOne;
  ordered["nvidia.com/mig.config"] = "all-disabled", ordered["nvidia.com/mig.config.state"] = "pending";
  const auto looked_at = [&](Kept& kept, const std::string& node) {
    kept.now = first;
    kept.list({{"n1", node}}, {});
    kept.store.set_server_time(first);
    kept.store.set_site(std::make_shared<operators::OperatorSetup>());
  };
  const auto later = [&](Kept& kept, const std::string& words) {
    kept.now = first + std::chrono::minutes(6);
    kept.store.look_again();
    return remark_of(kept.cluster(), words);
  };
  Kept counts, order, told, watched;
  looked_at(counts, node_json("n1", kOne, {{"nvidia.com/gpu", "1"}}));
  EXPECT_EQ(later(counts, differs).since, std::nullopt);
  EXPECT_EQ(later(counts, differs).seen, first);
  looked_at(order, node_json("n1", ordered, {{"nvidia.com/gpu", "2"}}));
  EXPECT_EQ(later(order, "layout all-disabled has been pending").since, std::nullopt);
  EXPECT_EQ(later(order, "layout all-disabled has been pending").seen, first);
  EXPECT_EQ(order.cluster().nodes.find(NodeName("n1"))->order->since, std::nullopt);
  looked_at(told, labelled_node("1", "2026-11-22T11:00:00Z"));
  EXPECT_EQ(later(told, differs).since, first - std::chrono::hours(1));
  looked_at(watched, node_json("n1", kOne, {{"nvidia.com/gpu", "2"}}));
  ASSERT_TRUE(watched.store.nodes().line(
      event_json("MODIFIED", node_json("n1", kOne, {{"nvidia.com/gpu", "1"}}, "", "True", "2"))));
  watched.store.look_again();
  EXPECT_EQ(later(watched, differs).since, first) << "it became so before our eyes";
}

TEST(KubernetesFirstLook, SinceWhenTheOperatorIsNotReadyIsWhatItsOwnConditionTells) {
  const auto since = [](const std::string& state, const std::string& ready) {
    Kept kept;
    kept.now = *parse_utc("2026-11-22T12:00:00Z");
    kept.list({}, {});
    kept.store.set_server_time(kept.now - std::chrono::hours(1));
    ClusterStore::Handler policies = kept.store.cluster_policies();
    policies.begin();
    EXPECT_TRUE(policies.page(
        list_json(
            {R"({"metadata":{"name":"cluster-policy","resourceVersion":"1"},"status":{"state":")" + state +
             R"(","conditions":[{"type":"Error","status":"True",)"
             R"("lastTransitionTime":"2026-11-22T09:00:00Z"},{"type":"Ready","status":")" +
             ready + R"(","lastTransitionTime":"2026-11-22T10:00:00Z"}]}})"},
            "1"),
        true));
    policies.listed();
    kept.store.look_again();
    return remark_of(kept.cluster(), "the GPU operator is " + state).since;
  };
  EXPECT_EQ(since("notReady", "False"), parse_utc("2026-11-22T11:00:00Z")) << "the server's clock is behind";
  EXPECT_EQ(since("notReady", "True"), std::nullopt) << "it does not say so yet";
  EXPECT_EQ(since("ignored", "False"), std::nullopt) << "it may have been not ready before";
}

// tessera doctor looks once, and never saw that an exporter names no pod: that was told after four minutes of
// watching.
TEST(KubernetesFirstLook, TellsThatFiguresNameNoPodWhereAPodHasRunForLong) {
  const auto holding = [](const std::string& started) {
    std::string pod = gpu_pod("p", "n1");
    const std::string before = R"("phase":)";
    return pod.insert(pod.find(before), R"("startTime":")" + started + R"(",)");
  };
  DcgmReadings readings;
  readings.parts.resize(2);
  readings.parts[1].gpu = 1;
  std::optional<TimePoint> seen;
  const auto told = [&](const std::string& started, Duration watched, bool again) {
    Kept kept;
    kept.now = *parse_utc("2026-11-22T12:00:00Z");
    kept.store.set_server_time(kept.now);
    kept.list({{"n1", labelled_node("2", "2026-11-22T10:50:00Z")}}, {{"p", holding(started)}});
    readings.at = kept.now;
    if (again) {  // it was named at first
      DcgmReadings named = readings;
      named.parts[0].pod = "team/p";
      kept.store.set_readings("n1", named);
      kept.store.look_again();
    }
    kept.store.set_readings("n1", readings);
    kept.store.look_again();
    kept.now += watched;
    readings.at = kept.now;
    kept.store.set_readings("n1", readings);
    kept.store.look_again();
    const bool said = said_of_nodes(kept.cluster()).find("name no pod") != std::string::npos;
    seen = said ? remark_of(kept.cluster(), "name no pod").seen : std::nullopt;
    return said;
  };
  EXPECT_TRUE(told("2026-11-22T11:00:00Z", Duration(0), false)) << "it has run for an hour";
  EXPECT_EQ(seen, parse_utc("2026-11-22T12:00:00Z")) << "none were asked for before";
  EXPECT_FALSE(told("2026-11-22T11:59:00Z", Duration(0), false)) << "the next scrape may name it";
  EXPECT_TRUE(told("2026-11-22T11:59:00Z", std::chrono::minutes(4), false));
  EXPECT_EQ(seen, parse_utc("2026-11-22T12:00:00Z"));
  EXPECT_FALSE(told("2026-11-22T11:00:00Z", Duration(0), true)) << "one scrape without names proves nothing";
  EXPECT_TRUE(told("2026-11-22T11:00:00Z", std::chrono::minutes(5), true));
}

// Two models that show the same: every node and every piece of work, value by value.
void expect_same(const Cluster& one, const Cluster& other) {
  ASSERT_EQ(one.nodes.size(), other.nodes.size());
  for (const Node& node : one.nodes.all()) {
    const Node* there = other.nodes.find(node.name);
    ASSERT_NE(there, nullptr) << node.name.text;
    EXPECT_EQ(node, *there) << node.name.text;
  }
  ASSERT_EQ(one.workloads.size(), other.workloads.size());
  for (const Workload& work : one.workloads.all()) {
    const Workload* there = other.workloads.find(work.id);
    ASSERT_NE(there, nullptr) << work.id.text;
    EXPECT_EQ(work, *there) << work.id.text;
  }
}

// The watch of a cluster where everything changes, comes and goes.
class Tide {
 public:
  static constexpr int kNodes = 40;

  Tide() {
    for (int i = 0; i < kNodes; ++i) come("node", i);
    for (int i = 0; i < 1000; ++i) come("pod", i);
    for (int i = 0; i < 4 * kNodes; ++i) come("part", i);
    kept_.list(nodes_, pods_);
  }
  // Thousands in one go, in an order that depends on the round.
  void burst(int round) {
    for (int i = 0; i < 1000; ++i) change("pod", i, round);
    for (int i = round % 3; i < 1500; i += 3) toggle("pod", i);
    for (int i = round % 5; i < 4 * kNodes; i += 5) toggle("part", i);
    for (int i = round % 7; i < kNodes; i += 7) toggle("node", i);
    for (int i = 1000; i < 1500; ++i) toggle("pod", i);
    for (int i = 0; i < kNodes; ++i) change("node", i, round);
  }
  void empty() {
    for (int i = 0; i < 1500; ++i) go("pod", i);
    for (int i = 0; i < 4 * kNodes; ++i) go("part", i);
  }
  void expect_as_listed_afresh() {
    Kept fresh;
    fresh.list(nodes_, pods_);
    expect_same(kept_.cluster(), fresh.cluster());
    ClusterStore::Held now = kept_.store.held(), wanted = fresh.store.held();
    EXPECT_LE(now.texts, 4 * wanted.texts + 2048) << "texts of what is gone are kept";
    now.texts = wanted.texts;
    EXPECT_EQ(now, wanted);
  }
  std::size_t lines() const { return lines_; }
  const Kept& kept() const { return kept_; }

 private:
  std::map<std::string, std::string>& all(const std::string& kind) { return kind == "node" ? nodes_ : pods_; }
  std::string object(const std::string& kind, int i, int round) {
    std::string name = kind + std::to_string(i), version = std::to_string(2 + lines_);
    std::string node = "node" + std::to_string((i + round) % kNodes);
    if (kind == "node") return gpu_node(name, version, round % 2 == 0 ? "" : R"("unschedulable":true)");
    if (kind == "pod")
      return gpu_pod(name, i % 9 == 0 ? "" : node, 1, i % 9 == 0 ? "Pending" : "Running", version);
    return R"({"metadata":{"namespace":"gpu-operator","name":")" + name + R"(","resourceVersion":")" +
           version + R"(","labels":{"app":"nvidia-dcgm-exporter","stamp":")" + version +
           R"("}},"spec":{"nodeName":")" + node + R"("},"status":{"phase":"Running"}})";
  }
  void tell(const std::string& kind, const std::string& what, const std::string& object) {
    ++lines_;
    ClusterStore::Handler handler = kind == "node" ? kept_.store.nodes() : kept_.store.pods();
    EXPECT_TRUE(handler.line(R"({"type":")" + what + R"(","object":)" + object + "}"));
  }
  void come(const std::string& kind, int i) { all(kind)[kind + std::to_string(i)] = object(kind, i, 0); }
  void change(const std::string& kind, int i, int round) {
    auto found = all(kind).find(kind + std::to_string(i));
    if (found == all(kind).end()) return;
    found->second = object(kind, i, round);
    tell(kind, "MODIFIED", found->second);
  }
  void go(const std::string& kind, int i) {
    auto found = all(kind).find(kind + std::to_string(i));
    if (found == all(kind).end()) return;
    tell(kind, "DELETED", found->second);
    all(kind).erase(found);
  }
  void toggle(const std::string& kind, int i) {
    if (all(kind).contains(kind + std::to_string(i))) return go(kind, i);
    come(kind, i);
    tell(kind, "ADDED", all(kind)[kind + std::to_string(i)]);
  }

  Kept kept_;
  std::map<std::string, std::string> nodes_, pods_;
  std::size_t lines_ = 0;
};

TEST(KubernetesChurn, BurstsLeaveWhatAFreshListWouldGiveAndNoMore) {
  Tide tide;
  tide.expect_as_listed_afresh();
  for (int round = 1; round <= 4; ++round) {
    tide.burst(round);
    tide.expect_as_listed_afresh();
  }
  EXPECT_GT(tide.lines(), 6000u);
  tide.empty();
  tide.expect_as_listed_afresh();
  EXPECT_EQ(tide.kept().store.held().pods, 0u);
  EXPECT_EQ(tide.kept().store.held().stack_pods, 0u);
  EXPECT_EQ(tide.kept().store.held().bound, 0u);
  EXPECT_EQ(tide.kept().cluster().workloads.size(), 0u);
}

}  // namespace
}  // namespace tessera::kubernetes
