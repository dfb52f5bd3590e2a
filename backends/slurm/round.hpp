// What to ask next: the order of calls within a round, as a state machine without clock, thread or process.
//
// A normal round is nodes, jobs. The first one, and each that follows a failure, starts with a ping. A list
// that is late the first time is given up, the controller is pinged, and if it lives the list is asked for
// again with all the time it may take.
// Threads: plain value.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/model/units.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

enum class Step : std::uint8_t { ping, config, nodes, jobs, partitions, reservations, accounting };

Source source_of(Step step);
// What a failure of it is called: "cannot list the nodes".
std::string_view task(Step step);

class Round {
 public:
  // seldom: partitions, reservations and controllers are due as well; config: the cluster is not known yet.
  // accounting: slurmdbd is to be asked with the seldom lists.
  void begin(bool seldom, bool config, bool accounting = false);
  // One more at the end of this round.
  void add(Step step) {
    if (std::find(todo_.begin(), todo_.end(), step) == todo_.end()) todo_.push_back(step);
  }
  // What another reader has been told a moment ago need not be asked again.
  void leave_out(Step step) { std::erase(todo_, step); }
  // nullopt: the round is over.
  std::optional<Step> next();
  // How long the step that next() gave may take; usual: its latency so far.
  Duration patience(Step step, std::optional<Duration> usual, Duration deadline) const;

  void succeeded(Step step);
  void timed_out(Step step);
  void failed(Step step);
  // Ping found no controller: nothing else can be asked.
  void nobody_there();

  bool had_failure() const { return failure_; }

 private:
  std::deque<Step> todo_;
  bool doubt_ = true;           // a ping comes first next time
  bool controller_up_ = false;  // pinged in this round
  bool failure_ = false;
};

}  // namespace tessera::slurm
