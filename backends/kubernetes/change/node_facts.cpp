#include "backends/kubernetes/change/node_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/change/claimed_facts.hpp"
#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "backends/kubernetes/objects/slurmd_pod.hpp"
#include "engine/model/reduce.hpp"
#include "engine/operators/boards.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/mig_parted.hpp"
#include "engine/operators/plugin_config.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/steps/slurmd_steps.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::kubernetes {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

namespace fact = plan::words;

// A kubelet brings a changed ConfigMap into a running pod within its sync period (60 s) and its cache's life.
constexpr Duration kMounted = seconds(120);
// The MIG manager waits up to 5 min for each of the pods that it has paused.
constexpr Duration kTooLong = minutes(5);
// Half a minute is usual, a reset or a slow pod makes it longer.
constexpr Duration kUsual = minutes(2);
// How long a device plugin may take to restart after its label has changed.
constexpr Duration kRestarted = seconds(30);
// Before that a node may advertise what the plugin's pod before this one has offered: a kubelet writes the
// node's status every ten seconds.
constexpr Duration kRegistered = seconds(12);
// Until plugin and feature discovery are back and tell of what was made.
constexpr Duration kSettled = minutes(4);
// So long a manager that is at work may say nothing.
constexpr Duration kSilent = minutes(10);
// So long an eviction that was refused for good is not asked for again; whoever resumes later may.
constexpr Duration kRefusalLasts = minutes(1);
constexpr std::string_view kResting = "Waiting for change to";  // mig-parted v0.15, nvidia-mig-manager
constexpr std::size_t kLogShown = 400;

std::string label_of(const Look& look, std::string_view key) {
  return text_at(look.node, {"metadata", "labels", key});
}
std::string annotation_of(const Look& look, std::string_view key) {
  return text_at(look.node, {"metadata", "annotations", key});
}

const PodObject* pod_of(const Look& look, std::string_view component) {
  const PodObject* found = nullptr;
  for (const PodObject& pod : look.pods)
    if (component_of(pod) == component && !pod.meta.deleted && (!found || pod.ready)) found = &pod;
  return found;
}

std::string readiness(const Look& look, std::string_view component) {
  const PodObject* pod = pod_of(look, component);
  if (!pod) return fmt::format("the {} has no pod on {}", component, look.name);
  if (pod->ready) return "";
  std::string why = pod->reason.empty() ? pod->phase : pod->reason;
  return fmt::format("the {}'s pod {} is not ready: {}", component, pod->meta.name,
                     why.empty() ? "no reason is given" : why);
}

bool is_under_way(std::string_view state, const std::string& paused) {
  return state == "pending" || (state.empty() && !paused.empty());
}

std::string paused_parts(const Look& look) {
  std::string all;
  for (std::string_view part : operators::kPausedParts)
    if (label_of(look, std::string(operators::kDeployPrefix) + std::string(part)) == operators::kPausedForMig)
      all += (all.empty() ? "" : ", ") + std::string(part);
  return all;
}

void note_pending(const Look& look, Memory& memory) {
  std::string config = label_of(look, operators::kMigConfig);
  if (!is_under_way(label_of(look, operators::kMigState), paused_parts(look))) {
    memory.pending_since.reset();
  } else if (!memory.pending_since || memory.pending_config != config) {
    memory.pending_since = last_write(look.node, operators::kMigState).value_or(look.cluster_time);
    memory.pending_config = config;
  }
}

// One that gave up waits for another order; one that is slow is in the middle of something.
bool is_at_work(const Look& look) {
  std::string_view log = look.log;
  while (log.ends_with('\n')) log.remove_suffix(1);
  std::string_view last = log.substr(log.rfind('\n') + 1);  // npos + 1 is 0
  if (last.empty() || last.find(kResting) != std::string_view::npos) return false;
  constexpr std::string_view kTime = "time=\"";
  std::size_t at = log.rfind(kTime);
  if (at == std::string_view::npos) return true;
  std::string_view text = log.substr(at + kTime.size());
  auto said = parse_utc(text.substr(0, text.find('"')));
  return !said || look.cluster_time - *said < kSilent;
}

// Whether the failure that the label tells is that of the order which stands. An order that is given again is
// taken off first: the manager may have begun a turn for no order at all, and end it as failed after the
// order stood. Its log says what it is at; where it does not say, the failure counts.
bool is_of_order(std::string_view log, std::string_view config) {
  constexpr std::string_view kTurn = "Updating to MIG config: ";
  const std::size_t turn = log.rfind(kTurn);
  if (turn == std::string_view::npos) return true;
  log.remove_prefix(turn + kTurn.size());
  const std::string_view at = log.substr(0, log.find_first_of("\"\n"));
  if (at != config) return false;
  log.remove_prefix(at.size());
  // A turn that has not reported its end yet is under way.
  return log.find("'failed'") != std::string_view::npos || log.find("rror") != std::string_view::npos;
}

class Facts {
 public:
  Facts(const Look& look, const operators::OperatorSetup& site, const mig::Catalogue* catalogue,
        Memory& memory)
      : look_(look), site_(site), catalogue_(catalogue), memory_(memory) {}

  plan::NodeFacts run() {
    memory_.seen = look_.cluster_time;
    facts_.at = look_.at;
    facts_.node.name = NodeName(look_.name);
    facts_.known = look_.known;
    facts_.answering = false;
    if (!look_.known) return std::move(facts_);
    tell_node();
    tell_closing();
    tell_labels();
    tell_ack();
    tell_parts();
    tell_autoscaler();
    tell_pods();
    tell_slurmd();
    tell_mig();
    tell_files();
    for (const auto& [resource, count] : look_.object.allocatable) facts_.advertised[resource.str()] = count;
    tell_restart();
    return std::move(facts_);
  }

 private:
  void say(std::string_view key, std::string text) { facts_.words[std::string(key)] = std::move(text); }

  void tell_node() {
    NodeSharing sharing = sharing_of(look_.object, catalogue_);
    Origin origin{Source::kubernetes_nodes, look_.at};
    Workloads all;
    bool busy = false;
    std::vector<Workload> work;
    for (const PodObject& pod : look_.pods)
      if (is_gpu_work(pod, true)) {
        work.push_back(workload_of(pod, &sharing, {Source::kubernetes_pods, look_.at}));
        busy = true;
      }
    if (look_.claims_read) claimed_.emplace(look_);
    if (claimed_) claimant_ = claimed_->holder();
    busy = busy || !claimant_.empty();
    if (claimed_ && !claimed_->any()) {
      // Its driver is down, or it has none: who has devices by a claim has them all the same.
      for (const PodObject& pod : look_.pods)
        if (claimed_->may_hold(pod) && !is_gpu_work(pod, true))
          work.push_back(workload_of(pod, nullptr, {Source::kubernetes_pods, look_.at}));
      claimed_.reset();
    }
    facts_.node = node_of(look_.object, sharing, busy, origin);
    // By whom such a node may be cut is asked of what is seen now, too.
    if (claimed_ && pod_of(look_, "MIG manager"))
      facts_.node.components.push_back({"MIG manager", Part::ready, ""});
    if (claimed_) claimed_->lay(facts_.node, catalogue_);
    if (claimed_) add_claimed(work);
    for (Workload& one : work) {
      facts_.node.workloads.push_back(one.id);
      facts_.workloads.push_back(one);
      all.upsert(std::move(one));
    }
    if (catalogue_ && !claimed_) operators::give_boards(facts_.node, site_, *catalogue_);
    std::sort(facts_.node.workloads.begin(), facts_.node.workloads.end());
    link_holders(facts_.node, all);
    facts_.answering = facts_.node.health != Health::down && facts_.node.health != Health::unknown;
  }

  // Pods hold devices by their claims, whether they ask for a resource too or not.
  void add_claimed(std::vector<Workload>& work) {
    for (const PodObject& pod : look_.pods) {
      if (pod.claims.empty() || !component_of(pod).empty()) continue;
      auto same = std::find_if(work.begin(), work.end(),
                               [&](const Workload& one) { return one.id.text == pod.id(); });
      const bool known = same != work.end();
      Workload one = known ? *same : workload_of(pod, nullptr, {Source::kubernetes_pods, look_.at});
      claimed_->add_to(one, pod);
      if (known)
        *same = std::move(one);
      else if (!one.allocations.empty())
        work.push_back(std::move(one));
    }
  }

  void tell_closing() {
    facts_.mark = read_mark(annotation_of(look_, operators::kMark));
    facts_.closed = look_.object.unschedulable;
    if (facts_.closed) {
      facts_.closed_reason = clean(annotation_of(look_, operators::kClosing), 1024);
      facts_.closed_as = plan::parse_mark(facts_.closed_reason);
      if (facts_.closed_reason.empty()) facts_.closed_reason = kCordoned;
    }
    plan::tell_closed(facts_);
  }

  void tell_labels() {
    for (std::string_view key :
         {operators::kMigConfig, operators::kMigState, operators::kPluginConfig, operators::kVgpuConfig,
          operators::kVgpuState, operators::kWorkload, operators::kPluginDeploy, sharing::ack::kSchedule})
      say(key, "");
    if (const Json* labels = at(look_.node, {"metadata", "labels"}))
      for (const auto& [key, value] : labels->fields)
        if ((key.starts_with("nvidia.com/") || key == sharing::ack::kSchedule) &&
            value.kind == Json::Kind::text)
          say(clean(key, 320), clean(value.text, 256));
  }

  // "": the label says so for a while; else since when. What it said before this process looked is taken from
  // the time at which it was written.
  std::string unsettled(std::string_view key) {
    const std::string value = label_of(look_, key);
    auto [seen, fresh] = memory_.labels.try_emplace(std::string(key));
    if (fresh || seen->second.value != value) {
      seen->second.value = value;
      const TimePoint written = last_write(look_.node, key).value_or(TimePoint{});
      seen->second.since = fresh ? written : look_.cluster_time;
    }
    const Duration since = look_.cluster_time - seen->second.since;
    if (since >= kRestarted) return "";
    return fmt::format("{} s after {} was set", std::max<Duration>(since, Duration{0}).count() / 1000, key);
  }

  // A mode that is left may offer its resources a while longer, and one that is entered comes late.
  void tell_ack() {
    auto offered = [&](std::string_view resource) {
      auto found = look_.object.allocatable.find(resource);
      return found == look_.object.allocatable.end() ? 0 : found->second;
    };
    std::int64_t whole = offered(sharing::kubernetes_gpu()), memory = offered(sharing::ack::kMemory);
    std::string text = whole > 0 && memory <= 0   ? std::string(sharing::ack::kWhole)
                       : memory > 0 && whole <= 0 ? std::string(sharing::ack::kMps)
                                                  : fmt::format("{} {} and {} {}", sharing::kubernetes_gpu(),
                                                                whole, sharing::ack::kMemory, memory);
    // A plugin that was told of the mode before goes there first, and only then where the label says now.
    if (std::string rest = unsettled(sharing::ack::kSchedule); !rest.empty()) text += ", " + rest;
    say(fact::kAckOffer, text);
  }

  void tell_parts() {
    say(fact::kMigManager, readiness(look_, "MIG manager"));
    say(fact::kDevicePlugin, readiness(look_, "device plugin"));
    say(fact::kPluginSettled, unsettled(operators::kPluginConfig));
    std::string upgrade = label_of(look_, operators::kDriverUpgrade);
    bool over = upgrade.empty() || upgrade == "upgrade-done";
    say(fact::kDriverUpgrade, over ? "" : "a driver upgrade is under way: " + clean(upgrade, 64));
    if (memory_.access) say(fact::kAccess, *memory_.access);
  }

  void tell_restart() {
    const PodObject* pod = pod_of(look_, "device plugin");
    std::string again = readiness(look_, "device plugin");
    if (!facts_.mark)
      again = "no run has marked " + look_.name;
    else if (pod && pod->meta.created < facts_.mark->since)
      again = fmt::format("the device plugin's pod {} is the one from before", pod->meta.name);
    say(plan::restarts::kPluginAgain, again);
    std::string offers = plan::offers_by_plugin(facts_);
    const Duration age = pod && pod->meta.created ? look_.cluster_time - *pod->meta.created : Duration{0};
    if (!pod)
      offers = again;
    else if (age < kRegistered)
      offers = fmt::format("the device plugin's pod is {} s old: the kubelet may not have heard of it yet",
                           std::max<Duration>(age, Duration{0}).count() / 1000);
    say(plan::restarts::kPluginOffers, offers);
  }

  void tell_autoscaler() {
    bool held = annotation_of(look_, operators::kScaleDown) == "true" &&
                annotation_of(look_, operators::kDisrupt) == "true";
    bool ours = at(look_.node, {"metadata", "annotations", operators::kHeld}) != nullptr;
    say(fact::kAutoscaler, ours && held ? "held" : ours ? "half held" : "free");
  }

  // What comes back at once and has asked for nothing is not waited for.
  void tell_pods() {
    std::string who;
    for (const PodObject& pod : look_.pods) {
      if (!is_gpu_work(pod, true)) continue;
      if (!pod.requests.empty())
        who = fmt::format("{} holds {}{}", pod.id(), pod.requests.begin()->first.str(),
                          pod.meta.deleted ? " and is ending" : "");
      else if (std::string slurm = slurm_node_of(pod); !slurm.empty())
        who = fmt::format("{} runs slurmd of {}", pod.id(), slurm);
      else if (!stays_with_node(pod))
        who = fmt::format("{} uses GPUs that it did not ask for ({})", pod.id(), unasked_way(pod));
      if (!who.empty()) break;
    }
    if (who.empty()) who = claimant_;
    say(fact::kGpuPods, who);
    if (claimed_) claimed_->tell(facts_);
    if (look_.ruled) say(fact::kDevices, *look_.ruled ? "closed" : "open");
    for (const PodObject& pod : look_.pods) say(fact::of(fact::kEviction, pod.id()), refusal_of(pod.id()));
  }
  void tell_slurmd() {
    std::string busy, back = fmt::format("no pod that runs slurmd is on {}", look_.name);
    bool any_back = false;
    for (const PodObject& pod : look_.pods) {
      if (has_ended(pod) || slurm_node_of(pod).empty()) continue;
      if (busy.empty()) busy = why_in_use(pod);
      std::string why = why_not_back(pod);
      any_back = any_back || why.empty();
      back = std::move(why);
    }
    say(fact::kSlurmWork, busy);
    say(fact::kSlurmBack, any_back || plan::is_closed_by_another(facts_) ? "" : back);
    const bool told = !annotation_of(look_, operators::kCordonReason).empty();
    say(fact::kSlurmReason, told ? "" : "slurm-operator is not told why the node is closed");
  }
  std::string refusal_of(const std::string& pod) const {
    auto found = memory_.refused.find(pod);
    if (found == memory_.refused.end()) return "";
    return look_.cluster_time - found->second.at < kRefusalLasts ? found->second.why : "";
  }

  void tell_mig() {
    std::string config = label_of(look_, operators::kMigConfig),
                state = label_of(look_, operators::kMigState);
    if (state == "failed" && !is_of_order(look_.log, config)) state.clear();
    bool failed = state == "failed";
    std::string paused = paused_parts(look_);
    note_pending(look_, memory_);
    bool waits = memory_.pending_since.has_value();
    Duration since = memory_.pending_since ? look_.cluster_time - *memory_.pending_since : Duration{0};
    bool stuck = waits && since > kTooLong && !paused.empty() && !is_at_work(look_);
    say(fact::kMigStuck, stuck ? fmt::format("the MIG manager has been at {} for {} min with {} paused",
                                             config, since.count() / 60000, paused)
                               : "");
    say(fact::kMigWork, stuck ? "" : work_text(config, state));
    const bool made = state == "success" && catalogue_ && offers_what_is_discovered() &&
                      operators::is_made(facts_.node, site_, *catalogue_);
    say(fact::kMigMade, made ? config : "");
    bool over = state == "success" || failed;
    std::string slow = over ? "" : readiness(look_, "MIG manager");
    if (slow.empty() && waits && since > kUsual)
      slow = fmt::format("the MIG manager has been at {} for {} min, where half a minute is usual",
                         clean(config, 64), since.count() / 60000);
    say(fact::kMigSlow, slow);
    std::string hollow = hollow_text(config, state);
    say(fact::kMigHollow, hollow);
    // A failure that left its pauses behind offers nothing either.
    say(fact::kMigOrder, failed            ? config + ", which failed"
                         : !hollow.empty() ? config + ", which made nothing"
                                           : config);
    say(fact::kMigFailure, failed ? failure_text(config) : "");
    std::string vgpu = clean(label_of(look_, operators::kVgpuConfig), 64);
    bool no_vgpu = label_of(look_, operators::kVgpuState) == "failed";
    say(fact::kVgpuOrder, no_vgpu ? vgpu + ", which failed" : vgpu);
    say(fact::kVgpuFailure, no_vgpu ? "the vGPU device manager failed at " + vgpu : "");
    for (const auto& [resource, count] : look_.object.allocatable)
      if (auto name = sharing::parse_resource(resource, Scheduler::kubernetes);
          name && name->kind == sharing::ResourceKind::vgpu)
        say(fact::of(fact::kVgpuOffer, name->type), std::to_string(count));
    facts_.node.order = config.empty() && state.empty()
                            ? std::nullopt
                            : std::optional(order_of(look_.object, clean(config, 64), clean(state, 32),
                                                     memory_.pending_since));
  }
  // Feature discovery says what there is, the kubelet what can be had.
  bool offers_what_is_discovered() const {
    const Counts expected = expected_counts(sharing_of(look_.object, catalogue_));
    return std::all_of(expected.begin(), expected.end(), [&](const auto& one) {
      auto found = look_.object.allocatable.find(one.first);
      return (found == look_.object.allocatable.end() ? 0 : found->second) == one.second;
    });
  }
  // Between a label that was just set and the first word about it the manager is about to begin; one that
  // says nothing for long will not.
  std::string work_text(const std::string& config, const std::string& state) {
    const bool begins = !config.empty() && state.empty();
    if (!begins || memory_.ordered_config != config) {
      memory_.ordered_since.reset();
      memory_.ordered_config = config;
    }
    if (begins && !memory_.ordered_since)
      memory_.ordered_since = last_write(look_.node, operators::kMigConfig).value_or(look_.cluster_time);
    const bool waits = begins && look_.cluster_time - *memory_.ordered_since < kUsual;
    if (!waits && state != "pending" && state != "rebooting") return "";
    return fmt::format("the MIG manager {} {}", waits ? "is about to begin" : "is at", clean(config, 64));
  }
  // "success" is the manager's word; what is offered is the proof.
  std::string hollow_text(const std::string& config, const std::string& state) {
    // Where a DRA driver hands out the GPUs, the kubelet counts none of them.
    if (state != "success" || !catalogue_ || claimed_) {
      memory_.success_since.reset();
      return "";
    }
    if (!memory_.success_since || memory_.success_config != config) {
      memory_.success_since = last_write(look_.node, operators::kMigState).value_or(look_.cluster_time);
      memory_.success_config = config;
    }
    Duration since = look_.cluster_time - *memory_.success_since;
    auto offered = since > kSettled ? operators::not_made(facts_.node, site_, *catalogue_) : std::nullopt;
    if (!offered) return "";
    return fmt::format(
        "the MIG manager said success at {} {} min ago, and the node offers {}: nothing was "
        "made; the run orders it again when it is resumed",
        clean(config, 64), since.count() / 60000, *offered);
  }
  std::string failure_text(const std::string& config) const {
    std::string text = fmt::format("the MIG manager failed at {}", clean(config, 64));
    if (std::string cause = known_cause(look_.log); !cause.empty()) text += ": " + cause;
    if (look_.log.empty()) return text + "; its log cannot be read";
    std::string_view tail = look_.log;
    if (tail.size() > kLogShown) {  // from the beginning of a line on, where there is one
      tail.remove_prefix(tail.size() - kLogShown);
      std::size_t line = tail.find('\n') + 1;  // npos + 1 is 0
      tail.remove_prefix(line < tail.size() ? line : 0);
    }
    return text + "; its log ends: " + clean(tail, 2 * kLogShown);
  }

  // As new as the ConfigMap: the pod was started after its last change, or a kubelet had time enough.
  std::string caught_up(const std::optional<Json>& map, std::string_view component) {
    if (!map) return "";  // the component reads no file of the site's
    Memory::Version& seen = memory_.maps[text_at(*map, {"metadata", "name"})];
    std::string version = text_at(*map, {"metadata", "resourceVersion"});
    if (!seen.version.empty() && seen.version != version) seen.changed = look_.cluster_time;
    seen.version = version;
    const PodObject* pod = pod_of(look_, component);
    if (!pod) return fmt::format("the {} has no pod on {}", component, look_.name);
    // Kubernetes 1.20 leaves the time as it was where the same writer changes a value again.
    auto changed = last_write(*map, "");
    if (seen.changed && (!changed || *seen.changed > *changed)) changed = seen.changed;
    if (!changed) changed = parse_utc(text_at(*map, {"metadata", "creationTimestamp"}));
    if (!changed || (pod->started && *pod->started >= *changed)) return "";
    Duration since = look_.cluster_time - *changed;
    if (since >= kMounted) return "";
    return fmt::format("the {} may read the file as it was for another {} s", component,
                       (kMounted - since).count() / 1000);
  }
  void tell_files() {
    if (!look_.policy_read) return;
    say(fact::kMigMap, look_.mig_map);
    say(fact::kPluginMap, look_.plugin_map);
    say(fact::kMigFile, caught_up(look_.mig_config_map, "MIG manager"));
    say(fact::kPluginFile, caught_up(look_.plugin_config_map, "device plugin"));
    for (const auto* map : {&look_.mig_config_map, &look_.our_mig_map})
      if (*map) tell_mig_entries(**map);
    for (const auto* map : {&look_.plugin_config_map, &look_.our_plugin_map})
      if (*map) tell_plugin_entries(**map);
  }
  // One of ours counts only with the content that its name was made of.
  void tell_mig_entries(const Json& map) {
    std::string name = text_at(map, {"metadata", "name"});
    auto file = operators::parse_mig_document(text_at(map, {"data", operators::kMigKey}), name);
    if (!file) return;
    for (const operators::MigConfig& config : file->configs)
      if (!config.name.starts_with(operators::kOurs) || operators::name_of(config.rows) == config.name)
        say(fact::of(fact::kMigEntry, config.name), name);
  }
  void tell_plugin_entries(const Json& map) {
    std::string name = text_at(map, {"metadata", "name"});
    const Json* data = map.find("data");
    if (!data) return;
    for (const auto& [key, value] : data->fields) {
      auto config = operators::parse_plugin_config(value.text, key);
      bool ours = config && key.starts_with(operators::kOurs);
      if (config && (!ours || operators::plugin_config_name(config->sharing, value.text) == key))
        say(fact::of(fact::kPluginEntry, key), name);
    }
  }

  const Look& look_;
  const operators::OperatorSetup& site_;
  const mig::Catalogue* catalogue_;
  Memory& memory_;
  std::optional<ClaimedNode> claimed_;
  std::string claimant_;  // who has a device by a claim, whether the driver tells of devices or not
  plan::NodeFacts facts_;
};

}  // namespace

std::optional<TimePoint> last_write(const Json& object, std::string_view field) {
  // As a whole: nvidia.com/mig.config is not nvidia.com/mig.config.state.
  const std::string wanted = field.empty() ? "" : fmt::format("\"f:{}\"", field);
  std::optional<TimePoint> last;
  const Json* managed = at(object, {"metadata", "managedFields"});
  if (!managed) return last;
  for (const Json& entry : managed->items) {
    auto time = parse_utc(text_at(entry, {"time"}));
    const Json* fields = entry.find("fieldsV1");
    bool writes = fields && to_line(*fields).find(wanted) != std::string::npos;
    if (time && writes && (!last || *time > *last)) last = time;
  }
  return last;
}

bool needs_log(const Look& look, Memory& memory) {
  note_pending(look, memory);
  return label_of(look, operators::kMigState) == "failed" ||
         (memory.pending_since && look.cluster_time - *memory.pending_since > kTooLong);
}

plan::NodeFacts facts_of(const Look& look, const operators::OperatorSetup& site,
                         const mig::Catalogue* catalogue, Memory& memory) {
  return Facts(look, site, catalogue, memory).run();
}

std::string mark_text(const plan::RunMark& mark) {
  auto whole = std::chrono::floor<std::chrono::seconds>(mark.since);
  auto day = std::chrono::floor<std::chrono::days>(whole);
  std::chrono::year_month_day date{day};
  std::chrono::hh_mm_ss time{whole - day};
  return fmt::format("{} {:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", plan::to_text(mark), int(date.year()),
                     unsigned(date.month()), unsigned(date.day()), time.hours().count(),
                     time.minutes().count(), time.seconds().count());
}

std::optional<plan::RunMark> read_mark(std::string_view text) {
  auto mark = plan::parse_mark(text);
  if (!mark) return std::nullopt;
  std::size_t blank = text.rfind(' ');
  mark->since = parse_utc(text.substr(blank + 1)).value_or(TimePoint{});
  return mark;
}

std::string known_cause(std::string_view log) {
  struct Cause {
    std::string_view words, meaning;
  };
  // mig-parted v0.15.0 and what the driver lets it say.
  static constexpr std::array kCauses = {
      Cause{"selected mig-config not present", "its file does not know that configuration"},
      Cause{"In use by another client", "a process still has the GPU open (a monitor, a DCGM handle, a pod)"},
      Cause{"Insufficient Resources", "the instances do not fit on the GPU in any order"},
      Cause{"MIG mode change did not take effect after rebooting", "MIG mode stays as it was after a reboot"},
      Cause{"unable to apply MIG config with MIG mode disabled", "MIG mode could not be switched on"},
      Cause{"cannot set MIG mode on non MIG-capable GPU", "a GPU of the node cannot be cut"},
      Cause{"not found on this GPU", "the GPU has no such profile"},
      Cause{"Resetting GPU", "the GPU cannot be reset there: the node must be rebooted"},
  };
  for (const Cause& cause : kCauses)
    if (log.find(cause.words) != std::string_view::npos) return std::string(cause.meaning);
  return "";
}

}  // namespace tessera::kubernetes
