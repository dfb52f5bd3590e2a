// Where the past is read from. One of them, never several: what two of them tell of one job would be counted
// twice. Threads: plain values.
#pragma once

#include <cstdint>

namespace tessera::usage {

enum class PastSource : std::uint8_t {
  recording,
  accounting,  // of the scheduler: asked on request alone
  prometheus
};

}  // namespace tessera::usage
