// tessera pack: the offline form, as a page and as a document, and when it refuses.
#include "tui/cli/pack/pack.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engine/json.hpp"
#include "engine/plan/files/intent_file.hpp"
#include "engine/time.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/asked_of_cluster.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/pack/pack_text.hpp"

namespace tessera::cli::pack_story {
namespace {

struct Asked {
  OutputFormat output = OutputFormat::table;
  std::string file;
  std::ostringstream out, err;

  int run(const std::string& text) {
    Options options;
    options.command = "pack";
    options.output = output;
    options.boards_file = file;
    if (file.empty()) {
      options.boards_file = testing::TempDir() + "/pack_test." + std::to_string(getpid()) + ".yaml";
      std::ofstream(options.boards_file) << text;
    }
    test::Box box;
    auto open = [](const Options&, const mig::Catalogue&) {
      ADD_FAILURE() << "a cluster is asked";
      return Opening();
    };
    Joins joins{box, box, open, {}, [] { return test::at(0); }, {}, false};
    return run_pack(options, test::catalogue(), joins, Streams{out, err});
  }
};

constexpr const char* kOne = R"(
demand: {3g.40gb: 1, 1g.10gb: 2}
boards:
- {node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 6, held: true}]}
- {node: n1, gpu: 1, product: H100-80GB-SXM5, count: 4}
)";

TEST(PackCommand, ListsTheGpusAndSaysWhatIsProven) {
  Asked asked;
  EXPECT_EQ(asked.run(kOne), kDone) << asked.err.str();
  EXPECT_EQ(asked.out.str(),
            "NODE  GPU  KEEP       DESTROY  CREATE, IN THIS ORDER\n"
            "n1      0  1g.10gb@6  -        3g.40gb@0,1g.10gb@4,1g.10gb@5\n"
            "\n"
            "touches 1 GPU on 1 node; proven minimum 1\n"
            "GPUs needed at least: 1 by slices, 1 if all were empty, 0.8 by linear programming\n");
}

TEST(PackCommand, KeepsItsSchema) {
  for (const char* mode : {"in-place", "whole-node"}) {
    Asked asked;
    asked.output = OutputFormat::json;
    EXPECT_EQ(asked.run("evict: true\nmode: " + std::string(mode) + kOne), kDone) << asked.err.str();
    EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  }
}

constexpr const char* kServices = R"(
services:
  chat: {rate: 12, gives: {1g.10gb: 1, 3g.40gb: 4.5}}
  vision: {rate: 3, gives: {4g.40gb: 3}}
boards: [{node: n1, gpu: 0, product: H100-80GB-SXM5, count: 4}]
)";

TEST(PackCommand, SizesOfServicesAreChosenWithTheLayoutsAndSaidForEach) {
  Asked asked;
  EXPECT_EQ(asked.run(kServices), kDone) << asked.err.str();
  EXPECT_EQ(asked.out.str(),
            "NODE  GPU  KEEP  DESTROY  CREATE, IN THIS ORDER\n"
            "n1      0  -     -        4g.40gb@0,3g.40gb@4\n"
            "n1      1  -     -        3g.40gb@4,3g.40gb@0\n"
            "\n"
            "touches 2 GPUs on 1 node; proven minimum 2\n"
            "GPUs needed at least: 2 by slices, 2 if all were empty, 2.0 by linear programming\n"
            "chat: 3 × 3g.40gb\n"
            "vision: 1 × 4g.40gb\n"
            "with any other sizes, no fewer than 2 GPUs change\n");
  Asked json;
  json.output = OutputFormat::json;
  EXPECT_EQ(json.run(kServices), kDone) << json.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), json.out.str()), std::vector<std::string>{});
  EXPECT_EQ(parse_json(json.out.str(), "pack")->find("services")->find("chat")->find("3g.40gb")->integer, 3);
}

TEST(PackCommand, ServicesThatDoNotFitAreAFinding) {
  Asked asked;
  EXPECT_EQ(asked.run("services: {chat: {rate: 10, gives: {7g.80gb: 4}}}\n"
                      "boards: [{node: n1, gpu: 0, product: H100-80GB-SXM5, count: 2}]\n"),
            kFinding);
  EXPECT_NE(asked.err.str().find("these GPUs cannot serve every service beside the demand"),
            std::string::npos)
      << asked.err.str();
}

TEST(PackCommand, UnmetDemandIsAFindingWithItsReason) {
  Asked asked;
  EXPECT_EQ(asked.run("demand: {7g.80gb: 2}\nboards: [{node: n1, gpu: 0, product: H100-80GB-SXM5}]\n"),
            kFinding);
  EXPECT_NE(asked.out.str().find("unmet: 1 of 2 7g.80gb: running instances leave room for 1 of 2 on 1 GPU\n"),
            std::string::npos)
      << asked.out.str();
}

// It would change nothing, and a simulated cluster has no slurmdbd.
TEST(PackCommand, AccountingIsRefusedWhereNoHistoryOfARealSlurmIsAskedFor) {
  for (const bool simulated : {false, true}) {
    Options options;
    options.command = "pack";
    options.accounting = true;
    if (simulated) options.sim = "demo", options.for_history = Duration{86'400'000};
    if (!simulated) options.for_queue = true;
    test::Box box;
    Joins joins{box, box, {}, {}, [] { return test::at(0); }, {}, false};
    std::ostringstream out, err;
    EXPECT_EQ(run_pack(options, test::catalogue(), joins, Streams{out, err}), kUsage);
    EXPECT_NE(err.str().find("--accounting"), std::string::npos) << err.str();
  }
}

// It looked for a cluster first, and where there was none said that alone.
TEST(PackCommand, ATimeThatIsOverIsRefusedBeforeAClusterIsLookedFor) {
  for (const char* at : {"now", "yesterday 03:12", "-2h", "2001-02-03T03:12Z"}) {
    Options options;
    options.command = "pack";
    options.words = {"3g.40gb=1"};
    options.at = at;
    test::Box box;
    Joins joins{box, box, {}, {}, [] { return test::at(0); }, {}, false};
    std::ostringstream out, err;
    EXPECT_EQ(run_pack(options, test::catalogue(), joins, Streams{out, err}), kUsage);
    EXPECT_NE(err.str().find("tessera whatif --at"), std::string::npos) << err.str();
  }
}

TEST(PackCommand, RefusesWhatItCannotRead) {
  Asked missing;
  missing.file = "/nonexistent/gpus.yaml";
  EXPECT_EQ(missing.run(""), kUsage);
  EXPECT_NE(missing.err.str().find("there is no file /nonexistent/gpus.yaml"), std::string::npos);
  Asked broken;
  EXPECT_EQ(broken.run("demand: {1g.10gb: x}\nboards: []\n"), kUsage);
  EXPECT_EQ(broken.out.str(), "");
  EXPECT_NE(broken.err.str().find(".yaml:1: "), std::string::npos) << broken.err.str();
  Asked csv;
  csv.output = OutputFormat::csv;
  EXPECT_EQ(csv.run(kOne), kUsage);
}

TEST(PackCommand, EndsWithinCountsWorkAsGoneThatReachesItsTimeLimitByThen) {
  for (const bool by_then : {false, true}) {
    AskedOfCluster asked;
    asked.words = {"7g.80gb=3"};
    asked.ends = test::at(by_then ? 3600 : 7 * 3600);
    for (const char* until : {"4h", "+4h", "+1h"}) {
      asked.ends_within = until;
      EXPECT_EQ(asked.run(), by_then ? kDone : kFinding) << until << asked.out.str() << asked.err.str();
    }
  }
}

TEST(PackCommand, EndsWithinTakesAMomentAndRefusesOneThatIsOver) {
  AskedOfCluster asked;
  asked.words = {"7g.80gb=3"};
  asked.ends = test::at(3600);
  const std::string then = utc_text(test::at(4 * 3600));
  asked.ends_within = then.substr(0, 16) + "Z";
  EXPECT_EQ(asked.run(), kDone) << asked.ends_within << asked.err.str();
  for (const auto& [until, why] : {std::pair{"1999-01-01T00:00Z", "is over"},
                                   {"soon", "a moment like"},
                                   {"0s", "a moment like"},
                                   {"9999d", "a moment like"}}) {
    asked.ends_within = until, asked.err.str("");
    EXPECT_EQ(asked.run(), kUsage) << until;
    EXPECT_NE(asked.err.str().find(why), std::string::npos) << asked.err.str();
  }
}

// It was called no time at all.
TEST(PackCommand, AnHourThatTheClocksLeaveOutIsSaidToBeOne) {
  const char* before = getenv("TZ");
  const std::optional<std::string> zone = before ? std::optional<std::string>(before) : std::nullopt;
  setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
  tzset();
  AskedOfCluster asked;
  asked.words = {"7g.80gb=3"};
  asked.ends_within = "2027-03-28T02:30";
  EXPECT_EQ(asked.run(), kUsage);
  EXPECT_NE(asked.err.str().find("--ends-within: the clocks are set forward over 2027-03-28T02:30"),
            std::string::npos)
      << asked.err.str();
  if (zone)
    setenv("TZ", zone->c_str(), 1);
  else
    unsetenv("TZ");
  tzset();
}

// It was taken as given, and all nodes were planned.
TEST(PackCommand, ANamespaceNarrowsNoDemandThatIsTyped) {
  AskedOfCluster asked;
  asked.scheduler = Scheduler::kubernetes;
  asked.words = {"3g.40gb=1"};
  asked.partition = "ml";
  EXPECT_EQ(asked.run(), kUsage);
  EXPECT_NE(asked.err.str().find("a namespace on Kubernetes, which narrows no nodes"), std::string::npos)
      << asked.err.str();
}

TEST(PackCommand, AProductMayBeCalledByTheTypeThatSlurmGivesItsGpus) {
  AskedOfCluster asked;
  asked.words = {"h100:3g.40gb=1"};
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  asked.words = {"a100:3g.40gb=1"};
  EXPECT_EQ(asked.run(), kUsage);
  EXPECT_NE(asked.err.str().find("they are of H100-80GB-SXM5"), std::string::npos) << asked.err.str();
}

TEST(PackCommand, PeaksOfDifferentHoursAreSaidToBeThat) {
  PackedCluster about;
  about.past.emplace();
  about.past->busiest = pack::BusiestHour{test::at(0), {{ProfileName("1g.10gb"), 3}}};
  const std::string page = pack_page({}, {}, {}, &about, {});
  EXPECT_NE(page.find("in no hour was all of this needed at the same time; the busiest hour, from " +
                      utc_text(test::at(0)) + " on, needed at most 3 × 1g.10gb\n"),
            std::string::npos)
      << page;
  about.past->busiest.reset();
  EXPECT_EQ(pack_page({}, {}, {}, &about, {}).find("the busiest hour"), std::string::npos);
}

TEST(PackCommand, AGpuThatIsMadeWholeIsListedAsSuch) {
  const std::string file =
      "demand: {whole: 1}\n"
      "boards: [{node: n1, gpu: 0, product: H100-80GB-SXM5, instances: [{profile: 1g.10gb, start: 0}]}]\n";
  Asked asked;
  EXPECT_EQ(asked.run(file), kDone) << asked.err.str();
  EXPECT_EQ(asked.out.str(),
            "NODE  GPU  KEEP  DESTROY    CREATE, IN THIS ORDER\n"
            "n1      0  -     1g.10gb@0  whole\n"
            "\n"
            "touches 1 GPU on 1 node; proven minimum 1\n"
            "GPUs needed at least: 1 by slices, 1 if all were empty, 1.0 by linear programming\n");
  Asked json;
  json.output = OutputFormat::json;
  EXPECT_EQ(json.run(file), kDone) << json.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), json.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(parse_json(json.out.str(), "pack")->find("boards")->items[0].find("whole")->boolean);
}

TEST(PackCommand, ItsAnswerIsPlannedAndAppliedAtOnce) {
  AskedOfCluster asked;
  asked.words = {"3g.40gb=1"};
  asked.plan_it = true;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("3g.40gb"), std::string::npos);
  EXPECT_NE(asked.out.str().find("n1"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.err.str().find("touches 1 GPU on 1 node; proven minimum 1"), std::string::npos)
      << asked.err.str();
  asked.plan_it = false;
  asked.apply_it = true;
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_NE(asked.err.str().find("tessera is read-only by default"), std::string::npos) << asked.err.str();
  asked.plan_it = true;
  EXPECT_EQ(asked.run(), kUsage) << "both";
  asked.plan_it = asked.apply_it = false;
  asked.for_queue = true;
  EXPECT_EQ(asked.run(), kUsage) << "a demand and the queue";
}

// They stood with the answer alone: who went on to its plan could not see what the certificate rests on.
TEST(PackCommand, TheBoundsStandWithThePlanAndTheRunAsTheyDoWithTheAnswer) {
  const std::string bounds = "\nGPUs needed at least: ";
  AskedOfCluster asked;
  asked.words = {"3g.40gb=1"};
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find(bounds), std::string::npos) << asked.out.str();
  asked.plan_it = true;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.err.str().find(bounds), std::string::npos) << asked.err.str();
  asked.plan_it = false, asked.apply_it = true, asked.err.str("");
  EXPECT_EQ(asked.run(), kFinding) << "read-only";
  EXPECT_NE(asked.err.str().find(bounds), std::string::npos) << asked.err.str();
}

// With --plan it ended with 1, and without it with 0 and the way to make the change.
TEST(PackCommand, AnAnswerOfWhichNoPlanIsMadeIsAFindingWithoutAWayToMakeIt) {
  AskedOfCluster asked;
  asked.words = {"3g.40gb=1"};
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("To make the change"), std::string::npos) << asked.out.str();
  asked.out.str("");
  asked.at = "2020-01-01T00:00Z", asked.sim = "demo";
  EXPECT_EQ(asked.run(), kFinding) << asked.err.str();
  EXPECT_NE(asked.out.str().find("refused: "), std::string::npos) << asked.out.str();
  EXPECT_EQ(asked.out.str().find("To make the change"), std::string::npos) << asked.out.str();
  asked.out.str("");
  asked.output = OutputFormat::json;
  EXPECT_EQ(asked.run(), kFinding) << asked.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  auto document = parse_json(asked.out.str(), "pack");
  ASSERT_TRUE(document.ok());
  EXPECT_NE(document->find("refused")->text.find("is over"), std::string::npos) << asked.out.str();
}

// The plan is made, and says itself why it is not to be run.
TEST(PackCommand, AnAnswerWhosePlanHasNoStepsOrBreaksARuleOfThePlatformIsAFindingToo) {
  AskedOfCluster managed, uniform;
  managed.words = uniform.words = {"7g.80gb=1"};
  managed.scheduler = uniform.scheduler = Scheduler::kubernetes;
  managed.managed_by = "cloud.google.com/gke-nodepool=h100s", managed.can = plan::gpu_operator_capabilities();
  uniform.managed_by = "rack=7", uniform.rules.platform = sharing::Platform::fpt;
  for (auto& [asked, why] : {std::pair{&managed, "GKE fixes how GPUs are cut"},
                             std::pair{&uniform, "one layout must hold for all its cards"}}) {
    EXPECT_EQ(asked->run(), kFinding) << asked->out.str() << asked->err.str();
    EXPECT_NE(asked->out.str().find("refused: "), std::string::npos) << asked->out.str();
    EXPECT_NE(asked->out.str().find(why), std::string::npos) << asked->out.str();
    EXPECT_EQ(asked->out.str().find("To make the change"), std::string::npos) << asked->out.str();
  }
}

TEST(PackCommand, PlansAroundWhatRunsOnACluster) {
  AskedOfCluster asked;
  asked.words = {"3g.40gb=1", "2g.20gb=1"};
  asked.output = OutputFormat::json;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  auto document = parse_json(asked.out.str(), "pack");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->find("gpus_touched")->integer, 1);
  auto intent = plan::read_intent_file(document->find("intent")->text, "intent");
  ASSERT_TRUE(intent.ok()) << to_line(intent.error()) << document->find("intent")->text;
  EXPECT_EQ(intent->nodes, std::vector<NodeName>{NodeName("n1")});
  EXPECT_EQ(to_line(*document->find("left_out")),
            R"({"held as a whole, or not known to be free":1,"on a node that takes no workloads":1})");
}

// Without --node no driver is asked, and the answer did not say that it goes by gres.conf.
TEST(PackCommand, WhatIsKnownFromSlurmOnlyIsSaidWithWhatMakesItSure) {
  AskedOfCluster asked;
  asked.words = {"3g.40gb=1"};
  asked.source = Source::slurm_nodes;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(
      asked.out.str().find("hpc: what is made on 2 nodes is known from Slurm only: their drivers were not "
                           "asked (n[1-2])\nthis plan rests on what Slurm tells of them; --node with their "
                           "names asks"),
      std::string::npos)
      << asked.out.str();
  const auto document = [&] {
    asked.output = OutputFormat::json, asked.out.str("");
    EXPECT_EQ(asked.run(), kDone) << asked.err.str();
    EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
    return asked.out.str();
  };
  std::string told = document();
  EXPECT_EQ(test::json_at(told, "/made_told_by"), R"({"scontrol show node":2})");
  EXPECT_EQ(test::json_at(told, "/drivers_not_asked"), R"(["n1","n2"])");
  asked.source = Source::nvidia_smi;
  told = document();
  EXPECT_EQ(test::json_at(told, "/made_told_by"), R"({"nvidia-smi":2})");
  EXPECT_EQ(test::json_at(told, "/drivers_not_asked"), "[]");
  asked.output = OutputFormat::table, asked.out.str(""), asked.plan_it = true,
  asked.source = Source::slurm_nodes;
  (void)asked.run();
  EXPECT_NE(asked.err.str().find("this plan rests on what Slurm tells of them"), std::string::npos)
      << asked.err.str();
}

TEST(PackCommand, ADemandThatCannotBeReadIsRefusedWithItsWord) {
  for (const char* wrong : {"3g.40gb", "3g.40gb=x", "3g.40gb=-1", "big=1", "T4:1g.10gb=1", "\x1b[31m=1"}) {
    AskedOfCluster asked;
    asked.words = {wrong};
    EXPECT_EQ(asked.run(), kUsage) << wrong;
    EXPECT_EQ(asked.out.str(), "");
    EXPECT_EQ(asked.err.str().find('\x1b'), std::string::npos);
  }
}

TEST(PackCommand, AClusterThatDoesNotAnswerIsNotPlannedOn) {
  AskedOfCluster asked;
  asked.words = {"1g.10gb=1"};
  asked.loads = false;
  EXPECT_EQ(asked.run(), kUnknown);
  EXPECT_EQ(asked.out.str(), "");
}

}  // namespace
}  // namespace tessera::cli::pack_story
