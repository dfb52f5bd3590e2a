// Scenarios: the shipped ones live for a day, and a wrong one is told with file and line.
#include "backends/sim/scenario/scenario.hpp"

#include <sys/stat.h>

#include "tests/backends/sim/worlds.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::sim {
namespace scenario_test {

using std::chrono::hours;

std::string error_of(std::string_view text) {
  Result<ScenarioPtr> scenario = parse_scenario(text, "s.yaml", test::shared_catalogue());
  return scenario ? "read" : scenario.error().reason;
}
std::string with(std::string_view line) {
  return "clusters:\n  - name: c\n    users: [ann]\n    partitions: [p]\n    nodes:\n"
         "      - {names: n1, product: H100-80GB-SXM5, gpus: 1, layout: all-1g.10gb}\n" +
         std::string(line);
}

TEST(Scenario, ArmsFaultsFromTheStart) {
  World world =
      world_from(with("    faults: [{fault: 'in-use node=n1 nth=2'}, {at: 1h, do: drain, node: n1}]\n"));
  ASSERT_EQ(world.traps.size(), 1u);
  EXPECT_EQ(to_text(world.traps[0].trap), "in-use node=n1 nth=2");
  EXPECT_NE(error_of(with("    faults: [{fault: boom}]\n")).find("'boom' is no kind of fault"),
            std::string::npos);
  EXPECT_NE(error_of(with("    faults: [{fault: 'in-use node=n9'}]\n")).find("no node 'n9'"),
            std::string::npos);
}

TEST(Scenario, ShippedOnesLiveForADay) {
  std::vector<std::string> names = scenario_names();
  for (const char* expected :
       {"amd", "blackwell", "broken", "demo", "huge", "kubernetes", "kueue", "slinky", "slurm-h100"})
    EXPECT_NE(std::find(names.begin(), names.end(), expected), names.end()) << expected;
  for (const std::string& name : names) {
    if (name == "huge") continue;  // too long a day for a test; its start is looked at below
    for (World& world : worlds_of(name)) {
      EXPECT_EQ(audit(world), std::vector<std::string>{}) << name;
      for (int hour = 1; hour <= 24; ++hour) {
        world.advance(world.start + hours(hour));
        EXPECT_EQ(audit(world), std::vector<std::string>{}) << name << " after " << hour << " h";
      }
      Model model = model_of(world);
      EXPECT_EQ(model.clusters[0].workloads.size(), world.jobs.size()) << "no two workloads share an id";
    }
  }
}

TEST(Scenario, HugeIsAsLargeAsItSays) {
  World world = worlds_of("huge")[0];
  std::size_t gpus = 0;
  for (const NodeState& node : world.nodes) gpus += node.boards.size();
  EXPECT_EQ(world.nodes.size(), 10'000u);
  EXPECT_EQ(gpus, 80'000u);
  EXPECT_NEAR(static_cast<double>(world.jobs.size()), 100'000, 5000);
  EXPECT_EQ(audit(world), std::vector<std::string>{});
}

TEST(Scenario, DemoShowsABitOfEverything) {
  std::vector<World> worlds = worlds_of("demo");
  ASSERT_EQ(worlds.size(), 2u);
  Model slurm = model_of(worlds[0]), kubernetes = model_of(worlds[1]);
  std::set<std::string> reasons;
  for (const Workload& workload : slurm.clusters[0].workloads.all())
    if (workload.state == WorkloadState::pending) reasons.insert(workload.reason);
  for (const char* reason :
       {"Resources", "Priority", "BadConstraints", "Dependency", "JobHeldUser", "QOSMaxGRESPerUser",
        "PartitionTimeLimit", "ReqNodeNotAvail, UnavailableNodes:h100-04"})
    EXPECT_TRUE(reasons.contains(reason)) << reason;
  std::set<Strategy> strategies;
  std::set<Health> healths;
  for (const Model* model : {&slurm, &kubernetes})
    for (const Node& node : model->clusters[0].nodes.all()) {
      healths.insert(node.health);
      for (const Gpu& gpu : node.gpus) strategies.insert(gpu.strategy);
    }
  EXPECT_EQ(strategies, (std::set{Strategy::whole, Strategy::mig, Strategy::mps, Strategy::time_slicing,
                                  Strategy::shard}));
  EXPECT_TRUE(healths.contains(Health::drained));
  EXPECT_TRUE(healths.contains(Health::down));
}

TEST(Scenario, WorkWithoutAUserIsSpreadOverAllUsers) {
  for (const std::string& name : {"demo", "huge"}) {
    World world = worlds_of(name)[0];
    std::map<std::uint32_t, int> jobs;
    for (const auto& [id, job] : world.jobs) ++jobs[job.user];
    EXPECT_EQ(jobs.size(), world.spec().users.size()) << name;
    for (const auto& [user, count] : jobs)
      EXPECT_LT(count, static_cast<int>(world.jobs.size()) / 2)
          << name << ": " << world.spec().users[user].name;
  }
}

TEST(Scenario, WorkRunsInAPartitionOfItsNodes) {
  for (const std::string& name : scenario_names())
    for (const World& world : worlds_of(name))
      for (const auto& [id, job] : world.jobs)
        for (const Claim& claim : job.claims) {
          const std::vector<int>& its = world.group(world.nodes[claim.node]).partitions;
          if (its.empty()) continue;  // Kubernetes
          ASSERT_TRUE(std::find(its.begin(), its.end(), world.spec().shapes[job.shape].partition) !=
                      its.end())
              << name << ": job " << id << " on " << world.node_name(claim.node);
        }
}

TEST(Scenario, NamesFileAndLineOfAnError) {
  EXPECT_EQ(error_of(with("    colour: blue\n")).substr(0, 31), "s.yaml:7: unknown key 'colour';");
  EXPECT_EQ(error_of(with("    jobs:\n      - {want: 'gpu:1', runs: soon}\n")),
            "s.yaml:8: a duration is expected here, such as 90s, 15m, 4h, 2d or 1h30m");
  EXPECT_EQ(error_of(with("    jobs:\n      - {want: 'gpu:1', on: n7}\n")),
            "s.yaml:8: there is no node 'n7'");
  EXPECT_EQ(error_of(with("    jobs:\n      - {want: 'tpu:1'}\n")),
            "s.yaml:8: want 'tpu:1': gpu[:TYPE]:N, mps:N or shard:N is expected");
}

TEST(Scenario, RefusesWhatCannotBe) {
  const std::pair<std::string, const char*> wrong[] = {
      {"", "a map is expected here"},
      {"clusters: []", "there is no cluster in it"},
      {"start: yesterday\nclusters: [{name: c}]", "must read like"},
      {"start: 2026-02-30T00:00:00Z\nclusters: [{name: c}]", "must read like"},
      {"clusters: [{name: c}, {name: c}]", "same name"},
      {"clusters: [{name: c, nodes: [{names: n, product: Abacus}]}]", "in no catalogue"},
      {"clusters: [{name: c, nodes: [{names: n}]}]", "'product' is missing"},
      {"clusters: [{name: c, nodes: [{names: 'n[3-1]', product: T4}]}]", "malformed"},
      {"clusters: [{name: c, nodes: [{names: 'n[1-99999]', product: T4}]}]", "more than 20000 nodes"},
      {"clusters: [{name: c, nodes: [{names: n, product: T4}, {names: n, product: T4}]}]", "already"},
      {"clusters: [{name: c, nodes: [{names: n, product: T4, layout: all-1g.10gb}]}]", "cannot be cut"},
      {"clusters: [{name: c, nodes: [{names: n, product: A100-40GB, layout: '3g.20gb@1'}]}]", "layout"},
      {"clusters: [{name: c, nodes: [{names: n, product: A100-40GB, layout: 'mps:1000'}]}]",
       "number of shares"},
      {"clusters: [{name: c, nodes: [{names: n, product: T4, partitions: [q]}]}]", "no partition 'q'"},
      {"clusters: [{name: c, arrivals: [{every: 1ms, want: 'gpu:1'}]}]", "shorter than 50ms"},
      {"clusters: [{name: c, users: [a, a]}]", "twice"},
      {with("    jobs: [{want: 'gpu:1', count: 400000}]\n"), "whole number"},
      {"clusters: [{name: c, users: [a], partitions: [p, q], nodes: [{names: n, product: T4, partitions: "
       "[q]}], "
       "jobs: [{want: 'gpu:1', on: n, partition: p}]}]",
       "is not in partition 'p'"},
      {with("    jobs: [{want: 'gpu:1', runs: [2h, 1h]}]\n"), "longer than the second"},
      {with("    jobs: [{want: 'gpu:1', does: magic}]\n"), "must be one of"},
  };
  for (const auto& [text, part] : wrong)
    EXPECT_NE(error_of(text).find(part), std::string::npos) << text << "\n" << error_of(text);
}

TEST(Scenario, RefusesAPinWhereNothingIsFree) {
  Result<ScenarioPtr> scenario =
      parse_scenario(with("    jobs:\n      - {want: 'gpu:3g.40gb:1', on: n1/gpu0@4}\n"), "s.yaml",
                     test::shared_catalogue());
  ASSERT_TRUE(scenario.ok());
  Result<World> world = make_world(*scenario, 0, 1, kMonday);
  ASSERT_FALSE(world.ok());
  EXPECT_EQ(world.error().reason, "s.yaml:8: n1 has no free 'gpu:3g.40gb' on GPU 0 at 4");
}

TEST(Scenario, IsFoundByNameOrPathAndOtherwiseSaysWhatThereIs) {
  EXPECT_TRUE(find_scenario("demo", test::shared_catalogue()).ok());
  EXPECT_TRUE(
      find_scenario(test::source_dir() + "/backends/sim/scenarios/demo.yaml", test::shared_catalogue()).ok());
  Result<ScenarioPtr> none = find_scenario("atlantis", test::shared_catalogue());
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().hint.find("slurm-h100"), std::string::npos);
  EXPECT_FALSE(find_scenario("/nonexistent/x.yaml", test::shared_catalogue()).ok());
  EXPECT_FALSE(find_scenario("/", test::shared_catalogue()).ok());
  test::Scratch folder;
  const std::string fifo = folder.path() + "/fifo.yaml";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  Result<ScenarioPtr> pipe = find_scenario(fifo, test::shared_catalogue());
  ASSERT_FALSE(pipe.ok()) << "and it is not waited for";
  EXPECT_EQ(pipe.error().reason, fifo + ": not a regular file");
}

TEST(Words, DurationsAndNamePatterns) {
  EXPECT_EQ(parse_duration("1h30m"), Duration(5'400'000));
  EXPECT_EQ(parse_duration("250ms"), Duration(250));
  for (const char* wrong : {"", "5", "h", "-1h", "1h 2m", "99999999999999999999d", "9999999d", "1w"})
    EXPECT_EQ(parse_duration(wrong), std::nullopt) << wrong;
  EXPECT_EQ(*expand_names("a[01-02,7]b[1-2]", 99),
            (std::vector<std::string>{"a01b1", "a01b2", "a02b1", "a02b2", "a7b1", "a7b2"}));
  for (const char* wrong : {"", "a[", "a[]", "a[1-", "a[x]", "a[1-100]", "a[1-9][1-9][1-9]"})
    EXPECT_EQ(expand_names(wrong, 99), std::nullopt) << wrong;
}

}  // namespace scenario_test
}  // namespace tessera::sim
