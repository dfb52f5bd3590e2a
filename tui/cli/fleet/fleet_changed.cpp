// What `tessera fleet explain` says of who changed a node, beside the journals: the scheduler's own word, who
// wrote the labels that order its layout and its sharing, and what a recording kept of the last seven days.
#include <fmt/format.h>

#include "engine/fleet/changed_by.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/text.hpp"
#include "tui/cli/fleet/fleet_command.hpp"
#include "tui/cli/record/past.hpp"

namespace tessera::cli {

std::vector<std::string> FleetCommand::changed_lines(const Cluster& cluster, const Node& node) const {
  std::vector<std::string> lines;
  if (plan::closed_by_flags(node) && !node.reason.empty()) lines.push_back(fleet::closed_sentence(node));
  for (std::string& line : fleet::order_sentences(cluster, node)) lines.push_back(std::move(line));
  if (auto line = recorded_line(cluster, node.name)) lines.push_back(std::move(*line));
  return lines;
}

std::optional<std::string> FleetCommand::recorded_line(const Cluster& cluster, const NodeName& node) const {
  if (options_.recording.empty() || !joins_.recordings) return std::nullopt;
  Options own = options_;
  own.cluster = cluster.name.text;
  const auto unknown = [](const Error& why) {
    return "what a recording kept of it is not known: " + clean(to_line(why), 300);
  };
  auto all = recordings_of(own, joins_);
  if (!all) return unknown(all.error());
  const TimePoint moment = cluster_now(cluster, clusters_.wall());
  const TimePoint now = is_past() ? moment : now_of(*all, moment);
  fleet::LayoutWatch watch(node);
  for (const auto& recording : *all) {
    const Status read = recording->rounds(now - fleet::kLooksBack, now, [&](const record::Round& round) {
      watch.see(round.cluster, round.at);
      return true;
    });
    if (!read) return unknown(read.error());
  }
  return watch.sentence();
}

}  // namespace tessera::cli
