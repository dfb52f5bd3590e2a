// The file behind --sim-state: locked while it is used, replaced as a whole, readable by its owner only.
//
// The lock is on a neighbour (PATH.lock), because the file itself is replaced by rename on every save.
// Threads: used on one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::sim {

// Which version of a file this is: each save makes another one.
struct FileStamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
// nullopt: there is no such file, or it cannot be looked at.
std::optional<FileStamp> stamp_of(const std::string& path);

struct SavedText {
  std::string text;
  FileStamp stamp;
};

// nullopt: there is no such file yet. Needs no lock: a save replaces the file as a whole.
Result<std::optional<SavedText>> read_state(const std::string& path);

class StateFile {
 public:
  // Takes the lock; waits so long for another tessera that has it, then refuses.
  static Result<StateFile> open(const std::string& path, Duration patience = std::chrono::seconds(5));
  ~StateFile();
  StateFile(StateFile&& other) noexcept;
  StateFile& operator=(StateFile&& other) noexcept;
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  // Temporary file, fsync, rename: after a crash there is the old text or the new one.
  Result<FileStamp> write(std::string_view text) const;

 private:
  StateFile(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_ = -1;
};

}  // namespace tessera::sim
