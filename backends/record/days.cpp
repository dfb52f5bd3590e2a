#include "backends/record/days.hpp"

#include <algorithm>
#include <filesystem>

#include "backends/files.hpp"
#include "backends/record/tape.hpp"

namespace tessera::record {

namespace fs = std::filesystem;

namespace {

bool same_file(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec && one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

}  // namespace

std::optional<std::vector<Days::File>> Days::files() const {
  std::vector<File> all;
  std::error_code bad, gone;
  fs::directory_iterator at(folder_, bad);
  for (; !bad && at != fs::directory_iterator(); at.increment(bad)) {
    std::string name = at->path().filename().string();
    if (!name.ends_with(kFileEnd)) continue;
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
  std::string name = path + std::string(kAsideEnd);
  for (int i = 2; fs::exists(fs::symlink_status(name, ignored)); ++i)
    name = path + std::string(kAsideEnd) + "-" + std::to_string(i);
  return name;
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
  const std::string kept = aside.empty() ? std::string() : name_beside(path);
  if (!kept.empty())
    if (Status put = replace_file("", kept, aside, read.st_mode & kAccess); !put) return put.error();
  if (Status put = replace_file("", path, text, read.st_mode & kAccess); !put) {
    // The day is whole still, and the next try keeps its end beside it.
    std::error_code ignored;
    if (!kept.empty()) fs::remove(kept, ignored);
    return put.error();
  }
  return std::optional(kept);
}

}  // namespace tessera::record
