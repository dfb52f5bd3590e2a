// What the simulator costs at its largest: building, one second of its life, telling everything.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <memory>

#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/snapshot.hpp"
#include "engine/model/reduce.hpp"

namespace {

using namespace tessera;
using namespace tessera::sim;

constexpr TimePoint kStart{Duration(1772442000000)};

std::shared_ptr<const mig::Catalogue> catalogue() {
  static const auto shared = std::make_shared<const mig::Catalogue>(std::move(*mig::Catalogue::built_in()));
  return shared;
}

ScenarioPtr scenario(const char* name) { return *find_scenario(name, catalogue()); }

double heap_mb() { return static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd) / 1e6; }

void build(benchmark::State& state, const char* name) {
  for (auto _ : state) {
    auto worlds = make_worlds(scenario(name), 1, kStart);
    benchmark::DoNotOptimize(worlds);
  }
}
BENCHMARK_CAPTURE(build, demo, "demo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, huge, "huge")->Unit(benchmark::kMillisecond);

void advance_one_second(benchmark::State& state, const char* name) {
  World world = std::move((*make_worlds(scenario(name), 1, kStart)).front());
  world.advance(kStart + std::chrono::minutes(2));
  std::size_t changes = 0;
  for (auto _ : state) {
    auto one = world.advance(world.now + std::chrono::seconds(1));
    changes += one.nodes.size() + one.jobs.size();
  }
  state.counters["changes"] =
      benchmark::Counter(static_cast<double>(changes), benchmark::Counter::kAvgIterations);
}
BENCHMARK_CAPTURE(advance_one_second, demo, "demo")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(advance_one_second, huge, "huge")->Unit(benchmark::kMicrosecond);

void tell_everything(benchmark::State& state, const char* name) {
  World world = std::move((*make_worlds(scenario(name), 1, kStart)).front());
  for (auto _ : state) {
    auto events = snapshot(world, kStart, 1);
    benchmark::DoNotOptimize(events);
  }
}
BENCHMARK_CAPTURE(tell_everything, demo, "demo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(tell_everything, huge, "huge")->Unit(benchmark::kMillisecond);

// Memory of the world, and of the model that it fills; not a time.
void memory(benchmark::State& state, const char* name) {
  for (auto _ : state) {
    double before = heap_mb();
    World world = std::move((*make_worlds(scenario(name), 1, kStart)).front());
    double built = heap_mb();
    Model model;
    for (Event& event : snapshot(world, kStart, 1)) reduce(model, std::move(event));
    state.counters["world_MB"] = built - before;
    state.counters["model_MB"] = heap_mb() - built;
    state.counters["workloads"] = static_cast<double>(world.jobs.size());
  }
}
BENCHMARK_CAPTURE(memory, huge, "huge")->Iterations(1)->Unit(benchmark::kMillisecond);

void save_and_load(benchmark::State& state, const char* name) {
  auto worlds = *make_worlds(scenario(name), 1, kStart);
  auto shared = catalogue();
  std::size_t size = 0;
  for (auto _ : state) {
    std::string text = save_state(worlds);
    size = text.size();
    auto loaded = load_state(text, shared);
    if (!loaded) state.SkipWithError("a saved state was refused");
  }
  state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK_CAPTURE(save_and_load, demo, "demo")->Unit(benchmark::kMillisecond);

}  // namespace
