#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <tuple>

#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "backends/kubernetes/objects/refused_pods.hpp"
#include "backends/kubernetes/objects/remarks.hpp"
#include "backends/kubernetes/store_state.hpp"
#include "engine/operators/boards.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/shell.hpp"

namespace tessera::kubernetes {
namespace {

bool is_underway(std::string_view state) { return state == "pending" || state == "rebooting"; }

// What decides how pods are shown: another family or type of slices.
bool shares_alike(const NodeSharing& a, const NodeSharing& b) {
  return a.mig_strategy == b.mig_strategy && a.instances.empty() == b.instances.empty() &&
         a.whole == b.whole && a.method == b.method && a.model == b.model && a.amd == b.amd;
}

}  // namespace

// The rest is not read, and there may be thousands of them.
void ClusterStore::State::slim(NodeObject& object) {
  std::erase_if(object.conditions,
                [](const Condition& one) { return one.type != "Ready" && one.status != "True"; });
  object.conditions.shrink_to_fit();
  words.share(object.meta.labels);
  words.share(object.meta.annotations);
  words.share(object.capacity);
  words.share(object.allocatable);
}

void ClusterStore::State::keep(NodeObject object) {
  slim(object);
  std::string name = object.meta.name;
  if (!has_gpus(object) && !has_devices(object)) {
    drop_node(name);
    bare.insert_or_assign(name, std::move(object));
    return;
  }
  bare.erase(name);
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

void ClusterStore::State::drop_node(const std::string& name) {
  bare.erase(name);
  if (nodes.erase(name) == 0) return;
  dirty.erase(name);
  if (nodes_complete) post(NodeGone{NodeName(name)});
}

Node ClusterStore::State::value_of(NodeEntry& entry) {
  std::optional<bool> busy;  // nullopt: the pods have not all been read
  if (pods_complete) busy = false;
  if (auto here = bound.find(entry.object.meta.name); here != bound.end())
    if (std::any_of(here->second.begin(), here->second.end(),
                    [&](const std::string& id) { return is_work(pods.at(id)); }))
      busy = true;
  Node node = node_of(entry.object, entry.sharing, busy, origin(Source::kubernetes_nodes));
  if (pods_complete) set_requested(node, entry.object, requested_on(entry.object.meta.name));
  if (node.reason_at) *node.reason_at -= skew();
  node.out_of_use = out_of_use(entry.object, entry.sharing);
  lay_claimed(node, entry);
  measure(node, entry);
  entry.unmade.clear();
  if (site && catalogue && entry.numbers.empty()) {
    operators::give_boards(node, *site, *catalogue);
    entry.unmade = operators::not_made(node, *site, *catalogue).value_or("");
  }
  // Which parts are missing can only be told once the pods are known.
  if (pods_complete) {
    const operators::DraWay way = operators::way_of(node);
    node.components = components_of(entry.object, sets_known ? &sets : nullptr, stack_on(node.name.text));
    operators::say_way(node, way);
    for (Component& part : node.components)
      if (part.since) *part.since -= skew();
  }
  entry.troubled.clear();
  std::copy_if(node.components.begin(), node.components.end(), std::back_inserter(entry.troubled),
               [](const Component& part) { return part.state != Part::ready; });
  judge(entry);
  if (node.order && !entry.pending_before) node.order->since = entry.pending_since;
  return node;
}

// Which slices its pods hold may be told otherwise than before: those pods are told of again.
void ClusterStore::State::measure(Node& node, NodeEntry& entry) {
  if (entry.readings && !entry.readings->from.empty() && !has_exporter(entry, entry.readings->from))
    entry.readings.reset();
  std::vector<NamedSlice> named;
  if (entry.readings && !entry.numbers.empty())
    measure_by_uuid(node, *entry.readings, entry.sharing.product,
                    [&](const std::string& pod) { return claimed_by(pod, entry); });
  else if (entry.readings)
    named = lay_readings(node, *entry.readings, entry.sharing.product);
  if (named == entry.named) return;
  for (const auto* list : {&entry.named, &named})
    for (const NamedSlice& one : *list) retold.insert(one.pod);
  entry.named = std::move(named);
}

// Figures are reported by themselves; that there are no more of them is told once.
std::vector<Measured> ClusterStore::State::figures_of(Node& node, NodeEntry& entry) {
  std::vector<Measured> figures = take_figures(node);
  if (figures.empty() && entry.measured) figures.push_back({node.name, Source::dcgm, clock(), {}});
  entry.measured = !figures.empty() && !figures.front().gpus.empty();
  return figures;
}

void ClusterStore::State::forget_readings(Duration older) {
  for (auto& [name, entry] : nodes) {
    if (!entry.readings || clock() - entry.readings->at < older) continue;
    entry.readings.reset();
    dirty.insert(name);
  }
  flush();
}

void ClusterStore::State::judge(NodeEntry& entry) {
  TimePoint now = clock();
  // What the first look finds may have been so for long: since its labels say it. Later it begins as we
  // watch: a change brings the labels and the counts that belong to them one after the other.
  auto since = [&](std::optional<TimePoint>& at, bool& before, bool is_so,
                   const std::optional<TimePoint>& written) {
    if (!is_so) return at.reset();
    if (!at) at = now, before = first_look || !entry.judged;
    if (first_look && time_told && written) at = std::min(*at, *written - server_ahead), before = false;
  };
  const Written& written = entry.object.written;
  since(entry.pending_since, entry.pending_before,
        is_underway(entry.object.label("nvidia.com/mig.config.state")), written.order);
  // Where a DRA driver hands out the devices, no device plugin counts them.
  since(entry.differs_since, entry.differs_before,
        entry.numbers.empty() && labels_and_counts_differ(entry.object, entry.sharing), written.sharing);
  since(entry.unmade_since, entry.unmade_before, !entry.unmade.empty(), written.order);
  NodeEvidence evidence;
  evidence.node = &entry.object;
  evidence.sharing = &entry.sharing;
  evidence.components = &entry.troubled;
  evidence.pending_since = entry.pending_since;
  evidence.differs_since = entry.differs_since;
  evidence.unmade_since = entry.unmade_since;
  evidence.pending_before = entry.pending_before;
  evidence.differs_before = entry.differs_before;
  evidence.unmade_before = entry.unmade_before;
  evidence.unmade = entry.unmade;
  evidence.now = now;
  evidence.server_ahead = skew();
  evidence.claimed = !entry.numbers.empty();
  for (const StackPod& pod : stack_on(entry.object.meta.name))
    if (pod.component == kPluginComponent && !pod.ending) evidence.plugin = &pod;
  for (const DraDevice* device : slices.devices_of(entry.object.meta.name))
    if (const std::string& taint = device->closed_by(); !taint.empty()) {
      evidence.tainted.push_back(device->name + " (" + taint + ")");
      if (device->taint_since) evidence.tainted_since.emplace(evidence.tainted.back(), *device->taint_since);
    }
  std::optional<TimePoint> held_since;
  if (auto here = bound.find(entry.object.meta.name); here != bound.end())
    for (const std::string& id : here->second)
      for (const auto& [resource, count] : pods.at(id).requests) {
        const PodObject& pod = pods.at(id);
        if (!is_work(pod) || is_by_claim(pod, resource)) continue;
        evidence.held[resource] += count;
        const TimePoint since_then = pod.started && time_told ? *pod.started - server_ahead : now;
        held_since = std::min(held_since.value_or(now), since_then);
      }
  entry.remarks = remarks_on(evidence);
  judge_config(entry, now);
  judge_figures(entry, held_since, now);
  entry.judged = true;
}

// A ConfigMap reaches a pod within some two minutes, and then the plugin starts again by itself, or does not.
void ClusterStore::State::judge_config(NodeEntry& entry, TimePoint now) {
  constexpr auto kTakesUp = std::chrono::minutes(4);
  for (Remark& one : configs.unknown_names(entry.object)) entry.remarks.push_back(std::move(one));
  const auto stale = entry.pending_since ? std::nullopt : configs.not_taken_up(entry.object);
  if (!stale) return entry.stale_since.reset();
  if (!entry.stale_since) entry.stale_since = now;
  // What the first look finds was so before it: an edit that is old by then has had its time.
  if (const auto written = first_look && time_told ? configs.written(entry.object) : std::nullopt)
    entry.stale_since = std::min(*entry.stale_since, *written - server_ahead);
  const Duration so = now - *entry.stale_since;
  if (so < kTakesUp) return;
  entry.remarks.push_back(configs.remark_not_taken_up(entry.object, *stale, so));
  entry.remarks.back().seen = entry.stale_since;
}

// A pod that has just started is named by the next scrape. One that has run for long was to be named by the
// first, so that a look that ends after it tells; later a single scrape without names proves nothing.
void ClusterStore::State::judge_figures(NodeEntry& entry, std::optional<TimePoint> held_since,
                                        TimePoint now) {
  constexpr auto kNamedSoon = std::chrono::minutes(4);
  if (!held_since || !entry.readings) return entry.unnamed_since.reset();
  const bool first = !std::exchange(entry.figures_judged, true);
  if (!names_no_pod(*entry.readings)) return entry.unnamed_since.reset();
  if (!entry.unnamed_since) entry.unnamed_since = first ? *held_since : now, entry.unnamed_seen = now;
  if (now - *entry.unnamed_since < kNamedSoon) return;
  entry.remarks.push_back(remark_no_pod(entry.object, *entry.readings));
  entry.remarks.back().seen = entry.unnamed_seen;
}

void ClusterStore::State::flush() {
  for (const std::string& name : dirty) {
    NodeEntry& entry = nodes.find(name)->second;
    Node node = value_of(entry);
    std::vector<Measured> figures = figures_of(node, entry);
    post(NodeSeen{std::move(node)});
    for (Measured& one : figures) post(std::move(one));
  }
  dirty.clear();
  tell_again();
}

void ClusterStore::State::tell_again() {
  for (const std::string& id : std::exchange(retold, {}))
    if (auto pod = pods.find(id); pod == pods.end())
      continue;
    else if (is_work(pod->second))
      tell(pod->second);
    else if (pods_complete)  // its claim is gone, or turned out to be for something else
      post(WorkloadGone{WorkloadId(id)});
}

void ClusterStore::State::nodes_listed() {
  std::vector<std::string> gone;
  for (const auto& [name, entry] : nodes)
    if (!seen.contains(name)) gone.push_back(name);
  for (const std::string& name : gone) nodes.erase(name);
  std::erase_if(bare, [&](const auto& entry) { return !seen.contains(entry.first); });
  seen.clear();
  dirty.clear();
  nodes_complete = true;
  post_nodes();
  tell_again();
  post_remarks();
  show_events();
  end_first_look();
}

void ClusterStore::State::post_nodes() {
  NodesListed list;
  list.nodes.reserve(nodes.size());
  std::vector<Measured> figures;
  for (auto& [name, entry] : nodes) {
    Node& node = list.nodes.emplace_back(value_of(entry));
    for (Measured& one : figures_of(node, entry)) figures.push_back(std::move(one));
  }
  post(std::move(list));
  for (Measured& one : figures) post(std::move(one));
}

void ClusterStore::State::end_first_look() {
  if (!first_look || !nodes_complete || !time_told || !site) return;
  first_look = false;
  post_remarks();
}

// Pods that may be evicted now, and could not before, or the other way round.
void ClusterStore::State::weigh_budgets() {
  std::map<std::string, std::string> kept;
  for (const auto& [id, pod] : pods) {
    if (pod.node.empty() || !is_work(pod)) continue;
    if (std::string why = budgets.why_kept(pod); !why.empty()) kept.emplace(id, std::move(why));
  }
  auto other = [](const auto& in, const auto& entry) {
    auto found = in.find(entry.first);
    return found == in.end() || found->second != entry.second;
  };
  for (const auto& entry : kept)
    if (other(kept_back, entry)) retold.insert(entry.first);
  for (const auto& entry : kept_back)
    if (other(kept, entry)) retold.insert(entry.first);
  kept_back = std::move(kept);
  tell_again();
}

void ClusterStore::State::show_events() {
  post_beside(Source::kubernetes_nodes,
              events.remarks([this](const std::string& node) { return nodes.contains(node); }, skew()));
}

void ClusterStore::State::show_refused() {
  std::map<std::string, TimePoint> newest;
  if (!refused.empty())
    for (const auto& [id, pod] : pods)
      if (pod.meta.created && !pod.meta.owner_name.empty()) {
        TimePoint& at = newest[pod.meta.owner_kind + " " + pod.meta.name_space + "/" + pod.meta.owner_name];
        at = std::max(at, *pod.meta.created);
      }
  const auto newest_pod = [&](const std::string& kind, const std::string& id) -> std::optional<TimePoint> {
    const auto found = newest.find(kind + " " + id);
    return found == newest.end() ? std::nullopt : std::optional(found->second);
  };
  post_beside(Source::kubernetes_pods, refused_remarks(refused, newest_pod, clock() + skew(), skew()));
}

void ClusterStore::State::post_beside(Source source, std::vector<Remark> remarks) {
  if (auto all = untold.find(source); all != untold.end())
    remarks.insert(remarks.end(), all->second.begin(), all->second.end());
  std::vector<Remark>& before = told_beside[source];
  if (before == remarks) return;
  before = remarks;
  post(RemarksListed{source, std::move(remarks)});
}

void ClusterStore::State::sets_complete() {
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

void ClusterStore::State::post_licence() {
  std::string where;
  for (const ClusterPolicyObject& policy : policies)
    if (!policy.licence_secret.empty())
      where = fmt::format("ClusterPolicy {} names {} for the driver's licence", policy.meta.name,
                          policy.licence_secret);
  if (where == licence) return;
  licence = where;
  post(LicenceNamed{std::move(where)});
}

void ClusterStore::State::post_remarks() {
  std::vector<Remark> all;
  if (missing_rights) all.push_back(*missing_rights);
  for (const ClusterPolicyObject& policy : policies)
    if (!policy.state.empty() && policy.state != "ready") {
      all.push_back(
          {Remark::Grade::warning, "ClusterPolicy " + policy.meta.name, false,
           "the GPU operator is " + policy.state,
           "one of its parts is not ready somewhere: kubectl get clusterpolicy -o yaml shows which"});
      all.back().commands = {"kubectl get clusterpolicy " + shell_word(policy.meta.name) + " -o yaml"};
      // Other states ("ignored") may have come after it.
      if (policy.state == "notReady" && policy.not_ready_since)
        all.back().since = *policy.not_ready_since - skew();
    }
  if (site)
    for (const auto& [part, reading] : site->readings.all())
      if (reading.failure && part != operators::SitePart::budgets)
        all.push_back({Remark::Grade::info, "GPU operator", false, why_untold(part, reading),
                       "plans that rest on it are refused; tessera reads it again by itself"});
  for (const DeviceTaintRuleObject& rule : slices.rules())
    if (rule.partly_known && !rule.taint.empty()) {
      all.push_back({Remark::Grade::info, "DeviceTaintRule " + rule.meta.name, false,
                     "selects devices by class or CEL expression, which tessera does not evaluate: devices "
                     "that it closes (" +
                         rule.taint + ") may be shown as free",
                     "kubectl get devicetaintrule -o yaml shows the selector"});
      all.back().commands = {"kubectl get devicetaintrule " + shell_word(rule.meta.name) + " -o yaml"};
    }
  for (const auto& [name, entry] : nodes) all.insert(all.end(), entry.remarks.begin(), entry.remarks.end());
  if (all == told) return;
  told = all;
  post(RemarksListed{Source::kubernetes_operator, std::move(all)});
}

ClusterStore::ClusterStore(const mig::Catalogue* catalogue, std::function<void(What)> post,
                           std::function<TimePoint()> clock)
    : state_(std::make_unique<State>()) {
  state_->catalogue = catalogue;
  state_->post = std::move(post);
  state_->clock = std::move(clock);
}
ClusterStore::~ClusterStore() = default;

void ClusterStore::set_site(std::shared_ptr<const operators::OperatorSetup> site) {
  state_->site = std::move(site);
  state_->configs = ConfigJudge(state_->site);
  if (!state_->nodes_complete) return;
  for (const auto& [name, entry] : state_->nodes) state_->dirty.insert(name);
  state_->flush();
  state_->post_remarks();
  state_->end_first_look();
}

void ClusterStore::tell_all() {
  if (state_->nodes_complete) state_->post_nodes();
  if (state_->pods_complete) state_->post_pods();
}

void ClusterStore::set_server_time(TimePoint now) {
  const Duration ahead = now - state_->clock();
  // Against what was measured, and not what is told of it: at the grain that jumps to 0 and back.
  const bool moved = std::chrono::abs(ahead - state_->told_ahead) > State::kClockGrain;
  state_->server_ahead = ahead;
  state_->time_told = true;
  if (moved) state_->told_ahead = std::chrono::abs(ahead) > State::kClockGrain ? ahead : Duration(0);
  if (moved && state_->pods_complete) state_->post_pods();
  if (moved && !state_->refused.empty()) state_->show_refused();
  if (!state_->nodes_complete) return;
  if (moved) state_->show_events();
  for (const auto& [name, entry] : state_->nodes)
    if (moved || entry.pending_since || entry.differs_since || entry.unmade_since || entry.stale_since)
      state_->dirty.insert(name);
  state_->flush();
  state_->end_first_look();
}

std::string ClusterStore::operator_version() const {
  for (const ClusterPolicyObject& policy : state_->policies)
    if (auto label = policy.meta.labels.find("app.kubernetes.io/version"); label != policy.meta.labels.end())
      return label->second.str();
  return {};
}

std::string ClusterStore::sharing_component() const {
  constexpr std::string_view kChart = "ack-ai-installer-";
  for (const DaemonSetObject& set : state_->sets)
    if (auto chart = set.meta.labels.find("helm.sh/chart"); chart != set.meta.labels.end())
      if (chart->second.str().starts_with(kChart)) return chart->second.str().substr(kChart.size());
  return {};
}

bool ClusterStore::lists(const std::string& node) const { return state_->nodes.contains(node); }

void ClusterStore::set_readings(const std::string& node, DcgmReadings readings) {
  auto found = state_->nodes.find(node);
  if (found == state_->nodes.end()) return;
  found->second.readings = std::move(readings);
  state_->dirty.insert(node);
  state_->flush();
}

const std::map<std::string, std::string>& ClusterStore::kept_back() {
  state_->weigh_budgets();
  return state_->kept_back;
}

void ClusterStore::set_untold(Source source, std::vector<Remark> what) {
  state_->untold[source] = std::move(what);
  if (source == Source::kubernetes_nodes) return state_->show_events();
  if (source == Source::kubernetes_pods) return state_->show_refused();
  state_->post_beside(source, {});
}

bool ClusterStore::limits_gpus() const { return state_->limits_gpus; }

void ClusterStore::set_missing_rights(std::optional<Remark> missing) {
  state_->missing_rights = std::move(missing);
  state_->post_remarks();
}

ClusterStore::Held ClusterStore::held() const {
  Held held;
  held.nodes = state_->nodes.size();
  held.nodes_without_gpus = state_->bare.size();
  held.pods = state_->pods.size();
  for (const auto& [node, pods] : state_->stack) held.stack_pods += pods.size();
  for (const auto& [node, pods] : state_->bound) held.bound += pods.size();
  held.claims = state_->claimants.size();
  held.texts = state_->words.size();
  return held;
}

void ClusterStore::look_again(Duration older) {
  state_->forget_readings(older);
  for (auto& [name, entry] : state_->nodes) state_->judge(entry);
  state_->post_remarks();
}

}  // namespace tessera::kubernetes
