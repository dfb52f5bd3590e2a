// From what a Slurm command left behind to an error that an admin can act on: Slurm's own words as the
// reason, and the next step as the hint.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/process.hpp"
#include "backends/slurm/parse/parsed.hpp"

namespace tessera::slurm {

inline constexpr std::string_view kAnotherProgram =
    "look at what scontrol prints here: a wrapper, or another program of that name?";

// what: "cannot list the nodes". nullopt: the command did what it should.
std::optional<Error> explain(std::string what, const Outcome& outcome, Duration deadline);

// Why the text of a list that came with status 0 cannot be believed: there is none, it is cut off (scontrol
// ends every line), or no record of it could be read. Slurm's own "No jobs in the system" is a list.
std::optional<Error> distrust(std::string what, std::string_view text);
template <class Value>
std::optional<Error> distrust(std::string what, std::string_view text, const Parsed<Value>& parsed) {
  if (auto error = distrust(what, text)) return error;
  if (parsed.given_up) return Error{std::move(what), note_of(parsed), ""};
  if (!parsed.values.empty() || !parsed.incomplete) return std::nullopt;
  return Error{std::move(what), "scontrol's answer is no such list: " + note_of(parsed),
               std::string(kAnotherProgram)};
}

}  // namespace tessera::slurm
