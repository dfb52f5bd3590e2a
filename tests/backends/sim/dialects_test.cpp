// Three dialects, one plan: what the simulator's own (direct) dialect makes, keeps, disturbs and refuses,
// against the Kubernetes planner on the same world told as objects by the simulated API server, and the Slurm
// planner on the same world with Slurm's files. Differences are allowed by name only, each with its reason.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "backends/sim/gpu_operator/serve.hpp"
#include "backends/sim/random.hpp"
#include "engine/operators/operator_setup.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"
#include "tests/backends/sim/worlds.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::sim {
namespace dialects_test {

constexpr std::uint64_t kWorlds = 24;
constexpr std::uint64_t kIntents = 25;  // of each world

// Draws by number, so that a failure names all that is needed to see it again.
class Luck {
 public:
  explicit Luck(std::uint64_t seed) : seed_(seed) {}
  std::size_t below(std::size_t most) { return sim::below(draw(seed_, ++drawn_), most); }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

struct Place {
  std::string nodes, jobs, product;
  int gpus = 1;
};

// One node, uniformly shared or cut GPU by GPU, with jobs on what it offers.
Place place_of(Luck& luck, bool slurm) {
  Place place;
  place.product = luck.one_of<std::string>({"H100-80GB-SXM5", "A100-80GB", "A30-24GB", "L40S", "T4"});
  place.gpus = 1 + static_cast<int>(luck.below(4));
  const mig::Product* product = test::catalogue().by_key(place.product);
  const std::string small = place.product == "A30-24GB" ? "1g.6gb" : "1g.10gb";
  const std::string big = place.product == "A30-24GB" ? "2g.12gb" : "3g.40gb";
  std::vector<std::string> wants{slurm ? "gpu:1" : "nvidia.com/gpu"};
  std::string layouts = "whole";
  if (product != nullptr && product->mig_capable && luck.below(3) != 0) {
    const bool copies = !slurm && luck.below(4) == 0;
    std::vector<std::string> each;
    for (int i = 0; i < place.gpus; ++i)
      each.push_back((copies || luck.below(3) != 0)
                         ? luck.one_of<std::string>({"all-balanced", "all-" + small})
                         : "whole");
    if (copies)
      for (std::string& one : each) one += "*3";
    layouts = fmt::format("'{}'", fmt::join(each, "', '"));
    if (slurm)
      wants = {"gpu:" + small + ":1", "gpu:" + big + ":1"};
    else
      wants = {"nvidia.com/mig-" + small + (copies ? ".shared" : ""),
               "nvidia.com/mig-" + big + (copies ? ".shared" : "")};
  } else if (luck.below(2) == 0) {
    const bool mps = luck.below(2) == 0;
    layouts = mps ? slurm ? "mps:100" : "mps:4" : slurm ? "shard:4" : "time-slicing:4";
    wants = {slurm ? mps ? "mps:25" : "shard:1" : "nvidia.com/gpu.shared"};
    layouts = "'" + layouts + "'";
  }
  place.nodes = fmt::format("[{{names: n1, product: {}, gpus: {}, layouts: [{}]}}]", place.product,
                            place.gpus, layouts);
  std::vector<std::string> jobs;
  for (std::size_t i = luck.below(5); i > 0; --i)
    jobs.push_back(fmt::format("{{name: j{}, want: '{}', runs: 300h, restartable: {}{}}}", i,
                               luck.one_of(wants), luck.below(2) == 0, slurm ? "" : ", namespace: team"));
  place.jobs = fmt::format("[{}]", fmt::join(jobs, ", "));
  return place;
}

std::string scenario_of(const Place& place, bool slurm) {
  return fmt::format(
      "start: 2026-03-02T09:00:00Z\nclusters: [{{name: lab, scheduler: {}, users: [u]{}, nodes: {}, jobs: "
      "{}}}]\n",
      slurm ? "slurm" : "kubernetes", slurm ? ", partitions: [{name: all}]" : "", place.nodes, place.jobs);
}

plan::Intent intent_of(Luck& luck, const Place& place, bool slurm) {
  plan::Intent intent;
  intent.cluster = ClusterName("lab");
  intent.nodes = {NodeName("n1")};
  intent.words = "by lot";
  intent.options.way = static_cast<plan::Way>(luck.below(3));
  plan::BoardWish board;
  if (luck.below(3) == 0)
    board.gpu = GpuIndex{static_cast<int>(luck.below(static_cast<std::size_t>(place.gpus)))};
  const mig::Product* product = test::catalogue().by_key(place.product);
  if (product != nullptr && product->mig_capable && luck.below(3) != 0) {
    const std::vector<mig::Layout> all = mig::enumerate(*product, mig::Which::maximal);
    board.wish = plan::wish_of(*product, all[luck.below(all.size())]);
    if (luck.below(3) != 0)
      for (plan::WishedInstance& one : board.wish.instances) one.start.reset();
    if (!slurm && luck.below(6) == 0) board.wish.replicas = 2;
  } else {
    board.wish.strategy = luck.one_of<Strategy>(
        {Strategy::whole, Strategy::mps, Strategy::time_slicing, Strategy::shard, Strategy::vgpu});
    if (board.wish.strategy == Strategy::vgpu) board.wish.vgpu = ProfileName("L40S-12Q");
    board.wish.replicas = board.wish.strategy == Strategy::whole  ? 1
                          : board.wish.strategy == Strategy::vgpu ? 1
                                                                  : 2 + static_cast<int>(luck.below(6));
  }
  intent.boards = {board};
  if (!slurm && luck.below(5) == 0) intent.switches.rename_shared = luck.below(2) == 0;
  if (!slurm && luck.below(5) == 0) intent.switches.refuse_several = luck.below(2) == 0;
  return intent;
}

std::string text_of(const plan::Intent& intent) {
  const plan::BoardWish& one = intent.boards.front();
  return fmt::format(
      "GPU {}: {}{}{}", one.gpu ? std::to_string(one.gpu->value) : "all", plan::to_text(one.wish),
      intent.switches.rename_shared ? fmt::format(", rename {}", *intent.switches.rename_shared) : "",
      intent.switches.refuse_several ? fmt::format(", refuse {}", *intent.switches.refuse_several) : "");
}

// --- what of two plans must agree

std::string board_text(const plan::BoardState& board) {
  std::vector<std::string> profiles;
  for (const plan::InstanceAt& one : board.instances) profiles.push_back(one.profile.text);
  std::sort(profiles.begin(), profiles.end());
  return fmt::format("GPU {} {} x{} [{}]", board.gpu.value, word(board.strategy), board.replicas,
                     fmt::join(profiles, " "));
}

// GPUs as the plan leaves them; of those that it does not name, as they are.
std::string made_by(const plan::Plan& plan, const Node& node) {
  std::map<int, std::string> boards;
  for (const Gpu& gpu : node.gpus) boards[gpu.index.value] = board_text(plan::state_of(gpu));
  for (const plan::BoardState& board : plan.nodes.front().after) boards[board.gpu.value] = board_text(board);
  std::string text;
  for (const auto& [gpu, one] : boards) text += one + "; ";
  return text;
}

std::set<std::string> disturbed_by(const plan::Plan& plan) {
  std::set<std::string> ids;
  for (const plan::Disturbed& one : plan.nodes.front().blast_radius) ids.insert(one.id.text);
  return ids;
}

std::set<std::string> holders_on(const Node& node, const std::set<int>& gpus) {
  std::set<std::string> ids;
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      if (gpus.contains(gpu.index.value))
        for (const Holder& holder : slice.holders) ids.insert(holder.workload.text);
  return ids;
}

// Whom a backend with these units may disturb where the direct dialect would change that.
std::set<std::string> within_units(const plan::Plan& direct, const Node& node, const plan::Means& can) {
  const plan::NodePlan& planned = direct.nodes.front();
  plan::Unit unit = plan::Unit::slice;
  std::set<int> changed, all;
  for (const Gpu& gpu : node.gpus) all.insert(gpu.index.value);
  for (std::size_t i = 0; i < planned.after.size(); ++i) {
    const plan::BoardState &was = planned.before[i], &is = planned.after[i];
    if (was == is) continue;
    changed.insert(is.gpu.value);
    unit = std::max(unit, can.instances);
    if (was.mig != is.mig) unit = std::max(unit, can.mode);
    if (was.strategy != is.strategy || was.replicas != is.replicas) unit = std::max(unit, can.sharing);
  }
  return holders_on(node, unit >= plan::Unit::node || can.empties_all_work ? all : changed);
}

// Meant: the MIG manager hands the driver no placement, so that a GPU with the wished instances at other
// starts stays as it is there, where the simulator moves them.
std::set<std::string> on_moved_boards(const plan::Plan& direct, const Node& node, const plan::Means& can) {
  std::set<int> moved;
  const plan::NodePlan& planned = direct.nodes.front();
  for (std::size_t i = 0; i < planned.after.size(); ++i) {
    const plan::BoardState &was = planned.before[i], &is = planned.after[i];
    if (was.mig && is.mig && was.instances != is.instances && plan::profiles_of(was) == plan::profiles_of(is))
      moved.insert(is.gpu.value);
  }
  return can.chooses_placement ? std::set<std::string>{} : holders_on(node, moved);
}

// Meant: a label that stands for another layout than the GPUs have is an order that a manager would carry out
// sooner or later. The plan replaces it, with no one on the node; the simulator has no such labels.
bool replaces_an_order(const plan::Plan& plan) {
  return plan.nodes.front().ordered_before != plan.nodes.front().ordered_after;
}

plan::Counts without_zeroes(plan::Counts counts) {
  std::erase_if(counts, [](const auto& one) { return one.second == 0; });
  return counts;
}

std::string joined(const std::set<std::string>& all) { return fmt::format("{}", fmt::join(all, " ")); }

// A difference that is meant, and why.
struct Meant {
  const char* name;
  const char* says;  // part of the refusal
  const char* why;
};

// Refused by the Kubernetes or Slurm planner, though the simulator can do it.
constexpr Meant kRefusedThere[] = {
    {"one sharing for a node", "a node is shared in one way",
     "one configuration of the device plugin serves all GPUs of a node"},
    {"one number of shares", "which the device plugin cannot do",
     "it counts by the resource's name, not by GPU"},
    {"the driver chooses", "since the driver chooses the placements",
     "the MIG manager hands it no placement"},
    {"MPS beside MIG", "MPS", "the device plugin refuses MPS on a node where MIG is on"},
    {"one sharing for a Slurm node", "all whole GPUs of a Slurm node are shared in one way",
     "Slurm spreads a node's MPS and shards over its whole GPUs"},
};
// Refused by the simulator, though the real planner can do it.
constexpr Meant kRefusedHere[] = {
    {"no virtual machines", "the simulated nodes run no virtual machines", "the simulator plays no vGPU"},
};

template <std::size_t N>
bool is_meant(const Meant (&list)[N], const std::string& refusal) {
  return std::any_of(std::begin(list), std::end(list),
                     [&](const Meant& one) { return refusal.find(one.says) != std::string::npos; });
}

struct Told {
  const Cluster& cluster;
  const Node& node;
  plan::Means can;
  Result<plan::Plan> plan(const plan::Intent& intent) const {
    return plan::make_plan(cluster, test::catalogue(), intent, can, {}, kMonday);
  }
};

// Empty: they agree.
std::string difference(const Told& direct, const Told& real, const plan::Intent& intent) {
  Result<plan::Plan> here = direct.plan(intent), there = real.plan(intent);
  std::string refused_here = here ? here->no_steps : here.error().reason;
  std::string refused_there = there ? there->no_steps : there.error().reason;
  if (!refused_here.empty() || !refused_there.empty()) {
    if (refused_here.empty())
      return is_meant(kRefusedThere, refused_there) ? "" : "refused there: " + refused_there;
    if (refused_there.empty())
      return is_meant(kRefusedHere, refused_here) ? "" : "refused here: " + refused_here;
    return "";
  }
  const std::string made = made_by(*here, direct.node), made_there = made_by(*there, real.node);
  if (made != made_there) return fmt::format("makes {} and there {}", made, made_there);
  const std::set<std::string> disturbed = disturbed_by(*here), others = disturbed_by(*there);
  std::set<std::string> excused = on_moved_boards(*here, direct.node, real.can);
  excused.insert(others.begin(), others.end());
  if (!std::includes(excused.begin(), excused.end(), disturbed.begin(), disturbed.end()))
    return fmt::format("disturbs {} and there only {}", joined(disturbed), joined(others));
  std::set<std::string> allowed = within_units(*here, real.node, real.can);
  allowed.insert(disturbed.begin(), disturbed.end());
  if (replaces_an_order(*there)) {
    std::set<int> all;
    for (const Gpu& gpu : real.node.gpus) all.insert(gpu.index.value);
    allowed.merge(holders_on(real.node, all));
  }
  if (!std::includes(allowed.begin(), allowed.end(), others.begin(), others.end()))
    return fmt::format("there {} is disturbed, and only {} may be", joined(others), joined(allowed));
  const plan::Counts offered = without_zeroes(here->offered_after.by(here->scheduler)),
                     offered_there = without_zeroes(there->offered_after.by(there->scheduler));
  if (offered != offered_there) {
    std::string text = "offers";
    for (const auto& [name, count] : offered) text += fmt::format(" {} {}", count, name);
    text += ", and there";
    for (const auto& [name, count] : offered_there) text += fmt::format(" {} {}", count, name);
    return text;
  }
  return "";
}

const Node& only_node(const Cluster& cluster) { return *cluster.nodes.find(NodeName("n1")); }

TEST(Dialects, TheSimulatorPlansAsTheKubernetesPlannerOnTheSameWorld) {
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    Luck luck(seed);
    const Place place = place_of(luck, false);
    World world = world_from(scenario_of(place, false));
    const test::Scratch folder;
    kube::ServeOptions options;
    options.world.scenario = folder.write("world.yaml", scenario_of(place, false));
    options.world.wall = [] { return kMonday; };
    options.world.speed = 0;
    options.world.catalogue = test::shared_catalogue();
    options.listen = folder.path() + "/api.sock";
    auto server = kube::Server::start(std::move(options));
    ASSERT_TRUE(server.ok()) << to_line(server.error());
    kubernetes::KubeWatch watch(kubernetes::at(folder.path() + "/api.sock"));
    ASSERT_TRUE(watch.until([&](const Cluster& cluster) {
      const plan::Means can = watch.backend().actuator()->means();
      return cluster.loaded && cluster.nodes.find(NodeName("n1")) && can.gpu_operator &&
             !can.gpu_operator->policy.empty();
    }));
    const Told real{watch.cluster(), only_node(watch.cluster()), watch.backend().actuator()->means()};
    // Meant: a simulated node has switches of its own from the start, where the plugin has those of its
    // configuration, or its defaults. Here both begin with the plugin's.
    const plan::Switches start = plan::switches_now(real.can, real.node).value_or(plan::Switches{});
    world.nodes[0].switches = {start.rename, start.refuse_several};
    const Model model = model_of(world);
    const Told direct{model.clusters.front(), only_node(model.clusters.front()),
                      plan::simulator_capabilities(Scheduler::kubernetes)};
    for (std::uint64_t i = 0; i < kIntents; ++i) {
      const plan::Intent intent = intent_of(luck, place, false);
      const std::string differs = difference(direct, real, intent);
      EXPECT_EQ(differs, "") << "world " << seed << " " << place.nodes << " " << place.jobs << "\n"
                             << text_of(intent);
    }
  }
}

// Files as a site has them for whole GPUs; where they say something else than the GPUs, a plan mends them.
slurmconf::SlurmSetup slurm_setup_of(const Place& place) {
  slurmconf::SlurmSetup site;
  site.major = 24, site.minor = 11;
  site.files = {{"/etc/slurm/slurm.conf",
                 fmt::format("ClusterName=lab\nGresTypes=gpu,mps,shard\nNodeName=n1 CPUs=64 Gres=gpu:g:{} "
                             "State=UNKNOWN\nPartitionName=all Nodes=n1\n",
                             place.gpus)},
                {"/etc/slurm/gres.conf",
                 fmt::format("NodeName=n1 Name=gpu Type=g File=/dev/nvidia[0-{}]\n", place.gpus - 1)}};
  site.reach = slurmconf::Reach::ssh;
  site.gpu_file = "/dev/nvidia{gpu}";
  site.instance_file = "/dev/gi{gpu}-{gi}";
  return site;
}

TEST(Dialects, TheSimulatorPlansAsTheSlurmPlannerOnTheSameWorld) {
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    Luck luck(1000 + seed);
    const Place place = place_of(luck, true);
    const World world = world_from(scenario_of(place, true));
    const Model model = model_of(world);
    const Cluster& cluster = model.clusters.front();
    plan::Means can = plan::slurm_capabilities();
    can.slurm = std::make_shared<const slurmconf::SlurmSetup>(slurm_setup_of(place));
    const Told direct{cluster, only_node(cluster), plan::simulator_capabilities(Scheduler::slurm)};
    const Told real{cluster, only_node(cluster), can};
    for (std::uint64_t i = 0; i < kIntents; ++i) {
      const plan::Intent intent = intent_of(luck, place, true);
      EXPECT_EQ(difference(direct, real, intent), "")
          << "world " << seed << " " << place.nodes << " " << place.jobs << "\n"
          << text_of(intent);
    }
  }
}

}  // namespace dialects_test
}  // namespace tessera::sim
