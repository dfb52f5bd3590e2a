#include "backends/record/survey.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "backends/files.hpp"
#include "backends/record/reader.hpp"
#include "backends/record/sound.hpp"
#include "backends/record/tape.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/text.hpp"

namespace tessera::record {
namespace {

struct OfHead {
  Written written;
  Duration every{};
};
// Errors: it is of a later version, or is none. One that tore tells nothing.
Result<OfHead> head_of(std::string_view frame) {
  Reader reader;
  std::vector<Event> none;
  const std::size_t end = frame.find('\n');
  if (Status read = reader.take(frame.substr(0, end), none); !read && end != std::string_view::npos)
    return read.error();
  return OfHead{reader.written(), reader.every()};
}

bool is_end(std::string_view line) { return Reader::kind_of(line) == "end"; }

// Goes through the rounds of one file after the other.
class Survey {
 public:
  void file(const std::string& path) {
    DayFile& day = days_.emplace_back();
    day.name = clean(std::filesystem::path(path).filename().string(), 255);
    auto read = read_whole_file("cannot read the recording", path, kLargestFile);
    if (!read || !*read) {
      return fail(read ? Error{"cannot read the recording", "there is no such file", ""} : read.error());
    }
    const std::string& bytes = (*read)->text;
    day.bytes = static_cast<std::int64_t>(bytes.size());
    day.written = TimePoint(std::chrono::seconds((*read)->about.st_mtim.tv_sec));
    auto frames = frames_of_day(bytes);
    if (!frames) return fail(frames.error());
    for (const Frame& one : *frames) {
      day.torn = day.torn || one.torn;
      const Sound sound = sound_text(bytes, one);
      // Behind the end of one recorder another began, and was cut off within its first round.
      if (last_ && last_->day + 1 == days_.size() && is_begun(one, sound)) last_->written.ended = false;
      if (!sound.text.empty())
        if (Status told = frame(sound.text); !told) fail(told.error());
      if (sound.damage) fail(*sound.damage);
      if (sound.written_again) ++day.set_back;
      broken_ = broken_ || sound.written_again;
    }
    if (!day.rounds && !day.failure)
      day.failure = Error{"cannot read the recording", "it was cut off before its first round was whole", ""};
  }

  // Where the next file is the damaged one, it follows all the same.
  std::vector<DayFile> all() && {
    if (last_ && !broken_) days_[last_->day].stop = stop_between(last_->written, std::nullopt);
    return std::move(days_);
  }

 private:
  // The first of what is wrong with a file is told; all of it is a gap.
  void fail(Error why) {
    if (!days_.back().failure) days_.back().failure = std::move(why);
    broken_ = true;
  }

  struct Last {  // of the rounds so far
    TimePoint at{};
    Written written;
    Duration every{};
    std::size_t day = 0;
  };

  Status frame(std::string_view text) {
    const auto told_by_head = head_of(text);
    if (!told_by_head) return told_by_head.error();
    const OfHead& head = *told_by_head;
    days_.back().every = head.every;
    std::string_view time;  // as the line before has it
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(line.size() + 1, text.size()));
      const std::string_view told = line.substr(0, line.find(','));
      if (told != time) {
        time = told;
        if (const auto at = Reader::time_of(line)) round(*at, head);
      }
      if (last_) last_->written.ended = is_end(line);
    }
    return Done{};
  }

  void round(TimePoint at, const OfHead& head) {
    DayFile& day = days_.back();
    ++day.count;
    if (!day.rounds) day.rounds = Covered{at, at};
    day.rounds->to = at;
    if (last_ && (broken_ || at - last_->at > longest_step(last_->every))) {
      ++day.gaps;
      day.missing += at - last_->at;
      if (last_->day + 1 < days_.size() && !broken_)
        days_[last_->day].stop = stop_between(last_->written, head.written);
    }
    broken_ = false;
    last_ = Last{at, head.written, head.every, days_.size() - 1};
  }

  std::vector<DayFile> days_;
  std::optional<Last> last_;
  bool broken_ = false;  // behind it: damage, or a clock that was set back
};

}  // namespace

Stop stop_behind(std::string_view frame, std::string_view last_line) {
  const auto head = head_of(frame);
  Written last = head ? head->written : Written{};
  last.ended = is_end(last_line);
  return stop_between(last, std::nullopt);
}

std::vector<DayFile> survey(const std::vector<std::string>& files) {
  Survey all;
  for (const std::string& file : files) all.file(file);
  return std::move(all).all();
}

}  // namespace tessera::record
