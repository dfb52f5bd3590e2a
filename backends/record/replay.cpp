#include "backends/record/replay.hpp"

#include <algorithm>
#include <utility>

#include "engine/model/model.hpp"

namespace tessera::record {
namespace {

constexpr Duration kTick{1000};
constexpr Duration kSearched{24 * 3'600'000LL};  // how far the next round may lie away

}  // namespace

ReplayBackend::ReplayBackend(std::unique_ptr<Recording> recording, TimePoint at, double speed,
                             std::function<TimePoint()> wall)
    : recording_(std::move(recording)),
      name_(recording_->cluster()),
      at_(at),
      speed_(speed),
      wall_(std::move(wall)) {}

ReplayBackend::~ReplayBackend() { worker_.stop(); }

void ReplayBackend::start(EventSink& sink) {
  sink_ = &sink;
  worker_.post([this] {
    show(at_);
    tick();
  });
}

void ReplayBackend::jump(TimePoint to) {
  worker_.post([this, to] { show(to); });
}

void ReplayBackend::play(double speed) {
  worker_.post([this, speed] {
    speed_ = speed;
    tick();
  });
}

void ReplayBackend::step(int rounds) {
  worker_.post([this, rounds] {
    std::optional<TimePoint> found;
    const auto see = [&](const Cluster&, TimePoint at) {
      found = at;
      return rounds < 0;  // the last one before; else the first one after
    };
    if (rounds > 0)
      recording_->rounds(at_ + Duration{1}, at_ + kSearched, see);
    else
      recording_->rounds(at_ - kSearched, at_ - Duration{1}, see);
    if (found) show(*found);
  });
}

void ReplayBackend::tick() {
  worker_.cancel(timer_);
  if (speed_ <= 0) return;
  timer_ = worker_.after(kTick, [this] {
    const double passed = static_cast<double>(kTick.count()) * speed_;
    show(at_ + Duration(static_cast<Duration::rep>(passed)));
    tick();
  });
}

void ReplayBackend::tell(decltype(Event::what) what, TimePoint at) const {
  sink_->post({name_, 0, at, std::move(what)});
}

// A moment outside is the nearest one within.
TimePoint ReplayBackend::nearest(TimePoint at) const {
  const std::vector<Covered> covered = recording_->covered();
  if (covered.empty()) return at;
  return std::clamp(at, covered.front().from, std::max(covered.front().from, covered.back().to));
}

void ReplayBackend::show(TimePoint to) {
  const TimePoint at = nearest(to);
  Result<Model> model = recording_->at(at);
  if (!model) {
    tell(SourceReport{Source::none, model.error(), {}, "", false}, at_);
    tell(Loaded{}, at_);
    return;
  }
  const Cluster& then = model->clusters.front();
  at_ = at;
  tell(ClockSet{wall_(), 0}, at);
  tell(ClusterSeen{then.scheduler, then.simulated, then.version, then.endpoint, then.id}, at);
  tell(LicenceNamed{then.licence}, at);
  // One report a source: a mailbox keeps the newest only, and what it told before it failed still stands.
  for (const auto& [source, health] : then.sources) {
    std::string note = health.note;
    if (health.failure) note += (note.empty() ? "" : "; ") + to_line(*health.failure);
    if (health.last_ok)
      tell(SourceReport{source, {}, {}, std::move(note), health.incomplete}, *health.last_ok);
    else if (health.failure)
      tell(SourceReport{source, health.failure, {}, "", false}, at);
  }
  tell(NodesListed{then.nodes.all()}, at);
  tell(WorkloadsListed{then.workloads.all()}, at);
  tell(PartitionsListed{then.partitions}, at);
  tell(ReservationsListed{then.reservations}, at);
  tell(QuotasListed{then.quotas}, at);
  tell(DaemonsSeen{then.daemons}, at);
  for (const auto& [source, remarks] : then.remarks) tell(RemarksListed{source, remarks}, at);
  tell(Loaded{}, at);
}

}  // namespace tessera::record
