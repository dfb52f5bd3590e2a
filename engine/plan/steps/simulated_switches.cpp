#include "engine/plan/steps/simulated_switches.hpp"

#include <algorithm>
#include <string>

#include "engine/sharing/platform.hpp"

namespace tessera::plan {
namespace {

std::optional<bool> flag(std::optional<std::string_view> word) {
  if (word == "true") return true;
  if (word == "false") return false;
  return std::nullopt;
}

std::optional<Switches> both(std::optional<bool> rename, std::optional<bool> refuse) {
  if (!rename || !refuse) return std::nullopt;
  return Switches{*rename, *refuse};
}

bool hands_out_shares(const NodeChange& change) {
  return std::any_of(change.node.gpus.begin(), change.node.gpus.end(), [&](const Gpu& gpu) {
    for (const BoardChange& board : change.boards)
      if (board.gpu == gpu.index) return board.after.replicas > 1;
    return gpu.replicas.value_or(1) > 1;
  });
}

}  // namespace

std::optional<Switches> simulated_switches(const Node& node) {
  return both(flag(sharing::label(node, kSimulatedRename)), flag(sharing::label(node, kSimulatedRefuse)));
}

std::optional<Switches> simulated_switches(const Orders& orders) {
  const auto said = [&](std::string_view key) -> std::optional<bool> {
    auto found = orders.find(std::string(key));
    return found == orders.end() ? std::nullopt : flag(found->second);
  };
  return both(said(kSimulatedRename), said(kSimulatedRefuse));
}

Orders simulated_orders(const Switches& switches) {
  return {{std::string(kSimulatedRename), switches.rename ? "true" : "false"},
          {std::string(kSimulatedRefuse), switches.refuse_several ? "true" : "false"}};
}

std::optional<Switches> simulated_switches_to_set(const NodeChange& change) {
  const std::optional<Switches> now = simulated_switches(change.node);
  if (!now || (!hands_out_shares(change) && !simulated_switches(change.intent.orders))) return std::nullopt;
  const Switches wanted{change.rename_shared, change.refuse_several.value_or(now->refuse_several)};
  return wanted == *now ? std::nullopt : std::optional(wanted);
}

}  // namespace tessera::plan
