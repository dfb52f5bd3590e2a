// How a change becomes steps. Each dialect has its own builder; the planner knows none of them.
// Threads: builders are constant; share them freely.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/plan/effect/diff.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/words/wording.hpp"

namespace tessera::plan {

// Everything that is known about the change of one node when its steps are written.
struct NodeChange {
  const Node& node;
  Scheduler scheduler = Scheduler::slurm;
  const Intent& intent;
  const Means& can;
  std::vector<BoardChange> boards;  // only those that change, dragged ones included
  std::optional<Scope> scope;       // what must be free of work
  Needs needs;
  std::vector<Disturbed> blast_radius;
  Offered before, after;  // of the whole node
  const mig::Catalogue* catalogue = nullptr;
  bool rename_shared = false;  // shared resources are to be named nvidia.com/gpu.shared
  std::optional<bool> refuse_several = std::nullopt;  // failRequestsGreaterThanOne; nullopt: not written
};

// What a run that stopped half-way may have left behind beside the GPUs.
struct Unfinished {
  const std::map<std::string, std::string>& words;  // NodeFacts::words, as it stands now
  const std::set<std::string>& begun;               // verbs of Special and words of other actions
  bool back = false;                                // the way back, not the way on
};

// What a change comes to on its node.
struct Work {
  std::string missing;          // what it would need and does not have, with the setting; empty: nothing
  std::vector<Notice> notices;  // what to know about it before arming
  std::vector<Step> steps;      // in order; none while something is missing
  Orders ordered;               // what is ordered of the node once they are done
  bool is_none() const { return missing.empty() && steps.empty(); }
};

class StepBuilder {
 public:
  virtual ~StepBuilder() = default;
  // Every step must be idempotent: executor.hpp says how it is run, and run again. Where `change` has no
  // GPUs, there may be something to do all the same, without work on the node: the scheduler has to be told
  // of them, or an order that stands there says something else. Errors: it cannot be made here at all.
  virtual Result<Work> work(const NodeChange& change) const = 0;
  // Work::missing of a change of GPUs, without writing its steps where that can be told before: for many
  // nodes.
  virtual Result<std::string> missing(const NodeChange& change) const;
  // Whether a node whose GPUs are not reported can be planned all the same, since they are cleared whole.
  virtual bool takes_untold(const Node& /*node*/, const Intent& /*intent*/) const { return false; }
  // What is ordered of it now.
  virtual Orders orders(const Node& /*node*/, const Means& /*can*/) const { return {}; }
  // Gives the node back: opens what we closed, takes our marks off. Ends every plan that carries on with a
  // run.
  virtual std::vector<Step> release(const NodeName& node, Scheduler scheduler) const = 0;
  // Adds to the steps with which a run is carried on what the run itself has left undone; `change` has no
  // GPUs: they are as wanted, or the steps see to them. The steps are numbered afterwards. Errors: what is
  // left cannot be told, so that the node must not be given back.
  virtual Status tidy_up(std::vector<Step>& /*steps*/, const NodeChange& /*change*/,
                         const Unfinished& /*left*/) const {
    return Done{};
  }
  // What another admin has to do while a step only looks, as it is set up here.
  virtual std::vector<std::string> to_do(const Step& /*step*/, const NodeName& /*node*/,
                                         const Means& /*can*/) const {
    return {};
  }
  // Whether an act of that name (as in Unfinished::begun) touches how GPUs are cut or shared, or orders that.
  virtual bool changes_layout(std::string_view begun) const;
  // What an undo is to order beside the GPUs, for what the run has done; begun: as in Unfinished.
  virtual Orders orders_back(const std::set<std::string>& /*begun*/) const { return {}; }
};

const StepBuilder& builder_for(Dialect dialect);

// Whose work the intent has sent away by a step of its own, in the order of the blast radius. Empty when it
// waits. A requeue leaves those out that would not start again: ending them needs the word cancel.
std::vector<const Disturbed*> sent_away(const NodeChange& change);

// tessera marks, closes, empties, cuts and reads back by itself, with a driver that takes nvidia-smi's verbs.
class DirectSteps : public StepBuilder {
 public:
  // Without GPUs: switches of the simulated device plugin that are to be others.
  Result<Work> work(const NodeChange& change) const override;
  Result<std::string> missing(const NodeChange& change) const override;
  Orders orders(const Node& node, const Means& can) const override;
  std::vector<Step> release(const NodeName& node, Scheduler scheduler) const override;
  Status tidy_up(std::vector<Step>& steps, const NodeChange& change, const Unfinished& left) const override;
};

// tessera writes labels and configurations; the operator's MIG manager and device plugin do the rest.
class OperatorSteps : public StepBuilder {
 public:
  Result<Work> work(const NodeChange& change) const override;
  Result<std::string> missing(const NodeChange& change) const override;
  bool takes_untold(const Node& node, const Intent& intent) const override;
  Orders orders(const Node& node, const Means& can) const override;
  std::vector<Step> release(const NodeName& node, Scheduler scheduler) const override;
  // Orders that the run has given and that do not stand for the layout.
  Status tidy_up(std::vector<Step>& steps, const NodeChange& change, const Unfinished& left) const override;
  bool changes_layout(std::string_view begun) const override;
};

// tessera drains the node, has nvidia-smi cut it there, writes Slurm's files and makes them effective.
class SlurmSteps : public StepBuilder {
 public:
  // Without GPUs: files that say something else than they do, or that Slurm does not run with.
  Result<Work> work(const NodeChange& change) const override;
  std::vector<Step> release(const NodeName& node, Scheduler scheduler) const override;
  // Files that say something else than the GPUs, daemons that run with something else, clients of the GPUs
  // that were stopped.
  Status tidy_up(std::vector<Step>& steps, const NodeChange& change, const Unfinished& left) const override;
  // The restarts of daemons that no command of the site's does.
  std::vector<std::string> to_do(const Step& step, const NodeName& node, const Means& can) const override;
  // A boot unit that the run has enabled.
  Orders orders_back(const std::set<std::string>& begun) const override;
};

// For what may be asked again at once. Busy: destroying and creating may meet a client that is just leaving,
// an exporter's look or a process that is closing.
constexpr Retry kFewRetry{2, std::chrono::seconds(2), std::chrono::seconds(10)};
constexpr Retry kBusyRetry{4, std::chrono::seconds(2), std::chrono::seconds(30)};

// An act with the commands that follow from it alone, asked for again at once where it fails; what it relies
// on and leads to is for the caller.
Step step_for(Action action, const NodeName& node, Dialect dialect, Scheduler scheduler, Duration deadline,
              Duration look_every = std::chrono::milliseconds(500));

// Opens the node and takes the mark off. `proof` must still hold when the node is given back: a reboot may
// have undone all that was read back.
std::vector<Step> release_steps(const NodeName& node, Dialect dialect, Scheduler scheduler,
                                const Conditions& proof);

// The GPUs whose MIG mode is switched that way.
std::vector<GpuIndex> switched(const NodeChange& change, bool on);
// What a reset must lead to, and the patience for it.
void expect_settled(Step& step, const NodeChange& change);
// Creating what a GPU lacks; and what that relies on, in addition to what step.before has, and must lead
// to.
CreateInstances creation_of(const BoardChange& board);
void expect_created(Step& step, const BoardChange& board);

// Appends the release steps unless the plan has them, and numbers the steps again.
void end_with_release(NodePlan& plan, Dialect dialect, Scheduler scheduler);

// "GPU 0-3,6"
std::string boards_text(const std::vector<GpuIndex>& gpus);
// GPUs with the same text together, in the order of first mention: ("GPU 0-3,6", "7x1g.10gb").
std::vector<std::pair<std::string, std::string>> boards_alike(
    const std::vector<std::pair<GpuIndex, std::string>>& boards);

}  // namespace tessera::plan
