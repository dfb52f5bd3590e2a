// The parts that move a world, shared by advance(), the scheduler and the builder. Private to this room.
// Threads: whoever owns the world.
#pragma once

#include "backends/sim/random.hpp"
#include "backends/sim/slots.hpp"
#include "backends/sim/world.hpp"

namespace tessera::sim {

// What a draw is for, so that no two purposes share one.
enum class Purpose : std::uint64_t {
  user = 1,
  shape,
  name,
  runs,
  ran,
  waited,
  completing,
  pause,
  victim,
  lasts,
  reason,
  uuid,
  telemetry,
  booted,
  pod,
  process,
};

inline constexpr Duration kBoot{240'000};  // a node is away for so long

class WorldStep {
 public:
  WorldStep(World& world, Changes& changes);

  void play(const World::Derived::Due& due);

  JobId submit(const JobPlan& plan, int stream);
  void start(Job& job, std::vector<Claim> claims);
  // Claims for the shape on one node, or nothing when it does not fit there now.
  // bound: as the scheduler counts, which does not know what the node's device plugin refuses.
  bool fit(std::uint32_t node, const Shape& shape, std::vector<Claim>& claims, bool bound = false) const;
  void pass();          // the scheduler looks at everything that waits
  void request_pass();  // ... at its next regular time
  void hold_counts(const Job& job, int sign);

  World& world() { return world_; }
  World::Derived& derived() { return *world_.derived; }
  void changed(JobId job) { changes_.jobs.push_back(job); }
  void touched(std::uint32_t node) { changes_.nodes.push_back(node); }
  std::uint64_t chance(Purpose purpose, std::uint64_t which, std::uint64_t count = 0) const;

  void finish(Job& job);
  void requeue(Job& job);
  void close(std::uint32_t node, Condition condition, std::string reason, std::string by,
             std::optional<TimePoint> until);
  // recut: its boot unit makes the instances of the scenario again.
  void reboot_node(std::uint32_t node, std::string reason, std::string by, TimePoint until, bool recut);
  void lose_node(std::uint32_t node, std::string reason, std::string by);  // it does not answer any more
  void reboot_when_empty(std::uint32_t node);                              // where it is to reboot
  void resume(std::uint32_t node);   // as it comes back: closed if it was, invalid when devices are missing
  void recount(std::uint32_t node);  // after its slices or ways of sharing were changed

 private:
  void leave(Job& job);
  std::set<std::uint32_t> release_claims(Job& job);  // of which nodes
  void empty_node(std::uint32_t node);               // its jobs are requeued, or lost
  void arrive(std::uint32_t stream);
  void strike(std::uint32_t trouble);
  void fault();
  void push(TimePoint at, World::Derived::Kind kind, std::uint32_t which) {
    derived().queue.push({at, kind, which});
  }

  World& world_;
  Changes& changes_;
};

std::set<JobId> jobs_on(const NodeState& node);
void apply_plan(Board& board, const NodeGroup& group, const BoardPlan& plan, int gpu);

}  // namespace tessera::sim
