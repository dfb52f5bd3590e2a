// What an hour of samples of a large cluster takes: 10,000 nodes of 8 GPUs at 10 s, ten minutes after that
// hour, when no ring grows any more.
#include "engine/history/history.hpp"

#include <benchmark/benchmark.h>
#include <malloc.h>

#include "bench/aims.hpp"
#include "engine/model/reduce.hpp"

namespace {

using namespace tessera;

constexpr int kNodes = 10'000, kGpus = 8, kSamples = 420;

Model model() {
  Model model;
  NodesListed list;
  for (int n = 0; n < kNodes; ++n) {
    Node node;
    node.name = NodeName("n" + std::to_string(n));
    for (int g = 0; g < kGpus; ++g) {
      Gpu gpu;
      gpu.index = GpuIndex{g};
      gpu.memory = Mib{81559};
      gpu.slices.emplace_back();
      node.gpus.push_back(std::move(gpu));
    }
    list.nodes.push_back(std::move(node));
  }
  reduce(model, {ClusterName("hpc"), 1, {}, std::move(list)});
  return model;
}

void measure(Model& model, TimePoint at, int round) {
  model.clusters[0].nodes.change_each([&](Node& node) {
    for (Gpu& gpu : node.gpus) {
      gpu.telemetry.use = Percent{static_cast<float>((round * 7 + gpu.index.value) % 100)};
      gpu.telemetry.memory_used = Mib{40'000};
      gpu.telemetry.origin = {Source::dcgm, at};
    }
  });
}

void an_hour(benchmark::State& state) {
  Model world = model();
  for (auto _ : state) {
    const auto before = mallinfo2().uordblks + mallinfo2().hblkhd;
    history::History history;
    for (int i = 0; i < kSamples; ++i) {
      state.PauseTiming();
      const TimePoint at(std::chrono::seconds(1'800'000'000 + 10 * i));
      measure(world, at, i);
      state.ResumeTiming();
      for (const Node& node : world.clusters[0].nodes.all()) history.take(world.clusters[0], node.name);
    }
    state.counters["samples_MB"] = static_cast<double>(history.bytes()) / 1e6;
    state.counters["heap_MB"] = static_cast<double>(mallinfo2().uordblks + mallinfo2().hblkhd - before) / 1e6;
    state.counters["depth"] = static_cast<double>(history.depth());
  }
}
BENCHMARK(an_hour)->Unit(benchmark::kMillisecond)->Iterations(1);

// Beside what the allocator keeps for it.
[[maybe_unused]] const bool kAimed =
    bench::aim({{"an_hour", "samples_MB", 64, "MB"}, {"an_hour", "heap_MB", 64, "MB"}});

}  // namespace
