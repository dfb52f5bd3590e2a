#include "engine/plan/effect/creation.hpp"

#include <algorithm>
#include <tuple>

namespace tessera::plan {
namespace {

const mig::Profile& profile_of(const mig::Product& product, int index) {
  return product.profiles[static_cast<std::size_t>(index)];
}

void insert(mig::Layout& layout, mig::Placed one) {
  layout.insert(std::upper_bound(layout.begin(), layout.end(), one), one);
}

// Depth-first over what is left to make, largest first; equal profiles are tried once a level.
class Sequences {
 public:
  // `exact`: only orders that end at the wanted starts count.
  Sequences(const mig::Product& product, const mig::Layout& wanted, bool exact)
      : product_(product), exact_(exact), left_(largest_first(product, wanted)) {}

  std::optional<std::vector<mig::Placed>> run(const mig::Layout& standing) {
    if (!step(standing)) return std::nullopt;
    return made_;
  }

 private:
  bool step(const mig::Layout& layout) {
    if (left_.empty()) return true;
    int tried = -1;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      int profile = left_[i].profile;
      if (profile == tried) continue;
      tried = profile;
      if (try_one(layout, i)) return true;
    }
    return false;
  }
  bool try_one(const mig::Layout& layout, std::size_t which) {
    int profile = left_[which].profile;
    auto start = driver_start(product_, layout, profile);
    if (!start) return false;
    auto used = left_.begin() + static_cast<std::ptrdiff_t>(which);
    if (exact_) {
      used = std::find(left_.begin(), left_.end(), mig::Placed{profile, *start});
      if (used == left_.end()) return false;
    }
    auto place = used - left_.begin();
    mig::Placed taken = *used;
    left_.erase(used);
    made_.push_back({profile, *start});
    mig::Layout more = layout;
    insert(more, {profile, *start});
    if (step(more)) return true;
    made_.pop_back();
    left_.insert(left_.begin() + place, taken);
    return false;
  }

  const mig::Product& product_;
  bool exact_;
  std::vector<mig::Placed> left_;
  std::vector<mig::Placed> made_;
};

}  // namespace

std::vector<int> driver_starts(const mig::Product& product, int profile) {
  const mig::Profile& wanted = profile_of(product, profile);
  std::vector<int> preferred;
  if (product.units == 8) {
    if (wanted.memory_slices == 1) preferred = {6, 4, 5, 0, 1, 2, 3};
    if (wanted.memory_slices == 2 && wanted.compute_slices == 2) preferred = {4, 0, 2};
    if (wanted.memory_slices == 4) preferred = {4, 0};
  }
  std::vector<int> order;
  auto add = [&](int start) {
    bool legal = std::find(wanted.starts.begin(), wanted.starts.end(), start) != wanted.starts.end();
    if (legal && std::find(order.begin(), order.end(), start) == order.end()) order.push_back(start);
  };
  std::for_each(preferred.begin(), preferred.end(), add);
  std::for_each(wanted.starts.begin(), wanted.starts.end(), add);
  return order;
}

std::optional<int> driver_start(const mig::Product& product, const mig::Layout& standing, int profile) {
  for (int start : driver_starts(product, profile))
    if (mig::fits(product, standing, {profile, start})) return start;
  return std::nullopt;
}

std::optional<std::vector<mig::Placed>> driver_order(const mig::Product& product, const mig::Layout& standing,
                                                     const mig::Layout& wanted) {
  if (auto exact = Sequences(product, wanted, true).run(standing)) return exact;
  return Sequences(product, wanted, false).run(standing);
}

std::vector<mig::Placed> largest_first(const mig::Product& product, const mig::Layout& wanted) {
  std::vector<mig::Placed> order(wanted.begin(), wanted.end());
  std::sort(order.begin(), order.end(), [&](const mig::Placed& a, const mig::Placed& b) {
    auto rank = [&](const mig::Placed& one) {
      const mig::Profile& profile = profile_of(product, one.profile);
      return std::tuple(-profile.compute_slices, -profile.memory_slices, one.profile, one.start);
    };
    return rank(a) < rank(b);
  });
  return order;
}

}  // namespace tessera::plan
