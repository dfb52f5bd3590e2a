#include "backends/sim/saved/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "backends/files.hpp"

namespace tessera::sim {
namespace {

Error failure(std::string what, const std::string& path, int code) {
  return {std::move(what), path + ": " + std::strerror(code), "check the folder and its permissions"};
}

FileStamp stamp(const struct stat& info) {
  return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
          static_cast<std::int64_t>(info.st_size), static_cast<std::int64_t>(info.st_mtim.tv_sec),
          static_cast<std::int64_t>(info.st_mtim.tv_nsec)};
}

}  // namespace

std::optional<FileStamp> stamp_of(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return stamp(info);
}

Result<StateFile> StateFile::open(const std::string& path, Duration patience) {
  std::string lock_path = path + ".lock";
  int fd = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return failure("cannot lock the simulator state", lock_path, errno);
  const auto until = std::chrono::steady_clock::now() + patience;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    int code = errno;
    bool held = code == EWOULDBLOCK || code == EINTR;
    if (held && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      continue;
    }
    close(fd);
    if (!held) return failure("cannot lock the simulator state", lock_path, code);
    return Error{"the simulator state is in use", path + ": another tessera holds its lock",
                 "try again; each holds it for a moment only, unless it is stopped"};
  }
  return StateFile(path, fd);
}

StateFile::~StateFile() {
  if (lock_ >= 0) close(lock_);
}
StateFile::StateFile(StateFile&& other) noexcept
    : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}
StateFile& StateFile::operator=(StateFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(lock_, other.lock_);
  return *this;
}

Result<std::optional<SavedText>> read_state(const std::string& path) {
  constexpr std::size_t kMost = 512u << 20;
  auto file = read_whole_file("cannot read the simulator state", path, kMost);
  if (!file) return file.error();
  if (!*file) return std::optional<SavedText>();
  return std::optional<SavedText>(SavedText{std::move((*file)->text), stamp((*file)->about)});
}

Result<FileStamp> StateFile::write(std::string_view text) const {
  const std::string what = "cannot save the simulator state";
  std::string temporary = path_ + ".new";
  struct stat info {};
  unlink(temporary.c_str());  // left behind by a crash; by the lock no process writes it now
  {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.ok()) return failure(what, temporary, errno);
    if (!write_all(file.get(), text) || fsync(file.get()) != 0 || fstat(file.get(), &info) != 0) {
      int code = errno;
      unlink(temporary.c_str());
      return failure(what, temporary, code);
    }
  }
  if (rename(temporary.c_str(), path_.c_str()) != 0) {
    int code = errno;
    unlink(temporary.c_str());
    return failure(what, path_, code);
  }
  // The rename itself must survive a crash too.
  sync_folder(folder_of(path_));
  return stamp(info);
}

}  // namespace tessera::sim
