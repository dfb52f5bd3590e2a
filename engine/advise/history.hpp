// What was needed at the same time in the past, held against what layouts offer: GPU-hours for which there
// was no room, and those that would have fitted.
//
// Needed are instances that were held and those for which work waited for room. Waiting counts for as long as
// it lasted, so that these are hours of demand and not of computing. Threads: plain values, pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/usage/demand.hpp"

namespace tessera::advise {

struct PastProfile {
  std::string profile;  // "whole": GPUs that are not cut
  int peak = 0;
  int p95 = 0;                         // in 95 % of the recorded hours no more were needed
  int has = 0;                         // of the cluster, now
  std::optional<double> without_room;  // GPU-hours for which it has too few; nullopt: no product has it now
};

class History {
 public:
  // past: of one cluster. now: whose GPUs tell what part of one a profile is.
  History(const usage::DemandOverTime& past, const Cluster& now, const mig::Catalogue& catalogue);

  // By profile, in the order of their names.
  const std::vector<PastProfile>& profiles() const { return profiles_; }
  // GPU-hours that would have fitted with so many of them; nullopt: it is not known what part of a GPU it is.
  std::optional<double> fitted(const std::string& profile, int count) const;

 private:
  struct Spread {
    std::map<int, double> hours;  // by how many were needed
    std::optional<double> part;   // of a GPU
  };
  std::map<std::string, Spread> spreads_;
  std::vector<PastProfile> profiles_;
};

// How many of each profile a cluster has, held or not; "whole": GPUs that are not cut.
std::map<std::string, int> profiles_of(const Cluster& cluster);

}  // namespace tessera::advise
