// A real Slurm for one test: slurm_lab.sh in a temporary folder, gone when this object or its process is.
//
// Blocking; for the test's own thread. Programs run to their end with their output read whole.
#pragma once

#include <signal.h>

#include <string>
#include <vector>

namespace tessera::test {

struct LabAnswer {
  int status = -1;  // exit status; -1: it did not end by itself
  std::string out;  // stdout and stderr together
};

class SlurmLab {
 public:
  enum class Kind {
    plain,
    configless,  // slurmd has its files from slurmctld
    accounting,  // with a slurmdbd and its MariaDB; the cluster "lab" has no accounts but root's
  };
  // extra: more lines for slurm.conf.
  explicit SlurmLab(const std::string& extra = "", Kind kind = Kind::plain);
  ~SlurmLab();
  SlurmLab(const SlurmLab&) = delete;
  SlurmLab& operator=(const SlurmLab&) = delete;

  // Why there is no lab; empty: it runs. Tests skip when programs are missing, or MariaDB ends by itself as
  // soon as it is started, and fail otherwise.
  const std::string& trouble() const { return trouble_; }
  bool without_mariadb() const { return trouble_.starts_with("failed: MariaDB cannot run here: "); }
  static bool possible();             // root, and all programs are installed
  static bool possible_configless();  // and a mount of one's own can be had
  static bool possible_accounting();  // and slurmdbd, and mariadbd with its system tables

  std::string conf() const { return folder_ + "/etc/slurm.conf"; }
  const std::string& folder() const { return folder_; }

  // With SLURM_CONF set; uid 0 is root.
  LabAnswer run(std::vector<std::string> argv, unsigned uid = 0) const;
  // Submits `sleep`; the answer is the job's number, or what sbatch complained of.
  std::string submit(std::vector<std::string> arguments, unsigned uid = 0) const;
  // Runs the command again and again until `done` says so of its output; false: not within 90 s.
  bool wait(const std::vector<std::string>& argv, bool (*done)(const std::string& out)) const;
  // Between two questions of who waits for Slurm: without it they would keep it and the machine busy.
  void pause() const;

  // daemon: "slurmctld", "munged", "slurmd-gpu01", "slurmdbd", "mariadbd".
  void signal(const std::string& daemon, int number) const;
  bool start(const std::string& daemon);  // after it was killed
  // What MariaDB is to do with slurmdbd's tables, as one change. The answer is what went wrong.
  std::string sql(const std::vector<std::string>& statements) const;
  // A command that restarts a daemon: "slurmctld", "slurmd-gpu01".
  std::string restart_command(const std::string& daemon) const { return folder_ + "/restart " + daemon; }

 private:
  std::string read_line();
  std::string folder_;
  std::string trouble_;
  int to_ = -1, from_ = -1;
  int asked_ = 0;  // daemons so far
  int pid_ = -1;
};

}  // namespace tessera::test
