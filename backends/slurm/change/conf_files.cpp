#include "backends/slurm/change/conf_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "backends/files.hpp"
#include "backends/slurm/change/backups.hpp"
#include "engine/slurmconf/config.hpp"
#include "engine/slurmconf/devices.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kMostBytes = 16 << 20;
constexpr std::ptrdiff_t kMostLines = 200'000;  // of all files: each is kept, taken apart
constexpr std::size_t kMostAttributes = 65536;  // bytes of names, and of one value (XATTR_SIZE_MAX)
constexpr int kMostRounds = 16;                 // includes in includes
constexpr std::size_t kMostFiles = 1000;

using Files = std::vector<slurmconf::File>;

Error cannot(std::string_view doing, const std::string& path, const std::string& why) {
  return {fmt::format("cannot {} Slurm's files", doing), path + ": " + why, ""};
}
Error cannot(std::string_view doing, const std::string& path) {
  return cannot(doing, path, std::strerror(errno));
}

// nullopt: it is not there.
Result<std::optional<std::string>> read_text(const std::string& path) {
  auto whole = read_whole_file("cannot read Slurm's files", path, kMostBytes);
  if (!whole) return whole.error();
  if (!*whole) return std::optional<std::string>();
  return std::optional<std::string>(std::move((*whole)->text));
}

bool has(const Files& files, const std::string& path) {
  return std::any_of(files.begin(), files.end(),
                     [&](const slurmconf::File& one) { return one.path == path; });
}

Status add(Files& files, const std::string& path) {
  if (has(files, path)) return Done{};
  auto text = read_text(path);
  if (!text) return text.error();
  if (*text) files.push_back({path, std::move(**text)});
  return Done{};
}

// As slurm.conf(5) has it: absolute, or beside slurm.conf.
std::string included(const std::string& folder, const std::string& name) {
  return name.starts_with('/') ? name : folder + "/" + name;
}

const slurmconf::File* find(const Files& files, const std::string& path) {
  for (const slurmconf::File& one : files)
    if (one.path == path) return &one;
  return nullptr;
}

// Access lists and security labels of one file for another; a file system without any has none to give.
Status copy_attributes(const std::string& from, int to, const std::string& path) {
  std::vector<char> names(kMostAttributes);
  ssize_t listed = ::listxattr(from.c_str(), names.data(), names.size());
  if (listed < 0) return errno == ENOTSUP ? Status(Done{}) : cannot("write", from);
  for (const char* name = names.data(); name < names.data() + listed; name += std::strlen(name) + 1) {
    std::vector<char> value(kMostAttributes);
    ssize_t size = ::getxattr(from.c_str(), name, value.data(), value.size());
    if (size < 0 && errno == ENODATA) continue;
    if (size < 0 || ::fsetxattr(to, name, value.data(), static_cast<std::size_t>(size), 0) != 0)
      return cannot("write", path, fmt::format("cannot keep {} of {}: {}", name, from, std::strerror(errno)));
  }
  return Done{};
}

// Owner, group, mode and attributes of `like`; nullptr: a new file's.
Status dress(int file, const std::string& path, const std::string* like) {
  if (!like) return ::fchmod(file, 0644) == 0 ? Status(Done{}) : cannot("write", path);
  struct stat about {};
  if (::stat(like->c_str(), &about) != 0) return cannot("write", *like);
  // The owner first: giving a file away takes its special bits. The access list last: the mode is part of it.
  const bool own = ::geteuid() == about.st_uid && ::getegid() == about.st_gid;
  if ((!own && ::fchown(file, about.st_uid, about.st_gid) != 0) || ::fchmod(file, about.st_mode & 07777) != 0)
    return cannot("write", path);
  return copy_attributes(*like, file, path);
}

// A whole file on the disk beside the place where it is to be.
Status write_beside(const std::string& fresh, const std::string& text, const std::string* like,
                    const Disk& disk) {
  ::unlink(fresh.c_str());
  Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.ok()) return cannot("write", fresh);
  Status done = dress(file.get(), fresh, like);
  if (done && (!write_all(file.get(), text) || disk.sync(file.get()) != 0)) done = cannot("write", fresh);
  if (!done) ::unlink(fresh.c_str());
  return done;
}

// Editors hold no lock of ours. A file that was not there must not be there now.
Status unchanged(const std::string& path, const slurmconf::File* before) {
  auto now = read_text(path);
  if (!now) return now.error();
  if (!before && *now) return cannot("write", path, "it was created in the meantime");
  if (before && (!*now || **now != before->text))
    return cannot("write", path, "it was edited in the meantime");
  return Done{};
}

// The first backup of a run stays: it is what the run has found. It stands there whole or not at all.
Status keep_old(const std::string& path, const slurmconf::File& before, std::string_view run,
                const Disk& disk) {
  const std::string kept = backup_of(path, run), half = path + ".tessera-old";
  if (::access(kept.c_str(), F_OK) == 0) return Done{};
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return cannot("write", path);
  if (Status written = write_beside(half, before.text, &path, disk); !written) return written;
  const timespec times[2] = {about.st_atim, about.st_mtim};
  if (::utimensat(AT_FDCWD, half.c_str(), times, 0) != 0 || std::rename(half.c_str(), kept.c_str()) != 0) {
    Error error = cannot("write", kept);
    ::unlink(half.c_str());
    return error;
  }
  disk.sync_folder(folder_of(path));
  return Done{};
}

// In one step, and never over a file that was not there before.
bool put_in_place(const std::string& fresh, const std::string& path, bool new_name) {
  if (!new_name) return std::rename(fresh.c_str(), path.c_str()) == 0;
  if (::link(fresh.c_str(), path.c_str()) != 0) return false;
  ::unlink(fresh.c_str());
  return true;
}

Status replace(const std::string& named, const slurmconf::File* before, const std::string& text,
               std::string_view run, const Disk& disk) {
  const std::string path = real_path(named);
  if (Status same = unchanged(path, before); !same) return same;
  if (Status kept = before ? keep_old(path, *before, run, disk) : Done{}; !kept) return kept;
  const std::string fresh = path + ".tessera-new";
  if (Status written = write_beside(fresh, text, before ? &path : nullptr, disk); !written) return written;
  Status same = unchanged(path, before);
  if (same && !put_in_place(fresh, path, before == nullptr)) same = cannot("write", path);
  if (!same) ::unlink(fresh.c_str());
  if (same) disk.sync_folder(folder_of(path));
  return same;
}

}  // namespace

AllowedDevices allowed_devices_of(const slurmconf::SlurmSetup& site) {
  return slurmconf::reads_allowed_devices(site) ? AllowedDevices::read : AllowedDevices::unread;
}

std::vector<std::string> conf_names(const std::string& slurm_conf, const Files& files,
                                    AllowedDevices devices) {
  const std::string folder = folder_of(slurm_conf);
  std::vector<std::string> names{slurm_conf, folder + "/gres.conf", folder + "/cgroup.conf"};
  for (const slurmconf::File& file : files)
    for (const slurmconf::Line& line : slurmconf::parse(file).lines)
      if (!line.include.empty()) names.push_back(included(folder, line.include));
  if (devices == AllowedDevices::unread || files.empty()) return names;
  std::string allowed = slurmconf::allowed_devices_path(files);
  if (allowed != "/dev/null") names.push_back(std::move(allowed));
  return names;
}

Result<Files> read_conf_files(const std::string& slurm_conf, AllowedDevices devices) {
  if (slurm_conf.empty()) return cannot("read", "slurm.conf", "--slurm-conf is not set");
  Files files;
  if (Status ok = add(files, slurm_conf); !ok) return ok.error();
  if (files.empty()) return cannot("read", slurm_conf, "there is no such file");
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t known = files.size();
    if (Status few = few_enough_lines(files); !few) return few.error();
    for (const std::string& name : conf_names(slurm_conf, files, AllowedDevices::unread)) {
      if (files.size() > kMostFiles) return cannot("read", slurm_conf, "it includes more than 1,000 files");
      if (Status ok = add(files, name); !ok) return ok.error();
    }
    if (files.size() == known) break;
  }
  // Where it lies is reported by cgroup.conf.
  for (const std::string& name : conf_names(slurm_conf, files, devices))
    if (Status ok = add(files, name); !ok) return ok.error();
  return files;
}

std::string ConfWatch::stamps() const {
  std::string all;
  for (const std::string& name : names_) {
    struct stat about {};
    if (::stat(name.c_str(), &about) != 0)
      all += fmt::format("{} {};", name, errno);
    else
      all += fmt::format("{} {} {} {} {} {};", name, about.st_dev, about.st_ino, about.st_size,
                         about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
  }
  return all;
}

bool ConfWatch::changed(const std::string& slurm_conf, AllowedDevices devices) {
  if (names_.empty() || names_.front() != slurm_conf || devices_ != devices)
    names_.assign(1, slurm_conf), devices_ = devices;
  else if (stamps() == stamps_)
    return false;
  Result<Files> first = read_conf_files(slurm_conf, devices);
  names_ = conf_names(slurm_conf, first ? *first : Files{}, devices);
  // The stamps before the text: a file that changes meanwhile is read again by the next look.
  stamps_ = stamps();
  files_ = read_conf_files(slurm_conf, devices);
  return true;
}

bool is_cache(const std::string& path) {
  return path.starts_with("/run/slurm/conf/") || real_path(path).find("/conf-cache/") != std::string::npos;
}

std::string why_not_writable(const Files& files) {
  if (!files.empty() && is_cache(files.front().path))
    return files.front().path +
           ": this is the copy that slurmd keeps of the controller's files. Run tessera on the controller, "
           "or "
           "have the files written there: --slurm-files site";
  for (const slurmconf::File& file : files) {
    const std::string path = real_path(file.path);
    if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0) return path + ": " + std::strerror(errno);
    const std::string folder = folder_of(path);
    if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
      return folder + ": " + std::strerror(errno);
  }
  return "";
}

Status few_enough_lines(const Files& files) {
  std::ptrdiff_t lines = 0;
  for (const slurmconf::File& file : files) lines += std::count(file.text.begin(), file.text.end(), '\n');
  if (lines <= kMostLines) return Done{};
  return cannot("read", files.back().path, fmt::format("Slurm's files have more than {} lines", kMostLines));
}

std::optional<TimePoint> newest_change(const Files& files) {
  std::optional<TimePoint> newest;
  for (const slurmconf::File& file : files) {
    struct stat about {};
    if (::stat(file.path.c_str(), &about) != 0) return std::nullopt;
    auto since = std::chrono::seconds(about.st_mtim.tv_sec) + std::chrono::nanoseconds(about.st_mtim.tv_nsec);
    TimePoint at(std::chrono::duration_cast<Duration>(since));
    if (!newest || at > *newest) newest = at;
  }
  return newest;
}

Status write_conf_files(const Files& before, const Files& after, std::string_view run, const Disk& disk) {
  auto same = [&](const slurmconf::File& file) {
    const slurmconf::File* old = find(before, file.path);
    return old && old->text == file.text;
  };
  for (const slurmconf::File& file : after)
    if (Status still = same(file) ? Done{} : unchanged(file.path, find(before, file.path)); !still)
      return still;
  for (const slurmconf::File& file : after)
    if (Status done = same(file) ? Done{} : replace(file.path, find(before, file.path), file.text, run, disk);
        !done)
      return done;
  return Done{};
}

}  // namespace tessera::slurm
