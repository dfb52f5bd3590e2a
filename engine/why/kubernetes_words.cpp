// The messages of Kubernetes' scheduler, 1.20 to 1.36 (the ErrReason constants of its plugins), of those that
// admit work before it (Kueue's gate, Volcano's groups), and of a kubelet that cannot start a pod.

#include <algorithm>
#include <charconv>

#include "engine/ascii.hpp"
#include "engine/text.hpp"
#include "engine/why/words.hpp"

namespace tessera::why {
namespace {

// words: as written; one '*' stands for anything, which is the text's {}. A '*' in front of it: whatever
// comes before.
struct Row {
  std::string_view words;
  Topic topic;
  std::string_view text;
};

constexpr Row kRows[] = {
    {"Insufficient cpu", Topic::room, "too few CPUs are free"},
    {"Insufficient memory", Topic::room, "too little memory is free"},
    {"Insufficient ephemeral-storage", Topic::room, "too little local storage is free"},
    {"Insufficient *", Topic::room, "too few of {} are free"},
    {"Too many pods", Topic::room, "as many pods run there as the kubelet allows"},
    {"node(s) had no available disk", Topic::storage, "a disk that it needs is in use by another pod"},
    {"node(s) didn't have free ports for the requested pod ports", Topic::room,
     "a host port that it needs is taken"},
    {"node(s) were unschedulable", Topic::node, "cordoned"},
    {"node(s) had unknown conditions", Topic::node, "the node's conditions are not known"},
    {"node(s) had untolerated taint {*}", Topic::taint,
     "the taint {} keeps it away, and it does not tolerate it"},
    {"node(s) had untolerated taint(s)", Topic::taint, "taints that it does not tolerate keep it away"},
    {"node(s) had taint {*}, that the pod didn't tolerate", Topic::taint,
     "the taint {} keeps it away, and it does not tolerate it"},
    {"node(s) didn't match Pod's node affinity/selector", Topic::selector,
     "the node's labels do not match its node selector or affinity"},
    {"node(s) didn't match Pod's node affinity", Topic::selector,
     "the node's labels do not match its node selector or affinity"},
    {"node(s) didn't match node selector", Topic::selector,
     "the node's labels do not match its node selector or affinity"},
    {"node(s) didn't match scheduler-enforced node affinity", Topic::selector,
     "the scheduler's own profile rules the node out"},
    {"node(s) didn't satisfy plugin(s) [*] simultaneously", Topic::selector,
     "the scheduler's plugins rule the node out: {}"},
    {"node(s) didn't satisfy plugin(s) [*]", Topic::selector,
     "the scheduler's plugins rule the node out: {}"},
    {"node(s) didn't satisfy plugin *", Topic::selector, "the scheduler's plugins rule the node out: {}"},
    {"pod affinity terms conflict", Topic::selector, "its node affinity names nodes that exclude each other"},
    {"node(s) didn't match the requested node name", Topic::selector, "it names another node"},
    {"node(s) didn't match the requested hostname", Topic::selector, "it names another node"},
    {"node(s) didn't have the requested labels", Topic::selector, "the node lacks labels that are required"},
    {"node(s) didn't match service affinity", Topic::selector,
     "pods of its service are to stand on nodes with other labels"},
    {"node(s) didn't match pod affinity rules", Topic::selector, "no pod that it is to stand with is there"},
    {"node(s) didn't match pod anti-affinity rules", Topic::selector,
     "a pod that it must not stand with is there"},
    {"node(s) didn't match pod affinity/anti-affinity rules", Topic::selector,
     "its rules about other pods rule the node out"},
    {"node(s) didn't match pod affinity/anti-affinity", Topic::selector,
     "its rules about other pods rule the node out"},
    {"node(s) didn't satisfy existing pods anti-affinity rules", Topic::selector,
     "a pod there does not allow such a pod beside it"},
    {"node(s) didn't match pod topology spread constraints (missing required label)", Topic::selector,
     "the node lacks the label by which pods are to be spread"},
    {"node(s) didn't match pod topology spread constraints", Topic::selector,
     "its pods would be spread too unevenly"},
    {"node declared features check failed - unsatisfied requirements: *", Topic::selector,
     "the kubelet lacks features that it needs: {}"},
    {"node declared features check failed: *", Topic::selector,
     "the kubelet lacks features that it needs: {}"},
    {"pod has unbound immediate PersistentVolumeClaims", Topic::storage,
     "a PersistentVolumeClaim of it has no volume yet"},
    {"node(s) didn't find available persistent volumes to bind", Topic::storage,
     "no volume that fits its claim can be reached from there"},
    {"node(s) had volume node affinity conflict", Topic::storage,
     "its volume can be reached from other nodes only"},
    {"node(s) didn't match PersistentVolume's node affinity", Topic::storage,
     "its volume can be reached from other nodes only"},
    {"node(s) did not have enough free storage", Topic::storage,
     "too little storage is left for its volumes"},
    {"node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)", Topic::storage,
     "a claim of it is bound to a volume that does not exist"},
    {"node(s) unavailable due to PersistentVolumeClaim(s) bound to non-existent PersistentVolume(s)",
     Topic::storage, "a claim of it is bound to a volume that does not exist"},
    {"persistentvolumeclaim \"*\" not found", Topic::storage, "the PersistentVolumeClaim {} does not exist"},
    {"persistentvolumeclaim \"*\" is being deleted", Topic::storage,
     "the PersistentVolumeClaim {} is being deleted"},
    {"persistentvolumeclaim \"*", Topic::storage, "a PersistentVolumeClaim cannot be used: {}"},
    {"waiting for ephemeral volume controller to create the persistentvolumeclaim \"*\"", Topic::storage,
     "the PersistentVolumeClaim {} is about to be created"},
    {"node(s) had no available volume zone", Topic::storage, "its volume is in another zone"},
    {"node(s) exceed max volume count", Topic::storage,
     "as many volumes are attached there as the node takes"},
    {"node(s) would exceed max volume count", Topic::storage,
     "as many volumes are attached there as the node takes"},
    {"node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
     Topic::storage, "another pod uses its claim, which one pod at a time may use"},
    {"node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by "
     "another pod",
     Topic::storage, "another pod uses its claim, which one pod at a time may use"},
    {"cannot allocate all claims", Topic::claim, "no devices that its resource claim asks for are free"},
    {"resourceclaim not available on the node", Topic::claim,
     "its resource claim has devices of other nodes"},
    {"resourceclaim in use", Topic::claim, "its resource claim is in use by other pods"},
    {"resourceclaim must be reallocated", Topic::claim, "its resource claim must be allocated again first"},
    {"resourceclaim cannot be allocated for the node (unsuitable)", Topic::claim,
     "the driver of its resource claim rules the node out"},
    {"unallocated immediate resourceclaim", Topic::claim, "its resource claim has no devices yet"},
    {"waiting for resource driver to allocate resource", Topic::claim,
     "the driver of its resource claim has not answered yet"},
    {"waiting for resource driver to provide information", Topic::claim,
     "the driver of its resource claim has not answered yet"},
    {"waiting for resource driver", Topic::claim, "the driver of its resource claim has not answered yet"},
    {"waiting for dynamic resource controller to create the resourceclaim \"*\"", Topic::claim,
     "the resource claim {} is about to be created"},
    {"resourceclaim \"*\" not found", Topic::claim, "the resource claim {} does not exist"},
    {"device class * does not exist", Topic::claim, "the device class {} does not exist"},
    {"*: device class * does not exist", Topic::claim, "the device class {} does not exist"},
    {"resource claim *: has subrequests, but the DRAPrioritizedList feature is disabled", Topic::claim,
     "its resource claim names alternatives, which the scheduler's settings rule out: {}"},
    {"waits for claim *", Topic::claim, "its resource claim has no devices yet: {}"},
    {"SchedulingGated", Topic::gate,
     "a scheduling gate holds it: a queue such as Kueue, or a person, removes it"},
    {"Scheduling is blocked due to non-empty scheduling gates", Topic::gate,
     "a scheduling gate holds it: a queue such as Kueue, or a person, removes it"},
    {"waiting for scheduling gates: *", Topic::gate, "scheduling gates hold it: {}"},
    // With ": " where it is in no queue (reason_of, backends/kubernetes/objects/kueue.cpp).
    {"Kueue: not admitted", Topic::gate, "Kueue has not admitted it yet"},
    {"Kueue: not admitted, *", Topic::gate, "Kueue has not admitted it: {}"},
    {"Kueue: not admitted: *", Topic::gate, "Kueue has not admitted it: {}"},
    {"Kueue: quota reserved", Topic::gate, "Kueue has reserved its quota and has not admitted it yet"},
    {"Kueue: quota reserved, *", Topic::gate, "Kueue has reserved its quota and has not admitted it yet: {}"},
    {"Kueue: quota reserved: *", Topic::gate, "Kueue has reserved its quota and has not admitted it yet: {}"},
    {"Kueue: deactivated", Topic::held, "it is deactivated in Kueue (spec.active: false)"},
    {"Kueue: deactivated, *", Topic::held, "it is deactivated in Kueue (spec.active: false): {}"},
    {"Kueue: deactivated: *", Topic::held, "it is deactivated in Kueue (spec.active: false): {}"},
    {"waiting for minCount pods from a gang to appear in scheduling queue", Topic::group,
     "it starts together with others of its group, and too few of them exist"},
    {"waiting for podGroup * to appear in scheduling queue", Topic::group, "its group {} does not exist yet"},
    {"waiting for pod's pod group \"*\" to appear in scheduling queue", Topic::group,
     "its group {} does not exist yet"},
    {"waiting for composite pod group \"*\" tree to meet quorum", Topic::group,
     "it starts together with the other groups of {}, and too few of them exist"},
    {"minCount *", Topic::group,
     "it starts together with others of its group, and too few of them fit: minCount {}"},
    {"pod group is not ready, *", Topic::group,
     "it starts together with others of its group, and too few of them fit: {}"},
    {"*tasks in gang unschedulable: *", Topic::group,
     "it starts together with others of its group, and too few of them fit: {}"},
    // Volcano.
    {"Pod *, once minAvailable is satisfied", Topic::group,
     "it starts together with others of its group, and too few of them fit: {}"},
    {"Pod *, once resource is released and minAvailable is satisfied", Topic::group,
     "it starts together with others of its group, and too few of them fit: {}"},
    {"node(s) pod number exceeded", Topic::room, "as many pods run there as the kubelet allows"},
    {"node(s) resource fit failed", Topic::room, "too little of what it asks for is free"},
    {"all nodes are unavailable", Topic::room, "no node has room for it now"},
    {"queue resource quota insufficient*", Topic::limit, "the quota of its queue is used up{}"},
    // KAI, whose messages may begin with a word for the reason: "OverLimit: team quota has reached …".
    {"no nodes with enough resources were found: *", Topic::room, "no node has room for it now: {}"},
    {"no nodes with enough resources were found", Topic::room, "no node has room for it now"},
    {"Resources were found for *", Topic::group,
     "it starts together with others of its group, and too few of them fit: {}"},
    {"*Non-preemptible workload is over quota. *", Topic::limit,
     "it may not be preempted, and so has to stay within the quota of its queue: {}"},
    {"* quota has reached the allowable limit of *", Topic::limit,
     "its queue, or one above it, has reached its limit on {}"},
    {"Not enough resources for the workload: *", Topic::room, "no node has room for it now: {}"},
    {"Not enough resources for the workload", Topic::room, "no node has room for it now"},
    {"Unable to schedule podgroup: *", Topic::group, "its group cannot be scheduled: {}"},
    {"Unable to schedule podgroup", Topic::group, "its group cannot be scheduled"},
    {"Unable to schedule pod", Topic::untold, "the scheduler found no place for it, and does not say why"},
    {"no nodes available to schedule pods", Topic::node, "the cluster has no node that takes pods"},
    {"preemption: *", Topic::priority, "what the scheduler says of removing other pods for it: {}"},
    {"not eligible due to preemptionPolicy=Never.", Topic::priority,
     "its priority class does not allow to remove other pods for it"},
    {"ContainerCreating", Topic::start, "it has a node, and its containers are being created"},
    {"PodInitializing", Topic::start, "it has a node, and its init containers run"},
    {"ErrImagePull*", Topic::failed, "its image cannot be pulled{}"},
    {"ImagePullBackOff*", Topic::failed, "its image cannot be pulled{}"},
    {"InvalidImageName*", Topic::failed, "the name of its image is not valid{}"},
    {"CreateContainerConfigError*", Topic::failed,
     "a ConfigMap, a Secret or a setting that its container needs is missing{}"},
    {"CreateContainerError*", Topic::failed, "its container cannot be created{}"},
    {"RunContainerError*", Topic::failed, "its container cannot be started{}"},
    {"CrashLoopBackOff*", Topic::failed,
     "its container ends again and again, and is started later each time{}"},
    {"UnexpectedAdmissionError*", Topic::failed, "the node's kubelet or device plugin refused it{}"},
};

constexpr std::string_view kOfVolcano = " nodes are unavailable";

// What the row's '*' stands for; nullopt: the words do not fit.
std::optional<std::string_view> match(std::string_view words, std::string_view row) {
  const auto star = row.rfind('*');
  if (star == std::string_view::npos) return words == row ? std::optional(words.substr(0, 0)) : std::nullopt;
  std::string_view head = row.substr(0, star), tail = row.substr(star + 1);
  if (head.starts_with('*')) {  // "*tasks in gang unschedulable: *"
    const auto at = words.find(head.substr(1));
    if (at == std::string_view::npos) return std::nullopt;
    words.remove_prefix(at), head.remove_prefix(1);
  }
  if (words.size() < head.size() + tail.size() || !words.starts_with(head) || !words.ends_with(tail))
    return std::nullopt;
  return words.substr(head.size(), words.size() - head.size() - tail.size());
}

std::string filled(std::string_view text, std::string_view with) {
  std::string result(text);
  // A taint without a value: "{node.kubernetes.io/unreachable: }".
  if (with.ends_with(": ")) with.remove_suffix(2);
  if (const auto at = result.find("{}"); at != std::string::npos) result.replace(at, 2, clean(with, 200));
  return result;
}

// Takes a number off the front.
std::optional<std::int64_t> number(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the next part begins: a comma may stand in a part, too, so that it counts before "3 " only.
std::size_t end_of_part(std::string_view text) {
  for (std::size_t at = text.find(", "); at != std::string_view::npos; at = text.find(", ", at + 2)) {
    std::size_t digit = at + 2;
    while (digit < text.size() && is_digit(text[digit])) ++digit;
    if (digit > at + 2 && digit < text.size() && text[digit] == ' ') return at;
  }
  return text.size();
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() &&
         (text.back() == ' ' || text.back() == '.' || text.back() == '\n' || text.back() == ','))
    text.remove_suffix(1);
  return text;
}

Part read_part(std::string_view text) {
  Part part;
  std::string_view rest = text;
  if (const auto count = number(rest); count && rest.starts_with(' ')) {
    part.nodes = count;
    text = rest.substr(1);
  }
  part.words = clean(trimmed(text), 400);
  part.meaning = kubernetes_meaning(part.words);
  return part;
}

}  // namespace

Meaning kubernetes_meaning(std::string_view words) {
  for (const Row& row : kRows)
    if (const auto inner = match(words, row.words)) return {row.topic, filled(row.text, *inner), true};
  return {Topic::unknown, clean(words, 400), false};
}

Unschedulable parse_unschedulable(std::string_view message) {
  Unschedulable told;
  message = message.substr(0, 16384);  // longer ones come from no scheduler
  std::string_view rest = message;
  const auto able = number(rest);
  if (!able || !rest.starts_with('/')) return told;
  rest.remove_prefix(1);
  const auto total = number(rest);
  if (!total || !(take_prefix(rest, " nodes are available") || take_prefix(rest, kOfVolcano))) return told;
  told.able = able, told.total = total;
  rest = rest.substr(std::min(rest.size(), rest.find_first_not_of(":, ")));
  if (const auto at = rest.find("preemption: "); at != std::string_view::npos) {
    told.preemption = clean(trimmed(rest.substr(at + 12)), 400);
    rest = rest.substr(0, at);
  }
  if (const auto at = rest.find(". no new claims to deallocate"); at != std::string_view::npos)
    rest = rest.substr(0, at);
  if (const auto at = rest.find(". still not schedulable"); at != std::string_view::npos)
    rest = rest.substr(0, at);
  while (!trimmed(rest).empty() && told.parts.size() < kMostParts) {
    const std::size_t end = end_of_part(rest);
    told.parts.push_back(read_part(rest.substr(0, end)));
    rest.remove_prefix(std::min(rest.size(), end + 2));
  }
  std::stable_sort(told.parts.begin(), told.parts.end(), [](const Part& a, const Part& b) {
    return a.nodes.value_or(INT64_MAX) > b.nodes.value_or(INT64_MAX);
  });
  return told;
}

}  // namespace tessera::why
