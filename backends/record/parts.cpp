#include "backends/record/parts.hpp"

#include <algorithm>

#include "backends/record/tape.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

constexpr Duration kAfterMidnight{600'000};  // a day begins with its first round

}  // namespace

std::optional<TimePoint> midnight_of(const DayPart& part) {
  return parse_utc(std::filesystem::path(part.path).filename().string().substr(0, 10) + "T00:00:00Z");
}

bool begins_by(const DayPart& part, TimePoint time) {
  if (!part.frames.empty()) return part.frames.front().at <= time;
  const auto midnight = midnight_of(part);
  return midnight && *midnight + kAfterMidnight <= time;
}

std::vector<std::string> day_files_in(const std::filesystem::path& folder) {
  std::vector<std::string> files;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().filename().string().ends_with(kFileEnd) && entry.file_size(ignored) > 0)
      files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

Error cannot_read(const std::string& path, const Error& error) {
  return {error.what, clean(path) + ": " + error.reason, error.hint};
}

const Sound& LastFrame::of(const DayPart& part, const Frame& frame, std::string_view bytes) {
  if (sound_ && path_ == part.path && stamp_ == part.stamp && begin_ == frame.begin) return *sound_;
  sound_.reset();  // before there are two of them
  path_ = part.path, stamp_ = part.stamp, begin_ = frame.begin;
  return sound_.emplace(sound_text(bytes, frame));
}

}  // namespace tessera::record
