#include "tui/terminal/terminal.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>

#include "engine/text.hpp"
#include "tui/terminal/clipboard.hpp"
#include "tui/terminal/locale.hpp"
#include "tui/terminal/painter.hpp"

namespace tessera::tui {
namespace {

// Paste marks and focus reports; the mouse is switched apart.
constexpr std::string_view kModesOn = "\x1b[?2004h\x1b[?1004h";
// xterm's stack of titles.
constexpr std::string_view kKeepTitle = "\x1b[22;2t", kGiveTitleBack = "\x1b[23;2t";
constexpr std::size_t kLongestTitle = 80;
constexpr std::string_view kModesOff = "\x1b[?1004l\x1b[?2004l";
constexpr std::string_view kMouseOn = "\x1b[?1000h\x1b[?1006h";
constexpr std::string_view kMouseOff = "\x1b[?1006l\x1b[?1000l";
// A size that no screen has would only be a way to use up the memory.
constexpr int kMaxColumns = 1000;
constexpr int kMaxRows = 500;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

termios raw_modes(termios modes) {
  modes.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
  modes.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  modes.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | IEXTEN | ISIG);
  modes.c_cflag &= ~static_cast<tcflag_t>(CSIZE | PARENB);
  modes.c_cflag |= CS8;
  modes.c_cc[VMIN] = 1;
  modes.c_cc[VTIME] = 0;
  return modes;
}

Size window_size(int fd) {
  winsize window{};
  Size out{0, 0};
  if (ioctl(fd, TIOCGWINSZ, &window) == 0) out = {window.ws_col, window.ws_row};
  if (out.columns == 0) out.columns = std::atoi(environment("COLUMNS").c_str());
  if (out.rows == 0) out.rows = std::atoi(environment("LINES").c_str());
  if (out.columns <= 0) out.columns = 80;
  if (out.rows <= 0) out.rows = 24;
  return {std::min(out.columns, kMaxColumns), std::min(out.rows, kMaxRows)};
}

class Tty final : public Terminal {
 public:
  Tty(int in, bool close_in, int out, const termios& modes, std::unique_ptr<Painter> painter,
      const Signals& signals)
      : in_(in),
        close_in_(close_in),
        out_(out),
        modes_(modes),
        painter_(std::move(painter)),
        signals_(signals) {
    guard_.emplace(out, modes,
                   std::string(extras(kMouseOff)) + std::string(extras(kModesOff)) + painter_->restore());
    painter_->resize(size());
    take_over();
  }

  ~Tty() override {
    give_back();
    guard_.reset();
    if (close_in_) close(in_);
  }

  Size size() const override { return window_size(out_); }
  void present(const Canvas& canvas) override { send(painter_->paint(canvas)); }
  void forget() override { painter_->forget(); }
  void set_theme(const Theme& theme) override { painter_->set_theme(theme); }

  int input_fd() const override { return in_; }
  bool ended() const override { return ended_; }
  std::optional<Duration> waiting() const override { return decoder_.waiting(); }
  std::vector<Input> expire() override { return decoder_.expire(); }

  std::vector<Input> read() override {
    std::vector<Input> out;
    // The descriptor is shared with the shell, so it stays blocking and is asked first. What a single turn
    // takes is bounded: a flood of input must not keep the picture from moving.
    for (int round = 0; round < 64; ++round) {
      pollfd ready{in_, POLLIN, 0};
      if (poll(&ready, 1, 0) <= 0) break;
      char bytes[4096];
      const ssize_t got = ::read(in_, bytes, sizeof bytes);
      if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (got <= 0) {
        ended_ = true;
        break;
      }
      read_ += static_cast<std::uint64_t>(got);
      for (Input& input : decoder_.feed_read({bytes, static_cast<std::size_t>(got)}))
        out.push_back(std::move(input));
    }
    return out;
  }

  void resized() override { painter_->resize(size()); }

  void set_mouse(bool on) override {
    if (on == mouse_) return;
    mouse_ = on;
    send(extras(on ? kMouseOn : kMouseOff));
  }

  Status copy(std::string_view text) override {
    if (text.size() > kMaxCopy)
      return Error{"cannot copy", "it is longer than " + std::to_string(kMaxCopy) + " bytes",
                   "mark fewer rows"};
    if (!painter_->ansi() || painter_->type() == "linux" || painter_->type().starts_with("vt"))
      return Error{"cannot copy", "TERM=" + painter_->type() + " has no clipboard", ""};
    const bool screen = environment("TERM").starts_with("screen");
    const Multiplexer between = !environment("TMUX").empty() ? Multiplexer::tmux
                                : screen                     ? Multiplexer::screen
                                                             : Multiplexer::none;
    send(copy_sequence(text, between));
    return Done{};
  }

  void ring(std::string_view title) override {
    send("\a");
    // A console on a screen of its own has no window to name, and would print the words.
    if (!painter_->ansi() || painter_->type() == "linux" || painter_->type().starts_with("vt")) return;
    if (!std::exchange(named_, true)) send(kKeepTitle);
    send("\x1b]2;" + clean(title, kLongestTitle) + "\x1b\\");
  }

  void suspend() override {
    give_back();
    stop_process_group();
    take_over();
  }

  void resumed() override { take_over(); }

  std::uint64_t bytes_read() const override { return read_; }
  std::uint64_t bytes_written() const override { return written_; }

 private:
  std::string_view extras(std::string_view modes) const {
    return painter_->ansi() ? modes : std::string_view{};
  }

  // Continued in the background, the process is stopped here until `fg`; the signal that comes with it
  // interrupts the call, which then has to be made again.
  void set_modes(const termios& modes) {
    // What a stalled terminal has not taken is not waited for.
    while (tcsetattr(out_, stalled_ ? TCSANOW : TCSADRAIN, &modes) != 0 && errno == EINTR) {
      if (!signals_.ending()) continue;
      tcsetattr(out_, TCSANOW, &modes);  // the terminal is stalled, and it is time to leave
      return;
    }
  }

  void take_over() {
    guard_->pause(false);
    const termios raw = raw_modes(modes_);
    set_modes(raw);
    painter_->forget();
    send(painter_->start());
    send(extras(kModesOn));
    if (mouse_) send(extras(kMouseOn));
  }

  void give_back() {
    if (mouse_) send(extras(kMouseOff));
    if (std::exchange(named_, false)) send(kGiveTitleBack);
    send(extras(kModesOff));
    send(painter_->leave());
    set_modes(modes_);
    guard_->pause(true);
  }

  // A write to a terminal that takes nothing blocks until a signal comes, and one that came before it does
  // not count: so it is asked first, and gets no more than it has room for.
  void send(std::string_view bytes) {
    constexpr std::size_t kPiece = 256;
    constexpr int kLookEveryMs = 100;
    while (!bytes.empty() && !ended_) {
      pollfd ready{out_, POLLOUT, 0};
      const int able = poll(&ready, 1, kLookEveryMs);
      if (able == 0 || (able < 0 && errno == EINTR)) {
        stalled_ = signals_.ending();
        if (stalled_) return;  // it is time to leave
        continue;
      }
      const ssize_t sent = ::write(out_, bytes.data(), std::min(bytes.size(), kPiece));
      if (sent < 0) {
        if (errno == EAGAIN || errno == EINTR) {
          if (signals_.ending()) return;
          continue;
        }
        ended_ = true;
        return;
      }
      written_ += static_cast<std::uint64_t>(sent);
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  int in_;
  bool close_in_;
  int out_;
  termios modes_;  // as they were found
  std::unique_ptr<Painter> painter_;
  const Signals& signals_;
  std::optional<CrashGuard> guard_;
  Decoder decoder_;
  bool mouse_ = false;
  bool named_ = false;  // the window has a name of ours
  bool ended_ = false;
  bool stalled_ = false;  // it took nothing when it was time to leave
  std::uint64_t read_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace

Result<OpenTerminal> open_terminal(const TerminalOptions& options, const Theme& theme,
                                   const Signals& signals) {
  const Error none{"cannot open the console", "this is no terminal",
                   "run tessera in a terminal, or use the command line: tessera nodes"};
  termios modes{};
  if (!isatty(STDOUT_FILENO) || tcgetattr(STDOUT_FILENO, &modes) != 0) return none;
  const bool piped = !isatty(STDIN_FILENO);
  const int in = piped ? open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
  if (in < 0) return none;

  take_locale();
  PainterOptions painting;
  painting.type = environment("TERM");
  painting.true_colour = !environment("COLORTERM").empty();
  painting.ascii = options.ascii;
  painting.colour = options.colour;
  painting.size = window_size(STDOUT_FILENO);
  auto painter = Painter::open(painting, theme);
  if (!painter) {
    if (piped) close(in);
    return painter.error();
  }
  TerminalFacts facts{painting.type, (*painter)->type(), (*painter)->guessed(), (*painter)->depth(),
                      (*painter)->ascii()};
  auto tty = std::make_unique<Tty>(in, piped, STDOUT_FILENO, modes, std::move(*painter), signals);
  return OpenTerminal{std::move(tty), std::move(facts)};
}

}  // namespace tessera::tui
