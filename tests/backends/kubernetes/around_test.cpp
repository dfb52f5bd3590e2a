// What stands around nodes and pods: budgets that keep pods from being evicted, and events of nodes.
#include <gtest/gtest.h>

#include "backends/kubernetes/objects/budgets.hpp"
#include "backends/kubernetes/objects/node_events.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "engine/time.hpp"
#include "tests/backends/kubernetes/texts.hpp"

namespace tessera::kubernetes {
namespace {

BudgetObject budget_of(const std::string& name, const std::string& selector, const std::string& status,
                       const std::string& api = "policy/v1") {
  Parser parser;
  auto read = parser.object<BudgetObject>(R"({"apiVersion":")" + api + R"(","metadata":{"name":")" + name +
                                          R"(","namespace":"search"},"spec":{"selector":)" + selector +
                                          R"(},"status":)" + status + "}");
  EXPECT_TRUE(read) << to_line(read.error());
  return read ? *read : BudgetObject{};
}
PodObject searcher(const std::string& labels, const std::string& ns = "search") {
  Parser parser;
  auto read = parser.object<PodObject>(R"({"metadata":{"name":"spell-1","namespace":")" + ns +
                                       R"(","labels":)" + labels + R"(},"spec":{"nodeName":"n1"}})");
  EXPECT_TRUE(read) << to_line(read.error());
  return read ? *read : PodObject{};
}
constexpr const char* kNone = R"({"disruptionsAllowed":0,"currentHealthy":2,"desiredHealthy":2})";
constexpr const char* kSome = R"({"disruptionsAllowed":1,"currentHealthy":3,"desiredHealthy":2})";

std::string why_kept(const std::vector<BudgetObject>& budgets, const PodObject& pod) {
  Budgets all;
  for (const BudgetObject& one : budgets) all.keep(one);
  return all.why_kept(pod);
}

TEST(KubernetesBudgets, ABudgetThatAllowsNothingKeepsThePodsThatItCovers) {
  BudgetObject strict = budget_of("spell-pdb", R"({"matchLabels":{"app.example.org/role":"spell"}})", kNone);
  PodObject covered = searcher(R"({"app.example.org/role":"spell","x":"y"})");
  EXPECT_EQ(why_kept({strict}, covered), "budget spell-pdb allows no disruption now: 2 healthy, 2 needed");
  EXPECT_EQ(why_kept({strict}, searcher(R"({"app.example.org/role":"other"})")), "");
  EXPECT_EQ(why_kept({strict}, searcher(R"({"app.example.org/role":"spell"})", "elsewhere")), "");
  EXPECT_EQ(why_kept({strict}, searcher(R"({"app.example.org/role":"spell"})", "sear")), "");
  BudgetObject open = budget_of("spell-pdb", R"({"matchLabels":{"app.example.org/role":"spell"}})", kSome);
  EXPECT_EQ(why_kept({open}, covered), "");
  BudgetObject fresh = budget_of("new", R"({"matchLabels":{"x":"y"}})", "{}");
  EXPECT_EQ(why_kept({fresh}, covered), "budget new has not been worked out yet");
}

TEST(KubernetesBudgets, TheApiEvictsNoPodThatTwoBudgetsCover) {
  BudgetObject one = budget_of("a", R"({"matchLabels":{"x":"y"}})", kSome);
  BudgetObject two = budget_of("b", R"({"matchExpressions":[{"key":"x","operator":"Exists"}]})", kSome);
  EXPECT_EQ(why_kept({one, two}, searcher(R"({"x":"y"})")),
            "budgets a and b cover it, and the API evicts no pod that has two");
}

TEST(KubernetesBudgets, AnEmptySelectorCoversAllInV1AndNoneBefore) {
  PodObject pod = searcher("{}");
  EXPECT_NE(why_kept({budget_of("all", "{}", kNone)}, pod), "");
  EXPECT_EQ(why_kept({budget_of("all", "{}", kNone, "policy/v1beta1")}, pod), "");
  BudgetObject none = budget_of("none", "{}", kNone);
  none.selector.reset();
  EXPECT_EQ(why_kept({none}, pod), "");
  // In a list only the list itself says which version it is.
  BudgetObject listed = budget_of("all", "{}", kNone, "");
  Budgets old, now;
  old.keep(listed, "policy/v1beta1");
  now.keep(listed, "policy/v1");
  EXPECT_EQ(old.why_kept(pod), "");
  EXPECT_NE(now.why_kept(pod), "");
}

TEST(KubernetesBudgets, ExpressionsAreJudgedAsTheApiDoes) {
  auto covers = [](const std::string& demand, const std::string& labels) {
    BudgetObject one = budget_of("b", R"({"matchExpressions":[)" + demand + "]}", kNone);
    return !why_kept({one}, searcher(labels)).empty();
  };
  const std::string in = R"({"key":"tier","operator":"In","values":["a","b"]})";
  EXPECT_TRUE(covers(in, R"({"tier":"b"})"));
  EXPECT_FALSE(covers(in, R"({"tier":"c"})"));
  EXPECT_FALSE(covers(in, "{}"));
  const std::string not_in = R"({"key":"tier","operator":"NotIn","values":["a"]})";
  EXPECT_FALSE(covers(not_in, R"({"tier":"a"})"));
  EXPECT_TRUE(covers(not_in, "{}"));
  EXPECT_TRUE(covers(R"({"key":"tier","operator":"DoesNotExist"})", "{}"));
  EXPECT_FALSE(covers(R"({"key":"tier","operator":"Resembles"})", R"({"tier":"a"})")) << "no such word";
}

EventObject event_of(const std::string& name, const std::string& node, const std::string& more) {
  Parser parser;
  auto read = parser.object<EventObject>(
      R"({"metadata":{"name":")" + name +
      R"(","namespace":"default"},"involvedObject":{"kind":"Node","name":")" + node + "\"}," + more + "}");
  EXPECT_TRUE(read) << to_line(read.error());
  return read ? *read : EventObject{};
}
std::vector<Remark> remarks_of(const NodeEvents& events) {
  return events.remarks([](const std::string& node) { return node != "cpu"; });
}

TEST(KubernetesEvents, WhatHappenedToANodeIsTold) {
  NodeEvents events;
  events.keep(
      event_of("e1", "n1",
               R"("type":"Warning","reason":"Rebooted","message":"Node n1 has been rebooted\u001b[2J",)"
               R"("count":3,"lastTimestamp":"2026-11-21T02:43:30Z","source":{"component":"kubelet"})"));
  auto told = remarks_of(events);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].subject, "n1");
  EXPECT_TRUE(told[0].is_node);
  EXPECT_EQ(told[0].grade, Remark::Grade::info);
  EXPECT_TRUE(told[0].text.starts_with("02:43 UTC Rebooted: Node n1 has been rebooted")) << told[0].text;
  EXPECT_TRUE(told[0].text.ends_with("(3 times)")) << told[0].text;
  EXPECT_EQ(told[0].text.find('\x1b'), std::string::npos);
  EXPECT_EQ(told[0].hint, "reported by kubelet");
  EXPECT_EQ(told[0].since, std::nullopt) << "when it came first is not told";
  EXPECT_EQ(told[0].seen, parse_utc("2026-11-21T02:43:30Z"));
}

TEST(KubernetesEvents, SinceWhenIsToldByTheClockOfTheConsole) {
  NodeEvents events;
  events.keep(event_of("e1", "n1",
                       R"("type":"Warning","reason":"SystemOOM","count":3,)"
                       R"("firstTimestamp":"2026-11-21T02:40:00Z","lastTimestamp":"2026-11-21T02:43:30Z")"));
  events.keep(
      event_of("e2", "n2", R"("type":"Warning","reason":"Rebooted","lastTimestamp":"2026-11-21T02:43:20Z")"));
  const auto told = events.remarks([](const std::string&) { return true; }, std::chrono::seconds(20));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].since, parse_utc("2026-11-21T02:39:40Z")) << "it went on until 02:43:30";
  EXPECT_EQ(told[1].since, parse_utc("2026-11-21T02:43:00Z"));
}

TEST(KubernetesEvents, TheNewerFormIsReadToo) {
  EventObject event = event_of(
      "e1", "n1",
      R"("type":"Warning","reason":"SystemOOM","eventTime":"2026-11-21T02:00:00.123456Z","reportingComponent":)"
      R"("kubelet","series":{"count":7,"lastObservedTime":"2026-11-21T02:10:00.000000Z"})");
  EXPECT_EQ(event.count, 7);
  EXPECT_EQ(event.from, "kubelet");
  EXPECT_EQ(event.last, parse_utc("2026-11-21T02:10:00Z"));
}

TEST(KubernetesEvents, TheNewestAreShownAndOnlyThoseWorthIt) {
  NodeEvents events;
  for (int i = 0; i < 5; ++i)
    events.keep(event_of("w" + std::to_string(i), "n1",
                         R"("type":"Warning","reason":"R)" + std::to_string(i) +
                             R"(","lastTimestamp":"2026-11-21T02:0)" + std::to_string(i) + ":00Z\""));
  events.keep(event_of("x", "n1", R"("type":"Normal","reason":"Starting")"));
  events.keep(event_of("y", "n2", R"("type":"Normal","reason":"NodeNotReady")"));
  events.keep(event_of("z", "cpu", R"("type":"Warning","reason":"SystemOOM")"));
  auto told = remarks_of(events);
  ASSERT_EQ(told.size(), 4u);
  EXPECT_NE(told[0].text.find("R4"), std::string::npos);
  EXPECT_NE(told[2].text.find("R2"), std::string::npos);
  EXPECT_EQ(told[3].subject, "n2");
  events.drop("default/w4");
  EXPECT_NE(remarks_of(events)[0].text.find("R3"), std::string::npos);
}

}  // namespace
}  // namespace tessera::kubernetes
