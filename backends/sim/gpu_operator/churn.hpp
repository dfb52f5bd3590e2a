// Bursts of changes to pods, for whoever measures or tests a client: rewritten in turn, as busy controllers
// do, or made and deleted in turn.
//
// Threads: the worker's. Worker and objects outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "backends/sim/apiserver/store.hpp"
#include "backends/worker.hpp"

namespace tessera::sim::kube {

class Churn {
 public:
  Churn(Worker& worker, ObjectStore& objects) : worker_(worker), objects_(objects) {}

  // "10000 20s": so many pods a second are rewritten, for so long (wall clock); "10000 20s come-and-go":
  // copies of work's pods are made and, a thousand later, deleted; none of them is left. Errors: something
  // else.
  Status begin(std::string_view order);
  std::uint64_t made() const { return made_; }  // changes so far

 private:
  using Steady = std::chrono::steady_clock;
  void go_on();
  void change_one();
  void rewrite_one();
  void come_or_go();

  Worker& worker_;
  ObjectStore& objects_;
  bool comes_and_goes_ = false;
  double each_second_ = 0;
  Steady::time_point begun_, ends_;
  std::uint64_t made_ = 0, copies_ = 0;
  std::vector<Key> pods_;   // in whose turn it goes
  std::deque<Key> guests_;  // copies that stand
};

}  // namespace tessera::sim::kube
