// What a recording of two days comes to, for the screens that show it: made by hand, one of each kind.
// Threads: a plain value.
#pragma once

#include <memory>

#include "engine/time.hpp"
#include "engine/usage/exceptions.hpp"
#include "engine/usage/reckoning.hpp"

namespace tessera::test {

inline std::shared_ptr<const usage::Reckoning> reckoned() {
  using usage::By;
  usage::Reckoning all;
  all.from = *parse_utc("2026-11-19T08:05:00Z");
  all.to = *parse_utc("2026-11-21T08:05:00Z");
  all.hours = 47.5;
  all.unplaced = 3.25;
  const ClusterName hpc("hpc");
  usage::Sum alice{hpc, "alice", 120.5, 964, 118, 91.4, 100.0, Mib{70'000}, 2.5, 12};
  usage::Sum bob{hpc, "bob", 30, 60, 20, 12.0, 45.0, Mib{4'000}, 15, 0};
  usage::Sum unknown{hpc, "", 4, 0, 0, std::nullopt, std::nullopt, std::nullopt, 0, 0};
  all.sums[By::user] = {alice, bob, unknown};
  for (const By by : {By::account, By::group, By::profile}) all.sums[by] = {alice};
  all.sums[By::node] = {{hpc, "n0007", 154.5, 1024, 138, 80.0, 100.0, Mib{70'000}, 17.5, 0}};
  all.sums[By::workload] = {{hpc, "88123", 48, 384, 48, 95.0, 100.0, Mib{70'000}, 0, 0},
                            {hpc, "80001", 12, 96, 12, 5.0, 20.0, Mib{900}, 11, 0}};
  all.waste = {{hpc, "unasked", "", "", "", "1g.10gb", 95.0, std::nullopt,
                "free for 9.5 days, and no waiting job or pod asks for it"},
               {hpc, "parked", "bob", "80001", "n0007", "3g.40gb", 44.0, 11.0, "memory kept, no use"},
               {hpc, "idle", "alice", "88123", "n0007", "1g.10gb", 8.5, 8.5, "no use"},
               {ClusterName(), "stranded", "", "", "", "", 6.0, std::nullopt,
                "no further instance fits there: tessera layouts, or the editor (L)"},
               {hpc, "too-big", "alice", "88124", "n0031", "3g.40gb", 3.0, 1.0,
                "1g.10gb would do: use stayed below 20 %, memory below 900 MiB"},
               {hpc, "rogue", "", "", "n0042", "whole", 2.0, 0.25,
                "used by no job or pod that is known, up to 60 % and 30000 MiB: nvidia-smi there lists its "
                "processes (GPU 3)"},
               {hpc, "idle", "bob", "80002", "n0099", "shard", std::nullopt, 2.0, "no use"}};
  all.asked.except = *usage::exceptions_of("user=ci | partition=interactive");
  all.left_out = {{hpc, "idle", "ci", "70001", "n0031", "1g.10gb", 12.0, 12.0, "no use"}};
  all.not_known = {{ClusterName("hpc2"), "unasked", "1.0 h of 7.0 days are recorded and looked at"}};
  return std::make_shared<const usage::Reckoning>(std::move(all));
}

}  // namespace tessera::test
