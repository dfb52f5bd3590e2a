// The executor: what a run does next on one node. A pure state machine; observation in, next thing out.
//
// Whoever drives it (the run room) does this in a loop:
//   turn = executor.next(fresh facts or nullptr, now)
//   write and fsync turn.journal, in order, before anything else
//   Act      → Actuator::perform, then journal executor.performed(status), then next(nullptr)
//   Observe  → after the delay Actuator::observe_for its words, then next(the answer)
//   Question → the admin's answer as an Answered event through note(); nobody there: leave it, it is parked
//   TurnBack → plan the way back (undo_intent), journal Replanned, go on with a new Executor
//   Stopped  → nothing to do until someone resumes; Finished → never again
// ChangeOptions::at and ChangeOptions::when_empty stop it after the drain, too, so that no process has to
// wait: resumed, it looks again, and goes on or parks again. State is the fold of the journal's events:
// note() each of them and a killed run stands where it stood.
//
// What it promises: every precondition is read on fresh facts before the step; a step is done only when its
// effect was read back; a step whose effect is there already is not done again; a precondition that stopped
// to hold leads back to the step that provides it; a look that left out what a step reads judges nothing;
// waiting never ends anybody's work; what someone else closed or marked is never opened or overruled without
// an answer. Taken up after a failure that it told, it gives the order again whose failure still stands
// there; one that nobody was told of stops it. Threads: a plain value for one thread.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/plan/facts.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/run/journal.hpp"

namespace tessera::plan {

struct Perform {
  Action action;
  std::string step;
  Duration deadline{0};
};
struct Observe {
  Duration after{0};
  std::string waiting_for;      // empty: just the next look
  std::set<std::string> words;  // of NodeFacts::words: what is read of the answer (Actuator::observe_for)
};
struct Question {
  Ask what = Ask::closed_by_other;
  std::string text;
};
struct TurnBack {
  std::string why;
};
struct Stopped {
  std::string why;
  std::string place;
};
struct Finished {
  Outcome outcome = Outcome::wanted;
  std::string text;
};
using Next = std::variant<Perform, Observe, Question, TurnBack, Stopped, Finished>;

struct Turn {
  std::vector<RunEvent> journal;
  Next next;
};

class Executor {
 public:
  // back: the plan is the way back, so that its end is the recorded layout.
  Executor(NodePlan plan, ChangeOptions options, std::string run, bool back);

  // Who drives the run or has driven it, and from where. As long as that is unknown, marks are told
  // apart by the run's name alone; afterwards by all three, since two runs that begin in one minute on two
  // machines have the same name.
  void driven_by(std::string_view who, std::string_view from);
  // Precondition: `fresh` was asked for after the last Act returned.
  Turn next(const Result<NodeFacts>* fresh, TimePoint now);
  // How the last Act went; the event is for the journal.
  RunEvent performed(const Status& status);
  // An event that came from elsewhere: an admin's request or answer, Resumed, or the journal on replay.
  void note(const RunEvent& event);

  const NodePlan& plan() const { return plan_; }
  std::size_t step() const { return at_; }  // index of the current step; steps.size() at the end
  bool back() const { return back_; }
  const std::optional<Parked>& stopped() const { return stopped_; }
  bool breaks_mark() const { return break_mark_; }  // an admin has answered so
  bool finished() const { return finished_.has_value(); }
  bool step_failed() const { return !failed_.empty(); }   // since it was last resumed
  std::optional<Ask> asked() const { return question_; }  // waits for an answer
  bool touched() const { return touched_; }               // anything was written about this node's steps
  // What was last seen there, for people; empty before the first look of this process.
  const std::string& place() const { return place_; }

 private:
  enum class Phase : std::uint8_t { ready, begun };
  // Each returns what to do now, or nullopt to look at the new state at once.
  std::optional<Next> at_edge();
  std::optional<Next> prepare(const NodeFacts& facts);
  std::optional<Next> check_before(const NodeFacts& facts);
  std::optional<Next> begin(const NodeFacts& facts);
  std::optional<Next> watch(const NodeFacts& facts);
  std::optional<Next> again_or_fail(std::string why);
  std::optional<Next> blind(const Error& error);
  Next fail(std::string why);
  Next park(std::string why, Until until = Until::someone);
  std::optional<Next> rest(const NodeFacts& facts);
  Next ask(Ask what, std::string text);
  Next wait(Duration pause, std::string why);
  Next finish();
  bool done(const NodeFacts& facts) const;
  std::set<std::string> words_to_read() const;
  bool looks_again(const NodeFacts& facts) const;
  bool asks_about_closing() const;
  bool is_anothers(const std::optional<RunMark>& mark) const;
  const Step& current() const { return plan_.steps[at_]; }
  std::optional<std::size_t> provider(const Condition& condition) const;
  std::optional<std::size_t> to_redo(const NodeFacts& facts) const;
  std::size_t index_of(const std::string& step) const;
  void tick(TimePoint now);
  void enter(std::size_t step);
  void say(RunEvent event);

  NodePlan plan_;
  ChangeOptions options_;
  std::string run_;
  bool back_ = false;
  std::vector<RunMark> drivers_;  // as marks show them

  // The fold of the journal.
  std::size_t at_ = 0;
  Phase phase_ = Phase::ready;
  int attempts_ = 0;  // of the current step
  int rewinds_ = 0;
  std::optional<std::string> error_;  // what the last action said; nullopt: it has not returned
  std::optional<Requested> demand_;
  std::optional<Ask> question_;
  std::string question_text_;
  bool go_on_closed_ = false;  // another's closing may stand
  bool break_mark_ = false;
  bool turned_ = false;  // back is wanted, for
  std::string turned_why_;
  bool touched_ = false;
  std::string failed_;  // the step whose failure was told last
  bool redo_ = false;   // taken up at that step, and not gone on yet
  std::optional<Parked> stopped_;
  std::optional<NodeFinished> finished_;
  std::string waiting_;  // the last reason that was written down

  // Only of this process: clocks and patience.
  std::optional<TimePoint> last_;
  TimePoint now_{};
  Duration waited_{0};           // for the effect of the current attempt, or for a precondition
  Duration allowed_{0};          // the longest pause that was asked for: a longer gap is a jump of the clock
  Duration pause_{0};            // still to wait before the next attempt
  int blind_ = 0;                // looks in a row that failed
  std::set<std::string> asked_;  // the words of the last look that was asked for
  std::string place_;            // what was last seen, for people
  std::string left_closed_;      // by someone else, in their words
  std::vector<RunEvent> journal_;
};

}  // namespace tessera::plan
