#include "backends/mailbox.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <thread>

#include "tests/support/patience.hpp"

namespace tessera {
namespace {

Event about_node(const char* name, int cpus = 0) {
  Node node;
  node.name = NodeName(name);
  node.cpus = cpus;
  return {ClusterName("lab"), 1, {}, NodeSeen{node}};
}

Event node_list(std::vector<std::string> names) {
  NodesListed list;
  for (std::string& name : names) {
    list.nodes.emplace_back();
    list.nodes.back().name = NodeName(std::move(name));
  }
  return {ClusterName("lab"), 1, {}, list};
}

bool readable(const Mailbox& mailbox, int patience_ms = 0) {
  pollfd wait{mailbox.wake_fd(), POLLIN, 0};
  return ::poll(&wait, 1, patience_ms) == 1;
}

TEST(Mailbox, WakesTheReaderOnceForManyEvents) {
  Mailbox mailbox;
  EXPECT_FALSE(readable(mailbox));
  mailbox.post(about_node("gpu01"));
  mailbox.post(about_node("gpu02"));
  EXPECT_TRUE(readable(mailbox));
  EXPECT_EQ(mailbox.take().size(), 2u);
  EXPECT_FALSE(readable(mailbox));
  EXPECT_TRUE(mailbox.take().empty());
}

TEST(Mailbox, KeepsOnlyTheLatestNewsOfAnObjectAtItsOldPlace) {
  Mailbox mailbox;
  mailbox.post(about_node("gpu01", 1));
  mailbox.post(about_node("gpu02", 2));
  mailbox.post(about_node("gpu01", 3));
  std::vector<Event> events = mailbox.take();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(std::get<NodeSeen>(events[0].what).node.cpus, 3);
  EXPECT_EQ(std::get<NodeSeen>(events[1].what).node.cpus, 2);
}

TEST(Mailbox, GoneAfterSeenIsGone) {
  Mailbox mailbox;
  mailbox.post(about_node("gpu01"));
  mailbox.post({ClusterName("lab"), 1, {}, NodeGone{NodeName("gpu01")}});
  std::vector<Event> events = mailbox.take();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<NodeGone>(events[0].what));
}

TEST(Mailbox, AListOutdatesSingleNodesButNotLaterOnes) {
  Mailbox mailbox;
  mailbox.post(node_list({"a"}));
  mailbox.post(about_node("a", 1));
  mailbox.post(node_list({"a", "b"}));
  mailbox.post(about_node("b", 7));
  std::vector<Event> events = mailbox.take();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(std::get<NodesListed>(events[0].what).nodes.size(), 2u);
  EXPECT_EQ(std::get<NodeSeen>(events[1].what).node.cpus, 7);
}

TEST(Mailbox, ClustersGenerationsAndSourcesAreApart) {
  Mailbox mailbox;
  Event other = about_node("gpu01");
  other.cluster = ClusterName("train");
  Event restarted = about_node("gpu01");
  restarted.generation = 2;
  mailbox.post(about_node("gpu01"));
  mailbox.post(other);
  mailbox.post(restarted);
  mailbox.post({ClusterName("lab"), 1, {}, SourceReport{Source::slurm_nodes, {}, Duration(1)}});
  mailbox.post({ClusterName("lab"), 1, {}, SourceReport{Source::slurm_jobs, {}, Duration(1)}});
  mailbox.post({ClusterName("lab"), 1, {}, SourceReport{Source::slurm_jobs, {}, Duration(2)}});
  mailbox.post({ClusterName("lab"), 1, {}, Loaded{}});
  mailbox.post({ClusterName("lab"), 1, {}, PaceReport{}});
  EXPECT_EQ(mailbox.take().size(), 7u);
}

// Newer figures of one source take the place of its older ones, beside those of another source and the node.
TEST(Mailbox, FiguresReplaceThoseOfTheirOwnSourceOnly) {
  Mailbox mailbox;
  const auto measured = [](Source source, int index) {
    Measured told{NodeName("gpu01"), source, {}, {}};
    told.gpus.push_back({GpuIndex{index}, "", {}, {}});
    return Event{ClusterName("lab"), 1, {}, told};
  };
  mailbox.post(measured(Source::dcgm, 1));
  mailbox.post(measured(Source::nvidia_smi, 2));
  mailbox.post(about_node("gpu01"));
  mailbox.post(measured(Source::dcgm, 3));
  mailbox.post(node_list({"gpu01"}));
  const std::vector<Event> events = mailbox.take();
  ASSERT_EQ(events.size(), 3u) << "a list of nodes takes no figures away";
  EXPECT_EQ(std::get<Measured>(events[0].what).gpus[0].gpu, GpuIndex{3});
  EXPECT_EQ(std::get<Measured>(events[1].what).source, Source::nvidia_smi);
}

TEST(Mailbox, BeyondTheBoundSingleNewsIsDroppedAndCountedButListsStay) {
  Mailbox mailbox(2);
  mailbox.post(about_node("a"));
  mailbox.post(about_node("b"));
  auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < 10'000; ++i) mailbox.post(about_node(("c" + std::to_string(i)).c_str()));
  // Only the first of them waits: a reader that is away does not hold up its producers again and again.
  EXPECT_LT(std::chrono::steady_clock::now() - started, test::kPatience);
  mailbox.post(about_node("a", 5));
  mailbox.post({ClusterName("lab"), 1, {}, NodeGone{NodeName("z")}});
  mailbox.post({ClusterName("lab"), 1, {}, WorkloadsListed{}});
  EXPECT_EQ(mailbox.dropped(), 10'000u);
  std::vector<Event> events = mailbox.take();
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(std::get<NodeSeen>(events[0].what).node.cpus, 5);
  mailbox.post(about_node("d"));
  EXPECT_EQ(mailbox.take().size(), 1u);
}

TEST(Mailbox, AProducerAtTheBoundGoesOnWhenTheReaderComes) {
  Mailbox mailbox(1);
  std::size_t got = 0;
  std::thread producer([&] {
    for (int i = 0; i < 200; ++i) mailbox.post(about_node(("n" + std::to_string(i)).c_str()));
    mailbox.post({ClusterName("lab"), 1, {}, Loaded{}});
  });
  bool loaded = false;
  while (!loaded && readable(mailbox, 10000)) {
    for (const Event& event : mailbox.take()) {
      loaded |= std::holds_alternative<Loaded>(event.what);
      got += std::holds_alternative<NodeSeen>(event.what);
    }
  }
  producer.join();
  EXPECT_TRUE(loaded);
  EXPECT_EQ(got + mailbox.dropped(), 200u);
}

TEST(Mailbox, ManyProducersLoseNothingAndEndWithTheirLastWord) {
  constexpr int kProducers = 8, kRounds = 500, kNodes = 5;
  Mailbox mailbox;
  std::atomic<int> running{kProducers};
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&, p] {
      for (int round = 1; round <= kRounds; ++round)
        for (int n = 0; n < kNodes; ++n)
          mailbox.post(about_node((std::to_string(p) + "-" + std::to_string(n)).c_str(), round));
      --running;
      mailbox.post({ClusterName("lab"), static_cast<std::uint64_t>(p) + 2, {}, Loaded{}});
    });
  }
  std::map<std::string, int> last;
  int ended = 0;
  while (ended < kProducers) {
    ASSERT_TRUE(readable(mailbox, 20000));
    for (Event& event : mailbox.take()) {
      if (auto* seen = std::get_if<NodeSeen>(&event.what)) {
        int& before = last[seen->node.name.text];
        EXPECT_LE(before, *seen->node.cpus);
        before = *seen->node.cpus;
      } else {
        ++ended;
      }
    }
  }
  for (std::thread& producer : producers) producer.join();
  ASSERT_EQ(last.size(), static_cast<std::size_t>(kProducers * kNodes));
  for (const auto& [name, round] : last) EXPECT_EQ(round, kRounds) << name;
  EXPECT_EQ(mailbox.dropped(), 0u);
}

}  // namespace
}  // namespace tessera
