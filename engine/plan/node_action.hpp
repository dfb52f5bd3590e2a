// What an admin may want of a node as a whole, beside a layout of its GPUs: that it takes no new work, takes
// work again, or begins something again (node_restart.hpp). An Intent carries it among its orders, so that
// plans, journals and undo are those of every other intent, and a tessera that does not know it refuses the
// file: it names no layout. Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/facts.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

enum class NodeVerb : std::uint8_t {
  close,  // drain (Slurm), cordon (Kubernetes): for good, until it is opened again
  open,   // resume, uncordon
  restart_plugin,
  reboot,         // Slurm: once its jobs have ended
  cancel_reboot,  // only as the way back of a reboot
  reset_gpu,      // Slurm: once nobody has those GPUs (node_reset.hpp)
};

struct NodeAction {
  NodeVerb verb = NodeVerb::close;
  std::string reason;             // close, reboot: in the admin's words
  std::set<std::string> of_runs;  // open: what these runs have closed needs no further word; cancel_reboot:
                                  // only theirs
  bool over_others = false;       // open: also what another user or another run has closed
  std::optional<TimePoint> booted = std::nullopt;  // reboot: the boot after which another one is wanted
  std::vector<GpuIndex> gpus = {};                 // reset_gpu: these, each once, in order
  friend bool operator==(const NodeAction&, const NodeAction&) = default;
};

// As orders of an intent, and out of them; nullopt: they order something else, or nothing that is known.
Orders orders_of(const NodeAction& action);
std::optional<NodeAction> action_of(const Orders& orders);
// Whether an intent is about nodes as a whole, on any of them.
bool is_node_action(const Intent& intent);

// As a scheduler's admins call it: "drain" and "resume", or "cordon" and "uncordon".
std::string_view called(NodeVerb verb, Scheduler scheduler);
// Either scheduler's word; nullopt: it is none that an admin types.
std::optional<NodeVerb> parse_node_verb(std::string_view text);
// Whether a finished run of such a plan can be undone; false: what was begun again is not taken back.
constexpr bool has_way_back(NodeVerb verb) { return verb == NodeVerb::close || verb == NodeVerb::open; }
// "drain: fans are loud", "resume"
std::string to_text(const NodeAction& action, Scheduler scheduler);
// Why an admin's reason cannot be kept with a node; nullopt: it can. It must say something, on one line, and
// nothing in it may read as the mark of a run.
std::optional<std::string> why_no_reason(std::string_view reason);
// A reason that another user gave, in words that can be kept with a node once more.
std::string repeated_reason(std::string_view reason);

// Whether its scheduler keeps new work away by a flag of the node's own: DRAIN and FAIL of Slurm,
// spec.unschedulable of Kubernetes. A node that is powered off or down is not closed by that alone.
bool closed_by_flags(const Node& node);
// Why it is closed; empty: it is not. A closing without a reason is told by words of ours.
std::string closed_reason(const Node& node);
std::string closed_reason(const NodeFacts& facts);
// Slurm has set it DOWN and nothing says that it does not answer: without ReturnToService it stays so until
// an admin resumes it. The reason; empty: it is not so.
std::string down_reason(const Node& node);
// How an admin opens it by hand.
std::string opening_command(const NodeName& node, Scheduler scheduler);

// Why a node is kept closed: the admin's words first, since lists of nodes cut a reason off, then who closed
// it by which run. It is no mark of a run: nothing is being changed there.
struct Closing {
  std::string words;
  RunMark by;
  friend bool operator==(const Closing&, const Closing&) = default;
};
std::string to_text(const Closing& closing);  // "fans are loud (tessera RUN who@from)"
// Also of one behind which Slurm has written that a reboot was issued.
std::optional<Closing> parse_closing(std::string_view text);
// A reason without what Slurm writes behind it about a reboot: "fans are loud : reboot issued".
std::string without_reboot(std::string_view reason);

// The acts, as verbs of Special.
namespace node_acts {
// words. Closes the node until an admin opens it again; the reason is a Closing. Refused where it is closed.
inline constexpr std::string_view kKeepClosed = "keep-closed";
// reason. Opens the node while exactly this is the reason for which it is closed.
inline constexpr std::string_view kReopen = "reopen";
}  // namespace node_acts
Special keep_closed(std::string words);
Special reopen(std::string reason);
bool is_node_act(const Special& act);
// Why a node is as such an act finds it, by a fresh look: closed or, for who reopens it, set DOWN; empty: it
// is open.
std::string reason_now(const Special& act, const NodeFacts& facts);
// For whoever carries one out, on a fresh look at the node: `now` is reason_now(). The
// reason that it shall have, empty: it shall be open; nullopt: nothing is left to do. Errors: it is closed
// for another reason.
Result<std::optional<std::string>> reason_after(const Special& act, const NodeName& node, const RunMark& mark,
                                                const std::string& now);
std::string argument_of(const Special& act, std::string_view name);  // empty: it has none of that name
std::string name_of(const Action& action);                           // its kind; of a special one its verb

// Keys of NodeFacts::words, on every backend that can do it.
inline constexpr std::string_view kClosedWord = "closed";         // the reason; empty: it is open
inline constexpr std::string_view kClosedForWord = "closed for";  // the words of a Closing; empty: it is none
inline constexpr std::string_view kDownWord = "set down";         // down_reason()
void tell_closed(NodeFacts& facts);

// The verb of an intent that is about nodes as a whole: one for all of them. nullopt: it is another one's.
std::optional<NodeVerb> verb_of(const Intent& intent);

// What a run of such a plan has come to there; empty: it is a plan for something else.
std::string done_text(const NodePlan& plan);

}  // namespace tessera::plan
