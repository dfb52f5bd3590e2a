// `tessera whatif`: the answer for people and for scripts.
#include "tui/cli/whatif.hpp"

#include <gtest/gtest.h>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/over_standing.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/look_back.hpp"

namespace tessera::cli::whatif_story {
namespace {

// n1 has a free GPU and a second one that is held whole; three wait for a slice.
struct Asked {
  std::string layout = "3g.40gb@0,3g.40gb@4";
  OutputFormat output = OutputFormat::table;
  std::ostringstream out, err;

  int run() {
    Options options;
    options.command = "whatif";
    options.nodes = "n1";
    options.gpus = {GpuIndex{0}};
    options.layout = layout;
    options.output = output;
    options.timeout = Duration(1500);
    auto hpc = [&] {
      std::vector<Workload> work{test::running("8", "bob", {test::holds("n1", {{1, 1}})})};
      for (const char* id : {"5", "6", "7"}) {
        work.push_back(test::waiting(id, "alice", "gpu:3g.40gb"));
      }
      return std::make_unique<test::StandingBackend>(
          std::vector<Node>{test::node("n1", {test::uncut(0, 0), test::uncut(1, 1)})}, work);
    };
    return test::over_standing(run_whatif, options, hpc, out, err);
  }
};

TEST(WhatIfCommand, SaysWhoStartsSoonerAndWhatThatGains) {
  Asked asked;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  for (const char* part :
       {"n1 of hpc: 3g.40gb@0 + 3g.40gb@4", "within 24 h: 2 start sooner, 0 later or not", "GPU-hours gained",
        "SOONER", "in 5 min", "running without a time limit, and taken to run on: 1"})
    EXPECT_NE(asked.out.str().find(part), std::string::npos) << part << "\n" << asked.out.str();
}

TEST(WhatIfCommand, ItsDocumentIsAsItsSchemaSays) {
  Asked asked;
  asked.output = OutputFormat::json;
  EXPECT_EQ(asked.run(), kDone) << asked.err.str();
  EXPECT_EQ(test::check_schema(test::schema_text("whatif"), asked.out.str()), std::vector<std::string>{})
      << asked.out.str();
  EXPECT_EQ(test::json_at(asked.out.str(), "/sooner/0/id"), "\"5\"");
  EXPECT_EQ(test::json_at(asked.out.str(), "/sooner/0/start_if_left"), "null");
}

TEST(WhatIfCommand, NowIsAMomentToLookAtAsToEachCommandThatLooksBack) {
  Options options;
  options.command = "whatif";
  for (const auto& [at, back] : {std::pair("now", true), std::pair("-2h", true), std::pair("+2h", false)}) {
    options.at = at;
    EXPECT_EQ(looks_back(options, test::at(0)), back) << at;
  }
}

TEST(WhatIfCommand, ALayoutThatCannotBeIsRefusedAsByPlan) {
  Asked asked;
  asked.layout = "9g.10gb";
  EXPECT_NE(asked.run(), kDone);
  EXPECT_EQ(asked.out.str(), "");
  EXPECT_NE(asked.err.str().find("9g.10gb"), std::string::npos) << asked.err.str();
}

}  // namespace
}  // namespace tessera::cli::whatif_story
