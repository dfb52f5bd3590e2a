// Two versions of a text as a unified diff that patch(1) takes.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurmconf {

// "" where they are the same. Lines are compared byte for byte; three lines of context. The least number of
// changed lines (Myers), unless more than 2,000 differ: then everything between the first and last of them is
// shown as replaced. A file that is not there has the path "/dev/null".
std::string unified_diff(const File& before, const File& after);

// All files that differ, one after the other. A file only in one of the lists is shown as new or gone.
std::string unified_diff(const std::vector<File>& before, const std::vector<File>& after);

}  // namespace tessera::slurmconf
