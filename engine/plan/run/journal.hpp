// The journal of a run: one line of JSON for each event, append-only, so that resume is replay.
//
// A line is written and fsynced before the action that it announces. Reading tolerates one torn last line
// (the power went while it was written: what it announced had not begun), and nothing else: each line is tied
// to those before it (chain.hpp). Threads: plain values, pure functions. Files are the business of whoever
// keeps the journal.
//
// Versions. A field that an older tessera may pass over is added without a new number: the older one ignores
// it, and where it is missing the newer one takes its default (`added` in fields.hpp). Whatever an older
// tessera must not pass over (a kind of event, action or condition, a field of a step, of a wish or of its
// options) gets a new number, and the older one refuses the file. Every version ever written is read.
// 1: tessera 0.1. 2: lines are tied, plans name their cluster's identity and what they are made from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/run/chain.hpp"

namespace tessera::plan {

inline constexpr int kJournalVersion = 2;

enum class Ask : std::uint8_t { closed_by_other, marked_by_other };
enum class Demand : std::uint8_t { pause, cancel, turn_back };
enum class Outcome : std::uint8_t { wanted, recorded, partial };  // the new layout, the old one, in between
enum class Until : std::uint8_t { someone, empty, time };         // what a parked node waits for

// First line of every journal.
struct RunStarted {
  int version = kJournalVersion;
  std::string run;
  std::string who;
  std::string from;
  std::string undoes;  // the run that this one takes back; else empty
  Plan plan;
};
// A new plan for one node, since the world left the old one's path, or to go back. It replaces the old one.
struct Replanned {
  Plan plan;  // of exactly one node
  bool back = false;
  std::string who;
};
struct Resumed {
  std::string who;
  std::string from;
};
struct StepBegun {
  std::string step;
  int attempt = 1;
  Action action;  // what is left of the step's action
};
struct ActionReturned {
  std::string step;
  std::string error;  // empty: it command succeeded; verifying
};
struct StepDone {
  std::string step;
  bool already = false;  // it was so before anything was done
};
struct StepFailed {
  std::string step;
  std::string why;
};
// A precondition stopped to hold: back to the step that provides it.
struct WentBack {
  std::string from;
  std::string to;
  std::string why;
};
struct Waiting {
  std::string step;
  std::string why;
};
struct Asked {
  Ask what = Ask::closed_by_other;
  std::string text;
};
struct Answered {
  Ask what = Ask::closed_by_other;
  bool go_on = false;
  std::string who;
};
struct Requested {
  Demand what = Demand::pause;
  std::string who;
  std::string why;  // "the terminal went away"; empty: an admin wants it so
};
struct ClockJumped {
  Duration back{0};
};
// A safe place to stop: nothing is under way, everything is stated, resume works. someone: an admin has to
// decide; else it stopped as planned, until the scope is empty or its time has come.
struct Parked {
  std::string why;
  std::string place;
  Until until = Until::someone;
};
struct NodeFinished {
  Outcome outcome = Outcome::wanted;
  std::string text;
};
struct RunFinished {
  Outcome outcome = Outcome::wanted;
  std::string text;
};

using RunEvent =
    std::variant<RunStarted, Replanned, Resumed, StepBegun, ActionReturned, StepDone, StepFailed, WentBack,
                 Waiting, Asked, Answered, Requested, ClockJumped, Parked, NodeFinished, RunFinished>;

struct Entry {
  std::int64_t seq = 0;  // counts from 1
  TimePoint at{};
  NodeName node;  // empty: about the run
  RunEvent what;
};

// What stands in the way, without the question what to do about it.
std::string what_is_asked_about(const Asked& asked);

std::string_view word(Ask ask);
std::string_view word(Demand demand);
std::string_view word(Outcome outcome);        // "wanted" "recorded" "partial"
std::string_view word(Until until);            // "someone" "empty" "time"
std::string_view word(const RunEvent& event);  // "step-begun" ...
// One sentence for the journal screen.
std::string to_sentence(const RunEvent& event);

// With its newline, tied to the line that `chain` ended with.
std::string to_line(const Entry& entry, Chain& chain);

struct Journal {
  std::vector<Entry> entries;
  std::size_t good_bytes = 0;  // cut the file to this length before appending
  bool torn = false;           // a last line was cut off
  Chain chain;                 // after the last whole line
};
// Errors name the line. The first entry must be RunStarted, numbers must follow one another.
Result<Journal> parse_journal(std::string_view text, std::string_view file);
// One line without its newline, the `number`th of the journal, counted from 1: for whoever follows a journal
// as it grows. chain: after the lines before it. Errors name the line.
Result<Entry> parse_line(std::string_view line, std::string_view file, std::size_t number, Chain& chain);

}  // namespace tessera::plan
