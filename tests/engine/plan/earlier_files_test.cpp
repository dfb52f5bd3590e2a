// Plan files and journals as earlier versions wrote them (tests/fixtures/v*): every one is read, keeps what
// it says, and is written again without loss.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/plan/allowed.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/steps/steps.hpp"
#include "tests/support/paths.hpp"

namespace tessera::plan {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<fs::path> fixtures(const std::string& ending) {
  std::vector<fs::path> found;
  for (const auto& version : fs::directory_iterator(test::source_dir() + "/tests/fixtures"))
    if (version.path().filename().string().starts_with("v"))
      for (const auto& file : fs::directory_iterator(version))
        if (file.path().string().ends_with(ending)) found.push_back(file.path());
  std::sort(found.begin(), found.end());
  return found;
}

Plan plan_in(const std::string& name) {
  Result<Plan> plan = parse_plan(text_of(test::source_dir() + "/tests/fixtures/" + name), name);
  EXPECT_TRUE(plan.ok()) << name << ": " << to_line(plan.error());
  return plan ? *plan : Plan();
}

Run run_in(const fs::path& file) {
  Result<Journal> journal = parse_journal(text_of(file), file.string());
  EXPECT_TRUE(journal.ok()) << file << ": " << to_line(journal.error());
  Result<Run> run = journal ? replay(*journal) : Result<Run>(journal.error());
  EXPECT_TRUE(run.ok()) << file;
  return run ? *run : Run();
}

TEST(EarlierFiles, EveryPlanIsReadAndWrittenAgainWithoutLoss) {
  const std::vector<fs::path> plans = fixtures("-plan.json");
  EXPECT_EQ(plans.size(), 10u);
  for (const fs::path& file : plans) {
    Result<Plan> plan = parse_plan(text_of(file), file.string());
    ASSERT_TRUE(plan.ok()) << file << ": " << to_line(plan.error());
    EXPECT_TRUE(plan->changes_anything()) << file;
    Result<Plan> again = parse_plan(to_document(*plan), "again");
    ASSERT_TRUE(again.ok()) << file << ": " << to_line(again.error());
    EXPECT_EQ(to_document(*again), to_document(*plan)) << file;
    EXPECT_EQ(again->intent, plan->intent) << file;
  }
}

TEST(EarlierFiles, EveryJournalIsReadAndTellsWhereItsRunStands) {
  const std::vector<fs::path> journals = fixtures(".journal");
  EXPECT_EQ(journals.size(), 11u);
  for (const fs::path& file : journals) {
    const auto run = run_in(file);
    const Summary all = summary(run);
    EXPECT_EQ(all.done.size() + all.waiting.size() + all.parked.size(), run.nodes.size()) << file;
    EXPECT_EQ(run.finished.has_value(), all.waiting.empty() && all.parked.empty()) << file;
    for (const auto& [node, plan] : run.plans) EXPECT_FALSE(plan.steps.empty()) << file;
  }
}

TEST(EarlierFiles, WhatEachNodeWasToBecomeIsKept) {
  const Plan wishes = plan_in("v0.2/slurm-wishes-plan.json");
  const Intent first = intent_of(wishes.intent, NodeName("gpu01"));
  const Intent second = intent_of(wishes.intent, NodeName("gpu02"));
  ASSERT_NE(wish_for(first, GpuIndex{0}), nullptr);
  EXPECT_EQ(wish_for(first, GpuIndex{0})->strategy, Strategy::mps);
  EXPECT_EQ(second.boards.size(), 8u);
  EXPECT_EQ(wish_for(second, GpuIndex{7})->replicas, 4);
  const Plan cut = plan_in("v0.2/kube-wishes-plan.json");
  EXPECT_EQ(wish_for(intent_of(cut.intent, NodeName("h2")), GpuIndex{0})->instances.size(), 7u);
}

TEST(EarlierFiles, TheSwitchesOfAnIntentAreThoseOfItsNodes) {
  const Intent there = intent_of(plan_in("v0.2/kube-switches-plan.json").intent, NodeName("t1"));
  EXPECT_EQ(there.switches.rename_shared, std::optional(true));
  EXPECT_EQ(there.switches.refuse_several, std::nullopt);
  const Intent back = intent_of(plan_in("v0.2/kube-undo-plan.json").intent, NodeName("t1"));
  EXPECT_EQ(back.switches.rename_shared, std::nullopt) << "the node had no shares to name";
}

// No version of tessera planned one; its format had it.
TEST(EarlierFiles, AJournalWithARebootOfTheNodeIsReadAndThatStepIsNotAllowed) {
  const std::string file = test::source_dir() + "/tests/fixtures/v0.1/20261123-0519-n2-mbn.journal";
  std::string text = text_of(file);
  const std::string look = R"("action":{"kind":"look-only"})";
  const auto at = text.find(look);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, look.size(), R"("action":{"kind":"reboot-node"})");
  const std::string needs = R"("reboot":false)";
  text.replace(text.find(needs), needs.size(), R"("reboot":true)");
  Result<Journal> journal = parse_journal(text, "edited");
  ASSERT_TRUE(journal.ok()) << to_line(journal.error());
  const auto run = replay(*journal);
  ASSERT_TRUE(run.ok()) << to_line(run.error());
  const Plan& plan = run->started.plan;
  auto why = why_not_allowed(plan.nodes[0], plan.intent, plan.means());
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("tessera plans no such act for this backend"), std::string::npos) << *why;
}

}  // namespace
}  // namespace tessera::plan
