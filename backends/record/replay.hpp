// A recording as a backend: the cluster as it stood at a moment, reported by the events of a live one. It has
// no actuator, so that nothing can be changed while the past is looked at. Threads: reads on a thread of its
// own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/record/look_backs.hpp"
#include "backends/record/moment.hpp"
#include "backends/record/together.hpp"
#include "backends/worker.hpp"
#include "engine/history/keeps_figures.hpp"
#include "engine/port.hpp"
#include "engine/record/player.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

class ReplayBackend final : public Backend, public Player, public history::KeepsFigures {
 public:
  // Called on the backend's own thread, when the first moment is shown, and again after a failure.
  using Opener = std::function<Result<std::unique_ptr<Recording>>()>;

  // Begins at `at`, and stands there until told otherwise. speed: as Player::play() from the start.
  ReplayBackend(std::unique_ptr<Recording> recording, TimePoint at, double speed,
                std::function<TimePoint()> wall);
  ReplayBackend(ClusterName name, Opener open, TimePoint at, double speed, std::function<TimePoint()> wall);
  ~ReplayBackend() override;

  // Before start(): others are looked at beside it. A moment without a round of this one is then shown as
  // that, with nothing known of the cluster; alone, the nearest round would be.
  void stand_with(std::shared_ptr<Together> together) { together_ = std::move(together); }

  // Before start(): the moment at which it begins, as the recording has just told it. It is long to read.
  void begin_with(Model moment) { begin_ = std::move(moment); }

  ClusterName name() const override { return name_; }
  void start(EventSink& sink) override;
  void set_pace(Pace) override {}
  void refresh() override {}
  Player* player() override { return this; }
  history::KeepsFigures* keeps_figures() override { return this; }

  void jump(TimePoint to) override;
  void step(int rounds) override;
  void seek(int direction, const NodeName& node) override;
  void play(double speed) override;

  // Up to the moment that is shown. What moves the moment goes first: where that leaves it as it was, the
  // answer comes then; else whoever shows the other moment asks for its own.
  void look_back(const NodeName& node, TimePoint since) override;
  void look_back_at_sums(TimePoint since) override;
  std::vector<history::KeptFigures> take_kept() override;
  std::vector<history::Sums> take_sums() override;
  std::optional<std::vector<history::ToldIdle>> take_idle() override;

 private:
  void move(std::function<void()> there);
  void look_back_at(std::optional<NodeName> node, TimePoint since);
  void read_back();
  // found: what is at that moment, for those who look for it.
  void show(TimePoint to, std::string found = {});
  void show_unknown(const Covered& all, const Error& why);
  void show_no_round(Model& nearest, const Covered& all);
  bool open();
  void fail(const Error& error);
  void tick();
  void seek_on(const NodeName& node);
  void seek_back(const NodeName& node);
  void tell(decltype(Event::what) what, TimePoint at) const;

  Opener open_;
  std::unique_ptr<Recording> recording_;
  ClusterName name_;
  TimePoint at_;                         // asked for
  TimePoint round_{};                    // that is shown for it
  std::optional<TimePoint> history_of_;  // the round up to which events were told last
  std::optional<Model> begin_;           // until it was shown
  bool failed_ = false;
  std::optional<Cluster> who_;  // what is always the same of it, and nothing that it has
  Moments moments_;
  std::shared_ptr<Together> together_;  // nullptr: alone
  double speed_;
  std::uint64_t timer_ = 0;
  std::function<TimePoint()> wall_;
  EventSink* sink_ = nullptr;
  std::atomic<bool> ending_{false};  // a search for what happened may be long
  std::atomic<int> asked_{0};        // moments, so far
  int moved_ = 0;                    // ... of which so many were gone to
  LookBacks look_backs_;
  Worker worker_;  // goes first
};

}  // namespace tessera::record
