#include "backends/sim/state_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
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

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<StateFile> StateFile::open(const std::string& path) {
  std::string lock_path = path + ".lock";
  int fd = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return failure("cannot lock the simulator state", lock_path, errno);
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    int code = errno;
    close(fd);
    if (code != EWOULDBLOCK) return failure("cannot lock the simulator state", lock_path, code);
    return Error{"the simulator state is in use", path + ": another tessera works on it",
                 "wait until it has ended"};
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

Result<std::optional<std::string>> StateFile::read() const {
  constexpr off_t kMost = 512 << 20;
  const std::string what = "cannot read the simulator state";
  Descriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.ok() && errno == ENOENT) return std::optional<std::string>();
  if (!file.ok()) return failure(what, path_, errno);
  struct stat info {};
  if (fstat(file.get(), &info) != 0) return failure(what, path_, errno);
  if (!S_ISREG(info.st_mode)) return Error{what, path_ + ": not a regular file", "give another path"};
  if (info.st_size > kMost) return Error{what, path_ + ": larger than 512 MiB", "give another path"};
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    ssize_t part = ::read(file.get(), text.data() + got, text.size() - got);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return failure(what, path_, errno);
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  text.resize(got);
  return std::optional<std::string>(std::move(text));
}

Status StateFile::write(std::string_view text) const {
  const std::string what = "cannot save the simulator state";
  std::string temporary = path_ + ".new";
  unlink(temporary.c_str());  // left behind by a crash; the lock says that nobody writes it now
  {
    Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file.ok()) return failure(what, temporary, errno);
    if (!write_all(file.get(), text) || fsync(file.get()) != 0) {
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
  return Done{};
}

}  // namespace tessera::sim
