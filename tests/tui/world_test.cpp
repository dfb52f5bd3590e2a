// A model with the history of its figures: what is still to come is never shown.
#include "tui/world.hpp"

#include <gtest/gtest.h>

#include "tests/support/build.hpp"

namespace tessera::tui {
namespace {

using test::at;

Event on(decltype(Event::what) what, int seconds) {
  return {ClusterName("hpc"), 0, at(seconds), std::move(what)};
}
void measure(World& world, int seconds) {
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  figures.figures.use = Percent{50};
  world.learn(on(Measured{NodeName("n1"), Source::dcgm, at(seconds), {figures}}, seconds));
}
std::size_t samples(const World& world) {
  return world.history.line(ClusterName("hpc"), NodeName("n1"), history::Key{}).samples.size();
}

TEST(AWorld, WhoseClockIsSetBackForgetsWhatIsStillToCome) {
  World world;
  world.learn(on(ClockSet{at(0), 0}, 0));
  world.learn(on(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}}, 0));
  measure(world, 0);
  world.learn(on(ClockSet{at(0), 0}, 60));
  measure(world, 60);
  EXPECT_EQ(samples(world), 2u);
  world.learn(on(ClockSet{at(0), 0}, 30));
  EXPECT_EQ(samples(world), 0u);
  measure(world, 30);
  EXPECT_EQ(samples(world), 1u);
}

// Several recordings are gone through at once, each by its own clock.
TEST(AWorld, AClockThatIsSetBackForgetsNothingOfTheOtherClusters) {
  World world;
  const auto on_other = [](decltype(Event::what) what, int seconds) {
    return Event{ClusterName("other"), 0, at(seconds), std::move(what)};
  };
  const auto both = [&](const decltype(Event::what)& what, int seconds) {
    world.learn(on(what, seconds)), world.learn(on_other(what, seconds));
  };
  const auto samples_of = [&](const char* cluster) {
    return world.history.line(ClusterName(cluster), NodeName("n1"), history::Key{}).samples.size();
  };
  both(ClusterSeen{Scheduler::slurm, false, "", ""}, 60);
  both(ClockSet{at(0), 0}, 60);
  both(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})})}}, 60);
  both(WorkloadsListed{}, 60);
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
    both(SourceReport{source, {}, {}, "", false}, 60);
  both(Loaded{}, 60);
  world.watch(ClusterName("other"), std::vector{NodeName("n1")});
  GpuFigures figures;
  figures.gpu = GpuIndex{0};
  figures.figures.use = Percent{50};
  figures.figures.temperature = Celsius{40};
  both(Measured{NodeName("n1"), Source::dcgm, at(60), {figures}}, 60);
  world.learn(on(ClockSet{at(0), 0}, 30));
  EXPECT_EQ(samples_of("hpc"), 0U);
  ASSERT_EQ(world.history.sums(ClusterName("hpc")).size(), 1U);
  EXPECT_EQ(world.history.sums(ClusterName("hpc")).front().at, at(30));
  EXPECT_EQ(samples_of("other"), 1U);
  EXPECT_EQ(world.history.sums(ClusterName("other")).size(), 1U);
  // Who is on screen there is kept in detail as before, and its sums are not taken too often.
  figures.figures.temperature = Celsius{41};
  world.learn(on_other(Measured{NodeName("n1"), Source::dcgm, at(65), {figures}}, 65));
  const history::Line line = world.history.line(ClusterName("other"), NodeName("n1"), history::Key{});
  ASSERT_EQ(line.samples.size(), 2U);
  EXPECT_EQ(line.samples.back().temperature, 41.0F);
  EXPECT_EQ(world.history.sums(ClusterName("other")).size(), 1U);
}

// From a node's page one goes on to its GPU and to the job on it, and back.
TEST(AWorld, GoesOnToKeepTheHeatOfANodeWhileTheNextPageIsLookedAt) {
  World world;
  std::vector<Node> nodes;
  for (int i = 0; i < 30; ++i)
    nodes.push_back(
        test::node(("n" + std::to_string(i)).c_str(), {test::gpu(0, Strategy::whole, {test::whole(0)})}));
  world.learn(on(NodesListed{{nodes}}, 60));
  const auto measure = [&](const char* node, int seconds) {
    GpuFigures figures;
    figures.gpu = GpuIndex{0};
    figures.figures.use = Percent{50};
    figures.figures.temperature = Celsius{static_cast<float>(seconds)};
    world.learn(on(Measured{NodeName(node), Source::dcgm, at(seconds), {figures}}, seconds));
    return world.history.line(ClusterName("hpc"), NodeName(node), history::Key{}).samples.back().temperature;
  };
  world.watch(ClusterName("hpc"), std::vector{NodeName("n0")});
  EXPECT_EQ(measure("n0", 70), 70.0F);
  world.watch(ClusterName("hpc"), std::vector{NodeName("n1"), NodeName("n2")});
  EXPECT_EQ(measure("n0", 80), 80.0F);
  EXPECT_EQ(measure("n2", 80), 80.0F);
  EXPECT_EQ(measure("n3", 80), std::nullopt);
  // Bounded: the one that was looked at longest ago goes first.
  for (int i = 3; i < 3 + static_cast<int>(kMostWatched) - 2; ++i)
    world.watch(ClusterName("hpc"), std::vector{NodeName("n" + std::to_string(i))});
  EXPECT_EQ(measure("n0", 90), std::nullopt);
  EXPECT_EQ(measure("n1", 90), 90.0F);
}

std::vector<float> held(const World& world) {
  std::vector<float> all;
  for (const history::Sample& sample : world.history.sums(ClusterName("hpc")))
    all.push_back(sample.held.value_or(-1));
  return all;
}
// One of two GPUs is held, or both.
void tell_of_two(World& world, int seconds, bool both) {
  world.learn(on(NodesListed{{test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)}),
                                                test::gpu(1, Strategy::whole, {test::whole(1)})})}},
                 seconds));
  std::vector<DeviceShare> devices{{0, 1}};
  if (both) devices.push_back({1, 1});
  world.learn(on(WorkloadsListed{{test::running("1", "alice", {test::holds("n1", devices)})}}, seconds));
}
void answers(World& world, int seconds, std::optional<Error> failure = {}) {
  for (const Source source : {Source::slurm_nodes, Source::slurm_jobs})
    world.learn(on(SourceReport{source, failure, {}, "", false}, seconds));
}

TEST(AWorld, SumsItsClustersUpAtMostEachTenSecondsAndOnlyWhileTheirListsAreCurrent) {
  World world;
  world.learn(on(ClusterSeen{Scheduler::slurm, false, "", ""}, 0));
  answers(world, 0), tell_of_two(world, 0, false);
  EXPECT_TRUE(held(world).empty()) << "not all of it is here";
  world.learn(on(Loaded{}, 0));
  EXPECT_EQ(held(world), (std::vector<float>{50}));
  answers(world, 5);
  tell_of_two(world, 6, true);
  EXPECT_EQ(held(world).size(), 1u);
  answers(world, 10);
  EXPECT_EQ(held(world), (std::vector<float>{50, 100}));
  answers(world, 40, Error{"no answer", "", ""});
  answers(world, 60, Error{"no answer", "", ""});
  EXPECT_EQ(held(world).size(), 2u) << "what stood before is not what stands now";
}

// The charts of the overview began with the console, though Prometheus had kept the hour before it.
TEST(AWorld, PutsWhatASourceKeptBeforeWhatWasSeenWhereBothCountAlike) {
  const auto of = [](int slices, float near) {
    World world;
    world.learn(on(ClusterSeen{Scheduler::slurm, false, "", ""}, 600));
    world.keep(ClusterName("hpc"), {slices, {{at(480), 100.0F, 80.0F}, {at(590), near, 30.0F}}});
    answers(world, 600), tell_of_two(world, 600, false);
    EXPECT_TRUE(held(world).empty()) << "nothing was seen that it can be held against";
    world.learn(on(Loaded{}, 600));
    return held(world);
  };
  EXPECT_EQ(of(2, 50), (std::vector<float>{100, 50, 50}));
  EXPECT_EQ(of(2, 100), (std::vector<float>{50})) << "the scheduler says that one of two is held";
  EXPECT_EQ(of(14, 50), (std::vector<float>{50})) << "it is of another cluster, or of two";
}

TEST(AWorld, AMomentOfARecordingIsSummedUpOnceAllOfItWasTold) {
  World world;
  world.learn(on(ClusterSeen{Scheduler::slurm, false, "", ""}, 0));
  const auto moment = [&](int seconds, bool both) {
    world.learn(on(ClockSet{at(9'999), 0}, seconds));
    world.learn(on(Recorded{at(0), at(600), ""}, seconds));
    answers(world, seconds), tell_of_two(world, seconds, both);
    world.learn(on(Loaded{}, seconds));
  };
  moment(100, false);
  moment(200, true);
  EXPECT_EQ(held(world), (std::vector<float>{50, 100})) << "never the nodes of one and the jobs of the other";
  moment(150, false);
  EXPECT_EQ(held(world), (std::vector<float>{50})) << "what is still to come is forgotten";
}

TEST(AWorld, FollowsTheRevisionsOfAnother) {
  World live, past;
  live.model.revision = 70;
  past.model.revision = 3;
  past.follow(live);
  EXPECT_EQ(past.model.revision, 71u);
  live.follow(past);
  EXPECT_EQ(live.model.revision, 72u) << "what was worked out of the past is not taken for its own";
}

}  // namespace
}  // namespace tessera::tui
