// What makes advice fast changes no answer, and whoever asked may give up at any time.
#include <gtest/gtest.h>

#include <optional>

#include "engine/advise/advise.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/pack.hpp"
#include "engine/why/may_use.hpp"
#include "engine/why/why.hpp"
#include "tests/support/busy_site.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::advise {
namespace {

using test::BusySite;

Question question_of(const Cluster& cluster, bool whole_node = true) {
  Question asked{&cluster, &test::catalogue(), plan::simulator_capabilities(), {}, {}, "", BusySite::now()};
  if (whole_node) asked.can.instances = asked.can.mode = asked.can.sharing = plan::Unit::node;
  for (const Node& node : cluster.nodes.all()) asked.nodes.push_back(node.name);
  return asked;
}

TEST(FastAdvice, APartOfAProblemIsTheProblemOfThatPart) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    const BusySite site({3 + static_cast<int>(seed % 20), 4, 0, seed});
    const Question asked = question_of(site.cluster(), seed % 2 == 0);
    std::vector<NodeName> some;
    for (std::size_t i = 0; i < asked.nodes.size(); ++i)
      if ((i * 7 + seed) % 3 == 0) some.push_back(asked.nodes[i]);
    std::optional<TimePoint> until;
    if (seed % 3 == 0) until = BusySite::now(12 * 3600);
    const auto of = [&](const std::vector<NodeName>& nodes) {
      return pack::problem_of(site.cluster(), nodes, test::catalogue(), asked.can, until).problem;
    };
    const pack::Problem direct = of(some), part = pack::part_of(of(asked.nodes), some);
    EXPECT_EQ(part.boards, direct.boards);
    EXPECT_EQ(part.products, direct.products);
    EXPECT_EQ(part.mode, direct.mode);
  }
}

// Nodes that are read once and nodes that are looked at one by one.
TEST(FastAdvice, WhichNodesWorkMayUseIsReadOnceForAllNodes) {
  int yes = 0, no = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const BusySite site({12, 1, 20, seed, seed % 3 == 0 ? Scheduler::kubernetes : Scheduler::slurm});
    for (const Workload& work : site.cluster().workloads.all()) {
      if (work.state != WorkloadState::pending) continue;
      why::MayUse may_use(site.cluster(), work);
      for (const Node& node : site.cluster().nodes.all()) {
        const why::Site around{&test::catalogue(), nullptr, {}, BusySite::now(), nullptr};
        const why::Topic topic = why::look_at(site.cluster(), node, work, around).topic;
        const bool refused = topic == why::Topic::partition || topic == why::Topic::selector ||
                             topic == why::Topic::taint || topic == why::Topic::reservation;
        const bool may = may_use(node);
        EXPECT_EQ(may, why::MayUse(site.cluster(), work)(node));
        if (refused) EXPECT_FALSE(may) << work.id.text << " on " << node.name.text;
        ++(may ? yes : no);
      }
    }
  }
  EXPECT_GT(yes, 500);
  EXPECT_GT(no, 500);
}

TEST(FastAdvice, TellsHowFarItHasCome) {
  std::vector<Progress> seen;
  std::optional<BusySite> site;
  Question asked;
  Advice told;
  // Not every site has a node whose cut helps more than closing it harms.
  for (unsigned seed = 1; told.answers.empty() && seed < 8; ++seed) {
    site.emplace(test::SiteSize{5, 2, 20, seed});
    asked = question_of(site->cluster());
    seen.clear();
    asked.keep_on = [&](const Progress& now) {
      if (seen.empty() || !(seen.back() == now)) seen.push_back(now);
      return true;
    };
    told = advise(asked);
  }
  ASSERT_FALSE(told.answers.empty());
  EXPECT_FALSE(told.given_up);
  ASSERT_GE(seen.size(), 3u);
  EXPECT_EQ(seen.front().stage, Progress::Stage::looking);
  for (std::size_t i = 1; i < seen.size(); ++i)
    EXPECT_TRUE(std::pair(seen[i - 1].stage, seen[i - 1].done) <= std::pair(seen[i].stage, seen[i].done));
  EXPECT_EQ(seen.back().stage, Progress::Stage::playing);
  EXPECT_EQ(seen.back().done, seen.back().of);
  EXPECT_EQ(seen.back().of, told.tried);
  asked.keep_on = {};
  const Advice quiet = advise(asked);
  ASSERT_EQ(quiet.answers.size(), told.answers.size()) << "being watched changes the answers";
  for (std::size_t i = 0; i < quiet.answers.size(); ++i)
    EXPECT_EQ(pack_command(quiet.answers[i]), pack_command(told.answers[i]));
}

TEST(FastAdvice, GivesUpWheneverItIsToldTo) {
  const BusySite site({5, 2, 20});
  Question asked = question_of(site.cluster());
  int all = 0;
  asked.keep_on = [&](const Progress&) { return ++all > 0; };
  advise(asked);
  for (int stop_at : {1, 2, 3, all / 4, all / 2, all - 1, all}) {
    int calls = 0;
    asked.keep_on = [&](const Progress&) { return ++calls < stop_at; };
    const Advice told = advise(asked);
    EXPECT_TRUE(told.given_up) << stop_at << " of " << all;
    EXPECT_TRUE(told.answers.empty());
    EXPECT_LT(calls, stop_at + 20) << "it went on for long";
  }
}

TEST(FastAdvice, ASolveThatIsGivenUpIsAnErrorAndNoWorsePlan) {
  const BusySite site({20, 8, 0});
  const Question asked = question_of(site.cluster(), false);
  pack::Problem problem = pack::problem_of(site.cluster(), asked.nodes, test::catalogue(), asked.can).problem;
  problem.demand = {{ProfileName("1g.10gb"), {}, 60}, {ProfileName("3g.40gb"), {}, 25}};
  int asked_often = 0;
  const auto whole = pack::pack(problem, [&] { return ++asked_often < 0; });
  ASSERT_TRUE(whole);
  EXPECT_EQ(pack::intent_text(problem, *whole), pack::intent_text(problem, *pack::pack(problem)));
  ASSERT_GT(asked_often, 3) << "the solver never asks";
  for (int stop_at : {1, 2, asked_often / 2, asked_often}) {
    int calls = 0;
    const auto part = pack::pack(problem, [&] { return ++calls >= stop_at; });
    ASSERT_FALSE(part) << stop_at << " of " << asked_often;
    EXPECT_EQ(part.error().reason, "the search was given up");
  }
}

}  // namespace
}  // namespace tessera::advise
