// Generic resources as Slurm writes them, in every form since 21.08:
//   gpu:h100:8(S:0-1)   gpu:h100:2(IDX:0,2-7)   gpu:h100:5(CNT:5)   gpu:(null):4(IDX:0-3)   gpu:0
//   mps:h100:75(75/100,0/100)   mps:25(IDX:0)   gres:gpu:h100:2   gres/gpu:h100=2   gres/gpu=2
// Threads: pure functions; names and types are views into the text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"

namespace tessera::slurm {

struct Gres {
  struct Share {
    int used = 0;
    int total = 0;
    friend bool operator==(const Share&, const Share&) = default;
  };
  std::string_view name;  // "gpu", "mps", "shard", "craynetwork"
  std::string_view type;  // "h100", "1g.10gb"; empty: none
  std::int64_t count = 1;
  bool devices_told = false;  // (IDX:…) or shares were there; with count 0 and IDX:N/A the list is empty
  std::vector<int> devices;   // of (IDX:…)
  std::vector<Share> shares;  // of (25/100,0/100): one for each device, from 0
};

// Reads a comma-separated list. What cannot be read is left out and named in the result; nullopt: all is
// well.
// "", "(null)" and "N/A" are empty lists. wanted: resources of other names are passed by, readable or not.
std::optional<std::string> parse_gres(std::string_view text, std::vector<Gres>& into,
                                      bool (*wanted)(std::string_view name) = nullptr);

// Of "gpu", "mps" and "shard"; nullopt: the others are no matter here, and some are counted in other ways.
std::optional<Family> family_of(std::string_view name);
bool is_of_gpus(std::string_view name);

// "8", "4k", "2G"; nullopt: no count. k, M, G, T and P are powers of 1024, as Slurm counts them.
std::optional<std::int64_t> parse_count(std::string_view text);

// Devices of one entry beyond which it is not believed.
constexpr std::size_t kMostDevices = 4096;

}  // namespace tessera::slurm
