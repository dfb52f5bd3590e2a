// From a proposal to what is typed behind `tessera plan`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/guide/hand_over.hpp"
#include "engine/guide/proposals/ways.hpp"
#include "engine/hostlist.hpp"
#include "engine/plan/intent.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/shell.hpp"

namespace tessera::guide {

namespace {

using Flags = std::vector<std::string>;

constexpr const char* kAnyNodeName = "NODE";

// "1g.20gb,6x1g.10gb": as short as it can be typed.
std::string shortened(const std::string& layout) {
  std::vector<std::pair<std::string_view, int>> runs;
  for (std::string_view rest = layout; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    if (runs.empty() || runs.back().first != one) runs.emplace_back(one, 0);
    ++runs.back().second;
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
  }
  std::string text;
  for (const auto& [one, count] : runs)
    text += fmt::format("{}{}{}", text.empty() ? "" : ",", count > 1 ? fmt::format("{}x", count) : "", one);
  return text;
}

// How the GPUs are to be cut or shared; empty: that cannot be asked for.
Flags wish_flags(const Proposal& proposal, const std::string& layout, Scheduler scheduler) {
  Flags flags;
  if (proposal.strategy == Strategy::mig) {
    if (layout.empty()) return {};
    flags = {"--layout", shortened(layout)};
  } else {
    auto wish = wish_of(proposal, scheduler);
    if (!wish) return {};
    flags = {"--strategy", std::string(tessera::word(wish->strategy))};
    if (!wish->vgpu.empty()) flags.insert(flags.end(), {"--vgpu", wish->vgpu.text});
    if (wish->replicas < 2) return flags;
  }
  const int replicas = proposal.replicas.value_or(1);
  // ACK hands out GiB: their number is not for anyone to choose.
  if (proposal.advertised.contains(std::string(sharing::ack::kMemory))) return flags;
  if (replicas > 1 && proposal.strategy != Strategy::vgpu)
    flags.insert(flags.end(), {"--replicas", std::to_string(replicas)});
  return flags;
}

// Which of a node's GPUs, where it is not all of them.
using Indices = std::set<int>;

struct NodesAlike {
  std::vector<std::string> nodes;  // in their order
  Indices gpus;                    // empty: all
};

bool has_all(const Scope& scope, const NodeName& name, const Indices& gpus) {
  const auto node = std::find_if(scope.nodes.begin(), scope.nodes.end(),
                                 [&](const Node* one) { return one->name == name; });
  return gpus.empty() || (node != scope.nodes.end() && (*node)->gpus.size() == gpus.size());
}

// Nodes of which the same GPUs are meant are one plan.
std::vector<NodesAlike> groups_of(const std::vector<const BoardProposal*>& boards, const Scope& scope) {
  std::vector<std::pair<NodeName, Indices>> each;
  for (const BoardProposal* board : boards) {
    if (each.empty() || each.back().first != board->node) each.push_back({board->node, {}});
    if (board->gpu) each.back().second.insert(board->gpu->value);
  }
  std::vector<NodesAlike> groups;
  for (auto& [node, gpus] : each) {
    if (has_all(scope, node, gpus)) gpus.clear();
    auto same =
        std::find_if(groups.begin(), groups.end(), [&](const NodesAlike& one) { return one.gpus == gpus; });
    if (same == groups.end()) same = groups.insert(groups.end(), NodesAlike{{}, gpus});
    same->nodes.push_back(node.text);
  }
  return groups;
}

Flags where(const NodesAlike& group) {
  Flags flags{"--node", group.nodes == std::vector<std::string>{""} ? kAnyNodeName : fold_hosts(group.nodes)};
  if (!group.gpus.empty())
    flags.insert(flags.end(), {"--gpu", fmt::format("{}", fmt::join(group.gpus, ","))});
  return flags;
}

}  // namespace

std::vector<Flags> plan_flags(const Proposal& proposal, const Scope& scope, Scheduler scheduler) {
  // By what they become: one entry, unless each GPU is cut in its own way.
  std::vector<std::pair<std::string, std::vector<const BoardProposal*>>> kinds;
  const bool each = proposal.strategy == Strategy::mig && proposal.layout.empty();
  for (const BoardProposal& board : proposal.boards) {
    const std::string layout = each ? board.wish : proposal.layout;
    auto same =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == layout; });
    if (same == kinds.end()) same = kinds.insert(kinds.end(), {layout, {}});
    same->second.push_back(&board);
  }
  // GPUs of a pool that are not reported, and products in no cluster, are planned by their nodes.
  BoardProposal any;
  std::vector<BoardProposal> untold;
  const bool nowhere = proposal.boards.empty() || proposal.boards.front().node.text.empty();
  if (nowhere) {
    for (const Node* node : scope.nodes)
      untold.push_back({node->name, std::nullopt, std::nullopt, {}, 0, {}});
    if (untold.empty()) untold.push_back(any);
    kinds = {{proposal.layout, {}}};
    for (const BoardProposal& board : untold) kinds.front().second.push_back(&board);
  }
  std::vector<Flags> all;
  for (const auto& [layout, boards] : kinds) {
    const Flags wish = wish_flags(proposal, layout, scheduler);
    if (wish.empty()) return {};
    for (const NodesAlike& group : groups_of(boards, scope)) {
      Flags flags = where(group);
      flags.insert(flags.end(), wish.begin(), wish.end());
      all.push_back(std::move(flags));
    }
  }
  return all;
}

std::string typed(const std::vector<std::string>& flags) {
  std::string text;
  for (const std::string& flag : flags) text += (text.empty() ? "" : " ") + shell_word(flag);
  return text;
}

}  // namespace tessera::guide
