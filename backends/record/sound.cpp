#include "backends/record/sound.hpp"

#include <algorithm>
#include <utility>

#include "backends/record/reader.hpp"

namespace tessera::record {
namespace {

// From the last line on that begins as the one at `begin`.
std::size_t begin_of_last(std::string_view text) {
  const std::size_t before = text.size() < 2 ? std::string_view::npos : text.rfind('\n', text.size() - 2);
  return before == std::string_view::npos ? 0 : before + 1;
}

// Of a round that spans several blocks only the first ones may be there.
void drop_last_round(std::string& text) {
  const auto time_of = [&](std::size_t begin) {
    return Reader::time_of(std::string_view(text).substr(begin));
  };
  if (text.empty()) return;
  for (const auto last = time_of(begin_of_last(text)); !text.empty();) {
    const std::size_t begin = begin_of_last(text);
    if (time_of(begin) != last) return;
    text.resize(begin);
  }
}

// Lines of a time from which on another frame tells; whether there were later ones. Times of a frame never
// run backwards.
bool cut_from(TimePoint until, std::string& text) {
  if (until == TimePoint::max() || text.empty()) return false;
  const auto last = Reader::time_of(std::string_view(text).substr(begin_of_last(text)));
  if (!last || *last < until) return false;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    if (const auto time = Reader::time_of(std::string_view(text).substr(at)); time && *time >= until) {
      text.resize(at);
      break;
    }
  return *last > until;
}

Sound before_damage(std::string_view bytes, const Frame& frame, Error why) {
  Salvaged read = salvage(bytes, frame);
  // Its checksum is wrong, and which of its blocks is, no one can tell.
  if (read.wrong.empty() && read.lost == 0) return {"", std::move(why)};
  if (read.cut > 0) drop_last_round(read.text);
  return {std::move(read.text), std::move(why)};
}

// A kill and a power cut leave less, or room that was never written to. Anything else is damage.
Sound before_end(std::string_view bytes, const Frame& frame) {
  Salvaged read = salvage(bytes, frame);
  const bool odd = !read.wrong.empty() && !holds_nothing(lost_of(bytes, frame, read));
  if (!odd) return {std::move(read.text)};
  return {std::move(read.text), Error{"cannot read the recording", read.wrong, ""}};
}

Sound readable(std::string_view bytes, const Frame& frame) {
  const auto broken = [](const std::string& why) { return Error{"cannot read the recording", why, ""}; };
  // Torn in its mark, or bytes that are no frame.
  if (frame.data >= frame.end)
    return {"", frame.damage.empty() ? std::nullopt : std::optional(broken(frame.damage))};
  if (!frame.damage.empty()) return before_damage(bytes, frame, broken(frame.damage));
  if (frame.torn) return before_end(bytes, frame);
  auto text = text_of(bytes, frame);
  if (text) return {std::move(*text)};
  return before_damage(bytes, frame, text.error());
}

// The time to which the clock was set back before the frame began, in a day before; max: it was not.
TimePoint set_back_to(std::string_view first_line, const Frame& frame) {
  if (first_line.find("\"set_back_to\"") == std::string_view::npos) return TimePoint::max();
  Reader reader;
  std::vector<Event> none;
  if (!reader.take(first_line, none)) return TimePoint::max();
  const auto to = reader.head().set_back_to;
  return to && *to < frame.at ? *to : TimePoint::max();
}

}  // namespace

Result<std::vector<Frame>> frames_of_day(std::string_view bytes) {
  auto frames = frames_in(bytes);
  if (!frames) return frames;
  std::vector<std::string> begins;  // the first line of each
  for (const Frame& frame : *frames) begins.push_back(first_line_of(bytes, frame));
  std::vector<bool> certain(frames->size());  // when it begins: its mark and its lines agree
  TimePoint before{};
  for (std::size_t i = 0; i < frames->size(); ++i) {
    Frame& frame = (*frames)[i];
    const auto told = first_time_of(begins[i]);
    certain[i] = told && *told == frame.at && !frame.unmarked;
    if (certain[i]) {
      before = frame.at;
      continue;
    }
    // One of the two is damaged: that which is in its place counts, else the place alone.
    const auto next = i + 1 < frames->size() ? first_time_of(begins[i + 1]) : std::nullopt;
    const auto fits = [&](TimePoint at) { return at >= before && (!next || at <= *next); };
    const TimePoint marked = frame.at;
    if (told && fits(*told))
      frame.at = *told;
    else
      frame.at = fits(marked) ? marked : before;
    before = frame.at;
  }
  TimePoint again = TimePoint::max(), set_back = TimePoint::max();
  for (std::size_t i = frames->size(); i-- > 0;) {
    Frame& frame = (*frames)[i];
    frame.until = again;
    frame.overtaken = frame.at >= set_back;
    if (!certain[i]) continue;
    again = std::min(again, frame.at);
    set_back = std::min(set_back, set_back_to(begins[i], frame));
  }
  return frames;
}

Sound sound_text(std::string_view bytes, const Frame& frame) {
  if (frame.overtaken) return {};
  Sound sound = readable(bytes, frame);
  sound.written_again = cut_from(frame.until, sound.text);
  if (sound.written_again) sound.damage.reset();
  return sound;
}

}  // namespace tessera::record
