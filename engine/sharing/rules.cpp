#include "engine/sharing/rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/sharing/limits.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::sharing {

namespace {

std::string subject(const NodeShape& node) { return node.name.empty() ? "this node" : node.name; }

bool any_mig(const NodeShape& node) {
  return std::any_of(node.boards.begin(), node.boards.end(), [](const BoardShape& b) { return b.mig; });
}

bool replicates(const NodeShape& node, Strategy method) { return node.sharing.method == method; }

std::vector<ProfileName> sorted(std::vector<ProfileName> names) {
  std::sort(names.begin(), names.end());
  return names;
}

bool same_cut(const BoardShape& left, const BoardShape& right) {
  return left.mig == right.mig && sorted(left.instances) == sorted(right.instances);
}

std::string describe(const BoardShape& board) {
  if (!board.mig) return "whole";
  if (board.instances.empty()) return "MIG on and no instances";
  std::vector<ProfileName> names = sorted(board.instances);
  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    const std::size_t first = i;
    while (i < names.size() && names[i] == names[first]) ++i;
    text += fmt::format("{}{} × {}", text.empty() ? "" : " + ", i - first, names[first].text);
  }
  return text;
}

void clients_in_range(Violations& found, const NodeShape& node, const char* rule, std::string_view method) {
  const int replicas = node.sharing.replicas;
  if (replicas >= kMinClients && replicas <= kMaxClients) return;
  found.push_back({rule, fmt::format("{}: {} takes {} to {} clients, not {}", subject(node), method,
                                     kMinClients, kMaxClients, replicas)});
}

// GPU units, of whatever kind, that a container asks for.
std::int64_t asked(const ContainerShape& container) {
  std::int64_t count = 0;
  for (const Request& request : container.requests) {
    if (parse_resource(request.resource, Scheduler::kubernetes)) count += request.count;
  }
  return count;
}

MigStrategy type_of(const NodeShape& node) { return node.type.value_or(node.strategy); }

}  // namespace

Violations fpt_one_layout(const NodeShape& node) {
  for (std::size_t i = 1; i < node.boards.size(); ++i) {
    if (same_cut(node.boards[0], node.boards[i])) continue;
    return {{"fpt-a", fmt::format("{}: one layout must hold for all its cards, but GPU 0 would be {} and GPU "
                                  "{} {}",
                                  subject(node), describe(node.boards[0]), i, describe(node.boards[i]))}};
  }
  return {};
}

Violations fpt_one_strategy(std::span<const NodeShape> nodes) {
  for (const NodeShape& node : nodes) {
    if (type_of(node) == type_of(nodes.front())) continue;
    const auto name = [](const NodeShape& one) { return one.group.empty() ? subject(one) : one.group; };
    return {{"fpt-b", fmt::format("all worker groups of a cluster share one type: {} is \"{}\", {} is \"{}\"",
                                  name(nodes.front()), word(type_of(nodes.front())), name(node),
                                  word(type_of(node)))}};
  }
  return {};
}

Violations fpt_mps(const NodeShape& node) {
  Violations found;
  if (!replicates(node, Strategy::mps)) return found;
  clients_in_range(found, node, "fpt-c", "MPS");
  if (any_mig(node)) {
    found.push_back({"fpt-c", fmt::format("{}: MPS cannot be combined with MIG; choose none with operator",
                                          subject(node))});
  }
  return found;
}

Violations fpt_mps_pod(const NodeShape& node, const PodShape& pod) {
  Violations found;
  if (!replicates(node, Strategy::mps)) return found;
  bool uses = false;
  for (const ContainerShape& container : pod.containers) {
    const std::int64_t count = asked(container);
    if (count == 0) continue;
    uses = true;
    if (count != 1) {
      found.push_back(
          {"fpt-c", fmt::format("container {} asks for {} GPUs; with MPS it must ask for exactly 1",
                                container.name, count)});
    }
    if (container.processes > 1) {
      found.push_back({"fpt-c", fmt::format("container {} runs {} processes; with MPS it may run one",
                                            container.name, container.processes)});
    }
  }
  if (uses && !pod.host_ipc) {
    found.push_back(
        {"fpt-c", fmt::format("pod {} must set hostIPC: true to reach the MPS daemon", pod.name)});
  }
  return found;
}

Violations fpt_time_slicing(const NodeShape& node) {
  Violations found;
  if (!replicates(node, Strategy::time_slicing)) return found;
  clients_in_range(found, node, "fpt-d", "time-slicing");
  if (type_of(node) != MigStrategy::single && type_of(node) != MigStrategy::none_with_operator) {
    found.push_back(
        {"fpt-d",
         fmt::format("{}: time-slicing goes with a single layout or with none with operator, not with "
                     "\"{}\"",
                     subject(node), word(type_of(node)))});
  }
  return found;
}

Violations fpt_time_slicing_pod(const NodeShape& node, const PodShape& pod) {
  Violations found;
  if (!replicates(node, Strategy::time_slicing)) return found;
  for (const ContainerShape& container : pod.containers) {
    const std::int64_t count = asked(container);
    if (count > 1) {
      found.push_back({"fpt-d", fmt::format("container {} asks for {} replicas; more than 1 gives it nothing "
                                            "more",
                                            container.name, count)});
    }
    if (count > 0 && container.processes > 1) {
      found.push_back({"fpt-d", fmt::format("container {} runs {} processes; it may run one", container.name,
                                            container.processes)});
    }
  }
  return found;
}

Violations fpt_whole_gpu(const NodeShape& node) {
  if (type_of(node) != MigStrategy::none_with_operator) return {};
  if (any_mig(node)) {
    return {{"fpt-e",
             fmt::format("{}: none with operator means whole GPUs, but MIG would be on", subject(node))}};
  }
  return {};
}

Violations fpt_whole_gpu_pod(const NodeShape& node, const PodShape& pod) {
  Violations found;
  const bool shared = replicates(node, Strategy::mps) || replicates(node, Strategy::time_slicing);
  if (type_of(node) != MigStrategy::none_with_operator || shared) return found;
  std::int64_t boards = 0;
  for (const ContainerShape& container : pod.containers) boards += asked(container);
  const auto there = static_cast<std::int64_t>(node.boards.size());
  if (boards > there) {
    found.push_back({"fpt-e", fmt::format("pod {} asks for {} GPUs, {} has {}; a GPU serves one container",
                                          pod.name, boards, subject(node), there)});
  }
  return found;
}

Violations plugin_rules(const NodeShape& node) {
  Violations found;
  if (node.by_pool) return found;  // no replicas: another plugin splits the memory
  const bool mps = replicates(node, Strategy::mps), slices = replicates(node, Strategy::time_slicing);
  if ((mps || slices) && node.sharing.replicas < kMinClients) {
    found.push_back({"plugin-replicas", fmt::format("{}: replicas must be 2 or more, not {}", subject(node),
                                                    node.sharing.replicas)});
  }
  if (mps && any_mig(node)) {
    found.push_back({"plugin-mps-mig",
                     fmt::format("{}: the device plugin refuses MPS on GPUs with MIG on", subject(node))});
  }
  for (const BoardShape& board : node.boards) {
    if (!mps || board.product == nullptr || board.product->compute_capability.empty()) continue;
    const int most = mps_plugin_clients(board.product->compute_capability);
    if (node.sharing.replicas <= most) continue;
    found.push_back({"plugin-mps-clients",
                     fmt::format("{}: {} takes at most {} MPS clients (compute capability {}), not {}",
                                 subject(node), board.product->key.text, most,
                                 board.product->compute_capability, node.sharing.replicas)});
    break;
  }
  if (node.strategy == MigStrategy::single && any_mig(node) &&
      natural_strategy(node) != MigStrategy::single) {
    found.push_back(
        {"plugin-single", fmt::format("{}: the strategy single needs every GPU cut into instances "
                                      "of one profile; the node would advertise nothing",
                                      subject(node))});
  }
  return found;
}

}  // namespace tessera::sharing
