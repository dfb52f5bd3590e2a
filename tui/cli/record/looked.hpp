// What `tessera usage` and `tessera waste` have looked at, and how they say where it comes from.
// Threads: the main one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/usage/asking_cost.hpp"
#include "engine/usage/kept_use.hpp"
#include "engine/usage/reckoning.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

using usage::PastSource;

struct Looked : usage::Reckoning {
  std::optional<usage::AskingCost> cost{};  // nullopt: a recording
  bool not_asked = false;                   // Prometheus is there, too
  TimePoint now{};                          // of a recording: until when it was looked at
};

// Whether it is set; what is set for the site's clusters is not asked about a simulated one.
bool has_prometheus(const Options& options, const Joins& joins);

// What --source says; else a recording where one is named, else Prometheus. Errors: two are asked for at
// once, or none is there.
Result<PastSource> source_of(const Options& options, const Joins& joins);

// --since until the newest round of each recording, or until now of what another source keeps.
// keep_on: as for usage::reckon(); what it gives up is an error, but of a recording.
Result<Looked> look(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                    const usage::KeepOn& keep_on = {});

// What several have told, together.
usage::KeptTold told_by(std::span<usage::KeptUse* const> kept);
// Why nothing came of asking Prometheus.
Error nothing_kept(const usage::KeptTold& told);
void add_kept(Json& document, const usage::KeptTold& kept);

// Whether it is known what was held, of some cluster, and what waited.
bool knows_held(const Looked& looked);
bool knows_waiting(const Looked& looked);

// The same words for both commands.
void add_span(Json& document, const Looked& looked);
// Where figures come from, and of how much of the time there are any; a line.
std::string footer(const std::vector<usage::Sum>& sums, const Looked& looked, const Options& options);

}  // namespace tessera::cli
