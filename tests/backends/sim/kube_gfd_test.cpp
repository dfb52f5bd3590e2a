// What the device plugin offers and feature discovery labels, against a real node's labels and the engine's
// own idea of the resources.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backends/figures/dcgm.hpp"
#include "backends/sim/gpu_operator/gfd.hpp"
#include "backends/sim/gpu_operator/project/metrics.hpp"
#include "backends/sim/snapshot.hpp"
#include "backends/sim/step.hpp"
#include "engine/sharing/resources.hpp"
#include "tests/backends/sim/hands.hpp"

namespace tessera::sim::kube {
namespace {

using sharing::MigStrategy;

World place(std::string_view nodes) {
  return world_from(
      fmt::format("clusters: [{{name: c, scheduler: kubernetes, users: [u], nodes: [{}]}}]", nodes));
}

PluginConfig config_from(std::string_view yaml) {
  Result<PluginConfig> config = parse_plugin_config(yaml, "test");
  if (!config) ADD_FAILURE() << to_line(config.error());
  return config ? *config : PluginConfig{};
}

Labels labels_of(const World& world, MigStrategy strategy, const PluginConfig& config = {}) {
  Discovered found = discover(gpu_node(world, 0), config, strategy, kMonday);
  EXPECT_EQ(found.refuses, std::nullopt);
  return found.labels;
}

std::string refusal_of(std::string_view yaml) {
  Result<PluginConfig> config = parse_plugin_config(yaml, "test");
  return config ? "" : config.error().reason;
}

// The labels of an H100 cut all-balanced, as the GPU operator's documentation prints them (driver 550.54.15).
// Left out: what the GPU does not decide (its machine, the time).
TEST(Gfd, LabelsAnH100AsARealOneIs) {
  World world =
      place("{names: n, product: H100-80GB-SXM5, gpus: 1, layout: all-balanced, driver: 550.54.15}");
  Labels labels = labels_of(world, MigStrategy::mixed);
  const Labels real = {
      {"nvidia.com/cuda.driver-version.full", "550.54.15"},
      {"nvidia.com/cuda.driver-version.major", "550"},
      {"nvidia.com/cuda.driver-version.minor", "54"},
      {"nvidia.com/cuda.driver-version.revision", "15"},
      {"nvidia.com/cuda.driver.major", "550"},
      {"nvidia.com/cuda.driver.minor", "54"},
      {"nvidia.com/cuda.driver.rev", "15"},
      {"nvidia.com/cuda.runtime-version.full", "12.4"},
      {"nvidia.com/cuda.runtime-version.major", "12"},
      {"nvidia.com/cuda.runtime-version.minor", "4"},
      {"nvidia.com/cuda.runtime.major", "12"},
      {"nvidia.com/cuda.runtime.minor", "4"},
      {"nvidia.com/gpu.compute.major", "9"},
      {"nvidia.com/gpu.compute.minor", "0"},
      {"nvidia.com/gpu.count", "1"},
      {"nvidia.com/gpu.family", "hopper"},
      {"nvidia.com/gpu.memory", "81559"},
      {"nvidia.com/gpu.mode", "compute"},
      {"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"},
      {"nvidia.com/gpu.replicas", "0"},
      {"nvidia.com/gpu.sharing-strategy", "none"},
      {"nvidia.com/mig-1g.10gb.count", "2"},
      {"nvidia.com/mig-1g.10gb.engines.copy", "1"},
      {"nvidia.com/mig-1g.10gb.engines.decoder", "1"},
      {"nvidia.com/mig-1g.10gb.engines.encoder", "0"},
      {"nvidia.com/mig-1g.10gb.engines.jpeg", "1"},
      {"nvidia.com/mig-1g.10gb.engines.ofa", "0"},
      {"nvidia.com/mig-1g.10gb.memory", "9984"},
      {"nvidia.com/mig-1g.10gb.multiprocessors", "16"},
      {"nvidia.com/mig-1g.10gb.product", "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb"},
      {"nvidia.com/mig-1g.10gb.replicas", "1"},
      {"nvidia.com/mig-1g.10gb.sharing-strategy", "none"},
      {"nvidia.com/mig-1g.10gb.slices.ci", "1"},
      {"nvidia.com/mig-1g.10gb.slices.gi", "1"},
      {"nvidia.com/mig-2g.20gb.count", "1"},
      {"nvidia.com/mig-2g.20gb.engines.copy", "2"},
      {"nvidia.com/mig-2g.20gb.engines.decoder", "2"},
      {"nvidia.com/mig-2g.20gb.engines.encoder", "0"},
      {"nvidia.com/mig-2g.20gb.engines.jpeg", "2"},
      {"nvidia.com/mig-2g.20gb.engines.ofa", "0"},
      {"nvidia.com/mig-2g.20gb.memory", "20096"},
      {"nvidia.com/mig-2g.20gb.multiprocessors", "32"},
      {"nvidia.com/mig-2g.20gb.product", "NVIDIA-H100-80GB-HBM3-MIG-2g.20gb"},
      {"nvidia.com/mig-2g.20gb.replicas", "1"},
      {"nvidia.com/mig-2g.20gb.sharing-strategy", "none"},
      {"nvidia.com/mig-2g.20gb.slices.ci", "2"},
      {"nvidia.com/mig-2g.20gb.slices.gi", "2"},
      {"nvidia.com/mig-3g.40gb.count", "1"},
      {"nvidia.com/mig-3g.40gb.engines.copy", "3"},
      {"nvidia.com/mig-3g.40gb.engines.decoder", "3"},
      {"nvidia.com/mig-3g.40gb.engines.encoder", "0"},
      {"nvidia.com/mig-3g.40gb.engines.jpeg", "3"},
      {"nvidia.com/mig-3g.40gb.engines.ofa", "0"},
      // The catalogue has the figure of later drivers; this one said 40320.
      {"nvidia.com/mig-3g.40gb.memory", "40448"},
      {"nvidia.com/mig-3g.40gb.multiprocessors", "60"},
      {"nvidia.com/mig-3g.40gb.product", "NVIDIA-H100-80GB-HBM3-MIG-3g.40gb"},
      {"nvidia.com/mig-3g.40gb.replicas", "1"},
      {"nvidia.com/mig-3g.40gb.sharing-strategy", "none"},
      {"nvidia.com/mig-3g.40gb.slices.ci", "3"},
      {"nvidia.com/mig-3g.40gb.slices.gi", "3"},
      {"nvidia.com/mig.capable", "true"},
      {"nvidia.com/mig.strategy", "mixed"},
      {"nvidia.com/mps.capable", "false"},
  };
  labels.erase("nvidia.com/gfd.timestamp");
  labels.erase("nvidia.com/gpu.machine");
  EXPECT_EQ(labels, real);
  for (const auto& [key, value] : labels) EXPECT_TRUE(is_discovered(key)) << key;
  for (const char* other : {"nvidia.com/mig.config", "nvidia.com/mig.config.state", "nvidia.com/gpu.present",
                            "nvidia.com/gpu.deploy.dcgm", "kubernetes.io/arch"})
    EXPECT_FALSE(is_discovered(other)) << other;
}

TEST(Gfd, NamesASingleStrategyByItsProfileAndAMixedOneAsInvalid) {
  World alike = place("{names: n, product: A100-40GB, gpus: 8, layout: all-1g.5gb}");
  Labels labels = labels_of(alike, MigStrategy::single);
  EXPECT_EQ(labels["nvidia.com/gpu.product"], "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb");
  EXPECT_EQ(labels["nvidia.com/gpu.count"], "56");
  EXPECT_EQ(labels["nvidia.com/gpu.memory"], "4864");
  EXPECT_EQ(labels["nvidia.com/gpu.slices.gi"], "1");
  EXPECT_EQ(offer_of(gpu_node(alike, 0), {}, MigStrategy::single).resources,
            (std::map<std::string, std::int64_t>{{"nvidia.com/gpu", 56}}));

  for (const char* layouts : {"[all-1g.5gb, all-2g.10gb]", "[all-1g.5gb, whole]", "[all-1g.5gb, empty]"}) {
    World world = place(fmt::format("{{names: n, product: A100-40GB, gpus: 2, layouts: {}}}", layouts));
    labels = labels_of(world, MigStrategy::single);
    EXPECT_EQ(labels["nvidia.com/gpu.product"], "NVIDIA-A100-SXM4-40GB-MIG-INVALID") << layouts;
    EXPECT_EQ(labels["nvidia.com/gpu.count"], "0") << layouts;
    EXPECT_EQ(labels["nvidia.com/gpu.replicas"], "0") << layouts;
    EXPECT_EQ(labels["nvidia.com/gpu.memory"], "0") << layouts;
    EXPECT_EQ(labels["nvidia.com/gpu.sharing-strategy"], "") << layouts;
    EXPECT_EQ(offer_of(gpu_node(world, 0), {}, MigStrategy::single).resources.at("nvidia.com/gpu"), 0);
  }
}

TEST(Gfd, SharesByTimeAndRenamesOnlyWhenAsked) {
  World world = place("{names: n, product: T4, gpus: 4, driver: 535.183.06}");
  PluginConfig config =
      config_from("version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}");
  Labels labels = labels_of(world, MigStrategy::single, config);
  EXPECT_EQ(labels["nvidia.com/gpu.product"], "Tesla-T4-SHARED");
  EXPECT_EQ(labels["nvidia.com/gpu.count"], "4");
  EXPECT_EQ(labels["nvidia.com/gpu.replicas"], "4");
  EXPECT_EQ(labels["nvidia.com/gpu.sharing-strategy"], "time-slicing");
  EXPECT_EQ(labels["nvidia.com/gpu.family"], "turing");
  EXPECT_EQ(labels["nvidia.com/mig.capable"], "false");
  EXPECT_EQ(offer_of(gpu_node(world, 0), config, MigStrategy::single).resources,
            (std::map<std::string, std::int64_t>{{"nvidia.com/gpu", 16}}));
  config.rename = true;
  labels = labels_of(world, MigStrategy::single, config);
  EXPECT_EQ(labels["nvidia.com/gpu.product"], "Tesla-T4");
  EXPECT_EQ(offer_of(gpu_node(world, 0), config, MigStrategy::single).resources,
            (std::map<std::string, std::int64_t>{{"nvidia.com/gpu", 0}, {"nvidia.com/gpu.shared", 16}}));
}

TEST(Gfd, SharesInstancesByTheirOwnName) {
  World world = place("{names: n, product: A100-80GB, gpus: 2, layouts: [all-2g.20gb, whole]}");
  PluginConfig config = config_from(
      "sharing: {timeSlicing: {resources: [{name: mig-2g.20gb, replicas: 3}, {name: gpu, replicas: 2}]}}");
  EXPECT_EQ(offer_of(gpu_node(world, 0), config, MigStrategy::mixed).resources,
            (std::map<std::string, std::int64_t>{{"nvidia.com/gpu", 2}, {"nvidia.com/mig-2g.20gb", 9}}));
  Labels labels = labels_of(world, MigStrategy::mixed, config);
  EXPECT_EQ(labels["nvidia.com/mig-2g.20gb.product"], "NVIDIA-A100-SXM4-80GB-MIG-2g.20gb-SHARED");
  EXPECT_EQ(labels["nvidia.com/mig-2g.20gb.replicas"], "3");
  EXPECT_EQ(labels["nvidia.com/gpu.count"], "2") << "the GPUs, cut or not";
  EXPECT_EQ(labels["nvidia.com/gpu.replicas"], "2") << "the whole ones speak for all";
}

TEST(Gfd, RefusesMpsOnInstancesAndForTooMany) {
  std::string mps = "sharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: %}]}}";
  auto with = [&](int replicas) {
    std::string text = mps;
    return config_from(text.replace(text.find('%'), 1, std::to_string(replicas)));
  };
  World cut = place("{names: n, product: A100-80GB, gpus: 2, layout: all-2g.20gb}");
  EXPECT_EQ(offer_of(gpu_node(cut, 0), with(4), MigStrategy::mixed).refuses,
            "sharing using MPS is not supported for MIG devices");
  EXPECT_TRUE(discover(gpu_node(cut, 0), with(4), MigStrategy::mixed, kMonday).refuses);
  World whole = place("{names: n, product: L40S, gpus: 2}");
  EXPECT_EQ(offer_of(gpu_node(whole, 0), with(48), MigStrategy::mixed).resources.at("nvidia.com/gpu"), 96);
  EXPECT_EQ(offer_of(gpu_node(whole, 0), with(49), MigStrategy::mixed).refuses,
            "maximum allowed replicas exceeded: 49 > 48");
  World old = place("{names: n, product: V100-32GB, gpus: 2}");
  EXPECT_EQ(offer_of(gpu_node(old, 0), with(17), MigStrategy::mixed).refuses,
            "maximum allowed replicas exceeded: 17 > 16");
  Labels labels = labels_of(whole, MigStrategy::mixed, with(10));
  EXPECT_EQ(labels["nvidia.com/mps.capable"], "true");
  EXPECT_EQ(labels["nvidia.com/gpu.sharing-strategy"], "mps");
}

TEST(PluginConfig, ReadsWhatThePluginReads) {
  PluginConfig config = config_from(R"(
version: v1
flags: {migStrategy: mixed, failOnInitError: true, plugin: {passDeviceSpecs: true}}
sharing:
  timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 2}]}
  mps: {renameByDefault: true, resources: [{name: gpu, replicas: 10, rename: x, devices: all}]}
)");
  EXPECT_EQ(config.strategy, MigStrategy::mixed);
  EXPECT_EQ(config.method, Strategy::mps) << "it wins over time-slicing";
  EXPECT_EQ(config.replicas, (std::map<std::string, int>{{"nvidia.com/gpu", 10}}));
  EXPECT_TRUE(config.rename);
  EXPECT_EQ(config.warnings.size(), 2u) << "rename and devices are read and ignored";
  EXPECT_EQ(config_from("version: v1").method, Strategy::whole);
}

TEST(PluginConfig, RefusesInThePluginsWords) {
  auto has = [](std::string_view yaml, std::string_view words) {
    EXPECT_NE(refusal_of(yaml).find(words), std::string::npos) << yaml << ": " << refusal_of(yaml);
  };
  has("version: v2", "unknown version: v2");
  has("sharing: {timeSlicing: {}}", "no resources specified");
  has("sharing: {mps: {resources: []}}", "no resources specified");
  has("sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 1}]}}",
      "number of replicas must be >= 2");
  has("sharing: {timeSlicing: {resources: [{name: nvidia.com/gpu}]}}", "no replicas specified");
  has("sharing: {timeSlicing: {resources: [{replicas: 3}]}}", "no resource name specified");
  has("sharing: {timeSlicing: {resources: [{name: 'GPU!', replicas: 3}]}}", "incorrect format");
  has("flags: {migStrategy: some}", "unknown MIG strategy");
  has("[]", "a map is expected");
  has("a: [", "test:");
}

// The plugin's rules stand twice in this house: here for what a cluster does, in the engine for what a plan
// expects. They must not drift apart.
RC_GTEST_PROP(Gfd, OffersWhatTheEngineExpects, ()) {
  World world = place("{names: n, product: A100-80GB, gpus: 3, layouts: [whole, all-1g.10gb, all-balanced]}");
  static const std::vector<BoardPlan> kPlans = [] {
    World all = place(
        "{names: n, product: A100-80GB, gpus: 5, layouts: [whole, all-1g.10gb, all-balanced, "
        "empty, all-2g.20gb]}");
    return all.spec().groups.front().boards;
  }();
  auto strategy = *rc::gen::element(MigStrategy::none, MigStrategy::single, MigStrategy::mixed);
  for (Board& board : world.nodes[0].boards) {
    board = Board{};
    apply_plan(board, world.group(world.nodes[0]), kPlans[*rc::gen::inRange<std::size_t>(0, kPlans.size())],
               0);
  }
  PluginConfig config;
  config.rename = *rc::gen::arbitrary<bool>();
  int replicas = *rc::gen::inRange(1, 6);
  if (replicas > 1) config.method = *rc::gen::element(Strategy::time_slicing, Strategy::mps);
  sharing::NodeShape shape;
  shape.strategy = strategy;
  shape.sharing.method = config.method;
  shape.sharing.rename = config.rename;
  shape.sharing.replicas = replicas;
  const mig::Product& product = *world.group(world.nodes[0]).mig;
  for (const Board& board : world.nodes[0].boards)
    shape.boards.push_back({&product, board.cut(), sharing::instances_of(product, layout_of(board)), ""});
  sharing::Advertised expected = sharing::advertise(shape, Scheduler::kubernetes);
  for (const auto& [resource, count] : expected.counts)
    if (replicas > 1) config.replicas[resource] = replicas;
  for (const mig::Profile& profile : product.profiles)
    if (replicas > 1) config.replicas[resource_of(profile)] = replicas;
  if (replicas > 1) config.replicas["nvidia.com/gpu"] = replicas;
  Offer offer = offer_of(gpu_node(world, 0), config, strategy);
  auto without_zero = [](std::map<std::string, std::int64_t> counts) {
    std::erase_if(counts, [](const auto& one) { return one.second == 0; });
    return counts;
  };
  RC_ASSERT(without_zero(offer.resources) == without_zero(expected.counts));
}

std::vector<std::string> lines_with(const std::string& text, std::string_view part) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    if (line.starts_with(part)) found.push_back(line);
    at = end + 1;
  }
  return found;
}

TEST(Metrics, TellWholeBoardsAndInstancesAsTheExporterDoes) {
  World world = world_from(R"(
clusters:
  - name: c
    scheduler: kubernetes
    users: [u]
    nodes: [{names: n1, product: H100-80GB-SXM5, gpus: 2, layouts: [whole, "3g.40gb@4,1g.10gb+me@0"],
             driver: 570.124.06}]
    jobs:
      - {name: sft, namespace: training, want: nvidia.com/gpu, on: n1/gpu0, runs: 9h, ran: 1h, does: training}
      - {name: asr, namespace: serving, want: nvidia.com/mig-3g.40gb, on: n1/gpu1@4, runs: 9h, ran: 1h}
)");
  std::string text = metrics_text(world, 0);
  std::vector<std::string> active = lines_with(text, "DCGM_FI_PROF_GR_ENGINE_ACTIVE");
  ASSERT_EQ(active.size(), 3u) << "a whole GPU and two instances";
  EXPECT_TRUE(active[0].starts_with("DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"0\",UUID=\"GPU-")) << active[0];
  EXPECT_NE(active[0].find("modelName=\"NVIDIA H100 80GB HBM3\",Hostname=\"n1\",DCGM_FI_DRIVER_VERSION="
                           "\"570.124.06\",container=\"main\",namespace=\"training\",pod=\"sft-"),
            std::string::npos)
      << active[0];
  EXPECT_NE(active[1].find("GPU_I_PROFILE=\"1g.10gb+me\",GPU_I_ID=\"7\""), std::string::npos) << active[1];
  EXPECT_NE(active[1].find("container=\"\",namespace=\"\",pod=\"\"} 0.000000"), std::string::npos) << "idle";
  EXPECT_NE(active[2].find("GPU_I_PROFILE=\"3g.40gb\",GPU_I_ID=\"2\""), std::string::npos) << active[2];
  EXPECT_NE(active[2].find("namespace=\"serving\",pod=\"asr-"), std::string::npos);
  EXPECT_NE(active[2].find(uuid_of(world, 0, 1)), std::string::npos) << "the parent's";
  EXPECT_EQ(lines_with(text, "DCGM_FI_DEV_GPU_UTIL").size(), 1u) << "instances have none";
  std::vector<std::string> blank = lines_with(text, "DCGM_FI_DEV_MEM_COPY_UTIL");
  EXPECT_TRUE(blank[2].ends_with(" 9223372036854775794")) << blank[2];
  EXPECT_EQ(lines_with(text, "# TYPE DCGM_FI_DEV_FB_USED gauge").size(), 1u);
  EXPECT_TRUE(metrics_text(world, 0, {true}).find(",hostname=\"n1\"") != std::string::npos);
}

TEST(Metrics, NameNoPodWhereManyShare) {
  World world = world_from(R"(
clusters:
  - name: c
    scheduler: kubernetes
    users: [u]
    nodes: [{names: n1, product: T4, gpus: 1, layout: "time-slicing:4"}]
    jobs: [{name: nb, want: nvidia.com/gpu.shared, runs: 9h, ran: 1h, count: 2}]
)");
  std::vector<std::string> used = lines_with(metrics_text(world, 0), "DCGM_FI_DEV_FB_USED");
  ASSERT_EQ(used.size(), 1u);
  EXPECT_NE(used[0].find("pod=\"\""), std::string::npos);
}

// What is read of it is what each pod uses in that world.
TEST(Metrics, WithVirtualGpusEachOfThePodsThatShareIsTold) {
  World world = one_of_two_that_share_trains();
  auto read = figures::read_dcgm(metrics_text(world, 0, {true, true}));
  ASSERT_TRUE(read) << read.error().reason;
  ASSERT_EQ(read->parts.size(), 1u);
  const std::vector<OwnUse>& own = read->parts[0].own;
  ASSERT_EQ(own.size(), 2u);
  const bool first = own[0].workload.text.find("/sft") != std::string::npos;
  const OwnUse &busy = own[first ? 0 : 1], &idle = own[first ? 1 : 0];
  EXPECT_GT(busy.use, Percent{5});
  EXPECT_EQ(idle.use, Percent{0});
  EXPECT_GT(idle.memory_used, Mib{1'000});
  EXPECT_NEAR(static_cast<double>(busy.memory_used->value + idle.memory_used->value),
              static_cast<double>(read->parts[0].memory_used->value), 2);
}

// The driver has no samples of clients of MPS, and says how much memory each of them has.
TEST(Metrics, OfClientsOfMpsMemoryAloneIsTold) {
  World world = world_from(R"(
clusters:
  - name: c
    scheduler: kubernetes
    users: [u]
    nodes: [{names: n1, product: T4, gpus: 1, layout: "mps:4"}]
    jobs: [{name: nb, want: nvidia.com/gpu.shared, runs: 9h, ran: 1h, count: 2, does: training}]
)");
  auto read = figures::read_dcgm(metrics_text(world, 0, {true, true}));
  ASSERT_TRUE(read) << read.error().reason;
  ASSERT_EQ(read->parts[0].own.size(), 2u);
  for (const OwnUse& one : read->parts[0].own) {
    EXPECT_FALSE(one.use) << one.workload.text;
    EXPECT_GT(one.memory_used, Mib{100});
  }
  EXPECT_GT(read->parts[0].use, Percent{5}) << "all of them together";
}

}  // namespace
}  // namespace tessera::sim::kube
