#include "backends/files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "engine/digest.hpp"

namespace tessera {
namespace {

std::string size_text(std::size_t bytes) {
  constexpr std::size_t kMib = 1u << 20;
  return bytes >= kMib && bytes % kMib == 0 ? std::to_string(bytes / kMib) + " MiB"
                                            : std::to_string(bytes) + " bytes";
}

// No two that write at once have the same.
std::string unfinished_name() {
  static std::atomic<int> count = 0;
  char host[64] = {};
  ::gethostname(host, sizeof host - 1);  // homes are shared by machines
  return std::string(kUnfinished) + digest(host) + "-" + std::to_string(::getpid()) + "-" +
         std::to_string(++count);
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}
Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) close(fd_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}
int Descriptor::release() { return std::exchange(fd_, -1); }

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

std::optional<std::string> read_all(int fd, std::size_t size) {
  std::string text(size, '\0');
  std::size_t got = 0;
  while (got < text.size()) {
    ssize_t part = ::read(fd, text.data() + got, text.size() - got);
    if (part < 0 && errno == EINTR) continue;
    if (part < 0) return std::nullopt;
    if (part == 0) break;
    got += static_cast<std::size_t>(part);
  }
  text.resize(got);
  return text;
}

std::optional<std::string> read_to_end(int fd, std::size_t most) {
  std::string text;
  char part[65536];
  while (true) {
    ssize_t got = ::read(fd, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(part, static_cast<std::size_t>(got));
    if (text.size() > most) {
      errno = EFBIG;
      return std::nullopt;
    }
  }
}

Result<std::optional<WholeFile>> read_whole_file(std::string_view what, const std::string& path,
                                                 std::size_t most) {
  auto refuse = [&](const std::string& reason, const char* hint = "check the path and its permissions") {
    return Error{std::string(what), path + ": " + reason, hint};
  };
  // O_NONBLOCK: open() of a FIFO would wait until a process writes to it.
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.ok() && (errno == ENOENT || errno == ENOTDIR)) return std::optional<WholeFile>();
  WholeFile whole;
  if (!file.ok() || ::fstat(file.get(), &whole.about) != 0) return refuse(std::strerror(errno));
  if (S_ISDIR(whole.about.st_mode)) return refuse("it is a folder", "name a file, or put one in its place");
  if (!S_ISREG(whole.about.st_mode)) return refuse("not a regular file");
  auto text = read_to_end(file.get(), most);  // the size may be 0 in /proc, or grow while it is read
  if (!text && errno == EFBIG) return refuse("larger than " + size_text(most));
  if (!text) return refuse(std::strerror(errno));
  whole.text = std::move(*text);
  return std::optional(std::move(whole));
}

std::string real_path(const std::string& path) {
  char* found = ::realpath(path.c_str(), nullptr);
  if (!found) return path;
  std::string real(found);
  std::free(found);
  return real;
}

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void sync_folder(const std::string& folder) {
  Descriptor open_folder(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (open_folder.ok()) fsync(open_folder.get());
}

bool replace_file_at(int folder, const std::string& name, std::string_view text, mode_t mode) {
  constexpr int kHow = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  std::string part = unfinished_name();
  Descriptor file(::openat(folder, part.c_str(), kHow, mode));
  // Left behind by a process that was killed: in containers its number and its host come again.
  for (int tries = 0; !file.ok() && errno == EEXIST && tries < 100; ++tries)
    file = Descriptor(::openat(folder, (part = unfinished_name()).c_str(), kHow, mode));
  if (!file.ok()) return false;
  if (write_all(file.get(), text) && ::fsync(file.get()) == 0 &&
      ::renameat(folder, part.c_str(), folder, name.c_str()) == 0) {
    ::fsync(folder);
    return true;
  }
  const int why = errno;
  ::unlinkat(folder, part.c_str(), 0);
  errno = why;
  return false;
}

Status replace_file(std::string_view what, const std::string& path, std::string_view text, mode_t mode) {
  const std::string folder = folder_of(path);
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  if (trouble) return Error{std::string(what), folder + ": " + trouble.message(), ""};
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.ok() && replace_file_at(opened.get(), path.substr(path.rfind('/') + 1), text, mode))
    return Done{};
  return Error{std::string(what), path + ": " + std::strerror(errno), ""};
}

}  // namespace tessera
