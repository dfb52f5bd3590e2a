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

// The screen told the way out of each, and the command line that something is wrong.
TEST_F(FleetCommandLine, EachNodeThatDiffersHasItsWayOutAsTextAndInJson) {
  some_unknown = true;
  const std::string path =
      file("pools:\n- {name: a, nodes: n1, layout: 7g.141gb}\n- {name: b, layout: empty}\n");
  const std::string drifts = "tessera fleet plan --node n2 " + path +
                             " plans this node, and tessera fleet plan " + path + " all of its cluster",
                    impossible =
                        "edit line 2 of the file, then tessera fleet check " + path + " reads it again",
                    unknown =
                        "tessera doctor names what is in the way; layout: as-is leaves it alone until it can "
                        "be read";
  for (const char* verb : {"check", "diff"}) {
    EXPECT_EQ(run({verb, path}), kFinding) << err.str();
    for (const std::string& line : {"n2: " + drifts, "n1: " + impossible, "n3: " + unknown})
      EXPECT_NE(out.str().find("\n" + line + "\n"), std::string::npos) << verb << line << "\n" << out.str();
  }
  EXPECT_EQ(run({"explain", "n2", path}), kDone) << err.str();
  EXPECT_NE(out.str().find("  way out: " + drifts), std::string::npos) << out.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", path}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  for (const std::string& way : {drifts, impossible, unknown})
    EXPECT_NE(out.str().find("\"way_out\": \"" + way + "\""), std::string::npos) << way << out.str();
}

TEST_F(FleetCommandLine, NodesWithOneWayOutShareALine) {
  stands = [] {
    std::vector<Node> nodes{test::node("n1", {test::uncut(0, 0)}), test::node("n2", {test::uncut(0, 0)})};
    return std::make_unique<test::StandingBackend>(std::move(nodes), std::vector<Workload>{});
  };
  const std::string path = file("pools: [{name: a, layout: empty}]");
  EXPECT_EQ(run({"check", path}), kFinding) << err.str();
  EXPECT_NE(out.str().find("\nn[1-2]: tessera fleet plan --node 'n[1-2]' " + path +
                           " plans these nodes, and tessera fleet plan " + path + " all of their cluster\n"),
            std::string::npos)
      << out.str();
}

// Without it the command was refused where several clusters are open, or was about another cluster.
TEST_F(FleetCommandLine, TheWayOutNamesTheClusterThatWasChosen) {
  const std::string path = file("pools: [{name: a, nodes: n2, layout: empty}]");
  options.cluster = "hpc";
  EXPECT_EQ(run({"check", path}), kFinding) << err.str();
  EXPECT_NE(out.str().find("tessera fleet plan --node n2 " + path + " --cluster hpc plans this node, and "),
            std::string::npos)
      << out.str();
}

// A path was cut after 300 bytes, and the command named another file.
TEST_F(FleetCommandLine, TheWayOutNamesALongPathWhole) {
  const std::string deep = folder + "/" + std::string(200, 'a') + "/" + std::string(200, 'b');
  std::filesystem::create_directories(deep);
  std::ofstream(deep + "/fleet.yaml") << "pools: [{name: a, nodes: n2, layout: empty}]";
  EXPECT_EQ(run({"check", deep + "/fleet.yaml"}), kFinding) << err.str();
  EXPECT_NE(out.str().find("tessera fleet plan --node n2 " + deep + "/fleet.yaml plans this node, and "),
            std::string::npos)
      << out.str();
}

// A site of two schedulers had to guess that it is to be asked about each of them.
TEST_F(FleetCommandLine, EachOfSeveralClustersHasAPlanAndApplyNamesTheCommandOfEach) {
  beside = [] {
    auto other = std::make_unique<test::StandingBackend>(
        std::vector<Node>{test::node("k1", {test::uncut(0, 0)})}, std::vector<Workload>{});
    other->called = "prod", other->id = "prod-1";
    return other;
  };
  const std::string path = file(
      "pools:\n- {name: a, cluster: hpc, nodes: n2, layout: 7x1g.10gb}\n"
      "- {name: b, cluster: prod, layout: 7x1g.10gb}\n");
  const auto commands = [&](const std::string& verb) {
    return fmt::format("tessera fleet {0} {1} --cluster hpc; tessera fleet {0} {1} --cluster prod", verb,
                       path);
  };
  EXPECT_EQ(run({"plan", path}), kDone) << err.str();
  for (const char* shown : {"hpc:\n", "prod:\n", "n2", "k1"})
    EXPECT_NE(out.str().find(shown), std::string::npos) << shown << out.str();
  EXPECT_NE(err.str().find("each plan is applied by itself, with the same flags: " + commands("apply")),
            std::string::npos)
      << err.str();
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"plan", path}), kUsage) << "two documents are no document";
  EXPECT_NE(err.str().find(commands("plan")), std::string::npos) << err.str();
  options.output = OutputFormat::table, options.write = options.yes = true;
  EXPECT_EQ(run({"apply", path}), kUsage);
  EXPECT_NE(err.str().find(commands("apply")), std::string::npos) << err.str();
  EXPECT_EQ(begun(), 0);
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

// "…: cannot plan n1: ..." was said of both.
TEST_F(FleetCommandLine, NodesWhoseChangeIsRefusedForOneReasonAreToldItOnce) {
  options.write = options.yes = true;
  stands = [] {
    Gpu other = test::uncut(1, 1, "A100-40GB");
    other.mig_mode = MigMode::enable_pending;
    std::vector<Node> nodes;
    for (const char* name : {"n1", "n2"})
      nodes.push_back(test::node(name, {test::uncut(0, 0, "A100-40GB"), other}));
    nodes.push_back(test::node("n3", {test::uncut(0, 0, "A100-40GB")}));
    return std::make_unique<test::StandingBackend>(std::move(nodes), std::vector<Workload>{});
  };
  EXPECT_EQ(run({"apply", file("pools: [{name: a, gpus: {0: 3g.20gb}}]")}), kFinding);
  EXPECT_NE(err.str().find("n[1-2] drift, and no plan changes them: the GPU reset would also "),
            std::string::npos)
      << err.str();
  EXPECT_EQ(err.str().find("cannot plan"), std::string::npos) << err.str();
}

TEST_F(FleetCommandLine, JsonWantsNothingOfAGpuThatHasNoSuchPreset) {
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", file("pools: [{name: a, preset: all-misspelt}]")}), kFinding);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  EXPECT_NE(out.str().find("\"wanted\": null"), std::string::npos) << out.str();
  EXPECT_EQ(out.str().find("\"wanted\": \"none\""), std::string::npos) << out.str();
}

// A window below a wider one changed nothing, and no verb said so.
TEST_F(FleetCommandLine, AWindowThatNeverHoldsIsToldWithItsLineAndIsNoDrift) {
  some_unknown = false;
  const std::string path = file(
      "pools:\n- name: a\n  layout: as-is\n  windows:\n  - {when: daily, layout: as-is}\n"
      "  - {when: 'Mon-Fri 20:00-07:00', layout: none}\n");
  const std::string never =
      "its window Mon-Fri 20:00-07:00 (line 6) never holds: the window above it in line 5 holds";
  for (const std::vector<std::string>& words : {std::vector<std::string>{"check", path},
                                                {"diff", path},
                                                {"explain", "n1", path},
                                                {"calendar", path}}) {
    EXPECT_EQ(run(words), kDone) << words[0] << err.str();
    EXPECT_NE(out.str().find(never), std::string::npos) << words[0] << "\n" << out.str();
  }
  options.output = OutputFormat::json;
  EXPECT_EQ(run({"check", path}), kDone);
  EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
  EXPECT_NE(out.str().find(never), std::string::npos) << out.str();
}

// diff alone said so, and both ended with 0.
TEST_F(FleetCommandLine, WhatIsAdvertisedOtherwiseThanMadeIsAFindingOfCheckAndDiff) {
  int advertised = 3;
  stands = [&] {
    Node one = test::node("n1", {test::uncut(0, 0)});
    one.allocatable = {{"gpu:h100", advertised}};
    return std::make_unique<test::StandingBackend>(std::vector<Node>{one}, std::vector<Workload>{});
  };
  const std::string path = file("pools: [{name: a, layout: none}]");
  for (const char* verb : {"check", "diff"}) {
    advertised = 3;
    EXPECT_EQ(run({verb, path}), kFinding) << out.str();
    EXPECT_NE(out.str().find("n1 advertises gpu:h100 3, and what is made there would be gpu 1: "),
              std::string::npos)
        << out.str();
    advertised = 1;
    EXPECT_EQ(run({verb, path}), kDone) << out.str();
    EXPECT_EQ(out.str().find("advertises"), std::string::npos) << out.str();
  }
  advertised = 3;
  EXPECT_EQ(run({"plan", path}), kDone) << "no plan changes what is advertised: " << err.str();
}

// "as wanted" was Slurm's word, and nothing said so.
TEST_F(FleetCommandLine, CheckSaysOfWhichNodesTheDriverWasNotAsked) {
  Source source = Source::slurm_nodes;
  stands = [&] {
    Node one = test::node("n1", {test::uncut(0, 0)});
    one.allocatable = {{"gpu:h100", 3}};
    one.gpus[0].origin.source = source;
    return std::make_unique<test::StandingBackend>(std::vector<Node>{one}, std::vector<Workload>{});
  };
  const std::string path = file("pools: [{name: a, layout: none}]");
  EXPECT_EQ(run({"check", path}), kDone) << out.str();
  EXPECT_TRUE(
      out.str().starts_with("hpc: what is made on n1 is known from Slurm only: its driver was not asked\n"))
      << out.str();
  const auto of_node = [&](const char* key) {
    options.output = OutputFormat::json;
    run({"check", path});
    EXPECT_EQ(test::check_schema(test::schema_text("fleet"), out.str()), std::vector<std::string>{});
    auto document = parse_json(out.str(), "fleet");
    options.output = OutputFormat::table;
    return to_line(*document.value().find("clusters")->items.at(0).find("nodes")->items.at(0).find(key));
  };
  EXPECT_EQ(of_node("driver_asked"), "false");
  EXPECT_EQ(of_node("advertised_as_made"), "null");
  source = Source::nvidia_smi;
  EXPECT_EQ(run({"check", path}), kFinding) << "the driver's word differs from its Gres";
  EXPECT_EQ(of_node("driver_asked"), "true");
  EXPECT_EQ(of_node("advertised_as_made"), "false");
}

}  // namespace
}  // namespace tessera::cli
