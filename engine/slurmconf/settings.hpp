// What a site says about its Slurm in tessera's own settings: who writes the files, how nodes are reached,
// how daemons are restarted. Commands are argument vectors: quotes group words, and no shell ever sees them.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurmconf {

// Texts as they stand in flags, environment and config.yaml; all may be empty.
struct SlurmSettings {
  std::string runner;              // "ssh", "srun", or words with {node}
  std::string files;               // "here", "host:NAME", "site"; empty: here
  std::string restart_controller;  // a command
  std::string restart_node;        // a command with {node}
  std::string stop_clients;        // commands, parted by ";"
  std::string start_clients;
  std::string boot_file;  // an absolute path on the node
  std::string devices;    // "nvml", or GPU=PATTERN,INSTANCE=PATTERN as in SlurmSetup::gpu_file
  std::string mig_tool;   // "nvidia-smi", "nvidia-mig-parted"; empty: nvidia-smi
  std::string boot_unit;  // a unit's name, "nvidia-mig-manager.service"
};

// Errors name the setting ("slurm-runner") in `reason`.
Result<SlurmSetup> slurm_setup_of(const SlurmSettings& settings);

// Words parted by blanks; '…' and "…" group, a backslash outside '…' takes the next byte as it is. Errors: an
// open quote, a control character.
Result<std::vector<std::string>> split_command(std::string_view text);

}  // namespace tessera::slurmconf
