#include "backends/slurm/commands.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tessera::slurm {
namespace {

constexpr std::pair<std::string_view, Source> kShown[] = {
    {"node", Source::slurm_nodes},           {"job", Source::slurm_jobs},
    {"assoc_mgr", Source::slurm_jobs},  // the limits of one job
    {"partition", Source::slurm_partitions}, {"reservation", Source::slurm_reservations},
    {"config", Source::slurm_ping},
};

// Some 20,000 nodes, which is more than any cluster has; of jobs there are more.
constexpr std::size_t kMostAnswer = 64u << 20, kMostJobs = 256u << 20;
// Of what is short in every cluster.
constexpr std::size_t kMostShort = 4u << 20;

Command with_limit(Command command, std::size_t bytes) {
  command.output_limit = bytes;
  return command;
}

// The first word that is no option, and the one behind it.
std::pair<std::string_view, std::string_view> verb_of(const Command& command) {
  for (std::size_t i = 1; i < command.argv.size(); ++i) {
    if (command.argv[i].starts_with('-')) continue;
    return {command.argv[i], i + 1 < command.argv.size() ? std::string_view(command.argv[i + 1]) : ""};
  }
  return {};
}

}  // namespace

Command scontrol(const SlurmClient& site, std::vector<std::string> arguments) {
  Command command;
  command.argv.push_back(site.bin.empty() ? "scontrol" : site.bin + "/scontrol");
  for (std::string& argument : arguments) command.argv.push_back(std::move(argument));
  command.environment["LC_ALL"] = "C";
  // So long may the tasks of an array be told; what is longer is cut ("1,3,..."), at 64 by default.
  command.environment["SLURM_BITSTR_LEN"] = "1000";
  if (!site.conf.empty()) command.environment["SLURM_CONF"] = site.conf;
  command.unset = {"SLURM_TIME_FORMAT", "SLURM_CLUSTERS", "SLURM_DEBUG_FLAGS", "SCONTROL_ALL",
                   "SQUEUE_FORMAT",     "SINFO_FORMAT",   "SLURM_JSON",        "SLURM_YAML"};
  command.deadline = site.deadline;
  command.output_limit = kMostAnswer;
  return command;
}

// -a: hidden partitions and their nodes and jobs; -d: GresUsed and the indices of GPUs; -o: a line a record.
Command show_nodes(const SlurmClient& site) { return scontrol(site, {"-a", "-d", "-o", "show", "node"}); }
Command show_jobs(const SlurmClient& site) {
  return with_limit(scontrol(site, {"-a", "-d", "-o", "show", "job"}), kMostJobs);
}
Command show_partitions(const SlurmClient& site) { return scontrol(site, {"-a", "-o", "show", "partition"}); }
Command show_reservations(const SlurmClient& site) { return scontrol(site, {"-o", "show", "reservation"}); }
Command show_config(const SlurmClient& site) {
  return with_limit(scontrol(site, {"show", "config"}), kMostShort);
}

Command ping(const SlurmClient& site) {
  Command command = with_limit(scontrol(site, {"ping"}), kMostShort);
  command.deadline = std::min(site.deadline, Duration(3000));  // it takes 5 ms, whether up or down
  return command;
}

Command version(const SlurmClient& site) {
  Command command = with_limit(scontrol(site, {"--version"}), kMostShort);
  command.deadline = std::min(site.deadline, Duration(3000));
  return command;
}

Command ask_accounting(const SlurmClient& site) {
  Command command = scontrol(site, {"-n", "-P", "list", "cluster", "format=cluster"});
  command.argv.front() = site.bin.empty() ? "sacctmgr" : site.bin + "/sacctmgr";
  command.deadline = std::min(site.deadline, Duration(10000));
  return command;
}

Source source_asked(const Command& command) {
  if (command.argv.empty()) return Source::none;
  std::string_view program = command.argv.front();
  program.remove_prefix(program.rfind('/') + 1);
  if (program == "sprio") return Source::slurm_jobs;
  if (program == "sacctmgr") return Source::slurm_ping;
  if (program != "scontrol") return Source::none;
  const auto [verb, what] = verb_of(command);
  if (verb == "ping") return Source::slurm_ping;
  if (verb != "show") return Source::none;
  for (const auto& [shown, source] : kShown)
    if (what == shown) return source;
  return Source::none;
}

Command probe_munge(const std::string& socket) {
  Command command;
  command.argv = {"munge", "--no-input"};
  if (!socket.empty()) command.argv.push_back("--socket=" + socket);
  command.environment["LC_ALL"] = "C";
  command.deadline = Duration(1500);
  command.output_limit = 1 << 16;
  return command;
}

}  // namespace tessera::slurm
