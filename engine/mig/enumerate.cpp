// All layouts of a GPU: enumerate, base_profiles.
#include <algorithm>
#include <set>
#include <span>

#include "engine/mig/load.hpp"

namespace tessera::mig {

namespace {

using Multiset = std::array<std::uint8_t, kMaxProfiles>;

// Depth first over places in order, so that layouts come out in lexicographic order by themselves. `visit`
// gets each layout with its load and whether nothing can be added to it.
template <class Visit>
class Walk {
 public:
  Walk(const Product& product, std::span<const int> profiles, Visit visit)
      : product_(product), places_(places(product, profiles)), visit_(std::move(visit)) {}

  void run() { step(0, Load{}); }

 private:
  void step(std::size_t from, const Load& load) {
    bool maximal = true;
    for (std::size_t i = 0; maximal && i < places_.size(); ++i) {
      maximal = !has_room(product_, load, places_[i]);
    }
    visit_(layout_, load, maximal);
    if (maximal) return;
    for (std::size_t i = from; i < places_.size(); ++i) {
      if (!has_room(product_, load, places_[i])) continue;
      Load more = load;
      add(product_, more, places_[i]);
      layout_.push_back(places_[i]);
      step(i + 1, more);
      layout_.pop_back();
    }
  }

  const Product& product_;
  std::vector<Placed> places_;
  Layout layout_;
  Visit visit_;
};

template <class Visit>
void walk(const Product& product, std::span<const int> profiles, Visit visit) {
  if (!has_layouts(product)) return;
  const std::vector<int> base =
      profiles.empty() ? base_profiles(product, true) : std::vector<int>(profiles.begin(), profiles.end());
  Walk<Visit>(product, base, std::move(visit)).run();
}

std::vector<Layout> undominated(const Product& product, std::span<const int> profiles) {
  std::set<Multiset> legal;
  std::vector<std::pair<Multiset, Layout>> maximal;
  walk(product, profiles, [&](const Layout& layout, const Load& load, bool is_maximal) {
    const bool first = legal.insert(load.count).second;
    // The first layout of an undominated multiset is maximal, since none of its layouts takes any more.
    if (first && is_maximal) maximal.emplace_back(load.count, layout);
  });
  std::vector<Layout> layouts;
  for (auto& [multiset, layout] : maximal) {
    // If a larger multiset is legal, so is one that is larger by a single instance.
    bool dominated = false;
    for (std::size_t i = 0; !dominated && i < product.profiles.size(); ++i) {
      Multiset larger = multiset;
      ++larger[i];
      dominated = legal.count(larger) > 0;
    }
    if (!dominated) layouts.push_back(std::move(layout));
  }
  return layouts;
}

}  // namespace

std::vector<Placed> places(const Product& product, std::span<const int> profiles) {
  std::vector<Placed> all;
  for (const int index : profiles) {
    if (index < 0 || static_cast<std::size_t>(index) >= product.profiles.size()) continue;
    for (const int start : product.profiles[static_cast<std::size_t>(index)].starts) {
      all.push_back({index, start});
    }
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<Layout> enumerate(const Product& product, Which which, std::span<const int> profiles) {
  if (which == Which::undominated) return undominated(product, profiles);
  std::vector<Layout> layouts;
  walk(product, profiles, [&](const Layout& layout, const Load&, bool maximal) {
    if (which == Which::all || maximal) layouts.push_back(layout);
  });
  return layouts;
}

std::vector<int> base_profiles(const Product& product, bool with_double) {
  const auto& profiles = product.profiles;
  const auto is_double = [&](const Profile& profile) {
    return std::any_of(profiles.begin(), profiles.end(), [&](const Profile& other) {
      return !other.has_attribute() && other.compute_slices == profile.compute_slices &&
             other.memory_slices < profile.memory_slices;
    });
  };
  std::vector<int> base;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    if (profiles[i].has_attribute() || (!with_double && is_double(profiles[i]))) continue;
    base.push_back(static_cast<int>(i));
  }
  return base;
}

}  // namespace tessera::mig
