// The real binary in a pseudo-terminal, read back through libvterm.
//
// Nothing sleeps: the console says when it has nothing left to do (TESSERA_IDLE_FD), how many bytes of
// input it has read and how many it has written, so a test waits for exactly the keys that it has sent and
// the bytes that they caused. A small parent process between test and console plays the shell: it has the
// console in a process group of its own, so that Ctrl-z stops it, and tells how it ended.
// Threads: one test at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/patience.hpp"

namespace tessera::test {

struct PtyOptions {
  int columns = 120;
  int rows = 40;
  std::vector<std::string> arguments;              // after the program's name
  std::map<std::string, std::string> environment;  // over a clean one: TERM=xterm-256color, LANG=C.UTF-8
  std::string program;                             // empty: the tessera that was built
};

struct PtyCell {
  std::string glyph;  // empty: right half of a wide one
  bool bold = false;
  bool underline = false;
  bool reverse = false;
  bool coloured = false;  // any colour but the terminal's own
  int foreground = -1;    // palette index; -1 the terminal's own
  int background = -1;
};

class Pty {
 public:
  explicit Pty(const PtyOptions& options);
  ~Pty();  // ends the process, if it still runs
  Pty(const Pty&) = delete;
  Pty& operator=(const Pty&) = delete;

  // All of these wait at most kPatience; false: it did not happen.
  bool wait_idle();                      // every key and signal sent so far is dealt with
  bool wait_loaded();                    // idle, and every cluster has shown its first complete picture
  bool wait_for(std::string_view text);  // idle again and again until it is on the screen
  bool wait_until(const std::function<bool()>& condition);  // looked at whenever something happens
  // Not one byte comes out while this time goes by: the only thing that takes a test real time.
  bool quiet_for(std::chrono::milliseconds time);
  bool wait_stopped();
  bool wait_ended();

  void send(std::string_view bytes);
  bool press(std::string_view bytes);  // send and wait_idle
  void signal(int number);             // counted, for wait_idle, when the console watches it
  void resize(int columns, int rows);
  void stall();  // as Ctrl-s does: from now on the terminal takes not one byte more

  std::string screen() const;  // rows without trailing blanks
  std::string row(int y) const;
  PtyCell cell(int x, int y) const;
  bool has(std::string_view text) const { return screen().find(text) != std::string::npos; }
  bool cursor_visible() const;
  bool alternate() const;                // the console's own screen is shown, not the shell's
  const std::string& bytes() const;      // everything that came out
  std::uint64_t written() const;         // bytes that the console says it has written to its terminal
  bool echoes() const;                   // the terminal is in its ordinary mode again
  std::optional<int> exit_code() const;  // after wait_ended; nullopt: killed by a signal
  std::optional<int> end_signal() const;
  pid_t pid() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::test
