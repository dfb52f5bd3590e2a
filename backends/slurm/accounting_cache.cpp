#include "backends/slurm/accounting_cache.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include "backends/record/zstd_stream.hpp"
#include "engine/digest.hpp"
#include "engine/json.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::slurm {
namespace {

constexpr std::string_view kEnding = ".jobs.zst";
constexpr std::size_t kMostText = 256u << 20;  // of one day, as sacct may print
constexpr Duration kAhead{60'000};             // of the clock, by which a file may be younger than now
constexpr time_t kLeftBehind = 3600;           // s: what is still being written then was given up
constexpr int kQuick = 3;                      // level of zstd

// Makes what is missing of the path, for this user alone. Nothing is left in another user's home, as sudo
// may name it.
bool make_folders(const std::string& path, std::string& why) {
  struct stat told {};
  if (::stat(path.c_str(), &told) == 0) {
    if (S_ISDIR(told.st_mode)) return true;
    why = path + ": not a folder";
    return false;
  }
  const std::string above = folder_of(path);
  if (!make_folders(above, why)) return false;
  if (::stat(above.c_str(), &told) == 0 && told.st_uid != ::geteuid())
    why = above + ": belongs to another user";
  else if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST)
    return true;
  else
    why = path + ": " + std::strerror(errno);
  return false;
}

bool is_ours_alone(const struct stat& told) {
  return told.st_uid == ::geteuid() && (told.st_mode & 077) == 0;
}

std::optional<std::string> read_ours(int folder, const std::string& name) {
  Descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat told {};
  if (!file.ok() || ::fstat(file.get(), &told) != 0 || !S_ISREG(told.st_mode) || !is_ours_alone(told) ||
      static_cast<std::size_t>(told.st_size) > kLargestAnswer)
    return std::nullopt;
  return read_all(file.get(), static_cast<std::size_t>(told.st_size));
}

struct Kept {
  std::string name;
  std::size_t bytes = 0;
  time_t written = 0;
};

std::vector<Kept> all_in(int folder) {
  std::vector<Kept> all;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> list(again < 0 ? nullptr : ::fdopendir(again), ::closedir);
  while (const dirent* entry = list ? ::readdir(list.get()) : nullptr) {
    Kept one{static_cast<const char*>(entry->d_name)};
    struct stat told {};
    if (!one.name.ends_with(kEnding) && !one.name.starts_with(kUnfinished)) continue;
    if (::fstatat(folder, one.name.c_str(), &told, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(told.st_mode))
      continue;
    one.bytes = static_cast<std::size_t>(told.st_size), one.written = told.st_mtime;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace

std::string accounting_cache_folder(std::string_view xdg_cache_home, std::string_view home) {
  std::string folder(xdg_cache_home);
  if (!folder.starts_with('/')) folder = home.starts_with('/') ? std::string(home) + "/.cache" : "";
  return folder.empty() ? folder : folder + "/tessera/accounting";
}

AccountingCache::AccountingCache(const std::string& folder, std::string identity, TimePoint now)
    : identity_(clean(identity, 4096)), now_(now) {
  if (folder.empty() || !make_folders(folder, trouble_)) return;
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat told {};
  if (!opened.ok() || ::fstat(opened.get(), &told) != 0)
    trouble_ = folder + ": " + std::strerror(errno);
  else if (told.st_uid != ::geteuid())
    trouble_ = folder + ": belongs to another user";
  else if (!is_ours_alone(told))
    trouble_ = folder + ": other users may open it (chmod 700)";
  else
    folder_ = std::move(opened);
}

std::string AccountingCache::name_of(TimePoint day) const {
  return utc_text(day).substr(0, 10) + "-" + digest(identity_) + std::string(kEnding);
}

std::string AccountingCache::head_of(TimePoint day, TimePoint asked, std::size_t bytes) const {
  Json head = Json::map();
  head.add("format", Json::of(std::string("tessera-accounting")));
  head.add("version", Json::of(std::int64_t{2}));  // 1: of a job that was requeued, the last run alone
  head.add("identity", Json::of(identity_));
  head.add("day", Json::of(utc_text(day)));
  head.add("asked", Json::of(utc_text(asked)));
  head.add("bytes", Json::of(static_cast<std::int64_t>(bytes)));
  return to_line(head) + "\n";
}

std::optional<std::string> AccountingCache::find(TimePoint day) const {
  if (!folder_.ok()) return std::nullopt;
  const auto bytes = read_ours(folder_.get(), name_of(day));
  if (!bytes) return std::nullopt;
  const auto frames = record::frames_in(*bytes);
  if (!frames || frames->size() != 1 || frames->front().torn) return std::nullopt;
  auto text = record::text_of(*bytes, frames->front(), kMostText);
  if (!text) return std::nullopt;
  const std::size_t newline = text->find('\n');
  if (newline == std::string::npos) return std::nullopt;
  const auto head = parse_json(text->substr(0, newline), "cache");
  const Json* said = head ? head->find("asked") : nullptr;
  const auto asked = said ? parse_utc(said->text) : std::nullopt;
  if (!asked || *asked < day + std::chrono::days(1) + kSettled || *asked > now_ + kAhead ||
      *asked < now_ - kOldestAnswer)
    return std::nullopt;
  // All the rest of the head must be what it would be if it were written now.
  if (text->substr(0, newline + 1) != head_of(day, *asked, text->size() - newline - 1)) return std::nullopt;
  text->erase(0, newline + 1);
  return std::move(*text);
}

void AccountingCache::keep(TimePoint day, std::string_view answer) {
  if (!folder_.ok() || (!answer.empty() && !answer.ends_with('\n'))) return;
  record::Compressor compressor(kQuick);
  std::string bytes = compressor.begin(day);
  bytes += compressor.add(head_of(day, now_, answer.size()));
  bytes += compressor.add(answer);
  bytes += compressor.end();
  if (bytes.size() > kLargestAnswer) return;
  if (!replace_file_at(folder_.get(), name_of(day), bytes)) {
    trouble_ = fmt::format("cannot write the cache: {}", std::strerror(errno));
    return;
  }
  make_room();
}

void AccountingCache::make_room() const {
  std::vector<Kept> all = all_in(folder_.get());
  const time_t now = ::time(nullptr);
  constexpr time_t kLongest = std::chrono::duration_cast<std::chrono::seconds>(kOldestAnswer).count();
  std::erase_if(all, [&](const Kept& one) {
    const bool part = one.name.starts_with(kUnfinished);
    if (now - one.written > (part ? kLeftBehind : kLongest)) ::unlinkat(folder_.get(), one.name.c_str(), 0);
    return part || now - one.written > kLongest;
  });
  std::sort(all.begin(), all.end(), [](const Kept& a, const Kept& b) { return a.name > b.name; });
  std::size_t bytes = 0;
  for (const Kept& one : all) {
    bytes += one.bytes;
    if (bytes > kMostKept) ::unlinkat(folder_.get(), one.name.c_str(), 0);
  }
}

}  // namespace tessera::slurm
