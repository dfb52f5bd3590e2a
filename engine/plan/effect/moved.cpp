#include "engine/plan/effect/moved.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/digest.hpp"
#include "engine/insight/totals.hpp"
#include "engine/model/health_words.hpp"
#include "engine/operators/labels.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/plan_node_action.hpp"
#include "engine/plan/steps/operator_orders.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::plan {
namespace {

std::string board_line(const BoardState& board) {
  std::string how = board.mig ? to_text(board.instances) : "";
  return fmt::format("GPU {} {}: MIG {}, {} × {}{} {}", board.gpu.value, board.product.text,
                     board.mig ? "on" : "off", word(board.strategy), board.replicas,
                     board.vgpu.empty() ? "" : " " + board.vgpu.text, how);
}

constexpr std::string_view kHeldBy = " held by ";

struct Fact {
  std::string line;
  // It may hold this slice, or another one like it: which one is not reported.
  bool vague = false;
  std::string once = {};  // the same as plans of an earlier version tell it; empty: in no other words
  friend auto operator<=>(const Fact&, const Fact&) = default;
};

void add_held(std::vector<Fact>& facts, const Cluster& cluster, GpuIndex gpu, const Slice& slice) {
  if (!in_use(slice)) return;
  std::string text = slice_text(gpu, slice) + std::string(kHeldBy);
  if (slice.holders.empty()) facts.push_back({text + "an unknown client"});
  for (const Holder& holder : slice.holders) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    facts.push_back(
        {text + holder.workload.text + (workload ? " (" + workload->user + ")" : ""), !slice.exact});
  }
}

// "7 (ann)" of "GPU 0 1g.10gb@0 held by 7 (ann)"; empty: the line is about something else.
std::string_view holder_in(std::string_view line) {
  std::size_t at = line.find(kHeldBy);
  return at == std::string_view::npos ? std::string_view() : line.substr(at + kHeldBy.size());
}

// A plan that was made while a source told which slice each holds (a DCGM exporter) names its holders all the
// same when none does any more: that they may hold another one of their slices is nothing new.
bool is_named_in(const std::vector<std::string>& lines, const Fact& fact) {
  return fact.vague && std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
           return holder_in(line) == holder_in(fact.line);
         });
}

bool covers(const Scope& scope, GpuIndex gpu, const Slice& slice) {
  if (scope.boards.empty()) return true;
  for (const Scope::Board& board : scope.boards)
    if (board.gpu == gpu)
      return board.slices.empty() || !slice.placement ||
             std::find(board.slices.begin(), board.slices.end(), *slice.placement) != board.slices.end();
  return false;
}

Fact work_fact(const Cluster& cluster, const Node& node) {
  if (insight::takes_work(node)) return {"takes new workloads"};
  const auto line = [](std::string_view health) { return fmt::format("takes no new workload: {}", health); };
  return {line(health_word(node.health, cluster.scheduler)), false, line(word(node.health))};
}

std::vector<Fact> facts_of(const Cluster& cluster, const Node& node, const std::vector<GpuIndex>& boards,
                           const std::optional<Scope>& scope) {
  std::vector<Fact> lines;
  lines.push_back(work_fact(cluster, node));
  for (GpuIndex index : boards)
    if (const Gpu* gpu = find_gpu(node, index)) lines.push_back({board_line(state_of(*gpu))});
  if (scope) {
    for (const Gpu& gpu : node.gpus)
      for (const Slice& slice : gpu.slices)
        if (covers(*scope, gpu.index, slice)) add_held(lines, cluster, gpu.index, slice);
    for (const WorkloadId& id : node.workloads) {
      const Workload* workload = cluster.workloads.find(id);
      if (scope->boards.empty())
        lines.push_back({fmt::format("the node held by {}", id.text)});
      else if (workload && !workload->unasked.empty() && !workload->stays)
        lines.push_back({fmt::format("GPUs used unasked by {} ({})", id.text, workload->unasked)});
    }
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

// A label by which the node is driven is an order: one that a user has given since is not overwritten. A
// node that tells no such labels is known by the site's reading, which is compared on its own (basis.hpp).
void add_orders_moved(const NodePlan& planned, const Node& node, std::vector<Moved>& moved) {
  const bool told = sharing::ack::decides(node) || sharing::label(node, operators::kMigConfig) ||
                    sharing::label(node, "nvidia.com/gpu.count") || simulated_switches(node);
  if (!told) return;
  auto shown = [](const std::string& value) { return value.empty() ? std::string("not set") : value; };
  for (const auto& [key, before] : planned.ordered_before)
    if (std::string now = order_label(node, nullptr, key); now != before)
      moved.push_back({planned.node,
                       fmt::format("now: label {} is {}, and was {}", key, shown(now), shown(before)),
                       false});
  const Orders now = standing_orders(node, nullptr);
  if (!planned.ordered_before.empty() && offers_nothing(now) && !offers_nothing(planned.ordered_before))
    moved.push_back(
        {planned.node,
         fmt::format("now: label {} is false, so that no device plugin runs there", operators::kPluginDeploy),
         false});
}

}  // namespace

std::vector<std::string> relied_on(const Cluster& cluster, const Node& node,
                                   const std::vector<GpuIndex>& boards, const std::optional<Scope>& scope) {
  std::vector<std::string> lines;
  for (Fact& fact : facts_of(cluster, node, boards, scope))
    if (lines.empty() || lines.back() != fact.line) lines.push_back(std::move(fact.line));
  return lines;
}

std::string fingerprint_of(const std::vector<NodePlan>& nodes) {
  Digest all;
  for (const NodePlan& node : nodes) {
    all.add(node.node.text);
    for (const std::string& line : node.relied_on) all.add(line);
  }
  return all.text();
}

namespace {

// Of a node that is closed or opened only that counts.
void add_action_moved(const NodePlan& planned, const Node& node, std::vector<Moved>& moved) {
  const std::vector<std::string> now = action_facts(node);
  const auto add_missing = [&](const char* lead, const auto& some, const auto& among) {
    for (const std::string& line : some)
      if (std::find(among.begin(), among.end(), line) == among.end())
        moved.push_back({planned.node, lead + line, false});
  };
  add_missing("no longer: ", planned.relied_on, now);
  add_missing("now: ", now, planned.relied_on);
}

}  // namespace

std::vector<Moved> what_moved(const Plan& plan, const Cluster& cluster) {
  std::vector<Moved> moved;
  for (const NodePlan& planned : plan.nodes) {
    const Node* node = cluster.nodes.find(planned.node);
    if (!node) {
      moved.push_back({planned.node, "the cluster does not list this node any more", false});
      continue;
    }
    if (is_node_action(plan.intent)) {
      add_action_moved(planned, *node, moved);
      continue;
    }
    std::vector<GpuIndex> boards;
    for (const BoardState& board : planned.before) boards.push_back(board.gpu);
    std::vector<Fact> now = facts_of(cluster, *node, boards, planned.scope);
    auto is_so = [&](const std::string& line) {
      return std::any_of(now.begin(), now.end(),
                         [&](const Fact& fact) { return fact.line == line || fact.once == line; });
    };
    for (const std::string& line : planned.relied_on)
      if (!is_so(line)) moved.push_back({planned.node, "no longer: " + line, !holder_in(line).empty()});
    for (const Fact& fact : now) {
      const auto& before = planned.relied_on;
      const auto told = [&](const std::string& line) {
        return std::find(before.begin(), before.end(), line) != before.end();
      };
      if (told(fact.line) || told(fact.once) || is_named_in(before, fact)) continue;
      moved.push_back(
          {planned.node,
           "now: " + fact.line + (fact.vague ? ", or another one like it: which one is not reported" : ""),
           false});
    }
    add_orders_moved(planned, *node, moved);
  }
  return moved;
}

bool may_apply(const std::vector<Moved>& moved) {
  return std::all_of(moved.begin(), moved.end(), [](const Moved& one) { return one.harmless; });
}

}  // namespace tessera::plan
