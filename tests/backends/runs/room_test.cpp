// Whole runs through the room: what is told is what is on the disk, whoever asks, parks, kills and resumes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/plan/observed.hpp"
#include "tests/backends/runs/lab.hpp"

namespace tessera::test {
namespace {

using plan::Onward;

Node small_node(const std::string& name) {
  return node(
      name,
      {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1), instance("3g.40gb", 4, 4, 2)}),
       uncut(1, 9)});
}
Workload alice_on(const std::string& name) { return running("7", "alice", {holds(name, {{0, 1}})}); }
constexpr const char* kWish = "3x1g.10gb,2g.20gb@4";

std::string board(Lab& lab, const std::string& name) {
  return plan::to_text(plan::instances_of(lab.cluster().world(name).node.gpus.at(0)));
}

TEST(RunRoom, DrivesARunToItsEndAndTellsWhatIsOnTheDisk) {
  Lab lab({small_node("n1")}, {alice_on("n1")});
  std::string run = lab.start(lab.plan(kWish));
  EXPECT_EQ(run, "20270115-0800-n1");
  ASSERT_TRUE(lab.wait_finished(run));
  lab.close();
  EXPECT_EQ(lab.told[run], lab.disk(run));
  plan::Run folded = lab.told_run(run);
  EXPECT_EQ(folded.finished->outcome, plan::Outcome::wanted);
  EXPECT_EQ(board(lab, "n1"), "1g.10gb@0, 1g.10gb@1, 1g.10gb@2, 2g.20gb@4");
  EXPECT_TRUE(lab.cluster().harm().empty());
  EXPECT_TRUE(lab.refused.empty());
}

}  // namespace
}  // namespace tessera::test
