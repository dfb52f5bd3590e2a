#include "backends/private_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera {
namespace {

constexpr std::string_view kPrefix = "tessera-";
constexpr std::size_t kRandom = 6;  // of mkdtemp
constexpr std::string_view kBelow = "/tessera-XXXXXX/api";
constexpr const char* kLock = "lock";
constexpr const char* kSocket = "api";
constexpr std::string_view kSshSocket = "ssh-";

bool is_name_of_ours(std::string_view name) {
  if (name.size() != kPrefix.size() + kRandom || !name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

Descriptor open_lock(int folder, int flags) {
  return Descriptor(::openat(folder, kLock, O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
}

std::vector<std::string> names_in(DIR* list) {
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(list)) names.emplace_back(static_cast<const char*>(entry->d_name));
  return names;
}

// Those that we, or an ssh of ours, have put there.
void remove_sockets(int folder) {
  ::unlinkat(folder, kSocket, 0);
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> list(again < 0 ? nullptr : ::fdopendir(again), ::closedir);
  if (!list) return;
  for (const std::string& name : names_in(list.get())) {
    struct stat told {};
    if (name.starts_with(kSshSocket) && ::fstatat(folder, name.c_str(), &told, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISSOCK(told.st_mode))
      ::unlinkat(folder, name.c_str(), 0);
  }
}

// Left behind: ours alone by owner and mode, and its lock can be had.
bool remove_if_stale(int base, const char* name) {
  Descriptor folder(::openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat told {};
  if (!folder.ok() || ::fstat(folder.get(), &told) != 0) return false;
  if (told.st_uid != ::getuid() || (told.st_mode & 07777) != 0700) return false;
  Descriptor lock = open_lock(folder.get(), 0);
  if (!lock.ok() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  remove_sockets(folder.get());
  ::unlinkat(folder.get(), kLock, 0);
  return ::unlinkat(base, name, AT_REMOVEDIR) == 0;
}

// Takes the lock in a new folder. False: another process that cleans up was quicker and has taken it for
// stale.
bool hold(const std::string& path, Descriptor& lock) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!folder.ok()) return false;
  lock = open_lock(folder.get(), O_CREAT | O_EXCL);
  if (!lock.ok() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  struct stat held {
  }, there{};
  return ::fstat(lock.get(), &held) == 0 &&
         ::fstatat(folder.get(), kLock, &there, AT_SYMLINK_NOFOLLOW) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

}  // namespace

int remove_stale_folders(const std::string& base) {
  std::unique_ptr<DIR, int (*)(DIR*)> list(::opendir(base.c_str()), ::closedir);
  if (!list) return 0;
  std::vector<std::string> names = names_in(list.get());
  std::erase_if(names, [](const std::string& name) { return !is_name_of_ours(name); });
  return static_cast<int>(std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return remove_if_stale(::dirfd(list.get()), name.c_str());
  }));
}

std::string why_unsafe(const std::string& base) {
  if (!base.starts_with('/')) return "not an absolute path";
  sockaddr_un address{};
  const std::size_t longest = sizeof address.sun_path - 1;
  if (base.size() + kBelow.size() > longest)
    return "too long for the name of a socket (with what lies below it at most " + std::to_string(longest) +
           " characters)";
  struct stat told {};
  if (::lstat(base.c_str(), &told) != 0) return std::strerror(errno);
  if (S_ISLNK(told.st_mode)) return "a link";
  if (!S_ISDIR(told.st_mode)) return "not a folder";
  struct stat root {};
  if (::stat("/", &root) != 0) return std::strerror(errno);
  for (std::string at = real_path(base);; at = folder_of(at)) {
    if (::lstat(at.c_str(), &told) != 0) return at + ": " + std::strerror(errno);
    const std::string which = at == base ? "" : "below " + at + ", which ";
    const bool trusted = told.st_uid == ::geteuid() || told.st_uid == root.st_uid;
    if (!trusted) return which + "belongs to another user (uid " + std::to_string(told.st_uid) + ")";
    if ((told.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (told.st_mode & S_ISVTX) == 0)
      return which + "can be written by others";
    if (at == "/") return "";
  }
}

Result<PrivateFolder> PrivateFolder::make(const std::vector<std::string>& bases, std::string_view whom) {
  std::string reasons;
  for (const std::string& base : bases) {
    std::string why = why_unsafe(base);
    if (why.empty()) {
      if (auto made = make_in(base)) return std::move(*made);
      why = std::strerror(errno);
    }
    reasons += (reasons.empty() ? "" : "; ") + base + ": " + why;
  }
  return Error{"cannot make a private folder for " + std::string(whom),
               reasons.empty() ? "no place is named" : reasons,
               "set XDG_RUNTIME_DIR or TMPDIR to a folder that only you may write, with a short name"};
}

// nullopt: errno tells why.
std::optional<PrivateFolder> PrivateFolder::make_in(const std::string& base) {
  remove_stale_folders(base);
  const std::string pattern = base + "/" + std::string(kPrefix) + std::string(kRandom, 'X');
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::string path = pattern;
    if (!::mkdtemp(path.data())) break;  // 0700
    Descriptor lock;
    if (hold(path, lock)) return PrivateFolder(std::move(path), std::move(lock));
    const int code = errno;
    ::rmdir(path.c_str());
    errno = code;
  }
  return std::nullopt;
}

PrivateFolder::~PrivateFolder() {
  if (!lock_.ok()) return;  // moved from
  if (Descriptor folder(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)); folder.ok())
    remove_sockets(folder.get());
  ::unlink((path_ + "/" + kLock).c_str());
  ::rmdir(path_.c_str());
}

}  // namespace tessera
