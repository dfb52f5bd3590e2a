// Canvases made into the fewest bytes that bring a terminal from the last picture to the next.
//
// Curses does that work and lives in painter.cpp alone. It draws into a file in memory, so that the caller
// decides when and where the bytes go, can count them, and no test needs a terminal.
// Threads: the UI thread; curses has one current screen per process.
#pragma once

#include <memory>
#include <string>

#include "engine/error.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/terminal/theme.hpp"

namespace tessera::tui {

struct PainterOptions {
  std::string type;          // TERM
  bool true_colour = false;  // COLORTERM is set: the terminal knows more than an unknown TERM tells
  bool ascii = false;        // draw ASCII only; also without it where the locale is not UTF-8
  bool colour = true;
  Size size{80, 24};
};

class Painter {
 public:
  static Result<std::unique_ptr<Painter>> open(const PainterOptions& options, const Theme& theme);
  ~Painter();
  Painter(const Painter&) = delete;
  Painter& operator=(const Painter&) = delete;

  const std::string& type() const;  // the terminfo entry in use
  bool guessed() const;             // nothing in the terminal's name speaks for it
  Depth depth() const;
  bool ascii() const;
  bool ansi() const;  // understands ESC [ sequences: paste marks, mouse and the like may be sent

  // Bytes that take the terminal over; once, before the first paint.
  std::string start();
  // Bytes that bring it to this canvas; none when nothing differs.
  std::string paint(const Canvas& canvas);
  // Bytes that give it back. The next paint takes it over again.
  std::string leave();
  // The same without curses, prepared for a crash.
  const std::string& restore() const;

  void resize(Size size);
  void set_theme(const Theme& theme);
  void forget();  // the next paint draws everything

 private:
  struct Curses;
  explicit Painter(std::unique_ptr<Curses> curses);
  std::unique_ptr<Curses> curses_;
};

}  // namespace tessera::tui
