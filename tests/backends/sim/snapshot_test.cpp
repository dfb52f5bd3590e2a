// What a world tells: holders that add up, and hostile words made safe.
#include "backends/sim/snapshot.hpp"

#include <algorithm>
#include <map>

#include "engine/insight/own_use.hpp"
#include "engine/insight/processes.hpp"
#include "engine/model/processes.hpp"
#include "engine/text.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace {

TEST(Snapshot, EveryHeldSliceIsHeldByWhomTheWorldSays) {
  for (const char* scenario : {"demo", "blackwell", "kubernetes", "slurm-h100"})
    for (World& world : worlds_of(scenario)) {
      world.advance(kMonday + std::chrono::hours(5));
      std::map<std::string, int> claimed, held;
      for (const auto& [id, job] : world.jobs)
        for (const Claim& claim : job.claims) claimed[workload_id(world, job).text] += claim.share;
      Model model = model_of(world);
      for (const Node& node : model.clusters[0].nodes.all())
        for (const Gpu& gpu : node.gpus)
          for (const Slice& slice : gpu.slices) {
            EXPECT_TRUE(slice.exact);
            int shares = 0;
            for (const Holder& holder : slice.holders) {
              held[holder.workload.text] += holder.share;
              shares += holder.share;
            }
            EXPECT_LE(shares, slice.capacity) << node.name.text;
            EXPECT_EQ(slice.holding, shares > 0 ? Holding::held : Holding::free) << node.name.text;
          }
      EXPECT_EQ(held, claimed) << scenario;
    }
}

// As the driver lists processes: together they use what the GPU uses, and a client of MPS has no use of its
// own.
TEST(Snapshot, WhatEachOfThoseThatShareUsesComesToWhatTheGpuUses) {
  int slices_of_time = 0, clients = 0;
  for (const char* scenario : {"demo", "kubernetes"})
    for (World& world : worlds_of(scenario)) {
      world.advance(kMonday + std::chrono::hours(3));
      const Model model = model_of(world);
      for (const Node& node : model.clusters[0].nodes.all())
        for (const Gpu& gpu : node.gpus) {
          const bool shared = std::any_of(gpu.slices.begin(), gpu.slices.end(),
                                          [](const Slice& one) { return one.holders.size() > 1; });
          ASSERT_EQ(gpu.own.has_value(), shared && node.health != Health::down) << node.name.text;
          if (!gpu.own) continue;
          EXPECT_EQ(gpu.own->origin.source, Source::simulator);
          for (const Slice& slice : gpu.slices) {
            double use = 0;
            std::int64_t memory = 0;
            std::size_t told = 0;
            for (const OwnUse& one : gpu.own->list) {
              if (one.instance_id != slice.instance_id) continue;
              ++told;
              const auto holder =
                  std::find_if(slice.holders.begin(), slice.holders.end(),
                               [&](const Holder& held) { return held.workload == one.workload; });
              EXPECT_NE(holder, slice.holders.end()) << one.workload.text;
              EXPECT_EQ(one.use.has_value(), !slice.instance_id && gpu.strategy != Strategy::mps);
              use += one.use ? static_cast<double>(one.use->value) : 0;
              memory += one.memory_used->value;
            }
            if (slice.holders.size() < 2) {
              EXPECT_EQ(told, 0u) << "what one has for itself is the GPU's own figure";
              continue;
            }
            EXPECT_EQ(told, slice.holders.size()) << node.name.text;
            slices_of_time += gpu.strategy == Strategy::time_slicing && !slice.instance_id;
            clients += gpu.strategy == Strategy::mps;
            const auto parts = static_cast<double>(told);
            if (!slice.instance_id && gpu.strategy != Strategy::mps)
              EXPECT_NEAR(use, static_cast<double>(slice.use->value), parts / 2 + 0.5);  // each is rounded
            EXPECT_NEAR(static_cast<double>(memory), static_cast<double>(slice.memory_used->value), parts);
          }
        }
    }
  EXPECT_GT(slices_of_time, 0);
  EXPECT_GT(clients, 0);
}

TEST(Snapshot, OneOfTwoThatShareMayDoNothing) {
  World world = one_of_two_that_share_trains();
  const Model model = model_of(world);
  const Cluster& cluster = model.clusters[0];
  const Node& node = cluster.nodes.all().front();
  const Slice& slice = node.gpus[0].slices[0];
  ASSERT_EQ(slice.holders.size(), 2u);
  for (const Holder& holder : slice.holders) {
    const auto own = insight::own_figures(cluster, node, node.gpus[0], slice, holder.workload);
    ASSERT_TRUE(own && own->use && own->memory) << holder.workload.text;
    const bool idle = holder.workload.text.find("/kept") != std::string::npos;
    EXPECT_EQ(own->use == Percent{0}, idle) << holder.workload.text;
    EXPECT_GT(own->memory->value, 0);
  }
}

World one_that_tells_processes() {
  return world_from(R"(
clusters:
  - name: c
    scheduler: slurm
    users: [u]
    partitions: [p]
    nodes:
      - {names: n1, product: H100-80GB-SXM5, gpus: 4, hidden: [0, 1], processes: true,
         layouts: [whole, "3g.40gb@0,3g.40gb@4", "mps:100", whole]}
      - {names: n2, product: H100-80GB-SXM5, gpus: 1, processes: true, state: {is: down}}
      - {names: n3, product: H100-80GB-SXM5, gpus: 1, hidden: [0]}
    jobs:
      - {name: cut, want: "gpu:3g.40gb:1", on: n1/gpu1@4, ran: 1h, runs: 9h}
      - {name: half, want: "mps:50", on: n1/gpu2, ran: 1h, runs: 9h}
      - {name: other, want: "mps:50", on: n1/gpu2, ran: 1h, runs: 9h}
    faults: [{at: 1m, do: reveal, node: n1, gpu: 0}]
)");
}

// A process that no job entitles to its GPU was told as a GPU that the scheduler has in use: nothing could be
// shown of it.
TEST(Snapshot, WhereProcessesAreToldAHiddenOneIsOfNoJobOnASliceThatIsFree) {
  const World world = one_that_tells_processes();
  const Model model = model_of(world);
  const Cluster& cluster = model.clusters[0];
  const Node& node = *cluster.nodes.find(NodeName("n1"));
  const auto standing = [&](const Gpu& gpu, std::size_t which) {
    return insight::standing_of(cluster, node, gpu, gpu.processes->list.at(which));
  };
  for (const Gpu& gpu : node.gpus) ASSERT_TRUE(gpu.processes);
  const Gpu& whole = node.gpus[0];
  EXPECT_EQ(whole.slices[0].told_held, std::nullopt);
  EXPECT_EQ(whole.slices[0].holding, Holding::free);
  ASSERT_EQ(whole.processes->list.size(), 1u);
  EXPECT_EQ(standing(whole, 0), insight::Standing::no_work);
  EXPECT_EQ(whole.processes->list[0].memory, whole.slices[0].memory_used) << "it has the GPU for itself";
  const Gpu& cut = node.gpus[1];
  ASSERT_EQ(cut.processes->list.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const bool hidden = cut.processes->list[i].instance_id == cut.slices[0].instance_id;
    EXPECT_EQ(standing(cut, i), hidden ? insight::Standing::no_work : insight::Standing::work);
  }
  EXPECT_TRUE(node.gpus[3].processes->list.empty()) << "told, and none";
  EXPECT_FALSE(cluster.nodes.find(NodeName("n2"))->gpus[0].processes) << "a node that is down tells nothing";
  const Gpu& silent = cluster.nodes.find(NodeName("n3"))->gpus[0];
  EXPECT_FALSE(silent.processes) << "it was not asked to";
  EXPECT_EQ(silent.slices[0].told_held, true);
}

TEST(Snapshot, ProcessesOfJobsThatShareByMpsGoThroughItsServer) {
  const World world = one_that_tells_processes();
  const Model model = model_of(world);
  const Cluster& cluster = model.clusters[0];
  const Node& node = *cluster.nodes.find(NodeName("n1"));
  const Gpu& shared = node.gpus[2];
  const std::vector<Served> all = served(shared.processes->list);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(is_mps_server(*all[0].process));
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_EQ(all[i].server, all[0].process);
    EXPECT_EQ(insight::standing_of(cluster, node, shared, *all[i].process), insight::Standing::work);
  }
  EXPECT_FALSE(insight::past_mps(cluster, node, shared));
}

TEST(Snapshot, ProcessesAreToldWithTheTimeOfEachLookAndKeepTheirNumbers) {
  World world = one_that_tells_processes();
  Model model = model_of(world);
  const auto look = [&](std::chrono::seconds later) -> const GpuProcesses& {
    Changes changes = world.advance(world.now + later);
    changes.nodes.push_back(0);
    changes.tidy();
    for (Event& event : events_of(world, changes)) reduce(model, std::move(event));
    return *model.clusters[0].nodes.find(NodeName("n1"))->gpus[0].processes;
  };
  const std::int64_t pid = model.clusters[0].nodes.find(NodeName("n1"))->gpus[0].processes->list.at(0).pid;
  const GpuProcesses& then = look(std::chrono::seconds(10));
  EXPECT_EQ(then.origin, (Origin{Source::simulator, world.now}));
  ASSERT_EQ(then.list.size(), 1u);
  EXPECT_EQ(then.list[0].pid, pid);
  EXPECT_TRUE(look(std::chrono::seconds(50)).list.empty()) << "it is gone, and that is told";
}

TEST(Snapshot, TellsAMultiNodeJobOnAllItsNodes) {
  Model model = model_of(worlds_of("demo")[0]);
  const Workload* job = workload_named(model, "llama-sft-70b");
  ASSERT_NE(job, nullptr);
  ASSERT_EQ(job->allocations.size(), 2u);
  EXPECT_EQ(job->node_count, 2);
  EXPECT_EQ(job->requests, (std::vector<Request>{{"gpu:h100", 8}}));
  EXPECT_EQ(job->allocations[0].count, 4);
  EXPECT_EQ(job->allocations[0].devices.size(), 4u);
  EXPECT_EQ(job->user, "alice");
  EXPECT_EQ(job->account, "vision");
}

TEST(Snapshot, PlacesSlicesWhereTheLayoutHasThem) {
  Model model = model_of(worlds_of("demo")[0]);
  const Node* node = model.clusters[0].nodes.find(NodeName("h100-03"));
  ASSERT_NE(node, nullptr);
  const Gpu& gpu = node->gpus[0];
  ASSERT_EQ(gpu.slices.size(), 4u);
  EXPECT_EQ(gpu.product, ProductKey("H100-80GB-SXM5"));
  EXPECT_EQ(gpu.slices[3].placement, (Placement{4, 4}));
  EXPECT_EQ(gpu.slices[3].profile.text, "3g.40gb");
  EXPECT_EQ(gpu.slices[3].instance_id, 2);
  ASSERT_EQ(gpu.slices[3].holders.size(), 1u);
  EXPECT_EQ(model.clusters[0].workloads.find(gpu.slices[3].holders[0].workload)->name, "mistral-lora");
  EXPECT_EQ(gpu.slices[3].compute, (std::vector<ComputeInstance>{{0, ProfileName("3g.40gb")}}));
}

TEST(Snapshot, SaysOnlyHowManyWhereDevicesAreNotTold) {
  World vague = worlds_of("broken")[2];
  Model model = model_of(vague);
  const Workload* three = nullptr;
  for (const Workload& workload : model.clusters[0].workloads.all())
    if (workload.name.starts_with("three")) three = &workload;
  ASSERT_NE(three, nullptr);
  ASSERT_EQ(three->allocations.size(), 1u);
  EXPECT_TRUE(three->allocations[0].devices.empty());
  EXPECT_EQ(three->allocations[0].type, "3g.40gb");
}

void expect_clean(const std::string& text) { EXPECT_EQ(text, clean(text, text.size() + 16)) << text; }

TEST(Snapshot, LetsNoControlCharacterOut) {
  bool escape_in_source = false;
  for (World& world : worlds_of("broken")) {
    world.advance(world.start + std::chrono::hours(3));
    for (const auto& [id, job] : world.jobs) escape_in_source |= job.name.find('\x1b') != std::string::npos;
    Model model = model_of(world);
    for (const Workload& workload : model.clusters[0].workloads.all())
      for (const std::string& text : {workload.id.text, workload.name, workload.user, workload.group,
                                      workload.account, workload.reason, workload.comment})
        expect_clean(text);
    for (const Node& node : model.clusters[0].nodes.all()) {
      for (const std::string& text : {node.name.text, node.reason, node.reason_by, node.model})
        expect_clean(text);
      for (const Gpu& gpu : node.gpus) expect_clean(gpu.model);
    }
  }
  EXPECT_TRUE(escape_in_source) << "the scenario must be hostile for this to mean anything";
}

TEST(Snapshot, ShowsTheOddThingsOfTheBrokenPlace) {
  std::vector<World> worlds = worlds_of("broken");
  Model odd = model_of(worlds[0]);
  auto node = [&](const char* name) { return odd.clusters[0].nodes.find(NodeName(name)); };
  EXPECT_EQ(node("inval-01")->health, Health::invalid);
  EXPECT_EQ(node("weird-01")->gpus[0].product, std::nullopt);
  EXPECT_EQ(node("nomemory-01")->gpus[0].memory, std::nullopt);
  EXPECT_TRUE(node("bare-01")->gpus.empty());
  EXPECT_TRUE(node("untold-01")->gpus.empty());
  EXPECT_FALSE(node("untold-01")->workloads.empty());
  EXPECT_TRUE(node("empty-01")->gpus[0].slices.empty());
  EXPECT_EQ(node("pending-01")->gpus[0].mig_mode, MigMode::enable_pending);
  EXPECT_EQ(node("hidden-01")->gpus[0].slices[0].told_held, true);
  EXPECT_EQ(node("down-01")->gpus[0].telemetry.use, std::nullopt);
  EXPECT_TRUE(model_of(worlds[1]).clusters[0].nodes.empty());
}

TEST(Snapshot, TellsAFailingSourceButKeepsWhatWasKnown) {
  World stale = worlds_of("broken")[3];
  EXPECT_EQ(stale.failing(), nullptr);
  stale.advance(stale.start + std::chrono::minutes(1));
  ASSERT_NE(stale.failing(), nullptr);
  Model model = model_of(stale);
  const SourceHealth& health = model.clusters[0].sources.at(Source::simulator);
  EXPECT_TRUE(health.failure.has_value());
  EXPECT_EQ(model.clusters[0].nodes.size(), 2u);
}

TEST(Snapshot, EventsOfAChangeBringAModelToTheSameState) {
  for (World& world : worlds_of("demo")) {
    Model model = model_of(world);
    for (int i = 1; i <= 30; ++i) {
      Changes changes = world.advance(kMonday + std::chrono::minutes(7 * i));
      for (Event& event : events_of(world, changes)) reduce(model, std::move(event));
    }
    Model fresh = model_of(world);
    const Cluster &a = model.clusters[0], &b = fresh.clusters[0];
    ASSERT_EQ(a.workloads.size(), b.workloads.size());
    for (const Workload& workload : b.workloads.all()) {
      const Workload* known = a.workloads.find(workload.id);
      ASSERT_NE(known, nullptr) << workload.id.text;
      EXPECT_EQ(known->state, workload.state);
      EXPECT_EQ(known->reason, workload.reason);
      EXPECT_EQ(known->allocations, workload.allocations);
    }
    for (const Node& node : b.nodes.all()) {
      const Node* known = a.nodes.find(node.name);
      ASSERT_NE(known, nullptr);
      EXPECT_EQ(known->state, node.state) << node.name.text;
      EXPECT_EQ(known->workloads, node.workloads) << node.name.text;
    }
  }
}

}  // namespace
}  // namespace tessera::sim
