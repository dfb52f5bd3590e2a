#include "backends/process.hpp"

// Boost.Process v1 moved into a folder of its own with Boost 1.86; std::filesystem spares a library.
#include <boost/system/error_code.hpp>
#define BOOST_PROCESS_USE_STD_FS 1
// Linux has it; Boost asks for it by the words of a POSIX before 2008.
#define BOOST_POSIX_HAS_VFORK 1
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#if __has_include(<boost/process/v1/child.hpp>)
#define BOOST_PROCESS_VERSION 1
#include <boost/process/v1.hpp>
#include <boost/process/v1/async.hpp>
#include <boost/process/v1/extend.hpp>
#else
#include <boost/process.hpp>
#include <boost/process/extend.hpp>
#endif
#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <unordered_set>

#include "engine/shell.hpp"

namespace tessera {
namespace {

namespace asio = boost::asio;
#if __has_include(<boost/process/v1/child.hpp>)
namespace bp = boost::process::v1;
#else
namespace bp = boost::process;
#endif
using boost::system::error_code;

constexpr std::size_t kErrorLimit = 64u << 10;
// After a kill: how long an unkillable child (a hung file system) may keep us from answering.
constexpr auto kGrace = std::chrono::seconds(2);
constexpr auto kLookAgain = std::chrono::milliseconds(30);

// Between vfork and exec: only calls that are safe there, and none that writes to memory of ours.
void prepare_child(bool dies_with_us) {
  setsid();
  // Whoever started us may have had signals ignored (nohup, a shell's &); a child of ours must not inherit
  // that. Nor may a handler of ours run in it: it would work on our memory.
  for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (dies_with_us) prctl(PR_SET_PDEATHSIG, SIGKILL);
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
}

// Until the child has handlers of its own.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;

 private:
  sigset_t before_{};
};

bp::environment environment_for(const Command& command) {
  bp::environment environment = boost::this_process::environment();
  for (const std::string& name : command.unset) environment.erase(name);
  for (const auto& [name, value] : command.environment) environment[name] = value;
  return environment;
}

Error cannot_start(const Command& command, std::string reason, std::string hint) {
  std::string program = command.argv.empty() ? "a program without a name" : command.argv.front();
  return {"cannot run " + program, std::move(reason), std::move(hint)};
}

}  // namespace

// One child from start to reaping. Keeps itself alive through its handlers.
struct Run : std::enable_shared_from_this<Run> {
  explicit Run(asio::io_context& io) : out(io), err(io), in(io), exit(io), timer(io), again(io) {}

  Command command;
  Processes::Finished finished;
  Processes::Heard heard;
  Processes::Id id = 0;
  bp::async_pipe out, err, in;
  asio::posix::stream_descriptor exit;  // a pidfd: readable once the child has ended
  asio::steady_timer timer;
  asio::steady_timer again;  // when to look whether it has ended, though nothing says so
  std::array<char, 65536> out_buffer{};
  std::array<char, 4096> err_buffer{};
  pid_t pid = -1;
  bool reaped = false;
  int open_pipes = 0;
  Outcome outcome;
  std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
  std::function<void(const std::shared_ptr<Run>&)> gone;

  Status start();
  void listen();
  void read_out();
  void read_err();
  bool has_ended() const;
  void on_exit();
  void check_soon();
  void on_deadline();
  void kill_group() const {
    if (pid > 0 && !reaped) ::kill(command.leaves_others ? pid : -pid, SIGKILL);
  }
  void finish_within(std::chrono::seconds grace);
  void end_early();
  void finish_when_done();
  void finish();
};

Status Run::start() {
  if (command.argv.empty()) return cannot_start(command, "the command is empty", "");
  auto given = command.environment.find("PATH");
  auto program = given != command.environment.end() ? find_program(command.argv.front(), given->second)
                                                    : find_program(command.argv.front());
  if (!program)
    return cannot_start(command, "no such program", "install it, or add the folder that holds it to PATH");
  std::vector<std::string> arguments(command.argv.begin() + 1, command.argv.end());
  std::error_code failed;
  bool tied = command.dies_with_us;
  auto prepare = bp::extend::on_exec_setup([tied](auto&) { prepare_child(tied); });
  bp::environment environment = environment_for(command);
  // The pipe in is made in any case; without input the child reads its end at once. vfork: a console that
  // holds a large cluster asks Slurm every few seconds, and a fork would copy its page tables each time.
  auto begin = [&](auto&... how) {
    SignalsHeld held;
    return bp::child(bp::exe = *program, bp::args = arguments, environment, bp::std_out > out,
                     bp::std_err > err, bp::std_in < in, prepare, failed, how...);
  };
#ifdef TESSERA_TSAN  // makes a fork of it, and what Boost tells of a failed exec would be lost
  bp::child child = begin();
#else
  bp::child child = begin(bp::posix::use_vfork);
#endif
  if (failed) return cannot_start(command, failed.message(), "is " + *program + " an executable file?");
  pid = child.id();
  child.detach();
  int fd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));  // glibc has no C++-safe wrapper before 2.37
  if (fd < 0) {
    Error error = cannot_start(command, std::string("pidfd_open: ") + std::strerror(errno),
                               "Linux 5.3 or later is needed");
    kill_group();
    ::waitpid(pid, nullptr, 0);
    return error;
  }
  exit.assign(fd);
  return Done{};
}

void Run::listen() {
  open_pipes = 2;
  read_out();
  read_err();
  auto self = shared_from_this();
  asio::async_write(in, asio::buffer(command.input), [self](const error_code&, std::size_t) {
    error_code ignored;
    self->in.close(ignored);
  });
  exit.async_wait(asio::posix::stream_descriptor::wait_read, [self](const error_code& stopped) {
    if (!stopped) self->on_exit();
  });
  if (command.deadline == Duration(0)) return;
  timer.expires_after(command.deadline);
  timer.async_wait([self](const error_code& stopped) {
    if (!stopped) self->on_deadline();
  });
}

void Run::read_out() {
  out.async_read_some(asio::buffer(out_buffer),
                      [self = shared_from_this()](const error_code& end, std::size_t got) {
                        if (self->heard && got > 0) self->heard({self->out_buffer.data(), got}, false);
                        if (self->heard) got = 0;
                        std::string& text = self->outcome.out;
                        std::size_t room = self->command.output_limit - text.size();
                        text.append(self->out_buffer.data(), std::min(got, room));
                        if (got > room) {
                          self->outcome.truncated = true;
                          self->end_early();
                        } else if (!end) {
                          return self->read_out();
                        }
                        --self->open_pipes;
                        self->finish_when_done();
                      });
}

void Run::read_err() {
  err.async_read_some(asio::buffer(err_buffer),
                      [self = shared_from_this()](const error_code& end, std::size_t got) {
                        if (self->heard && got > 0) self->heard({self->err_buffer.data(), got}, true);
                        if (self->heard) got = 0;
                        std::string& text = self->outcome.err;
                        text.append(self->err_buffer.data(), std::min(got, kErrorLimit - text.size()));
                        if (!end) return self->read_err();  // past the limit it is read and thrown away
                        --self->open_pipes;
                        self->finish_when_done();
                      });
}

// It stays a zombie, so that no other process has its number yet. No child of ours any more: ended as well.
bool Run::has_ended() const {
  siginfo_t about{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &about, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         about.si_pid == pid;
}

// The pidfd says it once, and has been seen to say it too early for wait4(2), by a tracer or a busy kernel:
// then nothing would come any more until the deadline.
void Run::check_soon() {
  again.expires_after(kLookAgain);
  again.async_wait([self = shared_from_this()](const error_code& stopped) {
    if (!stopped) self->on_exit();
  });
}

void Run::on_exit() {
  if (reaped || !exit.is_open()) return;
  if (!has_ended()) return check_soon();
  // While the child is a zombie its number cannot be taken by anybody else: end its group before reaping.
  kill_group();
  int status = 0;
  pid_t ended = ::waitpid(pid, &status, WNOHANG);
  // SIGCHLD is ignored, so our children are reaped for us: how it ended is unknown, so never well.
  bool lost = ended < 0 && errno == ECHILD;
  if (ended != pid && !lost) return;
  reaped = true;
  error_code ignored;
  exit.close(ignored);
  again.cancel();
  if (lost)
    outcome.signal = SIGCHLD;
  else if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.exit_code = WEXITSTATUS(status);
  in.close(ignored);
  if (command.leaves_others) finish_within(kGrace);  // a child that stays may hold the pipes for ever
  finish_when_done();
}

// Kills the group and gives the end a moment to come through the pipes.
void Run::end_early() {
  kill_group();
  finish_within(kGrace);
}

void Run::finish_within(std::chrono::seconds grace) {
  timer.expires_after(grace);
  timer.async_wait([self = shared_from_this()](const error_code& stopped) {
    if (!stopped) self->finish();
  });
}

void Run::on_deadline() {
  outcome.timed_out = true;
  if (reaped) return finish();  // a stray descendant in a session of its own still holds a pipe
  end_early();
}

void Run::finish_when_done() {
  if (open_pipes != 0) return;
  if (reaped) return finish();
  if (finished) check_soon();
}

void Run::finish() {
  timer.cancel();
  error_code ignored;
  out.close(ignored);
  err.close(ignored);
  in.close(ignored);
  if (!reaped && outcome.exit_code < 0) outcome.signal = SIGKILL;
  outcome.took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started);
  auto call = std::exchange(finished, nullptr);
  heard = nullptr;
  if (reaped && gone) std::exchange(gone, nullptr)(shared_from_this());
  if (call) call(std::move(outcome));
}

struct Processes::State {
  asio::io_context& io;
  std::unordered_set<std::shared_ptr<Run>> runs;
  Id last = 0;
};

Processes::Processes(Worker& worker)
    : state_(std::make_shared<State>(State{*static_cast<asio::io_context*>(worker.context()), {}, 0})) {}

Processes::~Processes() {
  for (const auto& run : state_->runs) {
    run->finished = nullptr;
    run->heard = nullptr;
    run->gone = nullptr;
    if (run->command.dies_with_us) run->kill_group();
    if (run->pid > 0 && !run->reaped) ::waitpid(run->pid, nullptr, WNOHANG);
    error_code ignored;
    run->timer.cancel();
    run->again.cancel();
    run->exit.close(ignored);
    for (auto* pipe : {&run->out, &run->err, &run->in}) pipe->close(ignored);
  }
}

Processes::Id Processes::run(Command command, Finished finished, Heard heard) {
  std::shared_ptr<Run> run;
  Id id = ++state_->last;
  Status started = [&]() -> Status {
    try {
      run = std::make_shared<Run>(state_->io);  // opens pipes: there may be no descriptor left
      run->command = command;
      return run->start();
    } catch (const std::exception& error) {
      return cannot_start(command, error.what(), "");
    }
  }();
  if (!started) {
    asio::post(state_->io, [finished = std::move(finished), error = started.error()] {
      if (finished) finished(error);
    });
    return id;
  }
  run->id = id;
  run->finished = std::move(finished);
  run->heard = std::move(heard);
  state_->runs.insert(run);
  run->gone = [weak = std::weak_ptr(state_)](const std::shared_ptr<Run>& ended) {
    if (auto state = weak.lock()) state->runs.erase(ended);
  };
  run->listen();
  return id;
}

void Processes::end(Id id) {
  for (const auto& run : state_->runs)
    if (run->id == id) return run->end_early();
}

std::optional<std::string> find_program(std::string_view name, std::string_view path) {
  auto runnable = [](const std::string& file) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
  };
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    std::string file(name);
    return runnable(file) ? std::optional(file) : std::nullopt;
  }
  while (!path.empty()) {
    std::size_t end = std::min(path.find(':'), path.size());
    std::string file(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (file.empty() || file.front() != '/') continue;  // the current folder is never searched
    file.append("/").append(name);
    if (runnable(file)) return file;
  }
  return std::nullopt;
}

std::optional<std::string> find_program(std::string_view name) {
  const char* path = std::getenv("PATH");
  return find_program(name, path ? path : "/usr/local/bin:/usr/bin:/bin");
}

std::string to_shell_text(const Command& command) {
  std::string text;
  auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
  if (!command.environment.empty() || !command.unset.empty()) {
    if (!command.unset.empty()) {
      add("env");
      for (const std::string& name : command.unset) add("-u " + shell_word(name));
    }
    for (const auto& [name, value] : command.environment) add(name + "=" + shell_word(value));
  }
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    // A program called a=b would be read as a setting.
    std::string word = shell_word(command.argv[i]);
    if (i == 0 && word.find('=') != std::string::npos && word.front() != '\'') word = "'" + word + "'";
    add(word);
  }
  return text;
}

}  // namespace tessera
