// The simulated API server, request by request: against recorded answers of a real 1.20 server, and against
// the world behind it.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "backends/sim/apiserver/api.hpp"
#include "backends/sim/apiserver/protobuf.hpp"
#include "backends/sim/gpu_operator/faults.hpp"
#include "backends/sim/gpu_operator/installed.hpp"
#include "backends/sim/gpu_operator/serve.hpp"
#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/slots.hpp"
#include "backends/sim/step.hpp"
#include "engine/sharing/resources.hpp"
#include "tests/backends/sim/worlds.hpp"
#include "tests/support/paths.hpp"

namespace tessera::sim::kube {
namespace {

// Body of a recorded answer: what stands behind the empty line, or the whole file.
Json recorded(const std::string& name) {
  std::ifstream file(test::source_dir() + "/tests/fixtures/kubernetes/" + name, std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(file), {}};
  for (std::string_view gap : {"\r\n\r\n", "\n\n"})
    if (std::size_t at = all.find(gap); name.ends_with(".http") && at != std::string::npos) {
      all.erase(0, at + gap.size());
      break;
    }
  Result<Json> parsed = parse_json(all, name);
  EXPECT_TRUE(parsed.ok()) << name;
  return parsed ? *parsed : Json();
}

struct ApiPlace {
  TimePoint wall = kMonday;
  Cluster cluster;
  Api api;
  User user;

  explicit ApiPlace(World world, double speed = 1)
      : cluster(sim::WorldStore(std::move(world)), speed, [this] { return wall; }), api(cluster) {}
  ApiPlace() : ApiPlace(std::move(worlds_of("kubernetes").front())) {}
  explicit ApiPlace(const std::string& version) : ApiPlace(of_version(version)) {}
  static World of_version(const std::string& version) {
    World world = std::move(worlds_of("kubernetes").front());
    auto scenario = std::make_shared<Scenario>(*world.scenario);
    scenario->clusters[world.cluster].version = version;
    world.scenario = std::move(scenario);
    return world;
  }

  Answer ask(std::string method, std::string target, std::string body = "", HttpHeaders headers = {}) {
    return api.answer(user,
                      HttpRequest{std::move(method), std::move(target), std::move(headers), std::move(body)});
  }
  Json json(std::string method, std::string target, std::string body = "", HttpHeaders headers = {}) {
    Answer answer = ask(std::move(method), target, std::move(body), std::move(headers));
    code = answer.http.status;
    Result<Json> parsed = parse_json(answer.http.body, "answer");
    EXPECT_TRUE(parsed.ok()) << target << ": " << answer.http.body;
    return parsed ? *parsed : Json();
  }
  Json get(std::string target) { return json("GET", std::move(target)); }
  Json patch(std::string target, std::string body, std::string_view how = "strategic-merge-patch") {
    return json("PATCH", std::move(target), std::move(body),
                {{"Content-Type", "application/" + std::string(how) + "+json"}});
  }
  void pass(Duration time) {
    wall += time;
    ASSERT_TRUE(cluster.tick().ok());
  }
  // The first running pod that is `restartable`, as a target.
  Key some_pod(bool restartable) {
    for (const auto& [id, job] : cluster.world().jobs)
      if (job.state == JobState::running && job.restartable == restartable)
        return project_pod(cluster.world(), job).first;
    ADD_FAILURE() << "no such pod";
    return {};
  }
  int code = 0;
};

std::string path_of(const Key& pod) { return "/api/v1/namespaces/" + pod.ns + "/pods/" + pod.name; }

TEST(KubeApi, RefusesInTheWordsOfARealServer) {
  ApiPlace place;
  auto renamed = [](Json status, const std::string& from, const std::string& to) {
    std::string line = to_line(status);
    for (std::size_t at; (at = line.find(from)) != std::string::npos;) line.replace(at, from.size(), to);
    return *parse_json(line, "renamed");
  };
  EXPECT_EQ(place.get("/api/v1/nodes/none"), recorded("err-404.http"));
  EXPECT_EQ(place.code, 404);
  EXPECT_EQ(place.get("/api/v1/nodes?continue=gabc"), recorded("err-continue-garbage.http"));
  EXPECT_EQ(place.code, 400);
  Answer none = place.ask("GET", "/apis/resource.k8s.io/v1/resourceslices");
  EXPECT_EQ(none.http.status, 404);
  EXPECT_EQ(none.http.body, "404 page not found\n");

  Json stale = place.get("/api/v1/nodes/whole-01");
  place.patch("/api/v1/nodes/whole-01", R"({"metadata":{"labels":{"x":"1"}}})");
  EXPECT_EQ(place.code, 200);
  Json conflict = place.json("PUT", "/api/v1/nodes/whole-01", to_line(stale));
  EXPECT_EQ(place.code, 409);
  EXPECT_EQ(conflict, renamed(recorded("err-409-conflict.http"), "gpu-00003", "whole-01"));

  Json invalid =
      place.patch("/api/v1/nodes/whole-01", R"({"metadata":{"labels":{"nvidia.com/mig.config":"all 3g"}}})");
  Json real = renamed(recorded("err-422-label.http"), "gpu-00003", "whole-01");
  EXPECT_EQ(place.code, 422);
  EXPECT_EQ(text_at(invalid, {"message"}), text_at(real, {"message"}));
  EXPECT_EQ(at(invalid, {"details", "causes"})->items.front(),
            at(real, {"details", "causes"})->items.front());

  place.user = {"viewer", {}};
  EXPECT_EQ(place.get("/api/v1/nodes"), recorded("err-403-list.http"));
  EXPECT_EQ(place.code, 403);
  Json patch = place.patch("/api/v1/nodes/whole-01", "{}");
  EXPECT_EQ(patch, renamed(recorded("err-403-patch.http"), "gpu-00003", "whole-01"));
}

TEST(KubeApi, ForgetsAndSaysSo) {
  ApiPlace place;
  Json page = place.get("/api/v1/nodes?limit=2");
  std::string next = text_at(page, {"metadata", "continue"}),
              version = text_at(page, {"metadata", "resourceVersion"});
  EXPECT_EQ(number_at(page, {"metadata", "remainingItemCount"}), 16);
  place.cluster.objects().forget_history();
  Json late = place.get("/api/v1/nodes?limit=2&continue=" + next);
  EXPECT_EQ(place.code, 410);
  EXPECT_FALSE(text_at(late, {"metadata", "continue"}).empty());
  EXPECT_EQ(place.get("/api/v1/nodes?resourceVersion=5&resourceVersionMatch=Exact"),
            recorded("list-410-expired.http"));
  Answer watch = place.ask("GET", "/api/v1/nodes?watch=1&resourceVersion=5");
  ASSERT_TRUE(watch.watch);
  std::string line;
  EXPECT_EQ(place.api.follow(*watch.watch, [&](std::string one) { return line = one, true; }), 0u);
  Json said = *parse_json(line, "line"), real = recorded("watch-410-gone.http");
  EXPECT_EQ(text_at(said, {"type"}), "ERROR");
  for (const char* field : {"reason", "kind", "status"})
    EXPECT_EQ(text_at(said, {"object", field}), text_at(real, {"object", field}));
  EXPECT_TRUE(view_at(said, {"object", "message"}).starts_with("too old resource version: 5 ("));
  EXPECT_EQ(number_at(said, {"object", "code"}), 410);
}

TEST(KubeApi, ListsAndTablesHaveTheRecordedShape) {
  ApiPlace place;
  Json page = place.get("/api/v1/nodes?limit=1"), real = recorded("nodes-page1.json");
  auto names = [](const Json& map) {
    std::vector<std::string> list;
    for (const auto& [name, value] : map.fields) list.push_back(name);
    return list;
  };
  EXPECT_EQ(names(page), names(real));
  EXPECT_EQ(names(*page.find("metadata")), names(*real.find("metadata")));
  const Json &node = page.find("items")->items[0], &real_node = real.find("items")->items[0];
  EXPECT_EQ(names(node), names(real_node));
  std::set<std::string> ours, theirs;
  for (const std::string& name : names(*node.find("status"))) ours.insert(name);
  for (const std::string& name : names(*real_node.find("status"))) theirs.insert(name);
  theirs.erase("images");
  EXPECT_EQ(ours, theirs);

  Json table = place.json("GET", "/api/v1/nodes?includeObject=None", "",
                          {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}});
  Json real_table = recorded("nodes-table.json");
  const Json &columns = *table.find("columnDefinitions"),
             &real_columns = *real_table.find("columnDefinitions");
  ASSERT_EQ(columns.items.size(), real_columns.items.size());
  for (std::size_t i = 0; i < columns.items.size(); ++i)
    for (const char* field : {"name", "type", "format", "priority"})
      EXPECT_EQ(*columns.items[i].find(field), *real_columns.items[i].find(field)) << i;
  const Json& row = table.find("rows")->items[0];
  EXPECT_EQ(row.find("cells")->items.size(), columns.items.size());
  EXPECT_TRUE(row.find("object")->is_null());
  Json partial = place.json("GET", "/api/v1/nodes?limit=1", "",
                            {{"Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}});
  EXPECT_EQ(text_at(partial, {"kind"}), "PartialObjectMetadataList");
  EXPECT_FALSE(partial.find("items")->items[0].find("status"));
}

// Every node offers exactly what the world could hand out on it.
void expect_offers(ApiPlace& place) {
  const World& world = place.cluster.world();
  for (std::uint32_t i = 0; i < world.nodes.size(); ++i) {
    const NodeState& state = world.nodes[i];
    if (state.condition == Condition::invalid) continue;
    std::map<std::string, std::int64_t> wanted;
    for (const Board& board : state.boards)
      each_slot(world.group(state), state, board, [&](const Slot& slot) {
        wanted[world.spec().resources.at(static_cast<std::size_t>(slot.resource))] += slot.capacity;
        return false;
      });
    Json node = place.get("/api/v1/nodes/" + world.node_name(i));
    for (const auto& [resource, count] : wanted)
      EXPECT_EQ(text_at(node, {"status", "allocatable", resource}), std::to_string(count))
          << world.node_name(i);
  }
}

TEST(KubeApi, NodesOfferWhatTheWorldCanHandOut) {
  ApiPlace place;
  expect_offers(place);
  Json broken = place.get("/api/v1/nodes/broken-01");
  EXPECT_EQ(text_at(broken, {"status", "allocatable", "nvidia.com/gpu"}), "0");
  EXPECT_TRUE(view_at(broken, {"metadata", "labels", "nvidia.com/gpu.product"}).ends_with("-MIG-INVALID"));
  EXPECT_EQ(text_at(place.get("/api/v1/nodes/mixed-01"), {"metadata", "labels", "nvidia.com/mig.config"}),
            "all-balanced");
}

TEST(KubeApi, TheThreePatchesAndTheirRefusals) {
  ApiPlace place;
  const std::string node = "/api/v1/nodes/whole-01";
  place.patch(node, R"({"metadata":{"labels":{"a":"1","b":"2"}}})");
  Json merged = place.patch(node, R"({"metadata":{"labels":{"a":null,"b":"3"}}})", "merge-patch");
  EXPECT_EQ(at(merged, {"metadata", "labels", "a"}), nullptr);
  EXPECT_EQ(text_at(merged, {"metadata", "labels", "b"}), "3");
  Json listed = place.patch(node, R"([{"op":"test","path":"/metadata/labels/b","value":"3"},
      {"op":"add","path":"/metadata/annotations","value":{"n":"v"}},{"op":"remove","path":"/metadata/labels/b"}])",
                            "json-patch");
  EXPECT_EQ(place.code, 200);
  EXPECT_EQ(text_at(listed, {"metadata", "annotations", "n"}), "v");
  place.patch(node, R"([{"op":"test","path":"/metadata/annotations/n","value":"x"}])", "json-patch");
  EXPECT_EQ(place.code, 422);
  place.patch(node, R"([{"op":"remove","path":"/metadata/labels/none"}])", "json-patch");
  EXPECT_EQ(place.code, 422);
  place.patch(node, "{}", "apply-patch");
  EXPECT_EQ(place.code, 415);
  place.patch(node, "{nonsense");
  EXPECT_EQ(place.code, 400);
  place.patch(node, R"({"metadata":{"labels":{"x":7}}})");
  EXPECT_EQ(place.code, 400);
  place.patch(node, R"({"metadata":{"name":"other"}})");
  EXPECT_EQ(place.code, 400);
  // One condition of several, by its key; the node's status is not written by the way.
  Json before = place.get(node);
  Json after =
      place.patch(node + "/status", R"({"status":{"conditions":[{"type":"Ready","reason":"Tested"}]}})");
  EXPECT_EQ(at(after, {"status", "conditions"})->items.size(),
            at(before, {"status", "conditions"})->items.size());
  EXPECT_EQ(text_at(at(after, {"status", "conditions"})->items.back(), {"reason"}), "Tested");
  place.patch(node, R"({"status":{"capacity":{"nvidia.com/gpu":"99"}}})");
  EXPECT_EQ(text_at(place.get(node), {"status", "capacity", "nvidia.com/gpu"}), "8");
  // A patch that names a version is one that must not be overtaken.
  place.patch(node, R"({"metadata":{"resourceVersion":"1","labels":{"c":"1"}}})", "merge-patch");
  EXPECT_EQ(place.code, 409);
  // Who wrote a label is asked of the server (managed_fields_test.cpp).
  Json written = place.patch(node + "?fieldManager=kubectl-label", R"({"metadata":{"labels":{"w":"1"}}})");
  EXPECT_EQ(text_at(at(written, {"metadata", "managedFields"})->items.back(), {"manager"}), "kubectl-label");
  // A dry run changes nothing.
  place.patch(node + "?dryRun=All", R"({"metadata":{"labels":{"dry":"1"}}})");
  EXPECT_EQ(at(place.get(node), {"metadata", "labels", "dry"}), nullptr);
  place.patch("/apis/nvidia.com/v1/clusterpolicies/cluster-policy", "{}");
  EXPECT_EQ(place.code, 415) << "custom resources know no strategic patch";
}

TEST(KubeApi, ACordonClosesTheWorldsNodeAndTheWorldsDrainIsSeen) {
  ApiPlace place;
  std::uint32_t node = *place.cluster.node_of("whole-01");
  auto condition = [&] { return place.cluster.world().nodes[node].condition; };
  place.patch("/api/v1/nodes/whole-01",
              R"({"metadata":{"labels":{"mine":"1"}},"spec":{"unschedulable":true}})");
  EXPECT_EQ(condition(), Condition::drained);
  Json shown = place.get("/api/v1/nodes/whole-01");
  EXPECT_EQ(text_at(at(shown, {"spec", "taints"})->items.at(0), {"key"}), "node.kubernetes.io/unschedulable");
  place.patch("/api/v1/nodes/whole-01", R"({"spec":{"unschedulable":null}})");
  EXPECT_EQ(condition(), Condition::up);
  Json opened = place.get("/api/v1/nodes/whole-01");
  EXPECT_EQ(at(opened, {"spec", "taints"}), nullptr);
  EXPECT_EQ(text_at(opened, {"metadata", "labels", "mine"}), "1");

  std::vector<std::string> lines;
  Answer watch =
      place.ask("GET", "/api/v1/nodes?watch=1&fieldSelector=metadata.name%3Dwhole-01&resourceVersion=" +
                           text_at(opened, {"metadata", "resourceVersion"}));
  place.api.follow(*watch.watch, [&](std::string line) { return lines.push_back(line), true; });
  ASSERT_TRUE(place.cluster.act([&](World& world, Changes& made) {
    WorldStep(world, made).close(node, Condition::down, "gone", "test", std::nullopt);
  }));
  ASSERT_EQ(lines.size(), 1u);
  Json event = *parse_json(lines[0], "line");
  EXPECT_EQ(text_at(event, {"type"}), "MODIFIED");
  EXPECT_EQ(text_at(at(event, {"object", "status", "conditions"})->items.back(), {"status"}), "Unknown");
  EXPECT_EQ(text_at(event, {"object", "metadata", "labels", "mine"}), "1") << "what others wrote stays";
}

TEST(KubeApi, ADeletedPodLeavesByTheClockAndAControllersComesBack) {
  ApiPlace place;
  Key pod = place.some_pod(true);
  std::size_t jobs = place.cluster.world().jobs.size();
  Json gone = place.json("DELETE", path_of(pod), R"({"gracePeriodSeconds":30})");
  EXPECT_EQ(place.code, 200);
  EXPECT_FALSE(text_at(gone, {"metadata", "deletionTimestamp"}).empty());
  EXPECT_EQ(place.cluster.world().jobs.size(), jobs + 1) << "its replacement waits already";
  place.pass(std::chrono::seconds(31));
  place.get(path_of(pod));
  EXPECT_EQ(place.code, 404);

  Key bare = place.some_pod(false);
  place.json("DELETE", path_of(bare) + "?gracePeriodSeconds=0");
  place.get(path_of(bare));
  EXPECT_EQ(place.code, 404) << "forced";
  EXPECT_EQ(audit(place.cluster.world()), std::vector<std::string>{});
  place.json("DELETE", path_of(bare));
  EXPECT_EQ(place.code, 404);
}

TEST(KubeApi, ABudgetIsKept) {
  ApiPlace place;
  std::string body =
      R"({"kind":"Eviction","apiVersion":"policy/v1beta1","metadata":{"name":"NAME","namespace":"search"}})";
  int allowed = 0, refused = 0;
  Json said;
  for (const auto& [id, job] : World(place.cluster.world()).jobs) {
    Key pod = project_pod(place.cluster.world(), job).first;
    if (pod.ns != "search" || job.state != JobState::running) continue;
    std::string mine = body;
    mine.replace(mine.find("NAME"), 4, pod.name);
    said = place.json("POST", path_of(pod) + "/eviction", mine);
    ++(place.code == 201 ? allowed : refused);
    if (place.code != 201) break;
  }
  EXPECT_GT(allowed, 0);
  ASSERT_EQ(refused, 1);
  EXPECT_EQ(place.code, 429);
  Json real = recorded("err-429-pdb.http");
  for (const char* field : {"message", "reason", "status"})
    EXPECT_EQ(text_at(said, {field}), text_at(real, {field}));
  EXPECT_EQ(text_at(at(said, {"details", "causes"})->items.at(0), {"reason"}), "DisruptionBudget");
  place.pass(std::chrono::seconds(60));
  EXPECT_EQ(audit(place.cluster.world()), std::vector<std::string>{});
}

TEST(KubeApi, TimeBringsWorkAndTakesIt) {
  ApiPlace place;
  std::map<std::string, std::set<std::string>> seen;
  Answer watch = place.ask(
      "GET", "/api/v1/pods?watch=1&resourceVersion=" + std::to_string(place.cluster.objects().version()));
  place.api.follow(*watch.watch, [&](std::string line) {
    Json event = *parse_json(line, "line");
    seen[text_at(event, {"type"})].insert(text_at(event, {"object", "metadata", "uid"}));
    return true;
  });
  for (int i = 0; i < 40; ++i) place.pass(std::chrono::minutes(6));
  EXPECT_GT(seen["ADDED"].size(), 10u);
  EXPECT_GT(seen["DELETED"].size(), 10u);
  // What stands is what the world has, no more and no less.
  std::set<std::string> pods, jobs;
  for (const ObjectPtr& pod : place.cluster.objects().all("pods"))
    if (text_at(*pod, {"metadata", "namespace"}) != kOperatorNamespace)
      pods.insert(text_at(*pod, {"metadata", "namespace"}) + "/" + text_at(*pod, {"metadata", "name"}));
  for (const auto& [id, job] : place.cluster.world().jobs)
    jobs.insert(workload_id(place.cluster.world(), job).text);
  EXPECT_EQ(pods, jobs);
}

TEST(KubeApi, AWorldThatStandsStillGivesAnActionItsTime) {
  ApiPlace place(std::move(worlds_of("kubernetes").front()), 0);
  Key pod = place.some_pod(false);
  place.json("DELETE", path_of(pod));
  place.get(path_of(pod));
  EXPECT_EQ(place.code, 404);
  TimePoint now = place.cluster.world().now;
  place.pass(std::chrono::hours(1));
  EXPECT_EQ(place.cluster.world().now, now);
}

// A pod that kubectl makes is work like any other: GPUs are counted, and it waits its turn.
TEST(KubeApi, APodMadeByHandRunsWhereGpusAreFree) {
  ApiPlace place(
      world_from("clusters: [{name: c, scheduler: kubernetes, users: [u], nodes: [{names: 'g[1-2]', "
                 "product: H100-80GB-SXM5, gpus: 2}], jobs: []}]"));
  auto make = [&](const std::string& name, const std::string& gpus, const std::string& more = "") {
    place.json("POST", "/api/v1/namespaces/default/pods",
               R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
                   R"(","labels":{"mine":"yes"}},"spec":{)" + more +
                   R"("containers":[{"name":"cuda","resources":{"limits":{"nvidia.com/gpu":)" + gpus +
                   "}}}]}}");
    EXPECT_EQ(place.code, 201) << name;
  };
  auto pod = [&](const std::string& name) { return place.get("/api/v1/namespaces/default/pods/" + name); };
  auto where = [&](const std::string& name) { return text_at(pod(name), {"spec", "nodeName"}); };
  make("a", "2");
  make("b", "1", R"("nodeSelector":{"kubernetes.io/hostname":"g2"},)");
  make("c", "\"2\"");
  make("d", "1", R"("nodeSelector":{"kubernetes.io/hostname":"g9"},)");
  EXPECT_EQ(where("a"), "g1");
  EXPECT_EQ(text_at(pod("a"), {"status", "phase"}), "Running");
  EXPECT_EQ(text_at(pod("a"), {"metadata", "labels", "mine"}), "yes");
  EXPECT_EQ(where("b"), "g2");
  for (const char* waits : {"c", "d"}) {
    EXPECT_EQ(where(waits), "") << waits;
    EXPECT_EQ(text_at(pod(waits), {"status", "phase"}), "Pending") << waits;
  }
  EXPECT_NE(to_line(pod("c")).find("0/2 nodes are available: 2 Insufficient nvidia.com/gpu."),
            std::string::npos)
      << to_line(pod("c"));
  EXPECT_NE(to_line(pod("d")).find("didn't match Pod's node affinity/selector"), std::string::npos);
  EXPECT_EQ(audit(place.cluster.world()), std::vector<std::string>{});
  // The state file carries it along.
  Result<std::vector<World>> again =
      load_state(save_state({place.cluster.world()}), test::shared_catalogue());
  ASSERT_TRUE(again.ok()) << to_line(again.error());
  EXPECT_TRUE(again->front() == place.cluster.world());
  place.json("DELETE", "/api/v1/namespaces/default/pods/a");
  place.pass(std::chrono::seconds(60));
  EXPECT_EQ(place.ask("GET", "/api/v1/namespaces/default/pods/a").http.status, 404);
  EXPECT_EQ(where("c"), "g1") << "who waited longest comes next";
}

// The operator's own behaviour has its tests; here it works on a whole cluster.
TEST(KubeApi, TheOperatorLooksAfterTheServedCluster) {
  ApiPlace place;
  std::unique_ptr<Operator> gpus = install_operator(place.cluster);
  expect_offers(place);
  const std::string list =
      "/api/v1/namespaces/gpu-operator/"
      "pods?labelSelector=app%3Dnvidia-dcgm&fieldSelector=spec.nodeName%3Dwhole-01";
  auto pods = [&] { return place.get(list).find("items")->items; };
  auto wait = [&](int seconds) {
    for (int i = 0; i < seconds; ++i) place.pass(std::chrono::seconds(1));
  };
  ASSERT_EQ(pods().size(), 1u);
  std::string first = text_at(pods()[0], {"metadata", "name"});
  place.json("DELETE", "/api/v1/namespaces/gpu-operator/pods/" + first);
  wait(60);
  ASSERT_EQ(pods().size(), 1u);
  EXPECT_NE(text_at(pods()[0], {"metadata", "name"}), first);
  EXPECT_EQ(text_at(pods()[0], {"status", "phase"}), "Running");

  // A cut through the labels alone, as kubectl would order it: the node is emptied first.
  place.patch("/api/v1/nodes/whole-01", R"({"spec":{"unschedulable":true}})");
  Json there = place.get("/api/v1/pods?fieldSelector=spec.nodeName%3Dwhole-01");
  for (const Json& pod : there.find("items")->items)
    if (text_at(pod, {"metadata", "namespace"}) != kOperatorNamespace)
      place.json("DELETE", "/api/v1/namespaces/" + text_at(pod, {"metadata", "namespace"}) + "/pods/" +
                               text_at(pod, {"metadata", "name"}));
  wait(40);
  place.patch("/api/v1/nodes/whole-01", R"({"metadata":{"labels":{"nvidia.com/mig.config":"all-1g.10gb"}}})");
  wait(600);
  Json node = place.get("/api/v1/nodes/whole-01");
  std::string log;
  for (const ObjectPtr& pod : place.cluster.objects().all("pods", kOperatorNamespace))
    if (text_at(*pod, {"spec", "nodeName"}) == "whole-01" &&
        text_at(*pod, {"metadata", "labels", "app"}) == "nvidia-mig-manager")
      for (const std::string& line :
           gpus->log_of(text_at(*pod, {"metadata", "name"})).value_or(std::vector<std::string>{}))
        log += line + "\n";
  EXPECT_EQ(text_at(node, {"metadata", "labels", "nvidia.com/mig.config.state"}), "success") << log;
  EXPECT_EQ(text_at(node, {"metadata", "labels", "nvidia.com/mig.config"}), "all-1g.10gb");
  EXPECT_EQ(text_at(node, {"status", "allocatable", "nvidia.com/mig-1g.10gb"}), "56");
  EXPECT_EQ(audit(place.cluster.world()), std::vector<std::string>{});
}

TEST(KubeApi, ReviewsTellWhatAUserMayDo) {
  ApiPlace place;
  std::string posted =
      R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},
      "spec":{"resourceAttributes":{"verb":"patch","resource":"nodes"}}})";
  const std::string path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
  Json yes = place.json("POST", path, posted), real = recorded("ssar.http");
  EXPECT_EQ(place.code, 201);
  EXPECT_EQ(*yes.find("status"), *real.find("status"));
  EXPECT_EQ(*yes.find("spec"), *real.find("spec"));
  auto rules = parse_rules("get,list:nodes,daemonsets.apps;create:pods/eviction@training");
  ASSERT_TRUE(rules.ok());
  place.user = {"ops", *rules};
  EXPECT_FALSE(flag_at(place.json("POST", path, posted), {"status", "allowed"}));
  EXPECT_TRUE(place.user.allows({"create", "", "pods", "eviction", "training", "x"}));
  EXPECT_FALSE(place.user.allows({"create", "", "pods", "eviction", "serving", "x"}));
  EXPECT_TRUE(place.user.allows({"list", "apps", "daemonsets", "", "x", ""}));
  EXPECT_FALSE(place.user.allows({"list", "", "pods", "", "", ""}));
  for (const char* bad : {"get", "fly:nodes", "get:", "get:nodes@", "get:nodes;"})
    EXPECT_FALSE(parse_rules(bad).ok()) << bad;
  auto users = parse_user_ports("a=1:get,list:nodes,b=2:view");
  ASSERT_TRUE(users.ok());
  ASSERT_EQ(users->size(), 2u);
  EXPECT_EQ(users->at(0).rules.at(0).verbs, (std::vector<std::string>{"get", "list"}));
  EXPECT_FALSE(parse_user_ports("a=x:view").ok());
}

TEST(KubeApi, ConfigMapsComeAndGoAndNamesAreChecked) {
  ApiPlace place;
  const std::string path = "/api/v1/namespaces/gpu-operator/configmaps";
  std::string body =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"mine"},"data":{"config.yaml":"version: v1\n"}})";
  place.json("POST", path, body);
  EXPECT_EQ(place.code, 201);
  place.json("POST", path, body);
  EXPECT_EQ(place.code, 409);
  place.json("POST", path, R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"Bad Name"}})");
  EXPECT_EQ(place.code, 422);
  place.json("POST", path,
             R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"n"},"data":{"a":1}})");
  EXPECT_EQ(place.code, 400);
  place.json("POST", "/api/v1/namespaces/nowhere/configmaps", body);
  EXPECT_EQ(place.code, 404);
  place.json("DELETE", path + "/mine");
  EXPECT_EQ(place.code, 200);
  // As kubectl 1.32 sends it: runtime.Unknown with a ConfigMap.
  std::string proto(
      "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
      "ConfigMap\x12\x11\x0a\x05\x0a\x03"
      "abc\x12\x08\x0a\x01k\x12\x03val",
      40);
  Json made = place.json("POST", path, proto);
  EXPECT_EQ(place.code, 201);
  EXPECT_EQ(text_at(made, {"data", "k"}), "val");
  for (std::size_t size = 4; size < proto.size(); ++size) parse_protobuf(proto.substr(0, size));
}

// A stand-in that takes what a server of its version refuses hides that tessera asks for it.
TEST(KubeApi, AServerServesWhatItsVersionHasAndNothingElse) {
  struct Served {
    const char* version;
    const char* eviction;  // as it is reported
    bool v1_budgets, v1beta1_budgets, takes_v1, dra;
  };
  for (const Served& one : {Served{"kubernetes v1.20.15", "v1beta1", false, true, false, false},
                            Served{"kubernetes v1.21.14", "v1beta1", true, true, false, false},
                            Served{"kubernetes v1.22.17", "v1", true, true, true, false},
                            Served{"kubernetes v1.25.16", "v1", true, false, true, false},
                            Served{"kubernetes v1.34.2", "v1", true, false, true, true}}) {
    SCOPED_TRACE(one.version);
    ApiPlace place(one.version);
    const Json core = place.get("/api/v1");
    std::string told;
    for (const Json& resource : at(core, {"resources"})->items)
      if (text_at(resource, {"name"}) == "pods/eviction") told = text_at(resource, {"version"});
    EXPECT_EQ(told, one.eviction);
    auto served = [&](const char* path) {
      place.ask("GET", path);
      return place.ask("GET", path).http.status == 200;
    };
    EXPECT_EQ(served("/apis/policy/v1/poddisruptionbudgets"), one.v1_budgets);
    EXPECT_EQ(served("/apis/policy/v1beta1/poddisruptionbudgets"), one.v1beta1_budgets);
    EXPECT_EQ(served("/apis/resource.k8s.io/v1/resourceslices"), one.dra);
    Key pod = place.some_pod(true);
    place.json("POST", path_of(pod) + "/eviction",
               R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":")" + pod.name +
                   R"("},"deleteOptions":{"dryRun":["All"]}})");
    EXPECT_EQ(place.code == 400, !one.takes_v1) << place.code;
  }
}

TEST(KubeApi, WhatIsTooLongOrMisnamedIsRefusedAsByARealServer) {
  ApiPlace place;
  const std::string path = "/api/v1/namespaces/gpu-operator/configmaps";
  auto patch = [&](const std::string& body) {
    return text_at(place.patch("/api/v1/nodes/whole-01", body, "merge-patch"), {"message"});
  };
  EXPECT_NE(patch(R"({"metadata":{"annotations":{"a/b":")" + std::string(300'000, 'x') + "\"}}}")
                .find("262144 bytes"),
            std::string::npos);
  EXPECT_EQ(place.code, 422);
  patch(R"({"metadata":{"labels":{"a":")" + std::string(64, 'x') + "\"}}}");
  EXPECT_EQ(place.code, 422);
  place.json("POST", path,
             R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"},"data":{"a b":"x"}})");
  EXPECT_EQ(place.code, 422);
  place.json("POST", path,
             R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"},"data":{"a":")" +
                 std::string(1'100'000, 'x') + "\"}}");
  EXPECT_EQ(place.code, 422);
  const std::string odd = R"({"metadata":{"lables":{"a":"b"}}})";
  Json strict = place.patch("/api/v1/nodes/whole-01?fieldValidation=Strict", odd, "merge-patch");
  EXPECT_EQ(place.code, 400);
  EXPECT_EQ(text_at(strict, {"message"}), "strict decoding error: unknown field \"metadata.lables\"");
}

TEST(KubeApi, ArmedFaultsStrikeWhomTheyMean) {
  ServerFaults faults;
  faults.arm(*parse_fault("busy path=/api/v1/nodes method=GET nth=2 times=2 after=7"));
  EXPECT_FALSE(faults.strike("GET", "/api/v1/pods"));
  EXPECT_FALSE(faults.strike("PATCH", "/api/v1/nodes/x"));
  EXPECT_FALSE(faults.strike("GET", "/api/v1/nodes"));
  EXPECT_EQ(faults.strike("GET", "/api/v1/nodes?watch=1")->after, 7);
  EXPECT_TRUE(faults.strike("GET", "/api/v1/nodes"));
  EXPECT_FALSE(faults.strike("GET", "/api/v1/nodes"));
  EXPECT_TRUE(faults.armed().empty());
  faults.arm(*parse_fault("status path=/api/v1/nodes code=403"));
  EXPECT_EQ(faults.strike("GET", "/api/v1/nodes")->code, 403);
  for (const char* kind : {"half", "garbage", "drop"}) EXPECT_TRUE(parse_fault(kind).ok()) << kind;
  for (const char* bad : {"", "fly", "busy nth=x", "busy what=1", "busy path", "status code=200"})
    EXPECT_FALSE(parse_fault(bad).ok()) << bad;
}

}  // namespace
}  // namespace tessera::sim::kube
