// A stand-in for nvidia-mig-parted on the GPUs that the stand-in for nvidia-smi keeps: apply, assert,
// export.
//
// Words, exit codes and messages after mig-parted v0.15.0 without a terminal; hooks, checkpoints and -s are
// not played. Faults of the machine strike "apply" as they strike nvidia-smi's verbs. Threads: as smi.hpp.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backends/sim/smi/smi.hpp"

namespace tessera::sim {

// The configuration file that -f names.
using ReadConfig = std::function<Result<std::string>(const std::string& path)>;

// One call, with the words behind its name. at: for the lines that it logs.
SmiAnswer parted_answer(Machine& machine, const std::vector<std::string>& words, const ReadConfig& read,
                        TimePoint at);
// The same on the machine in a file, with configurations from the disk or, for "-", from standard input.
SmiAnswer parted_answer_from(const std::string& file, const std::vector<std::string>& words, TimePoint at);
// `tessera-sim nvidia-mig-parted --state FILE WORDS…`; file: in place of --state.
SmiAnswer play_parted(const std::string& file, std::vector<std::string> words, TimePoint at);

}  // namespace tessera::sim
