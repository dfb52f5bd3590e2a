// The operator joined to a cluster: what it takes over is as it was shown, and what the world does goes on.
#include "backends/sim/gpu_operator/installed.hpp"
#include "backends/sim/step.hpp"
#include "tests/backends/sim/worlds.hpp"
#include "tests/support/kube_lab.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::minutes;

std::map<std::string, std::string> gpus_of(const Json& node) {
  std::map<std::string, std::string> told;
  for (const char* part : {"capacity", "allocatable"})
    if (const Json* map = at(node, {"status", part}))
      for (const auto& [name, value] : map->fields)
        if (name.starts_with("nvidia.com/")) told[part + ("/" + name)] = value.text;
  for (const char* label :
       {"gpu.product", "gpu.count", "gpu.memory", "mig.config", "mig.config.state", "device-plugin.config"})
    told[label] = text_at(node, {"metadata", "labels", std::string("nvidia.com/") + label});
  return told;
}

TEST(Installed, TakesOverWhatTheScenarioShows) {
  for (const char* scenario : {"kubernetes", "demo", "broken", "blackwell"})
    for (World& world : worlds_of(scenario)) {
      if (world.spec().scheduler != Scheduler::kubernetes) continue;
      std::size_t running = 0, still = 0;
      for (const auto& [id, job] : world.jobs) running += job.state == JobState::running;
      TimePoint wall = kMonday;
      Cluster cluster(sim::WorldStore(std::move(world)), 1, [&] { return wall; });
      std::map<std::string, std::map<std::string, std::string>> before;
      for (const ObjectPtr& node : cluster.objects().all("nodes"))
        before[text_at(*node, {"metadata", "name"})] = gpus_of(*node);
      std::unique_ptr<Operator> installed = install_operator(cluster);
      for (const ObjectPtr& node : cluster.objects().all("nodes"))
        EXPECT_EQ(gpus_of(*node), before[text_at(*node, {"metadata", "name"})])
            << scenario << " " << text_at(*node, {"metadata", "name"});
      EXPECT_EQ(audit(cluster.world()), std::vector<std::string>{}) << scenario;
      for (const auto& [id, job] : cluster.world().jobs) still += job.state == JobState::running;
      EXPECT_EQ(still, running) << "no work is disturbed";
      EXPECT_TRUE(cluster.pass(minutes(60)).ok());
      EXPECT_EQ(audit(cluster.world()), std::vector<std::string>{}) << scenario << ", an hour later";
      for (const ObjectPtr& pod : cluster.objects().all("pods", kOperatorNamespace))
        EXPECT_EQ(text_at(*pod, {"status", "phase"}), "Running") << text_at(*pod, {"metadata", "name"});
    }
}

TEST(Installed, BringsTheClientsBackWithTheNode) {
  TimePoint wall = kMonday;
  Cluster cluster(sim::WorldStore(std::move(worlds_of("kubernetes").front())), 1, [&] { return wall; });
  std::unique_ptr<Operator> installed = install_operator(cluster);
  auto allocatable = [&] {
    return text_at(*cluster.objects().find({"nodes", "", "mixed-01"}),
                   {"status", "allocatable", "nvidia.com/mig-1g.10gb"});
  };
  std::string before = allocatable();
  ASSERT_NE(before, "");
  Status ok = cluster.act([](World& world, Changes& changes) {
    WorldStep(world, changes)
        .reboot_node(*find_node(world, "mixed-01"), "reboot", "ops", world.now + kBoot, true);
  });
  ASSERT_TRUE(ok.ok());
  EXPECT_TRUE(cluster.pass(kBoot + std::chrono::seconds(1)).ok());
  EXPECT_EQ(allocatable(), "0");
  EXPECT_TRUE(cluster.pass(minutes(1)).ok());
  EXPECT_EQ(allocatable(), before);
}

// It ended with a crash: at speed 0 nothing was derived of a world that came from a file.
TEST(Installed, AServerWhoseTimeStandsStillBeginsAgainWithTheStateOfTheOneBefore) {
  const test::Scratch folder;
  for (int start = 0; start < 2; ++start) {
    ServeOptions options = test::kube_lab(folder);
    options.world.state_file = folder.path() + "/state";
    options.world.speed = 0;
    const auto server = Server::start(std::move(options));
    ASSERT_TRUE(server.ok()) << start << ": " << to_line(server.error());
  }
}

}  // namespace
}  // namespace tessera::sim::kube
