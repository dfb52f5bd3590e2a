// What an admin may want of a node as a whole, beside a layout of its GPUs: that it takes no new work, or
// takes work again. An Intent carries it among its orders, so that plans, journals and undo are those of
// every other intent, and a tessera that does not know it refuses the file: it names no layout. Threads:
// plain values, pure functions.
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
};

struct NodeAction {
  NodeVerb verb = NodeVerb::close;
  std::string reason;             // close: in the admin's words
  std::set<std::string> of_runs;  // open: what these runs have closed needs no further word
  bool over_others = false;       // open: also what another user or another run has closed
  friend bool operator==(const NodeAction&, const NodeAction&) = default;
};

// As orders of an intent, and out of them; nullopt: they order something else, or nothing that is known.
Orders orders_of(const NodeAction& action);
std::optional<NodeAction> action_of(const Orders& orders);
// Whether an intent is about nodes as a whole, on any of them.
bool is_node_action(const Intent& intent);

// As a scheduler's admins call it: "drain" and "resume", or "cordon" and "uncordon".
std::string_view called(NodeVerb verb, Scheduler scheduler);
// Either scheduler's word; nullopt: it is none.
std::optional<NodeVerb> parse_node_verb(std::string_view text);
// "drain: fans are loud", "resume"
std::string to_text(const NodeAction& action, Scheduler scheduler);
// Why an admin's reason cannot be kept with a node; nullopt: it can. It must say something, on one line.
std::optional<std::string> why_no_reason(std::string_view reason);

// Why a node is kept closed: the admin's words first, since lists of nodes cut a reason off, then who closed
// it by which run. It is no mark of a run: nothing is being changed there.
struct Closing {
  std::string words;
  RunMark by;
  friend bool operator==(const Closing&, const Closing&) = default;
};
std::string to_text(const Closing& closing);  // "fans are loud (tessera RUN who@from)"
std::optional<Closing> parse_closing(std::string_view text);

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
// For whoever carries one out, on a fresh look at the node: `now` is why it is closed, empty: it is open. The
// reason that it shall have, empty: it shall be open; nullopt: nothing is left to do. Errors: it is closed
// for another reason.
Result<std::optional<std::string>> reason_after(const Special& act, const NodeName& node, const RunMark& mark,
                                                const std::string& now);
std::string argument_of(const Special& act, std::string_view name);  // empty: it has none of that name

// Keys of NodeFacts::words, on every backend that can do it.
inline constexpr std::string_view kClosedWord = "closed";         // the reason; empty: it is open
inline constexpr std::string_view kClosedForWord = "closed for";  // the words of a Closing; empty: it is none
void tell_closed(NodeFacts& facts);

// What a run of such a plan has come to there; empty: it is a plan for something else.
std::string done_text(const NodePlan& plan);

}  // namespace tessera::plan
