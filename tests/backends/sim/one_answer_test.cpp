// One answer to "what will this node offer": guide, plan and what a device plugin then really offers, held
// against each other on random nodes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backends/sim/gpu_operator/gfd.hpp"
#include "backends/sim/saved/state_text.hpp"
#include "backends/sim/step.hpp"
#include "engine/guide/hand_over.hpp"
#include "engine/operators/labels.hpp"
#include "engine/plan/allowed.hpp"
#include "tests/backends/sim/hands.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::sim {
namespace {

using sharing::MigStrategy;

// One node as a random draw: its GPUs, how the site has set its plugin up.
struct Draw {
  std::string product;
  int boards = 1;
  std::string layout;  // of each GPU; empty: whole
  MigStrategy strategy = MigStrategy::mixed;
  bool renames = false;
  std::optional<bool> refuses;
};

rc::Gen<Draw> draws() {
  return rc::gen::exec([] {
    Draw draw;
    draw.product = *rc::gen::element<std::string>("H100-80GB-SXM5", "A100-80GB", "A30-24GB", "L40S", "T4");
    draw.boards = *rc::gen::inRange(1, 4);
    const bool cuts = draw.product != "L40S" && draw.product != "T4";
    if (cuts && *rc::gen::arbitrary<bool>()) draw.layout = "all-balanced";
    draw.strategy = *rc::gen::element(MigStrategy::none, MigStrategy::single, MigStrategy::mixed);
    draw.renames = *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) draw.refuses = *rc::gen::arbitrary<bool>();
    return draw;
  });
}

World world_of(const Draw& draw) {
  return world_from(
      fmt::format("clusters: [{{name: c, scheduler: kubernetes, users: [u], nodes: [{{names: n1, product: "
                  "{}, gpus: {}{}}}]}}]",
                  draw.product, draw.boards, draw.layout.empty() ? "" : ", layout: " + draw.layout));
}

// The operator's settings there.
operators::OperatorSetup operator_setup_of(const Draw& draw) {
  test::operator_story::Kubernetes k;
  operators::OperatorSetup site = k.site;
  site.strategy = std::string(sharing::word(draw.strategy));
  std::string text = "version: v1\n";
  if (draw.renames || draw.refuses) {
    // A sharing of something that no node has: only its switches count.
    text += "sharing:\n  timeSlicing:\n";
    if (draw.renames) text += "    renameByDefault: true\n";
    if (draw.refuses) text += fmt::format("    failRequestsGreaterThanOne: {}\n", *draw.refuses);
    text += "    resources:\n    - {name: nvidia.com/other, replicas: 2}\n";
  }
  site.plugin_configs = {{"default", text}};
  site.labels["n1"]["nvidia.com/mig.config.state"] = "success";
  site.labels["n1"]["nvidia.com/mig.config"] = draw.layout.empty() ? "all-disabled" : draw.layout;
  return site;
}

// What the device plugin of that node offers once the plan has been carried out, by the configuration that
// the plan has written or chosen.
std::map<std::string, std::int64_t> offered_then(World world, const plan::Plan& plan,
                                                 const operators::OperatorSetup& site) {
  const plan::NodePlan& node = plan.nodes.front();
  const NodeGroup& group = world.group(world.nodes[0]);
  for (const plan::BoardState& state : node.after) {
    Board& board = world.nodes[0].boards[static_cast<std::size_t>(state.gpu.value)];
    board.mode = state.mig ? MigMode::enabled : MigMode::disabled;
    board.strategy = state.strategy;
    board.replicas = state.replicas;
    board.instances.clear();
    for (const plan::InstanceAt& one : state.instances) {
      Instance made;
      made.id = static_cast<int>(board.instances.size());
      made.profile = group.mig->index_of(one.profile.text).value_or(0);
      made.start = one.at.start;
      made.compute.emplace_back();
      board.instances.push_back(std::move(made));
    }
  }
  std::string key = node.ordered_after.at(std::string(operators::kPluginConfig));
  if (key.empty()) key = site.plugin_default;
  auto text = site.plugin_configs.find(key);
  std::string yaml = text == site.plugin_configs.end() ? "" : text->second;
  for (const plan::Step& step : node.steps)
    if (const auto* special = std::get_if<plan::Special>(&step.action);
        special && special->verb == "write-plugin-config" && special->arguments.at("name") == key)
      yaml = special->arguments.at("text");
  auto config = kube::parse_plugin_config(yaml, key);
  RC_ASSERT(config.ok());
  const auto strategy = sharing::parse_strategy(site.strategy).value_or(MigStrategy::none);
  kube::Offer offer = kube::offer_of(kube::gpu_node(world, 0), *config, strategy);
  RC_ASSERT(!offer.refuses);
  return offer.resources;
}

std::map<std::string, std::int64_t> without_zeroes(std::map<std::string, std::int64_t> counts) {
  std::erase_if(counts, [](const auto& one) { return one.second == 0; });
  return counts;
}

std::string text_of(const std::map<std::string, std::int64_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) text += fmt::format("{} {} ", count, name);
  return text;
}

// What an admin who takes the proposal asks for on that node.
plan::Intent intent_of(const guide::Proposal& proposal, const Cluster& cluster, const Node& node) {
  auto wishes = guide::wishes_of(proposal, Scheduler::kubernetes, {});
  RC_ASSERT(wishes.ok());
  plan::Intent intent;
  intent.cluster = cluster.name;
  intent.nodes = {node.name};
  intent.boards = std::move(*wishes);
  intent.words = proposal.title;
  return intent;
}

RC_GTEST_PROP(OneAnswer, TheGuideThePlanAndTheNodeNameTheSameResources, ()) {
  const Draw draw = *draws();
  const World world = world_of(draw);
  const Model model = model_of(world);
  const Cluster& cluster = model.clusters.front();
  const Node& node = *cluster.nodes.find(NodeName("n1"));
  const operators::OperatorSetup site = operator_setup_of(draw);
  plan::Means can = plan::gpu_operator_capabilities();
  can.gpu_operator = std::make_shared<operators::OperatorSetup>(site);
  guide::Scope scope = guide::scope_of(cluster, node, test::catalogue());
  scope.can = can;
  const Strategy strategy = *rc::gen::element(Strategy::mig, Strategy::mps, Strategy::time_slicing);
  for (const guide::Proposal& one : guide::propose(scope, strategy, sharing::Platform::gpu_operator)) {
    auto plan = plan::make_plan(cluster, test::catalogue(), intent_of(one, cluster, node), can, {}, kMonday);
    if (!plan) {  // what the plan refuses the guide does not promise in silence
      RC_LOG() << draw.product << " " << sharing::word(draw.strategy) << " " << one.title << ": "
               << to_line(plan.error()) << "\n";
      RC_ASSERT(!one.notes.empty());
      continue;
    }
    if (!plan->changes_anything()) continue;
    const auto planned = without_zeroes(plan->offered_after.kubernetes);
    RC_LOG() << draw.product << " " << sharing::word(draw.strategy) << " " << one.title << "\n  guide "
             << text_of(without_zeroes(one.advertised)) << "\n  plan " << text_of(planned) << "\n";
    RC_ASSERT(without_zeroes(one.advertised) == planned);
    RC_ASSERT(without_zeroes(offered_then(world, *plan, site)) == planned);
  }
}

// --- the simulator's own world, with no GPU operator in it

World native_world_of(const Draw& draw) {
  World world =
      world_from(fmt::format("clusters: [{{name: c, scheduler: kubernetes, users: [u], nodes: [{{names: n1, "
                             "product: {}, gpus: {}{}, "
                             "mig_strategy: {}}}]}}]",
                             draw.product, draw.boards, draw.layout.empty() ? "" : ", layout: " + draw.layout,
                             draw.strategy == MigStrategy::single ? "single" : "mixed"));
  world.nodes[0].switches = {draw.renames, draw.refuses.value_or(false)};
  return world;
}

void carry_out(World& world, const plan::Plan& plan) {
  for (const plan::Step& step : plan.nodes.front().steps) {
    Changes changes;
    const plan::Order order{plan.nodes.front().node, step.action, mark_of("r1"), step.id, Duration(0)};
    Performed done = perform(world, order, changes);
    if (!done.status) RC_FAIL(step.title + ": " + to_line(done.status.error()));
    const plan::NodeFacts facts = observe(world, plan.nodes.front().node, world.now);
    if (auto unmet = plan::first_unmet(step.after, facts, "r1")) RC_FAIL(step.title + ": " + unmet->why);
  }
  RC_ASSERT(audit(world).empty());
}

// Whether a pod that asks for two shares of what the node offers gets them.
bool takes_two(const World& world, const std::string& resource) {
  Shape shape;
  shape.text = resource;
  shape.resource = resource_named(world.spec(), resource);
  shape.count = 2;
  World there = world;
  derive(there);
  Changes changes;
  std::vector<Claim> claims;
  return WorldStep(there, changes).fit(0, shape, claims);
}

RC_GTEST_PROP(OneAnswer, TheBuiltInSimulationKeepsBothSwitchesOfEachNode, ()) {
  const Draw draw = *draws();
  const World before = native_world_of(draw);
  const Model model = model_of(before);
  const Cluster& cluster = model.clusters.front();
  const Node& node = *cluster.nodes.find(NodeName("n1"));
  const plan::Means can = plan::simulator_capabilities(Scheduler::kubernetes);
  guide::Scope scope = guide::scope_of(cluster, node, test::catalogue());
  scope.can = can;
  const Strategy strategy = *rc::gen::element(Strategy::mig, Strategy::mps, Strategy::time_slicing);
  const bool wishes = *rc::gen::arbitrary<bool>();
  const auto rename = wishes ? std::optional(*rc::gen::arbitrary<bool>()) : std::nullopt;
  const auto refuse = wishes ? std::optional(*rc::gen::arbitrary<bool>()) : std::nullopt;
  for (const guide::Proposal& one : guide::propose(scope, strategy, sharing::Platform::gpu_operator)) {
    plan::Intent intent = intent_of(one, cluster, node);
    intent.switches.rename_shared = rename, intent.switches.refuse_several = refuse;
    auto plan = plan::make_plan(cluster, test::catalogue(), intent, can, {}, kMonday);
    if (!plan || !plan->changes_anything()) continue;
    const plan::NodePlan& planned = plan->nodes.front();
    const auto promised = without_zeroes(plan->offered_after.kubernetes);
    if (!wishes) RC_ASSERT(without_zeroes(one.advertised) == promised);
    if (!wishes && one.switches) RC_ASSERT(one.switches == planned.switches_after);
    RC_ASSERT(!plan::why_not_allowed(planned, intent, can));
    World after = before;
    carry_out(after, *plan);
    const plan::NodeFacts facts = observe(after, node.name, after.now);
    RC_ASSERT(without_zeroes(facts.advertised) == promised);
    RC_ASSERT(plan::switches_now(can, facts.node) == planned.switches_after);
    if (planned.switches_after) {
      RC_ASSERT(planned.switches_after->rename == rename.value_or(draw.renames));
      for (const auto& [resource, count] : promised)
        if (count > 1) RC_ASSERT(takes_two(after, resource) == !planned.switches_after->refuse_several);
    } else {
      RC_ASSERT(after.nodes[0].switches == before.nodes[0].switches);
    }
    // What was saved is read again, and the way back leads to what was found.
    auto read = load_state(save_state({after}), test::shared_catalogue());
    RC_ASSERT(read.ok() && read->front() == after);
    const Model then = model_of(after);
    auto back = plan::make_plan(then.clusters.front(), test::catalogue(),
                                plan::undo_intent(*plan, planned, "undo"), can, {}, kMonday);
    RC_ASSERT(back.ok());
    RC_ASSERT(!plan::why_not_allowed(back->nodes.front(), back->intent, can));
    carry_out(after, *back);
    RC_ASSERT(after.nodes[0].switches == before.nodes[0].switches);
    RC_ASSERT(without_zeroes(observe(after, node.name, after.now).advertised) ==
              without_zeroes(observe(before, node.name, before.now).advertised));
  }
}

// A node as the simulator plays it: the same names before, in the plan, and once the run has ended.
TEST(OneAnswer, TheSimulatedSchedulerCountsWhatTheModelSays) {
  for (const char* layout : {"", ", layout: all-balanced", ", layout: all-balanced, mig_strategy: mixed"}) {
    const World world =
        world_from(fmt::format("clusters: [{{name: c, scheduler: kubernetes, users: [u], nodes: [{{names: "
                               "n1, product: H100-80GB-SXM5, "
                               "gpus: 2{}}}]}}]",
                               layout));
    const Model model = model_of(world);
    const Node& node = *model.clusters.front().nodes.find(NodeName("n1"));
    ASSERT_TRUE(node.allocatable);
    const std::map<std::string, std::int64_t> cut{
        {"nvidia.com/mig-1g.10gb", 4}, {"nvidia.com/mig-2g.20gb", 2}, {"nvidia.com/mig-3g.40gb", 2}};
    EXPECT_EQ(*node.allocatable,
              *layout == 0 ? (std::map<std::string, std::int64_t>{{"nvidia.com/gpu", 2}}) : cut);
  }
}

}  // namespace
}  // namespace tessera::sim
