#include "backends/sim/step.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tessera::sim {

using Kind = World::Derived::Kind;

namespace {

constexpr std::string_view kRegistration = "slurm";  // who says that a node is invalid

}  // namespace

WorldStep::WorldStep(World& world, Changes& changes) : world_(world), changes_(changes) {}

std::uint64_t WorldStep::chance(Purpose purpose, std::uint64_t which, std::uint64_t count) const {
  return draw(world_.seed, static_cast<std::uint64_t>(purpose), which, count);
}

// What was due may have been overtaken (a job requeued, a node reopened): then it is stale and skipped.
void WorldStep::play(const World::Derived::Due& due) {
  auto job = [&]() -> Job* {
    auto it = world_.jobs.find(due.which);
    return it == world_.jobs.end() ? nullptr : &it->second;
  };
  switch (due.kind) {
    case Kind::leave:
      if (Job* one = job(); one && one->state == JobState::completing && one->ends == due.at) leave(*one);
      break;
    case Kind::finish:
      if (Job* one = job(); one && one->state == JobState::running && one->ends == due.at) finish(*one);
      break;
    case Kind::release:
      if (Job* one = job(); one && one->state == JobState::pending && one->eligible == due.at) {
        one->hold.clear();
        changed(one->id);
        request_pass();
      }
      break;
    case Kind::resume:
      if (world_.nodes[due.which].until == due.at) resume(due.which);
      break;
    case Kind::fault: fault(); break;
    case Kind::trouble:
      if (world_.troubles[due.which].next == due.at) strike(due.which);
      break;
    case Kind::arrival:
      if (world_.streams[due.which].next == due.at) arrive(due.which);
      break;
    case Kind::pass:
      if (world_.pass_at == due.at) {
        world_.pass_at.reset();
        pass();
      }
      break;
  }
}

void WorldStep::request_pass() {
  if (world_.pass_at) return;
  // Schedulers look at regular times; so a pass does not depend on who asked for it or how often.
  std::int64_t every = world_.spec().scheduler == Scheduler::slurm ? 5000 : 1000;
  std::int64_t tick = world_.now.time_since_epoch().count() / every + 1;
  world_.pass_at = TimePoint(Duration(tick * every));
  push(*world_.pass_at, Kind::pass, 0);
}

JobId WorldStep::submit(const JobPlan& plan, int stream) {
  Job job;
  job.id = world_.next_id++;
  auto pick = [&](Purpose purpose, const auto& list) {
    return list[below(chance(purpose, job.id), list.size())];
  };
  job.user = static_cast<std::uint32_t>(pick(Purpose::user, plan.users));
  job.shape = static_cast<std::uint32_t>(pick(Purpose::shape, plan.shapes));
  job.name = pick(Purpose::name, plan.names);
  job.does = plan.does;
  job.restartable = plan.restartable;
  job.stream = stream;
  job.comment = plan.comment;
  job.hold = plan.hold;
  job.submitted = world_.now;
  job.eligible =
      plan.hold.empty() || plan.hold_for.count() > 0 ? world_.now + plan.hold_for : TimePoint::max();
  job.runs =
      Duration(mostly_low(chance(Purpose::runs, job.id), plan.runs.low.count(), plan.runs.high.count()));
  constexpr std::int64_t kHour = 3'600'000;
  job.limit = plan.limit.count() > 0 ? plan.limit : Duration((2 * job.runs.count() / kHour + 1) * kHour);
  job.runs = std::min(job.runs, job.limit);
  if (!job.hold.empty() && job.eligible != TimePoint::max()) push(job.eligible, Kind::release, job.id);
  if (stream >= 0) ++derived().waiting[static_cast<std::size_t>(stream)];
  derived().pending.insert(job.id);
  changed(job.id);
  JobId id = job.id;
  world_.jobs.emplace_hint(world_.jobs.end(), id, std::move(job));
  return id;
}

void WorldStep::hold_counts(const Job& job, int sign) {
  for (const Claim& claim : job.claims) {
    derived().free[claim.node] -= sign * claim.share;
    if (is_exclusive(world_, claim)) derived().held[job.user] += sign;
    touched(claim.node);
  }
}

void WorldStep::start(Job& job, std::vector<Claim> claims) {
  job.claims = std::move(claims);
  for (const Claim& claim : job.claims) {
    // In order of id: a world that was saved and loaded must not differ from one that was not.
    std::vector<Hold>& holds = *holds_of(world_, claim);
    auto place =
        std::find_if(holds.begin(), holds.end(), [&](const Hold& hold) { return hold.job > job.id; });
    holds.insert(place, {job.id, claim.share, job.does});
  }
  hold_counts(job, 1);
  job.state = JobState::running;
  job.reason.clear();
  job.hold.clear();
  job.started = world_.now;
  job.ends = world_.now + job.runs;
  if (job.stream >= 0) --derived().waiting[static_cast<std::size_t>(job.stream)];
  derived().pending.erase(job.id);
  push(job.ends, Kind::finish, job.id);
  changed(job.id);
}

std::set<std::uint32_t> WorldStep::release_claims(Job& job) {
  hold_counts(job, -1);
  std::set<std::uint32_t> nodes;
  for (const Claim& claim : job.claims) {
    nodes.insert(claim.node);
    if (std::vector<Hold>* holds = holds_of(world_, claim))
      std::erase_if(*holds, [&](const Hold& hold) { return hold.job == job.id; });
  }
  job.claims.clear();
  request_pass();
  return nodes;
}

void WorldStep::finish(Job& job) {
  job.state = JobState::completing;
  job.ends = world_.now + Duration(between(chance(Purpose::completing, job.id), 2000, 12000));
  push(job.ends, Kind::leave, job.id);
  for (const Claim& claim : job.claims) touched(claim.node);
  changed(job.id);
}

void WorldStep::leave(Job& job) {
  const std::set<std::uint32_t> nodes = release_claims(job);
  changes_.gone.push_back(workload_id(world_, job));
  world_.jobs.erase(job.id);
  for (std::uint32_t node : nodes) reboot_when_empty(node);
}

void WorldStep::requeue(Job& job) {
  const std::set<std::uint32_t> nodes = release_claims(job);
  job.state = JobState::pending;
  job.reason = world_.spec().scheduler == Scheduler::slurm ? "BeginTime" : "";
  job.started = job.ends = TimePoint{};
  if (job.stream >= 0) ++derived().waiting[static_cast<std::size_t>(job.stream)];
  derived().pending.insert(job.id);
  changed(job.id);
  for (std::uint32_t node : nodes) reboot_when_empty(node);
}

std::set<JobId> jobs_on(const NodeState& node) {
  std::set<JobId> all;
  for (const Board& board : node.boards) {
    for (const Hold& hold : board.holds) all.insert(hold.job);
    for (const Instance& instance : board.instances)
      for (const Hold& hold : instance.holds) all.insert(hold.job);
  }
  return all;
}

void WorldStep::empty_node(std::uint32_t node) {
  for (JobId id : jobs_on(world_.nodes[node])) {
    Job& job = world_.jobs.at(id);
    if (job.restartable && job.state == JobState::running) {
      requeue(job);
    } else {
      leave(job);
    }
  }
}

void WorldStep::close(std::uint32_t index, Condition condition, std::string reason, std::string by,
                      std::optional<TimePoint> until) {
  NodeState& node = world_.nodes[index];
  bool away = condition == Condition::down || condition == Condition::unknown;
  if (away && node.condition == Condition::drained) node.closing = Closing{node.reason, node.by, node.since};
  if (!away) node.closing.reset();
  node.condition = condition;
  node.reason = std::move(reason);
  node.by = std::move(by);
  node.since = world_.now;
  node.until = until;
  if (until) push(*until, Kind::resume, index);
  touched(index);
  request_pass();
}

void WorldStep::lose_node(std::uint32_t index, std::string reason, std::string by) {
  empty_node(index);
  close(index, Condition::down, std::move(reason), std::move(by), std::nullopt);
}

void WorldStep::reboot_node(std::uint32_t index, std::string reason, std::string by, TimePoint until,
                            bool recut) {
  empty_node(index);
  NodeState& node = world_.nodes[index];
  const NodeGroup& group = world_.group(node);
  for (std::size_t gpu = 0; gpu < node.boards.size(); ++gpu) {
    reboot(node.boards[gpu], group.mig);
    // A mode that was pending came true with the boot: only what was cut is cut again.
    bool cut = group.boards[gpu].mode != MigMode::enable_pending;
    if (recut && cut) apply_plan(node.boards[gpu], group, group.boards[gpu], static_cast<int>(gpu));
  }
  node.booted = until;
  derived().free[index] = free_shares(group, node);
  close(index, Condition::down, std::move(reason), std::move(by), until);
}

namespace {

// As slurmd counts them: an empty GPU under MIG has none.
int devices_found(const NodeState& node) {
  std::size_t found = 0;
  for (const Board& board : node.boards) found += board.cut() ? board.instances.size() : 1;
  return static_cast<int>(found);
}

int devices_promised(const NodeState& node, const NodeGroup& group) {
  if (node.promised) return *node.promised;
  std::size_t promised = 0;
  for (const BoardPlan& plan : group.boards)
    promised += plan.mode == MigMode::enabled ? plan.layout.size() : 1;
  return static_cast<int>(promised);
}

}  // namespace

void WorldStep::reboot_when_empty(std::uint32_t index) {
  NodeState& node = world_.nodes[index];
  const bool away = node.condition == Condition::down || node.condition == Condition::unknown;
  if (!node.reboots || away || !jobs_on(node).empty()) return;
  node.reason += " : reboot issued";
  if (node.reopens) node.condition = Condition::up;  // nextstate=RESUME
  reboot_node(index, node.reason, node.by, world_.now + kBoot, world_.group(node).recut_at_boot);
}

void WorldStep::resume(std::uint32_t index) {
  NodeState& node = world_.nodes[index];
  node.reboots = node.reopens = false;
  if (std::optional<Closing> again = std::exchange(node.closing, std::nullopt)) {
    close(index, Condition::drained, std::move(again->reason), std::move(again->by), std::nullopt);
    node.since = again->since;
    return;
  }
  close(index, Condition::up, "", "", std::nullopt);
  if (world_.spec().scheduler != Scheduler::slurm) return;
  // slurmd registers fewer devices than slurm.conf promises: instances that were not made again after a boot.
  int promised = devices_promised(node, world_.group(node)), found = devices_found(node);
  if (found < promised)
    close(index, Condition::invalid,
          "gres/gpu count reported lower than configured (" + std::to_string(found) + " < " +
              std::to_string(promised) + ")",
          std::string(kRegistration), std::nullopt);
}

// Whoever changes GPUs writes the new counts where the scheduler's agent reads them; it then registers
// again.
void WorldStep::recount(std::uint32_t index) {
  NodeState& node = world_.nodes[index];
  node.promised = devices_found(node);
  derived().free[index] = free_shares(world_.group(node), node);
  if (node.condition == Condition::invalid && node.by == kRegistration) resume(index);
  touched(index);
  for (JobId id : jobs_on(node)) changed(id);
  request_pass();
}

void WorldStep::arrive(std::uint32_t index) {
  Recurring& stream = world_.streams[index];
  const Stream& plan = world_.spec().streams[index];
  if (derived().waiting[index] < plan.at_most) {
    submit(plan.plan, static_cast<int>(index));
    request_pass();
  }
  std::int64_t every = plan.every.count();
  std::uint64_t chanced = chance(Purpose::pause, index, ++stream.count);
  stream.next = world_.now + Duration(std::max<std::int64_t>(1, between(chanced, every / 4, every * 7 / 4)));
  push(stream.next, Kind::arrival, index);
}

void WorldStep::strike(std::uint32_t index) {
  Recurring& trouble = world_.troubles[index];
  const Trouble& plan = world_.spec().troubles[index];
  std::uint64_t which = (1ull << 32) + index;  // apart from the streams' draws
  std::int64_t every = plan.every.count();
  trouble.next =
      world_.now + Duration(std::max<std::int64_t>(
                       1, between(chance(Purpose::pause, which, ++trouble.count), every / 2, every * 3 / 2)));
  push(trouble.next, Kind::trouble, index);
  if (world_.nodes.empty()) return;
  auto victim =
      static_cast<std::uint32_t>(below(chance(Purpose::victim, which, trouble.count), world_.nodes.size()));
  if (world_.nodes[victim].condition != Condition::up) return;
  std::string reason =
      plan.reasons[below(chance(Purpose::reason, which, trouble.count), plan.reasons.size())];
  TimePoint until = world_.now + Duration(mostly_low(chance(Purpose::lasts, which, trouble.count),
                                                     plan.lasts.low.count(), plan.lasts.high.count()));
  switch (plan.kind) {
    case Trouble::Kind::drain: close(victim, Condition::drained, std::move(reason), plan.by, until); break;
    case Trouble::Kind::down:
      empty_node(victim);
      close(victim, Condition::down, std::move(reason), plan.by, until);
      break;
    case Trouble::Kind::reboot:
      reboot_node(victim, std::move(reason), plan.by, until,
                  world_.group(world_.nodes[victim]).recut_at_boot);
      break;
  }
}

void WorldStep::fault() {
  const std::vector<Fault>& faults = world_.spec().faults;
  const Fault& fault = faults[world_.faults_done++];
  if (world_.faults_done < faults.size()) push(world_.start + faults[world_.faults_done].at, Kind::fault, 0);
  NodeState& node = world_.nodes[fault.node];
  switch (fault.kind) {
    case Fault::Kind::drain:
      close(fault.node, Condition::drained, fault.reason, fault.by, std::nullopt);
      break;
    case Fault::Kind::down:
      empty_node(fault.node);
      close(fault.node, Condition::down, fault.reason, fault.by, std::nullopt);
      break;
    case Fault::Kind::reboot:
      reboot_node(fault.node, fault.reason, fault.by, world_.now + kBoot, world_.group(node).recut_at_boot);
      break;
    case Fault::Kind::resume: close(fault.node, Condition::up, "", "", std::nullopt); break;
    case Fault::Kind::hide:
    case Fault::Kind::reveal:
      if (static_cast<std::size_t>(fault.gpu) < node.boards.size()) {
        Board& board = node.boards[static_cast<std::size_t>(fault.gpu)];
        (board.instances.empty() ? board.hidden : board.instances.front().hidden) =
            fault.kind == Fault::Kind::hide;
        touched(fault.node);
      }
      break;
  }
}

}  // namespace tessera::sim
