#include "backends/record/thin.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "backends/record/reader.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/record/json_out.hpp"
#include "engine/record/recorder.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

Error cannot(std::string reason) { return {"cannot thin the recording", std::move(reason), ""}; }

struct OfRound {
  TimePoint at{};
  std::vector<std::string_view> lines;
};

Result<std::vector<OfRound>> rounds_of(std::string_view text) {
  std::vector<OfRound> rounds;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty()) continue;
    const auto at = Reader::time_of(line);
    if (!at || Reader::kind_of(line).empty())
      return cannot("a line is not as tessera writes it: " + clean(line.substr(0, 80), 100));
    if (rounds.empty() || rounds.back().at != *at) rounds.push_back({*at, {}});
    rounds.back().lines.push_back(line);
  }
  return rounds;
}

// One frame after the other: each stands alone.
class Thinning {
 public:
  explicit Thinning(const ThinTo& to) : to_(to) {}

  // next: when the frame behind it begins. nullopt: given up.
  Result<std::optional<std::string>> frame(std::string_view text, std::optional<TimePoint> next) {
    auto rounds = rounds_of(text);
    if (!rounds) return rounds.error();
    recorder_.forget_figures();
    std::string out;
    std::optional<TimePoint> kept;
    for (std::size_t i = 0; i < rounds->size(); ++i) {
      if (to_.keep_on && !to_.keep_on()) return std::optional<std::string>();
      const OfRound& round = (*rounds)[i];
      std::string_view end;  // of the recorder: the last of its lines, behind the figures that follow here
      for (std::string_view line : round.lines) {
        if (Reader::kind_of(line) == "end")
          end = line;
        else if (Status passed = pass(line, out); !passed)
          return passed.error();
      }
      const std::optional<TimePoint> then = i + 1 < rounds->size() ? (*rounds)[i + 1].at : next;
      // Never farther apart than wished, however the rounds lie.
      const bool all = !kept || !then || *then - *kept > to_.every;
      if (all) kept = round.at;
      // Figures count from when they were measured, which may be minutes before their round.
      const auto stale_at = then ? std::optional(*then - to_.every) : std::nullopt;
      out += recorder_.figures_again(reader_.nodes(), round.at, all, stale_at);
      if (!end.empty()) (out += end) += '\n';
    }
    return std::optional(std::move(out));
  }

 private:
  Status pass(std::string_view line, std::string& out) {
    const std::string_view kind = Reader::kind_of(line);
    // The rest needs no reading.
    if (Reader::is_of_nodes(kind)) {
      events_.clear();
      if (Status read = reader_.take(line, events_); !read) return read;
      // A node that is told otherwise has other lines: its figures are told once more with it.
      for (const Event& event : events_)
        if (const auto* seen = std::get_if<NodeSeen>(&event.what))
          recorder_.forget_figures(seen->node.name.text);
    }
    if (kind == "figures") return Done{};
    if (kind == "key")
      put_head(out);
    else
      (out += line) += '\n';
    return Done{};
  }

  void put_head(std::string& out) const {
    Head head = reader_.head();
    head.version = kVersion;
    head.tessera = to_.tessera;
    head.figures = to_.every / std::chrono::seconds(1);
    out += "{\"at\":";
    put_text(out, utc_text(reader_.at()));
    out += ",\"kind\":\"key\",\"head\":";
    put(out, head);
    out += "}\n";
  }

  const ThinTo& to_;
  Reader reader_;
  Recorder recorder_{Wanted{}};
  std::vector<Event> events_;
};

// Whether the first frame says that it is as thin already.
Result<bool> is_thin(std::string_view text, const ThinTo& to) {
  Reader reader;
  std::vector<Event> events;
  if (Status read = reader.take(text.substr(0, text.find('\n')), events); !read) return read.error();
  return reader.head().figures >= to.every / std::chrono::seconds(1);
}

// What cannot be read might still be got out by a person: it is not thinned away.
Status is_sound(std::string_view bytes, const Frame& frame) {
  if (!frame.damage.empty()) return cannot(frame.damage);
  if (frame.unmarked && frame.data < frame.end) return cannot("the mark of a frame is damaged");
  if (!frame.torn) return Done{};
  // A block that is not whole is what a kill leaves, or one whose length is damaged: lost_end_of() has it.
  const Salvaged read = salvage(bytes, frame);
  const bool ends = read.wrong.empty() || holds_nothing(lost_of(bytes, frame, read));
  return ends ? Status(Done{}) : Status(cannot(read.wrong));
}

// What was written is what was meant: the day that it takes the place of is gone for good.
Status check(std::string_view bytes, const std::string& text) {
  const auto frames = frames_in(bytes);
  if (!frames || frames->size() != 1 || frames->front().torn)
    return cannot("what was written cannot be read back");
  const auto read = text_of(bytes, frames->front());
  if (!read || *read != text) return cannot("what was written cannot be read back");
  return Done{};
}

}  // namespace

LostEnd lost_end_of(std::string_view bytes) {
  const auto frames = frames_in(bytes);
  if (!frames || frames->empty()) return {};
  const Frame& last = frames->back();
  if (!last.torn || last.data >= last.end) return {};
  const Salvaged read = salvage(bytes, last);
  return holds_nothing(lost_of(bytes, last, read)) ? LostEnd{} : LostEnd{bytes.substr(last.begin), read.lost};
}

Result<std::optional<std::string>> thinner(std::string_view bytes, const ThinTo& to) {
  const auto frames = frames_in(bytes);
  if (!frames) return frames.error();
  Thinning thinning(to);
  Compressor compressor;
  std::string out;
  for (std::size_t i = 0; i < frames->size(); ++i) {
    const Frame& frame = (*frames)[i];
    if (Status sound = is_sound(bytes, frame); !sound) return sound.error();
    if (frame.data >= frame.end) continue;  // torn in its mark
    const auto text = text_of(bytes, frame);
    if (!text) return text.error();
    if (text->empty()) continue;
    if (out.empty()) {
      auto thin = is_thin(*text, to);
      if (!thin) return thin.error();
      if (*thin) return std::optional<std::string>();
    }
    const bool last = i + 1 == frames->size();
    auto thinned = thinning.frame(*text, last ? std::nullopt : std::optional((*frames)[i + 1].at));
    if (!thinned) return thinned.error();
    if (!*thinned) return std::optional<std::string>();
    std::string packed = compressor.begin(frame.at);
    packed += compressor.add(**thinned);
    packed += compressor.end();
    if (Status same = check(packed, **thinned); !same) return same.error();
    out += packed;
  }
  if (out.empty()) return std::optional<std::string>();
  return std::optional(std::move(out));
}

}  // namespace tessera::record
