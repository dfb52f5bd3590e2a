#include "backends/slurm/change/backups.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "backends/files.hpp"

namespace tessera::slurm {
namespace {

using Files = std::vector<slurmconf::File>;

constexpr std::size_t kMostBackupBytes = 16 << 20;
constexpr std::size_t kKeptBackups = 8;  // of each file, however old
constexpr auto kKeptFor = std::chrono::days(30);
constexpr std::string_view kBefore = ".before-";

// "20261122-0300-n1…": a run's name begins with its day and minute.
bool is_run(std::string_view name) {
  if (name.size() < 15 || name[8] != '-' || name[13] != '-') return false;
  for (std::size_t i = 0; i < 13; ++i)
    if (i != 8 && (name[i] < '0' || name[i] > '9')) return false;
  return true;
}

TimePoint time_of(const timespec& time) {
  return TimePoint(std::chrono::duration_cast<Duration>(std::chrono::seconds(time.tv_sec) +
                                                        std::chrono::nanoseconds(time.tv_nsec)));
}

void add_beside(const std::string& path, std::vector<Backup>& found) {
  const std::string real = real_path(path), file = real.substr(real.rfind('/') + 1);
  std::error_code bad;
  for (std::filesystem::directory_iterator at(folder_of(real), bad), end; !bad && at != end;
       at.increment(bad)) {
    std::string run = run_of_backup(file, at->path().filename().string());
    struct stat about {};
    if (run.empty() || ::lstat(at->path().c_str(), &about) != 0 || !S_ISREG(about.st_mode)) continue;
    found.push_back({path, at->path().string(), std::move(run), time_of(about.st_mtim),
                     time_of(about.st_ctim), std::nullopt});
  }
}

}  // namespace

std::string backup_of(const std::string& path, std::string_view run) {
  return fmt::format("{}{}{}", path, kBefore, run);
}

std::string run_of_backup(std::string_view file, std::string_view name) {
  if (!name.starts_with(file)) return "";
  name.remove_prefix(file.size());
  if (!name.starts_with(kBefore)) return "";
  name.remove_prefix(kBefore.size());
  return is_run(name) ? std::string(name) : "";
}

std::vector<Backup> backups_here(const Files& files) {
  std::vector<Backup> found;
  for (const slurmconf::File& file : files) add_beside(file.path, found);
  std::stable_sort(found.begin(), found.end(),
                   [](const Backup& left, const Backup& right) { return left.run > right.run; });
  return found;
}

std::set<std::string> newest_runs(const std::vector<Backup>& backups) {
  std::set<std::string> runs;
  for (const Backup& one : backups) {
    runs.insert(one.run);
    if (runs.size() > kKeptBackups) runs.erase(runs.begin());
  }
  return runs;
}

void read_texts(std::vector<Backup>& backups, const std::set<std::string>& runs) {
  for (Backup& one : backups) {
    if (one.text || !runs.contains(one.run)) continue;
    auto whole = read_whole_file("cannot read Slurm's files", one.at, kMostBackupBytes);
    if (whole && *whole) one.text = std::move((*whole)->text);
  }
}

std::optional<Files> as_found_by(const Files& files, const std::vector<Backup>& backups,
                                 std::string_view run) {
  Files found = files;
  bool any = false;
  for (slurmconf::File& file : found)
    for (const Backup& one : backups) {
      if (one.run != run || one.of != file.path || !one.text) continue;
      file.text = *one.text;
      any = true;
    }
  return any ? std::optional(std::move(found)) : std::nullopt;
}

std::vector<Files> found_by_runs(const Files& files, const std::vector<Backup>& backups) {
  std::vector<Files> all;
  const std::set<std::string> runs = newest_runs(backups);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run)
    if (auto found = as_found_by(files, backups, *run)) all.push_back(std::move(*found));
  return all;
}

const Backup* stood_at(const std::vector<Backup>& backups, const std::string& path, TimePoint time) {
  const Backup* last = nullptr;
  for (const Backup& one : backups) {
    if (one.of != path || !one.text) continue;
    // Slurm tells the time without fractions: what was replaced in that second may have been replaced before.
    using std::chrono::floor, std::chrono::seconds;
    if (floor<seconds>(one.changed) > time || floor<seconds>(one.made) <= time) continue;
    if (!last || one.changed > last->changed) last = &one;
  }
  return last;
}

std::vector<std::string> too_old(const std::vector<Backup>& backups, TimePoint now) {
  std::map<std::string, std::size_t> kept;
  std::vector<std::string> old;
  for (const Backup& one : backups)
    if (++kept[one.of] > kKeptBackups && now - one.made > kKeptFor) old.push_back(one.at);
  return old;
}

void drop_old_backups(const Files& files, TimePoint now) {
  for (const std::string& path : too_old(backups_here(files), now)) ::unlink(path.c_str());
}

std::vector<std::vector<slurmconf::File>> found_by_runs(const std::vector<slurmconf::File>& files) {
  std::vector<Backup> backups = backups_here(files);
  read_texts(backups, newest_runs(backups));
  return found_by_runs(files, backups);
}

}  // namespace tessera::slurm
