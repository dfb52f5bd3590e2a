// A run over all its nodes: replayed from the journal, in which order nodes are taken, and what to tell whom.
// Threads: plain values, pure functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/planner.hpp"
#include "engine/plan/run/executor.hpp"

namespace tessera::plan {

struct Run {
  RunStarted started;
  std::map<NodeName, Executor> nodes;  // one each; a node without steps is finished from the start
  std::map<NodeName, NodePlan> plans;  // the current ones
  std::map<NodeName, bool> replanned;  // those that are not of the first plan; true: the way back
  std::optional<RunFinished> finished;
  bool paused = false;                              // no further node is begun
  std::string paused_why;                           // "the terminal went away"; empty: an admin wants it so
  std::vector<Resumed> resumed;                     // who took it up again, in order
  std::map<NodeName, std::set<std::string>> begun;  // under any of a node's plans: see Unfinished
  // Where a command that was begun on the node may be under way still, as far as the journal tells: after
  // replay() also one of an earlier process, which no later success tells the end of.
  std::set<NodeName> unanswered;
  std::set<NodeName> broke;  // where a step failed since an admin resumed the run
};
Run run_of(const RunStarted& started);
// Folds one event in; `entry.node` says whose it is. Errors: an event about a node that the run does not
// have.
Status note(Run& run, const Entry& entry);
// For events that a node's executor has said by itself: keeps Run::begun and Run::unanswered.
void note_begun(Run& run, const NodeName& node, const RunEvent& event);
Result<Run> replay(const Journal& journal);
// What another admin has to do while steps wait is told as it is set up here, not as the journal says.
void instruct(Journal& journal, const Means& can);

// Canary first, then batches; nothing more is begun after a failure or while paused.
// waiting: parked as planned, until it is empty or its time has come. failed: parked otherwise, or gone back.
enum class NodeStage : std::uint8_t { untouched, running, waiting, done, failed };
NodeStage stage_of(const Run& run, const NodeName& node);
std::vector<NodeName> nodes_to_begin(const Run& run);
struct Summary {
  std::vector<NodeName> done, failed, running, waiting, untouched;
  std::vector<NodeName> parked;  // those of `failed` in which no step has failed: paused, or asked about
  std::vector<NodeName> back;    // those of `failed` that have gone back because an admin wanted it
};
Summary summary(const Run& run);
std::string to_text(
    const Summary& summary);  // "3 of 9 nodes done, 1 parked (n4), 1 failed (n7), 4 untouched"
// Nodes that are parked since nobody answered, or stopped while they asked: what a resume has to answer.
std::set<Ask> open_questions(const Run& run);
// The flag that answers such a question on the command line, and the command that resumes a run with those
// that it needs: "tessera resume RUN --break-lock --write".
std::string_view flag_to_go_on(Ask what);
std::string resume_command(const Run& run);
// What a run that stopped as planned waits for; resuming it looks again.
std::optional<TimePoint> due_at(const Run& run);        // the earliest time; nullopt: it waits for none
std::vector<NodeName> waits_for_empty(const Run& run);  // nodes that must be free of work first
// Whether resuming may bring it on: its time has come, or work may have left.
bool may_be_due(const Run& run, TimePoint now);
// Nothing runs and nothing may be begun: what RunFinished says; nullopt: it goes on.
std::optional<RunFinished> end_of(const Run& run);

// What the current plan of a node is to lead to, worked out from the first plan.
Intent intent_now(const Run& run, const NodeName& node);
// Planning again from what stands now, towards what the run wanted (or back to what it found). Journal it as
// Replanned. can: as the backend was last read; nullptr: as the run was planned, which a journal keeps
// without the site. words: of the node's facts; nullptr: only its GPUs tell what is left to do.
Result<Plan> plan_onward(const Run& run, const NodeName& node, const Cluster& cluster,
                         const mig::Catalogue& catalogue, const SiteRules& rules, bool back, TimePoint now,
                         const Means* can = nullptr,
                         const std::map<std::string, std::string>* words = nullptr);
// What the run planned for a node at first, and what it follows now.
std::vector<const NodePlan*> plans_of(const Run& run, const NodeName& node);
// Held slices that the new plan would destroy and the run never named, and on the way back what others
// have made of the node since: then it must be armed again.
std::vector<std::string> unnamed_harm(const Run& run, const Plan& onward, bool back);

// One text for each owner who is hit, to copy or to pipe into the site's own mail command.
struct Message {
  std::string user;
  std::string text;
};
std::vector<Message> messages(const Plan& plan);

}  // namespace tessera::plan
