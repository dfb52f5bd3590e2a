// Which nodes to re-cut: answers along the trade-off, and what is told where there is none.
#include "engine/advise/advise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "engine/advise/limits_text.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::advise {
namespace {

using namespace std::chrono_literals;
using test::at;

class Advise : public testing::Test {
 protected:
  // A node of GPUs that are not cut.
  void node(const std::string& name, int gpus) {
    std::vector<Gpu> all;
    for (int i = 0; i < gpus; ++i) {
      all.push_back(test::gpu(i, Strategy::whole, {test::whole(i)}));
      all.back().mig_mode = MigMode::disabled;
    }
    nodes_.push_back(test::node(name, std::move(all)));
  }
  // A node of GPUs that are cut into two 3g.40gb each, on which nothing runs.
  void cut(const std::string& name, int gpus) {
    std::vector<Gpu> all;
    for (int i = 0; i < gpus; ++i)
      all.push_back(
          test::gpu(i, Strategy::mig,
                    {test::instance("3g.40gb", 0, 4, 2 * i), test::instance("3g.40gb", 4, 4, 2 * i + 1)}));
    nodes_.push_back(test::node(name, std::move(all)));
  }
  // A job on that whole GPU, which ends in so many hours; 0: it has no time limit.
  void runs(const std::string& id, const std::string& node, int device, int hours) {
    Workload job = test::running(id, "alice", {test::holds(node, {{device, 1}})});
    job.requests = {{"gpu:h100", 1}};
    if (hours > 0) job.ends = at(hours * 3600);
    jobs_.push_back(job);
  }
  void wait(int count, const std::string& resource, Duration limit = 48h) {
    for (int i = 0; i < count; ++i) {
      Workload job = test::waiting(std::to_string(100 + jobs_.size()), "bob", resource);
      job.node_count = 1;
      job.submitted = at(-600 + static_cast<int>(jobs_.size()));
      job.limit = limit;
      jobs_.push_back(job);
    }
  }
  const Cluster& cluster() {
    if (story_.model.find(ClusterName("hpc"))) return story_.cluster();
    story_.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
    story_.tell(NodesListed{nodes_});
    story_.tell(WorkloadsListed{jobs_});
    story_.tell(Loaded{});
    story_.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    story_.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
    return story_.cluster();
  }
  // A node must be free of work for a change, as on a real Slurm.
  static plan::Capabilities can() {
    plan::Capabilities can = plan::simulator_capabilities();
    can.instances = can.mode = can.sharing = plan::Unit::node;
    return can;
  }
  Question question() {
    Question asked{&cluster(), &test::catalogue(), can(), {}, {}, "", at(0), 24h};
    for (const Node& node : cluster().nodes.all()) asked.nodes.push_back(node.name);
    return asked;
  }

  std::vector<Node> nodes_;
  std::vector<Workload> jobs_;
  test::Story story_;
};

TEST_F(Advise, AFreeNodeIsRecutForWhatWaits) {
  node("n1", 1), node("n2", 1);
  runs("1", "n1", 0, 2);
  wait(2, "gpu:3g.40gb");
  const Advice advice = advise(question());
  ASSERT_EQ(advice.answers.size(), 1u);
  const Answer& answer = advice.answers.front();
  EXPECT_EQ(answer.nodes, std::vector<NodeName>{NodeName("n2")});
  EXPECT_EQ(answer.disturbed, 0);
  EXPECT_EQ(answer.forecast.sooner.size(), 2u);
  EXPECT_NEAR(answer.hours_sooner, 2 * (24 - 5.0 / 60), 0.01);
  ASSERT_EQ(answer.offers.size(), 2u);
  EXPECT_EQ(answer.offers[0].profile, "3g.40gb");
  EXPECT_EQ(answer.offers[0].after, 2);
  EXPECT_EQ(answer.offers[1].profile, "whole");
  EXPECT_EQ(answer.offers[1].before, 2);
  EXPECT_EQ(answer.offers[1].after, 1);
}

// Their demand was summed over both: where a slice for the one was cut on the nodes of the other, it was said
// that no change helps.
TEST_F(Advise, JobsOfTwoPartitionsAreAdvisedEachOnTheirOwnNodes) {
  node("n1", 1), node("n2", 1);
  nodes_[0].partitions = {"long"}, nodes_[1].partitions = {"short"};
  wait(2, "gpu:7g.80gb");
  for (Workload& job : jobs_) job.group = "long";
  wait(2, "gpu:3g.40gb");
  jobs_[2].group = jobs_[3].group = "short";
  const Advice advice = advise(question());
  EXPECT_TRUE(std::any_of(advice.answers.begin(), advice.answers.end(), [](const Answer& one) {
    const bool short_too = std::find(one.nodes.begin(), one.nodes.end(), NodeName("n2")) != one.nodes.end();
    return short_too && one.forecast.sooner.size() >= 2;
  }));
}

TEST_F(Advise, WhatWaitingForRunningWorkServesBeyondFreeNodesIsAnAnswerOfItsOwn) {
  node("n1", 2), node("n2", 1);
  runs("1", "n1", 0, 2);
  wait(4, "gpu:3g.40gb");
  const Advice advice = advise(question());
  ASSERT_GE(advice.answers.size(), 2u);
  const Answer &first = advice.answers.front(), &last = advice.answers.back();
  EXPECT_EQ(first.disturbed, 0);
  EXPECT_EQ(first.forecast.sooner.size(), 2u);
  EXPECT_EQ(last.disturbed, 1);
  EXPECT_EQ(last.forecast.sooner.size(), 4u);
  const NodeCost& cost = last.costs.front();
  EXPECT_EQ(cost.node, NodeName("n1"));
  EXPECT_TRUE(cost.closed);
  EXPECT_EQ(cost.until, at(2 * 3600));
}

// The command that is printed names nothing but these two.
TEST_F(Advise, ThePackingPlannerMakesTheSamePlanOfDemandAndNodes) {
  node("n1", 4), node("n2", 2), node("n3", 1);
  runs("1", "n1", 0, 2), runs("2", "n1", 1, 3), runs("3", "n2", 0, 30);
  wait(5, "gpu:3g.40gb"), wait(6, "gpu:1g.10gb"), wait(2, "gpu:7g.80gb");
  const Advice advice = advise(question());
  ASSERT_GE(advice.answers.size(), 2u);
  for (const Answer& answer : advice.answers) {
    pack::Problem problem =
        pack::problem_of(cluster(), answer.nodes, test::catalogue(), can(),
                         answer.ends_within ? std::optional(at(0) + *answer.ends_within) : std::nullopt)
            .problem;
    auto demand = pack::read_demand(words_of(answer), problem, test::catalogue());
    ASSERT_TRUE(demand);
    problem.demand = *demand;
    const auto packed = pack::pack(problem);
    ASSERT_TRUE(packed);
    EXPECT_TRUE(packed->met());
    EXPECT_EQ(pack::intent_text(problem, *packed), pack::intent_text(answer.problem, answer.packed));
  }
}

TEST_F(Advise, AGpuThatIsHeldIsRecutOnceItsJobReachesItsTimeLimit) {
  node("n1", 1);
  runs("1", "n1", 0, 2);
  wait(2, "gpu:3g.40gb");
  const Advice advice = advise(question());
  ASSERT_EQ(advice.answers.size(), 1u);
  const Answer& answer = advice.answers.front();
  EXPECT_EQ(answer.ends_within, Duration(6h)) << "the shorter time suffices";
  EXPECT_EQ(answer.disturbed, 1);
  EXPECT_EQ(answer.costs.front().until, at(2 * 3600));
  EXPECT_EQ(answer.forecast.changed.changed, at(2 * 3600 + 300));
  EXPECT_EQ(answer.forecast.sooner.size(), 2u);
}

TEST_F(Advise, NoAnswerIsAtLeastAsGoodAsAnotherInEveryFigure) {
  node("n1", 4), node("n2", 2), node("n3", 1), node("n4", 1);
  runs("1", "n1", 0, 2), runs("2", "n1", 1, 3), runs("3", "n2", 0, 30);
  wait(6, "gpu:3g.40gb"), wait(9, "gpu:1g.10gb"), wait(2, "gpu:7g.80gb");
  const Advice advice = advise(question());
  ASSERT_GE(advice.answers.size(), 2u);
  for (const Answer& a : advice.answers)
    for (const Answer& b : advice.answers)
      if (&a != &b)
        EXPECT_FALSE(a.forecast.sooner.size() >= b.forecast.sooner.size() &&
                     a.hours_sooner >= b.hours_sooner && a.costs.size() <= b.costs.size() &&
                     a.disturbed <= b.disturbed && a.forecast.later.size() <= b.forecast.later.size());
  EXPECT_EQ(advice.dropped, advice.tried - static_cast<int>(advice.answers.size()));
}

TEST_F(Advise, ACutGpuOnWhichNothingRunsIsMadeWholeForAJobThatAsksForOne) {
  cut("n1", 2), node("n2", 1);
  runs("1", "n2", 0, 0);
  wait(1, "gpu:h100");
  const Advice advice = advise(question());
  ASSERT_EQ(advice.answers.size(), 1u);
  const Answer& answer = advice.answers.front();
  EXPECT_EQ(words_of(answer), std::vector<std::string>{"whole=1"});
  ASSERT_EQ(answer.packed.boards.size(), 1u);
  EXPECT_TRUE(answer.packed.boards.front().to_whole);
  EXPECT_EQ(answer.forecast.sooner.size(), 1u);
  EXPECT_EQ(answer.offers.back().profile, "whole");
  EXPECT_EQ(answer.offers.back().after, answer.offers.back().before + 1);
}

TEST_F(Advise, OfSeveralProductsWholeGpusAreAskedForOfTheirs) {
  cut("n1", 2), node("n2", 1), cut("n3", 1);
  runs("1", "n2", 0, 0);
  for (Gpu& gpu : nodes_.back().gpus) gpu.product = ProductKey("A100-80GB"), gpu.model = "a100";
  wait(1, "gpu:h100");
  const Advice advice = advise(question());
  ASSERT_EQ(advice.answers.size(), 1u);
  EXPECT_EQ(words_of(advice.answers.front()), std::vector<std::string>{"H100-80GB-SXM5:whole=1"});
  EXPECT_EQ(pack_command(advice.answers.front()), "tessera pack H100-80GB-SXM5:whole=1 --node n1");
}

TEST_F(Advise, AWholeGpuForWhichAJobWaitsIsNotCutForASlice) {
  node("n1", 2), cut("n2", 1);
  runs("1", "n1", 0, 2);
  wait(2, "gpu:7g.80gb", 2h), wait(1, "gpu:h100");
  for (const Answer& answer : advise(question()).answers)
    EXPECT_EQ(answer.forecast.later.size(), 0u) << pack_command(answer);
}

// It asks for more whole GPUs on one node than any has: nothing is planned for it, and that is told.
TEST_F(Advise, AJobThatNoPlanServesTakesNothingFromTheSlices) {
  cut("n1", 1), node("n2", 2);
  runs("1", "n2", 0, 0), runs("2", "n2", 1, 0);
  wait(1, "gpu:7g.80gb"), wait(1, "gpu:h100");
  jobs_.back().requests = {{"gpu:h100", 40}};
  const Advice advice = advise(question());
  ASSERT_EQ(advice.answers.size(), 1u);
  EXPECT_EQ(words_of(advice.answers.front()), std::vector<std::string>{"7g.80gb=1"});
  EXPECT_EQ(advice.answers.front().forecast.sooner.size(), 1u);
  EXPECT_EQ(advice.reasons, std::vector<std::string>{}) << "the slice is served";
  EXPECT_EQ(advice.queue.workloads, 1);
  ASSERT_EQ(advice.queue.no_node.size(), 1u);
  EXPECT_EQ(advice.queue.no_node.front().request, "40 × gpu:h100");
}

TEST_F(Advise, WhereNoNodeCouldServeWhatWaitsThatIsTheReason) {
  cut("n1", 2);
  wait(1, "gpu:h100");
  jobs_.back().requests = {{"gpu:h100", 4}};
  const Advice advice = advise(question());
  EXPECT_TRUE(advice.answers.empty()) << "both GPUs were made whole for it";
  EXPECT_EQ(advice.reasons, std::vector<std::string>{"no node could give at once what waits asks for"});
}

// Its plans may wait for work that ends: what is free then was told as if it were free now.
TEST_F(Advise, WhatHoldsOnlyAfterOtherWorkHasEndedIsSaidToHoldThen) {
  node("n1", 2);
  runs("1", "n1", 0, 2);
  wait(1, "gpu:h100");
  jobs_.back().tasks = 40;
  const Advice advice = advise(question());
  ASSERT_EQ(advice.reasons.size(), 1u);
  EXPECT_TRUE(advice.reasons.front().ends_with("; counted once what ends within 24 h has ended"))
      << advice.reasons.front();
  int held = 0;
  for (const auto& [why, count] : advice.left_out) held += count;
  EXPECT_EQ(held, 1) << "it is held now";
}

TEST_F(Advise, WhereFreeGpusServeWhatWaitsItSaysSo) {
  node("n1", 1);
  wait(1, "gpu:h100");
  const Advice advice = advise(question());
  EXPECT_TRUE(advice.answers.empty());
  EXPECT_EQ(advice.queue.workloads, 1);
  EXPECT_EQ(advice.reasons, std::vector<std::string>{
                                "free slices and whole GPUs would serve what waits: something else keeps it "
                                "waiting"});
}

// That it starts no sooner was told, and what-if does not play it.
TEST_F(Advise, OfAJobWhoseNodesAreNotKnownItIsNotKnownWhetherItStartsSooner) {
  node("n1", 1);
  wait(1, "gpu:3g.40gb");
  jobs_.back().needs = NodeNeeds{};
  jobs_.back().needs->features = "[rack1|rack2]";
  const Advice advice = advise(question());
  EXPECT_TRUE(advice.answers.empty());
  EXPECT_EQ(advice.queue.guessed, 1);
  EXPECT_GT(advice.tried, 0);
  EXPECT_EQ(advice.reasons,
            std::vector<std::string>{"of 1 jobs or pods that wait it is not known whether they "
                                     "start sooner on other layouts"});
}

TEST_F(Advise, WhereRunningWorkLeavesNoRoomItSaysSo) {
  node("n1", 1);
  runs("1", "n1", 0, 0);
  wait(1, "gpu:3g.40gb");
  const Advice advice = advise(question());
  EXPECT_TRUE(advice.answers.empty());
  EXPECT_EQ(advice.left_out.size(), 1u);
  ASSERT_FALSE(advice.reasons.empty());
}

// It would change what the plan waits for without an end.
TEST_F(Advise, APlanThatWaitsForWorkWithoutATimeLimitIsNoAnswer) {
  node("n1", 2);
  runs("1", "n1", 0, 0);
  wait(2, "gpu:3g.40gb");
  const Advice advice = advise(question());
  EXPECT_TRUE(advice.answers.empty());
  EXPECT_EQ(advice.tried, 1);
  EXPECT_EQ(
      advice.reasons,
      std::vector<std::string>{
          "the plan is not done within 24 h: work that it waits for ends later, or it is not known when"});
}

TEST_F(Advise, WhatItRestsOnIsCounted) {
  node("n1", 3);
  runs("1", "n1", 0, 0), runs("2", "n1", 1, 4);
  wait(2, "gpu:3g.40gb"), wait(1, "gpu:h100");
  jobs_.back().limit.reset();
  const Known known = advise(question()).known;
  EXPECT_EQ(known.running, 2);
  EXPECT_EQ(known.running_with_limit, 1);
  EXPECT_EQ(known.waiting, 3);
  EXPECT_EQ(known.waiting_with_limit, 2);
}

// Seven idle slices that are handed out as nvidia.com/gpu, and a pod that waits for one by its profile.
class AdviseByName : public testing::Test {
 protected:
  Advice advice(bool with_whole) {
    story_.tell(ClusterSeen{Scheduler::kubernetes, false, "", ""});
    std::vector<Slice> seven;
    for (int i = 0; i < 7; ++i) seven.push_back(test::instance("1g.10gb", i, 1, i));
    std::vector<Node> nodes{test::node("s1", {test::gpu(0, Strategy::mig, seven)})};
    nodes[0].features = {"nvidia.com/mig.strategy=single"};
    if (with_whole) {
      nodes.push_back(test::node("w1", {test::gpu(0, Strategy::whole, {test::whole(0)})}));
      nodes[1].features = {"nvidia.com/mig.strategy=mixed"};
    }
    Workload pod = test::waiting("ml/a", "ann", "nvidia.com/mig-1g.10gb");
    pod.kind = WorkloadKind::pod;
    pod.reason = "0/2 nodes are available: 2 Insufficient nvidia.com/mig-1g.10gb.";
    story_.tell(NodesListed{nodes});
    story_.tell(WorkloadsListed{{pod}});
    story_.tell(Loaded{});
    Question asked{&story_.cluster(),
                   &test::catalogue(),
                   plan::simulator_capabilities(Scheduler::kubernetes),
                   {},
                   {},
                   "",
                   at(0),
                   24h};
    for (const Node& node : nodes) asked.nodes.push_back(node.name);
    return advise(asked);
  }
  static bool says(const Advice& advice, std::string_view words) {
    return std::any_of(advice.reasons.begin(), advice.reasons.end(),
                       [&](const std::string& reason) { return reason.find(words) != std::string::npos; });
  }

  test::Story story_;
};

TEST_F(AdviseByName, IdleSlicesOfTheStrategySingleDoNotServeAProfile) {
  const Advice found = advice(true);
  EXPECT_EQ(found.queue.workloads, 1);
  EXPECT_GE(found.tried, 1) << "the whole GPU is cut for it";
  for (const Answer& answer : found.answers) EXPECT_EQ(answer.nodes, std::vector<NodeName>{NodeName("w1")});
  EXPECT_FALSE(says(found, "free slices and whole GPUs would serve"));
}

TEST_F(AdviseByName, WhereNoNodeHasThatNameItSaysSo) {
  const Advice found = advice(false);
  EXPECT_EQ(found.tried, 0);
  EXPECT_TRUE(says(found, "hand out slices by other names"));
  EXPECT_FALSE(says(found, "free slices and whole GPUs would serve"));
}

// "39 of 39 … have a time limit; the others run on", where there are no others.
TEST(AdviseLimits, OthersRunOnOnlyWhereThereAreOthers) {
  EXPECT_EQ(limits_text({39, 39, 2, 2}),
            "39 of 39 running and 2 of 2 waiting jobs or pods have a time limit");
  EXPECT_EQ(limits_text({39, 39, 2, 1}),
            "39 of 39 running and 1 of 2 waiting jobs or pods have a time limit; the others run on");
  EXPECT_EQ(limits_text({39, 38, 0, 0}),
            "38 of 39 running and 0 of 0 waiting jobs or pods have a time limit; the others run on");
}

}  // namespace
}  // namespace tessera::advise
