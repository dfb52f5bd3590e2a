// What a run has left on a node, held against what stands there now: whoever changed the node after the run
// is not the run. Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/model/run_news.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::fleet {

enum class Since : std::uint8_t {
  stands,      // as the run left it
  unchanged,   // as the run left it, which is as the run found it: it went back, or had no layout to change
  changed,     // another has changed it since
  unfinished,  // the run has not come to its end there
  untold,      // what stands there, or what the run left, is not known
};

struct Left {
  Since since = Since::untold;
  std::string boards;  // what the run left, where something else stands: "GPU 0,1: 7 × 1g.10gb"
};
// What a GPU has, wherever its instances stand: "7 × 1g.10gb", "empty".
std::string state_text(const plan::BoardState& state);

// run: as its journal says; nullptr: it was not read, or cannot be.
Left left_on(const plan::Run* run, const Node& node);

// Who changed a node last, as far as its newest run tells it: one sentence.
std::string last_sentence(const RunHead& head, const Left& left);

}  // namespace tessera::fleet
