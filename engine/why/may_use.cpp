#include "engine/why/may_use.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/text.hpp"

namespace tessera::why {
namespace {

void read_hosts(const std::string& list, std::set<std::string>& hosts, bool& unread) {
  const auto names = expand_hosts(list);
  unread = !list.empty() && !names;
  if (names) hosts.insert(names->begin(), names->end());
}

// Later versions of kube-scheduler do not say which taints they were.
bool names_no_taint(const std::string& message) {
  return message.find("had untolerated taint(s)") != std::string::npos;
}

// "{team: x}{dedicated: }"
std::string taints_named(const std::string& message) {
  std::string all;
  for (std::size_t at = message.find('{'); at != std::string::npos; at = message.find('{', at)) {
    const std::size_t end = message.find('}', at);
    if (end == std::string::npos) break;
    all += message.substr(at, end + 1 - at);
    at = end;
  }
  return all;
}

bool keeps_pods_off(const std::string& taint) { return !taint.ends_with(":PreferNoSchedule"); }

// Whether ",name," stands in the list, without a text for it.
bool lists(const std::string& list, const std::string& name) {
  for (std::size_t at = list.find(name); at != std::string::npos; at = list.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if (at > 0 && list[at - 1] == ',' && end < list.size() && list[end] == ',') return true;
  }
  return false;
}

}  // namespace

bool Named::has_features(const Node& node) const {
  const auto has = [&](const std::string& feature) {
    return std::find(node.features.begin(), node.features.end(), feature) != node.features.end();
  };
  return any_feature ? std::any_of(features.begin(), features.end(), has)
                     : std::all_of(features.begin(), features.end(), has);
}

bool has_unread_features(const Workload& workload) {
  if (!workload.needs) return false;
  const std::string& features = workload.needs->features;
  const bool both = features.find('|') != std::string::npos && features.find('&') != std::string::npos;
  return both || features.find_first_of("[]()*,!") != std::string::npos;
}

// "h100&nvl" and "h100|a100"; counts and brackets are Slurm's to work out.
Named named_by(const Workload& workload) {
  Named named;
  if (!workload.needs) return named;
  const NodeNeeds& needs = *workload.needs;
  read_hosts(needs.nodes, named.nodes, named.nodes_unread);
  read_hosts(needs.excluded, named.excluded, named.excluded_unread);
  // Fewer names than nodes: the others may be any.
  if (named.nodes.size() < static_cast<std::size_t>(std::max(1, workload.node_count))) named.nodes.clear();
  const bool any = needs.features.find('|') != std::string::npos;
  named.features_unread = has_unread_features(workload);
  if (named.features_unread) return named;
  named.any_feature = any;
  std::string word;
  for (const char c : needs.features + '&') {
    if (c != '&' && c != '|') {
      word += c;
    } else if (!word.empty()) {
      named.features.push_back(std::exchange(word, {}));
    }
  }
  return named;
}

bool starts_nothing(const Partition& partition) {
  return partition.state == "DOWN" || partition.state == "DRAIN" || partition.state == "INACTIVE";
}

std::vector<std::string> partitions_of(const Workload& workload) {
  const std::vector<std::string_view> names = parts_at_commas(workload.group);
  return {names.begin(), names.end()};
}

const Partition* closed_to_it(const Cluster& cluster, const Workload& workload, const Node* node) {
  const Partition* first = nullptr;
  for (const std::string& name : partitions_of(workload)) {
    if (node && !node->partitions.empty() &&
        std::find(node->partitions.begin(), node->partitions.end(), name) == node->partitions.end())
      continue;
    const auto found = std::find_if(cluster.partitions.begin(), cluster.partitions.end(),
                                    [&](const Partition& one) { return one.name == name; });
    if (found == cluster.partitions.end() || !starts_nothing(*found)) return nullptr;
    if (!first) first = &*found;
  }
  return first;
}

bool names_taint(const std::string& message, const std::string& taint) {
  if (!keeps_pods_off(taint)) return false;
  const std::string pair = taint.substr(0, taint.find(':'));
  const auto equals = pair.find('=');
  const std::string value = equals == std::string::npos ? "" : pair.substr(equals + 1);
  return message.find("{" + pair.substr(0, equals) + ": " + value + "}") != std::string::npos;
}

bool is_selective(const Workload& workload, Scheduler scheduler) {
  return scheduler == Scheduler::kubernetes && workload.reason.find("didn't match") != std::string::npos;
}

bool is_short_of_machine(const Workload& workload, Scheduler scheduler) {
  const auto says = [&](std::string_view words) { return workload.reason.find(words) != std::string::npos; };
  return scheduler == Scheduler::kubernetes && (says("Insufficient cpu") || says("Insufficient memory"));
}

// Of a message what decides alone: its numbers are others after each look of the scheduler's.
std::string reach_of(const Workload& workload, Scheduler scheduler) {
  std::string text = workload.group + '\n' + std::to_string(workload.node_count);
  if (workload.needs)
    text += '\n' + workload.needs->nodes + '\n' + workload.needs->excluded + '\n' + workload.needs->features +
            '\n' + workload.needs->reservation;
  if (scheduler == Scheduler::slurm) return text;
  if (is_selective(workload, scheduler)) text += "\nselective";
  if (is_short_of_machine(workload, scheduler)) text += "\nshort";
  if (names_no_taint(workload.reason)) text += "\ntainted";
  return text + '\n' + taints_named(workload.reason);
}

MayUse::MayUse(const Cluster& cluster, const Workload& workload, const ToCome* to_come)
    : workload_(workload),
      to_come_(to_come),
      slurm_(cluster.scheduler == Scheduler::slurm),
      own_(cluster, workload),
      partitions_(","),
      named_(named_by(workload)) {
  unread_ = named_.nodes_unread || named_.excluded_unread || named_.features_unread ||
            is_selective(workload, cluster.scheduler);
  unnamed_taints_ = !slurm_ && names_no_taint(workload.reason);
  short_of_machine_ = is_short_of_machine(workload, cluster.scheduler);
  if (!slurm_) return;
  for (const std::string& name : partitions_of(workload)) {
    const bool starts =
        std::none_of(cluster.partitions.begin(), cluster.partitions.end(),
                     [&](const Partition& one) { return one.name == name && starts_nothing(one); });
    if (starts) partitions_ += name + ",";
  }
  no_partition_ = partitions_ == "," && !workload.group.empty();
}

bool MayUse::is_in_partition(const Node& node) const {
  if (!slurm_ || node.partitions.empty() || workload_.group.empty()) return true;
  return std::any_of(node.partitions.begin(), node.partitions.end(),
                     [&](const std::string& name) { return lists(partitions_, name); });
}

bool MayUse::is_repelled(const Node& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [&](const std::string& taint) {
    const auto [at, fresh] = repels_.try_emplace(taint);
    if (fresh) at->second = names_taint(workload_.reason, taint);
    return at->second;
  });
}

ToCome::Met MayUse::met_on(const Node& node) const {
  return to_come_ ? to_come_->met_now(node, own_, workload_) : ToCome::Met{};
}

bool MayUse::is_sure(const Node& node) const {
  return !short_of_machine_ && !met_on(node).what && is_sure_in_time(node);
}

bool MayUse::is_sure_in_time(const Node& node) const {
  const bool of_own = !own_.bind() || own_.are_told() || own_.hold(node);
  return !unread_ && of_own &&
         !(unnamed_taints_ && std::any_of(node.taints.begin(), node.taints.end(), keeps_pods_off));
}

// By all but reservations, which begin and end.
bool MayUse::is_named(const Node& node) {
  if (no_partition_ || !is_in_partition(node)) return false;
  const bool named =
      !workload_.needs ||
      (named_.asks_for(node) && !named_.excluded.contains(node.name.text) && named_.has_features(node));
  return named && !is_repelled(node);
}

bool MayUse::in_time(const Node& node) {
  const bool bound = own_.bind() && own_.are_told() && !own_.list(node) && !own_.hold(node);
  return !bound && is_named(node);
}

bool MayUse::operator()(const Node& node) {
  const bool let_in = insight::is_reserved(node) ? own_.hold(node) : !own_.bind() || !own_.are_told();
  if (!let_in || !is_named(node)) return false;
  const ToCome::Met met = met_on(node);
  return !met.what || !met.known;
}

}  // namespace tessera::why
