// Signals as something that poll() can wait for, and a terminal that is given back even after a crash.
//
// A handler may do next to nothing, so it only counts and writes a byte to a pipe; the loop does the rest.
// Handlers can reach nothing but objects of static lifetime: this room holds the console's only ones.
// Threads: one Signals object at a time, on the UI thread; handlers run on any thread.
#pragma once

#include <signal.h>
#include <termios.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera::tui {

class Signals {
 public:
  Signals();   // from now on the signals below are ours
  ~Signals();  // and as they were before again
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  int fd() const { return read_fd_; }  // readable while signals wait
  struct Taken {
    bool resized = false;      // SIGWINCH
    bool stop = false;         // SIGTSTP from outside
    bool continued = false;    // SIGCONT
    std::optional<int> ended;  // SIGTERM, SIGHUP, SIGINT, SIGQUIT, or one without a use: SIGUSR1
  };
  Taken take();
  // A signal that ends the console waits, or was taken: give up what may block.
  bool ending() const;
  std::uint64_t resizes() const { return resizes_; }  // taken so far

 private:
  int read_fd_ = -1;
  std::uint64_t resizes_ = 0;
  bool ended_ = false;
  std::vector<struct sigaction> old_;
};

// The same without the object, for whoever writes where a reader may stall. False while there is no object.
bool end_is_asked();

// Stops the process group as Ctrl-z would; returns when it is continued.
void stop_process_group();

// While it lives, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) writes `restore` to the terminal and
// sets its modes back before the process dies of the same signal.
class CrashGuard {
 public:
  CrashGuard(int terminal_fd, const termios& modes, std::string_view restore);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;
  void pause(bool paused);  // the terminal is given back already, for now

 private:
  std::vector<char> stack_;  // a stack overflow leaves none of the usual one
  stack_t old_stack_{};
};

}  // namespace tessera::tui
