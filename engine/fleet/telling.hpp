// How a survey is told: what differs first, GPUs by what counts of them, and what the file names that is not
// here. Threads: pure functions.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "engine/fleet/survey.hpp"
#include "engine/model/run_news.hpp"

namespace tessera::fleet {

// What is certainly wrong comes first, then what is not known: 0 is told first.
int rank(Standing standing);

// A GPU as it is to be and as it is, with a MIG mode that pends there, which always differs. board: one of
// the node's; the node has a rule.
struct BoardTexts {
  std::string wanted, made;
};
BoardTexts exact_texts(const NodeSurvey& node, const BoardSurvey& board);
// Where its instances stand is told only where that alone differs.
BoardTexts board_texts(const NodeSurvey& node, const BoardSurvey& board);

// Of a node none of whose GPUs is told apart: all of its instances; "?" where they are not known.
std::string made_text(const NodeSurvey& node);

// What leads out, as a front end has it: its keys, or its commands.
struct Doors {
  std::string runs;      // shows runs that have not ended
  std::string node;      // plans this node
  std::string pool;      // plans its pool; empty: there is none such
  std::string cluster;   // plans all of its cluster
  std::string file;      // holds the clusters against the file again
  bool several = false;  // `node` plans several nodes, told of as one
};
// What helps where a node is not as the file wants it, or hands out something else; empty: nothing is wrong,
// or that is not known. last: the newest run at it; nullptr: none is known.
std::string way_out(const NodeSurvey& node, Scheduler scheduler, const RunHead* last, const Doors& doors);

// Of all surveys of one file, in their order; what is said of the file alone is alike in each, and told once.
std::vector<const PoolNote*> notes_of(const std::vector<Survey>& surveys);

// What the file says of clusters that are not looked at: one sentence each. found: whether a cluster of that
// name is, or is left out on purpose.
std::vector<std::string> not_found(const Fleet& fleet, const std::function<bool(const ClusterName&)>& found);

// The first pool that names no cluster although there are several; nullptr: each can be told.
const Pool* pool_of_no_cluster(const Fleet& fleet, std::size_t clusters);

}  // namespace tessera::fleet
