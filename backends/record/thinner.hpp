// The days of one cluster's recording that are old enough, made thinner one after the other on a thread of
// its own, so that the rounds go on meanwhile. Each is replaced as a whole: a kill leaves the old one or the
// new one; one that is written to meanwhile stays (days.hpp). Precondition: no one else writes to that folder
// (the lock of backends/record/tape.hpp).
// Threads: the object belongs to one thread.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backends/record/days.hpp"
#include "backends/worker.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

class Thinner {
 public:
  // days: outlive it.
  Thinner(Days& days, Thin to, std::string tessera) : days_(days), to_(to), tessera_(std::move(tessera)) {}
  ~Thinner();  // gives up the day that is under way

  // Those that are old enough. then: called on the thread when all is done.
  void look_through(TimePoint now, std::function<void()> then);
  bool busy() const { return waiting_ > 0; }
  std::optional<Error> trouble();  // each is told once

 private:
  void look(const std::string& before);
  Status thin(const std::string& name);
  void tell(Error trouble);

  Days& days_;
  Thin to_;
  std::string tessera_;
  std::atomic<bool> ending_{false};
  std::atomic<int> waiting_{0};
  std::mutex mutex_;
  std::vector<Error> troubles_;  // under the mutex
  Worker worker_;                // goes first
};

}  // namespace tessera::record
