#include "backends/kubernetes/store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "backends/kubernetes/components.hpp"
#include "backends/kubernetes/node_values.hpp"
#include "backends/kubernetes/pod_values.hpp"
#include "backends/kubernetes/remarks.hpp"
#include "engine/operators/boards.hpp"

namespace tessera::kubernetes {
namespace {

bool is_underway(std::string_view state) { return state == "pending" || state == "rebooting"; }

// Worth keeping wherever it runs: nodes may turn out to have GPUs after their pods were seen.
bool is_kept(const PodObject& pod) { return !component_of(pod).empty() || is_gpu_work(pod, true); }

// What pods are told by: another family or type of slices.
bool shares_alike(const NodeSharing& a, const NodeSharing& b) {
  return a.mig_strategy == b.mig_strategy && a.instances.empty() == b.instances.empty() &&
         a.whole == b.whole && a.method == b.method && a.model == b.model;
}

template <class Object>
FeedPage head_of(const Page<Object>& page) {
  return {page.version, page.next, page.remaining, page.skipped, page.first_problem};
}
template <class Object>
FeedLine head_of(const WatchLine<Object>& line) {
  return {line.change, line.version, line.status};
}

}  // namespace

struct Store::State {
  struct NodeEntry {
    NodeObject object;
    NodeSharing sharing;
    std::vector<Component> components;
    std::optional<TimePoint> pending_since, differs_since;
    std::vector<Remark> remarks;
    std::set<std::string> pods;  // ids of kept pods that are bound to it
  };

  const mig::Catalogue* catalogue;
  std::shared_ptr<const operators::Site> site;
  std::function<void(What)> post;
  std::function<TimePoint()> clock;
  Parser parser;

  std::map<std::string, NodeEntry, std::less<>> nodes;
  std::unordered_map<std::string, PodObject> pods;
  std::unordered_map<std::string, std::set<std::string>> bound;  // node → pods, also of nodes not known yet
  std::vector<DaemonSetObject> sets, sets_listed;
  bool sets_known = false;
  std::vector<ClusterPolicyObject> policies, policies_listed;

  std::set<std::string> seen;       // by the node list that is under way
  std::set<std::string> seen_pods;  // by the pod list that is under way
  bool nodes_complete = false, pods_complete = false;
  std::set<std::string, std::less<>> dirty;  // nodes whose value is to be made again
  std::string licence;                       // as posted last
  std::vector<Remark> told;                  // remarks, as posted last

  Origin origin(Source source) const { return {source, clock()}; }

  // Nodes.
  void keep(NodeObject object);
  void drop_node(const std::string& name);
  Node value_of(NodeEntry& entry);
  void judge(NodeEntry& entry);
  void flush();
  void nodes_listed();
  // Pods.
  void keep(PodObject pod);
  void drop_pod(const std::string& id);
  void unbind(const PodObject& pod);
  void tell(const PodObject& pod);
  void pods_listed();
  bool is_work(const PodObject& pod) const;
  const NodeSharing* sharing_on(const PodObject& pod) const;
  void mark(const std::string& node) {
    if (nodes.find(node) != nodes.end()) dirty.insert(node);
  }
  // The operator.
  void sets_complete();
  void post_licence();
  void post_remarks();
};

void Store::State::keep(NodeObject object) {
  std::string name = object.meta.name;
  if (!has_gpus(object)) return drop_node(name);
  NodeEntry& entry = nodes[name];
  NodeSharing sharing = sharing_of(object, catalogue);
  bool alike = shares_alike(entry.sharing, sharing);
  entry.object = std::move(object);
  entry.sharing = std::move(sharing);
  dirty.insert(name);
  auto known = bound.find(name);
  if (alike || known == bound.end()) return;
  for (const std::string& id : known->second) tell(pods.at(id));
}

void Store::State::drop_node(const std::string& name) {
  if (nodes.erase(name) == 0) return;
  dirty.erase(name);
  if (nodes_complete) post(NodeGone{NodeName(name)});
}

bool Store::State::is_work(const PodObject& pod) const {
  return is_gpu_work(pod, nodes.find(pod.node) != nodes.end());
}

const NodeSharing* Store::State::sharing_on(const PodObject& pod) const {
  auto found = nodes.find(pod.node);
  return found == nodes.end() ? nullptr : &found->second.sharing;
}

Node Store::State::value_of(NodeEntry& entry) {
  std::vector<const PodObject*> stack;
  bool busy = false;
  if (auto here = bound.find(entry.object.meta.name); here != bound.end()) {
    for (const std::string& id : here->second) {
      const PodObject& pod = pods.at(id);
      if (!component_of(pod).empty())
        stack.push_back(&pod);
      else
        busy = busy || is_work(pod);
    }
  }
  Node node = node_of(entry.object, entry.sharing, busy, origin(Source::kubernetes_nodes));
  if (site && catalogue) operators::give_boards(node, *site, *catalogue);
  // Which parts are missing can only be told once the pods are known.
  if (pods_complete) entry.components = components_of(entry.object, sets_known ? &sets : nullptr, stack);
  node.components = entry.components;
  judge(entry);
  if (node.order) node.order->since = entry.pending_since;
  return node;
}

void Store::State::judge(NodeEntry& entry) {
  TimePoint now = clock();
  auto since = [&](std::optional<TimePoint>& at, bool is_so) {
    if (!is_so) at.reset();
    if (is_so && !at) at = now;
  };
  since(entry.pending_since, is_underway(entry.object.label("nvidia.com/mig.config.state")));
  since(entry.differs_since, labels_and_counts_differ(entry.object, entry.sharing));
  NodeEvidence evidence{
      &entry.object, &entry.sharing, &entry.components, {}, entry.pending_since, entry.differs_since, now};
  if (auto here = bound.find(entry.object.meta.name); here != bound.end())
    for (const std::string& id : here->second)
      for (const auto& [resource, count] : pods.at(id).requests)
        if (is_work(pods.at(id))) evidence.held[resource] += count;
  entry.remarks = remarks_on(evidence);
}

void Store::State::flush() {
  for (const std::string& name : dirty) post(NodeSeen{value_of(nodes.find(name)->second)});
  dirty.clear();
}

void Store::State::nodes_listed() {
  std::vector<std::string> gone;
  for (const auto& [name, entry] : nodes)
    if (!seen.contains(name)) gone.push_back(name);
  for (const std::string& name : gone) nodes.erase(name);
  seen.clear();
  dirty.clear();
  nodes_complete = true;
  NodesListed list;
  list.nodes.reserve(nodes.size());
  for (auto& [name, entry] : nodes) list.nodes.push_back(value_of(entry));
  post(std::move(list));
  post_remarks();
}

void Store::State::tell(const PodObject& pod) {
  if (is_work(pod)) post(WorkloadSeen{workload_of(pod, sharing_on(pod), origin(Source::kubernetes_pods))});
}

void Store::State::unbind(const PodObject& pod) {
  auto here = bound.find(pod.node);
  if (here == bound.end()) return;
  here->second.erase(pod.id());
  if (here->second.empty()) bound.erase(here);
  mark(pod.node);
}

void Store::State::keep(PodObject pod) {
  std::string id = pod.id();
  if (!is_kept(pod)) return drop_pod(id);
  auto [place, fresh] = pods.try_emplace(id);
  if (!fresh && place->second.node != pod.node) unbind(place->second);
  place->second = std::move(pod);
  const PodObject& kept = place->second;
  if (!kept.node.empty()) {
    bound[kept.node].insert(id);
    mark(kept.node);
  }
  tell(kept);
}

void Store::State::drop_pod(const std::string& id) {
  auto found = pods.find(id);
  if (found == pods.end()) return;
  bool was_work = is_work(found->second);
  unbind(found->second);
  pods.erase(found);
  if (was_work && pods_complete) post(WorkloadGone{WorkloadId(id)});
}

void Store::State::pods_listed() {
  std::vector<std::string> gone;
  for (const auto& [id, pod] : pods)
    if (!seen_pods.contains(id)) gone.push_back(id);
  for (const std::string& id : gone) drop_pod(id);
  seen_pods.clear();
  bool first = !std::exchange(pods_complete, true);
  WorkloadsListed list;
  for (const auto& [id, pod] : pods)
    if (is_work(pod))
      list.workloads.push_back(workload_of(pod, sharing_on(pod), origin(Source::kubernetes_pods)));
  post(std::move(list));
  if (first)
    for (const auto& [name, entry] : nodes) dirty.insert(name);
  flush();
  post_remarks();
}

void Store::State::sets_complete() {
  auto told_by = [](const DaemonSetObject& set) {
    return std::tie(set.meta.name, set.app, set.node_selector);
  };
  bool same = sets_known && sets.size() == sets_listed.size() &&
              std::equal(sets.begin(), sets.end(), sets_listed.begin(),
                         [&](const auto& a, const auto& b) { return told_by(a) == told_by(b); });
  sets = std::move(sets_listed);
  sets_listed.clear();
  sets_known = true;
  if (same || !pods_complete) return;
  for (const auto& [name, entry] : nodes) dirty.insert(name);
  flush();
  post_remarks();
}

void Store::State::post_licence() {
  std::string where;
  for (const ClusterPolicyObject& policy : policies)
    if (!policy.licence_secret.empty())
      where = fmt::format("ClusterPolicy {} names {} for the driver's licence", policy.meta.name,
                          policy.licence_secret);
  if (where == licence) return;
  licence = where;
  post(LicenceNamed{std::move(where)});
}

void Store::State::post_remarks() {
  std::vector<Remark> all;
  for (const ClusterPolicyObject& policy : policies)
    if (!policy.state.empty() && policy.state != "ready")
      all.push_back(
          {Remark::Grade::warning, "ClusterPolicy " + policy.meta.name, false,
           "the GPU operator is " + policy.state,
           "one of its parts is not ready somewhere: kubectl get clusterpolicy -o yaml tells which"});
  for (const auto& [name, entry] : nodes) all.insert(all.end(), entry.remarks.begin(), entry.remarks.end());
  if (all == told) return;
  told = all;
  post(RemarksListed{Source::kubernetes_operator, std::move(all)});
}

Store::Store(const mig::Catalogue* catalogue, std::function<void(What)> post,
             std::function<TimePoint()> clock)
    : state_(std::make_unique<State>()) {
  state_->catalogue = catalogue;
  state_->post = std::move(post);
  state_->clock = std::move(clock);
}
Store::~Store() = default;

Store::Handler Store::nodes() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->seen.clear(); };
  handler.page = [s](std::string_view body) -> Result<FeedPage> {
    auto page = s->parser.list<NodeObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (NodeObject& node : page->items) {
      s->seen.insert(node.meta.name);
      s->keep(std::move(node));
    }
    // The first screen is painted while the other pages are on their way.
    if (!s->nodes_complete && !head.next.empty()) {
      s->flush();
      auto done = static_cast<std::int64_t>(s->seen.size());
      s->post(Progress{"nodes", done, head.remaining ? std::optional(done + *head.remaining) : std::nullopt});
    }
    return head;
  };
  handler.listed = [s] { s->nodes_listed(); };
  handler.line = [s](std::string_view text) -> Result<FeedLine> {
    auto line = s->parser.line<NodeObject>(text);
    if (!line) return line.error();
    FeedLine head = head_of(*line);
    if (line->object && line->change == Change::deleted) s->drop_node(line->object->meta.name);
    if (line->object && (line->change == Change::added || line->change == Change::modified))
      s->keep(std::move(*line->object));
    s->flush();
    return head;
  };
  return handler;
}

Store::Handler Store::pods() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->seen_pods.clear(); };
  handler.page = [s](std::string_view body) -> Result<FeedPage> {
    auto page = s->parser.list<PodObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (PodObject& pod : page->items) {
      s->seen_pods.insert(pod.id());
      s->keep(std::move(pod));
    }
    if (!s->pods_complete && !head.next.empty()) {
      auto done = static_cast<std::int64_t>(s->seen_pods.size());
      s->post(Progress{"pods", done, head.remaining ? std::optional(done + *head.remaining) : std::nullopt});
    }
    return head;
  };
  handler.listed = [s] { s->pods_listed(); };
  handler.line = [s](std::string_view text) -> Result<FeedLine> {
    auto line = s->parser.line<PodObject>(text);
    if (!line) return line.error();
    FeedLine head = head_of(*line);
    if (line->object && line->change == Change::deleted) s->drop_pod(line->object->id());
    if (line->object && (line->change == Change::added || line->change == Change::modified))
      s->keep(std::move(*line->object));
    s->flush();
    return head;
  };
  return handler;
}

Store::Handler Store::daemon_sets() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->sets_listed.clear(); };
  handler.page = [s](std::string_view body) -> Result<FeedPage> {
    auto page = s->parser.list<DaemonSetObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (DaemonSetObject& set : page->items)
      if (!component_of(set.app).empty()) s->sets_listed.push_back(std::move(set));
    return head;
  };
  handler.listed = [s] { s->sets_complete(); };
  return handler;
}

Store::Handler Store::cluster_policies() {
  State* s = state_.get();
  Handler handler;
  handler.begin = [s] { s->policies_listed.clear(); };
  handler.page = [s](std::string_view body) -> Result<FeedPage> {
    auto page = s->parser.list<ClusterPolicyObject>(body);
    if (!page) return page.error();
    FeedPage head = head_of(*page);
    for (ClusterPolicyObject& policy : page->items) s->policies_listed.push_back(std::move(policy));
    return head;
  };
  handler.listed = [s] {
    s->policies = std::move(s->policies_listed);
    s->policies_listed.clear();
    s->post_licence();
    s->post_remarks();
  };
  return handler;
}

void Store::set_site(std::shared_ptr<const operators::Site> site) {
  state_->site = std::move(site);
  if (!state_->nodes_complete) return;
  for (const auto& [name, entry] : state_->nodes) state_->dirty.insert(name);
  state_->flush();
}

void Store::look_again() {
  for (auto& [name, entry] : state_->nodes) state_->judge(entry);
  state_->post_remarks();
}

const NodeObject* Store::node(std::string_view name) const {
  auto found = state_->nodes.find(name);
  return found == state_->nodes.end() ? nullptr : &found->second.object;
}

}  // namespace tessera::kubernetes
