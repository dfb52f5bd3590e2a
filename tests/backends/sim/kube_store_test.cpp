// The object store of the simulated Kubernetes: versions, conflicts, history, pages, selectors.
#include <gtest/gtest.h>

#include "backends/sim/apiserver/continue_token.hpp"
#include "backends/sim/apiserver/store.hpp"

namespace tessera::sim::kube {
namespace {

Key node(const std::string& name) { return {"nodes", "", name}; }
Key pod(const std::string& ns, const std::string& name) { return {"pods", ns, name}; }

Json labelled(std::string key, std::string value) {
  Json object = Json::map();
  put_at(object, {"metadata", "labels", key}, text(std::move(value)));
  return object;
}
std::string version_of(const ObjectPtr& object) { return text_at(*object, {"metadata", "resourceVersion"}); }

Selector selecting(const std::string& labels, const std::string& fields = "",
                   const std::string& of = "pods") {
  auto parsed = parse_selector(labels, fields, of);
  EXPECT_TRUE(std::holds_alternative<Selector>(parsed)) << labels << " " << fields;
  return std::get<Selector>(parsed);
}

TEST(KubeStore, AWriteHasItsOwnVersionAndOneThatChangesNothingHasNone) {
  ObjectStore store;
  ObjectPtr made = store.create(node("a"), labelled("x", "1")).object;
  ASSERT_TRUE(made);
  EXPECT_FALSE(text_at(*made, {"metadata", "uid"}).empty());
  EXPECT_EQ(store.create(node("a"), Json::map()).refusal->reason, "AlreadyExists");
  std::uint64_t before = store.version();
  ObjectPtr same = store.update(node("a"), *made, std::nullopt).object;
  EXPECT_EQ(same, made);
  EXPECT_EQ(store.version(), before);
  EXPECT_TRUE(store.edit(node("a"), [](Json& one) { put_at(one, {"spec", "unschedulable"}, flag(true)); }));
  EXPECT_GT(store.version(), before);
  EXPECT_EQ(text_at(*store.find(node("a")), {"metadata", "uid"}), text_at(*made, {"metadata", "uid"}));
}

TEST(KubeStore, WhoeverHasNotSeenTheLastVersionIsRefused) {
  ObjectStore store;
  ObjectPtr first = store.create(node("a"), labelled("x", "1")).object;
  Json mine = *first;
  put_at(mine, {"metadata", "labels", "x"}, text("2"));
  ASSERT_TRUE(store.update(node("a"), mine, version_of(first)).ok());
  Written late = store.update(node("a"), mine, version_of(first));
  ASSERT_TRUE(late.refusal);
  EXPECT_EQ(late.refusal->code, 409);
  EXPECT_EQ(late.refusal->reason, "Conflict");
  EXPECT_EQ(store.remove(node("a"), "another-uid").refusal->code, 409);
  EXPECT_TRUE(store.remove(node("a"), text_at(*first, {"metadata", "uid"})).ok());
  EXPECT_EQ(store.update(node("a"), mine, std::nullopt).refusal->code, 404);
}

TEST(KubeStore, WatchersHearEveryChangeInOrderAlsoThoseThatTheyMake) {
  ObjectStore store;
  std::vector<std::uint64_t> versions;
  std::vector<std::string> names;
  store.watch("nodes", [&](const Change& change) {
    // A controller that answers with another write.
    if (change.verb == Verb::added)
      store.edit(change.key, [](Json& one) { put_at(one, {"metadata", "labels", "seen"}, text("yes")); });
  });
  std::uint64_t last = store.watch("nodes", [&](const Change& change) {
    versions.push_back(change.version);
    names.push_back(change.key.name);
  });
  store.set(node("a"), Json::map());
  store.set(pod("x", "b"), Json::map());
  store.set(node("c"), Json::map());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a", "c", "c"}));
  EXPECT_TRUE(std::is_sorted(versions.begin(), versions.end()));
  store.unwatch(last);
  store.erase(node("a"));
  EXPECT_EQ(names.size(), 4u);
}

TEST(KubeStore, HistoryIsBoundedAndWhatIsForgottenIsSaid) {
  ObjectStore store(1, 5);
  store.set(node("a"), Json::map());
  std::uint64_t early = store.version();
  auto touch = [&](int i) { store.set(node("a"), labelled("x", std::to_string(i))); };
  touch(1);
  touch(2);
  ASSERT_TRUE(store.since(early, "nodes"));
  EXPECT_EQ(store.since(early, "nodes")->size(), 2u);
  EXPECT_TRUE(store.since(early, "pods")->empty());
  for (int i = 3; i < 9; ++i) touch(i);
  EXPECT_FALSE(store.since(early, "nodes"));
  std::uint64_t now = store.version();
  EXPECT_TRUE(store.since(now, "nodes"));
  store.forget_history();
  EXPECT_FALSE(store.since(now, "nodes"));
  EXPECT_TRUE(store.since(store.version(), "nodes"));
}

TEST(KubeStore, PagesAreOfOneMomentWhateverHappensBetweenThem) {
  ObjectStore store;
  for (const char* name : {"a", "b", "c", "d", "e"}) store.set(node(name), Json::map());
  ListRequest request{"nodes"};
  request.limit = 2;
  ObjectPage first = store.list(request);
  ASSERT_EQ(first.items.size(), 2u);
  EXPECT_EQ(first.remaining, 3);
  store.erase(node("c"));
  store.set(node("bb"), Json::map());
  store.set(node("d"), labelled("new", "yes"));
  request.next = first.next;
  ObjectPage second = store.list(request);
  ASSERT_EQ(second.items.size(), 2u);
  EXPECT_EQ(text_at(*second.items[0], {"metadata", "name"}), "c");
  EXPECT_EQ(text_at(*second.items[1], {"metadata", "labels", "new"}), "");
  EXPECT_EQ(second.version, first.version);
  store.forget_history();
  request.next = second.next;
  ObjectPage late = store.list(request);
  ASSERT_TRUE(late.refusal);
  EXPECT_EQ(late.refusal->code, 410);
  request.next = late.refusal->next;  // goes on with what stands now
  ObjectPage rest = store.list(request);
  ASSERT_FALSE(rest.refusal);
  ASSERT_EQ(rest.items.size(), 1u);
  EXPECT_EQ(text_at(*rest.items[0], {"metadata", "name"}), "e");
}

TEST(KubeStore, ContinueTokensAreWrittenAsAServerDoes) {
  // {"v":"meta.k8s.io/v1","rv":12206,"start":"gpu-00001\u0000"}, as a 1.20 server gave it.
  const std::string real = "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTIyMDYsInN0YXJ0IjoiZ3B1LTAwMDAxXHUwMDAwIn0";
  EXPECT_EQ(continue_token({12206, "", "gpu-00001"}), real);
  auto place = parse_continue(real);
  ASSERT_TRUE(std::holds_alternative<ListPlace>(place));
  EXPECT_EQ(std::get<ListPlace>(place).name, "gpu-00001");
  for (const char* garbage : {"gabc", "!!!", "e30", "", "eyJ2Ijoi", "AAAA"}) {
    auto refused = parse_continue(garbage);
    ASSERT_TRUE(std::holds_alternative<Refusal>(refused)) << garbage;
    EXPECT_EQ(std::get<Refusal>(refused).code, 400);
    EXPECT_TRUE(
        std::get<Refusal>(refused).message.starts_with("invalid continue token: continue key is not valid"));
  }
}

TEST(KubeStore, SelectorsTakeTheWholeGrammar) {
  Json one = labelled("app", "train");
  put_at(one, {"metadata", "labels", "nvidia.com/gpu.present"}, text("true"));
  put_at(one, {"spec", "nodeName"}, text("n1"));
  put_at(one, {"status", "phase"}, text("Running"));
  for (const char* yes : {"app=train", "app==train", "app in (train, serve)", "app!=x",
                          "app notin (x,y),!none", "nvidia.com/gpu.present=true,app", "none!=x", ""})
    EXPECT_TRUE(selecting(yes).matches(one)) << yes;
  for (const char* no : {"app=serve", "!app", "none", "app notin (train)", "app!=train", "app=train,none"})
    EXPECT_FALSE(selecting(no).matches(one)) << no;
  EXPECT_TRUE(selecting("", "spec.nodeName=n1,status.phase!=Failed").matches(one));
  EXPECT_FALSE(selecting("", "spec.nodeName=n2").matches(one));
  for (const char* bad : {"a in", "a in (b", "=b", "a b", "a=b c", "-a=b", "a,,b"})
    EXPECT_TRUE(std::holds_alternative<Refusal>(parse_selector(bad, "", "pods"))) << bad;
  EXPECT_TRUE(std::holds_alternative<Refusal>(parse_selector("", "spec.image=x", "pods")));
  EXPECT_TRUE(std::holds_alternative<Refusal>(parse_selector("", "nonsense", "pods")));
}

TEST(KubeStore, AWatcherThatSelectsSeesObjectsComeAndGo) {
  ObjectStore store;
  Selector wanted = selecting("app=a");
  std::vector<std::optional<Verb>> seen;
  store.watch("pods", [&](const Change& change) { seen.push_back(seen_as(change, wanted, "x")); });
  store.set(pod("x", "p"), labelled("app", "b"));
  store.set(pod("x", "p"), labelled("app", "a"));
  store.edit(pod("x", "p"), [](Json& one) { put(one, "spec", Json::map()); });
  store.set(pod("x", "p"), labelled("app", "b"));
  store.set(pod("y", "p"), labelled("app", "a"));
  store.erase(pod("x", "p"));
  using V = std::optional<Verb>;
  EXPECT_EQ(seen, (std::vector<V>{V{}, Verb::added, Verb::modified, Verb::deleted, V{}, V{}}));
}

TEST(KubeStore, LabelsAreRefusedInTheServersWords) {
  Json labels = object({{"nvidia.com/mig.config", text("all 3g")}});
  std::vector<Cause> causes = bad_labels(labels);
  ASSERT_EQ(causes.size(), 1u);
  Refusal refusal = invalid("Node", "", "gpu-00003", {causes[0], causes[0], causes[0]});
  EXPECT_EQ(refusal.code, 422);
  EXPECT_EQ(
      refusal.message,
      "Node \"gpu-00003\" is invalid: metadata.labels: Invalid value: \"all 3g\": a valid label must be an "
      "empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
      "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
      "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  EXPECT_TRUE(bad_labels(object({{"nvidia.com/gpu.deploy.nvsm", text("")}, {"a", text("x_y.z-1")}})).empty());
  EXPECT_EQ(
      bad_labels(object({{"Bad/x", text("")}, {"a/", text("1")}, {"b", text(std::string(64, 'x'))}})).size(),
      3u);
}

}  // namespace
}  // namespace tessera::sim::kube
