// When nodes are closed for a window that has not opened yet.
#include "engine/fleet/early.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/reader.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::fleet {
namespace {

using namespace std::chrono;

class EarlyBeginning : public testing::Test {
 protected:
  void job(const std::string& id, std::optional<Duration> limit) {
    Workload one = test::running(id, "alice", {test::holds("n1", {{0}})});
    if (limit) one.ends = *one.started + *limit;
    cluster.workloads.upsert(one);
    plan::Disturbed disturbed;
    disturbed.id = one.id;
    node.blast_radius.push_back(disturbed);
  }
  Early look() { return early(cluster, node, opening, hours(8)); }

  Cluster cluster;
  plan::NodePlan node;
  const TimePoint opening = test::at(36000);
};

TEST_F(EarlyBeginning, TheLongestTimeLimitBeforeTheOpeningIsWhenANodeIsClosed) {
  job("1", hours(2)), job("2", hours(5));
  EXPECT_EQ(look().begin, opening - hours(5));
  EXPECT_FALSE(look().capped);
}

TEST_F(EarlyBeginning, ANodeThatNothingHoldsIsNotClosedBeforeItsStepsNeedIt) {
  EXPECT_EQ(look().begin, opening);
}

// The steps of a node that waits for its canary begin when those of the canary have ended.
TEST_F(EarlyBeginning, ANodeThatFollowsAnotherIsClosedEarlierByItsStepsOnceMore) {
  job("1", hours(2));
  plan::Step reset;
  reset.action = plan::ResetGpus{{GpuIndex{0}}};
  node.steps = {reset};
  const Duration once = look().steps;
  ASSERT_GT(once, Duration(0));
  const Early after_another = early(cluster, node, opening, hours(8), 2);
  EXPECT_EQ(after_another.steps, 2 * once);
  EXPECT_EQ(after_another.begin, opening - hours(2) - 2 * once);
}

TEST_F(EarlyBeginning, NoNodeIsClosedLongerBeforeThanTheLeadAllows) {
  job("1", hours(24 * 7));
  EXPECT_EQ(look().begin, opening - hours(8));
  EXPECT_TRUE(look().capped);
}

TEST_F(EarlyBeginning, WorkWithoutATimeLimitLeavesTheBeginningUnknown) {
  job("1", hours(2)), job("2", std::nullopt);
  EXPECT_FALSE(look().begin);
}

TEST_F(EarlyBeginning, WorkThatIsNotListedLeavesTheBeginningUnknown) {
  node.blast_radius.emplace_back();
  EXPECT_FALSE(look().begin);
  node.blast_radius.front().id = WorkloadId("gone");
  EXPECT_FALSE(look().begin);
}

TEST(EarlyLead, IsRefusedWhereItCannotHold) {
  const auto reason = [](const std::string& rest) {
    auto read = read_fleet("pools: [{name: a, " + rest + "}]", "f.yaml", test::catalogue());
    return read ? std::string() : read.error().reason;
  };
  const std::string windows = ", windows: [{when: Sat, layout: empty}]";
  EXPECT_EQ(reason("layout: none, budget: {lead: '04:00'}" + windows), "");
  EXPECT_NE(reason("layout: none, budget: {lead: '04:00'}").find("lead belongs to windows"),
            std::string::npos);
  EXPECT_NE(reason("layout: none, evict: requeue, budget: {lead: '04:00'}" + windows).find("evicts"),
            std::string::npos);
  EXPECT_NE(reason("demand: {1g.10gb: 2}, budget: {lead: '04:00'}" + windows).find("demand is spread"),
            std::string::npos);
  for (const char* wrong : {"'25:00'", "4h", "-1", "[1]", "''"})
    EXPECT_NE(reason(std::string("layout: none, budget: {lead: ") + wrong + "}" + windows)
                  .find("lead is hours and minutes"),
              std::string::npos)
        << wrong;
}

// What it excludes was said, and not what becomes of the pool without the one or the other.
TEST(EarlyLead, ARefusalNamesTheWayOutOnTheLineOfTheLead) {
  const auto error = [](const std::string& rest) {
    auto read = read_fleet("pools:\n- name: a\n  windows: [{when: Sat, layout: empty}]\n" + rest, "f.yaml",
                           test::catalogue());
    return read ? std::string() : to_line(read.error());
  };
  const std::string lead = "  budget:\n    max_disturbed: 3\n    lead: '04:00'\n";
  const std::string evicts = error("  layout: none\n  evict: requeue\n" + lead);
  EXPECT_NE(evicts.find("f.yaml:8:"), std::string::npos) << evicts;
  EXPECT_NE(
      evicts.find("leave lead out: its workloads are then evicted once the window opens; or leave evict "
                  "out"),
      std::string::npos)
      << evicts;
  const std::string demands = error("  demand: {1g.10gb: 2}\n" + lead);
  EXPECT_NE(demands.find("leave lead out: the change then begins when the window opens"), std::string::npos)
      << demands;
  EXPECT_NE(error("  layout: none\n  lead: '04:00'\n")
                .find("it belongs to the budget of a pool: write budget: {lead: VALUE}"),
            std::string::npos);
  EXPECT_NE(error("  layout: none\n  budget: {leed: '04:00'}\n")
                .find("one of: max_nodes_at_once, max_disturbed, not_after, lead"),
            std::string::npos);
  EXPECT_NE(error("  layout: none\n  budget: {lead: 4}\n").find("write lead: '04:00'"), std::string::npos);
}

}  // namespace
}  // namespace tessera::fleet
