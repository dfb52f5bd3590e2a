#include "backends/slurm/conf_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include "backends/files.hpp"
#include "engine/slurmconf/config.hpp"
#include "engine/slurmconf/devices.hpp"

namespace tessera::slurm {
namespace {

constexpr off_t kMostBytes = 16 << 20;
constexpr int kMostRounds = 16;  // includes in includes
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
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.ok()) {
    if (errno == ENOENT) return std::optional<std::string>();
    return cannot("read", path);
  }
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) return cannot("read", path);
  if (!S_ISREG(about.st_mode)) return cannot("read", path, "not a file");
  if (about.st_size > kMostBytes) return cannot("read", path, "larger than 16 MiB");
  auto text = read_all(file.get(), static_cast<std::size_t>(about.st_size));
  if (!text) return cannot("read", path);
  return std::optional<std::string>(std::move(*text));
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

Status write_new(const std::string& path, const std::string& text, const struct stat& like,
                 bool keep_existing) {
  if (!keep_existing) ::unlink(path.c_str());
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.ok()) {
    if (keep_existing && errno == EEXIST) return Done{};
    return cannot("write", path);
  }
  // The owner first: giving a file away takes its special bits.
  bool own = ::geteuid() == like.st_uid && ::getegid() == like.st_gid;
  if ((!own && ::fchown(file.get(), like.st_uid, like.st_gid) != 0) ||
      ::fchmod(file.get(), like.st_mode & 07777) != 0 || !write_all(file.get(), text) ||
      ::fsync(file.get()) != 0) {
    Error error = cannot("write", path);
    ::unlink(path.c_str());
    return error;
  }
  return Done{};
}

// Editors hold no lock of ours.
Status unchanged(const slurmconf::File& before) {
  auto now = read_text(before.path);
  if (!now) return now.error();
  if (!*now || **now != before.text)
    return cannot("write", before.path, "somebody has edited it in the meantime");
  return Done{};
}

Status replace(const std::string& named, const slurmconf::File* before, const std::string& text,
               std::string_view run) {
  const std::string path = real_path(named);
  struct stat like {};
  if (before) {
    if (::stat(path.c_str(), &like) != 0) return cannot("write", path);
    if (Status same = unchanged(*before); !same) return same;
    if (Status kept = write_new(fmt::format("{}.before-{}", path, run), before->text, like, true); !kept)
      return kept;
  } else {
    like.st_mode = 0644, like.st_uid = ::geteuid(), like.st_gid = ::getegid();
  }
  const std::string fresh = path + ".tessera-new";
  if (Status written = write_new(fresh, text, like, false); !written) return written;
  if (std::rename(fresh.c_str(), path.c_str()) != 0) {
    Error error = cannot("write", path);
    ::unlink(fresh.c_str());
    return error;
  }
  sync_folder(folder_of(path));
  return Done{};
}

}  // namespace

AllowedDevices allowed_devices_of(const slurmconf::Site& site) {
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
  if (slurm_conf.empty()) return cannot("read", "slurm.conf", "nobody has told where it lies");
  Files files;
  if (Status ok = add(files, slurm_conf); !ok) return ok.error();
  if (files.empty()) return cannot("read", slurm_conf, "there is no such file");
  for (int round = 0; round < kMostRounds; ++round) {
    const std::size_t known = files.size();
    for (const std::string& name : conf_names(slurm_conf, files, AllowedDevices::unread)) {
      if (files.size() > kMostFiles) return cannot("read", slurm_conf, "it includes more than 1,000 files");
      if (Status ok = add(files, name); !ok) return ok.error();
    }
    if (files.size() == known) break;
  }
  // Where it lies is told by cgroup.conf.
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

Status write_conf_files(const Files& before, const Files& after, std::string_view run) {
  auto same = [&](const slurmconf::File& file) {
    const slurmconf::File* old = find(before, file.path);
    return old && old->text == file.text;
  };
  for (const slurmconf::File& file : after) {
    const slurmconf::File* old = same(file) ? nullptr : find(before, file.path);
    if (Status still = old ? unchanged(*old) : Done{}; !still) return still;
  }
  for (const slurmconf::File& file : after) {
    const slurmconf::File* old = find(before, file.path);
    if (same(file)) continue;
    if (Status done = replace(file.path, old, file.text, run); !done) return done;
  }
  return Done{};
}

}  // namespace tessera::slurm
