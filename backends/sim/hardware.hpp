// What a simulated GPU is besides its MIG geometry: name, memory, power.
//
// Products of the MIG catalogue are looked up there by key; GPUs that cannot be cut (L40S, T4 ...) are
// known here only.
// Threads: constant data.
#pragma once

#include <string_view>

namespace tessera::sim {

struct Hardware {
  std::string_view key;         // catalogue key, or our own for GPUs without MIG
  std::string_view smi_name;    // as nvidia-smi prints it
  std::string_view slurm_type;  // the word that a site would use as its GRES type
  int memory_mib = 0;           // as nvidia-smi prints the total
  int idle_watts = 0;
  int full_watts = 0;
};

// nullptr: no figures; the caller falls back on the catalogue.
const Hardware* find_hardware(std::string_view key);

}  // namespace tessera::sim
