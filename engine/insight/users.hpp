// Who holds and waits for how much, in every cluster.
// Threads: pure functions of values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::insight {

// A slice below this is idle, in percent: what a driver's own housekeeping may show.
inline constexpr float kIdleBelow = 1;

// Whose work is summed up: a user's, or an account's; on Kubernetes a namespace is one.
enum class SumBy : std::uint8_t { user, account };

// One user or one account of one cluster.
struct UserSum {
  ClusterName cluster;
  Scheduler scheduler = Scheduler::slurm;
  std::string user;                // empty: the scheduler does not tell, or it is an account
  std::string account;             // of an account: its name; empty: the scheduler does not tell
  std::set<std::string> accounts;  // of a user: Slurm's; on Kubernetes the namespaces
  std::set<std::string> users;     // of an account: those who hold or wait for some
  int running = 0, waiting = 0;    // workloads that run and hold GPUs, and that wait for some
  int suspended = 0;               // that do not run, and hold GPUs
  double gpus = 0;                 // GPUs' worth that is held, of the workloads for which it is known
  int unknown = 0;                 // workloads that hold GPUs of which it is not known how much
  // What is held, by its name and the family that it is counted in: "3g.40gb" 2, "MPS" 100. Never added up.
  std::map<std::string, int> holds;
  std::map<std::string, std::int64_t> asks;  // of what waits, in the scheduler's words
  std::vector<WorkloadId> work;              // those counted above, what runs first; at most kMostWork
  static constexpr std::size_t kMostWork = 100;
  int measured = 0, idle = 0;  // held slices with a figure of their use, and those below kIdleBelow
};

// The user's or the account's; empty: the scheduler does not tell.
inline const std::string& name_of(const UserSum& sum) { return sum.user.empty() ? sum.account : sum.user; }

// What a user holds, named as people read it on that cluster.
std::map<std::string, int> held_in_words(const UserSum& sum);

// Those who hold most first; users and accounts that neither hold nor wait for GPUs are left out.
std::vector<UserSum> users_of(const Model& model, const mig::Catalogue& catalogue, SumBy by = SumBy::user);

}  // namespace tessera::insight
