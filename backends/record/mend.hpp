// What a recorder does with the day that it goes on with: only its end is written again, where it tore, and
// nothing that cannot be read is thrown away. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::record {

struct Mended {
  bool foreign = false;  // none of it is a recording: it is not to be written to
  std::optional<std::string>
      whole{};          // to be written in place of it; nullopt: it can be gone on with as it is
  std::string aside{};  // of its end, what cannot be read and is not in `whole`
  std::vector<std::string> damage{};  // in words, oldest first
};

// bytes: of a day's file. look_through: whether frames before the last are decompressed, too, to tell of
// those that are damaged; they stay as they are in any case.
Mended mended(std::string_view bytes, bool look_through);

}  // namespace tessera::record
