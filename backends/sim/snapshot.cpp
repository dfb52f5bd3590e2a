#include "backends/sim/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/slots.hpp"
#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

// Device numbers count over the slices of a node in order, as node_value() reports them.
int device_of(const NodeState& node, const Claim& claim) {
  int device = 0;
  for (std::size_t gpu = 0; gpu < node.boards.size(); ++gpu) {
    const Board& board = node.boards[gpu];
    if (gpu == claim.gpu && claim.instance == kWholeBoard) return device;
    if (!board.cut()) {
      ++device;
      continue;
    }
    for (const Instance& instance : board.instances) {
      if (gpu == claim.gpu && instance.id == claim.instance) return device;
      ++device;
    }
  }
  return -1;
}

Family family_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::mps: return Family::mps;
    case SliceKind::shard:
    case SliceKind::time_slice: return Family::shard;
    default: return Family::gpu;
  }
}

std::string type_of(const World& world, const NodeGroup& group, const Board& board, const Claim& claim) {
  if (claim.instance != kWholeBoard && group.mig)
    if (const Instance* instance = board.find(claim.instance))
      return group.mig->profiles[static_cast<std::size_t>(instance->profile)].name.text;
  bool typed = world.spec().scheduler == Scheduler::slurm && kind_of(board) == SliceKind::whole_gpu;
  return typed ? group.type : "";
}

std::vector<Allocation> allocations_of(const World& world, const Job& job) {
  std::vector<Allocation> all;
  for (const Claim& claim : job.claims) {
    const NodeState& node = world.nodes[claim.node];
    const Board& board = node.boards[claim.gpu];
    NodeName name(clean(world.node_name(claim.node), 253));
    // AMD's plugin hands out devices, and its kubelet counts them.
    const bool amd = !world.group(node).partition.empty();
    Family family = amd ? Family::gpu : family_of(kind_of(board));
    std::string type = amd ? "" : clean(type_of(world, world.group(node), board, claim), 64);
    auto same = std::find_if(all.begin(), all.end(), [&](const Allocation& one) {
      return one.node == name && one.family == family && one.type == type;
    });
    if (same == all.end()) same = all.insert(same, {name, family, type, 0, {}});
    same->count += claim.share;
    if (world.spec().devices_told && world.group(node).told && !amd)
      same->devices.push_back({device_of(node, claim), claim.share});
  }
  return all;
}

std::string state_word(const World& world, JobState state) {
  bool slurm = world.spec().scheduler == Scheduler::slurm;
  switch (state) {
    case JobState::pending: return slurm ? "PENDING" : "Pending";
    case JobState::running: return slurm ? "RUNNING" : "Running";
    case JobState::completing: return slurm ? "COMPLETING" : "Terminating";
  }
  return {};
}

// What `scontrol show job` lists as ReqNodeList: nodes of which the job needs each. A choice among several is
// no such list, and stays untold.
Boxed<NodeNeeds> listed_needs(const World& world, const Shape& shape) {
  if (shape.only.empty() || shape.only.size() > static_cast<std::size_t>(shape.nodes)) return {};
  std::vector<std::string> names;
  for (const std::uint32_t node : shape.only) names.push_back(clean(world.node_name(node), 253));
  NodeNeeds needs;
  needs.nodes = fold_hosts(names);
  return needs;
}

Event event(const World& world, std::uint64_t generation, decltype(Event::what) what) {
  return {ClusterName(clean(world.spec().name, 64)), generation, world.now, std::move(what)};
}

Partition cleaned(Partition partition) {
  partition.name = clean(partition.name, 64);
  partition.nodes = clean(partition.nodes);
  return partition;
}

Reservation cleaned(Reservation reservation) {
  for (std::string* text :
       {&reservation.name, &reservation.state, &reservation.nodes, &reservation.flags, &reservation.users})
    *text = clean(*text, 1024);
  return reservation;
}

}  // namespace

Workload workload_value(const World& world, const Job& job) {
  const ClusterSpec& spec = world.spec();
  const Shape& shape = wanted_by(world, job);
  const User& user = spec.users[job.user];
  bool slurm = spec.scheduler == Scheduler::slurm;
  Workload workload;
  workload.id = workload_id(world, job);
  workload.kind = slurm ? WorkloadKind::job : WorkloadKind::pod;
  workload.name = clean(job.name, 1024);
  if (!slurm) workload.name = workload.id.text.substr(workload.id.text.find('/') + 1);
  workload.user = clean(user.name, 64);
  workload.group = clean(shape.group, 64);
  workload.account = clean(user.account, 64);
  workload.state_word = state_word(world, job.state);
  workload.state = job.state == JobState::pending   ? WorkloadState::pending
                   : job.state == JobState::running ? WorkloadState::running
                                                    : WorkloadState::completing;
  workload.reason = clean(job.reason, 1024);
  if (slurm && job.state == JobState::pending) workload.needs = listed_needs(world, shape);
  workload.requests = {{clean(shape.text, 128), std::int64_t{shape.count} * shape.nodes}};
  workload.allocations = allocations_of(world, job);
  workload.node_count = shape.nodes;
  workload.submitted = job.submitted;
  if (slurm && job.limit > Duration(0)) workload.limit = job.limit;
  if (job.state != JobState::pending) {
    workload.started = job.started;
    if (slurm) workload.ends = job.started + job.limit;
  }
  workload.restartable = job.restartable;
  workload.comment = clean(job.comment, 4096);
  workload.origin = {Source::simulator, world.now};
  return workload;
}

SourceReport source_report(const World& world) {
  SourceReport report{Source::simulator, std::nullopt, Duration(0)};
  if (const Error* failure = world.failing())
    report.failure = Error{failure->what, clean(failure->reason, 1024), clean(failure->hint, 1024)};
  return report;
}

std::vector<Event> snapshot(const World& world, TimePoint wall, double speed, std::uint64_t generation) {
  const ClusterSpec& spec = world.spec();
  std::vector<Event> events;
  auto add = [&](auto what) { events.push_back(event(world, generation, std::move(what))); };
  add(ClusterSeen{spec.scheduler, true, clean(spec.version, 64),
                  "simulator: " + clean(world.scenario->name, 256)});
  add(ClockSet{wall, speed});
  std::vector<Daemon> daemons;
  for (const Daemon& daemon : spec.daemons)
    daemons.push_back(
        {clean(daemon.name, 64), clean(daemon.host, 253), daemon.up, clean(daemon.detail, 256)});
  add(DaemonsSeen{std::move(daemons)});
  PartitionsListed partitions;
  for (const Partition& partition : spec.partitions) partitions.partitions.push_back(cleaned(partition));
  add(std::move(partitions));
  ReservationsListed reservations;
  for (const Reservation& one : spec.reservations) reservations.reservations.push_back(cleaned(one));
  add(std::move(reservations));
  NodesListed nodes;
  nodes.nodes.reserve(world.nodes.size());
  for (std::uint32_t i = 0; i < world.nodes.size(); ++i)
    if (!is_vanished(world, i)) nodes.nodes.push_back(node_value(world, i, world.now));
  add(std::move(nodes));
  WorkloadsListed workloads;
  workloads.workloads.reserve(world.jobs.size());
  for (const auto& [id, job] : world.jobs) workloads.workloads.push_back(workload_value(world, job));
  add(std::move(workloads));
  add(SourceReport{Source::simulator, std::nullopt, Duration(0)});
  if (world.failing()) add(source_report(world));
  add(Loaded{});
  return events;
}

std::vector<Event> events_of(const World& world, const Changes& changes, std::uint64_t generation) {
  std::vector<Event> events;
  auto add = [&](auto what) { events.push_back(event(world, generation, std::move(what))); };
  for (JobId id : changes.jobs)
    if (auto job = world.jobs.find(id); job != world.jobs.end())
      add(WorkloadSeen{workload_value(world, job->second)});
  for (const WorkloadId& id : changes.gone) add(WorkloadGone{id});
  for (std::uint32_t node : changes.nodes) {
    if (is_vanished(world, node)) {
      add(NodeGone{NodeName(clean(world.node_name(node), 253))});
    } else {
      Node value = node_value(world, node, world.now);
      std::vector<Measured> figures = take_figures(value);
      const NodeName name = value.name;
      add(NodeSeen{std::move(value)});
      // One that answers no more is measured no longer.
      if (figures.empty()) figures.push_back({name, Source::simulator, world.now, {}});
      for (Measured& one : figures) add(std::move(one));
    }
  }
  return events;
}

}  // namespace tessera::sim
