// A folder of our own for a socket: 0700, held by a lock, gone with its object; and the cleaning up behind
// tesseras that were killed before they could do so.
//
// The lock (flock) goes with its process however that dies, so a folder whose lock can be had is nobody's:
// process ids come back and mean nothing in another container, locks do neither. Only folders of our own user
// that hold nothing but what we put there are ever removed, and no link is followed.
// Threads: any; each object by one at a time.
#pragma once

#include <string>

#include "backends/files.hpp"
#include "engine/error.hpp"

namespace tessera::kubernetes {

class PrivateFolder {
 public:
  // Below `base`: "/tmp/tessera-a1B2c3". Cleans up there first. Errors: it cannot be made.
  static Result<PrivateFolder> make(const std::string& base);
  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept = default;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept = delete;

  const std::string& path() const { return path_; }
  std::string socket() const { return path_ + "/api"; }

 private:
  PrivateFolder(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  Descriptor lock_;
};

// Removes what tesseras that are gone have left in `base`; how many folders.
int remove_stale_folders(const std::string& base);

}  // namespace tessera::kubernetes
