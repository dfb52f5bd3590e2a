#include "tui/terminal/painter.hpp"

#include <langinfo.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "tui/terminal/ascii.hpp"
#include "tui/terminal/terminfo.hpp"
#include "tui/terminal/utf8.hpp"

#define NCURSES_NOMACROS 1
#include <curses.h>

namespace tessera::tui {
namespace {

struct CloseFile {
  void operator()(FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<FILE, CloseFile>;

File memory_file() {
  const int fd = memfd_create("tessera-frame", MFD_CLOEXEC);
  if (fd < 0) return nullptr;
  FILE* file = fdopen(fd, "w+");
  if (!file) ::close(fd);
  return File(file);
}

// By their own word, whatever else they can.
bool speaks_as_xterm(const std::string& type) {
  for (const std::string_view start :
       {"xterm", "kitty", "alacritty", "foot", "ghostty", "wezterm", "rxvt", "st-"})
    if (type.starts_with(start)) return true;
  return false;
}

bool is_multiplexer(const std::string& type) {
  return type.starts_with("tmux") || type.starts_with("screen");
}

// What to try, in order, where the terminal's own entry is not installed.
std::vector<std::string> candidates(const PainterOptions& options) {
  std::vector<std::string> out{options.type};
  const std::string& type = options.type;
  if (is_multiplexer(type)) {
    if (type.find("256") != std::string::npos) out.emplace_back("screen-256color");
    out.emplace_back("screen");
  }
  // One that names fewer colours has no more.
  const std::size_t colours = type.find("color");
  if (colours != std::string::npos && !type.substr(0, colours).ends_with("256")) {
    for (const char* family : {"xterm", "rxvt", "screen", "tmux"})
      if (type.starts_with(family)) out.emplace_back(family);
    out.emplace_back("vt100");
    return out;
  }
  if (options.true_colour || type.find("256color") != std::string::npos || speaks_as_xterm(type))
    out.emplace_back("xterm-256color");
  out.emplace_back("vt100");
  return out;
}

// By the host's own description of the terminal, else by the one that is built in. No other thread may read
// the environment meanwhile.
SCREEN* new_screen(const std::string& type, FILE* file) {
  if (SCREEN* screen = newterm(type.c_str(), file, file)) return screen;
  const std::string builtin(builtin_terminfo(type));
  if (builtin.empty()) return nullptr;
  const char* present = std::getenv("TERMINFO");
  const std::optional<std::string> before = present ? std::optional<std::string>(present) : std::nullopt;
  setenv("TERMINFO", builtin.c_str(), 1);
  SCREEN* screen = newterm(type.c_str(), file, file);
  if (before)
    setenv("TERMINFO", before->c_str(), 1);
  else
    unsetenv("TERMINFO");
  return screen;
}

// A terminfo string without its padding marks ("$<5>").
std::string capability(const char* name) {
  const char* text = tigetstr(name);
  if (!text || text == reinterpret_cast<const char*>(-1)) return {};
  std::string out(text);
  for (std::size_t at; (at = out.find("$<")) != std::string::npos;) {
    const std::size_t end = out.find('>', at);
    if (end == std::string::npos) break;
    out.erase(at, end - at + 1);
  }
  return out;
}

Error cannot_place_text(const std::string& type) {
  return {"cannot use this terminal", "TERM=" + type + " cannot place text on the screen",
          "set TERM to the terminal's real name, or use the command line: tessera nodes"};
}

Depth depth_of(int colours) {
  if (colours >= 256) return Depth::indexed;
  if (colours >= 16) return Depth::sixteen;
  return colours >= 8 ? Depth::eight : Depth::none;
}

}  // namespace

struct Painter::Curses {
  File file;
  SCREEN* screen = nullptr;
  std::string type;
  Depth depth = Depth::none;
  bool ascii = false;
  bool ansi = false;
  bool guessed = false;
  bool default_colours = false;
  std::string restore;
  Theme theme;
  Canvas shown{Size{}};
  bool everything = true;                        // nothing of `shown` is on the terminal
  std::map<std::pair<short, short>, int> pairs;  // of the theme in use

  explicit Curses(Theme first_theme) : theme(std::move(first_theme)) {}
  ~Curses() {
    if (screen) delscreen(screen);
  }

  // What curses has written since the last call.
  std::string drain() {
    const int fd = fileno(file.get());
    const off_t size = lseek(fd, 0, SEEK_CUR);
    if (size <= 0) return {};
    std::string out(static_cast<std::size_t>(size), '\0');
    std::size_t got = 0;
    while (got < out.size()) {
      const ssize_t n = pread(fd, out.data() + got, out.size() - got, static_cast<off_t>(got));
      if (n <= 0) break;
      got += static_cast<std::size_t>(n);
    }
    out.resize(got);
    lseek(fd, 0, SEEK_SET);
    if (ftruncate(fd, 0) != 0) out.clear();  // cannot happen on a file in memory
    return out;
  }

  int pair_of(short foreground, short background) {
    if (!default_colours) {
      if (foreground < 0) foreground = 7;
      if (background < 0) background = 0;
    }
    const auto key = std::pair{foreground, background};
    if (const auto found = pairs.find(key); found != pairs.end()) return found->second;
    if (foreground < 0 && background < 0) return 0;
    // Numbered here, since curses would hand a number out twice once it has none left, and change the colours
    // of what is on the screen. Without a number it is the terminal's own colours.
    const int pair = static_cast<int>(pairs.size()) + 1;
    if (pair >= COLOR_PAIRS || init_extended_pair(pair, foreground, background) != OK) return 0;
    return pairs[key] = pair;
  }

  cchar_t picture(const wchar_t* text, const Look& look) {
    attr_t attributes = A_NORMAL;
    if (look.bold) attributes |= A_BOLD;
    if (look.dim) attributes |= A_DIM;
    if (look.underline) attributes |= A_UNDERLINE;
    if (look.reverse) attributes |= A_REVERSE;
    int pair = depth == Depth::none ? 0 : pair_of(look.foreground, look.background);
    cchar_t out{};
    setcchar(&out, text, attributes, static_cast<short>(pair), &pair);
    return out;
  }

  // The wide characters of a glyph, if the C library agrees with us on its width; else question marks,
  // since curses would lose count of the columns.
  bool widen(const std::string& glyph, int width, std::array<wchar_t, CCHARW_MAX + 1>& out) const {
    out.fill(0);
    if (glyph.size() == 1) {
      out[0] = static_cast<unsigned char>(glyph[0]);
      return true;
    }
    if (ascii) {
      out[0] = static_cast<unsigned char>(width == 2 ? '?' : ascii_glyph(glyph));
      return width == 1;
    }
    std::string_view rest = glyph;
    for (std::size_t i = 0; i < CCHARW_MAX && !rest.empty(); ++i)
      out[i] = static_cast<wchar_t>(take_code_point(rest));
    bool agreed = wcwidth(out[0]) == width;
    for (std::size_t i = 1; agreed && i < CCHARW_MAX && out[i]; ++i) agreed = wcwidth(out[i]) == 0;
    if (agreed) return true;
    out.fill(0);
    out[0] = L'?';
    return width == 1;
  }

  void draw_cell(const Canvas& canvas, int x, int y) {
    const Cell& cell = canvas.at(x, y);
    if (cell.glyph.empty()) return;  // drawn with its left half
    const bool wide = x + 1 < canvas.size().columns && canvas.at(x + 1, y).glyph.empty();
    std::array<wchar_t, CCHARW_MAX + 1> text{};
    const bool whole = widen(cell.glyph, wide ? 2 : 1, text);
    const cchar_t out = picture(text.data(), theme.look(cell.style, depth));
    mvadd_wchnstr(y, x, &out, 1);
    if (wide && !whole) mvadd_wchnstr(y, x + 1, &out, 1);
  }

  void set_page() {
    const cchar_t blank = picture(L" ", theme.page(depth));
    wbkgrndset(stdscr, &blank);
  }
};

Painter::Painter(std::unique_ptr<Curses> curses) : curses_(std::move(curses)) {}
Painter::~Painter() = default;

Result<std::unique_ptr<Painter>> Painter::open(const PainterOptions& options, const Theme& theme) {
  // Its entry exists, and curses would refuse it without a reason of its own.
  if (options.type == "dumb") return cannot_place_text(options.type);
  auto curses = std::make_unique<Curses>(theme);
  curses->file = memory_file();
  if (!curses->file) return Error{"cannot draw", "there is no memory file to draw into", ""};
  for (const std::string& type : candidates(options)) {
    if (type.empty()) continue;
    curses->screen = new_screen(type, curses->file.get());
    if (!curses->screen) continue;
    curses->type = type;
    curses->guessed = type != options.type && !speaks_as_xterm(options.type) && !is_multiplexer(options.type);
    break;
  }
  if (!curses->screen)
    return Error{"cannot use this terminal", "TERM=" + options.type + " is not known here",
                 "set TERM to one that is, for example xterm-256color"};
  const std::string move = capability("cup");
  if (move.empty()) return cannot_place_text(curses->type);
  curses->ansi = move.starts_with("\x1b[");
  // The font of the Linux console has neither the bars nor the marks.
  const bool console = options.type.starts_with("linux");
  curses->ascii = options.ascii || console || std::string_view(nl_langinfo(CODESET)) != "UTF-8";
  if (options.colour) {
    curses->depth = depth_of(tigetnum("colors"));
    if (curses->depth != Depth::none && start_color() == OK)
      curses->default_colours = use_default_colors() == OK;
    else
      curses->depth = Depth::none;
  }
  for (const char* name : {"sgr0", "op", "cnorm", "rmcup"}) curses->restore += capability(name);
  typeahead(-1);  // never give up a frame because a user types
  std::unique_ptr<Painter> painter(new Painter(std::move(curses)));
  painter->resize(options.size);
  painter->set_theme(theme);
  return painter;
}

const std::string& Painter::type() const { return curses_->type; }
Depth Painter::depth() const { return curses_->depth; }
bool Painter::ascii() const { return curses_->ascii; }
bool Painter::guessed() const { return curses_->guessed; }
bool Painter::ansi() const { return curses_->ansi; }
const std::string& Painter::restore() const { return curses_->restore; }

std::string Painter::start() {
  set_term(curses_->screen);
  curs_set(0);
  return curses_->drain();
}

std::string Painter::paint(const Canvas& canvas) {
  Curses& c = *curses_;
  const Size size = canvas.size();
  if (size != c.shown.size()) resize(size);
  const bool same_cursor = canvas.cursor_x() == c.shown.cursor_x() && canvas.cursor_y() == c.shown.cursor_y();
  bool changed = c.everything || !same_cursor;
  set_term(c.screen);
  for (int y = 0; y < size.rows; ++y) {
    for (int x = 0; x < size.columns; ++x) {
      if (!c.everything && canvas.at(x, y) == c.shown.at(x, y)) continue;
      c.draw_cell(canvas, x, y);
      changed = true;
    }
  }
  if (!changed) return {};
  if (c.everything) clearok(stdscr, TRUE);
  const bool visible = canvas.cursor_x() >= 0;
  leaveok(stdscr, visible ? FALSE : TRUE);  // a hidden cursor need not be moved
  if (visible) wmove(stdscr, canvas.cursor_y(), canvas.cursor_x());
  wrefresh(stdscr);
  if (visible != (c.shown.cursor_x() >= 0) || c.everything) curs_set(visible ? 1 : 0);
  c.shown = canvas;
  c.everything = false;
  return c.drain();
}

std::string Painter::leave() {
  set_term(curses_->screen);
  curs_set(1);
  endwin();
  curses_->everything = true;
  return curses_->drain();
}

void Painter::resize(Size size) {
  set_term(curses_->screen);
  resize_term(size.rows, size.columns);
  curses_->shown = Canvas(size);
  curses_->everything = true;
}

void Painter::set_theme(const Theme& theme) {
  set_term(curses_->screen);
  curses_->theme = theme;
  curses_->everything = true;
  curses_->pairs.clear();
  curses_->set_page();
}

void Painter::forget() { curses_->everything = true; }

}  // namespace tessera::tui
