// Slurm's configuration files on this machine: read with all that they include, and written so that no reader
// ever sees half of one.
// Threads: reads and writes files; any thread. Who writes holds the lock (conf_lock.hpp), from before the
// files are read.
#pragma once

#include <unistd.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/files.hpp"
#include "engine/error.hpp"
#include "engine/model/units.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurm {

// Which of the files that may be there count: the file of allowed devices does up to Slurm 21.08 only.
enum class AllowedDevices { unread, read };
AllowedDevices allowed_devices_of(const slurmconf::SlurmSetup& site);

// Every path at which a file is looked for: slurm.conf, gres.conf and cgroup.conf beside it, what those of
// `files` include, and the file of allowed devices.
std::vector<std::string> conf_names(const std::string& slurm_conf, const std::vector<slurmconf::File>& files,
                                    AllowedDevices devices);

// slurm.conf first, then gres.conf, cgroup.conf and what is included. Files that are not there are left out.
// Errors: slurm.conf itself cannot be read; a file is larger than 16 MiB, there are more than 1,000, or they
// have more than 200,000 lines together.
Result<std::vector<slurmconf::File>> read_conf_files(const std::string& slurm_conf,
                                                     AllowedDevices devices = AllowedDevices::unread);

// Error: they have more lines than are read.
Status few_enough_lines(const std::vector<slurmconf::File>& files);

// When the newest of them was changed; nullopt: that cannot be told of one.
std::optional<TimePoint> newest_change(const std::vector<slurmconf::File>& files);

// These files as last read, read again only when one of them has changed.
class ConfWatch {
 public:
  // Whether anything has changed since it was asked last: size, time or inode, of files that were not there,
  // too. The first time: yes.
  bool changed(const std::string& slurm_conf, AllowedDevices devices = AllowedDevices::unread);
  // Reads only after a change.
  const Result<std::vector<slurmconf::File>>& files() const { return files_; }

 private:
  std::string stamps() const;
  std::vector<std::string> names_;
  std::string stamps_;
  AllowedDevices devices_ = AllowedDevices::unread;
  Result<std::vector<slurmconf::File>> files_ = std::vector<slurmconf::File>{};
};

// Whether that is what a configless slurmd keeps of the controller's files: SlurmdSpoolDir/conf-cache, to
// which /run/slurm/conf leads (configless_slurm.html, 22.05). Whatever is written there is lost.
bool is_cache(const std::string& path);

// Why these cannot be written by us; empty: they can.
std::string why_not_writable(const std::vector<slurmconf::File>& files);

// How writing reaches the disk; a test counts, and edits in between.
struct Disk {
  std::function<int(int file)> sync = ::fsync;
  std::function<void(const std::string& folder)> sync_folder = tessera::sync_folder;
};

// Brings `before` to `after` on the disk. Each file that changes gets a backup beside it (backup_of), unless
// that stands already; owner, group, mode, access list and security label stay; a link is followed. What
// differs on the disk from `before`, a file that was created meanwhile included, is another's edit: an error,
// and that file is left as it is.
Status write_conf_files(const std::vector<slurmconf::File>& before, const std::vector<slurmconf::File>& after,
                        std::string_view run, const Disk& disk = {});

}  // namespace tessera::slurm
