// A recording until a time of it, whatever came after. Threads: as the recording has it.
#pragma once

#include <memory>

#include "engine/record/recording.hpp"

namespace tessera::record {

std::unique_ptr<Recording> until(std::unique_ptr<Recording> whole, TimePoint end);

}  // namespace tessera::record
