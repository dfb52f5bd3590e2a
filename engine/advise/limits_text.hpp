// How much of what runs and waits has a time limit, by which the advice knows when it ends: for both front
// ends. Threads: pure functions.
#pragma once

#include <string>

#include "engine/advise/advise.hpp"

namespace tessera::advise {

std::string limits_text(const Known& known);

}  // namespace tessera::advise
