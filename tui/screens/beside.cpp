#include "tui/screens/beside.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/model/health_words.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr int kName = 1, kHealth = 20, kSlices = 30, kReason = 46;

// "12 of 16 held"; what is not known is not counted as free.
std::string slices_text(const Node& node) {
  const SliceCounts& counts = node.counts;
  if (counts.all == 0) return "no slices";
  if (!counts.known()) return fmt::format("? of {}", counts.all);
  return fmt::format("{} of {} held", counts.held, counts.all);
}

DocLine line_of(const Cluster& cluster, const Node& node, int width, bool ascii) {
  DocLine line{{{shorten(node.name.text, kHealth - kName - 1, ascii), Style(Role::text).with_bold(), kName},
                {std::string(health_word(node.health, cluster.scheduler)), role_of(node.health), kHealth},
                {slices_text(node), Role::dim, kSlices}},
               {}};
  if (!node.reason.empty())
    line.spans.push_back({shorten(node.reason, std::max(1, width - kReason - 1), ascii), Role::dim, kReason});
  return line;
}

}  // namespace

void add_nodes(Document& lines, const UiState& state, const Cluster& cluster,
               const std::vector<std::string>& nodes, int width, std::size_t most) {
  lines.push_back({{{"NODE", Role::heading, kName},
                    {"HEALTH", Role::heading, kHealth},
                    {"SLICES", Role::heading, kSlices},
                    {"REASON", Role::heading, kReason}},
                   {}});
  for (std::size_t i = 0; i < std::min(most, nodes.size()); ++i) {
    const Node* node = cluster.nodes.find(NodeName(nodes[i]));
    if (node)
      lines.push_back(line_of(cluster, *node, width, state.ascii));
    else
      lines.push_back({{{nodes[i], Style(Role::text).with_bold(), kName},
                        {told(state, "not listed any more"), Role::dim, kHealth}},
                       {}});
  }
  if (nodes.size() > most)
    lines.push_back({{{told(state, fmt::format("and {} more", nodes.size() - most)), Role::dim, kName}}, {}});
}

}  // namespace tessera::tui
