// Which instances may stand together: why_illegal, is_legal, fits.
#include <fmt/format.h>

#include <algorithm>

#include "engine/mig/load.hpp"

namespace tessera::mig {

namespace {

std::optional<std::string> why_no_layouts(const Product& product) {
  if (!product.mig_capable) return product.key.text + " cannot be cut: it has no MIG";
  if (!has_layouts(product)) return "where instances may start on " + product.key.text + " is not published";
  return std::nullopt;
}

std::string unit_list(std::uint32_t units) {
  std::string list;
  for (const Placement& part : intervals(units)) {
    if (!list.empty()) list += ", ";
    list += part.size == 1 ? std::to_string(part.start)
                           : fmt::format("{}-{}", part.start, part.start + part.size - 1);
  }
  return std::popcount(units) == 1 ? fmt::format("memory slice {} is taken", list)
                                   : fmt::format("memory slices {} are taken", list);
}

std::string shortage(std::string_view thing, int needed, int left) {
  if (left <= 0) return fmt::format("no {} is left", thing);
  return fmt::format("{} {}{} needed and {} {} left", needed, thing, needed == 1 ? " is" : "s are", left,
                     left == 1 ? "is" : "are");
}

std::string why_not_placeable(const Product& product, Placed wanted) {
  if (wanted.profile < 0 || static_cast<std::size_t>(wanted.profile) >= product.profiles.size()) {
    return product.key.text + " has no such profile";
  }
  const Profile& profile = profile_of(product, wanted);
  return fmt::format("{} cannot start at {}, only at {}", profile.name.text, wanted.start,
                     fmt::join(profile.starts, ", "));
}

std::optional<std::string> objection(const Product& product, const Load& load, Placed wanted) {
  if (!is_placeable(product, wanted)) return why_not_placeable(product, wanted);
  if (has_room(product, load, wanted)) return std::nullopt;
  const Profile& profile = profile_of(product, wanted);
  if (const std::uint32_t taken = load.memory & mask_of(profile, wanted.start)) return unit_list(taken);
  const int compute_left = product.compute_slices - load.compute;
  if (profile.compute_slices > compute_left) {
    return shortage("compute slice", profile.compute_slices, compute_left);
  }
  if (load.instances >= product.max_instances) {
    return fmt::format("the GPU holds {} instances at most", product.max_instances);
  }
  if (load.count[static_cast<std::size_t>(wanted.profile)] >= profile.max) {
    return fmt::format("at most {} × {} may exist on one GPU", profile.max, profile.name.text);
  }
  for (std::size_t i = 0; i < kMediaEngines.size(); ++i) {
    const int board = (product.budget.*kMediaEngines[i]).value_or(1 << 20);
    const int own = (profile.engines.*kMediaEngines[i]).value_or(0);
    if (own > 0 && load.engines[i] + own > board)
      return shortage(kMediaEngineNames[i], own, board - load.engines[i]);
  }
  return "it does not fit";
}

}  // namespace

std::optional<std::string> why_illegal(const Product& product, const Layout& layout) {
  if (auto reason = why_no_layouts(product)) return reason;
  Layout sorted = layout;
  std::sort(sorted.begin(), sorted.end());
  Load load;
  for (const Placed placed : sorted) {
    if (const auto reason = objection(product, load, placed)) {
      if (!is_placeable(product, placed)) return reason;
      return fmt::format("{}@{}: {}", profile_of(product, placed).name.text, placed.start, *reason);
    }
    add(product, load, placed);
  }
  return std::nullopt;
}

bool is_legal(const Product& product, const Layout& layout) {
  if (!has_layouts(product)) return false;
  Load load;
  for (const Placed placed : layout) {
    if (!is_placeable(product, placed) || !has_room(product, load, placed)) return false;
    add(product, load, placed);
  }
  return true;
}

bool fits(const Product& product, const Layout& layout, Placed wanted) {
  return has_layouts(product) && is_placeable(product, wanted) &&
         has_room(product, load_of(product, layout), wanted);
}

}  // namespace tessera::mig
