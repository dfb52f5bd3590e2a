// A command of the site's that is fed a text and waited for: how owners of GPUs are written to.
//
// No shell, a deadline of half a minute, little output. It is not ended with us: a mail is sent or not.
// Threads: blocks the calling thread.
#pragma once

#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera {

inline constexpr Duration kFedCommand{30000};

// Errors: it could not be started, did not end in time, or ended with another code than 0; `reason` has its
// last words.
Status run_fed(const std::vector<std::string>& argv, const std::string& input,
               Duration deadline = kFedCommand);

}  // namespace tessera
