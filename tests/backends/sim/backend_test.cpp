// The simulator behind the port: a first picture at once, then what changed, and nothing at speed 0.
#include "backends/sim/backend.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>

#include "backends/mailbox.hpp"
#include "engine/plan/run/actuator.hpp"
#include "tests/backends/sim/worlds.hpp"
#include "tests/support/watch.hpp"

namespace tessera::sim {
namespace {

// A wall clock in the hands of the test.
struct Wall {
  std::shared_ptr<std::atomic<std::int64_t>> at =
      std::make_shared<std::atomic<std::int64_t>>(kMonday.time_since_epoch().count());
  std::function<TimePoint()> clock() const {
    return [shared = at] { return TimePoint(Duration(shared->load())); };
  }
};

TEST(SimBackend, OpensOneForEachClusterAndShowsItAtOnce) {
  Mailbox mailbox;  // outlives whoever posts to it
  Wall wall;
  SimulatorOptions options;
  options.speed = 0;
  options.wall = wall.clock();
  options.catalogue = test::shared_catalogue();
  Result<std::vector<BackendPtr>> backends = open(options);
  ASSERT_TRUE(backends.ok()) << to_line(backends.error());
  ASSERT_EQ(backends->size(), 2u);
  EXPECT_EQ((*backends)[0]->name().text, "hpc");
  EXPECT_EQ((*backends)[1]->name().text, "ml-platform");
  Model model;
  for (BackendPtr& backend : *backends) backend->start(mailbox);
  EXPECT_TRUE(test::reduce_until(mailbox, model, [&] {
    return model.clusters.size() == 2 && model.clusters[0].loaded && model.clusters[1].loaded;
  }));
  const Cluster& cluster = *model.find(ClusterName("hpc"));
  EXPECT_TRUE(cluster.simulated);
  EXPECT_EQ(cluster.endpoint, "simulator: demo");
  EXPECT_EQ(cluster.clock->speed, 0);
  EXPECT_EQ(cluster_now(cluster, kMonday + std::chrono::hours(3)), kMonday);
}

TEST(SimBackend, StandsStillAtSpeedZeroUntilItIsAsked) {
  Mailbox mailbox;  // outlives whoever posts to it
  Wall wall;
  BackendPtr backend = make_backend(worlds_of("demo")[0], 0, wall.clock());
  Model model;
  backend->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  for (Event& event : mailbox.take()) reduce(model, std::move(event));
  *wall.at += 3'600'000;
  pollfd wait{mailbox.wake_fd(), POLLIN, 0};
  EXPECT_EQ(poll(&wait, 1, 1200), 0) << "nothing is reported by itself";
  backend->refresh();
  EXPECT_EQ(poll(&wait, 1, 5000), 1);
  for (Event& event : mailbox.take()) EXPECT_EQ(event.at, kMonday);
}

TEST(SimBackend, FollowsTheWallClockAtItsSpeed) {
  Mailbox mailbox;  // outlives whoever posts to it
  Wall wall;
  World world = worlds_of("demo")[0];
  BackendPtr backend = make_backend(world, 10, wall.clock());
  Model model;
  backend->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  *wall.at += 360'000;  // six minutes of ours, an hour of theirs
  EXPECT_TRUE(test::reduce_until(mailbox, model, [&] {
    const auto& last = model.clusters[0].sources[Source::simulator].last_ok;
    return last && *last >= kMonday + std::chrono::hours(1);
  }));
  world.advance(kMonday + std::chrono::hours(1));
  EXPECT_EQ(model.clusters[0].workloads.size(), world.jobs.size());
}

TEST(SimBackend, GoesOnWhenTheWallClockJumpsBack) {
  Mailbox mailbox;  // outlives whoever posts to it
  Wall wall;
  BackendPtr backend = make_backend(worlds_of("demo")[0], 1, wall.clock());
  Model model;
  backend->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  *wall.at -= 7'200'000;
  EXPECT_TRUE(test::reduce_until(mailbox, model, [&] { return model.clusters[0].clock->wall < kMonday; }));
  EXPECT_GE(cluster_now(model.clusters[0], wall.clock()()), kMonday);
}

// A run on the simulator can be watched: switching MIG takes 5 s there, 0.1 s of ours at this speed.
TEST(SimBackend, GpusTakeTheirTimeWhileTheWorldMoves) {
  const auto took = [](double speed, plan::Action action) {
    Wall wall;
    BackendPtr backend = make_backend(worlds_of("demo")[0], speed, wall.clock());
    plan::Order order;
    order.node = NodeName("h100-03");
    order.action = std::move(action);
    std::promise<void> over;
    const auto begun = std::chrono::steady_clock::now();
    backend->actuator()->perform(order, [&](Status) { over.set_value(); });
    over.get_future().wait();
    return std::chrono::steady_clock::now() - begun;
  };
  EXPECT_GE(took(50, plan::SetMode{{GpuIndex{7}}, true}), std::chrono::milliseconds(100));
  EXPECT_LT(took(0.001, plan::ClearMark{}), std::chrono::seconds(5)) << "a call is answered at once";
  EXPECT_LT(took(0, plan::SetMode{{GpuIndex{7}}, true}), std::chrono::seconds(5))
      << "and so is a world at rest";
}

TEST(SimBackend, TellsWhenItsSourceStopsAnswering) {
  Mailbox mailbox;  // outlives whoever posts to it
  Wall wall;
  BackendPtr backend = make_backend(worlds_of("broken")[3], 1, wall.clock());
  Model model;
  backend->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  *wall.at += 60'000;
  EXPECT_TRUE(test::reduce_until(
      mailbox, model, [&] { return model.clusters[0].sources[Source::simulator].failure.has_value(); }));
  EXPECT_EQ(model.clusters[0].nodes.size(), 2u);
}

TEST(Open, RefusesWhatMakesNoSense) {
  Wall wall;
  SimulatorOptions options{.wall = wall.clock(), .catalogue = test::shared_catalogue()};
  options.speed = -1;
  EXPECT_FALSE(open(options).ok());
  options.speed = 2;
  options.state_file = "/nonexistent/never-made";
  EXPECT_FALSE(open(options).ok());
  options = {.scenario = "atlantis", .wall = wall.clock(), .catalogue = test::shared_catalogue()};
  EXPECT_FALSE(open(options).ok());
}

TEST(Open, KeepsOneWorldOverSeveralCommandsInAStateFile) {
  char name[] = "/tmp/tessera-open-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  Wall wall;
  SimulatorOptions options{.scenario = "blackwell",
                           .seed = 5,
                           .state_file = std::string(name) + "/world",
                           .wall = wall.clock(),
                           .catalogue = test::shared_catalogue()};
  Result<std::vector<World>> first = open_worlds(options);
  ASSERT_TRUE(first.ok()) << to_line(first.error());
  *wall.at += 86'400'000;
  options.seed = 6;
  options.scenario.clear();
  Result<std::vector<World>> second = open_worlds(options);
  ASSERT_TRUE(second.ok()) << to_line(second.error());
  EXPECT_EQ(*first, *second) << "what was saved stands, whatever the clock and the seed are now";
  options.scenario = "demo";
  EXPECT_FALSE(open_worlds(options).ok());
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace tessera::sim
