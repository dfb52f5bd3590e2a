#include "backends/sim/mig_parted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace tessera::sim {
namespace {

constexpr std::string_view kHeldByClient = "In use by another client";
constexpr std::string_view kNoRoom = "Insufficient Resources";
constexpr int kMostOrders = 5040;

std::vector<int> profiles_of(const Board& board) {
  std::vector<int> profiles;
  for (const Instance& instance : board.instances)
    if (!instance.compute.empty()) profiles.push_back(instance.profile);
  std::sort(profiles.begin(), profiles.end());
  return profiles;
}

bool mode_pends(const Board& board) {
  return board.mode == MigMode::enable_pending || board.mode == MigMode::disable_pending;
}

bool stands(const Board& board, const operators::BoardTarget& target) {
  return profiles_of(board) == target.profiles;  // both ascending
}

// One GPU after the other, as mig-parted walks them.
class Work {
 public:
  Work(const PartedNode& node, const Targets& targets, const Sabotage& sabotage)
      : node_(node), targets_(targets), sabotage_(sabotage) {}

  PartedRun modes() {
    walk([&](std::size_t gpu, const operators::BoardTarget& target) { return set_one_mode(gpu, target); });
    if (!run_.fails && std::any_of(boards().begin(), boards().end(), mode_pends)) reset_all();
    return run_;
  }

  PartedRun everything() {
    if (!modes_stand(boards(), targets_)) {
      modes();
      if (run_.fails) return run_;
    }
    if (!modes_stand(boards(), targets_)) {
      fail("error setting MIGConfig: unable to apply MIG config with MIG mode disabled");
      return run_;
    }
    if (!all_stands(boards(), targets_))
      walk([&](std::size_t gpu, const operators::BoardTarget& target) { return cut_one(gpu, target); });
    return run_;
  }

 private:
  std::vector<Board>& boards() { return node_.boards; }
  const mig::Product* product(std::size_t gpu) const { return node_.products[gpu]; }
  void say(std::string line) { run_.lines.push_back(std::move(line)); }
  void fail(std::string why) { run_.fails = std::move(why); }

  template <class Act>
  void walk(Act act) {
    for (std::size_t gpu = 0; gpu < boards().size() && gpu < targets_.size() && !run_.fails; ++gpu) {
      if (!targets_[gpu]) continue;
      say(fmt::format("  GPU {}: {}", gpu, node_.models[gpu]));
      act(gpu, *targets_[gpu]);
    }
  }

  bool clear(std::size_t gpu) {
    Board& board = boards()[gpu];
    bool refused = sabotage_.in_use && !board.instances.empty();
    for (const Instance& instance : std::vector<Instance>(board.instances)) {
      std::vector<int> id{instance.id};
      int number = static_cast<int>(gpu);
      if (!refused && !instance.compute.empty())
        refused = !destroy_compute(board, *product(gpu), number, id).ok();
      if (refused) {
        fail(fmt::format("error destroying Compute instance for profile '({}, {})': {}", instance.profile, 0,
                         kHeldByClient));
        return false;
      }
      if (!destroy_instances(board, *product(gpu), number, id).ok()) {
        fail(fmt::format("error destroying GPU instance for profile '({}, {})': {}", instance.profile, 0,
                         kHeldByClient));
        return false;
      }
    }
    return true;
  }

  void set_one_mode(std::size_t gpu, const operators::BoardTarget& target) {
    Board& board = boards()[gpu];
    say(fmt::format("    MIG capable: {}", product(gpu) ? "true" : "false"));
    if (!product(gpu)) {
      if (target.mig) fail("cannot set MIG mode on non MIG-capable GPU");
      return say("    Skipping -- non MIG-capable GPU");
    }
    say(fmt::format("    Current MIG mode: {}", board.cut() ? "Enabled" : "Disabled"));
    if (board.cut()) {
      say("    Clearing existing MIG configuration");
      if (!clear(gpu)) {
        run_.fails = "error clearing existing MIG configurations: " + *run_.fails;
        return;
      }
    }
    say(fmt::format("    Updating MIG mode: {}", target.mig ? "Enabled" : "Disabled"));
    Outcome outcome = set_mode(board, *product(gpu), static_cast<int>(gpu), target.mig);
    if (!outcome.ok()) return fail(fmt::format("error setting MIG mode: {}", kHeldByClient));
    say(fmt::format("    Mode change pending: {}", mode_pends(board) ? "true" : "false"));
  }

  // All of them or none: linked GPUs go down together.
  void reset_all() {
    say("At least one mode change pending");
    say("Resetting all GPUs...");
    for (std::size_t gpu = 0; gpu < boards().size(); ++gpu)
      if (boards()[gpu].in_use() || sabotage_.in_use) {
        say(reset_refused(gpu));
        return fail("error resetting all GPUs: exit status 255");
      }
    for (std::size_t gpu = 0; gpu < boards().size(); ++gpu) {
      MigMode before = boards()[gpu].mode;
      Outcome outcome = reset(boards()[gpu], static_cast<int>(gpu));
      if (sabotage_.pends) boards()[gpu].mode = before;
      say(outcome.lines.front());
      ++run_.resets;
    }
  }
  static std::string reset_refused(std::size_t gpu) {
    return fmt::format("The following GPUs could not be reset:\\n  GPU {}: {}", gpu, kHeldByClient);
  }

  void cut_one(std::size_t gpu, const operators::BoardTarget& target) {
    Board& board = boards()[gpu];
    if (!product(gpu)) return say("    Skipping -- non MIG-capable GPU");
    say("    Asserting MIG config");
    if (stands(board, target)) return say("    Skipping -- already set to desired value");
    say("    Updating MIG config");
    if (!clear(gpu)) {
      run_.fails = "error setting MIGConfig: error clearing MigConfig: " + *run_.fails;
      return;
    }
    ++run_.changed;
    if (!target.profiles.empty()) create(gpu, target);
  }

  // Wide instances first, then every other order until one fits.
  void create(std::size_t gpu, const operators::BoardTarget& target) {
    std::vector<int> order = target.profiles;
    auto wide_first = [&](int a, int b) {
      const mig::Profile& left = product(gpu)->profiles[static_cast<std::size_t>(a)];
      const mig::Profile& right = product(gpu)->profiles[static_cast<std::size_t>(b)];
      return std::tuple(-left.compute_slices, -left.memory_slices, a) <
             std::tuple(-right.compute_slices, -right.memory_slices, b);
    };
    std::sort(order.begin(), order.end(), wide_first);
    for (int tried = 0; tried < kMostOrders; ++tried) {
      Board board = boards()[gpu];
      std::vector<Wanted> wanted;
      for (int profile : order) wanted.push_back({profile, std::nullopt});
      if (sabotage_.half) wanted.resize(wanted.size() / 2);
      Outcome outcome = create_instances(board, *product(gpu), static_cast<int>(gpu), wanted);
      if (outcome.ok() || sabotage_.half) boards()[gpu] = std::move(board);
      if (sabotage_.half) break;
      if (outcome.ok()) return;
      if (!std::next_permutation(order.begin(), order.end(), wide_first)) break;
    }
    const mig::Profile& first = product(gpu)->profiles[static_cast<std::size_t>(order.back())];
    say(fmt::format("    error creating GPU instance for '{}': {}", first.name.text, kNoRoom));
    fail("error setting MIGConfig: error attempting multiple config orderings: all orderings failed");
  }

  const PartedNode& node_;
  const Targets& targets_;
  const Sabotage& sabotage_;
  PartedRun run_;
};

}  // namespace

Result<Targets> select_config(std::string_view yaml, std::string_view file, std::string_view name,
                              const operators::NodeBoards& products) {
  Result<operators::MigDocument> document = operators::parse_mig_document(yaml, file);
  if (!document) return document.error();
  const operators::MigConfig* config = document->find(name);
  if (!config)
    return Error{"cannot use the MIG configuration", fmt::format("selected mig-config not present: {}", name),
                 ""};
  return operators::evaluate(*config, products);
}

bool modes_stand(const std::vector<Board>& boards, const Targets& targets) {
  for (std::size_t gpu = 0; gpu < boards.size() && gpu < targets.size(); ++gpu) {
    if (!targets[gpu]) continue;
    if (mode_pends(boards[gpu]) || boards[gpu].cut() != targets[gpu]->mig) return false;
  }
  return true;
}

bool all_stands(const std::vector<Board>& boards, const Targets& targets) {
  if (!modes_stand(boards, targets)) return false;
  for (std::size_t gpu = 0; gpu < boards.size() && gpu < targets.size(); ++gpu)
    if (targets[gpu] && !stands(boards[gpu], *targets[gpu])) return false;
  return true;
}

PartedRun apply_modes(const PartedNode& node, const Targets& targets, const Sabotage& sabotage) {
  if (sabotage.nothing || modes_stand(node.boards, targets)) return {};
  return Work(node, targets, sabotage).modes();
}

PartedRun apply_all(const PartedNode& node, const Targets& targets, const Sabotage& sabotage) {
  if (sabotage.nothing || all_stands(node.boards, targets)) return {};
  return Work(node, targets, sabotage).everything();
}

}  // namespace tessera::sim
