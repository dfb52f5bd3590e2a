// `tessera usage --demand`: the most that was needed of each profile at the same time, and of each hour; and
// the same as the planner's demand. Threads: the main one.
#pragma once

#include <optional>
#include <string>

#include "engine/usage/accounting_told.hpp"
#include "engine/usage/asking_cost.hpp"
#include "engine/usage/demand.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

struct LookedDemand {
  usage::DemandOverTime demand;
  TimePoint from{}, to{};                           // the first and the last round
  std::optional<usage::AccountingTold> accounting;  // nullopt: a recording
  usage::AskingCost cost{};                         // of an accounting
};

// What was recorded within `span` until the newest round of each recording that --cluster names; group: of
// one partition or namespace, empty: all. Errors: nothing is recorded of that time.
Result<LookedDemand> look_at_demand(const Options& options, const Joins& joins, Duration span,
                                    const std::string& group);

int run_demand(const Options& options, const Joins& joins, const Streams& streams);

}  // namespace tessera::cli
