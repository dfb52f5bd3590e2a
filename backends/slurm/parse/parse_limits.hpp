// What `scontrol show assoc_mgr flags=users,assoc,qos` prints of the limits that count for one job, each with
// what of it is in use, and what `sprio` prints of a job's priority.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/details.hpp"

namespace tessera::slurm {

// Of whom the limits are read.
struct LimitsOf {
  std::string user, account;
  std::string partition;         // an association may be for one alone
  std::vector<std::string> qos;  // the job's, and its partition's
};
struct LimitsRead {
  std::vector<Limit> limits;
  std::vector<std::string> missing;  // what the answer should hold, and does not: "the association of …"
  bool qos_missing = false;          // a QOS is among that
};
// An error where the text is no such answer, or is cut off.
Result<LimitsRead> parse_limits(std::string_view text, const LimitsOf& of);

// What `sacctmgr -n -P show qos` prints of these columns: the same limits without what of them is in use, and
// flags that slurmctld does not list. Memory, which has units there, is left out.
inline constexpr std::string_view kQosColumns =
    "Name,Flags,GrpJobs,GrpWall,GrpTRES,GrpTRESMins,GrpTRESRunMins,MaxTRES,MaxTRESPerNode,MaxTRESMins,"
    "MaxWall,"
    "MaxTRESPU,MaxJobsPU,MaxTRESPA,MaxJobsPA,MinTRES";
struct QosTold {
  std::string name;
  bool over_partition = false;  // OverPartQOS
  std::vector<Limit> limits;
};
// An error where it is no such answer. An empty text: none of them is there, or they are hidden.
Result<std::vector<QosTold>> parse_qos(std::string_view text, const std::string& user,
                                       const std::string& account);

// The columns that sprio is asked for, so that the order is known.
inline constexpr std::string_view kPriorityColumns = "%i|%r|%Y|%S|%A|%B|%F|%J|%P|%Q|%N|%T";
// Those of one job, one for each partition in which it waits, with its place among all jobs of the answer
// that wait there. An error where it is no such answer. job: its number.
Result<std::vector<PriorityTold>> parse_priorities(std::string_view text, const std::string& job);

}  // namespace tessera::slurm
