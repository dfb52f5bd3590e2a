#include "backends/slurm/change/census.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "backends/slurm/change/change_commands.hpp"
#include "backends/slurm/change/node_files.hpp"
#include "backends/slurm/explain.hpp"
#include "backends/slurm/parse/parse_node.hpp"
#include "backends/slurm/parse/record.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using Steady = std::chrono::steady_clock;
constexpr auto kConfigFor = std::chrono::minutes(5);
constexpr auto kReservationsFor = std::chrono::minutes(1);

constexpr auto kLongestGather = std::chrono::seconds(4);
constexpr auto kAsksWithin = std::chrono::seconds(1);  // after its act a run looks at what came of it
constexpr int kGathers = 2, kOfRounds = 5;             // two fifths of the time between the reader's rounds
constexpr Duration kRounds = std::chrono::seconds(10);

bool is_on(const Workload& job, const NodeName& node) {
  return std::any_of(job.allocations.begin(), job.allocations.end(),
                     [&](const Allocation& one) { return one.node == node; });
}

// The same number as long as nothing has happened that a run waits for.
std::size_t state_of(const Census& census, const NodeName& name) {
  const Node* node = census.find(name);
  if (!node) return 0;
  std::string text = fmt::format("{} {} {}", node->cpus_held.value_or(-1), node->reason, node->reservation);
  for (const std::string& flag : node->state) text += " " + flag;
  if (census.jobs)
    for (const Workload& job : census.jobs->values)
      if (is_on(job, name)) text += " " + job.id.text + job.state_word;
  text += gres_of_record(census.record_of(name));
  for (const Reservation& one : census.reservations.values) text += " " + one.name;
  return std::hash<std::string>()(text);
}

}  // namespace

std::string gres_of_record(std::string_view record) {
  std::size_t at = record.find(" Gres=");
  if (at == std::string_view::npos) return "";
  record.remove_prefix(at + 6);
  std::string_view value = record.substr(0, record.find_first_of(" \n"));
  return value == "(null)" ? "" : std::string(value);
}

const Node* Census::find(const NodeName& name) const {
  for (const Node& node : nodes.values)
    if (node.name == name) return &node;
  return nullptr;
}

std::string_view Census::record_of(const NodeName& name) const {
  const std::string start = "NodeName=" + name.text + " ";
  for (Records each(records, [](std::string_view line) { return line.starts_with("NodeName="); });
       each.next();)
    if (each.led() && each.record().starts_with(start)) return each.record();
  return {};
}

Result<std::vector<Workload>> Census::work_on(const Node& node) const {
  std::vector<Workload> there;
  if (!is_busy(node)) return there;
  const std::string what = "cannot determine who uses " + node.name.text;
  if (!jobs) return Error{what, "the jobs have not been listed", ""};
  if (jobs->incomplete) return Error{what, "not every job could be read: " + note_of(*jobs), ""};
  for (const Workload& job : jobs->values)
    if (is_on(job, node.name)) there.push_back(job);
  if (there.empty() && !busy_without_jobs({node}, *jobs).empty())
    return Error{what,
                 fmt::format("Slurm has {} of its CPUs allocated, and no job is listed there",
                             node.cpus_held.value_or(0)),
                 "PrivateData=jobs hides jobs from others than root and Slurm's administrators"};
  return there;
}

CensusTaker::CensusTaker(Worker& worker, Calls& calls, const SlurmClient& commands,
                         const mig::Catalogue* catalogue, std::function<TimePoint()> clock, Duration interval,
                         Taken taken)
    : worker_(worker),
      calls_(calls),
      commands_(commands),
      catalogue_(catalogue),
      clock_(std::move(clock)),
      taken_(std::move(taken)),
      pace_(interval, Steady::now()),
      gathers_(std::min<Duration>(kLongestGather,
                                  (interval > Duration(0) ? interval : kRounds) * kGathers / kOfRounds)) {}

void CensusTaker::ask(NodeName node, Wanted wanted, Told told) {
  if (auto acted = acting_.find(node); acted != acting_.end() && acted->second != Pacer::Instant::max())
    acting_.erase(acted);
  waiting_.push_back({std::move(node), wanted, std::move(told), Steady::now()});
  schedule();
}

std::shared_ptr<const Census> CensusTaker::recent(Duration age) const {
  return last_ && last_->effect && Steady::now() - last_began_ <= age ? last_ : nullptr;
}

void CensusTaker::act_began(const NodeName& node) {
  pace_.changed(node.text, Steady::now());
  acting_[node] = Pacer::Instant::max();
}

void CensusTaker::act_ended(const NodeName& node) {
  acting_[node] = Steady::now() + kAsksWithin;
  schedule();
}

// Nodes of one run take the same steps, but not in the same time: the one that is done first waits for those
// that will ask what it asks. What an act itself asks for is not held up: a lock may be held meanwhile.
Pacer::Instant CensusTaker::held_until(Pacer::Instant now) {
  std::erase_if(acting_, [&](const auto& one) { return one.second < now; });
  auto first = Pacer::Instant::max(), last = Pacer::Instant::min();
  for (const Asking& one : waiting_) {
    if (!one.wanted.jobs) return now;
    if (pace_.is_due(one.node.text, now)) first = std::min(first, one.since);
  }
  if (first == Pacer::Instant::max()) return now;
  for (const auto& [node, until] : acting_) last = std::max(last, until);
  return std::min(first + gathers_, last);
}

void CensusTaker::schedule() {
  if (census_ || waiting_.empty()) return;
  const auto now = Steady::now();
  auto due = Pacer::Instant::max();
  for (const Asking& one : waiting_) due = std::min(due, pace_.due(one.node.text, now));
  due = std::max(due, held_until(now));
  if (timer_ != 0) worker_.cancel(timer_);
  timer_ = worker_.after(std::chrono::ceil<Duration>(std::max(due - now, Steady::duration(0))),
                         [this] { begin(); });
}

void CensusTaker::begin() {
  timer_ = 0;
  served_ = std::exchange(waiting_, {});
  census_ = std::make_shared<Census>();
  began_ = Steady::now();
  pace_.began(began_);
  // What slurmctld has read of its files must be as fresh as the nodes.
  census_->effect =
      std::any_of(served_.begin(), served_.end(), [](const Asking& one) { return one.wanted.effect; });
  const bool known = !census_->effect && config_read_ && Steady::now() - *config_read_ < kConfigFor;
  if (known) return ask_nodes();
  call(show_config(commands_), "cannot read the cluster's configuration", &CensusTaker::take_config,
       &CensusTaker::ask_nodes);
}

void CensusTaker::call(Command command, std::string what, Take take, void (CensusTaker::*then)()) {
  pace_.called();
  Duration deadline = command.deadline;
  calls_.run(std::move(command), [this, what = std::move(what), take, then, deadline](Result<Outcome> ran) {
    if (!ran) return tell(ran.error());
    if (auto error = explain(what, *ran, deadline)) return tell(std::move(*error));
    if (auto error = distrust(what, ran->out)) return tell(std::move(*error));
    if (auto error = (this->*take)(ran->out, ran->took)) return tell(std::move(*error));
    (this->*then)();
  });
}

std::optional<Error> CensusTaker::take_config(const std::string& text, Duration /*took*/) {
  if (parse_config(text).version.empty())
    return Error{"cannot read the cluster's configuration", "scontrol printed no SLURM_VERSION", ""};
  config_ = text;
  config_read_ = Steady::now();
  return std::nullopt;
}

void CensusTaker::ask_nodes() {
  census_->config = config_;
  census_->version = parse_config(config_).version;
  call(show_nodes(commands_), "cannot list the nodes", &CensusTaker::take_nodes, &CensusTaker::ask_jobs);
}

std::optional<Error> CensusTaker::take_nodes(const std::string& text, Duration took) {
  census_->nodes = parse_nodes(text, {Source::slurm_nodes, clock_()}, catalogue_);
  census_->records = text;
  census_->nodes_took = took;
  return distrust("cannot list the nodes", text, census_->nodes);
}

// Those that wait for jobs and whose turn has not come: the list of nodes says that the jobs are still there,
// and which ones they are costs a call of its own.
void CensusTaker::leave_busy_waiting() {
  const auto now = Steady::now();
  const auto busy = [&](const Asking& one) {
    const Node* node = census_->find(one.node);
    return one.wanted.jobs && node && is_busy(*node);
  };
  const auto waits = [&](const Asking& one) {
    return busy(one) && !one.wanted.effect && !pace_.is_due(one.node.text, now);
  };
  // Where they are listed all the same, all are told, so that their turns come together.
  if (std::any_of(served_.begin(), served_.end(),
                  [&](const Asking& one) { return busy(one) && !waits(one); }))
    return;
  const auto first = std::stable_partition(served_.begin(), served_.end(), std::not_fn(waits));
  std::move(first, served_.end(), std::back_inserter(waiting_));
  served_.erase(first, served_.end());
}

void CensusTaker::ask_jobs() {
  leave_busy_waiting();
  const bool busy = std::any_of(served_.begin(), served_.end(), [&](const Asking& one) {
    const Node* node = census_->find(one.node);
    return one.wanted.jobs && node && is_busy(*node);
  });
  if (!busy && !(census_->effect && takes_shares_away())) return ask_reservations();
  call(show_jobs(commands_), "cannot list the jobs", &CensusTaker::take_jobs, &CensusTaker::ask_reservations);
}

std::optional<Error> CensusTaker::take_jobs(const std::string& text, Duration took) {
  census_->jobs = parse_jobs(text, {Source::slurm_jobs, clock_()});
  census_->job_records = text;
  census_->jobs_took = took;
  return distrust("cannot list the jobs", text, *census_->jobs);
}

// Slurm flags a node that a reservation holds, within five seconds of its making (seen with 22.05 and 24.11:
// IDLE+MAINTENANCE+RESERVED). What marks a node asks for the list in any case, and so does everyone where
// one that is a run's mark is known.
bool CensusTaker::need_no_reservations() const {
  if (!reservations_read_ || Steady::now() - *reservations_read_ > kReservationsFor) return false;
  if (std::any_of(reservations_.values.begin(), reservations_.values.end(),
                  [](const Reservation& one) { return mark_of_reservation(one.name).has_value(); }))
    return false;
  return std::all_of(served_.begin(), served_.end(), [&](const Asking& one) {
    const Node* node = census_->find(one.node);
    return !one.wanted.reservations && node && !has_flag(*node, {"RESERVED", "MAINTENANCE"});
  });
}

void CensusTaker::ask_reservations() {
  if (need_no_reservations()) {
    census_->reservations = reservations_;
    return census_->effect ? ask_partitions() : end();
  }
  call(show_reservations(commands_), "cannot list the reservations", &CensusTaker::take_reservations,
       census_->effect ? &CensusTaker::ask_partitions : &CensusTaker::end);
}

void CensusTaker::ask_partitions() {
  call(show_partitions(commands_), "cannot list the partitions", &CensusTaker::take_partitions,
       &CensusTaker::end);
}

std::optional<Error> CensusTaker::take_partitions(const std::string& text, Duration /*took*/) {
  census_->partitions = text;
  return distrust("cannot list the partitions", text, parse_partitions(text));
}

// Where ended jobs may stand in a reconfigure's way (remembered() in running.hpp).
bool CensusTaker::takes_shares_away() const {
  if (!with_version({}, census_->version).reconfigure_suffices()) return false;
  return std::any_of(served_.begin(), served_.end(), [&](const Asking& one) {
    const std::string gres = gres_of_record(census_->record_of(one.node));
    return gres.find("mps") != std::string::npos || gres.find("shard") != std::string::npos;
  });
}

std::optional<Error> CensusTaker::take_reservations(const std::string& text, Duration /*took*/) {
  reservations_ = census_->reservations = parse_reservations(text);
  reservations_read_ = Steady::now();
  if (!census_->reservations.incomplete) return std::nullopt;
  reservations_read_.reset();
  return Error{"cannot list the reservations",
               "not every one could be read: " + note_of(census_->reservations), ""};
}

void CensusTaker::end() {
  for (const Asking& one : served_) pace_.seen(one.node.text, state_of(*census_, one.node), Steady::now());
  if (taken_) taken_(*census_);
  last_ = census_;
  last_began_ = began_;
  tell(std::shared_ptr<const Census>(census_));
}

void CensusTaker::tell(const Result<std::shared_ptr<const Census>>& told) {
  pace_.ended(Steady::now());
  census_.reset();
  for (Asking& one : std::exchange(served_, {})) one.told(told);
  schedule();
}

}  // namespace tessera::slurm
