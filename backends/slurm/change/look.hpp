// One fresh look at one node for a run: Slurm's records, its files, and the node's own driver.
//
// Slurm is asked once for all looks that wait (census.hpp); then the node is, step by step. Nothing is cached
// but what a busy node's GPUs looked like within the last minute, so that work is not disturbed by looking
// again and again.
// Threads: the worker's thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "backends/nvidia/node_gpus.hpp"
#include "backends/runner.hpp"
#include "backends/slurm/change/boot_unit.hpp"
#include "backends/slurm/change/census.hpp"
#include "backends/slurm/change/gpu_order.hpp"
#include "backends/slurm/change/host_files.hpp"
#include "backends/slurm/parse/parse_pids.hpp"
#include "backends/slurm/parse/running.hpp"
#include "engine/model/telemetry.hpp"
#include "engine/plan/facts.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurm {

struct Seen {
  TimePoint told;  // when the look came to its end
  plan::NodeFacts facts;
  slurmconf::SlurmSetup site;              // with the files as they stand now
  std::optional<Reservation> reservation;  // one that carries a mark and holds this node
  std::string user;                        // SlurmUser: "slurm"
};

// What all looks share; belongs to the actuator.
struct Eyes {
  NodeRunner& runner;
  CensusTaker& census;
  const mig::Catalogue* catalogue = nullptr;
  std::function<TimePoint()> clock;
  HostFiles* host_files = nullptr;              // Writer::host; null: the files are here
  std::string conf;                             // slurm.conf; empty: not known
  slurmconf::SlurmSetup said;                   // what the site says, without files
  std::map<NodeName, nvidia::NodeGpus> boards;  // as last seen
  // When and under which run's mark that was, and since which boot of the node. None: it could not be asked
  // since, so what stands is not known.
  struct Read {
    std::chrono::steady_clock::time_point at;
    std::string run;
    std::optional<TimePoint> booted;
  };
  std::map<NodeName, Read> read;
  std::map<NodeName, std::string> minors;  // the driver's mig-minors of that time
  std::set<NodeName> fit;                  // commands there run outside of jobs, by ssh as root
  std::map<NodeName, std::string> tools;   // MigTool::mig_parted: why it cannot work there; "": it does
  std::map<NodeName, BootUnit> units;      // as last seen, where the site has named one
  std::optional<KnownText> in_step;        // the files as slurmctld was last seen to have read them
  // The files as they were seen, oldest first, one for each text: of two runs that write in turn slurmctld
  // may have read what one of them wrote before the other did.
  std::deque<slurmconf::Files> texts;
  StoodThen stood;                        // of the files beside slurm.conf
  Calls* calls = nullptr;                 // never null once the actuator is made
  const SlurmClient* commands = nullptr;  // the same
  std::string user;                       // the account that asks; empty: not known
  // What a run was told last of its node, for the act that it judges by that.
  std::map<NodeName, Seen> judged;
  std::map<NodeName, BoardMinors> order{};  // of GPUs, as the driver counted them last
  // What a look has measured, and which job each process belongs to; null: not asked. May be empty.
  std::function<void(Measured measured, const JobPids* jobs)> measured{};
};

struct LookAt {
  NodeName node;
  bool boards = true;  // the driver's word, too
  // Who is there and what the other nodes are, too. False: for whoever reads GPUs, and for an act, which
  // was judged by such a look right before.
  bool whole = true;
  // A run's mark that is a reservation in any case, as it is right now. False: within seconds of its making.
  bool reservations = false;
  // With whole: the words that hang on what a reconfigure would change (reads_effect).
  bool effect = true;
};

// Whether one of these NodeFacts::words is left out of a look without LookAt::effect.
bool reads_effect(const std::set<std::string>& words);

// What was told of that node a moment ago and judged by the run that marks it: the driver's GPUs do not
// change in that moment, since the node is closed for that run. Given once. nullopt: nothing, or it is too
// old, or the clock was set; look again then.
inline constexpr Duration kJudgedFor{2000};  // between that look and the act that follows from it
std::optional<Seen> take_judged(Eyes& eyes, const NodeName& node, const std::string& run);

// `told` is called once, not from inside. census: a recent one that will do; null: a fresh one is taken.
void look_at(Eyes& eyes, LookAt what, std::function<void(Result<Seen>)> told,
             std::shared_ptr<const Census> census = nullptr);

// As `scontrol show config`, `-a -d -o show node` and `-a -o show partition` print it, asked one after the
// other.
struct Shown {
  std::string config, nodes, partitions;
};
// What a reconfigure would make true beside the GRES of nodes. Remembers the files where slurmctld has read
// just these: later it tells a run's own edit from another's. nodes: those of `shown`; marked: such that runs
// are changing, beside those that carry a mark themselves. Errors: a line of the files cannot be read.
Result<Unapplied> hold_against(Eyes& eyes, const slurmconf::SlurmSetup& site, const Shown& shown,
                               const std::vector<Node>& nodes, std::set<std::string> marked = {});

// "yes", or the flags that say that the node has not registered as it should. slurmd_started: as its record
// says. A node that a run has drained stays DOWN after a reboot although its slurmd has registered since
// (ReturnToService 0 and 1): that counts as registered, and resuming it ends that.
std::string registered_word(const Node& node, std::optional<TimePoint> slurmd_started);

// Whether a command can be run on the node as it is: there is a way, and by srun the node is not drained.
bool reaches(slurmconf::Reach reach, const plan::NodeFacts& facts);

// Whom the reservation of a run lets in: srun comes as us.
std::string let_in(const Seen& seen);

}  // namespace tessera::slurm
