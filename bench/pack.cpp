// What packing costs, from the text of a file to the checked answer, beside the solver's own time on the same
// instance: 1,000, 10,000 and 100,000 H100 with random instances, six profiles asked for.
#include "engine/pack/pack.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include "engine/pack/model.hpp"
#include "engine/pack/read.hpp"
#include "tests/support/pack_world.hpp"

namespace tessera::bench {
namespace {

const mig::Catalogue& catalogue() {
  static const mig::Catalogue all = mig::Catalogue::built_in().value();
  return all;
}

pack::Problem problem_of(int gpus) {
  test::PackKind kind;
  kind.products = {catalogue().by_key("H100-80GB-SXM5")};
  kind.boards = gpus;
  kind.boards_a_node = 8;
  kind.held = 0.6;
  std::mt19937 random(7);
  pack::Problem problem = test::random_problem(kind, random);
  const mig::Product& product = *problem.products[0];
  problem.demand.clear();
  for (int profile : mig::base_profiles(product, true)) {
    const mig::Profile& one = product.profiles[static_cast<std::size_t>(profile)];
    int idle = 0;
    for (const pack::Board& board : problem.boards)
      for (const pack::Instance& instance : board.instances)
        idle += !instance.held && instance.placed.profile == profile ? 1 : 0;
    problem.demand.push_back({one.name, {}, idle + gpus / (10 * one.memory_slices)});
  }
  return problem;
}

std::string text_of(const pack::Problem& problem) {
  std::string text = R"({"demand": {)";
  for (const pack::Demand& demand : problem.demand)
    text += fmt::format("{}\"{}\": {}", text.back() == '{' ? "" : ", ", demand.profile.text, demand.count);
  text += R"(}, "boards": [)";
  for (const pack::Board& board : problem.boards) {
    text += fmt::format("{}{{\"node\": \"{}\", \"gpu\": {}, \"product\": \"{}\", \"instances\": [",
                        text.back() == '[' ? "" : ",\n", board.node.text, board.gpu.value,
                        problem.products[board.product]->key.text);
    for (const pack::Instance& one : board.instances)
      text += fmt::format(
          "{}{{\"profile\": \"{}\", \"start\": {}, \"held\": {}}}", text.back() == '[' ? "" : ", ",
          problem.products[board.product]->profiles[static_cast<std::size_t>(one.placed.profile)].name.text,
          one.placed.start, one.held);
    text += "]}";
  }
  return text + "]}";
}

void PackAllIn(benchmark::State& state) {
  const std::string text = text_of(problem_of(static_cast<int>(state.range(0))));
  for (auto _ : state) {
    auto problem = pack::read_problem(text, "bench", catalogue());
    auto answer = pack::pack(*problem);
    state.counters["gpus"] = answer->gpus_touched;
    state.counters["gap"] = answer->gpus_touched - answer->bounds.gpus;
  }
}

void PackRead(benchmark::State& state) {
  const std::string text = text_of(problem_of(static_cast<int>(state.range(0))));
  for (auto _ : state) benchmark::DoNotOptimize(pack::read_problem(text, "bench", catalogue()));
}

void PackClassify(benchmark::State& state) {
  const pack::Problem problem = problem_of(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    auto classes = pack::classify(problem);
    state.counters["states"] = static_cast<double>(classes->states.size());
    state.counters["classes"] = static_cast<double>(classes->classes.size());
  }
}

void PackSolve(benchmark::State& state) {
  pack::Problem problem = problem_of(static_cast<int>(state.range(0)));
  if (state.range(1) != 0) problem.mode = pack::Mode::whole_node;
  const auto classes = pack::classify(problem);
  for (auto _ : state) {
    auto answer = pack::pack(problem, *classes);
    state.counters["gpus"] = answer->gpus_touched;
    state.counters["nodes"] = answer->nodes_touched;
    state.counters["nodes_at_least"] = answer->bounds.nodes;
    state.counters["running"] = answer->running_on_touched_nodes;
    state.counters["running_at_least"] = answer->bounds.running;
  }
}

// The solver alone: the program of classes, fewest GPUs.
void SolverAlone(benchmark::State& state) {
  const pack::Problem problem = problem_of(static_cast<int>(state.range(0)));
  const auto classes = pack::classify(problem);
  const pack::Nodes nodes = pack::nodes_of(problem);
  const pack::Model model = pack::by_class(*classes, nodes, std::vector<bool>(nodes.boards.size(), true));
  const pack::Cost costs[] = {pack::Cost::unmet, pack::Cost::gpus};
  for (auto _ : state) {
    const pack::Selection selection = pack::select(model, *classes, costs, 2000);
    state.counters["gap"] =
        static_cast<double>(selection.passes.back().value - selection.passes.back().bound);
  }
}

BENCHMARK(PackAllIn)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(PackRead)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(PackClassify)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);
BENCHMARK(PackSolve)->ArgsProduct({{1000, 10000, 100000}, {0, 1}})->Unit(benchmark::kMillisecond);
BENCHMARK(SolverAlone)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::bench
