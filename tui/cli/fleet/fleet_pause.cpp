// The mark beside a fleet file that keeps its runs from beginning anything.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/fleet/fleet_files.hpp"
#include "tui/cli/fleet/fleet_log.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

// What lies beside a file whose runs are paused.
constexpr const char* kPaused = ".paused";
constexpr const char* kUntold = "?";

Error cannot(std::string reason, std::string hint) {
  return {"cannot unpause", std::move(reason), std::move(hint)};
}
Error anothers(const std::string& now) {
  return cannot("another pause stands there by now, since " + now, "ask why before you remove that one, too");
}

// Holds one file open, so that its number is no other file's for as long as this lives.
class Mark {
 public:
  explicit Mark(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  ~Mark() {
    if (file_ >= 0) ::close(file_);
  }
  bool is_open() const { return file_ >= 0; }
  uid_t owner() const { return info().st_uid; }
  bool is_at(const std::string& path) const {
    struct stat there {};
    const struct stat here = info();
    return ::stat(path.c_str(), &there) == 0 && there.st_ino == here.st_ino && there.st_dev == here.st_dev;
  }
  std::string since() const {
    std::array<char, 1024> text{};
    const ssize_t size = ::pread(file_, text.data(), text.size(), 0);
    const std::string since =
        size > 0 ? clean({text.data(), static_cast<std::size_t>(size)}, 100) : std::string();
    return since.empty() ? kUntold : since;
  }

 private:
  struct stat info() const {
    struct stat info {};
    (void)::fstat(file_, &info);
    return info;
  }
  int file_;
};

bool is_none(const std::string& mark) {
  struct stat info {};
  return ::lstat(mark.c_str(), &info) != 0 && errno == ENOENT;
}

// Beside the file itself, so that whoever reaches it by another link sees it.
std::string mark_of(const std::string& path) { return resolved(path) + kPaused; }

// The mark that stands there: earlier versions left it beside the link.
std::string standing_mark(const std::string& path) {
  const std::string mark = mark_of(path), beside_link = path + kPaused;
  return is_none(mark) && !is_none(beside_link) ? beside_link : mark;
}

// Where one stands there again meanwhile, that one stays, and it is paused as well.
void put_back(const std::string& taken, const std::string& mark) {
  if (::link(taken.c_str(), mark.c_str()) == 0 || errno == EEXIST)
    ::unlink(taken.c_str());
  else
    ::rename(taken.c_str(), mark.c_str());
}

}  // namespace

Pause pause_of(const std::string& path) {
  const std::string mark = standing_mark(path);
  const Mark now(mark);
  if (now.is_open()) return {now.since(), now.owner() == ::geteuid()};
  return is_none(mark) ? Pause() : Pause{kUntold, false};
}

std::string paused_since(const std::string& path) { return pause_of(path).since; }

Status pause_fleet(const std::string& path, TimePoint wall, const std::string& who) {
  return write_new(mark_of(path), fmt::format("{} by {}", utc_text(wall), name_or_uid(who)),
                   "where that file is there, it is paused already");
}

Status unpause_fleet(const std::string& path, const std::string& seen) {
  const std::string mark = standing_mark(path);
  const std::string taken = fmt::format("{}.{}", mark, ::getpid());
  const Mark now(mark);
  const std::string since = now.is_open() ? now.since() : paused_since(path);
  if (since.empty()) return cannot("it is not paused", "tessera fleet run does what is due");
  if (since != seen) return anothers(since);
  // It is judged where no other can reach it: between a look and a removal another one may come there.
  if (::rename(mark.c_str(), taken.c_str()) != 0)
    return errno == ENOENT ? cannot("it is not paused", "tessera fleet run does what is due")
                           : cannot(std::strerror(errno), "remove " + clean(mark, 300) + " by hand");
  const bool same = !now.is_open() || (now.is_at(taken) && now.since() == seen);
  if (!same) {
    const std::string other = Mark(taken).since();
    put_back(taken, mark);
    return anothers(other);
  }
  if (::unlink(taken.c_str()) != 0) {
    const Error why = cannot(std::strerror(errno), "remove " + clean(taken, 300) + " by hand");
    put_back(taken, mark);
    return why;
  }
  return Done{};
}

}  // namespace tessera::cli
