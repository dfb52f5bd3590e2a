#include "backends/runs/store.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "backends/runs/difference.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::runs {
namespace {

constexpr std::size_t kLargest = 64U << 20U;
constexpr std::size_t kLongestId = 100;
constexpr int kMostNames = 1000;
constexpr std::string_view kSuffix = ".journal", kArmed = ".armed";
constexpr std::string_view kCannotKeep = "cannot keep the journal";
constexpr std::string_view kCannotRead = "cannot read the journal";

std::string hint_for(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return "make room there; a run whose journal cannot be written does not act";
    case EACCES:
    case EPERM:
    case EROFS: return "name a folder that can be written in XDG_STATE_HOME";
    case ENOLCK: return "this file system keeps no locks; name a folder on another one in XDG_STATE_HOME";
    default: return "check the folder and its permissions";
  }
}

Error failure(std::string_view what, const std::string& path, int code) {
  return {std::string(what), fmt::format("{}: {}", path, std::strerror(code)), hint_for(code)};
}
Error refusal(std::string_view what, const std::string& path, std::string why, std::string hint) {
  return {std::string(what), fmt::format("{}: {}", path, why), std::move(hint)};
}

// Every part that is missing, for us alone.
bool make_folders(const std::string& path) {
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    std::string part = path.substr(0, slash);
    if (mkdir(part.c_str(), 0700) == 0)
      sync_folder(folder_of(part));
    else if (errno != EEXIST && slash == std::string::npos)
      return false;
    if (slash == std::string::npos) return true;
  }
}

Stamp stamp_of(const struct stat& info) {
  return {static_cast<std::uint64_t>(info.st_ino), static_cast<std::int64_t>(info.st_size),
          static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec};
}

// A listing of runs holds a lock for a moment to see whether it is free; that is worth a second try.
bool lock_for_driving(int fd) {
  constexpr int kTries = 6, kPauseMs = 20;
  for (int i = 0; i < kTries; ++i) {
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
    if (errno != EWOULDBLOCK && errno != EINTR) return false;
    if (i + 1 < kTries) poll(nullptr, 0, kPauseMs);
  }
  errno = EWOULDBLOCK;
  return false;
}

bool is_locked(int fd) { return flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

// Whoever may write to the folder above may put another folder into the place of this one.
std::optional<Error> why_replaceable(int folder) {
  struct stat above {
  }, own{};
  if (fstatat(folder, "..", &above, 0) != 0 || fstat(folder, &own) != 0)
    return Error{"", "the folder above it cannot be looked at", "check its permissions"};
  const bool others_write = (above.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (above.st_mode & S_ISVTX) == 0;
  const bool others_own = above.st_uid != 0 && above.st_uid != geteuid() && above.st_uid != own.st_uid;
  if (!others_write && !others_own) return std::nullopt;
  return Error{"",
               others_own ? "the folder above it belongs to another user, who could replace it"
                          : "others can write to the folder above it, and could replace it",
               "chmod go-w the folder above it, or name another folder"};
}

Result<std::string> read_journal(int fd, const std::string& path) {
  struct stat info {};
  if (fstat(fd, &info) != 0) return failure(kCannotRead, path, errno);
  if (static_cast<std::size_t>(info.st_size) > kLargest)
    return refusal(kCannotRead, path, "larger than 64 MiB", "tessera writes none of that size");
  if (lseek(fd, 0, SEEK_SET) < 0) return failure(kCannotRead, path, errno);
  auto text = read_all(fd, static_cast<std::size_t>(info.st_size));
  if (!text) return failure(kCannotRead, path, errno);
  return std::move(*text);
}

}  // namespace

int put_and_sync(int fd, std::string_view text, const Sync& sync) {
  return write_all(fd, text) && sync(fd) == 0 ? 0 : errno;
}

bool is_run_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c < 128 && (std::isalnum(c) || c == '-'); });
}

std::string run_id(TimePoint start, const NodeName& first, std::uint64_t random) {
  std::string time = utc_text(start);  // 2026-11-21T14:03:22Z
  std::string id = time.substr(0, 4) + time.substr(5, 2) + time.substr(8, 2) + "-" + time.substr(11, 2) +
                   time.substr(14, 2) + "-";
  constexpr std::size_t kLongestNode = 60;
  for (char c : first.text.substr(0, kLongestNode)) id += is_run_id(std::string_view(&c, 1)) ? c : '-';
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  id += '-';
  for (int i = 0; i < 6; ++i, random /= kDigits.size()) id += kDigits[random % kDigits.size()];
  return id;
}

JournalFile::JournalFile(Descriptor file, std::string path, std::size_t size, Put put)
    : file_(std::move(file)), path_(std::move(path)), size_(size), put_(std::move(put)) {}

Status JournalFile::append(std::string_view lines) {
  int code = put_(file_.get(), lines);
  if (code == 0) {
    size_ += lines.size();
    return Done{};
  }
  if (ftruncate(file_.get(), static_cast<off_t>(size_)) == 0) fsync(file_.get());
  return failure("cannot write the journal", path_, code);
}

void JournalFile::discard() {
  unlink(path_.c_str());
  file_ = Descriptor();
}

JournalStore::JournalStore(std::string folder, std::string shared_folder, Put put, Sync sync)
    : put_(std::move(put)), sync_(sync ? std::move(sync) : Sync(fsync)) {
  if (!put_) put_ = [sync = sync_](int fd, std::string_view text) { return put_and_sync(fd, text, sync); };
  if (!shared_folder.empty()) folders_.push_back({std::move(shared_folder), true});
  if (!folder.empty()) folders_.push_back({std::move(folder), false});
}

Result<Descriptor> JournalStore::open_folder(const Folder& folder, std::string_view what) const {
  Descriptor opened(::open(folder.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened.ok() && (errno == ELOOP || errno == ENOTDIR))
    return refusal(what, folder.path, "not a folder of its own (links are not followed)",
                   "name the folder itself");
  if (!opened.ok()) return failure(what, folder.path, errno);
  struct stat info {};
  if (fstat(opened.get(), &info) != 0) return failure(what, folder.path, errno);
  if (folder.shared) {
    if ((info.st_mode & S_IWOTH) != 0 || (info.st_mode & S_ISGID) == 0)
      return refusal(what, folder.path,
                     "a shared folder must keep its group (setgid) and be closed to others",
                     "chmod 2770 " + folder.path);
  } else if (info.st_uid != geteuid()) {
    return refusal(what, folder.path, "it belongs to another user",
                   "run tessera as its owner, or name another folder in XDG_STATE_HOME");
  } else if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return refusal(what, folder.path, "others can write there", "chmod 700 " + folder.path);
  }
  if (auto why = why_replaceable(opened.get())) return refusal(what, folder.path, why->reason, why->hint);
  return opened;
}

Result<Descriptor> JournalStore::open_journal(const Folder& folder, const std::string& name, int flags,
                                              std::string_view what) const {
  std::string path = folder.path + "/" + name;
  Result<Descriptor> home = open_folder(folder, what);
  if (!home) return home;
  // Not blocking: a pipe by that name must not hold us up.
  Descriptor file(openat(home->get(), name.c_str(), flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!file.ok() && errno == ELOOP)
    return refusal(what, path, "a symbolic link", "links are not followed; move the journal itself there");
  if (!file.ok()) return failure(what, path, errno);
  struct stat info {
  }, around{};
  if (fstat(file.get(), &info) != 0 || fstat(home->get(), &around) != 0) return failure(what, path, errno);
  if (!S_ISREG(info.st_mode)) return refusal(what, path, "not a regular file", "move it away");
  const std::string hint = "look into it; then chown or chmod it, or move it away";
  bool ours = info.st_uid == geteuid();
  bool colleagues = folder.shared && info.st_gid == around.st_gid;
  if (!ours && !colleagues) return refusal(what, path, "it belongs to another user", hint);
  mode_t too_open = S_IWOTH | (folder.shared ? 0U : static_cast<unsigned>(S_IWGRP));
  if ((info.st_mode & too_open) != 0) return refusal(what, path, "others can write it", hint);
  return file;
}

Result<JournalStore::Made> JournalStore::create(const std::string& base) {
  if (folders_.empty())
    return Error{std::string(kCannotKeep), "neither XDG_STATE_HOME nor HOME is set",
                 "name a folder in XDG_STATE_HOME; a run without a journal does not act"};
  const Folder& folder = folders_.front();
  if (!folder.shared && !make_folders(folder.path)) return failure(kCannotKeep, folder.path, errno);
  Result<Descriptor> home = open_folder(folder, kCannotKeep);
  if (!home) return home.error();
  const mode_t mode = folder.shared ? 0660 : 0600;
  for (int number = 1; number <= kMostNames; ++number) {
    std::string run = number == 1 ? base : fmt::format("{}-{}", base, number);
    std::string name = run + std::string(kSuffix), path = folder.path + "/" + name;
    if (folders_.size() > 1 && access((folders_[1].path + "/" + name).c_str(), F_OK) == 0) continue;
    Descriptor file(openat(home->get(), name.c_str(),
                           O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_NOFOLLOW | O_CLOEXEC, mode));
    if (!file.ok() && errno == EEXIST) continue;
    if (!file.ok()) return failure(kCannotKeep, path, errno);
    // The umask may have taken the group's part away.
    if (fchmod(file.get(), mode) != 0 || !lock_for_driving(file.get()) || sync_(home->get()) != 0) {
      int code = errno;
      unlinkat(home->get(), name.c_str(), 0);
      return failure(kCannotKeep, path, code);
    }
    return Made{std::move(run), JournalFile(std::move(file), std::move(path), 0, put_)};
  }
  return Error{std::string(kCannotKeep), folder.path + ": too many runs of that minute", "wait a minute"};
}

Result<JournalStore::Place> JournalStore::find(const std::string& run, int flags,
                                               std::string_view what) const {
  if (!is_run_id(run))
    return Error{std::string(what), fmt::format("'{}' is not the name of a run", clean(run, 40)),
                 "tessera journal lists them"};
  for (const Folder& folder : folders_) {
    std::string name = run + std::string(kSuffix), path = folder.path + "/" + name;
    struct stat info {};
    if (lstat(path.c_str(), &info) != 0) continue;
    Result<Descriptor> file = open_journal(folder, name, flags, what);
    if (!file) return file.error();
    return Place{folder, std::move(*file), std::move(path)};
  }
  return Error{std::string(what), fmt::format("no journal of run {} here", run),
               "tessera journal lists them; a run that was begun elsewhere is resumed there"};
}

Result<JournalStore::Taken> JournalStore::take(const std::string& run) {
  constexpr std::string_view kCannotTake = "cannot resume the run";
  Result<Place> place = find(run, O_RDWR | O_APPEND, kCannotTake);
  if (!place) return place.error();
  if (!lock_for_driving(place->file.get())) {
    if (errno != EWOULDBLOCK) return failure(kCannotTake, place->path, errno);
    return refusal(kCannotTake, place->path, "another tessera drives it",
                   "watch it with tessera journal; it can be resumed once that one has parked or ended");
  }
  Result<std::string> text = read_journal(place->file.get(), place->path);
  if (!text) return text.error();
  Result<plan::Journal> journal = plan::parse_journal(*text, place->path);
  if (!journal) return journal.error();
  if (journal->torn && (ftruncate(place->file.get(), static_cast<off_t>(journal->good_bytes)) != 0 ||
                        fsync(place->file.get()) != 0))
    return failure(kCannotTake, place->path, errno);
  text->resize(journal->good_bytes);
  JournalFile file(std::move(place->file), place->path, journal->good_bytes, put_);
  return Taken{std::move(file), std::move(*journal), std::move(*text)};
}

Result<JournalStore::Seen> JournalStore::look(const std::string& run) const {
  Result<Place> place = find(run, O_RDONLY, kCannotRead);
  if (!place) return place.error();
  Result<std::string> text = read_journal(place->file.get(), place->path);
  if (!text) return text.error();
  Result<plan::Journal> journal = plan::parse_journal(*text, place->path);
  if (!journal) return journal.error();
  text->resize(journal->good_bytes);
  return Seen{std::move(*journal), std::move(*text), is_locked(place->file.get())};
}

bool JournalStore::driven(const std::string& run) const {
  Result<Place> place = find(run, O_RDONLY, kCannotRead);
  return place && is_locked(place->file.get());
}

std::vector<JournalStore::Listed> JournalStore::list(std::vector<Error>& troubles) const {
  std::vector<Listed> all;
  for (const Folder& folder : folders_) {
    Result<Descriptor> home = open_folder(folder, "cannot list the runs");
    // Nothing was ever run here: that is no trouble.
    if (!home && !folder.shared && access(folder.path.c_str(), F_OK) != 0 && errno == ENOENT) continue;
    if (!home) {
      troubles.push_back(home.error());
      continue;
    }
    std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(home->get()), closedir);
    if (!entries) continue;
    int fd = home->release();
    while (const dirent* entry = readdir(entries.get())) {
      std::string name = static_cast<const char*>(entry->d_name);
      if (!name.ends_with(kSuffix)) continue;
      std::string run = name.substr(0, name.size() - kSuffix.size());
      struct stat info {};
      if (fstatat(fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      all.push_back({std::move(run), folder.path + "/" + name, stamp_of(info), folder.shared});
    }
  }
  return all;
}

// ── what was armed ────────────────────────────────────────────────────────────────────────────────────

const JournalStore::Folder* JournalStore::own_folder() const {
  for (const Folder& folder : folders_)
    if (!folder.shared) return &folder;
  return nullptr;
}

bool JournalStore::is_shared(const std::string& run) const {
  for (const Folder& folder : folders_)
    if (access((folder.path + "/" + run + std::string(kSuffix)).c_str(), F_OK) == 0) return folder.shared;
  return false;
}

void JournalStore::remember(const std::string& run, const plan::Chain& left) const {
  const Folder* own = own_folder();
  if (!own || !is_run_id(run) || !is_shared(run) || !make_folders(own->path)) return;
  Result<Descriptor> home = open_folder(*own, kCannotKeep);
  if (!home) return;
  const std::string name = run + std::string(kArmed), fresh = name + ".new";
  unlinkat(home->get(), fresh.c_str(), 0);
  Descriptor file(
      openat(home->get(), fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  // Where others have written to it in this very moment, what they changed cannot be told later.
  Result<Seen> seen = look(run);
  const bool same = seen && seen->journal.chain == left;
  if (!file.ok() || put_and_sync(file.get(), left.last() + "\n" + (same ? seen->text : ""), sync_) != 0)
    return;
  if (renameat(home->get(), fresh.c_str(), home->get(), name.c_str()) == 0) sync_(home->get());
}

void JournalStore::forget(const std::string& run) const {
  const Folder* own = own_folder();
  if (!own || !is_run_id(run)) return;
  unlink((own->path + "/" + run + std::string(kArmed)).c_str());
}

std::optional<std::string> JournalStore::armed(const std::string& run) const {
  const Folder* own = own_folder();
  if (!own || !is_run_id(run)) return std::nullopt;
  Result<Descriptor> file = open_journal(*own, run + std::string(kArmed), O_RDONLY, kCannotRead);
  if (!file) return std::nullopt;
  auto text = read_all(file->get(), kLargest);
  return text && text->find('\n') != std::string::npos ? std::move(text) : std::nullopt;
}

std::vector<std::string> JournalStore::changed(const std::string& run) const {
  std::optional<std::string> left = armed(run);
  Result<Seen> seen = look(run);
  if (!left || !seen) return {};
  left->erase(0, left->find('\n') + 1);
  return left->empty() ? std::vector<std::string>{} : difference(*left, seen->text);
}

std::string JournalStore::why_unarmed(const std::string& run, const plan::Chain& now) const {
  if (!is_shared(run)) return "";
  constexpr const char* kNever = "it lies in a shared folder and you have not armed it";
  std::optional<std::string> left = armed(run);
  if (!left) return kNever;
  if (left->substr(0, left->find('\n')) != now.last()) return "others have written to it since you left it";
  return "";
}

}  // namespace tessera::runs
