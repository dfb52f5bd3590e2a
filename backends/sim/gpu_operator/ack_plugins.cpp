#include "backends/sim/gpu_operator/ack_plugins.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "backends/sim/slots.hpp"
#include "backends/sim/step.hpp"
#include "engine/sharing/ack.hpp"

namespace tessera::sim::kube {
namespace {

using std::chrono::seconds;

constexpr Duration kLeaves = seconds(3), kComes = seconds(12);

}  // namespace

Labels ack_labels(const NodeGroup& group) {
  std::string name = group.model;
  std::replace(name.begin(), name.end(), ' ', '-');
  return {{std::string(sharing::ack::kPool), group.ack},
          {"aliyun.accelerator/nvidia_count", std::to_string(group.boards.size())},
          {"aliyun.accelerator/nvidia_mem", fmt::format("{}MiB", group.memory_mib)},
          {"aliyun.accelerator/nvidia_name", name}};
}

AckPlugins::AckPlugins(Context& context, std::string node) : context_(context), node_(std::move(node)) {
  index_ = find_node(context_.world(), node_).value_or(0);
}

void AckPlugins::label_is(const std::string& mode) {
  if (mode.empty()) return;
  if (step_) context_.agenda.cancel(*step_);
  context_.after(kLeaves, [this] { offer_nothing(); });
  step_ = context_.agenda.at(context_.now() + kComes, [this, mode] {
    step_.reset();
    offer(mode);
  });
}

void AckPlugins::offer_nothing() {
  context_.act([&](World& world, Changes& changes) {
    world.nodes[index_].offer = PluginOffer{true, false};
    WorldStep(world, changes).recount(index_);
  });
  publish(0, std::nullopt);
}

// Work that still runs keeps what it has; its shares count among those of the new mode.
void AckPlugins::offer(const std::string& mode) {
  bool whole = mode == sharing::ack::kWhole || mode == "topology", parts = sharing::ack::by_memory(mode);
  if (!whole && !parts) return;
  const NodeGroup& group = context_.world().group(context_.world().nodes[index_]);
  int gib = std::max(2, group.memory_mib / 1024);
  context_.act([&](World& world, Changes& changes) {
    NodeState& node = world.nodes[index_];
    node.offer.reset();
    for (Board& board : node.boards) {
      board.strategy = whole ? Strategy::whole : mode == sharing::ack::kMps ? Strategy::mps : Strategy::shard;
      board.replicas = std::max(whole ? 1 : gib, shares(board.holds));
    }
    WorldStep(world, changes).recount(index_);
  });
  auto boards = static_cast<std::int64_t>(context_.world().nodes[index_].boards.size());
  publish(whole ? boards : 0, parts ? boards * gib : 0);
}

void AckPlugins::publish(std::int64_t whole, std::optional<std::int64_t> memory) {
  auto boards = static_cast<std::int64_t>(context_.world().nodes[index_].boards.size());
  context_.objects.edit({"nodes", "", node_}, [&](Json& node) {
    Json& status = child(node, "status");
    for (const char* part : {"capacity", "allocatable"}) {
      put(child(status, part), "nvidia.com/gpu", text(std::to_string(whole)));
      bool there = at(status, {part, sharing::ack::kMemory}) != nullptr;
      if (!memory && !there) continue;
      put(child(status, part), std::string(sharing::ack::kMemory), text(std::to_string(memory.value_or(0))));
      put(child(status, part), std::string(sharing::ack::kCount),
          text(std::to_string(memory.value_or(0) > 0 ? boards : 0)));
    }
  });
}

}  // namespace tessera::sim::kube
