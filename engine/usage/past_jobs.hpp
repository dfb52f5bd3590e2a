// Jobs as a scheduler's accounting keeps them. Threads: values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/values.hpp"
#include "engine/usage/accounting_told.hpp"
#include "engine/usage/asking_cost.hpp"

namespace tessera::usage {

// What was measured of one GPU, or slice, over the whole of a job.
struct GpuFigures {
  NodeName node;
  GpuIndex gpu{};
  std::optional<Percent> use;              // mean
  std::optional<Mib> memory_peak, memory;  // the most that was used, and what there was
};

// What Slurm itself gathered of the GPUs of a job: the most of its samples, of all GPUs together, and no
// mean.
struct Gathered {
  bool used = false;                 // in some sample
  bool of_all_steps = true;          // false: of some step nothing was gathered
  std::optional<Mib> memory_peak{};  // nullopt: it had none, or several steps had
  std::int64_t most = 0;             // percent: no GPU was used more in any sample
};

struct PastJob {
  WorkloadId id;                     // a number that stays, of each task of an array its own
  std::string listed_as;             // "2_4", "11+1", as lists of jobs have it; empty: as `id`
  std::string user, account, group;  // group: partition
  std::string state;                 // "COMPLETED", "CANCELLED by 0"
  std::optional<TimePoint> submitted, started, ended;
  std::string nodes;                         // "gpu[01-02]"; empty: none
  std::map<std::string, std::int64_t> gpus;  // held, by type: "h100", "1g.10gb"; "": untyped
  std::vector<GpuFigures> figures;           // once it has ended; empty: none are kept
  std::optional<Gathered> gathered;          // once it has ended
};

// One answer for a stretch of time.
struct PastJobs {
  ClusterName cluster;
  TimePoint from{}, to{};
  std::vector<PastJob> jobs;
  AccountingTold told;
  AskingCost cost;
};

}  // namespace tessera::usage
