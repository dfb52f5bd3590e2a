#include "tui/cli/program.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <ostream>
#include <string>

#include "tui/cli/command_table.hpp"
#include "tui/terminal/locale.hpp"
#include "tui/terminal/signals.hpp"

namespace tessera::cli {
namespace {

// The number of a closed stream would be given to the next file, a journal perhaps, and what is printed would
// go into that. Held the wrong way round: to use such a stream is an error, as of a closed one.
void hold_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) == -1 && errno == EBADF)
      static_cast<void>(::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

}  // namespace

Environment environment_of(char** variables) {
  Environment environment;
  for (; *variables; ++variables) {
    const char* equals = std::strchr(*variables, '=');
    if (equals) environment.emplace(std::string(static_cast<const char*>(*variables), equals), equals + 1);
  }
  return environment;
}

int run_program(std::string_view name, tui::WordsPtr reader, const std::function<int(const Streams&)>& body) {
  hold_standard_streams();
  tui::take_locale();
  std::signal(SIGCHLD, SIG_DFL);  // a parent may have ignored it; then how a child ended would be lost
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of write(), not our end
  DescriptorBuffer out_buffer(STDOUT_FILENO, tui::end_is_asked), err_buffer(STDERR_FILENO);
  std::ostream out(&out_buffer), err(&err_buffer);
  const bool asks = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
  const char* type = std::getenv("TERM");
  const Streams streams{out,          err,  STDOUT_FILENO,
                        STDIN_FILENO, asks, paper_of(STDOUT_FILENO, type != nullptr ? type : ""),
                        reader,       name};
  int code = kUnknown;
  try {
    code = body(streams);
  } catch (const std::exception& error) {
    complain(streams, {"stopped by an error inside tessera", error.what(), "please report it"});
  }
  out.flush();
  const int failure = out_buffer.failure();
  if (failure != 0 && failure != EPIPE && failure != EINTR) {
    complain(streams, {"cannot write the output", std::strerror(failure), ""});
    code = kUnknown;
  }
  err.flush();
  return code;
}

}  // namespace tessera::cli
