// Writes the steps for one Slurm node, stage by stage: held and emptied (steps_slurm.cpp), cut on the node
// itself (steps_slurm_cut.cpp), written into Slurm's files and made effective (steps_slurm_files.cpp).
//
// For steps_slurm*.cpp only. Threads: a value with one owner.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::plan {

class SlurmBuilder {
 public:
  // acts_there: something is run on the node although no GPU gets another layout.
  explicit SlurmBuilder(const NodeChange& change, bool acts_there = false);

  std::vector<Step> run();
  // Without a change of GPUs: these are reset, and nothing is written (steps_slurm_reset.cpp).
  std::vector<Step> reset(const std::vector<GpuIndex>& gpus);
  // Gives the node back where that has stopped. begun: as in Unfinished.
  std::vector<Step> after_reset(const std::set<std::string>& begun);
  // Why Slurm's files cannot be edited so, as far as that can be told before anything is cut; empty: they
  // can.
  std::string why_not_written() const;
  // Without a change of GPUs: what Slurm has still to be told; empty: nothing.
  std::string untold() const;
  // Without a change of GPUs: whether files and daemons are as these GPUs want them.
  bool settled(const Unfinished& left) const;
  // Adds what the run has left to do on the node itself.
  void tidy_node(std::vector<Step>& steps, const Unfinished& left);
  // Adds to a way back that a boot unit which the run has enabled is disabled again.
  void take_back_boot_unit(std::vector<Step>& steps);
  // What an admin has to do for a step that waits for restarted daemons.
  static std::vector<std::string> restarts_for(const Step& step, const std::string& node,
                                               const slurmconf::SlurmSetup& site);
  static std::vector<Step> release_of(const NodeName& node, const Conditions& proof);

 private:
  static WordIs word_is(std::string_view name, std::string value) {
    return {std::string(name), std::move(value)};
  }
  static Special special(std::string_view what, std::map<std::string, std::string> arguments = {}) {
    return {std::string(what), std::move(arguments)};
  }
  static std::string joined(const std::vector<std::string>& words, const std::string& node);

  Step& add(Action action, const mig::Product* product = nullptr);
  Step& look(Conditions after, Duration patience);
  // Runs on the node; for people.
  std::string there(const std::string& command) const;
  void run_there(Step& step) const;
  // What every act relies on: no other took the node from us, and it takes no new work.
  Conditions guarded() const;
  Conditions guarded_and_empty() const;

  // --- held for us, and empty

  void preflight();
  void elsewhere(Duration patience);
  void close();
  // The drain's reason is the mark. A reservation is one, too: where the node is to stay open for our own
  // steps, or someone else's drain is to stay as it is.
  void mark();
  void evict();
  void await_empty();

  // --- on the node itself

  void recut();
  void recut_by_smi();
  void recut_by_parted();
  void read_back();
  bool has_clients() const;
  void stop_clients();
  void start_clients();
  Conditions for_cutting() const;
  void destroy(const BoardChange& board);
  void switch_modes();
  void create(const BoardChange& board);
  void boot_file();
  void boot_unit() { switch_boot_unit(true); }
  void boot_unit_off() { switch_boot_unit(false); }
  void switch_boot_unit(bool on);
  void add_within(std::vector<Step>& steps, std::string_view verb, void (SlurmBuilder::*stage)());

  // --- Slurm's files and daemons

  // As far as it can be told before the GPUs are cut: the driver chooses the numbers of instances.
  std::string diff() const;
  void await_forgotten();
  void write_config();
  void await_patch();
  void make_effective();
  void restart(std::string_view what, const std::vector<std::string>& argv, Conditions after,
               Conditions before);
  // Which commands restart a site's daemons is never guessed.
  void ask_for_restarts();
  void start_daemon();
  void registered();
  // The GPUs as they shall be, as the driver reports them. How they are shared is Slurm's word alone.
  Conditions boards() const;
  // A drained node takes no step of ours: what srun alone could tell has been read back before the drain.
  Conditions proof() const;
  std::vector<Step> release(const Conditions& proof) const;
  std::vector<Step> given_back();

  const NodeChange& change_;
  const slurmconf::SlurmSetup& site_;
  const std::string& node_;
  const bool recut_;
  const bool down_;            // its slurmd, when this was planned
  const bool in_reservation_;  // the node is cut by srun inside a reservation, before it is drained
  const Node after_;
  const mig::Product* product_;
  const std::string wanted_;
  bool closed_ = false;
  std::vector<Step> steps_;
};

// Whether a change of that GPU has to be made by its driver.
bool cuts(const BoardChange& board);

}  // namespace tessera::plan
