// What tessera fleet says of nodes that are not as the file wants them: in which order, how often, and in
// JSON.
#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "tests/support/json_check.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FleetCommandLine;

// What differs for certain stood between what is not known, in the order of the nodes.
TEST_F(FleetCommandLine, CheckNamesFirstWhatIsCertainlyWrong) {
  some_unknown = true;
  const auto order = [&](const std::string& text) {
    std::string nodes;
    EXPECT_EQ(run({"check", file(text)}), kFinding) << err.str();
    std::istringstream lines(out.str());
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("hpc      ")) nodes += line.substr(9, 2) + " ";
    return nodes;
  };
  EXPECT_EQ(order("pools:\n- {name: a, nodes: n1, layout: 7g.141gb}\n- {name: b, layout: empty}\n"),
            "n2 n1 n3 ");
}

// A pool that fifteen nodes cannot become was fifteen lines before the plan.
TEST_F(FleetCommandLine, NodesThatAreLeftOutForOneReasonAreNamedTogether) {
  stands = [] {
    std::vector<Node> nodes{test::node("n01", {test::uncut(0, 0)})};
    for (int i = 2; i <= 16; ++i)
      nodes.push_back(test::node(fmt::format("n{:02}", i), {test::uncut(0, 0, "A30-24GB")}));
    return std::make_unique<test::StandingBackend>(std::move(nodes), std::vector<Workload>{});
  };
  EXPECT_EQ(run({"plan", file("pools: [{name: a, layout: 7x1g.10gb}]")}), kFinding) << err.str();
  const std::string told = err.str();
  EXPECT_NE(told.find("n[02-16] are left out: "), std::string::npos) << told;
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << told;
}

TEST_F(FleetCommandLine, JsonWantsNothingOfAGpuThatHasNoSuchPreset) {
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", file("pools: [{name: a, preset: all-misspelt}]")}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  EXPECT_NE(out.str().find("\"wanted\": null"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("\"wanted\": \"none\""), std::string::npos) << out.str();
}

}  // namespace
}  // namespace tessera::cli
