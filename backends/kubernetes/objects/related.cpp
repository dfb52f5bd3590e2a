#include "backends/kubernetes/objects/related.hpp"

#include <algorithm>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/objects/kueue.hpp"
#include "engine/text.hpp"
#include "engine/time.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::size_t kMostText = 600;

// kueue.x-k8s.io and scheduling.volcano.sh: their documented labels and annotations. KAI writes the name of
// its PodGroup into the annotation pod-group-name.
constexpr std::string_view kKueueQueue = "kueue.x-k8s.io/queue-name";
constexpr std::string_view kKueueGate = "kueue.x-k8s.io/";
constexpr std::string_view kVolcanoGroup = "scheduling.k8s.io/group-name";
constexpr std::string_view kVolcanoGroupToo = "scheduling.volcano.sh/group-name";
constexpr std::string_view kKaiGroup = "pod-group-name";

std::string cleaned(std::string text, std::size_t most = 253) { return clean(text, most); }

const std::vector<Json>& list_at(const Json& root, std::initializer_list<std::string_view> path) {
  static const std::vector<Json> kNone;
  const Json* found = at(root, path);
  return found && found->kind == Json::Kind::list ? found->items : kNone;
}

void keep(std::vector<std::string>& names, std::string name) {
  if (!name.empty() && names.size() < kMostLinks &&
      std::find(names.begin(), names.end(), name) == names.end())
    names.push_back(std::move(name));
}

std::optional<TimePoint> newest(const Json& event) {
  std::optional<TimePoint> last;
  for (const std::string& text : {text_at(event, {"series", "lastObservedTime"}),
                                  text_at(event, {"lastTimestamp"}), text_at(event, {"eventTime"})})
    if (const auto time = parse_utc(text); time && (!last || *time > *last)) last = time;
  return last;
}

std::int64_t count_of(const Json& event) {
  for (const Json* count : {at(event, {"series", "count"}), at(event, {"count"})})
    if (count && count->kind == Json::Kind::integer && count->integer > 0) return count->integer;
  return 1;
}

bool is_true(const Json& condition) { return text_at(condition, {"status"}) == "True"; }

std::vector<Condition> conditions_of(const Json& object) {
  std::vector<Condition> all;
  for (const Json& one : list_at(object, {"status", "conditions"}))
    all.push_back({text_at(one, {"type"}), text_at(one, {"status"}), text_at(one, {"reason"}),
                   text_at(one, {"message"}), std::nullopt});
  return all;
}

std::vector<KueueCheck> checks_of(const Json& workload) {
  std::vector<KueueCheck> all;
  for (const Json& one : list_at(workload, {"status", "admissionChecks"})) {
    if (all.size() >= kMostKueueChecks) break;
    KueueCheck& check = all.emplace_back();
    for (const auto& [key, field] : one.fields) take_field(check, key, field.text);
  }
  return all;
}

bool holds(const std::vector<Condition>& conditions, std::string_view type) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const Condition& one) { return one.type == type; });
  return found != conditions.end() && found->status == "True";
}

bool belongs(const Json& workload, const PodLinks& links) {
  const auto is_ours = [&](const std::string& uid) {
    return !uid.empty() && (uid == links.uid ||
                            std::find(links.owners.begin(), links.owners.end(), uid) != links.owners.end());
  };
  if (is_ours(text_at(workload, {"metadata", "labels", "kueue.x-k8s.io/job-uid"}))) return true;
  for (const Json& owner : list_at(workload, {"metadata", "ownerReferences"}))
    if (is_ours(text_at(owner, {"uid"}))) return true;
  return false;
}

// "gpu.nvidia.com, mig.nvidia.com": what a claim asks a DRA driver for, in both forms of its requests.
std::string devices_of(const Json& claim) {
  std::string text;
  std::size_t told = 0;
  for (const Json& request : list_at(claim, {"spec", "devices", "requests"})) {
    std::string kind = text_at(request, {"exactly", "deviceClassName"});
    if (kind.empty()) kind = text_at(request, {"deviceClassName"});
    if (kind.empty() || ++told > kMostLinks) continue;
    text += (text.empty() ? "asks for " : ", ") + kind;
  }
  return text;
}

}  // namespace

PodLinks links_of(const Json& pod) {
  PodLinks links;
  links.uid = text_at(pod, {"metadata", "uid"});
  for (const Json& owner : list_at(pod, {"metadata", "ownerReferences"}))
    keep(links.owners, text_at(owner, {"uid"}));
  for (const Json& gate : list_at(pod, {"spec", "schedulingGates"})) {
    keep(links.gates, cleaned(text_at(gate, {"name"})));
    links.by_kueue = links.by_kueue || text_at(gate, {"name"}).starts_with(kKueueGate);
  }
  const std::string name = text_at(pod, {"metadata", "name"});
  for (const Json& volume : list_at(pod, {"spec", "volumes"})) {
    keep(links.volume_claims, text_at(volume, {"persistentVolumeClaim", "claimName"}));
    if (at(volume, {"ephemeral"})) keep(links.volume_claims, name + "-" + text_at(volume, {"name"}));
  }
  for (const Json& claim : list_at(pod, {"spec", "resourceClaims"}))
    keep(links.claims, text_at(claim, {"resourceClaimName"}));
  for (const Json& claim : list_at(pod, {"status", "resourceClaimStatuses"}))
    keep(links.claims, text_at(claim, {"resourceClaimName"}));
  links.queue = cleaned(text_at(pod, {"metadata", "labels", kKueueQueue}));
  links.by_kueue = links.by_kueue || !links.queue.empty();
  links.volcano = text_at(pod, {"metadata", "annotations", kVolcanoGroup});
  if (links.volcano.empty()) links.volcano = text_at(pod, {"metadata", "annotations", kVolcanoGroupToo});
  links.kai = text_at(pod, {"metadata", "annotations", kKaiGroup});
  return links;
}

std::vector<Related> gates_of(const PodLinks& links) {
  std::vector<Related> all;
  for (const std::string& gate : links.gates)
    all.push_back({Teller::pod, "scheduling gate", gate, "", "", true, 1, std::nullopt});
  return all;
}

std::vector<Related> related_events(const std::vector<Json>& events, const std::string& uid) {
  std::vector<Related> all;
  for (const Json& event : events) {
    if (!uid.empty() && text_at(event, {"involvedObject", "uid"}) != uid) continue;
    all.push_back({Teller::events, "event", "", cleaned(text_at(event, {"reason"})),
                   cleaned(text_at(event, {"message"}), kMostText), text_at(event, {"type"}) == "Warning",
                   count_of(event), newest(event)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Related& a, const Related& b) { return a.at > b.at; });
  if (all.size() > kMostEvents) all.resize(kMostEvents);
  return all;
}

Related related_volume(const std::string& name, const Json& claim) {
  const std::string phase = text_at(claim, {"status", "phase"});
  const std::string storage = text_at(claim, {"spec", "storageClassName"});
  Related one{
      Teller::volumes, "PersistentVolumeClaim", cleaned(name), cleaned(phase, 40), "", phase != "Bound", 1,
      std::nullopt};
  if (phase.empty()) one.state = "?";
  if (one.in_the_way)
    one.text = storage.empty() ? "no storage class: it needs a volume that already exists"
                               : "storage class " + cleaned(storage) +
                                     "; one that waits for the first consumer binds it only once the pod has "
                                     "a node";
  return one;
}

Related related_claim(const std::string& name, const Json& claim) {
  const Json* allocation = at(claim, {"status", "allocation"});
  const bool allocated = allocation && allocation->kind == Json::Kind::map;
  return {Teller::claims,
          "ResourceClaim",
          cleaned(name),
          allocated ? "allocated" : "not allocated",
          cleaned(devices_of(claim), kMostText),
          !allocated,
          1,
          std::nullopt};
}

Related related_workload(const Json& workload) {
  Related one{Teller::admission,
              "Workload",
              cleaned(text_at(workload, {"metadata", "name"})),
              "not admitted",
              "",
              true,
              1,
              std::nullopt};
  const std::string queue = text_at(workload, {"spec", "queueName"});
  if (!queue.empty()) one.text = "queue " + cleaned(queue);
  const std::vector<Condition> conditions = conditions_of(workload);
  if (holds(conditions, "Admitted")) {
    one.state = "admitted", one.in_the_way = false;
    return one;
  }
  std::string why = why_not_admitted(conditions);
  if (holds(conditions, "QuotaReserved")) {
    one.state = "quota reserved, not admitted yet";
    if (std::string waits = checks_in_the_way(checks_of(workload)); !waits.empty()) why = std::move(waits);
  }
  if (!why.empty()) one.text += (one.text.empty() ? "" : "; ") + why;
  return one;
}

const Json* workload_behind(const std::vector<Json>& workloads, const PodLinks& links) {
  const auto found = std::find_if(workloads.begin(), workloads.end(),
                                  [&](const Json& workload) { return belongs(workload, links); });
  return found == workloads.end() ? nullptr : &*found;
}

Related related_group(const std::string& name, const Json& group) {
  const std::string phase = text_at(group, {"status", "phase"});
  Related one{Teller::admission,  "PodGroup", cleaned(name), cleaned(phase, 40), "",
              phase != "Running", 1,          std::nullopt};
  const std::string queue = text_at(group, {"spec", "queue"});
  if (!queue.empty()) one.text = "queue " + cleaned(queue);
  for (const auto path : {"conditions", "schedulingConditions"})
    for (const Json& condition : list_at(group, {"status", path})) {
      if (!is_true(condition) && text_at(condition, {"status"}) != "") continue;
      const std::string message = cleaned(text_at(condition, {"message"}), kMostText);
      if (message.empty() || one.text.size() > kMostText) continue;
      one.text += (one.text.empty() ? "" : "; ") + message;
    }
  return one;
}

Related related_missing(Teller source, std::string kind, const std::string& name) {
  return {source, std::move(kind), cleaned(name), "not there", "", true, 1, std::nullopt};
}

}  // namespace tessera::kubernetes
