// What tessera fleet run skips for the budget of a pool is told by the verbs that look, too, and each thing
// once.
#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::at;
using test::FleetCommandLine;

// Only the run itself said so, and a timer's output is read by few.
TEST_F(FleetCommandLine, WhatRunSkipsForItsBudgetIsAFindingOfCheckAfterwards) {
  alices.ends = at(3 * 3600);
  const std::string path = file(
      "pools: [{name: a, nodes: n1, layout: 7g.80gb, evict: requeue, budget: {max_disturbed: 0}}, {name: b, "
      "layout: as-is}]");
  const std::string why =
      "pool a: fleet run skips it: its change would evict more jobs or pods (1) than max_disturbed allows "
      "(0): 1 (alice) until Fri 2027-01-15 11:00. By their time limits it fits from Fri 2027-01-15 11:00 UTC "
      "on; or raise max_disturbed to 1";
  for (const char* verb : {"check", "diff"}) {
    EXPECT_EQ(run({verb, path}), kFinding);
    EXPECT_NE(out.str().find(why), std::string::npos) << verb << out.str();
  }
  EXPECT_EQ(run({"explain", "n1", path}), kDone);
  EXPECT_NE(out.str().find("fleet run skips it: its change would evict"), std::string::npos) << out.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  options.output = OutputFormat::table;
  // What is waited for, and what the budget allows, is skipped by none.
  for (const char* may :
       {"evict: wait, budget: {max_disturbed: 0}", "evict: requeue, budget: {max_disturbed: 1}"}) {
    EXPECT_EQ(run({"check", file(std::string("pools: [{name: a, nodes: n1, layout: 7g.80gb, ") + may +
                                 "}, {name: b, layout: as-is}]")}),
              kFinding);
    EXPECT_EQ(out.str().find("skips"), std::string::npos) << out.str();
  }
  EXPECT_EQ(run({"check", file("pools: [{name: a, nodes: n2, layout: none, budget: {not_after: '07:30'}, "
                               "windows: [{when: 'Fri 07:00-09:00', layout: empty}]}, {name: b, layout: "
                               "as-is}]")}),
            kFinding);
  EXPECT_NE(out.str().find("pool a: fleet run skips it: by not_after a change may begin until Fri 2027-01-15 "
                           "07:30 UTC only."),
            std::string::npos)
      << out.str();
}

// Its JSON had no word of them.
TEST_F(FleetCommandLine, ADryRunListsThePoolsThatItSkips) {
  options.dry_run = true;
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"run", file("pools: [{name: a, nodes: n1, layout: 7g.80gb, evict: requeue, budget: "
                             "{max_disturbed: 0}}, {name: b, layout: as-is}]")}),
            kFinding);
  EXPECT_EQ(test::json_at(out.str(), "/skipped/0/pool"), "\"a\"") << out.str();
  EXPECT_NE(test::json_at(out.str(), "/skipped/0/why").find("its change would evict"), std::string::npos);
  EXPECT_EQ(test::json_at(out.str(), "/due"), "[]");
}

// A run is to be kept from beginning first, and the file mended then.
TEST_F(FleetCommandLine, AFileWithAnErrorCanBePausedAndThatIsTold) {
  const std::string path = file("pools: [{name: a, layouts: none}]");
  EXPECT_EQ(run({"pause", path}), kDone) << err.str();
  EXPECT_NE(err.str().find("tessera fleet run is paused for this file since"), std::string::npos);
  EXPECT_EQ(run({"unpause", path}), kDone) << err.str();
  EXPECT_EQ(run({"pause", path + ".not"}), kUsage) << "a slip of the keys pauses nothing";
}

// The calendar names it, and the runs below it named it again.
TEST_F(FleetCommandLine, ADryRunNamesAWindowThatNeverHoldsOnce) {
  options.dry_run = true;
  const std::string path = file(
      "pools: [{name: a, nodes: n2, layout: none, windows: [{when: daily, layout: none}, {when: 'Mon', "
      "layout: empty}]}, {name: b, layout: as-is}]");
  const auto told = [](const std::string& text) { return text.find("never holds") != std::string::npos; };
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_TRUE(told(out.str())) << out.str();
  EXPECT_FALSE(told(err.str())) << err.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"run", path}), kDone) << err.str();
  EXPECT_TRUE(told(err.str())) << "its JSON does not have it: " << err.str();
}

}  // namespace
}  // namespace tessera::cli
