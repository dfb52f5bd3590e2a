// What planning costs: one node of 8 GPUs, an editor's preview on every keystroke, 1,000 nodes at once, and a
// step of the executor.
#include <benchmark/benchmark.h>

#include "bench/large.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/run/executor.hpp"

namespace tessera::bench {
namespace {

const mig::Catalogue& catalogue() {
  static const mig::Catalogue all = mig::Catalogue::built_in().value();
  return all;
}
const Cluster& cluster() {
  static const Model model = large_model();
  return *model.find(ClusterName("hpc"));
}

plan::Intent intent(int nodes, const char* layout, std::optional<GpuIndex> gpu) {
  plan::Intent intent;
  intent.cluster = cluster().name;
  for (int i = 0; i < nodes; ++i) intent.nodes.push_back(NodeName(fmt::format("gpu{:05}", i)));
  intent.boards = {{gpu, plan::parse_layout_wish(layout).value()}};
  return intent;
}

plan::Plan must_plan(const plan::Intent& intent, const plan::Outlook* outlook) {
  return plan::make_plan(cluster(), catalogue(), intent, plan::simulator_capabilities(), {}, at(0), outlook)
      .value();
}

void PlanNodeOfEight(benchmark::State& state) {
  plan::Intent wish = intent(1, "3g.40gb,2g.20gb,2x1g.10gb", std::nullopt);
  plan::Outlook outlook = plan::look_out(cluster(), catalogue(), {});
  for (auto _ : state) benchmark::DoNotOptimize(must_plan(wish, &outlook));
}
BENCHMARK(PlanNodeOfEight)->Unit(benchmark::kMicrosecond);

// One GPU changes while the admin types; the look-out is kept for the model's revision.
void PreviewWhileEditing(benchmark::State& state) {
  plan::Intent one = intent(1, "3g.40gb,4x1g.10gb", GpuIndex{0});
  plan::Intent two = intent(1, "2g.20gb@0,2g.20gb@2,3g.40gb", GpuIndex{0});
  plan::Outlook outlook = plan::look_out(cluster(), catalogue(), {});
  bool odd = false;
  for (auto _ : state) benchmark::DoNotOptimize(must_plan((odd = !odd) ? one : two, &outlook));
}
BENCHMARK(PreviewWhileEditing)->Unit(benchmark::kMicrosecond);

void LookOut(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(plan::look_out(cluster(), catalogue(), {}));
}
BENCHMARK(LookOut)->Unit(benchmark::kMillisecond);

void PlanThousandNodes(benchmark::State& state) {
  plan::Intent wish = intent(1000, "7x1g.10gb", std::nullopt);
  plan::Outlook outlook = plan::look_out(cluster(), catalogue(), {});
  for (auto _ : state) benchmark::DoNotOptimize(must_plan(wish, &outlook));
}
BENCHMARK(PlanThousandNodes)->Unit(benchmark::kMillisecond);

void PlanFileThereAndBack(benchmark::State& state) {
  plan::Outlook outlook = plan::look_out(cluster(), catalogue(), {});
  plan::Plan made = must_plan(intent(1, "7x1g.10gb", std::nullopt), &outlook);
  std::size_t bytes = 0;
  for (auto _ : state) {
    std::string text = plan::to_document(made);
    bytes = text.size();
    benchmark::DoNotOptimize(plan::parse_plan(text, "plan"));
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(PlanFileThereAndBack)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tessera::bench
