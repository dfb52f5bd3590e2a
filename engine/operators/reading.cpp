#include "engine/operators/reading.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

namespace tessera::operators {

std::string_view word(SitePart part) {
  switch (part) {
    case SitePart::policy: return "the ClusterPolicy";
    case SitePart::gpu_cluster: return "whether a GPUCluster exists";
    case SitePart::name_space: return "the GPU operator's namespace";
    case SitePart::fleet: return "the labels of the GPU nodes";
    case SitePart::mig_config: return "the MIG configurations";
    case SitePart::generated: return "the MIG configurations that were generated for the nodes";
    case SitePart::plugin_config: return "the device plugin's configurations";
    case SitePart::budgets: return "the disruption budgets";
    case SitePart::devices: return "which devices DRA drivers hand out";
  }
  return "";
}

const Reading& Readings::of(SitePart part) const {
  static const Reading kNever;
  auto found = all_.find(part);
  return found == all_.end() ? kNever : found->second;
}

std::optional<std::string> Readings::why_unknown(std::initializer_list<SitePart> parts) const {
  for (SitePart part : parts)
    if (!knows(part)) return why_untold(part, of(part));
  return std::nullopt;
}

std::optional<std::string> Readings::why_not_fresh(std::initializer_list<SitePart> parts) const {
  if (auto why = why_unknown(parts)) return why;
  for (SitePart part : parts)
    if (of(part).failure) return why_untold(part, of(part));
  return std::nullopt;
}

bool Readings::any_failed() const {
  return std::any_of(all_.begin(), all_.end(),
                     [](const auto& one) { return one.second.failure.has_value(); });
}

std::string why_untold(SitePart part, const Reading& reading) {
  std::string text = fmt::format("{} could not be read", word(part));
  if (!reading.failure) return text + " yet";
  if (reading.is != Reading::Is::unknown)
    text +=
        fmt::format(" since {:%Y-%m-%d %H:%M:%S} UTC", std::chrono::floor<std::chrono::seconds>(reading.at));
  return fmt::format("{}: {}: {}", text, reading.failure->what, reading.failure->reason);
}

}  // namespace tessera::operators
