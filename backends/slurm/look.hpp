// One fresh look at one node for a run: Slurm's records, its files, and the node's own driver.
//
// Asks step by step, one call at a time: the node, its jobs where it has any, reservations, the other nodes
// while nothing runs here, and nvidia-smi on the node. Nothing is cached but what a busy node's boards looked
// like when they were last seen, so that work is not disturbed by looking again and again.
// Threads: the worker's thread only.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "backends/nvidia/node_gpus.hpp"
#include "backends/process.hpp"
#include "backends/runner.hpp"
#include "backends/slurm/boot_unit.hpp"
#include "backends/slurm/commands.hpp"
#include "backends/slurm/host_files.hpp"
#include "engine/plan/facts.hpp"
#include "engine/slurmconf/site.hpp"

namespace tessera::slurm {

// What all looks share; belongs to the actuator.
struct Eyes {
  Processes& processes;
  NodeRunner& runner;
  const Site& commands;
  const mig::Catalogue* catalogue = nullptr;
  std::function<TimePoint()> clock;
  HostFiles* host_files = nullptr;              // Writer::host; null: the files are here
  std::string conf;                             // slurm.conf; empty: not known
  slurmconf::Site said;                         // what the site says, without files
  std::map<NodeName, nvidia::NodeGpus> boards;  // as last seen
  std::map<NodeName, std::string> minors;       // the driver's mig-minors of that time
  std::set<NodeName> fit;                       // commands there run outside of jobs, by ssh as root
  std::map<NodeName, std::string> tools;        // MigTool::mig_parted: why it cannot work there; "": it does
  std::map<NodeName, BootUnit> units;           // as last seen, where the site has named one
};

struct Seen {
  plan::NodeFacts facts;
  slurmconf::Site site;                    // with the files as they stand now
  std::optional<Reservation> reservation;  // one that carries a mark and holds this node
  std::string user;                        // SlurmUser: "slurm"
};

struct LookAt {
  NodeName node;
  bool boards = true;     // the driver's word, too
  bool elsewhere = true;  // the other nodes, too
};

// `told` is called once, not from inside.
void look_at(Eyes& eyes, LookAt what, std::function<void(Result<Seen>)> told);

// The text of a field of a node's record: "gpu:h100:8(S:0-1)"; empty: none.
std::string gres_of_record(std::string_view record);
// "yes", or the flags that say that the node has not registered as it should. slurmd_started: as its record
// says. A node that a run has drained stays DOWN after a reboot although its slurmd has registered since
// (ReturnToService 0 and 1): that counts as registered, and resuming it ends that.
std::string registered_word(const Node& node, std::optional<TimePoint> slurmd_started);

}  // namespace tessera::slurm
