// Whole runs on simulated clusters, planned and driven as the run room does it, step by step.
#include "engine/plan/run/run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backends/sim/by_hand.hpp"
#include "backends/sim/random.hpp"
#include "backends/sim/step.hpp"
#include "engine/plan/run/executor.hpp"
#include "tests/backends/sim/hands.hpp"

namespace tessera::sim {
namespace {

constexpr int kMostTurns = 3000;
constexpr int kPatientLooks = 25;  // then whoever is in the way leaves
constexpr int kMostStops = 6;

// What no action of a run may touch.
std::string harm_of(const World& before, const World& after, const plan::NodePlan& plan) {
  std::uint32_t own = *find_node(before, plan.node.text);
  auto named = [&](const Job& job) {
    WorkloadId id = workload_id(before, job);
    return std::any_of(plan.blast_radius.begin(), plan.blast_radius.end(),
                       [&](const plan::Disturbed& one) { return one.id == id; });
  };
  for (const auto& [id, job] : before.jobs) {
    if (job.state == JobState::pending || named(job)) continue;
    auto now = after.jobs.find(id);
    if (now == after.jobs.end() || now->second.claims != job.claims || now->second.state != job.state)
      return "job " + std::to_string(id) + " was not to be touched";
  }
  // Work that the plan names may leave every node that it is on.
  auto without_named = [&](NodeState node) {
    auto leave = [&](std::vector<Hold>& holds) {
      std::erase_if(holds, [&](const Hold& hold) { return named(before.jobs.at(hold.job)); });
    };
    for (Board& board : node.boards) {
      leave(board.holds);
      for (Instance& one : board.instances) leave(one.holds);
    }
    return node;
  };
  for (std::uint32_t i = 0; i < before.nodes.size(); ++i)
    if (i != own && without_named(before.nodes[i]) != without_named(after.nodes[i]))
      return before.node_name(i) + " was not to be touched";
  NodeState was_own = without_named(before.nodes[own]), is_own = without_named(after.nodes[own]);
  for (std::size_t gpu = 0; gpu < was_own.boards.size(); ++gpu) {
    const Board &was = was_own.boards[gpu], &is = is_own.boards[gpu];
    bool planned = std::any_of(plan.before.begin(), plan.before.end(), [&](const plan::BoardState& board) {
      return board.gpu.value == static_cast<int>(gpu);
    });
    if (!planned && was != is) return "GPU " + std::to_string(gpu) + " was not to be touched";
  }
  for (const plan::SlicePlan& kept : plan.kept) {
    if (!kept.at) continue;
    auto stands = [&](const World& world) -> const Instance* {
      const Board& board = world.nodes[own].boards[static_cast<std::size_t>(kept.gpu.value)];
      for (const Instance& one : board.instances)
        if (one.start == kept.at->start) return &one;
      return nullptr;
    };
    const Instance *was = stands(before), *is = stands(after);
    if (was && (!is || was->profile != is->profile || was->compute != is->compute))
      return "a kept slice was touched";
  }
  return "";
}

struct Ending {
  bool ended = false;
  plan::Outcome outcome = plan::Outcome::partial;
  std::string problem;
  int stops = 0;
  int acts = 0;
};

class RunDriver {
 public:
  RunDriver(World& world, const plan::Plan& plan) : world_(world), name_(plan.nodes.at(0).node) {
    plan::RunStarted started;
    started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
    run_ = plan::run_of(started);
  }

  Ending drive() {
    std::optional<Result<plan::NodeFacts>> fresh;
    for (int i = 0; i < kMostTurns && ending_.problem.empty() && !ending_.ended; ++i) {
      plan::Turn turn = executor().next(fresh ? &*fresh : nullptr, world_.now);
      fresh.reset();
      for (const plan::RunEvent& event : turn.journal) plan::note_begun(run_, name_, event);
      if (auto* act = std::get_if<plan::Perform>(&turn.next)) {
        perform_one(*act);
      } else if (auto* look_at = std::get_if<plan::Observe>(&turn.next)) {
        world_.advance(world_.now + look_at->after + std::chrono::milliseconds(20));
        if (!look_at->waiting_for.empty() && ++patience_ % kPatientLooks == 0) clear_the_way();
        Changes seen;
        fresh = look(world_, name_, seen);
      } else if (auto* question = std::get_if<plan::Question>(&turn.next)) {
        enter(plan::Answered{question->what, question->what == plan::Ask::closed_by_other, "root"});
      } else if (std::holds_alternative<plan::TurnBack>(turn.next)) {
        onward(true);
      } else if (auto* stopped = std::get_if<plan::Stopped>(&turn.next)) {
        stop(*stopped);
      } else if (auto* finished = std::get_if<plan::Finished>(&turn.next)) {
        ending_.ended = true;
        ending_.outcome = finished->outcome;
      }
      if (auto wrong = audit(world_); !wrong.empty()) ending_.problem = wrong.front();
    }
    if (!ending_.ended && ending_.problem.empty()) ending_.problem = "does not come to an end";
    return ending_;
  }

 private:
  plan::Executor& executor() { return run_.nodes.at(name_); }
  void enter(plan::RunEvent event) {
    Status ok = plan::note(run_, plan::Entry{0, world_.now, name_, std::move(event)});
    if (!ok) ending_.problem = to_line(ok.error());
  }
  void perform_one(const plan::Perform& act) {
    ++ending_.acts;
    World before = world_;
    Changes changes;
    Performed done = perform(world_, {name_, act.action, mark_of("r1"), act.step, act.deadline}, changes);
    bool faulty = !before.traps.empty();  // a fault touches what it likes
    if (!faulty) ending_.problem = harm_of(before, world_, run_.plans.at(name_));
    if (!ending_.problem.empty()) ending_.problem += fmt::format(", by {} of {}", word(act.action), act.step);
    world_.advance(world_.now + std::chrono::milliseconds(300));
    executor().performed(done.status);
  }
  // Whoever works there leaves by himself, and unknown clients do, too.
  void clear_the_way() {
    NodeState& node = world_.nodes[*find_node(world_, name_.text)];
    for (JobId id : jobs_on(node)) end_by_hand(world_, workload_id(world_, world_.jobs.at(id)).text);
    for (Board& board : node.boards) {
      board.hidden = false;
      for (Instance& instance : board.instances) instance.hidden = false;
    }
  }
  void stop(const plan::Stopped& stopped) {
    last_stop_ = stopped.why;
    if (++ending_.stops > kMostStops) {
      ending_.problem = "stops again and again: " + stopped.why;
      return;
    }
    std::erase_if(world_.traps, [](const ArmedTrap& armed) { return !armed.trap.times; });  // mended
    NodeState& node = world_.nodes[*find_node(world_, name_.text)];
    if (node.mark && node.mark->run != "r1") node.mark.reset();
    world_.advance(world_.now + std::chrono::minutes(10));
    if (ending_.stops == 1) return enter(plan::Resumed{"root", "login1"});
    onward(false);
  }
  void onward(bool back) {
    Model model = model_of(world_);
    Result<plan::Plan> next = plan::plan_onward(run_, name_, model.clusters.front(),
                                                *test::shared_catalogue(), {}, back, world_.now);
    if (!next) {
      ending_.problem = to_line(next.error()) + " after " + last_stop_;
      return;
    }
    if (!plan::unnamed_harm(run_, *next, back).empty()) clear_the_way();
    enter(plan::Replanned{std::move(*next), back, "root"});
  }

  World& world_;
  NodeName name_;
  plan::Run run_;
  int patience_ = 0;
  std::string last_stop_;
  Ending ending_;
};

Result<plan::Plan> plan_for(const World& world, const plan::Intent& intent) {
  Model model = model_of(world);
  return plan::make_plan(model.clusters.front(), *test::shared_catalogue(), intent,
                         plan::simulator_capabilities(world.spec().scheduler), {}, world.now);
}

plan::Intent wants(const World& world, const std::string& node, const std::string& layout,
                   std::optional<int> gpu) {
  plan::Intent intent;
  intent.cluster = ClusterName(world.spec().name);
  intent.nodes = {NodeName(node)};
  intent.words = layout;
  plan::BoardWish wish;
  if (gpu) wish.gpu = GpuIndex{*gpu};
  wish.wish = plan::parse_layout_wish(layout).value();
  intent.boards = {wish};
  return intent;
}

TEST(SimRun, CutsAroundHeldSlicesOfTheDemo) {
  World world = worlds_of("demo")[0];
  Result<plan::Plan> plan = plan_for(world, wants(world, "h100-03", "7x1g.10gb", 1));
  ASSERT_TRUE(plan.ok()) << to_line(plan.error());
  ASSERT_TRUE(plan->changes_anything());
  Ending ending = RunDriver(world, *plan).drive();
  EXPECT_EQ(ending.problem, "");
  EXPECT_EQ(ending.outcome, plan::Outcome::wanted);
  EXPECT_EQ(ending.stops, 0);
  plan::NodeFacts facts = observe(world, NodeName("h100-03"), world.now);
  EXPECT_EQ(facts.node.gpus[1].slices.size(), 7u);
  EXPECT_FALSE(facts.closed || facts.mark);
}

TEST(SimRun, GoesThroughAResetOnAmpere) {
  World world = worlds_of("demo")[0];
  Result<plan::Plan> plan = plan_for(world, wants(world, "a30-01", "2g.12gb,1g.6gb,1g.6gb", 3));
  ASSERT_TRUE(plan.ok()) << to_line(plan.error());
  Ending ending = RunDriver(world, *plan).drive();
  EXPECT_EQ(ending.problem, "");
  EXPECT_EQ(ending.outcome, plan::Outcome::wanted);
}

TEST(SimRun, GetsThroughEveryFault) {
  for (const TrapHelp& kind : trap_help()) {
    for (const char* form : {"", " nth=3", " nth=5", " times=always"}) {
      std::string text = std::string(kind.word) + " node=h100-03" + form;
      SCOPED_TRACE(text);
      if (text.starts_with("dies")) continue;  // the process that would go on is this one
      World world = worlds_of("demo")[0];
      Result<plan::Plan> plan = plan_for(world, wants(world, "h100-03", "3g.40gb@4,2g.20gb@0", 7));
      ASSERT_TRUE(plan.ok()) << to_line(plan.error());
      world.traps.push_back({*parse_trap(text), 0});
      Ending ending = RunDriver(world, *plan).drive();
      EXPECT_EQ(ending.problem, "");
      EXPECT_TRUE(ending.ended);
    }
  }
}

constexpr const char* kShared =
    "clusters: [{name: c, scheduler: kubernetes, users: [u], nodes: [{names: 'n[1-2]', product: L40S, gpus: "
    "2, "
    "layout: 'time-slicing:4'}], jobs: [{name: two, want: 'nvidia.com/gpu.shared:2', on: [n1], runs: 2h}]}]";

plan::Intent shares(const World& world, std::optional<bool> rename, std::optional<bool> refuse) {
  plan::Intent intent = wants(world, "n1", "whole", std::nullopt);
  intent.boards.front().wish.strategy = Strategy::time_slicing;
  intent.boards.front().wish.replicas = 4;
  intent.switches.rename_shared = rename, intent.switches.refuse_several = refuse;
  return intent;
}

TEST(SimShares, AChangeOfTheSwitchesAloneIsAChangeThatIsMadeAndUndone) {
  World world = world_from(kShared);
  const NodeName n1("n1");
  EXPECT_FALSE(plan_for(world, shares(world, true, false))->changes_anything()) << "as they are";
  Result<plan::Plan> plan = plan_for(world, shares(world, false, true));
  ASSERT_TRUE(plan.ok()) << to_line(plan.error());
  EXPECT_EQ(plan->nodes[0].switches_before, (plan::Switches{true, false}));
  EXPECT_EQ(plan->nodes[0].switches_after, (plan::Switches{false, true}));
  Ending ending = RunDriver(world, *plan).drive();
  EXPECT_EQ(ending.problem, "");
  EXPECT_EQ(ending.outcome, plan::Outcome::wanted);
  EXPECT_EQ(observe(world, n1, world.now).advertised.at("nvidia.com/gpu"), 8);
  EXPECT_EQ(world.nodes[0].switches, (ShareSwitches{false, true}));
  EXPECT_EQ(world.nodes[1].switches, ShareSwitches{}) << "the other node keeps its own";
  const Model model = model_of(world);
  Result<plan::Plan> back = plan::make_plan(
      model.clusters.front(), *test::shared_catalogue(), plan::undo_intent(*plan, plan->nodes[0], "undo"),
      plan::simulator_capabilities(Scheduler::kubernetes), {}, world.now);
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ending = RunDriver(world, *back).drive();
  EXPECT_EQ(ending.outcome, plan::Outcome::wanted);
  EXPECT_EQ(world.nodes[0].switches, ShareSwitches{});
  EXPECT_EQ(observe(world, n1, world.now).advertised.at("nvidia.com/gpu.shared"), 8);
}

TEST(SimShares, ARunThatIsDisturbedEndsWithTheSwitchesThatItSays) {
  for (const char* fault : {"answer-lost", "no-device", "mark-taken", "reboots", "opened-by-other"})
    for (int nth : {1, 2, 3, 4}) {
      const std::string text = fmt::format("{} node=n1 nth={}", fault, nth);
      SCOPED_TRACE(text);
      World world = world_from(kShared);
      Result<plan::Plan> plan = plan_for(world, shares(world, false, true));
      ASSERT_TRUE(plan.ok());
      world.traps.push_back({*parse_trap(text), 0});
      Ending ending = RunDriver(world, *plan).drive();
      EXPECT_EQ(ending.problem, "");
      EXPECT_TRUE(ending.ended);
      const bool wanted = ending.outcome == plan::Outcome::wanted;
      EXPECT_EQ(world.nodes[0].switches, wanted ? (ShareSwitches{false, true}) : ShareSwitches{});
    }
}

// A wish drawn by lot for one node: a layout of its product, or a way of sharing.
std::optional<plan::Intent> drawn(const World& world, std::uint64_t luck) {
  auto node = static_cast<std::uint32_t>(below(draw(luck, 1), world.nodes.size()));
  const NodeGroup& group = world.group(world.nodes[node]);
  if (group.boards.empty()) return std::nullopt;
  plan::Intent intent;
  intent.cluster = ClusterName(world.spec().name);
  intent.nodes = {NodeName(world.node_name(node))};
  intent.words = "by lot";
  intent.options.way = static_cast<plan::Way>(below(draw(luck, 2), 3));
  plan::BoardWish wish;
  if (below(draw(luck, 3), 4) != 0)
    wish.gpu = GpuIndex{static_cast<int>(below(draw(luck, 4), group.boards.size()))};
  constexpr Strategy kWays[] = {Strategy::whole, Strategy::mps, Strategy::time_slicing, Strategy::shard};
  if (group.mig && below(draw(luck, 5), 4) != 0) {
    std::vector<mig::Layout> all = mig::enumerate(*group.mig, mig::Which::maximal);
    wish.wish = plan::wish_of(*group.mig, all[below(draw(luck, 6), all.size())]);
    if (below(draw(luck, 7), 2) == 0)
      for (plan::WishedInstance& one : wish.wish.instances) one.start.reset();
  } else {
    wish.wish.strategy = kWays[below(draw(luck, 8), 4)];
    wish.wish.replicas = wish.wish.strategy == Strategy::whole ? 1 : 4;
  }
  intent.boards = {wish};
  return intent;
}

RC_GTEST_PROP(SimRunProperty, LeavesAloneWhatThePlanDoesNotName, ()) {
  auto luck = *rc::gen::arbitrary<std::uint64_t>();
  std::vector<World> worlds = worlds_of(luck % 3 == 0 ? "blackwell" : "demo", luck % 5);
  World& world = worlds[below(draw(luck, 9), worlds.size())];
  std::optional<plan::Intent> intent = drawn(world, luck);
  if (!intent) return;
  Result<plan::Plan> plan = plan_for(world, *intent);
  if (!plan || !plan->changes_anything()) return;
  if (observe(world, intent->nodes[0], world.now).answering) {
    Ending ending = RunDriver(world, *plan).drive();
    if (!ending.problem.empty())
      RC_FAIL(fmt::format("{}: {} on {}, GPU {}", ending.problem, plan::to_text(intent->boards[0].wish),
                          intent->nodes[0].text, intent->boards[0].gpu ? intent->boards[0].gpu->value : -1));
    RC_ASSERT(ending.outcome == plan::Outcome::wanted);
  }
}

}  // namespace
}  // namespace tessera::sim
