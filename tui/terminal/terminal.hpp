// A terminal as the console sees it: a size, a place to put a canvas, and input.
//
// open_terminal() gives the real one; tests drive the same loop with one of their own.
// Threads: the UI thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/terminal/decoder.hpp"
#include "tui/terminal/signals.hpp"
#include "tui/terminal/theme.hpp"

namespace tessera::tui {

class Terminal {
 public:
  virtual ~Terminal() = default;

  virtual Size size() const = 0;
  // Only what differs from the last canvas goes out; nothing at all when nothing differs.
  virtual void present(const Canvas& canvas) = 0;
  // Forget what the terminal shows: the next present() paints everything.
  virtual void forget() = 0;
  virtual void set_theme(const Theme& theme) = 0;

  virtual int input_fd() const = 0;
  // What can be read now without waiting. Check ended() after it.
  virtual std::vector<Input> read() = 0;
  // Input is held back until more comes or this much time goes by; then call expire().
  virtual std::optional<Duration> waiting() const = 0;
  virtual std::vector<Input> expire() = 0;
  virtual bool ended() const = 0;  // the terminal is gone

  virtual void resized() = 0;  // size() may differ now
  virtual void set_mouse(bool on) = 0;
  // To the clipboard of the person at the terminal, by OSC 52; fails when it is too long for one.
  static constexpr std::size_t kMaxCopy = 74994;
  virtual Status copy(std::string_view text) = 0;
  // Rings the bell and names the window, for whoever looks elsewhere; the window has its name back when the
  // terminal is given back. Nothing where a terminal takes no such sequence.
  virtual void ring(std::string_view title) = 0;
  // Gives the terminal back, stops the process group, and comes back when it is continued.
  virtual void suspend() = 0;
  // The process was stopped and continued by another user: take the terminal over again.
  virtual void resumed() = 0;

  // Counters for tests and the about screen.
  virtual std::uint64_t bytes_read() const = 0;
  virtual std::uint64_t bytes_written() const = 0;
};

struct TerminalOptions {
  bool ascii = false;  // as if the locale were not UTF-8
  bool colour = true;  // false: attributes only (--no-color, NO_COLOR)
};

struct TerminalFacts {
  std::string called;    // TERM
  std::string type;      // the terminfo entry in use: "xterm-256color"
  bool guessed = false;  // it is not known, and its name does not say what it speaks
  Depth depth = Depth::none;
  bool ascii = false;
};

struct OpenTerminal {
  std::unique_ptr<Terminal> terminal;
  TerminalFacts facts;
};

// Takes over the terminal on stdin and stdout until the result is destroyed. Fails when there is none, or
// when it cannot place text.
Result<OpenTerminal> open_terminal(const TerminalOptions& options, const Theme& theme,
                                   const Signals& signals);

}  // namespace tessera::tui
