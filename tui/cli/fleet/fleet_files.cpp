#include "tui/cli/fleet/fleet_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <sstream>

#include "engine/digest.hpp"
#include "engine/fleet/reader.hpp"
#include "engine/text.hpp"
#include "engine/yaml.hpp"
#include "tui/cli/fleet/fleet_log.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

Error no_such(const std::string& name) {
  return {"cannot read the fleet file", "there is no file " + name,
          "tessera fleet init " + name + " writes one from what stands now"};
}

// Which zones there are is known only here, after the file was read: its line is looked for once more.
Error at_time_zone(const std::string& text, const std::string& file, Error error) {
  const auto root = parse_yaml(text, file);
  const Yaml* zone = root ? root->find("time_zone") : nullptr;
  if (zone) error.reason = fmt::format("{}:{}:{}: {}", file, zone->line, zone->column, error.reason);
  return error;
}

Result<ReadFleet> fleet_of(const std::string& text, const std::string& path,
                           const mig::Catalogue& catalogue) {
  auto fleet = fleet::read_fleet(text, clean(path, 300), catalogue);
  if (!fleet) return fleet.error();
  ReadFleet read{std::move(*fleet), {}, digest(text)};
  if (read.fleet.time_zone.empty()) return read;
  auto zone = zone_of(read.fleet.time_zone);
  if (!zone) return at_time_zone(text, clean(path, 300), zone.error());
  read.zone = std::move(*zone);
  return read;
}

}  // namespace

Result<std::string> fleet_text(const std::string& path) {
  auto files = read_files({path});
  if (!files) return files.error();
  if (files->empty()) return no_such(clean(path, 300));
  return std::move(files->front().text);
}

Result<ReadFleet> read_fleet_file(const std::string& path, const mig::Catalogue& catalogue) {
  auto text = fleet_text(path);
  return text ? fleet_of(*text, path, catalogue) : text.error();
}

std::string resolved(const std::string& path) {
  std::error_code problem;
  const auto whole = std::filesystem::weakly_canonical(path, problem);
  return problem ? path : whole.string();
}

std::string whole_path_of(const std::string& path) { return clean(resolved(path), 300); }

tui::FleetTold answer_fleet(const tui::FleetOrder& order, const mig::Catalogue& catalogue, TimePoint wall,
                            const std::string& state) {
  using What = tui::FleetOrder::What;
  tui::FleetTold told;
  told.path = order.path;
  const Status done = order.what == What::pause     ? pause_fleet(order.path, wall, order.who)
                      : order.what == What::unpause ? unpause_fleet(order.path, order.seen)
                                                    : Status(Done{});
  if (!done) told.failure = done.error();
  told.paused = paused_since(order.path);
  const bool asked = order.what == What::pause || order.what == What::unpause;
  // What could not be noted is lacking in the log alone: the screen shows the pause by its mark.
  if (done && asked)
    (void)note_pause({order.path, state}, wall, order.who, order.what == What::pause ? "" : order.seen);
  // A file that was written again says the same; an edit may leave its time and its length as they were.
  const auto text = fleet_text(order.path);
  if (text) told.stamp = digest(*text);
  if (order.what != What::read) return told;
  auto read = text ? fleet_of(*text, order.path, catalogue) : Result<ReadFleet>(text.error());
  tui::FleetFile file;
  file.stamp = told.stamp;
  file.whole = whole_path_of(order.path);
  if (read)
    file.fleet = std::move(read->fleet), file.zone = std::move(read->zone);
  else
    file.failure = read.error();
  told.file = std::make_shared<const tui::FleetFile>(std::move(file));
  return told;
}

Result<fleet::Zone> zone_of(const std::string& name) {
  if (name == "UTC") return fleet::Zone();
  constexpr std::uintmax_t kMostBytes = 1u << 20;
  const std::string path = "/usr/share/zoneinfo/" + name;
  const Error none{"cannot read the fleet file",
                   "there is no time zone " + clean(name, 100) + " in /usr/share/zoneinfo",
                   "write a name like Europe/Berlin; the package tzdata has them"};
  std::error_code untold;
  if (std::filesystem::is_directory(path, untold)) return none;  // "Europe" is a folder of zones
  auto files = read_files({path}, kMostBytes);
  if (!files) return files.error();
  if (files->empty()) return none;
  return fleet::read_zone(files->front().text, name);
}

namespace {

// Some network file systems lock only what is open for writing.
int open_to_lock(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0644);
  return file >= 0 ? file : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (flags & O_NOFOLLOW));
}

// A mark that has not been renewed for so long is of a runner that was killed.
constexpr std::chrono::minutes kFresh{10};

// One that is younger is not written again: each time costs a wait for the disk.
constexpr std::chrono::minutes kYoung{1};

constexpr off_t kMostMark = 300;

std::string host_here() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] ? name.data() : "?";
}

// What a link leads to, or something else that stands there, is not written over.
bool takes_mark(int file) {
  struct stat info {};
  return file >= 0 && ::fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
         info.st_size <= kMostMark;
}

// Known by its boot: names are not unique everywhere, nor are the machine IDs of hosts made from one image.
std::string boot_here() {
  const int file = ::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  std::array<char, 64> text{};
  const ssize_t size = file >= 0 ? ::read(file, text.data(), text.size()) : -1;
  if (file >= 0) ::close(file);
  std::string id(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (id.ends_with('\n')) id.pop_back();
  return id.size() == 36 && id.find_first_not_of("0123456789abcdef-") == std::string::npos ? id : "?";
}

struct Mark {
  std::string host, process, boot;  // boot: empty or "?": it is not told
};

Mark mark_of(const std::string& line) {
  Mark mark;
  std::istringstream(line) >> mark.host >> mark.process >> mark.boot;
  return mark;
}

std::string host_and_process(const Mark& mark) {
  return clean(mark.process.empty() ? mark.host : mark.host + " " + mark.process, 300);
}

bool is_of_other_host(const Mark& mark, const Mark& own) {
  const auto told = [](const Mark& one) { return !one.boot.empty() && one.boot != "?"; };
  return mark.host != own.host || (told(mark) && told(own) && mark.boot != own.boot);
}

// What stands in FILE.lock; nullopt: it cannot be read, as errno says. Through a descriptor of its own: some
// network file systems look for what others have written only where a file is opened.
std::optional<std::string> line_in(int file) {
  const int opened = ::open(fmt::format("/proc/self/fd/{}", file).c_str(), O_RDONLY | O_CLOEXEC);
  std::array<char, kMostMark> text{};
  const ssize_t size = ::pread(opened >= 0 ? opened : file, text.data(), text.size(), 0);
  const int problem = errno;
  if (opened >= 0) ::close(opened);
  errno = problem;
  if (size < 0) return std::nullopt;
  const std::string_view all(text.data(), static_cast<std::size_t>(size));
  return std::string(all.substr(0, all.find('\n')));
}

// How long ago it was written, by the clock of where the file lies: the clock here may be another one.
// nullopt: that clock is told to the owner of the file alone.
std::optional<std::chrono::seconds> age_there(int file) {
  const timespec touched[2] = {{0, UTIME_NOW}, {0, UTIME_OMIT}};
  struct stat info {};
  if (::futimens(file, touched) != 0 || ::fstat(file, &info) != 0) return std::nullopt;
  return std::chrono::seconds(info.st_atime - info.st_mtime);
}

bool is_old(int file) {
  if (const auto age = age_there(file)) return *age >= kFresh;
  struct stat info {};
  return ::fstat(file, &info) == 0 && std::chrono::seconds(::time(nullptr) - info.st_mtime) >= kFresh;
}

bool is_young(int file) {
  const auto age = age_there(file);
  return age && *age >= std::chrono::seconds(0) && *age < kYoung;
}

// Host and process of a runner on another host that is at work; empty: none.
std::string other_at_work(int file, const std::string& line, const std::string& own) {
  const Mark mark = mark_of(line);
  if (mark.host.empty() || !is_of_other_host(mark, mark_of(own))) return "";
  return is_old(file) ? "" : host_and_process(mark);
}

// 0: it is locked; else errno.
int lock(int file) { return file >= 0 && ::flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }

}  // namespace

FleetLock::FleetLock(const std::string& path, const std::string& state, const std::function<void()>& settle)
    : mark_(fmt::format("{} {} {}", host_here(), ::getpid(), boot_here())) {
  beside_ = open_to_lock(resolved(path) + ".lock", O_CREAT | O_NOFOLLOW);
  if (beside_ < 0)
    if (const std::string kept = kept_for({path, state}, ".lock"); !kept.empty())
      beside_ = open_to_lock(kept, O_CREAT | O_NOFOLLOW);
  const int first = lock(beside_);
  file_ = open_to_lock(path, 0);
  const int second = lock(file_);
  if (first == EWOULDBLOCK || second == EWOULDBLOCK)
    problem_ = EWOULDBLOCK;
  else if (first != 0 && second != 0)
    problem_ = first;
  renew();
  // Two that began together saw no mark of each other: the one whose mark was written over gives way.
  if (!marked_ || !settle) return;
  settle();
  renew();
}

// Where another user's FILE.lock cannot be written there is no mark, and its owner's host alone sees the
// lock. Where a mark of this runner stood and that of another one stands now, that one has taken over.
void FleetLock::renew() const {
  if (why_not() || !takes_mark(beside_)) return;
  const auto line = line_in(beside_);
  if (!line)
    problem_ = errno;
  else if (!marked_)
    other_ = other_at_work(beside_, *line, mark_);
  else if (line != mark_)
    other_ = host_and_process(mark_of(*line));
  if (why_not() || (marked_ && line == mark_ && is_young(beside_))) return;
  write_mark();
}

// On the disk at once: a mark that only waits to be written is seen by no other host.
void FleetLock::write_mark() const {
  const std::string line = mark_ + "\n";
  if (::pwrite(beside_, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size())) return;
  (void)!::ftruncate(beside_, static_cast<off_t>(line.size()));
  marked_ = ::fsync(beside_) == 0 || marked_;
}

FleetLock::~FleetLock() {
  if (!why_not() && takes_mark(beside_) && line_in(beside_) == mark_) (void)!::ftruncate(beside_, 0);
  if (beside_ >= 0) ::close(beside_);
  if (file_ >= 0) ::close(file_);
}

std::optional<Error> FleetLock::why_not() const {
  if (!other_.empty())
    return Error{
        "nothing is begun",
        fmt::format("a tessera fleet run on another host is at work on this file (host and process: {})",
                    other_),
        "wait until it has ended, and install the timer on one host alone; one that was killed counts "
        "for 10 minutes"};
  if (problem_ == 0) return std::nullopt;
  if (problem_ == EWOULDBLOCK)
    return Error{"nothing is begun", "another tessera fleet run is at work on this file",
                 "wait until it has ended"};
  return Error{"nothing is begun", "the fleet file cannot be locked: " + std::string(std::strerror(problem_)),
               "keep it in a folder that its runner may write, on a file system with locks"};
}

}  // namespace tessera::cli
