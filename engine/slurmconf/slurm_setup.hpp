// What a Slurm site's plans are written from: its configuration as text, who may write it, and how its nodes
// are reached.
//
// Read by the backend, used by the step builder (engine/plan/steps/steps_slurm.cpp). Threads: plain values,
// shared as const.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/units.hpp"

namespace tessera::slurmconf {

// A configuration file as it was read.
struct File {
  std::string path;
  std::string text;
  friend bool operator==(const File&, const File&) = default;
};

// Who writes the files that the controller reads.
enum class Writer {
  here,  // this process: they lie in a local folder
  host,  // a config host, reached by the runner
  site,  // the site's own automation: tessera writes a patch and waits until what Slurm runs with matches
};

// How commands reach a node.
enum class Reach { none, ssh, srun, custom };

// What cuts a node's GPUs there.
enum class MigTool {
  nvidia_smi,  // instance by instance, where the plan says
  mig_parted,  // whole GPUs at once, where the driver likes (github.com/NVIDIA/mig-parted v0.15.0)
};

struct SlurmSetup {
  int major = 0, minor = 0;            // of Slurm: 22, 5
  std::vector<File> files;             // slurm.conf first, then what it includes, gres.conf, cgroup.conf, ...
  std::vector<std::string> unapplied;  // nodes with which Slurm runs otherwise than these files say
  std::vector<std::string> in_pods;    // nodes whose slurmd runs in a pod of Kubernetes (Slinky)
  Writer writer = Writer::here;
  std::string config_host;   // Writer::host
  std::string cannot_write;  // Writer::here: why the files cannot be written; empty: they can
  bool configless = false;   // slurmd gets its files from the controller
  Reach reach = Reach::none;
  MigTool mig_tool = MigTool::nvidia_smi;
  std::vector<std::string> runner;              // Reach::custom: argv with {node}; the command follows
  std::vector<std::string> restart_controller;  // argv; empty: the site gave none
  std::vector<std::string> restart_node;        // argv with {node}
  std::vector<std::string> stop_clients;        // run on the node before a re-cut, one shell-free line each
  std::vector<std::string> start_clients;       // ... and after it
  std::string boot_file;  // on the node: where the layout for the next boot is written; empty: none
  std::string boot_unit;  // the systemd unit there that applies it; empty: a hook of the site's, or none
  std::vector<std::string> without_systemd;  // nodes that have no systemctl, as far as they were asked
  Duration look_deadline{30000};             // for a command on a node that only reads
  bool autodetect = false;                   // gres.conf is to say AutoDetect=nvml instead of files
  std::string mig_prefix;                    // before a profile in a GRES type: "a100_" gives "a100_3g.20gb"
  // Where the device files are not NVIDIA's own (links for a test, a container's copies): paths with {node},
  // {gpu}, {gi} (the GPU instance's id) and {index} (counts a node's instances in the order of gres.conf).
  // Empty: /dev/nvidiaN and /dev/nvidia-caps/nvidia-capN.
  std::string
      mig_minors;  // text of a node's /proc/driver/nvidia-caps/mig-minors; the same on all with one driver
  std::string gpu_file;
  std::string instance_file;
  std::optional<std::string> reboot_program;  // as slurmctld runs; empty: none; nullopt: not reported
  bool reconfigure_suffices() const { return major > 23 || (major == 23 && minor >= 11); }
  friend bool operator==(const SlurmSetup&, const SlurmSetup&) = default;
};

}  // namespace tessera::slurmconf
