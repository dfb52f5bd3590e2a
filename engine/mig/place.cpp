// Finding places for a multiset of profiles: place, why_no_place.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "engine/mig/load.hpp"

namespace tessera::mig {

namespace {

// Beyond so many ways the best of those seen is taken; GPUs of eight units have a few dozen at most.
constexpr int kMaxCompared = 2000;

using Score = std::tuple<int, int, int, Layout>;  // stranded memory, stranded compute, -open places, layout

int open_places(const Product& product, const Load& load) {
  int count = 0;
  for (std::size_t i = 0; i < product.profiles.size(); ++i) {
    for (const int start : product.profiles[i].starts) {
      count += has_room(product, load, {static_cast<int>(i), start}) ? 1 : 0;
    }
  }
  return count;
}

class Search {
 public:
  // wanted is sorted so that equal profiles stand together and large ones come first.
  Search(const Product& product, const Layout& held, const std::vector<int>& wanted)
      : product_(product), layout_(held), wanted_(wanted) {}

  std::optional<Layout> run() {
    step(0, load_of(product_, layout_));
    if (!best_) return std::nullopt;
    return std::get<Layout>(std::move(*best_));
  }

 private:
  void step(std::size_t at, const Load& load) {
    if (compared_ >= kMaxCompared) return;
    if (at == wanted_.size()) {
      keep(load);
      return;
    }
    const int profile = wanted_[at];
    // Of two alike the second stands to the right of the first: the other way round is the same layout.
    const bool again = at > 0 && wanted_[at - 1] == profile;
    const int after = again ? layout_.back().start : -1;
    for (const int start : product_.profiles[static_cast<std::size_t>(profile)].starts) {
      if (start <= after || !has_room(product_, load, {profile, start})) continue;
      Load more = load;
      add(product_, more, {profile, start});
      layout_.push_back({profile, start});
      step(at + 1, more);
      layout_.pop_back();
    }
  }

  void keep(const Load& load) {
    ++compared_;
    Layout sorted = layout_;
    std::sort(sorted.begin(), sorted.end());
    const Room left = room(product_, sorted);
    Score score{left.stranded_memory_slices, left.stranded_compute_slices, -open_places(product_, load),
                std::move(sorted)};
    if (!best_ || score < *best_) best_ = std::move(score);
  }

  const Product& product_;
  Layout layout_;
  const std::vector<int>& wanted_;
  std::optional<Score> best_;
  int compared_ = 0;
};

bool are_profiles(const Product& product, std::span<const int> wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](int index) {
    return index >= 0 && static_cast<std::size_t>(index) < product.profiles.size();
  });
}

// What the instances need altogether, against what the GPU has.
std::optional<std::string> why_too_much(const Product& product, std::span<const int> wanted, Load load) {
  int memory = std::popcount(load.memory);
  for (const int index : wanted) {
    const Profile& profile = product.profiles[static_cast<std::size_t>(index)];
    memory += profile.memory_slices;
    load.compute += profile.compute_slices;
    ++load.instances;
    add_engines(load, profile);
    if (++load.count[static_cast<std::size_t>(index)] > profile.max) {
      return fmt::format("at most {} × {} may exist on one GPU", profile.max, profile.name.text);
    }
  }
  if (load.compute > product.compute_slices) {
    return fmt::format("{} compute slices are needed and the GPU has {}", load.compute,
                       product.compute_slices);
  }
  if (memory > product.units) {
    return fmt::format("{} memory slices are needed and the GPU has {}", memory, product.units);
  }
  for (std::size_t i = 0; i < kMediaEngines.size(); ++i) {
    const std::optional<int> board = product.budget.*kMediaEngines[i];
    if (!board || load.engines[i] <= *board) continue;
    return fmt::format("{} {}s are needed and the GPU has {}", load.engines[i], kMediaEngineNames[i], *board);
  }
  if (load.instances > product.max_instances) {
    return fmt::format("the GPU holds {} instances at most", product.max_instances);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Layout> place(const Product& product, std::span<const int> wanted, const Layout& held) {
  if (!is_legal(product, held) || !are_profiles(product, wanted)) return std::nullopt;
  if (held.size() + wanted.size() > static_cast<std::size_t>(product.max_instances)) return std::nullopt;
  std::vector<int> ordered(wanted.begin(), wanted.end());
  std::sort(ordered.begin(), ordered.end(), [&](int a, int b) {
    const auto rank = [&](int index) {
      const Profile& profile = product.profiles[static_cast<std::size_t>(index)];
      return std::tuple(-profile.memory_slices, -profile.compute_slices, index);
    };
    return rank(a) < rank(b);
  });
  return Search(product, held, ordered).run();
}

std::optional<std::string> why_no_place(const Product& product, std::span<const int> wanted,
                                        const Layout& held) {
  if (auto reason = why_illegal(product, held)) return reason;
  if (!are_profiles(product, wanted)) return product.key.text + " has no such profile";
  if (wanted.size() > static_cast<std::size_t>(kMaxUnits)) {
    return fmt::format("the GPU holds {} instances at most", product.max_instances);
  }
  if (auto reason = why_too_much(product, wanted, load_of(product, held))) return reason;
  if (place(product, wanted, held)) return std::nullopt;
  if (!held.empty()) return "what exists on the GPU leaves no starts for all of them";
  return "no arrangement holds all of them, though their slices would add up";
}

}  // namespace tessera::mig
