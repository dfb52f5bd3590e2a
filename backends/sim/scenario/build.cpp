// A world at its start: GPUs cut as the scenario says, initial work in place.
#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/step.hpp"

namespace tessera::sim {

void apply_plan(Board& board, const NodeGroup& group, const BoardPlan& plan, int gpu) {
  board.strategy = plan.strategy;
  board.replicas = plan.replicas;
  board.mode = plan.mode;
  board.instances.clear();
  if (!group.mig || plan.layout.empty()) return;
  std::vector<Wanted> wanted;
  for (const mig::Placed& placed : plan.layout) wanted.push_back({placed.profile, placed.start});
  create_instances(board, *group.mig, gpu, wanted);
}

std::vector<NodeState> bare_nodes(const ClusterSpec& spec) {
  std::vector<NodeState> nodes;
  for (std::uint32_t g = 0; g < spec.groups.size(); ++g) {
    NodeState node;
    node.group = g;
    node.boards.resize(spec.groups[g].boards.size());
    nodes.insert(nodes.end(), spec.groups[g].names.size(), node);
  }
  return nodes;
}

namespace {

constexpr std::int64_t kHour = 3'600'000;

class Builder {
 public:
  Builder(World& world, Changes& changes) : world_(world), step_(world, changes) {}

  static void set_up(NodeState& node, const NodeGroup& group, TimePoint now) {
    for (std::size_t gpu = 0; gpu < group.boards.size(); ++gpu)
      apply_plan(node.boards[gpu], group, group.boards[gpu], static_cast<int>(gpu));
    for (int gpu : group.hidden) {
      Board& board = node.boards[static_cast<std::size_t>(gpu)];
      (board.instances.empty() ? board.hidden : board.instances.front().hidden) = true;
    }
    node.condition = group.condition;
    node.reason = group.reason;
    node.by = group.reason_by;
    node.since = now - group.reason_age;
  }

  // Nodes of a group are set up alike: the first is made, the others are its copies.
  static void build_nodes(World& world) {
    world.nodes = bare_nodes(world.spec());
    for (std::size_t i = 0; i < world.nodes.size(); ++i) {
      NodeState& node = world.nodes[i];
      if (i > 0 && world.nodes[i - 1].group == node.group) {
        node = world.nodes[i - 1];
      } else {
        set_up(node, world.group(node), world.now);
      }
      std::uint64_t chance = draw(world.seed, static_cast<std::uint64_t>(Purpose::booted), i);
      node.booted = world.now - Duration(between(chance, 2 * 24 * kHour, 60 * 24 * kHour));
    }
  }

  // Pinned work first, so that nothing drawn by lot stands in its place.
  std::optional<Error> place_jobs() {
    for (const JobPlan& plan : world_.spec().jobs)
      if (plan.gpu)
        if (auto error = place_pinned(plan)) return error;
    for (const JobPlan& plan : world_.spec().jobs)
      if (!plan.gpu)
        for (int i = 0; i < plan.count; ++i) plans_.push_back({step_.submit(plan, -1), &plan});
    step_.pass();
    for (const auto& [id, plan] : plans_) backdate(world_.jobs.at(id), *plan);
    return std::nullopt;
  }

 private:
  std::optional<Error> place_pinned(const JobPlan& plan) {
    const Shape& shape = world_.spec().shapes[static_cast<std::size_t>(plan.shapes.front())];
    std::uint32_t node = shape.only.front();
    const NodeState& state = world_.nodes[node];
    std::vector<Claim> claims;
    int need = shape.count;
    if (static_cast<std::size_t>(*plan.gpu) < state.boards.size())
      each_slot(world_.group(state), state, state.boards[static_cast<std::size_t>(*plan.gpu)],
                [&](const Slot& slot) {
                  int free = slot.capacity - slot.used;
                  bool here = !plan.start || slot.start == *plan.start;
                  if (!here || free <= 0 || !answers(slot, shape) || (one_board(shape) && free < need))
                    return false;
                  int share = std::min(free, need);
                  claims.push_back({node, static_cast<std::uint16_t>(*plan.gpu), slot.instance,
                                    static_cast<std::uint16_t>(share)});
                  need -= share;
                  return need == 0;
                });
    if (need > 0)
      return Error{"cannot build the simulated cluster",
                   fmt::format("{}:{}: {} has no free '{}' on GPU {}{}", world_.scenario->name, plan.line,
                               world_.node_name(node), shape.text, *plan.gpu,
                               plan.start ? fmt::format(" at {}", *plan.start) : ""),
                   "pin the job to a slice that its layout has"};
    JobId id = step_.submit(plan, -1);
    step_.start(world_.jobs.at(id), std::move(claims));
    plans_.push_back({id, &plan});
    return std::nullopt;
  }

  // As if it had begun, or waited, before we came.
  void backdate(Job& job, const JobPlan& plan) {
    std::uint64_t chance = step_.chance(Purpose::ran, job.id);
    Duration waited(mostly_low(step_.chance(Purpose::waited, job.id), 2000, kHour));
    if (job.state != JobState::running) {
      Duration since =
          plan.ran ? Duration(between(chance, plan.ran->low.count(), plan.ran->high.count())) : waited;
      job.submitted = world_.now - since;
      return;
    }
    Duration ran(plan.ran ? between(chance, plan.ran->low.count(), plan.ran->high.count())
                          : between(chance, 0, std::max<std::int64_t>(0, job.runs.count() - 60'000)));
    if (job.runs <= ran) job.runs = ran + Duration(between(mix(chance), 60'000, kHour));
    job.limit = std::max(job.limit, job.runs);
    job.started = world_.now - ran;
    job.submitted = job.started - waited;
    job.ends = job.started + job.runs;
  }

  World& world_;
  WorldStep step_;
  std::vector<std::pair<JobId, const JobPlan*>> plans_;
};

}  // namespace

Result<World> make_world(ScenarioPtr scenario, std::size_t cluster, std::uint64_t seed, TimePoint start) {
  World world;
  world.scenario = std::move(scenario);
  world.cluster = cluster;
  world.seed = draw(seed, hash_text(world.spec().name));
  world.start = world.now = start;
  world.next_id = world.spec().first_id;
  Builder::build_nodes(world);
  for (const Trap& trap : world.spec().traps) world.traps.push_back({trap, 0});
  derive(world);
  Changes changes;
  Builder builder(world, changes);
  if (auto error = builder.place_jobs()) return *error;
  for (std::size_t i = 0; i < world.spec().streams.size(); ++i) {
    std::int64_t every = world.spec().streams[i].every.count();
    world.streams.push_back(
        {start + Duration(between(draw(world.seed, static_cast<std::uint64_t>(Purpose::pause), i), 1, every)),
         0});
  }
  for (std::size_t i = 0; i < world.spec().troubles.size(); ++i) {
    std::int64_t every = world.spec().troubles[i].every.count();
    std::uint64_t chance = draw(world.seed, static_cast<std::uint64_t>(Purpose::pause), (1ull << 32) + i);
    world.troubles.push_back({start + Duration(between(chance, every / 2, every)), 0});
  }
  // Start times were moved back, so that the times at which things are due must be worked out again.
  derive(world);
  return world;
}

Result<std::vector<World>> make_worlds(const ScenarioPtr& scenario, std::uint64_t seed, TimePoint start) {
  std::vector<World> worlds;
  for (std::size_t i = 0; i < scenario->clusters.size(); ++i) {
    Result<World> world = make_world(scenario, i, seed, scenario->start.value_or(start));
    if (!world) return world.error();
    worlds.push_back(std::move(*world));
  }
  return worlds;
}

}  // namespace tessera::sim
