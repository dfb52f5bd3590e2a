// What one round of a large Slurm cluster costs to read: 5,000 nodes of 8 GPUs, and as many jobs.
//
//   bench_slurm_parse                       figures
//   TESSERA_WRITE=FOLDER bench_slurm_parse  writes nodes.txt and jobs.txt there, for wc and awk, and ends
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "bench/slurm_text.hpp"

namespace tessera {
namespace {

constexpr int kNodes = 5000, kJobs = 5000;

void nodes(benchmark::State& state) {
  std::string text = bench::slurm_nodes(kNodes);
  for (auto _ : state) {
    auto parsed = slurm::parse_nodes(text, {Source::slurm_nodes, {}}, nullptr);
    if (parsed.values.size() != kNodes || parsed.problem_count != 0)
      state.SkipWithError("not all nodes were read");
    benchmark::DoNotOptimize(parsed);
    state.PauseTiming();  // the list goes to the model; dropping it is no part of reading
    parsed = {};
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}
BENCHMARK(nodes)->Unit(benchmark::kMillisecond)->MinTime(2);

void nodes_with_catalogue(benchmark::State& state) {
  auto catalogue = mig::Catalogue::built_in();
  if (!catalogue) return state.SkipWithError("no catalogue");
  std::string text = bench::slurm_nodes(kNodes);
  for (auto _ : state) {
    auto parsed = slurm::parse_nodes(text, {Source::slurm_nodes, {}}, &*catalogue);
    benchmark::DoNotOptimize(parsed);
    state.PauseTiming();  // the list goes to the model; dropping it is no part of reading
    parsed = {};
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}
BENCHMARK(nodes_with_catalogue)->Unit(benchmark::kMillisecond)->MinTime(2);

void jobs(benchmark::State& state) {
  std::string text = bench::slurm_jobs(kJobs);
  for (auto _ : state) {
    auto parsed = slurm::parse_jobs(text, {Source::slurm_jobs, {}});
    if (parsed.values.size() != kJobs || parsed.problem_count != 0)
      state.SkipWithError("not all jobs were read");
    benchmark::DoNotOptimize(parsed);
    state.PauseTiming();  // the list goes to the model; dropping it is no part of reading
    parsed = {};
    state.ResumeTiming();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(text.size()));
}
BENCHMARK(jobs)->Unit(benchmark::kMillisecond)->MinTime(2);

// Before main: benchmark_main has no room for flags of ours.
[[maybe_unused]] const bool kWritten = [] {
  const char* folder = std::getenv("TESSERA_WRITE");
  if (!folder) return false;
  std::ofstream(std::string(folder) + "/nodes.txt", std::ios::binary) << bench::slurm_nodes(kNodes);
  std::ofstream(std::string(folder) + "/jobs.txt", std::ios::binary) << bench::slurm_jobs(kJobs);
  std::exit(0);
}();

}  // namespace
}  // namespace tessera
