// `tessera usage --demand`: the most that was needed of each profile at the same time, and of each hour; and
// the same as the planner's demand. Threads: the main one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/usage/accounting_told.hpp"
#include "engine/usage/asking_cost.hpp"
#include "engine/usage/demand.hpp"
#include "engine/usage/kept_use.hpp"
#include "engine/usage/reckoning.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

struct LookedDemand {
  usage::DemandOverTime demand;
  TimePoint from{}, to{};                           // the first and the last round
  std::optional<usage::AccountingTold> accounting;  // nullopt: a recording
  usage::AskingCost cost{};                         // of an accounting
  usage::Gaps gaps{};                               // of a recording
  std::optional<usage::KeptTold> kept{};            // nullopt: it is not Prometheus
  TimePoint now{};                                  // of a recording: until when it was looked at
};

// What the source of source_of() tells of `span` until the newest round of each recording that --cluster
// names, or until now; group: of one partition or namespace, empty: all. With --right-sized the source is
// read twice: for what would have done, and for what was needed. Errors: it tells nothing of that time, or
// not of that group.
Result<LookedDemand> look_at_demand(const Options& options, const mig::Catalogue& catalogue,
                                    const Joins& joins, Duration span, const std::string& group);
// "recording", "accounting" or "prometheus".
std::string source_word(const LookedDemand& looked);
// What stands above what was needed of `asked`: sentences, in English.
std::vector<std::string> history_words(const LookedDemand& looked, Duration asked);
// What its source does not tell; empty: a recording tells both what was held and what waited.
std::string untold_words(const LookedDemand& looked);
// As which profiles what was held counts, and how many jobs and pods as smaller ones; for a document: null
// where everything counts as it was held.
std::string sizes_words(const LookedDemand& looked);
Json right_sized_json(const LookedDemand& looked);

int run_demand(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams);

}  // namespace tessera::cli
