// Why work waits, held against the simulator's own scheduler: where a node is said to fit, work that waits
// for room starts there; where none fits, it does not.
#include "engine/why/why.hpp"

#include <algorithm>
#include <cstdlib>

#include "backends/sim/random.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace why_test {

struct Agreement {
  int cases = 0, agree = 0, started = 0;
  std::string misses;
};

// Whether as many nodes as it asks for are said to fit.
bool is_said_to_fit(const Cluster& cluster, const Workload& work) {
  why::Site site;
  site.catalogue = &test::catalogue();
  site.wall = kMonday;
  std::size_t fit = 0;
  for (const why::Candidates& one : why::look_at_all(cluster, work, site))
    fit += one.fits ? one.nodes.size() : 0;
  return fit >= static_cast<std::size_t>(why::asked_of(work, cluster.scheduler).nodes);
}

void count(Agreement& all, const std::string& where, const Workload& work, bool said, bool true_word) {
  ++all.cases;
  all.agree += said == true_word;
  if (said != true_word && all.misses.size() < 2000)
    all.misses +=
        where + " " + work.id.text + " (" + work.reason + ") for " +
        (work.requests.empty() ? "nothing"
                               : std::to_string(work.requests[0].count) + " × " + work.requests[0].resource) +
        ": said to " + (said ? "" : "not ") + "fit\n";
}

// The scheduler has just passed: what waits for room had none, whatever else is guarded for others.
void look_at_waiting(Agreement& all, const World& world, const std::string& where) {
  const Model model = model_of(world);
  for (const Workload& work : model.clusters.front().workloads.all()) {
    if (work.state != WorkloadState::pending) continue;
    const Cluster& cluster = model.clusters.front();
    const why::Topic topic = why::meaning(work.reason, cluster.scheduler).topic;
    if (topic != why::Topic::room && topic != why::Topic::request) continue;
    if (why::asked_of(work, cluster.scheduler).each.empty()) continue;
    count(all, where, work, is_said_to_fit(cluster, work), false);
  }
}

// Whether something on the nodes of this work was given back meanwhile: it may have started on that.
bool was_given_back(const Cluster& then, const Cluster& now, const Workload& work) {
  const auto is_on = [&](const Allocation& one) {
    return std::any_of(work.allocations.begin(), work.allocations.end(),
                       [&](const Allocation& own) { return own.node == one.node; });
  };
  const auto& all = then.workloads.all();
  return std::any_of(all.begin(), all.end(), [&](const Workload& one) {
    if (std::none_of(one.allocations.begin(), one.allocations.end(), is_on)) return false;
    const Workload* later = now.workloads.find(one.id);
    return later == nullptr || later->allocations != one.allocations;
  });
}

// What has started within a minute is put back into the world before: it is said to fit there. Only work on
// whose nodes nothing was given back meanwhile is a case.
void look_at_started(Agreement& all, World& world, const std::string& where) {
  const Model before = model_of(world);
  world.advance(world.now + std::chrono::minutes(1));
  const Model after = model_of(world);
  const Cluster& then = before.clusters.front();
  const Cluster& now = after.clusters.front();
  for (const Workload& work : now.workloads.all()) {
    if (work.state != WorkloadState::running || then.workloads.find(work.id) != nullptr) continue;
    if (work.requests.empty() || work.allocations.empty() || was_given_back(then, now, work)) continue;
    Workload again = work;  // as it stood in the queue
    again.state = WorkloadState::pending, again.allocations.clear(), again.started.reset(),
    again.ends.reset();
    again.reason.clear();
    ++all.started;
    count(all, where + " started", again, is_said_to_fit(then, again), true);
  }
}

int wanted_cases() {
  const char* many = std::getenv("TESSERA_WHY_CASES");
  return many != nullptr ? std::max(1, std::atoi(many)) : 300;
}

TEST(WhyAgainstTheSimulator, WhatIsSaidToFitStartsAndWhatIsNotDoesNot) {
  Agreement all;
  const int wanted = wanted_cases();
  for (std::uint64_t seed = 1; all.cases < wanted && seed < 10'000; ++seed)
    for (const char* scenario : {"demo", "kubernetes", "slurm-h100"})
      for (World& world : worlds_of(scenario, mix(seed))) {
        world.advance(world.start + std::chrono::hours(between(mix(~seed), 1, 30)));
        const std::string where = std::string(scenario) + " seed " + std::to_string(seed);
        look_at_waiting(all, world, where);
        look_at_started(all, world, where);
        if (all.cases >= wanted) break;
      }
  const double share = 100.0 * all.agree / std::max(1, all.cases);
  RecordProperty("cases", all.cases);
  std::printf("%d cases, %d of them starts: %.2f %% agree\n%s", all.cases, all.started, share,
              all.misses.c_str());
  EXPECT_GE(all.cases, wanted);
  EXPECT_GE(share, 99.9) << all.misses;
}

}  // namespace why_test
}  // namespace tessera::sim
