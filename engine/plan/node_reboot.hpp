// Having Slurm reboot a node once its jobs have ended (scontrol reboot).
//
// As Slurm 22.05 does it, tried: an open node is drained for the reboot and opened by it; cancel_reboot opens
// a node whoever has drained it; and so does `reboot ASAP` once it has booted. A node that is closed already
// keeps its closing only by a plain `reboot` while no job is there, so nothing else is planned for one.
// Whether the reboot is this run's own is read from the reason. Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/plan/capabilities.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

namespace reboots {
// The acts, as verbs of Special. words, found (why the node is closed; empty: it is open), then. Has Slurm
// reboot the node, unless it has booted later than `then`. Refused where it is closed for another reason than
// `found`, and on a closed node while jobs are there.
inline constexpr std::string_view kAsk = "ask-reboot";
// reason. Takes back a reboot that has not begun, while exactly this is the reason for it.
inline constexpr std::string_view kCancel = "cancel-reboot";

// Key of NodeFacts::words: reboot_of().
inline constexpr std::string_view kWord = "reboot";
}  // namespace reboots

// "requested": once its jobs have ended; "issued": slurmd was told; empty: none is noted.
std::string_view reboot_of(const Node& node);
// A boot counts as a later one from here on: slurmd works the time out from how long it is up, and is off by
// a second or two each time.
TimePoint later_boot(TimePoint booted);

// What is asked about a reboot, as key of a WordIs; its value is why the node is closed beside that, as it
// was found (empty: by this run's reboot alone).
struct RebootWord {
  enum class Kind : std::uint8_t {
    asked,  // it is noted, or the node has booted later
    going,  // the same for a step that waits: never provided by another step, so that one that another admin
            // has cancelled is not asked for again
    over,   // the node has booted later, and none is noted
  };
  Kind kind = Kind::over;
  TimePoint then{};
};
WordIs word_is(const RebootWord& word, std::string found = "");
std::optional<RebootWord> parse_reboot_word(
    std::string_view key);                    // nullopt: the key is about something else
std::string to_text(const RebootWord& word);  // for people
// Why it is not so; nullopt: it is.
std::optional<std::string> unmet(const RebootWord& word, const std::string& found, const NodeFacts& facts,
                                 std::string_view run);

Special ask_reboot(std::string words, std::string found, TimePoint then);
Special cancel_reboot(std::string reason);
bool is_reboot(const Special& act);
// For whoever carries one out, on a fresh look at the node: whether nothing is left to do. Errors: it may not
// be done any more.
Result<bool> is_done(const Special& act, const NodeFacts& facts, std::string_view run);

// Why a node cannot be rebooted, as reason and hint; nullopt: it can. asked: the wish is an earlier one,
// whose reboot may be noted by now.
std::optional<Error> why_no_reboot(const Cluster& cluster, const Node& node, bool asked, const Means& can);
// Why a noted reboot is not taken back, which of_runs asked for; nullopt: it can be, or none is noted.
std::optional<Error> why_no_cancelling(const Node& node, const std::set<std::string>& of_runs);

// Precondition: the node reports when it booted, and so does the action.
std::vector<Step> reboot_steps(const Node& node, const NodeAction& action, const Means& can, bool break_lock);
// Precondition: a reboot of it is noted.
std::vector<Step> cancel_steps(const Node& node, const Means& can);
// Whether a step of such a plan waits for the boot itself.
bool waits_for_boot(const Step& step);
// What of the node is gone after a boot, in words; empty: nothing that is known.
std::string lost_at_boot(const Node& node, const Means& can);

}  // namespace tessera::plan
