#include "tui/text_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/shell.hpp"

namespace tessera::tui {
namespace {

namespace fs = std::filesystem;

Error refused(std::string reason, std::string hint = "") { return {"", std::move(reason), std::move(hint)}; }

Error too_large(std::uintmax_t most) {
  Error error = most < (1u << 20) ? refused("larger than " + std::to_string(most >> 10) + " KiB")
                                  : refused("larger than " + std::to_string(most >> 20) + " MiB");
  error.hint = "name another file, or make this one smaller";
  return error;
}

// Whether the file, or a folder above it, is a link whose target is not there. path: what is not found.
bool is_behind_a_broken_link(const fs::path& path) {
  std::error_code ignored;
  for (fs::path at = path; at.has_relative_path(); at = at.parent_path()) {
    const fs::file_status own = fs::symlink_status(at, ignored);
    if (own.type() == fs::file_type::not_found) continue;  // the first that is there tells
    return fs::is_symlink(own) && !fs::exists(at, ignored);
  }
  return false;
}

bool is_of_another_user(const fs::path& path) {
  struct stat told {};
  return ::lstat(path.c_str(), &told) == 0 && told.st_uid != 0 && told.st_uid != ::geteuid();
}

// In a folder that is open to all each may put another into the place of what stands there. In a sticky one
// he may only be the first to put something there. at: the file, with no link followed or with all.
Status not_replaceable(const std::string& path, fs::path at) {
  for (; at.has_relative_path(); at = at.parent_path()) {
    std::error_code ignored;
    const fs::path folder = at.parent_path();
    const fs::perms open = fs::status(folder, ignored).permissions();
    if ((open & fs::perms::others_write) == fs::perms::none) continue;
    if ((open & fs::perms::sticky_bit) == fs::perms::none)
      return Error{"cannot use " + path,
                   "everyone on this machine can replace it, and it names commands that are run",
                   "chmod o-w " + shell_word(folder.string())};
    if (is_of_another_user(at))
      return Error{
          "cannot use " + path,
          "another user has put it into a folder that is open to all, and it names commands that are run",
          "keep it in a folder of your own"};
  }
  return Done{};
}

}  // namespace

Result<std::optional<std::string>> read_text_file(const std::string& path, std::uintmax_t most) {
  std::error_code problem;
  const auto status = fs::status(path, problem);
  if (status.type() == fs::file_type::not_found) {
    if (is_behind_a_broken_link(path)) return refused("a link to nothing");
    return std::optional<std::string>();
  }
  if (problem == std::errc::permission_denied) return std::optional<std::string>();
  if (problem) return refused(problem.message());
  // No right would make one readable.
  if (fs::is_directory(status)) return refused("it is a folder", "name a file, or put one in its place");
  if (!fs::is_regular_file(status))
    return refused("not a regular file", "name a file, or put one in its place");
  if (fs::file_size(path, problem) > most && !problem) return too_large(most);
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
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::is_regular_file(status)) return Done{};
  if ((status.permissions() & fs::perms::others_write) != fs::perms::none)
    return Error{"cannot use " + path,
                 "everyone on this machine can write to it, and it names commands that are run",
                 "chmod o-w " + shell_word(path)};
  // As it is named and where it is: a link stands in a folder, too.
  if (Status own = not_replaceable(path, fs::absolute(path, ignored)); !own) return own;
  return not_replaceable(path, fs::canonical(path, ignored));
}

}  // namespace tessera::tui
