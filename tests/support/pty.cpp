#include "tests/support/pty.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <vterm.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

using Clock = std::chrono::steady_clock;

// What the process between tells: 'p' its pid, 's' stopped, 'e' exit code, 'k' killed by.
struct Report {
  char kind = 0;
  int value = 0;
};

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

void tell(int fd, char kind, int value) {
  const Report report{kind, value};
  if (write(fd, &report, sizeof report) != sizeof report) _exit(99);
}

// The parent of the console inside the terminal. Runs in a forked child: no allocation after this point
// but what execve's arguments needed before.
[[noreturn]] void play_shell(const std::vector<char*>& argv, const std::vector<char*>& env, int reports) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGTTOU, SIG_IGN);
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    tcsetpgrp(STDIN_FILENO, getpid());
    signal(SIGTTOU, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execve(argv[0], argv.data(), env.data());
    _exit(127);
  }
  setpgid(child, child);
  tell(reports, 'p', child);
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, WUNTRACED) < 0) _exit(98);
    if (WIFSTOPPED(status)) {
      tell(reports, 's', WSTOPSIG(status));
      continue;
    }
    tell(reports, WIFEXITED(status) ? 'e' : 'k', WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    break;
  }
  for (;;) pause();  // keeps the terminal open until it has been looked at
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

}  // namespace

struct Pty::State {
  int master = -1;
  int idle = -1;
  int reports = -1;
  pid_t shell = -1;
  pid_t child = -1;
  VTerm* vterm = nullptr;
  VTermScreen* screen = nullptr;
  int columns = 0, rows = 0;
  bool alternate = false;
  bool cursor = true;
  std::string bytes;

  std::uint64_t sent = 0, signals_sent = 0;                // by the test
  std::uint64_t read = 0, signals_taken = 0, written = 0;  // as the console told last
  int loading = 0;
  bool told = false;
  std::string idle_text;
  bool stopped = false;
  std::optional<int> code, killed;

  static int set_property(VTermProp property, VTermValue* value, void* user) {
    auto* self = static_cast<State*>(user);
    if (property == VTERM_PROP_ALTSCREEN) self->alternate = value->boolean != 0;
    if (property == VTERM_PROP_CURSORVISIBLE) self->cursor = value->boolean != 0;
    return 1;
  }

  void open_vterm() {
    vterm = vterm_new(rows, columns);
    vterm_set_utf8(vterm, 1);
    screen = vterm_obtain_screen(vterm);
    static const VTermScreenCallbacks callbacks = [] {
      VTermScreenCallbacks out{};
      out.settermprop = set_property;
      return out;
    }();
    vterm_screen_set_callbacks(screen, &callbacks, this);
    vterm_screen_enable_altscreen(screen, 1);
    vterm_screen_reset(screen, 1);
  }

  bool ended() const { return code || killed; }

  // Takes what has come from the three sides; waits until `until` for the first of it.
  bool pump(Clock::time_point until) {
    pollfd fds[] = {{master, POLLIN, 0}, {idle, POLLIN, 0}, {reports, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0 || poll(fds, 3, static_cast<int>(left)) <= 0) return false;
    char buffer[65536];
    if ((fds[0].revents & POLLIN) != 0) {
      const ssize_t got = ::read(master, buffer, sizeof buffer);
      if (got > 0) {
        bytes.append(buffer, static_cast<std::size_t>(got));
        vterm_input_write(vterm, buffer, static_cast<std::size_t>(got));
      }
    }
    if ((fds[1].revents & POLLIN) != 0) {
      const ssize_t got = ::read(idle, buffer, sizeof buffer);
      if (got > 0) idle_text.append(buffer, static_cast<std::size_t>(got));
      take_idle_lines();
    }
    if ((fds[2].revents & POLLIN) != 0) {
      Report report;
      if (::read(reports, &report, sizeof report) == sizeof report) take(report);
    }
    if ((fds[1].revents & POLLHUP) != 0) {  // no process is left on the other side
      close(idle);
      idle = -1;
    }
    return true;
  }

  void take_idle_lines() {
    for (std::size_t end; (end = idle_text.find('\n')) != std::string::npos; idle_text.erase(0, end + 1)) {
      unsigned long long a = 0, b = 0, c = 0;
      int left = 0;
      if (std::sscanf(idle_text.c_str(), "%d %llu %llu %llu", &left, &a, &b, &c) != 4) continue;
      loading = left;
      read = a;
      signals_taken = b;
      written = c;
      told = true;
    }
  }

  void take(Report report) {
    if (report.kind == 'p') child = report.value;
    if (report.kind == 's') stopped = true;
    if (report.kind == 'e') code = report.value;
    if (report.kind == 'k') killed = report.value;
  }

  // The console has dealt with everything sent, and everything that it wrote has come through.
  bool idle_now() const {
    return told && read >= sent && signals_taken >= signals_sent && bytes.size() >= written;
  }
};

Pty::Pty(const PtyOptions& options) : state_(std::make_unique<State>()) {
  State& s = *state_;
  s.columns = options.columns;
  s.rows = options.rows;
  s.open_vterm();

  int idle[2], reports[2];
  if (pipe(idle) != 0 || pipe(reports) != 0) std::abort();
  for (const int fd : {idle[0], reports[0], reports[1]}) fcntl(fd, F_SETFD, FD_CLOEXEC);

  std::vector<std::string> words{options.program.empty() ? test::binary() : options.program};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::map<std::string, std::string> variables{{"TERM", "xterm-256color"},
                                               {"LANG", "C.UTF-8"},
                                               {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                               {"HOME", "/nonexistent"},
                                               {"TESSERA_IDLE_FD", std::to_string(idle[1])}};
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"})
    if (const char* value = std::getenv(name)) variables[name] = value;
  for (const auto& [name, value] : options.environment) variables[name] = value;
  std::vector<std::string> assignments;
  for (const auto& [name, value] : variables) assignments.push_back(name + "=" + value);
  const std::vector<char*> argv = pointers(words);
  const std::vector<char*> env = pointers(assignments);

  winsize size{};
  size.ws_col = static_cast<unsigned short>(s.columns);
  size.ws_row = static_cast<unsigned short>(s.rows);
  s.shell = forkpty(&s.master, nullptr, nullptr, &size);
  if (s.shell == 0) play_shell(argv, env, reports[1]);
  close(idle[1]);
  close(reports[1]);
  s.idle = idle[0];
  s.reports = reports[0];
}

Pty::~Pty() {
  State& s = *state_;
  if (s.child > 0 && !s.ended()) kill(s.child, SIGKILL);
  if (s.shell > 0) {
    kill(s.shell, SIGKILL);
    waitpid(s.shell, nullptr, 0);
  }
  for (const int fd : {s.master, s.idle, s.reports})
    if (fd >= 0) close(fd);
  vterm_free(s.vterm);
}

bool Pty::wait_until(const std::function<bool()>& condition) {
  const auto until = Clock::now() + kPatience;
  while (!condition())
    if (!state_->pump(until)) return condition();
  return true;
}

bool Pty::wait_idle() {
  State& s = *state_;
  return wait_until([&s] { return s.idle_now() || s.ended(); }) && !s.ended();
}

bool Pty::wait_loaded() {
  State& s = *state_;
  return wait_until([&s] { return (s.idle_now() && s.loading == 0) || s.ended(); }) && !s.ended();
}

bool Pty::wait_for(std::string_view text) {
  State& s = *state_;
  return wait_until([&] { return (s.idle_now() && has(text)) || s.ended(); }) && has(text);
}

bool Pty::quiet_for(std::chrono::milliseconds time) {
  State& s = *state_;
  const std::size_t before = s.bytes.size();
  const auto until = Clock::now() + time;
  while (Clock::now() < until && s.bytes.size() == before && !s.ended()) s.pump(until);
  return s.bytes.size() == before && !s.ended();
}

bool Pty::wait_stopped() {
  State& s = *state_;
  return wait_until([&s] { return s.stopped || s.ended(); }) && s.stopped;
}

bool Pty::wait_ended() {
  State& s = *state_;
  if (!wait_until([&s] { return s.ended(); })) return false;
  // What was written last is on its way already; the end of the line is where nothing more comes.
  while (s.pump(Clock::now() + std::chrono::milliseconds(50))) {
  }
  return true;
}

void Pty::send(std::string_view bytes) {
  state_->sent += bytes.size();
  while (!bytes.empty()) {
    const ssize_t n = write(state_->master, bytes.data(), bytes.size());
    if (n <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool Pty::press(std::string_view bytes) {
  send(bytes);
  return wait_idle();
}

void Pty::signal(int number) {
  State& s = *state_;
  wait_until([&s] { return s.child > 0; });
  if (number == SIGWINCH) ++s.signals_sent;
  if (number == SIGCONT) s.stopped = false;
  kill(number == SIGCONT ? -s.child : s.child, number);
}

void Pty::stall() {
  char name[128];
  if (ptsname_r(state_->master, name, sizeof name) != 0) return;
  const int slave = ::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return;
  tcflow(slave, TCOOFF);
  ::close(slave);
}

void Pty::resize(int columns, int rows) {
  State& s = *state_;
  s.columns = columns;
  s.rows = rows;
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ++s.signals_sent;
  ioctl(s.master, TIOCSWINSZ, &size);
  vterm_set_size(s.vterm, rows, columns);
}

std::string Pty::row(int y) const {
  std::string out;
  for (int x = 0; x < state_->columns; ++x) {
    const PtyCell here = cell(x, y);
    out += here.glyph;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

std::string Pty::screen() const {
  std::string out;
  for (int y = 0; y < state_->rows; ++y) out += row(y) + '\n';
  return out;
}

PtyCell Pty::cell(int x, int y) const {
  VTermScreenCell raw;
  PtyCell out;
  if (!vterm_screen_get_cell(state_->screen, {y, x}, &raw)) return out;
  if (raw.chars[0] == static_cast<std::uint32_t>(-1)) return out;
  for (int i = 0; i < VTERM_MAX_CHARS_PER_CELL && raw.chars[i] != 0; ++i)
    append_utf8(out.glyph, raw.chars[i]);
  if (out.glyph.empty()) out.glyph = " ";
  out.bold = raw.attrs.bold != 0;
  out.underline = raw.attrs.underline != 0;
  out.reverse = raw.attrs.reverse != 0;
  if (!VTERM_COLOR_IS_DEFAULT_FG(&raw.fg) && VTERM_COLOR_IS_INDEXED(&raw.fg))
    out.foreground = raw.fg.indexed.idx;
  if (!VTERM_COLOR_IS_DEFAULT_BG(&raw.bg) && VTERM_COLOR_IS_INDEXED(&raw.bg))
    out.background = raw.bg.indexed.idx;
  out.coloured = out.foreground >= 0 || out.background >= 0;
  return out;
}

bool Pty::cursor_visible() const { return state_->cursor; }
bool Pty::alternate() const { return state_->alternate; }
const std::string& Pty::bytes() const { return state_->bytes; }
std::uint64_t Pty::written() const { return state_->written; }

bool Pty::echoes() const {
  termios modes{};
  return tcgetattr(state_->master, &modes) == 0 && (modes.c_lflag & ECHO) != 0 &&
         (modes.c_lflag & ICANON) != 0;
}

std::optional<int> Pty::exit_code() const { return state_->code; }
std::optional<int> Pty::end_signal() const { return state_->killed; }
pid_t Pty::pid() const { return state_->child; }

}  // namespace tessera::test
