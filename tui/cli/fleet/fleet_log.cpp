#include "tui/cli/fleet/fleet_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>

#include "engine/digest.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/fleet/fleet_files.hpp"

namespace tessera::cli {
namespace {

constexpr const char* kLog = ".log";
constexpr std::size_t kMost = 256u << 10;  // bytes; beyond that the older half goes
constexpr Duration kAgain = std::chrono::hours(24);

std::string beside(const FleetPlace& place) { return resolved(place.path) + kLog; }

// One of the two, open. Neither a link is followed nor a pipe waited for.
class LogFile {
 public:
  LogFile(const std::string& path, int flags)
      : file_(path.empty() ? -1 : ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644)),
        problem_(file_ >= 0     ? 0
                 : path.empty() ? ENOENT
                                : errno) {
    struct stat info {};
    if (file_ >= 0 && (::fstat(file_, &info) != 0 || !S_ISREG(info.st_mode))) problem_ = EINVAL;
  }
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;
  ~LogFile() {
    if (file_ >= 0) ::close(file_);
  }
  int problem() const { return problem_; }  // errno; 0: it can be used

  // At most a little more than what it is kept to.
  std::optional<std::string> text() {
    std::string all;
    std::array<char, 1u << 16> part{};
    while (all.size() < 2 * kMost) {
      const ssize_t size = ::pread(file_, part.data(), part.size(), static_cast<off_t>(all.size()));
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return problem_ = errno, std::nullopt;
      if (size == 0) break;
      all.append(part.data(), static_cast<std::size_t>(size));
    }
    return all;
  }
  // One write, so that lines of several processes do not mix.
  bool append(const std::string& text) {
    const ssize_t size = ::write(file_, text.data(), text.size());
    if (size == static_cast<ssize_t>(text.size())) return true;
    problem_ = size < 0 ? errno : ENOSPC;
    return false;
  }
  // Whoever may read it can hold the lock: then the older half goes another time.
  bool keep_newer(const std::string& text) {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) return true;
    const std::size_t end = text.find('\n', text.size() - std::min(text.size(), kMost / 2));
    if (::ftruncate(file_, 0) != 0) return problem_ = errno, false;
    return end == std::string::npos || append(text.substr(end + 1));
  }

 private:
  int file_ = -1, problem_ = 0;
};

std::string line_text(const FleetLine& line) {
  return fmt::format("{}\t{}\t{}\n", clean(line.at, 40), clean(line.who, 60), clean(line.what, 1000));
}

// What is no line of this form is shown as it is.
FleetLine line_of(std::string_view text) {
  const std::size_t first = text.find('\t'), second = first == text.npos ? first : text.find('\t', first + 1);
  if (second == text.npos) return {"?", "?", clean(text, 1000)};
  return {clean(text.substr(0, first), 40), clean(text.substr(first + 1, second - first - 1), 60),
          clean(text.substr(second + 1), 1000)};
}

std::vector<FleetLine> lines_of(const std::string& text) {
  std::vector<FleetLine> all;
  for (const std::string_view line : lines_in(text)) all.push_back(line_of(line));
  return all;
}

Error cannot_note(const std::string& path, int problem) {
  return {"not noted in the log of the fleet file", clean(path, 300) + ": " + std::strerror(problem),
          "its runner must be able to write " + clean(beside({path, ""}), 300)};
}

Status note(const FleetPlace& place, const FleetLine& line, bool each) {
  const int flags = O_RDWR | O_CREAT | O_APPEND;
  std::optional<LogFile> file(std::in_place, beside(place), flags);
  const int first = file->problem();
  if (first != 0) file.emplace(kept_for(place, kLog), flags);
  if (file->problem() != 0) return cannot_note(place.path, first);
  const auto there = file->text();
  if (!there) return cannot_note(place.path, file->problem());
  const auto at = parse_utc(line.at);
  const std::string since = at ? utc_text(*at - kAgain) : "";
  const std::vector<FleetLine> lines = lines_of(*there);
  const std::string what = clean(line.what, 1000);
  if (!each && std::any_of(lines.begin(), lines.end(), [&](const FleetLine& one) {
        return one.what == what && one.at >= since && one.at <= line.at;
      }))
    return Done{};
  if (there->size() >= kMost && !file->keep_newer(*there)) return cannot_note(place.path, file->problem());
  if (!file->append(line_text(line))) return cannot_note(place.path, file->problem());
  return Done{};
}

// For this user alone, with the folders above it.
bool make_folder(const std::filesystem::path& folder) {
  std::error_code problem;
  if (std::filesystem::is_directory(folder, problem)) return true;
  if (!folder.has_parent_path() || folder.parent_path() == folder || !make_folder(folder.parent_path()))
    return false;
  return ::mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST;
}

}  // namespace

std::string kept_for(const FleetPlace& place, const std::string& suffix) {
  if (place.state.empty()) return "";
  const std::string folder = place.state + "/fleet";
  return make_folder(folder) ? folder + "/" + digest(resolved(place.path)) + suffix : "";
}

std::string state_beside(const std::string& journals) {
  return journals.empty() ? "" : std::filesystem::path(journals).parent_path().string();
}

std::string name_or_uid(const std::string& who) {
  return who.empty() ? fmt::format("uid {}", ::geteuid()) : clean(who, 60);
}

Status note_in_log(const FleetPlace& place, const FleetLine& line) { return note(place, line, false); }

Status note_pause(const FleetPlace& place, TimePoint wall, const std::string& who,
                  const std::string& removed) {
  const std::string what = removed.empty() ? "fleet run is paused" : "removed the pause since " + removed;
  return note(place, {utc_text(wall), name_or_uid(who), what}, true);
}

Result<std::vector<FleetLine>> read_fleet_log(const FleetPlace& place) {
  std::vector<FleetLine> all;
  for (const std::string& path :
       {beside(place), place.state.empty() ? std::string() : kept_for(place, kLog)}) {
    LogFile file(path, O_RDONLY);
    if (file.problem() == ENOENT) continue;
    const auto text = file.problem() == 0 ? file.text() : std::nullopt;
    if (!text)
      return Error{"cannot read the log of the fleet file",
                   clean(path, 300) + ": " + std::strerror(file.problem()), ""};
    std::vector<FleetLine> lines = lines_of(*text);
    all.insert(all.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const FleetLine& a, const FleetLine& b) { return a.at < b.at; });
  return all;
}

}  // namespace tessera::cli
