// Who holds and waits for how much.
#include "engine/insight/users.hpp"

#include <gtest/gtest.h>

#include "engine/insight/held_words.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::insight {
namespace {

using test::at;

Slice used(Slice slice, float percent) {
  slice.use = Percent{percent};
  return slice;
}

// One GPU cut, one whole, one in MPS percent; n2's slices are counted by type only.
class Users : public testing::Test {
 protected:
  Users() {
    Node n1 = test::node(
        "n1", {test::gpu(0, Strategy::mig,
                         {used(test::instance("1g.10gb", 0, 1, 0), 0.2F),
                          used(test::instance("2g.20gb", 2, 2, 1), 60), test::instance("3g.40gb", 4, 4, 2)}),
               test::gpu(1, Strategy::whole, {test::whole(3)}),
               test::gpu(2, Strategy::mps, {test::shared(SliceKind::mps, 100, 4)})});
    n1.gpus[1].telemetry.use = Percent{0};
    Node n2 = test::node("n2", {});
    Slice slice = test::instance("1g.10gb", 0, 1, 0);
    slice.placement.reset();
    n2.pool = {slice};
    story.tell(ClusterSeen{Scheduler::slurm, false, "slurm 24.11", "test"});
    story.tell(NodesListed{{n1, n2}});
  }

  std::vector<UserSum> of(std::vector<Workload> work) {
    story.tell(WorkloadsListed{std::move(work)});
    return users_of(story.model, test::catalogue());
  }

  test::Story story;
};

TEST_F(Users, ASliceIsItsPartOfTheGpuAndSharesAreTheirs) {
  const auto users = of({test::running("1", "alice", {test::holds("n1", {{0}, {1}})}),
                         test::running("2", "bob", {test::holds("n1", {{3}})}),
                         test::running("3", "carol", {test::holds("n1", {{4, 25}}, Family::mps)})});
  ASSERT_EQ(users.size(), 3U);
  EXPECT_EQ(users[0].user, "bob") << "who holds most stands first";
  EXPECT_DOUBLE_EQ(users[0].gpus, 1);
  EXPECT_EQ(users[1].user, "alice");
  EXPECT_NEAR(users[1].gpus, 3.0 / 7, 1e-9);
  EXPECT_DOUBLE_EQ(users[2].gpus, 0.25);
  EXPECT_EQ(users[2].holds.begin()->first, "MPS");
}

// "1 × GPU" stood beside 0.4 GPUs, and for what each other list calls whole: Slurm's plain gpu:1 is a 3g
// where the node is cut.
TEST_F(Users, AnInstanceHeldByAJobThatNamedNoTypeIsCalledByItsProfile) {
  const auto users = of({test::running("1", "alice", {test::holds("n1", {{0}, {3}})})});
  ASSERT_EQ(users.size(), 1U);
  EXPECT_EQ(users[0].holds, (std::map<std::string, int>{{"1g.10gb", 1}, {"whole", 1}}));
  EXPECT_EQ(held_text(users[0]), "1 × whole, 1 × 1g.10gb");
}

// RUNNING counted it.
TEST_F(Users, ASuspendedJobHoldsItsGpusAndDoesNotRun) {
  Workload stopped = test::running("1", "alice", {test::holds("n1", {{3}})});
  stopped.state = WorkloadState::suspended;
  const auto users = of({stopped, test::running("2", "alice", {test::holds("n1", {{0}})})});
  ASSERT_EQ(users.size(), 1U);
  EXPECT_EQ(users[0].running, 1);
  EXPECT_EQ(users[0].suspended, 1);
  EXPECT_NEAR(users[0].gpus, 1 + 1.0 / 7, 1e-9) << "Slurm gives its GPUs to no other job";
}

// HOLDS said "8 × share" of eight GiB, and one sum was made of them and of real shares.
TEST_F(Users, GibibytesOfAGpuAreNoShares) {
  const auto pod = [](const char* id, const char* resource, int units) {
    Workload one = test::running(id, "ml", {test::holds_some("n1", "", units, Family::shard)});
    one.kind = WorkloadKind::pod;
    one.requests = {Request{resource, units}};
    return one;
  };
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "v1.33.1", "test"});
  const auto users = of({pod("ml/a", "aliyun.com/gpu-mem", 8), pod("ml/b", "nvidia.com/gpu", 2)});
  ASSERT_EQ(users.size(), 1U);
  EXPECT_EQ(users[0].holds, (std::map<std::string, int>{{"GiB", 8}, {"shard", 2}}));
  EXPECT_EQ(held_text(users[0]), "8 GiB, 2 × share");
}

TEST_F(Users, WhatIsNotKnownIsNotCountedAsNothing) {
  const auto users = of({test::running("1", "alice", {test::holds("n1", {{3}})}),
                         test::running("2", "alice", {test::holds_some("n2", "1g.10gb", 1)})});
  ASSERT_EQ(users.size(), 1U);
  EXPECT_DOUBLE_EQ(users[0].gpus, 1);
  EXPECT_EQ(users[0].unknown, 1);
  EXPECT_EQ(users[0].holds.at("1g.10gb"), 1);
}

TEST_F(Users, IdleIsCountedOnlyWhereUseIsMeasured) {
  const auto users = of({test::running("1", "alice", {test::holds("n1", {{0}, {1}, {2}})}),
                         test::running("2", "bob", {test::holds("n1", {{3}})}),
                         test::running("3", "carol", {test::holds("n1", {{4, 25}}, Family::mps)})});
  ASSERT_EQ(users.size(), 3U);
  EXPECT_EQ(users[0].measured, 1) << "the use of a whole GPU is that of its only slice";
  EXPECT_EQ(users[0].idle, 1);
  EXPECT_EQ(users[1].measured, 2);
  EXPECT_EQ(users[1].idle, 1);
  EXPECT_EQ(users[2].measured, 0);
}

TEST_F(Users, WaitingWorkCountsByWhatItAsksFor) {
  Workload big = test::waiting("2", "alice", "gpu:h100");
  big.requests[0].count = 8;
  big.account = "physics";
  const auto users = of({test::waiting("1", "alice", "gpu:1g.10gb"), big});
  ASSERT_EQ(users.size(), 1U);
  EXPECT_EQ(users[0].waiting, 2);
  EXPECT_EQ(users[0].running, 0);
  EXPECT_EQ(users[0].asks.at("gpu:h100"), 8);
  EXPECT_EQ(users[0].accounts, std::set<std::string>{"physics"});
}

// Accounts were a note at the foot of each user: what an account holds all together was to be added by hand.
TEST_F(Users, AnAccountIsTheSumOfItsUsers) {
  Workload one = test::running("1", "alice", {test::holds("n1", {{0}})});
  Workload two = test::running("2", "bob", {test::holds("n1", {{3}})});
  Workload three = test::waiting("3", "bob", "gpu:h100");
  one.account = two.account = "physics", three.account = "vision";
  of({one, two, three, test::waiting("4", "eve", "gpu:h100")});
  const auto accounts = users_of(story.model, test::catalogue(), SumBy::account);
  ASSERT_EQ(accounts.size(), 3U);
  EXPECT_EQ(accounts[0].account, "physics");
  EXPECT_EQ(accounts[0].user, "");
  EXPECT_EQ(accounts[0].users, (std::set<std::string>{"alice", "bob"}));
  EXPECT_NEAR(accounts[0].gpus, 1 + 1.0 / 7, 1e-9);
  EXPECT_EQ(accounts[0].running, 2);
  EXPECT_EQ(accounts[0].measured, 2) << "the use of both";
  EXPECT_EQ(accounts[0].idle, 2);
  EXPECT_EQ(accounts[1].account, "") << "eve's job has none, or Slurm does not tell";
  EXPECT_EQ(accounts[2].account, "vision");
  EXPECT_EQ(accounts[2].asks.at("gpu:h100"), 1);
}

TEST_F(Users, OnKubernetesANamespaceIsAnAccount) {
  story.tell(ClusterSeen{Scheduler::kubernetes, false, "v1.33.1", "test"});
  Workload pod = test::running("ml/a", "Job/a", {test::holds("n1", {{3}})});
  pod.kind = WorkloadKind::pod, pod.group = "ml";
  of({pod});
  const auto accounts = users_of(story.model, test::catalogue(), SumBy::account);
  ASSERT_EQ(accounts.size(), 1U);
  EXPECT_EQ(accounts[0].account, "ml");
}

TEST_F(Users, WhoNeitherHoldsNorWaitsForAGpuIsLeftOut) {
  Workload cpu_only = test::waiting("1", "alice", "x");
  cpu_only.requests.clear();
  Workload ended = test::running("2", "bob", {test::holds("n1", {{3}})});
  ended.state = WorkloadState::ended;
  EXPECT_TRUE(of({cpu_only, ended}).empty());
}

// The same name in two clusters may be two people.
TEST_F(Users, OneOfTwoClustersIsAnotherUser) {
  of({test::running("1", "alice", {test::holds("n1", {{3}})})});
  reduce(story.model,
         Event{ClusterName("lab"), 0, at(0),
               NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}}});
  reduce(story.model, Event{ClusterName("lab"), 0, at(0),
                            WorkloadsListed{{test::running("1", "alice", {test::holds("n1", {{0}})})}}});
  EXPECT_EQ(users_of(story.model, test::catalogue()).size(), 2U);
}

}  // namespace
}  // namespace tessera::insight
