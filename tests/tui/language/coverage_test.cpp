// What comes up in real places is told in Japanese: help, findings, limits, facts of the guide, plans.
#include <gtest/gtest.h>

#include "engine/guide/advice.hpp"
#include "engine/guide/facts.hpp"
#include "engine/guide/findings.hpp"
#include "engine/guide/texts.hpp"
#include "engine/insight/attention.hpp"
#include "engine/sharing/limits.hpp"
#include "tests/tui/language/extract.hpp"
#include "tests/tui/screens/change_places.hpp"
#include "tests/tui/screens/layout_places.hpp"
#include "tui/action.hpp"
#include "tui/language/words.hpp"

namespace tessera::test {
namespace {

const tui::WordsPtr& japanese() {
  static const tui::WordsPtr words = tui::Words::of(tui::Language::ja).value();
  return words;
}

// A command, a name or a number is told as it is.
void expect_told(std::string_view text) {
  if (!is_prose(text)) return;
  const tui::Words::Told told = japanese()->tell(text);
  EXPECT_TRUE(told.whole && told.text != text) << text << "\n  -> " << told.text;
}

TEST(JapaneseCoverage, HelpOfEveryAction) {
  for (const tui::ActionInfo& action : tui::actions()) expect_told(action.help);
  for (int i = 0; i < static_cast<int>(tui::Group::count_); ++i) {
    std::string title(tui::title(static_cast<tui::Group>(i)));  // as the help shows it
    for (char& c : title) c = static_cast<char>(std::toupper(c));
    EXPECT_NE(tui::told(japanese(), title), title);
  }
}

TEST(JapaneseCoverage, FindingsWithTheirWayOut) {
  const Session some(small_place());
  int found = 0;
  for (const Model& model : {small_place(), two_places(), layout_place(), change_place()})
    for (const Cluster& cluster : model.clusters)
      for (const insight::Finding& one : insight::attention(cluster, some.catalogue, at(0))) {
        ++found;
        expect_told(one.text);
        expect_told(one.hint);
      }
  EXPECT_GE(found, 5);
}

// "6ノード。証明された最小値：12の12個のGPUを変更": the proof was told as part of the nodes.
TEST(JapaneseCoverage, ThePackSaysWhatItTouchesAndThenWhatIsProven) {
  const std::pair<const char*, const char*> kTold[]{
      {"touches 12 GPUs on 6 nodes; proven minimum 12", "6ノードの12個のGPUを変更。最小12（証明済み）"},
      {"touches 1 GPU on 1 node; proven minimum 1 node", "1ノードの1個のGPUを変更。最小1ノード（証明済み）"},
      {"touches 9 GPUs on 3 nodes; not proven minimal: no plan needs fewer than 2 nodes",
       "3ノードの9個のGPUを変更。最小とは証明されていません（下限：2ノード）"},
      {"touches 9 GPUs on 3 nodes; not proven minimal: no plan needs fewer than 7 GPUs",
       "3ノードの9個のGPUを変更。最小とは証明されていません（下限：GPU 7個）"},
      {"not served: H100-80GB-SXM5:whole: GPUs of the product H100-80GB-SXM5 that are whole and free, or can "
       "be made so: 9, as the others are in use, left out, or serve the rest of the demand",
       "満たせないもの：H100-80GB-SXM5:whole：分割されずに空いている、またはそうできる製品H100-80GB-SXM5の"
       "GPUは9個です。残りは使用中か対象外、または残りの需要に使われます"}};
  for (const auto& [english, told] : kTold) EXPECT_EQ(japanese()->tell(english).text, told);
}

// Among findings, where a pool stood beside "ジョブ88142".
TEST(JapaneseCoverage, APoolIsToldByItselfAndTakesNoOtherTextForItsName) {
  const std::pair<const char*, const char*> kTold[]{
      {"pool notebooks", "プールnotebooks"},
      {"pool on loan", "プールon loan"},
      {"pool notebooks, line 7", "プールnotebooks（7行目）"},
      {"pool notebooks is skipped: lead is over", "プールnotebooksを飛ばします：lead is over"}};
  for (const auto& [english, told] : kTold) EXPECT_EQ(japanese()->tell(english).text, told);
  EXPECT_FALSE(japanese()->tell("pool notebooks has moved to the other cluster").whole);
}

// A run that was parked said in Japanese that it cannot make instances on "Insufficient Resources".
TEST(JapaneseCoverage, WhatADriverAnswersStandsBehindTheNodeThatItConcerns) {
  const std::string answer = "Failed to create GPU instances: Insufficient Resources";
  const std::string told = japanese()->tell("cannot create instances on h100-03: " + answer).text;
  EXPECT_TRUE(told.starts_with("h100-03にインスタンスを作成できません")) << told;
  EXPECT_TRUE(told.ends_with(answer)) << told;
}

TEST(JapaneseCoverage, LimitsOfEveryStrategyOnEveryPlatform) {
  const Session some(small_place());
  const auto facts = sharing::built_in_platforms().value();
  const auto texts = guide::Texts::built_in().value();
  for (int platform = 0; platform < sharing::kPlatforms; ++platform)
    for (Strategy strategy :
         {Strategy::mig, Strategy::vgpu, Strategy::mps, Strategy::time_slicing, Strategy::whole})
      for (const char* product : {"H100-80GB-SXM5", "A10", "V100-32GB"})
        for (const char* driver : {"", "440.10", "550.90"}) {
          sharing::LimitContext context;
          context.product = some.catalogue.by_any(product);
          context.platform = static_cast<sharing::Platform>(platform);
          context.driver = driver, context.facts = facts, context.boards_a_node = 8;
          context.replicas = 100, context.mig_in_use = true;
          for (const sharing::Limit& one : sharing::limits(strategy, context)) expect_told(one.text);
          for (const guide::Advice& one : guide::advice(texts->handouts, strategy, context.platform, nullptr))
            expect_told(one.title);
        }
}

TEST(JapaneseCoverage, FactsOfTheGuide) {
  const Session some(small_place());
  for (const Model& model : {small_place(), layout_place(), change_place()})
    for (const Cluster& cluster : model.clusters) {
      for (const Node& node : cluster.nodes.all())
        for (const auto& [question, answer] :
             guide::prefill(guide::scope_of(cluster, node, some.catalogue), some.catalogue))
          for (const guide::Fact& fact : answer.facts) expect_told(fact.text);
      for (const guide::HabitFinding& one : guide::habits(cluster)) {
        expect_told(one.text);
        expect_told(one.hint);
      }
    }
}

TEST(JapaneseCoverage, NoticesRulesAndStepsOfPlans) {
  const Session session = changing();
  for (plan::Way way : {plan::Way::wait, plan::Way::requeue, plan::Way::cancel})
    for (const plan::Means& can :
         {plan::simulator_capabilities(), plan::gpu_operator_capabilities(), plan::slurm_capabilities()})
      for (const char* layout : {"4g.40gb,3g.40gb", "7x1g.10gb", "whole"}) {
        plan::ChangeOptions options;
        options.way = way;
        const plan::Plan plan = plan_of(session, {"n0031"}, {}, layout, options, can);
        for (const auto* list : {&plan.notices, &plan.violations})
          for (const plan::Notice& notice : *list) expect_told(notice.text);
        expect_told(plan.no_steps);
        for (const plan::NodePlan& node : plan.nodes)
          for (const plan::Step& step : node.steps) {
            expect_told(step.title);
            expect_told(step.undo);
          }
      }
}

}  // namespace
}  // namespace tessera::test
