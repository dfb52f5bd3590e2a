#include "engine/insight/free_kinds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/sharing/ack.hpp"
#include "engine/sharing/units.hpp"

namespace tessera::insight {
namespace {

constexpr std::string_view kWhole = "whole";

std::map<std::string, int> first_of_each(std::map<std::string, int> counts) {
  std::erase_if(counts, [](const auto& one) { return one.second <= 0; });
  return counts;
}

// One kind of what is free: slices of a profile, or shares.
struct Kind {
  std::string_view slices;  // slice_label(), in the model; empty: shares
  std::string shares;       // share_label()
  int number = 0;

  std::string_view name() const { return slices.empty() ? std::string_view(shares) : slices; }
  // Whole GPUs first, shares last.
  auto rank() const { return std::tuple(slices.empty(), slices != kWhole, name()); }
};

void append(std::string& text, const Kind& kind) {
  if (!text.empty()) text += ", ";
  const fmt::format_int number(kind.number);
  text.append(number.data(), number.size());
  // "3 1g.10gb" would read as one number.
  text += kind.slices.empty() || kind.slices == kWhole ? " " : "×";
  text += kind.name();
  // "1 MPS share": units of shares are plurals.
  if (kind.slices.empty() && kind.number == 1 && text.ends_with('s')) text.pop_back();
}

// What can be had now on one node.
class FreeOfNode {
 public:
  FreeOfNode(const Cluster& cluster, const Node& node)
      : cluster_(cluster), node_(node), sight_(sight_of(cluster, node)) {}

  // In their order; nullopt: not known of each slice, as available_slices() has it.
  std::optional<std::vector<Kind>> kinds() {
    if (sight_.access == Access::closed) return kinds_;
    if (!(can_be_had(sight_) ? counted() : told())) return std::nullopt;
    if (kinds_.size() > 1)
      std::sort(kinds_.begin(), kinds_.end(),
                [](const Kind& a, const Kind& b) { return a.rank() < b.rank(); });
    return std::move(kinds_);
  }

 private:
  // False: not known of each slice, nor how many of them are free.
  bool counted() {
    const Unheld& unheld = node_.unheld;
    if (unheld.silent > 0 || (unheld.open > 0 && !node_.counts.known())) return false;
    for (const UnheldKind& kind : unheld.kinds) add(kind.kind, kind.profile, kind.capacity, kind.units);
    for (const UnheldKind& kind : node_.open_kinds)
      if (kind.units > 0) add(kind.kind, kind.profile, kind.capacity, kind.units);
    return true;
  }

  // The same where not all that nobody holds can be had, or not all lists are there.
  bool told() {
    const auto look = [&](const Slice& slice) {
      const std::optional<int> free = available(sight_, slice);
      if (free.value_or(0) > 0) add(slice.kind, slice.profile, slice.capacity, *free);
      return free.has_value();
    };
    for (const Gpu& gpu : node_.gpus)
      if (!std::all_of(gpu.slices.begin(), gpu.slices.end(), look)) return false;
    return std::all_of(node_.pool.begin(), node_.pool.end(), look);
  }

  void add(SliceKind kind, const ProfileName& profile, int capacity, int number) {
    Kind one;
    if (capacity > 1)
      one.shares = shares_of(kind, profile, capacity);
    else
      one.slices = profile.empty() ? word(kind) : std::string_view(profile.text);
    const auto same = std::find_if(kinds_.begin(), kinds_.end(), [&](const Kind& other) {
      return other.slices == one.slices && other.shares == one.shares;
    });
    if (same != kinds_.end()) {
      same->number += number;
      return;
    }
    one.number = number;
    kinds_.push_back(std::move(one));
  }
  std::string shares_of(SliceKind kind, const ProfileName& profile, int capacity) const {
    Slice like;
    like.kind = kind;
    like.profile = profile;
    like.capacity = capacity;
    return share_label(cluster_, node_, like);
  }

  const Cluster& cluster_;
  const Node& node_;
  const Sight sight_;
  std::vector<Kind> kinds_;
};

}  // namespace

std::optional<FreeKinds> free_kinds(const Totals& totals) {
  if (!totals.free) return std::nullopt;
  return FreeKinds{first_of_each(totals.free_by_profile), first_of_each(totals.free_shares)};
}

std::optional<FreeKinds> free_kinds(const Cluster& cluster, const Node& node) {
  const std::optional<std::vector<Kind>> kinds = FreeOfNode(cluster, node).kinds();
  if (!kinds) return std::nullopt;
  FreeKinds free;
  for (const Kind& kind : *kinds)
    (kind.slices.empty() ? free.shares : free.slices).emplace(kind.name(), kind.number);
  return free;
}

std::optional<std::string> free_text(const Cluster& cluster, const Node& node) {
  const std::optional<std::vector<Kind>> kinds = FreeOfNode(cluster, node).kinds();
  if (!kinds) return std::nullopt;
  std::string text;
  for (const Kind& kind : *kinds) append(text, kind);
  return text.empty() ? "0" : text;
}

std::string to_text(const FreeKinds& free) {
  std::vector<Kind> kinds;
  for (const auto& [name, number] : free.slices) kinds.push_back({name, {}, number});
  for (const auto& [name, number] : free.shares) kinds.push_back({{}, name, number});
  std::sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.rank() < b.rank(); });
  std::string text;
  for (const Kind& kind : kinds) append(text, kind);
  return text.empty() ? "0" : text;
}

std::string share_label(const Cluster& cluster, const Node& node, const Slice& slice) {
  const bool may_be = slice.kind == SliceKind::mps || slice.kind == SliceKind::shard;
  // ACK's plugin splits a GPU by its memory; HAMi's memory is a limit of the parts that it makes.
  if (may_be && node.allocatable && node.allocatable->contains(std::string(sharing::ack::kMemory)))
    return std::string(sharing::memory_unit(sharing::ack::kMemory));
  return share_unit(slice, cluster.scheduler);
}

}  // namespace tessera::insight
