// tessera usage --accounting: what is told of the days that were asked about, as a table and as a document.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/catalogue.hpp"
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fake_runs.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/record/usage.hpp"
#include "tui/cli/record/waste.hpp"

namespace tessera::cli::accounting_story {
namespace {

// One job of two H100 that ran for four hours of a day.
struct Asked {
  Options options;
  usage::PastJobs past;
  std::ostringstream out, err;

  Asked() {
    options.accounting = true;
    options.command = "usage";
    past.cluster = ClusterName("hpc");
    past.from = test::at(0), past.to = test::at(24 * 3600);
    past.told = {0, 8, 6, ""};
    usage::PastJob job;
    job.id = WorkloadId("7"), job.user = "alice", job.account = "ml", job.group = "gpu", job.nodes = "n1";
    job.submitted = job.started = test::at(3600), job.ended = test::at(5 * 3600);
    job.gpus = {{"h100", 2}};
    past.jobs.push_back(std::move(job));
  }
  int run(int (*command)(const Options&, const mig::Catalogue&, const Joins&, const Streams&)) {
    test::Box box;
    Joins joins{box, box, {}, {}, [] { return test::at(0); }, {}, false};
    joins.accounting = [&](const Options&, const Joins::Stopped&) -> Result<usage::PastJobs> { return past; };
    out.str(""), err.str("");
    return command(options, test::catalogue(), joins, Streams{out, err});
  }
  bool says(const std::string& text) const { return out.str().find(text) != std::string::npos; }
};

TEST(AccountingCommand, TheLastLineSaysHowManyDaysCameFromTheCache) {
  for (const bool demand : {false, true}) {
    Asked asked;
    asked.options.demand = demand;
    EXPECT_EQ(asked.run(run_usage), kDone);
    EXPECT_TRUE(asked.says("; 6 of 8 days from the cache\n")) << asked.out.str();
    asked.past.told.kept_days = 0;
    asked.run(run_usage);
    EXPECT_FALSE(asked.says("cache")) << asked.out.str();
    asked.past.told.cache_trouble = "/c: other users may open it (chmod 700)";
    asked.run(run_usage);
    EXPECT_TRUE(asked.says("; answers are not kept: /c: other users may open it (chmod 700)\n"))
        << asked.out.str();
  }
}

TEST(AccountingCommand, TheLastLineAndTheDocumentsSayWhatAskingHasCost) {
  Asked asked;
  asked.past.cost = {4, 3 * 512 * 1024, 812, 40'000, Duration{1'234}};
  for (const bool demand : {false, true}) {
    asked.options.demand = demand;
    asked.options.output = OutputFormat::table;
    asked.run(run_usage);
    EXPECT_TRUE(
        asked.says("; 6 of 8 days from the cache; slurmdbd was asked by 4 commands in 1.2 s: 812 lines, "
                   "1.5 MiB\n"))
        << asked.out.str();
    asked.options.output = OutputFormat::json;
    asked.run(run_usage);
    for (const auto& [field, value] : {std::pair{"commands", "4"},
                                       {"seconds", "1.234"},
                                       {"bytes", "1572864"},
                                       {"lines", "812"},
                                       {"lines_from_cache", "40000"}})
      EXPECT_EQ(test::json_at(asked.out.str(), std::string("/cost/") + field), value);
    EXPECT_EQ(test::check_schema(test::schema_text(demand ? "demand" : "usage"), asked.out.str()),
              std::vector<std::string>{});
  }
}

TEST(AccountingCommand, WasteTellsTheSameOfItsQuestions) {
  Asked asked;
  asked.past.jobs.clear();
  asked.past.cost = {3, 2048, 7, 0, Duration{40}};
  EXPECT_EQ(asked.run(run_waste), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("slurmdbd was asked by 3 commands in 0.0 s: 7 lines, 2.0 KiB")) << asked.out.str();
  asked.options.output = OutputFormat::json;
  asked.run(run_waste);
  EXPECT_EQ(test::json_at(asked.out.str(), "/cost/commands"), "3");
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
}

TEST(AccountingCommand, DocumentsTellTheDaysAsTheSchemasSay) {
  Asked asked;
  asked.options.output = OutputFormat::json;
  asked.run(run_usage);
  EXPECT_EQ(test::check_schema(test::schema_text("usage"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"days_from_cache\": 6")) << asked.out.str();
  asked.options.demand = true;
  asked.run(run_usage);
  EXPECT_EQ(test::check_schema(test::schema_text("demand"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"days\": 8")) << asked.out.str();
}

usage::GpuFigures figures(int gpu, float use) {
  usage::GpuFigures one;
  one.node = NodeName("n1"), one.gpu = GpuIndex{gpu}, one.use = Percent{use};
  one.memory_peak = Mib{2'000}, one.memory = Mib{81'559};
  return one;
}

TEST(AccountingCommand, TheShareOfHeldHoursWithFiguresIsToldWithTheirSource) {
  Asked asked;
  EXPECT_EQ(asked.run(run_usage), kDone);
  EXPECT_TRUE(asked.says("it has no use figures")) << asked.out.str();
  asked.past.jobs[0].figures = {figures(0, 40)};
  asked.run(run_usage);
  EXPECT_TRUE(asked.says("; 50 % of held hours have use figures, by jobstats")) << asked.out.str();
  asked.options.output = OutputFormat::json;
  asked.run(run_usage);
  EXPECT_EQ(test::check_schema(test::schema_text("usage"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"jobstats\"")) << asked.out.str();
}

TEST(AccountingCommand, WasteIsToldOfWhatHasFigures) {
  Asked asked;
  asked.past.jobs[0].figures = {figures(0, 0), figures(1, 40)};
  EXPECT_EQ(asked.run(run_waste), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("idle ")) << asked.out.str();
  EXPECT_TRUE(asked.says("4g.40gb would do")) << asked.out.str();
  EXPECT_TRUE(asked.says("100 % of held hours")) << asked.out.str();
  asked.options.more_than = 30;
  EXPECT_EQ(asked.run(run_waste), kFinding);
  asked.options.output = OutputFormat::json;
  asked.run(run_waste);
  EXPECT_EQ(test::check_schema(test::schema_text("waste"), asked.out.str()), std::vector<std::string>{});
}

TEST(AccountingCommand, WhatSlurmGatheredItselfIsNamed) {
  Asked asked;
  usage::PastJob used = asked.past.jobs[0];
  used.id = WorkloadId("8"), used.gathered = usage::Gathered{true};
  asked.past.jobs[0].gathered = usage::Gathered{false};
  asked.past.jobs.push_back(std::move(used));
  EXPECT_EQ(asked.run(run_waste), kDone) << asked.err.str();
  EXPECT_TRUE(asked.says("idle ")) << asked.out.str();
  EXPECT_TRUE(asked.says("it has no use figures; Slurm itself tells which whole GPUs were never used"))
      << asked.out.str();
  asked.options.output = OutputFormat::json;
  asked.run(run_usage);
  EXPECT_EQ(test::check_schema(test::schema_text("usage"), asked.out.str()), std::vector<std::string>{});
  EXPECT_TRUE(asked.says("\"idle_gpu_hours\": 8.0")) << asked.out.str();
}

// "Nothing that was held was idle" would be a lie, and exit code 0 a wrong all-clear.
TEST(AccountingCommand, WithoutFiguresNothingWastedIsNotSaid) {
  Asked asked;
  asked.options.more_than = 0;
  EXPECT_EQ(asked.run(run_waste), kUnknown);
  EXPECT_NE(asked.err.str().find("no job of that time has use figures"), std::string::npos)
      << asked.err.str();
  asked.past.jobs.clear();
  EXPECT_EQ(asked.run(run_waste), kDone) << "nothing was held at all";
}

}  // namespace
}  // namespace tessera::cli::accounting_story
