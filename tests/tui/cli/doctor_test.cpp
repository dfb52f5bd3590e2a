// What doctor ends with: a script that asks it must not take half an answer for health.
#include "tui/cli/doctor.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <tuple>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/over_standing.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli::doctor_story {
namespace {

struct Doctor {
  std::vector<Remark> remarks;
  bool loads = true;
  std::optional<SourceCost> cost;
  std::string fleet;  // the file that the settings name
  OutputFormat output = OutputFormat::json;
  int columns = 0;  // of the terminal
  std::ostringstream out, err;

  int run() {
    Options options;
    options.command = "doctor";
    options.output = output;
    options.paper.columns = columns;
    options.fleet_file = fleet;
    options.timeout = Duration(1500);
    auto hpc = [&] {
      auto backend = std::make_unique<test::StandingBackend>(
          std::vector<Node>{test::node("n1", {test::uncut(0, 0)})}, std::vector<Workload>{});
      backend->remarks = remarks;
      backend->loads = loads;
      backend->cost = cost;
      return backend;
    };
    return test::over_standing(run_doctor, options, hpc, out, err);
  }
};

TEST(DoctorEnds, WithZeroWhereNothingNeedsAttention) {
  Doctor doctor;
  EXPECT_EQ(doctor.run(), kDone) << doctor.out.str();
  doctor.remarks = {{Remark::Grade::info, "slurm.conf", false, "a word by the way", ""}};
  EXPECT_EQ(doctor.run(), kDone) << doctor.out.str();
}

TEST(DoctorEnds, WithAFindingWhereThereIsAWarning) {
  Doctor doctor;
  doctor.remarks = {{Remark::Grade::warning, "slurm.conf", false, "nodes differ", ""}};
  EXPECT_EQ(doctor.run(), kFinding) << doctor.out.str();
  doctor.remarks[0].grade = Remark::Grade::danger;
  EXPECT_EQ(doctor.run(), kFinding) << doctor.out.str();
}

TEST(DoctorEnds, AsUnknownWhereAClusterDidNotTellAllInTime) {
  Doctor doctor;
  doctor.loads = false;
  EXPECT_EQ(doctor.run(), kUnknown);
  EXPECT_NE(doctor.err.str().find("no complete answer"), std::string::npos) << doctor.err.str();
  EXPECT_EQ(doctor.out.str(), "");
}

// JSON and tables had no word of what the console tells as "≥2 h 05 min".
TEST(DoctorSince, OfWhatNoTimeIsToldIsTheTimeSinceWhichItWasSeenAtLeast) {
  Doctor doctor;
  doctor.remarks = {{Remark::Grade::danger, "n1", true, "remapping a row of its memory failed", "look"}};
  doctor.remarks[0].seen = test::at(-7500);
  EXPECT_EQ(doctor.run(), kFinding);
  const std::string json = doctor.out.str();
  EXPECT_EQ(test::check_schema(test::schema_text("doctor"), json), std::vector<std::string>());
  EXPECT_EQ(test::json_at(json, "/findings/0/since"), "null") << json;
  EXPECT_EQ(test::json_at(json, "/findings/0/seen_since"), "\"2027-01-15T05:55:00Z\"") << json;
  const auto table = [&] {
    doctor.out.str("");
    doctor.output = OutputFormat::table;
    EXPECT_EQ(doctor.run(), kFinding);
    return doctor.out.str();
  };
  EXPECT_NE(table().find("SINCE"), std::string::npos) << doctor.out.str();
  EXPECT_NE(doctor.out.str().find("  ≥2 h 05 min  "), std::string::npos) << doctor.out.str();
  doctor.columns = 70;
  EXPECT_NE(table().find("since: not reported; tessera has seen it for 2 h 05 min"), std::string::npos)
      << doctor.out.str();
  doctor.columns = 0, doctor.remarks[0].since = test::at(-3600);
  EXPECT_NE(table().find("  1 h 00 min  "), std::string::npos) << doctor.out.str();
  EXPECT_EQ(doctor.out.str().find("≥"), std::string::npos) << doctor.out.str();
}

// Whoever does not read the timer's output was told by the verbs of fleet alone.
TEST(DoctorFleet, WhatFleetRunSkipsForItsBudgetIsAFindingWhereTheSettingsNameTheFile) {
  const std::string path = testing::TempDir() + "doctor_fleet.yaml";
  const auto with = [&](const std::string& text) {
    std::ofstream(path) << text;
    Doctor doctor;
    doctor.fleet = path, doctor.output = OutputFormat::json;
    const int code = doctor.run();
    EXPECT_EQ(test::check_schema(test::schema_text("doctor"), doctor.out.str()), std::vector<std::string>());
    return std::pair(code, doctor.out.str());
  };
  const std::string pool =
      "pools: [{name: a, nodes: n1, layout: none, windows: [{when: 'Fri 07:00-09:00', "
      "layout: empty}], budget: {not_after: '";
  auto [code, out] = with(pool + "07:30'}}]");
  EXPECT_EQ(code, kFinding) << out;
  EXPECT_EQ(test::json_at(out, "/findings/0/subject"), "\"pool a\"") << out;
  EXPECT_NE(out.find("fleet run skips it: by not_after a change may begin until Fri 2027-01-15 07:30 UTC"),
            std::string::npos)
      << out;
  std::tie(code, out) = with(pool + "08:30'}}]");
  EXPECT_EQ(code, kDone) << "a drift that fleet run mends is none of doctor's" << out;
  std::tie(code, out) = with("pools: [{name: a}]");
  EXPECT_EQ(code, kFinding) << out;
  EXPECT_NE(out.find("fleet run begins nothing: "), std::string::npos) << out;
  std::filesystem::remove(path);
  EXPECT_EQ(Doctor().run(), kDone) << "no file is named";
}

// Its findings told what fleet run skips, and not that it does nothing at all.
TEST(DoctorFleet, APauseOfFleetRunIsAFindingWithWhoSinceWhenAndWhatLiftsIt) {
  const std::string path = testing::TempDir() + "doctor_paused.yaml";
  std::ofstream(path) << "pools: [{name: a, layout: as-is}]";
  const auto run = [&] {
    Doctor doctor;
    doctor.fleet = path;
    const int code = doctor.run();
    EXPECT_EQ(test::check_schema(test::schema_text("doctor"), doctor.out.str()), std::vector<std::string>());
    return std::pair(code, doctor.out.str());
  };
  EXPECT_EQ(run().first, kDone);
  std::ofstream(path + ".paused") << "2027-01-15T07:00:00Z by bob";
  const auto [code, out] = run();
  EXPECT_EQ(code, kFinding) << out;
  EXPECT_EQ(test::json_at(out, "/findings/0/text"),
            "\"fleet run is paused for this file since 2027-01-15T07:00:00Z by bob\"")
      << out;
  EXPECT_EQ(test::json_at(out, "/findings/0/since"), "\"2027-01-15T07:00:00Z\"") << out;
  EXPECT_EQ(test::json_at(out, "/findings/0/commands/0"), "\"tessera fleet unpause " + path + "\"") << out;
  std::ofstream(path) << "pools: [{name: a}]";
  const std::string of_both = run().second;
  EXPECT_NE(of_both.find("is paused"), std::string::npos) << of_both;
  EXPECT_NE(of_both.find("fleet run begins nothing: "), std::string::npos) << of_both;
  std::filesystem::remove(path), std::filesystem::remove(path + ".paused");
}

TEST(DoctorCosts, StandInJsonAsCountsAndRatesAndAreNullWhereTheyAreNotMeasured) {
  Doctor doctor;
  EXPECT_EQ(doctor.run(), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("doctor"), doctor.out.str()), std::vector<std::string>());
  EXPECT_EQ(test::json_at(doctor.out.str(), "/sources/0/source"), "\"simulator\"");
  for (const char* field : {"calls", "bytes", "counted_s", "calls_per_minute", "bytes_per_minute", "failure"})
    EXPECT_EQ(test::json_at(doctor.out.str(), std::string("/sources/0/") + field), "null") << field;
  doctor.out.str("");
  doctor.cost = SourceCost{7, 5'000, std::chrono::minutes(2)};
  EXPECT_EQ(doctor.run(), kDone);
  const std::string json = doctor.out.str();
  EXPECT_EQ(test::check_schema(test::schema_text("doctor"), json), std::vector<std::string>());
  EXPECT_EQ(test::json_at(json, "/sources/0/cluster"), "\"hpc\"");
  EXPECT_EQ(test::json_at(json, "/sources/0/calls"), "7");
  EXPECT_EQ(test::json_at(json, "/sources/0/bytes"), "5000");
  EXPECT_EQ(test::json_at(json, "/sources/0/counted_s"), "120");
  EXPECT_EQ(test::json_at(json, "/sources/0/calls_per_minute"), "3.5");
  EXPECT_EQ(test::json_at(json, "/sources/0/bytes_per_minute").substr(0, 4), "2500");
}

TEST(DoctorCosts, StandBelowTheFindingsOfAWideTableAlone) {
  Doctor doctor;
  doctor.output = OutputFormat::wide;
  EXPECT_EQ(doctor.run(), kDone);
  EXPECT_NE(doctor.out.str().find("nothing needs attention\n\nCLUSTER  SOURCE     CALLS  BYTES\n"
                                  "hpc      simulator    n/a    n/a\n"),
            std::string::npos)
      << doctor.out.str();
  doctor.out.str("");
  doctor.cost = SourceCost{7, 5'000, std::chrono::minutes(2)};
  EXPECT_EQ(doctor.run(), kDone);
  EXPECT_NE(doctor.out.str().find("    7  4.9 KiB\n"), std::string::npos) << doctor.out.str();
  doctor.out.str("");
  doctor.output = OutputFormat::table;
  EXPECT_EQ(doctor.run(), kDone);
  EXPECT_EQ(doctor.out.str(), "nothing needs attention\n");
}

}  // namespace
}  // namespace tessera::cli::doctor_story
