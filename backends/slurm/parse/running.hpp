// What slurmctld runs with, and which text of slurm.conf it has read, as scontrol tells it.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/slurm/change/unread.hpp"
#include "engine/model/values.hpp"
#include "engine/slurmconf/pending.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurm {

// From `scontrol -o show node`, `-o show partition` and `show config`.
slurmconf::Running running_of(std::string_view nodes, std::string_view partitions, std::string_view config);

// HASH_VAL of `scontrol show config`: the text that slurmctld has read against the one that scontrol reads.
struct ReadHash {
  enum class Says { match, differs, untold };  // untold: DebugFlags=NO_CONF_HASH, or no such line
  Says says = Says::untold;
  std::uint32_t scontrols = 0, slurmctlds = 0;  // of `differs`
};
ReadHash read_hash(std::string_view config);

// A text of the files, and when the newest part of slurm.conf in it was changed; nullopt: not known.
struct KnownText {
  slurmconf::Files files;
  std::optional<TimePoint> changed;
};

// All that the files are held against.
struct Held {
  KnownText files;                        // that a reconfigure would make true
  std::optional<slurmconf::Files> local;  // what scontrol reads, where that is another file
  std::vector<KnownText> known;           // other texts that slurmctld may have read
  slurmconf::Running running;
  ReadHash hash;
  std::optional<TimePoint> booted;  // BOOT_TIME: slurmctld read its files then, or later
  Beside beside;                    // of the other files
};

struct Unapplied {
  std::vector<slurmconf::Pending> changes;
  bool edited = false;      // slurmctld has read another text
  std::string unexplained;  // why what else a reconfigure would change cannot be told; empty: nothing else
  Unread beside;            // of the other files
  bool none() const {
    return changes.empty() && unexplained.empty() && beside.changes.empty() && beside.unexplained.empty();
  }
};
// What a reconfigure would make true beside gpu, mps and shard of nodes, which slurmconf::difference()
// counts. Errors: a line of the files cannot be read.
Result<Unapplied> unapplied(const Held& held);

// Whether slurmctld has read these very files.
bool is_in_step(const Held& held);

// "slurm.conf was edited after slurmctld read it: partition shared goes (jobs 144, 155 run in it)"; empty:
// nothing. jobs: those that run; null: not asked.
std::string to_text(const Unapplied& all, const std::vector<Workload>* jobs);

// Nodes whose slurmd runs in a pod (Slinky): slurm-operator writes {"namespace":…,"podName":…} into their
// comment, and drains them with a reason that begins with its name.
std::vector<std::string> nodes_in_pods(std::string_view nodes);

// Slurm 23.11 and later refuse a reconfigure ("Unspecified error") that takes mps or shards from a node while
// slurmctld keeps the record of an ended job that held some there: for MinJobAge after its end. "job 144 held
// mps here …, until …"; empty: no such record. gres: what the node runs with. jobs, config: as scontrol shows
// them.
std::string remembered(std::string_view jobs, std::string_view config, const std::string& node,
                       const std::string& gres);

}  // namespace tessera::slurm
