// What is left on a GPU: room.
#include <algorithm>
#include <tuple>

#include "engine/mig/load.hpp"

namespace tessera::mig {

namespace {

// Compute slices that the best completion adds. Goes through the GPU from left to right, at each unit
// leaving it or putting something there, and stops as soon as a completion reaches what can be reached at
// all.
class BestCompletion {
 public:
  BestCompletion(const Product& product, const std::vector<Placed>& open) : product_(product), open_(open) {
    // Large ones first at each start: they reach the goal in the fewest steps.
    std::stable_sort(open_.begin(), open_.end(), [&](Placed a, Placed b) {
      const auto rank = [&](Placed p) {
        return std::tuple(p.start, -profile_of(product_, p).compute_slices);
      };
      return rank(a) < rank(b);
    });
    for (const Placed place : open_) {
      const Profile& profile = profile_of(product_, place);
      const double density = double(profile.compute_slices) / profile.memory_slices;
      density_ = std::max(density_, density);
    }
  }

  int added(const Load& load) {
    start_ = load.compute;
    best_ = load.compute;
    goal_ = std::min(product_.compute_slices, load.compute + reachable(load, 0));
    step(0, load);
    return best_ - start_;
  }

 private:
  // No more than this from unit `from` on, by memory alone.
  int reachable(const Load& load, int from) const {
    const std::uint32_t free = all_units(product_) & ~load.memory & ~((1u << from) - 1);
    return static_cast<int>(std::popcount(free) * density_ + 1e-9);
  }

  void step(std::size_t from, const Load& load) {
    best_ = std::max(best_, load.compute);
    for (std::size_t i = from; i < open_.size() && best_ < goal_; ++i) {
      if (load.compute + reachable(load, open_[i].start) <= best_) return;
      if (!has_room(product_, load, open_[i])) continue;
      Load more = load;
      add(product_, more, open_[i]);
      step(i + 1, more);
    }
  }

  const Product& product_;
  std::vector<Placed> open_;
  double density_ = 0;
  int start_ = 0, best_ = 0, goal_ = 0;
};

bool larger(const Product& product, int a, int b) {
  const auto rank = [&](int index) {
    const Profile& profile = product.profiles[static_cast<std::size_t>(index)];
    return std::tuple(profile.compute_slices, profile.memory_slices, !profile.has_attribute(), -index);
  };
  return rank(a) > rank(b);
}

double fragmentation(const Product& product, const Room& room, int largest_memory) {
  int ideal = 0;
  for (const Profile& profile : product.profiles) {
    if (profile.compute_slices > room.free_compute_slices ||
        profile.memory_slices > room.free_memory_slices) {
      continue;
    }
    ideal = std::max(ideal, profile.memory_slices);
  }
  return ideal == 0 ? 0 : 1 - static_cast<double>(largest_memory) / ideal;
}

}  // namespace

std::vector<Placement> intervals(std::uint32_t units) {
  std::vector<Placement> parts;
  for (int at = 0; at < 32; ++at) {
    if ((units >> at & 1) == 0) continue;
    if (!parts.empty() && parts.back().start + parts.back().size == at) {
      ++parts.back().size;
    } else {
      parts.push_back({at, 1});
    }
  }
  return parts;
}

Room room(const Product& product, const Layout& layout) {
  Room room;
  if (!is_legal(product, layout)) return room;
  const Load load = load_of(product, layout);
  const std::uint32_t free = all_units(product) & ~load.memory;
  room.free = intervals(free);
  room.free_memory_slices = std::popcount(free);
  room.free_compute_slices = product.compute_slices - load.compute;

  // What one more instance can cover, some completion covers, and the other way round: every part of a legal
  // layout is legal.
  std::vector<Placed> open;
  std::uint32_t coverable = 0;
  int largest_memory = 0;
  for (std::size_t i = 0; i < product.profiles.size(); ++i) {
    const int index = static_cast<int>(i);
    for (const int start : product.profiles[i].starts) {
      if (!has_room(product, load, {index, start})) continue;
      open.push_back({index, start});
      coverable |= mask_of(product.profiles[i], start);
      largest_memory = std::max(largest_memory, product.profiles[i].memory_slices);
      if (!room.largest || larger(product, index, *room.largest)) room.largest = index;
    }
  }
  room.stranded = intervals(free & ~coverable);
  room.stranded_memory_slices = std::popcount(free & ~coverable);
  room.stranded_compute_slices = room.free_compute_slices - BestCompletion(product, open).added(load);
  room.fragmentation = fragmentation(product, room, largest_memory);
  return room;
}

}  // namespace tessera::mig
