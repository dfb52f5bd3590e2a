// What slurmctld has not read of the files beside slurm.conf: gres.conf, cgroup.conf, topology.conf and the
// like, of which scontrol reports nothing (HASH_VAL is of slurm.conf and what it includes).
//
// Times alone tell: those of the files against the start of slurmctld. From 23.11 on a reconfigure is a
// start. Before, it leaves no trace: the time behind "Configuration data as of" moves with each scontrol
// setdebug and update, too. So what was changed after the start is held against the text that stood then,
// where a backup or an earlier look shows it; without one, whether it was read is not known. Threads:
// times_beside reads the files' times; any thread. The rest are pure functions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/slurm/change/backups.hpp"
#include "engine/model/units.hpp"
#include "engine/slurmconf/pending.hpp"

namespace tessera::slurm {

// Names beside slurm.conf of files that are not read whole, and that daemons read when they are told to.
std::vector<std::string> only_timed(const std::string& slurm_conf);
// Of `files`, those that slurm.conf does not include.
std::vector<std::string> beside_slurm_conf(const slurmconf::Files& files);

// When each of those files was last written, moved or given other rights; those that are not there are left
// out. An earlier time that a copy was given does not count (rsync -a, cp -p).
std::map<std::string, TimePoint> times_beside(const slurmconf::Files& files);

struct Beside {
  std::map<std::string, TimePoint> changed;  // by path; of all of them that are there
  // Of those that have changed since slurmctld has started: the text that stood then.
  std::map<std::string, std::string> read;
  std::set<std::string> gone;    // were there when slurmctld started, and are not now
  std::set<std::string> marked;  // nodes that runs are changing: what gres.conf says of them is theirs
};

struct Unread {
  std::vector<slurmconf::Pending> changes;
  std::string unexplained;
};
// booted: BOOT_TIME; nullopt: not reported, and nothing is known then.
Unread unread(const slurmconf::Files& files, const Beside& beside, const std::optional<TimePoint>& booted);

// Whether a file that was changed then stood so when slurmctld started.
bool stood_then(TimePoint changed, const std::optional<TimePoint>& booted);

// What looks have shown of the files that stood when slurmctld last started.
class StoodThen {
 public:
  // changed: as Beside has it. backups: with their texts. Leaves `marked` to the caller.
  Beside hold(const slurmconf::Files& files, std::map<std::string, TimePoint> changed,
              const std::optional<TimePoint>& booted, const std::vector<Backup>& backups);
  // This process has put `after` in the place of `before`, of which `changed` tells the times: what starts
  // between that time and now has read `before`, although no look has been since.
  void wrote(const slurmconf::Files& before, const slurmconf::Files& after,
             const std::map<std::string, TimePoint>& changed);

 private:
  std::optional<TimePoint> booted_;
  std::set<std::string> there_;
  std::map<std::string, std::string> texts_;
  struct Replaced {
    std::string before, after;
    TimePoint since;  // when `before` was written
  };
  std::map<std::string, Replaced> replaced_;  // by path: the last write of this process
};

}  // namespace tessera::slurm
