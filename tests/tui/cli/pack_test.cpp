// tessera pack: the offline form, as a page and as a document, and when it refuses.
#include "tui/cli/pack/pack.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "engine/json.hpp"
#include "engine/plan/files/intent_file.hpp"
#include "engine/time.hpp"
#include "tests/support/json_check.hpp"
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

// A GPU with an instance that is held and one that is free, a free one as a whole, and nodes that may not be
// planned.
struct AskedOfCluster {
  OutputFormat output = OutputFormat::table;
  std::vector<std::string> words;
  std::vector<Workload> work;  // beside alice's job
  Scheduler scheduler = Scheduler::slurm;
  std::string partition, nodes_in, at;
  std::optional<std::string> sim;  // its clock is another than the wall clock
  std::optional<TimePoint> ends;   // of alice's job
  std::string ends_within;
  bool for_queue = false, plan_it = false, apply_it = false;
  bool loads = true;
  std::string managed_by;          // a label of n1, which then has two whole GPUs that nothing holds
  std::optional<plan::Means> can;  // instead of the simulator's
  plan::SiteRules rules;
  Source source = Source::simulator;  // of what is made on the GPUs
  std::ostringstream out, err;

  int run() {
    Options options;
    options.command = "pack";
    options.rules = rules;
    options.output = output;
    options.words = words;
    options.for_queue = for_queue, options.plan_it = plan_it, options.apply_it = apply_it;
    options.partition = partition;
    options.at = at;
    options.sim = sim;
    options.ends_within = ends_within;
    options.timeout = Duration(1500);
    test::Box box;
    auto open = [&](const Options&, const mig::Catalogue&) {
      Gpu cut = test::gpu(0, Strategy::mig,
                          {test::instance("1g.10gb", 0, 1, 0), test::instance("2g.20gb", 4, 2, 1)});
      Gpu free = test::gpu(1, Strategy::whole, {test::whole(2)});
      Gpu busy = test::gpu(2, Strategy::whole, {test::whole(3)});
      for (Gpu* gpu : {&cut, &free, &busy})
        gpu->product = ProductKey("H100-80GB-SXM5"), gpu->origin.source = source;
      Node drained = test::node("n2", {free});
      drained.health = Health::drained;
      Node first = test::node("n1", {cut, free, busy});
      if (!nodes_in.empty()) first.partitions = {nodes_in};
      std::vector<Workload> all = work;
      if (!managed_by.empty()) {
        first.gpus = {free, busy};
        first.features = {managed_by};
        first.gpus[0].index = GpuIndex{0}, first.gpus[1].index = GpuIndex{1};
      }
      if (managed_by.empty()) {
        all.push_back(test::running("1", "alice", {test::holds("n1", {{0}, {3}})}));
        all.back().ends = ends;
      }
      Opening opening;
      auto backend = std::make_unique<test::StandingBackend>(std::vector<Node>{first, drained}, all);
      backend->loads = loads, backend->scheduler = scheduler;
      if (can) backend->can(*can);
      opening.backends.push_back(std::move(backend));
      return opening;
    };
    int asked = 0;  // a second goes by from one look at the clock to the next
    Joins joins{box, box, open, {}, [&] { return test::at(++asked); }, {}, false};
    return run_pack(options, test::catalogue(), joins, Streams{out, err});
  }
};

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

// Two nodes were drained and 37 free slices destroyed for jobs that waited on. This one does not tell on how
// many nodes it may run, and n1 has room for three.
TEST(PackCommand, WhatIsMadeForTheQueueAndHelpsNoneOfItIsSaidAndNotMade) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb")};
  asked.work[0].group = "short";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("waiting: within 24 h: 1 starts sooner"), std::string::npos)
      << asked.out.str();
  asked.work[0].requests = {{"gpu:3g.40gb", 4}};
  asked.out.str("");
  EXPECT_EQ(asked.run(), kFinding) << asked.err.str();
  EXPECT_NE(asked.out.str().find("waiting: within 24 h: 0 start sooner"), std::string::npos)
      << asked.out.str();
  EXPECT_NE(asked.out.str().find("tessera advise names changes with which some start"), std::string::npos);
  asked.output = OutputFormat::json;
  asked.out.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  EXPECT_NE(asked.out.str().find("\"sooner\": 0"), std::string::npos) << asked.out.str();
  asked.apply_it = true;
  asked.err.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_NE(asked.err.str().find("none of it starts sooner"), std::string::npos) << asked.err.str();
  EXPECT_NE(asked.err.str().find("write 3g.40gb=4 in place of --for-queue"), std::string::npos)
      << asked.err.str();
}

// A part of a job that has several is not played: whether it starts is not known, and not "no".
TEST(PackCommand, WhatIsNotPlayedIsNotTakenForWhatDoesNotStart) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("30+0", "bob", "gpu:3g.40gb")};
  asked.work[0].group = "short";
  asked.apply_it = true;
  EXPECT_EQ(asked.run(), kFinding) << "read-only";
  EXPECT_EQ(asked.err.str().find("none of it starts sooner"), std::string::npos) << asked.err.str();
  EXPECT_NE(asked.err.str().find("whether they start is not known: 1 jobs or pods"), std::string::npos)
      << asked.err.str();
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

TEST(PackCommand, TheQueueIsTheDemand) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb"), test::waiting("8", "bob", "gpu")};
  asked.work.push_back(test::waiting("9", "bob", "gpu:3g.40gb"));
  asked.work.back().reason = "Dependency";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("3g.40gb@"), std::string::npos) << asked.out.str();
  EXPECT_NE(
      asked.out.str().find("the queue: 1 jobs or pods ask for these slices or whole GPUs, 1 for shares, "
                           "GPUs whose type tells no product, or GPUs of AMD, "
                           "1 wait for something else than room"),
      std::string::npos)
      << asked.out.str();
  asked.output = OutputFormat::json;
  asked.out.str("");
  EXPECT_EQ(asked.run(), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  auto document = parse_json(asked.out.str(), "pack");
  ASSERT_TRUE(document);
  EXPECT_EQ(
      to_line(*document->find("queue")),
      R"({"workloads":1,"other_requests":1,"other_reasons":1,"demand":{"3g.40gb":1},"of_any_product":0,"no_node":[]})");
}

// A GPU was cut for a job of a partition to which its node does not belong.
TEST(PackCommand, WhatNoNodeCouldGiveAtOnceIsNotPlannedForAndCountedWithTheReason) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.nodes_in = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb"), test::waiting("8", "bob", "gpu:3g.40gb")};
  asked.work[0].group = "short,long", asked.work[1].group = "long";
  EXPECT_EQ(asked.run(), kFinding) << "not all that waits has room";
  EXPECT_NE(asked.out.str().find("touches 1 GPU on 1 node"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("not counted: 1 jobs or pods; no node of partition long could give 1 × "
                                 "gpu:3g.40gb now, even with its GPUs changed\n"),
            std::string::npos)
      << asked.out.str();
  asked.plan_it = true, asked.err.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_NE(asked.err.str().find("not counted: 1 jobs or pods"), std::string::npos) << asked.err.str();
  asked.plan_it = false, asked.output = OutputFormat::json, asked.out.str("");
  EXPECT_EQ(asked.run(), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("pack"), asked.out.str()), std::vector<std::string>{});
  auto document = parse_json(asked.out.str(), "pack");
  ASSERT_TRUE(document);
  EXPECT_EQ(to_line(*document->find("queue")->find("no_node")),
            R"([{"workloads":1,"partition":"long","nodes":1,"request":"1 × gpu:3g.40gb"}])");
}

TEST(PackCommand, OnlyThePartitionThatIsNamedIsAskedAndPlanned) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.partition = "short";
  asked.work = {test::waiting("7", "bob", "gpu:3g.40gb"), test::waiting("8", "bob", "gpu:2g.20gb")};
  asked.work[0].group = "short,long";
  asked.work[1].group = "long";
  EXPECT_EQ(asked.run(), kUsage) << "no node is in it";
  EXPECT_NE(asked.err.str().find("no node is in partition \"short\""), std::string::npos) << asked.err.str();
  asked.nodes_in = "short";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.out.str().find("3g.40gb@"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("the queue: 1 jobs"), std::string::npos) << asked.out.str();
}

// It was told that "idle instances meet the demand", which says that something may start.
TEST(PackCommand, AQueueThatNamesNoGpuIsNotMet) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.work = {test::waiting("8", "bob", "gpu")};
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_EQ(asked.out.str().find("idle instances meet the demand"), std::string::npos) << asked.out.str();
  EXPECT_NE(asked.out.str().find("Nothing to do: the demand names no MIG slice and no whole GPU."),
            std::string::npos)
      << asked.out.str();
}

TEST(PackCommand, ANamespaceWithoutPodsIsTold) {
  AskedOfCluster asked;
  asked.scheduler = Scheduler::kubernetes;
  asked.for_queue = true;
  asked.partition = "nosuch";
  asked.work = {test::waiting("ml/7", "bob", "nvidia.com/mig-3g.40gb")};
  asked.work[0].group = "ml";
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_NE(asked.err.str().find("--partition nosuch: no pod in that namespace holds or asks for GPUs"),
            std::string::npos)
      << asked.err.str();
  EXPECT_NE(asked.out.str().find("the demand names no MIG slice"), std::string::npos) << asked.out.str();
  asked.partition = "ml";
  asked.err.str("");
  (void)asked.run();
  EXPECT_EQ(asked.err.str().find("no pod in that namespace"), std::string::npos) << asked.err.str();
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

// One uncut GPU is free, and one is cut and in use.
TEST(PackCommand, AJobThatWaitsForAWholeGpuKeepsTheUncutOneFromBeingCut) {
  AskedOfCluster asked;
  asked.for_queue = true;
  asked.work = {test::waiting("7", "bob", "gpu:4g.40gb"), test::waiting("8", "bob", "gpu:h100")};
  EXPECT_EQ(asked.run(), kFinding) << asked.out.str();
  EXPECT_NE(asked.out.str().find("the queue: 2 jobs or pods ask for these slices or whole GPUs, 0 for"),
            std::string::npos)
      << asked.out.str();
  EXPECT_NE(asked.out.str().find("unmet: 1 of 1"), std::string::npos) << asked.out.str();
  asked.work.pop_back();
  EXPECT_EQ(asked.run(), kDone) << "the same without that job: the uncut one is cut";
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
