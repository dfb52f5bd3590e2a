// A folder of our own for sockets: 0700, held by a lock, gone with its object; and the cleaning up behind
// tesseras that were killed before they could do so.
//
// Whoever may rename or replace what lies in a folder could put a socket of their own in its place and read
// every request: so it is made only where no user but us and the machine's owner (the owner of "/") can do
// that, the folders above included, or where the sticky bit keeps them from it, as in /tmp.
//
// The lock (flock) goes with its process however that dies, so a folder whose lock can be had is left over:
// process ids come back and mean nothing in another container, locks do neither. Only folders of our own user
// that hold nothing but what we put there are ever removed, and no link is followed.
// Threads: any; each object by one at a time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/files.hpp"
#include "engine/error.hpp"

namespace tessera {

class PrivateFolder {
 public:
  // Below the first of `bases` that is safe: "/tmp/tessera-a1B2c3". Cleans up there first. Errors: it can be
  // made in none of them, each with its reason. whom: who needs it, for that error.
  static Result<PrivateFolder> make(const std::vector<std::string>& bases, std::string_view whom);
  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept = default;
  PrivateFolder& operator=(PrivateFolder&& other) noexcept = delete;

  const std::string& path() const { return path_; }
  std::string socket() const { return path_ + "/api"; }
  // One of those that ssh makes and listens at.
  std::string ssh_socket(std::size_t number) const { return path_ + "/ssh-" + std::to_string(number); }

 private:
  static std::optional<PrivateFolder> make_in(const std::string& base);
  PrivateFolder(std::string path, Descriptor lock) : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  Descriptor lock_;
};

// Why no private folder is made in `base`: it belongs to another user, is a link, can be written by others,
// is no folder, or its name is too long for a socket below it; empty: it is safe.
std::string why_unsafe(const std::string& base);

// Removes what tesseras that are gone have left in `base`; how many folders.
int remove_stale_folders(const std::string& base);

}  // namespace tessera
