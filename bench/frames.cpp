// What one picture costs at 200×60, where lists have two panes, on a cluster of 10,000 nodes and 80,000 GPUs:
// the whole screen drawn into cells, and a cursor key with the picture that follows it. Beside them the same
// cells copied, as this machine's measure.
#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "bench/aims.hpp"
#include "bench/large.hpp"
#include "bench/still_terminal.hpp"
#include "tests/support/event_queue.hpp"
#include "tui/app.hpp"
#include "tui/view.hpp"

namespace tessera::bench {
namespace {

using tui::ScreenKind;

// The console on one screen of the large cluster, settled.
class LargeConsole {
 public:
  explicit LargeConsole(ScreenKind kind) {
    tui::UiState first;
    tui::Screen shown;
    shown.kind = kind;
    first.stack.push_back(shown);
    app_ = std::make_unique<tui::App>(
        tui::AppParts{terminal_, events_, backends_, catalogue_, keymap_, signals_, nullptr}, first,
        tui::AppOptions{}, tui::Clocks{[this] { return at(0) + now_; }, [this] { return now_; }});
    NodesListed nodes;
    for (int i = 0; i < 10'000; ++i) nodes.nodes.push_back(bench_node(i)), nodes.nodes.back().model = "h100";
    WorkloadsListed workloads;
    for (int i = 0; i < 100'000; ++i) workloads.workloads.push_back(bench_workload(i, 10'000));
    events_.post(event(std::move(nodes)));
    events_.post(event(std::move(workloads)));
    events_.post(event(SourceReport{Source::slurm_nodes, std::nullopt, Duration{40}, "", false}));
    events_.post(event(SourceReport{Source::slurm_jobs, std::nullopt, Duration{55}, "", false}));
    events_.post(event(Loaded{}));
    for (int i = 0; i < 4; ++i) {
      now_ += Duration{1000};
      app_->turn(Duration{0});
    }
  }
  const tui::UiState& state() const { return app_->state(); }
  tui::UiContext ui() const { return {app_->model(), catalogue_, at(0) + now_}; }
  const tui::Canvas& canvas() const { return terminal_.shown; }
  void press(std::string_view key) {
    terminal_.type(key);
    now_ += Duration{1};
    app_->turn(Duration{0});
  }

 private:
  Duration now_{1'000'000};
  StillTerminal terminal_{tui::Size{200, 60}};
  test::EventQueue events_;
  tui::Signals signals_;
  const tui::Keymap keymap_;
  const mig::Catalogue catalogue_;
  const std::vector<BackendPtr> backends_;
  std::unique_ptr<tui::App> app_;
};

void draw_frame(benchmark::State& state, ScreenKind kind) {
  const LargeConsole console(kind);
  tui::Canvas canvas(tui::Size{200, 60});
  for (auto _ : state) {
    tui::draw(console.ui(), console.state(), canvas);
    benchmark::DoNotOptimize(canvas);
  }
}

void copy_frame(benchmark::State& state) {
  const LargeConsole console(ScreenKind::nodes);
  tui::Canvas canvas(tui::Size{200, 60});
  for (auto _ : state) {
    canvas = console.canvas();
    benchmark::DoNotOptimize(canvas);
  }
}

void move_cursor(benchmark::State& state, ScreenKind kind) {
  LargeConsole console(kind);
  bool down = true;
  for (auto _ : state) {
    console.press(down ? "j" : "k");
    down = !down;
  }
}

BENCHMARK(copy_frame)->Unit(benchmark::kMicrosecond);
#define ON_EACH_SCREEN(what)                                                                \
  BENCHMARK_CAPTURE(what, overview, ScreenKind::overview)->Unit(benchmark::kMicrosecond);   \
  BENCHMARK_CAPTURE(what, nodes, ScreenKind::nodes)->Unit(benchmark::kMicrosecond);         \
  BENCHMARK_CAPTURE(what, gpus, ScreenKind::gpus)->Unit(benchmark::kMicrosecond);           \
  BENCHMARK_CAPTURE(what, slices, ScreenKind::slices)->Unit(benchmark::kMicrosecond);       \
  BENCHMARK_CAPTURE(what, workloads, ScreenKind::workloads)->Unit(benchmark::kMicrosecond); \
  BENCHMARK_CAPTURE(what, users, ScreenKind::users)->Unit(benchmark::kMicrosecond);         \
  BENCHMARK_CAPTURE(what, doctor, ScreenKind::doctor)->Unit(benchmark::kMicrosecond)
ON_EACH_SCREEN(draw_frame);
ON_EACH_SCREEN(move_cursor);
#undef ON_EACH_SCREEN

}  // namespace
[[maybe_unused]] const bool kAimed = aim({{"draw_frame", "", 1}});

}  // namespace tessera::bench
