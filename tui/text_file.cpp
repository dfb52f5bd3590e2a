#include "tui/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/shell.hpp"

namespace tessera::tui {
namespace {

Error refused(std::string reason) { return {"", std::move(reason), ""}; }

Error too_large(std::uintmax_t most) {
  if (most < (1u << 20)) return refused("larger than " + std::to_string(most >> 10) + " KiB");
  return refused("larger than " + std::to_string(most >> 20) + " MiB");
}

}  // namespace

Result<std::optional<std::string>> read_text_file(const std::string& path, std::uintmax_t most) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::not_found) {
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(path, problem)))
      return refused("a link to nothing");
    return std::optional<std::string>();
  }
  if (problem == std::errc::permission_denied) return std::optional<std::string>();
  if (problem) return refused(problem.message());
  if (!std::filesystem::is_regular_file(status)) return refused("not a file");
  if (std::filesystem::file_size(path, problem) > most && !problem) return too_large(most);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return refused(std::strerror(errno));
  // read() marks the stream as bad where an iterator would throw. The reported size need not be the true one
  // (/proc).
  std::string text;
  for (char block[16384]; stream.read(block, sizeof block), stream.gcount() > 0;) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most) return too_large(most);
  }
  if (stream.bad()) return refused("it cannot be read to its end");
  return std::optional(std::move(text));
}

Status not_everyones(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  constexpr auto kOthers = std::filesystem::perms::others_write;
  if (!std::filesystem::is_regular_file(status) || (status.permissions() & kOthers) != kOthers) return Done{};
  return Error{"cannot use " + path,
               "everyone on this machine can write to it, and it names commands that are run",
               "chmod o-w " + shell_word(path)};
}

}  // namespace tessera::tui
