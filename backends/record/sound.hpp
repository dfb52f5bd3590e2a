// What can be relied on of a day's frames: when each begins, up to when it counts, and how far its text is
// sound. Who reads a recording goes by these; frames_in() is for who mends one.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/record/zstd_stream.hpp"

namespace tessera::record {

// A frame begins when its lines say so; marks have no checksum. Where the recorder's clock was set back a
// later frame tells the same times again: Frame::until is where that one takes over. Where it was set back
// over midnight, what this day had of the time to come counts no more (Frame::overtaken), and the day before
// tells that it was. Errors: none of it is a recording.
Result<std::vector<Frame>> frames_of_day(std::string_view bytes);

// The text of a frame as far as it is sound and counts.
struct Sound {
  std::string text;               // whole lines; before damage, whole rounds
  std::optional<Error> damage{};  // why there is no more of it, where that is not how a recorder ends
  bool written_again = false;     // what followed is told by a later frame
};
Sound sound_text(std::string_view bytes, const Frame& frame);
// Whether that is a frame at the end of a file of which no line was whole yet.
inline bool is_begun(const Frame& frame, const Sound& sound) {
  return frame.torn && !frame.overtaken && sound.text.empty() && !sound.damage;
}

}  // namespace tessera::record
