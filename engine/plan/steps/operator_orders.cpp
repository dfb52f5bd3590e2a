#include "engine/plan/steps/operator_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "engine/operators/labels.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::plan {

std::string order_label(const Node& node, const operators::OperatorSetup* site, std::string_view key) {
  if (auto now = sharing::label(node, key)) return std::string(*now);
  const bool told =
      sharing::label(node, operators::kMigConfig) || sharing::label(node, "nvidia.com/gpu.count");
  if (told || !site) return "";
  auto labels = site->labels.find(node.name.text);
  if (labels == site->labels.end()) return "";
  auto value = labels->second.find(std::string(key));
  return value == labels->second.end() ? "" : value->second;
}

Orders standing_orders(const Node& node, const operators::OperatorSetup* site) {
  if (sharing::ack::decides(node))
    return {{std::string(sharing::ack::kSchedule), order_label(node, site, sharing::ack::kSchedule)}};
  Orders orders;
  for (std::string_view key :
       {operators::kMigConfig, operators::kPluginConfig, operators::kVgpuConfig, operators::kWorkload})
    orders[std::string(key)] = order_label(node, site, key);
  // Where a DRA driver hands the GPUs out, no device plugin is meant to run.
  if (!sharing::by_claims(node) && order_label(node, site, operators::kPluginDeploy) == "false")
    orders[std::string(operators::kPluginDeploy)] = "false";
  return orders;
}

bool at_work(const MigOrder& order) {
  return !order.name.empty() && order.state != "success" && order.state != "failed";
}

bool differs(const MigOrder& order, const operators::MigFile* file, const operators::NodeBoards& boards,
             const operators::NodeTarget& target) {
  const bool cuttable = std::any_of(boards.begin(), boards.end(),
                                    [](const mig::Product* board) { return board && board->mig_capable; });
  if (!cuttable) return false;
  auto leads_there = [&](const std::string& name) -> std::optional<bool> {
    if (!file || !file->document) return std::nullopt;
    const operators::MigConfig* config = file->document->find(name);
    if (!config) return false;
    auto is = operators::evaluate(*config, boards);
    return is && operators::meets(*is, target, boards);
  };
  if (!order.wanted.empty() && order.name != order.wanted && leads_there(order.wanted) == true) return true;
  if (order.name.empty()) return false;
  if (order.state != "success" && !order.state.empty()) return true;
  return leads_there(order.name) == false;
}

bool shares_alike(const operators::PluginSharing& now, const operators::PluginSharing& wanted,
                  const std::vector<std::string>& resources) {
  auto replicas = [](const operators::PluginSharing& sharing, const std::string& resource) {
    auto found = sharing.replicas.find(resource);
    return found == sharing.replicas.end() ? 1 : std::max(1, found->second);
  };
  bool shared = false;
  for (const std::string& resource : resources) {
    if (replicas(now, resource) != replicas(wanted, resource)) return false;
    shared = shared || replicas(wanted, resource) > 1;
  }
  return !shared || (now.method == wanted.method && now.rename == wanted.rename &&
                     operators::refuses_several(now) == operators::refuses_several(wanted));
}

Result<UntoldBoards> untold_boards(const Node& node, const Intent& intent) {
  const Error error{"cannot plan the change of " + node.name.text,
                    "which GPUs it has, or how they are cut, is not known: it can be planned as a whole only",
                    "choose one layout or preset for all of its GPUs"};
  UntoldBoards all;
  const bool together =
      std::all_of(intent.boards.begin(), intent.boards.end(), [](const BoardWish& one) { return !one.gpu; });
  if (intent.boards.empty()) return error;
  if (together) {
    all.wishes.push_back(intent.boards.back().wish);
  } else {
    for (std::size_t i = 0; i < intent.boards.size(); ++i) {
      const Wish* wish = wish_for(intent, GpuIndex{static_cast<int>(i)});
      if (!wish || !intent.boards[i].gpu) return error;
      all.wishes.push_back(*wish);
    }
    all.known = all.wishes.size();
  }
  for (const Wish& wish : all.wishes)
    if (wish.strategy == Strategy::vgpu || wish.strategy == Strategy::unknown) return error;
  return all;
}

}  // namespace tessera::plan
