#include "backends/sim/backend.hpp"

#include <algorithm>

#include "backends/sim/snapshot.hpp"
#include "backends/worker.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr Duration kFocused{1000};
constexpr Duration kIdle{5000};
// A machine that slept, or a very high speed: more than this is not caught up with in one go.
constexpr Duration kMostAtOnce{24 * 3'600'000};

class SimBackend final : public Backend {
 public:
  SimBackend(World world, double speed, std::function<TimePoint()> wall)
      : name_(clean(world.spec().name, 64)),
        world_(std::move(world)),
        speed_(speed),
        wall_(std::move(wall)) {}

  ClusterName name() const override { return name_; }

  void start(EventSink& sink) override {
    worker_.post([this, &sink] {
      sink_ = &sink;
      set_clock();
      tell_all();
      if (speed_ > 0) tick_later();
    });
  }
  void set_pace(Pace pace) override {
    worker_.post([this, pace] {
      interval_ = pace == Pace::focused ? kFocused : kIdle;
      if (sink_) tell_pace();
    });
  }
  void refresh() override {
    worker_.post([this] {
      if (!sink_) return;
      if (speed_ > 0) world_.advance(target());
      tell_all();
    });
  }

 private:
  // Everything below runs on the worker's thread.
  void set_clock() {
    base_wall_ = wall_();
    base_ = world_.now;
  }

  TimePoint target() {
    Duration passed = std::chrono::duration_cast<Duration>(wall_() - base_wall_);
    TimePoint to = base_ + Duration(static_cast<std::int64_t>(static_cast<double>(passed.count()) * speed_));
    if (to >= world_.now && to - world_.now <= kMostAtOnce) return to;
    // The wall clock jumped: go on from here, and say so.
    base_ = std::clamp(to, world_.now, world_.now + kMostAtOnce);
    base_wall_ = wall_();
    sink_->post({name_, kGeneration, base_, ClockSet{base_wall_, speed_}});
    return base_;
  }

  void tell_pace() { sink_->post({name_, kGeneration, world_.now, PaceReport{0, interval_}}); }

  void tell_all() {
    TimePoint wall = base_wall_;
    if (speed_ > 0) {
      wall = wall_();
      base_wall_ = wall;
      base_ = world_.now;
    }
    tell_pace();
    for (Event& event : snapshot(world_, wall, speed_, kGeneration)) sink_->post(std::move(event));
  }

  void tick_later() {
    worker_.after(interval_, [this] {
      tick();
      tick_later();
    });
  }

  void tick() {
    Changes changes = world_.advance(target());
    if (!world_.failing()) {
      add_telemetry(changes);
      for (Event& event : events_of(world_, changes, kGeneration)) sink_->post(std::move(event));
    }
    sink_->post({name_, kGeneration, world_.now, source_report(world_)});
  }

  // Each tick another part of the nodes, so that all have had their turn after five seconds; a very large
  // place takes longer, for the sake of whoever draws it.
  void add_telemetry(Changes& changes) {
    constexpr std::size_t kMostNodes = 200;
    std::size_t nodes = world_.nodes.size();
    std::size_t turns = std::max<std::size_t>(5, nodes / kMostNodes);
    if (interval_ > kFocused) turns = std::max<std::size_t>(1, turns / 5);
    for (std::size_t i = turn_++ % turns; i < nodes; i += turns)
      changes.nodes.push_back(static_cast<std::uint32_t>(i));
    std::sort(changes.nodes.begin(), changes.nodes.end());
    changes.nodes.erase(std::unique(changes.nodes.begin(), changes.nodes.end()), changes.nodes.end());
  }

  static constexpr std::uint64_t kGeneration = 1;

  ClusterName name_;
  World world_;
  double speed_;
  std::function<TimePoint()> wall_;
  EventSink* sink_ = nullptr;
  TimePoint base_wall_{};
  TimePoint base_{};
  Duration interval_ = kFocused;
  std::size_t turn_ = 0;
  Worker worker_;  // last: it is stopped before anything that its tasks use goes away
};

}  // namespace

BackendPtr make_backend(World world, double speed, std::function<TimePoint()> wall) {
  return std::make_unique<SimBackend>(std::move(world), speed, std::move(wall));
}

}  // namespace tessera::sim
