// Advice, held against the simulator: each answer is made in a world, and the same work is lived through.
#include "engine/advise/advise.hpp"

#include <cstdlib>

#include "backends/sim/by_hand.hpp"
#include "backends/sim/gpu.hpp"
#include "backends/sim/step.hpp"
#include "tests/backends/sim/lived.hpp"

namespace tessera::sim {
namespace {

using namespace std::chrono_literals;
constexpr Duration kAhead = 12h;

Board& board_of(World& world, const NodeName& node, GpuIndex gpu) {
  return world.nodes[*find_node(world, node.text)].boards[static_cast<std::size_t>(gpu.value)];
}

// By the driver's own verbs; false: it refuses.
bool cut(World& world, const advise::Answer& answer, const NodeName& node) {
  for (const pack::BoardPlan& plan : answer.packed.boards) {
    const pack::Board& told = answer.problem.boards[plan.board];
    if (told.node != node) continue;
    const mig::Product& product = *answer.problem.products[told.product];
    Board& board = board_of(world, told.node, told.gpu);
    const int gpu = told.gpu.value;
    if (!board.cut()) board = Board{Strategy::mig, 1, MigMode::enabled, {}, {}, false};
    for (const mig::Placed& gone : plan.destroy) {
      const auto at = std::find_if(board.instances.begin(), board.instances.end(), [&](const Instance& one) {
        return one.profile == gone.profile && one.start == gone.start;
      });
      if (at == board.instances.end()) return false;
      const int id = at->id;
      if (!at->holds.empty()) return false;
      if (!at->compute.empty() && !destroy_compute(board, product, gpu, std::vector<int>{id}).ok())
        return false;
      if (!destroy_instances(board, product, gpu, std::vector<int>{id}).ok()) return false;
    }
    std::vector<Wanted> wanted;
    for (const mig::Placed& made : plan.create) wanted.push_back({made.profile, made.start});
    if (!create_instances(board, product, gpu, wanted).ok()) return false;
  }
  derive(world);
  Changes changes;
  WorldStep(world, changes).recount(*find_node(world, node.text));
  return true;
}

bool still_runs(const World& world, const advise::NodeCost& cost) {
  return std::any_of(world.jobs.begin(), world.jobs.end(), [&](const auto& entry) {
    const std::string id = workload_id(world, entry.second).text;
    return entry.second.state != JobState::pending &&
           std::any_of(cost.whom.begin(), cost.whom.end(),
                       [&](const plan::Disturbed& one) { return one.id.text == id; });
  });
}

// As a run of the answer's plan does it: each node is closed, changed once it is empty, and open again five
// minutes later. starts: what begins meanwhile. nullopt: the driver refuses.
std::optional<World> changed(World world, const advise::Answer& answer, TimePoint until,
                             std::map<std::string, TimePoint>& starts) {
  std::map<NodeName, TimePoint> opens;
  std::set<NodeName> open;
  for (const advise::NodeCost& cost : answer.costs)
    if (!drain_by_hand(world, cost.node.text, "re-cut")) return std::nullopt;
  while (open.size() < answer.costs.size() && world.now < until) {
    for (const advise::NodeCost& cost : answer.costs) {
      const auto at = opens.find(cost.node);
      if (at == opens.end() && !still_runs(world, cost)) {
        if (!cut(world, answer, cost.node)) return std::nullopt;
        opens[cost.node] = world.now + whatif::kChangeTakes;
      } else if (at != opens.end() && at->second <= world.now && open.insert(cost.node).second) {
        if (!open_by_hand(world, cost.node.text)) return std::nullopt;
      }
    }
    live(world, std::min(until, world.now + 1min), starts);
  }
  return world;
}

int wanted_cases() {
  const char* many = std::getenv("TESSERA_ADVISE_CASES");
  return many != nullptr ? std::max(1, std::atoi(many)) : 100;
}

advise::Question question_of(const Cluster& cluster, const World& world) {
  advise::Question asked{
      &cluster, &test::catalogue(), plan::simulator_capabilities(cluster.scheduler), {}, {}, "", world.now,
      kAhead};
  // Half of the worlds as the simulator is, half with nodes that must be free of work for a change.
  if (mix(world.seed) % 2 == 0)
    asked.can.instances = asked.can.mode = asked.can.sharing = plan::Unit::node,
    asked.can.needs_closing = true;
  for (const Node& node : cluster.nodes.all()) asked.nodes.push_back(node.name);
  return asked;
}

// Some worlds have nothing to advise: those that have count until there are enough waiting jobs and pods.
TEST(AdviseAgainstTheSimulator, WhoStartsSoonerByItIsForetold) {
  ForecastError all;
  double foretold = 0, came = 0;  // hours by which waits got shorter
  int answers = 0, refused = 0, waited = 0;
  each_world([&](World& world, const std::string& where) {
    hold_still(world);
    const Model model = model_of(world);
    const advise::Advice advice = advise::advise(question_of(model.clusters.front(), world));
    const TimePoint until = world.now + kAhead;
    const std::map<std::string, TimePoint> left = lived(world, until);
    for (const advise::Answer& answer : advice.answers) {
      std::map<std::string, TimePoint> starts;
      std::optional<World> made = changed(world, answer, until, starts);
      if (!made) {
        ++refused;
        continue;
      }
      ++answers;
      live(*made, until, starts);
      all.add(answer.forecast.changed, starts, world.now, where);
      waited += answer.disturbed > 0;
      foretold += answer.hours_sooner;
      const auto start_of = [&](const std::map<std::string, TimePoint>& of, const std::string& id) {
        const auto at = of.find(id);
        return at == of.end() ? until : at->second;
      };
      std::set<std::string> ids;
      for (const auto& [id, at] : left) ids.insert(id);
      for (const auto& [id, at] : starts) ids.insert(id);
      for (const std::string& id : ids)
        came += std::chrono::duration<double, std::ratio<3600>>(start_of(left, id) - start_of(starts, id))
                    .count();
    }
    return all.cases < wanted_cases();
  });
  all.print("by advice");
  std::printf(
      "%d answers, %d of them wait for running work (%d refused by the driver); waits shorter by %.0f h, "
      "%.0f h foretold\n",
      answers, waited, refused, came, foretold);
  EXPECT_GE(all.cases, wanted_cases());
  EXPECT_EQ(refused, 0);
  EXPECT_GE(all.share(), 90) << all.misses;
  EXPECT_GE(came, 0.85 * foretold);
}

}  // namespace
}  // namespace tessera::sim
