#include "backends/record/mend.hpp"

#include <utility>

#include "backends/json.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

// Up to the first line that is no JSON: bytes that are not sound may decompress to anything.
std::string_view sound_lines(std::string_view text) {
  JsonDocument json;
  std::size_t end = 0;
  while (end < text.size()) {
    const std::string_view line = text.substr(end, text.find('\n', end) - end);
    bool object = false;
    const Status read =
        json.read(line, [&](JsonValue& root) { object = root.fields([](std::string_view, JsonValue&) {}); });
    if (!read || !object) break;
    end += line.size() + 1;
  }
  return text.substr(0, end);
}

void tell_frame(std::string_view bytes, const Frame& frame, std::vector<std::string>& damage) {
  const std::string of = "the frame of " + utc_text(frame.at);
  if (frame.unmarked && frame.damage.empty())
    damage.push_back("the mark before " + of + " is damaged; it can be read all the same");
  else if (const auto text = text_of(bytes, frame); !text)
    damage.push_back((frame.unmarked ? "behind " : "") + of + ": " + clean(text.error().reason, 200) +
                     "; it is left as it is, and frames behind it can be read");
}

// The text of the last frame in a frame that is ended.
void write_again(std::string_view bytes, const Frame& last, Mended& found) {
  const Salvaged read = salvage(bytes, last);
  const std::string_view text = sound_lines(read.text);
  found.whole = bytes.substr(0, last.begin);
  if (!text.empty()) {
    Compressor again;
    *found.whole += again.begin(last.at);
    *found.whole += again.end(text);
  }
  // A kill leaves half a mark and nothing behind it: of that nothing is lost, and nothing written again.
  if (last.unmarked && last.data < last.end)
    found.damage.push_back("the mark before its last frame is damaged; it is written again");
  const bool odd = text.size() < read.text.size();
  if (read.lost == 0 && read.wrong.empty() && !odd) return;
  if (odd || read.lost == 0 || !holds_nothing(lost_of(bytes, last, read)))
    found.aside = bytes.substr(last.begin);
  std::string told = std::to_string(read.lost) + " bytes at its end cannot be read";
  if (!read.wrong.empty()) told += ": " + clean(read.wrong, 200);
  if (odd) told += ": a line is not as tessera writes it";
  found.damage.push_back(std::move(told));
}

}  // namespace

Mended mended(std::string_view bytes, bool look_through) {
  Mended found;
  if (bytes.empty()) return found;
  const auto frames = frames_in(bytes);
  if (!frames) {
    // No more than a mark was written, or nothing but room.
    found.foreign = !begins_mark(bytes) && !holds_nothing(bytes);
    found.damage.push_back(clean(frames.error().reason, 200));
    if (!found.foreign) found.whole = std::string();
    return found;
  }
  const Frame& last = frames->back();
  const bool stray = last.unmarked && !last.damage.empty();
  for (const Frame& frame : *frames) {
    const bool is_last = &frame == &last;
    if (is_last ? !last.torn && !stray : look_through) tell_frame(bytes, frame, found.damage);
  }
  if (last.torn) {
    write_again(bytes, last, found);
  } else if (stray) {
    const std::string_view behind = bytes.substr(last.begin);
    found.whole = bytes.substr(0, last.begin);
    if (!holds_nothing(behind)) found.aside = behind;
    found.damage.push_back(std::to_string(behind.size()) + " bytes at its end are no recording");
  }
  return found;
}

}  // namespace tessera::record
