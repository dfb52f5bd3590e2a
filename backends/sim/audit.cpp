// What must hold at any time: the invariants of a world, as sentences about what does not.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "backends/sim/slots.hpp"
#include "backends/sim/world.hpp"

namespace tessera::sim {
namespace {

using Place = std::tuple<std::uint32_t, std::uint16_t, std::int16_t, JobId>;

class Audit {
 public:
  explicit Audit(const World& world) : world_(world) {}

  std::vector<std::string> run() {
    for (std::uint32_t i = 0; i < world_.nodes.size(); ++i) check_node(i);
    for (const auto& [id, job] : world_.jobs) check_job(id, job);
    for (const auto& [place, share] : held_)
      if (share != 0)
        wrong("{} GPU {}: job {} is on a slice that it does not claim, or the other way round",
              world_.node_name(std::get<0>(place)), std::get<1>(place), std::get<3>(place));
    return std::move(faults_);
  }

 private:
  template <class... Args>
  void wrong(fmt::format_string<Args...> form, Args&&... args) {
    if (faults_.size() < 20) faults_.push_back(fmt::format(form, std::forward<Args>(args)...));
  }

  void check_holds(std::uint32_t node, std::size_t gpu, std::int16_t instance, int capacity,
                   const std::vector<Hold>& holds) {
    if (shares(holds) > capacity)
      wrong("{} GPU {}: {} shares held of {}", world_.node_name(node), gpu, shares(holds), capacity);
    for (const Hold& hold : holds) {
      if (hold.share == 0) wrong("{} GPU {}: an empty share", world_.node_name(node), gpu);
      held_[{node, static_cast<std::uint16_t>(gpu), instance, hold.job}] += hold.share;
    }
  }

  void check_node(std::uint32_t index) {
    const NodeState& node = world_.nodes[index];
    const NodeGroup& group = world_.group(node);
    bool away = node.condition == Condition::down || node.condition == Condition::unknown;
    if (node.closing && !away) wrong("{}: is to come back closed, and is not away", world_.node_name(index));
    for (std::size_t gpu = 0; gpu < node.boards.size(); ++gpu) {
      const Board& board = node.boards[gpu];
      if (!board.cut() && !board.instances.empty())
        wrong("{} GPU {}: instances with MIG off", world_.node_name(index), gpu);
      if (board.cut() && !group.mig) wrong("{} GPU {}: cut, but cannot be", world_.node_name(index), gpu);
      if (board.cut() && !board.holds.empty())
        wrong("{} GPU {}: held whole while cut", world_.node_name(index), gpu);
      if (board.cut() && group.mig)
        if (auto why = mig::why_illegal(*group.mig, layout_of(board)))
          wrong("{} GPU {}: {}", world_.node_name(index), gpu, *why);
      check_holds(index, gpu, kWholeBoard, capacity_of(board), board.holds);
      for (const Instance& instance : board.instances) {
        if (board.find(instance.id) != &instance)
          wrong("{} GPU {}: two instances have id {}", world_.node_name(index), gpu, instance.id);
        check_holds(index, gpu, static_cast<std::int16_t>(instance.id), capacity_of(board), instance.holds);
      }
    }
  }

  void check_job(JobId id, const Job& job) {
    if (id != job.id || id >= world_.next_id) wrong("job {}: its id is out of order", job.id);
    if ((job.state == JobState::pending) != job.claims.empty())
      wrong("job {}: {}", id, job.claims.empty() ? "runs on nothing" : "waits, and holds slices");
    if (job.state == JobState::running && (job.ends < world_.now || job.started > world_.now))
      wrong("job {}: runs outside its time", id);
    std::map<std::uint32_t, int> units;
    for (const Claim& claim : job.claims) {
      held_[{claim.node, claim.gpu, claim.instance, id}] -= claim.share;
      units[claim.node] += claim.share;
    }
    const Shape& shape = wanted_by(world_, job);
    if (!job.claims.empty() && units.size() != static_cast<std::size_t>(shape.nodes))
      wrong("job {}: on {} nodes, asked for {}", id, units.size(), shape.nodes);
    for (const auto& [node, count] : units)
      if (count != shape.count) wrong("job {}: {} of {} on a node", id, count, shape.count);
  }

  const World& world_;
  std::vector<std::string> faults_;
  std::map<Place, int> held_;  // shares by holds minus shares by claims
};

}  // namespace

std::vector<std::string> audit(const World& world) { return Audit(world).run(); }

}  // namespace tessera::sim
