// What was asked for one job or pod alone, made into statements and ways out: limits with both numbers, its
// place in the queue, and the objects that have a say in whether a pod starts. Internal to this room.
// Threads: pure functions of values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/why/why.hpp"

namespace tessera::why {

// A limit held against what the job asks for of the same thing.
struct Checked {
  const Limit* limit = nullptr;
  std::optional<double> asks;  // nullopt: it is not known how much of it the job asks for
  // Whether it lets the job not start, as the numbers stand; nullopt: the numbers do not say so.
  std::optional<bool> reached;
};
// Those that count: where a QOS sets the same limit, that of an association does not.
std::vector<Checked> check_limits(const Details& details, const Workload& job);
// "QOS normal: MaxTRESPU gres/gpu=8, alice holds 8 and it asks for 2"
std::string sentence_of(const Checked& checked);

// "MaxTRESPU billing of QOS normal"
std::string name_of(const Limit& limit);

// What the details add to the answer: statements, and whom they take from what is not known.
void add_details(Answer& answer, const Workload& workload, const Details* details);
// When a limit that is reached has room by itself, and who can raise it.
std::vector<Remedy> limit_remedies(const Cluster& cluster, const Workload& workload, const Site& site);

// Slurm's own commands that show more or let the job go, by the reason that it gives.
std::vector<Remedy> slurm_remedies(const Cluster& cluster, const Workload& job, const Site& site,
                                   Topic topic);
// What would help a pod against its own words: a taint, a label, a smaller request, a scheduling gate.
std::vector<Remedy> pod_remedies(const Cluster& cluster, const Workload& workload, const Site& site,
                                 const std::vector<Candidates>& nodes);
// Whether the reason is about account and QOS alone, which no node and no GPU mends.
bool is_about_its_owner(std::string_view reason);
// The number of the job that this dependency is on; empty: it is no dependency, or on no one job.
std::string depended_on(const Related& one);

// A command with these words, where a shell takes each without quotes; else empty.
bool is_plain(std::string_view text);
std::string time_of(TimePoint at);
// "job 2" and "pod ml/train": "by the time limit of 2 of root" could be of two of root's jobs.
std::string name_of(const Workload& workload);

}  // namespace tessera::why
