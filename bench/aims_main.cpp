// main() of the benches that are made of google benchmark: its figures, then the aims of the program beside
// them.
#include <benchmark/benchmark.h>

#include "bench/aims.hpp"

namespace tessera::bench {
namespace {

struct Figure {
  std::string run;
  double cpu_ms = 0;
  benchmark::UserCounters counters;
};

// Writes as always, and remembers.
class Remembering final : public benchmark::ConsoleReporter {
 public:
  Remembering() : ConsoleReporter(OO_Tabular) {}
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      failed = failed || run.error_occurred;
      if (run.error_occurred || run.run_type != Run::RT_Iteration) continue;
      const double iterations = std::max<double>(1, static_cast<double>(run.iterations));
      figures.push_back({run.benchmark_name(), 1000 * run.cpu_accumulated_time / iterations, run.counters});
    }
    ConsoleReporter::ReportRuns(runs);
  }
  std::vector<Figure> figures;
  bool failed = false;
};

int judge(const Remembering& told, double machine, bool all) {
  if (aims().empty()) fmt::print("no aim is set for these figures\n");
  Aims judged(machine);
  for (const Aim& aim : aims()) {
    bool seen = false;
    for (const Figure& figure : told.figures) {
      if (!is_of(aim, figure.run)) continue;
      const auto counter = figure.counters.find(aim.counter);
      if (!aim.counter.empty() && counter == figure.counters.end()) continue;
      seen = true;
      fmt::print("{}\n",
                 judged.see(aim, figure.run, aim.counter.empty() ? figure.cpu_ms : double(counter->second)));
    }
    if (!seen && all) fmt::print("{}\n", judged.see_none(aim));
  }
  if (told.failed) fmt::print("MISSED  a bench failed\n");
  return told.failed ? 1 : judged.code();
}

}  // namespace
}  // namespace tessera::bench

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  const std::string filter = benchmark::GetBenchmarkFilter();
  const double machine = tessera::bench::machine_ms();
  tessera::bench::Remembering told;
  benchmark::RunSpecifiedBenchmarks(&told);
  return tessera::bench::judge(told, machine, filter.empty() || filter == "." || filter == "all");
}
