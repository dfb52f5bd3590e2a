// GPUs that a DRA driver hands out, as devices; work that asks for them, as claims.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/random.hpp"
#include "backends/sim/snapshot.hpp"
#include "engine/text.hpp"

namespace tessera::sim::kube {
namespace {

constexpr std::string_view kApi = "resource.k8s.io/v1";
constexpr std::string_view kDriver = "gpu.nvidia.com";
constexpr std::string_view kMigClass = "mig.nvidia.com";

std::string letters(std::string_view of) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::uint64_t drawn = hash_text(of);
  std::string text;
  for (int i = 0; i < 5; ++i, drawn /= kLetters.size()) text += kLetters[drawn % kLetters.size()];
  return text;
}

std::string name_of(const mig::Profile& profile, std::size_t gpu, int start) {
  std::string word = profile.name.text;
  std::erase(word, '.');
  std::replace(word.begin(), word.end(), '+', '-');
  return fmt::format("gpu-{}-mig-{}-{}-{}", gpu, word, profile.id.value_or(0), start);
}

// "gpu-1-mig-1g24gb-14-0": GPU, profile, its number, where it stands.
std::string device_name(const NodeGroup& group, const Board& board, std::size_t gpu, int instance) {
  const Instance* one = instance == kWholeBoard ? nullptr : board.find(instance);
  if (!one) return fmt::format("gpu-{}", gpu);
  const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(one->profile)];
  return name_of(profile, gpu, one->start);
}

Json attribute(std::string value) { return object({{"string", text(std::move(value))}}); }

Json device(const NodeGroup& group, std::string name, std::int64_t mib, Json attributes) {
  put(attributes, "productName", attribute(clean(group.model, 64)));
  put(attributes, "driverVersion",
      object({{"version", text(clean(group.driver.empty() ? "580.65.6" : group.driver, 32))}}));
  return object({{"name", text(std::move(name))},
                 {"attributes", std::move(attributes)},
                 {"capacity", object({{"memory", object({{"value", text(fmt::format("{}Mi", mib))}})}})}});
}

using Amounts = std::map<std::string, std::int64_t>;

// What an instance takes of its GPU, and what there is of it: the most that a profile takes.
Amounts amounts_of(const mig::Profile& profile) {
  Amounts all{{"multiprocessors", profile.sm.value_or(profile.compute_slices)},
              {"memory", (profile.memory ? profile.memory->value : 0) * 1024 * 1024}};
  const mig::Engines& engines = profile.engines;
  for (const auto& [name, count] :
       {std::pair("decoders", engines.decoder), std::pair("encoders", engines.encoder),
        std::pair("jpeg-engines", engines.jpeg), std::pair("ofa-engines", engines.ofa)})
    all[name] = count.value_or(0);
  return all;
}
Amounts amounts_of(const mig::Product& product) {
  Amounts most;
  for (const mig::Profile& profile : product.profiles)
    for (const auto& [name, amount] : amounts_of(profile)) most[name] = std::max(most[name], amount);
  return most;
}

Json counters(const Amounts& amounts, int first, int size) {
  Json all = Json::map();
  for (const auto& [name, amount] : amounts)
    put(all, name, object({{"value", text(std::to_string(amount))}}));
  for (int i = first; i < first + size; ++i)
    put(all, fmt::format("memory-slice-{}", i), object({{"value", text("1")}}));
  return all;
}
std::string set_name(std::size_t gpu) { return fmt::format("gpu-{}-counter-set", gpu); }
Json consumed(std::size_t gpu, Json counters) {
  return list_of({object({{"counterSet", text(set_name(gpu))}, {"counters", std::move(counters)}})});
}

// With dynamic MIG: the GPU and every instance that could be made, whether it stands or not.
void add_makeable(Json& list, const World& world, std::uint32_t node, std::size_t gpu) {
  const NodeGroup& group = world.group(world.nodes[node]);
  const mig::Product& product = *group.mig;
  const std::string uuid = uuid_of(world, node, gpu);
  Json whole = device(group, fmt::format("gpu-{}", gpu), group.memory_mib,
                      object({{"type", attribute("gpu")}, {"uuid", attribute(uuid)}}));
  put(whole, "consumesCounters", consumed(gpu, counters(amounts_of(product), 0, product.units)));
  list.items.push_back(std::move(whole));
  for (const mig::Profile& profile : product.profiles)
    for (const int start : profile.starts) {
      Json one = device(group, name_of(profile, gpu, start), profile.memory ? profile.memory->value : 0,
                        object({{"type", attribute("mig")},
                                {"parentUUID", attribute(uuid)},
                                {"profile", attribute(profile.name.text)}}));
      put(one, "consumesCounters",
          consumed(gpu, counters(amounts_of(profile), start, profile.memory_slices)));
      list.items.push_back(std::move(one));
    }
}

// What stands on the GPU now: the GPU itself, or its instances.
void add_devices(Json& list, const World& world, std::uint32_t node, std::size_t gpu) {
  const NodeGroup& group = world.group(world.nodes[node]);
  const Board& board = world.nodes[node].boards[gpu];
  std::string uuid = uuid_of(world, node, gpu);
  if (!board.cut()) {
    list.items.push_back(device(group, device_name(group, board, gpu, kWholeBoard), group.memory_mib,
                                object({{"type", attribute("gpu")}, {"uuid", attribute(uuid)}})));
    return;
  }
  for (const Instance& one : board.instances) {
    const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(one.profile)];
    std::int64_t mib = profile.memory ? profile.memory->value : 0;
    list.items.push_back(device(group, device_name(group, board, gpu, one.id), mib,
                                object({{"type", attribute("mig")},
                                        {"uuid", attribute(fmt::format("MIG-{}-{}", uuid.substr(4), one.id))},
                                        {"parentUUID", attribute(uuid)},
                                        {"profile", attribute(profile.name.text)}})));
  }
}

Json head_of_device(std::string_view kind, const Key& key) {
  Json metadata = object({{"name", text(key.name)}});
  if (!key.ns.empty()) put(metadata, "namespace", text(key.ns));
  return object({{"kind", text(std::string(kind))},
                 {"apiVersion", text(std::string(kApi))},
                 {"metadata", std::move(metadata)}});
}

}  // namespace

bool asks_by_claim(const Shape& shape) {
  return shape.text == kDriver || shape.text.starts_with(std::string(kMigClass) + "/");
}

Key devices_key(const World& world, std::uint32_t node) {
  std::string name = clean(world.node_name(node), 200);
  return {"resourceslices.resource.k8s.io", "", fmt::format("{}-{}-{}", name, kDriver, letters(name))};
}

Key claim_key(const Key& pod) {
  return {"resourceclaims.resource.k8s.io", pod.ns, fmt::format("{}-gpu-{}", pod.name, letters(pod.name))};
}

std::optional<Projected> project_devices(const World& world, std::uint32_t node) {
  const NodeState& state = world.nodes[node];
  if (!world.group(state).claimed) return std::nullopt;
  Key key = devices_key(world, node);
  std::string name = clean(world.node_name(node), 253);
  Json devices = Json::list();
  const NodeGroup& group = world.group(state);
  const bool dynamic = group.dynamic && group.mig;
  Json sets = Json::list();
  for (std::size_t gpu = 0; gpu < state.boards.size(); ++gpu) {
    dynamic ? add_makeable(devices, world, node, gpu) : add_devices(devices, world, node, gpu);
    if (dynamic)
      sets.items.push_back(object({{"name", text(set_name(gpu))},
                                   {"counters", counters(amounts_of(*group.mig), 0, group.mig->units)}}));
  }
  Json pool = object({{"name", text(name)}, {"generation", number(1)}, {"resourceSliceCount", number(1)}});
  Json slice = head_of_device("ResourceSlice", key);
  put(slice, "spec",
      object({{"driver", text(std::string(kDriver))},
              {"nodeName", text(name)},
              {"pool", std::move(pool)},
              {"devices", std::move(devices)}}));
  if (dynamic) put_at(slice, {"spec", "sharedCounters"}, std::move(sets));
  return Projected{std::move(key), std::move(slice)};
}

bool is_dra_plugin(const Json& pod) {
  return view_at(pod, {"metadata", "labels", fmt::format("{}-component", kDraName)}) == "kubelet-plugin";
}

std::vector<Projected> dra_objects(const World& world) {
  bool any = false, dynamic = false;
  for (const NodeGroup& group : world.spec().groups) {
    any = any || group.claimed;
    dynamic = dynamic || group.dynamic;
  }
  if (!any) return {};
  const std::string name = fmt::format("{}-kubelet-plugin", kDraName);
  Json labels = object({{"app.kubernetes.io/name", text(std::string(kDraName))},
                        {"app.kubernetes.io/instance", text(std::string(kDraName))},
                        {fmt::format("{}-component", kDraName), text("kubelet-plugin")}});
  Json container =
      object({{"name", text("gpus")},
              {"image", text("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.5.0")}});
  if (dynamic)
    put(container, "env",
        list_of({object({{"name", text("FEATURE_GATES")}, {"value", text("DynamicMIG=true,")}})}));
  Json pod = object({{"containers", list_of({std::move(container)})},
                     {"nodeSelector", object({{std::string(kDraDeploy), text("true")}})},
                     {"tolerations", list_of({object({{"operator", text("Exists")}})})}});
  Json spec =
      object({{"selector", object({{"matchLabels", labels}})},
              {"template", object({{"metadata", object({{"labels", labels}})}, {"spec", std::move(pod)}})},
              {"updateStrategy", object({{"type", text("RollingUpdate")}})}});
  Key key{"daemonsets.apps", std::string(kOperatorNamespace), name};
  Json set = object({{"kind", text("DaemonSet")},
                     {"apiVersion", text("apps/v1")},
                     {"metadata", object({{"name", text(name)},
                                          {"namespace", text(key.ns)},
                                          {"generation", number(1)},
                                          {"labels", labels}})},
                     {"spec", std::move(spec)}});
  std::vector<Projected> all;
  all.emplace_back(std::move(key), std::move(set));
  return all;
}

std::optional<Projected> project_claim(const World& world, const Job& job, const Key& pod) {
  const Shape& shape = wanted_by(world, job);
  if (!asks_by_claim(shape)) return std::nullopt;
  Key key = claim_key(pod);
  Json claim = head_of_device("ResourceClaim", key);
  bool mig = shape.text != kDriver;
  Json exactly = object({{"deviceClassName", text(std::string(mig ? kMigClass : kDriver))},
                         {"allocationMode", text("ExactCount")},
                         {"count", number(shape.count)}});
  if (mig)
    put(exactly, "selectors",
        list_of({object(
            {{"cel", object({{"expression", text(fmt::format("device.attributes['{}'].profile == '{}'",
                                                             kDriver, clean(shape.type, 32)))}})}})}));
  put_at(claim, {"spec", "devices", "requests"},
         list_of({object({{"name", text("gpu")}, {"exactly", std::move(exactly)}})}));
  Json status = Json::map();
  if (!job.claims.empty()) {
    Json results = Json::list();
    for (const Claim& one : job.claims) {
      const NodeState& state = world.nodes[one.node];
      results.items.push_back(object(
          {{"request", text("gpu")},
           {"driver", text(std::string(kDriver))},
           {"pool", text(clean(world.node_name(one.node), 253))},
           {"device", text(device_name(world.group(state), state.boards[one.gpu], one.gpu, one.instance))}}));
    }
    put_at(status, {"allocation", "devices", "results"}, std::move(results));
    put(status, "reservedFor", list_of({object({{"resource", text("pods")}, {"name", text(pod.name)}})}));
  }
  put(claim, "status", std::move(status));
  return Projected{std::move(key), std::move(claim)};
}

std::vector<Projected> device_classes(const World& world) {
  std::vector<Projected> all;
  bool any = std::any_of(world.spec().groups.begin(), world.spec().groups.end(),
                         [](const NodeGroup& group) { return group.claimed; });
  if (!any) return all;
  for (auto [name, type] : {std::pair(kDriver, "gpu"), std::pair(kMigClass, "mig")}) {
    Key key{"deviceclasses.resource.k8s.io", "", std::string(name)};
    Json one = head_of_device("DeviceClass", key);
    std::string expression =
        fmt::format("device.driver == '{0}' && device.attributes['{0}'].type == '{1}'", kDriver, type);
    put_at(one, {"spec", "selectors"},
           list_of({object({{"cel", object({{"expression", text(std::move(expression))}})}})}));
    all.emplace_back(std::move(key), std::move(one));
  }
  return all;
}

}  // namespace tessera::sim::kube
