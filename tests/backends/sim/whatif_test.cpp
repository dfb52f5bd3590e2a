// What-if, held against the simulator's own scheduler: the hours that were foretold are lived through.
#include "engine/whatif/whatif.hpp"

#include <algorithm>
#include <cstdlib>

#include "backends/sim/gpu.hpp"
#include "backends/sim/hardware.hpp"
#include "backends/sim/random.hpp"
#include "engine/plan/planner.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace {

using namespace std::chrono_literals;
constexpr Duration kAhead = 12h;
constexpr TimePoint kFar{std::chrono::milliseconds(4'000'000'000'000)};

// No work is submitted, nothing breaks, what runs and what starts runs to its time limit or to that of its
// partition: what is left is the scheduler.
void hold_still(World& world) {
  for (Recurring& one : world.streams) one.next = kFar;
  for (Recurring& one : world.troubles) one.next = kFar;
  world.faults_done = world.spec().faults.size();
  for (auto& [id, job] : world.jobs) {
    const std::int32_t partition = wanted_by(world, job).partition;
    const Duration most =
        partition < 0 ? Duration(0) : world.spec().max_times[static_cast<std::size_t>(partition)];
    const bool slurm = world.spec().scheduler == Scheduler::slurm;
    job.runs = slurm && job.limit > Duration(0) ? job.limit
               : most.count() > 0               ? most
                                                : Duration(std::chrono::hours(24 * 30));
    if (job.state == JobState::running) job.ends = std::max(job.started + job.limit, world.now + 1min);
  }
  world.pass_at = world.now + 1s;
  derive(world);
}

// Starts by id, as they came to be.
std::map<std::string, TimePoint> lived(World world, TimePoint until) {
  std::map<std::string, TimePoint> starts;
  std::set<JobId> waits = world.derived ? world.derived->pending : std::set<JobId>();
  while (world.now < until) {
    world.advance(std::min(until, world.now + 1min));
    for (const JobId id : std::vector<JobId>(waits.begin(), waits.end())) {
      const auto job = world.jobs.find(id);
      if (job != world.jobs.end() && job->second.state == JobState::pending) continue;
      waits.erase(id);
      if (job != world.jobs.end()) starts[workload_id(world, job->second).text] = job->second.started;
    }
  }
  return starts;
}

struct Error {
  int foretold = 0, started = 0;  // within the hours that are looked at
  int cases = 0, within = 0;      // work that waits for room; its start is right to within five minutes
  std::vector<double> minutes;    // too late, of those that were foretold and started
  std::string misses;

  void add(const whatif::Future& future, const std::map<std::string, TimePoint>& starts, TimePoint from,
           const std::string& where) {
    std::map<std::string, TimePoint> said;
    for (const whatif::Start& one : future.starts) said[one.id.text] = one.at;
    std::vector<std::string> all;
    for (const WorkloadId& id : future.waiting) all.push_back(id.text);
    for (const auto& [id, at] : said) all.push_back(id);
    for (const std::string& id : all) {
      const auto told = said.find(id);
      const auto true_start = starts.find(id);
      ++cases;
      foretold += told != said.end(), started += true_start != starts.end();
      const auto late = [](TimePoint a, TimePoint b) {
        return std::chrono::duration<double, std::ratio<60>>(a - b).count();
      };
      bool good = told == said.end() && true_start == starts.end();
      if (told != said.end() && true_start != starts.end()) {
        minutes.push_back(late(told->second, true_start->second));
        good = std::abs(minutes.back()) <= 6;
      }
      within += good;
      if (!good && misses.size() < 3000)
        misses += where + " " + id + ": said " +
                  (told == said.end() ? "never" : std::to_string(late(told->second, from))) + ", was " +
                  (true_start == starts.end() ? "never" : std::to_string(late(true_start->second, from))) +
                  "\n";
    }
  }
  double share() const { return 100.0 * within / std::max(1, cases); }
  double median() {
    if (minutes.empty()) return 0;
    std::sort(minutes.begin(), minutes.end());
    return minutes[minutes.size() / 2];
  }
  // Of those that were foretold and started: at the time that was said, or before.
  double in_time() const {
    const auto good = std::count_if(minutes.begin(), minutes.end(), [](double late) { return late >= -6; });
    return minutes.empty() ? 100 : 100.0 * static_cast<double>(good) / static_cast<double>(minutes.size());
  }
  void print(const char* what) {
    std::printf(
        "%s: %d cases, %d foretold, %d started: %.1f %% right to within 6 min; of %zu foretold and "
        "started %.1f %% no later than said, median %.0f min early\n%s",
        what, cases, foretold, started, share(), minutes.size(), in_time(), median(), misses.c_str());
  }
};

int wanted_cases() {
  const char* many = std::getenv("TESSERA_WHATIF_CASES");
  return many != nullptr ? std::max(1, std::atoi(many)) : 100;
}

whatif::Question question_of(const Model& model, const World& world) {
  return {&model.clusters.front(), &test::catalogue(), world.now, kAhead};
}

template <class Look>
void each_world(const Look& look) {
  for (std::uint64_t seed = 1; seed < 2000; ++seed)
    for (const char* scenario : {"demo", "slurm-h100", "kubernetes"})
      for (World& world : worlds_of(scenario, mix(seed))) {
        world.advance(world.start + std::chrono::hours(between(mix(~seed), 1, 30)));
        if (!look(world, std::string(scenario) + " seed " + std::to_string(seed))) return;
      }
}

TEST(WhatIfAgainstTheSimulator, WhereWorkRunsToItsLimitStartsAreForetold) {
  Error all;
  each_world([&](World& world, const std::string& where) {
    hold_still(world);
    const Model model = model_of(world);
    all.add(whatif::unfold(question_of(model, world)), lived(world, world.now + kAhead), world.now, where);
    return all.cases < wanted_cases();
  });
  all.print("work runs to its limit");
  EXPECT_GE(all.share(), 90) << all.misses;
}

TEST(WhatIfAgainstTheSimulator, WhereWorkEndsEarlierAndMoreIsSubmittedItStartsNoLaterThanForetold) {
  Error all;
  each_world([&](World& world, const std::string& where) {
    const Model model = model_of(world);
    all.add(whatif::unfold(question_of(model, world)), lived(world, world.now + kAhead), world.now, where);
    return all.cases < wanted_cases();
  });
  all.misses.clear();
  all.print("the simulator as it lives");
  EXPECT_GE(all.in_time(), 85);
}

// A free GPU, cut into that layout by the driver's own verbs.
bool cut(World& world, std::uint32_t node, std::size_t gpu, const mig::Product& product,
         const mig::Layout& layout) {
  Board& board = world.nodes[node].boards[gpu];
  board.instances.clear();
  board.mode = MigMode::enabled, board.strategy = Strategy::mig, board.replicas = 1;
  std::vector<Wanted> wanted;
  for (const mig::Placed& one : layout) wanted.push_back({one.profile, one.start});
  return create_instances(board, product, static_cast<int>(gpu), wanted).ok();
}

TEST(WhatIfAgainstTheSimulator, WhatACutOfAFreeGpuStartsIsForetold) {
  Error all;
  each_world([&](World& world, const std::string& where) {
    hold_still(world);
    const Model model = model_of(world);
    const Cluster& cluster = model.clusters.front();
    std::vector<std::pair<const Node*, const Gpu*>> able;
    for (const Node& node : cluster.nodes.all())
      for (const Gpu& gpu : node.gpus) {
        const mig::Product* product = gpu.product ? test::catalogue().by_key(gpu.product->text) : nullptr;
        const bool held = std::any_of(gpu.slices.begin(), gpu.slices.end(),
                                      [](const Slice& slice) { return slice.holding != Holding::free; });
        if (node.health == Health::ok && product && product->placements_known && !held &&
            (gpu.strategy == Strategy::mig || gpu.strategy == Strategy::whole))
          able.emplace_back(&node, &gpu);
      }
    if (able.empty()) return true;
    const auto [node, gpu] = able[mix(world.seed) % able.size()];
    const mig::Product& product = *test::catalogue().by_key(gpu->product->text);
    const auto layouts = mig::enumerate(product, mig::Which::undominated);
    if (layouts.empty()) return true;
    const mig::Layout& layout = layouts[mix(world.seed + 7) % layouts.size()];
    plan::Intent intent;
    intent.cluster = cluster.name, intent.nodes = {node->name};
    intent.boards = {{gpu->index, plan::wish_of(product, layout)}};
    const auto made = plan::make_plan(cluster, test::catalogue(), intent,
                                      plan::presumed_capabilities(cluster), {}, world.now);
    if (!made || !made->changes_anything()) return true;
    World changed = world;
    const auto number = find_node(changed, node->name.text);
    if (!number || !cut(changed, *number, static_cast<std::size_t>(gpu->index.value), product, layout))
      return true;
    changed.nodes[*number].promised.reset();
    changed.pass_at = changed.now + 5min;
    derive(changed);
    all.add(whatif::unfold(question_of(model, world), &*made), lived(changed, world.now + kAhead), world.now,
            where + " " + node->name.text + " GPU " + std::to_string(gpu->index.value));
    return all.cases < wanted_cases();
  });
  all.print("with a plan");
  EXPECT_GE(all.cases, wanted_cases());
  EXPECT_GE(all.share(), 90) << all.misses;
}

}  // namespace
}  // namespace tessera::sim
