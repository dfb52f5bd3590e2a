// Slurm's configuration files on another host, reached as the nodes are: read whole, and written so that no
// reader ever sees half of one.
//
// Argument vectors only, for cat, stat, readlink, cp, ln, mv, rm, tee, sync, install and find as coreutils
// 8.24 and findutils 4.6 have them; the runner quotes where a far shell stands in between. Nothing locks the
// files against an editor there: what is replaced is compared right before. Threads: the worker's thread
// only; it outlives what it has under way.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/runner.hpp"
#include "backends/slurm/change/backups.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/conf_lock.hpp"
#include "engine/error.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurm {

class HostFiles {
 public:
  HostFiles(NodeRunner& runner, NodeName host) : runner_(runner), host_(std::move(host)) {}

  struct Found {
    std::vector<slurmconf::File> files;        // as read_conf_files has them
    std::string cannot_write;                  // empty: they can be written
    std::vector<Backup> backups;               // beside them; those of the newest runs with their texts
    std::map<std::string, TimePoint> changed;  // as times_beside()
  };
  using Told = std::function<void(Result<Found>)>;
  // Asks for the files' sizes, times and places first, and reads only what may have changed since the last
  // time. Errors: slurm.conf cannot be read; there are too many files, or one is too large.
  void read(const std::string& slurm_conf, AllowedDevices devices, Told told);

  // As write_conf_files: PATH.before-RUN beside each file that changes, owner and mode kept, links followed.
  // Errors: a file was edited or created since `before`. wanted: asked before each command; false: nothing
  // more is done.
  void write(std::vector<slurmconf::File> before, const std::vector<slurmconf::File>& after,
             std::string_view run, std::function<void(Status)> done, std::function<bool()> wanted = nullptr);

  // As drop_old_backups, of those that were there at the last reading.
  void drop_old_backups(TimePoint now, std::function<void()> done);

  // As lock_conf_files and unlock_conf_files; it is the same lock.
  void lock(const std::string& slurm_conf, const std::string& mark,
            std::function<void(Result<std::optional<ConfLock>>)> told);
  void unlock(const std::string& slurm_conf, const std::string& mark, std::function<void()> done);

  // One that no process seems to hold any more, as lock_remark(); nullopt: none, or it cannot be seen.
  void look_at_lock(const std::string& slurm_conf, TimePoint now,
                    std::function<void(std::optional<Remark>)> told);

  const NodeName& host() const { return host_; }
  // As last read.
  const std::vector<Backup>& backups() const { return found_.backups; }
  const std::map<std::string, TimePoint>& times_beside() const { return found_.changed; }

 private:
  class Reading;
  class Writing;
  class Dropping;
  class Locking;
  NodeRunner& runner_;
  const NodeName host_;
  std::string stamps_;  // of the files below; empty: nothing was read yet
  std::vector<std::string> names_;
  AllowedDevices devices_ = AllowedDevices::unread;
  Found found_;
};

}  // namespace tessera::slurm
