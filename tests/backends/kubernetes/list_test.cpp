// Lists that come in pieces, and how little is kept of what they tell.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backends/kubernetes/objects/fields.hpp"
#include "backends/kubernetes/objects/list_pieces.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/store.hpp"
#include "engine/model/reduce.hpp"
#include "tests/backends/kubernetes/texts.hpp"

namespace tessera::kubernetes {
namespace {

struct ReadList {
  std::vector<std::string> names;
  std::string version, next, api;
  int pieces = 0;
  std::size_t waiting = 0;  // bytes, at most
};

ReadList read_in_pieces(const std::string& text, std::size_t most, std::size_t step) {
  ListPieces pieces(most);
  ReadList read;
  Parser parser;
  auto take = [&](std::string_view piece) {
    auto page = parser.list<NodeObject>(piece);
    if (!page) ADD_FAILURE() << to_line(page.error()) << "\n" << piece;
    if (!page) return;
    ++read.pieces;
    for (const NodeObject& node : page->items) read.names.push_back(node.meta.name);
    if (!page->version.empty()) read.version = page->version;
    if (!page->next.empty()) read.next = page->next;
    if (!page->api.empty()) read.api = page->api;
  };
  for (std::size_t from = 0; from < text.size(); from += step) {
    pieces.add(std::string_view(text).substr(from, step));
    read.waiting = std::max(read.waiting, pieces.waiting());
    for (std::string_view piece = pieces.piece(); !piece.empty(); piece = pieces.piece()) take(piece);
  }
  take(pieces.last());
  return read;
}

// What could be taken for the list's own nesting stands in its texts.
std::string item_named(const std::string& name) {
  return R"({"metadata":{"name":")" + name +
         R"(","labels":{"app":"],}{[ \"items\":[ \\"},"items":[[1,2],{}]},"spec":{},"status":{}})";
}
std::string list_of_items(int count, const std::string& between = ",") {
  std::string items;
  for (int i = 0; i < count; ++i) items += (i > 0 ? between : "") + item_named("n" + std::to_string(i));
  return items;
}
std::vector<std::string> names_of(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back("n" + std::to_string(i));
  return names;
}

RC_GTEST_PROP(KubernetesListPieces, EachItemComesOnceInOrderHoweverTheTextIsCut, ()) {
  const int count = *rc::gen::inRange(0, 40);
  const bool meta_first = *rc::gen::arbitrary<bool>();
  const std::string meta = R"("metadata":{"resourceVersion":"7","continue":"a\"]\\","x":{"items":[]}})";
  const std::string items =
      R"("items": [)" + list_of_items(count, *rc::gen::element<std::string>(",", " ,\n ")) + "]";
  std::string text = R"({"kind":"NodeList","apiVersion":"v1",)";
  text += meta_first ? meta + "," + items + " }\n" : items + "," + meta + "}";
  const auto read =
      read_in_pieces(text, *rc::gen::inRange<std::size_t>(1, 2000), *rc::gen::inRange<std::size_t>(1, 300));
  RC_ASSERT(read.names == names_of(count));
  RC_ASSERT(read.version == "7");
  RC_ASSERT(read.next == "a\"]\\");
  RC_ASSERT(read.api == "v1");
}

TEST(KubernetesListPieces, NoMoreWaitsThanAPieceAndWhatCameLast) {
  const std::string text = R"({"metadata":{"resourceVersion":"7"},"items":[)" + list_of_items(5000) + "]}";
  const auto read = read_in_pieces(text, 4096, 1024);
  EXPECT_EQ(read.names, names_of(5000));
  EXPECT_GT(read.pieces, 50);
  EXPECT_LT(read.waiting, 4096u + 2 * 1024u);
}

TEST(KubernetesListPieces, WhatIsNoListComesWhole) {
  for (const std::string text : {R"({"kind":"Status","items":{"a":[1]},"b":[{},{},{}]})", R"([{},{},{}])",
                                 R"({"items":null,"a":[{},{}]})", R"({"a":"items","b":[{},{}]})",
                                 R"(]]}}"items":[{},{}])", "404 page not found", ""}) {
    ListPieces pieces(1);
    for (char c : text) pieces.add({&c, 1});
    EXPECT_EQ(pieces.piece(), "");
    EXPECT_EQ(pieces.last(), text);
  }
}

TEST(KubernetesListPieces, AListThatBreaksOffIsNoJson) {
  const std::string whole = R"({"metadata":{},"items":[)" + list_of_items(3) + "]}";
  ListPieces pieces(1);
  pieces.add(std::string_view(whole).substr(0, whole.size() - 30));
  EXPECT_NE(pieces.piece(), "");
  EXPECT_FALSE(Parser().list<NodeObject>(pieces.last()));
}

TEST(KubernetesFields, AreAMapInOrder) {
  Texts texts{{"b", Text("2")}, {"a", Text("1")}};
  texts["c"] = Text("3");
  texts["b"] = Text("4");
  std::string told;
  for (const auto& [key, value] : texts) told += key.str() + value.str();
  EXPECT_EQ(told, "a1b4c3");
  EXPECT_EQ(texts.find("d"), texts.end());
  EXPECT_EQ(texts.lower_bound("bb")->first, "c");
  texts.erase_if([](const auto& entry) { return entry.first == "a"; });
  EXPECT_FALSE(texts.contains("a"));
  EXPECT_EQ(texts.size(), 2u);
}

TEST(KubernetesFields, APoolKeepsEachTextOnceAndForgetsWhatIsNotUsed) {
  TextPool pool;
  Text one(std::string("nvidia.com/gpu.present")), other(std::string("nvidia.com/gpu.present"));
  EXPECT_NE(one.str().data(), other.str().data());
  pool.share(one);
  pool.share(other);
  EXPECT_EQ(one.str().data(), other.str().data());
  for (int i = 0; i < 100'000; ++i) {
    Text stamp(std::to_string(i));
    pool.share(stamp);
  }
  EXPECT_LT(pool.size(), 5000u);
  Text again(std::string("nvidia.com/gpu.present"));
  pool.share(again);
  EXPECT_EQ(one.str().data(), again.str().data());
}

std::string pod_of(const std::string& name, const std::string& app, bool ready,
                   const std::string& more = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"gpu-operator","labels":{"app":")" + app +
         R"("})" + more + R"(},"spec":{"nodeName":"a"},"status":{"phase":"Running","conditions":[)" +
         R"({"type":"Ready","status":")" + (ready ? "True" : "False") + R"("}]}})";
}

// A node and the pods of the GPU stack on it.
class StackOnANode : public testing::Test {
 protected:
  StackOnANode() {
    store_.nodes().page(list_json({node_json("a", {{"nvidia.com/gpu.present", "true"}}, {})}, "1"), true);
    store_.nodes().listed();
  }
  void list(const std::vector<std::string>& pods) {
    auto handler = store_.pods();
    handler.begin();
    EXPECT_TRUE(handler.page(list_json(pods, "1"), true));
    handler.listed();
  }
  void tell(const std::string& change, const std::string& pod) {
    EXPECT_TRUE(store_.pods().line(R"({"type":")" + change + R"(","object":)" + pod + "}"));
  }
  std::string parts() const {
    std::string told;
    for (const Component& part : model_.clusters.front().nodes.find(NodeName("a"))->components)
      told += part.name + " " + std::string(word(part.state)) + "; ";
    return told;
  }

  Model model_;
  int told_ = 0;  // how often of a node
  ClusterStore store_{nullptr,
                      [this](ClusterStore::What what) {
                        told_ += std::holds_alternative<NodeSeen>(what);
                        reduce(model_, {ClusterName("c"), 1, TimePoint{}, std::move(what)});
                      },
                      [] { return TimePoint{}; }};
};

TEST_F(StackOnANode, PodsComeChangeAndGo) {
  list({pod_of("d", "nvidia-driver-daemonset", true), pod_of("x", "nvidia-dcgm-exporter", true)});
  EXPECT_EQ(parts(), "driver ready; DCGM exporter ready; ");
  ASSERT_EQ(store_.exporters().size(), 1u);
  EXPECT_EQ(store_.exporters().front().pod, "x");
  tell("MODIFIED", pod_of("x", "nvidia-dcgm-exporter", false));
  EXPECT_EQ(parts(), "driver ready; DCGM exporter not-ready; ");
  EXPECT_TRUE(store_.exporters().empty());
  tell("ADDED", pod_of("y", "nvidia-dcgm-exporter", true));
  EXPECT_EQ(parts(), "driver ready; DCGM exporter ready; ");
  tell("DELETED", pod_of("d", "nvidia-driver-daemonset", true));
  EXPECT_EQ(parts(), "DCGM exporter ready; ");
  tell("MODIFIED", pod_of("y", "another", true));
  EXPECT_EQ(parts(), "DCGM exporter not-ready; ") << "by its labels it is no part of the stack any more";
}

// Where a scrape renames labels, a series is of the node whose exporter was scraped: as long as it runs
// there.
TEST_F(StackOnANode, ASeriesIsOfTheNodeOfItsExporterAsLongAsThatIsReady) {
  const auto node_of = [&](const char* pod) {
    return store_.node_of_series({"DCGM_FI_DEV_GPU_UTIL", {{"namespace", "gpu-operator"}, {"pod", pod}}, 1})
        .node;
  };
  list({pod_of("x", "nvidia-dcgm-exporter", true)});
  EXPECT_EQ(node_of("x"), "a");
  EXPECT_EQ(node_of("of-another-cluster"), "");
  tell("MODIFIED", pod_of("x", "nvidia-dcgm-exporter", false));
  EXPECT_EQ(node_of("x"), "");
  tell("ADDED", pod_of("y", "nvidia-dcgm-exporter", true));
  EXPECT_EQ(node_of("y"), "a");
  tell("DELETED", pod_of("y", "nvidia-dcgm-exporter", true));
  EXPECT_EQ(node_of("y"), "");
  tell("ADDED", pod_of("z", "nvidia-dcgm-exporter", true));
  EXPECT_EQ(node_of("z"), "a");
  list({pod_of("x", "nvidia-dcgm-exporter", true)});
  EXPECT_EQ(node_of("z"), "") << "the new list has it not";
  EXPECT_EQ(node_of("x"), "a");
}

TEST_F(StackOnANode, APodThatAListNoLongerHasIsGone) {
  list({pod_of("d", "nvidia-driver-daemonset", true), pod_of("x", "nvidia-dcgm-exporter", true)});
  list({pod_of("x", "nvidia-dcgm-exporter", true)});
  EXPECT_EQ(parts(), "DCGM exporter ready; ");
  list({});
  EXPECT_EQ(parts(), "");
}

TEST_F(StackOnANode, AChangeOfNothingThatIsToldTellsNothing) {
  list({pod_of("x", "nvidia-dcgm-exporter", true)});
  const int before = told_;
  tell("MODIFIED", pod_of("x", "nvidia-dcgm-exporter", true, R"(,"annotations":{"touched":"1"})"));
  EXPECT_EQ(told_, before);
  tell("MODIFIED",
       pod_of("x", "nvidia-dcgm-exporter", true, R"(,"deletionTimestamp":"2026-11-20T00:00:00Z")"));
  EXPECT_EQ(told_, before + 1);
  EXPECT_EQ(parts(), "DCGM exporter not-ready; ");
}

// A pod that has ended holds nothing and is not listed any more; how it ended is told as it goes.
TEST_F(StackOnANode, HowAPodEndedIsToldAsItGoes) {
  const auto train = [](const std::string& status) {
    return R"({"metadata":{"name":"train","namespace":"ml"},"spec":{"nodeName":"a","containers":[{"resources":)"
           R"({"limits":{"nvidia.com/gpu":"1"}}}]},"status":{)" +
           status + "}}";
  };
  list({});
  reduce(model_, {ClusterName("c"), 1, TimePoint{}, Loaded{}});
  tell("ADDED", train(R"("phase":"Running")"));
  ASSERT_EQ(model_.clusters.front().workloads.size(), 1u);
  tell("MODIFIED", train(R"("phase":"Failed","reason":"Evicted")"));
  EXPECT_EQ(model_.clusters.front().workloads.size(), 0u);
  ASSERT_FALSE(model_.work_log.empty());
  EXPECT_EQ(model_.work_log.back().kind, Happened::failed);
  EXPECT_NE(model_.work_log.back().text.find("failed with Evicted"), std::string::npos)
      << model_.work_log.back().text;
  const std::size_t told = model_.work_log.size();
  tell("DELETED", train(R"("phase":"Failed","reason":"Evicted")"));
  EXPECT_EQ(model_.work_log.size(), told) << "it ends once";
}

}  // namespace
}  // namespace tessera::kubernetes
