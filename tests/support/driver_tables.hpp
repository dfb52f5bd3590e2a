// Tables of nvidia-smi and of the driver that tessera itself does not read: tests hold the catalogue and the
// stand-in against them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::test {

// `nvidia-smi mig -lgip`, one row a profile.
struct ProfileRow {
  std::string profile;  // as printed: "1g.10gb+me"
  int id = 0, total = 0;
  double gib = 0;
  int sm = 0, decoder = 0, encoder = 0, copy = 0, jpeg = 0, ofa = 0;
};
std::vector<ProfileRow> profile_rows(const std::string& text);

// `nvidia-smi mig -lgipp`
struct PlacementRow {
  int profile_id = 0;
  std::vector<int> starts;
  int size = 0;
};
std::vector<PlacementRow> placement_rows(const std::string& text);

// /proc/driver/nvidia-caps/mig-minors by GPU's minor, GPU instance and compute instance (nullopt: of the GPU
// instance itself).
using Minors = std::map<std::tuple<int, int, std::optional<int>>, int>;
Minors minors_of(const std::string& text);

}  // namespace tessera::test
