#include "backends/record/days.hpp"

#include <algorithm>
#include <filesystem>

#include "backends/files.hpp"
#include "backends/record/tape.hpp"
#include "engine/time.hpp"

namespace tessera::record {

namespace fs = std::filesystem;

namespace {

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

// As the recorder names its files: a copy that an admin put beside them is none, whatever it ends with.
bool is_name_of_day(std::string_view name) {
  constexpr std::size_t kDayLetters = 10;
  if (name.size() != kDayLetters + kFileEnd.size() || !name.ends_with(kFileEnd)) return false;
  const auto midnight = parse_utc(std::string(name.substr(0, kDayLetters)) + "T00:00:00Z");
  return midnight && day_of(*midnight) == name.substr(0, kDayLetters);
}

std::string nth_beside(const std::string& path, int i) {
  return path + std::string(kAsideEnd) + (i > 1 ? "-" + std::to_string(i) : "");
}

}  // namespace

std::optional<std::vector<Days::File>> Days::files() const {
  std::vector<File> all;
  std::error_code bad, gone;
  fs::directory_iterator at(folder_, bad);
  for (; !bad && at != fs::directory_iterator(); at.increment(bad)) {
    std::string name = at->path().filename().string();
    if (!is_name_of_day(name)) continue;
    const std::uintmax_t size = at->file_size(gone);
    all.push_back({std::move(name), gone ? 0 : size});
  }
  if (bad) return std::nullopt;
  std::sort(all.begin(), all.end(), [](const File& a, const File& b) { return a.name < b.name; });
  return all;
}

std::vector<std::string> Days::names() const {
  std::vector<std::string> all;
  if (auto known = files())
    for (File& file : *known) all.push_back(std::move(file.name));
  return all;
}

std::string name_beside(const std::string& path) {
  std::error_code ignored;
  int i = 1;
  while (fs::exists(fs::symlink_status(nth_beside(path, i), ignored))) ++i;
  return nth_beside(path, i);
}

Result<KeptBeside> keep_beside(const std::string& path, std::string_view bytes, mode_t mode) {
  const std::string free = name_beside(path);
  for (int i = 1;; ++i) {
    const std::string name = nth_beside(path, i);
    if (name == free) break;
    std::error_code gone;
    if (fs::file_size(name, gone) != bytes.size() || gone) continue;
    if (const auto there = read_whole_file("", name, bytes.size());
        there && *there && (*there)->text == bytes)
      return KeptBeside{name, false};
  }
  if (Status put = replace_file("cannot write the recording", free, bytes, mode); !put) return put.error();
  return KeptBeside{free, true};
}

void Days::write_to(const std::string& name) {
  const std::lock_guard lock(mutex_);
  written_ = name;
  settled_ = settled_ || is_within();
}

bool Days::is_written(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return name == written_;
}

bool Days::is_within() const {
  const auto all = files();
  if (!all) return most_ == 0;  // what is not known may be over the bound
  std::uintmax_t size = 0;
  for (const File& file : *all) size += file.size;
  return most_ == 0 || size <= most_;
}

void Days::make_room(std::uintmax_t more) {
  const std::lock_guard lock(mutex_);
  remove_oldest(more, {});
  settled_ = true;
}

void Days::keep_room(std::uintmax_t more) {
  const std::lock_guard lock(mutex_);
  if (settled_) remove_oldest(more, {});
}

void Days::remove_oldest(std::uintmax_t more, const std::string& before) {
  if (most_ == 0) return;
  const auto all = files();
  if (!all) return;
  std::uintmax_t size = more;
  for (const File& file : *all) size += file.size;
  std::error_code ignored;
  for (const File& file : *all) {
    if (size <= most_ || (!before.empty() && file.name >= before)) return;
    if (file.name != written_ && fs::remove(path_of(file.name), ignored)) size -= file.size;
  }
}

Result<std::optional<std::string>> Days::replace(const std::string& name, const struct stat& read,
                                                 std::string_view text, std::string_view aside) {
  const std::lock_guard lock(mutex_);
  struct stat now {};
  const std::string path = path_of(name);
  if (name == written_ || ::stat(path.c_str(), &now) != 0 || !same_file(read, now))
    return std::optional<std::string>();
  // Both are there for a moment.
  if (settled_) remove_oldest(text.size(), name);
  constexpr mode_t kAccess = 0777;
  KeptBeside kept;
  if (!aside.empty()) {
    auto put = keep_beside(path, aside, read.st_mode & kAccess);
    if (!put) return put.error();
    kept = std::move(*put);
  }
  if (Status put = replace_file("", path, text, read.st_mode & kAccess); !put) {
    // The day is whole still, and the next try keeps its end beside it.
    std::error_code ignored;
    if (kept.is_new) fs::remove(kept.path, ignored);
    return put.error();
  }
  return std::optional(std::move(kept.path));
}

}  // namespace tessera::record
