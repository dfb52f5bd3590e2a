// The file behind --sim-state: locked while it is used, replaced as a whole, readable by its owner only.
//
// The lock is on a neighbour (PATH.lock), because the file itself is replaced by rename on every save.
// Threads: used on one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"

namespace tessera::sim {

class StateFile {
 public:
  // Takes the lock. Refused at once when another tessera has it: two commands must not act on one world.
  static Result<StateFile> open(const std::string& path);
  ~StateFile();
  StateFile(StateFile&& other) noexcept;
  StateFile& operator=(StateFile&& other) noexcept;
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // nullopt: there is no such file yet.
  Result<std::optional<std::string>> read() const;
  // Temporary file, fsync, rename: after a crash there is the old text or the new one.
  Status write(std::string_view text) const;

 private:
  StateFile(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;
};

}  // namespace tessera::sim
