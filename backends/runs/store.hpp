// The journals as files: one folder of the user's own, and perhaps one that colleagues share.
//
// RUN.journal, mode 0600 (0660 in the shared folder), made with O_EXCL, written by appending, on the disk
// before append() returns. Whoever drives a run holds the file's lock (flock), so that no second tessera
// takes it up; the lock goes with its process. Symbolic links are not followed, and a file that others could
// have written is refused: a journal says what is done next to a cluster. Threads: no shared state; one
// object for one thread at a time. Blocks for the disk.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/files.hpp"
#include "engine/plan/run/journal.hpp"

namespace tessera::runs {

// Puts text at the end of a file and onto the disk; 0 or errno.
using Put = std::function<int(int fd, std::string_view text)>;
// Has the disk keep a file or a folder: fsync(2), unless a test counts.
using Sync = std::function<int(int fd)>;
int put_and_sync(int fd, std::string_view text, const Sync& sync);

// Letters, digits and '-': what may be the name of a journal.
bool is_run_id(std::string_view text);
// "20261121-1403-n0031-k3f9ab": the UTC minute of the start, the first node, and six letters of `random`, so
// that two runs whose journals lie apart never have one mark.
std::string run_id(TimePoint start, const NodeName& first, std::uint64_t random);

// A journal that is driven: open, and locked until this goes.
class JournalFile {
 public:
  JournalFile(Descriptor file, std::string path, std::size_t size, Put put);
  const std::string& path() const { return path_; }
  // Whole lines. After an error nothing of them stands in the file, as far as the disk lets us; then nothing
  // more may be appended.
  Status append(std::string_view lines);
  // Takes the file away again: nothing was begun.
  void discard();

 private:
  Descriptor file_;
  std::string path_;
  std::size_t size_ = 0;
  Put put_;
};

// What tells one state of a file from another.
struct Stamp {
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;
  friend bool operator==(const Stamp&, const Stamp&) = default;
};

class JournalStore {
 public:
  // Either may be empty: there is none. put: empty for put_and_sync; sync: empty for fsync.
  JournalStore(std::string folder, std::string shared_folder, Put put, Sync sync = {});

  // A new, empty, locked journal, in the shared folder where there is one. Its run's id is `base`, with -2,
  // -3 ... where that is taken. The user's own folder is made when it is not there.
  struct Made {
    std::string run;
    JournalFile file;
  };
  Result<Made> create(const std::string& base);

  // Locks a journal for driving it, and cuts off a torn last line. Errors: none by that name, driven by
  // another tessera (is_driven), not readable, not written by one of us.
  struct Taken {
    JournalFile file;
    plan::Journal journal;
    std::string text;
  };
  Result<Taken> take(const std::string& run);

  // Everything whole that stands in it now, whoever drives it.
  struct Seen {
    plan::Journal journal;
    std::string text;
    bool driven = false;
  };
  Result<Seen> look(const std::string& run) const;
  bool driven(const std::string& run) const;

  struct Listed {
    std::string run;
    std::string path;
    Stamp stamp;
    bool shared = false;
  };
  // Every *.journal, also those that cannot be read. troubles: folders that cannot be.
  std::vector<Listed> list(std::vector<Error>& troubles) const;

  // Of a journal in the shared folder: this user's tessera leaves it as it is now, up to that tie. Kept with
  // a copy of its text in the user's own folder (RUN.armed), where no other user writes. Where it cannot be
  // kept, no timer resumes it.
  void remember(const std::string& run, const plan::Chain& left) const;
  // The run has ended: it cannot be resumed any more.
  void forget(const std::string& run) const;
  // What others have changed since this user left it (difference.hpp); empty: nothing, or it is not known.
  std::vector<std::string> changed(const std::string& run) const;
  // Why no timer may take that journal up: others have written to it, or this user never armed it. Empty: it
  // may; always so for one in the user's own folder.
  std::string why_unarmed(const std::string& run, const plan::Chain& now) const;

 private:
  struct Folder {
    std::string path;
    bool shared = false;
  };
  Result<Descriptor> open_folder(const Folder& folder, std::string_view what) const;
  Result<Descriptor> open_journal(const Folder& folder, const std::string& name, int flags,
                                  std::string_view what) const;
  const Folder* own_folder() const;
  bool is_shared(const std::string& run) const;
  // RUN.armed: the tie of the last line, a line end, the journal's text.
  std::optional<std::string> armed(const std::string& run) const;
  // The folder that holds it, or an error that says that none does.
  struct Place {
    Folder folder;
    Descriptor file;
    std::string path;
  };
  Result<Place> find(const std::string& run, int flags, std::string_view what) const;

  std::vector<Folder> folders_;  // new journals go to the first one
  Put put_;
  Sync sync_;
};

}  // namespace tessera::runs
