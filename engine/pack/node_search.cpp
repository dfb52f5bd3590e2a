#include "engine/pack/node_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "engine/pack/whole.hpp"

namespace tessera::pack {
namespace {

constexpr int kMostTries = 200;        // sets of nodes that a search looks at
constexpr std::size_t kMostSwaps = 3;  // quieter nodes that are tried for one
constexpr std::size_t kMostCuts = 8;   // the last ones: each costs a look at every node
constexpr double kRounding = 1e-6;     // by which a bound may be off

using Weights = std::vector<double>;  // by Classes::rows

enum class By : std::uint8_t { memory, compute };

// Of what is needed; the rest weighs nothing.
Weights weights_of(const Problem& problem, const Classes& classes, std::span<const int> needed, By by) {
  Weights weights(classes.rows.size(), 0);
  for (std::size_t row = 0; row < weights.size() && row < needed.size(); ++row) {
    if (needed[row] <= 0) continue;
    if (is_whole(classes.rows[row].profile))
      for (const mig::Product* product : problem.products)
        weights[row] = std::max(
            weights[row], static_cast<double>(by == By::memory ? product->units : product->compute_slices));
    for (const mig::Product* product : problem.products)
      if (const mig::Profile* profile = product->find(classes.rows[row].profile.text))
        weights[row] = std::max(
            weights[row],
            static_cast<double>(by == By::memory ? profile->memory_slices : profile->compute_slices));
  }
  return weights;
}

// The most that a GPU of each class could add.
std::vector<double> of_classes(const Classes& classes, const Weights& weights) {
  std::vector<double> all;
  for (const Class& kind : classes.classes) {
    const Universe& universe = classes.universes[kind.product];
    double most = 0;
    // Asked for each bound that the search finds: what does not change from choice to choice stands outside.
    const std::size_t slots = universe.rows.size();
    std::array<double, kMaxRowsOfProduct> weight{};
    std::array<int, kMaxRowsOfProduct> stands{};
    for (std::size_t slot = 0; slot < slots; ++slot)
      weight[slot] = weights[universe.rows[slot]], stands[slot] = worth_at(kind.worth, slot);
    for (const Choice& choice : kind.choices) {
      double sum = 0;
      for (std::size_t slot = 0; slot < slots; ++slot)
        sum += weight[slot] * (worth_at(choice.worth, slot) - stands[slot]);
      most = std::max(most, sum);
    }
    all.push_back(most);
  }
  return all;
}

std::vector<double> of_nodes(const Classes& classes, const Nodes& nodes, const Weights& weights) {
  const std::vector<double> each = of_classes(classes, weights);
  std::vector<double> all;
  for (const auto& boards : nodes.boards) {
    double sum = 0;
    for (std::size_t board : boards) sum += each[classes.states[classes.state_of[board]].class_number];
    all.push_back(sum);
  }
  return all;
}

double sum_of(const Weights& weights, std::span<const int> needed) {
  double sum = 0;
  for (std::size_t row = 0; row < weights.size() && row < needed.size(); ++row)
    sum += weights[row] * std::max(0, needed[row]);
  return sum;
}

// Nodes that can give something, those first on which least runs for it; of equal ones those that give most.
std::vector<std::size_t> in_order(const Nodes& nodes, const std::vector<double>& potential) {
  std::vector<std::size_t> order;
  for (std::size_t node = 0; node < potential.size(); ++node)
    if (potential[node] > 0) order.push_back(node);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const double left = nodes.running[a] * potential[b], right = nodes.running[b] * potential[a];
    return left != right ? left < right : potential[a] > potential[b];
  });
  return order;
}

class Search {
 public:
  Search(const Problem& problem, const Classes& classes, const Nodes& nodes, std::span<const int> needed,
         const Stop& stop)
      : problem_(problem),
        classes_(classes),
        nodes_(nodes),
        needed_(needed),
        potential_(of_nodes(classes, nodes, weights_of(problem, classes, needed, By::memory))),
        order_(in_order(nodes, potential_)),
        stop_(stop),
        unmet_(classes, nodes, stop),
        chosen_(nodes.boards.size(), false) {}

  std::vector<bool> run() {
    least_ = unmet_(std::vector<bool>(chosen_.size(), true)) + 1e-6;
    for (const By by : {By::memory, By::compute}) cuts_.push_back({cut_by(by), 0});
    take_first();
    for (Held& one : cuts_) one.left = one.cut.unmet_at_least(chosen_);
    drop();
    swap();
    return std::move(chosen_);
  }

 private:
  // A bound, and what it leaves of chosen_: a set that differs in a node or two is asked about without a look
  // at all of them.
  struct Held {
    Cut cut;
    double left = 0;
  };

  bool enough(const std::vector<bool>& some) {
    return asked(some, [&](const Held& one) { return one.cut.unmet_at_least(some); });
  }
  // unmet_at_least: of a bound, for these nodes.
  template <class Unmet>
  bool asked(const std::vector<bool>& some, Unmet unmet_at_least) {
    ++tries_;
    const auto rules_out = [&](const Held& one) { return unmet_at_least(one) > least_ + kRounding; };
    if (std::any_of(cuts_.begin(), cuts_.end(), rules_out)) return false;
    if (unmet_(some) <= least_) return true;
    if (cuts_.size() == kMostCuts) cuts_.erase(cuts_.begin());
    Cut cut(classes_, nodes_, unmet_.prices(), needed_);
    const double left = cut.unmet_at_least(chosen_);
    cuts_.push_back({std::move(cut), left});
    return false;
  }
  // By slices alone: what the search begins with.
  Cut cut_by(By by) const {
    Weights prices = weights_of(problem_, classes_, needed_, by);
    const double most = prices.empty() ? 0 : *std::max_element(prices.begin(), prices.end());
    for (double& price : prices) price /= std::max(1.0, most);
    return Cut(classes_, nodes_, prices, needed_);
  }
  bool goes_on() const { return tries_ < kMostTries && !(stop_ && stop_()); }

  // As few of the order as meet the demand: those that no bound rules out, and where the relaxation does,
  // those that it does not rule out either. A few steps lead there, each near the one before.
  void take_first() {
    std::size_t low = 0, high = order_.size();
    const auto first = [&](std::size_t count) {
      std::vector<bool> some(chosen_.size(), false);
      for (std::size_t i = 0; i < count; ++i) some[order_[i]] = true;
      return some;
    };
    for (std::size_t i = 0; i < kMostCuts && low < high; ++i) {
      for (const Held& one : cuts_) low = std::max(low, one.cut.fewest_of(order_, least_ + kRounding));
      if (low < high && enough(first(low)))
        high = low;
      else
        low = std::min(low + 1, high);
    }
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (enough(first(middle)))
        high = middle;
      else
        low = middle + 1;
    }
    chosen_ = first(low);
  }

  bool try_without(std::size_t node, std::optional<std::size_t> instead) {
    std::vector<bool> some = chosen_;
    some[node] = false;
    if (instead) some[*instead] = true;
    const auto left = [&](const Held& one) {
      return one.left + one.cut.gives(node) - (instead ? one.cut.gives(*instead) : 0);
    };
    if (!asked(some, left)) return false;
    for (Held& one : cuts_) one.left = left(one);
    chosen_ = std::move(some);
    return true;
  }

  // Those first on which most runs; of equal ones those that give least.
  std::vector<std::size_t> worst_first() const {
    std::vector<std::size_t> all;
    for (std::size_t node = 0; node < chosen_.size(); ++node)
      if (chosen_[node]) all.push_back(node);
    std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
      return nodes_.running[a] != nodes_.running[b] ? nodes_.running[a] > nodes_.running[b]
                                                    : potential_[a] < potential_[b];
    });
    return all;
  }

  void drop() {
    for (const std::size_t node : worst_first()) {
      if (!goes_on()) return;
      try_without(node, std::nullopt);
    }
  }

  void swap() {
    for (const std::size_t node : worst_first()) {
      std::size_t tried = 0;
      for (const std::size_t other : quieter_than(node)) {
        if (!goes_on()) return;
        if (++tried > kMostSwaps || try_without(node, other)) break;
      }
    }
  }

  // Those first that give most.
  std::vector<std::size_t> quieter_than(std::size_t node) const {
    std::vector<std::size_t> all;
    for (const std::size_t other : order_)
      if (!chosen_[other] && nodes_.running[other] < nodes_.running[node]) all.push_back(other);
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostSwaps));
    std::partial_sort(all.begin(), end, all.end(), [&](std::size_t a, std::size_t b) {
      return potential_[a] != potential_[b] ? potential_[a] > potential_[b] : a < b;
    });
    return all;
  }

  const Problem& problem_;
  const Classes& classes_;
  const Nodes& nodes_;
  std::span<const int> needed_;
  std::vector<Held> cuts_;
  std::vector<double> potential_;
  std::vector<std::size_t> order_;
  const Stop& stop_;
  UnmetOn unmet_;
  std::vector<bool> chosen_;
  double least_ = 0;
  int tries_ = 0;
};

LeastNodes least_by(const Nodes& nodes, std::vector<double> potential, double needed) {
  LeastNodes least;
  double left = needed, running = 0;
  for (const std::size_t node : in_order(nodes, potential)) {
    if (left <= 1e-6) break;
    running += nodes.running[node] * std::min(1.0, left / potential[node]);
    left -= potential[node];
  }
  least.running = static_cast<int>(std::ceil(running - 1e-6));
  std::sort(potential.begin(), potential.end(), std::greater<>());
  left = needed;
  for (const double most : potential) {
    if (left <= 1e-6 || most <= 0) break;
    left -= most, ++least.nodes;
  }
  return least;
}

}  // namespace

Cut::Cut(const Classes& classes, const Nodes& nodes, std::span<const double> prices,
         std::span<const int> needed)
    : gives_(of_nodes(classes, nodes, Weights(prices.begin(), prices.end()))) {
  for (std::size_t row = 0; row < prices.size(); ++row) needed_ += prices[row] * needed[row];
}

double Cut::unmet_at_least(const std::vector<bool>& some) const {
  double left = needed_;
  for (std::size_t node = 0; node < some.size(); ++node)
    if (some[node]) left -= gives_[node];
  return left;
}

std::size_t Cut::fewest_of(std::span<const std::size_t> order, double unmet) const {
  double left = needed_;
  std::size_t count = 0;
  for (; count < order.size() && left > unmet; ++count) left -= gives_[order[count]];
  return count;
}

std::vector<bool> search_nodes(const Problem& problem, const Classes& classes, const Nodes& nodes,
                               std::span<const int> needed, const Stop& stop) {
  return Search(problem, classes, nodes, needed, stop).run();
}

LeastNodes least_nodes(const Problem& problem, const Classes& classes, const Nodes& nodes,
                       std::span<const int> needed, int unmet) {
  LeastNodes least;
  for (const By by : {By::memory, By::compute}) {
    const Weights weights = weights_of(problem, classes, needed, by);
    const double most = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
    const LeastNodes one =
        least_by(nodes, of_nodes(classes, nodes, weights), sum_of(weights, needed) - most * unmet);
    least.nodes = std::max(least.nodes, one.nodes);
    least.running = std::max(least.running, one.running);
  }
  return least;
}

}  // namespace tessera::pack
