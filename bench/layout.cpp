// What a key in the layout editor costs: the edit, its plan, and the screen, for a node of 8 GPUs in a
// cluster of 10,000 nodes.
#include "tui/screens/layout/layout.hpp"

#include <benchmark/benchmark.h>

#include "bench/aims.hpp"
#include "bench/large.hpp"
#include "tui/view.hpp"

namespace tessera::bench {
namespace {

struct Editor {
  const mig::Catalogue catalogue = mig::Catalogue::built_in().value();
  const Model model = large_model();
  tui::UiState state;
  tui::UiContext world() const { return {model, catalogue, at(0)}; }
};

// GPUs: 1: one GPU; 8: all of the node.
Editor& editor(bool all) {
  static Editor one;
  one.state = {};
  one.state.size = {120, 40};
  std::optional<GpuIndex> gpu;
  if (!all) gpu = GpuIndex{0};
  tui::open_layout(one.state, one.world(), ClusterName("hpc"), {NodeName("gpu00000")}, gpu);
  return one;
}

void press(Editor& on, tui::Action action) { tui::update(on.state, on.world(), tui::ActionMessage{action}); }

// Adds an instance and takes it back, in turn.
void KeyInTheEditor(benchmark::State& state) {
  Editor& on = editor(state.range(0) != 0);
  press(on, tui::Action::layout_clear);
  bool odd = false;
  for (auto _ : state) press(on, (odd = !odd) ? tui::Action::layout_add : tui::Action::layout_undo);
  state.SetLabel(on.state.top().layout->preview.plan ? "planned" : "no plan");
}
BENCHMARK(KeyInTheEditor)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void DrawTheEditor(benchmark::State& state) {
  Editor& on = editor(false);
  press(on, tui::Action::layout_clear);
  tui::Canvas canvas(on.state.size);
  for (auto _ : state) tui::draw(on.world(), on.state, canvas);
}
BENCHMARK(DrawTheEditor)->Unit(benchmark::kMicrosecond);

}  // namespace
[[maybe_unused]] const bool kAimed = aim({{"KeyInTheEditor", "", 1}});

}  // namespace tessera::bench
