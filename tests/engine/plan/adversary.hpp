// A tiny world that a run can change, and that does its best to hurt: one node, GPUs as values, work that
// comes and goes, and one fault that strikes at a chosen moment.
//
// It keeps its own account of what was held when something was destroyed, so that a test need not trust the
// executor's view.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/run/run.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

enum class Fault {
  none,
  create_stops_half_way,   // Insufficient Resources after part of the list
  create_always_stops,     // ... every time
  in_use_by_another,       // an unknown client opens an instance
  mode_change_pends,       // and stays so
  node_vanishes,           // and does not come back
  node_blinks,             // is away for a while
  success_without_device,  // command succeeded; verifying and did nothing, once
  never_a_device,          // ... every time
  job_lands,               // after the node was closed
  clock_goes_back,
  clock_leaps,
  drained_by_other,    // before we close it, or over our own drain
  opened_by_other,     // undrained behind our back
  reboot,              // instances are gone, Hopper's MIG mode, too
  connection_drops,    // the action happens, its answer is an error
  cluster_unreadable,  // observe fails for a while
  mark_taken,          // another run breaks our lock
  count
};
std::string_view word(Fault fault);

class Adversary {
 public:
  Adversary(const mig::Catalogue& catalogue, Node node, std::vector<Workload> workloads);

  // Strikes before the n-th perform (counted from 0) or, for looks, the n-th observe.
  void arm(Fault fault, int moment) { fault_ = fault, moment_ = moment; }

  Result<plan::NodeFacts> observe(const std::string& run);
  Status perform(const plan::Action& action, const plan::RunMark& mark);
  // What the planner would be told.
  Cluster cluster() const;
  const std::optional<plan::RunMark>& mark() const { return mark_; }
  // Why it takes no new work; empty: it takes some.
  std::string closed_reason() const { return closed_ ? closed_reason_ : ""; }
  void close_by_hand(std::string reason, std::string by) {
    closed_ = true, closed_reason_ = std::move(reason), closed_by_ = std::move(by);
  }

  TimePoint now = at(0);
  Scheduler scheduler = Scheduler::slurm;
  int plugin_restarts = 0;
  int resets = 0;           // of GPUs, that the driver made
  int resets_in_vain = 0;   // so many of the next ones mend nothing
  int ordered_reboots = 0;  // that Slurm was asked for and that have begun
  // Someone's work ends, unknown clients leave, a foreign mark goes: what an admin waits for.
  void let_all_work_end();
  void mend();  // the fault is over; the node is back

  Node node;
  std::vector<Workload> workloads;
  // What no run may do: acting on what was seen to be held, sending work away that the plan does not name,
  // opening what someone else closed. Work that comes after the last look is the driver's to protect.
  std::vector<std::string> harm;
  std::vector<WorkloadId> evicted;
  int performs = 0;
  int looks = 0;
  bool struck = false;
  bool changed_by_run = false;  // how its GPUs are cut or shared
  bool was_drained_by_other = false;

 private:
  struct Hand;
  Gpu* board(GpuIndex index);
  void link();
  void strike();
  bool failing(Fault fault) const { return struck && fault_ == fault && !mended_; }
  void reboot();
  plan::NodeFacts facts_now() const;
  void reboot_by_slurm();
  bool held(const Slice& slice, const std::string& deed);

  const mig::Catalogue& catalogue_;
  Fault fault_ = Fault::none;
  int moment_ = -1;
  bool once_ = false;  // a fault that strikes once has
  bool mended_ = false;
  int away_ = 0;  // looks for which the node is away
  int next_device_ = 100;
  std::set<int> seen_held_;  // devices in use at the last look
  bool seen_closed_by_other_ = false;
  bool closed_ = false;
  std::string closed_reason_, closed_by_;
  std::optional<plan::RunMark> mark_;
  std::string noted_reboot_;   // as Slurm's flag: REBOOT_REQUESTED, REBOOT_ISSUED; empty: none
  bool reopens_ = false;       // ... with nextstate=RESUME
  std::string reset_, sound_;  // the run, and which GPUs were reset by it; which were found sound since
  bool unsound_ = false;       // ... and still ask for one
  std::string plugin_by_;      // the run that has restarted the device plugin last
};

}  // namespace tessera::test
