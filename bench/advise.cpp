// What advice costs: which of 1,000 and 10,000 nodes of 8 H100 to re-cut for 2,000 waiting jobs, on a Slurm
// where a node must be free of work for a change, and where it need not be.
#include "engine/advise/advise.hpp"

#include <benchmark/benchmark.h>

#include "tests/support/busy_site.hpp"

namespace tessera::bench {
namespace {

constexpr int kWaiting = 2000;

const mig::Catalogue& catalogue() {
  static const mig::Catalogue all = mig::Catalogue::built_in().value();
  return all;
}

advise::Question question_of(const Cluster& cluster, bool whole_node) {
  advise::Question asked{&cluster, &catalogue(), plan::simulator_capabilities(), {},
                         {},       "",           test::BusySite::now()};
  if (whole_node)
    asked.can.instances = asked.can.mode = asked.can.sharing = plan::Unit::node,
    asked.can.needs_closing = true;
  for (const Node& node : cluster.nodes.all()) asked.nodes.push_back(node.name);
  return asked;
}

void AdviseOn(benchmark::State& state) {
  const test::BusySite site({static_cast<int>(state.range(0)), 8, kWaiting});
  const advise::Question asked = question_of(site.cluster(), state.range(1) != 0);
  for (auto _ : state) {
    const advise::Advice advice = advise::advise(asked);
    state.counters["tried"] = advice.tried;
    state.counters["answers"] = static_cast<double>(advice.answers.size());
    state.counters["waiting"] = static_cast<double>(advice.left.waiting.size());
  }
}

BENCHMARK(AdviseOn)->ArgsProduct({{1000, 10'000}, {0, 1}})->Unit(benchmark::kMillisecond)->Iterations(1);

}  // namespace
}  // namespace tessera::bench
