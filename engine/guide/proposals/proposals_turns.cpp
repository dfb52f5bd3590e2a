#include "engine/guide/proposals/proposals_turns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/guide/demand.hpp"
#include "engine/guide/proposals/offers.hpp"
#include "engine/sharing/limits.hpp"
#include "engine/sharing/presets.hpp"

namespace tessera::guide {

namespace {

constexpr std::array<int, 2> kTurns{2, 4};

// AKS names a size by its compute slices alone (MIG1g): of several profiles it makes the plain one with the
// least memory.
bool aks_makes(const mig::Product& product, const mig::Profile& wanted) {
  return wanted.name.text.find_first_of("+-") == std::string::npos &&
         std::none_of(product.profiles.begin(), product.profiles.end(), [&](const mig::Profile& one) {
           return one.compute_slices == wanted.compute_slices && one.memory_slices < wanted.memory_slices;
         });
}

}  // namespace

bool takes_one_profile(const Scope& scope, sharing::Platform platform) {
  if (platform == sharing::Platform::gke || platform == sharing::Platform::aks) return true;
  // A managed platform sets the strategy with the layout.
  if (sharing::scheduler_of(platform) != Scheduler::kubernetes || platform == sharing::Platform::fpt)
    return false;
  return strategy_of(scope) == sharing::MigStrategy::single;
}

std::vector<std::pair<std::vector<int>, std::string>> layouts_of_one_profile(const mig::Product& product,
                                                                             sharing::Platform platform) {
  std::vector<std::pair<std::vector<int>, std::string>> all;
  for (const sharing::Preset& preset : sharing::operator_presets(product)) {
    if (!preset.mig || preset.profiles.empty() || preset.profiles.front() != preset.profiles.back()) continue;
    const auto& profile = product.profiles.at(static_cast<std::size_t>(preset.profiles.front()));
    const bool media = profile.name.text.find("+me") != std::string::npos;
    // As GKE's own partitioner has it (rule gke-me).
    if (media && platform == sharing::Platform::gke && !product.key.text.starts_with("RTX-PRO-6000"))
      continue;
    if (platform == sharing::Platform::aks && !aks_makes(product, profile)) continue;
    const bool alike = std::all_of(preset.profiles.begin(), preset.profiles.end(),
                                   [&](int one) { return one == preset.profiles.front(); });
    if (alike) all.emplace_back(preset.profiles, preset.name);
  }
  return all;
}

std::vector<Proposal> propose_turns(const Scope& scope, sharing::Platform platform) {
  if (sharing::scheduler_of(platform) != Scheduler::kubernetes || platform == sharing::Platform::ack)
    return {};
  const std::vector<Proposal> layouts = propose_layouts(scope, platform, true);
  auto best = std::find_if(layouts.begin(), layouts.end(),
                           [](const Proposal& one) { return one.boards.front().layout->size() > 1; });
  if (best == layouts.end()) best = layouts.begin();
  if (best == layouts.end() || scope.product == nullptr) return {};
  const int profile = best->boards.front().layout->front().profile;
  const auto memory = scope.product->profiles.at(static_cast<std::size_t>(profile)).memory;
  plan::Queue queue;
  if (scope.cluster != nullptr && scope.catalogue != nullptr)
    queue = plan::queue_of(*scope.cluster, *scope.catalogue);
  std::vector<Proposal> all;
  for (int turns : kTurns) {
    Proposal one = *best;
    one.title = fmt::format("{}, {} time-slices each", best->title, turns);
    one.replicas = turns;
    one.memory_share = sharing::memory_share(memory, turns);
    tell_offer(one, scope, platform);
    count_starts(one, scope, queue);
    one.notes.emplace_back(
        "work that shares an instance takes turns, and nothing limits its memory: MIG keeps the instances "
        "apart, not those within one");
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace tessera::guide
