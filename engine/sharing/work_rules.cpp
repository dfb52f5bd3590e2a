#include "engine/sharing/work_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "engine/sharing/resources.hpp"
#include "engine/sharing/shares.hpp"

namespace tessera::sharing {

namespace {

constexpr std::string_view kChange = "change the request in its manifest and start it again";
constexpr std::string_view kAskForOne = "ask for 1; who needs more asks for a larger instance or a whole GPU";
constexpr std::string_view kAskForLess = "ask for at most mps:100, or for whole GPUs";
constexpr std::size_t kContainers = 256;
constexpr std::string_view kComponentMark = "sharing component ";

bool is_live(const Workload& work) {
  return work.state != WorkloadState::ended && work.state != WorkloadState::completing;
}

std::int64_t most_of(const Request& request) { return request.largest > 0 ? request.largest : request.count; }

bool is_share(const NodeShape& shape, const Request& request) {
  const auto name = parse_resource(request.resource, Scheduler::kubernetes);
  const bool counted =
      name && name->kind != ResourceKind::gpu_memory && name->kind != ResourceKind::other_gpu;
  return counted && shape.sharing.method == Strategy::time_slicing && shape.sharing.replicas > 1;
}

// Where the plugin lets it pass, it is no error and still not what its owner expects.
void add_several_shares(std::vector<WorkFinding>& found, const Workload& pod, const NodeShape& shape,
                        const PodShape& as_pod) {
  for (const Request& request : pod.requests) {
    if (most_of(request) <= 1 || !is_share(shape, request)) continue;
    found.push_back(
        {"share-request", pod.id, NodeName(shape.name),
         fmt::format("{}: container {} asks for {} of {}; these are shares by time-slicing, and "
                     "more than 1 gives it nothing more",
                     pod.id.text, as_pod.containers.front().name, most_of(request), request.resource),
         std::string(kAskForOne)});
  }
}

void add_of_job(std::vector<WorkFinding>& found, const Workload& job) {
  for (const Request& request : job.requests) {
    if (request.count <= kMpsPercent) continue;
    const auto name = parse_resource(request.resource, Scheduler::slurm);
    if (!name || name->kind != ResourceKind::mps) continue;
    const int nodes = std::max(job.node_count, 1);
    const std::int64_t each = (request.count + nodes - 1) / nodes;
    if (each <= kMpsPercent) continue;
    found.push_back(
        {"mps-one-gpu",
         job.id,
         {},
         fmt::format("{} asks for mps:{}, more than one GPU has; one job over several GPUs by MPS "
                     "works poorly",
                     job.id.text, each),
         std::string(kAskForLess)});
  }
}

// Without shares a pod breaks rules of the managed platform only.
bool hands_out_shares(const Cluster& cluster) {
  const auto nodes = cluster.nodes.all();
  return std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
    return std::any_of(node.gpus.begin(), node.gpus.end(), [](const Gpu& gpu) {
      return in_shares(gpu.strategy) || gpu.replicas.value_or(1) > 1;
    });
  });
}

// Whoever asks for one thing breaks no rule, but that of MPS on the host's IPC.
bool is_plain(const Workload& pod, const NodeShape& node) {
  std::int64_t asked = 0;
  for (const Request& request : pod.requests) asked += std::max<std::int64_t>(request.count, 0);
  const bool reaches_mps = node.sharing.method != Strategy::mps || !pod.pod || pod.pod->host_ipc;
  return asked <= 1 && reaches_mps && !node.boards.empty() && (!pod.pod || pod.pod->processes <= 1);
}

// Nodes that rules of pods cannot tell apart, as the first of them: what they offer, in how many shares and
// with which switches, on how many GPUs. A large cluster has few kinds.
struct NodeKind {
  const NodeShape* node = nullptr;
  std::set<std::string> offered;
};
std::vector<NodeKind> node_kinds(const std::map<NodeName, NodeShape>& shapes, Scheduler scheduler) {
  using Key = std::tuple<std::set<std::string>, Strategy, int, std::optional<bool>, std::size_t, MigStrategy>;
  std::set<Key> known;
  std::vector<NodeKind> kinds;
  for (const auto& [name, shape] : shapes) {
    std::set<std::string> offered;
    for (const auto& [resource, count] : advertise(shape, scheduler).counts)
      if (count > 0) offered.insert(resource);
    const Sharing& sharing = shape.sharing;
    if (known
            .insert({offered, sharing.method, sharing.replicas, sharing.refuse_more, shape.boards.size(),
                     shape.type.value_or(shape.strategy)})
            .second)
      kinds.push_back({&shape, std::move(offered)});
  }
  return kinds;
}

// Shares that have their own switches and rules are one node's; a pod that waits is judged where all nodes
// that offer what it asks for agree.
void add_waiting(std::vector<WorkFinding>& found, Platform platform, const std::vector<NodeKind>& kinds,
                 const Workload& pod) {
  std::optional<Violations> of_all;
  std::optional<PodShape> shape;
  for (const NodeKind& kind : kinds) {
    const bool offers = std::any_of(pod.requests.begin(), pod.requests.end(), [&](const Request& request) {
      return kind.offered.contains(request.resource);
    });
    if (!offers) continue;
    if (is_plain(pod, *kind.node)) return;
    if (!shape) shape = pod_shape(pod);
    Violations here = check_pod(platform, *kind.node, *shape);
    if (!of_all || here.size() < of_all->size()) of_all = std::move(here);
    if (of_all->empty()) return;
  }
  if (!of_all) return;
  for (const Violation& one : *of_all)
    found.push_back({one.rule, pod.id, {}, pod.id.text + ": " + one.message, std::string(kChange)});
}

}  // namespace

PodShape pod_shape(const Workload& pod) {
  PodShape shape;
  shape.name = pod.id.text;
  shape.host_ipc = !pod.pod || pod.pod->host_ipc;
  ContainerShape container;
  container.name = pod.pod && !pod.pod->container.empty() ? pod.pod->container : pod.name;
  container.processes = pod.pod ? std::max(pod.pod->processes, 1) : 1;
  for (const Request& request : pod.requests)
    container.requests.push_back({request.resource, most_of(request), 0});
  shape.containers.push_back(std::move(container));
  // Of the others nothing is told but what all ask for together: one each breaks no rule of containers, and
  // the sum is the pod's.
  for (const Request& request : pod.requests)
    for (std::int64_t rest = request.count - most_of(request); rest > 0; --rest) {
      if (shape.containers.size() >= kContainers) return shape;
      shape.containers.push_back({"another", {{request.resource, 1, 0}}, 1});
    }
  return shape;
}

std::vector<WorkFinding> check_pods(const Cluster& cluster, Platform platform, const Node& node,
                                    const NodeShape& shape) {
  std::vector<WorkFinding> found;
  if (cluster.scheduler != Scheduler::kubernetes) return found;
  for (const WorkloadId& id : node.workloads) {
    const Workload* pod = cluster.workloads.find(id);
    if (pod == nullptr || !is_live(*pod) || pod->requests.empty() || is_plain(*pod, shape)) continue;
    const PodShape as_pod = pod_shape(*pod);
    const Violations broken = check_pod(platform, shape, as_pod);
    for (const Violation& one : broken)
      found.push_back({one.rule, id, node.name, id.text + ": " + one.message, std::string(kChange)});
    if (broken.empty() && platform != Platform::fpt) add_several_shares(found, *pod, shape, as_pod);
  }
  return found;
}

std::vector<WorkFinding> check_work(const Cluster& cluster, const mig::Catalogue& catalogue,
                                    Platform platform) {
  std::vector<WorkFinding> found;
  if (cluster.scheduler == Scheduler::slurm) {
    for (const Workload& job : cluster.workloads.all())
      if (is_live(job)) add_of_job(found, job);
  } else if (platform == Platform::fpt || hands_out_shares(cluster)) {
    std::map<NodeName, NodeShape> shapes;
    for (const Node& node : cluster.nodes.all())
      if (!node.gpus.empty()) shapes.emplace(node.name, of_node(node, cluster.scheduler, catalogue));
    for (const auto& [name, shape] : shapes) {
      auto here = check_pods(cluster, platform, *cluster.nodes.find(name), shape);
      std::move(here.begin(), here.end(), std::back_inserter(found));
    }
    const std::vector<NodeKind> kinds = node_kinds(shapes, cluster.scheduler);
    for (const Workload& pod : cluster.workloads.all())
      if (pod.state == WorkloadState::pending && pod.allocations.empty())
        add_waiting(found, platform, kinds, pod);
  }
  if (platform == Platform::ack)
    for (const Violation& one : ack_rules({}, ack_facts(cluster)))
      found.push_back({one.rule, {}, {}, one.message, ""});
  std::sort(found.begin(), found.end(), [](const WorkFinding& left, const WorkFinding& right) {
    return std::tie(left.workload, left.rule, left.text) < std::tie(right.workload, right.rule, right.text);
  });
  return found;
}

Violations check_nodes(const Cluster& cluster, const mig::Catalogue& catalogue, Platform platform) {
  const std::set<Platform> managed{Platform::fpt, Platform::ack, Platform::gke, Platform::aks,
                                   Platform::hyperpod_slurm};
  if (!managed.contains(platform)) return {};
  std::vector<NodeShape> shapes;
  for (const Node& node : cluster.nodes.all())
    if (!node.gpus.empty()) shapes.push_back(of_node(node, cluster.scheduler, catalogue));
  return check(platform, shapes);
}

AckFacts ack_facts(const Cluster& cluster) {
  AckFacts facts;
  const std::string_view version = cluster.version;
  const auto word_behind = [&](std::string_view mark) {
    const std::size_t at = version.find(mark);
    if (at == std::string_view::npos) return std::string();
    const std::string_view rest = version.substr(at + mark.size());
    return std::string(rest.substr(0, rest.find_first_of(" ,")));
  };
  facts.kubernetes = word_behind("kubernetes v");
  facts.component = word_behind(kComponentMark);
  return facts;
}

}  // namespace tessera::sharing
