// What a demand may name: profiles, and whole GPUs: uncut ones that are free, and empty ones whose MIG mode a
// plan may switch off. Shares of a GPU are none. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
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

// Why it is not: "not the name of a MIG profile, or whole", or what shares and GPUs are asked for by.
std::string why_not_wanted(std::string_view text);

}  // namespace tessera::pack
