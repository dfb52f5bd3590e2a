// A world over time: the same for a seed, whatever the steps, and never a slice held twice.
#include "backends/sim/world.hpp"

#include <algorithm>

#include "backends/sim/random.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(World, IsTheSameForTheSameSeedAndAnotherForAnother) {
  World a = worlds_of("demo", 7)[0], b = worlds_of("demo", 7)[0], c = worlds_of("demo", 8)[0];
  EXPECT_EQ(a, b);
  a.advance(kMonday + hours(6));
  b.advance(kMonday + hours(6));
  c.advance(kMonday + hours(6));
  EXPECT_EQ(a, b);
  EXPECT_NE(a.jobs, c.jobs);
}

TEST(World, DoesNotDependOnTheSizeOfTheSteps) {
  for (const char* scenario : {"demo", "broken"}) {
    std::vector<World> worlds = worlds_of(scenario);
    for (World& at_once : worlds) {
      World in_steps = at_once;
      TimePoint start = at_once.now;
      at_once.advance(start + hours(2));
      for (Duration at{0}; at < hours(2); at += Duration(1337)) in_steps.advance(start + at);
      in_steps.advance(start + hours(2));
      EXPECT_EQ(at_once, in_steps) << scenario << " " << at_once.spec().name;
    }
  }
}

TEST(World, GoesNowhereWhenItIsToldToGoBack) {
  World world = worlds_of("demo")[0];
  World before = world;
  EXPECT_TRUE(world.advance(kMonday - hours(1)).empty());
  EXPECT_EQ(world, before);
}

TEST(World, NeverHoldsASliceTwice) {
  for (std::uint64_t seed = 0; seed < 12; ++seed)
    for (World& world : worlds_of(seed % 5 == 0 ? "broken" : "demo", mix(seed))) {
      EXPECT_EQ(audit(world), std::vector<std::string>{}) << seed;
      world.advance(world.start + hours(between(mix(~seed), 1, 24)));
      EXPECT_EQ(audit(world), std::vector<std::string>{}) << seed;
    }
}

TEST(World, TellsWhatChangedAndNothingElse) {
  World world = worlds_of("demo")[0];
  World before = world;
  Changes changes = world.advance(kMonday + minutes(30));
  EXPECT_FALSE(changes.empty());
  for (std::uint32_t i = 0; i < world.nodes.size(); ++i)
    EXPECT_TRUE(world.nodes[i] == before.nodes[i] ||
                std::binary_search(changes.nodes.begin(), changes.nodes.end(), i))
        << world.node_name(i);
  for (const auto& [id, job] : world.jobs) {
    auto old = before.jobs.find(id);
    bool same = old != before.jobs.end() && old->second == job;
    EXPECT_TRUE(same || std::binary_search(changes.jobs.begin(), changes.jobs.end(), id)) << id;
  }
  for (const auto& [id, job] : before.jobs)
    EXPECT_TRUE(world.jobs.contains(id) ||
                std::binary_search(changes.gone.begin(), changes.gone.end(), workload_id(before, job)))
        << id;
}

// The scheduler's words, one small place for each.
constexpr std::string_view kWorldPlace = R"(
clusters:
  - name: c
    users: [ann, ben]
    partitions: [{name: p, max_time: 1d}, {name: q, state: DOWN}]
    nodes:
      - {names: "n[1-2]", product: H100-80GB-SXM5, gpus: 2}
      - {names: n3, product: H100-80GB-SXM5, gpus: 2, state: {is: drained, reason: fan}}
    jobs:
)";

std::string reason_of(std::string jobs, std::string_view name) {
  World world = world_from(std::string(kWorldPlace) + jobs);
  EXPECT_EQ(audit(world), std::vector<std::string>{});
  for (const auto& [id, job] : world.jobs)
    if (job.name == name) return job.state == JobState::pending ? job.reason : "runs";
  return "no such job";
}

constexpr std::string_view kFull = "      - {name: full, want: 'gpu:h100:2', nodes: 2, runs: 5h}\n";

TEST(Scheduler, SaysResourcesForTheFirstAndPriorityForTheNext) {
  std::string jobs =
      std::string(kFull) + "      - {name: one, want: 'gpu:1'}\n      - {name: two, want: 'gpu:h100:1'}\n";
  EXPECT_EQ(reason_of(jobs, "full"), "runs");
  EXPECT_EQ(reason_of(jobs, "one"), "Resources");
  EXPECT_EQ(reason_of(jobs, "two"), "Priority");
}

TEST(Scheduler, FillsBackWhatFitsBesideTheFirst) {
  std::string jobs =
      "      - {name: half, want: 'gpu:h100:1', runs: 5h}\n      - {name: wide, want: 'gpu:h100:2', nodes: "
      "2}\n"
      "      - {name: small, want: 'gpu:h100:1', runs: 10m}\n";
  EXPECT_EQ(reason_of(jobs, "wide"), "Resources");
  EXPECT_EQ(reason_of(jobs, "small"), "runs");
}

TEST(Scheduler, KnowsWhatCanNeverRun) {
  EXPECT_EQ(reason_of("      - {name: x, want: 'gpu:a100:1'}\n", "x"), "BadConstraints");
  EXPECT_EQ(reason_of("      - {name: x, want: 'gpu:h100:3'}\n", "x"), "BadConstraints");
  EXPECT_EQ(reason_of("      - {name: x, want: 'gpu:h100:1', limit: 3d}\n", "x"), "PartitionTimeLimit");
  EXPECT_EQ(reason_of("      - {name: x, want: 'gpu:h100:1', partition: q}\n", "x"), "PartitionDown");
}

TEST(Scheduler, NamesNodesThatAreClosed) {
  EXPECT_EQ(reason_of("      - {name: x, want: 'gpu:h100:1', on: n3}\n", "x"),
            "ReqNodeNotAvail, UnavailableNodes:n3");
  EXPECT_EQ(reason_of("      - {name: x, want: 'gpu:h100:2', nodes: 3}\n", "x"),
            "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions");
}

TEST(Scheduler, KeepsHeldWorkUntilItIsReleased) {
  World world =
      world_from(std::string(kWorldPlace) +
                 "      - {name: x, want: 'gpu:h100:1', hold: Dependency, hold_for: 10m, runs: 1h}\n"
                 "      - {name: y, want: 'gpu:h100:1', hold: JobHeldUser}\n");
  EXPECT_EQ(world.jobs.begin()->second.reason, "Dependency");
  world.advance(kMonday + minutes(11));
  EXPECT_EQ(world.jobs.begin()->second.state, JobState::running);
  EXPECT_EQ(world.jobs.rbegin()->second.reason, "JobHeldUser");
}

TEST(Scheduler, LimitsWhatOneUserHolds) {
  std::string place(kWorldPlace);
  place.replace(place.find("    users"), 0, "    gpus_per_user: 2\n");
  World world = world_from(place +
                           "      - {name: a, user: ann, want: 'gpu:h100:2', runs: 2h}\n"
                           "      - {name: b, user: ann, want: 'gpu:h100:1'}\n"
                           "      - {name: c, user: ben, want: 'gpu:h100:1', runs: 2h}\n");
  std::vector<std::string> reasons;
  for (const auto& [id, job] : world.jobs) reasons.push_back(job.reason);
  EXPECT_EQ(reasons, (std::vector<std::string>{"", "QOSMaxGRESPerUser", ""}));
}

// gres.conf's one_sharing: jobs were started on four GPUs of a node that slurmctld would have let wait.
TEST(Scheduler, HandsOutTheMpsOfANodeFromOneGpuAtATime) {
  for (const char* scenario : {"demo", "slurm-h100"}) {
    World world = worlds_of(scenario)[0];
    bool is_in_use = false;
    for (int hour = 0; hour < 12; ++hour, world.advance(world.now + hours(1)))
      for (const NodeState& node : world.nodes) {
        const auto in_use = std::count_if(node.boards.begin(), node.boards.end(), [](const Board& board) {
          return board.strategy == Strategy::mps && !board.holds.empty();
        });
        EXPECT_LE(in_use, 1) << scenario << " after " << hour << " h";
        is_in_use = is_in_use || in_use == 1;
      }
    EXPECT_TRUE(is_in_use) << scenario;
  }
}

TEST(Scheduler, SpeaksKubernetesOnKubernetes) {
  World world = world_from(R"(
clusters:
  - name: k
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: "n[1-2]", product: H100-80GB-SXM5, gpus: 1, layout: "3g.40gb@0,3g.40gb@4"}
      - {names: n3, product: H100-80GB-SXM5, gpus: 1, layout: all-1g.10gb, state: {is: drained}}
      - {names: n4, product: A10, gpus: 1, layout: "time-slicing:4"}
    jobs:
      - {count: 5, name: want3, want: "nvidia.com/mig-3g.40gb", runs: 2h}
      - {name: shared, want: "nvidia.com/gpu.shared:3", runs: 2h}
)");
  EXPECT_EQ(audit(world), std::vector<std::string>{});
  std::vector<std::string> reasons;
  for (const auto& [id, job] : world.jobs) reasons.push_back(job.reason);
  EXPECT_EQ(reasons[3], "");
  EXPECT_EQ(reasons[4],
            "0/4 nodes are available: 1 node(s) were unschedulable, 3 Insufficient nvidia.com/mig-3g.40gb.");
  EXPECT_EQ(reasons[5], "");
}

TEST(Node, LosesItsJobsWhenItGoesDownAndGetsWorkAgainWhenItReturns) {
  World world = world_from(R"(
clusters:
  - name: c
    users: [ann]
    partitions: [p]
    nodes: [{names: n1, product: H100-80GB-SXM5, gpus: 2}]
    jobs:
      - {name: again, want: "gpu:h100:1", runs: 5h}
      - {name: lost, want: "gpu:h100:1", runs: 5h, restartable: false}
    faults:
      - {at: 10m, do: down, node: n1, reason: "Not responding"}
      - {at: 20m, do: resume, node: n1}
)");
  world.advance(kMonday + minutes(11));
  ASSERT_EQ(world.jobs.size(), 1u) << "the one that does not restart is gone";
  EXPECT_EQ(world.jobs.begin()->second.state, JobState::pending);
  EXPECT_EQ(node_value(world, 0, world.now).health, Health::down);
  world.advance(kMonday + minutes(21));
  EXPECT_EQ(world.jobs.begin()->second.state, JobState::running);
  EXPECT_EQ(audit(world), std::vector<std::string>{});
}

TEST(Node, ComesBackInvalidWhenNotCutAgainAfterABoot) {
  for (bool recut : {true, false}) {
    World world =
        world_from(std::string(R"(
clusters:
  - name: c
    users: [ann]
    partitions: [p]
    nodes: [{names: n1, product: A100-40GB, gpus: 2, layout: all-1g.5gb, recut_at_boot: )") +
                   (recut ? "true" : "false") + "}]\n    faults: [{at: 1m, do: reboot, node: n1}]\n");
    world.advance(kMonday + minutes(2));
    EXPECT_EQ(node_value(world, 0, world.now).health, Health::down);
    world.advance(kMonday + minutes(10));
    Node node = node_value(world, 0, world.now);
    EXPECT_EQ(node.health, recut ? Health::ok : Health::invalid);
    EXPECT_EQ(node.gpus[0].slices.size(), recut ? 7u : 0u);
    if (!recut) {
      EXPECT_EQ(node.reason, "gres/gpu count reported lower than configured (0 < 14)");
      EXPECT_EQ(node.state, (std::vector<std::string>{"IDLE", "DRAIN", "INVALID_REG"}));
    }
  }
}

TEST(Telemetry, FollowsTheLoadAndNothingButSeedBoardAndTime) {
  World world = world_from(R"(
clusters:
  - name: c
    users: [ann]
    partitions: [p]
    nodes: [{names: n1, product: H100-80GB-SXM5, gpus: 3}]
    jobs:
      - {name: t, want: "gpu:1", on: n1/gpu0, does: training, runs: 20h, ran: 1h}
      - {name: w, want: "gpu:1", on: n1/gpu1, does: waste, runs: 20h, ran: 1h}
)");
  double busy = 0, hot = 0, cool = 0;
  for (int i = 0; i < 200; ++i) {
    Node node = node_value(world, 0, kMonday + seconds(5 * i));
    EXPECT_EQ(node, node_value(world, 0, kMonday + seconds(5 * i)));
    busy += node.gpus[0].telemetry.use->value / 200;
    hot += node.gpus[0].telemetry.temperature->value / 200;
    cool += node.gpus[2].telemetry.temperature->value / 200;
    EXPECT_EQ(node.gpus[1].telemetry.use->value, 0);
    EXPECT_GT(node.gpus[1].telemetry.memory_used->value, 40000);
    EXPECT_EQ(node.gpus[2].telemetry.memory_used->value, 0);
    for (const Gpu& gpu : node.gpus) EXPECT_LE(gpu.telemetry.memory_used->value, gpu.memory->value);
  }
  EXPECT_GT(busy, 85);
  EXPECT_GT(hot, cool + 20);
}

}  // namespace
}  // namespace tessera::sim
