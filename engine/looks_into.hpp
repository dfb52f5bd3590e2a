// What a backend offers that can ask about one job or pod more than its lists hold (why it waits).
//
// Backend::looks_into() gives it (port.hpp), where the backend has it.
// Threads: as Backend; `told` is called on the backend's thread.
#pragma once

#include <functional>

#include "engine/model/details.hpp"

namespace tessera {

class LooksInto {
 public:
  virtual ~LooksInto() = default;
  using LookedInto = std::function<void(Details)>;
  // Asks once, returns at once; what was told moments ago is not asked again. `told` is called at most once,
  // never where the work is not listed, and an event of the backend follows it.
  virtual void look_into(const WorkloadId& id, LookedInto told) = 0;
};

}  // namespace tessera
