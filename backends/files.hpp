// Files as tessera keeps them: descriptors that close themselves, whole reads and writes, folders on the
// disk. Threads: no shared state; each function may be called from any thread. errno tells why something
// failed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

// Closes what it holds, whatever way the function is left.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  int release();  // the caller closes it

 private:
  int fd_;
};

// Both go on after a signal. `size`: what fstat told; a file that was cut in the meantime gives less.
bool write_all(int fd, std::string_view text);
std::optional<std::string> read_all(int fd, std::size_t size);
// Of what has no size, as standard input. EFBIG: more than `most` bytes came.
std::optional<std::string> read_to_end(int fd, std::size_t most);

// Without links in it; as it is, where that cannot be told.
std::string real_path(const std::string& path);
// "." for a name alone.
std::string folder_of(const std::string& path);
// A name that was made, or changed, in that folder survives a crash.
void sync_folder(const std::string& folder);

}  // namespace tessera
