#include "backends/kubernetes/objects/objects.hpp"

#include <algorithm>
#include <array>

#include "backends/kubernetes/objects/amd_values.hpp"
#include "engine/model/values.hpp"
#include "engine/number.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::kubernetes {
namespace {

// Prefixes of labels: the GPU stack's own, those by which a platform is told, and what places a node.
constexpr std::array kLabels = {
    std::string_view("nvidia.com/"),
    std::string_view("cloud.google.com/gke-"),
    std::string_view("eks.amazonaws.com/"),
    std::string_view("sagemaker.amazonaws.com/"),
    std::string_view("kubernetes.azure.com/"),
    std::string_view("alibabacloud.com/"),
    std::string_view("ack."),
    std::string_view("aliyun.accelerator/"),
    std::string_view("hami.io/"),
    std::string_view("node.kubernetes.io/instance-type"),
    std::string_view("topology.kubernetes.io/zone"),
    std::string_view("node-role.kubernetes.io/"),
    std::string_view("kubevirt.io/"),
    std::string_view("vm.kubevirt.io/"),
    std::string_view("app.kubernetes.io/"),
    std::string_view("app"),
    std::string_view("k8s-app"),
    std::string_view("helm.sh/chart"),
    std::string_view("component"),
    std::string_view("agentpool"),
    std::string_view("user"),
    std::string_view("owner"),
    std::string_view("notebook-name"),
    std::string_view("job-name"),
    std::string_view("batch.kubernetes.io/job-name"),
    std::string_view("hub.jupyter.org/"),
    std::string_view("tessera"),
    std::string_view("nvsentinel.dgxc.nvidia.com/"),
};

constexpr std::array kAnnotations = {
    std::string_view("cdi.k8s.io/"), std::string_view("hami.io/"),
    std::string_view("tessera"),     std::string_view("hub.jupyter.org/username"),
    std::string_view("owner"),       std::string_view("user"),
    std::string_view("nvidia.com/"), std::string_view("nodeset.slinky.slurm.net/"),
};

// A prefix that ends like a folder stands for all below it; any other word for itself, or for more words
// where it ends in a dash or a dot. "tessera" is both.
bool stands_for(std::string_view prefix, std::string_view key) {
  bool open = prefix.back() == '/' || prefix.back() == '-' || prefix.back() == '.' || prefix == "tessera";
  return open ? key.starts_with(prefix) : key == prefix;
}

template <class List>
bool any_stands_for(const List& prefixes, std::string_view key) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return stands_for(prefix, key); });
}

std::string_view text_of(const Texts& texts, std::string_view key) {
  auto found = texts.find(key);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

// Of a profile's dozen labels these say what is offered; the others repeat the catalogue.
bool is_told_of_profile(std::string_view key) {
  return key.ends_with(".count") || key.ends_with(".replicas") || key.ends_with(".sharing-strategy");
}

}  // namespace

Compute& Compute::operator+=(const Compute& more) {
  millis = add_times(millis, more.millis, 1);
  bytes = add_times(bytes, more.bytes, 1);
  unread = unread || more.unread;
  return *this;
}

std::string taint_text(const Taint& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
}

bool is_kept_label(std::string_view key) {
  if (key.starts_with("nvidia.com/mig-")) return is_told_of_profile(key);
  if (is_kept_amd_label(key)) return true;
  return any_stands_for(kLabels, key);
}
bool is_kept_node_label(std::string_view key) {
  if (is_kept_label(key)) return true;
  constexpr std::array kOfPrograms = {
      std::string_view("nvidia.com/"),         std::string_view("amd.com/"),
      std::string_view("beta.amd.com/"),       std::string_view("feature.node.kubernetes.io/"),
      std::string_view("beta.kubernetes.io/"), std::string_view("node.kubernetes.io/")};
  return std::none_of(kOfPrograms.begin(), kOfPrograms.end(),
                      [&](std::string_view prefix) { return key.starts_with(prefix); });
}
bool is_kept_annotation(std::string_view key) { return any_stands_for(kAnnotations, key); }

std::string_view NodeObject::label(std::string_view key) const { return text_of(meta.labels, key); }
std::string_view PodObject::label(std::string_view key) const { return text_of(meta.labels, key); }

bool LabelSelector::matches(const Texts& there) const {
  for (const auto& [key, value] : labels)
    if (auto found = there.find(key); found == there.end() || found->second != value) return false;
  return std::all_of(demands.begin(), demands.end(), [&](const Demand& demand) {
    auto found = there.find(demand.key);
    bool has = found != there.end();
    bool among =
        has && std::find(demand.values.begin(), demand.values.end(), found->second) != demand.values.end();
    if (demand.is == "In") return among;
    if (demand.is == "NotIn") return !among;
    if (demand.is == "Exists") return has;
    return demand.is == "DoesNotExist" && !has;
  });
}

std::optional<std::int64_t> NodeObject::has(std::string_view resource) const {
  auto found = capacity.find(resource);
  return found == capacity.end() ? std::nullopt : std::optional(found->second);
}

bool has_gpus(const NodeObject& node) {
  for (std::string_view key : {"nvidia.com/gpu.present", "nvidia.com/gpu.product", "nvidia.com/gpu.count",
                               "nvidia.com/mig.capable", "cloud.google.com/gke-accelerator"}) {
    std::string_view value = node.label(key);
    if (!value.empty() && value != "false") return true;
  }
  if (has_amd_labels(node) || !node.unread_gpus.empty()) return true;
  return std::any_of(node.capacity.begin(), node.capacity.end(), [](const auto& entry) {
    return entry.second > 0 && sharing::parse_resource(entry.first, Scheduler::kubernetes).has_value();
  });
}

}  // namespace tessera::kubernetes
