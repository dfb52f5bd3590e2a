#include "backends/slurm/round.hpp"

#include <algorithm>

namespace tessera::slurm {
namespace {

// A list that takes longer than this, and much longer than usual, raises a doubt.
constexpr Duration kRoundPatience{2000};
constexpr int kMuchLonger = 10;

}  // namespace

Source source_of(Step step) {
  switch (step) {
    case Step::nodes: return Source::slurm_nodes;
    case Step::jobs: return Source::slurm_jobs;
    case Step::partitions: return Source::slurm_partitions;
    case Step::reservations: return Source::slurm_reservations;
    case Step::ping:
    case Step::config:
    case Step::accounting: return Source::slurm_ping;
  }
  return Source::none;
}

std::string_view task(Step step) {
  switch (step) {
    case Step::nodes: return "cannot list the nodes";
    case Step::jobs: return "cannot list the jobs";
    case Step::partitions: return "cannot list the partitions";
    case Step::reservations: return "cannot list the reservations";
    case Step::ping: return "cannot ping the controllers";
    case Step::config: return "cannot read the cluster's configuration";
    case Step::accounting: return "cannot ask slurmdbd";
  }
  return {};
}

void Round::begin(bool seldom, bool config, bool accounting) {
  todo_.clear();
  if (doubt_ || seldom) todo_.push_back(Step::ping);
  if (config) todo_.push_back(Step::config);
  todo_.insert(todo_.end(), {Step::nodes, Step::jobs});
  if (seldom) todo_.insert(todo_.end(), {Step::partitions, Step::reservations});
  if (seldom && accounting) todo_.push_back(Step::accounting);
  controller_up_ = false;
  failure_ = false;
  doubt_ = false;
}

std::optional<Step> Round::next() {
  if (todo_.empty()) return std::nullopt;
  Step step = todo_.front();
  todo_.pop_front();
  return step;
}

Duration Round::patience(Step step, std::optional<Duration> usual, Duration deadline) const {
  if (step == Step::ping || controller_up_) return deadline;
  return std::min(deadline, std::max(kRoundPatience, usual.value_or(Duration(0)) * kMuchLonger));
}

void Round::succeeded(Step step) {
  if (step == Step::ping) controller_up_ = true;
}

void Round::timed_out(Step step) {
  if (step == Step::ping || controller_up_) return failed(step);
  todo_.push_front(step);
  todo_.push_front(Step::ping);
}

void Round::failed(Step step) {
  failure_ = true;
  doubt_ = true;
  if (step != Step::ping && !controller_up_ &&
      std::find(todo_.begin(), todo_.end(), Step::ping) == todo_.end())
    todo_.push_front(Step::ping);
}

void Round::nobody_there() {
  failure_ = true;
  doubt_ = true;
  todo_.clear();
}

}  // namespace tessera::slurm
