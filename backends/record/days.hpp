// The days of one cluster's recording as files that take room. The oldest go first where there is too little,
// and never the one that is written to; one that became thinner is put in its place only where that is still
// as it was read.
// Threads: any. The recorder's rounds and the thread that makes days thinner meet here.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::record {

// A name beside that file for what cannot be read of it. Nothing that was kept is written over: the lock
// keeps other recorders from the same name.
std::string name_beside(const std::string& path);

// Puts what cannot be read of a file beside it. What is there already to the byte, since a recorder was
// killed before it had put the file itself right, is kept once.
struct KeptBeside {
  std::string path;
  bool is_new = false;
};
Result<KeptBeside> keep_beside(const std::string& path, std::string_view bytes, mode_t mode);

class Days {
 public:
  // most: bytes of all together; 0: no bound.
  Days(std::string folder, std::int64_t most) : folder_(std::move(folder)), most_(most) {}

  // Names of files, as they sort: oldest first.
  std::vector<std::string> names() const;
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }

  // From now on that one stays as it is. Called before it is opened.
  void write_to(const std::string& name);
  bool is_written(const std::string& name) const;

  // Removes the oldest until so many bytes more are within the bound.
  void make_room(std::uintmax_t more);
  // The same, but where the files were above it when the first of them was opened, since the bound is new or
  // smaller: these may be made thinner first, and make_room() comes behind that.
  void keep_room(std::uintmax_t more);

  // read: as it was when it was read. aside: what is kept of it beside the day, before that takes its place;
  // empty: nothing. nullopt: it is another one by now, or is written to, and stays. Else the name of what was
  // kept, which may be empty.
  Result<std::optional<std::string>> replace(const std::string& name, const struct stat& read,
                                             std::string_view text, std::string_view aside = {});

 private:
  struct File {
    std::string name;
    std::uintmax_t size = 0;
  };
  std::optional<std::vector<File>> files() const;  // nullopt: the folder cannot be read
  bool is_within() const;
  // Those before that name; empty: any.
  void remove_oldest(std::uintmax_t more, const std::string& before);

  const std::string folder_;
  const std::uintmax_t most_;
  mutable std::mutex mutex_;
  std::string written_;   // under the mutex
  bool settled_ = false;  // ... the files are kept within the bound
};

}  // namespace tessera::record
