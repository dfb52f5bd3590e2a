#include "engine/plan/moved.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/insight/totals.hpp"
#include "engine/plan/observed.hpp"

namespace tessera::plan {
namespace {

std::string board_line(const BoardState& board) {
  std::string how = board.mig ? to_text(board.instances) : "";
  return fmt::format("GPU {} {}: MIG {}, {} × {}{} {}", board.gpu.value, board.product.text,
                     board.mig ? "on" : "off", word(board.strategy), board.replicas,
                     board.vgpu.empty() ? "" : " " + board.vgpu.text, how);
}

void add_held(std::vector<std::string>& lines, const Cluster& cluster, GpuIndex gpu, const Slice& slice) {
  if (!in_use(slice)) return;
  std::string text = slice_text(gpu, slice);
  if (slice.holders.empty()) lines.push_back(fmt::format("{} held by an unknown client", text));
  for (const Holder& holder : slice.holders) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    lines.push_back(fmt::format("{} held by {}{}", text, holder.workload.text,
                                workload ? " (" + workload->user + ")" : ""));
  }
}

bool covers(const Scope& scope, GpuIndex gpu, const Slice& slice) {
  if (scope.boards.empty()) return true;
  for (const Scope::Board& board : scope.boards)
    if (board.gpu == gpu)
      return board.slices.empty() || !slice.placement ||
             std::find(board.slices.begin(), board.slices.end(), *slice.placement) != board.slices.end();
  return false;
}

std::uint64_t mix(std::uint64_t hash, std::string_view text) {
  for (unsigned char byte : text) hash = (hash ^ byte) * 1099511628211ULL;
  return (hash ^ 0xFFU) * 1099511628211ULL;
}

}  // namespace

std::vector<std::string> relied_on(const Cluster& cluster, const Node& node,
                                   const std::vector<GpuIndex>& boards, const std::optional<Scope>& scope) {
  std::vector<std::string> lines;
  lines.push_back(insight::takes_work(node) ? "takes new work"
                                            : fmt::format("takes no new work: {}", word(node.health)));
  for (GpuIndex index : boards)
    if (const Gpu* gpu = find_gpu(node, index)) lines.push_back(board_line(state_of(*gpu)));
  if (scope) {
    for (const Gpu& gpu : node.gpus)
      for (const Slice& slice : gpu.slices)
        if (covers(*scope, gpu.index, slice)) add_held(lines, cluster, gpu.index, slice);
    if (scope->boards.empty())
      for (const WorkloadId& id : node.workloads)
        lines.push_back(fmt::format("the node held by {}", id.text));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

std::string fingerprint_of(const std::vector<NodePlan>& nodes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const NodePlan& node : nodes) {
    hash = mix(hash, node.node.text);
    for (const std::string& line : node.relied_on) hash = mix(hash, line);
  }
  return fmt::format("{:016x}", hash);
}

std::vector<Moved> what_moved(const Plan& plan, const Cluster& cluster) {
  std::vector<Moved> moved;
  for (const NodePlan& planned : plan.nodes) {
    const Node* node = cluster.nodes.find(planned.node);
    if (!node) {
      moved.push_back({planned.node, "the cluster does not list this node any more", false});
      continue;
    }
    std::vector<GpuIndex> boards;
    for (const BoardState& board : planned.before) boards.push_back(board.gpu);
    std::vector<std::string> now = relied_on(cluster, *node, boards, planned.scope);
    for (const std::string& line : planned.relied_on)
      if (!std::binary_search(now.begin(), now.end(), line))
        moved.push_back({planned.node, "no longer: " + line, line.find(" held by ") != std::string::npos});
    for (const std::string& line : now)
      if (std::find(planned.relied_on.begin(), planned.relied_on.end(), line) == planned.relied_on.end())
        moved.push_back({planned.node, "now: " + line, false});
  }
  return moved;
}

bool may_apply(const std::vector<Moved>& moved) {
  return std::all_of(moved.begin(), moved.end(), [](const Moved& one) { return one.harmless; });
}

}  // namespace tessera::plan
