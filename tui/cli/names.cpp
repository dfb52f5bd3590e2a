#include "tui/cli/names.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "engine/digest.hpp"
#include "engine/insight/available.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

constexpr std::size_t kMostNames = 20'000, kLongestName = 253;

bool is_plain(const std::string& name) {
  const auto plain = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && name.front() != '-' && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), plain);
}

std::string lines_of(const std::set<std::string>& names) {
  std::string text;
  std::size_t count = 0;
  for (const std::string& name : names)
    if (is_plain(name) && count < kMostNames) text += name + "\n", ++count;
  return text;
}

Error failed(const std::string& path) {
  return {"cannot keep names", path + ": " + std::strerror(errno), ""};
}

bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<std::size_t>(n);
  }
  return true;
}

// Two listings of one user may end at once: each writes a file of its own, and one takes the other's place.
Status replace(const std::string& path, const std::string& text) {
  constexpr std::uintmax_t kMostBytes = 8u << 20;
  const auto now = read_files({path}, kMostBytes);
  if (now && !now->empty() && now->front().text == text) return Done{};
  const std::string beside = fmt::format("{}.{}", path, ::getpid());
  const int file = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return failed(beside);
  const bool written = write_all(file, text);
  ::close(file);
  if (written && ::rename(beside.c_str(), path.c_str()) == 0) return Done{};
  const Error why = failed(beside);
  ::unlink(beside.c_str());
  return why;
}

}  // namespace

std::string names_folder(const std::string& xdg_cache_home, const std::string& home, bool simulated) {
  std::string folder = xdg_cache_home;
  if (!folder.starts_with('/')) folder = home.starts_with('/') ? home + "/.cache" : "";
  return folder.empty() ? folder : folder + (simulated ? "/tessera/simulated-names" : "/tessera/names");
}

Status keep_names(const std::string& folder, const Cluster& cluster) {
  if (folder.empty() || !cluster.loaded) return Done{};
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Error{"cannot keep names", folder + ": " + problem.message(), ""};
  const std::string& name = cluster.name.text;
  const std::string path = folder + "/" + (is_plain(name) ? name : digest(name));
  if (insight::nodes_are_current(cluster)) {
    std::set<std::string> nodes;
    for (const Node& node : cluster.nodes.all()) nodes.insert(node.name.text);
    if (Status kept = replace(path + ".nodes", lines_of(nodes)); !kept) return kept;
  }
  if (!insight::work_is_current(cluster)) return Done{};
  std::set<std::string> users;
  for (const Workload& work : cluster.workloads.all()) users.insert(work.user);
  return replace(path + ".users", lines_of(users));
}

void keep_names(const Joins& joins, const Options& options, const Cluster& cluster) {
  if (joins.names) (void)keep_names(joins.names(options), cluster);
}

}  // namespace tessera::cli
