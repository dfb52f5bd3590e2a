// Many events at once: what comes of them is what comes of them one by one, whatever they are about.
#include "engine/model/reduce_all.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "tests/support/build.hpp"

namespace tessera::test::at_once {
namespace {

Node plain(int number) { return node("n" + std::to_string(number), {gpu(0, Strategy::whole, {whole(0)})}); }

Workload job(int number, int on) {
  return running(std::to_string(number), "alice", {holds("n" + std::to_string(on), {{0, 1}})});
}

std::string told_by(const Model& model) {
  std::string all;
  for (const auto* log : {&model.log, &model.work_log})
    for (const LogEntry& entry : *log)
      all += std::to_string(entry.number) + " " + std::to_string((entry.at - at(0)).count()) + " " +
             entry.subject + ": " + entry.text + "\n";
  return all;
}

decltype(Event::what) anything() {
  const int number = *rc::gen::inRange(0, 4), other = *rc::gen::inRange(0, 4);
  switch (*rc::gen::inRange(0, 9)) {
    case 0: return NodesListed{{plain(number), plain((number + 1) % 4)}};
    case 1: return NodeGone{NodeName("n" + std::to_string(number))};
    case 2: return WorkloadsListed{{job(number, other), job(number + 4, number)}};
    case 3: return WorkloadGone{WorkloadId(std::to_string(number))};
    case 4: {
      Node drained = plain(number);
      drained.health = Health::drained;
      return NodeSeen{std::move(drained)};
    }
    case 5: return NodeSeen{plain(number)};
    case 6: return Loaded{};
    default: return WorkloadSeen{job(number, other)};
  }
}

// A node that goes and comes back among them, and jobs that move meanwhile: who is where is seen at the end.
RC_GTEST_PROP(ReduceAll, ComesToWhatTheSameEventsComeToOneByOne, ()) {
  const int count = *rc::gen::inRange(1, 40);
  Model one_by_one, at_once;
  std::vector<Event> events;
  for (int i = 0; i < count; ++i) {
    events.push_back({ClusterName("hpc"), 0, at(i), anything()});
    reduce(one_by_one, events.back());
  }
  const std::size_t half = *rc::gen::inRange(0, count);
  reduce_all(at_once, std::span(events).first(half));
  reduce_all(at_once, std::span(events).subspan(half));
  const Cluster &is = at_once.clusters.front(), &must = one_by_one.clusters.front();
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  std::vector<Node> nodes = is.nodes.copies(), expected = must.nodes.copies();
  std::sort(nodes.begin(), nodes.end(), by_name), std::sort(expected.begin(), expected.end(), by_name);
  RC_ASSERT(nodes == expected);
  RC_ASSERT(is.workloads.all().size() == must.workloads.all().size());
  for (const Workload& work : must.workloads.all()) RC_ASSERT(*is.workloads.find(work.id) == work);
  RC_ASSERT(told_by(at_once) == told_by(one_by_one));
}

TEST(ReduceAll, EventsOfTwoClustersAndOfAnEarlierGenerationStayApart) {
  Model model;
  const auto of = [](const char* cluster, std::uint64_t generation, decltype(Event::what) what) {
    return Event{ClusterName(cluster), generation, at(0), std::move(what)};
  };
  std::vector<Event> events;
  events.push_back(of("a", 2, NodesListed{{plain(1)}}));
  events.push_back(of("b", 1, NodesListed{{plain(2)}}));
  events.push_back(of("a", 1, NodesListed{}));
  events.push_back(of("a", 2, WorkloadsListed{{job(1, 1)}}));
  const Changes changes = reduce_all(model, events);
  ASSERT_EQ(model.clusters.size(), 2U);
  EXPECT_EQ(model.find(ClusterName("a"))->nodes.all().front().workloads, std::vector{WorkloadId("1")});
  EXPECT_NE(model.find(ClusterName("b"))->nodes.find(NodeName("n2")), nullptr);
  EXPECT_EQ(changes.nodes.size(), 3U) << "n1 came, n2 came, and n1 is held";
  EXPECT_FALSE(reduce_all(model, {}).any());
}

}  // namespace
}  // namespace tessera::test::at_once
