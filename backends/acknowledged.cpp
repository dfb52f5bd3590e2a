#include "backends/acknowledged.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "backends/files.hpp"

namespace tessera {
namespace {

Error not_kept(std::string reason) {
  return {"cannot keep what is acknowledged", std::move(reason), "it counts in this console alone"};
}

Status replace(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new." + std::to_string(getpid());
  const auto failed = [&] {
    const std::string reason = fresh + ": " + std::strerror(errno);
    ::unlink(fresh.c_str());
    return not_kept(reason);
  };
  ::unlink(fresh.c_str());
  Descriptor file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.ok() || !write_all(file.get(), text) || ::fsync(file.get()) != 0) return failed();
  if (::rename(fresh.c_str(), path.c_str()) != 0) return failed();
  sync_folder(folder_of(path));
  return Done{};
}

}  // namespace

Result<std::vector<insight::Acknowledgement>> read_acknowledged(const std::string& path) {
  if (path.empty()) return std::vector<insight::Acknowledgement>{};
  const auto file = read_whole_file("cannot read what was acknowledged", path, insight::kMostOfAcknowledged);
  if (!file) return file.error();
  if (!*file) return std::vector<insight::Acknowledgement>{};
  return insight::parse_acknowledged((*file)->text, path);
}

Status keep_acknowledged(const std::string& path, const insight::Acknowledgement& one, TimePoint wall) {
  if (path.empty()) return not_kept("neither XDG_STATE_HOME nor HOME is set");
  std::error_code trouble;
  const std::string folder = folder_of(path);
  std::filesystem::create_directories(folder, trouble);
  if (trouble) return not_kept(folder + ": " + trouble.message());
  std::vector<insight::Acknowledgement> all;
  if (auto kept = read_acknowledged(path)) all = std::move(*kept);
  return replace(path, insight::acknowledged_text(insight::with(std::move(all), one, wall), wall));
}

}  // namespace tessera
