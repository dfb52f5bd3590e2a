#include "engine/usage/too_big.hpp"

#include <fmt/core.h>

#include "engine/usage/ledger.hpp"

namespace tessera::usage {
namespace {

constexpr double kLeastHours = 1;  // measured, before advice is given
constexpr int kLeastFigures = 6;   // of use that these rest on: of thousands of nodes one speaks for an hour
constexpr double kMostlyIdle = 0.5;  // of the measured time

// What was used for most of the time, or on the whole where only a mean is known, or never exceeded where
// that alone is.
struct Used {
  enum class As : std::uint8_t { percentile, mean, most };
  double percent = 0;
  As as = As::percentile;
};
std::optional<Used> used_of(const Hold& hold, const Limits& limits) {
  if (const auto most = hold.spread.percentile(limits.percentile / 100)) return Used{*most};
  if (hold.measured > 0) return Used{hold.use / hold.measured, Used::As::mean};
  if (hold.most) return Used{static_cast<double>(hold.most->value), Used::As::most};
  return std::nullopt;
}

std::string why_too_big(const Used& used, const mig::Profile& profile, Mib memory) {
  switch (used.as) {
    case Used::As::percentile: break;
    case Used::As::mean:
      return fmt::format("{} would do: mean use was {:.0f} %, memory at most {} MiB", profile.name.text,
                         used.percent, memory.value);
    case Used::As::most:
      return fmt::format("{} would do: use was {:.0f} % at most, memory {} MiB (no mean is known)",
                         profile.name.text, used.percent, memory.value);
  }
  return fmt::format("{} would do: use stayed below {:.0f} %, memory below {} MiB", profile.name.text,
                     used.percent, memory.value);
}

// As the catalogue has it, or by the slice of memory that figures speak of; nullopt: not known.
std::optional<double> memory_of(const mig::Profile& profile, const Hold& hold, const mig::Product& product) {
  if (profile.memory) return static_cast<double>(profile.memory->value);
  const mig::Profile* own = product.find(hold.profile);
  const int slices = own ? own->memory_slices : product.units;
  if (!hold.memory || slices <= 0) return std::nullopt;
  return static_cast<double>(hold.memory->value) * profile.memory_slices / slices;
}

// The smallest profile that would have done; nullopt: none, or it is not known.
const mig::Profile* smaller(const Hold& hold, const mig::Catalogue& catalogue, const Limits& limits) {
  const mig::Product* product = hold.product ? catalogue.by_key(hold.product->text) : nullptr;
  if (!product || !product->placements_known || product->compute_slices <= 0 || product->units <= 0)
    return nullptr;
  const auto most = used_of(hold, limits);
  if (!most || !hold.memory_peak || !hold.slices) return nullptr;
  const std::optional<double> part = hold.measured_part ? hold.measured_part : hold.part;
  if (!part) return nullptr;
  const double air = 1 + limits.spare / 100;
  const double used = most->percent / 100 * *part * product->compute_slices * air;
  const double memory = static_cast<double>(hold.memory_peak->value) * air;
  const mig::Profile* best = nullptr;
  for (const mig::Profile& profile : product->profiles) {
    if (profile.has_attribute() || profile.memory_slices <= 0) continue;
    if (profile.compute_slices < used || profile.memory_slices >= *hold.slices) continue;
    const auto room = memory_of(profile, hold, *product);
    if (!room || *room < memory) continue;
    if (!best || profile.memory_slices < best->memory_slices) best = &profile;
  }
  return best;
}

}  // namespace

std::optional<TooBig> too_big(const Hold& hold, const mig::Catalogue& catalogue, const Limits& limits) {
  const double known = hold.measured > 0 || !hold.most ? hold.measured : hold.hours;
  if (known < kLeastHours || hold.idle > kMostlyIdle * known) return std::nullopt;
  if (hold.figures && *hold.figures < kLeastFigures) return std::nullopt;
  const mig::Profile* profile = smaller(hold, catalogue, limits);
  if (!profile) return std::nullopt;
  const Used used = used_of(hold, limits).value_or(Used{});
  return TooBig{profile, known - hold.idle, why_too_big(used, *profile, *hold.memory_peak)};
}

}  // namespace tessera::usage
