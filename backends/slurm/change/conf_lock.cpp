#include "backends/slurm/change/conf_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstdio>
#include <cstring>

#include "backends/files.hpp"
#include "engine/plan/facts.hpp"
#include "engine/query/value.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kMostProc = 4096;
constexpr std::string_view kProcess = ": process ";
constexpr auto kLongWriting = std::chrono::minutes(10);  // files are written within seconds

Error cannot_lock(const std::string& path) {
  return {"cannot lock Slurm's files", path + ": " + std::strerror(errno), ""};
}

// nullopt: none, or no link; errno says why.
std::optional<std::string> target_of(const std::string& path) {
  char target[PATH_MAX];
  ssize_t size = ::readlink(path.c_str(), target, sizeof target);
  if (size < 0) return std::nullopt;
  return std::string(target, static_cast<std::size_t>(size));
}

std::string proc_text(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.ok() ? read_all(file.get(), kMostProc).value_or("") : "";
}

// Where process numbers mean the same: this boot of this machine, and this container.
std::string realm() {
  std::string boot = proc_text("/proc/sys/kernel/random/boot_id");
  while (!boot.empty() && boot.back() == '\n') boot.pop_back();
  std::string space = target_of("/proc/self/ns/pid").value_or("?");
  std::string digits;
  for (char c : space)
    if (c >= '0' && c <= '9') digits += c;
  return boot + "/" + digits;
}

struct ProcessState {
  std::string started;  // in ticks since the boot; empty: we may not see it
  bool ended = false;   // it only waits to be reaped
};

// proc(5): "PID (any name) STATE ..."; the start is the 22nd field.
ProcessState process_state(int pid) {
  std::string text = proc_text(fmt::format("/proc/{}/stat", pid));
  ProcessState state;
  std::size_t at = text.rfind(") ");
  if (at == std::string::npos || at + 2 >= text.size()) return state;
  state.ended = text[at + 2] == 'Z' || text[at + 2] == 'X';
  ++at;
  for (int field = 3; field < 22 && at != std::string::npos; ++field) at = text.find(' ', at + 1);
  if (at == std::string::npos) return state;
  state.started = text.substr(at + 1, text.find_first_of(" \n", at + 1) - at - 1);
  return state;
}

// That a process cannot be seen in /proc (hidepid) does not mean that it is gone.
bool is_gone(int pid, std::string_view started) {
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  ProcessState now = process_state(pid);
  return now.ended || (!now.started.empty() && now.started != started);
}

bool same_run(std::string_view mark, std::string_view other) {
  auto one = plan::parse_mark(mark), two = plan::parse_mark(other);
  return one && two && one->run == two->run;
}

std::string age_text(TimePoint since, TimePoint now) {
  return query::duration_text(std::chrono::floor<std::chrono::seconds>(now - since).count()) + " old";
}

std::string held_words(const ConfLock& lock, const std::string& path, TimePoint now) {
  std::string place = lock.since ? fmt::format("{}, {}", path, age_text(*lock.since, now)) : path;
  if (lock.maker == ConfLock::Maker::gone)
    return fmt::format("{} has died while it was writing them: its process {} is gone ({})", lock.mark,
                       lock.process, place);
  if (lock.maker == ConfLock::Maker::lives)
    return fmt::format("{} is writing them: its process {} lives ({})", lock.mark, lock.process, place);
  return fmt::format("{} is writing them ({})", lock.mark, place);
}

std::string held_hint(const ConfLock& lock, const std::string& path, const std::string& where) {
  auto mark = plan::parse_mark(lock.mark);
  const std::string rm = fmt::format("{}rm {}", where.empty() ? "" : "on " + where + ": ", path);
  if (lock.maker == ConfLock::Maker::gone)
    return fmt::format("{}no process holds them, so if that run is given up: {}",
                       mark ? fmt::format("tessera resume {} resumes it; ", mark->run) : "", rm);
  if (lock.maker == ConfLock::Maker::lives)
    return fmt::format("wait for that run, or have process {} park it: kill {}", lock.process, lock.process);
  return fmt::format(
      "wait for that run, or resume it; whether it lives is to be seen {}. If it is gone for good: {}",
      mark ? "on " + mark->from : "only where it was started", rm);
}

}  // namespace

std::string lock_of_real(const std::string& slurm_conf) { return slurm_conf + ".tessera-lock"; }

std::string lock_of(const std::string& slurm_conf) { return lock_of_real(real_path(slurm_conf)); }

std::string lock_text(const std::string& mark) {
  const int pid = ::getpid();
  return fmt::format("{}{}{} {} {}", mark, kProcess, pid, process_state(pid).started, realm());
}

ConfLock read_lock(std::string_view text) {
  ConfLock lock;
  std::size_t at = text.rfind(kProcess);
  lock.mark = clean(text.substr(0, at), 400);
  if (at == std::string_view::npos) return lock;
  std::string_view rest = text.substr(at + kProcess.size());
  auto [end, bad] = std::from_chars(rest.data(), rest.data() + rest.size(), lock.process);
  if (bad != std::errc() || lock.process <= 0) {
    lock.process = 0;
    return lock;
  }
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (!rest.starts_with(' ')) return lock;
  rest.remove_prefix(1);
  std::string_view started = rest.substr(0, rest.find(' '));
  rest.remove_prefix(std::min(started.size() + 1, rest.size()));
  if (started.empty() || rest != realm()) return lock;
  lock.maker = is_gone(lock.process, started) ? ConfLock::Maker::gone : ConfLock::Maker::lives;
  return lock;
}

bool may_take(const ConfLock& lock, std::string_view mark) {
  if (!same_run(lock.mark, mark)) return false;
  // Two runs that begin in one minute on two machines, or in two folders, have the same name.
  return lock.maker != ConfLock::Maker::lives || lock.process == ::getpid();
}

std::optional<ConfLock> conf_lock(const std::string& slurm_conf) {
  const std::string path = lock_of(slurm_conf);
  auto text = target_of(path);
  if (!text) return std::nullopt;
  ConfLock lock = read_lock(*text);
  struct stat about {};
  if (::lstat(path.c_str(), &about) == 0) lock.since = TimePoint(std::chrono::seconds(about.st_mtim.tv_sec));
  return lock;
}

Result<std::optional<ConfLock>> lock_conf_files(const std::string& slurm_conf, const std::string& mark) {
  const std::string path = lock_of(slurm_conf), text = lock_text(mark);
  for (int tries = 0; tries < 2; ++tries) {
    if (::symlink(text.c_str(), path.c_str()) == 0) return std::optional<ConfLock>();
    if (errno != EEXIST) return cannot_lock(path);
    auto holder = conf_lock(slurm_conf);
    if (!holder && errno != ENOENT) return cannot_lock(path);
    if (!holder) continue;
    if (!may_take(*holder, mark)) return holder;
    // From now on it says who is at it.
    const std::string fresh = fmt::format("{}.{}", path, ::getpid());
    ::unlink(fresh.c_str());
    if (::symlink(text.c_str(), fresh.c_str()) != 0 || std::rename(fresh.c_str(), path.c_str()) != 0)
      return cannot_lock(path);
    return std::optional<ConfLock>();
  }
  ConfLock others;
  others.mark = "other processes in turn";
  return std::optional(std::move(others));
}

void unlock_conf_files(const std::string& slurm_conf, const std::string& mark) {
  auto holder = conf_lock(slurm_conf);
  if (holder && may_take(*holder, mark)) ::unlink(lock_of(slurm_conf).c_str());
}

Error locked_by(const ConfLock& lock, const std::string& path, const std::string& where, TimePoint now) {
  return {"cannot write Slurm's files", held_words(lock, path, now), held_hint(lock, path, where)};
}

std::optional<Remark> lock_remark(const std::string& slurm_conf, TimePoint now) {
  auto lock = conf_lock(slurm_conf);
  if (!lock) return std::nullopt;
  return lock_remark(*lock, lock_of(slurm_conf), "", now);
}

std::optional<Remark> lock_remark(const ConfLock& lock, const std::string& path, const std::string& where,
                                  TimePoint now) {
  const bool old = lock.since && now - *lock.since > kLongWriting;
  if (lock.maker != ConfLock::Maker::gone && !old) return std::nullopt;
  Remark remark{Remark::Grade::warning, where.empty() ? path : where + ":" + path, false,
                held_words(lock, path, now), held_hint(lock, path, where)};
  remark.since = lock.since;
  return remark;
}

}  // namespace tessera::slurm
