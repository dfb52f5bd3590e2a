// Besides the controller: Slurm's files, here or on their host, and the exporters of nodes.
#include <unistd.h>

#include <set>
#include <utility>

#include "backends/slurm/backend_state.hpp"
#include "backends/slurm/change/conf_lock.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/explain.hpp"

namespace tessera::slurm {

// Plans are written from the files, and people are told what is wrong with them; both only when that can have
// changed. Then the round goes on.
void SlurmBackend::State::look_at_files() {
  const std::string path = conf.file.empty() ? facts.conf : conf.file;
  if (path.empty() || facts.version.empty()) return step();
  if (options.said.writer == slurmconf::Writer::host) return look_at_host_files();
  bool changed = files.changed(path, allowed_devices_of(with_version(options.said, facts.version)));
  if (changed) actuator.know(facts.version, path, files.files());
  auto lock = lock_remark(path, options.clock());
  const bool moved = std::exchange(stale_lock, lock) != lock;
  if (changed || gres != held_against) {
    if (config_round != rounds) round.add(Step::config);
    if (partitions_round != rounds) round.add(Step::partitions);
  }
  if (changed || moved || gres != held_against) tell_files(files.files());
  step();
}

// Far away: with the seldom lists, and when a node's GRES has changed.
void SlurmBackend::State::look_at_host_files() {
  bool due = !host_read || started - *host_read >= kSeldom || gres != held_against;
  if (!due) return step();
  host_read = started;
  actuator.read_host_files(
      facts.version, facts.conf,
      [this](const Result<std::vector<slurmconf::File>>& found, std::optional<Remark> lock) {
        stale_lock = std::move(lock);
        tell_files(found);
        step();
      });
}

void SlurmBackend::State::tell_files(const Result<std::vector<slurmconf::File>>& found) {
  held_against = gres;
  bool all_seen = facts.private_data.find("nodes") == std::string::npos || ::geteuid() == 0;
  file_remarks =
      slurm::file_remarks(found, with_version(options.said, facts.version), all_seen ? &last_nodes : nullptr);
  if (stale_lock) file_remarks.insert(file_remarks.begin(), *stale_lock);
  post_file_remarks();
  if (all_seen) actuator.hold_against(last_nodes);
}

void SlurmBackend::State::post_file_remarks() {
  std::vector<Remark> remarks = unapplied_remarks;
  remarks.insert(remarks.end(), file_remarks.begin(), file_remarks.end());
  post(RemarksListed{Source::slurm_config, std::move(remarks)});
}

// With the seldom lists, and when files or GRES have changed: all of one round, since a file may be edited
// between two.
void SlurmBackend::State::hold_all_against() {
  if (config_round != rounds || partitions_round != rounds || round.had_failure()) return;
  const bool some_hidden = !facts.private_data.empty() && facts.private_data != "none" && ::geteuid() != 0;
  if (some_hidden) return;
  std::vector<Remark> fresh = actuator.unapplied_remarks(shown, last_nodes, last_jobs);
  if (std::exchange(unapplied_remarks, fresh) != fresh) post_file_remarks();
}

// Faults of nodes that are gone are no findings.
void SlurmBackend::State::tell_listed() {
  if (!options.listed) return;
  std::set<NodeName> names;
  for (const Node& node : last_nodes) names.insert(node.name);
  options.listed->set(std::move(names));
}

// Those that have GPUs, as they are listed last.
void SlurmBackend::State::ask_exporters() {
  if (!options.exporter) return;
  if (!exporters) {
    figures::NodeExporterCalls told;
    told.told = [this](const NodeName& node, const figures::DcgmReadings& readings) {
      named_jobs->keep(node, readings, Steady::now());
      Measured measured = figures::measured_of(node, readings, options.catalogue);
      look_at_strangers(measured);
      post(std::move(measured));
    };
    told.report = [this](SourceReport report, std::vector<Remark> remarks) {
      post(std::move(report));
      if (std::exchange(exporter_remarks, remarks) != remarks)
        post(RemarksListed{Source::dcgm, std::move(remarks)});
    };
    told.clock = options.clock;
    exporters.emplace(worker, processes, *options.exporter, std::move(told));
  }
  std::vector<NodeName> with_gpus;
  for (const Node& node : last_nodes)
    if (!node.gpus.empty() || !node.pool.empty()) with_gpus.push_back(node.name);
  exporters->set_nodes(with_gpus);
  exporters->set_viewed(viewed);
}

}  // namespace tessera::slurm
