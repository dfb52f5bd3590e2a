#include "engine/plan/run/onward.hpp"

#include <fmt/format.h>

namespace tessera::plan {

std::optional<Error> why_not_undone(const RunHead& head) {
  const std::string what = "cannot undo " + head.run;
  switch (head.state) {
    case RunState::finished: return std::nullopt;
    case RunState::running:
      return Error{what, fmt::format("it is under way, driven by {} from {}", head.who, head.from),
                   "stop it there first"};
    case RunState::parked:
    case RunState::interrupted:
      return Error{what, "it has not ended: " + head.why, "tessera resume " + head.run + " --back"};
    case RunState::marked:
      return Error{what, "its journal is not here but with " + head.who + " on " + head.from,
                   "undo it there, or share one folder of journals with --runs"};
    case RunState::unreadable: return Error{what, head.why, ""};
  }
  return std::nullopt;
}

std::optional<Error> why_not_resumed(const RunHead& head) {
  const std::string what = "cannot resume " + head.run;
  switch (head.state) {
    case RunState::parked:
    case RunState::interrupted: return std::nullopt;
    case RunState::finished:
      return Error{what, "it has ended: " + head.why, "tessera undo " + head.run + " reverts it"};
    case RunState::running:
      return Error{what, fmt::format("it is under way, driven by {} from {}", head.who, head.from), ""};
    case RunState::marked:
      return Error{what, "its journal is not here but with " + head.who + " on " + head.from,
                   "resume it there, or share one folder of journals with --runs"};
    case RunState::unreadable: return Error{what, head.why, ""};
  }
  return std::nullopt;
}

}  // namespace tessera::plan
