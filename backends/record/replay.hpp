// A recording as a backend: the cluster as it stood at a moment, told by the events of a live one. It has no
// actuator, so that nothing can be changed while the past is looked at.
// Threads: reads on a thread of its own.
#pragma once

#include <functional>
#include <memory>

#include "backends/worker.hpp"
#include "engine/port.hpp"
#include "engine/record/player.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

class ReplayBackend final : public Backend, public Player {
 public:
  // Begins at `at`, and stands there until told otherwise. speed: as Player::play() from the start.
  ReplayBackend(std::unique_ptr<Recording> recording, TimePoint at, double speed,
                std::function<TimePoint()> wall);
  ~ReplayBackend() override;

  ClusterName name() const override { return name_; }
  void start(EventSink& sink) override;
  void set_pace(Pace) override {}
  void refresh() override {}

  void jump(TimePoint to) override;
  void step(int rounds) override;
  void play(double speed) override;

 private:
  void show(TimePoint to);
  TimePoint nearest(TimePoint at) const;
  void tick();
  void tell(decltype(Event::what) what, TimePoint at) const;

  std::unique_ptr<Recording> recording_;
  ClusterName name_;
  TimePoint at_;
  double speed_;
  std::uint64_t timer_ = 0;
  std::function<TimePoint()> wall_;
  EventSink* sink_ = nullptr;
  Worker worker_;  // goes first
};

}  // namespace tessera::record
