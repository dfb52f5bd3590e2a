// Choosing places: target_layout and nearest_layouts.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "engine/plan/effect/diff.hpp"

namespace tessera::plan {
namespace {

struct Parts {
  mig::Layout fixed;      // wishes with a start
  std::vector<int> open;  // profiles for which a start is to be found
};

Error cannot(const mig::Product& product, std::string why) {
  return {"cannot create this layout", fmt::format("{}: {}", product.key.text, why),
          "tessera layouts lists what this GPU can be cut into"};
}

Result<Parts> parts_of(const mig::Product& product, const Wish& wish) {
  Parts parts;
  for (const WishedInstance& one : wish.instances) {
    auto profile = product.index_of(one.profile.text);
    if (!profile) return cannot(product, fmt::format("it has no profile {}", one.profile.text));
    if (one.start)
      parts.fixed.push_back({*profile, *one.start});
    else
      parts.open.push_back(*profile);
  }
  std::sort(parts.fixed.begin(), parts.fixed.end());
  std::sort(parts.open.begin(), parts.open.end());
  if (auto why = mig::why_illegal(product, parts.fixed)) return cannot(product, *why);
  return parts;
}

// Removes one of a sorted list; false: it is not there.
bool take(std::vector<int>& sorted, int value) {
  auto it = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (it == sorted.end() || *it != value) return false;
  sorted.erase(it);
  return true;
}

// One way to keep some of what stands: which bits of `now`, and what that loses.
struct Choice {
  std::uint32_t keep = 0;
  int held_lost = 0;
  int lost = 0;
};

class Chooser {
 public:
  Chooser(const mig::Product& product, const Parts& parts, const mig::Layout& now,
          const std::vector<bool>& held)
      : product_(product), parts_(parts), now_(now), held_(held) {}

  std::optional<mig::Layout> run() {
    for (const Choice& choice : choices())
      if (auto layout = complete(choice.keep)) return layout;
    return std::nullopt;
  }

 private:
  // Every set of instances that may stay, the least loss first. What has a wish with its very start stays
  // anyway, so only the others are chosen among.
  std::vector<Choice> choices() const {
    std::uint32_t candidates = 0;
    for (std::size_t i = 0; i < now_.size(); ++i)
      if (std::binary_search(parts_.open.begin(), parts_.open.end(), now_[i].profile) && !is_fixed(now_[i]))
        candidates |= 1U << i;
    std::vector<Choice> all;
    for (std::uint32_t keep = candidates;; keep = (keep - 1) & candidates) {
      all.push_back(weigh(keep));
      if (keep == 0) break;
    }
    std::stable_sort(all.begin(), all.end(), [](const Choice& a, const Choice& b) {
      return std::pair(a.held_lost, a.lost) < std::pair(b.held_lost, b.lost);
    });
    return all;
  }
  bool is_fixed(mig::Placed one) const {
    return std::binary_search(parts_.fixed.begin(), parts_.fixed.end(), one);
  }
  Choice weigh(std::uint32_t keep) const {
    Choice choice{keep, 0, 0};
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if ((keep >> i & 1U) != 0 || is_fixed(now_[i])) continue;
      ++choice.lost;
      if (held_[i]) ++choice.held_lost;
    }
    return choice;
  }
  std::optional<mig::Layout> complete(std::uint32_t keep) const {
    mig::Layout base = parts_.fixed;
    std::vector<int> open = parts_.open;
    for (std::size_t i = 0; i < now_.size(); ++i) {
      if ((keep >> i & 1U) == 0) continue;
      if (!take(open, now_[i].profile)) return std::nullopt;
      base.push_back(now_[i]);
    }
    std::sort(base.begin(), base.end());
    if (!mig::is_legal(product_, base)) return std::nullopt;
    if (open.empty()) return base;
    return mig::place(product_, open, base);
  }

  const mig::Product& product_;
  const Parts& parts_;
  const mig::Layout& now_;
  const std::vector<bool>& held_;
};

std::vector<int> all_profiles(const Parts& parts) {
  std::vector<int> profiles = parts.open;
  for (const mig::Placed& one : parts.fixed) profiles.push_back(one.profile);
  std::sort(profiles.begin(), profiles.end());
  return profiles;
}

std::map<int, int> count(const mig::Product& product, const mig::Layout& layout) {
  (void)product;
  std::map<int, int> counts;
  for (const mig::Placed& one : layout) ++counts[one.profile];
  return counts;
}

// How far a layout is from a wish, in compute slices that are of the wrong profile.
int distance(const mig::Product& product, std::map<int, int> wanted, const std::map<int, int>& got) {
  int sum = 0;
  for (auto [profile, number] : got) wanted[profile] -= number;
  for (auto [profile, number] : wanted)
    sum += std::abs(number) * std::max(1, product.profiles[static_cast<std::size_t>(profile)].compute_slices);
  return sum;
}

}  // namespace

Result<mig::Layout> target_layout(const mig::Product& product, const Wish& wish, const mig::Layout& now,
                                  const std::vector<bool>& held) {
  if (!product.mig_capable) return cannot(product, "it cannot be cut by MIG");
  if (!product.placements_known) return cannot(product, "its placements are not published");
  Result<Parts> parts = parts_of(product, wish);
  if (!parts) return parts.error();
  if (auto layout = Chooser(product, *parts, now, held).run()) return *layout;
  auto why = mig::why_no_place(product, parts->open, parts->fixed);
  return cannot(product, why.value_or("not all of them fit"));
}

std::vector<mig::Layout> nearest_layouts(const mig::Product& product, const Wish& wish,
                                         const mig::Layout& held, std::size_t limit) {
  Result<Parts> parts = parts_of(product, wish);
  if (!parts) return {};
  std::map<int, int> wanted;
  std::set<int> profiles;
  for (int profile : all_profiles(*parts)) ++wanted[profile], profiles.insert(profile);
  for (const mig::Placed& one : held) profiles.insert(one.profile);
  for (int profile : mig::base_profiles(product, false)) profiles.insert(profile);
  std::vector<int> among(profiles.begin(), profiles.end());
  std::map<std::map<int, int>, std::pair<int, mig::Layout>> best;  // by multiset
  for (mig::Layout& layout : mig::enumerate(product, mig::Which::maximal, among)) {
    if (!std::includes(layout.begin(), layout.end(), held.begin(), held.end())) continue;
    std::map<int, int> got = count(product, layout);
    int far = distance(product, wanted, got);
    best.try_emplace(std::move(got), far, std::move(layout));
  }
  std::vector<std::pair<int, mig::Layout>> ranked;
  for (auto& [multiset, entry] : best) ranked.push_back(std::move(entry));
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<mig::Layout> nearest;
  for (auto& [far, layout] : ranked)
    if (nearest.size() < limit) nearest.push_back(std::move(layout));
  return nearest;
}

}  // namespace tessera::plan
