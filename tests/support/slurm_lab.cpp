#include "tests/support/slurm_lab.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/support/paths.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/slurm_tables.hpp"

extern char** environ;

namespace tessera::test {
namespace {

// Starts a program in a session of its own with the given descriptors as 0 and 1 (and 2).
pid_t spawn(const std::vector<std::string>& argv, const std::vector<std::string>& environment, int in,
            int out) {
  std::vector<char*> words, settings;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  for (const std::string& setting : environment) settings.push_back(const_cast<char*>(setting.c_str()));
  for (char** each = environ; *each; ++each)
    if (std::string(*each).rfind("SLURM_", 0) != 0) settings.push_back(*each);
  settings.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (in >= 0)
    posix_spawn_file_actions_adddup2(&files, in, 0);
  else
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, out, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t pid = -1;
  if (posix_spawnp(&pid, words[0], &files, &attributes, words.data(), settings.data()) != 0) pid = -1;
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  return pid;
}

bool installed(const char* program) {
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/usr/local/bin/", "/usr/local/sbin/"})
    if (::access((std::string(folder) + program).c_str(), X_OK) == 0) return true;
  return false;
}

}  // namespace

bool SlurmLab::possible() {
  return ::geteuid() == 0 && installed("slurmctld") && installed("slurmd") && installed("munged") &&
         installed("scontrol");
}

bool SlurmLab::possible_configless() {
  int status = 1;
  pid_t pid = possible() ? spawn({"unshare", "-m", "true"}, {}, -1, 1) : -1;
  return pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool SlurmLab::possible_accounting() {
  return possible() && installed("slurmdbd") && installed("mariadbd") && installed("sacct") &&
         can_change_tables() && ::access("/usr/share/mysql/mysql_system_tables.sql", R_OK) == 0;
}

SlurmLab::SlurmLab(const std::string& extra, Kind kind) {
  char name[] = "/tmp/tsr-lab-XXXXXX";
  if (!mkdtemp(name)) {
    trouble_ = "no temporary folder";
    return;
  }
  folder_ = name;
  ::chmod(name, 0755);  // other users' clients read slurm.conf
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) != 0 || ::pipe2(from, O_CLOEXEC) != 0) {
    trouble_ = "no pipe";
    return;
  }
  const auto is = [kind](Kind one) { return kind == one ? "1" : ""; };
  pid_ = spawn({test::source_dir() + "/tests/support/slurm_lab.sh", folder_},
               {"LAB_EXTRA=" + extra, std::string("LAB_CONFIGLESS=") + is(Kind::configless),
                std::string("LAB_ACCOUNTING=") + is(Kind::accounting)},
               to[0], from[1]);
  ::close(to[0]);
  ::close(from[1]);
  to_ = to[1];
  from_ = from[0];
  std::string answer = read_line();
  if (answer != "ready") trouble_ = answer.empty() ? "the lab says nothing" : answer;
}

SlurmLab::~SlurmLab() {
  // The end of its stdin is the lab's sign to clean up.
  if (to_ >= 0) ::close(to_);
  if (pid_ > 0) ::waitpid(pid_, nullptr, 0);
  if (from_ >= 0) ::close(from_);
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::string SlurmLab::read_line() {
  auto end = std::chrono::steady_clock::now() + kPatience;
  std::string line;
  while (std::chrono::steady_clock::now() < end) {
    pollfd wait{from_, POLLIN, 0};
    if (::poll(&wait, 1, 1000) <= 0) continue;
    char c = 0;
    if (::read(from_, &c, 1) != 1 || c == '\n') break;
    line += c;
  }
  return line;
}

LabAnswer SlurmLab::run(std::vector<std::string> argv, unsigned uid) const {
  if (uid != 0) {
    std::string id = std::to_string(uid);
    argv.insert(argv.begin(), {"setpriv", "--reuid=" + id, "--regid=" + id, "--clear-groups"});
  }
  LabAnswer ran;
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return ran;
  pid_t pid = spawn(argv, {"SLURM_CONF=" + conf(), "LC_ALL=C"}, -1, out[1]);
  ::close(out[1]);
  char block[4096];
  for (ssize_t got = 0; pid > 0 && (got = ::read(out[0], block, sizeof block)) > 0;)
    ran.out.append(block, static_cast<std::size_t>(got));
  ::close(out[0]);
  int status = 0;
  if (pid > 0 && ::waitpid(pid, &status, 0) == pid && WIFEXITED(status)) ran.status = WEXITSTATUS(status);
  return ran;
}

std::string SlurmLab::submit(std::vector<std::string> arguments, unsigned uid) const {
  arguments.insert(arguments.begin(), {"sbatch", "--parsable", "-D", "/", "-o", "/dev/null"});
  arguments.insert(arguments.end(), {"--wrap", "exec sleep 1000"});
  LabAnswer ran = run(arguments, uid);
  while (!ran.out.empty() && ran.out.back() == '\n') ran.out.pop_back();
  return ran.out;
}

bool SlurmLab::wait(const std::vector<std::string>& argv, bool (*done)(const std::string& out)) const {
  auto end = std::chrono::steady_clock::now() + kPatience;
  for (; std::chrono::steady_clock::now() < end; pause())
    if (done(run(argv).out)) return true;
  return false;
}

void SlurmLab::pause() const {
  pollfd lab{from_, POLLIN, 0};
  ::poll(&lab, 1, 100);
}

void SlurmLab::signal(const std::string& daemon, int number) const {
  pid_t pid = -1;
  std::ifstream(folder_ + "/run/" + daemon + ".pid") >> pid;
  if (pid > 1) ::kill(pid, number);
}

bool SlurmLab::start(const std::string& daemon) {
  const std::string number = std::to_string(++asked_);
  const std::string line = number + " " + daemon + "\n";
  if (::write(to_, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return false;
  // An answer that came too late for its own question is passed over.
  std::string answer;
  while (!(answer = read_line()).empty())
    if (answer.starts_with(number + " ")) return answer == number + " started " + daemon;
  return false;
}

std::string SlurmLab::sql(const std::vector<std::string>& statements) const {
  return change_tables(folder_ + "/sql/socket", statements);
}

}  // namespace tessera::test
