// What was needed at the same time in the past as a demand for the planner.
// Threads: pure function.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/pack/problem.hpp"
#include "engine/usage/demand.hpp"

namespace tessera::pack {

struct PastNeed {
  ProfileName profile;
  int peak = 0;
  TimePoint at{};
  int held_now = 0;
};

// The hour in which most was needed, by the parts of a GPU; of each profile the most in it.
struct BusiestHour {
  TimePoint hour{};  // its beginning
  std::vector<std::pair<ProfileName, int>> needs;
};

struct PastDemand {
  std::vector<Demand> demand;  // by profile, in the order of their names
  std::vector<PastNeed> needs;
  // Where the peaks are of different hours: in none all of `needs` was needed. nullopt: in one it may have
  // been.
  std::optional<BusiestHour> busiest;
  int whole = 0;     // the most GPUs that are not cut, where they are no part of the demand
  int unplaced = 0;  // the most that were held without it being known which
  double hours = 0;  // that are recorded
  TimePoint from{}, to{};
};

// "3 × 1g.10gb, 1 × 3g.40gb"
std::string needs_text(const BusiestHour& busiest);

// The planner counts instances that are free afterwards: of each peak, those that are not held now. Whole
// GPUs count where whole_is_one_kind(). group: as the past was summed up, of one partition or namespace.
PastDemand demand_of_past(const usage::DemandOverTime& past, const Cluster& now, const std::string& group,
                          const mig::Catalogue& catalogue);

// What the demand tells of the past and does not ask for, and what each peak was: a sentence each.
std::vector<std::string> past_text(const PastDemand& past);

}  // namespace tessera::pack
