// Jobs as a scheduler's accounting keeps them. Threads: values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/values.hpp"
#include "engine/usage/accounting_told.hpp"

namespace tessera::usage {

struct PastJob {
  WorkloadId id;
  std::string user, account, group;  // group: partition
  std::string state;                 // "COMPLETED", "CANCELLED by 0"
  std::optional<TimePoint> submitted, started, ended;
  std::string nodes;                         // "gpu[01-02]"; empty: none
  std::map<std::string, std::int64_t> gpus;  // held, by type: "h100", "1g.10gb"; "": untyped
};

// One answer for a stretch of time.
struct PastJobs {
  ClusterName cluster;
  TimePoint from{}, to{};
  std::vector<PastJob> jobs;
  AccountingTold told;
};

}  // namespace tessera::usage
