#include "backends/sim/gpu.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/effect/creation.hpp"

namespace tessera::sim {
namespace {

constexpr std::string_view kInUse = "In use by another client";

void refuse(Outcome& outcome, Outcome::Refusal why, std::string first, std::string second) {
  outcome.refusal = why;
  outcome.lines.push_back(std::move(first));
  outcome.lines.push_back(std::move(second));
}

int profile_number(const mig::Product& product, int profile) {
  return product.profiles[static_cast<std::size_t>(profile)].id.value_or(profile);
}

// Where it will stand, or nullopt: no room.
std::optional<int> find_start(const Board& board, const mig::Product& product, const Wanted& wanted) {
  mig::Layout layout = layout_of(board);
  std::vector<int> starts =
      wanted.start ? std::vector<int>{*wanted.start} : driver_order(product, wanted.profile);
  for (int start : starts)
    if (mig::fits(product, layout, {wanted.profile, start})) return start;
  return std::nullopt;
}

void insert(Board& board, Instance instance) {
  auto place = std::find_if(board.instances.begin(), board.instances.end(),
                            [&](const Instance& other) { return other.start > instance.start; });
  board.instances.insert(place, std::move(instance));
}

bool clients(const Instance& instance) { return instance.hidden || !instance.holds.empty(); }

bool is_ampere(const mig::Product& product) { return product.architecture == "ampere"; }

bool need_mig(const Board& board, Outcome& outcome) {
  if (board.cut()) return true;
  outcome.refusal = Outcome::Refusal::not_found;
  outcome.lines.push_back("No MIG-enabled devices found.");
  return false;
}

}  // namespace

const Instance* Board::find(int id) const {
  for (const Instance& instance : instances)
    if (instance.id == id) return &instance;
  return nullptr;
}
Instance* Board::find(int id) { return const_cast<Instance*>(std::as_const(*this).find(id)); }

bool Board::in_use() const {
  return hidden || !holds.empty() || std::any_of(instances.begin(), instances.end(), clients);
}

std::vector<int> driver_order(const mig::Product& product, int profile) {
  return plan::driver_starts(product, profile);
}

int instance_id(const mig::Product& product, int profile, int start) {
  int size = std::max(1, product.profiles[static_cast<std::size_t>(profile)].memory_slices);
  return product.units / size - 1 + start / size;
}

mig::Layout layout_of(const Board& board) {
  mig::Layout layout;
  layout.reserve(board.instances.size());
  for (const Instance& instance : board.instances) layout.push_back({instance.profile, instance.start});
  std::sort(layout.begin(), layout.end(), [](const mig::Placed& a, const mig::Placed& b) {
    return std::pair(a.start, a.profile) < std::pair(b.start, b.profile);
  });
  return layout;
}

std::string compute_name(const mig::Product& product, const Instance& instance, const Compute& compute) {
  const mig::Profile& profile = product.profiles[static_cast<std::size_t>(instance.profile)];
  if (compute.slices == profile.compute_slices) return profile.name.text;
  return fmt::format("{}c.{}", compute.slices, profile.name.text);
}

Outcome create_instances(Board& board, const mig::Product& product, int gpu, std::span<const Wanted> list,
                         bool compute) {
  Outcome outcome;
  if (!need_mig(board, outcome)) return outcome;
  for (const Wanted& wanted : list) {
    if (wanted.profile < 0 || wanted.profile >= static_cast<int>(product.profiles.size())) {
      refuse(outcome, Outcome::Refusal::invalid,
             fmt::format("Unable to create a GPU instance on GPU {:>2} using profile {}: Invalid Argument",
                         gpu, wanted.profile),
             "Failed to create GPU instances: Invalid Argument");
      return outcome;
    }
    const mig::Profile& profile = product.profiles[static_cast<std::size_t>(wanted.profile)];
    int number = profile_number(product, wanted.profile);
    std::optional<int> start = find_start(board, product, wanted);
    if (!start) {
      refuse(
          outcome, Outcome::Refusal::insufficient,
          fmt::format("Unable to create a GPU instance on GPU {:>2} using profile {}: Insufficient Resources",
                      gpu, number),
          "Failed to create GPU instances: Insufficient Resources");
      return outcome;
    }
    Instance made{wanted.profile, *start, instance_id(product, wanted.profile, *start), {}, {}, false};
    outcome.lines.push_back(
        fmt::format("Successfully created GPU instance ID {:>2} on GPU {:>2} using profile MIG {} (ID {:>2})",
                    made.id, gpu, profile.name.text, number));
    if (compute) made.compute.push_back({0, profile.compute_slices});
    outcome.done.push_back(made.id);
    insert(board, std::move(made));
  }
  return outcome;
}

Outcome destroy_compute(Board& board, const mig::Product& product, int gpu, std::span<const int> ids) {
  Outcome outcome;
  if (!need_mig(board, outcome)) return outcome;
  for (int id : ids) {
    Instance* instance = board.find(id);
    if (!instance || instance->compute.empty()) {
      outcome.refusal = Outcome::Refusal::not_found;
      outcome.lines.push_back("No compute instances found.");
      return outcome;
    }
    if (clients(*instance)) {
      refuse(
          outcome, Outcome::Refusal::in_use,
          fmt::format("Unable to destroy compute instance ID {:>2} from GPU {:>2} GPU instance ID {:>2}: {}",
                      instance->compute.front().id, gpu, id, kInUse),
          fmt::format("Failed to destroy compute instances: {}", kInUse));
      return outcome;
    }
    for (const Compute& compute : instance->compute)
      outcome.lines.push_back(
          fmt::format("Successfully destroyed compute instance ID {:>2} from GPU {:>2} GPU instance ID {:>2}",
                      compute.id, gpu, id));
    instance->compute.clear();
    outcome.done.push_back(id);
  }
  (void)product;
  return outcome;
}

Outcome destroy_instances(Board& board, const mig::Product& product, int gpu, std::span<const int> ids) {
  Outcome outcome;
  if (!need_mig(board, outcome)) return outcome;
  for (int id : ids) {
    Instance* instance = board.find(id);
    if (!instance) {
      outcome.refusal = Outcome::Refusal::not_found;
      outcome.lines.push_back("No GPU instances found.");
      return outcome;
    }
    if (clients(*instance) || !instance->compute.empty()) {
      refuse(outcome, Outcome::Refusal::in_use,
             fmt::format("Unable to destroy GPU instance ID {:>2} from GPU {:>2}: {}", id, gpu, kInUse),
             fmt::format("Failed to destroy GPU instances: {}", kInUse));
      return outcome;
    }
    outcome.lines.push_back(
        fmt::format("Successfully destroyed GPU instance ID {:>2} from GPU {:>2}", id, gpu));
    outcome.done.push_back(id);
    board.instances.erase(board.instances.begin() + (instance - board.instances.data()));
  }
  (void)product;
  return outcome;
}

Outcome set_mode(Board& board, const mig::Product& product, int gpu, bool on) {
  Outcome outcome;
  if (!product.mig_capable) {
    outcome.refusal = Outcome::Refusal::not_supported;
    outcome.lines.push_back(fmt::format("Unable to set MIG mode for GPU {:>2}: Not Supported", gpu));
    return outcome;
  }
  bool is_on = board.cut();
  if (on == is_on) {
    board.mode = on ? MigMode::enabled : MigMode::disabled;  // takes back what was pending, and no more
    outcome.lines.push_back("All done.");
    return outcome;
  } else if (!board.instances.empty()) {
    outcome.refusal = Outcome::Refusal::in_use;
    outcome.lines.push_back(fmt::format("Unable to disable MIG Mode for GPU {:>2}: {}", gpu, kInUse));
    return outcome;
  } else if (is_ampere(product)) {
    board.mode = on ? MigMode::enable_pending : MigMode::disable_pending;
    outcome.lines.push_back(fmt::format("Warning: MIG mode is in pending {} state for GPU {:>2}:{}",
                                        on ? "enable" : "disable", gpu, kInUse));
    outcome.lines.push_back(fmt::format(
        "Reboot the system or try nvidia-smi --gpu-reset to make MIG mode effective on GPU {:>2}", gpu));
    return outcome;
  } else if (board.in_use()) {
    outcome.refusal = Outcome::Refusal::in_use;
    outcome.lines.push_back(fmt::format("Unable to set MIG mode for GPU {:>2}: {}", gpu, kInUse));
    return outcome;
  } else {
    board.mode = on ? MigMode::enabled : MigMode::disabled;
  }
  board.strategy = on ? Strategy::mig : Strategy::whole;
  board.replicas = 1;
  outcome.lines.push_back(fmt::format("{} MIG Mode for GPU {:>2}", on ? "Enabled" : "Disabled", gpu));
  outcome.lines.push_back("All done.");
  return outcome;
}

namespace {

void settle_mode(Board& board) {
  if (board.mode == MigMode::enable_pending) board.mode = MigMode::enabled;
  if (board.mode == MigMode::disable_pending) board.mode = MigMode::disabled;
  if (board.mode == MigMode::enabled && board.strategy != Strategy::mig) {
    board.strategy = Strategy::mig;
    board.replicas = 1;
  }
  if (board.mode == MigMode::disabled && board.strategy == Strategy::mig) {
    board.strategy = Strategy::whole;
    board.replicas = 1;
  }
}

}  // namespace

Outcome reset(Board& board, int gpu) {
  Outcome outcome;
  if (board.in_use()) {
    outcome.refusal = Outcome::Refusal::in_use;
    outcome.lines.push_back(fmt::format("GPU {:>2} could not be reset: {}", gpu, kInUse));
    return outcome;
  }
  board.instances.clear();
  settle_mode(board);
  outcome.lines.push_back(fmt::format("GPU {:>2} was successfully reset.", gpu));
  outcome.lines.push_back("All done.");
  return outcome;
}

void reboot(Board& board, const mig::Product* product) {
  board.holds.clear();
  board.hidden = false;
  board.instances.clear();
  settle_mode(board);
  if (board.mode == MigMode::enabled && product && !is_ampere(*product)) {
    board.mode = MigMode::disabled;
    settle_mode(board);
  }
}

}  // namespace tessera::sim
