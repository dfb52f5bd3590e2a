#include "tui/cli/fleet/fleet_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/text.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {

Result<fleet::Zone> zone_of(const std::string& name) {
  if (name == "UTC") return fleet::Zone();
  constexpr std::uintmax_t kMostBytes = 1u << 20;
  auto files = read_files({"/usr/share/zoneinfo/" + name}, kMostBytes);
  if (!files) return files.error();
  if (files->empty())
    return Error{"cannot read the fleet file",
                 "there is no time zone " + clean(name, 100) + " in /usr/share/zoneinfo",
                 "write a name like Europe/Berlin; the package tzdata has them"};
  return fleet::read_zone(files->front().text, name);
}

namespace {

// Some network file systems lock only what is open for writing.
int open_to_lock(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0644);
  return file >= 0 ? file : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

// 0: it is locked; else errno.
int lock(int file) { return file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

}  // namespace

FleetLock::FleetLock(const std::string& path) {
  beside_ = open_to_lock(path + ".lock", O_CREAT);
  const int first = lock(beside_);
  file_ = open_to_lock(path, 0);
  const int second = lock(file_);
  if (first == EWOULDBLOCK || second == EWOULDBLOCK)
    problem_ = EWOULDBLOCK;
  else if (first != 0 && second != 0)
    problem_ = first;
}

FleetLock::~FleetLock() {
  if (beside_ >= 0) ::close(beside_);
  if (file_ >= 0) ::close(file_);
}

std::optional<Error> FleetLock::why_not() const {
  if (problem_ == 0) return std::nullopt;
  if (problem_ == EWOULDBLOCK)
    return Error{"nothing is begun", "another tessera fleet run is at work on this file",
                 "wait until it has ended"};
  return Error{"nothing is begun", "the fleet file cannot be locked: " + std::string(std::strerror(problem_)),
               "keep it in a folder that its runner may write, on a file system with locks"};
}

}  // namespace tessera::cli
