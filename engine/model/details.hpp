// What is asked only of one job or pod, while a user looks at it: limits with what of them is in use, its
// priority part by part, and the objects that have a say in whether it starts.
//
// Each question keeps who was asked, how, and why there is no answer; a question without an answer leaves
// its list empty, which then means nothing. Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera {

// Who is asked.
enum class Teller : std::uint8_t {
  job,
  limits,
  licences,
  priority,
  pod,
  events,
  volumes,
  claims,
  admission,
  qos,
};
std::string_view word(Teller teller);  // "sprio", "events (API)"

struct Inquiry {
  Teller source = Teller::job;
  std::string command;  // as an admin would type it; empty: no one command
  std::optional<Error> failure;
  std::string note;  // it answered, but: records that could not be read
  friend bool operator==(const Inquiry&, const Inquiry&) = default;
};

// A limit of Slurm that counts for this job.
struct Limit {
  enum class Of : std::uint8_t { all, account, user, job, node };
  bool qos = false;      // of a QOS; else of an association
  std::string owner;     // the QOS, or the association's account
  std::string user;      // of an association of one user; empty: of the account
  std::string name;      // as Slurm writes it: "MaxTRESPU", "GrpTRES", "GrpJobs"
  std::string resource;  // "gres/gpu", "cpu"; empty: the name says what is counted
  Of counted =
      Of::all;        // whose use counts: all under the owner, one account's, one user's; each job, each node
  std::string whose;  // the account or user of whose use it counts
  double limit = 0;   // in the resource's own unit: GPUs, CPUs, MiB, jobs, minutes
  std::optional<double> used;      // nullopt: not told, or each job is held against it by itself
  std::string cluster;             // of an association: as Slurm names it; empty: not told
  std::string partition;           // of an association of one partition; else empty
  Teller teller = Teller::limits;  // qos: told without what is in use
  friend bool operator==(const Limit&, const Limit&) = default;
};

// What the job list has of this job and the model does not.
struct JobFacts {
  std::string qos;
  std::optional<Duration> limit;  // how long it may run; nullopt: without bound, or not told
  friend bool operator==(const JobFacts&, const JobFacts&) = default;
};

// A licence that the job asks for.
struct Licence {
  std::string name;  // "matlab", "matlab@server"
  std::int64_t asked = 1;
  std::optional<std::int64_t> total, free;  // nullopt: it is not listed
  bool one_of = false;                      // another that the job names would do
  friend bool operator==(const Licence&, const Licence&) = default;
};

// Parts that Slurm adds up to a priority, weights included.
struct PriorityPart {
  std::string name;  // "age", "fair share"
  std::int64_t points = 0;
  friend bool operator==(const PriorityPart&, const PriorityPart&) = default;
};
struct PriorityTold {
  std::string partition;
  std::int64_t total = 0;
  std::vector<PriorityPart> parts;
  int place = 0, among = 0;  // by priority, of those that wait there; 0: not known
  friend bool operator==(const PriorityTold&, const PriorityTold&) = default;
};

// An object of the cluster that has a say in whether a pod starts, or tells about it.
struct Related {
  Teller source = Teller::pod;
  std::string kind;  // "Event", "PersistentVolumeClaim", "Workload", "PodGroup", "ResourceClaim"
  std::string name;
  std::string state;        // one word: "Pending", "FailedScheduling", "Inadmissible"
  std::string text;         // its own message; cleaned of control characters
  bool in_the_way = false;  // as it stands the pod does not start
  std::int64_t count = 1;   // of an event: how often it was told
  std::optional<TimePoint> at;
  std::string makes_room =
      {};  // the command that raises its quota; empty: it has none, or nothing is missing
  friend bool operator==(const Related&, const Related&) = default;
};

struct Details {
  WorkloadId of;
  TimePoint at{};  // by the cluster's clock
  std::vector<Inquiry> asked;
  std::optional<JobFacts> job;
  std::vector<Limit> limits;
  std::vector<Licence> licences;        // where it waits for them
  std::optional<bool> limits_enforced;  // nullopt: not known
  // Of a limit that the job's QOS and its partition's both set the job's counts; nullopt: not asked, not
  // told.
  std::optional<bool> over_partition;
  std::vector<PriorityTold> priorities;
  std::vector<Related> related;
  friend bool operator==(const Details&, const Details&) = default;
};

}  // namespace tessera
