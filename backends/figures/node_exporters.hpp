// Asks the DCGM exporters of nodes by a command of the site's, again and again: nodes that are on screen more
// often than the others.
//
// Eight commands at a time, and four a second: with more nodes than that allows, a round takes longer, and
// each figure has its age. A node that does not answer is asked again after five minutes. Nothing here is
// asked of a scheduler. Threads: the worker's thread; nothing is called back after the destructor.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "backends/figures/site_command.hpp"
#include "engine/model/event.hpp"

namespace tessera::figures {

struct NodeExporterCalls {
  std::function<void(const NodeName&, DcgmReadings)> told;
  // After a while in which exporters were asked: how they fare, and what to remark (none: all is well).
  std::function<void(SourceReport, std::vector<Remark>)> report;
  std::function<TimePoint()> clock;  // the wall clock
};

struct NodeExporterPace {
  Duration viewed{20'000};   // between two questions to a node on screen
  Duration others{120'000};  // ... and to every other one
  Duration silent{300'000};  // ... and to one that gave no answer
};

class NodeExporters {
 public:
  NodeExporters(Worker& worker, Processes& processes, SiteCommand command, NodeExporterCalls calls);
  ~NodeExporters();
  NodeExporters(const NodeExporters&) = delete;
  NodeExporters& operator=(const NodeExporters&) = delete;

  // Those with GPUs. New ones are asked at once; those that are gone no more.
  void set_nodes(const std::vector<NodeName>& nodes);
  void set_viewed(const std::vector<NodeName>& nodes);
  void set_pace(NodeExporterPace pace);
  // The longest that a node may wait until it is asked again, as answers come now; and one on screen.
  Duration round() const;
  Duration viewed_every() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera::figures
