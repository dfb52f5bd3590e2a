#include "engine/mig/edit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "engine/mig/load.hpp"

namespace tessera::mig {
namespace {

// How far a place is from a unit; 0: it covers it.
int distance(const Profile& profile, int start, int unit) {
  if (unit < start) return start - unit;
  return std::max(0, unit - (start + profile.memory_slices - 1));
}

std::string slices_text(Placement part) {
  return part.size == 1 ? fmt::format("slice {}", part.start)
                        : fmt::format("slices {}-{}", part.start, part.start + part.size - 1);
}

std::vector<std::size_t> standing_in(const Product& product, const Layout& layout, Placed wanted) {
  std::vector<std::size_t> in_way;
  const std::uint32_t mask = mask_of(profile_of(product, wanted), wanted.start);
  for (std::size_t i = 0; i < layout.size(); ++i)
    if ((mask_of(profile_of(product, layout[i]), layout[i].start) & mask) != 0) in_way.push_back(i);
  return in_way;
}

// The place with the fewest in its way, of these the nearest.
Obstacle memory_obstacle(const Product& product, const Layout& layout, int index, int unit) {
  const Profile& profile = product.profiles[static_cast<std::size_t>(index)];
  Obstacle best;
  std::tuple<std::size_t, int> least{layout.size() + 1, 0};
  for (const int start : profile.starts) {
    std::vector<std::size_t> in_way = standing_in(product, layout, {index, start});
    const std::tuple<std::size_t, int> cost{in_way.size(), distance(profile, start, unit)};
    if (cost >= least) continue;
    least = cost;
    best.lack = Lack::memory;
    best.needs = {start, profile.memory_slices};
    best.in_way = std::move(in_way);
  }
  return best;
}

Obstacle lack_of_engines(const Product& product, const Load& load, const Profile& profile) {
  Obstacle found;
  found.lack = Lack::engines;
  for (std::size_t i = 0; i < kMediaEngines.size(); ++i) {
    const int own = (profile.engines.*kMediaEngines[i]).value_or(0);
    const std::optional<int>& board = product.budget.*kMediaEngines[i];
    if (!board || own == 0 || load.engines[i] + own <= *board) continue;
    found.needed = own;
    found.left = *board - load.engines[i];
    found.engine = kMediaEngineNames[i];
    break;
  }
  return found;
}

}  // namespace

std::vector<int> open_starts(const Product& product, const Layout& layout, int profile) {
  std::vector<int> starts;
  if (!has_layouts(product)) return starts;
  const Load load = load_of(product, layout);
  for (const int start : product.profiles[static_cast<std::size_t>(profile)].starts)
    if (has_room(product, load, {profile, start})) starts.push_back(start);
  return starts;
}

std::optional<int> open_start_near(const Product& product, const Layout& layout, int profile, int unit) {
  const Profile& wanted = product.profiles[static_cast<std::size_t>(profile)];
  std::optional<int> best;
  for (const int start : open_starts(product, layout, profile))
    if (!best || distance(wanted, start, unit) < distance(wanted, *best, unit)) best = start;
  return best;
}

bool covers(const Product& product, Placed placed, int unit) {
  return distance(profile_of(product, placed), placed.start, unit) == 0;
}

std::optional<std::size_t> instance_at(const Product& product, const Layout& layout, int unit) {
  for (std::size_t i = 0; i < layout.size(); ++i)
    if (covers(product, layout[i], unit)) return i;
  return std::nullopt;
}

std::optional<Layout> slide(const Product& product, const Layout& layout, std::size_t index, int direction) {
  if (index >= layout.size()) return std::nullopt;
  const Placed moving = layout[index];
  Layout others = layout;
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(index));
  std::optional<int> next;
  for (const int start : open_starts(product, others, moving.profile)) {
    if (direction < 0 && start < moving.start) next = start;
    if (direction > 0 && start > moving.start && !next) next = start;
  }
  if (!next) return std::nullopt;
  others.push_back({moving.profile, *next});
  std::sort(others.begin(), others.end());
  return others;
}

std::optional<Obstacle> obstacle(const Product& product, const Layout& layout, int profile, int unit) {
  const Profile& wanted = product.profiles[static_cast<std::size_t>(profile)];
  Obstacle found;
  if (!has_layouts(product) || wanted.starts.empty()) return found;
  if (!open_starts(product, layout, profile).empty()) return std::nullopt;
  const Load load = load_of(product, layout);
  found.most = wanted.max;
  found.lack = Lack::count;
  if (load.count[static_cast<std::size_t>(profile)] >= wanted.max) return found;
  found.needed = wanted.compute_slices;
  found.left = product.compute_slices - load.compute;
  found.lack = Lack::compute;
  if (found.left <= 0) return found;
  // Taking away what stands in the way gives back compute and engines, too: it is the way to make room.
  Obstacle memory = memory_obstacle(product, layout, profile, unit);
  if (!memory.in_way.empty()) return memory;
  if (found.left < found.needed) return found;
  found.lack = Lack::instances;
  found.most = product.max_instances;
  if (load.instances >= product.max_instances) return found;
  return lack_of_engines(product, load, wanted);
}

std::string to_text(const Product& product, int profile, const Obstacle& obstacle) {
  const Profile& wanted = product.profiles[static_cast<std::size_t>(profile)];
  switch (obstacle.lack) {
    case Lack::count:
      return fmt::format(
          "at most {} {}", obstacle.most,
          wanted.name.text.find("+me") != std::string::npos ? "with media engines" : "on one GPU");
    case Lack::memory:
      if (obstacle.needs.size == product.units) return "needs an empty GPU";
      return fmt::format("needs {} free", slices_text(obstacle.needs));
    case Lack::instances: return fmt::format("at most {} instances on one GPU", obstacle.most);
    case Lack::compute:
      if (obstacle.left <= 0) return "compute slices used up";
      return fmt::format("needs {} compute slices, {} left", obstacle.needed, obstacle.left);
    case Lack::engines:
      return obstacle.left <= 0
                 ? fmt::format("no {} is left", obstacle.engine)
                 : fmt::format("needs {} {}s, {} left", obstacle.needed, obstacle.engine, obstacle.left);
    case Lack::places: break;
  }
  return "its placements are not published";
}

std::string stranded_text(const Product& product, const Layout& layout) {
  std::string text;
  int slices = 0;
  for (const Placement& part : room(product, layout).stranded) {
    slices += part.size;
    text += (text.empty() ? "" : ", ") + slices_text(part);
  }
  if (text.empty()) return text;
  return text + (slices == 1 ? " is stranded" : " are stranded");
}

}  // namespace tessera::mig
