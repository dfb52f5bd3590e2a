#include "tests/support/run_binary.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/support/paths.hpp"

namespace tessera::test {
namespace {

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) {
      read = ends[0];
      write = ends[1];
    }
  }
  ~Pipe() {
    close_read();
    close_write();
  }
  void close_read() { shut(read); }
  void close_write() { shut(write); }

 private:
  static void shut(int& fd) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
};

// Appends what is there; closes at the end.
void drain(Pipe& pipe, std::string& text) {
  char buffer[65536];
  ssize_t n = ::read(pipe.read, buffer, sizeof buffer);
  if (n > 0) {
    text.append(buffer, static_cast<std::size_t>(n));
  } else if (n == 0 || errno != EINTR) {
    pipe.close_read();
  }
}

[[noreturn]] void become(const std::vector<std::string>& arguments, const RunOptions& options, Pipe& in,
                         Pipe& out, Pipe& err) {
  ::dup2(in.read, 0);
  ::dup2(out.write, 1);
  ::dup2(err.write, 2);
  std::vector<std::string> words{options.program.empty() ? test::binary() : options.program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables{"LC_ALL=C.UTF-8"};
  // A test that runs under sanitizers wants their reports from the binary, too.
  for (const char* name : {"ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"}) {
    if (const char* value = ::getenv(name)) variables.push_back(std::string(name) + "=" + value);
  }
  if (!options.environment.contains("PATH")) variables.push_back("PATH=/nonexistent");
  for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
  std::vector<char*> argv, environment;
  for (std::string& word : words) argv.push_back(word.data());
  for (std::string& variable : variables) environment.push_back(variable.data());
  argv.push_back(nullptr);
  environment.push_back(nullptr);
  ::execve(argv[0], argv.data(), environment.data());
  ::_exit(127);
}

}  // namespace

Ran run_simulator(const std::vector<std::string>& arguments, RunOptions options) {
  options.program = simulator();
  return run_tessera(arguments, options);
}

Ran run_tessera(const std::vector<std::string>& arguments, const RunOptions& options) {
  Pipe in, out, err;
  Ran ran;
  pid_t pid = ::fork();
  if (pid == 0) become(arguments, options, in, out, err);
  in.close_read();
  out.close_write();
  err.close_write();
  if (!options.input.empty() && ::write(in.write, options.input.data(), options.input.size()) < 0)
    ran.err = "input";
  in.close_write();

  auto deadline = std::chrono::steady_clock::now() + options.deadline;
  bool signalled = false;
  while (out.read >= 0 || err.read >= 0) {
    auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now())
            .count();
    if (left <= 0) {
      ::kill(pid, SIGKILL);
      break;
    }
    pollfd fds[] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
    ::poll(fds, 2, static_cast<int>(options.signal_by_look ? std::min<long>(left, 50) : left));
    if (fds[0].revents) drain(out, ran.out);
    if (fds[1].revents) drain(err, ran.err);
    if (options.hang_up && out.read >= 0 && options.hang_up(ran.out)) out.close_read();
    int number = options.signal && !signalled ? options.signal(ran.out) : 0;
    if (number == 0 && options.signal_on_err && !signalled) number = options.signal_on_err(ran.err);
    if (number == 0 && options.signal_by_look && !signalled) number = options.signal_by_look();
    if (number != 0) {
      ::kill(pid, number);
      signalled = true;
    }
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

Scratch::Scratch() {
  std::string form = (std::filesystem::temp_directory_path() / "tessera-test-XXXXXX").string();
  path_ = ::mkdtemp(form.data());
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string Scratch::write(const std::string& name, const std::string& text) const {
  std::filesystem::path path = std::filesystem::path(path_) / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

}  // namespace tessera::test
