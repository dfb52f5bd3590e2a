// Files as tessera keeps them: descriptors that close themselves, whole reads and writes, folders on the
// disk. Threads: no shared state; each function may be called from any thread. errno tells why something
// failed.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"

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

struct WholeFile {
  std::string text;
  struct stat about {};  // taken from the open file
};
// A regular file, whole. Never waits for the writer of a FIFO, never reads from a device. Links are followed.
// nullopt: there is no such file. Errors: `what`, with the path and the reason: it is no regular file, it
// holds more than `most` bytes, or the system's own words.
Result<std::optional<WholeFile>> read_whole_file(std::string_view what, const std::string& path,
                                                 std::size_t most);

// Without links in it; as it is, where that cannot be told.
std::string real_path(const std::string& path);
// "." for a name alone.
std::string folder_of(const std::string& path);
// A name that was made, or changed, in that folder survives a crash.
void sync_folder(const std::string& folder);

// Puts `text` in the place of that file as a whole: whoever reads it, and whoever finds it after a crash, has
// all of what was there before or all of this. Makes its folder where it is missing; a link is replaced and
// not followed. Errors: `what`, with the path and the system's own words; what was there stands.
Status replace_file(std::string_view what, const std::string& path, std::string_view text,
                    mode_t mode = 0600);
// The same in a folder that is open; false: errno tells why.
bool replace_file_at(int folder, const std::string& name, std::string_view text, mode_t mode = 0600);
// How names begin of what is not yet in its place: a crash may leave it behind.
inline constexpr std::string_view kUnfinished = ".part-";

}  // namespace tessera
