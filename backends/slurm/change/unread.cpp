#include "backends/slurm/change/unread.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "backends/files.hpp"
#include "engine/slurmconf/config.hpp"
#include "engine/slurmconf/devices.hpp"
#include "engine/slurmconf/document.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using slurmconf::Files;
using slurmconf::Pending;

// Which daemons read at a start or a reconfigure; job_submit.lua and plugstack.conf are read at each use.
constexpr const char* kTimed[] = {
    "topology.conf",      "topology.yaml",     "acct_gather.conf", "helpers.conf",
    "job_container.conf", "burst_buffer.conf", "mpi.conf",         "oci.conf"};

const slurmconf::File* named(const Files& files, const std::string& path) {
  auto found = std::find_if(files.begin(), files.end(),
                            [&](const slurmconf::File& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string after_start(TimePoint changed, TimePoint booted) {
  auto late = std::chrono::duration_cast<std::chrono::minutes>(changed - booted).count();
  return late < 1 ? "right after slurmctld started" : fmt::format("{} min after slurmctld started", late);
}

// That file and what it includes, wherever it lies.
std::set<std::string> read_with(const Files& files, const std::string& root) {
  const std::string folder = folder_of(files.front().path);
  std::set<std::string> all{root};
  for (std::vector<std::string> left{root}; !left.empty();) {
    const slurmconf::File* file = named(files, left.back());
    left.pop_back();
    if (!file) continue;
    for (const slurmconf::Line& line : slurmconf::parse(*file).lines) {
      if (line.include.empty()) continue;
      std::string path = line.include.starts_with('/') ? line.include : folder + "/" + line.include;
      if (all.insert(path).second) left.push_back(std::move(path));
    }
  }
  return all;
}

// The file of allowed devices (up to 21.08) is all nodes': a run adds lines for its own.
bool only_adds(const std::string& read, const std::string& now) {
  auto lines = lines_in(now);
  for (std::string_view line : lines_in(read))
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) return false;
  return true;
}

// Of each node, or of all that read the file.
void gres_changes(const Files& read, const Files& files, const std::set<std::string>& marked,
                  std::vector<Pending>& found) {
  const auto then = slurmconf::devices_of_nodes(read), now = slurmconf::devices_of_nodes(files);
  auto tell = [&](const std::string& node) {
    if (marked.contains(node)) return;
    const auto of = node.empty() ? Pending::Of::other : Pending::Of::node;
    found.push_back({of, node, "gres.conf", "as read", "edited"});
  };
  for (const auto& [node, lines] : then)
    if (auto other = now.find(node); other == now.end() || other->second != lines) tell(node);
  for (const auto& [node, lines] : now)
    if (!then.contains(node)) tell(node);
}

}  // namespace

std::vector<std::string> only_timed(const std::string& slurm_conf) {
  std::vector<std::string> names;
  for (const char* name : kTimed) names.push_back(folder_of(slurm_conf) + "/" + name);
  return names;
}

std::vector<std::string> beside_slurm_conf(const Files& files) {
  if (files.empty()) return {};
  const std::set<std::string> of_slurm_conf = read_with(files, files.front().path);
  std::vector<std::string> rest;
  for (const slurmconf::File& file : files)
    if (!of_slurm_conf.contains(file.path)) rest.push_back(file.path);
  return rest;
}

std::map<std::string, TimePoint> times_beside(const Files& files) {
  std::map<std::string, TimePoint> times;
  if (files.empty()) return times;
  std::vector<std::string> paths = beside_slurm_conf(files);
  for (std::string& name : only_timed(files.front().path)) paths.push_back(std::move(name));
  for (const std::string& path : paths) {
    struct stat about {};
    if (::stat(path.c_str(), &about) != 0) continue;
    auto time = [](const timespec& at) {
      return std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec);
    };
    times[path] =
        TimePoint(std::chrono::duration_cast<Duration>(std::max(time(about.st_mtim), time(about.st_ctim))));
  }
  return times;
}

bool stood_then(TimePoint changed, const std::optional<TimePoint>& booted) {
  return booted && std::chrono::floor<std::chrono::seconds>(changed) <= *booted;
}

Beside StoodThen::hold(const Files& files, std::map<std::string, TimePoint> changed,
                       const std::optional<TimePoint>& booted, const std::vector<Backup>& backups) {
  if (std::exchange(booted_, booted) != booted) {
    there_.clear();
    texts_.clear();
  }
  Beside beside;
  for (const auto& [path, time] : changed) {
    const slurmconf::File* now = named(files, path);
    if (stood_then(time, booted)) {
      there_.insert(path);
      if (now) texts_[path] = now->text;
    } else if (auto known = texts_.find(path); known != texts_.end()) {
      beside.read[path] = known->second;
    } else if (auto own = replaced_.find(path); own != replaced_.end() && now &&
                                                now->text == own->second.after &&
                                                stood_then(own->second.since, booted)) {
      beside.read[path] = own->second.before;
    } else if (const Backup* one = booted ? stood_at(backups, path, *booted) : nullptr) {
      beside.read[path] = *one->text;
    }
  }
  for (const std::string& path : there_)
    if (!changed.contains(path)) beside.gone.insert(path);
  beside.changed = std::move(changed);
  return beside;
}

void StoodThen::wrote(const Files& before, const Files& after,
                      const std::map<std::string, TimePoint>& changed) {
  for (const slurmconf::File& file : after) {
    const slurmconf::File* old = named(before, file.path);
    auto since = changed.find(file.path);
    if (old && since != changed.end() && old->text != file.text)
      replaced_[file.path] = {old->text, file.text, since->second};
  }
}

Unread unread(const Files& files, const Beside& beside, const std::optional<TimePoint>& booted) {
  Unread all;
  if (files.empty()) return all;
  if (!booted && !beside.changed.empty()) {
    all.unexplained = "when slurmctld started is unknown: scontrol show config shows no BOOT_TIME";
    return all;
  }
  Files read = files;
  const std::set<std::string> of_gres = read_with(files, folder_of(files.front().path) + "/gres.conf");
  const std::string devices = slurmconf::allowed_devices_path(files);
  auto edited = [&](const std::string& path, const char* then) {
    all.changes.push_back({Pending::Of::other, "", clean(name_of(path), 80), "as read", then});
  };
  for (const auto& [path, changed] : beside.changed) {
    if (stood_then(changed, booted)) continue;
    auto known = beside.read.find(path);
    if (known == beside.read.end()) {
      all.unexplained +=
          fmt::format("{}{} was changed {}; whether slurmctld has read it since is unknown",
                      all.unexplained.empty() ? "" : "; ", clean(path, 200), after_start(changed, *booted));
      continue;
    }
    const slurmconf::File* now = named(files, path);
    const bool a_runs =
        now && path == devices && !beside.marked.empty() && only_adds(known->second, now->text);
    if (!of_gres.contains(path) && (!now || now->text != known->second) && !a_runs) edited(path, "edited");
    for (slurmconf::File& file : read)
      if (of_gres.contains(path) && file.path == path) file.text = known->second;
  }
  for (const std::string& path : beside.gone) edited(path, "removed");
  gres_changes(read, files, beside.marked, all.changes);
  return all;
}

}  // namespace tessera::slurm
