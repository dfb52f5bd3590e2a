#include "backends/record/follow.hpp"

#include <algorithm>
#include <utility>

#include "engine/query/local_time.hpp"
#include "engine/record/step.hpp"
#include "engine/record/stood.hpp"

namespace tessera::record {
namespace {

constexpr Duration kLookEvery{5'000};

}  // namespace

FollowBackend::FollowBackend(std::unique_ptr<Recording> recording, std::function<TimePoint()> wall)
    : recording_(std::move(recording)), name_(recording_->cluster()), wall_(std::move(wall)) {}

FollowBackend::~FollowBackend() {
  ending_ = true;
  worker_.stop();
}

void FollowBackend::start(EventSink& sink) {
  sink_ = &sink;
  worker_.post([this] { look(); });
}

void FollowBackend::refresh() {
  worker_.post([this] { look(); });
}

void FollowBackend::look() {
  worker_.cancel(timer_);
  const std::optional<Covered> all = recording_->covered();
  if (all && shown_ != all->to)
    show(all->to);
  else if (!all && !shown_)
    tell_none();
  else if (shown_ && !simulated_)
    tell_failure(silence(*shown_), *shown_);
  timer_ = worker_.after(kLookEvery, [this] { look(); });
}

void FollowBackend::look_back(const NodeName& node, TimePoint since) { look_back_at(node, since); }
void FollowBackend::look_back_at_sums(TimePoint since) { look_back_at(std::nullopt, since); }

void FollowBackend::look_back_at(std::optional<NodeName> node, TimePoint since) {
  worker_.post([this, node = std::move(node), ago = wall_() - since] {
    asked_.emplace_back(node, ago);
    read_back();
  });
}

void FollowBackend::read_back() {
  if (!shown_) return;
  // The times of a simulated cluster are its own.
  const TimePoint newest = *shown_, now = simulated_ ? newest : wall_();
  for (const auto& [node, ago] : std::exchange(asked_, {})) look_backs_.ask(node, now - ago);
  if (look_backs_.read(*recording_, newest, true, [this] { return !ending_; }))
    sink_->post({name_, 0, newest, Loaded{}});  // wakes whoever takes them
}

std::optional<Error> FollowBackend::silence(TimePoint newest) const {
  if (!simulated_ && newest - wall_() > kShortestGap)
    return Error{"the newest round is of a time to come",
                 query::local_text(newest) + ": a clock was set back since",
                 "set the recorder's clock, and remove the files of days to come from its folder"};
  const bool young = wall_() - newest <= longest_step(recording_->every());
  if (simulated_ || (young && recording_->stopped() != Stop::damaged)) return std::nullopt;
  if (young)
    return Error{"this is not the newest round",
                 with_reason("the newest that can be read is of " + query::local_text(newest), Stop::damaged),
                 "the recorder goes on behind the damage when it is started again"};
  return Error{"the recorder is silent",
               with_reason("its newest round is of " + query::local_text(newest), recording_->stopped()),
               "start tessera record again, or leave out --at now to ask the cluster"};
}

void FollowBackend::tell_failure(std::optional<Error> why, TimePoint newest) {
  if (failure_.has_value() == why.has_value() && (!why || failure_->reason == why->reason)) return;
  failure_ = why;
  sink_->post({name_, 0, newest, SourceReport{Source::none, std::move(why), {}, "", false}});
}

// Whoever waits for it is told so at once.
void FollowBackend::tell_none() {
  const Status read = can_be_read(*recording_);
  tell_failure(read ? Error{"nothing is recorded of it yet", name_.text, ""} : read.error(), wall_());
  sink_->post({name_, 0, wall_(), Loaded{}});
}

void FollowBackend::show(TimePoint newest) {
  const Result<Model> model = recording_->moment(newest);  // what happened before it is not told here
  if (!model) {
    tell_failure(model.error(), newest);
    sink_->post({name_, 0, newest, Loaded{}});
    return;
  }
  shown_ = newest;
  const Cluster& now = model->clusters.front();
  simulated_ = now.simulated;
  // The clock of a simulated cluster is its own, and stands where the recorder saw it.
  if (now.simulated) sink_->post({name_, 0, newest, ClockSet{wall_(), 0}});
  sink_->post({name_, 0, newest, PaceReport{0, recording_->every(), now.pace.figures}});
  tell_failure(silence(newest), newest);
  look_backs_.tell_idle(recording_->idle());
  moments_.tell(*sink_, name_, now, newest);
  sink_->post({name_, 0, newest, Loaded{}});
  read_back();
}

}  // namespace tessera::record
