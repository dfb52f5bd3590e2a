// What polling an idle cluster costs the console: how often it derives and sorts rows, adds up, draws, and
// how many cells then differ. All of it is to be 0. The loop is the real one, on a terminal that only counts.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/aims.hpp"
#include "bench/large.hpp"
#include "bench/still_terminal.hpp"
#include "tests/support/event_queue.hpp"
#include "tui/app.hpp"

namespace tessera::bench {
namespace {

// One poll of an idle cluster after the other, on one screen.
void poll_idle(benchmark::State& state, const char* screen) {
  constexpr int kNodes = 1000, kWorkloads = 10'000;
  NodesListed nodes;
  for (int i = 0; i < kNodes; ++i) nodes.nodes.push_back(bench_node(i));
  WorkloadsListed workloads;
  for (int i = 0; i < kWorkloads; ++i) workloads.workloads.push_back(bench_workload(i, kNodes));

  Duration now{1'000'000};
  StillTerminal terminal({200, 60});
  test::EventQueue events;
  tui::Signals signals;
  const tui::Keymap keymap;
  const mig::Catalogue catalogue;
  const std::vector<BackendPtr> backends;
  tui::UiState first;
  tui::Screen shown;
  shown.kind = tui::ScreenKind::overview;
  if (std::string(screen) == "nodes") shown.kind = tui::ScreenKind::nodes;
  if (std::string(screen) == "slices") shown.kind = tui::ScreenKind::slices;
  first.stack.push_back(shown);
  tui::App app({terminal, events, backends, catalogue, keymap, signals, nullptr}, first, tui::AppOptions{},
               tui::Clocks{[&] { return at(0) + now; }, [&] { return now; }});
  const auto poll = [&] {
    events.post(event(nodes));
    events.post(event(workloads));
    events.post(event(SourceReport{Source::slurm_nodes, std::nullopt, Duration{40}, "", false}));
    events.post(event(SourceReport{Source::slurm_jobs, std::nullopt, Duration{55}, "", false}));
    events.post(event(PaceReport{6, Duration{10'000}}));
    app.turn(Duration{0});
  };
  poll();
  events.post(event(Loaded{}));
  for (int i = 0; i < 3; ++i) {
    now += Duration{1000};
    app.turn(Duration{0});
  }
  poll();

  const TimePoint derived = app.state().top().derived.at, summed = app.state().overview.at;
  const std::uint64_t revision = app.model().revision;
  terminal.frames = terminal.cells = 0;
  double derivations = 0, sums = 0, polls = 0;
  for (auto _ : state) {
    now += Duration{1};
    poll();
    ++polls;
    derivations += app.state().top().derived.at != derived;
    sums += app.state().overview.at != summed;
  }
  state.counters["polls"] = polls;
  state.counters["derived"] = derivations;
  state.counters["summed"] = sums;
  state.counters["revisions"] = static_cast<double>(app.model().revision - revision);
  state.counters["frames"] = terminal.frames;
  state.counters["cells"] = terminal.cells;
}
BENCHMARK_CAPTURE(poll_idle, overview, "overview")->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(poll_idle, nodes, "nodes")->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(poll_idle, slices, "slices")->Unit(benchmark::kMillisecond)->Iterations(200);

}  // namespace
[[maybe_unused]] const bool kAimed = aim({{"poll_idle", "derived", 0, "times"},
                                          {"poll_idle", "summed", 0, "times"},
                                          {"poll_idle", "revisions", 0, "times"},
                                          {"poll_idle", "frames", 0, "times"},
                                          {"poll_idle", "cells", 0, "times"}});

}  // namespace tessera::bench
