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
