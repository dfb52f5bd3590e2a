// The files of one recording, and as much of each as is known.
// Threads: values; the functions look at the disk.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "backends/record/sound.hpp"
#include "backends/record/zstd_stream.hpp"
#include "engine/error.hpp"
#include "engine/model/units.hpp"
#include "engine/record/step.hpp"

namespace tessera::record {

// Tells a file that has grown, or that another was put in the place of.
struct Stamp {
  ino_t file = 0;
  off_t size = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};
inline Stamp stamp_of(const struct stat& about) { return {about.st_ino, about.st_size}; }

// A file, of which as much is known as was asked for.
struct DayPart {
  std::string path;
  Stamp stamp{};                     // when its frames were looked for
  std::vector<Frame> frames{};       // empty: not looked for yet, or there are none
  std::optional<TimePoint> first{};  // round that can be read
  std::optional<TimePoint> last{};   // of its newest round
  Stop stop{};                       // behind that
  bool torn = false;                 // in its first frame: it says nothing (yet)
  std::optional<Error> damage{};     // none of it can be read
};

// What says nothing by itself, and leaves the others as they are.
inline bool is_passed_over(const DayPart& part) { return part.torn || part.damage; }
// The begin of its day, by the file's name; nullopt: it was renamed.
std::optional<TimePoint> midnight_of(const DayPart& part);
// Whether the whole part before this one lies before that time.
bool begins_by(const DayPart& part, TimePoint time);

// Files of days with something in them, oldest first.
std::vector<std::string> day_files_in(const std::filesystem::path& folder);
Error cannot_read(const std::string& path, const Error& error);

// The text of the frame that was read last: moments near to each other are in one, and it is long.
class LastFrame {
 public:
  // bytes: of the part. Valid until the next call.
  const Sound& of(const DayPart& part, const Frame& frame, std::string_view bytes);

 private:
  std::string path_;
  Stamp stamp_{};
  std::size_t begin_ = 0;
  std::optional<Sound> sound_;
};

}  // namespace tessera::record
