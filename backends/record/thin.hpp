// A day of a recording with fewer figures: use, heat and power of each node are kept so far apart, all other
// lines stay as they are. What usage and waste are summed up from keeps its own time, too: whether something
// is used at all, its memory, and figures that came or went.
// Threads: no shared state.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::record {

struct ThinTo {
  Duration every{};
  std::string tessera;            // the version that does it
  std::function<bool()> keep_on;  // asked in each round; false: give up
};

// The bytes of a file → those of the thinner one, which were read back and compared. nullopt: it is as thin
// already, holds nothing, or was given up. Errors: it cannot be read, or is of a version that is not known.
Result<std::optional<std::string>> thinner(std::string_view bytes, const ThinTo& to);

// Of a day whose end a kill cut off: its last frame, of which so many bytes cannot be read and stand in no
// thinner day. They may be whole blocks behind one whose length is damaged, which a person might get out.
// Empty: there are none.
struct LostEnd {
  std::string_view frame{};
  std::size_t bytes = 0;
};
LostEnd lost_end_of(std::string_view bytes);

}  // namespace tessera::record
