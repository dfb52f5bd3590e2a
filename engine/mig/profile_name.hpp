// Names of MIG profiles, in all the spellings that tools use, taken apart and put into one form.
//
//   1g.10gb   1c.3g.20gb   1g.10gb+me   1g.24gb+me.all   4g.96gb+gfx   1g.24gb-me
// Kubernetes writes '.' where NVIDIA writes '+', Slurm may write '_', nvidia-smi puts "MIG " in front.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/units.hpp"

namespace tessera::mig {

struct ProfileParts {
  std::optional<int> compute_width;  // the 1 of "1c.3g.20gb"; nullopt: a GPU instance or all of it
  int slices = 0;                    // the 3 of "3g"
  int gigabytes = 0;                 // as named; no measure of memory
  char sign = '\0';                  // '+', '-' or none
  std::string attribute;             // "me", "me.all", "gfx"
  friend bool operator==(const ProfileParts&, const ProfileParts&) = default;
};

// nullopt: not the name of a profile.
std::optional<ProfileParts> parse_profile(std::string_view text);

// The one form used by tessera: NVIDIA's own, with '+'.
std::string to_text(const ProfileParts& parts);
// parse and write back; nullopt as above.
std::optional<ProfileName> canonical_profile(std::string_view text);

// The profile part of a Slurm GRES type: "nvidia_h200_nvl_4g.71gb" → "4g.71gb"; nullopt: not a MIG type.
// Slurm writes "+me" as "+me" or "_me"; both are understood.
std::optional<ProfileName> profile_of_slurm_type(std::string_view type);

}  // namespace tessera::mig
