// Whole GPUs as a demand, beside profiles: uncut ones that are free, and empty ones whose MIG mode a plan may
// switch off. Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "engine/mig/profile_name.hpp"

namespace tessera::pack {

// How a demand names them; layouts use the same word.
inline constexpr std::string_view kWhole = "whole";

inline bool is_whole(const ProfileName& wanted) { return wanted.text == kWhole; }
// What a demand names: "whole", or a profile in its usual spelling; nullopt: neither.
inline std::optional<ProfileName> wanted_name(std::string_view text) {
  return text == kWhole ? std::optional(ProfileName(std::string(kWhole))) : mig::canonical_profile(text);
}

}  // namespace tessera::pack
