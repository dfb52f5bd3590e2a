#include "backends/sim/world.hpp"

#include <algorithm>
#include <tuple>

#include "backends/sim/step.hpp"
#include "engine/text.hpp"

namespace tessera::sim {

using Kind = World::Derived::Kind;

const std::string& World::node_name(std::uint32_t node) const {
  const NodeGroup& of = group(nodes[node]);
  std::uint32_t first = node;
  // Nodes of a group stand together, in the order of its names.
  if (derived) {
    first = derived->first_of_group[nodes[node].group];
  } else {
    while (first > 0 && nodes[first - 1].group == nodes[node].group) --first;
  }
  return of.names[node - first];
}

const Error* World::failing() const {
  const ClusterSpec& of = spec();
  return of.failure && now - start >= of.fails_after ? &*of.failure : nullptr;
}

bool operator==(const World& a, const World& b) {
  auto state = [](const World& w) {
    return std::tie(w.cluster, w.seed, w.start, w.now, w.next_id, w.nodes, w.jobs, w.streams, w.troubles,
                    w.faults_done, w.traps, w.pass_at);
  };
  return a.scenario->text == b.scenario->text && state(a) == state(b);
}

void derive(World& world) {
  const ClusterSpec& spec = world.spec();
  World::Derived& derived = world.derived.emplace();
  derived.free.resize(world.nodes.size());
  derived.held.resize(spec.users.size());
  derived.waiting.resize(spec.streams.size());
  derived.first_of_group.resize(spec.groups.size());
  for (std::uint32_t i = static_cast<std::uint32_t>(world.nodes.size()); i-- > 0;) {
    const NodeState& node = world.nodes[i];
    derived.first_of_group[node.group] = i;
    derived.free[i] = free_shares(world.group(node), node);
    if (node.until) derived.queue.push({*node.until, Kind::resume, i});
  }
  for (const auto& [id, job] : world.jobs) {
    switch (job.state) {
      case JobState::pending:
        derived.pending.insert(id);
        if (!job.hold.empty() && job.eligible > world.now)
          derived.queue.push({job.eligible, Kind::release, id});
        if (job.stream >= 0) ++derived.waiting[static_cast<std::size_t>(job.stream)];
        break;
      case JobState::running: derived.queue.push({job.ends, Kind::finish, id}); break;
      case JobState::completing: derived.queue.push({job.ends, Kind::leave, id}); break;
    }
    for (const Claim& claim : job.claims)
      if (is_exclusive(world, claim)) ++derived.held[job.user];
  }
  for (std::uint32_t i = 0; i < world.streams.size(); ++i)
    derived.queue.push({world.streams[i].next, Kind::arrival, i});
  for (std::uint32_t i = 0; i < world.troubles.size(); ++i)
    derived.queue.push({world.troubles[i].next, Kind::trouble, i});
  if (world.faults_done < spec.faults.size())
    derived.queue.push({world.start + spec.faults[world.faults_done].at, Kind::fault, 0});
  if (world.pass_at) derived.queue.push({*world.pass_at, Kind::pass, 0});
}

void Changes::add(const Changes& more) {
  nodes.insert(nodes.end(), more.nodes.begin(), more.nodes.end());
  jobs.insert(jobs.end(), more.jobs.begin(), more.jobs.end());
  gone.insert(gone.end(), more.gone.begin(), more.gone.end());
}

void Changes::tidy() {
  auto each = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  each(nodes);
  each(jobs);
  each(gone);
}

Changes changes_between(const World& before, const World& after) {
  Changes changes;
  for (std::uint32_t i = 0; i < after.nodes.size(); ++i) {
    // Devices are numbered over a node's slices: whoever holds one is told again with it.
    if (before.nodes[i] == after.nodes[i] && is_vanished(before, i) == is_vanished(after, i) &&
        is_silent(before, i) == is_silent(after, i))
      continue;
    changes.nodes.push_back(i);
    for (JobId id : jobs_on(after.nodes[i])) changes.jobs.push_back(id);
  }
  for (const auto& [id, job] : after.jobs) {
    auto old = before.jobs.find(id);
    if (old != before.jobs.end() && old->second == job) continue;
    changes.jobs.push_back(id);
  }
  for (const auto& [id, job] : before.jobs)
    if (!after.jobs.contains(id)) changes.gone.push_back(workload_id(before, job));
  changes.tidy();
  return changes;
}

std::optional<std::uint32_t> find_node(const World& world, std::string_view shown) {
  const auto& index = world.spec().node_index;
  auto found = index.find(std::string(shown));
  return found == index.end() ? std::nullopt : std::optional(found->second);
}

namespace {

bool hidden_by(const World& world, std::uint32_t node, TrapKind kind) {
  return std::any_of(world.traps.begin(), world.traps.end(), [&](const ArmedTrap& armed) {
    return armed.trap.kind == kind && due(armed) &&
           concerns(armed.trap, clean(world.node_name(node), 253), "");
  });
}

}  // namespace

bool is_vanished(const World& world, std::uint32_t node) {
  return hidden_by(world, node, TrapKind::vanishes);
}
bool is_silent(const World& world, std::uint32_t node) {
  return hidden_by(world, node, TrapKind::stays_silent);
}

Changes World::advance(TimePoint to) {
  Changes changes;
  if (to < now) return changes;
  if (!derived) derive(*this);
  WorldStep step(*this, changes);
  while (!derived->queue.empty() && derived->queue.top().at <= to) {
    Derived::Due due = derived->queue.top();
    derived->queue.pop();
    now = std::max(now, due.at);
    step.play(due);
  }
  now = to;
  changes.tidy();
  return changes;
}

}  // namespace tessera::sim
