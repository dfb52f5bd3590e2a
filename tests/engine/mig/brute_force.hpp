// The rules of a GPU written a second time, as plainly as possible, to judge the geometry by: every subset
// of all places is tried, pairs of intervals are compared, sums are summed. Slow; for small GPUs.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <set>
#include <vector>

#include "engine/mig/geometry.hpp"

namespace tessera::mig::brute {

inline bool overlap(const Product& product, Placed a, Placed b) {
  const int a_end = a.start + product.profiles.at(static_cast<std::size_t>(a.profile)).memory_slices;
  const int b_end = b.start + product.profiles.at(static_cast<std::size_t>(b.profile)).memory_slices;
  return a.start < b_end && b.start < a_end;
}

inline bool legal(const Product& product, const Layout& layout) {
  std::map<int, int> count;
  int compute = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0;
  for (std::size_t i = 0; i < layout.size(); ++i) {
    const Profile& profile = product.profiles.at(static_cast<std::size_t>(layout[i].profile));
    bool may_start = false;
    for (const int start : profile.starts) may_start = may_start || start == layout[i].start;
    if (!may_start || ++count[layout[i].profile] > profile.max) return false;
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(product, layout[i], layout[j])) return false;
    }
    compute += profile.compute_slices;
    decoder += profile.engines.decoder.value_or(0);
    encoder += profile.engines.encoder.value_or(0);
    jpeg += profile.engines.jpeg.value_or(0);
    ofa += profile.engines.ofa.value_or(0);
  }
  const Engines& budget = product.budget;
  return compute <= product.compute_slices && static_cast<int>(layout.size()) <= product.max_instances &&
         decoder <= budget.decoder.value_or(1000) && encoder <= budget.encoder.value_or(1000) &&
         jpeg <= budget.jpeg.value_or(1000) && ofa <= budget.ofa.value_or(1000);
}

using Counts = std::map<int, int>;

inline Counts counts(const Layout& layout) {
  Counts result;
  for (const Placed placed : layout) ++result[placed.profile];
  return result;
}

// a has everything that b has, and something more.
inline bool exceeds(const Counts& a, const Counts& b) {
  for (const auto& [profile, count] : b) {
    const auto found = a.find(profile);
    if (found == a.end() || found->second < count) return false;
  }
  return a != b;
}

struct Truth {
  std::vector<Placed> places;
  std::set<Layout> all;
  std::set<Layout> maximal;
  std::set<Counts> multisets;
  std::set<Counts> undominated;
};

inline Truth truth(const Product& product, const std::vector<int>& profiles) {
  Truth truth;
  for (const int index : profiles) {
    for (const int start : product.profiles.at(static_cast<std::size_t>(index)).starts) {
      truth.places.push_back({index, start});
    }
  }
  for (std::uint64_t subset = 0; subset < std::uint64_t{1} << truth.places.size(); ++subset) {
    Layout layout;
    for (std::size_t i = 0; i < truth.places.size(); ++i) {
      if (subset >> i & 1) layout.push_back(truth.places[i]);
      if (layout.size() > 16) break;
    }
    std::sort(layout.begin(), layout.end());
    if (!legal(product, layout)) continue;
    truth.all.insert(layout);
    truth.multisets.insert(counts(layout));
  }
  for (const Layout& layout : truth.all) {
    bool extendable = false;
    for (const Placed place : truth.places) {
      Layout more = layout;
      more.push_back(place);
      extendable = extendable || legal(product, more);
    }
    if (!extendable) truth.maximal.insert(layout);
  }
  for (const Counts& one : truth.multisets) {
    bool dominated = false;
    for (const Counts& other : truth.multisets) dominated = dominated || exceeds(other, one);
    if (!dominated) truth.undominated.insert(one);
  }
  return truth;
}

// A GPU that no one has built, small enough to be judged by brute force.
inline rc::Gen<Product> board() {
  return rc::gen::exec([] {
    // At full size: small ones would only be GPUs without places.
    const auto figure = [](int low, int high) {
      return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(low, high + 1));
    };
    const auto maybe = [&](int high) {
      return figure(0, 2) == 0 ? std::nullopt : std::optional<int>(figure(0, high));
    };
    Product product;
    product.key = ProductKey("random");
    product.mig_capable = product.placements_known = true;
    product.units = figure(1, 6);
    product.compute_slices = figure(1, 7);
    product.max_instances = figure(1, 7);
    product.budget = {std::nullopt, maybe(4), maybe(4), maybe(2), maybe(1)};
    std::size_t places = 0;
    const int profiles = figure(1, 5);
    for (int i = 0; i < profiles; ++i) {
      Profile profile;
      profile.memory_slices = figure(1, product.units);
      profile.compute_slices = figure(1, product.compute_slices);
      profile.max = figure(1, 4);
      profile.engines = {std::nullopt, maybe(2), maybe(1), maybe(1), maybe(1)};
      profile.name = ProfileName(std::to_string(profile.compute_slices) + "g." + std::to_string(i + 1) +
                                 "gb" + (figure(0, 3) == 0 ? "+me" : ""));
      for (int start = 0; start + profile.memory_slices <= product.units && places < 13; ++start) {
        if (i + start > 0 && figure(0, 2) == 0) continue;  // the first always has a place
        profile.starts.push_back(start);
        ++places;
      }
      if (!profile.starts.empty()) product.profiles.push_back(profile);
    }
    return product;
  });
}

inline std::vector<int> every_profile(const Product& product) {
  std::vector<int> all;
  for (std::size_t i = 0; i < product.profiles.size(); ++i) all.push_back(static_cast<int>(i));
  return all;
}

}  // namespace tessera::mig::brute
