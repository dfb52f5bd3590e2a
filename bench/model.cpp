// The model at 10,000 nodes, 80,000 GPUs and 100,000 workloads: memory, one event, filter and sort.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include "bench/aims.hpp"
#include "bench/large.hpp"
#include "engine/guide/findings.hpp"
#include "engine/insight/totals.hpp"
#include "engine/query/filter.hpp"

namespace tessera::bench {
namespace {

const Model& shared_model() {
  static const Model model = large_model();
  return model;
}

void BM_BuildAndMemory(benchmark::State& state) {
  for (auto _ : state) {
    malloc_trim(0);
    std::size_t before = mallinfo2().uordblks;
    Model model = large_model();
    benchmark::DoNotOptimize(model);
    state.counters["MiB"] = static_cast<double>(mallinfo2().uordblks - before) / (1 << 20);
  }
}
BENCHMARK(BM_BuildAndMemory)->Unit(benchmark::kMillisecond)->Iterations(2);

void BM_ReduceOneNode(benchmark::State& state) {
  Model model = large_model();
  Node node = bench_node(4711);
  float use = 0;
  for (auto _ : state) {
    node.gpus[0].telemetry.use = Percent{use = use > 90 ? 0 : use + 1};
    benchmark::DoNotOptimize(reduce(model, event(NodeSeen{node})));
  }
}
BENCHMARK(BM_ReduceOneNode)->Unit(benchmark::kMicrosecond);

void BM_ReduceOneWorkload(benchmark::State& state) {
  Model model = large_model();
  Workload workload = bench_workload(4711, 10'000);
  int round = 0;
  for (auto _ : state) {
    workload.comment = ++round % 2 ? "a" : "b";
    benchmark::DoNotOptimize(reduce(model, event(WorkloadSeen{workload})));
  }
}
BENCHMARK(BM_ReduceOneWorkload)->Unit(benchmark::kMicrosecond);

// One job over all 10,000 nodes starts: every node is linked again.
void BM_ReduceJobOverAllNodes(benchmark::State& state) {
  Model model = large_model();
  Workload job = bench_workload(1, 10'000);
  job.id = WorkloadId("everywhere");
  job.allocations.clear();
  for (int i = 0; i < 10'000; ++i) {
    Allocation allocation;
    allocation.node = NodeName(fmt::format("gpu{:05}", i));
    allocation.count = 1;
    allocation.devices = {{11, 1}};
    job.allocations.push_back(std::move(allocation));
  }
  int round = 0;
  for (auto _ : state) {
    job.comment = ++round % 2 ? "a" : "b";
    benchmark::DoNotOptimize(reduce(model, event(WorkloadSeen{job})));
  }
}
BENCHMARK(BM_ReduceJobOverAllNodes)->Unit(benchmark::kMillisecond)->Iterations(5);

// A polling scheduler repeats itself: the whole list again, with nothing new in it.
void BM_ReduceSameList(benchmark::State& state) {
  Model model = large_model();
  for (auto _ : state) {
    state.PauseTiming();
    NodesListed list;
    for (int i = 0; i < 10'000; ++i) list.nodes.push_back(bench_node(i));
    Event same = event(std::move(list));
    state.ResumeTiming();
    benchmark::DoNotOptimize(reduce(model, std::move(same)));
  }
}
BENCHMARK(BM_ReduceSameList)->Unit(benchmark::kMillisecond)->Iterations(5);

template <class Row, auto rows_of>
void filter_sort(benchmark::State& state, const char* text, const char* sort) {
  const Model& model = shared_model();
  query::Filter filter = *query::parse_filter<Row>(text);
  query::Sort order = *query::parse_sort<Row>(sort);
  query::Context context{at(0), nullptr};
  std::size_t rows_in = 0, rows_out = 0;
  for (auto _ : state) {
    std::vector<Row> rows = rows_of(model, {});
    rows_in = rows.size();
    query::filter_and_sort(rows, filter, {order}, context);
    rows_out = rows.size();
    benchmark::DoNotOptimize(rows);
  }
  state.counters["rows"] = static_cast<double>(rows_in);
  state.counters["kept"] = static_cast<double>(rows_out);
}
void BM_FilterSortNodes(benchmark::State& state) {
  filter_sort<query::NodeRow, query::node_rows>(state, "health=ok free>0", "-held");
}
void BM_FilterTextNodes(benchmark::State& state) {
  filter_sort<query::NodeRow, query::node_rows>(state, "drained", "node");
}
void BM_SortNodes(benchmark::State& state) {
  filter_sort<query::NodeRow, query::node_rows>(state, "", "node");
}
void BM_FilterSortWorkloads(benchmark::State& state) {
  filter_sort<query::WorkloadRow, query::workload_rows>(state, "state=pending user=user009", "-since");
}
BENCHMARK(BM_FilterSortNodes)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FilterTextNodes)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SortNodes)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FilterSortWorkloads)->Unit(benchmark::kMillisecond);

void BM_Totals(benchmark::State& state) {
  const Model& model = shared_model();
  for (auto _ : state) benchmark::DoNotOptimize(insight::totals(model.clusters.front()));
}
BENCHMARK(BM_Totals)->Unit(benchmark::kMillisecond);

void BM_Attention(benchmark::State& state) {
  const Model& model = shared_model();
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  for (auto _ : state)
    benchmark::DoNotOptimize(insight::attention(model.clusters.front(), *catalogue, at(0)));
}
BENCHMARK(BM_Attention)->Unit(benchmark::kMillisecond);

// The same nodes in four pools of Kubernetes, where each is held against the rules of its platform, and each
// pod that waits against what nodes offer.
const Model& pods_model() {
  static const Model model = [] {
    Model made;
    ClusterSeen seen;
    seen.scheduler = Scheduler::kubernetes;
    reduce(made, event(seen));
    NodesListed nodes;
    for (int i = 0; i < 10'000; ++i) {
      nodes.nodes.push_back(bench_node(i));
      nodes.nodes.back().partitions = {fmt::format("pool-{}", i % 4)};
      nodes.nodes.back().allocatable = {{"nvidia.com/gpu", 6}};
    }
    reduce(made, event(std::move(nodes)));
    WorkloadsListed work;
    for (int i = 0; i < 100'000; ++i) {
      work.workloads.push_back(bench_workload(i, 10'000));
      work.workloads.back().kind = WorkloadKind::pod;
      work.workloads.back().requests = {{"nvidia.com/gpu", 1}};
    }
    reduce(made, event(std::move(work)));
    reduce(made, event(Loaded{}));
    return made;
  }();
  return model;
}

// The list of the overview, of the findings and of `tessera doctor`.
void BM_AllFindings(benchmark::State& state) {
  const auto platform = static_cast<sharing::Platform>(state.range(0));
  const Model& model = sharing::scheduler_of(platform) == Scheduler::slurm ? shared_model() : pods_model();
  Result<mig::Catalogue> catalogue = mig::Catalogue::built_in();
  for (auto _ : state)
    benchmark::DoNotOptimize(guide::all_findings(model, model.clusters.front(), *catalogue, platform, at(0)));
  state.SetLabel(std::string(sharing::word(platform)));
}
BENCHMARK(BM_AllFindings)
    ->Arg(static_cast<int>(sharing::Platform::slurm))
    ->Arg(static_cast<int>(sharing::Platform::gpu_operator))
    ->Arg(static_cast<int>(sharing::Platform::gke))
    ->Arg(static_cast<int>(sharing::Platform::fpt))
    ->Unit(benchmark::kMillisecond);
[[maybe_unused]] const bool kAimed =
    aim({{"BM_FilterSortNodes", "", 5}, {"BM_FilterTextNodes", "", 5, "ms", false, 15}});

}  // namespace
}  // namespace tessera::bench
