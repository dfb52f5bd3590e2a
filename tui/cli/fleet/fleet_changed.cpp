// What `tessera fleet explain` says of who changed a node, beside the journals: the scheduler's own word, who
// wrote the label that orders its layout, and what a recording kept of the last seven days.
#include <fmt/format.h>

#include <future>
#include <memory>

#include "engine/fleet/changed_by.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/run/actuator.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"
#include "tui/cli/fleet/fleet_command.hpp"
#include "tui/cli/record/past.hpp"

namespace tessera::cli {

std::vector<std::string> FleetCommand::changed_lines(const ClusterName& cluster, const Node& node) {
  std::vector<std::string> lines;
  if (plan::closed_by_flags(node) && !node.reason.empty()) lines.push_back(fleet::closed_sentence(node));
  if (auto line = order_line(cluster, node.name)) lines.push_back(std::move(*line));
  if (auto line = recorded_line(cluster, node.name)) lines.push_back(std::move(*line));
  return lines;
}

// The label stands on the node itself, whoever wrote it.
std::optional<std::string> FleetCommand::order_line(const ClusterName& cluster, const NodeName& node) {
  const Cluster* here = clusters_.model().find(cluster);
  Backend* backend = clusters_.backend(cluster);
  plan::Actuator* actuator = backend ? backend->actuator() : nullptr;
  if (!here || here->scheduler != Scheduler::kubernetes || here->simulated || !actuator) return std::nullopt;
  auto answer = std::make_shared<std::promise<Result<plan::NodeFacts>>>();
  std::future<Result<plan::NodeFacts>> told = answer->get_future();
  actuator->observe(node, [answer](Result<plan::NodeFacts> facts) { answer->set_value(std::move(facts)); });
  const auto is_told = [&] { return told.wait_for(Duration(0)) == std::future_status::ready; };
  clusters_.wait_until(is_told);
  if (!is_told()) return fleet::order_sentence(Error{"", "the cluster did not answer in time", ""});
  return fleet::order_sentence(told.get());
}

std::optional<std::string> FleetCommand::recorded_line(const ClusterName& cluster, const NodeName& node) {
  if (options_.recording.empty() || !joins_.recordings) return std::nullopt;
  Options own = options_;
  own.cluster = cluster.text;
  const auto unknown = [](const Error& why) {
    return "what a recording kept of it is not known: " + clean(to_line(why), 300);
  };
  auto all = recordings_of(own, joins_);
  if (!all) return unknown(all.error());
  const Cluster* here = clusters_.model().find(cluster);
  const TimePoint now = now_of(*all, here ? cluster_now(*here, clusters_.wall()) : clusters_.wall());
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
