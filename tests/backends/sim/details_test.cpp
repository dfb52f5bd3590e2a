// Limits of the simulated Slurm: a job that waits for one is told of it with both numbers, as on a real site.
#include "backends/sim/details.hpp"

#include <future>

#include "backends/mailbox.hpp"
#include "backends/sim/backend.hpp"
#include "backends/sim/random.hpp"
#include "engine/looks_into.hpp"
#include "engine/why/why.hpp"
#include "tests/backends/sim/worlds.hpp"
#include "tests/support/watch.hpp"

namespace tessera::sim {
namespace details_test {

using std::chrono::hours;
using std::chrono::minutes;

// ann holds two GPUs and wants a third, ben is of her account.
World limited(const std::string& limits) {
  return world_from(R"(
clusters:
  - name: c
    users: ["ann:vision", "ben:vision", "cid:speech"]
)" + limits + R"(
    partitions: [{name: p, max_time: 1d}]
    nodes: [{names: "n[1-3]", product: H100-80GB-SXM5, gpus: 2}]
    jobs:
      - {name: a, user: ann, want: 'gpu:h100:2', runs: 2h, limit: 4h, ran: 1h}
      - {name: b, user: ann, want: 'gpu:h100:1', runs: 1h}
      - {name: c, user: ben, want: 'gpu:h100:1', runs: 1h}
      - {name: d, user: cid, want: 'gpu:h100:2', runs: 9h}
)");
}

why::Answer answer_for(const World& world, const std::string& name) {
  const Model model = model_of(world);
  const Workload* work = workload_named(model, name);
  const auto details = details_of(world, work->id);
  EXPECT_TRUE(details) << name;
  why::Site site;
  site.catalogue = &test::catalogue();
  site.wall = kMonday;
  site.details = &*details;
  return why::explain(model.clusters.front(), *work, site);
}

bool says(const why::Answer& answer, const std::string& text) {
  return std::any_of(answer.more.begin(), answer.more.end(), [&](const why::Statement& one) {
    return one.text == text && one.certainty == why::Certainty::certain && why::said_by(one) == "simulator";
  });
}

TEST(SimLimits, AJobThatWaitsForALimitPerUserIsToldOfBothNumbers) {
  const why::Answer answer = answer_for(limited("    gpus_per_user: 2\n"), "b");
  EXPECT_EQ(answer.topic, why::Topic::limit);
  EXPECT_TRUE(says(answer, "QOS normal: MaxTRESPU gres/gpu=2, ann holds 2 and it asks for 1"));
  ASSERT_GE(answer.help.size(), 2u);
  EXPECT_EQ(answer.help[0].help, why::Help::by_itself) << "what ann holds adds up to what is counted";
  EXPECT_NE(answer.help[1].command.find("MaxTRESPerUser=gres/gpu=3"), std::string::npos);
}

TEST(SimLimits, AnAccountsLimitCountsWhatAllItsUsersHold) {
  const World world = limited("    gpus_per_account: 2\n");
  const why::Answer answer = answer_for(world, "c");
  EXPECT_EQ(workload_named(model_of(world), "c")->reason, "AssocGrpGRES");
  EXPECT_TRUE(says(answer, "association of account vision: GrpTRES gres/gpu=2, 2 in use and it asks for 1"));
  EXPECT_EQ(workload_named(model_of(world), "d")->reason, "") << "speech holds nothing else";
}

// The limit is of the world: it has room once what was held is given back.
TEST(SimLimits, WhatEndsNoLongerCounts) {
  World world = limited("    gpus_per_user: 2\n");
  world.advance(kMonday + hours(1) + minutes(5));
  const Model model = model_of(world);
  EXPECT_EQ(workload_named(model, "a"), nullptr);
  ASSERT_NE(workload_named(model, "b"), nullptr);
  EXPECT_EQ(workload_named(model, "b")->state, WorkloadState::running);
  EXPECT_EQ(details_of(world, workload_named(model, "b")->id)->limits.at(0).used, 1);
}

TEST(SimLimits, WithoutALimitNoneIsSaidToBeInTheWay) {
  const auto details = details_of(limited(""), WorkloadId("80002"));
  ASSERT_TRUE(details);
  EXPECT_TRUE(details->limits.empty());
  EXPECT_EQ(details->asked.size(), 1u);
  EXPECT_FALSE(details_of(limited(""), WorkloadId("1"))) << "it is not listed";
}

// A job that names the drained n4 was told that the nodes that it may use have room, and of a partition to
// move to.
TEST(SimNeeds, AJobThatNamesAClosedNodeIsNotToldOfRoomOnOthers) {
  const World world = world_from(R"(
clusters:
  - name: c
    users: [ann]
    partitions: [{name: p, max_time: 1d}]
    nodes:
      - {names: "n[1-3]", product: H100-80GB-SXM5, gpus: 2}
      - {names: n4, product: H100-80GB-SXM5, gpus: 2, state: {is: drained, reason: fan}}
    jobs:
      - {name: a, user: ann, want: 'gpu:h100:1', on: n4, runs: 1h}
      - {name: b, user: ann, want: 'gpu:h100:1', on: "n[1-2]", hold: JobHeldUser}
)");
  const Model model = model_of(world);
  ASSERT_TRUE(workload_named(model, "a")->needs);
  EXPECT_EQ(workload_named(model, "a")->needs->nodes, "n4");
  EXPECT_FALSE(workload_named(model, "b")->needs) << "one of two nodes is no list of nodes that it needs";
  const why::Answer answer = answer_for(world, "a");
  EXPECT_EQ(answer.topic, why::Topic::node);
  EXPECT_EQ(answer.sentence.text, "a node that it needs is down, closed or reserved: n4");
  for (const why::Remedy& one : answer.help) EXPECT_NE(one.help, why::Help::elsewhere) << one.text;
}

// The scheduler and what is told count alike, in any world that it has just passed over.
TEST(SimLimits, EachJobThatTheSchedulerKeepsForALimitIsPastIt) {
  int cases = 0;
  for (std::uint64_t seed = 1; seed < 9; ++seed)
    for (const char* scenario : {"demo", "slurm-h100"})
      for (World& world : worlds_of(scenario, mix(seed))) {
        if (world.spec().scheduler != Scheduler::slurm) continue;
        for (const auto& [id, job] : world.jobs) {
          if (job.reason != "QOSMaxGRESPerUser") continue;
          ++cases;
          const auto details = details_of(world, workload_id(world, job));
          ASSERT_TRUE(details && details->limits.size() == 1u);
          const Shape& shape = wanted_by(world, job);
          EXPECT_GT(*details->limits[0].used + shape.count * shape.nodes, details->limits[0].limit);
        }
      }
  EXPECT_GT(cases, 0);
}

// The console and the command line ask through the port; an event follows, so that they wake.
TEST(SimLimits, TheBackendOfASlurmIsAskedAndAnswers) {
  Mailbox mailbox;  // outlives whoever posts to it
  BackendPtr backend = make_backend(limited("    gpus_per_user: 2\n"), 0, [] { return kMonday; });
  ASSERT_NE(backend->looks_into(), nullptr);
  Model model;
  backend->start(mailbox);
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return !model.clusters.empty() && model.clusters[0].loaded; }));
  auto answer = std::make_shared<std::promise<Details>>();
  std::future<Details> told = answer->get_future();
  backend->looks_into()->look_into(workload_named(model, "b")->id,
                                   [answer](Details details) { answer->set_value(std::move(details)); });
  ASSERT_TRUE(test::reduce_until(mailbox, model,
                                 [&] { return told.wait_for(Duration(0)) == std::future_status::ready; }));
  const Details details = told.get();
  ASSERT_EQ(details.limits.size(), 1u);
  EXPECT_EQ(details.limits[0].used, 2);
  EXPECT_EQ(make_backend(worlds_of("kubernetes")[0], 0, [] { return kMonday; })->looks_into(), nullptr);
}

// An error is not an empty list.
TEST(SimLimits, AWorldThatIsNotReachedTellsNoLimits) {
  const auto details =
      details_of(limited("    gpus_per_user: 2\n"), WorkloadId("80002"), Error{"cannot lock", "held", ""});
  ASSERT_TRUE(details);
  EXPECT_TRUE(details->limits.empty());
  EXPECT_TRUE(details->asked.at(0).failure);
}

}  // namespace details_test
}  // namespace tessera::sim
