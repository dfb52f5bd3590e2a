// How many of each resource a Gres= text, a line of gres.conf or a running node means.
// Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "engine/model/values.hpp"
#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {

// "gpu:h100" → 8; instances by profile, whatever prefix a site puts before it: "gpu:1g.10gb" → 7; mps and
// shard without a type, since slurmctld copies the GPU's. Nothing is listed with 0.
using GresCounts = std::map<std::string, std::int64_t>;

// "gpu:h100:8(S:0-1),mps:200", "gpu:4K"; "", "(null)" and "N/A" are nothing. What cannot be read is left out.
GresCounts counts_of(std::string_view gres);
// gpu, mps and shard of a node as the backend made it from slurmctld's Gres=.
GresCounts counts_of(const Node& node);
// A line of gres.conf; 0 under an empty key: its Count= or File= cannot be read.
GresCounts counts_of(const GresLine& line, const Line& written);

// Only gpu, mps and shard.
GresCounts sharable(GresCounts counts);
// Whether both offer the same. A "gpu" without a type means any type.
bool alike(const GresCounts& left, const GresCounts& right);
// "gpu:1g.10gb:7,mps:200"; "nothing" where there is none.
std::string to_text(const GresCounts& counts);

}  // namespace tessera::slurmconf
