// A fault on demand: what goes wrong, at which node, at which action or look, and how often.
//
// Part of a world, so that it strikes whoever acts next on it, and is gone from there once it is used up.
// Looks count for what hides a node or the cluster; everything else counts actions. Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::sim {

enum class TrapKind : std::uint8_t {
  create_stops,   // Insufficient Resources after half of the list is made
  in_use,         // In use by another client
  mode_pends,     // a changed MIG mode waits for a reset, whatever the GPU
  no_device,      // success is reported and nothing was done
  answer_lost,    // the action is done, and its answer is an error
  job_lands,      // a job slips onto the node just before it is closed
  drained_by,     // someone else drains the node
  opened_by,      // someone opens it
  reboots,        // the node reboots, and nobody makes its instances again
  mark_taken,     // another run takes the mark
  dies_before,    // the process that acts is killed before its action...
  dies_after,     // ...or after it
  wedges,         // MIG manager: a GPU client does not leave, and it gives up without a word
  fails,          // ... mig-parted ends with an error
  slow,           // ... all it does takes ten times as long
  manager_down,   // ... its pod ends as it is to act
  reset_in_vain,  // GPUs are reset, and still ask for a reset
  vanishes,       // looks: the cluster does not list the node
  stays_silent,   // looks: the node does not answer
  unreadable,     // looks: the cluster cannot be read
};

struct Trap {
  TrapKind kind = TrapKind::create_stops;
  std::string node;             // empty: any
  std::string verb;             // as plan::word() has it; empty: any that the kind is about
  int nth = 1;                  // the first action or look that it strikes, counted from when it is armed
  std::optional<int> times{1};  // so many in a row; nullopt: always
  friend bool operator==(const Trap&, const Trap&) = default;
};

// "create-stops node=h100-03 nth=2 times=always"; parse_trap() of it is the same trap.
std::string to_text(const Trap& trap);
// Errors say what was expected.
Result<Trap> parse_trap(std::string_view text);
// One line for each kind: its word and what it does.
struct TrapHelp {
  std::string_view word;
  std::string_view what;
};
std::vector<TrapHelp> trap_help();

struct ArmedTrap {
  Trap trap;
  int seen = 0;  // matching actions or looks so far
  friend bool operator==(const ArmedTrap&, const ArmedTrap&) = default;
};

bool counts_looks(TrapKind kind);
// Whether it is about this.
bool concerns(const Trap& trap, std::string_view node, std::string_view verb);
// Whether it strikes at the next matching action or look.
bool due(const ArmedTrap& armed);
// Whether it has struck as often as it was to.
bool spent(const ArmedTrap& armed);

}  // namespace tessera::sim
