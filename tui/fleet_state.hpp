// What the fleet screen knows: the fleet file as it was read, the clusters that are held against it and what
// that came to, and what it asks of those who touch files.
//
// Plain values that UiState holds as one constant value: a change makes a new one. Threads: owned by the UI
// thread; a question is read by the planner's thread, too, and never changes.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/fleet/left.hpp"
#include "engine/fleet/rows.hpp"
#include "engine/fleet/survey.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/record/recording.hpp"

namespace tessera::tui {

// A fleet file as it was read.
struct FleetFile {
  std::optional<Error> failure;  // why the rest of this is empty
  fleet::Fleet fleet;
  fleet::Zone zone;
  std::string stamp;  // another one where the file is another one
  std::string whole;  // its path, links followed; empty: not known
};

// What the loop asks of AppOptions::fleet.
struct FleetOrder {
  enum class What : std::uint8_t { read, look, pause, unpause };
  What what = What::read;
  std::string path;
  std::string who;   // pause: as its mark names the person
  std::string seen;  // unpause: the pause that the person saw; another one stays
};
struct FleetTold {
  std::string path;
  std::string stamp;   // of the file as it is now
  std::string paused;  // since when and by whom tessera fleet run is paused for it; empty: it is not
  std::shared_ptr<const FleetFile> file;  // null: only looked
  std::optional<Error> failure;           // of pause and unpause
};

struct FleetQuestion {
  std::shared_ptr<const FleetFile> file;
  std::string path;  // FleetState::known_by
  const mig::Catalogue* catalogue = nullptr;
  std::vector<Cluster> clusters;  // copies: the model moves on meanwhile
  std::map<ClusterName, plan::Means> means;
  plan::SiteRules rules;
  std::vector<RunHead> runs;
  TimePoint wall{};
};

// A line of the table: GPUs of a node that are alike, or the node where none of its GPUs is told apart.
struct FleetRow {
  const fleet::Survey* survey = nullptr;
  const fleet::NodeSurvey* node = nullptr;
  fleet::BoardRow boards;
  fleet::Standing standing() const { return fleet::standing_of(*node, boards); }
};

// Cells that the texts of the rows would like; of very many, those of the first, where what differs stands.
struct FleetCells {
  int node = 4, cluster = 7, pool = 4, gpus = 3, wanted = 6, made = 4;
  int offered = 10, offered_short = 10;  // with and without its vendor
};

// Everything in it points into itself and its question, so it is never copied.
struct FleetAnswer {
  std::shared_ptr<const FleetQuestion> question;
  std::optional<Error> failure;
  std::deque<fleet::Fleet> now;  // the file as it is to be at that moment, one a cluster
  std::vector<fleet::Survey> surveys;
  std::vector<FleetRow> rows;       // of nodes that a pool rules: what differs first
  std::vector<std::string> unread;  // clusters of which nothing, or not everything, is known now
  FleetCells cells;                 // of the rows
  std::shared_ptr<const std::vector<std::string>> ids;  // of the rows that are listed
  fleet::LastRuns last;
  std::set<const RunHead*> newest;  // the last at any node
  FleetAnswer() = default;
  FleetAnswer(const FleetAnswer&) = delete;
  FleetAnswer& operator=(const FleetAnswer&) = delete;
};

// Who was at a node, as others than the model know it. Called on the planner's thread, and may take long;
// empty: there is none.
struct FleetSources {
  std::function<Result<plan::Run>(const std::string& run)> journal;
  std::function<Result<std::vector<std::unique_ptr<record::Recording>>>()> recordings;
};

// What they have told so far, by nodes of the answer.
struct FleetEvidence {
  std::map<const fleet::NodeSurvey*, fleet::Left> left;      // by the newest run of the node
  std::map<const fleet::NodeSurvey*, std::string> recorded;  // one sentence, of nodes that drift
  // Runs of the file that rest in a safe place and wait for a person, with why the file does not let them go
  // on; empty: that is not the reason.
  std::map<std::string, std::string> parked;
};

struct FleetState {
  std::string path;         // of the file that is shown; empty: none is named
  std::string of_settings;  // of the file that the settings name; empty: they name none
  bool calendar = false;
  std::shared_ptr<const FleetFile> file;  // null: it was not read yet
  TimePoint read_at{};
  bool changed = false;                           // it is another one by now
  TimePoint looked_at{};                          // whether it is
  bool looks_for_plan = false;                    // a plan was made of it, and no look was told since
  std::string paused;                             // as FleetTold has it
  std::string refused;                            // why nothing is held against it; empty: it is
  std::shared_ptr<const FleetQuestion> question;  // nullptr: nothing is asked for
  std::shared_ptr<const FleetAnswer> answer;      // of this file; nullptr: there is none yet
  std::uint64_t revision = 0;                     // the model's and one, of `question`; 0: never
  std::vector<fleet::Due> due;                    // of the calendar; points into `file`
  TimePoint due_at{};
  std::shared_ptr<const FleetEvidence> evidence;  // of `answer`; null: there is none yet
  bool all_told = false;                          // nothing more of it is to come

  // The path by which runs of the file are known.
  const std::string& known_by() const { return file && !file->whole.empty() ? file->whole : path; }
  bool answered() const { return answer && answer->question == question; }
  bool working() const { return question && (!answered() || !all_told); }
};

// The state of a console for which the settings name this file; it is read once a screen that tells of it is
// opened.
std::shared_ptr<const FleetState> fleet_named(std::string path);

}  // namespace tessera::tui
