#include "backends/sim/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace tessera::sim {
namespace {

Error failure(std::string what, const std::string& path, int code) {
  return {std::move(what), path + ": " + std::strerror(code), "check the folder and its permissions"};
}

// Closes what it holds, whatever way the function is left.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

FileStamp stamp(const struct stat& info) {
  return {static_cast<std::uint64_t>(info.st_dev), static_cast<std::uint64_t>(info.st_ino),
          static_cast<std::int64_t>(info.st_size), static_cast<std::int64_t>(info.st_mtim.tv_sec),
          static_cast<std::int64_t>(info.st_mtim.tv_nsec)};
}

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
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
  constexpr off_t kMost = 512 << 20;
  const std::string what = "cannot read the simulator state";
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok() && errno == ENOENT) return std::optional<SavedText>();
  if (!file.ok()) return failure(what, path, errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return failure(what, path, errno);
  if (!S_ISREG(info.st_mode)) return Error{what, path + ": not a regular file", "give another path"};
  if (info.st_size > kMost) return Error{what, path + ": larger than 512 MiB", "give another path"};
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    ssize_t part = ::read(file.get(), text.data() + got, text.size() - got);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return failure(what, path, errno);
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  text.resize(got);
  return std::optional<SavedText>(SavedText{std::move(text), stamp(info)});
}

Result<FileStamp> StateFile::write(std::string_view text) const {
  const std::string what = "cannot save the simulator state";
  std::string temporary = path_ + ".new";
  struct stat info {};
  unlink(temporary.c_str());  // left behind by a crash; the lock says that nobody writes it now
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
  Descriptor folder(::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.ok()) fsync(folder.get());
  return stamp(info);
}

}  // namespace tessera::sim
