// What the console knows of plans and runs: the plan on the table, what is being armed, and the runs that
// were opened, folded from the lines of their journals.
//
// Plain values inside UiState; only update() and the functions that it calls change them.
// Threads: owned by the UI thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/plan/effect/moved.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/run/runs.hpp"
#include "engine/whatif/whatif.hpp"
#include "tui/large_state.hpp"

namespace tessera::tui {

struct PlanLetters;
struct PlanTexts;

// What the loop asks of plan::Runs.
struct StartRun {
  plan::Plan plan;
  std::string undoes;
};
struct ResumeRun {
  std::string run;
  plan::Onward onward = plan::Onward::carry_on;
  bool accept_harm = false;
  std::string seen;  // as plan::Resuming has it
};
struct DemandOfRun {
  std::string run;
  NodeName node;  // empty: all of them
  plan::Demand what = plan::Demand::pause;
};
struct AnswerRun {
  std::string run;
  NodeName node;
  plan::Ask what = plan::Ask::closed_by_other;
  bool go_on = false;
};
struct ReadRun {
  std::string run;
};
struct ListRuns {};
struct ParkRuns {
  std::string why;
};
using RunOrder = std::variant<StartRun, ResumeRun, DemandOfRun, AnswerRun, ReadRun, ListRuns, ParkRuns>;

// The plan that is looked at. There is one at a time.
struct PlanView {
  plan::Plan plan;
  std::string undoes;
  std::size_t node = 0;          // whose steps are shown
  bool other_scheduler = false;  // resources in the other one's words
  std::uint64_t revision = 0;    // of the model, when `moved` was worked out
  std::vector<plan::Moved> moved;
  std::shared_ptr<const AskedHours> asked_hours;     // of a large cluster, for `whatif`
  std::shared_ptr<const whatif::Comparison> whatif;  // nullptr: the cluster is too large to play it here
  int hours = whatif::kUsualHours;                   // that are played
  std::optional<TimePoint> past;                     // made of a recording, as it stood then: never applied
  std::optional<plan::SiteRules> rules;  // that it was made by, where they are not those of the site
  std::string trouble;  // why planning again with other options failed; the plan before it stays
  std::shared_ptr<const PlanTexts> texts;      // of its page; null: not made yet for this plan
  std::shared_ptr<const PlanLetters> letters;  // of that of its messages; the same

  // Another one in its place. What was said of the one before is dropped.
  void put(plan::Plan next) {
    plan = std::move(next);
    texts.reset();
    letters.reset();
  }
};

// What typing a name arms.
struct ArmStart {};
struct ArmResume {
  std::string run;
  plan::Onward onward = plan::Onward::carry_on;
  bool accept_harm = false;
};
struct ArmTurnBack {
  std::string run;
};
struct Arming {
  std::variant<ArmStart, ArmResume, ArmTurnBack> what;
  std::string expected;  // the node's name, or the number of nodes
  bool counts = false;   // expected is a number of nodes: a node may be called "42"
  bool armed = false;    // typed; the second key is waited for
};

// How far a step is, as the journal tells it.
struct StepProgress {
  enum class Stage : std::uint8_t { todo, begun, done, failed };
  Stage stage = Stage::todo;
  std::optional<TimePoint> begun;
  std::optional<TimePoint> ended;
  int attempts = 0;
  bool already = false;  // it was so before
  std::string why;       // what it waits for, or why it failed
};

// A run whose journal was read.
struct RunView {
  plan::Run run;
  std::vector<plan::Entry> entries;
  std::map<std::string, StepProgress> steps;  // by the step's id
  std::map<NodeName, plan::Asked> questions;  // open ones
  std::map<NodeName, plan::Parked> parked;    // and not resumed
  std::set<NodeName> turned;                  // on their way back
  std::optional<Error> trouble;               // a line could not be read: what is shown ends before it
  plan::Chain chain;                          // after the last entry
};

// Asked for on the way to a screen that needs the journal first.
enum class OnceRead : std::uint8_t { nothing, undo };

struct RunsState {
  bool available = false;  // there is a room that keeps runs
  bool listed = false;
  std::vector<RunHead> heads;  // newest first
  // By run id. A page beside a list holds its run, too: whoever changes one changes a copy while it is held.
  std::map<std::string, std::shared_ptr<RunView>> opened;
  std::string wait_run;  // whose journal is waited for, and what is done then
  OnceRead then = OnceRead::nothing;
  std::string starting;                   // id of the plan that was asked to start and not yet told of
  bool ordered_resume = false;            // asked to take one up, not yet told of
  bool drove = false;                     // this console has started or resumed one
  bool all_lines = false;                 // every line of a journal, and not one a step
  std::map<std::string, NodeName> shown;  // whose steps are shown, by run; else the one that is under way
  std::optional<ArmResume> last_resume;   // for a refusal that names harm
  std::map<std::string, Error> refused;   // the last refusal, by run; empty key: of a start
};

// Leaving while a run is driven here.
enum class Leaving : std::uint8_t { no, asked, parking };

}  // namespace tessera::tui
