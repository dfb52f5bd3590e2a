// A stand-in for nvidia-smi: answers and acts as a driver's tool does, on GPUs that are kept in a file.
//
// It is there so that what runs on a node can be tried where no GPU is: the same words, exit codes, order of
// creation and failures. Exit codes are NVML's numbers of the errors (2 invalid argument, 3 not supported, 6
// not found, 19 in use, 23 insufficient resources; nvidia-smi(1) lists those up to 15); 255 for the rest.
// Threads: used on one thread. Several processes may use one file: each holds its lock while it acts.
#pragma once

#include <string>
#include <vector>

#include "backends/sim/smi/machine.hpp"

namespace tessera::sim {

struct SmiAnswer {
  int exit_code = 0;
  std::string out, err;
  bool hangs = false;  // a fault: the program must not end by itself
};

// One call of nvidia-smi, with the words behind its name.
SmiAnswer answer(Machine& machine, const std::vector<std::string>& words);
// The same on the machine in a file.
SmiAnswer answer_from(const std::string& file, const std::vector<std::string>& words);
// `tessera-sim nvidia-smi …`: makes the file, arms faults, holds slices; behind "--" one call as above.
SmiAnswer play_smi(const std::vector<std::string>& words, const mig::Catalogue& catalogue);

}  // namespace tessera::sim
