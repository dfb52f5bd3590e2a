// What slurm.conf and gres.conf must say about a node that is cut and shared in a given way.
//
// gres.conf(5) 22.05 and 24.11: one record a device; MIG instances are gpu records of their own type, by
// MultipleFiles= (since 20.11) or AutoDetect=nvml. Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/values.hpp"
#include "engine/slurmconf/edit.hpp"

namespace tessera::slurmconf {

struct CutInstance {
  ProfileName profile;
  Placement at;
  std::optional<int> id;  // of the GPU instance; nullopt: the usual one for its place (minors.hpp)
};

struct CutBoard {
  GpuIndex gpu;
  std::optional<int> minor;  // N of /dev/nvidiaN; nullopt: as its index
  std::string type;          // of a whole GPU, in the site's words: "h100"; empty: none
  std::string cores;         // Cores= of its records: "0-31"; empty: none
  bool mig = false;
  int units = 0;                       // placement units of the product, for usual ids
  std::vector<CutInstance> instances;  // mig; in placement order
  int mps = 0;                         // shares by MPS: 100 or a multiple of it; 0: none
  int shards = 0;                      // jobs that may share it without any wall; 0: none
};

struct CutNode {
  std::string node;
  std::vector<CutBoard> boards;  // in the order of their indices
};

// For slurmconf::set_node. GPUs alike share a line. Records come in the order of the GPUs, instances in
// that of their placements, so that Slurm's IDX of the node's gpu records counts the same way; equal profiles
// of a GPU that lie apart share a line only where this order allows it.
// Errors: MPS and shards on one node (Slurm 22.05 to 24.11 hands them out wrong), either on a cut GPU, an
// instance whose device files are not known.
Result<Wanted> generate(const CutNode& node, const SlurmSetup& site);

// Fills in what the GPUs do not say from the node's present lines in gres.conf: the type of a whole GPU and
// the Cores= of a GPU, found by its device file or by its instances' own (SlurmSetup::instance_file with
// {gpu}). What is not found there stays as it is.
void take_over(CutNode& node, const Files& files, const SlurmSetup& site);
// Whether the node's GPUs have different Cores=, and SlurmSetup::instance_file does not tell on which GPU an
// instance lies: then a cut would lose them.
bool loses_cores(std::string_view node, const Files& files, const SlurmSetup& site);

// "gpu:1g.10gb:7,gpu:3g.40gb:2,mps:200" for slurm.conf; "" where nothing is on offer.
std::string gres_text(const CutNode& node, const SlurmSetup& site);
// "a100_3g.20gb": as SlurmSetup::mig_prefix has it.
std::string type_of(const ProfileName& profile, const SlurmSetup& site);

// Scripts for a site's Prolog, TaskProlog and Epilog, and for a job of its own; bash, to be looked at first.
struct MpsScripts {
  std::string prolog;       // starts one MPS daemon a node for jobs with gres/mps
  std::string task_prolog;  // tells the job where it listens
  std::string epilog;       // ends it after the last such job
  std::string job;          // in a job that has whole GPUs: a daemon of its own, ended with the job
};
// `folder`: on the node, in memory, owned by root: "/run/tessera-mps".
MpsScripts mps_scripts(std::string_view folder);

}  // namespace tessera::slurmconf
