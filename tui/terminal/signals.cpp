#include "tui/terminal/signals.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <iterator>

namespace tessera::tui {
namespace {

constexpr int kWatched[] = {SIGWINCH, SIGTSTP, SIGCONT, SIGTERM, SIGHUP,
                            SIGINT,   SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};
constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
// Those for which tessera has no use end it by default, which would leave the terminal raw.
constexpr int kEnding[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGXCPU};

// What the handlers share with the loop. Bit n: signal n came.
std::atomic<std::uint64_t> pending{0};
std::atomic<int> pipe_in{-1};

constexpr std::uint64_t bit(int number) { return std::uint64_t{1} << static_cast<unsigned>(number); }

extern "C" void note_signal(int number) {
  const int saved = errno;
  pending.fetch_or(bit(number));
  const int fd = pipe_in.load();
  if (fd >= 0 && write(fd, "s", 1) < 0) {
    // A full pipe wakes the loop just as well.
  }
  errno = saved;
}

void set_handler(int number, void (*handler)(int), struct sigaction* old) {
  struct sigaction action {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  // No SA_RESTART: a write that hangs on a stalled terminal must notice that it is time to go.
  sigaction(number, &action, old);
}

// Prepared beforehand, because a crashed process may neither allocate nor lock.
struct Crash {
  std::atomic<bool> armed{false};
  int fd = -1;
  termios modes{};
  char text[1024] = {};
  std::size_t size = 0;
  struct sigaction old[std::size(kCrashes)]{};
};
Crash crash;

extern "C" void give_back_and_die(int number) {
  if (crash.armed.exchange(false)) {
    if (write(crash.fd, crash.text, crash.size) < 0) {
      // Nothing better can be done here.
    }
    tcsetattr(crash.fd, TCSANOW, &crash.modes);
  }
  // The handlers from before decide how to die: the default leaves a core, a sanitizer its report.
  for (std::size_t i = 0; i < std::size(kCrashes); ++i) sigaction(kCrashes[i], &crash.old[i], nullptr);
  raise(number);
}

}  // namespace

Signals::Signals() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0) {
    read_fd_ = ends[0];
    pipe_in = ends[1];
  }
  pending = 0;
  for (const int number : kWatched) set_handler(number, note_signal, &old_.emplace_back());
  // A terminal that went away is noticed by the failing write.
  set_handler(SIGPIPE, SIG_IGN, &old_.emplace_back());
}

Signals::~Signals() {
  std::size_t i = 0;
  for (const int number : kWatched) sigaction(number, &old_[i++], nullptr);
  sigaction(SIGPIPE, &old_[i], nullptr);
  const int fd = pipe_in.exchange(-1);
  if (fd >= 0) close(fd);
  if (read_fd_ >= 0) close(read_fd_);
}

Signals::Taken Signals::take() {
  char bytes[64];
  while (read(read_fd_, bytes, sizeof bytes) > 0) {
  }
  const std::uint64_t bits = pending.exchange(0);
  Taken out;
  out.resized = (bits & bit(SIGWINCH)) != 0;
  out.stop = (bits & bit(SIGTSTP)) != 0;
  out.continued = (bits & bit(SIGCONT)) != 0;
  for (const int number : kEnding)
    if ((bits & bit(number)) != 0) out.ended = number;
  ended_ = ended_ || out.ended;
  if (out.resized) ++resizes_;
  return out;
}

bool Signals::ending() const { return ended_ || end_is_asked(); }

bool end_is_asked() {
  const std::uint64_t bits = pending.load();
  for (const int number : kEnding)
    if ((bits & bit(number)) != 0) return true;
  return false;
}

void stop_process_group() {
  struct sigaction ours {};
  // The rest of the group first, then this very thread: a stop sent to the whole process could arrive a
  // moment late on another thread, when the terminal has been taken back already.
  set_handler(SIGTSTP, SIG_IGN, &ours);
  kill(0, SIGTSTP);
  set_handler(SIGTSTP, SIG_DFL, nullptr);
  raise(SIGTSTP);
  sigaction(SIGTSTP, &ours, nullptr);
}

CrashGuard::CrashGuard(int terminal_fd, const termios& modes, std::string_view restore) : stack_(64 * 1024) {
  crash.fd = terminal_fd;
  crash.modes = modes;
  crash.size = std::min(restore.size(), sizeof crash.text);
  std::memcpy(crash.text, restore.data(), crash.size);
  crash.armed = true;
  stack_t stack{};
  stack.ss_sp = stack_.data();
  stack.ss_size = stack_.size();
  sigaltstack(&stack, &old_stack_);
  struct sigaction action {};
  action.sa_handler = give_back_and_die;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(kCrashes); ++i) sigaction(kCrashes[i], &action, &crash.old[i]);
}

CrashGuard::~CrashGuard() {
  crash.armed = false;
  for (std::size_t i = 0; i < std::size(kCrashes); ++i) sigaction(kCrashes[i], &crash.old[i], nullptr);
  sigaltstack(&old_stack_, nullptr);
}

void CrashGuard::pause(bool paused) { crash.armed = !paused; }

}  // namespace tessera::tui
