// Runs of a fleet file: by what they are called, and those of them that are left to a person.
#include "engine/fleet/run_words.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/left_run.hpp"
#include "tests/support/build.hpp"

namespace tessera::fleet {
namespace {

RunHead run_called(const std::string& words) {
  RunHead head;
  head.run = "r1", head.words = words, head.cluster = ClusterName("hpc");
  return head;
}

TEST(FleetRunWords, ARunNamesItsFileAndItsWindow) {
  const TimePoint night = test::at(0);
  const RunHead head = run_called(words_of(OfWindow{"/etc/a says from b.yaml", night}));
  ASSERT_TRUE(window_of(head));
  EXPECT_EQ(window_of(head)->file, "/etc/a says from b.yaml");
  EXPECT_EQ(window_of(head)->from, night);
  EXPECT_EQ(file_of(run_called(words_of(std::string("f.yaml")))), "f.yaml");
  EXPECT_FALSE(window_of(run_called("as f.yaml says")));
  EXPECT_FALSE(file_of(run_called("as f.yaml said")));
}

TEST(FleetRunWords, FilesOfOneNameAreToldApartWhereBothAreWhole) {
  EXPECT_TRUE(may_be_of(run_called("as /a/f.yaml says"), "/a/f.yaml"));
  EXPECT_FALSE(may_be_of(run_called("as /b/f.yaml says"), "/a/f.yaml"));
  EXPECT_TRUE(may_be_of(run_called("as f.yaml says"), "/a/f.yaml")) << "of an earlier version";
  EXPECT_TRUE(may_be_of(run_called("as /b/f.yaml says"), "f.yaml"));
  EXPECT_FALSE(may_be_of(run_called("layout none"), "f.yaml"));
}

TEST(FleetRunWords, RunsThatAreLeftAreNamedWithTheirNodesThatAreClosedNow) {
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  Node closed = test::node("n1", {});
  closed.state = {"IDLE", "DRAIN"};
  closed.reason = "tessera r1 root@login1";
  cluster.nodes.upsert(closed);
  cluster.nodes.upsert(test::node("n2", {}));
  RunHead killed = run_called("as f.yaml says");
  killed.state = RunState::interrupted, killed.nodes = {NodeName("n1"), NodeName("n2")};
  RunHead newer = killed, elsewhere = killed, passed_over = killed;
  newer.run = "r2", newer.state = RunState::finished;
  elsewhere.run = "r3", elsewhere.cluster = ClusterName("prod");
  passed_over.run = "r4";
  const auto left = left_runs({newer, killed, elsewhere, passed_over}, {&cluster},
                              [](const RunHead& head) { return head.run != "r4"; });
  ASSERT_EQ(left.size(), 1u) << "the newer run on its nodes hides nothing";
  EXPECT_EQ(left[0].head.run, "r1");
  EXPECT_EQ(left[0].closed, std::vector<NodeName>{NodeName("n1")});
}

// It was said to be closed by the run, and that its way back opens it.
TEST(FleetRunWords, WhatAnotherHasClosedIsNotSaidToBeClosedByTheRunThatIsLeft) {
  Cluster cluster;
  cluster.name = ClusterName("hpc");
  RunHead parked = run_called("as f.yaml says");
  parked.state = RunState::parked, parked.nodes = {NodeName("n1")};
  for (const char* reason : {"RMA 4711", "", "tessera r9 eve@login1"}) {
    Node closed = test::node("n1", {});
    closed.state = {"IDLE", "DRAIN"}, closed.reason = reason;
    cluster.nodes.upsert(closed);
    const auto left = left_runs({parked}, {&cluster}, [](const RunHead&) { return true; });
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].closed, std::vector<NodeName>{}) << reason;
    EXPECT_EQ(left_sentence(left[0]).find("--back"), std::string::npos) << left_sentence(left[0]);
  }
}

}  // namespace
}  // namespace tessera::fleet
