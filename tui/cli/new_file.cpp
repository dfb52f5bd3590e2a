// Writing a file that is not there yet.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tui/cli/settings.hpp"

namespace tessera::cli {

Status write_new(const std::string& path, const std::string& text, const std::string& hint) {
  const auto failed = [&](const std::string& reason) { return Error{"cannot write " + path, reason, hint}; };
  std::error_code problem;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty()) std::filesystem::create_directories(folder, problem);
  if (problem) return failed(problem.message());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return failed(errno == EEXIST ? "it is there already" : std::strerror(errno));
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  const bool whole = done == text.size() && ::fsync(file) == 0;
  const int reason = errno;
  ::close(file);
  if (whole) return Done{};
  ::unlink(path.c_str());
  return failed(std::strerror(reason));
}

}  // namespace tessera::cli
