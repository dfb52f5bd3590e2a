// One call of the stand-in: its words, taken apart. Used by smi*.cpp only. Threads: plain values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/smi/machine.hpp"
#include "backends/sim/smi/smi.hpp"

namespace tessera::sim {

struct Call {
  std::string verb;  // "-L" "-q" "--query-gpu" "-mig" "--gpu-reset" "-lgi" "-cgi" "compute-policy" "pmon"
                     // ...; "apply": nvidia-mig-parted's
  std::optional<std::string> which;                // -i
  std::optional<std::string> instances, computes;  // -gi, -ci
  std::string value;                               // of the verb: a list, 0 or 1, fields, a count
  std::string format;                              // --format=
  bool compute = false;                            // -C
  bool xml = false;
};

// Why a call is none, in nvidia-smi's words.
struct Misread {
  std::string words;
  int exit_code = 2;
};
// nullopt: nvidia-smi knows no such call. Words and exit codes as driver 580.159.04 has them.
std::optional<Call> take_apart(const std::vector<std::string>& words, Misread& why);
// Counts the call for every fault that it concerns, and takes spent ones out; the first that strikes.
std::optional<ArmedFault> strike(Machine& machine, const Call& call);
// Acts on the machine in a file, under its lock; what it has become is saved and shown.
SmiAnswer on_machine(const std::string& file, const std::function<SmiAnswer(Machine&)>& act);
// Whether it changes something.
bool changes(const Call& call);

// Acts and lists of `nvidia-smi mig`.
SmiAnswer mig_call(Machine& machine, const Call& call, const std::vector<int>& cards,
                   const ArmedFault* fault);
// -mig, --gpu-reset, -c, -pm, compute-policy.
SmiAnswer board_call(Machine& machine, const Call& call, const std::vector<int>& cards,
                     const ArmedFault* fault);

int code_of(Outcome::Refusal refusal);
std::vector<std::string> list_of(std::string_view text);
std::string lines_of(const std::vector<std::string>& lines);

}  // namespace tessera::sim
