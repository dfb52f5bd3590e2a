// What the geometry and the catalogue cost: a legality check, enumeration, what is left, look-ups, loading.
#include "engine/mig/geometry.hpp"

#include <benchmark/benchmark.h>

namespace tessera::mig {
namespace {

const Catalogue& catalogue() {
  static const Catalogue built_in = *Catalogue::built_in();
  return built_in;
}

// Argument 0 of each bench: which GPU.
const Product& board(const benchmark::State& state) {
  constexpr const char* kKeys[] = {"H100-80GB-SXM5", "A30-24GB", "RTX-PRO-6000-Blackwell-96GB"};
  return *catalogue().by_key(kKeys[state.range(0)]);
}

std::vector<int> all_of(const Product& product) {
  std::vector<int> all(product.profiles.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return all;
}

// Every legal layout of the default profiles in turn, so that branches see what they see in use.
void is_legal_check(benchmark::State& state) {
  const Product& product = board(state);
  const std::vector<Layout> layouts = enumerate(product, Which::all);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(is_legal(product, layouts[next]));
    next = next + 1 < layouts.size() ? next + 1 : 0;
  }
}
BENCHMARK(is_legal_check)->DenseRange(0, 2);

void fits_check(benchmark::State& state) {
  const Product& product = board(state);
  const std::vector<Layout> layouts = enumerate(product, Which::all);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        fits(product, layouts[next], {static_cast<int>(next % 3), static_cast<int>(next % 8)}));
    next = next + 1 < layouts.size() ? next + 1 : 0;
  }
}
BENCHMARK(fits_check)->DenseRange(0, 2);

void room_of_layout(benchmark::State& state) {
  const Product& product = board(state);
  const std::vector<Layout> layouts = enumerate(product, Which::all);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(room(product, layouts[next]));
    next = next + 1 < layouts.size() ? next + 1 : 0;
  }
}
BENCHMARK(room_of_layout)->DenseRange(0, 2);

void enumerate_layouts(benchmark::State& state) {
  const Product& product = board(state);
  const auto which = static_cast<Which>(state.range(1));
  std::size_t count = 0;
  for (auto _ : state) {
    const std::vector<Layout> layouts = enumerate(product, which);
    count = layouts.size();
    benchmark::DoNotOptimize(layouts.data());
  }
  state.counters["layouts"] = static_cast<double>(count);
}
BENCHMARK(enumerate_layouts)->ArgsProduct({{0, 1, 2}, {0, 1, 2}});

void enumerate_every_profile(benchmark::State& state) {
  const Product& product = board(state);
  const std::vector<int> profiles = all_of(product);
  std::size_t count = 0;
  for (auto _ : state) {
    const std::vector<Layout> layouts = enumerate(product, Which::all, profiles);
    count = layouts.size();
    benchmark::DoNotOptimize(layouts.data());
  }
  state.counters["layouts"] = static_cast<double>(count);
}
BENCHMARK(enumerate_every_profile)->DenseRange(0, 2);

void place_balanced(benchmark::State& state) {
  const Product& product = *catalogue().by_key("H100-80GB-SXM5");
  const std::vector<int> wanted = parse_wish(product, "3g.40gb,2g.20gb,2x1g.10gb")->open;
  for (auto _ : state) benchmark::DoNotOptimize(place(product, wanted));
}
BENCHMARK(place_balanced);

void look_up(benchmark::State& state) {
  constexpr const char* kNames[] = {"h100", "nvidia_h200_nvl_4g.71gb", "fpga"};
  const std::vector<std::string> features = {"ib", "sxm5"};
  for (auto _ : state) {
    benchmark::DoNotOptimize(catalogue().by_slurm_type(kNames[state.range(0)], features));
  }
}
BENCHMARK(look_up)->DenseRange(0, 2);

void load_built_in(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Catalogue::built_in().ok());
}
BENCHMARK(load_built_in)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tessera::mig
