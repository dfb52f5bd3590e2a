#include "backends/sim/world.hpp"

#include <algorithm>

#include "backends/sim/step.hpp"

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
                    w.faults_done, w.pass_at);
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

Changes World::advance(TimePoint to) {
  Changes changes;
  if (to < now) return changes;
  if (!derived) derive(*this);
  Step step(*this, changes);
  while (!derived->queue.empty() && derived->queue.top().at <= to) {
    Derived::Due due = derived->queue.top();
    derived->queue.pop();
    now = std::max(now, due.at);
    step.play(due);
  }
  now = to;
  auto tidy = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  tidy(changes.nodes);
  tidy(changes.jobs);
  tidy(changes.gone);
  return changes;
}

}  // namespace tessera::sim
