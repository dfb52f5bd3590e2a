// Who writes Slurm's files says so where every admin sees it: by a link beside slurm.conf that leads nowhere
// and whose target is the mark of a run and the process that drives it.
//
// It is made in one step or not at all, on a shared disk, too, and by ln(1) on a config host. It outlives
// whoever is killed: the same run takes it over, whoever drives that by then. No other ever does; that its
// maker has died is only told, to an admin who then removes it. Threads: any; each call looks again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/error.hpp"
#include "engine/model/event.hpp"
#include "engine/model/units.hpp"

namespace tessera::slurm {

struct ConfLock {
  enum class Maker {
    lives,
    gone,     // made on this machine since it booted, by a process that is no more
    unknown,  // elsewhere, in a container, before a boot; or it does not say
  };
  std::string mark;  // "tessera RUN WHO@HOST", or whatever stands there; cleaned
  Maker maker = Maker::unknown;
  int process = 0;                 // 0: it does not say
  std::optional<TimePoint> since;  // by the disk's clock; nullopt: not reported
};

std::string lock_of(const std::string& slurm_conf);
// Of a path without links in it.
std::string lock_of_real(const std::string& slurm_conf);

// The link's target: this process on behalf of a run.
std::string lock_text(const std::string& mark);
ConfLock read_lock(std::string_view text);
// Whether a run by this mark may go on under that lock: it is its own, left behind, or held by this process.
bool may_take(const ConfLock& lock, std::string_view mark);

// nullopt: it is ours. Else whose it is.
Result<std::optional<ConfLock>> lock_conf_files(const std::string& slurm_conf, const std::string& mark);
// Only what is ours.
void unlock_conf_files(const std::string& slurm_conf, const std::string& mark);
// As it stands; nullopt: none, or it cannot be read.
std::optional<ConfLock> conf_lock(const std::string& slurm_conf);

// Why files cannot be written, and the way out. where: "cfg" for a config host, empty for here.
Error locked_by(const ConfLock& lock, const std::string& path, const std::string& where, TimePoint now);
// One that no process seems to hold any more, for display; nullopt: there is none, or it is at work.
std::optional<Remark> lock_remark(const std::string& slurm_conf, TimePoint now);
std::optional<Remark> lock_remark(const ConfLock& lock, const std::string& path, const std::string& where,
                                  TimePoint now);

}  // namespace tessera::slurm
