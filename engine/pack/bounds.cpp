#include "engine/pack/bounds.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/pack/whole.hpp"

namespace tessera::pack {
namespace {

bool halves(const mig::Product& product) { return product.units == 8 && product.compute_slices == 7; }

// Needed instances by their shape on a GPU of two halves; `most` bounds those of which a GPU takes one only.
struct Shapes {
  int seven = 0, four = 0, three = 0, two = 0, doubled = 0, one = 0;
  int alone = 0;  // of a profile of which each GPU holds one: with media engines
  bool known = true;
};

Shapes shapes_of(std::span<const Needed> needed) {
  Shapes shapes;
  for (const Needed& each : needed) {
    const std::array<int, 2> shape{each.profile->compute_slices, each.profile->memory_slices};
    if (shape == std::array{7, 8})
      shapes.seven += each.count;
    else if (shape == std::array{4, 4})
      shapes.four += each.count;
    else if (shape == std::array{3, 4})
      shapes.three += each.count;
    else if (shape == std::array{2, 2})
      shapes.two += each.count;
    else if (shape == std::array{1, 2})
      shapes.doubled += each.count;
    else if (shape == std::array{1, 1})
      shapes.one += each.count;
    else
      shapes.known = false;
    if (each.profile->max == 1) shapes.alone = std::max(shapes.alone, each.count);
  }
  return shapes;
}

// Half A: 4g, 3g or two pairs of slices. Half B: 3g, or a pair and a tail that hosts one small instance.
bool suffice(const Shapes& shapes, std::int64_t boards) {
  if (boards < shapes.alone) return false;
  std::int64_t a = boards - shapes.seven, b = a;
  if (a < 0) return false;
  a -= shapes.four;
  const std::int64_t in_b = std::min<std::int64_t>(shapes.three, b);
  b -= in_b;
  a -= shapes.three - in_b;
  if (a < 0) return false;
  std::int64_t pairs = 2 * a + b, tails = b;
  const std::int64_t in_tails = std::min<std::int64_t>(shapes.doubled, tails);
  tails -= in_tails;
  pairs -= shapes.doubled - in_tails + shapes.two;
  return pairs >= 0 && 2 * pairs + tails >= shapes.one;
}

int rounded_up(std::int64_t count, int each) {
  return each <= 0 ? 0 : static_cast<int>((count + each - 1) / each);
}

}  // namespace

int boards_by_slices(const mig::Product& product, std::span<const Needed> needed) {
  std::int64_t memory = 0, compute = 0;
  for (const Needed& each : needed) {
    memory += std::int64_t{each.profile->memory_slices} * each.count;
    compute += std::int64_t{each.profile->compute_slices} * each.count;
  }
  return std::max(rounded_up(memory, product.units), rounded_up(compute, product.compute_slices));
}

int empty_boards(const mig::Product& product, std::span<const Needed> needed) {
  const Shapes shapes = shapes_of(needed);
  if (!halves(product) || !shapes.known) return boards_by_slices(product, needed);
  std::int64_t low = 0, high = 0;
  for (const Needed& each : needed) high += each.count;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (suffice(shapes, middle))
      high = middle;
    else
      low = middle + 1;
  }
  return static_cast<int>(low);
}

Fewest fewest(const Problem& problem, std::span<const int> left) {
  // Products that share a demand are one family: together they need as many GPUs as the most spacious of them
  // would.
  std::vector<std::size_t> family(problem.products.size());
  std::iota(family.begin(), family.end(), std::size_t{0});
  auto serves = [&](std::size_t demand, std::size_t product) {
    const Demand& wanted = problem.demand[demand];
    return (!wanted.product || *wanted.product == product) &&
           problem.products[product]->find(wanted.profile.text) != nullptr;
  };
  for (std::size_t i = 0; i < problem.demand.size(); ++i) {
    std::optional<std::size_t> first;
    for (std::size_t product = 0; product < family.size(); ++product) {
      if (!serves(i, product)) continue;
      if (!first) first = product;
      const std::size_t from = family[product], to = family[*first];
      std::replace(family.begin(), family.end(), from, to);
    }
  }
  Fewest sum;
  // A GPU that becomes whole serves nothing else.
  for (std::size_t i = 0; i < problem.demand.size(); ++i)
    if (is_whole(problem.demand[i].profile)) sum.slices += left[i], sum.empty_boards += left[i];
  for (std::size_t one = 0; one < family.size(); ++one) {
    if (std::find(family.begin(), family.end(), family[one]) - family.begin() !=
        static_cast<std::ptrdiff_t>(one))
      continue;
    std::optional<Fewest> least;
    for (std::size_t product = one; product < family.size(); ++product) {
      if (family[product] != family[one]) continue;
      std::vector<Needed> needed;
      for (std::size_t i = 0; i < problem.demand.size(); ++i)
        if (serves(i, product) && left[i] > 0)
          needed.push_back({problem.products[product]->find(problem.demand[i].profile.text), left[i]});
      // A product that serves only part of it bounds nothing: another one takes the rest.
      std::size_t all = 0;
      for (std::size_t i = 0; i < problem.demand.size(); ++i)
        for (std::size_t other = 0; other < family.size(); ++other)
          if (family[other] == family[one] && serves(i, other) && left[i] > 0) {
            ++all;
            break;
          }
      Fewest here;
      if (needed.size() == all)
        here = {boards_by_slices(*problem.products[product], needed),
                empty_boards(*problem.products[product], needed)};
      if (!least) least = here;
      least->slices = std::min(least->slices, here.slices);
      least->empty_boards = std::min(least->empty_boards, here.empty_boards);
    }
    sum.slices += least->slices;
    sum.empty_boards += least->empty_boards;
  }
  return sum;
}

}  // namespace tessera::pack
