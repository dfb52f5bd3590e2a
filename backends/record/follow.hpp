// A recording as a backend that shows its newest round, and the next ones as a recorder writes them: a
// console beside the recorder does not ask the cluster again. Ages are those of now. Threads: reads on a
// thread of its own.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backends/record/look_backs.hpp"
#include "backends/record/moment.hpp"
#include "backends/worker.hpp"
#include "engine/history/keeps_figures.hpp"
#include "engine/port.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

class FollowBackend final : public Backend, public history::KeepsFigures {
 public:
  FollowBackend(std::unique_ptr<Recording> recording, std::function<TimePoint()> wall);
  ~FollowBackend() override;

  ClusterName name() const override { return name_; }
  void start(EventSink& sink) override;
  void set_pace(Pace) override {}
  void refresh() override;
  history::KeepsFigures* keeps_figures() override { return this; }

  // Up to the newest round; before one is shown, once it is.
  void look_back(const NodeName& node, TimePoint since) override;
  void look_back_at_sums(TimePoint since) override;
  std::vector<history::KeptFigures> take_kept() override { return look_backs_.take_kept(); }
  std::vector<history::Sums> take_sums() override { return look_backs_.take_sums(); }
  std::optional<std::vector<history::ToldIdle>> take_idle() override { return look_backs_.take_idle(); }

 private:
  void look_back_at(std::optional<NodeName> node, TimePoint since);
  void read_back();
  void look();
  void show(TimePoint newest);
  void tell_none();
  void tell_failure(std::optional<Error> why, TimePoint newest);
  std::optional<Error> silence(TimePoint newest) const;  // the newest round is old

  std::unique_ptr<Recording> recording_;
  ClusterName name_;
  std::function<TimePoint()> wall_;
  std::optional<TimePoint> shown_;
  bool simulated_ = false;
  Moments moments_;
  std::optional<Error> failure_;  // as told last
  EventSink* sink_ = nullptr;
  std::uint64_t timer_ = 0;
  std::atomic<bool> ending_{false};
  std::vector<std::pair<std::optional<NodeName>, Duration>> asked_;  // and for how long before now
  LookBacks look_backs_;
  Worker worker_;  // goes first
};

}  // namespace tessera::record
