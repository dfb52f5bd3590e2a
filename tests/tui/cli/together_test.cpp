// Nodes that a platform's rules want changed as one: what the guide proposes is what a plan may do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/planner.hpp"
#include "tests/backends/sim/hands.hpp"
#include "tui/cli/change/wish.hpp"
#include "tui/cli/guide/guide.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kSingle = ", mig_strategy: single, features: [nvidia.com/mig.strategy=single]";

class GuideTogether : public testing::Test {
 protected:
  // Nodes in the scenario's words, after their names and product.
  void world(const std::vector<std::string>& nodes) {
    std::string all;
    for (const std::string& node : nodes) all += (all.empty() ? "{" : ", {") + node + "}";
    const auto world = sim::world_from(fmt::format(
        "clusters: [{{name: c, scheduler: kubernetes, users: [u], nodes: [{}], jobs: []}}]", all));
    model_ = sim::model_of(world);
    now_ = world.now;
  }
  Options options(std::vector<std::string> words) const {
    auto parsed = parse_arguments(words);
    EXPECT_TRUE(parsed.ok()) << (parsed.ok() ? "" : to_line(parsed.error()));
    auto settings = gather(*parsed, {}, {});
    return *to_options(*parsed, *settings);
  }
  GuideAnswer asked(std::vector<std::string> more) const {
    std::vector<std::string> words{"guide", "--node", "n1", "--answer", "Q2=yes"};
    words.insert(words.end(), more.begin(), more.end());
    auto sheet = ask_guide(options(words), model_, *test::shared_catalogue(),
                           *guide::Texts::built_in().value(), now_, plan::presumed_capabilities);
    EXPECT_TRUE(sheet.ok()) << to_line(sheet.error());
    return sheet->groups.at(0);
  }
  Result<plan::Plan> planned(std::vector<std::string> words) const {
    words.insert(words.begin(), "plan");
    const Options given = options(words);
    Or<Wished> wished = read_wish(given, model_, *test::shared_catalogue(), now_);
    if (auto* refusal = std::get_if<Refusal>(&wished)) return refusal->error;
    return plan::make_plan(*std::get<Wished>(wished).cluster, *test::shared_catalogue(),
                           std::get<Wished>(wished).intent,
                           plan::simulator_capabilities(Scheduler::kubernetes), given.rules, now_);
  }

  Model model_;
  TimePoint now_;
};

std::string all_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& one : texts) all += one + "\n";
  return all;
}

TEST_F(GuideTogether, WorkersThatShareATypeAreProposedAsOnePlan) {
  world({"names: \"n[1-2]\", product: H200-141GB, gpus: 2"});
  const GuideAnswer answer = asked({"--platform", "fpt"});
  EXPECT_EQ(answer.result.together, (std::vector<NodeName>{NodeName("n1"), NodeName("n2")}));
  EXPECT_NE(all_of(answer.result.ways.texts).find("fpt-b"), std::string::npos) << "it says why";
  ASSERT_FALSE(answer.commands.empty());
  for (const auto& commands : answer.commands)
    for (const std::string& command : commands)
      EXPECT_NE(command.find("--node 'n[1-2]'"), std::string::npos) << command;
  const auto alone = planned({"--node", "n1", "--platform", "fpt", "--layout", "3x2g.35gb"});
  ASSERT_TRUE(alone.ok());
  ASSERT_EQ(alone->violations.size(), 1u);
  EXPECT_NE(alone->violations[0].text.find("One plan may change all of them"), std::string::npos);
  const auto all = planned({"--node", "n[1-2]", "--platform", "fpt", "--layout", "3x2g.35gb"});
  ASSERT_TRUE(all.ok());
  EXPECT_TRUE(all->violations.empty());
}

// A row that no plan may have is not the reason for changing the nodes together.
TEST_F(GuideTogether, TheReasonIsTheRuleThatAPlanForAllOfThemKeeps) {
  world({fmt::format("names: \"n[1-2]\", product: H100-80GB-SXM5, gpus: 2{}", kSingle)});
  const GuideAnswer answer = asked({"--platform", "fpt"});
  EXPECT_EQ(answer.result.together.size(), 2u);
  const std::string told = all_of(answer.result.ways.texts);
  EXPECT_NE(told.find("fpt-b"), std::string::npos) << told;
  EXPECT_EQ(told.find("plugin-single"), std::string::npos) << told;
}

// The type of a worker goes by the names that its slices have.
TEST_F(GuideTogether, TheTypeInARefusalIsThatOfTheResourcesThatThePlanShows) {
  world({"names: \"n[1-2]\", product: H200-141GB, gpus: 2"});
  const auto mixed = planned({"--node", "n1", "--platform", "fpt", "--layout", "3x2g.35gb"});
  ASSERT_TRUE(mixed.ok());
  EXPECT_EQ(mixed->offered_after.kubernetes.at("nvidia.com/mig-2g.35gb"), 6);
  EXPECT_NE(mixed->violations.at(0).text.find("n1 would be \"mixed\""), std::string::npos)
      << mixed->violations.at(0).text;
  world({fmt::format("names: \"n[1-2]\", product: H200-141GB, gpus: 2{}", kSingle)});
  const auto single = planned({"--node", "n1", "--platform", "fpt", "--layout", "3x2g.35gb"});
  ASSERT_TRUE(single.ok());
  EXPECT_EQ(single->offered_after.kubernetes.at("nvidia.com/gpu"), 6);
  EXPECT_NE(single->violations.at(0).text.find("n1 would be \"single\""), std::string::npos);
}

TEST_F(GuideTogether, LayoutsThatARuleRefusesAreNotProposed) {
  world({fmt::format("names: n1, product: H100-80GB-SXM5, gpus: 2{}", kSingle)});
  const GuideAnswer answer = asked({"--platform", "fpt"});
  ASSERT_FALSE(answer.result.layouts.empty());
  EXPECT_TRUE(answer.result.together.empty());
  for (const guide::Proposal& one : answer.result.layouts) {
    EXPECT_EQ(one.title.find(" + "), std::string::npos) << "plugin-single refuses it: " << one.title;
    EXPECT_GT(one.advertised.at("nvidia.com/gpu") + one.advertised.count("nvidia.com/gpu.shared"), 0);
  }
}

// One card of a worker cannot be cut alone either.
TEST_F(GuideTogether, OneCardIsProposedWithTheOthersOfItsWorker) {
  world({"names: n1, product: H100-80GB-SXM5, gpus: 2"});
  const GuideAnswer answer = asked({"--platform", "fpt", "--gpu", "1"});
  EXPECT_EQ(answer.result.together, std::vector<NodeName>{NodeName("n1")});
  ASSERT_FALSE(answer.commands.empty());
  EXPECT_EQ(answer.commands.front().at(0).find("--gpu"), std::string::npos) << answer.commands.front().at(0);
  EXPECT_NE(all_of(answer.result.ways.texts).find("fpt-a"), std::string::npos);
}

TEST_F(GuideTogether, WhereNoPlanIsAllowedEachRowSaysWhichRuleIsInTheWay) {
  world({"names: n1, product: H100-80GB-SXM5, gpus: 2", "names: w2, product: A100-80GB, gpus: 1"});
  const GuideAnswer answer = asked({"--platform", "fpt"});
  ASSERT_FALSE(answer.result.layouts.empty());
  for (const guide::Proposal& one : answer.result.layouts)
    EXPECT_NE(all_of(one.notes).find("a plan of it is refused: fpt-"), std::string::npos)
        << one.title << all_of(one.notes);
  for (const auto& commands : answer.commands) EXPECT_TRUE(commands.empty());
  const std::string told = all_of(answer.result.ways.texts);
  EXPECT_NE(told.find("A plan with a layout for each kind of GPU may change all nodes"), std::string::npos)
      << told;
  EXPECT_NE(told.find("answer Q2 with no"), std::string::npos) << told;
}

// A worker whose GPUs have no MIG keeps all others of its cluster whole: that is no dead end.
TEST_F(GuideTogether, WhereOtherGpusCannotBeCutItLeadsBackToTheQuestionOfIsolation) {
  world({"names: n1, product: H100-80GB-SXM5, gpus: 2", "names: w2, product: A10, gpus: 1"});
  const GuideAnswer answer = asked({"--platform", "fpt"});
  EXPECT_EQ(answer.result.ways.onward, guide::Onward::elsewhere);
  EXPECT_TRUE(answer.result.layouts.empty());
  const std::string told = all_of(answer.result.ways.texts);
  EXPECT_NE(told.find("fpt-b"), std::string::npos) << told;
  EXPECT_NE(told.find("Answer Q2 with no: Q5 leads on to MPS or time-slicing."), std::string::npos) << told;
}

// ACK's label belongs to a pool: what one node is asked about is planned for all nodes of it.
TEST_F(GuideTogether, NodesOfOnePoolOfAcksAreProposedAsOnePlan) {
  world({"names: \"n[1-2]\", product: A10, gpus: 2, features: [alibabacloud.com/nodepool-id=np-7]"});
  std::vector<Node> nodes = model_.clusters.at(0).nodes.copies();
  for (Node& node : nodes) node.partitions = {"np-7"};
  reduce(model_, Event{ClusterName("c"), 0, now_, NodesListed{nodes}});
  const GuideAnswer answer = asked({"--answer", "Q3=no,Q5=yes"});
  EXPECT_EQ(answer.result.together.size(), 2u);
  EXPECT_NE(all_of(answer.result.ways.texts).find("ack-pool"), std::string::npos)
      << all_of(answer.result.ways.texts);
  ASSERT_FALSE(answer.commands.empty());
  EXPECT_NE(answer.commands.front().at(0).find("--node 'n[1-2]'"), std::string::npos)
      << answer.commands.front().at(0);
}

// What the plugin does is not changed by a word on the command line.
TEST_F(GuideTogether, AStrategyThatThePluginDoesNotHaveIsRefusedByPlanAndGuide) {
  world({"names: n1, product: H100-80GB-SXM5, gpus: 2"});
  const auto plan = planned({"--node", "n1", "--plugin-strategy", "single", "--layout", "7x1g.10gb"});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().reason.find("names MIG slices by the strategy mixed"), std::string::npos)
      << to_line(plan.error());
  EXPECT_EQ(plan.error().hint, "leave --plugin-strategy out, or plugin_strategy in the fleet file");
  EXPECT_TRUE(planned({"--node", "n1", "--plugin-strategy", "mixed", "--layout", "7x1g.10gb"}).ok());
  EXPECT_TRUE(
      planned({"--node", "n1", "--plugin-strategy", "single", "--strategy", "mps", "--replicas", "4"}).ok())
      << "whole GPUs have one name under each of them";
  for (const guide::Proposal& one : asked({"--plugin-strategy", "single"}).result.layouts)
    EXPECT_NE(all_of(one.notes).find("names MIG slices by the strategy mixed, not single"),
              std::string::npos);
}

}  // namespace
}  // namespace tessera::cli
