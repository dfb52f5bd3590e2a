// One answer to "what will this node offer": guide, plan and what a device plugin then really offers, held
// against each other on random nodes.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "backends/sim/gpu_operator/gfd.hpp"
#include "engine/guide/hand_over.hpp"
#include "engine/operators/labels.hpp"
#include "tests/backends/sim/worlds.hpp"
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
operators::Site site_of(const Draw& draw) {
  test::operator_story::Kubernetes k;
  operators::Site site = k.site;
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
                                                 const operators::Site& site) {
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

RC_GTEST_PROP(OneAnswer, TheGuideThePlanAndTheNodeNameTheSameResources, ()) {
  const Draw draw = *draws();
  const World world = world_of(draw);
  const Model model = model_of(world);
  const Cluster& cluster = model.clusters.front();
  const Node& node = *cluster.nodes.find(NodeName("n1"));
  const operators::Site site = site_of(draw);
  plan::Capabilities can = plan::gpu_operator_capabilities();
  can.gpu_operator = std::make_shared<operators::Site>(site);
  guide::Scope scope = guide::scope_of(cluster, node, test::catalogue());
  scope.can = can;
  const Strategy strategy = *rc::gen::element(Strategy::mig, Strategy::mps, Strategy::time_slicing);
  for (const guide::Proposal& one : guide::propose(scope, strategy, sharing::Platform::gpu_operator)) {
    auto wishes = guide::wishes_of(one, Scheduler::kubernetes, {});
    RC_ASSERT(wishes.ok());
    plan::Intent intent;
    intent.cluster = cluster.name;
    intent.nodes = {node.name};
    intent.boards = std::move(*wishes);
    intent.words = one.title;
    auto plan = plan::make_plan(cluster, test::catalogue(), intent, can, {}, kMonday);
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
