// What a backend offers that can ask about one job or pod more than its lists hold (why it waits).
//
// Beside Backend (port.hpp), for those backends that have it: whoever holds a Backend asks by dynamic_cast.
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
