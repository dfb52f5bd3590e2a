// What runs found and kept beside Slurm's files (PATH.before-RUN), here or on another host.
//
// A backup carries two times: that of the text in it, and that at which the run put another text in its
// place. Between the two every reader of the file has read that text. Threads: lists and reads files; any
// thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/units.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurm {

struct Backup {
  std::string of;  // the file, as its site names it
  std::string at;  // where the backup lies
  std::string run;
  TimePoint changed;                // the text
  TimePoint made;                   // the backup
  std::optional<std::string> text;  // nullopt: not read
};

// Where a run keeps the text that it found.
std::string backup_of(const std::string& path, std::string_view run);
// The run that a name beside `file` is a backup of ("slurm.conf.before-20261122-0300-n1"); empty: it is none
// of ours.
std::string run_of_backup(std::string_view file, std::string_view name);

// Those beside these files, links followed, the newest run first; texts are not read.
std::vector<Backup> backups_here(const std::vector<slurmconf::File>& files);
// Reads the texts that these runs have kept; what cannot be read stays without.
void read_texts(std::vector<Backup>& backups, const std::set<std::string>& runs);
// The newest eight.
std::set<std::string> newest_runs(const std::vector<Backup>& backups);

// The files as that run found them; nullopt: it has left no backup of any.
std::optional<std::vector<slurmconf::File>> as_found_by(const std::vector<slurmconf::File>& files,
                                                        const std::vector<Backup>& backups,
                                                        std::string_view run);
// As the newest runs have found them, the newest first.
std::vector<std::vector<slurmconf::File>> found_by_runs(const std::vector<slurmconf::File>& files,
                                                        const std::vector<Backup>& backups);
// The same by the backups that lie beside the files here.
std::vector<std::vector<slurmconf::File>> found_by_runs(const std::vector<slurmconf::File>& files);
// The text that stood at `path` at that time; nullptr: no backup shows it.
const Backup* stood_at(const std::vector<Backup>& backups, const std::string& path, TimePoint time);

// Those older than 30 days that are not among the newest eight of their file.
std::vector<std::string> too_old(const std::vector<Backup>& backups, TimePoint now);
void drop_old_backups(const std::vector<slurmconf::File>& files, TimePoint now);

}  // namespace tessera::slurm
