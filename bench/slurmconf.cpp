// What a large site's configuration costs: reading and rewriting a slurm.conf of 10,000 nodes, folding and
// unfolding 100,000 names; and `scontrol show hostlist` on the same names as the baseline.
//
//   bench_slurmconf                       figures
//   TESSERA_WRITE=FOLDER bench_slurmconf  writes slurm.conf and names.txt there, for bench/hostlist.sh, and
//   ends
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "engine/hostlist.hpp"
#include "engine/slurmconf/check.hpp"
#include "engine/slurmconf/diff.hpp"
#include "engine/slurmconf/edit.hpp"

namespace tessera::slurmconf {
namespace {

constexpr int kNodes = 10'000;
constexpr std::size_t kNames = 100'000;

// A line for each node, as site tools write them, and one line for all of them in gres.conf.
Files site() {
  std::string conf = "ClusterName=big\nSlurmctldHost=ctl\nGresTypes=gpu,mps,shard\n";
  for (int i = 1; i <= kNodes; ++i)
    fmt::format_to(std::back_inserter(conf),
                   "NodeName=gpu{0:05} NodeAddr=10.{1}.{2}.{3} Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 "
                   "RealMemory=1000000 Gres=gpu:h100:8 Feature=h100,nvl State=UNKNOWN # rack {4}\n",
                   i, i >> 16, (i >> 8) & 255, i & 255, i / 40);
  return {{"/etc/slurm/slurm.conf", std::move(conf)},
          {"/etc/slurm/gres.conf", "NodeName=gpu[00001-10000] Name=gpu Type=h100 File=/dev/nvidia[0-7]\n"},
          {"/etc/slurm/cgroup.conf", "ConstrainDevices=yes\n"}};
}

Wanted wanted() {
  return {"gpu05000",
          "gpu:h100:7,gpu:1g.10gb:7",
          {"gpu"},
          {"Name=gpu Type=h100 File=/dev/nvidia[0-6]",
           "Name=gpu Type=1g.10gb File=/dev/nvidia-caps/nvidia-cap[66-72]"}};
}

// Every second of 200,000: nothing folds into a range, which is the most work; else all fold.
std::vector<std::string> names(bool gaps) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < kNames; ++i) all.push_back(fmt::format("gpu{:06}", gaps ? 2 * i : i));
  return all;
}

void read_and_write(benchmark::State& state) {
  Files files = site();
  for (auto _ : state) {
    Document document = parse(files[0]);
    std::string text = write(document);
    if (text.size() != files[0].text.size()) state.SkipWithError("not what was read");
    benchmark::DoNotOptimize(text);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(files[0].text.size()));
}
BENCHMARK(read_and_write)->Unit(benchmark::kMillisecond)->MinTime(1);

void edit_a_node(benchmark::State& state) {
  Files files = site();
  for (auto _ : state) {
    auto changed = set_node(files, wanted());
    if (!changed) return state.SkipWithError("refused");
    benchmark::DoNotOptimize(changed);
  }
}
BENCHMARK(edit_a_node)->Unit(benchmark::kMillisecond)->MinTime(1);

void diff_of_the_edit(benchmark::State& state) {
  Files files = site();
  auto changed = set_node(files, wanted());
  if (!changed) return state.SkipWithError("refused");
  for (auto _ : state) {
    std::string text = unified_diff(files, *changed);
    if (text.empty()) state.SkipWithError("no diff");
    benchmark::DoNotOptimize(text);
  }
}
BENCHMARK(diff_of_the_edit)->Unit(benchmark::kMillisecond)->MinTime(1);

void check_all(benchmark::State& state) {
  SlurmSetup all;
  all.files = site();
  for (auto _ : state) {
    auto remarks = check(all, nullptr);
    if (!remarks.empty()) state.SkipWithError("found something");
    benchmark::DoNotOptimize(remarks);
  }
}
BENCHMARK(check_all)->Unit(benchmark::kMillisecond)->MinTime(1);

void fold(benchmark::State& state) {
  auto all = names(state.range(0) != 0);
  for (auto _ : state) benchmark::DoNotOptimize(fold_hosts(all));
}
BENCHMARK(fold)->ArgName("gaps")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->MinTime(1);

void unfold(benchmark::State& state) {
  const std::string list = fold_hosts(names(state.range(0) != 0));
  for (auto _ : state) {
    auto all = expand_hosts(list, kNames);
    if (!all || all->size() != kNames) state.SkipWithError("not all names");
    benchmark::DoNotOptimize(all);
  }
}
BENCHMARK(unfold)->ArgName("gaps")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->MinTime(1);

// Before main: benchmark_main has no room for flags of ours.
[[maybe_unused]] const bool kWritten = [] {
  const char* folder = std::getenv("TESSERA_WRITE");
  if (!folder) return false;
  std::ofstream(std::string(folder) + "/slurm.conf", std::ios::binary)
      << "ClusterName=x\nSlurmctldHost=localhost\nNodeName=n\n";
  for (bool gaps : {false, true}) {
    std::ofstream out(std::string(folder) + (gaps ? "/gaps.txt" : "/all.txt"), std::ios::binary);
    for (const std::string& name : names(gaps)) out << name << '\n';
  }
  std::exit(0);
}();

}  // namespace
}  // namespace tessera::slurmconf
