// A cluster "hpc" that tells nothing by itself: its events come from the test. Threads: one test.
#pragma once

#include <utility>

#include "engine/port.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

class SilentBackend final : public Backend {
 public:
  ClusterName name() const override { return ClusterName("hpc"); }
  void start(EventSink&) override {}
  void set_pace(Pace) override {}
  void refresh() override {}
};

inline Event on_hpc(decltype(Event::what) what) {
  return Event{ClusterName("hpc"), 0, at(0), std::move(what)};
}

}  // namespace tessera::test
