// A survey in the words that command line and console share: GPUs that are alike as one row, what is made and
// handed out there, and who changed a node last.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/fleet/survey.hpp"
#include "engine/fleet/windows.hpp"
#include "engine/model/run_news.hpp"

namespace tessera::fleet {

plan::Wish wish_of(const plan::BoardState& state);
std::string made_text(const BoardSurvey& board);      // "7 × 1g.10gb", "empty"; "?" where it is not known
std::string instances_text(const Node& node);         // all of them: "14 × 1g.10gb, 2 × 3g.40gb"; "none"
std::string offered_text(const Node& node);           // by the scheduler; "n/a": it does not report that
std::string gpus_text(const std::vector<int>& gpus);  // "0-3,7"

// Whether the next reset would change the MIG mode of that GPU of the node.
bool mode_pends(const NodeSurvey& node, const BoardSurvey& board);

// GPUs of a node that are alike are one row.
struct BoardRow {
  std::vector<int> gpus;
  const BoardSurvey* board = nullptr;
  int held = 0;
};
std::vector<BoardRow> rows_of(const NodeSurvey& node);
// What is said of these GPUs: where none of them explains what is said of the node, that.
Standing standing_of(const NodeSurvey& node, const BoardRow& row);

// The newest run that changed, or was to change, a node. It points into the runs that it was made of.
class LastRuns {
 public:
  LastRuns() = default;
  explicit LastRuns(const std::vector<RunHead>& runs);
  // nullptr: none is known.
  const RunHead* of(const Survey& survey, const NodeSurvey& node) const;
  const std::map<std::pair<ClusterName, NodeName>, const RunHead*>& all() const { return by_node_; }

 private:
  std::map<std::pair<ClusterName, NodeName>, const RunHead*> by_node_;
};

const Rule& rule_of(const Due& due);
std::string clock_text(const LocalTime& at);  // "Mon 2026-11-23 20:00"

}  // namespace tessera::fleet
