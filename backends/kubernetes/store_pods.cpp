// Pods: work, and the GPU stack's own, of which little is kept since there are eight or more on every node.
#include <algorithm>
#include <tuple>

#include "backends/kubernetes/objects/pod_against_node.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "backends/kubernetes/objects/pods_beside.hpp"
#include "backends/kubernetes/objects/slurmd_pod.hpp"
#include "backends/kubernetes/store_state.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::string_view kExporter = "DCGM exporter";

// Its parts reach GPUs without asking for one: what asks is work, whatever its labels say.
bool is_of_stack(const PodObject& pod) { return !component_of(pod).empty() && pod.requests.empty(); }

// Worth keeping wherever it runs: nodes may turn out to have GPUs after their pods were seen.
// A pod with claims may turn out to have some for GPUs.
bool is_kept(const PodObject& pod) {
  return is_gpu_work(pod, true) || (!pod.claims.empty() && !has_ended(pod));
}

bool is_exporter(const StackPod& pod) { return pod.component == kExporter && pod.ready && !pod.ending; }

std::string id_of(const StackPod& pod) { return pod.name_space.str() + "/" + pod.name; }

// "Succeeded", "Failed", or why it failed: "Evicted".
Workload ending_of(const PodObject& pod) {
  Workload work;
  work.id = WorkloadId(pod.id());
  work.kind = WorkloadKind::pod;
  work.state = WorkloadState::ended;
  work.state_word = pod.phase == "Failed" && !pod.reason.empty() ? pod.reason : pod.phase;
  return work;
}

}  // namespace

bool ClusterStore::State::is_work(const PodObject& pod) const {
  if (is_gpu_work(pod, nodes.find(pod.node) != nodes.end())) return true;
  if (pod.claims.empty() || has_ended(pod) || is_of_stack(pod)) return false;
  return !gpu_claims_of(pod).empty() || !unknown_claim_of(pod).empty();
}

const NodeSharing* ClusterStore::State::sharing_on(const PodObject& pod) const {
  auto found = nodes.find(pod.node);
  return found == nodes.end() ? nullptr : &found->second.sharing;
}

// The API server wrote its times by its own clock.
void ClusterStore::State::by_our_clock(Workload& work) const {
  for (std::optional<TimePoint>* at : {&work.submitted, &work.started, &work.ends})
    if (*at) **at -= skew();
}

Workload ClusterStore::State::work_of(const PodObject& pod) const {
  Workload work = workload_of(pod, sharing_on(pod), origin(Source::kubernetes_pods));
  by_our_clock(work);
  if (auto node = nodes.find(pod.node); node != nodes.end())
    name_devices(work.allocations, work.id.text, node->second.named);
  if (!pod.claims.empty()) {
    const NodeEntry* on = nullptr;
    if (auto node = nodes.find(pod.node); node != nodes.end()) on = &node->second;
    add_claims(work, pod, gpu_claims_of(pod), on ? on->numbers : DraNumbers(), slices.devices_of(pod.node));
    if (std::string unknown = unknown_claim_of(pod); !unknown.empty())
      work.unasked = "by claim " + unknown + ", whose devices are not reported";
  }
  if (std::string why = pod.node.empty() ? "" : budgets.why_kept(pod); !why.empty())
    work.comment += (work.comment.empty() ? "" : "; ") + why;
  return work;
}

void ClusterStore::State::tell(const PodObject& pod) {
  if (is_work(pod)) post(WorkloadSeen{work_of(pod)});
}

void ClusterStore::State::unbind(const PodObject& pod) {
  auto here = bound.find(pod.node);
  if (here == bound.end()) return;
  here->second.erase(pod.id());
  if (here->second.empty()) bound.erase(here);
  mark(pod.node);
}

void ClusterStore::State::take(PodObject pod, bool of_list) {
  std::string id = pod.id();
  if (is_of_stack(pod)) {
    drop_pod(id);  // by its labels it may have been another
    return keep_of_stack(pod);
  }
  drop_of_stack(pod);
  if (!is_kept(pod)) return drop_pod(id, has_ended(pod) ? &pod : nullptr);
  if (of_list) seen_pods.insert(id);
  keep(std::move(pod));
}

void ClusterStore::State::drop(const PodObject& pod) {
  drop_of_stack(pod);
  drop_pod(pod.id());
}

void ClusterStore::State::keep(PodObject pod) {
  words.share(pod.meta.labels);
  words.share(pod.meta.annotations);
  words.share(pod.requests);
  words.share(pod.largest);
  std::string id = pod.id();
  auto [place, fresh] = pods.try_emplace(id);
  if (!fresh && place->second.node != pod.node) unbind(place->second);
  if (!fresh) index_claims(place->second, false);
  place->second = std::move(pod);
  const PodObject& kept = place->second;
  index_claims(kept, true);
  if (slurm_node_of(kept).empty())
    slurmd_pods.erase(id);
  else
    slurmd_pods[id] = slurmd_pod_of(kept);
  if (!kept.node.empty()) {
    bound[kept.node].insert(id);
    mark(kept.node);
  }
  tell(kept);
}

void ClusterStore::State::drop_pod(const std::string& id, const PodObject* as) {
  auto found = pods.find(id);
  if (found == pods.end()) return;
  bool was_work = is_work(found->second);
  unbind(found->second);
  index_claims(found->second, false);
  slurmd_pods.erase(id);
  pods.erase(found);
  if (!was_work || !pods_complete) return;
  if (as)
    post(WorkloadSeen{ending_of(*as)});
  else
    post(WorkloadGone{WorkloadId(id)});
}

// One that has no node yet is told of nowhere.
void ClusterStore::State::keep_of_stack(const PodObject& pod) {
  if (pod.node.empty()) return;
  exporter_nodes.reset();
  StackPod one = stack_pod_of(pod);
  one.list = pod_list;
  words.share(one.name_space);
  std::vector<StackPod>& here = stack[pod.node];
  auto place =
      std::find_if(here.begin(), here.end(), [&](const StackPod& other) { return !other.is_before(pod); });
  if (place != here.end() && place->is(pod)) {
    std::swap(*place, one);
    one.list = place->list;
    if (one == *place) return;  // nothing of it is told
  } else {
    auto at = place - here.begin();
    here.reserve(here.size() + 1);
    here.insert(here.begin() + at, std::move(one));
  }
  mark(pod.node);
}

void ClusterStore::State::drop_of_stack(const PodObject& pod) {
  auto here = stack.find(pod.node);
  if (here == stack.end()) return;
  exporter_nodes.reset();
  if (std::erase_if(here->second, [&](const StackPod& one) { return one.is(pod); }) == 0) return;
  if (here->second.empty()) stack.erase(here);
  mark(pod.node);
}

const std::vector<StackPod>& ClusterStore::State::stack_on(const std::string& node) const {
  static const std::vector<StackPod> kNone;
  auto here = stack.find(node);
  return here == stack.end() ? kNone : here->second;
}

void ClusterStore::State::pods_listed() {
  std::vector<std::string> gone;
  for (const auto& [id, pod] : pods)
    if (!seen_pods.contains(id)) gone.push_back(id);
  for (const std::string& id : gone) drop_pod(id);
  seen_pods.clear();
  exporter_nodes.reset();
  for (auto& [node, here] : stack)
    if (std::erase_if(here, [&](const StackPod& one) { return one.list != pod_list; }) > 0) mark(node);
  std::erase_if(stack, [](const auto& entry) { return entry.second.empty(); });
  bool first = !std::exchange(pods_complete, true);
  post_pods();
  if (first)
    for (const auto& [name, entry] : nodes) dirty.insert(name);
  flush();
  post_remarks();
  if (!refused.empty()) show_refused();
}

void ClusterStore::State::post_pods() {
  WorkloadsListed list;
  for (const auto& [id, pod] : pods)
    if (is_work(pod)) list.workloads.push_back(work_of(pod));
  for (Workload& one : kueue_work()) list.workloads.push_back(std::move(one));
  post(std::move(list));
}

bool ClusterStore::State::has_exporter(const NodeEntry& entry, const std::string& pod) const {
  const std::vector<StackPod>& here = stack_on(entry.object.meta.name);
  return std::any_of(here.begin(), here.end(),
                     [&](const StackPod& one) { return is_exporter(one) && id_of(one) == pod; });
}

const std::string* ClusterStore::State::node_of_exporter(const std::string& pod) {
  if (!exporter_nodes) {
    exporter_nodes.emplace();
    for (const auto& [node, here] : stack)
      for (const StackPod& one : here)
        if (is_exporter(one)) exporter_nodes->emplace(id_of(one), node);
  }
  const auto found = exporter_nodes->find(pod);
  return found != exporter_nodes->end() && nodes.contains(found->second) ? &found->second : nullptr;
}

figures::SeriesNode ClusterStore::node_of_series(const figures::MetricLine& series) const {
  figures::SeriesNode found = figures::node_by_labels(series, [this](std::string_view name) {
    auto node = state_->nodes.find(std::string(name));
    return node == state_->nodes.end() ? std::string() : node->first;
  });
  if (!found.node.empty()) return found;
  // Where a scrape renames labels, the plain names are those of the exporter that was scraped.
  const std::string_view name_space = series.label("namespace"), pod = series.label("pod");
  if (pod.empty()) return {};
  const std::string id = std::string(name_space) + "/" + std::string(pod);
  const std::string* node = state_->node_of_exporter(id);
  if (!node) return {};
  return {*node, {{"namespace", std::string(name_space)}, {"pod", std::string(pod)}}};
}

Compute ClusterStore::State::requested_on(const std::string& node) const {
  Compute sum;
  if (const auto here = bound.find(node); here != bound.end())
    for (const std::string& id : here->second)
      if (const PodObject& pod = pods.at(id); !has_ended(pod)) sum += pod.compute;
  return sum;
}

Compute ClusterStore::State::asked_by(const std::string& pod) const {
  const auto known = pods.find(pod);
  if (known != pods.end()) return known->second.compute;
  Compute unknown;
  unknown.unread = true;
  return unknown;
}

// kube-scheduler takes the pod of the highest priority first, and of equal ones the oldest. Those that a gate
// holds are in no queue.
std::optional<Related> ClusterStore::State::place_of(const std::string& pod) const {
  const auto waits = [&](const PodObject& one) {
    return one.node.empty() && one.priority && is_work(one) &&
           one.unschedulable.find("scheduling gates") == std::string::npos;
  };
  const auto ours = pods.find(pod);
  if (ours == pods.end() || !waits(ours->second)) return std::nullopt;
  const auto is_before = [](const PodObject& a, const PodObject& b) {
    return std::tie(*b.priority, a.meta.created) < std::tie(*a.priority, b.meta.created);
  };
  std::size_t before = 0, among = 0;
  for (const auto& [id, one] : pods) {
    if (!waits(one)) continue;
    ++among;
    if (is_before(one, ours->second)) ++before;
  }
  if (among < 2) return std::nullopt;
  return place_told(before + 1, among);
}

std::vector<std::string> ClusterStore::nodes_open_to(const std::string& pod, const PodTerms& terms) const {
  const Compute asks = state_->asked_by(pod);
  std::vector<std::string> open;
  for (const auto& [name, entry] : state_->nodes) {
    const auto told = against_node(terms, asks, entry.object, state_->requested_on(name));
    if (std::none_of(told.begin(), told.end(), [](const auto& one) { return one.certain; }))
      open.push_back(name);
  }
  return open;
}

std::vector<Related> ClusterStore::against_nodes(const std::string& pod, const PodTerms& terms,
                                                 const PodsBeside& beside) const {
  const Compute asks = state_->asked_by(pod);
  std::vector<Related> all;
  std::vector<ListedNode> seen;
  const auto see = [&](const NodeObject& object, const std::vector<why::AgainstNode>& told, bool asked) {
    ListedNode& node =
        seen.emplace_back(ListedNode{&object, true, !terms.selector_unread && !terms.affinity_unread, asked});
    using By = why::AgainstNode::By;
    for (const why::AgainstNode& one : told)
      if (one.by == By::selector || one.by == By::affinity) (one.certain ? node.chosen : node.sure) = false;
  };
  for (const auto& [name, entry] : state_->nodes) {
    const auto told = against_node(terms, asks, entry.object, state_->requested_on(name));
    see(entry.object, told, true);
    for (const why::AgainstNode& one : told) all.push_back(why::told_as(one));
    for (const why::AgainstNode& one : against_pods_on(terms.rules, beside, entry.object))
      all.push_back(why::told_as(one));
  }
  // Pods of nodes without GPUs count, too, and a spread counts such nodes where they have none.
  if (!terms.rules.rules.empty())
    for (const auto& [name, object] : state_->bare) see(object, against_node(terms, asks, object, {}), false);
  for (const why::AgainstNode& one : against_rules(terms.rules, beside, seen))
    all.push_back(why::told_as(one));
  for (Related& one : beside_nodes(terms, asks, beside.all_nodes)) all.push_back(std::move(one));
  if (auto place = state_->place_of(pod)) all.push_back(std::move(*place));
  return all;
}

const std::map<std::string, operators::SlurmdPod>& ClusterStore::slurmd_pods() const {
  return state_->slurmd_pods;
}

std::vector<Exporter> ClusterStore::exporters() const {
  std::vector<Exporter> all;
  for (const auto& [name, entry] : state_->nodes) {
    const std::vector<StackPod>& here = state_->stack_on(name);
    auto pod = std::find_if(here.begin(), here.end(), is_exporter);
    if (pod == here.end()) continue;
    all.push_back({name, pod->name_space.str(), pod->name});
    if (pod->metrics_port != 0) all.back().port = pod->metrics_port;
    all.back().https = pod->metrics_https;
  }
  return all;
}

}  // namespace tessera::kubernetes
